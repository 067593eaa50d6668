#include "common/tensor/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"

static void test_every_name_parses_back_in_both_spellings(void **state) {
  (void)state;
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    const char *name = tensor_dtype_name(dtype);
    const char *mlir = tensor_dtype_mlir_name(dtype);
    assert_int_equal(tensor_dtype_parse(name, strlen(name)), dtype);
    assert_int_equal(tensor_dtype_parse(mlir, strlen(mlir)), dtype);
    assert_true(tensor_dtype_bytes(dtype) > 0);
    assert_true(tensor_dtype_device_bits(dtype) <= 8 * tensor_dtype_bytes(dtype));
  }
  assert_int_equal(tensor_dtype_parse("f31", 3), TENSOR_INVALID);
  assert_int_equal(tensor_dtype_parse("f3", 2), TENSOR_INVALID);
  assert_int_equal(tensor_dtype_parse("", 0), TENSOR_INVALID);
  assert_int_equal(tensor_dtype_parse("invalid", 7), TENSOR_INVALID);
  assert_int_equal(tensor_dtype_bytes(TENSOR_INVALID), 0);
  assert_string_equal(tensor_dtype_name((tensor_dtype_t)99), "invalid");
}

static void test_every_type_is_of_one_class(void **state) {
  (void)state;
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    const int classes = tensor_dtype_is_float(dtype) + tensor_dtype_is_complex(dtype) +
                        tensor_dtype_is_signed(dtype) + tensor_dtype_is_unsigned(dtype);
    assert_int_equal(classes, dtype == TENSOR_PRED ? 0 : 1);
  }
  assert_true(tensor_dtype_is_integer(TENSOR_U2));
  assert_false(tensor_dtype_is_integer(TENSOR_PRED));
}

typedef struct {
  tensor_dtype_t dtype;
  unsigned bits;
  double value;
} known_t;

// From the OCP microscaling and 8-bit formats specifications, and IEEE 754.
static void test_small_floats_have_the_values_of_their_specifications(void **state) {
  (void)state;
  const known_t known[] = {
      {TENSOR_F4E2M1FN, 0x7, 6.0},
      {TENSOR_F4E2M1FN, 0x1, 0.5},
      {TENSOR_F4E2M1FN, 0xf, -6.0},
      {TENSOR_F6E2M3FN, 0x1f, 7.5},
      {TENSOR_F6E2M3FN, 0x01, 0.125},
      {TENSOR_F6E3M2FN, 0x1f, 28.0},
      {TENSOR_F6E3M2FN, 0x01, 0.0625},
      {TENSOR_F8E3M4, 0x6f, 15.5},
      {TENSOR_F8E3M4, 0x70, (double)INFINITY},
      {TENSOR_F8E4M3, 0x77, 240.0},
      {TENSOR_F8E4M3FN, 0x7e, 448.0},
      {TENSOR_F8E4M3FN, 0x01, 0x1p-9},
      {TENSOR_F8E4M3FNUZ, 0x7f, 240.0},
      {TENSOR_F8E4M3B11FNUZ, 0x7f, 30.0},
      {TENSOR_F8E5M2, 0x7b, 57344.0},
      {TENSOR_F8E5M2, 0xfc, -(double)INFINITY},
      {TENSOR_F8E5M2FNUZ, 0x7f, 57344.0},
      {TENSOR_F8E8M0FNU, 0x00, 0x1p-127},
      {TENSOR_F8E8M0FNU, 0xfe, 0x1p127},
      {TENSOR_BF16, 0x3f80, 1.0},
      {TENSOR_BF16, 0x0001, 0x1p-133},
      {TENSOR_F16, 0x7bff, 65504.0},
      {TENSOR_F16, 0x0001, 0x1p-24},
  };
  for (size_t i = 0; i < POD_COUNT_OF(known); i++) {
    const uint16_t bits = (uint16_t)known[i].bits;
    assert_true(tensor_element_as_double(known[i].dtype, &bits) == known[i].value);
  }
}

static void test_every_small_float_comes_back_from_its_double(void **state) {
  (void)state;
  for (int i = TENSOR_F4E2M1FN; i <= TENSOR_F16; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    const unsigned count = 1u << tensor_dtype_device_bits(dtype);
    for (unsigned bits = 0; bits < count; bits++) {
      const uint16_t in = (uint16_t)bits;
      uint16_t out = 0;
      const double value = tensor_element_as_double(dtype, &in);
      tensor_element_from_double(dtype, value, &out);
      if (isnan(value)) {
        assert_true(isnan(tensor_element_as_double(dtype, &out)));
      } else {
        assert_int_equal(in, out);
      }
    }
  }
}

// The reference: of the two neighbours of a value the nearer one, the even one at a tie.
static void test_small_floats_round_to_nearest_even(void **state) {
  (void)state;
  pod_random_t random = {.state = 7};
  for (int i = TENSOR_F4E2M1FN; i <= TENSOR_F16; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    if (dtype == TENSOR_F8E8M0FNU) {
      continue;
    }
    const unsigned count = 1u << (tensor_dtype_device_bits(dtype) - 1);
    for (int trial = 0; trial < 2000; trial++) {
      const uint16_t low = (uint16_t)pod_random_below(&random, count - 1);
      const uint16_t high = (uint16_t)(low + 1);
      const double a = tensor_element_as_double(dtype, &low);
      const double b = tensor_element_as_double(dtype, &high);
      if (!isfinite(a) || !isfinite(b)) {
        continue;
      }
      const double part = trial % 4 == 0 ? 0.5 : pod_random_uniform(&random);
      const double value = a + (b - a) * part;
      uint16_t out = 0;
      tensor_element_from_double(dtype, value, &out);
      const uint16_t even = low % 2 == 0 ? low : high;
      assert_int_equal(out, part < 0.5 ? low : part > 0.5 ? high : even);
      tensor_element_from_double(dtype, -value, &out);
      const unsigned magnitude = out & (count - 1);
      assert_int_equal(magnitude, part < 0.5 ? low : part > 0.5 ? high : even);
    }
  }
}

static double round_trip(tensor_dtype_t dtype, double value) {
  unsigned char element[16];
  tensor_element_from_double(dtype, value, element);
  return tensor_element_as_double(dtype, element);
}

static void test_what_overflows_becomes_what_the_type_has(void **state) {
  (void)state;
  assert_true(isinf(round_trip(TENSOR_BF16, 1e39)));
  assert_true(isinf(round_trip(TENSOR_F16, -65520.0)));
  assert_true(round_trip(TENSOR_F16, 65519.0) == 65504.0);
  assert_true(isnan(round_trip(TENSOR_F8E4M3FN, 1e6)));
  assert_true(isnan(round_trip(TENSOR_F8E4M3FNUZ, (double)INFINITY)));
  assert_true(round_trip(TENSOR_F4E2M1FN, 1e6) == 6.0);
  assert_true(round_trip(TENSOR_F6E3M2FN, -1e6) == -28.0);
  assert_true(isinf(round_trip(TENSOR_F8E5M2, 1e300)));
  assert_true(isnan(round_trip(TENSOR_F8E8M0FNU, -1.0)));
  assert_true(round_trip(TENSOR_F8E8M0FNU, 0.0) == 0x1p-127);
  assert_true(round_trip(TENSOR_F8E8M0FNU, 3.0) == 4.0);
  // -0 does not exist in the "fnuz" types.
  assert_false(signbit(round_trip(TENSOR_F8E4M3FNUZ, -0.0)));
  assert_true(signbit(round_trip(TENSOR_F8E4M3FN, -0.0)));
}

static void test_integers_keep_their_low_bits(void **state) {
  (void)state;
  assert_true(round_trip(TENSOR_U8, 300.0) == 44.0);
  assert_true(round_trip(TENSOR_S8, 200.0) == -56.0);
  assert_true(round_trip(TENSOR_S4, 9.0) == -7.0);
  assert_true(round_trip(TENSOR_U2, 7.0) == 3.0);
  assert_true(round_trip(TENSOR_S2, 3.0) == -1.0);
  assert_true(round_trip(TENSOR_S32, 2.5) == 2.0);
  assert_true(round_trip(TENSOR_S32, (double)NAN) == 0.0);
  assert_true(round_trip(TENSOR_U64, 0x1p63) == 0x1p63);
  assert_true(round_trip(TENSOR_PRED, -3.0) == 1.0);
  int64_t element = 0;
  tensor_element_from_int64(TENSOR_S64, INT64_MIN, &element);
  assert_true(tensor_element_as_int64(TENSOR_S64, &element) == INT64_MIN);
  tensor_element_from_int64(TENSOR_U64, -1, &element);
  assert_true(tensor_element_as_double(TENSOR_U64, &element) == 0x1p64);
}

static void test_bytes_from_elsewhere_become_what_is_stored(void **state) {
  (void)state;
  static const struct {
    tensor_dtype_t dtype;
    uint8_t normalised[4];
  } rows[] = {
      {TENSOR_S4, {0xfe, 0x07, 0xf8, 0x00}}, {TENSOR_U4, {0x0e, 0x07, 0x08, 0x00}},
      {TENSOR_S2, {0xfe, 0xff, 0x00, 0x00}}, {TENSOR_U2, {0x02, 0x03, 0x00, 0x00}},
      {TENSOR_PRED, {1, 1, 1, 0}},           {TENSOR_S8, {0x0e, 0x77, 0xf8, 0x00}}};
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    uint8_t bytes[] = {0x0e, 0x77, 0xf8, 0x00};
    tensor_elements_normalise(rows[i].dtype, bytes, sizeof(bytes));
    assert_memory_equal(bytes, rows[i].normalised, sizeof(bytes));
  }
}

static void test_reading_a_float_as_an_integer_truncates_and_saturates(void **state) {
  (void)state;
  const float values[] = {-2.75f, 1e30f, -1e30f, NAN};
  assert_true(tensor_element_as_int64(TENSOR_F32, &values[0]) == -2);
  assert_true(tensor_element_as_int64(TENSOR_F32, &values[1]) == INT64_MAX);
  assert_true(tensor_element_as_int64(TENSOR_F32, &values[2]) == INT64_MIN);
  assert_true(tensor_element_as_int64(TENSOR_F32, &values[3]) == 0);
}

// 2^60 + 2^52 + 1 is above the middle of two bf16 numbers; rounded to double first it
// would be the middle and go to the even one below.
static void test_large_integers_round_once(void **state) {
  (void)state;
  const int64_t value = ((int64_t)1 << 60) + ((int64_t)1 << 52) + 1;
  uint16_t bits = 0;
  tensor_element_from_int64(TENSOR_BF16, value, &bits);
  assert_true(tensor_element_as_double(TENSOR_BF16, &bits) == 0x1p60 + 0x1p53);
  tensor_element_from_int64(TENSOR_BF16, -value, &bits);
  assert_true(tensor_element_as_double(TENSOR_BF16, &bits) == -(0x1p60 + 0x1p53));
}

static void test_the_inline_bf16_agrees_with_the_table(void **state) {
  (void)state;
  pod_random_t random = {.state = 3};
  for (int i = 0; i < 100000; i++) {
    const uint32_t word = (uint32_t)pod_random_next(&random);
    float value;
    memcpy(&value, &word, sizeof(value));
    uint16_t bits = 0;
    tensor_element_from_double(TENSOR_BF16, (double)value, &bits);
    if (isnan(value)) {
      assert_true(isnan(tensor_bf16_to_f32(tensor_f32_to_bf16(value))));
      assert_true(isnan(tensor_bf16_to_f32(bits)));
    } else {
      assert_int_equal(tensor_f32_to_bf16(value), bits);
    }
  }
}

static void test_complex_elements_have_an_imaginary_part_of_zero(void **state) {
  (void)state;
  float pair[2] = {9, 9};
  tensor_element_from_double(TENSOR_C64, 1.5, pair);
  assert_true(pair[0] == 1.5f && pair[1] == 0.0f);
  double wide[2] = {9, 9};
  tensor_element_from_int64(TENSOR_C128, -2, wide);
  assert_true(wide[0] == -2.0 && wide[1] == 0.0);
  assert_true(tensor_element_as_double(TENSOR_C128, wide) == -2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_name_parses_back_in_both_spellings),
      cmocka_unit_test(test_every_type_is_of_one_class),
      cmocka_unit_test(test_small_floats_have_the_values_of_their_specifications),
      cmocka_unit_test(test_every_small_float_comes_back_from_its_double),
      cmocka_unit_test(test_small_floats_round_to_nearest_even),
      cmocka_unit_test(test_what_overflows_becomes_what_the_type_has),
      cmocka_unit_test(test_integers_keep_their_low_bits),
      cmocka_unit_test(test_bytes_from_elsewhere_become_what_is_stored),
      cmocka_unit_test(test_reading_a_float_as_an_integer_truncates_and_saturates),
      cmocka_unit_test(test_large_integers_round_once),
      cmocka_unit_test(test_the_inline_bf16_agrees_with_the_table),
      cmocka_unit_test(test_complex_elements_have_an_imaginary_part_of_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
