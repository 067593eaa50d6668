#include "server/ici/ring.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"

typedef struct ends_t {
  ici_ring_t reader, writer;
} ends_t;

static ends_t make_ends(void) {
  ends_t ends;
  uint8_t token[ICI_TOKEN_BYTES];
  ici_shared_token(token);
  assert_null(ici_ring_create(token, &ends.reader));
  assert_null(
      ici_ring_open((int32_t)getpid(), ends.reader.shared.file, token, &ends.writer));
  return ends;
}

static void close_ends(ends_t *ends) {
  ici_ring_close(&ends->reader);
  ici_ring_close(&ends->writer);
}

static ici_header_t frame_of(uint32_t payload_bytes, uint32_t number) {
  return (ici_header_t){.kind = payload_bytes > 0 ? ICI_DATA : ICI_GRANT,
                        .sequence = number,
                        .total = payload_bytes,
                        .payload_bytes = payload_bytes};
}

enum { FRAMES = 20000, SIZE_MAX_COMMON = 3000 };

static uint32_t size_of(pod_random_t *random) {
  switch (pod_random_below(random, 50)) {
    case 0:
      return ICI_PAYLOAD_MAX;
    case 1:
      return 0;
    default:
      return (uint32_t)pod_random_below(random, SIZE_MAX_COMMON);
  }
}

static void *write_frames(void *context) {
  ici_ring_t *ring = context;
  pod_random_t random = {.state = 9};
  uint8_t *payload = malloc(ICI_PAYLOAD_MAX);
  for (uint32_t i = 0; i < FRAMES; i++) {
    const ici_header_t header = frame_of(size_of(&random), i);
    memset(payload, (int)(i & 0xff), header.payload_bytes);
    while (ici_ring_put(ring, &header, payload, (int)(i % 2)) != ICI_RING_PUT) {
      sched_yield();
    }
  }
  free(payload);
  return NULL;
}

static void test_frames_come_out_as_they_went_in(void **state) {
  (void)state;
  ends_t ends = make_ends();
  pthread_t writer;
  assert_int_equal(pthread_create(&writer, NULL, write_frames, &ends.writer), 0);
  pod_random_t random = {.state = 9};
  for (uint32_t i = 0; i < FRAMES;) {
    ici_header_t header;
    const uint8_t *payload;
    const ici_ring_look_t look = ici_ring_look(&ends.reader, 1, &header, &payload);
    if (look == ICI_RING_EMPTY) {
      sched_yield();
      continue;
    }
    assert_int_equal(look, ICI_RING_FRAME);
    assert_int_equal(header.sequence, i);
    assert_int_equal(header.payload_bytes, size_of(&random));
    if (header.payload_bytes > 0) {
      assert_int_equal((uintptr_t)payload % 64, 0);
      assert_int_equal(payload[0], i & 0xff);
      assert_int_equal(payload[header.payload_bytes - 1], i & 0xff);
    }
    (void)ici_ring_drop(&ends.reader, header.payload_bytes);
    i++;
  }
  pthread_join(writer, NULL);
  close_ends(&ends);
}

static void test_a_full_ring_says_so_and_the_reader_learns_of_the_wish(void **state) {
  (void)state;
  ends_t ends = make_ends();
  static uint8_t payload[ICI_PAYLOAD_MAX];
  const ici_header_t header = frame_of(ICI_PAYLOAD_MAX, 0);
  int count = 0;
  ici_ring_put_t outcome = ICI_RING_PUT;
  while ((outcome = ici_ring_put(&ends.writer, &header, payload, 1)) == ICI_RING_PUT) {
    count++;
  }
  assert_int_equal(outcome, ICI_RING_FULL);
  assert_true(count >= 3);
  assert_int_equal(ici_ring_put(&ends.writer, &header, payload, 1), ICI_RING_STILL_FULL);
  // One that goes straight on still finds the place that is kept free.
  assert_int_equal(ici_ring_put(&ends.writer, &header, payload, 0), ICI_RING_PUT);
  ici_header_t seen;
  const uint8_t *at;
  assert_int_equal(ici_ring_look(&ends.reader, 1, &seen, &at), ICI_RING_FRAME);
  assert_true(ici_ring_drop(&ends.reader, seen.payload_bytes));
  assert_int_equal(ici_ring_look(&ends.reader, 1, &seen, &at), ICI_RING_FRAME);
  assert_false(ici_ring_drop(&ends.reader, seen.payload_bytes));
  close_ends(&ends);
}

static void test_any_bytes_a_writer_may_leave_are_survived(void **state) {
  (void)state;
  pod_random_t random = {.state = 3};
  for (int round = 0; round < 200; round++) {
    ends_t ends = make_ends();
    const ici_header_t header = frame_of(100, 1);
    uint8_t payload[100] = {0};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(ici_ring_put(&ends.writer, &header, payload, 0), ICI_RING_PUT);
    }
    // Anything may stand in the control words and the first records.
    uint8_t *memory = ends.writer.shared.memory;
    for (int i = 0; i < 20; i++) {
      const size_t at = 64 + pod_random_below(&random, 5 * 1024);
      memory[at] = (uint8_t)pod_random_next(&random);
    }
    for (int i = 0; i < 100; i++) {
      ici_header_t seen;
      const uint8_t *at;
      if (ici_ring_look(&ends.reader, 1, &seen, &at) != ICI_RING_FRAME) {
        break;
      }
      assert_true(at >= (uint8_t *)ends.reader.shared.memory);
      assert_true(at + seen.payload_bytes <=
                  (uint8_t *)ends.reader.shared.memory + ends.reader.shared.size_bytes);
      (void)ici_ring_drop(&ends.reader, seen.payload_bytes);
    }
    close_ends(&ends);
  }
}

static void test_memory_that_is_not_the_announced_is_not_mapped(void **state) {
  (void)state;
  uint8_t token[ICI_TOKEN_BYTES];
  uint8_t other[ICI_TOKEN_BYTES];
  ici_shared_token(token);
  ici_shared_token(other);
  ici_shared_t own;
  ici_shared_t theirs = {.file = -1};
  assert_null(ici_shared_create(4096, token, &own));
  const int32_t process = (int32_t)getpid();
  const pod_status_t failures[] = {
      ici_shared_open(process, own.file, 4096, other, &theirs),
      ici_shared_open(process, own.file, 8192, token, &theirs),
      ici_shared_open(process, STDIN_FILENO, 4096, token, &theirs),
      ici_shared_open(process, 9999, 4096, token, &theirs),
      ici_shared_open(-1, 3, 4096, token, &theirs),
  };
  for (size_t i = 0; i < POD_COUNT_OF(failures); i++) {
    assert_int_equal(pod_status_code(failures[i]), POD_UNAVAILABLE);
    pod_status_free(failures[i]);
  }
  assert_null(ici_shared_open(process, own.file, 4096, token, &theirs));
  ici_shared_close(&theirs);
  ici_shared_close(&own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames_come_out_as_they_went_in),
      cmocka_unit_test(test_a_full_ring_says_so_and_the_reader_learns_of_the_wish),
      cmocka_unit_test(test_any_bytes_a_writer_may_leave_are_survived),
      cmocka_unit_test(test_memory_that_is_not_the_announced_is_not_mapped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
