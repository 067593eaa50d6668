// podium-coordinator: the daemon.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/access/access.h"
#include "common/access/local_token.h"
#include "common/access/place.h"
#include "common/access/secret.h"
#include "common/base/available_memory.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"
#include "common/rpc/loop.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/compiler.h"
#include "server/coordinator/coordinator.h"
#include "server/coordinator/jobs_flags.h"
#include "server/coordinator/limit_flags.h"
#include "server/daemon/log_flags.h"
#include "server/daemon/number_flags.h"
#include "server/daemon/tls_flags.h"

enum { MAX_COMPILE_SECONDS = 1000000 };

enum {
  OPTION_HEARTBEAT = 256,
  OPTION_TIMEOUT,
  OPTION_PORT_FILE,
  OPTION_HBM_BYTES,
  OPTION_GRACE,
  OPTION_LIST_CHIPS,
  OPTION_TOKENS_FILE,
  OPTION_SECRET_FILE,
  OPTION_INSECURE,
  OPTION_COMPILE_MEMORY,
  OPTION_COMPILE_SECONDS,
  OPTION_COMPILE_PROCESSES,
  OPTION_METRICS_LISTEN,
  OPTION_PAGE_LISTEN,
  OPTION_PAGE_HOST,
};

typedef struct settings_t {
  const char *listen;
  const char *chip;  // NULL: what the topology's name says, else v5e.
  const char *topology;
  const char *port_file;
  const char *metrics_listen;            // NULL: no metrics.
  const char *page_listen, *page_hosts;  // NULL: no page; no names but the host's own.
  const char *tokens_file, *secret_file;
  bool is_insecure;
  tls_flags_t tls;
  limit_flags_t limits;
  coordinator_jobs_options_t jobs;
  int64_t heartbeat_ms, timeout_ms, grace_ms, hbm_bytes;
  int64_t compile_bytes;  // -1: a share of the host's.
  int64_t compile_seconds, compile_processes;
  log_flags_t log;
} settings_t;

static const struct argp_option option_table[] = {
    {"listen", 'l', "HOST:PORT", 0,
     "Where clients and workers connect; port 0 lets the kernel choose (127.0.0.1:0)", 0},
    {"chip", 'c', "KIND|FILE", 0,
     "Kind of the pod's chips, such as v4, v5e, v5p, v6e (v5e), or a file that describes "
     "one",
     0},
    {"topology", 't', "SIZES", 0,
     "The pod's torus, such as 2x2 or 2x2x4, or an accelerator such as v5litepod-4 (2x2)",
     0},
    {"hbm-bytes", OPTION_HBM_BYTES, "BYTES", 0, "HBM of a chip (what the kind has)", 0},
    {"heartbeat-ms", OPTION_HEARTBEAT, "MS", 0, "How often workers shall be heard (1000)",
     0},
    {"timeout-ms", OPTION_TIMEOUT, "MS", 0,
     "The silence after which a worker is lost (10000); at least two heartbeats", 0},
    {"grace-ms", OPTION_GRACE, "MS", 0,
     "How long calls may still run after SIGTERM (10000)", 0},
    {"compile-processes", OPTION_COMPILE_PROCESSES, "COUNT", 0,
     "Modules that are compiled at a time, each in a process of its own (one per core, 2 "
     "to 4)",
     0},
    {"compile-memory-bytes", OPTION_COMPILE_MEMORY, "BYTES", 0,
     "Memory that a compile may have; 0: no limit (half of the host's over all compile "
     "processes)",
     0},
    {"compile-seconds", OPTION_COMPILE_SECONDS, "S", 0,
     "How long a compile may take; 0: no limit (600)", 0},
    {"port-file", OPTION_PORT_FILE, "FILE", 0,
     "Write the address bound to FILE, at once and whole, when it is listening", 0},
    {"metrics-listen", OPTION_METRICS_LISTEN, "HOST:PORT", 0,
     "Serve what the coordinator counts to Prometheus, at http://HOST:PORT/metrics "
     "(nowhere); whoever reaches it may read it",
     0},
    {"page-listen", OPTION_PAGE_LISTEN, "HOST:PORT", 0,
     "Show the pod to browsers, at http://HOST:PORT/ (nowhere), or https:// with "
     "--tls-certificate; they are asked for a token, once, as callers are",
     0},
    {"page-host", OPTION_PAGE_HOST, "NAMES", 0,
     "Names, parted by commas, by which browsers reach the page besides the host's own",
     0},
    {"tokens-file", OPTION_TOKENS_FILE, "FILE", 0,
     "Who may call: lines of ROLE NAME TOKEN, with the roles read, run and administer; "
     "nobody else may be able to read it",
     0},
    {"secret-file", OPTION_SECRET_FILE, "FILE", 0,
     "The pod's secret, 64 hexadecimal digits, which workers of other users and hosts "
     "prove, and which is proven to them",
     0},
    {"insecure", OPTION_INSECURE, NULL, 0,
     "Listen where other hosts reach it without encryption; and whoever comes may do "
     "all, "
     "unless there are tokens, and is a worker, unless there is a secret",
     0},
    {"list-chips", OPTION_LIST_CHIPS, NULL, 0,
     "Print the kinds of chip as JSON, every figure with its unit and source, and exit",
     0},
    {0},
};

static void list_chips(void) {
  pod_text_t text = {0};
  chip_spec_list(&text);
  const bool is_written = fputs(text.bytes, stdout) >= 0 && fflush(stdout) == 0;
  pod_text_deinit(&text);
  exit(is_written ? EXIT_SUCCESS : EXIT_FAILURE);
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  settings_t *settings = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &settings->tls;
      state->child_inputs[1] = &settings->limits;
      state->child_inputs[2] = &settings->log;
      state->child_inputs[3] = &settings->jobs;
      return 0;
    case 'l':
      settings->listen = value;
      return 0;
    case 'c':
      settings->chip = value;
      return 0;
    case 't':
      settings->topology = value;
      return 0;
    case OPTION_HBM_BYTES:
      settings->hbm_bytes = number_flag(state, "hbm-bytes", value, 1, INT64_MAX);
      return 0;
    case OPTION_HEARTBEAT:
      settings->heartbeat_ms = number_flag(state, "heartbeat-ms", value, 1, INT64_MAX);
      return 0;
    case OPTION_TIMEOUT:
      settings->timeout_ms = number_flag(state, "timeout-ms", value, 1, INT64_MAX);
      return 0;
    case OPTION_GRACE:
      settings->grace_ms = number_flag(state, "grace-ms", value, 0, INT64_MAX);
      return 0;
    case OPTION_COMPILE_MEMORY:
      settings->compile_bytes =
          number_flag(state, "compile-memory-bytes", value, 0, INT64_MAX);
      return 0;
    case OPTION_COMPILE_SECONDS:
      settings->compile_seconds =
          number_flag(state, "compile-seconds", value, 0, INT64_MAX);
      return 0;
    case OPTION_COMPILE_PROCESSES:
      settings->compile_processes =
          number_flag(state, "compile-processes", value, 1, INT64_MAX);
      return 0;
    case OPTION_PORT_FILE:
      settings->port_file = value;
      return 0;
    case OPTION_METRICS_LISTEN:
      settings->metrics_listen = value;
      return 0;
    case OPTION_PAGE_LISTEN:
      settings->page_listen = value;
      return 0;
    case OPTION_PAGE_HOST:
      settings->page_hosts = value;
      return 0;
    case OPTION_TOKENS_FILE:
      settings->tokens_file = value;
      return 0;
    case OPTION_SECRET_FILE:
      settings->secret_file = value;
      return 0;
    case OPTION_INSECURE:
      settings->is_insecure = true;
      return 0;
    case OPTION_LIST_CHIPS:
      list_chips();
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&tls_flags_argp, 0, "TLS:", 1},
                                             {&limit_flags_argp, 0, "Limits:", 2},
                                             {&log_flags_argp, 0, "Log:", 3},
                                             {&jobs_flags_argp, 0, "Jobs:", 4},
                                             {0}};

static const struct argp argp = {
    .options = option_table,
    .children = children,
    .parser = parse_option,
    .doc =
        "The coordinator of a pod of simulated TPU chips: workers (podium-worker) "
        "attach to it, clients (podium, or any gRPC client) run programs on it.\v"
        "SIGTERM or SIGINT lets what runs finish, then exits 0; a second one exits at "
        "once. SIGHUP reads the files of tokens, secret and TLS again: calls and "
        "connections from then on go by them; one that cannot be used changes nothing.",
};

static pod_status_t read_chip_file(const char *path, chip_spec_t **out_spec) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    pod_text_t kinds = {0};
    for (const chip_spec_t *const *at = chip_spec_all(); *at != NULL; at++) {
      pod_text_printf(&kinds, " %s", (*at)->name);
    }
    const pod_status_t status = pod_error(
        POD_INVALID_ARGUMENT,
        "there is no chip \"%s\"; there are%s, and as a file it cannot be read: "
        "%s",
        path, kinds.bytes, strerror(errno));
    pod_text_deinit(&kinds);
    return status;
  }
  char *text = pod_alloc(CHIP_SPEC_TEXT_MAX + 1);
  const size_t size_bytes = fread(text, 1, CHIP_SPEC_TEXT_MAX + 1, file);
  const bool has_failed = ferror(file) != 0;
  fclose(file);
  const pod_status_t status =
      has_failed ? pod_error(POD_INVALID_ARGUMENT, "cannot read the chip of %s", path)
                 : chip_spec_parse(path, text, size_bytes, out_spec);
  free(text);
  return status;
}

// *out_owned is the chip that the user has described, or stays NULL.
static pod_status_t choose_pod(const settings_t *settings, coordinator_options_t *options,
                               chip_spec_t **out_owned) {
  const chip_spec_t *spec = NULL;
  if (settings->chip != NULL) {
    spec = chip_spec_find(settings->chip);
    if (spec == NULL) {
      POD_TRY(read_chip_file(settings->chip, out_owned));
      spec = *out_owned;
    }
  }
  POD_TRY(torus_parse(settings->topology, spec, &options->torus, &options->spec));
  if (options->spec == NULL) {  // Plain sizes, and no kind was given.
    POD_TRY(torus_parse(settings->topology, chip_spec_find("v5e"), &options->torus,
                        &options->spec));
  }
  return NULL;
}

// Whoever waits for the file sees nothing of it or all of it. The folder may be one that
// others write to, too: what they have laid there is not written through.
static pod_status_t write_port_file(const char *path, const char *address) {
  pod_text_t temporary = {0};
  pod_text_printf(&temporary, "%s.%ld", path, (long)getpid());
  (void)unlink(temporary.bytes);
  const int fd =
      open(temporary.bytes, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  pod_status_t status = NULL;
  if (fd < 0 || dprintf(fd, "%s\n", address) < 0 || close(fd) != 0 ||
      rename(temporary.bytes, path) != 0) {
    status = pod_error(POD_INVALID_ARGUMENT, "cannot write --port-file %s: %s", path,
                       strerror(errno));
  }
  pod_text_deinit(&temporary);
  return status;
}

static void warn_if_open(const settings_t *settings, const char *address) {
  if (settings->is_insecure && !access_is_local(address)) {
    pod_log(POD_LOG_WARNING, "%s can be reached from other hosts%s%s", address,
            settings->tls.certificate == NULL ? ", without encryption" : "",
            settings->tokens_file == NULL ? " and for everyone" : "");
  }
}

// --- Who may call ---

// What it takes to let somebody in.
typedef struct keys_t {
  access_t *access;
  access_secret_t secret;
  tls_credentials_t tls;
  rpc_credentials_t *page;  // NULL: it is plain, or there is none.
  char own_token[ACCESS_TOKEN_TEXT_BYTES];
  char *own_token_path;  // NULL: it is in no file.
} keys_t;

static pod_status_t load_keys(const settings_t *settings, keys_t *keys,
                              coordinator_options_t *options) {
  uint8_t random[ACCESS_SECRET_BYTES];
  digest_random(random, sizeof(random));
  access_print_hex(random, keys->own_token);
  keys->access = access_create();
  POD_TRY(access_add_own_token(keys->access, keys->own_token));
  if (settings->tokens_file != NULL) {
    POD_TRY(pod_status_context(access_load_tokens(keys->access, settings->tokens_file),
                               "--tokens-file"));
  }
  if (settings->secret_file != NULL) {
    POD_TRY(pod_status_context(access_read_secret(settings->secret_file, &keys->secret),
                               "--secret-file"));
    options->secret = &keys->secret;
  }
  if (settings->is_insecure) {
    access_open(keys->access, settings->secret_file == NULL);
  }
  POD_TRY(tls_flags_load(&settings->tls, "worker", &keys->tls));
  if (settings->page_listen != NULL && settings->tls.certificate != NULL) {
    POD_TRY(rpc_credentials_for_pages(settings->tls.certificate, settings->tls.key,
                                      settings->tls.client_ca, &keys->page));
    options->page_credentials = keys->page;
  }
  options->port_credentials = keys->tls.port;
  options->worker_credentials = keys->tls.calls;
  options->access = keys->access;
  options->is_insecure = settings->is_insecure;
  return NULL;
}

// For clients of our user that come by TCP. One that cannot write it serves all the same.
static void offer_own_token(keys_t *keys, const char *address) {
  if (access_port(address)[0] == '\0') {
    return;
  }
  const pod_status_t status =
      access_write_local_token(address, keys->own_token, &keys->own_token_path);
  if (status != NULL) {
    pod_log(
        POD_LOG_WARNING,
        "clients that come by TCP need a token of --tokens-file, for there is no file "
        "for our own: %s",
        pod_status_message(status));
    pod_status_free(status);
  }
}

static void remove_own_token(keys_t *keys) {
  if (keys->own_token_path != NULL) {
    (void)unlink(keys->own_token_path);
    free(keys->own_token_path);
    keys->own_token_path = NULL;
  }
}

static void forget_keys(keys_t *keys) {
  remove_own_token(keys);
  access_destroy(keys->access);
  tls_credentials_deinit(&keys->tls);
  rpc_credentials_destroy(keys->page);
  explicit_bzero(keys, sizeof(*keys));
}

typedef struct daemon_t {
  rpc_loop_t *loop;
  const settings_t *settings;
  coordinator_t *coordinator;
  keys_t *keys;
  int64_t grace_ms;
  bool is_ending;
} daemon_t;

static void stop_loop(void *context) {
  rpc_loop_stop(((daemon_t *)context)->loop);
}

static void on_signal(void *context) {
  daemon_t *daemon = context;
  if (daemon->is_ending) {
    pod_log(POD_LOG_WARNING, "a second signal: leaving at once");
    remove_own_token(daemon->keys);
    _exit(EXIT_FAILURE);
  }
  daemon->is_ending = true;
  coordinator_drain(daemon->coordinator, daemon->grace_ms, stop_loop, daemon);
}

// SIGHUP: the files of those who may call, and of who we are, have changed.
static void on_hangup(void *context) {
  const daemon_t *daemon = context;
  const settings_t *settings = daemon->settings;
  if (settings->tokens_file != NULL) {
    renewal_tell("--tokens-file",
                 access_reload_tokens(daemon->keys->access, settings->tokens_file));
    coordinator_forget_visitors(daemon->coordinator);
  }
  if (settings->secret_file != NULL) {
    access_secret_t secret;
    const pod_status_t status = access_read_secret(settings->secret_file, &secret);
    if (status == NULL) {
      coordinator_set_secret(daemon->coordinator, &secret);
      explicit_bzero(&secret, sizeof(secret));
    }
    renewal_tell("--secret-file", status);
  }
  if (settings->tls.certificate != NULL || settings->tls.ca != NULL) {
    renewal_tell("TLS", tls_credentials_renew(&daemon->keys->tls));
    if (daemon->keys->page != NULL) {
      renewal_tell("TLS of the page", rpc_credentials_renew(daemon->keys->page));
    }
  }
}

// Forks: nothing else may have begun.
static pod_status_t start_compiles(const settings_t *settings,
                                   const chip_spec_t *own_spec,
                                   coordinator_options_t *options) {
  if (settings->compile_processes > COMPILE_POOL_SLOTS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "--compile-processes can be %d at most",
                     COMPILE_POOL_SLOTS_MAX);
  }
  if (settings->compile_seconds > MAX_COMPILE_SECONDS) {
    return pod_error(POD_INVALID_ARGUMENT, "--compile-seconds can be %d at most",
                     MAX_COMPILE_SECONDS);
  }
  const int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
  const int64_t usual = cores < 2 ? 2 : cores > 4 ? 4 : cores;
  options->compile_slots =
      (int32_t)(settings->compile_processes > 0 ? settings->compile_processes : usual);
  pod_available_memory_t host;
  pod_available_memory_read("", &host);
  const compile_pool_options_t pool = {
      .compile = options->compiler.compile,
      .destroy = options->compiler.destroy,
      .own_spec = own_spec,
      .slot_count = options->compile_slots,
      .memory_bytes =
          settings->compile_bytes >= 0
              ? settings->compile_bytes
              : compile_pool_memory_bytes(host.total_bytes, options->compile_slots),
      .seconds = settings->compile_seconds};
  POD_TRY(compile_pool_create(&pool, &options->compile_pool));
  pod_log(POD_LOG_INFO,
          "modules are compiled by %" PRId32 " processes, each with at most %" PRId64
          " MiB and %" PRId64 " s (0: no limit)",
          pool.slot_count, pool.memory_bytes >> 20, pool.seconds);
  return NULL;
}

// Until a signal has ended it.
static pod_status_t serve(const settings_t *settings,
                          const coordinator_options_t *options, keys_t *keys) {
  daemon_t daemon = {.settings = settings, .grace_ms = settings->grace_ms, .keys = keys};
  rpc_signal_t *terminate = NULL, *interrupt = NULL, *hangup = NULL;
  POD_TRY(rpc_loop_create(&daemon.loop));
  pod_status_t status = coordinator_create(daemon.loop, options, &daemon.coordinator);
  if (status == NULL) {
    status = rpc_signal_create(daemon.loop, SIGTERM, on_signal, &daemon, &terminate);
  }
  if (status == NULL) {
    status = rpc_signal_create(daemon.loop, SIGINT, on_signal, &daemon, &interrupt);
  }
  if (status == NULL) {
    status = rpc_signal_create(daemon.loop, SIGHUP, on_hangup, &daemon, &hangup);
  }
  if (status == NULL) {
    offer_own_token(keys, coordinator_address(daemon.coordinator));
  }
  if (status == NULL && settings->port_file != NULL) {
    status =
        write_port_file(settings->port_file, coordinator_address(daemon.coordinator));
  }
  if (status == NULL) {
    const char *address = coordinator_address(daemon.coordinator);
    pod_text_t topology = {0};
    torus_print(&topology, &options->torus);
    pod_log(POD_LOG_INFO, "a %s pod of %s at %s", topology.bytes, options->spec->name,
            address);
    pod_text_deinit(&topology);
    if (settings->metrics_listen != NULL) {
      pod_log(POD_LOG_INFO, "metrics at http://%s/metrics",
              coordinator_metrics_address(daemon.coordinator));
    }
    if (settings->page_listen != NULL) {
      pod_log(POD_LOG_INFO, "the page is at %s",
              coordinator_page_url(daemon.coordinator));
    }
    warn_if_open(settings, address);
    rpc_loop_run(daemon.loop);
    if (coordinator_is_compiling(daemon.coordinator)) {
      remove_own_token(keys);
      _exit(EXIT_SUCCESS);  // The time of grace is over, and a simulation goes on.
    }
  }
  rpc_signal_destroy(terminate);
  rpc_signal_destroy(interrupt);
  rpc_signal_destroy(hangup);
  coordinator_destroy(daemon.coordinator);
  rpc_loop_destroy(daemon.loop);
  return status;
}

int main(int argc, char **argv) {
  compile_spawner_main(argc, argv, compiler_compile, compiler_result_destroy);
  settings_t settings = {.listen = "127.0.0.1:0",
                         .topology = "2x2",
                         .heartbeat_ms = COORDINATOR_HEARTBEAT_MS,
                         .timeout_ms = COORDINATOR_TIMEOUT_MS,
                         .grace_ms = COORDINATOR_GRACE_MS,
                         .limits = limit_flags_default(),
                         .jobs = jobs_flags_default(),
                         .compile_bytes = -1,
                         .compile_seconds = COMPILE_POOL_SECONDS,
                         .log = {.level = POD_LOG_INFO}};
  // Set, not defined: with hidden visibility libc would not see a definition of ours.
  argp_program_version = "podium-coordinator " PODIUM_VERSION;
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  pod_log_init("coordinator", settings.log.level);
  pod_log_set_format(settings.log.format);
  signal(SIGPIPE, SIG_IGN);
  coordinator_options_t options = {
      .listen = settings.listen,
      .metrics_listen = settings.metrics_listen,
      .page_listen = settings.page_listen,
      .page_hosts = settings.page_hosts,
      .hbm_bytes = settings.hbm_bytes,
      .heartbeat_ms = settings.heartbeat_ms,
      .timeout_ms = settings.timeout_ms,
      .execution_seconds_max = settings.limits.execution_seconds,
      .limits = settings.limits.of_client,
      .jobs = settings.jobs,
      .compiler = {.compile = compiler_compile, .destroy = compiler_result_destroy}};
  chip_spec_t *owned_spec = NULL;
  pod_status_t status = NULL;
  if (settings.timeout_ms < 2 * settings.heartbeat_ms) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "--timeout-ms %" PRId64 " is less than two heartbeats of %" PRId64
                       " ms",
                       settings.timeout_ms, settings.heartbeat_ms);
  }
  if (status == NULL) {
    status = choose_pod(&settings, &options, &owned_spec);
  }
  keys_t keys = {0};
  if (status == NULL) {  // Before there is a secret to be inherited.
    status = start_compiles(&settings, owned_spec, &options);
  }
  if (status == NULL) {
    status = load_keys(&settings, &keys, &options);
  }
  if (status == NULL) {
    status = serve(&settings, &options, &keys);
  }
  compile_pool_destroy(options.compile_pool);
  forget_keys(&keys);
  chip_spec_destroy(owned_spec);
  if (status != NULL) {
    pod_log_end("podium-coordinator", status);
    pod_status_free(status);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
