// Traces keep what control flow did, run by run.

#include "server/program/trace.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_values_come_back_in_their_order(void **state) {
  (void)state;
  const chip_program_t program = {.instruction_count = 3};
  const int64_t values[] = {4, 4, 0, 7, 7, 7, 4};
  chip_trace_t trace;
  chip_trace_init(&trace, &program);
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    assert_true(chip_trace_add(&trace, 1, values[i]));
  }
  assert_int_equal(trace.lists[1].count, 4);
  assert_int_equal(trace.run_count, 4);
  chip_trace_cursor_t cursor = {0};
  int64_t value = -1;
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    assert_true(chip_trace_next(&trace.lists[1], &cursor, &value));
    assert_int_equal(value, values[i]);
  }
  assert_false(chip_trace_next(&trace.lists[1], &cursor, &value));
  assert_false(chip_trace_next(&trace.lists[1], &cursor, &value));
  chip_trace_cursor_t other = {0};
  assert_false(chip_trace_next(&trace.lists[0], &other, &value));
  chip_trace_deinit(&trace);
}

static void test_traces_are_equal_when_all_lists_are(void **state) {
  (void)state;
  const chip_program_t program = {.instruction_count = 2};
  chip_trace_t a;
  chip_trace_t b;
  chip_trace_init(&a, &program);
  chip_trace_init(&b, &program);
  assert_true(chip_trace_equal(&a, &b));
  assert_true(chip_trace_add(&a, 0, 5));
  assert_false(chip_trace_equal(&a, &b));
  assert_true(chip_trace_add(&b, 1, 5));
  assert_false(chip_trace_equal(&a, &b));
  assert_true(chip_trace_add(&b, 0, 5));
  assert_true(chip_trace_add(&a, 1, 5));
  assert_true(chip_trace_equal(&a, &b));
  chip_trace_deinit(&a);
  chip_trace_deinit(&b);
}

static void test_a_trace_has_a_bound(void **state) {
  (void)state;
  const chip_program_t program = {.instruction_count = 1};
  chip_trace_t trace;
  chip_trace_init(&trace, &program);
  for (int64_t i = 0; i < CHIP_TRACE_RUNS_MAX; i++) {
    assert_true(chip_trace_add(&trace, 0, i));
  }
  assert_false(chip_trace_add(&trace, 0, 0));
  assert_true(chip_trace_add(&trace, 0, CHIP_TRACE_RUNS_MAX - 1));
  chip_trace_deinit(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_come_back_in_their_order),
      cmocka_unit_test(test_traces_are_equal_when_all_lists_are),
      cmocka_unit_test(test_a_trace_has_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
