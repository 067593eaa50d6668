#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "server/daemon/number_flags.h"

static char said[512];

typedef struct asked_t {
  int64_t least, most, value;
  FILE *errors;
} asked_t;

static error_t parse(int key, char *value, struct argp_state *state) {
  asked_t *asked = state->input;
  if (key != 'n') {
    return ARGP_ERR_UNKNOWN;
  }
  state->err_stream = asked->errors;
  asked->value = number_flag(state, "chips", value, asked->least, asked->most);
  return 0;
}

// What becomes of a text: errors are said to memory, and do not end the test.
static int64_t number(char *text, int64_t least, int64_t most) {
  static const struct argp_option options[] = {{"chips", 'n', "N", 0, "", 0}, {0}};
  static const struct argp argp = {.options = options, .parser = parse};
  memset(said, 0, sizeof(said));
  asked_t asked = {
      .least = least, .most = most, .errors = fmemopen(said, sizeof(said) - 1, "w")};
  assert_non_null(asked.errors);
  char *argv[] = {"daemon", "--chips", text, NULL};
  assert_int_equal(argp_parse(&argp, 3, argv, ARGP_NO_EXIT, NULL, &asked), 0);
  assert_int_equal(fclose(asked.errors), 0);
  return asked.value;
}

static void check_refused(char *text) {
  number(text, 1, 8);
  if (strstr(said, "--chips needs a number of 1 to 8, not \"") == NULL) {
    fail_msg("'%s' is refused with '%s'", text, said);
  }
}

static void test_a_number_within_its_bounds_is_taken(void **state) {
  (void)state;
  assert_int_equal(number("1", 1, 8), 1);
  assert_int_equal(number("8", 1, 8), 8);
  assert_int_equal(number("-3", -3, 8), -3);
  assert_int_equal(number("9223372036854775807", 0, INT64_MAX), INT64_MAX);
  assert_string_equal(said, "");
}

static void test_anything_else_is_refused_with_the_bounds(void **state) {
  (void)state;
  check_refused("0");
  check_refused("9");
  check_refused("");
  check_refused("4 ");
  check_refused("4x");
  check_refused("0x4");
  check_refused("4.0");
  check_refused("99999999999999999999");
  number("-1", 0, INT64_MAX);
  assert_non_null(strstr(said, "--chips needs a number of at least 0, not \"-1\""));
}

static void test_an_option_is_found_by_its_key(void **state) {
  (void)state;
  static const struct argp_option options[] = {
      {"one", 1, "N", 0, "", 0}, {"two", 2, "N", 0, "", 0}, {0}};
  assert_string_equal(number_flag_name(options, 2), "two");
  assert_string_equal(number_flag_name(options, 3), "?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_number_within_its_bounds_is_taken),
      cmocka_unit_test(test_anything_else_is_refused_with_the_bounds),
      cmocka_unit_test(test_an_option_is_found_by_its_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
