// all_reduce of short arrays on a torus: axis after axis, everyone gets the whole arrays
// of all chips of its ring, half of them from either side, and folds them by itself.
// Round a ring of n that is n/2 hops, where doubling takes n - 1 and rings in pieces take
// 2(n - 1); and all chips do the same. The bytes are n/2 times those of a ring, which
// short arrays do not feel.
//
// The order of the fold is that of the axis and not of the arrival, so that all chips get
// the same bits.

#include "server/collective/algorithm.h"

// One axis of the box, as the chip sees it.
typedef struct ring_t {
  const collective_plan_t *plan;
  const collective_axis_t *axis;
  int32_t at;                 // Own index.
  collective_region_t value;  // What this chip brings.
  int64_t slots;              // Of the others, in SCRATCH, by index.
} ring_t;

static int64_t around(const ring_t *ring, int64_t index) {
  return (index + ring->axis->size) % ring->axis->size;
}

static int32_t chip_at(const ring_t *ring, int64_t index) {
  const collective_axis_t *axis = ring->axis;
  return ring->plan->chip +
         (axis->coordinates[around(ring, index)] - axis->coordinates[ring->at]) *
             axis->chip_stride;
}

static collective_region_t array_of(const ring_t *ring, int64_t index) {
  const int64_t at = around(ring, index);
  collective_region_t array = ring->value;
  if (at != ring->at) {
    array.buffer = COLLECTIVE_SCRATCH;
    array.offset = ring->slots + at * ring->value.size_bytes;
  }
  return array;
}

// Hands on, for some rounds, what came from behind. `step`: 1 along the axis, -1 against.
static int32_t add_direction(const ring_t *ring, int32_t after, int32_t step,
                             int32_t rounds) {
  const int32_t lane = collective_add_lane(ring->plan->builder, after, COLLECTIVE_NONE);
  for (int32_t round = 0; round < rounds; round++) {
    const collective_transfer_t transfer = {
        .tag = round,
        .send_to = chip_at(ring, ring->at + step),
        .receive_from = chip_at(ring, ring->at - step),
        .source = array_of(ring, ring->at - round * step),
        .target = array_of(ring, ring->at - (round + 1) * step)};
    collective_add_transfer(ring->plan->builder, &transfer);
  }
  return lane;
}

// `result` may be where the operand is: it is written when that is needed no more.
static void fold(const ring_t *ring, collective_region_t result) {
  collective_builder_t *builder = ring->plan->builder;
  collective_region_t sum = array_of(ring, 0);
  collective_region_t partial = ring->value;
  if (ring->axis->size > 2) {
    partial.buffer = COLLECTIVE_SCRATCH;
    partial.offset = collective_add_scratch(builder, partial.size_bytes);
  }
  for (int32_t i = 1; i < ring->axis->size; i++) {
    const collective_region_t target = i == ring->axis->size - 1 ? result : partial;
    collective_add_reduce(builder, target, sum, array_of(ring, i));
    sum = target;
  }
}

static bool fits(const collective_group_t *group) {
  for (int32_t i = 0; i < group->box.axis_count; i++) {
    if (group->box.axes[i].kind == COLLECTIVE_AXIS_LINE) {
      return false;
    }
  }
  return group->box.axis_count > 0;
}

static collective_claims_t claims_of(const collective_box_t *box) {
  collective_claims_t claims = {.exclusive_links = true, .alike_chips = true};
  for (int32_t i = 0; i < box->axis_count; i++) {
    claims.exclusive_links &= box->axes[i].hops == 1;
    claims.alike_chips &= box->axes[i].kind == COLLECTIVE_AXIS_RING;
  }
  return claims;
}

static pod_status_t plan_gather(const collective_plan_t *plan) {
  const collective_box_t *box = &plan->group->box;
  if (plan->request->op != CHIP_OP_ALL_REDUCE || !fits(plan->group)) {
    return pod_error(POD_UNIMPLEMENTED,
                     "%s: the gather algorithm is for all_reduce on axes that close",
                     chip_op_name(plan->request->op));
  }
  const torus_coords_t coords = torus_coords(plan->torus, plan->chip);
  collective_region_t value =
      collective_region(plan, COLLECTIVE_INPUT, 0, plan->block_elements);
  const int64_t size_bytes = value.size_bytes;
  int32_t after = COLLECTIVE_NONE;
  for (int32_t i = 0; i < box->axis_count; i++) {
    const collective_axis_t *axis = &box->axes[i];
    const ring_t ring = {
        .plan = plan,
        .axis = axis,
        .at = axis->indices[coords.at[axis->dimension]],
        .value = value,
        .slots = collective_add_scratch(plan->builder, axis->size * size_bytes)};
    const int32_t first = add_direction(&ring, after, 1, axis->size / 2);
    (void)add_direction(&ring, after, -1, (axis->size - 1) / 2);
    after = collective_join(plan->builder, first, 2);
    collective_region_t result = {.buffer = COLLECTIVE_OUTPUT, .size_bytes = size_bytes};
    if (i < box->axis_count - 1) {
      result.buffer = COLLECTIVE_SCRATCH;
      result.offset = collective_add_scratch(plan->builder, size_bytes);
    }
    fold(&ring, result);
    value = result;
  }
  plan->builder->claims = claims_of(box);
  return NULL;
}

static bool is_candidate(const collective_question_t *question) {
  return question->planner->request->op == CHIP_OP_ALL_REDUCE && fits(question->group);
}

// The messages along the axis one after another.
static double floor_ps(const collective_question_t *question) {
  const collective_box_t *box = &question->group->box;
  double rounds = 0;
  for (int32_t i = 0; i < box->axis_count; i++) {
    const int32_t hops = box->axes[i].size / 2;
    rounds += hops;
  }
  return rounds * (collective_block_ps(question) + (double)question->spec->ici_hop_ps);
}

const collective_algorithm_row_t collective_gather_row = {
    .plan = plan_gather,
    .needs_box = true,
    .is_candidate = is_candidate,
    .floor_ps = floor_ps,
};
