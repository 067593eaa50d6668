// Transcendental functions of f32: computed in double and rounded once. GCC calls the
// vector functions of glibc's libmvec for them, which are within 4 ULP of a double, far
// below what is left after rounding. What is rounded to 16 bits or fewer afterwards is
// computed in float for the same reason.

#include <math.h>
#include <string.h>

#include "server/worker/kernels/loops/isa.h"

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(KERNEL_NO_VECTOR_MATH)
#define HAS_VECTOR_MATH __attribute__((simd("notinbranch")))
HAS_VECTOR_MATH double exp(double);
HAS_VECTOR_MATH float expf(float);
HAS_VECTOR_MATH double expm1(double);
HAS_VECTOR_MATH float expm1f(float);
HAS_VECTOR_MATH double log(double);
HAS_VECTOR_MATH float logf(float);
HAS_VECTOR_MATH double log1p(double);
HAS_VECTOR_MATH float log1pf(float);
HAS_VECTOR_MATH double tanh(double);
HAS_VECTOR_MATH float tanhf(float);
HAS_VECTOR_MATH double sin(double);
HAS_VECTOR_MATH float sinf(float);
HAS_VECTOR_MATH double cos(double);
HAS_VECTOR_MATH float cosf(float);
HAS_VECTOR_MATH double tan(double);
HAS_VECTOR_MATH float tanf(float);
HAS_VECTOR_MATH double cbrt(double);
HAS_VECTOR_MATH float cbrtf(float);
HAS_VECTOR_MATH double acos(double);
HAS_VECTOR_MATH double acosh(double);
HAS_VECTOR_MATH double asin(double);
HAS_VECTOR_MATH double asinh(double);
HAS_VECTOR_MATH double atan(double);
HAS_VECTOR_MATH double atanh(double);
HAS_VECTOR_MATH double erf(double);
HAS_VECTOR_MATH double erfc(double);
HAS_VECTOR_MATH double pow(double, double);
HAS_VECTOR_MATH float powf(float, float);
HAS_VECTOR_MATH double atan2(double, double);
HAS_VECTOR_MATH float atan2f(float, float);
#endif

// Elements are computed in whole blocks, the last one filled up, because a scalar
// remainder could round differently and the bits must not depend on the place. A block
// has its own copy of the inputs, so that the compiler needs no scalar variant for an
// output that is an input, and is a function of its own, so that it does not merge them.
enum { BLOCK = 16 };

// The compiler cannot tell what is in the array now.
#define FORGET(array) __asm__("" : "+m"(array))

// `prepared` is what x becomes before; `given` is the element itself.
#define UNARY_PREPARED(op, type, prepared, expression)                        \
  __attribute__((noinline)) static void op##_block(const float *in_block,     \
                                                   float *out_block) {        \
    float in[BLOCK], at[BLOCK], out[BLOCK];                                   \
    memcpy(in, in_block, sizeof(in));                                         \
    KERNEL_INDEPENDENT                                                        \
    for (int i = 0; i < BLOCK; i++) {                                         \
      const float x = in[i];                                                  \
      at[i] = (prepared);                                                     \
    }                                                                         \
    FORGET(at);                                                               \
    KERNEL_INDEPENDENT                                                        \
    for (int i = 0; i < BLOCK; i++) {                                         \
      const float given __attribute__((unused)) = in[i];                      \
      const type x = (type)at[i];                                             \
      out[i] = (float)(expression);                                           \
    }                                                                         \
    memcpy(out_block, out, sizeof(out));                                      \
  }                                                                           \
  static void op##_F32(const void *in_bytes, void *out_bytes, size_t count) { \
    const float *in = in_bytes;                                               \
    float *out = out_bytes;                                                   \
    size_t i = 0;                                                             \
    for (; i + BLOCK <= count; i += BLOCK) {                                  \
      op##_block(in + i, out + i);                                            \
    }                                                                         \
    if (i < count) {                                                          \
      float last[BLOCK] = {0};                                                \
      memcpy(last, in + i, (count - i) * sizeof(float));                      \
      op##_block(last, last);                                                 \
      memcpy(out + i, last, (count - i) * sizeof(float));                     \
    }                                                                         \
  }

#define UNARY(op, type, expression) UNARY_PREPARED(op, type, x, expression)

#define BINARY(op, type, expression)                                              \
  __attribute__((noinline)) static void op##_block(                               \
      const float *a_block, const float *b_block, float *out_block) {             \
    float a[BLOCK], b[BLOCK], out[BLOCK];                                         \
    memcpy(a, a_block, sizeof(a));                                                \
    memcpy(b, b_block, sizeof(b));                                                \
    KERNEL_INDEPENDENT                                                            \
    for (int i = 0; i < BLOCK; i++) {                                             \
      const type x = (type)a[i], y = (type)b[i];                                  \
      out[i] = (float)(expression);                                               \
    }                                                                             \
    memcpy(out_block, out, sizeof(out));                                          \
  }                                                                               \
  static void op##_F32(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                       size_t count) {                                            \
    const float *a = a_bytes, *b = b_bytes;                                       \
    float *out = out_bytes;                                                       \
    size_t i = 0;                                                                 \
    for (; i + BLOCK <= count; i += BLOCK) {                                      \
      op##_block(a + i, b + i, out + i);                                          \
    }                                                                             \
    if (i < count) {                                                              \
      float last_a[BLOCK] = {0}, last_b[BLOCK] = {0};                             \
      memcpy(last_a, a + i, (count - i) * sizeof(float));                         \
      memcpy(last_b, b + i, (count - i) * sizeof(float));                         \
      op##_block(last_a, last_b, last_a);                                         \
      memcpy(out + i, last_a, (count - i) * sizeof(float));                       \
    }                                                                             \
  }

// The vector functions compute what underflows or overflows one by one, and a masked
// score, -1e9, is such. Beyond +-200 the result has long been 0 or infinite as an f32;
// NaN stays.
#define WITHIN_200 x<-200.0f ? -200.0f : x> 200.0f ? 200.0f : x

UNARY_PREPARED(EXPONENTIAL, double, WITHIN_200, exp(x))
UNARY(EXPONENTIAL_MINUS_ONE, double, expm1(x))
UNARY(LOG, double, log(x))
UNARY(LOG_PLUS_ONE, double, log1p(x))
UNARY_PREPARED(LOGISTIC, double, WITHIN_200, 1.0 / (1.0 + exp(-x)))
UNARY(TANH, double, tanh(x))
UNARY(SINE, double, sin(x))
UNARY(COSINE, double, cos(x))
UNARY(TAN, double, tan(x))
UNARY(CBRT, double, cbrt(x))
UNARY(ACOS, double, acos(x))
UNARY(ACOSH, double, acosh(x))
UNARY(ASIN, double, asin(x))
UNARY(ASINH, double, asinh(x))
UNARY(ATAN, double, atan(x))
UNARY(ATANH, double, atanh(x))
UNARY(ERF, double, erf(x))
UNARY(ERFC, double, erfc(x))
BINARY(POWER, double, pow(x, y))
BINARY(ATAN2, double, atan2(x, y))
// Below -104 it is 0 as an f32.
UNARY_PREPARED(NARROW_EXPONENTIAL, float, x < -104.0f ? 0.0f : x,
               given < -104.0f ? 0.0f : expf(x))
UNARY(NARROW_EXPONENTIAL_MINUS_ONE, float, expm1f(x))
UNARY(NARROW_LOG, float, logf(x))
UNARY(NARROW_LOG_PLUS_ONE, float, log1pf(x))
// exp(-x) would overflow where the result is still a subnormal number.
UNARY(NARROW_LOGISTIC, float, (x < 0 ? expf(-fabsf(x)) : 1.0f) / (1.0f + expf(-fabsf(x))))
UNARY(NARROW_TANH, float, tanhf(x))
UNARY(NARROW_SINE, float, sinf(x))
UNARY(NARROW_COSINE, float, cosf(x))
UNARY(NARROW_TAN, float, tanf(x))
UNARY(NARROW_CBRT, float, cbrtf(x))
BINARY(NARROW_POWER, float, powf(x, y))
BINARY(NARROW_ATAN2, float, atan2f(x, y))

const kernel_unary_table_t KERNEL_ISA_NAME(kernel_math_unary) = {
    [CHIP_OP_EXPONENTIAL] = {[TENSOR_F32] = EXPONENTIAL_F32},
    [CHIP_OP_EXPONENTIAL_MINUS_ONE] = {[TENSOR_F32] = EXPONENTIAL_MINUS_ONE_F32},
    [CHIP_OP_LOG] = {[TENSOR_F32] = LOG_F32},
    [CHIP_OP_LOG_PLUS_ONE] = {[TENSOR_F32] = LOG_PLUS_ONE_F32},
    [CHIP_OP_LOGISTIC] = {[TENSOR_F32] = LOGISTIC_F32},
    [CHIP_OP_TANH] = {[TENSOR_F32] = TANH_F32},
    [CHIP_OP_SINE] = {[TENSOR_F32] = SINE_F32},
    [CHIP_OP_COSINE] = {[TENSOR_F32] = COSINE_F32},
    [CHIP_OP_TAN] = {[TENSOR_F32] = TAN_F32},
    [CHIP_OP_CBRT] = {[TENSOR_F32] = CBRT_F32},
    [CHIP_OP_ACOS] = {[TENSOR_F32] = ACOS_F32},
    [CHIP_OP_ACOSH] = {[TENSOR_F32] = ACOSH_F32},
    [CHIP_OP_ASIN] = {[TENSOR_F32] = ASIN_F32},
    [CHIP_OP_ASINH] = {[TENSOR_F32] = ASINH_F32},
    [CHIP_OP_ATAN] = {[TENSOR_F32] = ATAN_F32},
    [CHIP_OP_ATANH] = {[TENSOR_F32] = ATANH_F32},
    [CHIP_OP_ERF] = {[TENSOR_F32] = ERF_F32},
    [CHIP_OP_ERFC] = {[TENSOR_F32] = ERFC_F32},
};

const kernel_binary_table_t KERNEL_ISA_NAME(kernel_math_binary) = {
    [CHIP_OP_POWER] = {[TENSOR_F32] = POWER_F32},
    [CHIP_OP_ATAN2] = {[TENSOR_F32] = ATAN2_F32},
};

const kernel_unary_table_t KERNEL_ISA_NAME(kernel_narrow_unary) = {
    [CHIP_OP_EXPONENTIAL] = {[TENSOR_F32] = NARROW_EXPONENTIAL_F32},
    [CHIP_OP_EXPONENTIAL_MINUS_ONE] = {[TENSOR_F32] = NARROW_EXPONENTIAL_MINUS_ONE_F32},
    [CHIP_OP_LOG] = {[TENSOR_F32] = NARROW_LOG_F32},
    [CHIP_OP_LOG_PLUS_ONE] = {[TENSOR_F32] = NARROW_LOG_PLUS_ONE_F32},
    [CHIP_OP_LOGISTIC] = {[TENSOR_F32] = NARROW_LOGISTIC_F32},
    [CHIP_OP_TANH] = {[TENSOR_F32] = NARROW_TANH_F32},
    [CHIP_OP_SINE] = {[TENSOR_F32] = NARROW_SINE_F32},
    [CHIP_OP_COSINE] = {[TENSOR_F32] = NARROW_COSINE_F32},
    [CHIP_OP_TAN] = {[TENSOR_F32] = NARROW_TAN_F32},
    [CHIP_OP_CBRT] = {[TENSOR_F32] = NARROW_CBRT_F32},
};

const kernel_binary_table_t KERNEL_ISA_NAME(kernel_narrow_binary) = {
    [CHIP_OP_POWER] = {[TENSOR_F32] = NARROW_POWER_F32},
    [CHIP_OP_ATAN2] = {[TENSOR_F32] = NARROW_ATAN2_F32},
};
