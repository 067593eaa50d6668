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
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "server/ici/node.h"

enum { FRAMES_PER_LOOK = 64 };

static ici_link_t *link_towards(ici_node_t *node, int32_t chip) {
  return &node->links[torus_next_hop(&node->torus, node->chip, chip)];
}

static ici_kept_t *take_from_outbox(ici_node_t *node) {
  pthread_mutex_lock(&node->lock);
  ici_kept_t *kept = node->outbox.first == NULL
                         ? NULL
                         : ici_kept_remove(&node->outbox, &node->outbox.first);
  node->outbox_count -= kept != NULL ? 1 : 0;
  pthread_mutex_unlock(&node->lock);
  return kept;
}

static void put_back(ici_node_t *node, ici_kept_t *kept) {
  pthread_mutex_lock(&node->lock);
  ici_kept_push(&node->outbox, kept);
  node->outbox_count++;
  pthread_mutex_unlock(&node->lock);
}

// Tries every frame that waits once. They are control frames, whose order does not
// matter. One at a time: who has made room must not find the outbox empty because another
// has its frame in the hand and has just found no room for it.
static void empty_outbox(ici_node_t *node) {
  pthread_mutex_lock(&node->outbox_lock);
  pthread_mutex_lock(&node->lock);
  int count = node->outbox_count;
  pthread_mutex_unlock(&node->lock);
  for (; count > 0; count--) {
    ici_kept_t *kept = take_from_outbox(node);
    if (kept == NULL) {
      break;
    }
    ici_link_t *link = link_towards(node, kept->header.destination);
    if (ici_link_put(link, &kept->header, ici_kept_payload(kept), 1) == ICI_PUT_FULL) {
      put_back(node, kept);
      continue;
    }
    ici_kept_free(node, kept);
    atomic_fetch_sub(&node->waiting, 1);
  }
  pthread_mutex_unlock(&node->outbox_lock);
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

// False: it must wait for room.
static bool deal_with(ici_link_t *link, const ici_header_t *header, nng_msg *message) {
  if (header->destination == link->node->chip) {
    ici_node_take(link->node, header, message);
  } else if (pass_message(link, header, message) != ICI_PUT_DONE) {
    return false;
  }
  ici_link_dealt(link);
  return true;
}

// Behind what waits already. False: so many cannot be on the link.
static bool block(ici_link_t *link, const ici_header_t *header, nng_msg *message) {
  ici_node_t *node = link->node;
  if (atomic_load(&link->blocked_count) >= ICI_LINK_WINDOW) {
    return false;
  }
  pthread_mutex_lock(&node->forward_lock);
  ici_kept_push(&link->blocked, ici_kept_make(header, message));
  atomic_fetch_add(&link->blocked_count, 1);
  atomic_fetch_add(&node->waiting, 1);
  pthread_mutex_unlock(&node->forward_lock);
  ici_route_blocked(node);  // Room may have come in between.
  return true;
}

// Only who receives adds to what is blocked: where nothing is, the frame is the first.
void ici_route_message(ici_link_t *link, const ici_header_t *header, nng_msg *message) {
  if (atomic_load(&link->blocked_count) == 0 && deal_with(link, header, message)) {
    return;
  }
  if (!block(link, header, message)) {
    ici_message_free(link->node, message);
    ici_session_leave(link, "it sends more frames than there is room for");
  }
}

// With forward_lock: nobody else takes from `blocked`.
static ici_kept_t *first_blocked(ici_link_t *link) {
  return link->blocked.first;
}

static ici_kept_t *take_blocked(ici_link_t *link) {
  atomic_fetch_sub(&link->node->waiting, 1);
  ici_kept_t *kept = ici_kept_remove(&link->blocked, &link->blocked.first);
  return kept;
}

static void pass_blocked(ici_link_t *link) {
  while (first_blocked(link) != NULL &&
         deal_with(link, &first_blocked(link)->header, first_blocked(link)->message)) {
    free(take_blocked(link));
    atomic_fetch_sub(&link->blocked_count, 1);
  }
}

void ici_route_drop_blocked(ici_link_t *link) {
  pthread_mutex_lock(&link->node->forward_lock);
  while (first_blocked(link) != NULL) {
    ici_kept_free(link->node, take_blocked(link));
    atomic_fetch_sub(&link->blocked_count, 1);
  }
  pthread_mutex_unlock(&link->node->forward_lock);
}

void ici_route_blocked(ici_node_t *node) {
  for (int d = 0; d < TORUS_LINKS && !atomic_load(&node->stops); d++) {
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

// Passes a frame of a ring on. When there is no room it says so, and tries once more:
// room that came before it was said has called nobody.
static bool passes_from_ring(ici_link_t *link, const ici_header_t *header,
                             const uint8_t *payload) {
  if (pass_from_ring(link, header, payload) != ICI_PUT_FULL) {
    return true;
  }
  atomic_store(&link->node->has_stuck_ring, true);
  atomic_thread_fence(memory_order_seq_cst);
  return pass_from_ring(link, header, payload) != ICI_PUT_FULL;
}

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
  if (header.kind < ICI_DATA || header.kind >= ICI_ACK ||
      !ici_session_believes(link, &header)) {
    return LOOK_BROKEN;
  }
  header.via = (uint8_t)(link->direction + 1);
  if (header.destination == node->chip) {
    take_from_ring(node, run, &header, payload);
  } else if (!passes_from_ring(link, &header, payload)) {
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
  for (int d = 0; d < TORUS_LINKS; d++) {
    ici_link_t *link = &node->links[d];
    if (link->peer >= 0 && atomic_load(&link->has_ring) &&
        atomic_load(&link->state) == ICI_LINK_UP) {
      found |= look_at_ring(link, run);
    }
  }
  return found;
}

bool ici_route_look(void *context) {
  ici_node_t *node = context;
  const bool found = ici_route_rings(node, NULL);
  if (atomic_load(&node->waiting) > 0) {
    ici_route_blocked(node);
  }
  return found;
}
