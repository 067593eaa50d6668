// Operations with bodies, and those that say where a value shall lie.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/partition/partitioner.h"
#include "server/compiler/partition/shardings.h"

static mlir_value_t *get_as(partitioner_t *partitioner, const mlir_value_t *value,
                            const mlir_value_t *like) {
  return partition_value_get(partitioner, value,
                             partition_value_layout(partitioner, like));
}

static const mlir_type_t *local_type(partitioner_t *partitioner,
                                     const mlir_value_t *value) {
  POD_CHECK(value_is_tensor(value));
  const tensor_shape_t local =
      layout_local_shape(partition_value_layout(partitioner, value), value_shape(value));
  return mlir_type_tensor(partitioner->module, &local);
}

static void put_as_is(partitioner_t *partitioner, const mlir_value_t *value,
                      mlir_value_t *local) {
  partition_value_put(partitioner, value, partition_value_layout(partitioner, value),
                      local);
}

// The new operation, in its place, with local results and regions still empty.
static mlir_op_t *begin(partitioner_t *partitioner, const mlir_op_t *op,
                        int operand_count, mlir_value_t *const *operands) {
  pod_arena_t *arena = partitioner->module->arena;
  const mlir_type_t **types =
      pod_arena_array(arena, (size_t)op->result_count, sizeof(types[0]));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = local_type(partitioner, &op->results[i]);
  }
  mlir_op_t *local = mlir_op_create(partitioner->module, op->name, operand_count,
                                    operands, op->result_count, types, op->region_count);
  partition_emit_at(partitioner, op);
  local->location = partitioner->location;
  local->position = partitioner->position;
  mlir_block_append(partitioner->block, local);
  return local;
}

// Writes a region's block: its operations, and a return of what `op` returns there in the
// layouts of the values `like` (NULL: whole).
static pod_status_t write_region(partitioner_t *partitioner, const mlir_op_t *op,
                                 mlir_op_t *local, int region, const mlir_value_t *like) {
  mlir_block_t *around = partitioner->block;
  const mlir_block_t *from = mlir_op_block(op, region);
  partitioner->block = mlir_op_block(local, region);
  POD_TRY(partition_block(partitioner, from));
  const mlir_op_t *end = from->last;
  partitioner->user = end;
  mlir_value_t **operands = pod_arena_array(
      partitioner->module->arena, (size_t)end->operand_count, sizeof(operands[0]));
  for (int i = 0; i < end->operand_count; i++) {
    const layout_t *layout =
        like != NULL ? partition_value_layout(partitioner, &like[i])
                     : layouts_replicated(&partitioner->layouts,
                                          value_shape(end->operands[i])->rank);
    operands[i] = partition_value_get(partitioner, end->operands[i], layout);
  }
  mlir_op_t *returned = mlir_op_create(partitioner->module, end->name, end->operand_count,
                                       operands, 0, NULL, 0);
  mlir_block_append(partitioner->block, returned);
  partitioner->block = around;
  return NULL;
}

enum { TURNS_GUESSED = 8, TURNS_MAX = 1 << 20 };

static bool read_number(const mlir_value_t *value, int64_t *out) {
  const mlir_attr_t *attr = value->op != NULL && value->op->kind == CHIP_OP_CONSTANT
                                ? mlir_op_attr(value->op, "value")
                                : NULL;
  if (attr == NULL || value_shape(value)->rank > 0) {
    return false;
  }
  *out = tensor_element_as_int64(value_shape(value)->dtype, attr->data);
  return true;
}

// The operand of an operation of that kind on argument `index` of a block and a number.
static bool read_step(const mlir_value_t *value, int kind, int *out_index,
                      int64_t *out_number) {
  const mlir_op_t *op = value->op;
  if (op == NULL || op->kind != kind || op->operands[0]->block == NULL ||
      !read_number(op->operands[1], out_number)) {
    return false;
  }
  const mlir_block_t *block = op->operands[0]->block;
  for (int i = 0; i < block->argument_count; i++) {
    if (block->arguments[i] == op->operands[0]) {
      *out_index = i;
      return true;
    }
  }
  return false;
}

// How often the body of a loop is carried out: of a counter that begins at a number, is
// compared with one, and to which one is added; a guess for others.
static double loop_turns(const mlir_op_t *loop) {
  const mlir_op_t *checked = mlir_op_block(loop, 0)->last;
  const mlir_op_t *stepped = mlir_op_block(loop, 1)->last;
  int counter, same;
  int64_t limit, begin, step;
  if (!read_step(checked->operands[0], CHIP_OP_COMPARE, &counter, &limit) ||
      !read_number(loop->operands[counter], &begin) ||
      !read_step(stepped->operands[counter], CHIP_OP_ADD, &same, &step) ||
      same != counter || step <= 0 || limit <= begin || limit - begin > TURNS_MAX) {
    return TURNS_GUESSED;
  }
  const int64_t turns = (limit - begin + step - 1) / step;
  return (double)turns;
}

pod_status_t partition_while(partitioner_t *partitioner, const mlir_op_t *op) {
  mlir_value_t **operands = pod_arena_array(
      partitioner->module->arena, (size_t)op->operand_count, sizeof(operands[0]));
  for (int i = 0; i < op->operand_count; i++) {
    operands[i] = get_as(partitioner, op->operands[i], &op->results[i]);
  }
  mlir_op_t *local = begin(partitioner, op, op->operand_count, operands);
  const double turns = partitioner->turns;
  partitioner->turns *= loop_turns(op);
  for (int r = 0; r < op->region_count; r++) {
    const mlir_block_t *from = mlir_op_block(op, r);
    mlir_block_t *block = mlir_block_create(partitioner->module, &local->regions[r]);
    for (int i = 0; i < from->argument_count; i++) {
      put_as_is(
          partitioner, from->arguments[i],
          mlir_block_add_argument(partitioner->module, block, local->results[i].type));
    }
    POD_TRY(write_region(partitioner, op, local, r, r == 0 ? NULL : op->results));
  }
  partitioner->turns = turns;
  for (int i = 0; i < op->result_count; i++) {
    put_as_is(partitioner, &op->results[i], &local->results[i]);
  }
  return NULL;
}

pod_status_t partition_branches(partitioner_t *partitioner, const mlir_op_t *op) {
  mlir_value_t *selector = partition_value_get(
      partitioner, op->operands[0], layouts_replicated(&partitioner->layouts, 0));
  mlir_op_t *local = begin(partitioner, op, 1, &selector);
  for (int r = 0; r < op->region_count; r++) {
    (void)mlir_block_create(partitioner->module, &local->regions[r]);
    POD_TRY(write_region(partitioner, op, local, r, op->results));
  }
  for (int i = 0; i < op->result_count; i++) {
    put_as_is(partitioner, &op->results[i], &local->results[i]);
  }
  return NULL;
}

pod_status_t partition_identity(partitioner_t *partitioner, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count && i < op->operand_count; i++) {
    if (value_is_tensor(&op->results[i])) {
      put_as_is(partitioner, &op->results[i],
                get_as(partitioner, op->operands[i], &op->results[i]));
      partition_value_share(partitioner, op->operands[i], &op->results[i]);
    }
  }
  return NULL;
}

pod_status_t partition_barrier(partitioner_t *partitioner, const mlir_op_t *op) {
  mlir_value_t **operands = pod_arena_array(
      partitioner->module->arena, (size_t)op->operand_count, sizeof(operands[0]));
  for (int i = 0; i < op->operand_count; i++) {
    operands[i] = get_as(partitioner, op->operands[i], &op->results[i]);
  }
  mlir_op_t *local = begin(partitioner, op, op->operand_count, operands);
  for (int i = 0; i < op->result_count; i++) {
    put_as_is(partitioner, &op->results[i], &local->results[i]);
  }
  return NULL;
}

// --- Manual computations ---

// The layout outside of a value whose layout inside is `inside`: the manual axes of the
// sharding given, then those inside.
static const layout_t *outer_layout(partitioner_t *partitioner, const axes_t *manual,
                                    const sharding_t *given, const layout_t *inside) {
  axes_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < inside->rank; d++) {
    const axes_t all = axes_from_list(&given->dims[d].axes);
    const axes_t freed = axes_without(&all, manual);
    dims[d] = axes_without(&all, &freed);
    axes_append_all(&dims[d], &inside->dims[d]);
  }
  const axes_t all = axes_from_list(&given->unreduced);
  const axes_t freed = axes_without(&all, manual);
  axes_t unreduced = axes_without(&all, &freed);
  axes_append_all(&unreduced, &inside->unreduced);
  return layouts_get(&partitioner->layouts, inside->rank, dims, &unreduced,
                     layouts_reducer(given));
}

// The body is written where the operation stands: it is the program of one chip already,
// as far as the manual axes go.
pod_status_t partition_manual(partitioner_t *partitioner, const mlir_op_t *op) {
  const axes_t around = partitioner->manual;
  const shardings_manual_t *manual;
  POD_TRY(shardings_read_manual(&partitioner->shardings, op, &around, &manual));
  const mlir_block_t *body = mlir_op_block(op, 0);
  for (int i = 0; i < op->operand_count; i++) {
    const layout_t *inside = partition_value_layout(partitioner, body->arguments[i]);
    const layout_t *outside =
        outer_layout(partitioner, &manual->axes, manual->inputs[i], inside);
    partition_value_put(partitioner, body->arguments[i], inside,
                        partition_value_get(partitioner, op->operands[i], outside));
  }
  axes_append_all(&partitioner->manual, &manual->axes);
  POD_TRY(partition_block(partitioner, body));
  partitioner->manual = around;
  partitioner->user = body->last;
  for (int i = 0; i < op->result_count; i++) {
    const layout_t *outside = partition_value_layout(partitioner, &op->results[i]);
    const sharding_t *given = layouts_to_sharding(&partitioner->layouts, outside);
    axes_t dims[TENSOR_RANK_MAX];
    for (int d = 0; d < outside->rank; d++) {
      const axes_t all = axes_from_list(&given->dims[d].axes);
      dims[d] = axes_without(&all, &manual->axes);
    }
    const axes_t unreduced = axes_without(&outside->unreduced, &manual->axes);
    const layout_t *inside = layouts_get(&partitioner->layouts, outside->rank, dims,
                                         &unreduced, outside->reducer);
    partition_value_put(
        partitioner, &op->results[i], outside,
        partition_value_get(partitioner, body->last->operands[i], inside));
  }
  return NULL;
}
