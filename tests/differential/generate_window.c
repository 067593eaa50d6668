// What slides windows over arrays: reduce_window, select_and_scatter, convolution.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

// --- Windows ---

typedef struct window_t {
  int rank;
  int64_t sizes[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  int64_t base_dilations[TENSOR_RANK_MAX], dilations[TENSOR_RANK_MAX];
  int64_t padding[2 * TENSOR_RANK_MAX];
  int64_t counts[TENSOR_RANK_MAX];  // Of windows.
} window_t;

static void generate_padding(generate_t *g, mlir_op_t *op, int rank,
                             const int64_t *padding) {
  const int64_t dims[] = {rank, 2};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(g->module, op, "padding",
                   mlir_attr_dense(g->module, &shape, padding, false));
}

static int64_t span(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// Counts the windows along `d` of an array of that size. False if its padding takes more
// than there is.
static bool count_windows(window_t *window, int d, int64_t size) {
  const int64_t padded = span(size, window->base_dilations[d]) + window->padding[2 * d] +
                         window->padding[2 * d + 1];
  const int64_t needed = span(window->sizes[d], window->dilations[d]);
  window->counts[d] =
      padded <= 0 || needed > padded ? 0 : (padded - needed) / window->strides[d] + 1;
  return padded >= 0;
}

static void choose_window(generate_t *g, window_t *window, int d, int64_t size,
                          int64_t size_max) {
  do {
    window->sizes[d] = generate_between(g, 1, (int)size_max);
    window->strides[d] = generate_chance(g, 50) ? 1 : generate_between(g, 1, 3);
    window->base_dilations[d] = generate_chance(g, 60) ? 1 : generate_between(g, 1, 3);
    window->dilations[d] = generate_chance(g, 60) ? 1 : generate_between(g, 1, 3);
    for (int side = 0; side < 2; side++) {
      window->padding[2 * d + side] =
          generate_chance(g, 50) ? 0 : generate_between(g, -2, 3);
    }
    if (generate_chance(g, 10) && size > 0 && size <= 17) {  // All that came before.
      window->sizes[d] = size;
      window->strides[d] = window->base_dilations[d] = window->dilations[d] = 1;
      window->padding[2 * d] = generate_chance(g, 50) ? size - 1 : 0;
      window->padding[2 * d + 1] = size - 1 - window->padding[2 * d];
    }
  } while (!count_windows(window, d, size));
}

// Of all operands the largest, in the order of the first, then of the second …
static void generate_largest(generate_t *g, mlir_op_t *op, int count,
                             const tensor_shape_t *scalars) {
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  mlir_block_t *outer = generate_region(g, op, 0, 2 * count, scalars);
  mlir_value_t **arguments = g->block->arguments;
  mlir_value_t *is_first = NULL;
  for (int i = count - 1; i >= 0; i--) {
    mlir_value_t *sides[] = {arguments[i], arguments[count + i]};
    mlir_op_t *above = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
    generate_enum(g, above, "comparison_direction", "comparison_direction",
                  i == count - 1 ? "GE" : "GT");
    if (is_first == NULL) {
      is_first = &above->results[0];
      continue;
    }
    mlir_op_t *equal = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
    generate_enum(g, equal, "comparison_direction", "comparison_direction", "EQ");
    mlir_value_t *choice[] = {&equal->results[0], is_first, &above->results[0]};
    is_first = &generate_op(g, "stablehlo.select", 3, choice, 1, &flag, 0)->results[0];
  }
  mlir_value_t *results[4];
  for (int i = 0; i < count; i++) {
    mlir_value_t *choice[] = {is_first, arguments[i], arguments[count + i]};
    results[i] =
        &generate_op(g, "stablehlo.select", 3, choice, 1, &scalars[i], 0)->results[0];
  }
  generate_return(g, count, results);
  generate_region_end(g, outer);
}

// Whether to add tiny floats: sums up to 3 are exact in all that have a 0.
static bool sums_tiny(generate_t *g, const window_t *window, tensor_dtype_t dtype) {
  int64_t elements = 1;
  for (int d = 0; d < window->rank; d++) {
    elements *= window->sizes[d];
  }
  return generate_class(dtype) == GENERATE_TINY && dtype != TENSOR_F8E8M0FNU &&
         elements <= 3 && generate_chance(g, 50);
}

static void generate_reduce_window(generate_t *g, const char *name) {
  tensor_shape_t shape = generate_shape(g, TENSOR_S32, 0);
  window_t window = {.rank = shape.rank};
  for (int d = 0; d < shape.rank; d++) {
    choose_window(g, &window, d, shape.dims[d], 3);
  }
  const bool is_plain = generate_chance(g, 75);
  const int count = is_plain ? 1 : generate_between(g, 1, 3);
  mlir_value_t *operands[6];
  tensor_shape_t results[3], scalars[6];
  const char *combine = "stablehlo.maximum";
  for (int i = 0; i < count; i++) {
    generate_data_t data = GENERATE_SPECIALS;
    shape.dtype = generate_dtype(g, is_plain ? GENERATE_ANY : GENERATE_INTEGER);
    combine = is_plain ? generate_reduction(g, shape.dtype, &data) : combine;
    if (is_plain && sums_tiny(g, &window, shape.dtype)) {
      combine = "stablehlo.add";
      data = GENERATE_UNITS;
    }
    operands[i] = generate_operand(g, &shape, GENERATE_EXACT, data);
    operands[count + i] = generate_identity(g, shape.dtype, combine);
    const tensor_dtype_t dtype =
        is_plain ? generate_promoted(g, shape.dtype) : shape.dtype;
    results[i] = tensor_shape_make(dtype, shape.rank, window.counts);
    scalars[i] = scalars[count + i] = generate_scalar_shape(dtype);
  }
  mlir_op_t *op = generate_op(g, name, 2 * count, operands, count, results, 1);
  generate_list(g, op, "window_dimensions", shape.rank, window.sizes);
  generate_list(g, op, "window_strides", shape.rank, window.strides);
  generate_list(g, op, "base_dilations", shape.rank, window.base_dilations);
  generate_list(g, op, "window_dilations", shape.rank, window.dilations);
  generate_padding(g, op, shape.rank, window.padding);
  if (is_plain) {
    generate_reducer(g, op, 0, results[0].dtype, combine);
  } else {
    generate_largest(g, op, count, scalars);
  }
  for (int i = 0; i < count; i++) {
    generate_keep(g, op, i, GENERATE_EXACT, 0);
  }
}

// The custom call, which has its lists as operands, and its function in the module.
static void generate_dynamic_reduce_window(generate_t *g, const char *name) {
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
  const tensor_shape_t shape = generate_shape(g, dtype, 1);
  window_t window = {.rank = shape.rank};
  for (int d = 0; d < shape.rank; d++) {
    choose_window(g, &window, d, shape.dims[d], 3);
  }
  generate_data_t data;
  const char *combine = generate_reduction(g, dtype, &data);
  const tensor_dtype_t index = generate_chance(g, 50) ? TENSOR_S64 : TENSOR_S32;
  mlir_value_t *operands[7] = {generate_operand(g, &shape, GENERATE_EXACT, data),
                               generate_identity(g, dtype, combine)};
  const int64_t *const lists[] = {window.sizes, window.strides, window.base_dilations,
                                  window.dilations};
  for (int i = 0; i < 4; i++) {
    operands[2 + i] = generate_constant_integers(g, index, shape.rank, lists[i]);
  }
  const int64_t dims[] = {shape.rank, 2};
  const tensor_shape_t pairs = tensor_shape_make(TENSOR_S64, 2, dims);
  operands[6] = generate_constant(g, &pairs, window.padding);
  const tensor_shape_t result = tensor_shape_make(dtype, shape.rank, window.counts);
  const tensor_shape_t scalars[] = {generate_scalar_shape(dtype),
                                    generate_scalar_shape(dtype)};
  generate_function_t function = generate_function_start(g, 2, scalars);
  mlir_value_t *sum =
      &generate_op(g, combine, 2, g->block->arguments, 1, scalars, 0)->results[0];
  const char *callee = generate_function_end(g, &function, 1, &sum);
  mlir_op_t *op = generate_custom_call(g, name, 7, operands, 1, &result);
  generate_called(g, op, callee);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// --- select_and_scatter ---

// Every window holds an element at least: nothing says what happens otherwise.
static void choose_full_window(generate_t *g, window_t *window, int d, int64_t size) {
  const int64_t largest = size < 4 ? size : 4;
  window->sizes[d] = size == 0 ? 1 : generate_between(g, 1, (int)largest);
  window->strides[d] = generate_between(g, 1, 3);
  window->base_dilations[d] = window->dilations[d] = 1;
  for (int side = 0; side < 2; side++) {
    window->padding[2 * d + side] =
        size > 0 && generate_chance(g, 50) ? generate_below(g, (int)window->sizes[d]) : 0;
  }
  count_windows(window, d, size);
}

static void generate_select_and_scatter(generate_t *g, const char *name) {
  static const char *const directions[] = {"GE", "GT", "LE", "LT"};
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
  const tensor_shape_t shape = generate_shape(g, dtype, 0);
  window_t window = {.rank = shape.rank};
  for (int d = 0; d < shape.rank; d++) {
    choose_full_window(g, &window, d, shape.dims[d]);
  }
  generate_data_t data;
  const char *combine = generate_reduction(g, dtype, &data);
  const tensor_shape_t source = tensor_shape_make(dtype, shape.rank, window.counts);
  mlir_value_t *operands[3];
  operands[0] =
      generate_operand(g, &shape, GENERATE_EXACT,
                       generate_chance(g, 50) ? GENERATE_UNITS : GENERATE_FINITE);
  operands[1] = generate_operand(g, &source, GENERATE_EXACT, data);
  operands[2] = generate_identity(g, dtype, combine);
  tensor_shape_t result = shape;
  result.dtype = generate_promoted(g, dtype);
  mlir_op_t *op = generate_op(g, name, 3, operands, 1, &result, 2);
  generate_list(g, op, "window_dimensions", shape.rank, window.sizes);
  generate_list(g, op, "window_strides", shape.rank, window.strides);
  generate_padding(g, op, shape.rank, window.padding);
  const tensor_shape_t scalars[] = {generate_scalar_shape(dtype),
                                    generate_scalar_shape(dtype)};
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const tensor_shape_t part = generate_scalar_shape(reference_part_of(dtype));
  mlir_block_t *outer = generate_region(g, op, 0, 2, scalars);
  mlir_value_t *sides[] = {g->block->arguments[0], g->block->arguments[1]};
  for (int i = 0; i < 2 && tensor_dtype_is_complex(dtype); i++) {
    sides[i] = &generate_op(g, "stablehlo.real", 1, &sides[i], 1, &part, 0)->results[0];
  }
  mlir_op_t *compare = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
  generate_enum(g, compare, "comparison_direction", "comparison_direction",
                generate_word(g, 4, directions));
  mlir_value_t *stays = &compare->results[0];
  generate_return(g, 1, &stays);
  generate_region_end(g, outer);
  generate_reducer(g, op, 1, result.dtype, combine);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

// --- Convolution ---

enum { SPATIAL_MAX = 3 };

// Where the batch, the features and the spatial dimensions stand.
typedef struct places_t {
  int64_t at[SPATIAL_MAX + 2];  // First (b, o), second (f, i), then the spatial ones.
} places_t;

static places_t choose_places(generate_t *g, int rank) {
  places_t places;
  for (int i = 0; i < rank; i++) {
    places.at[i] = i;
  }
  generate_shuffle(g, rank, places.at);
  return places;
}

static tensor_shape_t place(tensor_dtype_t dtype, int rank, const places_t *places,
                            int64_t first, int64_t second, const int64_t *spatial) {
  int64_t dims[SPATIAL_MAX + 2];
  for (int i = 0; i < rank; i++) {
    dims[places->at[i]] = i == 0 ? first : i == 1 ? second : spatial[i - 2];
  }
  return tensor_shape_make(dtype, rank, dims);
}

static const char *places_text(generate_t *g, int rank, const places_t *places,
                               const char *letters) {
  char *text = pod_arena_alloc(g->arena, 64);
  int at = 0;
  for (int d = 0; d < rank; d++) {
    int which = 0;
    while (places->at[which] != d) {
      which++;
    }
    text[at++] = d == 0 ? '[' : ',';
    if (d > 0) {
      text[at++] = ' ';
    }
    text[at++] = which < 2 ? letters[which] : (char)('0' + which - 2);
  }
  text[at++] = ']';
  text[at] = '\0';
  return text;
}

typedef struct sizes_t {
  int64_t batch, in, out, feature_groups, batch_groups;
} sizes_t;

static sizes_t choose_sizes(generate_t *g) {
  sizes_t sizes = {.feature_groups = 1, .batch_groups = 1};
  const int64_t groups = generate_between(g, 2, 3);
  if (generate_chance(g, 30)) {
    sizes.feature_groups = groups;
  } else if (generate_chance(g, 30)) {
    sizes.batch_groups = groups;
  }
  sizes.batch =
      sizes.batch_groups * (generate_chance(g, 4) ? 0 : generate_between(g, 1, 3));
  sizes.in = generate_chance(g, 3) ? 0 : generate_between(g, 1, 4);  // Of the kernel.
  sizes.out = sizes.feature_groups * sizes.batch_groups * generate_between(g, 1, 3);
  return sizes;
}

static tensor_dtype_t accumulated(generate_t *g, tensor_dtype_t dtype) {
  if (generate_chance(g, 75)) {
    return dtype;
  }
  return dtype == TENSOR_S8                            ? TENSOR_S32
         : dtype == TENSOR_BF16 || dtype == TENSOR_F16 ? TENSOR_F32
                                                       : dtype;
}

static void generate_convolution(generate_t *g, const char *name) {
  const tensor_dtype_t dtype = generate_dtype(g, GENERATE_ANY);
  const int spatial = generate_below(g, SPATIAL_MAX + 1), rank = spatial + 2;
  const sizes_t sizes = choose_sizes(g);
  window_t window = {.rank = spatial};
  int64_t dims[SPATIAL_MAX];
  bool reversal[SPATIAL_MAX];
  for (int d = 0; d < spatial; d++) {
    dims[d] = generate_chance(g, 4) ? 0 : generate_between(g, 1, spatial > 2 ? 5 : 9);
    choose_window(g, &window, d, dims[d], 3);
    reversal[d] = generate_chance(g, 20);
  }
  const places_t lhs = choose_places(g, rank), rhs = choose_places(g, rank);
  const places_t out = choose_places(g, rank);
  const tensor_shape_t shapes[] = {
      place(dtype, rank, &lhs, sizes.batch, sizes.in * sizes.feature_groups, dims),
      place(dtype, rank, &rhs, sizes.out, sizes.in, window.sizes)};
  const tensor_shape_t result =
      place(accumulated(g, dtype), rank, &out, sizes.batch / sizes.batch_groups,
            sizes.out, window.counts);
  const bool is_integral = dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
  const bool is_power = dtype == TENSOR_F8E8M0FNU;  // Without 0 and signs.
  const generate_data_t data = is_integral ? GENERATE_SPECIALS
                               : is_power  ? GENERATE_POSITIVE
                                           : GENERATE_UNITS;
  const bool is_dynamic = strcmp(name, "stablehlo.dynamic_conv") == 0;
  mlir_value_t *operands[3];
  for (int i = 0; i < 2; i++) {
    operands[i] = generate_operand(g, &shapes[i], GENERATE_EXACT, data);
  }
  if (is_dynamic) {
    const int64_t list[] = {spatial, 2};
    const tensor_shape_t pairs = tensor_shape_make(TENSOR_S64, 2, list);
    operands[2] = generate_constant(g, &pairs, window.padding);
  }
  mlir_op_t *op = generate_op(g, name, is_dynamic ? 3 : 2, operands, 1, &result, 0);
  generate_body(g, op, "dimension_numbers", "conv", "%sx%s->%s",
                places_text(g, rank, &lhs, "bf"), places_text(g, rank, &rhs, "oi"),
                places_text(g, rank, &out, "bf"));
  generate_list(g, op, "window_strides", spatial, window.strides);
  generate_list(g, op, "lhs_dilation", spatial, window.base_dilations);
  generate_list(g, op, "rhs_dilation", spatial, window.dilations);
  if (!is_dynamic) {
    generate_padding(g, op, spatial, window.padding);
  }
  mlir_op_set_attr(g->module, op, "window_reversal",
                   mlir_attr_bool_array(g->module, spatial, reversal));
  generate_integer(g, op, "feature_group_count", sizes.feature_groups);
  generate_integer(g, op, "batch_group_count", sizes.batch_groups);
  generate_keep(g, op, 0, is_power ? GENERATE_CLOSE : GENERATE_EXACT, is_power ? 1 : 0);
}

const generate_row_t generate_window_rows[] = {
    {"stablehlo.reduce_window", generate_reduce_window},
    {"stablehlo.select_and_scatter", generate_select_and_scatter},
    {"stablehlo.convolution", generate_convolution},
    {"stablehlo.dynamic_conv", generate_convolution},
    {"@stablehlo.dynamic_reduce_window", generate_dynamic_reduce_window},
    {NULL, NULL},
};
