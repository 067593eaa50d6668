// What rounds.c runs: collectives as all chips do them, with the times that their steps
// take at least, and the room for those under way.

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/simulator/rounds.h"

// --- Steps ---

static int64_t sum_of(int64_t a, int64_t b) {
  return a + b < ROUNDS_NEVER_PS ? a + b : ROUNDS_NEVER_PS;
}

static int64_t least_of(const simulator_rounds_t *rounds, const simulator_step_t *step) {
  if (step->is_local) {
    return rounds->factor_min < SIMULATOR_FACTOR_ONE ? 0 : step->local_ps;
  }
  if (step->send_peer < 0) {
    return 0;
  }
  return rounds->rate_max > SIMULATOR_FULL_RATE
             ? simulator_network_alone(step->send_ps, rounds->rate_max)
             : step->send_ps;
}

static void make_steps(const simulator_rounds_t *rounds,
                       const simulator_run_plan_t *run_plan, rounds_plan_t *plan) {
  const simulator_shape_t *shape = run_plan->shape;
  plan->steps = pod_arena_array(rounds->engine->arena, (size_t)shape->step_count + 1,
                                sizeof(*plan->steps));
  for (int32_t i = 0; i < shape->step_count; i++) {
    const simulator_step_t *step = &shape->steps[i];
    const bool sends = step->send_peer >= 0 && !step->is_local;
    plan->steps[i] = (rounds_step_t){
        .send_ps = step->send_ps,
        .local_ps = step->local_ps,
        .least_ps = least_of(rounds, step),
        .target = sends ? run_plan->target_steps[i] : -1,
        .source = -1,
        .lane = step->lane,
        .direction = (int8_t)(sends ? run_plan->directions[step->send_peer] : -1),
        .is_local = step->is_local,
        .is_sent_on = step->is_sent_on};
    plan->message_count += sends;
    plan->steps[i].is_first = i == 0 || plan->steps[i - 1].lane != step->lane ||
                              plan->steps[i - 1].direction != plan->steps[i].direction;
  }
  for (int32_t i = 0; i < shape->step_count; i++) {
    if (plan->steps[i].target >= 0) {
      plan->steps[plan->steps[i].target].source = i;
    }
  }
}

// Whether what is sent is received, and what is received has been sent.
static bool is_sound(const rounds_plan_t *plan, const simulator_shape_t *shape) {
  for (int32_t i = 0; i < plan->step_count; i++) {
    const rounds_step_t *step = &plan->steps[i];
    if ((shape->steps[i].receive_peer >= 0) != (step->source >= 0) ||
        (step->direction >= 0) != (step->target >= 0)) {
      return false;
    }
  }
  return plan->lane_count <= ROUNDS_LANES_MAX;
}

static void make_times(const simulator_rounds_t *rounds, rounds_plan_t *plan) {
  const size_t places = (size_t)plan->step_count + (size_t)plan->lane_count + 1;
  plan->since_ps =
      pod_arena_array(rounds->engine->arena, places, sizeof(*plan->since_ps));
  plan->least_ps =
      pod_arena_array(rounds->engine->arena, places, sizeof(*plan->least_ps));
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    plan->until_ps[d] =
        pod_arena_array(rounds->engine->arena, places, sizeof(*plan->until_ps[d]));
  }
  for (int32_t l = 0; l < plan->lane_count; l++) {
    const rounds_range_t *range = &plan->ranges[l];
    plan->since_ps[range->first_step + l] = 0;
    for (int32_t i = range->first_step; i < range->end_step; i++) {
      plan->least_ps[i + l] = plan->steps[i].least_ps;
      plan->since_ps[i + l + 1] = sum_of(plan->since_ps[i + l], plan->steps[i].least_ps);
    }
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      int64_t *until_ps = plan->until_ps[d];
      until_ps[range->end_step + l] = ROUNDS_NEVER_PS;
      for (int32_t i = range->end_step - 1; i >= range->first_step; i--) {
        until_ps[i + l] = plan->steps[i].direction == d
                              ? 0
                              : sum_of(plan->steps[i].least_ps, until_ps[i + l + 1]);
      }
    }
  }
}

static void make_ranges(const simulator_rounds_t *rounds, rounds_plan_t *plan,
                        const simulator_shape_t *shape) {
  plan->ranges = pod_arena_array(rounds->engine->arena, (size_t)plan->lane_count + 1,
                                 sizeof(*plan->ranges));
  for (int32_t i = 0; i < plan->lane_count; i++) {
    const simulator_lane_t *lane = &shape->lanes[i];
    rounds_range_t *range = &plan->ranges[i];
    range->first_step = lane->first_step;
    range->end_step = lane->first_step + lane->step_count;
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      range->after[a] = lane->after[a];
    }
  }
}

static void list_senders(const simulator_rounds_t *rounds, rounds_plan_t *plan) {
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    plan->senders[d] = pod_arena_array(rounds->engine->arena,
                                       (size_t)plan->lane_count + 1, sizeof(int32_t));
    for (int32_t i = 0; i < plan->lane_count; i++) {
      if (plan->until_ps[d][plan->ranges[i].first_step + i] < ROUNDS_NEVER_PS) {
        plan->senders[d][plan->sender_count[d]++] = i;
      }
    }
  }
}

static const rounds_plan_t *plan_of(simulator_rounds_t *rounds, int32_t index) {
  rounds_plan_t *plan = &rounds->plans[index];
  if (plan->is_made) {
    return plan;
  }
  const simulator_run_plan_t *run_plan = &rounds->engine->run_plans[index];
  const simulator_shape_t *shape = run_plan->shape;
  plan->is_made = true;
  plan->lane_count = shape->lane_count;
  plan->step_count = shape->step_count;
  plan->has_after = shape->has_after;
  plan->hbm_ps = shape->hbm_ps;
  make_steps(rounds, run_plan, plan);
  plan->is_fit = is_sound(plan, shape);
  if (plan->is_fit) {
    make_ranges(rounds, plan, shape);
    make_times(rounds, plan);
    list_senders(rounds, plan);
  }
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    plan->is_fit &= plan->sender_count[d] <= ROUNDS_SENDERS_MAX;
  }
  return plan;
}

int32_t rounds_messages_of(simulator_rounds_t *rounds, int32_t plan) {
  return plan_of(rounds, plan)->message_count;
}

bool rounds_fits(simulator_rounds_t *rounds, int32_t plan) {
  return plan_of(rounds, plan)->is_fit;
}

// --- Parts ---

// `memory`, or, if it has no room for `wanted`, other memory, zeroed.
static void *room_for(void *memory, size_t wanted, size_t item_bytes,
                      size_t *inout_room) {
  if (wanted <= *inout_room) {
    return memory;
  }
  free(memory);
  *inout_room = wanted;
  return pod_alloc(wanted * item_bytes);
}

// Bits of the links' `near` for the lanes. False: there are not enough.
static bool take_bits(simulator_rounds_t *rounds, rounds_part_t *part) {
  const int32_t first_code = (int32_t)(part - rounds->parts) * ROUNDS_LANES_MAX;
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    for (int32_t i = 0; i < part->plan->sender_count[d]; i++) {
      if (rounds->taken[d] == UINT64_MAX) {
        return false;
      }
      const int32_t bit = __builtin_ctzll(~rounds->taken[d]);
      const int32_t lane = part->plan->senders[d][i];
      rounds->taken[d] |= UINT64_C(1) << bit;
      rounds->lanes_of_bits[d][bit] =
          (rounds_sender_t){.lanes = part->lanes + lane,
                            .until_ps = part->plan->until_ps[d],
                            .least_ps = part->plan->least_ps,
                            .stride = part->plan->lane_count,
                            .code = first_code + lane,
                            .part = 1U << (part - rounds->parts)};
      part->bits[d][lane] = (uint8_t)bit;
    }
  }
  return true;
}

static void make_room(const simulator_rounds_t *rounds, rounds_part_t *part) {
  const size_t classes = (size_t)rounds->class_count;
  if (part->begins_ps == NULL) {
    part->begins_ps = pod_alloc(classes * sizeof(*part->begins_ps));
    part->ends_ps = pod_alloc(classes * sizeof(*part->ends_ps));
    part->lanes_left = pod_alloc(classes * sizeof(*part->lanes_left));
    for (int d = 0; d < TORUS_DIRECTIONS; d++) {
      part->bits[d] = pod_alloc(ROUNDS_LANES_MAX);
    }
  }
  part->lanes = room_for(part->lanes, classes * (size_t)part->plan->lane_count,
                         sizeof(*part->lanes), &part->lane_room);
  part->floors_ps = room_for(part->floors_ps, classes * (size_t)part->plan->lane_count,
                             sizeof(*part->floors_ps), &part->floor_room);
  part->arrivals = room_for(part->arrivals, classes * (size_t)part->plan->step_count,
                            sizeof(*part->arrivals), &part->step_room);
}

rounds_part_t *rounds_open_part(simulator_rounds_t *rounds, int32_t instance) {
  int32_t index = 0;
  while (index < ROUNDS_PARTS_MAX && rounds->parts[index].is_live) {
    index++;
  }
  const rounds_plan_t *plan =
      plan_of(rounds, rounds->engine->instances.items[instance].plan);
  if (index == ROUNDS_PARTS_MAX || !plan->is_fit) {
    return NULL;
  }
  rounds_part_t *part = &rounds->parts[index];
  part->plan = plan;
  make_room(rounds, part);
  part->instance = instance;
  part->is_live = true;
  part->classes_left = rounds->class_count;
  for (int32_t c = 0; c < rounds->class_count; c++) {
    part->begins_ps[c] = ROUNDS_NEVER_PS;
    for (int32_t i = 0; i < plan->lane_count; i++) {
      part->lanes[c * plan->lane_count + i] =
          (rounds_lane_t){.base_ps = ROUNDS_NEVER_PS,
                          .step = plan->ranges[i].first_step,
                          .place = plan->ranges[i].first_step + i,
                          .direction = -1};
      atomic_init(&part->floors_ps[c * plan->lane_count + i], 0);
    }
  }
  return take_bits(rounds, part) ? part : NULL;
}

void rounds_close_part(simulator_rounds_t *rounds, rounds_part_t *part) {
  rounds_episodes_part_ends(rounds, part);
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    for (int32_t i = 0; i < part->plan->sender_count[d]; i++) {
      rounds->taken[d] &= ~(UINT64_C(1) << part->bits[d][part->plan->senders[d][i]]);
    }
  }
  part->is_live = false;
}

bool rounds_is_any_live(const simulator_rounds_t *rounds) {
  for (int i = 0; i < ROUNDS_PARTS_MAX; i++) {
    if (rounds->parts[i].is_live) {
      return true;
    }
  }
  return false;
}

// --- All of it ---

static void find_extremes(simulator_rounds_t *rounds) {
  const simulator_engine_t *engine = rounds->engine;
  rounds->rate_max = 0;
  rounds->factor_min = INT64_MAX;
  for (int32_t c = 0; c < rounds->class_count; c++) {
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      const int64_t rate = engine->network.channels[c * SIMULATOR_CHANNELS + d].rate;
      rounds->rate_max = rate > rounds->rate_max ? rate : rounds->rate_max;
    }
    const int64_t factor = engine->cores[c].factor;
    rounds->factor_min = factor < rounds->factor_min ? factor : rounds->factor_min;
  }
}

void rounds_init(simulator_rounds_t *rounds, simulator_engine_t *engine) {
  const size_t classes = (size_t)engine->running_count;
  const size_t links = classes * TORUS_DIRECTIONS;
  *rounds = (simulator_rounds_t){.engine = engine,
                                 .class_count = engine->running_count,
                                 .hop_ps = engine->options->spec->ici_hop_ps};
  rounds->chips = pod_alloc(classes * sizeof(*rounds->chips));
  rounds->links = pod_alloc(links * sizeof(*rounds->links));
  rounds->shares = pod_alloc(links * sizeof(*rounds->shares));
  rounds->senders = pod_alloc(links * sizeof(*rounds->senders));
  rounds->plans = pod_arena_array(engine->arena, (size_t)engine->plans.plan_count,
                                  sizeof(*rounds->plans));
  for (int32_t c = 0; c < rounds->class_count; c++) {
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      const simulator_direct_t *direct =
          &engine->network.direct[c * SIMULATOR_CHANNELS + d];
      rounds->links[c * TORUS_DIRECTIONS + d] =
          (rounds_link_t){.rate = direct->rate,
                          .peer = direct->peer_class,
                          .safe_ps = INT64_MIN,
                          .ready_ps = ROUNDS_NEVER_PS};
      if (direct->is_used) {
        rounds->senders[direct->peer_class * TORUS_DIRECTIONS + d] = c;
      }
    }
  }
  find_extremes(rounds);
  rounds_episodes_init(rounds);
}

void rounds_deinit(simulator_rounds_t *rounds) {
  for (int32_t i = 0; i < rounds->class_count * TORUS_DIRECTIONS; i++) {
    pod_list_deinit(&rounds->shares[i].users);
  }
  for (int32_t i = 0; i < rounds->class_count; i++) {
    pod_list_deinit(&rounds->chips[i].events);
    pod_list_deinit(&rounds->chips[i].busy);
  }
  for (int i = 0; i < ROUNDS_PARTS_MAX; i++) {
    rounds_part_t *part = &rounds->parts[i];
    free(part->lanes);
    free(part->floors_ps);
    free(part->arrivals);
    free(part->begins_ps);
    free(part->ends_ps);
    free(part->lanes_left);
    for (int d = 0; d < TORUS_DIRECTIONS; d++) {
      free(part->bits[d]);
    }
  }
  rounds_episodes_deinit(rounds);
  free(rounds->chips);
  free(rounds->links);
  free(rounds->shares);
  free(rounds->senders);
}
