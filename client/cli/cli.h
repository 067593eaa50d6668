// What the commands of `podium` share.
//
// Conventions: results go to standard output, everything else to standard error. The exit
// status is 0 for success, 1 when the work failed, 2 when the command line is wrong, 130
// after an interrupt.

#ifndef CLIENT_CLI_CLI_H_
#define CLIENT_CLI_CLI_H_

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"
#include "common/base/status.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef struct cli_command_t {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
} cli_command_t;

int cli_run(int argc, char **argv);
int cli_simulate(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_up(int argc, char **argv);
int cli_down(int argc, char **argv);
int cli_status(int argc, char **argv);
int cli_devices(int argc, char **argv);

// Parses one command's arguments. Usage errors exit with CLI_USAGE.
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

// Prints "podium: MESSAGE" and frees the status. Returns CLI_FAILED.
int cli_fail(pod_status_t status);
int cli_fail_client(podium_status_t *status);

// The public status as ours, with its code; takes it.
POD_MUST_USE pod_status_t cli_status_of(podium_status_t *status);

// The whole file, NUL-terminated; returns owned. "-" is standard input.
POD_MUST_USE pod_status_t cli_read_file(const char *path, char **out_text,
                                        size_t *out_length);

// How many chips a module is for, at least 1: the cells of its interpreter.run_parallel,
// else mhlo.num_partitions times mhlo.num_replicas, else its largest mesh. Reads the text
// as it stands, without a parser: the pod's compiler has the last word.
int64_t cli_chips_for(const char *text);

// 4 → 2x2, 8 → 2x4, 16 → 4x4, 6 → 2x3: as square as it gets. Returns owned.
char *cli_topology_for(int64_t chips);

// --- Progress: one line on standard error, if that is a terminal, once a step takes
// longer than a second. ---

typedef struct cli_progress_t cli_progress_t;

cli_progress_t *cli_progress_start(void);
// `what` is borrowed until the next step. `total` bytes or 0; cli_progress_advance says
// how many are done. Any thread.
void cli_progress_step(cli_progress_t *progress, const char *what, int64_t total);
void cli_progress_advance(cli_progress_t *progress, int64_t done);
// Clears the line. Accepts NULL.
void cli_progress_stop(cli_progress_t *progress);

// --- Pods on this machine ---

typedef struct cli_pod_options_t {
  const char *chip;      // "v5e"; NULL: what the topology's name says, else v5e.
  const char *topology;  // "2x2"
  bool stays;            // Outlives this process (podium up).
  bool has_no_workers;   // A coordinator alone: it compiles and simulates.
  const char *folder;    // For logs and the state file; exists.
} cli_pod_options_t;

typedef struct cli_pod_t {
  char *address;
  int process_count;  // [0] is the coordinator.
  int64_t *pids;
  char *folder;
} cli_pod_t;

// Starts the daemons; they may still be joining. UNAVAILABLE with the end of the log when
// one of them ends at once.
POD_MUST_USE pod_status_t cli_pod_start(const cli_pod_options_t *options,
                                        cli_pod_t **out_pod);

// SIGTERM to all, SIGKILL to what is left after 5 s; waits for children of ours. Removes
// the folder unless it is a pod that stays. Accepts NULL.
void cli_pod_stop(cli_pod_t *pod);

void cli_pod_free(cli_pod_t *pod);

// Why a local pod did not come up: the last lines of the daemons' logs. Adds to `status`,
// takes it.
POD_MUST_USE pod_status_t cli_pod_explain(const cli_pod_t *pod, pod_status_t status);

// The state of a pod that stays: FOLDER/pod.json.
char *cli_pod_folder(const char *name);  // Returns owned.
POD_MUST_USE pod_status_t cli_pod_save(const cli_pod_t *pod);
POD_MUST_USE pod_status_t cli_pod_load(const char *name, cli_pod_t **out_pod);

// Where --pod points: an address as it is, or the name of a pod started with `podium up`.
// Returns owned.
POD_MUST_USE pod_status_t cli_pod_address(const char *text, char **out_address);

// --- Printing ---

// "1.5 KiB", in the arena.
const char *cli_size(pod_arena_t *arena, int64_t bytes);
// "12.3 us", from picoseconds.
const char *cli_time(pod_arena_t *arena, int64_t picoseconds);
const char *cli_shape(pod_arena_t *arena, const podium_shape_t *shape);

void cli_print_signatures(const podium_program_info_t *info);
void cli_print_collectives(const podium_program_info_t *info);
void cli_print_memory(const podium_program_info_t *info);

// What of a profile a terminal can show, in 100 columns (summary.c, links.c).
void cli_print_profile(const podium_profile_t *profile);

// A Chrome trace that Perfetto opens (JSON, "traceEvents").
POD_MUST_USE pod_status_t cli_write_trace(const char *path, bool is_gzip,
                                          const podium_program_info_t *info,
                                          const podium_profile_t *profile);

// FOLDER/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz, for TensorBoard and
// XProf (--logdir FOLDER).
POD_MUST_USE pod_status_t cli_write_xplane(const char *folder,
                                           const podium_program_info_t *info,
                                           const podium_profile_t *profile);

#endif  // CLIENT_CLI_CLI_H_
