// Operations with a sharding rule: choose, bring the operands there, write the local
// operation, and leave the results, partial ones too, for their uses to fetch.

#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/alike.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/move.h"
#include "server/compiler/partition/partitioner.h"

// --- Reductions ---

bool partition_is_identity_of(chip_reducer_t reducer, const mlir_value_t *value) {
  if (value->op == NULL || value->op->kind != CHIP_OP_CONSTANT) {
    return false;
  }
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  const tensor_dtype_t dtype = value_shape(value)->dtype;
  if (tensor_dtype_is_complex(dtype)) {
    return false;
  }
  const double number = tensor_element_as_double(dtype, attr->data);
  return number == (reducer == CHIP_REDUCER_MULTIPLY ? 1 : 0);
}

// What combines the partial results of an operation over a sharded contracted dimension;
// NONE when they cannot be combined. Every chip starts from the initial value, so that it
// must not count, or count once only. A scatter starts from summands of the array.
static chip_reducer_t reducer_of(const mlir_op_t *op, int result) {
  // What a user's rule calls reduced is summed, as Shardy has it.
  if (op->kind == CHIP_OP_DOT_GENERAL || op->kind == CHIP_OP_KERNEL) {
    return CHIP_REDUCER_ADD;
  }
  if (op->kind == CHIP_OP_GATHER || op->kind == CHIP_OP_DYNAMIC_SLICE) {
    return move_reducer(op);
  }
  const bool is_scatter = op->kind == CHIP_OP_SCATTER;
  if (op->kind != CHIP_OP_REDUCE && !is_scatter) {
    return CHIP_REDUCER_NONE;
  }
  const chip_reducer_t reducer = compiler_result_reducer(op, result);
  if (is_scatter) {
    return reducer == CHIP_REDUCER_ADD ? reducer : CHIP_REDUCER_NONE;
  }
  const bool starts_count = reducer == CHIP_REDUCER_ADD ||
                            reducer == CHIP_REDUCER_MULTIPLY ||
                            reducer == CHIP_REDUCER_XOR;
  return !starts_count || partition_is_identity_of(
                              reducer, op->operands[op->result_count + result])
             ? reducer
             : CHIP_REDUCER_NONE;
}

// Of all results or of none.
static void find_reducers(const mlir_op_t *op, chip_reducer_t *out_reducers) {
  bool all = true;
  out_reducers[0] = CHIP_REDUCER_NONE;  // Of an operation without results, too.
  for (int i = 0; i < op->result_count; i++) {
    out_reducers[i] = reducer_of(op, i);
    all = all && out_reducers[i] != CHIP_REDUCER_NONE;
  }
  for (int i = 0; i < op->result_count && !all; i++) {
    out_reducers[i] = CHIP_REDUCER_NONE;
  }
}

// --- Local operations ---

// Groups are as many as there are of their sizes.
static void localize_groups(partitioner_t *partitioner, const mlir_op_t *op,
                            mlir_op_t *local) {
  chip_convolution_t convolution;
  pod_status_t status = stablehlo_convolution(partitioner->source, op,
                                              value_shape(op->operands[1]), &convolution);
  POD_CHECK(status == NULL);  // It is verified.
  const tensor_shape_t *input = value_shape(local->operands[0]);
  const tensor_shape_t *kernel = value_shape(local->operands[1]);
  const tensor_shape_t *output = value_shape(&local->results[0]);
  const int64_t groups[] = {
      input->dims[convolution.input[1]] / kernel->dims[convolution.kernel[0]],
      input->dims[convolution.input[0]] / output->dims[convolution.output[0]]};
  static const char *const names[] = {"feature_group_count", "batch_group_count"};
  const int64_t before[] = {convolution.feature_group_count,
                            convolution.batch_group_count};
  for (int i = 0; i < 2; i++) {
    if (groups[i] != before[i]) {
      mlir_op_set_attr(partitioner->module, local, names[i],
                       mlir_attr_integer(partitioner->module, groups[i], TENSOR_S64));
    }
  }
}

// The few attributes that hold sizes: those of the dimensions that are sharded change.
static void localize_attrs(partitioner_t *partitioner, const mlir_op_t *op,
                           mlir_op_t *local) {
  if (op->result_count == 0) {  // A check.
    return;
  }
  const tensor_shape_t *global = value_shape(&op->results[0]);
  const tensor_shape_t *shape = value_shape(&local->results[0]);
  if (op->kind == CHIP_OP_CONVOLUTION) {
    if (tensor_shape_elements(global) > 0 &&
        tensor_shape_elements(value_shape(op->operands[1])) > 0) {
      localize_groups(partitioner, op, local);
    }
  } else if (op->kind == CHIP_OP_DYNAMIC_SLICE) {
    partition_emit_i64s(partitioner, local, "slice_sizes", shape->rank, shape->dims);
  } else if (op->kind == CHIP_OP_GATHER) {
    // A slice takes a dimension that is sharded whole.
    int64_t count;
    const int64_t *sizes;
    POD_CHECK(mlir_attr_as_i64s(partitioner->module, mlir_op_attr(local, "slice_sizes"),
                                &count, &sizes));
    int64_t cut[TENSOR_RANK_MAX];
    for (int64_t d = 0; d < count; d++) {
      const int64_t whole = value_shape(op->operands[0])->dims[d];
      const int64_t part = value_shape(local->operands[0])->dims[d];
      cut[d] = part != whole && sizes[d] == whole ? part : sizes[d];
    }
    partition_emit_i64s(partitioner, local, "slice_sizes", (int)count, cut);
  } else if (op->kind == CHIP_OP_SLICE) {
    int64_t count;
    const int64_t *starts, *limits, *strides;
    mlir_module_t *module = partitioner->module;
    POD_CHECK(
        mlir_attr_as_i64s(module, mlir_op_attr(local, "start_indices"), &count, &starts));
    POD_CHECK(
        mlir_attr_as_i64s(module, mlir_op_attr(local, "limit_indices"), &count, &limits));
    POD_CHECK(
        mlir_attr_as_i64s(module, mlir_op_attr(local, "strides"), &count, &strides));
    int64_t cut[TENSOR_RANK_MAX];
    for (int d = 0; d < shape->rank; d++) {
      cut[d] = shape->dims[d] == global->dims[d]
                   ? limits[d]
                   : starts[d] + (shape->dims[d] - 1) * strides[d] + 1;
    }
    partition_emit_i64s(partitioner, local, "limit_indices", shape->rank, cut);
  }
}

// A chip draws its part only: it says of what, and where that begins.
static void localize_draw(partitioner_t *partitioner, const mlir_op_t *op,
                          const choice_t *choice, mlir_op_t *local) {
  mlir_module_t *module = partitioner->module;
  const tensor_shape_t *whole = value_shape(&op->results[1]);
  const tensor_shape_t *part = value_shape(&local->results[1]);
  const bool is_padded = mlir_op_attr(op, RANDOM_WHOLE_ATTR) != NULL;
  if (op->operand_count > 1 || (!is_padded && tensor_shape_same_dims(whole, part))) {
    return;
  }
  mlir_value_t **operands =
      pod_arena_array(module->arena, 1 + (size_t)whole->rank, sizeof(operands[0]));
  operands[0] = local->operands[0];
  for (int d = 0; d < whole->rank; d++) {
    operands[1 + d] =
        partition_emit_place(partitioner, &choice->results[1]->dims[d], part->dims[d]);
  }
  local->operands = operands;
  local->operand_count = 1 + whole->rank;
  if (!is_padded) {
    partition_emit_i64s(partitioner, local, RANDOM_WHOLE_ATTR, whole->rank, whole->dims);
  }
}

// What the regions of an operation use of the values around it has to be whole.
static void map_captured(partitioner_t *partitioner, const mlir_op_t *op) {
  if (op->region_count == 0) {
    return;
  }
  for (const mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
       inner = mlir_walk_next(op, inner)) {
    for (int i = 0; i < inner->operand_count; i++) {
      const mlir_value_t *value = inner->operands[i];
      const mlir_op_t *holder =
          value->op != NULL ? walk_parent(value->op) : value->block->region->op;
      bool is_inside = false;
      while (holder != NULL && !is_inside) {
        is_inside = holder == op;
        holder = walk_parent(holder);
      }
      if (!is_inside) {
        const int rank = value_is_tensor(value) ? value_shape(value)->rank : 0;
        partitioner->value_map[value->id] = partition_value_get(
            partitioner, value, layouts_replicated(&partitioner->layouts, rank));
      }
    }
  }
}

static mlir_op_t *clone(partitioner_t *partitioner, const mlir_op_t *op) {
  map_captured(partitioner, op);
  mlir_op_t *copy = mlir_op_clone(partitioner->module, op, partitioner->value_map);
  mlir_op_remove_attr(copy, "sdy.sharding");
  mlir_op_remove_attr(copy, "mhlo.sharding");
  mlir_op_remove_attr(copy, COMPILER_RULE_ATTR);  // Its sizes are those of whole arrays.
  partitioner->location = copy->location;
  partitioner->position = copy->position;
  return copy;
}

pod_status_t partition_verbatim(partitioner_t *partitioner, const mlir_op_t *op) {
  partition_note_whole(partitioner, op);
  mlir_op_t *copy = clone(partitioner, op);
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_value_t *operand = op->operands[i];
    const int rank = value_is_tensor(operand) ? value_shape(operand)->rank : 0;
    copy->operands[i] = partition_value_get(
        partitioner, operand, layouts_replicated(&partitioner->layouts, rank));
  }
  mlir_block_append(partitioner->block, copy);
  for (int i = 0; i < op->result_count; i++) {
    const int rank =
        value_is_tensor(&op->results[i]) ? value_shape(&op->results[i])->rank : 0;
    partition_value_put(partitioner, &op->results[i],
                        layouts_replicated(&partitioner->layouts, rank),
                        &copy->results[i]);
  }
  return NULL;
}

// --- Choices ---

// The layouts that an operand has to start from.
static void add_operand(partitioner_t *partitioner, alike_t *key,
                        const mlir_value_t *value) {
  // The ratio is what a cost depends on, and turns are products of whole numbers.
  const double ratio = partitioner->turns / partitioner->states[value->id].turns;
  alike_add(key, propagate_is_remade(value) ? 0 : (int64_t)(ratio * 1024));
  if (propagate_is_remade(value)) {
    alike_add(key, -1);
    return;
  }
  for (const version_t *version = partitioner->states[value->id].versions;
       version != NULL; version = version->next) {
    alike_add_address(key, version->layout);
    alike_add_address(key, version->mesh);
  }
  alike_add(key, -2);
}

// What the choice for an operation depends on. The targets are set.
static void make_key(partitioner_t *partitioner, const mlir_op_t *op, alike_t *key) {
  alike_init(key, op);
  for (int i = 0; i < op->operand_count && key->count > 0; i++) {
    add_operand(partitioner, key, op->operands[i]);
  }
  for (int i = 0; i < op->result_count && key->count > 0; i++) {
    alike_add(key, partitioner->reducers[i]);
    alike_add_address(key, partitioner->targets[i]);
    alike_add_address(key, partition_value_layout(partitioner, &op->results[i]));
  }
}

static const choice_t *make_choice(partitioner_t *partitioner, const mlir_op_t *op,
                                   const factors_t *factors) {
  pod_arena_t *arena = partitioner->shardings.arena;
  axes_t *axes = partitioner->factor_axes;
  partition_choose_axes(partitioner, op, factors, partitioner->targets, axes);
  choice_t *choice = pod_arena_alloc(arena, sizeof(*choice));
  choice->factors = factors;
  choice->axes =
      pod_arena_copy(arena, axes, (size_t)factors->factor_count * sizeof(axes[0]));
  choice->operands =
      pod_arena_array(arena, (size_t)op->operand_count, sizeof(choice->operands[0]));
  choice->results =
      pod_arena_array(arena, (size_t)op->result_count, sizeof(choice->results[0]));
  choice->types =
      pod_arena_array(arena, (size_t)op->result_count, sizeof(choice->types[0]));
  axes_t used = {0};
  for (int f = 0; f < factors->factor_count; f++) {
    axes_append_all(&used, &axes[f]);
    choice->moves = choice->moves || (axes[f].count > 0 && factor_moves(factors, f));
  }
  bool *carries = pod_arena_array(arena, (size_t)op->operand_count, sizeof(*carries));
  axes_t unreduced = partition_choice_unreduced(factors, axes);
  // Of what the operation itself leaves to be reduced in another way nothing is carried.
  const chip_reducer_t only =
      unreduced.count > 0 ? partitioner->reducers[0] : CHIP_REDUCER_NONE;
  const axes_t carried = sums_carried(partitioner, op, &used, only, carries);
  if (carried.count > 0) {  // Of an operation of one result.
    partitioner->reducers[0] = partitioner->targets[0]->reducer;
  }
  axes_append_all(&unreduced, &carried);
  for (int i = 0; i < op->operand_count; i++) {
    const bool starts = i < op->result_count && op->kind == CHIP_OP_SCATTER;
    const axes_t *summands = starts ? &unreduced : carries[i] ? &carried : NULL;
    choice->operands[i] =
        partition_choice_layout(partitioner, &factors->operands[i], axes, summands,
                                partitioner->reducers[starts ? i : 0]);
  }
  for (int i = 0; i < op->result_count; i++) {
    choice->results[i] = partition_choice_layout(partitioner, &factors->results[i], axes,
                                                 &unreduced, partitioner->reducers[i]);
    const tensor_shape_t shape =
        layout_local_shape(choice->results[i], value_shape(&op->results[i]));
    choice->types[i] = mlir_type_tensor(partitioner->module, &shape);
  }
  return choice;
}

// The grid of a kernel is for whole arrays: into how many pieces its rule cut it.
static void mark_part(partitioner_t *partitioner, const choice_t *choice,
                      mlir_op_t *local) {
  int64_t shards = 1;
  for (int f = 0; f < choice->factors->factor_count; f++) {
    shards *= axes_size(&choice->axes[f]);
  }
  if (shards > 1) {
    mlir_op_set_attr(partitioner->module, local, KERNEL_SHARDS_ATTR,
                     mlir_attr_integer(partitioner->module, shards, TENSOR_S64));
  }
}

static void write_local(partitioner_t *partitioner, const mlir_op_t *op,
                        const choice_t *choice) {
  if (op->result_count > 0) {  // No check.
    partition_note_gathered(partitioner, op, choice);
  }
  mlir_op_t *local = clone(partitioner, op);
  for (int i = 0; i < op->operand_count; i++) {
    local->operands[i] =
        partition_value_get(partitioner, op->operands[i], choice->operands[i]);
  }
  mlir_value_t **results = pod_arena_array(partitioner->shardings.arena,
                                           (size_t)op->result_count, sizeof(results[0]));
  for (int i = 0; i < op->result_count; i++) {
    local->results[i].type = choice->types[i];
    results[i] = &local->results[i];
  }
  localize_attrs(partitioner, op, local);
  if (op->kind == CHIP_OP_RNG_BIT_GENERATOR) {
    localize_draw(partitioner, op, choice, local);
  }
  if (op->kind == CHIP_OP_KERNEL) {
    mark_part(partitioner, choice, local);
  }
  if (choice->moves) {
    move_write(partitioner, op, choice, local, results);
  } else {
    mlir_block_append(partitioner->block, local);
  }
  for (int i = 0; i < op->result_count; i++) {
    partition_value_put(partitioner, &op->results[i], choice->results[i], results[i]);
    partitioner->states[op->results[i].id].choice = choice;
  }
}

// As propagation has them; it has none for an operation without results.
static pod_status_t factors_of(partitioner_t *partitioner, const mlir_op_t *op,
                               const factors_t **out_factors) {
  *out_factors =
      op->result_count == 0 ? NULL : partitioner->propagation.factors[op->results[0].id];
  if (*out_factors != NULL) {
    return NULL;
  }
  factors_t *factors;
  POD_TRY(compiler_factors_rule(op->kind)(partitioner->source, op,
                                          partitioner->shardings.arena, &factors));
  *out_factors = factors;
  return NULL;
}

// Room for the choice of an operation, used again by the next.
static void reserve_choice(partitioner_t *partitioner, int target_count,
                           int factor_count) {
  if (target_count > partitioner->target_capacity) {
    partitioner->target_capacity = 2 * target_count;
    partitioner->targets =
        pod_grow((void *)partitioner->targets, (size_t)partitioner->target_capacity,
                 sizeof(partitioner->targets[0]));
    partitioner->reducers =
        pod_grow(partitioner->reducers, (size_t)partitioner->target_capacity,
                 sizeof(partitioner->reducers[0]));
  }
  if (factor_count > partitioner->factor_capacity) {
    partitioner->factor_capacity = 2 * factor_count;
    partitioner->factor_axes =
        pod_grow(partitioner->factor_axes, (size_t)partitioner->factor_capacity,
                 sizeof(partitioner->factor_axes[0]));
    partitioner->candidates =
        pod_grow(partitioner->candidates, (size_t)partitioner->factor_capacity,
                 sizeof(partitioner->candidates[0]));
    partitioner->picked =
        pod_grow(partitioner->picked, (size_t)partitioner->factor_capacity,
                 sizeof(partitioner->picked[0]));
  }
}

static int64_t shards_of(const layout_t *layout) {
  int64_t shards = 1;
  for (int d = 0; d < layout->rank; d++) {
    shards *= axes_size(&layout->dims[d]);
  }
  return shards;
}

// Where a result goes: where it is wanted, when that is one layout, else as propagation
// has it, which also divides the work, so that a wish for less is none. What is a sum
// follows sums.c.
static const layout_t *target_of(partitioner_t *partitioner, const mlir_value_t *result) {
  const layout_t *layout = partition_value_layout(partitioner, result);
  const layout_t *wish = partitioner->wishes[result->id];
  return wish != NULL && axes_equal(&wish->unreduced, &layout->unreduced) &&
                 shards_of(wish) >= shards_of(layout)
             ? wish
             : layout;
}

pod_status_t partition_ruled(partitioner_t *partitioner, const mlir_op_t *op) {
  reserve_choice(partitioner, op->result_count + 1, 0);
  find_reducers(op, partitioner->reducers);
  for (int i = 0; i < op->result_count; i++) {
    partitioner->targets[i] = target_of(partitioner, &op->results[i]);
  }
  alike_t key;
  make_key(partitioner, op, &key);
  const choice_t *choice = alike_get(partitioner->choices, &key);
  if (choice == NULL) {
    const factors_t *factors;
    POD_TRY(factors_of(partitioner, op, &factors));
    reserve_choice(partitioner, 0, factors->factor_count);
    choice = make_choice(partitioner, op, factors);
    alike_put(partitioner->choices, &key, choice);
  }
  write_local(partitioner, op, choice);
  return NULL;
}
