// Generators of random bits and numbers.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

static void generate_rng_bits(generate_t *g, const char *name) {
  static const char *const algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
  static const tensor_dtype_t dtypes[] = {TENSOR_U8,  TENSOR_U16, TENSOR_U32, TENSOR_U64,
                                          TENSOR_S8,  TENSOR_S16, TENSOR_S32, TENSOR_S64,
                                          TENSOR_U32, TENSOR_U64};
  const int algorithm = generate_below(g, 3);
  const int64_t words = algorithm == 2 && generate_chance(g, 50) ? 3 : 2;
  const tensor_shape_t results[] = {tensor_shape_make(TENSOR_U64, 1, &words),
                                    generate_shape(g, dtypes[generate_below(g, 10)], 0)};
  mlir_value_t *state =
      generate_operand(g, &results[0], GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &state, 2, results, 0);
  generate_enum(g, op, "rng_algorithm", "rng_algorithm", algorithms[algorithm]);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

// --- rng: its numbers are nobody's, but they lie where they must ---

typedef struct distribution_t {
  tensor_dtype_t dtype;
  bool is_normal;
  double from, to;  // Mean and deviation of a normal distribution.
} distribution_t;

static distribution_t draw_distribution(generate_t *g) {
  distribution_t drawn = {.dtype = generate_dtype(g, GENERATE_PRED | GENERATE_REAL)};
  const unsigned class = generate_class(drawn.dtype);
  if (class == GENERATE_PRED) {
    drawn.to = 1;
  } else if ((class & GENERATE_INTEGER) != 0) {
    const int bits = (int)tensor_dtype_device_bits(drawn.dtype);
    const bool is_signed = tensor_dtype_is_signed(drawn.dtype);
    const int largest = bits > 8 ? 200 : (1 << (bits - (is_signed ? 1 : 0))) - 1;
    drawn.from = generate_between(g, is_signed ? -largest : 0, largest - 1);
    drawn.to = generate_between(g, (int)drawn.from + 1, largest);
  } else if (drawn.dtype == TENSOR_F8E8M0FNU) {
    drawn.from = ldexp(1, generate_between(g, -20, 19));
    drawn.to = ldexp(drawn.from, generate_between(g, 1, 20));
  } else {
    drawn.is_normal = generate_chance(g, 50);
    drawn.from = generate_between(g, -2, 2);
    drawn.to = drawn.is_normal ? 1 : drawn.from + generate_between(g, 1, 2);
  }
  return drawn;
}

static mlir_value_t *generate_bound(generate_t *g, tensor_dtype_t dtype, double value) {
  const tensor_shape_t shape = generate_scalar_shape(dtype);
  reference_value_t array = reference_make(g->arena, &shape);
  const bool is_integral = dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
  reference_store(&array, 0,
                  is_integral ? reference_of_integer(dtype, (int64_t)value)
                              : reference_of_real(dtype, value));
  return generate_constant(g, &shape, array.data);
}

// Whether all of it stands on that side of a bound.
static void keep_comparison(generate_t *g, mlir_value_t *x, const char *direction,
                            double bound) {
  tensor_shape_t shape = *generate_shape_of(x);
  mlir_value_t *scalar = generate_bound(g, shape.dtype, bound);
  mlir_op_t *spread =
      generate_op(g, "stablehlo.broadcast_in_dim", 1, &scalar, 1, &shape, 0);
  generate_list(g, spread, "broadcast_dimensions", 0, NULL);
  mlir_value_t *sides[] = {x, &spread->results[0]};
  shape.dtype = TENSOR_PRED;
  mlir_op_t *op = generate_op(g, "stablehlo.compare", 2, sides, 1, &shape, 0);
  generate_enum(g, op, "comparison_direction", "comparison_direction", direction);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
}

static mlir_value_t *mean_of(generate_t *g, mlir_value_t *x) {
  const int64_t count = generate_shape_of(x)->dims[0];
  mlir_value_t *operands[] = {x, generate_bound(g, TENSOR_F64, 0)};
  const tensor_shape_t scalar = generate_scalar_shape(TENSOR_F64);
  mlir_op_t *sum = generate_op(g, "stablehlo.reduce", 2, operands, 1, &scalar, 1);
  const int64_t dimension = 0;
  generate_list(g, sum, "dimensions", 1, &dimension);
  generate_reducer(g, sum, 0, TENSOR_F64, "stablehlo.add");
  mlir_value_t *parts[] = {&sum->results[0],
                           generate_bound(g, TENSOR_F64, (double)count)};
  return &generate_op(g, "stablehlo.divide", 2, parts, 1, &scalar, 0)->results[0];
}

// The mean of many, and of their squares, with errors of some six deviations.
static void keep_moments(generate_t *g, mlir_value_t *x, double mean, double square) {
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = TENSOR_F64;
  x = &generate_op(g, "stablehlo.convert", 1, &x, 1, &shape, 0)->results[0];
  mlir_value_t *twice[] = {x, x};
  mlir_value_t *squares =
      &generate_op(g, "stablehlo.multiply", 2, twice, 1, &shape, 0)->results[0];
  const double slack = 8 * (1 + square) / sqrt((double)shape.dims[0]);
  mlir_value_t *means[] = {mean_of(g, x), mean_of(g, squares)};
  const double wanted[] = {mean, square};
  for (int i = 0; i < 2; i++) {
    keep_comparison(g, means[i], "GT", wanted[i] - slack);
    keep_comparison(g, means[i], "LT", wanted[i] + slack);
  }
}

static void generate_rng(generate_t *g, const char *name) {
  const distribution_t drawn = draw_distribution(g);
  const bool is_wide = drawn.dtype == TENSOR_F32 || drawn.dtype == TENSOR_F64;
  const bool is_large = is_wide && generate_chance(g, 50);
  const int64_t many = 4096;
  const tensor_shape_t shape = is_large ? tensor_shape_make(drawn.dtype, 1, &many)
                                        : generate_shape(g, drawn.dtype, 0);
  mlir_value_t *operands[] = {
      generate_bound(g, drawn.dtype, drawn.from),
      generate_bound(g, drawn.dtype, drawn.to),
      generate_constant_integers(g, TENSOR_S64, shape.rank, shape.dims)};
  mlir_op_t *op = generate_op(g, name, 3, operands, 1, &shape, 0);
  generate_enum(g, op, "rng_distribution", "rng_distribution",
                drawn.is_normal ? "NORMAL" : "UNIFORM");
  mlir_value_t *x = &op->results[0];
  if (!drawn.is_normal) {
    keep_comparison(g, x, "GE", drawn.from);
    keep_comparison(g, x, drawn.dtype == TENSOR_PRED ? "LE" : "LT", drawn.to);
  } else {
    tensor_shape_t flags = shape;
    flags.dtype = TENSOR_PRED;
    generate_keep(g, generate_op(g, "stablehlo.is_finite", 1, &x, 1, &flags, 0), 0,
                  GENERATE_BITS, 0);
  }
  if (is_large) {
    const double mean = drawn.is_normal ? drawn.from : (drawn.from + drawn.to) / 2;
    const double width = drawn.to - drawn.from;
    keep_moments(g, x, mean, mean * mean + (drawn.is_normal ? 1 : width * width / 12));
  }
}

const generate_row_t generate_random_rows[] = {
    {"stablehlo.rng_bit_generator", generate_rng_bits},
    {"stablehlo.rng", generate_rng},
    {NULL, NULL},
};
