// A table of names by rank, and arithmetic of boxes. Who is there now is in the places.

#include "server/coordinator/core/places_hosts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

// Of the box of that rank, the chip of that index.
static int32_t chip_of(const places_t *places, int32_t rank, int32_t index) {
  const places_hosts_t *hosts = &places->hosts;
  const int32_t cores = torus_core_total(&places->torus);
  const int32_t of_slice = torus_slice_chip_count(&places->torus);
  if (hosts->chips > of_slice) {  // Whole slices.
    return rank * hosts->chips + index;
  }
  torus_coords_t coords = {.core = index % cores};
  index /= cores;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t boxes = places->torus.size[d] / hosts->box[d];
    coords.at[d] = rank % boxes * hosts->box[d] + index % hosts->box[d];
    rank /= boxes;
    index /= hosts->box[d];
  }
  coords.slice = rank;
  return torus_chip_at(&places->torus, coords);
}

static bool is_by_host(const place_t *place) {
  return place_is_taken(place) && place->host_chips > 0;
}

// A worker in the box that some host, but not this one, runs; -1: none.
static int32_t of_another(const places_t *places, int32_t rank, const char *host) {
  for (int32_t i = 0; i < places->hosts.chips; i++) {
    const int32_t chip = chip_of(places, rank, i);
    if (is_by_host(&places->at[chip]) && strcmp(places->at[chip].host, host) != 0) {
      return chip;
    }
  }
  return -1;
}

static bool is_empty(const places_t *places, int32_t rank) {
  for (int32_t i = 0; i < places->hosts.chips; i++) {
    if (place_is_taken(&places->at[chip_of(places, rank, i)])) {
      return false;
    }
  }
  return true;
}

void places_hosts_deinit(places_hosts_t *hosts) {
  for (int32_t rank = 0; rank < hosts->count; rank++) {
    free(hosts->names[rank]);
  }
  free(hosts->names);
  *hosts = (places_hosts_t){0};
}

// Cuts the torus anew while no host has a worker here.
static pod_status_t cut(places_t *places, const place_claim_t *claim) {
  if (places->hosts.chips == claim->host_chips) {
    return NULL;
  }
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (is_by_host(&places->at[chip])) {
      pod_text_t label = {0};
      places_print_label(&label, places, chip);
      const pod_status_t status =
          pod_error(POD_FAILED_PRECONDITION,
                    "the host of the worker at %s has %" PRId32
                    " chips, but that of %s has %" PRId32
                    ": all hosts of a pod have as many (podium-host --chips)",
                    claim->address, claim->host_chips, label.bytes, places->hosts.chips);
      pod_text_deinit(&label);
      return status;
    }
  }
  pod_text_t topology = {0};
  torus_print(&topology, &places->torus);
  int32_t box[TORUS_DIMENSIONS] = {0};
  const bool is_possible =
      claim->host_chips <= places->count && places->count % claim->host_chips == 0;
  pod_status_t status =
      is_possible
          ? torus_cut(&places->torus, places->spec, places->count / claim->host_chips,
                      box)
          : pod_error(POD_INVALID_ARGUMENT,
                      "the host of the worker at %s has %" PRId32 " chips: the %" PRId32
                      " of the pod's torus of %s cannot be shared by such hosts "
                      "(podium-host --chips; the number has to divide)",
                      claim->address, claim->host_chips, places->count, topology.bytes);
  pod_text_deinit(&topology);
  POD_TRY(status);
  places_hosts_deinit(&places->hosts);
  places->hosts.chips = claim->host_chips;
  memcpy(places->hosts.box, box, sizeof(box));
  places->hosts.count = places->count / claim->host_chips;
  places->hosts.names =
      pod_alloc((size_t)places->hosts.count * sizeof(*places->hosts.names));
  return NULL;
}

static pod_status_t check_numbers(const places_t *places, const place_claim_t *claim) {
  if (claim->host_index >= claim->host_chips) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker at %s has index %" PRId32 " on its host, whose %" PRId32
                     " chips are 0 to %" PRId32,
                     claim->address, claim->host_index, claim->host_chips,
                     claim->host_chips - 1);
  }
  if (claim->host_rank >= places->hosts.count) {
    pod_text_t topology = {0};
    torus_print(&topology, &places->torus);
    const pod_status_t status = pod_error(
        POD_INVALID_ARGUMENT,
        "the host of the worker at %s has rank %" PRId32 ", but hosts of %" PRId32
        " chips have ranks 0 to %" PRId32 " in a torus of %s",
        claim->address, claim->host_rank, claim->host_chips, places->hosts.count - 1,
        topology.bytes);
    pod_text_deinit(&topology);
    return status;
  }
  return NULL;
}

static pod_status_t refuse_rank(const places_t *places, const place_claim_t *claim,
                                int32_t rank, int32_t chip) {
  pod_text_t label = {0};
  places_print_label(&label, places, chip);
  const pod_status_t status = pod_error(
      POD_ALREADY_EXISTS,
      "another host has rank %" PRId32
      ", that of %s: the host of the worker at %s cannot have it too. Give each host a "
      "rank of its own, or none of them any",
      rank, label.bytes, claim->address);
  pod_text_deinit(&label);
  return status;
}

// The rank that this host has had, or -1.
static int32_t known_rank(const places_t *places, const char *host) {
  for (int32_t rank = 0; rank < places->hosts.count; rank++) {
    const char *name = places->hosts.names[rank];
    if (name != NULL && strcmp(name, host) == 0) {
      return rank;
    }
  }
  return -1;
}

// The rank of the box in which the worker was, when it can have that place; or -1.
static int32_t former_rank(const places_t *places, const place_claim_t *claim) {
  if (!claim->had_coords || !torus_contains(&places->torus, claim->former)) {
    return -1;
  }
  const int32_t chip = torus_chip_at(&places->torus, claim->former);
  const int32_t rank =
      torus_part(&places->torus, places->hosts.box, places->hosts.count, chip);
  const bool is_its_own =
      claim->host_index < 0 || chip_of(places, rank, claim->host_index) == chip;
  return is_its_own && places->hosts.names[rank] == NULL && is_empty(places, rank) ? rank
                                                                                   : -1;
}

static int32_t free_rank(const places_t *places) {
  int32_t left = -1;
  for (int32_t rank = 0; rank < places->hosts.count; rank++) {
    if (!is_empty(places, rank)) {
      continue;
    }
    if (places->hosts.names[rank] == NULL) {
      return rank;
    }
    left = left < 0 ? rank : left;
  }
  return left;
}

static pod_status_t choose_rank(const places_t *places, const place_claim_t *claim,
                                int32_t *out_rank) {
  int32_t rank = claim->host_rank;
  if (rank >= 0) {
    const int32_t other = of_another(places, rank, claim->host);
    *out_rank = rank;
    return other >= 0 ? refuse_rank(places, claim, rank, other) : NULL;
  }
  rank = known_rank(places, claim->host);
  rank = rank < 0 ? former_rank(places, claim) : rank;
  rank = rank < 0 ? free_rank(places) : rank;
  if (rank < 0) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "all %" PRId32 " hosts of %" PRId32
                     " chips that the pod has room for are there; the host of the worker "
                     "at %s is one too many",
                     places->hosts.count, places->hosts.chips, claim->address);
  }
  *out_rank = rank;
  return NULL;
}

// Of a worker that does not say which it is on its host: where it was, or the first free.
static pod_status_t choose_index(const places_t *places, const place_claim_t *claim,
                                 int32_t rank, int32_t *out_chip) {
  const int32_t former =
      claim->had_coords && torus_contains(&places->torus, claim->former)
          ? torus_chip_at(&places->torus, claim->former)
          : -1;
  int32_t found = -1;
  for (int32_t i = 0; i < places->hosts.chips; i++) {
    const int32_t chip = chip_of(places, rank, i);
    const bool is_free = !place_is_taken(&places->at[chip]);
    found = is_free && (found < 0 || chip == former) ? chip : found;
  }
  *out_chip = found;
  return found >= 0 ? NULL
                    : pod_error(POD_RESOURCE_EXHAUSTED,
                                "the host of rank %" PRId32 " has its %" PRId32
                                " workers; that at %s is one too many",
                                rank, places->hosts.chips, claim->address);
}

pod_status_t places_host_choose(places_t *places, const place_claim_t *claim,
                                int32_t *out_chip) {
  POD_TRY(cut(places, claim));
  POD_TRY(check_numbers(places, claim));
  int32_t rank = -1;
  POD_TRY(choose_rank(places, claim, &rank));
  if (claim->host_index < 0) {
    POD_TRY(choose_index(places, claim, rank, out_chip));
  } else {
    *out_chip = chip_of(places, rank, claim->host_index);
    POD_TRY(places_check_free(places, claim, *out_chip));
  }
  free(places->hosts.names[rank]);
  places->hosts.names[rank] = pod_strdup(claim->host);
  return NULL;
}

int32_t places_host_rival(const places_t *places, const place_claim_t *claim) {
  if (claim->host_chips == 0 || claim->host_chips != places->hosts.chips ||
      claim->host_rank >= places->hosts.count || claim->host_index >= claim->host_chips) {
    return -1;
  }
  const int32_t rank =
      claim->host_rank >= 0 ? claim->host_rank : known_rank(places, claim->host);
  if (rank < 0) {
    return -1;
  }
  const int32_t chip =
      claim->host_index < 0 ? -1 : chip_of(places, rank, claim->host_index);
  if (chip >= 0 && is_by_host(&places->at[chip])) {
    return chip;
  }
  return claim->host_rank >= 0 ? of_another(places, rank, claim->host) : -1;
}
