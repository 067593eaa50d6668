// An instruction that would run for hours does not hold a chip longer than its client
// waits for it, nor a worker longer than SIGTERM lets it. Prints how long each took.

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/system/client.h"

enum {
  TIMEOUT_MS = 60000,
  SHORT_MS = 1000,
  BRIEF_MS = 5000,
  STUCK_STATUS = 3,  // server/worker/worker.h
};

// 16 million windows of 16 million elements.
static const char long_text[] =
    "module @long attributes {mhlo.num_partitions = 2 : i32} {\n"
    "func.func public @main() -> tensor<4000x4000xf32> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<4000x4000xf32>\n"
    "  %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %2 = \"stablehlo.reduce_window\"(%0, %1) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %3 = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %3 : tensor<f32>\n"
    "  }) {window_dimensions = array<i64: 4000, 4000>,\n"
    "      padding = dense<[[2000, 1999], [2000, 1999]]> : tensor<2x2xi64>}\n"
    "    : (tensor<4000x4000xf32>, tensor<f32>) -> tensor<4000x4000xf32>\n"
    "  return %2 : tensor<4000x4000xf32>\n}\n}\n";

static const char short_text[] =
    "module @short attributes {mhlo.num_partitions = 2 : i32} {\n"
    "func.func public @main() -> tensor<8xf32> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<8xf32>\n"
    "  return %0 : tensor<8xf32>\n}\n}\n";

static podium_executable_t *compile(podium_session_t *session, const char *text) {
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "stop.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  return executable;
}

static podium_status_t *execute(podium_executable_t *executable, int64_t timeout_ms) {
  podium_array_t *result = NULL;
  podium_status_t *status = podium_execute(
      executable, 0, NULL, &(podium_execute_options_t){.timeout_ms = timeout_ms}, &result,
      NULL);
  podium_array_free(result);
  return status;
}

static void report(const char *what, int64_t start_ns) {
  printf("%s: %.0f ms\n", what, (double)(pod_clock_now_ns() - start_ns) * 1e-6);
}

static void test_a_deadline_frees_the_chips_for_the_next_client(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x1"});
  podium_session_t *session = connect_to(pod), *other = connect_to(pod);
  podium_executable_t *endless = compile(session, long_text);
  podium_executable_t *brief = compile(other, short_text);
  for (int round = 0; round < 3; round++) {
    podium_status_t *status = execute(endless, SHORT_MS);
    assert_int_equal(podium_status_code(status), PODIUM_DEADLINE_EXCEEDED);
    podium_status_free(status);
    const int64_t start_ns = pod_clock_now_ns();
    must(execute(brief, TIMEOUT_MS / 4));
    report("the next client waited after a deadline", start_ns);
  }
  podium_executable_free(endless);
  podium_executable_free(brief);
  podium_close(session);
  podium_close(other);
  system_pod_stop(pod);
}

typedef struct running_t {
  podium_executable_t *executable;
  podium_status_t *status;
} running_t;

static void *run_long(void *context) {
  running_t *running = context;
  running->status = execute(running->executable, TIMEOUT_MS);
  return NULL;
}

static void *run_briefly(void *context) {
  running_t *running = context;
  running->status = execute(running->executable, BRIEF_MS);
  return NULL;
}

static int64_t hbm_used(podium_session_t *session) {
  podium_pod_t *info = NULL;
  must(podium_pod(session, TIMEOUT_MS, &info));
  int64_t used = 0;
  for (int i = 0; i < info->device_count; i++) {
    used += info->devices[i].hbm_used_bytes;
  }
  podium_pod_free(info);
  return used;
}

static void wait_until_it_runs(podium_session_t *session) {
  const int64_t result_bytes = (int64_t)4000 * 4000 * 4;
  const int64_t deadline_ns = pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
  while (hbm_used(session) < result_bytes) {
    assert_true(pod_clock_now_ns() < deadline_ns);
  }
}

static void test_sigterm_ends_a_worker_whatever_it_computes(void **state) {
  (void)state;
  enum {
    END_MAX_S = 30
  };  // The worker ends within 10 s; the rest is the machine's load.
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x1"});
  podium_session_t *session = connect_to(pod), *other = connect_to(pod);
  running_t running = {.executable = compile(session, long_text)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_long, &running), 0);
  wait_until_it_runs(other);
  const int64_t start_ns = pod_clock_now_ns();
  const int status = system_pod_signal_worker(pod, 0, SIGTERM);
  report("a worker ended after SIGTERM", start_ns);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_true(pod_clock_now_ns() - start_ns < (int64_t)END_MAX_S * 1000000000);
  pthread_join(thread, NULL);
  assert_non_null(running.status);
  podium_status_free(running.status);
  podium_executable_free(running.executable);
  podium_close(session);
  podium_close(other);
  system_pod_stop(pod);
}

// The compute thread of a worker, held where it stands. Only this thread may let it go.
static pid_t hold_compute_thread(pid_t worker) {
  char path[64], name[32];
  snprintf(path, sizeof(path), "/proc/%d/task", worker);
  DIR *tasks = opendir(path);
  assert_non_null(tasks);
  pid_t held = 0;
  for (struct dirent *task; held == 0 && (task = readdir(tasks)) != NULL;) {
    char comm[sizeof(path) + sizeof(task->d_name) + sizeof("//comm")];
    snprintf(comm, sizeof(comm), "%s/%s/comm", path, task->d_name);
    FILE *file = fopen(comm, "re");
    const bool is_compute = file != NULL && fgets(name, sizeof(name), file) != NULL &&
                            strcmp(name, "compute\n") == 0;
    if (file != NULL) {
      fclose(file);
    }
    if (is_compute) {
      held = (pid_t)strtol(task->d_name, NULL, 10);
      assert_int_equal(ptrace(PTRACE_SEIZE, held, NULL, NULL), 0);
      assert_int_equal(ptrace(PTRACE_INTERRUPT, held, NULL, NULL), 0);
    }
  }
  closedir(tasks);
  assert_true(held != 0);
  return held;
}

// The process is not reaped before the thread is, which is its tracer's to do.
static void reap_thread(pid_t held) {
  const int64_t deadline_ns = pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
  int status = 0;
  while (waitpid(held, &status, __WALL | WNOHANG) != held || WIFSTOPPED(status)) {
    assert_true(pod_clock_now_ns() < deadline_ns);
    usleep(1000);
  }
}

static void test_a_chip_that_does_not_stop_gives_its_place_free(void **state) {
  (void)state;
  system_pod_t *pod =
      system_pod_start(&(system_pod_options_t){.topology = "2x1", .workers = 2});
  podium_session_t *session = connect_to(pod), *other = connect_to(pod);
  running_t running = {.executable = compile(session, long_text)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_briefly, &running), 0);
  wait_until_it_runs(other);
  const pid_t held = hold_compute_thread(system_pod_worker(pod, 0));
  pthread_join(thread, NULL);
  assert_int_equal(podium_status_code(running.status), PODIUM_DEADLINE_EXCEEDED);
  podium_status_free(running.status);
  const int64_t start_ns = pod_clock_now_ns();
  reap_thread(held);
  const int status = system_pod_wait_worker(pod, 0);
  report("a worker ended that did not stop", start_ns);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == STUCK_STATUS);
  // Another one has the place, and the same session goes on.
  (void)system_pod_add_worker(pod, NULL);
  podium_executable_t *brief = compile(other, short_text);
  must(execute(brief, TIMEOUT_MS));
  podium_executable_free(brief);
  podium_executable_free(running.executable);
  podium_close(session);
  podium_close(other);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_deadline_frees_the_chips_for_the_next_client),
      cmocka_unit_test(test_sigterm_ends_a_worker_whatever_it_computes),
      cmocka_unit_test(test_a_chip_that_does_not_stop_gives_its_place_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
