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

// --- A client ---

typedef struct user_t {
  podium_session_t *session;
  podium_executable_t *turns;
  podium_array_t *count;  // How many turns.
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

static void user_start(user_t *user, const system_pod_t *pod, int32_t turns) {
  memset(user, 0, sizeof(*user));
  pthread_mutex_init(&user->mutex, NULL);
  pthread_cond_init(&user->wake, NULL);
  user->session = connect_to(pod);
  must(podium_compile(user->session, "turns.mlir", turns_text, strlen(turns_text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &user->turns));
  user->count = put_count(user, turns);
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

static podium_execution_t *begin(user_t *user) {
  podium_array_t *result = NULL;
  podium_execution_t *execution = NULL;
  user->begun++;
  must(podium_execute_async(user->turns, 1, &user->count, NULL, &result, on_end, user,
                            &execution));
  podium_array_free(result);
  return execution;
}

static void run(user_t *user) {
  podium_array_t *result = NULL;
  must(podium_execute(user->turns, 1, &user->count,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                      NULL));
  podium_array_free(result);
}

// So many turns that one execution takes about `ms` here and now.
static void set_length(user_t *user, double ms) {
  int32_t turns = 1000;
  for (;;) {
    podium_array_free(user->count);
    user->count = put_count(user, turns);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_compile_does_not_wait_behind_an_endless_loop),
      cmocka_unit_test(test_a_small_execution_goes_before_most_of_anothers_two_hundred),
      cmocka_unit_test(test_others_are_served_beside_a_queue_that_is_never_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
