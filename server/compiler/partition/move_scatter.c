// Select_and_scatter on shards of its operand: the windows that touch a shard come from
// all that hold them, and see all that they look at. Windows that no shard of the source
// has scatter zeros; what is beyond the ends of the array they must not select, though a
// window of infinities would, so that the operation is told where these are.

#include "server/compiler/partition/move_parts.h"

#include <string.h>

#include "common/base/number.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"

bool move_scatter_want(partitioner_t *partitioner, const mlir_op_t *op, int index,
                       int dim, halo_t *halo) {
  const chip_window_t window = move_window_of(partitioner, op);
  const int64_t stride = window.strides[dim], size = window.sizes[dim];
  const int64_t low = window.low[dim];
  const int64_t shards = halo->shards;
  const int64_t part = value_shape(op->operands[0])->dims[dim] / shards;
  if (part % stride != 0 || window.window_dilations[dim] != 1 ||
      compiler_region_reducer(op, 1) != CHIP_REDUCER_ADD ||
      !partition_is_identity_of(CHIP_REDUCER_ADD, op->operands[2])) {
    return false;
  }
  // Windows begin alike in all shards.
  const int64_t first = pod_divide_up(low + 1 - size, stride);
  const int64_t last = pod_divide_down(part - 1 + low, stride);
  const int64_t start = first * stride - low;
  if (start > 0 || last < first) {
    return false;
  }
  halo->step = part / stride;
  halo->start = first;
  halo->length = last - first + 1;
  if (index == 0) {
    const int64_t seen = (halo->length - 1) * stride + size;
    halo->step = part;
    halo->start = start;
    halo->length = seen > part - start ? seen : part - start;
  }
  return true;
}

void move_scatter_bounds(partitioner_t *partitioner, const mlir_op_t *op,
                         const halo_t *halos, mlir_op_t *local) {
  const chip_window_t window = move_window_of(partitioner, op);
  const tensor_shape_t *shape = value_shape(local->operands[0]);
  chip_window_t inner = move_window_of(partitioner, local);
  bool sees_padding = false;
  for (int d = 0; d < shape->rank; d++) {
    if (halos[d].shards > 0) {
      sees_padding = sees_padding || window.low[d] != 0 || window.high[d] != 0;
      inner.low[d] = inner.high[d] = 0;
    }
  }
  if (!sees_padding) {
    return;
  }
  stablehlo_set_padding(partitioner->module, local, &inner);
  mlir_module_t *module = partitioner->module;
  mlir_value_t **operands =
      pod_arena_array(module->arena, 3 + 2 * (size_t)shape->rank, sizeof(operands[0]));
  memcpy((void *)operands, (void *)local->operands, 3 * sizeof(operands[0]));
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  for (int d = 0; d < shape->rank; d++) {
    const halo_t *halo = &halos[d];
    if (halo->shards == 0) {
      operands[3 + 2 * d] = partition_emit_splat(partitioner, &scalar, 0);
      operands[4 + 2 * d] = partition_emit_splat(partitioner, &scalar, shape->dims[d]);
      continue;
    }
    int64_t *bounds = pod_arena_array(partitioner->shardings.arena,
                                      2 * (size_t)halo->shards, sizeof(bounds[0]));
    for (int64_t i = 0; i < halo->shards; i++) {
      bounds[i] = -(i * halo->step + halo->start);
      bounds[halo->shards + i] = bounds[i] + halo->limit;
    }
    operands[3 + 2 * d] = partition_emit_lookup(partitioner, &halo->axes, bounds);
    operands[4 + 2 * d] =
        partition_emit_lookup(partitioner, &halo->axes, bounds + halo->shards);
  }
  local->operands = operands;
  local->operand_count = 3 + 2 * shape->rank;
}
