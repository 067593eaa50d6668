// A list of names with sizes, filled from options and from the heads of .npy files.

#include "client/cli/shapes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/bytecode.h"

// 4x8; false for anything else.
static bool parse_sizes(const char *text, tensor_shape_t *out_shape) {
  *out_shape = (tensor_shape_t){.dtype = TENSOR_INVALID};
  for (;;) {
    char *end = NULL;
    if (*text < '0' || *text > '9' || out_shape->rank == TENSOR_RANK_MAX) {
      return false;
    }
    const long long size = strtoll(text, &end, 10);
    out_shape->dims[out_shape->rank++] = size;
    if (*end == '\0') {
      return true;
    }
    if (*end != 'x') {
      return false;
    }
    text = end + 1;
  }
}

void cli_shapes_add(cli_shapes_t *shapes, const char *name, size_t name_length,
                    const tensor_shape_t *shape) {
  for (int i = 0; i < shapes->types.count; i++) {
    const char *other = shapes->types.items[i].argument;
    if (strlen(other) == name_length && memcmp(other, name, name_length) == 0) {
      return;
    }
  }
  pod_text_t text = {0};
  pod_text_add_bytes(&text, name, name_length);
  podium_argument_type_t *type = pod_list_add(&shapes->types);
  *type = (podium_argument_type_t){.argument = pod_text_take(&text),
                                   .shape = {.rank = shape->rank}};
  for (int d = 0; d < shape->rank; d++) {
    type->shape.dims[d] = shape->dims[d];
  }
}

// One more of either option; NULL, with a usage error, when the argument has one already
// or there are too many.
static podium_argument_type_t *add_option(cli_shapes_t *shapes, const char *value,
                                          const char *equals, const tensor_shape_t *shape,
                                          struct argp_state *state) {
  const int before = shapes->types.count;
  if (before == CLI_SHAPES_MAX) {
    argp_error(state, "more than %d --shape and --constant", (int)CLI_SHAPES_MAX);
    return NULL;
  }
  cli_shapes_add(shapes, value, (size_t)(equals - value), shape);
  if (shapes->types.count == before) {
    argp_error(state, "two --shape or --constant of one argument: '%s'", value);
    return NULL;
  }
  return &shapes->types.items[before];
}

error_t cli_shapes_option(cli_shapes_t *shapes, const char *value,
                          struct argp_state *state) {
  const char *equals = strchr(value, '=');
  tensor_shape_t shape;
  if (equals == NULL || equals == value || !parse_sizes(equals + 1, &shape)) {
    argp_error(state, "--shape takes NAME=SIZES, such as x=4x8, got '%s'", value);
  } else {
    add_option(shapes, value, equals, &shape, state);
  }
  return 0;
}

error_t cli_constant_option(cli_shapes_t *shapes, const char *value,
                            struct argp_state *state) {
  const char *equals = strchr(value, '=');
  char *end = NULL;
  errno = 0;
  const long long number = equals == NULL ? 0 : strtoll(equals + 1, &end, 10);
  if (equals == NULL || equals == value || end == equals + 1 || *end != '\0' ||
      errno != 0) {
    argp_error(state, "--constant takes NAME=VALUE, such as n=8, got '%s'", value);
    return 0;
  }
  const tensor_shape_t scalar = {.dtype = TENSOR_INVALID};
  podium_argument_type_t *type = add_option(shapes, value, equals, &scalar, state);
  if (type != NULL) {
    type->has_value = true;
    type->value = number;
  }
  return 0;
}

// The value of --constant for an argument; false when there is none.
static bool constant_of(const cli_shapes_t *shapes, const char *name, int index,
                        int64_t *out_value) {
  char number[16];
  snprintf(number, sizeof(number), "%d", index);
  for (int i = 0; i < shapes->types.count; i++) {
    const podium_argument_type_t *type = &shapes->types.items[i];
    if (type->has_value &&
        (strcmp(type->argument, name) == 0 || strcmp(type->argument, number) == 0)) {
      *out_value = type->value;
      return true;
    }
  }
  return false;
}

void cli_default_generator(const cli_shapes_t *shapes, const char *name, int index,
                           char text[CLI_GENERATOR_SIZE]) {
  int64_t constant;
  if (constant_of(shapes, name, index, &constant)) {
    snprintf(text, CLI_GENERATOR_SIZE, "const:%lld", (long long)constant);
  } else {
    snprintf(text, CLI_GENERATOR_SIZE, "random:%d", index);
  }
}

void cli_shapes_deinit(cli_shapes_t *shapes) {
  for (int i = 0; i < shapes->types.count; i++) {
    free((char *)(uintptr_t)shapes->types.items[i].argument);
  }
  pod_list_deinit(&shapes->types);
  *shapes = (cli_shapes_t){0};
}

bool cli_has_open_sizes(const char *text, size_t length) {
  // In bytecode an open size is the least integer: nine bytes that nothing else has.
  static const char open[] = "\0\xff\xff\xff\xff\xff\xff\xff\xff";
  return mlir_is_bytecode(text, (int64_t)length)
             ? memmem(text, length, open, sizeof(open) - 1) != NULL
             : strstr(text, "?x") != NULL;
}
