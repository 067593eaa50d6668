// podium exec: a command that finds a pod through JAX, and what its programs did there.
//
// The command learns of the pod and of the plugin by environment variables; the plugin
// appends what each executable did to the file PODIUM_REPORT, which is read when the
// command has ended.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/local_pod.h"
#include "client/cli/processes.h"
#include "client/cli/report.h"
#include "client/cli/spaces.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"

enum { KEY_PROFILE = 256 };

typedef struct exec_t {
  const char *chip, *topology, *pod;
  int processes;
  const char *profile;  // NULL: none is wanted.
  char **command;       // NULL-terminated.
} exec_t;

static int read_count(const char *value, struct argp_state *state) {
  char *end;
  errno = 0;
  const long count = strtol(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || count < 1 ||
      count > CLI_PROCESSES_MAX) {
    argp_error(state, "--processes %s: a number from 1 to %d", value, CLI_PROCESSES_MAX);
  }
  return (int)count;
}

static error_t parse_exec(int key, char *value, struct argp_state *state) {
  exec_t *exec = state->input;
  switch (key) {
    case 'c':
      exec->chip = value;
      return 0;
    case 't':
      exec->topology = value;
      return 0;
    case 'p':
      exec->pod = value;
      return 0;
    case 'n':
      exec->processes = read_count(value, state);
      return 0;
    case KEY_PROFILE:
      exec->profile = value;
      return 0;
    case ARGP_KEY_ARG:
      exec->command = &state->argv[state->next - 1];
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      if (exec->command == NULL) {
        argp_error(state, "no command was given: podium exec [OPTION...] -- COMMAND");
      }
      if (exec->pod != NULL && (exec->chip != NULL || exec->topology != NULL)) {
        argp_error(state,
                   "--pod names a pod, which has its chips: leave out --chip and "
                   "--topology");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- The plugin ---

// Where it is installed beside this program. Owned.
static pod_status_t find_plugin(char **out_path) {
  static const char *const places[] = {"../lib/libpodium_pjrt.so", "libpodium_pjrt.so",
                                       "../" POD_LIBDIR "/libpodium_pjrt.so"};
  for (size_t i = 0; i < POD_COUNT_OF(places); i++) {
    char *path = cli_sibling(places[i]);
    char *real = realpath(path, NULL);
    free(path);
    if (real != NULL) {
      *out_path = real;
      return NULL;
    }
  }
  return pod_error(POD_NOT_FOUND,
                   "libpodium_pjrt.so, which JAX loads, is not installed beside this "
                   "program (in ../lib or " POD_LIBDIR ")");
}

// `folder`: for profiles; NULL: none are wanted.
static void set_environment(const char *address, const char *plugin, const char *report,
                            const char *folder) {
  pod_text_t names = {0};
  pod_text_printf(&names, "tpu:%s", plugin);
  setenv("PJRT_NAMES_AND_LIBRARY_PATHS", names.bytes, 1);
  setenv("JAX_PLATFORMS", "tpu,cpu", 1);
  setenv("PODIUM_POD", address, 1);
  setenv("PODIUM_REPORT", report, 1);
  if (folder != NULL) {
    setenv("PODIUM_PROFILE", folder, 1);
  }
  pod_text_deinit(&names);
}

// --- The command ---

typedef struct child_t {
  const char *address, *plugin, *report;
  const char *folder;  // For profiles; NULL: none are wanted.
} child_t;

// What several processes run together is in the profile of the first of them.
static void prepare(const void *context, int process) {
  const child_t *child = context;
  set_environment(child->address, child->plugin, child->report,
                  process == 0 ? child->folder : NULL);
  if (cli_report() != NULL) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
}

static int run_command(const exec_t *exec, const char *address, const char *plugin,
                       const char *report, const char *folder) {
  const child_t child = {.address = address,
                         .plugin = plugin,
                         .report = report,
                         .folder = exec->profile == NULL ? NULL : folder};
  const cli_processes_t processes = {.count = exec->processes,
                                     .command = exec->command,
                                     .prepare = prepare,
                                     .context = &child};
  int exit_status = 0;
  const pod_status_t status = cli_processes_run(&processes, &exit_status);
  return status == NULL ? exit_status : cli_fail(status);
}

// --- ---

static pod_status_t find_pod(const exec_t *exec, cli_pod_t **out_pod,
                             char **out_address) {
  const char *name = exec->pod != NULL ? exec->pod : cli_pod_default();
  if (name != NULL && exec->chip == NULL && exec->topology == NULL) {
    return cli_pod_address(name, out_address);
  }
  cli_progress_t *progress = cli_progress_start(false);
  cli_progress_step(progress, "starting the pod", 0);
  const cli_pod_options_t options = {
      .chip = exec->chip,
      .topology = exec->topology == NULL ? "2x2" : exec->topology,
      .progress = progress};
  const pod_status_t status = cli_pod_start(&options, out_pod);
  cli_progress_stop(progress);  // From now on the command has the terminal.
  POD_TRY(status);
  *out_address = pod_strdup((*out_pod)->address);
  return NULL;
}

// The report is in a folder of our own, also with a pod that is not.
static pod_status_t run_with_report(const exec_t *exec, const char *address,
                                    const char *plugin, int *out_exit) {
  char *folder;
  POD_TRY(cli_make_temporary("podium-exec-XXXXXX", &folder));
  char *path = cli_path(folder, "report");
  *out_exit = run_command(exec, address, plugin, path, folder);
  cli_show_executables(path);
  pod_status_t status = NULL;
  if (exec->profile != NULL) {
    status = cli_collect_profile(folder, exec->profile);
  }
  unlink(path);
  rmdir(folder);
  free(path);
  free(folder);
  return status;
}

int cli_exec(int argc, char **argv) {
  exec_t exec = {.processes = 1};
  static const struct argp_option options[] = {
      {"chip", 'c', "KIND|FILE", 0,
       "A kind that `podium chips` lists, or a file that describes one (v5e)", 0},
      {"topology", 't', "SIZES", 0, "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (2x2)", 0},
      {"pod", 'p', "POD", 0,
       "Use this pod: HOST:PORT of its coordinator, or the name given to `podium up`. "
       "Without it (and without PODIUM_POD) a local pod is started and stopped",
       0},
      {"processes", 'n', "N", 0,
       "Run it as N processes, each of which owns a share of the chips, as on several "
       "hosts: jax.distributed.initialize() tells them apart",
       0},
      {"profile", KEY_PROFILE, "FILE.json|DIR", 0,
       "Write the predicted timeline of all executions: a trace for "
       "https://ui.perfetto.dev (FILE.json, FILE.json.gz), or "
       "DIR/plugins/profile/TIME/HOST.xplane.pb for TensorBoard and XProf",
       0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_exec,
      .args_doc = "-- COMMAND [ARGUMENT...]",
      .doc =
          "Run a command whose JAX finds a pod of simulated TPU chips, and print what "
          "its executables would have taken on real ones. Its exit status is the "
          "command's.\v"
          "Examples:\n  podium exec --chip v5e --topology 4x2 -- python train.py\n"
          "  podium exec --topology 4x4 --processes 4 -- python train_on_hosts.py"};
  cli_parse(&argp, argc, argv, &exec);
  cli_pod_t *pod = NULL;
  char *address = NULL;
  char *plugin = NULL;
  int exit_status = CLI_OK;
  pod_status_t status = find_plugin(&plugin);
  if (status == NULL && exec.profile != NULL) {
    status = cli_check_profile(exec.profile);
  }
  if (status == NULL) {
    status = find_pod(&exec, &pod, &address);
  }
  if (status == NULL) {
    status = run_with_report(&exec, address, plugin, &exit_status);
  }
  cli_pod_stop(pod);
  free(address);
  free(plugin);
  return status == NULL ? exit_status : cli_fail(status);
}
