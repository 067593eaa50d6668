// Connections of a link: hello, welcome, up, down.
//
//   no pipe ──pipe added: say hello──> greeting ──hello and welcome came──> up
//      ^                                  │ wrong hello, 5 s, pipe gone       │
//      ├──────────────────────────────────┴──────── pipe gone, bye came ──────┤
//      └──bye came, 1 s── leaving <────────────── told to, nonsense: say bye ─┘
//
// A link has the state UP or DOWN for everybody else; the rest is here.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "server/ici/node.h"

enum { WELCOME_SHARES = 1 };

#define NS_PER_MS ((int64_t)1000000)

static bool is_same_pipe(nng_pipe a, nng_pipe b) {
  return nng_pipe_id(a) == nng_pipe_id(b);
}

// ---- Saying things.

// Only puts it into the queue: kick the link when no lock is held.
static void say(ici_link_t *link, ici_kind_t kind, uint16_t flags, const void *payload,
                uint32_t payload_bytes) {
  ici_header_t header = ici_node_header(link->node, kind, link->peer);
  header.flags = flags;
  header.payload_bytes = payload_bytes;
  nng_msg *message = ici_message_make(link->node, &header, payload);
  if (message != NULL) {
    ici_link_push(link, message);
  }
}

static ici_hello_t hello_of(const ici_link_t *link) {
  const ici_node_t *node = link->node;
  ici_hello_t hello = {.from = node->chip,
                       .to = link->peer,
                       .direction = link->direction,
                       .torus = node->torus,
                       .epoch = node->epoch};
  snprintf(hello.pod, sizeof(hello.pod), "%s", node->pod);
  return hello;
}

// A ring of its own for this session, and what the other side needs to open it.
static void offer_ring(ici_link_t *link, ici_hello_t *hello) {
  ici_node_t *node = link->node;
  if (!node->use_shared_memory || node->host == 0) {
    return;
  }
  memcpy(hello->token, node->bell->token, ICI_TOKEN_BYTES);
  pthread_mutex_lock(&link->ring_lock);
  ici_ring_close(&link->incoming);
  const pod_status_t status = ici_ring_create(hello->token, &link->incoming);
  hello->ring_file = link->incoming.shared.file;
  pthread_mutex_unlock(&link->ring_lock);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "ici: no shared memory: %s", pod_status_message(status));
    pod_status_free(status);
    return;
  }
  hello->host = node->host;
  hello->process = (int32_t)getpid();
  hello->bell_file = node->bell_memory.file;
}

// ---- States.

static void report(ici_link_t *link, ici_link_state_t state, const char *reason) {
  char text[2 * ICI_URL_MAX];
  ici_link_describe(link, text, sizeof(text));
  if (state == ICI_LINK_UP) {
    pod_log(POD_LOG_DEBUG, "ici: %s is up%s", text,
            link->shares ? ", with shared memory" : "");
  } else {
    pod_log(POD_LOG_WARNING, "ici: %s is down: %s", text, reason);
  }
  const ici_link_event_t event = {.direction = link->direction,
                                  .peer = link->peer,
                                  .state = state,
                                  .peer_epoch = link->peer_epoch,
                                  .url = strstr(text, " at ") + strlen(" at "),
                                  .reason = reason};
  if (link->node->on_link != NULL) {
    link->node->on_link(link->node->context, &event);
  }
}

// With the link's lock. True: start the timer when no lock is held.
static bool needs_timer(ici_link_t *link) {
  const bool needs = !link->has_timer;
  link->has_timer = true;
  return needs;
}

// What a session had in shared memory goes with it, and so does what was queued for it.
static void drop_session(ici_link_t *link) {
  pthread_mutex_lock(&link->ring_lock);
  ici_ring_close(&link->incoming);
  pthread_mutex_unlock(&link->ring_lock);
  pthread_mutex_lock(&link->lock);
  ici_ring_close(&link->outgoing);
  ici_shared_close(&link->peer_bell);
  atomic_store(&link->shares, false);
  ici_link_clear(link);
  pthread_mutex_unlock(&link->lock);
}

// With the event lock. True: the pipe was the current one.
static bool end_locked(ici_link_t *link, nng_pipe pipe, const char *reason) {
  pthread_mutex_lock(&link->lock);
  const bool is_current = link->has_pipe && is_same_pipe(link->pipe, pipe);
  const bool was_up = is_current && atomic_load(&link->state) == ICI_LINK_UP;
  link->closed_pipe = nng_pipe_id(pipe);
  if (is_current) {
    link->has_pipe = false;
    atomic_store(&link->state, ICI_LINK_DOWN);
    atomic_fetch_add(&link->losses, was_up ? 1 : 0);
  }
  const bool is_sending = link->is_sending;
  pthread_mutex_unlock(&link->lock);
  if (is_current) {
    drop_session(link);
  }
  if (is_current && is_sending) {
    nng_aio_cancel(link->send_aio);
  }
  if (was_up) {
    report(link, ICI_LINK_DOWN, reason);
  }
  return is_current;
}

// The pipe needs no answer to a BYE any more. True: it was waited for.
static bool has_left(ici_link_t *link, nng_pipe pipe) {
  pthread_mutex_lock(&link->lock);
  const bool is_answer = link->is_leaving && is_same_pipe(link->leaving, pipe);
  link->is_leaving = link->is_leaving && !is_answer;
  pthread_mutex_unlock(&link->lock);
  return is_answer;
}

void ici_session_end(ici_link_t *link, nng_pipe pipe, const char *reason) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  const bool had_left = has_left(link, pipe);
  const bool has_ended = end_locked(link, pipe, reason);
  if (had_left) {
    // A BYE that did not get out must not go to the next one who connects.
    drop_session(link);
    nng_aio_cancel(link->send_aio);
  }
  pthread_mutex_unlock(&node->event_lock);
  if (has_ended || had_left) {
    ici_node_changed(node);
    ici_route_blocked(node);
  }
}

static bool is_known(ici_link_t *link, nng_pipe pipe) {
  pthread_mutex_lock(&link->lock);
  const bool is_current = link->has_pipe && is_same_pipe(link->pipe, pipe);
  const bool is_over = link->closed_pipe == nng_pipe_id(pipe);
  pthread_mutex_unlock(&link->lock);
  return is_current || is_over;
}

// With the event lock. The hello to say.
static ici_hello_t begin_locked(ici_link_t *link, nng_pipe pipe, bool *out_starts_timer) {
  if (link->has_pipe) {
    end_locked(link, link->pipe, "the other side connected anew");
  }
  ici_hello_t hello = hello_of(link);
  offer_ring(link, &hello);
  pthread_mutex_lock(&link->lock);
  link->pipe = pipe;
  link->has_pipe = true;
  link->got_hello = false;
  link->got_welcome = false;
  link->put = link->put_acked = link->dealt = link->dealt_acked = 0;
  link->greeting_until_ns = pod_clock_now_ns() + ICI_HELLO_TIMEOUT_MS * NS_PER_MS;
  ici_link_clear(link);
  *out_starts_timer = needs_timer(link);
  pthread_mutex_unlock(&link->lock);
  return hello;
}

// The news of a connection and its first message may come on two threads at once.
void ici_session_begin(ici_link_t *link, nng_pipe pipe) {
  ici_node_t *node = link->node;
  // Who goes lets newcomers wait until the socket closes: what is quiet closes safely.
  if (is_known(link, pipe) || atomic_load(&node->goes)) {
    return;
  }
  pthread_mutex_lock(&node->event_lock);
  const bool is_new = !is_known(link, pipe);
  bool starts_timer = false;
  if (is_new) {
    uint8_t bytes[ICI_HELLO_BYTES];
    const ici_hello_t hello = begin_locked(link, pipe, &starts_timer);
    ici_hello_encode(&hello, bytes);
    // Under the lock: a welcome must not get ahead of it.
    say(link, ICI_HELLO, 0, bytes, sizeof(bytes));
  }
  pthread_mutex_unlock(&node->event_lock);
  ici_link_kick(link);
  if (starts_timer) {
    nng_sleep_aio(ICI_BYE_TIMEOUT_MS, link->timer_aio);
  }
}

// Both sides have heard hello and welcome.
static void go_up(ici_link_t *link, nng_pipe pipe) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  pthread_mutex_lock(&link->lock);
  const bool is_current = link->has_pipe && is_same_pipe(link->pipe, pipe);
  if (is_current) {
    const bool shares = ici_ring_is_open(&link->outgoing) && link->peer_shares;
    atomic_store(&link->shares, shares);
    if (!shares) {
      ici_ring_close(&link->outgoing);
      ici_shared_close(&link->peer_bell);
    }
    atomic_store(&link->state, ICI_LINK_UP);
  }
  pthread_mutex_unlock(&link->lock);
  if (is_current) {
    report(link, ICI_LINK_UP, "");
  }
  pthread_mutex_unlock(&node->event_lock);
  ici_node_changed(node);
  ici_bell_ring(node->bell, true);  // Frames may have come into the ring before.
}

void ici_session_leave(ici_link_t *link, const char *reason) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  const bool has_pipe = link->has_pipe;
  bool starts_timer = false;
  if (has_pipe) {
    pthread_mutex_lock(&link->lock);
    link->is_leaving = true;
    link->leaving = link->pipe;
    link->leaving_until_ns = pod_clock_now_ns() + ICI_BYE_TIMEOUT_MS * NS_PER_MS;
    starts_timer = needs_timer(link);
    pthread_mutex_unlock(&link->lock);
    end_locked(link, link->pipe, reason);
    say(link, ICI_BYE, 0, NULL, 0);
  }
  pthread_mutex_unlock(&node->event_lock);
  if (!has_pipe) {
    return;
  }
  ici_link_kick(link);
  if (starts_timer) {
    nng_sleep_aio(ICI_BYE_TIMEOUT_MS, link->timer_aio);
  }
  ici_node_changed(node);
  ici_route_blocked(node);
}

// What the one timer of a link is waiting for, in nanoseconds from now; negative: it is
// overdue; INT64_MAX: nothing.
typedef struct due_t {
  int64_t greeting_ns, leaving_ns;
} due_t;

static due_t due_of(const ici_link_t *link) {
  const int64_t now_ns = pod_clock_now_ns();
  const bool is_greeting = link->has_pipe && !(link->got_hello && link->got_welcome);
  return (due_t){
      .greeting_ns = is_greeting ? link->greeting_until_ns - now_ns : INT64_MAX,
      .leaving_ns = link->is_leaving ? link->leaving_until_ns - now_ns : INT64_MAX};
}

// One timer serves all sessions of the link: it may ring for one that is over, and then
// waits for what has begun since.
void ici_session_timeout(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  const due_t due = due_of(link);
  const nng_pipe greeting = link->pipe;
  const nng_pipe leaving = link->leaving;
  link->is_leaving = link->is_leaving && due.leaving_ns > 0;
  const bool goes_on = (due.greeting_ns > 0 && due.greeting_ns != INT64_MAX) ||
                       (due.leaving_ns > 0 && due.leaving_ns != INT64_MAX);
  link->has_timer = goes_on;
  pthread_mutex_unlock(&link->lock);
  if (due.greeting_ns <= 0) {
    ici_session_end(link, greeting, "the handshake took too long");
    nng_pipe_close(greeting);
  }
  if (due.leaving_ns <= 0) {
    nng_pipe_close(leaving);
  }
  if (goes_on) {
    nng_sleep_aio(ICI_BYE_TIMEOUT_MS, link->timer_aio);
  }
}

// ---- Hearing things.

// Maps the other side's ring and bell. False: frames go over the socket.
static bool open_offer(ici_link_t *link, const ici_hello_t *hello) {
  const ici_node_t *node = link->node;
  if (!node->use_shared_memory || node->host == 0 || hello->process == 0 ||
      hello->host != node->host) {
    return false;
  }
  ici_ring_t ring;
  ici_shared_t bell = {.file = -1};
  pod_status_t status =
      ici_ring_open(hello->process, hello->ring_file, hello->token, &ring);
  if (status == NULL) {
    status = ici_shared_open(hello->process, hello->bell_file, sizeof(ici_bell_t),
                             hello->token, &bell);
  }
  if (status != NULL) {
    pod_log(POD_LOG_INFO, "ici: chip %d: no shared memory: %s", link->peer,
            pod_status_message(status));
    pod_status_free(status);
    ici_ring_close(&ring);
    return false;
  }
  pthread_mutex_lock(&link->lock);
  ici_ring_close(&link->outgoing);
  ici_shared_close(&link->peer_bell);
  link->outgoing = ring;
  link->peer_bell = bell;
  pthread_mutex_unlock(&link->lock);
  return true;
}

static pod_status_t hear_hello(ici_link_t *link, const uint8_t *payload,
                               uint32_t payload_bytes) {
  ici_hello_t hello;
  const ici_hello_t own = hello_of(link);
  POD_TRY(ici_hello_decode(payload, payload_bytes, &hello));
  POD_TRY(ici_hello_check(&own, &hello));
  const bool shares = open_offer(link, &hello);
  pthread_mutex_lock(&link->lock);
  link->got_hello = true;
  link->peer_epoch = hello.epoch;
  pthread_mutex_unlock(&link->lock);
  say(link, ICI_WELCOME, shares ? WELCOME_SHARES : 0, NULL, 0);
  ici_link_kick(link);
  return NULL;
}

// HELLO or WELCOME, or a frame before its time: one that the last session left over is
// dropped.
static pod_status_t hear_greeting(ici_link_t *link, nng_pipe pipe,
                                  const ici_header_t *header, const uint8_t *payload) {
  if (header->kind == ICI_HELLO) {
    if (link->got_hello) {
      return pod_error(POD_DATA_LOSS, "a second hello");
    }
    POD_TRY(hear_hello(link, payload, header->payload_bytes));
  } else if (header->kind == ICI_WELCOME && link->got_hello) {
    pthread_mutex_lock(&link->lock);
    link->peer_shares = (header->flags & WELCOME_SHARES) != 0;
    link->got_welcome = true;
    pthread_mutex_unlock(&link->lock);
  }
  if (link->got_hello && link->got_welcome) {
    go_up(link, pipe);
  }
  return NULL;
}

// A message of a connection that is over: only a BYE still means something.
static void hear_late(ici_link_t *link, nng_pipe pipe, const ici_header_t *header) {
  if (header->kind == ICI_BYE && has_left(link, pipe)) {
    ici_node_changed(link->node);
    nng_pipe_close(pipe);
  }
}

// The other side leaves: it closes when it has heard that nothing more comes from here.
static void hear_bye(ici_link_t *link, nng_pipe pipe) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  if (end_locked(link, pipe, "the other side closed it")) {
    say(link, ICI_BYE, 0, NULL, 0);
  }
  pthread_mutex_unlock(&node->event_lock);
  ici_link_kick(link);
  ici_node_changed(node);
  ici_route_blocked(node);
}

// What is not for the router. On an error the connection is of no use any more.
static pod_status_t hear(ici_link_t *link, nng_pipe pipe, const ici_header_t *header,
                         const uint8_t *payload) {
  const bool is_up = atomic_load(&link->state) == ICI_LINK_UP;
  if (header->kind == ICI_BYE) {
    hear_bye(link, pipe);
    return NULL;
  }
  if (is_up && header->kind == ICI_ACK) {
    ici_link_acked(link, header->offset);
    return NULL;
  }
  return is_up ? pod_error(POD_DATA_LOSS, "a greeting in the middle")
               : hear_greeting(link, pipe, header, payload);
}

static void reject(ici_link_t *link, nng_pipe pipe, pod_status_t status) {
  char text[2 * ICI_URL_MAX];
  ici_link_describe(link, text, sizeof(text));
  pod_log(POD_LOG_WARNING, "ici: %s: closing a connection: %s", text,
          pod_status_message(status));
  if (atomic_load(&link->state) == ICI_LINK_UP) {
    ici_session_leave(link, pod_status_message(status));
  } else {
    ici_session_end(link, pipe, pod_status_message(status));
    nng_pipe_close(pipe);
  }
  pod_status_free(status);
}

static bool is_current(ici_link_t *link, nng_pipe pipe) {
  pthread_mutex_lock(&link->lock);
  const bool is = link->has_pipe && is_same_pipe(link->pipe, pipe);
  pthread_mutex_unlock(&link->lock);
  return is;
}

bool ici_session_receive(ici_link_t *link, nng_pipe pipe, nng_msg *message,
                         ici_header_t *out_header) {
  const uint8_t *body = nng_msg_body(message);
  // The first message may overtake the news of its connection.
  ici_session_begin(link, pipe);
  pod_status_t status =
      ici_header_decode(body, nng_msg_len(message), link->node->chip_count, out_header);
  if (!is_current(link, pipe)) {
    if (status == NULL) {
      hear_late(link, pipe, out_header);
    }
    pod_status_free(status);
    nng_msg_free(message);
    return false;
  }
  const bool is_frame = status == NULL && out_header->kind >= ICI_DATA &&
                        out_header->kind < ICI_ACK &&
                        atomic_load(&link->state) == ICI_LINK_UP;
  if (is_frame) {
    return true;
  }
  if (status == NULL) {
    status = hear(link, pipe, out_header, body + ICI_HEADER_BYTES);
  }
  nng_msg_free(message);
  if (status != NULL) {
    reject(link, pipe, status);
  }
  return false;
}
