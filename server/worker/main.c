// podium-worker: flags, signals, exit status.

#include <argp.h>
#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/rpc/loop.h"
#include "server/daemon/log_flags.h"
#include "server/daemon/number_flags.h"
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
    {"coords", KEY_COORDS, "X,Y[,Z[,SLICE[,CORE]]]", 0,
     "The place in the torus, of a slice, of a chip (default: any)", 0},
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

// "1,0", "1,0,0", "1,0,0,1": what is left out is 0.
static int parse_coords(const char *text, worker_options_t *worker) {
  worker->has_coords = true;
  const char *at = text;
  for (int i = 0; i < TORUS_PLACE_NUMBERS; i++) {
    char *end = NULL;
    const long value = isdigit((unsigned char)*at) != 0 ? strtol(at, &end, 10) : -1;
    if (value < 0 || value > TORUS_CHIPS_MAX) {
      return -1;
    }
    worker->coords[i] = (int32_t)value;
    if (*end != ',') {
      return *end == '\0' && i > 0 ? 0 : -1;
    }
    at = end + 1;
  }
  return -1;
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
      worker->hbm_bytes = number_flag(state, "hbm-bytes", value, 1, INT64_MAX);
      return 0;
    case KEY_SECRET_FILE:
      flags->secret_file = value;
      return 0;
    case KEY_INSECURE:
      worker->is_insecure = true;
      return 0;
    case KEY_HOST_CHIPS:
      worker->host_chips = (int32_t)number_flag(state, "host-chips", value, 1, INT32_MAX);
      return 0;
    case KEY_HOST_RANK:
      worker->host_rank = (int32_t)number_flag(state, "host-rank", value, 0, INT32_MAX);
      return 0;
    case KEY_HOST_INDEX:
      worker->host_index = (int32_t)number_flag(state, "host-index", value, 0, INT32_MAX);
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
  const flags_t *flags;
  const tls_credentials_t *tls;
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

// SIGHUP: the files of who we are, and whom we believe, have changed.
static void on_hangup(void *context) {
  const process_t *process = context;
  const flags_t *flags = process->flags;
  access_secret_t secret;
  pod_status_t status = NULL;
  if (flags->secret_file != NULL) {
    status = access_read_secret(flags->secret_file, &secret);
    renewal_tell("--secret-file", pod_status_copy(status));
  }
  const bool has_secret = flags->secret_file != NULL && status == NULL;
  pod_status_free(status);
  status = worker_renew(process->worker, has_secret ? &secret : NULL);
  if (status == NULL) {
    status = tls_credentials_renew(process->tls);
  }
  if (flags->tls.certificate != NULL || flags->tls.ca != NULL) {
    renewal_tell("TLS", status);
  }
}

static pod_status_t run(const flags_t *flags, process_t *process) {
  rpc_signal_t *terminate = NULL, *hangup = NULL;
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
    status = rpc_signal_create(process->loop, SIGHUP, on_hangup, process, &hangup);
  }
  if (status == NULL) {
    status = worker_start(process->worker);
  }
  if (status == NULL) {
    rpc_loop_run(process->loop);
  }
  rpc_signal_destroy(hangup);
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
      "in the chip's HBM, runs programs on it and exchanges data with its neighbours.\v"
      "SIGTERM or SIGINT lets what runs finish and leaves the pod; SIGHUP reads the "
      "secret and the files of TLS again, for connections from then on.",
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
  tls_credentials_t tls = {0};
  process_t process = {.flags = &flags, .tls = &tls};
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
