// Pre-order over regions, blocks and operations without a stack: from an operation the
// next is its first inner one, its successor, or that of the nearest operation around it
// that has one.

#include "common/mlir/walk.h"

// The first operation at or behind `region` of `op`.
static mlir_op_t *first_from(const mlir_op_t *op, int region) {
  for (; region < op->region_count; region++) {
    for (const mlir_block_t *block = op->regions[region].first; block != NULL;
         block = block->next) {
      if (block->first != NULL) {
        return block->first;
      }
    }
  }
  return NULL;
}

mlir_op_t *mlir_walk_first(const mlir_op_t *root) {
  return first_from(root, 0);
}

mlir_op_t *mlir_walk_skip(const mlir_op_t *root, const mlir_op_t *op) {
  while (op != root) {
    if (op->next != NULL) {
      return op->next;
    }
    const mlir_region_t *region = op->block->region;
    for (const mlir_block_t *block = op->block->next; block != NULL;
         block = block->next) {
      if (block->first != NULL) {
        return block->first;
      }
    }
    op = region->op;
    mlir_op_t *next = first_from(op, (int)(region - op->regions) + 1);
    if (next != NULL) {
      return next;
    }
  }
  return NULL;
}

mlir_op_t *mlir_walk_on(const mlir_op_t *root, const mlir_op_t *op) {
  mlir_op_t *first = first_from(op, 0);
  return first != NULL ? first : mlir_walk_skip(root, op);
}

void mlir_walk_move_region(mlir_region_t *from, mlir_region_t *to) {
  to->first = from->first;
  to->last = from->last;
  for (mlir_block_t *block = to->first; block != NULL; block = block->next) {
    block->region = to;
  }
  from->first = from->last = NULL;
}
