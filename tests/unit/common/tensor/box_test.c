#include "common/tensor/box.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

enum { ROUNDS = 2000, DIMS_MAX = 5 };

// The offset of the box's element `number` in the global array, by the definition.
static int64_t place_of(const tensor_shape_t *global, const tensor_shape_t *local,
                        const int64_t *starts, int64_t number) {
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(global, strides);
  int64_t at = 0;
  for (int i = global->rank - 1; i >= 0; i--) {
    at += (starts[i] + number % local->dims[i]) * strides[i];
    number /= local->dims[i];
  }
  return at;
}

static void test_a_box_is_read_and_written_element_by_element(void **state) {
  (void)state;
  pod_random_t random = {.state = 7};
  for (int round = 0; round < ROUNDS; round++) {
    tensor_shape_t global = {.dtype = TENSOR_S16,
                             .rank = (int)pod_random_below(&random, 5)};
    tensor_shape_t local = global;
    int64_t starts[TENSOR_RANK_MAX] = {0};
    for (int i = 0; i < global.rank; i++) {
      global.dims[i] = 1 + (int64_t)pod_random_below(&random, DIMS_MAX);
      local.dims[i] =
          pod_random_below(&random, 2) == 0
              ? global.dims[i]
              : 1 + (int64_t)pod_random_below(&random, (uint64_t)global.dims[i]);
      starts[i] = (int64_t)pod_random_below(
          &random, (uint64_t)(global.dims[i] - local.dims[i] + 1));
    }
    tensor_box_t box;
    assert_null(tensor_box_make(&global, &local, starts, &box));
    const int64_t all = tensor_shape_elements(&global),
                  part = tensor_shape_elements(&local);
    assert_int_equal(box.size_bytes, part * 2);
    uint16_t *whole = malloc((size_t)all * 2), *copy = calloc((size_t)all, 2);
    uint16_t *cut = malloc((size_t)part * 2);
    for (int64_t i = 0; i < all; i++) {
      whole[i] = (uint16_t)(i * 40503 + 1);
    }
    // In pieces that do not end where elements or runs do.
    for (int64_t at = 0; at < box.size_bytes;) {
      const int64_t left = box.size_bytes - at;
      const int64_t step = 1 + (int64_t)pod_random_below(&random, (uint64_t)left);
      tensor_box_read(&box, whole, at, (uint8_t *)cut + at, (size_t)step);
      tensor_box_write(&box, copy, at, (uint8_t *)cut + at, (size_t)step);
      at += step;
    }
    int64_t written = 0;
    for (int64_t i = 0; i < part; i++) {
      const int64_t place = place_of(&global, &local, starts, i);
      assert_int_equal(cut[i], whole[place]);
      assert_int_equal(copy[place], whole[place]);
    }
    for (int64_t i = 0; i < all; i++) {
      written += copy[i] != 0;
    }
    assert_true(written <= part);
    free(whole);
    free(copy);
    free(cut);
  }
}

static void test_what_lies_together_is_one_run(void **state) {
  (void)state;
  const tensor_shape_t global = {.dtype = TENSOR_F32, .rank = 3, .dims = {8, 4, 16}};
  const tensor_shape_t local = {.dtype = TENSOR_F32, .rank = 3, .dims = {2, 4, 16}};
  const int64_t starts[] = {2, 0, 0};
  tensor_box_t box;
  assert_null(tensor_box_make(&global, &local, starts, &box));
  assert_int_equal(box.rank, 0);
  assert_int_equal(box.run_bytes, 2 * 4 * 16 * 4);
  assert_int_equal(box.first_bytes, 2 * 4 * 16 * 4);
}

static void test_a_box_that_is_not_in_the_array_is_refused(void **state) {
  (void)state;
  const tensor_shape_t global = {.dtype = TENSOR_F32, .rank = 1, .dims = {8}};
  const tensor_shape_t local = {.dtype = TENSOR_F32, .rank = 1, .dims = {4}};
  const tensor_shape_t other = {.dtype = TENSOR_F32, .rank = 2, .dims = {4, 1}};
  static const int64_t wrong[] = {-1, 5, INT64_MAX, INT64_MIN};
  tensor_box_t box;
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    const pod_status_t status = tensor_box_make(&global, &local, &wrong[i], &box);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
  const int64_t starts[] = {0, 0};
  const pod_status_t status = tensor_box_make(&global, &other, starts, &box);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_box_is_read_and_written_element_by_element),
      cmocka_unit_test(test_what_lies_together_is_one_run),
      cmocka_unit_test(test_a_box_that_is_not_in_the_array_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
