// Packing and unpacking by byte strides, against an index computed for every element.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/pjrt/strides.h"

static podium_shape_t shape_of(podium_dtype_t dtype, int rank, const int64_t *dims) {
  podium_shape_t shape = {.dtype = dtype, .rank = rank};
  memcpy(shape.dims, dims, (size_t)rank * sizeof(*dims));
  return shape;
}

static void test_any_order_of_dimensions_is_packed_and_unpacked(void **state) {
  (void)state;
  const podium_shape_t shape = shape_of(PODIUM_S32, 3, (int64_t[]){2, 3, 4});
  // As if transposed (2, 0, 1), with 2 elements of room behind each row.
  const int64_t strides[3] = {4 * 3, 4, 4 * 8};
  int32_t strided[32];
  int32_t dense[24];
  int32_t back[32];
  for (int i = 0; i < 32; i++) {
    strided[i] = i;
    back[i] = -1;
  }
  assert_false(strides_are_dense(&shape, strides));
  strides_pack(&shape, strides, strided, dense);
  strides_unpack(&shape, strides, dense, back);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 4; k++) {
        const int at = i * 3 + j + k * 8;
        assert_int_equal(dense[(i * 3 + j) * 4 + k], at);
        assert_int_equal(back[at], at);
      }
    }
  }
  assert_int_equal(back[6], -1);
}

static void test_reversed_and_repeated_elements_are_packed(void **state) {
  (void)state;
  const podium_shape_t shape = shape_of(PODIUM_U8, 2, (int64_t[]){2, 3});
  const uint8_t bytes[3] = {1, 2, 3};
  uint8_t dense[6];
  strides_pack(&shape, (int64_t[]){0, -1}, bytes + 2, dense);
  assert_memory_equal(dense, ((uint8_t[]){3, 2, 1, 3, 2, 1}), 6);
}

static void test_scalars_and_empty_arrays_are_dense(void **state) {
  (void)state;
  const podium_shape_t scalar = shape_of(PODIUM_F64, 0, (int64_t[]){0});
  const podium_shape_t empty = shape_of(PODIUM_F64, 2, (int64_t[]){5, 0});
  const podium_shape_t ones = shape_of(PODIUM_F64, 3, (int64_t[]){1, 4, 1});
  double from = 2.5;
  double to = 0;
  assert_true(strides_are_dense(&scalar, NULL));
  strides_pack(&scalar, NULL, &from, &to);
  assert_true(to == 2.5);
  assert_true(strides_are_dense(&empty, (int64_t[]){7, 7}));
  strides_pack(&empty, (int64_t[]){7, 7}, &from, NULL);
  assert_true(strides_are_dense(&ones, (int64_t[]){99, 8, 3}));
  assert_false(strides_are_dense(&ones, (int64_t[]){99, 16, 3}));
}

static void test_layouts_give_strides_and_tiles_are_refused(void **state) {
  (void)state;
  const podium_shape_t shape = shape_of(PODIUM_F32, 2, (int64_t[]){3, 5});
  int64_t strides[2];
  PJRT_Buffer_MemoryLayout layout = {
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
      .tiled = {.minor_to_major = (int64_t[]){0, 1}, .minor_to_major_size = 2}};
  assert_null(strides_of_layout(&shape, &layout, strides));
  assert_int_equal(strides[0], 4);
  assert_int_equal(strides[1], 12);
  layout.tiled.minor_to_major = (int64_t[]){0, 7};
  const pod_status_t none = strides_of_layout(&shape, &layout, strides);
  assert_int_equal(pod_status_code(none), POD_INVALID_ARGUMENT);
  pod_status_free(none);
  layout.tiled.num_tiles = 1;
  const pod_status_t tiled = strides_of_layout(&shape, &layout, strides);
  assert_int_equal(pod_status_code(tiled), POD_UNIMPLEMENTED);
  pod_status_free(tiled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_order_of_dimensions_is_packed_and_unpacked),
      cmocka_unit_test(test_reversed_and_repeated_elements_are_packed),
      cmocka_unit_test(test_scalars_and_empty_arrays_are_dense),
      cmocka_unit_test(test_layouts_give_strides_and_tiles_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
