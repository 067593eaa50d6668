// Listening, connections, and which method a path means. Stopping is graceful: GOAWAY,
// calls that run end by themselves within the time given, the rest is aborted.

#include "common/rpc/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"

enum {
  ACCEPTS_PER_TURN = 64,
  ACCEPT_RETRY_MS = 100,  // When the process has no file descriptors left.
  HANDSHAKE_MS_DEFAULT = 10000,
  KEEPALIVE_MS_DEFAULT = 30000,
  KEEPALIVE_TIMEOUT_MS_DEFAULT = 10000,
  HEADERS_MS_DEFAULT = 10000,
  IDLE_MS_DEFAULT = 15 * 60 * 1000,
  LOG_INTERVAL_MS = 5000,  // Of lines that whoever connects can bring about.
  PORTS_TRIED_MAX = 16,    // Whose shortcuts somebody else has.
  DESCRIPTORS_LEFT = 64,   // By connections, for everything else.
};

struct rpc_listener_t {
  rpc_alarm_t retry;  // First, so that the alarm finds its listener.
  uv_poll_t poll;
  rpc_server_t *server;
  rpc_listener_t *next;
  int fd;
  char *address;      // As bound.
  char *unlink_path;  // Of a unix socket; else NULL.
  bool is_shortcut;   // Of the server's address, for our own user.
};

typedef struct rpc_entry_t {
  const rpc_method_t *method;
  void *service;
} rpc_entry_t;

// --- Services ---

rpc_service_t *rpc_server_find_service(const rpc_server_t *server, const char *name) {
  rpc_service_t *service = server->services;
  while (service != NULL && strcmp(service->name, name) != 0) {
    service = service->next;
  }
  return service;
}

static rpc_service_t *find_or_add_service(rpc_server_t *server, const char *name) {
  rpc_service_t *service = rpc_server_find_service(server, name);
  if (service == NULL) {
    service = pod_alloc(sizeof(*service) + strlen(name) + 1);
    memcpy(service->name, name, strlen(name) + 1);
    rpc_service_t **end = &server->services;
    while (*end != NULL) {
      end = &(*end)->next;
    }
    *end = service;
  }
  return service;
}

void rpc_server_add_service(rpc_server_t *server, const char *service_name,
                            const rpc_method_t *methods, void *service) {
  rpc_service_t *entry = find_or_add_service(server, service_name);
  entry->is_listed = entry->is_serving = true;
  for (; methods->path != NULL; methods++) {
    rpc_entry_t *method = pod_map_get(server->methods, methods->path);
    if (method == NULL) {
      method = pod_alloc(sizeof(*method));
      pod_map_put(server->methods, methods->path, method);
    }
    *method = (rpc_entry_t){methods, service};
  }
}

void rpc_server_set_serving(rpc_server_t *server, const char *service_name,
                            bool serving) {
  rpc_service_t *service = find_or_add_service(server, service_name);
  service->is_serving = serving;
  rpc_health_tell_watchers(server, service);
}

void rpc_server_set_authorizer(rpc_server_t *server, rpc_authorize_fn_t authorize,
                               void *context) {
  server->authorize = authorize;
  server->authorize_context = context;
}

void rpc_server_count(uint64_t counts[POD_CODE_COUNT], pod_status_t status) {
  const unsigned code = (unsigned)pod_status_code(status);
  counts[code < (unsigned)POD_CODE_COUNT ? code : (unsigned)POD_UNKNOWN]++;
}

rpc_server_counts_t rpc_server_counts(const rpc_server_t *server) {
  rpc_server_counts_t counts = server->counts;
  counts.open = server->admission.count;
  return counts;
}

static bool on_request(rpc_endpoint_t *endpoint, rpc_call_t *call, const char *path,
                       size_t path_length) {
  rpc_server_t *server = (rpc_server_t *)endpoint;
  call->server = server;
  const rpc_entry_t *entry = pod_map_get_n(server->methods, path, path_length);
  if (entry == NULL) {
    return false;
  }
  call->method = entry->method;
  call->service = entry->service;
  call->events = entry->method->events;
  call->incoming = entry->method->request;
  if (entry->method->message_bytes_max > 0 &&
      entry->method->message_bytes_max < call->message_bytes_max) {
    call->message_bytes_max = entry->method->message_bytes_max;
  }
  return true;
}

// --- Connections ---

static void on_ready(rpc_endpoint_t *endpoint, rpc_connection_t *connection) {
  (void)endpoint;
  (void)connection;
}

static void remove_connection(rpc_server_t *server, rpc_connection_t *connection) {
  if (connection->previous != NULL) {
    connection->previous->next = connection->next;
  } else {
    server->connections = connection->next;
  }
  if (connection->next != NULL) {
    connection->next->previous = connection->previous;
  }
  rpc_connection_t *moved = rpc_admission_give_up(&server->admission, connection->seat);
  if (moved != NULL) {
    moved->seat = connection->seat;
  }
}

static int64_t now_ms(const rpc_server_t *server) {
  return (int64_t)uv_now(&server->endpoint.loop->uv);
}

void rpc_server_begin_call(rpc_call_t *call) {
  if (call->connection != NULL && !call->counts && !call->method->is_idle) {
    call->counts = true;
    rpc_admission_begin(&call->server->admission, call->connection->seat);
  }
}

void rpc_call_keep_connection(rpc_call_t *call) {
  if (call->connection != NULL && !call->keeps) {
    call->keeps = true;
    rpc_admission_keep(&call->server->admission, call->connection->seat);
  }
}

void rpc_server_end_call(rpc_call_t *call) {
  if (call->counts) {
    call->counts = false;
    rpc_admission_end(&call->server->admission, call->connection->seat,
                      now_ms(call->server));
  }
  if (call->keeps) {
    call->keeps = false;
    rpc_admission_unkeep(&call->server->admission, call->connection->seat);
  }
}

static void check_done(rpc_server_t *server) {
  if (server->shutting_down && server->connections == NULL) {
    rpc_alarm_cancel(server->endpoint.loop, &server->grace);
    rpc_task_queue(server->endpoint.loop, RPC_PHASE_DELIVER, &server->done_task);
  }
}

static void on_closed(rpc_endpoint_t *endpoint, rpc_connection_t *connection,
                      pod_status_t why) {
  rpc_server_t *server = (rpc_server_t *)endpoint;
  remove_connection(server, connection);
  if (why != NULL) {
    pod_log(POD_LOG_DEBUG, "%s", pod_status_message(why));
    pod_status_free(why);
  }
  check_done(server);
}

// Takes `fd`. There must be a seat.
static pod_status_t add_connection(rpc_server_t *server, int fd, const char *address,
                                   rpc_origin_t origin, bool is_own_user) {
  rpc_loop_t *loop = server->endpoint.loop;
  const size_t size = strlen(address) + 1;
  rpc_block_t *text = rpc_block_create(loop->pool, size);
  POD_CHECK(text != NULL);
  memcpy(text->data, address, size);
  rpc_address_tune(fd);
  rpc_connection_t *connection = NULL;
  POD_TRY(rpc_connection_create(&server->endpoint, fd, text, &connection));
  connection->next = server->connections;
  if (connection->next != NULL) {
    connection->next->previous = connection;
  }
  server->connections = connection;
  connection->seat = rpc_admission_take(&server->admission, connection, origin,
                                        is_own_user, now_ms(server));
  return NULL;
}

pod_status_t rpc_server_adopt(rpc_server_t *server, int fd) {
  return add_connection(server, fd, "adopted", (rpc_origin_t){0}, true);
}

static void turn_out(rpc_server_t *server, size_t seat, bool linger) {
  server->counts.evicted++;
  rpc_connection_t *connection = server->admission.seats[seat].owner;
  rpc_connection_turn_out(
      connection,
      pod_error(POD_UNAVAILABLE, "%s did nothing with its connection and others want it",
                rpc_connection_address(connection)),
      linger);
}

// False when there is no seat, and nobody who has to give his up.
static bool make_room(rpc_listener_t *listener, rpc_origin_t origin, bool is_own_user) {
  rpc_server_t *server = listener->server;
  size_t victim = 0;
  unsigned long long muted = 0;
  const rpc_verdict_t verdict =
      rpc_admission_ask(&server->admission, origin, is_own_user, now_ms(server), &victim);
  if (verdict == RPC_ADMIT_INSTEAD) {
    turn_out(server, victim, true);
  } else if (verdict == RPC_REFUSE &&
             pod_log_may(&server->full_limit, LOG_INTERVAL_MS, &muted)) {
    pod_log(POD_LOG_WARNING,
            "%s: turned a connection away, %zu are open and busy (%llu more were since "
            "the last such line)",
            listener->address, server->admission.count, muted);
  }
  return verdict != RPC_REFUSE;
}

// --- Listening ---

static void on_incoming(uv_poll_t *poll, int status, int events);

static void on_retry(rpc_alarm_t *alarm) {
  rpc_listener_t *listener = (rpc_listener_t *)alarm;
  uv_poll_start(&listener->poll, UV_READABLE, on_incoming);
}

static void admit(rpc_listener_t *listener, int fd, const rpc_address_t *peer) {
  rpc_server_t *server = listener->server;
  const bool is_unix = peer->socket.ss_family == AF_UNIX;
  const bool is_own_user = is_unix && rpc_address_is_own_user(fd);
  const rpc_origin_t origin = rpc_origin_of(peer, fd);
  if ((listener->is_shortcut && !is_own_user) ||
      !make_room(listener, origin, is_own_user)) {
    server->counts.refused++;
    close(fd);
    return;
  }
  server->counts.accepted++;
  char *address = is_unix ? pod_strdup(listener->address) : rpc_address_format(peer);
  const pod_status_t status = add_connection(server, fd, address, origin, is_own_user);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "%s", pod_status_message(status));
    pod_status_free(status);
  }
  free(address);
}

// Leaves what waits in the backlog alone for a moment: it would be reported without end.
static void retry_later(rpc_listener_t *listener, const char *why) {
  unsigned long long muted = 0;
  if (pod_log_may(&listener->server->accept_limit, LOG_INTERVAL_MS, &muted)) {
    pod_log(POD_LOG_WARNING,
            "%s: cannot accept: %s; it is tried every %d ms (%llu more such failures "
            "since the last such line)",
            listener->address, why, ACCEPT_RETRY_MS, muted);
  }
  uv_poll_stop(&listener->poll);
  rpc_alarm_set_in_ms(listener->server->endpoint.loop, &listener->retry, ACCEPT_RETRY_MS);
}

// accept4 reports that there are no descriptors even when nobody waits for one.
static bool has_incoming(const rpc_listener_t *listener) {
  struct pollfd waiting = {.fd = listener->fd, .events = POLLIN};
  return poll(&waiting, 1, 0) > 0;
}

// The process is out of descriptors: whether an unused connection could give its one.
static bool free_descriptor(rpc_server_t *server) {
  size_t victim = 0;
  if (!rpc_admission_find_unused(&server->admission, now_ms(server), &victim)) {
    return false;
  }
  turn_out(server, victim, false);
  return true;
}

static void on_incoming(uv_poll_t *poll, int status, int events) {
  (void)events;
  rpc_listener_t *listener = poll->data;
  rpc_loop_awake(listener->server->endpoint.loop);
  if (status < 0) {
    retry_later(listener, uv_strerror(status));
    return;
  }
  for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
    rpc_address_t peer = {.size_bytes = sizeof(peer.socket)};
    const int fd = accept4(listener->fd, (struct sockaddr *)&peer.socket,
                           &peer.size_bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      admit(listener, fd, &peer);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
               errno == ENOMEM) {
      const int error = errno;
      if (!has_incoming(listener)) {
        return;
      }
      if ((error == EMFILE || error == ENFILE) && free_descriptor(listener->server)) {
        continue;
      }
      retry_later(listener, strerror(error));
      return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    }
  }
}

static void free_listener(uv_handle_t *handle) {
  rpc_listener_t *listener = handle->data;
  free(listener->address);
  free(listener->unlink_path);
  free(listener);
}

static void close_listeners(rpc_server_t *server) {
  while (server->listeners != NULL) {
    rpc_listener_t *listener = server->listeners;
    server->listeners = listener->next;
    rpc_alarm_cancel(server->endpoint.loop, &listener->retry);
    uv_poll_stop(&listener->poll);
    if (listener->unlink_path != NULL) {
      unlink(listener->unlink_path);
    }
    close(listener->fd);
    uv_close((uv_handle_t *)&listener->poll, free_listener);
  }
}

// Takes `fd`. Returns NULL, and it is closed, when it cannot be polled.
static rpc_listener_t *add_listener(rpc_server_t *server, int fd,
                                    const rpc_address_t *bound) {
  rpc_listener_t *listener = pod_alloc(sizeof(*listener));
  listener->retry.fn = on_retry;
  listener->server = server;
  listener->fd = fd;
  listener->poll.data = listener;
  if (uv_poll_init(&server->endpoint.loop->uv, &listener->poll, fd) != 0) {
    close(fd);
    free(listener);
    return NULL;
  }
  listener->address = rpc_address_format(bound);
  listener->next = server->listeners;
  server->listeners = listener;
  uv_poll_start(&listener->poll, UV_READABLE, on_incoming);
  return listener;
}

// The socket of a server's address, and that of its shortcut.
typedef struct sockets_t {
  int fd, shortcut;  // -1: none.
  rpc_address_t bound;
} sockets_t;

// Anybody on this host may have taken the name of the shortcut: false then.
static bool open_shortcut(sockets_t *sockets) {
  rpc_address_t shortcut;
  sockets->shortcut = -1;
  if (!rpc_address_shortcut(&sockets->bound, &shortcut)) {
    return true;
  }
  const pod_status_t status = rpc_address_listen(&shortcut, &sockets->shortcut);
  pod_status_free(status);
  return status == NULL;
}

static pod_status_t open_sockets(const rpc_address_t *wanted, sockets_t *out,
                                 bool *out_has_shortcut) {
  POD_TRY(rpc_address_listen(wanted, &out->fd));
  out->bound = (rpc_address_t){.size_bytes = sizeof(out->bound.socket)};
  if (getsockname(out->fd, (struct sockaddr *)&out->bound.socket,
                  &out->bound.size_bytes) != 0) {
    out->bound = *wanted;
  }
  *out_has_shortcut = open_shortcut(out);
  return NULL;
}

static bool is_any_port(const rpc_address_t *address) {
  struct sockaddr_in ipv4;
  struct sockaddr_in6 ipv6;
  memcpy(&ipv4, &address->socket, sizeof(ipv4));
  memcpy(&ipv6, &address->socket, sizeof(ipv6));
  return address->socket.ss_family == AF_INET    ? ipv4.sin_port == 0
         : address->socket.ss_family == AF_INET6 ? ipv6.sin6_port == 0
                                                 : false;
}

// A port that the kernel chooses is one whose shortcut is free, if there is any.
static pod_status_t open_free_sockets(const rpc_address_t *wanted, sockets_t *out) {
  bool has_shortcut;
  POD_TRY(open_sockets(wanted, out, &has_shortcut));
  for (int i = 1; !has_shortcut && is_any_port(wanted) && i < PORTS_TRIED_MAX; i++) {
    sockets_t next;  // While the last one is held, the kernel chooses another.
    const pod_status_t status = open_sockets(wanted, &next, &has_shortcut);
    close(out->fd);
    POD_TRY(status);
    *out = next;
  }
  if (!has_shortcut) {
    char *address = rpc_address_format(&out->bound);
    pod_log(POD_LOG_WARNING,
            "another process has taken the unix socket by which processes of this user "
            "know each other at %s: those that come to it by TCP need a token or a "
            "certificate, and workers the pod's secret; choose another port, or see in "
            "/proc/net/unix whose @podium-rpc it is",
            address);
    free(address);
  }
  return NULL;
}

pod_status_t rpc_server_listen(rpc_server_t *server, const char *address,
                               char **out_bound_address) {
  rpc_address_t wanted;
  sockets_t sockets;
  POD_TRY(rpc_address_resolve(address, &wanted));
  POD_TRY(open_free_sockets(&wanted, &sockets));
  rpc_listener_t *listener = add_listener(server, sockets.fd, &sockets.bound);
  rpc_listener_t *shortcut = sockets.shortcut < 0
                                 ? NULL
                                 : add_listener(server, sockets.shortcut, &sockets.bound);
  if (shortcut != NULL) {
    shortcut->is_shortcut = true;
  }
  if (listener == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot poll the socket of %s", address);
  }
  if (sockets.bound.socket.ss_family == AF_UNIX) {
    listener->unlink_path = pod_strdup(listener->address + strlen("unix:"));
  }
  *out_bound_address = pod_strdup(listener->address);
  return NULL;
}

// --- Life ---

static void run_done(rpc_task_t *task) {
  rpc_server_t *server =
      (rpc_server_t *)(void *)((char *)task - offsetof(rpc_server_t, done_task));
  const rpc_fn_t done = server->done;
  server->done = NULL;
  if (done != NULL) {
    done(server->done_context);  // May destroy the server.
  }
}

static void end_all_at_once(rpc_call_t *const *ring) {
  while (*ring != NULL) {
    rpc_call_end_now(*ring, pod_error(POD_UNAVAILABLE, "the server shuts down"));
  }
}

// Calls stay in the ring until their end is reported.
static void abort_all(rpc_call_t *ring) {
  rpc_call_t *call = ring;
  if (call == NULL) {
    return;
  }
  do {
    rpc_call_abort(call, pod_error(POD_UNAVAILABLE, "the server shuts down"));
    call = call->next;
  } while (call != ring);
}

static void on_grace_over(rpc_alarm_t *alarm) {
  rpc_server_t *server =
      (rpc_server_t *)(void *)((char *)alarm - offsetof(rpc_server_t, grace));
  // The connections close when the aborted calls have been reported; one whose socket
  // takes no more is not waited for.
  for (rpc_connection_t *connection = server->connections; connection != NULL;
       connection = connection->next) {
    abort_all(connection->calls);
  }
  rpc_task_queue(server->endpoint.loop, RPC_PHASE_DELIVER, &server->done_task);
}

// How many connections there may be, by the wish and the process's descriptors.
static size_t connections_max(uint32_t wanted) {
  const size_t most = wanted != 0 ? wanted : RPC_CONNECTIONS_DEFAULT;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return most;
  }
  const size_t all = (size_t)limit.rlim_cur;
  const size_t left = all / 2 > DESCRIPTORS_LEFT ? all - DESCRIPTORS_LEFT : all / 2 + 1;
  return most < left ? most : left;
}

static void init_admission(rpc_server_t *server, const rpc_server_options_t *wanted) {
  const size_t most = connections_max(wanted->connections_max);
  const size_t reserved =
      wanted->connections_reserved != 0 ? wanted->connections_reserved : most / 8;
  const size_t per_peer = wanted->connections_per_peer_max != 0
                              ? wanted->connections_per_peer_max
                              : RPC_CONNECTIONS_PER_PEER_DEFAULT;
  rpc_admission_init(&server->admission, most, reserved < most ? reserved : most - 1,
                     per_peer);
}

pod_status_t rpc_server_create(rpc_loop_t *loop, const rpc_server_options_t *options,
                               rpc_server_t **out_server) {
  static const rpc_server_options_t defaults;
  const rpc_server_options_t *wanted = options != NULL ? options : &defaults;
  rpc_server_t *server = pod_alloc(sizeof(*server));
  server->endpoint = (rpc_endpoint_t){
      .loop = loop,
      .is_server = true,
      .message_bytes_max = wanted->message_bytes_max != 0 ? wanted->message_bytes_max
                                                          : RPC_MESSAGE_BYTES_MAX,
      .held_bytes_max = RPC_CONNECTION_HELD_BYTES,
      .streams_max = wanted->concurrent_streams_max != 0 ? wanted->concurrent_streams_max
                                                         : RPC_STREAMS_DEFAULT,
      .asks_when_unused = true,
      .keepalive_ms =
          wanted->keepalive_ms != 0 ? wanted->keepalive_ms : KEEPALIVE_MS_DEFAULT,
      .keepalive_timeout_ms = wanted->keepalive_timeout_ms != 0
                                  ? wanted->keepalive_timeout_ms
                                  : KEEPALIVE_TIMEOUT_MS_DEFAULT,
      .handshake_ms = wanted->handshake_timeout_ms != 0 ? wanted->handshake_timeout_ms
                                                        : HANDSHAKE_MS_DEFAULT,
      .credentials = wanted->credentials,
      .headers_ms = wanted->headers_timeout_ms != 0 ? wanted->headers_timeout_ms
                                                    : HEADERS_MS_DEFAULT,
      .idle_ms = wanted->idle_timeout_ms != 0 ? wanted->idle_timeout_ms : IDLE_MS_DEFAULT,
      .on_ready = on_ready,
      .on_request = on_request,
      .on_closed = on_closed,
  };
  init_admission(server, wanted);
  server->methods = pod_map_create();
  server->grace.fn = on_grace_over;
  server->done_task.fn = run_done;
  find_or_add_service(server, "")->is_serving = true;
  rpc_health_add(server);
  rpc_reflection_add(server);
  *out_server = server;
  return NULL;
}

void rpc_server_shutdown(rpc_server_t *server, uint64_t grace_ms, rpc_fn_t done,
                         void *context) {
  server->shutting_down = true;
  server->done = done;
  server->done_context = context;
  close_listeners(server);
  for (rpc_service_t *service = server->services; service != NULL;
       service = service->next) {
    service->is_serving = false;
    rpc_health_tell_watchers(server, service);
  }
  rpc_health_end_watches(server);
  for (rpc_connection_t *connection = server->connections; connection != NULL;
       connection = connection->next) {
    rpc_connection_drain(connection);
  }
  rpc_alarm_set_in_ms(server->endpoint.loop, &server->grace, grace_ms);
  check_done(server);
}

void rpc_server_destroy(rpc_server_t *server) {
  if (server == NULL) {
    return;
  }
  close_listeners(server);
  end_all_at_once(&server->endpoint.loose);
  while (server->connections != NULL) {
    rpc_connection_t *connection = server->connections;
    end_all_at_once(&connection->calls);
    remove_connection(server, connection);
    rpc_connection_destroy(connection);
  }
  rpc_alarm_cancel(server->endpoint.loop, &server->grace);
  rpc_task_cancel(&server->done_task);
  size_t position = 0;
  const char *path = NULL;
  void *entry = NULL;
  while (pod_map_next(server->methods, &position, &path, &entry)) {
    free(entry);
  }
  pod_map_destroy(server->methods);
  rpc_admission_deinit(&server->admission);
  while (server->services != NULL) {
    rpc_service_t *service = server->services;
    server->services = service->next;
    free(service);
  }
  free(server);
}
