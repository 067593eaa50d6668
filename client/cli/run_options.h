// The options of `podium run`, `simulate`, `compile`, `explain` and their like.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_RUN_OPTIONS_H_
#define CLIENT_CLI_RUN_OPTIONS_H_

#include <argp.h>

#include "client/cli/run.h"

enum {
  CLI_RUN_POD = 256,
  CLI_RUN_PROFILE,
  CLI_RUN_TIMEOUT,
  CLI_RUN_EXPECT,
  CLI_RUN_TOLERANCE,
  CLI_RUN_REPEAT,
  CLI_RUN_TEXT,
  CLI_RUN_TIME_ONLY,
  CLI_RUN_XPLANE,
  CLI_RUN_MODEL_FLOP,
  CLI_RUN_HOST_PROFILE,
  CLI_RUN_CAST,
  CLI_RUN_VJP,
  CLI_RUN_RETRY,
  CLI_RUN_REPORT,
  CLI_RUN_FIT,
  CLI_RUN_EXPECTATIONS,
  CLI_RUN_AFTER,
  CLI_RUN_SHARDINGS,
  CLI_RUN_WHAT_IF,
  CLI_RUN_BUDGET,
  CLI_RUN_SECONDS,
  CLI_RUN_SLICE,
};

// Of argp: puts what an option says into the cli_run_t that is its input.
error_t cli_run_parse(int key, char *value, struct argp_state *state);

#define CLI_POD_OPTIONS                                                                  \
  {"chip",                                                                               \
   'c',                                                                                  \
   "KIND|FILE",                                                                          \
   0,                                                                                    \
   "A kind that `podium chips` lists, or a file that describes one (v5e)",               \
   1},                                                                                   \
      {"topology",                                                                       \
       't',                                                                              \
       "SIZES",                                                                          \
       0,                                                                                \
       "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (as many chips as the program has " \
       "partitions)",                                                                    \
       1},                                                                               \
      {"pod",                                                                            \
       CLI_RUN_POD,                                                                      \
       "POD",                                                                            \
       0,                                                                                \
       "Use this pod: HOST:PORT of its coordinator, or the name given to `podium up`. "  \
       "Without it a local pod is started and stopped",                                  \
       1},                                                                               \
      {"device-order",                                                                   \
       CLI_KEY_DEVICE_ORDER,                                                             \
       "CHIPS",                                                                          \
       0,                                                                                \
       "The chips that run the program, one for each of its devices, in any order: "     \
       "3 for a program of one device, 0,1,3,2 makes a ring of 2x2. Values stay the "    \
       "same",                                                                           \
       1},                                                                               \
      {"slice",                                                                          \
       CLI_RUN_SLICE,                                                                    \
       "SIZE",                                                                           \
       0,                                                                                \
       "Run on a part of a larger pod: a box of so many chips (2x2), which jobs do not " \
       "have and, if there is one, on which nothing runs. `podium submit` waits for "    \
       "one, and keeps it",                                                              \
       1},                                                                               \
      {"vjp",                                                                            \
       CLI_RUN_VJP,                                                                      \
       "ORDER",                                                                          \
       0,                                                                                \
       "Of a file that jax.export's serialize(vjp_order=…) wrote, the vjp of that "    \
       "order "                                                                          \
       "instead of the function",                                                        \
       1},                                                                               \
      CLI_COLLECTIVES_OPTIONS, {                                                         \
    "timeout", CLI_RUN_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 3      \
  }

#define CLI_REPORT_OPTION                                                       \
  {                                                                             \
    "report", CLI_RUN_REPORT, "FILE.html", 0,                                   \
        "Write a page that shows it all, in one file that needs nothing else: " \
        "timeline, "                                                            \
        "links, memory, collectives, shardings, roofline",                      \
        2                                                                       \
  }

#define CLI_PROFILE_OPTIONS                                                          \
  {"model-flop",                                                                     \
   CLI_RUN_MODEL_FLOP,                                                               \
   "N",                                                                              \
   0,                                                                                \
   "FLOP that the model needs for the step, such as 6 x parameters x tokens: "       \
   "the profile then shows the MFU beside the HFU",                                  \
   4},                                                                               \
      {"profile",                                                                    \
       CLI_RUN_PROFILE,                                                              \
       "FILE.json",                                                                  \
       0,                                                                            \
       "Write a trace of the predicted time for https://ui.perfetto.dev",            \
       2},                                                                           \
  {                                                                                  \
    "xplane", CLI_RUN_XPLANE, "DIR", 0,                                              \
        "Write DIR/plugins/profile/TIME/HOST.xplane.pb for TensorBoard and XProf", 2 \
  }

#endif  // CLIENT_CLI_RUN_OPTIONS_H_
