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

const reference_row_t reference_linear_rows[] = {
    {"stablehlo.fft", reference_fft},
    {"stablehlo.cholesky", reference_cholesky},
    {"stablehlo.triangular_solve", reference_triangular_solve},
    {NULL, NULL},
};
