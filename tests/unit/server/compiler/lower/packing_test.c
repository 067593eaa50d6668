#include "server/compiler/lower/packing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/random.h"

enum { ITEMS_MAX = 5000 };

static bool live_at_once(const packing_item_t *a, const packing_item_t *b) {
  return a->first <= b->last && b->first <= a->last;
}

static bool overlap(const packing_item_t *a, const packing_item_t *b) {
  return a->offset < b->offset + b->size_bytes && b->offset < a->offset + a->size_bytes;
}

static void assert_valid(int count, const packing_item_t *items, int64_t total) {
  for (int i = 0; i < count; i++) {
    assert_int_equal(items[i].offset % PACKING_ALIGNMENT, 0);
    assert_true(items[i].offset >= 0 && items[i].offset + items[i].size_bytes <= total);
    for (int k = 0; k < i; k++) {
      if (live_at_once(&items[i], &items[k]) && overlap(&items[i], &items[k])) {
        fail_msg("items %d and %d overlap", i, k);
      }
    }
  }
}

static void test_things_that_never_meet_share_their_place(void **state) {
  (void)state;
  packing_item_t items[] = {{0, 1, 1000, -1}, {2, 3, 1000, -1}, {4, 9, 900, -1}};
  assert_int_equal(packing_arrange(3, items), 1024);
  assert_valid(3, items, 1024);
}

static void test_a_last_and_a_first_moment_that_are_one_keep_things_apart(void **state) {
  (void)state;
  packing_item_t items[] = {{0, 2, 64, -1}, {2, 3, 64, -1}};
  assert_int_equal(packing_arrange(2, items), 128);
  assert_valid(2, items, 128);
}

static void test_nothing_takes_no_room(void **state) {
  (void)state;
  packing_item_t items[] = {{0, 2, 0, -1}, {1, 3, 0, -1}};
  assert_int_equal(packing_arrange(0, NULL), 0);
  assert_int_equal(packing_arrange(2, items), 0);
  assert_int_equal(items[0].offset, 0);
}

static void test_more_than_there_are_bytes_is_refused(void **state) {
  (void)state;
  packing_item_t items[] = {
      {0, 2, INT64_MAX / 4, -1}, {1, 3, INT64_MAX / 4, -1}, {1, 3, INT64_MAX / 4, -1}};
  assert_int_equal(packing_arrange(3, items), -1);
}

// What must at least be there: the most that is alive at one moment.
static int64_t lower_bound(int count, const packing_item_t *items, int moments) {
  int64_t most = 0;
  for (int t = 0; t < moments; t++) {
    int64_t alive = 0;
    for (int i = 0; i < count; i++) {
      if (items[i].first <= t && t <= items[i].last) {
        alive += (items[i].size_bytes + 63) / 64 * 64;
      }
    }
    most = alive > most ? alive : most;
  }
  return most;
}

static void check_random(uint64_t seed, int count, int moments) {
  pod_random_t random = {seed};
  packing_item_t *items = calloc((size_t)count, sizeof(*items));
  for (int i = 0; i < count; i++) {
    items[i].first = (int32_t)pod_random_below(&random, (uint64_t)moments);
    const uint64_t life = pod_random_below(&random, 4) == 0 ? 40 : 4;
    items[i].last = items[i].first + (int32_t)pod_random_below(&random, life);
    items[i].size_bytes = (int64_t)pod_random_below(&random, 100000);
  }
  const int64_t total = packing_arrange(count, items);
  assert_valid(count, items, total);
  const int64_t least = lower_bound(count, items, moments + 40);
  if (total > least + least / 2) {
    fail_msg("seed %llu: %lld bytes for %lld", (unsigned long long)seed, (long long)total,
             (long long)least);
  }
  free(items);
}

static void test_random_lives_never_overlap_and_waste_little(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check_random(seed, 1 + (int)(seed * 17), 60);
  }
  check_random(99, ITEMS_MAX, 3000);  // More than the quadratic arrangement takes.
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_things_that_never_meet_share_their_place),
      cmocka_unit_test(test_a_last_and_a_first_moment_that_are_one_keep_things_apart),
      cmocka_unit_test(test_nothing_takes_no_room),
      cmocka_unit_test(test_more_than_there_are_bytes_is_refused),
      cmocka_unit_test(test_random_lives_never_overlap_and_waste_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
