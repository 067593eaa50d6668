#include "server/worker/collective_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/worker/kernels/stop.h"

// The element at a row-major index of [2, 6, 5], by formula.
static void test_packing_puts_the_blocks_of_a_dimension_behind_one_another(void **state) {
  (void)state;
  const int64_t dims[] = {2, 6, 5};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S32, 3, dims);
  int32_t array[60];
  int32_t packed[60];
  int32_t back[60];
  for (int i = 0; i < 60; i++) {
    array[i] = i;
  }
  const collective_layout_t layout = collective_layout_make(&shape, 1, 3);
  assert_false(collective_layout_is_identity(&layout));
  assert_int_equal(collective_layout_bytes(&layout), sizeof(array));
  collective_pack(&layout, array, packed);
  int at = 0;
  for (int block = 0; block < 3; block++) {
    for (int i = 0; i < 2; i++) {
      for (int j = 2 * block; j < 2 * block + 2; j++) {
        for (int k = 0; k < 5; k++) {
          assert_int_equal(packed[at++], (i * 6 + j) * 5 + k);
        }
      }
    }
  }
  collective_unpack(&layout, packed, back);
  assert_memory_equal(back, array, sizeof(array));
}

static void test_there_and_back_is_the_identity_for_every_dimension_and_size(
    void **state) {
  (void)state;
  const tensor_dtype_t dtypes[] = {TENSOR_S8, TENSOR_BF16, TENSOR_F32, TENSOR_F64,
                                   TENSOR_C128};
  for (size_t t = 0; t < sizeof(dtypes) / sizeof(dtypes[0]); t++) {
    const int64_t dims[] = {4, 2, 8, 1};
    const tensor_shape_t shape = tensor_shape_make(dtypes[t], 4, dims);
    const size_t bytes = (size_t)tensor_shape_bytes(&shape);
    uint8_t *array = malloc(bytes);
    uint8_t *packed = malloc(bytes);
    uint8_t *back = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) {
      array[i] = (uint8_t)(i * 7);
    }
    for (int dimension = 0; dimension < 4; dimension++) {
      for (int64_t blocks = 1; blocks <= dims[dimension]; blocks *= 2) {
        const collective_layout_t layout =
            collective_layout_make(&shape, dimension, blocks);
        collective_pack(&layout, array, packed);
        collective_unpack(&layout, packed, back);
        assert_memory_equal(back, array, bytes);
        assert_true(!collective_layout_is_identity(&layout) ||
                    memcmp(packed, array, bytes) == 0);
      }
    }
    free(array);
    free(packed);
    free(back);
  }
}

static void test_the_first_dimension_needs_no_copy(void **state) {
  (void)state;
  const int64_t dims[] = {4, 8};
  const int64_t leading_one[] = {1, 8};
  const int64_t empty[] = {3, 0};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, dims);
  const tensor_shape_t one = tensor_shape_make(TENSOR_F32, 2, leading_one);
  const tensor_shape_t none = tensor_shape_make(TENSOR_F32, 2, empty);
  const collective_layout_t first = collective_layout_make(&shape, 0, 4);
  const collective_layout_t second = collective_layout_make(&one, 1, 4);
  const collective_layout_t third = collective_layout_make(&none, 1, 4);
  assert_true(collective_layout_is_identity(&first));
  assert_true(collective_layout_is_identity(&second));
  assert_true(collective_layout_is_identity(&third));
}

// Large pieces, small ones, and where both are the same bytes.
static void test_nothing_is_moved_for_who_has_gone(void **state) {
  (void)state;
  enum { BYTES = 64 << 20 };
  static const int64_t dims[][3] = {
      {2, 2, BYTES / 4}, {BYTES / 8, 2, 4}, {BYTES / 6, 2, 3}, {1, 2, BYTES / 2}};
  uint8_t *from = calloc(BYTES, 1), *to = malloc(BYTES);
  assert_true(from != NULL && to != NULL);
  kernel_control_t gone = {.wish = KERNEL_STOP};
  for (size_t i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
    const tensor_shape_t shape = tensor_shape_make(TENSOR_S8, 3, dims[i]);
    const collective_layout_t layout = collective_layout_make(&shape, 1, 2);
    const size_t size_bytes = (size_t)tensor_shape_bytes(&shape);
    memset(to, 7, BYTES);
    kernel_control = &gone;
    collective_pack(&layout, from, to);
    collective_unpack(&layout, from, to);
    kernel_control = NULL;
    assert_memory_equal(to + size_bytes / 2, to + size_bytes / 2 - 1, size_bytes / 2);
    assert_int_equal(to[size_bytes - 1], 7);
  }
  free(from);
  free(to);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_is_moved_for_who_has_gone),
      cmocka_unit_test(test_packing_puts_the_blocks_of_a_dimension_behind_one_another),
      cmocka_unit_test(test_there_and_back_is_the_identity_for_every_dimension_and_size),
      cmocka_unit_test(test_the_first_dimension_needs_no_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
