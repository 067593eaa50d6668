// The condition is a comparison of a carried value with a constant, and the body adds
// one to it.

#include "server/compiler/dialect/counter.h"

#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/constant.h"
#include "server/program/operations.h"

// Which argument of the condition is below which constant.
static bool read_condition(const mlir_block_t *cond, int *out_index, int64_t *out_end) {
  const mlir_op_t *compare = cond->last->operands[0]->op;
  if (compare == NULL || compare->kind != CHIP_OP_COMPARE || compare->block != cond) {
    return false;
  }
  const char *word = stablehlo_word(mlir_op_attr(compare, "comparison_direction"),
                                    "comparison_direction");
  const mlir_value_t *counter = compare->operands[0];
  if (word == NULL || strcmp(word, "LT") != 0 || counter->block != cond) {
    return false;
  }
  *out_index = (int)counter->index;
  return compiler_constant_integer(compare->operands[1], out_end);
}

static bool counts_up(const mlir_block_t *body, int index) {
  const mlir_op_t *add = body->last->operands[index]->op;
  if (add == NULL || add->kind != CHIP_OP_ADD || add->block != body) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    int64_t step;
    if (add->operands[i] == body->arguments[index] &&
        compiler_constant_integer(add->operands[1 - i], &step) && step == 1) {
      return true;
    }
  }
  return false;
}

bool compiler_counter(const mlir_op_t *loop, compiler_counter_t *out_counter) {
  if (loop->kind != CHIP_OP_WHILE || loop->region_count != 2) {
    return false;
  }
  compiler_counter_t counter = {0};
  int64_t end;
  if (!read_condition(mlir_op_block(loop, 0), &counter.index, &end) ||
      !counts_up(mlir_op_block(loop, 1), counter.index) ||
      !compiler_constant_integer(loop->operands[counter.index], &counter.first)) {
    return false;
  }
  counter.turn_count = end > counter.first ? end - counter.first : 0;
  *out_counter = counter;
  return true;
}
