#include "server/ici/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"

static ici_header_t some_header(void) {
  return (ici_header_t){
      .kind = ICI_DATA,
      .flags = ICI_FLAG_EAGER,
      .source = 3,
      .destination = 1,
      .epoch = 0x1122334455667788u,
      .execution = 42,
      .sequence = 7,
      .lane = 5,
      .tag = 9,
      .offset = 1024,
      .total = 4096,
      .payload_bytes = 512,
      .hops = 2,
  };
}

static void test_a_header_survives_the_wire(void **state) {
  (void)state;
  const ici_header_t header = some_header();
  uint8_t bytes[ICI_HEADER_BYTES];
  ici_header_t back;
  memset(&back, 0, sizeof(back));
  ici_header_encode(&header, bytes);
  assert_null(ici_header_decode(bytes, ICI_HEADER_BYTES + 512, 4, &back));
  assert_int_equal(back.kind, header.kind);
  assert_int_equal(back.flags, header.flags);
  assert_int_equal(back.source, 3);
  assert_int_equal(back.destination, 1);
  assert_true(back.epoch == header.epoch && back.execution == 42);
  assert_int_equal(back.sequence, 7);
  assert_int_equal(back.lane, 5);
  assert_int_equal(back.tag, 9);
  assert_int_equal(back.offset, 1024);
  assert_int_equal(back.total, 4096);
  assert_int_equal(back.payload_bytes, 512);
  assert_int_equal(back.hops, 2);
}

static void assert_refused(const ici_header_t *header, size_t size_bytes) {
  uint8_t bytes[ICI_HEADER_BYTES];
  ici_header_t back;
  ici_header_encode(header, bytes);
  const pod_status_t status = ici_header_decode(bytes, size_bytes, 4, &back);
  assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
  pod_status_free(status);
}

static void test_a_header_that_lies_is_refused(void **state) {
  (void)state;
  const size_t size = ICI_HEADER_BYTES + 512;
  ici_header_t header = some_header();
  assert_refused(&header, ICI_HEADER_BYTES - 1);
  assert_refused(&header, size + 1);
  header.source = 4;
  assert_refused(&header, size);
  header = some_header();
  header.destination = -1;
  assert_refused(&header, size);
  header = some_header();
  header.kind = ICI_KIND_COUNT;
  assert_refused(&header, size);
  header = some_header();
  header.offset = 4096 - 511;
  assert_refused(&header, size);
  header = some_header();
  header.offset = INT64_MAX;
  assert_refused(&header, size);
  header = some_header();
  header.lane = COLLECTIVE_LANES_MAX;
  assert_refused(&header, size);
  header = some_header();
  header.hops = ICI_HOPS_MAX + 1;
  assert_refused(&header, size);
  header = some_header();
  header.payload_bytes = ICI_PAYLOAD_MAX + 1;
  assert_refused(&header, ICI_HEADER_BYTES + (size_t)ICI_PAYLOAD_MAX + 1);
  header = some_header();
  header.kind = ICI_GRANT;
  assert_refused(&header, size);
  header.kind = ICI_REQUEST;
  assert_refused(&header, size);
}

static void test_another_magic_or_version_is_refused(void **state) {
  (void)state;
  const ici_header_t header = some_header();
  for (size_t at = 0; at < 5; at++) {
    uint8_t bytes[ICI_HEADER_BYTES];
    ici_header_t back;
    ici_header_encode(&header, bytes);
    bytes[at] ^= 0x40;
    const pod_status_t status =
        ici_header_decode(bytes, ICI_HEADER_BYTES + 512, 4, &back);
    assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
    pod_status_free(status);
  }
}

static ici_hello_t some_hello(void) {
  return (ici_hello_t){.pod = "pod-1",
                       .from = 0,
                       .to = 1,
                       .direction = 0,
                       .torus = {.size = {2, 2, 1}, .wraps = {false, true, false}},
                       .epoch = 77,
                       .host = 1234567,
                       .process = 99,
                       .bell_file = 5,
                       .ring_file = 6,
                       .token = {1, 2, 3}};
}

static void test_a_hello_survives_the_wire(void **state) {
  (void)state;
  const ici_hello_t hello = some_hello();
  uint8_t bytes[ICI_HELLO_BYTES];
  ici_hello_t back;
  ici_hello_encode(&hello, bytes);
  assert_null(ici_hello_decode(bytes, sizeof(bytes), &back));
  assert_string_equal(back.pod, "pod-1");
  assert_int_equal(back.to, 1);
  assert_int_equal(back.torus.size[1], 2);
  assert_true(back.torus.wraps[1] && !back.torus.wraps[0]);
  assert_true(back.epoch == 77 && back.host == 1234567);
  assert_int_equal(back.process, 99);
  assert_int_equal(back.ring_file, 6);
  assert_memory_equal(back.token, hello.token, ICI_TOKEN_BYTES);
}

static void assert_stranger(const ici_hello_t *hello) {
  const ici_hello_t own = some_hello();
  const pod_status_t status = ici_hello_check(&own, hello);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  pod_status_free(status);
}

static void test_only_the_neighbour_is_let_in(void **state) {
  (void)state;
  const ici_hello_t own = some_hello();
  ici_hello_t other = some_hello();
  other.from = 1;
  other.to = 0;
  other.direction = 1;
  assert_null(ici_hello_check(&own, &other));
  ici_hello_t stranger = other;
  stranger.pod[0] = 'q';
  assert_stranger(&stranger);
  stranger = other;
  stranger.from = 2;
  assert_stranger(&stranger);
  stranger = other;
  stranger.direction = 3;
  assert_stranger(&stranger);
  stranger = other;
  stranger.torus.size[2] = 2;
  assert_stranger(&stranger);
}

static void test_a_hello_that_lies_is_refused(void **state) {
  (void)state;
  uint8_t bytes[ICI_HELLO_BYTES];
  memset(bytes, 'x', sizeof(bytes));
  ici_hello_t back;
  pod_status_t status = ici_hello_decode(bytes, sizeof(bytes), &back);
  assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
  pod_status_free(status);
  status = ici_hello_decode(bytes, 10, &back);
  assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_header_survives_the_wire),
      cmocka_unit_test(test_a_header_that_lies_is_refused),
      cmocka_unit_test(test_another_magic_or_version_is_refused),
      cmocka_unit_test(test_a_hello_survives_the_wire),
      cmocka_unit_test(test_only_the_neighbour_is_let_in),
      cmocka_unit_test(test_a_hello_that_lies_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
