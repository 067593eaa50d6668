// Inside of the loop, for the files of this module only: alarms (many cheap timers on one
// libuv timer) and tasks (work put off until the callback under way has returned).
//
// Every callback into user code runs from a task, an alarm or a post, so no user code is
// ever on the stack below nghttp2 or inside the function that caused it.
//
//   poll ─► [reads: nghttp2 fills calls] ─► check: read tasks, deliver tasks ─► posts ─►
//    ▲      flush tasks ─┐
//    └── prepare: deliver tasks ─► posts ─► flush tasks ◄── timers: alarms ◄──┘
//
// A turn reads for RPC_TURN_NS at most, each connection for RPC_SLICE_NS: one that has
// more to say waits for its next turn behind the others (read tasks), so that those with
// little to say are heard in every turn, whatever the others do. Likewise user code runs
// for RPC_TURN_NS before the sockets are looked at again, and for the calls of each
// connection for RPC_DELIVER_SLICE_NS in a round.

#ifndef COMMON_RPC_LOOP_INTERNAL_H_
#define COMMON_RPC_LOOP_INTERNAL_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/heap.h"
#include "common/base/list.h"
#include "common/rpc/loop.h"

// Embedded in what waits. Zeroed means not set.
typedef struct rpc_alarm_t rpc_alarm_t;
struct rpc_alarm_t {
  int32_t slot;  // Its place in the heap, plus 1; 0 when not set.
  void (*fn)(rpc_alarm_t *alarm);
};

// Embedded in what has work put off. Zeroed means not queued.
typedef struct rpc_task_t rpc_task_t;
struct rpc_task_t {
  rpc_task_t *previous, *next;
  bool queued;
  void (*fn)(rpc_task_t *task);
};

// Read goes on with a connection whose slice was over; deliver runs user code; flush
// writes what user code has asked for, once for all of it.
typedef enum rpc_phase_t {
  RPC_PHASE_DELIVER = 0,
  RPC_PHASE_FLUSH,
  RPC_PHASE_READ,  // In the next turn, as far as that has the time.
  RPC_PHASE_COUNT,
} rpc_phase_t;

typedef struct rpc_post_t {
  rpc_fn_t fn;
  void *context;
} rpc_post_t;

typedef POD_LIST(rpc_post_t) rpc_post_list_t;

// Whether it pays to look for more before the loop sleeps.
typedef struct rpc_spin_t {
  int credit;
  unsigned unspun_count, trial_interval;
} rpc_spin_t;

// Whose the loop is, with all that hangs on it: its own thread's, but while that waits in
// the poll.
typedef enum rpc_turn_t {
  RPC_TURN_LOOP = 0,
  RPC_TURN_NOBODY,
  RPC_TURN_GUEST,  // Between rpc_loop_enter and rpc_loop_leave.
} rpc_turn_t;

typedef struct rpc_pool_t rpc_pool_t;
typedef struct rpc_decoder_t rpc_decoder_t;
typedef struct rpc_linger_t rpc_linger_t;

enum {
  RPC_SCRATCH_BYTES = 64 << 10,
  RPC_SLICE_NS = 200000,  // Of reading, for a connection that others wait behind ...
  RPC_LONE_SLICE_NS = 1000000,  // ... and for one that is alone.
  RPC_DELIVER_SLICE_NS = 100000,
  RPC_TURN_NS = 4000000,          // Of reading in a turn; the half of it ...
  RPC_FRESH_NS = RPC_TURN_NS / 2  // ... at most for those that did not wait.
};

struct rpc_loop_t {
  uv_loop_t uv;
  uv_async_t wake;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_idle_t idle;  // Runs while tasks are left over, so that the poll does not sleep.
  uv_timer_t timer;
  int64_t timer_at_ns;  // What `timer` is set to; INT64_MAX when it is not.

  int64_t reading_since_ns;  // In this turn; 0: not yet.

  bool is_awake;  // Its own thread is not in the poll. That thread's.

  // See "Spinning" in loop.c.
  bool heard, asked, spinning, interrupted, waited;
  int64_t spin_end_ns, spun_ns;
  rpc_spin_t spins[2];  // After a turn that has asked, and after one that has not.
  rpc_spin_t *spin;     // Of the spin under way.

  uv_mutex_t lock;  // Guards what follows, up to `stopping`.
  rpc_post_list_t posts;
  atomic_bool has_posts;  // Read without the lock: mostly there are none.
  rpc_turn_t turn;
  uv_cond_t turn_is_back;
  atomic_bool stopping;

  pod_heap_t alarms;  // By the time at which they are due, of pod_clock_now_ns().
  rpc_task_t tasks[RPC_PHASE_COUNT];  // Heads of rings.

  rpc_pool_t *pool;  // Blocks of memory for messages; see block.h.
  rpc_decoder_t *decoder;
  rpc_linger_t *lingering;  // Sockets on their way out; see linger.h.
  size_t lingering_count;
  uint8_t scratch[RPC_SCRATCH_BYTES];  // What a socket read gives, until it is parsed.
};

void rpc_alarms_init(pod_heap_t *alarms);

// The alarm that is due first and when; NULL: none is set.
rpc_alarm_t *rpc_alarm_first(const rpc_loop_t *loop, int64_t *out_at_ns);

// Sets or moves; `alarm->fn` runs once from the loop at or after `at_ns`.
void rpc_alarm_set(rpc_loop_t *loop, rpc_alarm_t *alarm, int64_t at_ns);

void rpc_alarm_set_in_ms(rpc_loop_t *loop, rpc_alarm_t *alarm, uint64_t delay_ms);

void rpc_alarm_cancel(rpc_loop_t *loop, rpc_alarm_t *alarm);

// Rings of tasks: the head is in none. A task is in one or in none.
void rpc_tasks_init(rpc_task_t *head);
bool rpc_tasks_is_empty(const rpc_task_t *head);
void rpc_tasks_add(rpc_task_t *head, rpc_task_t *task);

// Runs the tasks of the ring, the first first and one at least, until `slice_ns` are
// over (INT64_MAX: all); those that are added meanwhile have to wait. Tasks may go from
// it in any way.
void rpc_tasks_run(rpc_task_t *head, int64_t slice_ns);

// Queues the task if it is not queued yet.
void rpc_task_queue(rpc_loop_t *loop, rpc_phase_t phase, rpc_task_t *task);

void rpc_task_cancel(rpc_task_t *task);

// The poll has ended: every callback of libuv that a poll runs begins with this. Waits
// for a guest to leave.
void rpc_loop_awake(rpc_loop_t *loop);

// On the thread that has the turn: whether it is a guest's. It must not touch libuv,
// which the loop's own thread is inside of.
bool rpc_loop_has_guest(const rpc_loop_t *loop);

// Whether a connection that has just become readable may be read in this turn: the time,
// of pod_clock_now_ns(); 0 when it has to queue a read task.
int64_t rpc_loop_may_read(rpc_loop_t *loop);

// How long it may be read.
int64_t rpc_loop_slice_ns(const rpc_loop_t *loop);

// A socket has something to read; to be called before it is read.
void rpc_loop_note_heard(rpc_loop_t *loop);

// A client has written, and may be answered soon.
void rpc_loop_note_asked(rpc_loop_t *loop);

// One turn that does not wait. For tests and fuzzing.
void rpc_loop_turn(rpc_loop_t *loop);

#endif  // COMMON_RPC_LOOP_INTERNAL_H_
