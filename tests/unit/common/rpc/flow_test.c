// Flow control: slow readers, large messages, bounds.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/random.h"
#include "world.h"

enum {
  MIB = 1 << 20,
  // What a stopped reader may let its sender queue: the window, the send queue, and a
  // message on either side of each bound.
  STOPPED_BYTES_MAX = RPC_WINDOW_BYTES + RPC_SEND_QUEUE_BYTES + 3 * MIB,
  BARRIER_ROUNDS = 20,
};

// Round trips on the same connection: whatever could still move has moved after them.
static void settle(world_t *world) {
  for (int i = 0; i < BARRIER_ROUNDS; i++) {
    caller_t caller;
    call_start(&caller, world, "/test/Unary", NULL);
    call_say(&caller, "x");
    call_finish(&caller);
    assert_int_equal(caller.code, POD_OK);
  }
}

static bool is_resumed_and_counted(const void *context) {
  return call_has_ended(context);
}

static void test_a_paused_handler_stops_the_sender_until_it_resumes(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  enum { COUNT = 100 };
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Pause", NULL);
  call_send_all(&caller, COUNT, MIB, true);
  settle(&world);
  const uint64_t sent = COUNT - caller.left;
  assert_in_range(sent * MIB, RPC_WINDOW_BYTES, STOPPED_BYTES_MAX);
  assert_false(rpc_call_is_writable(caller.call));
  settle(&world);
  assert_int_equal(COUNT - caller.left, sent);
  handler_t *handler = find_handler(&world, "/test/Pause");
  assert_int_equal(handler->message_count, 0);
  rpc_call_resume(handler->call);
  rpc_call_resume(handler->call);
  world_run_until(&world, is_resumed_and_counted, &caller);
  assert_int_equal(caller.code, POD_OK);
  assert_memory_equal(caller.last, "104857600", 9);
  assert_true(caller.writable_count > 0);
  world_stop(&world);
}

static bool has_message(const void *context) {
  return ((const caller_t *)context)->message_count > 0;
}

static void test_a_paused_client_stops_the_server_until_it_resumes(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Produce", NULL);
  caller.pause_at_message = true;
  call_say(&caller, "100 1048576");
  world_run_until(&world, has_message, &caller);
  settle(&world);
  const handler_t *handler = find_handler(&world, "/test/Produce");
  const size_t sent = handler->byte_count;
  assert_in_range(sent, RPC_WINDOW_BYTES, STOPPED_BYTES_MAX);
  settle(&world);
  assert_int_equal(handler->byte_count, sent);
  assert_int_equal(caller.message_count, 1);
  caller.pause_at_message = false;
  rpc_call_resume(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 100);
  assert_int_equal(caller.byte_count, 100 * (size_t)MIB);
  world_stop(&world);
}

static void test_many_stopped_calls_leave_the_connection_to_the_others(void **state) {
  (void)state;
  world_t world;
  enum { COUNT = 12 };
  caller_t callers[COUNT];
  world_start(&world, NULL, NULL, NULL);
  for (int i = 0; i < COUNT; i++) {
    call_start(&callers[i], &world, "/test/Pause", NULL);
    call_send_all(&callers[i], 10, MIB, true);
  }
  settle(&world);  // All twelve hold more than the connection's window together.
  for (handler_t *handler = world.handlers; handler != NULL; handler = handler->next) {
    if (handler->call != NULL) {
      rpc_call_resume(handler->call);
    }
  }
  for (int i = 0; i < COUNT; i++) {
    call_finish(&callers[i]);
    assert_int_equal(callers[i].code, POD_OK);
    assert_memory_equal(callers[i].last, "10485760", 8);
  }
  world_stop(&world);
}

static void test_a_stopped_call_still_meets_its_deadline_and_its_cancellation(
    void **state) {
  (void)state;
  world_t world;
  caller_t timed, cancelled;
  world_start(&world, NULL, NULL, NULL);
  const rpc_call_options_t options = {.timeout_ms = 100};
  call_start(&timed, &world, "/test/Pause", &options);
  call_start(&cancelled, &world, "/test/Pause", NULL);
  call_send_all(&timed, 100, MIB, true);
  call_send_all(&cancelled, 100, MIB, true);
  call_finish(&timed);
  assert_int_equal(timed.code, POD_DEADLINE_EXCEEDED);
  rpc_call_cancel(cancelled.call);
  call_finish(&cancelled);
  assert_int_equal(cancelled.code, POD_CANCELLED);
  settle(&world);
  world_stop(&world);
}

static void test_a_message_larger_than_the_window_arrives(void **state) {
  (void)state;
  world_t world;
  caller_t caller, paused;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  call_send_all(&caller, 2, 15 * (uint64_t)MIB, true);
  call_start(&paused, &world, "/test/Pause", NULL);
  call_send_all(&paused, 2, 15 * (uint64_t)MIB, true);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.byte_count, 30 * (size_t)MIB);
  settle(&world);
  rpc_call_resume(find_handler(&world, "/test/Pause")->call);
  call_finish(&paused);
  assert_int_equal(paused.code, POD_OK);
  assert_memory_equal(paused.last, "31457280", 8);
  world_stop(&world);
}

static void test_a_message_of_64_mib_passes_where_the_bound_allows_it(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  const size_t size = 64 * (size_t)MIB;
  world_start(&world, NULL, &(rpc_server_options_t){.message_bytes_max = size},
              &(rpc_channel_options_t){.message_bytes_max = size});
  call_start(&caller, &world, "/test/Unary", NULL);
  call_send_all(&caller, 1, size, true);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.byte_count, size);
  world_stop(&world);
}

static void test_a_message_over_the_bound_ends_its_call_only(void **state) {
  (void)state;
  world_t world;
  caller_t caller, neighbour;
  world_start(&world, NULL, &(rpc_server_options_t){.message_bytes_max = 1000}, NULL);
  call_start(&neighbour, &world, "/test/Echo", NULL);
  call_start(&caller, &world, "/test/Count", NULL);
  settle(&world);
  call_send_all(&caller, 1, 1001, true);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(caller.message, "1001"));
  assert_non_null(strstr(caller.message, "1000"));
  assert_int_equal(find_handler(&world, "/test/Count")->code, POD_RESOURCE_EXHAUSTED);
  call_send_all(&neighbour, 1, 1000, true);
  call_finish(&neighbour);
  assert_int_equal(neighbour.code, POD_OK);
  world_stop(&world);
}

static void test_a_method_may_have_a_bound_of_its_own(void **state) {
  (void)state;
  world_t world;
  caller_t longer, shorter, other;
  world_start(&world, NULL, NULL, NULL);
  call_start(&longer, &world, "/test/Short", NULL);
  call_send_all(&longer, 1, 101, true);
  call_finish(&longer);
  assert_int_equal(longer.code, POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(longer.message, "100 bytes"));
  call_start(&shorter, &world, "/test/Short", NULL);
  call_send_all(&shorter, 1, 100, true);
  call_finish(&shorter);
  assert_int_equal(shorter.code, POD_OK);
  call_start(&other, &world, "/test/Count", NULL);
  call_send_all(&other, 1, 101, true);
  call_finish(&other);
  assert_int_equal(other.code, POD_OK);
  world_stop(&world);
}

static void test_an_answer_over_the_clients_bound_ends_its_call_only(void **state) {
  (void)state;
  world_t world;
  caller_t caller, neighbour;
  world_start(&world, NULL, NULL, &(rpc_channel_options_t){.message_bytes_max = 1000});
  call_start(&neighbour, &world, "/test/Echo", NULL);
  call_start(&caller, &world, "/test/Produce", NULL);
  call_say(&caller, "1 1001");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_RESOURCE_EXHAUSTED);
  assert_int_equal(caller.message_count, 0);
  call_send_all(&neighbour, 1, 1000, true);
  call_finish(&neighbour);
  assert_int_equal(neighbour.code, POD_OK);
  world_stop(&world);
}

static void test_a_pause_holds_messages_and_the_end_until_the_resume(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  caller.pause_at_message = true;
  call_say(&caller, "one");
  call_say(&caller, "two");
  call_say(&caller, "three");
  rpc_call_half_close(caller.call);
  world_run_until(&world, has_message, &caller);
  settle(&world);  // The server has ended the call by now.
  assert_int_equal(caller.message_count, 1);
  assert_int_equal(caller.end_count, 0);
  rpc_call_resume(caller.call);
  settle(&world);
  assert_int_equal(caller.message_count, 2);
  caller.pause_at_message = false;
  rpc_call_resume(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.message_count, 3);
  assert_int_equal(caller.code, POD_OK);
  world_stop(&world);
}

static void test_small_and_large_messages_keep_their_order(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  size_t total = 0;
  uint8_t *bytes = calloc(1, 300000);
  // Sizes around the bounds between copied, referenced and directly read.
  static const size_t sizes[] = {0,     1,      5,      4091,  4096,  4097,
                                 8192,  16379,  16384,  16389, 65536, 70000,
                                 90000, 262139, 262144, 300000};
  for (size_t round = 0; round < 4; round++) {
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
      rpc_call_send_bytes(caller.call, bytes, sizes[(i * 7 + round) % 16]);
      total += sizes[(i * 7 + round) % 16];
    }
  }
  call_say(&caller, "last");
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 65);
  assert_int_equal(caller.byte_count, total + 4);
  assert_memory_equal(caller.last, "last", 4);
  free(bytes);
  world_stop(&world);
}

static bool one_has_ended(const void *callers) {
  for (int i = 0; i < 4; i++) {
    if (call_has_ended((const caller_t *)callers + i)) {
      return true;
    }
  }
  return false;
}

// Five bytes on the wire, dozens in memory: without an account of those four calls would
// hold four times as much as may wait, and a thousand could.
static void test_empty_messages_that_wait_are_counted(void **state) {
  (void)state;
  enum { CALLS = 4 };
  world_t world;
  caller_t callers[CALLS], last;
  world_start(&world, NULL, NULL, NULL);
  for (int i = 0; i < CALLS; i++) {
    call_start(&callers[i], &world, "/test/Pause", NULL);
    call_send_all(&callers[i], 2000000, 0, false);
  }
  world_run_until(&world, one_has_ended, callers);
  for (int i = 0; i < CALLS; i++) {
    if (callers[i].call == NULL) {
      assert_int_equal(callers[i].code, POD_RESOURCE_EXHAUSTED);
    } else {
      rpc_call_cancel(callers[i].call);
      call_finish(&callers[i]);
    }
  }
  call_start(&last, &world, "/test/Unary", NULL);
  call_say(&last, "still here");
  call_finish(&last);
  assert_int_equal(last.code, POD_OK);
  world_stop(&world);
}

// --- Contents ---

enum { PATTERN_MESSAGES = 200, PATTERN_BYTES_MAX = 700000 };

typedef struct {
  world_t *world;
  rpc_call_t *call;
  uint8_t *bytes;
  uint64_t sent, received;
  bool ended;
} pattern_t;

static size_t pattern_size(uint64_t number) {
  pod_random_t random = {number + 1};
  const uint64_t longest = (uint64_t)1 << (4 + pod_random_below(&random, 16));
  return (size_t)pod_random_below(
      &random, longest < PATTERN_BYTES_MAX ? longest : PATTERN_BYTES_MAX);
}

static uint8_t pattern_byte(uint64_t number, size_t index) {
  return (uint8_t)(number * 131 + index * 7 + (index >> 8) * 13 + (index >> 16));
}

static void send_patterns(rpc_call_t *call, void *context) {
  pattern_t *pattern = context;
  while (pattern->sent < PATTERN_MESSAGES && rpc_call_is_writable(call)) {
    const size_t size = pattern_size(pattern->sent);
    for (size_t i = 0; i < size; i++) {
      pattern->bytes[i] = pattern_byte(pattern->sent, i);
    }
    rpc_call_send_bytes(call, pattern->bytes, size);
    memset(pattern->bytes, 0xee, size);  // The message was lent for the call only.
    pattern->sent++;
  }
  if (pattern->sent == PATTERN_MESSAGES) {
    rpc_call_half_close(call);
  }
}

static void check_pattern(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  const rpc_bytes_t *bytes = message;
  pattern_t *pattern = context;
  assert_int_equal(bytes->size_bytes, pattern_size(pattern->received));
  for (size_t i = 0; i < bytes->size_bytes; i++) {
    if (bytes->data[i] != pattern_byte(pattern->received, i)) {
      fail_msg("byte %zu of message %d differs", i, (int)pattern->received);
    }
  }
  pattern->received++;
}

static void end_patterns(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  pattern_t *pattern = context;
  assert_null(status);
  pattern->ended = true;
  world_wake(pattern->world);
}

static bool patterns_have_ended(const void *context) {
  const pattern_t *patterns = context;
  return patterns[0].ended && patterns[1].ended && patterns[2].ended;
}

static void test_contents_survive_however_they_wait(void **state) {
  (void)state;
  world_t world;
  pattern_t patterns[3];
  world_start(&world, NULL, NULL, NULL);
  const rpc_call_events_t events = {
      .on_message = check_pattern, .on_writable = send_patterns, .on_end = end_patterns};
  for (int i = 0; i < 3; i++) {
    patterns[i] = (pattern_t){.world = &world, .bytes = malloc(PATTERN_BYTES_MAX)};
    patterns[i].call =
        rpc_call_start(world.channel, "/test/Echo", NULL, &events, &patterns[i], NULL);
    send_patterns(patterns[i].call, &patterns[i]);
  }
  world_run_until(&world, patterns_have_ended, patterns);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(patterns[i].received, PATTERN_MESSAGES);
    free(patterns[i].bytes);
  }
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_paused_handler_stops_the_sender_until_it_resumes),
      cmocka_unit_test(test_a_paused_client_stops_the_server_until_it_resumes),
      cmocka_unit_test(test_many_stopped_calls_leave_the_connection_to_the_others),
      cmocka_unit_test(test_a_stopped_call_still_meets_its_deadline_and_its_cancellation),
      cmocka_unit_test(test_a_message_larger_than_the_window_arrives),
      cmocka_unit_test(test_a_message_of_64_mib_passes_where_the_bound_allows_it),
      cmocka_unit_test(test_a_message_over_the_bound_ends_its_call_only),
      cmocka_unit_test(test_a_method_may_have_a_bound_of_its_own),
      cmocka_unit_test(test_an_answer_over_the_clients_bound_ends_its_call_only),
      cmocka_unit_test(test_a_pause_holds_messages_and_the_end_until_the_resume),
      cmocka_unit_test(test_empty_messages_that_wait_are_counted),
      cmocka_unit_test(test_small_and_large_messages_keep_their_order),
      cmocka_unit_test(test_contents_survive_however_they_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
