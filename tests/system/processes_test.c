// Programs of several processes, each with a session and a share of the chips, against
// real daemons.

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

enum { TIMEOUT_MS = 60000, ROWS = 4, COLUMNS = 8, PROCESSES_MAX = 4 };
enum { CHIPS = 4, COUNT = ROWS * COLUMNS, TOLD_BYTES = 128 };

static const int64_t all[CHIPS] = {0, 1, 2, 3};

// A process of the program, here a session of this one.
typedef struct process_t {
  podium_session_t *session;
  podium_executable_t *executable;
  podium_array_t *argument[CHIPS];  // By own position.
  podium_array_t *result;
  podium_execution_t *execution;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool is_done;
  podium_status_t *status;
  char told[TOLD_BYTES];  // Under the mutex: the last that it waited for.
} process_t;

static void on_waiting(void *context, const char *for_what) {
  process_t *process = context;
  pthread_mutex_lock(&process->mutex);
  if (*for_what != '\0') {
    snprintf(process->told, sizeof(process->told), "%s", for_what);
  }
  pthread_cond_broadcast(&process->wake);
  pthread_mutex_unlock(&process->mutex);
}

static podium_status_t *join(process_t *process, const char *address, const char *group,
                             int index, int count) {
  pthread_mutex_init(&process->mutex, NULL);
  pthread_cond_init(&process->wake, NULL);
  const podium_connect_options_t options = {.timeout_ms = TIMEOUT_MS,
                                            .on_waiting = on_waiting,
                                            .on_waiting_context = process,
                                            .group = group,
                                            .process = index,
                                            .process_count = count};
  return podium_connect(address, &options, &process->session);
}

static process_t *join_all(const system_pod_t *pod, int count) {
  process_t *processes = calloc(PROCESSES_MAX, sizeof(*processes));
  for (int i = 0; i < count; i++) {
    must(join(&processes[i], system_pod_address(pod), "test", i, count));
  }
  return processes;
}

static void leave_all(process_t *processes, int count) {
  for (int i = 0; i < count; i++) {
    podium_close(processes[i].session);
    pthread_mutex_destroy(&processes[i].mutex);
    pthread_cond_destroy(&processes[i].wake);
  }
  free(processes);
}

// `factor` times the rows, which lie over these chips, gathered: every chip hears of all.
// After `turns` of a loop.
static void compile(process_t *process, const char *name, int factor, long turns,
                    const char *mark, int count, const int64_t *chips) {
  char text[2048];
  const int length = snprintf(
      text, sizeof(text),
      "module @%s attributes {mhlo.num_partitions = %d : i32} {\n"
      "  sdy.mesh @mesh = <[\"x\"=%d]>\n"
      "  func.func public @main(%%x: tensor<%dx%dxf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>%s}) -> (tensor<%dx%dxf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{%s}, {}]>}) {\n"
      "    %%n = stablehlo.constant dense<%ld> : tensor<i64>\n"
      "    %%z = stablehlo.constant dense<0> : tensor<i64>\n"
      "    %%one = stablehlo.constant dense<1> : tensor<i64>\n"
      "    %%f = stablehlo.constant dense<%d.0> : tensor<%dx%dxf32>\n"
      "    %%y = stablehlo.multiply %%x, %%f : tensor<%dx%dxf32>\n"
      "    %%r:2 = stablehlo.while(%%i = %%z, %%v = %%y) : tensor<i64>, "
      "tensor<%dx%dxf32>\n"
      "    cond {\n"
      "      %%c = stablehlo.compare LT, %%i, %%n : (tensor<i64>, tensor<i64>) -> "
      "tensor<i1>\n      stablehlo.return %%c : tensor<i1>\n"
      "    } do {\n"
      "      %%j = stablehlo.add %%i, %%one : tensor<i64>\n"
      "      %%w = stablehlo.add %%v, %%f : tensor<%dx%dxf32>\n"
      "      stablehlo.return %%j, %%w : tensor<i64>, tensor<%dx%dxf32>\n    }\n"
      "    return %%r#1 : tensor<%dx%dxf32>\n  }\n}\n",
      name, count, count, ROWS, COLUMNS, mark, ROWS, COLUMNS,
      *mark == '\0' ? "" : "\"x\"", turns, factor, ROWS, COLUMNS, ROWS, COLUMNS, ROWS,
      COLUMNS, ROWS, COLUMNS, ROWS, COLUMNS, ROWS, COLUMNS);
  assert_true(length > 0 && (size_t)length < sizeof(text));
  podium_executable_free(process->executable);
  process->executable = NULL;
  char file_name[64];
  snprintf(file_name, sizeof(file_name), "%p.mlir", (void *)process);
  must(podium_compile(
      process->session, file_name, text, (size_t)length,
      &(podium_compile_options_t){
          .timeout_ms = TIMEOUT_MS, .device_order_count = count, .device_order = chips},
      &process->executable));
}

static void compile_twice(process_t *process) {
  compile(process, "twice", 2, 0, "", CHIPS, all);
}

// Row r of the argument is r + 1 in every column. The parts of the own chips.
static void put_parts(process_t *process) {
  const podium_program_info_t *info = podium_executable_info(process->executable);
  const podium_shape_t shape = info->arguments[0].local_shape;
  const int rows = (int)shape.dims[0];
  for (int i = 0; i < info->own_count; i++) {
    float values[COUNT];
    for (int at = 0; at < rows * COLUMNS; at++) {
      values[at] = (float)(info->own[i] * rows + at / COLUMNS + 1);
    }
    const int64_t chip = info->chips[info->own[i]];
    podium_array_free(process->argument[i]);
    must(podium_put(process->session,
                    &(podium_layout_t){.shape = shape, .chips = &chip, .chip_count = 1},
                    values, (size_t)(rows * COLUMNS) * sizeof(float), TIMEOUT_MS,
                    &process->argument[i]));
  }
}

static void on_done(void *context, podium_status_t *status) {
  process_t *process = context;
  pthread_mutex_lock(&process->mutex);
  process->is_done = true;
  process->status = status;
  pthread_cond_broadcast(&process->wake);
  pthread_mutex_unlock(&process->mutex);
}

static void launch(process_t *process, int64_t timeout_ms) {
  process->is_done = false;
  podium_array_free(process->result);
  podium_execution_free(process->execution);
  process->result = NULL;
  process->execution = NULL;
  must(podium_execute_async(
      process->executable, 1, process->argument,
      &(podium_execute_options_t){.timeout_ms = timeout_ms, .arguments_by_chip = true},
      &process->result, on_done, process, &process->execution));
}

static podium_status_t *wait_for(process_t *process) {
  pthread_mutex_lock(&process->mutex);
  while (!process->is_done) {
    pthread_cond_wait(&process->wake, &process->mutex);
  }
  pthread_mutex_unlock(&process->mutex);
  return process->status;
}

static podium_status_t *fetch(process_t *process, int64_t chip, float *values,
                              size_t count) {
  process->is_done = false;
  podium_status_t *wrong = podium_fetch_async(
      process->result, chip, values, count * sizeof(float), TIMEOUT_MS, on_done, process);
  return wrong != NULL ? wrong : wait_for(process);
}

// Every chip of the process has `factor` times all rows.
static void check_result(process_t *process, int factor) {
  const podium_program_info_t *info = podium_executable_info(process->executable);
  for (int i = 0; i < info->own_count; i++) {
    float values[COUNT];
    must(fetch(process, info->chips[info->own[i]], values, COUNT));
    for (int at = 0; at < COUNT; at++) {
      assert_true(values[at] == (float)(factor * (at / COLUMNS + 1)));
    }
  }
}

static void run_all(process_t *processes, int count, int factor) {
  for (int i = 0; i < count; i++) {
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < count; i++) {
    must(wait_for(&processes[i]));
    check_result(&processes[i], factor);
  }
}

static process_t *begin_twice(const system_pod_t *pod, int count) {
  process_t *processes = join_all(pod, count);
  for (int i = 0; i < count; i++) {
    compile_twice(&processes[i]);
    put_parts(&processes[i]);
  }
  return processes;
}

static void test_processes_run_a_program_together(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = begin_twice(pod, 2);
  for (int i = 0; i < 2; i++) {
    const podium_program_info_t *info = podium_executable_info(processes[i].executable);
    podium_pod_t *seen;
    must(podium_pod(processes[i].session, TIMEOUT_MS, &seen));
    assert_int_equal(info->own_count, 2);
    for (int chip = 0; chip < CHIPS; chip++) {
      assert_int_equal(seen->devices[chip].process_index, chip / 2);
    }
    assert_int_equal(info->own[0], 2 * i);
    podium_pod_free(seen);
  }
  for (int round = 0; round < 20; round++) {
    run_all(processes, 2, 2);
  }
  // What each has measured is of all chips, and the parts of the others are the others'.
  podium_profile_t *profile = NULL;
  must(podium_profile(processes[1].execution,
                      &(podium_profile_options_t){.timeout_ms = TIMEOUT_MS}, &profile));
  assert_int_equal(profile->host_count, CHIPS);
  podium_profile_free(profile);
  float values[COUNT] = {0};
  expect_error(fetch(&processes[0], 3, values, COUNT), PODIUM_INVALID_ARGUMENT,
               "chips of other processes");
  podium_array_t *array;
  expect_error(podium_put(processes[0].session,
                          &(podium_layout_t){.executable = processes[0].executable},
                          values, sizeof(values), TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "on chip 2, which is process 1's");
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_a_process_is_told_for_whom_it_waits(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = begin_twice(pod, 2);
  launch(&processes[0], TIMEOUT_MS);
  pthread_mutex_lock(&processes[0].mutex);
  while (*processes[0].told == '\0') {
    pthread_cond_wait(&processes[0].wake, &processes[0].mutex);
  }
  assert_string_equal(processes[0].told, "for process 1, which has not launched it yet");
  pthread_mutex_unlock(&processes[0].mutex);
  // Nobody is needed for what runs on own chips only.
  const int64_t own[] = {2, 3};
  compile(&processes[1], "own", 3, 0, "", 2, own);
  put_parts(&processes[1]);
  launch(&processes[1], TIMEOUT_MS);
  must(wait_for(&processes[1]));
  check_result(&processes[1], 3);
  compile_twice(&processes[1]);
  put_parts(&processes[1]);
  launch(&processes[1], TIMEOUT_MS);
  must(wait_for(&processes[1]));
  must(wait_for(&processes[0]));
  check_result(&processes[0], 2);
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_processes_that_part_are_told_who_launched_what(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = begin_twice(pod, 2);
  run_all(processes, 2, 2);
  compile(&processes[1], "thrice", 3, 0, "", CHIPS, all);
  static const char words[] =
      "process 0 launched twice as its 2nd, process 1 launched thrice as its 2nd";
  for (int i = 0; i < 2; i++) {
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 2; i++) {
    expect_error(wait_for(&processes[i]), PODIUM_FAILED_PRECONDITION, words);
  }
  // They may find together again; what they use of the failed one fails likewise.
  float values[COUNT];
  expect_error(fetch(&processes[0], 0, values, COUNT), PODIUM_FAILED_PRECONDITION, words);
  compile_twice(&processes[1]);
  run_all(processes, 2, 2);
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_a_deadline_of_one_process_is_told_to_the_others(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = begin_twice(pod, 2);
  launch(&processes[0], 200);
  expect_error(wait_for(&processes[0]), PODIUM_DEADLINE_EXCEEDED, "within 200 ms");
  launch(&processes[1], TIMEOUT_MS);
  expect_error(wait_for(&processes[1]), PODIUM_DEADLINE_EXCEEDED,
               "process 0, twice: the execution has not ended within 200 ms");
  run_all(processes, 2, 2);
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_processes_that_wait_in_a_circle_fail(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = join_all(pod, 4);
  // Process i owns chip i, and begins with what it shares with the next one.
  for (int i = 0; i < 3; i++) {
    const int64_t chips[] = {i, (i + 1) % 3};
    compile(&processes[i], "pair", 2, 0, "", 2, chips);
    put_parts(&processes[i]);
  }
  for (int i = 0; i < 3; i++) {
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 3; i++) {
    expect_error(wait_for(&processes[i]), PODIUM_FAILED_PRECONDITION, "in a circle");
  }
  leave_all(processes, 4);
  system_pod_stop(pod);
}

static void test_donated_parts_are_consumed_when_it_runs_only(void **state) {
  (void)state;
  static const char donated[] = ", tf.aliasing_output = 0 : i32";
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = join_all(pod, 2);
  for (int i = 0; i < 2; i++) {
    compile(&processes[i], i == 0 ? "update" : "other", 2, 0, donated, CHIPS, all);
    put_parts(&processes[i]);
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 2; i++) {
    expect_error(wait_for(&processes[i]), PODIUM_FAILED_PRECONDITION, "parted");
  }
  compile(&processes[1], "update", 2, 0, donated, CHIPS, all);
  for (int i = 0; i < 2; i++) {
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 2; i++) {
    must(wait_for(&processes[i]));
    float row[COLUMNS];
    must(fetch(&processes[i], 2 * i + 1, row, COLUMNS));
    assert_true(row[COLUMNS - 1] == 2 * (float)(2 * i + 2));
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 2; i++) {
    podium_status_t *status = wait_for(&processes[i]);
    expect_error(status, PODIUM_FAILED_PRECONDITION,
                 "was donated to an execution of 'update'");
  }
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_a_failed_argument_of_one_process_is_told_to_the_others(void **state) {
  (void)state;
  static const char donated[] = ", tf.aliasing_output = 0 : i32";
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = join_all(pod, 2);
  for (int i = 0; i < 2; i++) {
    compile(&processes[i], i == 0 ? "update" : "other", 2, 0, donated, CHIPS, all);
    put_parts(&processes[i]);
    launch(&processes[i], TIMEOUT_MS);
  }
  for (int i = 0; i < 2; i++) {
    podium_status_free(wait_for(&processes[i]));
  }
  // Process 0 goes on with what has failed, process 1 with what is there.
  compile(&processes[1], "update", 2, 0, donated, CHIPS, all);
  for (int i = 0; i < 2; i++) {
    podium_array_free(processes[0].argument[i]);
    processes[0].argument[i] = processes[0].result;
  }
  processes[0].result = NULL;
  for (int i = 0; i < 2; i++) {
    launch(&processes[i], TIMEOUT_MS);
  }
  expect_error(wait_for(&processes[0]), PODIUM_FAILED_PRECONDITION, "have parted");
  expect_error(wait_for(&processes[1]), PODIUM_FAILED_PRECONDITION,
               "process 0, update: the processes have parted");
  processes[0].argument[1] = NULL;  // It is one array.
  leave_all(processes, 2);
  system_pod_stop(pod);
}

// Process 1 in a process of its own, which launches the program when `is_launching` and
// then does nothing more.
static pid_t start_other(const char *address, const char *group, long turns,
                         bool is_launching) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    process_t other = {0};
    must(join(&other, address, group, 1, 2));
    compile(&other, "long", 2, turns, "", CHIPS, all);
    put_parts(&other);
    if (is_launching) {
      launch(&other, 0);
    }
    if (write(ends[1], "", 1) != 1) {
      _exit(1);
    }
    for (;;) {
      pause();
    }
  }
  close(ends[1]);
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  return pid;
}

static void kill_other(pid_t pid) {
  assert_int_equal(kill(pid, SIGKILL), 0);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_a_killed_process_fails_what_waits_for_it(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  const pid_t pid = start_other(system_pod_address(pod), "waits", 0, false);
  process_t process = {0};
  must(join(&process, system_pod_address(pod), "waits", 0, 2));
  compile(&process, "long", 2, 0, "", CHIPS, all);
  put_parts(&process);
  launch(&process, TIMEOUT_MS);
  kill_other(pid);
  static const char words[] = "long needs the chips of process 1, which has gone";
  expect_error(wait_for(&process), PODIUM_UNAVAILABLE, words);
  launch(&process, TIMEOUT_MS);
  expect_error(wait_for(&process), PODIUM_UNAVAILABLE, words);
  process_t late = {0};
  expect_error(join(&late, system_pod_address(pod), "waits", 1, 2), PODIUM_ALREADY_EXISTS,
               "has lost its process 1");
  podium_close(process.session);
  system_pod_stop(pod);
}

// Until chips compute.
static void wait_until_it_runs(const process_t *process) {
  const int64_t deadline_ns = pod_clock_now_ns() + (int64_t)TIMEOUT_MS * 1000000;
  int64_t used = 0;
  while (used == 0) {
    podium_pod_t *seen;
    must(podium_pod(process->session, TIMEOUT_MS, &seen));
    used = seen->devices[1].hbm_used_bytes;
    podium_pod_free(seen);
    assert_true(pod_clock_now_ns() < deadline_ns);
  }
}

static void test_a_killed_process_stops_what_runs_on_its_chips(void **state) {
  (void)state;
  enum { TURNS = 2000000000 };
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  const pid_t pid = start_other(system_pod_address(pod), "runs", TURNS, true);
  process_t process = {0};
  must(join(&process, system_pod_address(pod), "runs", 0, 2));
  compile(&process, "long", 2, TURNS, "", CHIPS, all);
  put_parts(&process);
  launch(&process, TIMEOUT_MS);
  wait_until_it_runs(&process);
  kill_other(pid);
  expect_error(wait_for(&process), PODIUM_UNAVAILABLE,
               "long needs the chips of process 1, which has gone");
  // Its own chips are free for what is its own.
  const int64_t own[] = {0, 1};
  compile(&process, "own", 2, 0, "", 2, own);
  put_parts(&process);
  run_all(&process, 1, 2);
  podium_close(process.session);
  system_pod_stop(pod);
}

static void test_a_lost_chip_is_told_to_all_processes(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  process_t *processes = join_all(pod, 2);
  for (int i = 0; i < 2; i++) {
    compile(&processes[i], "long", 2, 2000000000, "", CHIPS, all);
    put_parts(&processes[i]);
    launch(&processes[i], TIMEOUT_MS);
  }
  wait_until_it_runs(&processes[0]);
  system_pod_signal_worker(pod, 0, SIGKILL);
  for (int i = 0; i < 2; i++) {
    expect_error(wait_for(&processes[i]), PODIUM_UNAVAILABLE, "lost");
  }
  leave_all(processes, 2);
  system_pod_stop(pod);
}

static void test_shares_that_do_not_divide_are_refused(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  process_t process = {0};
  expect_error(join(&process, system_pod_address(pod), "three", 0, 3),
               PODIUM_INVALID_ARGUMENT, "4 chips cannot be shared by 3 processes");
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_processes_run_a_program_together),
      cmocka_unit_test(test_a_process_is_told_for_whom_it_waits),
      cmocka_unit_test(test_processes_that_part_are_told_who_launched_what),
      cmocka_unit_test(test_a_deadline_of_one_process_is_told_to_the_others),
      cmocka_unit_test(test_processes_that_wait_in_a_circle_fail),
      cmocka_unit_test(test_donated_parts_are_consumed_when_it_runs_only),
      cmocka_unit_test(test_a_failed_argument_of_one_process_is_told_to_the_others),
      cmocka_unit_test(test_a_killed_process_fails_what_waits_for_it),
      cmocka_unit_test(test_a_killed_process_stops_what_runs_on_its_chips),
      cmocka_unit_test(test_a_lost_chip_is_told_to_all_processes),
      cmocka_unit_test(test_shares_that_do_not_divide_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
