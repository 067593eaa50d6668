// A walk through the lanes of one chip, from the end of one step to the end of the next:
// the rules of server/simulator/network.c, with every chip in the place of this one.

#include "server/collective/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/collective/traffic.h"

#define PS_PER_S 1e12
#define LIMIT_PS 0x1p61
#define DIE_OF_ICI 6

// Less than this is left over from rounding only.
#define BYTES_LEFT_OVER 1e-3
#define PS_LEFT_OVER 1e-3

typedef enum stage_t {
  WAITING = 0,  // For lanes in `after`.
  FLOWING = 1,  // Bytes are on the links.
  DELAYED = 2,  // Hops, or a local step.
  DONE = 3,
} stage_t;

typedef struct walk_lane_t {
  stage_t stage;
  const collective_step_t *steps;  // Of its schedule.
  int32_t after[COLLECTIVE_AFTER_MAX];
  int32_t step, end;
  int32_t next_tag;
  int32_t breadth;  // Of its schedule.
  double bytes_left, delay_left;
  double flow_ps;  // For how long its message has been on the links.
  double rounds, latency_ps;
  int32_t hops[TORUS_LINKS];
} walk_lane_t;

typedef struct walk_t {
  const torus_t *torus;
  int32_t chip;
  double ps_per_byte[TORUS_LINKS], local_ps_per_byte, hop_ps, dcn_ps;
  walk_lane_t *lanes;  // Of all schedules.
  int32_t lane_count, lanes_left;
  bool has_started;  // A lane has finished, others may start.
} walk_t;

// A copy of the operand, or a zero: needs nothing that comes in.
static bool is_beside(const collective_step_t *step) {
  return step->kind == COLLECTIVE_ZERO ||
         (step->kind == COLLECTIVE_COPY && step->source_buffer == COLLECTIVE_INPUT);
}

// What HBM takes for a step.
static double local_ps(const walk_t *walk, const collective_step_t *step) {
  return (double)collective_step_hbm_bytes(step) * walk->local_ps_per_byte;
}

// The hops of a message, and their latency. The network between slices reaches any host
// at once: one crossing of the chip's share of its host's interface.
static double way_of(const walk_t *walk, int32_t from, int32_t to,
                     int32_t out_hops[TORUS_LINKS]) {
  const int32_t hops = torus_hops(walk->torus, from, to, out_hops);
  if (out_hops[TORUS_DCN_UP] + out_hops[TORUS_DCN_DOWN] == 0) {
    return hops * walk->hop_ps;
  }
  memset(out_hops, 0, TORUS_LINKS * sizeof(*out_hops));
  out_hops[TORUS_DCN_UP] = 1;
  return walk->dcn_ps;
}

static void begin_transfer(const walk_t *walk, walk_lane_t *lane,
                           const collective_step_t *step) {
  int32_t hops_in[TORUS_LINKS] = {0};
  const double in_ps = step->receive_from == COLLECTIVE_NONE
                           ? 0
                           : way_of(walk, step->receive_from, walk->chip, hops_in);
  const double out_ps = step->send_to == COLLECTIVE_NONE
                            ? 0
                            : way_of(walk, walk->chip, step->send_to, lane->hops);
  if (step->send_to == COLLECTIVE_NONE) {
    memcpy(lane->hops, hops_in, sizeof(hops_in));
  }
  const int64_t bytes =
      step->source_bytes > step->target_bytes ? step->source_bytes : step->target_bytes;
  lane->rounds = step->tag >= lane->next_tag ? 1.0 + step->tag - lane->next_tag : 1;
  lane->next_tag = step->tag + 1;
  // As long as HBM takes for all that is under way, in bytes of the slowest link.
  double ps_per_byte = 0;
  for (int d = 0; d < TORUS_LINKS; d++) {
    ps_per_byte =
        lane->hops[d] > 0 ? fmax(ps_per_byte, walk->ps_per_byte[d]) : ps_per_byte;
  }
  const double hbm_ps = lane->breadth * local_ps(walk, step);
  const double hbm_bytes = ps_per_byte > 0 ? hbm_ps / ps_per_byte : 0;
  lane->bytes_left = lane->rounds * fmax((double)bytes, hbm_bytes);
  lane->latency_ps = in_ps > out_ps ? in_ps : out_ps;
  lane->flow_ps = 0;
  lane->stage = FLOWING;
}

// Whether the next step of the lane that takes time is a message.
static bool is_sent_on(const walk_lane_t *lane) {
  int32_t next = lane->step + 1;
  while (next < lane->end && (lane->steps[next].kind == COLLECTIVE_REORDER ||
                              is_beside(&lane->steps[next]))) {
    next++;
  }
  return next < lane->end && lane->steps[next].kind == COLLECTIVE_TRANSFER;
}

// What is sent on goes in pieces, as it comes in (simulator_received_ps): only the last
// message of a lane, and one before a local step, are waited for to their end.
static double delay_of(const walk_lane_t *lane) {
  const double most_ps = 2 * lane->latency_ps - lane->flow_ps / lane->rounds;
  const double pieces_ps =
      most_ps < 0 ? 0 : (most_ps < lane->latency_ps ? most_ps : lane->latency_ps);
  return is_sent_on(lane) ? lane->rounds * pieces_ps
                          : (lane->rounds - 1) * pieces_ps + lane->latency_ps;
}

// Puts the lane on its step, or on the next that takes time, or at its end.
static void settle(walk_t *walk, walk_lane_t *lane) {
  while (lane->step < lane->end) {
    const collective_step_t *step = &lane->steps[lane->step];
    if (step->kind == COLLECTIVE_TRANSFER) {
      begin_transfer(walk, lane, step);
      return;
    }
    lane->delay_left = is_beside(step) ? 0 : local_ps(walk, step);
    lane->stage = DELAYED;
    if (lane->delay_left > PS_LEFT_OVER) {
      return;
    }
    lane->step++;
  }
  lane->stage = DONE;
  walk->lanes_left--;
  walk->has_started = true;
}

// A lane waits only for lower ones, so one walk upwards starts all that can.
static void start_lanes(walk_t *walk) {
  walk->has_started = false;
  for (int32_t i = 0; i < walk->lane_count; i++) {
    walk_lane_t *lane = &walk->lanes[i];
    bool may_start = lane->stage == WAITING;
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const int32_t after = lane->after[a];
      may_start =
          may_start && (after == COLLECTIVE_NONE || walk->lanes[after].stage == DONE);
    }
    if (may_start) {
      settle(walk, lane);
    }
  }
}

// Bytes per picosecond of a lane, given how many messages there are per direction.
static double rate_of(const walk_t *walk, const walk_lane_t *lane,
                      const int32_t loads[TORUS_LINKS]) {
  double slowest = walk->ps_per_byte[0];
  bool is_first = true;
  for (int d = 0; d < TORUS_LINKS; d++) {
    const double ps = loads[d] * walk->ps_per_byte[d];
    if (lane->hops[d] > 0 && (is_first || ps > slowest)) {
      slowest = ps;
      is_first = false;
    }
  }
  return 1 / slowest;
}

static void find_loads(const walk_t *walk, int32_t loads[TORUS_LINKS]) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    loads[d] = 0;
  }
  for (int32_t i = 0; i < walk->lane_count; i++) {
    for (int d = 0; d < TORUS_LINKS && walk->lanes[i].stage == FLOWING; d++) {
      loads[d] += walk->lanes[i].hops[d];
    }
  }
}

// To the next end of anything. Returns the time until then.
static double advance(walk_t *walk) {
  int32_t loads[TORUS_LINKS];
  find_loads(walk, loads);
  double elapsed_ps = LIMIT_PS;
  for (int32_t i = 0; i < walk->lane_count; i++) {
    const walk_lane_t *lane = &walk->lanes[i];
    if (lane->stage == FLOWING || lane->stage == DELAYED) {
      const double left_ps = lane->stage == FLOWING
                                 ? lane->bytes_left / rate_of(walk, lane, loads)
                                 : lane->delay_left;
      elapsed_ps = left_ps < elapsed_ps ? left_ps : elapsed_ps;
    }
  }
  for (int32_t i = 0; i < walk->lane_count; i++) {
    walk_lane_t *lane = &walk->lanes[i];
    if (lane->stage == FLOWING) {
      lane->bytes_left -= elapsed_ps * rate_of(walk, lane, loads);
      lane->flow_ps += elapsed_ps;
      if (lane->bytes_left < BYTES_LEFT_OVER) {
        lane->stage = DELAYED;
        lane->delay_left = delay_of(lane);
      }
    } else if (lane->stage == DELAYED) {
      lane->delay_left -= elapsed_ps;
      if (lane->delay_left < PS_LEFT_OVER) {
        lane->step++;
        settle(walk, lane);
      }
    }
  }
  return elapsed_ps;
}

static void add_lanes(walk_t *walk, const collective_schedule_t *schedule) {
  const int32_t first = walk->lane_count;
  const int32_t breadth = collective_breadth(schedule);
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    const collective_lane_t *from = &schedule->lanes[i];
    walk_lane_t *lane = &walk->lanes[walk->lane_count++];
    *lane = (walk_lane_t){.steps = schedule->steps,
                          .breadth = breadth,
                          .step = from->first_step,
                          .end = from->first_step + from->step_count};
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const bool waits = from->after[a] != COLLECTIVE_NONE;
      lane->after[a] = waits ? first + from->after[a] : COLLECTIVE_NONE;
    }
  }
}

// What HBM takes for all of it, and whether there is any message at all.
static double all_hbm_ps(const walk_t *walk, const collective_schedule_t *schedule,
                         bool *inout_has_transfers) {
  double time_ps = 0;
  for (int32_t i = 0; i < schedule->step_count; i++) {
    const collective_step_t *step = &schedule->steps[i];
    *inout_has_transfers = *inout_has_transfers || step->kind == COLLECTIVE_TRANSFER;
    time_ps += local_ps(walk, step);
  }
  return time_ps;
}

static double run_lanes(walk_t *walk) {
  double time_ps = 0;
  walk->lanes_left = walk->lane_count;
  start_lanes(walk);
  while (walk->lanes_left > 0 && time_ps < LIMIT_PS) {
    time_ps += advance(walk);
    if (walk->has_started) {
      start_lanes(walk);
    }
  }
  return time_ps;
}

int64_t collective_estimate_ps(const collective_schedule_t *schedules, int32_t count,
                               const torus_t *torus, const chip_spec_t *spec,
                               int32_t chip) {
  walk_t walk = {
      .torus = torus,
      .chip = chip,
      .local_ps_per_byte = PS_PER_S / (spec->hbm_bytes_per_s * spec->hbm_fraction),
      .hop_ps = (double)spec->ici_hop_ps,
      .dcn_ps = (double)spec->dcn_latency_ps};
  for (int d = 0; d < TORUS_LINKS; d++) {
    // The other core of the chip does the same on the links that they share.
    const double rate =
        d < TORUS_DIRECTIONS
            ? spec->ici_bytes_per_s / torus_core_total(torus)
            : (d < TORUS_DIE_UP
                   ? spec->dcn_bytes_per_s
                   : (spec->die_bytes_per_s > 0 ? spec->die_bytes_per_s
                                                : DIE_OF_ICI * spec->ici_bytes_per_s));
    walk.ps_per_byte[d] = PS_PER_S / rate;
  }
  size_t lane_count = 0;
  bool has_transfers = false;
  double hbm_ps = 0;
  for (int32_t i = 0; i < count; i++) {
    lane_count += (size_t)schedules[i].lane_count;
    hbm_ps += all_hbm_ps(&walk, &schedules[i], &has_transfers);
  }
  walk.lanes = pod_alloc((lane_count + 1) * sizeof(*walk.lanes));
  for (int32_t i = 0; i < count; i++) {
    add_lanes(&walk, &schedules[i]);
  }
  const double lanes_ps = run_lanes(&walk);
  free(walk.lanes);
  const double startup_ps = has_transfers ? (double)spec->collective_startup_ps : 0;
  const double time_ps = startup_ps + (lanes_ps > hbm_ps ? lanes_ps : hbm_ps);
  return time_ps < LIMIT_PS ? (int64_t)time_ps : INT64_MAX / 4;
}
