// A picture of the pod at one moment, in an arena of its own.

#include "client/lib/session.h"

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
  device->pid = message->pid;
  device->hbm_used_bytes = message->hbm_used_bytes;
  device->links_up = message->links_up;
  device->links = message->links;
  device->process_index = lib_owner(session, message->id);
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
      .devices = devices,
  };
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
  *out_pod = &owned->pod;
  return NULL;
}

void podium_pod_free(podium_pod_t *pod) {
  if (pod != NULL) {
    pod_arena_destroy(((owned_pod_t *)pod)->arena);
  }
}
