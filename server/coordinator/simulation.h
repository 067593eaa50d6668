// A simulation as a job: from a compiled program and the way its control flow went to the
// parts of a profile.
//
// With traces it tells the time of an execution that was; without, of one that nobody has
// done (the control flow is then worked out from the program's scalars).
//
// Threading: init, begin, cancel, deinit on the loop thread; the work on the queue's.
// Determinism: the same arguments, the same parts. Ownership: embedded in its owner,
// which lives until `done`; init copies the options. Errors: INVALID_ARGUMENT for options
// outside their ranges; what simulator_run and simulator_trace say.

#ifndef SERVER_COORDINATOR_SIMULATION_H_
#define SERVER_COORDINATOR_SIMULATION_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/base/status.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/core/compiled.h"
#include "server/coordinator/core/store.h"
#include "server/coordinator/job_queue.h"
#include "server/simulator/simulator.h"

enum {
  SIMULATION_SLOW_MAX = 1 << 16,    // Slow chips, slow links, loops, of each.
  SIMULATION_EVENTS_MAX = 1 << 20,  // Kept of all classes, of tasks and messages each.
};

typedef struct simulation_t {
  queue_job_t job;  // First.
  pod_arena_t *arena;
  compiled_t *compiled;      // In use.
  store_profile_t *profile;  // In use; NULL: nobody has run it.
  simulator_options_t options;
  atomic_bool is_cancelled;
  char traceparent[STORE_TRACEPARENT_BYTES];  // Of the execution, or of who asks.
  int32_t turns_count;
  simulator_turns_t *turns;
  // The outcome; on the queue's thread until `done`.
  pod_status_t status;
  POD_LIST(store_bytes_t) parts;  // Serialised podium.v1.ProfileParts.
  int64_t size_bytes;
} simulation_t;

// `profile` may be NULL, `options` too. On error nothing is to be released.
POD_MUST_USE pod_status_t simulation_init(simulation_t *simulation, compiled_t *compiled,
                                          store_profile_t *profile,
                                          const Podium__V1__SimulationOptions *options);

// `done` comes on the loop thread. RESOURCE_EXHAUSTED when too many wait.
POD_MUST_USE pod_status_t simulation_begin(simulation_t *simulation, job_queue_t *queue,
                                           void (*done)(queue_job_t *job));

// Lets a simulation that runs end soon; nobody wants it any more. `done` comes as ever.
void simulation_cancel(simulation_t *simulation);

void simulation_deinit(simulation_t *simulation);

#endif  // SERVER_COORDINATOR_SIMULATION_H_
