// Complex arithmetic and functions. Sums and products are the textbook formulas in the
// element type; everything else is computed in complex double and rounded once.

#include <math.h>
#include <stdbool.h>

#include "common/base/complex.h"
#include "server/worker/kernels/loops/loops.h"

#define UNARY(op, expression)                                                  \
  static void op##_C64(const void *in_bytes, void *out_bytes, size_t count) {  \
    const float _Complex *in = in_bytes;                                       \
    float _Complex *out = out_bytes;                                           \
    for (size_t i = 0; i < count; i++) {                                       \
      const double _Complex z = (double _Complex)in[i];                        \
      out[i] = (float _Complex)(expression);                                   \
    }                                                                          \
  }                                                                            \
  static void op##_C128(const void *in_bytes, void *out_bytes, size_t count) { \
    const double _Complex *in = in_bytes;                                      \
    double _Complex *out = out_bytes;                                          \
    for (size_t i = 0; i < count; i++) {                                       \
      const double _Complex z = in[i];                                         \
      out[i] = expression;                                                     \
    }                                                                          \
  }

#define BINARY(op, expression)                                                     \
  static void op##_C64(const void *a_bytes, const void *b_bytes, void *out_bytes,  \
                       size_t count) {                                             \
    const float _Complex *a = a_bytes, *b = b_bytes;                               \
    float _Complex *out = out_bytes;                                               \
    for (size_t i = 0; i < count; i++) {                                           \
      const double _Complex z = (double _Complex)a[i], w = (double _Complex)b[i];  \
      out[i] = (float _Complex)(expression);                                       \
    }                                                                              \
  }                                                                                \
  static void op##_C128(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                        size_t count) {                                            \
    const double _Complex *a = a_bytes, *b = b_bytes;                              \
    double _Complex *out = out_bytes;                                              \
    for (size_t i = 0; i < count; i++) {                                           \
      const double _Complex z = a[i], w = b[i];                                    \
      out[i] = expression;                                                         \
    }                                                                              \
  }

// In the element type: parts of a and b are ar, ai, br, bi.
#define BY_PARTS_OF(op, suffix, part, real_part, imaginary_part)                       \
  static void op##_##suffix(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                            size_t count) {                                            \
    const part *a = a_bytes, *b = b_bytes;                                             \
    part *out = out_bytes;                                                             \
    for (size_t i = 0; i < 2 * count; i += 2) {                                        \
      const part ar = a[i], ai = a[i + 1], br = b[i], bi = b[i + 1];                   \
      out[i] = real_part;                                                              \
      out[i + 1] = imaginary_part;                                                     \
    }                                                                                  \
  }
#define BY_PARTS(op, real_part, imaginary_part)          \
  BY_PARTS_OF(op, C64, float, real_part, imaginary_part) \
  BY_PARTS_OF(op, C128, double, real_part, imaginary_part)

// Ordered by the real parts, then by the imaginary ones, as XLA orders them; -0 is below
// +0, so that an extreme does not depend on the order of the operands.
static bool is_above(double ar, double ai, double br, double bi) {
  if (ar != br) {
    return ar > br;
  }
  if (ai != bi) {
    return ai > bi;
  }
  return 2 * (signbit(ar) != 0) + (signbit(ai) != 0) <
         2 * (signbit(br) != 0) + (signbit(bi) != 0);
}

static bool is_nan(double real, double imaginary) {
  return isnan(real) || isnan(imaginary);
}

// Whether the maximum (minimum) of a and b is a. A NaN wins, the first of two.
static bool is_maximum(double ar, double ai, double br, double bi) {
  return is_nan(ar, ai) || (!is_nan(br, bi) && is_above(ar, ai, br, bi));
}

static bool is_minimum(double ar, double ai, double br, double bi) {
  return is_nan(ar, ai) || (!is_nan(br, bi) && is_above(br, bi, ar, ai));
}

static double _Complex from_parts(double real, double imaginary) {
  return CMPLX(real, imaginary);
}

// exp(z) - 1 without cancellation near 0: with z = x + iy,
// exp(x)cos(y) - 1 = expm1(x)cos(y) + (cos(y) - 1), cos(y) - 1 = -2 sin(y/2)^2.
static double _Complex exponential_minus_one(double _Complex z) {
  const double x = creal(z), y = cimag(z), half = sin(y / 2);
  return from_parts(expm1(x) * cos(y) - 2 * half * half, y == 0 ? y : exp(x) * sin(y));
}

// As XLA has it, whose parts are exp(x)cos(y) and exp(x)sin(y): the C library says 0 and
// infinity where both parts are infinite.
static double _Complex exponential(double _Complex z) {
  return isinf(creal(z)) && isinf(cimag(z)) ? from_parts(NAN, NAN) : cexp(z);
}

// log|1 + z| is half the log1p of |1 + z|^2 - 1 = x(2 + x) + y^2 where that is small. The
// C library's clog does not overflow.
static double _Complex log_plus_one(double _Complex z) {
  const double x = creal(z), y = cimag(z);
  if (fabs(x) < 0.5 && fabs(y) < 0.5) {
    return from_parts(0.5 * log1p(x * (2 + x) + y * y), atan2(y, 1 + x));
  }
  return clog(from_parts(1 + x, y));
}

// The exponent of the largest part; 0 where there is none.
static int exponent_of(double _Complex z) {
  int exponent = 0;
  const double largest = fmax(fabs(creal(z)), fabs(cimag(z)));
  if (isfinite(largest)) {
    frexp(largest, &exponent);
  }
  return exponent;
}

static double _Complex scaled(double _Complex z, int exponent) {
  return from_parts(ldexp(creal(z), exponent), ldexp(cimag(z), exponent));
}

static double _Complex sign(double _Complex z) {
  if (isnan(creal(z)) || isnan(cimag(z))) {
    return from_parts(NAN, NAN);
  }
  if (z == 0) {
    return z;
  }
  const double _Complex small = scaled(z, -exponent_of(z));  // Its square is a number.
  const double magnitude = cabs(small);
  return from_parts(creal(small) / magnitude, cimag(small) / magnitude);
}

static double _Complex cube_root(double _Complex z) {
  return z == 0 ? z : cpow(z, from_parts(1.0 / 3.0, 0));
}

static double _Complex power(double _Complex z, double _Complex w) {
  if (z == 0) {
    return w == 0 ? 1 : 0;
  }
  return cpow(z, w);
}

BY_PARTS(ADD, ar + br, ai + bi)
BY_PARTS(SUBTRACT, ar - br, ai - bi)
BY_PARTS(MULTIPLY, ar *br - ai * bi, ar *bi + ai * br)
BINARY(DIVIDE, z / w)
BY_PARTS(MAXIMUM, is_maximum(ar, ai, br, bi) ? ar : br,
         is_maximum(ar, ai, br, bi) ? ai : bi)
BY_PARTS(MINIMUM, is_minimum(ar, ai, br, bi) ? ar : br,
         is_minimum(ar, ai, br, bi) ? ai : bi)
BINARY(POWER, power(z, w))
// -i log((x + iy) / sqrt(x^2 + y^2)), with y first. Both are scaled alike so that their
// squares do not overflow.
static double _Complex angle(double _Complex y, double _Complex x) {
  const int of_x = exponent_of(x), of_y = exponent_of(y);
  const int exponent = of_x > of_y ? of_x : of_y;
  x = scaled(x, -exponent);
  y = scaled(y, -exponent);
  const double _Complex ratio = (x + I * y) / csqrt(x * x + y * y);
  return -I * clog(ratio);
}

BINARY(ATAN2, angle(z, w))
UNARY(NEGATE, -z)
UNARY(SIGN, sign(z))
UNARY(EXPONENTIAL, exponential(z))
UNARY(EXPONENTIAL_MINUS_ONE, exponential_minus_one(z))
UNARY(LOG, clog(z))
UNARY(LOG_PLUS_ONE, log_plus_one(z))
UNARY(LOGISTIC, 1 / (1 + cexp(-z)))
UNARY(TANH, ctanh(z))
UNARY(SINE, csin(z))
UNARY(COSINE, ccos(z))
UNARY(TAN, ctan(z))
UNARY(SQRT, csqrt(z))
UNARY(RSQRT, 1 / csqrt(z))
UNARY(CBRT, cube_root(z))
UNARY(ACOS, cacos(z))
UNARY(ACOSH, cacosh(z))
UNARY(ASIN, casin(z))
UNARY(ASINH, casinh(z))
UNARY(ATAN, catan(z))
UNARY(ATANH, catanh(z))
UNARY(COSH, ccosh(z))
UNARY(SINH, csinh(z))

// The magnitude is real: c64 gives f32, c128 gives f64.
static void ABS_C64(const void *in_bytes, void *out_bytes, size_t count) {
  const float *in = in_bytes;
  float *out = out_bytes;
  for (size_t i = 0; i < count; i++) {
    out[i] = (float)hypot((double)in[2 * i], (double)in[2 * i + 1]);
  }
}

static void ABS_C128(const void *in_bytes, void *out_bytes, size_t count) {
  const double *in = in_bytes;
  double *out = out_bytes;
  for (size_t i = 0; i < count; i++) {
    out[i] = hypot(in[2 * i], in[2 * i + 1]);
  }
}

#define BOTH(op) \
  { [TENSOR_C64] = op##_C64, [TENSOR_C128] = op##_C128 }

const kernel_binary_table_t kernel_complex_binary = {
    [CHIP_OP_ADD] = BOTH(ADD),           [CHIP_OP_SUBTRACT] = BOTH(SUBTRACT),
    [CHIP_OP_MULTIPLY] = BOTH(MULTIPLY), [CHIP_OP_DIVIDE] = BOTH(DIVIDE),
    [CHIP_OP_MAXIMUM] = BOTH(MAXIMUM),   [CHIP_OP_MINIMUM] = BOTH(MINIMUM),
    [CHIP_OP_POWER] = BOTH(POWER),       [CHIP_OP_ATAN2] = BOTH(ATAN2),
};

const kernel_unary_table_t kernel_complex_unary = {
    [CHIP_OP_ABS] = BOTH(ABS),
    [CHIP_OP_NEGATE] = BOTH(NEGATE),
    [CHIP_OP_SIGN] = BOTH(SIGN),
    [CHIP_OP_EXPONENTIAL] = BOTH(EXPONENTIAL),
    [CHIP_OP_EXPONENTIAL_MINUS_ONE] = BOTH(EXPONENTIAL_MINUS_ONE),
    [CHIP_OP_LOG] = BOTH(LOG),
    [CHIP_OP_LOG_PLUS_ONE] = BOTH(LOG_PLUS_ONE),
    [CHIP_OP_LOGISTIC] = BOTH(LOGISTIC),
    [CHIP_OP_TANH] = BOTH(TANH),
    [CHIP_OP_SINE] = BOTH(SINE),
    [CHIP_OP_COSINE] = BOTH(COSINE),
    [CHIP_OP_TAN] = BOTH(TAN),
    [CHIP_OP_SQRT] = BOTH(SQRT),
    [CHIP_OP_RSQRT] = BOTH(RSQRT),
    [CHIP_OP_CBRT] = BOTH(CBRT),
    [CHIP_OP_ACOS] = BOTH(ACOS),
    [CHIP_OP_ACOSH] = BOTH(ACOSH),
    [CHIP_OP_ASIN] = BOTH(ASIN),
    [CHIP_OP_ASINH] = BOTH(ASINH),
    [CHIP_OP_ATAN] = BOTH(ATAN),
    [CHIP_OP_ATANH] = BOTH(ATANH),
    [CHIP_OP_COSH] = BOTH(COSH),
    [CHIP_OP_SINH] = BOTH(SINH),
};
