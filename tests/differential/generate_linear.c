// Fourier transforms, and what solves linear equations. Their results are known within
// some units in the last place of the largest.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

enum { NORM_ULPS = 64 };

static void generate_fft(generate_t *g, const char *name) {
  static const char *const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  const int kind = generate_below(g, 4);
  const bool is_double = generate_chance(g, 50);
  const tensor_dtype_t real = is_double ? TENSOR_F64 : TENSOR_F32;
  const tensor_dtype_t complex = is_double ? TENSOR_C128 : TENSOR_C64;
  tensor_shape_t operand = generate_shape(g, kind == 2 ? real : complex, 1);
  tensor_shape_t result = operand;
  const int last = operand.rank - 1;
  if (kind == 3) {  // The result is given: of even size or odd.
    operand.dims[last] = result.dims[last] == 0 ? 0 : result.dims[last] / 2 + 1;
    result.dtype = real;
  } else if (kind == 2) {
    result.dims[last] = operand.dims[last] == 0 ? 0 : operand.dims[last] / 2 + 1;
    result.dtype = complex;
  }
  const int axes = generate_between(g, 1, operand.rank < 3 ? operand.rank : 3);
  const tensor_shape_t *lengths = kind == 3 ? &result : &operand;
  mlir_value_t *x = generate_operand(g, &operand, GENERATE_EXACT, GENERATE_FINITE);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &result, 0);
  generate_enum(g, op, "fft_type", "fft_type", kinds[kind]);
  generate_list(g, op, "fft_length", axes, lengths->dims + lengths->rank - axes);
  generate_keep(g, op, 0, GENERATE_NORM, NORM_ULPS);
}

// --- Matrices ---

static double part(generate_t *g, double scale) {
  return scale * (2 * pod_random_uniform(&g->random) - 1);
}

static tensor_shape_t matrices(tensor_dtype_t dtype, int64_t rows, int64_t columns,
                               int batches, const int64_t *batch) {
  int64_t dims[TENSOR_RANK_MAX];
  for (int i = 0; i < batches; i++) {
    dims[i] = batch[i];
  }
  dims[batches] = rows;
  dims[batches + 1] = columns;
  return tensor_shape_make(dtype, batches + 2, dims);
}

static tensor_dtype_t matrix_dtype(generate_t *g) {
  tensor_dtype_t dtype;
  do {
    dtype = generate_dtype(g, GENERATE_FLOAT | GENERATE_COMPLEX);
  } while (dtype == TENSOR_F8E8M0FNU);  // Without 0 and signs.
  return dtype;
}

// Small types hold the sum of a few numbers up to 1.
static int64_t matrix_size(generate_t *g, tensor_dtype_t dtype) {
  const bool is_tiny = generate_class(dtype) == GENERATE_TINY;
  return generate_chance(g, 5) ? 0 : generate_between(g, 1, is_tiny ? 3 : 9);
}

// Narrow types are computed in wider ones and rounded once.
static void keep_solution(generate_t *g, mlir_op_t *op, int result) {
  const bool is_narrow =
      tensor_dtype_bytes(generate_shape_of(&op->results[result])->dtype) < 4;
  generate_keep(g, op, result, is_narrow ? GENERATE_BESIDE_ONE : GENERATE_NORM,
                is_narrow ? 1 : NORM_ULPS);
}

static void put(reference_value_t *to, int64_t at, double real, double imaginary) {
  const tensor_dtype_t dtype = to->shape.dtype;
  reference_store(to, at,
                  tensor_dtype_is_complex(dtype)
                      ? reference_of_complex(dtype, real, imaginary)
                      : reference_of_real(dtype, real));
}

// Hermitian, and positive definite because its diagonal outweighs the rest.
static void fill_definite(generate_t *g, int64_t size, reference_value_t *out) {
  for (int64_t matrix = 0; size > 0 && matrix < out->count / (size * size); matrix++) {
    for (int64_t i = 0; i < size; i++) {
      const int64_t row = (matrix * size + i) * size;
      put(out, row + i, (double)size + 1 + part(g, 1), 0);
      for (int64_t j = 0; j < i; j++) {
        const double real = part(g, 1), imaginary = part(g, 0.5);
        put(out, row + j, real, imaginary);
        put(out, (matrix * size + j) * size + i, real, -imaginary);
      }
    }
  }
}

static int choose_batch(generate_t *g, int64_t *out_dims) {
  const int batches = generate_below(g, 3);
  for (int i = 0; i < batches; i++) {
    out_dims[i] = generate_chance(g, 5) ? 0 : generate_between(g, 1, 3);
  }
  return batches;
}

static void generate_cholesky(generate_t *g, const char *name) {
  int64_t batch[2];
  const int batches = choose_batch(g, batch);
  const tensor_dtype_t dtype = matrix_dtype(g);
  const int64_t size = matrix_size(g, dtype);
  const tensor_shape_t shape = matrices(dtype, size, size, batches, batch);
  reference_value_t data = reference_make(g->arena, &shape);
  fill_definite(g, size, &data);
  mlir_value_t *a = generate_given(g, &shape, data.data);
  mlir_op_t *op = generate_op(g, name, 1, &a, 1, &shape, 0);
  generate_flag(g, op, "lower", generate_chance(g, 50));
  keep_solution(g, op, 0);
}

static void generate_triangular_solve(generate_t *g, const char *name) {
  static const char *const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  int64_t batch[2];
  const int batches = choose_batch(g, batch);
  const tensor_dtype_t dtype = matrix_dtype(g);
  const int64_t size = matrix_size(g, dtype);
  const int64_t others = generate_chance(g, 5) ? 0 : generate_between(g, 1, 5);
  const bool is_left = generate_chance(g, 50), is_unit = generate_chance(g, 30);
  const tensor_shape_t shapes[] = {
      matrices(dtype, size, size, batches, batch),
      matrices(dtype, is_left ? size : others, is_left ? others : size, batches, batch)};
  reference_value_t data = reference_make(g->arena, &shapes[0]);
  for (int64_t i = 0; i < data.count; i++) {
    const bool is_diagonal = i / size % size == i % size;
    const double scale = 1 / (double)size;
    put(&data, i, is_diagonal ? (is_unit ? 1 : 2 + part(g, 1)) : part(g, scale),
        is_diagonal && is_unit ? 0 : part(g, scale));
  }
  mlir_value_t *operands[2];
  operands[0] = generate_given(g, &shapes[0], data.data);
  operands[1] = generate_operand(g, &shapes[1], GENERATE_EXACT, GENERATE_FINITE);
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shapes[1], 0);
  generate_flag(g, op, "left_side", is_left);
  generate_flag(g, op, "lower", generate_chance(g, 50));
  generate_flag(g, op, "unit_diagonal", is_unit);
  generate_enum(g, op, "transpose_a", "transpose", generate_word(g, 3, transposes));
  keep_solution(g, op, 0);
}

// --- Decompositions, by custom calls ---

// Of types in which no difference of two products is 0 by chance: whether a column has
// anything to be taken away decides about signs.
static tensor_dtype_t fine_dtype(generate_t *g) {
  static const tensor_dtype_t dtypes[] = {TENSOR_F32,  TENSOR_F64,  TENSOR_C64,
                                          TENSOR_C128, TENSOR_BF16, TENSOR_F16};
  return dtypes[generate_below(g, 6)];
}

// In every column an element outweighs the rest, `shift` rows below the diagonal: no
// rounding changes a pivot or a sign.
static mlir_value_t *weighted_matrices(generate_t *g, const tensor_shape_t *shape,
                                       int64_t shift) {
  reference_value_t data = reference_make(g->arena, shape);
  const int64_t rows = shape->dims[shape->rank - 2];
  const int64_t columns = shape->dims[shape->rank - 1];
  for (int64_t i = 0; i < data.count; i++) {
    const bool is_heavy = i / columns % rows == (i % columns + shift) % rows;
    put(&data, i, is_heavy ? 12 + part(g, 1) : part(g, 1), part(g, 0.5));
  }
  return generate_given(g, shape, data.data);
}

// Batches of matrices with dimensions from 0 to 9.
static tensor_shape_t any_matrices(generate_t *g) {
  int64_t batch[2];
  const int batches = choose_batch(g, batch);
  const tensor_dtype_t dtype = fine_dtype(g);
  const int64_t rows = matrix_size(g, dtype), columns = matrix_size(g, dtype);
  return matrices(dtype, rows, columns, batches, batch);
}

static int64_t smaller_size(const tensor_shape_t *shape) {
  const int64_t rows = shape->dims[shape->rank - 2];
  const int64_t columns = shape->dims[shape->rank - 1];
  return rows < columns ? rows : columns;
}

// A vector for every matrix of `shape`.
static tensor_shape_t vectors(const tensor_shape_t *shape, tensor_dtype_t dtype,
                              int64_t size) {
  tensor_shape_t result = tensor_shape_make(dtype, shape->rank - 1, shape->dims);
  result.dims[result.rank - 1] = size;
  return result;
}

static void generate_qr(generate_t *g, const char *name) {
  const tensor_shape_t shape = any_matrices(g);
  const tensor_shape_t results[] = {shape,
                                    vectors(&shape, shape.dtype, smaller_size(&shape))};
  mlir_value_t *a = weighted_matrices(g, &shape, 0);
  mlir_op_t *op = generate_custom_call(g, name, 1, &a, 2, results);
  keep_solution(g, op, 0);
  keep_solution(g, op, 1);
}

// Any vectors, and factors that no reflector has.
static void generate_reflectors(generate_t *g, const char *name) {
  tensor_shape_t shape = any_matrices(g);
  const int rows = shape.rank - 2, columns = shape.rank - 1;
  if (shape.dims[rows] < shape.dims[columns]) {
    shape.dims[rows] = shape.dims[columns];
  }
  const int64_t count = generate_between(g, 0, (int)shape.dims[columns]);
  const tensor_shape_t taus = vectors(&shape, shape.dtype, count);
  reference_value_t data[] = {reference_make(g->arena, &shape),
                              reference_make(g->arena, &taus)};
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < data[k].count; i++) {
      put(&data[k], i, part(g, 0.5), part(g, 0.5));
    }
  }
  mlir_value_t *operands[] = {generate_given(g, &shape, data[0].data),
                              generate_given(g, &taus, data[1].data)};
  keep_solution(g, generate_custom_call(g, name, 2, operands, 1, &shape), 0);
}

static void generate_lu(generate_t *g, const char *name) {
  const tensor_shape_t shape = any_matrices(g);
  const int64_t rows = shape.dims[shape.rank - 2];
  const tensor_shape_t results[] = {shape,
                                    vectors(&shape, TENSOR_S32, smaller_size(&shape)),
                                    vectors(&shape, TENSOR_S32, rows)};
  mlir_value_t *a = weighted_matrices(g, &shape, generate_below(g, 9));
  mlir_op_t *op = generate_custom_call(g, name, 1, &a, 3, results);
  keep_solution(g, op, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
  generate_keep(g, op, 2, GENERATE_BITS, 0);
}

const generate_row_t generate_linear_rows[] = {
    {"@LuDecomposition", generate_lu},
    {"@ProductOfElementaryHouseholderReflectors", generate_reflectors},
    {"@Qr", generate_qr},
    {"stablehlo.fft", generate_fft},
    {"stablehlo.cholesky", generate_cholesky},
    {"stablehlo.triangular_solve", generate_triangular_solve},
    {NULL, NULL},
};
