// What an execution costs beside its work: x + 1 on f32[8] on one chip, with coordinator
// and worker as processes of their own on loopback.
//
//   latency     from podium_execute to its return, and to the fetched result: p50 and p99
//   throughput  executions that depend on each other, none waited for but the last; and
//   the
//               CPU time of each process per execution, which a busy machine changes less
//
// usage: dispatch_bench [CALLS [ROUNDS]]     (1000 20)

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/base/clock.h"
#include "tests/system/pod.h"

enum { COUNT = 8, TIMEOUT_MS = 60000 };

static int calls = 1000, rounds = 20;

static const char text[] =
    "module @next {\n"
    "  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
    "    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>\n"
    "    return %1 : tensor<8xf32>\n  }\n}\n";

static podium_session_t *session;
static podium_executable_t *executable;

static void must(podium_status_t *status) {
  if (status != NULL) {
    fail_msg("%s", podium_status_message(status));
  }
}

// Of this process (0) or another.
static double cpu_us(pid_t process) {
  clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
  struct timespec time;
  if (process != 0) {
    assert_int_equal(clock_getcpuclockid(process, &clock), 0);
  }
  assert_int_equal(clock_gettime(clock, &time), 0);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, int64_t *ns, int count) {
  qsort(ns, (size_t)count, sizeof(*ns), compare);
  printf("%-28s p50 %8.1f us   p99 %8.1f us\n", what, (double)ns[count / 2] / 1e3,
         (double)ns[count * 99 / 100] / 1e3);
}

static podium_array_t *put_zeros(void) {
  const float zeros[COUNT] = {0};
  podium_array_t *array = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, zeros,
                  sizeof(zeros), TIMEOUT_MS, &array));
  return array;
}

static void measure_latency(podium_array_t *first) {
  int64_t *executed = malloc((size_t)calls * sizeof(*executed));
  int64_t *fetched = malloc((size_t)calls * sizeof(*fetched));
  float values[COUNT];
  for (int i = 0; i < calls; i++) {
    podium_array_t *result = NULL;
    const int64_t start_ns = pod_clock_now_ns();
    must(podium_execute(executable, 1, &first, NULL, &result, NULL));
    executed[i] = pod_clock_now_ns() - start_ns;
    must(podium_fetch(result, values, sizeof(values), TIMEOUT_MS));
    fetched[i] = pod_clock_now_ns() - start_ns;
    podium_array_free(result);
  }
  report("execute", executed, calls);
  report("execute and fetch", fetched, calls);
  free(executed);
  free(fetched);
}

static int64_t chain_ns(podium_array_t *first, int64_t *out_asked_ns) {
  float values[COUNT];
  podium_array_t *at = first;
  const int64_t start_ns = pod_clock_now_ns();
  for (int i = 0; i < calls; i++) {
    podium_array_t *next = NULL;
    must(podium_execute_async(executable, 1, &at, NULL, &next, NULL, NULL, NULL));
    if (at != first) {
      podium_array_free(at);
    }
    at = next;
  }
  *out_asked_ns = pod_clock_now_ns() - start_ns;
  must(podium_fetch(at, values, sizeof(values), TIMEOUT_MS));
  const int64_t ns = pod_clock_now_ns() - start_ns;
  assert_true(values[COUNT - 1] == (float)calls);
  podium_array_free(at);
  return ns;
}

static void measure_throughput(const system_pod_t *pod, podium_array_t *first) {
  const pid_t processes[] = {0, system_pod_coordinator(pod), system_pod_worker(pod, 0)};
  double cpu[3];
  for (int i = 0; i < 3; i++) {
    cpu[i] = cpu_us(processes[i]);
  }
  int64_t *asked = malloc((size_t)rounds * sizeof(*asked));
  int64_t *ended = malloc((size_t)rounds * sizeof(*ended));
  for (int round = 0; round < rounds; round++) {
    ended[round] = chain_ns(first, &asked[round]);
  }
  qsort(asked, (size_t)rounds, sizeof(*asked), compare);
  qsort(ended, (size_t)rounds, sizeof(*ended), compare);
  printf(
      "%d that depend on each other  %8.0f calls/s asked   %8.0f calls/s done (best "
      "%.0f)\n",
      calls, calls * 1e9 / (double)asked[rounds / 2],
      calls * 1e9 / (double)ended[rounds / 2], calls * 1e9 / (double)ended[0]);
  for (int i = 0; i < 3; i++) {
    cpu[i] = (cpu_us(processes[i]) - cpu[i]) / (double)calls / (double)rounds;
  }
  printf("CPU time of each: client %.1f us, coordinator %.1f us, worker %.1f us\n",
         cpu[0], cpu[1], cpu[2]);
  free(asked);
  free(ended);
}

static void run(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  must(podium_connect(system_pod_address(pod), NULL, &session));
  must(podium_compile(session, "next.mlir", text, strlen(text), NULL, &executable));
  podium_array_t *first = put_zeros();
  measure_latency(first);  // To warm up.
  measure_latency(first);
  measure_throughput(pod, first);
  podium_close(session);
  system_pod_stop(pod);
}

int main(int argc, char **argv) {
  calls = argc > 1 ? atoi(argv[1]) : calls;
  rounds = argc > 2 ? atoi(argv[2]) : rounds;
  if (calls < 1 || rounds < 1) {
    fprintf(stderr, "usage: dispatch_bench [CALLS [ROUNDS]]\n");
    return 2;
  }
  const struct CMUnitTest benches[] = {cmocka_unit_test(run)};
  return cmocka_run_group_tests_name("dispatch", benches, NULL, NULL);
}
