// OpenSession, FreeHandles, GetPod: what needs no chip to answer at once.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "server/coordinator/authorize.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/services/client_identity.h"
#include "server/coordinator/services/describe.h"
#include "server/coordinator/services/request.h"
#include "server/coordinator/services/sharing.h"

// --- OpenSession: the stream is the life of the session ---

struct session_call_t {
  session_call_t *previous, *next;
  coordinator_t *coordinator;
  rpc_call_t *client;
  store_session_t *session;  // NULL before the request.
  bool has_begun;            // The first event is out.
  bool is_finished;
};

static ProtobufCBinaryData handle_of(const store_session_t *session) {
  return (ProtobufCBinaryData){.len = sizeof(session->handle),
                               .data = (uint8_t *)(uintptr_t)session->handle};
}

static void send_event(session_call_t *call, const char *message) {
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__SessionEvent event = PODIUM__V1__SESSION_EVENT__INIT;
  event.session = handle_of(call->session);
  event.pod = describe_pod(arena, call->coordinator);
  event.first_id = call->session->first_id;
  event.id_count = STORE_SESSION_IDS;
  event.may_share = sharing_is_possible(call->coordinator->registry, call->session->host);
  event.message = (char *)(uintptr_t)message;
  if (call->session->group != NULL) {
    event.n_owners = event.pod->n_devices;
    event.owners = pod_arena_array(arena, event.n_owners, sizeof(*event.owners));
    for (size_t chip = 0; chip < event.n_owners; chip++) {
      event.owners[chip] = gang_owner(call->session->group, (int32_t)chip);
    }
  }
  rpc_call_send(call->client, &event.base);
  pod_arena_destroy(arena);
}

// The session as a client that waits for the pod shall see it: not before it is ready.
static void begin_if_due(session_call_t *call) {
  const places_t *places = registry_places(call->coordinator->registry);
  if (call->session == NULL || call->has_begun || call->is_finished ||
      (call->session->waits_for_pod && !places_are_ready(places))) {
    return;
  }
  call->has_begun = true;
  send_event(call, "");
}

void sessions_changed(coordinator_t *coordinator, const char *message) {
  for (session_call_t *at = coordinator->session_calls; at != NULL; at = at->next) {
    if (!at->has_begun) {
      begin_if_due(at);
    } else if (!at->is_finished && rpc_call_is_writable(at->client)) {
      send_event(at, message);  // Else it does not read; events are only for people.
    }
  }
}

void sessions_tell_waiting(coordinator_t *coordinator, const store_session_t *session,
                           const char *for_what) {
  for (session_call_t *at = coordinator->session_calls; at != NULL; at = at->next) {
    if (at->session != session || !at->has_begun || at->is_finished ||
        !rpc_call_is_writable(at->client)) {
      continue;
    }
    Podium__V1__Waiting waiting = PODIUM__V1__WAITING__INIT;
    waiting.for_what = (char *)(uintptr_t)for_what;
    Podium__V1__SessionEvent event = PODIUM__V1__SESSION_EVENT__INIT;
    event.session = handle_of(session);
    event.waiting = &waiting;
    rpc_call_send(at->client, &event.base);
  }
}

static void finish_session(session_call_t *call, pod_status_t status) {
  if (call->is_finished) {
    pod_status_free(status);
    return;
  }
  call->is_finished = true;
  rpc_call_finish(call->client, status);
}

void sessions_close(coordinator_t *coordinator) {
  for (session_call_t *at = coordinator->session_calls; at != NULL; at = at->next) {
    finish_session(at, pod_error(POD_UNAVAILABLE, "the coordinator is going down"));
  }
  dispatches_close(coordinator, NULL,
                   pod_error(POD_UNAVAILABLE, "the coordinator is going down"));
}

static pod_status_t session_start(rpc_call_t *client, void *service, void **out_context) {
  coordinator_t *coordinator = service;
  session_call_t *call = pod_alloc(sizeof(*call));
  call->coordinator = coordinator;
  call->client = client;
  call->next = coordinator->session_calls;
  if (call->next != NULL) {
    call->next->previous = call;
  }
  coordinator->session_calls = call;
  *out_context = call;
  return NULL;
}

static pod_status_t join_group(session_call_t *call, const Podium__V1__Group *group) {
  coordinator_t *coordinator = call->coordinator;
  const places_t *places = registry_places(coordinator->registry);
  int32_t box[TORUS_DIMENSIONS];
  POD_TRY(torus_cut(&places->torus, places->spec, group->process_count, box));
  int32_t *owners = pod_alloc((size_t)places->count * sizeof(*owners));
  for (int32_t chip = 0; chip < places->count; chip++) {
    owners[chip] = torus_part(&places->torus, box, group->process_count, chip);
  }
  const pod_status_t status =
      gang_join(coordinator->gangs, call->session->principal, group->name, group->process,
                group->process_count, places->count, owners, &call->session->group);
  call->session->member = group->process;
  free(owners);
  return status;
}

// The session, and whose it is.
static pod_status_t open_account(session_call_t *call,
                                 const Podium__V1__OpenSessionRequest *request) {
  access_identity_t caller;
  POD_TRY(authorize_identify(call->coordinator->access, call->client, &caller));
  char *identity = client_identity(call->client, caller.name);
  account_t *account = account_find(call->coordinator->accounts, identity);
  free(identity);
  pod_status_t status = account_take(account, ACCOUNT_SESSIONS, 1);
  if (status != NULL) {
    account_unuse(account);
    return status;
  }
  status = store_open_session(call->coordinator->store, caller.name, request->client,
                              request->wait_for_pod, &call->session);
  if (status != NULL) {
    account_give_back(account, ACCOUNT_SESSIONS, 1);
    account_unuse(account);
    return status;
  }
  store_session_set_account(call->session, account);
  call->session->job = caller.errand;
  return NULL;
}

static pod_status_t open_session(session_call_t *call,
                                 const Podium__V1__OpenSessionRequest *request) {
  POD_TRY(open_account(call, request));
  const pod_status_t status =
      request->group == NULL ? NULL : join_group(call, request->group);
  if (status != NULL) {
    store_close_session(call->session);
    call->session = NULL;
  }
  return status;
}

static void session_message(rpc_call_t *client, const void *message, void *context) {
  session_call_t *call = context;
  const Podium__V1__OpenSessionRequest *request = message;
  if (call->session != NULL || call->is_finished) {
    return;
  }
  pod_status_t status = NULL;
  if (call->coordinator->is_draining) {
    status = pod_error(POD_UNAVAILABLE, "the coordinator is going down");
  } else {
    status = open_session(call, request);
  }
  if (status != NULL) {
    finish_session(call, status);
    return;
  }
  store_session_set_host(call->session, request->host);
  const store_session_t *session = call->session;
  pod_log_fields(POD_LOG_INFO,
                 POD_LOG_FIELDS({"event", .text = "session"},
                                {"session", .number = (int64_t)session->id},
                                {"client", .text = session->client},
                                {"principal", .text = session->principal},
                                {"address", .text = rpc_call_peer_address(client)}),
                 "session %" PRIu64 " of \"%s\" (%s) at %s", session->id, session->client,
                 session->principal, rpc_call_peer_address(client));
  begin_if_due(call);
}

static void session_half_close(rpc_call_t *client, void *context) {
  (void)client;
  session_call_t *call = context;
  if (call->session == NULL) {
    finish_session(call,
                   pod_error(POD_INVALID_ARGUMENT, "OpenSession without a request"));
  }
}

static void session_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  session_call_t *call = context;
  pod_status_free(status);
  if (call->previous != NULL) {
    call->previous->next = call->next;
  } else {
    call->coordinator->session_calls = call->next;
  }
  if (call->next != NULL) {
    call->next->previous = call->previous;
  }
  if (call->session != NULL) {
    coordinator_t *coordinator = call->coordinator;
    const uint64_t session = call->session->id;
    if (call->session->group != NULL) {
      gang_leave(call->session->group, call->session->member);
      call->session->group = NULL;  // It goes with the last member.
      executions_look_again(coordinator);
    }
    store_close_session(call->session);
    requests_let_go(coordinator, session, UINT64_MAX);  // They find it gone.
  }
  free(call);
}

// --- Calls that are answered at once ---

static void on_get_pod(request_t *request, const void *message) {
  (void)message;
  pod_arena_t *arena = pod_arena_create();
  request_reply(request, &describe_pod(arena, request->coordinator)->base);
  pod_arena_destroy(arena);
  request_end_unary(request, NULL);
}

// All or nothing: what is not there frees nothing.
static pod_status_t find_all(const store_session_t *session,
                             const Podium__V1__FreeHandlesRequest *request) {
  for (size_t i = 0; i < request->n_arrays; i++) {
    store_array_t *array;
    POD_TRY(store_find_handle(session, request->arrays[i], &array));
  }
  for (size_t i = 0; i < request->n_executables; i++) {
    store_executable_t *executable;
    POD_TRY(store_find_executable(session, request->executables[i], &executable));
  }
  return NULL;
}

void sessions_free_handles(store_session_t *session,
                           const Podium__V1__FreeHandlesRequest *request) {
  for (size_t i = 0; i < request->n_arrays; i++) {
    store_array_t *array;
    const pod_status_t status = store_find_handle(session, request->arrays[i], &array);
    if (status == NULL) {
      store_array_drop(array);
    }
    pod_status_free(status);
  }
  for (size_t i = 0; i < request->n_executables; i++) {
    store_executable_t *executable;
    const pod_status_t status =
        store_find_executable(session, request->executables[i], &executable);
    if (status == NULL) {
      store_executable_drop(executable);
    }
    pod_status_free(status);
  }
}

static void on_free_handles(request_t *request, const void *message) {
  const Podium__V1__FreeHandlesRequest *wanted = message;
  coordinator_t *coordinator = request->coordinator;
  store_session_t *session;
  pod_status_t status =
      request_enter(coordinator, request->client, wanted->session, &session);
  if (status == NULL) {
    status = find_all(session, wanted);
  }
  if (status == NULL) {
    sessions_free_handles(session, wanted);
    // Before the answer: what the client puts next shall find the room.
    coordinator_flush_freed(coordinator);
    const Podium__V1__FreeHandlesResponse response =
        PODIUM__V1__FREE_HANDLES_RESPONSE__INIT;
    request_reply(request, &response.base);
  }
  request_end_unary(request, status);
}

static const request_kind_t get_pod_kind = REQUEST_UNARY("GetPod", on_get_pod);
static const request_kind_t free_handles_kind =
    REQUEST_UNARY("FreeHandles", on_free_handles);

static pod_status_t start_get_pod(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&get_pod_kind, client, service, out_context);
}

static pod_status_t start_free_handles(rpc_call_t *client, void *service,
                                       void **out_context) {
  return request_start(&free_handles_kind, client, service, out_context);
}

void session_methods(rpc_method_t out_methods[SESSION_METHODS]) {
  out_methods[0] =
      (rpc_method_t){.path = "/podium.v1.Podium/OpenSession",
                     .request = &podium__v1__open_session_request__descriptor,
                     .response = &podium__v1__session_event__descriptor,
                     .events = {.on_message = session_message,
                                .on_half_close = session_half_close,
                                .on_end = session_end},
                     .one_request = true,
                     .message_bytes_max = REQUEST_SMALL_BYTES_MAX,
                     .on_start = session_start};
  out_methods[1] = request_method_of_one("/podium.v1.Podium/GetPod",
                                         &podium__v1__get_pod_request__descriptor,
                                         &podium__v1__pod__descriptor, start_get_pod);
  out_methods[1].message_bytes_max = REQUEST_SMALL_BYTES_MAX;
  out_methods[2] = request_method_of_one(
      "/podium.v1.Podium/FreeHandles", &podium__v1__free_handles_request__descriptor,
      &podium__v1__free_handles_response__descriptor, start_free_handles);
}
