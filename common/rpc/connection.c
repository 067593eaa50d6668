// A socket and the nghttp2 session on it. Writes are gathered until nghttp2 has no more
// or the socket takes no more. Keepalive is HTTP/2's PING.

#include "common/rpc/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/linger.h"
#include "common/rpc/peer.h"
#include "common/rpc/server.h"
#include "common/rpc/tls.h"

enum {
  // The loop gives a connection a slice of its time to read in; what a slice is
  // overdrawn by is one read, whose size follows from what the peer's frames cost.
  READ_BYTES_MIN = 2 << 10,
  // A peer is alive that answers pings, or sends so much; not one that sends a byte now
  // and then and never a whole frame.
  PROGRESS_BYTES = 4 << 10,
  WRITTEN_BYTES_MAX = 4 << 20,  // In one go; the others want to be heard.
};

const char *rpc_connection_address(const rpc_connection_t *connection) {
  return (const char *)connection->address->data;
}

// --- Calls ---

void rpc_connection_attach(rpc_connection_t *connection, rpc_call_t *call) {
  POD_CHECK(call->connection == NULL);
  call->connection = connection;
  rpc_block_release(call->address);
  call->address = rpc_block_retain(connection->address);
  rpc_block_release(call->peer);
  call->peer = rpc_block_retain(connection->peer);
  rpc_ring_remove(&connection->endpoint->loose, call);
  rpc_ring_add(&connection->calls, call);
  if (connection->call_count++ == 0 && !connection->endpoint->is_server &&
      connection->ready && connection->alarm.slot == 0) {
    rpc_alarm_set_in_ms(connection->loop, &connection->alarm,
                        connection->endpoint->keepalive_ms);
    connection->heard_ms = (int64_t)uv_now(&connection->loop->uv);
  }
}

// --- Delivery ---
//
// In turns between connections, not calls: whoever has a thousand calls does not come by
// a thousand times as often.

static void deliver_some(rpc_task_t *task) {
  rpc_connection_t *connection =
      (rpc_connection_t *)(void *)((char *)task - offsetof(rpc_connection_t, deliver));
  rpc_tasks_run(&connection->due, RPC_DELIVER_SLICE_NS);
  if (!rpc_tasks_is_empty(&connection->due)) {
    rpc_task_queue(connection->loop, RPC_PHASE_DELIVER, &connection->deliver);
  }
}

void rpc_connection_deliver(rpc_connection_t *connection, rpc_call_t *call) {
  if (!call->deliver.queued) {
    rpc_tasks_add(&connection->due, &call->deliver);
    rpc_task_queue(connection->loop, RPC_PHASE_DELIVER, &connection->deliver);
  }
}

void rpc_connection_detach(rpc_connection_t *connection, rpc_call_t *call) {
  if (connection->session != NULL) {
    nghttp2_session_set_stream_user_data(connection->session, call->stream_id, NULL);
  }
  if (connection->data_call == call) {
    connection->data_call = NULL;
  }
  if (connection->endpoint->is_server) {
    rpc_server_end_call(call);
    connection->metadata_bytes -= call->counted_bytes;
    call->counted_bytes = 0;
  }
  rpc_ring_remove(&connection->calls, call);
  rpc_ring_add(&connection->endpoint->loose, call);
  call->connection = NULL;
  if (call->deliver.queued) {
    rpc_task_cancel(&call->deliver);
    rpc_task_queue(connection->loop, RPC_PHASE_DELIVER, &call->deliver);
  }
  if (--connection->call_count == 0) {
    connection->unused_ms = (int64_t)uv_now(&connection->loop->uv);
  }
  if (connection->draining && connection->call_count == 0) {
    rpc_connection_flush_later(connection);  // Which closes it.
  }
}

void rpc_connection_give_back(rpc_connection_t *connection, int32_t stream_id,
                              size_t whole_bytes, size_t window_bytes) {
  connection->held_bytes -= whole_bytes;
  if (connection->session == NULL) {
    return;
  }
  if (window_bytes > 0) {
    nghttp2_session_consume_stream(connection->session, stream_id, window_bytes);
  }
  if (connection->owed_bytes > 0 &&
      connection->held_bytes <= connection->endpoint->held_bytes_max) {
    nghttp2_session_consume_connection(connection->session, connection->owed_bytes);
    connection->owed_bytes = 0;
  }
  rpc_connection_flush_later(connection);
}

// --- The end ---

static void free_connection(uv_handle_t *handle) {
  rpc_connection_t *connection = handle->data;
  rpc_block_release(connection->address);
  rpc_block_release(connection->peer);
  free(connection);
}

// Lets go of the socket: closed at once, or left to linger.
static void release_socket(rpc_connection_t *connection, bool linger) {
  uv_poll_stop(&connection->poll);
  uv_close((uv_handle_t *)&connection->poll, free_connection);
  if (linger) {
    rpc_linger_start(connection->loop, connection->fd);
  } else {
    close(connection->fd);
  }
}

static void release_session(rpc_connection_t *connection) {
  connection->closed = true;
  rpc_task_cancel(&connection->flush);
  rpc_task_cancel(&connection->read);
  rpc_task_cancel(&connection->deliver);
  rpc_alarm_cancel(connection->loop, &connection->alarm);
  rpc_alarm_cancel(connection->loop, &connection->headers_alarm);
  nghttp2_session_del(connection->session);
  connection->session = NULL;
  rpc_tls_destroy(connection->tls);
  connection->tls = NULL;
  rpc_output_clear(&connection->output);
}

void rpc_connection_end(rpc_connection_t *connection, pod_status_t why, bool linger) {
  if (connection->closed) {
    pod_status_free(why);
    return;
  }
  if (linger && connection->tls != NULL) {
    rpc_tls_end(connection->tls, connection->fd);
  }
  release_session(connection);
  while (connection->calls != NULL) {
    rpc_call_t *call = connection->calls;
    rpc_connection_detach(connection, call);
    rpc_call_fail(call, pod_status_copy(why));
  }
  release_socket(connection, linger);
  connection->endpoint->on_closed(connection->endpoint, connection, why);
}

void rpc_connection_close(rpc_connection_t *connection, pod_status_t why) {
  rpc_connection_end(connection, why, false);
}

pod_status_t rpc_connection_lost(const rpc_connection_t *connection, const char *why) {
  return pod_error(POD_UNAVAILABLE, "lost the connection to %s: %s",
                   rpc_connection_address(connection), why);
}

// --- Writing ---

static void poll_for(rpc_connection_t *connection, int events);

// HTTP/2 may flow: there is no TLS, or its handshake is over.
static bool is_open(const rpc_connection_t *connection) {
  return connection->tls == NULL || rpc_tls_is_ready(connection->tls);
}

static rpc_written_t write_output(rpc_connection_t *connection) {
  return connection->tls == NULL
             ? rpc_output_write(&connection->output, connection->fd)
             : rpc_tls_write(connection->tls, &connection->output, connection->fd);
}

// Collects frames until nghttp2 has no more to say or the output is full. False when the
// session is broken.
static bool collect(rpc_connection_t *connection) {
  while (!rpc_output_is_full(&connection->output)) {
    const uint8_t *data = NULL;
    const ssize_t length = nghttp2_session_mem_send(connection->session, &data);
    if (length < 0) {
      return false;
    }
    if (length == 0) {
      return true;
    }
    if (!rpc_output_add(&connection->output, connection->loop->pool, data,
                        (size_t)length)) {
      return false;
    }
  }
  return true;
}

void rpc_connection_write_last(rpc_connection_t *connection) {
  if (!connection->blocked && collect(connection)) {
    (void)write_output(connection);
  }
}

// Writes until nothing is left, the socket takes no more or it is enough for one turn. On
// failure *out_why says why.
static rpc_written_t write_frames(rpc_connection_t *connection, const char **out_why) {
  rpc_written_t written = RPC_WRITTEN;
  size_t bytes = 0;
  for (bool more = true; more && written == RPC_WRITTEN;) {
    if (is_open(connection) && !collect(connection)) {
      *out_why = "the HTTP/2 session broke";
      return RPC_WRITE_FAILED;
    }
    if (!connection->endpoint->is_server && connection->output.bytes > 0) {
      rpc_loop_note_asked(connection->loop);
    }
    more = rpc_output_is_full(&connection->output);
    bytes += connection->output.bytes;
    written = write_output(connection);
    if (more && written == RPC_WRITTEN && bytes >= WRITTEN_BYTES_MAX) {
      return RPC_WRITE_BLOCKED;
    }
  }
  *out_why = written == RPC_WRITE_FAILED ? strerror(errno) : NULL;
  return written;
}

// False when the connection is gone.
static bool pump(rpc_connection_t *connection) {
  const char *why;
  const rpc_written_t written = write_frames(connection, &why);
  if (written == RPC_WRITE_FAILED) {
    rpc_connection_end(connection, rpc_connection_lost(connection, why), false);
    return false;
  }
  connection->blocked = written == RPC_WRITE_BLOCKED;
  poll_for(connection, UV_READABLE | (connection->blocked ? UV_WRITABLE : 0));
  return true;
}

// Leaves to the loop all but the writing, which it then tries itself.
static void flush_as_guest(rpc_connection_t *connection) {
  const char *why;
  if (!connection->blocked && write_frames(connection, &why) != RPC_WRITTEN) {
    rpc_connection_flush_later(connection);
  }
}

static void end_if_done(rpc_connection_t *connection) {
  nghttp2_session *session = connection->session;
  if (connection->blocked) {
    if (nghttp2_session_get_outbound_queue_size(session) > RPC_OUTBOUND_FRAMES_MAX) {
      rpc_connection_end(connection,
                         rpc_connection_lost(connection, "it asks and does not read"),
                         false);
    }
    return;
  }
  if (connection->draining && connection->call_count == 0) {
    rpc_connection_end(connection, NULL, true);
  } else if (nghttp2_session_want_read(session) == 0 &&
             nghttp2_session_want_write(session) == 0) {
    // After GOAWAY for a protocol error, the peer's or ours.
    rpc_connection_end(connection,
                       rpc_connection_lost(connection, "the HTTP/2 protocol was broken"),
                       true);
  }
}

static void flush(rpc_task_t *task) {
  rpc_connection_t *connection = (rpc_connection_t *)task;
  if (rpc_loop_has_guest(connection->loop)) {
    flush_as_guest(connection);
  } else if (connection->blocked || pump(connection)) {
    end_if_done(connection);
  }
}

bool rpc_connection_is_clear(const rpc_connection_t *connection) {
  return !connection->closed && !connection->blocked;
}

void rpc_connection_flush_now(rpc_connection_t *connection) {
  if (rpc_connection_is_clear(connection)) {
    rpc_task_cancel(&connection->flush);
    flush(&connection->flush);
  }
}

void rpc_connection_flush_later(rpc_connection_t *connection) {
  if (!connection->closed) {
    rpc_task_queue(connection->loop, RPC_PHASE_FLUSH, &connection->flush);
  }
}

// --- Reading ---

static void set_alarm(rpc_connection_t *connection, int64_t now_ms);

// The peer has spoken; what that means for the endpoint is told outside of nghttp2.
static void tell_endpoint(rpc_connection_t *connection) {
  rpc_endpoint_t *endpoint = connection->endpoint;
  if (connection->settings_seen && !connection->ready) {
    connection->ready = true;
    if (endpoint->asks_when_unused) {
      set_alarm(connection, (int64_t)uv_now(&connection->loop->uv));
    } else {
      rpc_alarm_cancel(connection->loop, &connection->alarm);
    }
    endpoint->on_ready(endpoint, connection);
  }
  if (connection->goaway_seen && !connection->goaway_told && !endpoint->is_server) {
    connection->goaway_told = connection->draining = true;
    endpoint->on_goaway(endpoint, connection, connection->goaway_error);
  }
}

void rpc_connection_note_progress(rpc_connection_t *connection) {
  connection->heard_ms = (int64_t)uv_now(&connection->loop->uv);
  connection->heard_bytes = 0;
  connection->pinged = false;
}

// What has come, `bytes`, may be all that a silent peer drips.
static void note_heard(rpc_connection_t *connection, size_t bytes) {
  connection->heard_bytes += bytes;
  if (connection->heard_bytes >= PROGRESS_BYTES) {
    rpc_connection_note_progress(connection);
  } else if (!connection->endpoint->is_server) {
    // Servers find pings too frequent that come between their answers.
    connection->heard_ms = (int64_t)uv_now(&connection->loop->uv);
  }
}

// A block of headers has to come whole in a time of its own: what is called for goes on
// taking memory, and no call has a deadline yet that would end it.
static void watch_headers(rpc_connection_t *connection) {
  const rpc_idle_reset_t *filter = &connection->idle_reset;
  if (!rpc_idle_reset_is_inside_headers(filter)) {
    rpc_alarm_cancel(connection->loop, &connection->headers_alarm);
  } else if (connection->headers_alarm.slot == 0 ||
             connection->headers_alarm_block != filter->block_count) {
    connection->headers_alarm_block = filter->block_count;
    rpc_alarm_set_in_ms(connection->loop, &connection->headers_alarm,
                        connection->endpoint->headers_ms);
  }
}

// Small reads for frames that take long, so that no read goes far over a slice.
static void adapt_read_bytes(rpc_connection_t *connection, int64_t took_ns) {
  if (took_ns > RPC_SLICE_NS && connection->read_bytes > READ_BYTES_MIN) {
    connection->read_bytes /= 2;
  } else if (took_ns < RPC_SLICE_NS / 4 && connection->read_bytes < RPC_SCRATCH_BYTES) {
    connection->read_bytes *= 2;
  }
}

// Until there is no more for now, or its slice of the turn, which begins at `start_ns`,
// is over; then the rest waits. False when the connection is gone. *out_heard tells
// whether anything came.
static bool read_from(rpc_connection_t *connection, int64_t start_ns, bool *out_heard) {
  const int64_t slice_ns = rpc_loop_slice_ns(connection->loop);
  int64_t before_ns = start_ns;
  size_t bytes = 0;
  for (bool filled = true; filled;) {
    filled = false;
    const ssize_t received = rpc_connection_read(connection, &filled);
    if (received < 0) {
      return false;
    }
    bytes += (size_t)received;
    if (!filled) {
      break;
    }
    const int64_t now_ns = pod_clock_now_ns();
    if ((size_t)received == connection->read_bytes) {
      adapt_read_bytes(connection, now_ns - before_ns);
    }
    if (now_ns - start_ns >= slice_ns) {
      rpc_task_queue(connection->loop, RPC_PHASE_READ, &connection->read);
      break;
    }
    before_ns = now_ns;
  }
  if (bytes > 0) {
    *out_heard = true;
    note_heard(connection, bytes);
    if (connection->endpoint->is_server) {
      watch_headers(connection);
    }
    tell_endpoint(connection);
    rpc_connection_flush_later(connection);
  }
  return true;
}

static bool read_some(rpc_connection_t *connection, bool *out_heard) {
  return read_from(connection, pod_clock_now_ns(), out_heard);
}

// The socket has an error. What the peer sent before still counts, and reading tells the
// error.
static void read_to_the_end(rpc_connection_t *connection) {
  bool heard = true;
  while (heard) {
    heard = false;
    if (!read_some(connection, &heard)) {
      return;
    }
  }
  rpc_connection_end(connection, rpc_connection_lost(connection, "its socket failed"),
                     false);
}

// Its turn has come again.
static void go_on_reading(rpc_task_t *task) {
  rpc_connection_t *connection =
      (rpc_connection_t *)(void *)((char *)task - offsetof(rpc_connection_t, read));
  bool heard = false;
  rpc_loop_note_heard(connection->loop);
  read_some(connection, &heard);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
  rpc_connection_t *connection = poll->data;
  rpc_loop_awake(connection->loop);
  bool heard = false;
  if (status < 0) {
    read_to_the_end(connection);
    return;
  }
  if ((events & UV_READABLE) != 0 && !connection->read.queued) {
    rpc_loop_note_heard(connection->loop);
    const int64_t now_ns = rpc_loop_may_read(connection->loop);
    if (now_ns == 0) {
      rpc_task_queue(connection->loop, RPC_PHASE_READ, &connection->read);
    } else if (!read_from(connection, now_ns, &heard)) {
      return;
    }
  }
  if ((events & UV_WRITABLE) != 0 && connection->blocked) {
    connection->blocked = false;
    rpc_connection_flush_later(connection);
  }
}

static void poll_for(rpc_connection_t *connection, int events) {
  if (connection->events != events) {
    connection->events = events;
    uv_poll_start(&connection->poll, events, on_poll);
  }
}

// --- Keepalive ---

static bool wants_keepalive(const rpc_connection_t *connection) {
  return connection->endpoint->asks_when_unused || connection->call_count > 0;
}

static void ask_if_alive(rpc_connection_t *connection) {
  connection->pinged = true;
  nghttp2_submit_ping(connection->session, NGHTTP2_FLAG_NONE, NULL);
  rpc_connection_flush_later(connection);
  rpc_alarm_set_in_ms(connection->loop, &connection->alarm,
                      connection->endpoint->keepalive_timeout_ms);
}

// The alarm is set for the next ping, or for when the connection has been unused for too
// long.
static void set_alarm(rpc_connection_t *connection, int64_t now_ms) {
  const rpc_endpoint_t *endpoint = connection->endpoint;
  int64_t at_ms = connection->heard_ms + endpoint->keepalive_ms;
  if (endpoint->is_server && connection->call_count == 0 &&
      connection->unused_ms + endpoint->idle_ms < at_ms) {
    at_ms = connection->unused_ms + endpoint->idle_ms;
  }
  rpc_alarm_set_in_ms(connection->loop, &connection->alarm,
                      at_ms > now_ms ? (uint64_t)(at_ms - now_ms) : 0);
}

static bool is_unused(const rpc_connection_t *connection, int64_t now_ms) {
  return connection->endpoint->is_server && connection->call_count == 0 &&
         now_ms - connection->unused_ms >= connection->endpoint->idle_ms;
}

static void on_alarm(rpc_alarm_t *alarm) {
  rpc_connection_t *connection =
      (rpc_connection_t *)(void *)((char *)alarm - offsetof(rpc_connection_t, alarm));
  const rpc_endpoint_t *endpoint = connection->endpoint;
  const int64_t now_ms = (int64_t)uv_now(&connection->loop->uv);
  // If it was us who did not look for so long, the answer lies in the socket.
  bool heard = false;
  if (!read_some(connection, &heard)) {
    return;
  }
  if (!connection->ready) {
    rpc_connection_end(
        connection,
        rpc_connection_lost(connection, is_open(connection)
                                            ? "no HTTP/2 within the time allowed"
                                            : "no TLS within the time allowed"),
        false);
  } else if (!wants_keepalive(connection)) {
    connection->pinged = false;  // Set again by the next call.
  } else if (connection->pinged) {
    pod_status_t why = pod_error(
        POD_UNAVAILABLE, "lost the connection to %s: no answer to a ping for %u ms",
        rpc_connection_address(connection), endpoint->keepalive_timeout_ms);
    rpc_connection_end(connection, why, false);
  } else if (is_unused(connection, now_ms)) {
    rpc_connection_turn_out(connection, NULL, true);
  } else if (now_ms - connection->heard_ms >= endpoint->keepalive_ms) {
    ask_if_alive(connection);
  } else {
    set_alarm(connection, now_ms);
  }
}

static void on_headers_alarm(rpc_alarm_t *alarm) {
  rpc_connection_t *connection =
      (rpc_connection_t *)(void *)((char *)alarm -
                                   offsetof(rpc_connection_t, headers_alarm));
  const uint32_t block = connection->headers_alarm_block;
  bool heard = false;
  if (!read_some(connection, &heard) ||
      !rpc_idle_reset_is_inside_headers(&connection->idle_reset) ||
      connection->idle_reset.block_count != block) {
    return;
  }
  nghttp2_session_terminate_session(connection->session, NGHTTP2_ENHANCE_YOUR_CALM);
  if (!connection->blocked && collect(connection)) {
    (void)write_output(connection);
  }
  rpc_connection_end(connection,
                     rpc_connection_lost(connection, "its headers took too long"), true);
}

// --- Life ---

// What the kernel keeps between two processes of this host needs no TLS.
static bool is_unix(int fd) {
  struct sockaddr_storage address;
  socklen_t size_bytes = sizeof(address);
  return getsockname(fd, (struct sockaddr *)&address, &size_bytes) == 0 &&
         address.ss_family == AF_UNIX;
}

static pod_status_t add_tls(rpc_connection_t *connection) {
  const char *address = rpc_connection_address(connection);
  connection->tls = rpc_tls_create(connection->endpoint->credentials, connection->loop,
                                   connection->endpoint->is_server ? NULL : address);
  return connection->tls != NULL
             ? NULL
             : pod_error(POD_RESOURCE_EXHAUSTED, "cannot begin TLS with %s", address);
}

pod_status_t rpc_connection_create(rpc_endpoint_t *endpoint, int fd, rpc_block_t *address,
                                   rpc_connection_t **out_connection) {
  rpc_connection_t *connection = pod_alloc(sizeof(*connection));
  connection->flush.fn = flush;
  connection->read.fn = go_on_reading;
  connection->deliver.fn = deliver_some;
  rpc_tasks_init(&connection->due);
  connection->alarm.fn = on_alarm;
  connection->headers_alarm.fn = on_headers_alarm;
  connection->fd = fd;
  connection->read_bytes = RPC_SCRATCH_BYTES;
  connection->endpoint = endpoint;
  connection->idle_reset.pass_bytes = RPC_PREFACE_BYTES;
  connection->loop = endpoint->loop;
  connection->address = address;
  connection->peer = rpc_peer_of_socket(endpoint->loop->pool, fd);
  connection->poll.data = connection;
  connection->heard_ms = connection->unused_ms = (int64_t)uv_now(&endpoint->loop->uv);
  pod_status_t status = rpc_session_create(connection);
  if (status == NULL && endpoint->credentials != NULL && !is_unix(fd)) {
    status = add_tls(connection);
  }
  if (status == NULL && uv_poll_init(&endpoint->loop->uv, &connection->poll, fd) != 0) {
    status = pod_error(POD_RESOURCE_EXHAUSTED, "cannot poll the socket of %s",
                       rpc_connection_address(connection));
  }
  if (status != NULL) {
    nghttp2_session_del(connection->session);
    rpc_tls_destroy(connection->tls);
    rpc_block_release(address);
    rpc_block_release(connection->peer);
    close(fd);
    free(connection);
    return status;
  }
  poll_for(connection, UV_READABLE);
  rpc_alarm_set_in_ms(endpoint->loop, &connection->alarm, endpoint->handshake_ms);
  rpc_connection_flush_later(connection);
  *out_connection = connection;
  return NULL;
}

static void submit_goaway(rpc_connection_t *connection) {
  nghttp2_submit_goaway(connection->session, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(connection->session),
                        NGHTTP2_NO_ERROR, NULL, 0);
}

void rpc_connection_drain(rpc_connection_t *connection) {
  if (!connection->draining) {
    connection->draining = true;
    submit_goaway(connection);
    rpc_connection_flush_later(connection);
  }
}

static void say_goodbye(rpc_connection_t *connection) {
  if (!connection->blocked && is_open(connection)) {
    submit_goaway(connection);
    rpc_connection_write_last(connection);
  }
}

void rpc_connection_turn_out(rpc_connection_t *connection, pod_status_t why,
                             bool linger) {
  if (connection->ready && !connection->closed) {
    say_goodbye(connection);
  }
  rpc_connection_end(connection, why, linger && connection->ready);
}

void rpc_connection_destroy(rpc_connection_t *connection) {
  POD_CHECK(connection->calls == NULL && !connection->closed);
  say_goodbye(connection);
  if (connection->tls != NULL) {
    rpc_tls_end(connection->tls, connection->fd);
  }
  release_session(connection);
  release_socket(connection, true);
}
