// The schedules of all collectives of a program on all chips, in the form the clock runs:
// what the steps take instead of where their bytes lie, and peers by their displacement
// on the torus, so that chips that do the same share one shape.
//
// Cost: a plan per distinct collective and chip. Threading: pure. Ownership: plans_deinit
// frees all.

#ifndef SERVER_SIMULATOR_PLANS_H_
#define SERVER_SIMULATOR_PLANS_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/base/status.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/collective/schedule.h"
#include "server/program/program.h"

// A hash and one word more.
static inline uint64_t simulator_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
  return hash ^ (hash >> 31);
}

// From a chip to another one: along a dimension that closes in [0, size), else signed.
typedef struct simulator_displacement_t {
  int32_t by[TORUS_DIMENSIONS];
  int32_t slices, cores;  // Round all of them.
} simulator_displacement_t;

typedef struct simulator_step_t {
  int64_t send_ps;     // A message at the full rate of a link, or of HBM, without hops.
  int64_t local_ps;    // A local step on the core's HBM.
  int64_t send_bytes;  // 0: sends nothing.
  int32_t tag;
  int32_t lane;
  int32_t send_peer, receive_peer;  // Indexes into the shape's peers, or -1.
  bool is_local;
  bool is_sent_on;  // What it receives goes on with the next step of the lane, in pieces.
} simulator_step_t;

typedef struct simulator_lane_t {
  int32_t first_step, step_count;
  int32_t after[COLLECTIVE_AFTER_MAX];
} simulator_lane_t;

// What a chip does in a collective, seen from the chip.
typedef struct simulator_shape_t {
  uint64_t hash;
  int32_t lane_count, step_count, peer_count;
  bool has_after;
  bool has_transfers;
  // What all of it keeps HBM busy for, copies of the operand included, spread over at
  // least so long a time.
  int64_t hbm_ps, span_ps;
  simulator_lane_t *lanes;
  simulator_step_t *steps;
  simulator_displacement_t *peers;  // Distinct, in the order of the steps.
} simulator_shape_t;

typedef struct simulator_plan_t {
  int32_t *shape_of_chip;  // Indexes of shapes; of chips that run the program.
} simulator_plan_t;

typedef struct simulator_plans_t {
  pod_arena_t *arena;
  const chip_spec_t *spec;
  const torus_t *torus;
  const atomic_bool *is_cancelled;  // May be NULL.
  int32_t chip_count;               // Of the torus.
  bool *runs;  // By chip: whether it runs the program; the others only pass messages on.
  int32_t *plan_of_instruction;  // By instruction; -1: no collective of a task.
  int32_t plan_count;
  simulator_plan_t *plans;
  POD_LIST(simulator_shape_t *) shapes;
  int32_t *shape_table;  // Hash table: shape + 1.
  uint32_t shape_table_size;
} simulator_plans_t;

// Plans what the program's tasks need on the chips of its mesh; without a mesh it runs on
// all chips. On an error there is nothing to free. What collective_plan says, with the
// instruction's name and place. CANCELLED once `is_cancelled`, which may be NULL, is set.
POD_MUST_USE pod_status_t simulator_plans_init(simulator_plans_t *plans,
                                               const chip_program_t *program,
                                               const chip_spec_t *spec,
                                               const torus_t *torus,
                                               const atomic_bool *is_cancelled);

void simulator_plans_deinit(simulator_plans_t *plans);

// Whether both have the same peers in the same order.
bool simulator_shape_has_peers_of(const simulator_shape_t *a, const simulator_shape_t *b);

// The shape of a plan on a chip.
const simulator_shape_t *simulator_plans_shape(const simulator_plans_t *plans,
                                               int32_t plan, int32_t chip);

simulator_displacement_t simulator_displacement(const torus_t *torus, int32_t from,
                                                int32_t to);

// The chip at a displacement, or -1 when that is outside.
int32_t simulator_displaced(const torus_t *torus, int32_t chip,
                            simulator_displacement_t displacement);

// Time at a rate in bytes per second, rounded up; INT64_MAX / 4 when it is longer.
int64_t simulator_transfer_ps(int64_t bytes, double bytes_per_s);

#endif  // SERVER_SIMULATOR_PLANS_H_
