// libuv, as far as common/rpc uses it, over the simulated machine: the same phases in the
// same order (uv_run of libuv 1.44), a fiber that waits instead of epoll.

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <uv.h>

#include "common/base/check.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/sockets.h"

enum {
  HANDLES_MAX = 512,
  IDLE_NS = 10000,  // What a turn that does not sleep waits for sockets.
  YIELD_ONCE_IN = 4,
};

typedef struct handles_t {
  uv_handle_t *items[HANDLES_MAX];
  int count;
} handles_t;

// Of a loop, behind internal_fields. Apart, since a turn asks for them apart.
typedef struct sim_loop_t {
  handles_t timers;
  handles_t watchers;  // Sockets, and what other threads send.
  handles_t phases;    // Idle, prepare, check.
  int closing_count;
} sim_loop_t;

// Of a handle, in its reserved words.
enum { ACTIVE = 0, CLOSING, PENDING };

static bool flag_of(const uv_handle_t *handle, int which) {
  return handle->u.reserved[which] != NULL;
}

static void set_flag(uv_handle_t *handle, int which, bool is_set) {
  handle->u.reserved[which] = is_set ? handle : NULL;
}

static sim_loop_t *loop_of(const uv_loop_t *loop) {
  return loop->internal_fields;
}

static handles_t *list_of(sim_loop_t *sim, uv_handle_type type) {
  return type == UV_TIMER                      ? &sim->timers
         : type == UV_POLL || type == UV_ASYNC ? &sim->watchers
                                               : &sim->phases;
}

static void add_handle(uv_loop_t *loop, uv_handle_t *handle, uv_handle_type type) {
  handles_t *list = list_of(loop_of(loop), type);
  handle->loop = loop;
  handle->type = type;
  memset(handle->u.reserved, 0, sizeof(handle->u.reserved));
  POD_CHECK(list->count < HANDLES_MAX);
  list->items[list->count++] = handle;
}

#define ADD(loop, handle, type) add_handle((loop), (uv_handle_t *)(handle), (type))
#define ACTIVATE(handle, is) set_flag((uv_handle_t *)(handle), ACTIVE, (is))

// --- Loops ---

int uv_loop_init(uv_loop_t *loop) {
  memset(loop, 0, sizeof(*loop));
  loop->internal_fields = machine_alloc(sizeof(sim_loop_t));
  uv_update_time(loop);
  return 0;
}

int uv_loop_close(uv_loop_t *loop) {
  const sim_loop_t *sim = loop_of(loop);
  if (sim->timers.count + sim->watchers.count + sim->phases.count > 0) {
    return UV_EBUSY;
  }
  machine_free(loop->internal_fields);
  return 0;
}

void uv_update_time(uv_loop_t *loop) {
  loop->time = (uint64_t)(machine_now_ns() / MS);
}

uint64_t uv_now(const uv_loop_t *loop) {
  return loop->time;
}

void uv_stop(uv_loop_t *loop) {
  loop->stop_flag = 1;
}

static bool has_active(const handles_t *list) {
  for (int i = 0; i < list->count; i++) {
    if (flag_of(list->items[i], ACTIVE)) {
      return true;
    }
  }
  return false;
}

static bool is_alive(const uv_loop_t *loop) {
  const sim_loop_t *sim = loop_of(loop);
  return sim->closing_count > 0 || has_active(&sim->watchers) ||
         has_active(&sim->phases) || has_active(&sim->timers);
}

static bool is_running(const uv_handle_t *handle, uv_handle_type type) {
  return handle->type == type && flag_of(handle, ACTIVE);
}

static bool is_idling(const uv_loop_t *loop) {
  const sim_loop_t *sim = loop_of(loop);
  for (int i = 0; i < sim->phases.count; i++) {
    if (is_running(sim->phases.items[i], UV_IDLE)) {
      return true;
    }
  }
  return sim->closing_count > 0;
}

static void run_timers(uv_loop_t *loop) {
  for (;;) {
    uv_timer_t *due = NULL;
    const handles_t *timers = &loop_of(loop)->timers;
    for (int i = 0; i < timers->count; i++) {
      uv_timer_t *timer = (uv_timer_t *)timers->items[i];
      if (flag_of(timers->items[i], ACTIVE) && timer->timeout <= loop->time &&
          (due == NULL || timer->timeout < due->timeout)) {
        due = timer;
      }
    }
    if (due == NULL) {
      return;
    }
    ACTIVATE(due, false);
    due->timer_cb(due);
  }
}

// -1: never.
static int64_t until_timer_ns(const uv_loop_t *loop) {
  const handles_t *timers = &loop_of(loop)->timers;
  int64_t least = -1;
  for (int i = 0; i < timers->count; i++) {
    const uv_timer_t *timer = (const uv_timer_t *)timers->items[i];
    if (flag_of(timers->items[i], ACTIVE)) {
      const int64_t left = (int64_t)timer->timeout * MS - machine_now_ns();
      const int64_t ns = left > 0 ? left : 0;
      least = least < 0 || ns < least ? ns : least;
    }
  }
  return least;
}

static void run_phase(uv_loop_t *loop, uv_handle_type type) {
  const handles_t *phases = &loop_of(loop)->phases;
  for (int i = 0; i < phases->count; i++) {
    uv_handle_t *handle = phases->items[i];
    if (!is_running(handle, type)) {
      continue;
    }
    if (type == UV_PREPARE) {
      ((uv_prepare_t *)handle)->prepare_cb((uv_prepare_t *)handle);
    } else if (type == UV_CHECK) {
      ((uv_check_t *)handle)->check_cb((uv_check_t *)handle);
    } else {
      ((uv_idle_t *)handle)->idle_cb((uv_idle_t *)handle);
    }
  }
}

// UV_READABLE and the like, as wanted; -1: it has failed.
static int events_of(const uv_handle_t *handle) {
  const uv_poll_t *poll = (const uv_poll_t *)handle;
  const int ready = sim_socket_ready(poll->io_watcher.fd);
  const int wanted = (int)poll->io_watcher.pevents;
  return (ready & SIM_SOCKET_FAILED) != 0
             ? -1
             : ((ready & SIM_SOCKET_READABLE) != 0 ? UV_READABLE & wanted : 0) |
                   ((ready & SIM_SOCKET_WRITABLE) != 0 ? UV_WRITABLE & wanted : 0);
}

static bool is_pending(const uv_handle_t *handle) {
  return flag_of(handle, ACTIVE) &&
         (handle->type == UV_POLL ? events_of(handle) != 0 : flag_of(handle, PENDING));
}

static bool has_pending(const uv_loop_t *loop) {
  const handles_t *watchers = &loop_of(loop)->watchers;
  for (int i = 0; i < watchers->count; i++) {
    if (is_pending(watchers->items[i])) {
      return true;
    }
  }
  return false;
}

static void run_one(uv_handle_t *handle) {
  if (handle->type == UV_ASYNC) {
    set_flag(handle, PENDING, false);
    ((uv_async_t *)handle)->async_cb((uv_async_t *)handle);
    return;
  }
  uv_poll_t *poll = (uv_poll_t *)handle;
  const int events = events_of(handle);
  if (events < 0) {  // As libuv tells of EPOLLERR.
    (void)uv_poll_stop(poll);
    poll->poll_cb(poll, UV_EBADF, 0);
    return;
  }
  poll->poll_cb(poll, 0, events);
}

static bool is_known(const handles_t *list, const uv_handle_t *handle) {
  for (int i = 0; i < list->count; i++) {
    if (list->items[i] == handle) {
      return true;
    }
  }
  return false;
}

// What is ready now, each once, in any order.
static void run_ready(uv_loop_t *loop) {
  const handles_t *watchers = &loop_of(loop)->watchers;
  uv_handle_t *ready[HANDLES_MAX];
  int count = 0;
  for (int i = 0; i < watchers->count; i++) {
    if (is_pending(watchers->items[i])) {
      ready[count++] = watchers->items[i];
    }
  }
  while (count > 0) {
    const int at = (int)machine_below((uint64_t)count);
    uv_handle_t *handle = ready[at];
    ready[at] = ready[--count];
    if (is_known(watchers, handle) && is_pending(handle)) {
      run_one(handle);
    }
  }
}

// The handle may be freed by its callback, and others be closed.
static void close_in(uv_loop_t *loop, handles_t *list) {
  for (int i = 0; i < list->count;) {
    uv_handle_t *handle = list->items[i];
    if (!flag_of(handle, CLOSING)) {
      i++;
      continue;
    }
    memmove(list->items + i, list->items + i + 1,
            (size_t)(--list->count - i) * sizeof(handle));
    loop_of(loop)->closing_count--;
    if (handle->close_cb != NULL) {
      handle->close_cb(handle);
    }
    i = 0;
  }
}

static void run_closing(uv_loop_t *loop) {
  sim_loop_t *sim = loop_of(loop);
  while (sim->closing_count > 0) {
    close_in(loop, &sim->watchers);
    close_in(loop, &sim->phases);
    close_in(loop, &sim->timers);
  }
}

static void wait_for_events(uv_loop_t *loop, uv_run_mode mode) {
  if (has_pending(loop)) {
    return;
  }
  int64_t timeout_ns = until_timer_ns(loop);
  if (mode == UV_RUN_NOWAIT || loop->stop_flag != 0 || !is_alive(loop)) {
    timeout_ns = 0;
  } else if (is_idling(loop) && (timeout_ns < 0 || timeout_ns > IDLE_NS)) {
    timeout_ns = IDLE_NS;
  }
  if (timeout_ns != 0) {
    (void)fiber_wait(loop, timeout_ns);
  }
}

int uv_run(uv_loop_t *loop, uv_run_mode mode) {
  bool alive = is_alive(loop);
  while (alive && loop->stop_flag == 0) {
    uv_update_time(loop);
    run_timers(loop);
    run_phase(loop, UV_IDLE);
    run_phase(loop, UV_PREPARE);
    wait_for_events(loop, mode);
    uv_update_time(loop);
    run_ready(loop);
    run_phase(loop, UV_CHECK);
    run_closing(loop);
    alive = is_alive(loop);
    if (mode != UV_RUN_DEFAULT) {
      break;
    }
    // Mostly the turn to come waits at once, and others run then.
    if (machine_once_in(YIELD_ONCE_IN)) {
      fiber_yield();
    }
  }
  loop->stop_flag = 0;
  return alive;
}

void uv_close(uv_handle_t *handle, uv_close_cb fn) {
  handle->close_cb = fn;
  if (handle->type == UV_POLL) {
    (void)uv_poll_stop((uv_poll_t *)handle);
  }
  set_flag(handle, ACTIVE, false);
  if (!flag_of(handle, CLOSING)) {
    set_flag(handle, CLOSING, true);
    loop_of(handle->loop)->closing_count++;
  }
}

// --- Handles ---

int uv_async_init(uv_loop_t *loop, uv_async_t *async, uv_async_cb fn) {
  ADD(loop, async, UV_ASYNC);
  async->async_cb = fn;
  ACTIVATE(async, true);
  return 0;
}

int uv_async_send(uv_async_t *async) {
  set_flag((uv_handle_t *)async, PENDING, true);
  fiber_wake(async->loop, 1);
  return 0;
}

int uv_prepare_init(uv_loop_t *loop, uv_prepare_t *prepare) {
  ADD(loop, prepare, UV_PREPARE);
  return 0;
}

int uv_prepare_start(uv_prepare_t *prepare, uv_prepare_cb fn) {
  prepare->prepare_cb = fn;
  ACTIVATE(prepare, true);
  return 0;
}

int uv_check_init(uv_loop_t *loop, uv_check_t *check) {
  ADD(loop, check, UV_CHECK);
  return 0;
}

int uv_check_start(uv_check_t *check, uv_check_cb fn) {
  check->check_cb = fn;
  ACTIVATE(check, true);
  return 0;
}

int uv_idle_init(uv_loop_t *loop, uv_idle_t *idle) {
  ADD(loop, idle, UV_IDLE);
  return 0;
}

int uv_idle_start(uv_idle_t *idle, uv_idle_cb fn) {
  idle->idle_cb = fn;
  ACTIVATE(idle, true);
  return 0;
}

int uv_idle_stop(uv_idle_t *idle) {
  ACTIVATE(idle, false);
  return 0;
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *timer) {
  ADD(loop, timer, UV_TIMER);
  return 0;
}

int uv_timer_start(uv_timer_t *timer, uv_timer_cb fn, uint64_t timeout, uint64_t repeat) {
  POD_CHECK(repeat == 0);
  timer->timer_cb = fn;
  timer->timeout = timer->loop->time + timeout;
  ACTIVATE(timer, true);
  return 0;
}

int uv_poll_init(uv_loop_t *loop, uv_poll_t *poll, int fd) {
  ADD(loop, poll, UV_POLL);
  poll->io_watcher.fd = fd;
  return 0;
}

int uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb fn) {
  poll->poll_cb = fn;
  poll->io_watcher.pevents = (unsigned)events;
  ACTIVATE(poll, events != 0);
  sim_socket_watch(poll->io_watcher.fd, poll->loop);
  return 0;
}

int uv_poll_stop(uv_poll_t *poll) {
  ACTIVATE(poll, false);
  sim_socket_watch(poll->io_watcher.fd, NULL);
  return 0;
}

int uv_signal_init(uv_loop_t *loop, uv_signal_t *signal) {
  ADD(loop, signal, UV_SIGNAL);
  return 0;
}

int uv_signal_start(uv_signal_t *signal, uv_signal_cb fn, int number) {
  (void)fn;
  (void)number;
  (void)signal;
  return 0;
}

// --- Names: there are none but numbers, which common/rpc reads itself ---

int uv_getaddrinfo(uv_loop_t *loop, uv_getaddrinfo_t *request, uv_getaddrinfo_cb fn,
                   const char *node, const char *service, const struct addrinfo *hints) {
  (void)loop;
  (void)request;
  (void)fn;
  (void)node;
  (void)service;
  (void)hints;
  return UV_ENOSYS;
}

void uv_freeaddrinfo(struct addrinfo *found) {
  POD_CHECK(found == NULL);
}

int uv_cancel(uv_req_t *request) {
  (void)request;
  return UV_EBUSY;
}

const char *uv_strerror(int error) {
  return strerror(-error);
}

// --- Locks, which are those of threads.c ---

int uv_mutex_init(uv_mutex_t *mutex) {
  return pthread_mutex_init(mutex, NULL);
}

void uv_mutex_destroy(uv_mutex_t *mutex) {
  (void)pthread_mutex_destroy(mutex);
}

void uv_mutex_lock(uv_mutex_t *mutex) {
  (void)pthread_mutex_lock(mutex);
}

void uv_mutex_unlock(uv_mutex_t *mutex) {
  (void)pthread_mutex_unlock(mutex);
}

int uv_cond_init(uv_cond_t *condition) {
  return pthread_cond_init(condition, NULL);
}

void uv_cond_destroy(uv_cond_t *condition) {
  (void)pthread_cond_destroy(condition);
}

void uv_cond_signal(uv_cond_t *condition) {
  (void)pthread_cond_signal(condition);
}

void uv_cond_wait(uv_cond_t *condition, uv_mutex_t *mutex) {
  (void)pthread_cond_wait(condition, mutex);
}
