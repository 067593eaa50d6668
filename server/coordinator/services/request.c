// One call of a client: what all services do alike. Two things have to end before it is
// freed, in either order: the service's own work, and the client's call.

#include "server/coordinator/services/request.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "server/coordinator/authorize.h"
#include "server/coordinator/coordinator_private.h"

enum { FIRST_STATE = 0 };

// A message that is looked at later.
struct held_t {
  held_t *previous, *next;
  request_t *request;
  uint64_t session, after;
  ProtobufCMessage *message;  // Owned.
};

bool request_is_over(const request_t *request) {
  return request_is(request, request->kind->state_count - 1);
}

static void free_if_done(request_t *request) {
  if (request_is_over(request) && !request->has_begun && request->client == NULL) {
    free(request);
  }
}

// Why an operation is stopped: its session ends, or all do.
static pod_status_t stop_reason(const request_t *request) {
  return request->coordinator->is_draining
             ? pod_error(POD_UNAVAILABLE, "the coordinator is going down")
             : pod_error(POD_CANCELLED, "the session has ended");
}

static void stop_operation(store_operation_t *operation) {
  request_t *request = (request_t *)operation;
  if (!request_is_over(request)) {
    request->kind->stop(request, stop_reason(request));
  }
}

static pod_status_t check_serving(const coordinator_t *coordinator) {
  return coordinator->is_draining || coordinator->is_destroyed
             ? pod_error(POD_UNAVAILABLE, "the coordinator is going down")
             : NULL;
}

pod_status_t request_enter(const coordinator_t *coordinator, const rpc_call_t *client,
                           ProtobufCBinaryData session, store_session_t **out_session) {
  access_identity_t caller = {0};
  if (client != NULL) {
    POD_TRY(authorize_identify(coordinator->access, client, &caller));
  }
  return store_enter_session(coordinator->store, session.data, session.len, caller.name,
                             out_session);
}

pod_status_t request_begin(request_t *request, ProtobufCBinaryData session) {
  const coordinator_t *coordinator = request->coordinator;
  POD_TRY(check_serving(coordinator));
  store_session_t *owner;
  POD_TRY(request_enter(coordinator, request->client, session, &owner));
  POD_TRY(store_operation_begin(owner, &request->operation, stop_operation));
  request->has_begun = true;
  return NULL;
}

pod_status_t request_take_memory(request_t *request, int64_t size_bytes) {
  POD_TRY(
      account_take(request->operation.session->account, ACCOUNT_HOST_BYTES, size_bytes));
  request->memory_bytes += size_bytes;
  return NULL;
}

void request_traceparent(const rpc_call_t *client, char out[REQUEST_TRACEPARENT_BYTES]) {
  static const char form[] = "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
  const rpc_metadata_t *shown =
      client == NULL ? NULL : rpc_call_peer_metadata(client, "traceparent", false);
  out[0] = '\0';
  if (shown == NULL || shown->size_bytes != sizeof(form) - 1) {
    return;
  }
  const char *text = shown->value;
  for (size_t i = 0; i < sizeof(form) - 1; i++) {
    const bool is_hex =
        (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (form[i] == '-' ? text[i] != '-' : !is_hex) {
      return;
    }
  }
  memcpy(out, text, sizeof(form) - 1);
  out[sizeof(form) - 1] = '\0';
}

void request_note_outcome(request_t *request, pod_status_t status) {
  if (!request->has_outcome) {
    request->has_outcome = true;
    request->outcome = pod_status_code(status);
  }
}

void request_fail(request_t *request, pod_status_t status) {
  request_note_outcome(request, status);
  if (request->client == NULL || request->is_answered) {
    pod_status_free(status);
    return;
  }
  request->is_answered = true;
  rpc_call_finish(request->client, status);
}

void request_reply(request_t *request, const ProtobufCMessage *message) {
  request_note_outcome(request, NULL);
  if (request->client != NULL && !request->is_answered) {
    request->is_answered = true;
    rpc_call_reply(request->client, message);
  }
}

// --- What has to wait for the session's Dispatch ---

static void unhold(held_t *held) {
  coordinator_t *coordinator = held->request->coordinator;
  if (held->previous != NULL) {
    held->previous->next = held->next;
  } else {
    coordinator->held = held->next;
  }
  if (held->next != NULL) {
    held->next->previous = held->previous;
  }
  held->request->held = NULL;
}

static void free_held(held_t *held) {
  protobuf_c_message_free_unpacked(held->message, NULL);
  free(held);
}

static ProtobufCMessage *copy_message(const ProtobufCMessage *message) {
  const size_t size_bytes = protobuf_c_message_get_packed_size(message);
  uint8_t *packed = pod_alloc(size_bytes + 1);
  protobuf_c_message_pack(message, packed);
  ProtobufCMessage *copy =
      protobuf_c_message_unpack(message->descriptor, NULL, size_bytes, packed);
  free(packed);
  return copy;
}

bool request_hold(request_t *request, ProtobufCBinaryData session, uint64_t after,
                  const void *message) {
  coordinator_t *coordinator = request->coordinator;
  store_session_t *found;
  const pod_status_t status =
      request_enter(coordinator, request->client, session, &found);
  if (status != NULL || after <= found->dispatched || request->client == NULL) {
    pod_status_free(status);  // Whoever begins the operation finds it too.
    return false;
  }
  held_t *held = pod_alloc(sizeof(*held));
  *held = (held_t){.next = coordinator->held,
                   .request = request,
                   .session = found->id,
                   .after = after,
                   .message = copy_message(message)};
  if (held->next != NULL) {
    held->next->previous = held;
  }
  coordinator->held = held;
  request->held = held;
  rpc_call_pause(request->client);
  return true;
}

static void let_go(held_t *held) {
  request_t *request = held->request;
  unhold(held);
  if (request->client != NULL) {
    rpc_call_resume(request->client);
  }
  request->kind->on_message(request, held->message);
  free_held(held);
}

void requests_let_go(coordinator_t *coordinator, uint64_t session, uint64_t dispatched) {
  // Letting one go may end others.
  for (held_t *at = coordinator->held; at != NULL;) {
    if (at->session == session && at->after <= dispatched) {
      let_go(at);
      at = coordinator->held;
    } else {
      at = at->next;
    }
  }
}

void request_end(request_t *request) {
  if (request->kind->operation != OPERATION_OTHER) {
    coordinator_metrics_ended(request->coordinator->metrics, request->kind->operation,
                              request->outcome, pod_clock_now_ns() - request->began_ns,
                              request->moved_bytes);
  }
  if (request->held != NULL) {
    held_t *held = request->held;
    unhold(held);
    free_held(held);
  }
  if (request->has_begun) {
    request->has_begun = false;
    account_give_back(request->operation.session->account, ACCOUNT_HOST_BYTES,
                      request->memory_bytes);
    store_operation_end(&request->operation);
    coordinator_settle(request->coordinator);
  }
  free_if_done(request);
}

// --- The client's call ---

static void on_message(rpc_call_t *client, const void *message, void *context) {
  (void)client;
  request_t *request = context;
  if (request_is(request, FIRST_STATE)) {
    request->kind->on_message(request, message);
  }
}

static void on_half_close(rpc_call_t *client, void *context) {
  (void)client;
  request_t *request = context;
  if (!request_is(request, FIRST_STATE)) {
    return;
  }
  if (request->kind->on_half_close != NULL) {
    request->kind->on_half_close(request);
    return;
  }
  request->kind->stop(request, pod_error(POD_INVALID_ARGUMENT, "%s without a request",
                                         request->kind->name));
}

static void on_writable(rpc_call_t *client, void *context) {
  (void)client;
  request_t *request = context;
  if (request->kind->on_writable != NULL && !request_is_over(request)) {
    request->kind->on_writable(request);
  }
}

static void on_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  request_t *request = context;
  request->client = NULL;
  if (request_is_over(request)) {
    pod_status_free(status);
    free_if_done(request);
    return;
  }
  request->kind->stop(request,
                      status != NULL ? status : pod_error(POD_CANCELLED, "answered"));
}

static request_t *create(const request_kind_t *kind, coordinator_t *coordinator,
                         rpc_call_t *client) {
  request_t *request = pod_alloc(kind->size_bytes);
  request->kind = kind;
  request->coordinator = coordinator;
  request->client = client;
  if (kind->operation != OPERATION_OTHER) {
    request->began_ns = pod_clock_now_ns();
    coordinator_metrics_started(coordinator->metrics, kind->operation);
  }
  pod_state_machine_init(&request->machine, kind->name, ++coordinator->request_count,
                         kind->states, kind->state_count, FIRST_STATE);
  if (kind->on_start != NULL) {
    kind->on_start(request);
  }
  return request;
}

pod_status_t request_start(const request_kind_t *kind, rpc_call_t *client, void *service,
                           void **out_context) {
  *out_context = create(kind, service, client);
  return NULL;
}

pod_status_t request_queue(const request_kind_t *kind, coordinator_t *coordinator,
                           store_session_t *session, request_t **out_request) {
  POD_TRY(check_serving(coordinator));
  request_t *request = create(kind, coordinator, NULL);
  const pod_status_t status =
      store_operation_queue(session, &request->operation, stop_operation);
  if (status != NULL) {
    coordinator_metrics_ended(coordinator->metrics, kind->operation,
                              pod_status_code(status), 0, 0);
    free(request);
    return status;
  }
  request->has_begun = true;
  *out_request = request;
  return NULL;
}

rpc_method_t request_method(const char *path, const ProtobufCMessageDescriptor *request,
                            const ProtobufCMessageDescriptor *response,
                            pod_status_t (*start)(rpc_call_t *client, void *service,
                                                  void **out_context)) {
  return (rpc_method_t){.path = path,
                        .request = request,
                        .response = response,
                        .events = {.on_message = on_message,
                                   .on_half_close = on_half_close,
                                   .on_writable = on_writable,
                                   .on_end = on_end},
                        .on_start = start};
}

rpc_method_t request_method_of_one(
    const char *path, const ProtobufCMessageDescriptor *request,
    const ProtobufCMessageDescriptor *response,
    pod_status_t (*start)(rpc_call_t *client, void *service, void **out_context)) {
  rpc_method_t method = request_method(path, request, response, start);
  method.one_request = true;
  return method;
}

// --- Calls that are answered at once ---

const pod_state_t request_unary_states[REQUEST_UNARY_STATE_COUNT] = {
    [REQUEST_UNARY_NEW] = {"new", POD_TO(REQUEST_UNARY_OVER)},
    [REQUEST_UNARY_OVER] = {"over", 0}};

void request_end_unary(request_t *request, pod_status_t status) {
  request_move(request, REQUEST_UNARY_OVER);
  if (status != NULL) {
    request_fail(request, status);
  }
  request_end(request);
}
