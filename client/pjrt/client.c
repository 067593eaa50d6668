// Clients: which pod, and its devices.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "client/pjrt/recording.h"
#include "common/base/memory.h"
#include "common/base/text.h"

// --- Which pod ---

typedef struct choice_t {
  char *pod, *chip, *topology;
} choice_t;

// What a client's option says, else what the environment does; NULL when neither. Owned.
static char *choose(const PJRT_Client_Create_Args *args, const char *option,
                    const char *variable) {
  for (size_t i = 0; i < args->num_options; i++) {
    const PJRT_NamedValue *value = &args->create_options[i];
    if (value->type == PJRT_NamedValue_kString && value->name_size == strlen(option) &&
        memcmp(value->name, option, value->name_size) == 0) {
      pod_text_t text = {0};
      pod_text_add_bytes(&text, value->string_value, value->value_size);
      return pod_text_take(&text);
    }
  }
  const char *value = getenv(variable);
  return value == NULL || *value == '\0' ? NULL : pod_strdup(value);
}

static pod_status_t find_address(const PJRT_Client_Create_Args *args,
                                 char **out_address) {
  choice_t choice = {.pod = choose(args, "pod", "PODIUM_POD"),
                     .chip = choose(args, "chip", "PODIUM_CHIP"),
                     .topology = choose(args, "topology", "PODIUM_TOPOLOGY")};
  pod_status_t status = NULL;
  if (choice.pod == NULL) {
    status = pjrt_local_pod_start(choice.chip, choice.topology, true, out_address);
  } else if (strchr(choice.pod, ':') != NULL) {
    *out_address = pod_strdup(choice.pod);
  } else {
    status = pjrt_local_pod_find(choice.pod, out_address);
  }
  free(choice.pod);
  free(choice.chip);
  free(choice.topology);
  return status;
}

// --- Making one ---

static void add_own(PJRT_Client *client, PJRT_Device *device) {
  device->own_index = -1;
  if (device->description->process_index == client->process_index) {
    device->own_index = client->own_count;
    client->own[client->own_count++] = device;
  }
}

static void add_memories(PJRT_Client *client, PJRT_Device *device) {
  for (int kind = 0; kind < PJRT_MEMORY_KINDS; kind++) {
    pod_text_t text = {0};
    pod_text_printf(&text, "%s memory of %s",
                    pjrt_memory_kind_name((pjrt_memory_kind_t)kind),
                    device->description->debug_string);
    device->memories[kind] =
        (PJRT_Memory){.id = device->description->id * PJRT_MEMORY_KINDS + kind,
                      .kind = (pjrt_memory_kind_t)kind,
                      .device = device,
                      .debug_string = pod_text_take(&text)};
    device->memory_pointers[kind] = &device->memories[kind];
    if (device->own_index >= 0) {
      client->memories[client->memory_count++] = &device->memories[kind];
    }
  }
}

static PJRT_Client *make(podium_session_t *session, const podium_pod_t *pod,
                         int process_index) {
  PJRT_Client *client = pod_alloc(sizeof(*client));
  atomic_init(&client->use_count, 1);
  client->session = session;
  client->process_index = process_index;
  client->topology = pjrt_topology_create(pod);
  client->device_count = pod->device_count;
  const size_t count = (size_t)pod->device_count;
  client->devices = pod_alloc(count * sizeof(*client->devices));
  client->pointers = pod_alloc(count * sizeof(PJRT_Device *));
  client->own = pod_alloc(count * sizeof(PJRT_Device *));
  client->memories = pod_alloc(PJRT_MEMORY_KINDS * count * sizeof(PJRT_Memory *));
  for (size_t i = 0; i < count; i++) {
    PJRT_Device *device = &client->devices[i];
    device->client = client;
    device->description = client->topology->pointers[i];
    client->pointers[i] = device;
    add_own(client, device);
    add_memories(client, device);
  }
  return client;
}

pod_status_t pjrt_open(const char *address, const podium_connect_options_t *options,
                       podium_session_t **out_session, podium_pod_t **out_pod) {
  POD_TRY(pjrt_status(podium_connect(address, options, out_session)));
  const pod_status_t status = pjrt_status(podium_pod(*out_session, 0, out_pod));
  if (status != NULL) {
    podium_close(*out_session);
  }
  return status;
}

enum { RETRIES_MAX = 1000 };

// PODIUM_RETRIES: how often what was lost with a worker or the coordinator runs again.
// Several processes would have to begin anew together.
static int find_retries(const processes_t *processes) {
  const char *value = getenv("PODIUM_RETRIES");
  if (value == NULL || processes->group != NULL) {
    return 0;
  }
  char *end;
  const long retries = strtol(value, &end, 10);
  return end == value || *end != '\0' || retries < 0 ? 0
         : retries > RETRIES_MAX                     ? RETRIES_MAX
                                                     : (int)retries;
}

// Only losses are told: who shares a pod waits for others all the time.
static void on_waiting(void *context, const char *for_what) {
  (void)context;
  if (strncmp(for_what, "for the pod at ", 15) == 0) {
    fprintf(stderr, "podium: waiting %s\n", for_what);
  }
}

PJRT_Error *client_create(PJRT_Client_Create_Args *args) {
  processes_t processes;
  podium_session_t *session;
  podium_pod_t *pod;
  pjrt_run_profile_start();
  PJRT_TRY(pjrt_processes_meet(args, find_address, &processes));
  const podium_connect_options_t options = {.client_name = "JAX",
                                            .retries = find_retries(&processes),
                                            .on_waiting = on_waiting,
                                            .group = processes.group,
                                            .process = processes.index,
                                            .process_count = processes.count};
  const pod_status_t status = pjrt_open(processes.address, &options, &session, &pod);
  const int process_index = processes.index;
  pjrt_processes_deinit(&processes);
  PJRT_TRY(status);
  args->client = make(session, pod, process_index);
  podium_pod_free(pod);
  return NULL;
}

PJRT_Client *pjrt_client_retain(PJRT_Client *client) {
  atomic_fetch_add(&client->use_count, 1);
  return client;
}

void pjrt_client_release(PJRT_Client *client) {
  if (client == NULL || atomic_fetch_sub(&client->use_count, 1) > 1) {
    return;
  }
  podium_close(client->session);
  for (int i = 0; i < client->device_count; i++) {
    for (int kind = 0; kind < PJRT_MEMORY_KINDS; kind++) {
      free(client->devices[i].memories[kind].debug_string);
    }
  }
  pjrt_topology_release(client->topology);
  free(client->memories);
  free(client->own);
  free(client->pointers);
  free(client->devices);
  free(client);
}

PJRT_Error *client_destroy(PJRT_Client_Destroy_Args *args) {
  pjrt_client_release(args->client);
  return NULL;
}

// --- What it answers ---

const char *pjrt_platform_name(void) {
  const char *name = getenv("PODIUM_PLATFORM");
  return name == NULL || *name == '\0' ? "tpu" : name;
}

const char *pjrt_platform_version(void) {
  return "Podium " PODIUM_VERSION " (simulated TPU chips)";
}

PJRT_Error *client_platform_name(PJRT_Client_PlatformName_Args *args) {
  args->platform_name = pjrt_platform_name();
  args->platform_name_size = strlen(args->platform_name);
  return NULL;
}

PJRT_Error *client_platform_version(PJRT_Client_PlatformVersion_Args *args) {
  args->platform_version = pjrt_platform_version();
  args->platform_version_size = strlen(args->platform_version);
  return NULL;
}

PJRT_Error *client_process_index(PJRT_Client_ProcessIndex_Args *args) {
  args->process_index = args->client->process_index;
  return NULL;
}

PJRT_Error *client_topology(PJRT_Client_TopologyDescription_Args *args) {
  args->topology = args->client->topology;
  return NULL;
}

PJRT_Error *client_devices(PJRT_Client_Devices_Args *args) {
  args->devices = args->client->pointers;
  args->num_devices = (size_t)args->client->device_count;
  return NULL;
}

PJRT_Error *client_addressable_devices(PJRT_Client_AddressableDevices_Args *args) {
  args->addressable_devices = args->client->own;
  args->num_addressable_devices = (size_t)args->client->own_count;
  return NULL;
}

PJRT_Error *client_addressable_memories(PJRT_Client_AddressableMemories_Args *args) {
  args->addressable_memories = args->client->memories;
  args->num_addressable_memories = (size_t)args->client->memory_count;
  return NULL;
}

static pod_status_t find_device(PJRT_Client *client, int id, PJRT_Device **out_device) {
  if (id < 0 || id >= client->device_count) {
    return pod_error(POD_INVALID_ARGUMENT, "no device %d: the pod has %d", id,
                     client->device_count);
  }
  *out_device = client->pointers[id];
  return NULL;
}

PJRT_Error *client_lookup_device(PJRT_Client_LookupDevice_Args *args) {
  return pjrt_error(find_device(args->client, args->id, &args->device));
}

PJRT_Error *client_lookup_addressable_device(
    PJRT_Client_LookupAddressableDevice_Args *args) {
  const int index = args->local_hardware_id;
  if (index < 0 || index >= args->client->own_count) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "no device %d of this process, which has %d", index,
                                args->client->own_count));
  }
  args->addressable_device = args->client->own[index];
  return NULL;
}

// Replica r, partition p: device r * partitions + p.
PJRT_Error *client_default_device_assignment(
    PJRT_Client_DefaultDeviceAssignment_Args *args) {
  const int64_t count = (int64_t)args->num_replicas * args->num_partitions;
  if (args->num_replicas < 1 || args->num_partitions < 1 ||
      count > args->client->device_count ||
      (int64_t)args->default_assignment_size < count) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "%d replicas of %d partitions need %lld devices, the pod "
                                "has %d",
                                args->num_replicas, args->num_partitions,
                                (long long)count, args->client->device_count));
  }
  for (int64_t i = 0; i < count; i++) {
    args->default_assignment[i] = (int)i;
  }
  return NULL;
}
