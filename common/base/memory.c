// malloc that does not come back empty-handed.

#include "common/base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

void *pod_alloc(size_t size_bytes) {
  void *memory = calloc(1, size_bytes == 0 ? 1 : size_bytes);
  POD_CHECK(memory != NULL);
  return memory;
}

void *pod_grow(void *memory, size_t count, size_t element_bytes) {
  void *larger = reallocarray(memory, count == 0 ? 1 : count, element_bytes);
  POD_CHECK(larger != NULL);
  return larger;
}

char *pod_strdup(const char *text) {
  const size_t size = strlen(text) + 1;
  return memcpy(pod_alloc(size), text, size);
}
