// Decompositions of one matrix of double or complex double, in place, in parts that take
// milliseconds: between them the stop flag is looked at (stop.h), and what is left undone
// after it is raised does not matter.
//
// Shapes: matrices by columns, see lapack.h. Threading: any thread.
// Errors: RESOURCE_EXHAUSTED, for scratch.

#ifndef SERVER_WORKER_KERNELS_LINEAR_BLOCKS_H_
#define SERVER_WORKER_KERNELS_LINEAR_BLOCKS_H_

#include "common/base/status.h"
#include "server/worker/kernels/linear/lapack.h"

// a = Q R: R on and above the diagonal, the vectors of the reflectors below, whose
// min(rows, columns) factors go to `taus`.
POD_MUST_USE pod_status_t blocks_qr(const lapack_matrix_t *a, void *taus);

// c = H1 H2 … Hk c with k = v->columns, of reflectors as blocks_qr leaves them; c has as
// many rows as v. With `is_identity` c is the identity, cut off to its size, and only
// what does not stay 0 is worked on.
POD_MUST_USE pod_status_t blocks_reflect(const lapack_matrix_t *v, const void *taus,
                                         bool is_identity, const lapack_matrix_t *c);

// P a = L U: row i, from the first on, was exchanged with row pivots[i] >= i.
void blocks_lu(const lapack_matrix_t *a, int32_t *pivots);

// The eigenvectors of the Hermitian matrix whose lower triangle `a` has, in its place, by
// columns, and the eigenvalues in ascending order. All NaN where an element is not
// finite.
POD_MUST_USE pod_status_t blocks_eigh(const lapack_matrix_t *a, double *out_values);

// As lapack_tridiagonal.
POD_MUST_USE pod_status_t blocks_tridiagonal(int64_t count, double *diagonal,
                                             double *beside, double *out_values,
                                             const lapack_matrix_t *out_vectors,
                                             void *work, bool *out_converged);

// Operations between two looks at the stop flag: 20 ms for the slowest BLAS, one number
// at a time.
#define BLOCKS_PART_FLOP 2e7

// How many columns of `flop_a_column` are a part; at least 1.
int64_t blocks_columns(double flop_a_column);

#endif  // SERVER_WORKER_KERNELS_LINEAR_BLOCKS_H_
