// LAPACK and BLAS by element type. The forms of LAPACKE that end in _work take memory
// from the caller and neither look for NaN nor transpose.

#define lapack_complex_double double _Complex
#define lapack_complex_float float _Complex
#include "server/worker/kernels/linear/lapack.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <pthread.h>
#include <string.h>

typedef double _Complex complex_t;

// There with OpenBLAS, whichever BLAS it was built against: it starts threads.
extern void openblas_set_num_threads(int count) __attribute__((weak));

// Not in lapacke.h.
extern void dlaed2_(lapack_int *k, const lapack_int *n, const lapack_int *n1, double *d,
                    double *q, const lapack_int *ldq, lapack_int *indxq, double *rho,
                    double *z, double *dlambda, double *w, double *q2, lapack_int *indx,
                    lapack_int *indxc, lapack_int *indxp, lapack_int *coltyp,
                    lapack_int *info);
extern void dlaed4_(const lapack_int *n, const lapack_int *i, const double *d,
                    const double *z, double *delta, const double *rho, double *dlam,
                    lapack_int *info);

static void use_one_thread(void) {
  if (openblas_set_num_threads != NULL) {
    openblas_set_num_threads(1);
  }
}

void lapack_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, use_one_thread);
}

static lapack_int size(int64_t count) {
  return (lapack_int)count;
}

// LAPACK demands a stride of 1 or more of empty matrices too.
static lapack_int stride(const lapack_matrix_t *a) {
  return a->stride > 0 ? size(a->stride) : 1;
}

// --- Reflectors ---

void lapack_factor_qr(const lapack_matrix_t *a, void *taus, void *work) {
  if (a->is_complex) {
    LAPACKE_zgeqr2_work(LAPACK_COL_MAJOR, size(a->rows), size(a->columns),
                        (complex_t *)a->data, stride(a), taus, work);
  } else {
    LAPACKE_dgeqr2_work(LAPACK_COL_MAJOR, size(a->rows), size(a->columns),
                        (double *)a->data, stride(a), taus, work);
  }
}

void lapack_join(const lapack_matrix_t *v, const void *taus, const lapack_matrix_t *t) {
  if (v->is_complex) {
    LAPACKE_zlarft_work(LAPACK_COL_MAJOR, 'F', 'C', size(v->rows), size(v->columns),
                        (complex_t *)v->data, stride(v), taus, (complex_t *)t->data,
                        stride(t));
  } else {
    LAPACKE_dlarft_work(LAPACK_COL_MAJOR, 'F', 'C', size(v->rows), size(v->columns),
                        (double *)v->data, stride(v), taus, (double *)t->data, stride(t));
  }
}

void lapack_reflect(const lapack_matrix_t *v, const lapack_matrix_t *t, bool is_adjoint,
                    const lapack_matrix_t *c, void *work) {
  if (v->is_complex) {
    LAPACKE_zlarfb_work(LAPACK_COL_MAJOR, 'L', is_adjoint ? 'C' : 'N', 'F', 'C',
                        size(c->rows), size(c->columns), size(v->columns),
                        (const complex_t *)v->data, stride(v), (complex_t *)t->data,
                        stride(t), (complex_t *)c->data, stride(c), work,
                        size(c->columns));
  } else {
    LAPACKE_dlarfb_work(LAPACK_COL_MAJOR, 'L', is_adjoint ? 'T' : 'N', 'F', 'C',
                        size(c->rows), size(c->columns), size(v->columns),
                        (const double *)v->data, stride(v), (double *)t->data, stride(t),
                        (double *)c->data, stride(c), work, size(c->columns));
  }
}

double lapack_reflector(bool is_complex, void *alpha, int64_t count, void *x, void *tau) {
  if (is_complex) {
    LAPACKE_zlarfg_work(size(count) + 1, alpha, x, 1, tau);
    return creal(*(const complex_t *)alpha);
  }
  LAPACKE_dlarfg_work(size(count) + 1, alpha, x, 1, tau);
  return *(const double *)alpha;
}

// --- Triangles ---

void lapack_factor_lu(const lapack_matrix_t *a, int32_t *pivots) {
  if (a->is_complex) {
    LAPACKE_zgetrf2_work(LAPACK_COL_MAJOR, size(a->rows), size(a->columns),
                         (complex_t *)a->data, stride(a), pivots);
  } else {
    LAPACKE_dgetrf2_work(LAPACK_COL_MAJOR, size(a->rows), size(a->columns),
                         (double *)a->data, stride(a), pivots);
  }
}

void lapack_exchange(const lapack_matrix_t *a, int64_t count, const int32_t *pivots) {
  if (a->is_complex) {
    LAPACKE_zlaswp_work(LAPACK_COL_MAJOR, size(a->columns), (complex_t *)a->data,
                        stride(a), 1, size(count), pivots, 1);
  } else {
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, size(a->columns), (double *)a->data, stride(a),
                        1, size(count), pivots, 1);
  }
}

void lapack_solve(const lapack_matrix_t *l, const lapack_matrix_t *b) {
  const complex_t one = 1;
  if (l->is_complex) {
    cblas_ztrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit,
                size(b->rows), size(b->columns), &one, l->data, stride(l), b->data,
                stride(b));
  } else {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit,
                size(b->rows), size(b->columns), 1, (const double *)l->data, stride(l),
                (double *)b->data, stride(b));
  }
}

void lapack_subtract(const lapack_matrix_t *a, const lapack_matrix_t *b,
                     const lapack_matrix_t *c) {
  const complex_t one = 1, minus_one = -1;
  if (a->is_complex) {
    cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size(c->rows),
                size(c->columns), size(a->columns), &minus_one, a->data, stride(a),
                b->data, stride(b), &one, c->data, stride(c));
  } else {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size(c->rows),
                size(c->columns), size(a->columns), -1, (const double *)a->data,
                stride(a), (const double *)b->data, stride(b), 1, (double *)c->data,
                stride(c));
  }
}

// --- Hermitian matrices ---

void lapack_add_hermitian(const lapack_matrix_t *a, const void *factor, const void *x,
                          void *y) {
  const complex_t one = 1;
  if (a->is_complex) {
    cblas_zhemv(CblasColMajor, CblasLower, size(a->rows), factor, a->data, stride(a), x,
                1, &one, y, 1);
  } else {
    cblas_dsymv(CblasColMajor, CblasLower, size(a->rows), *(const double *)factor,
                (const double *)a->data, stride(a), x, 1, 1, y, 1);
  }
}

void lapack_subtract_hermitian(const lapack_matrix_t *a, const void *v, const void *w) {
  const complex_t minus_one = -1;
  if (a->is_complex) {
    cblas_zher2(CblasColMajor, CblasLower, size(a->rows), &minus_one, v, 1, w, 1, a->data,
                stride(a));
  } else {
    cblas_dsyr2(CblasColMajor, CblasLower, size(a->rows), -1, v, 1, w, 1,
                (double *)a->data, stride(a));
  }
}

void lapack_add(const lapack_matrix_t *a, bool is_adjoint, const void *factor,
                const void *x, void *y) {
  const complex_t one = 1;
  if (a->is_complex) {
    cblas_zgemv(CblasColMajor, is_adjoint ? CblasConjTrans : CblasNoTrans, size(a->rows),
                size(a->columns), factor, a->data, stride(a), x, 1, &one, y, 1);
  } else {
    cblas_dgemv(CblasColMajor, is_adjoint ? CblasTrans : CblasNoTrans, size(a->rows),
                size(a->columns), *(const double *)factor, (const double *)a->data,
                stride(a), x, 1, 1, y, 1);
  }
}

void lapack_subtract_outer(const lapack_matrix_t *a, const void *x, const void *y) {
  const complex_t minus_one = -1;
  if (a->is_complex) {
    cblas_zgerc(CblasColMajor, size(a->rows), size(a->columns), &minus_one, x, 1, y, 1,
                a->data, stride(a));
  } else {
    cblas_dger(CblasColMajor, size(a->rows), size(a->columns), -1, x, 1, y, 1,
               (double *)a->data, stride(a));
  }
}

void lapack_symmetrise(bool is_complex, int64_t count, const void *v, const void *tau,
                       void *p) {
  const lapack_int n = size(count);
  if (is_complex) {
    complex_t product;
    cblas_zdotc_sub(n, p, 1, v, 1, &product);
    const complex_t factor = -0.5 * *(const complex_t *)tau * product;
    cblas_zaxpy(n, &factor, v, 1, p, 1);
  } else {
    cblas_daxpy(n, -0.5 * *(const double *)tau * cblas_ddot(n, p, 1, v, 1), v, 1, p, 1);
  }
}

// Relatively robust representations (Dhillon and Parlett), which take count² steps; QL
// where they give up.
bool lapack_tridiagonal(int64_t count, double *diagonal, double *beside,
                        double *out_values, const lapack_matrix_t *out_vectors,
                        void *work) {
  const lapack_int n = size(count), ld = stride(out_vectors);
  double *z = (double *)out_vectors->data;
  double *kept_diagonal = work, *kept_beside = kept_diagonal + n;
  double *numbers = kept_beside + n;
  lapack_int *indexes = (lapack_int *)(numbers + 18 * (int64_t)n);
  lapack_int *support = indexes + 10 * (int64_t)n;
  memcpy(kept_diagonal, diagonal, (size_t)n * sizeof(double));
  memcpy(kept_beside, beside, (size_t)n * sizeof(double));
  lapack_int found = 0;
  lapack_logical is_relative = 1;
  const lapack_int info = LAPACKE_dstemr_work(
      LAPACK_COL_MAJOR, 'V', 'A', n, diagonal, beside, 0, 0, 0, 0, &found, out_values, z,
      ld, n, support, &is_relative, numbers, 18 * n, indexes, 10 * n);
  if (info == 0 && found == n) {
    return true;
  }
  memcpy(out_values, kept_diagonal, (size_t)n * sizeof(double));
  return LAPACKE_dsteqr_work(LAPACK_COL_MAJOR, 'I', n, out_values, kept_beside, z, ld,
                             numbers) == 0;
}

// --- Two problems ---

int64_t lapack_deflate(lapack_pair_t *pair, double *values,
                       const lapack_matrix_t *vectors, int32_t *order) {
  const lapack_int n = size(vectors->rows), first = size(pair->first_count);
  const lapack_int ld = stride(vectors);
  lapack_int k = 0, info = 0;
  dlaed2_(&k, &n, &first, values, (double *)vectors->data, &ld, order, &pair->factor,
          pair->z, pair->poles, pair->weights, pair->packed, pair->indexes, pair->rows,
          pair->indexes + n, pair->types, &info);
  return k;
}

bool lapack_root(const lapack_pair_t *pair, int64_t count, int64_t index,
                 double *out_gaps, double *out_value) {
  const lapack_int n = size(count), i = size(index) + 1;
  lapack_int info = 0;
  dlaed4_(&n, &i, pair->poles, pair->weights, out_gaps, &pair->factor, out_value, &info);
  return info == 0;
}

void lapack_multiply(const lapack_matrix_t *a, const lapack_matrix_t *b,
                     const lapack_matrix_t *c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size(c->rows), size(c->columns),
              size(a->columns), 1, (const double *)a->data, stride(a),
              (const double *)b->data, stride(b), 0, (double *)c->data, stride(c));
}

double lapack_length(int64_t count, const double *x) {
  return cblas_dnrm2(size(count), x, 1);
}
