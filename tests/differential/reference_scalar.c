#include "tests/differential/reference_scalar.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"

// --- The float formats of at most 16 bits ---

typedef enum overflow_t { IEEE, TO_NAN, FNUZ, TO_LARGEST } overflow_t;

typedef struct format_t {
  int exponent_bits, mantissa_bits, bias;
  double largest;
  overflow_t overflow;
} format_t;

static const format_t formats[TENSOR_DTYPE_COUNT] = {
    [TENSOR_F4E2M1FN] = {2, 1, 1, 6, TO_LARGEST},
    [TENSOR_F6E2M3FN] = {2, 3, 1, 7.5, TO_LARGEST},
    [TENSOR_F6E3M2FN] = {3, 2, 3, 28, TO_LARGEST},
    [TENSOR_F8E3M4] = {3, 4, 3, 15.5, IEEE},
    [TENSOR_F8E4M3] = {4, 3, 7, 240, IEEE},
    [TENSOR_F8E4M3FN] = {4, 3, 7, 448, TO_NAN},
    [TENSOR_F8E4M3FNUZ] = {4, 3, 8, 240, FNUZ},
    [TENSOR_F8E4M3B11FNUZ] = {4, 3, 11, 30, FNUZ},
    [TENSOR_F8E5M2] = {5, 2, 15, 57344, IEEE},
    [TENSOR_F8E5M2FNUZ] = {5, 2, 16, 57344, FNUZ},
    [TENSOR_BF16] = {8, 7, 127, 0x1.fep127, IEEE},
    [TENSOR_F16] = {5, 10, 15, 65504, IEEE},
    [TENSOR_F32] = {8, 23, 127, 0x1.fffffep127, IEEE},
};

// The nearest power of two; there is neither a sign nor a zero. A tie goes up.
static double round_to_power(double x) {
  if (!(x >= 0) || isinf(x)) {
    return (double)NAN;
  }
  if (x <= 0x1p-127) {
    return 0x1p-127;
  }
  const double low = ldexp(1, ilogb(x));
  const double nearest = x >= 1.5 * low ? 2 * low : low;
  return nearest > 0x1p127 ? (double)NAN : nearest;
}

double reference_round(tensor_dtype_t dtype, double x) {
  if (dtype == TENSOR_F64 || dtype == TENSOR_C128) {
    return x;
  }
  if (dtype == TENSOR_F8E8M0FNU) {
    return round_to_power(x);
  }
  const format_t *format = &formats[dtype == TENSOR_C64 ? TENSOR_F32 : dtype];
  POD_CHECK(format->mantissa_bits > 0);
  if (isnan(x)) {
    return format->overflow == TO_LARGEST ? -0.0 : x;
  }
  double rounded = x;
  if (x != 0 && !isinf(x)) {
    const int lowest = 1 - format->bias, own = ilogb(x);
    const int exponent = own < lowest ? lowest : own;
    const double quantum = ldexp(1, exponent - format->mantissa_bits);
    rounded = rint(x / quantum) * quantum;  // Both are powers of two away: exact.
  }
  if (fabs(rounded) > format->largest) {
    rounded = format->overflow == IEEE         ? copysign((double)INFINITY, x)
              : format->overflow == TO_LARGEST ? copysign(format->largest, x)
                                               : (double)NAN;
  }
  return format->overflow == FNUZ && rounded == 0 ? 0.0 : rounded;
}

// `x` is a number of the format.
static unsigned encode(tensor_dtype_t dtype, double x) {
  if (dtype == TENSOR_F8E8M0FNU) {
    return isnan(x) ? 0xff : (unsigned)(ilogb(x) + 127);
  }
  const format_t *format = &formats[dtype];
  const unsigned m = (unsigned)format->mantissa_bits;
  const unsigned sign = 1u << ((unsigned)format->exponent_bits + m);
  const unsigned ones = sign - (1u << m);  // The exponent field full.
  if (isnan(x)) {
    return format->overflow == IEEE     ? ones | 1u << (m - 1)
           : format->overflow == TO_NAN ? sign - 1
                                        : sign;
  }
  const unsigned signed_zero = signbit(x) ? sign : 0;
  if (x == 0) {
    return signed_zero;
  }
  if (isinf(x)) {
    return signed_zero | ones;
  }
  const double magnitude = fabs(x);
  const int lowest = 1 - format->bias, own = ilogb(magnitude);
  if (own < lowest) {
    return signed_zero | (unsigned)ldexp(magnitude, format->mantissa_bits - lowest);
  }
  const double fraction = ldexp(magnitude, -own) - 1;
  return signed_zero | (unsigned)(own + format->bias) << m |
         (unsigned)ldexp(fraction, format->mantissa_bits);
}

static double decode(tensor_dtype_t dtype, unsigned bits) {
  if (dtype == TENSOR_F8E8M0FNU) {
    return bits == 0xff ? (double)NAN : ldexp(1, (int)bits - 127);
  }
  const format_t *format = &formats[dtype];
  const unsigned m = (unsigned)format->mantissa_bits;
  const unsigned sign = 1u << ((unsigned)format->exponent_bits + m);
  const unsigned magnitude = bits & (sign - 1), field = magnitude >> m;
  const double direction = (bits & sign) != 0 ? -1 : 1;
  const unsigned mantissa = magnitude & ((1u << m) - 1);
  const bool is_full = field == (1u << format->exponent_bits) - 1;
  if (format->overflow == IEEE && is_full) {
    return copysign(mantissa == 0 ? (double)INFINITY : (double)NAN, direction);
  }
  if ((format->overflow == TO_NAN && magnitude == sign - 1) ||
      (format->overflow == FNUZ && bits == sign)) {
    return format->overflow == FNUZ ? (double)NAN : copysign((double)NAN, direction);
  }
  const int exponent = field == 0 ? 1 - format->bias : (int)field - format->bias;
  const double whole = field == 0 ? 0 : 1;
  return direction * ldexp(whole + ldexp(mantissa, -(int)m), exponent);
}

// --- Elements ---

int64_t reference_wrap(tensor_dtype_t dtype, int64_t value) {
  if (dtype == TENSOR_PRED) {
    return value != 0;
  }
  const unsigned width = tensor_dtype_device_bits(dtype);
  if (width == 64) {
    return value;
  }
  const uint64_t low = (uint64_t)value & (((uint64_t)1 << width) - 1);
  const bool is_negative = tensor_dtype_is_signed(dtype) && low >> (width - 1) != 0;
  return (int64_t)low - (is_negative ? (int64_t)1 << width : 0);
}

reference_scalar_t reference_of_integer(tensor_dtype_t dtype, int64_t value) {
  return (reference_scalar_t){.dtype = dtype, .integer = reference_wrap(dtype, value)};
}

reference_scalar_t reference_of_real(tensor_dtype_t dtype, double value) {
  return (reference_scalar_t){.dtype = dtype, .real = reference_round(dtype, value)};
}

reference_scalar_t reference_of_complex(tensor_dtype_t dtype, double real,
                                        double imaginary) {
  return (reference_scalar_t){.dtype = dtype,
                              .real = reference_round(dtype, real),
                              .imaginary = reference_round(dtype, imaginary)};
}

tensor_dtype_t reference_part_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_C64 ? TENSOR_F32 : dtype == TENSOR_C128 ? TENSOR_F64 : dtype;
}

static double load_part(tensor_dtype_t dtype, const char *element) {
  if (dtype == TENSOR_F64) {
    double x;
    memcpy(&x, element, sizeof(x));
    return x;
  }
  if (dtype == TENSOR_F32) {
    float x;
    memcpy(&x, element, sizeof(x));
    return (double)x;
  }
  uint16_t bits = 0;
  memcpy(&bits, element, tensor_dtype_bytes(dtype));
  return decode(dtype, bits);
}

static void store_part(tensor_dtype_t dtype, double x, char *element) {
  x = reference_round(dtype, x);
  if (dtype == TENSOR_F64) {
    memcpy(element, &x, sizeof(x));
  } else if (dtype == TENSOR_F32) {
    const float narrow = (float)x;
    memcpy(element, &narrow, sizeof(narrow));
  } else {
    const uint16_t bits = (uint16_t)encode(dtype, x);
    memcpy(element, &bits, tensor_dtype_bytes(dtype));
  }
}

reference_scalar_t reference_load(const reference_value_t *value, int64_t at) {
  POD_CHECK(at >= 0 && at < value->count);
  const tensor_dtype_t dtype = value->shape.dtype, part = reference_part_of(dtype);
  const size_t bytes = tensor_dtype_bytes(dtype);
  const char *element = value->data + (size_t)at * bytes;
  reference_scalar_t scalar = {.dtype = dtype};
  if (dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype)) {
    memcpy(&scalar.integer, element, bytes);
    scalar.integer = reference_wrap(dtype, scalar.integer);
    return scalar;
  }
  scalar.real = load_part(part, element);
  if (isnan(scalar.real) && bytes <= sizeof(scalar.integer)) {
    memcpy(&scalar.integer, element, bytes);
  }
  if (part != dtype) {
    scalar.imaginary = load_part(part, element + bytes / 2);
  }
  return scalar;
}

void reference_store(reference_value_t *value, int64_t at, reference_scalar_t scalar) {
  POD_CHECK(at >= 0 && at < value->count && scalar.dtype == value->shape.dtype);
  const tensor_dtype_t dtype = scalar.dtype, part = reference_part_of(dtype);
  const size_t bytes = tensor_dtype_bytes(dtype);
  char *element = value->data + (size_t)at * bytes;
  if (dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype)) {
    const int64_t integer = reference_wrap(dtype, scalar.integer);
    memcpy(element, &integer, bytes);
    return;
  }
  store_part(part, scalar.real, element);
  if (part != dtype) {
    store_part(part, scalar.imaginary, element + bytes / 2);
  }
}

int64_t reference_ordinal(tensor_dtype_t dtype, const void *element) {
  uint64_t bits = 0;
  memcpy(&bits, element, tensor_dtype_bytes(dtype));
  if (dtype == TENSOR_F8E8M0FNU) {
    return (int64_t)bits;
  }
  const uint64_t sign = (uint64_t)1 << (tensor_dtype_device_bits(dtype) - 1);
  const int64_t magnitude = (int64_t)(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

// --- Conversion ---

static double integer_to_double_odd(reference_scalar_t scalar) {
  // Rounded to odd, so that the rounding to a narrower type is the only one.
  const bool is_u64 = scalar.dtype == TENSOR_U64;
  const long double x =
      is_u64 ? (long double)(uint64_t)scalar.integer : (long double)scalar.integer;
  double near = (double)x;
  if ((long double)near != x) {
    const double other = nextafter(near, (long double)near < x ? HUGE_VAL : -HUGE_VAL);
    uint64_t bits;
    memcpy(&bits, &near, sizeof(bits));
    near = (bits & 1) != 0 ? near : other;
  }
  return near;
}

static int64_t real_to_integer(tensor_dtype_t dtype, double x) {
  if (isnan(x)) {
    return 0;
  }
  const int width = (int)tensor_dtype_device_bits(dtype);
  const bool is_signed = tensor_dtype_is_signed(dtype);
  const long double low = is_signed ? -ldexpl(1, width - 1) : 0;
  const long double high = ldexpl(1, is_signed ? width - 1 : width) - 1;
  const long double whole = truncl((long double)x);
  const long double nearest = whole < low ? low : whole > high ? high : whole;
  return is_signed ? (int64_t)nearest : (int64_t)(uint64_t)nearest;
}

reference_scalar_t reference_convert(reference_scalar_t from, tensor_dtype_t dtype) {
  const bool is_integral =
      from.dtype == TENSOR_PRED || tensor_dtype_is_integer(from.dtype);
  if (dtype == TENSOR_PRED) {  // The imaginary part is ignored here too.
    const bool is_zero = is_integral ? from.integer == 0 : from.real == 0;
    return reference_of_integer(dtype, !is_zero);
  }
  if (tensor_dtype_is_integer(dtype)) {
    return reference_of_integer(
        dtype, is_integral ? from.integer : real_to_integer(dtype, from.real));
  }
  if (is_integral && dtype != TENSOR_F64 && dtype != TENSOR_C128) {
    return reference_of_complex(dtype, integer_to_double_odd(from), 0);
  }
  if (is_integral) {
    const double x =
        from.dtype == TENSOR_U64 ? (double)(uint64_t)from.integer : (double)from.integer;
    return (reference_scalar_t){.dtype = dtype, .real = x};
  }
  reference_scalar_t to = {.dtype = dtype, .real = reference_round(dtype, from.real)};
  if (tensor_dtype_is_complex(dtype)) {
    to.imaginary = reference_round(dtype, from.imaginary);
  }
  return to;
}

// --- Comparison ---

static int order_of(double a, double b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// -NaN < -inf < … < -0 < 0 < … < inf < NaN.
static double place(double x) {
  const double direction = signbit(x) ? -1 : 1;
  return isnan(x) ? direction * 3 : isinf(x) ? direction * 2 : 0;
}

// NaNs by their bits, but for the tiny types, which are compared as wider ones.
static int total_order(reference_scalar_t x, reference_scalar_t y) {
  const double a = x.real, b = y.real;
  const int by_place = order_of(place(a), place(b));
  if (by_place != 0 || isinf(a)) {
    return by_place;
  }
  if (isnan(a)) {
    const bool has_payload = tensor_dtype_bytes(x.dtype) > 1;
    const int by_bits = x.integer < y.integer ? -1 : x.integer > y.integer ? 1 : 0;
    return !has_payload ? 0 : signbit(a) ? -by_bits : by_bits;
  }
  const int by_value = order_of(a, b);
  return by_value != 0 ? by_value : (signbit(b) ? 1 : 0) - (signbit(a) ? 1 : 0);
}

bool reference_compare(const char *direction, const char *type, reference_scalar_t a,
                       reference_scalar_t b) {
  int order = 0;
  bool is_unordered = false;
  if (tensor_dtype_is_complex(a.dtype)) {
    const bool is_same = a.real == b.real && a.imaginary == b.imaginary;
    return strcmp(direction, "EQ") == 0 ? is_same : !is_same;
  }
  if (tensor_dtype_is_float(a.dtype)) {
    const bool is_total = strcmp(type, "TOTALORDER") == 0;
    order = is_total ? total_order(a, b) : order_of(a.real, b.real);
    is_unordered = !is_total && (isnan(a.real) || isnan(b.real));
  } else if (a.dtype == TENSOR_U64) {
    const uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer;
    order = x < y ? -1 : x > y ? 1 : 0;
  } else {
    order = a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  }
  if (strcmp(direction, "NE") == 0) {
    return is_unordered || order != 0;
  }
  if (is_unordered) {
    return false;
  }
  switch (direction[0] == 'E' ? 'E' : direction[0] * 2 + direction[1]) {
    case 'E':
      return order == 0;
    case 'G' * 2 + 'E':
      return order >= 0;
    case 'G' * 2 + 'T':
      return order > 0;
    case 'L' * 2 + 'E':
      return order <= 0;
    default:
      POD_CHECK(strcmp(direction, "LT") == 0);
      return order < 0;
  }
}
