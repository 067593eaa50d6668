// Arrays, temporaries and programs that the modelled HBM has room for and the host has
// not: who asks for them is refused, and no worker dies of it. The host's memory is set
// (PODIUM_HOST_MEMORY_BYTES), and once more a real control group's, where the test may
// make one.

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/text.h"
#include "tests/attack/bystander.h"
#include "tests/system/client.h"

enum {
  TIMEOUT_MS = 120000,
  BOUND_MS = 3000,  // Few rounds: it is the longest. Much is written meanwhile.
  MIB = 1 << 20,
  ARRAY_BYTES = 32 * MIB,  // On each chip.
  ARRAYS_MAX = 64,
  PATH_SIZE = 512,
};

static const podium_layout_t replicated = {
    .shape = {.dtype = PODIUM_F32, .rank = 1, .dims = {ARRAY_BYTES / 4}}};

// Puts until one is refused, with these words, and returns how many there are then.
static int fill(podium_session_t *session, podium_array_t **arrays, const char *words) {
  float *data = calloc(1, ARRAY_BYTES);
  assert_non_null(data);
  memset(data, 1, ARRAY_BYTES);
  int count = 0;
  podium_status_t *status = NULL;
  while (status == NULL && count < ARRAYS_MAX) {
    status =
        podium_put(session, &replicated, data, ARRAY_BYTES, TIMEOUT_MS, &arrays[count]);
    count += status == NULL;
  }
  free(data);
  printf("%d arrays of 32 MiB on each chip, then: %s\n", count,
         status == NULL ? "" : podium_status_message(status));
  expect_error(status, PODIUM_RESOURCE_EXHAUSTED, words);
  return count;
}

static void free_all(podium_array_t **arrays, int count) {
  for (int i = 0; i < count; i++) {
    podium_array_free(arrays[i]);
  }
}

static void assert_workers_live(const system_pod_t *pod) {
  for (int i = 0; i < system_pod_worker_count(pod); i++) {
    assert_int_equal(kill(system_pod_worker(pod, i), 0), 0);
  }
}

static void put_again(podium_session_t *session) {
  float *data = calloc(1, ARRAY_BYTES);
  podium_array_t *array = NULL;
  must(podium_put(session, &replicated, data, ARRAY_BYTES, TIMEOUT_MS, &array));
  must(podium_fetch(array, data, ARRAY_BYTES, TIMEOUT_MS));
  podium_array_free(array);
  free(data);
}

static system_pod_t *start_with(const char *budget, const char *topology) {
  char table[64];  // Other workers of this user are none of ours.
  snprintf(table, sizeof(table), "podium-test-memory-%ld", (long)getpid());
  assert_int_equal(setenv("PODIUM_HOST_MEMORY_TABLE", table, 1), 0);
  assert_int_equal(setenv("PODIUM_HOST_MEMORY_BYTES", budget, 1), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = topology});
  assert_int_equal(unsetenv("PODIUM_HOST_MEMORY_BYTES"), 0);
  return pod;
}

// --- The attacks ---

static void test_arrays_that_the_host_has_no_room_for_are_refused(void **state) {
  (void)state;
  system_pod_t *pod = start_with("536870912", "2x2");
  podium_session_t *session = connect_to(pod);
  bystander_t *others = bystander_start(pod);
  podium_array_t *arrays[ARRAYS_MAX];
  const int count = fill(session, arrays, "the host has no room for 32.0 MiB");
  assert_in_range(count, 3, 4);  // Four chips share 512 MiB.
  free_all(arrays, count);
  put_again(session);
  bystander_stop(others, "beside arrays without room", BOUND_MS);
  assert_workers_live(pod);
  podium_close(session);
  system_pod_stop(pod);
}

// 12 GiB in an HBM of 16.
static void test_results_and_temporaries_that_the_host_has_no_room_for_are_refused(
    void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<f32>) -> tensor<1073741824xf32> {\n"
      "  %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> "
      "tensor<1073741824xf32>\n"
      "  %3 = stablehlo.add %0, %1 : tensor<1073741824xf32>\n"
      "  return %3 : tensor<1073741824xf32>\n}\n";
  system_pod_t *pod = start_with("1073741824", "1x1");
  podium_session_t *session = connect_to(pod);
  bystander_t *others = bystander_start(pod);
  podium_executable_t *executable = NULL;
  must(podium_compile(session, "large.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  const float one = 1;
  podium_array_t *argument = NULL, *result = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, &one,
                  sizeof(one), TIMEOUT_MS, &argument));
  for (int i = 0; i < 10; i++) {
    expect_error(podium_execute(executable, 1, &argument,
                                &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS},
                                &result, NULL),
                 PODIUM_RESOURCE_EXHAUSTED, "the host has no room for");
  }
  bystander_stop(others, "beside results without room", BOUND_MS);
  assert_workers_live(pod);
  podium_array_free(argument);
  podium_executable_free(executable);
  podium_close(session);
  system_pod_stop(pod);
}

// What a kernel needs beside arrays and temporaries: to sort 256 MiB takes ten times as
// much.
static void test_scratch_that_the_host_has_no_room_for_is_refused(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main() -> tensor<67108864xf32> {\n"
      "  %0 = stablehlo.iota dim = 0 : tensor<67108864xf32>\n"
      "  %1 = \"stablehlo.sort\"(%0) ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> "
      "tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n"
      "  }) {dimension = 0 : i64, is_stable = true} : (tensor<67108864xf32>) -> "
      "tensor<67108864xf32>\n"
      "  return %1 : tensor<67108864xf32>\n}\n";
  system_pod_t *pod = start_with("1073741824", "1x1");
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  podium_array_t *result = NULL;
  must(podium_compile(session, "sort.mlir", text, strlen(text),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  expect_error(podium_execute(executable, 0, NULL,
                              &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS},
                              &result, NULL),
               PODIUM_RESOURCE_EXHAUSTED, "no host memory to sort");
  assert_workers_live(pod);
  put_again(session);
  podium_executable_free(executable);
  podium_close(session);
  system_pod_stop(pod);
}

// --- A real control group ---

static bool write_file(const char *folder, const char *name, const char *text) {
  char path[2 * PATH_SIZE];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "we");
  if (file == NULL) {
    return false;
  }
  const bool is_written = fputs(text, file) >= 0;
  return fclose(file) == 0 && is_written;
}

// The folder of this process's memory group; false: there is none that is known.
static bool find_own_group(char path[PATH_SIZE], bool *out_is_unified) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  char line[PATH_SIZE];
  bool is_found = false;
  while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const char *legacy = strstr(line, ":memory:");
    const char *group = legacy != NULL ? legacy + strlen(":memory:") : line + 3;
    *out_is_unified = legacy == NULL;
    snprintf(path, PATH_SIZE, "/sys/fs/cgroup%s%.400s", legacy != NULL ? "/memory" : "",
             strcmp(group, "/") == 0 ? "" : group);
    is_found = legacy != NULL || (strncmp(line, "0::", 3) == 0 &&
                                  access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0);
  }
  if (file != NULL) {
    fclose(file);
  }
  return is_found;
}

typedef struct group_t {
  char own[PATH_SIZE], made[2 * PATH_SIZE];
} group_t;

// Moves this process into a new group of `limit` bytes; what it starts is in it too.
static bool enter_group(group_t *group, const char *limit) {
  bool is_unified;
  if (!find_own_group(group->own, &is_unified)) {
    return false;
  }
  snprintf(group->made, sizeof(group->made), "%s/podium-test-%ld", group->own,
           (long)getpid());
  if (mkdir(group->made, 0755) != 0) {
    return false;
  }
  char pid[32];
  snprintf(pid, sizeof(pid), "%ld", (long)getpid());
  if (write_file(group->made, is_unified ? "memory.max" : "memory.limit_in_bytes",
                 limit) &&
      write_file(group->made, "cgroup.procs", pid)) {
    return true;
  }
  rmdir(group->made);
  return false;
}

static void leave_group(const group_t *group) {
  char pid[32];
  snprintf(pid, sizeof(pid), "%ld", (long)getpid());
  assert_true(write_file(group->own, "cgroup.procs", pid));
  for (int i = 0; i < 100 && rmdir(group->made) != 0 && errno == EBUSY; i++) {
    usleep(20000);
  }
}

static void test_a_control_group_is_not_filled_until_the_kernel_kills(void **state) {
  (void)state;
  group_t group;
  if (!enter_group(&group, "805306368")) {
    print_message("no control group for memory can be made here\n");
    skip();
  }
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x1"});
  podium_session_t *session = connect_to(pod);
  podium_array_t *arrays[ARRAYS_MAX];
  const int count = fill(session, arrays, "(its control group's limit)");
  assert_in_range(count, 1, 11);  // 768 MiB, two chips.
  assert_workers_live(pod);
  free_all(arrays, count);
  put_again(session);
  podium_close(session);
  system_pod_stop(pod);
  leave_group(&group);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_that_the_host_has_no_room_for_are_refused),
      cmocka_unit_test(
          test_results_and_temporaries_that_the_host_has_no_room_for_are_refused),
      cmocka_unit_test(test_scratch_that_the_host_has_no_room_for_is_refused),
      cmocka_unit_test(test_a_control_group_is_not_filled_until_the_kernel_kills),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
