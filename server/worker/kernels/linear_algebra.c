// triangular_solve and cholesky, by substitution and by columns, in double or complex
// double and rounded once.

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// A matrix as a view: element (i, j) at i · row + j · column.
typedef struct view_t {
  int64_t row, column;
} view_t;

typedef struct solve_t {
  int64_t n, m;  // op(a) is n x n; there are m right sides.
  view_t a, x;
  bool is_lower, has_unit_diagonal, is_conjugated;
} solve_t;

// op(a) x = b in place of b, one right side after the other. From the top when op(a) is
// lower triangular.
#define SOLVE(name, type, conjugate)                                         \
  static void name(const solve_t *s, const type *a, type *x) {               \
    for (int64_t j = 0; j < s->m && !kernel_is_stopped(); j++) {             \
      for (int64_t step = 0; step < s->n && !kernel_is_stopped(); step++) {  \
        const int64_t i = s->is_lower ? step : s->n - 1 - step;              \
        const int64_t first = s->is_lower ? 0 : i + 1;                       \
        const int64_t end = s->is_lower ? i : s->n;                          \
        type sum = x[i * s->x.row + j * s->x.column];                        \
        for (int64_t k = first; k < end; k++) {                              \
          const type element = a[i * s->a.row + k * s->a.column];            \
          sum -= (s->is_conjugated ? conjugate(element) : element) *         \
                 x[k * s->x.row + j * s->x.column];                          \
        }                                                                    \
        const type diagonal = a[i * s->a.row + i * s->a.column];             \
        x[i * s->x.row + j * s->x.column] =                                  \
            s->has_unit_diagonal                                             \
                ? sum                                                        \
                : sum / (s->is_conjugated ? conjugate(diagonal) : diagonal); \
      }                                                                      \
    }                                                                        \
  }

// a = l l^H from the lower triangle of `a`, in place; what is above becomes 0. All NaN
// when `a` is not positive definite, as XLA has it.
#define CHOLESKY(name, type, conjugate, real)                                          \
  static void name(int64_t n, view_t v, type *a) {                                     \
    bool is_definite = true;                                                           \
    for (int64_t j = 0; j < n && is_definite && !kernel_is_stopped(); j++) {           \
      double pivot = real(a[j * v.row + j * v.column]);                                \
      for (int64_t k = 0; k < j; k++) {                                                \
        const type element = a[j * v.row + k * v.column];                              \
        pivot -= real(element * conjugate(element));                                   \
      }                                                                                \
      is_definite = pivot > 0;                                                         \
      const double root = sqrt(pivot);                                                 \
      a[j * v.row + j * v.column] = root;                                              \
      for (int64_t i = j + 1; i < n && !kernel_is_stopped(); i++) {                    \
        type sum = a[i * v.row + j * v.column];                                        \
        for (int64_t k = 0; k < j; k++) {                                              \
          sum -= a[i * v.row + k * v.column] * conjugate(a[j * v.row + k * v.column]); \
        }                                                                              \
        a[i * v.row + j * v.column] = sum / root;                                      \
      }                                                                                \
    }                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                  \
      for (int64_t j = 0; j < n; j++) {                                                \
        if (!is_definite || j > i) {                                                   \
          a[i * v.row + j * v.column] = is_definite ? 0 : (double)NAN;                 \
        }                                                                              \
      }                                                                                \
    }                                                                                  \
  }

#define ITSELF(x) (x)
SOLVE(solve_real, double, ITSELF)
SOLVE(solve_complex, double _Complex, conj)
CHOLESKY(cholesky_real, double, ITSELF, ITSELF)
CHOLESKY(cholesky_complex, double _Complex, conj, creal)

// A copy of an operand in double or complex double; returns owned.
static pod_status_t widen(const tensor_shape_t *shape, const void *data,
                          tensor_dtype_t wide, void **out_copy) {
  const size_t count = (size_t)tensor_shape_elements(shape);
  void *copy = kernel_malloc(count * tensor_dtype_bytes(wide) + 1);
  if (copy == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for %zu elements", count);
  }
  kernel_convert_elements(shape->dtype, data, wide, copy, count);
  *out_copy = copy;
  return NULL;
}

static tensor_dtype_t wide_dtype(tensor_dtype_t dtype) {
  return tensor_dtype_is_complex(dtype) ? TENSOR_C128 : TENSOR_F64;
}

// x a = b is a^T x^T = b^T, so that the right side is read by columns.
static solve_t plan_solve(const chip_instruction_t *instruction,
                          const tensor_shape_t *b) {
  const bool is_left =
      chip_instruction_attr_one(instruction, CHIP_ATTR_LEFT_SIDE, 1) != 0;
  const int64_t transpose =
      chip_instruction_attr_one(instruction, CHIP_ATTR_TRANSPOSE_A, CHIP_TRANSPOSE_NO);
  const int64_t rows = b->dims[b->rank - 2], columns = b->dims[b->rank - 1];
  const int64_t n = is_left ? rows : columns;
  const bool reads_by_column = (transpose != CHIP_TRANSPOSE_NO) == is_left;
  const bool is_lower = chip_instruction_attr_one(instruction, CHIP_ATTR_LOWER, 0) != 0;
  return (solve_t){.n = n,
                   .m = is_left ? columns : rows,
                   .a = reads_by_column ? (view_t){1, n} : (view_t){n, 1},
                   .x = is_left ? (view_t){columns, 1} : (view_t){1, columns},
                   .is_lower = is_lower != reads_by_column,
                   .has_unit_diagonal = chip_instruction_attr_one(
                                            instruction, CHIP_ATTR_UNIT_DIAGONAL, 0) != 0,
                   .is_conjugated = transpose == CHIP_TRANSPOSE_ADJOINT};
}

pod_status_t kernel_triangular_solve(const kernel_args_t *args) {
  const tensor_shape_t *a_shape = kernel_operand_shape(args, 0);
  const tensor_shape_t *b_shape = kernel_operand_shape(args, 1);
  const tensor_dtype_t wide = wide_dtype(a_shape->dtype);
  const solve_t solve = plan_solve(args->instruction, b_shape);
  const int64_t count = tensor_shape_elements(b_shape);
  if (count == 0) {
    return NULL;
  }
  void *a, *x;
  POD_TRY(widen(a_shape, args->operands[0], wide, &a));
  const pod_status_t status = widen(b_shape, args->operands[1], wide, &x);
  if (status != NULL) {
    kernel_free(a);
    return status;
  }
  const int64_t batches = count / (solve.n * solve.m);
  for (int64_t i = 0; i < batches && !kernel_is_stopped(); i++) {
    const int64_t a_at = i * solve.n * solve.n, x_at = i * solve.n * solve.m;
    if (wide == TENSOR_F64) {
      solve_real(&solve, (const double *)a + a_at, (double *)x + x_at);
    } else {
      solve_complex(&solve, (const double _Complex *)a + a_at,
                    (double _Complex *)x + x_at);
    }
  }
  kernel_convert_elements(wide, x, b_shape->dtype, args->results[0], (size_t)count);
  kernel_free(a);
  kernel_free(x);
  return NULL;
}

// a = u^H u from the upper triangle is the same, read by columns: u^H is then the lower
// factor of the conjugate, whose conjugate transposed is u.
pod_status_t kernel_cholesky(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const tensor_dtype_t wide = wide_dtype(shape->dtype);
  const int64_t n = shape->dims[shape->rank - 1], count = tensor_shape_elements(shape);
  const bool is_lower =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_LOWER, 0) != 0;
  if (count == 0) {
    return NULL;
  }
  void *a;
  POD_TRY(widen(shape, args->operands[0], wide, &a));
  const view_t view = is_lower ? (view_t){n, 1} : (view_t){1, n};
  for (int64_t at = 0; at < count && !kernel_is_stopped(); at += n * n) {
    if (wide == TENSOR_F64) {
      cholesky_real(n, view, (double *)a + at);
    } else {
      cholesky_complex(n, view, (double _Complex *)a + at);
    }
  }
  kernel_convert_elements(wide, a, shape->dtype, args->results[0], (size_t)count);
  kernel_free(a);
  return NULL;
}
