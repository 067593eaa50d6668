// Coordinates, neighbours and the dimension-order route (Dally and Seitz 1987,
// "Deadlock-free message routing in multiprocessor interconnection networks"): x, then y,
// then z, each the shorter way round.

#include "server/chip/torus.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int32_t torus_slice_chip_count(const torus_t *torus) {
  return torus->size[0] * torus->size[1] * torus->size[2] * torus_core_total(torus);
}

int32_t torus_chip_count(const torus_t *torus) {
  return torus_slice_chip_count(torus) * torus_slice_total(torus);
}

int32_t torus_slice_of(const torus_t *torus, int32_t chip) {
  return chip / torus_slice_chip_count(torus);
}

bool torus_equal(const torus_t *a, const torus_t *b) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (a->size[d] != b->size[d] || a->wraps[d] != b->wraps[d]) {
      return false;
    }
  }
  return torus_slice_total(a) == torus_slice_total(b) &&
         torus_core_total(a) == torus_core_total(b);
}

torus_coords_t torus_coords(const torus_t *torus, int32_t chip) {
  const int32_t *size = torus->size;
  const int32_t cores = torus_core_total(torus);
  const int32_t place = chip / cores;
  return (torus_coords_t){.at = {place % size[0], place / size[0] % size[1],
                                 place / size[0] / size[1] % size[2]},
                          .slice = place / size[0] / size[1] / size[2],
                          .core = chip % cores};
}

int32_t torus_chip_at(const torus_t *torus, torus_coords_t coords) {
  const int32_t *size = torus->size;
  const int32_t z = coords.at[2] + size[2] * coords.slice;
  const int32_t place = coords.at[0] + size[0] * (coords.at[1] + size[1] * z);
  return coords.core + torus_core_total(torus) * place;
}

bool torus_contains(const torus_t *torus, torus_coords_t coords) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (coords.at[d] < 0 || coords.at[d] >= torus->size[d]) {
      return false;
    }
  }
  return coords.slice >= 0 && coords.slice < torus_slice_total(torus) &&
         coords.core >= 0 && coords.core < torus_core_total(torus);
}

// With two chips on an axis the way round is the way there: one link, not two.
static bool closes(const torus_t *torus, int dimension) {
  return torus->wraps[dimension] && torus->size[dimension] > 2;
}

// The neighbour on a ring of `size` (more than two close it), or -1.
static int32_t beside(int32_t at, int32_t size, bool closes_it, bool is_up) {
  const int32_t next = at + (is_up ? 1 : -1);
  if (closes_it) {
    return (next + size) % size;
  }
  return next >= 0 && next < size ? next : -1;
}

int32_t torus_neighbour(const torus_t *torus, int32_t chip, torus_direction_t direction) {
  torus_coords_t coords = torus_coords(torus, chip);
  const bool is_up = direction % 2 == 0;
  int32_t *at, size;
  bool closes_it;
  if (direction < TORUS_DIRECTIONS) {
    const int d = direction / 2;
    at = &coords.at[d];
    size = torus->size[d];
    closes_it = closes(torus, d);
  } else if (direction < TORUS_DIE_UP) {
    at = &coords.slice;
    size = torus_slice_total(torus);
    closes_it = size > 2;
  } else {
    at = &coords.core;
    size = torus_core_total(torus);
    closes_it = false;
  }
  *at = beside(*at, size, closes_it, is_up);
  return *at < 0 ? -1 : torus_chip_at(torus, coords);
}

// Signed hops from `from` to `to`.
static int32_t hops_between(int32_t from, int32_t to, int32_t size, bool closes_it) {
  const int32_t straight = to - from;
  if (!closes_it) {
    return straight;
  }
  const int32_t up = (straight + size) % size;
  return 2 * up <= size ? up : up - size;
}

static int32_t hops_along(const torus_t *torus, int d, const torus_coords_t *from,
                          const torus_coords_t *to) {
  return hops_between(from->at[d], to->at[d], torus->size[d], closes(torus, d));
}

static int32_t hops_of_slices(const torus_t *torus, const torus_coords_t *from,
                              const torus_coords_t *to) {
  const int32_t slices = torus_slice_total(torus);
  return hops_between(from->slice, to->slice, slices, slices > 2);
}

torus_direction_t torus_next_hop(const torus_t *torus, int32_t from, int32_t to) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t hops = hops_along(torus, d, &a, &b);
    if (hops != 0) {
      return 2 * d + (hops < 0 ? 1 : 0);
    }
  }
  if (a.slice != b.slice) {
    return hops_of_slices(torus, &a, &b) < 0 ? TORUS_DCN_DOWN : TORUS_DCN_UP;
  }
  if (a.core != b.core) {
    return b.core < a.core ? TORUS_DIE_DOWN : TORUS_DIE_UP;
  }
  return -1;
}

static int32_t both_ways(int32_t hops, int32_t *out_both) {
  out_both[0] = hops > 0 ? hops : 0;
  out_both[1] = hops < 0 ? -hops : 0;
  return abs(hops);
}

int32_t torus_hops(const torus_t *torus, int32_t from, int32_t to,
                   int32_t out_hops[TORUS_LINKS]) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  int32_t distance = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    distance += both_ways(hops_along(torus, d, &a, &b), &out_hops[(ptrdiff_t)2 * d]);
  }
  distance += both_ways(hops_of_slices(torus, &a, &b), &out_hops[TORUS_DCN_UP]);
  return distance + both_ways(b.core - a.core, &out_hops[TORUS_DIE_UP]);
}

int32_t torus_distance(const torus_t *torus, int32_t from, int32_t to) {
  int32_t hops[TORUS_LINKS];
  return torus_hops(torus, from, to, hops);
}

void torus_print(pod_text_t *text, const torus_t *torus) {
  if (torus_slice_total(torus) > 1) {
    pod_text_printf(text, "%d*", torus->slice_count);
  }
  pod_text_printf(text, "%dx%d", torus->size[0], torus->size[1]);
  if (torus->size[2] > 1) {
    pod_text_printf(text, "x%d", torus->size[2]);
  }
}

torus_coords_t torus_coords_of(const int32_t *numbers, size_t count) {
  int32_t all[TORUS_PLACE_NUMBERS] = {0};
  for (size_t i = 0; i < count && i < TORUS_PLACE_NUMBERS; i++) {
    all[i] = numbers[i];
  }
  return (torus_coords_t){
      .at = {all[0], all[1], all[2]}, .slice = all[3], .core = all[4]};
}

void torus_coords_put(torus_coords_t coords, int32_t out_numbers[TORUS_PLACE_NUMBERS]) {
  memcpy(out_numbers, coords.at, sizeof(coords.at));
  out_numbers[TORUS_DIMENSIONS] = coords.slice;
  out_numbers[TORUS_DIMENSIONS + 1] = coords.core;
}

void torus_print_coords(pod_text_t *text, torus_coords_t coords) {
  pod_text_printf(text, "(%d,%d,%d)", coords.at[0], coords.at[1], coords.at[2]);
}

int32_t torus_box(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                  int32_t chip) {
  const torus_coords_t coords = torus_coords(torus, chip);
  int32_t index = coords.slice;
  for (int d = TORUS_DIMENSIONS - 1; d >= 0; d--) {
    const int32_t boxes = (torus->size[d] + box[d] - 1) / box[d];
    index = index * boxes + coords.at[d] / box[d];
  }
  return index;
}

int32_t torus_host(const torus_t *torus, const chip_spec_t *spec, int32_t chip) {
  return torus_box(torus, spec->chips_per_host, chip);
}

int32_t torus_host_first(const torus_t *torus, const chip_spec_t *spec, int32_t chip) {
  torus_coords_t coords = torus_coords(torus, chip);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    coords.at[d] -= coords.at[d] % spec->chips_per_host[d];
  }
  coords.core = 0;
  return torus_chip_at(torus, coords);
}

int32_t torus_part(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                   int32_t parts, int32_t chip) {
  const int32_t slices = torus_slice_total(torus);
  return torus_box(torus, box, chip) / (parts < slices ? slices / parts : 1);
}

// The lower the better: 0 is a host's own box; then boxes of whole hosts or of a part of
// one, by their surface; then the others.
static int64_t box_rank(const torus_t *torus, const chip_spec_t *spec,
                        const int32_t box[TORUS_DIMENSIONS]) {
  bool is_host = true, is_aligned = true;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t host = spec->chips_per_host[d] < torus->size[d]
                             ? spec->chips_per_host[d]
                             : torus->size[d];
    is_host &= box[d] == host;
    is_aligned &= box[d] % host == 0 || host % box[d] == 0;
  }
  const int64_t x = box[0], y = box[1], z = box[2];
  return is_host ? 0 : x * y + y * z + z * x + (is_aligned ? 0 : INT32_MAX);
}

// How many parts a slice has; 1 where a part has several slices.
static pod_status_t parts_of_slice(const torus_t *torus, int32_t parts,
                                   int32_t *out_parts) {
  const int32_t slices = torus_slice_total(torus);
  const int32_t chips = torus->size[0] * torus->size[1] * torus->size[2];
  const int32_t of_slice = parts > slices ? parts / slices : 1;
  if (parts < 1 || chips % of_slice != 0 ||
      (parts % slices != 0 && slices % parts != 0)) {
    return slices == 1
               ? pod_error(POD_INVALID_ARGUMENT,
                           "%d chips cannot be shared by %d processes: the number has to "
                           "divide",
                           chips, parts)
               : pod_error(POD_INVALID_ARGUMENT,
                           "%d slices of %d chips cannot be shared by %d processes: a "
                           "process has slices, or a part of one, and all have as many "
                           "chips",
                           slices, chips, parts);
  }
  *out_parts = of_slice;
  return NULL;
}

pod_status_t torus_cut(const torus_t *torus, const chip_spec_t *spec, int32_t parts,
                       int32_t out_box[TORUS_DIMENSIONS]) {
  int32_t of_slice = 1;
  POD_TRY(parts_of_slice(torus, parts, &of_slice));
  const int32_t volume = torus->size[0] * torus->size[1] * torus->size[2] / of_slice;
  int64_t best = INT64_MAX;
  for (int32_t x = torus->size[0]; x >= 1; x--) {
    for (int32_t y = 1; y <= torus->size[1]; y++) {
      const int64_t area = (int64_t)x * y;
      const int32_t z = (int32_t)(volume / area);
      if (torus->size[0] % x != 0 || torus->size[1] % y != 0 || z < 1 ||
          area * z != volume || z > torus->size[2] || torus->size[2] % z != 0) {
        continue;
      }
      const int32_t box[TORUS_DIMENSIONS] = {x, y, z};
      const int64_t rank = box_rank(torus, spec, box);
      if (rank < best) {
        best = rank;
        memcpy(out_box, box, sizeof(box));
      }
    }
  }
  return NULL;  // A number that divides the product can be made of divisors of the sizes.
}

void torus_print_device(pod_text_t *text, const torus_t *torus, int32_t process,
                        int32_t chip) {
  const torus_coords_t coords = torus_coords(torus, chip);
  pod_text_printf(text, "TpuDevice(id=%d, process_index=%d, coords=", chip, process);
  torus_print_coords(text, coords);
  pod_text_printf(text, ", core_on_chip=%d", coords.core);
  if (torus_slice_total(torus) > 1) {
    pod_text_printf(text, ", slice_index=%d", coords.slice);
  }
  pod_text_add(text, ")");
}

static bool is_same_way(const torus_t *torus, torus_coords_t from, torus_coords_t to,
                        const torus_coords_t *way) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t off = to.at[d] - from.at[d] - way->at[d];
    if (off != 0 && (!torus->wraps[d] || off % torus->size[d] != 0)) {
      return false;
    }
  }
  // One slice is like any other, and so is a core.
  return (to.slice - from.slice - way->slice) % torus_slice_total(torus) == 0 &&
         (to.core - from.core - way->core) % torus_core_total(torus) == 0;
}

bool torus_is_moved(const torus_t *torus, const int64_t *from, const int64_t *to,
                    int32_t count) {
  torus_coords_t way = {.at = {0}};
  for (int32_t i = 0; i < count; i++) {
    const torus_coords_t a = torus_coords(torus, (int32_t)from[i]);
    const torus_coords_t b = torus_coords(torus, (int32_t)to[i]);
    for (int d = 0; d < TORUS_DIMENSIONS && i == 0; d++) {
      way.at[d] = b.at[d] - a.at[d];
    }
    if (i == 0) {
      way.slice = b.slice - a.slice;
      way.core = b.core - a.core;
    }
    if (!is_same_way(torus, a, b, &way)) {
      return false;
    }
  }
  return true;
}
