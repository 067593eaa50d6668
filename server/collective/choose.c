// Which algorithm a group should take: the cheapest by the estimate for one of its chips,
// always the same one, so that all chips of the group choose alike.

#include <math.h>

#include "common/base/check.h"
#include "server/collective/algorithm.h"
#include "server/collective/estimate.h"

// On a host a REORDER is a pass over all bytes: there it has to gain more than a few
// hops.
#define HOST_REORDER_FACTOR 1.10

// Of a group on several tori, slices or cores, the last chip of the first: what goes from
// it to its neighbour in the order of the ids crosses what joins them. -1: it is on one.
static int64_t border_of(const torus_t *torus, const collective_group_t *group) {
  const bool has_slices = torus_slice_total(torus) > 1;
  int64_t lowest = group->chips[0], highest = group->chips[0];
  for (int32_t i = 1; i < group->size; i++) {
    const int64_t chip = group->chips[i];
    lowest = chip < lowest ? chip : lowest;
    highest = chip > highest ? chip : highest;
  }
  const bool is_across = has_slices && torus_slice_of(torus, (int32_t)lowest) !=
                                           torus_slice_of(torus, (int32_t)highest);
  const int64_t part =
      is_across ? torus_slice_chip_count(torus) : torus_core_total(torus);
  if (part == 1) {
    return -1;
  }
  int64_t border = lowest;
  for (int32_t i = 0; i < group->size; i++) {
    const int64_t chip = group->chips[i];
    border = chip / part == lowest / part && chip > border ? chip : border;
  }
  return is_across || border != lowest ? border : -1;
}

// The chip at the corner of the box: on a line it is at an end, where the work is
// longest.
static int32_t corner_of(const torus_t *torus, const collective_group_t *group) {
  const collective_box_t *box = &group->box;
  const int64_t border = border_of(torus, group);
  if (border >= 0) {
    return (int32_t)border;
  }
  return (int32_t)
      group->chips[box->axis_count > 0 && box->members != NULL ? box->members[0] : 0];
}

// The estimate of a schedule whose bytes take `factor` times as long: hops stay as they
// are.
static double stretched_ps(const collective_question_t *question,
                           const collective_schedule_t *schedule, int32_t chip,
                           double factor) {
  const torus_t *torus = &question->planner->torus;
  const double whole_ps =
      (double)collective_estimate_ps(schedule, 1, torus, question->spec, chip);
  if (factor == 1) {
    return whole_ps;
  }
  chip_spec_t immediate = *question->spec;
  immediate.ici_hop_ps = 0;
  immediate.dcn_latency_ps = 0;
  immediate.collective_startup_ps = 0;
  const double bytes_ps =
      (double)collective_estimate_ps(schedule, 1, torus, &immediate, chip);
  return whole_ps + bytes_ps * (factor - 1);
}

// Infinite when it does not fit.
static double price_of(const collective_question_t *question,
                       collective_algorithm_t algorithm) {
  collective_planner_t *planner = question->planner;
  const int32_t chip = corner_of(&planner->torus, question->group);
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  const pod_status_t status = collective_plan_by(planner, question->group, chip,
                                                 algorithm, false, arena, &schedule);
  const collective_algorithm_row_t *row = collective_algorithm_row(algorithm);
  const double factor =
      row->stretch == NULL ? 1 : row->stretch(question->group, planner->request->op);
  double price = INFINITY;
  if (status == NULL) {
    const double startup_ps = (double)question->spec->collective_startup_ps;
    const bool is_dearer =
        planner->request->cuts_for_caches && schedule.reorder_count > 0;
    price = stretched_ps(question, &schedule, chip, factor);
    price = is_dearer ? startup_ps + (price - startup_ps) * HOST_REORDER_FACTOR : price;
  }
  pod_status_free(status);
  pod_arena_destroy(arena);
  return price;
}

// Chips that a tree folds into others first do not see what the rest cross meanwhile, so
// that over several tori the steps of one chip do not tell what it takes.
static bool is_told_by_one(const collective_question_t *question,
                           collective_algorithm_t algorithm) {
  const int32_t size = question->group->size;
  return algorithm != COLLECTIVE_TREE || (size & (size - 1)) == 0 ||
         border_of(&question->planner->torus, question->group) < 0;
}

collective_algorithm_t collective_choose(collective_planner_t *planner,
                                         collective_group_t *group) {
  if (group->size == 1 || planner->block_elements == 0) {
    return COLLECTIVE_DIRECT;
  }
  const chip_spec_t *spec = planner->request->spec;
  const collective_question_t question = {planner, group,
                                          spec != NULL ? spec : chip_spec_find("v5e")};
  POD_CHECK(question.spec != NULL);
  collective_algorithm_t best = COLLECTIVE_DIRECT;
  double best_ps = INFINITY;
  for (int i = 0; i < COLLECTIVE_CANDIDATE_COUNT; i++) {
    const collective_algorithm_t algorithm = collective_candidates[i];
    const collective_algorithm_row_t *row = collective_algorithm_row(algorithm);
    const double floor_ps = row->floor_ps == NULL ? 0 : row->floor_ps(&question);
    if (floor_ps >= best_ps || (planner->by_members && row->needs_box) ||
        !is_told_by_one(&question, algorithm) ||
        (row->is_candidate != NULL && !row->is_candidate(&question))) {
      continue;
    }
    const double ps = price_of(&question, algorithm);
    if (ps < best_ps) {
      best = algorithm;
      best_ps = ps;
    }
  }
  return best;
}
