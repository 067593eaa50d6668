// A worker whose links are beyond repair starts anew; one whose links work goes on.

#include "server/worker/watchdog.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECOND_LIFE = 42 };

static atomic_int trials;

static bool works(int timeout_ms) {
  (void)timeout_ms;
  atomic_fetch_add(&trials, 1);
  return true;
}

static bool is_stuck(int timeout_ms) {
  (void)timeout_ms;
  return false;
}

static void test_links_that_work_are_left_alone(void **state) {
  (void)state;
  char *argv[] = {"worker", NULL};
  const watchdog_options_t options = {
      .argv = argv, .interval_ms = 1, .timeout_ms = 1, .works = works};
  watchdog_t *watchdog = watchdog_create(&options);
  assert_non_null(watchdog);
  while (atomic_load(&trials) < 3) {
    sched_yield();
  }
  watchdog_destroy(watchdog);
}

static void test_a_watchdog_ends_without_waiting_for_its_next_trial(void **state) {
  (void)state;
  char *argv[] = {"worker", NULL};
  const watchdog_options_t options = {
      .argv = argv, .interval_ms = 1000000000, .timeout_ms = 1, .works = is_stuck};
  watchdog_destroy(watchdog_create(&options));
  watchdog_destroy(NULL);
}

static void test_links_that_are_stuck_start_the_program_anew(void **state) {
  (void)state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char *argv[] = {"worker", "--second-life", NULL};
    const watchdog_options_t options = {
        .argv = argv, .interval_ms = 1, .timeout_ms = 1, .works = is_stuck};
    (void)watchdog_create(&options);
    for (;;) {
      pause();
    }
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), SECOND_LIFE);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--second-life") == 0) {
    return SECOND_LIFE;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_links_that_work_are_left_alone),
      cmocka_unit_test(test_a_watchdog_ends_without_waiting_for_its_next_trial),
      cmocka_unit_test(test_links_that_are_stuck_start_the_program_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
