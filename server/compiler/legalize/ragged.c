// Groups of collectives, also of different sizes, and the reductions over those.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/legalize/expander.h"

// --- Groups ---

// replica_groups as they are written: rows of ids, -1 behind the last of a short one.
static bool raw_groups(mlir_module_t *module, const mlir_op_t *op, expand_groups_t *out) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  int64_t total;
  if (!mlir_attr_is(attr, MLIR_ATTR_DENSE) || attr->type->shape.rank != 2 ||
      !mlir_attr_as_i64s(module, attr, &total, &out->ids)) {
    return false;
  }
  out->count = attr->type->shape.dims[0];
  out->size = attr->type->shape.dims[1];
  return total == out->count * out->size;
}

bool expand_is_ragged(mlir_module_t *module, const mlir_op_t *op) {
  expand_groups_t groups;
  if (!raw_groups(module, op, &groups)) {
    return false;
  }
  for (int64_t i = 0; i < groups.count * groups.size; i++) {
    if (groups.ids[i] < 0) {
      return true;
    }
  }
  return false;
}

// Of groups of different sizes: no id twice, -1 only behind others.
static pod_status_t check_ragged(expander_t *expander, const expand_groups_t *groups) {
  bool *seen =
      pod_arena_array(expander->module->arena, (size_t)groups->chips + 1, sizeof(bool));
  for (int64_t i = 0; i < groups->count * groups->size; i++) {
    const int64_t id = groups->ids[i];
    const bool follows = i % groups->size == 0 || groups->ids[i - 1] >= 0;
    if (id < -1 || (id >= 0 && (!follows || seen[id]))) {
      return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                           "'replica_groups' must name every chip once, with -1 behind "
                           "the last of a group");
    }
    if (id >= 0) {
      seen[id] = true;
    }
  }
  return NULL;
}

pod_status_t expand_groups(expander_t *expander, expand_groups_t *out_groups) {
  mlir_module_t *module = expander->module;
  const mlir_attr_t *attr = mlir_op_attr(expander->op, "replica_groups");
  expand_groups_t groups = {0};
  const bool is_ragged = expand_is_ragged(module, expander->op);
  if (is_ragged) {
    POD_CHECK(raw_groups(module, expander->op, &groups));
  } else {
    compiler_meshes_t *meshes = NULL;
    compiler_groups_t parsed;
    if (mlir_attr_is(attr, MLIR_ATTR_DIALECT)) {
      POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
    }
    POD_TRY(compiler_parse_replica_groups(module, attr, meshes, module->arena, &parsed));
    groups = (expand_groups_t){
        .count = parsed.group_count, .size = parsed.group_size, .ids = parsed.ids};
  }
  for (int64_t i = 0; i < groups.count * groups.size; i++) {
    groups.chips = groups.ids[i] >= groups.chips ? groups.ids[i] + 1 : groups.chips;
    groups.named += groups.ids[i] >= 0;
  }
  if (groups.chips == 0 || groups.chips > SHARDING_DEVICES_MAX) {
    return mlir_op_error(module, expander->op, POD_INVALID_ARGUMENT,
                         "needs 'replica_groups' of chips");
  }
  if (is_ragged) {
    POD_TRY(check_ragged(expander, &groups));
  }
  *out_groups = groups;
  return NULL;
}

// --- Reductions over groups of different sizes ---

// By chip: the members of its group, `size` of them with the first again behind the
// last, and how many there are.
typedef struct ragged_t {
  int64_t chips, size;
  int64_t *members, *counts;
} ragged_t;

static pod_status_t read_ragged(expander_t *expander, ragged_t *out) {
  expand_groups_t groups;
  POD_TRY(expand_groups(expander, &groups));
  if (groups.named != groups.chips) {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "'replica_groups' must name every chip once, with -1 behind the "
                         "last of a group");
  }
  pod_arena_t *arena = expander->module->arena;
  const int64_t size = groups.size;
  ragged_t ragged = {
      .chips = groups.chips,
      .size = size,
      .members = pod_arena_array(arena, (size_t)(groups.chips * size), sizeof(int64_t)),
      .counts = pod_arena_array(arena, (size_t)groups.chips, sizeof(int64_t))};
  for (int64_t g = 0; g < groups.count; g++) {
    const int64_t *group = groups.ids + g * size;
    int64_t members = 0;
    while (members < size && group[members] >= 0) {
      members++;
    }
    for (int64_t i = 0; i < members; i++) {
      ragged.counts[group[i]] = members;
      for (int64_t j = 0; j < size; j++) {
        ragged.members[group[i] * size + j] = group[j < members ? j : 0];
      }
    }
  }
  *out = ragged;
  return NULL;
}

// What every chip has, side by side.
static mlir_value_t *emit_gather_all(expander_t *expander, int64_t chips,
                                     mlir_value_t *value) {
  int64_t *ids = pod_arena_array(expander->module->arena, (size_t)chips, sizeof(*ids));
  for (int64_t i = 0; i < chips; i++) {
    ids[i] = i;
  }
  return expand_emit_gather_group(
      expander, chips, compiler_make_replica_groups(expander->module, 1, chips, ids),
      value);
}

// The operation's region on every pair of elements: by the operation that it is, or a
// map.
static mlir_value_t *emit_combined(expander_t *expander, mlir_value_t *a,
                                   mlir_value_t *b) {
  mlir_module_t *module = expander->module;
  mlir_op_t *op = expander->op;
  if (compiler_reducer(op) != CHIP_REDUCER_NONE) {
    return expand_emit_binary(expander, mlir_op_block(op, 0)->first->name, a, b);
  }
  mlir_value_t *operands[] = {a, b};
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < a->type->shape.rank; d++) {
    dims[d] = d;
  }
  // A copy of the whole operation has a copy of the region, which the map takes.
  mlir_value_t **values =
      pod_arena_array(module->arena, module->value_count, sizeof(values[0]));
  mlir_op_t *copy = mlir_op_clone(module, op, values);
  mlir_op_t *map = mlir_op_create(module, mlir_intern(module, "stablehlo.map"), 2,
                                  operands, 1, &a->type, 1);
  map->position = op->position;
  map->location = op->location;
  mlir_walk_move_region(&copy->regions[0], &map->regions[0]);
  mlir_op_set_attr(module, map, mlir_intern(module, "dimensions"),
                   mlir_attr_i64_array(module, a->type->shape.rank, dims));
  mlir_block_insert_before(op, map);
  return &map->results[0];
}

// Every chip gets what all have, and combines the values of its group in their order.
pod_status_t expand_ragged(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  ragged_t ragged = {0};
  POD_TRY(read_ragged(expander, &ragged));
  const int64_t dims[] = {ragged.chips, ragged.size};
  mlir_value_t *members =
      expand_emit_dense(expander, TENSOR_S64, 2, dims, ragged.members);
  mlir_value_t *chip = expand_emit_chip(expander);
  bool *has =
      pod_arena_array(expander->module->arena, (size_t)ragged.chips, sizeof(bool));
  for (int i = 0; i < op->result_count; i++) {
    const mlir_type_t *type = op->operands[i]->type;
    if (type->shape.rank == TENSOR_RANK_MAX) {
      return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                           "groups of different sizes need an operand of a rank below %d",
                           (int)TENSOR_RANK_MAX);
    }
    mlir_value_t *all = emit_gather_all(expander, ragged.chips, op->operands[i]);
    for (int64_t j = 0; j < ragged.size; j++) {
      mlir_value_t *at[] = {chip, expand_emit_i64(expander, j)};
      mlir_value_t *member = expand_emit_pick(expander, members, 2, at, chip->type);
      mlir_value_t *value = expand_emit_pick(expander, all, 1, &member, type);
      for (int64_t c = 0; c < ragged.chips; c++) {
        has[c] = j < ragged.counts[c];
      }
      out_results[i] =
          j == 0 ? value
                 : expand_emit_choice(
                       expander, expand_emit_lookup(expander, ragged.chips, has),
                       emit_combined(expander, out_results[i], value), out_results[i]);
    }
  }
  return NULL;
}
