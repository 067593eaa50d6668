// Who looks at the links: that nobody who calls is forgotten, whichever way the threads
// run. No nap ends by itself in these tests, but where that is what is tested.

#include "server/ici/watch.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"

#define LONG_NS ((int64_t)1000 * 1000000000)
#define DEADLINE_NS ((int64_t)30 * 1000000000)

// Frames are a number: who looks takes one. A thread pumps.
typedef struct world_t {
  ici_bell_t bell;
  ici_watch_t watch;
  atomic_int frames, taken;
  atomic_int pump_thread;
  pthread_t pump;
  void (*at_last_look)(struct world_t *world);
  int last_looks;
} world_t;

static bool look(void *context) {
  world_t *world = context;
  int frames = atomic_load(&world->frames);
  while (frames > 0) {
    if (atomic_compare_exchange_weak(&world->frames, &frames, frames - 1)) {
      atomic_fetch_add(&world->taken, 1);
      return true;
    }
  }
  return false;
}

// Of who leaves: something may happen just when it has looked for the last time.
static bool last_look(void *context) {
  world_t *world = context;
  world->last_looks++;
  const bool found = look(context);
  if (!found && world->at_last_look != NULL) {
    world->at_last_look(world);
  }
  return found;
}

static void *pump(void *context) {
  world_t *world = context;
  atomic_store(&world->pump_thread, (int)syscall(SYS_gettid));
  while (ici_watch_pump(&world->watch, look, world)) {
  }
  return NULL;
}

static void put(world_t *world) {
  atomic_fetch_add(&world->frames, 1);
  ici_bell_ring(&world->bell, true);
}

// The kernel says that the thread sleeps.
static bool is_asleep(int thread) {
  char path[64];
  char line[256] = "";
  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  if (file != NULL) {
    (void)!fgets(line, sizeof(line), file);
    fclose(file);
  }
  const char *end = strrchr(line, ')');
  return end != NULL && end[1] == ' ' && end[2] == 'S';
}

static void wait_asleep(const world_t *world) {
  const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
  while (atomic_load(&world->pump_thread) == 0 ||
         !is_asleep(atomic_load(&world->pump_thread))) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
}

static void wait_taken(const world_t *world, int count) {
  const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
  while (atomic_load(&world->taken) != count) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
}

static world_t *world_start(void) {
  world_t *world = aligned_alloc(64, (sizeof(*world) + 63) / 64 * 64);
  memset(world, 0, sizeof(*world));
  ici_watch_init(&world->watch, &world->bell);
  atomic_store(&world->watch.nap_ns, LONG_NS);
  atomic_store(&world->watch.pump_nap_ns, LONG_NS);
  assert_int_equal(pthread_create(&world->pump, NULL, pump, world), 0);
  wait_asleep(world);
  return world;
}

static void world_stop(world_t *world) {
  ici_watch_end(&world->watch);
  pthread_join(world->pump, NULL);
  ici_watch_deinit(&world->watch);
  free(world);
}

static void test_what_cannot_wait_is_taken_by_the_pump_when_nothing_runs(void **state) {
  (void)state;
  world_t *world = world_start();
  for (int i = 1; i <= 100; i++) {
    put(world);
    wait_taken(world, i);
  }
  world_stop(world);
}

// The frame comes when the run has looked for the last time and still has the watch. The
// pump is called, comes too late, and sleeps again.
static void put_and_wait_asleep(world_t *world) {
  world->at_last_look = NULL;
  wait_asleep(world);
  put(world);
  wait_asleep(world);
}

static void test_who_called_in_vain_is_heard_when_the_run_leaves(void **state) {
  (void)state;
  world_t *world = world_start();
  for (int i = 1; i <= 50; i++) {
    ici_watch_enter(&world->watch);
    world->at_last_look = put_and_wait_asleep;
    ici_watch_leave(&world->watch, last_look, world);
    wait_taken(world, i);
  }
  world_stop(world);
}

static void test_who_leaves_looks_until_nothing_is_there(void **state) {
  (void)state;
  world_t *world = world_start();
  ici_watch_enter(&world->watch);
  for (int i = 0; i < 5; i++) {
    put(world);  // The run looks: nobody is called.
  }
  ici_watch_leave(&world->watch, last_look, world);
  assert_int_equal(atomic_load(&world->taken), 5);
  assert_int_equal(world->last_looks, 6);
  world_stop(world);
}

static void test_the_pump_goes_on_where_who_leaves_has_had_enough(void **state) {
  (void)state;
  world_t *world = world_start();
  ici_watch_enter(&world->watch);
  for (int i = 0; i < 10000; i++) {
    put(world);
  }
  ici_watch_leave(&world->watch, last_look, world);
  assert_true(world->last_looks < 100);
  wait_taken(world, 10000);
  world_stop(world);
}

static void *ring_when_asleep(void *context) {
  world_t *world = context;
  while (atomic_load(&world->bell.state) != ICI_BELL_ASLEEP) {
    sched_yield();
  }
  atomic_fetch_add(&world->frames, 1);
  ici_bell_ring(&world->bell, false);
  return NULL;
}

static void test_a_sleeping_run_is_woken(void **state) {
  (void)state;
  world_t *world = world_start();
  for (int i = 1; i <= 100; i++) {
    pthread_t thread;
    ici_watch_enter(&world->watch);
    assert_int_equal(pthread_create(&thread, NULL, ring_when_asleep, world), 0);
    const int64_t start_ns = pod_clock_now_ns();
    while (!look(world)) {
      ici_watch_sleep(&world->watch, look, world, LONG_NS);
      assert_true(pod_clock_now_ns() - start_ns < DEADLINE_NS);
      if (atomic_load(&world->taken) == i) {
        break;
      }
    }
    pthread_join(thread, NULL);
    ici_watch_leave(&world->watch, look, world);
    assert_int_equal(atomic_load(&world->taken), i);
  }
  world_stop(world);
}

static void test_no_sleep_is_longer_than_a_nap(void **state) {
  (void)state;
  world_t world = {.frames = 0};
  ici_watch_init(&world.watch, &world.bell);
  assert_true(world.watch.nap_ns <= 1000000000 && world.watch.pump_nap_ns <= 1000000000);
  atomic_store(&world.watch.nap_ns, 1000000);
  atomic_store(&world.watch.pump_nap_ns, 1000000);
  ici_watch_enter(&world.watch);
  ici_watch_sleep(&world.watch, look, &world, INT64_MAX);
  ici_watch_leave(&world.watch, look, &world);
  assert_true(ici_watch_pump(&world.watch, look, &world));
  ici_watch_end(&world.watch);
  assert_false(ici_watch_pump(&world.watch, look, &world));
  ici_watch_deinit(&world.watch);
}

// ---- All of it at once.

enum { STRESS_FRAMES = 20000, STRESS_RUNS = 20000 };

static void *put_many(void *context) {
  for (int i = 0; i < STRESS_FRAMES; i++) {
    put(context);
    if (i % 16 == 0) {
      sched_yield();
    }
  }
  return NULL;
}

static void test_nobody_is_forgotten_by_many_short_runs(void **state) {
  (void)state;
  world_t *world = world_start();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, put_many, world), 0);
  }
  for (int i = 0; i < STRESS_RUNS; i++) {
    ici_watch_enter(&world->watch);
    (void)look(world);
    ici_watch_leave(&world->watch, look, world);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
  }
  wait_taken(world, 2 * STRESS_FRAMES);
  world_stop(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_cannot_wait_is_taken_by_the_pump_when_nothing_runs),
      cmocka_unit_test(test_who_called_in_vain_is_heard_when_the_run_leaves),
      cmocka_unit_test(test_who_leaves_looks_until_nothing_is_there),
      cmocka_unit_test(test_the_pump_goes_on_where_who_leaves_has_had_enough),
      cmocka_unit_test(test_a_sleeping_run_is_woken),
      cmocka_unit_test(test_no_sleep_is_longer_than_a_nap),
      cmocka_unit_test(test_nobody_is_forgotten_by_many_short_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
