// What `podium run`, `simulate` and `compile` know of one run, and the part of it that
// deals with arrays (run_arrays.c): inputs, results, and the files that they come from
// and go to.

#ifndef CLIENT_CLI_RUN_H_
#define CLIENT_CLI_RUN_H_

#include "client/cli/bindings.h"
#include "client/cli/cli.h"
#include "client/cli/expect.h"
#include "client/cli/fit.h"
#include "client/cli/given.h"
#include "client/cli/shapes.h"
#include "client/cli/simulation.h"
#include "common/base/list.h"
#include "common/tensor/array.h"

typedef struct cli_upload_t cli_upload_t;

typedef struct cli_run_t {
  const char *program, *pod, *chip, *topology, *profile, *host_profile, *xplane, *report,
      *slice;
  int64_t timeout_ms;
  int64_t repeat, retries;
  int64_t vjp_order;  // Of what jax.export writes; 0: the function itself.
  double tolerance, model_flop;
  bool is_executed;  // By `podium run`; --time-only takes it back.
  bool quiet, only_text, time_only;
  bool draws;                        // `podium sharding`: `other` is an array of it.
  bool compares;                     // `podium diff`,
  const char *other;                 // of this program with the first.
  int64_t chips_least;               // That a pod has that is started for it.
  cli_expectations_t *expectations;  // Of `podium explain`; owned, NULL for none.
  bool casts;                        // Files of other dtypes are converted.
  cli_simulation_t simulation;
  cli_bindings_t inputs, outputs, expected;
  cli_shapes_t shapes;
  cli_fit_t fit;
  cli_given_t given;
  const char *after;  // Of `podium explain`: a pass.
  bool wants_values;  // Its --shardings.
  bool wants_what_if;
  // Of `podium search`: how much it may try; 0: not said.
  int64_t search_compiles, search_seconds_ms;
  bool ignores_hbm;  // What does not fit is told of all the same.
  bool estimates;    // Compiles for a first look: podium_compile_options_t's `estimate`.
  // What it makes on the way, released in reverse.
  char *text;
  size_t length;
  cli_pod_t *local;
  podium_session_t *session;
  podium_pod_t *pod_info;
  podium_executable_t *executable;
  podium_array_t **arguments, **results;
  cli_upload_t *uploads;  // What the arguments are sent from.
  int *kept;              // The arguments that the program donates.
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

// The values of an argument, after cli_run_check_arrays; the caller's.
POD_MUST_USE pod_status_t cli_run_make_input(cli_run_t *run, int index,
                                             tensor_array_t *array);

// After cli_run_check_arrays.
POD_MUST_USE pod_status_t cli_run_put_inputs(cli_run_t *run);

// Reads and compiles the program, on a pod that is started for it unless there is one.
POD_MUST_USE pod_status_t cli_run_prepare(cli_run_t *run);

// The predicted profile of what is compiled, without events; the caller's. NULL, with
// why in *out_unknown (the caller's too), when it depends on values.
POD_MUST_USE pod_status_t cli_run_predict(cli_run_t *run, podium_profile_t **out_profile,
                                          char **out_unknown);

// Compiles the program for the shapes that there are, in place of what `executable` was.
POD_MUST_USE pod_status_t cli_run_compile(cli_run_t *run);

// fit.c. Finds the largest size of run->fit that fits the HBM, tells each try, and leaves
// the program compiled for it.
POD_MUST_USE pod_status_t cli_run_fit(cli_run_t *run);

// Fetches, prints, writes and compares the results, one at a time. All are written, and
// all compared, before the first that is wrong is returned: DATA_LOSS.
POD_MUST_USE pod_status_t cli_run_fetch_results(cli_run_t *run);

// One result, as text and for --json; `output` is the file that it goes to, or NULL.
void cli_result_print(const char *name, const podium_shape_t *shape,
                      const tensor_array_t *array);
void cli_result_report(const char *name, const tensor_array_t *array, const char *output);

#endif  // CLIENT_CLI_RUN_H_
