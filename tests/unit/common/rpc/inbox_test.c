// Bytes of DATA become messages, however they are cut.

#include "common/rpc/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "common/base/random.h"

enum { BOUND = 4 << 20 };

static size_t put_message(uint8_t *wire, size_t size, uint8_t fill) {
  const uint8_t prefix[] = {0, (uint8_t)(size >> 24), (uint8_t)(size >> 16),
                            (uint8_t)(size >> 8), (uint8_t)size};
  memcpy(wire, prefix, sizeof(prefix));
  memset(wire + sizeof(prefix), fill, size);
  return sizeof(prefix) + size;
}

static void test_messages_come_out_whole_however_the_bytes_are_cut(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 5, 4096, 0, 0, 100000, 17, 3000000, 2};
  enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
  uint8_t *wire = pod_alloc(BOUND);
  size_t wire_size = 0;
  for (size_t i = 0; i < COUNT; i++) {
    wire_size += put_message(wire + wire_size, sizes[i], (uint8_t)(i + 1));
  }
  rpc_pool_t *pool = rpc_pool_create();
  for (uint64_t seed = 1; seed <= 60; seed++) {
    pod_random_t random = {seed};
    rpc_inbox_t inbox = {0};
    size_t next = 0;
    size_t held = 0;
    for (size_t at = 0; at < wire_size;) {
      const uint64_t longest = (uint64_t)1 << pod_random_below(&random, 22);
      size_t size = 1 + (size_t)pod_random_below(&random, longest);
      size = size < wire_size - at ? size : wire_size - at;
      size_t room = 0;
      uint8_t *target = rpc_inbox_target(&inbox, &room);
      const uint8_t *data = wire + at;
      if (target != NULL && (seed & 1) != 0) {  // As if read into place.
        size = size < room ? size : room;
        memcpy(target, data, size);
        data = target;
      }
      assert_null(rpc_inbox_add(&inbox, pool, BOUND, data, size));
      at += size;
      rpc_block_t *block = NULL;
      while ((block = rpc_inbox_pop(&inbox)) != NULL) {
        assert_true(next < COUNT);
        assert_int_equal(block->size_bytes, sizes[next]);
        for (size_t i = 0; i < block->size_bytes; i += 977) {
          assert_int_equal(block->data[i], next + 1);
        }
        held += block->held_bytes;
        next++;
        rpc_block_release(block);
      }
    }
    assert_int_equal(next, COUNT);
    assert_int_equal(held, wire_size);
    assert_false(rpc_inbox_is_inside_message(&inbox));
    rpc_inbox_clear(&inbox);
  }
  rpc_pool_destroy(pool);
  free(wire);
}

static void expect_refusal(const uint8_t prefix[5], pod_code_t code) {
  rpc_pool_t *pool = rpc_pool_create();
  rpc_inbox_t inbox = {0};
  const pod_status_t status = rpc_inbox_add(&inbox, pool, 1000, prefix, 5);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
  rpc_inbox_clear(&inbox);
  rpc_pool_destroy(pool);
}

static void test_oversize_compressed_and_senseless_prefixes_are_refused(void **state) {
  (void)state;
  expect_refusal((const uint8_t[]){0, 0, 0, 3, 0xe9}, POD_RESOURCE_EXHAUSTED);
  expect_refusal((const uint8_t[]){0, 0xff, 0xff, 0xff, 0xff}, POD_RESOURCE_EXHAUSTED);
  expect_refusal((const uint8_t[]){1, 0, 0, 0, 1}, POD_UNIMPLEMENTED);
  expect_refusal((const uint8_t[]){2, 0, 0, 0, 1}, POD_INTERNAL);
}

static void test_an_announced_size_costs_little_until_bytes_come(void **state) {
  (void)state;
  rpc_pool_t *pool = rpc_pool_create();
  rpc_inbox_t inbox = {0};
  const uint8_t prefix[] = {0, 0x7f, 0xff, 0xff, 0xff};
  assert_null(rpc_inbox_add(&inbox, pool, SIZE_MAX, prefix, sizeof(prefix)));
  assert_true(inbox.partial->capacity <= 2 * RPC_FIRST_BLOCK_BYTES);
  assert_true(rpc_inbox_is_inside_message(&inbox));
  rpc_inbox_clear(&inbox);
  rpc_pool_destroy(pool);
}

static void test_only_a_large_message_at_the_head_gives_its_window_back_early(
    void **state) {
  (void)state;
  rpc_pool_t *pool = rpc_pool_create();
  rpc_inbox_t inbox = {0};
  uint8_t wire[64];
  size_t size = put_message(wire, 10, 1);
  size += put_message(wire + size, 40, 2);
  assert_null(rpc_inbox_add(&inbox, pool, BOUND, wire, 12));
  assert_int_equal(rpc_inbox_take_early(&inbox, 20), 0);  // Small.
  assert_null(rpc_inbox_add(&inbox, pool, BOUND, wire + 12, 18));
  assert_int_equal(rpc_inbox_take_early(&inbox, 20), 0);  // Behind a whole one.
  rpc_block_t *first = rpc_inbox_pop(&inbox);
  assert_int_equal(first->held_bytes, 15);
  rpc_block_release(first);
  assert_int_equal(rpc_inbox_take_early(&inbox, 20), 15);
  assert_int_equal(rpc_inbox_take_early(&inbox, 20), 0);
  assert_null(rpc_inbox_add(&inbox, pool, BOUND, wire + 30, size - 30));
  rpc_block_t *second = rpc_inbox_pop(&inbox);
  assert_int_equal(second->held_bytes, 30);
  rpc_block_release(second);
  rpc_inbox_clear(&inbox);
  rpc_pool_destroy(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages_come_out_whole_however_the_bytes_are_cut),
      cmocka_unit_test(test_oversize_compressed_and_senseless_prefixes_are_refused),
      cmocka_unit_test(test_an_announced_size_costs_little_until_bytes_come),
      cmocka_unit_test(test_only_a_large_message_at_the_head_gives_its_window_back_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
