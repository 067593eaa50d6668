#include "server/worker/patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"

enum { BRIEFLY_MS = 600 };

typedef struct world_t {
  compute_job_t job;  // First.
  rpc_loop_t *loop;
  compute_t *compute;
  patience_t *patience;
  rpc_timer_t *timer;
  atomic_bool may_end;
  bool sleeps, is_over, is_done;
  int64_t over_cpu_ns, over_ns, start_ns;
} world_t;

static void run(compute_job_t *job) {
  world_t *world = (world_t *)job;
  while (!atomic_load(&world->may_end)) {
    if (world->sleeps) {
      usleep(1000 * 1000);
      atomic_store(&world->may_end, true);
    }
  }
}

static void done(compute_job_t *job) {
  world_t *world = (world_t *)job;
  world->is_done = true;
  patience_end(world->patience);
  rpc_loop_stop(world->loop);
}

static void on_over(void *context) {
  world_t *world = context;
  assert_false(world->is_over);
  world->is_over = true;
  world->over_cpu_ns = compute_cpu_ns(world->compute, 0);
  atomic_store(&world->may_end, true);
}

static void let_end(void *context) {
  world_t *world = context;
  atomic_store(&world->may_end, true);
}

static world_t *compute_until(bool sleeps, int64_t end_ms) {
  world_t *world = calloc(1, sizeof(*world));
  assert_non_null(world);
  world->job = (compute_job_t){.run = run, .done = done};
  world->sleeps = sleeps;
  assert_null(rpc_loop_create(&world->loop));
  assert_null(compute_create(world->loop, "compute", &world->compute));
  world->patience = patience_create(world->loop, world->compute, 0, on_over, world);
  world->timer = rpc_timer_create(world->loop, let_end, world);
  if (end_ms > 0) {
    rpc_timer_start(world->timer, (uint64_t)end_ms, 0);
  }
  world->start_ns = pod_clock_now_ns();
  compute_post(world->compute, &world->job);
  patience_start(world->patience);
  patience_start(world->patience);
  rpc_loop_run(world->loop);
  assert_true(world->is_done);
  world->over_ns = pod_clock_now_ns() - world->start_ns;
  rpc_timer_destroy(world->timer);
  patience_destroy(world->patience);
  compute_destroy(world->compute);
  rpc_loop_destroy(world->loop);
  return world;
}

static void test_what_computes_on_is_found_by_its_own_time(void **state) {
  (void)state;
  world_t *world = compute_until(false, 0);
  assert_true(world->is_over);
  assert_true(world->over_cpu_ns >= PATIENCE_CPU_NS);
  free(world);
}

static void test_what_lets_go_in_time_is_left_alone(void **state) {
  (void)state;
  world_t *world = compute_until(false, BRIEFLY_MS);
  assert_false(world->is_over);
  free(world);
}

static void test_a_sleep_of_a_second_is_no_end(void **state) {
  (void)state;
  world_t *world = compute_until(true, 0);
  assert_false(world->is_over);
  free(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_computes_on_is_found_by_its_own_time),
      cmocka_unit_test(test_what_lets_go_in_time_is_left_alone),
      cmocka_unit_test(test_a_sleep_of_a_second_is_no_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
