// The session's stream of calls that do not wait for each other, which begins with the
// first of them; and turns, which bound how many transfers are under way beside it.

#include <stdlib.h>

#include "client/lib/retry.h"
#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"

// --- Answers ---

static void answer_one(podium_session_t *session, lib_answer_t *answer,
                       pod_status_t status, int64_t host_ns) {
  lib_after_t *after = answer->after;
  pod_id_map_remove(session->executions, answer->id);
  answer->done(answer, status, host_ns);
  while (after != NULL) {
    lib_after_t *next = after->next;
    after->fn(after->context);
    after = next;
  }
}

static void on_response(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  podium_session_t *session = context;
  const Podium__V1__DispatchResponse *response = message;
  lib_answer_t *answer = pod_id_map_get(session->executions, response->execution);
  if (answer == NULL) {
    return;
  }
  if (response->host_transfer != NULL) {
    answer->ask(answer, response->host_transfer);
    return;
  }
  pod_status_t status = NULL;
  if (response->code != 0) {
    const bool is_known = response->code > 0 && response->code < POD_CODE_COUNT;
    status = pod_error_text(__FILE__, __LINE__,
                            is_known ? (pod_code_t)response->code : POD_UNKNOWN,
                            response->message);
  }
  answer_one(session, answer, status, response->host_ns);
}

// Takes `status`.
static void answer_all(podium_session_t *session, pod_status_t status) {
  if (session->dispatch_end == NULL) {
    session->dispatch_end = status;
  } else {
    pod_status_free(status);
  }
  size_t position = 0;
  void *value;
  while (pod_id_map_next(session->executions, &position, NULL, &value)) {
    answer_one(session, value, pod_status_copy(session->dispatch_end), 0);
    position = 0;
  }
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  podium_session_t *session = context;
  session->dispatch = NULL;
  if (status == NULL) {
    status = pod_error(POD_UNAVAILABLE, "the coordinator at %s has ended the session",
                       session->address);
  }
  answer_all(session, lib_call_status(session, status));
}

void lib_dispatch_close(podium_session_t *session, pod_status_t status) {
  answer_all(session, status);
}

// --- Messages ---

// Who asks while nothing is under way most likely waits for the answer, and is spared a
// wake-up. What comes while others are under way is gathered by the loop into fewer
// writes. Opening the stream is for the loop itself.
void lib_dispatch_run(podium_session_t *session, int own, rpc_fn_t fn, void *context) {
  bool is_run = false;
  if (atomic_load(&session->execution_count) <= own && rpc_loop_enter(session->loop)) {
    is_run = session->dispatch != NULL;
    if (is_run) {
      fn(context);
    }
    rpc_loop_leave(session->loop);
  }
  if (!is_run) {
    rpc_loop_post(session->loop, fn, context);
  }
}

// False when there is none any more.
static bool open_stream(podium_session_t *session) {
  if (session->dispatch != NULL || session->dispatch_end != NULL) {
    return session->dispatch_end == NULL;
  }
  if (lib_is_lost(session)) {
    session->dispatch_end =
        pod_error(POD_UNAVAILABLE, "the session with %s was lost", session->address);
    return false;
  }
  const rpc_call_events_t events = {.on_message = on_response, .on_end = on_end};
  session->dispatch =
      rpc_call_start(session->channel, "/podium.v1.Podium/Dispatch",
                     &podium__v1__dispatch_response__descriptor, &events, session, NULL);
  Podium__V1__DispatchRequest first = PODIUM__V1__DISPATCH_REQUEST__INIT;
  first.session = session->id;
  rpc_call_send(session->dispatch, &first.base);
  session->dispatched++;
  return true;
}

void lib_dispatch(podium_session_t *session, const Podium__V1__DispatchRequest *message) {
  if (open_stream(session)) {
    rpc_call_send(session->dispatch, &message->base);
    session->dispatched++;
  }
}

void lib_dispatch_execution(podium_session_t *session, const uint8_t *message,
                            size_t size_bytes, lib_answer_t *answer) {
  pod_id_map_put(session->executions, answer->id, answer);
  if (open_stream(session)) {
    rpc_call_send_bytes(session->dispatch, message, size_bytes);
    session->dispatched++;
  } else {
    answer_one(session, answer, pod_status_copy(session->dispatch_end), 0);
  }
}

void lib_dispatch_forget(podium_session_t *session, lib_answer_t *answer) {
  lib_after_t *after = answer->after;
  pod_id_map_remove(session->executions, answer->id);
  while (after != NULL) {
    lib_after_t *next = after->next;
    after->fn(after->context);
    after = next;
  }
}

void lib_dispatch_await(podium_session_t *session, uint64_t execution,
                        lib_after_t *after) {
  lib_answer_t *answer = pod_id_map_get(session->executions, execution);
  if (answer == NULL) {
    after->fn(after->context);
    return;
  }
  after->next = answer->after;
  answer->after = after;
}

// --- Turns ---

// A turn that ends within its own start leaves the next to the loop here: no recursion.
static void start_turns(lib_turns_t *turns) {
  if (turns->is_starting) {
    return;
  }
  turns->is_starting = true;
  while (turns->first != NULL && turns->running < turns->running_max) {
    lib_turn_t *turn = turns->first;
    turns->first = turn->next;
    if (turns->first == NULL) {
      turns->last = &turns->first;
    }
    turns->running++;
    turn->start(turn);
  }
  turns->is_starting = false;
}

void lib_turn_begin(lib_turns_t *turns, lib_turn_t *turn,
                    void (*start)(lib_turn_t *turn)) {
  turn->next = NULL;
  turn->start = start;
  *turns->last = turn;
  turns->last = &turn->next;
  start_turns(turns);
}

void lib_turn_end(lib_turns_t *turns) {
  POD_CHECK(turns->running > 0);
  turns->running--;
  start_turns(turns);
}
