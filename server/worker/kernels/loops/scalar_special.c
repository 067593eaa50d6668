// CHLO's functions of f32 and f64, computed in double and rounded once.
//
// Formulas: NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov),
// sections 5.11 and 5.15 (digamma), 25.11 (the Hurwitz zeta function), 10.25 and 10.40
// (modified Bessel functions); M. Giles, "Approximating the erfinv function", GPU
// Computing Gems 2 (2011), for a first approximation of it.

#include <math.h>
#include <stdbool.h>

#include "server/worker/kernels/loops/loops.h"

#define UNARY(op, expression) UNARY_BY_TYPE(op, (float)(expression), expression)

#define UNARY_BY_TYPE(op, f32_expression, f64_expression)                     \
  static void op##_F32(const void *in_bytes, void *out_bytes, size_t count) { \
    const float *in = in_bytes;                                               \
    float *out = out_bytes;                                                   \
    for (size_t i = 0; i < count; i++) {                                      \
      const double x = (double)in[i];                                         \
      out[i] = f32_expression;                                                \
    }                                                                         \
  }                                                                           \
  static void op##_F64(const void *in_bytes, void *out_bytes, size_t count) { \
    const double *in = in_bytes;                                              \
    double *out = out_bytes;                                                  \
    for (size_t i = 0; i < count; i++) {                                      \
      const double x = in[i];                                                 \
      out[i] = f64_expression;                                                \
    }                                                                         \
  }

#define BINARY(op, expression)                                                    \
  static void op##_F32(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                       size_t count) {                                            \
    const float *a = a_bytes, *b = b_bytes;                                       \
    float *out = out_bytes;                                                       \
    for (size_t i = 0; i < count; i++) {                                          \
      const double x = (double)a[i], y = (double)b[i];                            \
      out[i] = (float)(expression);                                               \
    }                                                                             \
  }                                                                               \
  static void op##_F64(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                       size_t count) {                                            \
    const double *a = a_bytes, *b = b_bytes;                                      \
    double *out = out_bytes;                                                      \
    for (size_t i = 0; i < count; i++) {                                          \
      const double x = a[i], y = b[i];                                            \
      out[i] = expression;                                                        \
    }                                                                             \
  }

static const double pi = 3.14159265358979323846;

static double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// B_2k, k = 1 …
static const double bernoulli[] = {1.0 / 6,         -1.0 / 30,      1.0 / 42,
                                   -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
                                   7.0 / 6,         -3617.0 / 510,  43867.0 / 798,
                                   -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};
enum { BERNOULLI_COUNT = sizeof(bernoulli) / sizeof(bernoulli[0]) };

// Recurrence up to 10, then ln x - 1/(2x) - sum of B_2k / (2k x^2k).
static double digamma(double x) {
  if (x <= 0) {
    if (x == floor(x)) {
      return NAN;
    }
    // Reflection, with the argument of the cotangent near 0, where it has its digits.
    return digamma(1 - x) - pi / tan(pi * (x - rint(x)));
  }
  double shift = 0;
  for (; x < 10; x += 1) {
    shift += 1 / x;
  }
  const double square = 1 / (x * x);
  double sum = 0, power = square;
  for (int k = 0; k < 7; k++, power *= square) {
    sum += bernoulli[k] / (2 * (k + 1)) * power;
  }
  return log(x) - 0.5 / x - sum - shift;
}

// The sum of (q + i)^-s, q no whole number below 1, by Euler and Maclaurin's formula from
// the first q + i on that is large enough for it.
static double zeta_sum(double s, double q) {
  double sum = 0;
  double at = q;
  for (int i = 0; i < 12 || at < 12; i++, at += 1) {
    sum += pow(at, -s);
  }
  const double rest = pow(at, 1 - s);
  if (rest == 0) {
    return sum;
  }
  sum += rest / (s - 1) + 0.5 * pow(at, -s);
  // s (s+1) … (s+2k-2) / (2k)! · B_2k · at^(-s-2k+1)
  double factor = s * pow(at, -s - 1);
  for (int k = 1; k <= BERNOULLI_COUNT; k++) {
    double factorial = 1;
    for (int j = 2; j <= 2 * k; j++) {
      factorial *= j;
    }
    const double term = bernoulli[k - 1] / factorial * factor;
    sum += term;
    if (!(fabs(term) >= 1e-17 * fabs(sum))) {
      break;
    }
    factor *= (s + 2 * k - 1) * (s + 2 * k) / (at * at);
  }
  return sum;
}

// The Hurwitz zeta function. Far below 0, where s is whole, the sum over all whole
// numbers is taken, which is periodic, and what lies below q from it.
static double hurwitz_zeta(double s, double q) {
  if (s == 1) {
    return INFINITY;
  }
  if (!(s > 1)) {
    return NAN;
  }
  const bool is_even = s == floor(s) && fmod(s, 2) == 0;
  if (q <= 0) {
    if (q == floor(q)) {
      return is_even ? INFINITY : NAN;
    }
    if (s != floor(s)) {
      return NAN;
    }
  }
  if (!(q < -1)) {
    return zeta_sum(s, q);
  }
  const double fraction = q - floor(q);
  const double above = zeta_sum(s, fraction), below = zeta_sum(s, 1 - fraction);
  const double left_out = zeta_sum(s, 1 - q);
  return is_even ? above + below - left_out : above - below + left_out;
}

// The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x).
static double polygamma(double n, double x) {
  if (n == 0) {
    return digamma(x);
  }
  if (n < 0 || n != floor(n)) {
    return NAN;
  }
  const double sign = fmod(n, 2) == 1 ? 1 : -1;
  return sign * exp(log_gamma(n + 1)) * hurwitz_zeta(n + 1, x);
}

// Giles' approximation in single precision, made exact by Newton's method on erf, or on
// erfc where erf is close to 1.
static double inverse_erf(double x, int steps) {
  if (!(fabs(x) < 1)) {
    return fabs(x) == 1 ? copysign(INFINITY, x) : NAN;
  }
  if (fabs(x) < 1e-8) {
    return x * sqrt(pi) / 2;
  }
  static const double central[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941};
  static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
  double w = -log((1 - x) * (1 + x));
  const double *coefficients = w < 5 ? central : tail;
  w = w < 5 ? w - 2.5 : sqrt(w) - 3;
  double y = 0;
  for (int i = 0; i < 9; i++) {
    y = y * w + coefficients[i];
  }
  y *= fabs(x);
  for (int i = 0; i < steps; i++) {
    const double error = y < 0.5 ? erf(y) - fabs(x) : (1 - fabs(x)) - erfc(y);
    const double step = error * sqrt(pi) / 2 * exp(y * y);
    y -= step / (1 + y * step);  // Halley's correction.
  }
  return copysign(y, x);
}

// exp(-|x|) I_1(x): the power series, whose terms have one sign, or the expansion for
// large arguments.
static double bessel_i1e(double x) {
  const double z = fabs(x);
  if (z < 30) {
    double term = z / 2, sum = term;
    for (int k = 1; k < 200 && term > 1e-17 * sum; k++) {
      term *= z * z / 4 / (k * (k + 1.0));
      sum += term;
    }
    return copysign(exp(-z) * sum, x);
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 40; k++) {
    const double odd = 2 * k - 1;
    const double next = -term * (4 - odd * odd) / (8 * k * z);
    if (fabs(next) >= fabs(term) || fabs(next) < 1e-17) {
      break;
    }
    term = next;
    sum += term;
  }
  return copysign(sum / (sqrt(2 * pi) * sqrt(z)), x);
}

// As XLA has them in f32: exp(x + log(1/2)) does not overflow before the result does. The
// sum is rounded to f32, which shows for large arguments.
static float half_exp(float x) {
  return (float)exp((double)(x + (float)log(0.5)));
}

static float cosh_of(float x) {
  return half_exp(x) + half_exp(-x);
}

static float sinh_of(float x) {
  return fabsf(x) < 1 ? (float)sinh((double)x) : half_exp(x) - half_exp(-x);
}

UNARY(ACOS, acos(x))
UNARY(ACOSH, acosh(x))
UNARY(ASIN, asin(x))
UNARY(ASINH, asinh(x))
UNARY(ATAN, atan(x))
UNARY(ATANH, atanh(x))
UNARY(BESSEL_I1E, bessel_i1e(x))
UNARY_BY_TYPE(COSH, cosh_of((float)x), cosh(x))
UNARY(DIGAMMA, digamma(x))
UNARY(ERF, erf(x))
// The first approximation has some 7 digits, and a step triples them.
UNARY_BY_TYPE(ERF_INV, (float)inverse_erf(x, 1), inverse_erf(x, 3))
UNARY(ERFC, erfc(x))
UNARY(LGAMMA, log_gamma(x))
UNARY_BY_TYPE(SINH, sinh_of((float)x), sinh(x))
BINARY(POLYGAMMA, polygamma(x, y))
BINARY(ZETA, hurwitz_zeta(x, y))

#define BOTH(op) [CHIP_OP_##op] = {[TENSOR_F32] = op##_F32, [TENSOR_F64] = op##_F64}

const kernel_unary_table_t kernel_special_unary = {
    BOTH(ACOS),  BOTH(ACOSH), BOTH(ASIN),       BOTH(ASINH),  BOTH(ATAN),
    BOTH(ATANH), BOTH(COSH),  BOTH(BESSEL_I1E), BOTH(ERF),    BOTH(ERF_INV),
    BOTH(ERFC),  BOTH(SINH),  BOTH(DIGAMMA),    BOTH(LGAMMA),
};

const kernel_binary_table_t kernel_special_binary = {
    BOTH(POLYGAMMA),
    BOTH(ZETA),
};
