// One lock over all doors and pipes, and one thread that looks for something to do: two
// doors that match, a frame whose receiver waits, an end whose other end is gone. It
// calls back without the lock, and counts that, so that who destroys something can wait.

#include "tests/unit/server/ici/memory_carrier.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/ici/frame.h"

struct ici_door_t {
  const ici_pipe_user_t *user;
  void *context;
  char *url;
  bool listens, is_asked;
  int calls;  // Under way.
  ici_door_t *next;
};

typedef struct memory_pipe_t {
  ici_pipe_t pipe;
  struct memory_pipe_t *peer;  // NULL: gone.
  nng_msg *sending;
  bool is_receiving, is_closed;
  int calls;
  struct memory_pipe_t *next;
} memory_pipe_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool stops;
static ici_door_t *doors;
static memory_pipe_t *pipes;
static int32_t pretended_process;
static bool pretends_tcp;

static void unlock_and_tell(void) {
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

// ---- What the thread does; with the lock, which it gives up while it calls.

static void call_connected(ici_door_t *door, memory_pipe_t *pipe) {
  door->is_asked = false;
  door->calls++;
  pthread_mutex_unlock(&lock);
  door->user->connected(door->context, door, pipe == NULL ? NULL : &pipe->pipe);
  pthread_mutex_lock(&lock);
  door->calls--;
}

static memory_pipe_t *add_pipe(const ici_door_t *door) {
  memory_pipe_t *pipe = pod_alloc(sizeof(*pipe));
  *pipe = (memory_pipe_t){.pipe = {.user = door->user,
                                   .context = door->context,
                                   .frame_bytes_max = ICI_FRAME_MAX,
                                   .process = pretended_process,
                                   .is_tcp = pretends_tcp},
                          .next = pipes};
  pipes = pipe;
  return pipe;
}

static void connect_doors(ici_door_t *dialer, ici_door_t *listener) {
  memory_pipe_t *near = add_pipe(dialer);
  memory_pipe_t *far = add_pipe(listener);
  near->peer = far;
  far->peer = near;
  dialer->calls++;  // Both stay until both have been called.
  call_connected(listener, far);
  dialer->calls--;
  call_connected(dialer, near);
}

static bool serve_dialer(ici_door_t *dialer) {
  bool is_known = false;
  for (ici_door_t *door = doors; door != NULL; door = door->next) {
    const bool matches = door->listens && strcmp(door->url, dialer->url) == 0;
    is_known |= matches;
    if (matches && door->is_asked) {
      connect_doors(dialer, door);
      return true;
    }
  }
  if (!is_known) {
    call_connected(dialer, NULL);
  }
  return !is_known;
}

static bool is_cut(const memory_pipe_t *pipe) {
  return pipe->is_closed || pipe->peer == NULL || pipe->peer->is_closed;
}

static void answer_sent(memory_pipe_t *pipe, bool is_sent) {
  nng_msg *message = pipe->sending;
  pipe->sending = NULL;
  pipe->calls++;
  pthread_mutex_unlock(&lock);
  pipe->pipe.user->give(pipe->pipe.context, message);
  pipe->pipe.user->sent(pipe->pipe.context, is_sent);
  pthread_mutex_lock(&lock);
  pipe->calls--;
}

static void answer_received(memory_pipe_t *pipe, nng_msg *message) {
  pipe->is_receiving = false;
  pipe->calls++;
  pthread_mutex_unlock(&lock);
  pipe->pipe.user->received(pipe->pipe.context, message);
  pthread_mutex_lock(&lock);
  pipe->calls--;
}

// Each side has messages of its own.
static nng_msg *copy_for(memory_pipe_t *pipe, nng_msg *message) {
  if (nng_msg_len(message) > pipe->pipe.frame_bytes_max) {
    return NULL;
  }
  nng_msg *copy = pipe->pipe.user->take(pipe->pipe.context, nng_msg_len(message));
  if (copy != NULL) {
    memcpy(nng_msg_body(copy), nng_msg_body(message), nng_msg_len(message));
  }
  return copy;
}

static void deliver(memory_pipe_t *from, memory_pipe_t *to) {
  to->calls++;
  from->calls++;
  nng_msg *message = from->sending;
  pthread_mutex_unlock(&lock);
  nng_msg *copy = copy_for(to, message);
  pthread_mutex_lock(&lock);
  answer_sent(from, true);
  answer_received(to, copy);
  to->calls--;
  from->calls--;
}

static bool serve_pipe(memory_pipe_t *pipe) {
  if (pipe->sending != NULL && is_cut(pipe)) {
    answer_sent(pipe, false);
    return true;
  }
  if (pipe->sending != NULL && pipe->peer->is_receiving) {
    deliver(pipe, pipe->peer);
    return true;
  }
  if (pipe->is_receiving && is_cut(pipe)) {
    answer_received(pipe, NULL);
    return true;
  }
  return false;
}

// One thing that can be done, if there is one.
static bool step(void) {
  for (ici_door_t *door = doors; door != NULL; door = door->next) {
    if (!door->listens && door->is_asked && serve_dialer(door)) {
      return true;
    }
  }
  for (memory_pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (serve_pipe(pipe)) {
      return true;
    }
  }
  return false;
}

static void *serve(void *context) {
  pthread_mutex_lock(&lock);
  while (!stops) {
    if (step()) {
      pthread_cond_broadcast(&changed);
    } else {
      pthread_cond_wait(&changed, &lock);
    }
  }
  pthread_mutex_unlock(&lock);
  return context;
}

void memory_carrier_pretend(int32_t process, bool is_tcp) {
  pthread_mutex_lock(&lock);
  pretended_process = process;
  pretends_tcp = is_tcp;
  pthread_mutex_unlock(&lock);
}

void memory_carrier_start(void) {
  stops = false;
  POD_CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
}

void memory_carrier_stop(void) {
  pthread_mutex_lock(&lock);
  POD_CHECK(doors == NULL && pipes == NULL);
  stops = true;
  unlock_and_tell();
  pthread_join(thread, NULL);
}

// ---- The carrier.

static pod_status_t open_door(const char *url, const ici_pipe_user_t *user, void *context,
                              bool listens, ici_door_t **out_door) {
  ici_door_t *door = pod_alloc(sizeof(*door));
  pthread_mutex_lock(&lock);
  *door = (ici_door_t){.user = user,
                       .context = context,
                       .url = pod_strdup(url),
                       .listens = listens,
                       .next = doors};
  doors = door;
  unlock_and_tell();
  *out_door = door;
  return NULL;
}

static pod_status_t memory_listen(const char *url, struct ici_tls_t *tls,
                                  const ici_pipe_user_t *user, void *context,
                                  ici_door_t **out_door, int *out_port) {
  (void)tls;
  *out_port = 1;
  return open_door(url, user, context, true, out_door);
}

static pod_status_t memory_dial(const char *url, struct ici_tls_t *tls,
                                const ici_pipe_user_t *user, void *context,
                                ici_door_t **out_door) {
  (void)tls;
  return open_door(url, user, context, false, out_door);
}

static void memory_next(ici_door_t *door) {
  pthread_mutex_lock(&lock);
  door->is_asked = true;
  unlock_and_tell();
}

static void memory_destroy_door(ici_door_t *door) {
  pthread_mutex_lock(&lock);
  door->is_asked = false;
  while (door->calls > 0) {
    pthread_cond_wait(&changed, &lock);
  }
  ici_door_t **at = &doors;
  while (*at != door) {
    at = &(*at)->next;
  }
  *at = door->next;
  unlock_and_tell();
  free(door->url);
  free(door);
}

static void memory_send(ici_pipe_t *base, nng_msg *message) {
  pthread_mutex_lock(&lock);
  ((memory_pipe_t *)base)->sending = message;
  unlock_and_tell();
}

static void memory_receive(ici_pipe_t *base) {
  pthread_mutex_lock(&lock);
  ((memory_pipe_t *)base)->is_receiving = true;
  unlock_and_tell();
}

static void memory_close_pipe(ici_pipe_t *base) {
  pthread_mutex_lock(&lock);
  ((memory_pipe_t *)base)->is_closed = true;
  unlock_and_tell();
}

static void memory_destroy_pipe(ici_pipe_t *base) {
  memory_pipe_t *pipe = (memory_pipe_t *)base;
  pthread_mutex_lock(&lock);
  pipe->is_closed = true;
  while (pipe->calls > 0) {
    pthread_cond_wait(&changed, &lock);
  }
  memory_pipe_t **at = &pipes;
  while (*at != pipe) {
    at = &(*at)->next;
  }
  *at = pipe->next;
  if (pipe->peer != NULL) {
    pipe->peer->peer = NULL;
  }
  unlock_and_tell();
  if (pipe->sending != NULL) {
    pipe->pipe.user->give(pipe->pipe.context, pipe->sending);
  }
  free(pipe);
}

const ici_carrier_t memory_carrier = {.listen = memory_listen,
                                      .dial = memory_dial,
                                      .next = memory_next,
                                      .destroy_door = memory_destroy_door,
                                      .send = memory_send,
                                      .receive = memory_receive,
                                      .close_pipe = memory_close_pipe,
                                      .destroy_pipe = memory_destroy_pipe};
