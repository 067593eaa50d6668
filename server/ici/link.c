// A link's doors and its pipe, and what goes out over it.
//
// Outgoing frames wait in a short queue of ours, not in the carrier's, so that a full
// link is seen by those who fill it.
//
// A pipe's operations are started under the link's lock, by those who find the pipe
// there: none of them calls back before it returns, and who destroys the pipe takes it
// away first.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "server/ici/node.h"

enum { IPC_PATH_MAX = 100 };

#define TCP_SCHEME "tcp://"
#define TLS_SCHEME "tls+tcp://"

static const char *const direction_names[TORUS_LINKS] = {
    "+x", "-x", "+y", "-y", "+z", "-z", "+slice", "-slice", "+core", "-core"};

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
  if (!link->is_sending && link->pipe != NULL && is_connected(link)) {
    const bool is_ack_due =
        link->phase == ICI_PHASE_UP &&
        (link->is_ack_wanted || link->dealt - link->dealt_acked >= ICI_LINK_ACK_EVERY);
    nng_msg *message = is_ack_due ? make_ack(link) : next_in_queue(link);
    if (message != NULL) {
      link->is_sending = true;
      link->node->carrier->send(link->pipe, message);
    }
  }
  pthread_mutex_unlock(&link->lock);
}

// There may be room in the link again.
static void offer_room(ici_link_t *link) {
  ici_node_t *node = link->node;
  ici_route_blocked(node);
  atomic_thread_fence(memory_order_seq_cst);  // Room first, then who waits for it.
  ici_bell_ring(node->bell, atomic_load(&node->has_stuck_ring));
}

static void on_sent(void *context, bool is_sent) {
  ici_link_t *link = context;
  pthread_mutex_lock(&link->lock);
  link->is_sending = false;
  pthread_mutex_unlock(&link->lock);
  if (is_sent) {
    ici_link_kick(link);
    offer_room(link);
  } else {
    ici_session_gone(link);
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
  if (link->pipe != NULL) {
    link->node->carrier->receive(link->pipe);
  }
  pthread_mutex_unlock(&link->lock);
}

void ici_link_dealt(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  link->dealt++;
  pthread_mutex_unlock(&link->lock);
  ici_link_kick(link);  // An acknowledgement may be due.
}

static void on_received(void *context, nng_msg *message) {
  ici_link_t *link = context;
  if (message == NULL) {
    ici_session_gone(link);
    return;
  }
  ici_header_t header;
  if (ici_session_receive(link, message, &header)) {
    ici_route_message(link, &header, message);
  } else {
    ici_message_give(link->node, message);
  }
  ici_link_receive(link);
}

static void on_connected(void *context, ici_door_t *door, ici_pipe_t *pipe) {
  ici_link_t *link = context;
  pthread_mutex_lock(&link->lock);
  const int which = door == link->doors[0] ? 0 : 1;
  if (pipe != NULL) {
    ici_gate_enter(link, pipe);  // With the place that was kept for what was asked for.
  }
  link->is_asked[which] = false;
  pthread_mutex_unlock(&link->lock);
  if (pipe == NULL) {
    ici_session_refused(link);
  }
  ici_keeper_call(link->node);
}

static nng_msg *take_message(void *context, size_t size_bytes) {
  return ici_message_take(((ici_link_t *)context)->node, size_bytes);
}

static void give_message(void *context, nng_msg *message) {
  ici_message_give(((ici_link_t *)context)->node, message);
}

const ici_pipe_user_t ici_link_user = {.connected = on_connected,
                                       .sent = on_sent,
                                       .received = on_received,
                                       .take = take_message,
                                       .give = give_message};

// ---- Opening and closing.

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
      snprintf(link->tcp_url, sizeof(link->tcp_url), "%s%s:0",
               link->node->tls != NULL ? TLS_SCHEME : TCP_SCHEME, tcp_host);
  if (length >= (int)sizeof(link->tcp_url) - 8) {
    return pod_error(POD_INVALID_ARGUMENT, "the host for ICI sockets, '%s', is too long",
                     tcp_host);
  }
  return NULL;
}

// Keeps a door that has been opened.
static void add_door(ici_link_t *link, ici_door_t *door) {
  pthread_mutex_lock(&link->lock);
  link->doors[link->door_count++] = door;
  pthread_mutex_unlock(&link->lock);
}

// What stands there under this name is left from a process that is gone.
static pod_status_t listen_ipc(ici_link_t *link) {
  ici_door_t *door;
  int port;
  unlink(link->ipc_url + strlen("ipc://"));
  POD_TRY(link->node->carrier->listen(link->ipc_url, link->node->tls, &ici_link_user,
                                      link, &door, &port));
  add_door(link, door);
  return NULL;
}

static pod_status_t listen_tcp(ici_link_t *link) {
  ici_door_t *door;
  int port = 0;
  POD_TRY(link->node->carrier->listen(link->tcp_url, link->node->tls, &ici_link_user,
                                      link, &door, &port));
  add_door(link, door);
  char *colon = strrchr(link->tcp_url, ':');
  snprintf(colon, sizeof(link->tcp_url) - (size_t)(colon - link->tcp_url), ":%d", port);
  return NULL;
}

static pod_status_t listen_at_doors(ici_link_t *link) {
  if (link->ipc_url[0] != '\0') {
    POD_TRY(listen_ipc(link));
  }
  return link->tcp_url[0] != '\0' ? listen_tcp(link) : NULL;
}

// Nobody asks them meanwhile: the keeper does.
static void close_doors(ici_link_t *link) {
  for (int i = 0; i < link->door_count; i++) {
    link->node->carrier->destroy_door(link->doors[i]);
  }
  pthread_mutex_lock(&link->lock);
  link->door_count = 0;
  link->is_asked[0] = link->is_asked[1] = false;
  pthread_mutex_unlock(&link->lock);
}

static pod_status_t open_dialer(ici_link_t *link) {
  ici_door_t *door;
  pthread_mutex_lock(&link->lock);
  const bool is_same = strcmp(link->open_url, link->dial_url) == 0;
  memcpy(link->open_url, link->dial_url, sizeof(link->open_url));
  pthread_mutex_unlock(&link->lock);
  if (link->door_count > 0 && is_same) {
    return NULL;
  }
  close_doors(link);
  POD_TRY(link->node->carrier->dial(link->open_url, link->node->tls, &ici_link_user, link,
                                    &door));
  add_door(link, door);
  return NULL;
}

static pod_status_t open_doors(ici_link_t *link) {
  if (!link->listens) {
    return open_dialer(link);
  }
  if (link->door_count > 0) {
    return NULL;
  }
  const pod_status_t status = listen_at_doors(link);
  if (status != NULL) {
    close_doors(link);
  }
  return status;
}

void ici_link_ask(ici_link_t *link) {
  for (int i = 0; i < link->door_count && link->phase == ICI_PHASE_WAITING; i++) {
    const int asked = (link->is_asked[0] ? 1 : 0) + (link->is_asked[1] ? 1 : 0);
    if (!link->is_asked[i] && ici_gate_has_place(link, asked)) {
      link->is_asked[i] = true;
      link->node->carrier->next(link->doors[i]);
    }
  }
}

pod_status_t ici_link_open(ici_link_t *link) {
  const pod_status_t status = open_doors(link);
  if (status != NULL) {
    return pod_status_context(status, "link %s to chip %d",
                              direction_names[link->direction], link->peer);
  }
  pthread_mutex_lock(&link->lock);
  link->is_sending = false;
  link->phase = ICI_PHASE_WAITING;
  link->until_ns = INT64_MAX;
  ici_link_ask(link);
  pthread_mutex_unlock(&link->lock);
  return NULL;
}

void ici_link_close(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  ici_pipe_t *pipe = link->pipe;
  link->pipe = NULL;
  link->phase = ICI_PHASE_CLOSED;
  ici_link_clear(link);
  ici_gate_clear(link);
  pthread_mutex_unlock(&link->lock);
  if (pipe != NULL) {
    link->node->carrier->destroy_pipe(pipe);
  }
  ici_route_drop_blocked(link);
}

void ici_link_shut(ici_link_t *link) {
  close_doors(link);
  ici_link_close(link);
  ici_gate_shut(link);
}

// Between hosts all links are encrypted, or none is.
static bool is_url(const ici_link_t *link, const char *url) {
  const char *scheme = link->node->tls != NULL ? TLS_SCHEME : TCP_SCHEME;
  return strncmp(url, "ipc:///", 7) == 0 || strncmp(url, scheme, strlen(scheme)) == 0;
}

pod_status_t ici_link_dial(ici_link_t *link, const char *url) {
  if (!is_url(link, url) || strlen(url) > ICI_URL_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' is no address of an ICI link of this chip; it must be like "
                     "ipc:///path or %shost:port",
                     url, link->node->tls != NULL ? TLS_SCHEME : TCP_SCHEME);
  }
  ici_session_redirect(link, url);
  return NULL;
}
