#include "server/collective/traffic.h"

int64_t collective_step_hbm_bytes(const collective_step_t *step) {
  static const int64_t passes[] = {
      [COLLECTIVE_TRANSFER] = 0, [COLLECTIVE_COPY] = 2,    [COLLECTIVE_REDUCE] = 3,
      [COLLECTIVE_ZERO] = 1,     [COLLECTIVE_REORDER] = 0,
  };
  enum { PASSES_RECEIVED = 1, PASSES_REDUCED = 4 };
  if (step->kind != COLLECTIVE_TRANSFER) {
    return passes[step->kind] * step->target_bytes;
  }
  const int64_t sent = step->send_to == COLLECTIVE_NONE ? 0 : step->source_bytes;
  const int64_t received = step->receive_from == COLLECTIVE_NONE ? 0 : step->target_bytes;
  return sent + received * (step->reduces ? PASSES_REDUCED : PASSES_RECEIVED);
}

// Lanes that wait for nothing, or for lanes of the level below, run together.
typedef struct level_t {
  int32_t lanes, peer_count;
  int32_t peers[TORUS_DIRECTIONS];
} level_t;

static void add_peer(level_t *level, int32_t peer) {
  for (int32_t i = 0; i < level->peer_count; i++) {
    if (level->peers[i] == peer) {
      return;
    }
  }
  if (level->peer_count < TORUS_DIRECTIONS) {
    level->peers[level->peer_count++] = peer;
  }
}

static void add_lane(level_t *level, const collective_schedule_t *schedule,
                     const collective_lane_t *lane) {
  int32_t last = COLLECTIVE_NONE;
  for (int32_t s = 0; s < lane->step_count; s++) {
    const collective_step_t *step = &schedule->steps[lane->first_step + s];
    if (step->kind == COLLECTIVE_TRANSFER && step->send_to != COLLECTIVE_NONE &&
        step->send_to != last) {
      level->lanes += last == COLLECTIVE_NONE;
      last = step->send_to;
      add_peer(level, last);
    }
  }
}

int32_t collective_breadth(const collective_schedule_t *schedule) {
  enum { LEVELS_MAX = 8 };  // Deeper ones count with the last.
  level_t levels[LEVELS_MAX] = {0};
  uint8_t level_of[COLLECTIVE_LANES_MAX];
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    const collective_lane_t *lane = &schedule->lanes[i];
    int32_t level = 0;
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const int32_t after = lane->after[a];
      if (after != COLLECTIVE_NONE && level_of[after] >= level) {
        level = level_of[after] + 1;
      }
    }
    level_of[i] = (uint8_t)(level < LEVELS_MAX ? level : LEVELS_MAX - 1);
    add_lane(&levels[level_of[i]], schedule, lane);
  }
  int32_t breadth = 1;
  for (int32_t i = 0; i < LEVELS_MAX; i++) {
    const int32_t most =
        levels[i].lanes < levels[i].peer_count ? levels[i].lanes : levels[i].peer_count;
    breadth = most > breadth ? most : breadth;
  }
  return breadth;
}
