// Operations without a row that are short for others.

#include <string.h>

#include "server/chip/operations.h"
#include "server/compiler/passes.h"
#include "server/compiler/replacements.h"
#include "server/compiler/walk.h"

// chlo.square(x) is x · x.
static mlir_op_t *expand_square(mlir_module_t *module, const mlir_op_t *op) {
  mlir_value_t *operands[] = {op->operands[0], op->operands[0]};
  const mlir_type_t *type = op->results[0].type;
  return mlir_op_create(module, "stablehlo.multiply", 2, operands, 1, &type, 0);
}

// stablehlo.custom_call @check.expect_eq is how exported modules write check.expect_eq.
static mlir_op_t *expand_check(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  if (!mlir_attr_is(target, MLIR_ATTR_STRING) ||
      strncmp(target->text, "check.", strlen("check.")) != 0 ||
      chip_op_find(target->text) == CHIP_OP_INVALID || op->result_count != 0) {
    return NULL;
  }
  return mlir_op_create(module, target->text, op->operand_count, op->operands, 0, NULL,
                        0);
}

// What stands for `op`, not yet in a block; NULL when it stays as it is.
static mlir_op_t *expansion_of(mlir_module_t *module, const mlir_op_t *op) {
  if (strcmp(op->name, "chlo.square") == 0 && op->operand_count == 1 &&
      op->result_count == 1) {
    return expand_square(module, op);
  }
  if (strcmp(op->name, "stablehlo.custom_call") == 0) {
    return expand_check(module, op);
  }
  return NULL;
}

pod_status_t compiler_expand(mlir_module_t *module) {
  replacements_t replacements = {0};
  mlir_op_t *next;
  for (mlir_op_t *op = walk_first(module->op); op != NULL; op = next) {
    replacements_apply(&replacements, op);
    next = walk_next(module->op, op);
    mlir_op_t *expansion = expansion_of(module, op);
    if (expansion == NULL) {
      continue;
    }
    expansion->position = op->position;
    expansion->location = op->location;
    mlir_block_insert_before(op, expansion);
    for (int i = 0; i < op->result_count; i++) {
      expansion->results[i].name = op->results[i].name;
      replacements_put(&replacements, &op->results[i], &expansion->results[i]);
    }
    mlir_op_unlink(op);
  }
  replacements_deinit(&replacements);
  return NULL;
}
