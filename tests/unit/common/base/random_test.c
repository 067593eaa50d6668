#include "common/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// The first outputs of the reference implementation (Vigna, splitmix64.c).
static void test_a_seed_gives_the_published_sequence(void **state) {
  (void)state;
  pod_random_t zero = {.state = 0};
  assert_true(pod_random_next(&zero) == 0xe220a8397b1dcdafu);
  assert_true(pod_random_next(&zero) == 0x6e789e6aa1b965f4u);
  pod_random_t other = {.state = 1234567};
  assert_true(pod_random_next(&other) == 6457827717110365317u);
  assert_true(pod_random_next(&other) == 3203168211198807973u);
  assert_true(pod_random_next(&other) == 9817491932198370423u);
}

static void test_numbers_stay_in_their_range_and_fill_it(void **state) {
  (void)state;
  pod_random_t random = {.state = 99};
  double sum = 0;
  int counts[7] = {0};
  for (int i = 0; i < 70000; i++) {
    const double uniform = pod_random_uniform(&random);
    assert_true(uniform >= 0 && uniform < 1);
    sum += uniform;
    counts[pod_random_below(&random, 7)]++;
  }
  assert_true(sum / 70000 > 0.49 && sum / 70000 < 0.51);
  for (int i = 0; i < 7; i++) {
    assert_in_range(counts[i], 9500, 10500);
  }
  assert_int_equal(pod_random_below(&random, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_seed_gives_the_published_sequence),
      cmocka_unit_test(test_numbers_stay_in_their_range_and_fill_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
