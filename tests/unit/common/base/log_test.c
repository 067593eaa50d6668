// What others chose to be called can stand in a log line and do no harm there.

#include "common/base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/memory.h"

static void check_escape(const char *text, size_t length, const char *expected) {
  char out[256];
  const size_t written = pod_log_escape(text, length, out, sizeof(out));
  assert_string_equal(out, expected);
  assert_int_equal(written, strlen(expected));
}

static void test_control_characters_and_bad_utf8_are_escaped(void **state) {
  (void)state;
#define CASE(text, expected) \
  { text, sizeof(text) - 1, expected }
  static const struct {
    const char *text;
    size_t length;
    const char *expected;
  } cases[] = {
      CASE("worker 3 joined", "worker 3 joined"),
      CASE("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
           "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
      CASE("a\nb\r\n\tc", "a\\nb\\r\\n\\tc"),
      CASE("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
      CASE("a\0b", "a\\x00b"),
      CASE("\x7f\x08", "\\x7f\\x08"),
      CASE("\xc2\x9b\x33\x31m", "\\xc2\\x9b31m"),        // CSI, of C1.
      CASE("\xc2\xa0", "\xc2\xa0"),                      // The first that is none.
      CASE("a\xe2\x80\xa8z", "a\\xe2\\x80\\xa8z"),       // A line separator.
      CASE("a\xe2\x80\xaez", "a\\xe2\\x80\\xaez"),       // Right to left.
      CASE("a\xe2\x81\xa6z", "a\\xe2\\x81\\xa6z"),       // Likewise, isolated.
      CASE("\xff\xfe", "\\xff\\xfe"),                    // Never in UTF-8.
      CASE("\xc3", "\\xc3"),                             // Cut.
      CASE("\xe2\x82", "\\xe2\\x82"),                    // Likewise.
      CASE("\xc0\x8a", "\\xc0\\x8a"),                    // An overlong newline.
      CASE("\xe0\x80\x8a", "\\xe0\\x80\\x8a"),           // Likewise.
      CASE("\xf0\x80\x80\x8a", "\\xf0\\x80\\x80\\x8a"),  // Likewise.
      CASE("\xed\xa0\x80", "\\xed\\xa0\\x80"),           // A surrogate.
      CASE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),  // Over U+10FFFF.
      CASE("\x80k\xe2(\xa1", "\\x80k\\xe2(\\xa1"),
  };
#undef CASE
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    check_escape(cases[i].text, cases[i].length, cases[i].expected);
  }
}

static void test_what_is_too_long_is_cut_between_characters(void **state) {
  (void)state;
  char out[8];
  assert_int_equal(pod_log_escape("12345\xe2\x82\xac", 8, out, sizeof(out)), 5);
  assert_string_equal(out, "12345");
  assert_int_equal(pod_log_escape("1234\n5", 6, out, sizeof(out)), 7);
  assert_string_equal(out, "1234\\n5");
  assert_int_equal(pod_log_escape("123456\n", 7, out, sizeof(out)), 6);
  assert_int_equal(pod_log_escape("x", 1, out, 1), 0);
}

// Runs `write_lines` with standard error in a pipe.
static size_t catch_log(void (*write_lines)(void), char *out, size_t size_max) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  const int kept = dup(STDERR_FILENO);
  assert_int_equal(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
  write_lines();
  assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
  close(kept);
  close(fds[1]);
  const ssize_t size = read(fds[0], out, size_max - 1);
  close(fds[0]);
  assert_true(size >= 0);
  out[size] = '\0';
  return (size_t)size;
}

static void write_hostile_name(void) {
  pod_log(POD_LOG_WARNING, "session of %s",
          "x\n2026-11-22T00:00:00.000Z coordinator I all is well\x1b[2J");
}

static void test_a_name_cannot_forge_a_line(void **state) {
  (void)state;
  char text[1024];
  const size_t size = catch_log(write_hostile_name, text, sizeof(text));
  assert_ptr_equal(strchr(text, '\n'), text + size - 1);
  assert_null(strchr(text, '\x1b'));
  assert_non_null(strstr(text, "session of x\\n2026"));
}

static void write_long_name(void) {
  static char name[5000];
  memset(name, '\x01', sizeof(name) - 1);
  pod_log(POD_LOG_WARNING, "%s", name);
}

static void test_a_long_name_leaves_one_whole_line(void **state) {
  (void)state;
  char text[8192];
  const size_t size = catch_log(write_long_name, text, sizeof(text));
  assert_in_range(size, 4000, 4096);
  assert_ptr_equal(strchr(text, '\n'), text + size - 1);
}

static void test_a_limited_line_comes_once_and_tells_what_was_muted(void **state) {
  (void)state;
  pod_log_limit_t limit = {0};
  unsigned long long muted = 99;
  assert_true(pod_log_may(&limit, 3600000, &muted));
  assert_int_equal(muted, 0);
  for (int i = 0; i < 5; i++) {
    assert_false(pod_log_may(&limit, 3600000, &muted));
  }
  limit.next_ns = 0;  // The hour is over.
  assert_true(pod_log_may(&limit, 3600000, &muted));
  assert_int_equal(muted, 5);
  assert_false(pod_log_may(&limit, 3600000, &muted));
}

static void write_json_lines(void) {
  pod_log_set_format(POD_LOG_JSON);
  pod_log(POD_LOG_WARNING, "a \"name\" with \\ and\n\x1b[2J\xff");
  pod_log_fields(POD_LOG_INFO,
                 POD_LOG_FIELDS({"session", .number = 3}, {"client", .text = "a\"\nb"},
                                {"traceparent", .text = ""}, {"code", .text = "OK"}),
                 "execution %d", 7);
  pod_log_fields(POD_LOG_DEBUG, POD_LOG_FIELDS({"a", .number = 1}), "not shown");
  pod_log_set_format(POD_LOG_TEXT);
}

static void test_lines_can_be_json(void **state) {
  (void)state;
  char lines[4096];
  pod_log_init("coordinator", POD_LOG_INFO);
  catch_log(write_json_lines, lines, sizeof(lines));
  assert_non_null(strstr(lines,
                         "Z\",\"level\":\"warning\",\"daemon\":\"coordinator\","
                         "\"message\":\"a \\\"name\\\" with \\\\ "
                         "and\\\\n\\\\x1b[2J\\\\xff\"}\n{\"time\":\"2"));
  assert_non_null(strstr(lines,
                         "\"session\":3,\"client\":\"a\\\"\\\\nb\",\"code\":\"OK\","
                         "\"message\":\"execution 7\"}\n"));
  assert_null(strstr(lines, "not shown"));
  assert_null(strstr(lines, "traceparent"));
}

static void write_long_json(void) {
  static char name[9001], field[1001];
  memset(name, '"', sizeof(name) - 1);
  memset(field, '\\', sizeof(field) - 1);
  pod_log_set_format(POD_LOG_JSON);
  pod_log_fields(
      POD_LOG_WARNING,
      POD_LOG_FIELDS({"a", .text = field}, {"b", .text = field}, {"c", .text = field},
                     {"d", .text = field}, {"e", .text = field}, {"f", .text = field}),
      "%s", name);
  pod_log_set_format(POD_LOG_TEXT);
}

static void test_a_long_json_line_is_still_an_object(void **state) {
  (void)state;
  char line[9000];
  pod_log_init("coordinator", POD_LOG_INFO);
  const size_t length = catch_log(write_long_json, line, sizeof(line));
  assert_true(length > 2000 && length <= 4096);
  assert_string_equal(line + length - 3, "\"}\n");
  const char *message = strstr(line, "\"message\":\"");
  assert_non_null(message);
  message += strlen("\"message\":\"");
  assert_int_equal(strspn(message, "\\\"") % 2, 1);  // Pairs, and the closing quote.
}

static void test_formats_are_named(void **state) {
  (void)state;
  pod_log_format_t format = POD_LOG_TEXT;
  assert_null(pod_log_format_parse("json", &format));
  assert_int_equal(format, POD_LOG_JSON);
  assert_null(pod_log_format_parse("text", &format));
  assert_int_equal(format, POD_LOG_TEXT);
  const pod_status_t status = pod_log_format_parse("xml", &format);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_control_characters_and_bad_utf8_are_escaped),
      cmocka_unit_test(test_what_is_too_long_is_cut_between_characters),
      cmocka_unit_test(test_a_name_cannot_forge_a_line),
      cmocka_unit_test(test_a_long_name_leaves_one_whole_line),
      cmocka_unit_test(test_a_limited_line_comes_once_and_tells_what_was_muted),
      cmocka_unit_test(test_lines_can_be_json),
      cmocka_unit_test(test_a_long_json_line_is_still_an_object),
      cmocka_unit_test(test_formats_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
