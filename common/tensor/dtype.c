// Narrow floats are read to double, which holds all of them exactly, and rounded once,
// to nearest even, from the significand as an integer: subnormals and carries into the
// exponent need no case of their own. Formats of 8 bits and less: OCP 8-bit and
// Microscaling specifications, and StableHLO's RFC of the fnuz types.

#include "common/tensor/dtype.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"

typedef enum class_t { NONE, BOOLEAN, SIGNED, UNSIGNED, FLOAT, COMPLEX } class_t;

// What stands above the largest finite number of a float type.
typedef enum specials_t {
  IEEE,          // Infinities, then NaNs.
  NAN_ONLY,      // All ones is NaN; what overflows becomes NaN.
  UNSIGNED_NAN,  // The pattern of -0 is NaN ("fnuz"); what overflows becomes NaN.
  FINITE_ONLY,   // What overflows becomes the largest number; NaN becomes -0.
} specials_t;

typedef struct dtype_row_t {
  const char *name, *mlir_name;
  class_t class;
  uint8_t host_bytes, device_bits;
  // Only for floats of at most 16 bits.
  uint8_t mantissa_bits;
  int16_t bias;
  uint16_t max_finite;  // Bits of the largest finite number.
  specials_t specials;
} dtype_row_t;

static const dtype_row_t rows[TENSOR_DTYPE_COUNT] = {
    [TENSOR_INVALID] = {"invalid", "invalid", NONE, 0, 0, 0, 0, 0, 0},
    [TENSOR_PRED] = {"pred", "i1", BOOLEAN, 1, 8, 0, 0, 0, 0},
    [TENSOR_S2] = {"s2", "i2", SIGNED, 1, 2, 0, 0, 0, 0},
    [TENSOR_S4] = {"s4", "i4", SIGNED, 1, 4, 0, 0, 0, 0},
    [TENSOR_S8] = {"s8", "i8", SIGNED, 1, 8, 0, 0, 0, 0},
    [TENSOR_S16] = {"s16", "i16", SIGNED, 2, 16, 0, 0, 0, 0},
    [TENSOR_S32] = {"s32", "i32", SIGNED, 4, 32, 0, 0, 0, 0},
    [TENSOR_S64] = {"s64", "i64", SIGNED, 8, 64, 0, 0, 0, 0},
    [TENSOR_U2] = {"u2", "ui2", UNSIGNED, 1, 2, 0, 0, 0, 0},
    [TENSOR_U4] = {"u4", "ui4", UNSIGNED, 1, 4, 0, 0, 0, 0},
    [TENSOR_U8] = {"u8", "ui8", UNSIGNED, 1, 8, 0, 0, 0, 0},
    [TENSOR_U16] = {"u16", "ui16", UNSIGNED, 2, 16, 0, 0, 0, 0},
    [TENSOR_U32] = {"u32", "ui32", UNSIGNED, 4, 32, 0, 0, 0, 0},
    [TENSOR_U64] = {"u64", "ui64", UNSIGNED, 8, 64, 0, 0, 0, 0},
    [TENSOR_F4E2M1FN] = {"f4e2m1fn", "f4E2M1FN", FLOAT, 1, 4, 1, 1, 0x7, FINITE_ONLY},
    [TENSOR_F6E2M3FN] = {"f6e2m3fn", "f6E2M3FN", FLOAT, 1, 6, 3, 1, 0x1f, FINITE_ONLY},
    [TENSOR_F6E3M2FN] = {"f6e3m2fn", "f6E3M2FN", FLOAT, 1, 6, 2, 3, 0x1f, FINITE_ONLY},
    [TENSOR_F8E3M4] = {"f8e3m4", "f8E3M4", FLOAT, 1, 8, 4, 3, 0x6f, IEEE},
    [TENSOR_F8E4M3] = {"f8e4m3", "f8E4M3", FLOAT, 1, 8, 3, 7, 0x77, IEEE},
    [TENSOR_F8E4M3FN] = {"f8e4m3fn", "f8E4M3FN", FLOAT, 1, 8, 3, 7, 0x7e, NAN_ONLY},
    [TENSOR_F8E4M3FNUZ] = {"f8e4m3fnuz", "f8E4M3FNUZ", FLOAT, 1, 8, 3, 8, 0x7f,
                           UNSIGNED_NAN},
    [TENSOR_F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", "f8E4M3B11FNUZ", FLOAT, 1, 8, 3, 11, 0x7f,
                              UNSIGNED_NAN},
    [TENSOR_F8E5M2] = {"f8e5m2", "f8E5M2", FLOAT, 1, 8, 2, 15, 0x7b, IEEE},
    [TENSOR_F8E5M2FNUZ] = {"f8e5m2fnuz", "f8E5M2FNUZ", FLOAT, 1, 8, 2, 16, 0x7f,
                           UNSIGNED_NAN},
    [TENSOR_F8E8M0FNU] = {"f8e8m0fnu", "f8E8M0FNU", FLOAT, 1, 8, 0, 127, 0xfe, NAN_ONLY},
    [TENSOR_BF16] = {"bf16", "bf16", FLOAT, 2, 16, 7, 127, 0x7f7f, IEEE},
    [TENSOR_F16] = {"f16", "f16", FLOAT, 2, 16, 10, 15, 0x7bff, IEEE},
    [TENSOR_F32] = {"f32", "f32", FLOAT, 4, 32, 0, 0, 0, 0},
    [TENSOR_F64] = {"f64", "f64", FLOAT, 8, 64, 0, 0, 0, 0},
    [TENSOR_C64] = {"c64", "complex<f32>", COMPLEX, 8, 64, 0, 0, 0, 0},
    [TENSOR_C128] = {"c128", "complex<f64>", COMPLEX, 16, 128, 0, 0, 0, 0},
};

static const dtype_row_t *row_of(tensor_dtype_t dtype) {
  return &rows[(unsigned)dtype < TENSOR_DTYPE_COUNT ? dtype : TENSOR_INVALID];
}

size_t tensor_dtype_bytes(tensor_dtype_t dtype) {
  return row_of(dtype)->host_bytes;
}

unsigned tensor_dtype_device_bits(tensor_dtype_t dtype) {
  return row_of(dtype)->device_bits;
}

const char *tensor_dtype_mlir_name(tensor_dtype_t dtype) {
  return row_of(dtype)->mlir_name;
}

const char *tensor_dtype_name(tensor_dtype_t dtype) {
  return row_of(dtype)->name;
}

static bool is_text(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

tensor_dtype_t tensor_dtype_parse(const char *text, size_t length) {
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    if (is_text(rows[i].name, text, length) || is_text(rows[i].mlir_name, text, length)) {
      return (tensor_dtype_t)i;
    }
  }
  return TENSOR_INVALID;
}

bool tensor_dtype_is_float(tensor_dtype_t dtype) {
  return row_of(dtype)->class == FLOAT;
}

bool tensor_dtype_is_complex(tensor_dtype_t dtype) {
  return row_of(dtype)->class == COMPLEX;
}

bool tensor_dtype_is_signed(tensor_dtype_t dtype) {
  return row_of(dtype)->class == SIGNED;
}

bool tensor_dtype_is_unsigned(tensor_dtype_t dtype) {
  return row_of(dtype)->class == UNSIGNED;
}

bool tensor_dtype_is_integer(tensor_dtype_t dtype) {
  return tensor_dtype_is_signed(dtype) || tensor_dtype_is_unsigned(dtype);
}

// ----- floats of at most 16 bits -----

static uint16_t sign_bit(const dtype_row_t *row) {
  return (uint16_t)(1u << (row->device_bits - 1u));
}

static bool is_unsigned_exponent(const dtype_row_t *row) {
  return row->mantissa_bits == 0;  // f8E8M0FNU: no sign, no zero, no fraction.
}

static double small_float_decode(const dtype_row_t *row, uint16_t bits) {
  if (is_unsigned_exponent(row)) {
    return bits == 0xff ? (double)NAN : ldexp(1.0, bits - row->bias);
  }
  const uint16_t sign = sign_bit(row);
  const uint16_t magnitude = bits & (uint16_t)(sign - 1u);
  const bool is_negative = (bits & sign) != 0;
  if (row->specials == UNSIGNED_NAN && is_negative && magnitude == 0) {
    return (double)NAN;
  }
  if (magnitude > row->max_finite) {
    const bool is_infinite = row->specials == IEEE && magnitude == row->max_finite + 1;
    const double special = is_infinite ? (double)INFINITY : (double)NAN;
    return is_negative ? -special : special;
  }
  const unsigned fraction = magnitude & ((1u << row->mantissa_bits) - 1u);
  const int exponent = magnitude >> row->mantissa_bits;
  const double value = exponent == 0 ? ldexp(fraction, 1 - row->bias - row->mantissa_bits)
                                     : ldexp((1u << row->mantissa_bits) + fraction,
                                             exponent - row->bias - row->mantissa_bits);
  return is_negative ? -value : value;
}

static uint16_t small_float_nan(const dtype_row_t *row) {
  switch (row->specials) {
    case IEEE:  // The quiet bit.
      return (uint16_t)((row->max_finite + 1u) | (1u << (row->mantissa_bits - 1u)));
    case NAN_ONLY:
      return (uint16_t)(row->max_finite + 1u);
    case UNSIGNED_NAN:
    case FINITE_ONLY:
      break;
  }
  return sign_bit(row);
}

static uint16_t exponent_encode(const dtype_row_t *row, double value) {
  if (!(value >= 0) || isinf(value)) {
    return small_float_nan(row);
  }
  if (value < 0x1p-127) {
    return 0;
  }
  const int exponent = ilogb(value);
  // A tie goes up: the significand 1 is odd, 2 is even.
  const int field = exponent + row->bias + (value >= ldexp(1.5, exponent) ? 1 : 0);
  return field > row->max_finite ? small_float_nan(row) : (uint16_t)field;
}

// The significand is scaled to an integer and rounded there. Added to the exponent
// field, its carry moves to the next exponent, and subnormals need no case of their own.
static uint16_t small_float_encode(const dtype_row_t *row, double value) {
  if (is_unsigned_exponent(row)) {
    return exponent_encode(row, value);
  }
  const uint16_t sign = signbit(value) ? sign_bit(row) : 0;
  if (isnan(value)) {
    const bool keeps_sign = row->specials == IEEE || row->specials == NAN_ONLY;
    return small_float_nan(row) | (keeps_sign ? sign : 0);
  }
  const double magnitude = fabs(value);
  uint32_t bits = UINT16_MAX;
  const int lowest = 1 - row->bias;
  if (magnitude < ldexp(1.0, 130)) {
    int exponent = magnitude == 0 ? lowest : ilogb(magnitude);
    exponent = exponent < lowest ? lowest : exponent;
    const double scaled = rint(ldexp(magnitude, row->mantissa_bits - exponent));
    bits = ((uint32_t)(exponent - lowest) << row->mantissa_bits) + (uint32_t)scaled;
  }
  if (bits > row->max_finite) {
    switch (row->specials) {
      case IEEE:
        bits = row->max_finite + 1u;
        break;
      case FINITE_ONLY:
        bits = row->max_finite;
        break;
      case NAN_ONLY:
      case UNSIGNED_NAN:
        return small_float_nan(row) | (row->specials == NAN_ONLY ? sign : 0);
    }
  }
  if (bits == 0 && row->specials == UNSIGNED_NAN) {
    return 0;
  }
  return (uint16_t)(bits | sign);
}

// ----- integers -----

static uint64_t load_bits(const void *element, size_t size_bytes) {
  uint64_t bits = 0;  // Little-endian hosts only, as the storage is.
  memcpy(&bits, element, size_bytes);
  return bits;
}

static int64_t sign_extend(uint64_t bits, unsigned width) {
  const unsigned shift = 64u - width;
  return (int64_t)(bits << shift) >> shift;
}

static int64_t int64_from_double(double value) {
  if (!isfinite(value)) {
    return 0;
  }
  if (fabs(value) < 0x1p63) {
    return (int64_t)value;
  }
  const double low = fmod(fabs(value), 0x1p64);
  const uint64_t bits = (uint64_t)low;
  return (int64_t)(value < 0 ? 0u - bits : bits);
}

static int64_t saturate_to_int64(double value) {
  if (isnan(value)) {
    return 0;
  }
  if (value >= 0x1p63) {
    return INT64_MAX;
  }
  return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

// Rounded to odd at 53 bits, so that rounding once more to a narrower type is the same
// as rounding once.
static double double_from_int64_to_odd(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
  if (magnitude < (uint64_t)1 << 53) {
    return (double)value;
  }
  const uint64_t sticky = (magnitude & 0x7ffu) != 0 ? 0x800u : 0;
  const double rounded = (double)((magnitude & ~(uint64_t)0x7ff) | sticky);
  return value < 0 ? -rounded : rounded;
}

// ----- elements -----

double tensor_element_as_double(tensor_dtype_t dtype, const void *element) {
  const dtype_row_t *row = row_of(dtype);
  switch (row->class) {
    case SIGNED:
    case UNSIGNED:
      return dtype == TENSOR_U64 ? (double)load_bits(element, 8)
                                 : (double)tensor_element_as_int64(dtype, element);
    case BOOLEAN:
      return load_bits(element, 1) != 0 ? 1.0 : 0.0;
    case FLOAT:
    case COMPLEX:
      break;
    case NONE:
      return 0;
  }
  if (dtype == TENSOR_F32 || dtype == TENSOR_C64) {
    float value;
    memcpy(&value, element, sizeof(value));
    return (double)value;
  }
  if (dtype == TENSOR_F64 || dtype == TENSOR_C128) {
    double value;
    memcpy(&value, element, sizeof(value));
    return value;
  }
  return small_float_decode(row, (uint16_t)load_bits(element, row->host_bytes));
}

int64_t tensor_element_as_int64(tensor_dtype_t dtype, const void *element) {
  const dtype_row_t *row = row_of(dtype);
  if (row->class == SIGNED) {
    return sign_extend(load_bits(element, row->host_bytes), row->device_bits);
  }
  if (row->class == UNSIGNED) {
    const uint64_t mask = UINT64_MAX >> (64u - row->device_bits);
    return (int64_t)(load_bits(element, row->host_bytes) & mask);
  }
  return saturate_to_int64(tensor_element_as_double(dtype, element));
}

static void store_integer(const dtype_row_t *row, int64_t value, void *element) {
  uint64_t bits = (uint64_t)value;
  if (row->class == SIGNED) {
    bits = (uint64_t)sign_extend(bits, row->device_bits);
  } else {
    bits &= UINT64_MAX >> (64u - row->device_bits);
  }
  memcpy(element, &bits, row->host_bytes);
}

// f32, f64 and the complex types of them.
static void store_large_float(tensor_dtype_t dtype, float narrow, double wide,
                              void *element) {
  const bool is_narrow = dtype == TENSOR_F32 || dtype == TENSOR_C64;
  const size_t size = is_narrow ? sizeof(narrow) : sizeof(wide);
  memcpy(element, is_narrow ? (const void *)&narrow : &wide, size);
  if (tensor_dtype_is_complex(dtype)) {
    memset((char *)element + size, 0, size);
  }
}

static void store_small_float(const dtype_row_t *row, double value, void *element) {
  const uint16_t bits = small_float_encode(row, value);
  memcpy(element, &bits, row->host_bytes);
}

void tensor_element_from_double(tensor_dtype_t dtype, double value, void *element) {
  const dtype_row_t *row = row_of(dtype);
  switch (row->class) {
    case SIGNED:
    case UNSIGNED:
      store_integer(row, int64_from_double(rint(value)), element);
      return;
    case BOOLEAN:
      *(uint8_t *)element = value != 0 ? 1 : 0;
      return;
    case FLOAT:
    case COMPLEX:
      if (row->mantissa_bits == 0 && row->host_bytes > 1) {
        store_large_float(dtype, (float)value, value, element);
      } else {
        store_small_float(row, value, element);
      }
      return;
    case NONE:
      return;
  }
}

void tensor_element_from_int64(tensor_dtype_t dtype, int64_t value, void *element) {
  const dtype_row_t *row = row_of(dtype);
  switch (row->class) {
    case SIGNED:
    case UNSIGNED:
      store_integer(row, value, element);
      return;
    case BOOLEAN:
      *(uint8_t *)element = value != 0 ? 1 : 0;
      return;
    case FLOAT:
    case COMPLEX:
      if (row->mantissa_bits == 0 && row->host_bytes > 1) {
        store_large_float(dtype, (float)value, (double)value, element);
      } else {
        store_small_float(row, double_from_int64_to_odd(value), element);
      }
      return;
    case NONE:
      return;
  }
}

void tensor_elements_normalise(tensor_dtype_t dtype, void *elements, size_t count) {
  const dtype_row_t *row = row_of(dtype);
  uint8_t *bytes = elements;
  if (row->class == BOOLEAN) {
    for (size_t i = 0; i < count; i++) {
      bytes[i] = bytes[i] != 0;
    }
    return;
  }
  if ((row->class != SIGNED && row->class != UNSIGNED) || row->device_bits >= 8) {
    return;
  }
  const unsigned unused = 8u - row->device_bits;
  for (size_t i = 0; i < count; i++) {
    const uint8_t high = (uint8_t)(bytes[i] << unused);
    const int low = row->class == SIGNED ? (int8_t)high >> unused : high >> unused;
    bytes[i] = (uint8_t)low;
  }
}
