// Programs are compiled, loaded and run; what fails is told once, with its cause.

#include <stdio.h>
#include <string.h>

#include "tests/unit/server/coordinator/world.h"

static void test_a_bad_module_gets_the_compiler_s_diagnostic_unchanged(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  Podium__V1__CompileResponse *response;
  const pod_status_t status = client_compile(world.client, "bad", false, &response);
  assert_string_equal(pod_status_message(status),
                      "test.mlir:1:2: error: it is bad (3 bytes)");
  assert_refused(status, POD_INVALID_ARGUMENT, "bad");
  world_stop(&world);
}

static void test_a_program_runs_on_all_chips_and_leaves_a_profile(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const Podium__V1__ExecuteResponse *response = message;
  assert_int_equal(response->host_ns, 1003);
  assert_int_equal(response->end_ps, 2000);
  world_assert_array(&world, response->results[0]);
  Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
  request.session = world.client->session;
  request.execution = response->execution;
  client_call_t *profile =
      client_start(world.client, "/podium.v1.Podium/GetProfile",
                   &podium__v1__chip_profile__descriptor, &request.base, 0);
  rpc_call_half_close(profile->rpc);
  assert_null(client_wait(profile));
  assert_int_equal(profile->message_count, CHIPS);
  for (int i = 0; i < CHIPS; i++) {
    const void *chip = profile->messages[i];
    assert_int_equal(((const Podium__V1__ChipProfile *)chip)->chip, i);
    assert_int_equal(world.workers[i]->load_count, 1);
    assert_true(world.workers[i]->program_bytes > 0);
  }
  client_free(profile);
  client_free(call);
  world_stop(&world);
}

static void test_compiling_needs_no_pod_and_running_loads_where_it_is_missing(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  Podium__V1__CompileResponse *response;
  assert_null(client_compile(world.client, "f", true, &response));
  assert_int_equal(response->executable, 0);
  assert_string_equal(response->partitioned_text, "partitioned");
  assert_string_equal(response->arguments[0]->name, "arg0");
  assert_int_equal(response->arguments[0]->local_shape->dims[0], ROWS / 2);
  podium__v1__compile_response__free_unpacked(response, NULL);
  const uint64_t executable = world_compile(&world, "f");
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    world_join(&world, chip);
    assert_int_equal(world.workers[chip]->load_count, 0);
  }
  const uint64_t array = world_put(&world, executable);
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_UNAVAILABLE, "the pod is not ready: chip 0 (0,0,0) at ");
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  world_wait_ready(&world, true);
  assert_null(client_execute(world.client, executable, array, &result));
  world_assert_array(&world, result);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    assert_int_equal(world.workers[chip]->load_count, 1);
  }
  world_stop(&world);
}

static void test_arguments_of_another_shape_are_refused_with_both(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t small = world_compile(&world, "f"),
                 large = world_compile(&world, "large");
  const uint64_t array = world_put(&world, small);
  uint64_t result;
  const pod_status_t status = client_execute(world.client, large, array, &result);
  assert_non_null(strstr(pod_status_message(status), "f32[16,4]"));
  assert_refused(status, POD_INVALID_ARGUMENT, "f32[8,4]");
  assert_refused(client_execute(world.client, array, array, &result), POD_NOT_FOUND,
                 "no executable");
  assert_refused(client_execute(world.client, small, small, &result), POD_NOT_FOUND,
                 "no array");
  world_stop(&world);
}

static void test_a_killed_worker_fails_what_ran_by_its_name_and_the_rest_goes_on(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, world_all_execute, &world);
  char address[64];
  snprintf(address, sizeof(address), "lost chip 2 (0,1,0) at %s",
           world.workers[2]->address);
  world_kill_worker(&world, 2);
  client_wait(call);
  assert_refused(call->status, POD_UNAVAILABLE, address);
  call->status = NULL;
  client_free(call);
  client_run(world.loop, world_none_executes, &world);
  assert_int_equal(world.workers[0]->cancelled_count, 1);
  world_set_modes(&world, FAKE_WELL);
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result), POD_DATA_LOSS,
                 "chip 2 (0,1,0)");
  world_rejoin(&world, 2);
  assert_int_equal(world.workers[2]->epoch, 2);
  assert_refused(client_execute(world.client, executable, array, &result), POD_DATA_LOSS,
                 "put it again");
  world_assert_array(&world, array);  // Chip 3 has the rows of chip 2 too.
  const uint64_t again = world_put(&world, executable);
  assert_null(client_execute(world.client, executable, again, &result));
  world_assert_array(&world, result);
  assert_int_equal(world.workers[2]->load_count, 1);
  assert_int_equal(world.workers[0]->load_count, 1);
  world_stop(&world);
}

static void test_a_dead_worker_is_named_rather_than_who_missed_it(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 300);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  world.workers[0]->mode = FAKE_TOUCH;
  world.workers[1]->is_silent = true;
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, world_none_executes, &world);
  world_kill_worker(&world, 1);
  client_wait(call);
  assert_refused(call->status, POD_UNAVAILABLE, "lost chip 1 (1,0,0)");
  call->status = NULL;
  client_free(call);
  world_stop(&world);
}

static void test_a_broken_link_between_living_workers_is_told_as_it_is(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  world.workers[3]->mode = FAKE_TOUCH;
  uint64_t result;
  const pod_status_t status = client_execute(world.client, executable, array, &result);
  assert_non_null(strstr(pod_status_message(status), "chip 3 (1,1,0) at "));
  assert_refused(status, POD_UNAVAILABLE, "a link is broken");
  world_set_modes(&world, FAKE_WELL);
  assert_null(client_execute(world.client, executable, array, &result));
  world_stop(&world);
}

static void test_a_session_that_waits_runs_when_the_pod_is_ready_again(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  client_t *hasty = client_create(world.loop, coordinator_address(world.coordinator));
  client_t *patient = world.client;
  client_open(hasty, false);
  world.client = hasty;
  const uint64_t hasty_executable = world_compile(&world, "f");
  const uint64_t hasty_array = world_put(&world, hasty_executable);
  fake_worker_report_link(world.workers[0], 0, 1, false);
  world_wait_ready(&world, false);
  world.client = patient;
  client_call_t *call = client_start_execute(patient, executable, array, 0);
  uint64_t result;
  assert_refused(client_execute(hasty, hasty_executable, hasty_array, &result),
                 POD_UNAVAILABLE, "chip 0 (0,0,0) at ");
  assert_false(call->is_over);
  fake_worker_report_link(world.workers[0], 0, 1, true);
  assert_null(client_wait(call));
  client_free(call);
  client_destroy(hasty);
  world_stop(&world);
}

static void test_a_deadline_and_a_cancel_stop_the_chips(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 100);
  assert_int_equal(pod_status_code(client_wait(call)), POD_DEADLINE_EXCEEDED);
  client_free(call);
  client_run(world.loop, world_none_executes, &world);
  call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, world_all_execute, &world);
  rpc_call_cancel(call->rpc);
  assert_int_equal(pod_status_code(client_wait(call)), POD_CANCELLED);
  client_free(call);
  client_run(world.loop, world_none_executes, &world);
  world_set_modes(&world, FAKE_WELL);
  uint64_t result;
  assert_null(client_execute(world.client, executable, array, &result));
  world_stop(&world);
}

static void test_all_chips_see_the_executions_in_one_order(void **state) {
  (void)state;
  enum { CALLS = 12 };
  world_t world;
  world_start_ready(&world, 60000);
  client_t *second = client_create(world.loop, coordinator_address(world.coordinator));
  client_t *first = world.client;
  uint64_t executables[2], arrays[2];
  client_t *clients[2] = {first, second};
  client_open(second, true);
  for (int i = 0; i < 2; i++) {
    world.client = clients[i];
    executables[i] = world_compile(&world, "f");
    arrays[i] = world_put(&world, executables[i]);
  }
  world.client = first;
  client_call_t *calls[CALLS];
  for (int i = 0; i < CALLS; i++) {
    calls[i] = client_start_execute(clients[i % 2], executables[i % 2], arrays[i % 2], 0);
  }
  for (int i = 0; i < CALLS; i++) {
    assert_null(client_wait(calls[i]));
    client_free(calls[i]);
  }
  for (int chip = 1; chip < CHIPS; chip++) {
    assert_int_equal(world.workers[chip]->execute_count, CALLS);
    assert_memory_equal(world.workers[chip]->executed, world.workers[0]->executed,
                        CALLS * sizeof(uint64_t));
  }
  client_destroy(second);
  world_wait_arrays(&world, 1 + CALLS / 2);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_bad_module_gets_the_compiler_s_diagnostic_unchanged),
      cmocka_unit_test(test_a_program_runs_on_all_chips_and_leaves_a_profile),
      cmocka_unit_test(test_compiling_needs_no_pod_and_running_loads_where_it_is_missing),
      cmocka_unit_test(test_arguments_of_another_shape_are_refused_with_both),
      cmocka_unit_test(
          test_a_killed_worker_fails_what_ran_by_its_name_and_the_rest_goes_on),
      cmocka_unit_test(test_a_dead_worker_is_named_rather_than_who_missed_it),
      cmocka_unit_test(test_a_broken_link_between_living_workers_is_told_as_it_is),
      cmocka_unit_test(test_a_session_that_waits_runs_when_the_pod_is_ready_again),
      cmocka_unit_test(test_a_deadline_and_a_cancel_stop_the_chips),
      cmocka_unit_test(test_all_chips_see_the_executions_in_one_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
