// One call of a client: what all services do alike.

#include "server/coordinator/coordinator_private.h"

pod_status_t request_begin(request_t *request, uint64_t session,
                           void (*stop)(store_operation_t *)) {
  const coordinator_t *coordinator = request->coordinator;
  if (coordinator->is_draining || coordinator->is_destroyed) {
    return pod_error(POD_UNAVAILABLE, "the coordinator is going down");
  }
  store_session_t *owner;
  POD_TRY(store_find_session(coordinator->store, session, &owner));
  POD_TRY(store_operation_begin(owner, &request->operation, stop));
  request->has_begun = true;
  return NULL;
}

pod_status_t request_stop_reason(const request_t *request) {
  return request->coordinator->is_draining
             ? pod_error(POD_UNAVAILABLE, "the coordinator is going down")
             : pod_error(POD_CANCELLED, "the session has ended");
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
}
