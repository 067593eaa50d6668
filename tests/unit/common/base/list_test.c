#include "common/base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct pair_t {
  int32_t key;
  double value;
} pair_t;

typedef POD_LIST(pair_t) pair_list_t;

static void test_what_is_added_stays_in_its_order(void **state) {
  (void)state;
  pair_list_t list = {0};
  for (int32_t i = 0; i < 1000; i++) {
    *pod_list_add(&list) = (pair_t){i, 0.5 * i};
    assert_int_equal(pod_list_last(&list)->key, i);
  }
  assert_int_equal(list.count, 1000);
  for (int32_t i = 0; i < list.count; i++) {
    assert_int_equal(list.items[i].key, i);
    assert_true(list.items[i].value == 0.5 * i);
  }
  pod_list_deinit(&list);
  assert_null(list.items);
  assert_int_equal(list.capacity, 0);
}

static void test_reserved_room_does_not_move(void **state) {
  (void)state;
  pair_list_t list = {0};
  pod_list_reserve(&list, 100);
  const pair_t *const first = list.items;
  for (int32_t i = 0; i < 100; i++) {
    *pod_list_add(&list) = (pair_t){i, 0};
  }
  assert_ptr_equal(list.items, first);
  pod_list_clear(&list);
  assert_int_equal(list.count, 0);
  *pod_list_add(&list) = (pair_t){7, 0};
  assert_ptr_equal(list.items, first);
  assert_int_equal(first->key, 7);
  pod_list_deinit(&list);
}

static void test_room_grows_by_doubling(void **state) {
  (void)state;
  int32_t capacity = 0, moves = 0;
  pair_list_t list = {0};
  for (int32_t i = 0; i < 1 << 16; i++) {
    (void)pod_list_add(&list);
    moves += list.capacity != capacity;
    capacity = list.capacity;
  }
  assert_true(moves <= 16);
  pod_list_deinit(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_added_stays_in_its_order),
      cmocka_unit_test(test_reserved_room_does_not_move),
      cmocka_unit_test(test_room_grows_by_doubling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
