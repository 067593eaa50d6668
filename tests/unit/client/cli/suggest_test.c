#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/cli/suggest.h"

static const char *const words[] = {"run",  "simulate", NULL,      "compile",
                                    "down", "status",   "devices", "topology"};

static const char *meant(const char *word) {
  return cli_suggest(word, 8, words);
}

static void test_the_nearest_word_is_meant(void **state) {
  (void)state;
  assert_string_equal(meant("rn"), "run");
  assert_string_equal(meant("simluate"), "simulate");
  assert_string_equal(meant("complie"), "compile");
  assert_string_equal(meant("topolgy"), "topology");
  assert_string_equal(meant("statuses"), "status");
  assert_string_equal(meant("run"), "run");
}

static void test_a_word_that_is_far_from_all_means_none(void **state) {
  (void)state;
  assert_null(meant("fly"));
  assert_null(meant(""));
  assert_null(meant("r"));
  assert_null(meant("sim"));
  char longest[200] = {0};
  for (int i = 0; i < 199; i++) {
    longest[i] = 'a';
  }
  assert_null(meant(longest));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_nearest_word_is_meant),
      cmocka_unit_test(test_a_word_that_is_far_from_all_means_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
