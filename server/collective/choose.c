// Which algorithm a group should take: the cheapest by the estimate for one of its chips,
// always the same one, so that all chips of the group choose alike.

#include <math.h>

#include "common/base/check.h"
#include "server/collective/algorithm.h"
#include "server/collective/estimate.h"

#define BOUNDLESS_BYTES_PER_S 1e30

// On a host a REORDER is a pass over all bytes: there it has to gain more than a few
// hops.
#define HOST_REORDER_FACTOR 1.10

// The chip at the corner of the box: on a line it is at an end, where the work is
// longest.
static int32_t corner_of(const collective_group_t *group) {
  const collective_box_t *box = &group->box;
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
  chip_spec_t boundless = *question->spec;
  boundless.ici_bytes_per_s = BOUNDLESS_BYTES_PER_S;
  const double hops_ps =
      (double)collective_estimate_ps(schedule, 1, torus, &boundless, chip);
  return hops_ps + (whole_ps - hops_ps) * factor;
}

// Infinite when it does not fit.
static double price_of(const collective_question_t *question,
                       collective_algorithm_t algorithm) {
  collective_planner_t *planner = question->planner;
  const int32_t chip = corner_of(question->group);
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
    if (floor_ps >= best_ps ||
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
