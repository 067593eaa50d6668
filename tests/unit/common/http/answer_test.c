// Answers and events as they go out.

#include "common/http/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_an_answer_has_its_length_and_is_guarded(void **state) {
  (void)state;
  pod_text_t text = {0};
  http_answer_write(&text, &(http_answer_t){.body = "abc", .body_bytes = 3}, true, true);
  assert_non_null(strstr(text.bytes, "HTTP/1.1 200 OK\r\n"));
  assert_non_null(strstr(text.bytes, "\r\nContent-Length: 3\r\n"));
  assert_non_null(strstr(text.bytes, "\r\nX-Content-Type-Options: nosniff\r\n"));
  assert_non_null(strstr(text.bytes, "frame-ancestors 'none'"));
  assert_non_null(strstr(text.bytes, "default-src 'none'"));
  assert_null(strstr(text.bytes, "unsafe-inline"));
  assert_null(strstr(text.bytes, "Access-Control"));
  assert_non_null(strstr(text.bytes, "\r\nConnection: keep-alive\r\n\r\nabc"));
  pod_text_deinit(&text);
}

static void test_without_a_body_the_length_is_still_told(void **state) {
  (void)state;
  pod_text_t text = {0};
  http_answer_write(&text, &(http_answer_t){.body = "abc", .body_bytes = 3}, false,
                    false);
  assert_non_null(strstr(text.bytes, "\r\nContent-Length: 3\r\n"));
  assert_string_equal(text.bytes + text.length - 4, "\r\n\r\n");
  assert_null(strstr(text.bytes, "\r\n\r\nabc"));
  pod_text_deinit(&text);
}

static void test_what_has_not_changed_is_not_sent_again(void **state) {
  (void)state;
  pod_text_t text = {0};
  const http_answer_t answer = {
      .status = 304, .tag = "\"12\"", .body = "abc", .body_bytes = 3};
  http_answer_write(&text, &answer, true, true);
  assert_non_null(strstr(text.bytes, "HTTP/1.1 304 Not Modified\r\n"));
  assert_non_null(strstr(text.bytes, "\r\nETag: \"12\"\r\nCache-Control: no-cache\r\n"));
  assert_null(strstr(text.bytes, "Content-Length"));
  assert_null(strstr(text.bytes, "abc"));
  pod_text_deinit(&text);
}

static void test_an_event_is_a_block_of_lines(void **state) {
  (void)state;
  pod_text_t text = {0};
  http_event_write(&text, "pod", 7, "{}", 2);
  http_event_write(&text, "lost", 0, "[]", 2);
  assert_string_equal(text.bytes,
                      "id: 7\nevent: pod\ndata: {}\n\nevent: lost\ndata: []\n\n");
  pod_text_deinit(&text);
}

static void test_a_status_that_nobody_knows_is_ours(void **state) {
  (void)state;
  assert_string_equal(http_status_line(0), "200 OK");
  assert_string_equal(http_status_line(421), "421 Misdirected Request");
  assert_string_equal(http_status_line(299), "500 Internal Server Error");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_answer_has_its_length_and_is_guarded),
      cmocka_unit_test(test_without_a_body_the_length_is_still_told),
      cmocka_unit_test(test_what_has_not_changed_is_not_sent_again),
      cmocka_unit_test(test_an_event_is_a_block_of_lines),
      cmocka_unit_test(test_a_status_that_nobody_knows_is_ours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
