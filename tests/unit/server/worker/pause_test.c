// Real podium-worker processes whose executions are paused in their midst: others have
// the chip meanwhile, and what was paused comes to the same result, to the last bit.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/podium/v1/profile.pb-c.h"
#include "tests/unit/server/programs.h"
#include "tests/unit/server/worker/fake_coordinator.h"

enum { SESSION = 7, OTHER = 8, SIZE = 8, SIDE = 1536, CHIPS = 4, NS_PER_MS = 1000000 };

static void expect_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static void expect_code(pod_status_t status, pod_code_t code) {
  if (pod_status_code(status) != code) {
    fail_msg("%s: %s instead of %s", pod_code_name(pod_status_code(status)),
             status == NULL ? "" : pod_status_message(status), pod_code_name(code));
  }
  pod_status_free(status);
}

typedef struct {
  fake_t *fake;
  pid_t pids[FAKE_CHIPS_MAX];
} world_t;

static world_t world_of(const char *topology) {
  world_t world = {.fake = fake_create(topology)};
  fake_start_pod(world.fake, world.pids);
  return world;
}

static void world_end(world_t *world) {
  fake_stop_pod(world->fake, world->pids);
  fake_destroy(world->fake);
}

// --- Programs ---

static chip_program_t *make_double(void) {
  program_builder_t *b = program_begin("double", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, x, x, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

// As it is, and `side` * 4 bytes of temporaries that it fills.
static chip_program_t *make_large(int side) {
  program_builder_t *b = program_begin("large", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
  const int32_t zero = program_scalar_f32(b, 0);
  const int32_t room = program_temp(b, shape_of(TENSOR_F32, 1, side));
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_BROADCAST_IN_DIM, zero, CHIP_NONE, room, CHIP_NONE);
  program_attr_list(b, CHIP_ATTR_DIMENSIONS, 0, NULL);
  program_op(b, CHIP_OP_COPY, x, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

// Turns `rounds` times (-1: for ever). On four chips y is the sum of all x, each time
// anew; on one it is x.
static chip_program_t *make_loop(int64_t chips, int32_t rounds) {
  program_builder_t *b = program_begin("loop", chips, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE * (int)chips);
  const int32_t x = program_argument(b, vector, "x");
  const int32_t y = program_result(b, vector, "x");
  const int32_t zero = program_scalar_s32(b, 0);
  const int32_t one = program_scalar_s32(b, 1);
  const int32_t limit = program_scalar_s32(b, rounds);
  const int32_t counter = program_temp(b, shape_of(TENSOR_S32, 0));
  const int32_t go_on = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t condition =
      program_computation(b, "cond", counter, CHIP_NONE, go_on, CHIP_NONE);
  program_op(b, CHIP_OP_COMPARE, counter, limit, CHIP_NONE, go_on, CHIP_NONE);
  program_attr(b, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_NE);
  const int32_t body =
      program_computation(b, "body", counter, CHIP_NONE, counter, CHIP_NONE);
  if (chips > 1) {
    program_op(b, CHIP_OP_ALL_REDUCE, x, CHIP_NONE, y, CHIP_NONE);
    program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
    program_attr_list(b, CHIP_ATTR_REPLICA_GROUPS, CHIPS, (int64_t[]){0, 1, 2, 3});
    program_attr(b, CHIP_ATTR_GROUP_SIZE, CHIPS);
  } else {
    program_op(b, CHIP_OP_COPY, x, CHIP_NONE, y, CHIP_NONE);
  }
  program_op(b, CHIP_OP_ADD, counter, one, CHIP_NONE, counter, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, zero, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, counter, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  return program_end(b);
}

// x * x, a product of matrices.
static chip_program_t *make_square(void) {
  program_builder_t *b = program_begin("square", 1, 0);
  const tensor_shape_t matrix = shape_of(TENSOR_F64, 2, SIDE, SIDE);
  const int32_t x = program_argument(b, matrix, "..");
  const int32_t y = program_result(b, matrix, "..");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_DOT_GENERAL, x, x, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, 1);
  program_attr(b, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, 0);
  return program_end(b);
}

// --- Executions ---

static const float values[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};

static void put_values(fake_t *fake, int32_t chip, uint64_t session, uint64_t array) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, SIZE);
  expect_ok(fake_put(fake, chip, session, array, &shape, values, sizeof(values)));
}

static void expect_floats(fake_t *fake, int32_t chip, uint64_t array, float factor) {
  fake_call_t call;
  expect_ok(fake_fetch(fake, chip, array, &call));
  assert_int_equal(call.data.length, sizeof(values));
  for (int i = 0; i < SIZE; i++) {
    float found;
    memcpy(&found, call.data.bytes + (size_t)i * sizeof(found), sizeof(found));
    assert_float_equal(found, factor * values[i], 0);
  }
  fake_call_deinit(&call);
}

// What a test waits for: that a call has paused so often, or has ended.
typedef struct {
  const fake_call_t *call;
  int pauses, lacks;
} heard_t;

static bool has_heard(void *context) {
  const heard_t *heard = context;
  return heard->call->is_done ||
         (heard->call->pauses >= heard->pauses && heard->call->lacks >= heard->lacks);
}

static void wait_paused(fake_t *fake, const fake_call_t *call, int pauses) {
  heard_t heard = {.call = call, .pauses = pauses};
  fake_wait(fake, has_heard, &heard);
}

static bool is_past(void *context) {
  return pod_clock_now_ns() >= *(const int64_t *)context;
}

static void let_pass(fake_t *fake, int64_t ms) {
  int64_t until_ns = pod_clock_now_ns() + ms * NS_PER_MS;
  fake_wait(fake, is_past, &until_ns);
}

// Something else that the chip can do now: program 9 of another session.
static void run_other(fake_t *fake, int32_t chip, uint64_t id) {
  fake_call_t call;
  fake_execute(fake, chip, OTHER, 9, id, 900, id, &call);
  expect_ok(fake_call_finish(fake, &call));
  fake_call_deinit(&call);
  expect_floats(fake, chip, id, 2);
}

static void load_other(fake_t *fake, int32_t chip) {
  put_values(fake, chip, OTHER, 900);
  expect_ok(fake_load(fake, chip, OTHER, 9, make_double()));
}

// Runs execution `id`, paused again and again, with something else in each pause. Returns
// how often.
static int run_paused(fake_t *fake, uint64_t program, uint64_t id, uint64_t result,
                      fake_call_t *call) {
  int pauses = 0;
  fake_execute(fake, 0, SESSION, program, id, 1, result, call);
  for (uint64_t other = 10000 * id; !call->is_done; other++) {
    let_pass(fake, 15);
    fake_pause(call, id);
    wait_paused(fake, call, pauses + 1);
    if (!call->is_done) {
      pauses++;
      run_other(fake, 0, other);
      assert_false(call->is_done);
      fake_resume(call, id);
    }
  }
  return pauses;
}

static void expect_same(fake_t *fake, uint64_t a, uint64_t b) {
  fake_call_t first, second;
  expect_ok(fake_fetch(fake, 0, a, &first));
  expect_ok(fake_fetch(fake, 0, b, &second));
  assert_int_equal(first.data.length, second.data.length);
  assert_memory_equal(first.data.bytes, second.data.bytes, first.data.length);
  fake_call_deinit(&first);
  fake_call_deinit(&second);
}

// All that the predicted times come from.
static void expect_same_trace(const fake_call_t *a, const fake_call_t *b) {
  assert_int_equal(a->trace.length, b->trace.length);
  assert_true(a->trace.length > 0);
  assert_memory_equal(a->trace.bytes, b->trace.bytes, a->trace.length);
}

// --- The tests ---

static void test_a_product_paused_in_its_midst_has_the_same_bits(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  double *matrix = malloc((size_t)SIDE * SIDE * sizeof(*matrix));
  for (int i = 0; i < SIDE * SIDE; i++) {
    matrix[i] = 1.0 / (1 + i % 977);
  }
  const tensor_shape_t shape = shape_of(TENSOR_F64, 2, SIDE, SIDE);
  expect_ok(fake_put(fake, 0, SESSION, 1, &shape, matrix,
                     (size_t)SIDE * SIDE * sizeof(*matrix)));
  free(matrix);
  load_other(fake, 0);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_square()));
  fake_call_t whole, paused;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &whole);
  expect_ok(fake_call_finish(fake, &whole));
  const int pauses = run_paused(fake, 1, 2, 3, &paused);
  expect_ok(fake_call_finish(fake, &paused));
  print_message("a product of %.0f ms was paused %d times\n",
                (double)whole.executed->profile->host_ns / NS_PER_MS, pauses);
  assert_true(pauses > 0);
  expect_same(fake, 2, 3);
  fake_call_deinit(&whole);
  fake_call_deinit(&paused);
  world_end(&world);
}

static void test_a_loop_paused_in_its_midst_has_the_same_trace(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  put_values(fake, 0, SESSION, 1);
  load_other(fake, 0);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, 1000000)));
  fake_call_t whole, paused;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &whole);
  expect_ok(fake_call_finish(fake, &whole));
  assert_true(run_paused(fake, 1, 2, 3, &paused) > 0);
  expect_ok(fake_call_finish(fake, &paused));
  expect_floats(fake, 0, 3, 1);
  expect_same_trace(&whole, &paused);
  fake_call_deinit(&whole);
  fake_call_deinit(&paused);
  world_end(&world);
}

static void test_measured_time_stands_still_in_a_pause(void **state) {
  (void)state;
  enum { PAUSE_MS = 1500 };
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  put_values(fake, 0, SESSION, 1);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, 300000)));
  fake_call_t call;
  const int64_t start_ns = pod_clock_now_ns();
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  let_pass(fake, 5);
  fake_pause(&call, 1);
  wait_paused(fake, &call, 1);
  assert_false(call.is_done);
  let_pass(fake, PAUSE_MS);
  fake_resume(&call, 1);
  expect_ok(fake_call_finish(fake, &call));
  const int64_t took_ns = pod_clock_now_ns() - start_ns;
  assert_true(call.executed->profile->host_ns <= took_ns - (int64_t)PAUSE_MS * NS_PER_MS);
  fake_call_deinit(&call);
  world_end(&world);
}

// Two loops of all_reduces over the same chips, of which always one is paused.
static void test_collectives_of_two_executions_take_turns(void **state) {
  (void)state;
  enum { ROUNDS = 1500 };
  world_t world = world_of("2x2");
  fake_t *fake = world.fake;
  fake_call_t calls[2][CHIPS];
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    put_values(fake, chip, SESSION, 1);
    put_values(fake, chip, OTHER, 2);
    expect_ok(fake_load(fake, chip, SESSION, 1, make_loop(CHIPS, ROUNDS)));
    expect_ok(fake_load(fake, chip, OTHER, 2, make_loop(CHIPS, ROUNDS)));
  }
  for (int e = 0; e < 2; e++) {
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      const uint64_t id = (uint64_t)e + 1;
      fake_execute(fake, chip, e == 0 ? SESSION : OTHER, id, id, id, 10 + id,
                   &calls[e][chip]);
    }
  }
  int turns = 0, pauses[2][CHIPS] = {{0}, {0}};
  for (bool is_any = true; is_any; turns++) {
    is_any = false;
    const int e = turns % 2;
    let_pass(fake, 3);
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      fake_pause(&calls[e][chip], (uint64_t)e + 1);
    }
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      wait_paused(fake, &calls[e][chip], ++pauses[e][chip]);
      pauses[e][chip] = calls[e][chip].pauses;
      is_any |= !calls[e][chip].is_done || !calls[1 - e][chip].is_done;
    }
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      fake_resume(&calls[e][chip], (uint64_t)e + 1);
    }
  }
  print_message("they took turns %d times\n", turns);
  for (int e = 0; e < 2; e++) {
    for (int32_t chip = 0; chip < CHIPS; chip++) {
      expect_ok(fake_call_finish(fake, &calls[e][chip]));
      fake_call_deinit(&calls[e][chip]);
      expect_floats(fake, chip, 11 + (uint64_t)e, CHIPS);
    }
  }
  world_end(&world);
}

static int64_t used_bytes(fake_t *fake) {
  const Podium__V1__GetStatusRequest request = PODIUM__V1__GET_STATUS_REQUEST__INIT;
  fake_call_t call;
  expect_ok(fake_unary(fake, 0, FAKE_PATH("GetStatus"), &request.base,
                       &podium__v1__worker_status__descriptor, &call));
  const int64_t bytes = call.worker_status->hbm_used_bytes;
  fake_call_deinit(&call);
  return bytes;
}

static void wait_until_it_uses(fake_t *fake, int64_t bytes) {
  const int64_t until_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  while (used_bytes(fake) != bytes) {
    assert_true(pod_clock_now_ns() < until_ns);
  }
}

// Endless ones, one paused and one at work.
static void start_two_endless(fake_t *fake, fake_call_t *paused, fake_call_t *runs) {
  put_values(fake, 0, SESSION, 1);
  put_values(fake, 0, OTHER, 2);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, -1)));
  expect_ok(fake_load(fake, 0, OTHER, 2, make_loop(1, -1)));
  fake_execute(fake, 0, SESSION, 1, 1, 1, 11, paused);
  let_pass(fake, 20);
  fake_pause(paused, 1);
  wait_paused(fake, paused, 1);
  fake_execute(fake, 0, OTHER, 2, 2, 2, 12, runs);
  let_pass(fake, 20);
}

static void test_a_paused_one_that_is_cancelled_ends_beside_what_runs(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  fake_call_t paused, runs;
  start_two_endless(fake, &paused, &runs);
  const int64_t with_both = used_bytes(fake);
  rpc_call_cancel(paused.call);
  expect_code(fake_call_finish(fake, &paused), POD_CANCELLED);
  fake_call_deinit(&paused);
  const int64_t until_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  while (used_bytes(fake) >= with_both) {
    assert_true(pod_clock_now_ns() < until_ns);
  }
  assert_false(runs.is_done);
  rpc_call_cancel(runs.call);
  expect_code(fake_call_finish(fake, &runs), POD_CANCELLED);
  fake_call_deinit(&runs);
  world_end(&world);
}

static void test_paused_ones_end_with_their_session(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  fake_call_t paused, runs, behind;
  start_two_endless(fake, &paused, &runs);
  // One that has not begun, and is paused before it does.
  fake_execute(fake, 0, SESSION, 1, 3, 1, 13, &behind);
  fake_pause(&behind, 3);
  wait_paused(fake, &behind, 1);
  const uint64_t sessions[] = {SESSION, OTHER};
  for (size_t i = 0; i < POD_COUNT_OF(sessions); i++) {
    Podium__V1__CloseSessionRequest close = PODIUM__V1__CLOSE_SESSION_REQUEST__INIT;
    close.session = sessions[i];
    fake_call_t call;
    expect_ok(fake_unary(fake, 0, FAKE_PATH("CloseSession"), &close.base,
                         &podium__v1__close_session_response__descriptor, &call));
    fake_call_deinit(&call);
  }
  expect_code(fake_call_finish(fake, &paused), POD_CANCELLED);
  expect_code(fake_call_finish(fake, &behind), POD_CANCELLED);
  expect_code(fake_call_finish(fake, &runs), POD_CANCELLED);
  fake_call_deinit(&paused);
  fake_call_deinit(&behind);
  fake_call_deinit(&runs);
  wait_until_it_uses(fake, 0);
  world_end(&world);
}

// What is freed while others are paused goes when its own executions have ended, whatever
// these wait for.
static void test_arrays_are_freed_beside_what_is_paused(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  load_other(fake, 0);
  put_values(fake, 0, SESSION, 1);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, -1)));
  fake_call_t paused;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 11, &paused);
  let_pass(fake, 20);
  fake_pause(&paused, 1);
  wait_paused(fake, &paused, 1);
  const int64_t before = used_bytes(fake);
  run_other(fake, 0, 100);
  uint64_t ids[] = {1, 100};
  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  request.arrays = ids;
  request.n_arrays = POD_COUNT_OF(ids);
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_FREE;
  message.free = &request;
  rpc_call_send(paused.call, &message.base);
  wait_until_it_uses(fake, before);
  expect_floats(fake, 0, 1, 1);
  rpc_call_cancel(paused.call);
  expect_code(fake_call_finish(fake, &paused), POD_CANCELLED);
  fake_call_deinit(&paused);
  const int64_t until_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  while (used_bytes(fake) > before - (int64_t)sizeof(values)) {
    assert_true(pod_clock_now_ns() < until_ns);
  }
  fake_call_t gone;
  expect_code(fake_fetch(fake, 0, 1, &gone), POD_NOT_FOUND);
  fake_call_deinit(&gone);
  world_end(&world);
}

static void free_array(const fake_call_t *call, uint64_t id) {
  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  request.arrays = &id;
  request.n_arrays = 1;
  Podium__V1__RunRequest message = PODIUM__V1__RUN_REQUEST__INIT;
  message.what_case = PODIUM__V1__RUN_REQUEST__WHAT_FREE;
  message.free = &request;
  rpc_call_send(call->call, &message.base);
}

// What 1 makes (11) is taken by 2, and freed behind 2 or behind 3, which comes after it.
// Then 2 is paused before its argument is there, and goes on when 3 has ended.
static void test_what_one_that_was_paused_will_take_is_not_freed(void **state) {
  (void)state;
  for (int behind = 2; behind <= 3; behind++) {
    world_t world = world_of("1x1");
    fake_t *fake = world.fake;
    put_values(fake, 0, SESSION, 1);
    load_other(fake, 0);
    expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, 2000000)));
    expect_ok(fake_load(fake, 0, SESSION, 2, make_double()));
    fake_call_t calls[3];
    fake_execute(fake, 0, SESSION, 1, 1, 1, 11, &calls[0]);
    fake_execute(fake, 0, SESSION, 2, 2, 11, 12, &calls[1]);
    if (behind == 3) {
      fake_execute(fake, 0, OTHER, 9, 3, 900, 13, &calls[2]);
    }
    free_array(&calls[behind - 1], 11);
    fake_pause(&calls[1], 2);
    wait_paused(fake, &calls[1], 1);
    assert_false(calls[0].is_done);
    expect_ok(fake_call_finish(fake, &calls[0]));
    if (behind == 3) {
      expect_ok(fake_call_finish(fake, &calls[2]));
      fake_call_deinit(&calls[2]);
    }
    fake_resume(&calls[1], 2);
    expect_ok(fake_call_finish(fake, &calls[1]));
    expect_floats(fake, 0, 12, 2);
    fake_call_t gone;
    expect_code(fake_fetch(fake, 0, 11, &gone), POD_NOT_FOUND);
    fake_call_deinit(&gone);
    fake_call_deinit(&calls[0]);
    fake_call_deinit(&calls[1]);
    world_end(&world);
  }
}

// One that the host has no memory for beside what is paused says so, is paused in turn,
// and runs once that has gone.
static void test_what_does_not_fit_beside_paused_ones_waits(void **state) {
  (void)state;
  enum { TEMPORARY_BYTES = 96 << 20 };
  setenv("PODIUM_HOST_MEMORY_BYTES", "167772160", 1);  // 160 MiB.
  char table[64];  // Other workers of this user are none of ours.
  snprintf(table, sizeof(table), "podium-test-memory-%ld", (long)getpid());
  setenv("PODIUM_HOST_MEMORY_TABLE", table, 1);
  world_t world = world_of("1x1");
  unsetenv("PODIUM_HOST_MEMORY_BYTES");
  unsetenv("PODIUM_HOST_MEMORY_TABLE");
  fake_t *fake = world.fake;
  put_values(fake, 0, SESSION, 1);
  put_values(fake, 0, OTHER, 2);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_loop(1, -1)));
  expect_ok(fake_load(fake, 0, SESSION, 3, make_large(TEMPORARY_BYTES / 4)));
  expect_ok(fake_load(fake, 0, OTHER, 2, make_large(TEMPORARY_BYTES / 4)));
  // The memory of this one stays with the place in which the endless one runs then.
  fake_call_t first, paused, lacking;
  fake_execute(fake, 0, SESSION, 3, 3, 1, 13, &first);
  expect_ok(fake_call_finish(fake, &first));
  fake_call_deinit(&first);
  fake_execute(fake, 0, SESSION, 1, 1, 1, 11, &paused);
  let_pass(fake, 20);
  fake_pause(&paused, 1);
  wait_paused(fake, &paused, 1);
  fake_execute(fake, 0, OTHER, 2, 2, 2, 12, &lacking);
  heard_t heard = {.call = &lacking, .lacks = 1};
  fake_wait(fake, has_heard, &heard);
  assert_false(lacking.is_done);
  assert_int_equal(lacking.lacks, 1);
  fake_pause(&lacking, 2);
  wait_paused(fake, &lacking, 1);
  assert_false(lacking.is_done);
  fake_resume(&paused, 1);
  let_pass(fake, 20);
  rpc_call_cancel(paused.call);
  expect_code(fake_call_finish(fake, &paused), POD_CANCELLED);
  fake_resume(&lacking, 2);
  expect_ok(fake_call_finish(fake, &lacking));
  expect_floats(fake, 0, 12, 1);
  fake_call_deinit(&paused);
  fake_call_deinit(&lacking);
  world_end(&world);
}

static bool is_leaving(void *context) {
  return ((const fake_worker_t *)context)->wants_to_leave;
}

static void test_sigterm_ends_a_worker_with_a_paused_execution(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  fake_call_t paused, runs;
  start_two_endless(fake, &paused, &runs);
  kill(world.pids[0], SIGTERM);
  fake_wait(fake, is_leaving, &fake->workers[0]);
  const int status = fake_reap(fake, world.pids[0]);
  assert_true(WIFEXITED(status));
  expect_code(fake_call_finish(fake, &paused), POD_UNAVAILABLE);
  expect_code(fake_call_finish(fake, &runs), POD_UNAVAILABLE);
  fake_call_deinit(&paused);
  fake_call_deinit(&runs);
  fake_destroy(fake);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_product_paused_in_its_midst_has_the_same_bits),
      cmocka_unit_test(test_a_loop_paused_in_its_midst_has_the_same_trace),
      cmocka_unit_test(test_measured_time_stands_still_in_a_pause),
      cmocka_unit_test(test_collectives_of_two_executions_take_turns),
      cmocka_unit_test(test_a_paused_one_that_is_cancelled_ends_beside_what_runs),
      cmocka_unit_test(test_paused_ones_end_with_their_session),
      cmocka_unit_test(test_arrays_are_freed_beside_what_is_paused),
      cmocka_unit_test(test_what_one_that_was_paused_will_take_is_not_freed),
      cmocka_unit_test(test_what_does_not_fit_beside_paused_ones_waits),
      cmocka_unit_test(test_sigterm_ends_a_worker_with_a_paused_execution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
