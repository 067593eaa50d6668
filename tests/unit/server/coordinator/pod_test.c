// Workers come and go; sessions wait; the coordinator goes down.

#include <string.h>

#include "common/base/memory.h"
#include "tests/unit/server/coordinator/world.h"

static void test_the_pod_is_ready_when_all_have_joined_and_all_links_are_up(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    world_join(&world, chip);
  }
  Podium__V1__Pod *pod = client_pod(world.client);
  assert_false(pod->ready);
  assert_int_equal(pod->n_devices, CHIPS);
  assert_string_equal(pod->devices[3]->name,
                      "TpuDevice(id=3, process_index=0, coords=(1,1,0), core_on_chip=0)");
  assert_string_equal(pod->devices[3]->state, "joining");
  assert_string_equal(pod->devices[3]->address, world.workers[3]->address);
  assert_int_equal(pod->devices[3]->links, 2);
  assert_int_equal(pod->devices[3]->links_up, 0);
  podium__v1__pod__free_unpacked(pod, NULL);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  world_wait_ready(&world, true);
  int dials = 0;
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    dials += world.workers[chip]->dial_count;
  }
  assert_int_equal(dials, 4);
  world_stop(&world);
}

static void test_a_second_worker_for_one_place_is_refused_naming_both(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  world_join(&world, 2);
  fake_worker_t *second = world_add_worker(&world, 2);
  client_run(world.loop, world_is_refused, second);
  assert_int_equal(second->refused_code, POD_ALREADY_EXISTS);
  assert_non_null(strstr(second->refused, second->address));
  assert_non_null(strstr(second->refused, world.workers[2]->address));
  assert_non_null(strstr(second->refused, "chip 2 (0,1,0)"));
  fake_worker_kill(second);
  assert_non_null(world.workers[2]->attach);
  world_stop(&world);
}

static bool has_place(void *context) {
  const fake_worker_t *worker = context;
  return worker->chip >= 0 || worker->attach == NULL;
}

static void test_a_worker_that_lost_its_coordinator_takes_its_place_again(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  world_join(&world, 1);
  fake_worker_t *worker = world.workers[1];
  const uint64_t before = worker->epoch;
  fake_worker_attach_again(worker, 1, true);
  client_run(world.loop, has_place, worker);
  assert_int_equal(worker->chip, 1);
  assert_true(worker->epoch > before);
  world_stop(&world);
}

static void test_another_worker_of_the_address_waits_until_the_first_is_silent(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  world_join(&world, 1);
  fake_worker_t *worker = world.workers[1];
  fake_worker_attach_again(worker, 1, false);
  client_run(world.loop, has_place, worker);
  assert_int_equal(worker->chip, -1);
  assert_int_equal(worker->refused_code, POD_UNAVAILABLE);
  assert_non_null(strstr(worker->refused, "has to wait until it is silent"));
  // The first says no more, and three heartbeats of 20 ms go by.
  worker->is_silent = true;
  while (worker->chip < 0) {
    fake_worker_attach_again(worker, 1, true);
    client_run(world.loop, has_place, worker);
  }
  assert_int_equal(worker->chip, 1);
  world_stop(&world);
}

static void test_a_host_gives_a_place_again_when_the_first_worker_is_silent(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  const char *address = coordinator_address(world.coordinator);
  fake_worker_t *first = fake_worker_start_on_host(world.loop, address, "host a", 3);
  client_run(world.loop, has_place, first);
  assert_int_equal(first->chip, 3);
  // The next of the same host waits.
  fake_worker_t *next = fake_worker_start_on_host(world.loop, address, "host a", 3);
  client_run(world.loop, has_place, next);
  assert_int_equal(next->chip, -1);
  assert_int_equal(next->refused_code, POD_UNAVAILABLE);
  assert_non_null(strstr(next->refused, "has to wait until it is silent"));
  // Another host is refused for good.
  fake_worker_t *other = fake_worker_start_on_host(world.loop, address, "host b", 2);
  client_run(world.loop, has_place, other);
  assert_int_equal(other->refused_code, POD_ALREADY_EXISTS);
  assert_non_null(strstr(other->refused, "another host has rank 0"));
  first->is_silent = true;
  while (next->chip < 0) {
    fake_worker_attach_again(next, -1, true);
    client_run(world.loop, has_place, next);
  }
  assert_int_equal(next->chip, 3);
  fake_worker_kill(first);
  fake_worker_kill(next);
  fake_worker_kill(other);
  world_stop(&world);
}

static void test_a_silent_worker_is_lost_although_it_is_connected(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 400);
  world.workers[1]->is_silent = true;
  client_run(world.loop, world_is_refused, world.workers[1]);
  assert_int_equal(world.workers[1]->refused_code, POD_UNAVAILABLE);
  assert_non_null(strstr(world.workers[1]->refused, "400 ms"));
  for (int i = 0; i < CHIPS; i++) {
    assert_true(i == 1 || world.workers[i]->attach != NULL);
  }
  world_wait_ready(&world, false);
  world_stop(&world);
}

static bool has_left(void *context) {
  return ((fake_worker_t *)context)->attach == NULL;
}

static void test_a_worker_that_wants_to_leave_goes_in_peace(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  fake_worker_leave(world.workers[3]);
  client_run(world.loop, has_left, world.workers[3]);
  assert_int_equal(world.workers[3]->refused_code, POD_OK);
  world_wait_ready(&world, false);
  world_stop(&world);
}

static void test_a_session_that_waits_begins_when_the_pod_is_ready(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 60000);
  client_t *waiting = client_create(world.loop, coordinator_address(world.coordinator));
  Podium__V1__OpenSessionRequest request = PODIUM__V1__OPEN_SESSION_REQUEST__INIT;
  request.wait_for_pod = true;
  client_call_t *call =
      client_start(waiting, "/podium.v1.Podium/OpenSession",
                   &podium__v1__session_event__descriptor, &request.base, 0);
  rpc_call_half_close(call->rpc);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    world_join(&world, chip);
  }
  client_open(world.client, false);
  assert_int_equal(call->message_count, 0);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_report_links(world.workers[chip]);
  }
  client_wait_messages(call, 1);
  const void *message = call->messages[0];
  assert_true(((const Podium__V1__SessionEvent *)message)->pod->ready);
  client_destroy(waiting);
  client_free(call);
  world_stop(&world);
}

static void note_done(void *context) {
  *(bool *)context = true;
}

static bool is_set(void *context) {
  return *(bool *)context;
}

static void test_draining_lets_what_runs_finish(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  bool is_done = false;
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  world_set_modes(&world, FAKE_WELL);
  while (world.workers[0]->execute_count == 0) {
    podium__v1__pod__free_unpacked(client_pod(world.client), NULL);
  }
  coordinator_drain(world.coordinator, 30000, note_done, &is_done);
  assert_null(client_wait(call));
  client_free(call);
  client_run(world.loop, is_set, &is_done);
  assert_true(client_wait(world.client->session_call) != NULL);
  client_run(world.loop, world_is_refused, world.workers[0]);
  world_stop(&world);
}

static void test_draining_stops_what_runs_after_the_grace(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *call = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, world_all_execute, &world);
  bool is_done = false;
  coordinator_drain(world.coordinator, 50, note_done, &is_done);
  client_run(world.loop, is_set, &is_done);
  assert_int_equal(pod_status_code(client_wait(call)), POD_UNAVAILABLE);
  client_free(call);
  world_stop(&world);
}

static void test_destroying_ends_whatever_is_under_way(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  world_set_modes(&world, FAKE_HANG);
  client_call_t *running = client_start_execute(world.client, executable, array, 0);
  client_call_t *waiting = client_start_execute(world.client, executable, array, 0);
  client_run(world.loop, world_all_execute, &world);
  coordinator_destroy(world.coordinator);
  world.coordinator = NULL;
  client_wait(running);
  client_wait(waiting);
  client_free(running);
  client_free(waiting);
  world_stop(&world);
}

static void cut_all(world_t *world) {
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    fake_worker_cut(world->workers[chip]);
    world->workers[chip]->is_deaf = false;
  }
}

static void make_all_deaf(world_t *world) {
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    world->workers[chip]->is_deaf = true;
  }
}

static bool are_all_called(void *context) {
  const world_t *world = context;
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    if (world->workers[chip]->calls == NULL) {
      return false;
    }
  }
  return true;
}

static void test_an_end_of_a_session_is_told_again_when_the_connection_broke(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  (void)world_put(&world, world_compile(&world, "m"));
  world_wait_arrays(&world, 1);
  make_all_deaf(&world);
  client_close(world.client);
  client_run(world.loop, are_all_called, &world);
  cut_all(&world);
  world_wait_arrays(&world, 0);
  world_stop(&world);
}

static void test_what_is_freed_is_told_again_when_the_stream_of_executions_broke(
    void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  const uint64_t executable = world_compile(&world, "m");
  const uint64_t array = world_put(&world, executable);
  uint64_t result = 0;
  assert_null(client_execute(world.client, executable, array, &result));
  world_wait_arrays(&world, 2);
  make_all_deaf(&world);
  assert_null(client_free_array(world.client, array));
  cut_all(&world);
  world_wait_arrays(&world, 1);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_pod_is_ready_when_all_have_joined_and_all_links_are_up),
      cmocka_unit_test(test_a_second_worker_for_one_place_is_refused_naming_both),
      cmocka_unit_test(test_a_worker_that_lost_its_coordinator_takes_its_place_again),
      cmocka_unit_test(
          test_another_worker_of_the_address_waits_until_the_first_is_silent),
      cmocka_unit_test(test_a_host_gives_a_place_again_when_the_first_worker_is_silent),
      cmocka_unit_test(test_a_silent_worker_is_lost_although_it_is_connected),
      cmocka_unit_test(test_a_worker_that_wants_to_leave_goes_in_peace),
      cmocka_unit_test(test_a_session_that_waits_begins_when_the_pod_is_ready),
      cmocka_unit_test(test_an_end_of_a_session_is_told_again_when_the_connection_broke),
      cmocka_unit_test(
          test_what_is_freed_is_told_again_when_the_stream_of_executions_broke),
      cmocka_unit_test(test_draining_lets_what_runs_finish),
      cmocka_unit_test(test_draining_stops_what_runs_after_the_grace),
      cmocka_unit_test(test_destroying_ends_whatever_is_under_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
