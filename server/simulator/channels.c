// Ways of messages, and who has the channels.

#include "server/simulator/channels.h"

// The link between the cores of a chip, in ICI links (MaxText, custom_model.md, of v7x).
#define DIE_OF_ICI 6.0

simulator_way_t simulator_way(const torus_t *torus, const chip_spec_t *spec, int32_t from,
                              int32_t to) {
  return (simulator_way_t){
      .torus = torus, .spec = spec, .from = from, .at = from, .to = to};
}

static int32_t core_0_of(const torus_t *torus, int32_t chip) {
  return chip - chip % torus_core_total(torus);
}

static bool is_across(const torus_t *torus, int32_t from, int32_t to) {
  return torus_slice_total(torus) > 1 &&
         torus_slice_of(torus, from) != torus_slice_of(torus, to);
}

bool simulator_way_next(simulator_way_t *way, simulator_crossing_t *out_crossing) {
  const torus_t *torus = way->torus;
  if (way->at == way->to) {
    return false;
  }
  if (is_across(torus, way->from, way->to)) {
    const int32_t end = way->is_out ? way->to : way->from;
    *out_crossing = (simulator_crossing_t){
        .chip = torus_host_first(torus, way->spec, end),
        .channel = way->is_out ? SIMULATOR_DCN_IN : SIMULATOR_DCN_OUT};
    way->at = way->is_out ? way->to : way->at;
    way->is_out = true;
    return true;
  }
  const int32_t cores = torus_core_total(torus);
  if (way->at % cores != way->to % cores) {
    *out_crossing = (simulator_crossing_t){.chip = way->at, .channel = SIMULATOR_DIE};
    way->at += way->to % cores - way->at % cores;
    return true;
  }
  const torus_direction_t direction = torus_next_hop(torus, way->at, way->to);
  *out_crossing =
      (simulator_crossing_t){.chip = core_0_of(torus, way->at), .channel = direction};
  way->at = torus_neighbour(torus, way->at, direction);
  return true;
}

int64_t simulator_latency_ps(const torus_t *torus, const chip_spec_t *spec, int32_t from,
                             int32_t to) {
  return is_across(torus, from, to)
             ? spec->dcn_latency_ps
             : (int64_t)torus_distance(torus, from, to) * spec->ici_hop_ps;
}

// Chips of the host whose lowest one this is.
static int32_t chips_of_host(const torus_t *torus, const chip_spec_t *spec,
                             int32_t chip) {
  const torus_coords_t at = torus_coords(torus, chip);
  int32_t count = torus_core_total(torus);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t left = torus->size[d] - at.at[d];
    count *= left < spec->chips_per_host[d] ? left : spec->chips_per_host[d];
  }
  return count;
}

double simulator_channel_factor(const torus_t *torus, const chip_spec_t *spec,
                                int32_t chip, int32_t channel) {
  if (channel < TORUS_DIRECTIONS) {
    return 1;
  }
  if (channel == SIMULATOR_DIE) {
    if (torus_core_total(torus) == 1) {
      return 0;
    }
    return spec->die_bytes_per_s > 0 ? spec->die_bytes_per_s / spec->ici_bytes_per_s
                                     : DIE_OF_ICI;
  }
  if (torus_slice_total(torus) == 1 || torus_host_first(torus, spec, chip) != chip) {
    return 0;
  }
  return spec->dcn_bytes_per_s * chips_of_host(torus, spec, chip) / spec->ici_bytes_per_s;
}

int32_t simulator_place_on_host(const torus_t *torus, const chip_spec_t *spec,
                                int32_t chip) {
  const torus_coords_t at = torus_coords(torus, chip);
  int32_t place = 0;
  for (int d = TORUS_DIMENSIONS - 1; d >= 0; d--) {
    place = place * spec->chips_per_host[d] + at.at[d] % spec->chips_per_host[d];
  }
  return place * torus_core_total(torus) + at.core;
}
