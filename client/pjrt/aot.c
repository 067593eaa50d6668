// Compiling without a pod: topologies by name, and programs for them.
//
// A coordinator without workers stands behind each topology that was asked for; it knows
// the kinds of chip and compiles. It is kept for later questions of the same name and
// ends with this process.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/text.h"

typedef struct known_t {
  char *name;
  PJRT_TopologyDescription *topology;
} known_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static POD_LIST(known_t) known;  // Guarded by `mutex`.

// "v5e:4x4", as JAX writes it for TPUs, is a kind and a topology; "v5litepod-16" and
// "4x4" are topologies.
static pod_status_t start(const char *name, char **out_address) {
  const char *colon = strchr(name, ':');
  if (colon == NULL) {
    return pjrt_local_pod_start(getenv("PODIUM_CHIP"), *name == '\0' ? NULL : name, false,
                                out_address);
  }
  pod_text_t kind = {0};
  pod_text_add_bytes(&kind, name, (size_t)(colon - name));
  const pod_status_t status =
      pjrt_local_pod_start(kind.bytes, colon + 1, false, out_address);
  pod_text_deinit(&kind);
  return status;
}

static pod_status_t open_topology(const char *name, PJRT_TopologyDescription **out) {
  char *address;
  podium_session_t *session;
  podium_pod_t *pod;
  POD_TRY(start(name, &address));
  const podium_connect_options_t options = {.client_name = "JAX, ahead of time",
                                            .do_not_wait = true};
  const pod_status_t status = pjrt_open(address, &options, &session, &pod);
  free(address);
  POD_TRY(status);
  *out = pjrt_topology_create(pod);
  (*out)->session = session;
  podium_pod_free(pod);
  return NULL;
}

// With the lock.
static pod_status_t find(const char *name, PJRT_TopologyDescription **out) {
  for (int32_t i = 0; i < known.count; i++) {
    if (strcmp(known.items[i].name, name) == 0) {
      *out = pjrt_topology_retain(known.items[i].topology);
      return NULL;
    }
  }
  POD_TRY(open_topology(name, out));
  *pod_list_add(&known) =
      (known_t){.name = pod_strdup(name), .topology = pjrt_topology_retain(*out)};
  return NULL;
}

static PJRT_Error *find_topology(const char *name, size_t size,
                                 PJRT_TopologyDescription **out) {
  pod_text_t text = {0};
  pod_text_add_bytes(&text, name, size);
  pthread_mutex_lock(&mutex);
  const pod_status_t status = find(text.bytes == NULL ? "" : text.bytes, out);
  pthread_mutex_unlock(&mutex);
  pod_text_deinit(&text);
  return pjrt_error(status);
}

// The name with the option `num_slices` of JAX in it: "v5e:4x4" and 2 are "v5e:2*4x4".
static char *name_with_slices(const PJRT_TopologyDescription_Create_Args *args) {
  int64_t slices = 1;
  for (size_t i = 0; i < args->num_options; i++) {
    const PJRT_NamedValue *option = &args->create_options[i];
    const bool is_it = option->name_size == strlen("num_slices") &&
                       memcmp(option->name, "num_slices", option->name_size) == 0;
    slices =
        is_it && option->type == PJRT_NamedValue_kInt64 ? option->int64_value : slices;
  }
  const char *name = args->topology_name;
  const size_t size = args->topology_name_size;
  const char *colon = size > 0 ? memchr(name, ':', size) : NULL;
  const size_t kind = colon == NULL ? 0 : (size_t)(colon - name) + 1;
  pod_text_t text = {0};
  pod_text_add_bytes(&text, name, kind);
  if (slices != 1) {
    pod_text_printf(&text, "%lld*", (long long)slices);
  }
  pod_text_add_bytes(&text, name + kind, size - kind);
  return pod_text_take(&text);
}

PJRT_Error *topology_create(PJRT_TopologyDescription_Create_Args *args) {
  char *name = name_with_slices(args);
  PJRT_Error *error = find_topology(name, strlen(name), &args->topology);
  free(name);
  return error;
}

// --- Serialised: "KIND:SIZES" ---

struct PJRT_SerializedTopology {
  char *text;
};

static void delete_serialized(PJRT_SerializedTopology *serialized) {
  free(serialized->text);
  free(serialized);
}

PJRT_Error *topology_serialize(PJRT_TopologyDescription_Serialize_Args *args) {
  PJRT_SerializedTopology *serialized = pod_alloc(sizeof(*serialized));
  pod_text_t text = {0};
  pod_text_printf(&text, "%s:%s", args->topology->chip_kind, args->topology->name);
  serialized->text = pod_text_take(&text);
  args->serialized_bytes = serialized->text;
  args->serialized_bytes_size = strlen(serialized->text);
  args->serialized_topology = serialized;
  args->serialized_topology_deleter = delete_serialized;
  return NULL;
}

PJRT_Error *topology_deserialize(PJRT_TopologyDescription_Deserialize_Args *args) {
  return find_topology(args->serialized_topology, args->serialized_topology_size,
                       &args->topology);
}
