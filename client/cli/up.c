// podium up, down: local pods that stay.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

typedef struct up_t {
  const char *chip, *topology, *name;
  const char *execution_seconds;  // NULL: what the coordinator has.
  const char *jobs;               // Where they are kept; NULL: in the pod's folder.
  cli_hosts_options_t hosts;      // With a file: on these, instead of this machine.
  int until_exit;  // A pidfd of the process with which the pod ends; -1: none.
  bool has_no_workers;
} up_t;

enum {
  KEY_UNTIL_EXIT = 256,
  KEY_NO_WORKERS,
  KEY_EXECUTION_SECONDS,
  KEY_JOBS,
  KEY_HOSTS,
  KEY_COORDINATOR,
  KEY_PORT,
  KEY_SSH,
  KEY_SSH_CONFIG,
  KEY_SSH_TIMEOUT,
  KEY_TIMEOUT,
  SSH_TIMEOUT_MS = 15000,
  TIMEOUT_MS = 120000,
  PORT_MAX = 65535,
};

// A descriptor, so that a later process of the same number is not taken for it.
static int open_process(struct argp_state *state, const char *value) {
  char *end;
  const long pid = strtol(value, &end, 10);
  if (*value == '\0' || *end != '\0' || pid < 1 || pid > INT32_MAX) {
    argp_error(state, "--until-exit: '%s' is no process id", value);
    return -1;
  }
  const int descriptor = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
  if (descriptor < 0) {
    argp_error(state, "--until-exit: process %ld: %s", pid, strerror(errno));
  }
  return descriptor;
}

static void read_seconds(struct argp_state *state, const char *name, const char *value,
                         int64_t *out_ms) {
  if (!cli_read_seconds(value, out_ms)) {
    argp_error(state, "--%s needs seconds above 0, not '%s'", name, value);
  }
}

// Of --hosts, for `up` and `down`.
static error_t parse_hosts(int key, char *value, struct argp_state *state,
                           cli_hosts_options_t *hosts) {
  switch (key) {
    case KEY_HOSTS:
      hosts->file = value;
      return 0;
    case KEY_COORDINATOR:
      hosts->coordinator = value;
      return 0;
    case KEY_PORT:
      if (!cli_read_number(value, 0, PORT_MAX, &hosts->port)) {
        argp_error(state, "--port needs a number from 0 to %d, not '%s'", PORT_MAX,
                   value);
      }
      return 0;
    case KEY_SSH:
      hosts->ssh = value;
      return 0;
    case KEY_SSH_CONFIG:
      hosts->ssh_config = value;
      return 0;
    case KEY_SSH_TIMEOUT:
      read_seconds(state, "ssh-timeout", value, &hosts->ssh_timeout_ms);
      return 0;
    case KEY_TIMEOUT:
      read_seconds(state, "timeout", value, &hosts->timeout_ms);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t check_together(struct argp_state *state, const up_t *up) {
  const cli_hosts_options_t *hosts = &up->hosts;
  if (hosts->file == NULL && (hosts->coordinator != NULL || hosts->port >= 0 ||
                              hosts->ssh != NULL || hosts->ssh_config != NULL)) {
    argp_error(state, "--coordinator, --port, --ssh and --ssh-config go with --hosts");
  }
  if (hosts->file != NULL && (up->has_no_workers || up->until_exit >= 0)) {
    argp_error(state, "--no-workers and --until-exit are for pods on this machine");
  }
  return 0;
}

static error_t parse_up(int key, char *value, struct argp_state *state) {
  up_t *up = state->input;
  switch (key) {
    case ARGP_KEY_END:
      return check_together(state, up);
    case 'c':
      up->chip = value;
      return 0;
    case 't':
      up->topology = value;
      return 0;
    case 'n':
      up->name = value;
      return 0;
    case KEY_UNTIL_EXIT:
      up->until_exit = open_process(state, value);
      return 0;
    case KEY_EXECUTION_SECONDS:
      up->execution_seconds = value;
      return 0;
    case KEY_JOBS:
      up->jobs = value;
      return 0;
    case KEY_NO_WORKERS:
      up->has_no_workers = true;
      return 0;
    default:
      return parse_hosts(key, value, state, &up->hosts);
  }
}

// The coordinator knows what it was given: a topology may name the chip too.
static void tell(const up_t *up, const cli_pod_t *pod, const podium_pod_t *info,
                 int64_t started_ns) {
  cli_print("%s\n", pod->address);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "name", up->name);
    cJSON_AddStringToObject(cli_report(), "address", pod->address);
    cJSON_AddStringToObject(cli_report(), "chip_kind", info->chip_kind);
    cJSON_AddStringToObject(cli_report(), "topology", info->topology);
    cJSON_AddStringToObject(cli_report(), "folder", pod->folder);
    cJSON_AddStringToObject(cli_report(), "page", info->page);
  }
  fprintf(stderr, "pod '%s': %s %s %s after %.2f s, logs in %s\n", up->name,
          info->topology, info->chip_kind,
          up->has_no_workers ? "without workers" : "ready",
          (double)(pod_clock_now_ns() - started_ns) / 1e9, pod->folder);
  if (*info->page != '\0') {
    fprintf(stderr, "see it in a browser, by a link that is for you alone: %s\n",
            info->page);
  }
}

static pod_status_t start(const up_t *up, cli_pod_t **out_pod) {
  char *folder = cli_pod_folder(up->name);
  cli_progress_t *progress = cli_progress_start(false);
  cli_progress_step(progress, "starting the pod", 0);
  const cli_pod_options_t options = {.chip = up->chip,
                                     .topology = up->topology,
                                     .stays = true,
                                     .execution_seconds = up->execution_seconds,
                                     .jobs = up->jobs,
                                     .folder = folder,
                                     .progress = progress,
                                     .has_no_workers = up->has_no_workers};
  const pod_status_t status = cli_pod_start(&options, out_pod);
  cli_progress_stop(progress);
  free(folder);
  return status;
}

static pod_status_t keep(const up_t *up, cli_pod_t *pod, int64_t started_ns) {
  const podium_connect_options_t options = {.client_name = "podium up",
                                            .do_not_wait = up->has_no_workers};
  podium_session_t *session = NULL;
  podium_pod_t *info = NULL;
  pod_status_t status = cli_status_of(podium_connect(pod->address, &options, &session));
  if (status == NULL) {
    status = cli_status_of(podium_pod(session, 0, &info));
  }
  podium_close(session);
  if (status == NULL) {
    status = cli_pod_save(pod);
  }
  if (status == NULL) {
    tell(up, pod, info, started_ns);
  }
  podium_pod_free(info);
  return status;
}

// Stops the pod when the process has ended. In a session of its own, with nothing of the
// caller's open, so that who waits for the output of `podium up` does not wait for it.
static void guard(const up_t *up) {
  if (fork() != 0) {
    return;
  }
  setsid();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  struct pollfd process = {.fd = up->until_exit, .events = POLLIN};
  while (poll(&process, 1, -1) < 0 && errno == EINTR) {
  }
  cli_pod_t *pod;
  const pod_status_t status = cli_pod_load(up->name, &pod);
  if (status == NULL) {
    cli_pod_stop(pod);
  }
  pod_status_free(status);
  _exit(0);
}

static const struct argp_option up_options[] = {
    {"chip", 'c', "KIND|FILE", 0,
     "A kind that `podium chips` lists, or a file that describes one (v5e)", 0},
    {"topology", 't', "SIZES", 0,
     "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (2x2; with --hosts what their chips make)",
     0},
    {"name", 'n', "NAME", 0, "To tell pods apart (local)", 0},
    {"no-workers", KEY_NO_WORKERS, NULL, 0,
     "Only the coordinator: it compiles and simulates; workers may join", 0},
    {"max-execution-seconds", KEY_EXECUTION_SECONDS, "S", 0,
     "How long an execution may run; 0: for ever (3600)", 0},
    {"jobs", KEY_JOBS, "FOLDER", 0,
     "Keep jobs here, for this pod and the one that comes after it (in the pod's own "
     "folder, which goes with `podium down`)",
     0},
    {"until-exit", KEY_UNTIL_EXIT, "PID", 0,
     "Stop the pod when that process ends, however it ends", 0},
    {"hosts", KEY_HOSTS, "FILE", 0,
     "On these machines, by ssh, instead of this one: a line each, [user@]host [chips=N] "
     "[rank=R] [address=A] [bin=FOLDER] [options of ssh]; '#' begins a comment",
     0},
    {"coordinator", KEY_COORDINATOR, "HOST", 0,
     "Of the hosts, the one that has the coordinator too (the first)", 0},
    {"port", KEY_PORT, "N", 0, "Where the coordinator listens there (any free one)", 0},
    {"ssh", KEY_SSH, "PROGRAM", 0, "To be used as ssh (ssh)", 0},
    {"ssh-config", KEY_SSH_CONFIG, "FILE", 0, "For ssh -F (the user's own)", 0},
    {"ssh-timeout", KEY_SSH_TIMEOUT, "S", 0,
     "How long a host may take to answer by ssh (15)", 0},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "With --hosts: how long their chips may take to be there (120)", 0},
    {0},
};

// Here, not on hosts.
static int up_here(const up_t *up) {
  const int64_t started_ns = pod_clock_now_ns();
  int lock;
  pod_status_t status = cli_pod_claim(up->name, &lock);
  if (status != NULL) {
    return cli_fail(status);
  }
  cli_pod_t *pod = NULL;
  status = start(up, &pod);
  if (status == NULL) {
    status = keep(up, pod, started_ns);
    if (status != NULL) {
      status = cli_pod_explain(pod, status);
      cli_pod_stop(pod);
    } else {
      cli_pod_free(pod);
    }
  }
  (void)close(lock);
  if (status == NULL && up->until_exit >= 0) {
    guard(up);
  }
  return status == NULL ? CLI_OK : cli_fail(status);
}

int cli_up(int argc, char **argv) {
  up_t up = {
      .name = "local",
      .until_exit = -1,
      .hosts = {.port = -1, .ssh_timeout_ms = SSH_TIMEOUT_MS, .timeout_ms = TIMEOUT_MS}};
  static const struct argp argp = {
      .options = up_options,
      .parser = parse_up,
      .doc =
          "Start a pod of one coordinator and one worker per chip on this machine, or "
          "with --hosts on others. It stays until `podium down`. Prints the "
          "coordinator's address.\v"
          "Example:\n  podium up --topology 2x2\n  podium run prog.mlir --pod local\n"
          "  podium down\n\n"
          "On two machines of four chips each:\n"
          "  printf '%s\\n' tpu-1.example tpu-2.example >hosts.txt\n"
          "  podium up --hosts hosts.txt --name pair --topology 4x2\n"
          "  podium run prog.mlir --pod pair\n  podium down pair"};
  cli_parse(&argp, argc, argv, &up);
  if (up.hosts.file == NULL) {
    up.topology = up.topology == NULL ? "2x2" : up.topology;
    return up_here(&up);
  }
  up.hosts.chip = up.chip;
  up.hosts.topology = up.topology;
  up.hosts.name = up.name;
  up.hosts.execution_seconds = up.execution_seconds;
  up.hosts.jobs = up.jobs;
  up.hosts.port = up.hosts.port < 0 ? 0 : up.hosts.port;
  return cli_up_hosts(&up.hosts);
}

// --- down ---

static error_t parse_down(int key, char *value, struct argp_state *state) {
  cli_hosts_options_t *down = state->input;
  if (key == ARGP_KEY_ARG && state->arg_num == 0) {
    down->name = value;
    return 0;
  }
  return parse_hosts(key, value, state, down);
}

int cli_down(int argc, char **argv) {
  cli_hosts_options_t down = {.name = "local", .ssh_timeout_ms = SSH_TIMEOUT_MS};
  static const struct argp_option options[] = {
      {"hosts", KEY_HOSTS, "FILE", 0,
       "End what pods of this name have left on these machines, whoever started them", 0},
      {"ssh", KEY_SSH, "PROGRAM", 0, "With --hosts: to be used as ssh (ssh)", 0},
      {"ssh-config", KEY_SSH_CONFIG, "FILE", 0, "With --hosts: for ssh -F", 0},
      {"ssh-timeout", KEY_SSH_TIMEOUT, "S", 0,
       "With --hosts: how long a host may take to answer by ssh (15)", 0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse_down,
      .args_doc = "[NAME]",
      .doc =
          "Stop the pod NAME (local), of this machine or of `podium up --hosts`: "
          "SIGTERM to its daemons, SIGKILL to what has not ended after 5 s (15 s on "
          "other hosts). Hosts that cannot be reached are told, with exit status 1, and "
          "are tried again the next time."};
  cli_parse(&argp, argc, argv, &down);
  if (down.file != NULL) {
    return cli_down_hosts(&down);
  }
  cli_pod_t *pod;
  pod_status_t status = cli_pod_load(down.name, &pod);
  if (status != NULL) {
    return cli_fail(status);
  }
  status = pod->hosts != NULL ? cli_hosts_end_shown(pod) : cli_pod_end(pod);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "name", down.name);
  }
  if (status != NULL) {
    (void)cli_fail(status);
    return CLI_FAILED;
  }
  return CLI_OK;
}
