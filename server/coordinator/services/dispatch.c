// Dispatch: the calls of a session that do not wait for each other. One stream carries
// them all, so that they have one order, and a call costs a message rather than a stream.
//
// What a message asks for is begun when it comes; only executions are answered, when they
// end. A client that does not read its answers is not read from: what it has under way is
// bounded (STORE_QUEUED_MAX), and so are its answers.
//
// The stream is no operation of its session, which it lives as long as.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/services/put.h"
#include "server/coordinator/services/request.h"

struct dispatch_t {
  dispatch_t *previous, *next;
  coordinator_t *coordinator;
  rpc_call_t *client;  // NULL once the call has ended.
  uint64_t session;    // 0 before the first message.
  int32_t use_count;   // Executions that have not been answered.
  bool has_half_closed, is_finished;
};

const rpc_call_t *dispatch_call(const dispatch_t *dispatch) {
  return dispatch->client;
}

static void free_if_done(dispatch_t *dispatch) {
  if (dispatch->client == NULL && dispatch->use_count == 0) {
    free(dispatch);
  }
}

// Takes `status`.
static void finish(dispatch_t *dispatch, pod_status_t status) {
  if (dispatch->is_finished || dispatch->client == NULL) {
    pod_status_free(status);
    return;
  }
  dispatch->is_finished = true;
  rpc_call_finish(dispatch->client, status);
}

// --- Answers ---

void dispatch_use(dispatch_t *dispatch) {
  dispatch->use_count++;
}

static void send_answer(const dispatch_t *dispatch, uint64_t execution,
                        pod_status_t status, int64_t host_ns) {
  Podium__V1__DispatchResponse response = PODIUM__V1__DISPATCH_RESPONSE__INIT;
  response.execution = execution;
  response.host_ns = host_ns;
  if (status != NULL) {
    response.code = (int32_t)pod_status_code(status);
    response.message = (char *)(uintptr_t)pod_status_message(status);
  }
  rpc_call_send(dispatch->client, &response.base);
  if (!rpc_call_is_writable(dispatch->client)) {
    rpc_call_pause(dispatch->client);
  }
}

void dispatch_ask(dispatch_t *dispatch, uint64_t execution,
                  Podium__V1__HostTransfer *transfer) {
  if (dispatch->client != NULL && !dispatch->is_finished) {
    Podium__V1__DispatchResponse response = PODIUM__V1__DISPATCH_RESPONSE__INIT;
    response.execution = execution;
    response.host_transfer = transfer;
    rpc_call_send(dispatch->client, &response.base);
  }
}

void dispatch_answer(dispatch_t *dispatch, uint64_t execution, pod_status_t status,
                     int64_t host_ns) {
  dispatch->use_count--;
  if (dispatch->client != NULL && !dispatch->is_finished) {
    send_answer(dispatch, execution, status, host_ns);
    if (dispatch->has_half_closed && dispatch->use_count == 0) {
      finish(dispatch, NULL);
    }
  }
  pod_status_free(status);
  free_if_done(dispatch);
}

// --- Messages ---

static void cancel(dispatch_t *dispatch, const store_session_t *session,
                   const Podium__V1__CancelExecution *request) {
  const pod_status_t status =
      request->timeout_ms > 0
          ? pod_error(POD_DEADLINE_EXCEEDED,
                      "the execution has not ended within %" PRId64 " ms",
                      request->timeout_ms)
          : pod_error(POD_CANCELLED, "the execution was cancelled");
  executions_cancel(dispatch->coordinator, session, request->execution, status);
}

static void abandon(store_session_t *session, uint64_t id) {
  store_array_t *array;
  const pod_status_t status = store_find_handle(session, id, &array);
  if (status == NULL && array->state == STORE_ARRAY_PENDING && array->is_declared) {
    store_array_fail(
        array, pod_error(POD_CANCELLED, "the put of array %" PRIu64 " was given up", id));
  }
  pod_status_free(status);
}

static void take_up(dispatch_t *dispatch, store_session_t *session,
                    const Podium__V1__DispatchRequest *message) {
  switch (message->what_case) {
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_EXECUTE:
      executions_begin(dispatch->coordinator, session, message->execute, dispatch);
      break;
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_DECLARE:
      put_declare(dispatch->coordinator, session, message->declare);
      break;
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_ABANDON:
      abandon(session, message->abandon);
      break;
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_FREE:
      sessions_free_handles(session, message->free);
      break;
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_CANCEL:
      cancel(dispatch, session, message->cancel);
      break;
    case PODIUM__V1__DISPATCH_REQUEST__WHAT_HOST_ANSWER:
      executions_answer_host(dispatch->coordinator, session, message->host_answer);
      break;
    default:
      break;
  }
}

static pod_status_t find_session(dispatch_t *dispatch,
                                 const Podium__V1__DispatchRequest *message,
                                 store_session_t **out_session) {
  const bool is_first = dispatch->session == 0;
  const coordinator_t *coordinator = dispatch->coordinator;
  POD_TRY(
      is_first
          ? request_enter(coordinator, dispatch->client, message->session, out_session)
          : store_find_session(coordinator->store, dispatch->session, out_session));
  if (is_first && (*out_session)->has_dispatch) {
    return pod_error(POD_ALREADY_EXISTS,
                     "session %" PRIu64 " has a Dispatch already: one is the most",
                     (*out_session)->id);
  }
  (*out_session)->has_dispatch = true;
  dispatch->session = (*out_session)->id;
  return NULL;
}

static void on_message(rpc_call_t *client, const void *data, void *context) {
  (void)client;
  dispatch_t *dispatch = context;
  coordinator_t *coordinator = dispatch->coordinator;
  const Podium__V1__DispatchRequest *message = data;
  if (dispatch->is_finished) {
    return;
  }
  store_session_t *session;
  const pod_status_t status = find_session(dispatch, message, &session);
  if (status != NULL) {
    finish(dispatch, status);
    return;
  }
  const uint64_t dispatched = ++session->dispatched;
  take_up(dispatch, session, message);
  requests_let_go(coordinator, dispatch->session, dispatched);
}

static void on_half_close(rpc_call_t *client, void *context) {
  (void)client;
  dispatch_t *dispatch = context;
  dispatch->has_half_closed = true;
  if (dispatch->use_count == 0) {
    finish(dispatch, NULL);
  }
}

static void on_writable(rpc_call_t *client, void *context) {
  (void)context;
  rpc_call_resume(client);
}

static void on_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  dispatch_t *dispatch = context;
  coordinator_t *coordinator = dispatch->coordinator;
  pod_status_free(status);
  dispatch->client = NULL;
  if (dispatch->previous != NULL) {
    dispatch->previous->next = dispatch->next;
  } else {
    coordinator->dispatches = dispatch->next;
  }
  if (dispatch->next != NULL) {
    dispatch->next->previous = dispatch->previous;
  }
  // No message comes any more that a call could wait for.
  store_session_t *session;
  const pod_status_t gone =
      store_find_session(coordinator->store, dispatch->session, &session);
  if (gone == NULL) {
    session->dispatched = UINT64_MAX;
  }
  pod_status_free(gone);
  requests_let_go(coordinator, dispatch->session, UINT64_MAX);
  free_if_done(dispatch);
}

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  coordinator_t *coordinator = service;
  dispatch_t *dispatch = pod_alloc(sizeof(*dispatch));
  *dispatch = (dispatch_t){
      .coordinator = coordinator, .client = client, .next = coordinator->dispatches};
  if (dispatch->next != NULL) {
    dispatch->next->previous = dispatch;
  }
  coordinator->dispatches = dispatch;
  *out_context = dispatch;
  return NULL;
}

void dispatches_close(coordinator_t *coordinator, const uint64_t *session,
                      pod_status_t status) {
  for (dispatch_t *at = coordinator->dispatches; at != NULL; at = at->next) {
    if (session == NULL || at->session == *session) {
      finish(at, pod_status_copy(status));
    }
  }
  pod_status_free(status);
}

rpc_method_t dispatch_method(void) {
  return (rpc_method_t){.path = "/podium.v1.Podium/Dispatch",
                        .request = &podium__v1__dispatch_request__descriptor,
                        .response = &podium__v1__dispatch_response__descriptor,
                        .events = {.on_message = on_message,
                                   .on_half_close = on_half_close,
                                   .on_writable = on_writable,
                                   .on_end = on_end},
                        .on_start = start};
}
