// Rolls: what jnp.roll makes is two slices of one array, joined the other way round. Each
// of them is of a size that no axes divide, but together they are a cyclic shift, which
// shards pass to each other.
//
// Threading: pure, but for roll_write.

#ifndef SERVER_COMPILER_PARTITION_ROLL_H_
#define SERVER_COMPILER_PARTITION_ROLL_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/compiler/partition/partitioner.h"

typedef struct roll_t {
  const mlir_value_t *value;  // Of which,
  int dim;                    // along `dim`,
  int64_t shift;              // element i is element i + shift, modulo the size.
} roll_t;

// Whether `op` joins two slices so.
bool roll_find(const mlir_op_t *op, roll_t *out_roll);

// By value id: slices that only rolls use. NULL when there is none. In `arena`.
const bool *roll_find_slices(mlir_module_t *module, const mlir_op_t *main,
                             pod_arena_t *arena);

// Writes the roll as the result of `op`.
void roll_write(partitioner_t *partitioner, const mlir_op_t *op, const roll_t *roll);

#endif  // SERVER_COMPILER_PARTITION_ROLL_H_
