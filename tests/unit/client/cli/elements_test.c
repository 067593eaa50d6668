#include "client/cli/elements.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tensor_array_t array_of(tensor_dtype_t dtype, int64_t count, void *data) {
  return (tensor_array_t){.shape = tensor_shape_make(dtype, 1, &count), .data = data};
}

static cli_difference_t compare(tensor_dtype_t dtype, int64_t count, void *a, void *b) {
  const tensor_array_t result = array_of(dtype, count, a);
  const tensor_array_t expected = array_of(dtype, count, b);
  return cli_elements_compare(&result, &expected);
}

static void assert_printed(const tensor_array_t *array, const char *expected) {
  pod_text_t text = {0};
  cli_elements_print(&text, array, 2);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_a_nan_equals_only_a_nan_at_the_same_place(void **state) {
  (void)state;
  float same[] = {1, NAN, 3}, moved[] = {NAN, 2, 3}, none[] = {1, 2, 3};
  cli_difference_t found = compare(TENSOR_F32, 3, same, same);
  assert_true(cli_difference_passes(&found, 0));
  assert_int_equal(found.nan_alike, 1);
  found = compare(TENSOR_F32, 3, same, none);
  assert_false(cli_difference_passes(&found, 1e30));
  assert_int_equal(found.nan_result, 1);
  assert_int_equal(found.worst, 1);
  found = compare(TENSOR_F32, 3, none, same);
  assert_false(cli_difference_passes(&found, 1e30));
  assert_int_equal(found.nan_expected, 1);
  found = compare(TENSOR_F32, 3, same, moved);
  assert_false(cli_difference_passes(&found, INFINITY));
  assert_int_equal(found.nan_result, 1);
  assert_int_equal(found.nan_expected, 1);
  assert_int_equal(found.worst, 0);
}

static void test_infinities_are_equal_by_sign_and_are_no_scale(void **state) {
  (void)state;
  double a[] = {INFINITY, 1}, b[] = {INFINITY, 2}, c[] = {-INFINITY, 1}, d[] = {5, 1};
  cli_difference_t found = compare(TENSOR_F64, 2, a, a);
  assert_true(cli_difference_passes(&found, 0));
  found = compare(TENSOR_F64, 2, b, a);  // 2 for 1, beside an infinity.
  assert_false(cli_difference_passes(&found, 0.5));
  assert_true(cli_difference_passes(&found, 1));
  found = compare(TENSOR_F64, 2, a, c);
  assert_false(cli_difference_passes(&found, INFINITY));
  found = compare(TENSOR_F64, 2, d, a);
  assert_false(cli_difference_passes(&found, INFINITY));
}

static void test_both_parts_of_a_complex_number_are_compared_and_printed(void **state) {
  (void)state;
  float a[] = {1, 2, 3, -4, 5, 6}, b[] = {1, 2, 3, 4, 5, 6};
  const cli_difference_t found = compare(TENSOR_C64, 3, a, b);
  assert_true(found.largest == 8);
  assert_int_equal(found.worst, 1);
  const tensor_array_t array = array_of(TENSOR_C64, 3, a);
  assert_printed(&array, "1+2i, 3-4i, …");
  float nans[] = {1, NAN};
  const cli_difference_t nan = compare(TENSOR_C64, 1, nans, b);
  assert_int_equal(nan.nan_result, 1);
}

static void test_a_nan_is_printed_without_its_sign(void **state) {
  (void)state;
  float values[] = {-NAN, -INFINITY, -INFINITY, -NAN};
  const tensor_array_t array = array_of(TENSOR_F32, 2, values);
  assert_printed(&array, "nan, -inf");
  const tensor_array_t complex = array_of(TENSOR_C64, 2, values);
  assert_printed(&complex, "nan-infi, -inf+nani");
}

static void test_large_integers_are_neither_rounded_nor_signed(void **state) {
  (void)state;
  uint64_t a[] = {UINT64_MAX, 1}, b[] = {UINT64_MAX - 1, 1};
  const cli_difference_t found = compare(TENSOR_U64, 2, a, b);
  assert_false(cli_difference_passes(&found, 0));
  assert_int_equal(found.worst, 0);
  const tensor_array_t array = array_of(TENSOR_U64, 2, a);
  assert_printed(&array, "18446744073709551615, 1");
}

static void test_a_difference_is_relative_to_the_largest_expected_value(void **state) {
  (void)state;
  int32_t a[] = {100, 3}, b[] = {100, 2}, zero[] = {0, 0};
  cli_difference_t found = compare(TENSOR_S32, 2, a, b);
  assert_true(cli_difference_error(&found) == 0.01);
  assert_int_equal(found.worst, 1);
  found = compare(TENSOR_S32, 2, a, zero);
  assert_true(cli_difference_error(&found) == 100);
}

static void test_the_place_of_an_element_is_told_by_dimension(void **state) {
  (void)state;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 3, (int64_t[]){2, 3, 4});
  const tensor_shape_t scalar = {.dtype = TENSOR_F32};
  pod_text_t text = {0};
  cli_element_print_index(&text, &shape, 23);
  cli_element_print_index(&text, &shape, 6);
  cli_element_print_index(&text, &scalar, 0);
  assert_string_equal(text.bytes, "[1, 2, 3][0, 1, 2][]");
  pod_text_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_nan_equals_only_a_nan_at_the_same_place),
      cmocka_unit_test(test_infinities_are_equal_by_sign_and_are_no_scale),
      cmocka_unit_test(test_both_parts_of_a_complex_number_are_compared_and_printed),
      cmocka_unit_test(test_a_nan_is_printed_without_its_sign),
      cmocka_unit_test(test_large_integers_are_neither_rounded_nor_signed),
      cmocka_unit_test(test_a_difference_is_relative_to_the_largest_expected_value),
      cmocka_unit_test(test_the_place_of_an_element_is_told_by_dimension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
