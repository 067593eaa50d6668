// A link's socket and what goes out over it.
//
// Outgoing frames wait in a short queue of ours, not in nng's, so that a full link is
// seen by those who fill it.
//
// Operations of nng are started under the link's lock, by those who find the socket open
// there: none of them calls back before it returns.

#include <nng/nng.h>
// Needs nng.h before it.
#include <nng/protocol/pair0/pair.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "server/ici/node.h"

enum { RECONNECT_MIN_MS = 10, RECONNECT_MAX_MS = 200, IPC_PATH_MAX = 100 };

static const char *const direction_names[TORUS_DIRECTIONS] = {"+x", "-x", "+y",
                                                              "-y", "+z", "-z"};

static const char *url_of(const ici_link_t *link) {
  if (!link->listens) {
    return link->dial_url;
  }
  return link->ipc_url[0] == '\0' || link->is_tcp ? link->tcp_url : link->ipc_url;
}

void ici_link_describe(ici_link_t *link, char *text, size_t size_bytes) {
  snprintf(text, size_bytes, "link %s to chip %d at %s", direction_names[link->direction],
           link->peer, url_of(link));
}

// ---- Going out.

static nng_msg *make_ack(ici_link_t *link) {
  ici_header_t header = ici_node_header(link->node, ICI_ACK, link->peer);
  header.offset = link->dealt;
  nng_msg *message = ici_message_make(link->node, &header, NULL);
  link->dealt_acked = message != NULL ? link->dealt : link->dealt_acked;
  link->is_ack_wanted = false;
  return message;
}

static nng_msg *next_in_queue(ici_link_t *link) {
  if (link->queue_count == 0) {
    return NULL;
  }
  nng_msg *message = link->queue[link->queue_first];
  link->queue_first = (link->queue_first + 1) % ICI_QUEUE_MAX;
  link->queue_count--;
  return message;
}

static bool is_connected(const ici_link_t *link) {
  return link->phase > ICI_PHASE_WAITING && link->phase < ICI_PHASE_OVER;
}

void ici_link_kick(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  if (!link->is_sending && is_connected(link)) {
    const bool is_ack_due =
        link->phase == ICI_PHASE_UP &&
        (link->is_ack_wanted || link->dealt - link->dealt_acked >= ICI_LINK_ACK_EVERY);
    nng_msg *message = is_ack_due ? make_ack(link) : next_in_queue(link);
    if (message != NULL) {
      link->is_sending = true;
      nng_aio_set_msg(link->send_aio, message);
      nng_send_aio(link->socket, link->send_aio);
    }
  }
  pthread_mutex_unlock(&link->lock);
}

// There may be room in the link again.
static void offer_room(ici_link_t *link) {
  ici_route_blocked(link->node);
  ici_bell_ring(link->node->bell, atomic_load(&link->node->has_stuck_ring));
}

static void on_sent(void *context) {
  ici_link_t *link = context;
  const bool is_sent = nng_aio_result(link->send_aio) == 0;
  if (is_sent) {
    ici_message_gone(link->node);
  } else {
    ici_message_free(link->node, nng_aio_get_msg(link->send_aio));
    nng_aio_set_msg(link->send_aio, NULL);
  }
  pthread_mutex_lock(&link->lock);
  link->is_sending = false;
  pthread_mutex_unlock(&link->lock);
  if (is_sent) {
    ici_link_kick(link);
    offer_room(link);
  }
}

void ici_link_acked(ici_link_t *link, int64_t count) {
  pthread_mutex_lock(&link->lock);
  if (count > link->put_acked && count <= link->put) {
    link->put_acked = count;
  }
  pthread_mutex_unlock(&link->lock);
  offer_room(link);
}

void ici_link_clear(ici_link_t *link) {
  for (; link->queue_count > 0; link->queue_count--) {
    ici_message_free(link->node, link->queue[link->queue_first]);
    link->queue_first = (link->queue_first + 1) % ICI_QUEUE_MAX;
  }
}

static void push_locked(ici_link_t *link, nng_msg *message) {
  POD_CHECK(link->queue_count < ICI_QUEUE_MAX);
  link->queue[(link->queue_first + link->queue_count) % ICI_QUEUE_MAX] = message;
  link->queue_count++;
}

void ici_link_push(ici_link_t *link, nng_msg *message) {
  pthread_mutex_lock(&link->lock);
  if (link->queue_count == ICI_QUEUE_MAX) {
    ici_link_clear(link);
  }
  push_locked(link, message);
  pthread_mutex_unlock(&link->lock);
}

static void count(ici_link_t *link, const ici_header_t *header) {
  // What is offered to be read goes over the torus as well, though not through the host's
  // memory twice.
  const int64_t bytes =
      header->kind == ICI_REQUEST ? header->total : (int64_t)header->payload_bytes;
  if (header->payload_bytes > 0) {
    atomic_fetch_add_explicit(&link->bytes_sent, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&link->frames_sent, 1, memory_order_relaxed);
  }
}

// Frames for others must not wait until the neighbour runs a collective of its own.
static bool is_urgent(const ici_link_t *link, const ici_header_t *header) {
  return header->destination != link->peer || header->kind == ICI_ABANDON;
}

static ici_put_t put_in_ring(ici_link_t *link, const ici_header_t *header,
                             const void *payload, int spare) {
  const ici_ring_put_t outcome = ici_ring_put(&link->outgoing, header, payload, spare);
  if (outcome == ICI_RING_STILL_FULL) {
    return ICI_PUT_FULL;
  }
  ici_bell_ring(link->peer_bell.memory,
                outcome == ICI_RING_FULL || is_urgent(link, header));
  return outcome == ICI_RING_PUT ? ICI_PUT_DONE : ICI_PUT_FULL;
}

static bool has_room(const ici_link_t *link, int spare) {
  return link->queue_count + spare < ICI_QUEUE_MAX &&
         link->put - link->put_acked + spare < ICI_LINK_WINDOW;
}

// With the link's lock. `payload` and `message` are the same frame; the message may be
// NULL, and is made when it is needed.
static ici_put_t put_locked(ici_link_t *link, const ici_header_t *header,
                            const void *payload, nng_msg **message, int spare) {
  if (atomic_load(&link->state) != ICI_LINK_UP) {
    return ICI_PUT_DOWN;
  }
  if (link->shares) {
    return put_in_ring(link, header, payload, spare);
  }
  if (!has_room(link, spare)) {
    return ICI_PUT_FULL;
  }
  if (*message == NULL) {
    *message = ici_message_make(link->node, header, payload);
  }
  if (*message == NULL) {
    return ICI_PUT_FULL;
  }
  link->put++;
  push_locked(link, *message);
  return ICI_PUT_DONE;
}

static ici_put_t put(ici_link_t *link, const ici_header_t *header, const void *payload,
                     nng_msg **message, int spare) {
  pthread_mutex_lock(&link->lock);
  const ici_put_t outcome = put_locked(link, header, payload, message, spare);
  const bool is_queued = outcome == ICI_PUT_DONE && !link->shares;
  pthread_mutex_unlock(&link->lock);
  if (outcome == ICI_PUT_DONE) {
    count(link, header);
  }
  if (is_queued) {
    *message = NULL;
    ici_link_kick(link);
  }
  return outcome;
}

ici_put_t ici_link_put(ici_link_t *link, const ici_header_t *header, const void *payload,
                       int spare) {
  nng_msg *message = NULL;
  return put(link, header, payload, &message, spare);
}

ici_put_t ici_link_put_message(ici_link_t *link, const ici_header_t *header,
                               nng_msg *message, int spare) {
  uint8_t *body = nng_msg_body(message);
  nng_msg *left = message;
  ici_header_encode(header, body);
  const ici_put_t outcome = put(link, header, body + ICI_HEADER_BYTES, &left, spare);
  if (outcome == ICI_PUT_DONE && left != NULL) {
    ici_message_give(link->node, left);
  }
  return outcome;
}

int64_t ici_link_piece_bytes(const ici_link_t *link) {
  return link->shares ? ICI_RING_PIECE_BYTES : ICI_PAYLOAD_MAX;
}

// ---- Coming in.

void ici_link_receive(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  link->dealt++;
  nng_recv_aio(link->socket, link->receive_aio);
  pthread_mutex_unlock(&link->lock);
  ici_link_kick(link);  // An acknowledgement may be due.
}

static void on_received(void *context) {
  ici_link_t *link = context;
  if (nng_aio_result(link->receive_aio) != 0) {
    return;  // The socket is being closed.
  }
  nng_msg *message = nng_aio_get_msg(link->receive_aio);
  nng_aio_set_msg(link->receive_aio, NULL);
  ici_message_got(link->node);
  ici_header_t header;
  if (!ici_session_receive(link, message, &header)) {
    ici_message_free(link->node, message);
    nng_recv_aio(link->socket, link->receive_aio);
  } else if (ici_route_message(link, &header, message)) {
    ici_link_receive(link);
  }  // Else it goes on when the frame has found room.
}

static void on_pipe(nng_pipe pipe, nng_pipe_ev event, void *context) {
  ici_link_t *link = context;
  if (event == NNG_PIPE_EV_REM_POST) {
    ici_session_gone(link, pipe);
  } else if (!ici_session_begin(link, pipe)) {
    nng_pipe_close(pipe);
  }
}

// ---- Opening and closing.

static pod_status_t nng_failure(int result, const ici_link_t *link, const char *what) {
  return pod_error(result == NNG_ENOMEM ? POD_RESOURCE_EXHAUSTED : POD_UNAVAILABLE,
                   "link %s to chip %d: %s: %s", direction_names[link->direction],
                   link->peer, what, nng_strerror(result));
}

// Our own file in the directory: the process, chip and direction make it unique.
static pod_status_t set_ipc(ici_link_t *link, const char *directory) {
  const int length = snprintf(link->ipc_url, sizeof(link->ipc_url),
                              "ipc://%s/ici-%d-%d%s.sock", directory, (int)getpid(),
                              link->node->chip, direction_names[link->direction]);
  if (directory[0] != '/' || length >= IPC_PATH_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the directory for ICI sockets, '%s', must be an absolute path of "
                     "less than %d bytes",
                     directory, IPC_PATH_MAX - 40);
  }
  return NULL;
}

pod_status_t ici_link_set_listen(ici_link_t *link, const char *ipc_directory,
                                 const char *tcp_host) {
  if (ipc_directory != NULL) {
    POD_TRY(set_ipc(link, ipc_directory));
  }
  if (tcp_host == NULL) {
    return NULL;
  }
  const int length =
      snprintf(link->tcp_url, sizeof(link->tcp_url), "tcp://%s:0", tcp_host);
  if (length >= (int)sizeof(link->tcp_url) - 8) {
    return pod_error(POD_INVALID_ARGUMENT, "the host for ICI sockets, '%s', is too long",
                     tcp_host);
  }
  return NULL;
}

// What stands there under this name is our last socket's, or left from a process that is
// gone.
static pod_status_t listen_ipc(ici_link_t *link) {
  unlink(link->ipc_url + strlen("ipc://"));
  const int result = nng_listen(link->socket, link->ipc_url, NULL, 0);
  return result == 0 ? NULL : nng_failure(result, link, link->ipc_url);
}

// On a free port the first time, on the same one from then on.
static pod_status_t listen_tcp(ici_link_t *link) {
  nng_listener listener;
  int port = 0;
  int result = nng_listen(link->socket, link->tcp_url, &listener, 0);
  if (result == 0) {
    result = nng_listener_get_int(listener, NNG_OPT_TCP_BOUND_PORT, &port);
  }
  if (result != 0) {
    return nng_failure(result, link, link->tcp_url);
  }
  char *colon = strrchr(link->tcp_url, ':');
  if (strcmp(colon, ":0") == 0) {
    snprintf(colon, sizeof(link->tcp_url) - (size_t)(colon - link->tcp_url), ":%d", port);
  }
  return NULL;
}

static int set_up_socket(ici_link_t *link) {
  int result = nng_aio_alloc(&link->send_aio, on_sent, link);
  if (result == 0) {
    result = nng_aio_alloc(&link->receive_aio, on_received, link);
  }
  if (result == 0) {
    result = nng_socket_set_size(link->socket, NNG_OPT_RECVMAXSZ, ICI_FRAME_MAX);
  }
  if (result == 0) {
    result = nng_socket_set_int(link->socket, NNG_OPT_RECVBUF, ICI_RECEIVE_BUFFER);
  }
  if (result == 0) {
    result = nng_socket_set_ms(link->socket, NNG_OPT_RECONNMINT, RECONNECT_MIN_MS);
  }
  if (result == 0) {
    result = nng_socket_set_ms(link->socket, NNG_OPT_RECONNMAXT, RECONNECT_MAX_MS);
  }
  if (result == 0) {
    result = nng_pipe_notify(link->socket, NNG_PIPE_EV_ADD_PRE, on_pipe, link);
  }
  if (result == 0) {
    result = nng_pipe_notify(link->socket, NNG_PIPE_EV_REM_POST, on_pipe, link);
  }
  return result;
}

static pod_status_t listen_or_dial(ici_link_t *link) {
  if (!link->listens) {
    char url[ICI_URL_MAX + 1];
    pthread_mutex_lock(&link->lock);
    memcpy(url, link->dial_url, sizeof(url));
    pthread_mutex_unlock(&link->lock);
    const int result = nng_dial(link->socket, url, NULL, NNG_FLAG_NONBLOCK);
    return result == 0 ? NULL : nng_failure(result, link, url);
  }
  if (link->ipc_url[0] != '\0') {
    POD_TRY(listen_ipc(link));
  }
  return link->tcp_url[0] != '\0' ? listen_tcp(link) : NULL;
}

pod_status_t ici_link_open(ici_link_t *link) {
  nng_socket socket;
  int result = nng_pair0_open(&socket);
  if (result != 0) {
    return nng_failure(result, link, "cannot open a socket");
  }
  pthread_mutex_lock(&link->lock);
  link->socket = socket;
  link->pipe = 0;
  link->is_sending = false;
  link->phase = ICI_PHASE_WAITING;
  link->until_ns = INT64_MAX;
  pthread_mutex_unlock(&link->lock);
  result = set_up_socket(link);
  if (result != 0) {
    return nng_failure(result, link, "cannot set up a socket");
  }
  nng_recv_aio(link->socket, link->receive_aio);
  return listen_or_dial(link);
}

// Nobody passes it on any more when this returns, and so nobody asks for the next one in
// its name.
static void drop_blocked(ici_link_t *link) {
  pthread_mutex_lock(&link->node->forward_lock);
  pthread_mutex_lock(&link->lock);
  if (link->blocked != NULL) {
    ici_message_free(link->node, link->blocked);
    link->blocked = NULL;
    atomic_fetch_sub(&link->node->waiting, 1);
  }
  pthread_mutex_unlock(&link->lock);
  pthread_mutex_unlock(&link->node->forward_lock);
}

// The operations are stopped before the socket goes: one that is started on a socket that
// is just closing may outlive it.
void ici_link_close(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  const bool is_open = link->phase != ICI_PHASE_CLOSED;
  link->phase = ICI_PHASE_CLOSED;
  ici_link_clear(link);
  pthread_mutex_unlock(&link->lock);
  if (!is_open) {
    return;
  }
  nng_aio_stop(link->send_aio);
  nng_aio_stop(link->receive_aio);
  drop_blocked(link);
  nng_close(link->socket);
  nng_aio_free(link->send_aio);
  nng_aio_free(link->receive_aio);
  link->send_aio = link->receive_aio = NULL;
}

static bool is_url(const char *url) {
  return strncmp(url, "ipc:///", 7) == 0 || strncmp(url, "tcp://", 6) == 0;
}

pod_status_t ici_link_dial(ici_link_t *link, const char *url) {
  if (!is_url(url) || strlen(url) > ICI_URL_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' is no address of an ICI link; it must be like ipc:///path or "
                     "tcp://host:port",
                     url);
  }
  pthread_mutex_lock(&link->lock);
  const bool is_same = strcmp(url, link->dial_url) == 0;
  if (!is_same) {
    snprintf(link->dial_url, sizeof(link->dial_url), "%s", url);
    link->idle_rounds = link->failures = 0;
    link->until_ns = link->phase == ICI_PHASE_CLOSED ? 0 : link->until_ns;
  }
  pthread_mutex_unlock(&link->lock);
  if (!is_same) {
    ici_session_leave(link, "its other end has another address now");
    ici_keeper_call(link->node);
  }
  return NULL;
}
