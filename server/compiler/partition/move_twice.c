// What chips do to their shards first, and then, every one, to what came out of all: the
// largest of the largest, the first of what is sorted, and reductions that choose among
// their operands (argmax).

#include "common/mlir/walk.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/move.h"
#include "server/compiler/partition/move_parts.h"

// --- Which ---

// Whether a value of a reduction's body is argument `index` or `other`, or chosen from
// these two; by whatever condition.
static bool is_chosen(const mlir_value_t *value, uint32_t index, uint32_t other,
                      int depth) {
  if (value->op == NULL) {
    return value->index == index || value->index == other;
  }
  const mlir_op_t *op = value->op;
  if (depth == 0) {
    return false;
  }
  switch (op->kind) {
    case CHIP_OP_SELECT:
      return is_chosen(op->operands[1], index, other, depth - 1) &&
             is_chosen(op->operands[2], index, other, depth - 1);
    case CHIP_OP_MAXIMUM:
    case CHIP_OP_MINIMUM:
      return is_chosen(op->operands[0], index, other, depth - 1) &&
             is_chosen(op->operands[1], index, other, depth - 1);
    default:
      return false;
  }
}

// Whether every result is made of its own operand alone.
static bool combines_each(const mlir_op_t *op) {
  bool each = true;
  for (int i = 0; i < op->result_count; i++) {
    each = each && compiler_result_reducer(op, i) != CHIP_REDUCER_NONE;
  }
  return each;
}

bool move_reduces_by_choice(const mlir_op_t *op) {
  enum { DEPTH_MAX = 8 };
  if (op->kind != CHIP_OP_REDUCE || op->region_count != 1 || combines_each(op)) {
    return false;
  }
  const mlir_block_t *body = mlir_op_block(op, 0);
  const int count = op->result_count;
  bool chooses = body->argument_count == 2 * count && body->last != NULL &&
                 body->last->operand_count == count;
  for (int i = 0; i < count && chooses; i++) {
    const mlir_value_t *returned = body->last->operands[i];
    chooses = (returned->op != NULL || returned->block == body) &&
              is_chosen(returned, (uint32_t)i, (uint32_t)(count + i), DEPTH_MAX);
  }
  return chooses;
}

static int sorted_dim(const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "dimension");
  const int64_t dim = mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : -1;
  return (int)(dim < 0 ? dim + value_shape(op->operands[0])->rank : dim);
}

// How many of the first elements along `dim` a use takes; all, for what is no slice of
// them.
static int64_t taken_by(const mlir_op_t *use, int dim) {
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX];
  if (use->kind != CHIP_OP_SLICE) {
    return INT64_MAX;
  }
  factors_attr(use, "start_indices", TENSOR_RANK_MAX, starts);
  factors_attr(use, "limit_indices", TENSOR_RANK_MAX, limits);
  return starts[dim] == 0 ? limits[dim] : INT64_MAX;
}

// How many of what `op` sorts are looked at, when these were `few` before `use`.
static int64_t taken_within(const mlir_op_t *op, const mlir_op_t *use, int dim,
                            int64_t few) {
  for (int i = 0; i < use->operand_count; i++) {
    const int64_t taken = use->operands[i]->op == op ? taken_by(use, dim) : few;
    few = taken > few ? taken : few;
  }
  return few;
}

int64_t move_sorted_few(const mlir_op_t *op) {
  const int dim = sorted_dim(op);
  if (op->kind != CHIP_OP_SORT || dim < 0) {
    return 0;
  }
  const int64_t most = value_shape(op->operands[0])->dims[dim] / 4;
  int64_t few = 0;
  for (const mlir_op_t *use = op->next; use != NULL && few <= most; use = use->next) {
    few = taken_within(op, use, dim, few);
    for (const mlir_op_t *inner = use->region_count > 0 ? mlir_walk_first(use) : NULL;
         inner != NULL; inner = mlir_walk_next(use, inner)) {
      few = taken_within(op, inner, dim, few);
    }
  }
  return few <= most ? few : 0;
}

bool move_is_twice(const mlir_op_t *op) {
  return op->kind == CHIP_OP_TOP_K || op->kind == CHIP_OP_REDUCE ||
         op->kind == CHIP_OP_SORT;
}

bool move_twice_allows(const mlir_op_t *op, const factors_t *factors, int factor,
                       const axes_t *axes) {
  if (op->kind == CHIP_OP_REDUCE) {
    return true;
  }
  if (op->kind == CHIP_OP_SORT) {
    const int64_t whole = value_shape(op->operands[0])->dims[sorted_dim(op)];
    return factors->factors[factor].kept <= whole / axes_size(axes);
  }
  const int dim = move_dim_of(&factors->operands[0], factor);
  const tensor_shape_t *from = value_shape(op->operands[0]);
  const tensor_shape_t *to = value_shape(&op->results[0]);
  return dim == from->rank - 1 && from->dims[dim] < INT32_MAX / 2 &&
         to->dims[dim] < from->dims[dim] / axes_size(axes);
}

static int64_t kept_of(const factors_t *factors) {
  int64_t kept = 0;
  for (int f = 0; f < factors->factor_count; f++) {
    kept = factors->factors[f].kept > kept ? factors->factors[f].kept : kept;
  }
  return kept;
}

// Of all axes along which the shards of `op` lie that are to be combined.
static axes_t combined_axes(const factors_t *factors, const axes_t *axes) {
  axes_t all = {0};
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].kind == FACTOR_PERMUTATION) {
      axes_append_all(&all, &axes[f]);
    }
  }
  return all;
}

partition_cost_t move_twice_cost(partitioner_t *partitioner, const mlir_op_t *op,
                                 const factors_t *factors, const axes_t *axes) {
  const axes_t combined = combined_axes(factors, axes);
  partition_cost_t cost = {0};
  for (int i = 0; i < op->result_count && combined.count > 0; i++) {
    const layout_t *layout = partition_choice_layout(partitioner, &factors->results[i],
                                                     axes, NULL, CHIP_REDUCER_NONE);
    tensor_shape_t local = layout_local_shape(layout, value_shape(&op->results[i]));
    if (op->kind == CHIP_OP_SORT) {
      local.dims[sorted_dim(op)] = kept_of(factors);
    }
    cost.bytes += (double)tensor_shape_bytes(&local) * (double)(axes_size(&combined) - 1);
    cost.start_bytes += partitioner->layouts.start_bytes;
  }
  return cost;
}

// The operation once more, of what the shards' `local` ones have left; without a block.
static mlir_op_t *clone_like(partitioner_t *partitioner, const mlir_op_t *op,
                             const mlir_op_t *local) {
  mlir_op_t *last = mlir_op_clone(partitioner->module, op, partitioner->value_map);
  last->location = local->location;
  last->position = local->position;
  mlir_op_remove_attr(last, "sdy.sharding");
  mlir_op_remove_attr(last, "mhlo.sharding");
  return last;
}

// --- Reductions ---

// The results of the shards, one behind the other along a new first dimension.
static mlir_value_t *emit_all(partitioner_t *partitioner, mlir_value_t *value,
                              const axes_t *axes, const char *because) {
  const tensor_shape_t *shape = value_shape(value);
  int64_t dims[TENSOR_RANK_MAX] = {1};
  for (int d = 0; d < shape->rank; d++) {
    dims[1 + d] = shape->dims[d];
  }
  const tensor_shape_t to = tensor_shape_make(shape->dtype, shape->rank + 1, dims);
  mlir_value_t *row = partition_emit_op(partitioner, "stablehlo.reshape", 1, &value, &to);
  partitioner->because = because;
  return partition_emit_gather(partitioner, row, 0, axes);
}

static void write_reduce(partitioner_t *partitioner, const mlir_op_t *op,
                         const axes_t *axes, mlir_op_t *local,
                         mlir_value_t **out_results) {
  const char *because = partition_because_moved(partitioner, op, axes);
  mlir_op_t *last = clone_like(partitioner, op, local);
  mlir_block_append(partitioner->block, local);
  for (int i = 0; i < op->result_count; i++) {
    last->operands[i] = emit_all(partitioner, &local->results[i], axes, because);
    last->operands[op->result_count + i] = local->operands[op->result_count + i];
    last->results[i].type = local->results[i].type;
    out_results[i] = &last->results[i];
  }
  const int64_t first = 0;
  partition_emit_i64s(partitioner, last, "dimensions", 1, &first);
  mlir_block_append(partitioner->block, last);
}

// --- The largest ---

// Of every row of `values` those at `places`; both of one rank, rows in the last
// dimension.
static mlir_value_t *emit_picked(partitioner_t *partitioner, mlir_value_t *values,
                                 mlir_value_t *places) {
  const tensor_shape_t from = *value_shape(values), to = *value_shape(places);
  const int64_t wide = from.dims[from.rank - 1], kept = to.dims[to.rank - 1];
  const int64_t rows = tensor_shape_elements(&to) / (kept > 0 ? kept : 1);
  const int64_t table[] = {rows, wide}, index[] = {rows, kept, 1}, ones[] = {1, 1};
  tensor_shape_t shape = tensor_shape_make(from.dtype, 2, table);
  mlir_value_t *operands[2];
  operands[0] = partition_emit_op(partitioner, "stablehlo.reshape", 1, &values, &shape);
  shape = tensor_shape_make(to.dtype, 3, index);
  operands[1] = partition_emit_op(partitioner, "stablehlo.reshape", 1, &places, &shape);
  shape = tensor_shape_make(from.dtype, 2, index);
  mlir_op_t *gather =
      partition_emit_create(partitioner, "stablehlo.gather", 2, operands, &shape, 0);
  mlir_op_set_attr(partitioner->module, gather, "dimension_numbers",
                   mlir_attr_dialect(partitioner->module, "stablehlo.gather",
                                     "collapsed_slice_dims = [1], operand_batching_dims "
                                     "= [0], start_indices_batching_dims = [0], "
                                     "start_index_map = [1], index_vector_dim = 2"));
  partition_emit_i64s(partitioner, gather, "slice_sizes", 2, ones);
  mlir_value_t *picked = partition_emit_into(partitioner, partitioner->block, gather);
  shape = to;
  shape.dtype = from.dtype;
  return partition_emit_op(partitioner, "stablehlo.reshape", 1, &picked, &shape);
}

// Among equal ones those of the first shard come first, as they do in the whole row.
static void write_top_k(partitioner_t *partitioner, const mlir_op_t *op,
                        const axes_t *axes, mlir_op_t *local,
                        mlir_value_t **out_results) {
  const char *because = partition_because_moved(partitioner, op, axes);
  const int dim = value_shape(local->operands[0])->rank - 1;
  const int64_t part = value_shape(local->operands[0])->dims[dim];
  mlir_op_t *last = clone_like(partitioner, op, local);
  mlir_block_append(partitioner->block, local);
  const tensor_shape_t *shape = value_shape(&local->results[1]);
  mlir_value_t *place = partition_emit_place(partitioner, axes, part);
  mlir_value_t *operands[] = {&local->results[1],
                              partition_emit_broadcast(partitioner, place, shape)};
  mlir_value_t *indices =
      partition_emit_op(partitioner, "stablehlo.add", 2, operands, shape);
  partitioner->because = because;
  last->operands[0] = partition_emit_gather(partitioner, &local->results[0], dim, axes);
  partitioner->because = because;
  indices = partition_emit_gather(partitioner, indices, dim, axes);
  for (int i = 0; i < 2; i++) {
    last->results[i].type = local->results[i].type;
  }
  mlir_block_append(partitioner->block, last);
  out_results[0] = &last->results[0];
  out_results[1] = emit_picked(partitioner, indices, &last->results[1]);
}

// --- The first of what is sorted ---

// The others are never looked at.
static void write_sort(partitioner_t *partitioner, const mlir_op_t *op,
                       const factors_t *factors, const axes_t *axes, mlir_op_t *local,
                       mlir_value_t **out_results) {
  const char *because = partition_because_moved(partitioner, op, axes);
  const int dim = sorted_dim(op);
  const int64_t few = kept_of(factors);
  mlir_op_t *last = clone_like(partitioner, op, local);
  const mlir_type_t **types = pod_arena_array(partitioner->module->arena,
                                              (size_t)op->result_count, sizeof(types[0]));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = local->results[i].type;
    local->results[i].type = local->operands[i]->type;
  }
  mlir_block_append(partitioner->block, local);
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *first =
        partition_emit_rows(partitioner, &local->results[i], dim, 0, few);
    partitioner->because = because;
    last->operands[i] = partition_emit_gather(partitioner, first, dim, axes);
    last->results[i].type = last->operands[i]->type;
  }
  mlir_block_append(partitioner->block, last);
  for (int i = 0; i < op->result_count; i++) {
    const tensor_shape_t *to = &types[i]->shape;
    const tensor_shape_t scalar = tensor_shape_make(to->dtype, 0, NULL);
    int64_t none[TENSOR_RANK_MAX] = {0}, high[TENSOR_RANK_MAX] = {0};
    high[dim] = to->dims[dim] - value_shape(&last->results[i])->dims[dim];
    mlir_value_t *operands[] = {&last->results[i],
                                partition_emit_splat(partitioner, &scalar, 0)};
    mlir_op_t *pad =
        partition_emit_create(partitioner, "stablehlo.pad", 2, operands, to, 0);
    partition_emit_i64s(partitioner, pad, "edge_padding_low", to->rank, none);
    partition_emit_i64s(partitioner, pad, "edge_padding_high", to->rank, high);
    partition_emit_i64s(partitioner, pad, "interior_padding", to->rank, none);
    out_results[i] = partition_emit_into(partitioner, partitioner->block, pad);
  }
}

void move_twice_write(partitioner_t *partitioner, const mlir_op_t *op,
                      const choice_t *choice, mlir_op_t *local,
                      mlir_value_t **out_results) {
  const axes_t axes = combined_axes(choice->factors, choice->axes);
  if (op->kind == CHIP_OP_TOP_K) {
    write_top_k(partitioner, op, &axes, local, out_results);
  } else if (op->kind == CHIP_OP_SORT) {
    write_sort(partitioner, op, choice->factors, &axes, local, out_results);
  } else {
    write_reduce(partitioner, op, &axes, local, out_results);
  }
}
