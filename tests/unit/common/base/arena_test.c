#include "common/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_memory_is_zeroed_aligned_and_stays_where_it_is(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  pod_arena_t *arena = pod_arena_create();
  unsigned char *parts[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    const size_t size = i * 7 % 900;
    parts[i] = pod_arena_alloc(arena, size);
    assert_int_equal((uintptr_t)parts[i] % 16, 0);
    for (size_t b = 0; b < size; b++) {
      assert_int_equal(parts[i][b], 0);
      parts[i][b] = (unsigned char)i;
    }
  }
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t b = 0; b < i * 7 % 900; b++) {
      assert_int_equal(parts[i][b], (unsigned char)i);
    }
  }
  pod_arena_destroy(arena);
}

static void test_large_and_small_allocations_mix(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  char *small = pod_arena_alloc(arena, 8);
  char *large = pod_arena_alloc(arena, (size_t)5 << 20);
  char *next = pod_arena_alloc(arena, 8);
  assert_int_equal(next - small, 16);  // The large one did not end the block.
  memset(large, 1, (size_t)5 << 20);
  assert_int_equal(*small, 0);
  assert_int_equal(*next, 0);
  assert_true(pod_arena_used_bytes(arena) >= ((size_t)5 << 20) + 16);
  pod_arena_destroy(arena);
}

static void test_copies_end_with_a_nul(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  assert_string_equal(pod_arena_text(arena, "chips", 4), "chip");
  assert_string_equal(pod_arena_text(arena, NULL, 0), "");
  assert_string_equal(pod_arena_strdup(arena, "torus"), "torus");
  assert_string_equal(pod_arena_printf(arena, "%d of %s", 3, "four"), "3 of four");
  const int numbers[] = {1, 2, 3};
  assert_memory_equal(pod_arena_copy(arena, numbers, sizeof(numbers)), numbers,
                      sizeof(numbers));
  assert_string_equal(pod_arena_numbered(arena, "add", ".", 0), "add.0");
  assert_string_equal(pod_arena_numbered(arena, "", "", UINT64_MAX),
                      "18446744073709551615");
  assert_non_null(pod_arena_copy(arena, NULL, 0));
  const int *zeros = pod_arena_array(arena, 3, sizeof(int));
  assert_int_equal(zeros[2], 0);
  pod_arena_destroy(arena);
}

static void test_destroying_nothing_is_fine(void **state) {
  (void)state;
  pod_arena_destroy(NULL);
  pod_arena_destroy(pod_arena_create());
}

static void test_nothing_from_a_fresh_arena_is_not_null(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  assert_non_null(pod_arena_alloc(arena, 0));
  assert_non_null(pod_arena_copy(arena, NULL, 0));
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_from_a_fresh_arena_is_not_null),
      cmocka_unit_test(test_memory_is_zeroed_aligned_and_stays_where_it_is),
      cmocka_unit_test(test_large_and_small_allocations_mix),
      cmocka_unit_test(test_copies_end_with_a_nul),
      cmocka_unit_test(test_destroying_nothing_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
