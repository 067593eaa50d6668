// Turns of the loop: sockets and alarms queue tasks; before the loop sleeps, deliver
// tasks and posts run (user code), then flush tasks (one write for all that it asked
// for). Other threads come in by posts, which wake the loop; its own it finds by itself.

#include "common/rpc/loop.h"

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/block.h"
#include "common/rpc/decode.h"
#include "common/rpc/linger.h"
#include "common/rpc/loop_internal.h"

enum {
  NS_PER_MS = 1000000,
  // Tasks that keep queueing tasks must let the sockets have their turn.
  DRAIN_ROUNDS_MAX = 64,
  DUE_ROUNDS_MAX = 8,
  TASKS_PER_LOOK = 2,  // At the clock, which costs as much as a small task.
  SPIN_NS = 50000,
  SPIN_TURN_NS_MAX = 4000,  // Of a poll that finds something at once.
  SPIN_CREDIT_MAX = 8,
  SPIN_TRIAL_INTERVAL_MIN = 16,
  SPIN_TRIAL_INTERVAL_MAX = 16384,
};

struct rpc_timer_t {
  rpc_alarm_t alarm;  // First, so that the alarm finds its timer.
  rpc_loop_t *loop;
  uint64_t repeat_ms;
  rpc_fn_t fn;
  void *context;
};

struct rpc_signal_t {
  uv_signal_t handle;  // First, so that the handle finds its signal.
  rpc_fn_t fn;
  void *context;
};

// Of this thread; NULL: none.
static _Thread_local rpc_loop_t *running_loop;

// --- Tasks ---

void rpc_tasks_init(rpc_task_t *head) {
  head->previous = head->next = head;
}

bool rpc_tasks_is_empty(const rpc_task_t *head) {
  return head->next == head;
}

void rpc_tasks_add(rpc_task_t *head, rpc_task_t *task) {
  task->queued = true;
  task->previous = head->previous;
  task->next = head;
  head->previous->next = task;
  head->previous = task;
}

// All tasks of `from`, which is not empty, before those of `to`.
static void move_all(rpc_task_t *from, rpc_task_t *to) {
  from->next->previous = to;
  from->previous->next = to->next;
  to->next->previous = from->previous;
  to->next = from->next;
  rpc_tasks_init(from);
}

void rpc_tasks_run(rpc_task_t *head, int64_t slice_ns) {
  if (rpc_tasks_is_empty(head)) {
    return;
  }
  rpc_task_t round;
  int64_t start_ns = 0;
  rpc_tasks_init(&round);
  move_all(head, &round);
  bool goes_on = true;
  for (unsigned count = 1; goes_on; count++) {
    rpc_task_t *task = round.next;
    rpc_task_cancel(task);
    task->fn(task);
    goes_on = !rpc_tasks_is_empty(&round);
    if (goes_on && slice_ns != INT64_MAX && count % TASKS_PER_LOOK == 0) {
      const int64_t now_ns = pod_clock_now_ns();
      start_ns = start_ns == 0 ? now_ns : start_ns;
      goes_on = now_ns - start_ns < slice_ns;
    }
  }
  if (!rpc_tasks_is_empty(&round)) {
    move_all(&round, head);
  }
}

void rpc_task_queue(rpc_loop_t *loop, rpc_phase_t phase, rpc_task_t *task) {
  if (!task->queued) {
    rpc_tasks_add(&loop->tasks[phase], task);
  }
}

void rpc_task_cancel(rpc_task_t *task) {
  if (!task->queued) {
    return;
  }
  task->queued = false;
  task->previous->next = task->next;
  task->next->previous = task->previous;
}

// Runs what is queued now; what the tasks queue themselves waits for the next round.
static bool run_tasks(rpc_loop_t *loop, rpc_phase_t phase) {
  const bool is_any = !rpc_tasks_is_empty(&loop->tasks[phase]);
  rpc_tasks_run(&loop->tasks[phase], INT64_MAX);
  return is_any;
}

// Likewise.
static bool run_posts(rpc_loop_t *loop) {
  if (!atomic_load(&loop->has_posts)) {
    return false;
  }
  uv_mutex_lock(&loop->lock);
  rpc_post_list_t posts = loop->posts;
  loop->posts = (rpc_post_list_t){0};
  atomic_store(&loop->has_posts, false);
  uv_mutex_unlock(&loop->lock);
  for (int32_t i = 0; i < posts.count; i++) {
    posts.items[i].fn(posts.items[i].context);
  }
  pod_list_deinit(&posts);
  return true;
}

// --- Fair reading ---

static bool is_waited_for(const rpc_loop_t *loop) {
  return !rpc_tasks_is_empty(&loop->tasks[RPC_PHASE_READ]);
}

int64_t rpc_loop_may_read(rpc_loop_t *loop) {
  const int64_t now_ns = pod_clock_now_ns();
  if (loop->reading_since_ns == 0) {
    loop->reading_since_ns = now_ns;
  }
  return now_ns - loop->reading_since_ns < RPC_FRESH_NS ? now_ns : 0;
}

int64_t rpc_loop_slice_ns(const rpc_loop_t *loop) {
  return is_waited_for(loop) ? RPC_SLICE_NS : RPC_LONE_SLICE_NS;
}

// Those that wait, the first first; one at least. Who is not done queues again, behind
// the others, for the next turn.
static void run_reads(rpc_loop_t *loop) {
  rpc_tasks_run(&loop->tasks[RPC_PHASE_READ], RPC_TURN_NS - RPC_FRESH_NS);
  loop->reading_since_ns = 0;
}

// False when there is more to do, but the sockets want their turn.
static bool drain(rpc_loop_t *loop) {
  int64_t start_ns = 0;
  for (int round = 0; round < DRAIN_ROUNDS_MAX; round++) {
    const bool delivered = run_tasks(loop, RPC_PHASE_DELIVER);
    const bool posted = run_posts(loop);
    const bool flushed = run_tasks(loop, RPC_PHASE_FLUSH);
    if (!delivered && !posted && !flushed) {
      return true;
    }
    if (round == 0) {
      continue;  // Mostly there is nothing more, and nobody asks for the time.
    }
    const int64_t now_ns = pod_clock_now_ns();
    start_ns = start_ns == 0 ? now_ns : start_ns;
    if (now_ns - start_ns >= RPC_TURN_NS) {
      return false;
    }
  }
  return false;
}

// --- The turns of the loop ---

// Returns whether any were due.
static bool run_due_alarms(rpc_loop_t *loop) {
  const int64_t now_ns = pod_clock_now_ns();
  rpc_alarm_t *alarm;
  int64_t at_ns;
  bool is_any = false;
  while ((alarm = rpc_alarm_first(loop, &at_ns)) != NULL && at_ns <= now_ns) {
    rpc_alarm_cancel(loop, alarm);
    alarm->fn(alarm);
    is_any = true;
  }
  return is_any;
}

static void run_alarms(uv_timer_t *timer) {
  rpc_loop_t *loop = timer->data;
  rpc_loop_awake(loop);
  loop->timer_at_ns = INT64_MAX;
  run_due_alarms(loop);
}

// What is due is not put off to another turn, so that work put off by a timer of 0 ms
// costs none.
static bool settle(rpc_loop_t *loop) {
  bool drained = drain(loop);
  for (int round = 0; round < DUE_ROUNDS_MAX && drained && run_due_alarms(loop);
       round++) {
    drained = drain(loop);
  }
  return drained;
}

// The timer may be set too early, never too late: most deadlines are cancelled long
// before they pass, and moving the timer for each would cost more than one idle wake-up.
static void arm_timer(rpc_loop_t *loop) {
  int64_t at_ns;
  if (rpc_alarm_first(loop, &at_ns) == NULL || at_ns >= loop->timer_at_ns) {
    return;
  }
  loop->timer_at_ns = at_ns;
  const int64_t wait_ns = loop->timer_at_ns - pod_clock_now_ns();
  const int64_t wait_ms = wait_ns <= 0 ? 0 : (wait_ns - 1) / NS_PER_MS + 1;
  uv_update_time(&loop->uv);
  uv_timer_start(&loop->timer, run_alarms, (uint64_t)wait_ms, 0);
}

static void do_nothing(uv_idle_t *idle) {
  (void)idle;
}

// --- Spinning ---
//
// Waking a sleeping core costs more than a whole round trip between two that are awake.
// So after bytes have come the loop looks for more a little while before it sleeps, as
// long as that pays: a spin that ends with bytes earns credit, one that ends without
// costs it, and without credit only one in many is tried. A spin that was interrupted
// does not count for us: then the peer needed the very core we spun on, and sleeping had
// served both better. What comes after a turn that has asked somebody is mostly an
// answer, what comes after another one a request, which pays at other times: each has
// credit of its own.

void rpc_loop_note_asked(rpc_loop_t *loop) {
  loop->asked = true;
}

void rpc_loop_note_heard(rpc_loop_t *loop) {
  if (loop->spinning && !loop->heard) {
    loop->interrupted = pod_clock_now_ns() - loop->spun_ns > SPIN_TURN_NS_MAX;
  }
  loop->heard = true;
}

static void settle_spin(rpc_loop_t *loop, bool paid) {
  rpc_spin_t *spin = loop->spin;
  if (!loop->spinning) {
    return;
  }
  loop->spinning = false;
  if (paid) {
    spin->credit += spin->credit < SPIN_CREDIT_MAX ? 1 : 0;
    spin->trial_interval = SPIN_TRIAL_INTERVAL_MIN;
  } else if (spin->credit > 0) {
    spin->credit--;
  } else if (spin->trial_interval < SPIN_TRIAL_INTERVAL_MAX) {
    spin->trial_interval *= 2;
  }
}

static bool may_spin(rpc_spin_t *spin) {
  if (spin->credit > 0) {
    return true;
  }
  if (++spin->unspun_count < spin->trial_interval) {
    return false;
  }
  spin->unspun_count = 0;
  return true;
}

static bool wants_spin(rpc_loop_t *loop) {
  if (!loop->heard && !loop->spinning) {
    return false;
  }
  const int64_t now_ns = pod_clock_now_ns();
  if (loop->heard) {
    if (loop->waited) {  // Else the bytes were there already, and there was nothing to
                         // win.
      settle_spin(loop, !loop->interrupted);
    }
    loop->spin = &loop->spins[loop->asked ? 0 : 1];
    loop->heard = loop->asked = loop->interrupted = loop->waited = false;
    loop->spinning = may_spin(loop->spin);
    loop->spin_end_ns = now_ns + SPIN_NS;
  } else if (now_ns >= loop->spin_end_ns) {
    settle_spin(loop, false);
  } else {
    loop->waited = true;
  }
  loop->spun_ns = now_ns;
  return loop->spinning;
}

static void before_poll(uv_prepare_t *prepare) {
  rpc_loop_t *loop = prepare->data;
  const bool drained = settle(loop);
  if (wants_spin(loop) || !drained || is_waited_for(loop)) {
    uv_idle_start(&loop->idle, do_nothing);
  } else {
    uv_idle_stop(&loop->idle);
  }
  arm_timer(loop);
  loop->is_awake = false;
  uv_mutex_lock(&loop->lock);
  loop->turn = RPC_TURN_NOBODY;
  uv_mutex_unlock(&loop->lock);
}

static void after_poll(uv_check_t *check) {
  rpc_loop_awake(check->data);
  run_reads(check->data);
  drain(check->data);
}

static void on_wake(uv_async_t *wake) {
  rpc_loop_t *loop = wake->data;
  rpc_loop_awake(loop);
  run_posts(loop);
  if (atomic_load(&loop->stopping)) {
    uv_stop(&loop->uv);
  }
}

// --- Guests ---
//
// While the loop's thread waits in the poll another one may do what it would be woken
// for. `turn` is read without the lock by the thread that has it only.

void rpc_loop_awake(rpc_loop_t *loop) {
  if (loop->is_awake) {
    return;
  }
  loop->is_awake = true;
  uv_mutex_lock(&loop->lock);
  while (loop->turn == RPC_TURN_GUEST) {
    uv_cond_wait(&loop->turn_is_back, &loop->lock);
  }
  loop->turn = RPC_TURN_LOOP;
  uv_mutex_unlock(&loop->lock);
}

bool rpc_loop_has_guest(const rpc_loop_t *loop) {
  return loop->turn == RPC_TURN_GUEST;
}

bool rpc_loop_enter(rpc_loop_t *loop) {
  uv_mutex_lock(&loop->lock);
  const bool may_enter = loop->turn == RPC_TURN_NOBODY && loop->posts.count == 0;
  if (may_enter) {
    loop->turn = RPC_TURN_GUEST;
  }
  uv_mutex_unlock(&loop->lock);
  return may_enter;
}

// What a guest has left for the loop to do.
static bool has_work(const rpc_loop_t *loop) {
  int64_t at_ns;
  for (int phase = 0; phase < RPC_PHASE_COUNT; phase++) {
    if (!rpc_tasks_is_empty(&loop->tasks[phase])) {
      return true;
    }
  }
  return rpc_alarm_first(loop, &at_ns) != NULL && at_ns < loop->timer_at_ns;
}

void rpc_loop_leave(rpc_loop_t *loop) {
  run_tasks(loop, RPC_PHASE_FLUSH);
  const bool wakes = has_work(loop);
  uv_mutex_lock(&loop->lock);
  loop->turn = RPC_TURN_NOBODY;
  uv_cond_signal(&loop->turn_is_back);
  uv_mutex_unlock(&loop->lock);
  if (wakes) {
    uv_async_send(&loop->wake);
  }
}

// --- The loop ---

pod_status_t rpc_loop_create(rpc_loop_t **out_loop) {
  rpc_loop_t *loop = pod_alloc(sizeof(*loop));
  int error = uv_loop_init(&loop->uv);
  if (error == 0) {
    error = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (error != 0) {
      uv_loop_close(&loop->uv);
    }
  }
  if (error != 0) {
    free(loop);
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot make an event loop: %s",
                     uv_strerror(error));
  }
  POD_CHECK(uv_mutex_init(&loop->lock) == 0 && uv_cond_init(&loop->turn_is_back) == 0);
  uv_prepare_init(&loop->uv, &loop->prepare);
  uv_check_init(&loop->uv, &loop->check);
  uv_idle_init(&loop->uv, &loop->idle);
  uv_timer_init(&loop->uv, &loop->timer);
  loop->wake.data = loop->prepare.data = loop->check.data = loop->timer.data = loop;
  uv_prepare_start(&loop->prepare, before_poll);
  uv_check_start(&loop->check, after_poll);
  loop->timer_at_ns = INT64_MAX;
  rpc_alarms_init(&loop->alarms);
  loop->spins[0].trial_interval = loop->spins[1].trial_interval = SPIN_TRIAL_INTERVAL_MIN;
  for (int phase = 0; phase < RPC_PHASE_COUNT; phase++) {
    rpc_tasks_init(&loop->tasks[phase]);
  }
  loop->pool = rpc_pool_create();
  loop->decoder = rpc_decoder_create(loop->pool);
  loop->is_awake = true;
  *out_loop = loop;
  return NULL;
}

void rpc_loop_run(rpc_loop_t *loop) {
  rpc_loop_t *outer = running_loop;
  running_loop = loop;
  if (!atomic_load(&loop->stopping)) {
    uv_run(&loop->uv, UV_RUN_DEFAULT);
  }
  running_loop = outer;
  atomic_store(&loop->stopping, false);
}

void rpc_loop_stop(rpc_loop_t *loop) {
  atomic_store(&loop->stopping, true);
  uv_async_send(&loop->wake);
}

void rpc_loop_turn(rpc_loop_t *loop) {
  uv_run(&loop->uv, UV_RUN_NOWAIT);
}

void rpc_loop_post(rpc_loop_t *loop, rpc_fn_t fn, void *context) {
  uv_mutex_lock(&loop->lock);
  *pod_list_add(&loop->posts) = (rpc_post_t){fn, context};
  atomic_store(&loop->has_posts, true);
  uv_mutex_unlock(&loop->lock);
  if (running_loop != loop) {  // Else it looks before it sleeps.
    uv_async_send(&loop->wake);
  }
}

static bool is_quiet(rpc_loop_t *loop) {
  uv_mutex_lock(&loop->lock);
  const bool quiet = loop->posts.count == 0;
  uv_mutex_unlock(&loop->lock);
  return quiet;
}

void rpc_loop_destroy(rpc_loop_t *loop) {
  if (loop == NULL) {
    return;
  }
  do {
    run_posts(loop);
    while (!drain(loop)) {
    }
  } while (!is_quiet(loop));
  rpc_linger_end_all(loop);
  uv_close((uv_handle_t *)&loop->wake, NULL);
  uv_close((uv_handle_t *)&loop->prepare, NULL);
  uv_close((uv_handle_t *)&loop->check, NULL);
  uv_close((uv_handle_t *)&loop->idle, NULL);
  uv_close((uv_handle_t *)&loop->timer, NULL);
  // Runs the close callbacks; nothing else is left that could keep it going.
  uv_run(&loop->uv, UV_RUN_DEFAULT);
  POD_CHECK(uv_loop_close(&loop->uv) == 0);
  uv_cond_destroy(&loop->turn_is_back);
  uv_mutex_destroy(&loop->lock);
  rpc_decoder_destroy(loop->decoder);
  rpc_pool_destroy(loop->pool);
  pod_heap_deinit(&loop->alarms);
  free(loop);
}

// --- Timers ---

static void run_timer(rpc_alarm_t *alarm) {
  rpc_timer_t *timer = (rpc_timer_t *)alarm;
  if (timer->repeat_ms > 0) {
    rpc_alarm_set_in_ms(timer->loop, alarm, timer->repeat_ms);
  }
  timer->fn(timer->context);  // May destroy the timer.
}

rpc_timer_t *rpc_timer_create(rpc_loop_t *loop, rpc_fn_t fn, void *context) {
  rpc_timer_t *timer = pod_alloc(sizeof(*timer));
  timer->alarm.fn = run_timer;
  timer->loop = loop;
  timer->fn = fn;
  timer->context = context;
  return timer;
}

void rpc_timer_start(rpc_timer_t *timer, uint64_t delay_ms, uint64_t repeat_ms) {
  timer->repeat_ms = repeat_ms;
  rpc_alarm_set_in_ms(timer->loop, &timer->alarm, delay_ms);
}

void rpc_timer_stop(rpc_timer_t *timer) {
  rpc_alarm_cancel(timer->loop, &timer->alarm);
  timer->repeat_ms = 0;
}

void rpc_timer_destroy(rpc_timer_t *timer) {
  if (timer != NULL) {
    rpc_alarm_cancel(timer->loop, &timer->alarm);
    free(timer);
  }
}

// --- Signals ---

static void on_signal(uv_signal_t *handle, int signal_number) {
  (void)signal_number;
  rpc_loop_awake(handle->data);
  rpc_signal_t *signal = (rpc_signal_t *)handle;
  signal->fn(signal->context);
}

static void free_signal(uv_handle_t *handle) {
  free(handle);
}

pod_status_t rpc_signal_create(rpc_loop_t *loop, int signal_number, rpc_fn_t fn,
                               void *context, rpc_signal_t **out_signal) {
  rpc_signal_t *signal = pod_alloc(sizeof(*signal));
  signal->fn = fn;
  signal->context = context;
  int error = uv_signal_init(&loop->uv, &signal->handle);
  signal->handle.data = loop;
  if (error != 0) {
    free(signal);
  } else {
    error = uv_signal_start(&signal->handle, on_signal, signal_number);
    if (error != 0) {
      uv_close((uv_handle_t *)&signal->handle, free_signal);
    }
  }
  if (error != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "cannot watch signal %d: %s", signal_number,
                     uv_strerror(error));
  }
  *out_signal = signal;
  return NULL;
}

void rpc_signal_destroy(rpc_signal_t *signal) {
  if (signal != NULL) {
    uv_close((uv_handle_t *)&signal->handle, free_signal);
  }
}
