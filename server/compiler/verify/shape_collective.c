// Section "Collective ops" of the StableHLO specification; (C…) are its constraints.

#include <inttypes.h>
#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"

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
  return compiler_parse_replica_groups(module, attr, meshes, module->arena, out_groups);
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
  if (mlir_op_attr(op, "source_target_pairs") == NULL) {
    return SHAPE_ERROR("lacks the attribute 'source_target_pairs'");
  }
  POD_TRY(stablehlo_source_target_pairs(module, mlir_op_attr(op, "source_target_pairs"),
                                        &count, &pairs));  // (C1)
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// --- Of a group that has a root ---

bool shape_has_dynamic_root(const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "has_dynamic_root");
  return mlir_attr_is(attr, MLIR_ATTR_UNIT) ||
         (mlir_attr_is(attr, MLIR_ATTR_BOOL) && attr->integer != 0);
}

// collective_broadcast (C3) to (C5), collective_reduce (C3): results are of the operands'
// types; behind the operands stands a root for each, if the program computes them.
static pod_status_t check_rooted(mlir_module_t *module, const mlir_op_t *op, int regions,
                                 const mlir_type_t **out_types) {
  POD_TRY(shape_flag(module, op, "has_dynamic_root"));
  const bool is_dynamic = shape_has_dynamic_root(op);
  const int count = op->operand_count - (is_dynamic ? 1 : 0);
  if (count < 1) {
    return is_dynamic ? SHAPE_ERROR("needs operands before the roots")
                      : SHAPE_ERROR("has no operands");
  }
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, regions));
  if (is_dynamic) {
    const int64_t roots = count;
    const tensor_shape_t needed = tensor_shape_make(TENSOR_S32, 1, &roots);
    if (!tensor_shape_equal(shape_operand(op, count), &needed)) {
      return SHAPE_ERROR("the roots are %s; they must be %s",
                         shape_text(module, shape_operand(op, count)),
                         shape_text(module, &needed));
    }
  }
  for (int i = 0; i < count; i++) {
    out_types[i] = op->operands[i]->type;
  }
  return NULL;
}

// Groups that may be of different sizes: their form only.
static pod_status_t check_rows(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  int64_t count;
  const int64_t *ids;
  compiler_groups_t groups;
  const bool is_table = mlir_attr_is(attr, MLIR_ATTR_DENSE) &&
                        attr->type->shape.rank == 2 &&
                        mlir_attr_as_i64s(module, attr, &count, &ids);
  return is_table ? NULL : shape_groups(module, op, &groups);
}

// (C6), for roots that are constants.
static pod_status_t check_roots(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_op_t *source = op->operands[op->operand_count - 1]->op;
  const mlir_attr_t *groups = mlir_op_attr(op, "replica_groups");
  int64_t count;
  const int64_t *roots;
  if (!shape_has_dynamic_root(op) || source == NULL || source->kind != CHIP_OP_CONSTANT ||
      !mlir_attr_is(groups, MLIR_ATTR_DENSE) || groups->type->shape.rank != 2 ||
      !mlir_attr_as_i64s(module, mlir_op_attr(source, "value"), &count, &roots)) {
    return NULL;
  }
  const int64_t size = groups->type->shape.dims[1];
  for (int64_t i = 0; i < count; i++) {
    if (roots[i] < 0 || roots[i] >= size) {
      return SHAPE_ERROR("root %" PRId64 " is %" PRId64 "; a group has %" PRId64
                         " members, from 0 on",
                         i, roots[i], size);
    }
  }
  return NULL;
}

pod_status_t shape_collective_broadcast(mlir_module_t *module, const mlir_op_t *op,
                                        const mlir_type_t **out_types) {
  POD_TRY(check_rooted(module, op, 0, out_types));
  POD_TRY(check_rows(module, op));
  return check_roots(module, op);
}

pod_status_t shape_collective_reduce(mlir_module_t *module, const mlir_op_t *op,
                                     const mlir_type_t **out_types) {
  POD_TRY(check_rooted(module, op, 1, out_types));
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(shape_reducer(module, op, 1, &shape_operand(op, i)->dtype));  // (C4)
  }
  return check_rows(module, op);
}
