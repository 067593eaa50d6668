// Rules of the decompositions of matrices: [..., m, n] of floats or complex numbers, and
// vectors of the same batch.

#include "server/program/rule.h"

static int64_t rows_of(const tensor_shape_t *a) {
  return a->dims[a->rank - 2];
}

static int64_t columns_of(const tensor_shape_t *a) {
  return a->dims[a->rank - 1];
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static bool are_matrices(const tensor_shape_t *a) {
  return a->rank >= 2 &&
         (tensor_dtype_is_float(a->dtype) || tensor_dtype_is_complex(a->dtype));
}

// A vector of `size` elements for every matrix of `a`.
static bool are_vectors(const tensor_shape_t *vectors, const tensor_shape_t *a,
                        tensor_dtype_t dtype, int64_t size) {
  tensor_shape_t expected = *a;
  expected.rank--;
  expected.dims[expected.rank - 1] = size;
  expected.dtype = dtype;
  return tensor_shape_equal(vectors, &expected);
}

pod_status_t check_qr(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 2));
  const tensor_shape_t *a = operand(rule, 0);
  return demand(
      are_matrices(a) && tensor_shape_equal(a, result(rule, 0)) &&
          are_vectors(result(rule, 1), a, a->dtype, smaller(rows_of(a), columns_of(a))),
      "the operand must be of matrices, as is the first result; the second "
      "has the factors of their reflectors");
}

pod_status_t check_householder_product(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  const tensor_shape_t *a = operand(rule, 0), *taus = operand(rule, 1);
  return demand(are_matrices(a) && tensor_shape_equal(a, result(rule, 0)) &&
                    rows_of(a) >= columns_of(a) && taus->rank == a->rank - 1 &&
                    taus->dims[taus->rank - 1] <= columns_of(a) &&
                    are_vectors(taus, a, a->dtype, taus->dims[taus->rank - 1]),
                "reflectors must be tall matrices, as is the result, and have their "
                "factors");
}

pod_status_t check_lu(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 3));
  const tensor_shape_t *a = operand(rule, 0);
  return demand(are_matrices(a) && tensor_shape_equal(a, result(rule, 0)) &&
                    are_vectors(result(rule, 1), a, TENSOR_S32,
                                smaller(rows_of(a), columns_of(a))) &&
                    are_vectors(result(rule, 2), a, TENSOR_S32, rows_of(a)),
                "the operand must be of matrices, as is the first result; pivots and "
                "permutation are s32");
}

pod_status_t check_eigh(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 2));
  const tensor_shape_t *a = operand(rule, 0);
  int64_t flag;
  POD_TRY(value_below(rule, CHIP_ATTR_LOWER, 2, &flag));
  POD_TRY(value_below(rule, CHIP_ATTR_SORTED, 2, &flag));
  const tensor_dtype_t real = a->dtype == TENSOR_C64    ? TENSOR_F32
                              : a->dtype == TENSOR_C128 ? TENSOR_F64
                                                        : a->dtype;
  return demand(are_matrices(a) && rows_of(a) == columns_of(a) &&
                    tensor_shape_equal(a, result(rule, 0)) &&
                    are_vectors(result(rule, 1), a, real, rows_of(a)),
                "the operand must be of square matrices, as are the eigenvectors; "
                "eigenvalues are real");
}
