// Blocked factorisations: a panel of columns is decomposed, then the columns behind it
// are brought up to date by products, some columns at a time (Golub and Van Loan, Matrix
// Computations, 3.2.11 for LU, 5.2.3 for QR). Unlike LAPACK's own drivers they can be
// left between two parts. Panels get narrower the longer they are, so that one is a part.

#include "server/worker/kernels/linear/blocks.h"

#include <math.h>

#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"

enum { PANEL_MAX = 32 };

int64_t blocks_columns(double flop_a_column) {
  const double columns = BLOCKS_PART_FLOP / fmax(flop_a_column, 1);
  return columns < 1 ? 1 : columns > LAPACK_SIZE_MAX ? LAPACK_SIZE_MAX : (int64_t)columns;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Decomposing `rows` x n takes 2 rows n².
static int64_t panel_columns(int64_t rows, int64_t count) {
  const double width = sqrt(BLOCKS_PART_FLOP / (2 * fmax((double)rows, 1)));
  const int64_t most = width < 1 ? 1 : width > PANEL_MAX ? PANEL_MAX : (int64_t)width;
  return smaller(most, count);
}

// --- Reflectors ---

// The triangle of a panel, and what applying it to some columns needs.
typedef struct reflection_t {
  lapack_matrix_t triangle;
  void *work;
  int64_t work_columns;  // That it has room for.
} reflection_t;

static pod_status_t reflection_init(reflection_t *reflection, const lapack_matrix_t *v,
                                    int64_t columns) {
  const int64_t width = panel_columns(1, v->columns);
  const double flop = 4 * (double)v->rows * (double)panel_columns(v->rows, v->columns);
  const int64_t most = smaller(blocks_columns(flop), columns);
  const size_t element = lapack_element(v);
  char *memory = kernel_malloc((size_t)(width * (width + most) + columns) * element + 1);
  if (memory == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a block of reflectors");
  }
  *reflection = (reflection_t){.triangle = {memory, width, width, width, v->is_complex},
                               .work = memory + (size_t)(width * width) * element,
                               .work_columns = most};
  return NULL;
}

static void reflection_deinit(reflection_t *reflection) {
  kernel_free(reflection->triangle.data);
}

// All columns of c by the reflectors of a panel.
static void reflect(const reflection_t *reflection, const lapack_matrix_t *v,
                    const void *taus, bool is_adjoint, const lapack_matrix_t *c) {
  if (c->columns == 0) {
    return;
  }
  lapack_join(v, taus, &reflection->triangle);
  for (int64_t j = 0; j < c->columns && !kernel_is_stopped();
       j += reflection->work_columns) {
    const lapack_matrix_t part =
        lapack_part(c, 0, j, c->rows, smaller(reflection->work_columns, c->columns - j));
    lapack_reflect(v, &reflection->triangle, is_adjoint, &part, reflection->work);
  }
}

static char *tau_at(const lapack_matrix_t *v, const void *taus, int64_t index) {
  return (char *)taus + (size_t)index * lapack_element(v);
}

pod_status_t blocks_qr(const lapack_matrix_t *a, void *taus) {
  const int64_t count = smaller(a->rows, a->columns);
  reflection_t reflection;
  POD_TRY(reflection_init(&reflection, a, a->columns));
  int64_t width;
  for (int64_t i = 0; i < count && !kernel_is_stopped(); i += width) {
    width = panel_columns(a->rows - i, count - i);
    const lapack_matrix_t panel = lapack_part(a, i, i, a->rows - i, width);
    lapack_factor_qr(&panel, tau_at(a, taus, i), reflection.work);
    const lapack_matrix_t rest =
        lapack_part(a, i, i + width, a->rows - i, a->columns - i - width);
    reflect(&reflection, &panel, tau_at(a, taus, i), true, &rest);
  }
  reflection_deinit(&reflection);
  return NULL;
}

// The last panel first. Where c begins as the identity, the reflectors from i on leave
// the columns before i alone.
pod_status_t blocks_reflect(const lapack_matrix_t *v, const void *taus, bool is_identity,
                            const lapack_matrix_t *c) {
  const int64_t count = v->columns, most = panel_columns(v->rows, count);
  reflection_t reflection;
  POD_TRY(reflection_init(&reflection, v, c->columns));
  int64_t width;
  for (int64_t end = count; end > 0 && !kernel_is_stopped(); end -= width) {
    width = (end - 1) % most + 1;
    const int64_t i = end - width, first = is_identity ? i : 0;
    const lapack_matrix_t panel = lapack_part(v, i, i, v->rows - i, width);
    const lapack_matrix_t rest =
        lapack_part(c, i, first, c->rows - i, c->columns - first);
    reflect(&reflection, &panel, tau_at(v, taus, i), false, &rest);
  }
  reflection_deinit(&reflection);
  return NULL;
}

// --- Triangles ---

// The columns behind a panel of `width` columns at (i, i), whose rows have been
// exchanged.
static void update(const lapack_matrix_t *a, int64_t i, int64_t width,
                   const int32_t *pivots) {
  const int64_t below = a->rows - i - width;
  const int64_t most = blocks_columns(2 * (double)(a->rows - i) * (double)width);
  const lapack_matrix_t diagonal = lapack_part(a, i, i, width, width);
  const lapack_matrix_t lower = lapack_part(a, i + width, i, below, width);
  int64_t columns;
  for (int64_t j = i + width; j < a->columns && !kernel_is_stopped(); j += columns) {
    columns = smaller(most, a->columns - j);
    const lapack_matrix_t part = lapack_part(a, i, j, a->rows - i, columns);
    const lapack_matrix_t top = lapack_part(a, i, j, width, columns);
    const lapack_matrix_t rest = lapack_part(a, i + width, j, below, columns);
    lapack_exchange(&part, width, pivots);
    lapack_solve(&diagonal, &top);
    if (below > 0) {
      lapack_subtract(&lower, &top, &rest);
    }
  }
}

void blocks_lu(const lapack_matrix_t *a, int32_t *pivots) {
  const int64_t count = smaller(a->rows, a->columns);
  int64_t width;
  for (int64_t i = 0; i < count && !kernel_is_stopped(); i += width) {
    width = panel_columns(a->rows - i, count - i);
    const lapack_matrix_t panel = lapack_part(a, i, i, a->rows - i, width);
    const lapack_matrix_t before = lapack_part(a, i, 0, a->rows - i, i);
    lapack_factor_lu(&panel, pivots + i);
    if (i > 0) {
      lapack_exchange(&before, width, pivots + i);
    }
    update(a, i, width, pivots + i);
    for (int64_t k = i; k < i + width; k++) {
      pivots[k] += (int32_t)i - 1;  // Counted from 1 in the panel.
    }
  }
}
