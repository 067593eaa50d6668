// The planner: looks a request through once for all chips, then writes the schedule of
// one chip after another. A group is known, its box found and its algorithm chosen, when
// the first of its chips is planned.

#include "server/collective/plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/collective/algorithm.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

static int32_t *chip_map(const collective_planner_t *planner) {
  const int32_t chips = torus_chip_count(&planner->torus);
  int32_t *map = pod_arena_array(planner->arena, (size_t)chips, sizeof(*map));
  for (int32_t i = 0; i < chips; i++) {
    map[i] = COLLECTIVE_NONE;
  }
  return map;
}

static pod_status_t set_once(int32_t *map, int64_t chip, int64_t value,
                             const char *complaint) {
  if (map[chip] != COLLECTIVE_NONE) {
    return BAD("chip %d is %s", (int)chip, complaint);
  }
  map[chip] = (int32_t)value;
  return NULL;
}

static pod_status_t map_pairs(collective_planner_t *planner) {
  const collective_request_t *request = planner->request;
  planner->sources = chip_map(planner);
  planner->targets = chip_map(planner);
  for (int64_t i = 0; i < request->pair_count; i++) {
    const int64_t source = request->pairs[2 * i];
    const int64_t target = request->pairs[2 * i + 1];
    POD_TRY(set_once(planner->targets, source, target, "the source of two pairs"));
    POD_TRY(set_once(planner->sources, target, source, "the target of two pairs"));
  }
  return NULL;
}

static pod_status_t map_groups(collective_planner_t *planner) {
  const collective_request_t *request = planner->request;
  const int32_t size = request->group_size;
  planner->slots = chip_map(planner);
  for (int64_t i = 0; i < (int64_t)request->group_count * size; i++) {
    POD_TRY(set_once(planner->slots, request->groups[i], i, "twice in the groups"));
  }
  planner->groups = pod_arena_array(planner->arena, (size_t)request->group_count,
                                    sizeof(*planner->groups));
  for (int32_t i = 0; i < request->group_count; i++) {
    planner->groups[i] =
        (collective_group_t){.size = size, .chips = request->groups + (int64_t)i * size};
  }
  return NULL;
}

// --- Sums whose order is seen ---

static bool has_order_of_sums(const collective_request_t *request) {
  const bool is_reduction =
      request->op == CHIP_OP_ALL_REDUCE || request->op == CHIP_OP_REDUCE_SCATTER;
  const bool is_rounded =
      tensor_dtype_is_float(request->dtype) || tensor_dtype_is_complex(request->dtype);
  return is_reduction && is_rounded && request->group_size > 2 &&
         request->reducer != CHIP_REDUCER_MAXIMUM &&
         request->reducer != CHIP_REDUCER_MINIMUM;
}

// Whether the group lies as the first one, some places away, without going round an axis.
static bool lies_as_first(const collective_planner_t *planner, int32_t group) {
  const int64_t *first = planner->groups[0].chips;
  const int64_t *chips = planner->groups[group].chips;
  torus_coords_t way = {.at = {0}};
  for (int32_t i = 0; i < planner->request->group_size; i++) {
    const torus_coords_t from = torus_coords(&planner->torus, (int32_t)first[i]);
    torus_coords_t to = torus_coords(&planner->torus, (int32_t)chips[i]);
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      to.at[d] -= from.at[d];
    }
    to.slice -= from.slice;
    to.core -= from.core;
    if (i == 0) {
      way = to;
    }
    if (memcmp(to.at, way.at, sizeof(to.at)) != 0 || to.slice != way.slice ||
        to.core != way.core) {
      return false;
    }
  }
  return true;
}

// A group that lies otherwise on the torus would go another way and add in another order:
// what the groups have alike would differ in its last bits from one to the other.
static bool adds_by_members(const collective_planner_t *planner) {
  const collective_request_t *request = planner->request;
  if (!has_order_of_sums(request) ||
      (request->algorithm != COLLECTIVE_AUTO &&
       collective_algorithm_row(request->algorithm)->needs_box)) {
    return false;
  }
  for (int32_t i = 1; i < request->group_count; i++) {
    if (!lies_as_first(planner, i)) {
      return true;
    }
  }
  return false;
}

pod_status_t collective_planner_create(const collective_request_t *request,
                                       const torus_t *torus, pod_arena_t *arena,
                                       collective_planner_t **out_planner) {
  POD_TRY(collective_request_check(request, torus));
  const bool is_permute = request->op == CHIP_OP_COLLECTIVE_PERMUTE;
  collective_planner_t *planner = pod_arena_alloc(arena, sizeof(*planner));
  *planner = (collective_planner_t){
      .request = request,
      .torus = *torus,
      .element_bytes = (int64_t)tensor_dtype_bytes(request->dtype),
      .block_elements = collective_has_blocks_in_input(request->op)
                            ? request->element_count / request->group_size
                            : request->element_count,
      .arena = arena};
  POD_TRY(is_permute ? map_pairs(planner) : map_groups(planner));
  planner->by_members = !is_permute && adds_by_members(planner);
  *out_planner = planner;
  return NULL;
}

bool collective_planner_has(const collective_planner_t *planner, int32_t chip) {
  return planner->slots == NULL || planner->slots[chip] != COLLECTIVE_NONE;
}

bool collective_planner_has_alike_groups(const collective_planner_t *planner) {
  const collective_request_t *request = planner->request;
  const int32_t size = request->group_size;
  for (int32_t i = 1; planner->slots != NULL && i < request->group_count; i++) {
    if (!torus_is_moved(&planner->torus, request->groups,
                        request->groups + (int64_t)i * size, size)) {
      return false;
    }
  }
  return planner->slots != NULL;
}

// Neighbours need not be neighbours on the torus.
static collective_order_t order_of_members(const collective_planner_t *planner,
                                           int32_t size) {
  int32_t *order = pod_arena_array(planner->arena, (size_t)size, sizeof(*order));
  for (int32_t i = 0; i < size; i++) {
    order[i] = i;
  }
  return (collective_order_t){.order = order};
}

void collective_group_need_order(collective_planner_t *planner,
                                 collective_group_t *group) {
  if (group->order.order != NULL) {
    return;
  }
  group->order = planner->by_members
                     ? order_of_members(planner, group->size)
                     : collective_order_find(&planner->torus, group->chips, group->size,
                                             planner->arena);
  group->positions =
      pod_arena_array(planner->arena, (size_t)group->size, sizeof(*group->positions));
  for (int32_t i = 0; i < group->size; i++) {
    group->positions[group->order.order[i]] = i;
  }
}

static void know_group(collective_planner_t *planner, collective_group_t *group);

// Groups that are the same but for where they lie take the same algorithm, and most are
// like the first.
static collective_algorithm_t choose(collective_planner_t *planner,
                                     collective_group_t *group) {
  collective_group_t *first = &planner->groups[0];
  if (group == first ||
      (!planner->by_members &&
       !torus_is_moved(&planner->torus, first->chips, group->chips, group->size))) {
    return collective_choose(planner, group);
  }
  know_group(planner, first);
  return first->algorithm;
}

// Box and algorithm; the order if the algorithm follows it.
static void know_group(collective_planner_t *planner, collective_group_t *group) {
  if (group->is_known) {
    return;
  }
  group->box = planner->by_members ? (collective_box_t){.axis_count = 0}
                                   : collective_box_find(&planner->torus, group->chips,
                                                         group->size, planner->arena);
  group->algorithm = planner->request->algorithm == COLLECTIVE_AUTO
                         ? choose(planner, group)
                         : planner->request->algorithm;
  if (collective_algorithm_row(group->algorithm)->needs_order) {
    collective_group_need_order(planner, group);
  }
  group->is_known = true;
}

// A group of one: the result is the operand.
static pod_status_t plan_alone(const collective_plan_t *plan) {
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  collective_add_copy(plan->builder,
                      collective_region(plan, COLLECTIVE_OUTPUT, 0, plan->block_elements),
                      collective_region(plan, COLLECTIVE_INPUT, 0, plan->block_elements));
  return NULL;
}

static pod_status_t run_algorithm(const collective_plan_t *plan,
                                  collective_algorithm_t algorithm) {
  if (plan->group->size == 1 && plan->request->op != CHIP_OP_COLLECTIVE_PERMUTE) {
    return plan_alone(plan);
  }
  return plan->block_elements == 0 ? NULL
                                   : collective_algorithm_row(algorithm)->plan(plan);
}

// What was built; copied when there is an arena.
static void finish(const collective_plan_t *plan, collective_algorithm_t algorithm,
                   pod_arena_t *arena, collective_schedule_t *out_schedule) {
  const collective_builder_t *builder = plan->builder;
  const collective_request_t *request = plan->request;
  const int64_t input = request->element_count * plan->element_bytes;
  const int64_t size = plan->group->size;
  int64_t output = input;
  if (request->op == CHIP_OP_ALL_GATHER) {
    output = input * size;
  } else if (request->op == CHIP_OP_REDUCE_SCATTER) {
    output = input / size;
  }
  *out_schedule = (collective_schedule_t){
      .algorithm = algorithm,
      .reducer = request->reducer,
      .dtype = request->dtype,
      .input_bytes = input,
      .output_bytes = output,
      .scratch_bytes = builder->scratch_bytes,
      .lane_count = builder->lane_count,
      .step_count = builder->steps.count,
      .reorder_count = builder->reorders.count,
      .lanes = builder->lanes,
      .steps = builder->steps.items,
      .reorders = builder->reorders.items,
      .claims = builder->claims,
  };
  out_schedule->claims.exclusive_links &= !plan->cuts;
  if (arena == NULL) {
    return;
  }
  out_schedule->lanes = pod_arena_copy(
      arena, builder->lanes, (size_t)builder->lane_count * sizeof(*builder->lanes));
  out_schedule->steps =
      pod_arena_copy(arena, builder->steps.items,
                     (size_t)builder->steps.count * sizeof(*builder->steps.items));
  out_schedule->reorders =
      pod_arena_copy(arena, builder->reorders.items,
                     (size_t)builder->reorders.count * sizeof(*builder->reorders.items));
}

pod_status_t collective_plan_by(collective_planner_t *planner, collective_group_t *group,
                                int32_t chip, collective_algorithm_t algorithm, bool cuts,
                                pod_arena_t *arena, collective_schedule_t *out_schedule) {
  collective_lane_t lanes[COLLECTIVE_LANES_MAX];
  collective_room_t *room = arena == NULL ? planner->room : NULL;
  collective_builder_t builder = {.lanes = lanes};
  if (room != NULL) {
    pod_list_clear(&room->steps);
    pod_list_clear(&room->reorders);
    builder = (collective_builder_t){
        .lanes = room->lanes, .steps = room->steps, .reorders = room->reorders};
  }
  collective_plan_t plan = {.request = planner->request,
                            .torus = &planner->torus,
                            .group = group,
                            .levels = planner->levels,
                            .chip = chip,
                            .source = COLLECTIVE_NONE,
                            .target = COLLECTIVE_NONE,
                            .cuts = cuts,
                            .element_bytes = planner->element_bytes,
                            .block_elements = planner->block_elements,
                            .builder = &builder};
  if (planner->slots == NULL) {
    plan.source = planner->sources[chip];
    plan.target = planner->targets[chip];
  } else {
    plan.me = planner->slots[chip] % group->size;
    plan.position = group->positions != NULL ? group->positions[plan.me] : 0;
  }
  const pod_status_t status = run_algorithm(&plan, algorithm);
  if (status == NULL) {
    finish(&plan, algorithm, arena, out_schedule);
  }
  if (room != NULL) {
    room->steps = builder.steps;
    room->reorders = builder.reorders;
  } else {
    pod_list_deinit(&builder.steps);
    pod_list_deinit(&builder.reorders);
  }
  return status;
}

// Everyone of a permute is alone with the pairs.
static pod_status_t plan_permute(collective_planner_t *planner, int32_t chip,
                                 pod_arena_t *arena,
                                 collective_schedule_t *out_schedule) {
  const int64_t self = chip;
  collective_group_t group = {.size = 1, .chips = &self};
  if (planner->request->algorithm != COLLECTIVE_AUTO &&
      planner->request->algorithm != COLLECTIVE_DIRECT) {
    return pod_error(POD_UNIMPLEMENTED, "%s has no %s algorithm",
                     chip_op_name(planner->request->op),
                     collective_algorithm_name(planner->request->algorithm));
  }
  return collective_plan_by(planner, &group, chip, COLLECTIVE_DIRECT, false, arena,
                            out_schedule);
}

pod_status_t collective_planner_plan(collective_planner_t *planner, int32_t chip,
                                     pod_arena_t *arena,
                                     collective_schedule_t *out_schedule) {
  if (chip < 0 || chip >= torus_chip_count(&planner->torus)) {
    return BAD("chip %d of a pod of %d chips", chip, torus_chip_count(&planner->torus));
  }
  if (planner->slots == NULL) {
    return plan_permute(planner, chip, arena, out_schedule);
  }
  if (planner->slots[chip] == COLLECTIVE_NONE) {
    return BAD("chip %d is in no group of the %s", chip,
               chip_op_name(planner->request->op));
  }
  collective_group_t *group =
      &planner->groups[planner->slots[chip] / planner->request->group_size];
  POD_TRY(collective_planner_need_levels(planner));
  know_group(planner, group);
  return collective_plan_by(planner, group, chip, group->algorithm,
                            planner->request->cuts_for_caches, arena, out_schedule);
}

pod_status_t collective_planner_look(collective_planner_t *planner, int32_t chip,
                                     collective_room_t *room,
                                     collective_schedule_t *out_schedule) {
  planner->room = room;
  const pod_status_t status = collective_planner_plan(planner, chip, NULL, out_schedule);
  planner->room = NULL;
  return status;
}

void collective_room_deinit(collective_room_t *room) {
  pod_list_deinit(&room->steps);
  pod_list_deinit(&room->reorders);
  *room = (collective_room_t){0};
}

pod_status_t collective_plan(const collective_request_t *request, const torus_t *torus,
                             int32_t chip, pod_arena_t *arena,
                             collective_schedule_t *out_schedule) {
  collective_planner_t *planner;
  POD_TRY(collective_planner_create(request, torus, arena, &planner));
  return collective_planner_plan(planner, chip, arena, out_schedule);
}
