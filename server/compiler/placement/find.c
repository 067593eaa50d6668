// From what is marked forwards, until nothing new is found.

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/memory_kind.h"
#include "server/compiler/placement/placement.h"
#include "server/program/operations.h"

bool placement_is_marked(const mlir_op_t *main, const char *list, int index) {
  const mlir_attr_t *mark =
      mlir_attr_get_at(mlir_op_attr(main, list), index, "mhlo.memory_kind");
  return mlir_attr_is(mark, MLIR_ATTR_STRING) && compiler_is_host_kind(mark->text);
}

static bool has_mark(const mlir_op_t *op) {
  return mlir_op_attr(op, COMPILER_HOST_ATTR) != NULL;
}

bool placement_is_transfer(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_TO_HOST:
    case CHIP_OP_TO_DEVICE:
      return true;
    case CHIP_OP_SLICE:
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return has_mark(op);
    default:
      return false;
  }
}

bool placement_is_to_host(const mlir_op_t *op) {
  return op->kind == CHIP_OP_TO_HOST || op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE;
}

bool placement_is_allocation(const mlir_op_t *op) {
  return op->kind == CHIP_OP_BROADCAST_IN_DIM && has_mark(op);
}

const mlir_value_t *placement_moved(const mlir_op_t *op) {
  return op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE ? op->operands[1] : &op->results[0];
}

static bool is_ascending(const mlir_attr_t *dims) {
  if (dims == NULL || dims->integers == NULL) {
    return dims != NULL && dims->count == 0;
  }
  for (int64_t i = 1; i < dims->count; i++) {
    if (dims->integers[i] <= dims->integers[i - 1]) {
      return false;
    }
  }
  return true;
}

// The same elements in the same order: a reshape, or a broadcast over dimensions of 1.
bool placement_is_view(const mlir_op_t *op) {
  if (op->kind != CHIP_OP_BROADCAST_IN_DIM || has_mark(op)) {
    return op->kind == CHIP_OP_RESHAPE;
  }
  const int64_t from = tensor_shape_elements(&op->operands[0]->type->shape);
  return from > 1 && from == tensor_shape_elements(&op->results[0].type->shape) &&
         is_ascending(mlir_op_attr(op, "broadcast_dimensions"));
}

// Returns whether that is new.
static bool put(bool *is_host, const mlir_value_t *value) {
  const bool is_new = !is_host[value->id];
  is_host[value->id] = true;
  return is_new;
}

// What a loop carries lies in one place.
static bool visit_loop(bool *is_host, const mlir_op_t *op) {
  const mlir_block_t *cond = mlir_op_block(op, 0), *body = mlir_op_block(op, 1);
  bool is_new = false;
  for (int i = 0; i < op->operand_count; i++) {
    if (is_host[op->operands[i]->id] || is_host[body->last->operands[i]->id]) {
      is_new = put(is_host, cond->arguments[i]) || is_new;
      is_new = put(is_host, body->arguments[i]) || is_new;
      is_new = put(is_host, &op->results[i]) || is_new;
    }
  }
  return is_new;
}

static bool visit_branches(bool *is_host, const mlir_op_t *op) {
  bool is_new = false;
  for (int b = 0; b < op->region_count; b++) {
    const mlir_op_t *end = mlir_op_block(op, b)->last;
    for (int i = 0; i < op->result_count; i++) {
      is_new = (is_host[end->operands[i]->id] && put(is_host, &op->results[i])) || is_new;
    }
  }
  return is_new;
}

static bool visit(bool *is_host, const mlir_op_t *op) {
  if (placement_is_view(op)) {
    return is_host[op->operands[0]->id] && put(is_host, &op->results[0]);
  }
  switch (op->kind) {
    case CHIP_OP_TO_HOST:
      return put(is_host, &op->results[0]);
    case CHIP_OP_BROADCAST_IN_DIM:
      return has_mark(op) && put(is_host, &op->results[0]);
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return (is_host[op->operands[0]->id] || is_host[op->operands[1]->id]) &&
             put(is_host, &op->results[0]);
    case CHIP_OP_OPTIMIZATION_BARRIER: {
      bool is_new = false;
      for (int i = 0; i < op->result_count; i++) {
        is_new =
            (is_host[op->operands[i]->id] && put(is_host, &op->results[i])) || is_new;
      }
      return is_new;
    }
    case CHIP_OP_WHILE:
      return visit_loop(is_host, op);
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return visit_branches(is_host, op);
    default:
      return false;
  }
}

static bool find_sources(const mlir_op_t *main, bool *is_host) {
  bool is_any = false;
  const mlir_block_t *block = mlir_op_block(main, 0);
  for (int i = 0; i < block->argument_count; i++) {
    if (placement_is_marked(main, "arg_attrs", i)) {
      is_any = put(is_host, block->arguments[i]);
    }
  }
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL && !is_any;
       op = mlir_walk_next(main, op)) {
    is_any = op->kind == CHIP_OP_TO_HOST || placement_is_allocation(op);
  }
  return is_any;
}

bool *placement_find(const mlir_module_t *module) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  bool *is_host = pod_alloc((size_t)module->value_count + 1);
  if (main == NULL || main->region_count != 1 || !find_sources(main, is_host)) {
    free(is_host);
    return NULL;
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (mlir_op_t *op = mlir_walk_first(main); op != NULL;
         op = mlir_walk_next(main, op)) {
      is_new = visit(is_host, op) || is_new;
    }
  }
  return is_host;
}
