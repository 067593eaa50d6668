// One step along an axis is a stride in the row-major positions of the other mesh. Where
// the stride stays the same for a while the axis is, that far, the part of the other
// mesh's axes that has this stride and this many devices; where it changes another part
// begins. What is found is checked for every device, so that no case has to be thought of
// that is not a product of axes.

#include "server/compiler/partition/mesh_translate.h"

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
