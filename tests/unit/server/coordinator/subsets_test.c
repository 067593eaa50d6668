// Programs that need some of the chips: the others are left alone, and may be missing.

#include <string.h>

#include "tests/unit/server/coordinator/world.h"

static bool executes(void *context) {
  return ((fake_worker_t *)context)->executing_count > 0;
}

static bool has_unloaded(void *context) {
  return ((fake_worker_t *)context)->unload_count > 0;
}

static void test_a_program_is_loaded_and_run_on_its_chips_only(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t chips[] = {3, 1};
  const uint64_t executable = world_compile_on(&world, 2, chips);
  const uint64_t array = world_put(&world, executable);
  uint64_t result;
  assert_null(client_execute(world.client, executable, array, &result));
  world_assert_array(&world, result);
  uint8_t data[ARRAY_BYTES];
  world_fill(data, sizeof(data));
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    const fake_worker_t *worker = world.workers[chip];
    const int runs = chip == 1 || chip == 3;
    assert_int_equal(worker->load_count, runs);
    assert_int_equal(worker->execute_count, runs);
    assert_int_equal(worker->array_count, 2 * runs);
    if (runs) {
      assert_memory_equal(fake_worker_array(worker, array)->data,
                          data + (chip == 3 ? 0 : SHARD_BYTES), SHARD_BYTES);
    }
  }
  Podium__V1__FreeHandlesRequest request = PODIUM__V1__FREE_HANDLES_REQUEST__INIT;
  request.session = world.client->session;
  request.n_executables = 1;
  request.executables = (uint64_t *)(uintptr_t)&executable;
  void *freed = NULL;
  assert_null(client_unary(world.client, "/podium.v1.Podium/FreeHandles", &request.base,
                           &podium__v1__free_handles_response__descriptor, 0, &freed));
  protobuf_c_message_free_unpacked(freed, NULL);
  client_run(world.loop, has_unloaded, world.workers[1]);
  client_run(world.loop, has_unloaded, world.workers[3]);
  assert_int_equal(world.workers[0]->unload_count + world.workers[2]->unload_count, 0);
  world_stop(&world);
}

static void test_the_profile_has_the_chips_that_ran(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t chips[] = {2, 0};
  const uint64_t executable = world_compile_on(&world, 2, chips);
  const uint64_t array = world_put(&world, executable);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  assert_null(client_wait(call));
  const void *message = call->messages[0];
  Podium__V1__GetProfileRequest request = PODIUM__V1__GET_PROFILE_REQUEST__INIT;
  request.session = world.client->session;
  request.execution = ((const Podium__V1__ExecuteResponse *)message)->execution;
  client_call_t *profile =
      client_start(world.client, "/podium.v1.Podium/GetProfile",
                   &podium__v1__profile_part__descriptor, &request.base, 0);
  rpc_call_half_close(profile->rpc);
  assert_null(client_wait(profile));
  int hosts[CHIPS] = {0}, idle = 0, running = 0;
  for (int i = 0; i < profile->message_count; i++) {
    message = profile->messages[i];
    const Podium__V1__ProfilePart *part = message;
    if (part->host != NULL) {
      hosts[part->host->chip]++;
    } else if (part->chip_class != NULL) {
      running += part->chip_class->end_ps > 0 ? part->chip_class->chip_count : 0;
      idle += part->chip_class->end_ps == 0 ? part->chip_class->chip_count : 0;
    }
  }
  assert_int_equal(hosts[0] + hosts[2], 2);
  assert_int_equal(hosts[1] + hosts[3], 0);
  assert_int_equal(running, 2);
  assert_int_equal(idle, 2);
  client_free(profile);
  client_free(call);
  world_stop(&world);
}

static void test_an_array_on_the_chips_in_another_order_is_refused(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t there[] = {1, 0}, here[] = {0, 1}, elsewhere[] = {2, 3};
  const uint64_t makes = world_compile_on(&world, 2, there);
  const uint64_t takes = world_compile_on(&world, 2, here);
  const uint64_t far = world_compile_on(&world, 2, elsewhere);
  uint64_t array = world_put(&world, makes);
  uint64_t result;
  assert_null(client_execute(world.client, makes, array, &result));
  assert_refused(client_execute(world.client, takes, result, &array),
                 POD_INVALID_ARGUMENT, "(f32[4,4] on each of 2 chips), array");
  assert_refused(client_execute(world.client, takes, result, &array),
                 POD_INVALID_ARGUMENT, "(f32[4,4] on each of the chips {1, 0})");
  assert_refused(client_execute(world.client, far, result, &array), POD_INVALID_ARGUMENT,
                 "on each of the chips {2, 3}), array");
  // Its maker takes it again.
  assert_null(client_execute(world.client, makes, result, &array));
  world_assert_array(&world, array);
  world_stop(&world);
}

static void test_a_lost_chip_that_it_does_not_use_does_not_stop_a_program(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t chips[] = {0, 1};
  const uint64_t part = world_compile_on(&world, 2, chips);
  const uint64_t whole = world_compile(&world, "f");
  const uint64_t array = world_put(&world, part), wide = world_put(&world, whole);
  world.workers[0]->mode = FAKE_HANG;
  client_call_t *call = client_start_execute(world.client, part, array, 0);
  client_run(world.loop, executes, world.workers[0]);
  world_kill_worker(&world, 3);
  world_wait_ready(&world, false);
  assert_int_equal(world.workers[0]->executing_count, 1);
  rpc_call_cancel(call->rpc);
  (void)client_wait(call);
  client_free(call);
  world.workers[0]->mode = FAKE_WELL;
  uint64_t result;
  assert_null(client_execute(world.client, part, array, &result));
  world_assert_array(&world, result);
  assert_refused(client_execute(world.client, whole, wide, &result), POD_DATA_LOSS,
                 "put it again");
  // New programs and arrays too.
  const int64_t one[] = {2};
  const uint64_t alone = world_compile_on(&world, 1, one);
  const uint64_t lone = world_put(&world, alone);
  assert_null(client_execute(world.client, alone, lone, &result));
  world_assert_array(&world, result);
  const int64_t lost[] = {3};
  const uint64_t nowhere = world_compile_on(&world, 1, lost);
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = nowhere;
  uint8_t data[ARRAY_BYTES] = {0};
  uint64_t none;
  assert_refused(client_put(world.client, &header, data, sizeof(data), &none),
                 POD_UNAVAILABLE, "chip 3");
  world_stop(&world);
}

static void test_a_lost_chip_of_its_own_fails_it(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t chips[] = {3, 1};
  const uint64_t part = world_compile_on(&world, 2, chips);
  const uint64_t array = world_put(&world, part);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, part, array, 0);
  client_run(world.loop, executes, world.workers[1]);
  client_run(world.loop, executes, world.workers[3]);
  world_kill_worker(&world, 3);
  assert_refused(pod_status_copy(client_wait(call)), POD_UNAVAILABLE, "lost chip 3");
  client_free(call);
  world_stop(&world);
}

// Both of its ends say that the links of chip 3 are down, or up.
static void set_links(const world_t *world, bool up) {
  const torus_t torus = {.size = {2, 2, 1}};
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    const int32_t neighbour = torus_neighbour(&torus, 3, direction);
    if (neighbour >= 0) {
      fake_worker_report_link(world->workers[3], direction, neighbour, up);
    }
  }
}

// It holds those of its session that come after it, but not another session's.
static void test_what_waits_for_links_lets_other_sessions_pass(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t chips[] = {0, 1};
  const uint64_t whole = world_compile(&world, "f");
  const uint64_t after = world_compile_on(&world, 2, chips);
  const uint64_t wide = world_put(&world, whole), narrow = world_put(&world, after);
  set_links(&world, false);
  world_wait_ready(&world, false);
  client_call_t *calls[] = {client_start_execute(world.client, whole, wide, 0),
                            client_start_execute(world.client, after, narrow, 0)};
  client_t *first = world.client;
  client_t *second = client_create(world.loop, coordinator_address(world.coordinator));
  client_open(second, false);
  world.client = second;
  const uint64_t passes = world_compile_on(&world, 2, chips);
  uint64_t array = world_put(&world, passes), result;
  assert_null(client_execute(second, passes, array, &result));
  world_assert_array(&world, result);
  const uint64_t impatient = world_compile(&world, "f");
  array = world_put(&world, impatient);
  assert_refused(client_execute(second, impatient, array, &result), POD_UNAVAILABLE,
                 "the pod is not ready: chip 1");
  assert_false(calls[0]->is_over);
  assert_false(calls[1]->is_over);
  set_links(&world, true);
  for (int i = 0; i < 2; i++) {
    assert_null(client_wait(calls[i]));
    client_free(calls[i]);
  }
  world.client = first;
  client_destroy(second);
  world_stop(&world);
}

static void test_programs_on_different_chips_run_at_the_same_time(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const int64_t left[] = {0, 2}, right[] = {3, 1};
  const uint64_t one = world_compile_on(&world, 2, left);
  const uint64_t other = world_compile_on(&world, 2, right);
  const uint64_t array = world_put(&world, one), second = world_put(&world, other);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *calls[] = {client_start_execute(world.client, one, array, 0),
                            client_start_execute(world.client, other, second, 0)};
  client_run(world.loop, world_all_execute, &world);
  world.workers[1]->mode = world.workers[3]->mode = FAKE_WELL;
  rpc_call_cancel(calls[0]->rpc);
  rpc_call_cancel(calls[1]->rpc);
  for (int i = 0; i < 2; i++) {
    (void)client_wait(calls[i]);
    client_free(calls[i]);
  }
  client_run(world.loop, world_none_executes, &world);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_program_is_loaded_and_run_on_its_chips_only),
      cmocka_unit_test(test_the_profile_has_the_chips_that_ran),
      cmocka_unit_test(test_an_array_on_the_chips_in_another_order_is_refused),
      cmocka_unit_test(test_a_lost_chip_that_it_does_not_use_does_not_stop_a_program),
      cmocka_unit_test(test_a_lost_chip_of_its_own_fails_it),
      cmocka_unit_test(test_what_waits_for_links_lets_other_sessions_pass),
      cmocka_unit_test(test_programs_on_different_chips_run_at_the_same_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
