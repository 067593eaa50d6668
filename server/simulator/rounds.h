// What the files rounds*.c share. Private to them, and to the walk of periods.c.

#ifndef SERVER_SIMULATOR_ROUNDS_H_
#define SERVER_SIMULATOR_ROUNDS_H_

#include <stdatomic.h>

#include "server/simulator/engine.h"

enum {
  // Collectives under way at a time, and lanes of one; more go by windows.
  ROUNDS_PARTS_MAX = 8,
  ROUNDS_LANES_MAX = 256,
  ROUNDS_CODES = ROUNDS_PARTS_MAX * ROUNDS_LANES_MAX,
  ROUNDS_TOGETHER_MAX = 32,  // Collectives of an episode.
  // Lanes of all of them that send in one direction.
  ROUNDS_SENDERS_MAX = 64,
  // In place of a lane: the core of the chip, which may begin a collective.
  ROUNDS_CORE = -1,
  ROUNDS_CLASSES_MAX = 1 << 20,
  ROUNDS_WORKERS_MAX = 64,
  // Neighbours that are looked at while lanes are followed.
  ROUNDS_DEPTH = 1,
  // Messages to chips of another worker's that are handed over at a time.
  ROUNDS_POSTS = 32,
};

// Later than any time, and twice that is still a number.
#define ROUNDS_NEVER_PS (INT64_MAX / 4)

// A step, as all chips do it.
typedef struct rounds_step_t {
  int64_t send_ps, local_ps;
  int64_t least_ps;  // It takes no less, on any chip.
  int32_t target;    // At the receiver, of what it sends; or -1.
  int32_t source;    // At the sender, of what it receives; or -1.
  int32_t lane;
  int8_t direction;  // In which it sends, or -1.
  bool is_local, is_sent_on;
  bool is_first;  // The lane has not sent to that receiver just before.
} rounds_step_t;

typedef struct rounds_range_t {
  int32_t first_step, end_step;
  int32_t after[COLLECTIVE_AFTER_MAX];  // Lanes, or -1.
} rounds_range_t;

// What all chips do in a collective. How long something takes at least is told by places
// of a lane: `step + lane` is before a step, and the one behind a lane's last step is its
// end.
typedef struct rounds_plan_t {
  bool is_made, is_fit;
  bool has_after;
  int32_t lane_count, step_count, message_count;
  int64_t hbm_ps;
  rounds_step_t *steps;
  rounds_range_t *ranges;               // By lane.
  int64_t *until_ps[TORUS_DIRECTIONS];  // To its next message; NEVER: there is none.
  int64_t *since_ps;                    // From the lane's beginning.
  int64_t *least_ps;                    // The step.
  int32_t sender_count[TORUS_DIRECTIONS];
  int32_t *senders[TORUS_DIRECTIONS];  // Lanes that send in a direction.
} rounds_plan_t;

typedef enum rounds_state_t {
  ROUNDS_WAITING = 0,  // For other lanes, or for the chip to begin.
  ROUNDS_HELD = 1,     // Ready at base_ps, but when the receiver begins is not known.
  ROUNDS_READY = 2,    // To put the step's message on its link at base_ps.
  ROUNDS_ON_LINK = 3,  // When the message leaves is not sure; not before base_ps.
  ROUNDS_SENT = 4,     // It has left at base_ps, or the step is done no sooner than that.
  ROUNDS_DONE = 5,     // At base_ps.
} rounds_state_t;

// A lane of a chip. It is not at `place` before base_ps.
typedef struct rounds_lane_t {
  int64_t base_ps;
  int64_t arrival_ps;  // Of what its step receives; 0: not known.
  int32_t step, place;
  int32_t early;  // What has arrived for later steps.
  uint8_t state;
  int8_t direction;  // Of the message when READY or ON_LINK, else -1.
  bool is_queued;
} rounds_lane_t;

// A collective under way. Its lanes are known by codes: part · ROUNDS_LANES_MAX + lane.
typedef struct rounds_part_t {
  bool is_live;
  int32_t instance;
  const rounds_plan_t *plan;
  int32_t classes_left;  // That are not through.
  rounds_lane_t *lanes;  // By class and lane.
  // Likewise: no lane goes on before this. What is found while all workers look.
  _Atomic int64_t *floors_ps;
  int64_t *arrivals;    // By class and step: those that are early, or 0.
  int64_t *begins_ps;   // By class; NEVER: not known.
  int64_t *ends_ps;     // By class: of what is done.
  int32_t *lanes_left;  // By class.
  size_t lane_room, floor_room, step_room;
  uint8_t *bits[TORUS_DIRECTIONS];  // By lane: which of link.near is its.
} rounds_part_t;

// A lane that sends in a direction, as all chips have it.
typedef struct rounds_sender_t {
  rounds_lane_t *lanes;  // That of the first class; the others follow `stride` apart.
  const int64_t *until_ps, *least_ps;  // By place.
  int32_t stride;
  int32_t code;
  uint32_t part;  // A bit.
} rounds_sender_t;

// A link of a chip. What a message that finds it free needs comes first.
typedef struct rounds_link_t {
  int32_t count;  // Messages on it.
  int32_t ready;  // Messages that are ready to be put on it.
  int32_t peer;   // The class at its end.
  int64_t rate;
  int64_t safe_ps;              // None but those `near` puts a message on it before this.
  uint64_t near;                // Lanes, a bit each.
  simulator_stretch_t stretch;  // When it was busy last; not counted yet.
  int64_t end_ps;         // When the first of its messages ends, if no other one joins.
  int64_t ready_ps;       // Of the first message that is ready, but for those near.
  int64_t start_ps;       // Of the only message.
  int64_t busy_since_ps;  // While messages are on it.
  int64_t busy_ps;        // Not yet in the channel's.
  int64_t wanted_ps;      // When it waits for its blocker: until that is as far.
  int16_t lane;           // Of the only message; a code, as the next ones.
  int16_t safe_lane;      // The first that is not near.
  int16_t ready_lane;     // Whose that is.
  int16_t blocker;        // It may come next, when the link waits for that.
  bool has_shared;        // What is left of its messages stands with its users.
} rounds_link_t;

typedef struct rounds_user_t {
  simulator_work_t left;
  int64_t start_ps;
  int32_t code;
} rounds_user_t;

typedef struct rounds_share_t {
  POD_LIST(rounds_user_t) users;
  int64_t settled_ps;  // What is left is that at this time.
} rounds_share_t;

// What is neither of a lane nor of a link: ends, turns, flights.
typedef struct rounds_event_t {
  int64_t ps;
  uint32_t kind;  // simulator_kind_t
  int32_t instance;
} rounds_event_t;

typedef struct rounds_chip_t {
  POD_LIST(rounds_event_t) events;  // The earliest last.
  // When any of its links was busy, one after another; not in any_ps yet.
  POD_LIST(simulator_stretch_t) busy;
  uint32_t live;          // Parts that it has begun and not done, a bit each.
  uint8_t blocked;        // By direction, a bit: the link waits for its blocker.
  uint8_t sure;           // Of those: what comes next on the link has been found sure.
  int64_t core_ps;        // It begins no collective before this.
  int64_t held_ps;        // It has begun one then that is held back; or NEVER.
  int64_t links_free_ps;  // Their last message so far has left.
  int32_t late_lane;      // Of a part: what it waited for at last.
  bool is_due;            // Its events may happen.
  bool is_blocked;        // They may not yet.
  bool is_sure;           // The next of them has been found sure.
} rounds_chip_t;

// A message has arrived at a chip of another worker's.
typedef struct rounds_post_t {
  int64_t arrival_ps;
  int32_t class_index, code, step;  // The receiver's.
} rounds_post_t;

typedef POD_LIST(rounds_post_t) rounds_posts_t;

// What other workers have sent to one: rounds_workers.c.
typedef struct rounds_mail_t rounds_mail_t;

// What follows the lanes of some chips, in a thread of its own while all do so.
typedef struct rounds_worker_t {
  simulator_rounds_t *rounds;
  int32_t first_class, end_class;
  POD_LIST(int32_t) queue;  // Lanes that may go on: class · ROUNDS_CODES + code.
  POD_LIST(int32_t) due;    // Chips whose events may happen.
  int32_t current;          // The lane that goes on.
  int64_t steps;            // Messages, not in the engine's yet.
  int64_t looks_left;       // At neighbours, for what is looked at now.
  int32_t through[ROUNDS_PARTS_MAX];       // Classes, not in the part's yet.
  rounds_posts_t out[ROUNDS_WORKERS_MAX];  // To each other one, not in its mail yet.
  rounds_posts_t taken;                    // Mail that is read.
  bool is_looking;  // Nothing changes meanwhile, so that all chips may be looked at.
  bool has_moved;
  bool has_given_up;
  rounds_mail_t *mail;
} rounds_worker_t;

// The threads of the workers but the first: rounds_workers.c.
typedef struct rounds_crew_t rounds_crew_t;

typedef enum rounds_stage_t {
  ROUNDS_QUIET = 0,      // No collective has begun.
  ROUNDS_HELD_BACK = 1,  // Some have; how they go on is not known yet.
  ROUNDS_FOLLOWED = 2,
  ROUNDS_LOOKED_UP = 3,  // They go on as in an episode that was met before.
} rounds_stage_t;

// Collectives that are under way together: rounds_episodes.c.
typedef struct rounds_episode_t {
  rounds_stage_t stage;
  bool is_even;   // All classes begin the same ones in the same order.
  int32_t count;  // That a class has begun.
  int32_t instances[ROUNDS_TOGETHER_MAX], plans[ROUNDS_TOGETHER_MAX];
  int32_t *begun;       // By class: how many.
  int64_t *begins_ps;   // By collective and class; NEVER: it has not begun.
  int64_t *ends_ps;     // Likewise, of those that have been followed.
  int64_t *sums_ps;     // By class: sums of its links before.
  int32_t begins_left;  // LOOKED_UP: of all classes.
  const struct met_t *met;
} rounds_episode_t;

struct simulator_rounds_t {
  simulator_engine_t *engine;
  int32_t class_count;
  int64_t hop_ps;
  rounds_chip_t *chips;  // By class.
  rounds_plan_t *plans;
  rounds_part_t parts[ROUNDS_PARTS_MAX];
  rounds_link_t *links;    // By class and direction.
  rounds_share_t *shares;  // Likewise.
  int32_t *senders;        // By class and direction: whose link ends here.
  // The lane of a bit, and which are taken.
  rounds_sender_t lanes_of_bits[TORUS_DIRECTIONS][ROUNDS_SENDERS_MAX];
  uint64_t taken[TORUS_DIRECTIONS];
  rounds_worker_t *workers[ROUNDS_WORKERS_MAX];
  int32_t worker_count;
  int32_t classes_each;  // Of a worker.
  rounds_crew_t *crew;
  rounds_episode_t now, next;
  bool has_given_up;
  bool is_mistaken;  // An episode has not gone on as the one that it was taken for.
  // No link is faster than this, no core faster than this.
  int64_t rate_max, factor_min;
};

static inline rounds_lane_t *rounds_lane(const simulator_rounds_t *rounds,
                                         int32_t class_index, int32_t code) {
  const rounds_part_t *part = &rounds->parts[code / ROUNDS_LANES_MAX];
  return &part->lanes[class_index * part->plan->lane_count + code % ROUNDS_LANES_MAX];
}

static inline int64_t *rounds_arrival(const rounds_part_t *part, int32_t class_index,
                                      int32_t step) {
  return &part->arrivals[(size_t)class_index * (size_t)part->plan->step_count +
                         (size_t)step];
}

static inline rounds_worker_t *rounds_worker_of(const simulator_rounds_t *rounds,
                                                int32_t class_index) {
  return rounds->workers[class_index / rounds->classes_each];
}

static inline bool rounds_is_own(const rounds_worker_t *worker, int32_t class_index) {
  return class_index >= worker->first_class && class_index < worker->end_class;
}

// A message that is alone on its link.
static inline int64_t rounds_alone_ps(const rounds_link_t *link, int64_t send_ps) {
  return link->rate == SIMULATOR_FULL_RATE ? send_ps
                                           : simulator_network_alone(send_ps, link->rate);
}

// What all workers do at once.
typedef enum rounds_work_t {
  ROUNDS_FOLLOW = 0,  // Lanes, as far as they get.
  ROUNDS_LOOK = 1,    // Further, where something waits: sets `sure` and `is_sure`.
  ROUNDS_GO_ON = 2,   // What has been found sure, and then lanes.
} rounds_work_t;

// ---- rounds.c

// The chip's events may happen.
void rounds_wake_chip(rounds_worker_t *worker, int32_t class_index);

// Whether nothing of what the chip has under way ends before `ps`.
bool rounds_is_sure(rounds_worker_t *worker, int32_t class_index, int64_t ps, int depth);

// ---- rounds_workers.c

// Divides the chips among `count` workers, or as many as there can be threads for.
void rounds_hire(simulator_rounds_t *rounds, int32_t count);
void rounds_dismiss(simulator_rounds_t *rounds);

// All workers do this; then messages have been handed over and sums have been drawn.
// Returns whether something has moved.
bool rounds_work(simulator_rounds_t *rounds, rounds_work_t work);

// Hands over what has been sent to a worker.
void rounds_post(rounds_worker_t *worker, int32_t to);

// What workers have counted is counted; a part that all classes are through with is
// closed.
void rounds_draw_sums(simulator_rounds_t *rounds);

// Whether lanes may go on.
bool rounds_has_work(const simulator_rounds_t *rounds);

// ---- rounds_episodes.c

void rounds_episodes_init(simulator_rounds_t *rounds);
void rounds_episodes_deinit(simulator_rounds_t *rounds);

// The class begins a collective.
void rounds_episodes_begin(simulator_rounds_t *rounds, int32_t instance,
                           int32_t class_index, int64_t begin_ps);

// All classes are through with the part.
void rounds_episodes_part_ends(simulator_rounds_t *rounds, const rounds_part_t *part);

// Nothing moves but by what is held back: it is looked up, or followed. False: there is
// nothing.
bool rounds_episodes_go_on(simulator_rounds_t *rounds);

// Nor by the chips that are waited for: what is held back for the next episode joins this
// one. False: there is nothing.
bool rounds_episodes_join(simulator_rounds_t *rounds);

// All that was taken to begin has begun, or the run is a mistake.
void rounds_episodes_check(simulator_rounds_t *rounds);

// ---- rounds_plans.c

void rounds_init(simulator_rounds_t *rounds, simulator_engine_t *engine);
void rounds_deinit(simulator_rounds_t *rounds);

// Where an instance goes on, or NULL: there is no room, or it is not of the kind.
rounds_part_t *rounds_open_part(simulator_rounds_t *rounds, int32_t instance);
void rounds_close_part(simulator_rounds_t *rounds, rounds_part_t *part);

// Whether any collective is followed.
bool rounds_is_any_live(const simulator_rounds_t *rounds);

// How many a class sends in a collective.
int32_t rounds_messages_of(simulator_rounds_t *rounds, int32_t plan);

// Whether there is room for a collective, if no other is under way.
bool rounds_fits(simulator_rounds_t *rounds, int32_t plan);

// ---- rounds_lanes.c

// The class begins a collective.
void rounds_begin(simulator_rounds_t *rounds, rounds_part_t *part, int32_t class_index,
                  int64_t begin_ps);

// Goes on with a lane of the queue.
void rounds_run_lane(rounds_worker_t *worker, int32_t number);

// The links that have waited for a lane or for the core go on.
void rounds_unblock(rounds_worker_t *worker, int32_t class_index, int32_t code);

// What a lane's step waits for has arrived, or what a later one will wait for.
void rounds_arrive(rounds_worker_t *worker, int32_t class_index, int32_t code,
                   int32_t step, int64_t arrival_ps);

// The message of the lane's step was on its link from `start_ps` to `end_ps`.
void rounds_sent(rounds_worker_t *worker, int32_t class_index, int32_t code,
                 int64_t start_ps, int64_t end_ps);

// ---- rounds_bounds.c

// A lane is not at its place before this, as far as it matters whether that is before
// `wanted_ps`. `depth`: how many neighbours are looked at.
int64_t rounds_lane_bound(rounds_worker_t *worker, int32_t class_index, int32_t code,
                          int64_t wanted_ps, int depth);

// Likewise: a class has not done a part, which it has begun, before this.
int64_t rounds_end_bound(rounds_worker_t *worker, int32_t class_index, int32_t part,
                         int64_t wanted_ps, int depth);

// Likewise: the core begins no other collective before this.
int64_t rounds_core_bound(rounds_worker_t *worker, int32_t class_index, int64_t wanted_ps,
                          int depth);

// ---- rounds_links.c

// Puts messages on a link and ends them, as far as it is sure that no other one comes
// before. `depth`: how many neighbours are looked at. `is_sure`: the first has been found
// sure before.
void rounds_link_go_on(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                       int depth, bool is_sure);

// Whether what comes next on the link is sure.
bool rounds_link_is_sure(rounds_worker_t *worker, int32_t class_index, int32_t direction,
                         int depth);

// Lanes of the chip are where they have been found to be at least.
void rounds_lift(simulator_rounds_t *rounds, int32_t class_index);

// The stretch in which a link was busy is over.
void rounds_keep_stretch(simulator_rounds_t *rounds, int32_t link);

// Counts when any link of the chip was busy, before what may still come.
void rounds_count_any(simulator_rounds_t *rounds, int32_t class_index);

// The link was busy; it has not been later.
static inline void rounds_add_stretch(simulator_rounds_t *rounds, int32_t link_index,
                                      int64_t start_ps, int64_t end_ps) {
  rounds_link_t *link = &rounds->links[link_index];
  if (link->stretch.end_ps != start_ps) {
    rounds_keep_stretch(rounds, link_index);
    link->stretch.start_ps = start_ps;
  }
  link->stretch.end_ps = end_ps;
}

#endif  // SERVER_SIMULATOR_ROUNDS_H_
