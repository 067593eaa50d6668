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

// Whoever reads the clock here reads this one (the linker's --wrap): it runs as the real
// one does, and a test that waits for the end of a time moves it on.
int64_t __real_pod_clock_now_ns(void);
int64_t __wrap_pod_clock_now_ns(void);

static int64_t skipped_ns;

int64_t __wrap_pod_clock_now_ns(void) {
  return __real_pod_clock_now_ns() + skipped_ns;
}

enum { STEP_MS = 10 };

typedef struct web_t {
  rpc_loop_t *loop;
  rpc_http_t *http;
  char *address;
  size_t body_bytes;
  int handled, gone;
  rpc_http_exchange_t *kept;  // Held, or with a stream.
} web_t;

static void serve_page(rpc_http_exchange_t *exchange, const http_request_t *request,
                       void *context) {
  web_t *web = context;
  web->handled++;
  char *body = malloc(web->body_bytes + 1);
  memset(body, request->query[0] != '\0' ? request->query[0] : 'x', web->body_bytes);
  rpc_http_answer(exchange, &(http_answer_t){.content_type = "text/x",
                                             .body = body,
                                             .body_bytes = web->body_bytes});
  free(body);
}

static void on_gone(void *context) {
  ((web_t *)context)->gone++;
}

static void hold(rpc_http_exchange_t *exchange, const http_request_t *request,
                 void *context) {
  (void)request;
  web_t *web = context;
  web->kept = exchange;
  rpc_http_hold(exchange, on_gone, web);
}

static void begin_stream(rpc_http_exchange_t *exchange, const http_request_t *request,
                         void *context) {
  (void)request;
  web_t *web = context;
  web->kept = exchange;
  rpc_http_stream_begin(exchange, "text/event-stream", on_gone, web);
}

static bool is_host(const char *host, void *context) {
  (void)context;
  return host[0] == '\0' || http_host_is(host, "a");
}

static const rpc_http_route_t routes[] = {
    {HTTP_GET, "/metrics", serve_page},  {HTTP_POST, "/change", serve_page},
    {HTTP_GET, "/all/*", serve_page},    {HTTP_GET, "/held", hold},
    {HTTP_GET, "/events", begin_stream}, {0}};

static void start(web_t *web, size_t body_bytes) {
  *web = (web_t){.body_bytes = body_bytes};
  const rpc_http_options_t options = {
      .address = "127.0.0.1:0", .routes = routes, .context = web, .is_host = is_host};
  assert_null(rpc_loop_create(&web->loop));
  assert_null(rpc_http_listen(web->loop, &options, &web->http, &web->address));
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

// Not what comes over sockets takes the time, but the server's patience.
static void let_pass(const web_t *web, int ms) {
  for (int passed = 0; passed < ms; passed += STEP_MS) {
    skipped_ns += INT64_C(1000000) * STEP_MS;
    rpc_loop_turn(web->loop);
  }
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
  static const char request[] =
      "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
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
#define GET(target) "GET " target " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
  CASE("GET /metrics HTTP/1.0\n\n", "200 OK\r\n");
  CASE(GET("/metrics"), "200 OK\r\n");
  CASE(GET("/all/of/it"), "200 OK\r\n");
  CASE(GET("/"), "404 ");
  CASE(GET("/metricsx"), "404 ");
  CASE(GET("/metric"), "404 ");
  CASE(GET("/../metrics"), "404 ");
  CASE(GET("/change"), "405 ");
  CASE("POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "405 ");
  CASE("POST /change HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "200 ");
  CASE("get /metrics HTTP/1.0\r\n\r\n", "405 ");
  CASE("GET /metrics HTTP/1.1\r\n\r\n", "400 ");
  CASE("GET /metrics HTTP/1.0\r\nHost: evil:80\r\n\r\n", "421 ");
  CASE("GET /metrics HTTP/2.0\r\n\r\n", "505 ");
  CASE("GET /metrics\r\n\r\n", "400 ");
  CASE("\r\n\r\n", "400 ");
  CASE("GET /metrics HTTP/1.1\r\nA: \0\r\n\r\n", "400 ");
  CASE("\x16\x03\x01\x02\r\n\r\n", "400 ");
  CASE("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 ");
#undef GET
#undef CASE
  char large[HTTP_HEAD_BYTES_MAX];
  memset(large, 'a', sizeof(large));
  check(large, sizeof(large), "HTTP/1.1 431 ");
}

static void test_a_crowd_that_says_nothing_gives_way(void **state) {
  (void)state;
  web_t web;
  start(&web, 3);
  int crowd[RPC_HTTP_CONNECTIONS_DEFAULT];
  for (size_t i = 0; i < RPC_HTTP_CONNECTIONS_DEFAULT; i++) {
    crowd[i] = dial(&web);
    say(crowd[i], "GET", 3);
    rpc_loop_turn(web.loop);
  }
  bool has_ended;
  let_pass(&web, RPC_HTTP_FRESH_MS + 200);
  free(hear(&web, crowd[0], 50, &has_ended));
  assert_false(has_ended);
  const int fd = dial(&web);
  say(fd, "GET /metrics HTTP/1.0\r\n\r\n", 25);
  char *heard = hear(&web, fd, 20000, &has_ended);
  assert_int_equal(strncmp(heard, "HTTP/1.1 200 ", 13), 0);
  free(heard);
  free(hear(&web, crowd[0], 20000, &has_ended));
  assert_true(has_ended);  // The oldest had to go.
  close(fd);
  for (size_t i = 0; i < RPC_HTTP_CONNECTIONS_DEFAULT; i++) {
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
    let_pass(&web, 500);
    free(hear(&web, fd, STEP_MS, &has_ended));
  }
  const int64_t took_ms = (pod_clock_now_ns() - begun_ns) / 1000000;
  assert_true(took_ms >= RPC_HTTP_TIMEOUT_MS - 100 && took_ms < 50000);
  close(fd);
  stop(&web);
}

// What has come within so long, without waiting for an end.
static char *hear_for(const web_t *web, int fd, int ms) {
  bool has_ended;
  return hear(web, fd, ms, &has_ended);
}

// Turns the loop until `text` has `word`; fails after 20 s.
static void hear_until(const web_t *web, int fd, pod_text_t *text, const char *word) {
  const int64_t end_ns = pod_clock_now_ns() + INT64_C(20000000000);
  while (text->length == 0 || strstr(text->bytes, word) == NULL) {
    assert_true(pod_clock_now_ns() < end_ns);
    char bytes[4096];
    rpc_loop_turn(web->loop);
    const ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) {
      pod_text_add_bytes(text, bytes, (size_t)got);
    }
  }
}

static void turn_until(const web_t *web, const int *count, int wanted) {
  const int64_t end_ns = pod_clock_now_ns() + INT64_C(60000000000);
  while (*count < wanted) {
    assert_true(pod_clock_now_ns() < end_ns);
    rpc_loop_turn(web->loop);
  }
}

static void test_requests_that_come_at_once_are_answered_in_their_order(void **state) {
  (void)state;
  web_t web;
  start(&web, 5);
  const int fd = dial(&web);
  static const char requests[] =
      "GET /metrics?1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "HEAD /metrics?2 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /change?3 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET "
      "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /metrics?4 HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /metrics?5 HTTP/1.0\r\n\r\nGET /metrics?6 HTTP/1.0\r\n\r\n";
  say(fd, requests, sizeof(requests) - 1);
  bool has_ended;
  char *heard = hear(&web, fd, 20000, &has_ended);
  assert_true(has_ended);
  const char *at = heard;
  static const char *const expected[] = {"11111", "33333", "404 Not Found", "44444",
                                         "55555"};
  for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
    at = strstr(at, expected[i]);
    assert_non_null(at);
  }
  assert_null(strstr(heard, "22222"));  // HEAD has no body.
  assert_null(strstr(heard, "66666"));  // The connection was over.
  assert_int_equal(web.handled, 5);
  free(heard);
  close(fd);
  stop(&web);
}

static void test_an_answer_may_come_later(void **state) {
  (void)state;
  web_t web;
  start(&web, 1);
  const int fd = dial(&web);
  static const char request[] = "GET /held HTTP/1.0\r\n\r\n";
  say(fd, request, sizeof(request) - 1);
  free(hear_for(&web, fd, 100));
  assert_non_null(web.kept);
  rpc_http_say(web.kept, 503, "later");
  char *heard = hear_for(&web, fd, 20000);
  assert_non_null(strstr(heard, "HTTP/1.1 503 "));
  assert_non_null(strstr(heard, "\r\n\r\nlater\n"));
  assert_int_equal(web.gone, 0);
  free(heard);
  close(fd);
  stop(&web);
}

static void test_a_handler_hears_when_nobody_waits_any_more(void **state) {
  (void)state;
  static const char *const requests[] = {"GET /held HTTP/1.1\r\nHost: a\r\n\r\n",
                                         "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"};
  web_t web;
  start(&web, 1);
  for (int i = 0; i < 2; i++) {
    const int fd = dial(&web);
    say(fd, requests[i], strlen(requests[i]));
    free(hear_for(&web, fd, 100));
    assert_int_equal(web.gone, i);
    close(fd);
    turn_until(&web, &web.gone, i + 1);
  }
  const int fd = dial(&web);
  say(fd, requests[1], strlen(requests[1]));
  free(hear_for(&web, fd, 100));
  stop(&web);  // Also when the server goes.
  assert_int_equal(web.gone, 3);
  close(fd);
}

static void test_a_stream_goes_on_until_its_end(void **state) {
  (void)state;
  web_t web;
  start(&web, 1);
  const int fd = dial(&web);
  static const char request[] = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
  say(fd, request, sizeof(request) - 1);
  pod_text_t heard = {0};
  hear_until(&web, fd, &heard, "\r\n\r\n");
  assert_non_null(strstr(heard.bytes, "Content-Type: text/event-stream\r\n"));
  assert_true(rpc_http_stream_send(web.kept, "data: 1\n\n", 9));
  hear_until(&web, fd, &heard, "data: 1\n\n");
  assert_int_equal(rpc_http_stream_waiting(web.kept), 0);
  assert_true(rpc_http_stream_send(web.kept, "data: 2\n\n", 9));
  rpc_http_stream_end(web.kept);
  bool has_ended;
  char *rest = hear(&web, fd, 20000, &has_ended);
  assert_true(has_ended);
  assert_string_equal(rest, "data: 2\n\n");
  assert_int_equal(web.gone, 0);
  free(rest);
  pod_text_deinit(&heard);
  close(fd);
  stop(&web);
}

static void test_a_reader_that_stops_is_bounded_and_goes(void **state) {
  (void)state;
  web_t web;
  start(&web, 1);
  const int fd = dial(&web);
  static const char request[] = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
  say(fd, request, sizeof(request) - 1);
  free(hear_for(&web, fd, 100));
  static char piece[1 << 20];
  memset(piece, 'x', sizeof(piece));
  size_t sent = 0;
  while (rpc_http_stream_send(web.kept, piece, sizeof(piece))) {
    rpc_loop_turn(web.loop);
    sent += sizeof(piece);
    assert_true(sent < (64u << 20));  // The system's buffers and ours.
  }
  assert_true(rpc_http_stream_waiting(web.kept) <= RPC_HTTP_STREAM_BYTES_MAX);
  let_pass(&web, RPC_HTTP_STREAM_STALLED_MS - 5000);
  assert_int_equal(web.gone, 0);
  let_pass(&web, 10000);
  turn_until(&web, &web.gone, 1);
  close(fd);
  stop(&web);
}

static void test_a_crowd_does_not_push_out_who_has_a_stream(void **state) {
  (void)state;
  web_t web;
  start(&web, 3);
  const int reader = dial(&web);
  static const char request[] = "GET /events HTTP/1.1\r\nHost: a\r\n\r\n";
  say(reader, request, sizeof(request) - 1);
  free(hear_for(&web, reader, 100));
  let_pass(&web, RPC_HTTP_FRESH_MS + 100);
  int crowd[3 * RPC_HTTP_CONNECTIONS_DEFAULT];
  for (size_t i = 0; i < 3 * RPC_HTTP_CONNECTIONS_DEFAULT; i++) {
    crowd[i] = dial(&web);
    rpc_loop_turn(web.loop);
  }
  for (int round = 0; round < 3; round++) {
    const int fd = dial(&web);
    let_pass(&web, RPC_HTTP_FRESH_MS + 100);
    free(hear_for(&web, reader, 20));
    close(fd);
  }
  assert_int_equal(web.gone, 0);
  assert_true(rpc_http_stream_send(web.kept, "data: 1\n\n", 9));
  char *heard = hear_for(&web, reader, 200);
  assert_string_equal(heard, "data: 1\n\n");
  free(heard);
  for (size_t i = 0; i < 3 * RPC_HTTP_CONNECTIONS_DEFAULT; i++) {
    close(crowd[i]);
  }
  close(reader);
  stop(&web);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_page_is_answered_whole),
      cmocka_unit_test(test_what_is_no_request_for_a_page_is_told_why),
      cmocka_unit_test(test_a_crowd_that_says_nothing_gives_way),
      cmocka_unit_test(test_what_drips_is_closed_in_time),
      cmocka_unit_test(test_requests_that_come_at_once_are_answered_in_their_order),
      cmocka_unit_test(test_an_answer_may_come_later),
      cmocka_unit_test(test_a_handler_hears_when_nobody_waits_any_more),
      cmocka_unit_test(test_a_stream_goes_on_until_its_end),
      cmocka_unit_test(test_a_reader_that_stops_is_bounded_and_goes),
      cmocka_unit_test(test_a_crowd_does_not_push_out_who_has_a_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
