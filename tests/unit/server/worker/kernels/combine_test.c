// Every reducer on every element type against a slow reference that goes through double
// or int64.

#include "server/worker/kernels/combine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"
#include "server/worker/kernels/stop.h"

enum { COUNT_MAX = 100, ELEMENT_MAX = 16 };

typedef struct operands_t {
  _Alignas(16) uint8_t a[COUNT_MAX * ELEMENT_MAX];
  _Alignas(16) uint8_t b[COUNT_MAX * ELEMENT_MAX];
  _Alignas(16) uint8_t target[COUNT_MAX * ELEMENT_MAX];
} operands_t;

// Values that fit the type: small ones, zeros of both signs, infinities, NaN.
static void fill(tensor_dtype_t dtype, uint8_t *elements, int64_t count,
                 pod_random_t *random) {
  static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-7, 1e30};
  const size_t size = tensor_dtype_bytes(dtype);
  for (int64_t i = 0; i < count; i++) {
    uint8_t *element = elements + (size_t)i * size;
    const uint64_t choice = pod_random_below(random, 16);
    if (dtype == TENSOR_PRED) {
      element[0] = (uint8_t)(choice & 1);
    } else if (tensor_dtype_is_integer(dtype)) {
      tensor_element_from_int64(dtype, (int64_t)pod_random_next(random), element);
    } else if (choice < 7 && !tensor_dtype_is_complex(dtype)) {
      tensor_element_from_double(dtype, specials[choice], element);
    } else {
      tensor_element_from_double(dtype, pod_random_uniform(random) * 8 - 4, element);
    }
  }
}

static double float_reference(chip_reducer_t reducer, double a, double b) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return a + b;
    case CHIP_REDUCER_MULTIPLY:
      return a * b;
    default:
      break;
  }
  if (isnan(a) || isnan(b)) {
    return NAN;
  }
  if (a == b) {
    return (signbit(a) != 0) == (reducer == CHIP_REDUCER_MAXIMUM) ? b : a;
  }
  return (a > b) == (reducer == CHIP_REDUCER_MAXIMUM) ? a : b;
}

static int64_t integer_reference(chip_reducer_t reducer, tensor_dtype_t dtype, int64_t a,
                                 int64_t b) {
  const bool is_less = dtype == TENSOR_U64 ? (uint64_t)a < (uint64_t)b : a < b;
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return (int64_t)((uint64_t)a + (uint64_t)b);
    case CHIP_REDUCER_MULTIPLY:
      return (int64_t)((uint64_t)a * (uint64_t)b);
    case CHIP_REDUCER_MAXIMUM:
      return is_less ? b : a;
    case CHIP_REDUCER_MINIMUM:
      return is_less ? a : b;
    case CHIP_REDUCER_AND:
      return a & b;
    case CHIP_REDUCER_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

static bool pred_reference(chip_reducer_t reducer, bool a, bool b) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
    case CHIP_REDUCER_MAXIMUM:
    case CHIP_REDUCER_OR:
      return a || b;
    case CHIP_REDUCER_XOR:
      return a != b;
    default:
      return a && b;
  }
}

static void check_element(chip_reducer_t reducer, tensor_dtype_t dtype, const uint8_t *a,
                          const uint8_t *b, const uint8_t *target) {
  uint8_t expected[ELEMENT_MAX];
  if (dtype == TENSOR_PRED) {
    expected[0] = pred_reference(reducer, a[0] != 0, b[0] != 0) ? 1 : 0;
  } else if (tensor_dtype_is_integer(dtype)) {
    const int64_t value =
        integer_reference(reducer, dtype, tensor_element_as_int64(dtype, a),
                          tensor_element_as_int64(dtype, b));
    tensor_element_from_int64(dtype, value, expected);
  } else {
    const double value = float_reference(reducer, tensor_element_as_double(dtype, a),
                                         tensor_element_as_double(dtype, b));
    tensor_element_from_double(dtype, value, expected);
    if (isnan(tensor_element_as_double(dtype, expected))) {
      assert_true(isnan(tensor_element_as_double(dtype, target)));
      return;
    }
  }
  assert_memory_equal(target, expected, tensor_dtype_bytes(dtype));
}

static void check(chip_reducer_t reducer, tensor_dtype_t dtype, int64_t count,
                  pod_random_t *random) {
  static operands_t operands;
  const size_t size = tensor_dtype_bytes(dtype);
  fill(dtype, operands.a, count, random);
  fill(dtype, operands.b, count, random);
  kernel_combine_arrays(reducer, dtype, operands.target, operands.a, operands.b, count);
  for (int64_t i = 0; i < count && !tensor_dtype_is_complex(dtype); i++) {
    const size_t at = (size_t)i * size;
    check_element(reducer, dtype, operands.a + at, operands.b + at, operands.target + at);
  }
  // In place, and the other way round.
  operands_t swapped = operands;
  kernel_combine_arrays(reducer, dtype, swapped.b, swapped.b, swapped.a, count);
  for (int64_t i = 0; i < count; i++) {
    const uint8_t *element = operands.target + (size_t)i * size;
    if (!isnan(tensor_element_as_double(dtype, element))) {
      assert_memory_equal(swapped.b + (size_t)i * size, element, size);
    }
  }
}

static void test_every_reducer_agrees_with_the_reference_on_every_type(void **state) {
  (void)state;
  pod_random_t random = {.state = 42};
  int supported = 0;
  for (int dtype = TENSOR_PRED; dtype < TENSOR_DTYPE_COUNT; dtype++) {
    for (int reducer = CHIP_REDUCER_ADD; reducer <= CHIP_REDUCER_XOR; reducer++) {
      if (!chip_reducer_is_for((chip_reducer_t)reducer, (tensor_dtype_t)dtype)) {
        continue;
      }
      supported++;
      for (int64_t count = 0; count <= COUNT_MAX; count += count < 4 ? 1 : 31) {
        check((chip_reducer_t)reducer, (tensor_dtype_t)dtype, count, &random);
      }
    }
  }
  assert_int_equal(supported, 7 * 13 + 4 * 15 + 2 * 4);
}

static void test_complex_numbers_add_and_multiply(void **state) {
  (void)state;
  const float a[] = {1, 2, 3, 4};
  const float b[] = {5, 6, -7, 8};
  float target[4];
  kernel_combine_arrays(CHIP_REDUCER_ADD, TENSOR_C64, target, a, b, 2);
  assert_memory_equal(target, ((float[]){6, 8, -4, 12}), sizeof(target));
  kernel_combine_arrays(CHIP_REDUCER_MULTIPLY, TENSOR_C64, target, a, b, 2);
  assert_memory_equal(target, ((float[]){-7, 16, -53, -4}), sizeof(target));
}

static void test_complex_numbers_are_ordered_by_real_then_imaginary_parts(void **state) {
  (void)state;
  const double a[] = {1, 2, 3, 4, NAN, 0, -0.0, 5};
  const double b[] = {1, -2, 4, -4, 1, 2, 0, 5};
  double target[8];
  kernel_combine_arrays(CHIP_REDUCER_MAXIMUM, TENSOR_C128, target, a, b, 4);
  assert_memory_equal(target, ((double[]){1, 2, 4, -4, NAN, 0, 0, 5}), sizeof(target));
  kernel_combine_arrays(CHIP_REDUCER_MINIMUM, TENSOR_C128, target, b, a, 4);
  assert_memory_equal(target, ((double[]){1, -2, 3, 4, NAN, 0, -0.0, 5}), sizeof(target));
}

static void test_what_makes_no_sense_is_not_supported(void **state) {
  (void)state;
  assert_false(chip_reducer_is_for(CHIP_REDUCER_AND, TENSOR_C64));
  assert_false(chip_reducer_is_for(CHIP_REDUCER_XOR, TENSOR_F32));
  assert_false(chip_reducer_is_for(CHIP_REDUCER_NONE, TENSOR_F32));
  assert_false(chip_reducer_is_for(CHIP_REDUCER_ADD, TENSOR_INVALID));
  assert_false(chip_reducer_is_for((chip_reducer_t)99, TENSOR_F32));
}

// All 65,536 values through the vector loop: x · 1 is x, which exercises widening and
// rounding both.
static void test_f16_and_bf16_pass_through_unchanged(void **state) {
  (void)state;
  static uint16_t values[1 << 16];
  static uint16_t ones[1 << 16];
  static uint16_t target[1 << 16];
  const tensor_dtype_t dtypes[] = {TENSOR_F16, TENSOR_BF16};
  for (int d = 0; d < 2; d++) {
    for (int i = 0; i < 1 << 16; i++) {
      values[i] = (uint16_t)i;
      tensor_element_from_double(dtypes[d], 1.0, &ones[i]);
    }
    kernel_combine_arrays(CHIP_REDUCER_MULTIPLY, dtypes[d], target, values, ones,
                          1 << 16);
    for (int i = 0; i < 1 << 16; i++) {
      if (!isnan(tensor_element_as_double(dtypes[d], &values[i]))) {
        assert_int_equal(target[i], values[i]);
      }
    }
  }
}

static void test_any_byte_but_0_counts_as_true(void **state) {
  (void)state;
  const uint8_t a[] = {0, 2, 4, 255, 2};
  const uint8_t b[] = {0, 1, 4, 0, 4};
  uint8_t target[5];
  kernel_combine_arrays(CHIP_REDUCER_ADD, TENSOR_PRED, target, a, b, 5);
  assert_memory_equal(target, ((uint8_t[]){0, 1, 1, 1, 1}), sizeof(target));
  kernel_combine_arrays(CHIP_REDUCER_MINIMUM, TENSOR_PRED, target, a, b, 5);
  assert_memory_equal(target, ((uint8_t[]){0, 1, 1, 0, 1}), sizeof(target));
  kernel_combine_arrays(CHIP_REDUCER_XOR, TENSOR_PRED, target, a, b, 5);
  assert_memory_equal(target, ((uint8_t[]){0, 0, 0, 1, 0}), sizeof(target));
}

static void test_a_stop_leaves_no_sum_half_done(void **state) {
  (void)state;
  enum { COUNT = 3 * KERNEL_STOP_ELEMENTS + 5 };
  static int32_t a[COUNT], target[COUNT];
  for (int32_t i = 0; i < COUNT; i++) {
    a[i] = i;
  }
  kernel_control_t raised = {.wish = KERNEL_STOP};
  kernel_control = &raised;
  kernel_combine_arrays(CHIP_REDUCER_ADD, TENSOR_S32, target, a, a, COUNT);
  kernel_control = NULL;
  for (int32_t i = 0; i < COUNT; i++) {
    assert_int_equal(target[i], 2 * i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_reducer_agrees_with_the_reference_on_every_type),
      cmocka_unit_test(test_complex_numbers_add_and_multiply),
      cmocka_unit_test(test_complex_numbers_are_ordered_by_real_then_imaginary_parts),
      cmocka_unit_test(test_what_makes_no_sense_is_not_supported),
      cmocka_unit_test(test_f16_and_bf16_pass_through_unchanged),
      cmocka_unit_test(test_any_byte_but_0_counts_as_true),
      cmocka_unit_test(test_a_stop_leaves_no_sum_half_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
