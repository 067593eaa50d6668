// What `podium run`, `simulate` and `compile` know of one run, and the part of it that
// deals with arrays (run_arrays.c): inputs, results, and the files that they come from
// and go to.

#ifndef CLIENT_CLI_RUN_H_
#define CLIENT_CLI_RUN_H_

#include "client/cli/bindings.h"
#include "client/cli/cli.h"
#include "client/cli/shapes.h"
#include "client/cli/simulation.h"
#include "common/base/list.h"

typedef struct cli_run_t {
  const char *program, *pod, *chip, *topology, *algorithms, *profile, *host_profile,
      *xplane;
  int64_t timeout_ms;
  int64_t repeat;
  int64_t vjp_order;  // Of what jax.export writes; 0: the function itself.
  double tolerance, model_flop;
  bool is_executed;  // By `podium run`; --time-only takes it back.
  bool quiet, only_text, time_only;
  bool casts;                      // Files of other dtypes are converted.
  POD_LIST(int64_t) device_order;  // Empty: as they are numbered.
  cli_simulation_t simulation;
  cli_bindings_t inputs, outputs, expected;
  cli_shapes_t shapes;
  // What it makes on the way, released in reverse.
  char *text;
  size_t length;
  cli_pod_t *local;
  podium_session_t *session;
  podium_pod_t *pod_info;
  podium_executable_t *executable;
  podium_array_t **arguments, **results;
  int *kept;  // The arguments that the program donates.
  podium_execution_t *execution;
  cli_progress_t *progress;
} cli_run_t;

// Before a pod is started: whether all files of the command line can be read and written.
POD_MUST_USE pod_status_t cli_run_check_files(cli_run_t *run);

// Arguments whose sizes the program leaves open have those of their files.
POD_MUST_USE pod_status_t cli_run_find_shapes(cli_run_t *run);

// Before anything is executed: whether the program has the arguments and results that the
// command line names, and whether the files hold what they take.
POD_MUST_USE pod_status_t cli_run_check_arrays(cli_run_t *run);

// After cli_run_check_arrays.
POD_MUST_USE pod_status_t cli_run_put_inputs(cli_run_t *run);

// Fetches, prints, writes and compares the results, one at a time. All are written, and
// all compared, before the first that is wrong is returned: DATA_LOSS.
POD_MUST_USE pod_status_t cli_run_fetch_results(cli_run_t *run);

#endif  // CLIENT_CLI_RUN_H_
