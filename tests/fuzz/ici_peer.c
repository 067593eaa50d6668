#include "tests/fuzz/ici_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "tests/unit/server/ici/memory_carrier.h"

enum {
  ANSWER_US = 100000,     // In a handshake. Who is late has not been understood.
  SENDING_US = 20000000,  // What a node has to take.
};

const uint8_t ici_peer_secret[ICI_SECRET_BYTES] = "only the chips of this pod know";
const torus_t ici_peer_torus = {.size = {ICI_PEER_CHIPS, 1, 1}};
const char ici_peer_url[] = "ipc:///fuzz/chip0";

// ---- What the pipe calls.

static void unlock_and_tell(ici_peer_end_t *peer) {
  pthread_cond_broadcast(&peer->changed);
  pthread_mutex_unlock(&peer->lock);
}

static void on_connected(void *context, ici_door_t *door, ici_pipe_t *pipe) {
  ici_peer_end_t *peer = context;
  (void)door;
  pthread_mutex_lock(&peer->lock);
  peer->pipe = pipe;
  peer->is_answered = true;
  peer->is_sending = peer->is_gone = peer->is_armed = false;
  unlock_and_tell(peer);
}

static void on_sent(void *context, bool is_sent) {
  ici_peer_end_t *peer = context;
  pthread_mutex_lock(&peer->lock);
  peer->is_sending = false;
  peer->is_gone |= !is_sent;
  unlock_and_tell(peer);
}

static void on_received(void *context, nng_msg *message) {
  ici_peer_end_t *peer = context;
  pthread_mutex_lock(&peer->lock);
  peer->is_armed = false;
  peer->is_gone |= message == NULL;
  peer->heard = message;
  unlock_and_tell(peer);
}

static nng_msg *take(void *context, size_t size_bytes) {
  (void)context;
  nng_msg *message;
  POD_CHECK(nng_msg_alloc(&message, size_bytes) == 0);
  return message;
}

static void give(void *context, nng_msg *message) {
  (void)context;
  nng_msg_free(message);
}

static const ici_pipe_user_t user = {.connected = on_connected,
                                     .sent = on_sent,
                                     .received = on_received,
                                     .take = take,
                                     .give = give};

// ---- Life.

void ici_peer_init(ici_peer_end_t *peer, ici_node_t *node, int32_t chip) {
  *peer = (ici_peer_end_t){.node = node, .chip = chip, .epoch = 1};
  pthread_mutex_init(&peer->lock, NULL);
  pod_clock_cond_init(&peer->changed);
  int port;
  if (chip == 0) {
    POD_CHECK(memory_carrier.listen(ici_peer_url, NULL, &user, peer, &peer->door,
                                    &port) == NULL);
  } else {
    POD_CHECK(memory_carrier.dial(ici_node_ipc_url(node, 0), NULL, &user, peer,
                                  &peer->door) == NULL);
  }
}

void ici_peer_deinit(ici_peer_end_t *peer) {
  memory_carrier.destroy_door(peer->door);
  ici_peer_cut(peer);
  pthread_mutex_destroy(&peer->lock);
  pthread_cond_destroy(&peer->changed);
}

// With the lock: waits for a change. False: the time is over.
static bool wait_for_change(ici_peer_end_t *peer, int64_t until_ns) {
  pod_clock_cond_wait(&peer->changed, &peer->lock, until_ns);
  return pod_clock_now_ns() < until_ns;
}

static int64_t until(int wait_us) {
  return pod_clock_now_ns() + wait_us * (int64_t)1000;
}

bool ici_peer_connect(ici_peer_end_t *peer, int wait_us) {
  const int64_t until_ns = until(wait_us);
  pthread_mutex_lock(&peer->lock);
  const bool has_pipe = peer->pipe != NULL;
  if (!has_pipe && (!peer->is_asked || peer->is_answered)) {
    peer->is_asked = true;
    peer->is_answered = false;
    memory_carrier.next(peer->door);
  }
  while (!has_pipe && !peer->is_answered && wait_for_change(peer, until_ns)) {
  }
  const bool connects = !has_pipe && peer->pipe != NULL;
  peer->is_proven &= !connects;
  pthread_mutex_unlock(&peer->lock);
  return connects;
}

static void close_memory(ici_peer_end_t *peer) {
  if (peer->shares) {
    ici_shared_close(&peer->bell);
    ici_shared_close(&peer->peer_bell);
    ici_ring_close(&peer->incoming);
    ici_ring_close(&peer->outgoing);
    peer->shares = false;
  }
}

void ici_peer_cut(ici_peer_end_t *peer) {
  if (peer->pipe != NULL) {
    memory_carrier.destroy_pipe(peer->pipe);
    peer->pipe = NULL;
  }
  if (peer->heard != NULL) {
    nng_msg_free(peer->heard);
    peer->heard = NULL;
  }
  close_memory(peer);
  peer->frames = 0;
}

// ---- Saying and hearing.

bool ici_peer_send(ici_peer_end_t *peer, const uint8_t *frame, size_t size_bytes) {
  const int64_t until_ns = until(SENDING_US);
  pthread_mutex_lock(&peer->lock);
  if (peer->pipe == NULL || peer->is_gone || peer->is_sending) {
    pthread_mutex_unlock(&peer->lock);
    return false;
  }
  nng_msg *message = take(NULL, size_bytes);
  memcpy(nng_msg_body(message), frame, size_bytes);
  peer->is_sending = true;
  memory_carrier.send(peer->pipe, message);
  while (peer->is_sending && wait_for_change(peer, until_ns)) {
  }
  // A node always reads what comes over its link, and hangs up on who is at its gate.
  POD_CHECK(!peer->is_sending || peer->is_gone || !peer->is_proven);
  const bool is_there = !peer->is_gone && !peer->is_sending;
  pthread_mutex_unlock(&peer->lock);
  return is_there;
}

bool ici_peer_say(ici_peer_end_t *peer, const ici_header_t *header, const void *payload) {
  const size_t size_bytes = ICI_HEADER_BYTES + header->payload_bytes;
  uint8_t *frame = pod_alloc(size_bytes);
  ici_header_encode(header, frame);
  if (header->payload_bytes > 0) {
    memcpy(frame + ICI_HEADER_BYTES, payload, header->payload_bytes);
  }
  const bool is_said = ici_peer_send(peer, frame, size_bytes);
  free(frame);
  return is_said;
}

// What a node says is always a frame.
static void read_frame(ici_peer_end_t *peer, nng_msg *message, uint8_t *payload,
                       size_t payload_bytes_max) {
  const uint8_t *body = nng_msg_body(message);
  POD_CHECK(ici_header_decode(body, nng_msg_len(message), ICI_PEER_CHIPS, &peer->last) ==
            NULL);
  const size_t size_bytes = peer->last.payload_bytes < payload_bytes_max
                                ? peer->last.payload_bytes
                                : payload_bytes_max;
  if (size_bytes > 0) {
    memcpy(payload, body + ICI_HEADER_BYTES, size_bytes);
  }
  peer->frames += peer->last.kind >= ICI_DATA && peer->last.kind < ICI_ACK ? 1 : 0;
  nng_msg_free(message);
}

bool ici_peer_look(ici_peer_end_t *peer, int wait_us, uint8_t *payload,
                   size_t payload_bytes_max) {
  const int64_t until_ns = until(wait_us);
  pthread_mutex_lock(&peer->lock);
  if (peer->pipe != NULL && !peer->is_armed && peer->heard == NULL && !peer->is_gone) {
    peer->is_armed = true;
    memory_carrier.receive(peer->pipe);
  }
  while (peer->pipe != NULL && peer->heard == NULL && !peer->is_gone &&
         wait_for_change(peer, until_ns)) {
  }
  nng_msg *message = peer->heard;
  peer->heard = NULL;
  pthread_mutex_unlock(&peer->lock);
  if (message == NULL) {
    return false;
  }
  read_frame(peer, message, payload, payload_bytes_max);
  return true;
}

ici_header_t ici_peer_header(const ici_peer_end_t *peer, ici_kind_t kind) {
  return (ici_header_t){.kind = (uint8_t)kind,
                        .source = peer->chip,
                        .destination = ICI_PEER_NODE,
                        .epoch = peer->epoch};
}

// ---- The beginning of a link.

static ici_proof_t proof_of(const ici_peer_end_t *peer, const uint8_t *dialer_nonce,
                            const uint8_t *listener_nonce) {
  ici_proof_t proof = {
      .pod = ICI_PEER_POD,
      .is_dialer = peer->chip != 0,
      .from = peer->chip,
      .to = ICI_PEER_NODE,
      .direction = peer->chip == 0 ? 0 : 1,
      .transport = peer->pipe->is_tcp ? ICI_TRANSPORT_TCP : ICI_TRANSPORT_LOCAL,
      .epoch = peer->epoch};
  memcpy(proof.dialer_nonce, dialer_nonce, ICI_NONCE_BYTES);
  memcpy(proof.listener_nonce, listener_nonce, ICI_NONCE_BYTES);
  return proof;
}

static bool say_proof(ici_peer_end_t *peer, ici_proof_t *proof) {
  uint8_t mac[ICI_PROOF_BYTES];
  ici_proof_make(ici_peer_secret, proof, mac);
  ici_header_t header = ici_peer_header(peer, ICI_PROOF);
  header.payload_bytes = sizeof(mac);
  peer->is_proven = true;  // It may be, from now on.
  return ici_peer_say(peer, &header, mac);
}

static bool say_nonce(ici_peer_end_t *peer, ici_kind_t kind, const uint8_t *nonce) {
  return ici_peer_say(
      peer, &(ici_header_t){.kind = (uint8_t)kind, .payload_bytes = ICI_NONCE_BYTES},
      nonce);
}

bool ici_peer_prove(ici_peer_end_t *peer) {
  uint8_t own[ICI_NONCE_BYTES], other[ICI_NONCE_BYTES], mac[ICI_PROOF_BYTES];
  ici_proof_t proof;
  bool is_well;
  memset(own, 7, sizeof(own));
  if (peer->chip == 0) {
    is_well = ici_peer_look(peer, ANSWER_US, other, sizeof(other)) &&
              peer->last.kind == ICI_KNOCK && say_nonce(peer, ICI_CHALLENGE, own) &&
              ici_peer_look(peer, ANSWER_US, mac, sizeof(mac)) &&
              peer->last.kind == ICI_PROOF;
    if (is_well) {
      proof = proof_of(peer, other, own);
      proof.peer_epoch = peer->last.epoch;
      is_well = say_proof(peer, &proof);
    }
  } else {
    is_well = say_nonce(peer, ICI_KNOCK, own) &&
              ici_peer_look(peer, ANSWER_US, other, sizeof(other)) &&
              peer->last.kind == ICI_CHALLENGE;
    if (is_well) {
      proof = proof_of(peer, own, other);
      is_well = say_proof(peer, &proof) &&
                ici_peer_look(peer, ANSWER_US, mac, sizeof(mac)) &&
                peer->last.kind == ICI_PROOF;
    }
  }
  return is_well;
}

static void make_memory(ici_peer_end_t *peer, ici_hello_t *hello) {
  ici_shared_token(hello->token);
  POD_CHECK(ici_shared_create(sizeof(ici_bell_t), hello->token, &peer->bell) == NULL);
  POD_CHECK(ici_ring_create(hello->token, &peer->incoming) == NULL);
  peer->outgoing = (ici_ring_t){.shared.file = -1};
  peer->peer_bell = (ici_shared_t){.file = -1};
  peer->shares = true;
  hello->host = ici_shared_host();
  hello->process = (int32_t)getpid();
  hello->bell_file = peer->bell.file;
  hello->ring_file = peer->incoming.shared.file;
}

ici_hello_t ici_peer_hello(ici_peer_end_t *peer, bool shares) {
  ici_hello_t hello = {.pod = ICI_PEER_POD,
                       .from = peer->chip,
                       .to = ICI_PEER_NODE,
                       .direction = peer->chip == 0 ? 0 : 1,
                       .torus = ici_peer_torus,
                       .epoch = peer->epoch};
  if (shares && !peer->shares && ici_shared_host() != 0) {
    make_memory(peer, &hello);
  }
  return hello;
}

// What the node offers, opened. False: it does not.
static bool open_memory(ici_peer_end_t *peer) {
  const ici_hello_t *theirs = &peer->theirs;
  pod_status_t status =
      ici_ring_open(theirs->process, theirs->ring_file, theirs->token, &peer->outgoing);
  if (status == NULL) {
    status = ici_shared_open(theirs->process, theirs->bell_file, sizeof(ici_bell_t),
                             theirs->token, &peer->peer_bell);
  }
  const bool is_open = status == NULL;
  pod_status_free(status);
  return is_open;
}

static bool exchange_hellos(ici_peer_end_t *peer, bool shares) {
  uint8_t bytes[ICI_HELLO_BYTES];
  if (!ici_peer_look(peer, ANSWER_US, bytes, sizeof(bytes)) ||
      peer->last.kind != ICI_HELLO) {
    return false;
  }
  POD_CHECK(ici_hello_decode(bytes, sizeof(bytes), &peer->theirs) == NULL);
  const ici_hello_t hello = ici_peer_hello(peer, shares && peer->theirs.process != 0);
  ici_hello_encode(&hello, bytes);
  ici_header_t header = ici_peer_header(peer, ICI_HELLO);
  header.payload_bytes = sizeof(bytes);
  return ici_peer_say(peer, &header, bytes) && ici_peer_look(peer, ANSWER_US, NULL, 0) &&
         peer->last.kind == ICI_WELCOME;
}

bool ici_peer_greet(ici_peer_end_t *peer, bool shares) {
  const bool is_heard = exchange_hellos(peer, shares);
  if (peer->shares && (!is_heard || peer->last.flags == 0 || !open_memory(peer))) {
    close_memory(peer);
  }
  ici_header_t header = ici_peer_header(peer, ICI_WELCOME);
  header.flags = peer->shares ? 1 : 0;
  return is_heard && ici_peer_say(peer, &header, NULL);
}
