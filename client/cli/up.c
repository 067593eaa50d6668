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
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

typedef struct up_t {
  const char *chip, *topology, *name;
  const char *execution_seconds;  // NULL: what the coordinator has.
  int until_exit;  // A pidfd of the process with which the pod ends; -1: none.
  bool has_no_workers;
} up_t;

enum { KEY_UNTIL_EXIT = 256, KEY_NO_WORKERS, KEY_EXECUTION_SECONDS };

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

static error_t parse_up(int key, char *value, struct argp_state *state) {
  up_t *up = state->input;
  switch (key) {
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
    case KEY_NO_WORKERS:
      up->has_no_workers = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
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
  }
  fprintf(stderr, "pod '%s': %s %s %s after %.2f s, logs in %s\n", up->name,
          info->topology, info->chip_kind,
          up->has_no_workers ? "without workers" : "ready",
          (double)(pod_clock_now_ns() - started_ns) / 1e9, pod->folder);
}

static pod_status_t start(const up_t *up, cli_pod_t **out_pod) {
  char *folder = cli_pod_folder(up->name);
  const cli_pod_options_t options = {.chip = up->chip,
                                     .topology = up->topology,
                                     .stays = true,
                                     .execution_seconds = up->execution_seconds,
                                     .folder = folder,
                                     .has_no_workers = up->has_no_workers};
  const pod_status_t status = cli_pod_start(&options, out_pod);
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

int cli_up(int argc, char **argv) {
  up_t up = {.topology = "2x2", .name = "local", .until_exit = -1};
  static const struct argp_option options[] = {
      {"chip", 'c', "KIND|FILE", 0,
       "A kind that `podium chips` lists, or a file that describes one (v5e)", 0},
      {"topology", 't', "SIZES", 0, "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (2x2)", 0},
      {"name", 'n', "NAME", 0, "To tell pods apart (local)", 0},
      {"no-workers", KEY_NO_WORKERS, NULL, 0,
       "Only the coordinator: it compiles and simulates; workers may join", 0},
      {"max-execution-seconds", KEY_EXECUTION_SECONDS, "S", 0,
       "How long an execution may run; 0: for ever (3600)", 0},
      {"until-exit", KEY_UNTIL_EXIT, "PID", 0,
       "Stop the pod when that process ends, however it ends", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse_up,
      .doc =
          "Start a pod of one coordinator and one worker per chip on this machine. It "
          "stays "
          "until `podium down`. Prints the coordinator's address.\v"
          "Example:\n  podium up --topology 2x2\n  podium run prog.mlir --pod local\n"
          "  podium down"};
  cli_parse(&argp, argc, argv, &up);
  const int64_t started_ns = pod_clock_now_ns();
  int lock;
  pod_status_t status = cli_pod_claim(up.name, &lock);
  if (status != NULL) {
    return cli_fail(status);
  }
  cli_pod_t *pod = NULL;
  status = start(&up, &pod);
  if (status == NULL) {
    status = keep(&up, pod, started_ns);
    if (status != NULL) {
      status = cli_pod_explain(pod, status);
      cli_pod_stop(pod);
    } else {
      cli_pod_free(pod);
    }
  }
  (void)close(lock);
  if (status == NULL && up.until_exit >= 0) {
    guard(&up);
  }
  return status == NULL ? CLI_OK : cli_fail(status);
}

// --- down ---

typedef struct name_t {
  const char *text;
} name_t;

static error_t parse_name(int key, char *value, struct argp_state *state) {
  name_t *name = state->input;
  if (key == ARGP_KEY_ARG && state->arg_num == 0) {
    name->text = value;
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

int cli_down(int argc, char **argv) {
  name_t name = {.text = "local"};
  static const struct argp argp = {.parser = parse_name,
                                   .args_doc = "[NAME]",
                                   .doc =
                                       "Stop the local pod NAME (local): SIGTERM to its "
                                       "daemons, SIGKILL to what has not "
                                       "ended after 5 s."};
  cli_parse(&argp, argc, argv, &name);
  cli_pod_t *pod;
  const pod_status_t status = cli_pod_load(name.text, &pod);
  if (status != NULL) {
    return cli_fail(status);
  }
  cli_pod_stop(pod);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "name", name.text);
  }
  return CLI_OK;
}
