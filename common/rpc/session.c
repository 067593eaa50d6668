// The HTTP/2 side of calls: headers in and out, DATA, and what nghttp2 reports.

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/channel.h"
#include "common/rpc/connection.h"
#include "common/rpc/wire.h"

enum {
  FRAME_BYTES_MAX = 1 << 20,  // What we let a peer send in one frame.
  FIXED_HEADERS_MAX = 10,
  // Cancelled calls are normal; a flood of them is an attack (CVE-2023-44487).
  RESETS_BURST = 10000,
  RESETS_PER_S = 1000,
  // So are PING and SETTINGS, which want an answer each, PRIORITY and empty DATA, unless
  // they come between our answers: clients measure the path by pings while they receive.
  IDLE_FRAMES_BURST = 10000,
  IDLE_FRAMES_PER_S = 1000,
  // A byte on the wire can stand for a header of 4 KiB (RFC 7541, 7.3), so that what is
  // counted is what the headers of a block come to. Most blocks are free; for what is
  // beyond, so much at once and so much a second.
  BLOCK_BYTES_FREE = 8 << 10,
  BLOCK_BYTES_BURST = 256 << 10,
  BLOCK_BYTES_PER_S = 256 << 10,
};

typedef struct header_list_t {
  nghttp2_nv entries[FIXED_HEADERS_MAX + RPC_METADATA_COUNT_MAX];
  size_t count;
} header_list_t;

static void add_header(header_list_t *list, const char *key, size_t key_length,
                       const char *value, size_t value_length, uint8_t flags) {
  POD_CHECK(list->count < POD_COUNT_OF(list->entries));
  list->entries[list->count++] = (nghttp2_nv){.name = (uint8_t *)(uintptr_t)key,
                                              .value = (uint8_t *)(uintptr_t)value,
                                              .namelen = key_length,
                                              .valuelen = value_length,
                                              .flags = flags};
}

// `key` is a literal; nghttp2 copies the value.
static void add_text(header_list_t *list, const char *key, const char *value) {
  add_header(list, key, strlen(key), value, strlen(value), NGHTTP2_NV_FLAG_NO_COPY_NAME);
}

static void add_literal(header_list_t *list, const char *key, const char *value) {
  add_header(list, key, strlen(key), value, strlen(value),
             NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE);
}

static void add_metadata(header_list_t *list, const rpc_call_t *call, bool trailing) {
  for (const rpc_header_t *header = call->own_headers.first; header != NULL;
       header = header->next) {
    if (header->trailing == trailing) {
      add_header(list, header->key, header->key_length, header->value,
                 header->value_length, NGHTTP2_NV_FLAG_NONE);
    }
  }
}

static rpc_call_t *call_of(nghttp2_session *session, int32_t stream_id) {
  return nghttp2_session_get_stream_user_data(session, stream_id);
}

// --- The status of a call ---

// A list of headers over the peer's bound would cost it the whole status, so the message
// is cut.
static size_t message_bytes_max(nghttp2_session *session) {
  const uint32_t peers =
      nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
  const size_t half = peers / 2;
  return half < RPC_STATUS_MESSAGE_BYTES_MAX ? half + 8 : RPC_STATUS_MESSAGE_BYTES_MAX;
}

static void submit_status(rpc_connection_t *connection, rpc_call_t *call,
                          pod_status_t status) {
  if (call->status_submitted) {
    return;
  }
  call->status_submitted = true;
  header_list_t list = {.count = 0};
  if (!call->responded) {
    add_literal(&list, ":status", "200");
    add_literal(&list, "content-type", "application/grpc");
    add_metadata(&list, call, false);
  }
  char code[4];
  snprintf(code, sizeof(code), "%u", (unsigned)pod_status_code(status) % 100);
  char *message = NULL;
  if (status == NULL) {
    add_literal(&list, "grpc-status", "0");
  } else {
    message = rpc_percent_encode(pod_status_message(status),
                                 message_bytes_max(connection->session));
    add_text(&list, "grpc-status", code);
    add_text(&list, "grpc-message", message);
  }
  if (list.count + call->own_headers.count <= POD_COUNT_OF(list.entries)) {
    add_metadata(&list, call, true);
  }
  // Fails only for a stream that is gone; then nobody is there to be told.
  if (call->responded) {
    nghttp2_submit_trailer(connection->session, call->stream_id, list.entries,
                           list.count);
  } else {
    nghttp2_submit_response(connection->session, call->stream_id, list.entries,
                            list.count, NULL);
  }
  free(message);
}

void rpc_session_send_status(rpc_connection_t *connection, rpc_call_t *call,
                             pod_status_t status) {
  submit_status(connection, call, status);
  rpc_connection_flush_later(connection);
}

void rpc_session_send_http_status(rpc_connection_t *connection, rpc_call_t *call) {
  char code[4];
  snprintf(code, sizeof(code), "%03u", (unsigned)call->refusal_http % 1000);
  header_list_t list = {.count = 0};
  add_text(&list, ":status", code);
  call->status_submitted = true;
  nghttp2_submit_response(connection->session, call->stream_id, list.entries, list.count,
                          NULL);
  rpc_connection_flush_later(connection);
}

// --- DATA out ---

static ssize_t provide(nghttp2_session *session, int32_t stream_id, uint8_t *buffer,
                       size_t length, uint32_t *data_flags, nghttp2_data_source *source,
                       void *user_data) {
  (void)buffer;
  (void)source;
  rpc_connection_t *connection = user_data;
  rpc_call_t *call = call_of(session, stream_id);
  if (call == NULL) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  const size_t bytes = rpc_outbox_frame_bytes(&call->outbox, length);
  const bool last = bytes == call->outbox.bytes;
  if (bytes > 0) {
    *data_flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  }
  if (last && call->state == RPC_CALL_FINISHING) {
    *data_flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    submit_status(connection, call, call->status);
  } else if (last && call->half_closed) {
    *data_flags |= NGHTTP2_DATA_FLAG_EOF;
  } else if (bytes == 0) {
    call->provider_asleep = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return (ssize_t)bytes;
}

static ssize_t frame_bytes(nghttp2_session *session, uint8_t frame_type,
                           int32_t stream_id, int32_t session_window,
                           int32_t stream_window, uint32_t peers_max, void *user_data) {
  (void)session;
  (void)frame_type;
  (void)stream_id;
  (void)session_window;
  (void)stream_window;
  (void)user_data;
  return peers_max < RPC_FRAME_BYTES_MAX ? peers_max : RPC_FRAME_BYTES_MAX;
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame,
                     const uint8_t *header, size_t length, nghttp2_data_source *source,
                     void *user_data) {
  (void)source;
  rpc_connection_t *connection = user_data;
  rpc_call_t *call = call_of(session, frame->hd.stream_id);
  if (rpc_output_is_full(&connection->output)) {
    return NGHTTP2_ERR_WOULDBLOCK;
  }
  if (call == NULL || call->outbox.bytes < length) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // It ended since provide().
  }
  enum { FRAME_HEADER_BYTES = 9 };
  rpc_output_add_frame(&connection->output, header, FRAME_HEADER_BYTES, &call->outbox,
                       length);
  rpc_call_on_drained(call);
  connection->idle_frames.count = 0;
  return 0;
}

void rpc_session_resume(rpc_connection_t *connection, rpc_call_t *call) {
  call->provider_asleep = false;
  // Fails only for a stream that is gone.
  nghttp2_session_resume_data(connection->session, call->stream_id);
  rpc_connection_flush_later(connection);
}

void rpc_session_respond(rpc_connection_t *connection, rpc_call_t *call) {
  header_list_t list = {.count = 0};
  add_literal(&list, ":status", "200");
  add_literal(&list, "content-type", "application/grpc");
  add_metadata(&list, call, false);
  call->responded = true;
  const nghttp2_data_provider provider = {.read_callback = provide};
  nghttp2_submit_response(connection->session, call->stream_id, list.entries, list.count,
                          &provider);
  rpc_connection_flush_later(connection);
}

bool rpc_session_request(rpc_connection_t *connection, rpc_call_t *call) {
  header_list_t list = {.count = 0};
  const char *address = rpc_connection_address(connection);
  const bool is_unix = strncmp(address, "unix:", 5) == 0;
  char timeout[RPC_TIMEOUT_TEXT_BYTES];
  add_literal(&list, ":method", "POST");
  add_literal(&list, ":scheme", connection->tls != NULL ? "https" : "http");
  add_text(&list, ":path", call->path);
  add_text(&list, ":authority", is_unix ? "localhost" : address);
  add_literal(&list, "te", "trailers");
  add_literal(&list, "content-type", "application/grpc");
  add_literal(&list, "user-agent", "grpc-c-podium/0.1");
  if (rpc_channel_authorization(call->channel) != NULL) {
    add_text(&list, "authorization", rpc_channel_authorization(call->channel));
  }
  if (rpc_channel_traceparent(call->channel) != NULL) {
    add_text(&list, "traceparent", rpc_channel_traceparent(call->channel));
  }
  if (call->deadline_ns != INT64_MAX) {
    const int64_t left_ns = call->deadline_ns - pod_clock_now_ns();
    const size_t length = rpc_timeout_format(left_ns > 0 ? left_ns : 1, timeout);
    // Never the same twice, so of no use in the table of header compression.
    add_header(&list, "grpc-timeout", strlen("grpc-timeout"), timeout, length,
               NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_INDEX);
  }
  add_metadata(&list, call, false);
  const nghttp2_data_provider provider = {.read_callback = provide};
  const int32_t stream_id = nghttp2_submit_request(
      connection->session, NULL, list.entries, list.count, &provider, call);
  if (stream_id < 0) {
    return false;
  }
  call->stream_id = stream_id;
  rpc_connection_flush_later(connection);
  return true;
}

void rpc_session_reset(rpc_connection_t *connection, rpc_call_t *call,
                       uint32_t http2_error) {
  nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, call->stream_id,
                            http2_error);
  rpc_connection_flush_later(connection);
}

// --- Headers in ---

// False when the peer's headers come to more than it may have us read.
static bool may_read_header(rpc_connection_t *connection, size_t bytes) {
  rpc_header_budget_t *budget = &connection->header_budget;
  budget->block_bytes += bytes;
  if (budget->block_bytes <= BLOCK_BYTES_FREE) {
    return true;
  }
  const int64_t now_ms = (int64_t)uv_now(&connection->loop->uv);
  const int64_t earned = (now_ms - budget->since_ms) * BLOCK_BYTES_PER_S / 1000;
  const int64_t left = budget->spent_bytes - earned;
  budget->spent_bytes = (left > 0 ? left : 0) + (int64_t)bytes;
  budget->since_ms = now_ms;
  return budget->spent_bytes <= BLOCK_BYTES_BURST;
}

// The connection goes; see parse_run.
static int turn_out(nghttp2_session *session) {
  nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
  return NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame,
                            void *user_data) {
  rpc_connection_t *connection = user_data;
  const int32_t stream_id = frame->hd.stream_id;
  connection->header_budget.block_bytes = 0;
  if (frame->hd.type != NGHTTP2_HEADERS) {
    return 0;
  }
  rpc_call_t *call = call_of(session, stream_id);
  if (call != NULL) {
    call->header_bytes = 0;
  } else if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    if (connection->draining) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream_id,
                                NGHTTP2_REFUSED_STREAM);
      return 0;
    }
    call = rpc_call_create(connection->endpoint);
    call->stream_id = stream_id;
    call->state = RPC_CALL_OPEN;
    rpc_connection_attach(connection, call);
    nghttp2_session_set_stream_user_data(session, stream_id, call);
  }
  return 0;
}

static bool is(const char *text, size_t length, const char *literal) {
  return length == strlen(literal) && memcmp(text, literal, length) == 0;
}

static bool begins(const char *text, size_t length, const char *literal) {
  return length >= strlen(literal) && memcmp(text, literal, strlen(literal)) == 0;
}

// What both ends treat alike. False for a header that is the user's.
static bool take_common_header(rpc_call_t *call, const char *key, size_t key_length,
                               const char *value, size_t value_length) {
  if (is(key, key_length, "content-type")) {
    call->is_grpc = rpc_content_type_is_grpc(value, value_length);
    return true;
  }
  return key[0] == ':' || is(key, key_length, "te") ||
         is(key, key_length, "user-agent") || is(key, key_length, "accept-encoding") ||
         begins(key, key_length, "grpc-");
}

static void refuse(rpc_call_t *call, pod_status_t status) {
  if (call->refusal == NULL) {
    call->refusal = status;
  } else {
    pod_status_free(status);
  }
}

static void take_request_header(rpc_connection_t *connection, rpc_call_t *call,
                                const char *key, size_t key_length, const char *value,
                                size_t value_length) {
  if (is(key, key_length, ":path")) {
    if (!connection->endpoint->on_request(connection->endpoint, call, value,
                                          value_length)) {
      call->path = pod_strdup(value);
      refuse(call, pod_error(POD_UNIMPLEMENTED, "no method %s here", value));
    }
  } else if (is(key, key_length, ":method")) {
    call->is_post = is(value, value_length, "POST");
  } else if (is(key, key_length, "grpc-timeout")) {
    int64_t timeout_ns = 0;
    if (rpc_timeout_parse(value, value_length, &timeout_ns)) {
      rpc_call_set_deadline(call, timeout_ns);
    } else {
      refuse(call, pod_error(POD_INVALID_ARGUMENT, "'%s' is no grpc-timeout", value));
    }
  } else if (is(key, key_length, "grpc-encoding")) {
    if (!is(value, value_length, "identity")) {
      refuse(call, pod_error(POD_UNIMPLEMENTED,
                             "no grpc-encoding '%s' here; use identity", value));
    }
  } else if (!take_common_header(call, key, key_length, value, value_length)) {
    rpc_headers_add_peer(&call->peer_headers, key, key_length, value, value_length,
                         false);
  }
}

static void take_response_header(rpc_call_t *call, const char *key, size_t key_length,
                                 const char *value, size_t value_length, bool trailing) {
  if (is(key, key_length, ":status")) {
    call->http_status = (int)strtol(value, NULL, 10);
  } else if (is(key, key_length, "grpc-status")) {
    call->has_peer_code = true;
    call->peer_code = rpc_code_parse(value, value_length);
  } else if (is(key, key_length, "grpc-message")) {
    free(call->peer_message);
    call->peer_message = rpc_percent_decode(value, value_length);
  } else if (!take_common_header(call, key, key_length, value, value_length)) {
    rpc_headers_add_peer(&call->peer_headers, key, key_length, value, value_length,
                         trailing);
  }
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame,
                     const uint8_t *name, size_t name_length, const uint8_t *value,
                     size_t value_length, uint8_t flags, void *user_data) {
  (void)flags;
  rpc_connection_t *connection = user_data;
  rpc_call_t *call = call_of(session, frame->hd.stream_id);
  if (!may_read_header(connection, name_length + value_length + RPC_HEADER_COST)) {
    return turn_out(session);
  }
  if (call == NULL || frame->hd.type != NGHTTP2_HEADERS ||
      call->state == RPC_CALL_ENDED) {
    return 0;
  }
  call->header_bytes += name_length + value_length + RPC_HEADER_COST;
  if (call->header_bytes > RPC_HEADER_BYTES_MAX) {
    return 0;  // Refused when the block is complete.
  }
  const char *key = (const char *)name;
  if (connection->endpoint->is_server) {
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      take_request_header(connection, call, key, name_length, (const char *)value,
                          value_length);
    }
    return 0;  // What a client sends behind its messages has no meaning in gRPC.
  }
  take_response_header(call, key, name_length, (const char *)value, value_length,
                       (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0);
  return 0;
}

// What nghttp2 finds invalid costs as much to read.
static int on_invalid_header(nghttp2_session *session, const nghttp2_frame *frame,
                             const uint8_t *name, size_t name_length,
                             const uint8_t *value, size_t value_length, uint8_t flags,
                             void *user_data) {
  (void)frame;
  (void)name;
  (void)value;
  (void)flags;
  return may_read_header(user_data, name_length + value_length + RPC_HEADER_COST)
             ? 0  // It is ignored.
             : turn_out(session);
}

// What the calls of a connection keep for their handlers: they are many, and may last.
static void count_metadata(rpc_call_t *call) {
  rpc_connection_t *connection = call->connection;
  const size_t bytes = call->peer_headers.bytes;
  if (connection->metadata_bytes + bytes > RPC_HELD_METADATA_BYTES_MAX) {
    rpc_headers_clear(&call->peer_headers);
    refuse(call, pod_error(POD_RESOURCE_EXHAUSTED,
                           "the metadata of the calls of this connection are over the "
                           "bound of %d bytes: let some end first, or send less",
                           RPC_HELD_METADATA_BYTES_MAX));
    return;
  }
  call->counted_bytes = bytes;
  connection->metadata_bytes += bytes;
}

static void end_request_headers(rpc_call_t *call) {
  if (!call->is_post) {
    call->refusal_http = 405;
  } else if (!call->is_grpc) {
    call->refusal_http = 415;
  }
  if (call->header_bytes > RPC_HEADER_BYTES_MAX) {
    refuse(call, pod_error(POD_RESOURCE_EXHAUSTED,
                           "the headers of the request are over the bound of %d bytes",
                           RPC_HEADER_BYTES_MAX));
  } else if (call->method == NULL) {
    refuse(call, pod_error(POD_UNIMPLEMENTED, "the request names no method"));
  }
  count_metadata(call);
  rpc_call_on_peer_headers(call, false);
}

static void end_response_headers(nghttp2_session *session, rpc_call_t *call,
                                 bool end_of_stream) {
  if (!end_of_stream && call->http_status >= 100 && call->http_status < 200) {
    return;  // More to come (RFC 9110, 15.2).
  }
  rpc_call_on_peer_headers(call, end_of_stream);
  if (end_of_stream &&
      nghttp2_session_get_stream_local_close(session, call->stream_id) == 0) {
    // The server wants none of what we may still have to send.
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, call->stream_id,
                              NGHTTP2_NO_ERROR);
  }
}

// --- Frames ---

static bool is_idle_frame(const nghttp2_frame_hd *header) {
  const bool is_ack = (header->flags & NGHTTP2_FLAG_ACK) != 0;
  switch (header->type) {
    case NGHTTP2_PING:
    case NGHTTP2_SETTINGS:
      return !is_ack;
    case NGHTTP2_DATA:
      return header->length == 0 && (header->flags & NGHTTP2_FLAG_END_STREAM) == 0;
    default:
      return header->type == NGHTTP2_PRIORITY;
  }
}

// False when there are more of them than anybody needs.
static bool may_idle(rpc_connection_t *connection) {
  rpc_idle_frames_t *frames = &connection->idle_frames;
  const int64_t now_ms = (int64_t)uv_now(&connection->loop->uv);
  const int64_t left =
      frames->count - (now_ms - frames->since_ms) * IDLE_FRAMES_PER_S / 1000;
  frames->count = (left > 0 ? left : 0) + 1;
  frames->since_ms = now_ms;
  return frames->count <= IDLE_FRAMES_BURST;
}

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *header,
                          void *user_data) {
  rpc_connection_t *connection = user_data;
  if (is_idle_frame(header) && !may_idle(connection)) {
    return turn_out(session);
  }
  connection->data_call = NULL;
  connection->data_left = 0;
  if (header->type == NGHTTP2_DATA && (header->flags & NGHTTP2_FLAG_PADDED) == 0) {
    connection->data_call = call_of(session, header->stream_id);
    connection->data_left = header->length;
  }
  return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id,
                   const uint8_t *data, size_t length, void *user_data) {
  (void)flags;
  rpc_connection_t *connection = user_data;
  connection->data_left -=
      length < connection->data_left ? length : connection->data_left;
  if (connection->held_bytes > connection->endpoint->held_bytes_max) {
    connection->owed_bytes += length;
  } else {
    nghttp2_session_consume_connection(session, length);
  }
  rpc_call_t *call = call_of(session, stream_id);
  if (call != NULL) {
    rpc_call_receive(call, data, length);
  } else {
    nghttp2_session_consume_stream(session, stream_id, length);
  }
  return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame,
                    void *user_data) {
  rpc_connection_t *connection = user_data;
  const bool end_of_stream = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame->hd.type == NGHTTP2_SETTINGS) {
    connection->settings_seen |= (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0;
    return 0;
  }
  if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
    rpc_connection_note_progress(connection);
    return 0;
  }
  if (frame->hd.type == NGHTTP2_GOAWAY) {
    connection->goaway_seen = true;
    connection->goaway_error = frame->goaway.error_code;
    return 0;
  }
  rpc_call_t *call = call_of(session, frame->hd.stream_id);
  if (call == NULL ||
      (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) {
    return 0;
  }
  if (frame->hd.type == NGHTTP2_HEADERS) {
    if (!connection->endpoint->is_server) {
      end_response_headers(session, call, end_of_stream);
      return 0;
    }
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      end_request_headers(call);
    }
  }
  if (end_of_stream) {
    rpc_call_on_peer_half_close(call);
  }
  return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame,
                         void *user_data) {
  rpc_connection_t *connection = user_data;
  if (frame->hd.type != NGHTTP2_HEADERS) {
    return 0;
  }
  connection->idle_frames.count = 0;
  const int32_t stream_id = frame->hd.stream_id;
  rpc_call_t *call = call_of(session, stream_id);
  if (!connection->endpoint->is_server) {
    if (call != NULL) {
      call->requested = true;
    }
    return 0;
  }
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
    return 0;
  }
  if (call != NULL) {
    rpc_call_on_status_sent(call);
  }
  if (nghttp2_session_get_stream_remote_close(session, stream_id) == 0) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream_id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

// nghttp2 gave a frame up. Requests it may not start any more close with REFUSED_STREAM
// and go another way; anything else must not be tried again, nor leave the peer waiting.
static int on_frame_not_sent(nghttp2_session *session, const nghttp2_frame *frame,
                             int error, void *user_data) {
  rpc_connection_t *connection = user_data;
  if (frame->hd.type != NGHTTP2_HEADERS ||
      error == NGHTTP2_ERR_START_STREAM_NOT_ALLOWED ||
      error == NGHTTP2_ERR_STREAM_CLOSING || error == NGHTTP2_ERR_STREAM_CLOSED ||
      error == NGHTTP2_ERR_STREAM_SHUT_WR) {
    return 0;
  }
  rpc_call_t *call = call_of(session, frame->hd.stream_id);
  if (call != NULL) {
    rpc_call_fail(call, pod_error(POD_INTERNAL, "cannot send the headers: %s",
                                  nghttp2_strerror(error)));
  }
  if (connection->endpoint->is_server) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                              NGHTTP2_INTERNAL_ERROR);
  }
  return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id,
                           uint32_t error_code, void *user_data) {
  (void)user_data;
  rpc_call_t *call = call_of(session, stream_id);
  if (call != NULL) {
    rpc_call_on_stream_closed(call, error_code);
  }
  return 0;
}

// --- The session ---

static nghttp2_session_callbacks *make_callbacks(void) {
  nghttp2_session_callbacks *callbacks = NULL;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) {
    return NULL;
  }
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_sent);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, frame_bytes);
  return callbacks;
}

static int submit_settings(rpc_connection_t *connection) {
  const bool is_server = connection->endpoint->is_server;
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, RPC_WINDOW_BYTES},
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_BYTES_MAX},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, RPC_HEADER_BYTES_MAX},
      is_server ? (nghttp2_settings_entry){NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                           connection->endpoint->streams_max}
                : (nghttp2_settings_entry){NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  };
  const int error = nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE,
                                            settings, POD_COUNT_OF(settings));
  if (error != 0) {
    return error;
  }
  return nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0,
                                               RPC_CONNECTION_WINDOW_BYTES);
}

pod_status_t rpc_session_create(rpc_connection_t *connection) {
  nghttp2_session_callbacks *callbacks = make_callbacks();
  nghttp2_option *option = NULL;
  int error = callbacks == NULL ? NGHTTP2_ERR_NOMEM : nghttp2_option_new(&option);
  if (error == 0) {
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_stream_reset_rate_limit(option, RESETS_BURST, RESETS_PER_S);
    error = connection->endpoint->is_server
                ? nghttp2_session_server_new2(&connection->session, callbacks, connection,
                                              option)
                : nghttp2_session_client_new2(&connection->session, callbacks, connection,
                                              option);
  }
  if (error == 0) {
    error = submit_settings(connection);
  }
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  return error == 0
             ? NULL
             : pod_error(POD_RESOURCE_EXHAUSTED, "cannot make an HTTP/2 session: %s",
                         nghttp2_strerror(error));
}
