// What schedules claim is held against a model of the links: every message takes its
// bytes in time on the link it goes over, and a chip's next step waits for what it
// receives. Where links are claimed to be exclusive no message ever starts on a link that
// has one; where bytes are claimed to be optimal no link carries more than the bound.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/collective/estimate.h"
#include "tests/unit/server/collective/scene.h"

enum { LATENCY = 1000 };

// Bytes take a picosecond each; nothing else takes any time but the latency.
static const chip_spec_t plain = {.name = "plain",
                                  .hbm_bytes_per_s = 1e30,
                                  .hbm_fraction = 1,
                                  .ici_bytes_per_s = 1e12,
                                  .ici_hop_ps = LATENCY};

// A lane of a chip in the model.
typedef struct model_lane_t {
  bool is_done, has_begun;
  int32_t step;
  int64_t sent_at;      // When the last byte has left.
  int64_t received_at;  // When the last byte is there; -1: not known yet.
} model_lane_t;

typedef struct model_t {
  const test_pod_t *pod;
  model_lane_t **lanes;  // By chip.
  int64_t *busy_until;   // By chip and direction.
  int64_t now, end;
  int collisions, detours;
} model_t;

static const collective_step_t *step_at(const model_t *model, int32_t chip,
                                        int32_t lane) {
  const collective_schedule_t *schedule = &model->pod->chips[chip].schedule;
  return &schedule->steps[model->lanes[chip][lane].step];
}

// Puts the message of a step on its link. The receiver's lane is told when it gets there,
// or when it comes to the step.
static void begin_step(model_t *model, int32_t chip, int32_t lane) {
  model_lane_t *run = &model->lanes[chip][lane];
  const collective_step_t *step = step_at(model, chip, lane);
  run->has_begun = true;
  run->sent_at = model->now;
  if (step->send_to == COLLECTIVE_NONE) {
    return;
  }
  const torus_t *torus = &model->pod->torus;
  model->detours += torus_distance(torus, chip, step->send_to) > 1 ? 1 : 0;
  int64_t *busy = &model->busy_until[chip * TORUS_DIRECTIONS +
                                     torus_next_hop(torus, chip, step->send_to)];
  model->collisions += *busy > model->now ? 1 : 0;
  run->sent_at = model->now + step->source_bytes;
  *busy = run->sent_at;
}

// When a message has come in that is sent until `sent_at`: with its first piece, which is
// what is under way in a latency, when the next step sends it on.
static int64_t taken_at(const model_t *model, int32_t chip, int32_t lane,
                        int64_t sent_at) {
  const collective_schedule_t *schedule = &model->pod->chips[chip].schedule;
  const collective_lane_t *range = &schedule->lanes[lane];
  const int64_t piece_at =
      sent_at - step_at(model, chip, lane)->target_bytes + 2 * LATENCY;
  int32_t next = model->lanes[chip][lane].step + 1;
  while (next < range->first_step + range->step_count &&
         (schedule->steps[next].kind == COLLECTIVE_REORDER ||
          (schedule->steps[next].kind == COLLECTIVE_COPY &&
           schedule->steps[next].source_buffer == COLLECTIVE_INPUT))) {
    next++;
  }
  if (next == range->first_step + range->step_count ||
      schedule->steps[next].kind != COLLECTIVE_TRANSFER ||
      piece_at >= sent_at + LATENCY) {
    return sent_at + LATENCY;
  }
  return piece_at > sent_at ? piece_at : sent_at;
}

// When what the step receives is there; INT64_MAX while the sender has not begun.
static int64_t arrival_of(const model_t *model, int32_t chip, int32_t lane) {
  const collective_step_t *step = step_at(model, chip, lane);
  const model_lane_t *sender = &model->lanes[step->receive_from][lane];
  if (sender->is_done) {
    return taken_at(model, chip, lane, sender->sent_at);
  }
  const collective_step_t *other = step_at(model, step->receive_from, lane);
  if (other->kind == COLLECTIVE_TRANSFER && other->tag == step->tag &&
      other->send_to == chip) {
    return sender->has_begun ? taken_at(model, chip, lane, sender->sent_at) : INT64_MAX;
  }
  return other->kind != COLLECTIVE_TRANSFER || other->tag < step->tag ? INT64_MAX
                                                                      : model->now;
}

static int64_t end_of_step(model_t *model, int32_t chip, int32_t lane) {
  model_lane_t *run = &model->lanes[chip][lane];
  const collective_step_t *step = step_at(model, chip, lane);
  if (step->kind != COLLECTIVE_TRANSFER) {
    return model->now;
  }
  if (step->receive_from == COLLECTIVE_NONE) {
    return run->sent_at;
  }
  if (run->received_at < 0) {
    const int64_t arrival = arrival_of(model, chip, lane);
    if (arrival == INT64_MAX) {
      return INT64_MAX;
    }
    run->received_at = arrival;
  }
  return run->sent_at > run->received_at ? run->sent_at : run->received_at;
}

static bool may_run(const model_t *model, int32_t chip, int32_t lane) {
  const collective_schedule_t *schedule = &model->pod->chips[chip].schedule;
  for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
    const int32_t after = schedule->lanes[lane].after[a];
    if (after != COLLECTIVE_NONE && !model->lanes[chip][after].is_done) {
      return false;
    }
  }
  return !model->lanes[chip][lane].is_done;
}

// Everything of a chip's lane that happens now. Returns when to look again.
static int64_t move(model_t *model, int32_t chip, int32_t lane, bool *out_moved) {
  const collective_schedule_t *schedule = &model->pod->chips[chip].schedule;
  const collective_lane_t *range = &schedule->lanes[lane];
  model_lane_t *run = &model->lanes[chip][lane];
  while (may_run(model, chip, lane)) {
    if (run->step == range->first_step + range->step_count) {
      run->is_done = true;
      *out_moved = true;
      model->end = model->now > model->end ? model->now : model->end;
      break;
    }
    if (!run->has_begun) {
      begin_step(model, chip, lane);
      *out_moved = true;
    }
    const int64_t end = end_of_step(model, chip, lane);
    if (end > model->now) {
      return end;
    }
    run->step++;
    run->has_begun = false;
    run->received_at = -1;
    *out_moved = true;
  }
  return INT64_MAX;
}

// Runs all chips from the same moment on. Returns when the last is done.
static int64_t run_model(model_t *model, const test_pod_t *pod) {
  *model = (model_t){.pod = pod};
  model->lanes = pod_alloc((size_t)pod->chip_count * sizeof(*model->lanes));
  model->busy_until =
      pod_alloc((size_t)pod->chip_count * TORUS_DIRECTIONS * sizeof(int64_t));
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    const collective_schedule_t *schedule = &pod->chips[chip].schedule;
    model->lanes[chip] = pod_alloc((size_t)schedule->lane_count * sizeof(model_lane_t));
    for (int32_t i = 0; i < schedule->lane_count; i++) {
      model->lanes[chip][i] =
          (model_lane_t){.step = schedule->lanes[i].first_step, .received_at = -1};
    }
  }
  for (int64_t next = 0; next != INT64_MAX;) {
    model->now = next;
    bool moved = true;
    while (moved) {
      moved = false;
      next = INT64_MAX;
      for (int32_t chip = 0; chip < pod->chip_count; chip++) {
        for (int32_t i = 0; i < pod->chips[chip].schedule.lane_count; i++) {
          const int64_t again = move(model, chip, i, &moved);
          next = again < next ? again : next;
        }
      }
    }
  }
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    for (int32_t i = 0; i < pod->chips[chip].schedule.lane_count; i++) {
      assert_true(model->lanes[chip][i].is_done);
    }
    free(model->lanes[chip]);
  }
  free(model->lanes);
  free(model->busy_until);
  return model->end;
}

static const torus_t tori[] = {
    {.size = {2, 1, 1}, .wraps = {0}},       {.size = {3, 1, 1}, .wraps = {0}},
    {.size = {4, 1, 1}, .wraps = {0}},       {.size = {7, 1, 1}, .wraps = {0}},
    {.size = {3, 1, 1}, .wraps = {1, 1, 1}}, {.size = {4, 1, 1}, .wraps = {1, 1, 1}},
    {.size = {5, 1, 1}, .wraps = {1, 1, 1}}, {.size = {8, 1, 1}, .wraps = {1, 1, 1}},
    {.size = {2, 2, 1}, .wraps = {0}},       {.size = {4, 2, 1}, .wraps = {0}},
    {.size = {3, 3, 1}, .wraps = {0}},       {.size = {3, 3, 1}, .wraps = {1, 1, 1}},
    {.size = {4, 4, 1}, .wraps = {0}},       {.size = {4, 4, 1}, .wraps = {1, 1, 1}},
    {.size = {4, 4, 1}, .wraps = {1, 0, 0}}, {.size = {4, 3, 1}, .wraps = {1, 1, 1}},
    {.size = {2, 2, 2}, .wraps = {0}},       {.size = {3, 3, 3}, .wraps = {1, 1, 1}},
    {.size = {4, 4, 4}, .wraps = {1, 1, 1}}, {.size = {4, 4, 4}, .wraps = {0}}};

static test_scene_t everyone(const torus_t *torus) {
  test_scene_t scene = {.name = "everyone", .torus = *torus, .group_count = 1};
  scene.group_size = torus_chip_count(torus);
  for (int32_t i = 0; i < scene.group_size; i++) {
    scene.groups[i] = i;
  }
  return scene;
}

// What no schedule can be below: README.md derives it.
static int64_t bound_of(const torus_t *torus, chip_op_t op, int64_t block_bytes) {
  const int64_t n = torus_chip_count(torus);
  int64_t fewest = 0;
  int64_t all = 0;
  int64_t cut = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int64_t size = torus->size[d];
    const bool closes = torus->wraps[d] && size > 2;
    // Blocks over a link of the axis when all chips of it exchange, and n / size of them.
    const int64_t shortest = closes ? (size * size - size % 2) / 8 : size * size / 4;
    const int64_t eighth = closes && size % 2 == 0 ? size * size : 8 * shortest;
    const int64_t load = size == 1 ? 0 : eighth * block_bytes / 8 * (n / size);
    fewest += size == 1 ? 0 : (closes ? 2 : 1);
    all += size == 1 ? 0 : 2 * n / size * (closes ? size : size - 1);
    cut = load > cut ? load : cut;
  }
  switch (op) {
    case CHIP_OP_ALL_REDUCE:
      return 2 * (n - 1) * block_bytes / all;
    case CHIP_OP_ALL_TO_ALL:
      return cut;
    default:
      return (n - 1) * block_bytes / fewest;
  }
}

// From a chip to another one, round the axes that close.
static int32_t displacement(const torus_t *torus, int32_t from, int32_t to) {
  if (to == COLLECTIVE_NONE) {
    return COLLECTIVE_NONE;
  }
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  int32_t all = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t size = torus->size[d];
    const int32_t by = b.at[d] - a.at[d];
    all = all * 4 * size + (torus->wraps[d] ? (by + size) % size : by + 2 * size);
  }
  return all;
}

static void assert_alike(const test_pod_t *pod, int32_t chip) {
  const collective_schedule_t *x = &pod->chips[0].schedule;
  const collective_schedule_t *y = &pod->chips[chip].schedule;
  assert_int_equal(x->step_count, y->step_count);
  assert_int_equal(x->lane_count, y->lane_count);
  assert_memory_equal(x->lanes, y->lanes, (size_t)x->lane_count * sizeof(*x->lanes));
  for (int32_t i = 0; i < x->step_count; i++) {
    const collective_step_t *a = &x->steps[i];
    const collective_step_t *b = &y->steps[i];
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->tag, b->tag);
    assert_int_equal(a->source_bytes, b->source_bytes);
    assert_int_equal(a->target_bytes, b->target_bytes);
    assert_int_equal(displacement(&pod->torus, 0, a->send_to),
                     displacement(&pod->torus, chip, b->send_to));
    assert_int_equal(displacement(&pod->torus, 0, a->receive_from),
                     displacement(&pod->torus, chip, b->receive_from));
  }
}

typedef struct tally_t {
  int optimal, exclusive, alike;
} tally_t;

static void check_alike(const test_scene_t *scene, const collective_request_t *request,
                        tally_t *tally) {
  test_pod_t pod;
  const pod_status_t status = test_pod_init(&pod, &scene->torus, request, false, 1);
  if (status == NULL) {
    const bool is_alike = pod.chips[0].schedule.claims.alike_chips;
    for (int32_t chip = 1; chip < pod.chip_count && is_alike; chip++) {
      assert_alike(&pod, chip);
    }
    tally->alike += is_alike;
  }
  pod_status_free(status);
  test_pod_deinit(&pod);
}

static void check(const test_scene_t *scene, const collective_request_t *request,
                  int64_t block_bytes, tally_t *tally) {
  test_pod_t pod;
  const pod_status_t status = test_pod_init(&pod, &scene->torus, request, false, 1);
  if (status != NULL) {
    pod_status_free(status);
    test_pod_deinit(&pod);
    return;
  }
  const collective_claims_t claims = pod.chips[0].schedule.claims;
  const char *name = collective_algorithm_name(request->algorithm);
  if (claims.exclusive_links) {
    model_t model;
    const int64_t end = run_model(&model, &pod);
    const int64_t estimate =
        collective_estimate_ps(&pod.chips[0].schedule, 1, &pod.torus, &plain, 0);
    const bool is_line = !scene->torus.wraps[0] && scene->torus.size[0] > 2;
    const bool is_estimated = request->op != CHIP_OP_ALL_TO_ALL ||
                              (request->algorithm != COLLECTIVE_LINE && !is_line);
    if (model.collisions > 0 || model.detours > 0 ||
        (is_estimated && llabs(end - estimate) > 8)) {
      fail_msg("%s, %s on %dx%dx%d: %d collisions, %d detours, %lld ps, estimate %lld",
               name, chip_op_name(request->op), scene->torus.size[0],
               scene->torus.size[1], scene->torus.size[2], model.collisions,
               model.detours, (long long)end, (long long)estimate);
    }
    tally->exclusive++;
  }
  test_pod_deinit(&pod);
  check_alike(scene, request, tally);
  if (claims.optimal_bytes) {
    int links;
    const int64_t busiest = test_busiest_link(scene, request, &links);
    const int64_t bound = bound_of(&scene->torus, request->op, block_bytes);
    if (busiest != bound) {
      fail_msg("%s, %s on %dx%dx%d: %lld bytes, the bound is %lld", name,
               chip_op_name(request->op), scene->torus.size[0], scene->torus.size[1],
               scene->torus.size[2], (long long)busiest, (long long)bound);
    }
    tally->optimal++;
  }
}

static void test_claims_hold_on_a_model_of_the_links(void **state) {
  (void)state;
  tally_t tallies[COLLECTIVE_ALGORITHM_COUNT] = {{0}};
  for (size_t t = 0; t < POD_COUNT_OF(tori); t++) {
    const test_scene_t scene = everyone(&tori[t]);
    for (size_t o = 0; o < TEST_GROUPED_OPS; o++) {
      for (int a = COLLECTIVE_RING; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
        if (a == COLLECTIVE_DIRECT && scene.group_size > 16) {
          continue;  // It claims nothing, and needs room for everybody.
        }
        // Whole cache lines for every part, direction and chunk.
        const bool is_all_reduce = test_grouped_ops[o] == CHIP_OP_ALL_REDUCE;
        const int64_t block = 768 * (is_all_reduce ? scene.group_size : 1);
        collective_request_t request =
            test_request_on(&scene, test_grouped_ops[o], block);
        request.algorithm = (collective_algorithm_t)a;
        check(&scene, &request, block * 4, &tallies[a]);
        // And what does not come out even.
        request = test_request_on(&scene, test_grouped_ops[o], block + scene.group_size);
        request.algorithm = (collective_algorithm_t)a;
        check_alike(&scene, &request, &tallies[a]);
      }
    }
  }
  assert_true(tallies[COLLECTIVE_RING].optimal >= 4 * 4);
  assert_true(tallies[COLLECTIVE_RING].exclusive >= 4 * 4);
  assert_true(tallies[COLLECTIVE_LINE].optimal >= 3 * 4);
  assert_true(tallies[COLLECTIVE_LINE].exclusive >= 3 * 4);
  assert_true(tallies[COLLECTIVE_TORUS].optimal >= 8 * 4);
  assert_true(tallies[COLLECTIVE_TORUS].exclusive >= 5 * 4);
  assert_true(tallies[COLLECTIVE_TORUS].alike >= 8 * 4);
  assert_true(tallies[COLLECTIVE_GATHER].alike >= 8);
  assert_true(tallies[COLLECTIVE_GATHER].exclusive >= 8);
  assert_int_equal(tallies[COLLECTIVE_TREE].alike, 0);
  assert_int_equal(tallies[COLLECTIVE_TREE].exclusive, 0);
  assert_int_equal(tallies[COLLECTIVE_DIRECT].exclusive, 0);
}

// A permute goes as its pairs say, hop by hop in dimension order: over the links of the
// route and no others.
static void test_a_permute_goes_by_its_routes(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 2}, .wraps = {1, 0, 0}};
  const int64_t pairs[] = {0, 10, 10, 3, 31, 0, 5, 6, 6, 5};
  const collective_request_t request = {.op = CHIP_OP_COLLECTIVE_PERMUTE,
                                        .dtype = TENSOR_S32,
                                        .element_count = 25,
                                        .pair_count = 5,
                                        .pairs = pairs};
  int64_t expected[32 * TORUS_DIRECTIONS] = {0};
  for (int i = 0; i < 5; i++) {
    int32_t at = (int32_t)pairs[2 * i];
    while (at != pairs[2 * i + 1]) {
      const torus_direction_t hop = torus_next_hop(&torus, at, (int32_t)pairs[2 * i + 1]);
      expected[at * TORUS_DIRECTIONS + hop] += 100;
      at = torus_neighbour(&torus, at, hop);
    }
  }
  test_pod_t pod;
  assert_null(test_pod_plan(&pod, &torus, &request));
  int64_t loads[32 * TORUS_DIRECTIONS];
  test_pod_link_loads(&pod, loads);
  assert_memory_equal(loads, expected, sizeof(loads));
  test_pod_deinit(&pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_claims_hold_on_a_model_of_the_links),
      cmocka_unit_test(test_a_permute_goes_by_its_routes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
