// Which arrays a call consumes, and what it refuses.

#include "server/coordinator/core/donation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

// 'train' takes three arguments, of which the first two are donated.
enum { ARGUMENTS = 3, CHIPS = 2, ARRAYS = ARGUMENTS * CHIPS };

typedef struct world_t {
  store_t *store;
  store_session_t *session;
  store_executable_t executable;
  compiled_t compiled;
  compiler_result_t result;
  chip_program_t program;
  store_array_t *arrays[ARRAYS];
} world_t;

static void ignore_array(void *context, uint64_t id, bool is_late) {
  (void)context;
  (void)id;
  (void)is_late;
}

static void ignore_executable(void *context, uint64_t id, int32_t chip_count,
                              const int32_t *chips) {
  (void)context;
  (void)id;
  (void)chip_count;
  (void)chips;
}

static void ignore_session(void *context, uint64_t session) {
  (void)context;
  (void)session;
}

static void world_open(world_t *world) {
  static char *names[] = {"params", "moments", "batch"};
  static const chip_alias_t aliases[] = {{0, 0}, {1, 1}};
  static const int64_t dims[] = {4};
  *world = (world_t){.program = {.alias_count = 2, .aliases = aliases}};
  world->result.program = &world->program;
  world->compiled.result = &world->result;
  world->executable = (store_executable_t){.name = "train",
                                           .argument_count = ARGUMENTS,
                                           .argument_names = names,
                                           .compiled = &world->compiled};
  const store_events_t events = {.array_gone = ignore_array,
                                 .executable_gone = ignore_executable,
                                 .session_gone = ignore_session};
  world->store = store_create(&events);
  assert_null(store_open_session(world->store, "a user", "test", false, &world->session));
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, dims);
  for (int i = 0; i < ARRAYS; i++) {
    array_layout_t *layout;
    assert_null(array_layout_create_replicated(&shape, CHIPS, NULL, &layout));
    world->arrays[i] =
        store_add_array(world->session, store_new_id(world->store), layout);
    array_layout_release(layout);
  }
}

static void world_close(world_t *world) {
  store_destroy(world->store);
}

static donation_call_t call_of(world_t *world, uint64_t execution) {
  return (donation_call_t){.execution = execution,
                           .executable = &world->executable,
                           .arrays = world->arrays,
                           .per_argument = 1};
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("\"%s\" is not in: %s", part, pod_status_message(status));
  }
  pod_status_free(status);
}

static void expect_there(const world_t *world, const char *there) {
  for (int i = 0; there[i] != '\0'; i++) {
    store_array_t *found;
    const pod_status_t status =
        store_find_array(world->session, world->arrays[i]->id, &found);
    if (there[i] == '+') {
      assert_null(status);
    } else {
      assert_refused(status, POD_FAILED_PRECONDITION,
                     "was donated to an execution of 'train': Array has been deleted");
      assert_null(store_find_handle(world->session, world->arrays[i]->id, &found));
    }
  }
}

static void test_donated_arrays_are_gone_with_the_call(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  const donation_call_t call = call_of(&world, 7);
  assert_null(donation_take(&call));
  expect_there(&world, "--+");
  world_close(&world);
}

static void test_kept_arguments_stay(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  donation_call_t call = call_of(&world, 7);
  const int32_t kept[] = {2, 0}, wrong[] = {0, 3};
  call.kept = wrong;
  call.kept_count = 2;
  assert_refused(donation_take(&call), POD_INVALID_ARGUMENT,
                 "argument 3 of train is to be kept, which has 3");
  expect_there(&world, "+++");
  call.kept = kept;
  assert_null(donation_take(&call));
  expect_there(&world, "+-+");
  world_close(&world);
}

static void test_what_did_not_start_gives_them_back(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  const donation_call_t call = call_of(&world, 7), other = call_of(&world, 8);
  assert_null(donation_take(&call));
  donation_give_back(&other);  // Not its own.
  expect_there(&world, "--+");
  donation_give_back(&call);
  expect_there(&world, "+++");
  world_close(&world);
}

static void test_an_array_is_donated_only_once(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  const donation_call_t call = call_of(&world, 7);
  world.arrays[1] = world.arrays[0];
  assert_refused(donation_take(&call), POD_INVALID_ARGUMENT,
                 "attempt to donate the same buffer twice: array 1 is argument 0 "
                 "(params), which 'train' donates, and argument 1 (moments)");
  expect_there(&world, "+++");
  world_close(&world);
}

static void test_a_donated_array_is_no_other_argument(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  donation_call_t call = call_of(&world, 7);
  world.arrays[2] = world.arrays[1];
  assert_refused(donation_take(&call), POD_INVALID_ARGUMENT,
                 "attempt to use a donated buffer: array 2 is argument 1 (moments)");
  expect_there(&world, "+++");
  const int32_t kept[] = {1};
  call.kept = kept;
  call.kept_count = 1;
  assert_null(donation_take(&call));
  expect_there(&world, "-++");
  world_close(&world);
}

static void test_an_argument_may_be_an_array_for_every_chip(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  donation_call_t call = call_of(&world, 7);
  call.per_argument = CHIPS;
  world.arrays[1] = world.arrays[0];  // One array for both chips.
  assert_null(donation_take(&call));
  expect_there(&world, "----++");
  donation_give_back(&call);
  expect_there(&world, "++++++");
  world.arrays[3] = world.arrays[0];
  assert_refused(donation_take(&call), POD_INVALID_ARGUMENT, "donate the same buffer");
  world_close(&world);
}

static void test_readers_hold_up_what_is_consumed_and_nothing_else(void **state) {
  (void)state;
  world_t world;
  world_open(&world);
  const donation_call_t call = call_of(&world, 7);
  assert_null(donation_take(&call));
  world.arrays[2]->reader_count++;
  assert_false(donation_is_read(&call));
  world.arrays[1]->reader_count++;
  assert_true(donation_is_read(&call));
  world_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_donated_arrays_are_gone_with_the_call),
      cmocka_unit_test(test_kept_arguments_stay),
      cmocka_unit_test(test_what_did_not_start_gives_them_back),
      cmocka_unit_test(test_an_array_is_donated_only_once),
      cmocka_unit_test(test_a_donated_array_is_no_other_argument),
      cmocka_unit_test(test_an_argument_may_be_an_array_for_every_chip),
      cmocka_unit_test(test_readers_hold_up_what_is_consumed_and_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
