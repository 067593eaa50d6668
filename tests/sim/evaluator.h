// A slow, plain evaluator of StableHLO, for tests: runs a module on any number of devices
// at once, operation by operation in lockstep, with the collectives done directly on the
// arrays of all devices. Shares no code with the kernels and the lowering.
//
// Numbers are doubles whatever the element type: tests use small integers, for which
// every type is exact and every order of summation gives the same.
//
// Ownership: arrays live in the arena given.
// Errors: what it does not know stops the test.

#ifndef TESTS_SIM_EVALUATOR_H_
#define TESTS_SIM_EVALUATOR_H_

#include <stdint.h>

#include "common/base/arena.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

typedef struct evaluated_t {
  tensor_shape_t shape;
  int64_t elements;
  double *data;  // Device by device, row-major.
} evaluated_t;

// Room for `device_count` arrays of `shape`.
evaluated_t evaluated_make(pod_arena_t *arena, const tensor_shape_t *shape,
                           int64_t device_count);

// Runs @main. `arguments` and `out_results` have as many entries as @main; arguments hold
// an array per device.
void evaluate_main(mlir_module_t *module, int64_t device_count, pod_arena_t *arena,
                   const evaluated_t *arguments, evaluated_t *out_results);

// Cuts an array of one device into the shards of all devices of the sharding's mesh.
evaluated_t evaluated_shard(pod_arena_t *arena, const evaluated_t *whole,
                            const sharding_t *sharding);

// The contrary. False when two devices that hold the same piece differ; NaN stands for an
// element that a device does not know.
bool evaluated_unshard(pod_arena_t *arena, const evaluated_t *shards,
                       const tensor_shape_t *global, const sharding_t *sharding,
                       evaluated_t *out_whole);

#endif  // TESTS_SIM_EVALUATOR_H_
