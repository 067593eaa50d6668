// From what people call a pod to its torus.

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/chip/torus.h"

enum { NUMBER_MAX = 1 << 20 };

// A number of digits only, in [1, NUMBER_MAX]; 0 when it is none. Moves *text behind it.
static int32_t take_number(const char **text) {
  const char *at = *text;
  int32_t value = 0;
  while (isdigit((unsigned char)*at) && value <= NUMBER_MAX) {
    value = value * 10 + (*at - '0');
    at++;
  }
  *text = at;
  return value > NUMBER_MAX ? 0 : value;
}

// Orders axis sizes, so that 4x16 and 16x4 are held against the same largest slice.
static int compare_sizes(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a;
  const int32_t y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static bool fits_largest_slice(const torus_t *torus, const chip_spec_t *spec) {
  int32_t size[TORUS_DIMENSIONS];
  int32_t largest[TORUS_DIMENSIONS];
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    size[d] = torus->size[d];
    largest[d] = spec->largest_slice[d];
  }
  qsort(size, TORUS_DIMENSIONS, sizeof(size[0]), compare_sizes);
  qsort(largest, TORUS_DIMENSIONS, sizeof(largest[0]), compare_sizes);
  return size[0] <= largest[0] && size[1] <= largest[1] && size[2] <= largest[2];
}

// On a 3D kind the links that close the axes are between cubes of 4x4x4, so either the
// whole slice is made of cubes or nothing closes (2x2x4 does not). On a 2D kind every
// axis is judged alone.
static void set_wraparound(torus_t *torus, const chip_spec_t *spec) {
  bool is_whole[TORUS_DIMENSIONS];
  bool are_all_whole = true;
  for (int d = 0; d < spec->torus_dimensions; d++) {
    is_whole[d] = spec->wraparound > 0 && torus->size[d] > 1 &&
                  torus->size[d] % spec->wraparound == 0;
    are_all_whole = are_all_whole && is_whole[d];
  }
  for (int d = 0; d < spec->torus_dimensions; d++) {
    torus->wraps[d] = spec->torus_dimensions == 3 ? are_all_whole : is_whole[d];
  }
}

static pod_status_t finish(const char *text, const chip_spec_t *spec, torus_t *torus) {
  int64_t chips = spec != NULL ? spec->devices_per_chip : 1;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    chips *= torus->size[d];
    if (chips * torus_slice_total(torus) > TORUS_CHIPS_MAX) {
      return pod_error(POD_INVALID_ARGUMENT, "topology '%s' has more than %d chips", text,
                       TORUS_CHIPS_MAX);
    }
  }
  if (spec == NULL) {
    return NULL;
  }
  if (torus->size[2] > 1 && spec->torus_dimensions < 3) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "topology '%s' has three dimensions, a %s has links in two; give "
                     "it as NxM",
                     text, spec->name);
  }
  if (!fits_largest_slice(torus, spec)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "topology '%s' is larger than the largest slice of %s, %" PRId32
                     "x%" PRId32 "x%" PRId32,
                     text, spec->name, spec->largest_slice[0], spec->largest_slice[1],
                     spec->largest_slice[2]);
  }
  set_wraparound(torus, spec);
  torus->core_count = spec->devices_per_chip;
  return NULL;
}

// What the cloud calls 4x4x8_twisted closes an axis with a shift along another one, which
// shortens the ways; torus_t has no room for it.
static pod_status_t refuse_twisted(const char *text, const char *suffix) {
  return pod_error(POD_UNIMPLEMENTED,
                   "topology '%s' is a twisted torus; there are only plain ones, such as "
                   "'%.*s'",
                   text, (int)(suffix - text), text);
}

static pod_status_t parse_sizes(const char *text, torus_t *out_torus) {
  torus_t torus = {.size = {1, 1, 1}};
  const char *at = text;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    torus.size[d] = take_number(&at);
    if (torus.size[d] == 0) {
      break;
    }
    if (*at == '\0' && d > 0) {
      *out_torus = torus;
      return NULL;
    }
    if (d > 0 && strcasecmp(at, "_twisted") == 0) {
      return refuse_twisted(text, at);
    }
    if (d > 0 && strcasecmp(at, "_untwisted") == 0) {
      *out_torus = torus;
      return NULL;
    }
    if (*at != 'x') {
      break;
    }
    at++;
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "'%s' is no topology; give sizes like 2x2, 4x2 or 2x2x4, or an "
                   "accelerator like v5litepod-4, v4-8, v5p-8 or v6e-8, several slices "
                   "like 2*16x16",
                   text);
}

// The topologies that the clouds sell under a bare count. Eight chips of a 2D kind are
// one host's block, 4x2: JAX numbers them along x first.
static const int32_t standard_2d[][TORUS_DIMENSIONS] = {
    {1, 1, 1}, {2, 2, 1},  {4, 2, 1},   {4, 4, 1},   {4, 8, 1},
    {8, 8, 1}, {8, 16, 1}, {16, 16, 1}, {16, 32, 1}, {32, 32, 1},
};
static const int32_t standard_3d[][TORUS_DIMENSIONS] = {
    {2, 2, 1},   {2, 2, 2},   {2, 2, 4},    {2, 4, 4},    {4, 4, 4},    {4, 4, 8},
    {4, 4, 12},  {4, 8, 8},   {4, 8, 12},   {8, 8, 8},    {8, 8, 12},   {8, 8, 16},
    {8, 12, 16}, {8, 16, 16}, {12, 16, 16}, {16, 16, 16}, {16, 16, 24},
};

static pod_status_t standard_torus(const char *text, const chip_spec_t *spec,
                                   int32_t count, torus_t *out_torus) {
  const bool is_3d = spec->torus_dimensions == 3;
  const int32_t(*rows)[TORUS_DIMENSIONS] = is_3d ? standard_3d : standard_2d;
  const size_t row_count = is_3d ? sizeof(standard_3d) / sizeof(standard_3d[0])
                                 : sizeof(standard_2d) / sizeof(standard_2d[0]);
  const int32_t per_chip =
      spec->accelerator_counts_cores ? spec->cores_per_chip * spec->devices_per_chip : 1;
  pod_text_t possible = {0};
  for (size_t i = 0; i < row_count; i++) {
    const torus_t torus = {.size = {rows[i][0], rows[i][1], rows[i][2]}};
    if (!fits_largest_slice(&torus, spec)) {
      continue;
    }
    const int32_t name_count = torus_chip_count(&torus) * per_chip;
    if (name_count == count) {
      *out_torus = torus;
      pod_text_deinit(&possible);
      return NULL;
    }
    pod_text_printf(&possible, "%s%s-%d", possible.length > 0 ? ", " : "",
                    spec->accelerator, name_count);
  }
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT,
                "'%s' is no standard topology; there are %s, or give sizes like 2x2",
                text, possible.bytes);
  pod_text_deinit(&possible);
  return status;
}

static bool has_prefix(const chip_spec_t *spec, const char *text, size_t length) {
  const char *const prefixes[] = {spec->accelerator, spec->name};
  for (size_t i = 0; i < 2; i++) {
    if (strlen(prefixes[i]) == length && strncasecmp(prefixes[i], text, length) == 0) {
      return true;
    }
  }
  return false;
}

// The kind whose accelerator prefix or name stands before the dash. The chip given comes
// first: one that a user has described answers to the accelerator of its base.
static const chip_spec_t *spec_of_prefix(const char *text, size_t length,
                                         const chip_spec_t *given) {
  if (given != NULL && has_prefix(given, text, length)) {
    return given;
  }
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    if (has_prefix(*row, text, length)) {
      return *row;
    }
  }
  return NULL;
}

static pod_status_t parse_accelerator(const char *text, const char *dash,
                                      const chip_spec_t *spec, torus_t *out_torus,
                                      const chip_spec_t **out_spec) {
  const chip_spec_t *named = spec_of_prefix(text, (size_t)(dash - text), spec);
  if (named == NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' is no accelerator; the kinds are v2, v3, v4, v5litepod, v5p, "
                     "v6e, tpu7x",
                     text);
  }
  if (spec != NULL && spec != named) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "accelerator '%s' is a %s, the chip given is %s", text, named->name,
                     spec->name);
  }
  const char *at = dash + 1;
  const int32_t count = take_number(&at);
  if (count == 0 || *at != '\0') {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' lacks a count behind the dash, as in %s-8", text,
                     named->accelerator);
  }
  POD_TRY(standard_torus(text, named, count, out_torus));
  *out_spec = named;
  return NULL;
}

// "2*16x16": moves *text behind the number of slices, when there is one.
static pod_status_t take_slices(const char *text, const char **out_rest,
                                int32_t *out_slices) {
  const char *star = strchr(text, '*');
  *out_rest = text;
  *out_slices = 1;
  if (star == NULL) {
    return NULL;
  }
  const char *at = text;
  const int32_t slices = take_number(&at);
  if (slices == 0 || at != star) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "topology '%s' lacks a number of slices before the '*'; two slices "
                     "of 16x16 are 2*16x16",
                     text);
  }
  *out_rest = star + 1;
  *out_slices = slices;
  return NULL;
}

pod_status_t torus_parse(const char *text, const chip_spec_t *spec, torus_t *out_torus,
                         const chip_spec_t **out_spec) {
  const chip_spec_t *kind = spec;
  torus_t torus;
  const char *slice;
  int32_t slices;
  POD_TRY(take_slices(text, &slice, &slices));
  const char *dash = strchr(slice, '-');
  if (dash != NULL) {
    POD_TRY(parse_accelerator(slice, dash, spec, &torus, &kind));
  } else {
    POD_TRY(parse_sizes(slice, &torus));
  }
  torus.slice_count = slices;
  POD_TRY(finish(text, kind, &torus));
  *out_torus = torus;
  if (out_spec != NULL) {
    *out_spec = kind;
  }
  return NULL;
}
