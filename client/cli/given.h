// How a program is compiled, for runs and for jobs. Shardings from outside: --mesh,
// --in-sharding, --out-sharding; how they spread: --propagation; what is donated:
// --donate; how collectives run and which give way: --algorithm, --collectives; on which
// chips: --device-order.
//
// Threading: the main thread. Ownership: the lists own their texts; others are argv's.

#ifndef CLIENT_CLI_GIVEN_H_
#define CLIENT_CLI_GIVEN_H_

#include <argp.h>

#include "client/lib/podium_jobs.h"
#include "common/base/list.h"

enum {
  CLI_KEY_MESH = 680,
  CLI_KEY_IN_SHARDING,
  CLI_KEY_OUT_SHARDING,
  CLI_KEY_PROPAGATION,
  CLI_KEY_DONATE,
  CLI_KEY_ALGORITHM,
  CLI_KEY_COLLECTIVES,
  CLI_KEY_DEVICE_ORDER,
};

typedef struct cli_given_t {
  const char *mesh;         // NULL: the program's own.
  const char *propagation;  // NULL: the compiler's own.
  const char *algorithms;   // NULL: the cheapest.
  const char *collectives;  // NULL: those that save time.
  char *donate;             // NULL: what the program donates; owned.
  POD_LIST(podium_given_sharding_t) in, out;
  int inner_count;  // Of values within: what_if.c.
  const podium_given_sharding_t *inner;
  POD_LIST(int64_t) device_order;  // Empty: as they are numbered.
} cli_given_t;

#define CLI_COLLECTIVES_OPTIONS                                                       \
  {"algorithm",                                                                       \
   CLI_KEY_ALGORITHM,                                                                 \
   "[COLLECTIVE=]NAME",                                                               \
   0,                                                                                 \
   "How collectives run: ring, line, tree, gather, direct or torus, for all or for "  \
   "one "                                                                             \
   "kind (all_reduce=ring,all_gather=line). Without it the cheapest",                 \
   1},                                                                                \
  {                                                                                   \
    "collectives", CLI_KEY_COLLECTIVES, "[REWRITE=]CHOICE", 0,                        \
        "Which collectives give way to others with the same values: auto, where the " \
        "predicted time gets less, on, off or usual, for all or for one rewrite: "    \
        "scatter, sums, sink, pipeline, matmul, combine (combine=off,matmul=auto). "  \
        "Without it usual: auto, but matmul off",                                     \
        1                                                                             \
  }

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

// Takes one of the options above, and --device-order. A value that is none is a usage
// error.
error_t cli_given_option(cli_given_t *given, int key, const char *value,
                         struct argp_state *state);

// The devices of --mesh; 1 without it or when it is none.
int64_t cli_given_devices(const cli_given_t *given);

// Borrows from `given`.
void cli_given_fill(const cli_given_t *given, podium_compile_options_t *options);
void cli_given_fill_job(const cli_given_t *given, podium_job_options_t *options);

void cli_given_deinit(cli_given_t *given);

#endif  // CLIENT_CLI_GIVEN_H_
