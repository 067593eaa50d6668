#include <inttypes.h>

#include "server/compiler/attributes.h"
#include "server/compiler/passes.h"
#include "server/compiler/processes.h"
#include "server/compiler/shape.h"

// Whatever the partitioner put in names chips, as many as the mesh has.
static processes_t processes_for(mlir_module_t *module, const mlir_op_t *op) {
  return mlir_op_attr(op, COMPILER_AXES_ATTR) == NULL ? processes_of(module)
                                                      : (processes_t){0};
}

// Outside a grid of programs ids count chips.
static pod_status_t check_flat(mlir_module_t *module, const mlir_op_t *op) {
  const processes_t there = processes_for(module, op);
  processes_grouping_t grouping;
  POD_TRY(processes_grouping(module, op, &grouping));
  const bool crosses_partitions = grouping == PROCESSES_CROSS_PARTITION;
  if (grouping != PROCESSES_FLATTENED &&
      (crosses_partitions ? there.replicas : there.partitions) > 1) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "its ids count %s, of which each has several processes: it "
                         "needs use_global_device_ids",
                         crosses_partitions ? "partitions" : "replicas");
  }
  return NULL;
}

pod_status_t shape_groups(mlir_module_t *module, const mlir_op_t *op,
                          compiler_groups_t *out_groups) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  compiler_meshes_t *meshes = NULL;
  if (attr == NULL) {
    return SHAPE_ERROR("lacks the attribute 'replica_groups'");
  }
  if (mlir_attr_is(attr, MLIR_ATTR_DIALECT)) {  // Axes of a mesh.
    POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  }
  POD_TRY(compiler_parse_replica_groups(module, attr, meshes, module->arena, out_groups));
  POD_TRY(processes_check_groups(module, op, processes_for(module, op), out_groups));
  return check_flat(module, op);
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
  compiler_groups_t groups;
  POD_TRY(shape_groups(module, op, &groups));
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
  POD_TRY(shape_groups(module, op, &groups));
  *out_size = groups.group_size;
  if (groups.group_count == 0 || groups.group_size == 0) {
    *out_size = small > 0 && large > 0 && large % small == 0 ? large / small : 1;
  }
  return NULL;
}

pod_status_t shape_all_gather(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  POD_TRY(check_variadic(module, op, 0));
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
  POD_TRY(shape_groups(module, op, &groups));
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

pod_status_t shape_collective_permute(mlir_module_t *module, const mlir_op_t *op,
                                      const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  int64_t count;
  const int64_t *pairs;
  POD_TRY(stablehlo_source_target_pairs(module, mlir_op_attr(op, "source_target_pairs"),
                                        &count, &pairs));
  POD_TRY(processes_check_pairs(module, op, processes_for(module, op), count, pairs));
  POD_TRY(check_flat(module, op));
  out_types[0] = op->operands[0]->type;
  return NULL;
}
