// Integer arithmetic and logic. Sums, products and shifts to the left have the same bits
// for signed and unsigned types, so only the unsigned loops exist for them.

#include "server/worker/kernels/loops/isa.h"

#define BITS(type) ((unsigned)(8 * sizeof(type)))

#define UNSIGNED_LOOPS(make, op, expression)                       \
  make(op##_U8, uint8_t, uint8_t, uint32_t, expression)            \
      make(op##_U16, uint16_t, uint16_t, uint32_t, expression)     \
          make(op##_U32, uint32_t, uint32_t, uint32_t, expression) \
              make(op##_U64, uint64_t, uint64_t, uint64_t, expression)

#define SIGNED_LOOPS(make, op, expression)                       \
  make(op##_S8, int8_t, int8_t, uint32_t, expression)            \
      make(op##_S16, int16_t, int16_t, uint32_t, expression)     \
          make(op##_S32, int32_t, int32_t, uint32_t, expression) \
              make(op##_S64, int64_t, int64_t, uint64_t, expression)

// A division by zero gives all ones, and -2^(bits-1) / -1 wraps around, as XLA has it.

#define UNSIGNED_POWER(bits)                                                \
  static uint##bits##_t power_u##bits(uint##bits##_t x, uint##bits##_t y) { \
    uint64_t result = 1, base = x;                                          \
    for (; y != 0; y = (uint##bits##_t)(y >> 1)) {                          \
      result *= (y & 1u) != 0 ? base : 1u;                                  \
      base *= base;                                                         \
    }                                                                       \
    return (uint##bits##_t)result;                                          \
  }
UNSIGNED_POWER(8)
UNSIGNED_POWER(16)
UNSIGNED_POWER(32)
UNSIGNED_POWER(64)

// A negative exponent leaves 0, but for the bases 1 and -1.
#define SIGNED_POWER(bits)                                                       \
  static int##bits##_t power_s##bits(int##bits##_t x, int##bits##_t y) {         \
    if (y >= 0) {                                                                \
      return (int##bits##_t)power_u##bits((uint##bits##_t)x, (uint##bits##_t)y); \
    }                                                                            \
    return (int##bits##_t)(x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0);  \
  }
SIGNED_POWER(8)
SIGNED_POWER(16)
SIGNED_POWER(32)
SIGNED_POWER(64)

// Of numbers of 8 bits: a quotient in f32 is never rounded to the next integer, from
// which it is at least 1/255 away.
static inline int32_t quotient(int32_t x, int32_t y) {
  return (int32_t)((float)x / (float)(y == 0 ? 1 : y));
}

UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, ADD, (wide)x + (wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, SUBTRACT, (wide)x - (wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, MULTIPLY, (wide)x *(wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, AND, (wide)x &(wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, OR, (wide)x | (wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, XOR, (wide)x ^ (wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, SHIFT_LEFT, y < BITS(x) ? (wide)x << y : 0)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, SHIFT_RIGHT_LOGICAL, y < BITS(x) ? (wide)x >> y : 0)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, MAXIMUM, x > y ? x : y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, MINIMUM, x < y ? x : y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, DIVIDE,
               y == 0           ? ~(wide)0
               : sizeof(x) == 1 ? (wide)quotient((int32_t)x, (int32_t)y)
                                : (wide)x / (wide)y)
UNSIGNED_LOOPS(KERNEL_BINARY_LOOP, REMAINDER,
               y == 0 ? (wide)x
               : sizeof(x) == 1
                   ? (wide)x - (wide)(quotient((int32_t)x, (int32_t)y) * (int32_t)y)
                   : (wide)x % (wide)y)
SIGNED_LOOPS(KERNEL_BINARY_LOOP, MAXIMUM, x > y ? x : y)
SIGNED_LOOPS(KERNEL_BINARY_LOOP, MINIMUM, x < y ? x : y)
SIGNED_LOOPS(KERNEL_BINARY_LOOP, DIVIDE,
             y == 0           ? ~(wide)0
             : sizeof(x) == 1 ? (wide)quotient((int32_t)x, (int32_t)y)
             : y == -1        ? (wide)0 - (wide)x
                              : (wide)(x / y))
SIGNED_LOOPS(KERNEL_BINARY_LOOP, REMAINDER,
             y == 0           ? x
             : sizeof(x) == 1 ? (int32_t)x - quotient((int32_t)x, (int32_t)y) * (int32_t)y
             : y == -1        ? 0
                              : x % y)
// The amount is taken as unsigned, so that a negative one is too large too.
SIGNED_LOOPS(KERNEL_BINARY_LOOP, SHIFT_RIGHT_ARITHMETIC,
             x >> (y >= 0 && (wide)y < BITS(x) ? (wide)y : BITS(x) - 1))

KERNEL_BINARY_LOOP(POWER_U8, uint8_t, uint8_t, uint8_t, power_u8(x, y))
KERNEL_BINARY_LOOP(POWER_U16, uint16_t, uint16_t, uint16_t, power_u16(x, y))
KERNEL_BINARY_LOOP(POWER_U32, uint32_t, uint32_t, uint32_t, power_u32(x, y))
KERNEL_BINARY_LOOP(POWER_U64, uint64_t, uint64_t, uint64_t, power_u64(x, y))
KERNEL_BINARY_LOOP(POWER_S8, int8_t, int8_t, int8_t, power_s8(x, y))
KERNEL_BINARY_LOOP(POWER_S16, int16_t, int16_t, int16_t, power_s16(x, y))
KERNEL_BINARY_LOOP(POWER_S32, int32_t, int32_t, int32_t, power_s32(x, y))
KERNEL_BINARY_LOOP(POWER_S64, int64_t, int64_t, int64_t, power_s64(x, y))

UNSIGNED_LOOPS(KERNEL_UNARY_LOOP, NEGATE, (wide)0 - (wide)x)
UNSIGNED_LOOPS(KERNEL_UNARY_LOOP, NOT, ~(wide)x)
UNSIGNED_LOOPS(KERNEL_UNARY_LOOP, POPCNT, __builtin_popcountll(x))
UNSIGNED_LOOPS(KERNEL_UNARY_LOOP, COUNT_LEADING_ZEROS,
               x == 0 ? BITS(x) : (unsigned)__builtin_clzll(x) - (64u - BITS(x)))
SIGNED_LOOPS(KERNEL_UNARY_LOOP, ABS, x < 0 ? (wide)0 - (wide)x : (wide)x)
SIGNED_LOOPS(KERNEL_UNARY_LOOP, SIGN, (x > 0) - (x < 0))

#define SAME_BITS(op)                                                        \
  {                                                                          \
    [TENSOR_U8] = op##_U8, [TENSOR_U16] = op##_U16, [TENSOR_U32] = op##_U32, \
    [TENSOR_U64] = op##_U64, [TENSOR_S8] = op##_U8, [TENSOR_S16] = op##_U16, \
    [TENSOR_S32] = op##_U32, [TENSOR_S64] = op##_U64                         \
  }
#define OWN_BITS(op)                                                         \
  {                                                                          \
    [TENSOR_U8] = op##_U8, [TENSOR_U16] = op##_U16, [TENSOR_U32] = op##_U32, \
    [TENSOR_U64] = op##_U64, [TENSOR_S8] = op##_S8, [TENSOR_S16] = op##_S16, \
    [TENSOR_S32] = op##_S32, [TENSOR_S64] = op##_S64                         \
  }
#define SIGNED_BITS(op)                                                      \
  {                                                                          \
    [TENSOR_U8] = op##_S8, [TENSOR_U16] = op##_S16, [TENSOR_U32] = op##_S32, \
    [TENSOR_U64] = op##_S64, [TENSOR_S8] = op##_S8, [TENSOR_S16] = op##_S16, \
    [TENSOR_S32] = op##_S32, [TENSOR_S64] = op##_S64                         \
  }
#define ONLY_SIGNED(op)                                                      \
  {                                                                          \
    [TENSOR_S8] = op##_S8, [TENSOR_S16] = op##_S16, [TENSOR_S32] = op##_S32, \
    [TENSOR_S64] = op##_S64                                                  \
  }

const kernel_binary_table_t KERNEL_ISA_NAME(kernel_integer_binary) = {
    [CHIP_OP_ADD] = SAME_BITS(ADD),
    [CHIP_OP_SUBTRACT] = SAME_BITS(SUBTRACT),
    [CHIP_OP_MULTIPLY] = SAME_BITS(MULTIPLY),
    [CHIP_OP_AND] = SAME_BITS(AND),
    [CHIP_OP_OR] = SAME_BITS(OR),
    [CHIP_OP_XOR] = SAME_BITS(XOR),
    [CHIP_OP_SHIFT_LEFT] = SAME_BITS(SHIFT_LEFT),
    [CHIP_OP_SHIFT_RIGHT_LOGICAL] = SAME_BITS(SHIFT_RIGHT_LOGICAL),
    [CHIP_OP_SHIFT_RIGHT_ARITHMETIC] = SIGNED_BITS(SHIFT_RIGHT_ARITHMETIC),
    [CHIP_OP_MAXIMUM] = OWN_BITS(MAXIMUM),
    [CHIP_OP_MINIMUM] = OWN_BITS(MINIMUM),
    [CHIP_OP_DIVIDE] = OWN_BITS(DIVIDE),
    [CHIP_OP_REMAINDER] = OWN_BITS(REMAINDER),
    [CHIP_OP_POWER] = OWN_BITS(POWER),
};

const kernel_unary_table_t KERNEL_ISA_NAME(kernel_integer_unary) = {
    [CHIP_OP_NEGATE] = SAME_BITS(NEGATE),
    [CHIP_OP_NOT] = SAME_BITS(NOT),
    [CHIP_OP_POPCNT] = SAME_BITS(POPCNT),
    [CHIP_OP_COUNT_LEADING_ZEROS] = SAME_BITS(COUNT_LEADING_ZEROS),
    [CHIP_OP_ABS] = ONLY_SIGNED(ABS),
    [CHIP_OP_SIGN] = ONLY_SIGNED(SIGN),
};
