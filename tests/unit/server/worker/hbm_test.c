#include "server/worker/hbm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "server/worker/host_memory.h"
#include "tests/unit/server/programs.h"

#define GIB ((int64_t)1 << 30)

static void expect_error(pod_status_t status, pod_code_t code, const char *sentence) {
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), sentence) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), sentence);
  }
  pod_status_free(status);
}

static void test_what_does_not_fit_is_refused_with_the_numbers(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(3, 16 * GIB);
  assert_null(hbm_reserve(hbm, 14 * GIB, "weights"));
  expect_error(
      hbm_reserve(hbm, 18 * GIB, "jit_f"), POD_RESOURCE_EXHAUSTED,
      "jit_f needs 18.0 GiB of HBM, chip 3 has 16.0 GiB of which 2.0 GiB are free");
  assert_int_equal(hbm_used_bytes(hbm), 14 * GIB);
  assert_null(hbm_reserve(hbm, 2 * GIB, "jit_f"));
  hbm_release(hbm, 16 * GIB);
  assert_int_equal(hbm_used_bytes(hbm), 0);
  assert_int_equal(hbm_peak_bytes(hbm), 16 * GIB);
  hbm_destroy(hbm);
}

static void test_an_array_is_freed_when_nobody_holds_it(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(0, 1 << 20);
  const tensor_shape_t shape = shape_of(TENSOR_BF16, 2, 8, 100);
  hbm_array_t *array;
  assert_null(hbm_array_create(hbm, 7, 1, &shape, &array));
  assert_int_equal((uintptr_t)array->data % HOST_MEMORY_ALIGNMENT, 0);
  memset(array->data, 1, 1600);
  hbm_array_t *found;
  expect_error(hbm_array_find(hbm, 7, &found), POD_NOT_FOUND, "array 7 is not on chip 0");
  assert_null(hbm_array_publish(array));
  assert_null(hbm_array_find(hbm, 7, &found));
  assert_ptr_equal(found, array);
  assert_int_equal(hbm_array_count(hbm), 1);
  hbm_array_forget(hbm, 7);
  assert_int_equal(hbm_used_bytes(hbm), 2048);  // The creator still holds it.
  hbm_array_release(array);
  assert_int_equal(hbm_used_bytes(hbm), 0);
  hbm_array_forget(hbm, 7);
  hbm_destroy(hbm);
}

static void test_a_donated_array_hands_its_memory_on_and_says_so(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(0, 512);
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, 16);
  const tensor_shape_t other = shape_of(TENSOR_S32, 2, 1, 16);
  hbm_array_t *array;
  hbm_array_t *found;
  assert_null(hbm_array_create(hbm, 7, 1, &shape, &array));
  assert_true(hbm_array_is_sole(array));
  assert_null(hbm_array_publish(array));
  assert_true(hbm_array_is_sole(array));
  hbm_array_retain(array);  // Somebody reads it.
  assert_false(hbm_array_is_sole(array));
  hbm_array_release(array);
  const void *data = array->data;
  hbm_array_t *result = hbm_array_hand_over(array, 8, 1, &other);
  assert_ptr_equal(result->data, data);
  hbm_array_donate(hbm, 7, "train");
  hbm_array_release(array);
  assert_int_equal(hbm_used_bytes(hbm), 512);
  assert_int_equal(hbm_array_count(hbm), 0);
  expect_error(hbm_array_find(hbm, 7, &found), POD_FAILED_PRECONDITION,
               "array 7 was donated to an execution of 'train': Array has been deleted");
  hbm_array_release(result);
  assert_int_equal(hbm_used_bytes(hbm), 0);
  hbm_array_forget(hbm, 7);
  expect_error(hbm_array_find(hbm, 7, &found), POD_NOT_FOUND, "array 7 is not on chip 0");
  hbm_destroy(hbm);
}

static void test_an_id_is_given_once(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(2, 1 << 20);
  const tensor_shape_t shape = shape_of(TENSOR_F32, 0);
  hbm_array_t *first;
  hbm_array_t *second;
  assert_null(hbm_array_create(hbm, 7, 1, &shape, &first));
  assert_null(hbm_array_create(hbm, 7, 1, &shape, &second));
  assert_null(hbm_array_publish(first));
  expect_error(hbm_array_publish(second), POD_ALREADY_EXISTS,
               "array 7 is on chip 2 already");
  hbm_array_release(first);
  hbm_array_release(second);
  hbm_destroy(hbm);
}

static void test_a_session_takes_its_arrays_along(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(0, 1 << 20);
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, 16);
  for (uint64_t id = 0; id < 10; id++) {
    hbm_array_t *array;
    assert_null(hbm_array_create(hbm, id, id % 2, &shape, &array));
    assert_null(hbm_array_publish(array));
    hbm_array_release(array);
  }
  hbm_session_forget(hbm, 1);
  assert_int_equal(hbm_array_count(hbm), 5);
  assert_int_equal(hbm_used_bytes(hbm), 5 * 512);
  hbm_destroy(hbm);
}

// As the compiler counts it: a program that is said to fit finds its room.
static void test_an_array_takes_its_tiles_of_the_hbm(void **state) {
  (void)state;
  const struct {
    tensor_shape_t shape;
    int64_t size_bytes;
  } cases[] = {
      {shape_of(TENSOR_F32, 2, 3, 100), 4 * 128 * 4},
      {shape_of(TENSOR_BF16, 2, 17, 128), 32 * 128 * 2},
      {shape_of(TENSOR_S4, 1, 7), 64},
      {shape_of(TENSOR_F6E2M3FN, 1, 9), 96},
      {shape_of(TENSOR_F32, 0), 4},
      {shape_of(TENSOR_F32, 2, 0, 7), 0},
  };
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    hbm_t *hbm = hbm_create(0, 1 << 20);
    hbm_array_t *array;
    assert_null(hbm_array_create(hbm, 1, 1, &cases[i].shape, &array));
    assert_int_equal(hbm_used_bytes(hbm), cases[i].size_bytes);
    hbm_array_release(array);
    assert_null(hbm_array_create_on_host(hbm, 1, 1, &cases[i].shape, &array));
    assert_int_equal(hbm_host_used_bytes(hbm), cases[i].size_bytes);
    hbm_array_release(array);
    hbm_destroy(hbm);
  }
}

static void test_memory_the_host_has_not_is_an_error_that_says_so(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(0, INT64_MAX);
  const int64_t dims[] = {(int64_t)1 << 55};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, dims);
  hbm_array_t *array;
  expect_error(hbm_array_create(hbm, 1, 1, &shape, &array), POD_RESOURCE_EXHAUSTED,
               "the host has no room for");
  assert_int_equal(hbm_used_bytes(hbm), 0);
  hbm_destroy(hbm);
}

static void test_large_and_small_and_empty_blocks_are_aligned(void **state) {
  (void)state;
  const int64_t sizes[] = {
      0,      1, 63, 64, 4096, HOST_MEMORY_MAPPED_BYTES - 1, HOST_MEMORY_MAPPED_BYTES,
      5 << 20};
  for (size_t i = 0; i < POD_COUNT_OF(sizes); i++) {
    void *memory;
    assert_null(host_memory_alloc(sizes[i], &memory));
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % HOST_MEMORY_ALIGNMENT, 0);
    memset(memory, 0xff, (size_t)sizes[i]);
    host_memory_free(memory, sizes[i]);
  }
}

// Pages of this process that are in memory, of a range.
static size_t count_pages(void *memory, size_t size) {
  static unsigned char pages[(256 << 20) / 4096];
  assert_true(size / 4096 <= sizeof(pages));
  if (mincore(memory, size, pages) != 0) {
    return 0;  // It is not mapped.
  }
  size_t count = 0;
  for (size_t i = 0; i < size / 4096; i++) {
    count += pages[i] & 1;
  }
  return count;
}

static void test_a_large_block_is_kept_for_a_moment_and_no_longer(void **state) {
  (void)state;
  const int64_t size = 6 << 20;
  void *memory, *again, *other;
  assert_null(host_memory_alloc(size, &memory));
  memset(memory, 1, (size_t)size);
  host_memory_free(memory, size);
  assert_null(host_memory_alloc(size + 4096, &other));  // Another size is not served.
  assert_ptr_not_equal(other, memory);
  assert_null(host_memory_alloc(size, &again));
  assert_ptr_equal(again, memory);
  host_memory_free(again, size);
  host_memory_trim();
  assert_null(host_memory_alloc(size, &again));  // Still there after the first time.
  assert_ptr_equal(again, memory);
  host_memory_free(again, size);
  host_memory_trim();
  host_memory_trim();
  assert_int_equal(count_pages(memory, (size_t)size), 0);
  host_memory_free(other, size + 4096);
  host_memory_trim();
  host_memory_trim();
}

static void test_kept_blocks_have_a_bound(void **state) {
  (void)state;
  enum { BLOCKS = 40 };
  const int64_t size = 64 << 20;
  void *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    assert_null(host_memory_alloc(size, &blocks[i]));
    memset(blocks[i], 1, 1);
  }
  for (int i = 0; i < BLOCKS; i++) {
    host_memory_free(blocks[i], size);
  }
  int kept = 0;
  for (int i = 0; i < BLOCKS; i++) {
    kept += msync(blocks[i], 4096, MS_ASYNC) == 0;  // Mapped.
  }
  assert_true(kept * size <= HOST_MEMORY_KEPT_BYTES);
  host_memory_trim();
  host_memory_trim();
}

static void test_arrays_of_the_host_take_no_hbm(void **state) {
  (void)state;
  hbm_t *hbm = hbm_create(0, 64);
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, (const int64_t[]){256});
  hbm_array_t *array;
  assert_null(hbm_array_create_on_host(hbm, 7, 1, &shape, &array));
  assert_int_equal(hbm_used_bytes(hbm), 0);
  assert_int_equal(hbm_host_used_bytes(hbm), 1024);
  hbm_array_t *result = hbm_array_hand_over(array, 8, 1, &shape);  // Stays where it is.
  hbm_array_release(array);
  assert_int_equal(hbm_host_used_bytes(hbm), 1024);
  hbm_array_release(result);
  assert_int_equal(hbm_host_used_bytes(hbm), 0);
  assert_int_equal(hbm_host_peak_bytes(hbm), 1024);
  hbm_destroy(hbm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_of_the_host_take_no_hbm),
      cmocka_unit_test(test_what_does_not_fit_is_refused_with_the_numbers),
      cmocka_unit_test(test_an_array_is_freed_when_nobody_holds_it),
      cmocka_unit_test(test_a_donated_array_hands_its_memory_on_and_says_so),
      cmocka_unit_test(test_an_id_is_given_once),
      cmocka_unit_test(test_a_session_takes_its_arrays_along),
      cmocka_unit_test(test_an_array_takes_its_tiles_of_the_hbm),
      cmocka_unit_test(test_memory_the_host_has_not_is_an_error_that_says_so),
      cmocka_unit_test(test_a_large_block_is_kept_for_a_moment_and_no_longer),
      cmocka_unit_test(test_kept_blocks_have_a_bound),
      cmocka_unit_test(test_large_and_small_and_empty_blocks_are_aligned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
