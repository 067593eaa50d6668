// What goes wrong on connections: garbage, silence, peers that die. One connection pays
// for it, the others do not notice.

#include "common/rpc/connection.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/base/text.h"
#include "common/rpc/address.h"
#include "world.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS "\0\0\0\4\0\0\0\0\0"

// --- A peer that speaks raw bytes ---

typedef struct raw_t {
  world_t *world;
  rpc_timer_t *tick;  // Looks at the socket from time to time.
  int fd;
  bool closed;
  size_t received;
} raw_t;

static void raw_look(void *context) {
  raw_t *raw = context;
  uint8_t bytes[4096];
  ssize_t size = 0;
  while ((size = recv(raw->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    raw->received += (size_t)size;
  }
  if (size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
    raw->closed = true;
  }
  world_wake(raw->world);
}

static void raw_connect(raw_t *raw, world_t *world) {
  *raw = (raw_t){.world = world};
  rpc_address_t address;
  assert_null(rpc_address_resolve(world->address, &address));
  raw->fd = socket(address.socket.ss_family, SOCK_STREAM, 0);
  assert_int_equal(
      connect(raw->fd, (struct sockaddr *)&address.socket, address.size_bytes), 0);
  raw->tick = rpc_timer_create(world->loop, raw_look, raw);
  rpc_timer_start(raw->tick, 1, 1);
}

static void raw_send(const raw_t *raw, const void *data, size_t size) {
  const uint8_t *bytes = data;
  while (size > 0) {
    const ssize_t sent = send(raw->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      rpc_loop_turn(raw->world->loop);
      continue;
    }
    if (sent < 0) {
      return;  // The server has closed it already.
    }
    bytes += sent;
    size -= (size_t)sent;
  }
}

static bool raw_is_closed(const void *raw) {
  return ((const raw_t *)raw)->closed;
}

static bool raw_has_received(const void *raw) {
  return ((const raw_t *)raw)->received > 0;
}

static void raw_end(raw_t *raw) {
  rpc_timer_destroy(raw->tick);
  close(raw->fd);
}

// --- A neighbour whose call must go on ---

static bool has_message(const void *context) {
  return ((const caller_t *)context)->message_count > 0;
}

static void exchange(caller_t *caller) {
  caller->message_count = 0;
  call_say(caller, "still there?");
  world_run_until(caller->world, has_message, caller);
  assert_memory_equal(caller->last, "still there?", 12);
}

static void end_neighbour(caller_t *caller) {
  rpc_call_half_close(caller->call);
  call_finish(caller);
  assert_int_equal(caller->code, POD_OK);
}

static void test_garbage_costs_its_own_connection_only(void **state) {
  (void)state;
  static uint8_t noise[3000];
  pod_random_t random = {.state = 5};
  for (size_t i = 0; i < sizeof(noise); i++) {
    noise[i] = (uint8_t)pod_random_next(&random);
  }
#define CASE(text) \
  { text, sizeof(text) - 1 }
  const struct {
    const void *bytes;
    size_t size;
  } cases[] = {
      CASE("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
      {noise, sizeof(noise)},
      CASE(PREFACE "nothing like a frame at all, for a while"),
      CASE(PREFACE "\0\0\1\0\0\0\0\0\1x"),                 // DATA before SETTINGS.
      CASE(PREFACE SETTINGS "\0\0\1\0\0\0\0\0\0x"),        // DATA on stream 0.
      CASE(PREFACE SETTINGS "\xff\xff\xff\0\0\0\0\0\1x"),  // Over the frame size.
      CASE(PREFACE SETTINGS "\0\0\4\1\5\0\0\0\1\xff\xff\xff\xff"),  // No header block.
      CASE(PREFACE SETTINGS "\0\0\4\x8\0\0\0\0\0\0\0\0\0"),  // A window update of 0.
      CASE(PREFACE SETTINGS "\0\0\1\6\0\0\0\0\0x"),          // A short PING.
      CASE(PREFACE SETTINGS "\0\0\1\x9\4\0\0\0\1x"),         // A lone CONTINUATION.
  };
#undef CASE
  world_t world;
  caller_t neighbour;
  world_start(&world, NULL, NULL, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  exchange(&neighbour);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    raw_t raw;
    raw_connect(&raw, &world);
    raw_send(&raw, cases[i].bytes, cases[i].size);
    world_run_until(&world, raw_is_closed, &raw);
    exchange(&neighbour);
    raw_end(&raw);
  }
  end_neighbour(&neighbour);
  world_stop(&world);
}

static void test_a_flood_of_resets_loses_its_connection(void **state) {
  (void)state;
  world_t world;
  caller_t neighbour;
  raw_t raw;
  world_start(&world, NULL, NULL, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  exchange(&neighbour);
  raw_connect(&raw, &world);
  pod_text_t flood = {0};
  pod_text_add_bytes(&flood, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  for (uint32_t stream = 1; stream < 80000; stream += 2) {
    const uint8_t high = (uint8_t)(stream >> 16), mid = (uint8_t)(stream >> 8),
                  low = (uint8_t)stream;
    const uint8_t frames[] = {
        // HEADERS: POST http /x, authority a.
        0, 0, 9, 1, 4, 0, high, mid, low, 0x83, 0x86, 4, 2, '/', 'x', 1, 1, 'a',
        // RST_STREAM, CANCEL.
        0, 0, 4, 3, 0, 0, high, mid, low, 0, 0, 0, 8};
    pod_text_add_bytes(&flood, frames, sizeof(frames));
  }
  raw_send(&raw, flood.bytes, flood.length);
  world_run_until(&world, raw_is_closed, &raw);
  exchange(&neighbour);
  end_neighbour(&neighbour);
  pod_text_deinit(&flood);
  raw_end(&raw);
  world_stop(&world);
}

static void check_flood(const char *frame, size_t size, const char *opening,
                        size_t opening_size) {
  world_t world;
  caller_t neighbour;
  raw_t raw;
  world_start(&world, NULL, &(rpc_server_options_t){.keepalive_ms = 600000}, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  exchange(&neighbour);
  raw_connect(&raw, &world);
  pod_text_t flood = {0};
  pod_text_add_bytes(&flood, opening, opening_size);
  for (int i = 0; i < 20000; i++) {
    pod_text_add_bytes(&flood, frame, size);
  }
  raw_send(&raw, flood.bytes, flood.length);
  world_run_until(&world, raw_is_closed, &raw);
  exchange(&neighbour);
  end_neighbour(&neighbour);
  pod_text_deinit(&flood);
  raw_end(&raw);
  world_stop(&world);
}

static void test_a_flood_of_frames_of_no_use_loses_its_connection(void **state) {
  (void)state;
#define OPENING PREFACE SETTINGS
#define FLOOD(opening, frame) \
  check_flood(frame, sizeof(frame) - 1, opening, sizeof(opening) - 1)
  FLOOD(OPENING,
        "\0\0\x8\6\0\0\0\0\0"
        "12345678");  // PING.
  FLOOD(OPENING, SETTINGS);
  FLOOD(OPENING, "\0\0\5\2\0\0\0\0\1\0\0\0\0\7");  // PRIORITY.
  // Empty DATA of a call (POST, http, /x, authority a), which is refused, or not yet.
  FLOOD(OPENING "\0\0\x9\1\4\0\0\0\1\x83\x86\4\2/x\1\1a", "\0\0\0\0\0\0\0\0\1");
#undef FLOOD
#undef OPENING
}

// A request of stream `stream` whose headers are an entry of 4,000 bytes, put into the
// table of header compression by the first one, and `references` to it of a byte each.
static void add_expanding_request(pod_text_t *out, uint32_t stream, bool is_first,
                                  size_t references) {
  pod_text_t block = {0};
  pod_text_add_bytes(&block, "\x83\x86\4\2/x\1\1a", 9);  // As above.
  if (is_first) {
    pod_text_add_bytes(&block, "\x40\1b\x7f\xa1\x1e", 6);  // b: 127 + 33 + 30 * 128.
    for (int i = 0; i < 4000; i++) {
      pod_text_add_bytes(&block, "y", 1);
    }
  }
  for (size_t i = 0; i < references; i++) {
    pod_text_add_bytes(&block, "\xbe", 1);  // The newest entry of the table.
  }
  const uint8_t header[] = {(uint8_t)(block.length >> 16),
                            (uint8_t)(block.length >> 8),
                            (uint8_t)block.length,
                            1,
                            4,
                            0,
                            (uint8_t)(stream >> 16),
                            (uint8_t)(stream >> 8),
                            (uint8_t)stream};
  pod_text_add_bytes(out, header, sizeof(header));
  pod_text_add_bytes(out, block.bytes, block.length);
  pod_text_deinit(&block);
}

static void check_expanding_headers(size_t references) {
  world_t world;
  caller_t neighbour;
  raw_t raw;
  // It answers no ping either, which must not be what it goes for.
  world_start(&world, NULL, &(rpc_server_options_t){.keepalive_ms = 600000}, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  exchange(&neighbour);
  raw_connect(&raw, &world);
  pod_text_t flood = {0};
  pod_text_add_bytes(&flood, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  for (uint32_t i = 0; i < 200; i++) {
    add_expanding_request(&flood, 1 + 2 * i, i == 0, references);
  }
  raw_send(&raw, flood.bytes, flood.length);
  world_run_until(&world, raw_is_closed, &raw);
  exchange(&neighbour);
  end_neighbour(&neighbour);
  pod_text_deinit(&flood);
  raw_end(&raw);
  world_stop(&world);
}

// 12 KB that come to 48 MB, and 200 bytes that stay below the bound of a block, again
// and again.
static void test_headers_that_expand_lose_their_connection(void **state) {
  (void)state;
  check_expanding_headers(12000);
  check_expanding_headers(15);
}

static void test_who_connects_and_says_nothing_is_turned_out(void **state) {
  (void)state;
  world_t world;
  raw_t raw;
  world_start(&world, NULL, &(rpc_server_options_t){.handshake_timeout_ms = 50}, NULL);
  raw_connect(&raw, &world);
  world_run_until(&world, raw_is_closed, &raw);
  raw_end(&raw);
  raw_connect(&raw, &world);
  raw_send(&raw, "PRI * HT", 8);
  world_run_until(&world, raw_is_closed, &raw);
  raw_end(&raw);
  world_stop(&world);
}

static void test_a_client_that_answers_no_ping_is_turned_out(void **state) {
  (void)state;
  world_t world;
  raw_t raw;
  world_start(&world, NULL,
              &(rpc_server_options_t){.keepalive_ms = 50, .keepalive_timeout_ms = 50},
              NULL);
  raw_connect(&raw, &world);
  raw_send(&raw, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  world_run_until(&world, raw_is_closed, &raw);
  raw_end(&raw);
  world_stop(&world);
}

static bool ticks_are_over(const void *context) {
  return *(const int *)context == 0;
}

typedef struct {
  world_t *world;
  int left;
} ticks_t;

static void count_tick(void *context) {
  ticks_t *ticks = context;
  ticks->left -= ticks->left > 0 ? 1 : 0;
  world_wake(ticks->world);
}

// --- Peers that drip ---

// Sends `piece` again and again, after `opening`.
typedef struct drip_t {
  raw_t raw;
  rpc_timer_t *timer;
  const char *piece;
  size_t size;
} drip_t;

static void drip_once(void *context) {
  const drip_t *drip = context;
  raw_send(&drip->raw, drip->piece, drip->size);
}

// Runs until the server has closed the connection of whoever drips.
static void check_drip(const rpc_server_options_t *options, const char *opening,
                       size_t opening_size, const char *piece, size_t size) {
  world_t world;
  drip_t drip = {.piece = piece, .size = size};
  world_start(&world, NULL, options, NULL);
  raw_connect(&drip.raw, &world);
  raw_send(&drip.raw, opening, opening_size);
  drip.timer = rpc_timer_create(world.loop, drip_once, &drip);
  rpc_timer_start(drip.timer, 5, 5);
  world_run_until(&world, raw_is_closed, &drip.raw);
  rpc_timer_destroy(drip.timer);
  raw_end(&drip.raw);
  world_stop(&world);
}

#define DRIP(options, opening, piece) \
  check_drip(&options, opening, sizeof(opening) - 1, piece, sizeof(piece) - 1)

static void test_headers_that_drip_are_given_a_time_in_all(void **state) {
  (void)state;
  const rpc_server_options_t options = {.headers_timeout_ms = 60, .keepalive_ms = 600000};
  // Bytes of one HEADERS frame; CONTINUATION frames of a byte that never end.
  DRIP(options, PREFACE SETTINGS "\0\x10\0\1\4\0\0\0\1\x83\x86", "\x86");
  DRIP(options, PREFACE SETTINGS "\0\0\2\1\0\0\0\0\1\x83\x86", "\0\0\1\x9\0\0\0\0\1\x86");
}

static void test_a_preface_that_drips_is_given_a_time_in_all(void **state) {
  (void)state;
  const rpc_server_options_t options = {.handshake_timeout_ms = 60};
  DRIP(options, "PRI * HTTP/2.0\r\n", "\r");
  DRIP(options, PREFACE "\0\6\0\4\0\0\0\0\0", "\0");
}

static void test_a_byte_now_and_then_is_no_answer_to_a_ping(void **state) {
  (void)state;
  const rpc_server_options_t options = {.keepalive_ms = 30, .keepalive_timeout_ms = 60};
  DRIP(options, PREFACE SETTINGS "\0\x40\0\0\0\0\0\0\1", "x");
  // Whole frames of no use: a window update of 1 each.
  DRIP(options, PREFACE SETTINGS, "\0\0\4\x8\0\0\0\0\0\0\0\0\1");
}

static void test_headers_that_come_whole_again_and_again_may_go_on(void **state) {
  (void)state;
  world_t world;
  drip_t drip = {.size = 0};
  world_start(&world, NULL,
              &(rpc_server_options_t){.headers_timeout_ms = 40, .keepalive_ms = 600000},
              NULL);
  raw_connect(&drip.raw, &world);
  raw_send(&drip.raw, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  // Each piece ends one block and begins the next.
  uint32_t stream = 1;
  for (int i = 0; i < 30; i++, stream += 2) {
    const uint8_t frame[] = {0,    0,    9, 1, 4,   0,   0, 0, (uint8_t)stream,
                             0x83, 0x86, 4, 2, '/', 'x', 1, 1, 'a'};
    const size_t half = i == 0 ? 0 : 5;
    raw_send(&drip.raw, frame + half, sizeof(frame) - half);
    const uint8_t next[] = {0, 0, 9, 1, 4};
    raw_send(&drip.raw, next, sizeof(next));
    rpc_timer_start(drip.raw.tick, 5, 1);
    rpc_loop_run(world.loop);
    assert_false(drip.raw.closed);
  }
  raw_end(&drip.raw);
  world_stop(&world);
}

static void test_an_unused_connection_is_ended_in_order(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  raw_t raw;
  world_start(&world, NULL,
              &(rpc_server_options_t){.idle_timeout_ms = 60, .keepalive_ms = 600000},
              NULL);
  raw_connect(&raw, &world);
  raw_send(&raw, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  call_start(&caller, &world, "/test/Echo", NULL);
  exchange(&caller);
  world_run_until(&world, raw_is_closed, &raw);
  assert_in_range(raw.received, 17, 200);  // SETTINGS, and the GOAWAY.
  exchange(&caller);                       // Whose connection has a call.
  end_neighbour(&caller);
  raw_end(&raw);
  world_stop(&world);
}

static void finish_on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  (void)context;
  pod_status_free(status);
}

static pod_status_t keep_on_start(rpc_call_t *call, void *service, void **out_context) {
  (void)service;
  (void)out_context;
  rpc_call_keep_connection(call);
  return NULL;
}

static void test_a_crowd_drives_out_neither_who_is_kept_nor_our_own_user(void **state) {
  (void)state;
  enum { CROWD = 12 };
  static const rpc_method_t keeping[] = {{.path = "/keep/Me",
                                          .events = {.on_end = finish_on_end},
                                          .on_start = keep_on_start},
                                         {0}};
  static const char request[] = PREFACE SETTINGS
      "\0\0\57\1\4\0\0\0\1\203\206\4\x8/keep/Me\1\1a\0\2te\10trailers\17\20\20"
      "application/grpc";
  world_t world;
  caller_t caller;
  raw_t kept, crowd[CROWD];
  world_start(
      &world, NULL,
      &(rpc_server_options_t){.connections_max = 8, .connections_per_peer_max = 4}, NULL);
  rpc_server_add_service(world.server, "keep", keeping, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  exchange(&caller);
  rpc_call_half_close(caller.call);
  call_finish(&caller);  // Our own user's connection, by the shortcut, is idle now.
  raw_connect(&kept, &world);
  raw_send(&kept, request, sizeof(request) - 1);
  world_run_until(&world, raw_has_received, &kept);
  for (int i = 0; i < CROWD; i++) {
    raw_connect(&crowd[i], &world);
    raw_send(&crowd[i], PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
    world_run_until(&world, raw_has_received, &crowd[i]);
  }
  world_run_until(&world, raw_is_closed, &crowd[CROWD - 5]);
  assert_false(kept.closed);
  assert_false(crowd[CROWD - 1].closed);
  assert_int_equal(world.state_count, 2);  // Connecting and ready, and never lost.
  for (int i = 0; i < CROWD; i++) {
    raw_end(&crowd[i]);
  }
  raw_end(&kept);
  world_stop(&world);
}

// --- No descriptors left ---

enum { HELD_MAX = 4096 };

static int held[HELD_MAX];
static size_t held_count;

static void hold_all_descriptors(void) {
  int fd;
  held_count = 0;
  while (held_count < HELD_MAX && (fd = dup(STDIN_FILENO)) >= 0) {
    held[held_count++] = fd;
  }
}

static void let_descriptors_go(size_t left) {
  while (held_count > left) {
    close(held[--held_count]);
  }
}

static void test_without_descriptors_an_unused_connection_gives_its_own(void **state) {
  (void)state;
  world_t world;
  raw_t first, second;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  world_start(&world, NULL, NULL, NULL);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){256, before.rlim_max}), 0);
  raw_connect(&first, &world);
  raw_send(&first, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  world_run_until(&world, raw_has_received, &first);
  hold_all_descriptors();
  let_descriptors_go(held_count - 1);  // For the second's own end.
  raw_connect(&second, &world);
  raw_send(&second, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  world_run_until(&world, raw_is_closed, &first);
  world_run_until(&world, raw_has_received, &second);
  let_descriptors_go(0);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  raw_end(&first);
  raw_end(&second);
  world_stop(&world);
}

// Standard error goes to a pipe while the server has no descriptor for who comes.
static void test_without_descriptors_the_log_has_one_line_and_the_client_waits(
    void **state) {
  (void)state;
  world_t world;
  raw_t raw;
  struct rlimit before;
  int fds[2];
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  world_start(&world, NULL, NULL, NULL);
  assert_int_equal(pipe(fds), 0);
  const int kept = dup(STDERR_FILENO);
  assert_int_equal(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){256, before.rlim_max}), 0);
  hold_all_descriptors();
  let_descriptors_go(held_count - 1);
  raw_connect(&raw, &world);
  raw_send(&raw, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  ticks_t ticks = {&world, 10};
  rpc_timer_t *timer = rpc_timer_create(world.loop, count_tick, &ticks);
  rpc_timer_start(timer, 50, 50);  // Several times as long as between two attempts.
  world_run_until(&world, ticks_are_over, &ticks.left);
  assert_int_equal(raw.received, 0);
  let_descriptors_go(0);
  world_run_until(&world, raw_has_received, &raw);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
  char text[4096];
  const ssize_t size = read(fds[0], text, sizeof(text) - 1);
  assert_true(size > 0);
  text[size] = '\0';
  assert_non_null(strstr(text, "cannot accept"));
  assert_ptr_equal(strchr(text, '\n'), text + size - 1);
  close(kept);
  close(fds[0]);
  close(fds[1]);
  rpc_timer_destroy(timer);
  raw_end(&raw);
  world_stop(&world);
}

static void test_a_client_that_answers_pings_may_be_idle(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL,
              &(rpc_server_options_t){.keepalive_ms = 5, .keepalive_timeout_ms = 5000},
              NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  exchange(&caller);
  // Time for several pings; had one stayed unanswered, no other would follow it.
  ticks_t ticks = {&world, 20};
  rpc_timer_t *timer = rpc_timer_create(world.loop, count_tick, &ticks);
  rpc_timer_start(timer, 5, 5);
  world_run_until(&world, ticks_are_over, &ticks.left);
  exchange(&caller);
  end_neighbour(&caller);
  rpc_timer_destroy(timer);
  world_stop(&world);
}

static void test_who_does_nothing_gives_its_place_to_who_comes(void **state) {
  (void)state;
  world_t world;
  caller_t neighbour;
  raw_t raws[3];
  world_start(&world, NULL, &(rpc_server_options_t){.connections_max = 3}, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  exchange(&neighbour);
  for (int i = 0; i < 3; i++) {
    raw_connect(&raws[i], &world);
    raw_send(&raws[i], PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  }
  world_run_until(&world, raw_is_closed, &raws[0]);
  assert_false(raws[1].closed);
  assert_false(raws[2].closed);
  exchange(&neighbour);
  end_neighbour(&neighbour);
  for (int i = 0; i < 3; i++) {
    raw_end(&raws[i]);
  }
  world_stop(&world);
}

// --- Peers in processes of their own ---

static void serve_forever(int fd) {
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  if (write(fd, world.address, strlen(world.address) + 1) < 0) {
    _exit(1);
  }
  for (;;) {
    rpc_loop_run(world.loop);
  }
}

// `address` gets what the child listens on.
static pid_t start_server(char address[128]) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve_forever(fds[1]);
  }
  close(fds[1]);
  assert_true(read(fds[0], address, 128) > 0);
  close(fds[0]);
  return pid;
}

static void use_server(world_t *world, const char *address,
                       const rpc_channel_options_t *options) {
  rpc_channel_destroy(world->channel);
  assert_null(rpc_channel_create(world->loop, address, options, &world->channel));
}

static void end_process(pid_t pid) {
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_a_server_that_dies_fails_its_calls_with_its_address(void **state) {
  (void)state;
  world_t world;
  caller_t hanging, streaming;
  char address[128];
  const pid_t pid = start_server(address);
  world_start(&world, NULL, NULL, NULL);
  use_server(&world, address, NULL);
  call_start(&hanging, &world, "/test/Hang", NULL);
  call_start(&streaming, &world, "/test/Produce", NULL);
  call_say(&streaming, "1000000 1000");
  world_run_until(&world, has_message, &streaming);
  end_process(pid);
  call_finish(&hanging);
  call_finish(&streaming);
  assert_int_equal(hanging.code, POD_UNAVAILABLE);
  assert_int_equal(streaming.code, POD_UNAVAILABLE);
  assert_non_null(strstr(hanging.message, address));
  world_stop(&world);
}

static void test_keepalive_finds_a_server_that_has_stopped(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[128];
  const pid_t pid = start_server(address);
  world_start(&world, NULL, NULL, NULL);
  use_server(&world, address,
             &(rpc_channel_options_t){.keepalive_ms = 50, .keepalive_timeout_ms = 100});
  call_start(&caller, &world, "/test/Echo", NULL);
  exchange(&caller);
  kill(pid, SIGSTOP);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  assert_non_null(strstr(caller.message, "ping"));
  assert_non_null(strstr(caller.message, address));
  end_process(pid);
  world_stop(&world);
}

typedef struct watched_t {
  world_t *world;
  bool is_lost;
} watched_t;

static void note_lost(rpc_channel_t *channel, rpc_channel_state_t state, pod_status_t why,
                      void *context) {
  (void)channel;
  (void)why;
  watched_t *watched = context;
  watched->is_lost |= state != RPC_CHANNEL_CONNECTING && state != RPC_CHANNEL_READY;
  world_wake(watched->world);
}

static bool is_lost(const void *context) {
  return ((const watched_t *)context)->is_lost;
}

static void test_a_connection_without_calls_is_found_lost_when_it_is_asked_for(
    void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  char address[128];
  watched_t watched = {.world = &world};
  const pid_t pid = start_server(address);
  world_start(&world, NULL, NULL, NULL);
  use_server(&world, address,
             &(rpc_channel_options_t){.keepalive_ms = 50,
                                      .keepalive_timeout_ms = 100,
                                      .keeps_alive_unused = true,
                                      .on_state = note_lost,
                                      .context = &watched});
  call_start(&caller, &world, "/test/Echo", NULL);
  exchange(&caller);
  end_neighbour(&caller);
  assert_false(watched.is_lost);
  kill(pid, SIGSTOP);
  world_run_until(&world, is_lost, &watched);
  end_process(pid);
  world_stop(&world);
}

static void call_forever(const char *address) {
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  use_server(&world, address, NULL);
  call_start(&caller, &world, "/test/Count", NULL);
  call_send_all(&caller, 1000000, 100000, true);
  for (;;) {
    rpc_loop_run(world.loop);
  }
}

static bool handler_has_messages(const void *context) {
  const world_t *world = context;
  return world->handlers != NULL && world->handlers->message_count > 10;
}

static bool handler_has_ended(const void *context) {
  return ((const world_t *)context)->handlers->ended;
}

static void test_a_client_that_vanishes_in_a_stream_ends_its_handler(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    call_forever(world.address);
  }
  world_run_until(&world, handler_has_messages, &world);
  end_process(pid);
  world_run_until(&world, handler_has_ended, &world);
  assert_int_equal(world.handlers->code, POD_UNAVAILABLE);
  caller_t caller;
  call_start(&caller, &world, "/test/Unary", NULL);
  call_say(&caller, "next");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_garbage_costs_its_own_connection_only),
      cmocka_unit_test(test_a_flood_of_resets_loses_its_connection),
      cmocka_unit_test(test_a_flood_of_frames_of_no_use_loses_its_connection),
      cmocka_unit_test(test_headers_that_expand_lose_their_connection),
      cmocka_unit_test(test_who_connects_and_says_nothing_is_turned_out),
      cmocka_unit_test(test_a_client_that_answers_no_ping_is_turned_out),
      cmocka_unit_test(test_a_client_that_answers_pings_may_be_idle),
      cmocka_unit_test(test_headers_that_drip_are_given_a_time_in_all),
      cmocka_unit_test(test_a_preface_that_drips_is_given_a_time_in_all),
      cmocka_unit_test(test_a_byte_now_and_then_is_no_answer_to_a_ping),
      cmocka_unit_test(test_headers_that_come_whole_again_and_again_may_go_on),
      cmocka_unit_test(test_an_unused_connection_is_ended_in_order),
      cmocka_unit_test(test_a_crowd_drives_out_neither_who_is_kept_nor_our_own_user),
      cmocka_unit_test(test_without_descriptors_an_unused_connection_gives_its_own),
      cmocka_unit_test(
          test_without_descriptors_the_log_has_one_line_and_the_client_waits),
      cmocka_unit_test(test_who_does_nothing_gives_its_place_to_who_comes),
      cmocka_unit_test(test_a_server_that_dies_fails_its_calls_with_its_address),
      cmocka_unit_test(test_keepalive_finds_a_server_that_has_stopped),
      cmocka_unit_test(
          test_a_connection_without_calls_is_found_lost_when_it_is_asked_for),
      cmocka_unit_test(test_a_client_that_vanishes_in_a_stream_ends_its_handler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
