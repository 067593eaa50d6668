#include "common/base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/random.h"

enum { ITEMS = 500 };

static int32_t places[ITEMS];  // Where each item lies.

static void note_place(uintptr_t item, int32_t at) {
  places[item] = at;
}

static void test_keys_come_out_in_their_order(void **state) {
  (void)state;
  pod_heap_t heap = {0};
  pod_random_t random = {1};
  for (uintptr_t i = 0; i < ITEMS; i++) {
    pod_heap_push(&heap, (int64_t)(pod_random_next(&random) % 100) - 50, i);
  }
  int64_t last = INT64_MIN;
  for (int32_t left = ITEMS; left > 0; left--) {
    assert_int_equal(pod_heap_count(&heap), left);
    const int64_t key = pod_heap_first(&heap).key;
    assert_true(key >= last);
    assert_true(pod_heap_pop(&heap).key == key);
    last = key;
  }
  pod_heap_deinit(&heap);
}

// Removes at random, and checks what is left against a list.
static void test_items_are_removed_from_where_they_are_said_to_lie(void **state) {
  (void)state;
  pod_heap_t heap = {.placed = note_place};
  pod_random_t random = {2};
  int64_t keys[ITEMS];
  for (uintptr_t i = 0; i < ITEMS; i++) {
    keys[i] = (int64_t)(pod_random_next(&random) % 1000);
    pod_heap_push(&heap, keys[i], i);
  }
  bool is_in[ITEMS];
  for (int32_t i = 0; i < ITEMS; i++) {
    is_in[i] = pod_random_next(&random) % 2 == 0;
    assert_int_equal(heap.entries.items[places[i]].item, i);
    if (!is_in[i]) {
      pod_heap_remove(&heap, places[i]);
    }
  }
  int64_t last = INT64_MIN;
  while (pod_heap_count(&heap) > 0) {
    const pod_heap_entry_t entry = pod_heap_pop(&heap);
    assert_true(is_in[entry.item] && entry.key == keys[entry.item] && entry.key >= last);
    is_in[entry.item] = false;
    last = entry.key;
  }
  for (int32_t i = 0; i < ITEMS; i++) {
    assert_false(is_in[i]);
  }
  pod_heap_deinit(&heap);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys_come_out_in_their_order),
      cmocka_unit_test(test_items_are_removed_from_where_they_are_said_to_lie),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
