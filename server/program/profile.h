// What an execution leaves behind on a worker: how long the host took to compute each
// instruction, and the way its control flow went. Device time is not here: the simulator
// tells it from the program and the trace (server/simulator/simulator.h).
//
// Instructions of loops run many times: totals are exact for all, single events are kept
// up to CHIP_EVENTS_MAX.
//
// Threading: one thread at a time.

#ifndef SERVER_PROGRAM_PROFILE_H_
#define SERVER_PROGRAM_PROFILE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "server/program/program.h"
#include "server/program/trace.h"

enum { CHIP_EVENTS_MAX = 1 << 16 };

typedef struct chip_event_t {
  int32_t instruction;  // Index in the program.
  int64_t start_ns;     // From the start of the execution on this worker.
  int64_t host_ns;
} chip_event_t;

typedef struct chip_total_t {
  int64_t run_count;
  int64_t host_ns;
} chip_total_t;

// What a link has carried.
typedef struct chip_link_total_t {
  int64_t bytes_sent, frames_sent;
} chip_link_total_t;

typedef struct chip_profile_t {
  int32_t chip;
  int64_t host_ns;
  int64_t hbm_peak_bytes;  // Arrays of all sessions + this execution.
  int32_t total_count;     // Of instructions of the program.
  chip_total_t *totals;
  POD_LIST(chip_event_t) events;  // At most CHIP_EVENTS_MAX.
  int64_t events_dropped;
  chip_trace_t trace;
  bool is_trace_cut;  // The trace had no room for all: it tells nothing.
} chip_profile_t;

// Room for the totals of `program` and for events.
void chip_profile_init(chip_profile_t *profile, const chip_program_t *program,
                       int32_t chip);
void chip_profile_deinit(chip_profile_t *profile);

// Adds one run.
void chip_profile_add(chip_profile_t *profile, const chip_event_t *event);

// Adds an execution of a WHILE (its turns), IF or CASE (the branch taken).
void chip_profile_trace(chip_profile_t *profile, int32_t instruction, int64_t value);

#endif  // SERVER_PROGRAM_PROFILE_H_
