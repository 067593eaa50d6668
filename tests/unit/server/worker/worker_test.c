// Real podium-worker processes, driven by a coordinator in the test's process.

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/grpc/health/v1/health.pb-c.h"
#include "tests/unit/server/programs.h"
#include "tests/unit/server/worker/fake_coordinator.h"

enum {
  SESSION = 7,
  SIZE = 8,
  WAIT_TEMP_BYTES = 128,  // The temporaries of make_wait.
  WAIT_CONSTANT_BYTES = 12,
  VALUES_HBM_BYTES = 512,  // Padded to a tile.
};

static void expect_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static void expect_error(pod_status_t status, pod_code_t code, const char *sentence) {
  if (pod_status_code(status) != code) {
    fail_msg("%s: %s instead of %s", pod_code_name(pod_status_code(status)),
             status == NULL ? "" : pod_status_message(status), pod_code_name(code));
  }
  if (strstr(pod_status_message(status), sentence) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), sentence);
  }
  pod_status_free(status);
}

// A pod and its processes.
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

// result = argument + argument, on each of `chips` for itself.
static chip_program_t *make_double(int64_t chips) {
  program_builder_t *b = program_begin("double", chips, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE * (int)chips);
  const int32_t x = program_argument(b, vector, "x");
  const int32_t y = program_result(b, vector, "x");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, x, x, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

static chip_program_t *make_sum_over_four(void) {
  program_builder_t *b = program_begin("sum", 4, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE * 4);
  const int32_t x = program_argument(b, vector, "x");
  const int32_t y = program_result(b, vector, "x");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ALL_REDUCE, x, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  program_attr_list(b, CHIP_ATTR_REPLICA_GROUPS, 4, (int64_t[]){0, 1, 2, 3});
  program_attr(b, CHIP_ATTR_GROUP_SIZE, 4);
  return program_end(b);
}

// Counts to `rounds`, or for ever when that is -1; the result is the argument.
static chip_program_t *make_wait(int32_t rounds) {
  program_builder_t *b = program_begin("wait", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
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
  program_op(b, CHIP_OP_ADD, counter, one, CHIP_NONE, counter, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, zero, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, counter, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  program_op(b, CHIP_OP_COPY, x, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

static const float values[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};

static pod_status_t put_values(fake_t *fake, int32_t chip, uint64_t array) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, SIZE);
  return fake_put(fake, chip, SESSION, array, &shape, values, sizeof(values));
}

static Podium__V1__WorkerStatus *status_of(fake_t *fake, int32_t chip,
                                           fake_call_t *call) {
  const Podium__V1__GetStatusRequest request = PODIUM__V1__GET_STATUS_REQUEST__INIT;
  expect_ok(fake_unary(fake, chip, FAKE_PATH("GetStatus"), &request.base,
                       &podium__v1__worker_status__descriptor, call));
  assert_non_null(call->worker_status);
  return call->worker_status;
}

static void expect_status(fake_t *fake, int32_t chip, int64_t used_bytes, int32_t arrays,
                          int32_t programs) {
  fake_call_t call;
  const Podium__V1__WorkerStatus *status = status_of(fake, chip, &call);
  assert_int_equal(status->hbm_used_bytes, used_bytes);
  assert_int_equal(status->array_count, arrays);
  assert_int_equal(status->program_count, programs);
  fake_call_deinit(&call);
}

// Asks until an execution has reserved what it needs.
static void wait_until_it_runs_in(fake_t *fake, int32_t chip, int64_t used_bytes) {
  const int64_t deadline_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  for (bool is_running = false; !is_running;) {
    fake_call_t call;
    is_running = status_of(fake, chip, &call)->hbm_used_bytes >= used_bytes;
    fake_call_deinit(&call);
    assert_true(pod_clock_now_ns() < deadline_ns);
  }
}

// The same for make_wait, which has temporaries.
static void wait_until_it_runs(fake_t *fake, int32_t chip) {
  wait_until_it_runs_in(fake, chip, WAIT_TEMP_BYTES);
}

// Whoever cancels hears of it before the chip has let go; a program leaves on the compute
// thread, after the answers to its last executions.
static void wait_until_it_uses(fake_t *fake, int32_t chip, int64_t used_bytes) {
  const int64_t deadline_ns = pod_clock_now_ns() + FAKE_WAIT_S * INT64_C(1000000000);
  for (bool is_so = false; !is_so;) {
    fake_call_t call;
    is_so = status_of(fake, chip, &call)->hbm_used_bytes == used_bytes;
    fake_call_deinit(&call);
    assert_true(pod_clock_now_ns() < deadline_ns);
  }
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

static void test_a_worker_puts_loads_executes_and_fetches(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_double(1)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  expect_ok(fake_call_finish(fake, &call));
  const Podium__V1__HostProfile *profile = call.executed->profile;
  assert_int_equal(profile->n_totals, 1);
  assert_int_equal(profile->n_events, 1);
  assert_true(profile->host_ns >= profile->totals[0]->host_ns);
  assert_int_equal(profile->hbm_peak_bytes, 2 * VALUES_HBM_BYTES);
  fake_call_deinit(&call);
  expect_floats(fake, 0, 2, 2);
  expect_status(fake, 0, 2 * VALUES_HBM_BYTES, 2, 1);

  const Podium__V1__WorkerStatus *status = status_of(fake, 0, &call);
  assert_string_equal(status->device,
                      "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)");
  assert_int_equal(status->pid, world.pids[0]);
  fake_call_deinit(&call);

  Podium__V1__FreeArraysRequest request = PODIUM__V1__FREE_ARRAYS_REQUEST__INIT;
  uint64_t ids[] = {1, 99};
  request.arrays = ids;
  request.n_arrays = 2;
  expect_ok(fake_unary(fake, 0, FAKE_PATH("FreeArrays"), &request.base,
                       &podium__v1__free_arrays_response__descriptor, &call));
  fake_call_deinit(&call);
  expect_status(fake, 0, VALUES_HBM_BYTES, 1, 1);

  Podium__V1__CloseSessionRequest close = PODIUM__V1__CLOSE_SESSION_REQUEST__INIT;
  close.session = SESSION;
  expect_ok(fake_unary(fake, 0, FAKE_PATH("CloseSession"), &close.base,
                       &podium__v1__close_session_response__descriptor, &call));
  fake_call_deinit(&call);
  expect_status(fake, 0, 0, 0, 0);
  world_end(&world);
}

static void test_shards_of_the_wrong_length_are_refused(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, SIZE);
  const tensor_shape_t shorter = shape_of(TENSOR_F32, 1, SIZE - 1);
  expect_error(fake_put(fake, 0, SESSION, 1, &shorter, values, sizeof(values)),
               POD_INVALID_ARGUMENT, "array 1 has 28 bytes, more came");
  expect_error(fake_put(fake, 0, SESSION, 1, &shape, values, 28), POD_DATA_LOSS,
               "array 1 has 32 bytes, 28 came");
  const tensor_shape_t huge = shape_of(TENSOR_F32, 3, 1 << 15, 1 << 15, 5);
  expect_error(fake_put(fake, 0, SESSION, 1, &huge, values, 28), POD_RESOURCE_EXHAUSTED,
               "array 1 (f32[32768,32768,5]) needs 20.0 GiB of HBM, chip 0 has 15.8 GiB "
               "of which 15.8 GiB are free");
  tensor_shape_t invalid = shape;
  invalid.dtype = (tensor_dtype_t)99;
  expect_error(fake_put(fake, 0, SESSION, 1, &invalid, values, 28), POD_INVALID_ARGUMENT,
               "element type 99 does not exist");
  expect_ok(put_values(fake, 0, 1));
  expect_error(put_values(fake, 0, 1), POD_ALREADY_EXISTS,
               "array 1 is on chip 0 already");

  fake_call_t call;
  fake_call_begin(fake, 0, FAKE_PATH("PutShard"),
                  &podium__v1__put_shard_response__descriptor, &call);
  rpc_call_half_close(call.call);
  expect_error(fake_call_finish(fake, &call), POD_INVALID_ARGUMENT, "without an array");
  fake_call_deinit(&call);
  expect_status(fake, 0, VALUES_HBM_BYTES, 1, 0);
  world_end(&world);
}

static void test_the_high_bits_of_small_integers_count_nothing(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  const tensor_shape_t shape = shape_of(TENSOR_S4, 1, 4);
  const uint8_t zeros_above[] = {0x01, 0x0e, 0x08, 0x07};
  const uint8_t extended[] = {0x01, 0xfe, 0xf8, 0x07};
  expect_ok(fake_put(world.fake, 0, SESSION, 1, &shape, zeros_above, 4));
  fake_call_t call;
  expect_ok(fake_fetch(world.fake, 0, 1, &call));
  assert_memory_equal(call.data.bytes, extended, 4);
  fake_call_deinit(&call);
  world_end(&world);
}

static void test_a_large_array_goes_there_and_back(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  enum { COUNT = 3 << 20 };
  uint32_t *numbers = malloc(COUNT * sizeof(*numbers));
  for (uint32_t i = 0; i < COUNT; i++) {
    numbers[i] = i * 2654435761u;
  }
  const tensor_shape_t shape = shape_of(TENSOR_U32, 1, COUNT);
  expect_ok(
      fake_put(world.fake, 0, SESSION, 1, &shape, numbers, COUNT * sizeof(*numbers)));
  fake_call_t call;
  expect_ok(fake_fetch(world.fake, 0, 1, &call));
  assert_int_equal(call.data.length, COUNT * sizeof(*numbers));
  assert_memory_equal(call.data.bytes, numbers, COUNT * sizeof(*numbers));
  fake_call_deinit(&call);
  free(numbers);
  world_end(&world);
}

static void test_programs_that_are_none_are_refused(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  const uint8_t garbage[] = "this is no program at all";
  expect_error(
      fake_load_bytes(fake, 0, SESSION, 1, sizeof(garbage), garbage, sizeof(garbage)),
      POD_INVALID_ARGUMENT, "do not decode");
  expect_error(fake_load_bytes(fake, 0, SESSION, 1, 100, garbage, sizeof(garbage)),
               POD_DATA_LOSS, "announced with 100 bytes, 26 came");
  expect_error(fake_load_bytes(fake, 0, SESSION, 1, 10, garbage, sizeof(garbage)),
               POD_INVALID_ARGUMENT, "more came");
  expect_error(fake_load_bytes(fake, 0, SESSION, 1, INT64_MAX, garbage, sizeof(garbage)),
               POD_INVALID_ARGUMENT, "are possible");
  expect_error(fake_load(fake, 0, SESSION, 1, make_double(4)), POD_FAILED_PRECONDITION,
               "its mesh has 4 devices");
  expect_ok(fake_load(fake, 0, SESSION, 1, make_double(1)));
  expect_error(fake_load(fake, 0, SESSION, 1, make_double(1)), POD_ALREADY_EXISTS,
               "program 1");
  world_end(&world);
}

static void test_a_worker_takes_programs_of_its_chip_only(void **state) {
  (void)state;
  world_t world = world_of("2x1");
  expect_ok(fake_load(world.fake, 0, SESSION, 1, make_double(1)));
  expect_error(fake_load(world.fake, 1, SESSION, 1, make_double(1)),
               POD_FAILED_PRECONDITION, "it does not run on chip 1");
  expect_error(fake_load(world.fake, 1, SESSION, 1, make_double(3)),
               POD_FAILED_PRECONDITION, "its mesh has 3 devices, up to 2, the pod has 2");
  world_end(&world);
}

static void test_executions_of_what_is_not_there_are_refused(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  expect_error(fake_call_finish(fake, &call), POD_NOT_FOUND,
               "program 1 is not on chip 0");
  fake_call_deinit(&call);
  expect_ok(fake_load(fake, 0, SESSION, 1, make_double(1)));
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  expect_error(fake_call_finish(fake, &call), POD_NOT_FOUND, "array 1 is not on chip 0");
  fake_call_deinit(&call);
  const tensor_shape_t shorter = shape_of(TENSOR_F32, 1, SIZE - 1);
  expect_ok(fake_put(fake, 0, SESSION, 1, &shorter, values, 28));
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  expect_error(fake_call_finish(fake, &call), POD_INVALID_ARGUMENT,
               "argument 0 of double must be f32[8] on each chip, array 1 is f32[7]");
  fake_call_deinit(&call);
  fake_call_t fetch;
  expect_error(fake_fetch(fake, 0, 2, &fetch), POD_NOT_FOUND, "array 2 is not on chip 0");
  fake_call_deinit(&fetch);
  world_end(&world);
}

static void test_results_that_do_not_fit_are_refused_before_anything_runs(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  pid_t pid = fake_spawn(fake, "--hbm-bytes=520", -1);
  fake_wait(fake, fake_is_ready, fake);
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_double(1)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  expect_error(
      fake_call_finish(fake, &call), POD_RESOURCE_EXHAUSTED,
      "an execution of double (temporaries and results) needs 512 B of HBM, chip 0 "
      "has 520 B of which 8 B are free");
  fake_call_deinit(&call);
  expect_status(fake, 0, VALUES_HBM_BYTES, 1, 1);
  fake_stop_pod(fake, &pid);
  fake_destroy(fake);
}

// --- Donation ---

// The result is the argument doubled, in its memory; after `rounds` rounds of nothing.
static chip_program_t *make_update(int32_t rounds) {
  program_builder_t *b = program_begin("update", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
  program_alias(b, 0, 0);
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
  program_op(b, CHIP_OP_ADD, counter, one, CHIP_NONE, counter, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, y, y, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, zero, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, counter, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  return program_end(b);
}

static void execute_keeping(fake_t *fake, uint64_t execution, uint64_t argument,
                            uint64_t result, int32_t kept, fake_call_t *call) {
  fake_call_begin(fake, 0, FAKE_PATH("Run"), &podium__v1__run_response__descriptor, call);
  Podium__V1__WorkerExecuteRequest request = PODIUM__V1__WORKER_EXECUTE_REQUEST__INIT;
  request.session = SESSION;
  request.program = 1;
  request.execution = execution;
  request.arguments = &argument;
  request.n_arguments = 1;
  request.results = &result;
  request.n_results = 1;
  request.kept = &kept;
  request.n_kept = 1;
  fake_run(call, &request);
}

static void expect_donated(fake_t *fake, uint64_t array) {
  fake_call_t call;
  expect_error(fake_fetch(fake, 0, array, &call), POD_FAILED_PRECONDITION,
               "was donated to an execution of 'update': Array has been deleted");
  fake_call_deinit(&call);
}

static void test_a_donated_argument_becomes_the_result(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  // Room for the array once, the temporaries and constants; not for it twice.
  pid_t pid = fake_spawn(fake, "--hbm-bytes=660", -1);
  fake_wait(fake, fake_is_ready, fake);
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_update(1)));
  float factor = 1;
  for (uint64_t i = 1; i < 4; i++) {
    fake_call_t call;
    fake_execute(fake, 0, SESSION, 1, i, i, i + 1, &call);
    expect_ok(fake_call_finish(fake, &call));
    fake_call_deinit(&call);
    factor *= 2;
    expect_floats(fake, 0, i + 1, factor);
    expect_donated(fake, i);
    expect_status(fake, 0, VALUES_HBM_BYTES + WAIT_CONSTANT_BYTES, 1, 1);
  }
  // Kept, it would have to be there twice: it does not start, and nothing is lost.
  fake_call_t call;
  execute_keeping(fake, 9, 4, 5, 0, &call);
  expect_error(fake_call_finish(fake, &call), POD_RESOURCE_EXHAUSTED,
               "an execution of update (temporaries and results) needs 640 B");
  fake_call_deinit(&call);
  expect_floats(fake, 0, 4, factor);
  fake_stop_pod(fake, &pid);
  fake_destroy(fake);
}

static void test_a_kept_argument_is_copied(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_update(1)));
  fake_call_t call;
  execute_keeping(fake, 1, 1, 2, 0, &call);
  expect_ok(fake_call_finish(fake, &call));
  fake_call_deinit(&call);
  expect_floats(fake, 0, 1, 1);
  expect_floats(fake, 0, 2, 2);
  execute_keeping(fake, 2, 1, 3, 1, &call);
  expect_error(fake_call_finish(fake, &call), POD_INVALID_ARGUMENT,
               "argument 1 of update is to be kept, which has 1");
  fake_call_deinit(&call);
  world_end(&world);
}

static void test_what_fails_midway_has_consumed_its_arguments(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_update(-1)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  wait_until_it_runs(fake, 0);
  rpc_call_cancel(call.call);
  expect_error(fake_call_finish(fake, &call), POD_CANCELLED, "");
  fake_call_deinit(&call);
  expect_donated(fake, 1);
  fake_execute(fake, 0, SESSION, 1, 2, 1, 3, &call);
  expect_error(fake_call_finish(fake, &call), POD_FAILED_PRECONDITION,
               "argument 0 of update: array 1 was donated");
  fake_call_deinit(&call);
  wait_until_it_uses(fake, 0, WAIT_CONSTANT_BYTES);
  expect_status(fake, 0, WAIT_CONSTANT_BYTES, 0, 1);
  world_end(&world);
}

static void test_a_cancelled_execution_stops_and_leaves_room_for_the_next(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_wait(-1)));
  expect_ok(fake_load(fake, 0, SESSION, 2, make_double(1)));
  fake_call_t endless;
  fake_call_t queued;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &endless);
  fake_execute(fake, 0, SESSION, 2, 2, 1, 3, &queued);
  wait_until_it_runs(fake, 0);
  rpc_call_cancel(endless.call);
  expect_error(fake_call_finish(fake, &endless), POD_CANCELLED, "");
  expect_ok(fake_call_finish(fake, &queued));
  fake_call_deinit(&endless);
  fake_call_deinit(&queued);
  expect_floats(fake, 0, 3, 2);
  expect_status(fake, 0, 2 * VALUES_HBM_BYTES + WAIT_CONSTANT_BYTES, 2, 2);
  world_end(&world);
}

// How often the compute thread of a worker has gone to sleep.
static long count_naps(pid_t worker) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task", (int)worker);
  DIR *threads = opendir(path);
  assert_non_null(threads);
  long naps = -1;
  for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    char status_path[128];
    char line[256];
    bool is_compute = false;
    snprintf(status_path, sizeof(status_path), "/proc/%d/task/%.20s/status", (int)worker,
             entry->d_name);
    FILE *status = fopen(status_path, "r");
    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
      is_compute |= strcmp(line, "Name:\tcompute\n") == 0;
      if (is_compute && strncmp(line, "voluntary_ctxt_switches:", 24) == 0) {
        naps = strtol(line + 24, NULL, 10);
      }
    }
    if (status != NULL) {
      fclose(status);
    }
  }
  closedir(threads);
  assert_true(naps >= 0);
  return naps;
}

// One after the other; returns how often the compute thread slept.
static long execute_many(const world_t *world, uint64_t program, uint64_t first_result,
                         int count) {
  const long before = count_naps(world->pids[0]);
  for (int i = 0; i < count; i++) {
    const uint64_t id = first_result + (uint64_t)i;
    fake_call_t call;
    fake_execute(world->fake, 0, SESSION, program, id, 1, id, &call);
    expect_ok(fake_call_finish(world->fake, &call));
    fake_call_deinit(&call);
  }
  return count_naps(world->pids[0]) - before;
}

// What another process interrupts is not brief, so that many are tried.
static void test_the_compute_thread_is_woken_for_what_may_take_time_only(void **state) {
  (void)state;
  enum { COUNT = 20, TRIES = 500 };
  world_t world = world_of("1x1");
  expect_ok(put_values(world.fake, 0, 1));
  expect_ok(fake_load(world.fake, 0, SESSION, 1, make_double(1)));
  expect_ok(fake_load(world.fake, 0, SESSION, 2, make_wait(1)));
  uint64_t next = 1000;
  long brief = COUNT;
  for (int i = 0; i < TRIES && brief > COUNT / 2; i++) {
    brief = execute_many(&world, 1, next, COUNT);
    next += COUNT;
  }
  assert_in_range(brief, 0, COUNT / 2);
  expect_floats(world.fake, 0, next - 1, 2);
  assert_in_range(execute_many(&world, 2, next, COUNT), COUNT / 2 + 1, LONG_MAX);
  expect_floats(world.fake, 0, next + COUNT - 1, 1);
  world_end(&world);
}

static void test_closing_a_session_ends_its_executions(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_wait(-1)));
  fake_call_t calls[3];
  for (uint64_t i = 0; i < 3; i++) {
    fake_execute(fake, 0, SESSION, 1, 1 + i, 1, 2 + i, &calls[i]);
  }
  wait_until_it_runs(fake, 0);
  Podium__V1__CloseSessionRequest close = PODIUM__V1__CLOSE_SESSION_REQUEST__INIT;
  close.session = SESSION;
  fake_call_t call;
  expect_ok(fake_unary(fake, 0, FAKE_PATH("CloseSession"), &close.base,
                       &podium__v1__close_session_response__descriptor, &call));
  fake_call_deinit(&call);
  for (int i = 0; i < 3; i++) {
    expect_error(fake_call_finish(fake, &calls[i]), POD_CANCELLED, "");
    fake_call_deinit(&calls[i]);
  }
  wait_until_it_uses(fake, 0, 0);
  expect_status(fake, 0, 0, 0, 0);
  world_end(&world);
}

// Puts values, loads the sum and runs it on all four.
static void sum_over_four(fake_t *fake, uint64_t execution) {
  fake_call_t calls[4];
  for (int32_t chip = 0; chip < 4; chip++) {
    fake_execute(fake, chip, SESSION, 1, execution, 1, 1 + execution, &calls[chip]);
  }
  for (int32_t chip = 0; chip < 4; chip++) {
    expect_ok(fake_call_finish(fake, &calls[chip]));
    assert_int_equal(calls[chip].executed->profile->chip, chip);
    fake_call_deinit(&calls[chip]);
    expect_floats(fake, chip, 1 + execution, 4);
  }
}

static void load_sum(fake_t *fake) {
  for (int32_t chip = 0; chip < 4; chip++) {
    expect_ok(put_values(fake, chip, 1));
    expect_ok(fake_load(fake, chip, SESSION, 1, make_sum_over_four()));
  }
}

static void test_four_workers_reduce_over_their_links(void **state) {
  (void)state;
  world_t world = world_of("2x2");
  load_sum(world.fake);
  for (uint64_t execution = 1; execution < 12; execution++) {
    sum_over_four(world.fake, execution);
  }
  world_end(&world);
}

static void test_a_killed_neighbour_fails_the_execution_and_a_new_one_heals_the_pod(
    void **state) {
  (void)state;
  world_t world = world_of("2x2");
  fake_t *fake = world.fake;
  load_sum(fake);
  fake_call_t calls[3];
  for (int32_t chip = 0; chip < 3; chip++) {  // Chip 3 does not come.
    fake_execute(fake, chip, SESSION, 1, 1, 1, 2, &calls[chip]);
  }
  kill(world.pids[3], SIGKILL);
  assert_true(WIFSIGNALED(fake_reap(fake, world.pids[3])));
  // Its neighbours notice by themselves; chip 0 is told by us, as a coordinator would.
  int failed = 0;
  for (int32_t chip = 1; chip < 3; chip++) {
    expect_error(fake_call_finish(fake, &calls[chip]), POD_UNAVAILABLE, "all_reduce.0");
    failed++;
  }
  assert_int_equal(failed, 2);
  if (!calls[0].is_done) {
    rpc_call_cancel(calls[0].call);
  }
  pod_status_free(fake_call_finish(fake, &calls[0]));
  for (int32_t chip = 0; chip < 3; chip++) {
    fake_call_deinit(&calls[chip]);
  }

  fake_spawn(fake, NULL, -1);
  fake_wait(fake, fake_is_ready, fake);
  world.pids[3] = (pid_t)fake->workers[3].pid;
  expect_ok(put_values(fake, 3, 1));
  expect_ok(fake_load(fake, 3, SESSION, 1, make_sum_over_four()));
  sum_over_four(fake, 2);
  world_end(&world);
}

static bool is_cut(void *context) {
  const fake_t *fake = context;
  return !fake->workers[0].is_up[0] && !fake->workers[1].is_up[1];
}

static void test_a_cut_link_fails_the_execution_until_it_is_back(void **state) {
  (void)state;
  world_t world = world_of("2x2");
  fake_t *fake = world.fake;
  load_sum(fake);
  fake_call_t calls[3];
  for (int32_t chip = 0; chip < 3; chip++) {  // Chip 3 does not come.
    fake_execute(fake, chip, SESSION, 1, 1, 1, 2, &calls[chip]);
    wait_until_it_runs_in(fake, chip, 2 * sizeof(values));
  }
  fake_dial(&fake->workers[1], 1, 0, "ipc:///nowhere/at/all");
  fake_wait(fake, is_cut, fake);
  // One of those at its ends waits for the other, or for what passes between them.
  fake_wait(fake, fake_is_flag_set, &calls[0].is_done);
  for (int32_t chip = 0; chip < 3; chip++) {
    if (!calls[chip].is_done) {
      rpc_call_cancel(calls[chip].call);
    }
    const pod_status_t status = fake_call_finish(fake, &calls[chip]);
    if (chip == 0) {
      expect_error(status, POD_UNAVAILABLE, "chip 1");
    } else {
      assert_non_null(status);
      pod_status_free(status);
    }
    fake_call_deinit(&calls[chip]);
  }
  fake_connect(fake, 0);
  fake_wait(fake, fake_is_ready, fake);
  sum_over_four(fake, 2);
  world_end(&world);
}

static bool is_leaving(void *context) {
  return ((const fake_worker_t *)context)->wants_to_leave;
}

static void test_sigterm_finishes_what_runs_and_leaves(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_wait(300000)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  wait_until_it_runs(fake, 0);
  kill(world.pids[0], SIGTERM);
  fake_wait(fake, is_leaving, &fake->workers[0]);
  expect_ok(fake_call_finish(fake, &call));
  fake_call_deinit(&call);
  const int status = fake_reap(fake, world.pids[0]);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  fake_destroy(fake);
}

static void test_a_second_signal_does_not_wait(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_wait(-1)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  wait_until_it_runs(fake, 0);
  kill(world.pids[0], SIGTERM);
  fake_wait(fake, is_leaving, &fake->workers[0]);
  kill(world.pids[0], SIGTERM);
  const int status = fake_reap(fake, world.pids[0]);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  expect_error(fake_call_finish(fake, &call), POD_UNAVAILABLE, "");
  fake_call_deinit(&call);
  fake_destroy(fake);
}

static bool is_alone(void *context) {
  return ((const fake_t *)context)->workers[0].call == NULL;
}

static void test_a_lost_coordinator_is_found_again_with_everything_freed(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  fake_t *fake = world.fake;
  expect_ok(put_values(fake, 0, 1));
  expect_ok(fake_load(fake, 0, SESSION, 1, make_wait(-1)));
  fake_call_t call;
  fake_execute(fake, 0, SESSION, 1, 1, 1, 2, &call);
  wait_until_it_runs(fake, 0);
  rpc_server_destroy(fake->server);
  assert_true(is_alone(fake));
  expect_error(fake_call_finish(fake, &call), POD_UNAVAILABLE, "lost its coordinator");
  fake_call_deinit(&call);
  char *address = pod_strdup(fake->address);
  fake_listen(fake, address);
  free(address);
  fake_wait(fake, fake_is_ready, fake);
  expect_status(fake, 0, 0, 0, 0);
  world_end(&world);
}

static bool is_assigned(void *context) {
  return ((const fake_t *)context)->workers[0].epoch != 0;
}

// The calls of the membership before may come when the next has begun.
static void test_who_has_the_token_of_a_former_membership_is_not_obeyed(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  fake->asks_for_token = true;
  const pid_t pid = fake_spawn(fake, NULL, -1);
  fake_wait(fake, is_assigned, fake);
  expect_ok(put_values(fake, 0, 1));
  uint8_t first[ACCESS_SECRET_BYTES];
  memcpy(first, fake->token, sizeof(first));
  rpc_server_destroy(fake->server);
  fake->workers[0].epoch = 0;
  char *address = pod_strdup(fake->address);
  fake_listen(fake, address);
  free(address);
  fake_wait(fake, is_assigned, fake);
  assert_memory_not_equal(fake->token, first, sizeof(first));
  assert_memory_equal(fake->former_token, first, sizeof(first));
  expect_ok(put_values(fake, 0, 1));
  fake_show_token(&fake->workers[0], first);
  expect_error(put_values(fake, 0, 2), POD_UNAUTHENTICATED, "its coordinator only");
  kill(pid, SIGTERM);
  assert_true(WIFEXITED(fake_reap(fake, pid)));
  fake_destroy(fake);
}

static void test_a_refused_worker_says_why_and_exits_with_1(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  fake->refusal = pod_error(POD_ALREADY_EXISTS, "chip 0 (0,0,0) has a worker already");
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fake_spawn(fake, "--coords=0,0", ends[1]);
  close(ends[1]);
  const int status = fake_reap(fake, pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 1);
  char text[2048] = "";
  assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
  close(ends[0]);
  assert_non_null(strstr(text, "chip 0 (0,0,0) has a worker already"));
  fake_destroy(fake);
}

// Names come later than machines; "invalid" never becomes one (RFC 6761).
static void test_a_worker_waits_for_the_name_of_its_coordinator(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fake_spawn(fake, "--coordinator=nobody.invalid:7400", ends[1]);
  close(ends[1]);
  char text[2048] = "";
  assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
  close(ends[0]);
  assert_non_null(strstr(text, "waiting for the coordinator"));
  assert_non_null(strstr(text, "nobody.invalid"));
  assert_int_equal(kill(pid, SIGTERM), 0);
  const int status = fake_reap(fake, pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGTERM);
  fake_destroy(fake);
}

static bool has_joined(void *context) {
  return ((const fake_t *)context)->workers[0].call != NULL;
}

// Without growing pauses the six attempts would take no time.
static void test_a_worker_that_is_let_go_at_once_presses_less_and_less(void **state) {
  (void)state;
  enum { ATTEMPTS = 6, PAUSES_MS = 100 + 200 + 400 + 800 };
  fake_t *fake = fake_create("1x1");
  pid_t pid = fake_spawn(fake, NULL, -1);
  const int64_t started_ns = pod_clock_now_ns();
  for (int i = 0; i < ATTEMPTS; i++) {
    fake_wait(fake, has_joined, fake);
    if (i < ATTEMPTS - 1) {
      rpc_call_finish(fake->workers[0].call, pod_error(POD_UNAVAILABLE, "not reachable"));
      fake_wait(fake, is_alone, fake);
    }
  }
  assert_true(pod_clock_now_ns() - started_ns >= PAUSES_MS * INT64_C(1000000));
  fake_stop_pod(fake, &pid);
  fake_destroy(fake);
}

static void test_a_worker_that_nobody_can_call_is_refused(void **state) {
  (void)state;
  fake_t *fake = fake_create("1x1");
  const pid_t pid = fake_spawn(fake, "--advertise=0.0.0.0:7402", -1);
  const int status = fake_reap(fake, pid);
  assert_true(WIFEXITED(status));
  assert_int_not_equal(WEXITSTATUS(status), 0);
  fake_destroy(fake);
}

static void test_heartbeats_come_and_a_place_can_be_asked_for(void **state) {
  (void)state;
  fake_t *fake = fake_create("2x1");
  pid_t pids[2];
  pids[1] = fake_spawn(fake, "--coords=1,0,0", -1);
  fake_wait(fake, fake_is_flag_set, &fake->workers[1].is_listening);
  assert_int_equal(fake->workers[1].pid, pids[1]);
  pids[0] = fake_spawn(fake, NULL, -1);
  fake_wait(fake, fake_is_ready, fake);
  fake->workers[0].heartbeats = 0;
  while (fake->workers[0].heartbeats < 3) {
    bool is_over = true;
    fake_wait(fake, fake_is_flag_set, &is_over);
  }
  fake_stop_pod(fake, pids);
  fake_destroy(fake);
}

typedef struct {
  bool is_done;
  int status;
} health_t;

static void on_health(const void *response, pod_status_t status, void *context) {
  health_t *health = context;
  const Grpc__Health__V1__HealthCheckResponse *answer = response;
  health->is_done = true;
  health->status = answer == NULL ? -1 : (int)answer->status;
  pod_status_free(status);
}

static void test_health_is_serving_once_there_is_a_place(void **state) {
  (void)state;
  world_t world = world_of("1x1");
  health_t health = {0};
  Grpc__Health__V1__HealthCheckRequest request =
      GRPC__HEALTH__V1__HEALTH_CHECK_REQUEST__INIT;
  request.service = (char *)"podium.v1.Worker";
  rpc_unary(world.fake->workers[0].channel, "/grpc.health.v1.Health/Check", &request.base,
            &grpc__health__v1__health_check_response__descriptor, NULL, on_health,
            &health);
  fake_wait(world.fake, fake_is_flag_set, &health.is_done);
  assert_int_equal(health.status,
                   GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING);
  world_end(&world);
}

// Runs the worker with one flag; returns its exit status and what it prints.
static int run_with(const char *flag, char *text, size_t text_size) {
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execl(WORKER_BINARY, "podium-worker", flag, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], text + length, text_size - 1 - length)) > 0;) {
    length += (size_t)got;
  }
  text[length] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_flags_are_explained_and_wrong_ones_refused(void **state) {
  (void)state;
  char text[8192];
  assert_int_equal(run_with("--version", text, sizeof(text)), 0);
  assert_non_null(strstr(text, "podium-worker "));
  assert_int_equal(run_with("--help", text, sizeof(text)), 0);
  assert_non_null(strstr(text, "--ici-listen"));
  assert_int_not_equal(run_with("--coords=1,x", text, sizeof(text)), 0);
  assert_non_null(strstr(text, "X,Y or X,Y,Z, not '1,x'"));
  assert_int_not_equal(run_with("--hbm-bytes=-1", text, sizeof(text)), 0);
  assert_int_not_equal(run_with("--log-level=loud", text, sizeof(text)), 0);
  assert_int_not_equal(run_with("--ici-listen=ipc:///x", text, sizeof(text)), 0);
  assert_int_not_equal(run_with("--log-level=info", text, sizeof(text)), 0);
  assert_non_null(strstr(text, "--coordinator is missing"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_worker_puts_loads_executes_and_fetches),
      cmocka_unit_test(test_shards_of_the_wrong_length_are_refused),
      cmocka_unit_test(test_the_high_bits_of_small_integers_count_nothing),
      cmocka_unit_test(test_a_large_array_goes_there_and_back),
      cmocka_unit_test(test_programs_that_are_none_are_refused),
      cmocka_unit_test(test_a_worker_takes_programs_of_its_chip_only),
      cmocka_unit_test(test_executions_of_what_is_not_there_are_refused),
      cmocka_unit_test(test_results_that_do_not_fit_are_refused_before_anything_runs),
      cmocka_unit_test(test_a_donated_argument_becomes_the_result),
      cmocka_unit_test(test_a_kept_argument_is_copied),
      cmocka_unit_test(test_what_fails_midway_has_consumed_its_arguments),
      cmocka_unit_test(test_a_cancelled_execution_stops_and_leaves_room_for_the_next),
      cmocka_unit_test(test_the_compute_thread_is_woken_for_what_may_take_time_only),
      cmocka_unit_test(test_closing_a_session_ends_its_executions),
      cmocka_unit_test(test_four_workers_reduce_over_their_links),
      cmocka_unit_test(
          test_a_killed_neighbour_fails_the_execution_and_a_new_one_heals_the_pod),
      cmocka_unit_test(test_a_cut_link_fails_the_execution_until_it_is_back),
      cmocka_unit_test(test_sigterm_finishes_what_runs_and_leaves),
      cmocka_unit_test(test_a_second_signal_does_not_wait),
      cmocka_unit_test(test_a_lost_coordinator_is_found_again_with_everything_freed),
      cmocka_unit_test(test_who_has_the_token_of_a_former_membership_is_not_obeyed),
      cmocka_unit_test(test_a_refused_worker_says_why_and_exits_with_1),
      cmocka_unit_test(test_a_worker_waits_for_the_name_of_its_coordinator),
      cmocka_unit_test(test_a_worker_that_is_let_go_at_once_presses_less_and_less),
      cmocka_unit_test(test_a_worker_that_nobody_can_call_is_refused),
      cmocka_unit_test(test_heartbeats_come_and_a_place_can_be_asked_for),
      cmocka_unit_test(test_health_is_serving_once_there_is_a_place),
      cmocka_unit_test(test_flags_are_explained_and_wrong_ones_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
