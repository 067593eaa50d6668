#include "common/tensor/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static tensor_shape_t make3(tensor_dtype_t dtype, int64_t a, int64_t b, int64_t c) {
  const int64_t dims[] = {a, b, c};
  return tensor_shape_make(dtype, 3, dims);
}

static void assert_refused(const tensor_shape_t *shape, const char *message) {
  const pod_status_t status = tensor_shape_check(shape);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_string_equal(pod_status_message(status), message);
  pod_status_free(status);
}

static void test_sizes_and_strides_are_row_major(void **state) {
  (void)state;
  const tensor_shape_t shape = make3(TENSOR_BF16, 2, 3, 5);
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(&shape, strides);
  assert_int_equal(strides[0], 15);
  assert_int_equal(strides[1], 5);
  assert_int_equal(strides[2], 1);
  assert_int_equal(tensor_shape_elements(&shape), 30);
  assert_int_equal(tensor_shape_bytes(&shape), 60);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_F64, 0, NULL);
  assert_int_equal(tensor_shape_bytes(&scalar), 8);
  assert_null(tensor_shape_check(&scalar));
}

static void test_shapes_print_as_hlo_and_as_mlir(void **state) {
  (void)state;
  pod_text_t text = {0};
  const tensor_shape_t shape = make3(TENSOR_S32, 8, TENSOR_DYNAMIC, 1);
  tensor_shape_print(&text, &shape);
  pod_text_add(&text, " ");
  tensor_shape_print_mlir(&text, &shape);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_C64, 0, NULL);
  pod_text_add(&text, " ");
  tensor_shape_print(&text, &scalar);
  pod_text_add(&text, " ");
  tensor_shape_print_mlir(&text, &scalar);
  assert_string_equal(text.bytes,
                      "s32[8,?,1] tensor<8x?x1xi32> c64[] tensor<complex<f32>>");
  pod_text_deinit(&text);
}

static void test_equality_looks_at_type_and_sizes(void **state) {
  (void)state;
  const tensor_shape_t a = make3(TENSOR_F32, 2, 3, 5), b = make3(TENSOR_F32, 2, 3, 5);
  const tensor_shape_t c = make3(TENSOR_S32, 2, 3, 5), d = make3(TENSOR_F32, 2, 3, 4);
  assert_true(tensor_shape_equal(&a, &b));
  assert_false(tensor_shape_equal(&a, &c));
  assert_true(tensor_shape_same_dims(&a, &c));
  assert_false(tensor_shape_same_dims(&a, &d));
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_F32, 0, NULL);
  assert_false(tensor_shape_same_dims(&a, &scalar));
}

static void test_check_refuses_what_cannot_be_an_array(void **state) {
  (void)state;
  const tensor_shape_t dynamic = make3(TENSOR_F32, 2, TENSOR_DYNAMIC, 5);
  assert_false(tensor_shape_is_static(&dynamic));
  assert_refused(&dynamic, "f32[2,?,5]: a dimension is dynamic where a size is needed");
  const tensor_shape_t negative = make3(TENSOR_F32, 2, -3, 5);
  assert_refused(&negative, "f32[2,-3,5]: a dimension is negative");
  const tensor_shape_t large = make3(TENSOR_F32, (int64_t)1 << 40, 1, 1 << 21);
  assert_refused(&large,
                 "f32[1099511627776,1,2097152]: the size in bytes exceeds 2^63 - 1");
  const tensor_shape_t untyped = make3(TENSOR_INVALID, 1, 1, 1);
  assert_refused(&untyped, "invalid[1,1,1]: the element type is invalid");
  tensor_shape_t deep = make3(TENSOR_F32, 1, 1, 1);
  deep.rank = TENSOR_RANK_MAX + 1;
  assert_refused(&deep, "rank 17 is not in [0, 16]");
}

static void test_a_zero_does_not_hide_strides_that_overflow(void **state) {
  (void)state;
  const tensor_shape_t empty = make3(TENSOR_F32, 0, 1000, 7);
  assert_null(tensor_shape_check(&empty));
  assert_int_equal(tensor_shape_bytes(&empty), 0);
  const tensor_shape_t wild = make3(TENSOR_S8, 0, (int64_t)1 << 40, (int64_t)1 << 40);
  const pod_status_t status = tensor_shape_check(&wild);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_and_strides_are_row_major),
      cmocka_unit_test(test_shapes_print_as_hlo_and_as_mlir),
      cmocka_unit_test(test_equality_looks_at_type_and_sizes),
      cmocka_unit_test(test_check_refuses_what_cannot_be_an_array),
      cmocka_unit_test(test_a_zero_does_not_hide_strides_that_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
