// podium up, down, status, devices: local pods that stay, and what any pod says of
// itself.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/cli/cli.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

typedef struct up_t {
  const char *chip, *topology, *name;
} up_t;

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
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static bool is_alive(const cli_pod_t *pod) {
  return pod->pids[0] > 0 && kill((pid_t)pod->pids[0], 0) == 0;
}

// Makes the pod's folder; what a dead pod of the name has left is cleared away.
static pod_status_t claim_folder(const char *name, char **out_folder) {
  cli_pod_t *old = NULL;
  const pod_status_t status = cli_pod_load(name, &old);
  if (status == NULL && is_alive(old)) {
    const pod_status_t taken = pod_error(
        POD_ALREADY_EXISTS, "the pod '%s' is up at %s; `podium down %s` stops it", name,
        old->address, name);
    cli_pod_free(old);
    return taken;
  }
  pod_status_free(status);
  cli_pod_stop(old);
  char *folder = cli_pod_folder(name);
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
    const pod_status_t failed =
        pod_error(POD_INTERNAL, "%s: %s", folder, strerror(errno));
    free(folder);
    return failed;
  }
  *out_folder = folder;
  return NULL;
}

int cli_up(int argc, char **argv) {
  up_t up = {.chip = "v5e", .topology = "2x2", .name = "local"};
  static const struct argp_option options[] = {
      {"chip", 'c', "KIND|FILE", 0, "v2, v3, v4, v5e, v5p, v6e, v7x (v5e) or a file", 0},
      {"topology", 't', "SIZES", 0, "2x2, 4x2, 2x2x4 … or v5litepod-4, v4-8 … (2x2)", 0},
      {"name", 'n', "NAME", 0, "To tell pods apart (local)", 0},
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
  char *folder = NULL;
  pod_status_t status = claim_folder(up.name, &folder);
  if (status != NULL) {
    return cli_fail(status);
  }
  const int64_t started_ns = pod_clock_now_ns();
  cli_pod_t *pod = NULL;
  status = cli_pod_start(
      &(cli_pod_options_t){
          .chip = up.chip, .topology = up.topology, .stays = true, .folder = folder},
      &pod);
  free(folder);
  if (status != NULL) {
    return cli_fail(status);
  }
  podium_session_t *session = NULL;
  status = cli_status_of(podium_connect(
      pod->address, &(podium_connect_options_t){.client_name = "podium up"}, &session));
  if (status == NULL) {
    status = cli_pod_save(pod);
  }
  podium_close(session);
  if (status != NULL) {
    status = cli_pod_explain(pod, status);
    cli_pod_stop(pod);
    return cli_fail(status);
  }
  printf("%s\n", pod->address);
  fprintf(stderr, "pod '%s': %s %s ready after %.2f s, logs in %s\n", up.name,
          up.topology, up.chip, (double)(pod_clock_now_ns() - started_ns) / 1e9,
          pod->folder);
  cli_pod_free(pod);
  return CLI_OK;
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
  return CLI_OK;
}

// --- status and devices ---

// The pod of this name or address, in a session of its own. False, and the error is
// printed, when it cannot be asked.
static bool ask(const char *text, podium_session_t **out_session,
                podium_pod_t **out_pod) {
  char *address;
  pod_status_t status = cli_pod_address(text, &address);
  if (status == NULL) {
    const podium_connect_options_t options = {.client_name = "podium status",
                                              .do_not_wait = true};
    status = cli_status_of(podium_connect(address, &options, out_session));
    free(address);
  }
  if (status == NULL) {
    status = cli_status_of(podium_pod(*out_session, 10000, out_pod));
    if (status != NULL) {
      podium_close(*out_session);
    }
  }
  if (status != NULL) {
    cli_fail(status);
  }
  return status == NULL;
}

int cli_status(int argc, char **argv) {
  name_t name = {.text = "local"};
  static const struct argp argp = {
      .parser = parse_name,
      .args_doc = "[POD]",
      .doc =
          "Show a pod: POD is the coordinator's HOST:PORT or the name of a local pod "
          "(local). The exit status is 1 when a chip or a link is missing."};
  cli_parse(&argp, argc, argv, &name);
  podium_session_t *session;
  podium_pod_t *pod;
  if (!ask(name.text, &session, &pod)) {
    return CLI_FAILED;
  }
  pod_arena_t *arena = pod_arena_create();
  printf("pod %s: %s %s, %s, HBM %s per chip, %d other session(s)\n", pod->id,
         pod->topology, pod->chip_kind, pod->ready ? "ready" : "not ready",
         cli_size(arena, pod->hbm_bytes), pod->session_count - 1);
  printf("%4s  %-9s %-9s %-12s %5s  %-22s %s\n", "chip", "coords", "state", "HBM used",
         "links", "address", "pid");
  for (int i = 0; i < pod->device_count; i++) {
    const podium_device_t *device = &pod->devices[i];
    printf("%4d  (%d,%d,%d)   %-9s %-12s %2d/%-2d  %-22s %lld\n", device->id,
           device->coords[0], device->coords[1], device->coords[2], device->state,
           cli_size(arena, device->hbm_used_bytes), device->links_up, device->links,
           *device->address == '\0' ? "-" : device->address, (long long)device->pid);
  }
  const int result = pod->ready ? CLI_OK : CLI_FAILED;
  pod_arena_destroy(arena);
  podium_pod_free(pod);
  podium_close(session);
  return result;
}

int cli_devices(int argc, char **argv) {
  name_t name = {.text = "local"};
  static const struct argp argp = {
      .parser = parse_name,
      .args_doc = "[POD]",
      .doc =
          "List a pod's devices, one per line, as jax.devices() names them. POD is the "
          "coordinator's HOST:PORT or the name of a local pod (local)."};
  cli_parse(&argp, argc, argv, &name);
  podium_session_t *session;
  podium_pod_t *pod;
  if (!ask(name.text, &session, &pod)) {
    return CLI_FAILED;
  }
  for (int i = 0; i < pod->device_count; i++) {
    const podium_device_t *device = &pod->devices[i];
    printf("%s%s%s\n", device->name, strcmp(device->state, "ready") == 0 ? "" : "  ",
           strcmp(device->state, "ready") == 0 ? "" : device->state);
  }
  podium_pod_free(pod);
  podium_close(session);
  return CLI_OK;
}
