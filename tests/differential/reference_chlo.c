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

enum { TERMS = 8, SHIFT = 20, DIRECT = 1 };

// The sum of (q + n)^-s by Euler and Maclaurin; NIST DLMF 25.11.5 with more terms.
static real_t zeta_sum(real_t s, real_t q) {
  real_t sum = 0, x = q;
  for (; x < SHIFT; x += 1) {
    sum += powl(x, -s);
  }
  const real_t rest = powl(x, 1 - s);
  if (rest == 0) {
    return sum;
  }
  sum += rest / (s - 1) + powl(x, -s) / 2;
  real_t factor = s * powl(x, -s - 1) / 2;  // s (s+1) … / (2k)! x^(-s-2k+1)
  for (int k = 1; k <= TERMS; k++) {
    sum += bernoulli[k] * factor;
    factor *= (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / (x * x);
  }
  return sum;
}

// With XLA's poles and NaNs. Far below 0 the sum over all whole numbers, which is
// periodic, helps: that below q is left out.
static real_t zeta(real_t s, real_t q) {
  const bool is_even = s == floorl(s) && fmodl(s, 2) == 0;
  if (s == 1) {
    return (real_t)INFINITY;
  }
  if (!(s > 1) || isnan(q) || (q <= 0 && s != floorl(s))) {
    return (real_t)NAN;
  }
  if (q <= 0 && q == floorl(q)) {
    return is_even ? (real_t)INFINITY : (real_t)NAN;
  }
  if (q > -DIRECT) {
    return zeta_sum(s, q);
  }
  const real_t rest = q - floorl(q);
  const real_t above = zeta_sum(s, rest), below = zeta_sum(s, 1 - rest);
  return is_even ? above + below - zeta_sum(s, 1 - q)
                 : above - below + zeta_sum(s, 1 - q);
}

// For x > 0 the recurrence, then NIST DLMF 5.11.2; below by reflection, 5.5.4.
static real_t digamma(real_t x) {
  static const real_t pi = 3.14159265358979323846264338327950288L;
  if (x <= 0) {
    const real_t rest = x - rintl(x);
    return rest == 0 || isinf(x) ? (real_t)NAN : digamma(1 - x) - pi / tanl(pi * rest);
  }
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
  if (!(n > 0) || n != floorl(n)) {
    return (real_t)NAN;
  }
  const real_t sign = fmodl(n, 2) == 0 ? -1 : 1;
  return sign * tgammal(n + 1) * zeta(n + 1, x);
}

// The power series, NIST DLMF 10.25.2: its terms have one sign. For large ones 10.40.1.
static real_t bessel_i1e(real_t x) {
  static const real_t pi = 3.14159265358979323846264338327950288L;
  const real_t z = fabsl(x);
  if (z > 200) {
    real_t term = 1, sum = 1;
    for (int k = 1; k < 30; k++) {
      term *= -(4 - (real_t)(2 * k - 1) * (2 * k - 1)) / (8 * k * z);
      sum += term;
    }
    return copysignl(sum / sqrtl(2 * pi * z), x);
  }
  real_t term = x / 2, sum = 0;
  for (int k = 0; k < 600; k++) {
    sum += term;
    term *= x * x / 4 / ((real_t)(k + 1) * (real_t)(k + 2));
  }
  return expl(-z) * sum;
}

static real_t erf_inv(real_t x) {
  if (!(fabsl(x) < 1)) {
    return fabsl(x) == 1 ? copysignl((real_t)INFINITY, x) : (real_t)NAN;
  }
  if (fabsl(x) < 1e-12L) {  // Where it is straight.
    return x * 0.886226925452758013649083741670572592L;
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
    {"chlo.tan", tanl, ctanl},          {"stablehlo.erf", erfl, 0},
    {"stablehlo.erf_inv", erf_inv, 0},
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

// What has no zero and no sign gets what f32 has of it: of less than its least number a
// zero, of either sign.
static reference_scalar_t of_series(tensor_dtype_t dtype, real_t sum) {
  const double x = dtype == TENSOR_F8E8M0FNU ? (double)(float)sum : (double)sum;
  return reference_of_real(dtype, x);
}

static void reference_series(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *a = reference_operand(machine, op, 0);
  const reference_value_t *b = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_zeta = strcmp(op->name, "chlo.zeta") == 0;
  for (int64_t i = 0; i < result->count; i++) {
    const real_t x = reference_load(a, i).real, y = reference_load(b, i).real;
    const real_t sum = is_zeta ? zeta(x, y) : polygamma(x, y);
    reference_store(result, i, of_series(result->shape.dtype, sum));
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

// The number next to x on the way to y: of all bits that are x or one off, up or down.
static double next_after(tensor_dtype_t dtype, double x, double y) {
  if (isnan(x) || isnan(y)) {
    return (double)NAN;
  }
  if (x == y) {
    return y;
  }
  char memory[16] = {0};
  const tensor_shape_t scalar = tensor_shape_make(dtype, 0, NULL);
  reference_value_t value = {.shape = scalar, .count = 1, .data = memory};
  reference_store(&value, 0, reference_of_real(dtype, x));
  const int64_t place = reference_ordinal(dtype, memory) + (y > x ? 1 : -1);
  const bool has_sign = dtype != TENSOR_F8E8M0FNU;
  const uint64_t sign = (uint64_t)1 << (tensor_dtype_device_bits(dtype) - 1);
  const uint64_t bits = has_sign && place < 0 ? sign | (uint64_t)-place : (uint64_t)place;
  memcpy(memory, &bits, tensor_dtype_bytes(dtype));
  const double next = reference_load(&value, 0).real;
  return next == 0 ? copysign(next, x == 0 ? y : x) : next;
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

static reference_scalar_t combine(reference_t *machine, const mlir_op_t *op,
                                  reference_scalar_t a, reference_scalar_t b) {
  const char *name = op->name + strlen("chlo.broadcast_");
  const tensor_dtype_t dtype = op->results[0].type->shape.dtype;
  if (strcmp(name, "compare") == 0) {
    const char *direction = reference_word(machine, op, "comparison_direction", "EQ");
    return reference_of_integer(TENSOR_PRED, reference_compare(direction, "", a, b));
  }
  if (strcmp(name, "complex") == 0) {
    return reference_of_complex(dtype, a.real, b.real);
  }
  if (strcmp(name, "next_after") == 0) {
    return reference_of_real(dtype, next_after(dtype, a.real, b.real));
  }
  if (strcmp(name, "zeta") == 0) {
    return of_series(dtype, zeta(a.real, b.real));
  }
  if (strcmp(name, "polygamma") == 0) {
    return of_series(dtype, polygamma(a.real, b.real));
  }
  return reference_binary(name, a, b);
}

static void reference_broadcasting(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_select = op->operand_count == 3;
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    const reference_scalar_t a = broadcast_element(machine, op, 0, index);
    if (is_select) {
      const int chosen = a.integer != 0 ? 1 : 2;
      const reference_value_t *value = reference_operand(machine, op, chosen);
      reference_copy(result, i, value, value->shape.rank == 0 ? 0 : i);
    } else {
      const reference_scalar_t b = broadcast_element(machine, op, 1, index);
      reference_store(result, i, combine(machine, op, a, b));
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
    {"chlo.broadcast_atan2", reference_broadcasting},
    {"chlo.broadcast_compare", reference_broadcasting},
    {"chlo.broadcast_complex", reference_broadcasting},
    {"chlo.broadcast_divide", reference_broadcasting},
    {"chlo.broadcast_maximum", reference_broadcasting},
    {"chlo.broadcast_minimum", reference_broadcasting},
    {"chlo.broadcast_multiply", reference_broadcasting},
    {"chlo.broadcast_next_after", reference_broadcasting},
    {"chlo.broadcast_or", reference_broadcasting},
    {"chlo.broadcast_polygamma", reference_broadcasting},
    {"chlo.broadcast_power", reference_broadcasting},
    {"chlo.broadcast_remainder", reference_broadcasting},
    {"chlo.broadcast_select", reference_broadcasting},
    {"chlo.broadcast_shift_left", reference_broadcasting},
    {"chlo.broadcast_shift_right_arithmetic", reference_broadcasting},
    {"chlo.broadcast_shift_right_logical", reference_broadcasting},
    {"chlo.broadcast_subtract", reference_broadcasting},
    {"chlo.broadcast_xor", reference_broadcasting},
    {"chlo.broadcast_zeta", reference_broadcasting},
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
    {"stablehlo.erf", reference_unary_function},
    {"stablehlo.erf_inv", reference_unary_function},
    {NULL, NULL},
};
