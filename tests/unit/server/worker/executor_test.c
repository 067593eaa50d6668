// Whole programs on one chip and on pods of several, a thread per chip.

#include "server/worker/executor.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/unit/server/programs.h"
#include "tests/unit/server/worker/local_pod.h"

typedef chip_program_t *(*make_program_t)(void);

// Loads and runs a program of at most one argument and one result on one chip.
static pod_status_t run_alone(make_program_t make, const void *argument, void *result) {
  local_pod_t *pod = local_pod_create("1x1");
  pod_status_t status = local_pod_load(pod, make);
  if (status == NULL) {
    status = local_pod_run(pod, 1, &argument, &result, NULL);
    local_pod_forget(pod);
  }
  local_pod_destroy(pod);
  return status;
}

static void expect_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static void expect_error(pod_status_t status, pod_code_t code, const char *sentence) {
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), sentence) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), sentence);
  }
  pod_status_free(status);
}

// --- One chip ---

enum { SIZE = 8 };

static chip_program_t *make_chain(void) {
  program_builder_t *b = program_begin("chain", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
  const float half = 0.5f;
  const float slope[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int32_t splat = program_constant(b, vector, true, &half);
  const int32_t dense = program_constant(b, vector, false, slope);
  const int32_t t = program_temp(b, vector);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_MULTIPLY, x, dense, CHIP_NONE, t, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, t, splat, CHIP_NONE, t, CHIP_NONE);
  program_op(b, CHIP_OP_NEGATE, t, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

static void test_a_chain_of_kernels_computes_over_all_kinds_of_buffer(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
  _Alignas(64) float y[SIZE];
  expect_ok(run_alone(make_chain, x, y));
  for (int i = 0; i < SIZE; i++) {
    assert_float_equal(y[i], -(x[i] * (float)i + 0.5f), 0);
  }
}

// counter = 0; y = x; while (counter != limit) { y = y + y; counter++ }. The body makes
// the sum in another buffer, which is copied to its parameter, the result.
static chip_program_t *make_loop_of(int32_t limit_value) {
  program_builder_t *b = program_begin("loop", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, vector, ".");
  const int32_t zero = program_scalar_s32(b, 0);
  const int32_t one = program_scalar_s32(b, 1);
  const int32_t limit = program_scalar_s32(b, limit_value);
  const int32_t counter = program_temp(b, shape_of(TENSOR_S32, 0));
  const int32_t doubled = program_temp(b, vector);
  const int32_t go_on = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t condition =
      program_computation(b, "cond", counter, y, CHIP_NONE, go_on, CHIP_NONE);
  program_op(b, CHIP_OP_COMPARE, counter, limit, CHIP_NONE, go_on, CHIP_NONE);
  program_attr(b, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_NE);
  const int32_t body =
      program_computation(b, "body", counter, y, CHIP_NONE, counter, doubled, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, y, y, CHIP_NONE, doubled, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, counter, one, CHIP_NONE, counter, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, zero, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, counter, y, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  return program_end(b);
}

static chip_program_t *make_loop(void) {
  return make_loop_of(5);
}

static chip_program_t *make_endless_loop(void) {
  return make_loop_of(-1);
}

static void test_a_loop_carries_its_state(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
  _Alignas(64) float y[SIZE];
  expect_ok(run_alone(make_loop, x, y));
  for (int i = 0; i < SIZE; i++) {
    assert_float_equal(y[i], 32 * x[i], 0);
  }
}

static void test_totals_count_every_round_of_a_loop(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {0};
  _Alignas(64) float y[SIZE];
  const void *arguments[] = {x};
  void *results[] = {y};
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_loop));
  expect_ok(local_pod_run(pod, 1, arguments, results, NULL));
  const chip_profile_t *profile = &pod->chips[0].profile;
  assert_int_equal(profile->totals[0].run_count, 6);  // The condition.
  assert_int_equal(profile->totals[1].run_count, 5);
  assert_int_equal(profile->totals[5].run_count, 1);  // The loop itself.
  assert_int_equal(profile->events.count, 2 + 6 + 10 + 1);
  // The trace has the turns of the loop, and nothing else.
  assert_int_equal(profile->trace.run_count, 1);
  assert_int_equal(profile->trace.lists[5].items[0].value, 5);
  assert_int_equal(profile->trace.lists[5].items[0].repeat, 1);
  local_pod_forget(pod);
  local_pod_destroy(pod);
}

// Branch i returns i + 10, by different buffers.
static chip_program_t *make_case(void) {
  program_builder_t *b = program_begin("case", 1, 0);
  const tensor_shape_t scalar = shape_of(TENSOR_S32, 0);
  const int32_t index = program_argument(b, scalar, "");
  const int32_t result = program_result(b, scalar, "");
  const int32_t first = program_scalar_s32(b, 10);
  const int32_t second = program_scalar_s32(b, 11);
  const int32_t third = program_temp(b, scalar);
  const int32_t six = program_scalar_s32(b, 6);
  program_computation(b, "zero", CHIP_NONE, first, CHIP_NONE);
  program_computation(b, "one", CHIP_NONE, second, CHIP_NONE);
  program_computation(b, "two", CHIP_NONE, third, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, six, six, CHIP_NONE, third, CHIP_NONE);
  program_computation(b, "main", index, CHIP_NONE, result, CHIP_NONE);
  program_op(b, CHIP_OP_CASE, index, CHIP_NONE, result, CHIP_NONE);
  program_call(b, 0);
  program_call(b, 1);
  program_call(b, 2);
  return program_end(b);
}

static void test_a_case_takes_its_branch_and_the_last_for_the_rest(void **state) {
  (void)state;
  const int32_t expected[][2] = {{0, 10}, {1, 11}, {2, 12}, {3, 12}, {-1, 12}};
  for (size_t i = 0; i < POD_COUNT_OF(expected); i++) {
    _Alignas(64) int32_t result;
    _Alignas(64) const int32_t index = expected[i][0];
    expect_ok(run_alone(make_case, &index, &result));
    assert_int_equal(result, expected[i][1]);
  }
}

static chip_program_t *make_if(void) {
  program_builder_t *b = program_begin("if", 1, 0);
  const int32_t condition = program_argument(b, shape_of(TENSOR_PRED, 0), "");
  const int32_t result = program_result(b, shape_of(TENSOR_F32, 0), "");
  const int32_t yes = program_scalar_f32(b, 1);
  const int32_t no = program_scalar_f32(b, 2);
  program_computation(b, "true", CHIP_NONE, yes, CHIP_NONE);
  program_computation(b, "false", CHIP_NONE, no, CHIP_NONE);
  program_computation(b, "main", condition, CHIP_NONE, result, CHIP_NONE);
  program_op(b, CHIP_OP_IF, condition, CHIP_NONE, result, CHIP_NONE);
  program_call(b, 0);
  program_call(b, 1);
  return program_end(b);
}

static void test_an_if_takes_its_first_branch_when_true(void **state) {
  (void)state;
  _Alignas(64) float result;
  _Alignas(64) const uint8_t yes = 1;
  _Alignas(64) const uint8_t no = 0;
  expect_ok(run_alone(make_if, &yes, &result));
  assert_float_equal(result, 1, 0);
  expect_ok(run_alone(make_if, &no, &result));
  assert_float_equal(result, 2, 0);
}

static chip_program_t *make_identity(void) {
  program_builder_t *b = program_begin("identity", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  (void)program_result(b, vector, ".");
  program_computation(b, "main", x, CHIP_NONE, x, CHIP_NONE);
  return program_end(b);
}

static void test_an_argument_can_be_a_result(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
  _Alignas(64) float y[SIZE] = {0};
  expect_ok(run_alone(make_identity, x, y));
  assert_memory_equal(x, y, sizeof(x));
}

// Reduces by the region a·2 + b, which no known reducer is.
static int32_t add_region(program_builder_t *b, tensor_dtype_t dtype) {
  const tensor_shape_t scalar = shape_of(dtype, 0);
  const int32_t left = program_temp(b, scalar);
  const int32_t right = program_temp(b, scalar);
  const int32_t sum = program_temp(b, scalar);
  const int32_t region =
      program_computation(b, "region", left, right, CHIP_NONE, sum, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, left, left, CHIP_NONE, sum, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, sum, right, CHIP_NONE, sum, CHIP_NONE);
  return region;
}

static chip_program_t *make_reduce(void) {
  program_builder_t *b = program_begin("reduce", 1, 0);
  const int32_t x = program_argument(b, shape_of(TENSOR_F32, 1, 4), ".");
  const int32_t y = program_result(b, shape_of(TENSOR_F32, 0), "");
  const int32_t zero = program_scalar_f32(b, 0);
  const int32_t region = add_region(b, TENSOR_F32);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_REDUCE, x, zero, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_DIMENSIONS, 0);
  program_call(b, region);
  return program_end(b);
}

static void test_a_region_is_run_for_every_element_and_leaves_no_events(void **state) {
  (void)state;
  _Alignas(64) const float x[4] = {1, 2, 3, 4};
  _Alignas(64) float y;
  const void *arguments[] = {x};
  void *results[] = {&y};
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_reduce));
  expect_ok(local_pod_run(pod, 1, arguments, results, NULL));
  assert_float_equal(y, ((0 * 2 + 1) * 2 + 2) * 4 + 3 * 2 + 4, 0);
  assert_int_equal(pod->chips[0].profile.events.count, 1);
  local_pod_forget(pod);
  local_pod_destroy(pod);
}

enum { LARGE = 1 << 18 };

static chip_program_t *make_large(void) {
  program_builder_t *b = program_begin("large", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, LARGE);
  const float zero = 0;
  const float one = 1;
  const int32_t y = program_result(b, vector, ".");
  const int32_t zeros = program_constant(b, vector, true, &zero);
  const int32_t ones = program_constant(b, vector, true, &one);
  const int32_t t = program_temp(b, vector);
  program_computation(b, "main", CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, zeros, ones, CHIP_NONE, t, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, t, ones, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

static void test_large_splats_are_expanded_and_programs_share_the_temporaries(
    void **state) {
  (void)state;
  local_pod_t *pod = local_pod_create("1x1");
  local_chip_t *chip = &pod->chips[0];
  executable_t *small;
  expect_ok(executor_load(chip->executor, make_chain(), &small));
  expect_ok(local_pod_load(pod, make_large));
  assert_int_equal(executable_constant_bytes(chip->executable), 2 * 4 * LARGE);
  float *y = aligned_alloc(64, LARGE * sizeof(*y));
  const void *arguments[] = {NULL};
  void *results[] = {y};
  for (int round = 0; round < 2; round++) {
    // The small one first: the block grows below it.
    _Alignas(64) const float x[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
    _Alignas(64) float z[SIZE];
    const executor_run_t run = {.arguments = (const void *[]){x},
                                .results = (void *[]){z}};
    chip_profile_t profile;
    chip_profile_init(&profile, executable_program(small), 0);
    expect_ok(executor_run(small, &run, &profile));
    assert_float_equal(z[7], -56.5f, 0);
    chip_profile_deinit(&profile);
    expect_ok(local_pod_run(pod, 1, arguments, results, NULL));
    local_pod_forget(pod);
    for (int i = 0; i < LARGE; i++) {
      assert_true(y[i] == 2);
    }
  }
  free(y);
  executor_unload(small);
  local_pod_destroy(pod);
}

typedef struct {
  const _Atomic float *value;
  kernel_control_t control;
} watch_t;

// Cancels once the loop has been seen to go round.
static void *cancel_when_it_runs(void *context) {
  watch_t *watch = context;
  while (atomic_load(watch->value) < 4) {
    sched_yield();
  }
  atomic_store(&watch->control.wish, KERNEL_STOP);
  return NULL;
}

// --- What is moved before, between and after kernels ---

enum { HUGE_ELEMENTS = 1 << 26, HUGE_BYTES = 4 * HUGE_ELEMENTS, STOP_TRIES = 20 };

// The last of many equal elements.
static chip_program_t *make_huge_splat(void) {
  program_builder_t *b = program_begin("huge", 1, 0);
  const float three = 3;
  const int32_t y = program_result(b, shape_of(TENSOR_F32, 1, 1), ".");
  const int32_t threes =
      program_constant(b, shape_of(TENSOR_F32, 1, HUGE_ELEMENTS), true, &three);
  program_computation(b, "main", CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_SLICE, threes, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_START_INDICES, HUGE_ELEMENTS - 1);
  program_attr(b, CHIP_ATTR_LIMIT_INDICES, HUGE_ELEMENTS);
  program_attr(b, CHIP_ATTR_STRIDES, 1);
  return program_end(b);
}

static chip_program_t *make_huge_copy(void) {
  program_builder_t *b = program_begin("huge", 1, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, HUGE_ELEMENTS);
  const int32_t x = program_argument(b, vector, ".");
  (void)program_result(b, vector, ".");
  program_computation(b, "main", x, CHIP_NONE, x, CHIP_NONE);
  return program_end(b);
}

static int64_t resident_bytes(void) {
  long all, resident;
  FILE *file = fopen("/proc/self/statm", "re");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
  fclose(file);
  return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

typedef struct {
  int64_t begun_bytes;  // Of what is resident: some of it has been written.
  kernel_control_t control;
} midst_t;

static void *stop_in_the_midst(void *context) {
  midst_t *midst = context;
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)10000000000;
  while (resident_bytes() < midst->begun_bytes && pod_clock_now_ns() < until_ns) {
    sched_yield();
  }
  atomic_store(&midst->control.wish, KERNEL_STOP);
  return NULL;
}

static pod_status_t run_once(executable_t *executable, const void *argument, void *result,
                             kernel_control_t *control, bool *has_begun) {
  const executor_run_t run = {.arguments = &argument,
                              .results = &result,
                              .control = control,
                              .has_begun = has_begun};
  chip_profile_t profile;
  chip_profile_init(&profile, executable_program(executable), 0);
  const pod_status_t status = executor_run(executable, &run, &profile);
  chip_profile_deinit(&profile);
  return status;
}

// False: it had ended before.
static bool stop_once(executable_t *executable, const void *argument, void *result,
                      bool *has_begun) {
  midst_t midst = {.begun_bytes = resident_bytes() + HUGE_BYTES / 4};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, stop_in_the_midst, &midst), 0);
  *has_begun = false;
  const pod_status_t status =
      run_once(executable, argument, result, &midst.control, has_begun);
  pthread_join(thread, NULL);
  const bool is_stopped = status != NULL;
  if (is_stopped) {
    expect_error(status, POD_CANCELLED, "");
  }
  return is_stopped;
}

// On a busy machine the stop may come too late, now and then.
static void test_constants_are_not_expanded_for_who_has_gone(void **state) {
  (void)state;
  bool is_whole = true;
  for (int i = 0; i < STOP_TRIES && is_whole; i++) {
    local_pod_t *pod = local_pod_create("1x1");
    expect_ok(local_pod_load(pod, make_huge_splat));
    _Alignas(64) float y = 0;
    bool has_begun;
    is_whole = !stop_once(pod->chips[0].executable, NULL, &y, &has_begun) || has_begun;
    // The next one goes on with what is there.
    expect_ok(run_once(pod->chips[0].executable, NULL, &y, NULL, NULL));
    assert_float_equal(y, 3, 0);
    local_pod_destroy(pod);
  }
  assert_false(is_whole);
}

static void test_nothing_is_copied_for_who_has_gone(void **state) {
  (void)state;
  bool is_whole = true;
  uint8_t *x = aligned_alloc(64, HUGE_BYTES);
  assert_non_null(x);
  memset(x, 1, HUGE_BYTES);
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_huge_copy));
  for (int i = 0; i < STOP_TRIES && is_whole; i++) {
    uint8_t *y = mmap(NULL, HUGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(y != MAP_FAILED);
    bool has_begun;
    is_whole = !stop_once(pod->chips[0].executable, x, y, &has_begun) ||
               (y[0] == 1 && y[HUGE_BYTES - 1] == 1);
    munmap(y, HUGE_BYTES);
  }
  assert_false(is_whole);
  local_pod_destroy(pod);
  free(x);
}

// t = x + x; y = the sum of t by a region that sends to the host, within the kernel, and
// of t's loop-carried double.
static chip_program_t *make_talker(void) {
  program_builder_t *b = program_begin("talker", 1, 0);
  const tensor_shape_t scalar = shape_of(TENSOR_F32, 0);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, SIZE);
  const int32_t x = program_argument(b, vector, ".");
  const int32_t y = program_result(b, scalar, "");
  const int32_t zero = program_scalar_f32(b, 0);
  const int32_t t = program_temp(b, vector);
  const int32_t before = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t token = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t left = program_temp(b, scalar);
  const int32_t right = program_temp(b, scalar);
  const int32_t sum = program_temp(b, scalar);
  const int32_t region =
      program_computation(b, "region", left, right, CHIP_NONE, sum, CHIP_NONE);
  program_op(b, CHIP_OP_HOST_SEND, right, before, CHIP_NONE, token, CHIP_NONE);
  program_attr(b, CHIP_ATTR_CHANNEL, 1);
  program_attr(b, CHIP_ATTR_EACH_DEVICE, 1);
  program_op(b, CHIP_OP_ADD, left, right, CHIP_NONE, sum, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, x, x, CHIP_NONE, t, CHIP_NONE);
  program_op(b, CHIP_OP_HOST_SEND, t, before, CHIP_NONE, token, CHIP_NONE);
  program_attr(b, CHIP_ATTR_CHANNEL, 2);
  program_attr(b, CHIP_ATTR_EACH_DEVICE, 1);
  program_op(b, CHIP_OP_REDUCE, t, zero, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_DIMENSIONS, 0);
  program_call(b, region);
  return program_end(b);
}

typedef struct {
  executable_t *executable;
  int run_count;
} twins_t;

static pod_status_t take(void *context, const executor_transfer_t *transfer) {
  (void)context;
  (void)transfer;
  return NULL;
}

static float run_talker(executable_t *executable, int32_t place, float first,
                        executor_host_t host) {
  _Alignas(64) float x[SIZE], y = 0;
  for (int i = 0; i < SIZE; i++) {
    x[i] = first + (float)i;
  }
  const executor_run_t run = {.place = place,
                              .execution = 1 + (uint64_t)place,
                              .arguments = (const void *[]){x},
                              .results = (void *[]){&y},
                              .host = host};
  chip_profile_t profile;
  chip_profile_init(&profile, executable_program(executable), 0);
  expect_ok(executor_run(executable, &run, &profile));
  chip_profile_deinit(&profile);
  return y;
}

static float talker_result(float first) {
  return 2 * (SIZE * first + SIZE * (SIZE - 1) / 2);
}

// Where the one stands still, another run of its program goes from its beginning to its
// end, with other arrays.
static pod_status_t run_the_other(void *context, const executor_transfer_t *transfer) {
  twins_t *twins = context;
  (void)transfer;
  const float first = 100.0f * (float)++twins->run_count;
  const float result = run_talker(twins->executable, 1 + twins->run_count % 2, first,
                                  (executor_host_t){.transfer = take});
  assert_float_equal(result, talker_result(first), 0);
  return NULL;
}

static void test_runs_of_one_program_stand_between_each_others_steps(void **state) {
  (void)state;
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_talker));
  twins_t twins = {.executable = pod->chips[0].executable};
  const float result =
      run_talker(twins.executable, 0, 1,
                 (executor_host_t){.transfer = run_the_other, .context = &twins});
  assert_float_equal(result, talker_result(1), 0);
  assert_int_equal(twins.run_count, 1 + SIZE);  // Between two steps, and within one.
  local_pod_destroy(pod);
}

static void test_one_that_was_stopped_before_its_turn_writes_nothing(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {1};
  _Alignas(64) float y[SIZE] = {7};
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_loop));
  kernel_control_t stopped = {0};
  atomic_store(&stopped.wish, KERNEL_STOP);
  const void *arguments[] = {x};
  void *results[] = {y};
  expect_error(local_pod_run(pod, 1, arguments, results, &stopped), POD_CANCELLED, "");
  assert_float_equal(y[0], 7, 0);
  local_pod_forget(pod);
  local_pod_destroy(pod);
}

static void test_an_endless_loop_stops_when_it_is_cancelled(void **state) {
  (void)state;
  _Alignas(64) const float x[SIZE] = {1};
  _Alignas(64) float y[SIZE] = {0};
  const void *arguments[] = {x};
  void *results[] = {y};
  watch_t watch = {.value = (const _Atomic float *)y};
  local_pod_t *pod = local_pod_create("1x1");
  expect_ok(local_pod_load(pod, make_endless_loop));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, cancel_when_it_runs, &watch), 0);
  expect_error(local_pod_run(pod, 1, arguments, results, &watch.control), POD_CANCELLED,
               "while.5 (test.py:5:1)");
  assert_true(pod->chips[0].profile.events.count <= CHIP_EVENTS_MAX);
  pthread_join(thread, NULL);
  local_pod_forget(pod);
  local_pod_destroy(pod);
}

static chip_program_t *make_for_four(void) {
  program_builder_t *b = program_begin("for_four", 4, 0);
  program_computation(b, "main", CHIP_NONE, CHIP_NONE);
  return program_end(b);
}

static void test_a_program_for_another_mesh_is_refused(void **state) {
  (void)state;
  expect_error(run_alone(make_for_four, NULL, NULL), POD_FAILED_PRECONDITION,
               "program for_four: its mesh has 4 devices, up to 3, the pod has 1 chips");
}

// --- Pods ---

enum { CHIPS = 4 };

typedef struct {
  _Alignas(64) float in[CHIPS][64];
  _Alignas(64) float out[CHIPS][256];
  const void *arguments[CHIPS];
  void *results[CHIPS];
} arrays_t;

// Element j of chip i is 100·i + j.
static arrays_t *make_arrays(void) {
  arrays_t *arrays = aligned_alloc(64, sizeof(*arrays));
  memset(arrays, 0xff, sizeof(*arrays));
  for (int i = 0; i < CHIPS; i++) {
    for (int j = 0; j < 64; j++) {
      arrays->in[i][j] = 100 * (float)i + (float)j;
    }
    arrays->arguments[i] = arrays->in[i];
    arrays->results[i] = arrays->out[i];
  }
  return arrays;
}

static arrays_t *run_on_four(make_program_t make) {
  local_pod_t *pod = local_pod_create("2x2");
  arrays_t *arrays = make_arrays();
  expect_ok(local_pod_load(pod, make));
  expect_ok(local_pod_run(pod, 1, arrays->arguments, arrays->results, NULL));
  local_pod_forget(pod);
  local_pod_destroy(pod);
  return arrays;
}

static void add_groups(program_builder_t *b, int32_t size) {
  const int64_t by_four[] = {0, 1, 2, 3};
  const int64_t by_two[] = {0, 2, 1, 3};  // Chips 0 and 2, 1 and 3.
  program_attr_list(b, CHIP_ATTR_REPLICA_GROUPS, 4, size == 2 ? by_two : by_four);
  program_attr(b, CHIP_ATTR_GROUP_SIZE, size);
}

// An argument [2, 4·k] of each chip, a collective, a result of each chip.
static program_builder_t *begin_collective(chip_op_t op, tensor_shape_t in,
                                           tensor_shape_t out) {
  program_builder_t *b = program_begin("collective", 4, 0);
  in.dims[0] *= CHIPS;
  out.dims[0] *= CHIPS;
  const int32_t x = program_argument(b, in, "x.");
  const int32_t y = program_result(b, out, "x.");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, op, x, CHIP_NONE, y, CHIP_NONE);
  return b;
}

static chip_program_t *make_all_reduce(void) {
  program_builder_t *b = begin_collective(
      CHIP_OP_ALL_REDUCE, shape_of(TENSOR_F32, 2, 2, 6), shape_of(TENSOR_F32, 2, 2, 6));
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  add_groups(b, 4);
  return program_end(b);
}

static chip_program_t *make_all_reduce_of_one(void) {
  program_builder_t *b = begin_collective(
      CHIP_OP_ALL_REDUCE, shape_of(TENSOR_F32, 2, 2, 6), shape_of(TENSOR_F32, 2, 2, 6));
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  add_groups(b, 1);
  return program_end(b);
}

static chip_program_t *make_all_gather(void) {
  program_builder_t *b = begin_collective(
      CHIP_OP_ALL_GATHER, shape_of(TENSOR_F32, 2, 2, 3), shape_of(TENSOR_F32, 2, 2, 6));
  program_attr(b, CHIP_ATTR_DIMENSION, 1);
  add_groups(b, 2);
  return program_end(b);
}

static chip_program_t *make_reduce_scatter(void) {
  program_builder_t *b =
      begin_collective(CHIP_OP_REDUCE_SCATTER, shape_of(TENSOR_F32, 2, 2, 8),
                       shape_of(TENSOR_F32, 2, 2, 2));
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_MAXIMUM);
  program_attr(b, CHIP_ATTR_DIMENSION, 1);
  add_groups(b, 4);
  return program_end(b);
}

static chip_program_t *make_all_to_all(void) {
  program_builder_t *b = begin_collective(
      CHIP_OP_ALL_TO_ALL, shape_of(TENSOR_F32, 2, 2, 4), shape_of(TENSOR_F32, 2, 8, 1));
  program_attr(b, CHIP_ATTR_SPLIT_DIMENSION, 1);
  program_attr(b, CHIP_ATTR_CONCAT_DIMENSION, 0);
  program_attr(b, CHIP_ATTR_SPLIT_COUNT, 4);
  add_groups(b, 4);
  return program_end(b);
}

static chip_program_t *make_permute(void) {
  program_builder_t *b =
      begin_collective(CHIP_OP_COLLECTIVE_PERMUTE, shape_of(TENSOR_F32, 2, 2, 3),
                       shape_of(TENSOR_F32, 2, 2, 3));
  const int64_t pairs[] = {0, 3, 3, 1, 2, 2};
  program_attr_list(b, CHIP_ATTR_SOURCE_TARGET_PAIRS, 6, pairs);
  return program_end(b);
}

static void test_all_reduce_sums_over_the_pod(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_all_reduce);
  for (int i = 0; i < CHIPS; i++) {
    for (int j = 0; j < 12; j++) {
      assert_float_equal(arrays->out[i][j], 600 + 4 * (float)j, 0);
    }
  }
  free(arrays);
}

static void test_a_group_of_one_copies(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_all_reduce_of_one);
  for (int i = 0; i < CHIPS; i++) {
    assert_memory_equal(arrays->out[i], arrays->in[i], 12 * sizeof(float));
  }
  free(arrays);
}

static void test_all_gather_interleaves_along_an_inner_dimension(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_all_gather);
  for (int i = 0; i < CHIPS; i++) {
    for (int row = 0; row < 2; row++) {
      for (int column = 0; column < 6; column++) {
        const int member = column / 3 == 0 ? i % 2 : i % 2 + 2;
        assert_float_equal(arrays->out[i][row * 6 + column],
                           arrays->in[member][row * 3 + column % 3], 0);
      }
    }
  }
  free(arrays);
}

static void test_reduce_scatter_leaves_each_chip_its_columns(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_reduce_scatter);
  for (int i = 0; i < CHIPS; i++) {
    for (int row = 0; row < 2; row++) {
      for (int column = 0; column < 2; column++) {
        assert_float_equal(arrays->out[i][row * 2 + column],
                           arrays->in[3][row * 8 + 2 * i + column], 0);
      }
    }
  }
  free(arrays);
}

static void test_all_to_all_splits_one_dimension_and_joins_another(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_all_to_all);
  for (int i = 0; i < CHIPS; i++) {
    for (int member = 0; member < CHIPS; member++) {
      for (int row = 0; row < 2; row++) {
        assert_float_equal(arrays->out[i][2 * member + row],
                           arrays->in[member][row * 4 + i], 0);
      }
    }
  }
  free(arrays);
}

static void test_permute_moves_and_zeroes_what_nobody_sends_to(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_permute);
  for (int j = 0; j < 6; j++) {
    assert_float_equal(arrays->out[0][j], 0, 0);
    assert_float_equal(arrays->out[1][j], arrays->in[3][j], 0);
    assert_float_equal(arrays->out[2][j], arrays->in[2][j], 0);
    assert_float_equal(arrays->out[3][j], arrays->in[0][j], 0);
  }
  free(arrays);
}

// The region before the entry, then a collective by it.
static chip_program_t *make_by_region(chip_op_t op, tensor_shape_t in,
                                      tensor_shape_t out) {
  program_builder_t *b = program_begin("by_region", 4, 0);
  in.dims[0] *= CHIPS;
  out.dims[0] *= CHIPS;
  const int32_t x = program_argument(b, in, "x.");
  const int32_t y = program_result(b, out, "x.");
  const int32_t region = add_region(b, TENSOR_F32);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, op, x, CHIP_NONE, y, CHIP_NONE);
  program_call(b, region);
  program_attr(b, CHIP_ATTR_DIMENSION, 1);
  add_groups(b, 4);
  return program_end(b);
}

static chip_program_t *make_all_reduce_by_region(void) {
  return make_by_region(CHIP_OP_ALL_REDUCE, shape_of(TENSOR_F32, 2, 2, 8),
                        shape_of(TENSOR_F32, 2, 2, 8));
}

static chip_program_t *make_reduce_scatter_by_region(void) {
  return make_by_region(CHIP_OP_REDUCE_SCATTER, shape_of(TENSOR_F32, 2, 2, 8),
                        shape_of(TENSOR_F32, 2, 2, 2));
}

static float fold_by_region(const arrays_t *arrays, int at) {
  float value = arrays->in[0][at];
  for (int i = 1; i < CHIPS; i++) {
    value = 2 * value + arrays->in[i][at];
  }
  return value;
}

static void test_a_region_reduces_in_the_order_of_the_group(void **state) {
  (void)state;
  arrays_t *arrays = run_on_four(make_all_reduce_by_region);
  for (int i = 0; i < CHIPS; i++) {
    for (int j = 0; j < 16; j++) {
      assert_float_equal(arrays->out[i][j], fold_by_region(arrays, j), 0);
    }
  }
  free(arrays);
  arrays = run_on_four(make_reduce_scatter_by_region);
  for (int i = 0; i < CHIPS; i++) {
    for (int j = 0; j < 4; j++) {
      assert_float_equal(arrays->out[i][j],
                         fold_by_region(arrays, j / 2 * 8 + 2 * i + j % 2), 0);
    }
  }
  free(arrays);
}

// Each chip loops as often as its number says, then all meet; result: the chip's number.
static chip_program_t *make_stragglers(void) {
  program_builder_t *b = program_begin("stragglers", 4, 0);
  const tensor_shape_t scalar = shape_of(TENSOR_U32, 0);
  const uint32_t zero_value = 0;
  const uint32_t one_value = 1;
  const int32_t x = program_argument(b, shape_of(TENSOR_U32, 1, 64 * CHIPS), "x");
  const int32_t y = program_result(b, shape_of(TENSOR_U32, 1, 64 * CHIPS), "x");
  const int32_t zero = program_constant(b, scalar, true, &zero_value);
  const int32_t one = program_constant(b, scalar, true, &one_value);
  const int32_t me = program_temp(b, scalar);
  const int32_t left = program_temp(b, scalar);
  const int32_t go_on = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t condition =
      program_computation(b, "cond", left, CHIP_NONE, go_on, CHIP_NONE);
  program_op(b, CHIP_OP_COMPARE, left, zero, CHIP_NONE, go_on, CHIP_NONE);
  program_attr(b, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_NE);
  const int32_t body = program_computation(b, "body", left, CHIP_NONE, left, CHIP_NONE);
  program_op(b, CHIP_OP_SUBTRACT, left, one, CHIP_NONE, left, CHIP_NONE);
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_PARTITION_ID, CHIP_NONE, me, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, me, CHIP_NONE, left, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, left, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  program_op(b, CHIP_OP_ALL_REDUCE, x, CHIP_NONE, y, CHIP_NONE);
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  add_groups(b, 2);
  program_op(b, CHIP_OP_BROADCAST_IN_DIM, me, CHIP_NONE, y, CHIP_NONE);
  program_attr_list(b, CHIP_ATTR_DIMENSIONS, 0, NULL);
  return program_end(b);
}

static void test_each_chip_traces_the_turns_of_its_own_loop(void **state) {
  (void)state;
  local_pod_t *pod = local_pod_create("2x2");
  arrays_t *arrays = make_arrays();
  expect_ok(local_pod_load(pod, make_stragglers));
  expect_ok(local_pod_run(pod, 1, arrays->arguments, arrays->results, NULL));
  for (int i = 0; i < CHIPS; i++) {
    const chip_trace_t *trace = &pod->chips[i].profile.trace;
    assert_int_equal(((const uint32_t *)arrays->out[i])[63], i);
    assert_int_equal(trace->run_count, 1);
    int loops = 0;
    for (int32_t k = 0; k < trace->instruction_count; k++) {
      if (trace->lists[k].count > 0) {
        assert_int_equal(trace->lists[k].items[0].value, i);
        loops++;
      }
    }
    assert_int_equal(loops, 1);
  }
  local_pod_forget(pod);
  free(arrays);
  local_pod_destroy(pod);
}

static void *abort_pod(void *context) {
  local_abort(context, 1, pod_error(POD_UNAVAILABLE, "chip 2 is gone"));
  return NULL;
}

static void test_an_abort_wakes_the_chips_that_wait(void **state) {
  (void)state;
  local_pod_t *pod = local_pod_create("2x2");
  arrays_t *arrays = make_arrays();
  expect_ok(local_pod_load(pod, make_all_reduce));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, abort_pod, &pod->chips[0]), 0);
  pod->chip_count = 2;  // The others never come.
  expect_error(local_pod_run(pod, 1, arrays->arguments, arrays->results, NULL),
               POD_UNAVAILABLE, "all_reduce.0 (test.py:0:1): chip 2 is gone");
  local_pod_forget(pod);
  pod->chip_count = CHIPS;
  pthread_join(thread, NULL);
  free(arrays);
  local_pod_destroy(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chain_of_kernels_computes_over_all_kinds_of_buffer),
      cmocka_unit_test(test_a_loop_carries_its_state),
      cmocka_unit_test(test_totals_count_every_round_of_a_loop),
      cmocka_unit_test(test_a_case_takes_its_branch_and_the_last_for_the_rest),
      cmocka_unit_test(test_an_if_takes_its_first_branch_when_true),
      cmocka_unit_test(test_an_argument_can_be_a_result),
      cmocka_unit_test(test_a_region_is_run_for_every_element_and_leaves_no_events),
      cmocka_unit_test(test_large_splats_are_expanded_and_programs_share_the_temporaries),
      cmocka_unit_test(test_an_endless_loop_stops_when_it_is_cancelled),
      cmocka_unit_test(test_constants_are_not_expanded_for_who_has_gone),
      cmocka_unit_test(test_nothing_is_copied_for_who_has_gone),
      cmocka_unit_test(test_runs_of_one_program_stand_between_each_others_steps),
      cmocka_unit_test(test_one_that_was_stopped_before_its_turn_writes_nothing),
      cmocka_unit_test(test_a_program_for_another_mesh_is_refused),
      cmocka_unit_test(test_all_reduce_sums_over_the_pod),
      cmocka_unit_test(test_a_group_of_one_copies),
      cmocka_unit_test(test_all_gather_interleaves_along_an_inner_dimension),
      cmocka_unit_test(test_reduce_scatter_leaves_each_chip_its_columns),
      cmocka_unit_test(test_all_to_all_splits_one_dimension_and_joins_another),
      cmocka_unit_test(test_permute_moves_and_zeroes_what_nobody_sends_to),
      cmocka_unit_test(test_a_region_reduces_in_the_order_of_the_group),
      cmocka_unit_test(test_each_chip_traces_the_turns_of_its_own_loop),
      cmocka_unit_test(test_an_abort_wakes_the_chips_that_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
