#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/terminal.h"

static void check(int columns, const char *text, const char *expected) {
  cli_cut_t cut = {.columns = columns};
  pod_text_t seen = {0};
  cli_cut(&cut, text, &seen);
  assert_string_equal(seen.bytes, expected);
  pod_text_deinit(&seen);
}

static void test_lines_that_fit_stay_as_they_are(void **state) {
  (void)state;
  check(5, "12345\n1234\n\n", "12345\n1234\n\n");
  check(0, "a line of any length\n", "a line of any length\n");
}

static void test_what_goes_beyond_the_last_column_is_left_out(void **state) {
  (void)state;
  check(5, "123456\n", "1234…\n");
  check(5, "123456789\n12345\n", "1234…\n12345\n");
}

static void test_a_character_is_a_column_and_a_colour_is_none(void **state) {
  (void)state;
  check(3, "█→…\n", "█→…\n");
  check(3, "█→█→\n", "█→…\n");
  check(3, "\033[1;31mabc\033[m\n", "\033[1;31mabc\033[m\n");
  check(3, "\033[31mabcd\033[m\n", "\033[31mab…\033[m\n");
}

static void test_a_line_may_come_in_pieces(void **state) {
  (void)state;
  cli_cut_t cut = {.columns = 4};
  pod_text_t seen = {0};
  cli_cut(&cut, "123", &seen);
  cli_cut(&cut, "4", &seen);
  cli_cut(&cut, "5", &seen);
  cli_cut(&cut, "\n1", &seen);
  assert_string_equal(seen.bytes, "123…\n1");
  pod_text_deinit(&seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_that_fit_stay_as_they_are),
      cmocka_unit_test(test_what_goes_beyond_the_last_column_is_left_out),
      cmocka_unit_test(test_a_character_is_a_column_and_a_colour_is_none),
      cmocka_unit_test(test_a_line_may_come_in_pieces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
