// The checks: what matches what, and what a failure says.

#include "tests/unit/server/worker/kernels/kernel_case.h"

#include <math.h>

#include "server/worker/kernels/loops/floats.h"

static bool holds(chip_op_t op, tensor_dtype_t dtype, const void *a, const void *b) {
  kernel_case_t *c = case_make(op);
  memcpy(case_operand(c, dtype, 0, NULL, "zeros")->data, a, tensor_dtype_bytes(dtype));
  memcpy(case_operand(c, dtype, 0, NULL, "zeros")->data, b, tensor_dtype_bytes(dtype));
  const pod_status_t status = case_run(c);
  const bool result = status == NULL;
  pod_status_free(status);
  case_free(c);
  return result;
}

static bool holds_f32(chip_op_t op, float a, float b) {
  return holds(op, TENSOR_F32, &a, &b);
}

static void test_expect_eq_takes_equal_elements_only(void **state) {
  (void)state;
  const int32_t one = 1, two = 2;
  assert_true(holds(CHIP_OP_EXPECT_EQ, TENSOR_S32, &one, &one));
  assert_false(holds(CHIP_OP_EXPECT_EQ, TENSOR_S32, &one, &two));
  assert_true(holds_f32(CHIP_OP_EXPECT_EQ, -0.0f, 0.0f));
  assert_true(holds_f32(CHIP_OP_EXPECT_EQ, INFINITY, INFINITY));
  assert_false(holds_f32(CHIP_OP_EXPECT_EQ, INFINITY, -INFINITY));
  assert_false(holds_f32(CHIP_OP_EXPECT_EQ, 1.0f, nextafterf(1.0f, 2.0f)));
}

static void test_expect_close_takes_up_to_3_ulp(void **state) {
  (void)state;
  assert_true(holds_f32(CHIP_OP_EXPECT_CLOSE, 1.0f, from_bits_f32(bits_f32(1.0f) + 3)));
  assert_false(holds_f32(CHIP_OP_EXPECT_CLOSE, 1.0f, from_bits_f32(bits_f32(1.0f) + 4)));
  assert_true(holds_f32(CHIP_OP_EXPECT_CLOSE, from_bits_f32(1), -from_bits_f32(2)));
  assert_false(holds_f32(CHIP_OP_EXPECT_CLOSE, from_bits_f32(2), -from_bits_f32(2)));
  assert_true(holds_f32(CHIP_OP_EXPECT_CLOSE, NAN, -NAN));
  assert_false(holds_f32(CHIP_OP_EXPECT_CLOSE, NAN, 1.0f));
  assert_false(holds_f32(CHIP_OP_EXPECT_CLOSE, INFINITY, 3.4028235e38f));
  const uint16_t one = 0x3f80, near = 0x3f83, far = 0x3f84;
  assert_true(holds(CHIP_OP_EXPECT_CLOSE, TENSOR_BF16, &one, &near));
  assert_false(holds(CHIP_OP_EXPECT_CLOSE, TENSOR_BF16, &one, &far));
  const float z[2] = {1, 1}, w[2] = {1, 1.1f};
  assert_true(holds(CHIP_OP_EXPECT_CLOSE, TENSOR_C64, z, z));
  assert_false(holds(CHIP_OP_EXPECT_CLOSE, TENSOR_C64, z, w));
}

static void test_expect_almost_eq_takes_up_to_a_thousandth(void **state) {
  (void)state;
  assert_true(holds_f32(CHIP_OP_EXPECT_ALMOST_EQ, 1.0f, 1.0009f));
  assert_false(holds_f32(CHIP_OP_EXPECT_ALMOST_EQ, 1.0f, 1.0011f));
  assert_true(holds_f32(CHIP_OP_EXPECT_ALMOST_EQ, NAN, NAN));
  assert_false(holds_f32(CHIP_OP_EXPECT_ALMOST_EQ, INFINITY, NAN));
}

static void test_a_failure_names_the_first_element_and_how_many_differ(void **state) {
  (void)state;
  kernel_case_t *c = case_make(CHIP_OP_EXPECT_EQ);
  case_operand(c, TENSOR_S64, 2, (const int64_t[]){2, 3}, "iota");
  tensor_array_t *b = case_operand(c, TENSOR_S64, 2, (const int64_t[]){2, 3}, "iota");
  ((int64_t *)b->data)[4] = 40;
  ((int64_t *)b->data)[5] = 50;
  const pod_status_t status = case_run(c);
  assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
  assert_non_null(strstr(pod_status_message(status),
                         "element [1, 1] is 4 instead of 40; 2 of 6 elements differ"));
  pod_status_free(status);
  case_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expect_eq_takes_equal_elements_only),
      cmocka_unit_test(test_expect_close_takes_up_to_3_ulp),
      cmocka_unit_test(test_expect_almost_eq_takes_up_to_a_thousandth),
      cmocka_unit_test(test_a_failure_names_the_first_element_and_how_many_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
