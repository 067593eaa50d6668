// What indexes and windows look like in an operation's attributes.

#include <inttypes.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"

static chip_dims_t chip_dims(const stablehlo_dims_t *dims) {
  return (chip_dims_t){.count = (int32_t)dims->count, .values = dims->values};
}

pod_status_t stablehlo_indexing(mlir_module_t *module, const mlir_op_t *op,
                                chip_indexing_t *out_indexing) {
  const bool is_scatter = op->kind == CHIP_OP_SCATTER;
  const char *name = is_scatter ? "scatter_dimension_numbers" : "dimension_numbers";
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT, "lacks the attribute '%s'",
                         name);
  }
  if (is_scatter) {
    stablehlo_scatter_t from;
    POD_TRY(stablehlo_scatter_dimensions(module, attr, &from));
    *out_indexing =
        (chip_indexing_t){.window = chip_dims(&from.update_window),
                          .dropped = chip_dims(&from.inserted_window),
                          .array_batching = chip_dims(&from.input_batching),
                          .indices_batching = chip_dims(&from.scatter_indices_batching),
                          .index_map = chip_dims(&from.scatter_to_operand),
                          .index_vector_dim = from.index_vector_dim};
    return NULL;
  }
  stablehlo_gather_t from;
  POD_TRY(stablehlo_gather_dimensions(module, attr, &from));
  *out_indexing =
      (chip_indexing_t){.window = chip_dims(&from.offset),
                        .dropped = chip_dims(&from.collapsed_slice),
                        .array_batching = chip_dims(&from.operand_batching),
                        .indices_batching = chip_dims(&from.start_indices_batching),
                        .index_map = chip_dims(&from.start_index_map),
                        .index_vector_dim = from.index_vector_dim};
  return NULL;
}

// A list of `count` values, if it is there; *out_values is NULL otherwise.
static pod_status_t optional_list(mlir_module_t *module, const mlir_op_t *op,
                                  const char *name, int64_t count,
                                  const int64_t **out_values) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  int64_t found;
  *out_values = NULL;
  if (attr == NULL) {
    return NULL;
  }
  if (!mlir_attr_as_i64s(module, attr, &found, out_values)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT, "'%s' is no list of integers",
                         name);
  }
  if (found != count) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "'%s' has %" PRId64 " values; %" PRId64 " are needed", name,
                         found, count);
  }
  return NULL;
}

static pod_status_t read_list(mlir_module_t *module, const mlir_op_t *op,
                              const char *name, int rank, int64_t *out) {
  const int64_t *values;
  POD_TRY(optional_list(module, op, name, rank, &values));
  for (int d = 0; values != NULL && d < rank; d++) {
    out[d] = values[d];
  }
  return NULL;
}

// The same for values above 0: (C5), (C7), (C9), (C11) of reduce_window, (C3), (C6), (C8)
// of convolution.
static pod_status_t read_positive(mlir_module_t *module, const mlir_op_t *op,
                                  const char *name, int rank, int64_t *out) {
  POD_TRY(read_list(module, op, name, rank, out));
  for (int d = 0; d < rank; d++) {
    if (out[d] < 1) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "'%s' is %" PRId64 " in dimension %d; it must be positive",
                           name, out[d], d);
    }
  }
  return NULL;
}

// Low and high of every dimension, rank x 2.
static pod_status_t read_padding(mlir_module_t *module, const mlir_op_t *op, int rank,
                                 chip_window_t *window) {
  const mlir_attr_t *attr = mlir_op_attr(op, "padding");
  const int64_t *padding;
  int64_t count;
  if (attr == NULL) {
    return NULL;
  }
  if (!mlir_attr_as_i64s(module, attr, &count, &padding)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "'padding' is no list of integers");
  }
  const tensor_shape_t *shape = attr->kind == MLIR_ATTR_DENSE ? &attr->type->shape : NULL;
  if (count != 2 * (int64_t)rank ||
      (shape != NULL &&
       (shape->rank != 2 || shape->dims[0] != rank || shape->dims[1] != 2))) {
    pod_text_t text = {0};
    pod_text_add(&text, "a list");
    if (shape != NULL) {
      text.length = 0;
      tensor_shape_print_mlir(&text, shape);
    }
    const pod_status_t status =
        mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                      "'padding' is %s; it must be %dx2", text.bytes, rank);
    pod_text_deinit(&text);
    return status;
  }
  for (int64_t d = 0; d < rank; d++) {
    window->low[d] = padding[2 * d];
    window->high[d] = padding[2 * d + 1];
  }
  return NULL;
}

pod_status_t stablehlo_window(mlir_module_t *module, const mlir_op_t *op, int rank,
                              chip_window_t *out_window) {
  chip_window_t window = chip_window_make(rank);
  const bool is_convolution = op->kind == CHIP_OP_CONVOLUTION;
  if (!is_convolution) {
    POD_TRY(read_positive(module, op, "window_dimensions", rank, window.sizes));
  }
  POD_TRY(read_positive(module, op, "window_strides", rank, window.strides));
  POD_TRY(read_positive(module, op, is_convolution ? "lhs_dilation" : "base_dilations",
                        rank, window.base_dilations));
  POD_TRY(read_positive(module, op, is_convolution ? "rhs_dilation" : "window_dilations",
                        rank, window.window_dilations));
  POD_TRY(read_padding(module, op, rank, &window));
  int64_t reversal[TENSOR_RANK_MAX] = {0};
  POD_TRY(read_list(module, op, "window_reversal", rank, reversal));
  for (int d = 0; d < rank; d++) {
    window.is_reversed[d] = reversal[d] != 0;
  }
  *out_window = window;
  return NULL;
}

static pod_status_t read_count(mlir_module_t *module, const mlir_op_t *op,
                               const char *name, int64_t *out) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (!mlir_attr_is(attr, MLIR_ATTR_INTEGER)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         attr == NULL ? "lacks the attribute '%s'" : "'%s' is no integer",
                         name);
  }
  *out = attr->integer;
  return NULL;
}

// batch, feature (or both features of the kernel), spatial dimensions.
static pod_status_t permutation(mlir_module_t *module, const mlir_op_t *op,
                                const char *what, int64_t first, int64_t second,
                                const stablehlo_dims_t *spatial, int rank,
                                const int64_t **out) {
  int64_t *dims = pod_arena_array(module->arena, (size_t)rank, sizeof(*dims));
  uint32_t seen = 0;
  if (spatial->count != rank - 2) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "has %" PRId64
                         " spatial dimensions of the %s; the kernel has "
                         "rank %d",
                         spatial->count, what, rank);
  }
  for (int i = 0; i < rank; i++) {
    dims[i] = i == 0 ? first : i == 1 ? second : spatial->values[i - 2];
    if (dims[i] < 0 || dims[i] >= rank || (seen >> dims[i] & 1u) != 0) {
      const bool is_there = dims[i] >= 0 && dims[i] < rank;
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           is_there
                               ? "the dimensions of the %s are no permutation of its "
                                 "%d: dimension %" PRId64 " comes twice"
                               : "the dimensions of the %s are no permutation of its "
                                 "%d: there is no dimension %" PRId64,
                           what, rank, dims[i]);
    }
    seen |= 1u << dims[i];
  }
  *out = dims;
  return NULL;
}

pod_status_t stablehlo_convolution(mlir_module_t *module, const mlir_op_t *op,
                                   const tensor_shape_t *kernel,
                                   chip_convolution_t *out_convolution) {
  const int rank = kernel->rank;
  if (rank < 2) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "its kernel has rank %d; it needs at least 2", rank);
  }
  stablehlo_conv_t dims;
  const mlir_attr_t *attr = mlir_op_attr(op, "dimension_numbers");
  if (attr == NULL) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                         "lacks the attribute 'dimension_numbers'");
  }
  POD_TRY(stablehlo_conv_dimensions(module, attr, &dims));
  chip_convolution_t convolution = {0};
  POD_TRY(permutation(module, op, "input", dims.input_batch, dims.input_feature,
                      &dims.input_spatial, rank, &convolution.input));
  POD_TRY(permutation(module, op, "kernel", dims.kernel_input_feature,
                      dims.kernel_output_feature, &dims.kernel_spatial, rank,
                      &convolution.kernel));
  POD_TRY(permutation(module, op, "output", dims.output_batch, dims.output_feature,
                      &dims.output_spatial, rank, &convolution.output));
  POD_TRY(
      read_count(module, op, "feature_group_count", &convolution.feature_group_count));
  POD_TRY(read_count(module, op, "batch_group_count", &convolution.batch_group_count));
  POD_TRY(stablehlo_window(module, op, rank - 2, &convolution.window));
  for (int d = 0; d < rank - 2; d++) {
    convolution.window.sizes[d] = kernel->dims[convolution.kernel[2 + d]];
  }
  *out_convolution = convolution;
  return NULL;
}

void stablehlo_set_padding(mlir_module_t *module, mlir_op_t *op,
                           const chip_window_t *window) {
  int64_t padding[2 * TENSOR_RANK_MAX];
  for (int d = 0; d < window->rank; d++) {
    padding[2 * (size_t)d] = window->low[d];
    padding[2 * (size_t)d + 1] = window->high[d];
  }
  const int64_t dims[] = {window->rank, 2};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(module, op, "padding",
                   mlir_attr_dense(module, &shape, padding, false));
}
