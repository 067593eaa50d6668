// Boxes of the torus.

#include "server/chip/slice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Above the rank of any closed box: two sides of it make no more than TORUS_CHIPS_MAX.
#define OPEN_RANK (INT64_C(1) << 56)

int32_t torus_slice_count(const torus_slice_t *slice) {
  const int32_t cores = slice->core_count > 1 ? slice->core_count : 1;
  return slice->size[0] * slice->size[1] * slice->size[2] * cores;
}

void torus_slice_chips(const torus_t *torus, const torus_slice_t *slice, int64_t *out) {
  for (int32_t z = 0; z < slice->size[2]; z++) {
    for (int32_t y = 0; y < slice->size[1]; y++) {
      for (int32_t x = 0; x < slice->size[0]; x++) {
        const int32_t off[TORUS_DIMENSIONS] = {x, y, z};
        torus_coords_t coords = {.slice = slice->slice};
        for (int d = 0; d < TORUS_DIMENSIONS; d++) {
          coords.at[d] = (slice->origin[d] + off[d]) % torus->size[d];
        }
        coords.core = slice->core;
        do {
          *out++ = torus_chip_at(torus, coords);
        } while (++coords.core < slice->core + slice->core_count);
      }
    }
  }
}

// The farthest two chips of a side are size - 1 apart: less than half of the way round,
// or the way round may be the shorter one.
bool torus_slice_is_closed(const torus_t *torus, const int32_t size[TORUS_DIMENSIONS]) {
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (torus->wraps[d] && size[d] < torus->size[d] &&
        2 * (size[d] - 1) >= torus->size[d]) {
      return false;
    }
  }
  return true;
}

int64_t torus_slice_rank(const torus_t *torus, const int32_t size[TORUS_DIMENSIONS]) {
  int64_t hops = 0;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    const bool is_ring = torus->wraps[d] && size[d] == torus->size[d];
    hops += is_ring ? size[d] / 2 : size[d] - 1;
  }
  const int64_t x = size[0], y = size[1], z = size[2];
  return (torus_slice_is_closed(torus, size) ? 0 : OPEN_RANK) + (hops << 36) + x * y +
         y * z + z * x;
}

bool torus_slice_best(const torus_t *torus, int32_t count,
                      int32_t out_size[TORUS_DIMENSIONS]) {
  int64_t best = INT64_MAX;
  for (int32_t x = torus->size[0]; count > 0 && x >= 1; x--) {
    for (int32_t y = torus->size[1]; count % x == 0 && y >= 1; y--) {
      const int32_t z = count / x / y;
      if (count / x % y != 0 || z > torus->size[2]) {
        continue;
      }
      const int32_t size[TORUS_DIMENSIONS] = {x, y, z};
      const int64_t rank = torus_slice_rank(torus, size);
      if (rank < best) {
        best = rank;
        memcpy(out_size, size, sizeof(size));
      }
    }
  }
  return best < INT64_MAX;
}

void torus_slice_print_size(pod_text_t *text, const int32_t size[TORUS_DIMENSIONS]) {
  pod_text_printf(text, "%dx%d", size[0], size[1]);
  if (size[2] > 1) {
    pod_text_printf(text, "x%d", size[2]);
  }
}

bool torus_slice_parse_size(const char *text, int32_t out_size[TORUS_DIMENSIONS]) {
  int32_t size[TORUS_DIMENSIONS] = {1, 1, 1};
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    char *end = NULL;
    if (isdigit((unsigned char)*text) == 0) {
      return false;
    }
    const long value = strtol(text, &end, 10);
    if (value < 1 || value > TORUS_CHIPS_MAX) {
      return false;
    }
    size[d] = (int32_t)value;
    if (*end == '\0') {
      memcpy(out_size, size, sizeof(size));
      return true;
    }
    if (*end != 'x') {
      return false;
    }
    text = end + 1;
  }
  return false;
}
