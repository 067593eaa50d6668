// Operations of CHLO that the pass `expand` takes away. The specification leaves them
// out; constraints are those of the dialect's description.

#include <inttypes.h>
#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/verify/shape.h"

// --- Element by element ---

// conj, square, tan: what they become checks the element type too.
pod_status_t shape_same_type(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *x = shape_operand(op, 0);
  if (op->kind == KIND_CHLO_CONJ && !tensor_dtype_is_float(x->dtype) &&
      !tensor_dtype_is_complex(x->dtype)) {
    return SHAPE_ERROR("takes floats or complex numbers, not %s", shape_text(module, x));
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// is_inf, is_pos_inf, is_neg_inf
pod_status_t shape_is_inf(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (!tensor_dtype_is_float(shape.dtype)) {
    return SHAPE_ERROR("takes floats, not %s", shape_text(module, &shape));
  }
  shape.dtype = TENSOR_PRED;
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

// --- With broadcasting ---

// Which dimensions of the result an operand of rank `rank` has: the last ones, unless
// 'broadcast_dimensions' says which.
static pod_status_t find_places(mlir_module_t *module, const mlir_op_t *op, int rank,
                                int result_rank, int64_t *out_places) {
  const int64_t *dims = NULL;
  if (mlir_op_attr(op, "broadcast_dimensions") != NULL && rank < result_rank) {
    POD_TRY(shape_i64s(module, op, "broadcast_dimensions", rank, NULL, &dims));
    POD_TRY(
        shape_check_dims(module, op, "broadcast_dimensions", rank, dims, result_rank));
  }
  for (int d = 0; d < rank; d++) {
    out_places[d] = dims != NULL ? dims[d] : result_rank - rank + d;
  }
  return NULL;
}

// The sizes to which all operands can be broadcast.
static pod_status_t broadcast_sizes(mlir_module_t *module, const mlir_op_t *op,
                                    tensor_shape_t *out_shape) {
  tensor_shape_t shape = {.rank = 0};
  for (int i = 0; i < op->operand_count; i++) {
    const int rank = shape_operand(op, i)->rank;
    shape.rank = rank > shape.rank ? rank : shape.rank;
  }
  for (int d = 0; d < shape.rank; d++) {
    shape.dims[d] = 1;
  }
  for (int i = 0; i < op->operand_count; i++) {
    const tensor_shape_t *operand = shape_operand(op, i);
    int64_t places[TENSOR_RANK_MAX];
    POD_TRY(find_places(module, op, operand->rank, shape.rank, places));
    for (int d = 0; d < operand->rank; d++) {
      int64_t *size = &shape.dims[places[d]];
      if (operand->dims[d] != 1 && *size != 1 && *size != operand->dims[d]) {
        return SHAPE_ERROR("dimension %" PRId64 " of the result has size %" PRId64
                           ", but dimension %d of operand %d has size %" PRId64
                           "; only 1 can be broadcast",
                           places[d], *size, d, i, operand->dims[d]);
      }
      *size = operand->dims[d] == 1 ? *size : operand->dims[d];
    }
  }
  *out_shape = shape;
  return NULL;
}

// chlo.broadcast_*. The operation that it becomes checks element types by itself, but for
// those of different operands.
pod_status_t shape_broadcasting(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_type_t **out_types) {
  const bool is_select = op->kind == KIND_CHLO_BROADCAST_SELECT;
  POD_TRY(shape_arity(module, op, is_select ? 3 : 2, 1, 0));
  const int first = is_select ? 1 : 0;
  const tensor_shape_t *a = shape_operand(op, first), *b = shape_operand(op, first + 1);
  if (a->dtype != b->dtype) {
    return SHAPE_ERROR("operands %d and %d must have one element type: %s and %s", first,
                       first + 1, shape_text(module, a), shape_text(module, b));
  }
  tensor_shape_t shape;
  POD_TRY(broadcast_sizes(module, op, &shape));
  shape.dtype = a->dtype;
  if (op->kind == KIND_CHLO_BROADCAST_COMPARE) {
    shape.dtype = TENSOR_PRED;
  } else if (op->kind == KIND_CHLO_BROADCAST_COMPLEX) {
    shape.dtype = a->dtype == TENSOR_F32   ? TENSOR_C64
                  : a->dtype == TENSOR_F64 ? TENSOR_C128
                                           : shape_declared(op, 0)->dtype;
  }
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

// --- ragged_dot ---

// Dimensions of a rank, each once, also among those in *inout_seen.
static pod_status_t check_list(mlir_module_t *module, const mlir_op_t *op,
                               const char *name, const stablehlo_dims_t *list, int rank,
                               uint32_t *inout_seen) {
  for (int64_t i = 0; i < list->count; i++) {
    const int64_t dim = list->values[i];
    if (dim < 0 || dim >= rank) {
      return SHAPE_ERROR("%s names dimension %" PRId64 " of rank %d", name, dim, rank);
    }
    if ((*inout_seen >> dim & 1u) != 0) {
      return SHAPE_ERROR("%s names dimension %" PRId64 ", which is named already", name,
                         dim);
    }
    *inout_seen |= 1u << dim;
  }
  return NULL;
}

// Two lists are as long and name dimensions of the same sizes.
static pod_status_t check_pair(mlir_module_t *module, const mlir_op_t *op,
                               const char *kind, const stablehlo_dims_t *lhs,
                               const stablehlo_dims_t *rhs) {
  if (lhs->count != rhs->count) {
    return SHAPE_ERROR("lhs_%s_dimensions names %" PRId64
                       " dimensions, rhs_%s_dimensions %" PRId64,
                       kind, lhs->count, kind, rhs->count);
  }
  for (int64_t i = 0; i < lhs->count; i++) {
    const int64_t l = lhs->values[i], r = rhs->values[i];
    if (shape_operand(op, 0)->dims[l] != shape_operand(op, 1)->dims[r]) {
      return SHAPE_ERROR("dimension %" PRId64 " of the left operand has size %" PRId64
                         ", dimension %" PRId64 " of the right one %" PRId64,
                         l, shape_operand(op, 0)->dims[l], r,
                         shape_operand(op, 1)->dims[r]);
    }
  }
  return NULL;
}

static bool has_dim(const stablehlo_dims_t *list, int64_t dim) {
  for (int64_t i = 0; i < list->count; i++) {
    if (list->values[i] == dim) {
      return true;
    }
  }
  return false;
}

static pod_status_t check_ragged(mlir_module_t *module, const mlir_op_t *op,
                                 const stablehlo_ragged_dot_t *dims) {
  const int lhs = shape_operand(op, 0)->rank, rhs = shape_operand(op, 1)->rank;
  uint32_t seen = 0, ragged = 0;
  POD_TRY(check_list(module, op, "lhs_batching_dimensions", &dims->dot.lhs_batching, lhs,
                     &seen));
  POD_TRY(check_list(module, op, "lhs_contracting_dimensions", &dims->dot.lhs_contracting,
                     lhs, &seen));
  seen = 0;
  POD_TRY(check_list(module, op, "rhs_batching_dimensions", &dims->dot.rhs_batching, rhs,
                     &seen));
  POD_TRY(check_list(module, op, "rhs_contracting_dimensions", &dims->dot.rhs_contracting,
                     rhs, &seen));
  POD_TRY(check_list(module, op, "rhs_group_dimensions", &dims->rhs_group, rhs, &seen));
  POD_TRY(
      check_list(module, op, "lhs_ragged_dimensions", &dims->lhs_ragged, lhs, &ragged));
  POD_TRY(check_pair(module, op, "batching", &dims->dot.lhs_batching,
                     &dims->dot.rhs_batching));
  POD_TRY(check_pair(module, op, "contracting", &dims->dot.lhs_contracting,
                     &dims->dot.rhs_contracting));
  if (dims->lhs_ragged.count != 1) {
    return SHAPE_ERROR("needs one ragged dimension of its left operand, not %" PRId64,
                       dims->lhs_ragged.count);
  }
  return NULL;
}

// Group dimensions: one where rows are ragged, with as many elements as there are groups.
static pod_status_t check_group(mlir_module_t *module, const mlir_op_t *op,
                                const stablehlo_ragged_dot_t *dims, bool are_rows,
                                int64_t groups) {
  if (!are_rows) {
    return dims->rhs_group.count == 0
               ? NULL
               : SHAPE_ERROR(
                     "takes no group dimension of its right operand where a "
                     "contracting or batching dimension is ragged");
  }
  if (dims->rhs_group.count != 1) {
    return SHAPE_ERROR("needs one group dimension of its right operand, not %" PRId64,
                       dims->rhs_group.count);
  }
  const int64_t dim = dims->rhs_group.values[0];
  const int64_t size = shape_operand(op, 1)->dims[dim];
  return size == groups
             ? NULL
             : SHAPE_ERROR("dimension %" PRId64 " of the right operand has size %" PRId64
                           "; there are %" PRId64 " groups",
                           dim, size, groups);
}

// Sizes of groups are one list for all, or one for each place of the dimensions of the
// left operand that stand before the ragged one: the batching ones and its own kind.
static pod_status_t check_sizes(mlir_module_t *module, const mlir_op_t *op,
                                const stablehlo_ragged_dot_t *dims) {
  const tensor_shape_t *lhs = shape_operand(op, 0), *sizes = shape_operand(op, 2);
  const stablehlo_dot_t *dot = &dims->dot;
  const int64_t ragged = dims->lhs_ragged.values[0];
  if (!tensor_dtype_is_integer(sizes->dtype) || sizes->rank < 1) {
    return SHAPE_ERROR("the group sizes are %s; they must be integers, of rank 1 or more",
                       shape_text(module, sizes));
  }
  if (sizes->rank == 1) {
    return NULL;
  }
  tensor_shape_t needed = {.dtype = sizes->dtype};
  for (int64_t i = 0; i < dot->lhs_batching.count; i++) {
    if (dot->lhs_batching.values[i] == ragged) {
      break;
    }
    needed.dims[needed.rank++] = lhs->dims[dot->lhs_batching.values[i]];
  }
  const bool is_contracted = has_dim(&dot->lhs_contracting, ragged);
  for (int64_t i = 0; is_contracted && dot->lhs_contracting.values[i] != ragged; i++) {
    needed.dims[needed.rank++] = lhs->dims[dot->lhs_contracting.values[i]];
  }
  const bool is_row = !is_contracted && !has_dim(&dot->lhs_batching, ragged);
  for (int64_t d = 0; is_row && d < ragged; d++) {
    if (!has_dim(&dot->lhs_batching, d) && !has_dim(&dot->lhs_contracting, d)) {
      needed.dims[needed.rank++] = lhs->dims[d];
    }
  }
  needed.dims[needed.rank++] = sizes->dims[sizes->rank - 1];
  return tensor_shape_equal(&needed, sizes)
             ? NULL
             : SHAPE_ERROR("the group sizes are %s; they must be one list or %s",
                           shape_text(module, sizes), shape_text(module, &needed));
}

pod_status_t shape_ragged_dot(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  const mlir_attr_t *attr = mlir_op_attr(op, "ragged_dot_dimension_numbers");
  if (attr == NULL) {
    return SHAPE_ERROR("lacks the attribute 'ragged_dot_dimension_numbers'");
  }
  int64_t precision[2];
  POD_TRY(shape_precision(module, op, precision));
  stablehlo_ragged_dot_t dims;
  POD_TRY(stablehlo_ragged_dot_dimensions(module, attr, &dims));
  POD_TRY(check_ragged(module, op, &dims));
  const tensor_shape_t *lhs = shape_operand(op, 0), *rhs = shape_operand(op, 1),
                       *sizes = shape_operand(op, 2);
  POD_TRY(check_sizes(module, op, &dims));
  const stablehlo_dot_t *dot = &dims.dot;
  const int64_t groups = sizes->dims[sizes->rank - 1], ragged = dims.lhs_ragged.values[0];
  const bool is_contracted = has_dim(&dot->lhs_contracting, ragged);
  POD_TRY(check_group(module, op, &dims,
                      !is_contracted && !has_dim(&dot->lhs_batching, ragged), groups));
  int64_t result[2 * TENSOR_RANK_MAX + 1];
  int rank = 0;
  if (is_contracted) {
    result[rank++] = groups;
  }
  for (int64_t i = 0; i < dot->lhs_batching.count; i++) {
    result[rank++] = lhs->dims[dot->lhs_batching.values[i]];
  }
  for (int d = 0; d < lhs->rank; d++) {
    if (!has_dim(&dot->lhs_batching, d) && !has_dim(&dot->lhs_contracting, d)) {
      result[rank++] = lhs->dims[d];
    }
  }
  for (int d = 0; d < rhs->rank; d++) {
    if (!has_dim(&dot->rhs_batching, d) && !has_dim(&dot->rhs_contracting, d) &&
        !has_dim(&dims.rhs_group, d)) {
      result[rank++] = rhs->dims[d];
    }
  }
  if (rank > TENSOR_RANK_MAX) {
    return SHAPE_ERROR("its result has rank %d; at most %d are possible", rank,
                       (int)TENSOR_RANK_MAX);
  }
  const tensor_shape_t shape =
      tensor_shape_make(shape_declared(op, 0)->dtype, rank, result);
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}
