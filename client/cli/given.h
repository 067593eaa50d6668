// Shardings from outside: --mesh, --in-sharding, --out-sharding; how they spread:
// --propagation; what is donated: --donate.
//
// Threading: the main thread. Ownership: the lists own their texts; the mesh is argv's.

#ifndef CLIENT_CLI_GIVEN_H_
#define CLIENT_CLI_GIVEN_H_

#include <argp.h>

#include "client/lib/podium.h"
#include "common/base/list.h"

enum {
  CLI_KEY_MESH = 700,
  CLI_KEY_IN_SHARDING,
  CLI_KEY_OUT_SHARDING,
  CLI_KEY_PROPAGATION,
  CLI_KEY_DONATE,
};

typedef struct cli_given_t {
  const char *mesh;         // NULL: the program's own.
  const char *propagation;  // NULL: the compiler's own.
  char *donate;             // NULL: what the program donates; owned.
  POD_LIST(podium_given_sharding_t) in, out;
} cli_given_t;

#define CLI_GIVEN_OPTIONS                                                              \
  {"mesh",                                                                             \
   CLI_KEY_MESH,                                                                       \
   "AXIS=SIZE,…",                                                                      \
   0,                                                                                  \
   "The program's mesh, such as x=2,y=4. One that the program has over axes of these " \
   "names gets these sizes",                                                           \
   2},                                                                                 \
      {"propagation",                                                                  \
       CLI_KEY_PROPAGATION,                                                            \
       "WAY",                                                                          \
       0,                                                                              \
       "How shardings spread: shardy is exactly as Shardy's pipeline does it. "        \
       "Without it: this compiler's own way",                                          \
       2},                                                                             \
      {"donate",                                                                       \
       CLI_KEY_DONATE,                                                                 \
       "NAME[,NAME…]",                                                                 \
       0,                                                                              \
       "Arguments that give their memory to results, as jax.jit's donate_argnums "     \
       "says it, by name or number; all: every one. May be given again",               \
       2},                                                                             \
      {"in-sharding",                                                                  \
       CLI_KEY_IN_SHARDING,                                                            \
       "NAME=SPEC",                                                                    \
       0,                                                                              \
       "How an argument lies, by name or number, in place of what the program says: "  \
       "x='P(\"x\", None)'. May be given again",                                       \
       2},                                                                             \
  {                                                                                    \
    "out-sharding", CLI_KEY_OUT_SHARDING, "NAME=SPEC", 0,                              \
        "The same of a result: 0='P()'. May be given again", 2                         \
  }

// Takes one of the options above. A value that is none is a usage error.
error_t cli_given_option(cli_given_t *given, int key, const char *value,
                         struct argp_state *state);

// The devices of --mesh; 1 without it or when it is none.
int64_t cli_given_devices(const cli_given_t *given);

// Borrows from `given`.
void cli_given_fill(const cli_given_t *given, podium_compile_options_t *options);

void cli_given_deinit(cli_given_t *given);

#endif  // CLIENT_CLI_GIVEN_H_
