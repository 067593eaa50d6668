// Leaves and operations that move elements without computing with them.
#include <inttypes.h>
#include <string.h>

#include "server/compiler/verify/shape.h"

pod_status_t shape_constant(mlir_module_t *module, const mlir_op_t *op,
                            const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 0, 1, 0));
  const mlir_attr_t *value = mlir_op_attr(op, "value");
  if (!mlir_attr_is(value, MLIR_ATTR_DENSE) || value->type->kind != MLIR_TYPE_TENSOR) {
    return SHAPE_ERROR("its 'value' must be dense<…> of a tensor type");
  }
  out_types[0] = value->type;
  return NULL;
}

pod_status_t shape_iota(mlir_module_t *module, const mlir_op_t *op,
                        const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 0, 1, 0));
  const tensor_shape_t *shape = shape_declared(op, 0);
  int64_t dimension;
  POD_TRY(shape_i64(module, op, "iota_dimension", 0, shape->rank, &dimension));
  if (shape->dtype == TENSOR_PRED) {
    return SHAPE_ERROR("is not defined for elements of type i1");
  }
  out_types[0] = op->results[0].type;
  return NULL;
}

pod_status_t shape_device_id(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 0, 1, 0));
  const tensor_shape_t shape = tensor_shape_make(TENSOR_U32, 0, NULL);
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

pod_status_t shape_broadcast_in_dim(mlir_module_t *module, const mlir_op_t *op,
                                    const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0);
  tensor_shape_t result = *shape_declared(op, 0);
  const int64_t *dims;
  POD_TRY(shape_i64s(module, op, "broadcast_dimensions", operand->rank, NULL, &dims));
  POD_TRY(shape_check_dims(module, op, "broadcast_dimensions", operand->rank, dims,
                           result.rank));
  for (int i = 0; i < operand->rank; i++) {  // (C5)
    if (operand->dims[i] != 1 && operand->dims[i] != result.dims[dims[i]]) {
      return SHAPE_ERROR("dimension %d of the operand, %" PRId64
                         ", becomes dimension %" PRId64 " of the result, %" PRId64
                         "; they must be equal, or the first 1",
                         i, operand->dims[i], dims[i], result.dims[dims[i]]);
    }
  }
  result.dtype = operand->dtype;
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_reshape(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0);
  tensor_shape_t result = *shape_declared(op, 0);
  const int64_t before = tensor_shape_elements(operand),
                after = tensor_shape_elements(&result);
  if (before != after) {
    return SHAPE_ERROR("%s has %" PRId64 " elements, %s has %" PRId64,
                       shape_text(module, operand), before, shape_text(module, &result),
                       after);
  }
  result.dtype = operand->dtype;
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_transpose(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0);
  const int64_t *permutation;
  POD_TRY(shape_i64s(module, op, "permutation", operand->rank, NULL, &permutation));
  POD_TRY(shape_check_dims(module, op, "permutation", operand->rank, permutation,
                           operand->rank));
  tensor_shape_t result = *operand;
  for (int i = 0; i < operand->rank; i++) {
    result.dims[i] = operand->dims[permutation[i]];
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_slice(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0);
  const int64_t *starts, *limits, *strides;
  POD_TRY(shape_i64s(module, op, "start_indices", operand->rank, NULL, &starts));
  POD_TRY(shape_i64s(module, op, "limit_indices", operand->rank, NULL, &limits));
  POD_TRY(shape_i64s(module, op, "strides", operand->rank, NULL, &strides));
  tensor_shape_t result = *operand;
  for (int i = 0; i < operand->rank; i++) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > operand->dims[i]) {
      return SHAPE_ERROR("takes [%" PRId64 ", %" PRId64
                         ") of dimension %d, which has "
                         "size %" PRId64,
                         starts[i], limits[i], i, operand->dims[i]);
    }
    if (strides[i] <= 0) {
      return SHAPE_ERROR("the stride of dimension %d is %" PRId64 "; it must be positive",
                         i, strides[i]);
    }
    const int64_t span = limits[i] - starts[i];
    result.dims[i] = span / strides[i] + (span % strides[i] != 0);
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_dynamic_slice(mlir_module_t *module, const mlir_op_t *op,
                                 const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  if (op->operand_count < 1) {
    return SHAPE_ERROR("lacks the operand to slice");
  }
  const tensor_shape_t *operand = shape_operand(op, 0);
  POD_TRY(shape_arity(module, op, 1 + operand->rank, 1, 0));
  POD_TRY(shape_check_indices(module, op, 1, operand->rank));
  const int64_t *sizes;
  POD_TRY(shape_i64s(module, op, "slice_sizes", operand->rank, NULL, &sizes));
  tensor_shape_t result = *operand;
  for (int i = 0; i < operand->rank; i++) {
    if (sizes[i] < 0 || sizes[i] > operand->dims[i]) {
      return SHAPE_ERROR("takes %" PRId64 " of dimension %d, which has size %" PRId64,
                         sizes[i], i, operand->dims[i]);
    }
    result.dims[i] = sizes[i];
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_dynamic_update_slice(mlir_module_t *module, const mlir_op_t *op,
                                        const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  if (op->operand_count < 2) {
    return SHAPE_ERROR("needs an operand and an update");
  }
  const tensor_shape_t *operand = shape_operand(op, 0), *update = shape_operand(op, 1);
  POD_TRY(shape_arity(module, op, 2 + operand->rank, 1, 0));
  POD_TRY(shape_check_indices(module, op, 2, operand->rank));
  if (update->dtype != operand->dtype || update->rank != operand->rank) {
    return SHAPE_ERROR(
        "the update is %s; its rank and element type must be those of the "
        "operand, %s",
        shape_text(module, update), shape_text(module, operand));
  }
  for (int i = 0; i < operand->rank; i++) {
    if (update->dims[i] > operand->dims[i]) {
      return SHAPE_ERROR("dimension %d of the update has size %" PRId64
                         ", of the operand %" PRId64,
                         i, update->dims[i], operand->dims[i]);
    }
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

pod_status_t shape_concatenate(mlir_module_t *module, const mlir_op_t *op,
                               const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  if (op->operand_count == 0) {
    return SHAPE_ERROR("has no operands");
  }
  tensor_shape_t result = *shape_operand(op, 0);
  int64_t dimension;
  POD_TRY(shape_i64(module, op, "dimension", 0, result.rank, &dimension));
  for (int i = 1; i < op->operand_count; i++) {
    tensor_shape_t other = *shape_operand(op, i);
    const int64_t size = other.rank == result.rank ? other.dims[dimension] : 0;
    if (other.rank == result.rank) {
      other.dims[dimension] = result.dims[dimension];
    }
    if (!tensor_shape_equal(&other, &result)) {  // (C1), (C2)
      return SHAPE_ERROR(
          "operand %d is %s, operand 0 is %s; they may differ only in "
          "dimension %" PRId64,
          i, shape_text(module, shape_operand(op, i)),
          shape_text(module, shape_operand(op, 0)), dimension);
    }
    if (__builtin_add_overflow(result.dims[dimension], size, &result.dims[dimension])) {
      return SHAPE_ERROR("the sum of the sizes of dimension %" PRId64 " is too large",
                         dimension);
    }
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// shape + low + max(shape - 1, 0) * interior + high, or false when that overflows.
static bool padded_size(int64_t size, int64_t low, int64_t interior, int64_t high,
                        int64_t *out_size) {
  int64_t inner;
  return !__builtin_mul_overflow(size > 0 ? size - 1 : 0, interior, &inner) &&
         !__builtin_add_overflow(inner, size, &inner) &&
         !__builtin_add_overflow(inner, low, &inner) &&
         !__builtin_add_overflow(inner, high, out_size);
}

pod_status_t shape_pad(mlir_module_t *module, const mlir_op_t *op,
                       const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0), *value = shape_operand(op, 1);
  if (value->rank != 0 || value->dtype != operand->dtype) {
    return SHAPE_ERROR("the padding value is %s; it must be tensor<%s>",
                       shape_text(module, value), tensor_dtype_mlir_name(operand->dtype));
  }
  const int64_t *low, *high, *interior;
  POD_TRY(shape_i64s(module, op, "edge_padding_low", operand->rank, NULL, &low));
  POD_TRY(shape_i64s(module, op, "edge_padding_high", operand->rank, NULL, &high));
  POD_TRY(shape_i64s(module, op, "interior_padding", operand->rank, NULL, &interior));
  tensor_shape_t result = *operand;
  for (int i = 0; i < operand->rank; i++) {
    if (interior[i] < 0) {  // (C3)
      return SHAPE_ERROR("the interior padding of dimension %d is %" PRId64
                         "; it must not be negative",
                         i, interior[i]);
    }
    if (!padded_size(operand->dims[i], low[i], interior[i], high[i], &result.dims[i]) ||
        result.dims[i] < 0) {
      return SHAPE_ERROR("dimension %d of size %" PRId64 " padded by %" PRId64
                         " low, %" PRId64 " high, %" PRId64
                         " interior has no size that is possible",
                         i, operand->dims[i], low[i], high[i], interior[i]);
    }
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

pod_status_t shape_reverse(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  int64_t count;
  const int64_t *dims;
  POD_TRY(shape_i64s(module, op, "dimensions", SHAPE_ANY, &count, &dims));
  POD_TRY(shape_check_dims(module, op, "dimensions", count, dims,
                           shape_operand(op, 0)->rank));
  out_types[0] = op->operands[0]->type;
  return NULL;
}
