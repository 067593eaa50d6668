// malloc that does not come back empty-handed.

#include "common/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*stop_process)(size_t size_bytes);

void pod_memory_on_exhausted(void (*stop)(size_t size_bytes)) {
  stop_process = stop;
}

void pod_memory_exhausted(size_t size_bytes) {
  if (stop_process != NULL) {
    stop_process(size_bytes);
  }
  fprintf(stderr, "out of memory: %zu bytes are not to be had\n", size_bytes);
  abort();
}

void *pod_alloc(size_t size_bytes) {
  void *memory = calloc(1, size_bytes == 0 ? 1 : size_bytes);
  if (memory == NULL) {
    pod_memory_exhausted(size_bytes);
  }
  return memory;
}

void *pod_grow(void *memory, size_t count, size_t element_bytes) {
  void *larger = reallocarray(memory, count == 0 ? 1 : count, element_bytes);
  if (larger == NULL) {
    pod_memory_exhausted(count * element_bytes);
  }
  return larger;
}

char *pod_strdup(const char *text) {
  const size_t size = strlen(text) + 1;
  return memcpy(pod_alloc(size), text, size);
}
