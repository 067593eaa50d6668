#include "common/base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/id_map.h"
#include "common/base/random.h"

static void test_values_are_found_replaced_and_removed(void **state) {
  (void)state;
  int one = 1, two = 2;
  pod_map_t *map = pod_map_create();
  assert_null(pod_map_get(map, "a"));
  assert_null(pod_map_remove(map, "a"));
  pod_map_put(map, "a", &one);
  pod_map_put_n(map, "bc", 1, &two);
  assert_ptr_equal(pod_map_get(map, "a"), &one);
  assert_ptr_equal(pod_map_get_n(map, "bcd", 1), &two);
  pod_map_put(map, "a", &two);
  assert_int_equal(pod_map_count(map), 2);
  assert_ptr_equal(pod_map_remove(map, "a"), &two);
  assert_null(pod_map_get(map, "a"));
  assert_int_equal(pod_map_count(map), 1);
  pod_map_destroy(map);
  pod_map_destroy(NULL);
}

static void test_ids_are_keys_whatever_their_bytes(void **state) {
  (void)state;
  static const uint64_t ids[] = {1, 256, 0, UINT64_MAX, 0x0100000000000000};
  int values[5];
  pod_map_t *map = pod_map_create();
  for (int i = 0; i < 5; i++) {
    pod_id_map_put(map, ids[i], &values[i]);
  }
  assert_null(pod_id_map_get(map, 2));
  assert_ptr_equal(pod_id_map_remove(map, 256), &values[1]);
  assert_null(pod_id_map_get(map, 256));
  size_t position = 0;
  uint64_t id;
  void *value;
  for (int i = 0; i < 5; i++) {
    if (i != 1) {
      assert_true(pod_id_map_next(map, &position, &id, &value));
      assert_true(id == ids[i]);
      assert_ptr_equal(value, &values[i]);
    }
  }
  assert_false(pod_id_map_next(map, &position, NULL, &value));
  pod_map_destroy(map);
}

static void test_the_walk_is_in_insertion_order(void **state) {
  (void)state;
  static const char *const keys[] = {"w", "x", "a", "z", "b"};
  int value = 0;
  pod_map_t *map = pod_map_create();
  for (int i = 0; i < 5; i++) {
    pod_map_put(map, keys[i], &value);
  }
  pod_map_remove(map, "a");
  pod_map_put(map, "x", &value);  // A key that is there keeps its place.
  pod_map_put(map, "a", &value);
  char order[16] = "";
  size_t position = 0;
  const char *key;
  void *found;
  while (pod_map_next(map, &position, &key, &found)) {
    strcat(order, key);
    if (key[0] == 'z') {
      pod_map_remove(map, key);  // The walk goes on.
    }
  }
  assert_string_equal(order, "wxzba");
  assert_int_equal(pod_map_count(map), 4);
  pod_map_destroy(map);
}

// Against an array indexed by the number in the key.
static void test_random_puts_and_removes_agree_with_an_array(void **state) {
  (void)state;
  enum { KEYS = 300 };
  static char values[KEYS];
  void *expected[KEYS] = {0};
  size_t count = 0;
  pod_random_t random = {.state = 5};
  pod_map_t *map = pod_map_create();
  for (int step = 0; step < 50000; step++) {
    const size_t i = pod_random_below(&random, KEYS);
    char key[16];
    snprintf(key, sizeof(key), "key%zu", i);
    if (pod_random_below(&random, 2) == 0) {
      count += expected[i] == NULL;
      expected[i] = &values[pod_random_below(&random, KEYS)];
      pod_map_put(map, key, expected[i]);
    } else {
      assert_ptr_equal(pod_map_remove(map, key), expected[i]);
      count -= expected[i] != NULL;
      expected[i] = NULL;
    }
    assert_ptr_equal(pod_map_get(map, key), expected[i]);
    assert_int_equal(pod_map_count(map), count);
  }
  for (size_t i = 0; i < KEYS; i++) {
    char key[16];
    snprintf(key, sizeof(key), "key%zu", i);
    assert_ptr_equal(pod_map_get(map, key), expected[i]);
  }
  pod_map_destroy(map);
}

static void test_keys_are_copied_and_may_hold_nul(void **state) {
  (void)state;
  int one = 1, two = 2;
  char key[] = "a\0b";
  pod_map_t *map = pod_map_create();
  pod_map_put_n(map, key, 3, &one);
  key[2] = 'c';
  pod_map_put_n(map, key, 3, &two);
  assert_ptr_equal(pod_map_get_n(map, "a\0b", 3), &one);
  assert_ptr_equal(pod_map_get_n(map, "a\0c", 3), &two);
  assert_null(pod_map_get(map, "a"));
  pod_map_destroy(map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_are_found_replaced_and_removed),
      cmocka_unit_test(test_ids_are_keys_whatever_their_bytes),
      cmocka_unit_test(test_the_walk_is_in_insertion_order),
      cmocka_unit_test(test_random_puts_and_removes_agree_with_an_array),
      cmocka_unit_test(test_keys_are_copied_and_may_hold_nul),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
