// The pipe over nng's byte streams (nng_stream), without its protocols: their transports
// (1.5.2) lose the end of a receive when a connection breaks between two parts of a
// message, and take one that breaks before it was greeted for the end of its listener.
// Here a read or write that does not do all is simply asked for again, and every one ends
// in its callback.
//
// What comes is read in two parts, the length with the frame's header, and the payload;
// the length is judged before memory is taken for it.

#include <nng/nng.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "server/ici/frame.h"
#include "server/ici/pipe.h"
#include "server/ici/tls.h"

enum {
  LENGTH_BYTES = 4,
  HEAD_BYTES = LENGTH_BYTES + ICI_HEADER_BYTES,
  DIAL_TIMEOUT_MS = 8000,
};

struct ici_door_t {
  const ici_pipe_user_t *user;
  void *context;
  bool is_tcp, is_encrypted;
  nng_stream_listener *listener;  // One of the two.
  nng_stream_dialer *dialer;
  nng_aio *aio;
};

typedef struct stream_pipe_t {
  ici_pipe_t pipe;
  nng_stream *stream;
  nng_aio *send_aio, *receive_aio;
  // What is on its way, and how much of it has gone: length, then frame.
  nng_msg *sending;
  uint8_t length[LENGTH_BYTES];
  size_t sent_bytes;
  uint8_t head[HEAD_BYTES];
  nng_msg *receiving;  // Once the head is there.
  size_t received_bytes;
} stream_pipe_t;

static pod_status_t failure(int result, const char *url) {
  return pod_error(result == NNG_ENOMEM ? POD_RESOURCE_EXHAUSTED : POD_UNAVAILABLE,
                   "%s: %s", url, nng_strerror(result));
}

// ---- Sending.

static void send_more(stream_pipe_t *pipe) {
  nng_iov parts[2];
  unsigned count = 0;
  size_t at = pipe->sent_bytes;
  if (at < LENGTH_BYTES) {
    parts[count++] = (nng_iov){pipe->length + at, LENGTH_BYTES - at};
    at = LENGTH_BYTES;
  }
  at -= LENGTH_BYTES;
  parts[count++] = (nng_iov){(uint8_t *)nng_msg_body(pipe->sending) + at,
                             nng_msg_len(pipe->sending) - at};
  (void)nng_aio_set_iov(pipe->send_aio, count, parts);
  nng_stream_send(pipe->stream, pipe->send_aio);
}

static void on_sent(void *context) {
  stream_pipe_t *pipe = context;
  const bool is_sent = nng_aio_result(pipe->send_aio) == 0;
  pipe->sent_bytes += is_sent ? nng_aio_count(pipe->send_aio) : 0;
  if (is_sent && pipe->sent_bytes < LENGTH_BYTES + nng_msg_len(pipe->sending)) {
    send_more(pipe);
    return;
  }
  pipe->pipe.user->give(pipe->pipe.context, pipe->sending);
  pipe->sending = NULL;
  pipe->pipe.user->sent(pipe->pipe.context, is_sent);
}

static void stream_send(ici_pipe_t *base, nng_msg *message) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  const size_t size_bytes = nng_msg_len(message);
  for (int i = 0; i < LENGTH_BYTES; i++) {
    pipe->length[i] = (uint8_t)(size_bytes >> (8 * i));
  }
  pipe->sending = message;
  pipe->sent_bytes = 0;
  send_more(pipe);
}

// ---- Receiving.

static void receive_more(stream_pipe_t *pipe) {
  nng_iov part = {pipe->head + pipe->received_bytes, HEAD_BYTES - pipe->received_bytes};
  if (pipe->receiving != NULL) {
    const size_t at = pipe->received_bytes - LENGTH_BYTES;
    part = (nng_iov){(uint8_t *)nng_msg_body(pipe->receiving) + at,
                     nng_msg_len(pipe->receiving) - at};
  }
  (void)nng_aio_set_iov(pipe->receive_aio, 1, &part);
  nng_stream_recv(pipe->stream, pipe->receive_aio);
}

// The head is there: takes memory for the frame. False: it is none.
static bool begin_frame(stream_pipe_t *pipe) {
  size_t size_bytes = 0;
  for (int i = 0; i < LENGTH_BYTES; i++) {
    size_bytes |= (size_t)pipe->head[i] << (8 * i);
  }
  if (size_bytes < ICI_HEADER_BYTES || size_bytes > pipe->pipe.frame_bytes_max) {
    return false;
  }
  pipe->receiving = pipe->pipe.user->take(pipe->pipe.context, size_bytes);
  if (pipe->receiving == NULL) {
    return false;
  }
  memcpy(nng_msg_body(pipe->receiving), pipe->head + LENGTH_BYTES, ICI_HEADER_BYTES);
  return true;
}

static void drop_half(stream_pipe_t *pipe) {
  if (pipe->receiving != NULL) {
    pipe->pipe.user->give(pipe->pipe.context, pipe->receiving);
    pipe->receiving = NULL;
  }
}

static void on_received(void *context) {
  stream_pipe_t *pipe = context;
  bool is_well = nng_aio_result(pipe->receive_aio) == 0;
  pipe->received_bytes += is_well ? nng_aio_count(pipe->receive_aio) : 0;
  if (is_well && pipe->receiving == NULL && pipe->received_bytes == HEAD_BYTES) {
    is_well = begin_frame(pipe);
  }
  if (!is_well) {
    drop_half(pipe);
    pipe->pipe.user->received(pipe->pipe.context, NULL);
    return;
  }
  if (pipe->receiving == NULL ||
      pipe->received_bytes < LENGTH_BYTES + nng_msg_len(pipe->receiving)) {
    receive_more(pipe);
    return;
  }
  nng_msg *message = pipe->receiving;
  pipe->receiving = NULL;
  pipe->pipe.user->received(pipe->pipe.context, message);
}

static void stream_receive(ici_pipe_t *base) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  pipe->received_bytes = 0;
  receive_more(pipe);
}

// ---- Pipes.

static void stream_close_pipe(ici_pipe_t *base) {
  nng_stream_close(((stream_pipe_t *)base)->stream);
}

static void stream_destroy_pipe(ici_pipe_t *base) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  nng_stream_close(pipe->stream);
  nng_aio_stop(pipe->send_aio);
  nng_aio_stop(pipe->receive_aio);
  nng_stream_free(pipe->stream);
  nng_aio_free(pipe->send_aio);
  nng_aio_free(pipe->receive_aio);
  // Of what was begun when the operations had been stopped.
  drop_half(pipe);
  if (pipe->sending != NULL) {
    pipe->pipe.user->give(pipe->pipe.context, pipe->sending);
  }
  free(pipe);
}

static ici_pipe_t *make_pipe(const ici_door_t *door, nng_stream *stream) {
  stream_pipe_t *pipe = pod_alloc(sizeof(*pipe));
  uint64_t process = 0, user = 0;
  *pipe = (stream_pipe_t){.pipe = {.user = door->user,
                                   .context = door->context,
                                   .frame_bytes_max = ICI_FRAME_MAX,
                                   .is_tcp = door->is_tcp,
                                   .is_encrypted = door->is_encrypted},
                          .stream = stream};
  if (nng_aio_alloc(&pipe->send_aio, on_sent, pipe) != 0 ||
      nng_aio_alloc(&pipe->receive_aio, on_received, pipe) != 0) {
    nng_stream_free(stream);
    nng_aio_free(pipe->send_aio);
    free(pipe);
    return NULL;
  }
  if (door->is_tcp) {  // A short frame is not to wait for the last one's acknowledgement.
    (void)nng_stream_set_bool(stream, NNG_OPT_TCP_NODELAY, true);
  }
  // Another user's memory is not to be had in common, even where we might (as root).
  if (nng_stream_get_uint64(stream, NNG_OPT_IPC_PEER_PID, &process) == 0 &&
      nng_stream_get_uint64(stream, NNG_OPT_IPC_PEER_UID, &user) == 0 &&
      process <= INT32_MAX && user == geteuid()) {
    pipe->pipe.process = (int32_t)process;
  }
  return &pipe->pipe;
}

// ---- Doors.

static void on_connected(void *context) {
  ici_door_t *door = context;
  ici_pipe_t *pipe = NULL;
  if (nng_aio_result(door->aio) == 0) {
    pipe = make_pipe(door, nng_aio_get_output(door->aio, 0));
  }
  door->user->connected(door->context, door, pipe);
}

static void stream_destroy_door(ici_door_t *door) {
  if (door->listener != NULL) {
    nng_stream_listener_close(door->listener);
  }
  if (door->dialer != NULL) {
    nng_stream_dialer_close(door->dialer);
  }
  if (door->aio != NULL) {
    nng_aio_stop(door->aio);
    nng_aio_free(door->aio);
  }
  if (door->listener != NULL) {
    nng_stream_listener_free(door->listener);
  }
  if (door->dialer != NULL) {
    nng_stream_dialer_free(door->dialer);
  }
  free(door);
}

static ici_door_t *make_door(const char *url, const ici_pipe_user_t *user,
                             void *context) {
  ici_door_t *door = pod_alloc(sizeof(*door));
  const bool is_encrypted = strncmp(url, "tls+tcp:", 8) == 0;
  *door = (ici_door_t){.user = user,
                       .context = context,
                       .is_tcp = is_encrypted || strncmp(url, "tcp:", 4) == 0,
                       .is_encrypted = is_encrypted};
  return door;
}

static pod_status_t stream_listen(const char *url, const ici_tls_t *tls,
                                  const ici_pipe_user_t *user, void *context,
                                  ici_door_t **out_door, int *out_port) {
  ici_door_t *door = make_door(url, user, context);
  int result = nng_aio_alloc(&door->aio, on_connected, door);
  if (result == 0) {
    result = nng_stream_listener_alloc(&door->listener, url);
  }
  if (result == 0 && door->is_encrypted) {
    result = ici_tls_set_listener(tls, door->listener);
  }
  if (result == 0) {
    result = nng_stream_listener_listen(door->listener);
  }
  if (result == 0 && door->is_tcp) {
    result =
        nng_stream_listener_get_int(door->listener, NNG_OPT_TCP_BOUND_PORT, out_port);
  }
  if (result != 0) {
    stream_destroy_door(door);
    return failure(result, url);
  }
  *out_door = door;
  return NULL;
}

static pod_status_t stream_dial(const char *url, const ici_tls_t *tls,
                                const ici_pipe_user_t *user, void *context,
                                ici_door_t **out_door) {
  ici_door_t *door = make_door(url, user, context);
  int result = nng_aio_alloc(&door->aio, on_connected, door);
  if (result == 0) {
    nng_aio_set_timeout(door->aio, DIAL_TIMEOUT_MS);
    result = nng_stream_dialer_alloc(&door->dialer, url);
  }
  if (result == 0 && door->is_encrypted) {
    result = ici_tls_set_dialer(tls, door->dialer);
  }
  if (result != 0) {
    stream_destroy_door(door);
    return failure(result, url);
  }
  *out_door = door;
  return NULL;
}

static void stream_next(ici_door_t *door) {
  if (door->listener != NULL) {
    nng_stream_listener_accept(door->listener, door->aio);
  } else {
    nng_stream_dialer_dial(door->dialer, door->aio);
  }
}

const ici_carrier_t ici_stream_carrier = {.listen = stream_listen,
                                          .dial = stream_dial,
                                          .next = stream_next,
                                          .destroy_door = stream_destroy_door,
                                          .send = stream_send,
                                          .receive = stream_receive,
                                          .close_pipe = stream_close_pipe,
                                          .destroy_pipe = stream_destroy_pipe};
