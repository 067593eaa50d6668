// What a schedule takes, from one chip's steps alone: for choosing among algorithms
// before anything runs. The clock of the pod is server/simulator.
//
// Model:       every chip does what this one does, at the same time, wherever it is on
//              the torus: a message of h hops in a direction puts h messages on every
//              link of that direction, and links share their rate evenly. A step takes
//              its bytes at the narrowest share on its way, or what HBM takes for all
//              that the chip has under way, and then as much of the latency of its hops
//              as pieces do not hide; tags count rounds, so that one left out takes as
//              long as its successor. Local steps take their passes over HBM, as in
//              server/simulator; copies of the operand, and zeros, go beside the lanes;
//              reorders take nothing.
// Exact for:   rings, and tori of rings. For lines on a chip at an end, the one that
//              works longest; too short for all_to_all on lines, where messages wait for
//              longer ones of the chips behind. unit.server.simulator.price holds it
//              against the clock.
// Cost:        steps times lanes that run at the same time, some nanoseconds each.
// Determinism: the same arguments, the same result. Threading: pure.

#ifndef SERVER_COLLECTIVE_ESTIMATE_H_
#define SERVER_COLLECTIVE_ESTIMATE_H_

#include <stdint.h>

#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/collective/schedule.h"

// Of `count` schedules of the chip that run side by side: the operands of one
// instruction. In picoseconds, start-up included; INT64_MAX / 4 when it is longer.
int64_t collective_estimate_ps(const collective_schedule_t *schedules, int32_t count,
                               const torus_t *torus, const chip_spec_t *spec,
                               int32_t chip);

#endif  // SERVER_COLLECTIVE_ESTIMATE_H_
