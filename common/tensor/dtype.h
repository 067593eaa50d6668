// Element types, by StableHLO's names. The numbers are on the wire (podium.v1.DType):
// never reused, never reordered.
//
// Storage: dense little-endian. pred takes a byte (0 or 1). The types below 8 bits (s2,
// u2, s4, u4, f4, f6) take a byte per element on the host, value in the low bits,
// sign-extended for signed integers; tensor_dtype_device_bits says what they take in HBM.
// Complex elements are (real, imaginary).

#ifndef COMMON_TENSOR_DTYPE_H_
#define COMMON_TENSOR_DTYPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tensor_dtype_t {
  TENSOR_INVALID = 0,
  TENSOR_PRED = 1,
  TENSOR_S2 = 2,
  TENSOR_S4 = 3,
  TENSOR_S8 = 4,
  TENSOR_S16 = 5,
  TENSOR_S32 = 6,
  TENSOR_S64 = 7,
  TENSOR_U2 = 8,
  TENSOR_U4 = 9,
  TENSOR_U8 = 10,
  TENSOR_U16 = 11,
  TENSOR_U32 = 12,
  TENSOR_U64 = 13,
  TENSOR_F4E2M1FN = 14,
  TENSOR_F6E2M3FN = 15,
  TENSOR_F6E3M2FN = 16,
  TENSOR_F8E3M4 = 17,
  TENSOR_F8E4M3 = 18,
  TENSOR_F8E4M3FN = 19,
  TENSOR_F8E4M3FNUZ = 20,
  TENSOR_F8E4M3B11FNUZ = 21,
  TENSOR_F8E5M2 = 22,
  TENSOR_F8E5M2FNUZ = 23,
  TENSOR_F8E8M0FNU = 24,
  TENSOR_BF16 = 25,
  TENSOR_F16 = 26,
  TENSOR_F32 = 27,
  TENSOR_F64 = 28,
  TENSOR_C64 = 29,
  TENSOR_C128 = 30,
  TENSOR_DTYPE_COUNT = 31,
} tensor_dtype_t;

// Bytes of an element on the host: 1, 2, 4, 8 or 16. 0 for TENSOR_INVALID.
size_t tensor_dtype_bytes(tensor_dtype_t dtype);

// Bits of an element in HBM: 2, 4, 6, 8 (pred too), 16, 32, 64 or 128.
unsigned tensor_dtype_device_bits(tensor_dtype_t dtype);

// MLIR's spelling: "i1", "i32" (signed is signless), "ui8", "bf16", "f32",
// "complex<f32>". A literal; "invalid" for TENSOR_INVALID.
const char *tensor_dtype_mlir_name(tensor_dtype_t dtype);

// HLO's and JAX's short spelling: "pred", "s32", "u8", "bf16", "f32", "c64". A literal.
const char *tensor_dtype_name(tensor_dtype_t dtype);

// From either spelling; TENSOR_INVALID when it is none.
tensor_dtype_t tensor_dtype_parse(const char *text, size_t length);

bool tensor_dtype_is_float(tensor_dtype_t dtype);  // f4 … f64; not complex.
bool tensor_dtype_is_complex(tensor_dtype_t dtype);
bool tensor_dtype_is_signed(tensor_dtype_t dtype);    // s2 … s64.
bool tensor_dtype_is_unsigned(tensor_dtype_t dtype);  // u2 … u64; not pred.
bool tensor_dtype_is_integer(tensor_dtype_t dtype);   // Either of the two.

// One element read as double or int64, and written from it (rounded to nearest even once;
// an integer out of range keeps its low bits; NaN and infinity become integer 0). Reading
// a float as int64 truncates and saturates, NaN gives 0; u64 keeps its bits. A float that
// overflows becomes infinity, NaN where the type has none, or the largest number where it
// has neither. For parsers, printers and references;
// kernels have their own loops. `element` need not be aligned. Complex: the real part
// (imaginary 0 on writing).
double tensor_element_as_double(tensor_dtype_t dtype, const void *element);
int64_t tensor_element_as_int64(tensor_dtype_t dtype, const void *element);
void tensor_element_from_double(tensor_dtype_t dtype, double value, void *element);
void tensor_element_from_int64(tensor_dtype_t dtype, int64_t value, void *element);

// Bytes from elsewhere as they are stored here, in place: of integers below 8 bits the
// bits above count nothing (others keep there what they like, NumPy's int4 zeros), and
// any pred but 0 is 1. Other types stay as they are.
void tensor_elements_normalise(tensor_dtype_t dtype, void *elements, size_t count);

// bf16 is the upper half of an f32; rounding is to nearest even, NaN stays NaN (quiet).
static inline float tensor_bf16_to_f32(uint16_t bits) {
  union {
    uint32_t bits;
    float value;
  } word = {.bits = (uint32_t)bits << 16};
  return word.value;
}

static inline uint16_t tensor_f32_to_bf16(float value) {
  union {
    float value;
    uint32_t bits;
  } word = {.value = value};
  if ((word.bits & 0x7fffffffu) > 0x7f800000u) {
    return (uint16_t)((word.bits >> 16) | 0x40u);
  }
  return (uint16_t)((word.bits + 0x7fffu + ((word.bits >> 16) & 1u)) >> 16);
}

#endif  // COMMON_TENSOR_DTYPE_H_
