// Coordinates, neighbours and the dimension-order route (Dally and Seitz 1987,
// "Deadlock-free message routing in multiprocessor interconnection networks"): x, then y,
// then z, each the shorter way round.

#include "server/chip/torus.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

int32_t torus_hops(const torus_t *torus, int32_t from, int32_t to,
                   int32_t out_hops[TORUS_DIRECTIONS]) {
  const torus_coords_t a = torus_coords(torus, from);
  const torus_coords_t b = torus_coords(torus, to);
  int32_t distance = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const int32_t hops = hops_along(torus, d, a.at[d], b.at[d]);
    int32_t *both = &out_hops[(ptrdiff_t)2 * d];
    both[0] = hops > 0 ? hops : 0;
    both[1] = hops < 0 ? -hops : 0;
    distance += abs(hops);
  }
  return distance;
}

int32_t torus_distance(const torus_t *torus, int32_t from, int32_t to) {
  int32_t hops[TORUS_DIRECTIONS];
  return torus_hops(torus, from, to, hops);
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

int32_t torus_box(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                  int32_t chip) {
  const torus_coords_t coords = torus_coords(torus, chip);
  int32_t index = 0;
  for (int d = TORUS_DIMENSIONS - 1; d >= 0; d--) {
    const int32_t boxes = (torus->size[d] + box[d] - 1) / box[d];
    index = index * boxes + coords.at[d] / box[d];
  }
  return index;
}

int32_t torus_host(const torus_t *torus, const chip_spec_t *spec, int32_t chip) {
  return torus_box(torus, spec->chips_per_host, chip);
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

pod_status_t torus_cut(const torus_t *torus, const chip_spec_t *spec, int32_t parts,
                       int32_t out_box[TORUS_DIMENSIONS]) {
  const int32_t chips = torus_chip_count(torus);
  if (parts < 1 || chips % parts != 0) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "%d chips cannot be shared by %d processes: the number has to divide", chips,
        parts);
  }
  int64_t best = INT64_MAX;
  for (int32_t x = torus->size[0]; x >= 1; x--) {
    for (int32_t y = 1; y <= torus->size[1]; y++) {
      const int64_t area = (int64_t)x * y;
      const int32_t z = (int32_t)(chips / parts / area);
      if (torus->size[0] % x != 0 || torus->size[1] % y != 0 || z < 1 ||
          area * z != chips / parts || z > torus->size[2] || torus->size[2] % z != 0) {
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
  pod_text_printf(text, "TpuDevice(id=%d, process_index=%d, coords=", chip, process);
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
