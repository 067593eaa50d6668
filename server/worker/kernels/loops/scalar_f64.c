// Transcendental functions of f64, by libm: within an ULP, which vector functions are
// not.

#include <math.h>

#include "server/worker/kernels/loops/loops.h"

#define UNARY(op, expression)                                                 \
  static void op##_F64(const void *in_bytes, void *out_bytes, size_t count) { \
    const double *in = in_bytes;                                              \
    double *out = out_bytes;                                                  \
    for (size_t i = 0; i < count; i++) {                                      \
      const double x = in[i];                                                 \
      out[i] = expression;                                                    \
    }                                                                         \
  }

#define BINARY(op, expression)                                                    \
  static void op##_F64(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                       size_t count) {                                            \
    const double *a = a_bytes, *b = b_bytes;                                      \
    double *out = out_bytes;                                                      \
    for (size_t i = 0; i < count; i++) {                                          \
      const double x = a[i], y = b[i];                                            \
      out[i] = expression;                                                        \
    }                                                                             \
  }

// The form that does not overflow on either side.
static double logistic(double x) {
  if (x >= 0) {
    return 1.0 / (1.0 + exp(-x));
  }
  const double e = exp(x);
  return e / (1.0 + e);
}

UNARY(EXPONENTIAL, exp(x))
UNARY(EXPONENTIAL_MINUS_ONE, expm1(x))
UNARY(LOG, log(x))
UNARY(LOG_PLUS_ONE, log1p(x))
UNARY(LOGISTIC, logistic(x))
UNARY(TANH, tanh(x))
UNARY(SINE, sin(x))
UNARY(COSINE, cos(x))
UNARY(TAN, tan(x))
UNARY(CBRT, cbrt(x))
BINARY(POWER, pow(x, y))
BINARY(ATAN2, atan2(x, y))

const kernel_unary_table_t kernel_f64_unary = {
    [CHIP_OP_EXPONENTIAL] = {[TENSOR_F64] = EXPONENTIAL_F64},
    [CHIP_OP_EXPONENTIAL_MINUS_ONE] = {[TENSOR_F64] = EXPONENTIAL_MINUS_ONE_F64},
    [CHIP_OP_LOG] = {[TENSOR_F64] = LOG_F64},
    [CHIP_OP_LOG_PLUS_ONE] = {[TENSOR_F64] = LOG_PLUS_ONE_F64},
    [CHIP_OP_LOGISTIC] = {[TENSOR_F64] = LOGISTIC_F64},
    [CHIP_OP_TANH] = {[TENSOR_F64] = TANH_F64},
    [CHIP_OP_SINE] = {[TENSOR_F64] = SINE_F64},
    [CHIP_OP_COSINE] = {[TENSOR_F64] = COSINE_F64},
    [CHIP_OP_TAN] = {[TENSOR_F64] = TAN_F64},
    [CHIP_OP_CBRT] = {[TENSOR_F64] = CBRT_F64},
};

const kernel_binary_table_t kernel_f64_binary = {
    [CHIP_OP_POWER] = {[TENSOR_F64] = POWER_F64},
    [CHIP_OP_ATAN2] = {[TENSOR_F64] = ATAN2_F64},
};
