// Small blocks come from the allocator, large ones from mmap; the size alone says which,
// so that the owner's size is enough to give a block back.

#include "server/worker/host_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/text.h"

enum { HUGE_PAGE_BYTES = 2 << 20 };

static pod_status_t exhausted(int64_t size_bytes) {
  pod_text_t size = {0};
  pod_text_add_size(&size, (unsigned long long)size_bytes);
  const pod_status_t status =
      pod_error(POD_RESOURCE_EXHAUSTED, "the host has no memory for %s (%lld bytes)",
                size.bytes, (long long)size_bytes);
  pod_text_deinit(&size);
  return status;
}

pod_status_t host_memory_alloc(int64_t size_bytes, void **out_memory) {
  if (size_bytes < 0 || (uint64_t)size_bytes > SIZE_MAX / 2) {
    return exhausted(size_bytes);
  }
  const size_t size = (size_t)size_bytes;
  if (size < HOST_MEMORY_MAPPED_BYTES) {
    const size_t rounded = size == 0 ? HOST_MEMORY_ALIGNMENT
                                     : (size + HOST_MEMORY_ALIGNMENT - 1) &
                                           ~(size_t)(HOST_MEMORY_ALIGNMENT - 1);
    *out_memory = aligned_alloc(HOST_MEMORY_ALIGNMENT, rounded);
    return *out_memory == NULL ? exhausted(size_bytes) : NULL;
  }
  void *memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return exhausted(size_bytes);
  }
  if (size >= HUGE_PAGE_BYTES) {
    (void)madvise(memory, size, MADV_HUGEPAGE);  // A wish; faults are dearer without it.
  }
  *out_memory = memory;
  return NULL;
}

void host_memory_free(void *memory, int64_t size_bytes) {
  if (memory == NULL) {
    return;
  }
  if (size_bytes < HOST_MEMORY_MAPPED_BYTES) {
    free(memory);
  } else {
    (void)munmap(memory, (size_t)size_bytes);
  }
}
