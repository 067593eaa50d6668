// Executions that wait: the queue of each session, and what their clients are told.
//
// A queue is there while its session has executions that wait; an execution knows what
// points to it, so that any can leave. Who waits is told what for, and again only when
// that changes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/core/footprint.h"
#include "server/coordinator/services/execution.h"

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
    turns_come(coordinator->turns, &session->account->clock, &session->clock);
  }
  return queue;
}

// The turns of who comes are compared with those of one that runs, and of all that could
// have its chips now.
typedef struct rivals_t {
  const execution_t *coming;
  const turn_clock_t *client;  // Of the one that runs.
  int64_t earliest_ns;
} rivals_t;

static void add_rival(rivals_t *rivals, execution_t *waiting) {
  const int64_t at_ns =
      turns_waiting_ns(rivals->client, execution_client_clock(rivals->coming),
                       execution_client_clock(waiting), execution_session_clock(waiting));
  if (at_ns < rivals->earliest_ns && execution_shares_chips(rivals->coming, waiting) &&
      execution_may_have_turn(waiting)) {
    rivals->earliest_ns = at_ns;
  }
}

static int64_t earliest_waiting_ns(const execution_t *coming,
                                   const turn_clock_t *client) {
  const coordinator_t *coordinator = coming->request.coordinator;
  rivals_t rivals = {coming, client, INT64_MAX};
  for (execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    if (queue->first != NULL) {  // Else it is that of who comes.
      add_rival(&rivals, queue->first);
    }
  }
  execution_t *at = coordinator->paused_count > 0 ? coordinator->first_running : NULL;
  for (; at != NULL; at = at->next) {
    if (at->is_paused) {
      add_rival(&rivals, at);
    }
  }
  return rivals.earliest_ns;
}

// Of those that run on its chips. Whose own executions come first there is at it already.
static void come_beside(const execution_t *execution) {
  const execution_t *at = execution->request.coordinator->first_running;
  if (at == NULL ||
      at->request.operation.session == execution->request.operation.session) {
    return;
  }
  const int64_t now_ns = pod_clock_now_ns();
  for (; at != NULL; at = at->next) {
    if (at->first_ns != 0 && !at->is_paused && execution_shares_chips(execution, at)) {
      const turn_clock_t *client = execution_client_clock(at);
      turns_come_beside(at->cost, now_ns - at->first_ns, client,
                        execution_session_clock(at), execution_client_clock(execution),
                        execution_session_clock(execution),
                        earliest_waiting_ns(execution, client));
    }
  }
}

void execution_append(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  request_move(&execution->request, EXECUTION_WAITING);
  execution_queue_t *queue = queue_of(coordinator, execution->request.operation.session);
  if (queue->first == NULL) {
    come_beside(execution);
  }
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

int execution_queue_compare(const execution_queue_t *a, const execution_queue_t *b) {
  const int order = turns_compare(&a->session->account->clock, &a->session->clock,
                                  &b->session->account->clock, &b->session->clock);
  return order != 0 ? order : (a->first->number > b->first->number) * 2 - 1;
}

// --- What clients that wait are told ---

bool execution_shares_chips(const execution_t *execution, const execution_t *other) {
  const store_executable_t *a = execution->executable, *b = other->executable;
  // More than there are cannot be apart.
  if (a->chip_count + b->chip_count >
      registry_places(execution->request.coordinator->registry)->count) {
    return true;
  }
  for (int32_t i = 0; i < a->chip_count; i++) {
    for (int32_t j = 0; j < b->chip_count; j++) {
      if (a->chips[i] == b->chips[j]) {
        return true;
      }
    }
  }
  return false;
}

pod_status_t execution_check_ready(const coordinator_t *coordinator,
                                   const store_executable_t *executable) {
  return footprint_check(executable->compiled->footprint,
                         registry_places(coordinator->registry), executable->name);
}

// For more than so many seconds, of the times that are told; 0: for less than the first.
static int64_t long_time_s(int64_t since_ns) {
  static const int64_t times_s[] = {1, 10, 60, 600, 3600};
  const int64_t s = since_ns == 0 ? 0 : (pod_clock_now_ns() - since_ns) / 1000000000;
  int64_t longest_s = 0;
  for (size_t i = 0; i < POD_COUNT_OF(times_s) && times_s[i] <= s; i++) {
    longest_s = times_s[i];
  }
  return longest_s;
}

// The next of those that come before it on its chips, from `at` on; NULL: none. What is
// paused itself comes behind all that is not.
static const execution_t *next_before(const execution_t *execution,
                                      const execution_t *at) {
  while (at != NULL &&
         (at == execution || at->is_paused || !execution_shares_chips(execution, at))) {
    at = at == execution && !execution->is_paused ? NULL : at->next;
  }
  return at;
}

// The one that its chips have first; NULL: none.
static const execution_t *find_first(const execution_t *execution) {
  const coordinator_t *coordinator = execution->request.coordinator;
  const execution_t *first = next_before(execution, coordinator->first_running);
  return first != NULL ? first : coordinator->loading;
}

// What another client has chosen is for a line of this one's terminal.
static void add_name(pod_text_t *text, const char *name) {
  char escaped[2 * STORE_CLIENT_BYTES_MAX];
  pod_log_escape(name, strlen(name), escaped, sizeof(escaped));
  pod_text_add(text, escaped);
}

// "behind 2 executions, the first of "train": jit_step, execution 7, running for more
// than 10 s". Returns owned.
static char *waited_for(const execution_t *execution, int32_t ahead) {
  pod_text_t text = {0};
  const pod_status_t status =
      execution_check_ready(execution->request.coordinator, execution->executable);
  const execution_t *first = find_first(execution);
  if (status != NULL) {
    pod_text_printf(&text, "for the pod: %s", pod_status_message(status));
  } else if (first == NULL || ahead == 0) {
    pod_text_add(&text, "for its turn");
  } else {
    pod_text_printf(&text, "behind %" PRId32 " execution%s, %s of \"", ahead,
                    ahead == 1 ? "" : "s", ahead == 1 ? "which is" : "the first");
    add_name(&text, first->request.operation.session->client);
    pod_text_add(&text, "\": ");
    add_name(&text, first->executable->name);
    pod_text_printf(&text, ", execution %" PRIu64, first->id);
    const int64_t time_s = long_time_s(first->first_ns);
    if (time_s > 0) {
      pod_text_printf(&text, ", running for more than %" PRId64 " s", time_s);
    }
    if (execution->lacks_room) {
      pod_text_add(&text, ", beside which its memory does not fit");
    }
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

// How many come before the first one of a queue: those that its chips have been given,
// and one of each session whose turn is before its own.
static int32_t count_ahead(const coordinator_t *coordinator,
                           const execution_queue_t *of_queue) {
  const execution_t *execution = of_queue->first;
  int32_t ahead = 0;
  for (const execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    ahead += !at->is_paused && execution_shares_chips(execution, at);
  }
  for (const execution_t *at = coordinator->loading; at != NULL; at = at->next) {
    ahead += execution_shares_chips(execution, at);
  }
  for (const execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    ahead += queue != of_queue && execution_queue_compare(queue, of_queue) < 0 &&
             execution_shares_chips(execution, queue->first);
  }
  return ahead;
}

static void tell_ahead(execution_t *execution, int32_t ahead) {
  char *for_what = parts_waited_for(execution);
  if (for_what == NULL) {
    for_what = waited_for(execution, ahead);
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

// How many of those before it its chips have been given.
static int32_t count_given(const execution_t *execution) {
  const execution_t *at = execution->request.coordinator->first_running;
  int32_t count = 0;
  while ((at = next_before(execution, at)) != NULL) {
    count++;
    at = at->next;
  }
  return count;
}

// Those that the chips have been given, and that are paused or come behind others there.
// Thousands pass by in between two looks; one that is behind at both is told.
static void tell_given(const coordinator_t *coordinator) {
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    const bool is_behind = at->first_ns == 0;
    if (!is_behind) {
      execution_waits_no_more(at);
    } else if (at->was_behind) {
      tell_ahead(at, count_given(at));
    }
    at->was_behind = is_behind;
  }
}

// Who waits less than from one look to the next is not told, and who waits long hears
// only of what has changed. Of those that are not given to the chips yet a session hears
// of the first.
void executions_tell_waiting(coordinator_t *coordinator) {
  tell_given(coordinator);
  for (execution_queue_t *queue = coordinator->queues; queue != NULL;
       queue = queue->next) {
    tell_ahead(queue->first, count_ahead(coordinator, queue));
  }
}
