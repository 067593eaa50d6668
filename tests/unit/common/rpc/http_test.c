// The web server for pages: what it answers, and that nobody keeps it from answering.

#include "common/rpc/http.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/rpc/address.h"
#include "common/rpc/loop_internal.h"

typedef struct web_t {
  rpc_loop_t *loop;
  rpc_http_t *http;
  char *address;
  size_t body_bytes;
} web_t;

static void write_page(pod_text_t *body, void *context) {
  const web_t *web = context;
  for (size_t i = 0; i < web->body_bytes; i++) {
    pod_text_add(body, "x");
  }
}

static const rpc_http_page_t pages[] = {{"/metrics", "text/x", write_page}, {0}};

static void start(web_t *web, size_t body_bytes) {
  *web = (web_t){.body_bytes = body_bytes};
  assert_null(rpc_loop_create(&web->loop));
  assert_null(
      rpc_http_listen(web->loop, "127.0.0.1:0", pages, web, &web->http, &web->address));
}

static void stop(web_t *web) {
  rpc_http_destroy(web->http);
  rpc_loop_destroy(web->loop);
  free(web->address);
}

static int dial(const web_t *web) {
  rpc_address_t address;
  int fd;
  assert_null(rpc_address_resolve(web->address, &address));
  assert_null(rpc_address_connect(&address, &fd));
  struct pollfd writable = {.fd = fd, .events = POLLOUT};
  assert_int_equal(poll(&writable, 1, 10000), 1);
  return fd;
}

static void say(int fd, const void *text, size_t size) {
  assert_int_equal(send(fd, text, size, MSG_NOSIGNAL), size);
}

// All that comes until the end, or until it is `until_ms` later. Returns owned.
static char *hear(const web_t *web, int fd, int until_ms, bool *out_ended) {
  pod_text_t text = {0};
  const int64_t end_ns = pod_clock_now_ns() + (int64_t)until_ms * 1000000;
  ssize_t got = -1;
  while (got != 0 && pod_clock_now_ns() < end_ns) {
    char bytes[4096];
    rpc_loop_turn(web->loop);
    got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) {
      pod_text_add_bytes(&text, bytes, (size_t)got);
    }
  }
  *out_ended = got == 0;
  return pod_text_take(&text);
}

static void check(const char *request, size_t size, const char *expected) {
  web_t web;
  start(&web, 3);
  const int fd = dial(&web);
  say(fd, request, size);
  bool has_ended;
  char *heard = hear(&web, fd, 20000, &has_ended);
  assert_true(has_ended);
  if (strncmp(heard, expected, strlen(expected)) != 0) {
    fail_msg("%s: %s", request, heard);
  }
  free(heard);
  close(fd);
  stop(&web);
}

static void test_a_page_is_answered_whole(void **state) {
  (void)state;
  web_t web;
  start(&web, 3 << 20);
  const int fd = dial(&web);
  static const char request[] = "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n";
  for (size_t i = 0; i < sizeof(request) - 1; i++) {  // However it comes.
    say(fd, request + i, 1);
    rpc_loop_turn(web.loop);
  }
  bool has_ended;
  char *heard = hear(&web, fd, 20000, &has_ended);
  assert_true(has_ended);
  assert_int_equal(strncmp(heard,
                           "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\n"
                           "Content-Length: 3145728\r\n",
                           64),
                   0);
  const char *body = strstr(heard, "\r\n\r\n");
  assert_non_null(body);
  assert_int_equal(strspn(body + 4, "x"), 3 << 20);
  free(heard);
  close(fd);
  stop(&web);
}

static void test_what_is_no_request_for_a_page_is_told_why(void **state) {
  (void)state;
#define CASE(request, expected) check(request, sizeof(request) - 1, "HTTP/1.1 " expected)
  CASE("GET /metrics HTTP/1.0\n\n", "200 OK\r\n");
  CASE("GET / HTTP/1.1\r\n\r\n", "404 ");
  CASE("GET /metricsx HTTP/1.1\r\n\r\n", "404 ");
  CASE("GET /metric HTTP/1.1\r\n\r\n", "404 ");
  CASE("GET /../metrics HTTP/1.1\r\n\r\n", "404 ");
  CASE("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "405 ");
  CASE("get /metrics HTTP/1.1\r\n\r\n", "405 ");
  CASE("GET /metrics HTTP/2.0\r\n\r\n", "505 ");
  CASE("GET /metrics\r\n\r\n", "400 ");
  CASE("GET  /metrics HTTP/1.1\r\n\r\n", "400 ");
  CASE("GET /metrics HTTP/1.1 x\r\n\r\n", "400 ");
  CASE("\r\n\r\n", "400 ");
  CASE("GET /metrics HTTP/1.1\r\nA: \0\r\n\r\n", "400 ");
  CASE("\x16\x03\x01\x02\r\n\r\n", "400 ");
  CASE("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 ");
#undef CASE
  char large[RPC_HTTP_REQUEST_BYTES_MAX];
  memset(large, 'a', sizeof(large));
  check(large, sizeof(large), "HTTP/1.1 431 ");
}

static void test_a_crowd_that_says_nothing_gives_way(void **state) {
  (void)state;
  web_t web;
  start(&web, 3);
  int crowd[RPC_HTTP_CONNECTIONS_MAX];
  for (size_t i = 0; i < RPC_HTTP_CONNECTIONS_MAX; i++) {
    crowd[i] = dial(&web);
    say(crowd[i], "GET", 3);
    rpc_loop_turn(web.loop);
  }
  bool has_ended;
  free(hear(&web, crowd[0], RPC_HTTP_FRESH_MS + 200, &has_ended));
  assert_false(has_ended);
  const int fd = dial(&web);
  say(fd, "GET /metrics HTTP/1.1\r\n\r\n", 25);
  char *heard = hear(&web, fd, 20000, &has_ended);
  assert_int_equal(strncmp(heard, "HTTP/1.1 200 ", 13), 0);
  free(heard);
  free(hear(&web, crowd[0], 20000, &has_ended));
  assert_true(has_ended);  // The oldest had to go.
  close(fd);
  for (size_t i = 0; i < RPC_HTTP_CONNECTIONS_MAX; i++) {
    close(crowd[i]);
  }
  stop(&web);
}

static void test_what_drips_is_closed_in_time(void **state) {
  (void)state;
  web_t web;
  start(&web, 3);
  const int fd = dial(&web);
  const int64_t begun_ns = pod_clock_now_ns();
  bool has_ended = false;
  while (!has_ended && pod_clock_now_ns() - begun_ns < INT64_C(60000000000)) {
    (void)send(fd, "G", 1, MSG_NOSIGNAL);
    free(hear(&web, fd, 500, &has_ended));
  }
  const int64_t took_ms = (pod_clock_now_ns() - begun_ns) / 1000000;
  assert_true(took_ms >= RPC_HTTP_TIMEOUT_MS - 100 && took_ms < 50000);
  close(fd);
  stop(&web);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_page_is_answered_whole),
      cmocka_unit_test(test_what_is_no_request_for_a_page_is_told_why),
      cmocka_unit_test(test_a_crowd_that_says_nothing_gives_way),
      cmocka_unit_test(test_what_drips_is_closed_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
