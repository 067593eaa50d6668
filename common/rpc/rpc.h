// gRPC over HTTP/2, both ends, as
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md has it: nghttp2 does the
// framing, libuv the sockets, protobuf-c the messages.
//
// One kind of object stands for a call at both ends, rpc_call_t. All four kinds of gRPC
// call (unary, client, server and bidirectional streaming) are the same calls here:
// either side sends messages until it half-closes, the server ends with a status.
//
// Callbacks: a call reports through its rpc_call_events_t, on the loop thread, never
// inside the function that caused them; on_end comes exactly once and last. Any may be
// NULL.
// Messages: on_message lends one decoded message for the length of the callback. With a
// NULL descriptor messages travel as raw bytes (rpc_bytes_t).
// Backpressure: received bytes are given back to the peer's HTTP/2 window only when their
// message has been delivered; rpc_call_pause holds delivery, so a slow reader stops the
// sender at the window's size. rpc_call_send queues without bound of its own: a sender
// asks rpc_call_is_writable (false above RPC_SEND_QUEUE_BYTES) and goes on at
// on_writable.
// Ownership: a call is owned by the rpc module; the pointer stays valid until on_end
// returns. After that it must not be used.
// Errors: a status in on_end carries the peer's code and message unchanged. A lost
// connection is UNAVAILABLE with the address, a passed deadline DEADLINE_EXCEEDED
// (enforced at both ends), rpc_call_cancel or RST_STREAM(CANCEL) is CANCELLED, a message
// over the bound is RESOURCE_EXHAUSTED with both sizes, bytes that do not decode are
// INTERNAL.
// Threading: the loop thread (see loop.h).

#ifndef COMMON_RPC_RPC_H_
#define COMMON_RPC_RPC_H_

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/credentials.h"
#include "common/rpc/loop.h"

enum {
  RPC_MESSAGE_BYTES_MAX = 16 << 20,  // Default bound on one received message.
  RPC_SEND_QUEUE_BYTES = 1 << 20,    // Above this a call is not writable.
  RPC_WINDOW_BYTES = 4 << 20,        // HTTP/2 receive window of a stream.
  RPC_CONNECTION_WINDOW_BYTES = 16 << 20,
};

typedef struct rpc_call_t rpc_call_t;
typedef struct rpc_server_t rpc_server_t;
typedef struct rpc_channel_t rpc_channel_t;

// What a message is when a method has no descriptor.
typedef struct rpc_bytes_t {
  const uint8_t *data;
  size_t size_bytes;
} rpc_bytes_t;

// Keys are lower case; the value of a "-bin" key is raw bytes here and base64 on the
// wire.
typedef struct rpc_metadata_t {
  const char *key;
  const void *value;
  size_t size_bytes;
} rpc_metadata_t;

typedef struct rpc_call_events_t {
  // Client only: the server's initial metadata is there (rpc_call_peer_metadata).
  void (*on_headers)(rpc_call_t *call, void *context);
  // A ProtobufCMessage of the method's type, or an rpc_bytes_t; borrowed.
  void (*on_message)(rpc_call_t *call, const void *message, void *context);
  // Server only: the client has sent its last message. A method that leaves this NULL
  // waits for a request: a call that half-closes without any message is ended with
  // INTERNAL for it.
  void (*on_half_close)(rpc_call_t *call, void *context);
  // The send queue has fallen below RPC_SEND_QUEUE_BYTES / 2 after it was above the
  // bound.
  void (*on_writable)(rpc_call_t *call, void *context);
  // Client: how the call ended, NULL for OK; the callee takes `status`.
  // Server: NULL after the status given to rpc_call_finish is on its way; an error when
  // the call was cancelled, timed out or lost its connection before (no finish is owed
  // then).
  void (*on_end)(rpc_call_t *call, pod_status_t status, void *context);
} rpc_call_events_t;

// --- Either end ---

// Packs and queues; the message is borrowed for the call. Ignored once the call has
// ended.
void rpc_call_send(rpc_call_t *call, const ProtobufCMessage *message);

// Queues raw bytes as one message. Copied.
void rpc_call_send_bytes(rpc_call_t *call, const void *data, size_t size_bytes);

bool rpc_call_is_writable(const rpc_call_t *call);

// Holds on_message and on_half_close until rpc_call_resume. Idempotent; allowed in
// callbacks.
void rpc_call_pause(rpc_call_t *call);
void rpc_call_resume(rpc_call_t *call);

// The peer's metadata (client: initial; in on_end also the trailing one, `trailing`), or
// NULL. Borrowed until on_end returns.
const rpc_metadata_t *rpc_call_peer_metadata(const rpc_call_t *call, const char *key,
                                             bool trailing);

// "127.0.0.1:4711". Borrowed.
const char *rpc_call_peer_address(const rpc_call_t *call);

// What is proven of the process at the other end of a call's connection, by the kernel or
// by TLS; all false and NULL before there is one. The texts are borrowed until on_end
// returns.
typedef struct rpc_peer_t {
  bool is_own_user;              // By a unix socket, and of the user id we run as.
  bool is_encrypted;             // By TLS.
  bool is_loopback;              // On this host: by a unix socket or a loopback address.
  const char *certificate_name;  // CN of its verified certificate; NULL without one.
  const char *certificate_role;  // ROLE of that one's URI podium:ROLE; NULL without one.
} rpc_peer_t;

rpc_peer_t rpc_call_peer(const rpc_call_t *call);

// Milliseconds until the deadline, at least 0; INT64_MAX when there is none.
int64_t rpc_call_remaining_ms(const rpc_call_t *call);

void rpc_call_set_context(rpc_call_t *call, void *context);

// --- Server ---

// One method. Tables of these are static and end with {0}.
typedef struct rpc_method_t {
  const char *path;                            // "/podium.v1.Podium/Compile"
  const ProtobufCMessageDescriptor *request;   // NULL: raw bytes.
  const ProtobufCMessageDescriptor *response;  // NULL: raw bytes.
  rpc_call_events_t events;
  // Exactly one message comes from the client, as with unary and server-streaming
  // methods: it is told when the client has half-closed; a second one ends the call with
  // UNIMPLEMENTED, as https://github.com/grpc/grpc/blob/master/doc/statuscodes.md has it.
  bool one_request;
  // A call of it does not make its connection a busy one: such a connection may have to
  // go when others want its place. For what anybody may call.
  bool is_idle;
  // Of a message from the client, when it is less than the server's bound; 0: that one. A
  // message of many small fields takes more to unpack than to send: what is for people
  // who have not said who they are should take little.
  size_t message_bytes_max;
  // Called first, before any event; gives the call its context. A non-NULL status ends
  // the call with it (no event follows). NULL: the context is the service's.
  pod_status_t (*on_start)(rpc_call_t *call, void *service, void **out_context);
} rpc_method_t;

typedef struct rpc_server_options_t {
  size_t message_bytes_max;         // 0: RPC_MESSAGE_BYTES_MAX.
  uint32_t concurrent_streams_max;  // Per connection; 0: 1024.
  // Connections that run no call, or none that has got a message yet, may have to go for
  // new ones (admission.h). No more than the process's bound on descriptors allows.
  uint32_t connections_max;           // 0: 1024.
  uint32_t connections_per_peer_max;  // From one address; 0: 256.
  // Of connections_max, for our own user by a unix socket and for those that a call keeps
  // (rpc_call_keep_connection) only; 0: an eighth.
  uint32_t connections_reserved;
  uint32_t keepalive_ms;          // Ping an idle connection this often; 0: 30 s.
  uint32_t keepalive_timeout_ms;  // Close it when the ping stays unanswered; 0: 10 s.
  uint32_t handshake_timeout_ms;  // Close what does not speak HTTP/2 by then; 0: 10 s.
  uint32_t headers_timeout_ms;    // In which a block of headers has to come; 0: 10 s.
  uint32_t idle_timeout_ms;       // Close what has had no call for so long; 0: 15 min.
  // For TLS on TCP; borrowed. NULL: plain. Unix sockets are plain in any case, with the
  // shortcuts between processes of one user on one host: the kernel says who is there.
  const rpc_credentials_t *credentials;
} rpc_server_options_t;

// `options` may be NULL. Serves grpc.health.v1.Health and server reflection besides what
// is added.
POD_MUST_USE pod_status_t rpc_server_create(rpc_loop_t *loop,
                                            const rpc_server_options_t *options,
                                            rpc_server_t **out_server);

// `methods` is borrowed for the life of the server; unknown methods end with
// UNIMPLEMENTED.
void rpc_server_add_service(rpc_server_t *server, const char *service_name,
                            const rpc_method_t *methods, void *service);

// Whether the peer (rpc_call_peer, rpc_call_peer_metadata) may call `path`: NULL, or the
// status that the call ends with. It must not use the call otherwise.
typedef pod_status_t (*rpc_authorize_fn_t)(rpc_call_t *call, const char *path,
                                           void *context);

// Asked for every call of a known method, those of health and reflection too, before its
// on_start. NULL: every call is allowed, as from the start.
void rpc_server_set_authorizer(rpc_server_t *server, rpc_authorize_fn_t authorize,
                               void *context);

// `address` is "HOST:PORT", "[IPv6]:PORT" or "unix:PATH"; port 0 lets the kernel choose.
// The address bound is returned owned (free()).
POD_MUST_USE pod_status_t rpc_server_listen(rpc_server_t *server, const char *address,
                                            char **out_bound_address);

// What grpc.health.v1 answers for `service_name` ("" is the whole server; watchers are
// told). Services added are SERVING from the start.
void rpc_server_set_serving(rpc_server_t *server, const char *service_name, bool serving);

// What has happened since the server was created.
typedef struct rpc_server_counts_t {
  size_t open;                            // Connections, now.
  uint64_t accepted, refused, evicted;    // Connections.
  uint64_t unauthorized[POD_CODE_COUNT];  // Calls that the authorizer refused, by code.
  uint64_t ended[POD_CODE_COUNT];         // Calls that this end has ended, by code.
} rpc_server_counts_t;

rpc_server_counts_t rpc_server_counts(const rpc_server_t *server);

// Sends GOAWAY, takes no new calls, and calls `done` when the last call has ended or
// after `grace_ms`, when what is left is ended with UNAVAILABLE.
void rpc_server_shutdown(rpc_server_t *server, uint64_t grace_ms, rpc_fn_t done,
                         void *context);

// Ends what is left at once and frees it: on_end runs for each call before this returns,
// and no callback follows. May be called from a callback.
void rpc_server_destroy(rpc_server_t *server);

// The connection of this call is one that must not be lost to a crowd of others: while
// the call runs it has one of the reserved places and is never closed for another. For
// peers that have proven who they are.
void rpc_call_keep_connection(rpc_call_t *call);

// Ends the call after what was sent; takes `status`, NULL for OK. Once per call.
void rpc_call_finish(rpc_call_t *call, pod_status_t status);

// The reply of a unary or client-streaming method: one message, then OK.
void rpc_call_reply(rpc_call_t *call, const ProtobufCMessage *message);

// Metadata to go out with the first message or the status (`trailing`); copied.
void rpc_call_add_metadata(rpc_call_t *call, const rpc_metadata_t *metadata,
                           bool trailing);

// --- Client ---

typedef enum rpc_channel_state_t {
  RPC_CHANNEL_IDLE = 0,  // No connection, and none wanted.
  RPC_CHANNEL_CONNECTING,
  RPC_CHANNEL_READY,
  RPC_CHANNEL_FAILED,  // Waiting to try again: 100 ms, doubled up to 5 s.
} rpc_channel_state_t;

typedef struct rpc_channel_options_t {
  size_t message_bytes_max;       // 0: RPC_MESSAGE_BYTES_MAX.
  uint32_t keepalive_ms;          // 0: 30 s; while calls are open.
  uint32_t keepalive_timeout_ms;  // 0: 10 s.
  bool keeps_alive_unused;        // While none are, too.
  // Every change of state; `why` is borrowed and NULL unless FAILED. May be NULL.
  void (*on_state)(rpc_channel_t *channel, rpc_channel_state_t state, pod_status_t why,
                   void *context);
  void *context;
  uint32_t connect_timeout_ms;  // For the socket, and again for HTTP/2; 0: 10 s.
  // Sent with every call as "authorization: Bearer TOKEN"; printable ASCII without
  // spaces, copied. NULL: none.
  const char *bearer_token;
  // Sent with every call as "traceparent" (W3C's trace context); copied. NULL: none, as
  // for what is no such text.
  const char *traceparent;
  const rpc_credentials_t *credentials;  // As for a server.
  // What may wait in whole messages for paused calls before the server is held up with
  // all of them; 0: 64 MiB. More for who bounds by himself what he leaves waiting.
  size_t held_bytes_max;
} rpc_channel_options_t;

// Does not block: connects in the background at the first call. A call started without a
// connection waits for one (until its deadline) when `wait_for_ready`, and else fails
// with UNAVAILABLE when the attempt under way fails. INVALID_ARGUMENT for what is no
// address or no token.
POD_MUST_USE pod_status_t rpc_channel_create(rpc_loop_t *loop, const char *address,
                                             const rpc_channel_options_t *options,
                                             rpc_channel_t **out_channel);

// Connects without a call; ignored unless IDLE. A channel that has FAILED tries again by
// itself until it is READY; one that loses its connection becomes IDLE, and connects
// again when a call or this asks for it.
void rpc_channel_connect(rpc_channel_t *channel);

rpc_channel_state_t rpc_channel_state(const rpc_channel_t *channel);

// Ends its calls with CANCELLED and frees it: on_end runs for each before this returns,
// and no callback follows. May be called from a callback.
void rpc_channel_destroy(rpc_channel_t *channel);

typedef struct rpc_call_options_t {
  int64_t timeout_ms;  // From now; 0: none. Sent as grpc-timeout.
  bool wait_for_ready;
  const rpc_metadata_t *metadata;  // Copied.
  size_t metadata_count;
} rpc_call_options_t;

// `response` NULL: raw bytes. `events` is copied; `options` may be NULL. Never fails:
// what goes wrong comes to on_end.
rpc_call_t *rpc_call_start(rpc_channel_t *channel, const char *path,
                           const ProtobufCMessageDescriptor *response,
                           const rpc_call_events_t *events, void *context,
                           const rpc_call_options_t *options);

// No message follows.
void rpc_call_half_close(rpc_call_t *call);

// Sends RST_STREAM(CANCEL); on_end follows with CANCELLED.
void rpc_call_cancel(rpc_call_t *call);

// A unary call in one go. `done` gets the response (borrowed; NULL on error) and takes
// `status`.
typedef void (*rpc_unary_fn_t)(const void *response, pod_status_t status, void *context);
void rpc_unary(rpc_channel_t *channel, const char *path, const ProtobufCMessage *request,
               const ProtobufCMessageDescriptor *response,
               const rpc_call_options_t *options, rpc_unary_fn_t done, void *context);

#endif  // COMMON_RPC_RPC_H_
