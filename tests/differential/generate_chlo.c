// The operations of CHLO.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

// --- Functions of a number ---

typedef struct unary_t {
  const char *name;
  double ulps, f64_ulps;
  bool is_complex;    // Has a meaning for complex numbers.
  bool has_zeros;     // Errors of doubles are those beside 1.
  bool is_fractions;  // Of numbers in (-1, 1), mostly.
} unary_t;

static const unary_t unaries[] = {
    {"chlo.acos", 1, 4, true, false, true},
    {"chlo.acosh", 1, 4, true, false, false},
    {"chlo.asin", 1, 4, true, false, true},
    {"chlo.asinh", 1, 4, true, false, false},
    {"chlo.atan", 1, 4, true, false, false},
    {"chlo.atanh", 1, 4, true, false, true},
    {"chlo.bessel_i1e", 1, 64, false, false, false},
    // As XLA has them in f32: the exponent is rounded before the exponential.
    {"chlo.cosh", 64, 4, true, false, false},
    {"chlo.digamma", 1, 4096, false, true, false},
    {"chlo.erf", 1, 4, false, false, false},
    {"chlo.erf_inv", 1, 256, false, false, true},
    {"chlo.erfc", 1, 8, false, false, false},
    {"chlo.lgamma", 1, 4096, false, true, false},
    {"chlo.sinh", 64, 4, true, false, false},
    {"chlo.tan", 1, 4, true, false, false},
    {"stablehlo.erf", 1, 4, false, false, false},
    {"stablehlo.erf_inv", 1, 256, false, false, true},
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
      generate_dtype(g, GENERATE_FLOAT | (row->is_complex ? GENERATE_COMPLEX : 0));
  const bool is_complex = tensor_dtype_is_complex(dtype);
  const tensor_shape_t shape = generate_shape(g, dtype, 0);
  mlir_value_t *x = row->is_fractions && !is_complex && generate_chance(g, 70)
                        ? generate_fractions(g, &shape)
                        : generate_operand(g, &shape, GENERATE_EXACT,
                                           is_complex               ? GENERATE_FINITE
                                           : generate_chance(g, 30) ? GENERATE_FINITE
                                                                    : GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  const bool is_double = dtype == TENSOR_F64;
  generate_keep(g, op, 0,
                is_double && row->has_zeros ? GENERATE_BESIDE_ONE : GENERATE_CLOSE,
                is_complex  ? 64
                : is_double ? row->f64_ulps
                            : row->ulps);
}

// The square of a complex number is rounded more than once.
static void generate_square(generate_t *g, const char *name) {
  const tensor_shape_t shape =
      generate_shape(g, generate_dtype(g, GENERATE_FLOAT | GENERATE_COMPLEX), 0);
  const bool is_complex = tensor_dtype_is_complex(shape.dtype);
  mlir_value_t *x = generate_operand(g, &shape, GENERATE_EXACT,
                                     is_complex ? GENERATE_FINITE : GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  generate_keep(g, op, 0, is_complex ? GENERATE_CLOSE : GENERATE_EXACT,
                is_complex ? 4 : 0);
}

static void generate_conj(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_FLOAT | GENERATE_COMPLEX, 0, GENERATE_EXACT,
                                 GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, generate_shape_of(x), 0);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

static void generate_is_inf(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_FLOAT, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = TENSOR_PRED;
  generate_keep(g, generate_op(g, name, 1, &x, 1, &shape, 0), 0, GENERATE_BITS, 0);
}

// --- Of two ---

static void generate_exact_pair(generate_t *g, const char *name) {
  const bool is_mulhi = strcmp(name, "chlo.mulhi") == 0;
  const tensor_shape_t shape = generate_shape(
      g, generate_dtype(g, is_mulhi ? GENERATE_INTEGER : GENERATE_FLOAT), 0);
  mlir_value_t *operands[2];
  operands[0] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  operands[1] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// zeta(s, q), polygamma(n, x): s above 1 and whole n from 0 on, but for a few; the other
// number of either sign.
static double draw_order(generate_t *g, bool is_zeta) {
  static const double specials[] = {1, 0.5, -2, (double)NAN, 0, -0.0, 1.5, -0.5};
  if (generate_chance(g, 10)) {
    return specials[generate_below(g, (int)POD_COUNT_OF(specials))];
  }
  return !is_zeta                 ? generate_below(g, 8)
         : generate_chance(g, 40) ? generate_between(g, 2, 12)
                                  : 1.1 + 8 * pod_random_uniform(&g->random);
}

static mlir_value_t *generate_orders(generate_t *g, const tensor_shape_t *shape,
                                     bool is_zeta) {
  reference_value_t array = reference_make(g->arena, shape);
  for (int64_t i = 0; i < array.count; i++) {
    reference_store(&array, i, reference_of_real(shape->dtype, draw_order(g, is_zeta)));
  }
  return generate_given(g, shape, array.data);
}

static void keep_series(generate_t *g, mlir_op_t *op) {
  const bool is_double = generate_shape_of(&op->results[0])->dtype == TENSOR_F64;
  generate_keep(g, op, 0, is_double ? GENERATE_BESIDE_ONE : GENERATE_CLOSE,
                is_double ? 1 << 20 : 1);
}

static generate_data_t series_data(generate_t *g) {
  static const generate_data_t data[] = {GENERATE_POSITIVE, GENERATE_FINITE,
                                         GENERATE_SPECIALS};
  return data[generate_below(g, 3)];
}

static void generate_series(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_FLOAT), 0);
  mlir_value_t *operands[2];
  operands[0] = generate_orders(g, &shape, strcmp(name, "chlo.zeta") == 0);
  operands[1] = generate_operand(g, &shape, GENERATE_EXACT, series_data(g));
  keep_series(g, generate_op(g, name, 2, operands, 1, &shape, 0));
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

typedef struct broadcast_t {
  tensor_shape_t whole, part;
  int first;          // Dimension of the whole that is the first of the part.
  bool narrows_left;  // Operand 0, else 1, has the shape of the part.
} broadcast_t;

static broadcast_t draw_broadcast(generate_t *g, tensor_dtype_t dtype) {
  broadcast_t drawn = {.whole = generate_shape(g, dtype, 0),
                       .narrows_left = generate_chance(g, 50)};
  drawn.part = narrow(g, &drawn.whole, &drawn.first);
  return drawn;
}

static void set_dims(generate_t *g, mlir_op_t *op, const broadcast_t *drawn) {
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < drawn->part.rank; d++) {
    dims[d] = drawn->first + d;
  }
  if (drawn->first > 0 && generate_chance(g, 50)) {
    generate_list(g, op, "broadcast_dimensions", drawn->part.rank, dims);
  }
}

// Both operands, of which one is narrower.
static void draw_sides(generate_t *g, const broadcast_t *drawn, generate_data_t data,
                       mlir_value_t **out_operands) {
  for (int i = 0; i < 2; i++) {
    const bool is_part = (i == 0) == drawn->narrows_left;
    out_operands[i] =
        generate_operand(g, is_part ? &drawn->part : &drawn->whole, GENERATE_EXACT, data);
  }
}

static void generate_broadcast_binary(generate_t *g, const char *name) {
  const generate_binary_t binary =
      generate_choose_binary(g, name + strlen("chlo.broadcast_"));
  const broadcast_t drawn = draw_broadcast(g, binary.dtype);
  mlir_value_t *operands[2];
  draw_sides(g, &drawn, binary.data, operands);
  for (int i = 0; i < 2 && binary.is_fresh; i++) {
    const tensor_shape_t shape = *generate_shape_of(operands[i]);
    operands[i] = generate_fresh(g, &shape, binary.data);
  }
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &drawn.whole, 0);
  set_dims(g, op, &drawn);
  generate_keep(g, op, 0, binary.exactness, binary.ulps);
}

static void generate_broadcast_compare(generate_t *g, const char *name) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
  const broadcast_t drawn = draw_broadcast(g, dtype);
  mlir_value_t *operands[2];
  draw_sides(g, &drawn, GENERATE_SPECIALS, operands);
  tensor_shape_t flags = drawn.whole;
  flags.dtype = TENSOR_PRED;
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &flags, 0);
  mlir_op_set_attr(
      g->module, op, "comparison_direction",
      mlir_attr_dialect(
          g->module, "chlo.comparison_direction",
          generate_word(g, tensor_dtype_is_complex(dtype) ? 2 : 6, directions)));
  set_dims(g, op, &drawn);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
}

static void generate_broadcast_complex(generate_t *g, const char *name) {
  const broadcast_t drawn =
      draw_broadcast(g, generate_chance(g, 50) ? TENSOR_F32 : TENSOR_F64);
  mlir_value_t *operands[2];
  draw_sides(g, &drawn, GENERATE_SPECIALS, operands);
  tensor_shape_t result = drawn.whole;
  result.dtype = result.dtype == TENSOR_F32 ? TENSOR_C64 : TENSOR_C128;
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &result, 0);
  set_dims(g, op, &drawn);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

static void generate_broadcast_special(generate_t *g, const char *name) {
  const broadcast_t drawn = draw_broadcast(g, generate_dtype(g, GENERATE_FLOAT));
  const bool is_next = strcmp(name, "chlo.broadcast_next_after") == 0;
  mlir_value_t *operands[2];
  draw_sides(g, &drawn, is_next ? GENERATE_SPECIALS : series_data(g), operands);
  if (!is_next) {
    const tensor_shape_t shape = *generate_shape_of(operands[0]);
    operands[0] = generate_orders(g, &shape, strcmp(name, "chlo.broadcast_zeta") == 0);
  }
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &drawn.whole, 0);
  set_dims(g, op, &drawn);
  if (is_next) {
    generate_keep(g, op, 0, GENERATE_EXACT, 0);
  } else {
    keep_series(g, op);
  }
}

// Any of the three may be a scalar or have the shape of the result.
static void generate_broadcast_select(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_ANY), 0);
  mlir_value_t *operands[3];
  const int whole = generate_below(g, 3);
  for (int i = 0; i < 3; i++) {
    const bool is_scalar = i != whole && generate_chance(g, 50);
    tensor_shape_t own = is_scalar ? generate_scalar_shape(shape.dtype) : shape;
    own.dtype = i == 0 ? TENSOR_PRED : shape.dtype;
    operands[i] = generate_operand(g, &own, GENERATE_BITS, GENERATE_SPECIALS);
  }
  generate_keep(g, generate_op(g, name, 3, operands, 1, &shape, 0), 0, GENERATE_BITS, 0);
}

const generate_row_t generate_chlo_rows[] = {
    {"chlo.acos", generate_unary},
    {"chlo.acosh", generate_unary},
    {"chlo.asin", generate_unary},
    {"chlo.asinh", generate_unary},
    {"chlo.atan", generate_unary},
    {"chlo.atanh", generate_unary},
    {"chlo.bessel_i1e", generate_unary},
    {"chlo.broadcast_add", generate_broadcast_binary},
    {"chlo.broadcast_and", generate_broadcast_binary},
    {"chlo.broadcast_atan2", generate_broadcast_binary},
    {"chlo.broadcast_compare", generate_broadcast_compare},
    {"chlo.broadcast_complex", generate_broadcast_complex},
    {"chlo.broadcast_divide", generate_broadcast_binary},
    {"chlo.broadcast_maximum", generate_broadcast_binary},
    {"chlo.broadcast_minimum", generate_broadcast_binary},
    {"chlo.broadcast_multiply", generate_broadcast_binary},
    {"chlo.broadcast_next_after", generate_broadcast_special},
    {"chlo.broadcast_or", generate_broadcast_binary},
    {"chlo.broadcast_polygamma", generate_broadcast_special},
    {"chlo.broadcast_power", generate_broadcast_binary},
    {"chlo.broadcast_remainder", generate_broadcast_binary},
    {"chlo.broadcast_select", generate_broadcast_select},
    {"chlo.broadcast_shift_left", generate_broadcast_binary},
    {"chlo.broadcast_shift_right_arithmetic", generate_broadcast_binary},
    {"chlo.broadcast_shift_right_logical", generate_broadcast_binary},
    {"chlo.broadcast_subtract", generate_broadcast_binary},
    {"chlo.broadcast_xor", generate_broadcast_binary},
    {"chlo.broadcast_zeta", generate_broadcast_special},
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
    {"stablehlo.erf", generate_unary},
    {"stablehlo.erf_inv", generate_unary},
    {NULL, NULL},
};
