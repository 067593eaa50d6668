// Dispatch: the calls of a session that do not wait for each other.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/server/coordinator/world.h"

enum { ANSWERS_MAX = 256 };

// A Dispatch of the world's session, and what it has answered.
typedef struct stream_t {
  world_t *world;
  rpc_call_t *rpc;  // NULL after the end.
  uint64_t first_id;
  int answer_count;
  uint64_t executions[ANSWERS_MAX];
  int codes[ANSWERS_MAX];
  char message[512];  // Of the last that did not go well.
  pod_status_t status;
  bool is_over;
} stream_t;

static void on_answer(rpc_call_t *rpc, const void *data, void *context) {
  (void)rpc;
  stream_t *stream = context;
  const Podium__V1__DispatchResponse *answer = data;
  if (stream->answer_count < ANSWERS_MAX) {
    stream->executions[stream->answer_count] = answer->execution;
    stream->codes[stream->answer_count] = answer->code;
  }
  stream->answer_count++;
  if (answer->code != 0) {
    snprintf(stream->message, sizeof(stream->message), "%s", answer->message);
  }
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  stream_t *stream = context;
  stream->rpc = NULL;
  stream->status = status;
  stream->is_over = true;
}

static void send(stream_t *stream, Podium__V1__DispatchRequest *message) {
  message->session = stream->world->client->session;
  rpc_call_send(stream->rpc, &message->base);
}

static void open_stream(stream_t *stream, world_t *world) {
  const void *event = world->client->session_call->messages[0];
  *stream = (stream_t){.world = world,
                       .first_id = ((const Podium__V1__SessionEvent *)event)->first_id};
  const rpc_call_events_t events = {.on_message = on_answer, .on_end = on_end};
  stream->rpc =
      rpc_call_start(world->client->channel, "/podium.v1.Podium/Dispatch",
                     &podium__v1__dispatch_response__descriptor, &events, stream, NULL);
  Podium__V1__DispatchRequest first = PODIUM__V1__DISPATCH_REQUEST__INIT;
  send(stream, &first);
}

static bool is_over(void *context) {
  return ((const stream_t *)context)->is_over;
}

static void close_stream(stream_t *stream) {
  if (stream->rpc != NULL) {
    rpc_call_cancel(stream->rpc);
    client_run(stream->world->loop, is_over, stream);
  }
  pod_status_free(stream->status);
}

// Execution first_id + `execution` of one argument, with the result first_id + `result`.
static void send_execute(stream_t *stream, uint64_t executable, uint64_t execution,
                         uint64_t argument, uint64_t result) {
  Podium__V1__ExecuteRequest execute = PODIUM__V1__EXECUTE_REQUEST__INIT;
  uint64_t result_id = stream->first_id + result;
  execute.executable = executable;
  execute.execution_id = stream->first_id + execution;
  execute.n_arguments = 1;
  execute.arguments = &argument;
  execute.n_result_ids = 1;
  execute.result_ids = &result_id;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_EXECUTE;
  message.execute = &execute;
  send(stream, &message);
}

static void send_free(stream_t *stream, uint64_t array) {
  Podium__V1__FreeHandlesRequest freed = PODIUM__V1__FREE_HANDLES_REQUEST__INIT;
  freed.n_arrays = 1;
  freed.arrays = &array;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_FREE;
  message.free = &freed;
  send(stream, &message);
}

static void send_cancel(stream_t *stream, uint64_t execution) {
  Podium__V1__CancelExecution cancel = PODIUM__V1__CANCEL_EXECUTION__INIT;
  cancel.execution = stream->first_id + execution;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_CANCEL;
  message.cancel = &cancel;
  send(stream, &message);
}

typedef struct wanted_t {
  stream_t *stream;
  int count;
} wanted_t;

static bool has_answers(void *context) {
  const wanted_t *wanted = context;
  return wanted->stream->answer_count >= wanted->count || wanted->stream->is_over;
}

static void wait_answers(stream_t *stream, int count) {
  wanted_t wanted = {stream, count};
  client_run(stream->world->loop, has_answers, &wanted);
  assert_int_equal(stream->answer_count, count);
}

static void test_ids_that_are_not_the_sessions_or_in_use_are_refused(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  send_execute(&stream, executable, 0, array, 1);
  wait_answers(&stream, 1);
  assert_int_equal(stream.codes[0], POD_OK);
  world_assert_array(&world, stream.first_id + 1);
  send_execute(&stream, executable, 2, array, 1);
  wait_answers(&stream, 2);
  assert_int_equal(stream.codes[1], POD_ALREADY_EXISTS);
  world_assert_array(&world, stream.first_id + 1);  // It is still what it was.
  send_execute(&stream, executable, 3, array, (UINT64_C(1) << 40) + 5);
  wait_answers(&stream, 3);
  assert_int_equal(stream.codes[2], POD_INVALID_ARGUMENT);
  assert_non_null(strstr(stream.message, "may choose"));
  send_execute(&stream, executable, 4, array, array - stream.first_id);
  wait_answers(&stream, 4);
  assert_int_equal(stream.codes[3], POD_INVALID_ARGUMENT);
  send_execute(&stream, executable, UINT64_C(1) << 41, array, 7);
  wait_answers(&stream, 5);
  assert_int_equal(stream.codes[4], POD_INVALID_ARGUMENT);
  close_stream(&stream);
  world_stop(&world);
}

static void test_what_names_a_result_that_was_refused_hears_why(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  stream_t stream;
  open_stream(&stream, &world);
  send_execute(&stream, executable, 0, 999, 1);
  send_execute(&stream, executable, 2, stream.first_id + 1, 3);
  send_execute(&stream, 12345, 4, stream.first_id + 3, 5);
  wait_answers(&stream, 3);
  assert_int_equal(stream.codes[0], POD_NOT_FOUND);
  assert_int_equal(stream.codes[1], POD_NOT_FOUND);
  assert_non_null(strstr(stream.message, "no executable 12345"));
  pod_text_t data = {0};
  assert_refused(client_fetch(world.client, stream.first_id + 3, &data), POD_NOT_FOUND,
                 "no array 999");
  pod_text_deinit(&data);
  close_stream(&stream);
  world_stop(&world);
}

static void test_a_session_has_one_dispatch(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  stream_t first, second;
  open_stream(&first, &world);
  open_stream(&second, &world);
  client_run(world.loop, is_over, &second);
  assert_refused(second.status, POD_ALREADY_EXISTS, "one is the most");
  second.status = NULL;
  close_stream(&second);
  assert_false(first.is_over);
  close_stream(&first);
  world_stop(&world);
}

typedef struct executing_t {
  world_t *world;
  int count;
} executing_t;

static bool all_have(void *context) {
  const executing_t *wanted = context;
  for (int i = 0; i < CHIPS; i++) {
    if (wanted->world->workers[i]->executing_count != wanted->count) {
      return false;
    }
  }
  return true;
}

static void test_chips_are_given_executions_before_others_have_ended(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  send_execute(&stream, executable, 100, array, 101);  // The program is loaded.
  wait_answers(&stream, 1);
  world_set_modes(&world, FAKE_HANG);
  send_execute(&stream, executable, 0, array, 1);
  send_execute(&stream, executable, 2, stream.first_id + 1, 3);
  send_execute(&stream, executable, 4, array, 5);
  executing_t three = {&world, 3}, two = {&world, 2}, none = {&world, 0};
  client_run(world.loop, all_have, &three);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(world.workers[2]->executed[1 + i],
                     stream.first_id + 2 * (uint64_t)i);
  }
  send_cancel(&stream, 2);
  send_cancel(&stream, 77);  // There is none.
  client_run(world.loop, all_have, &two);
  assert_int_equal(stream.answer_count, 1);  // Its cause may be the one that it uses.
  send_cancel(&stream, 0);
  wait_answers(&stream, 3);
  assert_int_equal(stream.codes[1], POD_CANCELLED);
  assert_int_equal(stream.codes[2], POD_CANCELLED);
  send_cancel(&stream, 4);
  client_run(world.loop, all_have, &none);
  wait_answers(&stream, 4);
  close_stream(&stream);
  world_stop(&world);
}

// The second has failed, and waits for the first, which may be why. The first was paused
// for another client's: the second keeps no chip from it.
static void test_what_waits_for_its_cause_keeps_no_chips(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_t other = world;
  other.client = client_create(world.loop, coordinator_address(world.coordinator));
  client_open(other.client, false);
  const uint64_t others_executable = world_compile(&other, "f");
  const uint64_t others_array = world_put(&other, others_executable);
  stream_t stream;
  open_stream(&stream, &world);
  send_execute(&stream, executable, 100, array, 101);  // The program is loaded.
  wait_answers(&stream, 1);
  world_set_modes(&world, FAKE_HANG);
  send_execute(&stream, executable, 0, array, 1);
  send_execute(&stream, executable, 2, stream.first_id + 1, 3);
  executing_t two = {&world, 2}, one = {&world, 1};
  client_run(world.loop, all_have, &two);
  send_cancel(&stream, 2);
  client_run(world.loop, all_have, &one);
  client_call_t *call =
      client_start_execute(other.client, others_executable, others_array, 20000);
  wait_answers(&stream, 3);  // It went on after its pause.
  assert_int_equal(stream.executions[1], stream.first_id + 2);
  assert_int_equal(stream.codes[1], POD_CANCELLED);
  assert_int_equal(stream.executions[2], stream.first_id);
  assert_int_equal(stream.codes[2], POD_OK);
  assert_null(client_wait(call));
  client_free(call);
  client_destroy(other.client);
  close_stream(&stream);
  world_stop(&world);
}

// The second was paused with the first, which it comes after: the first does not wait for
// it.
static void test_what_lacks_room_does_not_wait_for_what_comes_after_it(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  send_execute(&stream, executable, 100, array, 101);  // The program is loaded.
  wait_answers(&stream, 1);
  world_set_modes(&world, FAKE_LACKING);
  send_execute(&stream, executable, 0, array, 1);
  send_execute(&stream, executable, 2, array, 3);
  wait_answers(&stream, 3);
  assert_int_equal(stream.codes[1], POD_OK);
  assert_int_equal(stream.codes[2], POD_OK);
  close_stream(&stream);
  world_stop(&world);
}

static bool all_lack(void *context) {
  const executing_t *wanted = context;
  for (int i = 0; i < CHIPS; i++) {
    if (wanted->world->workers[i]->lacking_count != wanted->count) {
      return false;
    }
  }
  return true;
}

// Each lacks room beside what runs, and one behind each was paused with it: neither waits
// for what can only begin after the other.
static void test_two_that_lack_room_do_not_wait_for_each_others_followers(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  world_t worlds[3] = {world, world, world};
  uint64_t executables[3], arrays[3];
  for (int i = 0; i < 3; i++) {
    worlds[i].client =
        i == 0 ? world.client
               : client_create(world.loop, coordinator_address(world.coordinator));
    if (i > 0) {
      client_open(worlds[i].client, false);
    }
    executables[i] = world_compile(&worlds[i], "f");
    arrays[i] = world_put(&worlds[i], executables[i]);
  }
  stream_t streams[3];
  for (int i = 0; i < 3; i++) {
    open_stream(&streams[i], &worlds[i]);
    send_execute(&streams[i], executables[i], 100, arrays[i], 101);
    wait_answers(&streams[i], 1);  // The program is loaded.
  }
  world_set_modes(&world, FAKE_HANG);
  send_execute(&streams[2], executables[2], 0, arrays[2], 1);
  executing_t hanging = {&world, 1};
  client_run(world.loop, all_have, &hanging);
  world_set_modes(&world, FAKE_LACKING);
  for (int i = 0; i < 2; i++) {
    send_execute(&streams[i], executables[i], 0, arrays[i], 1);
    send_execute(&streams[i], executables[i], 2, arrays[i], 3);
    executing_t lacking = {&world, 2 * (i + 1)};
    client_run(world.loop, all_lack, &lacking);
  }
  send_cancel(&streams[2], 0);
  for (int i = 0; i < 2; i++) {
    wait_answers(&streams[i], 3);
    assert_int_equal(streams[i].codes[1], POD_OK);
    assert_int_equal(streams[i].codes[2], POD_OK);
  }
  for (int i = 0; i < 3; i++) {
    close_stream(&streams[i]);
    if (i > 0) {
      client_destroy(worlds[i].client);
    }
  }
  world_stop(&world);
}

static bool has_freed(void *context) {
  const world_t *world = context;
  for (int i = 0; i < CHIPS; i++) {
    if (world->workers[i]->array_count > 1) {
      return false;
    }
  }
  return true;
}

static void test_what_is_freed_at_once_is_gone_after_its_last_use(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  enum { CALLS = 50 };
  uint64_t at = array;
  for (uint64_t i = 0; i < CALLS; i++) {
    send_execute(&stream, executable, 2 * i, at, 2 * i + 1);
    send_free(&stream, at);
    send_free(&stream, at);  // What is not there is left out.
    at = stream.first_id + 2 * i + 1;
  }
  wait_answers(&stream, CALLS);
  for (int i = 0; i < CALLS; i++) {
    assert_int_equal(stream.codes[i], POD_OK);
    assert_int_equal(stream.executions[i], stream.first_id + 2 * (uint64_t)i);
  }
  world_assert_array(&world, at);
  client_run(world.loop, has_freed, &world);
  close_stream(&stream);
  world_stop(&world);
}

static void test_what_is_freed_between_executions_needs_no_call_of_its_own(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  enum { CALLS = 5 };
  for (uint64_t i = 0; i < CALLS; i++) {
    send_execute(&stream, executable, 2 * i, array, 2 * i + 1);
    wait_answers(&stream, (int)i + 1);
    send_free(&stream, stream.first_id + 2 * i + 1);
  }
  client_run(world.loop, has_freed, &world);
  world_assert_array(&world, array);
  for (int i = 0; i < CHIPS; i++) {
    assert_int_equal(world.workers[i]->free_call_count, 0);
  }
  close_stream(&stream);
  world_stop(&world);
}

static void test_a_fetch_waits_for_the_dispatch_that_it_names_and_for_its_array(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  stream_t stream;
  open_stream(&stream, &world);
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = world.client->session;
  request.array = stream.first_id + 1;
  request.after = 2;
  request.by_chip = true;
  request.chip = 3;
  client_call_t *fetch =
      client_start(world.client, "/podium.v1.Podium/FetchArray",
                   &podium__v1__fetch_array_response__descriptor, &request.base, 0);
  rpc_call_half_close(fetch->rpc);
  request.after = 3;
  request.chip = 4;
  client_call_t *none =
      client_start(world.client, "/podium.v1.Podium/FetchArray",
                   &podium__v1__fetch_array_response__descriptor, &request.base, 0);
  rpc_call_half_close(none->rpc);
  podium__v1__pod__free_unpacked(client_pod(world.client), NULL);  // A round trip.
  assert_false(fetch->is_over);
  send_execute(&stream, executable, 0, array, 1);
  assert_null(client_wait(fetch));
  const Podium__V1__FetchArrayResponse *header = (const void *)fetch->messages[0];
  assert_int_equal(header->shape->dims[0], ROWS / 2);
  uint8_t expected[ARRAY_BYTES];
  world_fill(expected, sizeof(expected));
  assert_int_equal(fetch->data.length, SHARD_BYTES);
  assert_memory_equal(fetch->data.bytes, expected + (3 & 1) * SHARD_BYTES, SHARD_BYTES);
  client_free(fetch);
  // The other one hears, when the stream has gone, that nobody holds it up.
  assert_false(none->is_over);
  close_stream(&stream);
  client_wait(none);
  assert_refused(none->status, POD_INVALID_ARGUMENT, "no part on chip 4");
  none->status = NULL;
  client_free(none);
  world_stop(&world);
}

static void test_arguments_by_chip_are_looked_at_by_their_parts(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t a = world_put(&world, executable), b = world_put(&world, executable);
  Podium__V1__ExecuteRequest request = PODIUM__V1__EXECUTE_REQUEST__INIT;
  uint64_t arguments[CHIPS] = {a, b, b, a};
  request.session = world.client->session;
  request.executable = executable;
  request.arguments = arguments;
  request.arguments_by_chip = true;
  request.n_arguments = CHIPS - 1;
  Podium__V1__ExecuteResponse *response = NULL;
  assert_refused(client_unary(world.client, "/podium.v1.Podium/Execute", &request.base,
                              &podium__v1__execute_response__descriptor, 0, &response),
                 POD_INVALID_ARGUMENT, "on each of its chips");
  request.n_arguments = CHIPS;
  assert_null(client_unary(world.client, "/podium.v1.Podium/Execute", &request.base,
                           &podium__v1__execute_response__descriptor, 0, &response));
  world_assert_array(&world, response->results[0]);
  podium__v1__execute_response__free_unpacked(response, NULL);
  const uint64_t large = world_compile(&world, "large");
  request.executable = large;
  assert_refused(client_unary(world.client, "/podium.v1.Podium/Execute", &request.base,
                              &podium__v1__execute_response__descriptor, 0, &response),
                 POD_INVALID_ARGUMENT, "f32[16,4]");
  world_stop(&world);
}

typedef struct flood_t {
  stream_t *stream;
  int sent;
} flood_t;

// Sends as long as the connection takes it.
static bool is_stopped(void *context) {
  flood_t *flood = context;
  for (int i = 0; i < 1000 && rpc_call_is_writable(flood->stream->rpc); i++) {
    send_execute(flood->stream, 12345, 2 * (uint64_t)flood->sent, 1,
                 2 * (uint64_t)flood->sent + 1);
    flood->sent++;
  }
  return !rpc_call_is_writable(flood->stream->rpc);
}

static bool waits_long(void *context) {
  return --*(int *)context == 0;
}

// Each message is answered with an error; nobody reads that.
static void test_a_client_that_reads_no_answers_is_not_read_from(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  stream_t stream;
  open_stream(&stream, &world);
  rpc_call_pause(stream.rpc);
  flood_t flood = {&stream, 0};
  for (int round = 0; round < 3; round++) {
    client_run(world.loop, is_stopped, &flood);
    int turns = 200;
    client_run(world.loop, waits_long, &turns);
  }
  // Others are served.
  client_t *other = client_create(world.loop, coordinator_address(world.coordinator));
  client_open(other, true);
  client_destroy(other);
  assert_false(stream.is_over);
  assert_true(flood.sent > 10000);
  close_stream(&stream);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ids_that_are_not_the_sessions_or_in_use_are_refused),
      cmocka_unit_test(test_what_names_a_result_that_was_refused_hears_why),
      cmocka_unit_test(test_a_session_has_one_dispatch),
      cmocka_unit_test(test_chips_are_given_executions_before_others_have_ended),
      cmocka_unit_test(test_what_waits_for_its_cause_keeps_no_chips),
      cmocka_unit_test(test_what_lacks_room_does_not_wait_for_what_comes_after_it),
      cmocka_unit_test(test_two_that_lack_room_do_not_wait_for_each_others_followers),
      cmocka_unit_test(test_what_is_freed_at_once_is_gone_after_its_last_use),
      cmocka_unit_test(test_what_is_freed_between_executions_needs_no_call_of_its_own),
      cmocka_unit_test(
          test_a_fetch_waits_for_the_dispatch_that_it_names_and_for_its_array),
      cmocka_unit_test(test_arguments_by_chip_are_looked_at_by_their_parts),
      cmocka_unit_test(test_a_client_that_reads_no_answers_is_not_read_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
