// A count of uses; the last one frees.

#include "server/coordinator/core/compiled.h"

#include <stdlib.h>

#include "common/base/memory.h"

compiled_t *compiled_create(const compiled_t *parts) {
  compiled_t *compiled = pod_alloc(sizeof(*compiled));
  *compiled = *parts;
  compiled->use_count = 1;
  const bool has_program = parts->result != NULL && parts->result->program != NULL;
  compiled->kernel =
      has_program ? chip_program_first_kernel(parts->result->program) : CHIP_NONE;
  return compiled;
}

int64_t compiled_size_bytes(const compiled_t *compiled) {
  return compiled == NULL ? 0 : compiled->size_bytes;
}

compiled_t *compiled_use(compiled_t *compiled) {
  if (compiled != NULL) {
    compiled->use_count++;
  }
  return compiled;
}

void compiled_unuse(compiled_t *compiled) {
  if (compiled != NULL && --compiled->use_count == 0) {
    compiled->destroy(compiled->result);
    free(compiled->packed);
    free(compiled->footprint);
    free(compiled);
  }
}
