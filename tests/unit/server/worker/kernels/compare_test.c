// compare, select and clamp over every element type.

#include "tests/unit/server/worker/kernels/values.h"

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
        const double x = number_of(in, i);
        const double expected = isnan(x) ? x : fmin(fmax(x, below), above);
        assert_true(number_of(out, i) == expected ||
                    (isnan(expected) && isnan(number_of(out, i))));
      }
      case_free(c);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_comparisons_in_every_type_and_direction),
      cmocka_unit_test(test_total_order_places_nan_and_zeros),
      cmocka_unit_test(test_complex_numbers_are_equal_or_not),
      cmocka_unit_test(test_select_takes_elements_or_the_whole),
      cmocka_unit_test(test_clamp_takes_scalar_and_full_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
