// Leaves, and what computes every element from those at the same place.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

static void reference_constant(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const mlir_attr_t *attr = mlir_op_attr(op, "value");
  const size_t bytes = tensor_dtype_bytes(result->shape.dtype);
  for (int64_t i = 0; i < result->count; i++) {
    const size_t at = attr->is_splat ? 0 : (size_t)i * bytes;
    memcpy(result->data + (size_t)i * bytes, (const char *)attr->data + at, bytes);
  }
}

static void reference_iota(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t dimension = reference_integer(op, "iota_dimension", 0);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    reference_store(result, i,
                    reference_convert(reference_of_integer(TENSOR_S64, index[dimension]),
                                      result->shape.dtype));
  }
}

// Element `i`; a scalar stands for all elements.
static reference_scalar_t element(reference_t *machine, const mlir_op_t *op, int index,
                                  int64_t i) {
  const reference_value_t *value = reference_operand(machine, op, index);
  return reference_load(value, value->shape.rank == 0 ? 0 : i);
}

static const char *short_name(const mlir_op_t *op) {
  return strchr(op->name, '.') + 1;
}

static void reference_one(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(result, i,
                    reference_unary(short_name(op), element(machine, op, 0, i)));
  }
}

static void reference_two(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(result, i,
                    reference_binary(short_name(op), element(machine, op, 0, i),
                                     element(machine, op, 1, i)));
  }
}

static void reference_is_finite(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    const double x = element(machine, op, 0, i).real;
    reference_store(result, i, reference_of_integer(TENSOR_PRED, x - x == 0));
  }
}

static void reference_convert_all(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(result, i,
                    reference_convert(element(machine, op, 0, i), result->shape.dtype));
  }
}

static void reference_compare_all(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const char *direction = reference_word(machine, op, "comparison_direction", "EQ");
  const char *type = reference_word(machine, op, "compare_type", "");
  for (int64_t i = 0; i < result->count; i++) {
    const bool holds = reference_compare(direction, type, element(machine, op, 0, i),
                                         element(machine, op, 1, i));
    reference_store(result, i, reference_of_integer(TENSOR_PRED, holds));
  }
}

// Keeps the bits of what it selects.
static void reference_select(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    const bool chosen = element(machine, op, 0, i).integer != 0;
    reference_copy(result, i, reference_operand(machine, op, chosen ? 1 : 2), i);
  }
}

static void reference_clamp(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    const reference_scalar_t raised = reference_binary(
        "maximum", element(machine, op, 1, i), element(machine, op, 0, i));
    reference_store(result, i,
                    reference_binary("minimum", raised, element(machine, op, 2, i)));
  }
}

static void reference_complex(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(
        result, i,
        reference_of_complex(result->shape.dtype, element(machine, op, 0, i).real,
                             element(machine, op, 1, i).real));
  }
}

static void reference_part(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_real = strcmp(op->name, "stablehlo.real") == 0;
  for (int64_t i = 0; i < result->count; i++) {
    const reference_scalar_t x = element(machine, op, 0, i);
    reference_store(
        result, i,
        reference_of_real(result->shape.dtype, is_real ? x.real : x.imaginary));
  }
}

// Rounds the mantissa; what leaves the range of the exponents becomes infinite or zero.
// In the quantum of the operand's type: a subnormal has the bits that its type gives it.
static double reduce_precision(const mlir_op_t *op, tensor_dtype_t dtype, double x) {
  static const int own_bits[TENSOR_DTYPE_COUNT][2] = {
      [TENSOR_F8E3M4] = {3, 4}, [TENSOR_F8E4M3] = {4, 3}, [TENSOR_F8E5M2] = {5, 2},
      [TENSOR_BF16] = {8, 7},   [TENSOR_F16] = {5, 10},   [TENSOR_F32] = {8, 23},
      [TENSOR_F64] = {11, 52}};
  const int exponent_bits = own_bits[dtype][0], mantissa_bits = own_bits[dtype][1];
  const int64_t exponents = reference_integer(op, "exponent_bits", 0);
  const int64_t mantissas = reference_integer(op, "mantissa_bits", 0);
  POD_CHECK(exponent_bits != 0);
  if (x == 0 || isnan(x) || isinf(x)) {  // There is no NaN without a mantissa.
    return isnan(x) && mantissas == 0 ? copysign((double)INFINITY, x) : x;
  }
  const int lowest = 2 - (1 << (exponent_bits - 1)), own = ilogb(x);
  if (mantissas < mantissa_bits) {
    const int unit = (own < lowest ? lowest : own) - (int)mantissas;
    const double scaled = ldexp(x, -unit);
    // Without a mantissa, what is even or odd is the exponent as it is stored.
    const bool goes_down =
        mantissas == 0 && fabs(scaled) == 1.5 && (own - lowest) % 2 != 0;
    x = ldexp(goes_down ? copysign(1, x) : rint(scaled), unit);
  }
  if (exponents < exponent_bits && x != 0) {
    const int bias = (1 << (exponents - 1)) - 1;
    x = ilogb(x) > bias       ? copysign((double)INFINITY, x)
        : ilogb(x) < 1 - bias ? copysign(0, x)
                              : x;
  }
  return x;
}

static void reference_reduce_precision(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    const double x = element(machine, op, 0, i).real;
    reference_store(result, i,
                    reference_of_real(result->shape.dtype,
                                      reduce_precision(op, result->shape.dtype, x)));
  }
}

const reference_row_t reference_elementwise_rows[] = {
    {"chlo.constant", reference_constant},
    {"stablehlo.constant", reference_constant},
    {"stablehlo.iota", reference_iota},
    {"stablehlo.abs", reference_one},
    {"stablehlo.add", reference_two},
    {"stablehlo.and", reference_two},
    {"stablehlo.atan2", reference_two},
    {"stablehlo.cbrt", reference_one},
    {"stablehlo.ceil", reference_one},
    {"stablehlo.clamp", reference_clamp},
    {"stablehlo.compare", reference_compare_all},
    {"stablehlo.complex", reference_complex},
    {"stablehlo.convert", reference_convert_all},
    {"stablehlo.cosine", reference_one},
    {"stablehlo.count_leading_zeros", reference_one},
    {"stablehlo.divide", reference_two},
    {"stablehlo.exponential", reference_one},
    {"stablehlo.exponential_minus_one", reference_one},
    {"stablehlo.floor", reference_one},
    {"stablehlo.imag", reference_part},
    {"stablehlo.is_finite", reference_is_finite},
    {"stablehlo.log", reference_one},
    {"stablehlo.log_plus_one", reference_one},
    {"stablehlo.logistic", reference_one},
    {"stablehlo.maximum", reference_two},
    {"stablehlo.minimum", reference_two},
    {"stablehlo.multiply", reference_two},
    {"stablehlo.negate", reference_one},
    {"stablehlo.not", reference_one},
    {"stablehlo.or", reference_two},
    {"stablehlo.popcnt", reference_one},
    {"stablehlo.power", reference_two},
    {"stablehlo.real", reference_part},
    {"stablehlo.reduce_precision", reference_reduce_precision},
    {"stablehlo.remainder", reference_two},
    {"stablehlo.round_nearest_afz", reference_one},
    {"stablehlo.round_nearest_even", reference_one},
    {"stablehlo.rsqrt", reference_one},
    {"stablehlo.select", reference_select},
    {"stablehlo.shift_left", reference_two},
    {"stablehlo.shift_right_arithmetic", reference_two},
    {"stablehlo.shift_right_logical", reference_two},
    {"stablehlo.sign", reference_one},
    {"stablehlo.sine", reference_one},
    {"stablehlo.sqrt", reference_one},
    {"stablehlo.subtract", reference_two},
    {"stablehlo.tan", reference_one},
    {"stablehlo.tanh", reference_one},
    {"stablehlo.xor", reference_two},
    {NULL, NULL},
};
