// Collectives that are made of others.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/attributes.h"
#include "server/compiler/expander.h"
#include "server/compiler/reducer.h"
#include "server/compiler/shape.h"
#include "server/compiler/walk.h"

// --- Broadcasts ---

// A table of truth values by chip, looked up with the chip's number; false behind its
// end, because dynamic_slice clamps.
static mlir_value_t *emit_lookup(expander_t *expander, int64_t count, const bool *table) {
  mlir_module_t *module = expander->module;
  const int64_t size = count + 1, one = 1;
  uint8_t *bytes = pod_arena_array(module->arena, (size_t)size, sizeof(*bytes));
  for (int64_t i = 0; i < count; i++) {
    bytes[i] = table[i];
  }
  const tensor_shape_t shape = tensor_shape_make(TENSOR_PRED, 1, &size);
  const tensor_shape_t piece = tensor_shape_make(TENSOR_PRED, 1, &one);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_PRED, 0, NULL);
  const tensor_shape_t number = tensor_shape_make(TENSOR_U32, 0, NULL);
  mlir_op_t *constant = expand_emit(expander, "stablehlo.constant", 0, NULL,
                                    mlir_type_tensor(module, &shape));
  expand_set_attr(expander, constant, "value",
                  mlir_attr_dense(module, &shape, bytes, false));
  mlir_op_t *id = expand_emit(expander, "stablehlo.partition_id", 0, NULL,
                              mlir_type_tensor(module, &number));
  mlir_value_t *operands[] = {&constant->results[0], &id->results[0]};
  mlir_op_t *slice = expand_emit(expander, "stablehlo.dynamic_slice", 2, operands,
                                 mlir_type_tensor(module, &piece));
  expand_set_attr(expander, slice, "slice_sizes", mlir_attr_i64_array(module, 1, &one));
  return expand_emit_unary(expander, "stablehlo.reshape", &slice->results[0],
                           mlir_type_tensor(module, &scalar));
}

static mlir_value_t *emit_choice(expander_t *expander, mlir_value_t *flag,
                                 mlir_value_t *then, mlir_value_t *otherwise) {
  mlir_value_t *operands[] = {flag, then, otherwise};
  return &expand_emit(expander, "stablehlo.select", 3, operands, then->type)->results[0];
}

// One round: the first `have` chips of every group send to as many that follow.
static mlir_value_t *emit_round(expander_t *expander, const compiler_groups_t *groups,
                                int64_t have, int64_t chips, mlir_value_t *value) {
  mlir_module_t *module = expander->module;
  bool *receives = pod_arena_array(module->arena, (size_t)chips, sizeof(*receives));
  int64_t *pairs = pod_arena_array(module->arena, 2 * (size_t)chips, sizeof(*pairs));
  int64_t count = 0;
  for (int64_t g = 0; g < groups->group_count; g++) {
    const int64_t *ids = groups->ids + g * groups->group_size;
    for (int64_t i = 0; i < have && have + i < groups->group_size; i++, count++) {
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
  return emit_choice(expander, emit_lookup(expander, chips, receives),
                     &permute->results[0], value);
}

// The first of every group sends what it has; twice as many have it after every round.
// Chips that are in no group get zeros.
pod_status_t expand_collective_broadcast(expander_t *expander,
                                         mlir_value_t **out_results) {
  enum { CHIPS_MAX = 1 << 20 };
  mlir_module_t *module = expander->module;
  compiler_groups_t groups;
  POD_TRY(compiler_parse_replica_groups(module,
                                        mlir_op_attr(expander->op, "replica_groups"),
                                        NULL, module->arena, &groups));
  int64_t chips = 0;
  const int64_t named = groups.group_count * groups.group_size;
  for (int64_t i = 0; i < named; i++) {
    chips = groups.ids[i] >= chips ? groups.ids[i] + 1 : chips;
  }
  if (chips == 0 || chips > CHIPS_MAX) {
    return mlir_op_error(module, expander->op, POD_INVALID_ARGUMENT,
                         "needs 'replica_groups' of chips");
  }
  mlir_value_t *value = expander->op->operands[0];
  for (int64_t have = 1; have < groups.group_size; have *= 2) {
    value = emit_round(expander, &groups, have, chips, value);
  }
  bool *members = pod_arena_array(module->arena, (size_t)chips, sizeof(*members));
  for (int64_t i = 0; i < named; i++) {
    members[groups.ids[i]] = true;
  }
  out_results[0] = emit_choice(expander, emit_lookup(expander, chips, members), value,
                               expand_emit_splat(expander, value->type, 0));
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
                     op->operand_count, op->operands, op->result_count, types, 1);
  all->position = op->position;
  all->location = op->location;
  for (int i = 0; i < op->attr_count; i++) {
    mlir_op_add_attr(module, all, op->attrs[i].name, op->attrs[i].value);
  }
  walk_move_region(&op->regions[0], &all->regions[0]);
  mlir_block_insert_before(op, all);
  return all;
}

// The first of every group has the result of an all_reduce, the others have zeros.
pod_status_t expand_collective_reduce(expander_t *expander, mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  if (shape_has_dynamic_root(expander->op)) {
    return mlir_op_error(module, expander->op, POD_UNIMPLEMENTED,
                         "a root that the program computes is not supported");
  }
  compiler_groups_t groups;
  POD_TRY(compiler_parse_replica_groups(module,
                                        mlir_op_attr(expander->op, "replica_groups"),
                                        NULL, module->arena, &groups));
  const int64_t named = groups.group_count * groups.group_size;
  if (named == 0) {
    return mlir_op_error(module, expander->op, POD_INVALID_ARGUMENT,
                         "needs 'replica_groups' of chips");
  }
  int64_t chips = 0;
  for (int64_t i = 0; i < named; i++) {
    chips = groups.ids[i] >= chips ? groups.ids[i] + 1 : chips;
  }
  bool *roots = pod_arena_array(module->arena, (size_t)chips, sizeof(*roots));
  for (int64_t g = 0; g < groups.group_count; g++) {
    roots[groups.ids[g * groups.group_size]] = true;
  }
  mlir_op_t *all = emit_all_reduce(expander);
  mlir_value_t *is_root = emit_lookup(expander, chips, roots);
  for (int i = 0; i < all->result_count; i++) {
    out_results[i] = emit_choice(expander, is_root, &all->results[i],
                                 expand_emit_splat(expander, all->results[i].type, 0));
  }
  return NULL;
}

// --- Groups of different sizes ---

// replica_groups as they are written: rows of ids, -1 behind the last of a short one.
static bool raw_groups(mlir_module_t *module, const mlir_op_t *op, int64_t *out_count,
                       int64_t *out_size, const int64_t **out_ids) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  int64_t total;
  if (!mlir_attr_is(attr, MLIR_ATTR_DENSE) || attr->type->shape.rank != 2 ||
      !mlir_attr_as_i64s(module, attr, &total, out_ids)) {
    return false;
  }
  *out_count = attr->type->shape.dims[0];
  *out_size = attr->type->shape.dims[1];
  return total == *out_count * *out_size;
}

bool expand_is_ragged(mlir_module_t *module, const mlir_op_t *op) {
  int64_t count, size;
  const int64_t *ids;
  if (op->region_count != 1 || op->operand_count != op->result_count ||
      !raw_groups(module, op, &count, &size, &ids)) {
    return false;
  }
  for (int64_t i = 0; i < count * size; i++) {
    if (ids[i] < 0) {
      return true;
    }
  }
  return false;
}

// By chip: the members of its group, `size` of them with the first again behind the
// last, and how many there are.
typedef struct ragged_t {
  int64_t chips, size;
  int64_t *members, *counts;
} ragged_t;

static pod_status_t read_ragged(expander_t *expander, ragged_t *out) {
  int64_t count, size;
  const int64_t *ids;
  ragged_t ragged = {0};
  POD_CHECK(raw_groups(expander->module, expander->op, &count, &size, &ids));
  for (int64_t i = 0; i < count * size; i++) {
    ragged.chips += ids[i] >= 0;
  }
  ragged.size = size;
  pod_arena_t *arena = expander->module->arena;
  ragged.members =
      pod_arena_array(arena, (size_t)(ragged.chips * size) + 1, sizeof(int64_t));
  ragged.counts = pod_arena_array(arena, (size_t)ragged.chips + 1, sizeof(int64_t));
  for (int64_t g = 0; g < count; g++) {
    const int64_t *group = ids + g * size;
    int64_t members = 0;
    while (members < size && group[members] >= 0) {
      members++;
    }
    for (int64_t i = 0; i < size; i++) {
      const bool is_member = i < members;
      if (is_member ? group[i] >= ragged.chips || ragged.counts[group[i]] != 0
                    : group[i] != -1) {
        return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                             "'replica_groups' must name every chip once, with -1 behind "
                             "the last of a group");
      }
      for (int64_t j = 0; is_member && j < size; j++) {
        ragged.members[group[i] * size + j] = group[j < members ? j : 0];
      }
      if (is_member) {
        ragged.counts[group[i]] = members;
      }
    }
  }
  *out = ragged;
  return NULL;
}

static mlir_value_t *emit_dense(expander_t *expander, tensor_dtype_t dtype, int rank,
                                const int64_t *dims, const void *data) {
  const tensor_shape_t shape = tensor_shape_make(dtype, rank, dims);
  mlir_op_t *op = expand_emit(expander, "stablehlo.constant", 0, NULL,
                              mlir_type_tensor(expander->module, &shape));
  expand_set_attr(expander, op, "value",
                  mlir_attr_dense(expander->module, &shape, data, false));
  return &op->results[0];
}

static mlir_value_t *emit_i64(expander_t *expander, int64_t value) {
  return emit_dense(expander, TENSOR_S64, 0, NULL, &value);
}

// Element or slice `starts` of `from`, of size 1 in the first `rank` dimensions.
static mlir_value_t *emit_pick(expander_t *expander, mlir_value_t *from, int picked,
                               mlir_value_t *const *starts, const mlir_type_t *type) {
  tensor_shape_t piece = from->type->shape;
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {from};
  mlir_value_t *zero = emit_i64(expander, 0);
  for (int d = 0; d < piece.rank; d++) {
    piece.dims[d] = d < picked ? 1 : piece.dims[d];
    operands[1 + d] = d < picked ? starts[d] : zero;
  }
  mlir_op_t *slice = expand_emit(expander, "stablehlo.dynamic_slice", 1 + piece.rank,
                                 operands, mlir_type_tensor(expander->module, &piece));
  expand_set_attr(expander, slice, "slice_sizes",
                  mlir_attr_i64_array(expander->module, piece.rank, piece.dims));
  return expand_emit_unary(expander, "stablehlo.reshape", &slice->results[0], type);
}

// What every chip has, side by side.
static mlir_value_t *emit_gather_all(expander_t *expander, int64_t chips,
                                     mlir_value_t *value) {
  tensor_shape_t shape = value->type->shape;
  memmove(&shape.dims[1], &shape.dims[0], (size_t)shape.rank * sizeof(shape.dims[0]));
  shape.rank++;
  shape.dims[0] = 1;
  mlir_value_t *row = expand_emit_unary(expander, "stablehlo.reshape", value,
                                        mlir_type_tensor(expander->module, &shape));
  shape.dims[0] = chips;
  mlir_op_t *gather = expand_emit(expander, "stablehlo.all_gather", 1, &row,
                                  mlir_type_tensor(expander->module, &shape));
  int64_t *ids = pod_arena_array(expander->module->arena, (size_t)chips, sizeof(*ids));
  for (int64_t i = 0; i < chips; i++) {
    ids[i] = i;
  }
  expand_set_attr(expander, gather, "all_gather_dim",
                  mlir_attr_integer(expander->module, 0, TENSOR_S64));
  expand_set_attr(expander, gather, "replica_groups",
                  compiler_make_replica_groups(expander->module, 1, chips, ids));
  return &gather->results[0];
}

// all_reduce over groups of different sizes: every chip gets what all have, and combines
// the values of its group in their order.
pod_status_t expand_ragged(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  ragged_t ragged = {0};
  if (compiler_reducer(op) == CHIP_REDUCER_NONE) {
    return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                         "groups of different sizes need a region of one operation");
  }
  POD_TRY(read_ragged(expander, &ragged));
  const char *combine = mlir_op_block(op, 0)->first->name;
  const int64_t dims[] = {ragged.chips, ragged.size};
  mlir_value_t *members = emit_dense(expander, TENSOR_S64, 2, dims, ragged.members);
  const tensor_shape_t number = tensor_shape_make(TENSOR_U32, 0, NULL);
  const mlir_type_t *index = emit_i64(expander, 0)->type;
  mlir_value_t *chip =
      expand_emit_unary(expander, "stablehlo.convert",
                        &expand_emit(expander, "stablehlo.partition_id", 0, NULL,
                                     mlir_type_tensor(expander->module, &number))
                             ->results[0],
                        index);
  bool *has =
      pod_arena_array(expander->module->arena, (size_t)ragged.chips, sizeof(bool));
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->type->shape.rank == TENSOR_RANK_MAX) {
      return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                           "groups of different sizes need an operand of a rank below %d",
                           (int)TENSOR_RANK_MAX);
    }
    mlir_value_t *all = emit_gather_all(expander, ragged.chips, op->operands[i]);
    for (int64_t j = 0; j < ragged.size; j++) {
      mlir_value_t *at[] = {chip, emit_i64(expander, j)};
      mlir_value_t *member = emit_pick(expander, members, 2, at, index);
      mlir_value_t *value = emit_pick(expander, all, 1, &member, op->operands[i]->type);
      for (int64_t c = 0; c < ragged.chips; c++) {
        has[c] = j < ragged.counts[c];
      }
      out_results[i] =
          j == 0
              ? value
              : emit_choice(expander, emit_lookup(expander, ragged.chips, has),
                            expand_emit_binary(expander, combine, out_results[i], value),
                            out_results[i]);
    }
  }
  return NULL;
}

// --- Roots that the program computes ---

// What the chips of a group have, side by side in their order.
static mlir_value_t *emit_gather_group(expander_t *expander, int64_t size,
                                       const mlir_attr_t *groups, mlir_value_t *value) {
  tensor_shape_t shape = value->type->shape;
  memmove(&shape.dims[1], &shape.dims[0], (size_t)shape.rank * sizeof(shape.dims[0]));
  shape.rank++;
  shape.dims[0] = 1;
  mlir_value_t *row = expand_emit_unary(expander, "stablehlo.reshape", value,
                                        mlir_type_tensor(expander->module, &shape));
  shape.dims[0] = size;
  mlir_op_t *gather = expand_emit(expander, "stablehlo.all_gather", 1, &row,
                                  mlir_type_tensor(expander->module, &shape));
  expand_set_attr(expander, gather, "all_gather_dim",
                  mlir_attr_integer(expander->module, 0, TENSOR_S64));
  expand_set_attr(expander, gather, "replica_groups", groups);
  return &gather->results[0];
}

// Every chip gets what all of its group have, and takes what the root has. Chips that are
// in no group get zeros.
pod_status_t expand_broadcast_from_root(expander_t *expander,
                                        mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  mlir_value_t *roots = op->operands[op->operand_count - 1];
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  compiler_groups_t groups;
  POD_TRY(compiler_parse_replica_groups(module, attr, NULL, module->arena, &groups));
  const int64_t named = groups.group_count * groups.group_size;
  if (named == 0 || roots->type->shape.rank != 1 ||
      roots->type->shape.dims[0] != op->result_count ||
      !tensor_dtype_is_integer(roots->type->shape.dtype)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "needs 'replica_groups' of chips and, as its last operand, an "
                         "integer for each result");
  }
  int64_t chips = 0;
  for (int64_t i = 0; i < named; i++) {
    chips = groups.ids[i] >= chips ? groups.ids[i] + 1 : chips;
  }
  bool *members = pod_arena_array(module->arena, (size_t)chips, sizeof(*members));
  for (int64_t i = 0; i < named; i++) {
    members[groups.ids[i]] = true;
  }
  mlir_value_t *is_member = emit_lookup(expander, chips, members);
  tensor_shape_t list = roots->type->shape;
  list.dtype = TENSOR_S64;
  mlir_value_t *wide = expand_emit_unary(expander, "stablehlo.convert", roots,
                                         mlir_type_tensor(module, &list));
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *value = op->operands[i], *at = emit_i64(expander, i);
    if (value->type->shape.rank == TENSOR_RANK_MAX) {
      return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                           "a root that the program computes needs an operand of a rank "
                           "below %d",
                           (int)TENSOR_RANK_MAX);
    }
    mlir_value_t *root = emit_pick(expander, wide, 1, &at, at->type);
    mlir_value_t *all = emit_gather_group(expander, groups.group_size, attr, value);
    out_results[i] =
        emit_choice(expander, is_member, emit_pick(expander, all, 1, &root, value->type),
                    expand_emit_splat(expander, value->type, 0));
  }
  return NULL;
}
