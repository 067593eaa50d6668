// Two levels for groups that lie on several tori: within each torus over its own links,
// and between chips at the same place of all of them over what joins these. Where the
// tori are slices, the data-centre network carries as little as it can, as all chips of a
// slice share the work of crossing it (Cho et al. 2019, "BlueConnect: decomposing
// all-reduce for deep learning on heterogeneous network hierarchy"):
//
//   all_reduce       reduce_scatter inside, all_reduce across, all_gather inside
//   all_gather       across, then inside
//   reduce_scatter   inside, then across
//   all_to_all       inside to the place of the receiver, then across
//
// Where both cores of a chip take part, inside is the die and across is the torus. A
// group of both is taken apart twice: what goes on at a level is planned like any other
// collective, for groups of its own.

#include <stdlib.h>

#include "server/collective/algorithm.h"

enum { STAGES_MAX = 3 };

typedef struct stage_t {
  collective_request_t request;
  collective_planner_t *planner;
} stage_t;

struct collective_levels_t {
  int32_t parts, ranks;  // 0: the groups are not that regular.
  int32_t *places;       // Of a slot of the request's groups: part · ranks + rank.
  int32_t *members;      // Of a group: rank · parts + part → member.
  int64_t *inner, *outer;
  int64_t padded_elements;  // all_reduce: a multiple of the ranks.
  stage_t stages[STAGES_MAX];
};

// --- How groups lie ---

// Chips of a part are alike when they have the same rank.
static int32_t part_size(const torus_t *torus, const int64_t *chips, int32_t size) {
  for (int32_t i = 1; i < size; i++) {
    if (torus_slice_of(torus, (int32_t)chips[i]) !=
        torus_slice_of(torus, (int32_t)chips[0])) {
      return torus_slice_chip_count(torus);
    }
  }
  return torus_core_total(torus);
}

typedef struct sorted_t {
  int64_t chip;
  int32_t member;
} sorted_t;

static int compare_chips(const void *a, const void *b) {
  const int64_t x = ((const sorted_t *)a)->chip;
  const int64_t y = ((const sorted_t *)b)->chip;
  return (x > y) - (x < y);
}

// Sorted by chip they are so by part, and by rank within each. False when the parts are
// not alike, or when there is but one, or one chip in each.
static bool is_regular(const sorted_t *sorted, int32_t size, int64_t part,
                       int32_t *out_ranks) {
  int32_t ranks = 1;
  while (ranks < size && sorted[ranks].chip / part == sorted[0].chip / part) {
    ranks++;
  }
  if (ranks == 1 || ranks == size || size % ranks != 0) {
    return false;
  }
  for (int32_t i = 0; i < size; i++) {
    const int32_t first = i - i % ranks;
    if (sorted[i].chip % part != sorted[i % ranks].chip % part ||
        sorted[i].chip / part != sorted[first].chip / part) {
      return false;
    }
  }
  *out_ranks = ranks;
  return true;
}

static bool find_group(collective_planner_t *planner, collective_levels_t *levels,
                       int32_t g, sorted_t *sorted) {
  const int32_t size = planner->request->group_size;
  const int64_t *chips = planner->request->groups + (int64_t)g * size;
  for (int32_t i = 0; i < size; i++) {
    sorted[i] = (sorted_t){chips[i], i};
  }
  qsort(sorted, (size_t)size, sizeof(*sorted), compare_chips);
  int32_t ranks = 0;
  if (!is_regular(sorted, size, part_size(&planner->torus, chips, size), &ranks) ||
      (levels->ranks != 0 && levels->ranks != ranks)) {
    return false;
  }
  levels->ranks = ranks;
  levels->parts = size / ranks;
  const int64_t base = (int64_t)g * size;
  for (int32_t i = 0; i < size; i++) {
    const int32_t across = i % ranks * levels->parts + i / ranks;
    levels->places[base + sorted[i].member] = i;
    levels->members[base + across] = sorted[i].member;
    levels->inner[base + i] = sorted[i].chip;
    levels->outer[base + across] = sorted[i].chip;
  }
  return true;
}

static bool find_groups(collective_planner_t *planner, collective_levels_t *levels) {
  const collective_request_t *request = planner->request;
  pod_arena_t *arena = planner->arena;
  const size_t slots = (size_t)request->group_count * (size_t)request->group_size;
  levels->places = pod_arena_array(arena, slots, sizeof(*levels->places));
  levels->members = pod_arena_array(arena, slots, sizeof(*levels->members));
  levels->inner = pod_arena_array(arena, slots, sizeof(*levels->inner));
  levels->outer = pod_arena_array(arena, slots, sizeof(*levels->outer));
  sorted_t *sorted = pod_arena_array(arena, (size_t)request->group_size, sizeof(*sorted));
  for (int32_t g = 0; g < request->group_count; g++) {
    if (!find_group(planner, levels, g, sorted)) {
      return false;
    }
  }
  return true;
}

// --- The stages ---

static pod_status_t make_stage(collective_planner_t *planner, collective_levels_t *levels,
                               int stage, bool is_inner, chip_op_t op, int64_t elements) {
  const collective_request_t *whole = planner->request;
  const int32_t size = is_inner ? levels->ranks : levels->parts;
  stage_t *made = &levels->stages[stage];
  made->request = (collective_request_t){
      .op = op,
      .reducer = whole->reducer,
      .dtype = whole->dtype,
      .element_count = elements,
      .group_count = whole->group_count * (whole->group_size / size),
      .group_size = size,
      .groups = is_inner ? levels->inner : levels->outer,
      .spec = whole->spec};
  return collective_planner_create(&made->request, &planner->torus, planner->arena,
                                   &made->planner);
}

static pod_status_t make_stages(collective_planner_t *planner,
                                collective_levels_t *levels) {
  const int64_t block = planner->block_elements;
  const int64_t ranks = levels->ranks, parts = levels->parts;
  const chip_op_t op = planner->request->op;
  switch (op) {
    case CHIP_OP_ALL_REDUCE:
      levels->padded_elements = (block + ranks - 1) / ranks * ranks;
      POD_TRY(make_stage(planner, levels, 0, true, CHIP_OP_REDUCE_SCATTER,
                         levels->padded_elements));
      POD_TRY(make_stage(planner, levels, 1, false, op, levels->padded_elements / ranks));
      return make_stage(planner, levels, 2, true, CHIP_OP_ALL_GATHER,
                        levels->padded_elements / ranks);
    case CHIP_OP_ALL_GATHER:
      POD_TRY(make_stage(planner, levels, 0, false, op, block));
      return make_stage(planner, levels, 1, true, op, parts * block);
    default:
      POD_TRY(make_stage(planner, levels, 0, true, op, ranks * parts * block));
      return make_stage(planner, levels, 1, false, op,
                        op == CHIP_OP_ALL_TO_ALL ? ranks * parts * block : parts * block);
  }
}

pod_status_t collective_planner_need_levels(collective_planner_t *planner) {
  const torus_t *torus = &planner->torus;
  if (planner->levels != NULL ||
      (torus_slice_total(torus) == 1 && torus_core_total(torus) == 1)) {
    return NULL;
  }
  planner->levels = pod_arena_alloc(planner->arena, sizeof(*planner->levels));
  *planner->levels = (collective_levels_t){0};
  if (!find_groups(planner, planner->levels)) {
    planner->levels->ranks = 0;
    return NULL;
  }
  return make_stages(planner, planner->levels);
}

// --- A chip's schedule ---

typedef struct splice_t {
  const collective_plan_t *plan;
  collective_levels_t *levels;
  pod_arena_t *arena;  // Of the stages' schedules.
  int32_t after;       // What the next lanes wait for.
} splice_t;

// A region of scratch for so many elements.
static collective_region_t scratch(const splice_t *splice, int64_t elements) {
  const int64_t bytes = elements * splice->plan->element_bytes;
  return (collective_region_t){
      .buffer = COLLECTIVE_SCRATCH,
      .offset = collective_add_scratch(splice->plan->builder, bytes),
      .size_bytes = bytes};
}

static collective_region_t whole(const splice_t *splice, collective_buffer_t buffer,
                                 int64_t elements) {
  return collective_region(splice->plan, buffer, 0, elements);
}

typedef struct places_t {
  collective_region_t of[3];  // By buffer of the stage.
} places_t;

static void place(const places_t *places, uint8_t *inout_buffer, int64_t *inout_offset) {
  const collective_region_t *to = &places->of[*inout_buffer];
  *inout_buffer = (uint8_t)to->buffer;
  *inout_offset += to->offset;
}

static void add_steps(splice_t *splice, const collective_schedule_t *schedule,
                      const collective_lane_t *lane, const places_t *places,
                      int32_t first_reorder) {
  collective_builder_t *builder = splice->plan->builder;
  for (int32_t i = 0; i < lane->step_count; i++) {
    collective_step_t step = schedule->steps[lane->first_step + i];
    place(places, &step.source_buffer, &step.source_offset);
    place(places, &step.target_buffer, &step.target_offset);
    if (step.kind == COLLECTIVE_REORDER) {
      step.with_offset += first_reorder;
    } else {
      place(places, &step.with_buffer, &step.with_offset);
    }
    *pod_list_add(&builder->steps) = step;
    builder->lanes[builder->lane_count - 1].step_count++;
  }
}

// Ends with a lane that waits for all lanes from `first` on that none of them waits for.
static void join_ends(splice_t *splice, int32_t first) {
  collective_builder_t *builder = splice->plan->builder;
  bool is_waited_for[COLLECTIVE_LANES_MAX] = {false};
  const int32_t end = builder->lane_count;
  for (int32_t i = first; i < end; i++) {
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const int32_t after = builder->lanes[i].after[a];
      if (after != COLLECTIVE_NONE) {
        is_waited_for[after] = true;
      }
    }
  }
  splice->after = COLLECTIVE_NONE;
  for (int32_t i = first; i < end; i++) {
    if (!is_waited_for[i]) {
      splice->after = splice->after == COLLECTIVE_NONE
                          ? i
                          : collective_add_lane(builder, splice->after, i);
    }
  }
}

// The stage's schedule behind what is there, from a region to another.
static pod_status_t add_stage(splice_t *splice, int stage, collective_region_t from,
                              collective_region_t to) {
  collective_builder_t *builder = splice->plan->builder;
  collective_schedule_t schedule;
  POD_TRY(collective_planner_plan(splice->levels->stages[stage].planner,
                                  splice->plan->chip, splice->arena, &schedule));
  // Every lane may need one that waits for it.
  if (builder->lane_count + 2 * schedule.lane_count > COLLECTIVE_LANES_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "%s over two levels needs more than %d lanes",
                     chip_op_name(splice->plan->request->op), COLLECTIVE_LANES_MAX);
  }
  const int32_t first = builder->lane_count;
  const int32_t first_reorder = builder->reorders.count;
  places_t places = {.of = {from, to}};
  places.of[COLLECTIVE_SCRATCH] = (collective_region_t){
      .buffer = COLLECTIVE_SCRATCH,
      .offset = collective_add_scratch(builder, schedule.scratch_bytes)};
  for (int32_t i = 0; i < schedule.reorder_count; i++) {
    *pod_list_add(&builder->reorders) = schedule.reorders[i];
  }
  for (int32_t i = 0; i < schedule.lane_count; i++) {
    const collective_lane_t *lane = &schedule.lanes[i];
    int32_t after[COLLECTIVE_AFTER_MAX] = {splice->after, COLLECTIVE_NONE};
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      after[a] = lane->after[a] == COLLECTIVE_NONE ? after[a] : first + lane->after[a];
    }
    collective_add_lane(builder, after[0], after[1]);
    add_steps(splice, &schedule, lane, &places, first_reorder);
  }
  join_ends(splice, first);
  return NULL;
}

static void open_lane(splice_t *splice) {
  splice->after =
      collective_add_lane(splice->plan->builder, splice->after, COLLECTIVE_NONE);
}

// Blocks in the order rank · parts + part (the group's, by `members`) or, transposed,
// part · ranks + rank, as one run.
static collective_reorder_t reorder(const splice_t *splice, bool is_by_part,
                                    bool is_of_group, bool unpacks) {
  const collective_levels_t *levels = splice->levels;
  const collective_plan_t *plan = splice->plan;
  const int64_t bytes = plan->block_elements * plan->element_bytes;
  const int64_t group = plan->group->chips - plan->request->groups;
  const int32_t parts = levels->parts, ranks = levels->ranks;
  collective_reorder_t made = {.members = is_of_group ? levels->members + group : NULL,
                               .block_bytes = bytes,
                               .piece_bytes = bytes,
                               .unpacks = unpacks};
  made.count[0] = is_by_part ? parts : ranks;
  made.count[1] = is_by_part ? ranks : parts;
  made.count[2] = 1;
  made.stride[0] = is_by_part ? 1 : parts;
  made.stride[1] = is_by_part ? parts : 1;
  return made;
}

static void add_reorder(splice_t *splice, collective_region_t target,
                        collective_region_t source, collective_reorder_t by) {
  open_lane(splice);
  collective_add_reorder(splice->plan->builder, target, source, &by);
}

static pod_status_t all_reduce(splice_t *splice) {
  const collective_plan_t *plan = splice->plan;
  const int64_t elements = plan->block_elements;
  const int64_t padded = splice->levels->padded_elements;
  collective_region_t from = whole(splice, COLLECTIVE_INPUT, elements);
  collective_region_t to = whole(splice, COLLECTIVE_OUTPUT, elements);
  if (padded != elements) {
    open_lane(splice);
    const collective_region_t operand = from;
    from = to = scratch(splice, padded);
    collective_region_t run = from;
    run.size_bytes = operand.size_bytes;
    collective_add_copy(plan->builder, run, operand);
    run.offset += run.size_bytes;
    run.size_bytes = from.size_bytes - operand.size_bytes;
    collective_add_zero(plan->builder, run);
  }
  const collective_region_t own = scratch(splice, padded / splice->levels->ranks);
  POD_TRY(add_stage(splice, 0, from, own));
  POD_TRY(add_stage(splice, 1, own, own));
  POD_TRY(add_stage(splice, 2, own, to));
  if (padded != elements) {
    open_lane(splice);
    to.size_bytes = elements * plan->element_bytes;
    collective_add_copy(plan->builder, whole(splice, COLLECTIVE_OUTPUT, elements), to);
  }
  return NULL;
}

static pod_status_t all_gather(splice_t *splice) {
  const int64_t block = splice->plan->block_elements;
  const int64_t all = block * splice->plan->group->size;
  const collective_region_t gathered = scratch(splice, block * splice->levels->parts);
  const collective_region_t ordered = scratch(splice, all);
  POD_TRY(add_stage(splice, 0, whole(splice, COLLECTIVE_INPUT, block), gathered));
  POD_TRY(add_stage(splice, 1, gathered, ordered));
  add_reorder(splice, whole(splice, COLLECTIVE_OUTPUT, all), ordered,
              reorder(splice, false, true, true));
  return NULL;
}

static pod_status_t reduce_scatter(splice_t *splice) {
  const int64_t block = splice->plan->block_elements;
  const int64_t all = block * splice->plan->group->size;
  const collective_region_t ordered = scratch(splice, all);
  const collective_region_t sums = scratch(splice, block * splice->levels->parts);
  add_reorder(splice, ordered, whole(splice, COLLECTIVE_INPUT, all),
              reorder(splice, false, true, false));
  POD_TRY(add_stage(splice, 0, ordered, sums));
  return add_stage(splice, 1, sums, whole(splice, COLLECTIVE_OUTPUT, block));
}

static pod_status_t all_to_all(splice_t *splice) {
  const int64_t all = splice->plan->block_elements * splice->plan->group->size;
  const collective_region_t a = scratch(splice, all);
  const collective_region_t b = scratch(splice, all);
  add_reorder(splice, a, whole(splice, COLLECTIVE_INPUT, all),
              reorder(splice, false, true, false));
  POD_TRY(add_stage(splice, 0, a, b));
  add_reorder(splice, a, b, reorder(splice, true, false, false));
  POD_TRY(add_stage(splice, 1, a, b));
  add_reorder(splice, whole(splice, COLLECTIVE_OUTPUT, all), b,
              reorder(splice, true, true, true));
  return NULL;
}

static pod_status_t plan_levels(const collective_plan_t *plan) {
  collective_levels_t *levels = plan->levels;
  if (levels == NULL || levels->ranks == 0) {
    return pod_error(POD_UNIMPLEMENTED,
                     "%s: a group that is not the same places of several slices, or both "
                     "cores of its chips, has no two levels",
                     chip_op_name(plan->request->op));
  }
  splice_t splice = {.plan = plan,
                     .levels = levels,
                     .arena = pod_arena_create(),
                     .after = COLLECTIVE_NONE};
  pod_status_t status;
  switch (plan->request->op) {
    case CHIP_OP_ALL_REDUCE:
      status = all_reduce(&splice);
      break;
    case CHIP_OP_ALL_GATHER:
      status = all_gather(&splice);
      break;
    case CHIP_OP_REDUCE_SCATTER:
      status = reduce_scatter(&splice);
      break;
    default:
      status = all_to_all(&splice);
  }
  pod_arena_destroy(splice.arena);
  return status;
}

static bool is_candidate(const collective_question_t *question) {
  const collective_levels_t *levels = question->planner->levels;
  return levels != NULL && levels->ranks > 0;
}

const collective_algorithm_row_t collective_levels_row = {
    .plan = plan_levels,
    .needs_box = true,
    .is_candidate = is_candidate,
};
