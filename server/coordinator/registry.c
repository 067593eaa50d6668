// Attach calls and channels feed places.c and carry out what it answers. Deadlines are
// checked by one timer against the time each worker was last heard.

#include "server/coordinator/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/access/secret.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/attach_proof.h"
#include "server/coordinator/core/places_hosts.h"

enum {
  TICK_MS_MIN = 5,
  TICK_MS_MAX = 250,
  TICKS_PER_TIMEOUT = 20,
  SILENT_HEARTBEATS = 3,  // So many were missed by who may be replaced.
  WIRE_KEEPALIVE_MS = 10000,
  NS_PER_MS = 1000000,
  // Attach calls beyond one per place: workers that are being refused or replaced.
  SPARE_ATTACHMENTS = 64,
  // Of those who have yet to prove themselves; the next one takes the place of the first.
  UNPROVEN_MAX = 32,
  STRANGERS_LOG_MS = 1000,
  // The longest that a worker says are its URLs, some 25 kB. Whoever comes may send one.
  MESSAGE_BYTES_MAX = 32 << 10,
};

// A channel to a worker. Lives a little longer than its worker: it is destroyed later,
// never inside one of its own callbacks.
typedef struct wire_t {
  later_item_t later;  // First, so that the item finds its wire.
  registry_t *registry;
  int32_t chip;
  rpc_channel_t *channel;
} wire_t;

typedef struct attachment_t attachment_t;
struct attachment_t {
  attachment_t *previous, *next;
  registry_t *registry;
  rpc_call_t *call;
  int64_t started_ns;
  int32_t chip;  // -1 before the assignment and after the loss.
  wire_t *wire;  // While it has a chip.
  bool is_finished;
  attach_proof_t proof;  // Who it is.
};

struct registry_t {
  registry_options_t options;
  char *pod_id;
  places_t *places;
  attachment_t **by_chip;
  chip_tells_t *tells;  // By chip.
  attachment_t *attachments;
  int32_t attachment_count;
  rpc_timer_t *timer;
  int64_t tick_ms, ticked_ns;
  bool is_closed;
  registry_counts_t counts;
  pod_log_limit_t strangers;  // Of lines about them.
  access_secret_t secret;     // When options.secret is not NULL.
  // What the ends of links prove to each other. It goes with this process, as epochs do.
  uint8_t link_secret[ACCESS_SECRET_BYTES];
};

// --- Channels to workers ---

static void destroy_wire(later_item_t *item) {
  wire_t *wire = (wire_t *)item;
  rpc_channel_destroy(wire->channel);
  free(wire);
}

static void lose_attachment(attachment_t *attachment, const char *why);

// Tells the worker, if it still listens, why it is out.
static void finish(attachment_t *attachment, pod_status_t status) {
  if (attachment->is_finished) {
    pod_status_free(status);
    return;
  }
  attachment->is_finished = true;
  rpc_call_finish(attachment->call, status);
}

static void on_wire_state(rpc_channel_t *channel, rpc_channel_state_t state,
                          pod_status_t why, void *context) {
  (void)channel;
  const wire_t *wire = context;
  attachment_t *attachment = wire->registry->by_chip[wire->chip];
  if (state != RPC_CHANNEL_FAILED || attachment == NULL || attachment->wire != wire) {
    return;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "its gRPC service cannot be reached (%s)",
                  pod_status_message(why));
  lose_attachment(attachment, text.bytes);
  finish(attachment, pod_error(POD_UNAVAILABLE, "%s", text.bytes));
  pod_text_deinit(&text);
}

// The token is what the worker knows us by.
static pod_status_t create_wire(const attachment_t *attachment, int32_t chip,
                                wire_t **out_wire) {
  registry_t *registry = attachment->registry;
  wire_t *wire = pod_alloc(sizeof(*wire));
  const place_t *place = &registry->places->at[chip];
  char token[ACCESS_TOKEN_TEXT_BYTES];
  access_print_hex(attachment->proof.call_token, token);
  const rpc_channel_options_t options = {
      .on_state = on_wire_state,
      .context = wire,
      .credentials = registry->options.credentials,
      .bearer_token = attachment->proof.has_call_token ? token : NULL,
      // A connection that has been lost without a word is found before it is needed.
      .keepalive_ms = WIRE_KEEPALIVE_MS,
      .keeps_alive_unused = true,
      // What clients leave unread is bounded for each of them (services/fetch.c); it must
      // not hold up what the worker tells the others.
      .held_bytes_max = SIZE_MAX / 2};
  const pod_status_t status = rpc_channel_create(registry->options.loop, place->address,
                                                 &options, &wire->channel);
  explicit_bzero(token, sizeof(token));
  if (status != NULL) {
    free(wire);
    return status;
  }
  wire->registry = registry;
  wire->chip = chip;
  rpc_channel_connect(wire->channel);
  *out_wire = wire;
  return NULL;
}

// --- Attachments ---

static void lose_attachment(attachment_t *attachment, const char *why) {
  registry_t *registry = attachment->registry;
  const int32_t chip = attachment->chip;
  if (chip < 0) {
    return;
  }
  registry->counts.losses++;
  attachment->chip = -1;
  registry->by_chip[chip] = NULL;
  chip_tells_forget(&registry->tells[chip]);
  places_lose(registry->places, chip, why);
  const char *reason = registry->places->at[chip].lost_reason;
  pod_log_fields(POD_LOG_WARNING,
                 POD_LOG_FIELDS({"event", .text = "loss"}, {"chip", .number = chip},
                                {"code", .text = "UNAVAILABLE"}),
                 "lost %s", reason);
  later_post(registry->options.later, &attachment->wire->later, destroy_wire);
  attachment->wire = NULL;
  registry->options.on_lost(registry->options.context, chip, reason);
  registry->options.on_change(registry->options.context);
}

// Ends a worker's membership and tells it why.
static void expel(attachment_t *attachment, const char *why) {
  lose_attachment(attachment, why);
  finish(attachment,
         pod_error(POD_UNAVAILABLE, "the coordinator has let you go: %s", why));
}

static void send_assignment(attachment_t *attachment) {
  const registry_t *registry = attachment->registry;
  const place_t *place = &registry->places->at[attachment->chip];
  Podium__V1__Assignment assignment = PODIUM__V1__ASSIGNMENT__INIT;
  assignment.pod = registry->pod_id;
  assignment.chip = attachment->chip;
  int32_t topology[TORUS_DIMENSIONS];
  memcpy(topology, registry->options.torus.size, sizeof(topology));
  assignment.topology = topology;
  assignment.n_topology = TORUS_DIMENSIONS;
  assignment.slice_count = registry->options.torus.slice_count;
  assignment.core_count = registry->options.torus.core_count;
  assignment.chip_kind = (char *)(uintptr_t)registry->options.spec->name;
  pod_text_t spec = {0};
  if (chip_spec_find(assignment.chip_kind) != registry->options.spec) {
    chip_spec_print(&spec, registry->options.spec);
    assignment.chip_spec = spec.bytes;
  }
  assignment.hbm_bytes = registry->options.hbm_bytes;
  assignment.epoch = place->epoch;
  assignment.heartbeat_ms = registry->options.heartbeat_ms;
  assignment.timeout_ms = registry->options.timeout_ms;
  assignment.process_index = places_process(registry->places, attachment->chip);
  assignment.link_secret =
      (ProtobufCBinaryData){.len = sizeof(registry->link_secret),
                            .data = (uint8_t *)(uintptr_t)registry->link_secret};
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_ASSIGNMENT;
  message.assignment = &assignment;
  rpc_call_send(attachment->call, &message.base);
  pod_text_deinit(&spec);
}

static void send_dial(const registry_t *registry, const place_dial_t *dial) {
  Podium__V1__ConnectLink connect = PODIUM__V1__CONNECT_LINK__INIT;
  connect.direction = dial->direction;
  connect.chip = dial->neighbour;
  connect.epoch = dial->epoch;
  connect.url = (char *)(uintptr_t)dial->url;
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CONNECT_LINK;
  message.connect_link = &connect;
  pod_log(POD_LOG_DEBUG, "chip %" PRId32 " shall dial chip %" PRId32 " at %s",
          dial->dialler, dial->neighbour, dial->url);
  rpc_call_send(registry->by_chip[dial->dialler]->call, &message.base);
}

static pod_status_t read_coords(const Podium__V1__Coords *message,
                                torus_coords_t *out_coords) {
  if (message->n_at > TORUS_PLACE_NUMBERS) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "the wanted place has %zu coordinates; a place is x, y, z, slice and "
        "core",
        message->n_at);
  }
  *out_coords = torus_coords_of(message->at, message->n_at);
  return NULL;
}

static pod_status_t read_claim(const Podium__V1__Register *message,
                               place_claim_t *out_claim) {
  *out_claim = (place_claim_t){.address = message->address,
                               .host = message->host,
                               .version = message->version,
                               .chip_kind = message->chip_kind,
                               .transfer_socket = message->transfer_socket,
                               .pid = message->pid};
  if (message->coords != NULL) {
    out_claim->wants_coords = true;
    POD_TRY(read_coords(message->coords, &out_claim->coords));
  }
  if (message->former_coords != NULL) {
    out_claim->had_coords = true;
    POD_TRY(read_coords(message->former_coords, &out_claim->former));
  }
  if (message->host_place != NULL) {
    const Podium__V1__HostPlace *host = message->host_place;
    if (host->chips < 1) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "the host of the worker at %.128s cannot have %" PRId32 " chips",
                       message->address, host->chips);
    }
    out_claim->host_chips = host->chips;
    out_claim->host_rank = host->rank;
    out_claim->host_index = host->index;
  }
  return NULL;
}

static int64_t silent_ms_of(const registry_t *registry, int32_t chip) {
  return (pod_clock_now_ns() - registry->places->at[chip].heard_ns) / NS_PER_MS;
}

static bool is_silent(const registry_t *registry, int32_t chip) {
  return silent_ms_of(registry, chip) >=
         SILENT_HEARTBEATS * registry->options.heartbeat_ms;
}

// A worker that has lost us, and comes back before we have noticed, shows the token that
// it has given us; any other one of the same address waits until the first is silent.
static pod_status_t replace(attachment_t *attachment, int32_t chip) {
  registry_t *registry = attachment->registry;
  attachment_t *old = registry->by_chip[chip];
  if (!attach_proof_knows_token_of(&attachment->proof, &old->proof) &&
      !is_silent(registry, chip)) {
    pod_text_t label = {0};
    places_print_label(&label, registry->places, chip);
    const pod_status_t status =
        pod_error(POD_UNAVAILABLE,
                  "%s was heard %" PRId64
                  " ms ago, and another worker of its address has to wait "
                  "until it is silent",
                  label.bytes, silent_ms_of(registry, chip));
    pod_text_deinit(&label);
    return status;
  }
  expel(old, "a worker of the same address has attached again");
  return NULL;
}

// A host that starts its worker again, or was started again itself, may be sooner than
// the news of the end of the old one. Others that are heard keep what they have.
static pod_status_t make_way(const registry_t *registry, const place_claim_t *claim) {
  int32_t chip;
  while ((chip = places_host_rival(registry->places, claim)) >= 0) {
    const place_t *place = &registry->places->at[chip];
    if (is_silent(registry, chip)) {
      expel(registry->by_chip[chip], "another worker of its place on its host has come");
    } else if (strcmp(place->host, claim->host) == 0) {
      pod_text_t label = {0};
      places_print_label(&label, registry->places, chip);
      const pod_status_t status = pod_error(
          POD_UNAVAILABLE,
          "%s has this place on its host and was heard %" PRId64
          " ms ago; another has to wait until it is silent (of several podium-host on a "
          "machine each needs a --rank)",
          label.bytes, silent_ms_of(registry, chip));
      pod_text_deinit(&label);
      return status;
    } else {
      return NULL;  // Refused by the places, who say why.
    }
  }
  return NULL;
}

static pod_status_t admit(attachment_t *attachment, const Podium__V1__Register *message) {
  registry_t *registry = attachment->registry;
  place_claim_t claim;
  POD_TRY(read_claim(message, &claim));
  const int32_t old = places_find(registry->places, claim.address);
  if (old >= 0) {
    POD_TRY(replace(attachment, old));
  }
  POD_TRY(make_way(registry, &claim));
  int32_t chip = -1;
  POD_TRY(places_claim(registry->places, &claim, pod_clock_now_ns(), &chip));
  wire_t *wire;
  const pod_status_t status = create_wire(attachment, chip, &wire);
  if (status != NULL) {
    places_lose(registry->places, chip, pod_status_message(status));
    return status;
  }
  attachment->chip = chip;
  attachment->wire = wire;
  registry->by_chip[chip] = attachment;
  registry->counts.joins++;
  registry->options.on_joined(registry->options.context, chip);
  pod_text_t label = {0};
  places_print_label(&label, registry->places, chip);
  pod_log_fields(POD_LOG_INFO,
                 POD_LOG_FIELDS({"event", .text = "join"}, {"chip", .number = chip},
                                {"pid", .number = claim.pid}),
                 "%s has joined (pid %" PRId64 ")", label.bytes, claim.pid);
  pod_text_deinit(&label);
  send_assignment(attachment);
  registry->options.on_change(registry->options.context);
  return NULL;
}

static pod_status_t on_first_message(attachment_t *attachment,
                                     const Podium__V1__WorkerMessage *message) {
  const registry_t *registry = attachment->registry;
  const Podium__V1__Register *claim = NULL;
  POD_TRY(attach_proof_hear(&attachment->proof, attachment->call,
                            registry->options.secret == NULL ? NULL : &registry->secret,
                            message, &claim));
  const pod_status_t status = claim == NULL ? NULL : admit(attachment, claim);
  if (claim != NULL) {
    attach_proof_forget_claim(&attachment->proof);
  }
  return status;
}

// --- What a member says ---

static pod_status_t on_links_listening(attachment_t *attachment,
                                       const Podium__V1__LinksListening *message) {
  registry_t *registry = attachment->registry;
  size_t count = 0;
  for (size_t i = 0; i < message->n_links; i++) {
    count += message->links[i]->n_urls;
  }
  if (count > (size_t)TORUS_LINKS * PLACE_LINK_URLS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a worker may listen at up to %d URLs, not %zu",
                     TORUS_LINKS * PLACE_LINK_URLS_MAX, count);
  }
  int directions[TORUS_LINKS * PLACE_LINK_URLS_MAX];
  const char *urls[TORUS_LINKS * PLACE_LINK_URLS_MAX];
  count = 0;
  for (size_t i = 0; i < message->n_links; i++) {
    for (size_t j = 0; j < message->links[i]->n_urls; j++, count++) {
      directions[count] = message->links[i]->direction;
      urls[count] = message->links[i]->urls[j];
    }
  }
  POD_TRY(places_listening(registry->places, attachment->chip, count, directions, urls));
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    place_dial_t dial;
    if (places_dial(registry->places, attachment->chip, direction, &dial)) {
      send_dial(registry, &dial);
    }
  }
  registry->options.on_change(registry->options.context);
  return NULL;
}

static pod_status_t on_link(attachment_t *attachment,
                            const Podium__V1__LinkStatus *message) {
  registry_t *registry = attachment->registry;
  const int32_t direction = message->direction;
  const bool was_up =
      direction >= 0 && direction < TORUS_LINKS &&
      registry->places->at[attachment->chip].links[direction].neighbour >= 0 &&
      places_link_is_up(registry->places, attachment->chip, direction);
  POD_TRY(places_link(registry->places, attachment->chip, direction, message->neighbour,
                      message->up));
  if (places_link_is_up(registry->places, attachment->chip, direction) != was_up) {
    registry->options.on_link(registry->options.context, attachment->chip,
                              message->neighbour, !was_up);
  }
  pod_log(POD_LOG_DEBUG, "chip %" PRId32 ": its link to chip %" PRId32 " is %s",
          attachment->chip, message->neighbour, message->up ? "up" : "down");
  registry->options.on_change(registry->options.context);
  return NULL;
}

static pod_status_t read_message(attachment_t *attachment,
                                 const Podium__V1__WorkerMessage *message) {
  if (attachment->chip < 0) {
    return on_first_message(attachment, message);
  }
  places_t *places = attachment->registry->places;
  places_heard(places, attachment->chip, pod_clock_now_ns());
  switch (message->message_case) {
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_HEARTBEAT:
      places->at[attachment->chip].hbm_used_bytes = message->heartbeat->hbm_used_bytes;
      traffic_heard(&places->at[attachment->chip].traffic, pod_clock_now_ns(),
                    message->heartbeat->n_link_sent_bytes,
                    message->heartbeat->link_sent_bytes);
      chip_tells_again(&attachment->registry->tells[attachment->chip],
                       attachment->wire->channel);
      return NULL;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINKS_LISTENING:
      return on_links_listening(attachment, message->links_listening);
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_LINK:
      return on_link(attachment, message->link);
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER:
      return pod_error(POD_INVALID_ARGUMENT, "a second Register in one Attach");
    default:
      return NULL;  // A newer worker may say more than we know.
  }
}

// Who cannot prove himself shall not keep others from doing so. A worker in the crowd of
// a large pod that starts tries again.
static void make_room(registry_t *registry) {
  int32_t count = 0;
  attachment_t *first = NULL;
  for (attachment_t *at = registry->attachments; at != NULL; at = at->next) {
    if (!at->proof.is_known && !at->is_finished) {
      count++;
      first = at;  // New ones come to the front.
    }
  }
  if (count > UNPROVEN_MAX) {
    finish(first,
           pod_error(POD_UNAVAILABLE, "more than %d workers have yet to say who they are",
                     UNPROVEN_MAX));
  }
}

static pod_status_t attach_start(rpc_call_t *call, void *service, void **out_context) {
  registry_t *registry = service;
  if (registry->is_closed) {
    return pod_error(POD_UNAVAILABLE, "the coordinator is going down");
  }
  const int32_t most = registry->places->count + UNPROVEN_MAX + SPARE_ATTACHMENTS;
  if (registry->attachment_count >= most) {
    return pod_error(POD_UNAVAILABLE,
                     "%" PRId32 " workers are attaching at a time, which is the most",
                     most);
  }
  attachment_t *attachment = pod_alloc(sizeof(*attachment));
  attachment->registry = registry;
  attachment->call = call;
  attachment->chip = -1;
  attachment->started_ns = pod_clock_now_ns();
  attach_proof_init(&attachment->proof, registry->options.access, call);
  attachment->next = registry->attachments;
  if (attachment->next != NULL) {
    attachment->next->previous = attachment;
  }
  registry->attachments = attachment;
  registry->attachment_count++;
  make_room(registry);
  *out_context = attachment;
  return NULL;
}

// A stranger can be refused as often as he likes.
static void log_refusal(attachment_t *attachment, pod_status_t status) {
  unsigned long long muted = 0;
  attachment->registry->counts.refusals++;
  if (attachment->proof.is_known) {
    pod_log(POD_LOG_WARNING, "a worker is refused: %s", pod_status_message(status));
  } else if (pod_log_may(&attachment->registry->strangers, STRANGERS_LOG_MS, &muted)) {
    pod_log(POD_LOG_WARNING, "a worker is refused: %s (%llu others since the last line)",
            pod_status_message(status), muted);
  }
}

static void attach_message(rpc_call_t *call, const void *message, void *context) {
  attachment_t *attachment = context;
  if (attachment->is_finished) {
    return;
  }
  const pod_status_t status = read_message(attachment, message);
  if (status == NULL && attachment->chip >= 0) {
    rpc_call_keep_connection(call);  // No crowd of clients takes a worker's place.
  }
  if (status != NULL) {
    log_refusal(attachment, status);
    lose_attachment(attachment, pod_status_message(status));
    finish(attachment, status);
  }
}

static void attach_half_close(rpc_call_t *call, void *context) {
  (void)call;
  attachment_t *attachment = context;
  registry_t *registry = attachment->registry;
  if (attachment->chip < 0) {
    finish(attachment,
           pod_error(POD_INVALID_ARGUMENT, "Attach ended without a Register"));
    return;
  }
  pod_log(POD_LOG_INFO, "chip %" PRId32 " wants to leave", attachment->chip);
  places_drain(registry->places, attachment->chip);
  registry->options.on_change(registry->options.context);
}

static void attach_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  attachment_t *attachment = context;
  registry_t *registry = attachment->registry;
  if (attachment->chip >= 0) {
    pod_text_t why = {0};
    pod_text_printf(&why, "it closed its connection (%s)", pod_status_message(status));
    lose_attachment(attachment, why.bytes);
    pod_text_deinit(&why);
  }
  pod_status_free(status);
  if (attachment->previous != NULL) {
    attachment->previous->next = attachment->next;
  } else {
    registry->attachments = attachment->next;
  }
  if (attachment->next != NULL) {
    attachment->next->previous = attachment->previous;
  }
  registry->attachment_count--;
  attach_proof_forget_claim(&attachment->proof);
  explicit_bzero(attachment, sizeof(*attachment));
  free(attachment);
}

static const rpc_method_t methods[] = {
    {.path = "/podium.v1.Registry/Attach",
     .request = &podium__v1__worker_message__descriptor,
     .response = &podium__v1__coordinator_message__descriptor,
     .events = {.on_message = attach_message,
                .on_half_close = attach_half_close,
                .on_end = attach_end},
     .message_bytes_max = MESSAGE_BYTES_MAX,
     .on_start = attach_start},
    {0},
};

const rpc_method_t *registry_methods(void) {
  return methods;
}

// --- Silence ---

static void on_tick(void *context) {
  registry_t *registry = context;
  const int64_t now = pod_clock_now_ns();
  const int64_t late = now - registry->ticked_ns - registry->tick_ms * NS_PER_MS;
  registry->ticked_ns = now;
  // We stood still (suspended, or starved): nobody could be heard in that time.
  if (late > 2 * registry->tick_ms * NS_PER_MS) {
    places_forgive(registry->places, late);
    for (attachment_t *at = registry->attachments; at != NULL; at = at->next) {
      at->started_ns += late;
    }
  }
  const int64_t timeout = registry->options.timeout_ms * NS_PER_MS;
  int32_t chip;
  while ((chip = places_silent(registry->places, now, timeout)) >= 0) {
    pod_text_t why = {0};
    pod_text_printf(&why,
                    "nothing was heard of it for %" PRId64
                    " ms (silent, but its "
                    "connection is open)",
                    place_silence_ns(&registry->places->at[chip], timeout) / NS_PER_MS);
    expel(registry->by_chip[chip], why.bytes);
    pod_text_deinit(&why);
  }
  for (attachment_t *at = registry->attachments; at != NULL; at = at->next) {
    if (at->chip < 0 && !at->is_finished && now - at->started_ns > timeout) {
      finish(at, pod_error(POD_DEADLINE_EXCEEDED, "no %s came within %" PRId64 " ms",
                           at->proof.claim == NULL ? "Register" : "Proof",
                           registry->options.timeout_ms));
    }
  }
}

// --- The whole ---

registry_t *registry_create(const registry_options_t *options) {
  registry_t *registry = pod_alloc(sizeof(*registry));
  registry->options = *options;
  registry->pod_id = pod_strdup(options->pod_id);
  digest_random(registry->link_secret, sizeof(registry->link_secret));
  if (options->secret != NULL) {
    registry->secret = *options->secret;
  }
  registry->places = places_create(options->spec, &options->torus);
  registry->by_chip =
      pod_alloc((size_t)registry->places->count * sizeof(*registry->by_chip));
  registry->tells = pod_alloc((size_t)registry->places->count * sizeof(*registry->tells));
  registry->tick_ms = options->timeout_ms / TICKS_PER_TIMEOUT;
  if (registry->tick_ms < TICK_MS_MIN) {
    registry->tick_ms = TICK_MS_MIN;
  } else if (registry->tick_ms > TICK_MS_MAX) {
    registry->tick_ms = TICK_MS_MAX;
  }
  registry->timer = rpc_timer_create(options->loop, on_tick, registry);
  registry->ticked_ns = pod_clock_now_ns();
  rpc_timer_start(registry->timer, (uint64_t)registry->tick_ms,
                  (uint64_t)registry->tick_ms);
  return registry;
}

void registry_set_secret(registry_t *registry, const access_secret_t *secret) {
  registry->secret = *secret;
}

registry_counts_t registry_counts(const registry_t *registry) {
  return registry->counts;
}

const places_t *registry_places(const registry_t *registry) {
  return registry->places;
}

later_t *registry_later(const registry_t *registry) {
  return registry->options.later;
}

chip_tells_t *registry_tells(const registry_t *registry, int32_t chip) {
  return &registry->tells[chip];
}

rpc_channel_t *registry_channel(const registry_t *registry, int32_t chip) {
  const attachment_t *attachment = registry->by_chip[chip];
  return attachment == NULL ? NULL : attachment->wire->channel;
}

void registry_release_draining(registry_t *registry) {
  for (int32_t chip = 0; chip < registry->places->count; chip++) {
    attachment_t *attachment = registry->by_chip[chip];
    if (attachment != NULL &&
        place_state(&registry->places->at[chip]) == PLACE_DRAINING) {
      lose_attachment(attachment, "it has left");
      finish(attachment, NULL);
    }
  }
}

void registry_close(registry_t *registry) {
  registry->is_closed = true;
  for (attachment_t *at = registry->attachments; at != NULL; at = at->next) {
    lose_attachment(at, "the coordinator is going down");
    finish(at, pod_error(POD_UNAVAILABLE, "the coordinator is going down"));
  }
}

void registry_destroy(registry_t *registry) {
  if (registry == NULL) {
    return;
  }
  POD_CHECK(registry->attachments == NULL);
  rpc_timer_destroy(registry->timer);
  places_destroy(registry->places);
  free(registry->by_chip);
  free(registry->tells);
  free(registry->pod_id);
  explicit_bzero(registry, sizeof(*registry));
  free(registry);
}
