#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/report/report.h"
#include "common/report/web.h"

static int count_of(const char *text, const char *needle) {
  int count = 0;
  for (const char *at = strstr(text, needle); at != NULL; at = strstr(at + 1, needle)) {
    count++;
  }
  return count;
}

static char *page_of(const char *json) {
  pod_text_t html = {0};
  const pod_status_t status = report_write_html(json, strlen(json), &html);
  assert_null(status);
  return pod_text_take(&html);
}

static void test_names_out_of_programs_cannot_end_the_script(void **state) {
  (void)state;
  pod_text_t json = {0};
  report_write_json(&(report_input_t){.program = "</script><img src=x onerror=alert(1)>",
                                      .file = "<!--<script>"},
                    &json);
  char *page = page_of(json.bytes);
  char *empty = page_of("{\"format\":\"podium.report/1\"}");
  assert_int_equal(count_of(page, "</script"), count_of(empty, "</script"));
  assert_int_equal(count_of(page, "<!--"), 0);
  assert_int_equal(count_of(page, "<img"), 0);
  free(empty);
  free(page);
  pod_text_deinit(&json);
}

static void test_json_that_another_has_written_cannot_either(void **state) {
  (void)state;
  char *page = page_of("{\"format\":\"podium.report/1\",\"x\":\"</script><b>\"}");
  assert_int_equal(count_of(page, "<b>"), 0);
  assert_int_equal(count_of(page, "\\u003c/script>\\u003cb>"), 1);
  free(page);
}

static void test_the_page_asks_for_nothing_outside_of_it(void **state) {
  (void)state;
  char *page = page_of("{\"format\":\"podium.report/1\"}");
  assert_int_equal(count_of(page, "src="), 0);
  assert_int_equal(count_of(page, "url("), 0);
  assert_int_equal(count_of(page, "@import"), 0);
  assert_int_equal(count_of(page, "https://"), 0);
  assert_int_equal(count_of(page, "default-src 'none'"), 1);
  assert_int_equal(count_of(page, report_script.hash), 1);
  assert_int_equal(count_of(page, report_style.hash), 1);
  assert_int_equal(count_of(page, "unsafe"), 0);
  assert_int_equal(count_of(page, "innerHTML ="), 0);
  free(page);
}

static void test_what_is_no_report_is_refused(void **state) {
  (void)state;
  pod_text_t html = {0};
  pod_status_t status = report_write_html("{}", 2, &html);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_int_equal(html.length, 0);
  pod_status_free(status);
  pod_text_deinit(&html);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_out_of_programs_cannot_end_the_script),
      cmocka_unit_test(test_json_that_another_has_written_cannot_either),
      cmocka_unit_test(test_the_page_asks_for_nothing_outside_of_it),
      cmocka_unit_test(test_what_is_no_report_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
