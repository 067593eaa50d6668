// A connection has one exchange at a time:
//
//   READING ──whole──> HANDLED ──answer──> WRITING ──all out, kept──> READING
//      │                  └──stream──> STREAMING        └──else──> lingering
//      └─── closed, late, refused: gone, wherever it is ───┘
//
// A request is handled from a task, so that no handler runs below libuv.

#include "common/rpc/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "common/rpc/linger.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/output.h"
#include "common/rpc/peer.h"
#include "common/rpc/tls.h"

enum {
  ACCEPT_RETRY_MS = 100,
  NS_PER_MS = 1000000,
  IN_BYTES = HTTP_HEAD_BYTES_MAX + HTTP_BODY_BYTES_MAX,
  PIECE_BYTES = 16 << 10,        // Given to TLS at a time.
  PROGRESS_BYTES = 64 << 10,     // That a reader takes in RPC_HTTP_TIMEOUT_MS.
  KEPT_BYTES = 16 << 10,         // Of memory for answers, while a connection is idle.
  IGNORED_BYTES_MAX = 64 << 10,  // Of what the reader of a stream says.
};

typedef enum exchange_state_t {
  READING = 0,
  HANDLED,
  WRITING,
  STREAMING,
} exchange_state_t;

struct rpc_http_exchange_t {
  rpc_alarm_t alarm;  // First, so that the alarm finds it.
  rpc_task_t task;    // Handles a request, or ends what is broken.
  uv_poll_t poll;
  rpc_http_t *http;
  rpc_http_exchange_t *previous, *next;
  int fd;
  exchange_state_t state;
  int64_t since_ns;  // It is in this state.
  bool is_kept, is_head, is_broken;
  bool is_blocked;  // The socket takes no more for now.
  rpc_tls_t *tls;   // NULL: plain.
  rpc_block_t *peer;
  pod_text_t out;
  size_t sent, progress_at;
  rpc_fn_t on_gone;
  void *gone_context;
  size_t ignored_bytes;
  size_t in_bytes, scanned;
  char in[IN_BYTES];
};

struct rpc_http_t {
  rpc_alarm_t retry;  // First, so that the alarm finds it.
  uv_poll_t poll;
  rpc_loop_t *loop;
  rpc_http_options_t options;
  int fd;
  char *unlink_path;               // Of a unix socket; else NULL.
  rpc_http_exchange_t *exchanges;  // The newest first.
  size_t exchange_count;
  rpc_output_t output;  // Of what TLS is given; empty between.
};

static void on_event(uv_poll_t *poll, int status, int events);

// --- The end of a connection ---

static void free_exchange(uv_handle_t *handle) {
  rpc_http_exchange_t *exchange = handle->data;
  pod_text_deinit(&exchange->out);
  rpc_tls_destroy(exchange->tls);
  rpc_block_release(exchange->peer);
  free(exchange);
}

static void end(rpc_http_exchange_t *exchange, bool lingers) {
  rpc_http_t *http = exchange->http;
  rpc_alarm_cancel(http->loop, &exchange->alarm);
  rpc_task_cancel(&exchange->task);
  if (exchange->previous != NULL) {
    exchange->previous->next = exchange->next;
  } else {
    http->exchanges = exchange->next;
  }
  if (exchange->next != NULL) {
    exchange->next->previous = exchange->previous;
  }
  http->exchange_count--;
  uv_poll_stop(&exchange->poll);
  if (exchange->tls != NULL && lingers) {
    rpc_tls_end(exchange->tls, exchange->fd);
  }
  uv_close((uv_handle_t *)&exchange->poll, free_exchange);
  if (lingers) {
    rpc_linger_start(http->loop, exchange->fd);
  } else {
    close(exchange->fd);
  }
  if (exchange->on_gone != NULL) {
    exchange->on_gone(exchange->gone_context);
  }
}

// From within a function that a handler has called: a moment later.
static void end_later(rpc_http_exchange_t *exchange) {
  exchange->is_broken = true;
  rpc_task_queue(exchange->http->loop, RPC_PHASE_DELIVER, &exchange->task);
}

static void on_late(rpc_alarm_t *alarm) {
  end((rpc_http_exchange_t *)alarm, false);
}

static void move(rpc_http_exchange_t *exchange, exchange_state_t state) {
  exchange->state = state;
  exchange->since_ns = pod_clock_now_ns();
}

static void set_alarm(rpc_http_exchange_t *exchange, uint64_t delay_ms) {
  rpc_alarm_set_in_ms(exchange->http->loop, &exchange->alarm, delay_ms);
}

// What the poll waits for, of the state that it is in.
static void poll_again(rpc_http_exchange_t *exchange) {
  int events = exchange->is_blocked ? UV_WRITABLE : 0;
  if (exchange->state == READING || exchange->state == STREAMING) {
    events |= UV_READABLE;
  } else if (exchange->state == HANDLED) {
    events |= UV_DISCONNECT;
  }
  if (events == 0) {
    uv_poll_stop(&exchange->poll);
  } else {
    uv_poll_start(&exchange->poll, events, on_event);
  }
}

// --- Writing ---

static rpc_written_t flush_plain(rpc_http_exchange_t *exchange) {
  while (exchange->sent < exchange->out.length) {
    const ssize_t sent =
        send(exchange->fd, exchange->out.bytes + exchange->sent,
             exchange->out.length - exchange->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      exchange->sent += (size_t)sent;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK ? RPC_WRITE_BLOCKED
                                                     : RPC_WRITE_FAILED;
    }
  }
  return RPC_WRITTEN;
}

// Also what TLS itself has to say.
static rpc_written_t flush_tls(rpc_http_exchange_t *exchange) {
  rpc_output_t *output = &exchange->http->output;
  rpc_written_t written;
  do {
    const size_t left = exchange->out.length - exchange->sent;
    const size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
    if (piece > 0 &&
        !rpc_output_add(output, exchange->http->loop->pool,
                        (const uint8_t *)exchange->out.bytes + exchange->sent, piece)) {
      rpc_output_clear(output);
      return RPC_WRITE_FAILED;
    }
    written = rpc_tls_write(exchange->tls, output, exchange->fd);
    exchange->sent += piece - output->bytes;
    rpc_output_clear(output);
  } while (written == RPC_WRITTEN && exchange->sent < exchange->out.length &&
           rpc_tls_is_ready(exchange->tls));
  return written;
}

// False: it is broken.
static bool flush(rpc_http_exchange_t *exchange) {
  const rpc_written_t written =
      exchange->tls != NULL ? flush_tls(exchange) : flush_plain(exchange);
  exchange->is_blocked = written == RPC_WRITE_BLOCKED;
  if (exchange->sent - exchange->progress_at >= PROGRESS_BYTES &&
      exchange->state != READING) {
    exchange->progress_at = exchange->sent;
    set_alarm(exchange, exchange->state == STREAMING ? RPC_HTTP_STREAM_STALLED_MS
                                                     : RPC_HTTP_TIMEOUT_MS);
  }
  return written != RPC_WRITE_FAILED;
}

static void clear_out(rpc_http_exchange_t *exchange) {
  if (exchange->out.capacity > KEPT_BYTES) {
    pod_text_deinit(&exchange->out);
    exchange->out = (pod_text_t){0};
  } else {
    pod_text_clear(&exchange->out);
  }
  exchange->sent = exchange->progress_at = 0;
}

static bool is_all_out(const rpc_http_exchange_t *exchange) {
  return exchange->sent == exchange->out.length && !exchange->is_blocked;
}

static void read_next(rpc_http_exchange_t *exchange);

// After a flush that went well; from the loop.
static void settle(rpc_http_exchange_t *exchange) {
  if (!is_all_out(exchange)) {
    poll_again(exchange);
    return;
  }
  if (exchange->state == WRITING) {
    clear_out(exchange);
    if (exchange->is_kept) {
      read_next(exchange);
    } else {
      end(exchange, true);
    }
    return;
  }
  if (exchange->state == STREAMING) {
    clear_out(exchange);
    rpc_alarm_cancel(exchange->http->loop, &exchange->alarm);
  }
  poll_again(exchange);
}

static void flush_and_settle(rpc_http_exchange_t *exchange) {
  if (flush(exchange)) {
    settle(exchange);
  } else {
    end(exchange, false);
  }
}

// --- What handlers do ---

rpc_peer_t rpc_http_peer(const rpc_http_exchange_t *exchange) {
  rpc_peer_t peer;
  memcpy(&peer, exchange->peer->data, sizeof(peer));
  return peer;
}

void rpc_http_answer(rpc_http_exchange_t *exchange, const http_answer_t *answer) {
  exchange->on_gone = NULL;
  http_answer_write(&exchange->out, answer, !exchange->is_head, exchange->is_kept);
  move(exchange, WRITING);
  set_alarm(exchange, RPC_HTTP_TIMEOUT_MS);
  rpc_task_queue(exchange->http->loop, RPC_PHASE_DELIVER, &exchange->task);
}

void rpc_http_say(rpc_http_exchange_t *exchange, int status, const char *sentence) {
  pod_text_t body = {0};
  pod_text_printf(&body, "%s\n", sentence);
  rpc_http_answer(
      exchange,
      &(http_answer_t){.status = status, .body = body.bytes, .body_bytes = body.length});
  pod_text_deinit(&body);
}

void rpc_http_hold(rpc_http_exchange_t *exchange, rpc_fn_t on_gone, void *context) {
  exchange->on_gone = on_gone;
  exchange->gone_context = context;
  set_alarm(exchange, RPC_HTTP_HELD_MS);
  poll_again(exchange);
}

void rpc_http_stream_begin(rpc_http_exchange_t *exchange, const char *content_type,
                           rpc_fn_t on_gone, void *context) {
  exchange->on_gone = on_gone;
  exchange->gone_context = context;
  http_stream_write(&exchange->out, content_type);
  move(exchange, STREAMING);
  set_alarm(exchange, RPC_HTTP_STREAM_STALLED_MS);
  rpc_task_queue(exchange->http->loop, RPC_PHASE_DELIVER, &exchange->task);
}

bool rpc_http_stream_send(rpc_http_exchange_t *exchange, const void *data,
                          size_t size_bytes) {
  const size_t waiting = rpc_http_stream_waiting(exchange);
  if (waiting + size_bytes > RPC_HTTP_STREAM_BYTES_MAX) {
    return false;
  }
  if (waiting == 0) {
    set_alarm(exchange, RPC_HTTP_STREAM_STALLED_MS);
  }
  pod_text_add_bytes(&exchange->out, data, size_bytes);
  rpc_task_queue(exchange->http->loop, RPC_PHASE_DELIVER, &exchange->task);
  return true;
}

size_t rpc_http_stream_waiting(const rpc_http_exchange_t *exchange) {
  return exchange->out.length - exchange->sent;
}

void rpc_http_stream_end(rpc_http_exchange_t *exchange) {
  exchange->on_gone = NULL;
  end_later(exchange);
}

// --- The request ---

// What cannot be answered by a handler; nothing more is read from the connection.
static void refuse(rpc_http_exchange_t *exchange, int status, const char *allow) {
  const char *line = http_status_line(status);
  pod_text_t body = {0};
  pod_text_printf(&body, "%s\n", line);
  exchange->is_kept = exchange->is_kept && status < 500 && status != 400 &&
                      status != 413 && status != 431;
  rpc_http_answer(exchange, &(http_answer_t){.status = status,
                                             .allow = allow,
                                             .body = body.bytes,
                                             .body_bytes = body.length});
  pod_text_deinit(&body);
}

static bool fits(const rpc_http_route_t *route, const char *path) {
  const size_t length = strlen(route->path);
  return route->path[length - 1] == '*' ? strncmp(route->path, path, length - 1) == 0
                                        : strcmp(route->path, path) == 0;
}

static void handle(rpc_http_exchange_t *exchange, const http_request_t *request) {
  const rpc_http_options_t *options = &exchange->http->options;
  if (options->is_host != NULL && !options->is_host(request->host, options->context)) {
    refuse(exchange, 421, NULL);
    return;
  }
  const http_method_t wanted = request->method == HTTP_HEAD ? HTTP_GET : request->method;
  const char *allow = NULL;
  for (const rpc_http_route_t *route = options->routes; route->path != NULL; route++) {
    if (!fits(route, request->path)) {
      continue;
    }
    if (route->method == wanted) {
      route->handle(exchange, request, options->context);
      return;
    }
    allow = route->method == HTTP_POST ? "POST" : "GET, HEAD";
  }
  refuse(exchange, allow != NULL ? 405 : 404, allow);
}

// A whole request lies in front, or what will never be one.
static void take_request(rpc_http_exchange_t *exchange) {
  const size_t head = http_head_end(exchange->in, exchange->in_bytes, 0);
  http_request_t request;
  size_t taken = 0;
  const int wrong =
      head == 0 || head > HTTP_HEAD_BYTES_MAX
          ? 431
          : http_request_parse(exchange->in, head, exchange->in_bytes, &request, &taken);
  move(exchange, HANDLED);
  exchange->is_head = wrong == 0 && request.method == HTTP_HEAD;
  exchange->is_kept = wrong == 0 && request.is_kept;
  poll_again(exchange);
  if (wrong != 0) {
    refuse(exchange, wrong, NULL);
    return;
  }
  handle(exchange, &request);
  // The handler has looked at it.
  exchange->in_bytes -= taken;
  memmove(exchange->in, exchange->in + taken, exchange->in_bytes);
  exchange->scanned = 0;
}

// Whether take_request would find something to answer.
static bool has_request(rpc_http_exchange_t *exchange) {
  const size_t head = http_head_end(exchange->in, exchange->in_bytes, exchange->scanned);
  if (head == 0) {
    exchange->scanned = exchange->in_bytes;
    return exchange->in_bytes >= HTTP_HEAD_BYTES_MAX;
  }
  exchange->scanned = 0;
  return http_request_is_whole(exchange->in, head, exchange->in_bytes);
}

static void on_task(rpc_task_t *task) {
  rpc_http_exchange_t *exchange =
      (rpc_http_exchange_t *)(void *)((char *)task - offsetof(rpc_http_exchange_t, task));
  if (exchange->is_broken) {
    (void)flush(exchange);
    end(exchange, true);
  } else if (exchange->state == READING) {
    take_request(exchange);
  } else {
    flush_and_settle(exchange);
  }
}

static void look(rpc_http_exchange_t *exchange) {
  if (has_request(exchange)) {
    uv_poll_stop(&exchange->poll);
    rpc_task_queue(exchange->http->loop, RPC_PHASE_DELIVER, &exchange->task);
  } else {
    poll_again(exchange);
  }
}

// The next request of a connection that is kept; it may have come already.
static void read_next(rpc_http_exchange_t *exchange) {
  move(exchange, READING);
  set_alarm(exchange, exchange->in_bytes > 0 ? RPC_HTTP_TIMEOUT_MS : RPC_HTTP_IDLE_MS);
  look(exchange);
}

// --- Reading ---

static void take_certificate(rpc_http_exchange_t *exchange) {
  rpc_block_t *peer = rpc_tls_peer(exchange->tls, exchange->peer);
  rpc_block_release(exchange->peer);
  exchange->peer = peer;
}

// What TLS makes of the bytes in the loop's scratch memory. False: it is over.
static bool decrypt(rpc_http_exchange_t *exchange, size_t size_bytes) {
  rpc_tls_feed(exchange->tls, exchange->http->loop->scratch, size_bytes);
  for (;;) {
    uint8_t dropped[1024];
    const bool is_reading = exchange->state == READING;
    const size_t room = is_reading ? IN_BYTES - exchange->in_bytes : sizeof(dropped);
    size_t got = 0;
    if (room == 0) {
      return false;
    }
    switch (
        rpc_tls_read(exchange->tls,
                     is_reading ? (uint8_t *)exchange->in + exchange->in_bytes : dropped,
                     room, &got)) {
      case RPC_TLS_BYTES:
        exchange->in_bytes += is_reading ? got : 0;
        break;
      case RPC_TLS_SHAKEN:
        take_certificate(exchange);
        break;
      case RPC_TLS_USED_UP:
        return flush(exchange);
      default:
        (void)flush(exchange);  // An alert says why.
        return false;
    }
  }
}

static ssize_t receive(rpc_http_exchange_t *exchange) {
  if (exchange->tls == NULL && exchange->state == READING) {
    const ssize_t got = recv(exchange->fd, exchange->in + exchange->in_bytes,
                             IN_BYTES - exchange->in_bytes, MSG_DONTWAIT);
    exchange->in_bytes += got > 0 ? (size_t)got : 0;
    return got;
  }
  const ssize_t got =
      recv(exchange->fd, exchange->http->loop->scratch, PIECE_BYTES, MSG_DONTWAIT);
  if (got > 0 && exchange->tls != NULL && !decrypt(exchange, (size_t)got)) {
    return 0;
  }
  return got;
}

static void read_more(rpc_http_exchange_t *exchange) {
  const bool was_empty = exchange->in_bytes == 0;
  const ssize_t got = receive(exchange);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    end(exchange, false);
    return;
  }
  if (exchange->state == STREAMING) {
    exchange->ignored_bytes += (size_t)got;
    if (exchange->ignored_bytes > IGNORED_BYTES_MAX) {
      end(exchange, false);
    }
    return;
  }
  if (was_empty && exchange->in_bytes > 0) {
    set_alarm(exchange, RPC_HTTP_TIMEOUT_MS);
  }
  look(exchange);
}

static void on_event(uv_poll_t *poll, int status, int events) {
  rpc_http_exchange_t *exchange = poll->data;
  rpc_loop_awake(exchange->http->loop);
  if (status < 0 || (events & UV_DISCONNECT) != 0) {
    end(exchange, false);
  } else if ((events & UV_WRITABLE) != 0) {
    flush_and_settle(exchange);
  } else {
    read_more(exchange);
  }
}

// --- Who comes ---

static bool may_go(const rpc_http_exchange_t *exchange) {
  return exchange->state == READING || exchange->state == WRITING;
}

// False: there is no place, and nobody has had one for long.
static bool make_room(rpc_http_t *http) {
  if (http->exchange_count < http->options.connections_max) {
    return true;
  }
  rpc_http_exchange_t *oldest = NULL;
  for (rpc_http_exchange_t *at = http->exchanges; at != NULL; at = at->next) {
    if (may_go(at) && (oldest == NULL || at->since_ns < oldest->since_ns)) {
      oldest = at;
    }
  }
  if (oldest == NULL ||
      pod_clock_now_ns() - oldest->since_ns < (int64_t)RPC_HTTP_FRESH_MS * NS_PER_MS) {
    return false;
  }
  end(oldest, false);
  return true;
}

// Takes `fd`.
static void admit(rpc_http_t *http, int fd) {
  if (!make_room(http)) {
    close(fd);
    return;
  }
  rpc_http_exchange_t *exchange = pod_alloc(sizeof(*exchange));
  const rpc_credentials_t *credentials = http->options.credentials;
  if (credentials != NULL) {
    exchange->tls = rpc_tls_create(credentials, http->loop, NULL);
  }
  if ((credentials != NULL && exchange->tls == NULL) ||
      uv_poll_init(&http->loop->uv, &exchange->poll, fd) != 0) {
    rpc_tls_destroy(exchange->tls);
    close(fd);
    free(exchange);
    return;
  }
  exchange->alarm.fn = on_late;
  exchange->task.fn = on_task;
  exchange->poll.data = exchange;
  exchange->http = http;
  exchange->fd = fd;
  exchange->peer = rpc_peer_of_socket(http->loop->pool, fd);
  exchange->next = http->exchanges;
  if (exchange->next != NULL) {
    exchange->next->previous = exchange;
  }
  http->exchanges = exchange;
  http->exchange_count++;
  move(exchange, READING);
  set_alarm(exchange, RPC_HTTP_TIMEOUT_MS);
  poll_again(exchange);
}

static void on_incoming(uv_poll_t *poll, int status, int events);

static void on_retry(rpc_alarm_t *alarm) {
  rpc_http_t *http = (rpc_http_t *)alarm;
  uv_poll_start(&http->poll, UV_READABLE, on_incoming);
}

// One at a time: the loop has more to do. Without descriptors what waits would be told of
// without end.
static void on_incoming(uv_poll_t *poll, int status, int events) {
  (void)events;
  rpc_http_t *http = poll->data;
  rpc_loop_awake(http->loop);
  const int fd =
      status < 0 ? -1 : accept4(http->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    admit(http, fd);
  } else if (status < 0 || errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
             errno == ENOMEM) {
    uv_poll_stop(&http->poll);
    rpc_alarm_set_in_ms(http->loop, &http->retry, ACCEPT_RETRY_MS);
  }
}

// --- Life ---

static void free_http(uv_handle_t *handle) {
  rpc_http_t *http = handle->data;
  free(http->unlink_path);
  free(http);
}

pod_status_t rpc_http_listen(rpc_loop_t *loop, const rpc_http_options_t *options,
                             rpc_http_t **out_http, char **out_bound_address) {
  rpc_address_t wanted;
  int fd;
  POD_TRY(rpc_address_resolve(options->address, &wanted));
  POD_TRY(rpc_address_listen(&wanted, &fd));
  rpc_address_t bound = {.size_bytes = sizeof(bound.socket)};
  if (getsockname(fd, (struct sockaddr *)&bound.socket, &bound.size_bytes) != 0) {
    bound = wanted;
  }
  rpc_http_t *http = pod_alloc(sizeof(*http));
  if (uv_poll_init(&loop->uv, &http->poll, fd) != 0) {
    close(fd);
    free(http);
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot poll the socket of %s",
                     options->address);
  }
  http->retry.fn = on_retry;
  http->poll.data = http;
  http->loop = loop;
  http->options = *options;
  if (options->connections_max == 0) {
    http->options.connections_max = RPC_HTTP_CONNECTIONS_DEFAULT;
  }
  http->fd = fd;
  *out_bound_address = rpc_address_format(&bound);
  if (bound.socket.ss_family == AF_UNIX) {
    http->unlink_path = pod_strdup(*out_bound_address + strlen("unix:"));
  }
  uv_poll_start(&http->poll, UV_READABLE, on_incoming);
  *out_http = http;
  return NULL;
}

void rpc_http_destroy(rpc_http_t *http) {
  if (http == NULL) {
    return;
  }
  while (http->exchanges != NULL) {
    end(http->exchanges, false);
  }
  rpc_alarm_cancel(http->loop, &http->retry);
  uv_poll_stop(&http->poll);
  if (http->unlink_path != NULL) {
    unlink(http->unlink_path);
  }
  close(http->fd);
  uv_close((uv_handle_t *)&http->poll, free_http);
}
