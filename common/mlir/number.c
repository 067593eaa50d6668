// Numbers. The common cases are read by hand; what needs more care (many digits, large
// exponents) goes through strtod.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/mlir/parser_private.h"

enum {
  DIGITS_THAT_FIT = 19,  // Into 64 bits, whichever they are.
  DIGITS_MAX = 800,      // More decide nothing: a double's exact value has 767.
};

// Powers of ten that are exact in a double.
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

__extension__ typedef unsigned __int128 wide_t;

enum { FIVES = 28 };

static const uint64_t powers_of_five[FIVES] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

static int bit_count(wide_t value) {
  const uint64_t high = (uint64_t)(value >> 64);
  return high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)value);
}

// The double nearest to (value + something in (0, 1) if `is_inexact`) · 2^exponent, ties
// to even. `value` has more than 54 bits, the result is neither huge nor tiny.
static double round_wide(wide_t value, bool is_inexact, int exponent) {
  const int extra = bit_count(value) - 53;
  uint64_t kept = (uint64_t)(value >> extra);
  const wide_t rest = value & (((wide_t)1 << extra) - 1);
  const wide_t half = (wide_t)1 << (extra - 1);
  kept += rest > half || (rest == half && (is_inexact || (kept & 1) != 0));
  return ldexp((double)kept, exponent + extra);
}

// mantissa · 10^power for a mantissa of at least 2^55 and |power| < FIVES, exactly in 128
// bits, rounded once.
static double medium_real(uint64_t mantissa, int power) {
  if (power >= 0) {
    const wide_t product = (wide_t)mantissa * powers_of_five[power];
    return round_wide(product, false, power);
  }
  const uint64_t divisor = powers_of_five[-power];
  const int shift = 64 + bit_count(divisor) - bit_count(mantissa);
  const wide_t dividend = (wide_t)mantissa << shift;
  const wide_t quotient = dividend / divisor;
  return round_wide(quotient, quotient * divisor != dividend, power - shift);
}

static bool scan_hex(const char **at, mlir_number_t *number) {
  const char *digits = *at + 2;
  const char *end = digits;
  for (;; end++) {
    const char c = *end;
    int digit;
    if (mlir_is_digit(c)) {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      break;
    }
    number->overflows = number->overflows || number->magnitude >> 60 != 0;
    number->magnitude = number->magnitude << 4 | (uint64_t)digit;
  }
  if (end == digits) {
    return false;
  }
  number->is_hex = true;
  *at = end;
  return true;
}

// The digits without the point, and the exponent: strtod then needs no locale's point.
static double slow_real(const char *start, const char *end, int64_t power) {
  char text[DIGITS_MAX + 32];
  size_t used = 0;
  bool cut_off_more = false;
  for (const char *c = start; c < end; c++) {
    if (*c == '.' || (used == 0 && *c == '0')) {
      continue;
    }
    if (used < DIGITS_MAX) {
      text[used++] = *c;
    } else {
      cut_off_more = cut_off_more || *c != '0';
      power++;
    }
  }
  if (used == 0) {
    return 0.0;
  }
  if (cut_off_more) {  // It may still decide a tie.
    text[used++] = '1';
    power--;
  }
  power = power > 99999 ? 99999 : (power < -99999 ? -99999 : power);
  snprintf(text + used, sizeof(text) - used, "e%lld", (long long)power);
  return strtod(text, NULL);
}

// Takes the exponent at *at, if that is one.
static int64_t scan_exponent(const char **at) {
  const char *digits = *at + 1;
  const bool is_negative = *digits == '-';
  digits += *digits == '-' || *digits == '+';
  if (!mlir_is_digit(*digits)) {
    return 0;
  }
  int64_t exponent = 0;
  for (; mlir_is_digit(*digits); digits++) {
    exponent = exponent < 1000000 ? 10 * exponent + (*digits - '0') : exponent;
  }
  *at = digits;
  return is_negative ? -exponent : exponent;
}

// The digits at `at` behind those of `*inout_mantissa`, modulo 2^64; their end.
static inline const char *scan_run(const char *at, uint64_t *inout_mantissa) {
  uint64_t mantissa = *inout_mantissa;
  for (unsigned digit; (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++) {
    mantissa = 10 * mantissa + digit;
  }
  *inout_mantissa = mantissa;
  return at;
}

// The digits at `*at` as far as they fit: at most 19 that count. True when all did.
static bool scan_digits(const char **at, uint64_t *mantissa, int *significant) {
  bool all_fit = true;
  for (; mlir_is_digit(**at); ++*at) {
    if (*significant == DIGITS_THAT_FIT) {
      all_fit = false;
      continue;
    }
    *mantissa = 10 * *mantissa + (uint64_t)(**at - '0');
    *significant += *mantissa != 0;
  }
  return all_fit;
}

// All digits from `start` to `end`, with the point among them: what scan_run cannot say
// of long ones. Sets the mantissa, and returns whether all fit.
static bool scan_long(const char *start, uint64_t *out_mantissa) {
  int significant = 0;
  *out_mantissa = 0;
  const bool fits = scan_digits(&start, out_mantissa, &significant);
  start += *start == '.';
  return scan_digits(&start, out_mantissa, &significant) && fits;
}

static void finish_integer(mlir_number_t *number, const char *start, const char *end) {
  // Up to 19 digits always fit; a twentieth may.
  uint64_t magnitude = 0;
  for (const char *c = start; c < end; c++) {
    const uint64_t digit = (uint64_t)(*c - '0');
    number->overflows = number->overflows || magnitude > (UINT64_MAX - digit) / 10;
    magnitude = 10 * magnitude + digit;
  }
  number->magnitude = magnitude;
}

bool mlir_scan_number(const char **at, mlir_number_t *out_number) {
  *out_number = (mlir_number_t){.is_negative = **at == '-'};
  const char *start = *at + out_number->is_negative;
  if (!mlir_is_digit(*start)) {
    return false;
  }
  if (start[0] == '0' && start[1] == 'x') {
    *at = start;
    return scan_hex(at, out_number);
  }
  uint64_t magnitude = 0;
  const char *c = scan_run(start, &magnitude);
  int64_t power = 0;
  if (*c == '.') {
    const char *fraction = c + 1;
    c = scan_run(fraction, &magnitude);
    power = fraction - c;
    out_number->is_real = true;
  }
  const char *digits_end = c;
  const bool all_fit =
      digits_end - start <= DIGITS_THAT_FIT || scan_long(start, &magnitude);
  out_number->magnitude = magnitude;
  if (*c == 'e' || *c == 'E') {
    power += scan_exponent(&c);
    out_number->is_real = out_number->is_real || c != digits_end;
  }
  *at = c;
  if (!out_number->is_real) {
    if (!all_fit) {
      finish_integer(out_number, start, digits_end);
    }
    return true;
  }
  // Clinger's fast path: both factors are exact, so one rounding remains.
  const double mantissa = (double)out_number->magnitude;
  double real;
  if (all_fit && out_number->magnitude <= (uint64_t)1 << 53 && power >= -22 &&
      power <= 22) {
    real = power < 0 ? mantissa / exact_powers[-power] : mantissa * exact_powers[power];
  } else if (all_fit && out_number->magnitude >= (uint64_t)1 << 55 && power > -FIVES &&
             power < FIVES) {
    real = medium_real(out_number->magnitude, (int)power);
  } else {
    real = slow_real(start, digits_end, power);
  }
  out_number->real = out_number->is_negative ? -real : real;
  return true;
}

bool mlir_number_as_integer(const mlir_number_t *number, tensor_dtype_t dtype,
                            int64_t *out_value) {
  const unsigned bits = dtype == TENSOR_PRED ? 1 : tensor_dtype_device_bits(dtype);
  const bool is_signed = tensor_dtype_is_signed(dtype);
  if (number->overflows) {
    return false;
  }
  const uint64_t half = (uint64_t)1 << (bits - 1);
  const uint64_t largest = half - 1 + half;
  if (number->is_negative) {
    if (number->magnitude != 0 && (!is_signed || number->magnitude > half)) {
      return false;
    }
    *out_value = (int64_t)(0 - number->magnitude);
    return true;
  }
  if (number->magnitude > largest) {
    return false;
  }
  uint64_t value = number->magnitude;
  if (is_signed && value >= half) {
    value |= ~largest;  // Written as unsigned.
  }
  *out_value = (int64_t)value;
  return true;
}
