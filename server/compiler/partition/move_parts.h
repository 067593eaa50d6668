// What the files move*.c share. Private to them.

#ifndef SERVER_COMPILER_PARTITION_MOVE_PARTS_H_
#define SERVER_COMPILER_PARTITION_MOVE_PARTS_H_

#include "server/compiler/partition/partitioner.h"

// The dimension of a tensor that has the factor, alone; -1: none.
int move_dim_of(const factor_tensor_t *tensor, int factor);

// --- move_index.c: what picks and updates elements by an index ---

bool move_index_allows(const mlir_op_t *op, const factors_t *factors, int factor);

// Returns the result, summands where elements are picked.
mlir_value_t *move_index_write(partitioner_t *partitioner, const mlir_op_t *op,
                               const choice_t *choice, mlir_op_t *local);

#endif  // SERVER_COMPILER_PARTITION_MOVE_PARTS_H_
