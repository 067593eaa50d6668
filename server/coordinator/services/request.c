// One call of a client: what all services do alike. Two things have to end before it is
// freed, in either order: the service's own work, and the client's call.

#include "server/coordinator/services/request.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/coordinator/coordinator_private.h"

enum { FIRST_STATE = 0 };

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

pod_status_t request_begin(request_t *request, uint64_t session) {
  const coordinator_t *coordinator = request->coordinator;
  if (coordinator->is_draining || coordinator->is_destroyed) {
    return pod_error(POD_UNAVAILABLE, "the coordinator is going down");
  }
  store_session_t *owner;
  POD_TRY(store_find_session(coordinator->store, session, &owner));
  POD_TRY(store_operation_begin(owner, &request->operation, stop_operation));
  request->has_begun = true;
  return NULL;
}

void request_fail(request_t *request, pod_status_t status) {
  if (request->client == NULL || request->is_answered) {
    pod_status_free(status);
    return;
  }
  request->is_answered = true;
  rpc_call_finish(request->client, status);
}

void request_reply(request_t *request, const ProtobufCMessage *message) {
  if (request->client != NULL && !request->is_answered) {
    request->is_answered = true;
    rpc_call_reply(request->client, message);
  }
}

void request_end(request_t *request) {
  if (request->has_begun) {
    request->has_begun = false;
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

pod_status_t request_start(const request_kind_t *kind, rpc_call_t *client, void *service,
                           void **out_context) {
  request_t *request = pod_alloc(kind->size_bytes);
  request->kind = kind;
  request->coordinator = service;
  request->client = client;
  pod_state_machine_init(&request->machine, kind->name,
                         ++request->coordinator->request_count, kind->states,
                         kind->state_count, FIRST_STATE);
  if (kind->on_start != NULL) {
    kind->on_start(request);
  }
  *out_context = request;
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
