// The life of a link: a pipe, from hello to farewell, then the next one. Whose pipe it is
// has been proven before (gate.h).
//
//          ┌────────── the keeper asks the doors for a pipe ───────┐
//          │                                                       │
//          v                                                       │
//      WAITING ──a pipe: say hello──> GREETING ──both greeted────> UP
//          │ nobody there                  │ wrong, too late         │ told to, nonsense,
//          │                               │                         │ bye came: say bye
//          │                               │                         v
//          │                               │                      LEAVING
//          │        connection gone        │  connection gone        │ bye came, too late
//          └──────────────┬────────────────┴─────────────────────────┘
//                         v
//                       OVER ──the keeper destroys the pipe──> CLOSED ──> (again)
//
// While a link has a pipe its doors are not asked for another: who comes waits at the
// listener. A pipe that comes nevertheless is destroyed.
// Why signs of life: a path between two hosts may die without a word, and TCP would
// notice after a quarter of an hour. An ACK says that the other side lives. Why BYE: the
// other side knows that it was meant, and says why.
//
// A link has the state UP or DOWN for everybody else; the rest is here.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "server/ici/node.h"

enum { WELCOME_SHARES = 1, REJECTS_TOLD = 3, SIGNS_PER_SILENCE = 4 };

// ---- Saying things.

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
  if (!node->use_shared_memory || node->host == 0 || atomic_load(&link->is_tcp)) {
    return;
  }
  memcpy(hello->token, node->bell->token, ICI_TOKEN_BYTES);
  pthread_mutex_lock(&link->ring_lock);
  ici_ring_close(&link->incoming);
  const pod_status_t status = ici_ring_create(hello->token, &link->incoming);
  atomic_store(&link->has_ring, status == NULL);
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

// ---- Moves.

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

// With the event lock: from one of the phases `from` (bits) to LEAVING or OVER. What the
// session had in shared memory goes with it, and so does what was queued for it. False:
// the link is in another phase.
static bool go_down(ici_link_t *link, unsigned from, ici_phase_t phase,
                    const char *reason) {
  pthread_mutex_lock(&link->lock);
  const bool moves = (from & 1u << link->phase) != 0;
  const bool was_up = link->phase == ICI_PHASE_UP;
  if (moves) {
    link->phase = phase;
    link->until_ns = phase == ICI_PHASE_LEAVING
                         ? pod_clock_now_ns() + ICI_BYE_TIMEOUT_MS * ICI_NS_PER_MS
                         : 0;
    atomic_store(&link->state, ICI_LINK_DOWN);
    atomic_fetch_add(&link->losses, was_up ? 1 : 0);
    atomic_store(&link->shares, false);
    ici_ring_close(&link->outgoing);
    ici_shared_close(&link->peer_bell);
    ici_link_clear(link);
  }
  pthread_mutex_unlock(&link->lock);
  if (moves) {
    pthread_mutex_lock(&link->ring_lock);
    ici_ring_close(&link->incoming);
    atomic_store(&link->has_ring, false);
    pthread_mutex_unlock(&link->ring_lock);
  }
  if (moves && link->node->reader == link) {
    link->node->reader = NULL;
    ici_remote_allow(0);
  }
  if (moves && was_up) {
    report(link, ICI_LINK_DOWN, reason);
  }
  return moves;
}

// After a move, without locks.
static void tell(ici_link_t *link) {
  ici_keeper_call(link->node);
  ici_node_changed(link->node);
  ici_route_blocked(link->node);
}

enum {
  FROM_WAITING = 1u << ICI_PHASE_WAITING,
  FROM_GREETING = 1u << ICI_PHASE_GREETING,
  FROM_UP = 1u << ICI_PHASE_UP,
  FROM_LEAVING = 1u << ICI_PHASE_LEAVING,
};

static void end(ici_link_t *link, unsigned from, const char *reason) {
  pthread_mutex_lock(&link->node->event_lock);
  const bool moved = go_down(link, from, ICI_PHASE_OVER, reason);
  pthread_mutex_unlock(&link->node->event_lock);
  if (moved) {
    tell(link);
  }
}

// With the event lock. True: `tell` is to follow, without it.
static bool leave(ici_link_t *link, const char *reason) {
  const bool leaves = go_down(link, FROM_UP, ICI_PHASE_LEAVING, reason);
  if (leaves) {
    say(link, ICI_BYE, 0, NULL, 0);
  }
  return leaves || go_down(link, FROM_WAITING | FROM_GREETING, ICI_PHASE_OVER, reason);
}

void ici_session_leave(ici_link_t *link, const char *reason) {
  pthread_mutex_lock(&link->node->event_lock);
  const bool moved = leave(link, reason);
  pthread_mutex_unlock(&link->node->event_lock);
  if (moved) {
    ici_link_kick(link);
    tell(link);
  }
}

void ici_session_redirect(ici_link_t *link, const char *url) {
  // No session begins without the event lock: none that the new address has led to ends.
  pthread_mutex_lock(&link->node->event_lock);
  pthread_mutex_lock(&link->lock);
  const bool is_new = strcmp(url, link->dial_url) != 0;
  if (is_new) {
    snprintf(link->dial_url, sizeof(link->dial_url), "%s", url);
    link->failures = 0;
    link->until_ns = link->phase == ICI_PHASE_CLOSED ? 0 : link->until_ns;
  }
  pthread_mutex_unlock(&link->lock);
  if (is_new) {
    (void)leave(link, "its other end has another address now");
  }
  pthread_mutex_unlock(&link->node->event_lock);
  if (is_new) {
    ici_link_kick(link);
    tell(link);
  }
}

// When the next sign of life is due, or has been missed for too long. With the lock.
static int64_t next_sign_ns(const ici_link_t *link, int64_t now_ns) {
  if (!atomic_load(&link->is_tcp)) {
    return INT64_MAX;
  }
  const int64_t sign_ns = now_ns + link->node->silence_ns / SIGNS_PER_SILENCE;
  const int64_t end_ns = link->heard_ns + link->node->silence_ns;
  return sign_ns < end_ns ? sign_ns : end_ns;
}

// False: nothing has come for too long.
static bool give_sign(ici_link_t *link) {
  const int64_t now_ns = pod_clock_now_ns();
  pthread_mutex_lock(&link->lock);
  const bool is_up = link->phase == ICI_PHASE_UP;
  const bool is_alive = now_ns - link->heard_ns < link->node->silence_ns;
  if (is_up && is_alive) {
    link->is_ack_wanted = true;
    link->until_ns = next_sign_ns(link, now_ns);
  }
  pthread_mutex_unlock(&link->lock);
  return is_alive || !is_up;
}

static void tend_up(ici_link_t *link) {
  if (give_sign(link)) {
    ici_link_kick(link);
  } else {
    end(link, FROM_UP, "nothing has come from its other end for too long");
  }
}

void ici_session_timeout(ici_link_t *link) {
  if (atomic_load(&link->state) == ICI_LINK_UP) {
    tend_up(link);
    return;
  }
  pthread_mutex_lock(&link->node->event_lock);
  pthread_mutex_lock(&link->lock);
  const bool is_due = pod_clock_now_ns() >= link->until_ns;
  pthread_mutex_unlock(&link->lock);
  if (is_due) {
    go_down(link, FROM_WAITING | FROM_GREETING | FROM_LEAVING, ICI_PHASE_OVER, "");
  }
  pthread_mutex_unlock(&link->node->event_lock);
}

bool ici_session_begin(ici_link_t *link, ici_pipe_t *pipe, uint64_t peer_epoch) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  pthread_mutex_lock(&link->lock);
  const bool begins = link->phase == ICI_PHASE_WAITING && !atomic_load(&node->goes);
  if (begins) {
    link->phase = ICI_PHASE_GREETING;
    link->until_ns = pod_clock_now_ns() + ICI_HELLO_TIMEOUT_MS * ICI_NS_PER_MS;
    link->pipe = pipe;
    link->peer_epoch = peer_epoch;
    ici_gate_clear(link);
    atomic_store(&link->is_tcp, pipe->is_tcp);
    link->got_hello = link->got_welcome = false;
    link->put = link->put_acked = link->dealt = link->dealt_acked = 0;
  }
  pthread_mutex_unlock(&link->lock);
  if (begins) {
    uint8_t bytes[ICI_HELLO_BYTES];
    ici_hello_t hello = hello_of(link);
    offer_ring(link, &hello);
    ici_hello_encode(&hello, bytes);
    say(link, ICI_HELLO, 0, bytes, sizeof(bytes));
  }
  pthread_mutex_unlock(&node->event_lock);
  if (begins) {
    ici_link_receive(link);
    ici_link_kick(link);
    ici_keeper_call(node);
  }
  return begins;
}

void ici_session_refused(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  if (link->phase == ICI_PHASE_WAITING) {
    link->until_ns =
        pod_clock_now_ns() + (link->listens ? ICI_RETRY_MS * ICI_NS_PER_MS : 0);
  }
  pthread_mutex_unlock(&link->lock);
  ici_keeper_call(link->node);
}

void ici_session_gone(ici_link_t *link) {
  end(link, FROM_GREETING | FROM_UP | FROM_LEAVING, "the connection was closed");
}

// With the event lock. Where Yama is strict one process may read this one: the first
// neighbour that has proven who it is, as long as its link is up. The others are sent
// what they need.
static void allow_reader(ici_link_t *link) {
  ici_node_t *node = link->node;
  if (atomic_load(&link->shares) && node->reader == NULL) {
    node->reader = link;
    ici_remote_allow(link->peer_process);
  }
}

// Both sides have heard hello and welcome.
static void go_up(ici_link_t *link) {
  ici_node_t *node = link->node;
  pthread_mutex_lock(&node->event_lock);
  pthread_mutex_lock(&link->lock);
  const bool goes_up = link->phase == ICI_PHASE_GREETING;
  if (goes_up) {
    const bool shares = ici_ring_is_open(&link->outgoing) && link->peer_shares;
    atomic_store(&link->shares, shares);
    if (!shares) {
      ici_ring_close(&link->outgoing);
      ici_shared_close(&link->peer_bell);
    }
    link->phase = ICI_PHASE_UP;
    link->heard_ns = pod_clock_now_ns();
    link->until_ns = next_sign_ns(link, link->heard_ns);
    link->is_ack_wanted = false;
    link->failures = 0;
    atomic_store(&link->state, ICI_LINK_UP);
  }
  pthread_mutex_unlock(&link->lock);
  if (goes_up) {
    allow_reader(link);
    report(link, ICI_LINK_UP, "");
  }
  pthread_mutex_unlock(&node->event_lock);
  ici_keeper_call(node);
  ici_node_changed(node);
  ici_bell_ring(node->bell, true);  // Frames may have come into the ring before.
}

// ---- Hearing things.

// Whether the other side offers memory that could be mapped here. Never over tcp, where
// nobody proves whose memory it would be.
static bool is_offer_near(const ici_link_t *link, const ici_hello_t *hello) {
  const ici_node_t *node = link->node;
  return node->use_shared_memory && node->host != 0 && hello->process != 0 &&
         hello->host == node->host && !atomic_load(&link->is_tcp);
}

// With the link's lock. The keeper may have taken the pipe away while this was heard.
static int32_t process_of(const ici_link_t *link) {
  return link->pipe == NULL ? 0 : link->pipe->process;
}

static pod_status_t check_process(ici_link_t *link, const ici_hello_t *hello) {
  pthread_mutex_lock(&link->lock);
  const int32_t process = process_of(link);
  pthread_mutex_unlock(&link->lock);
  if (is_offer_near(link, hello) && hello->process != process) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "it offers the memory of process %d, but is process %d",
                     hello->process, process);
  }
  return NULL;
}

// Maps the other side's ring and bell. False: frames go over the socket.
static bool open_offer(ici_link_t *link, const ici_hello_t *hello) {
  if (!is_offer_near(link, hello)) {
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
  const bool is_wanted = link->phase == ICI_PHASE_GREETING;
  if (is_wanted) {
    link->outgoing = ring;
    link->peer_bell = bell;
  }
  pthread_mutex_unlock(&link->lock);
  if (!is_wanted) {
    ici_ring_close(&ring);
    ici_shared_close(&bell);
  }
  return is_wanted;
}

// What is said in a hello is the word of who has proven himself.
static pod_status_t check_epoch(ici_link_t *link, const ici_hello_t *hello) {
  pthread_mutex_lock(&link->lock);
  const bool is_same = link->peer_epoch == hello->epoch;
  pthread_mutex_unlock(&link->lock);
  return is_same ? NULL
                 : pod_error(POD_FAILED_PRECONDITION, "its hello is of another epoch");
}

static pod_status_t hear_hello(ici_link_t *link, const uint8_t *payload,
                               uint32_t payload_bytes) {
  ici_hello_t hello;
  const ici_hello_t own = hello_of(link);
  POD_TRY(ici_hello_decode(payload, payload_bytes, &hello));
  POD_TRY(ici_hello_check(&own, &hello));
  POD_TRY(check_epoch(link, &hello));
  POD_TRY(check_process(link, &hello));
  POD_TRY(ici_node_meet(link->node, link->peer, hello.epoch));
  const bool shares = open_offer(link, &hello);
  pthread_mutex_lock(&link->lock);
  link->got_hello = true;
  link->peer_process = process_of(link);
  pthread_mutex_unlock(&link->lock);
  say(link, ICI_WELCOME, shares ? WELCOME_SHARES : 0, NULL, 0);
  ici_link_kick(link);
  return NULL;
}

static pod_status_t hear_greeting(ici_link_t *link, const ici_header_t *header,
                                  const uint8_t *payload) {
  if (header->kind == ICI_HELLO && !link->got_hello) {
    POD_TRY(hear_hello(link, payload, header->payload_bytes));
  } else if (header->kind == ICI_WELCOME && link->got_hello) {
    pthread_mutex_lock(&link->lock);
    link->peer_shares = (header->flags & WELCOME_SHARES) != 0;
    link->got_welcome = true;
    pthread_mutex_unlock(&link->lock);
  } else {
    return pod_error(POD_DATA_LOSS, "no greeting");
  }
  if (link->got_hello && link->got_welcome) {
    go_up(link);
  }
  return NULL;
}

// What comes over a link that is up and is not for the router. On an error the connection
// is of no use any more.
static pod_status_t hear_up(ici_link_t *link, const ici_header_t *header) {
  switch (header->kind) {
    case ICI_ACK:
      ici_link_acked(link, header->offset);
      return NULL;
    case ICI_BYE:
      ici_session_leave(link, "the other side closed it");
      return NULL;
    default:
      return pod_error(POD_DATA_LOSS, "a greeting in the middle");
  }
}

// Who does not belong here comes again and again: the log says it a few times.
static void reject(ici_link_t *link, pod_status_t status) {
  char text[2 * ICI_URL_MAX];
  ici_link_describe(link, text, sizeof(text));
  pthread_mutex_lock(&link->lock);
  const bool is_news = link->failures < REJECTS_TOLD;
  pthread_mutex_unlock(&link->lock);
  pod_log(is_news ? POD_LOG_WARNING : POD_LOG_DEBUG, "ici: %s: closing a connection: %s",
          text, pod_status_message(status));
  ici_session_leave(link, pod_status_message(status));
  pod_status_free(status);
}

bool ici_session_believes(const ici_link_t *link, const ici_header_t *header) {
  return header->source != link->node->chip &&
         (header->source != link->peer || header->epoch == link->peer_epoch);
}

// Something has come: the phase in which it did.
static ici_phase_t hear(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  link->heard_ns = pod_clock_now_ns();
  const ici_phase_t phase = link->phase;
  pthread_mutex_unlock(&link->lock);
  return phase;
}

bool ici_session_receive(ici_link_t *link, const nng_msg *message,
                         ici_header_t *out_header) {
  const uint8_t *body = nng_msg_body((nng_msg *)message);
  pod_status_t status = ici_header_decode(body, nng_msg_len((nng_msg *)message),
                                          link->node->chip_count, out_header);
  const ici_phase_t phase = hear(link);
  if (phase == ICI_PHASE_UP && status == NULL) {
    if (!ici_session_believes(link, out_header)) {
      status = pod_error(POD_DATA_LOSS, "a frame of chip %d of epoch %" PRIu64,
                         out_header->source, out_header->epoch);
    } else if (out_header->kind >= ICI_DATA && out_header->kind < ICI_ACK) {
      return true;
    } else {
      status = hear_up(link, out_header);
    }
  } else if (phase == ICI_PHASE_GREETING && status == NULL) {
    status = hear_greeting(link, out_header, body + ICI_HEADER_BYTES);
  } else if (phase == ICI_PHASE_LEAVING && status == NULL &&
             out_header->kind == ICI_BYE) {
    end(link, FROM_LEAVING, "");
  }
  if (status != NULL) {
    reject(link, status);
  }
  return false;
}
