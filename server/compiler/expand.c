// Operations without a row that are short for others.

#include <string.h>

#include "server/compiler/passes.h"
#include "server/compiler/replacements.h"
#include "server/compiler/walk.h"

// chlo.square(x) is x · x.
static mlir_op_t *expand_square(mlir_module_t *module, const mlir_op_t *op) {
  mlir_value_t *operands[] = {op->operands[0], op->operands[0]};
  const mlir_type_t *type = op->results[0].type;
  return mlir_op_create(module, "stablehlo.multiply", 2, operands, 1, &type, 0);
}

// What stands for `op`, not yet in a block; NULL when it stays as it is.
static mlir_op_t *expansion_of(mlir_module_t *module, const mlir_op_t *op) {
  if (strcmp(op->name, "chlo.square") == 0 && op->operand_count == 1 &&
      op->result_count == 1) {
    return expand_square(module, op);
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
    expansion->results[0].name = op->results[0].name;
    mlir_block_insert_before(op, expansion);
    replacements_put(&replacements, &op->results[0], &expansion->results[0]);
    mlir_op_unlink(op);
  }
  replacements_deinit(&replacements);
  return NULL;
}
