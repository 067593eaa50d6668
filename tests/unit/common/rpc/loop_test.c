// The event loop alone: posts, timers, signals.

#include "common/rpc/loop.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"

enum { POSTERS = 4, POSTS_EACH = 2000 };

typedef struct {
  rpc_loop_t *loop;
  pthread_t loop_thread;
  int last[POSTERS];
  int count;
  bool in_order, on_loop_thread;
} world_t;

typedef struct {
  world_t *world;
  int poster, number;
} posted_t;

static void stop_loop(void *context) {
  rpc_loop_stop(context);
}

static void run_posted(void *context) {
  posted_t *posted = context;
  world_t *world = posted->world;
  world->in_order &= world->last[posted->poster] + 1 == posted->number;
  world->on_loop_thread &= pthread_equal(pthread_self(), world->loop_thread) != 0;
  world->last[posted->poster] = posted->number;
  world->count++;
  free(posted);
  if (world->count == POSTERS * POSTS_EACH) {
    rpc_loop_stop(world->loop);
  }
}

typedef struct {
  world_t *world;
  int number;
} poster_t;

static void *post_many(void *context) {
  const poster_t *poster = context;
  for (int i = 1; i <= POSTS_EACH; i++) {
    posted_t *posted = malloc(sizeof(*posted));
    *posted = (posted_t){poster->world, poster->number, i};
    rpc_loop_post(poster->world->loop, run_posted, posted);
  }
  return NULL;
}

static void test_posts_of_many_threads_run_once_each_in_order_on_the_loop_thread(
    void **state) {
  (void)state;
  world_t world = {.in_order = true, .on_loop_thread = true};
  assert_null(rpc_loop_create(&world.loop));
  world.loop_thread = pthread_self();
  pthread_t threads[POSTERS];
  poster_t posters[POSTERS];
  for (int i = 0; i < POSTERS; i++) {
    posters[i] = (poster_t){&world, i};
    assert_int_equal(pthread_create(&threads[i], NULL, post_many, &posters[i]), 0);
  }
  rpc_loop_run(world.loop);
  for (int i = 0; i < POSTERS; i++) {
    pthread_join(threads[i], NULL);
  }
  assert_int_equal(world.count, POSTERS * POSTS_EACH);
  assert_true(world.in_order);
  assert_true(world.on_loop_thread);
  rpc_loop_destroy(world.loop);
}

static void count_up(void *context) {
  (*(int *)context)++;
}

static void test_what_is_still_posted_runs_when_the_loop_is_destroyed(void **state) {
  (void)state;
  rpc_loop_t *loop = NULL;
  assert_null(rpc_loop_create(&loop));
  int count = 0;
  rpc_loop_post(loop, count_up, &count);
  rpc_loop_post(loop, count_up, &count);
  assert_int_equal(count, 0);
  rpc_loop_destroy(loop);
  assert_int_equal(count, 2);
}

static void test_a_loop_runs_again_after_a_stop(void **state) {
  (void)state;
  rpc_loop_t *loop = NULL;
  assert_null(rpc_loop_create(&loop));
  int count = 0;
  for (int i = 1; i <= 3; i++) {
    rpc_loop_post(loop, count_up, &count);
    rpc_loop_post(loop, stop_loop, loop);
    rpc_loop_run(loop);
    assert_int_equal(count, i);
  }
  rpc_loop_destroy(loop);
}

enum { OWN_POSTS = 1000 };

typedef struct {
  rpc_loop_t *loop;
  rpc_timer_t *timer;
  int count;
} own_posts_t;

static void post_next(void *context) {
  own_posts_t *own = context;
  if (++own->count == OWN_POSTS) {
    rpc_loop_stop(own->loop);
  } else if (own->count % 10 == 0) {
    rpc_timer_start(own->timer, 0, 0);  // Whose callback posts.
  } else {
    rpc_loop_post(own->loop, post_next, own);
  }
}

static void test_what_a_loop_posts_to_itself_runs_though_nothing_wakes_it(void **state) {
  (void)state;
  own_posts_t own = {0};
  assert_null(rpc_loop_create(&own.loop));
  own.timer = rpc_timer_create(own.loop, post_next, &own);
  rpc_timer_start(own.timer, 1, 0);
  rpc_loop_run(own.loop);
  assert_int_equal(own.count, OWN_POSTS);
  rpc_timer_destroy(own.timer);
  rpc_loop_destroy(own.loop);
}

typedef struct {
  rpc_loop_t *loop;
  rpc_timer_t *timer;
  bool is_alone;  // The loop's thread got in while it ran.
} guest_t;

static void enter_own(void *context) {
  guest_t *guest = context;
  guest->is_alone = !rpc_loop_enter(guest->loop);
}

static void *set_timer_as_guest(void *context) {
  guest_t *guest = context;
  while (!rpc_loop_enter(guest->loop)) {
    usleep(100);
  }
  rpc_timer_start(guest->timer, 5, 0);
  rpc_loop_leave(guest->loop);
  return NULL;
}

static void test_a_guest_comes_in_while_the_loop_sleeps_and_what_it_sets_fires(
    void **state) {
  (void)state;
  guest_t guest = {0};
  assert_null(rpc_loop_create(&guest.loop));
  guest.timer = rpc_timer_create(guest.loop, stop_loop, guest.loop);
  assert_false(rpc_loop_enter(guest.loop));
  rpc_loop_post(guest.loop, enter_own, &guest);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, set_timer_as_guest, &guest), 0);
  rpc_loop_run(guest.loop);
  pthread_join(thread, NULL);
  assert_true(guest.is_alone);
  assert_false(rpc_loop_enter(guest.loop));
  rpc_timer_destroy(guest.timer);
  rpc_loop_destroy(guest.loop);
}

enum { TIMERS = 50 };

typedef struct {
  rpc_loop_t *loop;
  rpc_timer_t *timer;
  int64_t earliest_ns;
  int *left;
  bool too_early;
} waiter_t;

static void ring(void *context) {
  waiter_t *waiter = context;
  waiter->too_early = pod_clock_now_ns() < waiter->earliest_ns;
  rpc_timer_destroy(waiter->timer);
  if (--*waiter->left == 0) {
    rpc_loop_stop(waiter->loop);
  }
}

static void test_timers_fire_once_and_never_early_and_may_destroy_themselves(
    void **state) {
  (void)state;
  rpc_loop_t *loop = NULL;
  assert_null(rpc_loop_create(&loop));
  waiter_t waiters[TIMERS];
  int left = TIMERS;
  for (int i = 0; i < TIMERS; i++) {
    const uint64_t delay_ms = (uint64_t)(i * 7 % 40);
    waiters[i] = (waiter_t){.loop = loop, .left = &left};
    waiters[i].timer = rpc_timer_create(loop, ring, &waiters[i]);
    waiters[i].earliest_ns = pod_clock_now_ns() + (int64_t)delay_ms * 1000000;
    rpc_timer_start(waiters[i].timer, delay_ms, 0);
  }
  rpc_loop_run(loop);
  for (int i = 0; i < TIMERS; i++) {
    assert_false(waiters[i].too_early);
  }
  rpc_loop_destroy(loop);
}

typedef struct {
  rpc_loop_t *loop;
  rpc_timer_t *timer;
  int count;
} repeater_t;

static void repeat(void *context) {
  repeater_t *repeater = context;
  if (++repeater->count == 5) {
    rpc_timer_stop(repeater->timer);
    rpc_timer_start(repeater->timer, 1, 0);  // Fires once more, and not again.
  }
  if (repeater->count == 6) {
    rpc_loop_stop(repeater->loop);
  }
}

static void test_a_repeating_timer_goes_on_until_it_is_stopped(void **state) {
  (void)state;
  repeater_t repeater = {0};
  assert_null(rpc_loop_create(&repeater.loop));
  repeater.timer = rpc_timer_create(repeater.loop, repeat, &repeater);
  rpc_timer_start(repeater.timer, 0, 1);
  rpc_loop_run(repeater.loop);
  assert_int_equal(repeater.count, 6);
  rpc_timer_destroy(repeater.timer);
  rpc_timer_destroy(NULL);
  rpc_loop_destroy(repeater.loop);
}

static void test_a_signal_reaches_its_callback(void **state) {
  (void)state;
  rpc_loop_t *loop = NULL;
  rpc_signal_t *watch = NULL;
  assert_null(rpc_loop_create(&loop));
  assert_null(rpc_signal_create(loop, SIGUSR1, stop_loop, loop, &watch));
  kill(getpid(), SIGUSR1);
  rpc_loop_run(loop);
  rpc_signal_destroy(watch);
  rpc_loop_destroy(loop);
}

static void test_a_signal_that_cannot_be_caught_is_an_error(void **state) {
  (void)state;
  rpc_loop_t *loop = NULL;
  rpc_signal_t *watch = NULL;
  assert_null(rpc_loop_create(&loop));
  const pod_status_t status = rpc_signal_create(loop, SIGKILL, stop_loop, loop, &watch);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  rpc_loop_destroy(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_posts_of_many_threads_run_once_each_in_order_on_the_loop_thread),
      cmocka_unit_test(test_what_is_still_posted_runs_when_the_loop_is_destroyed),
      cmocka_unit_test(test_a_loop_runs_again_after_a_stop),
      cmocka_unit_test(test_what_a_loop_posts_to_itself_runs_though_nothing_wakes_it),
      cmocka_unit_test(
          test_a_guest_comes_in_while_the_loop_sleeps_and_what_it_sets_fires),
      cmocka_unit_test(test_timers_fire_once_and_never_early_and_may_destroy_themselves),
      cmocka_unit_test(test_a_repeating_timer_goes_on_until_it_is_stopped),
      cmocka_unit_test(test_a_signal_reaches_its_callback),
      cmocka_unit_test(test_a_signal_that_cannot_be_caught_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
