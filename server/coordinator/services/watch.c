// What is looked at every WATCH_MS while executions are under way: how long those run
// that the chips have, whether they hold chips for a client that does not answer, and
// what those that wait are told.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "server/coordinator/services/execution.h"

enum {
  WATCH_MS = 500,
  HOST_ANSWER_S = 10,  // What a host may take to answer while others want the chips.
};

#define NS_PER_S INT64_C(1000000000)

static bool is_on_chips(const execution_t *execution) {
  return request_is(&execution->request, EXECUTION_RUNNING) &&
         !execution->fanout.is_stopping;
}

// Of another session, and for want of its chips; NULL: nobody.
static const execution_t *find_waiting_for(const execution_t *execution) {
  const store_session_t *session = execution->request.operation.session;
  const coordinator_t *coordinator = execution->request.coordinator;
  for (const execution_t *at = execution->is_paused ? coordinator->first_running
                                                    : execution->next;
       at != NULL; at = at->next) {
    if (at->request.operation.session != session &&
        execution_shares_chips(execution, at)) {
      return at;
    }
  }
  for (const execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    if (queue->session != session && execution_shares_chips(execution, queue->first)) {
      return queue->first;
    }
  }
  return NULL;
}

// Why it is to be stopped; NULL: it is not. Owned.
static pod_status_t check_time(const execution_t *execution, int64_t now_ns) {
  const int64_t most_s = execution->request.coordinator->options.execution_seconds_max;
  const int64_t slice_ns = execution->first_ns == 0 ? 0 : now_ns - execution->first_ns;
  if (most_s > 0 && execution->ran_ns + slice_ns >= most_s * NS_PER_S) {
    return pod_error(POD_DEADLINE_EXCEEDED,
                     "%s has run for %" PRId64
                     " s, which is the most that this pod lets an execution run: ask for "
                     "less at a time, or start the coordinator with another "
                     "--max-execution-seconds",
                     execution->executable->name, most_s);
  }
  if (execution->asked_ns == 0 ||
      now_ns - execution->asked_ns < HOST_ANSWER_S * NS_PER_S) {
    return NULL;
  }
  const execution_t *other = find_waiting_for(execution);
  return other == NULL
             ? NULL
             : pod_error(
                   POD_DEADLINE_EXCEEDED,
                   "%s holds its chips for data of its host, which has not answered "
                   "for %d s, and \"%s\" waits for them",
                   execution->executable->name, (int)HOST_ANSWER_S,
                   other->request.operation.session->client);
}

static void stop_overdue(const coordinator_t *coordinator) {
  const int64_t now_ns = pod_clock_now_ns();
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    const pod_status_t status = (at->first_ns != 0 || at->is_paused) && is_on_chips(at)
                                    ? check_time(at, now_ns)
                                    : NULL;
    if (status != NULL) {
      // Its chips end it, later: the list stays as it is.
      execution_stop(at, status);
    }
  }
}

static void watch(void *context) {
  coordinator_t *coordinator = context;
  executions_note_first(coordinator);
  stop_overdue(coordinator);
  executions_tell_waiting(coordinator);
  if (coordinator->queues == NULL && coordinator->first_running == NULL) {
    rpc_timer_stop(coordinator->watch_timer);
    coordinator->is_watching = false;
  }
}

void executions_watch(coordinator_t *coordinator) {
  if (coordinator->watch_timer == NULL) {
    coordinator->watch_timer = rpc_timer_create(coordinator->loop, watch, coordinator);
  }
  if (!coordinator->is_watching) {
    coordinator->is_watching = true;
    rpc_timer_start(coordinator->watch_timer, WATCH_MS, WATCH_MS);
  }
}
