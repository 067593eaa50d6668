// Brings an executable onto the chips that do not have it yet.
//
// Threading: the loop thread.
// Ownership: a load frees itself before it calls `done`; its caller holds a use of the
// executable until then.

#ifndef SERVER_COORDINATOR_LOAD_H_
#define SERVER_COORDINATOR_LOAD_H_

#include "server/coordinator/coordinator_private.h"

typedef struct load_t load_t;

// Takes `status`: NULL when all chips have it. Comes from the loop, exactly once.
typedef void (*load_done_fn_t)(void *context, pod_status_t status);

// Whether a worker that has its place now lacks it.
bool load_is_needed(const coordinator_t *coordinator,
                    const store_executable_t *executable);

// Only when it is needed.
load_t *load_start(coordinator_t *coordinator, store_executable_t *executable,
                   load_done_fn_t done, void *context);

// `done` follows with `status`, which is taken.
void load_cancel(load_t *load, pod_status_t status);

#endif  // SERVER_COORDINATOR_LOAD_H_
