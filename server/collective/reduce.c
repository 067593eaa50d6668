#include "server/collective/reduce.h"

#include <math.h>
#include <stddef.h>

#include "common/base/check.h"

// The loops are compiled once for every x86-64 and once for AVX2, chosen when the program
// starts. Sanitizers and ifunc resolvers do not go together.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define KERNEL
#endif

#if defined(__clang__)
#define NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_DEPENDENCE _Pragma("GCC ivdep")
#endif

// A kernel `name` over elements of `type`: EXPRESSION combines a and b. `target` is `a`,
// `b` or apart from both, so no iteration depends on another.
#define RAW_LOOP(name, type, EXPRESSION)                                     \
  KERNEL static void name(void *target, const void *left, const void *right, \
                          int64_t count) {                                   \
    type *t = target;                                                        \
    const type *l = left;                                                    \
    const type *r = right;                                                   \
    NO_DEPENDENCE for (int64_t i = 0; i < count; i++) {                      \
      const type a = l[i];                                                   \
      const type b = r[i];                                                   \
      t[i] = EXPRESSION;                                                     \
    }                                                                        \
  }
#define LOOP(name, type, EXPRESSION) RAW_LOOP(name, type, (type)(EXPRESSION))

// Integers are added and multiplied as unsigned: they wrap.
#define ARITHMETIC(bits)                                \
  LOOP(add_##bits, uint##bits##_t, (uint64_t)a + b)     \
  LOOP(multiply_##bits, uint##bits##_t, (uint64_t)a *b) \
  LOOP(and_##bits, uint##bits##_t, a &b)                \
  LOOP(or_##bits, uint##bits##_t, a | b)                \
  LOOP(xor_##bits, uint##bits##_t, a ^ b)               \
  LOOP(max_s##bits, int##bits##_t, a > b ? a : b)       \
  LOOP(min_s##bits, int##bits##_t, a < b ? a : b)       \
  LOOP(max_u##bits, uint##bits##_t, a > b ? a : b)      \
  LOOP(min_u##bits, uint##bits##_t, a < b ? a : b)

ARITHMETIC(8)
ARITHMETIC(16)
ARITHMETIC(32)
ARITHMETIC(64)

// s2, u2, s4, u4: a byte each; the low bits count, sign-extended when signed.
static inline int8_t sign_extend(unsigned value, unsigned bits) {
  const unsigned sign = 1u << (bits - 1);
  const unsigned low = value & ((1u << bits) - 1);
  return (int8_t)((int)(low ^ sign) - (int)sign);
}
LOOP(add_s4, int8_t, sign_extend((unsigned)(a + b), 4))
LOOP(multiply_s4, int8_t, sign_extend((unsigned)(a *b), 4))
LOOP(add_s2, int8_t, sign_extend((unsigned)(a + b), 2))
LOOP(multiply_s2, int8_t, sign_extend((unsigned)(a *b), 2))
LOOP(add_u4, uint8_t, (a + b) & 15)
LOOP(multiply_u4, uint8_t, (a * b) & 15)
LOOP(add_u2, uint8_t, (a + b) & 3)
LOOP(multiply_u2, uint8_t, (a * b) & 3)

// A NaN wins; equal numbers differ at most in the sign of zero.
#define PICK(name, type)                             \
  static inline type max_of_##name(type a, type b) { \
    const type larger = a > b ? a : b;               \
    const type equal = signbit(a) ? b : a;           \
    const type number = a == b ? equal : larger;     \
    return a != a ? a : (b != b ? b : number);       \
  }                                                  \
  static inline type min_of_##name(type a, type b) { \
    const type smaller = a < b ? a : b;              \
    const type equal = signbit(a) ? a : b;           \
    const type number = a == b ? equal : smaller;    \
    return a != a ? a : (b != b ? b : number);       \
  }
PICK(f32, float)
PICK(f64, double)

LOOP(add_f32, float, a + b)
LOOP(multiply_f32, float, a *b)
LOOP(max_f32, float, max_of_f32(a, b))
LOOP(min_f32, float, min_of_f32(a, b))
LOOP(add_f64, double, a + b)
LOOP(multiply_f64, double, a *b)
LOOP(max_f64, double, max_of_f64(a, b))
LOOP(min_f64, double, min_of_f64(a, b))

// As tensor_f32_to_bf16, in a form without branches, which the compiler can vectorise.
static inline uint16_t round_to_bf16(float value) {
  union {
    float value;
    uint32_t bits;
  } word = {.value = value};
  const uint32_t nan = (word.bits >> 16) | 0x40u;
  const uint32_t rounded = (word.bits + 0x7fffu + ((word.bits >> 16) & 1u)) >> 16;
  return (uint16_t)((word.bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

#define BF16(function) \
  round_to_bf16(function(tensor_bf16_to_f32(a), tensor_bf16_to_f32(b)))
LOOP(add_bf16, uint16_t, round_to_bf16(tensor_bf16_to_f32(a) + tensor_bf16_to_f32(b)))
LOOP(multiply_bf16, uint16_t,
     round_to_bf16(tensor_bf16_to_f32(a) * tensor_bf16_to_f32(b)))
LOOP(max_bf16, uint16_t, BF16(max_of_f32))
LOOP(min_bf16, uint16_t, BF16(min_of_f32))

// f16 by integer arithmetic, without branches. Upwards: moving the exponent by a product
// turns subnormals into normal numbers on the way; infinities and NaN get the exponent
// that the product does not give them. Downwards: subnormals are rounded by an addition
// whose last place is theirs, the others by hand, to nearest even.
typedef union word_t {
  float value;
  uint32_t bits;
} word_t;

static inline float widen_f16(uint16_t half) {
  const word_t shift = {.bits = (127 + 112) << 23};
  word_t word = {.bits = (uint32_t)(half & 0x7fff) << 13};
  word.value *= shift.value;
  word.bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
  word.bits |= (uint32_t)(half & 0x8000) << 16;
  return word.value;
}

static inline uint16_t round_to_f16(float value) {
  const word_t last_place = {.bits = (127 - 15 + 23 - 10 + 1) << 23};
  word_t word = {.value = value};
  const uint32_t sign = word.bits >> 16 & 0x8000;
  word.bits &= 0x7fffffff;
  word_t small = word;
  small.value += last_place.value;
  const uint32_t subnormal = small.bits - last_place.bits;
  const uint32_t normal =
      (word.bits - (112u << 23) + 0xfff + (word.bits >> 13 & 1)) >> 13;
  const uint32_t beyond = word.bits > 0x7f800000 ? 0x7e00 : 0x7c00;
  const uint32_t finite = word.bits < 113u << 23 ? subnormal : normal;
  return (uint16_t)(sign | (word.bits >= 143u << 23 ? beyond : finite));
}

#define F16(function) round_to_f16(function(widen_f16(a), widen_f16(b)))
LOOP(add_f16, uint16_t, round_to_f16(widen_f16(a) + widen_f16(b)))
LOOP(multiply_f16, uint16_t, round_to_f16(widen_f16(a) * widen_f16(b)))
LOOP(max_f16, uint16_t, F16(max_of_f32))
LOOP(min_f16, uint16_t, F16(min_of_f32))

typedef struct c64_t {
  float re, im;
} c64_t;

typedef struct c128_t {
  double re, im;
} c128_t;

RAW_LOOP(add_c64, c64_t, ((c64_t){a.re + b.re, a.im + b.im}))
RAW_LOOP(multiply_c64, c64_t,
         ((c64_t){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re}))
RAW_LOOP(add_c128, c128_t, ((c128_t){a.re + b.re, a.im + b.im}))
RAW_LOOP(multiply_c128, c128_t,
         ((c128_t){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re}))

// In the order of the real parts, then of the imaginary parts; -0 is below +0. A NaN
// wins.
#define PICK_COMPLEX(name)                                                              \
  static inline bool is_above_##name(name##_t a, name##_t b) {                          \
    const int a_signs = 2 * (signbit(a.re) != 0) + (signbit(a.im) != 0);                \
    const int b_signs = 2 * (signbit(b.re) != 0) + (signbit(b.im) != 0);                \
    return a.re != b.re ? a.re > b.re : a.im != b.im ? a.im > b.im : a_signs < b_signs; \
  }                                                                                     \
  static inline bool is_nan_##name(name##_t a) {                                        \
    return a.re != a.re || a.im != a.im;                                                \
  }                                                                                     \
  static inline name##_t max_of_##name(name##_t a, name##_t b) {                        \
    return is_nan_##name(a) || (!is_nan_##name(b) && is_above_##name(a, b)) ? a : b;    \
  }                                                                                     \
  static inline name##_t min_of_##name(name##_t a, name##_t b) {                        \
    return is_nan_##name(a) || (!is_nan_##name(b) && is_above_##name(b, a)) ? a : b;    \
  }
PICK_COMPLEX(c64)
PICK_COMPLEX(c128)
RAW_LOOP(max_c64, c64_t, max_of_c64(a, b))
RAW_LOOP(min_c64, c64_t, min_of_c64(a, b))
RAW_LOOP(max_c128, c128_t, max_of_c128(a, b))
RAW_LOOP(min_c128, c128_t, min_of_c128(a, b))

// pred holds 0 or 1, but any other byte counts as true.
LOOP(or_pred, uint8_t, (a | b) != 0)
LOOP(and_pred, uint8_t, a != 0 && b != 0)
LOOP(xor_pred, uint8_t, (a != 0) != (b != 0))

typedef void (*kernel_fn_t)(void *target, const void *a, const void *b, int64_t count);

enum { REDUCER_COUNT = CHIP_REDUCER_XOR + 1 };

#define INTEGER(kind, bits)                                                     \
  {                                                                             \
    [CHIP_REDUCER_ADD] = add_##bits, [CHIP_REDUCER_MULTIPLY] = multiply_##bits, \
    [CHIP_REDUCER_MAXIMUM] = max_##kind##bits,                                  \
    [CHIP_REDUCER_MINIMUM] = min_##kind##bits, [CHIP_REDUCER_AND] = and_##bits, \
    [CHIP_REDUCER_OR] = or_##bits, [CHIP_REDUCER_XOR] = xor_##bits              \
  }
// Sign extension commutes with and, or, xor, and with comparison.
#define SMALL_INTEGER(kind, bits)                                                    \
  {                                                                                  \
    [CHIP_REDUCER_ADD] = add_##kind##bits,                                           \
    [CHIP_REDUCER_MULTIPLY] = multiply_##kind##bits,                                 \
    [CHIP_REDUCER_MAXIMUM] = max_##kind##8, [CHIP_REDUCER_MINIMUM] = min_##kind##8,  \
    [CHIP_REDUCER_AND] = and_8, [CHIP_REDUCER_OR] = or_8, [CHIP_REDUCER_XOR] = xor_8 \
  }
#define FLOAT(name)                                                             \
  {                                                                             \
    [CHIP_REDUCER_ADD] = add_##name, [CHIP_REDUCER_MULTIPLY] = multiply_##name, \
    [CHIP_REDUCER_MAXIMUM] = max_##name, [CHIP_REDUCER_MINIMUM] = min_##name    \
  }

static const kernel_fn_t kernels[TENSOR_DTYPE_COUNT][REDUCER_COUNT] = {
    [TENSOR_PRED] = {[CHIP_REDUCER_ADD] = or_pred,
                     [CHIP_REDUCER_MULTIPLY] = and_pred,
                     [CHIP_REDUCER_MAXIMUM] = or_pred,
                     [CHIP_REDUCER_MINIMUM] = and_pred,
                     [CHIP_REDUCER_AND] = and_pred,
                     [CHIP_REDUCER_OR] = or_pred,
                     [CHIP_REDUCER_XOR] = xor_pred},
    [TENSOR_S2] = SMALL_INTEGER(s, 2),
    [TENSOR_S4] = SMALL_INTEGER(s, 4),
    [TENSOR_U2] = SMALL_INTEGER(u, 2),
    [TENSOR_U4] = SMALL_INTEGER(u, 4),
    [TENSOR_S8] = INTEGER(s, 8),
    [TENSOR_S16] = INTEGER(s, 16),
    [TENSOR_S32] = INTEGER(s, 32),
    [TENSOR_S64] = INTEGER(s, 64),
    [TENSOR_U8] = INTEGER(u, 8),
    [TENSOR_U16] = INTEGER(u, 16),
    [TENSOR_U32] = INTEGER(u, 32),
    [TENSOR_U64] = INTEGER(u, 64),
    [TENSOR_BF16] = FLOAT(bf16),
    [TENSOR_F16] = FLOAT(f16),
    [TENSOR_F32] = FLOAT(f32),
    [TENSOR_F64] = FLOAT(f64),
    [TENSOR_C64] = FLOAT(c64),
    [TENSOR_C128] = FLOAT(c128),
};

// The 8-bit floats and smaller: an element at a time, in double, rounded once. f32 would
// do for all of them; the readers and writers that exist speak double.
static bool is_tiny_float(tensor_dtype_t dtype) {
  return tensor_dtype_is_float(dtype) && tensor_dtype_bytes(dtype) == 1;
}

static double combine(chip_reducer_t reducer, double a, double b) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return a + b;
    case CHIP_REDUCER_MULTIPLY:
      return a * b;
    case CHIP_REDUCER_MAXIMUM:
      return max_of_f64(a, b);
    default:
      return min_of_f64(a, b);
  }
}

static void reduce_tiny_floats(chip_reducer_t reducer, tensor_dtype_t dtype,
                               uint8_t *target, const uint8_t *a, const uint8_t *b,
                               int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    const double value = combine(reducer, tensor_element_as_double(dtype, a + i),
                                 tensor_element_as_double(dtype, b + i));
    tensor_element_from_double(dtype, value, target + i);
  }
}

bool collective_reduce_supports(chip_reducer_t reducer, tensor_dtype_t dtype) {
  if (reducer <= CHIP_REDUCER_NONE || reducer > CHIP_REDUCER_XOR ||
      dtype <= TENSOR_INVALID || dtype >= TENSOR_DTYPE_COUNT) {
    return false;
  }
  return kernels[dtype][reducer] != NULL ||
         (is_tiny_float(dtype) && reducer <= CHIP_REDUCER_MINIMUM);
}

void collective_reduce(chip_reducer_t reducer, tensor_dtype_t dtype, void *target,
                       const void *a, const void *b, int64_t count) {
  POD_CHECK(collective_reduce_supports(reducer, dtype));
  const kernel_fn_t kernel = kernels[dtype][reducer];
  if (kernel == NULL) {
    reduce_tiny_floats(reducer, dtype, target, a, b, count);
    return;
  }
  kernel(target, a, b, count);
}
