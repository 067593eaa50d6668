#include "server/coordinator/core/fanout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_cause(fanout_t *fanout, pod_code_t code, const char *message) {
  assert_true(fanout_is_over(fanout));
  const pod_status_t status = fanout_take(fanout);
  assert_int_equal(pod_status_code(status), code);
  assert_string_equal(pod_status_message(status), message);
  pod_status_free(status);
  fanout_deinit(fanout);
}

static void test_all_chips_well_is_no_error(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 2);
  assert_false(fanout_ended(&fanout, NULL, false));
  assert_false(fanout_is_over(&fanout));
  assert_false(fanout_ended(&fanout, NULL, false));
  assert_cause(&fanout, POD_OK, "ok");
}

static void test_the_first_failure_stops_the_others_once_and_is_the_cause(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 3);
  assert_true(fanout_ended(&fanout, pod_error(POD_RESOURCE_EXHAUSTED, "full"), false));
  assert_false(fanout_ended(&fanout, pod_error(POD_CANCELLED, "stopped"), false));
  assert_false(fanout_ended(&fanout, pod_error(POD_INTERNAL, "later"), false));
  assert_cause(&fanout, POD_RESOURCE_EXHAUSTED, "full");
}

static void test_a_dead_worker_is_named_before_those_who_missed_it(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 3);
  assert_true(
      fanout_ended(&fanout, pod_error(POD_UNAVAILABLE, "link to chip 1 broke"), false));
  assert_false(fanout_ended(&fanout, pod_error(POD_CANCELLED, "stopped"), false));
  assert_true(fanout_may_learn_more(&fanout));
  assert_false(fanout_ended(&fanout, pod_error(POD_UNAVAILABLE, "chip 1 died"), true));
  assert_false(fanout_may_learn_more(&fanout));
  assert_cause(&fanout, POD_UNAVAILABLE, "chip 1 died");
}

static void test_a_worker_found_dead_after_the_end_is_still_named(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 1);
  assert_false(fanout_ended(&fanout, pod_error(POD_UNAVAILABLE, "link broke"), false));
  assert_true(fanout_may_learn_more(&fanout));
  fanout_blame(&fanout, pod_error(POD_UNAVAILABLE, "chip 1 died"));
  assert_cause(&fanout, POD_UNAVAILABLE, "chip 1 died");
}

static void test_an_error_of_the_work_is_named_before_lost_touch(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 2);
  assert_true(fanout_ended(&fanout, pod_error(POD_ABORTED, "peer gave up"), false));
  assert_false(fanout_ended(&fanout, pod_error(POD_RESOURCE_EXHAUSTED, "full"), false));
  assert_cause(&fanout, POD_RESOURCE_EXHAUSTED, "full");
}

// The call of one chip has broken: it stops, and tells its neighbour, whose word comes
// first.
static void test_a_stop_that_was_not_ours_is_never_the_callers(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 2);
  assert_true(fanout_ended(&fanout, pod_error(POD_CANCELLED, "chip 0 stopped"), false));
  assert_false(
      fanout_ended(&fanout, pod_error(POD_UNAVAILABLE, "chip 0: broken"), false));
  assert_cause(&fanout, POD_UNAVAILABLE, "chip 0: broken");
  fanout_begin(&fanout, 1);
  assert_false(fanout_ended(&fanout, pod_error(POD_CANCELLED, "stopped"), false));
  assert_true(fanout_may_learn_more(&fanout));
  assert_cause(&fanout, POD_UNAVAILABLE, "stopped");
}

static void test_a_stop_of_the_caller_outranks_all_and_is_told_once(void **state) {
  (void)state;
  fanout_t fanout;
  fanout_begin(&fanout, 2);
  assert_true(fanout_stop(&fanout, FANOUT_CALLER, pod_error(POD_CANCELLED, "gone")));
  assert_false(fanout_stop(&fanout, FANOUT_CALLER, pod_error(POD_CANCELLED, "again")));
  assert_false(fanout_ended(&fanout, pod_error(POD_UNAVAILABLE, "died"), true));
  assert_false(fanout_ended(&fanout, NULL, false));
  assert_cause(&fanout, POD_CANCELLED, "gone");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_chips_well_is_no_error),
      cmocka_unit_test(test_the_first_failure_stops_the_others_once_and_is_the_cause),
      cmocka_unit_test(test_a_dead_worker_is_named_before_those_who_missed_it),
      cmocka_unit_test(test_a_worker_found_dead_after_the_end_is_still_named),
      cmocka_unit_test(test_an_error_of_the_work_is_named_before_lost_touch),
      cmocka_unit_test(test_a_stop_that_was_not_ours_is_never_the_callers),
      cmocka_unit_test(test_a_stop_of_the_caller_outranks_all_and_is_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
