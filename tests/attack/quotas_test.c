// What one client may have of a pod, and for how long.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, NS_PER_MS = 1000000 };

// Turns a loop for longer than any test.
static const char endless_text[] =
    "module @endless {\n"
    "  func.func public @main() -> tensor<i64> {\n"
    "    %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "    %many = stablehlo.constant dense<1000000000000000> : tensor<i64>\n"
    "    %0 = stablehlo.while(%i = %zero) : tensor<i64> cond {\n"
    "      %c = stablehlo.compare LT, %i, %many : (tensor<i64>, tensor<i64>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %n = stablehlo.add %i, %one : tensor<i64>\n"
    "      stablehlo.return %n : tensor<i64>\n"
    "    }\n"
    "    return %0 : tensor<i64>\n  }\n}\n";

// 64 KiB.
static const char array_text[] =
    "module @array {\n"
    "  func.func public @main(%arg0: tensor<16384xf32>) -> tensor<16384xf32> {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<16384xf32>\n"
    "    return %0 : tensor<16384xf32>\n  }\n}\n";

static podium_executable_t *compile(podium_session_t *session, const char *text) {
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "quota.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  return executable;
}

static podium_status_t *execute(podium_executable_t *executable, podium_array_t *argument,
                                podium_array_t **out_result) {
  return podium_execute(executable, argument == NULL ? 0 : 1, &argument,
                        &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, out_result,
                        NULL);
}

static void test_an_execution_ends_when_it_has_run_too_long(void **state) {
  (void)state;
  enum { MOST_MS = 2000 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "2x1", .coordinator_args = {"--max-execution-seconds", "2"}});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *endless = compile(session, endless_text);
  podium_array_t *result = NULL;
  // The second one has its own time: it begins when the first has ended.
  for (int i = 0; i < 2; i++) {
    const int64_t start_ns = pod_clock_now_ns();
    expect_error(execute(endless, NULL, &result), PODIUM_DEADLINE_EXCEEDED,
                 "endless has run for 2 s, which is the most that this pod lets");
    const double took_ms = (double)(pod_clock_now_ns() - start_ns) / NS_PER_MS;
    printf("an endless loop of at most %d ms ended after %.0f ms\n", (int)MOST_MS,
           took_ms);
    assert_true(took_ms >= MOST_MS && took_ms < 10 * MOST_MS);
  }
  podium_close(session);
  system_pod_stop(pod);
}

static void test_a_client_has_so_many_sessions_and_no_more(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--client-sessions", "2"}});
  podium_session_t *first = connect_to(pod), *second = connect_to(pod), *third = NULL;
  expect_error(
      podium_connect(system_pod_address(pod),
                     &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS}, &third),
      PODIUM_RESOURCE_EXHAUSTED,
      "has 2 sessions in 2 sessions, and 1 more would be over its quota of 2: end "
      "one first");
  podium_close(second);
  second = connect_to(pod);
  podium_close(second);
  podium_close(first);
  system_pod_stop(pod);
}

static podium_status_t *put(podium_session_t *session, podium_executable_t *executable,
                            podium_array_t **out_array) {
  static const float values[16384];
  return podium_put(session, &(podium_layout_t){.executable = executable}, values,
                    sizeof(values), TIMEOUT_MS, out_array);
}

static void test_a_client_has_so_much_of_a_chips_hbm_and_no_more(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--client-hbm-bytes", "196608"}});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = compile(session, array_text);
  podium_array_t *arrays[3] = {0}, *more = NULL;
  must(put(session, executable, &arrays[0]));
  must(put(session, executable, &arrays[1]));
  must(execute(executable, arrays[0], &arrays[2]));
  expect_error(put(session, executable, &more), PODIUM_RESOURCE_EXHAUSTED,
               "has arrays of 196608 bytes on chip 0, and 65536 more would be over its "
               "quota of 196608: free some");
  expect_error(execute(executable, arrays[0], &more), PODIUM_RESOURCE_EXHAUSTED,
               "--client-hbm-bytes");
  podium_array_free(arrays[0]);
  must(put(session, executable, &arrays[0]));
  for (int i = 0; i < 3; i++) {
    podium_array_free(arrays[i]);
  }
  podium_close(session);
  system_pod_stop(pod);
}

static void test_a_client_has_so_many_executions_and_no_more(void **state) {
  (void)state;
  enum { MOST = 3 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--client-executions", "3"}});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *endless = compile(session, endless_text);
  podium_executable_t *brief = compile(session, array_text);
  podium_execution_t *executions[MOST] = {0};
  podium_array_t *result = NULL, *argument = NULL;
  must(put(session, brief, &argument));
  for (int i = 0; i < MOST; i++) {
    must(podium_execute_async(endless, 0, NULL, NULL, &result, NULL, NULL,
                              &executions[i]));
    podium_array_free(result);
  }
  expect_error(execute(brief, argument, &result), PODIUM_RESOURCE_EXHAUSTED,
               "has 3 executions that have not ended in 1 session");
  for (int i = 0; i < MOST; i++) {
    podium_execution_cancel(executions[i]);
    podium_execution_free(executions[i]);
  }
  must(execute(brief, argument, &result));
  podium_close(session);
  system_pod_stop(pod);
}

static void test_puts_and_fetches_take_of_a_clients_share_of_memory(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "1x1", .coordinator_args = {"--client-memory-bytes", "40000"}});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = compile(session, array_text);
  podium_array_t *array = NULL;
  expect_error(
      put(session, executable, &array), PODIUM_RESOURCE_EXHAUSTED,
      "has 0 bytes of the coordinator's memory in 1 session, and 65536 more would "
      "be over its quota of 40000");
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_execution_ends_when_it_has_run_too_long),
      cmocka_unit_test(test_a_client_has_so_many_sessions_and_no_more),
      cmocka_unit_test(test_a_client_has_so_much_of_a_chips_hbm_and_no_more),
      cmocka_unit_test(test_a_client_has_so_many_executions_and_no_more),
      cmocka_unit_test(test_puts_and_fetches_take_of_a_clients_share_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
