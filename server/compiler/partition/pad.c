// The pass: operation by operation, in the order of the program. A value has one size,
// that of its padding included, from where it is made; an operation says in which sizes
// it takes its operands, by the factors of its rule.

#include "server/compiler/partition/pad.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/number.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/pad_move.h"
#include "server/compiler/partition/pad_op.h"
#include "server/compiler/partition/pad_value.h"
#include "server/compiler/partition/roll.h"
#include "server/program/operations.h"

static pod_status_t pad_block(pass_t *pass, mlir_block_t *block);

// --- Where it is needed ---

static bool divides(const sharding_t *sharding, const mlir_value_t *value) {
  return sharding == NULL || !pad_is_tensor(value) ||
         sharding_divides(sharding, &value->type->shape);
}

static bool block_divides(const propagation_t *propagation, const mlir_block_t *block) {
  for (int i = 0; i < block->argument_count; i++) {
    const mlir_value_t *argument = block->arguments[i];
    if (!divides(propagation->values[argument->id], argument)) {
      return false;
    }
  }
  return true;
}

// Whether an operation without padding takes less of sharded arrays than a gather brings.
static bool moves_few(const propagation_t *propagation, const mlir_op_t *op) {
  if (op->kind != CHIP_OP_SLICE && op->kind != CHIP_OP_CONCATENATE) {
    return false;
  }
  enum { OPERANDS_MAX = 64 };
  const sharding_t *operands[OPERANDS_MAX];
  for (int i = 0; i < op->operand_count && i < OPERANDS_MAX; i++) {
    operands[i] = propagation->values[op->operands[i]->id];
  }
  return op->operand_count <= OPERANDS_MAX &&
         pad_move_is_of_use(op, operands, propagation->values[op->results[0].id]);
}

bool pad_is_needed(const shardings_t *shardings, const propagation_t *propagation) {
  const mlir_op_t *main = mlir_module_find_symbol(shardings->module, "main");
  const mlir_op_t *end = mlir_op_block(main, 0)->last;
  for (int i = 0; i < end->operand_count; i++) {
    if (!divides(propagation->results[i], end->operands[i])) {
      return true;
    }
  }
  const bool *is_rolled = roll_find_slices(shardings->module, main, shardings->arena);
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    const bool is_slice_of_roll =
        is_rolled != NULL && op->result_count == 1 && is_rolled[op->results[0].id];
    if (!is_slice_of_roll && moves_few(propagation, op)) {
      return true;
    }
    for (int i = 0; i < op->result_count; i++) {
      if (!divides(propagation->values[op->results[i].id], &op->results[i])) {
        return true;
      }
    }
    for (int r = 0; r < op->region_count; r++) {
      for (const mlir_block_t *block = op->regions[r].first; block != NULL;
           block = block->next) {
        if (!block_divides(propagation, block)) {
          return true;
        }
      }
    }
  }
  return !block_divides(propagation, mlir_op_block(main, 0));
}

// --- Sizes that shardings ask for ---

static void padded_dims(const tensor_shape_t *shape, const sharding_t *sharding,
                        int64_t *dims) {
  for (int d = 0; d < shape->rank; d++) {
    const int64_t pieces = sharding == NULL ? 1 : axis_list_size(&sharding->dims[d].axes);
    dims[d] = pad_up(shape->dims[d], pieces);
  }
}

// By its own sharding.
static void pad_by_sharding(padder_t *padder, mlir_value_t *value) {
  if (pad_is_tensor(value)) {
    int64_t dims[TENSOR_RANK_MAX];
    padded_dims(&value->type->shape, pad_note(padder, value)->sharding, dims);
    pad_resize(padder, value, dims);
  }
}

static mlir_value_t *get_like(padder_t *padder, mlir_value_t *value,
                              const mlir_value_t *like) {
  return pad_is_tensor(value) ? pad_get(padder, value, like->type->shape.dims) : value;
}

// --- Operations with bodies, and those that say where a value shall lie ---

static pod_status_t pad_while(pass_t *pass, mlir_op_t *op) {
  padder_t *padder = &pass->padder;
  for (int i = 0; i < op->result_count; i++) {
    pad_by_sharding(padder, &op->results[i]);
    op->operands[i] = get_like(padder, op->operands[i], &op->results[i]);
  }
  for (int r = 0; r < op->region_count; r++) {
    mlir_block_t *block = mlir_op_block(op, r);
    for (int i = 0; i < block->argument_count; i++) {
      if (pad_is_tensor(block->arguments[i])) {
        pad_resize(padder, block->arguments[i], op->results[i].type->shape.dims);
      }
    }
    POD_TRY(pad_block(pass, block));
    for (int i = 0; r > 0 && i < op->result_count; i++) {
      mlir_value_t **returned = &block->last->operands[i];
      *returned = get_like(padder, *returned, &op->results[i]);
    }
  }
  return NULL;
}

static pod_status_t pad_branches(pass_t *pass, mlir_op_t *op) {
  padder_t *padder = &pass->padder;
  for (int i = 0; i < op->result_count; i++) {
    pad_by_sharding(padder, &op->results[i]);
  }
  for (int r = 0; r < op->region_count; r++) {
    mlir_block_t *block = mlir_op_block(op, r);
    POD_TRY(pad_block(pass, block));
    for (int i = 0; i < op->result_count; i++) {
      mlir_value_t **returned = &block->last->operands[i];
      *returned = get_like(padder, *returned, &op->results[i]);
    }
  }
  return NULL;
}

// The value goes on with the padding it has where that fits.
static void pad_identity(padder_t *padder, mlir_op_t *op) {
  for (int i = 0; i < op->result_count && i < op->operand_count; i++) {
    mlir_value_t *operand = op->operands[i], *result = &op->results[i];
    if (!pad_is_tensor(result)) {
      continue;
    }
    const tensor_shape_t *shape = &result->type->shape;
    int64_t dims[TENSOR_RANK_MAX];
    for (int d = 0; d < shape->rank; d++) {
      const int64_t pieces = pad_pieces(padder, result, d);
      const int64_t there = operand->type->shape.dims[d];
      dims[d] = there % pieces == 0 ? there : pad_up(shape->dims[d], pieces);
    }
    pad_resize(padder, result, dims);
    op->operands[i] = pad_get(padder, operand, dims);
    if (op->operands[i] == operand) {
      pad_note(padder, result)->zero = pad_note(padder, operand)->zero;
    }
  }
}

// --- Manual computations ---

// A dimension that manual axes shard has no padding: every body's part would have its
// own.
static void manual_dims(const tensor_shape_t *shape, const sharding_t *given,
                        const axes_t *manual, const sharding_t *within, int64_t *dims) {
  padded_dims(shape, within, dims);
  for (int d = 0; d < shape->rank; d++) {
    const axes_t axes = axes_from_list(&given->dims[d].axes);
    if (axes_overlap(&axes, manual)) {
      dims[d] = shape->dims[d];
    }
  }
}

static pod_status_t pad_manual(pass_t *pass, mlir_op_t *op) {
  padder_t *padder = &pass->padder;
  const shardings_manual_t *manual;
  const axes_t around = pass->manual;
  const mlir_type_t **types = pad_hide(padder, op);
  const pod_status_t status =
      shardings_read_manual(&pass->shardings, op, &around, &manual);
  pad_show(op, types);
  POD_TRY(status);
  mlir_block_t *body = mlir_op_block(op, 0);
  int64_t dims[TENSOR_RANK_MAX];
  for (int i = 0; i < op->operand_count; i++) {
    mlir_value_t *argument = body->arguments[i];
    if (pad_is_tensor(argument)) {
      const sharding_t *within = pad_note(padder, argument)->sharding;
      const tensor_shape_t own = *pad_shape_of(padder, op->operands[i]);
      manual_dims(&own, manual->inputs[i], &manual->axes, within, dims);
      op->operands[i] = pad_get(padder, op->operands[i], dims);
      manual_dims(&argument->type->shape, manual->inputs[i], &manual->axes, within, dims);
      pad_resize(padder, argument, dims);
    }
  }
  axes_append_all(&pass->manual, &manual->axes);
  POD_TRY(pad_block(pass, body));
  pass->manual = around;
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *result = &op->results[i];
    mlir_value_t **returned = &body->last->operands[i];
    if (pad_is_tensor(result)) {
      const sharding_t *sharding = pad_note(padder, result)->sharding;
      manual_dims(&result->type->shape, manual->outputs[i], &manual->axes, sharding,
                  dims);
      pad_resize(padder, result, dims);
      const tensor_shape_t own = *pad_shape_of(padder, *returned);
      manual_dims(&own, manual->outputs[i], &manual->axes, sharding, dims);
      *returned = pad_get(padder, *returned, dims);
    }
  }
  return NULL;
}

// --- Blocks ---

// What the regions of an operation use of the values around it, and what it takes.
static void take_whole(padder_t *padder, mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (pad_is_tensor(op->operands[i])) {
      op->operands[i] = pad_get_own(padder, op->operands[i]);
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    if (pad_is_tensor(&op->results[i])) {
      pad_resize(padder, &op->results[i], op->results[i].type->shape.dims);
    }
  }
}

static void take_captured_whole(padder_t *padder, mlir_op_t *op) {
  for (mlir_op_t *inner = op->region_count > 0 ? mlir_walk_first(op) : NULL;
       inner != NULL; inner = mlir_walk_next(op, inner)) {
    for (int i = 0; i < inner->operand_count; i++) {
      if (pad_is_tensor(inner->operands[i])) {
        inner->operands[i] = pad_get_own(padder, inner->operands[i]);
      }
    }
  }
}

static pod_status_t pad_any(pass_t *pass, mlir_op_t *op) {
  padder_t *padder = &pass->padder;
  if (op->result_count == 1 && propagate_is_remade(&op->results[0])) {
    pad_note(padder, &op->results[0])->sharding = NULL;
    return NULL;
  }
  switch (op->kind) {
    case CHIP_OP_WHILE:
      return pad_while(pass, op);
    case CHIP_OP_CASE:
    case CHIP_OP_IF:
      return pad_branches(pass, op);
    case CHIP_OP_OPTIMIZATION_BARRIER:
      pad_identity(padder, op);
      return NULL;
    default:
      break;
  }
  if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
    return pad_manual(pass, op);
  }
  if (op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD ||
      op->kind == KIND_SDY_PROPAGATION_BARRIER) {
    pad_identity(padder, op);
    return NULL;
  }
  if (op->kind == KIND_SDY_SHARDING_GROUP || op->kind == KIND_INSPECT_SHARDING) {
    return NULL;
  }
  if (pad_move_roll(padder, op)) {
    return NULL;
  }
  take_captured_whole(padder, op);
  if (compiler_factors_rule(op->kind) != NULL) {
    return pad_ruled(pass, op);
  }
  take_whole(padder, op);
  return NULL;
}

static pod_status_t pad_block(pass_t *pass, mlir_block_t *block) {
  mlir_op_t *next;
  for (mlir_op_t *op = block->first; op != block->last; op = next) {
    next = op->next;
    POD_TRY(pad_any(pass, op));
  }
  return NULL;
}

// --- @main ---

// Arguments and results have the sizes of their shardings.
static pod_status_t pad_main(pass_t *pass, mlir_op_t *main,
                             const sharding_t *const *results) {
  padder_t *padder = &pass->padder;
  mlir_module_t *module = padder->module;
  mlir_block_t *block = mlir_op_block(main, 0);
  for (int i = 0; i < block->argument_count; i++) {
    pad_by_sharding(padder, block->arguments[i]);
  }
  POD_TRY(pad_block(pass, block));
  mlir_op_t *end = block->last;
  const mlir_type_t **inputs =
      pod_arena_array(module->arena, (size_t)block->argument_count, sizeof(inputs[0]));
  const mlir_type_t **outputs =
      pod_arena_array(module->arena, (size_t)end->operand_count, sizeof(outputs[0]));
  for (int i = 0; i < block->argument_count; i++) {
    inputs[i] = block->arguments[i]->type;
  }
  for (int i = 0; i < end->operand_count; i++) {
    int64_t dims[TENSOR_RANK_MAX];
    const tensor_shape_t own = *pad_shape_of(padder, end->operands[i]);
    padded_dims(&own, results[i], dims);
    end->operands[i] = pad_get(padder, end->operands[i], dims);
    outputs[i] = end->operands[i]->type;
  }
  mlir_op_set_attr(
      module, main, "function_type",
      mlir_attr_type(module, mlir_type_function(module, block->argument_count, inputs,
                                                end->operand_count, outputs)));
  return NULL;
}

// A copy to work on, and what is known of its values.
static mlir_module_t *copy_program(pass_t *pass, mlir_module_t *source,
                                   const propagation_t *propagation) {
  mlir_module_t *module = mlir_module_create_beside(source);
  pod_arena_t *arena = pass->padder.arena;
  mlir_value_t **map = pod_arena_array(arena, source->value_count, sizeof(map[0]));
  for (int i = 0; i < source->op->attr_count; i++) {
    mlir_op_set_attr(module, module->op, source->op->attrs[i].name,
                     source->op->attrs[i].value);
  }
  for (const mlir_op_t *op = mlir_op_block(source->op, 0)->first; op != NULL;
       op = op->next) {
    mlir_block_append(mlir_op_block(module->op, 0), mlir_op_clone(module, op, map));
  }
  pass->padder.module = module;
  for (uint32_t i = 0; i < source->value_count; i++) {
    if (map[i] != NULL) {
      pad_note_t *note = pad_note(&pass->padder, map[i]);
      note->sharding = propagation->values[i];
      // A rule that follows from the row is made for the sizes with padding.
      const mlir_op_t *op = map[i]->op;
      note->factors = op != NULL && compiler_factors_rule(op->kind) == NULL
                          ? propagation->factors[i]
                          : NULL;
    }
  }
  return module;
}

static void fill_propagation(pass_t *pass, const propagation_t *propagation,
                             propagation_t *out) {
  const size_t count = pass->padder.module->value_count;
  pod_arena_t *arena = pass->padder.arena;
  *out = *propagation;
  out->values = pod_arena_array(arena, count, sizeof(out->values[0]));
  out->factors = pod_arena_array(arena, count, sizeof(out->factors[0]));
  for (int32_t i = 0; i < pass->padder.notes.count; i++) {
    out->values[i] = pass->padder.notes.items[i].sharding;
    out->factors[i] = pass->padder.notes.items[i].factors;
  }
}

pod_status_t pad_program(const shardings_t *shardings, const propagation_t *propagation,
                         mlir_module_t **out_module, propagation_t *out_propagation) {
  pass_t pass = {.padder = {.arena = shardings->arena}, .shardings = *shardings};
  mlir_module_t *module = copy_program(&pass, shardings->module, propagation);
  pass.shardings.module = module;
  pad_move_find_rolls(&pass.padder, mlir_module_find_symbol(module, "main"));
  const pod_status_t status =
      pad_main(&pass, mlir_module_find_symbol(module, "main"), propagation->results);
  if (status == NULL) {
    fill_propagation(&pass, propagation, out_propagation);
    *out_module = module;
  } else {
    mlir_module_destroy(module);
  }
  pod_list_deinit(&pass.padder.notes);
  return status;
}
