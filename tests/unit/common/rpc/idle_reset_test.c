#include "common/rpc/idle_reset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

enum { STREAM_BYTES_MAX = 4096, DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4 };

typedef struct stream_t {
  uint8_t bytes[STREAM_BYTES_MAX];
  size_t size_bytes;
} stream_t;

static void add(stream_t *stream, const void *bytes, size_t size_bytes) {
  assert_true(stream->size_bytes + size_bytes <= STREAM_BYTES_MAX);
  memcpy(stream->bytes + stream->size_bytes, bytes, size_bytes);
  stream->size_bytes += size_bytes;
}

// A frame whose payload looks like the header of a reset, so that a wrong step shows.
static void add_frame(stream_t *stream, uint8_t type, uint8_t stream_id, size_t length) {
  static const uint8_t payload[64] = {0, 0, 4, RST_STREAM, 0, 0, 0, 0, 99,
                                      0, 0, 4, RST_STREAM, 0, 0, 0, 0, 99};
  const uint8_t header[RPC_FRAME_HEADER_BYTES] = {0, 0, (uint8_t)length, type, 0, 0,
                                                  0, 0, stream_id};
  add(stream, header, sizeof(header));
  add(stream, payload, length);
}

// Feeds `from` in pieces, cut at random for a seed, or byte by byte for seed 0.
static void filter_all(const stream_t *from, uint64_t seed, stream_t *to) {
  rpc_idle_reset_t filter = {.pass_bytes = RPC_PREFACE_BYTES};
  pod_random_t random = {.state = seed};
  *to = (stream_t){.size_bytes = 0};
  for (size_t at = 0; at < from->size_bytes;) {
    size_t left = seed == 0 ? 1 : 1 + (size_t)pod_random_below(&random, 40);
    left = left < from->size_bytes - at ? left : from->size_bytes - at;
    const uint8_t *data = from->bytes + at;
    at += left;
    while (left > 0) {
      const uint8_t *run = NULL;
      const size_t size_bytes = rpc_idle_reset_next(&filter, &data, &left, &run);
      if (size_bytes > 0) {
        add(to, run, size_bytes);
      }
    }
  }
}

static void test_only_resets_of_streams_never_opened_are_left_out(void **state) {
  (void)state;
  stream_t from = {.size_bytes = 0}, expected = {.size_bytes = 0};
  static const struct {
    uint8_t type, stream_id, length;
    int is_left_out;
  } frames[] = {{SETTINGS, 0, 12, 0},  {HEADERS, 1, 30, 0},    {DATA, 1, 0, 0},
                {DATA, 1, 64, 0},      {RST_STREAM, 1, 4, 0},  {RST_STREAM, 3, 4, 1},
                {HEADERS, 5, 10, 0},   {RST_STREAM, 3, 4, 0},  {RST_STREAM, 7, 4, 1},
                {RST_STREAM, 9, 4, 1}, {RST_STREAM, 2, 4, 0},  {HEADERS, 11, 18, 0},
                {DATA, 11, 18, 0},     {RST_STREAM, 13, 0, 1}, {RST_STREAM, 11, 4, 0},
                {RST_STREAM, 99, 4, 1}};
  static const uint8_t preface[RPC_PREFACE_BYTES] = {'P', 'R', 'I'};
  add(&from, preface, sizeof(preface));
  add(&expected, preface, sizeof(preface));
  for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
    add_frame(&from, frames[i].type, frames[i].stream_id, frames[i].length);
    if (!frames[i].is_left_out) {
      add_frame(&expected, frames[i].type, frames[i].stream_id, frames[i].length);
    }
  }
  for (uint64_t seed = 0; seed < 500; seed++) {
    stream_t to;
    filter_all(&from, seed, &to);
    assert_int_equal(to.size_bytes, expected.size_bytes);
    assert_memory_equal(to.bytes, expected.bytes, expected.size_bytes);
  }
}

static void test_payloads_are_passed_on_where_they_lie(void **state) {
  (void)state;
  stream_t from = {.size_bytes = 0};
  add_frame(&from, HEADERS, 1, 40);
  add_frame(&from, DATA, 1, 64);
  rpc_idle_reset_t filter = {0};
  const uint8_t *data = from.bytes, *run = NULL;
  size_t left = from.size_bytes;
  assert_int_equal(rpc_idle_reset_next(&filter, &data, &left, &run), from.size_bytes);
  assert_ptr_equal(run, from.bytes);
  assert_int_equal(left, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_resets_of_streams_never_opened_are_left_out),
      cmocka_unit_test(test_payloads_are_passed_on_where_they_lie),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
