// The four kinds of call, statuses, metadata, deadlines and cancellation, over a real
// socket.

#include "common/rpc/rpc.h"

#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/rpc/address.h"
#include "proto/grpc/health/v1/health.pb-c.h"
#include "world.h"

static void test_a_unary_call_gets_its_answer(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_say(&caller, "hello");
  rpc_call_half_close(caller.call);
  assert_int_equal(caller.end_count, 0);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.header_count, 1);
  assert_int_equal(caller.message_count, 1);
  assert_int_equal(caller.last_bytes, 5);
  assert_memory_equal(caller.last, "hello", 5);
  world_stop(&world);
}

static void test_a_client_stream_arrives_whole_and_in_order(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Count", NULL);
  call_send_all(&caller, 1000, 777, true);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_memory_equal(caller.last, "777000", 6);
  assert_int_equal(find_handler(&world, "/test/Count")->message_count, 1000);
  world_stop(&world);
}

static void test_a_server_stream_arrives_whole(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Produce", NULL);
  call_say(&caller, "500 3000");
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 500);
  assert_int_equal(caller.byte_count, 1500000);
  assert_int_equal(caller.last[0], 1);  // The last one is number 1.
  world_stop(&world);
}

static bool has_two_messages(const void *context) {
  return ((const caller_t *)context)->message_count == 2;
}

static bool has_message(const void *context) {
  return ((const caller_t *)context)->message_count > 0;
}

static void test_a_bidirectional_call_talks_both_ways_in_turn(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Echo", NULL);
  call_say(&caller, "one");
  world_run_until(&world, has_message, &caller);
  call_say(&caller, "two");
  world_run_until(&world, has_two_messages, &caller);
  assert_memory_equal(caller.last, "two", 3);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 2);
  world_stop(&world);
}

enum { GUEST_MESSAGES = 300, GUEST_BYTES = 100000 };

typedef struct {
  caller_t caller;
  uint8_t bytes[GUEST_BYTES];
  atomic_bool has_sent;
} guest_t;

static void *send_as_guest(void *context) {
  guest_t *guest = context;
  rpc_loop_t *loop = guest->caller.world->loop;
  for (int i = 0; i < GUEST_MESSAGES;) {
    if (rpc_loop_enter(loop)) {
      if (rpc_call_is_writable(guest->caller.call)) {
        // Small ones, and those of which the socket soon takes no more.
        rpc_call_send_bytes(guest->caller.call, guest->bytes,
                            i % 2 == 0 ? 8 : GUEST_BYTES);
        i++;
      }
      rpc_loop_leave(loop);
    }
    usleep(20);
  }
  atomic_store(&guest->has_sent, true);
  world_wake(guest->caller.world);
  return NULL;
}

static bool has_guest_sent(const void *context) {
  return atomic_load(&((const guest_t *)context)->has_sent);
}

static void test_what_a_guest_sends_arrives_whole(void **state) {
  (void)state;
  world_t world;
  guest_t *guest = calloc(1, sizeof(*guest));
  world_start(&world, NULL, NULL, NULL);
  call_start(&guest->caller, &world, "/test/Count", NULL);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, send_as_guest, guest), 0);
  world_run_until(&world, has_guest_sent, guest);
  pthread_join(thread, NULL);
  rpc_call_half_close(guest->caller.call);
  call_finish(&guest->caller);
  assert_int_equal(guest->caller.code, POD_OK);
  assert_memory_equal(guest->caller.last, "15001200", 8);
  world_stop(&world);
  free(guest);
}

static void test_an_empty_message_is_a_message(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Unary", NULL);
  call_say(&caller, "");
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, 1);
  assert_int_equal(caller.last_bytes, 0);
  world_stop(&world);
}

typedef struct {
  world_t *world;
  int count;
  pod_code_t code;
  int serving;
} health_t;

static void note_health(const void *response, pod_status_t status, void *context) {
  const Grpc__Health__V1__HealthCheckResponse *health = response;
  health_t *record = context;
  record->count++;
  record->code = pod_status_code(status);
  record->serving = health != NULL ? (int)health->status : -1;
  assert_true((health == NULL) == (status != NULL));
  pod_status_free(status);
  world_wake(record->world);
}

static bool has_health(const void *context) {
  return ((const health_t *)context)->count > 0;
}

static health_t check_health(world_t *world, const char *service) {
  health_t record = {.world = world};
  Grpc__Health__V1__HealthCheckRequest request =
      GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  request.service = (char *)(uintptr_t)service;
  rpc_unary(world->channel, "/grpc.health.v1.Health/Check", &request.base,
            &grpc__health__v1__health_check_response__descriptor, NULL, note_health,
            &record);
  assert_int_equal(record.count, 0);
  world_run_until(world, has_health, &record);
  return record;
}

static void test_health_answers_for_the_server_and_each_service(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  assert_int_equal(check_health(&world, "").serving, 1);
  assert_int_equal(check_health(&world, "test").serving, 1);
  rpc_server_set_serving(world.server, "test", false);
  assert_int_equal(check_health(&world, "test").serving, 2);
  assert_int_equal(check_health(&world, "").serving, 1);
  assert_int_equal(check_health(&world, "nobody").code, POD_NOT_FOUND);
  world_stop(&world);
}

static void test_a_unary_call_with_other_than_one_answer_is_internal(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  const char *paths[] = {"/test/Produce", "/test/Count"};
  const char *texts[] = {"2 1", ""};
  for (int i = 0; i < 2; i++) {
    // The string lands in field 1, so the service sees two bytes and then the text.
    health_t record = {.world = &world};
    Grpc__Health__V1__HealthCheckRequest request =
        GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
    request.service = (char *)(uintptr_t)texts[i];
    rpc_unary(world.channel, paths[i], &request.base,
              &grpc__health__v1__health_check_response__descriptor, NULL, note_health,
              &record);
    world_run_until(&world, has_health, &record);
    assert_int_equal(record.code, POD_INTERNAL);
  }
  world_stop(&world);
}

static void test_every_code_and_any_text_travel_unchanged(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  static const char *const texts[] = {"plain", "100% \303\274ber\nzwei\tZeilen",
                                      " spaces ", ""};
  for (int code = 1; code < POD_CODE_COUNT; code++) {
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
      caller_t caller;
      char request[128];
      snprintf(request, sizeof(request), "%d %s", code, texts[i]);
      call_start(&caller, &world, "/test/Fail", NULL);
      call_say(&caller, request);
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
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Nothing", NULL);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNIMPLEMENTED);
  assert_non_null(strstr(caller.message, "/test/Nothing"));
  world_stop(&world);
}

static void test_on_start_can_refuse_and_no_event_follows(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Refuse", NULL);
  call_say(&caller, "please");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_PERMISSION_DENIED);
  assert_string_equal(caller.message, "not for you");
  assert_int_equal(world.handler_count, 0);
  world_stop(&world);
}

static void test_a_call_without_a_request_does_not_hang(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Unary", NULL);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_INTERNAL);
  world_stop(&world);
}

static bool all_handlers_ended(const void *context) {
  const world_t *world = context;
  for (const handler_t *handler = world->handlers; handler != NULL;
       handler = handler->next) {
    if (!handler->ended) {
      return false;
    }
  }
  return true;
}

static void test_a_second_request_is_refused_before_the_handler_hears(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  for (int messages = 0; messages < 4; messages++) {
    caller_t caller;
    call_start(&caller, &world, "/test/One", NULL);
    for (int i = 0; i < messages; i++) {
      call_say(&caller, "x");
    }
    rpc_call_half_close(caller.call);
    call_finish(&caller);
    const handler_t *handler = find_handler(&world, "/test/One");
    assert_int_equal(handler->message_count, messages == 1 ? 1 : 0);
    assert_int_equal(caller.code, messages == 0   ? POD_INTERNAL
                                  : messages == 1 ? POD_OK
                                                  : POD_UNIMPLEMENTED);
  }
  world_stop(&world);
}

static bool has_one_handler(const void *world) {
  return ((const world_t *)world)->handler_count == 1;
}

static void test_a_second_request_that_comes_late_is_refused_too(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/One", NULL);
  call_say(&caller, "x");
  world_run_until(&world, has_one_handler, &world);
  call_say(&caller, "y");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNIMPLEMENTED);
  assert_int_equal(find_handler(&world, "/test/One")->message_count, 0);
  world_stop(&world);
}

static void test_metadata_travels_both_ways_text_and_binary(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  const rpc_metadata_t metadata[] = {{"say", "two words", 9},
                                     {"say-bin", "\x00\xff\x01 raw", 7}};
  const rpc_call_options_t options = {.metadata = metadata, .metadata_count = 2};
  call_start(&caller, &world, "/test/Headers", &options);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_string_equal(caller.said, "two words");
  assert_memory_equal(caller.said_binary, "\x00\xff\x01 raw", 7);
  world_stop(&world);
}

static void test_metadata_that_http_cannot_carry_fails_the_call(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  const rpc_metadata_t bad[] = {{"Say", "x", 1},
                                {"say", "\n", 1},
                                {"grpc-status", "0", 1},
                                {"", "x", 1},
                                {":path", "x", 1}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    caller_t caller;
    const rpc_call_options_t options = {.metadata = &bad[i], .metadata_count = 1};
    call_start(&caller, &world, "/test/Headers", &options);
    rpc_call_half_close(caller.call);
    call_finish(&caller);
    assert_int_equal(caller.code, POD_INVALID_ARGUMENT);
  }
  world_stop(&world);
}

static void test_more_metadata_than_the_bound_fails_the_call(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  enum { SIZE = 20000 };
  char *value = malloc(SIZE);
  memset(value, 'x', SIZE);
  const rpc_metadata_t metadata[] = {{"say", value, SIZE}, {"say", value, SIZE}};
  rpc_call_options_t options = {.metadata = metadata, .metadata_count = 2};
  call_start(&caller, &world, "/test/Headers", &options);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_INVALID_ARGUMENT);
  options.metadata_count = 1;
  call_start(&caller, &world, "/test/Headers", &options);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  free(value);
  world_stop(&world);
}

static void test_calls_that_last_keep_a_bounded_amount_of_metadata(void **state) {
  (void)state;
  enum { SIZE = 7000, FIT = (512 << 10) / (SIZE + 64) };
  world_t world;
  caller_t callers[FIT], late, after;
  world_start(&world, NULL, NULL, NULL);
  char *value = malloc(SIZE);
  assert_non_null(value);
  memset(value, 'x', SIZE);
  const rpc_metadata_t metadata[] = {{"say", value, SIZE}};
  const rpc_call_options_t options = {.metadata = metadata, .metadata_count = 1};
  for (int i = 0; i < FIT; i++) {
    call_start(&callers[i], &world, "/test/Hang", &options);
  }
  call_start(&late, &world, "/test/Hang", &options);
  call_finish(&late);
  assert_int_equal(late.code, POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(late.message, "metadata of the calls of this connection"));
  for (int i = 0; i < FIT; i++) {
    assert_int_equal(callers[i].end_count, 0);
    rpc_call_cancel(callers[i].call);
    call_finish(&callers[i]);
    assert_int_equal(callers[i].code, POD_CANCELLED);
  }
  call_start(&after, &world, "/test/Headers", &options);
  rpc_call_half_close(after.call);
  call_finish(&after);
  assert_int_equal(after.code, POD_OK);
  free(value);
  world_stop(&world);
}

static void test_a_deadline_ends_the_call_at_both_ends(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  const rpc_call_options_t options = {.timeout_ms = 50};
  call_start(&caller, &world, "/test/Hang", &options);
  assert_in_range(rpc_call_remaining_ms(caller.call), 0, 50);
  call_say(&caller, "x");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_DEADLINE_EXCEEDED);
  world_run_until(&world, all_handlers_ended, &world);
  assert_int_equal(find_handler(&world, "/test/Hang")->code, POD_DEADLINE_EXCEEDED);
  world_stop(&world);
}

static bool has_handler(const void *context) {
  return ((const world_t *)context)->handler_count > 0;
}

static bool has_two_handlers(const void *context) {
  return ((const world_t *)context)->handler_count == 2;
}

static void test_the_server_knows_the_deadline(void **state) {
  (void)state;
  world_t world;
  caller_t with, without;
  world_start(&world, NULL, NULL, NULL);
  const rpc_call_options_t options = {.timeout_ms = 3600000};
  call_start(&with, &world, "/test/Hang", &options);
  call_start(&without, &world, "/test/Pause", NULL);
  assert_int_equal(rpc_call_remaining_ms(without.call), INT64_MAX);
  world_run_until(&world, has_two_handlers, &world);
  const int64_t left = rpc_call_remaining_ms(find_handler(&world, "/test/Hang")->call);
  assert_in_range(left, 3500000, 3600000);
  assert_int_equal(rpc_call_remaining_ms(find_handler(&world, "/test/Pause")->call),
                   INT64_MAX);
  rpc_call_cancel(with.call);
  rpc_call_cancel(without.call);
  call_finish(&with);
  call_finish(&without);
  world_stop(&world);
}

static void test_cancelling_reaches_the_handler(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Hang", NULL);
  call_say(&caller, "x");
  world_run_until(&world, has_handler, &world);
  rpc_call_cancel(caller.call);
  rpc_call_cancel(caller.call);
  assert_int_equal(caller.end_count, 0);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_CANCELLED);
  world_run_until(&world, all_handlers_ended, &world);
  assert_int_equal(world.handlers->code, POD_CANCELLED);
  world_stop(&world);
}

static void test_a_call_cancelled_at_once_is_cancelled(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Hang", NULL);
  rpc_call_cancel(caller.call);
  rpc_call_send_bytes(caller.call, "ignored", 7);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_CANCELLED);
  world_stop(&world);
}

static void test_a_cancelled_call_does_not_disturb_its_neighbours(void **state) {
  (void)state;
  world_t world;
  enum { COUNT = 20 };
  caller_t callers[COUNT];
  world_start(&world, NULL, NULL, NULL);
  for (int i = 0; i < COUNT; i++) {
    call_start(&callers[i], &world, "/test/Count", NULL);
    call_send_all(&callers[i], 20, 100000, true);
  }
  world_run_until(&world, has_handler, &world);
  for (int i = 0; i < COUNT; i += 2) {
    if (callers[i].call != NULL) {
      rpc_call_cancel(callers[i].call);
    }
  }
  for (int i = 0; i < COUNT; i++) {
    call_finish(&callers[i]);
    if (i % 2 == 1) {
      assert_int_equal(callers[i].code, POD_OK);
      assert_memory_equal(callers[i].last, "2000000", 7);
    }
  }
  world_run_until(&world, all_handlers_ended, &world);
  world_stop(&world);
}

static void test_a_server_that_answers_early_ends_the_call(void **state) {
  (void)state;
  world_t world;
  caller_t caller;
  world_start(&world, NULL, NULL, NULL);
  call_start(&caller, &world, "/test/Fail", NULL);
  call_say(&caller, "9 enough");
  call_send_all(&caller, 1000000, 100000, true);  // Far more than it will ever take.
  call_finish(&caller);
  assert_int_equal(caller.code, POD_FAILED_PRECONDITION);
  assert_string_equal(caller.message, "enough");
  world_stop(&world);
}

static void test_a_thousand_calls_run_at_once(void **state) {
  (void)state;
  world_t world;
  enum { COUNT = 1000 };
  caller_t *callers = calloc(COUNT, sizeof(*callers));
  world_start(&world, NULL, NULL, NULL);
  for (int i = 0; i < COUNT; i++) {
    char text[16];
    snprintf(text, sizeof(text), "call %d", i);
    call_start(&callers[i], &world, "/test/Echo", NULL);
    call_say(&callers[i], text);
  }
  for (int i = 0; i < COUNT; i++) {
    world_run_until(&world, has_message, &callers[i]);
  }
  assert_int_equal(world.handler_count, COUNT);  // All are open now.
  for (int i = 0; i < COUNT; i++) {
    rpc_call_half_close(callers[i].call);
  }
  for (int i = 0; i < COUNT; i++) {
    char text[16];
    const int length = snprintf(text, sizeof(text), "call %d", i);
    call_finish(&callers[i]);
    assert_int_equal(callers[i].code, POD_OK);
    assert_memory_equal(callers[i].last, text, (size_t)length);
  }
  world_stop(&world);
  free(callers);
}

static void test_calls_over_the_servers_bound_wait_their_turn(void **state) {
  (void)state;
  world_t world;
  enum { COUNT = 50 };
  caller_t callers[COUNT];
  world_start(&world, NULL, &(rpc_server_options_t){.concurrent_streams_max = 4}, NULL);
  for (int i = 0; i < COUNT; i++) {
    call_start(&callers[i], &world, "/test/Unary", NULL);
    call_say(&callers[i], "x");
    rpc_call_half_close(callers[i].call);
  }
  for (int i = 0; i < COUNT; i++) {
    call_finish(&callers[i]);
    assert_int_equal(callers[i].code, POD_OK);
  }
  world_stop(&world);
}

// What the server sees of who calls it.
static void expect_peer(world_t *world, bool is_by_shortcut) {
  caller_t caller;
  call_start(&caller, world, "/test/Echo", NULL);
  call_say(&caller, "hello");
  world_run_until(world, has_message, &caller);
  const char *peer = rpc_call_peer_address(find_handler(world, "/test/Echo")->call);
  // By TCP it has a port of its own.
  assert_int_equal(strcmp(peer, world->address) == 0, is_by_shortcut);
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
}

static void test_a_server_on_this_host_is_reached_by_its_shortcut(void **state) {
  (void)state;
  world_t world;
  world_start(&world, NULL, NULL, NULL);
  expect_peer(&world, true);
  world_stop(&world);
}

// A port that nobody listens on.
static rpc_address_t choose_address(void) {
  rpc_address_t address;
  int fd = -1;
  assert_null(rpc_address_resolve("127.0.0.1:0", &address));
  assert_null(rpc_address_listen(&address, &fd));
  assert_int_equal(
      getsockname(fd, (struct sockaddr *)&address.socket, &address.size_bytes), 0);
  close(fd);
  return address;
}

// A process of another user that has taken the name of a shortcut.
static pid_t squat(const rpc_address_t *shortcut) {
  enum { NOBODY = 65534 };
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    int fd = -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setuid(NOBODY) == 0 && rpc_address_listen(shortcut, &fd) == NULL) {
      (void)!write(ready[1], "", 1);
      pause();
    }
    _exit(1);
  }
  char byte;
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return child;
}

static void test_a_shortcut_of_another_user_is_not_taken(void **state) {
  (void)state;
  if (geteuid() != 0) {
    skip();
  }
  const rpc_address_t address = choose_address();
  rpc_address_t shortcut;
  assert_true(rpc_address_shortcut(&address, &shortcut));
  const pid_t other = squat(&shortcut);
  char *text = rpc_address_format(&address);
  world_t world;
  world_start(&world, text, NULL, NULL);
  expect_peer(&world, false);
  world_stop(&world);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  free(text);
}

// A network of our own, which has two ports for the kernel to choose from. Returns what
// setns brings back; -1 when we may not.
static int enter_small_network(int first_port) {
  const int before = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (unshare(CLONE_NEWNET) != 0) {
    close(before);
    return -1;
  }
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &loopback), 0);
  close(fd);
  const int range = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY);
  if (range < 0 || dprintf(range, "%d %d", first_port, first_port + 1) < 0) {
    setns(before, CLONE_NEWNET);
    close(before);
    return -1;
  }
  close(range);
  return before;
}

static void test_a_port_is_chosen_whose_shortcut_is_free(void **state) {
  (void)state;
  enum { FIRST_PORT = 40000 };
  const int network = enter_small_network(FIRST_PORT);
  if (network < 0) {
    skip();
  }
  for (int taken = 0; taken < 2; taken++) {
    char text[32];
    int fd = -1;
    rpc_address_t address, shortcut;
    snprintf(text, sizeof(text), "127.0.0.1:%d", FIRST_PORT + taken);
    assert_null(rpc_address_resolve(text, &address));
    assert_true(rpc_address_shortcut(&address, &shortcut));
    assert_null(rpc_address_listen(&shortcut, &fd));
    world_t world;
    world_start(&world, NULL, NULL, NULL);
    expect_peer(&world, true);
    assert_int_equal(atoi(strrchr(world.address, ':') + 1), FIRST_PORT + 1 - taken);
    world_stop(&world);
    close(fd);
  }
  assert_int_equal(setns(network, CLONE_NEWNET), 0);
  close(network);
}

static void test_calls_work_over_a_unix_socket_and_over_ipv6(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof(path), "unix:/tmp/podium-rpc-test-%d.sock", (int)getpid());
  const char *addresses[] = {path, "[::1]:0", "localhost:0"};
  for (int i = 0; i < 3; i++) {
    world_t world;
    caller_t caller;
    world_start(&world, addresses[i], NULL, NULL);
    call_start(&caller, &world, "/test/Echo", NULL);
    assert_string_equal(rpc_call_peer_address(caller.call), world.address);
    call_say(&caller, "hello");
    rpc_call_half_close(caller.call);
    call_finish(&caller);
    assert_int_equal(caller.code, POD_OK);
    world_stop(&world);
  }
  assert_int_not_equal(access(path + 5, F_OK), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_unary_call_gets_its_answer),
      cmocka_unit_test(test_a_client_stream_arrives_whole_and_in_order),
      cmocka_unit_test(test_a_server_stream_arrives_whole),
      cmocka_unit_test(test_a_bidirectional_call_talks_both_ways_in_turn),
      cmocka_unit_test(test_what_a_guest_sends_arrives_whole),
      cmocka_unit_test(test_an_empty_message_is_a_message),
      cmocka_unit_test(test_health_answers_for_the_server_and_each_service),
      cmocka_unit_test(test_a_unary_call_with_other_than_one_answer_is_internal),
      cmocka_unit_test(test_every_code_and_any_text_travel_unchanged),
      cmocka_unit_test(test_an_unknown_method_is_unimplemented),
      cmocka_unit_test(test_on_start_can_refuse_and_no_event_follows),
      cmocka_unit_test(test_a_call_without_a_request_does_not_hang),
      cmocka_unit_test(test_a_second_request_is_refused_before_the_handler_hears),
      cmocka_unit_test(test_a_second_request_that_comes_late_is_refused_too),
      cmocka_unit_test(test_metadata_travels_both_ways_text_and_binary),
      cmocka_unit_test(test_metadata_that_http_cannot_carry_fails_the_call),
      cmocka_unit_test(test_more_metadata_than_the_bound_fails_the_call),
      cmocka_unit_test(test_calls_that_last_keep_a_bounded_amount_of_metadata),
      cmocka_unit_test(test_a_deadline_ends_the_call_at_both_ends),
      cmocka_unit_test(test_the_server_knows_the_deadline),
      cmocka_unit_test(test_cancelling_reaches_the_handler),
      cmocka_unit_test(test_a_call_cancelled_at_once_is_cancelled),
      cmocka_unit_test(test_a_cancelled_call_does_not_disturb_its_neighbours),
      cmocka_unit_test(test_a_server_that_answers_early_ends_the_call),
      cmocka_unit_test(test_a_thousand_calls_run_at_once),
      cmocka_unit_test(test_calls_over_the_servers_bound_wait_their_turn),
      cmocka_unit_test(test_a_server_on_this_host_is_reached_by_its_shortcut),
      cmocka_unit_test(test_a_shortcut_of_another_user_is_not_taken),
      cmocka_unit_test(test_a_port_is_chosen_whose_shortcut_is_free),
      cmocka_unit_test(test_calls_work_over_a_unix_socket_and_over_ipv6),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
