// A client that keeps the chips busy for as long as it can does not starve the others.
// Prints how long they wait.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, NS_PER_MS = 1000000 };

// Turns a loop as often as its argument says.
static const char turns_text[] =
    "module @turns {\n"
    "  func.func public @main(%arg0: tensor<i32>) -> tensor<i32> {\n"
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

// The same, and in each turn a product of a second or so.
static const char products_text[] =
    "module @products {\n"
    "  func.func public @main(%arg0: tensor<i32>) -> tensor<i32> {\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %m = stablehlo.iota dim = 0 : tensor<2048x2048xf64>\n"
    "    %w:2 = stablehlo.while(%i = %zero, %v = %m) : tensor<i32>, "
    "tensor<2048x2048xf64> cond {\n"
    "      %c = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.add %i, %one : tensor<i32>\n"
    "      %p = stablehlo.dot_general %v, %m, contracting_dims = [1] x [0] : "
    "(tensor<2048x2048xf64>, tensor<2048x2048xf64>) -> tensor<2048x2048xf64>\n"
    "      stablehlo.return %n, %p : tensor<i32>, tensor<2048x2048xf64>\n"
    "    }\n"
    "    %s = stablehlo.slice %w#1 [0:1, 0:1] : (tensor<2048x2048xf64>) -> "
    "tensor<1x1xf64>\n"
    "    %r = stablehlo.reshape %s : (tensor<1x1xf64>) -> tensor<f64>\n"
    "    %k = stablehlo.convert %r : (tensor<f64>) -> tensor<i32>\n"
    "    %0 = stablehlo.add %w#0, %k : tensor<i32>\n"
    "    return %0 : tensor<i32>\n  }\n}\n";

// The same, and in each turn four chips add up what they have.
static const char sums_text[] =
    "module @sums attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : "
    "i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func public @main(%arg0: tensor<i32> {sdy.sharding = "
    "#sdy.sharding<@mesh, []>}, %arg1: tensor<8x16xi32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) -> (tensor<i32> {sdy.sharding = "
    "#sdy.sharding<@mesh, []>}) {\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %w:2 = stablehlo.while(%i = %zero, %v = %arg1) : tensor<i32>, "
    "tensor<8x16xi32> cond {\n"
    "      %c = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.add %i, %one : tensor<i32>\n"
    "      %t = stablehlo.reduce(%v init: %zero) applies stablehlo.add across "
    "dimensions = [0, 1] : (tensor<8x16xi32>, tensor<i32>) -> tensor<i32>\n"
    "      %b = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<i32>) -> "
    "tensor<8x16xi32>\n"
    "      %a = stablehlo.add %v, %b : tensor<8x16xi32>\n"
    "      stablehlo.return %n, %a : tensor<i32>, tensor<8x16xi32>\n"
    "    }\n"
    "    %z = stablehlo.reduce(%w#1 init: %zero) applies stablehlo.add across "
    "dimensions = [0, 1] : (tensor<8x16xi32>, tensor<i32>) -> tensor<i32>\n"
    "    return %z : tensor<i32>\n  }\n}\n";

// --- A client ---

typedef struct user_t {
  podium_session_t *session;
  podium_executable_t *turns;
  podium_array_t *arguments[2];  // How many turns; what is added up.
  int argument_count;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int begun, ended, failed;
} user_t;

static double ms_since(int64_t start_ns) {
  return (double)(pod_clock_now_ns() - start_ns) / NS_PER_MS;
}

static podium_array_t *put_count(user_t *user, int32_t turns) {
  podium_array_t *array = NULL;
  must(podium_put(user->session, &(podium_layout_t){.executable = user->turns}, &turns,
                  sizeof(turns), TIMEOUT_MS, &array));
  return array;
}

static void user_start_with(user_t *user, const system_pod_t *pod, const char *text,
                            int32_t turns) {
  memset(user, 0, sizeof(*user));
  pthread_mutex_init(&user->mutex, NULL);
  pthread_cond_init(&user->wake, NULL);
  user->session = connect_to(pod);
  must(podium_compile(user->session, "turns.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &user->turns));
  user->arguments[0] = put_count(user, turns);
  user->argument_count = 1;
  if (text == sums_text) {
    static const int32_t ones[8 * 16] = {1, 1, 1};
    must(podium_put(user->session,
                    &(podium_layout_t){.executable = user->turns, .argument = 1}, ones,
                    sizeof(ones), TIMEOUT_MS, &user->arguments[1]));
    user->argument_count = 2;
  }
}

static void user_start(user_t *user, const system_pod_t *pod, int32_t turns) {
  user_start_with(user, pod, turns_text, turns);
}

static void user_stop(user_t *user) {
  podium_close(user->session);
  pthread_cond_destroy(&user->wake);
  pthread_mutex_destroy(&user->mutex);
}

static void on_end(void *context, podium_status_t *status) {
  user_t *user = context;
  pthread_mutex_lock(&user->mutex);
  user->ended++;
  user->failed += status != NULL;
  pthread_cond_broadcast(&user->wake);
  pthread_mutex_unlock(&user->mutex);
  podium_status_free(status);
}

static int ended(user_t *user) {
  pthread_mutex_lock(&user->mutex);
  const int count = user->ended;
  pthread_mutex_unlock(&user->mutex);
  return count;
}

static void wait_ended(user_t *user, int count) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += TIMEOUT_MS / 1000;
  pthread_mutex_lock(&user->mutex);
  while (user->ended < count &&
         pthread_cond_timedwait(&user->wake, &user->mutex, &deadline) == 0) {
  }
  const int there = user->ended;
  pthread_mutex_unlock(&user->mutex);
  assert_true(there >= count);
}

// `deadline_ms` 0: none.
static podium_execution_t *begin_until(user_t *user, int64_t deadline_ms) {
  podium_array_t *result = NULL;
  podium_execution_t *execution = NULL;
  user->begun++;
  must(podium_execute_async(user->turns, user->argument_count, user->arguments,
                            &(podium_execute_options_t){.timeout_ms = deadline_ms},
                            &result, on_end, user, &execution));
  podium_array_free(result);
  return execution;
}

static podium_execution_t *begin(user_t *user) {
  return begin_until(user, 0);
}

static void run(user_t *user) {
  podium_array_t *result = NULL;
  must(podium_execute(user->turns, user->argument_count, user->arguments,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                      NULL));
  podium_array_free(result);
}

// So many turns that one execution takes about `ms` here and now.
static void set_length(user_t *user, double ms) {
  int32_t turns = 1000;
  for (;;) {
    podium_array_free(user->arguments[0]);
    user->arguments[0] = put_count(user, turns);
    run(user);
    const int64_t start_ns = pod_clock_now_ns();
    run(user);
    const double took = ms_since(start_ns);
    if (took >= ms) {
      return;
    }
    const double more = took < 2 ? 8 : 1.2 * ms / took;
    turns = (int32_t)(turns * (more > 8 ? 8 : more)) + 1;
  }
}

static void test_a_compile_does_not_wait_behind_an_endless_loop(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  user_t greedy, modest;
  user_start(&greedy, pod, INT32_MAX);
  podium_execution_t *endless = begin(&greedy);
  const int64_t start_ns = pod_clock_now_ns();
  user_start(&modest, pod, 1);
  printf("a session, a compile and a put beside an endless loop: %.0f ms\n",
         ms_since(start_ns));
  assert_int_equal(ended(&greedy), 0);
  podium_execution_cancel(endless);
  wait_ended(&greedy, 1);
  run(&modest);
  podium_execution_free(endless);
  user_stop(&modest);
  user_stop(&greedy);
  system_pod_stop(pod);
}

static void test_a_small_execution_goes_before_most_of_anothers_two_hundred(
    void **state) {
  (void)state;
  enum { GREEDY = 200, EACH_MS = 20 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  user_t greedy, modest;
  user_start(&greedy, pod, 1);
  user_start(&modest, pod, 1);
  run(&modest);
  set_length(&greedy, EACH_MS);
  for (int i = 0; i < GREEDY; i++) {
    podium_execution_free(begin(&greedy));
  }
  wait_ended(&greedy, 1);
  const int before = ended(&greedy);
  const int64_t start_ns = pod_clock_now_ns();
  run(&modest);
  const int between = ended(&greedy) - before;
  printf("a small execution after %d of %d ms: %.0f ms, %d of them went before it\n",
         GREEDY, EACH_MS, ms_since(start_ns), between);
  assert_true(between < GREEDY / 10);
  wait_ended(&greedy, GREEDY);
  assert_int_equal(greedy.failed, 0);
  user_stop(&modest);
  user_stop(&greedy);
  system_pod_stop(pod);
}

static int compare(const void *a, const void *b) {
  const double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

// What the modest one has, one after the other, beside a queue that is never empty.
static void measure(const system_pod_t *pod, double each_ms) {
  enum { CALLS = 100, QUEUED = 100, BOUND_MS = 2500 };  // The bound: for loaded machines.
  user_t greedy, modest;
  user_start(&greedy, pod, 1);
  user_start(&modest, pod, 1);
  set_length(&greedy, each_ms);
  double took_ms[CALLS];
  for (int i = 0; i < CALLS; i++) {
    while (greedy.begun < ended(&greedy) + QUEUED) {
      podium_execution_free(begin(&greedy));
    }
    const int64_t start_ns = pod_clock_now_ns();
    run(&modest);
    took_ms[i] = ms_since(start_ns);
  }
  qsort(took_ms, CALLS, sizeof(took_ms[0]), compare);
  printf("beside executions of %.1f ms: p50 %.1f ms, p99 %.1f ms\n", each_ms,
         took_ms[CALLS / 2], took_ms[CALLS * 99 / 100]);
  assert_true(took_ms[CALLS * 99 / 100] < BOUND_MS);
  user_stop(&modest);
  user_stop(&greedy);
}

static void test_others_are_served_beside_a_queue_that_is_never_empty(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  measure(pod, 0.5);
  measure(pod, 5);
  measure(pod, 50);
  system_pod_stop(pod);
}

// --- Beside what would not end ---

enum { ENDLESS_MAX = 4 };

typedef struct attack_t {
  const char *name;
  const char *text;      // NULL: `turns`.
  const char *topology;  // NULL: one chip.
  int clients;           // Each with an endless loop, begun anew whenever it ends.
  int64_t deadline_ms;   // Of each; 0: none.
  double modest_ms;      // What the others' executions take.
} attack_t;

static void begin_endless(user_t *user, const attack_t *attack) {
  if (user->begun == ended(user)) {
    podium_execution_free(begin_until(user, attack->deadline_ms));
  }
}

static void measure_beside(const attack_t *attack) {
  // The bound is for loaded machines; what it is for is printed.
  enum { CALLS = 100, WANTED_MS = 250, BOUND_MS = 2500 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = attack->topology == NULL ? "1x1" : attack->topology});
  user_t greedy[ENDLESS_MAX], modest;
  user_start(&modest, pod, 1);
  if (attack->modest_ms > 0) {
    set_length(&modest, attack->modest_ms);
  }
  for (int i = 0; i < attack->clients; i++) {
    user_start_with(&greedy[i], pod, attack->text == NULL ? turns_text : attack->text,
                    INT32_MAX);
  }
  double took_ms[CALLS];
  for (int i = 0; i < CALLS; i++) {
    for (int g = 0; g < attack->clients; g++) {
      begin_endless(&greedy[g], attack);
    }
    const int64_t start_ns = pod_clock_now_ns();
    run(&modest);
    took_ms[i] = ms_since(start_ns);
  }
  qsort(took_ms, CALLS, sizeof(took_ms[0]), compare);
  printf("beside %s: p50 %.1f ms, p99 %.1f ms (wanted: %d), most %.1f ms\n", attack->name,
         took_ms[CALLS / 2], took_ms[CALLS * 99 / 100 - 1], WANTED_MS,
         took_ms[CALLS - 1]);
  assert_true(took_ms[CALLS * 99 / 100 - 1] < BOUND_MS);
  for (int i = 0; i < attack->clients; i++) {
    user_stop(&greedy[i]);
  }
  user_stop(&modest);
  system_pod_stop(pod);
}

static void test_others_are_served_beside_endless_loops(void **state) {
  (void)state;
  measure_beside(&(attack_t){.name = "an endless loop", .clients = 1});
  measure_beside(&(attack_t){
      .name = "endless loops with a deadline of 2 s", .clients = 1, .deadline_ms = 2000});
  measure_beside(&(attack_t){.name = "four endless loops", .clients = 4});
  measure_beside(
      &(attack_t){.name = "an endless loop, 10 ms each", .clients = 1, .modest_ms = 10});
  measure_beside(
      &(attack_t){.name = "endless products", .text = products_text, .clients = 1});
  measure_beside(&(attack_t){.name = "two that add up over four chips for ever",
                             .text = sums_text,
                             .topology = "2x2",
                             .clients = 2});
}

// --- The one that makes way ---

typedef struct outcome_t {
  int32_t value;
  int64_t step_ps, compute_ps, waiting_ps;
} outcome_t;

// Its result and what the clock says of it, of one that `others` interrupt, or nobody.
// Returns how many executions of theirs ended before it did.
static int run_beside(user_t *user, user_t *others, outcome_t *out_outcome) {
  podium_array_t *result = NULL;
  podium_execution_t *execution = NULL;
  podium_profile_t *profile = NULL;
  int count = 0;
  const int before = ended(user);
  must(podium_execute_async(user->turns, user->argument_count, user->arguments, NULL,
                            &result, on_end, user, &execution));
  while (others != NULL && ended(user) == before) {
    run(others);
    count += ended(user) == before;
  }
  wait_ended(user, before + 1);
  must(podium_fetch(result, &out_outcome->value, sizeof(out_outcome->value), TIMEOUT_MS));
  must(podium_profile(execution, &(podium_profile_options_t){.timeout_ms = TIMEOUT_MS},
                      &profile));
  out_outcome->step_ps = profile->step_ps;
  out_outcome->compute_ps = profile->classes[0].compute_ps;
  out_outcome->waiting_ps = profile->classes[0].waiting_ps;
  podium_profile_free(profile);
  podium_execution_free(execution);
  podium_array_free(result);
  return count;
}

static void test_who_is_interrupted_has_the_same_result_and_predicted_times(
    void **state) {
  (void)state;
  enum { LENGTH_MS = 600, LENGTH_MS_MAX = 8 * LENGTH_MS };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  user_t user, others;
  outcome_t alone = {0}, interrupted = {0};
  user_start_with(&user, pod, sums_text, 1);
  user_start(&others, pod, 1);
  run(&others);
  int count = 0;
  // How much is so long was found out while the machine may have been busier than now.
  for (int64_t ms = LENGTH_MS; count <= 1 && ms <= LENGTH_MS_MAX; ms *= 2) {
    set_length(&user, (double)ms);
    run_beside(&user, NULL, &alone);
    count = run_beside(&user, &others, &interrupted);
  }
  printf("interrupted %d times: %.3f ms predicted\n", count,
         (double)interrupted.step_ps * 1e-9);
  assert_true(count > 1);
  assert_int_equal(interrupted.value, alone.value);
  assert_true(alone.step_ps > 0);
  assert_true(interrupted.step_ps == alone.step_ps);
  assert_true(interrupted.compute_ps == alone.compute_ps);
  assert_true(interrupted.waiting_ps == alone.waiting_ps);
  user_stop(&others);
  user_stop(&user);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_compile_does_not_wait_behind_an_endless_loop),
      cmocka_unit_test(test_a_small_execution_goes_before_most_of_anothers_two_hundred),
      cmocka_unit_test(test_others_are_served_beside_a_queue_that_is_never_empty),
      cmocka_unit_test(test_others_are_served_beside_endless_loops),
      cmocka_unit_test(test_who_is_interrupted_has_the_same_result_and_predicted_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
