// What an execution leaves behind on a chip: when each instruction ran on the chip's
// virtual clock, and how long the host took to compute it.
//
// The virtual clock is in picoseconds and never looks at a host clock. Instructions of
// loops run many times: totals are exact for all, single events are kept up to
// CHIP_EVENTS_MAX.
//
// Threading: one thread at a time.

#ifndef SERVER_CHIP_PROFILE_H_
#define SERVER_CHIP_PROFILE_H_

#include <stdint.h>

#include "server/chip/cost.h"

enum { CHIP_EVENTS_MAX = 1 << 16 };

typedef struct chip_event_t {
  int32_t instruction;             // Index in the program.
  int64_t start_ps, duration_ps;   // Virtual.
  int64_t host_start_ns, host_ns;  // From the start of the execution on this worker.
} chip_event_t;

typedef struct chip_total_t {
  int64_t run_count;
  int64_t duration_ps;
  int64_t host_ns;
  chip_cost_t
      cost;  // Summed over the runs; its duration_ps and bound are those of the last run.
} chip_total_t;

typedef struct chip_link_total_t {
  int64_t bytes_sent, frames_sent;
} chip_link_total_t;

typedef struct chip_profile_t {
  int32_t chip;
  int64_t end_ps;  // The chip's clock at the end; it starts at 0.
  int64_t host_ns;
  int64_t hbm_peak_bytes;  // Arrays of all sessions + this execution.
  int32_t total_count;     // Of instructions of the program.
  chip_total_t *totals;
  int32_t event_count;
  int64_t events_dropped;
  chip_event_t *events;
  chip_link_total_t links[TORUS_DIRECTIONS];  // By direction.
} chip_profile_t;

// Room for the totals of `program` and for events.
void chip_profile_init(chip_profile_t *profile, const chip_program_t *program,
                       int32_t chip);
void chip_profile_deinit(chip_profile_t *profile);

// Adds one run. `cost` may be NULL (control instructions).
void chip_profile_add(chip_profile_t *profile, const chip_event_t *event,
                      const chip_cost_t *cost);

#endif  // SERVER_CHIP_PROFILE_H_
