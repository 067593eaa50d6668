// What the commands of `podium` share.
//
// Conventions: results go to standard output (terminal.h; with --json report.h),
// everything else to standard error. README.md says which file is which command.

#ifndef CLIENT_CLI_CLI_H_
#define CLIENT_CLI_CLI_H_

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/base/status.h"
#include "common/base/text.h"

// How `podium` exits; 130 after an interrupt.
enum {
  CLI_OK = 0,
  CLI_FAILED = 1,   // It ran, and something is not as it should be: a check, a result
                    // that was expected, a pod that is not ready.
  CLI_USAGE = 2,    // The command line is wrong; nothing was done.
  CLI_NOT_RUN = 3,  // What was asked for could not be done; the error says why.
};

extern const char cli_exit_codes[];  // The same for --help.

typedef struct cli_command_t {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
} cli_command_t;

int cli_run(int argc, char **argv);
int cli_simulate(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_search(int argc, char **argv);
int cli_sharding(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_exec(int argc, char **argv);
int cli_up(int argc, char **argv);
int cli_down(int argc, char **argv);
int cli_status(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_ls(int argc, char **argv);
int cli_logs(int argc, char **argv);
int cli_top(int argc, char **argv);
int cli_chips(int argc, char **argv);
int cli_certificates(int argc, char **argv);

// Parses one command's arguments, and those that all commands take: --help, --json.
// `argv[0]` is the command. Usage errors exit with CLI_USAGE.
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

// Whether the command line has said how pods are called: --tls-ca, --token-file …
bool cli_connection_is_given(void);

// Seconds above 0, as milliseconds; false for what is no such number.
bool cli_read_seconds(const char *text, int64_t *out_ms);

// A whole number from `least` to `most`; false for anything else.
bool cli_read_number(const char *text, int64_t least, int64_t most, int64_t *out_number);

// Nothing but white space and comments.
bool cli_is_blank(const char *text);

// INVALID_ARGUMENT for a file that cannot hold a module: nothing but white space and
// comments, or a NUL in what should be text (the portable artifacts begin with "ML").
POD_MUST_USE pod_status_t cli_check_module(const char *path, const char *text,
                                           size_t length);

// Prints "podium: CODE: MESSAGE" and frees the status. Returns CLI_NOT_RUN.
int cli_fail(pod_status_t status);
int cli_fail_client(podium_status_t *status);

// The public status as ours, with its code; takes it.
POD_MUST_USE pod_status_t cli_status_of(podium_status_t *status);

// The program in a file: StableHLO as text, a portable artifact, or what jax.export
// writes, of which the module (of the vjp of that order) is taken. Returns owned,
// NUL-terminated.
POD_MUST_USE pod_status_t cli_read_program(const char *path, int vjp_order,
                                           char **out_text, size_t *out_length);

// The whole file, NUL-terminated; returns owned. "-" is standard input.
// RESOURCE_EXHAUSTED for one that is larger than a coordinator takes.
POD_MUST_USE pod_status_t cli_read_file(const char *path, char **out_text,
                                        size_t *out_length);

// How many chips a module is for, at least 1: the cells of its interpreter.run_parallel,
// else mhlo.num_partitions times mhlo.num_replicas, else the largest mesh that it uses.
// Reads the text as it stands, without a parser: the pod's compiler has the last word.
int64_t cli_chips_for(const char *text);
// The same of what may be bytecode, which says so at its head.
int64_t cli_chips_of(const char *text, size_t length);

// 4 → 2x2, 8 → 2x4, 16 → 4x4, 6 → 2x3: as square as it gets. Returns owned.
char *cli_topology_for(int64_t chips);

// --- Progress: what a step does, and what it waits for, once it takes longer than a
// second: one line on standard error, written anew, if that is a terminal; else, when the
// command is not to be quiet, a line after 10 s, 20 s, 40 s and every minute. ---

typedef struct cli_progress_t cli_progress_t;

cli_progress_t *cli_progress_start(bool is_quiet);
// Whether notes are seen at once, on a terminal.
bool cli_progress_is_live(const cli_progress_t *progress);
// `what` is borrowed until the next step. `total` bytes or 0; cli_progress_advance says
// how many are done. Any thread.
void cli_progress_step(cli_progress_t *progress, const char *what, int64_t total);
void cli_progress_advance(cli_progress_t *progress, int64_t done);
// Why the present step does not go on, "" when it does; copied. Any thread.
void cli_progress_note(cli_progress_t *progress, const char *note);
// Clears the line. Accepts NULL.
void cli_progress_stop(cli_progress_t *progress);

// --- Pods on this machine ---

typedef struct cli_pod_options_t {
  const char *chip;      // "v5e"; NULL: what the topology's name says, else v5e.
  const char *topology;  // "2x2"
  bool stays;            // Outlives this process (podium up).
  int64_t timeout_ms;    // Until the pod is ready; 0: as long as workers still come.
  bool has_no_workers;   // A coordinator alone: it compiles and simulates.
  const char
      *execution_seconds;    // That an execution may run; NULL: as the coordinator's.
  cli_progress_t *progress;  // Is told which chips are waited for; may be NULL.
  const char *jobs;    // Where the coordinator keeps jobs; NULL: in FOLDER/jobs of a pod
                       // that stays, else nowhere.
  const char *folder;  // For logs and the state file, made where it is not there. NULL:
                       // one below TMPDIR.
} cli_pod_options_t;

typedef struct cli_pod_t {
  char *address;
  POD_LIST(int64_t) pids;  // [0] is the coordinator's; 0: it has ended, or is another's.
  char *folder;
  struct cli_pod_t *next;  // Of those that end with this process.
  // Of a pod on other machines (hosts_pod.h), which has no processes here; NULL: its
  // daemons are this machine's.
  struct launch_pod_t *hosts;
  bool is_up;  // It was ready once; else `podium up` is, or was, starting it.
} cli_pod_t;

// The path of a daemon: it stands beside this program, in the build tree as where they
// are installed. Returns owned.
char *cli_sibling(const char *name);

// Starts the daemons and waits until the pod is ready. When one of them ends meanwhile,
// its reason is the error; when they do not come up, the ends of their logs are in it.
// Until it is stopped or saved the pod ends with this process, also by a signal.
POD_MUST_USE pod_status_t cli_pod_start(const cli_pod_options_t *options,
                                        cli_pod_t **out_pod);

// SIGTERM to all, SIGKILL to what is left after 5 s; waits for children of ours. Removes
// the folder. Accepts NULL.
void cli_pod_stop(cli_pod_t *pod);

// Stops all that end with this process. With the lock of interrupts.h; for its
// cli_interrupts_init.
void cli_pods_end(void);

void cli_pod_free(cli_pod_t *pod);

// Why a local pod does not do what it should: the reason of a daemon that has ended, else
// `status` with the last lines of the logs. Takes `status`.
POD_MUST_USE pod_status_t cli_pod_explain(cli_pod_t *pod, pod_status_t status);

// INVALID_ARGUMENT for what cannot be the name of a pod.
POD_MUST_USE pod_status_t cli_pod_check_name(const char *name);

// The state of a pod that stays: FOLDER/pod.json.
char *cli_pod_folder(const char *name);  // Returns owned.
// The folder, made and locked until *out_lock is closed; what a dead pod of the name has
// left is cleared away. ALREADY_EXISTS when the pod is up or coming up.
POD_MUST_USE pod_status_t cli_pod_claim(const char *name, int *out_lock);
POD_MUST_USE pod_status_t cli_pod_save(cli_pod_t *pod);  // It outlives this process.
POD_MUST_USE pod_status_t cli_pod_load(const char *name, cli_pod_t **out_pod);

// Ends a pod that stays, here or on other machines, and takes it. UNAVAILABLE when some
// of these do not answer: what is left there is kept in its state, for the next time.
POD_MUST_USE pod_status_t cli_pod_end(cli_pod_t *pod);

// Where --pod points: an address as it is, or the name of a pod started with `podium up`.
// Returns owned.
POD_MUST_USE pod_status_t cli_pod_address(const char *text, char **out_address);

// The pod that PODIUM_POD in the environment names, for commands that are given none;
// NULL without one.
const char *cli_pod_default(void);

// --- Printing ---

// "1.5 KiB", in the arena.
const char *cli_size(pod_arena_t *arena, int64_t bytes);
// "12.3 us", from picoseconds.
const char *cli_time(pod_arena_t *arena, int64_t picoseconds);
const char *cli_shape(pod_arena_t *arena, const podium_shape_t *shape);

// "x,y", or "x,y of @mesh_0" where the program has several meshes. In the arena.
const char *cli_axes(pod_arena_t *arena, const podium_collective_t *collective);

void cli_print_signatures(const podium_program_info_t *info);
void cli_print_collectives(const podium_program_info_t *info);
void cli_print_memory(const podium_program_info_t *info);

// What of a profile can be read as text, in 100 columns (summary.c, links.c).
// `model_flop` is what the model needs for the step; 0: not known.
void cli_print_profile(const podium_program_info_t *info, const podium_profile_t *profile,
                       double model_flop);

// A Chrome trace that Perfetto opens (JSON, "traceEvents").
POD_MUST_USE pod_status_t cli_write_trace(const char *path, bool is_gzip,
                                          const podium_program_info_t *info,
                                          const podium_profile_t *profile);

// The same of the time that was measured on the hosts.
POD_MUST_USE pod_status_t cli_write_host_trace(const char *path,
                                               const podium_program_info_t *info,
                                               const podium_profile_t *profile);

// What the plugin wrote to the file at `path` of a command's executables.
void cli_show_executables(const char *path);

// FOLDER/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz, for TensorBoard and
// XProf (--logdir FOLDER).
// cli_check_folder says before a run whether FOLDER, of that option, can take them.
POD_MUST_USE pod_status_t cli_check_folder(const char *option, const char *folder);
POD_MUST_USE pod_status_t cli_write_xplane(const char *folder,
                                           const podium_program_info_t *info,
                                           const podium_profile_t *profile);

// A run's folder of its own in FOLDER, named after the time, as these programs list them.
POD_MUST_USE pod_status_t cli_make_run_folder(const char *folder, pod_text_t *path);

// What they call this machine.
enum { CLI_HOST_BYTES = 256 };
void cli_host_name(char host[CLI_HOST_BYTES]);

#endif  // CLIENT_CLI_CLI_H_
