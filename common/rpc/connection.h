// One HTTP/2 connection of a server or a channel: the socket, the nghttp2 session, the
// calls.
//
//   HANDSHAKE ──► READY ──► DRAINING ──► (closed)
//   no SETTINGS   calls      GOAWAY sent or received; closes
//   from peer     run        with its last call
//
// Any of them closes at once when the socket or the protocol breaks; the calls then fail
// and the endpoint hears on_closed. A broken connection takes nothing else with it.
//
// Threading: the loop's.
// Ownership: a connection frees itself after on_closed.

#ifndef COMMON_RPC_CONNECTION_H_
#define COMMON_RPC_CONNECTION_H_

#include <nghttp2/nghttp2.h>

#include "common/rpc/call.h"
#include "common/rpc/idle_reset.h"

typedef struct rpc_tls_t rpc_tls_t;

enum {
  // Whole messages that wait for paused calls, unless said otherwise. What is on its way
  // when the window closes may come to more if it is many small messages; a call that has
  // one of them too many, half as much again, ends.
  RPC_CONNECTION_HELD_BYTES = 64 << 20,
  RPC_OUTBOUND_FRAMES_MAX = 16384,  // That a peer makes us owe it without reading.
};

// The server or channel a connection belongs to; embedded first in both. The callbacks
// run outside of nghttp2, but for on_request.
struct rpc_endpoint_t {
  rpc_loop_t *loop;
  bool is_server;
  rpc_call_t *loose;  // A ring of the calls without a connection: not yet, or no more.
  size_t message_bytes_max;
  size_t held_bytes_max;
  uint32_t streams_max;  // Server.
  uint32_t handshake_ms, keepalive_ms, keepalive_timeout_ms;
  uint32_t headers_ms, idle_ms;  // Server.
  bool asks_when_unused;         // Keepalive without calls too; a server always does.
  // The peer's SETTINGS are there.
  void (*on_ready)(rpc_endpoint_t *endpoint, rpc_connection_t *connection);
  // Client: the peer takes no new calls here. `http2_error` is the GOAWAY's.
  void (*on_goaway)(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                    uint32_t http2_error);
  // Client: the call never reached the peer and may go another way; it has no connection
  // now, and `connection` takes no more calls.
  void (*on_unsent)(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                    rpc_call_t *call);
  // Server: fills in server, method, service and events; false for an unknown path.
  bool (*on_request)(rpc_endpoint_t *endpoint, rpc_call_t *call, const char *path,
                     size_t path_length);
  // `why` is taken; NULL when a drained connection ended in order.
  void (*on_closed)(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                    pod_status_t why);
  const rpc_credentials_t *credentials;  // NULL: no TLS.
};

// What a peer's headers have come to (session.c).
typedef struct rpc_header_budget_t {
  size_t block_bytes;   // Of the block that is being read.
  int64_t spent_bytes;  // When since_ms was; it is earned back with time.
  int64_t since_ms;
} rpc_header_budget_t;

// Frames of a peer that ask for work and bring nothing (session.c).
typedef struct rpc_idle_frames_t {
  int64_t count;  // When since_ms was; it is forgotten with time.
  int64_t since_ms;
} rpc_idle_frames_t;

struct rpc_connection_t {
  rpc_task_t flush;    // First, so that the task finds its connection.
  rpc_task_t deliver;  // Queued while `due` has any.
  rpc_task_t due;      // The deliver tasks of its calls: the head of their ring.
  rpc_task_t read;     // Queued while there is more to read than its slice allowed.
  rpc_alarm_t alarm;   // Handshake, then keepalive and the end of the unused.
  rpc_alarm_t headers_alarm;     // Server: set while a block of headers is under way.
  uint32_t headers_alarm_block;  // Which one (idle_reset.block_count).
  uv_poll_t poll;
  int fd;
  int events;  // Polled for.
  rpc_endpoint_t *endpoint;
  rpc_loop_t *loop;
  rpc_connection_t *previous, *next;  // For the endpoint.
  nghttp2_session *session;
  rpc_tls_t *tls;               // NULL: none.
  rpc_idle_reset_t idle_reset;  // Server.
  rpc_header_budget_t header_budget;
  rpc_idle_frames_t idle_frames;
  size_t seat;        // Server: its place in the admission.
  int64_t unused_ms;  // Since when it has had no call (uv_now).
  rpc_block_t *address;
  rpc_block_t *peer;  // An rpc_peer_t.
  rpc_call_t *calls;  // A ring.
  size_t call_count;

  rpc_call_t *data_call;  // Whose DATA frame is arriving, or NULL.
  size_t data_left;       // Of that frame.
  size_t held_bytes;      // Whole messages in inboxes.
  size_t metadata_bytes;  // Server: of the requests of its calls.
  size_t read_bytes;   // How much to read at a time: what takes its frames little time.
  size_t owed_bytes;   // Of the connection's window, withheld while held_bytes is large.
  int64_t heard_ms;    // When the peer last made some progress (uv_now).
  size_t heard_bytes;  // Since then.
  bool pinged;         // Asked whether it is alive, and no progress since.

  bool heard;  // Anything at all.
  bool ready, draining, closed;
  bool settings_seen, goaway_seen, goaway_told;
  uint32_t goaway_error;
  bool blocked;  // The socket takes no more for now.
  rpc_output_t output;
};

// --- connection.c ---

// Takes `fd`, and `address` (a block with text). The endpoint hears of it from the loop
// only.
POD_MUST_USE pod_status_t rpc_connection_create(rpc_endpoint_t *endpoint, int fd,
                                                rpc_block_t *address,
                                                rpc_connection_t **out_connection);

// Writes what nghttp2 has to say, once this round of callbacks is over.
void rpc_connection_flush_later(rpc_connection_t *connection);

// Whether rpc_connection_flush_now could write at once.
bool rpc_connection_is_clear(const rpc_connection_t *connection);

// Writes what can be written without waiting. The connection may be closed by it.
void rpc_connection_flush_now(rpc_connection_t *connection);

// GOAWAY; closes when the last call has ended.
void rpc_connection_drain(rpc_connection_t *connection);

// The same at once: says GOAWAY, as far as that needs no waiting, and closes. Fails its
// calls with `why` (taken) and reports on_closed. Without `linger` the descriptor is free
// afterwards.
void rpc_connection_turn_out(rpc_connection_t *connection, pod_status_t why, bool linger);

// The peer has answered a ping.
void rpc_connection_note_progress(rpc_connection_t *connection);

// Fails the calls with `why` (taken; NULL only when there are none) and reports
// on_closed.
void rpc_connection_close(rpc_connection_t *connection, pod_status_t why);

// Says GOAWAY and writes what can be written without waiting, then goes silently: no
// on_closed. The calls must have ended.
void rpc_connection_destroy(rpc_connection_t *connection);

// From the loose calls, and back to them.
void rpc_connection_attach(rpc_connection_t *connection, rpc_call_t *call);

void rpc_connection_detach(rpc_connection_t *connection, rpc_call_t *call);

// A call has `whole_bytes` less in its inbox and gives `window_bytes` back to the peer.
void rpc_connection_give_back(rpc_connection_t *connection, int32_t stream_id,
                              size_t whole_bytes, size_t window_bytes);

// The call has something to tell its user.
void rpc_connection_deliver(rpc_connection_t *connection, rpc_call_t *call);

const char *rpc_connection_address(const rpc_connection_t *connection);

// --- For reading.c ---

// As rpc_connection_close; `linger`: what was written last shall arrive.
void rpc_connection_end(rpc_connection_t *connection, pod_status_t why, bool linger);

// UNAVAILABLE, with the address.
pod_status_t rpc_connection_lost(const rpc_connection_t *connection, const char *why);

// What nghttp2 still has to say before the end, as far as that needs no waiting.
void rpc_connection_write_last(rpc_connection_t *connection);

// --- reading.c: what comes from the socket ---

// One system call, and the parsing of what it gave. Returns the bytes read, 0 when there
// are none for now, -1 when the connection is gone. *out_filled tells whether there may
// be more.
ssize_t rpc_connection_read(rpc_connection_t *connection, bool *out_filled);

// --- session.c: what goes through nghttp2 ---

POD_MUST_USE pod_status_t rpc_session_create(rpc_connection_t *connection);

// Client. False when this connection can carry no more calls.
bool rpc_session_request(rpc_connection_t *connection, rpc_call_t *call);

// Server: HEADERS before the first message.
void rpc_session_respond(rpc_connection_t *connection, rpc_call_t *call);

// Server: the status alone (before rpc_session_respond), or behind what went out.
void rpc_session_send_status(rpc_connection_t *connection, rpc_call_t *call,
                             pod_status_t status);

// Server: an answer to what is no gRPC request.
void rpc_session_send_http_status(rpc_connection_t *connection, rpc_call_t *call);

void rpc_session_resume(rpc_connection_t *connection, rpc_call_t *call);

void rpc_session_reset(rpc_connection_t *connection, rpc_call_t *call,
                       uint32_t http2_error);

#endif  // COMMON_RPC_CONNECTION_H_
