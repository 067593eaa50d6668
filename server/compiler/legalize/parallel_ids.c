// Replicas and partitions become chips: in the programs that the cells of a grid run.

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/grid.h"
#include "server/compiler/verify/processes.h"
#include "server/compiler/verify/shape.h"

static pod_status_t not_supported(const grid_t *grid, const mlir_op_t *op,
                                  const char *what) {
  return mlir_op_error(grid->module, op, POD_UNIMPLEMENTED, "%s", what);
}

static void rewrite_id(grid_t *grid, mlir_op_t *op, mlir_replacements_t *replacements) {
  const bool is_replica = op->kind == CHIP_OP_REPLICA_ID;
  mlir_value_t *operands[] = {grid_put(grid, op, "stablehlo.partition_id", 0, NULL,
                                       grid_scalar(grid, TENSOR_U32)),
                              grid_put_constant(grid, op, TENSOR_U32, grid->partitions)};
  mlir_value_t *id =
      grid_put(grid, op, is_replica ? "stablehlo.divide" : "stablehlo.remainder", 2,
               operands, grid_scalar(grid, TENSOR_U32));
  mlir_replacements_put(replacements, &op->results[0], id);
  mlir_op_unlink(op);
}

static int64_t chip_of(const grid_t *grid, int64_t replica, int64_t partition) {
  return replica * grid->partitions + partition;
}

// No groups: one of everybody.
static void fill_groups(const grid_t *grid, processes_grouping_t grouping,
                        compiler_groups_t *groups) {
  if (groups->group_count > 0 && groups->group_size > 0) {
    return;
  }
  const int64_t size = grouping == PROCESSES_FLATTENED ? grid->replicas * grid->partitions
                       : grouping == PROCESSES_CROSS_PARTITION ? grid->partitions
                                                               : grid->replicas;
  int64_t *ids = pod_arena_array(grid->module->arena, (size_t)size, sizeof(*ids));
  for (int64_t i = 0; i < size; i++) {
    ids[i] = i;
  }
  *groups = (compiler_groups_t){.group_count = 1, .group_size = size, .ids = ids};
}

static bool has_negative(int64_t count, const int64_t *ids) {
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < 0) {
      return true;
    }
  }
  return false;
}

// Whose result does not depend on the size of the group.
static bool may_be_ragged(const mlir_op_t *op) {
  return op->kind == CHIP_OP_ALL_REDUCE || op->kind == KIND_COLLECTIVE_BROADCAST ||
         op->kind == KIND_COLLECTIVE_REDUCE;
}

// Puts -1 behind all others.
static void compact(int64_t count, int64_t *ids) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] >= 0) {
      ids[kept++] = ids[i];
    }
  }
  while (kept < count) {
    ids[kept++] = -1;
  }
}

static pod_status_t rewrite_groups(grid_t *grid, mlir_op_t *op,
                                   processes_grouping_t grouping) {
  compiler_groups_t from;
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  int64_t total;
  const bool is_ragged = mlir_attr_is(attr, MLIR_ATTR_DENSE) &&
                         attr->type->shape.rank == 2 &&
                         mlir_attr_as_i64s(grid->module, attr, &total, &from.ids) &&
                         has_negative(total, from.ids) && may_be_ragged(op);
  if (is_ragged) {  // The pass `expand` takes them from here.
    from = (compiler_groups_t){.group_count = attr->type->shape.dims[0],
                               .group_size = attr->type->shape.dims[1],
                               .ids = from.ids};
  } else {
    compiler_meshes_t *meshes = NULL;
    if (mlir_attr_is(attr, MLIR_ATTR_DIALECT)) {
      POD_TRY(compiler_meshes_collect(grid->module, grid->module->arena, &meshes));
    }
    POD_TRY(compiler_parse_replica_groups(grid->module, attr, meshes, grid->module->arena,
                                          &from));
  }
  fill_groups(grid, grouping, &from);
  // In the order of the specification: `others` groups for every one, or all in one.
  const int64_t others = grouping == PROCESSES_CROSS_REPLICA     ? grid->partitions
                         : grouping == PROCESSES_CROSS_PARTITION ? grid->replicas
                                                                 : 1;
  const int64_t inner =
      grouping == PROCESSES_CROSS_REPLICA_AND_PARTITION ? grid->partitions : 1;
  const int64_t size = from.group_size * inner;
  const int64_t count = from.group_count * others;
  if (from.group_count * from.group_size > GRID_CELLS_MAX) {
    return not_supported(grid, op, "groups of more than 4096 ids are not supported");
  }
  int64_t *ids =
      pod_arena_array(grid->module->arena, (size_t)(count * size), sizeof(*ids));
  int64_t *next = ids;
  for (int64_t g = 0; g < from.group_count; g++) {
    for (int64_t other = 0; other < others; other++) {
      for (int64_t p = 0; p < inner; p++) {
        for (int64_t i = 0; i < from.group_size; i++) {
          const int64_t id = from.ids[g * from.group_size + i];
          *next++ = id < 0 || grouping == PROCESSES_FLATTENED ? id
                    : grouping == PROCESSES_CROSS_PARTITION
                        ? chip_of(grid, other, id)
                        : chip_of(grid, id, other + p);
        }
      }
      compact(size, next - size);
    }
  }
  mlir_op_set_attr(grid->module, op, mlir_intern(grid->module, "replica_groups"),
                   compiler_make_replica_groups(grid->module, count, size, ids));
  return NULL;
}

static pod_status_t rewrite_pairs(grid_t *grid, mlir_op_t *op,
                                  processes_grouping_t grouping) {
  int64_t count;
  const int64_t *from;
  POD_TRY(stablehlo_source_target_pairs(
      grid->module, mlir_op_attr(op, "source_target_pairs"), &count, &from));
  const int64_t others =
      grouping == PROCESSES_CROSS_REPLICA ? grid->partitions : grid->replicas;
  if (count > GRID_CELLS_MAX) {
    return not_supported(grid, op, "more than 4096 pairs are not supported");
  }
  const int64_t shape_dims[] = {count * others, 2};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, shape_dims);
  int64_t *pairs = pod_arena_array(grid->module->arena, (size_t)(2 * count * others) + 1,
                                   sizeof(*pairs));
  for (int64_t other = 0; other < others; other++) {
    for (int64_t i = 0; i < 2 * count; i++) {
      pairs[2 * count * other + i] = grouping == PROCESSES_CROSS_REPLICA
                                         ? chip_of(grid, from[i], other)
                                         : chip_of(grid, other, from[i]);
    }
  }
  mlir_op_set_attr(grid->module, op, mlir_intern(grid->module, "source_target_pairs"),
                   mlir_attr_dense(grid->module, &shape, pairs, false));
  return NULL;
}

static pod_status_t rewrite_op(grid_t *grid, mlir_op_t *op,
                               mlir_replacements_t *replacements) {
  if (op->kind == CHIP_OP_REPLICA_ID || op->kind == CHIP_OP_PARTITION_ID) {
    POD_TRY(shape_arity(grid->module, op, 0, 1, 0));
    rewrite_id(grid, op, replacements);
    return NULL;
  }
  processes_grouping_t grouping;
  if (mlir_op_attr(op, "replica_groups") != NULL) {
    POD_TRY(processes_grouping(grid->module, op, &grouping));
    return rewrite_groups(grid, op, grouping);
  }
  if (mlir_op_attr(op, "source_target_pairs") != NULL &&
      (op->kind == CHIP_OP_COLLECTIVE_PERMUTE || op->kind == KIND_SEND ||
       op->kind == KIND_RECV)) {
    POD_TRY(processes_grouping(grid->module, op, &grouping));
    return rewrite_pairs(grid, op, grouping);
  }
  return NULL;
}

// Every function but @main is run by cells.
pod_status_t grid_rewrite_ids(grid_t *grid, const mlir_op_t *main) {
  mlir_replacements_t replacements = {0};
  pod_status_t status = NULL;
  for (mlir_op_t *function = mlir_op_block(grid->module->op, 0)->first;
       function != NULL && status == NULL; function = function->next) {
    if (function == main) {
      continue;
    }
    mlir_op_t *next;
    for (mlir_op_t *op = mlir_walk_first(function); op != NULL && status == NULL;
         op = next) {
      mlir_replacements_apply(&replacements, op);
      next = mlir_walk_next(function, op);
      status = rewrite_op(grid, op, &replacements);
    }
  }
  mlir_replacements_deinit(&replacements);
  return status;
}
