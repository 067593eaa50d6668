#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/expect.h"

static cli_expectations_t parsed(const char *text) {
  cli_expectations_t expectations = {0};
  const pod_status_t status = cli_expect_parse(text, &expectations);
  if (status != NULL) {
    fail_msg("'%s': %s", text, pod_status_message(status));
  }
  return expectations;
}

// Part of the message with which a text is refused; nothing is added.
static void assert_refused(const char *text, const char *message) {
  cli_expectations_t expectations = {.count = 1};
  const pod_status_t status = cli_expect_parse(text, &expectations);
  if (status == NULL) {
    fail_msg("'%s' is taken", text);
  }
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), message) == NULL) {
    fail_msg("'%s' is refused with: %s", text, pod_status_message(status));
  }
  assert_int_equal(expectations.count, 1);
  pod_status_free(status);
}

static int64_t value_of(const char *text) {
  return parsed(text).list[0].value;
}

static void test_a_list_is_read_in_its_order(void **state) {
  (void)state;
  const cli_expectations_t all =
      parsed("all_gather<=2, all_to_all == 0,peak_hbm<12GiB,step>=3ms,collectives!=7");
  assert_int_equal(all.count, 5);
  assert_int_equal(all.list[0].measure, CLI_ALL_GATHER);
  assert_int_equal(all.list[0].relation, CLI_AT_MOST);
  assert_string_equal(all.list[1].text, "all_to_all==0");
  assert_int_equal(all.list[1].relation, CLI_EQUAL);
  assert_int_equal(all.list[2].relation, CLI_BELOW);
  assert_int_equal(all.list[3].relation, CLI_AT_LEAST);
  assert_int_equal(all.list[4].relation, CLI_UNEQUAL);
}

static void test_units_are_exact(void **state) {
  (void)state;
  assert_int_equal(value_of("peak_hbm<=12GiB"), INT64_C(12) << 30);
  assert_int_equal(value_of("peak_hbm<=12GB"), INT64_C(12000000000));
  assert_int_equal(value_of("peak_hbm<=100"), 100);
  assert_int_equal(value_of("link_bytes>0.5KiB"), 512);
  assert_int_equal(value_of("step<=0.25ms"), 250000000);
  assert_int_equal(value_of("step<=1.5s"), INT64_C(1500000000000));
  assert_int_equal(value_of("step<=0.1us"), 100000);
  assert_int_equal(value_of("exposed<3ps"), 3);
  assert_int_equal(value_of("peak_hbm<=8388607TiB"), INT64_C(8388607) << 40);
}

static void test_what_is_no_expectation_is_refused_by_what_is_wrong(void **state) {
  (void)state;
  assert_refused("", "something is to be expected");
  assert_refused("all_gather<=2,", "something is to be expected");
  assert_refused(",", "something is to be expected");
  assert_refused("all_gathr<=2", "did you mean all_gather?");
  assert_refused("flops<=2", "nothing called 'flops'");
  assert_refused("<=2", "nothing called ''");
  assert_refused("all_gather", "'all_gather': behind all_gather stands <=");
  assert_refused("all_gather=2", "behind all_gather stands <=, <, ==");
  assert_refused("all_gather!2", "behind all_gather stands");
  assert_refused("all_gather<=", "a whole number, not ''");
  assert_refused("all_gather<=-1", "a whole number, not '-1'");
  assert_refused("all_gather<=+1", "a whole number");
  assert_refused("all_gather<=1.5", "a whole number");
  assert_refused("all_gather<=2GiB", "a whole number");
  assert_refused("all_gather<==2", "a whole number, not '=2'");
  assert_refused("all_gather<=0x2", "a whole number");
  assert_refused("all_gather<=nan", "a whole number");
  assert_refused("step<=3", "a time with its unit");
  assert_refused("step<=3GiB", "a time with its unit");
  assert_refused("step<=3 ms 2", "a time with its unit");
  assert_refused("step<=3.ms", "a time with its unit");
  assert_refused("step<=.3ms", "a time with its unit");
  assert_refused("step<=1e3ms", "a time with its unit");
  assert_refused("peak_hbm<=12gib", "bytes, such as 12GiB");
  assert_refused("peak_hbm<=12ms", "bytes, such as");
  assert_refused("all_gather<=2,step<=3", "a time with its unit");
}

static void test_numbers_above_63_bits_are_refused(void **state) {
  (void)state;
  assert_int_equal(value_of("all_gather<=9223372036854775807"), INT64_MAX);
  assert_refused("all_gather<=9223372036854775808", "a whole number");
  assert_refused("peak_hbm<=8388608TiB", "bytes");
  assert_refused("step<=99999999999999999999999999s", "a time");
  assert_int_equal(value_of("step<=0.00000000000000000000000000001s"), 0);
  assert_int_equal(value_of("step<=9223372.036854775s"), INT64_C(9223372036854775000));
  assert_refused("step<=9223372.036854776s", "a time");
}

static void test_endless_and_odd_text_is_refused(void **state) {
  (void)state;
  char longest[100000];
  memset(longest, 'a', sizeof(longest) - 1);
  longest[sizeof(longest) - 1] = '\0';
  assert_refused(longest, "too long to be expected");
  memcpy(longest, "step<=", 6);
  assert_refused(longest, "too long to be expected");
  memset(longest, ' ', sizeof(longest) - 1);
  assert_refused(longest, "something is to be expected");
  assert_refused("\xff\xfe<=2", "nothing called");
  assert_refused("%s%n<=2", "nothing called '%s%n'");
  char many[CLI_EXPECTATIONS_MAX * 8 + 16] = "step<1s";
  for (int i = 0; i < CLI_EXPECTATIONS_MAX; i++) {
    strcat(many, ",step<1s");
  }
  assert_refused(many, "more than 64 are expected");
}

static bool holds(const char *text, const cli_measures_t *measures) {
  const cli_expectations_t all = parsed(text);
  return cli_expect_holds(&all.list[0], measures);
}

static void test_every_relation_holds_where_it_should(void **state) {
  (void)state;
  const cli_measures_t measures = {.values = {[CLI_ALL_GATHER] = 3, [CLI_STEP] = -1}};
  static const char *const yes[] = {"all_gather<=3", "all_gather>=3", "all_gather==3",
                                    "all_gather<4",  "all_gather>2",  "all_gather!=2"};
  static const char *const no[] = {"all_gather<=2", "all_gather>=4", "all_gather==2",
                                   "all_gather<3",  "all_gather>3",  "all_gather!=3"};
  for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
    assert_true(holds(yes[i], &measures));
    assert_false(holds(no[i], &measures));
  }
}

static void test_what_is_not_known_never_holds(void **state) {
  (void)state;
  const cli_measures_t measures = {.values = {[CLI_STEP] = -1}};
  assert_false(holds("step<=3ms", &measures));
  assert_false(holds("step>=0ps", &measures));
  assert_false(holds("step!=3ms", &measures));
}

static void test_a_difference_says_how_far(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const cli_measures_t measures = {
      .values =
          {[CLI_ALL_GATHER] = 3, [CLI_PEAK_HBM] = INT64_C(15) << 30, [CLI_STEP] = -1},
      .unknown = "while.3 turns as often as values say"};
  const cli_expectations_t all = parsed(
      "all_gather<=2,peak_hbm<=12GiB,step<=3ms,"
      "all_gather==3,all_gather>=4");
  assert_string_equal(cli_expect_difference(arena, &all.list[0], &measures),
                      "is 3, 1 more");
  assert_string_equal(cli_expect_difference(arena, &all.list[1], &measures),
                      "is 15.0 GiB, 3.0 GiB more (+25.0 %)");
  assert_string_equal(cli_expect_difference(arena, &all.list[2], &measures),
                      "is not known: while.3 turns as often as values say");
  assert_string_equal(cli_expect_difference(arena, &all.list[3], &measures), "is 3");
  assert_string_equal(cli_expect_difference(arena, &all.list[4], &measures),
                      "is 3, 1 less");
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_list_is_read_in_its_order),
      cmocka_unit_test(test_units_are_exact),
      cmocka_unit_test(test_what_is_no_expectation_is_refused_by_what_is_wrong),
      cmocka_unit_test(test_numbers_above_63_bits_are_refused),
      cmocka_unit_test(test_endless_and_odd_text_is_refused),
      cmocka_unit_test(test_every_relation_holds_where_it_should),
      cmocka_unit_test(test_what_is_not_known_never_holds),
      cmocka_unit_test(test_a_difference_says_how_far),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
