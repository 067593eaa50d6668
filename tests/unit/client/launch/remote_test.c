#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/launch/remote.h"

enum { TIMEOUT_MS = 60000, COUNT = 150, BYTES = 300000 };

static void test_many_run_beside_each_other_and_each_has_its_own_words(void **state) {
  (void)state;
  char *argv[] = {"cat", NULL};
  launch_call_t calls[COUNT] = {0};
  char inputs[COUNT][8];
  for (int i = 0; i < COUNT; i++) {
    inputs[i][0] = (char)('a' + i % 26);
    inputs[i][1] = '\0';
    calls[i] = (launch_call_t){
        .argv = argv, .input = inputs[i], .input_length = 1, .timeout_ms = TIMEOUT_MS};
  }
  launch_children_t children = {0};
  launch_calls_run(calls, COUNT, &children, NULL, NULL);
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(calls[i].exit_status, 0);
    assert_string_equal(calls[i].output.bytes, inputs[i]);
    launch_call_deinit(&calls[i]);
  }
  for (int i = 0; i < LAUNCH_PARALLEL_MAX; i++) {
    assert_int_equal(children.pids[i], 0);
  }
}

static void test_more_than_a_pipe_holds_goes_in_and_comes_out(void **state) {
  (void)state;
  char *argv[] = {"sh", "-c", "cat; echo wrong >&2; exit 5", NULL};
  char *text = malloc(BYTES + 1);
  assert_non_null(text);
  memset(text, 'x', BYTES);
  text[BYTES] = '\0';
  launch_call_t call = {
      .argv = argv, .input = text, .input_length = BYTES, .timeout_ms = TIMEOUT_MS};
  launch_children_t children = {0};
  launch_calls_run(&call, 1, &children, NULL, NULL);
  assert_int_equal(call.exit_status, 5);
  assert_int_equal(call.output.length, BYTES);
  assert_string_equal(call.errors.bytes, "wrong\n");
  launch_call_deinit(&call);
  free(text);
}

static void test_what_hangs_is_ended_and_does_not_keep_the_others(void **state) {
  (void)state;
  // Deaf to SIGTERM, and with a child that holds its streams open.
  char *hangs[] = {"sh", "-c", "trap '' TERM; sleep 1000 & echo begun; wait", NULL};
  char *ends[] = {"sh", "-c", "exit 3", NULL};
  launch_call_t calls[2] = {{.argv = hangs, .timeout_ms = 500},
                            {.argv = ends, .timeout_ms = TIMEOUT_MS}};
  launch_children_t children = {0};
  launch_calls_run(calls, 2, &children, NULL, NULL);
  assert_true(calls[0].is_late);
  assert_int_equal(calls[0].exit_status, 128 + SIGKILL);
  assert_false(calls[1].is_late);
  assert_int_equal(calls[1].exit_status, 3);
  launch_call_deinit(&calls[0]);
  launch_call_deinit(&calls[1]);
}

static void test_a_program_that_is_not_there_is_said(void **state) {
  (void)state;
  char *argv[] = {"/no/such/ssh", NULL};
  launch_call_t call = {.argv = argv, .timeout_ms = TIMEOUT_MS};
  launch_children_t children = {0};
  launch_calls_run(&call, 1, &children, NULL, NULL);
  assert_int_equal(call.exit_status, 127);
  assert_non_null(strstr(call.errors.bytes, "/no/such/ssh: No such file"));
  launch_call_deinit(&call);
}

int main(void) {
  (void)signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_run_beside_each_other_and_each_has_its_own_words),
      cmocka_unit_test(test_more_than_a_pipe_holds_goes_in_and_comes_out),
      cmocka_unit_test(test_what_hangs_is_ended_and_does_not_keep_the_others),
      cmocka_unit_test(test_a_program_that_is_not_there_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
