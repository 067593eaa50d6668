#include "server/worker/kernels/scratch.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/base/check.h"

enum { ALIGNMENT_BYTES = 64 };

static const size_t kept_bytes_max = (size_t)64 << 20;  // Per slot.

typedef struct scratch_t {
  void *memory[KERNEL_SLOT_COUNT];
  size_t size_bytes[KERNEL_SLOT_COUNT];
} scratch_t;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void free_scratch(void *value) {
  scratch_t *scratch = value;
  for (int i = 0; i < KERNEL_SLOT_COUNT; i++) {
    free(scratch->memory[i]);
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

pod_status_t kernel_scratch(kernel_slot_t slot, size_t size_bytes, void **out_memory) {
  scratch_t *scratch = scratch_of_thread();
  if (scratch->size_bytes[slot] < size_bytes || scratch->memory[slot] == NULL) {
    free(scratch->memory[slot]);
    const size_t padded =
        (size_bytes + ALIGNMENT_BYTES) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    scratch->memory[slot] =
        padded < size_bytes ? NULL : aligned_alloc(ALIGNMENT_BYTES, padded);
    scratch->size_bytes[slot] = scratch->memory[slot] == NULL ? 0 : padded;
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
      free(scratch->memory[i]);
      scratch->memory[i] = NULL;
      scratch->size_bytes[i] = 0;
    }
  }
}
