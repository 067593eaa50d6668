// A process that is forked from one with a session: what it calls fails and says why,
// nothing hangs, and its parent goes on as if nothing had been.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { COUNT = 256, TIMEOUT_MS = 60000, CHILD_SECONDS = 30 };

static const char negate_text[] =
    "func.func @main(%arg0: tensor<256xf32>) -> tensor<256xf32> {\n"
    "  %0 = stablehlo.negate %arg0 : tensor<256xf32>\n"
    "  return %0 : tensor<256xf32>\n}\n";

static bool is_refused(podium_status_t *status) {
  const bool is = status != NULL &&
                  podium_status_code(status) == PODIUM_FAILED_PRECONDITION &&
                  strstr(podium_status_message(status), "was forked from") != NULL;
  podium_status_free(status);
  return is;
}

// In the child: the number of the first call that was not refused, 0: none. cmocka is
// the parent's.
static int use_everything(podium_session_t *session, podium_executable_t *executable,
                          podium_array_t *array) {
  static float values[COUNT];
  podium_array_t *made = NULL;
  podium_executable_t *compiled = NULL;
  const podium_layout_t layout = {.executable = executable};
  if (!is_refused(
          podium_put(session, &layout, values, sizeof(values), TIMEOUT_MS, &made))) {
    return 1;
  }
  if (!is_refused(podium_execute(executable, 1, &array, NULL, &made, NULL))) {
    return 2;
  }
  if (!is_refused(podium_fetch(array, values, sizeof(values), TIMEOUT_MS))) {
    return 3;
  }
  if (!is_refused(podium_compile(session, "negate.mlir", negate_text, strlen(negate_text),
                                 NULL, &compiled))) {
    return 4;
  }
  podium_array_free(array);
  podium_executable_free(executable);
  podium_close(session);
  return 0;
}

static void test_a_forked_process_is_refused_and_its_parent_goes_on(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "negate.mlir", negate_text, strlen(negate_text), NULL,
                      &executable));
  static float values[COUNT];
  values[7] = 7;
  podium_array_t *array = NULL, *result = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, values,
                  sizeof(values), TIMEOUT_MS, &array));
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(CHILD_SECONDS);
    _exit(use_everything(session, executable, array));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  must(podium_execute(executable, 1, &array, NULL, &result, NULL));
  must(podium_fetch(result, values, sizeof(values), TIMEOUT_MS));
  assert_true(values[7] == -7);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_forked_process_is_refused_and_its_parent_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
