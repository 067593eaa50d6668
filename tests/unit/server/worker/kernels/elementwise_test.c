// Elementwise kernels against scalar references in double and int64, over every element
// type and over values where arithmetic is special.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <complex.h>
#include <math.h>

enum { COUNT = 2 * 1024 + 37 };  // Blocks, and a remainder.

// ----- values -----

// Special values first, then random ones of all magnitudes.
static void fill_floats(tensor_array_t *array, uint64_t seed) {
  static const double specials[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    1e-45,
                                    -1e-40,
                                    1e-38,
                                    3e38,
                                    -3e38,
                                    88.5,
                                    -88.5,
                                    104.0,
                                    -104.0,
                                    1e5,
                                    -7.25,
                                    0x1p-149,
                                    0x1p-126,
                                    16777216,
                                    3.0,
                                    10.0,
                                    0.1,
                                    -0.1,
                                    1e-5,
                                    20.0,
                                    -20.0,
                                    (double)NAN,
                                    (double)INFINITY,
                                    -(double)INFINITY};
  const tensor_dtype_t dtype = array->shape.dtype;
  pod_random_t random = {.state = seed};
  for (int64_t i = 0; i < COUNT; i++) {
    double value = 2 * pod_random_uniform(&random) - 1;
    value *= exp2((double)pod_random_below(&random, 24) - 8);
    const size_t count = POD_COUNT_OF(specials);
    if ((size_t)i < count * count) {  // Every pair, when the other operand does the same.
      value = specials[seed % 2 == 0 ? (size_t)i % count : (size_t)i / count];
    }
    tensor_element_from_double(dtype, value, mutable_element_of(array, i));
  }
}

static void fill_integers(tensor_array_t *array, uint64_t seed) {
  static const int64_t specials[] = {
      0,      1,     -1,        2,         -2,        3,         7,       8,
      31,     32,    33,        63,        64,        127,       -128,    255,
      -32768, 32767, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, 1 << 20, 5};
  const tensor_dtype_t dtype = array->shape.dtype;
  pod_random_t random = {.state = seed};
  for (int64_t i = 0; i < COUNT; i++) {
    int64_t value = (int64_t)pod_random_next(&random);
    const size_t count = POD_COUNT_OF(specials);
    if ((size_t)i < count * count) {
      value = specials[seed % 2 == 0 ? (size_t)i % count : (size_t)i / count];
    }
    tensor_element_from_int64(dtype, value, mutable_element_of(array, i));
  }
}

static void fill(tensor_array_t *array, uint64_t seed) {
  if (tensor_dtype_is_float(array->shape.dtype)) {
    fill_floats(array, seed);
  } else {
    fill_integers(array, seed);
  }
}

static bool has_type(tensor_dtype_t dtype) {  // No sign and no zero to compute with.
  return dtype != TENSOR_F8E8M0FNU;
}

static kernel_case_t *make_case(chip_op_t op, int operands, tensor_dtype_t in,
                                tensor_dtype_t out) {
  const int64_t dims[] = {COUNT};
  kernel_case_t *c = case_make(op);
  for (int i = 0; i < operands; i++) {
    fill(case_operand(c, in, 1, dims, "zeros"), (uint64_t)i);
  }
  case_result(c, out, 1, dims);
  return c;
}

// ----- floats -----

static double maximum(double x, double y) {
  return isnan(x) || isnan(y) ? (double)NAN
         : x == y             ? (signbit(x) ? y : x)
                              : (x > y ? x : y);
}

static double reference_binary(chip_op_t op, double x, double y) {
  switch (op) {
    case CHIP_OP_ADD:
      return x + y;
    case CHIP_OP_SUBTRACT:
      return x - y;
    case CHIP_OP_MULTIPLY:
      return x * y;
    case CHIP_OP_DIVIDE:
      return x / y;
    case CHIP_OP_REMAINDER:
      return fmod(x, y);
    case CHIP_OP_MAXIMUM:
      return maximum(x, y);
    case CHIP_OP_MINIMUM:
      return -maximum(-x, -y);
    case CHIP_OP_POWER:
      return pow(x, y);
    case CHIP_OP_ATAN2:
      return atan2(x, y);
    default:
      fail();
      return 0;
  }
}

static double reference_unary(chip_op_t op, double x) {
  switch (op) {
    case CHIP_OP_ABS:
      return signbit(x) ? -x : x;
    case CHIP_OP_NEGATE:
      return -x;
    case CHIP_OP_SIGN:
      return x > 0 ? 1 : x < 0 ? -1 : x;
    case CHIP_OP_FLOOR:
      return floor(x);
    case CHIP_OP_CEIL:
      return ceil(x);
    case CHIP_OP_ROUND_NEAREST_AFZ:
      return round(x);
    case CHIP_OP_ROUND_NEAREST_EVEN:
      return nearbyint(x);
    case CHIP_OP_EXPONENTIAL:
      return exp(x);
    case CHIP_OP_EXPONENTIAL_MINUS_ONE:
      return expm1(x);
    case CHIP_OP_LOG:
      return log(x);
    case CHIP_OP_LOG_PLUS_ONE:
      return log1p(x);
    case CHIP_OP_LOGISTIC:
      return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
    case CHIP_OP_TANH:
      return tanh(x);
    case CHIP_OP_SINE:
      return sin(x);
    case CHIP_OP_COSINE:
      return cos(x);
    case CHIP_OP_TAN:
      return tan(x);
    case CHIP_OP_SQRT:
      return sqrt(x);
    case CHIP_OP_RSQRT:
      return 1 / sqrt(x);
    case CHIP_OP_CBRT:
      return cbrt(x);
    default:
      fail();
      return 0;
  }
}

static void assert_close(const kernel_case_t *c, int64_t i, double expected,
                         int64_t ulps) {
  const tensor_array_t *out = &c->arrays[c->results[0]];
  char element[16];
  tensor_element_from_double(out->shape.dtype, expected, element);
  if (ulp_distance(out->shape.dtype, element_of(out, i), element) > ulps) {
    fail_msg("%s of %s: element %lld of %g (and %g) is %g instead of %g",
             chip_op_short_name(c->instruction.op), tensor_dtype_name(out->shape.dtype),
             (long long)i, number_of(&c->arrays[0], i),
             c->operand_count > 1 ? number_of(&c->arrays[1], i) : 0, number_of(out, i),
             expected);
  }
}

static void test_float_operations_are_within_their_tolerance_in_every_type(void **state) {
  (void)state;
  // + - * / and what only chooses or rounds to integers are exact but for f64's own
  // rounding; the others may be off by 3 ULP, and are rarely off by 1.
  const chip_op_t exact[] = {CHIP_OP_ADD,    CHIP_OP_SUBTRACT,  CHIP_OP_MULTIPLY,
                             CHIP_OP_DIVIDE, CHIP_OP_REMAINDER, CHIP_OP_MAXIMUM,
                             CHIP_OP_MINIMUM};
  const chip_op_t close[] = {CHIP_OP_POWER, CHIP_OP_ATAN2};
  for (int t = TENSOR_F4E2M1FN; t <= TENSOR_F64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    for (size_t o = 0; has_type(dtype) && o < POD_COUNT_OF(exact) + POD_COUNT_OF(close);
         o++) {
      const bool is_exact = o < POD_COUNT_OF(exact);
      const chip_op_t op = is_exact ? exact[o] : close[o - POD_COUNT_OF(exact)];
      kernel_case_t *c = make_case(op, 2, dtype, dtype);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const double expected = reference_binary(op, number_of(&c->arrays[0], i),
                                                 number_of(&c->arrays[1], i));
        assert_close(c, i, expected, is_exact ? 0 : 1);
      }
      case_free(c);
    }
  }
}

static void test_functions_are_within_their_tolerance_in_every_type(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_ABS,
                           CHIP_OP_NEGATE,
                           CHIP_OP_SIGN,
                           CHIP_OP_FLOOR,
                           CHIP_OP_CEIL,
                           CHIP_OP_ROUND_NEAREST_AFZ,
                           CHIP_OP_ROUND_NEAREST_EVEN,
                           CHIP_OP_SQRT,
                           CHIP_OP_EXPONENTIAL,
                           CHIP_OP_EXPONENTIAL_MINUS_ONE,
                           CHIP_OP_LOG,
                           CHIP_OP_LOG_PLUS_ONE,
                           CHIP_OP_LOGISTIC,
                           CHIP_OP_TANH,
                           CHIP_OP_SINE,
                           CHIP_OP_COSINE,
                           CHIP_OP_TAN,
                           CHIP_OP_RSQRT,
                           CHIP_OP_CBRT};
  const size_t exact_count = 8;
  for (int t = TENSOR_F4E2M1FN; t <= TENSOR_F64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    for (size_t o = 0; has_type(dtype) && o < POD_COUNT_OF(ops); o++) {
      kernel_case_t *c = make_case(ops[o], 1, dtype, dtype);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const double expected = reference_unary(ops[o], number_of(&c->arrays[0], i));
        assert_close(c, i, expected,
                     o < exact_count              ? 0
                     : ops[o] == CHIP_OP_RSQRT    ? 2
                     : ops[o] == CHIP_OP_LOGISTIC ? 2
                                                  : 1);
      }
      case_free(c);
    }
  }
}

static void test_signs_of_zero_and_infinities_are_kept(void **state) {
  (void)state;
  const chip_op_t odd[] = {CHIP_OP_SINE,
                           CHIP_OP_TAN,
                           CHIP_OP_TANH,
                           CHIP_OP_CBRT,
                           CHIP_OP_EXPONENTIAL_MINUS_ONE,
                           CHIP_OP_LOG_PLUS_ONE,
                           CHIP_OP_FLOOR,
                           CHIP_OP_CEIL,
                           CHIP_OP_ROUND_NEAREST_AFZ,
                           CHIP_OP_ROUND_NEAREST_EVEN,
                           CHIP_OP_SIGN,
                           CHIP_OP_SQRT};
  const tensor_dtype_t types[] = {TENSOR_BF16, TENSOR_F16, TENSOR_F32, TENSOR_F64};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t o = 0; o < POD_COUNT_OF(odd); o++) {
      kernel_case_t *c = make_case(odd[o], 1, types[t], types[t]);
      assert_runs(c);
      assert_false(signbit(number_of(&c->arrays[1], 0)) != 0);
      assert_true(signbit(number_of(&c->arrays[1], 1)) != 0);
      case_free(c);
    }
  }
}

static void test_is_finite_knows_infinities_and_nan(void **state) {
  (void)state;
  for (int t = TENSOR_F8E3M4; t <= TENSOR_F64; t++) {
    kernel_case_t *c = make_case(CHIP_OP_IS_FINITE, 1, (tensor_dtype_t)t, TENSOR_PRED);
    assert_runs(c);
    for (int64_t i = 0; i < COUNT; i++) {
      const double x = number_of(&c->arrays[0], i);
      assert_true(number_of(&c->arrays[1], i) == (x - x == 0 ? 1 : 0));
    }
    case_free(c);
  }
}

// ----- integers -----

static uint64_t width_mask(tensor_dtype_t dtype) {
  return UINT64_MAX >> (64 - tensor_dtype_device_bits(dtype));
}

static int64_t power_of(int64_t x, int64_t y, bool is_signed) {
  if (is_signed && y < 0) {
    return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  }
  uint64_t result = 1, base = (uint64_t)x;
  for (uint64_t n = (uint64_t)y; n > 0; n /= 2) {
    if (n % 2 == 1) {
      result *= base;
    }
    base *= base;
  }
  return (int64_t)result;
}

static int64_t shift_of(chip_op_t op, int64_t x, int64_t y, tensor_dtype_t dtype) {
  const unsigned bits = tensor_dtype_device_bits(dtype);
  const uint64_t mask = width_mask(dtype), raw = (uint64_t)x & mask;
  const bool is_far = ((uint64_t)y & mask) >= bits;
  const bool is_negative = (raw >> (bits - 1) & 1) != 0;
  switch (op) {
    case CHIP_OP_SHIFT_LEFT:
      return is_far ? 0 : (int64_t)(raw << y);
    case CHIP_OP_SHIFT_RIGHT_LOGICAL:
      return is_far ? 0 : (int64_t)(raw >> y);
    default: {
      const int64_t extended = is_negative ? (int64_t)(raw | ~mask) : (int64_t)raw;
      return is_far ? (is_negative ? -1 : 0) : extended >> y;
    }
  }
}

static int64_t reference_integers(chip_op_t op, int64_t x, int64_t y,
                                  tensor_dtype_t dtype) {
  const uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
  const bool is_signed = tensor_dtype_is_signed(dtype);
  switch (op) {
    case CHIP_OP_ADD:
      return (int64_t)(ux + uy);
    case CHIP_OP_SUBTRACT:
      return (int64_t)(ux - uy);
    case CHIP_OP_MULTIPLY:
      return (int64_t)(ux * uy);
    case CHIP_OP_AND:
      return x & y;
    case CHIP_OP_OR:
      return x | y;
    case CHIP_OP_XOR:
      return x ^ y;
    case CHIP_OP_DIVIDE:
      return y == 0       ? -1
             : !is_signed ? (int64_t)(ux / uy)
             : y == -1    ? (int64_t)(0 - ux)
                          : x / y;
    case CHIP_OP_REMAINDER:
      return y == 0 ? x : !is_signed ? (int64_t)(ux % uy) : y == -1 ? 0 : x % y;
    case CHIP_OP_MAXIMUM:
      return (is_signed ? x > y : ux > uy) ? x : y;
    case CHIP_OP_MINIMUM:
      return (is_signed ? x < y : ux < uy) ? x : y;
    case CHIP_OP_POWER:
      return power_of(x, y, is_signed);
    default:
      return shift_of(op, x, y, dtype);
  }
}

static int64_t integer_of(const tensor_array_t *array, int64_t i) {
  return tensor_element_as_int64(array->shape.dtype, element_of(array, i));
}

static void assert_integer(const kernel_case_t *c, int64_t i, int64_t expected) {
  const tensor_array_t *out = &c->arrays[c->results[0]];
  char element[16];
  tensor_element_from_int64(out->shape.dtype, expected, element);
  if (memcmp(element, element_of(out, i), tensor_dtype_bytes(out->shape.dtype)) != 0) {
    fail_msg("%s of %s: element %lld of %lld is %lld",
             chip_op_short_name(c->instruction.op), tensor_dtype_name(out->shape.dtype),
             (long long)i, (long long)integer_of(&c->arrays[0], i),
             (long long)integer_of(out, i));
  }
}

static void test_integer_operations_wrap_in_every_width(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_ADD,
                           CHIP_OP_SUBTRACT,
                           CHIP_OP_MULTIPLY,
                           CHIP_OP_DIVIDE,
                           CHIP_OP_REMAINDER,
                           CHIP_OP_MAXIMUM,
                           CHIP_OP_MINIMUM,
                           CHIP_OP_POWER,
                           CHIP_OP_AND,
                           CHIP_OP_OR,
                           CHIP_OP_XOR,
                           CHIP_OP_SHIFT_LEFT,
                           CHIP_OP_SHIFT_RIGHT_ARITHMETIC,
                           CHIP_OP_SHIFT_RIGHT_LOGICAL};
  for (int t = TENSOR_S2; t <= TENSOR_U64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      kernel_case_t *c = make_case(ops[o], 2, dtype, dtype);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        assert_integer(c, i,
                       reference_integers(ops[o], integer_of(&c->arrays[0], i),
                                          integer_of(&c->arrays[1], i), dtype));
      }
      case_free(c);
    }
  }
}

static int64_t reference_integer(chip_op_t op, int64_t x, tensor_dtype_t dtype) {
  uint64_t raw = (uint64_t)x & width_mask(dtype);
  int64_t count = 0;
  switch (op) {
    case CHIP_OP_NEGATE:
      return (int64_t)(0 - (uint64_t)x);
    case CHIP_OP_NOT:
      return ~x;
    case CHIP_OP_ABS:
      return x < 0 ? (int64_t)(0 - (uint64_t)x) : x;
    case CHIP_OP_SIGN:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case CHIP_OP_POPCNT:
      for (; raw != 0; raw &= raw - 1) {
        count++;
      }
      return count;
    default:
      for (unsigned bit = tensor_dtype_device_bits(dtype); bit > 0; bit--, count++) {
        if ((raw >> (bit - 1) & 1) != 0) {
          break;
        }
      }
      return count;
  }
}

static void test_integer_functions_look_at_their_own_width(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_NEGATE, CHIP_OP_NOT,
                           CHIP_OP_POPCNT, CHIP_OP_COUNT_LEADING_ZEROS,
                           CHIP_OP_ABS,    CHIP_OP_SIGN};
  for (int t = TENSOR_S2; t <= TENSOR_U64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    const size_t count = tensor_dtype_is_signed(dtype) ? POD_COUNT_OF(ops) : 4;
    for (size_t o = 0; o < count; o++) {
      kernel_case_t *c = make_case(ops[o], 1, dtype, dtype);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        assert_integer(c, i,
                       reference_integer(ops[o], integer_of(&c->arrays[0], i), dtype));
      }
      case_free(c);
    }
  }
}

static void test_truth_values_are_added_by_or_and_multiplied_by_and(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_ADD,      CHIP_OP_OR,  CHIP_OP_MAXIMUM,
                           CHIP_OP_MULTIPLY, CHIP_OP_AND, CHIP_OP_MINIMUM,
                           CHIP_OP_XOR};
  for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
    kernel_case_t *c = make_case(ops[o], 2, TENSOR_PRED, TENSOR_PRED);
    assert_runs(c);
    for (int64_t i = 0; i < COUNT; i++) {
      const int64_t x = integer_of(&c->arrays[0], i), y = integer_of(&c->arrays[1], i);
      assert_integer(c, i, o < 3 ? x | y : o < 6 ? x & y : x ^ y);
    }
    case_free(c);
  }
  kernel_case_t *c = make_case(CHIP_OP_NOT, 1, TENSOR_PRED, TENSOR_PRED);
  assert_runs(c);
  for (int64_t i = 0; i < COUNT; i++) {
    assert_integer(c, i, 1 - integer_of(&c->arrays[0], i));
  }
  case_free(c);
}

// ----- convert -----

// Twice, because a number of the specification's rules meet: from what, to what.
static void expected_conversion(const tensor_array_t *in, int64_t i, tensor_dtype_t to,
                                char *element) {
  const tensor_dtype_t from = in->shape.dtype;
  const bool is_from_float = tensor_dtype_is_float(from) || tensor_dtype_is_complex(from);
  if (!is_from_float && from != TENSOR_U64) {
    tensor_element_from_int64(to, integer_of(in, i), element);
    return;
  }
  if (from == TENSOR_U64) {
    const uint64_t value = (uint64_t)integer_of(in, i);
    if (tensor_dtype_is_integer(to) || to == TENSOR_PRED) {
      tensor_element_from_int64(to, (int64_t)value, element);
    } else if (to == TENSOR_F32 || to == TENSOR_C64) {
      const float parts[2] = {(float)value, 0};
      memcpy(element, parts, tensor_dtype_bytes(to));
    } else {  // To odd, for the types of 16 bits and fewer.
      const bool is_large = value >> 53 != 0;
      const uint64_t odd =
          (value & ~(uint64_t)0x7ff) | ((value & 0x7ff) != 0 ? 0x800u : 0);
      const bool is_double = to == TENSOR_F64 || to == TENSOR_C128;
      tensor_element_from_double(to, (double)(is_large && !is_double ? odd : value),
                                 element);
    }
    return;
  }
  const double value = number_of(in, i);
  if (!tensor_dtype_is_integer(to)) {
    tensor_element_from_double(to, to == TENSOR_PRED ? value != 0 : value, element);
    return;
  }
  const double low =
      tensor_dtype_is_signed(to) ? -exp2((double)tensor_dtype_device_bits(to) - 1) : 0;
  const double above =
      exp2((double)tensor_dtype_device_bits(to) - (tensor_dtype_is_signed(to) ? 1 : 0));
  const uint64_t largest =
      (tensor_dtype_is_signed(to) ? width_mask(to) >> 1 : width_mask(to));
  if (isnan(value)) {
    tensor_element_from_int64(to, 0, element);
  } else if (value >= above) {
    tensor_element_from_int64(to, (int64_t)largest, element);
  } else if (value <= low) {
    tensor_element_from_double(to, low, element);
  } else {
    tensor_element_from_double(to, trunc(value), element);
  }
}

static void check_conversion(tensor_dtype_t from, tensor_dtype_t to) {
  const int64_t dims[] = {COUNT};
  kernel_case_t *c = case_make(CHIP_OP_CONVERT);
  tensor_array_t *in = case_operand(c, from, 1, dims, "zeros");
  if (tensor_dtype_is_complex(from)) {
    assert_null(tensor_fill("random:3", in));
  } else {
    fill(in, 0);
  }
  const tensor_array_t *out = case_result(c, to, 1, dims);
  assert_runs(c);
  for (int64_t i = 0; i < COUNT; i++) {
    char expected[16];
    if (tensor_dtype_is_complex(from) && tensor_dtype_is_complex(to)) {
      continue;  // Both parts are looked at in a test of its own.
    }
    expected_conversion(in, i, to, expected);
    const bool is_nan = tensor_dtype_is_float(to) &&
                        isnan(tensor_element_as_double(to, expected)) &&
                        isnan(number_of(out, i));
    if (!is_nan && memcmp(element_of(out, i), expected, tensor_dtype_bytes(to)) != 0) {
      fail_msg("%s to %s: element %lld, %.17g, is %.17g instead of %.17g",
               tensor_dtype_name(from), tensor_dtype_name(to), (long long)i,
               number_of(in, i), number_of(out, i),
               tensor_element_as_double(to, expected));
    }
  }
  case_free(c);
}

static bool saturates_twice(tensor_dtype_t from, tensor_dtype_t to) {
  // Floats to 2 and 4 bits go through 8 bits and keep the low ones.
  return !tensor_dtype_is_integer(from) && from != TENSOR_PRED &&
         tensor_dtype_is_integer(to) && tensor_dtype_device_bits(to) < 8;
}

static void test_every_type_converts_to_every_other(void **state) {
  (void)state;
  for (int from = 1; from < TENSOR_DTYPE_COUNT; from++) {
    for (int to = 1; to < TENSOR_DTYPE_COUNT; to++) {
      if (!saturates_twice((tensor_dtype_t)from, (tensor_dtype_t)to)) {
        check_conversion((tensor_dtype_t)from, (tensor_dtype_t)to);
      }
    }
  }
}

static void test_complex_conversions_keep_both_parts(void **state) {
  (void)state;
  const int64_t dims[] = {COUNT};
  kernel_case_t *c = case_make(CHIP_OP_CONVERT);
  const float *in = case_operand(c, TENSOR_C64, 1, dims, "random:3")->data;
  const double *out = case_result(c, TENSOR_C128, 1, dims)->data;
  assert_runs(c);
  for (int i = 0; i < 2 * COUNT; i++) {
    assert_true(out[i] == (double)in[i]);
  }
  case_free(c);
}

// ----- compare, select, clamp -----

static bool compared(int direction, double x, double y) {
  switch (direction) {
    case CHIP_COMPARISON_EQ:
      return x == y;
    case CHIP_COMPARISON_NE:
      return x != y;
    case CHIP_COMPARISON_GE:
      return x >= y;
    case CHIP_COMPARISON_GT:
      return x > y;
    case CHIP_COMPARISON_LE:
      return x <= y;
    default:
      return x < y;
  }
}

static int64_t three_way(tensor_dtype_t dtype, int64_t x, int64_t y) {
  if (tensor_dtype_is_signed(dtype)) {
    return x < y ? -1 : x > y;
  }
  return (uint64_t)x < (uint64_t)y ? -1 : (uint64_t)x > (uint64_t)y;
}

static void test_comparisons_in_every_type_and_direction(void **state) {
  (void)state;
  for (int t = 1; t <= TENSOR_F64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    for (int direction = 0; direction < 6; direction++) {
      kernel_case_t *c = make_case(CHIP_OP_COMPARE, 2, dtype, TENSOR_PRED);
      case_attr_one(c, CHIP_ATTR_COMPARISON_DIRECTION, direction);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const tensor_array_t *a = &c->arrays[0], *b = &c->arrays[1];
        const bool expected =
            tensor_dtype_is_float(dtype)
                ? compared(direction, number_of(a, i), number_of(b, i))
                : compared(direction,
                           (double)three_way(dtype, integer_of(a, i), integer_of(b, i)),
                           0);
        assert_int_equal(*element_of(&c->arrays[2], i), expected);
      }
      case_free(c);
    }
  }
}

// -NaN < -inf < … < -0 < +0 < … < inf < NaN.
static double rank_of(double x) {
  if (isnan(x)) {
    return signbit(x) ? -3 : 3;
  }
  return 0;
}

static void test_total_order_places_nan_and_zeros(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_BF16, TENSOR_F16, TENSOR_F32, TENSOR_F64};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (int direction = 0; direction < 6; direction++) {
      kernel_case_t *c = make_case(CHIP_OP_COMPARE, 2, types[t], TENSOR_PRED);
      case_attr_one(c, CHIP_ATTR_COMPARISON_DIRECTION, direction);
      case_attr_one(c, CHIP_ATTR_COMPARE_TYPE, CHIP_COMPARE_TOTAL_ORDER);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const double x = number_of(&c->arrays[0], i), y = number_of(&c->arrays[1], i);
        double difference = rank_of(x) - rank_of(y);
        if (difference == 0 && !isnan(x)) {
          difference = x < y ? -1 : x > y ? 1 : (double)(!signbit(x) - !signbit(y));
        }
        assert_int_equal(*element_of(&c->arrays[2], i),
                         compared(direction, difference, 0));
      }
      case_free(c);
    }
  }
}

static void test_complex_numbers_are_equal_or_not(void **state) {
  (void)state;
  const int64_t dims[] = {3};
  const double a[] = {1, 2, 1, 2, 3, 4}, b[] = {1, 2, 1, 3, 0, 4};
  for (int direction = 0; direction < 3; direction++) {
    kernel_case_t *c = case_make(CHIP_OP_COMPARE);
    memcpy(case_operand(c, TENSOR_C128, 1, dims, "zeros")->data, a, sizeof(a));
    memcpy(case_operand(c, TENSOR_C128, 1, dims, "zeros")->data, b, sizeof(b));
    const tensor_array_t *out = case_result(c, TENSOR_PRED, 1, dims);
    case_attr_one(c, CHIP_ATTR_COMPARISON_DIRECTION, direction);
    const pod_status_t status = case_run(c);
    if (direction == CHIP_COMPARISON_GE) {
      assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
    } else {
      assert_null(status);
      assert_memory_equal(out->data,
                          direction == CHIP_COMPARISON_EQ ? "\1\0\0" : "\0\1\1", 3);
    }
    pod_status_free(status);
    case_free(c);
  }
}

static void test_select_takes_elements_or_the_whole(void **state) {
  (void)state;
  const int64_t dims[] = {COUNT};
  const tensor_dtype_t types[] = {TENSOR_PRED, TENSOR_BF16, TENSOR_F32, TENSOR_S64,
                                  TENSOR_C128};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (int shape = 0; shape < 3;
         shape++) {  // By element, all of one, all of the other.
      kernel_case_t *c = case_make(CHIP_OP_SELECT);
      const tensor_array_t *pred = case_operand(c, TENSOR_PRED, shape == 0 ? 1 : 0, dims,
                                                shape == 0   ? "random:1"
                                                : shape == 1 ? "ones"
                                                             : "zeros");
      const tensor_array_t *a = case_operand(c, types[t], 1, dims, "random:2");
      const tensor_array_t *b = case_operand(c, types[t], 1, dims, "random:3");
      const tensor_array_t *out = case_result(c, types[t], 1, dims);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const tensor_array_t *from = *element_of(pred, shape == 0 ? i : 0) != 0 ? a : b;
        assert_memory_equal(element_of(out, i), element_of(from, i),
                            tensor_dtype_bytes(types[t]));
      }
      case_free(c);
    }
  }
}

static void test_clamp_takes_scalar_and_full_bounds(void **state) {
  (void)state;
  const int64_t dims[] = {COUNT};
  for (int t = TENSOR_S2; t <= TENSOR_F64; t++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)t;
    for (int ranks = 0; has_type(dtype) && ranks < 4; ranks++) {
      kernel_case_t *c = case_make(CHIP_OP_CLAMP);
      const tensor_array_t *low = case_operand(c, dtype, ranks & 1, dims, "random:1");
      tensor_array_t *in = case_operand(c, dtype, 1, dims, "random:2");
      fill(in, 0);
      const tensor_array_t *high = case_operand(c, dtype, ranks >> 1, dims, "const:1");
      const tensor_array_t *out = case_result(c, dtype, 1, dims);
      assert_runs(c);
      for (int64_t i = 0; i < COUNT; i++) {
        const double below = number_of(low, (ranks & 1) != 0 ? i : 0);
        const double above = number_of(high, (ranks >> 1) != 0 ? i : 0);
        const double expected = reference_binary(
            CHIP_OP_MINIMUM, reference_binary(CHIP_OP_MAXIMUM, number_of(in, i), below),
            above);
        assert_true(number_of(out, i) == expected ||
                    (isnan(expected) && isnan(number_of(out, i))));
      }
      case_free(c);
    }
  }
}

// ----- complex -----

static void test_complex_functions_agree_with_libm(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_EXPONENTIAL,
                           CHIP_OP_LOG,
                           CHIP_OP_TANH,
                           CHIP_OP_SINE,
                           CHIP_OP_COSINE,
                           CHIP_OP_SQRT,
                           CHIP_OP_EXPONENTIAL_MINUS_ONE,
                           CHIP_OP_LOG_PLUS_ONE,
                           CHIP_OP_LOGISTIC,
                           CHIP_OP_RSQRT,
                           CHIP_OP_TAN,
                           CHIP_OP_NEGATE,
                           CHIP_OP_CBRT,
                           CHIP_OP_SIGN};
  const int64_t dims[] = {COUNT};
  for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
    kernel_case_t *c = case_make(ops[o]);
    const double _Complex *in = case_operand(c, TENSOR_C128, 1, dims, "random:5")->data;
    const double _Complex *out = case_result(c, TENSOR_C128, 1, dims)->data;
    assert_runs(c);
    for (int i = 0; i < COUNT; i++) {
      const double _Complex z = in[i];
      const double _Complex expected[] = {
          cexp(z),          clog(z),     ctanh(z),
          csin(z),          ccos(z),     csqrt(z),
          cexp(z) - 1,      clog(1 + z), 1 / (1 + cexp(-z)),
          1 / csqrt(z),     ctan(z),     -z,
          cpow(z, 1.0 / 3), z / cabs(z)};
      assert_true(cabs(out[i] - expected[o]) <= 1e-14 * (1 + cabs(expected[o])));
    }
    case_free(c);
  }
}

static void test_complex_arithmetic_is_the_textbook_one(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_ADD, CHIP_OP_SUBTRACT, CHIP_OP_MULTIPLY,
                           CHIP_OP_DIVIDE, CHIP_OP_POWER};
  const int64_t dims[] = {COUNT};
  for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
    kernel_case_t *c = case_make(ops[o]);
    const float _Complex *a = case_operand(c, TENSOR_C64, 1, dims, "random:5")->data;
    const float _Complex *b = case_operand(c, TENSOR_C64, 1, dims, "random:6")->data;
    const float _Complex *out = case_result(c, TENSOR_C64, 1, dims)->data;
    assert_runs(c);
    for (int i = 0; i < COUNT; i++) {
      const double _Complex z = (double _Complex)a[i], w = (double _Complex)b[i];
      const double _Complex expected[] = {z + w, z - w, z * w, z / w, cpow(z, w)};
      const double error = cabs((double _Complex)out[i] - expected[o]);
      assert_true(error <= 0x1p-22 * (1 + cabs(expected[o])));
    }
    case_free(c);
  }
}

static void test_complex_magnitude_is_real(void **state) {
  (void)state;
  const int64_t dims[] = {2};
  const float numbers[] = {3, -4, 1e30f, 1e30f};
  kernel_case_t *c = case_make(CHIP_OP_ABS);
  memcpy(case_operand(c, TENSOR_C64, 1, dims, "zeros")->data, numbers, sizeof(numbers));
  const float *out = case_result(c, TENSOR_F32, 1, dims)->data;
  assert_runs(c);
  assert_true(out[0] == 5 && out[1] == (float)hypot(1e30f, 1e30f));
  case_free(c);
}

// ----- the rest -----

static void test_results_may_be_an_operands_buffer(void **state) {
  (void)state;
  const tensor_dtype_t types[] = {TENSOR_F32, TENSOR_BF16, TENSOR_S32, TENSOR_S4};
  const chip_op_t ops[] = {CHIP_OP_ADD, CHIP_OP_NEGATE, CHIP_OP_MAXIMUM};
  for (size_t t = 0; t < POD_COUNT_OF(types); t++) {
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      kernel_case_t *c =
          make_case(ops[o], ops[o] == CHIP_OP_NEGATE ? 1 : 2, types[t], types[t]);
      assert_runs(c);
      assert_null(case_run_at(c, true));
      assert_memory_equal(c->arrays[0].data, c->arrays[c->results[0]].data,
                          COUNT * tensor_dtype_bytes(types[t]));
      case_free(c);
    }
  }
}

// A shard must have the bits that the whole array has.
static void test_an_element_has_the_same_bits_at_every_place(void **state) {
  (void)state;
  const chip_op_t ops[] = {CHIP_OP_EXPONENTIAL, CHIP_OP_TANH,  CHIP_OP_LOG,
                           CHIP_OP_LOGISTIC,    CHIP_OP_RSQRT, CHIP_OP_SINE};
  for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
    kernel_case_t *whole = make_case(ops[o], 1, TENSOR_F32, TENSOR_F32);
    assert_runs(whole);
    for (int64_t size = 1; size < 40; size += 3) {
      kernel_case_t *part = case_make(ops[o]);
      const int64_t first = 1100 + 7 * size;
      memcpy(case_operand(part, TENSOR_F32, 1, &size, "zeros")->data,
             element_of(&whole->arrays[0], first), (size_t)size * sizeof(float));
      const tensor_array_t *out = case_result(part, TENSOR_F32, 1, &size);
      assert_runs(part);
      assert_memory_equal(out->data, element_of(&whole->arrays[1], first),
                          (size_t)size * sizeof(float));
      case_free(part);
    }
    case_free(whole);
  }
}

static void test_what_a_type_has_not_is_unimplemented(void **state) {
  (void)state;
  const int64_t dims[] = {4};
  kernel_case_t *c = case_make(CHIP_OP_AND);
  case_operand(c, TENSOR_F32, 1, dims, "ones");
  case_operand(c, TENSOR_F32, 1, dims, "ones");
  case_result(c, TENSOR_F32, 1, dims);
  const pod_status_t status = case_run(c);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  assert_string_equal(pod_status_message(status),
                      "tested: stablehlo.and is not implemented for f32");
  pod_status_free(status);
  case_free(c);
}

static void test_arrays_of_0_and_1_elements(void **state) {
  (void)state;
  for (int64_t size = 0; size < 2; size++) {
    for (int t = 1; t < TENSOR_DTYPE_COUNT; t++) {
      kernel_case_t *c = case_make(CHIP_OP_ADD);
      case_operand(c, (tensor_dtype_t)t, 1, &size, "ones");
      case_operand(c, (tensor_dtype_t)t, 1, &size, "zeros");
      const tensor_array_t *out = case_result(c, (tensor_dtype_t)t, 1, &size);
      assert_runs(c);
      assert_true(size == 0 || t == TENSOR_F8E8M0FNU || number_of(out, 0) == 1.0);
      case_free(c);
    }
  }
}

// ----- reduce_precision -----

// A normal number with `mantissa` bits of fraction, or what it becomes when its exponent
// does not fit.
static double reduced(double x, int exponent, int mantissa) {
  int own;
  const double fraction = frexp(x, &own);
  const double rounded =
      ldexp(nearbyint(ldexp(fraction, mantissa + 1)), own - mantissa - 1);
  frexp(rounded, &own);
  const int largest = (1 << (exponent - 1)) - 1;
  return own - 1 > largest     ? copysign(INFINITY, x)
         : own - 1 <= -largest ? copysign(0, x)
                               : rounded;
}

static void test_reduce_precision_rounds_and_limits(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {TENSOR_F32, TENSOR_BF16};
  const int64_t count = 1031;
  pod_random_t random = {11};
  for (int n = 0; n < 200; n++) {
    const tensor_dtype_t dtype = dtypes[n % 2];
    const int own_mantissa = dtype == TENSOR_F32 ? 23 : 7;
    const int exponent = 1 + (int)pod_random_below(&random, 8);
    // Without fraction the last bit of the exponent says what is even.
    const int mantissa = 1 + (int)pod_random_below(&random, (uint64_t)own_mantissa + 1);
    kernel_case_t *c = case_make(CHIP_OP_REDUCE_PRECISION);
    tensor_array_t *in = case_operand(c, dtype, 1, &count, "random:5");
    const tensor_array_t *out = case_result(c, dtype, 1, &count);
    for (int64_t i = 0; i < count; i++) {
      const double x = number_of(in, i) + 2;  // Not 0.
      const int scale = (int)pod_random_below(&random, 240) - 122;
      tensor_element_from_double(dtype, ldexp(i % 3 == 0 ? -x : x, scale),
                                 mutable_element_of(in, i));
    }
    case_attr_one(c, CHIP_ATTR_EXPONENT_BITS, exponent);
    case_attr_one(c, CHIP_ATTR_MANTISSA_BITS, mantissa);
    assert_runs(c);
    for (int64_t i = 0; i < count; i++) {
      const int kept = mantissa < own_mantissa ? mantissa : own_mantissa;
      const double expected = reduced(number_of(in, i), exponent, kept);
      if (number_of(out, i) != expected) {
        fail_msg("%a with %d and %d bits: %a instead of %a", number_of(in, i), exponent,
                 mantissa, number_of(out, i), expected);
      }
    }
    case_free(c);
  }
}

// ----- division of bytes -----

static void test_all_bytes_are_divided_by_all_bytes(void **state) {
  (void)state;
  static const tensor_dtype_t dtypes[] = {TENSOR_S8, TENSOR_U8};
  static const chip_op_t ops[] = {CHIP_OP_DIVIDE, CHIP_OP_REMAINDER};
  const int64_t count = 1 << 16;
  for (int n = 0; n < 4; n++) {
    const tensor_dtype_t dtype = dtypes[n % 2];
    kernel_case_t *c = case_make(ops[n / 2]);
    uint8_t *a = case_operand(c, dtype, 1, &count, "zeros")->data;
    uint8_t *b = case_operand(c, dtype, 1, &count, "zeros")->data;
    const uint8_t *out = case_result(c, dtype, 1, &count)->data;
    for (int i = 0; i < count; i++) {
      a[i] = (uint8_t)(i >> 8);
      b[i] = (uint8_t)i;
    }
    assert_runs(c);
    for (int i = 0; i < count; i++) {
      const int x = dtype == TENSOR_S8 ? (int8_t)a[i] : a[i];
      const int y = dtype == TENSOR_S8 ? (int8_t)b[i] : b[i];
      const int quotient = y == 0 ? -1 : x / y, rest = y == 0 ? x : x % y;
      assert_int_equal(out[i], (uint8_t)(n / 2 == 0 ? quotient : rest));
    }
    case_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float_operations_are_within_their_tolerance_in_every_type),
      cmocka_unit_test(test_functions_are_within_their_tolerance_in_every_type),
      cmocka_unit_test(test_signs_of_zero_and_infinities_are_kept),
      cmocka_unit_test(test_is_finite_knows_infinities_and_nan),
      cmocka_unit_test(test_integer_operations_wrap_in_every_width),
      cmocka_unit_test(test_integer_functions_look_at_their_own_width),
      cmocka_unit_test(test_truth_values_are_added_by_or_and_multiplied_by_and),
      cmocka_unit_test(test_every_type_converts_to_every_other),
      cmocka_unit_test(test_complex_conversions_keep_both_parts),
      cmocka_unit_test(test_comparisons_in_every_type_and_direction),
      cmocka_unit_test(test_total_order_places_nan_and_zeros),
      cmocka_unit_test(test_complex_numbers_are_equal_or_not),
      cmocka_unit_test(test_select_takes_elements_or_the_whole),
      cmocka_unit_test(test_clamp_takes_scalar_and_full_bounds),
      cmocka_unit_test(test_complex_functions_agree_with_libm),
      cmocka_unit_test(test_complex_arithmetic_is_the_textbook_one),
      cmocka_unit_test(test_complex_magnitude_is_real),
      cmocka_unit_test(test_results_may_be_an_operands_buffer),
      cmocka_unit_test(test_an_element_has_the_same_bits_at_every_place),
      cmocka_unit_test(test_what_a_type_has_not_is_unimplemented),
      cmocka_unit_test(test_arrays_of_0_and_1_elements),
      cmocka_unit_test(test_reduce_precision_rounds_and_limits),
      cmocka_unit_test(test_all_bytes_are_divided_by_all_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
