// Leaves, and what computes every element from those at the same place.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

static void generate_constant_row(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_any_size(g, generate_dtype(g, GENERATE_ANY), 0);
  const reference_value_t array = reference_make(g->arena, &shape);
  generate_fill(g, shape.dtype, GENERATE_SPECIALS, array.count, array.data);
  if (generate_chance(g, 30)) {  // A splat.
    for (int64_t i = 1; i < array.count; i++) {
      reference_value_t all = array;
      reference_copy(&all, i, &array, 0);
    }
  }
  mlir_value_t *value = generate_constant(g, &shape, array.data);
  value->op->name = mlir_intern(g->module, name);
}

// The indexes are numbers of every type.
static void generate_iota(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_NUMBER), 1);
  mlir_op_t *op = generate_op(g, name, 0, NULL, 1, &shape, 0);
  generate_integer(g, op, "iota_dimension", generate_below(g, shape.rank));
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// --- One operand ---

typedef struct unary_t {
  const char *name;
  unsigned classes;
  double ulps;      // 0: exact, complex numbers too.
  double f64_ulps;  // libm's.
} unary_t;

enum {
  MATH = GENERATE_FLOAT | GENERATE_COMPLEX,
};

static const unary_t unaries[] = {
    {"stablehlo.abs", GENERATE_SIGNED | GENERATE_FLOAT | GENERATE_COMPLEX, 0, 0},
    {"stablehlo.cbrt", MATH, 1, 4},
    {"stablehlo.ceil", GENERATE_FLOAT, 0, 0},
    {"stablehlo.cosine", MATH, 1, 2},
    {"stablehlo.count_leading_zeros", GENERATE_INTEGER, 0, 0},
    {"stablehlo.exponential", MATH, 1, 2},
    {"stablehlo.exponential_minus_one", MATH, 1, 3},
    {"stablehlo.floor", GENERATE_FLOAT, 0, 0},
    {"stablehlo.log", MATH, 1, 2},
    {"stablehlo.log_plus_one", MATH, 1, 3},
    {"stablehlo.logistic", MATH, 1, 4},
    {"stablehlo.negate", GENERATE_NUMBER, 0, 0},
    {"stablehlo.not", GENERATE_PRED | GENERATE_INTEGER, 0, 0},
    {"stablehlo.popcnt", GENERATE_INTEGER, 0, 0},
    {"stablehlo.round_nearest_afz", GENERATE_FLOAT, 0, 0},
    {"stablehlo.round_nearest_even", GENERATE_FLOAT, 0, 0},
    {"stablehlo.rsqrt", MATH, 2, 2},
    {"stablehlo.sign", GENERATE_SIGNED | GENERATE_FLOAT | GENERATE_COMPLEX, 0, 0},
    {"stablehlo.sine", MATH, 1, 2},
    {"stablehlo.sqrt", MATH, 0, 0},
    {"stablehlo.tan", MATH, 1, 2},
    {"stablehlo.tanh", MATH, 1, 3},
};

// Complex functions are known as a whole, and only where nothing overflows or cancels.
enum { COMPLEX_ULPS = 16 };

static void generate_unary(generate_t *g, const char *name) {
  const unary_t *row = unaries;
  while (strcmp(row->name, name) != 0) {
    row++;
  }
  const bool is_negate = strcmp(name, "stablehlo.negate") == 0;
  const tensor_dtype_t dtype = generate_dtype(g, row->classes);
  const bool is_complex = tensor_dtype_is_complex(dtype) && !is_negate;
  tensor_shape_t shape = generate_any_size(g, dtype, 0);
  mlir_value_t *x = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  if (strcmp(name, "stablehlo.abs") == 0) {
    shape.dtype = reference_part_of(dtype);
  }
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  const double ulps = is_complex            ? COMPLEX_ULPS
                      : dtype == TENSOR_F64 ? row->f64_ulps
                                            : row->ulps;
  generate_keep(g, op, 0, ulps > 0 ? GENERATE_CLOSE : GENERATE_EXACT, ulps);
}

static void generate_is_finite(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_FLOAT, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = TENSOR_PRED;
  generate_keep(g, generate_op(g, name, 1, &x, 1, &shape, 0), 0, GENERATE_BITS, 0);
}

static void generate_convert(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_ANY, 0, GENERATE_EXACT, GENERATE_SPECIALS);
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = generate_dtype(g, GENERATE_ANY);
  generate_keep(g, generate_op(g, name, 1, &x, 1, &shape, 0), 0, GENERATE_EXACT, 0);
}

// The imaginary part of a real number is 0.
static void generate_part(generate_t *g, const char *name) {
  mlir_value_t *x = generate_any(g, GENERATE_FLOAT | GENERATE_COMPLEX, 0, GENERATE_EXACT,
                                 GENERATE_SPECIALS);
  tensor_shape_t shape = *generate_shape_of(x);
  shape.dtype = reference_part_of(shape.dtype);
  generate_keep(g, generate_op(g, name, 1, &x, 1, &shape, 0), 0, GENERATE_EXACT, 0);
}

// Types that have infinity: what is too large becomes it.
static void generate_reduce_precision(generate_t *g, const char *name) {
  static const tensor_dtype_t tiny[] = {TENSOR_F8E3M4, TENSOR_F8E4M3, TENSOR_F8E5M2};
  const tensor_dtype_t dtype = generate_chance(g, 30)
                                   ? tiny[generate_below(g, 3)]
                                   : generate_dtype(g, GENERATE_FLOATS);
  const tensor_shape_t shape = generate_any_size(g, dtype, 0);
  mlir_value_t *x = generate_operand(g, &shape, GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 0);
  const int64_t bits[] = {generate_between(g, 1, 12), generate_between(g, 0, 54)};
  static const char *const names[] = {"exponent_bits", "mantissa_bits"};
  for (int i = 0; i < 2; i++) {
    mlir_op_set_attr(g->module, op, names[i],
                     mlir_attr_integer(g->module, bits[i], TENSOR_S32));
  }
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// --- Two operands ---

static const struct {
  const char *word;
  unsigned classes;
} binaries[] = {
    {"add", GENERATE_ANY},
    {"and", GENERATE_PRED | GENERATE_INTEGER},
    {"atan2", MATH},
    {"divide", GENERATE_NUMBER},
    {"maximum", GENERATE_ANY},
    {"minimum", GENERATE_ANY},
    {"multiply", GENERATE_ANY},
    {"or", GENERATE_PRED | GENERATE_INTEGER},
    {"power", GENERATE_NUMBER},
    {"remainder", GENERATE_REAL},
    {"shift_left", GENERATE_INTEGER},
    {"shift_right_arithmetic", GENERATE_INTEGER},
    {"shift_right_logical", GENERATE_INTEGER},
    {"subtract", GENERATE_NUMBER},
    {"xor", GENERATE_PRED | GENERATE_INTEGER},
};

static bool is_among(const char *name, const char *const *names) {
  for (; *names != NULL; names++) {
    if (strcmp(name, *names) == 0) {
      return true;
    }
  }
  return false;
}

generate_binary_t generate_choose_binary(generate_t *g, const char *word) {
  static const char *const inexact[] = {"atan2", "power", NULL};
  static const char *const rounded[] = {"multiply", "divide", NULL};
  unsigned classes = 0;
  for (size_t i = 0; i < POD_COUNT_OF(binaries); i++) {
    classes |= strcmp(binaries[i].word, word) == 0 ? binaries[i].classes : 0;
  }
  generate_binary_t chosen = {.dtype = generate_dtype(g, classes)};
  const bool is_complex = tensor_dtype_is_complex(chosen.dtype);
  const bool is_integral =
      (generate_class(chosen.dtype) & (GENERATE_INTEGER | GENERATE_PRED)) != 0;
  const bool is_close = !is_integral && (is_among(word, inexact) ||
                                         (is_complex && is_among(word, rounded)));
  chosen.data = is_close && is_complex ? GENERATE_FINITE : GENERATE_SPECIALS;
  // Powers of signalling NaNs are not NaN everywhere: bitcast_convert may make such.
  chosen.is_fresh = strcmp(word, "power") == 0;
  chosen.exactness = is_close ? GENERATE_CLOSE : GENERATE_EXACT;
  chosen.ulps = !is_close ? 0 : is_complex ? 64 : chosen.dtype == TENSOR_F64 ? 3 : 1;
  return chosen;
}

static void generate_binary(generate_t *g, const char *name) {
  const generate_binary_t binary = generate_choose_binary(g, strchr(name, '.') + 1);
  const tensor_shape_t shape = generate_any_size(g, binary.dtype, 0);
  mlir_value_t *operands[2];
  for (int i = 0; i < 2; i++) {
    operands[i] = binary.is_fresh
                      ? generate_fresh(g, &shape, binary.data)
                      : generate_operand(g, &shape, GENERATE_EXACT, binary.data);
  }
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  generate_keep(g, op, 0, binary.exactness, binary.ulps);
}

static void generate_complex(generate_t *g, const char *name) {
  tensor_shape_t shape =
      generate_any_size(g, generate_chance(g, 50) ? TENSOR_F32 : TENSOR_F64, 0);
  mlir_value_t *operands[2];
  operands[0] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  operands[1] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
  shape.dtype = shape.dtype == TENSOR_F32 ? TENSOR_C64 : TENSOR_C128;
  generate_keep(g, generate_op(g, name, 2, operands, 1, &shape, 0), 0, GENERATE_EXACT, 0);
}

// --- Others ---

static void generate_compare(generate_t *g, const char *name) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
  const unsigned class = generate_class(dtype);
  const char *type = class == GENERATE_SIGNED     ? "SIGNED"
                     : class == GENERATE_UNSIGNED ? "UNSIGNED"
                     : class == GENERATE_PRED     ? "UNSIGNED"
                     : class == GENERATE_COMPLEX  ? "FLOAT"
                     : generate_chance(g, 50)     ? "TOTALORDER"
                                                  : "FLOAT";
  const bool is_total = strcmp(type, "TOTALORDER") == 0;
  tensor_shape_t shape = generate_any_size(g, dtype, 0);
  const generate_exactness_t exactness = is_total ? GENERATE_BITS : GENERATE_EXACT;
  mlir_value_t *operands[2];
  operands[0] = generate_operand(g, &shape, exactness, GENERATE_SPECIALS);
  operands[1] = generate_operand(g, &shape, exactness, GENERATE_SPECIALS);
  shape.dtype = TENSOR_PRED;
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &shape, 0);
  generate_enum(g, op, "comparison_direction", "comparison_direction",
                generate_word(g, class == GENERATE_COMPLEX ? 2 : 6, directions));
  if (is_total || generate_chance(g, 50)) {
    generate_enum(g, op, "compare_type", "comparison_type", type);
  }
  generate_keep(g, op, 0, GENERATE_BITS, 0);
}

static void generate_select(generate_t *g, const char *name) {
  mlir_value_t *operands[3];
  operands[1] = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  const tensor_shape_t shape = *generate_shape_of(operands[1]);
  operands[2] = generate_operand(g, &shape, GENERATE_CLOSE, GENERATE_SPECIALS);
  tensor_shape_t flags = shape;
  flags.dtype = TENSOR_PRED;
  if (generate_chance(g, 30)) {
    flags = generate_scalar_shape(TENSOR_PRED);
  }
  operands[0] = generate_operand(g, &flags, GENERATE_BITS, GENERATE_SPECIALS);
  mlir_op_t *op = generate_op(g, name, 3, operands, 1, &shape, 0);
  const generate_value_t a = generate_known(g, operands[1]);
  const generate_value_t b = generate_known(g, operands[2]);
  generate_keep(g, op, 0, a.exactness < b.exactness ? a.exactness : b.exactness,
                a.ulps > b.ulps ? a.ulps : b.ulps);
}

static void generate_clamp(generate_t *g, const char *name) {
  const tensor_shape_t shape = generate_any_size(g, generate_dtype(g, GENERATE_ANY), 0);
  const tensor_shape_t scalar = generate_scalar_shape(shape.dtype);
  mlir_value_t *operands[3];
  for (int i = 0; i < 3; i++) {
    const bool is_scalar = i != 1 && generate_chance(g, 50);
    operands[i] = generate_operand(g, is_scalar ? &scalar : &shape, GENERATE_EXACT,
                                   GENERATE_SPECIALS);
  }
  generate_keep(g, generate_op(g, name, 3, operands, 1, &shape, 0), 0, GENERATE_EXACT, 0);
}

const generate_row_t generate_elementwise_rows[] = {
    {"chlo.constant", generate_constant_row},
    {"stablehlo.constant", generate_constant_row},
    {"stablehlo.iota", generate_iota},
    {"stablehlo.abs", generate_unary},
    {"stablehlo.add", generate_binary},
    {"stablehlo.and", generate_binary},
    {"stablehlo.atan2", generate_binary},
    {"stablehlo.cbrt", generate_unary},
    {"stablehlo.ceil", generate_unary},
    {"stablehlo.clamp", generate_clamp},
    {"stablehlo.compare", generate_compare},
    {"stablehlo.complex", generate_complex},
    {"stablehlo.convert", generate_convert},
    {"stablehlo.cosine", generate_unary},
    {"stablehlo.count_leading_zeros", generate_unary},
    {"stablehlo.divide", generate_binary},
    {"stablehlo.exponential", generate_unary},
    {"stablehlo.exponential_minus_one", generate_unary},
    {"stablehlo.floor", generate_unary},
    {"stablehlo.imag", generate_part},
    {"stablehlo.is_finite", generate_is_finite},
    {"stablehlo.log", generate_unary},
    {"stablehlo.log_plus_one", generate_unary},
    {"stablehlo.logistic", generate_unary},
    {"stablehlo.maximum", generate_binary},
    {"stablehlo.minimum", generate_binary},
    {"stablehlo.multiply", generate_binary},
    {"stablehlo.negate", generate_unary},
    {"stablehlo.not", generate_unary},
    {"stablehlo.or", generate_binary},
    {"stablehlo.popcnt", generate_unary},
    {"stablehlo.power", generate_binary},
    {"stablehlo.real", generate_part},
    {"stablehlo.reduce_precision", generate_reduce_precision},
    {"stablehlo.remainder", generate_binary},
    {"stablehlo.round_nearest_afz", generate_unary},
    {"stablehlo.round_nearest_even", generate_unary},
    {"stablehlo.rsqrt", generate_unary},
    {"stablehlo.select", generate_select},
    {"stablehlo.shift_left", generate_binary},
    {"stablehlo.shift_right_arithmetic", generate_binary},
    {"stablehlo.shift_right_logical", generate_binary},
    {"stablehlo.sign", generate_unary},
    {"stablehlo.sine", generate_unary},
    {"stablehlo.sqrt", generate_unary},
    {"stablehlo.subtract", generate_binary},
    {"stablehlo.tan", generate_unary},
    {"stablehlo.tanh", generate_unary},
    {"stablehlo.xor", generate_binary},
    {NULL, NULL},
};
