#include "common/base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_quotients_are_rounded_to_their_side(void **state) {
  (void)state;
  for (int64_t b = 1; b <= 7; b++) {
    for (int64_t a = -30; a <= 30; a++) {
      const int64_t down = pod_divide_down(a, b), up = pod_divide_up(a, b);
      assert_true(down * b <= a && (down + 1) * b > a);
      assert_true(up * b >= a && (up - 1) * b < a);
    }
  }
}

static void test_the_greatest_divisor_of_two_numbers_divides_both(void **state) {
  (void)state;
  assert_int_equal(pod_greatest_common_divisor(12, 18), 6);
  assert_int_equal(pod_greatest_common_divisor(7, 9), 1);
  assert_int_equal(pod_greatest_common_divisor(0, 5), 5);
  assert_int_equal(pod_greatest_common_divisor(5, 0), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quotients_are_rounded_to_their_side),
      cmocka_unit_test(test_the_greatest_divisor_of_two_numbers_divides_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
