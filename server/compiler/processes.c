#include "server/compiler/processes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"

#define PROCESSES_ERROR(...) mlir_op_error(module, op, POD_INVALID_ARGUMENT, __VA_ARGS__)

static int64_t count_of(const mlir_module_t *module, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(module->op, name);
  return mlir_attr_is(attr, MLIR_ATTR_INTEGER) && attr->integer > 0 ? attr->integer : 0;
}

processes_t processes_of(const mlir_module_t *module) {
  return (processes_t){.replicas = count_of(module, "mhlo.num_replicas"),
                       .partitions = count_of(module, "mhlo.num_partitions")};
}

static bool is_one_of(const mlir_op_t *op, size_t count, const char *const *names) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(op->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

// all_gather (C5), all_reduce (C4), reduce_scatter (C6).
pod_status_t processes_grouping(mlir_module_t *module, const mlir_op_t *op,
                                processes_grouping_t *out_grouping) {
  static const char *const crossing_both[] = {
      "stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.collective_reduce",
      "stablehlo.reduce_scatter"};
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
  *out_grouping = handle <= 0 ? PROCESSES_CROSS_REPLICA
                  : !is_one_of(op, POD_COUNT_OF(crossing_both), crossing_both)
                      ? PROCESSES_CROSS_PARTITION
                  : is_global ? PROCESSES_FLATTENED
                              : PROCESSES_CROSS_REPLICA_AND_PARTITION;
  return NULL;
}

static const char *name_of(processes_grouping_t grouping) {
  return grouping == PROCESSES_FLATTENED         ? "processes"
         : grouping == PROCESSES_CROSS_PARTITION ? "partitions"
                                                 : "replicas";
}

static int64_t limit_of(processes_grouping_t grouping, processes_t there) {
  return grouping == PROCESSES_FLATTENED         ? there.replicas * there.partitions
         : grouping == PROCESSES_CROSS_PARTITION ? there.partitions
                                                 : there.replicas;
}

// Ids in [0, limit). `list` is the attribute that names them.
static pod_status_t check_range(mlir_module_t *module, const mlir_op_t *op,
                                const char *list, int64_t count, const int64_t *ids,
                                int64_t limit, const char *what) {
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < -1 || ids[i] >= limit) {
      return PROCESSES_ERROR("'%s' names %" PRId64 "; the %" PRId64
                             " %s have the ids 0 to %" PRId64,
                             list, ids[i], limit, what, limit - 1);
    }
  }
  return NULL;
}

// all_gather (C3), (C4); all_reduce (C2), (C3); all_to_all (C6), (C7); reduce_scatter
// (C4), (C5); collective_broadcast, collective_reduce (C2). The ids are distinct.
pod_status_t processes_check_groups(mlir_module_t *module, const mlir_op_t *op,
                                    processes_t there, const compiler_groups_t *groups) {
  static const char *const broadcast[] = {"stablehlo.collective_broadcast"};
  processes_grouping_t grouping;
  POD_TRY(processes_grouping(module, op, &grouping));
  const int64_t listed = groups->group_count * groups->group_size;
  int64_t limit = limit_of(grouping, there), named = 0;
  for (int64_t i = 0; i < listed; i++) {
    named += groups->ids[i] >= 0;
  }
  if (is_one_of(op, POD_COUNT_OF(broadcast), broadcast)) {
    limit = limit > 0 ? limit : INT64_MAX;
  } else if (named == 0) {
    return grouping == PROCESSES_FLATTENED
               ? PROCESSES_ERROR(
                     "use_global_device_ids needs 'replica_groups' that name "
                     "the processes")
               : NULL;
  } else if (limit > 0 && named != limit) {
    return PROCESSES_ERROR("its 'replica_groups' name %" PRId64
                           " %s, and there are %" PRId64 "; each must be there once",
                           named, name_of(grouping), limit);
  } else {
    limit = named;
  }
  return check_range(module, op, "replica_groups", listed, groups->ids, limit,
                     name_of(grouping));
}

static int compare_i64(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

// (C2), (C3) of collective_permute, send and recv.
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

pod_status_t processes_check_pairs(mlir_module_t *module, const mlir_op_t *op,
                                   processes_t there, int64_t pair_count,
                                   const int64_t *pairs) {
  processes_grouping_t grouping;
  POD_TRY(processes_grouping(module, op, &grouping));
  const int64_t limit = limit_of(grouping, there);
  POD_TRY(check_unique(module, op, "source", pair_count, pairs));
  POD_TRY(check_unique(module, op, "target", pair_count, pairs + 1));
  return limit == 0 ? NULL
                    : check_range(module, op, "source_target_pairs", 2 * pair_count,
                                  pairs, limit, name_of(grouping));
}
