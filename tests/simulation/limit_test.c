// Each child takes time in its own way under the same limits.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/simulation/limit.h"

static void sleep_ms(int64_t ms) {
  const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  (void)nanosleep(&time, NULL);
}

static int64_t processor_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void compute(int64_t ms) {
  const int64_t until_ms = processor_ms() + ms;
  while (processor_ms() < until_ms) {
  }
}

// How it ended: "" when by itself.
static void run(const limit_t *limit, void (*spend)(int64_t ms), int64_t ms, char *text,
                size_t size) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    limit_start(limit);
    spend(ms);
    limit_stop();
    spend(ms);  // Nothing counts any more.
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  text[0] = '\0';
  if (WIFSIGNALED(status)) {
    limit_print(limit, WTERMSIG(status), text, size);
  } else {
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

static void test_who_gets_no_processor_is_not_said_to_hang(void **state) {
  (void)state;
  char text[128];
  run(&(limit_t){.processor_ms = 100, .real_ms = 60000}, sleep_ms, 300, text,
      sizeof(text));
  assert_string_equal(text, "");
  run(&(limit_t){.processor_ms = 10000, .real_ms = 60000}, compute, 100, text,
      sizeof(text));
  assert_string_equal(text, "");
}

static void test_an_endless_turn_is_ended_by_its_processor_time(void **state) {
  (void)state;
  char text[128];
  run(&(limit_t){.processor_ms = 100, .real_ms = 60000}, compute, 20000, text,
      sizeof(text));
  assert_string_equal(text, "it has not ended within 0.1 s of processor time");
}

static void test_what_waits_for_ever_is_ended_by_the_clock(void **state) {
  (void)state;
  char text[128];
  run(&(limit_t){.processor_ms = 20000, .real_ms = 100}, sleep_ms, 20000, text,
      sizeof(text));
  assert_string_equal(text, "it has not ended within 0.1 s, most of which it waited");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_gets_no_processor_is_not_said_to_hang),
      cmocka_unit_test(test_an_endless_turn_is_ended_by_its_processor_time),
      cmocka_unit_test(test_what_waits_for_ever_is_ended_by_the_clock),
  };
  return cmocka_run_group_tests_name("simulation/limit", tests, NULL, NULL);
}
