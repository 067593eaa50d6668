// Which algorithm a group should take: the cheapest by the estimate for one of its chips,
// always the same one, so that all chips of the group choose alike.

#include <math.h>

#include "common/base/check.h"
#include "server/collective/estimate.h"
#include "server/collective/plan.h"

// On a host a REORDER costs passes over all bytes, and is not worth a gain of a few hops.
#define REORDER_PENALTY 1.10

// The chip at the corner of the box: on a line it is at an end, where the work is
// longest.
static int32_t canonical_chip(const collective_group_t *group) {
  const collective_box_t *box = &group->box;
  return (int32_t)
      group->chips[box->axis_count > 0 && box->members != NULL ? box->members[0] : 0];
}

// A time that an algorithm surely takes: the messages that a chip sends or takes one
// after another, and their bytes over as many links as they can use.
static double floor_of(const collective_planner_t *planner,
                       const collective_group_t *group, collective_algorithm_t algorithm,
                       const chip_spec_t *spec) {
  const chip_op_t op = planner->request->op;
  const double others = group->size - 1;
  const double passes = op == CHIP_OP_ALL_REDUCE ? 2 : 1;
  const double hop_ps = (double)spec->ici_hop_ps;
  const double block_ps = (double)(planner->block_elements * planner->element_bytes) *
                          1e12 / spec->ici_bytes_per_s;
  switch (algorithm) {
    case COLLECTIVE_RING:
    case COLLECTIVE_LINE:
      return hop_ps * (op == CHIP_OP_ALL_TO_ALL ? others / 2 : passes * others);
    case COLLECTIVE_DIRECT:
      return hop_ps * others / COLLECTIVE_DIRECT_LANES +
             block_ps * others / TORUS_DIRECTIONS;
    case COLLECTIVE_TREE:
      return block_ps * (op == CHIP_OP_ALL_REDUCE ? 1 : others);
    default:
      return 0;
  }
}

static bool is_candidate(collective_planner_t *planner, collective_group_t *group,
                         collective_algorithm_t algorithm) {
  if (algorithm == COLLECTIVE_TORUS) {
    return group->box.axis_count > 1;
  }
  if (algorithm == COLLECTIVE_RING || algorithm == COLLECTIVE_LINE) {
    collective_group_need_order(planner, group);
    // Where there is no way round, a ring would double the load of the links.
    const bool is_line = group->order.is_physical && !group->order.closes;
    return is_line == (algorithm == COLLECTIVE_LINE);
  }
  return true;
}

// Along a line of n chips the buckets of an all_to_all wait for the long ones of the
// chips behind: n (n - 1) / 2 chunks one after another, where the chip at the end sees n
// - 1.
static double bubbles_of(const collective_planner_t *planner,
                         const collective_group_t *group,
                         collective_algorithm_t algorithm) {
  double factor = 1;
  if (planner->request->op != CHIP_OP_ALL_TO_ALL || algorithm == COLLECTIVE_DIRECT) {
    return factor;
  }
  if (algorithm == COLLECTIVE_LINE) {
    return group->size / 2.0;
  }
  for (int32_t i = 0; i < group->box.axis_count && algorithm == COLLECTIVE_TORUS; i++) {
    const collective_axis_t *axis = &group->box.axes[i];
    const double waits = axis->kind == COLLECTIVE_AXIS_LINE ? axis->size / 2.0 : 1;
    factor = waits > factor ? waits : factor;
  }
  return factor;
}

// Infinite when it does not fit.
static double price_of(collective_planner_t *planner, collective_group_t *group,
                       collective_algorithm_t algorithm, const chip_spec_t *spec) {
  const int32_t chip = canonical_chip(group);
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  const pod_status_t status =
      collective_plan_by(planner, group, chip, algorithm, false, arena, &schedule);
  double price = INFINITY;
  if (status == NULL) {
    price = (double)collective_estimate_ps(&schedule, &planner->torus, spec, chip);
    price *= bubbles_of(planner, group, algorithm);
    if (schedule.reorder_count > 0) {
      const double startup_ps = (double)spec->collective_startup_ps;
      price = startup_ps + (price - startup_ps) * REORDER_PENALTY;
    }
  }
  pod_status_free(status);
  pod_arena_destroy(arena);
  return price;
}

collective_algorithm_t collective_choose(collective_planner_t *planner,
                                         collective_group_t *group) {
  // Those with few steps first: what they take rules out walking the others.
  static const collective_algorithm_t candidates[] = {COLLECTIVE_TORUS, COLLECTIVE_TREE,
                                                      COLLECTIVE_RING, COLLECTIVE_LINE,
                                                      COLLECTIVE_DIRECT};
  const chip_spec_t *spec = planner->request->spec;
  if (group->size == 1 || planner->block_elements == 0) {
    return COLLECTIVE_DIRECT;
  }
  spec = spec != NULL ? spec : chip_spec_find("v5e");
  POD_CHECK(spec != NULL);
  collective_algorithm_t best = COLLECTIVE_DIRECT;
  double best_ps = INFINITY;
  for (size_t i = 0; i < POD_COUNT_OF(candidates); i++) {
    const double floor_ps = floor_of(planner, group, candidates[i], spec);
    if (floor_ps >= best_ps || !is_candidate(planner, group, candidates[i])) {
      continue;
    }
    const double ps = price_of(planner, group, candidates[i], spec);
    if (ps < best_ps) {
      best = candidates[i];
      best_ps = ps;
    }
  }
  return best;
}
