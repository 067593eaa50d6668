// The pod as a table of places by chip. Every event changes at most one place and asks
// for dials to its neighbours; nothing is remembered elsewhere.

#include "server/coordinator/core/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/coordinator/core/places_hosts.h"

enum { DRAINING_TIMEOUTS = 3 };
// A worker gives what it runs 10 s when it leaves, however short the timeout is.
#define DRAINING_NS_MIN INT64_C(15000000000)

// Life of a place. Every other move is a bug of ours.
//
//   MISSING ──claim──> JOINING <──a link goes down── READY
//                       │  │ └──all links are up──────^ │
//                       │  └──half-close──> DRAINING <──┤
//                       └────────> LOST <───┘───────────┘
//   LOST ──claim──> JOINING
static const pod_state_t states[PLACE_STATE_COUNT] = {
    [PLACE_MISSING] = {"missing", POD_TO(PLACE_JOINING)},
    [PLACE_JOINING] = {"joining",
                       POD_TO(PLACE_READY) | POD_TO(PLACE_DRAINING) | POD_TO(PLACE_LOST)},
    [PLACE_READY] = {"ready",
                     POD_TO(PLACE_JOINING) | POD_TO(PLACE_DRAINING) | POD_TO(PLACE_LOST)},
    [PLACE_DRAINING] = {"draining", POD_TO(PLACE_LOST)},
    [PLACE_LOST] = {"lost", POD_TO(PLACE_JOINING)},
};

place_state_t place_state(const place_t *place) {
  return (place_state_t)pod_state_of(&place->machine);
}

static torus_direction_t opposite(torus_direction_t direction) {
  return direction ^ 1;
}

static place_t *place_at(places_t *places, int32_t chip) {
  POD_CHECK(chip >= 0 && chip < places->count);
  return &places->at[chip];
}

// The other end of the link, as the neighbour sees it. On an axis of two chips that wraps
// there is still one link, so that the opposite direction is always the right one.
static place_link_t *other_end(const places_t *places, int32_t chip,
                               torus_direction_t direction) {
  const int32_t neighbour = places->at[chip].links[direction].neighbour;
  place_link_t *end = &places->at[neighbour].links[opposite(direction)];
  POD_CHECK(end->neighbour == chip);
  return end;
}

bool places_link_is_up(const places_t *places, int32_t chip, int direction) {
  const place_link_t *end = &places->at[chip].links[direction];
  return end->up && other_end(places, chip, direction)->up;
}

places_t *places_create(const chip_spec_t *spec, const torus_t *torus) {
  places_t *places = pod_alloc(sizeof(*places));
  places->spec = spec;
  places->torus = *torus;
  places->count = torus_chip_count(torus);
  places->at = pod_alloc((size_t)places->count * sizeof(*places->at));
  for (int32_t chip = 0; chip < places->count; chip++) {
    pod_state_machine_init(&places->at[chip].machine, "chip", (uint64_t)chip, states,
                           PLACE_STATE_COUNT, PLACE_MISSING);
    for (int direction = 0; direction < TORUS_LINKS; direction++) {
      places->at[chip].links[direction].neighbour =
          torus_neighbour(torus, chip, direction);
    }
  }
  return places;
}

static void forget_urls(place_link_t *end) {
  for (int i = 0; i < end->url_count; i++) {
    free(end->urls[i]);
  }
  end->url_count = 0;
}

// Drops all that the worker said; its epoch and the reason of its loss stay.
static void forget_worker(places_t *places, int32_t chip) {
  place_t *place = &places->at[chip];
  free(place->address);
  free(place->host);
  free(place->version);
  free(place->transfer_socket);
  place->address = place->host = place->version = place->transfer_socket = NULL;
  place->pid = 0;
  place->host_chips = 0;
  place->hbm_used_bytes = 0;
  traffic_begin(&place->traffic);
  place->is_listening = false;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    place_link_t *end = &place->links[direction];
    forget_urls(end);
    end->up = false;
    end->dialled_epoch = 0;
  }
}

void places_destroy(places_t *places) {
  if (places == NULL) {
    return;
  }
  for (int32_t chip = 0; chip < places->count; chip++) {
    forget_worker(places, chip);
    free(places->at[chip].lost_reason);
  }
  places_hosts_deinit(&places->hosts);
  free(places->at);
  free(places);
}

bool place_is_taken(const place_t *place) {
  return place_state(place) == PLACE_JOINING || place_state(place) == PLACE_READY ||
         place_state(place) == PLACE_DRAINING;
}

int32_t places_find(const places_t *places, const char *address) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    const place_t *place = &places->at[chip];
    if (place_is_taken(place) && strcmp(place->address, address) == 0) {
      return chip;
    }
  }
  return -1;
}

static pod_status_t check_text(const char *what, const char *text) {
  if (strlen(text) > PLACE_TEXT_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker's %s has %zu bytes, at most %d may be", what,
                     strlen(text), PLACE_TEXT_BYTES_MAX);
  }
  return NULL;
}

static pod_status_t check_claim(const places_t *places, const place_claim_t *claim) {
  if (claim->address[0] == '\0') {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker does not say at which address its gRPC service listens");
  }
  if (strncmp(claim->address, "0.0.0.0:", 8) == 0 ||
      strncmp(claim->address, "[::]:", 5) == 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker's address %.64s stands for all interfaces of its host, "
                     "and nobody can call it there: --advertise names one",
                     claim->address);
  }
  POD_TRY(check_text("address", claim->address));
  POD_TRY(check_text("host", claim->host));
  POD_TRY(check_text("version", claim->version));
  if (claim->transfer_socket != NULL) {
    POD_TRY(check_text("socket", claim->transfer_socket));
  }
  if (claim->chip_kind[0] != '\0' &&
      strcasecmp(claim->chip_kind, places->spec->name) != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker at %s has a chip of kind %.64s, the pod's are %s",
                     claim->address, claim->chip_kind, places->spec->name);
  }
  return NULL;
}

pod_status_t places_check_free(const places_t *places, const place_claim_t *claim,
                               int32_t chip) {
  if (!place_is_taken(&places->at[chip])) {
    return NULL;
  }
  pod_text_t label = {0};
  places_print_label(&label, places, chip);
  const pod_status_t status = pod_error(
      POD_ALREADY_EXISTS,
      "%s (pid %" PRId64 ") has this place already; the worker at %s (pid %" PRId64
      ") cannot have it too: give it other coordinates, or stop the first",
      label.bytes, places->at[chip].pid, claim->address, claim->pid);
  pod_text_deinit(&label);
  return status;
}

static pod_status_t choose_wanted(const places_t *places, const place_claim_t *claim,
                                  int32_t *out_chip) {
  if (!torus_contains(&places->torus, claim->coords)) {
    pod_text_t text = {0};
    torus_print_coords(&text, claim->coords);
    pod_text_add(&text, " is not in the pod's torus of ");
    torus_print(&text, &places->torus);
    const pod_status_t status =
        pod_error(POD_INVALID_ARGUMENT, "the wanted place %s (the worker at %s)",
                  text.bytes, claim->address);
    pod_text_deinit(&text);
    return status;
  }
  *out_chip = torus_chip_at(&places->torus, claim->coords);
  return places_check_free(places, claim, *out_chip);
}

static pod_status_t choose_free(const places_t *places, const place_claim_t *claim,
                                int32_t *out_chip) {
  if (claim->had_coords && torus_contains(&places->torus, claim->former)) {
    *out_chip = torus_chip_at(&places->torus, claim->former);
    if (!place_is_taken(&places->at[*out_chip])) {
      return NULL;
    }
  }
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (!place_is_taken(&places->at[chip])) {
      *out_chip = chip;
      return NULL;
    }
  }
  return pod_error(POD_RESOURCE_EXHAUSTED,
                   "all %" PRId32
                   " places of the pod are taken; the worker at %s is one too many",
                   places->count, claim->address);
}

static pod_status_t choose(places_t *places, const place_claim_t *claim,
                           int32_t *out_chip) {
  if (claim->wants_coords) {
    return choose_wanted(places, claim, out_chip);
  }
  return claim->host_chips > 0 ? places_host_choose(places, claim, out_chip)
                               : choose_free(places, claim, out_chip);
}

// A place without links (a pod of one chip) is ready at once.
static void settle(places_t *places, int32_t chip) {
  place_t *place = &places->at[chip];
  if (place_state(place) != PLACE_JOINING && place_state(place) != PLACE_READY) {
    return;
  }
  int32_t links, up;
  places_count_links(places, chip, &links, &up);
  const place_state_t next =
      links == up && (place->is_listening || links == 0) ? PLACE_READY : PLACE_JOINING;
  if (next != place_state(place)) {
    pod_state_machine_move(&place->machine, next);
  }
}

pod_status_t places_claim(places_t *places, const place_claim_t *claim, int64_t now_ns,
                          int32_t *out_chip) {
  POD_TRY(check_claim(places, claim));
  int32_t chip = -1;
  POD_TRY(choose(places, claim, &chip));
  place_t *place = &places->at[chip];
  pod_state_machine_move(&place->machine, PLACE_JOINING);
  place->epoch++;
  place->address = pod_strdup(claim->address);
  place->host = pod_strdup(claim->host);
  place->version = pod_strdup(claim->version);
  place->transfer_socket =
      pod_strdup(claim->transfer_socket == NULL ? "" : claim->transfer_socket);
  place->pid = claim->pid;
  place->host_chips = claim->wants_coords ? 0 : claim->host_chips;
  place->heard_ns = now_ns;
  settle(places, chip);
  *out_chip = chip;
  return NULL;
}

int32_t places_process(const places_t *places, int32_t chip) {
  return places->hosts.chips > 0
             ? torus_part(&places->torus, places->hosts.box, places->hosts.count, chip)
             : torus_host(&places->torus, places->spec, chip);
}

void places_heard(places_t *places, int32_t chip, int64_t now_ns) {
  place_at(places, chip)->heard_ns = now_ns;
}

pod_status_t places_listening(places_t *places, int32_t chip, size_t count,
                              const int *directions, const char *const *urls) {
  place_t *place = place_at(places, chip);
  int per_direction[TORUS_LINKS] = {0};
  for (size_t i = 0; i < count; i++) {
    const int direction = directions[i];
    if (direction < 0 || direction >= TORUS_LINKS ||
        place->links[direction].neighbour < 0) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "chip %" PRId32 " listens in direction %d, where it has no link",
                       chip, direction);
    }
    if (++per_direction[direction] > PLACE_LINK_URLS_MAX ||
        strlen(urls[i]) > PLACE_TEXT_BYTES_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "chip %" PRId32
                       " may listen at up to %d URLs of up to %d bytes in direction %d",
                       chip, PLACE_LINK_URLS_MAX, PLACE_TEXT_BYTES_MAX, direction);
    }
  }
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    forget_urls(&place->links[direction]);
  }
  for (size_t i = 0; i < count; i++) {
    place_link_t *end = &place->links[directions[i]];
    end->urls[end->url_count++] = pod_strdup(urls[i]);
  }
  place->is_listening = true;
  settle(places, chip);
  return NULL;
}

pod_status_t places_link(places_t *places, int32_t chip, int direction, int32_t neighbour,
                         bool up) {
  place_t *place = place_at(places, chip);
  if (direction < 0 || direction >= TORUS_LINKS ||
      place->links[direction].neighbour < 0 ||
      place->links[direction].neighbour != neighbour) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "chip %" PRId32 " reports a link to chip %" PRId32
                     " in direction %d, which it does not have",
                     chip, neighbour, direction);
  }
  place->links[direction].up = up;
  settle(places, chip);
  settle(places, neighbour);
  return NULL;
}

// ipc:// reaches only the own host; anything else reaches everywhere.
static const char *choose_url(const place_t *from, const place_t *to,
                              const place_link_t *end) {
  const bool same_host = from->host[0] != '\0' && strcmp(from->host, to->host) == 0;
  const char *any = NULL;
  for (int i = 0; i < end->url_count; i++) {
    const bool is_local = strncmp(end->urls[i], "ipc://", 6) == 0;
    if (is_local && same_host) {
      return end->urls[i];
    }
    if (!is_local && any == NULL) {
      any = end->urls[i];
    }
  }
  return any;
}

bool places_dial(places_t *places, int32_t chip, int direction, place_dial_t *out_dial) {
  POD_CHECK(direction >= 0 && direction < TORUS_LINKS);
  const int32_t neighbour = place_at(places, chip)->links[direction].neighbour;
  if (neighbour < 0) {
    return false;
  }
  const bool chip_is_plus = direction % 2 == 0;
  int32_t listener = chip_is_plus ? chip : neighbour;
  int32_t dialler = chip_is_plus ? neighbour : chip;
  torus_direction_t dial_in = chip_is_plus ? opposite(direction) : direction;
  // Both must have spoken: until then it is open which of them listens.
  if (!places->at[listener].is_listening || !places->at[dialler].is_listening) {
    return false;
  }
  if (places->at[listener].links[opposite(dial_in)].url_count == 0) {
    const int32_t swap = listener;
    listener = dialler;
    dialler = swap;
    dial_in = opposite(dial_in);
  }
  place_t *from = &places->at[dialler];
  const place_t *to = &places->at[listener];
  const char *url = choose_url(from, to, &to->links[opposite(dial_in)]);
  place_link_t *end = &from->links[dial_in];
  if (url == NULL || end->dialled_epoch == to->epoch) {
    return false;
  }
  end->dialled_epoch = to->epoch;
  *out_dial = (place_dial_t){.dialler = dialler,
                             .direction = dial_in,
                             .neighbour = listener,
                             .epoch = to->epoch,
                             .url = url};
  return true;
}

void places_drain(places_t *places, int32_t chip) {
  place_t *place = place_at(places, chip);
  if (place_state(place) != PLACE_DRAINING) {
    pod_state_machine_move(&place->machine, PLACE_DRAINING);
  }
}

void places_lose(places_t *places, int32_t chip, const char *why) {
  place_t *place = place_at(places, chip);
  pod_text_t reason = {0};
  places_print_label(&reason, places, chip);
  pod_text_printf(&reason, ": %s", why);
  free(place->lost_reason);
  place->lost_reason = pod_text_take(&reason);
  place->lost_epoch = place->epoch;
  pod_state_machine_move(&place->machine, PLACE_LOST);
  forget_worker(places, chip);
  // What the neighbours said of their ends was about this worker.
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    const int32_t neighbour = place->links[direction].neighbour;
    if (neighbour >= 0) {
      other_end(places, chip, direction)->up = false;
      settle(places, neighbour);
    }
  }
}

// One that leaves has said its last word; it still gets time to finish.
int64_t place_silence_ns(const place_t *place, int64_t timeout_ns) {
  if (place_state(place) != PLACE_DRAINING) {
    return timeout_ns;
  }
  const int64_t long_ns = DRAINING_TIMEOUTS * timeout_ns;
  return long_ns > DRAINING_NS_MIN ? long_ns : DRAINING_NS_MIN;
}

int32_t places_silent(const places_t *places, int64_t now_ns, int64_t timeout_ns) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    const place_t *place = &places->at[chip];
    if (place_is_taken(place) &&
        now_ns - place->heard_ns > place_silence_ns(place, timeout_ns)) {
      return chip;
    }
  }
  return -1;
}

void places_forgive(places_t *places, int64_t gap_ns) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    places->at[chip].heard_ns += gap_ns;
  }
}

bool places_are_ready(const places_t *places) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (place_state(&places->at[chip]) != PLACE_READY) {
      return false;
    }
  }
  return true;
}

bool places_are_taken(const places_t *places) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (!place_is_taken(&places->at[chip])) {
      return false;
    }
  }
  return true;
}

bool places_is_serving(const places_t *places, int32_t chip) {
  const place_state_t state = place_state(&places->at[chip]);
  return state == PLACE_JOINING || state == PLACE_READY;
}

uint16_t places_links_down(const places_t *places, int32_t chip) {
  uint16_t down = 0;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    if (places->at[chip].links[direction].neighbour >= 0 &&
        !places_link_is_up(places, chip, direction)) {
      down |= (uint16_t)(1 << direction);
    }
  }
  return down;
}

void places_count_links(const places_t *places, int32_t chip, int32_t *out_links,
                        int32_t *out_up) {
  int32_t links = 0, up = 0;
  for (int direction = 0; direction < TORUS_LINKS; direction++) {
    if (places->at[chip].links[direction].neighbour >= 0) {
      links++;
      up += places_link_is_up(places, chip, direction);
    }
  }
  *out_links = links;
  *out_up = up;
}

void places_print_label(pod_text_t *text, const places_t *places, int32_t chip) {
  pod_text_printf(text, "chip %" PRId32 " ", chip);
  const torus_coords_t coords = torus_coords(&places->torus, chip);
  torus_print_coords(text, coords);
  if (torus_slice_total(&places->torus) > 1) {
    pod_text_printf(text, " of slice %" PRId32, coords.slice);
  }
  if (places->at[chip].address != NULL) {
    pod_text_printf(text, " at %s", places->at[chip].address);
  }
}

void places_print_state(pod_text_t *text, const places_t *places, int32_t chip) {
  const place_t *place = &places->at[chip];
  if (place_state(place) == PLACE_LOST) {
    pod_text_printf(text, "%s", place->lost_reason);
    return;
  }
  places_print_label(text, places, chip);
  int32_t links, up;
  places_count_links(places, chip, &links, &up);
  if (place_state(place) == PLACE_JOINING) {
    pod_text_printf(text, " is joining (%" PRId32 " of its %" PRId32 " links are up)", up,
                    links);
  } else {
    pod_text_printf(text, " is %s", pod_state_name(&place->machine));
  }
}

void places_print_missing(pod_text_t *text, const places_t *places) {
  int32_t absent = 0;
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (place_state(&places->at[chip]) == PLACE_READY) {
      continue;
    }
    if (absent < PLACE_MISSING_NAMED_MAX) {
      pod_text_add(text, absent == 0 ? "" : "; ");
      places_print_state(text, places, chip);
    }
    absent++;
  }
  if (absent > PLACE_MISSING_NAMED_MAX) {
    pod_text_printf(text, "; and %" PRId32 " more", absent - PLACE_MISSING_NAMED_MAX);
  }
}
