#include "server/compiler/dialect/constant.h"

#include <string.h>

#include "common/tensor/dtype.h"
#include "server/program/operations.h"

// The elements of a constant; NULL: it is none.
static const mlir_attr_t *constant_of(const mlir_value_t *value) {
  if (value->op == NULL || value->op->kind != CHIP_OP_CONSTANT) {
    return NULL;
  }
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  return mlir_attr_is(attr, MLIR_ATTR_DENSE) ? attr : NULL;
}

bool compiler_constant_element(const mlir_value_t *value, int64_t at, int64_t *out) {
  const mlir_attr_t *attr = constant_of(value);
  if (attr == NULL || (!attr->is_splat && at >= attr->count)) {
    return false;
  }
  const int64_t index = attr->is_splat ? 0 : at;
  switch (value->type->shape.dtype) {
    case TENSOR_S32:
      *out = ((const int32_t *)attr->data)[index];
      return true;
    case TENSOR_U32:
      *out = ((const uint32_t *)attr->data)[index];
      return true;
    case TENSOR_S64:
      *out = ((const int64_t *)attr->data)[index];
      return true;
    default:
      return false;
  }
}

bool compiler_constant_integer(const mlir_value_t *value, int64_t *out) {
  const mlir_attr_t *attr = constant_of(value);
  return attr != NULL && (attr->count == 1 || attr->is_splat) &&
         compiler_constant_element(value, 0, out);
}

bool compiler_is_zero(const mlir_value_t *value) {
  // A block's arguments have no operation.
  while (value->op != NULL && value->op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    value = value->op->operands[0];
  }
  static const char zeros[2 * sizeof(double)] = {0};
  const mlir_attr_t *attr = constant_of(value);
  return attr != NULL && (attr->count == 1 || attr->is_splat) &&
         attr->length <= (int64_t)sizeof(zeros) &&
         memcmp(attr->data, zeros, (size_t)attr->length) == 0;
}
