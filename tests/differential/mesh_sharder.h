// What the files that shard a module share. Private to them.

#ifndef TESTS_DIFFERENTIAL_MESH_SHARDER_H_
#define TESTS_DIFFERENTIAL_MESH_SHARDER_H_

#include "common/base/random.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

typedef struct sharder_t {
  mlir_module_t *module;
  const mesh_t *mesh;  // Of the axes x and y.
  pod_random_t random;
} sharder_t;

static inline uint64_t sharder_below(sharder_t *sharder, uint64_t bound) {
  return pod_random_below(&sharder->random, bound);
}

// A manual computation, in no block yet, whose result is `value`; NULL when chance has it
// that no axis is manual.
mlir_op_t *mesh_manual_identity(sharder_t *sharder, mlir_value_t *value);

#endif  // TESTS_DIFFERENTIAL_MESH_SHARDER_H_
