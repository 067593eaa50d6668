#include "server/coordinator/core/given_slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void given_slice_print(pod_text_t *text, const torus_t *torus,
                       const torus_slice_t *slice) {
  const int32_t *size = slice->size, *origin = slice->origin;
  pod_text_printf(text,
                  "%" PRId32 "x%" PRId32 "x%" PRId32 " at %" PRId32 ",%" PRId32
                  ",%" PRId32 " core %" PRId32 " of %" PRId32 ", slice %" PRId32 " of ",
                  size[0], size[1], size[2], origin[0], origin[1], origin[2], slice->core,
                  slice->core_count, slice->slice);
  torus_print(text, torus);
}

// Numbers with what stands in front of each.
static bool take(const char **at, const char *before, int32_t *out) {
  const size_t length = strlen(before);
  if (strncmp(*at, before, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9') {
    return false;
  }
  char *end = NULL;
  const long value = strtol(*at + length, &end, 10);
  if (value > TORUS_CHIPS_MAX) {
    return false;
  }
  *out = (int32_t)value;
  *at = end;
  return true;
}

// Of what a pod of this size could give.
static bool has_room(const torus_t *torus, const torus_slice_t *slice) {
  const int32_t cores = torus_core_total(torus);
  const int32_t count = slice->core_count > 1 ? slice->core_count : 1;
  bool has = slice->slice < torus_slice_total(torus) && slice->core + count <= cores;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    has = has && slice->size[d] >= 1 && slice->size[d] <= torus->size[d] &&
          slice->origin[d] < torus->size[d];
  }
  return has;
}

bool given_slice_read(const char *text, const torus_t *torus, torus_slice_t *out_slice,
                      bool *out_is_here) {
  torus_slice_t slice;
  const char *at = text;
  if (!take(&at, "", &slice.size[0]) || !take(&at, "x", &slice.size[1]) ||
      !take(&at, "x", &slice.size[2]) || !take(&at, " at ", &slice.origin[0]) ||
      !take(&at, ",", &slice.origin[1]) || !take(&at, ",", &slice.origin[2]) ||
      !take(&at, " core ", &slice.core) || !take(&at, " of ", &slice.core_count) ||
      !take(&at, ", slice ", &slice.slice) || strncmp(at, " of ", 4) != 0) {
    return false;
  }
  pod_text_t here = {0};
  torus_print(&here, torus);
  *out_is_here = strcmp(at + 4, here.bytes) == 0 && has_room(torus, &slice);
  pod_text_deinit(&here);
  *out_slice = slice;
  return true;
}
