// What the files windows*.c share, and the walk of periods.c that writes it down. Private
// to them.

#ifndef SERVER_SIMULATOR_WINDOWS_H_
#define SERVER_SIMULATOR_WINDOWS_H_

#include "server/simulator/engine.h"

enum { WINDOWS_BUCKETS = 1024 };

// Later than any time.
#define WINDOWS_NEVER_PS INT64_MAX

// What is neither of a lane nor of a link: begins, copies, turns, flights.
typedef struct windows_event_t {
  int64_t ps;
  uint32_t kind;  // simulator_kind_t
  int32_t instance;
} windows_event_t;

typedef struct windows_chip_t {
  int64_t event_ps;                  // Of the earliest event, or NEVER.
  POD_LIST(windows_event_t) events;  // The earliest last.
  POD_LIST(int32_t) active;          // Instances that it has begun and not done.
  uint32_t shared;                   // By direction, a bit: several messages are on it.
} windows_chip_t;

// A link while no more than one message is on it.
typedef struct windows_link_t {
  int64_t rate;
  int64_t start_ps;
  int64_t end_ps;  // Of the message; of several, when the first of them ends.
  int64_t busy_since_ps, busy_ps;  // What is counted is not yet in the channel's.
  int32_t count;                   // Messages on it; one may have ended.
  int32_t peer_class;
  int32_t instance, lane;
  bool has_shared;  // The message has; what was left of it is the share's.
} windows_link_t;

typedef struct windows_user_t {
  simulator_work_t left;
  int64_t start_ps;
  int32_t instance, lane;
} windows_user_t;

// The messages on a link that shares its rate among them.
typedef struct windows_share_t {
  POD_LIST(windows_user_t) users;
  int64_t settled_ps;  // What is left is that at this time.
} windows_share_t;

// Room for the arrivals of an instance, all 0.
typedef struct windows_room_t {
  int64_t *arrivals;
  int32_t capacity;
} windows_room_t;

struct simulator_windows_t {
  int64_t length_ps;
  int64_t start_ps, end_ps;  // The window at hand.
  int64_t look_ps;           // When periods.c looks, or NEVER.
  int64_t turns_seen;
  int64_t latest_ps;  // Nothing has happened behind it.
  int32_t current;    // The class whose events happen, or -1.
  bool is_blocked;    // It has to wait for a neighbour.
  bool has_moved;     // periods.c has passed turns over.
  int64_t *next_ps;   // By class: all before it has happened.
  int64_t *queued;    // By class: its bucket, or one of the marks in windows.c.
  uint32_t
      *incoming;     // By class and direction, a bit: the link that ends here is shared.
  int32_t *senders;  // By class and direction: whose link ends here, or -1.
  windows_link_t *links;    // By class and direction.
  windows_share_t *shares;  // Likewise.
  windows_chip_t *chips;    // By class.
  // Classes by the window of their next event; those behind the last bucket in a heap.
  POD_LIST(int32_t) buckets[WINDOWS_BUCKETS];
  int64_t cursor;
  pod_heap_t far;
  POD_LIST(int32_t) now, again;  // Of the window at hand.
  POD_LIST(windows_room_t) rooms;
};

// An arrival is kept as twice its time, and 1 when the message may still be on its link
// within less than a window before it: then it is sure only when its sender has got
// there.
static inline int64_t windows_arrival_ps(int64_t arrival) {
  return arrival >> 1;
}

// ---- windows.c

// The class has an event at `ps`, which may be the earliest.
void windows_wake(simulator_windows_t *windows, int32_t class_index, int64_t ps);

// Whether nothing that comes from elsewhere happens to the class before `ps`, in the
// window: from links that are shared it may. Their ends come later, if at all, by
// messages that join them.
static inline bool windows_nothing_comes_before(const simulator_windows_t *windows,
                                                int32_t class_index, int64_t ps) {
  for (uint32_t left = windows->incoming[class_index]; left != 0; left &= left - 1) {
    const int32_t direction = __builtin_ctz(left);
    const int32_t sender = windows->senders[class_index * TORUS_DIRECTIONS + direction];
    if (windows->links[sender * TORUS_DIRECTIONS + direction].end_ps < ps) {
      return false;
    }
  }
  return true;
}

// ---- windows_lanes.c

void windows_begin(simulator_engine_t *engine, int32_t index, int32_t class_index);

// A lane's step is done at `now_ps`, or may start.
void windows_advance(simulator_engine_t *engine, int32_t index, int32_t class_index,
                     int32_t lane_index);

// A part of a collective is done: a lane, or the copies.
void windows_part_done(simulator_engine_t *engine, int32_t instance, int32_t class_index);

// When the lane's step is done, as far as that is known.
static inline int64_t windows_lane_next_ps(const simulator_shape_t *shape,
                                           const simulator_window_lane_t *lane) {
  if (lane->sent_ps == WINDOWS_NEVER_PS || shape->steps[lane->step].receive_peer < 0) {
    return lane->sent_ps;
  }
  if (lane->arrival == 0) {
    return WINDOWS_NEVER_PS;
  }
  const int64_t arrival_ps = windows_arrival_ps(lane->arrival);
  return arrival_ps > lane->sent_ps ? arrival_ps : lane->sent_ps;
}

// ---- windows_links.c

// Puts the message of a lane's step on its link.
void windows_link_start(simulator_engine_t *engine, int32_t index, int32_t class_index,
                        int32_t lane_index);

// A link on which several messages are has come to the end of one.
void windows_link_end(simulator_engine_t *engine, int32_t link);

#endif  // SERVER_SIMULATOR_WINDOWS_H_
