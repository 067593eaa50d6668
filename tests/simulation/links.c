// What carries the links between chips on the simulated network, in the place of nng: a
// carrier (server/ici/pipe.h) with a thread in every process that calls back. Chips share
// no memory here: every one is on a host of its own as far as its links know.

#include <nng/nng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "server/ici/pipe.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/net.h"

enum {
  DIAL_TIMEOUT_MS = 8000,
  AGAIN_MS = 5,
  PORT_FIRST = 40000,
};

#define NEVER_NS (INT64_MAX / 2)

typedef struct frame_t {
  struct frame_t *next;
  int64_t arrives_ns;
  size_t size_bytes;
  uint8_t bytes[];
} frame_t;

typedef struct sim_pipe_t sim_pipe_t;
struct sim_pipe_t {
  ici_pipe_t pipe;
  process_t *process;
  sim_pipe_t *peer;
  bool is_receiving, is_closed, is_gone, is_silent;
  int64_t told_ns;  // What arrived by then its process has been woken for.
  int calls;
  nng_msg *sending;
  frame_t *first, **last;
  int64_t last_arrives_ns;
  size_t ahead_bytes;
  event_t *arrival;
  net_connection_t connection;  // In the dialling end.
  sim_pipe_t *next;
};

struct ici_door_t {
  process_t *process;
  const ici_pipe_user_t *user;
  void *context;
  char *url;
  bool listens, is_asked, is_answered, is_gone;
  int calls;
  sim_pipe_t *answer;
  event_t *dialling;
  int64_t gives_up_ns;
  ici_door_t *next;
};

static ici_door_t *doors;
static sim_pipe_t *pipes;
static int next_port = PORT_FIRST;

static void wake(const process_t *process) {
  fiber_wake(process, 1);
}

// --- Frames ---

static void on_arrival(void *context);

static void expect_arrival(sim_pipe_t *pipe) {
  int64_t at_ns = INT64_MAX;
  for (const frame_t *frame = pipe->first; frame != NULL && at_ns == INT64_MAX;
       frame = frame->next) {
    at_ns = frame->arrives_ns > machine_now_ns() ? frame->arrives_ns : INT64_MAX;
  }
  if (pipe->arrival == NULL && at_ns != INT64_MAX && !pipe->is_silent) {
    pipe->arrival = machine_at(at_ns, on_arrival, pipe);
  }
}

static void on_arrival(void *context) {
  sim_pipe_t *pipe = context;
  pipe->arrival = NULL;
  if (net_is_parted(pipe->process, pipe->peer->process)) {
    for (frame_t *frame = pipe->first; frame != NULL; frame = frame->next) {
      if (frame->arrives_ns > pipe->told_ns) {
        frame->arrives_ns += AGAIN_MS * MS;
      }
    }
    pipe->last_arrives_ns += AGAIN_MS * MS;
  } else {
    pipe->told_ns = machine_now_ns();
    wake(pipe->process);
  }
  expect_arrival(pipe);
}

static void on_gone(void *context) {
  sim_pipe_t *pipe = context;
  if (!pipe->is_silent) {
    pipe->is_closed = true;
    wake(pipe->process);
  }
}

static void shut(sim_pipe_t *pipe) {
  if (pipe->is_closed) {
    return;
  }
  pipe->is_closed = true;
  net_close(&pipe->connection);
  net_close(&pipe->peer->connection);
  if (!pipe->peer->is_closed) {
    const int64_t at_ns = machine_now_ns() + net_delay_ns(0);
    const int64_t last_ns = pipe->peer->last_arrives_ns + 1;
    (void)machine_at(at_ns > last_ns ? at_ns : last_ns, on_gone, pipe->peer);
  }
  wake(pipe->process);
}

// What has not arrived never does.
static void silence(sim_pipe_t *pipe) {
  pipe->is_silent = true;
  machine_cancel(pipe->arrival);
  pipe->arrival = NULL;
  for (frame_t *frame = pipe->first; frame != NULL; frame = frame->next) {
    if (frame->arrives_ns > machine_now_ns()) {
      frame->arrives_ns = NEVER_NS;
    }
  }
}

static void on_cut(net_connection_t *connection, bool silently) {
  sim_pipe_t *pipe =
      (sim_pipe_t *)(void *)((char *)connection - offsetof(sim_pipe_t, connection));
  if (silently && pipe->pipe.is_tcp) {
    silence(pipe);
    silence(pipe->peer);
    return;
  }
  (void)machine_at(machine_now_ns() + net_delay_ns(0), on_gone, pipe);
  (void)machine_at(machine_now_ns() + net_delay_ns(0), on_gone, pipe->peer);
}

// --- What the thread does ---

static bool has_arrived(const sim_pipe_t *pipe) {
  return pipe->first != NULL && pipe->first->arrives_ns <= machine_now_ns();
}

static void give_back(sim_pipe_t *pipe, bool is_sent) {
  nng_msg *message = pipe->sending;
  pipe->sending = NULL;
  pipe->pipe.user->give(pipe->pipe.context, message);
  pipe->pipe.user->sent(pipe->pipe.context, is_sent);
}

static void send_frame(sim_pipe_t *pipe) {
  sim_pipe_t *to = pipe->peer;
  const size_t size = nng_msg_len(pipe->sending);
  frame_t *frame = machine_alloc(sizeof(*frame) + size);
  frame->size_bytes = size;
  memcpy(frame->bytes, nng_msg_body(pipe->sending), size);
  for (size_t i = 0; i < size; i += 1 + size / 64) {
    machine_note(frame->bytes[i]);
  }
  const int64_t at_ns = to->is_silent ? NEVER_NS : machine_now_ns() + net_delay_ns(size);
  frame->arrives_ns = at_ns > to->last_arrives_ns ? at_ns : to->last_arrives_ns + 1;
  to->last_arrives_ns = frame->arrives_ns;
  to->ahead_bytes += size;
  *to->last = frame;
  to->last = &frame->next;
  expect_arrival(to);
  give_back(pipe, true);
}

static void receive_frame(sim_pipe_t *pipe) {
  frame_t *frame = pipe->first;
  pipe->first = frame->next;
  if (pipe->first == NULL) {
    pipe->last = &pipe->first;
  }
  pipe->ahead_bytes -= frame->size_bytes;
  pipe->is_receiving = false;
  nng_msg *message = frame->size_bytes > pipe->pipe.frame_bytes_max
                         ? NULL
                         : pipe->pipe.user->take(pipe->pipe.context, frame->size_bytes);
  if (message != NULL) {
    memcpy(nng_msg_body(message), frame->bytes, frame->size_bytes);
  }
  machine_free(frame);
  wake(pipe->peer->process);
  pipe->pipe.user->received(pipe->pipe.context, message);
}

static bool serve_pipe(sim_pipe_t *pipe) {
  if (pipe->sending != NULL && pipe->is_closed) {
    give_back(pipe, false);
    return true;
  }
  if (pipe->sending != NULL && (int64_t)pipe->peer->ahead_bytes < net_buffer_bytes()) {
    send_frame(pipe);
    return true;
  }
  if (pipe->is_receiving && has_arrived(pipe)) {
    receive_frame(pipe);
    return true;
  }
  if (pipe->is_receiving && pipe->is_closed) {
    pipe->is_receiving = false;
    pipe->pipe.user->received(pipe->pipe.context, NULL);
    return true;
  }
  return false;
}

// One thing that can be done in this process, if there is one.
static bool step(const process_t *process) {
  for (ici_door_t *door = doors; door != NULL; door = door->next) {
    if (door->process == process && door->is_answered && !door->is_gone) {
      sim_pipe_t *pipe = door->answer;
      door->is_answered = door->is_asked = false;
      door->answer = NULL;
      door->calls++;
      door->user->connected(door->context, door, pipe == NULL ? NULL : &pipe->pipe);
      door->calls--;
      fiber_wake(door, INT32_MAX);
      return true;
    }
  }
  for (sim_pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (pipe->process == process && !pipe->is_gone) {
      pipe->calls++;
      const bool is_done = serve_pipe(pipe);
      pipe->calls--;
      if (is_done) {
        fiber_wake(pipe, INT32_MAX);
        return true;
      }
    }
  }
  return false;
}

static void *serve(void *context) {
  process_t *process = context;
  // As long as anything is open: nng's threads end with the process, these before.
  for (;;) {
    if (step(process)) {
      continue;
    }
    bool is_needed = false;
    for (const ici_door_t *door = doors; door != NULL; door = door->next) {
      is_needed |= door->process == process && !door->is_gone;
    }
    for (const sim_pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
      is_needed |= pipe->process == process && !pipe->is_gone;
    }
    if (!is_needed) {
      break;
    }
    (void)fiber_wait(process, -1);
  }
  process->carrier = NULL;
  return NULL;
}

static void need_thread(process_t *process) {
  if (process->carrier == NULL) {
    fiber_t *fiber = fiber_spawn(process, serve, process, 0);
    process->carrier = fiber;
    fiber_release(fiber);
  }
}

// --- Doors ---

static sim_pipe_t *make_pipe(const ici_door_t *door) {
  sim_pipe_t *pipe = machine_alloc(sizeof(*pipe));
  *pipe = (sim_pipe_t){.pipe = {.user = door->user,
                                .context = door->context,
                                .frame_bytes_max = ICI_FRAME_MAX,
                                .is_tcp = strncmp(door->url, "tcp:", 4) == 0},
                       .process = door->process,
                       .last = &pipe->first,
                       .next = pipes};
  pipes = pipe;
  return pipe;
}

static void answer(ici_door_t *door, sim_pipe_t *pipe) {
  door->answer = pipe;
  door->is_answered = true;
  wake(door->process);
}

static void dial(void *context) {
  ici_door_t *dialer = context;
  dialer->dialling = NULL;
  ici_door_t *found = NULL;
  for (ici_door_t *door = doors; door != NULL; door = door->next) {
    if (door->listens && !door->is_gone && strcmp(door->url, dialer->url) == 0) {
      found = door;
    }
  }
  const bool is_parted = found != NULL && net_is_parted(found->process, dialer->process);
  if (found == NULL || machine_now_ns() > dialer->gives_up_ns) {
    answer(dialer, NULL);
  } else if (is_parted || !found->is_asked || found->is_answered) {
    dialer->dialling = machine_at(machine_now_ns() + AGAIN_MS * MS, dial, dialer);
  } else {
    sim_pipe_t *near = make_pipe(dialer);
    sim_pipe_t *far = make_pipe(found);
    near->peer = far;
    far->peer = near;
    net_open(&near->connection, near->process, far->process, on_cut);
    answer(found, far);
    answer(dialer, near);
  }
}

static ici_door_t *make_door(const char *url, const ici_pipe_user_t *user, void *context,
                             bool listens) {
  ici_door_t *door = machine_alloc(sizeof(*door));
  *door = (ici_door_t){.process = process_current(),
                       .user = user,
                       .context = context,
                       .url = machine_alloc(strlen(url) + 16),
                       .listens = listens,
                       .next = doors};
  strcpy(door->url, url);
  doors = door;
  need_thread(door->process);
  return door;
}

static pod_status_t sim_listen(const char *url, struct ici_tls_t *tls,
                               const ici_pipe_user_t *user, void *context,
                               ici_door_t **out_door, int *out_port) {
  (void)tls;
  ici_door_t *door = make_door(url, user, context, true);
  const size_t length = strlen(url);
  if (strncmp(url, "tcp:", 4) == 0 && length > 2 && strcmp(url + length - 2, ":0") == 0) {
    *out_port = next_port++;
    snprintf(door->url + length - 1, 8, "%d", *out_port);
  }
  *out_door = door;
  return NULL;
}

static pod_status_t sim_dial(const char *url, struct ici_tls_t *tls,
                             const ici_pipe_user_t *user, void *context,
                             ici_door_t **out_door) {
  (void)tls;
  *out_door = make_door(url, user, context, false);
  return NULL;
}

static void sim_next(ici_door_t *door) {
  need_thread(door->process);
  door->is_asked = true;
  if (!door->listens) {
    door->gives_up_ns = machine_now_ns() + DIAL_TIMEOUT_MS * MS;
    door->dialling = machine_at(machine_now_ns() + net_delay_ns(0), dial, door);
  }
}

static void drop_door(ici_door_t *door) {
  door->is_gone = true;
  machine_cancel(door->dialling);
  door->dialling = NULL;
  if (door->answer != NULL) {
    shut(door->answer);
    door->answer->is_gone = true;
    door->answer = NULL;
  }
}

static void sim_destroy_door(ici_door_t *door) {
  while (door->calls > 0) {
    (void)fiber_wait(door, -1);
  }
  drop_door(door);
  wake(door->process);
}

// --- Pipes ---

static void sim_send(ici_pipe_t *base, nng_msg *message) {
  ((sim_pipe_t *)base)->sending = message;
  wake(((sim_pipe_t *)base)->process);
}

static void sim_receive(ici_pipe_t *base) {
  ((sim_pipe_t *)base)->is_receiving = true;
  wake(((sim_pipe_t *)base)->process);
}

static void sim_close_pipe(ici_pipe_t *base) {
  shut((sim_pipe_t *)base);
}

static void sim_destroy_pipe(ici_pipe_t *base) {
  sim_pipe_t *pipe = (sim_pipe_t *)base;
  shut(pipe);
  while (pipe->calls > 0) {
    (void)fiber_wait(pipe, -1);
  }
  pipe->is_gone = true;
  if (pipe->sending != NULL) {
    pipe->pipe.user->give(pipe->pipe.context, pipe->sending);
    pipe->sending = NULL;
  }
  wake(pipe->process);
}

static const ici_carrier_t carrier = {.listen = sim_listen,
                                      .dial = sim_dial,
                                      .next = sim_next,
                                      .destroy_door = sim_destroy_door,
                                      .send = sim_send,
                                      .receive = sim_receive,
                                      .close_pipe = sim_close_pipe,
                                      .destroy_pipe = sim_destroy_pipe};

pod_status_t __real_ici_node_create(const ici_node_config_t *config,
                                    ici_node_t **out_node);
pod_status_t __wrap_ici_node_create(const ici_node_config_t *config,
                                    ici_node_t **out_node);

pod_status_t __wrap_ici_node_create(const ici_node_config_t *config,
                                    ici_node_t **out_node) {
  ici_node_config_t simulated = *config;
  simulated.carrier = &carrier;
  return __real_ici_node_create(&simulated, out_node);
}

void links_kill(const process_t *process) {
  for (ici_door_t *door = doors; door != NULL; door = door->next) {
    if (door->process == process && !door->is_gone) {
      drop_door(door);
    }
  }
  for (sim_pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (pipe->process == process && !pipe->is_gone) {
      shut(pipe);
      pipe->is_gone = true;
    }
  }
}

void links_reset(void) {
  while (doors != NULL) {
    ici_door_t *door = doors;
    doors = door->next;
    machine_free(door->url);
    machine_free(door);
  }
  while (pipes != NULL) {
    sim_pipe_t *pipe = pipes;
    pipes = pipe->next;
    while (pipe->first != NULL) {
      frame_t *frame = pipe->first;
      pipe->first = frame->next;
      machine_free(frame);
    }
    machine_free(pipe);
  }
  next_port = PORT_FIRST;
}

// --- nng's messages ---

struct nng_msg {
  size_t size_bytes, capacity;
  uint8_t *body;
};

int nng_msg_alloc(nng_msg **out_message, size_t size) {
  nng_msg *message = pod_alloc(sizeof(*message));
  *message = (nng_msg){.size_bytes = size, .capacity = size, .body = pod_alloc(size + 1)};
  *out_message = message;
  return 0;
}

void nng_msg_free(nng_msg *message) {
  if (message != NULL) {
    free(message->body);
    free(message);
  }
}

int nng_msg_realloc(nng_msg *message, size_t size) {
  if (size > message->capacity) {
    free(message->body);
    message->body = pod_alloc(size + 1);
    message->capacity = size;
  }
  message->size_bytes = size;
  return 0;
}

void *nng_msg_body(nng_msg *message) {
  return message->body;
}

size_t nng_msg_len(const nng_msg *message) {
  return message->size_bytes;
}

size_t nng_msg_capacity(nng_msg *message) {
  return message->capacity;
}
