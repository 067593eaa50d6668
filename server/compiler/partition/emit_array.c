// The operations on what a chip has that more than one file makes.

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/partitioner.h"

static mlir_value_t *put(partitioner_t *partitioner, mlir_op_t *op) {
  return partition_emit_into(partitioner, partitioner->block, op);
}

mlir_value_t *partition_emit_op(partitioner_t *partitioner, const char *name,
                                int operand_count, mlir_value_t *const *operands,
                                const tensor_shape_t *result) {
  return put(partitioner, partition_emit_create(partitioner, name, operand_count,
                                                operands, result, 0));
}

mlir_value_t *partition_emit_splat(partitioner_t *partitioner,
                                   const tensor_shape_t *shape, int64_t value) {
  unsigned char data[16];
  tensor_element_from_int64(shape->dtype, value, data);
  return partition_emit_constant(partitioner, partitioner->block, shape, data, true);
}

mlir_value_t *partition_emit_broadcast(partitioner_t *partitioner, mlir_value_t *scalar,
                                       const tensor_shape_t *shape) {
  tensor_shape_t to = *shape;
  to.dtype = value_shape(scalar)->dtype;
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.broadcast_in_dim", 1,
                                        &scalar, &to, 0);
  partition_emit_i64s(partitioner, op, "broadcast_dimensions", 0, NULL);
  return put(partitioner, op);
}

mlir_value_t *partition_emit_compare(partitioner_t *partitioner, mlir_value_t *a,
                                     const char *direction, mlir_value_t *b) {
  mlir_module_t *module = partitioner->module;
  tensor_shape_t shape = *value_shape(a);
  shape.dtype = TENSOR_PRED;
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *op =
      partition_emit_create(partitioner, "stablehlo.compare", 2, operands, &shape, 0);
  mlir_op_set_attr(module, op, "comparison_direction",
                   stablehlo_make_enum(module, op, "comparison_direction", direction));
  return put(partitioner, op);
}

mlir_value_t *partition_emit_select(partitioner_t *partitioner, mlir_value_t *condition,
                                    mlir_value_t *a, mlir_value_t *b) {
  mlir_value_t *operands[] = {condition, a, b};
  return partition_emit_op(partitioner, "stablehlo.select", 3, operands, value_shape(a));
}

mlir_value_t *partition_emit_index(partitioner_t *partitioner,
                                   const tensor_shape_t *shape, int dim,
                                   mlir_value_t *start) {
  tensor_shape_t counted = *shape;
  counted.dtype = TENSOR_S32;
  mlir_op_t *iota =
      partition_emit_create(partitioner, "stablehlo.iota", 0, NULL, &counted, 0);
  mlir_op_set_attr(partitioner->module, iota, "iota_dimension",
                   mlir_attr_integer(partitioner->module, dim, TENSOR_S64));
  mlir_value_t *operands[] = {put(partitioner, iota), NULL};
  operands[1] = partition_emit_broadcast(partitioner, start, &counted);
  return partition_emit_op(partitioner, "stablehlo.add", 2, operands, &counted);
}

mlir_value_t *partition_emit_rows(partitioner_t *partitioner, mlir_value_t *value,
                                  int dim, int64_t low, int64_t high) {
  tensor_shape_t shape = *value_shape(value);
  if (low == 0 && high == shape.dims[dim]) {
    return value;
  }
  int64_t starts[TENSOR_RANK_MAX] = {0}, limits[TENSOR_RANK_MAX],
          strides[TENSOR_RANK_MAX];
  for (int d = 0; d < shape.rank; d++) {
    limits[d] = shape.dims[d];
    strides[d] = 1;
  }
  starts[dim] = low;
  limits[dim] = high;
  shape.dims[dim] = high - low;
  mlir_op_t *op =
      partition_emit_create(partitioner, "stablehlo.slice", 1, &value, &shape, 0);
  partition_emit_i64s(partitioner, op, "start_indices", shape.rank, starts);
  partition_emit_i64s(partitioner, op, "limit_indices", shape.rank, limits);
  partition_emit_i64s(partitioner, op, "strides", shape.rank, strides);
  return put(partitioner, op);
}

mlir_value_t *partition_emit_dynamic_rows(partitioner_t *partitioner, mlir_value_t *value,
                                          int dim, mlir_value_t *start, int64_t length) {
  tensor_shape_t shape = *value_shape(value);
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {value};
  mlir_value_t *zero =
      shape.rank == 1 ? NULL : partition_emit_splat(partitioner, value_shape(start), 0);
  for (int d = 0; d < shape.rank; d++) {
    operands[1 + d] = d == dim ? start : zero;
  }
  shape.dims[dim] = length;
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.dynamic_slice",
                                        1 + shape.rank, operands, &shape, 0);
  partition_emit_i64s(partitioner, op, "slice_sizes", shape.rank, shape.dims);
  return put(partitioner, op);
}

mlir_value_t *partition_emit_join(partitioner_t *partitioner, int count,
                                  mlir_value_t *const *values, int dim,
                                  const tensor_shape_t *result) {
  mlir_op_t *op = partition_emit_create(partitioner, "stablehlo.concatenate", count,
                                        values, result, 0);
  mlir_op_set_attr(partitioner->module, op, "dimension",
                   mlir_attr_integer(partitioner->module, dim, TENSOR_S64));
  return put(partitioner, op);
}
