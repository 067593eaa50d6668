// What libpodium promises of calls that do not wait, against real daemons.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, ROWS = 8, COLUMNS = 8, COUNT = ROWS * COLUMNS };

// x + 1, with the rows over both chips.
static const char next_text[] =
    "module @next attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "    %0 = stablehlo.constant dense<1.0> : tensor<8x8xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<8x8xf32>\n"
    "    return %1 : tensor<8x8xf32>\n  }\n}\n";

// Turns a loop as often as its argument says: on both chips, which meet in every turn.
static const char turns_text[] =
    "module @turns attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<i32> {sdy.sharding = "
    "#sdy.sharding<@mesh, []>}) -> tensor<i32> {\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {\n"
    "      %c = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.add %i, %one : tensor<i32>\n"
    "      stablehlo.return %n : tensor<i32>\n"
    "    }\n"
    "    return %0 : tensor<i32>\n  }\n}\n";

// --- Ends of calls, counted ---

typedef struct ends_t {
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int count, well;
  int codes[17];
  char message[256];  // Of the last that did not end well.
} ends_t;

static void ends_init(ends_t *ends) {
  memset(ends, 0, sizeof(*ends));
  pthread_mutex_init(&ends->mutex, NULL);
  pthread_cond_init(&ends->wake, NULL);
}

static void on_end(void *context, podium_status_t *status) {
  ends_t *ends = context;
  pthread_mutex_lock(&ends->mutex);
  ends->count++;
  ends->well += status == NULL;
  ends->codes[podium_status_code(status)]++;
  if (status != NULL) {
    snprintf(ends->message, sizeof(ends->message), "%s", podium_status_message(status));
  }
  pthread_cond_signal(&ends->wake);
  pthread_mutex_unlock(&ends->mutex);
  podium_status_free(status);
}

static int ends_count(ends_t *ends) {
  pthread_mutex_lock(&ends->mutex);
  const int count = ends->count;
  pthread_mutex_unlock(&ends->mutex);
  return count;
}

static void ends_wait(ends_t *ends, int count) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += TIMEOUT_MS / 1000;
  pthread_mutex_lock(&ends->mutex);
  while (ends->count < count) {
    if (pthread_cond_timedwait(&ends->wake, &ends->mutex, &deadline) != 0) {
      break;
    }
  }
  const int there = ends->count;
  pthread_mutex_unlock(&ends->mutex);
  assert_int_equal(there, count);
}

// --- A pod of two chips with a session ---

typedef struct world_t {
  system_pod_t *pod;
  podium_session_t *session;
  podium_executable_t *next;
} world_t;

static void world_start(world_t *world) {
  world->pod = system_pod_start(&(system_pod_options_t){.topology = "2x1"});
  must(podium_connect(system_pod_address(world->pod),
                      &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS},
                      &world->session));
  must(podium_compile(world->session, "next.mlir", next_text, strlen(next_text), NULL,
                      &world->next));
}

static void world_stop(world_t *world) {
  podium_close(world->session);
  system_pod_stop(world->pod);
}

static podium_array_t *put(const world_t *world, const float *values) {
  podium_array_t *array = NULL;
  must(podium_put(world->session, &(podium_layout_t){.executable = world->next}, values,
                  COUNT * sizeof(*values), TIMEOUT_MS, &array));
  return array;
}

static void fill(float *values, float first) {
  for (int i = 0; i < COUNT; i++) {
    values[i] = first + (float)i;
  }
}

static void expect_values(podium_array_t *array, float first) {
  float values[COUNT];
  must(podium_fetch(array, values, sizeof(values), TIMEOUT_MS));
  for (int i = 0; i < COUNT; i++) {
    assert_true(values[i] == first + (float)i);
  }
}

// x + 1, `count` times, without waiting; what lies between is freed at once. The ends are
// told to `ends`.
static podium_array_t *chain(const world_t *world, podium_array_t *first, int count,
                             ends_t *ends) {
  podium_array_t *at = first;
  for (int i = 0; i < count; i++) {
    podium_array_t *next = NULL;
    must(podium_execute_async(world->next, 1, &at, NULL, &next, on_end, ends, NULL));
    if (at != first) {
      podium_array_free(at);
    }
    at = next;
  }
  return at;
}

static void test_what_is_put_without_waiting_can_be_used_at_once(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  ends_t ends;
  ends_init(&ends);
  float values[COUNT], fetched[COUNT], part[COUNT / 2];
  fill(values, 5);
  podium_array_t *array = NULL, *result = NULL;
  must(podium_put_async(world.session, &(podium_layout_t){.executable = world.next},
                        values, sizeof(values), TIMEOUT_MS, on_end, &ends, &array));
  assert_int_equal(podium_array_local_shape(array)->dims[0], ROWS / 2);
  must(podium_execute_async(world.next, 1, &array, NULL, &result, on_end, &ends, NULL));
  must(podium_fetch_async(result, -1, fetched, sizeof(fetched), TIMEOUT_MS, on_end,
                          &ends));
  must(podium_fetch_async(result, 1, part, sizeof(part), TIMEOUT_MS, on_end, &ends));
  podium_array_free(array);
  podium_array_free(result);
  ends_wait(&ends, 4);
  assert_int_equal(ends.well, 4);
  for (int i = 0; i < COUNT; i++) {
    assert_true(fetched[i] == values[i] + 1);
  }
  for (int i = 0; i < COUNT / 2; i++) {
    assert_true(part[i] == values[COUNT / 2 + i] + 1);
  }
  world_stop(&world);
}

static void test_thousands_of_calls_that_depend_on_each_other_end_in_order(void **state) {
  (void)state;
  enum { CALLS = 3000 };
  world_t world;
  world_start(&world);
  ends_t ends;
  ends_init(&ends);
  float values[COUNT];
  fill(values, 0);
  podium_array_t *first = put(&world, values);
  podium_array_t *last = chain(&world, first, CALLS, &ends);
  expect_values(last, CALLS);
  ends_wait(&ends, CALLS);
  assert_int_equal(ends.well, CALLS);
  expect_values(first, 0);
  world_stop(&world);
}

// Until it is cancelled, which takes a program that never ends by itself.
static podium_array_t *start_endless(const world_t *world, podium_executable_t **turns,
                                     ends_t *ends, podium_execution_t **out_execution) {
  must(podium_compile(world->session, "turns.mlir", turns_text, strlen(turns_text), NULL,
                      turns));
  const int32_t many = INT32_MAX;
  podium_array_t *argument = NULL, *result = NULL;
  must(podium_put(world->session, &(podium_layout_t){.executable = *turns}, &many,
                  sizeof(many), TIMEOUT_MS, &argument));
  must(podium_execute_async(*turns, 1, &argument, NULL, &result, on_end, ends,
                            out_execution));
  podium_array_free(argument);
  return result;
}

static void test_what_uses_a_cancelled_execution_fails_alike_and_the_rest_goes_on(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  ends_t ends, others;
  ends_init(&ends);
  ends_init(&others);
  podium_executable_t *turns = NULL;
  podium_execution_t *execution = NULL;
  podium_array_t *endless = start_endless(&world, &turns, &ends, &execution);
  podium_array_t *after = NULL;
  must(podium_execute_async(turns, 1, &endless, NULL, &after, on_end, &ends, NULL));
  int32_t value = 0;
  must(podium_fetch_async(after, -1, &value, sizeof(value), TIMEOUT_MS, on_end, &ends));
  float values[COUNT];
  fill(values, 1);
  podium_array_t *last = chain(&world, put(&world, values), 3, &others);
  assert_int_equal(ends_count(&ends), 0);
  podium_execution_cancel(execution);
  ends_wait(&ends, 3);
  assert_int_equal(ends.codes[PODIUM_CANCELLED], 3);
  ends_wait(&others, 3);
  assert_int_equal(others.well, 3);
  expect_values(last, 4);
  expect_error(podium_fetch(after, &value, sizeof(value), TIMEOUT_MS), PODIUM_CANCELLED,
               "cancelled");
  podium_execution_cancel(execution);  // It has ended: nothing happens.
  podium_execution_free(execution);
  world_stop(&world);
}

// Rows 0 to 3 lie on chip 0, 4 to 7 on chip 1.
static void test_arguments_by_chip_are_parts_of_different_arrays(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  float values[COUNT], fetched[COUNT];
  fill(values, 100);
  podium_array_t *parts[2] = {put(&world, values), NULL};
  fill(values, 200);
  podium_layout_t layout = {.shape = {PODIUM_F32, 2, {ROWS / 2, COLUMNS}},
                            .chip_count = 1,
                            .chips = (const int64_t[]){1}};
  must(podium_put(world.session, &layout, values, sizeof(values) / 2, TIMEOUT_MS,
                  &parts[1]));
  const podium_execute_options_t by_chip = {.arguments_by_chip = true};
  podium_array_t *result = NULL;
  must(podium_execute(world.next, 1, parts, &by_chip, &result, NULL));
  must(podium_fetch(result, fetched, sizeof(fetched), TIMEOUT_MS));
  for (int i = 0; i < COUNT / 2; i++) {
    assert_true(fetched[i] == 101.0F + (float)i);
    assert_true(fetched[COUNT / 2 + i] == 201.0F + (float)i);
  }
  podium_array_t *swapped[2] = {parts[1], parts[0]};
  expect_error(podium_execute(world.next, 1, swapped, &by_chip, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "has no part there");
  podium_array_t *small[2] = {parts[0], NULL};
  layout.shape.dims[0] = 1;
  must(podium_put(world.session, &layout, values, COLUMNS * sizeof(float), TIMEOUT_MS,
                  &small[1]));
  expect_error(podium_execute(world.next, 1, small, &by_chip, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "f32[1,8]");
  world_stop(&world);
}

static void test_all_calls_hear_of_a_worker_that_is_lost(void **state) {
  (void)state;
  enum { CALLS = 100 };
  world_t world;
  world_start(&world);
  ends_t ends;
  ends_init(&ends);
  podium_executable_t *turns = NULL;
  podium_array_t *at = start_endless(&world, &turns, &ends, NULL);
  for (int i = 1; i < CALLS; i++) {
    podium_array_t *next = NULL;
    must(podium_execute_async(turns, 1, &at, NULL, &next, on_end, &ends, NULL));
    podium_array_free(at);
    at = next;
  }
  int32_t value = 0;
  must(podium_fetch_async(at, -1, &value, sizeof(value), TIMEOUT_MS, on_end, &ends));
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  assert_int_equal(ends_count(&ends), 0);
  (void)system_pod_signal_worker(world.pod, 1, SIGKILL);
  ends_wait(&ends, CALLS + 1);
  assert_int_equal(ends.codes[PODIUM_UNAVAILABLE], CALLS + 1);
  assert_non_null(strstr(ends.message, "lost"));
  world_stop(&world);
}

static void test_closing_a_session_ends_all_its_calls(void **state) {
  (void)state;
  enum { CALLS = 200 };
  world_t world;
  world_start(&world);
  ends_t ends;
  ends_init(&ends);
  float values[COUNT];
  fill(values, 0);
  podium_executable_t *turns = NULL;
  podium_array_t *endless = start_endless(&world, &turns, &ends, NULL);
  podium_array_t *last = chain(&world, put(&world, values), CALLS, &ends);
  int32_t value = 0;
  must(podium_fetch_async(endless, -1, &value, sizeof(value), 0, on_end, &ends));
  must(podium_fetch_async(last, -1, values, sizeof(values), 0, on_end, &ends));
  podium_close(world.session);
  assert_int_equal(ends.count, CALLS + 3);
  assert_int_equal(ends.codes[PODIUM_CANCELLED], CALLS + 3);
  // The pod is free for the next.
  must(podium_connect(system_pod_address(world.pod), NULL, &world.session));
  must(podium_compile(world.session, "next.mlir", next_text, strlen(next_text), NULL,
                      &world.next));
  fill(values, 7);
  ends_init(&ends);
  expect_values(chain(&world, put(&world, values), 1, &ends), 8);
  world_stop(&world);
}

// No descriptor is opened for it: ThreadSanitizer does not see libuv close those of a
// thread that nobody joins, and takes their next use for a race.
static int count_threads(void) {
  struct stat threads;
  assert_int_equal(stat("/proc/self/task", &threads), 0);
  return (int)threads.st_nlink - 2;
}

typedef struct closer_t {
  podium_session_t *session;
  ends_t ends;
} closer_t;

static void on_end_close(void *context, podium_status_t *status) {
  closer_t *closer = context;
  podium_close(closer->session);
  on_end(&closer->ends, status);
}

static void test_a_session_may_be_closed_in_a_callback(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  const int before = count_threads();
  closer_t closer = {.session = world.session};
  ends_init(&closer.ends);
  float values[COUNT];
  fill(values, 0);
  podium_array_t *array = put(&world, values);
  podium_array_t *next = NULL, *last = NULL;
  must(podium_execute_async(world.next, 1, &array, NULL, &next, on_end_close, &closer,
                            NULL));
  // What comes after it is told of the end, before or after its own.
  must(podium_execute_async(world.next, 1, &next, NULL, &last, on_end, &closer.ends,
                            NULL));
  ends_wait(&closer.ends, 2);
  for (int waited_ms = 0; count_threads() != before - 1; waited_ms++) {
    assert_true(waited_ms < TIMEOUT_MS);
    usleep(1000);
  }
  // Its chips are free for the next.
  must(podium_connect(system_pod_address(world.pod), NULL, &world.session));
  must(podium_compile(world.session, "next.mlir", next_text, strlen(next_text), NULL,
                      &world.next));
  ends_init(&closer.ends);
  expect_values(chain(&world, put(&world, values), 1, &closer.ends), 1);
  world_stop(&world);
}

static void test_a_deadline_ends_an_execution_and_what_uses_it(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  podium_executable_t *turns = NULL;
  must(podium_compile(world.session, "turns.mlir", turns_text, strlen(turns_text), NULL,
                      &turns));
  const int32_t many = INT32_MAX;
  podium_array_t *argument = NULL, *result = NULL;
  must(podium_put(world.session, &(podium_layout_t){.executable = turns}, &many,
                  sizeof(many), TIMEOUT_MS, &argument));
  ends_t ends;
  ends_init(&ends);
  must(podium_execute_async(turns, 1, &argument,
                            &(podium_execute_options_t){.timeout_ms = 300}, &result,
                            on_end, &ends, NULL));
  int32_t value = 0;
  expect_error(podium_fetch(result, &value, sizeof(value), TIMEOUT_MS),
               PODIUM_DEADLINE_EXCEEDED, "300 ms");
  ends_wait(&ends, 1);
  assert_int_equal(ends.codes[PODIUM_DEADLINE_EXCEEDED], 1);
  world_stop(&world);
}

// A caller that knows only the first fields of the options: the others are 0 for it,
// whatever lies behind.
static void test_options_of_a_smaller_size_are_filled_up(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  float values[COUNT];
  fill(values, 3);
  podium_array_t *argument = put(&world, values), *result = NULL;
  podium_execute_options_t options;
  memset(&options, 0xff, sizeof(options));
  options.struct_size = offsetof(podium_execute_options_t, profile);
  options.timeout_ms = TIMEOUT_MS;
  must(podium_execute(world.next, 1, &argument, &options, &result, NULL));
  expect_values(result, 4);
  world_stop(&world);
}

static void test_a_put_that_fails_is_told_to_those_that_use_it(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  ends_t ends;
  ends_init(&ends);
  float values[COUNT] = {0};
  podium_array_t *array = NULL, *result = NULL;
  const podium_layout_t layout = {.shape = {PODIUM_F32, 2, {ROWS, COLUMNS}},
                                  .chip_count = 1,
                                  .chips = (const int64_t[]){7}};
  must(podium_put_async(world.session, &layout, values, sizeof(values), TIMEOUT_MS,
                        on_end, &ends, &array));
  must(podium_execute_async(world.next, 1, &array, NULL, &result, on_end, &ends, NULL));
  must(podium_fetch_async(result, -1, values, sizeof(values), TIMEOUT_MS, on_end, &ends));
  ends_wait(&ends, 3);
  assert_int_equal(ends.codes[PODIUM_INVALID_ARGUMENT], 3);
  assert_non_null(strstr(ends.message, "chip 7"));
  world_stop(&world);
}

// An array of 1 MiB on a chip of 4 MiB, a hundred times: what lies between goes in time,
// and what finds no room while others run waits for it.
static void test_a_chain_whose_arrays_would_not_fit_together_runs(void **state) {
  (void)state;
  enum { CALLS = 100, WIDE = 1 << 18 };
  static const char wide_text[] =
      "module @wide {\n"
      "  func.func public @main(%arg0: tensor<262144xf32>) -> tensor<262144xf32> {\n"
      "    %0 = stablehlo.constant dense<1.0> : tensor<262144xf32>\n"
      "    %1 = stablehlo.add %arg0, %0 : tensor<262144xf32>\n"
      "    return %1 : tensor<262144xf32>\n  }\n}\n";
  world_t world = {.pod = system_pod_start(&(system_pod_options_t){
                       .topology = "1x1", .coordinator_args = {"--hbm-bytes=5242880"}})};
  must(podium_connect(system_pod_address(world.pod),
                      &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS},
                      &world.session));
  must(podium_compile(world.session, "wide.mlir", wide_text, strlen(wide_text), NULL,
                      &world.next));
  float *values = calloc(WIDE, sizeof(*values));
  podium_array_t *first = NULL;
  must(podium_put(world.session, &(podium_layout_t){.executable = world.next}, values,
                  WIDE * sizeof(*values), TIMEOUT_MS, &first));
  ends_t ends;
  ends_init(&ends);
  podium_array_t *last = chain(&world, first, CALLS, &ends);
  must(podium_fetch(last, values, WIDE * sizeof(*values), TIMEOUT_MS));
  ends_wait(&ends, CALLS);
  assert_int_equal(ends.well, CALLS);
  assert_true(values[0] == CALLS && values[WIDE - 1] == CALLS);
  free(values);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_put_without_waiting_can_be_used_at_once),
      cmocka_unit_test(test_thousands_of_calls_that_depend_on_each_other_end_in_order),
      cmocka_unit_test(
          test_what_uses_a_cancelled_execution_fails_alike_and_the_rest_goes_on),
      cmocka_unit_test(test_arguments_by_chip_are_parts_of_different_arrays),
      cmocka_unit_test(test_all_calls_hear_of_a_worker_that_is_lost),
      cmocka_unit_test(test_closing_a_session_ends_all_its_calls),
      cmocka_unit_test(test_a_session_may_be_closed_in_a_callback),
      cmocka_unit_test(test_a_deadline_ends_an_execution_and_what_uses_it),
      cmocka_unit_test(test_options_of_a_smaller_size_are_filled_up),
      cmocka_unit_test(test_a_put_that_fails_is_told_to_those_that_use_it),
      cmocka_unit_test(test_a_chain_whose_arrays_would_not_fit_together_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
