// How soon something can come, for rounds_links.c: lower bounds, from where a lane or a
// core is known to be. A lane that waits for what a neighbour has not sent yet is no
// further than it was; if that is not enough, the neighbour's place is looked at, and
// that of its neighbour, as far as `depth`, and not without end: 0 is always a bound.
// What happens first of all is always found sure so, since each chain of those that wait
// ends at something that happens later; where that takes too long, windows take over.

#include "server/simulator/rounds.h"

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t left_of(const rounds_plan_t *plan, int32_t lane_index,
                       const rounds_lane_t *lane) {
  return plan->since_ps[plan->ranges[lane_index].end_step + lane_index] -
         plan->since_ps[lane->place];
}

static int64_t lane_end_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                              int64_t wanted_ps, int depth) {
  const simulator_rounds_t *rounds = worker->rounds;
  const int64_t left_ps =
      left_of(rounds->parts[code / ROUNDS_LANES_MAX].plan, code % ROUNDS_LANES_MAX,
              rounds_lane(rounds, class_index, code));
  return left_ps +
         rounds_lane_bound(worker, class_index, code, wanted_ps - left_ps, depth);
}

// When a lane that waits for others of its chip can start.
static int64_t start_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                           int64_t wanted_ps, int depth) {
  const simulator_rounds_t *rounds = worker->rounds;
  const rounds_plan_t *plan = rounds->parts[code / ROUNDS_LANES_MAX].plan;
  const int32_t first_code = code - code % ROUNDS_LANES_MAX;
  int64_t bound_ps = rounds_lane(rounds, class_index, code)->base_ps;
  for (int a = 0; a < COLLECTIVE_AFTER_MAX && bound_ps < wanted_ps; a++) {
    const int32_t after = plan->ranges[code % ROUNDS_LANES_MAX].after[a];
    if (after >= 0) {
      bound_ps = later(bound_ps, lane_end_bound(worker, class_index, first_code + after,
                                                wanted_ps, depth));
    }
  }
  return bound_ps;
}

// A message that is on its link leaves no sooner than the first of those that share it.
static int64_t leave_bound(const simulator_rounds_t *rounds, int32_t class_index,
                           const rounds_lane_t *lane) {
  return later(lane->base_ps,
               rounds->links[class_index * TORUS_DIRECTIONS + lane->direction].end_ps);
}

// While lanes are followed others change what belongs to their chips.
static bool may_look_at(const rounds_worker_t *worker, int32_t class_index) {
  return worker->is_looking || rounds_is_own(worker, class_index);
}

// When what a lane waits for arrives.
static int64_t arrival_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                             int32_t step, int64_t wanted_ps, int depth) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_part_t *part = &rounds->parts[code / ROUNDS_LANES_MAX];
  const rounds_plan_t *plan = part->plan;
  const int32_t source = plan->steps[step].source;
  const rounds_step_t *sent = &plan->steps[source];
  const int32_t sender =
      rounds->senders[class_index * TORUS_DIRECTIONS + sent->direction];
  if (!may_look_at(worker, sender)) {
    return 0;
  }
  const int32_t sender_code = code - code % ROUNDS_LANES_MAX + sent->lane;
  const rounds_lane_t *lane = rounds_lane(rounds, sender, sender_code);
  if (lane->step > source || depth == 0 || --worker->looks_left < 0) {
    return 0;
  }
  const bool is_sent_on = plan->steps[step].is_sent_on;
  if (lane->state == ROUNDS_ON_LINK && lane->step == source) {
    return simulator_arrival_ps(is_sent_on, lane->base_ps - sent->least_ps,
                                leave_bound(rounds, sender, lane), rounds->hop_ps);
  }
  const int64_t until_ps =
      plan->since_ps[source + sent->lane] - plan->since_ps[lane->place];
  const int64_t needed_ps = wanted_ps - until_ps - sent->least_ps;
  const int64_t start_ps =
      until_ps +
      (part->begins_ps[sender] == ROUNDS_NEVER_PS
           ? rounds_core_bound(worker, sender, needed_ps, depth - 1)
           : rounds_lane_bound(worker, sender, sender_code, needed_ps, depth - 1));
  return simulator_arrival_ps(is_sent_on, start_ps, start_ps + sent->least_ps,
                              rounds->hop_ps);
}

// What it waits for comes from elsewhere.
static int64_t far_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                         const rounds_lane_t *lane, int64_t wanted_ps, int depth) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_part_t *part = &rounds->parts[code / ROUNDS_LANES_MAX];
  const rounds_step_t *step = &part->plan->steps[lane->step];
  if (lane->state == ROUNDS_HELD) {
    const int32_t peer =
        rounds->links[class_index * TORUS_DIRECTIONS + step->direction].peer;
    if (part->begins_ps[peer] != ROUNDS_NEVER_PS) {
      return part->begins_ps[peer];
    }
    return may_look_at(worker, peer)
               ? rounds_core_bound(worker, peer, wanted_ps, depth - 1)
               : 0;
  }
  if (step->source < 0 || lane->arrival_ps != 0) {
    return lane->base_ps;
  }
  return arrival_bound(worker, class_index, code, lane->step, wanted_ps, depth);
}

static _Atomic int64_t *floor_of(const simulator_rounds_t *rounds, int32_t class_index,
                                 int32_t code) {
  const rounds_part_t *part = &rounds->parts[code / ROUNDS_LANES_MAX];
  return &part->floors_ps[class_index * part->plan->lane_count + code % ROUNDS_LANES_MAX];
}

// It goes on no sooner, so that this may be remembered: of own lanes while they are
// followed, of all while all are looked at, by several workers at once.
static void remember(rounds_worker_t *worker, int32_t class_index, int32_t code,
                     int64_t bound_ps) {
  if (worker->is_looking) {
    atomic_store_explicit(floor_of(worker->rounds, class_index, code), bound_ps,
                          memory_order_relaxed);
  } else {
    rounds_lane(worker->rounds, class_index, code)->base_ps = bound_ps;
  }
}

int64_t rounds_lane_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                          int64_t wanted_ps, int depth) {
  const simulator_rounds_t *rounds = worker->rounds;
  const rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  if (lane->base_ps >= wanted_ps) {
    return lane->base_ps;
  }
  if (lane->state == ROUNDS_WAITING) {
    return start_bound(worker, class_index, code, wanted_ps, depth);
  }
  if (lane->state == ROUNDS_ON_LINK) {
    return leave_bound(rounds, class_index, lane);
  }
  if (lane->state != ROUNDS_SENT && lane->state != ROUNDS_HELD) {
    return lane->base_ps;
  }
  int64_t bound_ps = lane->base_ps;
  if (worker->is_looking) {
    bound_ps = later(bound_ps, atomic_load_explicit(floor_of(rounds, class_index, code),
                                                    memory_order_relaxed));
  }
  if (depth > 0 && bound_ps < wanted_ps) {
    const int64_t far_ps = far_bound(worker, class_index, code, lane, wanted_ps, depth);
    if (far_ps > bound_ps) {
      bound_ps = far_ps;
      remember(worker, class_index, code, bound_ps);
    }
  }
  return bound_ps;
}

int64_t rounds_end_bound(rounds_worker_t *worker, int32_t class_index, int32_t part_index,
                         int64_t wanted_ps, int depth) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_part_t *part = &rounds->parts[part_index];
  rounds_chip_t *chip = &rounds->chips[class_index];
  const int32_t count = part->plan->lane_count;
  int64_t bound_ps = part->ends_ps[class_index];
  // The lane that was the latest is so still, mostly.
  const int32_t first = chip->late_lane < count ? chip->late_lane : 0;
  for (int pass = 0; pass < 2 && (pass == 0 || depth > 0); pass++) {
    for (int32_t n = 0; n < count && bound_ps < wanted_ps; n++) {
      const int32_t i = first + n < count ? first + n : first + n - count;
      const int64_t lane_ps =
          lane_end_bound(worker, class_index, part_index * ROUNDS_LANES_MAX + i,
                         wanted_ps, pass == 0 ? 0 : depth);
      if (lane_ps > bound_ps) {
        bound_ps = lane_ps;
        if (!worker->is_looking) {
          chip->late_lane = i;
        }
      }
    }
  }
  return bound_ps;
}

int64_t rounds_core_bound(rounds_worker_t *worker, int32_t class_index, int64_t wanted_ps,
                          int depth) {
  simulator_rounds_t *const rounds = worker->rounds;
  const simulator_engine_t *engine = rounds->engine;
  const simulator_core_t *core = &engine->cores[class_index];
  const rounds_chip_t *chip = &rounds->chips[class_index];
  const int64_t startup_ps = engine->options->spec->collective_startup_ps;
  int64_t bound_ps = ROUNDS_NEVER_PS - startup_ps;
  if (core->state == SIMULATOR_CORE_ENDED || depth < 0) {
    return depth < 0 ? 0 : ROUNDS_NEVER_PS;
  }
  if (chip->events.count > 0) {
    bound_ps = pod_list_last(&chip->events)->ps;
  }
  if (chip->held_ps < bound_ps) {
    bound_ps = chip->held_ps;
  }
  if (core->state == SIMULATOR_CORE_WAITING) {
    const int32_t part = engine->instances.items[core->waits_for].part;
    if (part >= 0 && (chip->live >> part & 1) != 0) {
      const int64_t end_ps =
          rounds_end_bound(worker, class_index, part, wanted_ps - startup_ps, depth);
      bound_ps = end_ps < bound_ps ? end_ps : bound_ps;
    }
  }
  return bound_ps + startup_ps;
}
