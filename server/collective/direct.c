// Everyone with everyone, by the torus' routes: one hop of latency after another, for
// all_to_all and for short messages among few chips. In round r a chip sends to the
// member r places on and receives from the member r places back, so that no chip is
// everybody's first.

#include "server/collective/plan.h"

// Rounds that run at the same time.
enum { LANES_MAX = 8 };

static collective_region_t block(const collective_plan_t *plan,
                                 collective_buffer_t buffer, int64_t index) {
  return collective_region(plan, buffer, index * plan->block_elements,
                           plan->block_elements);
}

typedef struct round_t {
  int32_t to, from;  // Members.
  collective_transfer_t step;
} round_t;

static round_t round_of(const collective_plan_t *plan, int32_t r) {
  const int32_t size = plan->group->size;
  round_t round = {.to = (plan->me + r) % size, .from = (plan->me - r + size) % size};
  round.step.tag = r;
  round.step.send_to = (int32_t)plan->group->chips[round.to];
  round.step.receive_from = (int32_t)plan->group->chips[round.from];
  return round;
}

static void all_gather(const collective_plan_t *plan) {
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  for (int32_t r = 1; r < plan->group->size; r++) {
    round_t round = round_of(plan, r);
    round.step.source = block(plan, COLLECTIVE_INPUT, 0);
    round.step.target = block(plan, COLLECTIVE_OUTPUT, round.from);
    collective_add_transfer(plan->builder, &round.step);
  }
  collective_add_copy(plan->builder, block(plan, COLLECTIVE_OUTPUT, plan->me),
                      block(plan, COLLECTIVE_INPUT, 0));
}

static void all_to_all(const collective_plan_t *plan) {
  const int32_t rounds = plan->group->size - 1;
  const int32_t lanes = rounds < LANES_MAX ? rounds : LANES_MAX;
  for (int32_t lane = 0; lane < lanes; lane++) {
    collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
    for (int32_t r = 1 + lane; r <= rounds; r += lanes) {
      round_t round = round_of(plan, r);
      round.step.source = block(plan, COLLECTIVE_INPUT, round.to);
      round.step.target = block(plan, COLLECTIVE_OUTPUT, round.from);
      collective_add_transfer(plan->builder, &round.step);
    }
  }
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  collective_add_copy(plan->builder, block(plan, COLLECTIVE_OUTPUT, plan->me),
                      block(plan, COLLECTIVE_INPUT, plan->me));
}

// Gathers what everybody has for this chip, then adds it up in the order of the group, so
// that all chips add alike. The running sum is in SCRATCH: OUTPUT may be INPUT.
static void reduce(const collective_plan_t *plan) {
  const bool is_scatter = plan->request->op == CHIP_OP_REDUCE_SCATTER;
  const int32_t size = plan->group->size;
  const collective_region_t own =
      block(plan, COLLECTIVE_INPUT, is_scatter ? plan->me : 0);
  collective_region_t inbox = own;
  inbox.buffer = COLLECTIVE_SCRATCH;
  const int64_t first_scratch = collective_add_scratch(plan->builder, own.size_bytes);
  for (int32_t i = 1; i < size; i++) {
    collective_add_scratch(plan->builder, own.size_bytes);
  }
  const int64_t stride = plan->builder->scratch_bytes / size;
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  for (int32_t r = 1; r < size; r++) {
    round_t round = round_of(plan, r);
    round.step.source = is_scatter ? block(plan, COLLECTIVE_INPUT, round.to) : own;
    inbox.offset = first_scratch + round.from * stride;
    round.step.target = inbox;
    collective_add_transfer(plan->builder, &round.step);
  }
  collective_region_t sum = own;
  for (int32_t member = 0; member < size; member++) {
    inbox.offset = first_scratch + member * stride;
    const collective_region_t next = member == plan->me ? own : inbox;
    collective_region_t target = inbox;
    target.offset = first_scratch + plan->me * stride;
    target = member == size - 1 ? block(plan, COLLECTIVE_OUTPUT, 0) : target;
    if (member > 0) {
      collective_add_reduce(plan->builder, target, sum, next);
      sum = target;
    } else {
      sum = next;
    }
  }
}

static void permute(const collective_plan_t *plan) {
  const collective_region_t input = block(plan, COLLECTIVE_INPUT, 0);
  const collective_region_t output = block(plan, COLLECTIVE_OUTPUT, 0);
  const collective_transfer_t step = {.send_to = plan->target,
                                      .receive_from = plan->source,
                                      .source = input,
                                      .target = output};
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  if (plan->target == plan->chip) {
    collective_add_copy(plan->builder, output, input);
    return;
  }
  if (plan->source == COLLECTIVE_NONE) {
    collective_add_zero(plan->builder, output);
  }
  collective_add_transfer(plan->builder, &step);
}

pod_status_t collective_plan_direct(const collective_plan_t *plan) {
  switch (plan->request->op) {
    case CHIP_OP_ALL_GATHER:
      all_gather(plan);
      return NULL;
    case CHIP_OP_ALL_TO_ALL:
      all_to_all(plan);
      return NULL;
    case CHIP_OP_COLLECTIVE_PERMUTE:
      permute(plan);
      return NULL;
    default:
      reduce(plan);
      return NULL;
  }
}
