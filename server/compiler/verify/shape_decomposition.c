// Shape rules of the decompositions of matrices. All take [..., m, n] of floats or
// complex numbers; what they give has the same batch dimensions. The shapes are those of
// JAX's primitives (jax/_src/lax/linalg.py: geqrf, householder_product, lu, eigh).

#include <inttypes.h>

#include "server/compiler/verify/shape.h"

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Operand 0 holds matrices, out_rows x out_columns.
static pod_status_t check_matrices(mlir_module_t *module, const mlir_op_t *op,
                                   int64_t *out_rows, int64_t *out_columns) {
  const tensor_shape_t *a = shape_operand(op, 0);
  if (!tensor_dtype_is_float(a->dtype) && !tensor_dtype_is_complex(a->dtype)) {
    return SHAPE_ERROR("takes floats or complex numbers, not %s", shape_text(module, a));
  }
  if (a->rank < 2) {
    return SHAPE_ERROR("takes matrices, of rank 2 or more, not %s",
                       shape_text(module, a));
  }
  *out_rows = a->dims[a->rank - 2];
  *out_columns = a->dims[a->rank - 1];
  return NULL;
}

// A vector of `size` elements of `dtype` for every matrix of operand 0.
static const mlir_type_t *vectors(mlir_module_t *module, const mlir_op_t *op,
                                  tensor_dtype_t dtype, int64_t size) {
  tensor_shape_t shape = *shape_operand(op, 0);
  shape.rank--;
  shape.dims[shape.rank - 1] = size;
  shape.dtype = dtype;
  return mlir_type_tensor(module, &shape);
}

// (a) -> (reflectors below the diagonal and r above, taus)
pod_status_t shape_qr(mlir_module_t *module, const mlir_op_t *op,
                      const mlir_type_t **out_types) {
  int64_t rows, columns;
  POD_TRY(shape_arity(module, op, 1, 2, 0));
  POD_TRY(check_matrices(module, op, &rows, &columns));
  out_types[0] = op->operands[0]->type;
  out_types[1] = vectors(module, op, shape_operand(op, 0)->dtype, smaller(rows, columns));
  return NULL;
}

// (reflectors, taus) -> q
pod_status_t shape_householder_product(mlir_module_t *module, const mlir_op_t *op,
                                       const mlir_type_t **out_types) {
  int64_t rows, columns;
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  POD_TRY(check_matrices(module, op, &rows, &columns));
  if (rows < columns) {
    return SHAPE_ERROR("takes matrices of no more columns than rows, not %" PRId64
                       " of %" PRId64,
                       columns, rows);
  }
  const tensor_shape_t *taus = shape_operand(op, 1);
  const int64_t count = taus->rank > 0 ? taus->dims[taus->rank - 1] : 0;
  const mlir_type_t *expected = vectors(module, op, shape_operand(op, 0)->dtype, count);
  if (!tensor_shape_equal(taus, &expected->shape) || count > columns) {
    return SHAPE_ERROR(
        "its second operand is %s; it must have the batch and the element "
        "type of the first, and at most %" PRId64 " numbers a matrix",
        shape_text(module, taus), columns);
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// (a) -> (l below the diagonal and u above, pivots, permutation)
pod_status_t shape_lu(mlir_module_t *module, const mlir_op_t *op,
                      const mlir_type_t **out_types) {
  int64_t rows, columns;
  POD_TRY(shape_arity(module, op, 1, 3, 0));
  POD_TRY(check_matrices(module, op, &rows, &columns));
  out_types[0] = op->operands[0]->type;
  out_types[1] = vectors(module, op, TENSOR_S32, smaller(rows, columns));
  out_types[2] = vectors(module, op, TENSOR_S32, rows);
  return NULL;
}

// (a) -> (eigenvectors, eigenvalues)
pod_status_t shape_eigh(mlir_module_t *module, const mlir_op_t *op,
                        const mlir_type_t **out_types) {
  int64_t rows, columns;
  POD_TRY(shape_arity(module, op, 1, 2, 0));
  POD_TRY(check_matrices(module, op, &rows, &columns));
  POD_TRY(shape_flag(module, op, "lower"));
  POD_TRY(shape_flag(module, op, "sorted"));
  if (rows != columns) {
    return SHAPE_ERROR("takes square matrices, not %" PRId64 " x %" PRId64, rows,
                       columns);
  }
  const tensor_dtype_t dtype = shape_operand(op, 0)->dtype;
  const tensor_dtype_t real = dtype == TENSOR_C64    ? TENSOR_F32
                              : dtype == TENSOR_C128 ? TENSOR_F64
                                                     : dtype;
  out_types[0] = op->operands[0]->type;
  out_types[1] = vectors(module, op, real, rows);
  return NULL;
}
