// The life of a call, alike on both ends:
//
//   WAITING ──on a connection──> OPEN ──finished by the server──> FINISHING ──┐
//      └──────────────refused, cancelled, deadline, trailers────────────────> ENDED
//
// nghttp2's callbacks only note what came and queue the deliver task; the task runs the
// user's code, which may end and free anything.

#include "common/rpc/call.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/rpc/channel.h"
#include "common/rpc/connection.h"
#include "common/rpc/decode.h"
#include "common/rpc/server.h"
#include "common/rpc/wire.h"

enum { NS_PER_MS = 1000000 };

static const char *path_of(const rpc_call_t *call) {
  return call->method != NULL ? call->method->path : call->path;
}

// --- Life ---

static void free_call(rpc_call_t *call) {
  rpc_block_release(call->address);
  rpc_block_release(call->peer);
  rpc_outbox_clear(&call->outbox);
  rpc_inbox_clear(&call->inbox);
  rpc_headers_clear(&call->peer_headers);
  rpc_headers_clear(&call->own_headers);
  pod_status_free(call->status);
  pod_status_free(call->refusal);
  free(call->path);
  free(call->peer_message);
  free(call);
}

void rpc_ring_add(rpc_call_t **ring, rpc_call_t *call) {
  POD_CHECK(call->next == NULL);
  if (*ring == NULL) {
    *ring = call->previous = call->next = call;
    return;
  }
  call->next = *ring;
  call->previous = call->next->previous;
  call->previous->next = call->next->previous = call;
}

void rpc_ring_remove(rpc_call_t **ring, rpc_call_t *call) {
  if (*ring == call) {
    *ring = call->next == call ? NULL : call->next;
  }
  call->previous->next = call->next;
  call->next->previous = call->previous;
  call->previous = call->next = NULL;
}

// Cuts all ties; after it only the memory is left.
static void release(rpc_call_t *call) {
  rpc_task_cancel(&call->deliver);
  rpc_alarm_cancel(call->loop, &call->deadline);
  if (call->connection != NULL) {
    rpc_connection_detach(call->connection, call);
  }
  rpc_ring_remove(&call->endpoint->loose, call);
  call->released = true;
  if (!call->pinned) {
    free_call(call);
  }
}

void rpc_call_queue(rpc_call_t *call) {
  if (!call->released) {
    if (call->connection != NULL) {
      rpc_connection_deliver(call->connection, call);
    } else {
      rpc_task_queue(call->loop, RPC_PHASE_DELIVER, &call->deliver);
    }
  }
}

// --- The window ---

static void give_back(rpc_call_t *call, size_t whole_bytes, size_t window_bytes) {
  if (call->connection != NULL) {
    rpc_connection_give_back(call->connection, call->stream_id, whole_bytes,
                             window_bytes);
  }
}

static void drop_messages(rpc_call_t *call) {
  size_t window_bytes = call->inbox.partial != NULL ? call->inbox.partial->held_bytes : 0;
  for (const rpc_block_t *block = call->inbox.first; block != NULL; block = block->next) {
    window_bytes += block->held_bytes;
  }
  const size_t whole_bytes = call->inbox.whole_bytes;
  rpc_inbox_clear(&call->inbox);
  give_back(call, whole_bytes, window_bytes);
}

// --- Ends ---

static void end(rpc_call_t *call, pod_status_t status, bool drop) {
  pod_status_free(call->status);
  call->status = status;
  call->state = RPC_CALL_ENDED;
  call->drop_messages |= drop;
  rpc_outbox_clear(&call->outbox);
  if (drop) {
    drop_messages(call);
    rpc_alarm_cancel(call->loop, &call->deadline);
  }
  rpc_call_queue(call);
}

void rpc_call_fail(rpc_call_t *call, pod_status_t status) {
  if (call->state == RPC_CALL_ENDED) {
    pod_status_free(status);
    return;
  }
  end(call, status, true);
}

void rpc_call_abort(rpc_call_t *call, pod_status_t status) {
  if (call->state == RPC_CALL_ENDED && call->drop_messages) {
    pod_status_free(status);
    return;
  }
  if (call->connection != NULL && call->state != RPC_CALL_ENDED) {
    if (rpc_call_is_client(call)) {
      rpc_session_reset(call->connection, call, NGHTTP2_CANCEL);
    } else {
      rpc_session_send_status(call->connection, call, status);
    }
  }
  end(call, status, true);
}

void rpc_call_end_now(rpc_call_t *call, pod_status_t status) {
  rpc_call_abort(call, status);
  status = call->status;
  call->status = NULL;
  const bool silent = call->silent || (!rpc_call_is_client(call) && !call->started);
  const bool pinned = call->pinned;
  call->pinned = true;
  if (call->unary_done != NULL) {
    call->unary_done(NULL, status, call->context);
  } else if (call->events.on_end != NULL && !silent) {
    call->events.on_end(call, status, call->context);
  } else {
    pod_status_free(status);
  }
  call->pinned = pinned;
  release(call);
}

static void on_deadline(rpc_alarm_t *alarm) {
  rpc_call_t *call =
      (rpc_call_t *)(void *)((char *)alarm - offsetof(rpc_call_t, deadline));
  if (call->state == RPC_CALL_ENDED && !call->paused) {
    return;  // About to be reported.
  }
  rpc_call_abort(call, pod_error(POD_DEADLINE_EXCEEDED,
                                 "the deadline of the call to %s passed", path_of(call)));
}

void rpc_call_set_deadline(rpc_call_t *call, int64_t timeout_ns) {
  const int64_t now_ns = pod_clock_now_ns();
  if (timeout_ns >= INT64_MAX - now_ns) {
    return;
  }
  call->deadline_ns = now_ns + timeout_ns;
  call->deadline.fn = on_deadline;
  rpc_alarm_set(call->loop, &call->deadline, call->deadline_ns);
}

// --- What the session reports ---

void rpc_call_receive(rpc_call_t *call, const uint8_t *data, size_t size_bytes) {
  rpc_inbox_t *inbox = &call->inbox;
  if (call->state == RPC_CALL_ENDED || call->state == RPC_CALL_FINISHING) {
    give_back(call, 0, size_bytes);  // Nobody wants it any more.
    return;
  }
  const rpc_block_t *last = inbox->last;
  const size_t whole_before = inbox->whole_bytes;
  const pod_status_t status =
      rpc_inbox_add(inbox, call->loop->pool, call->message_bytes_max, data, size_bytes);
  call->connection->held_bytes += inbox->whole_bytes - whole_before;
  if (status != NULL) {
    rpc_call_abort(call, status);
    return;
  }
  const size_t held_bytes_max = call->connection->endpoint->held_bytes_max;
  if (call->connection->held_bytes > held_bytes_max + held_bytes_max / 2) {
    rpc_call_abort(call, pod_error(POD_RESOURCE_EXHAUSTED,
                                   "messages that take more than %zu bytes wait for the "
                                   "calls of this connection",
                                   held_bytes_max + held_bytes_max / 2));
    return;
  }
  if (inbox->last != last) {
    rpc_call_queue(call);
  }
  const size_t early = rpc_inbox_take_early(inbox, RPC_WINDOW_BYTES / 2);
  if (early > 0) {
    give_back(call, 0, early);
  }
}

void rpc_call_on_peer_half_close(rpc_call_t *call) {
  call->peer_half_closed = true;
  if (rpc_call_is_client(call)) {
    rpc_call_fail(call,
                  pod_error(POD_INTERNAL, "%s ended the call to %s without a status",
                            rpc_call_peer_address(call), call->path));
    return;
  }
  if (rpc_inbox_is_inside_message(&call->inbox) && call->state == RPC_CALL_OPEN &&
      call->refusal == NULL) {
    rpc_call_abort(call, pod_error(POD_INTERNAL, "the request ended inside a message"));
  }
  rpc_call_queue(call);
}

// The outcome that the peer's last headers tell.
static pod_status_t peer_status(rpc_call_t *call) {
  if (!call->has_peer_code) {
    return pod_error(rpc_code_of_http_status(call->http_status),
                     "%s answered with HTTP status %d and no gRPC status",
                     rpc_call_peer_address(call), call->http_status);
  }
  if (call->peer_code != POD_OK) {
    return pod_error_text(__FILE__, __LINE__, call->peer_code,
                          call->peer_message != NULL ? call->peer_message : "");
  }
  if (rpc_inbox_is_inside_message(&call->inbox)) {
    return pod_error(POD_INTERNAL, "%s ended the call inside a message",
                     rpc_call_peer_address(call));
  }
  return NULL;
}

void rpc_call_on_peer_headers(rpc_call_t *call, bool end_of_stream) {
  if (!rpc_call_is_client(call)) {
    rpc_call_queue(call);
    return;
  }
  if (call->state == RPC_CALL_ENDED) {
    return;
  }
  if (end_of_stream) {
    end(call, peer_status(call), false);
    return;
  }
  if (call->header_bytes > RPC_HEADER_BYTES_MAX) {
    rpc_call_abort(call,
                   pod_error(POD_RESOURCE_EXHAUSTED,
                             "the headers of the response are over the bound of %d bytes",
                             RPC_HEADER_BYTES_MAX));
  } else if (call->http_status != 200 || !call->is_grpc) {
    rpc_call_abort(call, pod_error(rpc_code_of_http_status(call->http_status),
                                   "%s does not speak gRPC: HTTP status %d",
                                   rpc_call_peer_address(call), call->http_status));
  } else {
    call->headers_due = true;
    rpc_call_queue(call);
  }
}

void rpc_call_on_status_sent(rpc_call_t *call) {
  if (call->state == RPC_CALL_FINISHING) {
    end(call, NULL, true);
  }
}

static pod_status_t reset_status(const rpc_call_t *call, uint32_t http2_error) {
  const bool timed_out =
      http2_error == NGHTTP2_CANCEL && rpc_call_remaining_ms(call) == 0;
  if (timed_out) {
    return pod_error(POD_DEADLINE_EXCEEDED, "the deadline of the call passed");
  }
  if (http2_error == NGHTTP2_CANCEL) {
    return pod_error(POD_CANCELLED, "%s cancelled the call", rpc_call_peer_address(call));
  }
  return pod_error(rpc_code_of_http2_error(http2_error), "%s reset the call's stream: %s",
                   rpc_call_peer_address(call), nghttp2_http2_strerror(http2_error));
}

void rpc_call_on_stream_closed(rpc_call_t *call, uint32_t http2_error) {
  rpc_connection_t *connection = call->connection;
  const bool unsent = rpc_call_is_client(call) && !call->requested &&
                      http2_error == NGHTTP2_REFUSED_STREAM &&
                      call->state == RPC_CALL_OPEN;
  if (call->state != RPC_CALL_ENDED && !unsent) {
    rpc_call_fail(call, reset_status(call, http2_error));
  }
  if (call->inbox.whole_bytes > 0) {
    // Messages that are still to be delivered count no longer: no window is left to
    // return.
    rpc_connection_give_back(connection, 0, call->inbox.whole_bytes, 0);
  }
  rpc_connection_detach(connection, call);
  if (unsent) {
    connection->endpoint->on_unsent(connection->endpoint, connection, call);
  }
}

void rpc_call_on_drained(rpc_call_t *call) {
  if (call->above_bound && call->outbox.bytes < RPC_SEND_QUEUE_BYTES / 2) {
    call->above_bound = false;
    call->writable_due = true;
    rpc_call_queue(call);
  }
}

// --- Delivery ---

// The first time the call comes by on the server. False when it needs no more attention.
static bool start(rpc_call_t *call) {
  if (call->state == RPC_CALL_ENDED) {
    release(call);  // Cancelled before its handler heard of it.
    return false;
  }
  call->started = true;
  pod_status_t refusal = call->refusal;
  call->refusal = NULL;
  if (call->refusal_http != 0) {
    pod_status_free(refusal);
    call->silent = true;
    rpc_session_send_http_status(call->connection, call);
    end(call, NULL, true);
    return true;
  }
  if (refusal == NULL && call->server->authorize != NULL) {
    refusal = call->server->authorize(call, call->method->path,
                                      call->server->authorize_context);
    if (refusal != NULL) {
      rpc_server_count(call->server->counts.unauthorized, refusal);
    }
  }
  if (refusal == NULL && call->method->on_start != NULL) {
    call->context = call->service;
    void *context = call->service;
    refusal = call->method->on_start(call, call->service, &context);
    call->context = context;
  } else {
    call->context = call->service;
  }
  if (refusal != NULL) {
    rpc_server_count(call->server->counts.ended, refusal);
    call->silent = true;
    rpc_call_abort(call, refusal);
  }
  return !call->released;
}

static void deliver_message(rpc_call_t *call, rpc_block_t *block) {
  const size_t whole_bytes = rpc_inbox_cost(block);
  const size_t window_bytes = block->held_bytes;
  call->got_message = true;
  if (!rpc_call_is_client(call)) {
    rpc_server_begin_call(call);
  }
  if (call->incoming == NULL) {
    const rpc_bytes_t bytes = {block->data, block->size_bytes};
    if (call->events.on_message != NULL) {
      call->events.on_message(call, &bytes, call->context);
    }
  } else {
    rpc_decoder_t *decoder = call->loop->decoder;
    const ProtobufCMessage *message =
        rpc_decode(decoder, call->incoming, block->data, block->size_bytes);
    if (message == NULL) {
      rpc_call_abort(
          call, pod_error(POD_INTERNAL, "%zu bytes from %s are no %s", block->size_bytes,
                          rpc_call_peer_address(call), call->incoming->name));
    } else if (call->events.on_message != NULL) {
      call->events.on_message(call, message, call->context);
    }
    rpc_decoder_release(decoder);
  }
  rpc_block_release(block);
  if (!call->released) {
    // A large message behind this one may now go on arriving.
    const size_t early = rpc_inbox_take_early(&call->inbox, RPC_WINDOW_BYTES / 2);
    give_back(call, whole_bytes, window_bytes + early);
  }
}

static void deliver_half_close(rpc_call_t *call) {
  call->half_close_reported = true;
  rpc_server_begin_call(call);
  if (call->events.on_half_close != NULL) {
    call->events.on_half_close(call, call->context);
  } else if (!call->got_message) {
    // The handler waits for a request that will never come.
    rpc_call_abort(call, pod_error(POD_INTERNAL, "the call to %s ended without a request",
                                   call->method->path));
  }
}

// A unary call keeps its one response until the outcome is known.
static void report_unary(rpc_call_t *call) {
  rpc_decoder_t *decoder = call->loop->decoder;
  pod_status_t status = call->status;
  call->status = NULL;
  rpc_block_t *block = rpc_inbox_pop(&call->inbox);
  if (block != NULL && call->connection != NULL) {
    give_back(call, rpc_inbox_cost(block), block->held_bytes);
  }
  if (status == NULL && (block == NULL || call->inbox.first != NULL)) {
    status = pod_error(POD_INTERNAL, "%s answered the unary call to %s with %s",
                       rpc_call_peer_address(call), call->path,
                       block == NULL ? "no message" : "several messages");
  }
  const void *response = NULL;
  rpc_bytes_t bytes = {0};
  if (status == NULL && call->incoming == NULL) {
    bytes = (rpc_bytes_t){block->data, block->size_bytes};
    response = &bytes;
  } else if (status == NULL) {
    response = rpc_decode(decoder, call->incoming, block->data, block->size_bytes);
    if (response == NULL) {
      rpc_decoder_release(decoder);
      status = pod_error(POD_INTERNAL, "%zu bytes from %s are no %s", block->size_bytes,
                         rpc_call_peer_address(call), call->incoming->name);
    }
  }
  call->unary_done(response, status, call->context);
  if (response != NULL && call->incoming != NULL) {
    rpc_decoder_release(decoder);
  }
  rpc_block_release(block);
  if (!call->released) {
    release(call);
  }
}

static void report_end(rpc_call_t *call) {
  if (call->unary_done != NULL) {
    report_unary(call);
    return;
  }
  pod_status_t status = call->status;
  call->status = NULL;
  if (call->events.on_end != NULL && !call->silent) {
    call->events.on_end(call, status, call->context);
  } else {
    pod_status_free(status);
  }
  if (!call->released) {
    release(call);
  }
}

// Of a method with one request: that it has come, and nothing behind it. A call with more
// is ended before its handler hears of anything.
static bool has_its_request(rpc_call_t *call) {
  if (rpc_call_is_client(call) || !call->method->one_request || call->got_message ||
      call->inbox.first == NULL) {
    return true;
  }
  if (call->inbox.first->next != NULL || rpc_inbox_is_inside_message(&call->inbox)) {
    rpc_call_abort(call,
                   pod_error(POD_UNIMPLEMENTED, "too many request messages: %s takes one",
                             call->method->path));
    return false;
  }
  return call->peer_half_closed;
}

static bool may_deliver(const rpc_call_t *call) {
  return !call->released && !call->paused && !call->drop_messages &&
         call->unary_done == NULL;
}

static void deliver_all(rpc_call_t *call) {
  if (!rpc_call_is_client(call) && !call->started && !start(call)) {
    return;
  }
  if (call->headers_due && !call->drop_messages) {
    call->headers_due = false;
    if (call->events.on_headers != NULL) {
      call->events.on_headers(call, call->context);
    }
  }
  while (may_deliver(call) && has_its_request(call) && call->inbox.first != NULL) {
    deliver_message(call, rpc_inbox_pop(&call->inbox));
  }
  if (may_deliver(call) && call->peer_half_closed && !call->half_close_reported &&
      call->state == RPC_CALL_OPEN) {
    deliver_half_close(call);
  }
  if (!call->released && call->writable_due) {
    call->writable_due = false;
    if (call->state <= RPC_CALL_OPEN && !call->half_closed &&
        call->events.on_writable != NULL) {
      call->events.on_writable(call, call->context);
    }
  }
  if (!call->released && call->state == RPC_CALL_ENDED &&
      (call->drop_messages || call->unary_done != NULL || call->inbox.first == NULL)) {
    report_end(call);
  }
}

static void deliver(rpc_task_t *task) {
  rpc_call_t *call = (rpc_call_t *)task;
  call->pinned = true;
  deliver_all(call);
  call->pinned = false;
  if (call->released) {
    free_call(call);
  }
}

rpc_call_t *rpc_call_create(rpc_endpoint_t *endpoint) {
  rpc_call_t *call = pod_alloc(sizeof(*call));
  call->deliver.fn = deliver;
  call->loop = endpoint->loop;
  call->endpoint = endpoint;
  call->message_bytes_max = endpoint->message_bytes_max;
  rpc_ring_add(&endpoint->loose, call);
  call->deadline_ns = INT64_MAX;
  return call;
}

void rpc_call_cancel(rpc_call_t *call) {
  rpc_call_abort(call, pod_error(POD_CANCELLED, "the call was cancelled"));
}

// --- Server ---

void rpc_call_finish(rpc_call_t *call, pod_status_t status) {
  if (call->state != RPC_CALL_OPEN || call->released) {
    pod_status_free(status);  // It was cancelled or lost meanwhile; on_end says so.
    return;
  }
  call->state = RPC_CALL_FINISHING;
  call->status = status;
  rpc_server_count(call->server->counts.ended, status);
  drop_messages(call);
  if (!call->responded && call->outbox.bytes == 0) {
    rpc_session_send_status(call->connection, call, status);
  } else {
    rpc_call_wake_sender(call);
  }
}

void rpc_call_reply(rpc_call_t *call, const ProtobufCMessage *message) {
  rpc_call_send(call, message);
  rpc_call_finish(call, NULL);
}

void rpc_call_add_metadata(rpc_call_t *call, const rpc_metadata_t *metadata,
                           bool trailing) {
  const pod_status_t status = rpc_headers_add_own(&call->own_headers, metadata, trailing);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "dropped: %s", pod_status_message(status));
    pod_status_free(status);
  }
}

// --- Either end ---

void rpc_call_pause(rpc_call_t *call) {
  call->paused = true;
}

void rpc_call_resume(rpc_call_t *call) {
  if (call->paused) {
    call->paused = false;
    rpc_call_queue(call);
  }
}

const rpc_metadata_t *rpc_call_peer_metadata(const rpc_call_t *call, const char *key,
                                             bool trailing) {
  for (rpc_header_t *header = call->peer_headers.first; header != NULL;
       header = header->next) {
    if (header->trailing == trailing && strcmp(header->key, key) == 0) {
      header->metadata =
          (rpc_metadata_t){header->key, header->value, header->value_length};
      return &header->metadata;
    }
  }
  return NULL;
}

const char *rpc_call_peer_address(const rpc_call_t *call) {
  if (call->address != NULL) {
    return (const char *)call->address->data;
  }
  return call->channel != NULL ? rpc_channel_address(call->channel) : "nobody";
}

rpc_peer_t rpc_call_peer(const rpc_call_t *call) {
  rpc_peer_t peer = {0};
  if (call->peer != NULL) {
    memcpy(&peer, call->peer->data, sizeof(peer));
  }
  return peer;
}

int64_t rpc_call_remaining_ms(const rpc_call_t *call) {
  if (call->deadline_ns == INT64_MAX) {
    return INT64_MAX;
  }
  const int64_t left_ns = call->deadline_ns - pod_clock_now_ns();
  return left_ns <= 0 ? 0 : left_ns / NS_PER_MS;
}

void rpc_call_set_context(rpc_call_t *call, void *context) {
  call->context = context;
}
