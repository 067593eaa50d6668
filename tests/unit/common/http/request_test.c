// Requests as they come, and what is none.

#include "common/http/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

// In memory of just its size, so that a sanitizer sees who reads beyond.
typedef struct parsed_t {
  char *bytes;
  int status;
  size_t taken;
  http_request_t request;
} parsed_t;

static parsed_t parse_bytes(const char *text, size_t size) {
  parsed_t parsed = {.bytes = pod_alloc(size)};
  memcpy(parsed.bytes, text, size);
  const size_t head = http_head_end(parsed.bytes, size, 0);
  assert_true(head > 0);
  assert_true(http_request_is_whole(parsed.bytes, head, size));
  parsed.status =
      http_request_parse(parsed.bytes, head, size, &parsed.request, &parsed.taken);
  return parsed;
}

static parsed_t parse(const char *text) {
  return parse_bytes(text, strlen(text));
}

static void expect(const char *text, int status) {
  const parsed_t parsed = parse(text);
  if (parsed.status != status) {
    fail_msg("%d instead of %d: %s", parsed.status, status, text);
  }
  free(parsed.bytes);
}

static void test_a_request_is_taken_apart(void **state) {
  (void)state;
  const parsed_t parsed = parse(
      "POST /a%20b/c?x=1&token=a%2Bb+c HTTP/1.1\r\nHost: pod:80\r\n"
      "CoOkie:  a=b; s=12 \r\nContent-Length: 3\r\n\r\nabcGET");
  assert_int_equal(parsed.status, 0);
  const http_request_t *request = &parsed.request;
  assert_int_equal(request->method, HTTP_POST);
  assert_string_equal(request->path, "/a b/c");
  assert_string_equal(request->host, "pod:80");
  assert_string_equal(http_request_header(request, "cookie"), "a=b; s=12");
  assert_null(http_request_header(request, "accept"));
  assert_true(request->is_kept);
  assert_int_equal(request->body_bytes, 3);
  assert_memory_equal(request->body, "abc", 3);
  char value[16];
  assert_true(http_find_value(request->query, '&', "token", true, value, sizeof(value)));
  assert_string_equal(value, "a+b c");
  assert_false(http_find_value(request->query, '&', "oken", true, value, sizeof(value)));
  assert_false(http_find_value(request->query, '&', "token", true, value, 5));
  assert_true(http_find_value(http_request_header(request, "cookie"), ';', "s", false,
                              value, sizeof(value)));
  assert_string_equal(value, "12");
  free(parsed.bytes);
}

static void test_the_next_request_lies_behind_it(void **state) {
  (void)state;
  const char *text =
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n";
  const parsed_t parsed = parse(text);
  assert_int_equal(parsed.status, 0);
  assert_int_equal(strncmp(text + parsed.taken, "GET /b", 6), 0);
  free(parsed.bytes);
}

static void test_a_body_is_waited_for_and_has_a_bound(void **state) {
  (void)state;
  static const char text[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab";
  const size_t head = http_head_end(text, sizeof(text) - 1, 0);
  assert_int_equal(head, sizeof(text) - 3);
  assert_false(http_request_is_whole(text, head, sizeof(text) - 1));
  expect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
         413);
  expect("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4097\r\n\r\n", 413);
}

// What a proxy in front of us and we could take for different requests.
static void test_what_may_be_read_in_two_ways_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1,1\r\n\r\nx",
      "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nx\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
      "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /% HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\\ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET http://b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
      "GET /\r\nHost: a\r\n\r\n",
      "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\n\r\n",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    expect(bad[i], 400);
  }
  expect("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 501);
  expect("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505);
  const parsed_t zero = parse_bytes("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29);
  assert_int_equal(zero.status, 400);
  free(zero.bytes);
}

static void test_too_many_headers_are_refused(void **state) {
  (void)state;
  char text[4096] = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < HTTP_HEADERS_MAX; i++) {
    strcat(text, "A: b\r\n");
  }
  strcat(text, "\r\n");
  expect(text, 431);
}

static void test_old_clients_and_proxies_are_understood(void **state) {
  (void)state;
  parsed_t parsed = parse("GET /metrics HTTP/1.0\n\n");
  assert_int_equal(parsed.status, 0);
  assert_string_equal(parsed.request.host, "");
  assert_false(parsed.request.is_kept);
  free(parsed.bytes);
  parsed =
      parse("GET http://pod:1/x?y HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n");
  assert_int_equal(parsed.status, 0);
  assert_string_equal(parsed.request.host, "pod:1");
  assert_string_equal(parsed.request.path, "/x");
  assert_string_equal(parsed.request.query, "y");
  assert_false(parsed.request.is_kept);
  free(parsed.bytes);
}

static void test_the_end_of_a_head_is_found_however_it_comes(void **state) {
  (void)state;
  static const char text[] = "GET / HTTP/1.1\r\nA: b\r\n\r\nrest";
  const size_t whole = sizeof(text) - 5;
  for (size_t size = 0; size < sizeof(text); size++) {
    for (size_t from = 0; from < size && from < whole; from++) {
      assert_int_equal(http_head_end(text, size, from), size >= whole ? whole : 0);
    }
  }
}

static void check_origin(const char *headers, bool is_ours) {
  char text[512] = "POST / HTTP/1.1\r\nHost: pod:80\r\n";
  strcat(strcat(text, headers), "\r\n");
  const parsed_t parsed = parse(text);
  assert_int_equal(parsed.status, 0);
  assert_int_equal(http_request_is_same_origin(&parsed.request), is_ours);
  free(parsed.bytes);
}

static void test_another_sites_requests_are_told_from_ours(void **state) {
  (void)state;
  check_origin("", true);  // No browser.
  check_origin("Origin: http://pod:80\r\n", true);
  check_origin("Origin: http://pod:81\r\n", false);
  check_origin("Origin: null\r\n", false);
  check_origin("Origin: http://evil\r\nSec-Fetch-Site: same-origin\r\n", true);
  check_origin("Sec-Fetch-Site: cross-site\r\n", false);
  check_origin("Sec-Fetch-Site: same-site\r\n", false);
  check_origin("Sec-Fetch-Site: none\r\n", false);
}

static void test_names_that_a_name_server_gives_are_told_from_addresses(void **state) {
  (void)state;
  static const char *const literal[] = {"localhost",      "LOCALHOST:1", "127.0.0.1",
                                        "127.0.0.1:7400", "10.1.2.3:1",  "[::1]:80",
                                        "[fe80::1]"};
  static const char *const names[] = {"",      ":80",         "evil.example:80", "::1",
                                      "[pod]", "127.0.0.1.x", "localhost.evil",  "1.2.3"};
  for (size_t i = 0; i < sizeof(literal) / sizeof(literal[0]); i++) {
    assert_true(http_host_is_literal(literal[i]));
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    assert_false(http_host_is_literal(names[i]));
  }
  assert_true(http_host_is("Pod.example:80", "pod.example"));
  assert_true(http_host_is("pod", "pod:7400"));
  assert_false(http_host_is("pod.evil", "pod"));
  assert_false(http_host_is("", ""));
}

static void test_a_tag_is_found_in_a_list(void **state) {
  (void)state;
  const parsed_t parsed =
      parse("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"x\", W/\"12\"\r\n\r\n");
  assert_true(http_request_has_tag(&parsed.request, "\"12\""));
  assert_false(http_request_has_tag(&parsed.request, "\"1\""));
  free(parsed.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_request_is_taken_apart),
      cmocka_unit_test(test_the_next_request_lies_behind_it),
      cmocka_unit_test(test_a_body_is_waited_for_and_has_a_bound),
      cmocka_unit_test(test_what_may_be_read_in_two_ways_is_refused),
      cmocka_unit_test(test_too_many_headers_are_refused),
      cmocka_unit_test(test_old_clients_and_proxies_are_understood),
      cmocka_unit_test(test_the_end_of_a_head_is_found_however_it_comes),
      cmocka_unit_test(test_another_sites_requests_are_told_from_ours),
      cmocka_unit_test(test_names_that_a_name_server_gives_are_told_from_addresses),
      cmocka_unit_test(test_a_tag_is_found_in_a_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
