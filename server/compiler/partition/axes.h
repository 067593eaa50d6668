// Arithmetic of axis lists: what propagation and partitioning do with the axes of a
// dimension.
//
// Axes of size 1 change nothing and are left out of these lists; a mesh has at most 2^16
// devices, so a tensor is sharded over at most AXES_MAX axes and sub-axes.
//
// Threading: pure. Ownership: axes_t is a value.

#ifndef SERVER_COMPILER_PARTITION_AXES_H_
#define SERVER_COMPILER_PARTITION_AXES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/sharding.h"

enum { AXES_MAX = 16 };

typedef struct axes_t {
  int count;
  axis_ref_t refs[AXES_MAX];  // Major to minor.
} axes_t;

// `*to = *from`, without what is behind the last axis: lists are short, their room is
// not.
static inline void axes_set(axes_t *to, const axes_t *from) {
  to->count = from->count;
  for (int i = 0; i < from->count; i++) {
    to->refs[i] = from->refs[i];
  }
}

// Copies a list without its axes of size 1. A checked sharding's are at most AXES_MAX.
void axes_set_list(axes_t *axes, const axis_list_t *list);
static inline axes_t axes_from_list(const axis_list_t *list) {
  axes_t axes;
  axes_set_list(&axes, list);
  return axes;
}
axis_list_t axes_to_list(pod_arena_t *arena, const axes_t *axes);

int64_t axes_size(const axes_t *axes);
bool axes_equal(const axes_t *a, const axes_t *b);

bool axis_ref_equal(axis_ref_t a, axis_ref_t b);
bool axis_ref_overlaps(axis_ref_t a, axis_ref_t b);
// `a` is a sub-axis of `b`, or `b` itself.
bool axis_ref_within(axis_ref_t a, axis_ref_t b);
// `a` is the major part of `b`, or `b` itself.
bool axis_ref_is_prefix(axis_ref_t a, axis_ref_t b);
bool axes_overlap(const axes_t *a, const axes_t *b);
bool axes_overlap_ref(const axes_t *axes, axis_ref_t ref);

// Sub-axes count: {"a":(1)2} is a prefix of {"a"}. Equal lists are prefixes of each
// other.
bool axes_is_prefix(const axes_t *prefix, const axes_t *axes);
bool axes_is_strict_prefix(const axes_t *prefix, const axes_t *axes);

// Puts `ref` behind; merges it with the last when the two are neighbours in one axis.
void axes_append(axes_t *axes, axis_ref_t ref);
void axes_append_all(axes_t *axes, const axes_t *more);

// The largest major part of `ref` that overlaps none of `axes`. False when there is none.
bool axis_ref_without_overlap(axis_ref_t ref, const axes_t *axes, axis_ref_t *out);

// The longest list that is a prefix of both.
axes_t axes_common_prefix(const axes_t *a, const axes_t *b);

// What follows `prefix` in `axes`; `prefix` must be one.
axes_t axes_behind(const axes_t *axes, const axes_t *prefix);

// Takes axes (parts of axes) from the front of `axes` whose sizes multiply to exactly
// `size`. False when no such cut exists.
bool axes_take(const axes_t *axes, int64_t size, axes_t *out_front, axes_t *out_rest);

// The longest list that is a prefix of `axes` and cuts `size` into equal pieces; the last
// axis may be cut to its major part: of "x"=4 and "y"=2 over 12, {"x"}; over 10,
// {"x":(1)2}.
axes_t axes_dividing(const axes_t *axes, int64_t size);

// Removes from `axes` whatever overlaps `removed`, keeping the parts of sub-axes left
// over.
axes_t axes_without(const axes_t *axes, const axes_t *removed);

#endif  // SERVER_COMPILER_PARTITION_AXES_H_
