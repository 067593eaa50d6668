#include "server/compiler/schedule/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/random.h"

static void test_the_most_of_a_range_is_what_was_taken_at_its_fullest_moment(
    void **state) {
  (void)state;
  enum { MOMENTS = 37, ROUNDS = 2000 };
  occupancy_t occupancy;
  occupancy_init(&occupancy, MOMENTS);
  int64_t plain[MOMENTS] = {0};
  pod_random_t random = {.state = 1};
  for (int i = 0; i < ROUNDS; i++) {
    const int32_t a = (int32_t)pod_random_below(&random, MOMENTS);
    const int32_t b = (int32_t)pod_random_below(&random, MOMENTS);
    const int32_t first = a < b ? a : b, last = a < b ? b : a;
    int64_t most = 0;
    for (int32_t at = first; at <= last; at++) {
      most = plain[at] > most ? plain[at] : most;
    }
    assert_int_equal(occupancy_most(&occupancy, first, last), most);
    const int64_t bytes = (int64_t)pod_random_below(&random, 1000);
    occupancy_take(&occupancy, first, last, bytes);
    for (int32_t at = first; at <= last; at++) {
      plain[at] += bytes;
    }
  }
  occupancy_deinit(&occupancy);
}

static void test_a_single_moment_is_enough(void **state) {
  (void)state;
  occupancy_t occupancy;
  occupancy_init(&occupancy, 1);
  occupancy_take(&occupancy, 0, 0, 5);
  assert_int_equal(occupancy_most(&occupancy, 0, 0), 5);
  occupancy_deinit(&occupancy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_most_of_a_range_is_what_was_taken_at_its_fullest_moment),
      cmocka_unit_test(test_a_single_moment_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
