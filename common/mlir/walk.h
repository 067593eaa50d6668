// Walks operations in program order without recursion, so that no nesting that a module
// has can exhaust the stack.
//
//   for (mlir_op_t *op = mlir_walk_first(root); op != NULL; op = mlir_walk_next(root,
//   op)) { … }
//
// An operation comes before what is in its regions. The walk may insert and unlink
// operations behind the current one; to unlink the current one, ask for the next first.
//
// Threading: pure. Cost: linear in the operations walked over.

#ifndef COMMON_MLIR_WALK_H_
#define COMMON_MLIR_WALK_H_

#include "common/mlir/ir.h"

// The first operation inside of `root`, or NULL.
mlir_op_t *mlir_walk_first(const mlir_op_t *root);

// The operation after `op`, inside of `root`, without going into the regions of `op`;
// NULL at the end.
mlir_op_t *mlir_walk_skip(const mlir_op_t *root, const mlir_op_t *op);

// For mlir_walk_next: of an operation with regions, or the last of its block.
mlir_op_t *mlir_walk_on(const mlir_op_t *root, const mlir_op_t *op);

// The operation after `op`, inside of `root`; NULL at the end. In place, because most
// operations have no regions and one behind them.
static inline mlir_op_t *mlir_walk_next(const mlir_op_t *root, const mlir_op_t *op) {
  return op->region_count == 0 && op->next != NULL && op != root ? op->next
                                                                 : mlir_walk_on(root, op);
}

// The blocks of `from` become those of `to`, which has none.
void mlir_walk_move_region(mlir_region_t *from, mlir_region_t *to);

// The operation that holds `op`, or NULL.
static inline mlir_op_t *walk_parent(const mlir_op_t *op) {
  return op->block == NULL ? NULL : op->block->region->op;
}

#endif  // COMMON_MLIR_WALK_H_
