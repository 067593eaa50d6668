// Operations that move elements along a dimension, on shards of that dimension: by
// exchange. What picks and updates elements is in move_index.c.

#include "server/compiler/partition/move.h"

#include "common/base/check.h"
#include "common/base/number.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/constant.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/halo.h"
#include "server/compiler/partition/move_parts.h"

// What one operand has exchanged along one dimension, and how the local operation looks
// at what it gets.
typedef struct exchange_t {
  halo_t halo;
  int64_t low, high;  // Padding that is left to the local operation.
} exchange_t;

// --- What is wanted ---

int move_dim_of(const factor_tensor_t *tensor, int factor) {
  for (int d = 0; d < tensor->rank; d++) {
    if (tensor->dims[d].count == 1 && tensor->dims[d].factors[0] == factor) {
      return d;
    }
  }
  return -1;
}

// An array whose elements lie `dilation` apart, seen through an interval of `length`
// places that begins at `start` and advances by `step`. False when shards do not begin
// alike.
static bool want_dilated(int64_t start, int64_t step, int64_t length, int64_t dilation,
                         exchange_t *exchange) {
  if (step % dilation != 0) {
    return false;
  }
  exchange->halo.step = step / dilation;
  exchange->halo.start = pod_divide_up(start, dilation);
  exchange->low = exchange->halo.start * dilation - start;
  if (exchange->low >= length) {
    return false;
  }
  exchange->halo.length = (length - 1 - exchange->low) / dilation + 1;
  exchange->high = length - exchange->low - ((exchange->halo.length - 1) * dilation + 1);
  return true;
}

static bool want_window(const chip_window_t *window, int d, int64_t places,
                        exchange_t *exchange) {
  const int64_t stride = window->strides[d];
  const int64_t length =
      (places - 1) * stride + (window->sizes[d] - 1) * window->window_dilations[d] + 1;
  return want_dilated(-window->low[d], places * stride, length, window->base_dilations[d],
                      exchange);
}

static bool want_pad(const mlir_op_t *op, int dim, int64_t part, exchange_t *exchange) {
  int64_t low[TENSOR_RANK_MAX], interior[TENSOR_RANK_MAX];
  factors_attr(op, "edge_padding_low", TENSOR_RANK_MAX, low);
  factors_attr(op, "interior_padding", TENSOR_RANK_MAX, interior);
  return want_dilated(-low[dim], part, part, interior[dim] + 1, exchange);
}

static bool want_slice(const mlir_op_t *op, int dim, int64_t part, exchange_t *exchange) {
  int64_t starts[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(op, "start_indices", TENSOR_RANK_MAX, starts);
  factors_attr(op, "strides", TENSOR_RANK_MAX, strides);
  exchange->halo.step = part * strides[dim];
  exchange->halo.start = starts[dim];
  exchange->halo.length = (part - 1) * strides[dim] + 1;
  return true;
}

// Where operand `index` of a concatenation begins.
static int64_t joined_start(const mlir_op_t *op, int index, int dim) {
  int64_t start = 0;
  for (int i = 0; i < index; i++) {
    start += value_shape(op->operands[i])->dims[dim];
  }
  return start;
}

// The spatial dimension that `dim` of the left operand is; -1 for others.
static int spatial_of(const chip_convolution_t *convolution, int dim) {
  for (int d = 0; d < convolution->window.rank; d++) {
    if (convolution->input[2 + d] == dim) {
      return d;
    }
  }
  return -1;
}

chip_window_t move_window_of(partitioner_t *partitioner, const mlir_op_t *op) {
  chip_window_t window;
  pod_status_t status = stablehlo_window(partitioner->source, op,
                                         value_shape(op->operands[0])->rank, &window);
  POD_CHECK(status == NULL);  // It is verified.
  return window;
}

static chip_convolution_t convolution_of(partitioner_t *partitioner,
                                         const mlir_op_t *op) {
  chip_convolution_t convolution;
  pod_status_t status = stablehlo_convolution(partitioner->source, op,
                                              value_shape(op->operands[1]), &convolution);
  POD_CHECK(status == NULL);
  return convolution;
}

// What operand `index` has exchanged along dimension `dim` of it. `part` is what a shard
// has of the dimension of the result. False: the operation cannot work so.
static bool want(partitioner_t *partitioner, const mlir_op_t *op, int index, int dim,
                 int64_t part, exchange_t *exchange) {
  chip_window_t window;
  chip_convolution_t convolution;
  halo_t *halo = &exchange->halo;
  switch (op->kind) {
    case CHIP_OP_SLICE:
      return want_slice(op, dim, part, exchange);
    case CHIP_OP_PAD:
      return want_pad(op, dim, part, exchange);
    case CHIP_OP_REVERSE:
      halo->step = -part;
      halo->start = halo->limit - part;
      halo->length = part;
      return true;
    case CHIP_OP_CONCATENATE:
      halo->step = part;
      halo->start = -joined_start(op, index, dim);
      halo->length = part;
      return true;
    case CHIP_OP_REDUCE_WINDOW:
      window = move_window_of(partitioner, op);
      return want_window(&window, dim, part, exchange);
    case CHIP_OP_SELECT_AND_SCATTER:
      return move_scatter_want(partitioner, op, index, dim, halo);
    case CHIP_OP_CONVOLUTION:
      convolution = convolution_of(partitioner, op);
      return want_window(&convolution.window, spatial_of(&convolution, dim), part,
                         exchange);
    default:
      return false;
  }
}

// What operand `index` has exchanged for `factor`. False in `*out_takes_part`: nothing.
static bool exchange_of(partitioner_t *partitioner, const mlir_op_t *op,
                        const factors_t *factors, int index, int factor,
                        const axes_t *axes, exchange_t *out, bool *out_takes_part) {
  const int dim = move_dim_of(&factors->operands[index], factor);
  const int to_dim = move_dim_of(&factors->results[0], factor);
  *out_takes_part = dim >= 0 && to_dim >= 0;
  if (!*out_takes_part) {
    return true;
  }
  const int64_t size = value_shape(op->operands[index])->dims[dim];
  const int64_t shards = axes_size(axes);
  const int64_t to_size = value_shape(&op->results[0])->dims[to_dim];
  *out = (exchange_t){.halo = {.dim = dim,
                               .axes = *axes,
                               .shards = shards,
                               .shard_size = size / shards,
                               .limit = size}};
  return size < INT32_MAX / 2 && to_size < INT32_MAX / 2 &&
         want(partitioner, op, index, dim, to_size / shards, out);
}

static bool is_scan(partitioner_t *partitioner, const mlir_op_t *op,
                    const factors_t *factors, int factor) {
  return move_is_scan(partitioner, op, move_dim_of(&factors->operands[0], factor));
}

static bool allows_exchange(partitioner_t *partitioner, const mlir_op_t *op,
                            const factors_t *factors, int factor, const axes_t *axes) {
  if (is_scan(partitioner, op, factors, factor)) {
    return true;
  }
  int rounds = 0;
  for (int i = 0; i < op->operand_count; i++) {
    exchange_t exchange;
    halo_plan_t plan;
    bool takes_part;
    if (!exchange_of(partitioner, op, factors, i, factor, axes, &exchange, &takes_part)) {
      return false;
    }
    if (takes_part) {
      if (!halo_plan(partitioner->shardings.arena, &exchange.halo, &plan)) {
        return false;
      }
      rounds += plan.round_count;
    }
  }
  return rounds <= HALO_ROUNDS_MAX;
}

bool move_allows(partitioner_t *partitioner, const mlir_op_t *op,
                 const factors_t *factors, int factor, const axes_t *axes) {
  switch (op->kind) {
    case CHIP_OP_SLICE:
    case CHIP_OP_PAD:
    case CHIP_OP_REVERSE:
    case CHIP_OP_CONCATENATE:
    case CHIP_OP_REDUCE_WINDOW:
    case CHIP_OP_CONVOLUTION:
    case CHIP_OP_SELECT_AND_SCATTER:
      return allows_exchange(partitioner, op, factors, factor, axes);
    case CHIP_OP_REDUCE:
    case CHIP_OP_SORT:
    case CHIP_OP_TOP_K:
      return move_twice_allows(op, factors, factor, axes);
    default:
      return move_index_allows(op, factors, factor);
  }
}

static bool is_exchanged(const factors_t *factors, int factor, const axes_t *axes) {
  return factors->factors[factor].kind == FACTOR_PERMUTATION && axes[factor].count > 0;
}

// Of one element of dimension `dim`, all that a chip has along the others when it is
// exchanged: a slice is cut along these before.
static double row_bytes(partitioner_t *partitioner, const mlir_op_t *op, int operand,
                        int dim, const factors_t *factors, const axes_t *axes) {
  const layout_t *layout = partition_choice_layout(
      partitioner, &factors->operands[operand], axes, NULL, CHIP_REDUCER_NONE);
  const tensor_shape_t *shape = value_shape(op->operands[operand]);
  tensor_shape_t cut = *shape;
  for (int d = 0; d < shape->rank; d++) {
    const int64_t shards = axes_size(&layout->dims[d]);
    cut.dims[d] = shape->dims[d] / shards;
    if (op->kind == CHIP_OP_SLICE) {
      cut.dims[d] = value_shape(&op->results[0])->dims[d] / shards;
    }
  }
  cut.dims[dim] = 1;
  return (double)tensor_shape_bytes(&cut);
}

partition_cost_t move_cost(partitioner_t *partitioner, const mlir_op_t *op,
                           const factors_t *factors, const axes_t *axes) {
  const double start_bytes = partitioner->layouts.start_bytes;
  partition_cost_t cost = {0};
  if (move_is_twice(op)) {
    return move_twice_cost(partitioner, op, factors, axes);
  }
  for (int f = 0; f < factors->factor_count; f++) {
    if (!is_exchanged(factors, f, axes)) {
      continue;
    }
    if (is_scan(partitioner, op, factors, f)) {
      const int dim = move_dim_of(&factors->operands[0], f);
      cost.bytes += row_bytes(partitioner, op, 0, dim, factors, axes) *
                    (double)(axes_size(&axes[f]) - 1);
      cost.start_bytes += start_bytes;
      continue;
    }
    for (int i = 0; i < op->operand_count; i++) {
      exchange_t exchange;
      halo_plan_t plan;
      bool takes_part;
      if (exchange_of(partitioner, op, factors, i, f, &axes[f], &exchange, &takes_part) &&
          takes_part && halo_plan(partitioner->shardings.arena, &exchange.halo, &plan)) {
        cost.bytes += (double)plan.received *
                      row_bytes(partitioner, op, i, exchange.halo.dim, factors, axes);
        cost.start_bytes += plan.round_count * start_bytes;
      }
    }
  }
  return cost;
}

// --- Writing ---

// What lies beyond the operand's ends; NULL: nothing is looked at there, or what is
// there already.
static mlir_value_t *outside_of(partitioner_t *partitioner, const mlir_op_t *op,
                                const mlir_op_t *local, int index,
                                const halo_plan_t *plan) {
  const bool is_scattered = op->kind == CHIP_OP_SELECT_AND_SCATTER && index == 1;
  const int value = op->kind == CHIP_OP_PAD             ? 1
                    : op->kind == CHIP_OP_REDUCE_WINDOW ? op->operand_count / 2 + index
                    : is_scattered                      ? 2
                                                        : -1;
  if (value >= 0) {
    return plan->is_zeroed && compiler_is_zero(op->operands[value])
               ? NULL
               : local->operands[value];
  }
  if (op->kind == CHIP_OP_CONVOLUTION && !plan->is_zeroed) {
    const tensor_shape_t scalar =
        tensor_shape_make(value_shape(local->operands[0])->dtype, 0, NULL);
    return partition_emit_splat(partitioner, &scalar, 0);
  }
  return NULL;
}

static void set_entry(partitioner_t *partitioner, mlir_op_t *local, const char *name,
                      int rank, int dim, int64_t value) {
  int64_t values[TENSOR_RANK_MAX];
  factors_attr(local, name, rank, values);
  values[dim] = value;
  partition_emit_i64s(partitioner, local, name, rank, values);
}

// The local operation finds what it wants at the beginning, and nothing missing.
static void set_attrs(partitioner_t *partitioner, const exchange_t *exchange,
                      mlir_op_t *local) {
  const int dim = exchange->halo.dim;
  const int rank = value_shape(local->operands[0])->rank;
  chip_window_t window;
  if (local->kind == CHIP_OP_SLICE) {
    set_entry(partitioner, local, "start_indices", rank, dim, 0);
    set_entry(partitioner, local, "limit_indices", rank, dim, exchange->halo.length);
  } else if (local->kind == CHIP_OP_PAD) {
    set_entry(partitioner, local, "edge_padding_low", rank, dim, exchange->low);
    set_entry(partitioner, local, "edge_padding_high", rank, dim, exchange->high);
  } else if (local->kind == CHIP_OP_REDUCE_WINDOW) {
    window = move_window_of(partitioner, local);
    window.low[dim] = exchange->low;
    window.high[dim] = exchange->high;
    stablehlo_set_padding(partitioner->module, local, &window);
  } else if (local->kind == CHIP_OP_CONVOLUTION) {
    const chip_convolution_t convolution = convolution_of(partitioner, local);
    window = convolution.window;
    window.low[spatial_of(&convolution, dim)] = exchange->low;
    window.high[spatial_of(&convolution, dim)] = exchange->high;
    stablehlo_set_padding(partitioner->module, local, &window);
  }
}

// Where a chip's part of the result is another operand's than those before.
static mlir_value_t *emit_from(partitioner_t *partitioner, const tensor_shape_t *shape,
                               const halo_t *halo) {
  mlir_value_t *begin = partition_emit_place(partitioner, &halo->axes, halo->step);
  const int64_t start = -halo->start;
  if (start % halo->step != 0) {
    begin = partition_emit_index(partitioner, shape, halo->dim, begin);
  }
  return partition_emit_compare(
      partitioner, begin, "GE",
      partition_emit_splat(partitioner, value_shape(begin), start));
}

// Of every operand what falls into the chip's part of the result, one over the other.
static mlir_value_t *write_joined(partitioner_t *partitioner, const exchange_t *exchanges,
                                  const mlir_op_t *local) {
  mlir_value_t *joined = NULL;
  const tensor_shape_t *shape = value_shape(&local->results[0]);
  for (int i = 0; i < local->operand_count; i++) {
    if (exchanges[i].halo.shards == 0) {
      continue;  // Without elements.
    }
    halo_plan_t plan;
    POD_CHECK(halo_plan(partitioner->shardings.arena, &exchanges[i].halo, &plan));
    mlir_value_t *now =
        halo_fetch(partitioner, local->operands[i], &exchanges[i].halo, &plan, NULL);
    joined = joined == NULL
                 ? now
                 : partition_emit_select(
                       partitioner, emit_from(partitioner, shape, &exchanges[i].halo),
                       now, joined);
  }
  return joined;
}

// Whether nothing is left to do once the operands are there.
static bool is_done(const mlir_op_t *local) {
  const tensor_shape_t *from = value_shape(local->operands[0]);
  bool is_same = tensor_shape_same_dims(from, value_shape(&local->results[0]));
  int64_t low[TENSOR_RANK_MAX], interior[TENSOR_RANK_MAX];
  factors_attr(local, "edge_padding_low", from->rank, low);
  factors_attr(local, "interior_padding", from->rank, interior);
  for (int d = 0; d < from->rank; d++) {
    is_same = is_same && low[d] == 0 && interior[d] == 0;
  }
  return is_same && (local->kind == CHIP_OP_SLICE || local->kind == CHIP_OP_PAD);
}

// A slice takes what it wants of the dimensions that stay, before others are exchanged.
static void cut_first(partitioner_t *partitioner, const choice_t *choice,
                      mlir_op_t *local) {
  mlir_value_t *operand = local->operands[0];
  tensor_shape_t shape = *value_shape(operand);
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(local, "start_indices", shape.rank, starts);
  factors_attr(local, "limit_indices", shape.rank, limits);
  factors_attr(local, "strides", shape.rank, strides);
  for (int d = 0; d < shape.rank; d++) {
    const factor_list_t *list = &choice->factors->operands[0].dims[d];
    const bool moves =
        list->count == 1 && is_exchanged(choice->factors, list->factors[0], choice->axes);
    if (moves) {
      starts[d] = 0;
      limits[d] = shape.dims[d];
      strides[d] = 1;
      continue;
    }
    shape.dims[d] = value_shape(&local->results[0])->dims[d];
    set_entry(partitioner, local, "start_indices", shape.rank, d, 0);
    set_entry(partitioner, local, "limit_indices", shape.rank, d, shape.dims[d]);
    set_entry(partitioner, local, "strides", shape.rank, d, 1);
  }
  if (tensor_shape_same_dims(&shape, value_shape(operand))) {
    return;
  }
  mlir_op_t *cut =
      partition_emit_create(partitioner, "stablehlo.slice", 1, &operand, &shape, 0);
  partition_emit_i64s(partitioner, cut, "start_indices", shape.rank, starts);
  partition_emit_i64s(partitioner, cut, "limit_indices", shape.rank, limits);
  partition_emit_i64s(partitioner, cut, "strides", shape.rank, strides);
  local->operands[0] = partition_emit_into(partitioner, partitioner->block, cut);
}

// Brings the operands there for one factor.
static void fetch_operands(partitioner_t *partitioner, const mlir_op_t *op,
                           const choice_t *choice, int factor, exchange_t *exchanges,
                           mlir_op_t *local) {
  for (int i = 0; i < op->operand_count; i++) {
    bool takes_part;
    POD_CHECK(exchange_of(partitioner, op, choice->factors, i, factor,
                          &choice->axes[factor], &exchanges[i], &takes_part));
    halo_plan_t plan;
    if (takes_part && op->kind != CHIP_OP_CONCATENATE) {
      POD_CHECK(halo_plan(partitioner->shardings.arena, &exchanges[i].halo, &plan));
      local->operands[i] =
          halo_fetch(partitioner, local->operands[i], &exchanges[i].halo, &plan,
                     outside_of(partitioner, op, local, i, &plan));
      set_attrs(partitioner, &exchanges[i], local);
    }
  }
}

// Of what the windows of a shard and its neighbours scatter, what falls into the shard.
static mlir_value_t *cut_scattered(partitioner_t *partitioner, const mlir_op_t *op,
                                   const choice_t *choice, mlir_value_t *value) {
  for (int f = 0; f < choice->factors->factor_count; f++) {
    if (!is_exchanged(choice->factors, f, choice->axes)) {
      continue;
    }
    exchange_t exchange;
    bool takes_part;
    POD_CHECK(exchange_of(partitioner, op, choice->factors, 0, f, &choice->axes[f],
                          &exchange, &takes_part));
    const halo_t *halo = &exchange.halo;
    value = partition_emit_rows(partitioner, value, halo->dim, -halo->start,
                                halo->shard_size - halo->start);
  }
  return value;
}

// By dimension what a select_and_scatter has exchanged of its operand.
static void tell_bounds(partitioner_t *partitioner, const mlir_op_t *op,
                        const choice_t *choice, mlir_op_t *local) {
  halo_t halos[TENSOR_RANK_MAX] = {0};
  for (int f = 0; f < choice->factors->factor_count; f++) {
    exchange_t exchange;
    bool takes_part;
    if (is_exchanged(choice->factors, f, choice->axes)) {
      POD_CHECK(exchange_of(partitioner, op, choice->factors, 0, f, &choice->axes[f],
                            &exchange, &takes_part));
      halos[exchange.halo.dim] = exchange.halo;
    }
  }
  move_scatter_bounds(partitioner, op, halos, local);
}

// Combines the scans of the shards, where the operation is one.
static mlir_value_t *finish_scans(partitioner_t *partitioner, const mlir_op_t *op,
                                  const choice_t *choice, const mlir_op_t *local,
                                  mlir_value_t *value) {
  for (int f = 0; f < choice->factors->factor_count; f++) {
    if (is_exchanged(choice->factors, f, choice->axes) &&
        is_scan(partitioner, op, choice->factors, f)) {
      partitioner->because = partition_because_moved(partitioner, op, &choice->axes[f]);
      value = move_scan_finish(partitioner, op, local, value,
                               move_dim_of(&choice->factors->operands[0], f),
                               &choice->axes[f]);
    }
  }
  return value;
}

static void write_exchanged(partitioner_t *partitioner, const mlir_op_t *op,
                            const choice_t *choice, mlir_op_t *local,
                            mlir_value_t **out_results) {
  exchange_t *exchanges = pod_arena_array(
      partitioner->shardings.arena, (size_t)op->operand_count, sizeof(exchanges[0]));
  if (op->kind == CHIP_OP_SLICE) {
    cut_first(partitioner, choice, local);
  }
  for (int f = 0; f < choice->factors->factor_count; f++) {
    if (!is_exchanged(choice->factors, f, choice->axes)) {
      continue;
    }
    if (is_scan(partitioner, op, choice->factors, f)) {
      move_scan_localize(partitioner, move_dim_of(&choice->factors->operands[0], f),
                         local);
      continue;
    }
    partitioner->because = partition_because_moved(partitioner, op, &choice->axes[f]);
    fetch_operands(partitioner, op, choice, f, exchanges, local);
  }
  if (op->kind == CHIP_OP_CONCATENATE) {
    out_results[0] = write_joined(partitioner, exchanges, local);
    return;
  }
  if (is_done(local)) {
    out_results[0] = local->operands[0];
    return;
  }
  if (op->kind == CHIP_OP_SELECT_AND_SCATTER) {
    tell_bounds(partitioner, op, choice, local);
  }
  mlir_block_append(partitioner->block, local);
  for (int i = 0; i < op->result_count; i++) {
    out_results[i] = &local->results[i];
  }
  if (op->kind == CHIP_OP_SELECT_AND_SCATTER) {
    local->results[0].type = local->operands[0]->type;
    out_results[0] = cut_scattered(partitioner, op, choice, out_results[0]);
    return;
  }
  out_results[0] = finish_scans(partitioner, op, choice, local, out_results[0]);
}

void move_write(partitioner_t *partitioner, const mlir_op_t *op, const choice_t *choice,
                mlir_op_t *local, mlir_value_t **out_results) {
  switch (op->kind) {
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
    case CHIP_OP_GATHER:
    case CHIP_OP_SCATTER:
      for (int i = 0; i < op->result_count; i++) {
        out_results[i] = &local->results[i];
      }
      out_results[0] = move_index_write(partitioner, op, choice, local);
      break;
    case CHIP_OP_REDUCE:
    case CHIP_OP_SORT:
    case CHIP_OP_TOP_K:
      move_twice_write(partitioner, op, choice, local, out_results);
      break;
    default:
      write_exchanged(partitioner, op, choice, local, out_results);
  }
  partitioner->because = NULL;
}
