// A compiled program and the pod it was compiled for. Counted: an executable has it,
// profiles of its executions, and simulations under way, which may all outlive its
// handle.
//
// Threading: the counting on the loop thread; what is inside is immutable.

#ifndef SERVER_COORDINATOR_COMPILED_H_
#define SERVER_COORDINATOR_COMPILED_H_

#include <stdint.h>

#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/compiler/compiler.h"

typedef struct compiled_t {
  int32_t use_count;
  compiler_result_t *result;
  void (*destroy)(compiler_result_t *result);
  const chip_spec_t *spec;
  torus_t torus;
  int64_t hbm_bytes;  // Of a chip.
} compiled_t;

// With one use. Takes `result`.
compiled_t *compiled_create(compiler_result_t *result,
                            void (*destroy)(compiler_result_t *result),
                            const chip_spec_t *spec, const torus_t *torus,
                            int64_t hbm_bytes);

// Returns it. Accepts NULL.
compiled_t *compiled_use(compiled_t *compiled);

// Accepts NULL.
void compiled_unuse(compiled_t *compiled);

#endif  // SERVER_COORDINATOR_COMPILED_H_
