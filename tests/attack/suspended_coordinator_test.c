// A coordinator that stood still (SIGSTOP, a host that was suspended) blames nobody else
// for it: its workers, sessions and arrays are there when it goes on.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, SUSPENDED_S = 15 };

static const char small_text[] =
    "module @small {\n"
    "  func.func public @main() -> tensor<8xf32> {\n"
    "    %0 = stablehlo.iota dim = 0 : tensor<8xf32>\n"
    "    return %0 : tensor<8xf32>\n  }\n}\n";

static void suspend(const system_pod_t *pod) {
  assert_int_equal(kill(system_pod_coordinator(pod), SIGSTOP), 0);
  nanosleep(&(struct timespec){.tv_sec = SUSPENDED_S}, NULL);
  assert_int_equal(kill(system_pod_coordinator(pod), SIGCONT), 0);
}

static void test_a_suspended_coordinator_has_its_workers_when_it_goes_on(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *small = NULL;
  podium_array_t *result = NULL, *next = NULL;
  must(podium_compile(session, "small.mlir", small_text, strlen(small_text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS}, &small));
  must(podium_execute(small, 0, NULL, NULL, &result, NULL));
  suspend(pod);
  float values[8];
  must(podium_fetch(result, values, sizeof(values), TIMEOUT_MS));
  must(podium_execute(small, 0, NULL,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &next,
                      NULL));
  // What is believed late shows a little later.
  nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
  must(podium_fetch(next, values, sizeof(values), TIMEOUT_MS));
  char *log = system_pod_log(pod, -1);
  if (strstr(log, "lost") != NULL) {
    fail_msg("%s", log);
  }
  free(log);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_suspended_coordinator_has_its_workers_when_it_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
