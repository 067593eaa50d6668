// What heartbeats say of links, and what is made of it.

#include "server/coordinator/core/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void hear(traffic_t *traffic, int64_t now_ns, int64_t bytes) {
  const int64_t said[TORUS_LINKS] = {bytes, 2 * bytes};
  traffic_heard(traffic, now_ns, TORUS_LINKS, said);
}

static void test_totals_grow_and_have_a_rate(void **state) {
  (void)state;
  traffic_t traffic = {0};
  hear(&traffic, SECOND, 1000);
  assert_int_equal(traffic.sent_bytes[0], 1000);
  assert_true(traffic_rate(&traffic, 0, SECOND, SECOND) == 0);  // Since when is unknown.
  hear(&traffic, 3 * SECOND, 5000);
  assert_int_equal(traffic.sent_bytes[1], 10000);
  assert_true(traffic_rate(&traffic, 0, 3 * SECOND, SECOND) == 2000);
  assert_true(traffic_rate(&traffic, 1, 4 * SECOND, SECOND) == 4000);
  assert_true(traffic_rate(&traffic, 1, 4 * SECOND + 1, SECOND) == 0);  // Long silent.
  assert_true(traffic_rate(&traffic, 2, 3 * SECOND, SECOND) == 0);
}

static void test_totals_outlive_the_worker(void **state) {
  (void)state;
  traffic_t traffic = {0};
  hear(&traffic, SECOND, 1000);
  hear(&traffic, 2 * SECOND, 2000);
  traffic_begin(&traffic);
  assert_true(traffic_rate(&traffic, 0, 2 * SECOND, SECOND) == 0);
  hear(&traffic, 9 * SECOND, 10);
  assert_int_equal(traffic.sent_bytes[0], 2010);
}

// Any worker may say anything.
static void test_nonsense_counts_as_nothing(void **state) {
  (void)state;
  traffic_t traffic = {0};
  hear(&traffic, SECOND, 1000);
  hear(&traffic, 2 * SECOND, -5);
  hear(&traffic, 3 * SECOND, 400);
  assert_int_equal(traffic.sent_bytes[0], 1000);
  assert_true(traffic_rate(&traffic, 0, 3 * SECOND, SECOND) == 0);
  traffic_heard(&traffic, 4 * SECOND, 0, NULL);  // An older worker says nothing.
  assert_int_equal(traffic.sent_bytes[0], 1000);
  const int64_t all[1] = {INT64_MAX};
  traffic_heard(&traffic, 5 * SECOND, 1, all);
  traffic_begin(&traffic);
  traffic_heard(&traffic, 6 * SECOND, 1, all);
  assert_int_equal(traffic.sent_bytes[0], INT64_MAX);
  assert_int_equal(traffic.sent_bytes[1], 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_totals_grow_and_have_a_rate),
      cmocka_unit_test(test_totals_outlive_the_worker),
      cmocka_unit_test(test_nonsense_counts_as_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
