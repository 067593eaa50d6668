// Devices and their memories: HBM, and two of the host, which are this process's.

#include <string.h>

#include "client/pjrt/plugin.h"

const char *pjrt_memory_kind_name(pjrt_memory_kind_t kind) {
  static const char *const names[PJRT_MEMORY_KINDS] = {"device", "pinned_host",
                                                       "unpinned_host"};
  return names[kind];
}

pjrt_memory_kind_t pjrt_memory_kind_of(const char *name) {
  for (int kind = 0; kind < PJRT_MEMORY_KINDS; kind++) {
    if (strcmp(name, pjrt_memory_kind_name((pjrt_memory_kind_t)kind)) == 0) {
      return (pjrt_memory_kind_t)kind;
    }
  }
  return PJRT_MEMORY_DEVICE;
}

PJRT_Error *device_description(PJRT_Device_GetDescription_Args *args) {
  args->device_description = args->device->description;
  return NULL;
}

PJRT_Error *device_is_addressable(PJRT_Device_IsAddressable_Args *args) {
  args->is_addressable = args->device->own_index >= 0;
  return NULL;
}

PJRT_Error *device_local_hardware_id(PJRT_Device_LocalHardwareId_Args *args) {
  args->local_hardware_id = args->device->own_index;
  return NULL;
}

PJRT_Error *device_memories(PJRT_Device_AddressableMemories_Args *args) {
  args->memories = args->device->memory_pointers;
  args->num_memories = PJRT_MEMORY_KINDS;
  return NULL;
}

PJRT_Error *device_default_memory(PJRT_Device_DefaultMemory_Args *args) {
  args->memory = args->device->memory_pointers[PJRT_MEMORY_DEVICE];
  return NULL;
}

PJRT_Error *device_memory_stats(PJRT_Device_MemoryStats_Args *args) {
  PJRT_Device *device = args->device;
  const int64_t hbm_bytes = device->client->topology->hbm_bytes;
  args->bytes_in_use = atomic_load(&device->bytes_in_use);
  args->peak_bytes_in_use = atomic_load(&device->peak_bytes_in_use);
  args->peak_bytes_in_use_is_set = true;
  args->num_allocs = atomic_load(&device->allocation_count);
  args->num_allocs_is_set = true;
  args->bytes_limit = hbm_bytes;
  args->bytes_limit_is_set = true;
  args->bytes_reservable_limit = hbm_bytes;
  args->bytes_reservable_limit_is_set = true;
  args->largest_alloc_size_is_set = false;
  args->bytes_reserved_is_set = false;
  args->peak_bytes_reserved_is_set = false;
  args->largest_free_block_bytes_is_set = false;
  args->pool_bytes_is_set = false;
  args->peak_pool_bytes_is_set = false;
  return NULL;
}

// --- Memories ---

PJRT_Error *memory_id(PJRT_Memory_Id_Args *args) {
  args->id = args->memory->id;
  return NULL;
}

PJRT_Error *memory_kind(PJRT_Memory_Kind_Args *args) {
  args->kind = pjrt_memory_kind_name(args->memory->kind);
  args->kind_size = strlen(args->kind);
  return NULL;
}

PJRT_Error *memory_kind_id(PJRT_Memory_Kind_Id_Args *args) {
  args->kind_id = (int)args->memory->kind;
  return NULL;
}

PJRT_Error *memory_debug_string(PJRT_Memory_DebugString_Args *args) {
  args->debug_string = args->memory->debug_string;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}

PJRT_Error *memory_to_string(PJRT_Memory_ToString_Args *args) {
  args->to_string = args->memory->debug_string;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}

PJRT_Error *memory_devices(PJRT_Memory_AddressableByDevices_Args *args) {
  args->devices = &args->memory->device;
  args->num_devices = 1;
  return NULL;
}
