// A call, as the files of this module see it. rpc.h has what its users see.
//
//   WAITING ──────► OPEN ──────────► FINISHING ──► ENDED ──► (on_end, freed)
//   client, no      has a stream     server: the   the outcome is known,
//   connection yet                   status waits  on_end is owed
//      │              │              behind its       ▲
//      │              │              messages         │
//      └──────────────┴───────────────────┴───────────┘
//
// nghttp2's callbacks only change the state and queue the deliver task; the task runs the
// user's callbacks.

#ifndef COMMON_RPC_CALL_H_
#define COMMON_RPC_CALL_H_

#include "common/rpc/inbox.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/output.h"
#include "common/rpc/rpc.h"

typedef struct rpc_connection_t rpc_connection_t;
typedef struct rpc_endpoint_t rpc_endpoint_t;

enum {
  RPC_METADATA_COUNT_MAX = 64,              // What one end may add to a call ...
  RPC_METADATA_BYTES_MAX = 32 << 10,        // ... and how much that may be in all.
  RPC_HELD_METADATA_BYTES_MAX = 512 << 10,  // Of all calls of a connection.
  RPC_HEADER_BYTES_MAX = 64 << 10,  // What a peer may send us, per block of headers.
  RPC_HEADER_COST = 32,             // Per header, as HTTP/2 counts (RFC 9113, 6.5.2).
  RPC_STATUS_MESSAGE_BYTES_MAX = 16 << 10,
};

typedef enum rpc_call_state_t {
  RPC_CALL_WAITING = 0,
  RPC_CALL_OPEN,
  RPC_CALL_FINISHING,
  RPC_CALL_ENDED,
} rpc_call_state_t;

// One header, from the peer (values decoded) or for it (values as on the wire).
typedef struct rpc_header_t rpc_header_t;
struct rpc_header_t {
  rpc_header_t *next;
  bool trailing;
  size_t key_length, value_length;
  char *key, *value;        // With a NUL each, in the same allocation.
  rpc_metadata_t metadata;  // What rpc_call_peer_metadata hands out.
};

typedef struct rpc_headers_t {
  rpc_header_t *first, **last;
  size_t count, bytes;
} rpc_headers_t;

struct rpc_call_t {
  rpc_task_t deliver;    // First, so that the task finds its call.
  rpc_alarm_t deadline;  // Unset without one.
  rpc_loop_t *loop;
  rpc_call_t *previous, *next;  // In the ring of its connection, or of the loose ones.
  rpc_endpoint_t *endpoint;
  rpc_connection_t *connection;  // NULL without a stream.
  rpc_channel_t *channel;        // Client; else NULL.
  rpc_server_t *server;          // Server; else NULL.
  const rpc_method_t *method;    // Server; NULL for an unknown one.
  void *service;
  char *path;            // Client: owned. Server: of an unknown method, owned; else NULL.
  rpc_block_t *address;  // Of the peer, as text.
  rpc_block_t *peer;     // An rpc_peer_t; NULL before there was a connection.
  int32_t stream_id;
  rpc_call_state_t state;
  pod_status_t status;  // FINISHING: for the peer. ENDED: for on_end.
  int64_t deadline_ns;  // INT64_MAX: none.
  rpc_call_events_t events;
  rpc_unary_fn_t unary_done;  // Client: a unary call; `events` is empty then.
  void *context;
  const ProtobufCMessageDescriptor *incoming;
  size_t message_bytes_max;

  rpc_inbox_t inbox;
  rpc_outbox_t outbox;
  rpc_headers_t peer_headers, own_headers;
  size_t counted_bytes;  // Server: what it counts in its connection's metadata_bytes.
  size_t header_bytes;   // Of the block of headers that is arriving.
  int http_status;       // Client.
  pod_code_t peer_code;  // Client: grpc-status, when has_peer_code.
  char *peer_message;    // Client: grpc-message, decoded; owned.
  // Server: why the request cannot be served, found in its headers.
  pod_status_t refusal;
  int refusal_http;  // Server: the HTTP status when it is no gRPC request at all; else 0.
  bool is_post, is_grpc, has_peer_code;

  bool wait_for_ready;
  bool requested;         // Client: its HEADERS have gone out.
  bool responded;         // Server: its HEADERS have been submitted.
  bool status_submitted;  // Server: likewise its status.
  bool provider_asleep;   // nghttp2 waits for rpc_session_resume.
  bool half_closed;       // Client: no message follows.
  bool peer_half_closed;  // Server: neither from the peer.
  bool paused;
  bool started, headers_due, half_close_reported, writable_due, above_bound;
  bool drop_messages;  // ENDED by us or by an error: what is not delivered is lost.
  bool got_message;
  bool counts, keeps;  // Server: its connection is busy with it; is kept by it.
  bool silent;         // Server: on_start refused it; no event follows.
  bool pinned,
      released;  // Its deliver task is on the stack; it has been freed meanwhile.
};

// Among the endpoint's loose calls.
rpc_call_t *rpc_call_create(rpc_endpoint_t *endpoint);

// Rings of calls; a call is in one or in none.
void rpc_ring_add(rpc_call_t **ring, rpc_call_t *call);
void rpc_ring_remove(rpc_call_t **ring, rpc_call_t *call);

void rpc_call_queue(rpc_call_t *call);

static inline bool rpc_call_is_client(const rpc_call_t *call) {
  return call->channel != NULL;
}

// Something has come into the outbox, or nothing will any more.
void rpc_call_wake_sender(rpc_call_t *call);

// --- What the session reports ---

// DATA for the call. The window is dealt with by the call.
void rpc_call_receive(rpc_call_t *call, const uint8_t *data, size_t size_bytes);

void rpc_call_on_peer_headers(rpc_call_t *call, bool end_of_stream);

void rpc_call_on_peer_half_close(rpc_call_t *call);

// Server: the status is on its way.
void rpc_call_on_status_sent(rpc_call_t *call);

// The stream is gone; `http2_error` says how.
void rpc_call_on_stream_closed(rpc_call_t *call, uint32_t http2_error);

// Some of the outbox has gone out.
void rpc_call_on_drained(rpc_call_t *call);

// --- Ends ---

// We end it: tells the peer (client: RST_STREAM; server: a status) and reports `status`,
// which is taken. What the peer sent and was not delivered is dropped.
void rpc_call_abort(rpc_call_t *call, pod_status_t status);

// It ended by itself and the peer knows or is gone. Takes `status`.
void rpc_call_fail(rpc_call_t *call, pod_status_t status);

// Runs on_end at once: for the destruction of what the call belongs to. Takes `status`.
void rpc_call_end_now(rpc_call_t *call, pod_status_t status);

void rpc_call_set_deadline(rpc_call_t *call, int64_t timeout_ns);

// --- Headers ---

void rpc_headers_add(rpc_headers_t *headers, const char *key, size_t key_length,
                     const void *value, size_t value_length, bool trailing);

void rpc_headers_clear(rpc_headers_t *headers);

// INVALID_ARGUMENT for what HTTP/2 cannot carry or more than RPC_METADATA_COUNT_MAX.
POD_MUST_USE pod_status_t rpc_headers_add_own(rpc_headers_t *headers,
                                              const rpc_metadata_t *metadata,
                                              bool trailing);

// From the wire; binary values are decoded, several in one header taken apart.
void rpc_headers_add_peer(rpc_headers_t *headers, const char *key, size_t key_length,
                          const char *value, size_t value_length, bool trailing);

#endif  // COMMON_RPC_CALL_H_
