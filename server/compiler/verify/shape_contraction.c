// reduce and dot_general; (C…) are the constraints of the StableHLO specification.

#include <inttypes.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"

// (C6): the body computes in the element types of the inputs; those of a wider body have
// been converted by expand_promote.
static pod_status_t check_reduce_body(mlir_module_t *module, const mlir_op_t *op,
                                      int count) {
  tensor_dtype_t *dtypes = pod_arena_array(module->arena, (size_t)count, sizeof(*dtypes));
  for (int i = 0; i < count; i++) {
    dtypes[i] = shape_operand(op, i)->dtype;
  }
  return shape_reducer(module, op, count, dtypes);
}

pod_status_t shape_reduce(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  const int count = op->operand_count / 2;
  if (count == 0 || op->operand_count % 2 != 0) {
    return SHAPE_ERROR("has %d operands; it takes inputs and as many initial values",
                       op->operand_count);
  }
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, 1));
  const tensor_shape_t *first = shape_operand(op, 0);
  int64_t dim_count;
  const int64_t *dims;
  POD_TRY(shape_i64s(module, op, "dimensions", SHAPE_ANY, &dim_count, &dims));
  POD_TRY(shape_check_dims(module, op, "dimensions", dim_count, dims, first->rank));
  uint32_t is_reduced = 0;
  for (int64_t i = 0; i < dim_count; i++) {
    is_reduced |= 1u << dims[i];
  }
  for (int i = 0; i < count; i++) {
    const tensor_shape_t *input = shape_operand(op, i),
                         *init = shape_operand(op, count + i);
    if (!tensor_shape_same_dims(input, first)) {
      return SHAPE_ERROR("input %d is %s, input 0 is %s; their sizes must be the same", i,
                         shape_text(module, input), shape_text(module, first));
    }
    if (init->rank != 0 || init->dtype != input->dtype) {
      return SHAPE_ERROR("initial value %d is %s; it must be tensor<%s>", i,
                         shape_text(module, init), tensor_dtype_mlir_name(input->dtype));
    }
    tensor_shape_t result = {.dtype = input->dtype};
    for (int d = 0; d < input->rank; d++) {
      if ((is_reduced & (1u << d)) == 0) {
        result.dims[result.rank++] = input->dims[d];
      }
    }
    out_types[i] = mlir_type_tensor(module, &result);
  }
  return check_reduce_body(module, op, count);
}

// Batching and contracting dimensions of one side: in range, each named once.
static pod_status_t check_side(mlir_module_t *module, const mlir_op_t *op,
                               const char *side, const stablehlo_dims_t lists[2],
                               int rank, uint32_t *out_used) {
  static const char *const kinds[] = {"batching", "contracting"};
  *out_used = 0;
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < lists[k].count; i++) {
      const int64_t dim = lists[k].values[i];
      if (dim < 0 || dim >= rank) {
        return SHAPE_ERROR("%s dimension %" PRId64 " of %s, which has rank %d", kinds[k],
                           dim, side, rank);
      }
      if ((*out_used & (1u << dim)) != 0) {
        return SHAPE_ERROR("dimension %" PRId64 " of %s is named twice", dim, side);
      }
      *out_used |= 1u << dim;
    }
  }
  return NULL;
}

// (C1), (C2), (C9), (C10).
static pod_status_t check_dot_pairs(mlir_module_t *module, const mlir_op_t *op,
                                    const char *kind, const stablehlo_dims_t *lhs,
                                    const stablehlo_dims_t *rhs) {
  if (lhs->count != rhs->count) {
    return SHAPE_ERROR("%" PRId64 " %s dimensions of lhs, %" PRId64 " of rhs", lhs->count,
                       kind, rhs->count);
  }
  for (int64_t i = 0; i < lhs->count; i++) {
    const int64_t a = shape_operand(op, 0)->dims[lhs->values[i]],
                  b = shape_operand(op, 1)->dims[rhs->values[i]];
    if (a != b) {
      return SHAPE_ERROR("%s dimensions differ: %" PRId64 " of lhs dimension %" PRId64
                         ", %" PRId64 " of rhs dimension %" PRId64,
                         kind, a, lhs->values[i], b, rhs->values[i]);
    }
  }
  return NULL;
}

static pod_status_t append(mlir_module_t *module, const mlir_op_t *op,
                           tensor_shape_t *result, int64_t size) {
  if (result->rank == TENSOR_RANK_MAX) {
    return SHAPE_ERROR("the result has more than %d dimensions", (int)TENSOR_RANK_MAX);
  }
  result->dims[result->rank++] = size;
  return NULL;
}

// The dimensions of an operand that are not among `used`.
static pod_status_t append_free(mlir_module_t *module, const mlir_op_t *op,
                                tensor_shape_t *result, int side, uint32_t used) {
  const tensor_shape_t *operand = shape_operand(op, side);
  for (int d = 0; d < operand->rank; d++) {
    if ((used & (1u << d)) == 0) {
      POD_TRY(append(module, op, result, operand->dims[d]));
    }
  }
  return NULL;
}

pod_status_t shape_precision(mlir_module_t *module, const mlir_op_t *op,
                             int64_t out_precision[2]) {
  const mlir_attr_t *config = mlir_op_attr(op, "precision_config");
  POD_TRY(stablehlo_precision(module, config, out_precision));
  if (config != NULL && config->count == 1) {
    return SHAPE_ERROR(
        "'precision_config' has 1 precision; it has one for lhs and one for rhs, or "
        "none");
  }
  return NULL;
}

// (C11), (C21) to (C24).
static pod_status_t check_dot_precision(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "algorithm");
  int64_t precision[2];
  POD_TRY(shape_precision(module, op, precision));
  if (attr == NULL) {
    return NULL;
  }
  stablehlo_dot_algorithm_t algorithm;
  POD_TRY(stablehlo_dot_algorithm(module, attr, &algorithm));
  if (precision[0] != 0 || precision[1] != 0) {
    return SHAPE_ERROR(
        "'precision_config' must be DEFAULT where 'algorithm' says how to "
        "compute");
  }
  const struct {
    const char *name;
    int64_t count;
  } counts[] = {{"lhs_component_count", algorithm.lhs_component_count},
                {"rhs_component_count", algorithm.rhs_component_count},
                {"num_primitive_operations", algorithm.num_primitive_operations}};
  for (size_t i = 0; i < POD_COUNT_OF(counts); i++) {
    if (counts[i].count <= 0) {
      return SHAPE_ERROR("'%s' is %" PRId64 "; it must be positive", counts[i].name,
                         counts[i].count);
    }
  }
  return NULL;
}

pod_status_t shape_dot_general(mlir_module_t *module, const mlir_op_t *op,
                               const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  const tensor_shape_t *lhs = shape_operand(op, 0), *rhs = shape_operand(op, 1);
  if (mlir_op_attr(op, "dot_dimension_numbers") == NULL) {
    return SHAPE_ERROR("lacks the attribute 'dot_dimension_numbers'");
  }
  stablehlo_dot_t dot;
  POD_TRY(
      stablehlo_dot_dimensions(module, mlir_op_attr(op, "dot_dimension_numbers"), &dot));
  const stablehlo_dims_t lhs_lists[] = {dot.lhs_batching, dot.lhs_contracting},
                         rhs_lists[] = {dot.rhs_batching, dot.rhs_contracting};
  uint32_t used[2];
  POD_TRY(check_side(module, op, "lhs", lhs_lists, lhs->rank, &used[0]));
  POD_TRY(check_side(module, op, "rhs", rhs_lists, rhs->rank, &used[1]));
  POD_TRY(check_dot_pairs(module, op, "batching", &dot.lhs_batching, &dot.rhs_batching));
  POD_TRY(check_dot_pairs(module, op, "contracting", &dot.lhs_contracting,
                          &dot.rhs_contracting));
  if (lhs->dtype != rhs->dtype) {  // (C13)
    return SHAPE_ERROR("element types differ: %s of lhs, %s of rhs",
                       tensor_dtype_mlir_name(lhs->dtype),
                       tensor_dtype_mlir_name(rhs->dtype));
  }
  POD_TRY(check_dot_precision(module, op));
  tensor_shape_t result = {.dtype = shape_declared(op, 0)->dtype};
  for (int64_t i = 0; i < dot.lhs_batching.count; i++) {
    POD_TRY(append(module, op, &result, lhs->dims[dot.lhs_batching.values[i]]));
  }
  for (int side = 0; side < 2; side++) {
    POD_TRY(append_free(module, op, &result, side, used[side]));
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}
