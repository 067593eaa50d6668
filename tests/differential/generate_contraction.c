// Reductions, products, and the normalisations that are made of them.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

// Up to which all sums of integers are exact.
static int64_t exact_up_to(tensor_dtype_t dtype) {
  switch (reference_part_of(dtype)) {
    case TENSOR_F4E2M1FN:
      return 4;
    case TENSOR_F6E2M3FN:
      return 7;
    case TENSOR_F8E8M0FNU:
      return 0;
    case TENSOR_BF16:
      return 256;
    case TENSOR_F16:
      return 2048;
    case TENSOR_F32:
    case TENSOR_F64:
      return 1 << 24;
    default:
      return tensor_dtype_is_float(dtype) ? 8 : INT64_MAX;
  }
}

// --- reduce ---

static const char *const reducers[] = {
    "stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
    "stablehlo.and", "stablehlo.or",       "stablehlo.xor"};
enum { ADD, MULTIPLY, MAXIMUM, MINIMUM, REDUCERS = 7, REDUCE_INPUTS_MAX = 3 };

// One for which every order of `count` elements gives the same, with data for it.
static int pick_reducer(generate_t *g, tensor_dtype_t dtype, int64_t count,
                        generate_data_t *out_data) {
  const bool is_integral =
      (generate_class(dtype) & (GENERATE_PRED | GENERATE_INTEGER)) != 0;
  const bool is_complex = tensor_dtype_is_complex(dtype);
  *out_data = GENERATE_SPECIALS;
  const int reducer = generate_below(g, is_integral ? REDUCERS : 4);
  if (is_integral || reducer == MAXIMUM || reducer == MINIMUM) {
    // NaN has no place in the order of complex numbers.
    *out_data = is_complex ? GENERATE_FINITE : GENERATE_SPECIALS;
    return reducer;
  }
  const bool is_product_exact = !is_complex || count < 60;
  if (reducer == MULTIPLY && is_product_exact && dtype != TENSOR_F8E8M0FNU) {
    *out_data = GENERATE_ONES;
    return MULTIPLY;
  }
  if (count < exact_up_to(dtype)) {
    const bool is_tiny = count < exact_up_to(dtype) / 8 &&
                         generate_class(dtype) == GENERATE_FLOATS &&
                         generate_chance(g, 30);
    *out_data = is_tiny ? GENERATE_SUBNORMALS : GENERATE_UNITS;
    return ADD;
  }
  *out_data = is_complex ? GENERATE_FINITE : GENERATE_SPECIALS;
  return MAXIMUM;
}

static mlir_value_t *emit(generate_t *g, const char *name, mlir_value_t *a,
                          mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return &generate_op(g, name, b == NULL ? 1 : 2, operands, 1, generate_shape_of(a), 0)
              ->results[0];
}

static mlir_value_t *emit_compare(generate_t *g, const char *direction, mlir_value_t *a,
                                  mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  mlir_op_t *op = generate_op(g, "stablehlo.compare", 2, operands, 1, &flag, 0);
  generate_body(g, op, "comparison_direction", "comparison_direction", "%s", direction);
  return &op->results[0];
}

static mlir_value_t *emit_select(generate_t *g, mlir_value_t *flag, mlir_value_t *a,
                                 mlir_value_t *b) {
  mlir_value_t *operands[] = {flag, a, b};
  return &generate_op(g, "stablehlo.select", 3, operands, 1, generate_shape_of(a), 0)
              ->results[0];
}

// The same as `reducer`, in other words where there are any.
static mlir_value_t *emit_reducer(generate_t *g, int reducer, mlir_value_t *a,
                                  mlir_value_t *b) {
  const unsigned class = generate_class(generate_shape_of(a)->dtype);
  const bool is_integer = (class & GENERATE_INTEGER) != 0;
  if (generate_chance(g, 30)) {
    mlir_value_t *swapped = a;
    a = b;
    b = swapped;
  }
  if (generate_chance(g, 70) || !is_integer) {
    return emit(g, reducers[reducer], a, b);
  }
  if (reducer == MAXIMUM || reducer == MINIMUM) {
    mlir_value_t *flag = emit_compare(g, reducer == MAXIMUM ? "GT" : "LT", a, b);
    return emit_select(g, flag, a, b);
  }
  if (reducer == ADD) {  // a - (-b)
    return emit(g, "stablehlo.subtract", a, emit(g, "stablehlo.negate", b, NULL));
  }
  return emit(g, "stablehlo.or", emit(g, reducers[reducer], a, b),
              emit(g, reducers[reducer], b, a));
}

typedef struct reduction_t {
  tensor_shape_t from, to;
  int64_t count, dim_count, dims[TENSOR_RANK_MAX];
} reduction_t;

static reduction_t draw_reduction(generate_t *g, tensor_dtype_t dtype) {
  reduction_t reduction = {.from = generate_any_size(g, dtype, 0), .count = 1};
  reduction.to = reduction.from;
  reduction.to.rank = 0;
  for (int d = 0; d < reduction.from.rank; d++) {
    if (generate_chance(g, 50)) {
      reduction.dims[reduction.dim_count++] = d;
      reduction.count *= reduction.from.dims[d];
    } else {
      reduction.to.dims[reduction.to.rank++] = reduction.from.dims[d];
    }
  }
  for (int d = reduction.to.rank; d < TENSOR_RANK_MAX; d++) {
    reduction.to.dims[d] = 0;
  }
  if (reduction.dim_count == 2 && generate_chance(g, 30)) {  // In any order.
    const int64_t first = reduction.dims[0];
    reduction.dims[0] = reduction.dims[1];
    reduction.dims[1] = first;
  }
  return reduction;
}

static mlir_value_t *exact_operand(generate_t *g, const tensor_shape_t *shape,
                                   generate_data_t data) {
  return generate_operand(g, shape, GENERATE_EXACT, data);
}

// Several arrays, each with a reducer of its own.
static void generate_reduce_each(generate_t *g, const char *name) {
  const int inputs = generate_chance(g, 60) ? 1 : generate_between(g, 2, 3);
  const reduction_t reduction = draw_reduction(g, TENSOR_F32);
  mlir_value_t *operands[2 * REDUCE_INPUTS_MAX];
  tensor_shape_t results[REDUCE_INPUTS_MAX], scalars[2 * REDUCE_INPUTS_MAX];
  int chosen[REDUCE_INPUTS_MAX];
  bool is_zero_signed[REDUCE_INPUTS_MAX];
  for (int k = 0; k < inputs; k++) {
    const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
    generate_data_t data;
    chosen[k] = pick_reducer(g, dtype, reduction.count, &data);
    tensor_shape_t from = reduction.from;
    from.dtype = dtype;
    const tensor_shape_t scalar = generate_scalar_shape(dtype);
    operands[k] = exact_operand(g, &from, data);
    operands[inputs + k] = exact_operand(g, &scalar, data);
    results[k] = reduction.to;
    results[k].dtype = generate_promoted(g, dtype);
    scalars[k] = scalars[inputs + k] = generate_scalar_shape(results[k].dtype);
    // The zeros of products of complex numbers have signs that depend on the order.
    is_zero_signed[k] = !tensor_dtype_is_complex(dtype);
  }
  mlir_op_t *op = generate_op(g, name, 2 * inputs, operands, inputs, results, 1);
  generate_list(g, op, "dimensions", reduction.dim_count, reduction.dims);
  mlir_block_t *outer = generate_region(g, op, 0, 2 * inputs, scalars);
  mlir_value_t *returned[REDUCE_INPUTS_MAX];
  for (int k = 0; k < inputs; k++) {
    returned[k] = emit_reducer(g, chosen[k], g->block->arguments[k],
                               g->block->arguments[inputs + k]);
  }
  generate_return(g, inputs, returned);
  generate_region_end(g, outer);
  for (int k = 0; k < inputs; k++) {
    generate_keep(g, op, k, is_zero_signed[k] ? GENERATE_EXACT : GENERATE_CLOSE, 0);
  }
}

// The largest value and the first place where it stands, as argmax is written.
static void generate_reduce_argmax(generate_t *g, const char *name) {
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_INTEGER | GENERATE_FLOATS);
  const tensor_dtype_t index = generate_chance(g, 50) ? TENSOR_S32 : TENSOR_S64;
  const reduction_t reduction = draw_reduction(g, dtype);
  tensor_shape_t from[] = {reduction.from, reduction.from};
  tensor_shape_t to[] = {reduction.to, reduction.to};
  from[1].dtype = to[1].dtype = index;
  const tensor_shape_t scalars[] = {
      generate_scalar_shape(dtype), generate_scalar_shape(index),
      generate_scalar_shape(dtype), generate_scalar_shape(index)};
  mlir_value_t *operands[] = {exact_operand(g, &from[0], GENERATE_FINITE),
                              exact_operand(g, &from[1], GENERATE_SPECIALS),
                              exact_operand(g, &scalars[0], GENERATE_FINITE),
                              exact_operand(g, &scalars[1], GENERATE_SPECIALS)};
  mlir_op_t *op = generate_op(g, name, 4, operands, 2, to, 1);
  generate_list(g, op, "dimensions", reduction.dim_count, reduction.dims);
  mlir_block_t *outer = generate_region(g, op, 0, 4, scalars);
  mlir_value_t **x = g->block->arguments;
  mlir_value_t *is_larger = emit_compare(g, "GT", x[0], x[2]);
  mlir_value_t *is_tie = emit_compare(g, "EQ", x[0], x[2]);
  mlir_value_t *is_before = emit_compare(g, "LT", x[1], x[3]);
  mlir_value_t *flag =
      emit(g, "stablehlo.or", is_larger, emit(g, "stablehlo.and", is_tie, is_before));
  mlir_value_t *returned[] = {emit_select(g, flag, x[0], x[2]),
                              emit_select(g, flag, x[1], x[3])};
  generate_return(g, 2, returned);
  generate_region_end(g, outer);
  // Zeros of both signs tie.
  generate_keep(g, op, 0, GENERATE_CLOSE, 0);
  generate_keep(g, op, 1, GENERATE_EXACT, 0);
}

static void generate_reduce(generate_t *g, const char *name) {
  (generate_chance(g, 80) ? generate_reduce_each : generate_reduce_argmax)(g, name);
}

// --- Products ---

// Element types of a product: of equal operands, or of narrower ones than the result.
static void draw_dot_types(generate_t *g, tensor_dtype_t *lhs, tensor_dtype_t *rhs,
                           tensor_dtype_t *result) {
  static const tensor_dtype_t wider[][2] = {
      {TENSOR_S8, TENSOR_S32},       {TENSOR_U8, TENSOR_U32},
      {TENSOR_S4, TENSOR_S32},       {TENSOR_S8, TENSOR_S16},
      {TENSOR_U4, TENSOR_U8},        {TENSOR_S16, TENSOR_S32},
      {TENSOR_BF16, TENSOR_F32},     {TENSOR_F16, TENSOR_F32},
      {TENSOR_F8E5M2, TENSOR_F32},   {TENSOR_F8E4M3FN, TENSOR_F16},
      {TENSOR_F32, TENSOR_F64},      {TENSOR_S2, TENSOR_S8},
      {TENSOR_F8E4M3FN, TENSOR_BF16}};
  if (generate_chance(g, 65)) {
    *lhs = generate_dtype(g, GENERATE_ANY);
    *rhs = *result = *lhs;
    return;
  }
  const tensor_dtype_t *pair = wider[generate_below(g, (int)POD_COUNT_OF(wider))];
  *lhs = *rhs = pair[0];
  *result = pair[1];
}

// Data whose products and sums are exact in the type of the result: chips of a mesh
// round their parts of a sum.
static mlir_value_t *draw_factor(generate_t *g, const tensor_shape_t *shape,
                                 tensor_dtype_t result) {
  const tensor_dtype_t part = reference_part_of(shape->dtype);
  if (!tensor_dtype_is_float(part)) {
    return exact_operand(g, shape, GENERATE_SPECIALS);
  }
  if (part == TENSOR_F8E8M0FNU) {  // Without 0 and signs.
    return exact_operand(g, shape, GENERATE_POSITIVE);
  }
  if (generate_class(part) == GENERATE_TINY || result == TENSOR_BF16 ||
      result == TENSOR_F16) {
    return exact_operand(g, shape, GENERATE_UNITS);
  }
  reference_value_t array = reference_make(g->arena, shape);
  for (int64_t i = 0; i < array.count; i++) {
    const double real = generate_between(g, -32, 32) / 4.0;
    const double imaginary = generate_between(g, -32, 32) / 4.0;
    reference_store(&array, i,
                    part == shape->dtype
                        ? reference_of_real(shape->dtype, real)
                        : reference_of_complex(shape->dtype, real, imaginary));
  }
  return generate_given(g, shape, array.data);
}

typedef struct dot_t {
  int batch, contracting;
  tensor_shape_t lhs, rhs, result;
  int64_t lhs_at[TENSOR_RANK_MAX], rhs_at[TENSOR_RANK_MAX];  // Batch, then contracting.
} dot_t;

// Puts `count` sizes that both sides share, and then free ones, in any order of places.
static tensor_shape_t draw_side(generate_t *g, tensor_dtype_t dtype, int shared,
                                const int64_t *sizes, int free, int64_t *out_at,
                                int64_t *budget) {
  const int rank = shared + free;
  int64_t order[TENSOR_RANK_MAX], dims[TENSOR_RANK_MAX];
  for (int d = 0; d < rank; d++) {
    order[d] = d;
  }
  for (int d = rank - 1; d > 0 && generate_chance(g, 80); d--) {
    const int other = generate_below(g, d + 1);
    const int64_t swapped = order[d];
    order[d] = order[other];
    order[other] = swapped;
  }
  for (int d = 0; d < rank; d++) {
    int64_t size = d < shared ? sizes[d] : generate_dim(g);
    if (d >= shared && *budget / (size > 0 ? size : 1) == 0) {
      size = 1;
    }
    *budget /= d >= shared && size > 0 ? size : 1;
    dims[order[d]] = size;
    out_at[d] = order[d];
  }
  return tensor_shape_make(dtype, rank, dims);
}

static bool is_shared(const int64_t *at, int count, int64_t dim) {
  for (int i = 0; i < count; i++) {
    if (at[i] == dim) {
      return true;
    }
  }
  return false;
}

static void append_free(const tensor_shape_t *side, const int64_t *at, int shared,
                        tensor_shape_t *result) {
  for (int d = 0; d < side->rank; d++) {
    if (!is_shared(at, shared, d)) {
      result->dims[result->rank++] = side->dims[d];
    }
  }
}

static dot_t draw_dot(generate_t *g) {
  dot_t dot = {.batch = generate_chance(g, 50) ? 0 : generate_between(g, 1, 2),
               .contracting = generate_chance(g, 70) ? 1 : generate_below(g, 3)};
  tensor_dtype_t lhs, rhs, result;
  draw_dot_types(g, &lhs, &rhs, &result);
  const int shared = dot.batch + dot.contracting;
  int64_t sizes[TENSOR_RANK_MAX], budget = GENERATE_ELEMENTS_MAX;
  int64_t contracted = 1;
  for (int d = 0; d < shared; d++) {
    sizes[d] = generate_dim(g);
    const int64_t limit =
        d < dot.batch ? budget : exact_up_to(result) / (contracted > 0 ? contracted : 1);
    if (sizes[d] > limit || sizes[d] > budget) {
      sizes[d] = 1;
    }
    contracted *= d < dot.batch || sizes[d] == 0 ? 1 : sizes[d];
    budget /= sizes[d] > 0 ? sizes[d] : 1;
  }
  int64_t lhs_budget = budget, rhs_budget = budget;
  dot.lhs =
      draw_side(g, lhs, shared, sizes, generate_below(g, 3), dot.lhs_at, &lhs_budget);
  dot.rhs =
      draw_side(g, rhs, shared, sizes, generate_below(g, 3), dot.rhs_at, &rhs_budget);
  dot.result.dtype = result;
  for (int d = 0; d < dot.batch; d++) {
    dot.result.dims[dot.result.rank++] = sizes[d];
  }
  append_free(&dot.lhs, dot.lhs_at, shared, &dot.result);
  append_free(&dot.rhs, dot.rhs_at, shared, &dot.result);
  return dot;
}

static void add_list(pod_text_t *text, const char *name, int count,
                     const int64_t *values) {
  pod_text_printf(text, "%s%s = [", text->length > 0 ? ", " : "", name);
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s%lld", i > 0 ? ", " : "", (long long)values[i]);
  }
  pod_text_add(text, "]");
}

static void generate_dot_general(generate_t *g, const char *name) {
  static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
  const dot_t dot = draw_dot(g);
  mlir_value_t *operands[] = {draw_factor(g, &dot.lhs, dot.result.dtype),
                              draw_factor(g, &dot.rhs, dot.result.dtype)};
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &dot.result, 0);
  pod_text_t body = {0};
  if (dot.batch > 0) {
    add_list(&body, "lhs_batching_dimensions", dot.batch, dot.lhs_at);
    add_list(&body, "rhs_batching_dimensions", dot.batch, dot.rhs_at);
  }
  add_list(&body, "lhs_contracting_dimensions", dot.contracting, dot.lhs_at + dot.batch);
  add_list(&body, "rhs_contracting_dimensions", dot.contracting, dot.rhs_at + dot.batch);
  generate_body(g, op, "dot_dimension_numbers", "dot", "%s", body.bytes);
  pod_text_deinit(&body);
  if (dot.result.dtype == TENSOR_F32 && generate_chance(g, 30)) {
    // How the factors, which have few bits, are rounded does not matter.
    static const char *const types[] = {"f32", "tf32", "bf16"};
    const char *lhs = generate_word(g, 3, types), *rhs = generate_word(g, 3, types);
    generate_body(g, op, "algorithm", "dot_algorithm",
                  "lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = "
                  "f32, lhs_component_count = 1, rhs_component_count = 1, "
                  "num_primitive_operations = 1, allow_imprecise_accumulation = false",
                  lhs, rhs);
  } else if (generate_chance(g, 50)) {
    const mlir_attr_t *pair[2];
    for (int i = 0; i < 2; i++) {
      pair[i] = mlir_attr_dialect(g->module, "stablehlo.precision",
                                  generate_word(g, 3, precisions));
    }
    mlir_op_set_attr(g->module, op, "precision_config",
                     mlir_attr_array(g->module, 2, pair));
  }
  // Zeros may have another sign: sums begin with 0, or with the first product.
  generate_keep(g, op, 0, GENERATE_CLOSE, 0);
}

// Vectors and matrices.
static void generate_dot(generate_t *g, const char *name) {
  tensor_dtype_t lhs, rhs, result;
  draw_dot_types(g, &lhs, &rhs, &result);
  int64_t inner = generate_dim(g);
  inner = inner < exact_up_to(result) ? inner : 1;
  const int64_t rows[] = {generate_dim(g), inner}, columns[] = {inner, generate_dim(g)};
  const bool is_row = generate_chance(g, 40), is_column = generate_chance(g, 40);
  const tensor_shape_t left = tensor_shape_make(lhs, is_row ? 1 : 2, rows + is_row);
  const tensor_shape_t right = tensor_shape_make(rhs, is_column ? 1 : 2, columns);
  int64_t dims[2];
  int rank = 0;
  if (!is_row) {
    dims[rank++] = rows[0];
  }
  if (!is_column) {
    dims[rank++] = columns[1];
  }
  const tensor_shape_t product = tensor_shape_make(result, rank, dims);
  mlir_value_t *operands[] = {draw_factor(g, &left, result),
                              draw_factor(g, &right, result)};
  mlir_op_t *op = generate_op(g, name, 2, operands, 1, &product, 0);
  generate_keep(g, op, 0, GENERATE_CLOSE, 0);
}

// --- Normalisation ---

typedef struct norm_t {
  tensor_shape_t shape, features;
  int64_t feature_index;
} norm_t;

// Small sizes that are powers of two: means of small integers are exact then.
// Narrow types get two at most.
static norm_t draw_norm(generate_t *g, bool is_summed) {
  norm_t norm;
  tensor_dtype_t dtype;
  do {
    dtype = generate_dtype(g, GENERATE_FLOAT);
  } while (dtype == TENSOR_F8E8M0FNU);  // Without 0 and signs.
  const bool is_narrow = dtype != TENSOR_F32 && dtype != TENSOR_F64;
  int left = is_narrow ? 1 : 6;  // Bits of the size.
  int64_t dims[4];
  const int rank = generate_between(g, 1, 4);
  norm.feature_index = generate_below(g, rank);
  for (int d = 0; d < rank; d++) {
    const int bits = generate_below(g, left < 2 ? left + 1 : 3);
    const bool is_feature = d == norm.feature_index;
    dims[d] = is_feature || !is_summed ? generate_between(g, 0, 5) : 1 << bits;
    left -= is_feature ? 0 : bits;
  }
  norm.shape = tensor_shape_make(dtype, rank, dims);
  norm.features = tensor_shape_make(dtype, 1, &dims[norm.feature_index]);
  return norm;
}

static void set_norm(generate_t *g, mlir_op_t *op, const norm_t *norm, double epsilon) {
  generate_integer(g, op, "feature_index", norm->feature_index);
  mlir_op_set_attr(
      g->module, op, "epsilon",
      mlir_attr_float(g->module, reference_round(TENSOR_F32, epsilon), TENSOR_F32));
}

static double draw_epsilon(generate_t *g) {
  static const double epsilons[] = {0, 0.5, 1e-3, 0x1p-10};
  return epsilons[generate_below(g, (int)POD_COUNT_OF(epsilons))];
}

// Variances of which the roots are powers of two.
static mlir_value_t *draw_squares(generate_t *g, const tensor_shape_t *shape) {
  reference_value_t array = reference_make(g->arena, shape);
  for (int64_t i = 0; i < array.count; i++) {
    const double root = generate_chance(g, 50) ? 1 : 2;
    reference_store(&array, i, reference_of_real(shape->dtype, root * root));
  }
  return generate_given(g, shape, array.data);
}

static void generate_norm_inference(generate_t *g, const char *name) {
  const norm_t norm = draw_norm(g, false);
  mlir_value_t *operands[5];
  operands[0] = exact_operand(g, &norm.shape, GENERATE_SPECIALS);
  for (int i = 1; i < 5; i++) {
    operands[i] = exact_operand(g, &norm.features, GENERATE_SPECIALS);
  }
  mlir_op_t *op = generate_op(g, name, 5, operands, 1, &norm.shape, 0);
  set_norm(g, op, &norm, draw_epsilon(g));
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

static void generate_norm_training(generate_t *g, const char *name) {
  const norm_t norm = draw_norm(g, true);
  mlir_value_t *operands[] = {exact_operand(g, &norm.shape, GENERATE_UNITS),
                              exact_operand(g, &norm.features, GENERATE_SPECIALS),
                              exact_operand(g, &norm.features, GENERATE_SPECIALS)};
  const tensor_shape_t results[] = {norm.shape, norm.features, norm.features};
  mlir_op_t *op = generate_op(g, name, 3, operands, 3, results, 0);
  set_norm(g, op, &norm, draw_epsilon(g));
  for (int i = 0; i < 3; i++) {
    generate_keep(g, op, i, GENERATE_CLOSE, 0);
  }
}

static void generate_norm_grad(generate_t *g, const char *name) {
  const norm_t norm = draw_norm(g, true);
  mlir_value_t *operands[] = {exact_operand(g, &norm.shape, GENERATE_UNITS),
                              exact_operand(g, &norm.features, GENERATE_POSITIVE),
                              exact_operand(g, &norm.features, GENERATE_UNITS),
                              draw_squares(g, &norm.features),
                              exact_operand(g, &norm.shape, GENERATE_UNITS)};
  const tensor_shape_t results[] = {norm.shape, norm.features, norm.features};
  mlir_op_t *op = generate_op(g, name, 5, operands, 3, results, 0);
  set_norm(g, op, &norm, 0);
  for (int i = 0; i < 3; i++) {
    generate_keep(g, op, i, GENERATE_CLOSE, 0);
  }
}

const generate_row_t generate_contraction_rows[] = {
    {"stablehlo.batch_norm_grad", generate_norm_grad},
    {"stablehlo.batch_norm_inference", generate_norm_inference},
    {"stablehlo.batch_norm_training", generate_norm_training},
    {"stablehlo.dot", generate_dot},
    {"stablehlo.dot_general", generate_dot_general},
    {"stablehlo.reduce", generate_reduce},
    {NULL, NULL},
};
