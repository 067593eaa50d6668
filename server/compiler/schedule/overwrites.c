#include "server/compiler/schedule/overwrites.h"

#include <stdbool.h>

#include "server/compiler/schedule/fuse.h"

static bool is_of_block(const mlir_block_t *block, const mlir_value_t *value) {
  return value->op != NULL && value->op->block == block;
}

static mlir_value_t *in_place_operand(const mlir_op_t *op) {
  if (chip_op_has(op->kind, CHIP_TRAIT_UPDATES)) {
    return op->operands[0];
  }
  if (op->result_count != 1 || !chip_op_has(op->kind, CHIP_TRAIT_IN_PLACE)) {
    return NULL;
  }
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->block != NULL &&
        fuse_bytes(op->operands[i]) == fuse_bytes(&op->results[0])) {
      return op->operands[i];  // An argument of the block.
    }
  }
  return NULL;
}

// `result` will have the memory of argument `array`: the operation that takes it is the
// one that makes the result, or, through what works in place, the first that does.
static void add_state(const mlir_block_t *block, const mlir_value_t *array,
                      const mlir_value_t *result, overwrites_t *overwrites) {
  mlir_op_t *op = result->op;
  if (op == NULL || op->block != block || chip_op_is_collective((chip_op_t)op->kind)) {
    return;
  }
  for (;;) {
    const mlir_value_t *before = in_place_operand(op);
    if (before == NULL || before == array || !is_of_block(block, before)) {
      break;
    }
    op = before->op;
  }
  *pod_list_add(overwrites) = (overwrite_t){op, array};
}

void overwrites_list(const mlir_block_t *block, const donation_t *donation,
                     overwrites_t *out_overwrites) {
  const mlir_op_t *end = block->last;
  out_overwrites->count = 0;
  for (int i = 0; i < block->argument_count; i++) {
    const int32_t result = donation != NULL ? donation->result_of[i] : i;
    if (result != CHIP_NONE && result < end->operand_count) {
      add_state(block, block->arguments[i], end->operands[result], out_overwrites);
    }
  }
  for (mlir_op_t *op = block->first; op != NULL && op != end; op = op->next) {
    if (!chip_op_has(op->kind, CHIP_TRAIT_UPDATES)) {
      continue;
    }
    const mlir_value_t *array = op->operands[0];
    // Arguments of @main that are donated stand in the list already.
    if (is_of_block(block, array) || (donation == NULL && array->block == block)) {
      *pod_list_add(out_overwrites) = (overwrite_t){op, op->operands[0]};
    }
  }
}
