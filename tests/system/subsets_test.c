// Programs and arrays on some chips of a pod, in any order, against real daemons.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, ROWS = 12, COLUMNS = 1 << 14, COUNT = ROWS * COLUMNS };
enum { ROUNDS = 20 };

#define SIZE ((size_t)COUNT * sizeof(float))

// 2x of rows over `devices`, gathered: on several devices every one hears of all others.
static podium_status_t *compile(podium_session_t *session, int devices, int count,
                                const int64_t *chips, podium_executable_t **out) {
  char text[1024];
  const int length = snprintf(
      text, sizeof(text),
      "module @twice attributes {mhlo.num_partitions = %d : i32} {\n"
      "  sdy.mesh @mesh = <[\"x\"=%d]>\n"
      "  func.func public @main(%%arg0: tensor<%dx%dxf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<%dx%dxf32> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{}, {}]>}) {\n"
      "    %%0 = stablehlo.add %%arg0, %%arg0 : tensor<%dx%dxf32>\n"
      "    return %%0 : tensor<%dx%dxf32>\n  }\n}\n",
      devices, devices, ROWS, COLUMNS, ROWS, COLUMNS, ROWS, COLUMNS, ROWS, COLUMNS);
  const podium_compile_options_t options = {
      .timeout_ms = TIMEOUT_MS, .device_order_count = count, .device_order = chips};
  return podium_compile(session, "twice.mlir", text, (size_t)length, &options, out);
}

static float *numbers(float first) {
  float *values = malloc(SIZE);
  for (int i = 0; i < COUNT; i++) {
    values[i] = first + (float)i;
  }
  return values;
}

static podium_array_t *put(podium_session_t *session,
                           const podium_executable_t *executable, float first) {
  float *values = numbers(first);
  podium_array_t *array = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, values, SIZE,
                  TIMEOUT_MS, &array));
  free(values);
  return array;
}

static bool is_twice(podium_array_t *array, float first) {
  float *values = malloc(SIZE);
  must(podium_fetch(array, values, SIZE, TIMEOUT_MS));
  bool is_right = true;
  for (int i = 0; i < COUNT; i++) {
    is_right &= values[i] == 2 * (first + (float)i);
  }
  free(values);
  return is_right;
}

static const podium_execute_options_t in_time = {.timeout_ms = TIMEOUT_MS};

// Only these chips have run it, and only they are told of as running.
static void check_profile(podium_execution_t *execution, int count,
                          const int64_t *chips) {
  podium_profile_t *profile = NULL;
  must(podium_profile(execution, &(podium_profile_options_t){.timeout_ms = TIMEOUT_MS},
                      &profile));
  assert_int_equal(profile->host_count, count);
  for (int i = 0; i < count; i++) {
    bool is_found = false;
    for (int h = 0; h < profile->host_count; h++) {
      is_found |= profile->hosts[h].chip == chips[i];
    }
    assert_true(is_found);
  }
  int running = 0;
  for (int c = 0; c < profile->class_count; c++) {
    running += profile->classes[c].end_ps > 0 ? profile->classes[c].chip_count : 0;
  }
  assert_int_equal(running, count);
  podium_profile_free(profile);
}

static void test_programs_run_on_any_chips_in_any_order(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  static const struct {
    int count;
    int64_t chips[4];
  } lists[] = {{1, {3}},       {2, {2, 1}}, {4, {3, 0, 1, 2}}, {2, {0, 3}},
               {3, {3, 2, 0}}, {1, {0}},    {2, {1, 0}},       {4, {0, 1, 2, 3}}};
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    const int count = lists[i].count;
    podium_executable_t *executable = NULL;
    must(compile(session, count, count, lists[i].chips, &executable));
    const podium_program_info_t *info = podium_executable_info(executable);
    assert_int_equal(info->device_count, count);
    assert_memory_equal(info->chips, lists[i].chips, (size_t)count * sizeof(int64_t));
    podium_array_t *array = put(session, executable, (float)i), *result = NULL;
    podium_execution_t *execution = NULL;
    must(podium_execute(executable, 1, &array, &in_time, &result, &execution));
    assert_true(is_twice(result, (float)i));
    check_profile(execution, count, lists[i].chips);
  }
  podium_close(session);
  system_pod_stop(pod);
}

// Nobody names chips: the first slice is taken, and the rest is not there for it.
static void test_a_smaller_mesh_runs_without_naming_chips(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(compile(session, 2, 0, NULL, &executable));
  const int64_t chips[] = {0, 1};
  assert_int_equal(podium_executable_info(executable)->device_count, 2);
  podium_array_t *array = put(session, executable, 5), *result = NULL;
  podium_execution_t *execution = NULL;
  must(podium_execute(executable, 1, &array, &in_time, &result, &execution));
  assert_true(is_twice(result, 5));
  check_profile(execution, 2, chips);
  podium_close(session);
  system_pod_stop(pod);
}

static void test_what_is_no_list_of_chips_is_refused_with_what_to_do(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  static const struct {
    int devices, count;
    int64_t chips[5];
    const char *why;
  } cases[] = {
      {2, 2, {1, 1}, "names chip 1 twice: each device needs a chip of its own"},
      {2, 2, {0, 4}, "names chip 4, the pod has the chips 0 to 3"},
      {2, 2, {-1, 0}, "names chip -1, the pod has the chips 0 to 3"},
      {2, 2, {INT64_MIN, INT64_MAX}, "the pod has the chips 0 to 3"},
      {2, 1, {0}, "has 1 chips, the program's mesh @mesh has 2 devices: name one chip"},
      {2, 4, {0, 1, 2, 3}, "has 4 chips, the program's mesh @mesh has 2 devices"},
      {4, 5, {0, 1, 2, 3, 3}, "has 5 chips, the pod has 4"},
  };
  podium_executable_t *executable = NULL;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    expect_error(
        compile(session, cases[i].devices, cases[i].count, cases[i].chips, &executable),
        PODIUM_INVALID_ARGUMENT, cases[i].why);
  }
  expect_error(compile(session, 6, 0, NULL, &executable), PODIUM_FAILED_PRECONDITION,
               "has 6 devices, the pod has 4 chips");
  podium_close(session);
  system_pod_stop(pod);
}

static void test_arrays_are_put_on_chips_and_handed_from_program_to_program(
    void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  const int64_t three[] = {3}, turned[] = {1, 0}, straight[] = {0, 1};
  podium_executable_t *alone = NULL, *backward = NULL, *forward = NULL;
  must(compile(session, 1, 1, three, &alone));
  must(compile(session, 2, 2, turned, &backward));
  must(compile(session, 2, 2, straight, &forward));
  float *values = numbers(5);
  const podium_shape_t shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {ROWS, COLUMNS}};
  podium_layout_t layout = {.shape = shape, .chip_count = 1, .chips = three};
  podium_array_t *array = NULL, *result = NULL;
  must(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array));
  must(podium_execute(alone, 1, &array, &in_time, &result, NULL));
  assert_true(is_twice(result, 5));
  expect_error(podium_execute(forward, 1, &array, &in_time, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "on chip 3)");
  const podium_mesh_axis_t axis = {"rows", 2};
  const podium_sharding_t sharding = {.axis_count = 1,
                                      .axes = &axis,
                                      .rank = 2,
                                      .spec = (const char *const[]){"rows", ""}};
  layout = (podium_layout_t){
      .shape = shape, .sharding = &sharding, .chip_count = 2, .chips = turned};
  must(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array));
  expect_error(podium_execute(forward, 1, &array, &in_time, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "on each of the chips {1, 0})");
  expect_error(podium_execute(forward, 1, &array, &in_time, &result, NULL),
               PODIUM_INVALID_ARGUMENT, "on each of 2 chips), array");
  must(podium_execute(backward, 1, &array, &in_time, &result, NULL));
  assert_true(is_twice(result, 5));
  layout.chips = (const int64_t[]){2, 2};
  expect_error(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "chip 2 twice");
  layout.chips = (const int64_t[]){2, 4};
  expect_error(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "chip 4, the pod has the chips 0 to 3");
  layout.chip_count = 1;
  expect_error(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "mesh has 2 devices");
  layout = (podium_layout_t){.executable = alone, .chip_count = 1, .chips = three};
  expect_error(podium_put(session, &layout, values, SIZE, TIMEOUT_MS, &array),
               PODIUM_INVALID_ARGUMENT, "name no chips, or no executable");
  free(values);
  podium_close(session);
  system_pod_stop(pod);
}

typedef struct user_t {
  const system_pod_t *pod;
  int64_t chips[2];
  float first;
  int rounds, right;
  pthread_t thread;
} user_t;

// Assertions are the main thread's.
static void *use(void *context) {
  user_t *user = context;
  podium_session_t *session = connect_to(user->pod);
  podium_executable_t *executable = NULL;
  podium_status_t *status = compile(session, 2, 2, user->chips, &executable);
  podium_array_t *array = status == NULL ? put(session, executable, user->first) : NULL;
  for (int i = 0; i < user->rounds && status == NULL; i++) {
    podium_array_t *result = NULL;
    status = podium_execute(executable, 1, &array, &in_time, &result, NULL);
    user->right += status == NULL && is_twice(result, user->first);
    podium_array_free(result);
  }
  if (status != NULL) {
    print_error("%s\n", podium_status_message(status));
    podium_status_free(status);
  }
  podium_close(session);
  return NULL;
}

// Chips 0 and 3 talk through 1 and 2, which run other programs or none meanwhile.
static void test_sessions_on_different_chips_do_not_disturb_each_other(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  user_t users[] = {{pod, {0, 1}, 1, ROUNDS, 0, 0},
                    {pod, {3, 2}, 2, ROUNDS, 0, 0},
                    {pod, {0, 3}, 3, ROUNDS, 0, 0},
                    {pod, {2, 1}, 4, ROUNDS, 0, 0}};
  enum { USERS = sizeof(users) / sizeof(users[0]) };
  for (int i = 0; i < USERS; i++) {
    assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
  }
  for (int i = 0; i < USERS; i++) {
    pthread_join(users[i].thread, NULL);
    assert_int_equal(users[i].right, ROUNDS);
  }
  system_pod_stop(pod);
}

static int worker_of(const system_pod_t *pod, podium_session_t *session, int chip) {
  podium_pod_t *info = NULL;
  must(podium_pod(session, TIMEOUT_MS, &info));
  int found = -1;
  for (int i = 0; i < system_pod_worker_count(pod); i++) {
    found = system_pod_worker(pod, i) == (pid_t)info->devices[chip].pid ? i : found;
  }
  podium_pod_free(info);
  assert_true(found >= 0);
  return found;
}

static void test_a_lost_worker_stops_only_what_needs_its_chip(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = NULL;
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.timeout_ms = TIMEOUT_MS}, &session));
  const int64_t near[] = {0, 1}, corners[] = {0, 3}, two[] = {2};
  podium_executable_t *part = NULL, *across = NULL, *alone = NULL, *whole = NULL;
  must(compile(session, 2, 2, near, &part));
  must(compile(session, 2, 2, corners, &across));
  must(compile(session, 1, 1, two, &alone));
  must(compile(session, 4, 0, NULL, &whole));
  podium_array_t *array = put(session, part, 1), *far = put(session, across, 2);
  podium_array_t *lone = put(session, alone, 3), *result = NULL;
  must(podium_execute(across, 1, &far, &in_time, &result, NULL));
  assert_int_equal(system_pod_signal_worker(pod, worker_of(pod, session, 3), SIGKILL),
                   SIGKILL);
  for (int i = 0; i < ROUNDS; i++) {
    must(podium_execute(part, 1, &array, &in_time, &result, NULL));
    assert_true(is_twice(result, 1));
    podium_array_free(result);
  }
  must(podium_execute(alone, 1, &lone, &in_time, &result, NULL));
  assert_true(is_twice(result, 3));
  expect_error(podium_execute(across, 1, &far, &in_time, &result, NULL), PODIUM_DATA_LOSS,
               "chip 3");
  // Compiled and put anew while the chip is away.
  podium_executable_t *again = NULL;
  must(compile(session, 2, 2, (const int64_t[]){1, 0}, &again));
  podium_array_t *other = put(session, again, 4);
  must(podium_execute(again, 1, &other, &in_time, &result, NULL));
  assert_true(is_twice(result, 4));
  // A new worker takes the place, and all of it works again.
  system_pod_add_worker(pod, NULL);
  podium_session_t *second = connect_to(pod);
  far = put(session, across, 5);
  must(podium_execute(across, 1, &far, &in_time, &result, NULL));
  assert_true(is_twice(result, 5));
  podium_array_t *wide = put(session, whole, 6);
  must(podium_execute(whole, 1, &wide, &in_time, &result, NULL));
  assert_true(is_twice(result, 6));
  podium_close(second);
  podium_close(session);
  system_pod_stop(pod);
}

static void test_a_worker_lost_elsewhere_does_not_disturb_what_runs(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod);
  const int64_t three[] = {3};
  podium_executable_t *alone = NULL;
  must(compile(session, 1, 1, three, &alone));
  podium_array_t *array = put(session, alone, 7), *result = NULL;
  user_t user = {pod, {0, 1}, 1, 10 * ROUNDS, 0, 0};
  assert_int_equal(pthread_create(&user.thread, NULL, use, &user), 0);
  for (int i = 0; i < 3; i++) {
    must(podium_execute(alone, 1, &array, &in_time, &result, NULL));
    assert_int_equal(system_pod_signal_worker(pod, worker_of(pod, session, 3), SIGKILL),
                     SIGKILL);
    system_pod_add_worker(pod, NULL);
    podium_close(connect_to(pod));  // Until the pod is whole again.
    array = put(session, alone, 7);
  }
  pthread_join(user.thread, NULL);
  assert_int_equal(user.right, user.rounds);
  podium_close(session);
  system_pod_stop(pod);
}

// Messages from chip 0 to 3 go through 1, those back through 2.
static void test_a_lost_worker_on_the_way_is_named(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){0});
  podium_session_t *session = connect_to(pod), *impatient = NULL;
  const int64_t corners[] = {0, 3};
  podium_executable_t *across = NULL;
  must(compile(session, 2, 2, corners, &across));
  must(podium_connect(system_pod_address(pod),
                      &(podium_connect_options_t){.do_not_wait = true}, &impatient));
  must(compile(impatient, 2, 2, corners, &across));
  podium_array_t *array = put(impatient, across, 1), *result = NULL;
  must(podium_execute(across, 1, &array, &in_time, &result, NULL));
  assert_int_equal(system_pod_signal_worker(pod, worker_of(pod, session, 1), SIGKILL),
                   SIGKILL);
  expect_error(podium_execute(across, 1, &array, &in_time, &result, NULL),
               PODIUM_UNAVAILABLE, "chip 1");
  podium_close(impatient);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs_run_on_any_chips_in_any_order),
      cmocka_unit_test(test_a_smaller_mesh_runs_without_naming_chips),
      cmocka_unit_test(test_what_is_no_list_of_chips_is_refused_with_what_to_do),
      cmocka_unit_test(test_arrays_are_put_on_chips_and_handed_from_program_to_program),
      cmocka_unit_test(test_sessions_on_different_chips_do_not_disturb_each_other),
      cmocka_unit_test(test_a_lost_worker_stops_only_what_needs_its_chip),
      cmocka_unit_test(test_a_worker_lost_elsewhere_does_not_disturb_what_runs),
      cmocka_unit_test(test_a_lost_worker_on_the_way_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
