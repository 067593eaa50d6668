#include "server/collective/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/collective/reduce.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

static bool needs_reducer(chip_op_t op) {
  return op == CHIP_OP_ALL_REDUCE || op == CHIP_OP_REDUCE_SCATTER;
}

static bool has_blocks_in_input(chip_op_t op) {
  return op == CHIP_OP_REDUCE_SCATTER || op == CHIP_OP_ALL_TO_ALL;
}

static pod_status_t check_sizes(const collective_request_t *request) {
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(request->dtype);
  const bool is_permute = request->op == CHIP_OP_COLLECTIVE_PERMUTE;
  const int64_t members = is_permute ? 1 : request->group_size;
  if (element_bytes == 0 || request->element_count < 0 ||
      request->element_count > COLLECTIVE_BYTES_MAX / element_bytes / members) {
    return BAD("a collective over %" PRId64 " elements of %s", request->element_count,
               tensor_dtype_name(request->dtype));
  }
  if (has_blocks_in_input(request->op) && request->element_count % members != 0) {
    return BAD("%s: %" PRId64 " elements do not divide over %" PRId64 " chips",
               chip_op_name(request->op), request->element_count, members);
  }
  return NULL;
}

static pod_status_t check_ids(const char *what, const int64_t *ids, int64_t count,
                              const torus_t *torus) {
  const int32_t chips = torus_chip_count(torus);
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < 0 || ids[i] >= chips) {
      return BAD("%s %" PRId64 " of a pod of %d chips", what, ids[i], chips);
    }
  }
  return NULL;
}

// A chip that is the source, or the target, of two pairs.
static pod_status_t check_pairs(const collective_request_t *request,
                                const torus_t *torus) {
  if (request->pair_count < 0 || request->pair_count > TORUS_CHIPS_MAX) {
    return BAD("%d source-target pairs", request->pair_count);
  }
  POD_TRY(check_ids("chip", request->pairs, 2 * (int64_t)request->pair_count, torus));
  uint8_t *seen = calloc((size_t)torus_chip_count(torus), 1);
  if (seen == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  pod_status_t status = NULL;
  for (int32_t i = 0; i < 2 * request->pair_count && status == NULL; i++) {
    const uint8_t bit = (uint8_t)(1 + i % 2);
    uint8_t *roles = &seen[request->pairs[i]];
    if ((*roles & bit) != 0) {
      status = BAD("chip %" PRId64 " is the %s of two pairs", request->pairs[i],
                   bit == 1 ? "source" : "target");
    }
    *roles |= bit;
  }
  free(seen);
  return status;
}

static pod_status_t check_request(const collective_request_t *request,
                                  const torus_t *torus, int32_t chip) {
  const int64_t id = chip;
  if (!chip_op_is_collective(request->op)) {
    return BAD("%s is no collective", chip_op_name(request->op));
  }
  POD_TRY(check_ids("chip", &id, 1, torus));
  if ((unsigned)request->algorithm >= COLLECTIVE_ALGORITHM_COUNT) {
    return BAD("algorithm %d is unknown", (int)request->algorithm);
  }
  if (request->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    POD_TRY(check_sizes(request));
    return check_pairs(request, torus);
  }
  if (request->group_count < 1 || request->group_size < 1 ||
      (int64_t)request->group_count * request->group_size > torus_chip_count(torus)) {
    return BAD("%d groups of %d chips on a pod of %d", request->group_count,
               request->group_size, torus_chip_count(torus));
  }
  POD_TRY(check_ids("chip", request->groups,
                    (int64_t)request->group_count * request->group_size, torus));
  POD_TRY(check_sizes(request));
  if (!needs_reducer(request->op)) {
    return NULL;
  }
  if (request->reducer == CHIP_REDUCER_NONE) {
    return pod_error(POD_UNIMPLEMENTED, "%s with a region that is no known reducer",
                     chip_op_name(request->op));
  }
  return collective_reduce_supports(request->reducer, request->dtype)
             ? NULL
             : BAD("%s: reducer %d does not exist for %s", chip_op_name(request->op),
                   (int)request->reducer, tensor_dtype_name(request->dtype));
}

static pod_status_t find_group(collective_plan_t *plan, int32_t chip,
                               pod_arena_t *arena) {
  const collective_request_t *request = plan->request;
  if (request->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    int64_t *self = pod_arena_alloc(arena, sizeof(*self));
    *self = chip;
    plan->group = (collective_group_t){.size = 1, .chips = self};
    return NULL;
  }
  const int64_t count = (int64_t)request->group_count * request->group_size;
  int64_t found = -1;
  for (int64_t i = 0; i < count; i++) {
    if (request->groups[i] == chip) {
      if (found >= 0) {
        return BAD("chip %d is twice in the groups", chip);
      }
      found = i;
    }
  }
  if (found < 0) {
    return BAD("chip %d is in no group of the %s", chip, chip_op_name(request->op));
  }
  const int32_t size = request->group_size;
  plan->group = (collective_group_t){.size = size,
                                     .me = (int32_t)(found % size),
                                     .chips = request->groups + found - found % size};
  plan->group.order = collective_order_find(plan->torus, plan->group.chips, size, arena);
  while (plan->group.order.order[plan->group.position] != plan->group.me) {
    plan->group.position++;
  }
  return NULL;
}

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
static double longest_hop(const collective_plan_t *plan) {
  int32_t longest = 1;
  for (int32_t i = 0; i < plan->group.size; i++) {
    const int32_t hops = torus_distance(plan->torus, collective_chip_at(plan, i),
                                        collective_chip_at(plan, i + 1));
    longest = hops > longest ? hops : longest;
  }
  return longest;
}

static double average_hop(const collective_plan_t *plan) {
  double sum = 0;
  for (int32_t i = 1; i < plan->group.size; i++) {
    sum += torus_distance(plan->torus, (int32_t)plan->group.chips[0],
                          (int32_t)plan->group.chips[i]);
  }
  return plan->group.size > 1 ? sum / (plan->group.size - 1) : 0;
}

static price_t price_of(const collective_plan_t *plan, collective_algorithm_t algorithm) {
  const bool is_reduce = plan->request->op == CHIP_OP_ALL_REDUCE;
  const double size = plan->group.size;
  const double block = (double)(plan->block_elements * plan->element_bytes);
  const double passes = is_reduce ? 2 : 1;
  const double share = is_reduce ? block / size : block;  // What moves per round.
  const double directions = size > 2 ? 2 : 1;
  const double hop = average_hop(plan);
  switch (algorithm) {
    case COLLECTIVE_RING: {
      const double longest = longest_hop(plan);
      return (price_t){.rounds = passes * (size - 1),
                       .hops_per_round = longest,
                       .link_bytes = longest * passes * (size - 1) * share / directions};
    }
    case COLLECTIVE_LINE:
      return (price_t){.rounds = passes * (size - 1),
                       .hops_per_round = 1,
                       .link_bytes = passes * (size - 1) * share};
    case COLLECTIVE_TREE: {
      const double rounds = log2_ceil(plan->group.size);
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

static bool is_candidate(const collective_plan_t *plan,
                         collective_algorithm_t algorithm) {
  const collective_order_t *order = &plan->group.order;
  const int32_t size = plan->group.size;
  const bool is_power = (size & (size - 1)) == 0;
  switch (algorithm) {
    case COLLECTIVE_LINE:
      return order->is_physical && !order->closes;
    case COLLECTIVE_TREE:
      return is_power || plan->request->op == CHIP_OP_ALL_REDUCE;
    default:
      return true;
  }
}

static collective_algorithm_t choose(const collective_plan_t *plan) {
  const chip_op_t op = plan->request->op;
  if (plan->request->algorithm != COLLECTIVE_AUTO) {
    return plan->request->algorithm;
  }
  if (op == CHIP_OP_ALL_TO_ALL || op == CHIP_OP_COLLECTIVE_PERMUTE) {
    return COLLECTIVE_DIRECT;
  }
  collective_algorithm_t best = COLLECTIVE_RING;
  double best_ns = 0;
  for (collective_algorithm_t algorithm = COLLECTIVE_RING;
       algorithm < COLLECTIVE_ALGORITHM_COUNT; algorithm++) {
    const price_t price = price_of(plan, algorithm);
    const double ns = price_ns(&price);
    if (is_candidate(plan, algorithm) && (algorithm == COLLECTIVE_RING || ns < best_ns)) {
      best = algorithm;
      best_ns = ns;
    }
  }
  return best;
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
  static const collective_algorithm_fn_t algorithms[COLLECTIVE_ALGORITHM_COUNT] = {
      [COLLECTIVE_RING] = collective_plan_ring,
      [COLLECTIVE_LINE] = collective_plan_line,
      [COLLECTIVE_TREE] = collective_plan_tree,
      [COLLECTIVE_DIRECT] = collective_plan_direct,
  };
  if (plan->group.size == 1 && plan->request->op != CHIP_OP_COLLECTIVE_PERMUTE) {
    return plan_alone(plan);
  }
  return plan->block_elements == 0 ? NULL : algorithms[algorithm](plan);
}

// Copies what was built into the arena and drops lanes' steps that are nobody's.
static void finish(const collective_plan_t *plan, collective_algorithm_t algorithm,
                   pod_arena_t *arena, collective_schedule_t *out_schedule) {
  const collective_builder_t *builder = plan->builder;
  const collective_request_t *request = plan->request;
  const int64_t input = request->element_count * plan->element_bytes;
  const int64_t size = plan->group.size;
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
      .step_count = builder->step_count,
      .lanes = pod_arena_copy(arena, builder->lanes,
                              (size_t)builder->lane_count * sizeof(*builder->lanes)),
      .steps = pod_arena_copy(arena, builder->steps,
                              (size_t)builder->step_count * sizeof(*builder->steps)),
  };
}

pod_status_t collective_plan(const collective_request_t *request, const torus_t *torus,
                             int32_t chip, pod_arena_t *arena,
                             collective_schedule_t *out_schedule) {
  POD_TRY(check_request(request, torus, chip));
  collective_lane_t lanes[COLLECTIVE_LANES_MAX];
  collective_builder_t builder = {.lanes = lanes};
  collective_plan_t plan = {.request = request,
                            .torus = torus,
                            .element_bytes = (int64_t)tensor_dtype_bytes(request->dtype),
                            .builder = &builder};
  POD_TRY(find_group(&plan, chip, arena));
  plan.block_elements = has_blocks_in_input(request->op)
                            ? request->element_count / plan.group.size
                            : request->element_count;
  const collective_algorithm_t algorithm = choose(&plan);
  const pod_status_t status = run_algorithm(&plan, algorithm);
  if (status == NULL) {
    finish(&plan, algorithm, arena, out_schedule);
  }
  free(builder.steps);
  return status;
}

void collective_request_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_request_t *out_request) {
  const tensor_shape_t *shape = &program->buffers[instruction->operands[index]].shape;
  *out_request = (collective_request_t){
      .op = instruction->op,
      .reducer = (chip_reducer_t)chip_instruction_attr_one(instruction, CHIP_ATTR_REDUCER,
                                                           CHIP_REDUCER_NONE),
      .dtype = shape->dtype,
      .element_count = tensor_shape_elements(shape),
  };
  int32_t count;
  out_request->pairs =
      chip_instruction_attr(instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &count);
  out_request->pair_count = count / 2;
  out_request->groups =
      chip_instruction_attr(instruction, CHIP_ATTR_REPLICA_GROUPS, &count);
  if (count > 0) {
    out_request->group_size =
        (int32_t)chip_instruction_attr_one(instruction, CHIP_ATTR_GROUP_SIZE, count);
    out_request->group_count = count / out_request->group_size;
  }
}

const char *collective_algorithm_name(collective_algorithm_t algorithm) {
  static const char *const names[COLLECTIVE_ALGORITHM_COUNT] = {"auto", "ring", "line",
                                                                "tree", "direct"};
  return (unsigned)algorithm < COLLECTIVE_ALGORITHM_COUNT ? names[algorithm] : "unknown";
}

static void print_step(pod_text_t *text, const collective_step_t *step) {
  static const char *const kinds[] = {"transfer", "copy", "reduce", "zero"};
  static const char *const buffers[] = {"input", "output", "scratch"};
  pod_text_printf(text, "  %s", kinds[step->kind]);
  if (step->kind == COLLECTIVE_TRANSFER) {
    pod_text_printf(text, " tag %d", step->tag);
  }
  if (step->send_to != COLLECTIVE_NONE) {
    pod_text_printf(text, ", send %" PRId64 " bytes of %s+%" PRId64 " to %d",
                    step->source_bytes, buffers[step->source_buffer], step->source_offset,
                    step->send_to);
  }
  if (step->receive_from != COLLECTIVE_NONE) {
    pod_text_printf(text, ", receive %" PRId64 " bytes from %d to %s+%" PRId64,
                    step->target_bytes, step->receive_from, buffers[step->target_buffer],
                    step->target_offset);
  }
  if (step->kind != COLLECTIVE_TRANSFER) {
    pod_text_printf(text, " %" PRId64 " bytes %s+%" PRId64 " from %s+%" PRId64,
                    step->target_bytes, buffers[step->target_buffer], step->target_offset,
                    buffers[step->source_buffer], step->source_offset);
  }
  if (step->reduces || step->kind == COLLECTIVE_REDUCE) {
    pod_text_printf(text, " with %s+%" PRId64, buffers[step->with_buffer],
                    step->with_offset);
  }
  pod_text_add(text, "\n");
}

void collective_schedule_print(pod_text_t *text, const collective_schedule_t *schedule) {
  pod_text_printf(
      text, "%s: input %" PRId64 ", output %" PRId64 ", scratch %" PRId64 " bytes\n",
      collective_algorithm_name(schedule->algorithm), schedule->input_bytes,
      schedule->output_bytes, schedule->scratch_bytes);
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    const collective_lane_t *lane = &schedule->lanes[i];
    pod_text_printf(text, " lane %d", i);
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      if (lane->after[a] != COLLECTIVE_NONE) {
        pod_text_printf(text, " after %d", lane->after[a]);
      }
    }
    pod_text_add(text, "\n");
    for (int32_t s = 0; s < lane->step_count; s++) {
      print_step(text, &schedule->steps[lane->first_step + s]);
    }
  }
}
