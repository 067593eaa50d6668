#include "server/coordinator/compiled.h"

#include <stdlib.h>

#include "common/base/memory.h"

compiled_t *compiled_create(compiler_result_t *result,
                            void (*destroy)(compiler_result_t *result),
                            const chip_spec_t *spec, const torus_t *torus,
                            int64_t hbm_bytes) {
  compiled_t *compiled = pod_alloc(sizeof(*compiled));
  *compiled = (compiled_t){.use_count = 1,
                           .result = result,
                           .destroy = destroy,
                           .spec = spec,
                           .torus = *torus,
                           .hbm_bytes = hbm_bytes};
  return compiled;
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
    free(compiled);
  }
}
