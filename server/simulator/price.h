// What a collective costs a pod by itself, asked before the program around it is done:
// the clock of the pod runs that one instruction on all chips. The compiler's scheduler
// and report ask here, so that they and simulator_run cannot differ. Answers are
// remembered: a program has few distinct collectives.
//
// Cost: of a distinct collective the planning of all chips: a tenth of a millisecond on
// 64 chips, some on 256, some tens on 4,096; of one that was asked for before a
// comparison of its groups. Determinism: the same arguments, the same result. Threading:
// one thread at a time. Ownership: borrows spec, torus and mesh; destroy frees
// everything.

#ifndef SERVER_SIMULATOR_PRICE_H_
#define SERVER_SIMULATOR_PRICE_H_

#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/collective/schedule.h"
#include "server/program/program.h"

typedef struct simulator_price_t {
  // From where all chips have come to it to the arrival of the last byte, what the core
  // does for it not included.
  int64_t duration_ps;
  // Sent by a chip that takes part, the mean, rounded up; over the first link of each
  // message.
  int64_t sent_bytes;
  int64_t dcn_bytes;   // Of these, to other slices, over the interfaces of hosts.
  int64_t link_bytes;  // Over the link of ICI that carries most, forwarded ones too.
  bool is_endless;     // The duration is no more than a number above all others.
} simulator_price_t;

typedef struct simulator_prices_t simulator_prices_t;

// Of programs that run on the chips of `mesh`, its devices.
simulator_prices_t *simulator_prices_create(const chip_spec_t *spec, const torus_t *torus,
                                            const mesh_t *mesh);

// Accepts NULL.
void simulator_prices_destroy(simulator_prices_t *prices);

// Of one run of a collective instruction with all its operands side by side. Only its
// operation, operands' shapes and attributes matter. `algorithm`: what it will run by;
// AUTO: what the instruction says. UNIMPLEMENTED: it does not do this collective over
// these groups. INVALID_ARGUMENT: as collective_planner_create.
POD_MUST_USE pod_status_t simulator_prices_find(simulator_prices_t *prices,
                                                const chip_program_t *program,
                                                const chip_instruction_t *instruction,
                                                collective_algorithm_t algorithm,
                                                simulator_price_t *out_price);

#endif  // SERVER_SIMULATOR_PRICE_H_
