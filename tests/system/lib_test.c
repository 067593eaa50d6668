// libpodium's promises, against real daemons.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/file.h"
#include "tests/system/client.h"

enum { COUNT = 1 << 12, THREADS = 4, ROUNDS = 8, TIMEOUT_MS = 60000 };

static const char add_text[] =
    "module @jit_add attributes {mhlo.num_partitions = 4 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func public @main(%arg0: tensor<64x64xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}, %arg1: tensor<64x64xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) -> (tensor<64x64xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) {\n"
    "    %0 = stablehlo.add %arg0, %arg1 : tensor<64x64xf32>\n"
    "    return %0 : tensor<64x64xf32>\n  }\n}\n";

static void test_connect_names_the_address_that_does_not_answer(void **state) {
  (void)state;
  podium_session_t *session = NULL;
  expect_error(podium_connect("127.0.0.1:1",
                              &(podium_connect_options_t){.timeout_ms = 5000}, &session),
               PODIUM_UNAVAILABLE, "127.0.0.1:1");
  assert_null(session);
}

// On a busy machine a worker may take its time; one that is stopped before it has begun
// ends by the signal.
static void wait_for_a_worker(const system_pod_t *pod) {
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.do_not_wait = true}, &session));
  bool is_there = false;
  for (int i = 0; i < TIMEOUT_MS / 10 && !is_there; i++) {
    podium_pod_t *now = NULL;
    must(podium_pod(session, TIMEOUT_MS, &now));
    for (int chip = 0; chip < now->device_count; chip++) {
      is_there = is_there || strcmp(now->devices[chip].state, "missing") != 0;
    }
    podium_pod_free(now);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  assert_true(is_there);
  podium_close(session);
}

static void test_connect_gives_up_at_its_deadline_when_chips_are_missing(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.workers = 1});
  podium_session_t *session = NULL;
  expect_error(podium_connect(system_pod_address(pod),
                              &(podium_connect_options_t){.timeout_ms = 500}, &session),
               PODIUM_DEADLINE_EXCEEDED, "not ready within 500 ms");
  wait_for_a_worker(pod);
  system_pod_stop(pod);
}

static void test_put_execute_fetch_gives_the_sum_and_a_profile(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(
      podium_compile(session, "add.mlir", add_text, strlen(add_text), NULL, &executable));
  const podium_program_info_t *info = podium_executable_info(executable);
  assert_int_equal(info->argument_count, 2);
  assert_int_equal(info->collective_count, 0);
  assert_int_equal(info->arguments[0].local_shape.dims[0], 32);
  assert_int_equal(info->arguments[0].local_shape.dims[1], 32);
  float *values = malloc(COUNT * sizeof(*values));
  podium_array_t *arguments[2], *result = NULL;
  for (int a = 0; a < 2; a++) {
    for (int i = 0; i < COUNT; i++) {
      values[i] = (float)(i * (a + 1));
    }
    must(podium_put(session, &(podium_layout_t){.executable = executable, .argument = a},
                    values, COUNT * sizeof(*values), TIMEOUT_MS, &arguments[a]));
  }
  podium_execution_t *execution = NULL;
  must(podium_execute(
      executable, 2, arguments,
      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS, .profile = true}, &result,
      &execution));
  must(podium_fetch(result, values, COUNT * sizeof(*values), TIMEOUT_MS));
  for (int i = 0; i < COUNT; i++) {
    assert_true(values[i] == (float)(3 * i));
  }
  assert_true(podium_execution_host_ns(execution) > 0);
  podium_profile_t *profile = NULL;
  const podium_profile_options_t options = {.timeout_ms = TIMEOUT_MS, .events_max = 10};
  must(podium_profile(execution, &options, &profile));
  assert_int_equal(profile->chip_count, 4);
  assert_int_equal(profile->host_count, 4);
  assert_true(profile->step_ps > 0);
  assert_true(profile->classes[0].event_count > 0);
  assert_true(profile->hosts[3].event_count > 0);
  assert_int_equal(profile->hosts[3].chip, 3);
  // Simulated, it takes as long.
  podium_profile_t *simulated = NULL;
  must(podium_simulate(executable, &options, &simulated));
  assert_int_equal(simulated->host_count, 0);
  assert_int_equal(simulated->step_ps, profile->step_ps);
  podium_profile_free(simulated);
  podium_profile_free(profile);
  free(values);
  podium_close(session);
  system_pod_stop(pod);
}

static void test_an_array_put_by_its_own_sharding_serves_as_an_argument(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(
      podium_compile(session, "add.mlir", add_text, strlen(add_text), NULL, &executable));
  const podium_mesh_axis_t axes[] = {{"x", 2}, {"y", 2}};
  const podium_sharding_t sharding = {
      .axis_count = 2, .axes = axes, .rank = 2, .spec = (const char *const[]){"x", "y"}};
  podium_layout_t layout = {.shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {64, 64}},
                            .sharding = &sharding};
  float *values = calloc(COUNT, sizeof(*values));
  podium_array_t *array = NULL, *replicated = NULL, *result = NULL;
  must(podium_put(session, &layout, values, COUNT * sizeof(*values), TIMEOUT_MS, &array));
  must(podium_execute(executable, 2, (podium_array_t *[]){array, array}, NULL, &result,
                      NULL));
  layout.sharding = NULL;
  must(podium_put(session, &layout, values, COUNT * sizeof(*values), TIMEOUT_MS,
                  &replicated));
  expect_error(podium_execute(executable, 2, (podium_array_t *[]){array, replicated},
                              NULL, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "[{\"x\"}, {\"y\"}]");
  expect_error(podium_execute(executable, 1, &array, NULL, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "takes 2 arguments, 1");
  expect_error(podium_put(session, &layout, values, 17, TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "17");
  free(values);
  podium_close(session);
  system_pod_stop(pod);
}

static int64_t give_up_half_way(void *context, void *buffer, size_t size) {
  int *calls = context;
  memset(buffer, 0, size);
  return (*calls)++ < 3 ? (int64_t)size : -1;
}

static void test_what_a_session_holds_is_freed_when_it_ends_or_a_put_is_given_up(
    void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {2048, 2048}}};
  int calls = 0;
  podium_array_t *array = NULL;
  expect_error(
      podium_put_stream(session, &layout, give_up_half_way, &calls, TIMEOUT_MS, &array),
      PODIUM_CANCELLED, "gave up");
  calls = -1000000;
  must(podium_put_stream(session, &layout, give_up_half_way, &calls, TIMEOUT_MS, &array));
  podium_close(session);
  // The coordinator frees on the workers after the client has gone, and hears of it with
  // their next heartbeats.
  const int64_t deadline_ns = pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
  while (hbm_used_of(pod) != 0) {
    assert_true(pod_clock_now_ns() < deadline_ns);
  }
  system_pod_stop(pod);
}

typedef struct round_t {
  podium_session_t *session;
  podium_executable_t *executable;
  podium_array_t *array;
  int failures;
} round_t;

static void *execute_rounds(void *context) {
  round_t *round = context;
  float *values = malloc(COUNT * sizeof(*values));
  for (int i = 0; i < ROUNDS; i++) {
    podium_array_t *result = NULL;
    podium_status_t *status = podium_execute(
        round->executable, 2, (podium_array_t *[]){round->array, round->array}, NULL,
        &result, NULL);
    if (status == NULL) {
      status = podium_fetch(result, values, COUNT * sizeof(*values), TIMEOUT_MS);
    }
    round->failures += status != NULL || values[COUNT - 1] != 2.0f * (COUNT - 1);
    podium_status_free(status);
    podium_array_free(result);
  }
  free(values);
  return NULL;
}

static void test_several_threads_share_a_session(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  round_t round = {.session = connect_to(pod)};
  must(podium_compile(round.session, "add.mlir", add_text, strlen(add_text), NULL,
                      &round.executable));
  float *values = malloc(COUNT * sizeof(*values));
  for (int i = 0; i < COUNT; i++) {
    values[i] = (float)i;
  }
  must(podium_put(round.session, &(podium_layout_t){.executable = round.executable},
                  values, COUNT * sizeof(*values), TIMEOUT_MS, &round.array));
  free(values);
  pthread_t threads[THREADS];
  round_t rounds[THREADS];
  for (int i = 0; i < THREADS; i++) {
    rounds[i] = round;
    assert_int_equal(pthread_create(&threads[i], NULL, execute_rounds, &rounds[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(rounds[i].failures, 0);
  }
  podium_close(round.session);
  system_pod_stop(pod);
}

// --- The same module from several clients at once ---

typedef struct compiling_t {
  podium_session_t *session;
  const char *text;
  size_t length;
  int64_t timeout_ms;
  pthread_barrier_t *barrier;
  podium_status_t *status;  // Of podium_compile; owned.
} compiling_t;

static void *compile_at_once(void *context) {
  compiling_t *compiling = context;
  podium_executable_t *executable = NULL;
  pthread_barrier_wait(compiling->barrier);
  compiling->status = podium_compile(
      compiling->session, "long.mlir", compiling->text, compiling->length,
      &(podium_compile_options_t){.timeout_ms = compiling->timeout_ms}, &executable);
  podium_executable_free(executable);
  return NULL;
}

// Long enough that the first is still under way when the others come.
static char *write_long_module(void) {
  enum { OPERATIONS = 20000, LINE_BYTES = 100 };
  char *text = malloc((size_t)OPERATIONS * LINE_BYTES + 1000);
  char *at = text + sprintf(text,
                            "func.func public @main(%%a: tensor<8xf32>) -> tensor<8xf32> "
                            "{\n  %%0 = stablehlo.negate %%a : tensor<8xf32>\n");
  for (int i = 1; i < OPERATIONS; i++) {
    at += sprintf(at, "  %%%d = stablehlo.add %%%d, %%a : tensor<8xf32>\n", i, i - 1);
  }
  sprintf(at, "  return %%%d : tensor<8xf32>\n}\n", OPERATIONS - 1);
  return text;
}

static int count_of(const char *text, const char *part) {
  int count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count++;
  }
  return count;
}

static void test_a_module_that_several_compile_at_once_is_compiled_once(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  char *text = write_long_module();
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, THREADS + 1);
  pthread_t threads[THREADS + 1];
  compiling_t all[THREADS + 1];
  for (int i = 0; i <= THREADS; i++) {
    // The last one gives up, at whatever moment, and takes nothing from the others.
    all[i] = (compiling_t){.session = connect_to(pod),
                           .text = text,
                           .length = strlen(text),
                           .timeout_ms = i < THREADS ? TIMEOUT_MS : 20,
                           .barrier = &barrier};
    assert_int_equal(pthread_create(&threads[i], NULL, compile_at_once, &all[i]), 0);
  }
  for (int i = 0; i <= THREADS; i++) {
    pthread_join(threads[i], NULL);
    podium_close(all[i].session);
    if (i < THREADS) {
      must(all[i].status);
    } else if (all[i].status != NULL) {
      expect_error(all[i].status, PODIUM_DEADLINE_EXCEEDED, "");
    }
  }
  char *log = system_pod_log(pod, -1);
  assert_int_equal(count_of(log, "compiling long.mlir of"), 1);
  assert_true(count_of(log, "has compiled ") >= THREADS);
  free(log);
  pthread_barrier_destroy(&barrier);
  free(text);
  system_pod_stop(pod);
}

// --- Sizes that a module leaves open ---

// f32[rows,8] of ones times f32[8,4] of twos, plus rows; compiled for that many rows.
static void run_open_batch(podium_session_t *session, const char *text, int64_t rows) {
  enum { ROWS_MAX = 64 };
  float ones[8 * ROWS_MAX], twos[8 * 4], sums[4 * ROWS_MAX];
  for (int i = 0; i < 8 * ROWS_MAX; i++) {
    ones[i] = 1;
    twos[i % (8 * 4)] = 2;
  }
  const podium_argument_type_t type = {
      .argument = "arg0", .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {rows, 8}}};
  const podium_compile_options_t options = {
      .timeout_ms = TIMEOUT_MS, .argument_type_count = 1, .argument_types = &type};
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "open.mlir", text, strlen(text), &options, &executable));
  const podium_program_info_t *info = podium_executable_info(executable);
  assert_int_equal(info->arguments[0].local_shape.dims[0], rows / 2);
  assert_int_equal(info->results[0].shape.dims[0], rows);
  podium_array_t *arguments[2], *result = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, ones,
                  (size_t)rows * 8 * sizeof(float), TIMEOUT_MS, &arguments[0]));
  must(podium_put(session, &(podium_layout_t){.executable = executable, .argument = 1},
                  twos, sizeof(twos), TIMEOUT_MS, &arguments[1]));
  must(podium_execute(executable, 2, arguments, NULL, &result, NULL));
  must(podium_fetch(result, sums, (size_t)rows * 4 * sizeof(float), TIMEOUT_MS));
  for (int64_t i = 0; i < 4 * rows; i++) {
    assert_true(sums[i] == (float)(16 + rows));
  }
  podium_array_free(result);
  podium_array_free(arguments[0]);
  podium_array_free(arguments[1]);
  podium_executable_free(executable);
}

static void test_a_module_of_open_sizes_runs_for_those_it_is_compiled_for(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  pod_text_t text = {0};
  assert_true(read_file(CONFORMANCE_FOLDER "/open/batch.2x2.mlir", &text));
  run_open_batch(session, text.bytes, 8);
  run_open_batch(session, text.bytes, 64);
  podium_executable_t *executable = NULL;
  expect_error(
      podium_compile(session, "open.mlir", text.bytes, text.length, NULL, &executable),
      PODIUM_UNIMPLEMENTED, "open.mlir:6:26: argument 0 is tensor<?x8xf32>");
  podium_argument_type_t type = {.shape = {.rank = 2, .dims = {8, 9}}};
  const podium_compile_options_t options = {.argument_type_count = 1,
                                            .argument_types = &type};
  expect_error(podium_compile(session, "open.mlir", text.bytes, text.length, &options,
                              &executable),
               PODIUM_INVALID_ARGUMENT,
               "open.mlir:6:26: argument 0 is tensor<?x8xf32>; 8x9 was given; dimension "
               "1 must be 8");
  type.shape.rank = PODIUM_RANK_MAX + 1;
  expect_error(podium_compile(session, "open.mlir", text.bytes, text.length, &options,
                              &executable),
               PODIUM_INVALID_ARGUMENT, "has 17 dimensions");
  pod_text_deinit(&text);
  podium_close(session);
  system_pod_stop(pod);
}

// --- Texts that come again ---

static bool compile_is_cached(podium_session_t *session, const char *text) {
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "again.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  const podium_program_info_t *info = podium_executable_info(executable);
  assert_int_equal(info->argument_count, 1);
  const bool is_cached = info->cached;
  podium_executable_free(executable);
  return is_cached;
}

// Short texts are sent at once, long ones when the digest is not known.
static void test_a_text_that_comes_again_is_known(void **state) {
  (void)state;
  static const char small[] =
      "func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  return %a : tensor<8xf32>\n}\n";
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_to(pod), *other = connect_to(pod);
  char *large = write_long_module();
  assert_false(compile_is_cached(session, small));
  assert_true(compile_is_cached(other, small));
  assert_false(compile_is_cached(session, large));
  assert_true(compile_is_cached(other, large));
  podium_close(session);
  assert_true(compile_is_cached(other, large));
  char *log = system_pod_log(pod, -1);
  assert_int_equal(count_of(log, "compiling again.mlir of"), 2);
  free(log);
  free(large);
  podium_close(other);
  system_pod_stop(pod);
}

static void test_what_must_not_be_null_is_refused_without_a_pod(void **state) {
  (void)state;
  podium_session_t *session = NULL;
  expect_error(podium_connect(NULL, NULL, &session), PODIUM_INVALID_ARGUMENT,
               "address is NULL");
  expect_error(podium_connect("127.0.0.1:1", NULL, NULL), PODIUM_INVALID_ARGUMENT,
               "out_session is NULL");
  expect_error(podium_connect("", NULL, &session), PODIUM_INVALID_ARGUMENT, "");
  expect_error(podium_pod(NULL, 0, NULL), PODIUM_INVALID_ARGUMENT, "session is NULL");
  expect_error(podium_compile(NULL, NULL, NULL, 0, NULL, NULL), PODIUM_INVALID_ARGUMENT,
               "session is NULL");
  expect_error(podium_put(NULL, NULL, NULL, 0, 0, NULL), PODIUM_INVALID_ARGUMENT,
               "session is NULL");
  expect_error(podium_put_stream(NULL, NULL, NULL, NULL, 0, NULL),
               PODIUM_INVALID_ARGUMENT, "session is NULL");
  expect_error(podium_fetch(NULL, NULL, 0, 0), PODIUM_INVALID_ARGUMENT, "array is NULL");
  expect_error(podium_execute(NULL, 0, NULL, NULL, NULL, NULL), PODIUM_INVALID_ARGUMENT,
               "executable is NULL");
  expect_error(podium_profile(NULL, NULL, NULL), PODIUM_INVALID_ARGUMENT,
               "execution is NULL");
  expect_error(podium_simulate(NULL, NULL, NULL), PODIUM_INVALID_ARGUMENT,
               "executable is NULL");
  assert_null(session);
}

static void test_what_ends_accepts_null_and_getters_give_none(void **state) {
  (void)state;
  podium_close(NULL);
  podium_pod_free(NULL);
  podium_executable_free(NULL);
  podium_array_free(NULL);
  podium_execution_free(NULL);
  podium_profile_free(NULL);
  podium_status_free(NULL);
  assert_int_equal(podium_status_code(NULL), PODIUM_OK);
  assert_string_equal(podium_status_message(NULL), "ok");
  assert_null(podium_executable_info(NULL));
  assert_null(podium_array_shape(NULL));
  assert_int_equal(podium_execution_host_ns(NULL), 0);
  assert_int_equal(podium_shape_bytes(NULL), -1);
  assert_string_equal(podium_code_name((podium_code_t)99), "UNKNOWN");
  assert_string_equal(podium_bound_name((podium_bound_t)99), "?");
  char text[8] = "x";
  podium_shape_print(NULL, text, sizeof(text));
  assert_string_equal(text, "?");
  const podium_shape_t wide = {.dtype = PODIUM_F32, .rank = PODIUM_RANK_MAX + 1};
  assert_int_equal(podium_shape_bytes(&wide), -1);
  podium_shape_print(&wide, text, sizeof(text));
  assert_string_equal(text, "?");
  podium_shape_print(&wide, NULL, 0);
}

static void test_null_lists_and_handles_of_other_sessions_are_refused(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod), *other = connect_to(pod);
  podium_executable_t *executable = NULL;
  podium_array_t *array = NULL, *foreign = NULL, *results[1] = {NULL};
  must(podium_compile(session, NULL, add_text, strlen(add_text), NULL, &executable));
  expect_error(podium_compile(session, "m", NULL, 4, NULL, &executable),
               PODIUM_INVALID_ARGUMENT, "text is NULL");
  expect_error(
      podium_compile(session, "m", add_text, strlen(add_text),
                     &(podium_compile_options_t){.chip_kind = "v4"}, &executable),
      PODIUM_INVALID_ARGUMENT, "only");
  expect_error(
      podium_compile(session, "m", add_text, strlen(add_text),
                     &(podium_compile_options_t){.argument_type_count = 1}, &executable),
      PODIUM_INVALID_ARGUMENT, "types of arguments: 1");
  const podium_layout_t layout = {.executable = executable};
  static float data[64 * 64];
  expect_error(podium_put(session, &layout, NULL, sizeof(data), 0, &array),
               PODIUM_INVALID_ARGUMENT, "data is NULL");
  expect_error(podium_put(session, NULL, data, sizeof(data), 0, &array),
               PODIUM_INVALID_ARGUMENT, "layout is NULL");
  expect_error(podium_put(other, &layout, data, sizeof(data), 0, &array),
               PODIUM_INVALID_ARGUMENT, "another session");
  must(podium_put(session, &layout, data, sizeof(data), TIMEOUT_MS, &array));
  const podium_layout_t free_layout = {
      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {64, 64}}};
  must(podium_put(other, &free_layout, data, sizeof(data), TIMEOUT_MS, &foreign));
  expect_error(podium_fetch(array, NULL, sizeof(data), 0), PODIUM_INVALID_ARGUMENT,
               "data is NULL");
  podium_array_t *const lists[][2] = {{array, NULL}, {array, foreign}};
  expect_error(podium_execute(executable, 2, lists[0], NULL, results, NULL),
               PODIUM_INVALID_ARGUMENT, "argument 1 of 'jit_add' is NULL");
  expect_error(podium_execute(executable, 2, lists[1], NULL, results, NULL),
               PODIUM_INVALID_ARGUMENT, "argument 1 of 'jit_add' belongs to another");
  expect_error(podium_execute(executable, 2, NULL, NULL, results, NULL),
               PODIUM_INVALID_ARGUMENT, "arguments: 2");
  expect_error(podium_execute(executable, 2, lists[0], NULL, NULL, NULL),
               PODIUM_INVALID_ARGUMENT, "results: 1");
  podium_profile_t *profile = NULL;
  expect_error(
      podium_simulate(executable, &(podium_profile_options_t){.slow_chip_count = 2},
                      &profile),
      PODIUM_INVALID_ARGUMENT, "slow chips: 2");
  expect_error(podium_simulate(executable, &(podium_profile_options_t){.turns_count = -1},
                               &profile),
               PODIUM_INVALID_ARGUMENT, "turns of loops: -1");
  podium_close(other);
  podium_close(session);
  system_pod_stop(pod);
}

static void test_a_mesh_that_is_none_is_refused(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  podium_array_t *array = NULL;
  const float value[4] = {0};
  const char *const spec[] = {"x"};
  const int64_t ids[] = {0, 1};
  const podium_mesh_axis_t axes[] = {{NULL, 2}, {"x", 0}, {"x", INT64_MAX}};
  podium_sharding_t sharding = {.rank = 1, .spec = spec, .device_ids = ids};
  const podium_layout_t layout = {.shape = {.dtype = PODIUM_F32, .rank = 1, .dims = {4}},
                                  .sharding = &sharding};
  for (int i = 0; i < 3; i++) {
    sharding.axis_count = 1;
    sharding.axes = &axes[i];
    expect_error(podium_put(session, &layout, value, sizeof(value), 0, &array),
                 PODIUM_INVALID_ARGUMENT, "of the mesh has");
  }
  sharding.axes = NULL;
  expect_error(podium_put(session, &layout, value, sizeof(value), 0, &array),
               PODIUM_INVALID_ARGUMENT, "axes of the mesh: 1");
  sharding.axes = &axes[0];
  sharding.spec = NULL;
  expect_error(podium_put(session, &layout, value, sizeof(value), 0, &array),
               PODIUM_INVALID_ARGUMENT, "dimensions of the sharding: 1");
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_connect_names_the_address_that_does_not_answer),
      cmocka_unit_test(test_connect_gives_up_at_its_deadline_when_chips_are_missing),
      cmocka_unit_test(test_put_execute_fetch_gives_the_sum_and_a_profile),
      cmocka_unit_test(test_an_array_put_by_its_own_sharding_serves_as_an_argument),
      cmocka_unit_test(
          test_what_a_session_holds_is_freed_when_it_ends_or_a_put_is_given_up),
      cmocka_unit_test(test_several_threads_share_a_session),
      cmocka_unit_test(test_a_module_that_several_compile_at_once_is_compiled_once),
      cmocka_unit_test(test_a_module_of_open_sizes_runs_for_those_it_is_compiled_for),
      cmocka_unit_test(test_a_text_that_comes_again_is_known),
      cmocka_unit_test(test_what_must_not_be_null_is_refused_without_a_pod),
      cmocka_unit_test(test_what_ends_accepts_null_and_getters_give_none),
      cmocka_unit_test(test_null_lists_and_handles_of_other_sessions_are_refused),
      cmocka_unit_test(test_a_mesh_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
