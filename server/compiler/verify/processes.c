// Ids are counted in the grid of replicas and partitions that the module's attributes
// announce; the specification's constraints on them, by number, in the comments.

#include "server/compiler/verify/processes.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"

#define PROCESSES_ERROR(...) mlir_op_error(module, op, POD_INVALID_ARGUMENT, __VA_ARGS__)

// The operations that name processes.
typedef struct namer_t {
  bool is;
  bool knows_both;     // Has use_global_device_ids.
  bool may_leave_out;  // Not every process need be in a group.
} namer_t;

static const namer_t namers[KIND_COUNT] = {
    [CHIP_OP_ALL_GATHER] = {true, true, false},
    [CHIP_OP_ALL_REDUCE] = {true, true, false},
    [CHIP_OP_ALL_TO_ALL] = {true, false, false},
    [KIND_COLLECTIVE_BROADCAST] = {true, false, true},
    [CHIP_OP_COLLECTIVE_PERMUTE] = {true, false, true},
    [KIND_COLLECTIVE_REDUCE] = {true, true, false},
    [KIND_RECV] = {true, false, true},
    [CHIP_OP_REDUCE_SCATTER] = {true, true, false},
    [KIND_SEND] = {true, false, true},
};

static const namer_t *find_namer(const mlir_op_t *op) {
  return namers[op->kind].is ? &namers[op->kind] : NULL;
}

bool processes_has_rule(const mlir_op_t *op) {
  return find_namer(op) != NULL;
}

// all_gather (C5), all_reduce (C4), reduce_scatter (C6).
pod_status_t processes_grouping(mlir_module_t *module, const mlir_op_t *op,
                                processes_grouping_t *out_grouping) {
  const namer_t *namer = find_namer(op);
  int64_t handle, type;
  POD_TRY(stablehlo_channel_handle(module, mlir_op_attr(op, "channel_handle"), &handle,
                                   &type));
  const mlir_attr_t *global = mlir_op_attr(op, "use_global_device_ids");
  if (global != NULL && global->kind != MLIR_ATTR_UNIT &&
      global->kind != MLIR_ATTR_BOOL) {
    return PROCESSES_ERROR("'use_global_device_ids' is neither true nor false");
  }
  const bool is_global =
      global != NULL && (global->kind == MLIR_ATTR_UNIT || global->integer != 0);
  if (is_global && handle <= 0) {
    return PROCESSES_ERROR("use_global_device_ids needs a channel_handle above 0");
  }
  *out_grouping = handle <= 0                           ? PROCESSES_CROSS_REPLICA
                  : namer == NULL || !namer->knows_both ? PROCESSES_CROSS_PARTITION
                  : is_global                           ? PROCESSES_FLATTENED
                              : PROCESSES_CROSS_REPLICA_AND_PARTITION;
  return NULL;
}

static const char *name_of(processes_grouping_t grouping) {
  return grouping == PROCESSES_FLATTENED         ? "processes"
         : grouping == PROCESSES_CROSS_PARTITION ? "partitions"
                                                 : "replicas";
}

static int64_t limit_of(processes_grouping_t grouping, const processes_t *there) {
  return grouping == PROCESSES_FLATTENED         ? there->replicas * there->partitions
         : grouping == PROCESSES_CROSS_PARTITION ? there->partitions
                                                 : there->replicas;
}

// Ids in [0, limit), -1 apart. `list` is the attribute that names them.
static pod_status_t check_range(mlir_module_t *module, const mlir_op_t *op,
                                const char *list, int64_t count, const int64_t *ids,
                                int64_t limit, processes_grouping_t grouping) {
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < -1 || ids[i] >= limit) {
      return PROCESSES_ERROR("'%s' names %" PRId64 "; the %" PRId64
                             " %s have the ids 0 to %" PRId64,
                             list, ids[i], limit, name_of(grouping), limit - 1);
    }
  }
  return NULL;
}

// replica_groups as they are written, rows of ids with -1 behind a short one, or as axes
// of a mesh; false for another form.
static pod_status_t read_groups(mlir_module_t *module, const mlir_op_t *op,
                                compiler_groups_t *out_groups, bool *out_is_read) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  compiler_groups_t groups = {0};
  int64_t total;
  *out_is_read = false;
  if (mlir_attr_is(attr, MLIR_ATTR_DIALECT)) {
    compiler_meshes_t *meshes;
    POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
    POD_TRY(compiler_parse_replica_groups(module, attr, meshes, module->arena, &groups));
  } else if (mlir_attr_is(attr, MLIR_ATTR_DENSE) && attr->type->shape.rank == 2 &&
             mlir_attr_as_i64s(module, attr, &total, &groups.ids)) {
    groups.group_count = attr->type->shape.dims[0];
    groups.group_size = attr->type->shape.dims[1];
  } else {
    return NULL;
  }
  *out_groups = groups;
  *out_is_read = true;
  return NULL;
}

// One group of everybody: only all_to_all says how many that are. (C8)
static pod_status_t check_everybody(mlir_module_t *module, const mlir_op_t *op,
                                    processes_grouping_t grouping, int64_t limit) {
  const mlir_attr_t *split = mlir_op_attr(op, "split_count");
  if (grouping == PROCESSES_FLATTENED) {
    return PROCESSES_ERROR(
        "use_global_device_ids needs 'replica_groups' that name the processes");
  }
  if (mlir_attr_is(split, MLIR_ATTR_INTEGER) && limit > 0 && split->integer != limit) {
    return PROCESSES_ERROR("'split_count' is %" PRId64 ", the groups have %" PRId64
                           " members; they must be equal",
                           split->integer, limit);
  }
  return NULL;
}

// all_gather (C3), (C4); all_reduce (C2), (C3); all_to_all (C6), (C7); reduce_scatter
// (C4), (C5); collective_broadcast, collective_reduce (C2).
static pod_status_t check_groups(mlir_module_t *module, const mlir_op_t *op,
                                 const namer_t *namer, processes_grouping_t grouping,
                                 int64_t limit) {
  compiler_groups_t groups;
  bool is_read;
  POD_TRY(read_groups(module, op, &groups, &is_read));
  if (!is_read) {
    return NULL;
  }
  const int64_t listed = groups.group_count * groups.group_size;
  int64_t named = 0;
  for (int64_t i = 0; i < listed; i++) {
    named += groups.ids[i] != -1;
  }
  if (named == 0 && !namer->may_leave_out) {
    return check_everybody(module, op, grouping, limit);
  }
  if (limit > 0 && named != limit && !namer->may_leave_out) {
    return PROCESSES_ERROR("its 'replica_groups' name %" PRId64
                           " %s, and there are %" PRId64 "; each must be there once",
                           named, name_of(grouping), limit);
  }
  const int64_t end = limit > 0 ? limit : namer->may_leave_out ? INT64_MAX : named;
  return check_range(module, op, "replica_groups", listed, groups.ids, end, grouping);
}

static int compare_i64(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static pod_status_t check_unique(mlir_module_t *module, const mlir_op_t *op,
                                 const char *what, int64_t count, const int64_t *pairs) {
  int64_t *sorted = pod_arena_array(module->arena, (size_t)count, sizeof(*sorted));
  for (int64_t i = 0; i < count; i++) {
    if (pairs[2 * i] < 0) {
      return PROCESSES_ERROR("%s %" PRId64 " in 'source_target_pairs' is below 0", what,
                             pairs[2 * i]);
    }
    sorted[i] = pairs[2 * i];
  }
  qsort(sorted, (size_t)count, sizeof(*sorted), compare_i64);
  for (int64_t i = 1; i < count; i++) {
    if (sorted[i] == sorted[i - 1]) {
      return PROCESSES_ERROR("%s %" PRId64 " appears twice in 'source_target_pairs'",
                             what, sorted[i]);
    }
  }
  return NULL;
}

// (C2) to (C4) of collective_permute, send and recv.
static pod_status_t check_pairs(mlir_module_t *module, const mlir_op_t *op,
                                processes_grouping_t grouping, int64_t limit) {
  const mlir_attr_t *attr = mlir_op_attr(op, "source_target_pairs");
  int64_t total;
  const int64_t *pairs;
  if (!mlir_attr_is(attr, MLIR_ATTR_DENSE) || attr->type->shape.rank != 2 ||
      attr->type->shape.dims[1] != 2 ||
      !mlir_attr_as_i64s(module, attr, &total, &pairs)) {
    return NULL;
  }
  POD_TRY(check_unique(module, op, "source", total / 2, pairs));
  POD_TRY(check_unique(module, op, "target", total / 2, pairs + 1));
  return limit == 0 ? NULL
                    : check_range(module, op, "source_target_pairs", total, pairs, limit,
                                  grouping);
}

// Outside a grid of programs ids count chips.
static pod_status_t check_flat(mlir_module_t *module, const mlir_op_t *op,
                               processes_grouping_t grouping, const processes_t *there) {
  const bool crosses_partitions = grouping == PROCESSES_CROSS_PARTITION;
  if (there->is_grid || grouping == PROCESSES_FLATTENED ||
      (crosses_partitions ? there->replicas : there->partitions) <= 1) {
    return NULL;
  }
  return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                       "its ids count %s, of which each has several processes: it needs "
                       "use_global_device_ids",
                       name_of(grouping));
}

static int64_t count_of(const mlir_module_t *module, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(module->op, name);
  return mlir_attr_is(attr, MLIR_ATTR_INTEGER) && attr->integer > 0 &&
                 attr->integer <= INT32_MAX
             ? attr->integer
             : 0;
}

processes_t processes_of(const mlir_module_t *module) {
  const mlir_op_t *main = mlir_may_have(module, "interpreter.run_parallel")
                              ? mlir_module_find_symbol(module, "main")
                              : NULL;
  const mlir_block_t *body =
      main != NULL && main->region_count == 1 ? mlir_op_block(main, 0) : NULL;
  for (const mlir_op_t *op = body == NULL ? NULL : body->first; op != NULL;
       op = op->next) {
    const mlir_attr_t *rows =
        op->kind == KIND_INTERPRETER_RUN_PARALLEL ? mlir_op_attr(op, "programs") : NULL;
    if (mlir_attr_is(rows, MLIR_ATTR_ARRAY) && rows->count > 0 &&
        mlir_attr_is(rows->elements[0], MLIR_ATTR_ARRAY)) {
      return (processes_t){rows->count, rows->elements[0]->count, true};
    }
  }
  return (processes_t){count_of(module, "mhlo.num_replicas"),
                       count_of(module, "mhlo.num_partitions"), false};
}

pod_status_t processes_check(mlir_module_t *module, const mlir_op_t *op,
                             const processes_t *there) {
  const namer_t *namer = find_namer(op);
  if (namer == NULL) {
    return NULL;
  }
  processes_grouping_t grouping = PROCESSES_CROSS_REPLICA;
  POD_TRY(processes_grouping(module, op, &grouping));
  const int64_t limit = limit_of(grouping, there);
  const bool has_groups = mlir_op_attr(op, "replica_groups") != NULL;
  const bool has_pairs = mlir_op_attr(op, "source_target_pairs") != NULL;
  if (has_groups) {
    POD_TRY(check_groups(module, op, namer, grouping, limit));
  }
  if (has_pairs) {
    POD_TRY(check_pairs(module, op, grouping, limit));
  }
  return has_groups || has_pairs ? check_flat(module, op, grouping, there) : NULL;
}
