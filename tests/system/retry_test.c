// A session with retries against real daemons that are killed: values are right, handles
// stay what they are, and nothing is left behind on the pod.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, COUNT = 64 };

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

// The same, of which the argument becomes the result.
static const char donate_text[] =
    "module @donate attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<8x8xf32> {tf.aliasing_output = 0 : i32, "
    "sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<8x8xf32> "
    "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "    %0 = stablehlo.constant dense<1.0> : tensor<8x8xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<8x8xf32>\n"
    "    return %1 : tensor<8x8xf32>\n  }\n}\n";

// Turns a loop as often as its argument says, on both chips.
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

typedef struct world_t {
  system_pod_t *pod;
  podium_session_t *session;
  podium_executable_t *next;
  atomic_int told;  // How often on_waiting said something.
} world_t;

static void on_waiting(void *context, const char *for_what) {
  world_t *world = context;
  if (*for_what != '\0') {
    atomic_fetch_add(&world->told, 1);
  }
}

static void open_world(world_t *world, const podium_connect_options_t *given) {
  memset(world, 0, sizeof(*world));
  world->pod = system_pod_start(&(system_pod_options_t){
      .topology = "2x1",
      .coordinator_args = {"--heartbeat-ms", "50", "--timeout-ms", "10000"}});
  podium_connect_options_t options = *given;
  options.timeout_ms = TIMEOUT_MS;
  options.on_waiting = on_waiting;
  options.on_waiting_context = world;
  must(podium_connect(system_pod_address(world->pod), &options, &world->session));
  must(podium_compile(world->session, "next.mlir", next_text, strlen(next_text), NULL,
                      &world->next));
}

static void start_world(world_t *world) {
  open_world(world, &(podium_connect_options_t){.retries = 5});
}

// The session stays, its arrays and programs do not: what is left are duplicates. The
// first looks may find what was told before.
static void expect_nothing_left(world_t *world) {
  podium_executable_free(world->next);
  world->next = NULL;
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  int64_t used = 1;
  for (int i = 0; i < 200 && used != 0; i++) {
    used = hbm_used_of(world->pod);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  assert_int_equal(used, 0);
}

static void stop_world(world_t *world) {
  podium_close(world->session);
  world->next = NULL;
  expect_nothing_left(world);
  system_pod_stop(world->pod);
}

static void restart_coordinator(world_t *world) {
  system_pod_signal_coordinator(world->pod, SIGKILL);
  system_pod_restart_coordinator(world->pod);
}

static void restart_worker(world_t *world) {
  system_pod_signal_worker(world->pod, 0, SIGKILL);
  system_pod_add_worker(world->pod, NULL);
}

static podium_array_t *put_rows(world_t *world, float first, podium_keep_t keep) {
  float values[COUNT];
  podium_array_t *array = NULL;
  for (int i = 0; i < COUNT; i++) {
    values[i] = first + (float)i;
  }
  const podium_layout_t layout = {.executable = world->next, .keep = keep};
  must(podium_put(world->session, &layout, values, sizeof(values), TIMEOUT_MS, &array));
  return array;
}

static podium_array_t *run(podium_executable_t *executable, podium_array_t *argument) {
  podium_array_t *result = NULL;
  const podium_execute_options_t options = {.timeout_ms = TIMEOUT_MS};
  must(podium_execute(executable, 1, &argument, &options, &result, NULL));
  return result;
}

static void expect_rows(podium_array_t *array, float first) {
  float values[COUNT] = {0};
  must(podium_fetch(array, values, sizeof(values), TIMEOUT_MS));
  for (int i = 0; i < COUNT; i++) {
    assert_float_equal(values[i], first + (float)i, 0);
  }
}

// --- Between calls ---

static void test_arrays_and_programs_are_there_again_after_the_coordinator(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY);
  podium_array_t *y = run(world.next, x);
  restart_coordinator(&world);
  expect_rows(y, 2);
  assert_true(atomic_load(&world.told) > 0);
  podium_array_t *z = run(world.next, x);
  expect_rows(z, 2);
  restart_coordinator(&world);
  podium_array_t *again = run(world.next, z);
  expect_rows(again, 3);
  expect_rows(x, 1);
  podium_array_free(x);
  podium_array_free(y);
  podium_array_free(z);
  podium_array_free(again);
  expect_nothing_left(&world);
  stop_world(&world);
}

static void test_a_result_is_computed_again_of_arguments_that_were_freed(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *array = put_rows(&world, 5, PODIUM_KEEP_COPY);
  for (int i = 0; i < 10; i++) {
    podium_array_t *result = run(world.next, array);
    podium_array_free(array);
    array = result;
  }
  podium_executable_free(world.next);
  world.next = NULL;
  restart_coordinator(&world);
  expect_rows(array, 15);
  restart_worker(&world);
  expect_rows(array, 15);
  podium_array_free(array);
  expect_nothing_left(&world);
  stop_world(&world);
}

static void test_what_was_donated_is_donated_again(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_executable_t *donate = NULL;
  must(podium_compile(world.session, "donate.mlir", donate_text, strlen(donate_text),
                      NULL, &donate));
  assert_int_equal(podium_executable_info(donate)->alias_count, 1);
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY);
  podium_array_t *before = run(world.next, x);
  podium_array_t *y = run(donate, x);
  podium_array_t *z = run(donate, y);
  restart_coordinator(&world);
  expect_rows(z, 3);
  expect_rows(before, 2);
  float values[COUNT];
  expect_error(podium_fetch(x, values, sizeof(values), TIMEOUT_MS),
               PODIUM_FAILED_PRECONDITION, "donated");
  podium_array_free(x);
  podium_array_free(y);
  podium_array_free(z);
  podium_array_free(before);
  podium_executable_free(donate);
  expect_nothing_left(&world);
  stop_world(&world);
}

// --- In the middle ---

typedef struct end_t {
  atomic_bool has_ended;
  podium_status_t *status;
} end_t;

static void on_end(void *context, podium_status_t *status) {
  end_t *end = context;
  end->status = status;
  atomic_store(&end->has_ended, true);
}

static podium_status_t *wait_for(end_t *end) {
  for (int i = 0; i < TIMEOUT_MS && !atomic_load(&end->has_ended); i++) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_true(atomic_load(&end->has_ended));
  return end->status;
}

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000},
            NULL);
}

static podium_executable_t *compile_turns(world_t *world) {
  podium_executable_t *turns = NULL;
  must(podium_compile(world->session, "turns.mlir", turns_text, strlen(turns_text), NULL,
                      &turns));
  return turns;
}

// An execution of a second or so, with what uses its result and what uses something else
// queued behind it, is interrupted by `interrupt`.
static void interrupt_execution(void (*interrupt)(world_t *)) {
  world_t world;
  start_world(&world);
  podium_executable_t *turns = compile_turns(&world);
  const podium_layout_t layout = {.executable = turns};
  const int32_t count = 100000;
  podium_array_t *argument = NULL, *result = NULL, *rows = NULL;
  must(podium_put(world.session, &layout, &count, sizeof(count), TIMEOUT_MS, &argument));
  podium_array_t *x = put_rows(&world, 7, PODIUM_KEEP_COPY);
  end_t ends[3] = {0};
  podium_array_t *second = NULL;
  const podium_execute_options_t options = {.timeout_ms = TIMEOUT_MS};
  must(podium_execute_async(turns, 1, &argument, &options, &result, on_end, &ends[0],
                            NULL));
  must(
      podium_execute_async(turns, 1, &result, &options, &second, on_end, &ends[1], NULL));
  must(podium_execute_async(world.next, 1, &x, &options, &rows, on_end, &ends[2], NULL));
  podium_array_free(argument);
  podium_array_free(result);
  pause_ms(30);
  interrupt(&world);
  for (int i = 0; i < 3; i++) {
    must(wait_for(&ends[i]));
  }
  int32_t got = 0;
  must(podium_fetch(second, &got, sizeof(got), TIMEOUT_MS));
  assert_int_equal(got, count);
  expect_rows(rows, 8);
  podium_executable_free(turns);
  podium_array_free(second);
  podium_array_free(rows);
  podium_array_free(x);
  expect_nothing_left(&world);
  stop_world(&world);
}

static void test_executions_run_again_after_the_coordinator(void **state) {
  (void)state;
  interrupt_execution(restart_coordinator);
}

static void test_executions_run_again_after_a_worker(void **state) {
  (void)state;
  interrupt_execution(restart_worker);
}

// --- Transfers of 64 MiB, with the pod gone in their middle ---

enum { LARGE = 64 << 20 };

// The put waits at a third until the test's thread, whose children daemons have to be,
// has done it.
typedef struct source_t {
  world_t *world;
  podium_keep_t keep;
  podium_array_t *array;
  podium_status_t *status;
  size_t at;
  atomic_int reached, interrupted;
} source_t;

static unsigned char byte_at(size_t i) {
  return (unsigned char)(i * 2654435761u >> 13);
}

static int64_t read_source(void *context, void *buffer, size_t size) {
  source_t *source = context;
  if (buffer == NULL) {
    source->at = 0;
    return 0;
  }
  if (source->at > LARGE / 3) {
    atomic_store(&source->reached, 1);
    while (!atomic_load(&source->interrupted)) {
      pause_ms(1);
    }
  }
  for (size_t i = 0; i < size; i++) {
    ((unsigned char *)buffer)[i] = byte_at(source->at + i);
  }
  source->at += size;
  return (int64_t)size;
}

static const podium_layout_t large_layout = {
    .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {LARGE}}};

static void expect_large(podium_array_t *array) {
  unsigned char *bytes = malloc(LARGE);
  assert_non_null(bytes);
  must(podium_fetch(array, bytes, LARGE, TIMEOUT_MS));
  size_t wrong = 0;
  for (size_t i = 0; i < LARGE; i++) {
    wrong += bytes[i] != byte_at(i);
  }
  assert_int_equal(wrong, 0);
  free(bytes);
}

static void *put_source(void *context) {
  source_t *source = context;
  podium_layout_t layout = large_layout;
  layout.keep = source->keep;
  source->status = podium_put_stream(source->world->session, &layout, read_source, source,
                                     TIMEOUT_MS, &source->array);
  return NULL;
}

static podium_status_t *put_interrupted(source_t *source, void (*interrupt)(world_t *)) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, put_source, source), 0);
  for (int i = 0; i < TIMEOUT_MS && !atomic_load(&source->reached); i++) {
    pause_ms(1);
  }
  interrupt(source->world);
  atomic_store(&source->interrupted, 1);
  pthread_join(thread, NULL);
  return source->status;
}

static void interrupt_put(void (*interrupt)(world_t *), podium_keep_t keep) {
  world_t world;
  start_world(&world);
  source_t source = {.world = &world, .keep = keep};
  must(put_interrupted(&source, interrupt));
  expect_large(source.array);
  restart_coordinator(&world);
  expect_large(source.array);
  podium_array_free(source.array);
  expect_nothing_left(&world);
  stop_world(&world);
}

static void test_a_put_goes_on_from_what_was_kept(void **state) {
  (void)state;
  interrupt_put(restart_coordinator, PODIUM_KEEP_COPY);
}

static void test_a_put_is_read_again_from_its_source(void **state) {
  (void)state;
  interrupt_put(restart_coordinator, PODIUM_KEEP_SOURCE);
}

static void test_a_put_outlives_a_worker(void **state) {
  (void)state;
  interrupt_put(restart_worker, PODIUM_KEEP_COPY);
}

// Holds the library's thread.
typedef struct hold_t {
  atomic_int reached, let_go;
} hold_t;

static void on_held(void *context, podium_status_t *status) {
  hold_t *hold = context;
  must(status);
  atomic_store(&hold->reached, 1);
  while (!atomic_load(&hold->let_go)) {
    pause_ms(1);
  }
}

// What is asked while the library has not noticed yet that the coordinator went reaches
// the one that was started since, which knows nothing of the session.
static void test_what_reaches_a_coordinator_too_late_is_asked_again(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *array = put_rows(&world, 4, PODIUM_KEEP_COPY);
  for (int i = 0; i < 3; i++) {
    float values[COUNT] = {0}, others[COUNT] = {0};
    hold_t hold = {0};
    end_t end = {0};
    must(podium_fetch_async(array, -1, others, sizeof(others), TIMEOUT_MS, on_held,
                            &hold));
    for (int t = 0; t < TIMEOUT_MS && !atomic_load(&hold.reached); t++) {
      pause_ms(1);
    }
    must(podium_fetch_async(array, -1, values, sizeof(values), TIMEOUT_MS, on_end, &end));
    restart_coordinator(&world);
    atomic_store(&hold.let_go, 1);
    must(wait_for(&end));
    assert_true(values[0] == 4);
  }
  podium_array_free(array);
  expect_nothing_left(&world);
  stop_world(&world);
}

static void test_a_put_that_cannot_be_read_again_says_so(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  source_t source = {.world = &world, .keep = PODIUM_KEEP_NOTHING};
  expect_error(put_interrupted(&source, restart_coordinator), PODIUM_UNAVAILABLE,
               "cannot be read again");
  stop_world(&world);
}

static void interrupt_fetch(void (*interrupt)(world_t *)) {
  world_t world;
  start_world(&world);
  unsigned char *bytes = malloc(LARGE), *got = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) {
    bytes[i] = byte_at(i);
  }
  podium_layout_t layout = large_layout;
  podium_array_t *array = NULL;
  layout.keep = PODIUM_KEEP_SOURCE;
  must(podium_put(world.session, &layout, bytes, LARGE, TIMEOUT_MS, &array));
  for (int i = 0; i < 3; i++) {
    end_t end = {0};
    memset(got, 0, LARGE);
    must(podium_fetch_async(array, -1, got, LARGE, TIMEOUT_MS, on_end, &end));
    pause_ms(3 * i);
    interrupt(&world);
    must(wait_for(&end));
    assert_memory_equal(got, bytes, LARGE);
  }
  podium_array_free(array);
  expect_nothing_left(&world);
  stop_world(&world);
  free(bytes);
  free(got);
}

static void test_a_fetch_outlives_the_coordinator(void **state) {
  (void)state;
  interrupt_fetch(restart_coordinator);
}

// --- What cannot be made again ---

static void test_an_array_that_is_not_kept_is_named(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_NOTHING);
  podium_array_t *y = run(world.next, x);
  podium_array_t *kept = put_rows(&world, 9, PODIUM_KEEP_COPY);
  restart_coordinator(&world);
  float values[COUNT];
  expect_error(podium_fetch(x, values, sizeof(values), TIMEOUT_MS), PODIUM_DATA_LOSS,
               "f32[8,8], was lost");
  expect_error(podium_fetch(x, values, sizeof(values), TIMEOUT_MS), PODIUM_DATA_LOSS,
               "PODIUM_KEEP_NOTHING");
  expect_error(podium_fetch(y, values, sizeof(values), TIMEOUT_MS), PODIUM_DATA_LOSS,
               "could not be computed again");
  podium_array_t *result = NULL;
  expect_error(podium_execute(world.next, 1, &x, NULL, &result, NULL), PODIUM_DATA_LOSS,
               "argument 0 of 'next'");
  expect_rows(kept, 9);
  podium_array_free(x);
  podium_array_free(y);
  podium_array_free(kept);
  stop_world(&world);
}

static void test_chains_and_copies_have_a_bound(void **state) {
  (void)state;
  world_t world;
  open_world(&world, &(podium_connect_options_t){
                         .retries = 3, .keep_bytes = 600, .remake_depth = 3});
  podium_array_t *kept = put_rows(&world, 1, PODIUM_KEEP_COPY);
  podium_array_t *other = put_rows(&world, 2, PODIUM_KEEP_COPY);
  podium_array_t *too_much = put_rows(&world, 3, PODIUM_KEEP_COPY);
  podium_array_t *chain[5] = {kept};
  for (int i = 1; i < 5; i++) {
    chain[i] = run(world.next, chain[i - 1]);
  }
  restart_coordinator(&world);
  expect_rows(kept, 1);
  expect_rows(other, 2);
  float values[COUNT];
  expect_error(podium_fetch(too_much, values, sizeof(values), TIMEOUT_MS),
               PODIUM_DATA_LOSS, "more than what the session may keep");
  expect_rows(chain[3], 4);
  expect_error(podium_fetch(chain[4], values, sizeof(values), TIMEOUT_MS),
               PODIUM_DATA_LOSS, "too many executions");
  podium_array_free(too_much);
  podium_array_free(other);
  expect_rows(kept, 1);  // What was freed before this is.
  podium_array_t *late = put_rows(&world, 4, PODIUM_KEEP_COPY);
  restart_coordinator(&world);
  expect_rows(late, 4);
  stop_world(&world);
}

// --- When it does not come back ---

static void test_a_call_waits_no_longer_than_its_deadline(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY);
  system_pod_signal_coordinator(world.pod, SIGKILL);
  podium_array_t *y = NULL;
  const podium_execute_options_t options = {.timeout_ms = 500};
  float values[COUNT];
  expect_error(podium_execute(world.next, 1, &x, &options, &y, NULL),
               PODIUM_DEADLINE_EXCEEDED, "500 ms");
  expect_error(podium_fetch(x, values, sizeof(values), 300), PODIUM_DEADLINE_EXCEEDED,
               system_pod_address(world.pod));
  podium_executable_t *again = NULL;
  const podium_compile_options_t compile = {.timeout_ms = 300};
  expect_error(podium_compile(world.session, "next.mlir", next_text, strlen(next_text),
                              &compile, &again),
               PODIUM_DEADLINE_EXCEEDED, "waited for");
  system_pod_restart_coordinator(world.pod);
  expect_rows(x, 1);
  stop_world(&world);
}

static void test_the_wait_itself_has_a_bound(void **state) {
  (void)state;
  world_t world;
  open_world(&world, &(podium_connect_options_t){.retries = 100, .retry_ms = 1000});
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY);
  system_pod_signal_coordinator(world.pod, SIGKILL);
  float values[COUNT];
  expect_error(podium_fetch(x, values, sizeof(values), 0), PODIUM_UNAVAILABLE,
               "has not come back within 1 s");
  system_pod_restart_coordinator(world.pod);
  expect_rows(x, 1);
  stop_world(&world);
}

static void test_a_session_closes_and_cancels_while_it_waits(void **state) {
  (void)state;
  world_t world;
  start_world(&world);
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY), *y = NULL, *z = NULL;
  system_pod_signal_coordinator(world.pod, SIGKILL);
  end_t ends[3] = {0};
  float values[COUNT];
  podium_execution_t *execution = NULL;
  must(podium_execute_async(world.next, 1, &x, NULL, &y, on_end, &ends[0], &execution));
  must(podium_execute_async(world.next, 1, &y, NULL, &z, on_end, &ends[1], NULL));
  must(podium_fetch_async(x, -1, values, sizeof(values), 0, on_end, &ends[2]));
  podium_execution_cancel(execution);
  expect_error(wait_for(&ends[0]), PODIUM_CANCELLED, "cancelled");
  pause_ms(200);
  podium_close(world.session);
  expect_error(wait_for(&ends[1]), PODIUM_CANCELLED, "closed");
  expect_error(wait_for(&ends[2]), PODIUM_CANCELLED, "closed");
  system_pod_restart_coordinator(world.pod);
  world.session = NULL;
  stop_world(&world);
}

static void test_without_retries_a_loss_is_told_as_ever(void **state) {
  (void)state;
  world_t world;
  open_world(&world, &(podium_connect_options_t){0});
  podium_array_t *x = put_rows(&world, 1, PODIUM_KEEP_COPY);
  restart_coordinator(&world);
  float values[COUNT];
  podium_status_t *status = podium_fetch(x, values, sizeof(values), TIMEOUT_MS);
  expect_error(status, PODIUM_UNAVAILABLE, "");
  stop_world(&world);
}

static void test_a_group_cannot_retry_by_itself(void **state) {
  (void)state;
  podium_session_t *session = NULL;
  expect_error(podium_connect("127.0.0.1:1",
                              &(podium_connect_options_t){
                                  .retries = 1, .group = "g", .process_count = 1},
                              &session),
               PODIUM_INVALID_ARGUMENT, "group");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_and_programs_are_there_again_after_the_coordinator),
      cmocka_unit_test(test_a_result_is_computed_again_of_arguments_that_were_freed),
      cmocka_unit_test(test_what_was_donated_is_donated_again),
      cmocka_unit_test(test_executions_run_again_after_the_coordinator),
      cmocka_unit_test(test_executions_run_again_after_a_worker),
      cmocka_unit_test(test_a_put_goes_on_from_what_was_kept),
      cmocka_unit_test(test_a_put_is_read_again_from_its_source),
      cmocka_unit_test(test_a_put_outlives_a_worker),
      cmocka_unit_test(test_what_reaches_a_coordinator_too_late_is_asked_again),
      cmocka_unit_test(test_a_put_that_cannot_be_read_again_says_so),
      cmocka_unit_test(test_a_fetch_outlives_the_coordinator),
      cmocka_unit_test(test_an_array_that_is_not_kept_is_named),
      cmocka_unit_test(test_chains_and_copies_have_a_bound),
      cmocka_unit_test(test_a_call_waits_no_longer_than_its_deadline),
      cmocka_unit_test(test_the_wait_itself_has_a_bound),
      cmocka_unit_test(test_a_session_closes_and_cancels_while_it_waits),
      cmocka_unit_test(test_without_retries_a_loss_is_told_as_ever),
      cmocka_unit_test(test_a_group_cannot_retry_by_itself),
  };
  return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
