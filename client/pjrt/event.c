// Futures and PJRT's handles of them.
//
// Invariant: a future goes from pending to done once; its status and callback list are
// guarded by its mutex, and callbacks run outside of it, so that one may take another
// future's lock or release the last reference.

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "client/pjrt/plugin.h"
#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"

typedef struct waiter_t {
  future_fn_t callback;
  void *context;
} waiter_t;

struct future_t {
  atomic_int use_count;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool is_done;
  int64_t asked_ns;  // When somebody first waited for it; 0: nobody.
  int64_t waited_ns;
  pod_status_t status;
  POD_LIST(waiter_t) waiters;
};

struct PJRT_Event {
  future_t *future;
};

future_t *future_create(void) {
  future_t *future = pod_alloc(sizeof(*future));
  atomic_init(&future->use_count, 2);
  pthread_mutex_init(&future->mutex, NULL);
  pthread_cond_init(&future->wake, NULL);
  return future;
}

future_t *future_retain(future_t *future) {
  atomic_fetch_add(&future->use_count, 1);
  return future;
}

void future_release(future_t *future) {
  if (future == NULL || atomic_fetch_sub(&future->use_count, 1) > 1) {
    return;
  }
  POD_CHECK(future->waiters.count == 0);
  pod_list_deinit(&future->waiters);
  pod_status_free(future->status);
  pthread_cond_destroy(&future->wake);
  pthread_mutex_destroy(&future->mutex);
  free(future);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void future_ask(future_t *future) {
  pthread_mutex_lock(&future->mutex);
  if (!future->is_done && future->asked_ns == 0) {
    future->asked_ns = now_ns();
  }
  pthread_mutex_unlock(&future->mutex);
}

int64_t future_waited_ns(future_t *future) {
  pthread_mutex_lock(&future->mutex);
  const int64_t waited_ns = future->waited_ns;
  pthread_mutex_unlock(&future->mutex);
  return waited_ns;
}

// Callbacks that are running on this thread, one within the other.
static _Thread_local int callback_depth;

bool future_is_calling_back(void) {
  return callback_depth > 0;
}

void future_set(future_t *future, pod_status_t status) {
  pthread_mutex_lock(&future->mutex);
  POD_CHECK(!future->is_done);
  future->status = status;
  future->is_done = true;
  future->waited_ns = future->asked_ns == 0 ? 0 : now_ns() - future->asked_ns;
  const waiter_t *waiters = future->waiters.items;
  const int32_t count = future->waiters.count;
  future->waiters.count = 0;
  pthread_cond_broadcast(&future->wake);
  pthread_mutex_unlock(&future->mutex);
  callback_depth++;
  for (int64_t i = 0; i < count; i++) {
    waiters[i].callback(waiters[i].context, pod_status_copy(status));
  }
  callback_depth--;
  future_release(future);
}

bool future_is_done(future_t *future) {
  pthread_mutex_lock(&future->mutex);
  const bool is_done = future->is_done;
  pthread_mutex_unlock(&future->mutex);
  return is_done;
}

bool future_wait_for(future_t *future, int64_t timeout_ms) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += timeout_ms % 1000 * 1000000;
  until.tv_sec += timeout_ms / 1000 + until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&future->mutex);
  while (!future->is_done &&
         pthread_cond_timedwait(&future->wake, &future->mutex, &until) != ETIMEDOUT) {
  }
  const bool is_done = future->is_done;
  pthread_mutex_unlock(&future->mutex);
  return is_done;
}

pod_status_t future_wait(future_t *future) {
  pthread_mutex_lock(&future->mutex);
  while (!future->is_done) {
    pthread_cond_wait(&future->wake, &future->mutex);
  }
  const pod_status_t status = pod_status_copy(future->status);
  pthread_mutex_unlock(&future->mutex);
  return status;
}

void future_then(future_t *future, future_fn_t callback, void *context) {
  pthread_mutex_lock(&future->mutex);
  const bool is_done = future->is_done;
  if (!is_done) {
    *pod_list_add(&future->waiters) = (waiter_t){callback, context};
  }
  pthread_mutex_unlock(&future->mutex);
  if (is_done) {
    callback(context, pod_status_copy(future->status));
  }
}

// --- PJRT ---

PJRT_Event *pjrt_event(future_t *future) {
  PJRT_Event *event = pod_alloc(sizeof(*event));
  event->future = future_retain(future);
  return event;
}

PJRT_Event *pjrt_event_done(pod_status_t status) {
  future_t *future = future_create();
  PJRT_Event *event = pjrt_event(future);
  future_set(future, status);
  future_release(future);
  return event;
}

PJRT_Error *event_destroy(PJRT_Event_Destroy_Args *args) {
  if (args->event != NULL) {
    future_release(args->event->future);
    free(args->event);
  }
  return NULL;
}

PJRT_Error *event_is_ready(PJRT_Event_IsReady_Args *args) {
  args->is_ready = future_is_done(args->event->future);
  return NULL;
}

PJRT_Error *event_error(PJRT_Event_Error_Args *args) {
  if (!future_is_done(args->event->future)) {
    return pjrt_error(
        pod_error(POD_FAILED_PRECONDITION, "PJRT_Event_Error of an event not ready"));
  }
  return pjrt_error(future_wait(args->event->future));
}

PJRT_Error *event_await(PJRT_Event_Await_Args *args) {
  future_ask(args->event->future);
  return pjrt_error(future_wait(args->event->future));
}

typedef struct on_ready_t {
  PJRT_Event_OnReadyCallback callback;
  void *user_arg;
} on_ready_t;

static void tell(void *context, pod_status_t status) {
  on_ready_t on_ready = *(on_ready_t *)context;
  free(context);
  on_ready.callback(pjrt_error(status), on_ready.user_arg);
}

PJRT_Error *event_on_ready(PJRT_Event_OnReady_Args *args) {
  on_ready_t *on_ready = pod_alloc(sizeof(*on_ready));
  *on_ready = (on_ready_t){args->callback, args->user_arg};
  future_then(args->event->future, tell, on_ready);
  return NULL;
}

PJRT_Error *event_create(PJRT_Event_Create_Args *args) {
  future_t *future = future_create();
  args->event = pjrt_event(future);
  // future_set's own reference stays until PJRT_Event_Set.
  future_release(future);
  return NULL;
}

PJRT_Error *event_set(PJRT_Event_Set_Args *args) {
  if (future_is_done(args->event->future)) {
    return pjrt_error(
        pod_error(POD_FAILED_PRECONDITION, "the event has been set before"));
  }
  const pod_status_t status =
      args->error_code == PJRT_Error_Code_OK
          ? NULL
          : pod_error((pod_code_t)args->error_code, "%.*s", (int)args->error_message_size,
                      args->error_message);
  future_set(args->event->future, status);
  return NULL;
}
