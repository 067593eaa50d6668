// A layout is, by dimension, an ordered list of axes, and a set of axes over which
// values are still partial sums. Layouts are interned: equal ones are one address.

#include "server/compiler/partition/layout.h"

#include <stddef.h>

#include "common/base/check.h"

void layouts_init(layouts_t *layouts, pod_arena_t *arena, const mesh_t *mesh) {
  *layouts = (layouts_t){.arena = arena, .mesh = mesh, .known = pod_map_create()};
}

void layouts_deinit(layouts_t *layouts) {
  pod_map_destroy(layouts->known);
}

// What tells layouts apart, as numbers: the reducer, and the axes of every dimension,
// each list ended by -1.
typedef struct layout_key_t {
  size_t count;
  int32_t numbers[1 + (TENSOR_RANK_MAX + 1) * (1 + 3 * AXES_MAX)];
} layout_key_t;

static void add_to_key(layout_key_t *key, const axes_t *axes) {
  for (int i = 0; i < axes->count; i++) {
    const axis_ref_t *ref = &axes->refs[i];
    key->numbers[key->count++] = ref->axis;
    key->numbers[key->count++] = (int32_t)ref->pre_size;
    key->numbers[key->count++] = (int32_t)ref->size;
  }
  key->numbers[key->count++] = -1;
}

// The order in which axes are summed means nothing: a set has one list.
static axes_t in_mesh_order(const axes_t *set) {
  axes_t sorted = *set;
  for (int i = 1; i < sorted.count; i++) {
    const axis_ref_t ref = sorted.refs[i];
    int at = i;
    for (; at > 0 && (sorted.refs[at - 1].axis > ref.axis ||
                      (sorted.refs[at - 1].axis == ref.axis &&
                       sorted.refs[at - 1].pre_size > ref.pre_size));
         at--) {
      sorted.refs[at] = sorted.refs[at - 1];
    }
    sorted.refs[at] = ref;
  }
  axes_t merged = {0};
  axes_append_all(&merged, &sorted);
  return merged;
}

const layout_t *layouts_get(layouts_t *layouts, int rank, const axes_t *dims,
                            const axes_t *unreduced, chip_reducer_t reducer) {
  axes_t set;
  set.count = 0;
  if (unreduced != NULL && unreduced->count > 0) {
    POD_CHECK(reducer != CHIP_REDUCER_NONE);
    set = in_mesh_order(unreduced);
  } else {
    reducer = CHIP_REDUCER_NONE;
  }
  layout_key_t key;
  key.count = 0;
  key.numbers[key.count++] = (int32_t)reducer;
  add_to_key(&key, &set);
  for (int d = 0; d < rank; d++) {
    add_to_key(&key, &dims[d]);
  }
  const char *bytes = (const char *)key.numbers;
  const size_t length = key.count * sizeof(key.numbers[0]);
  layout_t *layout = pod_map_get_n(layouts->known, bytes, length);
  if (layout == NULL) {
    const size_t dims_bytes = (size_t)rank * sizeof(dims[0]);
    layout = pod_arena_alloc(layouts->arena, offsetof(layout_t, dims) + dims_bytes);
    layout->rank = rank;
    layout->reducer = reducer;
    axes_set(&layout->unreduced, &set);
    for (int d = 0; d < rank; d++) {
      axes_set(&layout->dims[d], &dims[d]);
    }
    pod_map_put_n(layouts->known, bytes, length, layout);
  }
  return layout;
}

const layout_t *layouts_replicated(layouts_t *layouts, int rank) {
  static const axes_t none[TENSOR_RANK_MAX] = {{0}};
  if (layouts->replicated[rank] == NULL) {
    layouts->replicated[rank] = layouts_get(layouts, rank, none, NULL, CHIP_REDUCER_NONE);
  }
  return layouts->replicated[rank];
}

const layout_t *layouts_of_sharding(layouts_t *layouts, int rank,
                                    const sharding_t *sharding) {
  if (sharding == NULL) {
    return layouts_replicated(layouts, rank);
  }
  axes_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < rank; d++) {
    axes_set_list(&dims[d], &sharding->dims[d].axes);
  }
  const axes_t unreduced = axes_from_list(&sharding->unreduced);
  return layouts_get(layouts, rank, dims, &unreduced, layouts_reducer(sharding));
}

chip_reducer_t layouts_reducer(const sharding_t *sharding) {
  return sharding->reduction == SHARDING_MAX   ? CHIP_REDUCER_MAXIMUM
         : sharding->reduction == SHARDING_MIN ? CHIP_REDUCER_MINIMUM
                                               : CHIP_REDUCER_ADD;
}

const layout_t *layouts_with_unreduced(layouts_t *layouts, const layout_t *layout,
                                       const axes_t *unreduced, chip_reducer_t reducer) {
  return layouts_get(layouts, layout->rank, layout->dims, unreduced, reducer);
}

sharding_t *layouts_to_sharding(layouts_t *layouts, const layout_t *layout) {
  sharding_t *sharding =
      sharding_replicated(layouts->arena, layouts->mesh, layout->rank, false);
  for (int d = 0; d < layout->rank; d++) {
    sharding->dims[d].axes = axes_to_list(layouts->arena, &layout->dims[d]);
  }
  sharding->unreduced = axes_to_list(layouts->arena, &layout->unreduced);
  sharding->reduction = layout->reducer == CHIP_REDUCER_MAXIMUM   ? SHARDING_MAX
                        : layout->reducer == CHIP_REDUCER_MINIMUM ? SHARDING_MIN
                                                                  : SHARDING_SUM;
  return sharding;
}

tensor_shape_t layout_local_shape(const layout_t *layout, const tensor_shape_t *global) {
  tensor_shape_t local = *global;
  for (int d = 0; d < layout->rank; d++) {
    local.dims[d] /= axes_size(&layout->dims[d]);
  }
  return local;
}

bool layout_divides(const layout_t *layout, const tensor_shape_t *global) {
  for (int d = 0; d < layout->rank; d++) {
    if (global->dims[d] % axes_size(&layout->dims[d]) != 0) {
      return false;
    }
  }
  return true;
}
