// Hermitian eigenproblems: reflectors make the matrix tridiagonal, a column at a time
// (Golub and Van Loan, Matrix Computations, 8.3.1), that is solved (tridiagonal.c), and
// the reflectors take its vectors back. A matrix of very large or small elements is
// scaled by a power of two first, so that no square overflows. A phase is free in each
// complex vector, a sign in each real one.

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/linear/blocks.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"

// Powers of two whose squares, and sums of them, are far from the limits of double.
enum { EXPONENT_SAFE = 400 };

// What a matrix of n x n needs beside itself; one block of memory.
typedef struct room_t {
  double *diagonal, *beside, *values, *vectors;
  char *taus, *work, *complex_vectors;
  void *memory;
} room_t;

static pod_status_t room_init(room_t *room, const lapack_matrix_t *a) {
  const size_t n = (size_t)a->rows, element = lapack_element(a);
  const size_t work =
      n * (size_t)LAPACK_WORK > n * element ? n * (size_t)LAPACK_WORK : n * element;
  const size_t square = n * n * sizeof(double);
  char *next = kernel_malloc(3 * n * sizeof(double) + n * element + work + square +
                             (a->is_complex ? 2 * square : 0) + 1);
  if (next == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "no host memory for the eigenvectors of %zu x %zu numbers", n, n);
  }
  *room = (room_t){.memory = next};
  room->diagonal = (double *)next;
  room->beside = room->diagonal + n;
  room->values = room->beside + n;
  room->vectors = room->values + n;
  room->complex_vectors = (char *)(room->vectors + n * n);
  room->taus = room->complex_vectors + (a->is_complex ? 2 * square : 0);
  room->work = room->taus + n * element;
  return NULL;
}

// Parts of numbers: 1 of a real one, 2 of a complex one.
static int64_t parts_of(const lapack_matrix_t *a) {
  return a->is_complex ? 2 : 1;
}

// Column j from the diagonal on, as doubles.
static double *column(const lapack_matrix_t *a, int64_t j) {
  return (double *)lapack_at(a, j, j);
}

// The largest part of an element of the lower triangle; NaN when one is not finite.
static double largest(const lapack_matrix_t *a) {
  double most = 0;
  for (int64_t j = 0; j < a->columns && !kernel_is_stopped(); j++) {
    const double *numbers = column(a, j);
    for (int64_t i = 0; i < (a->rows - j) * parts_of(a); i++) {
      if (!isfinite(numbers[i])) {
        return (double)NAN;
      }
      most = fmax(most, fabs(numbers[i]));
    }
  }
  return most;
}

static void scale(const lapack_matrix_t *a, int exponent) {
  for (int64_t j = 0; j < a->columns && exponent != 0 && !kernel_is_stopped(); j++) {
    double *numbers = column(a, j);
    for (int64_t i = 0; i < (a->rows - j) * parts_of(a); i++) {
      numbers[i] = ldexp(numbers[i], exponent);
    }
  }
}

static char *element_at(const lapack_matrix_t *a, const void *vector, int64_t index) {
  return (char *)vector + (size_t)index * lapack_element(a);
}

// Some columns of the lower triangle: a triangle on the diagonal, and what is below it.
typedef struct stripe_t {
  int64_t first, count;
  lapack_matrix_t diagonal, below;
} stripe_t;

static stripe_t stripe_at(const lapack_matrix_t *a, int64_t first) {
  const int64_t n = a->rows;
  const int64_t most = blocks_columns((double)(8 * parts_of(a)) * (double)n);
  const int64_t count = most < n - first ? most : n - first;
  return (stripe_t){
      .first = first,
      .count = count,
      .diagonal = lapack_part(a, first, first, count, count),
      .below = lapack_part(a, first + count, first, n - first - count, count)};
}

// a becomes H^H a H with the reflector (v, tau): with p = tau a v and
// w = p - tau / 2 · (p^H v) v it is a - v w^H - w v^H. `w` is scratch.
static void reflect_both(const lapack_matrix_t *a, const char *v, const char *tau,
                         char *w) {
  const int64_t n = a->rows;
  memset(w, 0, (size_t)n * lapack_element(a));
  stripe_t s;
  for (int64_t j = 0; j < n && !kernel_is_stopped(); j += s.count) {
    s = stripe_at(a, j);
    const int64_t end = j + s.count;
    lapack_add_hermitian(&s.diagonal, tau, element_at(a, v, j), element_at(a, w, j));
    if (end < n) {
      lapack_add(&s.below, false, tau, element_at(a, v, j), element_at(a, w, end));
      lapack_add(&s.below, true, tau, element_at(a, v, end), element_at(a, w, j));
    }
  }
  lapack_symmetrise(a->is_complex, n, v, tau, w);
  for (int64_t j = 0; j < n && !kernel_is_stopped(); j += s.count) {
    s = stripe_at(a, j);
    const int64_t end = j + s.count;
    lapack_subtract_hermitian(&s.diagonal, element_at(a, v, j), element_at(a, w, j));
    if (end < n) {
      lapack_subtract_outer(&s.below, element_at(a, v, end), element_at(a, w, j));
      lapack_subtract_outer(&s.below, element_at(a, w, end), element_at(a, v, j));
    }
  }
}

// a = Q T Q^H: T's diagonals go to the room, the reflectors' vectors stay below the
// diagonal, from one below it on.
static void make_tridiagonal(const lapack_matrix_t *a, const room_t *room) {
  const int64_t n = a->rows;
  for (int64_t j = 0; j < n && !kernel_is_stopped(); j++) {
    room->diagonal[j] = *column(a, j);
    room->beside[j] = 0;
    if (j == n - 1) {
      break;
    }
    char *tau = room->taus + (size_t)j * lapack_element(a);
    char *v = lapack_at(a, j + 1, j);
    room->beside[j] =
        lapack_reflector(a->is_complex, v, n - j - 2, v + lapack_element(a), tau);
    double *one = (double *)v;
    one[0] = 1;
    if (a->is_complex) {
      one[1] = 0;
    }
    const lapack_matrix_t rest = lapack_part(a, j + 1, j + 1, n - j - 1, n - j - 1);
    reflect_both(&rest, v, tau, room->work);
  }
}

// The vectors of T, of the matrix's type.
static lapack_matrix_t typed_vectors(const lapack_matrix_t *a, const room_t *room) {
  const int64_t n = a->rows;
  if (!a->is_complex) {
    return (lapack_matrix_t){(char *)room->vectors, n, n, n, false};
  }
  double _Complex *to = (double _Complex *)room->complex_vectors;
  KERNEL_EACH(i, (size_t)(n * n)) {
    to[i] = room->vectors[i];
  }
  return (lapack_matrix_t){room->complex_vectors, n, n, n, true};
}

static pod_status_t solve(const lapack_matrix_t *a, const room_t *room,
                          double *out_values, bool *out_converged) {
  const int64_t n = a->rows;
  make_tridiagonal(a, room);
  *out_converged = true;
  if (kernel_is_stopped()) {
    return NULL;
  }
  const lapack_matrix_t real = {(char *)room->vectors, n, n, n, false};
  POD_TRY(blocks_tridiagonal(n, room->diagonal, room->beside, out_values, &real,
                             room->work, out_converged));
  const lapack_matrix_t vectors = typed_vectors(a, room);
  if (n > 1) {
    const lapack_matrix_t reflectors = lapack_part(a, 1, 0, n - 1, n - 1);
    const lapack_matrix_t below = lapack_part(&vectors, 1, 0, n - 1, n);
    POD_TRY(blocks_reflect(&reflectors, room->taus, false, &below));
  }
  for (int64_t j = 0; j < n && !kernel_is_stopped(); j++) {
    kernel_copy_bytes(lapack_at(a, 0, j), lapack_at(&vectors, 0, j),
                      (size_t)n * lapack_element(a));
  }
  return NULL;
}

static void fill_nan(const lapack_matrix_t *a, double *out_values) {
  for (int64_t j = 0; j < a->columns; j++) {
    double *numbers = (double *)lapack_at(a, 0, j);
    out_values[j] = (double)NAN;
    for (int64_t i = 0; i < a->rows * parts_of(a); i++) {
      numbers[i] = (double)NAN;
    }
  }
}

pod_status_t blocks_eigh(const lapack_matrix_t *a, double *out_values) {
  const double most = largest(a);
  if (isnan(most)) {
    fill_nan(a, out_values);
    return NULL;
  }
  int exponent = 0;
  frexp(most, &exponent);
  exponent = abs(exponent) > EXPONENT_SAFE ? exponent : 0;
  room_t room = {0};
  POD_TRY(room_init(&room, a));
  scale(a, -exponent);
  bool is_converged;
  const pod_status_t status = solve(a, &room, out_values, &is_converged);
  for (int64_t j = 0; j < a->columns; j++) {
    out_values[j] = ldexp(out_values[j], exponent);
  }
  if (!is_converged) {
    fill_nan(a, out_values);
  }
  kernel_free(room.memory);
  return status;
}
