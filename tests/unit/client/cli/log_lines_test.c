#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "client/cli/log_lines.h"

static int64_t order;

static void feed(cli_log_reader_t *reader, cli_log_lines_t *lines, const char *text) {
  cli_log_feed(reader, text, strlen(text), &order, lines);
}

static void check_line(const cli_log_lines_t *lines, int32_t index, const char *daemon,
                       char level, const char *text) {
  assert_true(index < lines->count);
  assert_string_equal(lines->items[index].daemon, daemon);
  assert_int_equal(lines->items[index].level, level);
  assert_string_equal(lines->items[index].text, text);
}

static void test_lines_of_several_daemons_come_by_time(void **state) {
  (void)state;
  cli_log_lines_t lines = {0};
  cli_log_reader_t first = {.daemon = "coordinator"}, second = {.daemon = "worker-0"};
  feed(&first, &lines,
       "2026-11-21T15:04:05.123Z coordinator I a\n2026-11-21T15:04:07.000Z coordinator W "
       "d\n");
  feed(&second, &lines,
       "2026-11-21T15:04:05.123Z worker D b\n2026-11-21T15:04:06.500Z worker E c\n");
  cli_log_sort(&lines);
  assert_int_equal(lines.count, 4);
  check_line(&lines, 0, "coordinator", 'I', "a");
  check_line(&lines, 1, "worker-0", 'D', "b");
  check_line(&lines, 2, "worker-0", 'E', "c");
  check_line(&lines, 3, "coordinator", 'W', "d");
  cli_log_lines_deinit(&lines);
  pod_text_deinit(&first.rest);
  pod_text_deinit(&second.rest);
}

static void test_a_line_may_come_in_pieces_and_the_last_without_an_end(void **state) {
  (void)state;
  cli_log_lines_t lines = {0};
  cli_log_reader_t reader = {.daemon = "w"};
  const char text[] =
      "2026-11-21T15:04:05.123Z worker I one\n2026-11-21T15:04:05.124Z "
      "worker W two";
  for (const char *at = text; *at != '\0'; at++) {
    cli_log_feed(&reader, at, 1, &order, &lines);
  }
  assert_int_equal(lines.count, 1);
  cli_log_end(&reader, &order, &lines);
  cli_log_end(&reader, &order, &lines);
  assert_int_equal(lines.count, 2);
  check_line(&lines, 1, "w", 'W', "two");
  cli_log_lines_deinit(&lines);
  pod_text_deinit(&reader.rest);
}

static void test_json_reads_as_text_with_its_fields_behind(void **state) {
  (void)state;
  cli_log_lines_t lines = {0};
  cli_log_reader_t reader = {.daemon = "w"};
  feed(&reader, &lines,
       "{\"time\":\"2026-11-21T15:04:05.123Z\",\"level\":\"warning\",\"daemon\":"
       "\"worker\",\"session\":3,\"code\":\"OK\",\"message\":\"it \\\"ended\\\"\"}\n"
       "{\"no\":\"log\"}\n");
  check_line(&lines, 0, "w", 'W', "it \"ended\"  session=3  code=OK");
  check_line(&lines, 1, "w", 'W', "{\"no\":\"log\"}");
  assert_int_equal(lines.items[1].time_us, lines.items[0].time_us);
  cli_log_lines_deinit(&lines);
  pod_text_deinit(&reader.rest);
}

static void test_what_has_no_time_stays_with_the_line_before_it(void **state) {
  (void)state;
  cli_log_lines_t lines = {0};
  cli_log_reader_t reader = {.daemon = "w"};
  feed(&reader, &lines,
       "2026-11-21T15:04:05.123Z worker I begun\n"
       "==1==ERROR: \033[1mred\033[m\n"
       "podium-worker: INVALID_ARGUMENT: no\n");
  check_line(&lines, 1, "w", 'I', "==1==ERROR: \\x1b[1mred\\x1b[m");
  check_line(&lines, 2, "w", 'E', "podium-worker: INVALID_ARGUMENT: no");
  assert_int_equal(lines.items[2].time_us, lines.items[0].time_us);
  cli_log_lines_deinit(&lines);
  pod_text_deinit(&reader.rest);
}

static void test_times_are_read_and_written(void **state) {
  (void)state;
  int64_t us = 0;
  assert_int_equal(cli_log_read_time("2026-11-21T15:04:05.123Z x", &us), 24);
  char text[CLI_LOG_TIME_BYTES];
  cli_log_write_time(us, text);
  assert_string_equal(text, "2026-11-21T15:04:05.123Z");
  assert_int_equal(cli_log_read_time("2026-11-21T15:04:05Z", &us), 20);
  assert_int_equal(cli_log_read_time("2026-11-21", &us), 0);
  assert_int_equal(cli_log_read_time("", &us), 0);
  assert_true(cli_log_read_since("90", 100000000, &us));
  assert_int_equal(us, 10000000);
  assert_true(cli_log_read_since("1.5m", 100000000, &us));
  assert_int_equal(us, 10000000);
  assert_true(cli_log_read_since("2026-11-21T15:04:05Z", 0, &us));
  assert_false(cli_log_read_since("soon", 0, &us));
  assert_false(cli_log_read_since("5w", 0, &us));
  assert_false(cli_log_read_since("-5m", 0, &us));
  assert_false(cli_log_read_since("2026-11-21T15:04:05Z!", 0, &us));
  assert_false(cli_log_read_since("", 0, &us));
}

static void test_levels_are_shown_from_one_on(void **state) {
  (void)state;
  assert_true(cli_log_shows('E', cli_log_level("warning")));
  assert_true(cli_log_shows('W', cli_log_level("warning")));
  assert_false(cli_log_shows('I', cli_log_level("warning")));
  assert_int_equal(cli_log_level("loud"), '\0');
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_of_several_daemons_come_by_time),
      cmocka_unit_test(test_a_line_may_come_in_pieces_and_the_last_without_an_end),
      cmocka_unit_test(test_json_reads_as_text_with_its_fields_behind),
      cmocka_unit_test(test_what_has_no_time_stays_with_the_line_before_it),
      cmocka_unit_test(test_times_are_read_and_written),
      cmocka_unit_test(test_levels_are_shown_from_one_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
