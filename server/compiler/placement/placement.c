// One walk behind the search: every reading of an array on the host becomes a transfer,
// or stays one of the host's memory.

#include "server/compiler/placement/placement.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"

typedef struct placer_t {
  mlir_module_t *module;
  mlir_op_t *main;
  bool *is_host;  // By id, of the values that were there before.
  uint32_t value_count;
  mlir_replacements_t replacements;
} placer_t;

static bool is_host(const placer_t *placer, const mlir_value_t *value) {
  if (value->id < placer->value_count) {
    return placer->is_host[value->id];
  }
  return value->op != NULL &&
         (value->op->kind == CHIP_OP_TO_HOST || placement_is_allocation(value->op));
}

// --- New operations ---

static mlir_op_t *emit(const placer_t *placer, mlir_op_t *before, chip_op_t kind,
                       mlir_value_t *operand, const mlir_type_t *type) {
  mlir_op_t *op =
      mlir_op_create(placer->module, chip_op_name(kind), 1, &operand, 1, &type, 0);
  op->position = before->position;
  op->location = before->location;
  mlir_block_insert_before(before, op);
  return op;
}

static mlir_value_t *move(const placer_t *placer, mlir_op_t *before, chip_op_t kind,
                          mlir_value_t *value) {
  return &emit(placer, before, kind, value, value->type)->results[0];
}

static void mark(const placer_t *placer, mlir_op_t *op) {
  mlir_op_set_attr(placer->module, op, mlir_intern(placer->module, COMPILER_HOST_ATTR),
                   mlir_attr_unit(placer->module));
}

// The one element that a splat repeats, as a constant before `before`.
static mlir_value_t *element_of(const placer_t *placer, mlir_op_t *before,
                                const mlir_attr_t *splat) {
  mlir_module_t *module = placer->module;
  const tensor_shape_t shape = tensor_shape_make(splat->type->shape.dtype, 0, NULL);
  const mlir_attr_t *value = mlir_attr_dense(module, &shape, splat->data, true);
  mlir_op_t *constant =
      mlir_op_create(module, chip_op_name(CHIP_OP_CONSTANT), 0, NULL, 1, &value->type, 0);
  constant->position = before->position;
  constant->location = before->location;
  mlir_op_set_attr(module, constant, mlir_intern(module, "value"), value);
  mlir_block_insert_before(before, constant);
  return &constant->results[0];
}

// The same array made on the host, when it is one element over and over; else NULL.
static mlir_value_t *allocate(const placer_t *placer, mlir_op_t *before,
                              const mlir_value_t *value) {
  const mlir_op_t *maker = value->op;
  mlir_module_t *module = placer->module;
  const mlir_attr_t *splat = maker != NULL && maker->kind == CHIP_OP_CONSTANT
                                 ? mlir_op_attr(maker, "value")
                                 : NULL;
  mlir_value_t *element = NULL;
  const mlir_attr_t *dims = NULL;
  if (splat != NULL && splat->is_splat) {
    element = element_of(placer, before, splat);
    dims = mlir_attr_i64_array(module, 0, NULL);
  } else if (maker != NULL && maker->kind == CHIP_OP_BROADCAST_IN_DIM &&
             tensor_shape_elements(&maker->operands[0]->type->shape) == 1) {
    element = maker->operands[0];
    dims = mlir_op_attr(maker, "broadcast_dimensions");
  }
  if (element == NULL) {
    return NULL;
  }
  mlir_op_t *op = emit(placer, before, CHIP_OP_BROADCAST_IN_DIM, element, value->type);
  mlir_op_set_attr(module, op, mlir_intern(module, "broadcast_dimensions"), dims);
  mark(placer, op);
  return &op->results[0];
}

static mlir_value_t *on_host(const placer_t *placer, mlir_op_t *before,
                             mlir_value_t *value) {
  if (is_host(placer, value)) {
    return value;
  }
  mlir_value_t *made = allocate(placer, before, value);
  return made != NULL ? made : move(placer, before, CHIP_OP_TO_HOST, value);
}

// What a value on the host was before it was moved there, through views; NULL: it was
// always there. Views in a row are few: each is made anew.
static mlir_value_t *before_move(const placer_t *placer, mlir_op_t *before,
                                 mlir_value_t *value) {
  enum { VIEWS_MAX = 8 };
  mlir_op_t *views[VIEWS_MAX];
  int count = 0;
  mlir_op_t *maker = value->op;
  while (maker != NULL && placement_is_view(maker) && count < VIEWS_MAX) {
    views[count++] = maker;
    maker = maker->operands[0]->op;
  }
  if (maker == NULL || maker->kind != CHIP_OP_TO_HOST) {
    return NULL;
  }
  mlir_value_t *moved = maker->operands[0];
  while (count > 0) {
    const mlir_op_t *view = views[--count];
    moved =
        &emit(placer, before, CHIP_OP_RESHAPE, moved, view->results[0].type)->results[0];
  }
  return moved;
}

static mlir_value_t *on_device(const placer_t *placer, mlir_op_t *before,
                               mlir_value_t *value) {
  return is_host(placer, value) ? move(placer, before, CHIP_OP_TO_DEVICE, value) : value;
}

// --- Operations ---

// The operand stands for the result.
static void drop(placer_t *placer, mlir_op_t *op) {
  mlir_replacements_put(&placer->replacements, &op->results[0], op->operands[0]);
  mlir_op_unlink(op);
}

static void place_update(const placer_t *placer, mlir_op_t *op) {
  if (!is_host(placer, &op->results[0])) {
    return;
  }
  op->operands[0] = on_host(placer, op, op->operands[0]);
  if (is_host(placer, op->operands[1])) {
    mlir_value_t *update = before_move(placer, op, op->operands[1]);
    op->operands[1] = update != NULL ? update : on_device(placer, op, op->operands[1]);
  }
  mark(placer, op);
}

static pod_status_t place_results(const placer_t *placer, mlir_op_t *end) {
  for (int i = 0; i < end->operand_count; i++) {
    if (placement_is_marked(placer->main, "res_attrs", i)) {
      end->operands[i] = on_host(placer, end, end->operands[i]);
    } else if (is_host(placer, end->operands[i])) {
      return mlir_op_error(
          placer->module, end, POD_INVALID_ARGUMENT,
          "result %d lies in the host's memory, and the program returns it on the "
          "device: give it the memory kind pinned_host (out_shardings of jax.jit), or "
          "move it to the device before (jax.device_put)",
          i);
    }
  }
  return NULL;
}

// The end of a region: what it gives to a loop or branch lies where that has it.
static pod_status_t place_end(const placer_t *placer, mlir_op_t *end) {
  const mlir_op_t *parent = walk_parent(end);
  if (parent == placer->main) {
    return place_results(placer, end);
  }
  const bool is_body =
      parent->kind == CHIP_OP_WHILE && end->block == mlir_op_block(parent, 1);
  const bool is_branch = parent->kind == CHIP_OP_IF || parent->kind == CHIP_OP_CASE;
  for (int i = 0; i < end->operand_count && (is_body || is_branch); i++) {
    if (is_host(placer, &parent->results[i])) {
      end->operands[i] = on_host(placer, end, end->operands[i]);
    }
  }
  return NULL;
}

static void place_start(const placer_t *placer, mlir_op_t *loop) {
  for (int i = 0; i < loop->operand_count; i++) {
    if (is_host(placer, &loop->results[i])) {
      loop->operands[i] = on_host(placer, loop, loop->operands[i]);
    }
  }
}

// Any other operation computes on the chip.
static void place_operands(const placer_t *placer, mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    mlir_value_t *value = op->operands[i];
    if (!is_host(placer, value)) {
      continue;
    }
    mlir_value_t *moved = on_device(placer, op, value);
    for (int k = i; k < op->operand_count; k++) {
      op->operands[k] = op->operands[k] == value ? moved : op->operands[k];
    }
  }
}

static pod_status_t place_op(placer_t *placer, mlir_op_t *op) {
  mlir_replacements_apply(&placer->replacements, op);
  if (placement_is_view(op)) {
    return NULL;
  }
  switch (op->kind) {
    case CHIP_OP_TO_HOST:
      if (is_host(placer, op->operands[0])) {
        drop(placer, op);
      }
      return NULL;
    case CHIP_OP_TO_DEVICE:
      if (!is_host(placer, op->operands[0])) {
        drop(placer, op);
      }
      return NULL;
    case CHIP_OP_SLICE:
    case CHIP_OP_DYNAMIC_SLICE:
      if (is_host(placer, op->operands[0])) {
        mark(placer, op);
      }
      return NULL;
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      place_update(placer, op);
      return NULL;
    case CHIP_OP_WHILE:
      place_start(placer, op);
      return NULL;
    case CHIP_OP_OPTIMIZATION_BARRIER:
      return NULL;
    case CHIP_OP_RETURN:
    case KIND_FUNC_RETURN:
      return place_end(placer, op);
    default:
      place_operands(placer, op);
      return NULL;
  }
}

// What a user may have written.
static void remove_marks(const placer_t *placer) {
  for (mlir_op_t *op = mlir_walk_first(placer->main); op != NULL;
       op = mlir_walk_next(placer->main, op)) {
    mlir_op_remove_attr(op, COMPILER_HOST_ATTR);
  }
}

static bool is_any_marked(const mlir_op_t *main, const char *list, int count) {
  bool is_any = false;
  for (int i = 0; i < count; i++) {
    is_any = is_any || placement_is_marked(main, list, i);
  }
  return is_any;
}

// Moves between the memories where nothing lies on the host: none.
static bool has_moves(const mlir_op_t *main) {
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = mlir_walk_next(main, op)) {
    if (op->kind == CHIP_OP_TO_HOST || op->kind == CHIP_OP_TO_DEVICE) {
      return true;
    }
  }
  const mlir_block_t *block = mlir_op_block(main, 0);
  return is_any_marked(main, "arg_attrs", block->argument_count) ||
         is_any_marked(main, "res_attrs", block->last->operand_count);
}

pod_status_t compiler_place(mlir_module_t *module) {
  placer_t placer = {.module = module, .main = mlir_module_find_symbol(module, "main")};
  if (placer.main == NULL || placer.main->region_count != 1) {
    return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                         "the module has no function @main");
  }
  remove_marks(&placer);
  if (!has_moves(placer.main)) {
    return NULL;
  }
  placer.is_host = placement_find(module);
  placer.value_count = placer.is_host == NULL ? 0 : module->value_count;
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(placer.main); op != NULL && status == NULL;
       op = next) {
    next = mlir_walk_next(placer.main, op);
    status = place_op(&placer, op);
  }
  if (status == NULL) {
    (void)simplify_dead(module, placer.main, &placer.replacements);
  }
  mlir_replacements_deinit(&placer.replacements);
  free(placer.is_host);
  return status;
}
