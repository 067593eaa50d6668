// Eigenvectors of tridiagonal matrices by divide and conquer (Cuppen; Gu and Eisenstat,
// SIAM J. Matrix Anal. Appl. 16, 1995): the matrix is torn in two, what LAPACK solves in
// milliseconds is left to it, and two solutions are one after the roots of a rational
// function and a product of matrices, which are done a few columns at a time. A large
// problem is scaled by a power of two, because what is negligible is judged beside
// vectors of length 1.

#include <math.h>
#include <string.h>

#include "server/worker/kernels/linear/blocks.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"

enum {
  WHOLE_MAX = 256,              // Solved by LAPACK in one call.
  TORN_MAX = 1 << 15,           // Its square is an index of LAPACK's.
  COLUMN_ELEMENTS = 128 << 10,  // Of columns that are multiplied together.
};

typedef struct problem_t {
  double *diagonal, *beside;
  double *values;
  const lapack_matrix_t *vectors;
  void *work;          // Of LAPACK, for WHOLE_MAX.
  lapack_pair_t pair;  // Room for the largest.
  double *numbers;     // Of one column.
  double *columns;     // COLUMN_ELEMENTS, and one column.
  int32_t *order;      // Of each part: its values ascending, counted from 1.
} problem_t;

static pod_status_t problem_init(problem_t *problem, int64_t count) {
  const size_t n = (size_t)count;
  const size_t bytes = (n * n + 6 * n + COLUMN_ELEMENTS) * sizeof(double) +
                       (5 * n + LAPACK_TYPES) * sizeof(int32_t);
  double *next = kernel_malloc(bytes);
  if (next == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no host memory for the eigenvectors of %zu x %zu numbers", n, n);
  }
  lapack_pair_t *pair = &problem->pair;
  pair->packed = next;
  pair->z = pair->packed + n * n;
  pair->poles = pair->z + n;
  pair->weights = pair->poles + n;
  problem->numbers = pair->weights + n;
  problem->columns = problem->numbers + n;
  pair->rows = (int32_t *)(problem->columns + COLUMN_ELEMENTS + n);
  pair->indexes = pair->rows + n;
  pair->types = pair->indexes + 2 * n;
  problem->order = pair->types + n + LAPACK_TYPES;
  return NULL;
}

static double square_root(double product, double sign) {
  return copysign(sqrt(-product), sign);
}

// The z for which the roots that were found are exact, so that vectors of close ones are
// orthogonal (Gu and Eisenstat): over the weights. Column j of `gaps` has the distances
// of all poles to root j.
static void refine_weights(const lapack_pair_t *pair, const lapack_matrix_t *gaps,
                           double *products) {
  const int64_t k = gaps->columns;
  for (int64_t i = 0; i < k; i++) {
    products[i] = *(const double *)lapack_at(gaps, i, i);
  }
  for (int64_t j = 0; j < k && !kernel_is_stopped(); j++) {
    const double *gap = (const double *)lapack_at(gaps, 0, j);
    for (int64_t i = 0; i < k; i++) {
      products[i] *= i == j ? 1 : gap[i] / (pair->poles[i] - pair->poles[j]);
    }
  }
  for (int64_t i = 0; i < k; i++) {
    pair->weights[i] = square_root(products[i], pair->weights[i]);
  }
}

// One column of distances becomes the eigenvector of its root, of length 1, its rows as
// the packed columns lie.
static void finish_column(const lapack_pair_t *pair, int64_t k, double *column,
                          double *numbers) {
  if (k == 2) {  // dlaed4 has made vectors of two already.
    memcpy(numbers, column, 2 * sizeof(double));
  }
  for (int64_t i = 0; i < k && k > 2; i++) {
    numbers[i] = pair->weights[i] / column[i];
  }
  const double length = k > 2 ? lapack_length(k, numbers) : 1;
  for (int64_t i = 0; i < k && k > 1; i++) {
    column[i] = numbers[pair->rows[i] - 1] / length;
  }
}

// The vectors of both, times those of what couples them, some columns at a time.
static void multiply(const problem_t *problem, const lapack_matrix_t *vectors,
                     int64_t k) {
  const lapack_pair_t *pair = &problem->pair;
  const int64_t first = pair->first_count, rest = vectors->rows - first;
  const int64_t upper = pair->types[0] + pair->types[1];
  const int64_t lower = pair->types[1] + pair->types[2];
  double *packed = pair->packed;
  const lapack_matrix_t above = {(char *)packed, first, upper, first, false};
  const lapack_matrix_t below = {(char *)(packed + first * upper), rest, lower, rest,
                                 false};
  const double flop = 2 * (double)(first * upper + rest * lower);
  int64_t most = blocks_columns(flop);
  most = most > COLUMN_ELEMENTS / k ? COLUMN_ELEMENTS / k : most;
  most = most < 1 ? 1 : most;
  int64_t count;
  for (int64_t j = 0; j < k && !kernel_is_stopped(); j += count) {
    count = most < k - j ? most : k - j;
    const lapack_matrix_t some = {(char *)problem->columns, k, count, k, false};
    for (int64_t i = 0; i < count; i++) {
      double *column = (double *)lapack_at(vectors, 0, j + i);
      finish_column(pair, k, column, problem->numbers);
      memcpy(lapack_at(&some, 0, i), column, (size_t)k * sizeof(double));
    }
    const lapack_matrix_t of_upper = lapack_part(&some, 0, 0, upper, count);
    const lapack_matrix_t of_lower = lapack_part(&some, pair->types[0], 0, lower, count);
    const lapack_matrix_t top = lapack_part(vectors, 0, j, first, count);
    const lapack_matrix_t bottom = lapack_part(vectors, first, j, rest, count);
    lapack_multiply(&above, &of_upper, &top);
    lapack_multiply(&below, &of_lower, &bottom);
  }
}

// The order of k values that ascend, and of others behind them that descend.
static void merge_orders(int64_t k, int64_t count, const double *values, int32_t *order) {
  int64_t i = 0, j = count - 1;
  for (int64_t at = 0; at < count; at++) {
    const bool is_first = i < k && (j < k || values[i] <= values[j]);
    order[at] = (int32_t)(is_first ? i++ : j--) + 1;
  }
}

// Two solutions side by side, coupled by one element, become one.
static bool merge(problem_t *problem, int64_t first, int64_t first_count, int64_t count,
                  double coupling) {
  lapack_pair_t *pair = &problem->pair;
  double *values = problem->values + first;
  int32_t *order = problem->order + first;
  const lapack_matrix_t vectors =
      lapack_part(problem->vectors, first, first, count, count);
  pair->first_count = first_count;
  pair->factor = coupling;
  for (int64_t j = 0; j < count; j++) {
    const int64_t row = j < first_count ? first_count - 1 : first_count;
    pair->z[j] = *(const double *)lapack_at(&vectors, row, j);
  }
  const int64_t k = lapack_deflate(pair, values, &vectors, order);
  for (int64_t j = 0; j < k && !kernel_is_stopped(); j++) {
    if (!lapack_root(pair, k, j, (double *)lapack_at(&vectors, 0, j), &values[j])) {
      return false;
    }
  }
  if (k > 2) {
    const lapack_matrix_t gaps = lapack_part(&vectors, 0, 0, k, k);
    refine_weights(pair, &gaps, problem->numbers);
  }
  if (k > 0) {
    multiply(problem, &vectors, k);
  }
  merge_orders(k == 0 ? count : k, count, values, order);
  return true;
}

static bool solve(problem_t *problem, int64_t first, int64_t count) {
  if (kernel_is_stopped()) {
    return true;
  }
  if (count <= WHOLE_MAX) {
    const lapack_matrix_t part =
        lapack_part(problem->vectors, first, first, count, count);
    for (int64_t i = 0; i < count; i++) {
      problem->order[first + i] = (int32_t)i + 1;
    }
    return lapack_tridiagonal(count, problem->diagonal + first, problem->beside + first,
                              problem->values + first, &part, problem->work);
  }
  const int64_t half = count / 2, second = first + half;
  const double coupling = problem->beside[second - 1];
  problem->diagonal[second - 1] -= fabs(coupling);
  problem->diagonal[second] -= fabs(coupling);
  return solve(problem, first, half) && solve(problem, second, count - half) &&
         (kernel_is_stopped() || merge(problem, first, half, count, coupling));
}

static int exponent_of(int64_t count, const double *diagonal, const double *beside) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) {
    most = fmax(most, fabs(diagonal[i]));
    most = i + 1 < count ? fmax(most, fabs(beside[i])) : most;
  }
  int exponent = 0;
  frexp(most, &exponent);
  return exponent;
}

static void scale(int64_t count, double *numbers, int exponent) {
  for (int64_t i = 0; i < count; i++) {
    numbers[i] = ldexp(numbers[i], exponent);
  }
}

static void copy_columns(const lapack_matrix_t *from, const lapack_matrix_t *to,
                         const int32_t *order) {
  for (int64_t j = 0; j < to->columns && !kernel_is_stopped(); j++) {
    memcpy(lapack_at(to, 0, j), lapack_at(from, 0, order == NULL ? j : order[j] - 1),
           (size_t)to->rows * sizeof(double));
  }
}

// Roots beside each other may have changed places by rounding.
static void sort_order(int64_t count, const double *values, int32_t *order) {
  for (int64_t i = 1; i < count; i++) {
    const int32_t moved = order[i];
    int64_t to = i;
    for (; to > 0 && values[order[to - 1] - 1] > values[moved - 1]; to--) {
      order[to] = order[to - 1];
    }
    order[to] = moved;
  }
}

static void sort(const problem_t *problem, int64_t count) {
  sort_order(count, problem->values, problem->order);
  const lapack_matrix_t sorted = {(char *)problem->pair.packed, count, count, count,
                                  false};
  for (int64_t j = 0; j < count; j++) {
    problem->numbers[j] = problem->values[problem->order[j] - 1];
  }
  memcpy(problem->values, problem->numbers, (size_t)count * sizeof(double));
  copy_columns(problem->vectors, &sorted, problem->order);
  copy_columns(&sorted, problem->vectors, NULL);
}

pod_status_t blocks_tridiagonal(int64_t count, double *diagonal, double *beside,
                                double *out_values, const lapack_matrix_t *out_vectors,
                                void *work, bool *out_converged) {
  if (count <= WHOLE_MAX || count > TORN_MAX) {
    *out_converged =
        lapack_tridiagonal(count, diagonal, beside, out_values, out_vectors, work);
    return NULL;
  }
  problem_t problem = {.diagonal = diagonal,
                       .beside = beside,
                       .values = out_values,
                       .vectors = out_vectors,
                       .work = work};
  POD_TRY(problem_init(&problem, count));
  for (int64_t j = 0; j < count && !kernel_is_stopped(); j++) {
    memset(lapack_at(out_vectors, 0, j), 0, (size_t)count * sizeof(double));
  }
  const int exponent = exponent_of(count, diagonal, beside);
  scale(count, diagonal, -exponent);
  scale(count - 1, beside, -exponent);
  *out_converged = solve(&problem, 0, count);
  if (*out_converged && !kernel_is_stopped()) {
    sort(&problem, count);
    scale(count, out_values, exponent);
  }
  kernel_free(problem.pair.packed);
  return NULL;
}
