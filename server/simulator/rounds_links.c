// The links of collectives that are followed without a queue of events (rounds.c).
//
// Messages come onto a link in the order of time, and leave it as those that share it
// let them. What comes next is sure when nothing of the chip can put another message on
// the link before: each lane is at a place from which its next message over this link is
// a known stretch of work away, at least. That is far more than a hop's latency: a lane
// that goes round another axis first is many steps away. (Conservative simulation with
// lookahead: Chandy and Misra 1979.)

#include <string.h>

#include "server/simulator/rounds.h"

// --- What comes next ---

typedef struct next_t {
  int64_t start_ps;  // Of the first message that is ready for the link, or NEVER.
  int64_t end_ps;    // Of the first of those on the link, or NEVER.
  int64_t ps;        // The earlier of both.
  int32_t code;      // Of the message that is ready.
  int32_t ready;     // How many are.
  int64_t bound_ps;  // Nothing else comes before.
  int32_t blocker;   // What may come then.
  bool is_fresh;     // All that can come has been looked at for it.
} next_t;

static const rounds_lane_t *lane_of(const rounds_sender_t *sender, int32_t class_index) {
  return &sender->lanes[(size_t)class_index * (size_t)sender->stride];
}

// When a lane that has no message on the link puts one there, at least.
static inline int64_t bound_of(rounds_worker_t *worker, int32_t class_index,
                               const rounds_sender_t *sender, const rounds_lane_t *lane,
                               int32_t direction) {
  if (lane->direction == direction) {
    return lane->base_ps;
  }
  const int64_t until_ps = sender->until_ps[lane->place];
  return lane->state != ROUNDS_WAITING || until_ps == ROUNDS_NEVER_PS
             ? lane->base_ps + until_ps
             : until_ps + rounds_lane_bound(worker, class_index, sender->code,
                                            ROUNDS_NEVER_PS, 0);
}

// A lane that does not come soon.
static void add_far(const rounds_lane_t *lane, int32_t code, int32_t direction,
                    int64_t bound_ps, rounds_link_t *link) {
  if (bound_ps < link->safe_ps) {
    link->safe_ps = bound_ps;
    link->safe_lane = (int16_t)code;
  }
  if (lane->direction == direction && bound_ps < link->ready_ps) {
    link->ready_ps = bound_ps;
    link->ready_lane = (int16_t)code;
  }
}

static bool is_core_far(rounds_worker_t *worker, int32_t class_index, int64_t ps,
                        int depth) {
  rounds_chip_t *chip = &worker->rounds->chips[class_index];
  if (chip->core_ps < ps) {
    const int64_t core_ps = rounds_core_bound(worker, class_index, ps, depth);
    chip->core_ps = core_ps > chip->core_ps ? core_ps : chip->core_ps;
  }
  return chip->core_ps >= ps;
}

// The core, as far as it matters up to when things come soon.
static void add_core(rounds_worker_t *worker, int32_t class_index, int64_t soon_ps,
                     rounds_link_t *link) {
  (void)is_core_far(worker, class_index, soon_ps, 0);
  link->safe_ps = worker->rounds->chips[class_index].core_ps;
  link->safe_lane = ROUNDS_CORE;
}

static void begin_next(next_t *next) {
  next->ps = next->end_ps = next->start_ps = ROUNDS_NEVER_PS;
  next->code = -1;
  next->ready = 0;
  next->bound_ps = ROUNDS_NEVER_PS;
  next->blocker = ROUNDS_CORE;
  next->is_fresh = false;
}

static void add_bound(next_t *next, int64_t bound_ps, int32_t code) {
  if (bound_ps < next->bound_ps) {
    next->bound_ps = bound_ps;
    next->blocker = code;
  }
}

static void add_ready(next_t *next, const rounds_lane_t *lane, int32_t code) {
  next->ready++;
  if (lane->base_ps < next->start_ps) {
    next->start_ps = lane->base_ps;
    next->code = code;
  }
}

// What is not near, and what is on the link.
static void add_rest(const simulator_rounds_t *rounds, int32_t class_index,
                     int32_t direction, next_t *next) {
  const rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  add_bound(next, link->safe_ps, link->safe_lane);
  if (link->ready_ps < next->start_ps) {
    const rounds_lane_t *lane = rounds_lane(rounds, class_index, link->ready_lane);
    if (lane->direction == direction && lane->state == ROUNDS_READY) {
      add_ready(next, lane, link->ready_lane);
    }
  }
  next->end_ps = link->count > 0 ? link->end_ps : ROUNDS_NEVER_PS;
  next->ps = next->end_ps <= next->start_ps ? next->end_ps : next->start_ps;
}

// Tells what comes soon, within some messages from what comes first, from what does not,
// which need not be looked at until then.
static void look_around(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                        next_t *next) {
  simulator_rounds_t *const rounds = worker->rounds;
  rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  const uint32_t live = rounds->chips[class_index].live;
  const rounds_sender_t *senders = rounds->lanes_of_bits[direction];
  int64_t bounds_ps[ROUNDS_SENDERS_MAX];
  int64_t first_ps = ROUNDS_NEVER_PS, least_ps = 0;
  uint64_t here = 0;
  for (uint64_t left = rounds->taken[direction]; left != 0; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    if ((live & senders[bit].part) == 0) {
      continue;
    }
    const rounds_lane_t *lane = lane_of(&senders[bit], class_index);
    here |= left & -left;
    bounds_ps[bit] = bound_of(worker, class_index, &senders[bit], lane, direction);
    if (bounds_ps[bit] < first_ps) {
      first_ps = bounds_ps[bit];
      least_ps = senders[bit].least_ps[lane->place];
    }
  }
  const int64_t soon_ps = first_ps + least_ps + rounds->hop_ps;
  begin_next(next);
  next->is_fresh = true;
  link->near = 0;
  link->ready_ps = ROUNDS_NEVER_PS;
  add_core(worker, class_index, soon_ps, link);
  for (uint64_t left = here; left != 0; left &= left - 1) {
    const int bit = __builtin_ctzll(left);
    const rounds_lane_t *lane = lane_of(&senders[bit], class_index);
    if (lane->direction == direction) {
      if (lane->state == ROUNDS_ON_LINK || bounds_ps[bit] <= soon_ps) {
        link->near |= left & -left;
        if (lane->state == ROUNDS_READY) {
          add_ready(next, lane, senders[bit].code);
        }
        continue;
      }
    } else if (senders[bit].until_ps[lane->place] == 0 && bounds_ps[bit] <= soon_ps) {
      link->near |= left & -left;
      add_bound(next, bounds_ps[bit], senders[bit].code);
      continue;
    }
    add_far(lane, senders[bit].code, direction, bounds_ps[bit], link);
  }
  add_rest(rounds, class_index, direction, next);
}

static void find_next(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                      next_t *next) {
  simulator_rounds_t *const rounds = worker->rounds;
  const rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + direction];
  begin_next(next);
  if (link->ready + link->count == 0) {
    return;
  }
  for (uint64_t left = link->near & rounds->taken[direction]; left != 0;
       left &= left - 1) {
    const rounds_sender_t *sender =
        &rounds->lanes_of_bits[direction][__builtin_ctzll(left)];
    const rounds_lane_t *lane = lane_of(sender, class_index);
    if (lane->direction != direction) {
      add_bound(next, bound_of(worker, class_index, sender, lane, direction),
                sender->code);
    } else if (lane->state == ROUNDS_READY) {
      add_ready(next, lane, sender->code);
    }
  }
  add_rest(rounds, class_index, direction, next);
  if (next->ps > link->safe_ps) {
    look_around(worker, class_index, direction, next);
  }
}

// With the chips around looked at.
static bool is_lane_far(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                        int32_t code, int64_t ps, int depth) {
  const simulator_rounds_t *rounds = worker->rounds;
  const rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  if (lane->direction == direction) {
    return true;  // Its message is known.
  }
  const int64_t until_ps =
      rounds->parts[code / ROUNDS_LANES_MAX].plan->until_ps[direction][lane->place];
  return lane->base_ps + until_ps >= ps ||
         until_ps + rounds_lane_bound(worker, class_index, code, ps - until_ps, depth) >=
             ps;
}

// Whether, with the chips around looked at, nothing else comes before what is next. What
// may come first mostly says no.
static bool is_far(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                   const next_t *next, int depth) {
  const simulator_rounds_t *rounds = worker->rounds;
  const uint32_t live = rounds->chips[class_index].live;
  if (depth == 0 ||
      (next->blocker != ROUNDS_CORE &&
       !is_lane_far(worker, class_index, direction, next->blocker, next->ps, depth))) {
    return false;
  }
  if (!is_core_far(worker, class_index, next->ps, depth)) {
    return false;
  }
  for (uint64_t left = rounds->taken[direction]; left != 0; left &= left - 1) {
    const rounds_sender_t *sender =
        &rounds->lanes_of_bits[direction][__builtin_ctzll(left)];
    if ((live & sender->part) != 0 && sender->code != next->blocker &&
        !is_lane_far(worker, class_index, direction, sender->code, next->ps, depth)) {
      return false;
    }
  }
  return true;
}

// --- Messages ---

static simulator_work_t work_of(int64_t rate, int64_t ps) {
  return (simulator_work_t)(uint64_t)rate * (simulator_work_t)(uint64_t)ps;
}

static int64_t share_of(const rounds_link_t *link) {
  return link->rate / link->count > 0 ? link->rate / link->count : 1;
}

// The end of the first of those that share.
static void find_end(const simulator_rounds_t *rounds, int32_t link_index) {
  rounds_link_t *link = &rounds->links[link_index];
  const rounds_share_t *share = &rounds->shares[link_index];
  simulator_work_t least = share->users.items[0].left;
  for (int32_t i = 1; i < link->count; i++) {
    least = share->users.items[i].left < least ? share->users.items[i].left : least;
  }
  const simulator_work_t by = (simulator_work_t)(uint64_t)share_of(link);
  const simulator_work_t time_ps = (least + by - 1) / by;
  const int64_t most_ps = ROUNDS_NEVER_PS - 1 - share->settled_ps;
  link->end_ps =
      share->settled_ps +
      (time_ps > (simulator_work_t)(uint64_t)most_ps ? most_ps : (int64_t)time_ps);
}

static void add_user(rounds_share_t *share, int64_t send_ps, int64_t start_ps,
                     int32_t code) {
  *pod_list_add(&share->users) = (rounds_user_t){
      .left = work_of(SIMULATOR_FULL_RATE, send_ps), .start_ps = start_ps, .code = code};
}

static const rounds_step_t *step_of(const simulator_rounds_t *rounds, int32_t class_index,
                                    int32_t code) {
  return &rounds->parts[code / ROUNDS_LANES_MAX]
              .plan->steps[rounds_lane(rounds, class_index, code)->step];
}

static void join(simulator_rounds_t *rounds, int32_t link_index, int32_t code,
                 int64_t start_ps) {
  rounds_link_t *link = &rounds->links[link_index];
  rounds_share_t *share = &rounds->shares[link_index];
  const int32_t class_index = link_index / TORUS_DIRECTIONS;
  if (!link->has_shared) {
    pod_list_clear(&share->users);
    add_user(share, step_of(rounds, class_index, link->lane)->send_ps, link->start_ps,
             link->lane);
    share->settled_ps = link->start_ps;
    link->has_shared = true;
  }
  const simulator_work_t done = work_of(share_of(link), start_ps - share->settled_ps);
  for (int32_t i = 0; i < link->count; i++) {
    share->users.items[i].left -= done;
  }
  add_user(share, step_of(rounds, class_index, code)->send_ps, start_ps, code);
  link->count++;
  share->settled_ps = start_ps;
  find_end(rounds, link_index);
}

static void start_message(simulator_rounds_t *rounds, int32_t link_index, int32_t code) {
  rounds_link_t *link = &rounds->links[link_index];
  const int32_t class_index = link_index / TORUS_DIRECTIONS;
  rounds_lane_t *lane = rounds_lane(rounds, class_index, code);
  const rounds_step_t *step = step_of(rounds, class_index, code);
  const int64_t start_ps = lane->base_ps;
  link->ready--;
  lane->state = ROUNDS_ON_LINK;
  lane->base_ps += step->least_ps;
  lane->place++;
  if (link->count > 0) {
    join(rounds, link_index, code, start_ps);
    return;
  }
  link->count = 1;
  link->has_shared = false;
  link->lane = (int16_t)code;
  link->start_ps = start_ps;
  link->end_ps = start_ps + rounds_alone_ps(link, step->send_ps);
  link->busy_since_ps = start_ps;
}

// Those that are through at the link's end_ps leave.
static void end_messages(rounds_worker_t *worker, int32_t link_index) {
  simulator_rounds_t *const rounds = worker->rounds;
  rounds_link_t *link = &rounds->links[link_index];
  rounds_share_t *share = &rounds->shares[link_index];
  const int32_t class_index = link_index / TORUS_DIRECTIONS;
  const int64_t end_ps = link->end_ps;
  if (!link->has_shared) {
    link->count = 0;
    rounds_add_stretch(rounds, link_index, link->busy_since_ps, end_ps);
    rounds_sent(worker, class_index, link->lane, link->start_ps, end_ps);
    return;
  }
  const simulator_work_t done = work_of(share_of(link), end_ps - share->settled_ps);
  int32_t kept = 0;
  for (int32_t i = 0; i < link->count; i++) {
    rounds_user_t user = share->users.items[i];
    if (user.left <= done) {
      rounds_sent(worker, class_index, user.code, user.start_ps, end_ps);
      continue;
    }
    user.left -= done;
    share->users.items[kept++] = user;
  }
  share->settled_ps = end_ps;
  share->users.count = kept;
  link->count = kept;
  if (kept > 0) {
    find_end(rounds, link_index);
  } else {
    rounds_add_stretch(rounds, link_index, link->busy_since_ps, end_ps);
  }
}

bool rounds_link_is_sure(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                         int depth) {
  next_t next;
  find_next(worker, class_index, direction, &next);
  return next.ps < ROUNDS_NEVER_PS &&
         (next.bound_ps >= next.ps ||
          is_far(worker, class_index, direction, &next, depth));
}

// The message that was ready has started: true, if nothing has to be looked at again to
// know what comes next.
static bool is_known_still(const rounds_link_t *link, next_t *next) {
  if (next->ready > 1 || link->count > 1 || link->ready_ps < link->end_ps ||
      (!next->is_fresh && link->end_ps > next->bound_ps)) {
    return false;
  }
  next->ready = 0;
  next->code = -1;
  next->start_ps = ROUNDS_NEVER_PS;
  next->end_ps = next->ps = link->end_ps;
  return true;
}

void rounds_link_go_on(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                       int depth, bool is_sure) {
  simulator_rounds_t *const rounds = worker->rounds;
  const int32_t link_index = class_index * TORUS_DIRECTIONS + direction;
  rounds_link_t *link = &rounds->links[link_index];
  rounds_chip_t *chip = &rounds->chips[class_index];
  chip->blocked &= (uint8_t) ~(1U << direction);
  chip->sure &= (uint8_t) ~(1U << direction);  // It was so of what goes on now.
  next_t next;
  find_next(worker, class_index, direction, &next);
  while (next.ps < ROUNDS_NEVER_PS) {
    if (!is_sure && next.bound_ps < next.ps &&
        !is_far(worker, class_index, direction, &next, depth)) {
      chip->blocked |= (uint8_t)(1U << direction);
      link->blocker = (int16_t)next.blocker;
      link->wanted_ps = next.ps;
      return;
    }
    is_sure = false;
    worker->has_moved = true;
    if (next.end_ps <= next.start_ps) {
      end_messages(worker, link_index);
    } else {
      start_message(rounds, link_index, next.code);
      if (is_known_still(link, &next)) {
        continue;
      }
    }
    find_next(worker, class_index, direction, &next);
  }
}

void rounds_lift(simulator_rounds_t *rounds, int32_t class_index) {
  for (uint32_t left = rounds->chips[class_index].live; left != 0; left &= left - 1) {
    rounds_part_t *part = &rounds->parts[__builtin_ctz(left)];
    const int32_t first = class_index * part->plan->lane_count;
    for (int32_t i = first; i < first + part->plan->lane_count; i++) {
      const int64_t floor_ps =
          atomic_load_explicit(&part->floors_ps[i], memory_order_relaxed);
      rounds_lane_t *lane = &part->lanes[i];
      if ((lane->state == ROUNDS_SENT || lane->state == ROUNDS_HELD) &&
          lane->base_ps < floor_ps) {
        lane->base_ps = floor_ps;
      }
    }
  }
}

// --- Sums ---

// The stretches of a chip that begin at `start_ps` or before: mostly all but a few.
static int32_t count_before(const rounds_chip_t *chip, int64_t start_ps) {
  enum { FEW = 4 };
  const simulator_stretch_t *items = chip->busy.items;
  int32_t low = 0, high = chip->busy.count;
  for (int i = 0; i < FEW; i++) {
    if (high == 0 || items[high - 1].start_ps <= start_ps) {
      return high;
    }
    high--;
  }
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (items[middle].start_ps <= start_ps) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// When any link of a chip was busy: in order, and none touches the next.
static void add_busy(rounds_chip_t *chip, simulator_stretch_t stretch) {
  int32_t at = count_before(chip, stretch.start_ps);
  if (at > 0 && chip->busy.items[at - 1].end_ps >= stretch.end_ps) {
    return;
  }
  if (at > 0 && chip->busy.items[at - 1].end_ps >= stretch.start_ps) {
    at--;
    stretch.start_ps = chip->busy.items[at].start_ps;
  }
  int32_t end = at;
  while (end < chip->busy.count && chip->busy.items[end].start_ps <= stretch.end_ps) {
    if (chip->busy.items[end].end_ps > stretch.end_ps) {
      stretch.end_ps = chip->busy.items[end].end_ps;
    }
    end++;
  }
  const int32_t moved = chip->busy.count - end;
  if (end == at) {
    (void)pod_list_add(&chip->busy);
  } else {
    chip->busy.count -= end - at - 1;
  }
  simulator_stretch_t *items = chip->busy.items;
  memmove(&items[at + 1], &items[end], (size_t)moved * sizeof(*items));
  items[at] = stretch;
}

void rounds_keep_stretch(simulator_rounds_t *rounds, int32_t link_index) {
  rounds_link_t *link = &rounds->links[link_index];
  const simulator_stretch_t stretch = link->stretch;
  if (stretch.end_ps > stretch.start_ps) {
    link->busy_ps += stretch.end_ps - stretch.start_ps;
    add_busy(&rounds->chips[link_index / TORUS_DIRECTIONS], stretch);
  }
  link->stretch = (simulator_stretch_t){0};
}

// No link of the chip becomes busy before this any more, but for stretches that are told.
static int64_t horizon_of(const simulator_rounds_t *rounds, int32_t class_index) {
  int64_t horizon_ps = ROUNDS_NEVER_PS;
  for (uint32_t left = rounds->chips[class_index].live; left != 0; left &= left - 1) {
    const int32_t part = __builtin_ctz(left);
    for (int32_t i = 0; i < rounds->parts[part].plan->lane_count; i++) {
      const rounds_lane_t *lane =
          rounds_lane(rounds, class_index, part * ROUNDS_LANES_MAX + i);
      if (lane->state != ROUNDS_DONE && lane->base_ps < horizon_ps) {
        horizon_ps = lane->base_ps;
      }
    }
  }
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    const rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + d];
    if (link->count > 0 && link->busy_since_ps < horizon_ps) {
      horizon_ps = link->busy_since_ps;
    }
  }
  return horizon_ps;
}

void rounds_count_any(simulator_rounds_t *rounds, int32_t class_index) {
  const int64_t horizon_ps = horizon_of(rounds, class_index);
  rounds_chip_t *chip = &rounds->chips[class_index];
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    rounds_link_t *link = &rounds->links[class_index * TORUS_DIRECTIONS + d];
    if (link->stretch.end_ps > chip->links_free_ps) {
      chip->links_free_ps = link->stretch.end_ps;
    }
    rounds_keep_stretch(rounds, class_index * TORUS_DIRECTIONS + d);
    rounds->engine->network.channels[class_index * SIMULATOR_CHANNELS + d].busy_ps +=
        link->busy_ps;
    link->busy_ps = 0;
  }
  int64_t sum_ps = 0;
  int32_t kept = 0;
  for (int32_t i = 0; i < chip->busy.count; i++) {
    simulator_stretch_t stretch = chip->busy.items[i];
    if (stretch.start_ps < horizon_ps) {
      const int64_t end_ps = stretch.end_ps < horizon_ps ? stretch.end_ps : horizon_ps;
      sum_ps += end_ps - stretch.start_ps;
      stretch.start_ps = end_ps;
    }
    if (stretch.start_ps < stretch.end_ps) {
      chip->busy.items[kept++] = stretch;
    }
  }
  chip->busy.count = kept;
  rounds->engine->network.any[class_index].busy_ps += sum_ps;
}
