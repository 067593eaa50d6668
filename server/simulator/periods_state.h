// What the files periods*.c share: the loops that are watched, and the walk over the
// clock's state that writes down how a turn begins. Private to them.

#ifndef SERVER_SIMULATOR_PERIODS_STATE_H_
#define SERVER_SIMULATOR_PERIODS_STATE_H_

#include "server/simulator/engine.h"

enum { KEPT_MAX = 16 };  // Turns of a loop.

typedef POD_LIST(int64_t) words_t;

// The sums of a class.
typedef struct sums_t {
  int64_t compute_ps, waiting_ps, overlapped_ps, mxu_ps, vpu_ps, hbm_ps, dma_ps, any_ps;
  int64_t stretched_ps;
  simulator_log_counts_t log;
  simulator_link_t links[SIMULATOR_CHANNELS];
} sums_t;

// The beginning of a turn.
typedef struct kept_t {
  bool is_kept;
  int64_t ps, turns_left;
  uint64_t hash;  // Of the state.
  words_t state;
  sums_t *sums;                  // By class.
  simulator_total_t *totals;     // By class and task of the loop.
  chip_trace_cursor_t *cursors;  // By class and control slot.
  int32_t *sequences;            // By collective slot.
} kept_t;

// A loop that the first class is in.
typedef struct watch_t {
  int64_t start_ps, turns_left;  // Of the loop when it was last looked at.
  int64_t seen, keep_at;         // Turns of this execution of it.
  int32_t task_count;
  int32_t *tasks;  // That its turns run; NULL: not listed yet.
  // The first is Brent's, the others are the latest turns, round and round.
  int32_t kept_count, next;
  kept_t kept[KEPT_MAX];
} watch_t;

// An event that has not ended.
typedef struct open_event_t {
  int32_t class_index, event;
} open_event_t;

struct simulator_periods_t {
  watch_t *watches;       // By control slot.
  int32_t *instructions;  // By control slot.
  int64_t turns_seen;
  words_t state;
  uint64_t hash;  // Of it.
  POD_LIST(open_event_t) open;
  sums_t *gains;  // By class: what a period adds.
};

typedef enum walk_kind_t {
  WALK_WRITE = 0,
  WALK_OPEN = 1,  // Lists the events that have not ended.
  WALK_MOVE = 2,
} walk_kind_t;

typedef struct walk_t {
  walk_kind_t kind;
  simulator_engine_t *engine;
  simulator_periods_t *periods;
  watch_t *watch;
  const kept_t *kept;    // The turn that comes again.
  int32_t owner, depth;  // The loop's task, and its frame in every core.
  int64_t turns_left;    // Of the first class.
  // Of a period that is passed over `times` times.
  int64_t times, period_ps, period_turns;
} walk_t;

// Visits all that decides how the clock goes on from here: to write it down in
// periods->state, to list the events that have not ended in periods->open, or to move it
// to the end of `times` periods.
void simulator_periods_walk(walk_t *walk);

// How many executions of the collectives of a slot the period has.
int32_t simulator_periods_sequence_gain(const walk_t *walk, int32_t slot);

#endif  // SERVER_SIMULATOR_PERIODS_STATE_H_
