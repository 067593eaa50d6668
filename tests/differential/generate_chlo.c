// The operations of CHLO.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

// --- Functions of a number ---

typedef struct unary_t {
  const char *name;
  generate_data_t data;
  double ulps, f64_ulps;
  bool is_complex;  // Has a meaning for complex numbers.
} unary_t;

static const unary_t unaries[] = {
    {"chlo.acos", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.acosh", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.asin", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.asinh", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.atan", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.atanh", GENERATE_SPECIALS, 1, 4, true},
    {"chlo.bessel_i1e", GENERATE_FINITE, 1, 64, false},
    // As XLA has them in f32: the exponent is rounded before the exponential.
    {"chlo.cosh", GENERATE_SPECIALS, 64, 4, true},
    {"chlo.digamma", GENERATE_POSITIVE, 1, 4096, false},
    {"chlo.erf", GENERATE_SPECIALS, 1, 4, false},
    {"chlo.erf_inv", GENERATE_UNITS, 1, 256, false},
    {"chlo.erfc", GENERATE_SPECIALS, 1, 8, false},
    {"chlo.lgamma", GENERATE_POSITIVE, 1, 4096, false},
    {"chlo.sinh", GENERATE_SPECIALS, 64, 4, true},
    {"chlo.tan", GENERATE_SPECIALS, 1, 4, true},
};

// Numbers in (-1, 1).
static mlir_value_t *generate_fractions(generate_t *g, const tensor_shape_t *shape) {
  reference_value_t array = reference_make(g->arena, shape);
  for (int64_t i = 0; i < array.count; i++) {
    const double x = (2 * pod_random_uniform(&g->random) - 1) * 0.99;
    reference_store(&array, i, reference_of_real(shape->dtype, x));
  }
  return generate_given(g, shape, array.data);
}

static void generate_unary(generate_t *g, const char *name) {
  const unary_t *row = unaries;
  while (strcmp(row->name, name) != 0) {
    row++;
  }
  const tensor_dtype_t dtype =
      generate_dtype(g, GENERATE_FLOATS | (row->is_complex ? GENERATE_COMPLEX : 0));
  const bool is_complex = tensor_dtype_is_complex(dtype);
  const tensor_shape_t shape = generate_shape(g, dtype, 0);
  mlir_value_t *x = row->data == GENERATE_UNITS
                        ? generate_fractions(g, &shape)
                        : generate_operand(g, &shape, GENERATE_EXACT,
                                           is_complex ? GENERATE_POSITIVE : row->data);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  // Where a function of a double has a zero, an error of it is many units.
  const bool by_norm = is_complex || (dtype == TENSOR_F64 && row->f64_ulps > 64);
  generate_keep(g, op, 0, by_norm ? GENERATE_NORM : GENERATE_CLOSE,
                is_complex            ? 64
                : dtype == TENSOR_F64 ? row->f64_ulps
                                      : row->ulps);
}

static void generate_square(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_REAL, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, generate_shape_of(x), 0);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

static void generate_conj(generate_t *g, const char *name) {
  mlir_value_t *x =
      generate_any(g, GENERATE_COMPLEX, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, generate_shape_of(x), 0);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

static void generate_is_inf(generate_t *g, const char *name) {
  mlir_value_t *x =
      generate_any(g, GENERATE_FLOATS, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = TENSOR_PRED;
  generate_keep(g, generate_op(g, name, 1, &x, 1, &shape, 0), 0, GENERATE_BITS, 0);
}

// --- Of two ---

static void generate_exact_pair(generate_t *g, const char *name) {
  const bool is_mulhi = strcmp(name, "chlo.mulhi") == 0;
  const tensor_shape_t shape = generate_shape(
      g, generate_dtype(g, is_mulhi ? GENERATE_INTEGER : GENERATE_FLOATS), 0);
  mlir_value_t *operands[2];
  operands[0] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  operands[1] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// zeta(s, q) for s > 1, polygamma(n, x) for whole n; q and x above 0.
static void generate_series(generate_t *g, const char *name) {
  const bool is_zeta = strcmp(name, "chlo.zeta") == 0;
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_FLOATS);
  const tensor_shape_t shape = generate_shape(g, dtype, 0);
  reference_value_t array = reference_make(g->arena, &shape);
  for (int64_t i = 0; i < array.count; i++) {
    const double x =
        is_zeta ? 1.1 + 8 * pod_random_uniform(&g->random) : (double)generate_below(g, 5);
    reference_store(&array, i, reference_of_real(dtype, x));
  }
  mlir_value_t *operands[2];
  operands[0] = generate_given(g, &shape, array.data);
  operands[1] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_POSITIVE);
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  const bool is_double = dtype == TENSOR_F64;
  generate_keep(g, op, 0, is_double ? GENERATE_NORM : GENERATE_CLOSE,
                is_double ? 4096 : 1);
}

// --- Broadcasts ---

// One operand has fewer dimensions, or 1 in the place of some.
static tensor_shape_t narrow(generate_t *g, const tensor_shape_t *whole, int *out_first) {
  const int first = generate_chance(g, 50) ? 0 : generate_below(g, whole->rank + 1);
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = first; d < whole->rank; d++) {
    dims[d - first] = generate_chance(g, 30) ? 1 : whole->dims[d];
  }
  *out_first = first;
  return tensor_shape_make(whole->dtype, whole->rank - first, dims);
}

static void generate_broadcasting(generate_t *g, const char *name) {
  const bool is_logic = strcmp(name, "chlo.broadcast_and") == 0;
  const bool is_comparison = strcmp(name, "chlo.broadcast_compare") == 0;
  tensor_shape_t shape =
      generate_shape(g,
                     generate_dtype(g, is_logic ? GENERATE_INTEGER | GENERATE_PRED
                                                : GENERATE_INTEGER | GENERATE_FLOATS),
                     0);
  int first = 0;
  const bool narrows_left = generate_chance(g, 50);
  const tensor_shape_t other = narrow(g, &shape, &first);
  mlir_value_t *operands[2];
  operands[narrows_left ? 0 : 1] =
      generate_operand(g, &other, GENERATE_EXACT, GENERATE_SPECIALS);
  operands[narrows_left ? 1 : 0] =
      generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  if (is_comparison) {
    shape.dtype = TENSOR_PRED;
  }
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  if (is_comparison) {
    static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
    mlir_op_set_attr(g->module, op, "comparison_direction",
                     mlir_attr_dialect(g->module, "chlo.comparison_direction",
                                       generate_word(g, 6, directions)));
  }
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < other.rank; d++) {
    dims[d] = first + d;
  }
  if (first > 0 && generate_chance(g, 50)) {
    generate_list(g, op, "broadcast_dimensions", other.rank, dims);
  }
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

const generate_row_t generate_chlo_rows[] = {
    {"chlo.acos", generate_unary},
    {"chlo.acosh", generate_unary},
    {"chlo.asin", generate_unary},
    {"chlo.asinh", generate_unary},
    {"chlo.atan", generate_unary},
    {"chlo.atanh", generate_unary},
    {"chlo.bessel_i1e", generate_unary},
    {"chlo.broadcast_add", generate_broadcasting},
    {"chlo.broadcast_and", generate_broadcasting},
    {"chlo.broadcast_compare", generate_broadcasting},
    {"chlo.broadcast_maximum", generate_broadcasting},
    {"chlo.broadcast_subtract", generate_broadcasting},
    {"chlo.conj", generate_conj},
    {"chlo.cosh", generate_unary},
    {"chlo.digamma", generate_unary},
    {"chlo.erf", generate_unary},
    {"chlo.erf_inv", generate_unary},
    {"chlo.erfc", generate_unary},
    {"chlo.is_inf", generate_is_inf},
    {"chlo.is_neg_inf", generate_is_inf},
    {"chlo.is_pos_inf", generate_is_inf},
    {"chlo.lgamma", generate_unary},
    {"chlo.mulhi", generate_exact_pair},
    {"chlo.next_after", generate_exact_pair},
    {"chlo.polygamma", generate_series},
    {"chlo.sinh", generate_unary},
    {"chlo.square", generate_square},
    {"chlo.tan", generate_unary},
    {"chlo.zeta", generate_series},
    {NULL, NULL},
};
