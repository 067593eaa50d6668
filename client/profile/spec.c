#include "client/profile/spec.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MAX = 64 };  // Of one dimension.

typedef struct reader_t {
  pod_arena_t *arena;
  const report_axes_t *mesh;
  const char *at;
} reader_t;

static bool take(reader_t *reader, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(reader->at, word, length) != 0) {
    return false;
  }
  reader->at += length;
  return true;
}

// A whole axis, or "x:(2)4", of which the digits in front have 2 values.
static bool find_axis(const reader_t *reader, const char *name, report_axis_t *out) {
  const char *colon = strstr(name, ":(");
  const size_t length = colon == NULL ? strlen(name) : (size_t)(colon - name);
  for (int i = 0; i < reader->mesh->count; i++) {
    const report_axis_t *axis = &reader->mesh->axes[i];
    if (strlen(axis->name) != length || strncmp(axis->name, name, length) != 0) {
      continue;
    }
    *out = (report_axis_t){name, axis->stride, axis->size};
    if (colon == NULL) {
      return true;
    }
    char *end = NULL;
    const long long before = strtoll(colon + 2, &end, 10);
    if (*end != ')' || before < 1) {
      return false;
    }
    out->size = strtoll(end + 1, &end, 10);
    if (*end != '\0' || out->size < 1 || axis->size % before != 0 ||
        axis->size / before % out->size != 0) {
      return false;
    }
    out->stride *= axis->size / before / out->size;
    return true;
  }
  return false;
}

static bool read_axis(reader_t *reader, report_axis_t *out) {
  const char *end = *reader->at == '"' ? strchr(reader->at + 1, '"') : NULL;
  if (end == NULL) {
    return false;
  }
  const char *name = pod_arena_printf(reader->arena, "%.*s", (int)(end - reader->at - 1),
                                      reader->at + 1);
  reader->at = end + 1;
  return find_axis(reader, name, out);
}

// Up to `close`, which is taken too.
static bool read_axes(reader_t *reader, const char *close, report_axes_t *out) {
  report_axis_t axes[AXES_MAX];
  int count = 0;
  do {
    if (count == AXES_MAX || !read_axis(reader, &axes[count++])) {
      return false;
    }
  } while (take(reader, ", "));
  *out = (report_axes_t){
      count, pod_arena_copy(reader->arena, axes, (size_t)count * sizeof(axes[0]))};
  return take(reader, close);
}

static bool read_dimension(reader_t *reader, report_axes_t *out) {
  *out = (report_axes_t){0};
  if (take(reader, "None")) {
    return true;
  }
  if (take(reader, "(")) {
    return read_axes(reader, ")", out);
  }
  report_axis_t axis;
  if (!read_axis(reader, &axis)) {
    return false;
  }
  *out = (report_axes_t){1, pod_arena_copy(reader->arena, &axis, sizeof(axis))};
  return true;
}

bool profile_spec_read(pod_arena_t *arena, const char *text, const report_axes_t *mesh,
                       int rank, report_axes_t out_spec[REPORT_RANK_MAX],
                       report_axes_t *out_unreduced) {
  reader_t reader = {arena, mesh, text};
  report_axes_t spec[REPORT_RANK_MAX] = {{0}}, unreduced = {0};
  if (rank > REPORT_RANK_MAX || !take(&reader, "P(")) {
    return false;
  }
  for (int d = 0; d < rank; d++) {
    if ((d > 0 && !take(&reader, ", ")) || !read_dimension(&reader, &spec[d])) {
      return false;
    }
  }
  if (take(&reader, rank == 0 ? "unreduced=" : ", unreduced=")) {
    if (!take(&reader, "max")) {  // However they are reduced, the axes are the same.
      (void)take(&reader, "min");
    }
    if (!take(&reader, "{") || !read_axes(&reader, "}", &unreduced)) {
      return false;
    }
  }
  if (strcmp(reader.at, ")") != 0) {
    return false;
  }
  memcpy(out_spec, spec, sizeof(spec));
  *out_unreduced = unreduced;
  return true;
}
