#include "server/program/integer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// The element that an operation leaves in an array of its type.
static int64_t stored(tensor_dtype_t dtype, int64_t value) {
  unsigned char element[16] = {0};
  tensor_element_from_int64(dtype, value, element);
  return tensor_element_as_int64(dtype, element);
}

static int64_t binary(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t y) {
  int64_t value = 0;
  assert_true(chip_integer_binary(op, dtype, x, y, &value));
  return stored(dtype, value);
}

static int64_t unary(chip_op_t op, tensor_dtype_t dtype, int64_t x) {
  int64_t value = 0;
  assert_true(chip_integer_unary(op, dtype, x, &value));
  return stored(dtype, value);
}

static void test_arithmetic_wraps_to_the_width_of_its_type(void **state) {
  (void)state;
  assert_int_equal(binary(CHIP_OP_ADD, TENSOR_S8, 127, 1), -128);
  assert_int_equal(binary(CHIP_OP_SUBTRACT, TENSOR_U8, 0, 1), 255);
  assert_int_equal(binary(CHIP_OP_MULTIPLY, TENSOR_S4, 7, 3), 5);
  assert_int_equal(binary(CHIP_OP_ADD, TENSOR_S64, INT64_MAX, 1), INT64_MIN);
  assert_int_equal(unary(CHIP_OP_NEGATE, TENSOR_S32, INT32_MIN), INT32_MIN);
  assert_int_equal(unary(CHIP_OP_ABS, TENSOR_S8, -5), 5);
}

static void test_unsigned_values_are_ordered_and_divided_as_such(void **state) {
  (void)state;
  assert_int_equal(chip_integer_order(TENSOR_U64, -1, 1), 1);
  assert_int_equal(chip_integer_order(TENSOR_S64, -1, 1), -1);
  assert_int_equal(binary(CHIP_OP_MAXIMUM, TENSOR_U64, -1, 1), -1);
  assert_int_equal(binary(CHIP_OP_DIVIDE, TENSOR_U64, -1, 2), INT64_MAX);
  assert_int_equal(binary(CHIP_OP_REMAINDER, TENSOR_S32, -7, 3), -1);
  assert_int_equal(unary(CHIP_OP_SIGN, TENSOR_U64, -1), 1);
  assert_int_equal(unary(CHIP_OP_ABS, TENSOR_U64, -1), -1);
}

static void test_shifts_stay_within_their_width(void **state) {
  (void)state;
  assert_int_equal(binary(CHIP_OP_SHIFT_LEFT, TENSOR_S8, 1, 7), -128);
  assert_int_equal(binary(CHIP_OP_SHIFT_LEFT, TENSOR_S8, 1, 8), 0);
  assert_int_equal(binary(CHIP_OP_SHIFT_LEFT, TENSOR_S64, 1, 63), INT64_MIN);
  assert_int_equal(binary(CHIP_OP_SHIFT_LEFT, TENSOR_S32, 1, -1), 0);
  assert_int_equal(binary(CHIP_OP_SHIFT_RIGHT_LOGICAL, TENSOR_S4, -1, 1), 7);
  assert_int_equal(binary(CHIP_OP_SHIFT_RIGHT_LOGICAL, TENSOR_S32, -1, 31), 1);
  assert_int_equal(binary(CHIP_OP_SHIFT_RIGHT_ARITHMETIC, TENSOR_S16, -5, 1), -3);
  assert_int_equal(binary(CHIP_OP_SHIFT_RIGHT_ARITHMETIC, TENSOR_S16, -5, 99), -1);
  assert_int_equal(binary(CHIP_OP_SHIFT_RIGHT_ARITHMETIC, TENSOR_U8, 0x80, 1), 0xc0);
}

static void test_truth_values_are_added_by_or(void **state) {
  (void)state;
  int64_t value;
  assert_int_equal(binary(CHIP_OP_ADD, TENSOR_PRED, 1, 1), 1);
  assert_int_equal(binary(CHIP_OP_MULTIPLY, TENSOR_PRED, 1, 0), 0);
  assert_int_equal(unary(CHIP_OP_NOT, TENSOR_PRED, 1), 0);
  assert_false(chip_integer_binary(CHIP_OP_SUBTRACT, TENSOR_PRED, 1, 1, &value));
}

static void test_what_has_no_result_is_left_alone(void **state) {
  (void)state;
  int64_t value = 42;
  assert_false(chip_integer_binary(CHIP_OP_DIVIDE, TENSOR_S32, 1, 0, &value));
  assert_false(chip_integer_binary(CHIP_OP_REMAINDER, TENSOR_U64, 1, 0, &value));
  assert_false(chip_integer_binary(CHIP_OP_DIVIDE, TENSOR_S64, INT64_MIN, -1, &value));
  assert_false(chip_integer_binary(CHIP_OP_ATAN2, TENSOR_S32, 1, 1, &value));
  assert_false(chip_integer_unary(CHIP_OP_TANH, TENSOR_S32, 1, &value));
  assert_int_equal(value, 42);
}

static void test_comparisons_hold_by_order(void **state) {
  (void)state;
  static const bool holds[][3] = {
      // Less, equal, greater.
      [CHIP_COMPARISON_EQ] = {false, true, false},
      [CHIP_COMPARISON_NE] = {true, false, true},
      [CHIP_COMPARISON_GE] = {false, true, true},
      [CHIP_COMPARISON_GT] = {false, false, true},
      [CHIP_COMPARISON_LE] = {true, true, false},
      [CHIP_COMPARISON_LT] = {true, false, false},
  };
  for (int direction = CHIP_COMPARISON_EQ; direction <= CHIP_COMPARISON_LT; direction++) {
    for (int order = -1; order <= 1; order++) {
      assert_int_equal(chip_comparison_holds(direction, order),
                       holds[direction][order + 1]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arithmetic_wraps_to_the_width_of_its_type),
      cmocka_unit_test(test_unsigned_values_are_ordered_and_divided_as_such),
      cmocka_unit_test(test_shifts_stay_within_their_width),
      cmocka_unit_test(test_truth_values_are_added_by_or),
      cmocka_unit_test(test_what_has_no_result_is_left_alone),
      cmocka_unit_test(test_comparisons_hold_by_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
