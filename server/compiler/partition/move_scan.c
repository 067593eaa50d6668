// Cumulative sums (products, maxima …) along a sharded dimension: a reduce_window whose
// window reaches from every element to the first one, or to the last. Every chip scans
// its shard, and combines with it what the shards before come to.

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/move_parts.h"

static const char *combining_op(chip_reducer_t reducer) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return "stablehlo.add";
    case CHIP_REDUCER_MULTIPLY:
      return "stablehlo.multiply";
    case CHIP_REDUCER_MAXIMUM:
      return "stablehlo.maximum";
    case CHIP_REDUCER_MINIMUM:
      return "stablehlo.minimum";
    default:
      return NULL;
  }
}

bool move_is_scan(partitioner_t *partitioner, const mlir_op_t *op, int dim) {
  if (op->kind != CHIP_OP_REDUCE_WINDOW || op->operand_count != 2) {
    return false;
  }
  const chip_window_t window = move_window_of(partitioner, op);
  const int64_t size = value_shape(op->operands[0])->dims[dim];
  const chip_reducer_t reducer = compiler_reducer(op);
  const bool adds_up = reducer == CHIP_REDUCER_ADD || reducer == CHIP_REDUCER_MULTIPLY;
  return combining_op(reducer) != NULL &&
         (!adds_up || partition_is_identity_of(reducer, op->operands[1])) &&
         window.sizes[dim] == size && window.strides[dim] == 1 &&
         window.base_dilations[dim] == 1 && window.window_dilations[dim] == 1 &&
         ((window.low[dim] == size - 1 && window.high[dim] == 0) ||
          (window.low[dim] == 0 && window.high[dim] == size - 1));
}

void move_scan_localize(partitioner_t *partitioner, int dim, mlir_op_t *local) {
  chip_window_t window = move_window_of(partitioner, local);
  const int64_t size = value_shape(local->operands[0])->dims[dim];
  window.sizes[dim] = size;
  window.low[dim] = window.low[dim] > 0 ? size - 1 : 0;
  window.high[dim] = window.high[dim] > 0 ? size - 1 : 0;
  partition_emit_i64s(partitioner, local, "window_dimensions", window.rank, window.sizes);
  stablehlo_set_padding(partitioner->module, local, &window);
}

// What the shards before this one come to, of what all come to; those behind it count as
// the initial value.
static mlir_value_t *emit_before(partitioner_t *partitioner, const mlir_op_t *local,
                                 mlir_value_t *totals, int dim, const axes_t *axes,
                                 bool is_forward) {
  mlir_module_t *module = partitioner->module;
  tensor_shape_t shape = *value_shape(totals);
  mlir_value_t *place = partition_emit_place(partitioner, axes, 1);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  mlir_value_t *index = partition_emit_index(
      partitioner, &shape, dim, partition_emit_splat(partitioner, &scalar, 0));
  mlir_value_t *is_before =
      partition_emit_compare(partitioner, index, is_forward ? "LT" : "GT",
                             partition_emit_broadcast(partitioner, place, &shape));
  mlir_value_t *initial = local->operands[1];
  mlir_value_t *operands[] = {NULL, initial};
  operands[0] =
      partition_emit_select(partitioner, is_before, totals,
                            partition_emit_broadcast(partitioner, initial, &shape));
  for (int d = dim; d + 1 < shape.rank; d++) {
    shape.dims[d] = shape.dims[d + 1];
  }
  shape = tensor_shape_make(shape.dtype, shape.rank - 1, shape.dims);
  mlir_op_t *reduce =
      partition_emit_create(partitioner, "stablehlo.reduce", 2, operands, &shape, 1);
  const int64_t reduced = dim;
  partition_emit_i64s(partitioner, reduce, "dimensions", 1, &reduced);
  compiler_build_reducer(module, reduce, compiler_reducer(local), shape.dtype);
  return partition_emit_into(partitioner, partitioner->block, reduce);
}

mlir_value_t *move_scan_finish(partitioner_t *partitioner, const mlir_op_t *op,
                               const mlir_op_t *local, mlir_value_t *scanned, int dim,
                               const axes_t *axes) {
  const tensor_shape_t *shape = value_shape(scanned);
  const bool is_forward = move_window_of(partitioner, op).high[dim] == 0;
  const int64_t last = is_forward ? shape->dims[dim] - 1 : 0;
  mlir_value_t *total = partition_emit_rows(partitioner, scanned, dim, last, last + 1);
  mlir_value_t *totals = partition_emit_gather(partitioner, total, dim, axes);
  mlir_value_t *before = emit_before(partitioner, local, totals, dim, axes, is_forward);
  int64_t places[TENSOR_RANK_MAX];
  for (int d = 0; d + 1 < shape->rank; d++) {
    places[d] = d < dim ? d : d + 1;
  }
  mlir_op_t *spread = partition_emit_create(partitioner, "stablehlo.broadcast_in_dim", 1,
                                            &before, shape, 0);
  partition_emit_i64s(partitioner, spread, "broadcast_dimensions", shape->rank - 1,
                      places);
  mlir_value_t *operands[] = {
      scanned, partition_emit_into(partitioner, partitioner->block, spread)};
  return partition_emit_op(partitioner, combining_op(compiler_reducer(local)), 2,
                           operands, shape);
}
