// Which factors of an operation are padded, and what its padding must then be.

#include "server/compiler/partition/pad_op.h"

#include <math.h>
#include <string.h>

#include "common/base/number.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/move.h"
#include "server/compiler/partition/pad_move.h"
#include "server/program/operations.h"

// An operation at hand. `factors` is that of its sizes without padding, and its results
// are still so.
typedef struct work_t {
  padder_t *padder;
  mlir_op_t *op;
  const factors_t *factors;
  int64_t *sizes;   // Of its factors, with padding.
  pad_fill_t fill;  // Of factors that are reduced.
  pad_move_t move;
} work_t;

// --- What may be padded ---

// What changes nothing in a result.
static bool find_neutral(const mlir_op_t *op, int result, pad_fill_t *out_fill) {
  memset(out_fill->element, 0, sizeof(out_fill->element));
  return compiler_reducer_identity(compiler_result_reducer(op, result),
                                   op->results[result].type->shape.dtype,
                                   out_fill->element);
}

// Fills work->fill where factors that are reduced may be padded.
static bool may_pad_reduced(work_t *work) {
  const mlir_op_t *op = work->op;
  if (op->operand_count == 0) {  // partition_id.
    return false;
  }
  switch (op->kind) {
    case CHIP_OP_DOT_GENERAL:
      return true;  // Zeros.
    case CHIP_OP_REDUCE:
    case CHIP_OP_SCATTER:  // Wherever indices of the padding are, zeros are added.
      for (int i = 0; i < op->result_count; i++) {
        if (!find_neutral(op, i, &work->fill)) {
          return false;
        }
      }
      return true;
    default:
      return false;
  }
}

// Elements that an index picks or changes. A scatter to what is behind the end changes
// padding, and a gather's indices are held back from it.
static bool may_pad_indexed(const work_t *work, int factor) {
  const factor_kind_t kind = work->factors->factors[factor].kind;
  return (work->op->kind == CHIP_OP_GATHER && kind == FACTOR_PICKED) ||
         (work->op->kind == CHIP_OP_SCATTER && kind == FACTOR_PERMUTATION) ||
         pad_move_is_common(work->padder, work->op, work->factors, factor);
}

static const factor_tensor_t *mapping_of(const factors_t *factors, int tensor) {
  return tensor < factors->operand_count
             ? &factors->operands[tensor]
             : &factors->results[tensor - factors->operand_count];
}

// Padding at the end of a factor is at the end of a dimension only where it is the major
// one.
static bool is_major_everywhere(const factors_t *factors, int factor) {
  for (int t = 0; t < factors->operand_count + factors->result_count; t++) {
    const factor_tensor_t *mapping = mapping_of(factors, t);
    for (int d = 0; d < mapping->rank; d++) {
      for (int i = 1; i < mapping->dims[d].count; i++) {
        if (mapping->dims[d].factors[i] == factor) {
          return false;
        }
      }
    }
  }
  return true;
}

static bool has_major(const factor_list_t *list, int factor) {
  return list->count > 0 && list->factors[0] == factor;
}

// What the factors behind the major one make.
static int64_t minor_size(const factors_t *factors, const factor_list_t *list) {
  int64_t size = 1;
  for (int i = 1; i < list->count; i++) {
    size *= factors->factors[list->factors[i]].size;
  }
  return size;
}

static bool has_factor(const factor_tensor_t *mapping, int factor) {
  for (int d = 0; d < mapping->rank; d++) {
    for (int i = 0; i < mapping->dims[d].count; i++) {
      if (mapping->dims[d].factors[i] == factor) {
        return true;
      }
    }
  }
  return false;
}

// The groups of a convolution, which both operands and the result have: how many there
// are is an attribute, and what is padded would be groups without elements.
static bool is_group(const work_t *work, int factor) {
  const factors_t *factors = work->factors;
  return work->op->kind == CHIP_OP_CONVOLUTION &&
         has_factor(&factors->operands[0], factor) &&
         has_factor(&factors->operands[1], factor) &&
         has_factor(&factors->results[0], factor);
}

// --- Sizes ---

// As large as it comes in any operand.
static int64_t size_there(const work_t *work, int factor) {
  const factors_t *factors = work->factors;
  int64_t size = factors->factors[factor].size;
  for (int i = 0; i < factors->operand_count; i++) {
    const mlir_value_t *operand = work->op->operands[i];
    for (int d = 0; d < factors->operands[i].rank; d++) {
      const factor_list_t *list = &factors->operands[i].dims[d];
      if (has_major(list, factor)) {
        const int64_t minor = minor_size(factors, list);
        const int64_t there = operand->type->shape.dims[d];
        size = there % minor == 0 && there / minor > size ? there / minor : size;
      }
    }
  }
  return size;
}

// So that the axes of the results divide it.
static int64_t size_wanted(const work_t *work, int factor, int64_t size) {
  const factors_t *factors = work->factors;
  for (int i = 0; i < factors->result_count; i++) {
    for (int d = 0; d < factors->results[i].rank; d++) {
      const factor_list_t *list = &factors->results[i].dims[d];
      if (!has_major(list, factor)) {
        continue;
      }
      const int64_t minor = minor_size(factors, list);
      const int64_t pieces = pad_pieces(work->padder, &work->op->results[i], d);
      if (size * minor % pieces != 0) {
        const int64_t step = pieces / pod_greatest_common_divisor(pieces, minor);
        size = pad_up(factors->factors[factor].size, step);
      }
    }
  }
  return size;
}

// What moves elements along a dimension says that one of a single element passes: it
// would not with padding.
static bool may_pad_size(const work_t *work, int64_t size) {
  return size > 1 || chip_op_has(work->op->kind, CHIP_TRAIT_ELEMENTWISE);
}

static void choose_sizes(work_t *work) {
  const factors_t *factors = work->factors;
  const bool may_pass = work->op->kind != CHIP_OP_DCE_SINK;
  const bool may_reduce = may_pad_reduced(work);
  for (int f = 0; f < factors->factor_count; f++) {
    const factor_kind_t kind = factors->factors[f].kind;
    work->sizes[f] = factors->factors[f].size;
    if (((kind == FACTOR_PASS && may_pass) || (kind == FACTOR_REDUCTION && may_reduce) ||
         may_pad_indexed(work, f)) &&
        may_pad_size(work, work->sizes[f]) && is_major_everywhere(factors, f) &&
        !is_group(work, f)) {
      work->sizes[f] = size_wanted(work, f, size_there(work, f));
    }
  }
}

static void tensor_dims(const work_t *work, const factor_tensor_t *mapping,
                        const mlir_value_t *value, const tensor_shape_t *own,
                        int64_t *dims) {
  for (int d = 0; d < mapping->rank; d++) {
    const factor_list_t *list = &mapping->dims[d];
    dims[d] = own->dims[d];
    if (list->count == 1 && work->move.pieces[list->factors[0]] > 0) {
      dims[d] = pad_move_size(&work->move, value, d, own->dims[d], list->factors[0]);
    } else if (list->count > 0 && work->sizes[list->factors[0]] !=
                                      work->factors->factors[list->factors[0]].size) {
      dims[d] = work->sizes[list->factors[0]] * minor_size(work->factors, list);
    }
  }
}

// --- Padding that is seen ---

// The dimensions of an operand that are reduced.
static uint32_t reduced_dims(const work_t *work, int operand) {
  const factors_t *factors = work->factors;
  const bool is_twice =
      work->op->kind == CHIP_OP_REDUCE || work->op->kind == CHIP_OP_TOP_K;
  uint32_t dims = 0;
  for (int d = 0; d < factors->operands[operand].rank; d++) {
    const factor_list_t *list = &factors->operands[operand].dims[d];
    const factor_kind_t kind =
        list->count > 0 ? factors->factors[list->factors[0]].kind : FACTOR_PASS;
    if (kind == FACTOR_REDUCTION || (kind == FACTOR_PERMUTATION && is_twice)) {
      dims |= 1u << d;
    }
  }
  return dims;
}

// Zero times what may be NaN is NaN, so that both sides of a contraction are filled; the
// indices of a scatter need not be.
static bool is_filled(const mlir_op_t *op, int operand) {
  return op->kind != CHIP_OP_SCATTER || operand > op->result_count;
}

// A reduction that chooses finds in the padding what it starts from, top_k the least that
// there is.
static pad_fill_t fill_of(const work_t *work, int operand) {
  const mlir_op_t *op = work->op;
  pad_fill_t fill = work->fill;
  if (op->kind == CHIP_OP_REDUCE && move_reduces_by_choice(op)) {
    fill.scalar = op->operands[op->result_count + operand];
  } else if (op->kind == CHIP_OP_TOP_K) {
    const tensor_dtype_t dtype = op->operands[operand]->type->shape.dtype;
    memset(fill.element, 0, sizeof(fill.element));
    if (tensor_dtype_is_float(dtype)) {
      memset(fill.element, 0xFF, tensor_dtype_bytes(dtype));  // By their total order.
    } else {
      compiler_reducer_identity(CHIP_REDUCER_MAXIMUM, dtype, fill.element);
    }
  } else if (op->kind == CHIP_OP_REDUCE && operand < op->result_count) {
    (void)find_neutral(op, operand, &fill);
  } else if (op->kind == CHIP_OP_SCATTER && operand > op->result_count) {
    (void)find_neutral(op, operand - op->result_count - 1, &fill);
  }
  return fill;
}

static void take_operands(work_t *work) {
  mlir_op_t *op = work->op;
  for (int i = 0; i < op->operand_count; i++) {
    if (!pad_is_tensor(op->operands[i])) {
      continue;
    }
    const tensor_shape_t own = *pad_shape_of(work->padder, op->operands[i]);
    int64_t dims[TENSOR_RANK_MAX];
    tensor_dims(work, &work->factors->operands[i], op->operands[i], &own, dims);
    op->operands[i] = pad_get(work->padder, op->operands[i], dims);
    const uint32_t reduced = reduced_dims(work, i);
    if (reduced != 0 && is_filled(op, i)) {
      const pad_fill_t fill = fill_of(work, i);
      work->padder->before = fill.scalar == NULL ? NULL : op;
      op->operands[i] = pad_filled(work->padder, op->operands[i], &own, reduced, &fill);
      work->padder->before = NULL;
    }
  }
}

// What an index of a gather may be at most, by its numbers, in its type. False: nothing
// is to be held back.
static bool find_bounds(const work_t *work, const chip_indexing_t *indexing,
                        const tensor_shape_t *own, tensor_dtype_t dtype,
                        unsigned char *bounds) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  bool any = false;
  for (int32_t c = 0; c < indexing->index_map.count; c++) {
    const int d = (int)indexing->index_map.values[c];
    const factor_list_t *list = &work->factors->operands[0].dims[d];
    unsigned char element[16] = {0};
    const bool is_padded = list->count > 0 &&
                           work->op->operands[0]->type->shape.dims[d] != own->dims[d] &&
                           work->factors->factors[list->factors[0]].kind == FACTOR_PICKED;
    tensor_element_from_int64(dtype, own->dims[d] - 1, element);
    // Else no index of this type is as large.
    const bool fits = tensor_element_as_int64(dtype, element) == own->dims[d] - 1;
    any = any || (is_padded && fits);
    if (!is_padded || !fits) {
      compiler_reducer_identity(CHIP_REDUCER_MINIMUM, dtype, element);  // The largest.
    }
    memcpy(bounds + (size_t)c * bytes, element, bytes);
  }
  return any;
}

// Indices behind the last element mean the last one, which is not the last of the
// padding.
static pod_status_t hold_back_indices(work_t *work, const tensor_shape_t *own) {
  mlir_op_t *op = work->op;
  padder_t *padder = work->padder;
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(padder->module, op, &indexing));
  const tensor_shape_t shape = op->operands[1]->type->shape;
  unsigned char bounds[16 * TENSOR_RANK_MAX];
  if (!find_bounds(work, &indexing, own, shape.dtype, bounds)) {
    return NULL;
  }
  const int64_t count = indexing.index_map.count, dim = indexing.index_vector_dim;
  padder->before = op;
  mlir_value_t *bound;
  if (count == 1) {
    bound = pad_constant(padder, op->operands[1], &shape, bounds);
  } else {
    const tensor_shape_t row = tensor_shape_make(shape.dtype, 1, &count);
    mlir_op_t *constant = pad_make(padder, NULL, "stablehlo.constant", 0, NULL, &row);
    mlir_op_set_attr(padder->module, constant, "value",
                     mlir_attr_dense(padder->module, &row, bounds, false));
    bound = pad_insert_behind(padder, op->operands[1], constant, NULL);
    mlir_op_t *spread =
        pad_make(padder, NULL, "stablehlo.broadcast_in_dim", 1, &bound, &shape);
    pad_set_i64s(padder, spread, "broadcast_dimensions", 1, &dim);
    bound = pad_insert_behind(padder, bound, spread, NULL);
  }
  const sharding_t *sharding = pad_note(padder, op->operands[1])->sharding;
  mlir_value_t *both[] = {op->operands[1], bound};
  op->operands[1] = pad_insert_behind(
      padder, bound, pad_make(padder, op, "stablehlo.minimum", 2, both, &shape),
      sharding);
  padder->before = NULL;
  return NULL;
}

// --- Attributes that hold sizes ---

static void set_slice_sizes(work_t *work, const tensor_shape_t *own) {
  mlir_op_t *op = work->op;
  const tensor_shape_t *array = &op->operands[0]->type->shape;
  int64_t sizes[TENSOR_RANK_MAX];
  factors_attr(op, "slice_sizes", array->rank, sizes);
  for (int d = 0; d < array->rank; d++) {
    sizes[d] = array->dims[d] != own->dims[d] && sizes[d] == own->dims[d] ? array->dims[d]
                                                                          : sizes[d];
  }
  pad_set_i64s(work->padder, op, "slice_sizes", array->rank, sizes);
}

static void set_limits(work_t *work, const tensor_shape_t *own) {
  mlir_op_t *op = work->op;
  const tensor_shape_t *to = &op->results[0].type->shape;
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(op, "start_indices", to->rank, starts);
  factors_attr(op, "limit_indices", to->rank, limits);
  factors_attr(op, "strides", to->rank, strides);
  for (int d = 0; d < to->rank; d++) {
    if (to->dims[d] != own->dims[d]) {
      limits[d] = starts[d] + (to->dims[d] - 1) * strides[d] + 1;
    }
  }
  pad_set_i64s(work->padder, op, "limit_indices", to->rank, limits);
}

// What is drawn are the numbers of the array without padding.
static void set_whole(work_t *work) {
  mlir_value_t *drawn = &work->op->results[1];
  const tensor_shape_t own = *pad_shape_of(work->padder, drawn);
  if (!tensor_shape_same_dims(&own, &drawn->type->shape)) {
    pad_set_i64s(work->padder, work->op, RANDOM_WHOLE_ATTR, own.rank, own.dims);
  }
}

// `array` and `result`: operand 0 and result 0 without padding.
static void set_attrs(work_t *work, const tensor_shape_t *array,
                      const tensor_shape_t *result) {
  switch (work->op->kind) {
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_GATHER:
      set_slice_sizes(work, array);
      break;
    case CHIP_OP_SLICE:
      set_limits(work, result);
      break;
    default:
      break;
  }
}

// --- The operation ---

pod_status_t pad_ruled(pass_t *pass, mlir_op_t *op) {
  padder_t *padder = &pass->padder;
  factors_t *factors;
  const mlir_type_t **types = pad_hide(padder, op);
  const pod_status_t status =
      compiler_factors_rule(op->kind)(padder->module, op, padder->arena, &factors);
  pad_show(op, types);
  POD_TRY(status);
  work_t work = {.padder = padder, .op = op, .factors = factors};
  const size_t factor_count = (size_t)factors->factor_count;
  work.sizes = pod_arena_array(padder->arena, factor_count, sizeof(work.sizes[0]));
  tensor_shape_t *owns =
      pod_arena_array(padder->arena, (size_t)op->operand_count + 1, sizeof(owns[0]));
  for (int i = 0; i < op->operand_count; i++) {
    if (pad_is_tensor(op->operands[i])) {
      owns[i] = *pad_shape_of(padder, op->operands[i]);
    }
  }
  work.move = (pad_move_t){
      .padder = padder,
      .op = op,
      .factors = factors,
      .pieces = pod_arena_array(padder->arena, factor_count, sizeof(work.move.pieces[0])),
      .is_picked = pod_arena_array(padder->arena, factor_count, sizeof(bool)),
      .owns = owns};
  if (op->result_count > 0 && pad_is_tensor(&op->results[0])) {
    work.move.own = op->results[0].type->shape;
  }
  choose_sizes(&work);
  pad_move_choose(&work.move);
  take_operands(&work);
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *value = &op->results[i];
    if (pad_is_tensor(value)) {
      const tensor_shape_t own = value->type->shape;
      int64_t dims[TENSOR_RANK_MAX];
      tensor_dims(&work, &factors->results[i], value, &own, dims);
      pad_resize(padder, value, dims);
    }
  }
  if (op->kind == CHIP_OP_RNG_BIT_GENERATOR) {
    set_whole(&work);
  }
  if (op->kind == CHIP_OP_GATHER) {
    POD_TRY(hold_back_indices(&work, &owns[0]));
  }
  set_attrs(&work, &owns[0], &work.move.own);
  return pad_move_write(&work.move);
}
