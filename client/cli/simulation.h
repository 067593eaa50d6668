// The options of `podium run` and `podium simulate` that say what the clock of the pod
// shall assume.

#ifndef CLIENT_CLI_SIMULATION_H_
#define CLIENT_CLI_SIMULATION_H_

#include <argp.h>

#include "client/lib/podium.h"

enum {
  CLI_SLOW_MAX = 1024,  // Of each.
  CLI_KEY_SLOW = 512,
  CLI_KEY_SLOW_LINK,
  CLI_KEY_TURNS,
};

typedef struct cli_simulation_t {
  int slow_chip_count, slow_link_count, turns_count;
  podium_slow_chip_t slow_chips[CLI_SLOW_MAX];
  podium_slow_link_t slow_links[CLI_SLOW_MAX];
  podium_turns_t turns[CLI_SLOW_MAX];
} cli_simulation_t;

#define CLI_SIMULATION_OPTIONS                                                           \
  {"slow",                                                                               \
   CLI_KEY_SLOW,                                                                         \
   "chip=ID:FACTOR",                                                                     \
   0,                                                                                    \
   "A straggler: everything on this chip takes FACTOR times as long (chip=3:1.5)",       \
   4},                                                                                   \
  {                                                                                      \
    "slow-link", CLI_KEY_SLOW_LINK, "[slice=N:]FROM-TO:FACTOR", 0,                       \
        "The link between two neighbours has FACTOR of its rate ('(0,0)-(1,0):0.5'; in " \
        "slice 1 'slice=1:(0,0)-(1,0):0.5')",                                            \
        4                                                                                \
  }

#define CLI_TURNS_OPTION                                                           \
  {                                                                                \
    "turns", CLI_KEY_TURNS, "[LOOP=]N", 0,                                         \
        "How often a loop turns whose condition depends on values (while.3=100); " \
        "without a name every such loop. Of a branch: which way it takes, from 0 " \
        "(case.0=1)",                                                              \
        4                                                                          \
  }

// Takes one of the options above. A value that is none is a usage error.
// ARGP_ERR_UNKNOWN for other keys.
error_t cli_simulation_option(cli_simulation_t *simulation, int key, char *value,
                              struct argp_state *state);

// Borrows from `simulation`.
podium_profile_options_t cli_simulation_options(const cli_simulation_t *simulation,
                                                int64_t timeout_ms, int64_t events_max);

#endif  // CLIENT_CLI_SIMULATION_H_
