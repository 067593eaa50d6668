// Coordinates, neighbours and the dimension-order route (Dally and Seitz 1987,
// "Deadlock-free message routing in multiprocessor interconnection networks"): x, then y,
// then z, each the shorter way round.

#include "server/chip/torus.h"

#include <stdlib.h>

int32_t torus_chip_count(const torus_t *torus) {
  return torus->size[0] * torus->size[1] * torus->size[2];
}

torus_coords_t torus_coords(const torus_t *torus, int32_t chip) {
  const int32_t *size = torus->size;
  return (torus_coords_t){
      .at = {chip % size[0], chip / size[0] % size[1], chip / size[0] / size[1]}};
}

int32_t torus_chip_at(const torus_t *torus, torus_coords_t coords) {
  return coords.at[0] + torus->size[0] * (coords.at[1] + torus->size[1] * coords.at[2]);
}

bool torus_contains(const torus_t *torus, torus_coords_t coords) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (coords.at[d] < 0 || coords.at[d] >= torus->size[d]) {
      return false;
    }
  }
  return true;
}

// With two chips on an axis the way round is the way there: one link, not two.
static bool closes(const torus_t *torus, int dimension) {
  return torus->wraps[dimension] && torus->size[dimension] > 2;
}

int32_t torus_neighbour(const torus_t *torus, int32_t chip, torus_direction_t direction) {
  const int d = direction / 2;
  torus_coords_t coords = torus_coords(torus, chip);
  coords.at[d] += direction % 2 == 0 ? 1 : -1;
  if (closes(torus, d)) {
    coords.at[d] = (coords.at[d] + torus->size[d]) % torus->size[d];
  }
  return torus_contains(torus, coords) ? torus_chip_at(torus, coords) : -1;
}

// Signed hops along one dimension.
static int32_t hops_along(const torus_t *torus, int d, int32_t from, int32_t to) {
  const int32_t size = torus->size[d];
  const int32_t straight = to - from;
  if (!closes(torus, d)) {
    return straight;
  }
  const int32_t up = (straight + size) % size;
  return 2 * up <= size ? up : up - size;
}

torus_direction_t torus_next_hop(const torus_t *torus, int32_t from, int32_t to) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t hops = hops_along(torus, d, a.at[d], b.at[d]);
    if (hops != 0) {
      return 2 * d + (hops < 0 ? 1 : 0);
    }
  }
  return -1;
}

int32_t torus_distance(const torus_t *torus, int32_t from, int32_t to) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  int32_t distance = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    distance += abs(hops_along(torus, d, a.at[d], b.at[d]));
  }
  return distance;
}

void torus_print(pod_text_t *text, const torus_t *torus) {
  pod_text_printf(text, "%dx%d", torus->size[0], torus->size[1]);
  if (torus->size[2] > 1) {
    pod_text_printf(text, "x%d", torus->size[2]);
  }
}

void torus_print_coords(pod_text_t *text, torus_coords_t coords) {
  pod_text_printf(text, "(%d,%d,%d)", coords.at[0], coords.at[1], coords.at[2]);
}

int32_t torus_host(const torus_t *torus, const chip_spec_t *spec, int32_t chip) {
  const torus_coords_t coords = torus_coords(torus, chip);
  int32_t host = 0;
  for (int d = TORUS_DIMENSIONS - 1; d >= 0; d--) {
    const int32_t block = spec->chips_per_host[d];
    const int32_t hosts = (torus->size[d] + block - 1) / block;
    host = host * hosts + coords.at[d] / block;
  }
  return host;
}

void torus_print_device(pod_text_t *text, const torus_t *torus, const chip_spec_t *spec,
                        int32_t chip) {
  pod_text_printf(text, "TpuDevice(id=%d, process_index=%d, coords=", chip,
                  torus_host(torus, spec, chip));
  torus_print_coords(text, torus_coords(torus, chip));
  pod_text_add(text, ", core_on_chip=0)");
}

static bool is_same_way(const torus_t *torus, torus_coords_t from, torus_coords_t to,
                        const torus_coords_t *way) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t off = to.at[d] - from.at[d] - way->at[d];
    if (off != 0 && (!torus->wraps[d] || off % torus->size[d] != 0)) {
      return false;
    }
  }
  return true;
}

bool torus_is_moved(const torus_t *torus, const int64_t *from, const int64_t *to,
                    int32_t count) {
  torus_coords_t way = {{0}};
  for (int32_t i = 0; i < count; i++) {
    const torus_coords_t a = torus_coords(torus, (int32_t)from[i]);
    const torus_coords_t b = torus_coords(torus, (int32_t)to[i]);
    for (int d = 0; d < TORUS_DIMENSIONS && i == 0; d++) {
      way.at[d] = b.at[d] - a.at[d];
    }
    if (!is_same_way(torus, a, b, &way)) {
      return false;
    }
  }
  return true;
}
