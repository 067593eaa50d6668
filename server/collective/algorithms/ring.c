// The ring algorithms (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations"), in both directions at once with the data split between
// them, and each direction's share split into segments that follow each other.
//
// In every step a chip sends to the next position what it took in, and finished, in the
// step before. Seen from a direction, position p is the chip's place and "next" is p + 1;
// the other direction numbers the ring backwards.

#include "server/collective/algorithm.h"

// One lane's view.
typedef struct ring_t {
  const collective_plan_t *plan;
  int64_t size, position;
  int32_t next, previous;  // Chips.
  bool is_backward;
  collective_part_t part;   // Of every block: what this lane carries.
  collective_cut_t chunks;  // Of the part, a chunk per position.
  int64_t slots[2];         // Offsets in SCRATCH, in elements.
} ring_t;

static ring_t ring_of(const collective_plan_t *plan, int64_t parts, int64_t part,
                      bool is_backward) {
  const int64_t size = plan->group->size;
  const int64_t at = plan->position;
  const collective_part_t own = collective_split(plan, plan->block_elements, parts, part);
  return (ring_t){.plan = plan,
                  .size = size,
                  .position = is_backward ? size - 1 - at : at,
                  .next = collective_chip_at(plan, is_backward ? at - 1 : at + 1),
                  .previous = collective_chip_at(plan, is_backward ? at + 1 : at - 1),
                  .is_backward = is_backward,
                  .part = own,
                  .chunks = collective_cut(plan, own.count, size)};
}

static int64_t wrapped(const ring_t *ring, int64_t position) {
  position = position < -ring->size || position >= 2 * ring->size ? position % ring->size
                                                                  : position;
  return position < 0 ? position + ring->size
                      : (position >= ring->size ? position - ring->size : position);
}

// all_reduce: chunk `position` of this lane's part of the whole.
static collective_region_t chunk_of(const ring_t *ring, collective_buffer_t buffer,
                                    int64_t position) {
  const collective_part_t chunk =
      collective_cut_at(&ring->chunks, wrapped(ring, position));
  return collective_region(ring->plan, buffer, ring->part.start + chunk.start,
                           chunk.count);
}

// all_gather, reduce_scatter: this lane's part of the block of the member at `position`.
static collective_region_t block_of(const ring_t *ring, collective_buffer_t buffer,
                                    int64_t position) {
  const collective_plan_t *plan = ring->plan;
  const int64_t at = wrapped(ring, position);
  const int32_t member =
      plan->group->order.order[ring->is_backward ? ring->size - 1 - at : at];
  return collective_region(plan, buffer, member * plan->block_elements + ring->part.start,
                           ring->part.count);
}

// The same part of a buffer that holds one block.
static collective_region_t own_part(const ring_t *ring, collective_buffer_t buffer) {
  return collective_region(ring->plan, buffer, ring->part.start, ring->part.count);
}

static collective_transfer_t transfer(const ring_t *ring, int64_t tag,
                                      collective_region_t source,
                                      collective_region_t target) {
  return (collective_transfer_t){.tag = (int32_t)tag,
                                 .send_to = ring->next,
                                 .receive_from = ring->previous,
                                 .source = source,
                                 .target = target};
}

static void all_reduce_lane(const ring_t *ring) {
  collective_builder_t *builder = ring->plan->builder;
  const int64_t rounds = ring->size - 1;
  for (int64_t s = 0; s < rounds; s++) {
    const int64_t outgoing = ring->position - s;
    const collective_region_t with = chunk_of(ring, COLLECTIVE_INPUT, outgoing - 1);
    collective_transfer_t step = transfer(
        ring, s, chunk_of(ring, s == 0 ? COLLECTIVE_INPUT : COLLECTIVE_OUTPUT, outgoing),
        chunk_of(ring, COLLECTIVE_OUTPUT, outgoing - 1));
    step.with = &with;
    collective_add_transfer(builder, &step);
  }
  for (int64_t s = 0; s < rounds; s++) {
    const int64_t outgoing = ring->position + 1 - s;
    const collective_transfer_t step =
        transfer(ring, rounds + s, chunk_of(ring, COLLECTIVE_OUTPUT, outgoing),
                 chunk_of(ring, COLLECTIVE_OUTPUT, outgoing - 1));
    collective_add_transfer(builder, &step);
  }
}

static void all_gather_lane(const ring_t *ring) {
  collective_builder_t *builder = ring->plan->builder;
  for (int64_t s = 0; s < ring->size - 1; s++) {
    const int64_t outgoing = ring->position - s;
    const collective_transfer_t step =
        transfer(ring, s,
                 s == 0 ? own_part(ring, COLLECTIVE_INPUT)
                        : block_of(ring, COLLECTIVE_OUTPUT, outgoing),
                 block_of(ring, COLLECTIVE_OUTPUT, outgoing - 1));
    collective_add_transfer(builder, &step);
    if (s == 0) {
      collective_add_copy(builder, block_of(ring, COLLECTIVE_OUTPUT, ring->position),
                          own_part(ring, COLLECTIVE_INPUT));
    }
  }
}

// The partial sums pass through two slots: one goes out while the next comes in.
static void reduce_scatter_lane(ring_t *ring) {
  const collective_plan_t *plan = ring->plan;
  const int64_t rounds = ring->size - 1;
  collective_region_t slots[2] = {own_part(ring, COLLECTIVE_SCRATCH),
                                  own_part(ring, COLLECTIVE_SCRATCH)};
  for (int i = 0; i < 2 && rounds > i + 1; i++) {
    slots[i].offset = collective_add_scratch(plan->builder, slots[i].size_bytes);
  }
  for (int64_t s = 0; s < rounds; s++) {
    const int64_t outgoing = ring->position - 1 - s;
    const collective_region_t with = block_of(ring, COLLECTIVE_INPUT, outgoing - 1);
    collective_transfer_t step = transfer(
        ring, s, s == 0 ? block_of(ring, COLLECTIVE_INPUT, outgoing) : slots[(s - 1) % 2],
        s == rounds - 1 ? own_part(ring, COLLECTIVE_OUTPUT) : slots[s % 2]);
    step.with = &with;
    collective_add_transfer(plan->builder, &step);
  }
}

static void add_lane(ring_t *ring) {
  collective_add_lane(ring->plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  switch (ring->plan->request->op) {
    case CHIP_OP_ALL_REDUCE:
      all_reduce_lane(ring);
      return;
    case CHIP_OP_ALL_GATHER:
      all_gather_lane(ring);
      return;
    default:
      reduce_scatter_lane(ring);
  }
}

// Where the ring takes every link of the box, or for all_gather and reduce_scatter every
// link of the chip with the fewest.
static collective_claims_t claims_of(const collective_plan_t *plan) {
  const collective_group_t *group = plan->group;
  const collective_links_t links = collective_box_links(&group->box, group->size);
  const bool is_physical = group->order.is_physical && group->order.closes;
  const int64_t used = group->size > 2 ? 2 : 1;
  const bool is_least = plan->request->op == CHIP_OP_ALL_REDUCE
                            ? links.all == used * group->size
                            : links.fewest == used;
  return (collective_claims_t){.optimal_bytes = is_physical && is_least,
                               .exclusive_links = is_physical};
}

static pod_status_t plan_ring(const collective_plan_t *plan) {
  const chip_op_t op = plan->request->op;
  if (op == CHIP_OP_ALL_TO_ALL) {
    const collective_box_t box = collective_box_of_order(
        plan, plan->group->size > 2 ? COLLECTIVE_AXIS_RING : COLLECTIVE_AXIS_PAIR);
    collective_plan_buckets(plan, &box, plan->position);
    plan->builder->claims.optimal_bytes &=
        plan->group->box.axis_count == 1 &&
        (plan->group->box.axes[0].kind == box.axes[0].kind || plan->group->size == 2);
    return NULL;
  }
  // Two chips share one link, whose two directions both lanes of a ring would use alike.
  const int64_t directions = plan->group->size > 2 ? 2 : 1;
  const int64_t chunks = op == CHIP_OP_ALL_REDUCE ? plan->group->size : 1;
  const int64_t segments =
      collective_segments(plan, plan->block_elements, chunks * directions);
  for (int64_t part = 0; part < directions * segments; part++) {
    ring_t ring = ring_of(plan, directions * segments, part, part % directions == 1);
    add_lane(&ring);
  }
  plan->builder->claims = claims_of(plan);
  return NULL;
}

// Where there is no way round, a ring would double the load of the links.
static bool is_candidate(const collective_question_t *question) {
  collective_group_need_order(question->planner, question->group);
  const collective_order_t *order = &question->group->order;
  return !order->is_physical || order->closes;
}

const collective_algorithm_row_t collective_ring_row = {
    .plan = plan_ring,
    .needs_order = true,
    .is_candidate = is_candidate,
    .floor_ps = collective_rounds_ps,
};
