// podium ls, status, devices: what pods say of themselves.

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/hosts_pod.h"
#include "client/cli/local_pod.h"
#include "client/cli/report.h"
#include "client/cli/status.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"

enum { ASK_TIMEOUT_MS = 10000, LS_TIMEOUT_MS = 2000 };

static error_t parse_pod(int key, char *value, struct argp_state *state) {
  const char **name = state->input;
  if (key == ARGP_KEY_ARG && state->arg_num == 0) {
    *name = value;
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

static const char *pod_or_local(void) {
  const char *pod = cli_pod_default();
  return pod != NULL ? pod : "local";
}

// The pod at this address, and the connection, which the caller closes. `keys` is a
// folder of keys; NULL: what the command line and the environment say.
static pod_status_t ask(const char *address, const char *keys, int64_t timeout_ms,
                        podium_session_t **out_session, podium_pod_t **out_pod) {
  pod_arena_t *arena = pod_arena_create();
  podium_connect_options_t options = {
      .client_name = "podium status", .only_looks = true, .timeout_ms = timeout_ms};
  if (keys != NULL) {
    options.tls_ca = pod_arena_printf(arena, "%s/ca.crt", keys);
    options.tls_certificate = pod_arena_printf(arena, "%s/read.crt", keys);
    options.tls_key = pod_arena_printf(arena, "%s/read.key", keys);
  }
  podium_session_t *session;
  pod_status_t status = cli_status_of(podium_connect(address, &options, &session));
  pod_arena_destroy(arena);
  POD_TRY(status);
  status = cli_status_of(podium_pod(session, timeout_ms, out_pod));
  if (status != NULL) {
    podium_close(session);
    return status;
  }
  *out_session = session;
  return NULL;
}

// The pod that the command line names. False, and the error is printed, when it cannot
// be asked.
static bool ask_named(const struct argp *argp, int argc, char **argv,
                      podium_session_t **out_session, podium_pod_t **out_pod) {
  const char *name = pod_or_local();
  cli_parse(argp, argc, argv, &name);
  char *address;
  pod_status_t status = cli_pod_address(name, &address);
  if (status == NULL) {
    status = ask(address, NULL, ASK_TIMEOUT_MS, out_session, out_pod);
    free(address);
  }
  if (status != NULL) {
    cli_fail(status);
  }
  return status == NULL;
}

// --- status ---

static void report_device(cJSON *devices, const podium_device_t *device) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "id", device->id);
  cJSON_AddStringToObject(object, "name", device->name);
  cJSON_AddStringToObject(object, "state", device->state);
  cJSON_AddItemToObject(object, "coords", cJSON_CreateIntArray(device->coords, 3));
  cJSON_AddStringToObject(object, "address", device->address);
  cJSON_AddNumberToObject(object, "pid", (double)device->pid);
  cJSON_AddNumberToObject(object, "hbm_used_bytes", (double)device->hbm_used_bytes);
  cJSON_AddNumberToObject(object, "links_up", device->links_up);
  cJSON_AddNumberToObject(object, "links", device->links);
  cJSON_AddStringToObject(object, "reason", device->reason);
  cJSON_AddStringToObject(object, "running", device->running);
  cJSON_AddItemToArray(devices, object);
}

void cli_report_pod(cJSON *object, const podium_pod_t *pod) {
  cJSON_AddStringToObject(object, "id", pod->id);
  cJSON_AddStringToObject(object, "chip_kind", pod->chip_kind);
  cJSON_AddStringToObject(object, "topology", pod->topology);
  cJSON_AddStringToObject(object, "pod_version", pod->version);
  cJSON_AddBoolToObject(object, "ready", pod->ready);
  cJSON_AddNumberToObject(object, "hbm_bytes", (double)pod->hbm_bytes);
  cJSON_AddNumberToObject(object, "other_sessions", pod->session_count);
  cJSON_AddStringToObject(object, "page", pod->page);
  cJSON *devices = cJSON_AddArrayToObject(object, "devices");
  for (int i = 0; i < pod->device_count; i++) {
    report_device(devices, &pod->devices[i]);
  }
}

static void print_pod(const podium_pod_t *pod) {
  pod_arena_t *arena = pod_arena_create();
  cli_print("pod %s: %s %s, %s, HBM %s per chip, %d session(s)\n", pod->id, pod->topology,
            pod->chip_kind, pod->ready ? "ready" : "not ready",
            cli_size(arena, pod->hbm_bytes), pod->session_count);
  cli_print("%4s  %-9s %-9s %-12s %5s  %-22s %s\n", "chip", "coords", "state", "HBM used",
            "links", "address", "pid");
  for (int i = 0; i < pod->device_count; i++) {
    const podium_device_t *device = &pod->devices[i];
    cli_print("%4d  (%d,%d,%d)   %-9s %-12s %2d/%-2d  %-22s %lld\n", device->id,
              device->coords[0], device->coords[1], device->coords[2], device->state,
              cli_size(arena, device->hbm_used_bytes), device->links_up, device->links,
              *device->address == '\0' ? "-" : device->address, (long long)device->pid);
  }
  for (int i = 0; i < pod->device_count; i++) {
    if (*pod->devices[i].reason != '\0') {
      cli_print("lost %s\n", pod->devices[i].reason);
    }
  }
  if (*pod->page != '\0') {
    cli_print("page: %s\n", pod->page);
  }
  pod_arena_destroy(arena);
}

int cli_status(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_pod,
      .args_doc = "[POD]",
      .doc =
          "Show a pod: POD is the coordinator's HOST:PORT or the name of a local pod "
          "(PODIUM_POD, or local). The exit status is 1 when a chip or a link is "
          "missing."};
  podium_session_t *session;
  podium_pod_t *pod;
  if (!ask_named(&argp, argc, argv, &session, &pod)) {
    return CLI_NOT_RUN;
  }
  print_pod(pod);
  if (cli_report() != NULL) {
    cli_report_pod(cli_report(), pod);
  }
  const int result = pod->ready ? CLI_OK : CLI_FAILED;
  podium_pod_free(pod);
  podium_close(session);
  return result;
}

// --- devices ---

int cli_devices(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse_pod,
      .args_doc = "[POD]",
      .doc =
          "List a pod's devices, one per line, as jax.devices() names them. POD is the "
          "coordinator's HOST:PORT or the name of a local pod (PODIUM_POD, or local)."};
  podium_session_t *session;
  podium_pod_t *pod;
  if (!ask_named(&argp, argc, argv, &session, &pod)) {
    return CLI_NOT_RUN;
  }
  cJSON *devices =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "devices");
  for (int i = 0; i < pod->device_count; i++) {
    const podium_device_t *device = &pod->devices[i];
    const bool is_ready = strcmp(device->state, "ready") == 0;
    cli_print("%s%s%s\n", device->name, is_ready ? "" : "  ",
              is_ready ? "" : device->state);
    if (devices != NULL) {
      report_device(devices, device);
    }
  }
  podium_pod_free(pod);
  podium_close(session);
  return CLI_OK;
}

// --- ls ---

static const char pod_prefix[] = "pod-";

// What a local pod is like now.
typedef struct local_state_t {
  const char *state;  // "ready", "not ready", "silent", "gone"
  char chip_kind[32], topology[64];
  int chip_count, sessions;
} local_state_t;

static local_state_t state_of(const cli_pod_t *local) {
  local_state_t state = {.state = "gone", .chip_kind = "-", .topology = "-"};
  if (local->hosts == NULL ? local->pids.items[0] <= 0 : *local->address == '\0') {
    return state;
  }

  podium_session_t *session;
  podium_pod_t *pod;
  char *keys = local->hosts == NULL ? NULL : cli_path(local->folder, "keys");
  const pod_status_t status = ask(local->address, keys, LS_TIMEOUT_MS, &session, &pod);
  free(keys);
  if (status != NULL) {
    pod_status_free(status);
    state.state = "silent";
    return state;
  }
  state.state = pod->ready ? "ready" : "not ready";
  snprintf(state.chip_kind, sizeof(state.chip_kind), "%s", pod->chip_kind);
  snprintf(state.topology, sizeof(state.topology), "%s", pod->topology);
  state.chip_count = pod->device_count;
  state.sessions = pod->session_count;
  podium_pod_free(pod);
  podium_close(session);
  return state;
}

static void show_local(cJSON *pods, const char *name, const cli_pod_t *local) {
  const local_state_t state = state_of(local);
  cli_print("%-16s %-22s %-9s %-10s %5d %8d  %s\n", name, local->address, state.state,
            state.chip_kind, state.chip_count, state.sessions, state.topology);
  if (pods == NULL) {
    return;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", name);
  cJSON_AddStringToObject(object, "address", local->address);
  cJSON_AddStringToObject(object, "state", state.state);
  cJSON_AddStringToObject(object, "chip_kind", state.chip_kind);
  cJSON_AddStringToObject(object, "topology", state.topology);
  cJSON_AddNumberToObject(object, "chips", state.chip_count);
  cJSON_AddNumberToObject(object, "sessions", state.sessions);
  cJSON_AddItemToArray(pods, object);
}

static int is_pod(const struct dirent *entry) {
  return strncmp(entry->d_name, pod_prefix, strlen(pod_prefix)) == 0;
}

// A folder without a state is of a pod that is coming up, or of none.
static int show_locals(cJSON *pods) {
  char *folder = cli_pod_folder("");  // FOLDER/pod-
  *strrchr(folder, '/') = '\0';
  struct dirent **entries;
  const int count = scandir(folder, &entries, is_pod, alphasort);
  free(folder);
  int shown = 0;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name + strlen(pod_prefix);
    cli_pod_t *local;
    const pod_status_t status = cli_pod_load(name, &local);
    if (status == NULL) {
      if (shown++ == 0) {
        cli_print("%-16s %-22s %-9s %-10s %5s %8s  %s\n", "name", "address", "state",
                  "kind", "chips", "sessions", "topology");
      }
      show_local(pods, name, local);
      cli_pod_free(local);
    }
    pod_status_free(status);
    free(entries[i]);
  }
  if (count >= 0) {
    free(entries);
  }
  return shown;
}

static error_t parse_ls(int key, char *value, struct argp_state *state) {
  const char **name = state->input;
  if (key == ARGP_KEY_ARG && state->arg_num == 0) {
    *name = value;
    return 0;
  }
  return ARGP_ERR_UNKNOWN;
}

static int print_address(const char *name) {
  char *address;
  const pod_status_t status = cli_pod_address(name, &address);
  if (status != NULL) {
    return cli_fail(status);
  }
  cli_print("%s\n", address);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "address", address);
  }
  free(address);
  return CLI_OK;
}

int cli_ls(int argc, char **argv) {
  const char *name = NULL;
  static const struct argp argp = {
      .parser = parse_ls,
      .args_doc = "[NAME]",
      .doc =
          "List the local pods, those of `podium up` on "
          "this machine: ready, not ready (a "
          "chip or a link is missing), silent (no answer "
          "within 2 s) or gone (its daemons "
          "have ended; `podium down NAME` clears it away). With NAME only "
          "the address of that pod's coordinator."};
  cli_parse(&argp, argc, argv, &name);
  if (name != NULL) {
    return print_address(name);
  }
  cJSON *pods =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "pods");
  if (show_locals(pods) == 0) {
    cli_print("no local pods; `podium up` starts one\n");
  }
  return CLI_OK;
}
