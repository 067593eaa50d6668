#include <inttypes.h>
#include <stdlib.h>

#include "server/compiler/attributes.h"
#include "server/compiler/shape.h"

static pod_status_t groups_of(mlir_module_t *module, const mlir_op_t *op,
                              compiler_groups_t *out_groups) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  compiler_meshes_t *meshes = NULL;
  if (mlir_attr_is(attr, MLIR_ATTR_DIALECT)) {  // Axes of a mesh.
    POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  }
  return compiler_parse_replica_groups(module, attr, meshes, module->arena, out_groups);
}

// use_global_device_ids needs a channel: all_gather (C5), all_reduce (C4), reduce_scatter
// (C6).
static pod_status_t check_channel(mlir_module_t *module, const mlir_op_t *op) {
  int64_t handle, type;
  POD_TRY(stablehlo_channel_handle(module, mlir_op_attr(op, "channel_handle"), &handle,
                                   &type));
  const mlir_attr_t *global = mlir_op_attr(op, "use_global_device_ids");
  const bool is_global = mlir_attr_is(global, MLIR_ATTR_UNIT) ||
                         (mlir_attr_is(global, MLIR_ATTR_BOOL) && global->integer != 0);
  if (is_global && handle <= 0) {
    return SHAPE_ERROR("use_global_device_ids needs a channel_handle above 0");
  }
  return NULL;
}

static pod_status_t check_variadic(mlir_module_t *module, const mlir_op_t *op,
                                   int regions) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, op->operand_count, regions));
  if (op->operand_count == 0) {
    return SHAPE_ERROR("has no operands");
  }
  return NULL;
}

pod_status_t shape_all_reduce(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  POD_TRY(check_variadic(module, op, 1));
  POD_TRY(check_channel(module, op));
  compiler_groups_t groups;
  POD_TRY(groups_of(module, op, &groups));
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(shape_reducer(module, op, 1, &shape_operand(op, i)->dtype));
    out_types[i] = op->operands[i]->type;
  }
  return NULL;
}

// The size of the groups; for one group of all devices, which the operation does not
// count, what the declared sizes say: `from` becomes `to` along a dimension.
static pod_status_t group_size(mlir_module_t *module, const mlir_op_t *op, int64_t small,
                               int64_t large, int64_t *out_size) {
  compiler_groups_t groups;
  POD_TRY(groups_of(module, op, &groups));
  *out_size = groups.group_size;
  if (groups.group_count == 0 || groups.group_size == 0) {
    *out_size = small > 0 && large % small == 0 ? large / small : 1;
  }
  return NULL;
}

pod_status_t shape_all_gather(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  POD_TRY(check_variadic(module, op, 0));
  POD_TRY(check_channel(module, op));
  for (int i = 0; i < op->operand_count; i++) {
    tensor_shape_t result = *shape_operand(op, i);
    int64_t dim, size, declared = 0;
    POD_TRY(shape_i64(module, op, "all_gather_dim", 0, result.rank, &dim));
    if (shape_declared(op, i)->rank == result.rank) {
      declared = shape_declared(op, i)->dims[dim];
    }
    POD_TRY(group_size(module, op, result.dims[dim], declared, &size));
    if (__builtin_mul_overflow(result.dims[dim], size, &result.dims[dim])) {
      return SHAPE_ERROR("dimension %" PRId64 " times %" PRId64 " is too large", dim,
                         size);
    }
    out_types[i] = mlir_type_tensor(module, &result);
  }
  return NULL;
}

pod_status_t shape_reduce_scatter(mlir_module_t *module, const mlir_op_t *op,
                                  const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 1));
  POD_TRY(check_channel(module, op));
  tensor_shape_t result = *shape_operand(op, 0);
  int64_t dim, size, declared = 0;
  POD_TRY(shape_i64(module, op, "scatter_dimension", 0, result.rank, &dim));
  if (shape_declared(op, 0)->rank == result.rank) {
    declared = shape_declared(op, 0)->dims[dim];
  }
  POD_TRY(group_size(module, op, declared, result.dims[dim], &size));
  if (result.dims[dim] % size != 0) {  // (C1)
    return SHAPE_ERROR("dimension %" PRId64 " has size %" PRId64
                       ", which groups of %" PRId64 " do not divide",
                       dim, result.dims[dim], size);
  }
  result.dims[dim] /= size;
  POD_TRY(shape_reducer(module, op, 1, &result.dtype));
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_all_to_all(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  POD_TRY(check_variadic(module, op, 0));
  compiler_groups_t groups;
  POD_TRY(groups_of(module, op, &groups));
  int64_t count;
  POD_TRY(shape_i64(module, op, "split_count", 1, INT64_MAX, &count));
  if (groups.group_count > 0 && groups.group_size != count) {  // (C8)
    return SHAPE_ERROR("'split_count' is %" PRId64 ", the groups have %" PRId64
                       " members; they must be equal",
                       count, groups.group_size);
  }
  for (int i = 0; i < op->operand_count; i++) {
    tensor_shape_t result = *shape_operand(op, i);
    int64_t split, concat;
    POD_TRY(shape_i64(module, op, "split_dimension", 0, result.rank, &split));
    POD_TRY(shape_i64(module, op, "concat_dimension", 0, result.rank, &concat));
    if (result.dims[split] % count != 0) {  // (C2)
      return SHAPE_ERROR("dimension %" PRId64 " has size %" PRId64
                         ", which 'split_count' %" PRId64 " does not divide",
                         split, result.dims[split], count);
    }
    result.dims[split] /= count;
    if (__builtin_mul_overflow(result.dims[concat], count, &result.dims[concat])) {
      return SHAPE_ERROR("dimension %" PRId64 " times %" PRId64 " is too large", concat,
                         count);
    }
    out_types[i] = mlir_type_tensor(module, &result);
  }
  return NULL;
}

static int compare_i64(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

// (C2), (C3): no two pairs have the same source, or the same target.
static pod_status_t check_unique(mlir_module_t *module, const mlir_op_t *op,
                                 const char *what, int64_t count, const int64_t *pairs) {
  int64_t *sorted = pod_arena_array(module->arena, (size_t)count, sizeof(*sorted));
  for (int64_t i = 0; i < count; i++) {
    if (pairs[2 * i] < 0) {
      return SHAPE_ERROR("%s %" PRId64 " in 'source_target_pairs'", what, pairs[2 * i]);
    }
    sorted[i] = pairs[2 * i];
  }
  qsort(sorted, (size_t)count, sizeof(*sorted), compare_i64);
  for (int64_t i = 1; i < count; i++) {
    if (sorted[i] == sorted[i - 1]) {
      return SHAPE_ERROR("%s %" PRId64 " appears twice in 'source_target_pairs'", what,
                         sorted[i]);
    }
  }
  return NULL;
}

pod_status_t shape_collective_permute(mlir_module_t *module, const mlir_op_t *op,
                                      const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  int64_t count;
  const int64_t *pairs;
  POD_TRY(stablehlo_source_target_pairs(module, mlir_op_attr(op, "source_target_pairs"),
                                        &count, &pairs));
  POD_TRY(check_unique(module, op, "source", count, pairs));
  POD_TRY(check_unique(module, op, "target", count, pairs + 1));
  out_types[0] = op->operands[0]->type;
  return NULL;
}
