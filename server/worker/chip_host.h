// What a worker is once it has a place in a pod: a chip with its HBM, its programs and
// the queue of executions. The gRPC service and the membership stand in front of it.
//
//   load ──► loader thread ──► loaded ──────────────► unload ──► loader thread
//   execute ──► queue (FIFO) ──► HBM reserved ──► compute thread ──► results published
//                 ▲  │                  │             │      ▲
//                 │  └─────── pause ────┴────┬────────┘      │
//                 └── resume ───────────── paused      brief ones: loop thread
//
// One execution runs at a time, and those that are paused stand still, each where it was:
// what has begun on its thread within a look (kernels/stop.h), with all that it has
// reserved; what has not begun as it waited. One that is resumed goes on when all that
// stand in the queue then have ended. The next ones are given to the compute thread with
// it, as far as there is room, so that it need not wait for the loop between them. What
// one needs of HBM (temporaries, results) is reserved then. An argument that is not there
// when it is queued may be a result of one before it, and fails with that. The arguments
// that it consumes are gone once it starts, whether it ends well or not; one that could
// not start leaves them.
//
// Threading: the loop thread. Callbacks come from the loop, never inside the call that
// asked for them, exactly once, except after chip_host_execution_cancel.
// Ownership: programs and arrays belong to sessions and go with them.
// Errors: NOT_FOUND for ids that are not there, ALREADY_EXISTS for ids that are,
// INVALID_ARGUMENT for arguments that do not fit the program, RESOURCE_EXHAUSTED for HBM,
// host memory and a full queue, UNAVAILABLE while it stops.

#ifndef SERVER_WORKER_CHIP_HOST_H_
#define SERVER_WORKER_CHIP_HOST_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"
#include "server/program/profile.h"
#include "server/worker/executor.h"
#include "server/worker/hbm.h"
#include "server/worker/host_exchange.h"

enum { CHIP_HOST_QUEUE_MAX = 256, CHIP_HOST_LOADS_MAX = 64 };

typedef struct chip_host_t chip_host_t;
typedef struct chip_host_execution_t chip_host_execution_t;

typedef struct chip_host_options_t {
  executor_options_t executor;
  int64_t hbm_bytes;
  // What runs was cancelled and does not end (patience.h): nothing more can be run here.
  // From the loop; may be NULL.
  void (*stuck)(const char *program, void *context);
  void *stuck_context;
} chip_host_options_t;

// Returns owned; starts the threads.
POD_MUST_USE pod_status_t chip_host_create(rpc_loop_t *loop,
                                           const chip_host_options_t *options,
                                           chip_host_t **out_host);

// Ends all executions with a copy of `reason`, which it takes, frees everything when the
// threads have let go, the host itself too, and calls `gone`. Arrays that were
// retained must have been released.
void chip_host_stop(chip_host_t *host, pod_status_t reason, rpc_fn_t gone, void *context);

hbm_t *chip_host_hbm(chip_host_t *host);
int32_t chip_host_program_count(const chip_host_t *host);

// Nothing is queued, running or loading.
bool chip_host_is_idle(const chip_host_t *host);

// Calls `idle` each time it becomes idle. NULL: no more.
void chip_host_on_idle(chip_host_t *host, rpc_fn_t idle, void *context);

// `done` takes `status`.
typedef void (*chip_host_done_fn_t)(pod_status_t status, void *context);

// Unpacks and loads a program; takes `bytes` (free()).
void chip_host_load(chip_host_t *host, uint64_t session, uint64_t program, uint8_t *bytes,
                    size_t size_bytes, chip_host_done_fn_t done, void *context);

// Executions under way keep it until they end. An id that is not there is ignored.
void chip_host_unload(chip_host_t *host, uint64_t program);

typedef struct chip_host_execute_t {
  uint64_t session, program, execution;
  const uint64_t *arguments, *results;  // Ids of arrays; borrowed for the call.
  size_t argument_count, result_count;
  // Arguments by number that are not consumed although the program donates them: their
  // results get memory of their own. So do those of arrays that others still hold.
  const int32_t *kept;
  size_t kept_count;
  // It starts, and has consumed arguments. At most once, before `done`; may be NULL.
  void (*consumed)(void *context);
  // Told what the program asks of its host, with the context of `done`; each time
  // chip_host_execution_answer has to follow. NULL: there is no host.
  host_ask_fn_t ask;
  // It stands still since it was to be paused; not after its end. NULL: it never is.
  void (*paused)(void *context);
  // Nothing runs, and it does not begin: others that are paused hold what it needs. Once
  // each time it waits in the queue.
  void (*lacks_room)(void *context);
} chip_host_execute_t;

// `profile` is NULL on error, else borrowed for the call; `done` takes `status`.
typedef void (*chip_host_executed_fn_t)(const chip_profile_t *profile,
                                        pod_status_t status, void *context);

// Queues an execution. Valid until `done`.
POD_MUST_USE pod_status_t chip_host_execute(chip_host_t *host,
                                            const chip_host_execute_t *request,
                                            chip_host_executed_fn_t done, void *context,
                                            chip_host_execution_t **out_execution);

// Takes arrays out of the table when the executions that are queued now have ended; ids
// that are not there then are ignored.
void chip_host_free_arrays(chip_host_t *host, const uint64_t *ids, size_t count);

// See host_exchange_answer.
void chip_host_execution_answer(chip_host_execution_t *execution, const void *data,
                                size_t size_bytes, pod_status_t status);

// Has the chip do something else. True: it stands still already; false: `paused` is
// called when it does, or it ends first.
POD_MUST_USE bool chip_host_execution_pause(chip_host_execution_t *execution);

// Behind all that wait now. Ignored when it was not paused.
void chip_host_execution_resume(chip_host_execution_t *execution);

// Stops it, a paused one too; `done` is not called any more, the pointer not to be used.
void chip_host_execution_cancel(chip_host_execution_t *execution);

// Ends its executions with CANCELLED, frees its arrays and programs.
void chip_host_close_session(chip_host_t *host, uint64_t session);

#endif  // SERVER_WORKER_CHIP_HOST_H_
