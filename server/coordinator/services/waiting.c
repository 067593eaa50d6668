// Executions that wait: the queue of each session, and what their clients are told.
//
// A queue is there while its session has executions that wait; an execution knows what
// points to it, so that any can leave. Who waits longer than TELL_MS is told what for,
// and again only when that changes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/core/footprint.h"
#include "server/coordinator/services/execution.h"

enum { TELL_MS = 500 };  // How often those that wait are told what for.

// --- The queues ---

static execution_queue_t *queue_of(coordinator_t *coordinator, store_session_t *session) {
  execution_queue_t *queue = coordinator->queues;
  while (queue != NULL && queue->session != session) {
    queue = queue->next;
  }
  if (queue == NULL) {
    queue = pod_alloc(sizeof(*queue));
    *queue = (execution_queue_t){
        .session = session, .next = coordinator->queues, .last = &queue->first};
    if (queue->next != NULL) {
      queue->next->previous = queue;
    }
    coordinator->queues = queue;
  }
  return queue;
}

void execution_append(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  request_move(&execution->request, EXECUTION_WAITING);
  execution_queue_t *queue = queue_of(coordinator, execution->request.operation.session);
  execution->number = coordinator->execution_count++;
  execution->queue = queue;
  execution->next = NULL;
  execution->link = queue->last;
  *queue->last = execution;
  queue->last = &execution->next;
}

static void free_queue(coordinator_t *coordinator, execution_queue_t *queue) {
  if (queue->previous != NULL) {
    queue->previous->next = queue->next;
  } else {
    coordinator->queues = queue->next;
  }
  if (queue->next != NULL) {
    queue->next->previous = queue->previous;
  }
  free(queue);
}

void execution_take_out(execution_t *execution) {
  execution_queue_t *queue = execution->queue;
  *execution->link = execution->next;
  if (execution->next != NULL) {
    execution->next->link = execution->link;
  } else {
    queue->last = execution->link;
  }
  execution->queue = NULL;
  store_array_leave(&execution->waits);
  execution_waits_no_more(execution);
  if (queue->first == NULL) {
    free_queue(execution->request.coordinator, queue);
  }
}

// --- What clients that wait are told ---

pod_status_t execution_check_ready(const coordinator_t *coordinator,
                                   const store_executable_t *executable) {
  return footprint_check(executable->compiled->footprint,
                         registry_places(coordinator->registry), executable->name);
}

char *executions_waited_for(const coordinator_t *coordinator,
                            const store_executable_t *executable, int32_t ahead) {
  pod_text_t text = {0};
  const pod_status_t status = execution_check_ready(coordinator, executable);
  const execution_t *first =
      coordinator->loading != NULL ? coordinator->loading : coordinator->first_running;
  if (status != NULL) {
    pod_text_printf(&text, "for the pod: %s", pod_status_message(status));
  } else if (first == NULL || ahead == 0) {
    pod_text_add(&text, "for its turn");
  } else {
    pod_text_printf(&text, "behind %" PRId32 " execution%s, %s of \"%s\"", ahead,
                    ahead == 1 ? "" : "s", ahead == 1 ? "which is" : "the first",
                    first->request.operation.session->client);
  }
  pod_status_free(status);
  return pod_text_take(&text);
}

static void tell(execution_t *execution, const char *for_what) {
  sessions_tell_waiting(execution->request.coordinator,
                        execution->request.operation.session, for_what);
}

execution_t *execution_of_launch(gang_launch_t *launch) {
  return (execution_t *)(void *)((char *)launch - offsetof(execution_t, launch));
}

// What an execution waits for of other processes; NULL: nothing. Owned.
static char *parts_waited_for(const execution_t *execution) {
  const gang_t *gang = execution->launch.gang;
  pod_text_t text = {0};
  if (gang != NULL && !gang_is_complete(gang)) {
    gang_print_waiting(&text, gang);
    return pod_text_take(&text);
  }
  for (int32_t i = 0; gang != NULL && i < gang_size(gang); i++) {
    const execution_t *part = execution_of_launch(gang_part(gang, i));
    if (part->queue->first != part) {
      pod_text_printf(&text,
                      "for process %" PRId32 ", which has other executions before it",
                      part->launch.member);
      return pod_text_take(&text);
    }
  }
  return NULL;
}

// How many come before the first one of a queue: those that run and those of other queues
// that are older.
static int32_t count_ahead(const coordinator_t *coordinator,
                           const execution_t *execution) {
  int32_t ahead = coordinator->running_count + (coordinator->loading != NULL);
  for (const execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    for (const execution_t *at = queue->first;
         at != NULL && at->number < execution->number; at = at->next) {
      ahead++;
    }
  }
  return ahead;
}

static void tell_ahead(execution_t *execution, int32_t ahead) {
  char *for_what = parts_waited_for(execution);
  if (for_what == NULL) {
    for_what = executions_waited_for(execution->request.coordinator,
                                     execution->executable, ahead);
  }
  if (execution->told == NULL || strcmp(execution->told, for_what) != 0) {
    tell(execution, for_what);
    free(execution->told);
    execution->told = for_what;
  } else {
    free(for_what);
  }
}

void execution_waits_no_more(execution_t *execution) {
  if (execution->told != NULL) {
    tell(execution, "");
    free(execution->told);
    execution->told = NULL;
  }
}

// Those that the chips have been given, and that come behind others there. Thousands pass
// by in between two looks; one that is behind at both is told. Returns whether any is.
static bool tell_given(coordinator_t *coordinator) {
  const int32_t chip_count = registry_places(coordinator->registry)->count;
  bool *is_busy = pod_alloc((size_t)chip_count * sizeof(*is_busy));
  bool is_any = false;
  int32_t ahead = 0;
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    bool is_behind = false;
    for (int32_t i = 0; i < at->executable->chip_count; i++) {
      bool *chip = &is_busy[at->executable->chips[i]];
      is_behind = is_behind || *chip;
      *chip = true;
    }
    if (!is_behind) {
      execution_waits_no_more(at);
    } else if (at->was_behind) {
      tell_ahead(at, ahead);
    }
    at->was_behind = is_behind;
    is_any = is_any || is_behind;
    ahead++;
  }
  free(is_busy);
  return is_any;
}

// Every TELL_MS while any wait: who waits less is not told, and who waits long hears only
// of what has changed. Of those that are not given to the chips yet a session hears of
// the first.
static void tell_waiting(void *context) {
  coordinator_t *coordinator = context;
  const bool is_any_given = tell_given(coordinator);
  for (execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    tell_ahead(queue->first, count_ahead(coordinator, queue->first));
  }
  if (coordinator->queues == NULL && !is_any_given) {
    rpc_timer_stop(coordinator->waiting_timer);
    coordinator->is_waiting_told = false;
  }
}

void executions_tell_waiting(coordinator_t *coordinator) {
  if (coordinator->waiting_timer == NULL) {
    coordinator->waiting_timer =
        rpc_timer_create(coordinator->loop, tell_waiting, coordinator);
  }
  if (!coordinator->is_waiting_told) {
    coordinator->is_waiting_told = true;
    rpc_timer_start(coordinator->waiting_timer, TELL_MS, TELL_MS);
  }
}
