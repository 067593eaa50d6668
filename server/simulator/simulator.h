// The clock of a whole pod: runs the tasks of a program on every chip, the steps of its
// collectives over every link, and tells when what happened. It computes no values;
// control flow comes as traces. The program runs on the chips of its mesh; the others
// pass messages on and are idle otherwise.
//
// The same function tells the time of an execution that the daemons have carried out and
// of one that nobody has: there is one clock. It looks at nothing but its arguments.
//
// Model: each chip has a core that does its tasks in order, a DMA queue, and per link and
// direction a channel whose rate is shared evenly by the messages on it. A message of
// several hops takes the rate of the narrowest share on its way and the sum of the hops'
// latencies; one between slices crosses the interfaces of two hosts. A collective begins
// on a chip when the chip gets there; each step waits for what it receives
// (server/collective/schedule.h), and a message for its receiver to have begun. README.md
// has the formulas. Symmetry: chips that can't be told apart (same tasks, same slowdowns,
// schedules alike, neighbours alike: an equitable partition) are one class and are
// simulated once; the times are those of simulating all. Periods: turns of a loop that
// repeat those before them, relative to their beginning, are passed over; the times are
// those of running all. Cost: linear in events, but for these. Determinism: integers
// only; the same arguments, the same result. Threading: pure; `is_cancelled` may be set
// from another thread. Ownership: the result has an arena of its own; destroy frees it.

#ifndef SERVER_SIMULATOR_SIMULATOR_H_
#define SERVER_SIMULATOR_SIMULATOR_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "server/chip/cost.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/program/program.h"
#include "server/program/task.h"
#include "server/program/trace.h"
#include "server/simulator/channels.h"

// The core of `chip` takes `factor` times as long for everything (1.5: half as long
// again). factor >= 1/64, <= 64.
typedef struct simulator_slow_chip_t {
  int32_t chip;
  double factor;
} simulator_slow_chip_t;

// The link from `chip` in `direction`, and its way back, have `factor` of their rate
// (0.5: half). In (0, 64].
typedef struct simulator_slow_link_t {
  int32_t chip;
  torus_direction_t direction;
  double factor;
} simulator_slow_link_t;

typedef struct simulator_options_t {
  const chip_spec_t *spec;
  const torus_t *torus;
  int32_t slow_chip_count, slow_link_count;
  const simulator_slow_chip_t *slow_chips;
  const simulator_slow_link_t *slow_links;
  // By chip of the torus, of those that run the program; the same pointer for chips that
  // did the same.
  const chip_trace_t *const *traces;
  bool ignores_symmetry;   // Simulates every chip by itself.
  bool uses_events_only;   // No shortcut for collectives that have their links to
                           // themselves: slower, and the same.
  bool uses_windows_only;  // No rounds (README.md): slower, and the same.
  bool looks_nothing_up;   // Each collective is followed: slower, and the same.
  bool runs_every_turn;    // No turns of a loop are passed over: slower, and the same.
  int64_t events_max;      // Kept per class, of tasks and of messages each; the rest is
                           // dropped and counted.
  int64_t all_events_max;  // The same of all classes together, which share it evenly;
                           // 0: no bound but events_max.
  // At most, when chips have to be followed one by one; 0: as many as that is worth. The
  // result is the same.
  int32_t threads_max;
  const atomic_bool *is_cancelled;  // May be NULL. Once true, the run ends soon.
} simulator_options_t;

// Sums over an execution of one task.
typedef struct simulator_total_t {
  int64_t run_count;
  int64_t start_ps;  // Of the first run.
  // On the core: for a DONE the waiting, for a WHILE all of its turns.
  int64_t duration_ps;
  int64_t waiting_ps;  // Of it, waiting for links or DMA with the core idle.
  int64_t flight_ps;   // START, COLLECTIVE, PREFETCH_START: from the start to the arrival
                       // of the last byte.
  int64_t ici_bytes;   // Sent by this chip for it, over the first link of each message.
} simulator_total_t;

typedef struct simulator_event_t {
  int32_t task;
  int64_t start_ps, duration_ps;  // On the core.
  int64_t flight_ps;              // As in the total.
} simulator_event_t;

// A message on a link that leaves the chip.
typedef struct simulator_message_t {
  int32_t task;      // COLLECTIVE or COLLECTIVE_START.
  int32_t from, to;  // Chips: its source and its target, not the ends of the link.
  int32_t channel;   // Of the chip: server/simulator/channels.h.
  int64_t start_ps, duration_ps;
  int64_t size_bytes;
} simulator_message_t;

typedef struct simulator_link_t {
  int64_t bytes;    // That crossed it away from the chip, forwarded ones too.
  int64_t busy_ps;  // When at least one message was on it.
  int64_t messages;
} simulator_link_t;

// What one class of chips did.
typedef struct simulator_chip_t {
  int32_t representative;  // Lowest chip of the class; `from` and `to` of messages are as
                           // this chip sees them.
  int32_t chip_count;
  int64_t end_ps;
  int64_t compute_ps;     // The core computed.
  int64_t waiting_ps;     // The core waited for links (exposed communication) or DMA.
  int64_t overlapped_ps;  // Collectives were in flight while the core computed.
  // Each engine busy; ici: any link of the chip.
  int64_t mxu_ps, vpu_ps, hbm_ps, dma_ps, ici_ps;
  simulator_total_t *totals;  // By task of the program.
  int64_t event_count, message_count, events_dropped, messages_dropped;
  simulator_event_t *events;      // In order of start.
  simulator_message_t *messages;  // Likewise.
  simulator_link_t links[SIMULATOR_CHANNELS];
} simulator_chip_t;

typedef struct simulator_result_t {
  pod_arena_t *arena;
  int32_t chip_count, class_count;
  const int32_t *class_of_chip;
  simulator_chip_t *classes;
  const chip_cost_t *costs;    // By task: of one run on a chip that is not slowed;
                               // collectives without their links.
  int64_t step_ps;             // The latest end_ps.
  int64_t steps_simulated;     // Tasks begun and messages sent, without the turns that
                               // were passed over.
  int64_t rounds_simulated;    // 0: not by rounds (README.md).
  int64_t windows_simulated;   // Windows of time; if both are 0, all went by a queue.
  int64_t episodes_looked_up;  // By rounds: collectives under way together that had been
                               // met before. Threads and time may change it.
  int64_t mistakes;            // How often that was not so, and all was begun anew.
} simulator_result_t;

// INVALID_ARGUMENT: slowdowns outside their ranges, a trace that ends before the program
// does. UNIMPLEMENTED: what collective_plan says. CANCELLED: `is_cancelled` was set.
POD_MUST_USE pod_status_t simulator_run(const chip_program_t *program,
                                        const simulator_options_t *options,
                                        simulator_result_t **out_result);

void simulator_result_destroy(simulator_result_t *result);

// The traces of a program from its scalars alone, for all chips: constants, iota,
// partition_id, integer and pred arithmetic over few elements are evaluated, other values
// are unknown. FAILED_PRECONDITION names the loop (file:line:column) whose condition
// depends on values that are not known; `turns` of the while instruction named so are
// then taken instead, if given. *out_traces: an array by chip of pointers (equal ones
// shared; NULL for a chip that is not of the program's mesh), in `arena`.
typedef struct simulator_turns_t {
  // Name, "while.3"; NULL: every loop that is not known otherwise.
  const char *instruction;
  int64_t turns;
} simulator_turns_t;

POD_MUST_USE pod_status_t simulator_trace(const chip_program_t *program,
                                          int32_t chip_count,
                                          const simulator_turns_t *turns,
                                          int32_t turns_count, pod_arena_t *arena,
                                          const chip_trace_t *const **out_traces);

#endif  // SERVER_SIMULATOR_SIMULATOR_H_
