// The lanes of collectives that are followed without a queue of events (rounds.c). A lane
// goes on as far as what has arrived allows and as it is sure who shares its link
// (rounds_links.c), whatever the others are at meanwhile; what it sends wakes the lane
// that waits for it. So messages round one ring follow each other while their lanes are
// in the cache.

#include "server/simulator/rounds.h"

// How many neighbours are looked at before a link is left to wait.
enum { DEPTH = 1 };

static void push(simulator_rounds_t *rounds, int32_t class_index, int32_t code) {
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  const int32_t number = class_index * ROUNDS_CODES + code;
  if (!lane->is_queued && number != rounds->current) {
    lane->is_queued = true;
    *pod_list_add(&rounds->queue) = number;
  }
}

static rounds_part_t *part_of(simulator_rounds_t *rounds, int32_t code) {
  return &rounds->parts[code / ROUNDS_LANES_MAX];
}

// When the receiver has begun the message may go. False: that is not known.
static bool make_ready(const simulator_rounds_t *rounds, const rounds_part_t *part,
                       int32_t class_index, rounds_lane_t *lane) {
  const int8_t direction = part->plan->steps[lane->step].direction;
  const int32_t peer = rounds->links[class_index * TORUS_DIRECTIONS + direction].peer;
  const int64_t begin_ps = part->begins_ps[peer];
  if (begin_ps == ROUNDS_NEVER_PS) {
    lane->state = ROUNDS_HELD;
    return false;
  }
  lane->state = ROUNDS_READY;
  lane->base_ps = begin_ps > lane->base_ps ? begin_ps : lane->base_ps;
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
static void end_part(simulator_rounds_t *rounds, rounds_part_t *part,
                     int32_t class_index) {
  simulator_engine_t *engine = rounds->engine;
  rounds->chips[class_index].live &= ~(1U << (part - rounds->parts));
  engine->instances.items[part->instance].classes[class_index].parts_left = 1;
  simulator_rounds_schedule(
      engine, part->ends_ps[class_index],
      (simulator_queue_event_t){
          .kind = SIMULATOR_COPIES, .a = part->instance, .b = class_index});
  rounds_count_any(rounds, class_index);
  if (--part->classes_left == 0) {
    engine->instances.items[part->instance].part = -1;
    rounds_close_part(rounds, part);
  }
}

static void set_done(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                     int32_t lane_index, int64_t ps) {
  rounds_lane_t *lane = &part->lanes[class_index * part->plan->lane_count + lane_index];
  lane->state = ROUNDS_DONE;
  lane->base_ps = ps;
  lane->place = part->plan->ranges[lane_index].end_step + lane_index;
  lane->direction = -1;
  int64_t *end_ps = &part->ends_ps[class_index];
  *end_ps = ps > *end_ps ? ps : *end_ps;
  rounds->has_given_up |= ps > SIMULATOR_TIME_MAX_PS / 2;
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
static void start_lanes(simulator_rounds_t *rounds, rounds_part_t *part,
                        int32_t class_index, int32_t first) {
  const rounds_plan_t *plan = part->plan;
  for (int32_t i = first; i < plan->lane_count; i++) {
    rounds_lane_t *lane = &part->lanes[class_index * plan->lane_count + i];
    int64_t ps = part->begins_ps[class_index];
    if (lane->state != ROUNDS_WAITING ||
        !may_start(part, class_index, &plan->ranges[i], &ps)) {
      continue;
    }
    if (plan->ranges[i].first_step == plan->ranges[i].end_step) {
      set_done(rounds, part, class_index, i, ps);
    } else {
      come_to_step(rounds, part, class_index, i, lane, ps);
      push(rounds, class_index, (int32_t)(part - rounds->parts) * ROUNDS_LANES_MAX + i);
    }
  }
}

// --- Steps ---

void rounds_sent(simulator_rounds_t *rounds, int32_t class_index, int32_t code,
                 int64_t start_ps, int64_t end_ps) {
  const rounds_part_t *part = part_of(rounds, code);
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  const rounds_step_t *step = &part->plan->steps[lane->step];
  const rounds_step_t *target = &part->plan->steps[step->target];
  const int32_t peer =
      rounds->links[class_index * TORUS_DIRECTIONS + step->direction].peer;
  rounds->engine->steps++;
  lane->state = ROUNDS_SENT;
  lane->base_ps = end_ps;
  lane->place = lane->step + code % ROUNDS_LANES_MAX + 1;
  lane->direction = -1;
  const int64_t arrival_ps =
      simulator_arrival_ps(target->is_sent_on, start_ps, end_ps, rounds->hop_ps);
  const int32_t receiver_code = code - code % ROUNDS_LANES_MAX + target->lane;
  rounds_lane_t *receiver = rounds_lane(rounds, peer, receiver_code);
  if (receiver->step != step->target) {
    *rounds_arrival(part, peer, step->target) = arrival_ps;
    receiver->early++;
  } else {
    receiver->arrival_ps = arrival_ps;
    if (receiver->state == ROUNDS_SENT) {
      push(rounds, peer, receiver_code);
    }
  }
  push(rounds, class_index, code);
}

// Whether the link's blocker does not come before what the link waits for.
static bool is_clear(const simulator_rounds_t *rounds, int32_t class_index,
                     int32_t direction) {
  const rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  if (link->blocker == ROUNDS_CORE) {
    return rounds_core_bound(rounds, class_index, link->wanted_ps, 0) >= link->wanted_ps;
  }
  const rounds_plan_t *plan = rounds->parts[link->blocker / ROUNDS_LANES_MAX].plan;
  const rounds_lane_t *lane = rounds_lane(rounds, class_index, link->blocker);
  return lane->direction == direction ||
         lane->base_ps + plan->until_ps[direction][lane->place] >= link->wanted_ps;
}

// False: it has to wait until its link is sure.
static bool start_step(simulator_rounds_t *rounds, const rounds_part_t *part,
                       int32_t class_index, int32_t code, rounds_lane_t *lane) {
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
  const rounds_link_t *link = &rounds->links[link_index];
  if (link->count == 0 &&
      link->near == UINT64_C(1) << part->bits[step->direction][code % ROUNDS_LANES_MAX]) {
    const int64_t start_ps = lane->base_ps;
    const int64_t end_ps = start_ps + rounds_alone_ps(link, step->send_ps);
    if (end_ps <= link->safe_ps) {
      rounds_add_stretch(rounds, link_index, start_ps, end_ps);
      rounds_sent(rounds, class_index, code, start_ps, end_ps);
      return true;
    }
  }
  if ((rounds->chips[class_index].blocked >> step->direction & 1) == 0 ||
      lane->base_ps < link->wanted_ps || is_clear(rounds, class_index, step->direction)) {
    rounds_link_go_on(rounds, class_index, step->direction, DEPTH);
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
static bool end_step(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                     int32_t lane_index, rounds_lane_t *lane) {
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
  set_done(rounds, part, class_index, lane_index, ps);
  if (part->plan->has_after) {
    start_lanes(rounds, part, class_index, lane_index + 1);
  }
  return false;
}

static bool go_on(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                  int32_t code, rounds_lane_t *lane) {
  switch (lane->state) {
    case ROUNDS_HELD:
      return make_ready(rounds, part, class_index, lane);
    case ROUNDS_READY:
      return start_step(rounds, part, class_index, code, lane);
    case ROUNDS_SENT:
      return end_step(rounds, part, class_index, code % ROUNDS_LANES_MAX, lane);
    default:
      return false;
  }
}

// --- Chips ---

void rounds_unblock(simulator_rounds_t *rounds, int32_t class_index, int32_t code) {
  for (uint32_t left = rounds->chips[class_index].blocked; left != 0; left &= left - 1) {
    const int32_t direction = __builtin_ctz(left);
    if (rounds->links[class_index * TORUS_DIRECTIONS + direction].blocker == code &&
        is_clear(rounds, class_index, direction)) {
      rounds_link_go_on(rounds, class_index, direction, DEPTH);
    }
  }
}

void rounds_run_lane(simulator_rounds_t *rounds, int32_t number) {
  const int32_t class_index = number / ROUNDS_CODES;
  const int32_t code = number % ROUNDS_CODES;
  rounds_part_t *part = part_of(rounds, code);
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  lane->is_queued = false;
  rounds->current = number;
  uint8_t state;
  do {
    while (go_on(rounds, part, class_index, code, lane)) {
    }
    state = lane->state;
    rounds_unblock(rounds, class_index, code);
  } while (lane->state != state);
  rounds->current = -1;
  if (state == ROUNDS_DONE) {
    if (part->lanes_left[class_index] == 0) {
      end_part(rounds, part, class_index);
    }
    rounds_unblock(rounds, class_index, ROUNDS_CORE);
    rounds_wake_chip(rounds, class_index);
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
        push(rounds, sender, code);
      }
    }
  }
}

void rounds_begin(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                  int64_t begin_ps) {
  const rounds_plan_t *plan = part->plan;
  part->begins_ps[class_index] = begin_ps;
  part->ends_ps[class_index] =
      begin_ps + simulator_scaled(&rounds->engine->cores[class_index], plan->hbm_ps);
  part->lanes_left[class_index] = plan->lane_count;
  rounds->chips[class_index].live |= 1U << (part - rounds->parts);
  for (int32_t i = 0; i < plan->lane_count; i++) {
    part->lanes[class_index * plan->lane_count + i].base_ps = begin_ps;
  }
  start_lanes(rounds, part, class_index, 0);
  release_neighbours(rounds, part, class_index);
  if (part->lanes_left[class_index] == 0) {
    end_part(rounds, part, class_index);
  }
}
