// Which algorithm a group should take.

#include "server/collective/plan.h"

// What an algorithm costs, roughly, in nanoseconds: rounds of start-up and hops, bytes
// over the busiest link, and the passes over SCRATCH that some make. The figures are
// those of a v5e (2 us to start, 1 us per hop, 43 GB/s); the crossovers that follow fit a
// pod of processes on one host as well, where everything is some ten times slower.
enum { START_NS = 2000, HOP_NS = 1000 };
#define LINK_BYTES_PER_NS 43.0
#define SCRATCH_BYTES_PER_NS 400.0

typedef struct price_t {
  double rounds, hops_per_round, link_bytes, scratch_bytes;
} price_t;

static double price_ns(const price_t *price) {
  return price->rounds * (START_NS + price->hops_per_round * HOP_NS) +
         price->link_bytes / LINK_BYTES_PER_NS +
         price->scratch_bytes / SCRATCH_BYTES_PER_NS;
}

static double log2_ceil(int32_t size) {
  double log = 0;
  for (int32_t reach = 1; reach < size; reach *= 2) {
    log++;
  }
  return log;
}

// The longest hop between neighbours in the order, the way from last to first included.
static double longest_hop(const collective_planner_t *planner,
                          const collective_group_t *group) {
  int32_t longest = 1;
  for (int32_t i = 0; i < group->size; i++) {
    const int32_t from = group->order.order[i];
    const int32_t to = group->order.order[(i + 1) % group->size];
    const int32_t hops = torus_distance(&planner->torus, (int32_t)group->chips[from],
                                        (int32_t)group->chips[to]);
    longest = hops > longest ? hops : longest;
  }
  return longest;
}

static double average_hop(const collective_planner_t *planner,
                          const collective_group_t *group) {
  double sum = 0;
  for (int32_t i = 1; i < group->size; i++) {
    sum += torus_distance(&planner->torus, (int32_t)group->chips[0],
                          (int32_t)group->chips[i]);
  }
  return group->size > 1 ? sum / (group->size - 1) : 0;
}

// Half of the parts' shares go to the first axis of each; all but the first phases are
// short.
static price_t torus_price(const collective_group_t *group, double total, double passes) {
  const collective_box_t *box = &group->box;
  price_t price = {.rounds = 0, .hops_per_round = 1};
  double links = 0;
  for (int32_t i = 0; i < box->axis_count; i++) {
    const collective_axis_t *axis = &box->axes[i];
    price.rounds += passes * (axis->size - 1);
    links += (axis->kind == COLLECTIVE_AXIS_RING ? 2.0 : 1.0) / axis->hops;
    price.hops_per_round =
        axis->hops > price.hops_per_round ? axis->hops : price.hops_per_round;
  }
  price.link_bytes = passes * total * (group->size - 1) / group->size / links;
  price.scratch_bytes = passes > 1 ? 0 : 2 * total;
  return price;
}

static price_t price_of(const collective_planner_t *planner,
                        const collective_group_t *group,
                        collective_algorithm_t algorithm) {
  const bool is_reduce = planner->request->op == CHIP_OP_ALL_REDUCE;
  const double size = group->size;
  const double block = (double)(planner->block_elements * planner->element_bytes);
  const double passes = is_reduce ? 2 : 1;
  const double share = is_reduce ? block / size : block;  // What moves per round.
  const double directions = size > 2 ? 2 : 1;
  const double hop = average_hop(planner, group);
  switch (algorithm) {
    case COLLECTIVE_RING: {
      const double longest = longest_hop(planner, group);
      return (price_t){.rounds = passes * (size - 1),
                       .hops_per_round = longest,
                       .link_bytes = longest * passes * (size - 1) * share / directions};
    }
    case COLLECTIVE_LINE:
      return (price_t){.rounds = passes * (size - 1),
                       .hops_per_round = 1,
                       .link_bytes = passes * (size - 1) * share};
    case COLLECTIVE_TORUS:
      return torus_price(group, share * size, passes);
    case COLLECTIVE_TREE: {
      const double rounds = log2_ceil(group->size);
      return (price_t){.rounds = rounds,
                       .hops_per_round = hop,
                       .link_bytes = hop * (is_reduce ? rounds : size - 1) * block,
                       .scratch_bytes = 2 * block};
    }
    default:
      return (price_t){.rounds = 1 + (size - 2) / 2,
                       .hops_per_round = hop,
                       .link_bytes = hop * (size - 1) * block,
                       .scratch_bytes = size * block};
  }
}

static bool is_candidate(const collective_planner_t *planner,
                         const collective_group_t *group,
                         collective_algorithm_t algorithm) {
  const collective_order_t *order = &group->order;
  const int32_t size = group->size;
  const bool is_power = (size & (size - 1)) == 0;
  switch (algorithm) {
    case COLLECTIVE_LINE:
      return order->is_physical && !order->closes;
    case COLLECTIVE_TREE:
      return is_power || planner->request->op == CHIP_OP_ALL_REDUCE;
    case COLLECTIVE_TORUS:
      return group->box.axis_count > 1;
    default:
      return true;
  }
}

collective_algorithm_t collective_choose(collective_planner_t *planner,
                                         collective_group_t *group) {
  if (planner->request->op == CHIP_OP_ALL_TO_ALL || group->size == 1) {
    return COLLECTIVE_DIRECT;
  }
  collective_group_need_order(planner, group);
  collective_algorithm_t best = COLLECTIVE_RING;
  double best_ns = 0;
  for (collective_algorithm_t algorithm = COLLECTIVE_RING;
       algorithm < COLLECTIVE_ALGORITHM_COUNT; algorithm++) {
    if (!is_candidate(planner, group, algorithm)) {
      continue;
    }
    const price_t price = price_of(planner, group, algorithm);
    const double ns = price_ns(&price);
    if (algorithm == COLLECTIVE_RING || ns < best_ns) {
      best = algorithm;
      best_ns = ns;
    }
  }
  return best;
}
