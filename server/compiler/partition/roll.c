#include "server/compiler/partition/roll.h"

#include "common/mlir/walk.h"
#include "server/compiler/partition/factors_builder.h"

// Whether `value` is [start, limit) of dimension `dim` of what it is sliced from.
static bool is_cut(const mlir_value_t *value, int dim, int64_t *out_start,
                   int64_t *out_limit) {
  if (value->op == NULL || value->op->kind != CHIP_OP_SLICE) {
    return false;
  }
  const tensor_shape_t *from = value_shape(value->op->operands[0]);
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(value->op, "start_indices", from->rank, starts);
  factors_attr(value->op, "limit_indices", from->rank, limits);
  factors_attr(value->op, "strides", from->rank, strides);
  for (int d = 0; d < from->rank; d++) {
    if (strides[d] != 1 || (d != dim && value_shape(value)->dims[d] != from->dims[d])) {
      return false;
    }
  }
  *out_start = starts[dim];
  *out_limit = limits[dim];
  return true;
}

bool roll_find(const mlir_op_t *op, roll_t *out_roll) {
  if (op->kind != CHIP_OP_CONCATENATE || op->operand_count != 2) {
    return false;
  }
  const mlir_attr_t *dimension = mlir_op_attr(op, "dimension");
  int64_t starts[2], limits[2];
  const int dim = dimension == NULL ? 0 : (int)dimension->integer;
  if (!is_cut(op->operands[0], dim, &starts[0], &limits[0]) ||
      !is_cut(op->operands[1], dim, &starts[1], &limits[1])) {
    return false;
  }
  const mlir_value_t *value = op->operands[0]->op->operands[0];
  *out_roll = (roll_t){.value = value, .dim = dim, .shift = starts[0]};
  return value == op->operands[1]->op->operands[0] && starts[1] == 0 &&
         limits[1] == starts[0] && limits[0] == value_shape(value)->dims[dim];
}

const bool *roll_find_slices(mlir_module_t *module, const mlir_op_t *main,
                             pod_arena_t *arena) {
  bool *is_rolled = NULL;
  roll_t roll;
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (roll_find(op, &roll)) {
      is_rolled = is_rolled != NULL
                      ? is_rolled
                      : pod_arena_array(arena, module->value_count, sizeof(*is_rolled));
      is_rolled[op->operands[0]->id] = true;
      is_rolled[op->operands[1]->id] = true;
    }
  }
  for (const mlir_op_t *op = is_rolled == NULL ? NULL : mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    for (int i = 0; i < op->operand_count && !roll_find(op, &roll); i++) {
      is_rolled[op->operands[i]->id] = false;
    }
  }
  return is_rolled;
}

// Rows [low, high) of what the shard `distance` further on has.
static mlir_value_t *emit_from(partitioner_t *partitioner, mlir_value_t *local,
                               const roll_t *roll, const axes_t *axes, int64_t distance,
                               int64_t low, int64_t high) {
  mlir_value_t *piece = partition_emit_rows(partitioner, local, roll->dim, low, high);
  const int64_t shards = axes_size(axes);
  if (distance % shards == 0) {
    return piece;
  }
  int64_t *sources =
      pod_arena_array(partitioner->shardings.arena, (size_t)shards, sizeof(sources[0]));
  for (int64_t i = 0; i < shards; i++) {
    sources[i] = (i + distance) % shards;
  }
  return partition_emit_exchange(partitioner, piece, axes, sources);
}

void roll_write(partitioner_t *partitioner, const mlir_op_t *op, const roll_t *roll) {
  const layout_t *layout = partition_value_layout(partitioner, &op->results[0]);
  mlir_value_t *local = partition_value_get(partitioner, roll->value, layout);
  partition_emit_at(partitioner, op);
  const axes_t *axes = &layout->dims[roll->dim];
  const tensor_shape_t *shape = value_shape(local);
  const int64_t part = shape->dims[roll->dim];
  const int64_t distance = roll->shift / part, rest = roll->shift % part;
  partitioner->because = partition_because_moved(partitioner, op, axes);
  mlir_value_t *pieces[2];
  pieces[0] = emit_from(partitioner, local, roll, axes, distance, rest, part);
  mlir_value_t *value = pieces[0];
  if (rest > 0) {
    pieces[1] = emit_from(partitioner, local, roll, axes, distance + 1, 0, rest);
    value = partition_emit_join(partitioner, 2, pieces, roll->dim, shape);
  }
  partitioner->because = NULL;
  partition_value_put(partitioner, &op->results[0], layout, value);
}
