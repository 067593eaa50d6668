// Topologies and the descriptions of their devices, as JAX shows those of a TPU slice:
// device i is the i-th chip of the first slice, x fastest, and so on.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"

static PJRT_NamedValue int_value(const char *name, int64_t value) {
  return (PJRT_NamedValue){.struct_size = sizeof(PJRT_NamedValue),
                           .name = name,
                           .name_size = strlen(name),
                           .type = PJRT_NamedValue_kInt64,
                           .int64_value = value,
                           .value_size = 1};
}

static PJRT_NamedValue list_value(const char *name, const int64_t *values, size_t count) {
  PJRT_NamedValue value = int_value(name, 0);
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = values;
  value.value_size = count;
  return value;
}

static void print(const podium_device_t *device, PJRT_DeviceDescription *description) {
  const int *at = device->coords;
  pod_text_t text = {0};
  pod_text_printf(
      &text, "TpuDevice(id=%d, process_index=%d, coords=(%d,%d,%d), core_on_chip=%d",
      device->id, device->process_index, at[0], at[1], at[2], device->core_on_chip);
  if (description->topology->slice_count > 1) {
    pod_text_printf(&text, ", slice_index=%d", device->slice_index);
  }
  pod_text_add(&text, ")");
  description->string = pod_text_take(&text);
  text = (pod_text_t){0};
  pod_text_printf(&text, "TPU_%d(process=%d,(%d,%d,%d,%d))", device->id,
                  device->process_index, at[0], at[1], at[2], device->core_on_chip);
  description->debug_string = pod_text_take(&text);
}

static void describe(const PJRT_TopologyDescription *topology,
                     const podium_device_t *device,
                     PJRT_DeviceDescription *out_description) {
  *out_description = (PJRT_DeviceDescription){
      .id = device->id, .process_index = device->process_index, .topology = topology};
  for (int i = 0; i < 3; i++) {
    out_description->coords[i] = device->coords[i];
  }
  print(device, out_description);
  out_description->attributes[0] = list_value("coords", out_description->coords, 3);
  out_description->attributes[1] = int_value("core_on_chip", device->core_on_chip);
  out_description->attributes[2] = int_value("slice_index", device->slice_index);
  out_description->attributes[3] = int_value("num_cores", 1);
}

PJRT_TopologyDescription *pjrt_topology_create(const podium_pod_t *pod) {
  PJRT_TopologyDescription *topology = pod_alloc(sizeof(*topology));
  atomic_init(&topology->use_count, 1);
  topology->chip_kind = pod_strdup(pod->chip_kind);
  topology->device_kind = pod_strdup(pod->device_kind);
  topology->name = pod_strdup(pod->topology);
  topology->hbm_bytes = pod->hbm_bytes;
  topology->device_count = pod->device_count;
  topology->slice_count = pod->slice_count;
  topology->attributes[0] = int_value("num_slices", pod->slice_count);
  const size_t count = (size_t)pod->device_count;
  topology->descriptions = pod_alloc(count * sizeof(*topology->descriptions));
  topology->pointers = pod_alloc(count * sizeof(PJRT_DeviceDescription *));
  for (size_t i = 0; i < count; i++) {
    describe(topology, &pod->devices[i], &topology->descriptions[i]);
    topology->pointers[i] = &topology->descriptions[i];
  }
  return topology;
}

PJRT_TopologyDescription *pjrt_topology_retain(const PJRT_TopologyDescription *topology) {
  PJRT_TopologyDescription *counted = (PJRT_TopologyDescription *)(uintptr_t)topology;
  atomic_fetch_add(&counted->use_count, 1);
  return counted;
}

void pjrt_topology_release(PJRT_TopologyDescription *topology) {
  if (topology == NULL || atomic_fetch_sub(&topology->use_count, 1) > 1) {
    return;
  }
  podium_close(topology->session);
  for (int i = 0; i < topology->device_count; i++) {
    free(topology->descriptions[i].string);
    free(topology->descriptions[i].debug_string);
  }
  free(topology->descriptions);
  free(topology->pointers);
  free(topology->chip_kind);
  free(topology->device_kind);
  free(topology->name);
  free(topology);
}

// --- PJRT: descriptions of devices ---

PJRT_Error *description_id(PJRT_DeviceDescription_Id_Args *args) {
  args->id = args->device_description->id;
  return NULL;
}

PJRT_Error *description_process_index(PJRT_DeviceDescription_ProcessIndex_Args *args) {
  args->process_index = args->device_description->process_index;
  return NULL;
}

PJRT_Error *description_attributes(PJRT_DeviceDescription_Attributes_Args *args) {
  args->attributes = args->device_description->attributes;
  args->num_attributes = PJRT_DEVICE_ATTRIBUTES;
  return NULL;
}

PJRT_Error *description_kind(PJRT_DeviceDescription_Kind_Args *args) {
  args->device_kind = args->device_description->topology->device_kind;
  args->device_kind_size = strlen(args->device_kind);
  return NULL;
}

PJRT_Error *description_debug_string(PJRT_DeviceDescription_DebugString_Args *args) {
  args->debug_string = args->device_description->debug_string;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}

PJRT_Error *description_to_string(PJRT_DeviceDescription_ToString_Args *args) {
  args->to_string = args->device_description->string;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}

// --- PJRT: memories of a device that only is described ---

struct PJRT_MemoryDescription {
  pjrt_memory_kind_t kind;
};

static PJRT_Error *memory_descriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args *args) {
  static const PJRT_MemoryDescription kinds[PJRT_MEMORY_KINDS] = {
      {PJRT_MEMORY_DEVICE}, {PJRT_MEMORY_PINNED_HOST}, {PJRT_MEMORY_UNPINNED_HOST}};
  static const PJRT_MemoryDescription *const pointers[PJRT_MEMORY_KINDS] = {
      &kinds[0], &kinds[1], &kinds[2]};
  args->memory_descriptions = pointers;
  args->num_memory_descriptions = PJRT_MEMORY_KINDS;
  args->default_memory_index = 0;
  return NULL;
}

static PJRT_Error *memory_description_kind(PJRT_MemoryDescription_Kind_Args *args) {
  args->kind = pjrt_memory_kind_name(args->memory_description->kind);
  args->kind_size = strlen(args->kind);
  args->kind_id = (int)args->memory_description->kind;
  return NULL;
}

PJRT_MemoryDescriptions_Extension pjrt_memory_descriptions_extension = {
    .base = {.struct_size = sizeof(PJRT_MemoryDescriptions_Extension),
             .type = PJRT_Extension_Type_MemoryDescriptions},
    .PJRT_DeviceDescription_MemoryDescriptions = memory_descriptions,
    .PJRT_MemoryDescription_Kind = memory_description_kind,
};

// --- PJRT: topologies ---

PJRT_Error *topology_destroy(PJRT_TopologyDescription_Destroy_Args *args) {
  pjrt_topology_release(args->topology);
  return NULL;
}

PJRT_Error *topology_platform_name(PJRT_TopologyDescription_PlatformName_Args *args) {
  args->platform_name = pjrt_platform_name();
  args->platform_name_size = strlen(args->platform_name);
  return NULL;
}

PJRT_Error *topology_platform_version(
    PJRT_TopologyDescription_PlatformVersion_Args *args) {
  args->platform_version = pjrt_platform_version();
  args->platform_version_size = strlen(args->platform_version);
  return NULL;
}

PJRT_Error *topology_descriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args *args) {
  args->descriptions = args->topology->pointers;
  args->num_descriptions = (size_t)args->topology->device_count;
  return NULL;
}

PJRT_Error *topology_attributes(PJRT_TopologyDescription_Attributes_Args *args) {
  args->attributes = args->topology->attributes;
  args->num_attributes = POD_COUNT_OF(args->topology->attributes);
  return NULL;
}
