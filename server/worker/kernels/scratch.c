// A memory pool per thread, one block a slot, which only grows until it is trimmed.

#include "server/worker/kernels/scratch.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/check.h"
#include "server/worker/kernels/memory.h"

enum { ALIGNMENT_BYTES = 64, HUGE_PAGE_BYTES = 2 << 20 };

static const size_t kept_bytes_max = (size_t)64 << 20;  // Per slot.

typedef struct scratch_t {
  void *memory[KERNEL_SLOT_COUNT];
  size_t size_bytes[KERNEL_SLOT_COUNT];
} scratch_t;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void free_slot(scratch_t *scratch, int slot) {
  if (scratch->memory[slot] != NULL) {
    kernel_memory_release(scratch->memory[slot], scratch->size_bytes[slot]);
    free(scratch->memory[slot]);
    scratch->memory[slot] = NULL;
    scratch->size_bytes[slot] = 0;
  }
}

static void free_scratch(void *value) {
  scratch_t *scratch = value;
  for (int i = 0; i < KERNEL_SLOT_COUNT; i++) {
    free_slot(scratch, i);
  }
  free(scratch);
}

static void make_key(void) {
  POD_CHECK(pthread_key_create(&key, free_scratch) == 0);
}

static scratch_t *scratch_of_thread(void) {
  POD_CHECK(pthread_once(&once, make_key) == 0);
  scratch_t *scratch = pthread_getspecific(key);
  if (scratch == NULL) {
    scratch = calloc(1, sizeof(*scratch));
    POD_CHECK(scratch != NULL && pthread_setspecific(key, scratch) == 0);
  }
  return scratch;
}

// Large blocks stand on huge pages where the kernel has them: walking over a packed
// matrix otherwise waits for the tables of its pages. NULL when there is no memory.
static void *allocate(size_t size_bytes, size_t *out_size_bytes) {
  const size_t alignment =
      size_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : ALIGNMENT_BYTES;
  const size_t padded = (size_bytes + alignment) / alignment * alignment;
  if (padded < size_bytes || !kernel_memory_admit(padded)) {
    *out_size_bytes = 0;
    return NULL;
  }
  void *memory = aligned_alloc(alignment, padded);
  if (memory == NULL) {
    kernel_memory_release(NULL, padded);
  } else {
    kernel_memory_watch(memory, padded);
  }
  if (memory != NULL && alignment == HUGE_PAGE_BYTES) {
    (void)madvise(memory, padded, MADV_HUGEPAGE);  // It works without.
  }
  *out_size_bytes = memory == NULL ? 0 : padded;
  return memory;
}

pod_status_t kernel_scratch(kernel_slot_t slot, size_t size_bytes, void **out_memory) {
  scratch_t *scratch = scratch_of_thread();
  if (scratch->size_bytes[slot] < size_bytes || scratch->memory[slot] == NULL) {
    free_slot(scratch, (int)slot);
    scratch->memory[slot] = allocate(size_bytes, &scratch->size_bytes[slot]);
    if (scratch->memory[slot] == NULL) {
      return pod_error(POD_RESOURCE_EXHAUSTED,
                       "no host memory for %zu bytes of a kernel's scratch", size_bytes);
    }
  }
  *out_memory = scratch->memory[slot];
  return NULL;
}

void kernel_scratch_trim(void) {
  scratch_t *scratch = scratch_of_thread();
  for (int i = 0; i < KERNEL_SLOT_COUNT; i++) {
    if (scratch->size_bytes[i] > kept_bytes_max) {
      free_slot(scratch, i);
    }
  }
}
