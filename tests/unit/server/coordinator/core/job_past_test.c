#include "server/coordinator/core/job_past.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct told_t {
  int count;
  const char *names[4];
  int64_t used_us[4];
} told_t;

static void note(void *context, const char *principal, int64_t used_us) {
  told_t *told = context;
  told->names[told->count] = principal;
  told->used_us[told->count++] = used_us;
}

static int64_t used(const told_t *told, const char *name) {
  for (int i = 0; i < told->count; i++) {
    if (strcmp(told->names[i], name) == 0) {
      return told->used_us[i];
    }
  }
  return -1;
}

static void test_what_has_ended_counts_by_its_chips(void **state) {
  (void)state;
  const job_past_t jobs[] = {{"a", 4, 1, 10, 110},  {"a", 1, 1, 120, 130},
                             {"a", 4, 1, 0, 0},     {"b", 2, 1, 10, 60},
                             {"b", 0, 1, 0, 70},  // Cancelled while it waited.
                             {"b", 8, 1, 50, 0},  // It ran when the coordinator died.
                             {"gone", 8, 1, 10, 20}};
  told_t told = {0};
  job_past_clocks(jobs, 7, note, &told);
  assert_int_equal(told.count, 2);
  assert_int_equal(used(&told, "a"), 410);
  assert_int_equal(used(&told, "b"), 100);
}

// a has had 1000 when b comes: b is not ahead of him for it.
static void test_who_comes_later_starts_level(void **state) {
  (void)state;
  const job_past_t jobs[] = {{"a", 10, 1, 10, 110},
                             {"a", 1, 1, 0, 0},
                             {"b", 1, 200, 210, 260},
                             {"b", 1, 200, 0, 0}};
  told_t told = {0};
  job_past_clocks(jobs, 4, note, &told);
  assert_int_equal(used(&told, "a"), 1000);
  assert_int_equal(used(&told, "b"), 1050);
}

// Nobody waits while it runs: what it had is of another day.
static void test_without_others_one_starts_where_one_was(void **state) {
  (void)state;
  const job_past_t jobs[] = {
      {"a", 10, 1, 10, 110}, {"b", 1, 500, 0, 0}, {"a", 1, 600, 0, 0}};
  told_t told = {0};
  job_past_clocks(jobs, 3, note, &told);
  assert_int_equal(used(&told, "b"), 0);
  assert_int_equal(used(&told, "a"), 1000);
}

static void test_a_clock_that_was_set_back_is_survived(void **state) {
  (void)state;
  const job_past_t jobs[] = {{"a", 1, 100, 90, 50}, {"a", 1, 100, 0, 0}};
  told_t told = {0};
  job_past_clocks(jobs, 2, note, &told);
  assert_int_equal(used(&told, "a"), 0);
  told = (told_t){0};
  job_past_clocks(NULL, 0, note, &told);
  assert_int_equal(told.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_has_ended_counts_by_its_chips),
      cmocka_unit_test(test_who_comes_later_starts_level),
      cmocka_unit_test(test_without_others_one_starts_where_one_was),
      cmocka_unit_test(test_a_clock_that_was_set_back_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
