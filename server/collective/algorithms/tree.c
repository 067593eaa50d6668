// Recursive doubling and halving (Thakur, Rabenseifner and Gropp 2005, "Optimization of
// collective communication operations in MPICH"): few rounds, for short messages. In
// round k a chip works with the one whose index differs in bit k; on a torus whose axes
// are powers of two that is a chip on the same axis.

#include "server/collective/algorithm.h"

// The members in the order of their ids, which is what makes bits of the index into axes.
static int32_t chip_of(const collective_plan_t *plan, int64_t index) {
  return (int32_t)plan->group->chips[index];
}

static collective_region_t whole(const collective_plan_t *plan,
                                 collective_buffer_t buffer) {
  return collective_region(plan, buffer, 0, plan->block_elements);
}

// `count` blocks from `first` on.
static collective_region_t blocks(const collective_plan_t *plan,
                                  collective_buffer_t buffer, int64_t first,
                                  int64_t count) {
  return collective_region(plan, buffer, first * plan->block_elements,
                           count * plan->block_elements);
}

static collective_region_t scratch(const collective_plan_t *plan,
                                   collective_region_t like) {
  like.buffer = COLLECTIVE_SCRATCH;
  like.offset = collective_add_scratch(plan->builder, like.size_bytes);
  return like;
}

// all_reduce over any number of chips: the `extra` ones beyond a power of two are folded
// into a partner first and get the result from it last. Where values go alternates, so
// that nothing is overwritten while it is sent, INPUT being OUTPUT included.
typedef struct doubling_t {
  const collective_plan_t *plan;
  collective_region_t value;     // What this chip has so far.
  collective_region_t slots[2];  // In SCRATCH.
  int turn;
} doubling_t;

static void fold_in(doubling_t *doubling, int32_t tag, int32_t send_to,
                    int32_t receive_from) {
  const collective_region_t with = doubling->value;
  const collective_region_t target = doubling->slots[doubling->turn];
  const collective_transfer_t step = {.tag = tag,
                                      .send_to = send_to,
                                      .receive_from = receive_from,
                                      .source = doubling->value,
                                      .target = target,
                                      .with = &with};
  collective_add_transfer(doubling->plan->builder, &step);
  doubling->value = target;
  doubling->turn = 1 - doubling->turn;
}

static void all_reduce(const collective_plan_t *plan) {
  const int32_t size = plan->group->size;
  const int32_t me = plan->me;
  int32_t power = 1;
  while (2 * power <= size) {
    power *= 2;
  }
  const int32_t extra = size - power;
  const bool is_folded = me < 2 * extra && me % 2 == 1;
  const bool is_partner = me < 2 * extra && me % 2 == 0;
  const collective_region_t output = whole(plan, COLLECTIVE_OUTPUT);
  const int32_t first_tag = extra > 0 ? 1 : 0;  // After the folding, if there is any.
  int32_t last_tag = first_tag;                 // And after the rounds.
  for (int32_t bit = 1; bit < power; bit *= 2) {
    last_tag++;
  }
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  if (is_folded) {
    const int32_t partner = chip_of(plan, me - 1);
    collective_transfer_t step = {.tag = 0,
                                  .send_to = partner,
                                  .receive_from = COLLECTIVE_NONE,
                                  .source = whole(plan, COLLECTIVE_INPUT)};
    collective_add_transfer(plan->builder, &step);
    step = (collective_transfer_t){.tag = last_tag,
                                   .send_to = COLLECTIVE_NONE,
                                   .receive_from = partner,
                                   .target = output};
    collective_add_transfer(plan->builder, &step);
    return;
  }
  doubling_t doubling = {.plan = plan, .value = whole(plan, COLLECTIVE_INPUT)};
  doubling.slots[0] = scratch(plan, doubling.value);
  doubling.slots[1] = scratch(plan, doubling.value);
  if (is_partner) {
    fold_in(&doubling, 0, COLLECTIVE_NONE, chip_of(plan, me + 1));
  }
  const int32_t index = is_partner ? me / 2 : me - extra;
  int32_t tag = first_tag;
  for (int32_t bit = 1; bit < power; bit *= 2, tag++) {
    const int32_t other = index ^ bit;
    const int32_t peer = chip_of(plan, other < extra ? 2 * other : other + extra);
    fold_in(&doubling, tag, peer, peer);
  }
  if (is_partner) {
    const collective_transfer_t step = {.tag = last_tag,
                                        .send_to = chip_of(plan, me + 1),
                                        .receive_from = COLLECTIVE_NONE,
                                        .source = doubling.value};
    collective_add_transfer(plan->builder, &step);
  }
  collective_add_copy(plan->builder, output, doubling.value);
}

// Round k: the 2^k blocks that this chip's neighbourhood has go to the other's.
static void all_gather(const collective_plan_t *plan) {
  const int32_t me = plan->me;
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  collective_add_copy(plan->builder, blocks(plan, COLLECTIVE_OUTPUT, me, 1),
                      whole(plan, COLLECTIVE_INPUT));
  int32_t tag = 0;
  for (int32_t bit = 1; bit < plan->group->size; bit *= 2, tag++) {
    const int32_t peer = chip_of(plan, me ^ bit);
    const int32_t base = me & ~(bit - 1);
    const collective_transfer_t step = {
        .tag = tag,
        .send_to = peer,
        .receive_from = peer,
        .source = blocks(plan, COLLECTIVE_OUTPUT, base, bit),
        .target = blocks(plan, COLLECTIVE_OUTPUT, base ^ bit, bit)};
    collective_add_transfer(plan->builder, &step);
  }
}

// Round k, from the highest bit down: the half of the blocks that is the other's goes to
// it, and its part of this chip's half comes.
static void reduce_scatter(const collective_plan_t *plan) {
  const int32_t me = plan->me;
  collective_add_lane(plan->builder, COLLECTIVE_NONE, COLLECTIVE_NONE);
  collective_region_t held = blocks(plan, COLLECTIVE_INPUT, 0, plan->group->size);
  const int64_t block_bytes = held.size_bytes / plan->group->size;
  const collective_region_t sums =
      plan->group->size > 2
          ? scratch(plan, blocks(plan, COLLECTIVE_INPUT, 0, plan->group->size / 2))
          : held;
  int32_t tag = 0;
  for (int32_t half = plan->group->size / 2; half >= 1; half /= 2, tag++) {
    const int32_t peer = chip_of(plan, me ^ half);
    collective_region_t mine = held;
    mine.size_bytes = half * block_bytes;
    collective_region_t theirs = mine;
    if ((me & half) != 0) {
      mine.offset += mine.size_bytes;
    } else {
      theirs.offset += theirs.size_bytes;
    }
    collective_region_t target = mine;
    if (half == 1) {
      target = whole(plan, COLLECTIVE_OUTPUT);
    } else if (held.buffer == COLLECTIVE_INPUT) {
      target = sums;
    }
    const collective_transfer_t step = {.tag = tag,
                                        .send_to = peer,
                                        .receive_from = peer,
                                        .source = theirs,
                                        .target = target,
                                        .with = &mine};
    collective_add_transfer(plan->builder, &step);
    held = target;
  }
}

static pod_status_t plan_tree(const collective_plan_t *plan) {
  const int32_t size = plan->group->size;
  const bool is_power = (size & (size - 1)) == 0;
  switch (plan->request->op) {
    case CHIP_OP_ALL_REDUCE:
      all_reduce(plan);
      return NULL;
    case CHIP_OP_ALL_GATHER:
    case CHIP_OP_REDUCE_SCATTER:
      if (!is_power) {
        return pod_error(POD_UNIMPLEMENTED,
                         "the tree algorithm of %s needs a power of two, not %d chips",
                         chip_op_name(plan->request->op), size);
      }
      if (plan->request->op == CHIP_OP_ALL_GATHER) {
        all_gather(plan);
      } else {
        reduce_scatter(plan);
      }
      return NULL;
    default:
      return pod_error(POD_UNIMPLEMENTED, "%s has no tree algorithm",
                       chip_op_name(plan->request->op));
  }
}

static double floor_ps(const collective_question_t *question) {
  const bool is_whole = question->planner->request->op == CHIP_OP_ALL_REDUCE;
  return collective_block_ps(question) * (is_whole ? 1 : question->group->size - 1);
}

const collective_algorithm_row_t collective_tree_row = {
    .plan = plan_tree,
    .floor_ps = floor_ps,
};
