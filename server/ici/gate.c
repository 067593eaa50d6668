// Who comes to a link, until it is known whether he belongs there. A pipe's operations
// are started under the link's lock, as in link.c; a guest's frame that finds another on
// its way out waits behind it.

#include "server/ici/gate.h"

#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/digest/digest.h"
#include "server/ici/node.h"

enum {
  GUEST_FRAME_MAX = ICI_HEADER_BYTES + ICI_NONCE_BYTES,
  SHUT_LOOK_NS = 1000 * 1000,
  DIALS_UNTOLD = 5,
};
_Static_assert((int)ICI_NONCE_BYTES == (int)ICI_PROOF_BYTES,
               "each is the payload of a frame");

// ---- Places. All with the link's lock.

static bool is_unproven(const ici_guest_t *guest) {
  return guest->state == ICI_GUEST_KNOCKING || guest->state == ICI_GUEST_PROVING;
}

static bool is_waiting(const ici_guest_t *guest) {
  return is_unproven(guest) || guest->state == ICI_GUEST_PROVEN;
}

static int count_places(const ici_link_t *link) {
  int count = 0;
  for (int i = 0; i < ICI_GUESTS_MAX; i++) {
    count += link->guests[i].state == ICI_GUEST_NONE ? 1 : 0;
  }
  return count;
}

static ici_guest_t *find_place(ici_link_t *link) {
  for (int i = 0; i < ICI_GUESTS_MAX; i++) {
    if (link->guests[i].state == ICI_GUEST_NONE) {
      return &link->guests[i];
    }
  }
  return NULL;
}

static ici_guest_t *find_oldest(ici_link_t *link) {
  ici_guest_t *oldest = NULL;
  for (int i = 0; i < ICI_GUESTS_MAX; i++) {
    ici_guest_t *guest = &link->guests[i];
    if (is_unproven(guest) && (oldest == NULL || guest->since_ns < oldest->since_ns)) {
      oldest = guest;
    }
  }
  return oldest;
}

bool ici_gate_has_place(ici_link_t *link, int asked) {
  const int places = count_places(link);
  if (!link->listens) {  // Who dials waits for one answer.
    return places == ICI_GUESTS_MAX && asked == 0;
  }
  if (places > asked) {
    return true;
  }
  ici_guest_t *oldest = find_oldest(link);
  if (oldest != NULL &&
      pod_clock_now_ns() - oldest->since_ns >= ICI_GUEST_LEAST_MS * ICI_NS_PER_MS) {
    oldest->state = ICI_GUEST_OVER;
    ici_keeper_call(link->node);
  }
  return false;
}

void ici_gate_clear(ici_link_t *link) {
  for (int i = 0; i < ICI_GUESTS_MAX; i++) {
    if (is_waiting(&link->guests[i])) {
      link->guests[i].state = ICI_GUEST_OVER;
    }
  }
}

// ---- Saying and proving. All with the link's lock.

static void send(ici_guest_t *guest, const ici_header_t *header, const uint8_t *payload) {
  nng_msg *message = ici_message_make(guest->link->node, header, payload);
  if (message == NULL || guest->next != NULL) {
    guest->state = ICI_GUEST_OVER;
    if (message != NULL) {
      ici_message_give(guest->link->node, message);
    }
  } else if (guest->is_sending) {
    guest->next = message;
  } else {
    guest->is_sending = true;
    guest->link->node->carrier->send(guest->pipe, message);
  }
}

// Says neither who this is nor who is expected.
static void send_nonce(ici_guest_t *guest, ici_kind_t kind, uint8_t *nonce) {
  digest_random(nonce, ICI_NONCE_BYTES);
  send(guest, &(ici_header_t){.kind = (uint8_t)kind, .payload_bytes = ICI_NONCE_BYTES},
       nonce);
}

static ici_transport_t transport_of(const ici_pipe_t *pipe) {
  if (!pipe->is_tcp) {
    return ICI_TRANSPORT_LOCAL;
  }
  return pipe->is_encrypted ? ICI_TRANSPORT_TLS : ICI_TRANSPORT_TCP;
}

// What stands in this side's proof, or in the other's.
static ici_proof_t proof_of(const ici_guest_t *guest, bool is_own, uint64_t epoch) {
  const ici_link_t *link = guest->link;
  const int32_t chip = link->node->chip;
  ici_proof_t proof = {.pod = link->node->pod,
                       .is_dialer = is_own != link->listens,
                       .from = is_own ? chip : link->peer,
                       .to = is_own ? link->peer : chip,
                       .direction = is_own ? link->direction : link->direction ^ 1,
                       .transport = transport_of(guest->pipe),
                       .epoch = epoch};
  if (!proof.is_dialer) {
    proof.peer_epoch = is_own ? guest->epoch : link->node->epoch;
  }
  memcpy(proof.dialer_nonce, guest->dialer_nonce, ICI_NONCE_BYTES);
  memcpy(proof.listener_nonce, guest->listener_nonce, ICI_NONCE_BYTES);
  return proof;
}

static void send_proof(ici_guest_t *guest) {
  const ici_node_t *node = guest->link->node;
  const ici_proof_t proof = proof_of(guest, true, node->epoch);
  uint8_t mac[ICI_PROOF_BYTES];
  ici_proof_make(node->link_secret, &proof, mac);
  ici_header_t header = ici_node_header(node, ICI_PROOF, guest->link->peer);
  header.payload_bytes = sizeof(mac);
  send(guest, &header, mac);
}

static bool hear_proof(ici_guest_t *guest, const ici_header_t *header,
                       const uint8_t *mac) {
  const ici_link_t *link = guest->link;
  const ici_proof_t proof = proof_of(guest, false, header->epoch);
  if (header->source != link->peer || header->destination != link->node->chip ||
      !ici_proof_holds(link->node->link_secret, &proof, mac)) {
    return false;
  }
  guest->epoch = header->epoch;
  guest->state = ICI_GUEST_PROVEN;
  return true;
}

// False: it is not what comes next.
static bool hear_as_listener(ici_guest_t *guest, const ici_header_t *header,
                             const uint8_t *payload) {
  if (guest->state == ICI_GUEST_KNOCKING && header->kind == ICI_KNOCK) {
    memcpy(guest->dialer_nonce, payload, ICI_NONCE_BYTES);
    guest->state = ICI_GUEST_PROVING;
    send_nonce(guest, ICI_CHALLENGE, guest->listener_nonce);
    return true;
  }
  if (guest->state == ICI_GUEST_PROVING && header->kind == ICI_PROOF &&
      hear_proof(guest, header, payload)) {
    send_proof(guest);
    return true;
  }
  return false;
}

static bool hear_as_dialer(ici_guest_t *guest, const ici_header_t *header,
                           const uint8_t *payload) {
  if (guest->state == ICI_GUEST_KNOCKING && header->kind == ICI_CHALLENGE) {
    memcpy(guest->listener_nonce, payload, ICI_NONCE_BYTES);
    guest->state = ICI_GUEST_PROVING;
    send_proof(guest);
    return true;
  }
  return guest->state == ICI_GUEST_PROVING && header->kind == ICI_PROOF &&
         hear_proof(guest, header, payload);
}

static bool hear(ici_guest_t *guest, const nng_msg *message) {
  const uint8_t *body = nng_msg_body((nng_msg *)message);
  ici_header_t header;
  const pod_status_t status = ici_header_decode(body, nng_msg_len((nng_msg *)message),
                                                guest->link->node->chip_count, &header);
  if (status != NULL) {
    pod_status_free(status);
    return false;
  }
  if (header.payload_bytes != ICI_NONCE_BYTES) {
    return false;
  }
  return guest->link->listens ? hear_as_listener(guest, &header, body + ICI_HEADER_BYTES)
                              : hear_as_dialer(guest, &header, body + ICI_HEADER_BYTES);
}

// ---- What the pipe calls.

// It did not say what somebody of this pod says there. Anybody can come as often as he
// likes: the log says it now and then.
static void tell_refusal(ici_link_t *link) {
  const int64_t now_ns = pod_clock_now_ns();
  pthread_mutex_lock(&link->lock);
  link->refusals++;
  const bool is_news =
      link->refused_told_ns == 0 ||
      now_ns - link->refused_told_ns >= ICI_REFUSALS_TOLD_MS * ICI_NS_PER_MS;
  const int64_t refusals = link->refusals;
  link->refused_told_ns = is_news ? now_ns : link->refused_told_ns;
  link->refusals = is_news ? 0 : link->refusals;
  pthread_mutex_unlock(&link->lock);
  if (is_news) {
    char text[2 * ICI_URL_MAX];
    ici_link_describe(link, text, sizeof(text));
    pod_log(
        POD_LOG_WARNING,
        "ici: %s: %s the secret of this pod's links, %lld times since this was said last",
        text, link->listens ? "somebody did not prove" : "no agreement about",
        (long long)refusals);
  }
}

static void on_connected(void *context, ici_door_t *door, ici_pipe_t *pipe) {
  (void)context;
  (void)door;
  (void)pipe;
}

// The pipe becomes the link's when nothing of the guest is under way any more. Another
// thread may have admitted him, and his place be free or somebody else's.
static void admit(ici_link_t *link, ici_guest_t *guest) {
  pthread_mutex_lock(&link->lock);
  const bool is_ready = guest->state == ICI_GUEST_PROVEN && !guest->is_sending;
  ici_pipe_t *pipe = guest->pipe;
  const ici_pipe_user_t *own = is_ready ? pipe->user : NULL;
  if (is_ready) {
    guest->state = ICI_GUEST_ADMITTED;
    pipe->user = &ici_link_user;
    pipe->context = link;
    pipe->frame_bytes_max = ICI_FRAME_MAX;
  }
  const uint64_t epoch = guest->epoch;
  pthread_mutex_unlock(&link->lock);
  if (!is_ready) {
    return;
  }
  const bool begins = ici_session_begin(link, pipe, epoch);
  pthread_mutex_lock(&link->lock);
  if (begins) {
    guest->pipe = NULL;
    guest->state = ICI_GUEST_NONE;
  } else {
    pipe->user = own;
    pipe->context = guest;
    guest->state = ICI_GUEST_OVER;
  }
  pthread_mutex_unlock(&link->lock);
  ici_keeper_call(link->node);
}

static void on_sent(void *context, bool is_sent) {
  ici_guest_t *guest = context;
  ici_link_t *link = guest->link;
  pthread_mutex_lock(&link->lock);
  guest->is_sending = false;
  if (!is_sent) {
    guest->state = ICI_GUEST_OVER;
  } else if (guest->next != NULL && is_waiting(guest)) {
    guest->is_sending = true;
    link->node->carrier->send(guest->pipe, guest->next);
    guest->next = NULL;
  }
  pthread_mutex_unlock(&link->lock);
  if (is_sent) {
    admit(link, guest);
  } else {
    ici_keeper_call(link->node);
  }
}

static void on_received(void *context, nng_msg *message) {
  ici_guest_t *guest = context;
  ici_link_t *link = guest->link;
  pthread_mutex_lock(&link->lock);
  const bool is_refused = message != NULL && is_waiting(guest) && !hear(guest, message);
  if (message == NULL || is_refused) {
    guest->state = ICI_GUEST_OVER;
  } else if (is_unproven(guest)) {
    link->node->carrier->receive(guest->pipe);
  }
  const bool is_over = guest->state == ICI_GUEST_OVER;
  // Who dials and is hung up on again and again has the wrong secret or certificate.
  const bool is_sent_away =
      message == NULL && !link->listens && link->failures >= DIALS_UNTOLD;
  pthread_mutex_unlock(&link->lock);
  if (message != NULL) {
    ici_message_give(link->node, message);
  }
  if (is_refused || is_sent_away) {
    tell_refusal(link);
  }
  if (is_over) {
    ici_keeper_call(link->node);
  } else {
    admit(link, guest);
  }
}

static nng_msg *take_message(void *context, size_t size_bytes) {
  return ici_message_take(((ici_guest_t *)context)->link->node, size_bytes);
}

static void give_message(void *context, nng_msg *message) {
  ici_message_give(((ici_guest_t *)context)->link->node, message);
}

static const ici_pipe_user_t guest_user = {.connected = on_connected,
                                           .sent = on_sent,
                                           .received = on_received,
                                           .take = take_message,
                                           .give = give_message};

void ici_gate_enter(ici_link_t *link, ici_pipe_t *pipe) {
  ici_node_t *node = link->node;
  ici_guest_t *guest = find_place(link);
  POD_CHECK(guest != NULL);  // Nobody is asked for without.
  *guest = (ici_guest_t){.link = link,
                         .pipe = pipe,
                         .state = ICI_GUEST_KNOCKING,
                         .since_ns = pod_clock_now_ns()};
  pipe->user = &guest_user;
  pipe->context = guest;
  pipe->frame_bytes_max = GUEST_FRAME_MAX;
  if (link->phase != ICI_PHASE_WAITING || atomic_load(&node->goes)) {
    guest->state = ICI_GUEST_OVER;
  } else if (!link->listens) {
    send_nonce(guest, ICI_KNOCK, guest->dialer_nonce);
  }
  if (is_unproven(guest)) {
    node->carrier->receive(pipe);
  }
}

// ---- The keeper's.

// Takes one that is over. The place stays its own until the pipe cannot call any more.
static ici_guest_t *next_over(ici_link_t *link) {
  ici_guest_t *over = NULL;
  pthread_mutex_lock(&link->lock);
  for (int i = 0; i < ICI_GUESTS_MAX && over == NULL; i++) {
    over = link->guests[i].state == ICI_GUEST_OVER ? &link->guests[i] : NULL;
  }
  pthread_mutex_unlock(&link->lock);
  return over;
}

static bool drop_over(ici_link_t *link) {
  bool any = false;
  for (ici_guest_t *guest = next_over(link); guest != NULL; guest = next_over(link)) {
    any = true;
    link->node->carrier->destroy_pipe(guest->pipe);
    if (guest->next != NULL) {
      ici_message_give(link->node, guest->next);
    }
    pthread_mutex_lock(&link->lock);
    *guest = (ici_guest_t){.state = ICI_GUEST_NONE};
    pthread_mutex_unlock(&link->lock);
  }
  return any;
}

// With the link's lock: those whose time is over. Returns when the next one's is.
static int64_t look_at_time(ici_link_t *link) {
  const int64_t now_ns = pod_clock_now_ns();
  int64_t due_ns = INT64_MAX;
  for (int i = 0; i < ICI_GUESTS_MAX; i++) {
    ici_guest_t *guest = &link->guests[i];
    const int64_t until_ns = guest->since_ns + ICI_GUEST_TIMEOUT_MS * ICI_NS_PER_MS;
    if (is_waiting(guest) && until_ns <= now_ns) {
      guest->state = ICI_GUEST_OVER;
    } else if (is_waiting(guest) && until_ns < due_ns) {
      due_ns = until_ns;
    }
  }
  return due_ns;
}

// With the link's lock: when somebody may be sent away so that a door can be asked for
// another. INT64_MAX: all doors are asked, or none is to be.
static int64_t next_room(ici_link_t *link) {
  bool is_wanted = false;
  for (int i = 0; i < link->door_count && link->phase == ICI_PHASE_WAITING; i++) {
    is_wanted |= !link->is_asked[i];
  }
  const ici_guest_t *oldest = find_oldest(link);
  return is_wanted && oldest != NULL
             ? oldest->since_ns + ICI_GUEST_LEAST_MS * ICI_NS_PER_MS
             : INT64_MAX;
}

int64_t ici_gate_tend(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  (void)look_at_time(link);
  pthread_mutex_unlock(&link->lock);
  const bool any = drop_over(link);
  pthread_mutex_lock(&link->lock);
  int64_t due_ns = look_at_time(link);
  const bool is_alone = count_places(link) == ICI_GUESTS_MAX;
  if (link->listens) {
    ici_link_ask(link);
    const int64_t room_ns = next_room(link);
    due_ns = room_ns < due_ns ? room_ns : due_ns;
  }
  pthread_mutex_unlock(&link->lock);
  if (any && is_alone && !link->listens) {
    ici_session_refused(link);
  }
  return due_ns;
}

bool ici_gate_is_empty(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  const bool is_empty = count_places(link) == ICI_GUESTS_MAX;
  pthread_mutex_unlock(&link->lock);
  return is_empty;
}

void ici_gate_shut(ici_link_t *link) {
  for (;;) {
    pthread_mutex_lock(&link->lock);
    ici_gate_clear(link);
    pthread_mutex_unlock(&link->lock);
    (void)drop_over(link);
    if (ici_gate_is_empty(link)) {
      return;
    }
    nanosleep(&(struct timespec){.tv_nsec = SHUT_LOOK_NS}, NULL);
  }
}
