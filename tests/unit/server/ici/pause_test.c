// Collectives of several executions on the same chips, each paused in its midst for the
// others: all come to their results, over every kind of link, and one that is to end
// while it is paused does.

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "tests/unit/server/ici/pod.h"

enum { EXECUTIONS = 3, REQUESTS = 24, NOBODY = -1 };

// A chip, whose turn one execution has at a time.
typedef struct chip_turn_t {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  atomic_int turn;
  bool has_ended[EXECUTIONS], is_to_end[EXECUTIONS];
  atomic_int pauses[EXECUTIONS];
} chip_turn_t;

// An execution on a chip.
typedef struct player_t {
  work_t work;  // First: run_work's.
  chip_turn_t *chip;
  int index;
  ici_pause_t pause;
} player_t;

static bool is_wanted(void *context) {
  const player_t *player = context;
  return atomic_load(&player->chip->turn) != player->index;
}

static bool wait_for_turn(player_t *player) {
  chip_turn_t *chip = player->chip;
  pthread_mutex_lock(&chip->mutex);
  while (atomic_load(&chip->turn) != player->index && !chip->is_to_end[player->index]) {
    pthread_cond_wait(&chip->changed, &chip->mutex);
  }
  const bool goes_on = !chip->is_to_end[player->index];
  pthread_mutex_unlock(&chip->mutex);
  return goes_on;
}

static bool pause_here(void *context) {
  player_t *player = context;
  atomic_fetch_add(&player->chip->pauses[player->index], 1);
  return wait_for_turn(player);
}

// False: it has ended there.
static bool give_turn(const pod_t *pod, chip_turn_t *chip, int32_t at, int index) {
  pthread_mutex_lock(&chip->mutex);
  const bool is_there = index == NOBODY || !chip->has_ended[index];
  if (is_there) {
    atomic_store(&chip->turn, index);
    pthread_cond_broadcast(&chip->changed);
  }
  pthread_mutex_unlock(&chip->mutex);
  ici_node_wake(pod->nodes[at]);
  return is_there;
}

static void *play(void *context) {
  player_t *player = context;
  (void)wait_for_turn(player);
  (void)run_work(&player->work);
  pthread_mutex_lock(&player->chip->mutex);
  player->chip->has_ended[player->index] = true;
  pthread_mutex_unlock(&player->chip->mutex);
  return NULL;
}

typedef struct world_t {
  pod_t pod;
  chip_turn_t chips[CHIPS_MAX];
  player_t players[EXECUTIONS][CHIPS_MAX];
  collective_request_t requests[REQUESTS];
} world_t;

static void world_init(world_t *world, torus_t torus, way_t way, int64_t scale) {
  static const chip_op_t ops[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER,
                                  CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL};
  memset(world, 0, sizeof(*world));
  pod_start(&world->pod, torus, way);
  for (int i = 0; i < REQUESTS; i++) {
    const int64_t block = i % 3 == 0 ? 10 : i % 3 == 1 ? 3000 * scale : 60000 * scale;
    world->requests[i] =
        request_of(ops[(size_t)i % POD_COUNT_OF(ops)], 1, world->pod.chip_count, block);
  }
  for (int32_t c = 0; c < world->pod.chip_count; c++) {
    pthread_mutex_init(&world->chips[c].mutex, NULL);
    pthread_cond_init(&world->chips[c].changed, NULL);
    atomic_store(&world->chips[c].turn, NOBODY);
    for (int e = 0; e < EXECUTIONS; e++) {
      player_t *player = &world->players[e][c];
      *player = (player_t){.chip = &world->chips[c], .index = e};
      player->pause = (ici_pause_t){is_wanted, pause_here, player};
      player->work = (work_t){.pod = &world->pod,
                              .chip = c,
                              .count = REQUESTS,
                              .requests = world->requests,
                              .execution = (uint64_t)e + 1,
                              .pause = &player->pause};
    }
  }
}

static void begin(world_t *world, int execution) {
  for (int32_t c = 0; c < world->pod.chip_count; c++) {
    player_t *player = &world->players[execution][c];
    ici_node_begin(world->pod.nodes[c], player->work.execution);
    POD_CHECK(pthread_create(&player->work.thread, NULL, play, player) == 0);
  }
}

static void world_deinit(world_t *world) {
  pod_stop(&world->pod);
  for (int32_t c = 0; c < world->pod.chip_count; c++) {
    pthread_cond_destroy(&world->chips[c].changed);
    pthread_mutex_destroy(&world->chips[c].mutex);
  }
}

// Gives the turn round, on all chips in their order, until all have ended. Returns how
// often collectives were paused.
static int take_turns(world_t *world, uint64_t seed) {
  pod_random_t random = {.state = seed};
  const int64_t until_ns = deadline();
  for (bool is_any = true; is_any;) {
    is_any = false;
    for (int e = 0; e < EXECUTIONS; e++) {
      bool is_there = false;
      for (int32_t c = 0; c < world->pod.chip_count; c++) {
        is_there |= give_turn(&world->pod, &world->chips[c], c, e);
      }
      is_any |= is_there;
      if (is_there) {
        (void)usleep((useconds_t)pod_random_below(&random, 3000));
      }
    }
    assert_true(pod_clock_now_ns() < until_ns);
  }
  int pauses = 0;
  for (int e = 0; e < EXECUTIONS; e++) {
    for (int32_t c = 0; c < world->pod.chip_count; c++) {
      pthread_join(world->players[e][c].work.thread, NULL);
      assert_ok(world->players[e][c].work.status);
      assert_int_equal(world->players[e][c].work.wrong, 0);
      pauses += atomic_load(&world->chips[c].pauses[e]);
    }
  }
  return pauses;
}

static void run_paused(torus_t torus, way_t way, int64_t scale) {
  static world_t world;
  world_init(&world, torus, way, scale);
  for (int e = 0; e < EXECUTIONS; e++) {
    begin(&world, e);
  }
  const int pauses = take_turns(&world, 7);
  print_message("collectives were paused %d times\n", pauses);
  assert_true(pauses > 0);
  world_deinit(&world);
}

static void test_paused_collectives_come_to_their_results_over_sockets(void **state) {
  (void)state;
  run_paused(square, WAY_IPC, 1);
  run_paused(square, WAY_TCP, 1);
}

static void test_paused_collectives_come_to_their_results_over_shared_memory(
    void **state) {
  (void)state;
  run_paused(square, WAY_SHARED, 4);
  run_paused(ring, WAY_SHARED, 4);
  run_paused(square, WAY_MIXED, 4);
}

// Chip 0 has its turn in execution 0, and waits there for chip 1, which never comes; it
// is paused, and then to end, while execution 1 has the chips.
static void test_one_that_is_to_end_while_it_is_paused_ends_beside_others(void **state) {
  (void)state;
  static world_t world;
  world_init(&world, pair, WAY_SHARED, 1);
  player_t *waiting = &world.players[0][0];
  ici_node_begin(world.pod.nodes[0], waiting->work.execution);
  POD_CHECK(pthread_create(&waiting->work.thread, NULL, play, waiting) == 0);
  (void)give_turn(&world.pod, &world.chips[0], 0, 0);
  (void)usleep(20000);
  (void)give_turn(&world.pod, &world.chips[0], 0, 1);
  const int64_t until_ns = deadline();
  while (atomic_load(&world.chips[0].pauses[0]) == 0) {
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(1000);
  }
  // The other one begins, and stands in a collective of its own when that one ends.
  player_t *other = &world.players[1][0];
  ici_node_begin(world.pod.nodes[0], other->work.execution);
  POD_CHECK(pthread_create(&other->work.thread, NULL, play, other) == 0);
  (void)usleep(20000);
  ici_node_abort(world.pod.nodes[0], waiting->work.execution,
                 pod_error(POD_ABORTED, "nobody wants it"));
  pthread_mutex_lock(&world.chips[0].mutex);
  world.chips[0].is_to_end[0] = true;
  pthread_cond_broadcast(&world.chips[0].changed);
  pthread_mutex_unlock(&world.chips[0].mutex);
  pthread_join(waiting->work.thread, NULL);
  assert_int_equal(pod_status_code(waiting->work.status), POD_ABORTED);
  pod_status_free(waiting->work.status);
  player_t *late = &world.players[1][1];
  ici_node_begin(world.pod.nodes[1], late->work.execution);
  POD_CHECK(pthread_create(&late->work.thread, NULL, play, late) == 0);
  (void)give_turn(&world.pod, &world.chips[1], 1, 1);
  for (int32_t c = 0; c < 2; c++) {
    pthread_join(world.players[1][c].work.thread, NULL);
    assert_ok(world.players[1][c].work.status);
    assert_int_equal(world.players[1][c].work.wrong, 0);
  }
  world_deinit(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_paused_collectives_come_to_their_results_over_sockets),
      cmocka_unit_test(test_paused_collectives_come_to_their_results_over_shared_memory),
      cmocka_unit_test(test_one_that_is_to_end_while_it_is_paused_ends_beside_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
