// convert from every element type to every other, and reduce_precision.

#include "tests/unit/server/worker/kernels/values.h"

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
  static const tensor_dtype_t dtypes[] = {TENSOR_F32, TENSOR_BF16, TENSOR_F16,
                                          TENSOR_F64};
  static const int own_mantissas[] = {23, 7, 10, 52};
  const int64_t count = 1031;
  pod_random_t random = {11};
  for (int n = 0; n < 200; n++) {
    const tensor_dtype_t dtype = dtypes[n % 4];
    const int own_mantissa = own_mantissas[n % 4];
    const int exponent = 1 + (int)pod_random_below(&random, 8);
    // Without fraction the last bit of the exponent says what is even.
    const int mantissa = 1 + (int)pod_random_below(&random, (uint64_t)own_mantissa + 1);
    kernel_case_t *c = case_make(CHIP_OP_REDUCE_PRECISION);
    tensor_array_t *in = case_operand(c, dtype, 1, &count, "random:5");
    const tensor_array_t *out = case_result(c, dtype, 1, &count);
    for (int64_t i = 0; i < count; i++) {
      const double x = number_of(in, i) + 2;  // Not 0.
      const int scale = dtype == TENSOR_F16 ? (int)pod_random_below(&random, 28) - 14
                                            : (int)pod_random_below(&random, 240) - 122;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_type_converts_to_every_other),
      cmocka_unit_test(test_complex_conversions_keep_both_parts),
      cmocka_unit_test(test_reduce_precision_rounds_and_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
