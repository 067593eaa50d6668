// A channel keeps one connection and makes it anew: IDLE, CONNECTING, READY, FAILED, as
// gRPC's connectivity states are, with a doubling back-off (doc/connection-backoff.md of
// github.com/grpc/grpc). Calls wait in a list for the connection.

#include "common/rpc/channel.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/rpc/address.h"
#include "common/rpc/attempt.h"

enum {
  CONNECT_MS_DEFAULT = 10000,
  KEEPALIVE_MS_DEFAULT = 30000,
  KEEPALIVE_TIMEOUT_MS_DEFAULT = 10000,
  KEEPALIVE_MS_MAX = 600000,
  NS_PER_MS = 1000000,
  TOKEN_BYTES_MAX = 4096,
};

// A change of state that is still to be told.
typedef struct change_t change_t;
struct change_t {
  change_t *next;
  rpc_channel_state_t state;
  pod_status_t why;
};

struct rpc_channel_t {
  rpc_endpoint_t endpoint;  // First, so that the endpoint finds its channel.
  rpc_channel_options_t options;
  char *address;
  char *authorization;  // NULL: none.
  char *traceparent;    // NULL: none.
  rpc_channel_state_t state;
  rpc_attempt_t *attempt;
  rpc_connection_t *current;  // For new calls; READY, or CONNECTING without SETTINGS yet.
  rpc_connection_t *connections;  // With those that only end their calls.
  rpc_alarm_t backoff;
  uint64_t backoff_ms;
  pod_status_t last_failure;
  rpc_task_t report;
  change_t *changes, **last_change;
  bool pinned, released;  // on_state is on the stack; destroyed meanwhile.
};

const char *rpc_channel_address(const rpc_channel_t *channel) {
  return channel->address;
}

const char *rpc_channel_authorization(const rpc_channel_t *channel) {
  return channel->authorization;
}

const char *rpc_channel_traceparent(const rpc_channel_t *channel) {
  return channel->traceparent;
}

rpc_channel_state_t rpc_channel_state(const rpc_channel_t *channel) {
  return channel->state;
}

// --- States ---

static void report_changes(rpc_task_t *task) {
  rpc_channel_t *channel =
      (rpc_channel_t *)(void *)((char *)task - offsetof(rpc_channel_t, report));
  channel->pinned = true;
  while (channel->changes != NULL) {
    change_t *change = channel->changes;
    channel->changes = change->next;
    if (channel->changes == NULL) {
      channel->last_change = &channel->changes;
    }
    channel->options.on_state(channel, change->state, change->why,
                              channel->options.context);
    pod_status_free(change->why);
    free(change);
  }
  channel->pinned = false;
  if (channel->released) {
    free(channel);
  }
}

static void set_state(rpc_channel_t *channel, rpc_channel_state_t state) {
  if (channel->state == state) {
    return;
  }
  channel->state = state;
  if (channel->options.on_state == NULL) {
    return;
  }
  change_t *change = pod_alloc(sizeof(*change));
  change->state = state;
  change->why =
      state == RPC_CHANNEL_FAILED ? pod_status_copy(channel->last_failure) : NULL;
  *channel->last_change = change;
  channel->last_change = &change->next;
  rpc_task_queue(channel->endpoint.loop, RPC_PHASE_DELIVER, &channel->report);
}

// --- Waiting calls ---

static bool has_waiting(const rpc_channel_t *channel) {
  const rpc_call_t *call = channel->endpoint.loose;
  if (call == NULL) {
    return false;
  }
  do {
    if (call->state == RPC_CALL_WAITING) {
      return true;
    }
    call = call->next;
  } while (call != channel->endpoint.loose);
  return false;
}

static void begin_attempt(rpc_channel_t *channel);

// Puts the call on a connection, or where it waits for one.
static void place(rpc_channel_t *channel, rpc_call_t *call) {
  if (channel->state == RPC_CHANNEL_READY) {
    rpc_connection_t *connection = channel->current;
    rpc_connection_attach(connection, call);
    call->state = RPC_CALL_OPEN;
    if (rpc_session_request(connection, call)) {
      return;
    }
    // Its stream numbers are used up; another connection has new ones.
    rpc_connection_detach(connection, call);
    call->state = RPC_CALL_WAITING;
    channel->current = NULL;
    rpc_connection_drain(connection);
    set_state(channel, RPC_CHANNEL_IDLE);
  }
  if (channel->state == RPC_CHANNEL_FAILED && !call->wait_for_ready) {
    rpc_call_fail(call, pod_status_copy(channel->last_failure));
  } else if (channel->state == RPC_CHANNEL_IDLE) {
    begin_attempt(channel);
  }
}

static void place_waiting(rpc_channel_t *channel) {
  rpc_call_t *others = NULL;
  while (channel->endpoint.loose != NULL) {
    rpc_call_t *call = channel->endpoint.loose;
    if (call->state == RPC_CALL_WAITING && channel->state == RPC_CHANNEL_READY) {
      place(channel, call);
      if (call->connection != NULL) {
        continue;
      }
    }
    rpc_ring_remove(&channel->endpoint.loose, call);
    rpc_ring_add(&others, call);
  }
  channel->endpoint.loose = others;
}

static void fail_impatient(rpc_channel_t *channel) {
  rpc_call_t *call = channel->endpoint.loose;
  if (call == NULL) {
    return;
  }
  do {
    if (call->state == RPC_CALL_WAITING && !call->wait_for_ready) {
      rpc_call_fail(call, pod_status_copy(channel->last_failure));
    }
    call = call->next;
  } while (call != channel->endpoint.loose);
}

// --- Connecting ---

static void on_backoff_over(rpc_alarm_t *alarm) {
  rpc_channel_t *channel =
      (rpc_channel_t *)(void *)((char *)alarm - offsetof(rpc_channel_t, backoff));
  begin_attempt(channel);
}

// Takes `why`.
static void fail_attempt(rpc_channel_t *channel, pod_status_t why) {
  pod_status_free(channel->last_failure);
  channel->last_failure = why;
  set_state(channel, RPC_CHANNEL_FAILED);
  rpc_alarm_set_in_ms(channel->endpoint.loop, &channel->backoff, channel->backoff_ms);
  channel->backoff_ms = 2 * channel->backoff_ms < RPC_BACKOFF_MS_MAX
                            ? 2 * channel->backoff_ms
                            : RPC_BACKOFF_MS_MAX;
  fail_impatient(channel);
}

static pod_status_t add_connection(rpc_channel_t *channel, int fd) {
  rpc_loop_t *loop = channel->endpoint.loop;
  const size_t size = strlen(channel->address) + 1;
  rpc_block_t *text = rpc_block_create(loop->pool, size);
  POD_CHECK(text != NULL);
  memcpy(text->data, channel->address, size);
  rpc_address_tune(fd);
  rpc_connection_t *connection = NULL;
  POD_TRY(rpc_connection_create(&channel->endpoint, fd, text, &connection));
  connection->next = channel->connections;
  if (connection->next != NULL) {
    connection->next->previous = connection;
  }
  channel->connections = channel->current = connection;
  return NULL;
}

static void on_attempt_done(int fd, pod_status_t status, void *context) {
  rpc_channel_t *channel = context;
  channel->attempt = NULL;
  if (status == NULL) {
    status = add_connection(channel, fd);
  }
  if (status != NULL) {
    fail_attempt(channel, status);
  }
}

static void begin_attempt(rpc_channel_t *channel) {
  rpc_alarm_cancel(channel->endpoint.loop, &channel->backoff);
  set_state(channel, RPC_CHANNEL_CONNECTING);
  channel->attempt =
      rpc_attempt_start(channel->endpoint.loop, channel->address,
                        channel->endpoint.handshake_ms, on_attempt_done, channel);
}

pod_status_t rpc_channel_adopt(rpc_channel_t *channel, int fd) {
  set_state(channel, RPC_CHANNEL_CONNECTING);
  return add_connection(channel, fd);
}

void rpc_channel_connect(rpc_channel_t *channel) {
  if (channel->state == RPC_CHANNEL_IDLE) {
    begin_attempt(channel);
  }
}

// --- What connections report ---

static void on_ready(rpc_endpoint_t *endpoint, rpc_connection_t *connection) {
  rpc_channel_t *channel = (rpc_channel_t *)endpoint;
  if (channel->current != connection) {
    return;
  }
  channel->backoff_ms = RPC_BACKOFF_MS_MIN;
  set_state(channel, RPC_CHANNEL_READY);
  place_waiting(channel);
}

// New calls need another connection.
static void leave(rpc_channel_t *channel) {
  channel->current = NULL;
  set_state(channel, RPC_CHANNEL_IDLE);
  if (has_waiting(channel)) {
    begin_attempt(channel);
  }
}

static void on_goaway(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                      uint32_t http2_error) {
  rpc_channel_t *channel = (rpc_channel_t *)endpoint;
  if (http2_error == NGHTTP2_ENHANCE_YOUR_CALM) {
    // The server finds our pings too frequent; gRPC's keepalive guide says to double.
    const uint32_t doubled = 2 * endpoint->keepalive_ms;
    endpoint->keepalive_ms = doubled < KEEPALIVE_MS_MAX ? doubled : KEEPALIVE_MS_MAX;
  }
  if (channel->current == connection) {
    leave(channel);
  }
  if (connection->call_count == 0) {
    rpc_connection_flush_later(connection);  // Which closes it.
  }
}

static void on_unsent(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                      rpc_call_t *call) {
  rpc_channel_t *channel = (rpc_channel_t *)endpoint;
  call->state = RPC_CALL_WAITING;
  call->provider_asleep = false;
  connection->draining = true;
  if (channel->current == connection) {
    channel->current = NULL;
    set_state(channel, RPC_CHANNEL_IDLE);
  }
  place(channel, call);
}

static void on_closed(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                      pod_status_t why) {
  rpc_channel_t *channel = (rpc_channel_t *)endpoint;
  if (connection->previous != NULL) {
    connection->previous->next = connection->next;
  } else {
    channel->connections = connection->next;
  }
  if (connection->next != NULL) {
    connection->next->previous = connection->previous;
  }
  if (channel->current != connection) {
    pod_status_free(why);
    return;
  }
  channel->current = NULL;
  if (channel->state == RPC_CHANNEL_CONNECTING) {
    fail_attempt(channel, why != NULL
                              ? why
                              : pod_error(POD_UNAVAILABLE, "%s closed the connection",
                                          channel->address));
    return;
  }
  pod_status_free(why);
  leave(channel);
}

// --- Life ---

// 00-TRACE-SPAN-FLAGS in lower-case hexadecimal digits, of 2, 32, 16 and 2.
static bool is_traceparent(const char *text) {
  enum { LENGTH = 55, FIRST_DASH = 2, SECOND_DASH = 35, THIRD_DASH = 52 };
  for (int i = 0; i < LENGTH; i++) {
    const bool is_dash = i == FIRST_DASH || i == SECOND_DASH || i == THIRD_DASH;
    const bool is_hex =
        (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (is_dash ? text[i] != '-' : !is_hex) {
      return false;
    }
  }
  return text[LENGTH] == '\0';
}

static pod_status_t check_token(const char *token) {
  const size_t length = strlen(token);
  for (size_t i = 0; i < length; i++) {
    if (token[i] <= ' ' || token[i] > '~') {
      return pod_error(POD_INVALID_ARGUMENT,
                       "byte %zu of the bearer token is no printable ASCII", i);
    }
  }
  return length > 0 && length <= TOKEN_BYTES_MAX
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "a bearer token has 1 to %d bytes, this one has %zu",
                         TOKEN_BYTES_MAX, length);
}

pod_status_t rpc_channel_create(rpc_loop_t *loop, const char *address,
                                const rpc_channel_options_t *options,
                                rpc_channel_t **out_channel) {
  static const rpc_channel_options_t defaults;
  const rpc_channel_options_t *wanted = options != NULL ? options : &defaults;
  rpc_address_t parsed;
  rpc_host_port_t parts;
  bool is_numeric = false;
  POD_TRY(rpc_address_parse(address, &is_numeric, &parsed, &parts));
  if (wanted->bearer_token != NULL) {
    POD_TRY(check_token(wanted->bearer_token));
  }
  rpc_channel_t *channel = pod_alloc(sizeof(*channel));
  channel->options = *wanted;
  channel->options.bearer_token = NULL;
  channel->options.traceparent = NULL;
  if (wanted->traceparent != NULL && is_traceparent(wanted->traceparent)) {
    channel->traceparent = pod_strdup(wanted->traceparent);
  }
  if (wanted->bearer_token != NULL) {
    pod_text_t text = {0};
    pod_text_printf(&text, "Bearer %s", wanted->bearer_token);
    channel->authorization = pod_text_take(&text);
  }
  channel->endpoint = (rpc_endpoint_t){
      .loop = loop,
      .message_bytes_max = wanted->message_bytes_max != 0 ? wanted->message_bytes_max
                                                          : RPC_MESSAGE_BYTES_MAX,
      .held_bytes_max = wanted->held_bytes_max != 0 ? wanted->held_bytes_max
                                                    : RPC_CONNECTION_HELD_BYTES,
      .asks_when_unused = wanted->keeps_alive_unused,
      .keepalive_ms =
          wanted->keepalive_ms != 0 ? wanted->keepalive_ms : KEEPALIVE_MS_DEFAULT,
      .keepalive_timeout_ms = wanted->keepalive_timeout_ms != 0
                                  ? wanted->keepalive_timeout_ms
                                  : KEEPALIVE_TIMEOUT_MS_DEFAULT,
      .handshake_ms = wanted->connect_timeout_ms != 0 ? wanted->connect_timeout_ms
                                                      : CONNECT_MS_DEFAULT,
      .credentials = wanted->credentials,
      .on_ready = on_ready,
      .on_goaway = on_goaway,
      .on_unsent = on_unsent,
      .on_closed = on_closed,
  };
  channel->address = pod_strdup(address);
  channel->backoff.fn = on_backoff_over;
  channel->backoff_ms = RPC_BACKOFF_MS_MIN;
  channel->report.fn = report_changes;
  channel->last_change = &channel->changes;
  *out_channel = channel;
  return NULL;
}

static void end_calls(rpc_channel_t *channel, rpc_call_t *const *ring) {
  while (*ring != NULL) {
    rpc_call_end_now(*ring, pod_error(POD_CANCELLED, "the channel to %s was destroyed",
                                      channel->address));
  }
}

void rpc_channel_destroy(rpc_channel_t *channel) {
  if (channel == NULL) {
    return;
  }
  rpc_loop_t *loop = channel->endpoint.loop;
  rpc_attempt_cancel(channel->attempt);
  rpc_alarm_cancel(loop, &channel->backoff);
  rpc_task_cancel(&channel->report);
  end_calls(channel, &channel->endpoint.loose);
  while (channel->connections != NULL) {
    rpc_connection_t *connection = channel->connections;
    end_calls(channel, &connection->calls);
    channel->connections = connection->next;
    if (connection->next != NULL) {
      connection->next->previous = NULL;
    }
    rpc_connection_destroy(connection);
  }
  while (channel->changes != NULL) {
    change_t *change = channel->changes;
    channel->changes = change->next;
    pod_status_free(change->why);
    free(change);
  }
  pod_status_free(channel->last_failure);
  free(channel->address);
  free(channel->authorization);
  free(channel->traceparent);
  channel->released = true;
  if (!channel->pinned) {
    free(channel);
  }
}

// --- Calls ---

static rpc_call_t *make_call(rpc_channel_t *channel, const char *path,
                             const ProtobufCMessageDescriptor *response, void *context,
                             const rpc_call_options_t *options) {
  rpc_call_t *call = rpc_call_create(&channel->endpoint);
  call->channel = channel;
  call->path = pod_strdup(path);
  call->incoming = response;
  call->context = context;
  if (options == NULL) {
    return call;
  }
  call->wait_for_ready = options->wait_for_ready;
  if (options->timeout_ms > 0) {
    const int64_t ms = options->timeout_ms;
    rpc_call_set_deadline(call, ms > INT64_MAX / NS_PER_MS ? INT64_MAX : ms * NS_PER_MS);
  }
  for (size_t i = 0; i < options->metadata_count; i++) {
    const pod_status_t status =
        rpc_headers_add_own(&call->own_headers, &options->metadata[i], false);
    if (status != NULL) {
      rpc_call_fail(call, status);
    }
  }
  return call;
}

static void begin_call(rpc_channel_t *channel, rpc_call_t *call) {
  if (call->state == RPC_CALL_WAITING) {  // Else its metadata was refused.
    place(channel, call);
  }
}

rpc_call_t *rpc_call_start(rpc_channel_t *channel, const char *path,
                           const ProtobufCMessageDescriptor *response,
                           const rpc_call_events_t *events, void *context,
                           const rpc_call_options_t *options) {
  rpc_call_t *call = make_call(channel, path, response, context, options);
  call->events = *events;
  begin_call(channel, call);
  return call;
}

void rpc_unary(rpc_channel_t *channel, const char *path, const ProtobufCMessage *request,
               const ProtobufCMessageDescriptor *response,
               const rpc_call_options_t *options, rpc_unary_fn_t done, void *context) {
  rpc_call_t *call = make_call(channel, path, response, context, options);
  call->unary_done = done;
  begin_call(channel, call);
  rpc_call_send(call, request);
  rpc_call_half_close(call);
}
