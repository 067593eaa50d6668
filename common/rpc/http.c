// A connection reads one request, writes one answer, and lingers (linger.h) until the
// peer has it.
//
//   READING ──whole, or wrong──> WRITING ──all out──> lingering
//      └── closed, late ──> gone <── closed, late ──┘

#include "common/rpc/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "common/rpc/linger.h"
#include "common/rpc/loop_internal.h"

enum { ACCEPT_RETRY_MS = 100, NS_PER_MS = 1000000 };

typedef struct rpc_http_connection_t rpc_http_connection_t;
struct rpc_http_connection_t {
  rpc_alarm_t alarm;  // First, so that the alarm finds it.
  uv_poll_t poll;
  rpc_http_t *http;
  rpc_http_connection_t *previous, *next;
  int fd;
  int64_t since_ns;
  bool is_writing;
  size_t request_bytes, sent_bytes;
  pod_text_t answer;
  char request[RPC_HTTP_REQUEST_BYTES_MAX + 1];
};

struct rpc_http_t {
  rpc_alarm_t retry;  // First, so that the alarm finds it.
  uv_poll_t poll;
  rpc_loop_t *loop;
  const rpc_http_page_t *pages;
  void *context;
  int fd;
  char *unlink_path;                   // Of a unix socket; else NULL.
  rpc_http_connection_t *connections;  // The newest first.
  size_t connection_count;
};

static void free_connection(uv_handle_t *handle) {
  rpc_http_connection_t *connection = handle->data;
  pod_text_deinit(&connection->answer);
  free(connection);
}

static void end(rpc_http_connection_t *connection, bool lingers) {
  rpc_http_t *http = connection->http;
  rpc_alarm_cancel(http->loop, &connection->alarm);
  if (connection->previous != NULL) {
    connection->previous->next = connection->next;
  } else {
    http->connections = connection->next;
  }
  if (connection->next != NULL) {
    connection->next->previous = connection->previous;
  }
  http->connection_count--;
  uv_poll_stop(&connection->poll);
  uv_close((uv_handle_t *)&connection->poll, free_connection);
  if (lingers) {
    rpc_linger_start(http->loop, connection->fd);
  } else {
    close(connection->fd);
  }
}

static void on_late(rpc_alarm_t *alarm) {
  end((rpc_http_connection_t *)alarm, false);
}

// --- The answer ---

static void on_event(uv_poll_t *poll, int status, int events);

static void send_rest(rpc_http_connection_t *connection) {
  while (connection->sent_bytes < connection->answer.length) {
    const ssize_t sent = send(
        connection->fd, connection->answer.bytes + connection->sent_bytes,
        connection->answer.length - connection->sent_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      uv_poll_start(&connection->poll, UV_WRITABLE, on_event);
      return;
    }
    if (sent < 0 && errno != EINTR) {
      end(connection, false);
      return;
    }
    connection->sent_bytes += sent < 0 ? 0 : (size_t)sent;
  }
  end(connection, true);
}

static void answer(rpc_http_connection_t *connection, const char *status_line,
                   const char *content_type, const pod_text_t *body) {
  pod_text_t *text = &connection->answer;
  pod_text_printf(text,
                  "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s"
                  "Connection: close\r\n\r\n",
                  status_line, content_type, body->length,
                  strncmp(status_line, "405", 3) == 0 ? "Allow: GET\r\n" : "");
  pod_text_add_bytes(text, body->bytes, body->length);
  connection->is_writing = true;
  rpc_alarm_set_in_ms(connection->http->loop, &connection->alarm, RPC_HTTP_TIMEOUT_MS);
  send_rest(connection);
}

static void refuse(rpc_http_connection_t *connection, const char *status_line) {
  pod_text_t body = {0};
  pod_text_printf(&body, "%s\n", status_line);
  answer(connection, status_line, "text/plain; charset=utf-8", &body);
  pod_text_deinit(&body);
}

// --- The request ---

static const rpc_http_page_t *find_page(const rpc_http_t *http, const char *target) {
  const size_t length = strcspn(target, "?#");
  const rpc_http_page_t *page = http->pages;
  while (page->path != NULL &&
         (strlen(page->path) != length || strncmp(page->path, target, length) != 0)) {
    page++;
  }
  return page->path == NULL ? NULL : page;
}

// "GET /metrics HTTP/1.1", cut into its words. NULL: it is one of those we answer, else
// the status that it gets.
static const char *parse_line(char *line, const char **out_target) {
  char *target = strchr(line, ' ');
  char *version = target == NULL ? NULL : strchr(target + 1, ' ');
  if (version == NULL || target == line || version == target + 1 ||
      strchr(version + 1, ' ') != NULL) {
    return "400 Bad Request";
  }
  *target = *version = '\0';
  if (strncmp(version + 1, "HTTP/", strlen("HTTP/")) != 0) {
    return "400 Bad Request";
  }
  if (strcmp(version + 1, "HTTP/1.1") != 0 && strcmp(version + 1, "HTTP/1.0") != 0) {
    return "505 HTTP Version Not Supported";
  }
  if (strcmp(line, "GET") != 0) {
    return "405 Method Not Allowed";
  }
  *out_target = target + 1;
  return NULL;
}

static void take_request(rpc_http_connection_t *connection) {
  connection->request[connection->request_bytes] = '\0';
  if (memchr(connection->request, '\0', connection->request_bytes) != NULL) {
    refuse(connection, "400 Bad Request");
    return;
  }
  char *line = connection->request;
  line[strcspn(line, "\r\n")] = '\0';
  const char *target = NULL;
  const char *wrong = parse_line(line, &target);
  if (wrong != NULL) {
    refuse(connection, wrong);
    return;
  }
  const rpc_http_page_t *page = find_page(connection->http, target);
  if (page == NULL) {
    refuse(connection, "404 Not Found");
    return;
  }
  pod_text_t body = {0};
  page->write(&body, connection->http->context);
  answer(connection, "200 OK", page->content_type, &body);
  pod_text_deinit(&body);
}

static bool has_ended(const rpc_http_connection_t *connection) {
  const char *text = connection->request;
  const size_t size = connection->request_bytes;
  return memmem(text, size, "\r\n\r\n", 4) != NULL ||
         memmem(text, size, "\n\n", 2) != NULL;
}

static void read_more(rpc_http_connection_t *connection) {
  const ssize_t got =
      recv(connection->fd, connection->request + connection->request_bytes,
           RPC_HTTP_REQUEST_BYTES_MAX - connection->request_bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    end(connection, false);
    return;
  }
  connection->request_bytes += (size_t)got;
  if (has_ended(connection)) {
    take_request(connection);
  } else if (connection->request_bytes == RPC_HTTP_REQUEST_BYTES_MAX) {
    refuse(connection, "431 Request Header Fields Too Large");
  }
}

static void on_event(uv_poll_t *poll, int status, int events) {
  (void)events;
  rpc_http_connection_t *connection = poll->data;
  rpc_loop_awake(connection->http->loop);
  if (status < 0) {
    end(connection, false);
  } else if (connection->is_writing) {
    send_rest(connection);
  } else {
    read_more(connection);
  }
}

// --- Who comes ---

// False: there is no place, and nobody has had one for long.
static bool make_room(rpc_http_t *http) {
  if (http->connection_count < RPC_HTTP_CONNECTIONS_MAX) {
    return true;
  }
  rpc_http_connection_t *oldest = http->connections;
  while (oldest->next != NULL) {
    oldest = oldest->next;
  }
  if (pod_clock_now_ns() - oldest->since_ns < (int64_t)RPC_HTTP_FRESH_MS * NS_PER_MS) {
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
  rpc_http_connection_t *connection = pod_alloc(sizeof(*connection));
  if (uv_poll_init(&http->loop->uv, &connection->poll, fd) != 0) {
    close(fd);
    free(connection);
    return;
  }
  connection->alarm.fn = on_late;
  connection->poll.data = connection;
  connection->http = http;
  connection->fd = fd;
  connection->since_ns = pod_clock_now_ns();
  connection->next = http->connections;
  if (connection->next != NULL) {
    connection->next->previous = connection;
  }
  http->connections = connection;
  http->connection_count++;
  rpc_alarm_set_in_ms(http->loop, &connection->alarm, RPC_HTTP_TIMEOUT_MS);
  uv_poll_start(&connection->poll, UV_READABLE, on_event);
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

pod_status_t rpc_http_listen(rpc_loop_t *loop, const char *address,
                             const rpc_http_page_t *pages, void *context,
                             rpc_http_t **out_http, char **out_bound_address) {
  rpc_address_t wanted;
  int fd;
  POD_TRY(rpc_address_resolve(address, &wanted));
  POD_TRY(rpc_address_listen(&wanted, &fd));
  rpc_address_t bound = {.size_bytes = sizeof(bound.socket)};
  if (getsockname(fd, (struct sockaddr *)&bound.socket, &bound.size_bytes) != 0) {
    bound = wanted;
  }
  rpc_http_t *http = pod_alloc(sizeof(*http));
  if (uv_poll_init(&loop->uv, &http->poll, fd) != 0) {
    close(fd);
    free(http);
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot poll the socket of %s", address);
  }
  http->retry.fn = on_retry;
  http->poll.data = http;
  http->loop = loop;
  http->pages = pages;
  http->context = context;
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
  while (http->connections != NULL) {
    end(http->connections, false);
  }
  rpc_alarm_cancel(http->loop, &http->retry);
  uv_poll_stop(&http->poll);
  if (http->unlink_path != NULL) {
    unlink(http->unlink_path);
  }
  close(http->fd);
  uv_close((uv_handle_t *)&http->poll, free_http);
}
