#include "common/base/json.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(const char *value, const char *expected) {
  pod_text_t text = {0};
  pod_json_t json = {.text = &text};
  pod_json_add_text(&json, NULL, value);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void expect_double(double value, const char *expected) {
  pod_text_t text = {0};
  pod_json_t json = {.text = &text};
  pod_json_add_double(&json, NULL, value);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_commas_stand_between_values_and_nowhere_else(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_json_t json = {.text = &text};
  pod_json_begin_object(&json, NULL);
  pod_json_begin_list(&json, "none");
  pod_json_end_list(&json);
  pod_json_begin_list(&json, "some");
  pod_json_add_int(&json, NULL, INT64_MIN);
  pod_json_begin_object(&json, NULL);
  pod_json_add_bool(&json, "yes", true);
  pod_json_add_null(&json, "nothing");
  pod_json_end_object(&json);
  pod_json_add_raw(&json, NULL, "[1,2]", 5);
  pod_json_end_list(&json);
  pod_json_add_text(&json, "a \"key\"", NULL);
  pod_json_end_object(&json);
  assert_string_equal(
      text.bytes,
      "{\"none\":[],\"some\":[-9223372036854775808,{\"yes\":true,\"nothing\":"
      "null},[1,2]],\"a \\\"key\\\"\":null}");
  pod_text_deinit(&text);
}

static void test_a_text_cannot_leave_its_quotes_nor_the_element_around_it(void **state) {
  (void)state;
  expect_text("</script><img onerror=\"x\">&",
              "\"\\u003c/script\\u003e\\u003cimg onerror=\\\"x\\\"\\u003e\\u0026\"");
  expect_text("a\\b\n\t\x01\x7f", "\"a\\\\b\\u000a\\u0009\\u0001\\u007f\"");
  expect_text("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xaa",
              "\"\\u2028|\\u2029|\xe2\x80\xaa\"");
  expect_text("µ 日 😀", "\"µ 日 😀\"");
}

static void test_what_is_no_utf8_is_replaced_byte_by_byte(void **state) {
  (void)state;
  expect_text(
      "a\xff"
      "b\xc3",
      "\"a\xef\xbf\xbd"
      "b\xef\xbf\xbd\"");
  expect_text("\xed\xa0\x80",
              "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // A surrogate.
  expect_text("\xe2\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\"");  // Cut short.
}

static void test_doubles_are_read_back_as_they_were_in_few_digits(void **state) {
  (void)state;
  expect_double(0.1, "0.1");
  expect_double(197e12, "197000000000000");
  expect_double(1.0 / 3, "0.3333333333333333");
  expect_double(NAN, "null");
  expect_double(-INFINITY, "null");
}

static void test_another_locale_writes_the_same(void **state) {
  (void)state;
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) {
    skip();
  }
  expect_double(0.5, "0.5");
  setlocale(LC_NUMERIC, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_commas_stand_between_values_and_nowhere_else),
      cmocka_unit_test(test_a_text_cannot_leave_its_quotes_nor_the_element_around_it),
      cmocka_unit_test(test_what_is_no_utf8_is_replaced_byte_by_byte),
      cmocka_unit_test(test_doubles_are_read_back_as_they_were_in_few_digits),
      cmocka_unit_test(test_another_locale_writes_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
