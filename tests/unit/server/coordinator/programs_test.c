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

static const Podium__V1__ProfilePart *part_of(const client_call_t *call, int index) {
  const void *message = call->messages[index];
  return message;
}

static void assert_header(const void *message, const char *chip_kind, int chips) {
  const Podium__V1__ProfilePart *part = message;
  assert_non_null(part->header);
  assert_string_equal(part->header->program, "jit_f");
  assert_string_equal(part->header->chip_kind, chip_kind);
  assert_int_equal(part->header->chip_count, chips);
  assert_int_equal(part->header->task_count, 1);
  assert_true(part->header->step_ps > 0);
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
  world_assert_array(&world, response->results[0]);
  Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
  request.session = world.client->session;
  request.execution = response->execution;
  client_call_t *profile =
      client_start(world.client, "/podium.v1.Podium/GetProfile",
                   &podium__v1__profile_part__descriptor, &request.base, 0);
  rpc_call_half_close(profile->rpc);
  assert_null(client_wait(profile));
  assert_int_equal(profile->message_count, 3 + CHIPS);  // Header, tasks, one class.
  assert_header(profile->messages[0], "v5e", 4);
  for (int i = 0; i < CHIPS; i++) {
    const Podium__V1__HostProfile *host = part_of(profile, 3 + i)->host;
    assert_non_null(host);
    assert_int_equal(host->host_ns, 1000 + host->chip);
    assert_int_equal(world.workers[i]->load_count, 1);
    assert_true(world.workers[i]->program_bytes > 0);
  }
  client_free(profile);
  client_free(call);
  world_stop(&world);
}

static client_call_t *simulate(const world_t *world, uint64_t executable,
                               Podium__V1__SimulationOptions *options) {
  Podium__V1__SimulateRequest request = PODIUM__V1__SIMULATE_REQUEST__INIT;
  request.session = world->client->session;
  request.executable = executable;
  request.options = options;
  client_call_t *call =
      client_start(world->client, "/podium.v1.Podium/Simulate",
                   &podium__v1__profile_part__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  return call;
}

static void test_simulating_needs_no_worker(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  const uint64_t executable = world_compile(&world, "f");
  Podium__V1__SimulationOptions options = PODIUM__V1__SIMULATION_OPTIONS__INIT;
  options.events_max = 100;
  client_call_t *call = simulate(&world, executable, &options);
  assert_null(client_wait(call));
  assert_int_equal(call->message_count, 3);
  assert_header(call->messages[0], "v5e", 4);
  assert_int_equal(part_of(call, 1)->n_tasks, 1);
  assert_string_equal(part_of(call, 1)->tasks[0]->source, "f.py:1:1");
  assert_int_equal(part_of(call, 2)->chip_class->n_events, 1);
  client_free(call);
  world_stop(&world);
}

static void test_what_is_compiled_to_be_looked_at_can_be_simulated_for_any_pod(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = world.client->session;
  request.size_bytes = 1;
  request.text.data = (uint8_t *)(uintptr_t) "f";
  request.text.len = 1;
  request.only = true;
  request.chip_kind = (char *)(uintptr_t) "v5p";
  request.topology = (char *)(uintptr_t) "4x4x4";
  client_call_t *call =
      client_start(world.client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const uint64_t executable = ((const Podium__V1__CompileResponse *)message)->executable;
  client_free(call);
  call = simulate(&world, executable, NULL);
  assert_null(client_wait(call));
  assert_header(call->messages[0], "v5p", 64);
  client_free(call);
  const uint64_t array = world_put(&world, world_compile(&world, "f"));
  uint64_t result;
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_FAILED_PRECONDITION, "compiled only to be looked at");
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = executable;
  assert_refused(client_put(world.client, &header, "", 0, &result),
                 POD_FAILED_PRECONDITION, "compiled only to be looked at");
  request.only = false;
  call = client_start(world.client, "/podium.v1.Podium/Compile",
                      &podium__v1__compile_response__descriptor, &request.base, 0);
  assert_refused(pod_status_copy(client_wait(call)), POD_INVALID_ARGUMENT,
                 "another chip kind or topology");
  client_free(call);
  world_stop(&world);
}

static void assert_simulation_refused(world_t *world, uint64_t executable,
                                      Podium__V1__SimulationOptions *options,
                                      pod_code_t code, const char *part) {
  client_call_t *call = simulate(world, executable, options);
  assert_refused(pod_status_copy(client_wait(call)), code, part);
  client_free(call);
}

static void test_slowdowns_that_cannot_be_are_refused_by_name(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  const uint64_t executable = world_compile(&world, "f");
  Podium__V1__SlowChip chip = PODIUM__V1__SLOW_CHIP__INIT;
  Podium__V1__SlowChip *chips[] = {&chip};
  Podium__V1__SimulationOptions options = PODIUM__V1__SIMULATION_OPTIONS__INIT;
  options.slow_chips = chips;
  options.n_slow_chips = 1;
  chip.chip = 4;
  chip.factor = 2;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "there is no chip 4 to be slow, only 0 to 3");
  options.n_slow_chips = 0;
  int32_t from[] = {0, 0}, to[] = {1, 1};
  Podium__V1__SlowLink link = PODIUM__V1__SLOW_LINK__INIT;
  Podium__V1__SlowLink *links[] = {&link};
  link.from = from;
  link.to = to;
  link.n_from = link.n_to = 2;
  link.factor = 0.5;
  options.slow_links = links;
  options.n_slow_links = 1;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "no link is between (0,0,0) and (1,1,0)");
  to[1] = 7;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "(1,7,0) is not in the topology 2x2");
  options.n_slow_links = 0;
  options.events_max = -1;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "events_max is -1");
  assert_simulation_refused(&world, 12345, NULL, POD_NOT_FOUND, "no executable 12345");
  world_stop(&world);
}

static void test_simulations_that_nobody_waits_for_are_given_up(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  const uint64_t executable = world_compile(&world, "f");
  for (int i = 0; i < 20; i++) {
    client_call_t *call = simulate(&world, executable, NULL);
    rpc_call_cancel(call->rpc);
    pod_status_t status = client_wait(call);
    assert_int_equal(pod_status_code(status), POD_CANCELLED);
    client_free(call);
  }
  // Some are still under way when the session ends.
  client_call_t *last = simulate(&world, executable, NULL);
  assert_null(client_wait(last));
  client_free(last);
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
  assert_int_not_equal(response->executable, 0);
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

static uint64_t compile_only(const world_t *world, const char *topology,
                             const char *algorithms) {
  Podium__V1__CompileRequest request = PODIUM__V1__COMPILE_REQUEST__INIT;
  request.session = world->client->session;
  request.file_name = (char *)(uintptr_t) "test.mlir";
  request.size_bytes = 1;
  request.text.data = (uint8_t *)(uintptr_t) "f";
  request.text.len = 1;
  request.only = true;
  request.topology = (char *)(uintptr_t)topology;
  request.algorithms = (char *)(uintptr_t)algorithms;
  client_call_t *call =
      client_start(world->client, "/podium.v1.Podium/Compile",
                   &podium__v1__compile_response__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const uint64_t executable = ((const Podium__V1__CompileResponse *)message)->executable;
  client_free(call);
  return executable;
}

static void test_a_slow_link_lies_in_the_slice_that_its_ends_name(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  const uint64_t executable = compile_only(&world, "2*2x1", "");
  int32_t from[] = {0, 0, 0, 1, 0}, to[] = {1, 0, 0, 1, 0};
  Podium__V1__SlowLink link = PODIUM__V1__SLOW_LINK__INIT;
  Podium__V1__SlowLink *links[] = {&link};
  link.from = from;
  link.to = to;
  link.n_from = link.n_to = 4;
  link.factor = 0.5;
  Podium__V1__SimulationOptions options = PODIUM__V1__SIMULATION_OPTIONS__INIT;
  options.slow_links = links;
  options.n_slow_links = 1;
  client_call_t *call = simulate(&world, executable, &options);
  assert_null(client_wait(call));
  client_free(call);
  to[0] = 2;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "a slow link's end (2,0,0) of slice 1 is not in the topology "
                            "2*2x1");
  to[0] = 0;
  to[3] = 0;
  assert_simulation_refused(
      &world, executable, &options, POD_INVALID_ARGUMENT,
      "no link is between (0,0,0) of slice 1 and (0,0,0) of slice 0");
  from[3] = 2;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "there is no slice 2 to have a slow link, only 0 to 1");
  link.n_from = 5;
  assert_simulation_refused(&world, executable, &options, POD_INVALID_ARGUMENT,
                            "a slow link's end has 5 coordinates, it is x, y, z and "
                            "slice");
  world_stop(&world);
}

static void test_a_module_that_comes_again_is_not_compiled_again(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_open(world.client, false);
  const uint64_t first = world_compile(&world, "f");
  assert_int_equal(world_compile_count(), 1);
  assert_int_not_equal(world_compile(&world, "f"), first);
  assert_int_equal(world_compile_count(), 1);
  compile_only(&world, "2x2", "");
  assert_int_equal(world_compile_count(), 1);
  world_compile(&world, "g");
  assert_int_equal(world_compile_count(), 2);
  compile_only(&world, "4x2", "");
  assert_int_equal(world_compile_count(), 3);
  compile_only(&world, "4x2", "ring");
  assert_int_equal(world_compile_count(), 4);
  compile_only(&world, "4x2", "ring");
  assert_int_equal(world_compile_count(), 4);
  world_stop(&world);
}

// --- The same module in flight ---

// What a connection has sent before has been met when this is answered.
static void wait_for_arrival(client_t *client) {
  podium__v1__pod__free_unpacked(client_pod(client), NULL);
}

// A world whose compiler does not get done with "slow…", and another client.
static client_t *start_held(world_t *world) {
  world_start(world, 60000);
  client_open(world->client, false);
  client_t *other = client_create(world->loop, coordinator_address(world->coordinator));
  client_open(other, false);
  world_hold_compiler();
  return other;
}

static client_call_t *start_arrived(client_t *client, const char *text, bool only) {
  client_call_t *call = client_start_compile(client, text, only);
  wait_for_arrival(client);
  return call;
}

static uint64_t take_executable(client_call_t *call) {
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  const uint64_t executable = ((const Podium__V1__CompileResponse *)message)->executable;
  client_free(call);
  return executable;
}

static void test_a_module_that_comes_twice_at_once_is_compiled_once(void **state) {
  (void)state;
  world_t world;
  client_t *other = start_held(&world);
  client_call_t *calls[] = {
      start_arrived(world.client, "slow", false), start_arrived(other, "slow", false),
      start_arrived(other, "slow", true), start_arrived(world.client, "slow", false)};
  world_release_compiler();
  uint64_t executables[4];
  for (int i = 0; i < 4; i++) {
    executables[i] = take_executable(calls[i]);
    for (int k = 0; k < i; k++) {
      assert_int_not_equal(executables[i], executables[k]);
    }
  }
  assert_int_equal(world_compile_count(), 1);
  world_compile(&world, "slow");
  assert_int_equal(world_compile_count(), 1);
  client_destroy(other);
  world_stop(&world);
}

static void test_what_is_only_looked_at_is_not_waited_for_to_be_loaded(void **state) {
  (void)state;
  world_t world;
  client_t *other = start_held(&world);
  client_call_t *only = start_arrived(world.client, "slow", true);
  client_call_t *loaded = start_arrived(other, "slow", false);
  world_release_compiler();
  take_executable(only);
  take_executable(loaded);
  assert_int_equal(world_compile_count(), 2);
  client_destroy(other);
  world_stop(&world);
}

static void test_one_client_that_goes_does_not_take_the_others_module(void **state) {
  (void)state;
  for (int first_goes = 0; first_goes < 2; first_goes++) {
    for (int is_running = 0; is_running < 2; is_running++) {
      world_t world;
      client_t *other = start_held(&world);
      client_call_t *before =
          is_running ? NULL : start_arrived(world.client, "slow first", false);
      client_call_t *goes, *stays;
      if (first_goes) {
        goes = start_arrived(other, "slow", false);
        stays = start_arrived(world.client, "slow", false);
      } else {
        stays = start_arrived(world.client, "slow", false);
        goes = start_arrived(other, "slow", false);
      }
      world_wait_compiles(&world, 1);
      rpc_call_cancel(goes->rpc);
      assert_refused(pod_status_copy(client_wait(goes)), POD_CANCELLED, "");
      client_free(goes);
      wait_for_arrival(other);
      client_destroy(other);
      world_release_compiler();
      take_executable(stays);
      if (before != NULL) {
        take_executable(before);
      }
      assert_int_equal(world_compile_count(), is_running ? 1 : 2);
      world_stop(&world);
    }
  }
}

static void test_an_error_is_told_to_all_who_wait_and_forgotten(void **state) {
  (void)state;
  world_t world;
  client_t *other = start_held(&world);
  client_call_t *calls[] = {start_arrived(world.client, "slowbad", false),
                            start_arrived(other, "slowbad", false)};
  world_release_compiler();
  for (int i = 0; i < 2; i++) {
    assert_refused(pod_status_copy(client_wait(calls[i])), POD_INVALID_ARGUMENT,
                   "test.mlir:1:2: error: it is bad");
    client_free(calls[i]);
  }
  assert_int_equal(world_compile_count(), 1);
  Podium__V1__CompileResponse *response;
  assert_refused(client_compile(world.client, "slowbad", false, &response),
                 POD_INVALID_ARGUMENT, "it is bad");
  assert_int_equal(world_compile_count(), 2);
  client_destroy(other);
  world_stop(&world);
}

static void test_what_nobody_waits_for_is_not_begun_and_if_begun_is_kept(void **state) {
  (void)state;
  world_t world;
  client_t *other = start_held(&world);
  client_call_t *running = start_arrived(other, "slow", false);
  world_wait_compiles(&world, 1);
  client_call_t *queued = start_arrived(other, "f", false);
  rpc_call_cancel(running->rpc);
  rpc_call_cancel(queued->rpc);
  (void)client_wait(running);
  (void)client_wait(queued);
  wait_for_arrival(other);
  client_free(running);
  client_free(queued);
  client_t *third = client_create(world.loop, coordinator_address(world.coordinator));
  client_open(third, false);
  client_call_t *joins = start_arrived(third, "slow", false);
  world_release_compiler();
  take_executable(joins);
  assert_int_equal(world_compile_count(), 1);
  world_compile(&world, "f");
  assert_int_equal(world_compile_count(), 2);
  client_destroy(other);
  client_destroy(third);
  world_stop(&world);
}

static void test_a_session_that_ends_leaves_what_others_have_of_the_same_module(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  client_t *stays = world.client;
  client_t *goes = client_create(world.loop, coordinator_address(world.coordinator));
  client_open(goes, false);
  world.client = goes;
  world_compile(&world, "f");
  world.client = stays;
  const uint64_t executable = world_compile(&world, "f");
  assert_int_equal(world_compile_count(), 1);
  client_destroy(goes);
  const uint64_t array = world_put(&world, executable);
  uint64_t result;
  assert_null(client_execute(world.client, executable, array, &result));
  world_assert_array(&world, result);
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

static void test_a_worker_that_has_started_over_is_lost(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  // What it gave is not what it obeys any more, and the coordinator has not heard of it.
  world.workers[2]->call_token[0] ^= 1;
  Podium__V1__CompileResponse *response;
  assert_refused(client_compile(world.client, "f", false, &response), POD_UNAVAILABLE,
                 "lost chip 2 (0,1,0)");
  assert_true(world.workers[2]->refused_call_count > 0);
  world_kill_worker(&world, 2);
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
      cmocka_unit_test(test_simulating_needs_no_worker),
      cmocka_unit_test(
          test_what_is_compiled_to_be_looked_at_can_be_simulated_for_any_pod),
      cmocka_unit_test(test_slowdowns_that_cannot_be_are_refused_by_name),
      cmocka_unit_test(test_a_slow_link_lies_in_the_slice_that_its_ends_name),
      cmocka_unit_test(test_simulations_that_nobody_waits_for_are_given_up),
      cmocka_unit_test(test_compiling_needs_no_pod_and_running_loads_where_it_is_missing),
      cmocka_unit_test(test_a_module_that_comes_again_is_not_compiled_again),
      cmocka_unit_test(test_a_module_that_comes_twice_at_once_is_compiled_once),
      cmocka_unit_test(test_what_is_only_looked_at_is_not_waited_for_to_be_loaded),
      cmocka_unit_test(test_one_client_that_goes_does_not_take_the_others_module),
      cmocka_unit_test(test_an_error_is_told_to_all_who_wait_and_forgotten),
      cmocka_unit_test(test_what_nobody_waits_for_is_not_begun_and_if_begun_is_kept),
      cmocka_unit_test(
          test_a_session_that_ends_leaves_what_others_have_of_the_same_module),
      cmocka_unit_test(test_arguments_of_another_shape_are_refused_with_both),
      cmocka_unit_test(
          test_a_killed_worker_fails_what_ran_by_its_name_and_the_rest_goes_on),
      cmocka_unit_test(test_a_dead_worker_is_named_rather_than_who_missed_it),
      cmocka_unit_test(test_a_worker_that_has_started_over_is_lost),
      cmocka_unit_test(test_a_broken_link_between_living_workers_is_told_as_it_is),
      cmocka_unit_test(test_a_session_that_waits_runs_when_the_pod_is_ready_again),
      cmocka_unit_test(test_a_deadline_and_a_cancel_stop_the_chips),
      cmocka_unit_test(test_all_chips_see_the_executions_in_one_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
