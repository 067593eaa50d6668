// A loop with fewer values in its state. Which ones may go, dead.c and simplify.c
// decide.

#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"

static void shrink_arguments(mlir_block_t *block, const bool *keep) {
  int kept = 0;
  for (int i = 0; i < block->argument_count; i++) {
    if (keep[i]) {
      block->arguments[kept] = block->arguments[i];
      block->arguments[kept]->index = (uint32_t)kept;
      kept++;
    }
  }
  block->argument_count = kept;
}

static void shrink_operands(mlir_op_t *op, const bool *keep) {
  int kept = 0;
  for (int i = 0; i < op->operand_count; i++) {
    if (keep[i]) {
      op->operands[kept++] = op->operands[i];
    }
  }
  op->operand_count = kept;
}

static void move_region(mlir_op_t *from, mlir_op_t *to, int index) {
  to->regions[index].first = from->regions[index].first;
  to->regions[index].last = from->regions[index].last;
  for (mlir_block_t *block = to->regions[index].first; block != NULL;
       block = block->next) {
    block->region = &to->regions[index];
  }
  from->regions[index].first = from->regions[index].last = NULL;
}

mlir_op_t *simplify_shrink_loop(mlir_module_t *module, mlir_op_t *op, const bool *keep,
                                mlir_replacements_t *replacements) {
  const size_t count = (size_t)op->operand_count;
  const mlir_type_t **types = pod_arena_array(module->arena, count, sizeof(*types));
  int kept = 0;
  for (int i = 0; i < op->result_count; i++) {
    if (keep[i]) {
      types[kept++] = op->results[i].type;
    }
  }
  shrink_operands(op, keep);
  mlir_op_t *loop =
      mlir_op_create(module, op->name, kept, op->operands, kept, types, op->region_count);
  loop->position = op->position;
  loop->location = op->location;
  for (int i = 0; i < op->attr_count; i++) {
    mlir_op_add_attr(module, loop, op->attrs[i].name, op->attrs[i].value);
  }
  for (int i = 0; i < op->region_count; i++) {
    move_region(op, loop, i);
    shrink_arguments(mlir_op_block(loop, i), keep);
  }
  shrink_operands(mlir_op_block(loop, 1)->last, keep);
  for (int i = 0, to = 0; i < op->result_count; i++) {
    if (keep[i]) {
      mlir_replacements_put(replacements, &op->results[i], &loop->results[to++]);
    }
  }
  mlir_block_insert_before(op, loop);
  mlir_op_unlink(op);
  return loop;
}
