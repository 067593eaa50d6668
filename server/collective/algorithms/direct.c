// Everyone with everyone, by the torus' routes: one hop of latency after another, for
// all_to_all and for short messages among few chips. In round r a chip sends to the
// member r places on and receives from the member r places back, so that no chip is
// everybody's first.

#include <math.h>

#include "server/collective/algorithm.h"

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
  round.step.send_to = (int32_t)plan->group->chips[round.to];
  round.step.receive_from = (int32_t)plan->group->chips[round.from];
  return round;
}

// The rounds lane by lane: what to do with each is the caller's business.
typedef void (*round_fn_t)(const collective_plan_t *plan, round_t *round);

// Returns the number of lanes, which begin with lane 0.
static int32_t add_rounds(const collective_plan_t *plan, round_fn_t finish) {
  const int32_t rounds = plan->group->size - 1;
  const int32_t lanes =
      rounds < COLLECTIVE_DIRECT_LANES ? rounds : COLLECTIVE_DIRECT_LANES;
  for (int32_t lane = 0; lane < lanes; lane++) {
    collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
    for (int32_t r = 1 + lane; r <= rounds; r += lanes) {
      round_t round = round_of(plan, r);
      round.step.tag = (r - 1) / lanes;
      finish(plan, &round);
      collective_add_transfer(plan->builder, &round.step);
    }
  }
  return lanes;
}

static void gather_round(const collective_plan_t *plan, round_t *round) {
  round->step.source = block(plan, COLLECTIVE_INPUT, 0);
  round->step.target = block(plan, COLLECTIVE_OUTPUT, round->from);
}

static void exchange_round(const collective_plan_t *plan, round_t *round) {
  round->step.source = block(plan, COLLECTIVE_INPUT, round->to);
  round->step.target = block(plan, COLLECTIVE_OUTPUT, round->from);
}

static void add_own(const collective_plan_t *plan, int64_t from) {
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  collective_add_copy(plan->builder, block(plan, COLLECTIVE_OUTPUT, plan->me),
                      block(plan, COLLECTIVE_INPUT, from));
}

// Where the round's block waits to be added: SCRATCH has one place per member, the own
// one for the running sum.
static collective_region_t inbox_of(const collective_plan_t *plan, int64_t member) {
  const int64_t stride = plan->builder->scratch_bytes / plan->group->size;
  collective_region_t inbox = block(plan, COLLECTIVE_SCRATCH, 0);
  inbox.offset = member * stride;
  return inbox;
}

static void reduce_round(const collective_plan_t *plan, round_t *round) {
  const bool is_scatter = plan->request->op == CHIP_OP_REDUCE_SCATTER;
  round->step.source = block(plan, COLLECTIVE_INPUT, is_scatter ? round->to : 0);
  round->step.target = inbox_of(plan, round->from);
}

// Gathers what everybody has for this chip, then adds it up in the order of the group, so
// that all chips add alike. The running sum is in SCRATCH: OUTPUT may be INPUT.
static void reduce(const collective_plan_t *plan) {
  const bool is_scatter = plan->request->op == CHIP_OP_REDUCE_SCATTER;
  const int32_t size = plan->group->size;
  const collective_region_t own =
      block(plan, COLLECTIVE_INPUT, is_scatter ? plan->me : 0);
  for (int32_t i = 0; i < size; i++) {
    collective_add_scratch(plan->builder, own.size_bytes);
  }
  const int32_t lanes = add_rounds(plan, reduce_round);
  collective_add_lane(plan->builder, collective_join(plan->builder, 0, lanes),
                      COLLECTIVE_NONE);
  collective_region_t sum = plan->me == 0 ? own : inbox_of(plan, 0);
  for (int32_t member = 1; member < size; member++) {
    const collective_region_t target =
        member == size - 1 ? block(plan, COLLECTIVE_OUTPUT, 0) : inbox_of(plan, plan->me);
    collective_add_reduce(plan->builder, target, sum,
                          member == plan->me ? own : inbox_of(plan, member));
    sum = target;
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

static pod_status_t plan_direct(const collective_plan_t *plan) {
  switch (plan->request->op) {
    case CHIP_OP_ALL_GATHER:
      add_rounds(plan, gather_round);
      add_own(plan, 0);
      return NULL;
    case CHIP_OP_ALL_TO_ALL:
      add_rounds(plan, exchange_round);
      add_own(plan, plan->me);
      return NULL;
    case CHIP_OP_COLLECTIVE_PERMUTE:
      permute(plan);
      return NULL;
    default:
      reduce(plan);
      return NULL;
  }
}

static double floor_ps(const collective_question_t *question) {
  const double others = question->group->size - 1;
  return (double)question->spec->ici_hop_ps * others / COLLECTIVE_DIRECT_LANES +
         collective_block_ps(question) * others / TORUS_DIRECTIONS;
}

// On a line of n chips the link in the middle carries the messages between the halves,
// floor(n^2 / 4), where the chip at the end sees as many as its own hops, n (n - 1) / 2.
static double stretch(const collective_group_t *group, chip_op_t op) {
  (void)op;
  double factor = 0;
  for (int32_t i = 0; i < group->box.axis_count; i++) {
    const collective_axis_t *axis = &group->box.axes[i];
    const double n = axis->size;
    const double crossing = floor(n * n / 4) / (n * (n - 1) / 2);
    const double of_axis = axis->kind == COLLECTIVE_AXIS_LINE ? crossing : 1;
    factor = of_axis > factor ? of_axis : factor;
  }
  return factor > 0 ? factor : 1;
}

const collective_algorithm_row_t collective_direct_row = {
    .plan = plan_direct,
    .floor_ps = floor_ps,
    .stretch = stretch,
};
