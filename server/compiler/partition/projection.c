// From the shardings of an operation's tensors to axes of its factors and back: Shardy's
// ShardingProjection.

#include "server/compiler/partition/projection.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/number.h"

void projection_start(projection_t *projection, int tensor_count, int factor_count) {
  const size_t count = (size_t)tensor_count * (size_t)factor_count;
  if (count > projection->capacity) {
    projection->capacity = 2 * count;
    projection->cells =
        pod_grow(projection->cells, projection->capacity, sizeof(projection->cells[0]));
  }
  projection->tensor_count = tensor_count;
  projection->factor_count = factor_count;
  for (size_t i = 0; i < count; i++) {
    projection_cell_t *cell = &projection->cells[i];
    cell->is_present = false;
    cell->is_open = false;
    cell->is_minor_most = false;
    cell->is_alone = false;
    cell->may_be_uneven = cell->may_be_part = false;
    cell->size = 1;
    cell->axes.count = 0;
    cell->overflow.count = 0;
  }
}

void projection_deinit(projection_t *projection) {
  free(projection->cells);
  *projection = (projection_t){0};
}

// Gives `cell` the axes that shard a factor that is not the last of its dimension, and
// takes them from the front of `rest`.
static void take_axes(projection_cell_t *cell, int64_t factor_size, axes_t *rest) {
  int64_t size = factor_size;
  int taken = 0;
  while (taken < rest->count && size > 1) {
    axis_ref_t *ref = &rest->refs[taken];
    const int64_t common = pod_greatest_common_divisor(size, ref->size);
    if (common == 1) {
      break;
    }
    axes_append(&cell->axes, (axis_ref_t){ref->axis, ref->pre_size, common});
    size /= common;
    ref->pre_size *= common;
    ref->size /= common;
    if (ref->size == 1) {
      taken++;
    }
  }
  axes_t left;
  left.count = 0;
  for (int i = taken; i < rest->count; i++) {
    axes_append(&left, rest->refs[i]);
  }
  axes_set(rest, &left);
  if (size > 1 && left.count > 0) {
    axes_set(&cell->overflow, &left);
    rest->count = 0;
  }
}

void projection_set(projection_t *projection, int tensor, const factors_t *factors,
                    const factor_tensor_t *mapping, const tensor_shape_t *shape,
                    const sharding_t *sharding) {
  for (int d = 0; d < mapping->rank; d++) {
    const factor_list_t *list = &mapping->dims[d];
    bool open = sharding->dims[d].is_open;
    if (list->count == 1) {
      projection_cell_t *cell = projection_cell(projection, tensor, list->factors[0]);
      cell->is_present = cell->is_minor_most = cell->is_alone = true;
      cell->is_open = open;
      cell->size = shape->dims[d];
      axes_set_list(&cell->axes, &sharding->dims[d].axes);
      continue;
    }
    axes_t rest = axes_from_list(&sharding->dims[d].axes);
    for (int i = 0; i < list->count; i++) {
      projection_cell_t *cell = projection_cell(projection, tensor, list->factors[i]);
      const int64_t factor_size = factors->factors[list->factors[i]].size;
      cell->is_present = true;
      cell->is_open = open;
      cell->is_minor_most = i == list->count - 1;
      cell->size = factor_size;
      if (cell->is_minor_most) {
        axes_set(&cell->axes, &rest);
      } else {
        take_axes(cell, factor_size, &rest);
        open = open && cell->overflow.count == 0;
      }
    }
  }
}

axes_t projection_dim(const projection_t *projection, int tensor,
                      const factors_t *factors, const factor_tensor_t *mapping, int dim) {
  axes_t axes;
  axes.count = 0;
  const factor_list_t *list = &mapping->dims[dim];
  for (int i = 0; i < list->count; i++) {
    const projection_cell_t *cell = projection_cell(projection, tensor, list->factors[i]);
    axes_append_all(&axes, &cell->axes);
    axes_append_all(&axes, &cell->overflow);
    if (cell->overflow.count > 0 ||
        axes_size(&cell->axes) < factors->factors[list->factors[i]].size) {
      break;
    }
  }
  return axes;
}
