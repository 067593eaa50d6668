// What becomes of a frame that arrived: taken by this chip, or passed on towards its
// destination.
//
// Why passing on cannot deadlock. Routes go in dimension order, so a chain of frames that
// wait for one another stays, from some point on, in the links of one direction of one
// dimension: a ring of the torus, or a line, whose end is free. In a ring, a frame that
// enters (from its chip, or round a corner) must leave room for one more frame behind it;
// one that goes straight on need not (bubble flow control; Puente et al. 1999, "Adaptive
// bubble router"). So a ring always keeps a free place somewhere, and what is in it
// moves. At its destination a frame is always taken at once: what a running collective
// cannot use yet is kept, and there is room for that because senders ask first
// (collective.c).

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "server/ici/node.h"

enum { FRAMES_PER_LOOK = 64 };

static ici_link_t *link_towards(ici_node_t *node, int32_t chip) {
  return &node->links[torus_next_hop(&node->torus, node->chip, chip)];
}

// Tries every frame that waits once. They are control frames, whose order does not
// matter.
static void empty_outbox(ici_node_t *node) {
  pthread_mutex_lock(&node->lock);
  int count = node->outbox_count;
  pthread_mutex_unlock(&node->lock);
  for (; count > 0; count--) {
    pthread_mutex_lock(&node->lock);
    ici_kept_t *kept = node->outbox.first == NULL
                           ? NULL
                           : ici_kept_remove(&node->outbox, &node->outbox.first);
    node->outbox_count -= kept != NULL ? 1 : 0;
    pthread_mutex_unlock(&node->lock);
    if (kept == NULL) {
      return;
    }
    atomic_fetch_sub(&node->waiting, 1);
    ici_link_t *link = link_towards(node, kept->header.destination);
    const ici_put_t outcome =
        ici_link_put(link, &kept->header, ici_kept_payload(kept), 1);
    if (outcome != ICI_PUT_FULL) {
      ici_kept_free(node, kept);
      continue;
    }
    pthread_mutex_lock(&node->lock);
    ici_kept_push(&node->outbox, kept);
    node->outbox_count++;
    pthread_mutex_unlock(&node->lock);
    atomic_fetch_add(&node->waiting, 1);
  }
}

// When there is no room, the frame waits in the outbox.
void ici_route_send_surely(ici_node_t *node, const ici_header_t *header,
                           const void *payload) {
  ici_link_t *link = link_towards(node, header->destination);
  if (ici_link_put(link, header, payload, 1) != ICI_PUT_FULL) {
    return;
  }
  nng_msg *message = ici_message_make(node, header, payload);
  bool is_kept = false;
  pthread_mutex_lock(&node->lock);
  if (message != NULL && node->outbox_count < ICI_OUTBOX_MAX) {
    ici_kept_push(&node->outbox, ici_kept_make(header, message));
    node->outbox_count++;
    is_kept = true;
  }
  pthread_mutex_unlock(&node->lock);
  if (message != NULL && !is_kept) {
    pod_log(POD_LOG_ERROR, "ici: too many frames wait for a link; one is lost");
    ici_message_give(node, message);
  }
  if (is_kept) {
    atomic_fetch_add(&node->waiting, 1);
    empty_outbox(node);  // Room may have come in between.
  }
}

// Tells the source of a frame that it cannot be passed on.
static void refuse(ici_node_t *node, const ici_header_t *frame, ici_link_t *link) {
  if (frame->kind == ICI_ABANDON) {
    return;
  }
  char text[ICI_TEXT_MAX];
  char described[2 * ICI_URL_MAX];
  ici_link_describe(link, described, sizeof(described));
  const int length =
      snprintf(text, sizeof(text), "chip %d: %s is down", node->chip, described);
  ici_header_t header = ici_node_header(node, ICI_ABANDON, frame->source);
  header.execution = frame->execution;
  header.tag = POD_UNAVAILABLE;
  header.payload_bytes = (uint32_t)length;
  ici_route_send_surely(node, &header, text);
}

typedef struct hop_t {
  ici_link_t *link;
  int spare;
  ici_header_t header;
} hop_t;

static hop_t next_hop(const ici_link_t *from, const ici_header_t *header) {
  ici_node_t *node = from->node;
  hop_t hop = {.link = link_towards(node, header->destination), .header = *header};
  // Straight on means out in the direction in which it was going: away from `from`.
  hop.spare = hop.link->direction == (from->direction ^ 1) ? 0 : 1;
  hop.header.hops++;
  return hop;
}

// DONE also when the frame had to be dropped.
static ici_put_t pass_message(const ici_link_t *from, const ici_header_t *header,
                              nng_msg *message) {
  const hop_t hop = next_hop(from, header);
  const ici_put_t outcome =
      ici_link_put_message(hop.link, &hop.header, message, hop.spare);
  if (outcome == ICI_PUT_DOWN) {
    refuse(from->node, header, hop.link);
    ici_message_give(from->node, message);
    return ICI_PUT_DONE;
  }
  return outcome;
}

bool ici_route_message(ici_link_t *link, const ici_header_t *header, nng_msg *message) {
  ici_node_t *node = link->node;
  if (header->destination == node->chip) {
    ici_node_take(node, header, message);
    return true;
  }
  if (pass_message(link, header, message) == ICI_PUT_DONE) {
    return true;
  }
  pthread_mutex_lock(&node->forward_lock);
  pthread_mutex_lock(&link->lock);
  link->blocked = message;
  link->blocked_header = *header;
  pthread_mutex_unlock(&link->lock);
  atomic_fetch_add(&node->waiting, 1);
  pthread_mutex_unlock(&node->forward_lock);
  ici_route_blocked(node);  // Room may have come in between.
  return false;
}

// Under forward_lock nobody else takes or puts `blocked`.
static void pass_blocked(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  nng_msg *message = link->blocked;
  const ici_header_t header = link->blocked_header;
  pthread_mutex_unlock(&link->lock);
  if (message == NULL || pass_message(link, &header, message) != ICI_PUT_DONE) {
    return;
  }
  pthread_mutex_lock(&link->lock);
  link->blocked = NULL;
  pthread_mutex_unlock(&link->lock);
  atomic_fetch_sub(&link->node->waiting, 1);
  ici_link_receive(link);
}

void ici_route_blocked(ici_node_t *node) {
  for (int d = 0; d < TORUS_DIRECTIONS && !atomic_load(&node->stops); d++) {
    if (node->links[d].peer >= 0) {
      pthread_mutex_lock(&node->forward_lock);
      pass_blocked(&node->links[d]);
      pthread_mutex_unlock(&node->forward_lock);
    }
  }
  empty_outbox(node);
}

// ---- Rings.

// A frame in a ring that is for this chip.
static void take_from_ring(ici_node_t *node, ici_run_t *run, const ici_header_t *header,
                           const uint8_t *payload) {
  const ici_offer_t offer =
      run == NULL ? ICI_OFFER_FOREIGN : ici_run_offer(run, header, payload);
  if (offer == ICI_OFFER_TAKEN) {
    return;
  }
  nng_msg *message = ici_message_make(node, header, payload);
  if (message == NULL) {
    pod_log(POD_LOG_ERROR, "ici: out of host memory, a frame is lost");
    return;
  }
  if (offer == ICI_OFFER_KEEP) {
    ici_run_keep(run, ici_kept_make(header, message));
  } else {
    ici_node_take(node, header, message);
  }
}

static ici_put_t pass_from_ring(const ici_link_t *from, const ici_header_t *header,
                                const uint8_t *payload) {
  const hop_t hop = next_hop(from, header);
  const ici_put_t outcome = ici_link_put(hop.link, &hop.header, payload, hop.spare);
  if (outcome == ICI_PUT_DOWN) {
    refuse(from->node, header, hop.link);
    return ICI_PUT_DONE;
  }
  return outcome;
}

static void call_writer(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  if (link->shares) {
    ici_bell_ring(link->peer_bell.memory, true);
  }
  pthread_mutex_unlock(&link->lock);
}

typedef enum look_t {
  LOOK_NOTHING = 0,
  LOOK_SOMETHING = 1,
  LOOK_STUCK = 2,
  LOOK_BROKEN = 3,
} look_t;

// With ring_lock. Handles the first frame.
static look_t handle_first(ici_link_t *link, ici_run_t *run, bool *out_writer_waits) {
  ici_node_t *node = link->node;
  ici_header_t header;
  const uint8_t *payload;
  const ici_ring_look_t look =
      ici_ring_look(&link->incoming, node->chip_count, &header, &payload);
  if (look != ICI_RING_FRAME) {
    return look == ICI_RING_EMPTY ? LOOK_NOTHING : LOOK_BROKEN;
  }
  if (header.kind < ICI_DATA || header.kind >= ICI_ACK) {
    return LOOK_BROKEN;
  }
  if (header.destination == node->chip) {
    take_from_ring(node, run, &header, payload);
  } else if (pass_from_ring(link, &header, payload) == ICI_PUT_FULL) {
    atomic_store(&node->has_stuck_ring, true);
    return LOOK_STUCK;
  }
  *out_writer_waits = ici_ring_drop(&link->incoming, header.payload_bytes);
  return LOOK_SOMETHING;
}

static bool look_at_ring(ici_link_t *link, ici_run_t *run) {
  bool found = false;
  look_t look = LOOK_SOMETHING;
  for (int i = 0; i < FRAMES_PER_LOOK && look == LOOK_SOMETHING; i++) {
    bool writer_waits = false;
    pthread_mutex_lock(&link->ring_lock);
    look = ici_ring_is_open(&link->incoming) ? handle_first(link, run, &writer_waits)
                                             : LOOK_NOTHING;
    pthread_mutex_unlock(&link->ring_lock);
    found |= look == LOOK_SOMETHING;
    if (writer_waits) {
      call_writer(link);
    }
  }
  if (look == LOOK_BROKEN) {
    ici_session_leave(link, "nonsense in the shared memory");
  }
  return found;
}

bool ici_route_rings(ici_node_t *node, ici_run_t *run) {
  bool found = false;
  atomic_store(&node->has_stuck_ring, false);
  for (int d = 0; d < TORUS_DIRECTIONS; d++) {
    ici_link_t *link = &node->links[d];
    if (link->peer >= 0 && atomic_load(&link->state) == ICI_LINK_UP) {
      found |= look_at_ring(link, run);
    }
  }
  return found;
}
