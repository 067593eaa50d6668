#include "server/host/restart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 10 };

static void test_pauses_double_up_to_a_bound(void **state) {
  (void)state;
  restart_t restart = {0};
  const int64_t expected[MOST] = {250,  500,   1000,  2000,  4000,
                                  8000, 16000, 30000, 30000, 30000};
  int64_t now_ms = 5000;
  for (int i = 0; i < MOST; i++) {
    restart_started(&restart, now_ms);
    now_ms += 10;
    assert_int_equal(restart_ended(&restart, now_ms, false, MOST), expected[i]);
  }
  restart_started(&restart, now_ms);
  assert_int_equal(restart_ended(&restart, now_ms, false, MOST), -1);
}

static void test_what_has_lived_for_a_minute_begins_anew(void **state) {
  (void)state;
  restart_t restart = {0};
  for (int i = 0; i < MOST; i++) {
    restart_started(&restart, 0);
    assert_true(restart_ended(&restart, 1, false, MOST) > 0);
  }
  restart_started(&restart, 0);
  assert_int_equal(restart_ended(&restart, RESTART_SETTLED_MS, true, MOST),
                   RESTART_PAUSE_MS);
}

static void test_what_refuses_at_its_first_start_is_not_started_again(void **state) {
  (void)state;
  restart_t restart = {0};
  restart_started(&restart, 100);
  assert_int_equal(restart_ended(&restart, 101, true, MOST), -1);

  restart_t killed = {0};
  restart_started(&killed, 100);
  assert_int_equal(restart_ended(&killed, 101, false, MOST), RESTART_PAUSE_MS);
  // Its place may still be taken by what it was before.
  restart_started(&killed, 500);
  assert_int_equal(restart_ended(&killed, 501, true, MOST), 2 * RESTART_PAUSE_MS);
}

static void test_a_bound_of_none_starts_once(void **state) {
  (void)state;
  restart_t restart = {0};
  restart_started(&restart, 0);
  assert_int_equal(restart_ended(&restart, 5000, true, 0), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pauses_double_up_to_a_bound),
      cmocka_unit_test(test_what_has_lived_for_a_minute_begins_anew),
      cmocka_unit_test(test_what_refuses_at_its_first_start_is_not_started_again),
      cmocka_unit_test(test_a_bound_of_none_starts_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
