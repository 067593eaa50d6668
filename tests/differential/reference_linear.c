// Fourier transforms, and what solves linear equations: by their definitions, in long
// double.

#include <complex.h>
#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

typedef long double complex number_t;

static number_t load(const reference_value_t *value, int64_t at) {
  const reference_scalar_t x = reference_load(value, at);
  return (long double)x.real + (long double)x.imaginary * I;
}

static void store(reference_value_t *to, int64_t at, number_t x) {
  const tensor_dtype_t dtype = to->shape.dtype;
  const double real = (double)creall(x), imaginary = (double)cimagl(x);
  reference_store(to, at,
                  tensor_dtype_is_complex(dtype)
                      ? reference_of_complex(dtype, real, imaginary)
                      : reference_of_real(dtype, real));
}

// --- Fourier transforms ---

static void transform_line(number_t *line, int64_t size, int64_t stride, int sign,
                           number_t *room) {
  const long double turn = 2 * acosl(-1.0L) / (long double)size;
  for (int64_t k = 0; k < size; k++) {
    room[k] = 0;
    for (int64_t n = 0; n < size; n++) {
      const long double angle = turn * (long double)(k * n % size);
      room[k] += line[n * stride] * (cosl(angle) + (number_t)sign * sinl(angle) * I);
    }
  }
  for (int64_t k = 0; k < size; k++) {
    line[k * stride] = sign > 0 ? room[k] / (long double)size : room[k];
  }
}

// Along axis `axis` of an array of `shape`.
static void transform(number_t *numbers, const tensor_shape_t *shape, int axis, int sign,
                      number_t *room) {
  int64_t stride = 1;
  for (int d = axis + 1; d < shape->rank; d++) {
    stride *= shape->dims[d];
  }
  const int64_t count = tensor_shape_elements(shape);
  for (int64_t i = 0; i < count; i++) {
    if (i / stride % shape->dims[axis] == 0) {
      transform_line(numbers + i, shape->dims[axis], stride, sign, room);
    }
  }
}

// The second half of the spectrum of real numbers mirrors the first. What would make them
// complex, the imaginary parts of its ends, is left out.
static number_t mirrored(const number_t *half, int64_t size, int64_t k) {
  const number_t x = 2 * k <= size ? half[k] : conjl(half[size - k]);
  return k == 0 || 2 * k == size ? creall(x) : x;
}

static void reference_fft(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const char *kind = reference_word(machine, op, "fft_type", "FFT");
  int64_t axes;
  reference_list(machine, op, "fft_length", &axes);
  const bool is_real_in = strcmp(kind, "RFFT") == 0, is_real_out = kind[1] == 'R';
  const tensor_shape_t *whole = is_real_out ? &result->shape : &operand->shape;
  const int rank = whole->rank, last = rank - 1;
  const int64_t count = operand->count + result->count + 1;
  number_t *numbers = pod_arena_array(machine->arena, (size_t)count, sizeof(number_t));
  number_t *room = pod_arena_array(machine->arena, (size_t)count, sizeof(number_t));
  number_t *full = pod_arena_array(machine->arena, (size_t)count, sizeof(number_t));
  for (int64_t i = 0; i < operand->count; i++) {
    numbers[i] = load(operand, i);
  }
  const int sign = kind[0] == 'I' ? 1 : -1;
  for (int64_t d = last; d >= rank - axes && sign < 0; d--) {
    transform(numbers, &operand->shape, (int)d, sign, room);
  }
  for (int64_t d = rank - axes; d <= last - (is_real_out ? 1 : 0) && sign > 0; d++) {
    transform(numbers, &operand->shape, (int)d, sign, room);
  }
  const int64_t size = result->shape.dims[last], from = operand->shape.dims[last];
  for (int64_t i = 0; i < result->count; i++) {
    const number_t *row = numbers + i / size * from;
    full[i] = is_real_out ? mirrored(row, size, i % size) : row[i % size];
  }
  if (is_real_out) {
    transform(full, &result->shape, last, sign, room);
  }
  POD_CHECK(!is_real_in || size == 0 || size == from / 2 + 1);
  for (int64_t i = 0; i < result->count; i++) {
    store(result, i, full[i]);
  }
}

// --- Matrices ---

// Both triangles of the operand are the same; zeros stand in that which is not asked for.
static void reference_cholesky(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *a = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_lower = reference_integer(op, "lower", 0) != 0;
  const int64_t size = a->shape.dims[a->shape.rank - 1];
  number_t *l = pod_arena_array(machine->arena, (size_t)(size * size) + 1, sizeof(l[0]));
  for (int64_t first = 0; size > 0 && first < a->count; first += size * size) {
    for (int64_t i = 0; i < size; i++) {
      for (int64_t j = 0; j <= i; j++) {
        number_t sum = load(a, first + i * size + j);
        for (int64_t k = 0; k < j; k++) {
          sum -= l[i * size + k] * conjl(l[j * size + k]);
        }
        l[i * size + j] = i == j ? sqrtl(creall(sum)) : sum / l[j * size + j];
        const number_t x = l[i * size + j];
        store(result, first + (is_lower ? i * size + j : j * size + i),
              is_lower ? x : conjl(x));
      }
    }
  }
}

typedef struct solve_t {
  const reference_value_t *a;
  int64_t size;
  bool is_left, is_lower, is_unit;
  char transpose;  // N, T, A.
} solve_t;

// An element of op(a); 0 beyond the triangle.
static number_t coefficient(const solve_t *solve, int64_t first, int64_t i, int64_t j) {
  const bool is_turned = solve->transpose != 'N';
  const int64_t row = is_turned ? j : i, column = is_turned ? i : j;
  if (row == column && solve->is_unit) {
    return 1;
  }
  if (solve->is_lower ? column > row : column < row) {
    return 0;
  }
  const number_t x = load(solve->a, first + row * solve->size + column);
  return solve->transpose == 'A' ? conjl(x) : x;
}

// x of m x = b; with the matrix turned where the unknown stands on the left.
static void solve_one(const solve_t *solve, int64_t first, const number_t *b,
                      number_t *x) {
  const int64_t size = solve->size;
  const bool turns = !solve->is_left;
  const bool is_forward = (solve->is_lower == (solve->transpose == 'N')) != turns;
  for (int64_t step = 0; step < size; step++) {
    const int64_t i = is_forward ? step : size - 1 - step;
    number_t sum = b[i];
    for (int64_t before = 0; before < step; before++) {
      const int64_t j = is_forward ? before : size - 1 - before;
      sum -= (turns ? coefficient(solve, first, j, i) : coefficient(solve, first, i, j)) *
             x[j];
    }
    x[i] = sum / coefficient(solve, first, i, i);
  }
}

static void reference_triangular_solve(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *b = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const int rank = b->shape.rank;
  const solve_t solve = {
      .a = reference_operand(machine, op, 0),
      .size = reference_operand(machine, op, 0)->shape.dims[rank - 1],
      .is_left = reference_integer(op, "left_side", 0) != 0,
      .is_lower = reference_integer(op, "lower", 0) != 0,
      .is_unit = reference_integer(op, "unit_diagonal", 0) != 0,
      .transpose = reference_word(machine, op, "transpose_a", "NO_TRANSPOSE")[0]};
  const int64_t rows = b->shape.dims[rank - 2], columns = b->shape.dims[rank - 1];
  const size_t room = (size_t)solve.size + 1;
  number_t *given = pod_arena_array(machine->arena, room, sizeof(number_t));
  number_t *found = pod_arena_array(machine->arena, room, sizeof(number_t));
  const int64_t others = solve.is_left ? columns : rows;
  for (int64_t matrix = 0; b->count > 0 && matrix < b->count / (rows * columns);
       matrix++) {
    for (int64_t other = 0; other < others; other++) {
      const int64_t start =
          matrix * rows * columns + (solve.is_left ? other : other * columns);
      const int64_t step = solve.is_left ? columns : 1;
      for (int64_t i = 0; i < solve.size; i++) {
        given[i] = load(b, start + i * step);
      }
      solve_one(&solve, matrix * solve.size * solve.size, given, found);
      for (int64_t i = 0; i < solve.size; i++) {
        store(result, start + i * step, found[i]);
      }
    }
  }
}

// --- Decompositions ---

// The matrices of operand 0, in long double, a copy of which becomes the result.
typedef struct matrices_t {
  number_t *a;
  int64_t rows, columns, count;
} matrices_t;

static matrices_t load_matrices(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *from = reference_operand(machine, op, 0);
  matrices_t m = {.rows = from->shape.dims[from->shape.rank - 2],
                  .columns = from->shape.dims[from->shape.rank - 1],
                  .count = 1};
  for (int d = 0; d < from->shape.rank - 2; d++) {
    m.count *= from->shape.dims[d];
  }
  m.a = pod_arena_array(machine->arena, (size_t)from->count + 1, sizeof(number_t));
  for (int64_t i = 0; i < from->count; i++) {
    m.a[i] = load(from, i);
  }
  return m;
}

static void store_all(reference_value_t *to, const number_t *numbers) {
  for (int64_t i = 0; i < to->count; i++) {
    store(to, i, numbers[i]);
  }
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// c = (1 - tau v v^H) c in columns from `first` on, v = (1, vector) from row k on, which
// stands below (k, k) of `a`.
static void reflect(const matrices_t *m, const number_t *a, int64_t k, number_t tau,
                    number_t *c, int64_t first) {
  for (int64_t j = first; j < m->columns; j++) {
    number_t sum = c[k * m->columns + j];
    for (int64_t i = k + 1; i < m->rows; i++) {
      sum += conjl(a[i * m->columns + k]) * c[i * m->columns + j];
    }
    c[k * m->columns + j] -= tau * sum;
    for (int64_t i = k + 1; i < m->rows; i++) {
      c[i * m->columns + j] -= tau * a[i * m->columns + k] * sum;
    }
  }
}

// As LAPACK has it: the adjoint of 1 - tau v v^H takes column k to (beta, 0), beta real
// and of the other sign; tau is 0 where that is so already.
static number_t reduce_column(const matrices_t *m, number_t *a, int64_t k) {
  const number_t alpha = a[k * m->columns + k];
  long double below = 0;
  for (int64_t i = k + 1; i < m->rows; i++) {
    below = hypotl(below, cabsl(a[i * m->columns + k]));
  }
  if (below == 0 && cimagl(alpha) == 0) {
    return 0;
  }
  const long double size = hypotl(below, cabsl(alpha));
  const long double beta = creall(alpha) < 0 ? size : -size;
  for (int64_t i = k + 1; i < m->rows; i++) {
    a[i * m->columns + k] /= alpha - beta;
  }
  const number_t tau = (beta - alpha) / beta;
  reflect(m, a, k, conjl(tau), a, k + 1);
  a[k * m->columns + k] = beta;
  return tau;
}

static void reference_qr(reference_t *machine, const mlir_op_t *op) {
  const matrices_t m = load_matrices(machine, op);
  reference_value_t *result = reference_result(machine, op, 0);
  reference_value_t *taus = reference_result(machine, op, 1);
  const int64_t count = smaller(m.rows, m.columns);
  for (int64_t b = 0; b < m.count; b++) {
    for (int64_t k = 0; k < count; k++) {
      store(taus, b * count + k, reduce_column(&m, m.a + b * m.rows * m.columns, k));
    }
  }
  store_all(result, m.a);
}

static void reference_reflectors(reference_t *machine, const mlir_op_t *op) {
  const matrices_t m = load_matrices(machine, op);
  const reference_value_t *taus = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const int64_t count = taus->shape.dims[taus->shape.rank - 1];
  number_t *product =
      pod_arena_array(machine->arena, (size_t)result->count + 1, sizeof(number_t));
  for (int64_t b = 0; b < m.count; b++) {
    const int64_t first = b * m.rows * m.columns;
    for (int64_t i = 0; i < m.rows * m.columns; i++) {
      product[first + i] = i / m.columns == i % m.columns ? 1 : 0;
    }
    for (int64_t k = count - 1; k >= 0; k--) {
      reflect(&m, m.a + first, k, load(taus, b * count + k), product + first, 0);
    }
  }
  store_all(result, product);
}

static void exchange(number_t *a, int64_t columns, int64_t one, int64_t other) {
  for (int64_t j = 0; j < columns; j++) {
    const number_t kept = a[one * columns + j];
    a[one * columns + j] = a[other * columns + j];
    a[other * columns + j] = kept;
  }
}

static int64_t eliminate(const matrices_t *m, number_t *a, int64_t k) {
  int64_t pivot = k;
  for (int64_t i = k + 1; i < m->rows; i++) {
    if (cabsl(a[i * m->columns + k]) > cabsl(a[pivot * m->columns + k])) {
      pivot = i;
    }
  }
  exchange(a, m->columns, k, pivot);
  for (int64_t i = k + 1; i < m->rows; i++) {
    a[i * m->columns + k] /= a[k * m->columns + k];
    for (int64_t j = k + 1; j < m->columns; j++) {
      a[i * m->columns + j] -= a[i * m->columns + k] * a[k * m->columns + j];
    }
  }
  return pivot;
}

static void reference_lu(reference_t *machine, const mlir_op_t *op) {
  const matrices_t m = load_matrices(machine, op);
  reference_value_t *result = reference_result(machine, op, 0);
  int32_t *pivots = (int32_t *)reference_result(machine, op, 1)->data;
  int32_t *permutation = (int32_t *)reference_result(machine, op, 2)->data;
  const int64_t count = smaller(m.rows, m.columns);
  for (int64_t b = 0; b < m.count; b++) {
    int32_t *order = permutation + b * m.rows;
    for (int64_t i = 0; i < m.rows; i++) {
      order[i] = (int32_t)i;
    }
    for (int64_t k = 0; k < count; k++) {
      const int64_t pivot = eliminate(&m, m.a + b * m.rows * m.columns, k);
      const int32_t kept = order[k];
      order[k] = order[pivot];
      order[pivot] = kept;
      pivots[b * count + k] = (int32_t)pivot;
    }
  }
  store_all(result, m.a);
}

const reference_row_t reference_linear_rows[] = {
    {"@LuDecomposition", reference_lu},
    {"@ProductOfElementaryHouseholderReflectors", reference_reflectors},
    {"@Qr", reference_qr},
    {"stablehlo.fft", reference_fft},
    {"stablehlo.cholesky", reference_cholesky},
    {"stablehlo.triangular_solve", reference_triangular_solve},
    {NULL, NULL},
};
