// Small blocks come from the allocator, large ones from mmap; the size alone says which,
// so that the owner's size is enough to give a block back.
//
// Large blocks that are given back are kept in a short list, the oldest first. Their
// pages are marked as free (MADV_FREE): they stay as long as the host does not need them.

#include "server/worker/host_memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/text.h"
#include "server/worker/host_room.h"

enum { HUGE_PAGE_BYTES = 2 << 20, KEPT_MAX = 16 };

typedef struct kept_t {
  void *memory;
  size_t size;
  bool is_old;  // It has been here when trimmed.
} kept_t;

static struct {
  pthread_mutex_t mutex;
  int count;
  size_t bytes;
  kept_t blocks[KEPT_MAX];
} kept = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// With the mutex.
static kept_t take_kept(int index) {
  const kept_t block = kept.blocks[index];
  kept.count--;
  kept.bytes -= block.size;
  memmove(&kept.blocks[index], &kept.blocks[index + 1],
          (size_t)(kept.count - index) * sizeof(block));
  return block;
}

static void *find_kept(size_t size) {
  void *memory = NULL;
  pthread_mutex_lock(&kept.mutex);
  for (int i = kept.count - 1; i >= 0 && memory == NULL; i--) {
    if (kept.blocks[i].size == size) {
      memory = take_kept(i).memory;
    }
  }
  pthread_mutex_unlock(&kept.mutex);
  return memory;
}

// Gives back what is old, or all, or what is too much beside `size` more.
static void give_back(bool old, bool all, size_t size) {
  for (;;) {
    kept_t block = {0};
    pthread_mutex_lock(&kept.mutex);
    if (kept.count > 0 &&
        (all || (old && kept.blocks[0].is_old) || kept.count == KEPT_MAX ||
         kept.bytes + size > HOST_MEMORY_KEPT_BYTES)) {
      block = take_kept(0);
    }
    pthread_mutex_unlock(&kept.mutex);
    if (block.memory == NULL) {
      return;
    }
    (void)munmap(block.memory, block.size);
  }
}

static void keep(void *memory, size_t size) {
  (void)madvise(memory, size, MADV_FREE);
  give_back(false, false, size);
  pthread_mutex_lock(&kept.mutex);
  if (kept.count < KEPT_MAX && kept.bytes + size <= HOST_MEMORY_KEPT_BYTES) {
    kept.blocks[kept.count++] = (kept_t){.memory = memory, .size = size};
    kept.bytes += size;
    memory = NULL;
  }
  pthread_mutex_unlock(&kept.mutex);
  if (memory != NULL) {
    (void)munmap(memory, size);
  }
}

void host_memory_trim(void) {
  give_back(true, false, 0);
  pthread_mutex_lock(&kept.mutex);
  for (int i = 0; i < kept.count; i++) {
    kept.blocks[i].is_old = true;
  }
  pthread_mutex_unlock(&kept.mutex);
}

static pod_status_t exhausted(int64_t size_bytes) {
  pod_text_t size = {0};
  pod_text_add_size(&size, (unsigned long long)size_bytes);
  const pod_status_t status =
      pod_error(POD_RESOURCE_EXHAUSTED, "the host has no memory for %s (%lld bytes)",
                size.bytes, (long long)size_bytes);
  pod_text_deinit(&size);
  return status;
}

static void *map(size_t size) {
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool is_mapped(int64_t size_bytes) {
  return size_bytes >= HOST_MEMORY_MAPPED_BYTES;
}

static bool is_watched(int64_t size_bytes) {
  return size_bytes >= HOST_ROOM_BLOCK_BYTES;
}

static void *take_small(size_t size) {
  const size_t rounded = size == 0 ? HOST_MEMORY_ALIGNMENT
                                   : (size + HOST_MEMORY_ALIGNMENT - 1) &
                                         ~(size_t)(HOST_MEMORY_ALIGNMENT - 1);
  return aligned_alloc(HOST_MEMORY_ALIGNMENT, rounded);
}

// NULL: there is none.
static void *take_mapped(size_t size) {
  void *memory = map(size);
  if (memory == MAP_FAILED) {
    give_back(false, true, 0);
    memory = map(size);
  }
  if (memory == MAP_FAILED) {
    return NULL;
  }
  if (size >= HUGE_PAGE_BYTES) {
    (void)madvise(memory, size, MADV_HUGEPAGE);  // A wish; faults are dearer without it.
  }
  return memory;
}

// Kept blocks stand in nobody's way: they go first.
static pod_status_t admit(int64_t size_bytes) {
  pod_status_t status = host_room_admit(size_bytes);
  if (status != NULL && is_watched(size_bytes)) {
    give_back(false, true, 0);
    pod_status_free(status);
    status = host_room_admit(size_bytes);
  }
  return status;
}

static pod_status_t take(int64_t size_bytes, bool zeros, void **out_memory) {
  if (size_bytes < 0 || (uint64_t)size_bytes > SIZE_MAX / 2) {
    return exhausted(size_bytes);
  }
  const size_t size = (size_t)size_bytes;
  void *memory = size >= HUGE_PAGE_BYTES && !zeros ? find_kept(size) : NULL;
  const bool is_used_before = memory != NULL;
  const pod_status_t status = admit(size_bytes);
  if (status != NULL) {
    if (is_used_before) {
      (void)munmap(memory, size);
    }
    return status;
  }
  if (memory == NULL) {
    memory = is_mapped(size_bytes) ? take_mapped(size) : take_small(size);
  }
  if (memory == NULL) {
    host_room_release(NULL, size_bytes);
    return exhausted(size_bytes);
  }
  if (is_watched(size_bytes) && zeros) {
    host_room_fulfil(size_bytes);
  } else if (is_watched(size_bytes)) {
    host_room_watch(memory, size_bytes, is_used_before);
  }
  *out_memory = memory;
  return NULL;
}

pod_status_t host_memory_alloc(int64_t size_bytes, void **out_memory) {
  return take(size_bytes, false, out_memory);
}

pod_status_t host_memory_alloc_zeros(int64_t size_bytes, void **out_memory) {
  POD_TRY(take(size_bytes, true, out_memory));
  if (!is_mapped(size_bytes)) {
    memset(*out_memory, 0, (size_t)size_bytes);
  }
  return NULL;
}

void host_memory_free(void *memory, int64_t size_bytes) {
  if (memory == NULL) {
    return;
  }
  host_room_release(memory, size_bytes);
  if (!is_mapped(size_bytes)) {
    free(memory);
  } else if (size_bytes >= HUGE_PAGE_BYTES && size_bytes <= HOST_MEMORY_KEPT_BYTES) {
    keep(memory, (size_t)size_bytes);
  } else {
    (void)munmap(memory, (size_t)size_bytes);
  }
}
