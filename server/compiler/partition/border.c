// Devices that have the same block of a value are all as good to take it from, so that
// those who need what they have keep it, and the others are paired in their order.

#include "server/compiler/partition/border.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// --- Who has what ---

// The axes that tell apart what devices have. Of a sum of as many parts as there are
// devices for a block nobody asks who has which part.
static axes_t telling_axes(const layout_t *layout, const mesh_t *mesh) {
  axes_t axes = {0};
  for (int d = 0; d < layout->rank; d++) {
    axes_append_all(&axes, &layout->dims[d]);
  }
  if (axes_size(&axes) * axes_size(&layout->unreduced) < mesh->device_count) {
    axes_append_all(&axes, &layout->unreduced);
  }
  return axes;
}

static bool is_kept(const layout_t *from, const mesh_t *before, const layout_t *to,
                    const mesh_t *after) {
  axes_t had = telling_axes(from, before), needed = telling_axes(to, after);
  const axis_list_t had_list = {had.count, had.refs};
  const axis_list_t needed_list = {needed.count, needed.refs};
  if (had.count == 0) {
    return true;
  }
  for (int64_t p = 0; p < before->device_count; p++) {
    const int64_t device = mesh_device(before, p);
    if (axis_list_index(before, &had_list, device) !=
        axis_list_index(after, &needed_list, device)) {
      return false;
    }
  }
  return true;
}

// For every block a list of the devices that have it and do not need it, by `next`.
typedef struct holders_t {
  int64_t *first, *next;  // By block; by position. -1 ends a list.
} holders_t;

static void fill_pairs(const axis_list_t *had, const mesh_t *before,
                       const axis_list_t *needed, const mesh_t *after, holders_t *holders,
                       int64_t *out_pairs) {
  const int64_t count = before->device_count;
  for (int64_t p = count - 1; p >= 0; p--) {
    const int64_t device = mesh_device(before, p);
    const int64_t block = axis_list_index(before, had, device);
    if (block != axis_list_index(after, needed, device)) {
      holders->next[p] = holders->first[block];
      holders->first[block] = p;
    }
  }
  for (int64_t p = 0; p < count; p++) {
    const int64_t device = mesh_device(before, p);
    const int64_t block = axis_list_index(after, needed, device);
    int64_t source = device;
    if (block != axis_list_index(before, had, device)) {
      const int64_t holder = holders->first[block];
      POD_CHECK(holder >= 0);
      holders->first[block] = holders->next[holder];
      source = mesh_device(before, holder);
    }
    out_pairs[2 * p] = source;
    out_pairs[2 * p + 1] = device;
  }
}

bool border_pairs(const layout_t *from, const mesh_t *before, const layout_t *to,
                  const mesh_t *after, int64_t *out_pairs) {
  axes_t had = telling_axes(from, before), needed = telling_axes(to, after);
  const axis_list_t had_list = {had.count, had.refs};
  const axis_list_t needed_list = {needed.count, needed.refs};
  POD_CHECK(axes_size(&had) == axes_size(&needed));
  const size_t block_count = (size_t)axes_size(&had);
  const size_t device_count = (size_t)before->device_count;
  holders_t holders = {.first = pod_alloc(block_count * sizeof(holders.first[0])),
                       .next = pod_alloc(device_count * sizeof(holders.next[0]))};
  for (size_t b = 0; b < block_count; b++) {
    holders.first[b] = -1;
  }
  fill_pairs(&had_list, before, &needed_list, after, &holders, out_pairs);
  free(holders.first);
  free(holders.next);
  bool any = false;
  for (size_t p = 0; p < device_count; p++) {
    any = any || out_pairs[2 * p] != out_pairs[2 * p + 1];
  }
  return any;
}

// --- Where it costs least ---

// Of a permute of what devices have of a value.
static partition_cost_t permute_cost(const layouts_t *layouts,
                                     const tensor_shape_t *shape,
                                     const layout_t *layout) {
  partition_cost_t cost = {.bytes = (double)tensor_dtype_bytes(shape->dtype),
                           .start_bytes = layouts->start_bytes};
  for (int d = 0; d < shape->rank; d++) {
    cost.bytes *= (double)shape->dims[d] / (double)axes_size(&layout->dims[d]);
  }
  return cost;
}

static void consider(const layouts_t *layouts, const tensor_shape_t *shape,
                     const layout_t *from, const layout_t *to, const mesh_t *before,
                     const mesh_t *after, border_t *other, border_t *best) {
  const partition_cost_t permute = permute_cost(layouts, shape, from);
  if (other->is_merged) {
    partition_cost_add(&other->cost, &permute, -1);
  }
  const int difference = partition_cost_compare(&other->cost, &best->cost);
  if (best->step >= 0 && difference > 0) {
    return;
  }
  if (!is_kept(from, before, to, after)) {
    partition_cost_add(&other->cost, &permute, 1);
  }
  if (best->step < 0 || partition_cost_compare(&other->cost, &best->cost) <= 0) {
    *best = *other;
  }
}

border_t border_find(const layouts_t *layouts, const tensor_shape_t *shape,
                     const layout_t *from, const reshard_plan_t *plan,
                     const mesh_t *before, const mesh_t *after) {
  border_t best = {.step = -1};
  const layout_t *at = from;
  for (int i = 0; i <= plan->count; i++) {
    border_t other = {.step = i, .cost = plan->cost};
    consider(layouts, shape, at, at, before, after, &other, &best);
    if (i == plan->count) {
      break;
    }
    const reshard_step_t *step = &plan->steps[i];
    if (step->kind == RESHARD_PERMUTE) {
      other = (border_t){.step = i, .is_merged = true, .cost = plan->cost};
      consider(layouts, shape, at, step->after, before, after, &other, &best);
    }
    at = step->after;
  }
  return best;
}
