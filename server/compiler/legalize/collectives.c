// Collectives that are made of others.

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

// --- Broadcasts ---

// One round: the first `have` chips of every group send to as many that follow.
static mlir_value_t *emit_round(expander_t *expander, const expand_groups_t *groups,
                                int64_t have, mlir_value_t *value) {
  mlir_module_t *module = expander->module;
  const size_t chips = (size_t)groups->chips;
  bool *receives = pod_arena_array(module->arena, chips, sizeof(*receives));
  int64_t *pairs = pod_arena_array(module->arena, 2 * chips, sizeof(*pairs));
  int64_t count = 0;
  for (int64_t g = 0; g < groups->count; g++) {
    const int64_t *ids = groups->ids + g * groups->size;
    for (int64_t i = 0; i < have && have + i < groups->size && ids[have + i] >= 0;
         i++, count++) {
      pairs[2 * count] = ids[i];
      pairs[2 * count + 1] = ids[have + i];
      receives[ids[have + i]] = true;
    }
  }
  const tensor_shape_t shape =
      tensor_shape_make(TENSOR_S64, 2, (const int64_t[]){count, 2});
  mlir_op_t *permute =
      expand_emit(expander, "stablehlo.collective_permute", 1, &value, value->type);
  expand_set_attr(expander, permute, "source_target_pairs",
                  mlir_attr_dense(module, &shape, pairs, false));
  return expand_emit_choice(expander,
                            expand_emit_lookup(expander, groups->chips, receives),
                            &permute->results[0], value);
}

// Whether a chip is in a group.
static mlir_value_t *emit_is_member(expander_t *expander, const expand_groups_t *groups) {
  bool *members =
      pod_arena_array(expander->module->arena, (size_t)groups->chips, sizeof(*members));
  for (int64_t i = 0; i < groups->count * groups->size; i++) {
    if (groups->ids[i] >= 0) {
      members[groups->ids[i]] = true;
    }
  }
  return expand_emit_lookup(expander, groups->chips, members);
}

// The first of every group sends what it has; twice as many have it after every round.
// Chips that are in no group get zeros.
pod_status_t expand_collective_broadcast(expander_t *expander,
                                         mlir_value_t **out_results) {
  expand_groups_t groups;
  POD_TRY(expand_groups(expander, &groups));
  mlir_value_t *is_member = emit_is_member(expander, &groups);
  for (int i = 0; i < expander->op->result_count; i++) {
    mlir_value_t *value = expander->op->operands[i];
    for (int64_t have = 1; have < groups.size; have *= 2) {
      value = emit_round(expander, &groups, have, value);
    }
    out_results[i] = expand_emit_choice(expander, is_member, value,
                                        expand_emit_splat(expander, value->type, 0));
  }
  return NULL;
}

// --- Reductions that one chip of a group gets ---

// The region moves.
static mlir_op_t *emit_all_reduce(expander_t *expander) {
  mlir_module_t *module = expander->module;
  mlir_op_t *op = expander->op;
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(types[0]));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = op->results[i].type;
  }
  mlir_op_t *all =
      mlir_op_create(module, mlir_intern(module, "stablehlo.all_reduce"),
                     op->result_count, op->operands, op->result_count, types, 1);
  all->position = op->position;
  all->location = op->location;
  for (int i = 0; i < op->attr_count; i++) {
    if (strcmp(op->attrs[i].name, "has_dynamic_root") != 0) {
      mlir_op_add_attr(module, all, op->attrs[i].name, op->attrs[i].value);
    }
  }
  mlir_walk_move_region(&op->regions[0], &all->regions[0]);
  mlir_block_insert_before(op, all);
  return all;
}

// An element of the last operand, a list, as an i64.
static mlir_value_t *emit_root(expander_t *expander, mlir_value_t *roots, int index) {
  tensor_shape_t list = roots->type->shape;
  list.dtype = TENSOR_S64;
  mlir_value_t *wide = expand_emit_unary(expander, "stablehlo.convert", roots,
                                         mlir_type_tensor(expander->module, &list));
  mlir_value_t *at = expand_emit_i64(expander, index);
  return expand_emit_pick(expander, wide, 1, &at, at->type);
}

static pod_status_t check_roots(expander_t *expander) {
  const mlir_op_t *op = expander->op;
  const tensor_shape_t *roots = &op->operands[op->operand_count - 1]->type->shape;
  if (roots->rank != 1 || roots->dims[0] != op->result_count ||
      !tensor_dtype_is_integer(roots->dtype)) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "needs 'replica_groups' of chips and, as its last operand, an "
                         "integer for each result");
  }
  return NULL;
}

static mlir_value_t *emit_equal(expander_t *expander, mlir_value_t *a, mlir_value_t *b) {
  const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *compare = expand_emit(expander, "stablehlo.compare", 2, operands,
                                   mlir_type_tensor(expander->module, &flag));
  expand_set_attr(
      expander, compare, "comparison_direction",
      stablehlo_make_enum(expander->module, compare, "comparison_direction", "EQ"));
  return &compare->results[0];
}

// The root of every group, its first chip if it is not an operand, has the result of an
// all_reduce, the others have zeros.
pod_status_t expand_collective_reduce(expander_t *expander, mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  mlir_op_t *op = expander->op;
  const bool is_dynamic = op->operand_count > op->result_count;
  expand_groups_t groups;
  POD_TRY(expand_groups(expander, &groups));
  if (is_dynamic) {
    POD_TRY(check_roots(expander));
  }
  // By chip: its place in its group; -1 without one.
  int64_t *places = pod_arena_array(module->arena, (size_t)groups.chips, sizeof(*places));
  memset(places, -1, (size_t)groups.chips * sizeof(*places));
  for (int64_t i = 0; i < groups.count * groups.size; i++) {
    if (groups.ids[i] >= 0) {
      places[groups.ids[i]] = i % groups.size;
    }
  }
  mlir_value_t *place = expand_emit_lookup_i64(expander, groups.chips, places);
  if (expand_is_ragged(module, op)) {
    POD_TRY(expand_ragged(expander, out_results));
  } else {
    mlir_op_t *all = emit_all_reduce(expander);
    for (int i = 0; i < op->result_count; i++) {
      out_results[i] = &all->results[i];
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *root = is_dynamic
                             ? emit_root(expander, op->operands[op->operand_count - 1], i)
                             : expand_emit_i64(expander, 0);
    out_results[i] =
        expand_emit_choice(expander, emit_equal(expander, place, root), out_results[i],
                           expand_emit_splat(expander, op->results[i].type, 0));
  }
  return NULL;
}

// --- Roots that the program computes ---

// Every chip gets what all of its group have, and takes what the root has. Chips that are
// in no group get zeros.
pod_status_t expand_broadcast_from_root(expander_t *expander,
                                        mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  expand_groups_t groups;
  POD_TRY(expand_groups(expander, &groups));
  POD_TRY(check_roots(expander));
  if (expand_is_ragged(module, op)) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "a root that the program computes needs groups of one size");
  }
  const mlir_attr_t *attr =
      compiler_make_replica_groups(module, groups.count, groups.size, groups.ids);
  mlir_value_t *is_member = emit_is_member(expander, &groups);
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *value = op->operands[i];
    if (value->type->shape.rank == TENSOR_RANK_MAX) {
      return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                           "a root that the program computes needs an operand of a rank "
                           "below %d",
                           (int)TENSOR_RANK_MAX);
    }
    mlir_value_t *root = emit_root(expander, op->operands[op->operand_count - 1], i);
    mlir_value_t *all = expand_emit_gather_group(expander, groups.size, attr, value);
    out_results[i] = expand_emit_choice(
        expander, is_member, expand_emit_pick(expander, all, 1, &root, value->type),
        expand_emit_splat(expander, value->type, 0));
  }
  return NULL;
}
