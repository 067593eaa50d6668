// A loop with fewer values in its state (which ones may go, dead.c and simplify.c
// decide), and one that turns once.

#include "common/mlir/walk.h"
#include "server/compiler/dialect/counter.h"
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

// A condition is asked once more than the body runs.
static bool condition_has_effects(const mlir_op_t *loop) {
  for (const mlir_op_t *at = mlir_op_block(loop, 0)->first; at != NULL; at = at->next) {
    bool has_effect = simplify_has_effect(at);
    for (const mlir_op_t *op = mlir_walk_first(at); op != NULL;
         op = mlir_walk_next(at, op)) {
      has_effect = has_effect || simplify_has_effect(op);
    }
    if (has_effect) {
      return true;
    }
  }
  return false;
}

mlir_op_t *simplify_unroll_once(mlir_op_t *loop, mlir_replacements_t *replacements) {
  compiler_counter_t counter;
  if (!compiler_counter(loop, &counter) || counter.turn_count != 1 ||
      condition_has_effects(loop)) {
    return NULL;
  }
  mlir_block_t *body = mlir_op_block(loop, 1);
  for (int i = 0; i < loop->operand_count; i++) {
    mlir_replacements_put(replacements, body->arguments[i], loop->operands[i]);
    mlir_replacements_put(replacements, &loop->results[i], body->last->operands[i]);
  }
  mlir_op_unlink(body->last);
  mlir_op_t *first = body->first;
  while (body->first != NULL) {
    mlir_op_t *op = body->first;
    mlir_op_unlink(op);
    mlir_block_insert_before(loop, op);
  }
  mlir_op_t *next = first != NULL ? first : loop->next;
  mlir_op_unlink(loop);
  return next;
}
