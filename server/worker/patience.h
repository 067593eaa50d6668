// How long a compute thread may go on with what nobody wants any more. Kernels look
// whether they are stopped at least every 50 ms of work (kernels/stop.h); what a library
// computes in one call does not look at all.
//
//   IDLE ──patience_start──► WAITING ──patience_end──► IDLE
//                               └──worked or slept for too long──► over
//
// Its own time counts, PATIENCE_CPU_NS, so that a machine with much to do makes no chip
// look stuck; or that it has not run at all for PATIENCE_ASLEEP_NS.
//
// Threading: the loop thread.

#ifndef SERVER_WORKER_PATIENCE_H_
#define SERVER_WORKER_PATIENCE_H_

#include <stdint.h>

#include "common/rpc/loop.h"
#include "server/worker/compute.h"

#define PATIENCE_CPU_NS INT64_C(2000000000)
#define PATIENCE_ASLEEP_NS INT64_C(10000000000)

typedef struct patience_t patience_t;

// With one of the threads. `over` is called from the loop, once after each start. Returns
// owned.
patience_t *patience_create(rpc_loop_t *loop, const compute_t *compute, int thread,
                            rpc_fn_t over, void *context);

// What the thread does is not wanted any more. Ignored while it waits already.
void patience_start(patience_t *patience);

// It has let go. Accepts NULL.
void patience_end(patience_t *patience);

// Accepts NULL.
void patience_destroy(patience_t *patience);

#endif  // SERVER_WORKER_PATIENCE_H_
