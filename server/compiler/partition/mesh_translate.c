// One step along an axis is a stride in the row-major positions of the other mesh. Where
// the stride stays the same for a while the axis is, that far, the part of the other
// mesh's axes that has this stride and this many devices; where it changes another part
// begins. What is found is checked for every device, so that no case has to be thought of
// that is not a product of axes.

#include "server/compiler/partition/mesh_translate.h"

#include "common/base/number.h"

// Puts the parts of the mesh's axes whose strides are in [stride, stride * size) behind
// `*count` others, minor to major.
static bool find_parts(const mesh_t *mesh, int64_t stride, int64_t size, int *count,
                       axis_ref_t *parts) {
  int64_t axis_stride = 1;
  for (int a = mesh->axis_count - 1; a >= 0; a--) {
    const int64_t axis_end = axis_stride * mesh->axes[a].size;
    const int64_t low = stride > axis_stride ? stride : axis_stride;
    const int64_t high = stride * size < axis_end ? stride * size : axis_end;
    if (low < high) {
      if (low % axis_stride != 0 || axis_end % high != 0 || high % low != 0 ||
          *count == AXES_MAX) {
        return false;
      }
      parts[(*count)++] = (axis_ref_t){a, axis_end / high, high / low};
    }
    axis_stride = axis_end;
  }
  return true;
}

static int64_t stride_of(const mesh_t *mesh, axis_ref_t ref) {
  int64_t stride = mesh->axes[ref.axis].size / (ref.pre_size * ref.size);
  for (int a = ref.axis + 1; a < mesh->axis_count; a++) {
    stride *= mesh->axes[a].size;
  }
  return stride;
}

// The position in `to` of the device that is at `index` along `ref`, and at 0 otherwise.
static int64_t position_at(const mesh_t *from, axis_ref_t ref, const mesh_t *to,
                           int64_t index) {
  return mesh_position(to, mesh_device(from, index * stride_of(from, ref)));
}

// How many steps of `step` devices from the first are the same stride: a divisor of what
// is left of the axis, at least 1.
static int64_t even_steps(const mesh_t *from, axis_ref_t ref, const mesh_t *to,
                          int64_t step) {
  const int64_t first = position_at(from, ref, to, 0);
  const int64_t stride = position_at(from, ref, to, step) - first;
  int64_t even = 1;
  while (even * step < ref.size &&
         position_at(from, ref, to, even * step) - first == even * stride) {
    even++;
  }
  while (ref.size / step % even != 0) {
    even--;
  }
  return even;
}

static bool is_same_place(const mesh_t *from, axis_ref_t ref, const mesh_t *to,
                          axes_t *axes) {
  const axis_list_t list = {axes->count, axes->refs};
  for (int64_t p = 0; p < from->device_count; p++) {
    const int64_t device = mesh_device(from, p);
    if (mesh_position(to, device) < 0 ||
        mesh_index_along(from, device, ref) != axis_list_index(to, &list, device)) {
      return false;
    }
  }
  return true;
}

bool mesh_translate(const mesh_t *from, axis_ref_t ref, const mesh_t *to,
                    axes_t *out_axes) {
  out_axes->count = 0;
  if (ref.size == 1) {  // Divides nothing, whatever the devices are.
    return true;
  }
  if (from->device_count != to->device_count) {
    return false;
  }
  axis_ref_t parts[AXES_MAX];
  int count = 0;
  for (int64_t step = 1; step < ref.size;) {
    const int64_t stride =
        position_at(from, ref, to, step) - position_at(from, ref, to, 0);
    const int64_t even = even_steps(from, ref, to, step);
    if (even < 2 || stride < 1 || !find_parts(to, stride, even, &count, parts)) {
      return false;
    }
    step *= even;
  }
  while (count > 0) {
    axes_append(out_axes, parts[--count]);
  }
  return is_same_place(from, ref, to, out_axes);
}

// --- Other names for the devices ---

static axes_t all_axes(const mesh_t *mesh) {
  axes_t axes = {0};
  for (int a = 0; a < mesh->axis_count; a++) {
    axes_append(&axes, (axis_ref_t){a, 1, mesh->axes[a].size});
  }
  return axes;
}

// Finds for the axes of `from` those that they are made of as they stand, and takes them
// from `pool`. Of the others the lists are empty. How many there are.
static int claim(const mesh_t *from, const mesh_t *to, axes_t *pool, axes_t *parts) {
  int count = 0;
  for (int a = 0; a < from->axis_count; a++) {
    if (from->axes[a].size == 1 ||
        !mesh_translate(from, (axis_ref_t){a, 1, from->axes[a].size}, to, &parts[a])) {
      parts[a].count = 0;
      continue;
    }
    *pool = axes_without(pool, &parts[a]);
    count++;
  }
  return count;
}

// Takes parts from `pool` whose sizes multiply to `size`. False when there are none.
static bool carve(axes_t *pool, int64_t size, axes_t *out) {
  axes_t rest = {0};
  out->count = 0;
  for (int i = 0; i < pool->count; i++) {
    const axis_ref_t ref = pool->refs[i];
    const int64_t taken = pod_greatest_common_divisor(size, ref.size);
    axes_append(out, (axis_ref_t){ref.axis, ref.pre_size, taken});
    axes_append(&rest, (axis_ref_t){ref.axis, ref.pre_size * taken, ref.size / taken});
    size /= taken;
  }
  *pool = rest;
  return size == 1;
}

// The position in `mesh` of what is at `index` along `axes`, and at 0 otherwise.
static int64_t position_along(const mesh_t *mesh, const axes_t *axes, int64_t index) {
  int64_t position = 0;
  for (int i = axes->count - 1; i >= 0; i--) {
    const axis_ref_t ref = axes->refs[i];
    position += index % ref.size * stride_of(mesh, ref);
    index /= ref.size;
  }
  return position;
}

static bool with_ids(pod_arena_t *arena, const mesh_t *mesh, const int64_t *ids,
                     const mesh_t **out_mesh) {
  const pod_status_t status =
      mesh_make(arena, mesh->name, mesh->axis_count, mesh->axes, ids, out_mesh);
  const bool is_made = status == NULL;
  pod_status_free(status);
  return is_made;
}

bool mesh_relabel(pod_arena_t *arena, const mesh_t *from, const mesh_t *to,
                  const mesh_t **out_mesh) {
  if (from->device_count != to->device_count ||
      mesh_id_limit(from) != mesh_id_limit(to)) {
    return false;
  }
  axes_t parts[SHARDING_AXES_MAX];
  axes_t pool = all_axes(to);
  if (claim(from, to, &pool, parts) == 0) {
    const mesh_t *in_order;
    if (!with_ids(arena, from, to->device_ids, &in_order)) {
      return false;
    }
    claim(in_order, to, &pool, parts);
  }
  for (int a = 0; a < from->axis_count; a++) {
    if (parts[a].count == 0 && !carve(&pool, from->axes[a].size, &parts[a])) {
      return false;
    }
  }
  int64_t *ids = pod_arena_array(arena, (size_t)from->device_count, sizeof(ids[0]));
  for (int64_t p = 0; p < from->device_count; p++) {
    int64_t rest = p, position = 0;
    for (int a = from->axis_count - 1; a >= 0; a--) {
      position += position_along(to, &parts[a], rest % from->axes[a].size);
      rest /= from->axes[a].size;
    }
    ids[p] = mesh_device(to, position);
  }
  return with_ids(arena, from, ids, out_mesh);
}
