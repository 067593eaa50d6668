// Our client against a stock gRPC server. Usage: our_client_test ADDRESS;
// stock_server_test.py starts the server and then this.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rpc/rpc.h"
#include "echo.pb-c.h"
#include "proto/grpc/health/v1/health.pb-c.h"

enum { MIB = 1 << 20, WATCHDOG_MS = 120000 };

static const char *server_address;

typedef struct world_t {
  rpc_loop_t *loop;
  rpc_channel_t *channel;
  rpc_timer_t *watchdog;
} world_t;

typedef struct caller_t {
  world_t *world;
  rpc_call_t *call;
  size_t message_count, byte_count;
  uint64_t last_count, last_begun;
  bool ended, paused_once;
  pod_code_t code;
  char message[256], said[64], said_binary[64];
  uint64_t left;  // To send, of `payload`.
  Interop__Payload payload;
} caller_t;

static void bark(void *context) {
  (void)context;
  fail_msg("nothing happened for %d ms", WATCHDOG_MS);
}

static void world_start(world_t *world) {
  assert_null(rpc_loop_create(&world->loop));
  const rpc_channel_options_t options = {.message_bytes_max = 80 * MIB};
  assert_null(rpc_channel_create(world->loop, server_address, &options, &world->channel));
  world->watchdog = rpc_timer_create(world->loop, bark, NULL);
  rpc_timer_start(world->watchdog, WATCHDOG_MS, 0);
}

static void world_stop(world_t *world) {
  rpc_channel_destroy(world->channel);
  rpc_timer_destroy(world->watchdog);
  rpc_loop_destroy(world->loop);
}

static void copy_metadata(const rpc_call_t *call, const char *key, bool trailing,
                          char out_text[64]) {
  const rpc_metadata_t *metadata = rpc_call_peer_metadata(call, key, trailing);
  if (metadata != NULL && metadata->size_bytes < 64) {
    memcpy(out_text, metadata->value, metadata->size_bytes);
    out_text[metadata->size_bytes] = '\0';
  }
}

static void on_message(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  const Interop__Payload *payload = message;
  caller_t *caller = context;
  caller->message_count++;
  caller->byte_count += payload->data.len;
  caller->last_count = payload->count;
  caller->last_begun = payload->begun;
  rpc_loop_stop(caller->world->loop);
}

static void on_writable(rpc_call_t *call, void *context) {
  caller_t *caller = context;
  while (caller->left > 0 && rpc_call_is_writable(call)) {
    rpc_call_send(call, &caller->payload.base);
    if (--caller->left == 0) {
      rpc_call_half_close(call);
    }
  }
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  caller_t *caller = context;
  caller->ended = true;
  caller->code = pod_status_code(status);
  snprintf(caller->message, sizeof(caller->message), "%s", pod_status_message(status));
  copy_metadata(call, "x-said", false, caller->said);
  copy_metadata(call, "x-said-bin", true, caller->said_binary);
  caller->call = NULL;
  pod_status_free(status);
  rpc_loop_stop(caller->world->loop);
}

static void call_start(caller_t *caller, world_t *world, const char *path,
                       const rpc_call_options_t *options) {
  static const rpc_call_events_t events = {
      .on_message = on_message, .on_writable = on_writable, .on_end = on_end};
  *caller = (caller_t){.world = world};
  interop__payload__init(&caller->payload);
  caller->call = rpc_call_start(world->channel, path, &interop__payload__descriptor,
                                &events, caller, options);
}

// Sends the payload `count` times and half-closes.
static void call_send(caller_t *caller, uint64_t count, void *data, size_t size_bytes) {
  caller->payload.data = (ProtobufCBinaryData){size_bytes, data};
  caller->left = count;
  on_writable(caller->call, caller);
}

static void call_finish(caller_t *caller) {
  while (!caller->ended) {
    rpc_loop_run(caller->world->loop);
  }
}

static void test_unary_calls_of_all_sizes(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  uint8_t *data = calloc(1, 64 * MIB);
  static const size_t sizes[] = {0, 1, 1000, 100000, 3 * MIB, 64 * MIB};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    caller_t caller;
    call_start(&caller, &world, "/interop.Echo/Unary", NULL);
    caller.payload.count = 7;
    call_send(&caller, 1, data, sizes[i]);
    call_finish(&caller);
    assert_int_equal(caller.code, POD_OK);
    assert_int_equal(caller.byte_count, sizes[i]);
    assert_int_equal(caller.last_count, 7);
  }
  free(data);
  world_stop(&world);
}

static void test_a_client_stream_of_64_mib(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world);
  uint8_t *data = calloc(1, MIB);
  call_start(&caller, &world, "/interop.Echo/Collect", NULL);
  call_send(&caller, 64, data, MIB);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.last_count, 64 * MIB);
  free(data);
  world_stop(&world);
}

static void test_a_server_stream_of_64_mib(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world);
  uint8_t *data = calloc(1, MIB);
  call_start(&caller, &world, "/interop.Echo/Produce", NULL);
  caller.payload.count = 64;
  call_send(&caller, 1, data, MIB);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 64);
  assert_int_equal(caller.byte_count, 64 * MIB);
  free(data);
  world_stop(&world);
}

static void test_a_bidirectional_call_in_turn_and_in_bulk(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world);
  call_start(&caller, &world, "/interop.Echo/Chat", NULL);
  for (uint64_t i = 1; i <= 50; i++) {
    caller.payload.count = i;
    rpc_call_send(caller.call, &caller.payload.base);
    while (caller.message_count < i && !caller.ended) {
      rpc_loop_run(world.loop);
    }
    assert_int_equal(caller.last_count, i);
  }
  uint8_t *data = calloc(1, MIB);
  call_send(&caller, 64, data, MIB);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.byte_count, 64 * MIB);
  free(data);
  world_stop(&world);
}

// Asks until the server has seen so many calls of Hang begin and end.
static void wait_for_hung(world_t *world, uint64_t begun, uint64_t ended) {
  caller_t caller;
  do {
    call_start(&caller, world, "/interop.Echo/Hung", NULL);
    call_send(&caller, 1, NULL, 0);
    call_finish(&caller);
    assert_int_equal(caller.code, POD_OK);
  } while (caller.last_begun < begun || caller.last_count < ended);
}

static void test_a_deadline_and_a_cancellation_reach_the_server(void **state) {
  (void)state;
  world_t world;
  caller_t timed, cancelled;
  world_start(&world);
  // Long enough for the call to begin also on a busy machine.
  const rpc_call_options_t options = {.timeout_ms = 2000};
  call_start(&timed, &world, "/interop.Echo/Hang", &options);
  call_send(&timed, 1, NULL, 0);
  wait_for_hung(&world, 1, 0);
  call_finish(&timed);
  assert_int_equal(timed.code, POD_DEADLINE_EXCEEDED);
  wait_for_hung(&world, 1, 1);
  call_start(&cancelled, &world, "/interop.Echo/Hang", NULL);
  call_send(&cancelled, 1, NULL, 0);
  wait_for_hung(&world, 2, 1);
  rpc_call_cancel(cancelled.call);
  call_finish(&cancelled);
  assert_int_equal(cancelled.code, POD_CANCELLED);
  wait_for_hung(&world, 2, 2);
  world_stop(&world);
}

static void test_metadata_text_and_binary(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world);
  const rpc_metadata_t metadata[] = {{"x-say", "two words", 9},
                                     {"x-say-bin", "\x00\xff\x01 raw", 7}};
  const rpc_call_options_t options = {.metadata = metadata, .metadata_count = 2};
  call_start(&caller, &world, "/interop.Echo/Unary", &options);
  call_send(&caller, 1, NULL, 0);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_string_equal(caller.said, "two words");
  assert_memory_equal(caller.said_binary, "\x00\xff\x01 raw", 7);
  world_stop(&world);
}

static void test_every_code_with_any_text(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  static char *const texts[] = {"plain",
                                "100% gr\xc3\xb6\xc3\x9f"
                                "er\nzweite Zeile"};
  for (int code = 1; code < POD_CODE_COUNT; code++) {
    for (size_t i = 0; i < 2; i++) {
      caller_t caller;
      call_start(&caller, &world, "/interop.Echo/Fail", NULL);
      caller.payload.code = code;
      caller.payload.text = texts[i];
      call_send(&caller, 1, NULL, 0);
      call_finish(&caller);
      assert_int_equal(caller.code, code);
      assert_string_equal(caller.message, texts[i]);
    }
  }
  world_stop(&world);
}

static void test_an_unknown_method_is_unimplemented(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world);
  call_start(&caller, &world, "/interop.Echo/Nothing", NULL);
  call_send(&caller, 1, NULL, 0);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNIMPLEMENTED);
  world_stop(&world);
}

static void test_three_hundred_calls_at_once(void **state) {
  (void)state;
  enum { COUNT = 300 };
  world_t world;
  static caller_t callers[COUNT];
  world_start(&world);
  for (int i = 0; i < COUNT; i++) {
    call_start(&callers[i], &world, "/interop.Echo/Unary", NULL);
    callers[i].payload.count = (uint64_t)i;
    call_send(&callers[i], 1, NULL, 0);
  }
  for (int i = 0; i < COUNT; i++) {
    call_finish(&callers[i]);
    assert_int_equal(callers[i].code, POD_OK);
    assert_int_equal(callers[i].last_count, i);
  }
  world_stop(&world);
}

typedef struct health_t {
  world_t *world;
  bool done;
  pod_code_t code;
  int serving;
} health_t;

static void on_health(const void *response, pod_status_t status, void *context) {
  health_t *health = context;
  health->done = true;
  health->code = pod_status_code(status);
  if (response != NULL) {
    health->serving =
        (int)((const Grpc__Health__V1__HealthCheckResponse *)response)->status;
  }
  pod_status_free(status);
  rpc_loop_stop(health->world->loop);
}

static void test_a_unary_call_in_one_go(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  health_t health = {.world = &world};
  Grpc__Health__V1__HealthCheckRequest request =
      GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  rpc_unary(world.channel, "/grpc.health.v1.Health/Check", &request.base,
            &grpc__health__v1__health_check_response__descriptor, NULL, on_health,
            &health);
  while (!health.done) {
    rpc_loop_run(world.loop);
  }
  assert_int_equal(health.code, POD_OK);
  assert_int_equal(health.serving, 1);
  world_stop(&world);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: our_client_test ADDRESS\n");
    return 2;
  }
  server_address = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unary_calls_of_all_sizes),
      cmocka_unit_test(test_a_client_stream_of_64_mib),
      cmocka_unit_test(test_a_server_stream_of_64_mib),
      cmocka_unit_test(test_a_bidirectional_call_in_turn_and_in_bulk),
      cmocka_unit_test(test_a_deadline_and_a_cancellation_reach_the_server),
      cmocka_unit_test(test_metadata_text_and_binary),
      cmocka_unit_test(test_every_code_with_any_text),
      cmocka_unit_test(test_an_unknown_method_is_unimplemented),
      cmocka_unit_test(test_three_hundred_calls_at_once),
      cmocka_unit_test(test_a_unary_call_in_one_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
