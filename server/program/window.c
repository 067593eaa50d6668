// Output sizes by the specification's formula, in 64 bits with every intermediate
// checked.

#include "server/program/window.h"

#include <inttypes.h>

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

chip_window_t chip_window_make(int rank) {
  chip_window_t window = {.rank = rank};
  for (int d = 0; d < rank; d++) {
    window.sizes[d] = window.strides[d] = 1;
    window.base_dilations[d] = window.window_dilations[d] = 1;
  }
  return window;
}

static pod_status_t read_list(const chip_instruction_t *instruction, chip_attr_key_t key,
                              int rank, int64_t *out) {
  int32_t count;
  const int64_t *values = chip_instruction_attr(instruction, key, &count);
  if (values == NULL) {
    return NULL;
  }
  if (count != rank) {
    return BAD("attribute %d has %d values for rank %d", (int)key, count, rank);
  }
  for (int d = 0; d < rank; d++) {
    out[d] = values[d];
  }
  return NULL;
}

pod_status_t chip_window_of(const chip_instruction_t *instruction, int rank,
                            chip_window_t *out_window) {
  chip_window_t window = chip_window_make(rank);
  POD_TRY(read_list(instruction, CHIP_ATTR_WINDOW_DIMENSIONS, rank, window.sizes));
  POD_TRY(read_list(instruction, CHIP_ATTR_STRIDES, rank, window.strides));
  POD_TRY(read_list(instruction, CHIP_ATTR_BASE_DILATIONS, rank, window.base_dilations));
  POD_TRY(
      read_list(instruction, CHIP_ATTR_WINDOW_DILATIONS, rank, window.window_dilations));
  POD_TRY(read_list(instruction, CHIP_ATTR_EDGE_PADDING_LOW, rank, window.low));
  POD_TRY(read_list(instruction, CHIP_ATTR_EDGE_PADDING_HIGH, rank, window.high));
  int64_t reversed[TENSOR_RANK_MAX] = {0};
  POD_TRY(read_list(instruction, CHIP_ATTR_WINDOW_REVERSAL, rank, reversed));
  for (int d = 0; d < rank; d++) {
    window.is_reversed[d] = reversed[d] != 0;
  }
  *out_window = window;
  return NULL;
}

// size == 0 ? 0 : (size - 1) * dilation + 1
static bool dilated(int64_t size, int64_t dilation, int64_t *out) {
  if (size == 0) {
    *out = 0;
    return true;
  }
  return !__builtin_mul_overflow(size - 1, dilation, out) &&
         !__builtin_add_overflow(*out, 1, out);
}

// Sums of a few such numbers, and products with a size that fits memory, stay in 64 bits.
static bool is_huge(int64_t value) {
  const int64_t limit = INT64_C(1) << 48;
  return value > limit || value < -limit;
}

pod_status_t chip_window_places(const chip_window_t *window, int d, int64_t size,
                                int64_t *out_places) {
  if (window->sizes[d] < 1 || window->strides[d] < 1 || window->base_dilations[d] < 1 ||
      window->window_dilations[d] < 1) {
    return BAD(
        "sizes, strides and dilations of a window must be positive; in dimension "
        "%d they are %" PRId64 ", %" PRId64 ", %" PRId64 " and %" PRId64,
        d, window->sizes[d], window->strides[d], window->base_dilations[d],
        window->window_dilations[d]);
  }
  int64_t base, span;
  if (is_huge(window->sizes[d]) || is_huge(window->strides[d]) ||
      is_huge(window->base_dilations[d]) || is_huge(window->window_dilations[d]) ||
      is_huge(window->low[d]) || is_huge(window->high[d])) {
    return BAD("the padded size of dimension %d is too large", d);
  }
  if (!dilated(size, window->base_dilations[d], &base) ||
      !dilated(window->sizes[d], window->window_dilations[d], &span) ||
      __builtin_add_overflow(base, window->low[d], &base) ||
      __builtin_add_overflow(base, window->high[d], &base)) {
    return BAD("the padded size of dimension %d is too large", d);
  }
  *out_places = base <= 0 || span > base ? 0 : (base - span) / window->strides[d] + 1;
  return NULL;
}

pod_status_t chip_convolution_of(const chip_instruction_t *instruction,
                                 const tensor_shape_t *kernel,
                                 chip_convolution_t *out_convolution) {
  const int rank = kernel->rank;
  if (rank < 2) {
    return BAD("the kernel of a convolution has rank %d; it needs 2", rank);
  }
  static const chip_attr_key_t keys[] = {CHIP_ATTR_INPUT_DIMS, CHIP_ATTR_KERNEL_DIMS,
                                         CHIP_ATTR_OUTPUT_DIMS};
  const int64_t *dims[3];
  for (int i = 0; i < 3; i++) {
    int32_t count;
    dims[i] = chip_instruction_attr(instruction, keys[i], &count);
    uint32_t seen = 0;
    for (int32_t d = 0; d < count; d++) {
      if (dims[i][d] < 0 || dims[i][d] >= rank || (seen >> dims[i][d] & 1u) != 0) {
        return BAD("the dimensions of a convolution are no permutation");
      }
      seen |= 1u << dims[i][d];
    }
    if (count != rank) {
      return BAD("%d dimension numbers for rank %d", count, rank);
    }
  }
  chip_convolution_t convolution = {.input = dims[0],
                                    .kernel = dims[1],
                                    .output = dims[2],
                                    .feature_group_count = chip_instruction_attr_one(
                                        instruction, CHIP_ATTR_FEATURE_GROUP_COUNT, 1),
                                    .batch_group_count = chip_instruction_attr_one(
                                        instruction, CHIP_ATTR_BATCH_GROUP_COUNT, 1)};
  POD_TRY(chip_window_of(instruction, rank - 2, &convolution.window));
  for (int d = 0; d < rank - 2; d++) {
    convolution.window.sizes[d] = kernel->dims[convolution.kernel[2 + d]];
  }
  *out_convolution = convolution;
  return NULL;
}

static pod_status_t check_divides(const char *what, const tensor_shape_t *shape,
                                  int64_t dim, const char *name, int64_t groups) {
  return shape->dims[dim] % groups == 0
             ? NULL
             : BAD("dimension %" PRId64 " of %s has size %" PRId64 ", which %s %" PRId64
                   " does not divide",
                   dim, what, shape->dims[dim], name, groups);
}

static pod_status_t check_groups(const chip_convolution_t *convolution,
                                 const tensor_shape_t *lhs, const tensor_shape_t *rhs) {
  const int64_t features = convolution->feature_group_count,
                batches = convolution->batch_group_count;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {  // (C21) to (C23)
    return BAD("feature_group_count %" PRId64 " and batch_group_count %" PRId64
               " must be positive, and one of them 1",
               features, batches);
  }
  const int64_t *input = convolution->input, *kernel = convolution->kernel;
  POD_TRY(check_divides("the left operand, the batch,", lhs, input[0],
                        "batch_group_count", batches));  // (C10)
  POD_TRY(check_divides("the left operand, the features,", lhs, input[1],
                        "feature_group_count", features));  // (C11)
  POD_TRY(check_divides("the kernel, the output features,", rhs, kernel[1],
                        "batch_group_count", batches));  // (C15)
  POD_TRY(check_divides("the kernel, the output features,", rhs, kernel[1],
                        "feature_group_count", features));  // (C16)
  const int64_t kernel_input = rhs->dims[kernel[0]], input_feature = lhs->dims[input[1]];
  if (kernel_input != input_feature / features) {  // (C14)
    return BAD("the kernel takes %" PRId64 " input features (its dimension %" PRId64
               "), a group has %" PRId64,
               kernel_input, kernel[0], input_feature / features);
  }
  return NULL;
}

pod_status_t chip_convolution_shape(const chip_convolution_t *convolution,
                                    const tensor_shape_t *lhs, const tensor_shape_t *rhs,
                                    tensor_shape_t *out_result) {
  const int rank = rhs->rank;
  if (lhs->rank != rank) {  // (C1)
    return BAD("the operands have rank %d and %d; they must be the same", lhs->rank,
               rank);
  }
  POD_TRY(check_groups(convolution, lhs, rhs));
  tensor_shape_t result = {.dtype = lhs->dtype, .rank = rank};
  result.dims[convolution->output[0]] =
      lhs->dims[convolution->input[0]] / convolution->batch_group_count;
  result.dims[convolution->output[1]] = rhs->dims[convolution->kernel[1]];
  for (int d = 0; d < rank - 2; d++) {
    POD_TRY(chip_window_places(&convolution->window, d,
                               lhs->dims[convolution->input[2 + d]],
                               &result.dims[convolution->output[2 + d]]));
  }
  *out_result = result;
  return NULL;
}
