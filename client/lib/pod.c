// A picture of the pod at one moment, in an arena of its own.

#include <string.h>
#include <time.h>

#include "client/lib/session.h"
#include "common/access/code.h"
#include "common/access/file.h"
#include "common/access/local_token.h"
#include "common/access/place.h"

// The pod is the first thing in its arena, and finds it again to be freed.
typedef struct owned_pod_t {
  podium_pod_t pod;
  pod_arena_t *arena;
  const podium_session_t *session;  // While it is asked for.
} owned_pod_t;

static void convert_device(const podium_session_t *session, pod_arena_t *arena,
                           const Podium__V1__Device *message, podium_device_t *device) {
  device->id = message->id;
  device->name = pod_arena_strdup(arena, message->name);
  device->state = pod_arena_strdup(arena, message->state);
  device->reason = pod_arena_strdup(arena, message->reason);
  device->address = pod_arena_strdup(arena, message->address);
  for (size_t i = 0; i < 3 && i < message->n_coords; i++) {
    device->coords[i] = message->coords[i];
  }
  device->slice_index = message->slice_index;
  device->core_on_chip = message->core_on_chip;
  device->pid = message->pid;
  device->hbm_used_bytes = message->hbm_used_bytes;
  device->links_up = message->links_up;
  device->links = message->links;
  device->running = pod_arena_strdup(arena, message->running);
  device->process_index = lib_owner(session, message->id);
}

// A coordinator that is older than this says nothing of it.
static podium_load_t convert_load(const Podium__V1__Load *message) {
  if (message == NULL) {
    return (podium_load_t){0};
  }
  return (podium_load_t){.executions_waiting = message->executions_waiting,
                         .executions_running = message->executions_running,
                         .executions_ended = message->executions_ended,
                         .executions_failed = message->executions_failed,
                         .compiles_ended = message->compiles_ended,
                         .put_bytes = message->put_bytes,
                         .fetched_bytes = message->fetched_bytes};
}

static void convert_pod(const void *response, void *context) {
  const Podium__V1__Pod *message = response;
  owned_pod_t *owned = context;
  pod_arena_t *arena = owned->arena;
  podium_device_t *devices = pod_arena_array(arena, message->n_devices, sizeof(*devices));
  for (size_t i = 0; i < message->n_devices; i++) {
    convert_device(owned->session, arena, message->devices[i], &devices[i]);
  }
  owned->pod = (podium_pod_t){
      .id = pod_arena_strdup(arena, message->id),
      .chip_kind = pod_arena_strdup(arena, message->chip_kind),
      .device_kind = pod_arena_strdup(arena, message->device_kind),
      .topology = pod_arena_strdup(arena, message->topology_name),
      .version = pod_arena_strdup(arena, message->version),
      .ready = message->ready,
      .hbm_bytes = message->hbm_bytes,
      .session_count = message->session_count,
      .device_count = (int)message->n_devices,
      .slice_count = message->slice_count > 1 ? message->slice_count : 1,
      .devices = devices,
      .load = convert_load(message->load),
      .page = pod_arena_strdup(arena, message->page),
  };
}

// The link with a code of what the session shows to the coordinator; as it is when there
// is nothing to show, or others could see it.
static const char *add_code(const podium_session_t *session, pod_arena_t *arena,
                            const char *page) {
  const char *host = strstr(page, "://");
  const bool is_encrypted = strncmp(page, "https:", strlen("https:")) == 0;
  if (host == NULL || (!is_encrypted && !access_is_local(host + 3))) {
    return page;
  }
  char *token = NULL;
  const pod_status_t status =
      access_client_token(session->address, session->options.token_file,
                          session->credentials != NULL, &token);
  pod_status_free(status);
  if (status != NULL || token == NULL) {
    return page;
  }
  char code[ACCESS_CODE_BYTES];
  access_code_make(token, (int64_t)time(NULL), code);
  access_forget(token);
  return pod_arena_printf(arena, "%s?code=%s", page, code);
}

podium_status_t *podium_pod(podium_session_t *session, int64_t timeout_ms,
                            podium_pod_t **out_pod) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_pod);
  pod_arena_t *arena = pod_arena_create();
  owned_pod_t *owned = pod_arena_alloc(arena, sizeof(*owned));
  owned->arena = arena;
  owned->session = session;
  const Podium__V1__GetPodRequest request = PODIUM__V1__GET_POD_REQUEST__INIT;
  const pod_status_t status =
      lib_unary(session, "/podium.v1.Podium/GetPod", &request.base,
                &podium__v1__pod__descriptor, timeout_ms, convert_pod, owned);
  if (status != NULL) {
    pod_arena_destroy(arena);
    return lib_status(status);
  }
  owned->pod.page = add_code(session, arena, owned->pod.page);
  *out_pod = &owned->pod;
  return NULL;
}

void podium_pod_free(podium_pod_t *pod) {
  if (pod != NULL) {
    pod_arena_destroy(((owned_pod_t *)pod)->arena);
  }
}

// Likewise.
typedef struct owned_slice_t {
  podium_slice_t slice;
  pod_arena_t *arena;
} owned_slice_t;

static void convert_slice(const void *response, void *context) {
  const Podium__V1__FindSliceResponse *message = response;
  owned_slice_t *owned = context;
  owned->slice = (podium_slice_t){
      .chip_count = (int)message->n_chips,
      .chips = pod_arena_copy(owned->arena, message->chips,
                              message->n_chips * sizeof(*message->chips)),
      .size = pod_arena_strdup(owned->arena, message->size),
      .is_shared = message->shared};
  for (size_t i = 0; i < 3 && i < message->n_origin; i++) {
    owned->slice.origin[i] = message->origin[i];
  }
}

podium_status_t *podium_find_slice(podium_session_t *session, const char *size,
                                   bool of_empty_pod, int64_t timeout_ms,
                                   podium_slice_t **out_slice) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(size);
  LIB_REQUIRE(out_slice);
  pod_arena_t *arena = pod_arena_create();
  owned_slice_t *owned = pod_arena_alloc(arena, sizeof(*owned));
  owned->arena = arena;
  Podium__V1__FindSliceRequest request = PODIUM__V1__FIND_SLICE_REQUEST__INIT;
  request.size = (char *)(uintptr_t)size;
  request.of_empty_pod = of_empty_pod;
  const pod_status_t status = lib_unary(
      session, "/podium.v1.Podium/FindSlice", &request.base,
      &podium__v1__find_slice_response__descriptor, timeout_ms, convert_slice, owned);
  if (status != NULL) {
    pod_arena_destroy(arena);
    return lib_status(status);
  }
  *out_slice = &owned->slice;
  return NULL;
}

void podium_slice_free(podium_slice_t *slice) {
  if (slice != NULL) {
    pod_arena_destroy(((owned_slice_t *)slice)->arena);
  }
}
