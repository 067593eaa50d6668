// The pipe over nng's byte streams (nng_stream), without its protocols: their transports
// (1.5.2) lose the end of a receive when a connection breaks between two parts of a
// message, and take one that breaks before it was greeted for the end of its listener.
// Here a read or write that does not do all is simply asked for again, and every one ends
// in its callback.
//
// What comes is read in two parts, the length with the frame's header, and the payload;
// the length is judged before memory is taken for it.
//
// With TLS the same bytes go through a seal: nng's own TLS (mbed TLS) encrypts 100 to 200
// MB/s, and makes a record of at most 16 KiB a system call and a callback of its own.
// Here the records of half a frame are one write, and what comes is read by as much as
// there is. What has been read may hold the next frame, too, which nothing but its being
// asked for calls back for: it is handed on in the same callback when it is asked for
// there, and from another thread by a callback of the empty operation.

#include <nng/nng.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "server/ici/frame.h"
#include "server/ici/pipe.h"
#include "server/ici/seal.h"
#include "server/ici/tls.h"

enum {
  LENGTH_BYTES = 4,
  HEAD_BYTES = LENGTH_BYTES + ICI_HEADER_BYTES,
  // Of dialling, doubled each time it was too short. Where strangers crowd at a listener
  // the kernel drops who comes, and has him try again only after 1, 3 and 7 s.
  DIAL_TIMEOUT_MIN_MS = 125,
  DIAL_TIMEOUT_MAX_MS = 8000,
  RECORD_BYTES = 16 << 10,
};

#define TLS_PREFIX "tls+"

struct ici_door_t {
  const ici_pipe_user_t *user;
  void *context;
  bool is_tcp;
  ici_tls_t *tls;                 // NULL: plain.
  nng_stream_listener *listener;  // One of the two.
  nng_stream_dialer *dialer;
  nng_aio *aio;
  int timeout_ms;  // Of dialling. Nobody dials and is answered at the same time.
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
  ici_seal_t *seal;  // NULL: plain. With it `sent_bytes` are those that are encrypted.
  pthread_mutex_t lock;  // Of who sends and who receives through the seal, and for:
  bool is_writing, is_closed;
  bool is_read;  // What is received is in the seal already.
} stream_pipe_t;

// Of the thread: whose frame it hands on, and whether it was asked for the next one.
static _Thread_local stream_pipe_t *handed_on;
static _Thread_local bool is_next_wanted;

static pod_status_t failure(int result, const char *url) {
  return pod_error(result == NNG_ENOMEM ? POD_RESOURCE_EXHAUSTED : POD_UNAVAILABLE,
                   "%s: %s", url, nng_strerror(result));
}

// ---- Sending.

static size_t frame_bytes(const stream_pipe_t *pipe) {
  return LENGTH_BYTES + nng_msg_len(pipe->sending);
}

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

// A batch of the frame; its length goes into the same record as its first bytes, so that
// a short frame is one record. False: broken.
static bool seal_more(stream_pipe_t *pipe) {
  const uint8_t *body = nng_msg_body(pipe->sending);
  size_t left = frame_bytes(pipe) - pipe->sent_bytes, batch = ICI_SEAL_BATCH_BYTES;
  if (pipe->sent_bytes == 0) {
    uint8_t first[RECORD_BYTES];
    const size_t size_bytes = left < sizeof(first) ? left : sizeof(first);
    memcpy(first, pipe->length, LENGTH_BYTES);
    memcpy(first + LENGTH_BYTES, body, size_bytes - LENGTH_BYTES);
    if (!ici_seal_close(pipe->seal, first, size_bytes)) {
      return false;
    }
    pipe->sent_bytes = size_bytes;
    left -= size_bytes;
    batch -= sizeof(first);
  }
  batch = left < batch ? left : batch;
  if (!ici_seal_close(pipe->seal, body + pipe->sent_bytes - LENGTH_BYTES, batch)) {
    return false;
  }
  pipe->sent_bytes += batch;
  return true;
}

// With the lock.
static void close_sealed(stream_pipe_t *pipe) {
  pipe->is_closed = true;
  nng_stream_close(pipe->stream);
}

// With the lock: gives the socket what there is, if it has nothing. What waits on a
// connection that is closed is answered by the socket's refusal.
static void write_sealed(stream_pipe_t *pipe) {
  if (pipe->is_writing) {
    return;
  }
  if (pipe->sending != NULL && ici_seal_is_ready(pipe->seal) &&
      pipe->sent_bytes < frame_bytes(pipe) && !seal_more(pipe)) {
    close_sealed(pipe);
  }
  nng_iov part;
  part.iov_buf = (void *)(uintptr_t)ici_seal_output(pipe->seal, &part.iov_len);
  if (pipe->is_closed && pipe->sending != NULL) {
    part = (nng_iov){pipe->length, LENGTH_BYTES};
  } else if (part.iov_buf == NULL || pipe->is_closed) {
    return;
  }
  pipe->is_writing = true;
  (void)nng_aio_set_iov(pipe->send_aio, 1, &part);
  nng_stream_send(pipe->stream, pipe->send_aio);
}

// The frame that is answered for; NULL: none is.
static nng_msg *end_writing(stream_pipe_t *pipe, bool is_sent) {
  pthread_mutex_lock(&pipe->lock);
  nng_msg *answered = NULL;
  size_t left = 0;
  pipe->is_writing = false;
  if (is_sent) {
    ici_seal_sent(pipe->seal, nng_aio_count(pipe->send_aio));
    (void)ici_seal_output(pipe->seal, &left);
  } else {
    close_sealed(pipe);
  }
  if (!is_sent ||
      (pipe->sending != NULL && left == 0 && pipe->sent_bytes == frame_bytes(pipe))) {
    answered = pipe->sending;
    pipe->sending = NULL;
  } else {
    write_sealed(pipe);
  }
  pthread_mutex_unlock(&pipe->lock);
  return answered;
}

// As end_writing.
static nng_msg *end_sending(stream_pipe_t *pipe, bool is_sent) {
  pipe->sent_bytes += is_sent ? nng_aio_count(pipe->send_aio) : 0;
  if (is_sent && pipe->sent_bytes < frame_bytes(pipe)) {
    send_more(pipe);
    return NULL;
  }
  nng_msg *answered = pipe->sending;
  pipe->sending = NULL;
  return answered;
}

static void on_sent(void *context) {
  stream_pipe_t *pipe = context;
  const bool is_sent = nng_aio_result(pipe->send_aio) == 0;
  nng_msg *answered =
      pipe->seal != NULL ? end_writing(pipe, is_sent) : end_sending(pipe, is_sent);
  if (answered != NULL) {
    pipe->pipe.user->give(pipe->pipe.context, answered);
    pipe->pipe.user->sent(pipe->pipe.context, is_sent);
  }
}

// With the lock: a client speaks first, before it is asked.
static void start_sealed(stream_pipe_t *pipe) {
  if (!ici_seal_start(pipe->seal)) {
    close_sealed(pipe);
  }
  write_sealed(pipe);
}

static void stream_send(ici_pipe_t *base, nng_msg *message) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  const size_t size_bytes = nng_msg_len(message);
  for (int i = 0; i < LENGTH_BYTES; i++) {
    pipe->length[i] = (uint8_t)(size_bytes >> (8 * i));
  }
  if (pipe->seal == NULL) {
    pipe->sending = message;
    pipe->sent_bytes = 0;
    send_more(pipe);
    return;
  }
  pthread_mutex_lock(&pipe->lock);
  pipe->sending = message;
  pipe->sent_bytes = 0;
  start_sealed(pipe);
  pthread_mutex_unlock(&pipe->lock);
}

// ---- Receiving.

// Where the frame's next bytes belong.
static nng_iov next_part(stream_pipe_t *pipe) {
  if (pipe->receiving == NULL) {
    return (nng_iov){pipe->head + pipe->received_bytes,
                     HEAD_BYTES - pipe->received_bytes};
  }
  const size_t at = pipe->received_bytes - LENGTH_BYTES;
  return (nng_iov){(uint8_t *)nng_msg_body(pipe->receiving) + at,
                   nng_msg_len(pipe->receiving) - at};
}

static void receive_more(stream_pipe_t *pipe) {
  nng_iov part = next_part(pipe);
  if (pipe->seal != NULL) {
    part.iov_buf = ici_seal_input(pipe->seal, &part.iov_len);
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

// So many bytes of the frame have come.
static ici_seal_opened_t take_in(stream_pipe_t *pipe, size_t size_bytes) {
  pipe->received_bytes += size_bytes;
  if (pipe->receiving == NULL && pipe->received_bytes == HEAD_BYTES &&
      !begin_frame(pipe)) {
    return ICI_SEAL_BROKEN;
  }
  const bool is_whole =
      pipe->receiving != NULL &&
      pipe->received_bytes >= LENGTH_BYTES + nng_msg_len(pipe->receiving);
  return is_whole ? ICI_SEAL_BYTES : ICI_SEAL_USED_UP;
}

// As far as what was read from the socket goes: ICI_SEAL_BYTES when the frame is whole.
static ici_seal_opened_t take_in_sealed(stream_pipe_t *pipe) {
  ici_seal_opened_t taken = ICI_SEAL_USED_UP, opened = ICI_SEAL_BYTES;
  while (taken == ICI_SEAL_USED_UP && opened == ICI_SEAL_BYTES) {
    const nng_iov part = next_part(pipe);
    size_t size_bytes = 0;
    pthread_mutex_lock(&pipe->lock);
    opened = ici_seal_open(pipe->seal, part.iov_buf, part.iov_len, &size_bytes);
    write_sealed(pipe);
    if (opened == ICI_SEAL_BROKEN) {
      close_sealed(pipe);  // What it was told has gone if it needed no waiting.
      write_sealed(pipe);
    }
    pthread_mutex_unlock(&pipe->lock);
    taken = opened == ICI_SEAL_BYTES ? take_in(pipe, size_bytes) : taken;
  }
  return opened == ICI_SEAL_BYTES ? taken : opened;
}

// Whether the next one is to be handed on, too. If not, the pipe may have been asked for
// it by another thread.
static bool hand_on(stream_pipe_t *pipe, nng_msg *message) {
  pipe->receiving = NULL;
  pipe->received_bytes = 0;
  handed_on = pipe->seal != NULL ? pipe : NULL;
  is_next_wanted = false;
  pipe->pipe.user->received(pipe->pipe.context, message);
  handed_on = NULL;
  return is_next_wanted;
}

static void end_receiving(stream_pipe_t *pipe) {
  drop_half(pipe);
  pipe->pipe.user->received(pipe->pipe.context, NULL);
}

// What the operation that has ended gives.
static ici_seal_opened_t take_in_ended(stream_pipe_t *pipe) {
  if (nng_aio_result(pipe->receive_aio) != 0) {
    return ICI_SEAL_BROKEN;
  }
  if (pipe->seal == NULL) {
    return take_in(pipe, nng_aio_count(pipe->receive_aio));
  }
  if (!pipe->is_read) {
    ici_seal_fed(pipe->seal, nng_aio_count(pipe->receive_aio));
  }
  pipe->is_read = false;
  return take_in_sealed(pipe);
}

static void on_received(void *context) {
  stream_pipe_t *pipe = context;
  ici_seal_opened_t taken = take_in_ended(pipe);
  while (taken == ICI_SEAL_BYTES) {
    if (!hand_on(pipe, pipe->receiving)) {
      return;
    }
    taken = take_in_sealed(pipe);
  }
  if (taken == ICI_SEAL_USED_UP) {
    receive_more(pipe);
  } else {
    end_receiving(pipe);
  }
}

static void stream_receive(ici_pipe_t *base) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  if (handed_on == pipe) {
    is_next_wanted = true;
    return;
  }
  pipe->received_bytes = 0;
  if (pipe->seal != NULL) {
    pthread_mutex_lock(&pipe->lock);
    start_sealed(pipe);
    pipe->is_read = ici_seal_has_input(pipe->seal);
    pthread_mutex_unlock(&pipe->lock);
  }
  if (!pipe->is_read) {
    receive_more(pipe);
  } else if (nng_aio_begin(pipe->receive_aio)) {
    nng_aio_finish(pipe->receive_aio, 0);
  }
}

// ---- Pipes.

static void stream_close_pipe(ici_pipe_t *base) {
  stream_pipe_t *pipe = (stream_pipe_t *)base;
  if (pipe->seal == NULL) {
    nng_stream_close(pipe->stream);
    return;
  }
  pthread_mutex_lock(&pipe->lock);
  close_sealed(pipe);
  write_sealed(pipe);
  pthread_mutex_unlock(&pipe->lock);
}

static void free_pipe(stream_pipe_t *pipe) {
  ici_seal_destroy(pipe->seal);
  pthread_mutex_destroy(&pipe->lock);
  free(pipe);
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
  free_pipe(pipe);
}

static ici_pipe_t *make_pipe(const ici_door_t *door, nng_stream *stream) {
  stream_pipe_t *pipe = pod_alloc(sizeof(*pipe));
  uint64_t process = 0, user = 0;
  *pipe = (stream_pipe_t){.pipe = {.user = door->user,
                                   .context = door->context,
                                   .frame_bytes_max = ICI_FRAME_MAX,
                                   .is_tcp = door->is_tcp,
                                   .is_encrypted = door->tls != NULL},
                          .stream = stream};
  pthread_mutex_init(&pipe->lock, NULL);
  if (door->tls != NULL) {
    pipe->seal = ici_seal_create(door->tls, door->listener != NULL);
  }
  if ((door->tls != NULL && pipe->seal == NULL) ||
      nng_aio_alloc(&pipe->send_aio, on_sent, pipe) != 0 ||
      nng_aio_alloc(&pipe->receive_aio, on_received, pipe) != 0) {
    nng_stream_free(stream);
    nng_aio_free(pipe->send_aio);
    free_pipe(pipe);
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

static int next_timeout_ms(int timeout_ms) {
  return timeout_ms < DIAL_TIMEOUT_MAX_MS ? 2 * timeout_ms : timeout_ms;
}

static void on_connected(void *context) {
  ici_door_t *door = context;
  ici_pipe_t *pipe = NULL;
  const int result = nng_aio_result(door->aio);
  if (result == 0) {
    pipe = make_pipe(door, nng_aio_get_output(door->aio, 0));
  }
  if (door->dialer != NULL) {
    door->timeout_ms =
        result == NNG_ETIMEDOUT ? next_timeout_ms(door->timeout_ms) : DIAL_TIMEOUT_MIN_MS;
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

// Of `url`, what nng knows: the seal is ours.
static const char *stream_url(const char *url) {
  const size_t prefix = strlen(TLS_PREFIX);
  return strncmp(url, TLS_PREFIX, prefix) == 0 ? url + prefix : url;
}

static ici_door_t *make_door(const char *url, ici_tls_t *tls, const ici_pipe_user_t *user,
                             void *context) {
  ici_door_t *door = pod_alloc(sizeof(*door));
  *door = (ici_door_t){.user = user,
                       .context = context,
                       .is_tcp = strncmp(stream_url(url), "tcp:", 4) == 0,
                       .tls = stream_url(url) != url ? tls : NULL};
  return door;
}

static pod_status_t stream_listen(const char *url, ici_tls_t *tls,
                                  const ici_pipe_user_t *user, void *context,
                                  ici_door_t **out_door, int *out_port) {
  ici_door_t *door = make_door(url, tls, user, context);
  int result = nng_aio_alloc(&door->aio, on_connected, door);
  if (result == 0) {
    result = nng_stream_listener_alloc(&door->listener, stream_url(url));
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

static pod_status_t stream_dial(const char *url, ici_tls_t *tls,
                                const ici_pipe_user_t *user, void *context,
                                ici_door_t **out_door) {
  ici_door_t *door = make_door(url, tls, user, context);
  int result = nng_aio_alloc(&door->aio, on_connected, door);
  if (result == 0) {
    door->timeout_ms = DIAL_TIMEOUT_MIN_MS;
    result = nng_stream_dialer_alloc(&door->dialer, stream_url(url));
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
    nng_aio_set_timeout(door->aio, door->timeout_ms);
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
