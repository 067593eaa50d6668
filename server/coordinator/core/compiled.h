// A compiled program and the pod it was compiled for. Counted: an executable has it,
// profiles of its executions, simulations under way, which may all outlive its handle,
// and the cache (compile_cache.h).
//
// Threading: the counting on the loop thread; what is inside is immutable.

#ifndef SERVER_COORDINATOR_CORE_COMPILED_H_
#define SERVER_COORDINATOR_CORE_COMPILED_H_

#include <stddef.h>
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
  // A podium.v1.Program; NULL: it was compiled only to be looked at and simulated,
  // perhaps for another pod.
  uint8_t *packed;
  size_t packed_bytes;
  int64_t size_bytes;   // Of host memory, the packed one too.
  int32_t kernel;       // The first kernel that is only timed; CHIP_NONE: all of it runs.
  uint16_t *footprint;  // What of the pod it needs (footprint.h); NULL: all.
} compiled_t;

// A copy of `parts` with one use, in which `kernel` is looked for. Takes their `result`,
// `packed` and `footprint` (free()).
compiled_t *compiled_create(const compiled_t *parts);

// What it takes of the host's memory. NULL takes nothing.
int64_t compiled_size_bytes(const compiled_t *compiled);

// Returns it. Accepts NULL.
compiled_t *compiled_use(compiled_t *compiled);

// Accepts NULL.
void compiled_unuse(compiled_t *compiled);

#endif  // SERVER_COORDINATOR_CORE_COMPILED_H_
