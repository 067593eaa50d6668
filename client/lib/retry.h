// Sessions that outlive a loss (podium_connect_options_t.retries).
//
// What a session of this kind asks of its pod is an operation, which can be asked for
// again, and each of its arrays has an origin, which says how it can be made again: from
// the bytes that were put, or by the execution that it is a result of. When an operation
// fails because something was lost, it is parked, with all that comes after it, until
//
//   STEADY ──> DRAINING ──> PAUSING <──> OPENING or LOOKING ──> REMAKING ──> STEADY
//      a loss     │  what is under way   │  a session, or all    │  what was there
//                 │  has ended           │  chips, again         │  before
//                 └─────────────────────> CLOSED (podium_close)
//
// the pod is there, and what was on it is made again, in the order in which it was made
// at first; then the parked operations are, in theirs. Handles are borrowed from the
// origins and executables, so that those of the user stay what they are.
//
// Threading: the loop thread, but for what says otherwise.

#ifndef CLIENT_LIB_RETRY_H_
#define CLIENT_LIB_RETRY_H_

#include "client/lib/executable.h"
#include "common/base/list.h"

enum {
  LIB_RETRY_GIVE_UP_MS = 300000,
  LIB_RETRY_PAUSE_MS = 100,  // The first, doubled up to
  LIB_RETRY_PAUSE_MAX_MS = 5000,
  LIB_RETRY_DEPTH_MAX = 256,  // Executions, one from another, made again.
  LIB_RETRY_LOOK_MS = 10000,  // For a pod to say how it is, or to have its chips.
};

// An execution that can be made again. Counted: by its results, and by the operation.
typedef struct lib_run_t {
  atomic_int count;
  podium_executable_t *executable;  // Counted.
  size_t argument_count;            // As Execute has them.
  lib_origin_t **arguments;         // Counted.
  lib_origin_t **results;           // NULL where nobody has it any more.
  size_t kept_count;
  int32_t *kept;
  bool by_chip, profile, serves_host;
  uint64_t sequence;  // When it was asked for first. Loop thread.
  bool is_planned;    // Loop thread.
} lib_run_t;

// What was put. Owned by its origin.
typedef struct lib_source_t {
  pod_arena_t *arena;  // Of the header's parts.
  Podium__V1__PutArrayRequest header;
  podium_executable_t *executable;  // Counted; NULL: by shape and sharding.
  podium_shape_t shape;
  int64_t size_bytes;
  // Where the bytes are as long as the session lasts, or a copy of the first
  // `copied_bytes` of them.
  const uint8_t *data;
  podium_read_fn_t read;
  void *read_context;
  uint8_t *copy;
  int64_t copied_bytes;
  const char *why_not;  // A literal: why there is none of these.
} lib_source_t;

// Of an array. Counted: by the array's handle, and by the runs that it is an argument of.
struct lib_origin_t {
  lib_origin_t *previous, *next;  // Of the session, under its mutex.
  podium_session_t *session;
  atomic_int count;
  podium_shape_t shape;
  // How it is made; neither: not again.
  lib_source_t *source;
  lib_run_t *run;  // Counted.
  int result;
  // Loop thread.
  int depth;          // Of executions, one from another, that it comes of.
  uint64_t id;        // What the pod calls it; 0: it is not there.
  uint64_t sequence;  // When it was asked for first.
  bool is_made;       // It was there once.
  bool is_held;       // By the user, whose handle has not been freed.
  bool is_consumed;   // By an execution that it was donated to.
  bool is_planned;
  pod_status_t error;  // What uses it fails with this.
};

// Something asked of the pod. Embedded; the rest is 0 at first.
typedef struct lib_op_t {
  struct lib_op_t *previous, *next;  // Parked ones.
  podium_session_t *session;
  uint64_t sequence;
  int attempts;  // That have failed.
  bool is_flying, is_parked;
  bool is_once;         // It must not be asked for twice.
  int64_t deadline_ns;  // While it is parked; 0: its owner sees to that.
  rpc_timer_t *timer;
  lib_run_t *run;        // Borrowed; or
  lib_origin_t *origin;  // what it puts or fetches, or NULL.
  // Asks for it, perhaps again.
  void (*send)(struct lib_op_t *op);
  // It is over without having been asked for; takes `status`.
  void (*end)(struct lib_op_t *op, pod_status_t status);
} lib_op_t;

// --- The session (retry.c) ---

// NULL when the options ask for no retries. INVALID_ARGUMENT for what does not go
// together.
POD_MUST_USE pod_status_t lib_retry_create(podium_session_t *session,
                                           const podium_connect_options_t *options,
                                           lib_retry_t **out_retry);

// Everything that is parked ends with CANCELLED, and nothing is parked any more. Accepts
// NULL.
void lib_retry_close(lib_retry_t *retry);

// After the loop. Accepts NULL.
void lib_retry_destroy(lib_retry_t *retry);

// Calls op->send now, or when the pod is there again.
void lib_op_start(lib_op_t *op);

// It has failed with `status`. True: it is parked, to be sent again or ended, and
// `status` is taken. False: that is its end.
bool lib_op_fails(lib_op_t *op, pod_status_t status);

// It is over; for every operation that was started, also one that is parked or was ended
// by op->end.
void lib_op_over(lib_op_t *op);

// For calls that block, any thread: waits until the pod is there. Errors: why it is not.
POD_MUST_USE pod_status_t lib_retry_wait(podium_session_t *session, int64_t deadline_ns);

// The call has failed with *inout_status (or ended well): true when it should be made
// again, after the pod has been waited for; the status is then taken. False: that is its
// end, with the status, which may now say that the pod has not come back. Any thread.
bool lib_retry_again(podium_session_t *session, int *attempts, int64_t deadline_ns,
                     pod_status_t *inout_status);

// Of the copies that the session keeps, any thread: whether there is room for so many
// bytes more, which are then counted until they are given back.
bool lib_retry_take_room(podium_session_t *session, int64_t size_bytes);
void lib_retry_give_room(podium_session_t *session, int64_t size_bytes);

// Whether nothing is parked: what is freed meanwhile may be what it needs, and goes after
// it (lib_remake_free_unheld).
bool lib_retry_is_steady(const podium_session_t *session);

// Executions, one from another, that are made again.
int lib_retry_depth_max(const podium_session_t *session);

// --- Origins (origin.c) ---

// Any thread; count 1, held.
lib_origin_t *lib_origin_create(podium_session_t *session, const podium_shape_t *shape);
void lib_origin_retain(lib_origin_t *origin);
// Loop thread, or after the loop. Accepts NULL.
void lib_origin_release(lib_origin_t *origin);

// Takes the source.
void lib_origin_set_source(lib_origin_t *origin, lib_source_t *source);
// The origin's array is this result of the run.
void lib_origin_set_run(lib_origin_t *origin, lib_run_t *run, int result);

// Whether it could be made again, by itself: not whether what it comes of can be.
bool lib_origin_can_be_made(const lib_origin_t *origin);

// What uses the array fails with this; takes `status`.
void lib_origin_fail(lib_origin_t *origin, pod_status_t status);

// Why it cannot be used now; NULL: it can, by its id.
POD_MUST_USE pod_status_t lib_origin_check(const lib_origin_t *origin);

// Any thread. The lists are zeroed, the executable is retained; count 1.
lib_run_t *lib_run_create(podium_executable_t *executable, size_t argument_count,
                          const podium_execute_options_t *options);
void lib_run_release(lib_run_t *run);

// It has ended well: its results are there, and what it consumed is not.
void lib_run_ended(lib_run_t *run);
void lib_run_failed(lib_run_t *run, pod_status_t status);

// --- Making again (remake.c) ---

typedef struct lib_remake_t lib_remake_t;

// Told once, never inside; takes `status`.
typedef void (*lib_remade_fn_t)(void *context, pod_status_t status);

// `is_new`: nothing of what the session had is there any more; else what can be made
// again is, and the rest stays what it is. `parked`: the head of the operations that wait
// for it. What cannot be made again gets an error, which says why. `done` is told NULL,
// or what was lost meanwhile.
lib_remake_t *lib_remake_start(podium_session_t *session, bool is_new,
                               const lib_op_t *parked, lib_remade_fn_t done,
                               void *context);

// "2 programs, 3 arrays and 1 execution"; appended.
void lib_remake_print(const lib_remake_t *remake, pod_text_t *text);

// What is of arrays that nobody holds any more, after the parked operations were sent.
void lib_remake_free_unheld(podium_session_t *session);

// `done` is not told any more. Accepts NULL.
void lib_remake_destroy(lib_remake_t *remake);

// Whether it is a loss of the pod's, after which the same may go well.
bool lib_is_loss(pod_status_t status);

// One of its steps, by the file that knows how. `done` is told once, perhaps inside.
void lib_compile_again(podium_executable_t *executable, lib_remade_fn_t done,
                       void *context);
void lib_put_again(lib_origin_t *origin, lib_remade_fn_t done, void *context);
void lib_run_again(lib_run_t *run, lib_remade_fn_t done, void *context);

#endif  // CLIENT_LIB_RETRY_H_
