// The lanes of collectives that are followed without a queue of events (rounds.c). A lane
// goes on as far as what has arrived allows and as it is sure who shares its link
// (rounds_links.c), whatever the others are at meanwhile; what it sends wakes the lane
// that waits for it. So messages round one ring follow each other while their lanes are
// in the cache.

#include "server/simulator/rounds.h"

static void push(rounds_worker_t *worker, int32_t class_index, int32_t code) {
  simulator_rounds_t *const rounds = worker->rounds;
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  const int32_t number = class_index * ROUNDS_CODES + code;
  if (!lane->is_queued && number != worker->current) {
    lane->is_queued = true;
    *pod_list_add(&worker->queue) = number;
  }
}

static rounds_part_t *part_of(simulator_rounds_t *rounds, int32_t code) {
  return &rounds->parts[code / ROUNDS_LANES_MAX];
}

// When the receiver has begun the message may go. False: that is not known.
static bool make_ready(const simulator_rounds_t *rounds, const rounds_part_t *part,
                       int32_t class_index, rounds_lane_t *lane) {
  const rounds_step_t *step = &part->plan->steps[lane->step];
  const int8_t direction = step->direction;
  rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  if (step->is_first) {
    const int64_t begin_ps = part->begins_ps[link->peer];
    if (begin_ps == ROUNDS_NEVER_PS) {
      lane->state = ROUNDS_HELD;
      return false;
    }
    lane->base_ps = begin_ps > lane->base_ps ? begin_ps : lane->base_ps;
  }
  link->ready++;
  lane->state = ROUNDS_READY;
  lane->direction = direction;
  return true;
}

// The lane comes to its step.
static void come_to_step(const simulator_rounds_t *rounds, const rounds_part_t *part,
                         int32_t class_index, int32_t lane_index, rounds_lane_t *lane,
                         int64_t ps) {
  lane->state = ROUNDS_READY;
  lane->base_ps = ps;
  lane->place = lane->step + lane_index;
  lane->direction = -1;
  if (part->plan->steps[lane->step].direction >= 0) {
    (void)make_ready(rounds, part, class_index, lane);
  }
}

// --- Ends ---

// The class is through with the part: its core learns when.
static void end_part(rounds_worker_t *worker, rounds_part_t *part, int32_t class_index) {
  simulator_rounds_t *const rounds = worker->rounds;
  simulator_engine_t *engine = rounds->engine;
  rounds->chips[class_index].live &= ~(1U << (part - rounds->parts));
  engine->instances.items[part->instance].classes[class_index].parts_left = 1;
  simulator_rounds_schedule(
      engine, part->ends_ps[class_index],
      (simulator_queue_event_t){
          .kind = SIMULATOR_COPIES, .a = part->instance, .b = class_index});
  rounds_count_any(rounds, class_index);
  worker->through[part - rounds->parts]++;
}

static void set_done(rounds_worker_t *worker, rounds_part_t *part, int32_t class_index,
                     int32_t lane_index, int64_t ps) {
  rounds_lane_t *lane = &part->lanes[class_index * part->plan->lane_count + lane_index];
  lane->state = ROUNDS_DONE;
  lane->base_ps = ps;
  lane->place = part->plan->ranges[lane_index].end_step + lane_index;
  lane->direction = -1;
  int64_t *end_ps = &part->ends_ps[class_index];
  *end_ps = ps > *end_ps ? ps : *end_ps;
  worker->has_given_up |= ps > SIMULATOR_TIME_MAX_PS / 2;
  part->lanes_left[class_index]--;
}

// Whether all that the lane waits for is done; *inout_ps: when, if that is later.
static bool may_start(const rounds_part_t *part, int32_t class_index,
                      const rounds_range_t *range, int64_t *inout_ps) {
  for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
    if (range->after[a] >= 0) {
      const rounds_lane_t *after =
          &part->lanes[class_index * part->plan->lane_count + range->after[a]];
      if (after->state != ROUNDS_DONE) {
        return false;
      }
      *inout_ps = after->base_ps > *inout_ps ? after->base_ps : *inout_ps;
    }
  }
  return true;
}

// A lane waits only for lower ones, so one walk upwards starts all that can.
static void start_lanes(rounds_worker_t *worker, rounds_part_t *part, int32_t class_index,
                        int32_t first) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_plan_t *plan = part->plan;
  for (int32_t i = first; i < plan->lane_count; i++) {
    rounds_lane_t *lane = &part->lanes[class_index * plan->lane_count + i];
    int64_t ps = part->begins_ps[class_index];
    if (lane->state != ROUNDS_WAITING ||
        !may_start(part, class_index, &plan->ranges[i], &ps)) {
      continue;
    }
    if (plan->ranges[i].first_step == plan->ranges[i].end_step) {
      set_done(worker, part, class_index, i, ps);
    } else {
      come_to_step(rounds, part, class_index, i, lane, ps);
      push(worker, class_index, (int32_t)(part - rounds->parts) * ROUNDS_LANES_MAX + i);
    }
  }
}

// --- Steps ---

void rounds_arrive(rounds_worker_t *worker, int32_t class_index, int32_t code,
                   int32_t step, int64_t arrival_ps) {
  simulator_rounds_t *const rounds = worker->rounds;
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  if (lane->step != step) {
    *rounds_arrival(part_of(rounds, code), class_index, step) = arrival_ps;
    lane->early++;
    return;
  }
  lane->arrival_ps = arrival_ps;
  if (lane->state == ROUNDS_SENT) {
    push(worker, class_index, code);
  }
}

void rounds_sent(rounds_worker_t *worker, int32_t class_index, int32_t code,
                 int64_t start_ps, int64_t end_ps) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_part_t *part = part_of(rounds, code);
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  const rounds_step_t *step = &part->plan->steps[lane->step];
  const rounds_step_t *target = &part->plan->steps[step->target];
  const int32_t peer =
      rounds->links[class_index * TORUS_DIRECTIONS + step->direction].peer;
  worker->steps++;
  lane->state = ROUNDS_SENT;
  lane->base_ps = end_ps;
  lane->place = lane->step + code % ROUNDS_LANES_MAX + 1;
  lane->direction = -1;
  const int64_t arrival_ps =
      simulator_arrival_ps(target->is_sent_on, start_ps, end_ps, rounds->hop_ps);
  const int32_t receiver_code = code - code % ROUNDS_LANES_MAX + target->lane;
  if (rounds_is_own(worker, peer)) {
    rounds_arrive(worker, peer, receiver_code, step->target, arrival_ps);
  } else {
    const int32_t to = peer / rounds->classes_each;
    *pod_list_add(&worker->out[to]) =
        (rounds_post_t){arrival_ps, peer, receiver_code, step->target};
    if (worker->out[to].count >= ROUNDS_POSTS) {
      rounds_post(worker, to);
    }
  }
  push(worker, class_index, code);
}

// Whether the link's blocker does not come before what the link waits for.
static bool is_clear(rounds_worker_t *worker, int32_t class_index, int32_t direction) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  if (link->blocker == ROUNDS_CORE) {
    return rounds_core_bound(worker, class_index, link->wanted_ps, 0) >= link->wanted_ps;
  }
  const rounds_plan_t *plan = rounds->parts[link->blocker / ROUNDS_LANES_MAX].plan;
  const rounds_lane_t *lane = rounds_lane(rounds, class_index, link->blocker);
  return lane->direction == direction ||
         lane->base_ps + plan->until_ps[direction][lane->place] >= link->wanted_ps;
}

// What a message will touch where it arrives is brought into the cache: the lane, and the
// link over which it is sent on, as most are.
static void expect_arrival(const simulator_rounds_t *rounds, const rounds_part_t *part,
                           int32_t peer, const rounds_step_t *step) {
  const rounds_plan_t *plan = part->plan;
  const rounds_step_t *target = &plan->steps[step->target];
  __builtin_prefetch(&part->lanes[peer * plan->lane_count + target->lane], 1);
  const char *link =
      (const char *)&rounds->links[peer * TORUS_DIRECTIONS + step->direction];
  __builtin_prefetch(link, 1);
  __builtin_prefetch(link + 64, 1);
}

// False: it has to wait until its link is sure.
static bool start_step(rounds_worker_t *worker, const rounds_part_t *part,
                       int32_t class_index, int32_t code, rounds_lane_t *lane) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_step_t *step = &part->plan->steps[lane->step];
  if (step->direction < 0) {
    lane->state = ROUNDS_SENT;
    lane->place++;
    if (step->is_local) {
      lane->base_ps +=
          simulator_scaled(&rounds->engine->cores[class_index], step->local_ps);
    }
    return true;
  }
  const int32_t link_index = class_index * TORUS_DIRECTIONS + step->direction;
  rounds_link_t *link = &rounds->links[link_index];
  expect_arrival(rounds, part, link->peer, step);
  if (link->count == 0 &&
      link->near == UINT64_C(1) << part->bits[step->direction][code % ROUNDS_LANES_MAX]) {
    const int64_t start_ps = lane->base_ps;
    const int64_t end_ps = start_ps + rounds_alone_ps(link, step->send_ps);
    if (end_ps <= link->safe_ps) {
      rounds_add_stretch(rounds, link_index, start_ps, end_ps);
      link->ready--;
      rounds_sent(worker, class_index, code, start_ps, end_ps);
      return true;
    }
  }
  if ((rounds->chips[class_index].blocked >> step->direction & 1) == 0 ||
      lane->base_ps < link->wanted_ps || is_clear(worker, class_index, step->direction)) {
    rounds_link_go_on(worker, class_index, step->direction, ROUNDS_DEPTH, false);
  }
  return lane->state == ROUNDS_SENT;
}

// What has come for a step before the lane came to it.
static void take_early(const rounds_part_t *part, int32_t class_index,
                       rounds_lane_t *lane) {
  int64_t *arrival_ps = rounds_arrival(part, class_index, lane->step);
  lane->arrival_ps = *arrival_ps;
  lane->early -= *arrival_ps != 0;
  *arrival_ps = 0;
}

// False: it waits for what it receives, or is at its end.
static bool end_step(rounds_worker_t *worker, rounds_part_t *part, int32_t class_index,
                     int32_t lane_index, rounds_lane_t *lane) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_range_t *range = &part->plan->ranges[lane_index];
  int64_t ps = lane->base_ps;
  if (part->plan->steps[lane->step].source >= 0) {
    if (lane->arrival_ps == 0) {
      return false;
    }
    ps = lane->arrival_ps > ps ? lane->arrival_ps : ps;
    lane->arrival_ps = 0;
  }
  if (++lane->step < range->end_step) {
    if (lane->early > 0) {
      take_early(part, class_index, lane);
    }
    come_to_step(rounds, part, class_index, lane_index, lane, ps);
    return true;
  }
  set_done(worker, part, class_index, lane_index, ps);
  if (part->plan->has_after) {
    start_lanes(worker, part, class_index, lane_index + 1);
  }
  return false;
}

static bool go_on(rounds_worker_t *worker, rounds_part_t *part, int32_t class_index,
                  int32_t code, rounds_lane_t *lane) {
  simulator_rounds_t *const rounds = worker->rounds;
  switch (lane->state) {
    case ROUNDS_HELD:
      return make_ready(rounds, part, class_index, lane);
    case ROUNDS_READY:
      return start_step(worker, part, class_index, code, lane);
    case ROUNDS_SENT:
      return end_step(worker, part, class_index, code % ROUNDS_LANES_MAX, lane);
    default:
      return false;
  }
}

// --- Chips ---

void rounds_unblock(rounds_worker_t *worker, int32_t class_index, int32_t code) {
  simulator_rounds_t *const rounds = worker->rounds;
  for (uint32_t left = rounds->chips[class_index].blocked; left != 0; left &= left - 1) {
    const int32_t direction = __builtin_ctz(left);
    if (rounds->links[class_index * TORUS_DIRECTIONS + direction].blocker == code &&
        is_clear(worker, class_index, direction)) {
      rounds_link_go_on(worker, class_index, direction, ROUNDS_DEPTH, false);
    }
  }
}

void rounds_run_lane(rounds_worker_t *worker, int32_t number) {
  simulator_rounds_t *const rounds = worker->rounds;
  const int32_t class_index = number / ROUNDS_CODES;
  const int32_t code = number % ROUNDS_CODES;
  rounds_part_t *part = part_of(rounds, code);
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  lane->is_queued = false;
  worker->current = number;
  uint8_t state;
  do {
    while (go_on(worker, part, class_index, code, lane)) {
    }
    state = lane->state;
    rounds_unblock(worker, class_index, code);
  } while (lane->state != state);
  worker->current = -1;
  if (state == ROUNDS_DONE) {
    if (part->lanes_left[class_index] == 0) {
      end_part(worker, part, class_index);
    }
    rounds_unblock(worker, class_index, ROUNDS_CORE);
    rounds_wake_chip(worker, class_index);
  }
}

// Lanes of neighbours that have waited for the class go on.
static void release_neighbours(simulator_rounds_t *rounds, const rounds_part_t *part,
                               int32_t class_index) {
  const int32_t first_code = (int32_t)(part - rounds->parts) * ROUNDS_LANES_MAX;
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    const int32_t sender = rounds->senders[class_index * TORUS_DIRECTIONS + d];
    for (int32_t i = 0; i < part->plan->sender_count[d]; i++) {
      const int32_t code = first_code + part->plan->senders[d][i];
      const rounds_lane_t *lane = rounds_lane(rounds, sender, code);
      if (lane->state == ROUNDS_HELD && part->plan->steps[lane->step].direction == d) {
        push(rounds_worker_of(rounds, sender), sender, code);
      }
    }
  }
}

void rounds_begin(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                  int64_t begin_ps) {
  const rounds_plan_t *plan = part->plan;
  rounds_worker_t *worker = rounds_worker_of(rounds, class_index);
  part->begins_ps[class_index] = begin_ps;
  part->ends_ps[class_index] =
      begin_ps + simulator_scaled(&rounds->engine->cores[class_index], plan->hbm_ps);
  part->lanes_left[class_index] = plan->lane_count;
  rounds->chips[class_index].live |= 1U << (part - rounds->parts);
  for (int32_t i = 0; i < plan->lane_count; i++) {
    part->lanes[class_index * plan->lane_count + i].base_ps = begin_ps;
  }
  start_lanes(worker, part, class_index, 0);
  release_neighbours(rounds, part, class_index);
  if (part->lanes_left[class_index] == 0) {
    end_part(worker, part, class_index);
    rounds_draw_sums(rounds);
  }
}
