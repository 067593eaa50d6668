// The size stands before the block, which keeps malloc's alignment.

#include "server/worker/kernels/memory.h"

#include <stdlib.h>

enum { HEADER_BYTES = 64 };

static const kernel_host_t *host;

void kernel_memory_set_host(const kernel_host_t *counted_by) {
  host = counted_by;
}

static bool is_counted(size_t size_bytes) {
  return host != NULL && size_bytes >= KERNEL_COUNTED_BYTES;
}

bool kernel_memory_admit(size_t size_bytes) {
  if (!is_counted(size_bytes)) {
    return true;
  }
  const pod_status_t status =
      size_bytes > INT64_MAX
          ? pod_error(POD_RESOURCE_EXHAUSTED, "no host has so much memory")
          : host->admit((int64_t)size_bytes);
  const bool has_room = status == NULL;
  pod_status_free(status);
  return has_room;
}

void kernel_memory_watch(const void *memory, size_t size_bytes) {
  if (is_counted(size_bytes)) {
    host->watch(memory, (int64_t)size_bytes, false);
  }
}

void kernel_memory_release(const void *memory, size_t size_bytes) {
  if (is_counted(size_bytes)) {
    host->release(memory, (int64_t)size_bytes);
  }
}

void *kernel_malloc(size_t size_bytes) {
  if (size_bytes > SIZE_MAX - HEADER_BYTES || !kernel_memory_admit(size_bytes)) {
    return NULL;
  }
  size_t *block = malloc(size_bytes + HEADER_BYTES);
  if (block == NULL) {
    kernel_memory_release(NULL, size_bytes);
    return NULL;
  }
  *block = size_bytes;
  void *memory = (char *)block + HEADER_BYTES;
  kernel_memory_watch(memory, size_bytes);
  return memory;
}

void kernel_free(void *memory) {
  if (memory != NULL) {
    size_t *block = (size_t *)(void *)((char *)memory - HEADER_BYTES);
    kernel_memory_release(memory, *block);
    free(block);
  }
}
