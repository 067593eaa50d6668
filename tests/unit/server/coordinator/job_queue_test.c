#include "server/coordinator/job_queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A job that can be held in `run`, and notes what happened to it.
typedef struct job_t {
  queue_job_t job;  // First, so that the callbacks find it.
  struct world_t *world;
  bool has_run;
  int done_at;  // The how-manieth to be done; 0: not yet.
} job_t;

enum { JOBS = JOB_QUEUE_MAX + 2 };

typedef struct world_t {
  rpc_loop_t *loop;
  job_queue_t *queue;
  pthread_mutex_t gate;  // Held by the test: no job gets through.
  pthread_cond_t begun;
  pthread_mutex_t begun_mutex;
  bool has_begun;
  job_t jobs[JOBS];
  int done_count, wanted;
} world_t;

static void run(queue_job_t *job) {
  world_t *world = ((job_t *)job)->world;
  pthread_mutex_lock(&world->begun_mutex);
  world->has_begun = true;
  pthread_cond_signal(&world->begun);
  pthread_mutex_unlock(&world->begun_mutex);
  pthread_mutex_lock(&world->gate);
  ((job_t *)job)->has_run = true;
  pthread_mutex_unlock(&world->gate);
}

static void done(queue_job_t *job) {
  world_t *world = ((job_t *)job)->world;
  ((job_t *)job)->done_at = ++world->done_count;
  if (world->done_count == world->wanted) {
    rpc_loop_stop(world->loop);
  }
}

static world_t *world_start_with(int32_t threads) {
  world_t *world = calloc(1, sizeof(*world));
  assert_non_null(world);
  pthread_mutex_init(&world->gate, NULL);
  pthread_mutex_init(&world->begun_mutex, NULL);
  pthread_cond_init(&world->begun, NULL);
  for (int i = 0; i < JOBS; i++) {
    world->jobs[i] = (job_t){.job = {.run = run, .done = done}, .world = world};
  }
  assert_null(rpc_loop_create(&world->loop));
  assert_null(job_queue_create(world->loop, "compiles", threads, &world->queue));
  return world;
}

static world_t *world_start(void) {
  return world_start_with(1);
}

static void world_stop(world_t *world) {
  rpc_loop_destroy(world->loop);
  pthread_mutex_destroy(&world->gate);
  pthread_mutex_destroy(&world->begun_mutex);
  pthread_cond_destroy(&world->begun);
  free(world);
}

static void add(world_t *world, int index) {
  assert_null(job_queue_add(world->queue, &world->jobs[index].job));
}

// Adds job 0 and waits until the thread has it; the gate holds it there.
static void add_and_hold_the_first(world_t *world) {
  pthread_mutex_lock(&world->gate);
  add(world, 0);
  pthread_mutex_lock(&world->begun_mutex);
  while (!world->has_begun) {
    pthread_cond_wait(&world->begun, &world->begun_mutex);
  }
  pthread_mutex_unlock(&world->begun_mutex);
}

static void test_jobs_are_done_in_their_order_on_the_loop(void **state) {
  (void)state;
  world_t *world = world_start();
  for (int i = 0; i < 5; i++) {
    add(world, i);
  }
  world->wanted = 5;
  rpc_loop_run(world->loop);
  for (int i = 0; i < 5; i++) {
    assert_true(world->jobs[i].has_run);
    assert_int_equal(world->jobs[i].done_at, i + 1);
  }
  job_queue_destroy(world->queue);
  world_stop(world);
}

static void test_a_waiting_job_can_be_taken_out_and_a_running_one_cannot(void **state) {
  (void)state;
  world_t *world = world_start();
  add_and_hold_the_first(world);
  add(world, 1);
  add(world, 2);
  assert_true(job_queue_is_running(world->queue));
  assert_false(job_queue_remove(world->queue, &world->jobs[0].job));
  assert_true(job_queue_remove(world->queue, &world->jobs[2].job));
  assert_false(job_queue_remove(world->queue, &world->jobs[2].job));
  add(world, 3);
  pthread_mutex_unlock(&world->gate);
  world->wanted = 3;
  rpc_loop_run(world->loop);
  assert_false(world->jobs[2].has_run);
  assert_int_equal(world->jobs[3].done_at, 3);
  job_queue_destroy(world->queue);
  world_stop(world);
}

static void test_a_full_queue_refuses(void **state) {
  (void)state;
  world_t *world = world_start();
  add_and_hold_the_first(world);
  for (int i = 1; i <= JOB_QUEUE_MAX; i++) {
    add(world, i);
  }
  const pod_status_t status =
      job_queue_add(world->queue, &world->jobs[JOB_QUEUE_MAX + 1].job);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  pod_status_free(status);
  pthread_mutex_unlock(&world->gate);
  world->wanted = 1 + JOB_QUEUE_MAX;
  rpc_loop_run(world->loop);
  job_queue_destroy(world->queue);
  world_stop(world);
}

static void test_destroying_tells_every_job_that_it_is_over(void **state) {
  (void)state;
  world_t *world = world_start();
  add_and_hold_the_first(world);
  add(world, 1);
  add(world, 2);
  pthread_mutex_unlock(&world->gate);
  job_queue_destroy(world->queue);
  assert_int_equal(world->done_count, 3);
  assert_true(world->jobs[0].has_run);
  world_stop(world);
}

static void add_of(world_t *world, int index, const void *owner) {
  world->jobs[index].job.owner = owner;
  add(world, index);
}

static bool has_run(world_t *world, int index) {
  pthread_mutex_lock(&world->begun_mutex);
  const bool run_now = world->jobs[index].has_run;
  pthread_mutex_unlock(&world->begun_mutex);
  return run_now;
}

// Holds its thread until the gate opens, as jobs of the greedy do; those of others do
// not.
static void run_greedy(queue_job_t *job) {
  run(job);
}

static void run_small(queue_job_t *job) {
  world_t *world = ((job_t *)job)->world;
  pthread_mutex_lock(&world->begun_mutex);
  ((job_t *)job)->has_run = true;
  pthread_cond_signal(&world->begun);
  pthread_mutex_unlock(&world->begun_mutex);
}

static void test_who_brings_many_long_jobs_leaves_a_thread_to_the_others(void **state) {
  (void)state;
  world_t *world = world_start_with(2);
  static const char greedy[1], other[1];
  pthread_mutex_lock(&world->gate);
  for (int i = 0; i < 8; i++) {
    world->jobs[i].job.run = run_greedy;
    add_of(world, i, greedy);
  }
  for (int i = 8; i < 12; i++) {
    world->jobs[i].job.run = run_small;
    add_of(world, i, other);
  }
  pthread_mutex_lock(&world->begun_mutex);
  while (!world->jobs[11].has_run) {  // Behind eight that do not end.
    pthread_cond_wait(&world->begun, &world->begun_mutex);
  }
  pthread_mutex_unlock(&world->begun_mutex);
  assert_true(has_run(world, 8));
  assert_false(world->jobs[1].has_run);
  pthread_mutex_unlock(&world->gate);
  world->wanted = 12;
  rpc_loop_run(world->loop);
  job_queue_destroy(world->queue);
  world_stop(world);
}

static void test_an_owner_has_half_of_the_places_to_wait(void **state) {
  (void)state;
  world_t *world = world_start();
  static const char greedy[1], other[1];
  add_and_hold_the_first(world);
  for (int i = 1; i <= JOB_QUEUE_MAX / 2; i++) {
    add_of(world, i, greedy);
  }
  const int next = JOB_QUEUE_MAX / 2 + 1;
  world->jobs[next].job.owner = greedy;
  const pod_status_t status = job_queue_add(world->queue, &world->jobs[next].job);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(pod_status_message(status), "of this session"));
  pod_status_free(status);
  add_of(world, next, other);
  assert_int_equal(job_queue_waiting(world->queue), next);
  pthread_mutex_unlock(&world->gate);
  world->wanted = 1 + next;
  rpc_loop_run(world->loop);
  job_queue_destroy(world->queue);
  world_stop(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jobs_are_done_in_their_order_on_the_loop),
      cmocka_unit_test(test_a_waiting_job_can_be_taken_out_and_a_running_one_cannot),
      cmocka_unit_test(test_a_full_queue_refuses),
      cmocka_unit_test(test_who_brings_many_long_jobs_leaves_a_thread_to_the_others),
      cmocka_unit_test(test_an_owner_has_half_of_the_places_to_wait),
      cmocka_unit_test(test_destroying_tells_every_job_that_it_is_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
