// A client that stands still (SIGSTOP) in the middle of what it does holds up the others
// for a bounded time, if at all. Prints how long they wait.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, NS_PER_MS = 1000000, BIG = 4 << 20 };

// 16 MiB.
static const char big_text[] =
    "module @big {\n"
    "  func.func public @main(%arg0: tensor<4194304xf32>) -> tensor<4194304xf32> {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<4194304xf32>\n"
    "    return %0 : tensor<4194304xf32>\n  }\n}\n";

// Asks its host for what it gives back.
static const char asking_text[] =
    "module @asking {\n"
    "  func.func public @main() -> tensor<i32> {\n"
    "    %t = stablehlo.create_token : !stablehlo.token\n"
    "    %r:2 = \"stablehlo.recv\"(%t) <{channel_handle = "
    "#stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : "
    "(!stablehlo.token) -> (tensor<i32>, !stablehlo.token)\n"
    "    return %r#0 : tensor<i32>\n  }\n}\n";

static const char small_text[] =
    "module @small {\n"
    "  func.func public @main() -> tensor<8xf32> {\n"
    "    %0 = stablehlo.iota dim = 0 : tensor<8xf32>\n"
    "    return %0 : tensor<8xf32>\n  }\n}\n";

// --- The client that stands still, a process of its own ---

static podium_executable_t *compile(podium_session_t *session, const char *text) {
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "stopped.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  return executable;
}

static void stop_myself(void) {
  raise(SIGSTOP);
}

static podium_array_t *put_big(podium_session_t *session,
                               podium_executable_t *executable) {
  podium_array_t *array = NULL;
  float *values = calloc(BIG, sizeof(*values));
  must(podium_put(session, &(podium_layout_t){.executable = executable}, values,
                  BIG * sizeof(*values), TIMEOUT_MS, &array));
  free(values);
  return array;
}

static void fetch_and_stop(podium_session_t *session) {
  enum { FETCHES = 64 };
  podium_array_t *array = put_big(session, compile(session, big_text));
  for (int i = 0; i < FETCHES; i++) {
    float *values = calloc(BIG, sizeof(*values));
    must(podium_fetch_async(array, -1, values, BIG * sizeof(*values), 0, NULL, NULL));
  }
  stop_myself();
}

// What happens to it is of no interest; only that it is under way when the process stops.
static void *put_for_ever(void *context) {
  podium_session_t *session = context;
  podium_executable_t *executable = compile(session, big_text);
  for (;;) {
    podium_array_free(put_big(session, executable));
  }
  return NULL;
}

static void put_and_stop(podium_session_t *session) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, put_for_ever, session), 0);
  usleep(300000);
  stop_myself();
}

static void queue_and_stop(podium_session_t *session) {
  enum { CALLS = 20000 };
  podium_executable_t *small = compile(session, small_text);
  for (int i = 0; i < CALLS; i++) {
    podium_array_t *result = NULL;
    must(podium_execute_async(small, 0, NULL, NULL, &result, NULL, NULL, NULL));
  }
  stop_myself();
}

static podium_status_t *stop_when_asked(void *context, int device, int64_t channel,
                                        void *buffer, size_t size) {
  (void)context;
  (void)device;
  (void)channel;
  memset(buffer, 0, size);
  stop_myself();
  return NULL;
}

static void ask_and_stop(podium_session_t *session) {
  podium_array_t *result = NULL;
  const podium_execute_options_t options = {.on_host_receive = stop_when_asked};
  (void)podium_execute(compile(session, asking_text), 0, NULL, &options, &result, NULL);
}

// Returns when it has stopped.
static pid_t start_stopped(const char *address, void (*act)(podium_session_t *session)) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
    setenv("PODIUM_SHARED_MEMORY", "0", 1);
    podium_session_t *session = NULL;
    must(podium_connect(address, &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS},
                        &session));
    act(session);
    _exit(1);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
  assert_true(WIFSTOPPED(status));
  return pid;
}

// --- The others ---

static int compare(const void *a, const void *b) {
  const double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

// A fetch too: all that one can want of the chips.
static void run_one(podium_executable_t *small) {
  podium_array_t *result = NULL;
  float values[8];
  must(podium_execute(small, 0, NULL,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                      NULL));
  must(podium_fetch(result, values, sizeof(values), TIMEOUT_MS));
  assert_true(values[7] == 7);
  podium_array_free(result);
}

// The longest of many calls beside a client that stands still, in ms.
static double measure(const char *what, void (*act)(podium_session_t *session)) {
  enum { CALLS = 200 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  const pid_t stopped = start_stopped(system_pod_address(pod), act);
  podium_session_t *session = connect_to(pod);
  podium_executable_t *small = compile(session, small_text);
  double took_ms[CALLS];
  for (int i = 0; i < CALLS; i++) {
    const int64_t start_ns = pod_clock_now_ns();
    run_one(small);
    took_ms[i] = (double)(pod_clock_now_ns() - start_ns) / NS_PER_MS;
  }
  qsort(took_ms, CALLS, sizeof(took_ms[0]), compare);
  printf("beside a client stopped %s: p50 %.1f ms, p99 %.1f ms, longest %.0f ms\n", what,
         took_ms[CALLS / 2], took_ms[CALLS * 99 / 100], took_ms[CALLS - 1]);
  kill(stopped, SIGKILL);
  assert_int_equal(waitpid(stopped, NULL, 0), stopped);
  run_one(small);
  podium_close(session);
  system_pod_stop(pod);
  return took_ms[CALLS - 1];
}

static void test_fetches_that_nobody_reads_hold_up_nobody(void **state) {
  (void)state;
  assert_true(measure("in 64 fetches of 16 MiB", fetch_and_stop) < 2000);
}

static void test_a_put_that_does_not_go_on_holds_up_nobody(void **state) {
  (void)state;
  assert_true(measure("in a put", put_and_stop) < 2000);
}

static void test_answers_that_nobody_reads_hold_up_nobody(void **state) {
  (void)state;
  assert_true(measure("with 20000 executions under way", queue_and_stop) < 2000);
}

static void test_a_host_that_does_not_answer_holds_up_nobody(void **state) {
  (void)state;
  assert_true(measure("when its program asked it", ask_and_stop) < 2000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fetches_that_nobody_reads_hold_up_nobody),
      cmocka_unit_test(test_a_put_that_does_not_go_on_holds_up_nobody),
      cmocka_unit_test(test_answers_that_nobody_reads_hold_up_nobody),
      cmocka_unit_test(test_a_host_that_does_not_answer_holds_up_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
