// Line algorithms, for groups that have no way round: a mesh axis, a snake through an odd
// block. Blocks travel from their owner to both ends, partial sums from both ends to
// their owner, where left part, own block and right part meet. No link carries more than
// the blocks that must cross it.
//
// A lane goes in one direction; seen from it, position p receives from p - 1 and sends to
// p + 1, and the other direction numbers the line backwards.

#include "server/collective/algorithm.h"

typedef struct line_t {
  const collective_plan_t *plan;
  int64_t size, position;
  int32_t next, previous;  // Chips, or COLLECTIVE_NONE at the ends.
  bool is_backward;
  int64_t parts, part;
} line_t;

static line_t line_of(const collective_plan_t *plan, int64_t parts, int64_t part,
                      bool is_backward) {
  const int64_t size = plan->group->size;
  const int64_t at = plan->position;
  const int64_t position = is_backward ? size - 1 - at : at;
  const int64_t next = is_backward ? at - 1 : at + 1;
  const int64_t previous = is_backward ? at + 1 : at - 1;
  return (line_t){
      .plan = plan,
      .size = size,
      .position = position,
      .next = position < size - 1 ? collective_chip_at(plan, next) : COLLECTIVE_NONE,
      .previous = position > 0 ? collective_chip_at(plan, previous) : COLLECTIVE_NONE,
      .is_backward = is_backward,
      .parts = parts,
      .part = part};
}

// This lane's part of block `position`. all_reduce has chunks for blocks.
static collective_region_t block_of(const line_t *line, collective_buffer_t buffer,
                                    int64_t position) {
  const collective_plan_t *plan = line->plan;
  const int64_t at = line->is_backward ? line->size - 1 - position : position;
  const collective_part_t part =
      collective_split(plan, plan->block_elements, line->parts, line->part);
  if (plan->request->op == CHIP_OP_ALL_REDUCE) {
    const collective_part_t chunk = collective_split(plan, part.count, line->size, at);
    return collective_region(plan, buffer, part.start + chunk.start, chunk.count);
  }
  const int64_t first = plan->group->order.order[at] * plan->block_elements;
  return collective_region(plan, buffer, first + part.start, part.count);
}

static collective_region_t own_part(const line_t *line, collective_buffer_t buffer) {
  if (line->plan->request->op == CHIP_OP_ALL_REDUCE) {
    return block_of(line, buffer, line->position);
  }
  const collective_part_t part =
      collective_split(line->plan, line->plan->block_elements, line->parts, line->part);
  return collective_region(line->plan, buffer, part.start, part.count);
}

// Round t: position p sends block p - t on, which it had at t = 0 or received in round
// t - 1.
static void gather_lane(const line_t *line, collective_buffer_t own, int64_t first_tag) {
  for (int64_t t = 0; t <= line->position; t++) {
    collective_transfer_t step = {.tag = (int32_t)(first_tag + t),
                                  .send_to = line->next,
                                  .receive_from = COLLECTIVE_NONE};
    step.source = t == 0 ? own_part(line, own)
                         : block_of(line, COLLECTIVE_OUTPUT, line->position - t);
    if (t < line->position) {
      step.receive_from = line->previous;
      step.target = block_of(line, COLLECTIVE_OUTPUT, line->position - 1 - t);
    }
    collective_add_transfer(line->plan->builder, &step);
  }
}

// Round t: position p sends on the partial sum of block p + size - 1 - t and receives
// that of the block before it; the last one is its own, which stays in `arrived`, with
// the own block added when `adds_own`.
static void reduce_lane(const line_t *line, collective_region_t arrived, bool adds_own) {
  const int64_t p = line->position;
  collective_region_t largest = block_of(line, COLLECTIVE_SCRATCH, 0);
  for (int64_t i = 1; i < line->size; i++) {
    const int64_t size_bytes = block_of(line, COLLECTIVE_SCRATCH, i).size_bytes;
    largest.size_bytes =
        size_bytes > largest.size_bytes ? size_bytes : largest.size_bytes;
  }
  int64_t slots[2] = {0, 0};
  for (int i = 0; i < 2 && p > 0 && p < line->size - 1; i++) {
    slots[i] = collective_add_scratch(line->plan->builder, largest.size_bytes);
  }
  for (int64_t t = p > 0 ? p - 1 : 0; t < line->size - 1; t++) {
    const int64_t outgoing = p + line->size - 1 - t;
    const int64_t incoming = outgoing - 1;
    collective_transfer_t step = {
        .tag = (int32_t)t, .send_to = COLLECTIVE_NONE, .receive_from = COLLECTIVE_NONE};
    if (outgoing < line->size) {
      step.send_to = line->next;
      step.source =
          block_of(line, p == 0 ? COLLECTIVE_INPUT : COLLECTIVE_SCRATCH, outgoing);
      step.source.offset = p == 0 ? step.source.offset : slots[(t + 1) % 2];
    }
    const collective_region_t with = block_of(line, COLLECTIVE_INPUT, incoming);
    if (p > 0) {
      step.receive_from = line->previous;
      step.target = block_of(line, COLLECTIVE_SCRATCH, incoming);
      step.target.offset = slots[t % 2];
      step.target = incoming == p ? arrived : step.target;
      step.with = incoming == p && !adds_own ? NULL : &with;
    }
    collective_add_transfer(line->plan->builder, &step);
  }
}

// The lanes of one part: sums from the left, sums from the right, and where they meet.
// Returns the last, behind which `result` is complete.
static int32_t reduce_part(const collective_plan_t *plan, int64_t parts, int64_t part,
                           collective_buffer_t result) {
  const line_t right = line_of(plan, parts, part, false);
  const line_t left = line_of(plan, parts, part, true);
  const bool has_left = right.position > 0;
  const bool has_right = left.position > 0;
  collective_region_t from_left = own_part(&right, result);
  if (has_left && has_right) {
    from_left.buffer = COLLECTIVE_SCRATCH;
    from_left.offset = collective_add_scratch(plan->builder, from_left.size_bytes);
  }
  collective_region_t from_right = own_part(&right, result);
  from_right.buffer = COLLECTIVE_SCRATCH;
  if (has_right) {
    from_right.offset = collective_add_scratch(plan->builder, from_right.size_bytes);
  }
  const int32_t first =
      collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  reduce_lane(&right, from_left, true);
  const int32_t second =
      collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  reduce_lane(&left, from_right, false);
  const int32_t meeting = collective_add_lane(plan->builder, first, second);
  if (has_right) {
    const collective_region_t own = block_of(&right, COLLECTIVE_INPUT, right.position);
    collective_add_reduce(plan->builder, own_part(&right, result),
                          has_left ? from_left : own, from_right);
  }
  return meeting;
}

static void all_reduce_part(const collective_plan_t *plan, int64_t parts, int64_t part) {
  const int32_t reduced = reduce_part(plan, parts, part, COLLECTIVE_OUTPUT);
  for (int backward = 0; backward < 2; backward++) {
    const line_t line = line_of(plan, parts, part, backward == 1);
    collective_add_lane(plan->builder, reduced, COLLECTIVE_NONE);
    gather_lane(&line, COLLECTIVE_OUTPUT, 0);
  }
}

static void all_gather_part(const collective_plan_t *plan, int64_t parts, int64_t part) {
  for (int backward = 0; backward < 2; backward++) {
    const line_t line = line_of(plan, parts, part, backward == 1);
    collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
    gather_lane(&line, COLLECTIVE_INPUT, 0);
    if (backward == 0) {
      collective_add_copy(plan->builder,
                          block_of(&line, COLLECTIVE_OUTPUT, line.position),
                          own_part(&line, COLLECTIVE_INPUT));
    }
  }
}

static pod_status_t plan_line(const collective_plan_t *plan) {
  const chip_op_t op = plan->request->op;
  if (op == CHIP_OP_ALL_TO_ALL) {
    const collective_box_t box = collective_box_of_order(plan, COLLECTIVE_AXIS_LINE);
    collective_plan_buckets(plan, &box, plan->position);
    plan->builder->claims.optimal_bytes &=
        plan->group->box.axis_count == 1 &&
        (plan->group->box.axes[0].kind == box.axes[0].kind || plan->group->size == 2);
    return NULL;
  }
  const int64_t chunks = op == CHIP_OP_ALL_REDUCE ? plan->group->size : 1;
  const int64_t parts = collective_segments(plan, plan->block_elements, chunks);
  for (int64_t part = 0; part < parts; part++) {
    switch (op) {
      case CHIP_OP_ALL_REDUCE:
        all_reduce_part(plan, parts, part);
        break;
      case CHIP_OP_ALL_GATHER:
        all_gather_part(plan, parts, part);
        break;
      default:
        reduce_part(plan, parts, part, COLLECTIVE_OUTPUT);
    }
  }
  const collective_links_t links =
      collective_box_links(&plan->group->box, plan->group->size);
  plan->builder->claims = (collective_claims_t){
      .optimal_bytes = links.all == 2 * (int64_t)(plan->group->size - 1),
      .exclusive_links = plan->group->order.is_physical};
  return NULL;
}

static bool is_candidate(const collective_question_t *question) {
  collective_group_need_order(question->planner, question->group);
  const collective_order_t *order = &question->group->order;
  return !order->closes;
}

// Along a line of n chips the buckets of an all_to_all wait for longer ones of the chips
// behind: n (n - 1) / 2 chunks one after another, where the chip at the end sees n - 1.
static double stretch(const collective_group_t *group, chip_op_t op) {
  return op == CHIP_OP_ALL_TO_ALL ? group->size / 2.0 : 1;
}

const collective_algorithm_row_t collective_line_row = {
    .plan = plan_line,
    .needs_order = true,
    .is_candidate = is_candidate,
    .floor_ps = collective_rounds_ps,
    .stretch = stretch,
};
