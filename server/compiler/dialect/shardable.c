#include "server/compiler/dialect/shardable.h"

#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"

static bool is_shardable(const mlir_op_t *op) {
  return op->result_count == 1 && op->results[0].type->kind == MLIR_TYPE_TENSOR;
}

static mlir_op_t *step(const mlir_op_t *main, const mlir_op_t *op) {
  return op == NULL                                ? mlir_walk_first(main)
         : op->kind == KIND_SDY_MANUAL_COMPUTATION ? mlir_walk_skip(main, op)
                                                   : mlir_walk_next(main, op);
}

mlir_op_t *compiler_next_shardable(const mlir_op_t *main, const mlir_op_t *op) {
  mlir_op_t *next = step(main, op);
  while (next != NULL && !is_shardable(next)) {
    next = step(main, next);
  }
  return next;
}
