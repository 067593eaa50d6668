// What slides windows over arrays: reduce_window, select_and_scatter, convolution.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

typedef struct window_t {
  const int64_t *sizes, *strides, *base_dilations, *dilations, *padding;
} window_t;

static int64_t entry(const int64_t *list, int64_t at, int64_t otherwise) {
  return list != NULL ? list[at] : otherwise;
}

// Where along dimension `d` the window `at` has its element `within`: -1 where padding
// is, or a gap of the dilation.
static int64_t window_at(const window_t *window, int d, int64_t size, int64_t at,
                         int64_t within) {
  const int64_t place = at * entry(window->strides, d, 1) +
                        within * entry(window->dilations, d, 1) -
                        entry(window->padding, 2 * (int64_t)d, 0);
  const int64_t dilation = entry(window->base_dilations, d, 1);
  return place >= 0 && place % dilation == 0 && place / dilation < size ? place / dilation
                                                                        : -1;
}

// The flat index of the element `within` of a window of `shape`; -1 in padding.
static int64_t element_at(const tensor_shape_t *shape, const window_t *window,
                          const int64_t *at, const int64_t *within) {
  int64_t index[TENSOR_RANK_MAX];
  for (int d = 0; d < shape->rank; d++) {
    index[d] = window_at(window, d, shape->dims[d], at[d], within[d]);
    if (index[d] < 0) {
      return -1;
    }
  }
  return reference_ravel(shape, index);
}

static window_t window_of(reference_t *machine, const mlir_op_t *op) {
  return (window_t){
      .sizes = reference_list(machine, op, "window_dimensions", NULL),
      .strides = reference_list(machine, op, "window_strides", NULL),
      .base_dilations = reference_list(machine, op, "base_dilations", NULL),
      .dilations = reference_list(machine, op, "window_dilations", NULL),
      .padding = reference_list(machine, op, "padding", NULL),
  };
}

static reference_value_t scalar_of(reference_t *machine, const reference_value_t *from,
                                   int64_t at) {
  const tensor_shape_t shape = tensor_shape_make(from->shape.dtype, 0, NULL);
  reference_value_t scalar = reference_make(machine->arena, &shape);
  reference_copy(&scalar, 0, from, at);
  return scalar;
}

// Padding takes part with the initial value; so does that value once more, at the start.
static void reduce_windows(reference_t *machine, const mlir_op_t *op, window_t window,
                           const mlir_block_t *body) {
  const int count = op->result_count;
  POD_CHECK(count <= 8);
  for (int n = 0; n < count; n++) {
    reference_result(machine, op, n);
  }
  const tensor_shape_t shape = reference_operand(machine, op, 0)->shape;
  const tensor_shape_t windows =
      tensor_shape_make(TENSOR_S32, shape.rank, shape.rank > 0 ? window.sizes : NULL);
  const tensor_shape_t *result = &op->results[0].type->shape;
  for (int64_t i = 0; i < machine->values[op->results[0].id].count; i++) {
    int64_t at[TENSOR_RANK_MAX], within[TENSOR_RANK_MAX];
    reference_unravel(result, i, at);
    reference_value_t values[16];
    for (int n = 0; n < count; n++) {
      values[n] = *reference_operand(machine, op, count + n);
    }
    for (int64_t j = 0; j < tensor_shape_elements(&windows); j++) {
      reference_unravel(&windows, j, within);
      const int64_t from = element_at(&shape, &window, at, within);
      for (int n = 0; n < count; n++) {
        values[count + n] =
            from < 0 ? *reference_operand(machine, op, count + n)
                     : scalar_of(machine, reference_operand(machine, op, n), from);
      }
      reference_value_t next[8];
      reference_block(machine, body, values, next);
      memcpy(values, next, (size_t)count * sizeof(values[0]));
    }
    for (int n = 0; n < count; n++) {
      reference_copy(&machine->values[op->results[n].id], i, &values[n], 0);
    }
  }
}

static void reference_reduce_window(reference_t *machine, const mlir_op_t *op) {
  reduce_windows(machine, op, window_of(machine, op), mlir_op_block(op, 0));
}

// The custom call, which has the lists behind inputs and initial values, and its function
// in the module.
static void reference_dynamic_reduce_window(reference_t *machine, const mlir_op_t *op) {
  int64_t lists[5][2 * TENSOR_RANK_MAX];
  for (int list = 0; list < 5; list++) {
    const reference_value_t *value =
        reference_operand(machine, op, 2 * op->result_count + list);
    for (int64_t i = 0; i < value->count; i++) {
      lists[list][i] = reference_index(value, i);
    }
  }
  const window_t window = {.sizes = lists[0],
                           .strides = lists[1],
                           .base_dilations = lists[2],
                           .dilations = lists[3],
                           .padding = lists[4]};
  const char *name = mlir_op_attr(op, "called_computations")->elements[0]->text;
  reduce_windows(machine, op, window, reference_function(machine, name));
}

// The flat index of the element that a window selects.
static int64_t selected(reference_t *machine, const mlir_op_t *op, const window_t *window,
                        const int64_t *at) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  const int rank = operand->shape.rank;
  const tensor_shape_t windows =
      tensor_shape_make(TENSOR_S32, rank, rank > 0 ? window->sizes : NULL);
  int64_t chosen = -1;
  for (int64_t j = 0; j < tensor_shape_elements(&windows); j++) {
    int64_t within[TENSOR_RANK_MAX];
    reference_unravel(&windows, j, within);
    const int64_t from = element_at(&operand->shape, window, at, within);
    if (from < 0) {
      continue;
    }
    if (chosen >= 0) {
      const reference_value_t sides[] = {scalar_of(machine, operand, chosen),
                                         scalar_of(machine, operand, from)};
      reference_value_t keeps;
      reference_block(machine, mlir_op_block(op, 0), sides, &keeps);
      if (keeps.data[0] != 0) {
        continue;
      }
    }
    chosen = from;
  }
  return chosen;
}

static void reference_select_and_scatter(reference_t *machine, const mlir_op_t *op) {
  const window_t window = window_of(machine, op);
  reference_value_t *result = reference_result(machine, op, 0);
  const reference_value_t init = reference_promote(
      machine->arena, reference_operand(machine, op, 2), result->shape.dtype);
  for (int64_t i = 0; i < result->count; i++) {
    reference_copy(result, i, &init, 0);
  }
  const reference_value_t *source = reference_operand(machine, op, 1);
  for (int64_t i = 0; i < source->count; i++) {
    int64_t at[TENSOR_RANK_MAX];
    reference_unravel(&source->shape, i, at);
    const int64_t to = selected(machine, op, &window, at);
    POD_CHECK(to >= 0);
    const reference_value_t sides[] = {scalar_of(machine, result, to),
                                       scalar_of(machine, source, i)};
    reference_value_t sum;
    reference_block(machine, mlir_op_block(op, 1), sides, &sum);
    reference_copy(result, to, &sum, 0);
  }
}

// --- Convolution ---

// Where the batch (or the output features), the features (the input ones) and the spatial
// dimensions of an array stand.
typedef struct places_t {
  int first, second, spatial[TENSOR_RANK_MAX];
} places_t;

// Reads `[b, 0, 1, f]` at *inout_text.
static places_t read_places(const char **inout_text, char first, char second) {
  places_t places = {0};
  const char *at = strchr(*inout_text, '[');
  POD_CHECK(at != NULL);
  int d = 0;
  for (at++; *at != ']'; at++) {
    if (*at == ' ' || *at == ',') {
      continue;
    }
    if (*at == first) {
      places.first = d;
    } else if (*at == second) {
      places.second = d;
    } else {
      POD_CHECK(*at >= '0' && *at <= '9');
      places.spatial[*at - '0'] = d;
    }
    d++;
  }
  *inout_text = at + 1;
  return places;
}

// Sums of products, exact in what is given to it.
static reference_scalar_t add_product(reference_scalar_t sum, reference_scalar_t a,
                                      reference_scalar_t b) {
  const tensor_dtype_t dtype = sum.dtype;
  if (dtype == TENSOR_PRED) {
    return reference_of_integer(dtype, sum.integer | (a.integer & b.integer));
  }
  if (tensor_dtype_is_integer(dtype)) {
    return reference_of_integer(
        dtype,
        (int64_t)((uint64_t)sum.integer + (uint64_t)a.integer * (uint64_t)b.integer));
  }
  return (reference_scalar_t){
      .dtype = dtype,
      .real = sum.real + a.real * b.real - a.imaginary * b.imaginary,
      .imaginary = sum.imaginary + a.real * b.imaginary + a.imaginary * b.real};
}

typedef struct convolution_t {
  window_t window;
  places_t lhs, rhs, out;
  int64_t feature_groups, batch_groups;
  const int64_t *reversal;
} convolution_t;

static reference_scalar_t convolve(const convolution_t *conv,
                                   const reference_value_t *lhs,
                                   const reference_value_t *rhs, tensor_dtype_t dtype,
                                   const int64_t *at) {
  const int spatial = lhs->shape.rank - 2;
  const int64_t outs = rhs->shape.dims[conv->rhs.first];
  const int64_t out = at[conv->out.second];
  const int64_t feature_group = out / (outs / conv->feature_groups);
  const int64_t batch_group = out / (outs / conv->batch_groups);
  const int64_t ins = rhs->shape.dims[conv->rhs.second];
  const int64_t batches = lhs->shape.dims[conv->lhs.first] / conv->batch_groups;
  reference_scalar_t sum = {.dtype = dtype};
  for (int64_t j = 0; j < rhs->count; j++) {
    int64_t kernel[TENSOR_RANK_MAX], from[TENSOR_RANK_MAX];
    reference_unravel(&rhs->shape, j, kernel);
    if (kernel[conv->rhs.first] != out) {
      continue;
    }
    from[conv->lhs.first] = batch_group * batches + at[conv->out.first];
    from[conv->lhs.second] = feature_group * ins + kernel[conv->rhs.second];
    for (int d = 0; d < spatial; d++) {
      const int64_t size = rhs->shape.dims[conv->rhs.spatial[d]];
      const int64_t own = kernel[conv->rhs.spatial[d]];
      const bool is_reversed = entry(conv->reversal, d, 0) != 0;
      from[conv->lhs.spatial[d]] =
          window_at(&conv->window, d, lhs->shape.dims[conv->lhs.spatial[d]],
                    at[conv->out.spatial[d]], is_reversed ? size - 1 - own : own);
    }
    if (reference_is_inside(&lhs->shape, from)) {
      sum = add_product(sum, reference_load(lhs, reference_ravel(&lhs->shape, from)),
                        reference_load(rhs, j));
    }
  }
  return sum;
}

// Of dynamic_conv an operand.
static const int64_t *padding_of(reference_t *machine, const mlir_op_t *op) {
  const int64_t *padding = reference_list(machine, op, "padding", NULL);
  if (padding != NULL || op->operand_count < 3) {
    return padding;
  }
  const reference_value_t *value = reference_operand(machine, op, 2);
  int64_t *copy =
      pod_arena_array(machine->arena, (size_t)value->count + 1, sizeof(copy[0]));
  for (int64_t i = 0; i < value->count; i++) {
    copy[i] = reference_index(value, i);
  }
  return copy;
}

static void reference_convolution(reference_t *machine, const mlir_op_t *op) {
  const char *text = mlir_op_attr(op, "dimension_numbers")->body;
  convolution_t conv = {
      .window = {.strides = reference_list(machine, op, "window_strides", NULL),
                 .base_dilations = reference_list(machine, op, "lhs_dilation", NULL),
                 .dilations = reference_list(machine, op, "rhs_dilation", NULL),
                 .padding = padding_of(machine, op)},
      .feature_groups = reference_integer(op, "feature_group_count", 1),
      .batch_groups = reference_integer(op, "batch_group_count", 1),
      .reversal = reference_list(machine, op, "window_reversal", NULL)};
  conv.lhs = read_places(&text, 'b', 'f');
  conv.rhs = read_places(&text, 'o', 'i');
  conv.out = read_places(&text, 'b', 'f');
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    int64_t at[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, at);
    reference_store(result, i,
                    convolve(&conv, reference_operand(machine, op, 0),
                             reference_operand(machine, op, 1), result->shape.dtype, at));
  }
}

const reference_row_t reference_window_rows[] = {
    {"stablehlo.reduce_window", reference_reduce_window},
    {"stablehlo.select_and_scatter", reference_select_and_scatter},
    {"stablehlo.convolution", reference_convolution},
    {"stablehlo.dynamic_conv", reference_convolution},
    {"@stablehlo.dynamic_reduce_window", reference_dynamic_reduce_window},
    {NULL, NULL},
};
