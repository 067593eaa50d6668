// What a chip keeps of its peers (epoch, room) and of frames for collectives to come, and
// what it makes of their words about executions.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "server/ici/node.h"

ici_header_t ici_node_header(const ici_node_t *node, ici_kind_t kind,
                             int32_t destination) {
  return (ici_header_t){.kind = (uint8_t)kind,
                        .source = node->chip,
                        .destination = destination,
                        .epoch = node->epoch};
}

// ---- Frames for this chip.

// With the node's lock. Takes the status.
static void add_aborted(ici_node_t *node, uint64_t execution, pod_status_t status) {
  if (ici_executions_abort(&node->executions, execution, status)) {
    atomic_fetch_add(&node->changes, 1);
  }
}

static bool is_eager(const ici_header_t *header) {
  return header->kind == ICI_DATA && (header->flags & ICI_FLAG_EAGER) != 0;
}

// With the node's lock: drops what is kept of a chip, all of it or of one execution.
static void drop_kept(ici_node_t *node, int32_t source, const uint64_t *execution) {
  ici_peer_t *peer = &node->peers[source];
  for (ici_kept_t **at = &node->kept.first; *at != NULL;) {
    const ici_header_t *header = &(*at)->header;
    if (header->source == source &&
        (execution == NULL || header->execution == *execution)) {
      ici_kept_t *kept = ici_kept_remove(&node->kept, at);
      peer->kept_controls -= kept->header.kind != ICI_DATA ? 1 : 0;
      peer->used += is_eager(&kept->header) ? ici_eager_cost(&kept->header) : 0;
      ici_message_free(node, kept->message);
      free(kept);
    } else {
      at = &(*at)->next;
    }
  }
}

// With the node's lock. A source that has been restarted starts counting anew, and so
// does this chip; what it had said is nobody's any more. Epochs only rise: false, it is
// the word of one that is past.
static bool note_epoch(ici_node_t *node, int32_t chip, uint64_t epoch) {
  ici_peer_t *peer = &node->peers[chip];
  if (epoch <= peer->epoch) {
    return epoch == peer->epoch;
  }
  if (peer->epoch != 0) {
    pod_log(POD_LOG_INFO, "ici: chip %d has been restarted", chip);
    drop_kept(node, chip, NULL);
  }
  *peer = (ici_peer_t){.epoch = epoch};
  return true;
}

pod_status_t ici_node_meet(ici_node_t *node, int32_t chip, uint64_t epoch) {
  pthread_mutex_lock(&node->lock);
  const bool is_present = note_epoch(node, chip, epoch);
  const uint64_t last = node->peers[chip].epoch;
  pthread_mutex_unlock(&node->lock);
  return is_present ? NULL
                    : pod_error(POD_FAILED_PRECONDITION,
                                "chip %d is of epoch %" PRIu64 ", and %" PRIu64
                                " has been heard of",
                                chip, epoch, last);
}

// With the node's lock. Whether the source keeps to the room that it has.
static bool fits_room(ici_node_t *node, const ici_header_t *header) {
  ici_peer_t *peer = &node->peers[header->source];
  if (is_eager(header)) {
    peer->received += ici_eager_cost(header);
    return peer->received - peer->used <= node->eager_bytes;
  }
  return true;
}

// With the node's lock. Of an execution that this chip was not told about it only means
// that nothing more comes of what its source has sent for it.
static void hear_abandon(ici_node_t *node, const ici_header_t *header,
                         const nng_msg *message) {
  if (!ici_executions_is_told(&node->executions, header->execution)) {
    drop_kept(node, header->source, &header->execution);
    return;
  }
  char text[ICI_TEXT_MAX + 1] = {0};
  const size_t length =
      header->payload_bytes < ICI_TEXT_MAX ? header->payload_bytes : ICI_TEXT_MAX;
  memcpy(text, (const uint8_t *)nng_msg_body((nng_msg *)message) + ICI_HEADER_BYTES,
         length);
  if (text[0] == '\0') {
    snprintf(text, sizeof(text),
             "chip %d has given up the execution and does not say why", header->source);
  }
  const bool is_code = header->tag > POD_OK && header->tag < POD_CODE_COUNT;
  add_aborted(node, header->execution,
              pod_error_text(__FILE__, __LINE__,
                             is_code ? (pod_code_t)header->tag : POD_UNKNOWN, text));
}

typedef enum place_t {
  PLACE_NOWHERE = 0,  // Used up.
  PLACE_INBOX = 1,
  PLACE_KEPT = 2,
  PLACE_GIVEN_UP = 3,  // Nowhere, and its source does not know it.
} place_t;

// With the node's lock. Of the collective that the frame is for; NULL: none under way.
static ici_arrivals_t *find_arrivals(const ici_node_t *node, const ici_header_t *header) {
  ici_arrivals_t *arrivals = node->arrivals;
  while (arrivals != NULL && (arrivals->execution != header->execution ||
                              arrivals->sequence != header->sequence)) {
    arrivals = arrivals->next;
  }
  return arrivals;
}

// With the node's lock.
static place_t place_of(ici_node_t *node, const ici_header_t *header,
                        const nng_msg *message) {
  ici_peer_t *peer = &node->peers[header->source];
  switch (header->kind) {
    case ICI_CREDIT:
      peer->credited = header->offset > peer->credited && header->offset <= peer->sent
                           ? header->offset
                           : peer->credited;
      return PLACE_NOWHERE;
    case ICI_ABANDON:
      hear_abandon(node, header, message);
      return PLACE_NOWHERE;
    default:
      break;
  }
  if (!fits_room(node, header)) {
    pod_log(POD_LOG_ERROR,
            "ici: chip %d sends more than there is room for; the frame is dropped",
            header->source);
    return PLACE_NOWHERE;
  }
  if (find_arrivals(node, header) != NULL) {
    return PLACE_INBOX;
  }
  const ici_ended_t *ended = ici_executions_ended(&node->executions, header->execution);
  if (ended != NULL && ended->reason != NULL) {
    return PLACE_GIVEN_UP;
  }
  if (ended != NULL || (header->kind == ICI_DATA && !is_eager(header))) {
    return PLACE_NOWHERE;
  }
  if (header->kind != ICI_DATA && ++peer->kept_controls > ICI_KEPT_CONTROLS_MAX) {
    peer->kept_controls--;
    return PLACE_NOWHERE;
  }
  return PLACE_KEPT;
}

void ici_node_tell_given_up(ici_node_t *node, const ici_header_t *frame) {
  char text[ICI_TEXT_MAX];
  ici_header_t header = ici_node_header(node, ICI_ABANDON, frame->source);
  pthread_mutex_lock(&node->lock);
  const ici_ended_t *ended = ici_executions_ended(&node->executions, frame->execution);
  const pod_status_t reason =
      ended != NULL ? ended->reason
                    : ici_executions_reason(&node->executions, frame->execution);
  if (reason != NULL) {
    header.tag = (int32_t)pod_status_code(reason);
    snprintf(text, sizeof(text), "%s", pod_status_message(reason));
  }
  pthread_mutex_unlock(&node->lock);
  if (header.tag != POD_OK) {
    header.execution = frame->execution;
    header.payload_bytes = (uint32_t)strlen(text);
    ici_route_send_surely(node, &header, text);
  }
}

void ici_node_take(ici_node_t *node, const ici_header_t *header, nng_msg *message) {
  pthread_mutex_lock(&node->lock);
  const bool is_present = note_epoch(node, header->source, header->epoch);
  const place_t place = is_present ? place_of(node, header, message) : PLACE_NOWHERE;
  const bool is_taken = place == PLACE_INBOX || place == PLACE_KEPT;
  if (is_taken) {
    ici_kept_push(
        place == PLACE_INBOX ? &find_arrivals(node, header)->inbox : &node->kept,
        ici_kept_make(header, message));
  }
  pthread_mutex_unlock(&node->lock);
  if (!is_taken) {
    if (is_eager(header) && is_present) {
      ici_node_account(node, header->source, 0, ici_eager_cost(header));
    }
    if (place == PLACE_GIVEN_UP) {
      ici_node_tell_given_up(node, header);
    }
    ici_message_give(node, message);
  }
  ici_bell_ring(node->bell, false);
}

void ici_node_account(ici_node_t *node, int32_t chip, int64_t received_bytes,
                      int64_t used_bytes) {
  pthread_mutex_lock(&node->lock);
  ici_peer_t *peer = &node->peers[chip];
  peer->received += received_bytes;
  peer->used += used_bytes;
  const int64_t used = peer->used;
  const bool is_due = used - peer->reported >= node->eager_bytes / 4;
  peer->reported = is_due ? used : peer->reported;
  pthread_mutex_unlock(&node->lock);
  if (is_due) {
    ici_header_t header = ici_node_header(node, ICI_CREDIT, chip);
    header.offset = used;
    ici_route_send_surely(node, &header, NULL);
  }
}

bool ici_node_reserve(ici_node_t *node, int32_t chip, int64_t cost_bytes) {
  pthread_mutex_lock(&node->lock);
  ici_peer_t *peer = &node->peers[chip];
  const bool fits = peer->sent - peer->credited + cost_bytes <= node->eager_bytes;
  peer->sent += fits ? cost_bytes : 0;
  pthread_mutex_unlock(&node->lock);
  return fits;
}

bool ici_node_is_read_by(ici_node_t *node, int32_t chip) {
  pthread_mutex_lock(&node->lock);
  const bool is_read = !node->peers[chip].cannot_read;
  pthread_mutex_unlock(&node->lock);
  return is_read;
}

void ici_node_not_read_by(ici_node_t *node, int32_t chip) {
  pthread_mutex_lock(&node->lock);
  node->peers[chip].cannot_read = true;
  pthread_mutex_unlock(&node->lock);
}

bool ici_node_knows(ici_node_t *node, int32_t chip, uint64_t epoch) {
  pthread_mutex_lock(&node->lock);
  const bool is_known = node->peers[chip].epoch == epoch;
  pthread_mutex_unlock(&node->lock);
  return is_known;
}

pod_status_t ici_node_aborted(ici_node_t *node, uint64_t execution) {
  pthread_mutex_lock(&node->lock);
  const pod_status_t reason = ici_executions_reason(&node->executions, execution);
  const bool is_over = ici_executions_ended(&node->executions, execution) != NULL;
  pod_status_t status = reason == NULL ? NULL : pod_status_copy(reason);
  pthread_mutex_unlock(&node->lock);
  if (status == NULL && is_over) {
    status =
        pod_error(POD_FAILED_PRECONDITION, "execution %" PRIu64 " has ended on chip %d",
                  execution, node->chip);
  }
  return status;
}

void ici_node_changed(ici_node_t *node) {
  atomic_fetch_add(&node->changes, 1);
  pthread_mutex_lock(&node->lock);
  pthread_cond_broadcast(&node->link_changed);
  pthread_mutex_unlock(&node->lock);
  ici_bell_alarm(node->bell);
}

void ici_node_begin(ici_node_t *node, uint64_t execution) {
  pthread_mutex_lock(&node->lock);
  ici_executions_begin(&node->executions, execution);
  pthread_mutex_unlock(&node->lock);
}

void ici_node_give_up(ici_node_t *node, uint64_t execution, pod_status_t reason) {
  pthread_mutex_lock(&node->lock);
  add_aborted(node, execution, pod_status_copy(reason));
  pthread_mutex_unlock(&node->lock);
}

void ici_node_wake(ici_node_t *node) {
  ici_bell_alarm(node->bell);
}

void ici_node_abort(ici_node_t *node, uint64_t execution, pod_status_t status) {
  pthread_mutex_lock(&node->lock);
  add_aborted(node, execution, status);
  pthread_mutex_unlock(&node->lock);
  ici_bell_alarm(node->bell);
}

// With the node's lock: moves the execution's kept frames, or those of one of its
// collectives, to another list.
static void take_kept(ici_node_t *node, uint64_t execution, const uint32_t *sequence,
                      ici_kept_list_t *taken) {
  for (ici_kept_t **at = &node->kept.first; *at != NULL;) {
    const ici_header_t *header = &(*at)->header;
    if (header->execution == execution &&
        (sequence == NULL || header->sequence == *sequence)) {
      ici_kept_t *kept = ici_kept_remove(&node->kept, at);
      if (kept->header.kind != ICI_DATA) {
        node->peers[kept->header.source].kept_controls--;
      }
      ici_kept_push(taken, kept);
    } else {
      at = &(*at)->next;
    }
  }
}

// With the node's lock. Of one that has ended it is what is lost now: it fails anyway.
static void note_losses(ici_node_t *node, uint64_t execution,
                        unsigned out_losses[TORUS_LINKS]) {
  ici_told_t *told = ici_executions_told(&node->executions, execution);
  for (int d = 0; d < TORUS_LINKS; d++) {
    out_losses[d] = told != NULL && told->has_run ? told->losses[d]
                                                  : atomic_load(&node->links[d].losses);
  }
  if (told != NULL) {
    told->has_run = true;
    memcpy(told->losses, out_losses, sizeof(told->losses));
  }
}

ici_kept_list_t ici_node_open(ici_node_t *node, ici_arrivals_t *arrivals,
                              const ici_collective_t *collective,
                              unsigned out_losses[TORUS_LINKS]) {
  ici_kept_list_t taken;
  ici_kept_init(&taken);
  *arrivals = (ici_arrivals_t){.execution = collective->execution,
                               .sequence = collective->sequence};
  ici_kept_init(&arrivals->inbox);
  pthread_mutex_lock(&node->lock);
  ici_executions_begin(&node->executions, collective->execution);
  note_losses(node, collective->execution, out_losses);
  take_kept(node, collective->execution, &collective->sequence, &taken);
  arrivals->next = node->arrivals;
  node->arrivals = arrivals;
  pthread_mutex_unlock(&node->lock);
  return taken;
}

// With the node's lock.
static ici_kept_list_t empty(ici_arrivals_t *arrivals) {
  ici_kept_list_t taken = arrivals->inbox;
  if (taken.first == NULL) {
    ici_kept_init(&taken);
  }
  ici_kept_init(&arrivals->inbox);
  return taken;
}

ici_kept_list_t ici_node_arrived(ici_node_t *node, ici_arrivals_t *arrivals) {
  pthread_mutex_lock(&node->lock);
  const ici_kept_list_t taken = empty(arrivals);
  pthread_mutex_unlock(&node->lock);
  return taken;
}

ici_kept_list_t ici_node_close(ici_node_t *node, ici_arrivals_t *arrivals) {
  pthread_mutex_lock(&node->lock);
  ici_arrivals_t **at = &node->arrivals;
  while (*at != arrivals) {
    at = &(*at)->next;
  }
  *at = arrivals->next;
  const ici_kept_list_t taken = empty(arrivals);
  pthread_mutex_unlock(&node->lock);
  return taken;
}

void ici_node_end(ici_node_t *node, uint64_t execution) {
  ici_kept_list_t dropped;
  ici_kept_init(&dropped);
  pthread_mutex_lock(&node->lock);
  take_kept(node, execution, NULL, &dropped);
  const bool is_given_up = ici_executions_reason(&node->executions, execution) != NULL;
  ici_executions_end(&node->executions, execution);
  pthread_mutex_unlock(&node->lock);
  int32_t told = node->chip;
  while (dropped.first != NULL) {
    ici_kept_t *kept = ici_kept_remove(&dropped, &dropped.first);
    if (is_given_up && kept->header.source != told) {
      told = kept->header.source;
      ici_node_tell_given_up(node, &kept->header);
    }
    if (is_eager(&kept->header)) {
      ici_node_account(node, kept->header.source, 0, ici_eager_cost(&kept->header));
    }
    ici_kept_free(node, kept);
  }
}

// ---- The pump: passes frames on while the compute thread computes.

static void *pump(void *context) {
  ici_node_t *node = context;
  while (ici_watch_pump(&node->watch, ici_route_look, node)) {
  }
  return NULL;
}

// ---- Life.

static pod_status_t check_config(const ici_node_config_t *config) {
  if (config->pod == NULL || strlen(config->pod) > ICI_POD_NAME_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "the name of a pod has at most %d bytes",
                     ICI_POD_NAME_MAX);
  }
  int64_t chips =
      (int64_t)torus_slice_total(&config->torus) * torus_core_total(&config->torus);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    chips *= config->torus.size[d];
    if (config->torus.size[d] < 1 || chips > TORUS_CHIPS_MAX) {
      return pod_error(POD_INVALID_ARGUMENT, "a torus of %dx%dx%d chips",
                       config->torus.size[0], config->torus.size[1],
                       config->torus.size[2]);
    }
  }
  if (config->chip < 0 || config->chip >= chips) {
    return pod_error(POD_INVALID_ARGUMENT, "chip %d of %" PRId64, config->chip, chips);
  }
  return NULL;
}

static void init_locks(ici_node_t *node) {
  pod_clock_cond_init(&node->link_changed);
  pod_clock_cond_init(&node->keeper_wanted);
  pthread_mutex_init(&node->event_lock, NULL);
  pthread_mutex_init(&node->outbox_lock, NULL);
  pthread_mutex_init(&node->forward_lock, NULL);
  pthread_mutex_init(&node->lock, NULL);
  for (int d = 0; d < TORUS_LINKS; d++) {
    ici_link_t *link = &node->links[d];
    *link = (ici_link_t){.node = node,
                         .direction = d,
                         .peer = torus_neighbour(&node->torus, node->chip, d),
                         .listens = d % 2 == 0,
                         .until_ns = 0,
                         .outgoing.shared.file = -1,
                         .incoming.shared.file = -1,
                         .peer_bell.file = -1};
    ici_kept_init(&link->blocked);
    pthread_mutex_init(&link->lock, NULL);
    pthread_mutex_init(&link->ring_lock, NULL);
  }
}

static ici_node_t *make(const ici_node_config_t *config) {
  ici_node_t *node = pod_alloc(sizeof(*node));
  memcpy(node->pod, config->pod, strlen(config->pod) + 1);
  node->chip = config->chip;
  node->torus = config->torus;
  node->chip_count = torus_chip_count(&config->torus);
  node->epoch = config->epoch == 0 ? 1 : config->epoch;
  if (config->link_secret != NULL) {
    memcpy(node->link_secret, config->link_secret, sizeof(node->link_secret));
  }
  node->use_shared_memory = config->use_shared_memory;
  node->silence_ns =
      (config->silence_ms > 0 ? config->silence_ms : ICI_SILENCE_MS) * ICI_NS_PER_MS;
  node->carrier = config->carrier == NULL ? &ici_stream_carrier : config->carrier;
  node->combine = config->combine;
  node->on_link = config->on_link;
  node->context = config->context;
  node->bell_memory.file = -1;
  node->consent.file = -1;
  node->witnesses = pod_alloc((size_t)node->chip_count * sizeof(*node->witnesses));
  node->bounce = pod_alloc(ICI_BOUNCE_BYTES);
  node->peers = pod_alloc((size_t)node->chip_count * sizeof(*node->peers));
  const int64_t least = ICI_EAGER_STEP_BYTES + ICI_FRAME_COST_BYTES;
  const int64_t share = ICI_EAGER_TOTAL_BYTES / node->chip_count;
  node->eager_bytes = share > ICI_EAGER_BYTES_MAX ? ICI_EAGER_BYTES_MAX : share;
  node->eager_bytes = node->eager_bytes < least ? least : node->eager_bytes;
  ici_kept_init(&node->kept);
  ici_kept_init(&node->outbox);
  init_locks(node);
  return node;
}

// Where it is not to be had, everything is sent.
static void give_consent(ici_node_t *node) {
  const ici_owner_t owner = {.pod = node->pod, .chip = node->chip, .epoch = node->epoch};
  const pod_status_t status = ici_consent_create(&owner, &node->consent);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "ici: nothing can be read: %s", pod_status_message(status));
    pod_status_free(status);
  }
}

static pod_status_t start(ici_node_t *node, const ici_node_config_t *config) {
  uint8_t token[ICI_TOKEN_BYTES];
  ici_shared_token(token);
  POD_TRY(ici_shared_create(sizeof(ici_bell_t), token, &node->bell_memory));
  node->bell = node->bell_memory.memory;
  ici_watch_init(&node->watch, node->bell);
  if (config->tls != NULL) {
    POD_TRY(ici_tls_create(config->tls, &node->tls));
  }
  if (node->use_shared_memory) {
    node->host = ici_shared_host();
    give_consent(node);
    if (pthread_create(&node->pump, NULL, pump, node) != 0) {
      return pod_error(POD_RESOURCE_EXHAUSTED, "cannot start a thread for the links");
    }
    node->has_pump = true;
  }
  for (int d = 0; d < TORUS_LINKS; d++) {
    ici_link_t *link = &node->links[d];
    if (link->peer >= 0) {
      atomic_store(&link->state, ICI_LINK_DOWN);
    }
    if (link->peer >= 0 && link->listens) {
      POD_TRY(ici_link_set_listen(link, config->ipc_directory, config->tcp_host));
      POD_TRY(ici_link_open(link));
    }
  }
  if (pthread_create(&node->keeper, NULL, ici_keeper_run, node) != 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot start a thread for the links");
  }
  node->has_keeper = true;
  return NULL;
}

pod_status_t ici_node_create(const ici_node_config_t *config, ici_node_t **out_node) {
  POD_TRY(check_config(config));
  ici_node_t *node = make(config);
  const pod_status_t status = start(node, config);
  if (status != NULL) {
    ici_node_destroy(node);
    return pod_status_context(status, "ICI of chip %d", config->chip);
  }
  *out_node = node;
  return NULL;
}

static void free_kept(ici_node_t *node, ici_kept_list_t *list) {
  while (list->first != NULL) {
    ici_kept_t *kept = ici_kept_remove(list, &list->first);
    ici_message_free(node, kept->message);
    free(kept);
  }
}

// Says goodbye over all links; the keeper closes each when it has been answered, or has
// not been for a while, and ends. False: a pipe does not finish to close, and may still
// call back.
static bool leave_all(ici_node_t *node) {
  atomic_store(&node->goes, true);
  pthread_mutex_lock(&node->event_lock);
  node->on_link = NULL;
  pthread_mutex_unlock(&node->event_lock);
  for (int d = 0; d < TORUS_LINKS; d++) {
    if (node->links[d].peer >= 0) {
      ici_session_leave(&node->links[d], "this chip goes");
    }
  }
  if (!node->has_keeper) {  // Half built.
    for (int d = 0; d < TORUS_LINKS; d++) {
      ici_link_shut(&node->links[d]);
    }
    return true;
  }
  ici_keeper_call(node);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += ICI_CLOSE_TIMEOUT_S;
  if (pthread_timedjoin_np(node->keeper, NULL, &until) == 0) {
    return true;
  }
  pthread_detach(node->keeper);
  return false;
}

static void free_node(ici_node_t *node) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    pthread_mutex_destroy(&node->links[d].lock);
    pthread_mutex_destroy(&node->links[d].ring_lock);
  }
  free_kept(node, &node->kept);
  free_kept(node, &node->outbox);
  POD_CHECK(atomic_load(&node->messages) == 0);
  ici_executions_deinit(&node->executions);
  while (node->spare_count > 0) {
    nng_msg_free(node->spare[--node->spare_count]);
  }
  ici_watch_deinit(&node->watch);
  ici_shared_close(&node->bell_memory);
  pthread_cond_destroy(&node->link_changed);
  pthread_cond_destroy(&node->keeper_wanted);
  pthread_mutex_destroy(&node->event_lock);
  pthread_mutex_destroy(&node->outbox_lock);
  pthread_mutex_destroy(&node->forward_lock);
  pthread_mutex_destroy(&node->lock);
  ici_consent_close(&node->consent);
  for (int32_t chip = 0; chip < node->chip_count; chip++) {
    ici_witness_close(&node->witnesses[chip]);
  }
  ici_tls_destroy(node->tls);
  free(node->witnesses);
  free(node->bounce);
  free(node->peers);
  free(node);
}

pod_status_t ici_node_renew_tls(ici_node_t *node) {
  return node->tls != NULL ? ici_tls_renew(node->tls) : NULL;
}

void ici_node_destroy(ici_node_t *node) {
  if (node == NULL) {
    return;
  }
  POD_CHECK(node->arrivals == NULL);
  const bool is_closed = node->bell == NULL || leave_all(node);
  atomic_store(&node->stops, true);
  if (node->has_pump) {
    ici_watch_end(&node->watch);
    pthread_join(node->pump, NULL);
  }
  if (is_closed) {
    free_node(node);
  } else {
    pod_log(POD_LOG_ERROR, "ici: chip %d: a connection does not close; left as it is",
            node->chip);
  }
}

static const ici_link_t *listening(const ici_node_t *node, torus_direction_t direction) {
  const bool is_known = direction >= 0 && direction < TORUS_LINKS;
  const ici_link_t *link = is_known ? &node->links[direction] : NULL;
  return link != NULL && link->peer >= 0 && link->listens ? link : NULL;
}

const char *ici_node_ipc_url(const ici_node_t *node, torus_direction_t direction) {
  const ici_link_t *link = listening(node, direction);
  return link != NULL && link->ipc_url[0] != '\0' ? link->ipc_url : NULL;
}

const char *ici_node_tcp_url(const ici_node_t *node, torus_direction_t direction) {
  const ici_link_t *link = listening(node, direction);
  return link != NULL && link->tcp_url[0] != '\0' ? link->tcp_url : NULL;
}

pod_status_t ici_node_dial(ici_node_t *node, torus_direction_t direction,
                           const char *url) {
  if (direction < 0 || direction >= TORUS_LINKS || node->links[direction].peer < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "chip %d has no link in direction %d",
                     node->chip, direction);
  }
  if (node->links[direction].listens) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "chip %d listens in direction %d; its neighbour dials", node->chip,
                     direction);
  }
  return ici_link_dial(&node->links[direction], url);
}

void ici_node_disconnect(ici_node_t *node, torus_direction_t direction) {
  if (direction >= 0 && direction < TORUS_LINKS && node->links[direction].peer >= 0) {
    ici_session_leave(&node->links[direction], "it was told to close");
  }
}

ici_link_state_t ici_node_link_state(ici_node_t *node, torus_direction_t direction) {
  if (direction < 0 || direction >= TORUS_LINKS || node->links[direction].peer < 0) {
    return ICI_LINK_ABSENT;
  }
  return (ici_link_state_t)atomic_load(&node->links[direction].state);
}

static ici_link_t *link_that_is_down(ici_node_t *node) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    ici_link_t *link = &node->links[d];
    if (link->peer >= 0 && atomic_load(&link->state) != ICI_LINK_UP) {
      return link;
    }
  }
  return NULL;
}

pod_status_t ici_node_wait_up(ici_node_t *node, int64_t deadline_ns) {
  pthread_mutex_lock(&node->lock);
  ici_link_t *down = link_that_is_down(node);
  while (down != NULL && pod_clock_now_ns() < deadline_ns) {
    pod_clock_cond_wait(&node->link_changed, &node->lock, deadline_ns);
    down = link_that_is_down(node);
  }
  pthread_mutex_unlock(&node->lock);
  if (down == NULL) {
    return NULL;
  }
  char text[2 * ICI_URL_MAX];
  ici_link_describe(down, text, sizeof(text));
  return pod_error(POD_DEADLINE_EXCEEDED, "chip %d: %s is not up", node->chip, text);
}

void ici_node_totals(ici_node_t *node, chip_link_total_t out_totals[TORUS_LINKS]) {
  for (int d = 0; d < TORUS_LINKS; d++) {
    out_totals[d] =
        (chip_link_total_t){.bytes_sent = atomic_load(&node->links[d].bytes_sent),
                            .frames_sent = atomic_load(&node->links[d].frames_sent)};
  }
}
