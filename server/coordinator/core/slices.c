// All places of all sizes are looked at; the pods are small enough.

#include "server/coordinator/core/slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

// --- Sizes ---

typedef struct slice_size_t {
  int32_t size[TORUS_DIMENSIONS];
  int64_t rank;
} slice_size_t;

enum { SIZES_MAX = 256 };  // Of one number of chips: 2^16 has 153 of three sides.

typedef struct sizes_t {
  const torus_t *torus;
  int count;
  slice_size_t at[SIZES_MAX];
} sizes_t;

static void add_size(sizes_t *sizes, int32_t x, int32_t y, int32_t z, bool is_first) {
  const torus_t *torus = sizes->torus;
  if (x > torus->size[0] || y > torus->size[1] || z > torus->size[2] ||
      sizes->count == SIZES_MAX) {
    return;
  }
  slice_size_t *added = &sizes->at[sizes->count++];
  *added = (slice_size_t){.size = {x, y, z}};
  added->rank = is_first ? -1 : torus_slice_rank(torus, added->size);
}

static int compare_sizes(const void *a, const void *b) {
  const slice_size_t *left = a, *right = b;
  if (left->rank != right->rank) {
    return left->rank < right->rank ? -1 : 1;
  }
  return memcmp(right->size, left->size, sizeof(left->size));
}

static void list_turned(sizes_t *sizes, const int32_t size[TORUS_DIMENSIONS]) {
  static const int turns[6][TORUS_DIMENSIONS] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                                 {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  for (int i = 0; i < 6; i++) {
    add_size(sizes, size[turns[i][0]], size[turns[i][1]], size[turns[i][2]], i == 0);
  }
}

static void list_all(sizes_t *sizes, int32_t count) {
  for (int32_t x = 1; x <= sizes->torus->size[0]; x++) {
    for (int32_t y = 1; count % x == 0 && y <= sizes->torus->size[1]; y++) {
      if (count / x % y == 0) {
        add_size(sizes, x, y, count / x / y, false);
      }
    }
  }
}

// The best first.
static void list_sizes(sizes_t *sizes, const torus_t *torus, const slice_wish_t *wish) {
  sizes->torus = torus;
  sizes->count = 0;
  if (wish->size[0] > 0) {
    list_turned(sizes, wish->size);
  } else if (wish->count > 0) {
    list_all(sizes, wish->count / (wish->core_count > 1 ? wish->core_count : 1));
  }
  qsort(sizes->at, (size_t)sizes->count, sizeof(sizes->at[0]), compare_sizes);
}

// --- Places ---

typedef struct place_search_t {
  const torus_t *torus;
  const bool *is_taken;
  slices_missing_t missing;  // `links` is NULL when none is down.
  bool may_wait;             // Chips may be taken, but not missing.
  int64_t best;              // The lower the better.
  torus_slice_t slice;
} place_search_t;

static bool may_begin(const torus_t *torus, int d, int32_t at, int32_t size) {
  // One that spans its axis is the same wherever it begins.
  return size == torus->size[d] ? at == 0
                                : torus->wraps[d] || at + size <= torus->size[d];
}

static bool is_missing(const place_search_t *search, int32_t chip) {
  return search->missing.chips != NULL && search->missing.chips[chip];
}

// Chips that are taken, or -1: it cannot be this box.
static int64_t count_taken(const place_search_t *search, const torus_slice_t *slice,
                           const int64_t *chips) {
  int64_t taken = 0;
  for (int32_t i = 0; i < torus_slice_count(slice); i++) {
    if (is_missing(search, (int32_t)chips[i])) {
      return -1;
    }
    taken += search->is_taken[chips[i]];
  }
  return taken > 0 && !search->may_wait ? -1 : taken;
}

// Whether somebody else has a core of the chip: better than to begin another one.
static bool has_taken_core(const place_search_t *search, int32_t chip,
                           const bool *is_own) {
  torus_coords_t coords = torus_coords(search->torus, chip);
  for (coords.core = 0; coords.core < torus_core_total(search->torus); coords.core++) {
    const int32_t core = torus_chip_at(search->torus, coords);
    if (!is_own[core] && search->is_taken[core]) {
      return true;
    }
  }
  return false;
}

// Sides of its chips that look at something taken, or at nothing.
static int64_t count_touched(const place_search_t *search, const torus_slice_t *slice,
                             const int64_t *chips, const bool *is_own) {
  int64_t touched = 0;
  for (int32_t i = 0; i < torus_slice_count(slice); i++) {
    for (int d = 0; d < TORUS_DIRECTIONS; d++) {
      if (search->torus->size[d / 2] == 1) {
        continue;
      }
      const int32_t next = torus_neighbour(search->torus, (int32_t)chips[i], d);
      const bool is_free =
          next >= 0 && !search->is_taken[next] && !is_missing(search, next);
      touched += (next < 0 || !is_own[next]) && !is_free;
    }
    touched += has_taken_core(search, (int32_t)chips[i], is_own) ? TORUS_DIRECTIONS : 0;
  }
  return touched;
}

// --- Its links ---

static bool is_down(const place_search_t *search, int32_t chip, int direction) {
  return (search->missing.links[chip] & 1 << direction) != 0;
}

static bool has_route(const place_search_t *search, int32_t from, int32_t to) {
  while (from != to) {
    const torus_direction_t direction = torus_next_hop(search->torus, from, to);
    if (is_down(search, from, direction)) {
      return false;
    }
    from = torus_neighbour(search->torus, from, direction);
  }
  return true;
}

static bool has_all_routes(const place_search_t *search, int32_t count,
                           const int64_t *chips) {
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      if (!has_route(search, (int32_t)chips[i], (int32_t)chips[j])) {
        return false;
      }
    }
  }
  return true;
}

static bool has_own_links(const place_search_t *search, int32_t count,
                          const int64_t *chips, const bool *is_own) {
  for (int32_t i = 0; i < count; i++) {
    for (int d = 0; d < TORUS_DIRECTIONS; d++) {
      const int32_t next = torus_neighbour(search->torus, (int32_t)chips[i], d);
      if (next >= 0 && is_own[next] && is_down(search, (int32_t)chips[i], d)) {
        return false;
      }
    }
  }
  return true;
}

// Whether any of its chips can send to any other.
static bool is_joined(const place_search_t *search, const torus_slice_t *slice,
                      const int64_t *chips, const bool *is_own) {
  const int32_t count = torus_slice_count(slice);
  if (search->missing.links == NULL) {
    return true;
  }
  return torus_slice_is_closed(search->torus, slice->size)
             ? has_own_links(search, count, chips, is_own)
             : has_all_routes(search, count, chips);
}

static void try_place(place_search_t *search, const torus_slice_t *slice, int64_t *chips,
                      bool *is_own) {
  torus_slice_chips(search->torus, slice, chips);
  const int64_t taken = count_taken(search, slice, chips);
  if (taken < 0) {
    return;
  }
  slices_mark(search->torus, slice, true, is_own);
  const int64_t score = (taken << 32) - count_touched(search, slice, chips, is_own);
  if (score < search->best && is_joined(search, slice, chips, is_own)) {
    search->best = score;
    search->slice = *slice;
  }
  slices_mark(search->torus, slice, false, is_own);
}

static void try_size(place_search_t *search, const slice_wish_t *wish,
                     const int32_t size[TORUS_DIMENSIONS], int64_t *chips, bool *is_own) {
  const int32_t count = torus_chip_count(search->torus);
  torus_slice_t slice = {.core_count = wish->core_count};
  memcpy(slice.size, size, sizeof(slice.size));
  for (int32_t chip = 0; chip < count; chip++) {
    const torus_coords_t coords = torus_coords(search->torus, chip);
    // Whole chips, or any core.
    bool is_possible = coords.core == 0 || wish->core_count <= 1;
    slice.slice = coords.slice;
    slice.core = coords.core;
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      slice.origin[d] = coords.at[d];
      is_possible &= may_begin(search->torus, d, coords.at[d], size[d]);
    }
    if (is_possible) {
      try_place(search, &slice, chips, is_own);
    }
  }
}

// The sizes in their order: a better one that is free is taken wherever it is. One that
// would have to wait anyway is the one with the least to wait for.
static bool search_all(place_search_t *search, const slice_wish_t *wish,
                       torus_slice_t *out_slice) {
  const size_t chips = (size_t)torus_chip_count(search->torus);
  int64_t *list = pod_alloc(chips * sizeof(*list));
  bool *is_own = pod_alloc(chips * sizeof(*is_own));
  sizes_t sizes;
  list_sizes(&sizes, search->torus, wish);
  search->best = INT64_MAX;
  for (int i = 0; i < sizes.count; i++) {
    try_size(search, wish, sizes.at[i].size, list, is_own);
    if (search->best < INT64_MAX && !search->may_wait) {
      break;
    }
  }
  free(list);
  free(is_own);
  if (search->best == INT64_MAX) {
    return false;
  }
  *out_slice = search->slice;
  return true;
}

static slices_missing_t take_missing(const torus_t *torus,
                                     const slices_missing_t *missing) {
  slices_missing_t taken = missing == NULL ? (slices_missing_t){0} : *missing;
  int32_t chip = 0;
  const int32_t count = taken.links == NULL ? 0 : torus_chip_count(torus);
  while (chip < count && taken.links[chip] == 0) {
    chip++;
  }
  if (chip == count) {
    taken.links = NULL;
  }
  return taken;
}

bool slices_find(const torus_t *torus, const bool *is_taken,
                 const slices_missing_t *missing, const slice_wish_t *wish,
                 torus_slice_t *out_slice) {
  place_search_t search = {
      .torus = torus, .is_taken = is_taken, .missing = take_missing(torus, missing)};
  return search_all(&search, wish, out_slice);
}

bool slices_reserve(const torus_t *torus, const bool *is_taken,
                    const slices_missing_t *missing, const slice_wish_t *wish,
                    torus_slice_t *out_slice) {
  place_search_t search = {.torus = torus,
                           .is_taken = is_taken,
                           .missing = take_missing(torus, missing),
                           .may_wait = true};
  return search_all(&search, wish, out_slice);
}

void slices_mark(const torus_t *torus, const torus_slice_t *slice, bool value,
                 bool *is_taken) {
  const int32_t count = torus_slice_count(slice);
  int64_t *chips = pod_alloc((size_t)count * sizeof(*chips));
  torus_slice_chips(torus, slice, chips);
  for (int32_t i = 0; i < count; i++) {
    is_taken[chips[i]] = value;
  }
  free(chips);
}

// --- What is asked for ---

static pod_status_t refuse(const torus_t *torus, const char *what) {
  pod_text_t pod = {0};
  torus_print(&pod, torus);
  const pod_status_t status = pod_error(
      POD_INVALID_ARGUMENT,
      "a slice of %s is no box of this pod, which is %s: name one that fits %s, as 2x1",
      what, pod.bytes,
      torus->slice_count > 1 ? "one of its slices, as a job runs in one" : "it");
  pod_text_deinit(&pod);
  return status;
}

// Whole chips, or one core alone.
static pod_status_t choose_cores(const torus_t *torus, slice_wish_t *wish) {
  const int32_t cores = torus_core_total(torus);
  wish->core_count = wish->count == 1 ? 1 : cores;
  if (wish->count % wish->core_count == 0) {
    return NULL;
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "%" PRId32
                   " devices are no whole chips of this pod, each of which is "
                   "%" PRId32
                   " devices: a job has all cores of its chips, or one alone; "
                   "make the program for a multiple of %" PRId32,
                   wish->count, cores, cores);
}

pod_status_t slices_wish(const torus_t *torus, const char *size, int32_t count,
                         slice_wish_t *out_wish) {
  slice_wish_t wish = {.count = count};
  if (*size != '\0') {
    if (!torus_slice_parse_size(size, wish.size)) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "a slice is a size as 2x2 or 2x2x4, not \"%s\"", size);
    }
    const int64_t chips = (int64_t)wish.size[0] * wish.size[1];
    wish.core_count = torus_core_total(torus);
    if (chips > TORUS_CHIPS_MAX ||
        chips * wish.size[2] > torus_chip_count(torus) / wish.core_count) {
      return refuse(torus, size);
    }
    wish.count = (int32_t)(chips * wish.size[2]) * wish.core_count;
  } else {
    POD_TRY(choose_cores(torus, &wish));
  }
  sizes_t sizes;
  list_sizes(&sizes, torus, &wish);
  if (sizes.count == 0) {
    char chips[32];
    snprintf(chips, sizeof(chips), "%d chips", count);
    return refuse(torus, *size != '\0' ? size : chips);
  }
  *out_wish = wish;
  return NULL;
}
