// Marks what contributes to the results of a function, from its return backwards, and
// sweeps the rest. A loop's carried values are marked one by one: value i is alive when
// result i is used, when the condition reads it, or when the next value of one that is
// alive needs it.

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"

typedef struct marker_t {
  unsigned char *is_value_alive;  // By id.
  unsigned char *is_op_alive;
  POD_LIST(mlir_value_t *) pending;  // Alive, and what they need not marked yet.
} marker_t;

static void mark_value(marker_t *marker, mlir_value_t *value) {
  if (marker->is_value_alive[value->id]) {
    return;
  }
  marker->is_value_alive[value->id] = 1;
  *pod_list_add(&marker->pending) = value;
}

static void mark_op(marker_t *marker, mlir_op_t *op);

// Value i of a loop: what it starts from, what the body makes of it, and its result's
// other names.
static void mark_carried(marker_t *marker, mlir_op_t *loop, uint32_t index) {
  mark_op(marker, loop);
  mlir_block_t *cond = mlir_op_block(loop, 0), *body = mlir_op_block(loop, 1);
  marker->is_value_alive[cond->arguments[index]->id] = 1;
  marker->is_value_alive[body->arguments[index]->id] = 1;
  marker->is_value_alive[loop->results[index].id] = 1;
  mark_value(marker, loop->operands[index]);
  mark_value(marker, body->last->operands[index]);
}

// Everything in the regions of an operation that is no loop or branch.
static void mark_inside(marker_t *marker, mlir_op_t *op) {
  for (mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
       inner = mlir_walk_next(op, inner)) {
    marker->is_op_alive[inner->id] = 1;
    for (int i = 0; i < inner->operand_count; i++) {
      mark_value(marker, inner->operands[i]);
    }
  }
}

// What an operation needs whichever of its results is used.
static void mark_op(marker_t *marker, mlir_op_t *op) {
  if (marker->is_op_alive[op->id]) {
    return;
  }
  marker->is_op_alive[op->id] = 1;
  if (op->kind == CHIP_OP_WHILE) {
    mlir_op_t *cond_end = mlir_op_block(op, 0)->last;
    marker->is_op_alive[cond_end->id] = 1;
    marker->is_op_alive[mlir_op_block(op, 1)->last->id] = 1;
    mark_value(marker, cond_end->operands[0]);
    return;
  }
  for (int i = 0; i < op->operand_count; i++) {
    mark_value(marker, op->operands[i]);
  }
  if (op->kind != CHIP_OP_IF && op->kind != CHIP_OP_CASE) {
    mark_inside(marker, op);
    return;
  }
  for (int b = 0; b < op->region_count; b++) {
    mlir_op_t *end = mlir_op_block(op, b)->last;
    marker->is_op_alive[end->id] = 1;
    for (int i = 0; i < end->operand_count; i++) {
      mark_value(marker, end->operands[i]);
    }
  }
}

static void mark_needs(marker_t *marker, mlir_value_t *value) {
  if (value->op != NULL) {
    if (value->op->kind == CHIP_OP_WHILE) {
      mark_carried(marker, value->op, value->index);
    } else {
      mark_op(marker, value->op);
    }
    return;
  }
  mlir_op_t *parent = value->block->region->op;
  if (parent->kind == CHIP_OP_WHILE) {
    mark_carried(marker, parent, value->index);
  }
}

static bool has_dead_carried(const marker_t *marker, const mlir_op_t *loop, bool *keep) {
  const mlir_block_t *body = mlir_op_block(loop, 1);
  bool has_dead = false;
  for (int i = 0; i < loop->operand_count; i++) {
    keep[i] = marker->is_value_alive[body->arguments[i]->id];
    has_dead = has_dead || !keep[i];
  }
  return has_dead;
}

static bool sweep(mlir_module_t *module, mlir_op_t *function, const marker_t *marker,
                  mlir_replacements_t *replacements) {
  bool has_shrunk = false;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(function); op != NULL; op = next) {
    mlir_replacements_apply(replacements, op);
    if (!marker->is_op_alive[op->id]) {
      next = mlir_walk_skip(function, op);
      mlir_op_unlink(op);
      continue;
    }
    if (op->kind == CHIP_OP_WHILE) {
      bool *keep = pod_alloc((size_t)op->operand_count);
      if (has_dead_carried(marker, op, keep)) {
        op = simplify_shrink_loop(module, op, keep, replacements);
        has_shrunk = true;
      }
      free(keep);
    }
    next = mlir_walk_next(function, op);
  }
  return has_shrunk;
}

bool simplify_has_effect(const mlir_op_t *op) {
  return chip_op_has(op->kind, CHIP_TRAIT_CHECKS);
}

// What does something beside its results, and the operations around it.
static void mark_effects(marker_t *marker, mlir_op_t *function) {
  for (mlir_op_t *op = mlir_walk_first(function); op != NULL;
       op = mlir_walk_next(function, op)) {
    const bool has_effect = simplify_has_effect(op);
    for (mlir_op_t *at = op; has_effect && at != NULL && at != function;
         at = walk_parent(at)) {
      mark_op(marker, at);
    }
  }
}

bool simplify_dead(mlir_module_t *module, mlir_op_t *function,
                   mlir_replacements_t *replacements) {
  marker_t marker = {0};
  marker.is_value_alive = pod_alloc(module->value_count);
  marker.is_op_alive = pod_alloc(module->op_count);
  mlir_op_t *end = mlir_op_block(function, 0)->last;
  POD_CHECK(end != NULL);
  marker.is_op_alive[end->id] = 1;
  for (int i = 0; i < end->operand_count; i++) {
    mark_value(&marker, end->operands[i]);
  }
  mark_effects(&marker, function);
  while (marker.pending.count > 0) {
    mark_needs(&marker, marker.pending.items[--marker.pending.count]);
  }
  const bool has_shrunk = sweep(module, function, &marker, replacements);
  free(marker.is_value_alive);
  free(marker.is_op_alive);
  pod_list_deinit(&marker.pending);
  return has_shrunk;
}
