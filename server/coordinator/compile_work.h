// Modules on their way through the compiler, each once: who asks for what is being
// compiled already waits for that.
//
//   join ──found in works─> waits ──compiled──> done(compiled)
//   start ─a new work, queued─^ │ └──refused───> done(status)
//                               └──leave: nothing more is told
//
// A work belongs to nobody who waits: when one leaves, the others go on. When the last
// one leaves before the compiler has begun, the work goes; after that it runs to its end
// unless others wait for its process, and who comes meanwhile joins it. What was compiled
// is put into the cache, though nobody may wait any more: who gave up comes again. What
// went wrong is told to all who waited and is forgotten, so that the next one who asks is
// answered anew.
//
// Threading: the loop thread.
// Ownership: a waiter is embedded in its owner, which lives until `done` or
// compile_work_leave.

#ifndef SERVER_COORDINATOR_COMPILE_WORK_H_
#define SERVER_COORDINATOR_COMPILE_WORK_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "server/coordinator/coordinator_private.h"

typedef struct compile_waiter_t compile_waiter_t;

struct compile_waiter_t {
  compile_work_t *work;  // NULL: it waits for nothing.
  compile_waiter_t *next;
  // Called once, unless it leaves. On success `status` is NULL and `compiled` borrowed
  // for the call; else takes `status`.
  void (*done)(compile_waiter_t *waiter, pod_status_t status, compiled_t *compiled);
};

// Waits for what is being compiled of the key already; with `is_loadable` in a form that
// can be loaded. False: nothing is.
bool compile_work_join(coordinator_t *coordinator, const compile_key_t *key,
                       bool is_loadable, compile_waiter_t *waiter);

// Has it compiled, and waits for that. Takes `text` (free()), the key's, which counts in
// coordinator->compile_text_bytes as long as it is kept; copies the key. `owner` is whose
// it is, for a fair queue (job_queue.h).
// RESOURCE_EXHAUSTED when too many modules wait: nothing has been taken, nothing will be
// told.
POD_MUST_USE pod_status_t compile_work_start(coordinator_t *coordinator,
                                             const compile_key_t *key, char *text,
                                             bool is_loadable, const void *owner,
                                             compile_waiter_t *waiter);

void compile_work_leave(compile_waiter_t *waiter);

#endif  // SERVER_COORDINATOR_COMPILE_WORK_H_
