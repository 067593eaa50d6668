// What picks and updates elements by an index, on shards of the dimension that the index
// runs through. Every chip knows where the index falls from its shard: it picks, or
// updates, what it has. What is picked is a sum: the chip that has it gives it, the
// others give what adds nothing.

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/move.h"
#include "server/compiler/partition/move_parts.h"

// --- Which ---

// An index that sizes fit into, and that stays in order when it is counted from a shard.
static bool counts(const mlir_value_t *index) {
  const tensor_dtype_t dtype = value_shape(index)->dtype;
  return dtype == TENSOR_S32 || dtype == TENSOR_S64;
}

static chip_indexing_t indexing_of(mlir_module_t *module, const mlir_op_t *op) {
  chip_indexing_t indexing;
  pod_status_t status = stablehlo_indexing(module, op, &indexing);
  POD_CHECK(status == NULL);  // It is verified.
  return indexing;
}

bool move_index_allows(const mlir_op_t *op, const factors_t *factors, int factor) {
  const int dim = move_dim_of(&factors->operands[0], factor);
  if (dim < 0 || value_shape(op->operands[0])->dims[dim] >= INT32_MAX / 2) {
    return false;
  }
  switch (op->kind) {
    case CHIP_OP_DYNAMIC_SLICE:
      return counts(op->operands[1 + dim]);
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return counts(op->operands[2 + dim]);
    case CHIP_OP_GATHER:
      return counts(op->operands[1]);
    case CHIP_OP_SCATTER:
      return counts(op->operands[op->result_count]);
    default:
      return false;
  }
}

chip_reducer_t move_reducer(const mlir_op_t *op) {
  switch (value_shape(&op->results[0])->dtype) {
    case TENSOR_PRED:
      return CHIP_REDUCER_OR;
    case TENSOR_S8:
    case TENSOR_S16:
    case TENSOR_S32:
    case TENSOR_S64:
    case TENSOR_U8:
    case TENSOR_U16:
    case TENSOR_U32:
    case TENSOR_U64:
    case TENSOR_F16:
    case TENSOR_BF16:
    case TENSOR_F32:
    case TENSOR_F64:
      return CHIP_REDUCER_ADD;
    default:
      return CHIP_REDUCER_NONE;
  }
}

// Whether the array is sharded along a dimension that an index runs through.
static bool is_indexed(const choice_t *choice, int dim) {
  const factor_list_t *list = &choice->factors->operands[0].dims[dim];
  if (list->count != 1 || choice->operands[0]->dims[dim].count == 0) {
    return false;
  }
  const factor_kind_t kind = choice->factors->factors[list->factors[0]].kind;
  return kind == FACTOR_PERMUTATION || kind == FACTOR_PICKED;
}

// --- Values ---

// What adds nothing: of numbers with a sign of zero that is -0, since 0 + -0 is 0.
static mlir_value_t *emit_nothing(partitioner_t *partitioner,
                                  const tensor_shape_t *shape) {
  unsigned char data[16] = {0};
  tensor_element_from_double(shape->dtype, tensor_dtype_is_float(shape->dtype) ? -0.0 : 0,
                             data);
  return partition_emit_constant(partitioner, partitioner->block, shape, data, true);
}

static mlir_value_t *emit_binary(partitioner_t *partitioner, const char *name,
                                 mlir_value_t *a, mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return partition_emit_op(partitioner, name, 2, operands, value_shape(a));
}

static mlir_value_t *emit_clamp(partitioner_t *partitioner, int64_t low,
                                mlir_value_t *value, int64_t high) {
  const tensor_shape_t scalar = tensor_shape_make(value_shape(value)->dtype, 0, NULL);
  mlir_value_t *operands[] = {NULL, value, NULL};
  operands[0] = partition_emit_splat(partitioner, &scalar, low);
  operands[2] = partition_emit_splat(partitioner, &scalar, high);
  return partition_emit_op(partitioner, "stablehlo.clamp", 3, operands,
                           value_shape(value));
}

static mlir_value_t *emit_plus(partitioner_t *partitioner, mlir_value_t *value,
                               int64_t number) {
  return number == 0
             ? value
             : emit_binary(partitioner, "stablehlo.add", value,
                           partition_emit_splat(partitioner, value_shape(value), number));
}

// Where in [low, high) the values are, each bound looked at.
static mlir_value_t *emit_within(partitioner_t *partitioner, mlir_value_t *value,
                                 mlir_value_t *low, mlir_value_t *high) {
  mlir_value_t *above = partition_emit_compare(partitioner, value, "GE", low);
  return emit_binary(partitioner, "stablehlo.and", above,
                     partition_emit_compare(partitioner, value, "LT", high));
}

// --- Slices and updates at one place ---

// A dimension along which the array is sharded.
typedef struct placed_t {
  int dim;
  int64_t part, size;   // Of the array: a shard's and all; and
  int64_t window;       // how many elements are picked or updated.
  int64_t span;         // Of these, those that a shard may hold.
  mlir_value_t *start;  // Of the window, counted from the shard's begin.
  mlir_value_t *at;     // From where on `span` elements of the shard are looked at.
} placed_t;

static mlir_value_t *emit_as(partitioner_t *partitioner, tensor_dtype_t dtype,
                             mlir_value_t *scalar) {
  const tensor_shape_t shape = tensor_shape_make(dtype, 0, NULL);
  return value_shape(scalar)->dtype == dtype
             ? scalar
             : partition_emit_op(partitioner, "stablehlo.convert", 1, &scalar, &shape);
}

// Replaces the index of the operation by one into the shard.
static void set_index(partitioner_t *partitioner, mlir_value_t **index,
                      const placed_t *placed) {
  *index = emit_as(partitioner, value_shape(*index)->dtype, placed->at);
}

static placed_t place(partitioner_t *partitioner, const mlir_op_t *op,
                      const choice_t *choice, int dim, int64_t window,
                      mlir_value_t *start) {
  const axes_t *axes = &choice->operands[0]->dims[dim];
  placed_t placed = {.dim = dim, .window = window};
  placed.size = value_shape(op->operands[0])->dims[dim];
  placed.part = placed.size / axes_size(axes);
  placed.span = window < placed.part ? window : placed.part;
  mlir_value_t *clamped = emit_as(
      partitioner, TENSOR_S32, emit_clamp(partitioner, 0, start, placed.size - window));
  placed.start = emit_binary(partitioner, "stablehlo.subtract", clamped,
                             partition_emit_place(partitioner, axes, placed.part));
  placed.at = emit_clamp(partitioner, 0, placed.start, placed.part - placed.span);
  return placed;
}

// `value`, whose first row along `dim` is at `from`, as an array of `length` rows whose
// first one is at `to`: what is missing is anything.
static mlir_value_t *emit_shifted(partitioner_t *partitioner, mlir_value_t *value,
                                  int dim, mlir_value_t *from, mlir_value_t *to,
                                  int64_t length) {
  tensor_shape_t shape = *value_shape(value);
  if (length == 1 && shape.dims[dim] == 1) {
    return value;
  }
  const int64_t rows = shape.dims[dim];
  int64_t edges[TENSOR_RANK_MAX] = {0}, none[TENSOR_RANK_MAX] = {0};
  edges[dim] = length;
  const tensor_shape_t scalar = tensor_shape_make(shape.dtype, 0, NULL);
  mlir_value_t *operands[] = {value, partition_emit_splat(partitioner, &scalar, 0)};
  shape.dims[dim] += 2 * length;
  mlir_op_t *pad =
      partition_emit_create(partitioner, "stablehlo.pad", 2, operands, &shape, 0);
  partition_emit_i64s(partitioner, pad, "edge_padding_low", shape.rank, edges);
  partition_emit_i64s(partitioner, pad, "edge_padding_high", shape.rank, edges);
  partition_emit_i64s(partitioner, pad, "interior_padding", shape.rank, none);
  mlir_value_t *padded = partition_emit_into(partitioner, partitioner->block, pad);
  mlir_value_t *shift = emit_plus(
      partitioner, emit_binary(partitioner, "stablehlo.subtract", to, from), length);
  return partition_emit_dynamic_rows(
      partitioner, padded, dim, emit_clamp(partitioner, 0, shift, rows + length), length);
}

// Whether row i of `shape`, counted from `first`, lies in [low, low + count).
static mlir_value_t *emit_rows_within(partitioner_t *partitioner,
                                      const tensor_shape_t *shape, int dim,
                                      mlir_value_t *first, mlir_value_t *low,
                                      int64_t count) {
  mlir_value_t *index = first;
  if (shape->dims[dim] > 1) {
    index = partition_emit_index(partitioner, shape, dim, first);
  }
  mlir_value_t *high = emit_plus(partitioner, low, count);
  if (index != first) {
    low = partition_emit_broadcast(partitioner, low, shape);
    high = partition_emit_broadcast(partitioner, high, shape);
  }
  return emit_within(partitioner, index, low, high);
}

static mlir_value_t *emit_zero(partitioner_t *partitioner) {
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  return partition_emit_splat(partitioner, &scalar, 0);
}

static mlir_value_t *write_dynamic_slice(partitioner_t *partitioner, const mlir_op_t *op,
                                         const choice_t *choice, mlir_op_t *local) {
  const tensor_shape_t result = *value_shape(&local->results[0]);
  tensor_shape_t spans = result;
  placed_t placed[TENSOR_RANK_MAX];
  int count = 0;
  for (int d = 0; d < result.rank; d++) {
    if (is_indexed(choice, d)) {
      placed[count] =
          place(partitioner, op, choice, d, result.dims[d], local->operands[1 + d]);
      set_index(partitioner, &local->operands[1 + d], &placed[count]);
      spans.dims[d] = placed[count++].span;
    }
  }
  local->results[0].type = mlir_type_tensor(partitioner->module, &spans);
  partition_emit_i64s(partitioner, local, "slice_sizes", spans.rank, spans.dims);
  mlir_block_append(partitioner->block, local);
  mlir_value_t *value = &local->results[0];
  for (int i = 0; i < count; i++) {
    value = emit_shifted(partitioner, value, placed[i].dim, placed[i].at, placed[i].start,
                         placed[i].window);
  }
  mlir_value_t *nothing = emit_nothing(partitioner, &result);
  for (int i = 0; i < count; i++) {
    mlir_value_t *held =
        emit_rows_within(partitioner, &result, placed[i].dim, placed[i].start,
                         emit_zero(partitioner), placed[i].part);
    value = partition_emit_select(partitioner, held, value, nothing);
  }
  return value;
}

// Reads what is there, puts over it what of the update falls there, and writes it back:
// the array itself is not copied.
static mlir_value_t *write_update(partitioner_t *partitioner, const mlir_op_t *op,
                                  const choice_t *choice, mlir_op_t *local) {
  mlir_value_t *update = local->operands[1];
  const int rank = value_shape(update)->rank;
  placed_t placed[TENSOR_RANK_MAX];
  int count = 0;
  for (int d = 0; d < rank; d++) {
    if (is_indexed(choice, d)) {
      placed[count] = place(partitioner, op, choice, d, value_shape(update)->dims[d],
                            local->operands[2 + d]);
      set_index(partitioner, &local->operands[2 + d], &placed[count++]);
    }
  }
  for (int i = 0; i < count; i++) {
    update = emit_shifted(partitioner, update, placed[i].dim, placed[i].start,
                          placed[i].at, placed[i].span);
  }
  const tensor_shape_t *spans = value_shape(update);
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {local->operands[0]};
  for (int d = 0; d < rank; d++) {
    operands[1 + d] = local->operands[2 + d];
  }
  mlir_op_t *read = partition_emit_create(partitioner, "stablehlo.dynamic_slice",
                                          1 + rank, operands, spans, 0);
  partition_emit_i64s(partitioner, read, "slice_sizes", rank, spans->dims);
  mlir_value_t *before = partition_emit_into(partitioner, partitioner->block, read);
  for (int i = 0; i < count; i++) {
    mlir_value_t *updated =
        emit_rows_within(partitioner, spans, placed[i].dim, placed[i].at, placed[i].start,
                         placed[i].window);
    update = partition_emit_select(partitioner, updated, update, before);
  }
  local->operands[1] = update;
  mlir_block_append(partitioner->block, local);
  return &local->results[0];
}

// --- Gather and scatter ---

// Where a shard of dimension `dim` begins, in the shape and type of `like`.
static mlir_value_t *emit_begin(partitioner_t *partitioner, const axes_t *axes,
                                int64_t part, const tensor_shape_t *like) {
  return partition_emit_broadcast(
      partitioner,
      emit_as(partitioner, like->dtype, partition_emit_place(partitioner, axes, part)),
      like);
}

// Component `index` of all indices, in their shape but for a size of 1.
static mlir_value_t *emit_component(partitioner_t *partitioner, mlir_value_t *indices,
                                    const chip_indexing_t *indexing, int index) {
  return indexing->index_vector_dim == value_shape(indices)->rank
             ? indices
             : partition_emit_rows(partitioner, indices, (int)indexing->index_vector_dim,
                                   index, index + 1);
}

// The indices counted from the shard's begin, along the dimensions that are sharded.
// Those of a gather are moved first to where they fall; *out_held says which the shard
// has. NULL: nobody asks.
static mlir_value_t *emit_local_indices(partitioner_t *partitioner, const mlir_op_t *op,
                                        const choice_t *choice,
                                        const chip_indexing_t *indexing,
                                        mlir_value_t *indices, mlir_value_t **out_held) {
  mlir_value_t *components[TENSOR_RANK_MAX];
  const int count = (int)indexing->index_map.count;
  for (int c = 0; c < count; c++) {
    const int dim = (int)indexing->index_map.values[c];
    mlir_value_t *component = emit_component(partitioner, indices, indexing, c);
    components[c] = component;
    if (!is_indexed(choice, dim)) {
      continue;
    }
    const int64_t size = value_shape(op->operands[0])->dims[dim];
    const axes_t *axes = &choice->operands[0]->dims[dim];
    const int64_t part = size / axes_size(axes);
    if (out_held != NULL) {
      component = emit_clamp(partitioner, 0, component, size - 1);
    }
    components[c] =
        emit_binary(partitioner, "stablehlo.subtract", component,
                    emit_begin(partitioner, axes, part, value_shape(component)));
    if (out_held != NULL) {
      mlir_value_t *zero = partition_emit_splat(partitioner, value_shape(component), 0);
      mlir_value_t *end = partition_emit_splat(partitioner, value_shape(component), part);
      mlir_value_t *held = emit_within(partitioner, components[c], zero, end);
      *out_held = *out_held == NULL
                      ? held
                      : emit_binary(partitioner, "stablehlo.and", *out_held, held);
    }
  }
  return count == 1
             ? components[0]
             : partition_emit_join(partitioner, count, components,
                                   (int)indexing->index_vector_dim, value_shape(indices));
}

// `held`, of the shape of the indices, in that of the result.
static mlir_value_t *emit_over_windows(partitioner_t *partitioner, mlir_value_t *held,
                                       const chip_indexing_t *indexing,
                                       const tensor_shape_t *result) {
  int64_t places[TENSOR_RANK_MAX];
  tensor_shape_t batch = *value_shape(held);
  batch.rank = 0;
  int at = 0;
  for (int d = 0; d < value_shape(held)->rank; d++) {
    if (d == indexing->index_vector_dim) {
      continue;
    }
    while (chip_dims_have(&indexing->window, at)) {
      at++;
    }
    batch.dims[batch.rank] = value_shape(held)->dims[d];
    places[batch.rank++] = at++;
  }
  if (batch.rank < value_shape(held)->rank) {
    batch = tensor_shape_make(TENSOR_PRED, batch.rank, batch.dims);
    held = partition_emit_op(partitioner, "stablehlo.reshape", 1, &held, &batch);
  }
  tensor_shape_t to = *result;
  to.dtype = TENSOR_PRED;
  mlir_op_t *op =
      partition_emit_create(partitioner, "stablehlo.broadcast_in_dim", 1, &held, &to, 0);
  partition_emit_i64s(partitioner, op, "broadcast_dimensions", batch.rank, places);
  return partition_emit_into(partitioner, partitioner->block, op);
}

static mlir_value_t *write_gather(partitioner_t *partitioner, const mlir_op_t *op,
                                  const choice_t *choice, mlir_op_t *local) {
  const chip_indexing_t indexing = indexing_of(partitioner->source, op);
  mlir_value_t *held = NULL;
  local->operands[1] =
      emit_local_indices(partitioner, op, choice, &indexing, local->operands[1], &held);
  mlir_block_append(partitioner->block, local);
  const tensor_shape_t *shape = value_shape(&local->results[0]);
  mlir_value_t *is_held = emit_over_windows(partitioner, held, &indexing, shape);
  return partition_emit_select(partitioner, is_held, &local->results[0],
                               emit_nothing(partitioner, shape));
}

// What falls outside of a shard is left out, as what falls outside of an array is.
static mlir_value_t *write_scatter(partitioner_t *partitioner, const mlir_op_t *op,
                                   const choice_t *choice, mlir_op_t *local) {
  const chip_indexing_t indexing = indexing_of(partitioner->source, op);
  mlir_value_t **indices = &local->operands[op->result_count];
  *indices = emit_local_indices(partitioner, op, choice, &indexing, *indices, NULL);
  mlir_block_append(partitioner->block, local);
  return &local->results[0];
}

mlir_value_t *move_index_write(partitioner_t *partitioner, const mlir_op_t *op,
                               const choice_t *choice, mlir_op_t *local) {
  switch (op->kind) {
    case CHIP_OP_DYNAMIC_SLICE:
      return write_dynamic_slice(partitioner, op, choice, local);
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return write_update(partitioner, op, choice, local);
    case CHIP_OP_GATHER:
      return write_gather(partitioner, op, choice, local);
    default:
      return write_scatter(partitioner, op, choice, local);
  }
}
