// podium-worker: flags, signals, exit status.

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/rpc/loop.h"
#include "server/daemon/log_flags.h"
#include "server/daemon/tls_flags.h"
#include "server/worker/host_room.h"
#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/own_host.h"
#include "server/worker/worker.h"

// After a signal the worker drains; its calls and its compute thread get the rest.
enum { END_MAX_S = 10 };

typedef struct flags_t {
  worker_options_t worker;
  tls_flags_t tls;
  const char *secret_file;
  log_flags_t log;
} flags_t;

enum {
  KEY_COORDINATOR = 'c',
  KEY_LISTEN = 'l',
  KEY_ADVERTISE = 0x100,
  KEY_ICI_LISTEN,
  KEY_COORDS,
  KEY_HBM_BYTES,
  KEY_SECRET_FILE,
  KEY_INSECURE,
  KEY_HOST_CHIPS,
  KEY_HOST_RANK,
  KEY_HOST_INDEX,
};

static const struct argp_option options[] = {
    {"coordinator", KEY_COORDINATOR, "HOST:PORT", 0,
     "The coordinator of the pod (required); may start later than the worker", 0},
    {"listen", KEY_LISTEN, "HOST:PORT", 0,
     "Where to serve gRPC; port 0 takes a free one (default: one of the interface that "
     "leads "
     "to the coordinator, 127.0.0.1:0 when that is on this machine)",
     0},
    {"advertise", KEY_ADVERTISE, "HOST:PORT", 0,
     "How the coordinator reaches that address, if not as it stands (where --listen "
     "names "
     "all interfaces, 0.0.0.0, by default the one that leads to the coordinator)",
     0},
    {"ici-listen", KEY_ICI_LISTEN, "tcp://HOST", 0,
     "Wait for neighbours on other hosts at this address too (default: the host of "
     "--listen; when that is this machine's own, only for those of this host)",
     0},
    {"coords", KEY_COORDS, "X,Y[,Z]", 0, "The place in the torus (default: any)", 0},
    {"host-chips", KEY_HOST_CHIPS, "N", 0,
     "The chips of this host, which get a block of the torus together (podium-host says "
     "this and the next two; default: the chip stands alone)",
     0},
    {"host-rank", KEY_HOST_RANK, "R", 0,
     "The number of this host in the pod, and of its block (default: as the coordinator "
     "gives it, and the same again after a restart)",
     0},
    {"host-index", KEY_HOST_INDEX, "I", 0,
     "The number of the chip on this host, and in its block (default: any)", 0},
    {"hbm-bytes", KEY_HBM_BYTES, "N", 0,
     "HBM of the chip (default: what the chip kind has)", 0},
    {"secret-file", KEY_SECRET_FILE, "FILE", 0,
     "The pod's secret, 64 hexadecimal digits: proven to the coordinator, and by it, "
     "unless it is of this user on this host",
     0},
    {"insecure", KEY_INSECURE, NULL, 0,
     "Listen where other hosts come without encryption, and believe any coordinator, if "
     "there is no secret",
     0},
    {0},
};

static int parse_coords(const char *text, worker_options_t *worker) {
  char rest;
  const int count = sscanf(text, "%d,%d,%d%c", &worker->coords[0], &worker->coords[1],
                           &worker->coords[2], &rest);
  worker->has_coords = true;
  for (int i = 0; i < count && i < 3; i++) {
    if (worker->coords[i] < 0) {
      return -1;
    }
  }
  if (count == 2) {
    // What follows the second number must be the end.
    int length = 0;
    (void)sscanf(text, "%*d,%*d%n", &length);
    return text[length] == '\0' ? 0 : -1;
  }
  return count == 3 ? 0 : -1;
}

static int parse_size(const char *text, int64_t *out_size) {
  char *end;
  const long long size = strtoll(text, &end, 10);
  *out_size = size;
  return *end == '\0' && end != text && size > 0 ? 0 : -1;
}

static int32_t parse_count(struct argp_state *state, const char *name, const char *text,
                           int32_t least) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (*end != '\0' || end == text || value < least || value > INT32_MAX) {
    argp_error(state, "--%s must be a number of %d or more, not '%s'", name, (int)least,
               text);
  }
  return (int32_t)value;
}

static void check_flags(const flags_t *flags, struct argp_state *state) {
  const worker_options_t *worker = &flags->worker;
  if (worker->coordinator == NULL) {
    argp_error(state, "--coordinator is missing");
  }
  if (worker->host_chips == 0 && (worker->host_rank >= 0 || worker->host_index >= 0)) {
    argp_error(state, "--host-rank and --host-index need --host-chips");
  }
}

static error_t parse_flag(int key, char *value, struct argp_state *state) {
  flags_t *flags = state->input;
  worker_options_t *worker = &flags->worker;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &flags->tls;
      state->child_inputs[1] = &flags->log;
      return 0;
    case KEY_COORDINATOR:
      worker->coordinator = value;
      return 0;
    case KEY_LISTEN:
      worker->listen = value;
      return 0;
    case KEY_ADVERTISE:
      if (own_host_is_wildcard(value)) {
        argp_error(state, "--advertise %s: nobody can call an address of all interfaces",
                   value);
      }
      worker->advertise = value;
      return 0;
    case KEY_ICI_LISTEN:
      if (strncmp(value, "tcp://", 6) != 0 || value[6] == '\0') {
        argp_error(state, "--ici-listen must be tcp://HOST, not '%s'", value);
      }
      worker->ici_host = value + 6;
      return 0;
    case KEY_COORDS:
      if (parse_coords(value, worker) != 0) {
        argp_error(state, "--coords must be X,Y or X,Y,Z, not '%s'", value);
      }
      return 0;
    case KEY_HBM_BYTES:
      if (parse_size(value, &worker->hbm_bytes) != 0) {
        argp_error(state, "--hbm-bytes must be a number above 0, not '%s'", value);
      }
      return 0;
    case KEY_SECRET_FILE:
      flags->secret_file = value;
      return 0;
    case KEY_INSECURE:
      worker->is_insecure = true;
      return 0;
    case KEY_HOST_CHIPS:
      worker->host_chips = parse_count(state, "host-chips", value, 1);
      return 0;
    case KEY_HOST_RANK:
      worker->host_rank = parse_count(state, "host-rank", value, 0);
      return 0;
    case KEY_HOST_INDEX:
      worker->host_index = parse_count(state, "host-index", value, 0);
      return 0;
    case ARGP_KEY_END:
      check_flags(flags, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

typedef struct process_t {
  rpc_loop_t *loop;
  worker_t *worker;
  int exit_status;
  bool is_signalled;
} process_t;

static void on_ended(pod_status_t status, void *context) {
  process_t *process = context;
  if (status != NULL) {
    pod_log_end("podium-worker", status);
    pod_status_free(status);
    process->exit_status = EXIT_FAILURE;
  }
  rpc_loop_stop(process->loop);
}

// The first asks to finish, the second does not wait. What is left in the socket folder
// then is removed by the next worker.
static void on_signal(void *context) {
  process_t *process = context;
  if (process->is_signalled) {
    _exit(EXIT_FAILURE);
  }
  process->is_signalled = true;
  (void)alarm(END_MAX_S);  // SIGALRM ends the process whatever its threads do.
  worker_drain(process->worker);
}

static pod_status_t run(const flags_t *flags, process_t *process) {
  rpc_signal_t *terminate = NULL;
  rpc_signal_t *interrupt = NULL;
  POD_TRY(rpc_loop_create(&process->loop));
  pod_status_t status =
      worker_create(process->loop, &flags->worker, on_ended, process, &process->worker);
  // Before it starts: who is told to end while it comes up takes its folder along.
  if (status == NULL) {
    status = rpc_signal_create(process->loop, SIGTERM, on_signal, process, &terminate);
  }
  if (status == NULL) {
    status = rpc_signal_create(process->loop, SIGINT, on_signal, process, &interrupt);
  }
  if (status == NULL) {
    status = worker_start(process->worker);
  }
  if (status == NULL) {
    rpc_loop_run(process->loop);
  }
  rpc_signal_destroy(interrupt);
  rpc_signal_destroy(terminate);
  worker_destroy(process->worker);
  rpc_loop_destroy(process->loop);
  return status;
}

int main(int argc, char **argv) {
  flags_t flags = {.worker = {.version = POD_VERSION, .host_rank = -1, .host_index = -1},
                   .log = {.level = POD_LOG_INFO}};
  static const struct argp_child children[] = {
      {&tls_flags_argp, 0, "TLS:", 1}, {&log_flags_argp, 0, "Log:", 2}, {0}};
  const struct argp argp = {
      options,
      parse_flag,
      NULL,
      "Hosts one simulated TPU chip of a pod: joins the pod of a coordinator, keeps "
      "arrays "
      "in the chip's HBM, runs programs on it and exchanges data with its neighbours.",
      children,
      NULL,
      NULL};
  signal(SIGPIPE, SIG_IGN);  // A peer that hangs up is an error of a write.
  // Set, not defined: with hidden visibility libc would not see a definition of ours.
  argp_program_version = "podium-worker " POD_VERSION;
  argp_parse(&argp, argc, argv, 0, NULL, &flags);
  pod_log_init("worker", flags.log.level);
  pod_log_set_format(flags.log.format);
  static const kernel_host_t host = {host_room_admit, host_room_watch, host_room_release};
  kernel_memory_set_host(&host);
  const pod_status_t cpu = kernel_cpu_check();
  if (cpu != NULL) {
    fprintf(stderr, "podium-worker: %s\n", pod_status_message(cpu));
    pod_status_free(cpu);
    return EXIT_FAILURE;
  }
  process_t process = {0};
  tls_credentials_t tls = {0};
  access_secret_t secret;
  pod_status_t status = tls_flags_load(&flags.tls, "coordinator", &tls);
  flags.worker.port_credentials = tls.port;
  flags.worker.coordinator_credentials = tls.calls;
  // Links are TLS where a worker has all that both ends of one need.
  const ici_tls_files_t links = {
      .certificate = flags.tls.certificate, .key = flags.tls.key, .ca = flags.tls.ca};
  if (links.certificate != NULL && links.ca != NULL) {
    flags.worker.link_files = &links;
  }
  if (status == NULL && flags.secret_file != NULL) {
    status = pod_status_context(access_read_secret(flags.secret_file, &secret),
                                "--secret-file");
    flags.worker.secret = &secret;
  }
  if (status == NULL) {
    status = run(&flags, &process);
  }
  tls_credentials_deinit(&tls);
  if (status != NULL) {
    pod_log_end("podium-worker", status);
    pod_status_free(status);
    return EXIT_FAILURE;
  }
  return process.exit_status;
}
