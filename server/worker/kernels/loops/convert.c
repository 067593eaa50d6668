// Conversions between the compute types, and between f32 and the 16-bit floats.

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "server/program/program.h"
#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/loops/isa.h"

// A float that becomes an integer is truncated; beyond the range it becomes the nearest
// end of it, and NaN becomes 0. The bounds are exact in f32 and f64. Narrow types go
// through int32, for which there are vector instructions.
#define SATURATED(x, target, through, low, above, smallest, largest) \
  ((x) >= (above)                                                    \
       ? (largest)                                                   \
       : ((x) <= (low) ? (smallest) : ((x) != (x) ? 0 : (target)(through)(x))))

#define FROM_INTEGER(from, type)                           \
  KERNEL_UNARY_LOOP(from##_to_S8, type, int8_t, type, x)   \
  KERNEL_UNARY_LOOP(from##_to_S16, type, int16_t, type, x) \
  KERNEL_UNARY_LOOP(from##_to_S32, type, int32_t, type, x) \
  KERNEL_UNARY_LOOP(from##_to_S64, type, int64_t, type, x) \
  KERNEL_UNARY_LOOP(from##_to_F32, type, float, type, x)   \
  KERNEL_UNARY_LOOP(from##_to_F64, type, double, type, x)  \
  KERNEL_UNARY_LOOP(from##_to_PRED, type, uint8_t, type, x != 0)

#define FROM_FLOAT(from, type)                                                           \
  KERNEL_UNARY_LOOP(                                                                     \
      from##_to_S8, type, int8_t, type,                                                  \
      SATURATED(x, int8_t, int32_t, (type)-0x1p7, (type)0x1p7, INT8_MIN, INT8_MAX))      \
  KERNEL_UNARY_LOOP(                                                                     \
      from##_to_S16, type, int16_t, type,                                                \
      SATURATED(x, int16_t, int32_t, (type)-0x1p15, (type)0x1p15, INT16_MIN, INT16_MAX)) \
  KERNEL_UNARY_LOOP(                                                                     \
      from##_to_S32, type, int32_t, type,                                                \
      SATURATED(x, int32_t, int32_t, (type)-0x1p31, (type)0x1p31, INT32_MIN, INT32_MAX)) \
  KERNEL_UNARY_LOOP(                                                                     \
      from##_to_S64, type, int64_t, type,                                                \
      SATURATED(x, int64_t, int64_t, (type)-0x1p63, (type)0x1p63, INT64_MIN, INT64_MAX)) \
  KERNEL_UNARY_LOOP(from##_to_U8, type, uint8_t, type,                                   \
                    SATURATED(x, uint8_t, int32_t, 0, (type)0x1p8, 0, UINT8_MAX))        \
  KERNEL_UNARY_LOOP(from##_to_U16, type, uint16_t, type,                                 \
                    SATURATED(x, uint16_t, int32_t, 0, (type)0x1p16, 0, UINT16_MAX))     \
  KERNEL_UNARY_LOOP(from##_to_U32, type, uint32_t, type,                                 \
                    SATURATED(x, uint32_t, uint32_t, 0, (type)0x1p32, 0, UINT32_MAX))    \
  KERNEL_UNARY_LOOP(from##_to_U64, type, uint64_t, type,                                 \
                    SATURATED(x, uint64_t, uint64_t, 0, (type)0x1p64, 0, UINT64_MAX))    \
  KERNEL_UNARY_LOOP(from##_to_PRED, type, uint8_t, type, x != 0)

FROM_INTEGER(S8, int8_t)
FROM_INTEGER(S16, int16_t)
FROM_INTEGER(S32, int32_t)
FROM_INTEGER(S64, int64_t)
FROM_INTEGER(U8, uint8_t)
FROM_INTEGER(U16, uint16_t)
FROM_INTEGER(U32, uint32_t)
FROM_INTEGER(U64, uint64_t)
FROM_FLOAT(F32, float)
FROM_FLOAT(F64, double)
KERNEL_UNARY_LOOP(F32_to_F64, float, double, float, x)
KERNEL_UNARY_LOOP(F64_to_F32, double, float, double, x)

// The low bits of an integer do not depend on the signedness of the target.
#define INTEGER_ROW(from)                                       \
  {                                                             \
    [TENSOR_PRED] = from##_to_PRED, [TENSOR_S8] = from##_to_S8, \
    [TENSOR_S16] = from##_to_S16, [TENSOR_S32] = from##_to_S32, \
    [TENSOR_S64] = from##_to_S64, [TENSOR_U8] = from##_to_S8,   \
    [TENSOR_U16] = from##_to_S16, [TENSOR_U32] = from##_to_S32, \
    [TENSOR_U64] = from##_to_S64, [TENSOR_F32] = from##_to_F32, \
    [TENSOR_F64] = from##_to_F64                                \
  }
#define FLOAT_ROW(from, other, other_loop)                      \
  {                                                             \
    [TENSOR_PRED] = from##_to_PRED, [TENSOR_S8] = from##_to_S8, \
    [TENSOR_S16] = from##_to_S16, [TENSOR_S32] = from##_to_S32, \
    [TENSOR_S64] = from##_to_S64, [TENSOR_U8] = from##_to_U8,   \
    [TENSOR_U16] = from##_to_U16, [TENSOR_U32] = from##_to_U32, \
    [TENSOR_U64] = from##_to_U64, [other] = other_loop          \
  }

const kernel_unary_fn_t KERNEL_ISA_NAME(
    kernel_convert)[TENSOR_DTYPE_COUNT][TENSOR_DTYPE_COUNT] = {
    [TENSOR_S8] = INTEGER_ROW(S8),
    [TENSOR_S16] = INTEGER_ROW(S16),
    [TENSOR_S32] = INTEGER_ROW(S32),
    [TENSOR_S64] = INTEGER_ROW(S64),
    [TENSOR_U8] = INTEGER_ROW(U8),
    [TENSOR_U16] = INTEGER_ROW(U16),
    [TENSOR_U32] = INTEGER_ROW(U32),
    [TENSOR_U64] = INTEGER_ROW(U64),
    [TENSOR_F32] = FLOAT_ROW(F32, TENSOR_F64, F32_to_F64),
    [TENSOR_F64] = FLOAT_ROW(F64, TENSOR_F32, F64_to_F32),
};

// ----- f32 rounded to odd -----

// When something is lost, the result is the neighbour with an odd last bit (Boldo and
// Melquiond 2008, "Emulation of FMA and correctly rounded sums").
// What f32 does not hold of the mantissa is cut off and remembered in its last bit; below
// the normal numbers, that is done in units of the least number.
static inline float to_odd(double x) {
  const uint64_t bits = bits_f64(x), lost = bits & 0x1fffffffu;
  const uint64_t odd = (bits ^ lost) | (lost != 0 ? UINT64_C(1) << 29 : 0);
  const double magnitude = from_bits_f64(bits & INT64_MAX);
  const double units = magnitude * 0x1p149;
  const int32_t whole = (int32_t)(units < 0x1p24 ? units : 0x1p24);
  const uint32_t tiny = (uint32_t)whole | ((double)whole != units);
  const uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000u;
  const float large = magnitude > (double)FLT_MAX && magnitude < (double)INFINITY
                          ? from_bits_f32(sign | 0x7f7fffffu)
                          : (float)from_bits_f64(odd);
  return magnitude < 0x1p-126 ? from_bits_f32(sign | tiny) : large;
}

// Of 32 bits the first 24 are exact in f32, and more than what is rounded to afterwards.
static inline float magnitude_to_odd(uint32_t x) {
  const uint32_t lost = x & 0xffu, odd = (x ^ lost) | (lost != 0 ? 0x100u : 0);
  const uint32_t kept = x >> 24 == 0 ? x : odd;
  return (float)(int32_t)(kept >> 1) * 2.0f + (float)(int32_t)(kept & 1u);
}

static inline float s32_to_odd(int32_t x) {
  const uint32_t magnitude = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
  const float result = magnitude_to_odd(magnitude);
  return x < 0 ? -result : result;
}

// 64-bit integers become odd doubles first; odd twice is odd once.
static inline double to_odd_double(uint64_t magnitude) {
  const uint64_t sticky = (magnitude & 0x7ffu) != 0 ? 0x800u : 0;
  const uint64_t top = (magnitude & ~(uint64_t)0x7ff) | sticky;
  return magnitude >> 53 == 0 ? (double)magnitude : (double)top;
}

static inline float signed_to_odd(int64_t x) {
  const double magnitude = to_odd_double(x < 0 ? 0u - (uint64_t)x : (uint64_t)x);
  return to_odd(x < 0 ? -magnitude : magnitude);
}

KERNEL_UNARY_LOOP(F64_to_odd, double, float, double, to_odd(x))
KERNEL_UNARY_LOOP(S32_to_odd, int32_t, float, double, s32_to_odd(x))
KERNEL_UNARY_LOOP(U32_to_odd, uint32_t, float, double, magnitude_to_odd(x))
KERNEL_UNARY_LOOP(S64_to_odd, int64_t, float, double, signed_to_odd(x))
KERNEL_UNARY_LOOP(U64_to_odd, uint64_t, float, double, to_odd(to_odd_double(x)))

const kernel_unary_fn_t KERNEL_ISA_NAME(kernel_to_odd)[TENSOR_DTYPE_COUNT] = {
    [TENSOR_F64] = F64_to_odd, [TENSOR_S32] = S32_to_odd, [TENSOR_U32] = U32_to_odd,
    [TENSOR_S64] = S64_to_odd, [TENSOR_U64] = U64_to_odd,
};

// ----- 16-bit floats -----

static inline uint16_t pack_bf16(float x) {
  const uint32_t bits = bits_f32(x);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40u;
  return (uint16_t)(x != x ? quiet : rounded);
}

// Normal numbers are rounded in the integer domain; subnormal ones by adding 0.5, which
// leaves their rounded bits at the end of the mantissa.
static inline uint16_t pack_f16(float x) {
  const uint32_t bits = bits_f32(x);
  const uint32_t magnitude = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;
  const uint32_t normal =
      (magnitude - ((127u - 15u) << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t subnormal = bits_f32(from_bits_f32(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t special =
      magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
  const uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
  return (uint16_t)(sign | (magnitude >= 0x47800000u ? special : finite));
}

static inline float unpack_f16(uint16_t x) {
  const uint32_t magnitude = ((uint32_t)x & 0x7fffu) << 13;
  const uint32_t sign = ((uint32_t)x & 0x8000u) << 16;
  const uint32_t rebased = magnitude + ((127u - 15u) << 23);
  const uint32_t is_nan = magnitude > (31u << 23) ? 1u : 0u;
  const uint32_t special = (rebased + ((128u - 16u) << 23)) | is_nan << 22;
  const uint32_t subnormal =
      bits_f32(from_bits_f32(rebased + (1u << 23)) - from_bits_f32(113u << 23));
  const uint32_t finite = magnitude < (1u << 23) ? subnormal : rebased;
  return from_bits_f32(sign | (magnitude >= (31u << 23) ? special : finite));
}

KERNEL_UNARY_LOOP(bf16_to_f32, uint16_t, float, uint16_t,
                  from_bits_f32((uint32_t)x << 16))
KERNEL_UNARY_LOOP(f32_to_bf16, float, uint16_t, float, pack_bf16(x))

// The same by instructions, a block at a time.
#if defined(__AVX512F__)
enum { F16_BLOCK = 16 };
typedef __m512 f16_block_t;

static inline f16_block_t load_f16(const uint16_t *in) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)in));
}

static inline void store_f16(f16_block_t x, uint16_t *out) {
  _mm256_storeu_si256((__m256i *)(void *)out,
                      _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__F16C__)
enum { F16_BLOCK = 8 };
typedef __m256 f16_block_t;

static inline f16_block_t load_f16(const uint16_t *in) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)in));
}

static inline void store_f16(f16_block_t x, uint16_t *out) {
  _mm_storeu_si128((__m128i *)(void *)out, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
#endif

// How many elements were converted.
static size_t unpack_many_f16(const uint16_t *in, float *out, size_t count) {
  size_t done = 0;
#if defined(__F16C__)
  for (; done + F16_BLOCK <= count; done += F16_BLOCK) {
    const f16_block_t x = load_f16(in + done);
    memcpy(out + done, &x, sizeof(x));
  }
#else
  (void)in, (void)out, (void)count;
#endif
  return done;
}

static size_t pack_many_f16(const float *in, uint16_t *out, size_t count) {
  size_t done = 0;
#if defined(__F16C__)
  for (; done + F16_BLOCK <= count; done += F16_BLOCK) {
    f16_block_t x;
    memcpy(&x, in + done, sizeof(x));
    store_f16(x, out + done);
  }
#else
  (void)in, (void)out, (void)count;
#endif
  return done;
}

KERNEL_UNARY_LOOP(unpack_rest_f16, uint16_t, float, uint16_t, unpack_f16(x))
KERNEL_UNARY_LOOP(pack_rest_f16, float, uint16_t, float, pack_f16(x))

// Two bf16 computed in f32 and rounded, without blocks in between.
#define BF16_LOOP(name, expression)                    \
  static inline uint16_t name##_of(float x, float y) { \
    return pack_bf16(expression);                      \
  }                                                    \
  KERNEL_BINARY_LOOP(                                  \
      name, uint16_t, uint16_t, uint16_t,              \
      name##_of(from_bits_f32((uint32_t)x << 16), from_bits_f32((uint32_t)y << 16)))

BF16_LOOP(add_bf16, x + y)
BF16_LOOP(multiply_bf16, x *y)

// Two f16 in the same way.
#if defined(__F16C__)
#define F16_BLOCKS(expression)                                        \
  for (; done + F16_BLOCK <= count; done += F16_BLOCK) {              \
    const f16_block_t x = load_f16(a + done), y = load_f16(b + done); \
    store_f16(expression, out + done);                                \
  }
#else
#define F16_BLOCKS(expression)
#endif

#define F16_LOOP(name, expression)                                            \
  static inline uint16_t name##_of(float x, float y) {                        \
    return pack_f16(expression);                                              \
  }                                                                           \
  KERNEL_BINARY_LOOP(name##_rest, uint16_t, uint16_t, uint16_t,               \
                     name##_of(unpack_f16(x), unpack_f16(y)))                 \
  static void name(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                   size_t count) {                                            \
    const uint16_t *a = a_bytes, *b = b_bytes;                                \
    uint16_t *out = out_bytes;                                                \
    size_t done = 0;                                                          \
    F16_BLOCKS(expression)                                                    \
    name##_rest(a + done, b + done, out + done, count - done);                \
  }

F16_LOOP(add_f16, x + y)
F16_LOOP(multiply_f16, x *y)

// The larger or smaller of two is one of them: their bits are compared as integers that
// are ordered as the values are, -0 below +0. NaN is made quiet, as by rounding.
static inline int16_t order_16(uint16_t x) {
  const int16_t bits = (int16_t)x;
  return (int16_t)(bits ^ ((bits >> 15) & INT16_MAX));
}

static inline uint16_t extreme_16(uint16_t x, uint16_t y, uint16_t chosen,
                                  uint16_t infinity, uint16_t quiet) {
  const uint16_t x_magnitude = x & 0x7fffu, y_magnitude = y & 0x7fffu;
  const uint16_t other = y_magnitude > infinity ? (uint16_t)(y | quiet) : chosen;
  return x_magnitude > infinity ? (uint16_t)(x | quiet) : other;
}

#define LARGER_16 (order_16(x) > order_16(y) ? x : y)
#define SMALLER_16 (order_16(x) < order_16(y) ? x : y)

KERNEL_BINARY_LOOP(maximum_bf16, uint16_t, uint16_t, uint16_t,
                   extreme_16(x, y, LARGER_16, 0x7f80u, 0x40u))
KERNEL_BINARY_LOOP(minimum_bf16, uint16_t, uint16_t, uint16_t,
                   extreme_16(x, y, SMALLER_16, 0x7f80u, 0x40u))
KERNEL_BINARY_LOOP(maximum_f16, uint16_t, uint16_t, uint16_t,
                   extreme_16(x, y, LARGER_16, 0x7c00u, 0x200u))
KERNEL_BINARY_LOOP(minimum_f16, uint16_t, uint16_t, uint16_t,
                   extreme_16(x, y, SMALLER_16, 0x7c00u, 0x200u))

const kernel_binary_fn_t KERNEL_ISA_NAME(kernel_f16_reducers)[KERNEL_REDUCERS] = {
    [CHIP_REDUCER_ADD] = add_f16,
    [CHIP_REDUCER_MULTIPLY] = multiply_f16,
    [CHIP_REDUCER_MAXIMUM] = maximum_f16,
    [CHIP_REDUCER_MINIMUM] = minimum_f16,
};

const kernel_binary_fn_t KERNEL_ISA_NAME(kernel_bf16_reducers)[KERNEL_REDUCERS] = {
    [CHIP_REDUCER_ADD] = add_bf16,
    [CHIP_REDUCER_MULTIPLY] = multiply_bf16,
    [CHIP_REDUCER_MAXIMUM] = maximum_bf16,
    [CHIP_REDUCER_MINIMUM] = minimum_bf16,
};

void KERNEL_ISA_NAME(kernel_bf16_to_f32)(const void *in, void *out, size_t count) {
  bf16_to_f32(in, out, count);
}

void KERNEL_ISA_NAME(kernel_f32_to_bf16)(const void *in, void *out, size_t count) {
  f32_to_bf16(in, out, count);
}

void KERNEL_ISA_NAME(kernel_f16_to_f32)(const void *in, void *out, size_t count) {
  const size_t done = unpack_many_f16(in, out, count);
  unpack_rest_f16((const uint16_t *)in + done, (float *)out + done, count - done);
}

void KERNEL_ISA_NAME(kernel_f32_to_f16)(const void *in, void *out, size_t count) {
  const size_t done = pack_many_f16(in, out, count);
  pack_rest_f16((const float *)in + done, (uint16_t *)out + done, count - done);
}
