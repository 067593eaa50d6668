// Sizes of arguments that a module leaves open (tensor<?x8xf32>): what --shape says, and
// what comes of the arguments themselves.
//
// Threading: pure. Ownership: the list owns its names.

#ifndef CLIENT_CLI_SHAPES_H_
#define CLIENT_CLI_SHAPES_H_

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "client/lib/podium.h"
#include "common/base/list.h"
#include "common/tensor/shape.h"

enum {
  CLI_SHAPES_MAX = 4096,
  CLI_GENERATOR_SIZE = 32,
  CLI_KEY_SHAPE = 640,
  CLI_KEY_CONSTANT
};

typedef struct cli_shapes_t {
  POD_LIST(podium_argument_type_t) types;  // For podium_compile.
} cli_shapes_t;

#define CLI_SHAPE_OPTIONS                                                         \
  {"shape",                                                                       \
   CLI_KEY_SHAPE,                                                                 \
   "NAME=SIZES",                                                                  \
   0,                                                                             \
   "Sizes of an argument, by name or number, that the program leaves open "       \
   "(x=4x8 for tensor<?x8xf32>)",                                                 \
   2},                                                                            \
  {                                                                               \
    "constant", CLI_KEY_CONSTANT, "NAME=VALUE", 0,                                \
        "The value of a scalar integer argument that sizes follow from, such as " \
        "JAX's dimension arguments (jax.global_constant)",                        \
        2                                                                         \
  }

// Takes the value of --shape. One that is none is a usage error.
error_t cli_shapes_option(cli_shapes_t *shapes, const char *value,
                          struct argp_state *state);

// Takes the value of --constant. One that is none is a usage error.
error_t cli_constant_option(cli_shapes_t *shapes, const char *value,
                            struct argp_state *state);

// What an argument is filled with (tensor_fill) that the user gives no value: that of
// --constant, else random values, the same for a number every time.
void cli_default_generator(const cli_shapes_t *shapes, const char *name, int index,
                           char text[CLI_GENERATOR_SIZE]);

// Adds the sizes of `shape` for an argument, unless it has some; its dtype does not
// count.
void cli_shapes_add(cli_shapes_t *shapes, const char *name, size_t name_length,
                    const tensor_shape_t *shape);

void cli_shapes_deinit(cli_shapes_t *shapes);

// Whether the module leaves any size open.
bool cli_has_open_sizes(const char *text, size_t length);

#endif  // CLIENT_CLI_SHAPES_H_
