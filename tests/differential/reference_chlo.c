// The operations of CHLO, in long double.

#include <complex.h>
#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

__extension__ typedef __int128 wide_t;
__extension__ typedef unsigned __int128 unsigned_wide_t;

typedef long double real_t;
typedef long double complex number_t;

// B(2k) of the Bernoulli numbers.
static const real_t bernoulli[] = {
    1,         1.0L / 6,       -1.0L / 30, 1.0L / 42,     -1.0L / 30,
    5.0L / 66, -691.0L / 2730, 7.0L / 6,   -3617.0L / 510};

enum { TERMS = 8, SHIFT = 20 };

// The sum of (q + n)^-s by Euler and Maclaurin; NIST DLMF 25.11.5 with more terms.
static real_t zeta(real_t s, real_t q) {
  real_t sum = 0;
  for (int n = 0; n < SHIFT; n++) {
    sum += powl(q + n, -s);
  }
  const real_t x = q + SHIFT;
  sum += powl(x, 1 - s) / (s - 1) + powl(x, -s) / 2;
  real_t factor = s * powl(x, -s - 1) / 2;  // s (s+1) … / (2k)! x^(-s-2k+1)
  for (int k = 1; k <= TERMS; k++) {
    sum += bernoulli[k] * factor;
    factor *= (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / (x * x);
  }
  return sum;
}

// For x > 0: the recurrence, then NIST DLMF 5.11.2.
static real_t digamma(real_t x) {
  real_t sum = 0;
  for (; x < SHIFT; x += 1) {
    sum -= 1 / x;
  }
  sum += logl(x) - 1 / (2 * x);
  real_t power = 1;
  for (int k = 1; k <= TERMS; k++) {
    power /= x * x;
    sum -= bernoulli[k] / (2 * k) * power;
  }
  return sum;
}

static real_t polygamma(real_t n, real_t x) {
  if (n == 0) {
    return digamma(x);
  }
  const real_t sign = fmodl(n, 2) == 0 ? -1 : 1;
  return sign * tgammal(n + 1) * zeta(n + 1, x);
}

// The power series, NIST DLMF 10.25.2: its terms have one sign.
static real_t bessel_i1e(real_t x) {
  real_t term = x / 2, sum = 0;
  for (int k = 0; k < 200; k++) {
    sum += term;
    term *= x * x / 4 / ((real_t)(k + 1) * (real_t)(k + 2));
  }
  return expl(-fabsl(x)) * sum;
}

static real_t erf_inv(real_t x) {
  if (!(fabsl(x) < 1)) {
    return fabsl(x) == 1 ? copysignl((real_t)INFINITY, x) : (real_t)NAN;
  }
  real_t low = 0, high = 7;
  for (int i = 0; i < 90; i++) {
    const real_t middle = (low + high) / 2;
    if (erfl(middle) < fabsl(x)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return copysignl(x == 0 ? 0 : low, x);
}

static const struct {
  const char *name;
  real_t (*real)(real_t x);
  number_t (*of_complex)(number_t x);
} functions[] = {
    {"chlo.acos", acosl, cacosl},       {"chlo.acosh", acoshl, cacoshl},
    {"chlo.asin", asinl, casinl},       {"chlo.asinh", asinhl, casinhl},
    {"chlo.atan", atanl, catanl},       {"chlo.atanh", atanhl, catanhl},
    {"chlo.bessel_i1e", bessel_i1e, 0}, {"chlo.cosh", coshl, ccoshl},
    {"chlo.digamma", digamma, 0},       {"chlo.erf", erfl, 0},
    {"chlo.erf_inv", erf_inv, 0},       {"chlo.erfc", erfcl, 0},
    {"chlo.lgamma", lgammal, 0},        {"chlo.sinh", sinhl, csinhl},
    {"chlo.tan", tanl, ctanl},
};

static void reference_unary_function(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *x = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const tensor_dtype_t dtype = result->shape.dtype;
  size_t row = 0;
  while (strcmp(functions[row].name, op->name) != 0) {
    row++;
  }
  for (int64_t i = 0; i < result->count; i++) {
    const reference_scalar_t from = reference_load(x, i);
    if (tensor_dtype_is_complex(dtype)) {
      const number_t y =
          functions[row].of_complex((real_t)from.real + (real_t)from.imaginary * I);
      reference_store(result, i,
                      reference_of_complex(dtype, (double)creall(y), (double)cimagl(y)));
    } else {
      reference_store(result, i,
                      reference_of_real(dtype, (double)functions[row].real(from.real)));
    }
  }
}

static void reference_series(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *a = reference_operand(machine, op, 0);
  const reference_value_t *b = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_zeta = strcmp(op->name, "chlo.zeta") == 0;
  for (int64_t i = 0; i < result->count; i++) {
    const real_t x = reference_load(a, i).real, y = reference_load(b, i).real;
    const real_t sum = is_zeta ? zeta(x, y) : polygamma(x, y);
    reference_store(result, i, reference_of_real(result->shape.dtype, (double)sum));
  }
}

static void reference_square(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *x = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(
        result, i,
        reference_binary("multiply", reference_load(x, i), reference_load(x, i)));
  }
}

static void reference_conj(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *x = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_scalar_t y = reference_load(x, i);
    y.imaginary = -y.imaginary;
    reference_store(result, i, y);
  }
}

static void reference_is_inf(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *x = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    const double y = reference_load(x, i).real;
    const bool is_below = isinf(y) && y < 0, is_above = isinf(y) && y > 0;
    const bool holds = strcmp(op->name, "chlo.is_neg_inf") == 0   ? is_below
                       : strcmp(op->name, "chlo.is_pos_inf") == 0 ? is_above
                                                                  : is_below || is_above;
    reference_store(result, i, reference_of_integer(TENSOR_PRED, holds));
  }
}

// The high half of the product, which is twice as wide.
static void reference_mulhi(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *a = reference_operand(machine, op, 0);
  const reference_value_t *b = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const tensor_dtype_t dtype = result->shape.dtype;
  const unsigned width = tensor_dtype_device_bits(dtype);
  for (int64_t i = 0; i < result->count; i++) {
    const int64_t x = reference_load(a, i).integer, y = reference_load(b, i).integer;
    const int64_t high =
        tensor_dtype_is_signed(dtype)
            ? (int64_t)(((wide_t)x * (wide_t)y) >> width)
            : (int64_t)(((unsigned_wide_t)(uint64_t)x * (uint64_t)y) >> width);
    reference_store(result, i, reference_of_integer(dtype, high));
  }
}

// The bits next to those of x, on the way to y.
static double next_after(tensor_dtype_t dtype, double x, double y) {
  if (isnan(x) || isnan(y)) {
    return (double)NAN;
  }
  if (x == y) {
    return y;
  }
  static const int digits[TENSOR_DTYPE_COUNT][2] = {
      // Of the mantissa, and the exponent of the least number.
      [TENSOR_BF16] = {7, -133},
      [TENSOR_F16] = {10, -24},
      [TENSOR_F32] = {23, -149},
      [TENSOR_F64] = {52, -1074},
  };
  const int mantissa = digits[dtype][0], least = digits[dtype][1];
  const double smallest = ldexp(1, least);
  if (x == 0) {
    return copysign(smallest, y);
  }
  const bool grows = (y > x) == (x > 0);  // Away from 0.
  if (isinf(x)) {
    return copysign(ldexp(2 - ldexp(1, -mantissa), -(least + mantissa) + 1), x);
  }
  int exponent = ilogb(x) - mantissa;
  if (!grows && fabs(x) == ldexp(1, ilogb(x))) {
    exponent--;
  }
  const double step = exponent < least ? smallest : ldexp(1, exponent);
  return copysign(fabs(x) + (grows ? step : -step), x);
}

static void reference_next_after(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *a = reference_operand(machine, op, 0);
  const reference_value_t *b = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const tensor_dtype_t dtype = result->shape.dtype;
  for (int64_t i = 0; i < result->count; i++) {
    reference_store(result, i,
                    reference_of_real(dtype, next_after(dtype, reference_load(a, i).real,
                                                        reference_load(b, i).real)));
  }
}

// --- Broadcasts ---

static reference_scalar_t broadcast_element(reference_t *machine, const mlir_op_t *op,
                                            int operand, const int64_t *index) {
  const reference_value_t *value = reference_operand(machine, op, operand);
  const int rank = value->shape.rank, whole = op->results[0].type->shape.rank;
  const int64_t *dims = reference_list(machine, op, "broadcast_dimensions", NULL);
  int64_t own[TENSOR_RANK_MAX];
  for (int d = 0; d < rank; d++) {
    const int64_t at = rank < whole && dims != NULL ? dims[d] : whole - rank + d;
    own[d] = value->shape.dims[d] == 1 ? 0 : index[at];
  }
  return reference_load(value, reference_ravel(&value->shape, own));
}

static void reference_broadcasting(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const char *name = op->name + strlen("chlo.broadcast_");
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    const reference_scalar_t a = broadcast_element(machine, op, 0, index);
    const reference_scalar_t b = broadcast_element(machine, op, 1, index);
    if (strcmp(name, "compare") == 0) {
      const char *direction = reference_word(machine, op, "comparison_direction", "EQ");
      reference_store(
          result, i,
          reference_of_integer(TENSOR_PRED, reference_compare(direction, "", a, b)));
    } else {
      reference_store(result, i, reference_binary(name, a, b));
    }
  }
}

const reference_row_t reference_chlo_rows[] = {
    {"chlo.acos", reference_unary_function},
    {"chlo.acosh", reference_unary_function},
    {"chlo.asin", reference_unary_function},
    {"chlo.asinh", reference_unary_function},
    {"chlo.atan", reference_unary_function},
    {"chlo.atanh", reference_unary_function},
    {"chlo.bessel_i1e", reference_unary_function},
    {"chlo.broadcast_add", reference_broadcasting},
    {"chlo.broadcast_and", reference_broadcasting},
    {"chlo.broadcast_compare", reference_broadcasting},
    {"chlo.broadcast_maximum", reference_broadcasting},
    {"chlo.broadcast_subtract", reference_broadcasting},
    {"chlo.conj", reference_conj},
    {"chlo.cosh", reference_unary_function},
    {"chlo.digamma", reference_unary_function},
    {"chlo.erf", reference_unary_function},
    {"chlo.erf_inv", reference_unary_function},
    {"chlo.erfc", reference_unary_function},
    {"chlo.is_inf", reference_is_inf},
    {"chlo.is_neg_inf", reference_is_inf},
    {"chlo.is_pos_inf", reference_is_inf},
    {"chlo.lgamma", reference_unary_function},
    {"chlo.mulhi", reference_mulhi},
    {"chlo.next_after", reference_next_after},
    {"chlo.polygamma", reference_series},
    {"chlo.sinh", reference_unary_function},
    {"chlo.square", reference_square},
    {"chlo.tan", reference_unary_function},
    {"chlo.zeta", reference_series},
    {NULL, NULL},
};
