// What the clock of a pod tells, on the wire: simulator_result_t as
// podium.v1.ProfilePart.
//
// Threading: pure. Determinism: the same result, the same parts.

#ifndef SERVER_WIRE_SIMULATION_H_
#define SERVER_WIRE_SIMULATION_H_

#include "proto/podium/v1/profile.pb-c.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/program/program.h"
#include "server/simulator/simulator.h"

typedef struct wire_simulation_t {
  const chip_program_t *program;
  const chip_spec_t *spec;
  const torus_t *torus;
  int64_t hbm_bytes;       // What a chip has.
  int64_t hbm_peak_bytes;  // What the program needs of it.
  const simulator_result_t *result;
  const char *traceparent;  // The caller's; NULL: none.
} wire_simulation_t;

// Takes a part, each below 4 MiB, borrowed for the call.
typedef void (*wire_part_fn_t)(void *context, const Podium__V1__ProfilePart *part);

// The header, the tasks, the classes in order, each in as many parts as it takes.
void wire_simulation_pack(const wire_simulation_t *simulation, wire_part_fn_t emit,
                          void *context);

#endif  // SERVER_WIRE_SIMULATION_H_
