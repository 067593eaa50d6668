// One call of a client: the skeleton that all services share. A service has a struct that
// begins with a request_t, a table of its states, and what it does with messages; when
// calls begin and end, and who frees them, is here.
//
// States: the first is that of a call whose client may still say something; messages that
// come in another one are ignored. The last one is "over": the service's work has ended,
// and perhaps the client's call has not.
//
// Ownership: the request is freed when it is over and the client's call has ended.
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_SERVICES_REQUEST_H_
#define SERVER_COORDINATOR_SERVICES_REQUEST_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/state_machine.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "server/coordinator/coordinator.h"
#include "server/coordinator/core/store.h"
#include "server/coordinator/metrics.h"

typedef struct request_t request_t;
typedef struct held_t held_t;

typedef struct request_kind_t {
  const char *name;                   // "Execute": in traces and errors.
  coordinator_operation_t operation;  // As which it is counted.
  size_t size_bytes;                  // Of the struct that begins with the request.
  const pod_state_t *states;          // See above.
  int state_count;
  // May be NULL: nothing is to be done when a call begins.
  void (*on_start)(request_t *request);
  void (*on_message)(request_t *request, const void *message);
  // The client has sent all. NULL: it should have sent a request, and is told so.
  void (*on_half_close)(request_t *request);
  // May be NULL. The client reads again; not when it is over.
  void (*on_writable)(request_t *request);
  // The client has gone, its session ends, or all do: ends the work, now or later. Takes
  // `status`. Not when it is over.
  void (*stop)(request_t *request, pod_status_t status);
} request_kind_t;

struct request_t {
  store_operation_t operation;  // First, so that the store's operation finds its request.
  const request_kind_t *kind;
  pod_state_machine_t machine;
  coordinator_t *coordinator;
  rpc_call_t *client;  // NULL once the call has ended.
  bool has_begun;      // The operation is in its session's list.
  bool is_answered;
  bool has_outcome;
  pod_code_t outcome;    // The first of its ends.
  int64_t began_ns;      // Of pod_clock_now_ns().
  int64_t moved_bytes;   // Of the array that it brought; for the metrics.
  int64_t memory_bytes;  // Of its client's account, until the end.
  held_t *held;          // It waits for the session's Dispatch; NULL: it does not.
};

// Of requests that hold names and numbers only: more is not unpacked.
enum { REQUEST_SMALL_BYTES_MAX = 16 << 10 };

// What a method of the service does: `start` has to be request_start with the kind.
// `response` NULL: its messages are packed already.
rpc_method_t request_method(const char *path, const ProtobufCMessageDescriptor *request,
                            const ProtobufCMessageDescriptor *response,
                            pod_status_t (*start)(rpc_call_t *client, void *service,
                                                  void **out_context));

// The same for a method that takes exactly one message.
rpc_method_t request_method_of_one(
    const char *path, const ProtobufCMessageDescriptor *request,
    const ProtobufCMessageDescriptor *response,
    pod_status_t (*start)(rpc_call_t *client, void *service, void **out_context));

// A call of this kind begins; `service` is the coordinator_t.
POD_MUST_USE pod_status_t request_start(const request_kind_t *kind, rpc_call_t *client,
                                        void *service, void **out_context);

// What came by Dispatch: there is no call of a client. Its operation has begun.
POD_MUST_USE pod_status_t request_queue(const request_kind_t *kind,
                                        coordinator_t *coordinator,
                                        store_session_t *session,
                                        request_t **out_request);

// True when the session's Dispatch has yet to take messages before this one is looked at,
// its number `after`: on_message then comes again. `message` is copied.
bool request_hold(request_t *request, ProtobufCBinaryData session, uint64_t after,
                  const void *message);

static inline bool request_is(const request_t *request, int state) {
  return pod_state_of(&request->machine) == state;
}

static inline void request_move(request_t *request, unsigned state) {
  pod_state_machine_move(&request->machine, state);
}

bool request_is_over(const request_t *request);

// The session that a message of this call names, for the one who has opened it.
POD_MUST_USE pod_status_t request_enter(const coordinator_t *coordinator,
                                        const rpc_call_t *client,
                                        ProtobufCBinaryData session,
                                        store_session_t **out_session);

// Finds the session and begins the operation in it. UNAVAILABLE when draining.
POD_MUST_USE pod_status_t request_begin(request_t *request, ProtobufCBinaryData session);

// It holds so much of the coordinator's memory, until request_end. RESOURCE_EXHAUSTED:
// its client has too much already. The operation has begun.
POD_MUST_USE pod_status_t request_take_memory(request_t *request, int64_t size_bytes);

enum { REQUEST_TRACEPARENT_BYTES = STORE_TRACEPARENT_BYTES };

// The caller's W3C trace context (https://www.w3.org/TR/trace-context/), as its metadata
// "traceparent" has it; "" when there is none, or the call has ended, or it is no such
// text. For the log and the profile. `client` may be NULL.
void request_traceparent(const rpc_call_t *client, char out[REQUEST_TRACEPARENT_BYTES]);

// How it ended, for the metrics, when nobody is answered by the two below. Only the first
// outcome counts.
void request_note_outcome(request_t *request, pod_status_t status);

// Ends the client's call, unless it has ended. Takes `status`.
void request_fail(request_t *request, pod_status_t status);

// One message, then OK.
void request_reply(request_t *request, const ProtobufCMessage *message);

// The work is over: the operation leaves its session, and the request is freed unless the
// client's call is still on. Handles in use must be given back before.
void request_end(request_t *request);

// --- Calls that are answered at once ---

enum { REQUEST_UNARY_NEW = 0, REQUEST_UNARY_OVER, REQUEST_UNARY_STATE_COUNT };

extern const pod_state_t request_unary_states[REQUEST_UNARY_STATE_COUNT];

// Their kind; `answer` is its on_message, and ends them by request_end_unary.
#define REQUEST_UNARY(method, answer)                                                  \
  {                                                                                    \
    .name = (method), .size_bytes = sizeof(request_t), .states = request_unary_states, \
    .state_count = REQUEST_UNARY_STATE_COUNT, .on_message = (answer),                  \
    .stop = request_end_unary                                                          \
  }

// Takes `status`; NULL: it has been answered.
void request_end_unary(request_t *request, pod_status_t status);

#endif  // SERVER_COORDINATOR_SERVICES_REQUEST_H_
