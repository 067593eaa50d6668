// The routines of BLAS and LAPACK that decompositions are made of, of double and complex
// double alike: one matrix type says which it is. Each takes a part that is done in
// milliseconds; who calls them cuts large matrices up and looks at the stop flag in
// between (stop.h).
//
// Shapes: matrices are stored by columns; element (i, j) is at i + j · stride. Vectors
// are dense, of the matrix's element type unless said otherwise. Ownership: everything is
// the caller's. Threading: pure; any thread. LAPACK is kept to the calling thread.
// Errors: none but as noted; NaN and infinities go through.

#ifndef SERVER_WORKER_KERNELS_LINEAR_LAPACK_H_
#define SERVER_WORKER_KERNELS_LINEAR_LAPACK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Indexes of LAPACK are of 32 bits: no more rows, columns or stride.
#define LAPACK_SIZE_MAX INT32_MAX

typedef struct lapack_matrix_t {
  char *data;
  int64_t rows, columns, stride;
  bool is_complex;
} lapack_matrix_t;

// Bytes of an element.
static inline size_t lapack_element(const lapack_matrix_t *a) {
  return a->is_complex ? 2 * sizeof(double) : sizeof(double);
}

// Where element (row, column) is.
static inline char *lapack_at(const lapack_matrix_t *a, int64_t row, int64_t column) {
  return a->data + (size_t)(row + column * a->stride) * lapack_element(a);
}

// The part of `rows` x `columns` from (row, column) on; shares the data.
static inline lapack_matrix_t lapack_part(const lapack_matrix_t *a, int64_t row,
                                          int64_t column, int64_t rows, int64_t columns) {
  return (lapack_matrix_t){lapack_at(a, row, column), rows, columns, a->stride,
                           a->is_complex};
}

// Before the first call of a kernel: a BLAS that has threads of its own gets one.
void lapack_prepare(void);

// --- Reflectors: H = I - tau · v · v^H, v has 1 on the diagonal and 0 above ---

// a = Q R in place: R on and above the diagonal, vectors below; min(rows, columns) taus.
// `work` has as many elements as columns.
void lapack_factor_qr(const lapack_matrix_t *a, void *taus, void *work);

// The triangle t, v->columns wide, of H1 H2 … = I - V t V^H.
void lapack_join(const lapack_matrix_t *v, const void *taus, const lapack_matrix_t *t);

// c = H1 H2 … c, or its adjoint. `work` has c->columns · v->columns elements.
void lapack_reflect(const lapack_matrix_t *v, const lapack_matrix_t *t, bool is_adjoint,
                    const lapack_matrix_t *c, void *work);

// The reflector whose adjoint takes (alpha, x) to (beta, 0), beta real: v over x, `tau`.
// x has `count` elements.
double lapack_reflector(bool is_complex, void *alpha, int64_t count, void *x, void *tau);

// --- Triangles ---

// P a = L U in place with partial pivoting; row i was exchanged with row pivots[i] - 1.
// A pivot of 0 is left standing.
void lapack_factor_lu(const lapack_matrix_t *a, int32_t *pivots);

// Exchanges row i with row pivots[i] - 1, for i from 0 to count - 1.
void lapack_exchange(const lapack_matrix_t *a, int64_t count, const int32_t *pivots);

// b = l^-1 b, of the triangle below the diagonal, with 1 on it.
void lapack_solve(const lapack_matrix_t *l, const lapack_matrix_t *b);

// c -= a b
void lapack_subtract(const lapack_matrix_t *a, const lapack_matrix_t *b,
                     const lapack_matrix_t *c);

// --- Hermitian matrices, of which the lower triangle is read and written ---

// y += factor · a x
void lapack_add_hermitian(const lapack_matrix_t *a, const void *factor, const void *x,
                          void *y);

// a -= v w^H + w v^H
void lapack_subtract_hermitian(const lapack_matrix_t *a, const void *v, const void *w);

// y += factor · a x, or a^H x: of any matrix.
void lapack_add(const lapack_matrix_t *a, bool is_adjoint, const void *factor,
                const void *x, void *y);

// a -= x y^H, of any matrix.
void lapack_subtract_outer(const lapack_matrix_t *a, const void *x, const void *y);

// p -= tau / 2 · (p^H v) v, of `count` elements.
void lapack_symmetrise(bool is_complex, int64_t count, const void *v, const void *tau,
                       void *p);

// The eigenvalues in ascending order and the eigenvectors of the tridiagonal matrix with
// `diagonal` and `beside` (count - 1 numbers, room for count), of double; both are lost.
// Some count² steps, many where eigenvalues are close. False when it does not converge.
// RESOURCE: needs `work`, of LAPACK_WORK · count bytes.
enum { LAPACK_WORK = 40 * sizeof(double) };
bool lapack_tridiagonal(int64_t count, double *diagonal, double *beside,
                        double *out_values, const lapack_matrix_t *out_vectors,
                        void *work);

// --- Two solved problems side by side, D, and what couples them: D + factor · z z^T ---

// How far the columns of vectors reach: of the first only, both, the second only, and
// those that no coupling changes.
enum { LAPACK_TYPES = 4 };

// Room for `count` of each, unless said otherwise.
typedef struct lapack_pair_t {
  int64_t first_count;      // Of the first problem.
  double factor;            // The element that couples them, then as above.
  double *z;                // The last row of the first's vectors, the first row of the
                            // second's; lost.
  double *poles, *weights;  // Then D and z, of what the coupling changes.
  double *packed;    // count²; then the vectors of types 0 and 1, their upper rows,
                     // and of types 1 and 2, their lower rows.
  int32_t *rows;     // Then: which of the poles, from 1, each packed column is.
  int32_t *indexes;  // 2 · count
  int32_t *types;    // count + LAPACK_TYPES; then how many columns of each type.
} lapack_pair_t;

// Leaves out what the coupling does not change: values and vectors go to the end, where
// the values descend; they ascend when nothing else is there. Returns how many others
// there are. `order` has each problem's values ascending, from 1; lost.
int64_t lapack_deflate(lapack_pair_t *pair, double *values,
                       const lapack_matrix_t *vectors, int32_t *order);

// The eigenvalue above pole `index` of `count`, and its distances to all poles; of two
// poles the eigenvector instead. False when it does not converge.
bool lapack_root(const lapack_pair_t *pair, int64_t count, int64_t index,
                 double *out_gaps, double *out_value);

// c = a b, of double.
void lapack_multiply(const lapack_matrix_t *a, const lapack_matrix_t *b,
                     const lapack_matrix_t *c);

// The length of a vector of double.
double lapack_length(int64_t count, const double *x);

#endif  // SERVER_WORKER_KERNELS_LINEAR_LAPACK_H_
