// With sh in the place of daemons.

#include "server/host/supervisor.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/text.h"

enum { STEP_MS = 5, DEADLINE_MS = 60000 };

typedef struct world_t {
  rpc_loop_t *loop;
  supervisor_t *supervisor;
  rpc_timer_t *timer;
  int waited_ms;
  void (*step)(struct world_t *world);
  int stage;
  pid_t old;
  bool has_ended;
  int exit_status;
  int restarts;
} world_t;

static void on_ended(int exit_status, void *context) {
  world_t *world = context;
  world->has_ended = true;
  world->exit_status = exit_status;
  rpc_loop_stop(world->loop);
}

static void on_step(void *context) {
  world_t *world = context;
  world->waited_ms += STEP_MS;
  assert_true(world->waited_ms < DEADLINE_MS);
  world->step(world);
}

static char *more_of_restart(int32_t index, bool is_first, void *context) {
  (void)index;
  world_t *world = context;
  if (is_first) {
    return NULL;
  }
  world->restarts++;
  pod_text_t text = {0};
  pod_text_add(&text, "again");
  return pod_text_take(&text);
}

// Runs `script` with `count` daemons until the supervisor says that all have ended.
static world_t supervise(const char *script, int32_t count, int32_t restarts_max,
                         void (*step)(world_t *)) {
  world_t world = {.step = step};
  char *const argv[] = {(char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c",
                        (char *)(uintptr_t)script, (char *)(uintptr_t) "sh", NULL};
  assert_null(rpc_loop_create(&world.loop));
  const supervisor_options_t options = {.count = count,
                                        .argv = argv,
                                        .argument_of_start = more_of_restart,
                                        .is_numbered = true,
                                        .restarts_max = restarts_max,
                                        .ended = on_ended,
                                        .context = &world};
  assert_null(supervisor_create(world.loop, &options, &world.supervisor));
  world.timer = rpc_timer_create(world.loop, on_step, &world);
  rpc_timer_start(world.timer, STEP_MS, STEP_MS);
  rpc_loop_run(world.loop);
  rpc_timer_destroy(world.timer);
  supervisor_destroy(world.supervisor);
  rpc_loop_destroy(world.loop);
  assert_true(world.has_ended);
  return world;
}

static void wait_only(world_t *world) {
  (void)world;
}

// A daemon that is killed comes back as another process, with the argument more.
static void kill_once(world_t *world) {
  const pid_t pid = supervisor_pid(world->supervisor, 1);
  if (world->stage == 0 && pid > 0) {
    world->old = pid;
    assert_int_equal(kill(pid, SIGKILL), 0);
    world->stage = 1;
  } else if (world->stage == 1 && pid > 0 && pid != world->old) {
    supervisor_stop(world->supervisor);
    world->stage = 2;
  }
}

static void test_what_is_killed_is_started_again(void **state) {
  (void)state;
  const world_t world = supervise("exec sleep 600", 3, 10, kill_once);
  assert_int_equal(world.stage, 2);
  assert_int_equal(world.restarts, 1);
  assert_int_equal(world.exit_status, 0);
}

// Nobody ends by it who does not listen to it yet.
static void hang_up_and_stop(world_t *world) {
  const pid_t pid = supervisor_pid(world->supervisor, 0);
  if (world->stage == 0 && pid > 0) {
    world->old = pid;
  }
  if (world->stage < 20 && pid > 0) {
    assert_int_equal(pid, world->old);
    supervisor_hang_up(world->supervisor);
    world->stage++;
  } else if (world->stage == 20) {
    supervisor_stop(world->supervisor);
    world->stage++;
  }
}

static void test_a_hangup_ends_no_daemon(void **state) {
  (void)state;
  const world_t world = supervise("exec sleep 600", 2, 10, hang_up_and_stop);
  assert_int_equal(world.stage, 21);
  assert_int_equal(world.restarts, 0);
  assert_int_equal(world.exit_status, 0);
}

static void test_what_ends_again_and_again_is_given_up(void **state) {
  (void)state;
  const world_t world = supervise("exit 0", 2, 2, wait_only);
  assert_int_equal(world.restarts, 4);
  assert_int_equal(world.exit_status, 1);
}

static void test_what_refuses_at_once_is_not_tried_again(void **state) {
  (void)state;
  const world_t world = supervise("exit 64", 1, 10, wait_only);
  assert_int_equal(world.restarts, 0);
  assert_int_equal(world.exit_status, 64);
}

static void test_a_program_that_is_not_there_is_told(void **state) {
  (void)state;
  const world_t world = supervise("exec /nowhere/at/all", 1, 10, wait_only);
  assert_int_equal(world.exit_status, 127);
}

// One that does not listen to SIGTERM is killed by the second call.
static void stop_twice(world_t *world) {
  enum { LISTENS_MS = 500, PATIENCE_MS = 200 };
  if (world->stage == 0 && world->waited_ms > LISTENS_MS) {
    supervisor_stop(world->supervisor);
    world->stage = 1;
  } else if (world->stage == 1 && world->waited_ms > LISTENS_MS + PATIENCE_MS) {
    world->stage = 2;
    supervisor_stop(world->supervisor);
  }
}

static void test_the_second_stop_kills(void **state) {
  (void)state;
  const world_t world =
      supervise("trap '' TERM; while :; do sleep 0.05; done", 1, 10, stop_twice);
  assert_int_equal(world.stage, 2);
  assert_int_equal(world.exit_status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_killed_is_started_again),
      cmocka_unit_test(test_a_hangup_ends_no_daemon),
      cmocka_unit_test(test_what_ends_again_and_again_is_given_up),
      cmocka_unit_test(test_what_refuses_at_once_is_not_tried_again),
      cmocka_unit_test(test_a_program_that_is_not_there_is_told),
      cmocka_unit_test(test_the_second_stop_kills),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
