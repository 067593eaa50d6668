// Elementwise kernels against scalar references in double and int64, over every element
// type and over values where arithmetic is special.

#include <complex.h>

#include "tests/unit/server/worker/kernels/values.h"

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
      cmocka_unit_test(test_complex_functions_agree_with_libm),
      cmocka_unit_test(test_complex_arithmetic_is_the_textbook_one),
      cmocka_unit_test(test_complex_magnitude_is_real),
      cmocka_unit_test(test_results_may_be_an_operands_buffer),
      cmocka_unit_test(test_an_element_has_the_same_bits_at_every_place),
      cmocka_unit_test(test_what_a_type_has_not_is_unimplemented),
      cmocka_unit_test(test_arrays_of_0_and_1_elements),
      cmocka_unit_test(test_all_bytes_are_divided_by_all_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
