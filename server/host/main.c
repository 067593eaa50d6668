// podium-host: flags, signals, exit status.

#include <argp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/list.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/rpc/loop.h"
#include "server/daemon/log_flags.h"
#include "server/daemon/number_flags.h"
#include "server/host/metrics.h"
#include "server/host/supervisor.h"

enum {
  KEY_SERVE = 256,
  KEY_LOG_FOLDER,
  KEY_RESTARTS_MAX,
  KEY_RANK,
  KEY_METRICS_LISTEN,
  CHIPS_MAX = 4096,
};

typedef struct flags_t {
  const char *coordinator;
  int64_t chips;
  int64_t rank;  // -1: the coordinator gives one.
  bool serves;
  const char *log_folder;
  const char *metrics_listen;
  int64_t restarts_max;
  log_flags_t log;  // The format is the daemons' too.
  char **rest;      // Behind the flags: the daemons' own.
} flags_t;

static const struct argp_option option_table[] = {
    {"coordinator", 'c', "HOST:PORT", 0,
     "The coordinator that the workers join; may start later", 0},
    {"chips", 'n', "N", 0, "Workers to run, one for each chip of this machine", 0},
    {"rank", KEY_RANK, "R", 0,
     "The number of this machine in the pod, from 0: it has block R of the torus "
     "(default: "
     "the coordinator gives one, and the same again after a restart). All machines of a "
     "pod say one, or none",
     0},
    {"serve", KEY_SERVE, NULL, 0, "Run a coordinator instead of workers", 0},
    {"log-folder", KEY_LOG_FOLDER, "FOLDER", 0,
     "Logs of the daemons go to FOLDER/worker-I.log, FOLDER/coordinator.log (to standard "
     "error)",
     0},
    {"restarts-max", KEY_RESTARTS_MAX, "N", 0,
     "A daemon that has ended so many times, one soon after the other, is not started "
     "again (10)",
     0},
    {"metrics-listen", KEY_METRICS_LISTEN, "HOST:PORT", 0,
     "Serve what is counted of the daemons to Prometheus, at http://HOST:PORT/metrics "
     "(nowhere); on this machine only, unless --insecure stands behind --",
     0},
    {0},
};

static void check_flags(const flags_t *flags, struct argp_state *state) {
  if (flags->serves &&
      (flags->chips != 0 || flags->coordinator != NULL || flags->rank >= 0)) {
    argp_error(state,
               "--serve runs a coordinator only; --chips, --rank and --coordinator are "
               "for another podium-host");
  }
  if (!flags->serves && flags->chips == 0) {
    argp_error(state, "--chips is missing: how many workers shall run here?");
  }
  if (!flags->serves && flags->coordinator == NULL) {
    argp_error(state, "--coordinator is missing");
  }
}

static error_t parse_flag(int key, char *value, struct argp_state *state) {
  flags_t *flags = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &flags->log;
      return 0;
    case 'c':
      flags->coordinator = value;
      return 0;
    case 'n':
      flags->chips = number_flag(state, "chips", value, 1, CHIPS_MAX);
      return 0;
    case KEY_RANK:
      flags->rank = number_flag(state, "rank", value, 0, INT32_MAX);
      return 0;
    case KEY_SERVE:
      flags->serves = true;
      return 0;
    case KEY_LOG_FOLDER:
      flags->log_folder = value;
      return 0;
    case KEY_RESTARTS_MAX:
      flags->restarts_max = number_flag(state, "restarts-max", value, 0, INT32_MAX);
      return 0;
    case KEY_METRICS_LISTEN:
      flags->metrics_listen = value;
      return 0;
    case ARGP_KEY_ARGS:
      flags->rest = state->argv + state->next;
      return 0;
    case ARGP_KEY_END:
      check_flags(flags, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&log_flags_argp, 0, "Log:", 1}, {0}};

static const struct argp argp = {
    .options = option_table,
    .children = children,
    .parser = parse_flag,
    .args_doc = "[-- OPTIONS OF THE DAEMONS]",
    .doc =
        "Runs a machine's part of a pod: a podium-worker for each of its chips, or the "
        "pod's podium-coordinator, started again when they end.\v"
        "What stands behind -- is handed to each daemon as it is. SIGTERM or SIGINT ends "
        "the daemons in order, then this program with 0; a second one kills them. SIGHUP "
        "is handed on: the daemons read their files of tokens, secret and TLS again.",
};

typedef struct process_t {
  rpc_loop_t *loop;
  supervisor_t *supervisor;
  const char *port_file;  // Of the coordinator that is run; NULL: none.
  int exit_status;
} process_t;

static void on_ended(int exit_status, void *context) {
  process_t *process = context;
  process->exit_status = exit_status;
  rpc_loop_stop(process->loop);
}

static void on_signal(void *context) {
  const process_t *process = context;
  supervisor_stop(process->supervisor);
}

// The daemons read their files again.
static void on_hangup(void *context) {
  const process_t *process = context;
  supervisor_hang_up(process->supervisor);
}

// Workers and clients know the coordinator by the address that it had first.
static char *same_address(int32_t index, bool is_first, void *context) {
  (void)index;
  const process_t *process = context;
  if (is_first) {
    return NULL;
  }
  char address[256] = "";
  FILE *file = process->port_file == NULL ? NULL : fopen(process->port_file, "re");
  if (file != NULL) {
    if (fgets(address, sizeof(address), file) == NULL) {
      address[0] = '\0';
    }
    (void)fclose(file);
  }
  address[strcspn(address, "\n")] = '\0';
  if (address[0] == '\0') {
    return NULL;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "--listen=%s", address);
  return pod_text_take(&text);
}

// One that is started again has the place of the one before it.
static char *index_on_host(int32_t index, bool is_first, void *context) {
  (void)is_first;
  (void)context;
  pod_text_t text = {0};
  pod_text_printf(&text, "--host-index=%" PRId32, index);
  return pod_text_take(&text);
}

// "--port-file F" or "--port-file=F" among them.
static const char *find_port_file(char *const *rest) {
  static const char flag[] = "--port-file";
  for (; rest != NULL && *rest != NULL; rest++) {
    const size_t length = strlen(flag);
    if (strncmp(*rest, flag, length) == 0 && (*rest)[length] == '=') {
      return *rest + length + 1;
    }
    if (strcmp(*rest, flag) == 0) {
      return rest[1];
    }
  }
  return NULL;
}

static bool has_insecure(char *const *rest) {
  while (rest != NULL && *rest != NULL && strcmp(*rest, "--insecure") != 0) {
    rest++;
  }
  return rest != NULL && *rest != NULL;
}

static pod_status_t serve_metrics(const flags_t *flags, const process_t *process,
                                  int32_t count, host_metrics_t **out_metrics) {
  if (flags->metrics_listen == NULL) {
    return NULL;
  }
  POD_TRY(host_metrics_create(process->loop, flags->metrics_listen,
                              has_insecure(flags->rest), process->supervisor, count,
                              flags->serves ? "coordinator" : "worker", out_metrics));
  pod_log(POD_LOG_INFO, "metrics at http://%s/metrics",
          host_metrics_address(*out_metrics));
  return NULL;
}

// The daemon's path: beside this program, else by PATH's rules. Returns owned.
static char *sibling(const char *name) {
  char path[4096];
  pod_text_t text = {0};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/');
  const int folder_length = slash == NULL ? 0 : (int)(slash - path + 1);
  pod_text_printf(&text, "%.*s%s", folder_length, path, name);
  return pod_text_take(&text);
}

typedef POD_LIST(char *) arguments_t;

// `chips` and `rank` are what two of them are made of.
static void make_arguments(const flags_t *flags, char *program, pod_text_t *chips,
                           pod_text_t *rank, arguments_t *arguments) {
  *pod_list_add(arguments) = program;
  if (!flags->serves) {
    *pod_list_add(arguments) = (char *)(uintptr_t) "--coordinator";
    *pod_list_add(arguments) = (char *)(uintptr_t)flags->coordinator;
    pod_text_printf(chips, "--host-chips=%" PRId64, flags->chips);
    *pod_list_add(arguments) = chips->bytes;
  }
  if (flags->rank >= 0) {
    pod_text_printf(rank, "--host-rank=%" PRId64, flags->rank);
    *pod_list_add(arguments) = rank->bytes;
  }
  if (flags->log.format == POD_LOG_JSON) {
    *pod_list_add(arguments) = (char *)(uintptr_t) "--log-format=json";
  }
  for (char **rest = flags->rest; rest != NULL && *rest != NULL; rest++) {
    *pod_list_add(arguments) = *rest;
  }
  *pod_list_add(arguments) = NULL;
}

static pod_status_t supervise(const flags_t *flags, process_t *process) {
  char *program = sibling(flags->serves ? "podium-coordinator" : "podium-worker");
  arguments_t arguments = {0};
  pod_text_t chips = {0}, rank = {0};
  make_arguments(flags, program, &chips, &rank, &arguments);
  process->port_file = flags->serves ? find_port_file(flags->rest) : NULL;
  const supervisor_options_t options = {
      .count = flags->serves ? 1 : (int32_t)flags->chips,
      .argv = arguments.items,
      .argument_of_start = flags->serves ? same_address : index_on_host,
      .log_folder = flags->log_folder,
      .log_name = flags->serves ? "coordinator" : "worker",
      .is_numbered = !flags->serves,
      .restarts_max = (int32_t)flags->restarts_max,
      .ended = on_ended,
      .context = process};
  rpc_signal_t *terminate = NULL, *interrupt = NULL, *hangup = NULL;
  host_metrics_t *metrics = NULL;
  pod_status_t status = supervisor_create(process->loop, &options, &process->supervisor);
  if (status == NULL) {
    status = serve_metrics(flags, process, options.count, &metrics);
  }
  if (status == NULL) {
    status = rpc_signal_create(process->loop, SIGTERM, on_signal, process, &terminate);
  }
  if (status == NULL) {
    status = rpc_signal_create(process->loop, SIGINT, on_signal, process, &interrupt);
  }
  if (status == NULL) {
    status = rpc_signal_create(process->loop, SIGHUP, on_hangup, process, &hangup);
  }
  if (status == NULL) {
    rpc_loop_run(process->loop);
  }
  rpc_signal_destroy(hangup);
  rpc_signal_destroy(interrupt);
  rpc_signal_destroy(terminate);
  host_metrics_destroy(metrics);
  supervisor_destroy(process->supervisor);
  pod_list_deinit(&arguments);
  pod_text_deinit(&chips);
  pod_text_deinit(&rank);
  free(program);
  return status;
}

int main(int argc, char **argv) {
  flags_t flags = {
      .log = {.level = POD_LOG_INFO}, .restarts_max = SUPERVISOR_RESTARTS, .rank = -1};
  // Set, not defined: with hidden visibility libc would not see a definition of ours.
  argp_program_version = "podium-host " POD_VERSION;
  argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &flags);
  pod_log_init("host", flags.log.level);
  pod_log_set_format(flags.log.format);
  process_t process = {0};
  pod_status_t status = rpc_loop_create(&process.loop);
  if (status == NULL) {
    status = supervise(&flags, &process);
    rpc_loop_destroy(process.loop);
  }
  if (status != NULL) {
    pod_log_end("podium-host", status);
    pod_status_free(status);
    return EXIT_FAILURE;
  }
  return process.exit_status;
}
