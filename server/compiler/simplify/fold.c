// Scalar constants of integers and predicates, and splats that only move. Loop bounds,
// indices and offsets of shards come out as constants; float arithmetic is left to the
// kernels.

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/simplify/simplify.h"
#include "server/program/integer.h"

static const mlir_attr_t *constant_of(const mlir_value_t *value) {
  if (value->op == NULL || value->op->kind != CHIP_OP_CONSTANT) {
    return NULL;
  }
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  return mlir_attr_is(attr, MLIR_ATTR_DENSE) ? attr : NULL;
}

// The value of a scalar constant of integers or predicates.
static bool whole_of(const mlir_value_t *value, int64_t *out_value) {
  const mlir_attr_t *attr = constant_of(value);
  if (attr == NULL || value->type->shape.rank != 0 ||
      !chip_is_integral(value->type->shape.dtype)) {
    return false;
  }
  *out_value = tensor_element_as_int64(value->type->shape.dtype, attr->data);
  return true;
}

static const mlir_attr_t *make_whole(mlir_module_t *module, const tensor_shape_t *shape,
                                     int64_t value) {
  unsigned char element[16] = {0};
  if (shape->dtype == TENSOR_PRED) {
    value = value != 0;
  }
  tensor_element_from_int64(shape->dtype, value, element);
  return mlir_attr_dense(module, shape, element, true);
}

static bool fold_compare(mlir_module_t *module, const mlir_op_t *op, int64_t a, int64_t b,
                         int64_t *out) {
  int direction;
  const pod_status_t status = stablehlo_comparison_direction(module, op, &direction);
  if (status != NULL) {
    pod_status_free(status);
    return false;
  }
  *out = chip_comparison_holds(
      direction, chip_integer_order(op->operands[0]->type->shape.dtype, a, b));
  return true;
}

// A conversion that is exact or rounds once: float to float, integer to integer, and
// integers that a double holds to float.
static const mlir_attr_t *fold_convert(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *value = constant_of(op->operands[0]);
  const tensor_shape_t *result = &op->results[0].type->shape;
  const tensor_dtype_t from = op->operands[0]->type->shape.dtype;
  if (value == NULL || !(value->is_splat || result->rank == 0)) {
    return NULL;
  }
  unsigned char element[16] = {0};
  if (chip_is_integral(from)) {
    const int64_t whole = tensor_element_as_int64(from, value->data);
    if (chip_is_integral(result->dtype)) {
      return make_whole(module, result, whole);
    }
    const int64_t exact = INT64_C(1) << 53;
    const bool is_beyond_s64 = from == TENSOR_U64 && whole < 0;
    if (!tensor_dtype_is_float(result->dtype) || is_beyond_s64 || whole > exact ||
        whole < -exact) {
      return NULL;
    }
    tensor_element_from_double(result->dtype, (double)whole, element);
    return mlir_attr_dense(module, result, element, true);
  }
  if (!tensor_dtype_is_float(from) || !tensor_dtype_is_float(result->dtype)) {
    return NULL;
  }
  tensor_element_from_double(result->dtype, tensor_element_as_double(from, value->data),
                             element);
  return mlir_attr_dense(module, result, element, true);
}

// The operand's element again, in another shape.
static const mlir_attr_t *fold_splat(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *value = constant_of(op->operands[0]);
  if (value == NULL || !value->is_splat) {
    return NULL;
  }
  return mlir_attr_dense(module, &op->results[0].type->shape, value->data, true);
}

static const mlir_attr_t *fold_binary(mlir_module_t *module, const mlir_op_t *op) {
  int64_t a, b, value;
  const tensor_dtype_t dtype = op->operands[0]->type->shape.dtype;
  if (!whole_of(op->operands[0], &a) || !whole_of(op->operands[1], &b)) {
    return NULL;
  }
  const bool is_known =
      op->kind == CHIP_OP_COMPARE
          ? fold_compare(module, op, a, b, &value)
          : chip_integer_binary((chip_op_t)op->kind, dtype, a, b, &value);
  return is_known ? make_whole(module, &op->results[0].type->shape, value) : NULL;
}

const mlir_attr_t *simplify_fold(mlir_module_t *module, const mlir_op_t *op) {
  if (op->kind == CHIP_OP_CONVERT) {
    return fold_convert(module, op);
  }
  if (chip_op_has(op->kind, CHIP_TRAIT_MOVES)) {
    return fold_splat(module, op);
  }
  return op->operand_count == 2 && op->region_count == 0 ? fold_binary(module, op) : NULL;
}
