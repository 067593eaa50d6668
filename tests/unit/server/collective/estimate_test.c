// What a schedule takes by its own steps, against closed forms worked out by hand, and
// what AUTO makes of it.

#include "server/collective/estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "server/collective/traffic.h"

// A chip with round figures: a byte a picosecond per link, a microsecond per hop.
static const chip_spec_t plain = {.name = "plain",
                                  .hbm_bytes_per_s = 1e14,
                                  .hbm_fraction = 1,
                                  .ici_bytes_per_s = 1e12,
                                  .ici_hop_ps = 1000000,
                                  .collective_startup_ps = 500000};

enum { CHIPS_MAX = 4096 };

static collective_request_t request_on(const torus_t *torus, chip_op_t op,
                                       int64_t bytes) {
  static int64_t everyone[CHIPS_MAX];
  const int32_t chips = torus_chip_count(torus);
  for (int32_t i = 0; i < chips; i++) {
    everyone[i] = i;
  }
  return (collective_request_t){.op = op,
                                .reducer = CHIP_REDUCER_ADD,
                                .dtype = TENSOR_F32,
                                .element_count = bytes / 4,
                                .group_count = 1,
                                .group_size = chips,
                                .groups = everyone,
                                .spec = &plain};
}

static int64_t estimate(const torus_t *torus, const collective_request_t *request,
                        collective_algorithm_t *out_algorithm) {
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  assert_null(collective_plan(request, torus, 0, arena, &schedule));
  const int64_t ps = collective_estimate_ps(&schedule, 1, torus, &plain, 0);
  if (out_algorithm != NULL) {
    *out_algorithm = schedule.algorithm;
  }
  pod_arena_destroy(arena);
  return ps;
}

static int64_t estimate_by(torus_t torus, chip_op_t op, int64_t bytes,
                           collective_algorithm_t algorithm) {
  collective_request_t request = request_on(&torus, op, bytes);
  request.algorithm = algorithm;
  return estimate(&torus, &request, NULL);
}

static void assert_near(int64_t ps, int64_t expected) {
  if (ps < expected - 2 || ps > expected + 2) {
    fail_msg("%lld ps, not %lld", (long long)ps, (long long)expected);
  }
}

static void test_a_ring_takes_its_rounds(void **state) {
  (void)state;
  const torus_t ring = {.size = {8, 1, 1}, .wraps = {1, 1, 1}};
  const int64_t share = 1 << 20;
  const int64_t round_ps = share / 2 + 1000000;
  assert_near(estimate_by(ring, CHIP_OP_ALL_GATHER, share, COLLECTIVE_RING),
              500000 + 7 * round_ps);
  assert_near(estimate_by(ring, CHIP_OP_REDUCE_SCATTER, 8 * share, COLLECTIVE_RING),
              500000 + 7 * round_ps);
  assert_near(estimate_by(ring, CHIP_OP_ALL_REDUCE, 8 * share, COLLECTIVE_RING),
              500000 + 14 * round_ps);
}

// A chunk that keeps the link busy for longer than two hops take is forwarded as it comes
// in: only the last one is waited for. One in between leaves the link idle for a while.
static void test_a_ring_forwards_long_chunks_in_pieces(void **state) {
  (void)state;
  const torus_t ring = {.size = {8, 1, 1}, .wraps = {1, 1, 1}};
  const int64_t share = 1 << 24;
  assert_near(estimate_by(ring, CHIP_OP_ALL_GATHER, share, COLLECTIVE_RING),
              500000 + 7 * share / 2 + 1000000);
  assert_near(estimate_by(ring, CHIP_OP_ALL_REDUCE, 8 * share, COLLECTIVE_RING),
              500000 + 14 * share / 2 + 1000000);
  assert_near(estimate_by(ring, CHIP_OP_ALL_GATHER, 3 << 20, COLLECTIVE_RING),
              500000 + 6 * 2000000 + (3 << 19) + 1000000);
}

// Six links in and out: what is sent is read; what comes in is written, read again with
// what it is added to, and the sum is written.
static void test_a_reduction_over_many_links_is_as_slow_as_hbm(void **state) {
  (void)state;
  const torus_t cube = {.size = {4, 4, 4}, .wraps = {1, 1, 1}};
  const int64_t bytes = (int64_t)6 * 64 * (1 << 20);
  chip_spec_t narrow = plain;
  narrow.hbm_bytes_per_s = 1e13;
  for (int i = 0; i < 2; i++) {
    collective_request_t request =
        request_on(&cube, i == 0 ? CHIP_OP_REDUCE_SCATTER : CHIP_OP_ALL_GATHER,
                   i == 0 ? bytes : bytes / 64);
    request.algorithm = COLLECTIVE_TORUS;
    pod_arena_t *arena = pod_arena_create();
    collective_schedule_t schedule;
    assert_null(collective_plan(&request, &cube, 0, arena, &schedule));
    assert_int_equal(collective_breadth(&schedule), 6);
    const double wide = (double)collective_estimate_ps(&schedule, 1, &cube, &plain, 0);
    const double ps = (double)collective_estimate_ps(&schedule, 1, &cube, &narrow, 0);
    // Five passes, or two, of six links, at ten links' worth of HBM.
    const double expected = i == 0 ? 5 * 6 / 10.0 : 2 * 6 / 10.0;
    assert_true(fabs(ps / wide / expected - 1) < 0.1);
    pod_arena_destroy(arena);
  }
}

static void test_a_line_carries_everything_past_its_end(void **state) {
  (void)state;
  const torus_t line = {.size = {4, 1, 1}, .wraps = {0}};
  const int64_t share = 1 << 20;
  // Two rounds in pieces of a hop's latency, and the last to its end.
  const int64_t rounds_ps = 2 * 2000000 + share + 1000000;
  assert_near(estimate_by(line, CHIP_OP_ALL_GATHER, share, COLLECTIVE_LINE),
              500000 + rounds_ps);
  // Where the sums from both sides meet they are added: three passes over HBM.
  assert_near(estimate_by(line, CHIP_OP_REDUCE_SCATTER, 4 * share, COLLECTIVE_LINE),
              500000 + rounds_ps + 3 * share / 100);
}

// Per axis a message of 1/6 of what it handles, and 1/16 of that is left for the next.
static void test_a_torus_of_three_rings_uses_six_links(void **state) {
  (void)state;
  const torus_t cube = {.size = {16, 16, 16}, .wraps = {1, 1, 1}};
  const int64_t bytes = (int64_t)6 * 4096 * 1024;
  const int64_t hops_ps = 2 * 45 * 1000000;
  const int64_t expected = 500000 + hops_ps + 2 * (bytes / 6 / 4096 * 4095);
  assert_near(estimate_by(cube, CHIP_OP_ALL_REDUCE, bytes, COLLECTIVE_TORUS), expected);
}

static void test_messages_of_several_hops_share_links_with_those_behind_them(
    void **state) {
  (void)state;
  // Everyone of four on a ring sends to the one behind the next: two messages a link.
  const torus_t ring = {.size = {4, 1, 1}, .wraps = {1, 1, 1}};
  const int64_t pairs[] = {0, 2, 1, 3, 2, 0, 3, 1};
  const collective_request_t request = {.op = CHIP_OP_COLLECTIVE_PERMUTE,
                                        .dtype = TENSOR_F32,
                                        .element_count = 1 << 18,
                                        .pair_count = 4,
                                        .pairs = pairs};
  assert_near(estimate(&ring, &request, NULL), 500000 + 2 * (1 << 20) + 2 * 1000000);
}

// Chip 2 of three has nothing to do in the round in which chip 1 is folded into chip 0.
static void test_a_round_that_is_left_out_takes_as_long_as_the_next(void **state) {
  (void)state;
  const torus_t line = {.size = {3, 1, 1}, .wraps = {0}};
  collective_request_t request = request_on(&line, CHIP_OP_ALL_REDUCE, 1 << 20);
  request.algorithm = COLLECTIVE_TREE;
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  assert_null(collective_plan(&request, &line, 2, arena, &schedule));
  // Two hops, two on a link; the first round goes on in pieces.
  const int64_t rounds_ps = 4 * 1000000 + 2 * (1 << 20) + 2 * 1000000;
  const int64_t copy_ps = 2 * (1 << 20) / 100;
  assert_near(collective_estimate_ps(&schedule, 1, &line, &plain, 2),
              500000 + rounds_ps + copy_ps);
  pod_arena_destroy(arena);
}

static void test_copies_of_the_operand_go_beside_the_messages(void **state) {
  (void)state;
  const torus_t pair = {.size = {2, 1, 1}, .wraps = {0}};
  collective_request_t request = request_on(&pair, CHIP_OP_ALL_GATHER, 1 << 20);
  request.algorithm = COLLECTIVE_DIRECT;
  chip_spec_t slow = plain;
  slow.hbm_bytes_per_s = 1e11;  // Ten times as slow as the link.
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  assert_null(collective_plan(&request, &pair, 0, arena, &schedule));
  assert_near(collective_estimate_ps(&schedule, 1, &pair, &plain, 0),
              500000 + (1 << 20) + 1000000);
  // It reads and writes, sends and receives.
  assert_near(collective_estimate_ps(&schedule, 1, &pair, &slow, 0),
              500000 + 4 * (int64_t)(1 << 20) * 10);
  pod_arena_destroy(arena);
}

static void test_cutting_for_caches_takes_no_longer(void **state) {
  (void)state;
  const torus_t ring = {.size = {4, 1, 1}, .wraps = {1, 1, 1}};
  collective_request_t request = request_on(&ring, CHIP_OP_ALL_REDUCE, 1 << 26);
  request.algorithm = COLLECTIVE_RING;
  const int64_t whole_ps = estimate(&ring, &request, NULL);
  request.cuts_for_caches = true;
  const int64_t cut_ps = estimate(&ring, &request, NULL);
  assert_true(llabs(whole_ps - cut_ps) < whole_ps / 10000);
}

static void assert_chosen(torus_t torus, chip_op_t op, int64_t bytes,
                          collective_algorithm_t expected) {
  const collective_request_t request = request_on(&torus, op, bytes);
  collective_algorithm_t chosen;
  estimate(&torus, &request, &chosen);
  assert_string_equal(collective_algorithm_name(chosen),
                      collective_algorithm_name(expected));
}

static void test_auto_takes_the_cheapest_of_all(void **state) {
  (void)state;
  const torus_t tori[] = {
      {.size = {4, 1, 1}, .wraps = {0}}, {.size = {8, 1, 1}, .wraps = {1, 1, 1}},
      {.size = {2, 2, 1}, .wraps = {0}}, {.size = {4, 4, 1}, .wraps = {1, 1, 0}},
      {.size = {4, 2, 1}, .wraps = {0}}, {.size = {4, 4, 4}, .wraps = {1, 1, 1}},
      {.size = {3, 1, 1}, .wraps = {0}}, {.size = {16, 16, 1}, .wraps = {1, 1, 1}}};
  const chip_op_t ops[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER, CHIP_OP_REDUCE_SCATTER,
                           CHIP_OP_ALL_TO_ALL};
  for (size_t t = 0; t < POD_COUNT_OF(tori); t++) {
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      for (int64_t bytes = 4096; bytes <= 1 << 26; bytes *= 16) {
        collective_request_t request = request_on(&tori[t], ops[o], bytes);
        request.element_count = request.element_count / 768 * 768;
        collective_algorithm_t chosen;
        const int64_t auto_ps = estimate(&tori[t], &request, &chosen);
        const bool is_line = tori[t].size[0] > 2 && !tori[t].wraps[0];
        if (is_line && chosen == COLLECTIVE_DIRECT) {
          continue;  // Cheaper than its steps at the end of the line say.
        }
        for (int a = COLLECTIVE_RING; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
          request.algorithm = (collective_algorithm_t)a;
          if (ops[o] == CHIP_OP_ALL_TO_ALL && a != COLLECTIVE_DIRECT &&
              (is_line || a == COLLECTIVE_LINE)) {
            continue;  // The estimate of its steps is too short.
          }
          if (a == COLLECTIVE_TORUS && tori[t].size[1] == 1) {
            continue;  // One axis is left to RING and LINE.
          }
          pod_arena_t *arena = pod_arena_create();
          collective_schedule_t schedule;
          const pod_status_t status =
              collective_plan(&request, &tori[t], 0, arena, &schedule);
          if (status == NULL) {
            const int64_t ps = collective_estimate_ps(&schedule, 1, &tori[t], &plain, 0);
            if ((double)auto_ps > (double)ps * 1.0001) {
              fail_msg("torus %zu, %s of %lld bytes: auto %lld, %s %lld ps", t,
                       chip_op_name(ops[o]), (long long)bytes, (long long)auto_ps,
                       collective_algorithm_name((collective_algorithm_t)a),
                       (long long)ps);
            }
          }
          pod_status_free(status);
          pod_arena_destroy(arena);
        }
      }
    }
  }
}

static void test_auto_knows_the_classical_crossovers(void **state) {
  (void)state;
  const torus_t ring = {.size = {8, 1, 1}, .wraps = {1, 1, 1}};
  const torus_t line = {.size = {4, 1, 1}, .wraps = {0}};
  const torus_t cube = {.size = {8, 8, 8}, .wraps = {1, 1, 1}};
  assert_chosen(ring, CHIP_OP_ALL_REDUCE, 1 << 26, COLLECTIVE_RING);
  assert_chosen(ring, CHIP_OP_ALL_GATHER, 1 << 24, COLLECTIVE_RING);
  assert_chosen(line, CHIP_OP_ALL_GATHER, 1 << 24, COLLECTIVE_LINE);
  assert_chosen(cube, CHIP_OP_ALL_REDUCE, 1 << 28, COLLECTIVE_TORUS);
  assert_chosen(cube, CHIP_OP_ALL_GATHER, 1 << 20, COLLECTIVE_TORUS);
  // Three hops either way, and a block twice instead of three times.
  assert_chosen(line, CHIP_OP_ALL_REDUCE, 64, COLLECTIVE_TREE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ring_takes_its_rounds),
      cmocka_unit_test(test_a_ring_forwards_long_chunks_in_pieces),
      cmocka_unit_test(test_a_reduction_over_many_links_is_as_slow_as_hbm),
      cmocka_unit_test(test_a_line_carries_everything_past_its_end),
      cmocka_unit_test(test_a_torus_of_three_rings_uses_six_links),
      cmocka_unit_test(test_messages_of_several_hops_share_links_with_those_behind_them),
      cmocka_unit_test(test_a_round_that_is_left_out_takes_as_long_as_the_next),
      cmocka_unit_test(test_copies_of_the_operand_go_beside_the_messages),
      cmocka_unit_test(test_cutting_for_caches_takes_no_longer),
      cmocka_unit_test(test_auto_takes_the_cheapest_of_all),
      cmocka_unit_test(test_auto_knows_the_classical_crossovers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
