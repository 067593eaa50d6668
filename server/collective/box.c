// Groups as boxes: how far along each axis, and what the axis is like.
//
// A group is a box when its chips are all combinations of the coordinates that occur: the
// whole torus, a slice, a row, half an axis, every other chip of one. Other groups have
// no axes that an algorithm could follow.

#include <string.h>

#include "server/collective/plan.h"

// Coordinates with a chip become a walk that begins behind the widest gap, if the axis
// closes; otherwise at the lowest.
static void walk_axis(const torus_t *torus, const uint8_t *occurs,
                      collective_axis_t *axis, pod_arena_t *arena) {
  const int d = axis->dimension;
  const int32_t length = torus->size[d];
  const bool closes = torus->wraps[d] && length > 2;
  int32_t *at = pod_arena_array(arena, (size_t)axis->size, sizeof(*at));
  int32_t count = 0;
  for (int32_t c = 0; c < length; c++) {
    if (occurs[c] != 0) {
      at[count++] = c;
    }
  }
  int32_t first = 0;
  int32_t widest = 0;
  int32_t narrowest = length;
  for (int32_t i = 0; i < count; i++) {
    const int32_t gap = i == 0 ? at[0] + length - at[count - 1] : at[i] - at[i - 1];
    first = gap > widest ? i : first;
    widest = gap > widest ? gap : widest;
    narrowest = gap < narrowest ? gap : narrowest;
  }
  first = closes ? first : 0;
  axis->coordinates = pod_arena_array(arena, (size_t)axis->size, sizeof(*at));
  axis->indices = pod_arena_array(arena, (size_t)length, sizeof(*at));
  axis->hops = 1;
  for (int32_t i = 0; i < count; i++) {
    axis->coordinates[i] = at[(first + i) % count];
    axis->indices[axis->coordinates[i]] = i;
    const int32_t hops =
        i == 0 ? 1 : (axis->coordinates[i] - axis->coordinates[i - 1] + length) % length;
    axis->hops = hops > axis->hops ? hops : axis->hops;
  }
  if (count == 2) {
    axis->kind = COLLECTIVE_AXIS_PAIR;
  } else if (closes && widest == narrowest) {
    axis->kind = COLLECTIVE_AXIS_RING;
  } else {
    axis->kind = COLLECTIVE_AXIS_LINE;
  }
}

static void find_members(const torus_t *torus, const int64_t *chips, int32_t size,
                         collective_box_t *box, pod_arena_t *arena) {
  int32_t *members = pod_arena_array(arena, (size_t)size, sizeof(*members));
  bool is_identity = true;
  for (int32_t i = 0; i < size; i++) {
    const torus_coords_t coords = torus_coords(torus, (int32_t)chips[i]);
    int32_t position = 0;
    for (int32_t a = 0; a < box->axis_count; a++) {
      const collective_axis_t *axis = &box->axes[a];
      position += axis->indices[coords.at[axis->dimension]] * axis->stride;
    }
    members[position] = i;
    is_identity = is_identity && position == i;
  }
  box->members = is_identity ? NULL : members;
}

collective_box_t collective_box_find(const torus_t *torus, const int64_t *chips,
                                     int32_t size, pod_arena_t *arena) {
  collective_box_t box = {.axis_count = 0};
  uint8_t *occurs[TORUS_DIMENSIONS];
  int32_t sizes[TORUS_DIMENSIONS] = {0};
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    occurs[d] = pod_arena_array(arena, (size_t)torus->size[d], 1);
  }
  const torus_coords_t first = torus_coords(torus, (int32_t)chips[0]);
  for (int32_t i = 0; i < size; i++) {
    const torus_coords_t coords = torus_coords(torus, (int32_t)chips[i]);
    if (coords.slice != first.slice || coords.core != first.core) {
      return box;  // Not on one torus: levels.c has such groups.
    }
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      sizes[d] += occurs[d][coords.at[d]] == 0 ? 1 : 0;
      occurs[d][coords.at[d]] = 1;
    }
  }
  if ((int64_t)sizes[0] * sizes[1] * sizes[2] != size) {
    return box;
  }
  int32_t stride = 1;
  int32_t chip_stride = torus_core_total(torus);
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (sizes[d] > 1) {
      collective_axis_t *axis = &box.axes[box.axis_count++];
      *axis = (collective_axis_t){
          .dimension = d, .size = sizes[d], .stride = stride, .chip_stride = chip_stride};
      walk_axis(torus, occurs[d], axis, arena);
      stride *= sizes[d];
    }
    chip_stride *= torus->size[d];
  }
  find_members(torus, chips, size, &box, arena);
  return box;
}

collective_box_t collective_box_of_order(const collective_plan_t *plan,
                                         collective_axis_kind_t kind) {
  const collective_group_t *group = plan->group;
  const bool is_physical =
      group->order.is_physical && (kind == COLLECTIVE_AXIS_LINE || group->order.closes);
  return (collective_box_t){.axis_count = 1,
                            .axes = {{.kind = kind,
                                      .size = group->size,
                                      .hops = is_physical ? 1 : 2,
                                      .stride = 1}},
                            .members = group->order.order};
}

collective_links_t collective_box_links(const collective_box_t *box, int32_t size) {
  collective_links_t links = {.fewest = 0};
  for (int32_t i = 0; i < box->axis_count; i++) {
    const collective_axis_t *axis = &box->axes[i];
    const bool closes = axis->kind == COLLECTIVE_AXIS_RING;
    if (axis->hops != 1) {
      return (collective_links_t){.fewest = 0};
    }
    links.fewest += closes ? 2 : 1;
    links.all +=
        2 * (int64_t)(size / axis->size) * (closes ? axis->size : axis->size - 1);
  }
  return links;
}
