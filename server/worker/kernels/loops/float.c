// Arithmetic of f32 and f64, and comparisons of every compute type.

#include <float.h>
#include <math.h>
#include <string.h>

#include "server/program/program.h"
#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/loops/isa.h"

#define FLOAT_LOOPS(make, op, expression_f32, expression_f64) \
  make(op##_F32, float, float, float, expression_f32)         \
      make(op##_F64, double, double, double, expression_f64)

// Halves go away from zero. The difference to the truncated value is exact.
static inline float round_away_f32(float x) {
  const float whole = truncf(x);
  const float step = fabsf(x - whole) >= 0.5f ? 1.0f : 0.0f;
  return copysignf(fabsf(whole) + step, x);
}

static inline double round_away_f64(double x) {
  const double whole = trunc(x);
  const double step = fabs(x - whole) >= 0.5 ? 1.0 : 0.0;
  return copysign(fabs(whole) + step, x);
}

// x - trunc(x / y) y, in double. While the quotient has at most 28 bits it is the true
// one (two of 24 bits are no closer to a whole number than 2^-52 of it), its product with
// y has at most 52, and the difference is a float: exact, as fmodf is. A block in which
// it has more, or y is no finite number, goes the long way.
static void REMAINDER_F32(const void *a_bytes, const void *b_bytes, void *out_bytes,
                          size_t count) {
  enum { BLOCK = 256 };
  const float *a = a_bytes, *b = b_bytes;
  float *out = out_bytes;
  for (size_t done = 0; done < count; done += BLOCK) {
    const size_t part = count - done < BLOCK ? count - done : BLOCK;
    const float *x = a + done, *y = b + done;
    float rest[BLOCK];
    int far = 0;
    for (size_t i = 0; i < part; i++) {
      const double quotient = trunc((double)x[i] / (double)y[i]);
      far |= !(fabs(quotient) < 0x1p28) | !(fabsf(y[i]) <= FLT_MAX);
      rest[i] = copysignf((float)((double)x[i] - quotient * (double)y[i]), x[i]);
    }
    for (size_t i = 0; i < part && far != 0; i++) {
      rest[i] = fmodf(x[i], y[i]);
    }
    memcpy(out + done, rest, part * sizeof(rest[0]));
  }
}

FLOAT_LOOPS(KERNEL_BINARY_LOOP, ADD, x + y, x + y)
FLOAT_LOOPS(KERNEL_BINARY_LOOP, SUBTRACT, x - y, x - y)
FLOAT_LOOPS(KERNEL_BINARY_LOOP, MULTIPLY, x *y, x *y)
FLOAT_LOOPS(KERNEL_BINARY_LOOP, DIVIDE, x / y, x / y)
KERNEL_BINARY_LOOP(REMAINDER_F64, double, double, double, fmod(x, y))
FLOAT_LOOPS(KERNEL_BINARY_LOOP, MAXIMUM, maximum_f32(x, y), maximum_f64(x, y))
FLOAT_LOOPS(KERNEL_BINARY_LOOP, MINIMUM, minimum_f32(x, y), minimum_f64(x, y))

FLOAT_LOOPS(KERNEL_UNARY_LOOP, ABS, fabsf(x), fabs(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, NEGATE, -x, -x)
FLOAT_LOOPS(KERNEL_UNARY_LOOP, SIGN,
            x > 0   ? 1.0f
            : x < 0 ? -1.0f
                    : x,
            x > 0   ? 1.0
            : x < 0 ? -1.0
                    : x)
FLOAT_LOOPS(KERNEL_UNARY_LOOP, FLOOR, floorf(x), floor(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, CEIL, ceilf(x), ceil(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, ROUND_NEAREST_AFZ, round_away_f32(x), round_away_f64(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, ROUND_NEAREST_EVEN, rintf(x), rint(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, SQRT, sqrtf(x), sqrt(x))
FLOAT_LOOPS(KERNEL_UNARY_LOOP, RSQRT, 1.0f / sqrtf(x), 1.0 / sqrt(x))
KERNEL_UNARY_LOOP(IS_FINITE_F32, float, uint8_t, float, x - x == 0)
KERNEL_UNARY_LOOP(IS_FINITE_F64, double, uint8_t, double, x - x == 0)

#define BOTH(op) \
  { [TENSOR_F32] = op##_F32, [TENSOR_F64] = op##_F64 }

const kernel_binary_table_t KERNEL_ISA_NAME(kernel_float_binary) = {
    [CHIP_OP_ADD] = BOTH(ADD),
    [CHIP_OP_SUBTRACT] = BOTH(SUBTRACT),
    [CHIP_OP_MULTIPLY] = BOTH(MULTIPLY),
    [CHIP_OP_DIVIDE] = BOTH(DIVIDE),
    [CHIP_OP_REMAINDER] = BOTH(REMAINDER),
    [CHIP_OP_MAXIMUM] = BOTH(MAXIMUM),
    [CHIP_OP_MINIMUM] = BOTH(MINIMUM),
};

const kernel_unary_table_t KERNEL_ISA_NAME(kernel_float_unary) = {
    [CHIP_OP_ABS] = BOTH(ABS),
    [CHIP_OP_NEGATE] = BOTH(NEGATE),
    [CHIP_OP_SIGN] = BOTH(SIGN),
    [CHIP_OP_FLOOR] = BOTH(FLOOR),
    [CHIP_OP_CEIL] = BOTH(CEIL),
    [CHIP_OP_ROUND_NEAREST_AFZ] = BOTH(ROUND_NEAREST_AFZ),
    [CHIP_OP_ROUND_NEAREST_EVEN] = BOTH(ROUND_NEAREST_EVEN),
    [CHIP_OP_SQRT] = BOTH(SQRT),
    [CHIP_OP_RSQRT] = BOTH(RSQRT),
    [CHIP_OP_IS_FINITE] = BOTH(IS_FINITE),
};

// ----- comparisons -----

#define COMPARE_LOOPS(direction, expression)                                  \
  KERNEL_BINARY_LOOP(direction##_U8, uint8_t, uint8_t, uint8_t, expression)   \
  KERNEL_BINARY_LOOP(direction##_U16, uint16_t, uint8_t, uint8_t, expression) \
  KERNEL_BINARY_LOOP(direction##_U32, uint32_t, uint8_t, uint8_t, expression) \
  KERNEL_BINARY_LOOP(direction##_U64, uint64_t, uint8_t, uint8_t, expression) \
  KERNEL_BINARY_LOOP(direction##_S8, int8_t, uint8_t, uint8_t, expression)    \
  KERNEL_BINARY_LOOP(direction##_S16, int16_t, uint8_t, uint8_t, expression)  \
  KERNEL_BINARY_LOOP(direction##_S32, int32_t, uint8_t, uint8_t, expression)  \
  KERNEL_BINARY_LOOP(direction##_S64, int64_t, uint8_t, uint8_t, expression)  \
  KERNEL_BINARY_LOOP(direction##_F32, float, uint8_t, uint8_t, expression)    \
  KERNEL_BINARY_LOOP(direction##_F64, double, uint8_t, uint8_t, expression)

COMPARE_LOOPS(EQ, x == y)
COMPARE_LOOPS(NE, x != y)
COMPARE_LOOPS(GE, x >= y)
COMPARE_LOOPS(GT, x > y)
COMPARE_LOOPS(LE, x <= y)
COMPARE_LOOPS(LT, x < y)

#define COMPARE_ROW(direction)                                      \
  {                                                                 \
    [TENSOR_U8] = direction##_U8, [TENSOR_U16] = direction##_U16,   \
    [TENSOR_U32] = direction##_U32, [TENSOR_U64] = direction##_U64, \
    [TENSOR_S8] = direction##_S8, [TENSOR_S16] = direction##_S16,   \
    [TENSOR_S32] = direction##_S32, [TENSOR_S64] = direction##_S64, \
    [TENSOR_F32] = direction##_F32, [TENSOR_F64] = direction##_F64  \
  }

const kernel_binary_fn_t KERNEL_ISA_NAME(
    kernel_compare)[KERNEL_DIRECTIONS][TENSOR_DTYPE_COUNT] = {
    [CHIP_COMPARISON_EQ] = COMPARE_ROW(EQ), [CHIP_COMPARISON_NE] = COMPARE_ROW(NE),
    [CHIP_COMPARISON_GE] = COMPARE_ROW(GE), [CHIP_COMPARISON_GT] = COMPARE_ROW(GT),
    [CHIP_COMPARISON_LE] = COMPARE_ROW(LE), [CHIP_COMPARISON_LT] = COMPARE_ROW(LT),
};

// Negative floats grow downwards as their bits grow: all bits but the sign are turned.
KERNEL_UNARY_LOOP(key_f32, int32_t, int32_t, int32_t, x ^ ((x >> 31) & INT32_MAX))
KERNEL_UNARY_LOOP(key_f64, int64_t, int64_t, int64_t, x ^ ((x >> 63) & INT64_MAX))

const kernel_unary_fn_t KERNEL_ISA_NAME(kernel_total_order)[TENSOR_DTYPE_COUNT] = {
    [TENSOR_F32] = key_f32,
    [TENSOR_F64] = key_f64,
};

// ----- reduce_precision -----

// As reduce_bits in bits.c has it, without branches. What is rounded to `high` and above
// is infinite, what is below `low` is zero.
#define PRECISION_LOOP(name, type, exponents, fraction)                                  \
  static void name(const void *in_bytes, void *out_bytes, size_t count,                  \
                   int64_t exponent, int64_t mantissa) {                                 \
    const type *in = in_bytes;                                                           \
    type *out = out_bytes;                                                               \
    const type one = 1, sign_bit = (type)(one << (fraction + exponents));                \
    const type infinity = (type)(sign_bit - (type)(one << fraction));                    \
    const unsigned dropped = mantissa < fraction ? (unsigned)(fraction - mantissa) : 0;  \
    const type even = dropped > 0;                                                       \
    const type half = (type)(dropped > 0 ? (type)(one << (dropped - 1)) - 1 : 0);        \
    const type kept = (type) ~(type)((type)(one << dropped) - 1);                        \
    const type nan_bits = mantissa > 0 ? (type) ~(type)0 : infinity;                     \
    const type bias = (type)((one << (exponents - 1)) - 1);                              \
    const type reduced = (type)(exponent < exponents ? (one << (exponent - 1)) - 1 : 0); \
    const type low =                                                                     \
        (type)(exponent < exponents ? (type)(bias - reduced + 1) << fraction : 0);       \
    const type high =                                                                    \
        (type)(exponent < exponents ? (type)(bias + reduced + 1) << fraction             \
                                    : sign_bit);                                         \
    KERNEL_INDEPENDENT                                                                   \
    for (size_t i = 0; i < count; i++) {                                                 \
      const type sign = in[i] & sign_bit, bits = in[i] ^ sign;                           \
      const type rounded =                                                               \
          (type)(bits + half + ((type)(bits >> dropped) & even)) & kept;                 \
      const type small = rounded < low ? 0 : rounded;                                    \
      const type finite = rounded >= high ? infinity : small;                            \
      out[i] = sign | (bits >= infinity ? (type)(bits & nan_bits) : finite);             \
    }                                                                                    \
  }

PRECISION_LOOP(precision_f16, uint16_t, 5, 10)
PRECISION_LOOP(precision_bf16, uint16_t, 8, 7)
PRECISION_LOOP(precision_f32, uint32_t, 8, 23)
PRECISION_LOOP(precision_f64, uint64_t, 11, 52)

const kernel_precision_fn_t KERNEL_ISA_NAME(kernel_precision)[TENSOR_DTYPE_COUNT] = {
    [TENSOR_F16] = precision_f16,
    [TENSOR_BF16] = precision_bf16,
    [TENSOR_F32] = precision_f32,
    [TENSOR_F64] = precision_f64,
};
