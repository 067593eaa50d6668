// Axes and sub-axes as digits of the device number in mixed radix: intersections,
// prefixes and what is left are arithmetic on strides.

#include "server/compiler/partition/axes.h"

#include "common/base/check.h"
#include "common/base/number.h"

void axes_set_list(axes_t *axes, const axis_list_t *list) {
  axes->count = 0;
  for (int i = 0; i < list->count; i++) {
    axes_append(axes, list->refs[i]);  // Leaves those of size 1 out.
  }
}

axis_list_t axes_to_list(pod_arena_t *arena, const axes_t *axes) {
  return (axis_list_t){
      .count = axes->count,
      .refs =
          pod_arena_copy(arena, axes->refs, (size_t)axes->count * sizeof(axes->refs[0]))};
}

int64_t axes_size(const axes_t *axes) {
  int64_t size = 1;
  for (int i = 0; i < axes->count; i++) {
    size *= axes->refs[i].size;
  }
  return size;
}

bool axis_ref_equal(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && a.pre_size == b.pre_size && a.size == b.size;
}

bool axes_equal(const axes_t *a, const axes_t *b) {
  if (a->count != b->count) {
    return false;
  }
  for (int i = 0; i < a->count; i++) {
    if (!axis_ref_equal(a->refs[i], b->refs[i])) {
      return false;
    }
  }
  return true;
}

bool axis_ref_overlaps(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && a.pre_size < b.pre_size * b.size &&
         b.pre_size < a.pre_size * a.size;
}

bool axis_ref_within(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && b.pre_size <= a.pre_size &&
         a.pre_size * a.size <= b.pre_size * b.size;
}

bool axis_ref_is_prefix(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && a.pre_size == b.pre_size && b.size % a.size == 0;
}

bool axes_overlap_ref(const axes_t *axes, axis_ref_t ref) {
  for (int i = 0; i < axes->count; i++) {
    if (axis_ref_overlaps(axes->refs[i], ref)) {
      return true;
    }
  }
  return false;
}

bool axes_overlap(const axes_t *a, const axes_t *b) {
  for (int i = 0; i < b->count; i++) {
    if (axes_overlap_ref(a, b->refs[i])) {
      return true;
    }
  }
  return false;
}

bool axes_is_prefix(const axes_t *prefix, const axes_t *axes) {
  if (prefix->count > axes->count) {
    return false;
  }
  for (int i = 0; i < prefix->count; i++) {
    const bool last = i == prefix->count - 1;
    if (last ? !axis_ref_is_prefix(prefix->refs[i], axes->refs[i])
             : !axis_ref_equal(prefix->refs[i], axes->refs[i])) {
      return false;
    }
  }
  return true;
}

bool axes_is_strict_prefix(const axes_t *prefix, const axes_t *axes) {
  return axes_is_prefix(prefix, axes) && !axes_equal(prefix, axes);
}

void axes_append(axes_t *axes, axis_ref_t ref) {
  if (ref.size == 1) {
    return;
  }
  if (axes->count > 0) {
    axis_ref_t *last = &axes->refs[axes->count - 1];
    if (last->axis == ref.axis && last->pre_size * last->size == ref.pre_size) {
      last->size *= ref.size;
      return;
    }
  }
  POD_CHECK(axes->count < AXES_MAX);
  axes->refs[axes->count++] = ref;
}

void axes_append_all(axes_t *axes, const axes_t *more) {
  for (int i = 0; i < more->count; i++) {
    axes_append(axes, more->refs[i]);
  }
}

// Whether two that do not overlap are parts of one factorisation of their axis: of 6,
// (1)2 and (3)2 are not.
static bool fit_together(axis_ref_t a, axis_ref_t b) {
  const axis_ref_t low = a.pre_size < b.pre_size ? a : b;
  const int64_t behind = a.pre_size < b.pre_size ? b.pre_size : a.pre_size;
  return a.axis != b.axis || behind % (low.pre_size * low.size) == 0;
}

bool axis_ref_without_overlap(axis_ref_t ref, const axes_t *axes, axis_ref_t *out) {
  for (int i = 0; i < axes->count; i++) {
    const axis_ref_t other = axes->refs[i];
    if (!axis_ref_overlaps(ref, other)) {
      if (!fit_together(ref, other)) {
        return false;
      }
      continue;
    }
    if (other.pre_size <= ref.pre_size || other.pre_size % ref.pre_size != 0 ||
        ref.size % (other.pre_size / ref.pre_size) != 0) {
      return false;
    }
    ref.size = other.pre_size / ref.pre_size;
  }
  *out = ref;
  return true;
}

axes_t axes_common_prefix(const axes_t *a, const axes_t *b) {
  axes_t prefix;
  prefix.count = 0;
  for (int i = 0; i < a->count && i < b->count; i++) {
    const axis_ref_t x = a->refs[i], y = b->refs[i];
    if (x.axis != y.axis || x.pre_size != y.pre_size) {
      break;
    }
    const int64_t size = pod_greatest_common_divisor(x.size, y.size);
    axes_append(&prefix,
                (axis_ref_t){.axis = x.axis, .pre_size = x.pre_size, .size = size});
    if (x.size != y.size) {
      break;
    }
  }
  return prefix;
}

axes_t axes_behind(const axes_t *axes, const axes_t *prefix) {
  POD_CHECK(axes_is_prefix(prefix, axes));
  axes_t behind;
  behind.count = 0;
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    if (i < prefix->count) {
      ref.pre_size *= prefix->refs[i].size;
      ref.size /= prefix->refs[i].size;
    }
    axes_append(&behind, ref);
  }
  return behind;
}

bool axes_take(const axes_t *axes, int64_t size, axes_t *out_front, axes_t *out_rest) {
  axes_t front, rest;
  front.count = rest.count = 0;
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    if (size > 1) {
      const int64_t taken = pod_greatest_common_divisor(size, ref.size);
      if (taken != ref.size && taken != size) {
        return false;
      }
      axes_append(&front, (axis_ref_t){ref.axis, ref.pre_size, taken});
      size /= taken;
      ref.pre_size *= taken;
      ref.size /= taken;
    }
    axes_append(&rest, ref);
  }
  if (size != 1) {
    return false;
  }
  *out_front = front;
  *out_rest = rest;
  return true;
}

axes_t axes_without(const axes_t *axes, const axes_t *removed) {
  axes_t kept;
  kept.count = 0;
  for (int i = 0; i < axes->count; i++) {
    const axis_ref_t ref = axes->refs[i];
    const int64_t end = ref.pre_size * ref.size;
    int64_t start = ref.pre_size;
    while (start < end) {
      // The nearest removed part at or behind `start`.
      int64_t cut = end, resume = end;
      for (int j = 0; j < removed->count; j++) {
        const axis_ref_t other = removed->refs[j];
        const int64_t other_end = other.pre_size * other.size;
        if (axis_ref_overlaps(ref, other) && other_end > start && other.pre_size < cut) {
          cut = other.pre_size < start ? start : other.pre_size;
          resume = other_end < end ? other_end : end;
        }
      }
      if (cut > start && cut % start == 0) {
        axes_append(&kept, (axis_ref_t){ref.axis, start, cut / start});
      }
      start = resume > cut ? resume : end;
    }
  }
  return kept;
}

axes_t axes_dividing(const axes_t *axes, int64_t size) {
  axes_t dividing;
  dividing.count = 0;
  int64_t left = size;
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    const int64_t whole = ref.size;
    ref.size = pod_greatest_common_divisor(left, whole);
    if (ref.size > 1) {
      axes_append(&dividing, ref);
    }
    if (ref.size < whole) {
      break;
    }
    left /= ref.size;
  }
  return dividing;
}
