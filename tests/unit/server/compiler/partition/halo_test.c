#include "server/compiler/partition/halo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/random.h"

enum { SHARDS_MAX = 8, PLACES_MAX = 4096 };

// What shard `target` has in the places of slot `slot`, by global index; -1: zeros.
static int64_t received(const halo_t *halo, const halo_plan_t *plan, int slot,
                        int64_t target, int64_t place) {
  if (plan->is_local[slot]) {
    return target * halo->shard_size + place;
  }
  int64_t source = -1;
  for (int r = 0; r < plan->round_count; r++) {
    if (plan->rounds[r].slot == slot && plan->rounds[r].sources[target] >= 0) {
      source = plan->rounds[r].sources[target];
    }
  }
  return source < 0 ? -1 : source * halo->shard_size + place;
}

// The slots of a shard, one behind the other.
static int64_t lay_out(const halo_t *halo, const halo_plan_t *plan, int64_t target,
                       int64_t *places) {
  int64_t count = 0;
  for (int slot = 0; slot < plan->slot_count; slot++) {
    const int64_t low = slot == 0 ? plan->low : 0;
    const int64_t high = slot == plan->slot_count - 1 ? plan->high : halo->shard_size;
    for (int64_t place = low; place < high; place++) {
      assert_true(count < PLACES_MAX);
      places[count++] = received(halo, plan, slot, target, place);
    }
  }
  return count;
}

static void check_shard(const halo_t *halo, const halo_plan_t *plan, int64_t target) {
  int64_t places[PLACES_MAX];
  const int64_t count = lay_out(halo, plan, target, places);
  assert_true(plan->offsets[target] >= 0);
  assert_true(plan->offsets[target] + halo->length <= count);
  for (int64_t i = 0; i < halo->length; i++) {
    const int64_t wanted = halo->step * target + halo->start + i;
    const int64_t found = places[plan->offsets[target] + i];
    if (wanted >= halo->begin && wanted < halo->limit) {
      assert_int_equal(found, wanted);
    } else if (plan->is_zeroed) {
      assert_int_equal(found, -1);
    }
    assert_true(plan->is_masked || (wanted >= halo->begin && wanted < halo->limit));
  }
}

// A source sends once in a round, and nobody gets what it does not want.
static void check_rounds(const halo_t *halo, const halo_plan_t *plan) {
  for (int r = 0; r < plan->round_count; r++) {
    for (int64_t i = 0; i < halo->shards; i++) {
      for (int64_t j = 0; j < i; j++) {
        const int64_t source = plan->rounds[r].sources[i];
        assert_true(source < 0 || source != plan->rounds[r].sources[j]);
      }
    }
  }
}

static int64_t below(pod_random_t *random, int64_t bound) {
  return (int64_t)pod_random_below(random, (uint64_t)bound);
}

static void test_every_shard_finds_what_it_wants(void **state) {
  (void)state;
  pod_random_t random = {.state = 7};
  int planned = 0;
  for (int i = 0; i < 20000; i++) {
    pod_arena_t *arena = pod_arena_create();
    halo_t halo = {.shards = 2 + below(&random, SHARDS_MAX - 1),
                   .shard_size = 1 + below(&random, 9),
                   .step = below(&random, 25) - 12,
                   .start = below(&random, 41) - 20,
                   .length = 1 + below(&random, 20)};
    const int64_t size = halo.shards * halo.shard_size;
    halo.begin = below(&random, 3) == 0 ? below(&random, size) : 0;
    halo.limit =
        below(&random, 3) == 0 ? halo.begin + below(&random, size - halo.begin) : size;
    halo_plan_t plan;
    if (halo_plan(arena, &halo, &plan)) {
      planned++;
      check_rounds(&halo, &plan);
      for (int64_t shard = 0; shard < halo.shards; shard++) {
        check_shard(&halo, &plan, shard);
      }
    }
    pod_arena_destroy(arena);
  }
  assert_true(planned > 10000);
}

static void test_a_window_of_three_takes_an_edge_of_each_neighbour(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const halo_t halo = {
      .shards = 4, .shard_size = 4, .step = 4, .start = -1, .length = 6, .limit = 16};
  halo_plan_t plan;
  assert_true(halo_plan(arena, &halo, &plan));
  assert_int_equal(plan.round_count, 2);
  assert_int_equal(plan.received, 2);
  assert_true(plan.is_masked && plan.is_zeroed);
  pod_arena_destroy(arena);
}

static void test_a_reverse_is_one_exchange_of_whole_shards(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const halo_t halo = {
      .shards = 8, .shard_size = 3, .step = -3, .start = 21, .length = 3, .limit = 24};
  halo_plan_t plan;
  assert_true(halo_plan(arena, &halo, &plan));
  assert_int_equal(plan.round_count, 1);
  assert_int_equal(plan.received, 3);
  assert_false(plan.is_masked);
  pod_arena_destroy(arena);
}

static void test_shards_that_become_shorter_get_edges_only(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  // [3, 19) of 20 on 4: shard 3 wants [15, 19), which it has; shard 1 [7, 11).
  const halo_t halo = {
      .shards = 4, .shard_size = 5, .step = 4, .start = 3, .length = 4, .limit = 20};
  halo_plan_t plan;
  assert_true(halo_plan(arena, &halo, &plan));
  assert_int_equal(plan.round_count, 1);
  assert_int_equal(plan.received, 2);
  assert_false(plan.is_masked);
  pod_arena_destroy(arena);
}

static void test_what_takes_too_many_collectives_has_no_plan(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const halo_t halo = {
      .shards = 16, .shard_size = 16, .step = 1, .start = 0, .length = 1, .limit = 256};
  halo_plan_t plan;
  assert_false(halo_plan(arena, &halo, &plan));
  const halo_t many = {.shards = HALO_SHARDS_MAX + 1,
                       .shard_size = 1,
                       .step = 1,
                       .length = 1,
                       .limit = HALO_SHARDS_MAX + 1};
  assert_false(halo_plan(arena, &many, &plan));
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_shard_finds_what_it_wants),
      cmocka_unit_test(test_a_window_of_three_takes_an_edge_of_each_neighbour),
      cmocka_unit_test(test_a_reverse_is_one_exchange_of_whole_shards),
      cmocka_unit_test(test_shards_that_become_shorter_get_edges_only),
      cmocka_unit_test(test_what_takes_too_many_collectives_has_no_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
