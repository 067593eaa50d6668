// The arithmetic of one element; see reference_scalar.h.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/complex.h"
#include "tests/differential/reference_scalar.h"

__extension__ typedef __int128 wide_t;

static bool is(const char *op, const char *name) {
  return strcmp(op, name) == 0;
}

static bool is_integral(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
}

// --- Integers ---

static wide_t widen(reference_scalar_t x) {
  return x.dtype == TENSOR_U64 ? (wide_t)(uint64_t)x.integer : (wide_t)x.integer;
}

static int64_t integer_power(reference_scalar_t a, reference_scalar_t b) {
  const wide_t base = widen(a), exponent = widen(b);
  if (exponent < 0) {  // 1 / x, truncated.
    return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  }
  uint64_t result = 1, square = (uint64_t)base;
  for (uint64_t left = (uint64_t)exponent; left != 0; left >>= 1) {
    result *= (left & 1) != 0 ? square : 1;
    square *= square;
  }
  return (int64_t)result;
}

static int64_t shift(const char *op, reference_scalar_t a, reference_scalar_t b) {
  const unsigned width = tensor_dtype_device_bits(a.dtype);
  const uint64_t mask = UINT64_MAX >> (64 - width);
  const uint64_t amount = (uint64_t)b.integer & mask, bits = (uint64_t)a.integer & mask;
  if (is(op, "shift_left")) {
    return amount < width ? (int64_t)(bits << amount) : 0;
  }
  if (is(op, "shift_right_logical")) {
    return amount < width ? (int64_t)(bits >> amount) : 0;
  }
  POD_CHECK(is(op, "shift_right_arithmetic"));
  const uint64_t sign = (uint64_t)1 << (width - 1);
  const int64_t extended = (int64_t)((bits ^ sign) - sign);
  return extended >> (amount < width ? amount : width - 1);
}

// What is not defined (division by zero, shifts beyond the width) is as XLA has it.
static int64_t integer_binary(const char *op, reference_scalar_t a,
                              reference_scalar_t b) {
  const wide_t x = widen(a), y = widen(b);
  const uint64_t low_x = (uint64_t)a.integer, low_y = (uint64_t)b.integer;
  if (is(op, "add")) {
    return (int64_t)(low_x + low_y);
  }
  if (is(op, "subtract")) {
    return (int64_t)(low_x - low_y);
  }
  if (is(op, "multiply")) {
    return (int64_t)(low_x * low_y);
  }
  if (is(op, "divide")) {
    return y == 0 ? -1 : (int64_t)(uint64_t)(x / y);
  }
  if (is(op, "remainder")) {
    return y == 0 ? a.integer : (int64_t)(uint64_t)(x % y);
  }
  if (is(op, "maximum")) {
    return x > y ? a.integer : b.integer;
  }
  if (is(op, "minimum")) {
    return x < y ? a.integer : b.integer;
  }
  if (is(op, "and")) {
    return a.integer & b.integer;
  }
  if (is(op, "or")) {
    return a.integer | b.integer;
  }
  if (is(op, "xor")) {
    return a.integer ^ b.integer;
  }
  return is(op, "power") ? integer_power(a, b) : shift(op, a, b);
}

static int64_t integer_unary(const char *op, reference_scalar_t a) {
  const unsigned width = tensor_dtype_device_bits(a.dtype);
  const uint64_t bits = (uint64_t)a.integer & (UINT64_MAX >> (64 - width));
  if (is(op, "abs")) {
    return a.integer < 0 ? (int64_t)(0 - (uint64_t)a.integer) : a.integer;
  }
  if (is(op, "negate")) {
    return (int64_t)(0 - (uint64_t)a.integer);
  }
  if (is(op, "sign")) {
    return a.integer > 0 ? 1 : a.integer < 0 ? -1 : 0;
  }
  if (is(op, "not")) {
    return a.dtype == TENSOR_PRED ? !a.integer : ~a.integer;
  }
  int count = 0;
  if (is(op, "popcnt")) {
    for (unsigned i = 0; i < width; i++) {
      count += (int)(bits >> i & 1);
    }
    return count;
  }
  POD_CHECK(is(op, "count_leading_zeros"));
  while (count < (int)width && (bits >> ((int)width - 1 - count) & 1) == 0) {
    count++;
  }
  return count;
}

// --- Floats ---

// IEEE 754's maximum and minimum: NaN goes through, -0 is below 0.
static double extreme(double a, double b, bool is_maximum) {
  if (isnan(a) || isnan(b)) {
    return (double)NAN;
  }
  if (a == b) {
    return (signbit(a) != 0) == is_maximum ? b : a;
  }
  return (a > b) == is_maximum ? a : b;
}

static double real_binary(const char *op, tensor_dtype_t dtype, double a, double b) {
  if (is(op, "add")) {
    return a + b;
  }
  if (is(op, "subtract")) {
    return a - b;
  }
  if (is(op, "multiply")) {
    return a * b;
  }
  if (is(op, "divide")) {
    return a / b;
  }
  if (is(op, "remainder")) {
    return fmod(a, b);
  }
  if (is(op, "maximum") || is(op, "minimum")) {
    return extreme(a, b, is(op, "maximum"));
  }
  if (is(op, "power")) {  // glibc's powl errs where the exponent is huge.
    const bool is_wide = dtype == TENSOR_F64 && fabs(b) < 0x1p60;
    return is_wide ? (double)powl((long double)a, (long double)b) : pow(a, b);
  }
  POD_CHECK(is(op, "atan2"));
  return dtype == TENSOR_F64 ? (double)atan2l((long double)a, (long double)b)
                             : atan2(a, b);
}

typedef long double (*wide_fn_t)(long double);
typedef double _Complex (*complex_fn_t)(double _Complex);

// Rounded once: from double to narrower types a second rounding does no harm.
static long double sqrt_wide(long double x) {
  return (long double)sqrt((double)x);
}

static long double rsqrt_wide(long double x) {
  return 1 / sqrtl(x);
}

static long double logistic_wide(long double x) {
  return 1 / (1 + expl(-x));
}

static long double sign_wide(long double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static long double negate_wide(long double x) {
  return -x;
}

static double _Complex rsqrt_complex(double _Complex z) {
  return 1 / csqrt(z);
}

static double _Complex logistic_complex(double _Complex z) {
  return 1 / (1 + cexp(-z));
}

static double _Complex expm1_complex(double _Complex z) {
  const long double x = (long double)creal(z), y = (long double)cimag(z);
  const long double half = sinl(y / 2);
  return CMPLX((double)(expm1l(x) * cosl(y) - 2 * half * half),
               y == 0 ? (double)y : (double)(expl(x) * sinl(y)));
}

static double _Complex log1p_complex(double _Complex z) {
  const long double x = (long double)creal(z), y = (long double)cimag(z);
  const long double real = fabsl(x) < 0.5L && fabsl(y) < 0.5L
                               ? 0.5L * log1pl(x * (2 + x) + y * y)
                               : logl(hypotl(1 + x, y));
  return CMPLX((double)real, (double)atan2l(y, 1 + x));
}

static double _Complex cbrt_complex(double _Complex z) {
  return z == 0 ? z : cpow(z, 1.0 / 3);
}

static double _Complex sign_complex(double _Complex z) {
  const long double x = (long double)creal(z), y = (long double)cimag(z);
  const long double magnitude = hypotl(x, y);
  return z == 0 ? z : CMPLX((double)(x / magnitude), (double)(y / magnitude));
}

// Of two infinities as XLA has it, which multiplies: NaN.
static double _Complex exp_complex(double _Complex z) {
  const bool is_lost = isinf(creal(z)) && isinf(cimag(z));
  return is_lost ? CMPLX((double)NAN, (double)NAN) : cexp(z);
}

static double _Complex negate_complex(double _Complex z) {
  return CMPLX(-creal(z), -cimag(z));
}

static const struct {
  const char *name;
  wide_fn_t wide;
  complex_fn_t by_parts;
} functions[] = {
    {"abs", fabsl, NULL},
    {"cbrt", cbrtl, cbrt_complex},
    {"ceil", ceill, NULL},
    {"cosine", cosl, ccos},
    {"exponential", expl, exp_complex},
    {"exponential_minus_one", expm1l, expm1_complex},
    {"floor", floorl, NULL},
    {"log", logl, clog},
    {"log_plus_one", log1pl, log1p_complex},
    {"logistic", logistic_wide, logistic_complex},
    {"negate", negate_wide, negate_complex},
    {"round_nearest_afz", roundl, NULL},
    {"round_nearest_even", rintl, NULL},
    {"rsqrt", rsqrt_wide, rsqrt_complex},
    {"sign", sign_wide, sign_complex},
    {"sine", sinl, csin},
    {"sqrt", sqrt_wide, csqrt},
    {"tan", tanl, ctan},
    {"tanh", tanhl, ctanh},
};

reference_scalar_t reference_unary(const char *op, reference_scalar_t a) {
  if (is_integral(a.dtype)) {
    return reference_of_integer(a.dtype, integer_unary(op, a));
  }
  if (is(op, "abs") && tensor_dtype_is_complex(a.dtype)) {
    return reference_of_real(reference_part_of(a.dtype), hypot(a.real, a.imaginary));
  }
  for (size_t i = 0; i < POD_COUNT_OF(functions); i++) {
    if (is(op, functions[i].name) && tensor_dtype_is_complex(a.dtype)) {
      POD_CHECK(functions[i].by_parts != NULL);
      const double _Complex z = functions[i].by_parts(CMPLX(a.real, a.imaginary));
      return reference_of_complex(a.dtype, creal(z), cimag(z));
    }
    if (is(op, functions[i].name)) {
      return reference_of_real(a.dtype, (double)functions[i].wide((long double)a.real));
    }
  }
  POD_CHECK(false);
  return a;
}

// --- Complex numbers ---

static bool is_nan(reference_scalar_t a) {
  return isnan(a.real) || isnan(a.imaginary);
}

// By the real parts, then by the imaginary ones, then by the signs of zeros. NaN is above
// and below everything, as for reals.
static reference_scalar_t complex_extreme(reference_scalar_t a, reference_scalar_t b,
                                          bool is_maximum) {
  if (is_nan(a) || is_nan(b)) {
    return is_nan(a) ? a : b;
  }
  const bool is_by_real = a.real != b.real;
  const bool is_by_imaginary = !is_by_real && a.imaginary != b.imaginary;
  const bool is_by_sign = (signbit(a.real) != 0) != (signbit(b.real) != 0);
  bool a_is_above = is_by_sign ? signbit(a.real) == 0 : signbit(a.imaginary) == 0;
  if (is_by_real || is_by_imaginary) {
    a_is_above = is_by_real ? a.real > b.real : a.imaginary > b.imaginary;
  }
  return a_is_above == is_maximum ? a : b;
}

static reference_scalar_t complex_binary(const char *op, reference_scalar_t a,
                                         reference_scalar_t b) {
  const double _Complex z = CMPLX(a.real, a.imaginary), w = CMPLX(b.real, b.imaginary);
  const tensor_dtype_t dtype = a.dtype;
  if (is(op, "add")) {
    return reference_of_complex(dtype, a.real + b.real, a.imaginary + b.imaginary);
  }
  if (is(op, "subtract")) {
    return reference_of_complex(dtype, a.real - b.real, a.imaginary - b.imaginary);
  }
  if (is(op, "maximum") || is(op, "minimum")) {
    return complex_extreme(a, b, is(op, "maximum"));
  }
  double _Complex result = z * w;
  if (is(op, "divide")) {
    result = z / w;
  } else if (is(op, "power")) {
    result = z == 0 ? (w == 0 ? 1 : 0) : cpow(z, w);
  } else if (is(op, "atan2")) {
    result = -I * clog((w + I * z) / csqrt(w * w + z * z));
  } else {
    POD_CHECK(is(op, "multiply"));
  }
  return reference_of_complex(dtype, creal(result), cimag(result));
}

reference_scalar_t reference_binary(const char *op, reference_scalar_t a,
                                    reference_scalar_t b) {
  POD_CHECK(a.dtype == b.dtype);
  if (a.dtype == TENSOR_PRED) {
    const bool is_or = is(op, "add") || is(op, "maximum") || is(op, "or");
    const bool is_and = is(op, "multiply") || is(op, "minimum") || is(op, "and");
    POD_CHECK(is_or || is_and || is(op, "xor"));
    return reference_of_integer(TENSOR_PRED, is_or    ? a.integer | b.integer
                                             : is_and ? a.integer & b.integer
                                                      : a.integer ^ b.integer);
  }
  if (is_integral(a.dtype)) {
    return reference_of_integer(a.dtype, integer_binary(op, a, b));
  }
  if (tensor_dtype_is_complex(a.dtype)) {
    return complex_binary(op, a, b);
  }
  return reference_of_real(a.dtype, real_binary(op, a.dtype, a.real, b.real));
}
