// Runs the cases of http2_cases.c, and beginnings that break off.

#include <nghttp2/nghttp2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/text.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/server.h"
#include "http2_cases.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
#define LAST_PING "the last"

enum { TURNS = 8, FRAME_HEADER_BYTES = 9 };

// --- The server ---

static void answer(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  rpc_call_finish(call, NULL);
}

static void echo(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
}

static void finish(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_finish(call, NULL);
}

static void drop(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  (void)context;
  pod_status_free(status);
}

static const rpc_method_t methods[] = {
    {.path = "/t/One",
     .events = {.on_message = answer, .on_end = drop},
     .one_request = true},
    {.path = "/t/Echo",
     .events = {.on_message = echo, .on_half_close = finish, .on_end = drop}},
    {0},
};

typedef struct world_t {
  rpc_loop_t *loop;
  rpc_server_t *server;
  int fd;
} world_t;

static world_t start(void) {
  world_t world;
  int fds[2];
  assert_null(rpc_loop_create(&world.loop));
  const rpc_server_options_t options = {.concurrent_streams_max = 2,
                                        .message_bytes_max = 1000};
  assert_null(rpc_server_create(world.loop, &options, &world.server));
  rpc_server_add_service(world.server, "t", methods, NULL);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
  assert_null(rpc_server_adopt(world.server, fds[0]));
  world.fd = fds[1];
  return world;
}

static void stop(world_t *world) {
  close(world->fd);
  for (int i = 0; i < TURNS; i++) {
    rpc_loop_turn(world->loop);
  }
  rpc_server_destroy(world->server);
  rpc_loop_destroy(world->loop);
}

static void say(const world_t *world, const void *bytes, size_t size) {
  // Fails when the server has closed already, which the answer shows.
  const ssize_t sent = send(world->fd, bytes, size, MSG_NOSIGNAL);
  for (int i = 0; i < TURNS && sent != 0; i++) {
    rpc_loop_turn(world->loop);
  }
}

static void add_frame(pod_text_t *out, const http2_frame_t *frame) {
  const uint8_t header[FRAME_HEADER_BYTES] = {(uint8_t)(frame->announced >> 16),
                                              (uint8_t)(frame->announced >> 8),
                                              (uint8_t)frame->announced,
                                              frame->type,
                                              frame->flags,
                                              (uint8_t)(frame->stream >> 24),
                                              (uint8_t)(frame->stream >> 16),
                                              (uint8_t)(frame->stream >> 8),
                                              (uint8_t)frame->stream};
  pod_text_add_bytes(out, header, sizeof(header));
  pod_text_add_bytes(out, frame->payload, frame->size);
}

// --- What it says ---

typedef struct reader_t {
  nghttp2_hd_inflater *inflater;
  pod_text_t said;
  int ack_count;
} reader_t;

static void read_headers(reader_t *reader, uint32_t stream, const uint8_t *bytes,
                         size_t size) {
  char code[16] = "";
  char status[16] = "";
  for (;;) {
    nghttp2_nv header;
    int flags = 0;
    const ssize_t used =
        nghttp2_hd_inflate_hd2(reader->inflater, &header, &flags, bytes, size, 1);
    assert_true(used >= 0);
    bytes += used;
    size -= (size_t)used;
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0 && header.valuelen < sizeof(code)) {
      const char *name = (const char *)header.name;
      char *into = strcmp(name, ":status") == 0       ? status
                   : strcmp(name, "grpc-status") == 0 ? code
                                                      : NULL;
      if (into != NULL) {
        snprintf(into, sizeof(code), "%s", (const char *)header.value);
      }
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
      break;
    }
  }
  nghttp2_hd_inflate_end_headers(reader->inflater);
  if (code[0] != '\0') {
    pod_text_printf(&reader->said, "status:%u:%s ", stream, code);
  } else if (strcmp(status, "200") != 0) {
    pod_text_printf(&reader->said, "http:%u:%s ", stream, status);
  } else {
    pod_text_printf(&reader->said, "headers:%u ", stream);
  }
}

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
         bytes[3];
}

static void read_frame(reader_t *reader, const uint8_t *header, const uint8_t *payload,
                       size_t size) {
  const uint32_t stream = number(header + 5);
  const bool is_ack = (header[4] & NGHTTP2_FLAG_ACK) != 0;
  switch (header[3]) {
    case NGHTTP2_DATA:
      pod_text_printf(&reader->said, "data:%u:%zu ", stream, size);
      break;
    case NGHTTP2_HEADERS:
      read_headers(reader, stream, payload, size);
      break;
    case NGHTTP2_RST_STREAM:
      pod_text_printf(&reader->said, "reset:%u:%s ", stream,
                      nghttp2_http2_strerror(number(payload)));
      break;
    case NGHTTP2_GOAWAY:
      pod_text_printf(&reader->said, "goaway:%s ",
                      nghttp2_http2_strerror(number(payload + 4)));
      break;
    case NGHTTP2_PING:
      if (memcmp(payload, LAST_PING, 8) == 0) {
        pod_text_add(&reader->said, "alive ");
      } else if (is_ack) {
        pod_text_printf(&reader->said, "pong:%.8s ", (const char *)payload);
      }
      break;
    case NGHTTP2_SETTINGS:
      if (is_ack && reader->ack_count++ > 0) {  // The first is for the greeting's.
        pod_text_add(&reader->said, "ack ");
      }
      break;
    default:
      break;
  }
}

// All that has come, as text. Returns owned.
static char *listen_to(const world_t *world) {
  static uint8_t bytes[1 << 20];
  size_t size = 0;
  ssize_t more = 0;
  while ((more = recv(world->fd, bytes + size, sizeof(bytes) - size, MSG_DONTWAIT)) > 0) {
    size += (size_t)more;
  }
  reader_t reader = {0};
  assert_int_equal(nghttp2_hd_inflate_new(&reader.inflater), 0);
  for (size_t at = 0; at < size;) {
    const size_t length = number(bytes + at) >> 8;
    assert_true(at + FRAME_HEADER_BYTES + length <= size);
    read_frame(&reader, bytes + at, bytes + at + FRAME_HEADER_BYTES, length);
    at += FRAME_HEADER_BYTES + length;
  }
  nghttp2_hd_inflate_del(reader.inflater);
  if (more == 0) {
    pod_text_add(&reader.said, "closed ");
  }
  if (reader.said.length > 0) {
    reader.said.bytes[--reader.said.length] = '\0';
  }
  return pod_text_take(&reader.said);
}

// --- The tests ---

static void run_case(void **state) {
  const http2_case_t *the_case = *state;
  world_t world = start();
  pod_text_t out = {0};
  if (the_case->greeting != NULL) {
    pod_text_add_bytes(&out, the_case->greeting, the_case->greeting_size);
  } else {
    pod_text_add_bytes(&out, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  }
  for (size_t i = 0; i < HTTP2_FRAMES_MAX && the_case->frames[i].payload != NULL; i++) {
    add_frame(&out, &the_case->frames[i]);
  }
  say(&world, out.bytes, out.length);
  pod_text_clear(&out);
  add_frame(&out, &(http2_frame_t){NGHTTP2_PING, 0, 0, LAST_PING, 8, 8});
  say(&world, out.bytes, out.length);
  pod_text_deinit(&out);
  char *said = listen_to(&world);
  stop(&world);
  if (strcmp(said, the_case->expected) != 0) {
    print_error("%s\n  said     %s\n  expected %s\n", the_case->name, said,
                the_case->expected);
    free(said);
    fail();
  }
  free(said);
}

// Every beginning of a good exchange, and then the end of the connection: the server
// forgets it, and nothing is left of it.
static void test_an_exchange_that_breaks_off_anywhere_leaves_nothing(void **state) {
  (void)state;
  static const char exchange[] = PREFACE SETTINGS
      "\0\0\62\1\4\0\0\0\1\203\206\4\6/t/One\1\1a\0\2te\10trailers\17\20\20"
      "application/grpc"
      "\0\0\6\0\1\0\0\0\1\0\0\0\0\1x"
      "\0\0\10\6\0\0\0\0\0"
      "12345678"
      "\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0";
  world_t world = start();
  for (size_t size = 0; size < sizeof(exchange); size++) {
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    assert_null(rpc_server_adopt(world.server, fds[0]));
    if (size > 0) {
      assert_int_equal(send(fds[1], exchange, size, MSG_NOSIGNAL), size);
    }
    for (int i = 0; i < TURNS && size % 2 == 0; i++) {
      rpc_loop_turn(world.loop);
    }
    close(fds[1]);
    for (int i = 0; i < TURNS; i++) {
      rpc_loop_turn(world.loop);
    }
    assert_int_equal(world.server->admission.count, 1);  // The world's own.
  }
  stop(&world);
}

int main(void) {
  struct CMUnitTest *tests = calloc(http2_case_count + 1, sizeof(*tests));
  for (size_t i = 0; i < http2_case_count; i++) {
    tests[i] = (struct CMUnitTest){.name = http2_cases[i].name,
                                   .test_func = run_case,
                                   .initial_state = (void *)(uintptr_t)&http2_cases[i]};
  }
  tests[http2_case_count] = (struct CMUnitTest)cmocka_unit_test(
      test_an_exchange_that_breaks_off_anywhere_leaves_nothing);
  const int failures =
      _cmocka_run_group_tests("http2", tests, http2_case_count + 1, NULL, NULL);
  free(tests);
  return failures;
}
