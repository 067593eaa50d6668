// How the three kinds read a StableHLO convolution. Its result at o is the sum over w of
// lhs[o·stride + w·window_dilation − low] · rhs[w], with lhs dilated.
//
//   forward            oneDNN's own definition; lhs is not dilated
//   backward data      dilation of lhs is the stride of the convolution that this is the
//                      gradient of, its kernel reversed: low' = (sizes − 1)·dilation −
//                      low
//   backward weights   the window is the gradient that came back, its dilation the
//                      stride; the result is indexed by the kernel. Batch and feature
//                      dimensions of the operands change their roles.
//
// What is padded by less than nothing is cut off as lhs is brought to its layout.

#include "server/worker/kernels/product/convolution_fast.h"

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/product/convolution_onednn.h"
#include "server/worker/kernels/product/dot_onednn.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/storage.h"

// How an array is brought from its layout to another, or back.
typedef struct layout_t {
  tensor_dtype_t dtype;  // As it is stored.
  int64_t count;         // Of all its elements.
  int64_t first;         // The element that the move starts at.
  bool is_moved;
  kernel_move_t move;
} layout_t;

struct convolution_fast_t {
  onednn_convolution_desc_t desc;
  onednn_convolution_t *convolution;
  layout_t lhs, rhs, out;
  tensor_dtype_t operand_dtype, sum_dtype;  // Computed with, and written.
  // The input's features are taken in so many pieces, whose results are added up.
  int64_t pieces;
};

typedef struct shapes_t {
  const tensor_shape_t *lhs, *rhs, *out;
  int64_t lhs_strides[TENSOR_RANK_MAX], rhs_strides[TENSOR_RANK_MAX];
  int64_t out_strides[TENSOR_RANK_MAX];
} shapes_t;

// ----- layouts -----

static int64_t moved_count(const layout_t *layout) {
  int64_t count = 1;
  for (int d = 0; d < layout->move.rank; d++) {
    count *= layout->move.sizes[d];
  }
  return count;
}

static void set_dense(kernel_move_t *move, int64_t *strides) {
  int64_t stride = 1;
  for (int d = move->rank - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= move->sizes[d];
  }
}

// Whether the array lies densely in the order of the move already.
static bool is_in_place(const layout_t *layout, const int64_t *strides) {
  int64_t stride = 1;
  for (int d = layout->move.rank - 1; d >= 0; d--) {
    const int64_t size = layout->move.sizes[d];
    if (size != 1 && strides[d] != stride) {
      return false;
    }
    stride *= size;
  }
  return stride == layout->count;
}

// The last dimension of the move becomes its second, of what is dense as of the array.
static void put_features_second(layout_t *layout) {
  kernel_move_t *move = &layout->move;
  const int last = move->rank - 1;
  const int64_t size = move->sizes[last], stride = move->in_strides[last];
  for (int d = last; d > 1; d--) {
    move->sizes[d] = move->sizes[d - 1];
    move->in_strides[d] = move->in_strides[d - 1];
  }
  move->sizes[1] = size;
  move->in_strides[1] = stride;
  set_dense(move, move->out_strides);
  layout->is_moved = !is_in_place(layout, move->in_strides);
}

// dims: those of the shape in the order batch, spatial, features.
static layout_t layout_of(const tensor_shape_t *shape, const int64_t *strides,
                          const int64_t *dims, tensor_dtype_t computed) {
  layout_t layout = {.dtype = shape->dtype, .count = tensor_shape_elements(shape)};
  layout.move =
      (kernel_move_t){.element_bytes = tensor_dtype_bytes(computed), .rank = shape->rank};
  for (int d = 0; d < shape->rank; d++) {
    layout.move.sizes[d] = shape->dims[dims[d]];
    layout.move.in_strides[d] = strides[dims[d]];
  }
  set_dense(&layout.move, layout.move.out_strides);
  return layout;
}

static void in_channels_last(const int64_t *numbers, int batch, int features, int rank,
                             int64_t *dims) {
  dims[0] = numbers[batch];
  memcpy(dims + 1, numbers + 2, (size_t)rank * sizeof(*dims));
  dims[1 + rank] = numbers[features];
}

static void reverse(layout_t *layout, int d) {
  layout->first += (layout->move.sizes[d] - 1) * layout->move.in_strides[d];
  layout->move.in_strides[d] = -layout->move.in_strides[d];
}

// ----- types -----

static bool is_computed_in_f32(tensor_dtype_t dtype) {
  return tensor_dtype_is_float(dtype) && dtype != TENSOR_F64;
}

static bool choose_types(const shapes_t *shapes, convolution_fast_t *fast) {
  const tensor_dtype_t a = shapes->lhs->dtype, b = shapes->rhs->dtype;
  const tensor_dtype_t c = shapes->out->dtype;
  if (onednn_has_types(a, b, c) && a == b) {
    fast->operand_dtype = a;
    fast->sum_dtype = c;
    return true;
  }
  if (a == TENSOR_S8 && b == TENSOR_S8 && tensor_dtype_is_integer(c) &&
      tensor_dtype_bytes(c) <= 4 && onednn_has_types(a, b, TENSOR_S32)) {
    fast->operand_dtype = TENSOR_S8;
    fast->sum_dtype = TENSOR_S32;
    return true;
  }
  fast->operand_dtype = fast->sum_dtype = TENSOR_F32;
  return is_computed_in_f32(a) && is_computed_in_f32(b) && is_computed_in_f32(c);
}

// ----- the three kinds -----

static int64_t extent(const onednn_convolution_desc_t *desc, int d) {
  return (desc->kernel_sizes[d] - 1) * desc->dilations[d] + 1;
}

// Cuts lhs, which is the source, to what the windows see, unless fewer elements than a
// step are left over; false when they see nothing.
static bool fit_source(convolution_fast_t *fast) {
  onednn_convolution_desc_t *desc = &fast->desc;
  kernel_move_t *move = &fast->lhs.move;
  for (int d = 0; d < desc->rank; d++) {
    const int64_t cut = desc->low[d] < 0 ? -desc->low[d] : 0;
    desc->low[d] += cut;
    const int64_t needed = (desc->destination_sizes[d] - 1) * desc->strides[d] +
                           extent(desc, d) - desc->low[d];
    int64_t size = desc->source_sizes[d] - cut;
    if (size <= 0 || needed <= 0) {
      return false;
    }
    if (size >= needed + desc->strides[d]) {
      size = needed;
    }
    desc->high[d] = size < needed ? needed - size : 0;
    desc->source_sizes[d] = move->sizes[1 + d] = size;
    fast->lhs.first += cut * move->in_strides[1 + d];
  }
  set_dense(move, move->out_strides);
  return true;
}

// Strides of the weights, and of their copy when the window is reversed.
static void set_weights(convolution_fast_t *fast, const chip_convolution_t *c,
                        const shapes_t *shapes, bool is_forward) {
  onednn_convolution_desc_t *desc = &fast->desc;
  const int rank = desc->rank;
  int64_t dims[TENSOR_RANK_MAX];
  in_channels_last(c->kernel, 1, 0, rank, dims);  // Output features, spatial, input ones.
  fast->rhs = layout_of(shapes->rhs, shapes->rhs_strides, dims, fast->operand_dtype);
  bool is_any_reversed = false;
  for (int d = 0; d < rank; d++) {
    if (c->window.is_reversed[d] == is_forward && c->window.sizes[d] > 1) {
      reverse(&fast->rhs, 1 + d);
      is_any_reversed = true;
    }
  }
  fast->rhs.is_moved = is_any_reversed;
  const int64_t *strides =
      is_any_reversed ? fast->rhs.move.out_strides : fast->rhs.move.in_strides;
  const int64_t group = shapes->rhs->dims[c->kernel[1]] / desc->groups;
  desc->weights_strides[0] = group * strides[0];
  desc->weights_strides[1] = is_forward ? strides[0] : strides[1 + rank];
  desc->weights_strides[2] = is_forward ? strides[1 + rank] : strides[0];
  memcpy(desc->weights_strides + 3, strides + 1, (size_t)rank * sizeof(*strides));
}

static void set_activations(convolution_fast_t *fast, const chip_convolution_t *c,
                            const shapes_t *shapes) {
  int64_t dims[TENSOR_RANK_MAX];
  in_channels_last(c->input, 0, 1, c->window.rank, dims);
  fast->lhs = layout_of(shapes->lhs, shapes->lhs_strides, dims, fast->operand_dtype);
  in_channels_last(c->output, 0, 1, c->window.rank, dims);
  fast->out = layout_of(shapes->out, shapes->out_strides, dims, fast->sum_dtype);
  fast->out.is_moved = !is_in_place(&fast->out, fast->out.move.in_strides);
}

// oneDNN passes sums of bytes through f32: its features are taken in pieces of which f32
// holds the sums exactly. False when they cannot be cut so.
static bool cut_features(convolution_fast_t *fast) {
  enum { PIECES_MAX = 64 };
  onednn_convolution_desc_t *desc = &fast->desc;
  const int64_t features = desc->in_features;
  int64_t taps = 1;
  for (int d = 0; d < desc->rank; d++) {
    taps *= desc->kernel_sizes[d];
  }
  if (fast->operand_dtype != TENSOR_S8 || features * taps <= ONEDNN_EXACT_PRODUCTS) {
    return true;
  }
  int64_t pieces = 2;
  while (features % pieces != 0 || features / pieces * taps > ONEDNN_EXACT_PRODUCTS) {
    if (++pieces > PIECES_MAX || pieces > features) {
      return false;
    }
  }
  if (desc->groups > 1) {
    return false;
  }
  fast->pieces = pieces;
  desc->in_features = features / pieces;
  kernel_move_t *move = &fast->lhs.move;
  move->sizes[move->rank - 1] = desc->in_features;
  set_dense(move, move->out_strides);
  return true;
}

static bool set_forward(convolution_fast_t *fast, const chip_convolution_t *c,
                        const shapes_t *shapes) {
  onednn_convolution_desc_t *desc = &fast->desc;
  desc->kind = ONEDNN_FORWARD;
  desc->batch = shapes->lhs->dims[c->input[0]];
  desc->groups = c->feature_group_count;
  desc->in_features = shapes->rhs->dims[c->kernel[0]];
  desc->out_features = shapes->rhs->dims[c->kernel[1]] / desc->groups;
  for (int d = 0; d < desc->rank; d++) {
    desc->source_sizes[d] = shapes->lhs->dims[c->input[2 + d]];
    desc->kernel_sizes[d] = c->window.sizes[d];
    desc->destination_sizes[d] = shapes->out->dims[c->output[2 + d]];
    desc->strides[d] = c->window.strides[d];
    desc->dilations[d] = c->window.window_dilations[d];
    desc->low[d] = c->window.low[d];
  }
  set_activations(fast, c, shapes);
  set_weights(fast, c, shapes, true);
  return fit_source(fast) && cut_features(fast);
}

static bool set_backward_data(convolution_fast_t *fast, const chip_convolution_t *c,
                              const shapes_t *shapes) {
  onednn_convolution_desc_t *desc = &fast->desc;
  desc->kind = ONEDNN_BACKWARD_DATA;
  desc->batch = shapes->lhs->dims[c->input[0]];
  desc->groups = c->feature_group_count;
  desc->in_features = shapes->rhs->dims[c->kernel[1]] / desc->groups;
  desc->out_features = shapes->rhs->dims[c->kernel[0]];
  for (int d = 0; d < desc->rank; d++) {
    desc->source_sizes[d] = shapes->out->dims[c->output[2 + d]];
    desc->kernel_sizes[d] = c->window.sizes[d];
    desc->destination_sizes[d] = shapes->lhs->dims[c->input[2 + d]];
    desc->strides[d] = c->window.base_dilations[d];
    desc->dilations[d] = c->window.window_dilations[d];
    const int64_t size = extent(desc, d);
    desc->low[d] = size - 1 - c->window.low[d];
    desc->high[d] = (desc->destination_sizes[d] - 1) * desc->strides[d] + size -
                    desc->source_sizes[d] - desc->low[d];
    if (desc->high[d] < 0 && desc->high[d] > -desc->strides[d]) {
      desc->high[d] = 0;  // The last elements were not looked at.
    }
    if (c->window.strides[d] != 1 || desc->low[d] < 0 || desc->low[d] >= size ||
        desc->high[d] < 0 || desc->high[d] >= size) {
      return false;
    }
  }
  set_activations(fast, c, shapes);
  set_weights(fast, c, shapes, false);
  return true;
}

static bool set_backward_weights(convolution_fast_t *fast, const chip_convolution_t *c,
                                 const shapes_t *shapes) {
  onednn_convolution_desc_t *desc = &fast->desc;
  const int rank = desc->rank;
  desc->kind = ONEDNN_BACKWARD_WEIGHTS;
  desc->batch = shapes->rhs->dims[c->kernel[0]];
  desc->groups = c->batch_group_count;
  desc->in_features = shapes->out->dims[c->output[0]];
  desc->out_features = shapes->out->dims[c->output[1]] / desc->groups;
  for (int d = 0; d < rank; d++) {
    desc->source_sizes[d] = shapes->lhs->dims[c->input[2 + d]];
    desc->kernel_sizes[d] = shapes->out->dims[c->output[2 + d]];
    desc->destination_sizes[d] = c->window.sizes[d];
    desc->strides[d] = c->window.window_dilations[d];
    desc->dilations[d] = c->window.strides[d];
    desc->low[d] = c->window.low[d];
  }
  int64_t dims[TENSOR_RANK_MAX];
  in_channels_last(c->input, 1, 0, rank, dims);
  fast->lhs = layout_of(shapes->lhs, shapes->lhs_strides, dims, fast->operand_dtype);
  in_channels_last(c->kernel, 0, 1, rank, dims);
  fast->rhs = layout_of(shapes->rhs, shapes->rhs_strides, dims, fast->operand_dtype);
  fast->rhs.is_moved = !is_in_place(&fast->rhs, fast->rhs.move.in_strides);
  for (int d = 0; d < rank; d++) {
    if (c->window.is_reversed[d] && c->window.sizes[d] > 1) {
      reverse(&fast->rhs, 1 + d);
      fast->rhs.is_moved = true;
    }
  }
  in_channels_last(c->output, 0, 1, rank, dims);
  fast->out = layout_of(shapes->out, shapes->out_strides, dims, fast->sum_dtype);
  const int64_t *strides = fast->out.move.in_strides;
  desc->weights_strides[0] = desc->out_features * strides[1 + rank];
  desc->weights_strides[1] = strides[1 + rank];
  desc->weights_strides[2] = strides[0];
  memcpy(desc->weights_strides + 3, strides + 1, (size_t)rank * sizeof(*strides));
  return fit_source(fast);
}

// ----- choosing -----

static bool is_dilated(const chip_convolution_t *c) {
  for (int d = 0; d < c->window.rank; d++) {
    if (c->window.base_dilations[d] != 1) {
      return true;
    }
  }
  return false;
}

// A window with more places than it is put to comes from a gradient, unless the features
// say that the whole of an image is looked at; so does one that is spread further than it
// moves.
static bool is_gradient_of_weights(const chip_convolution_t *c, const shapes_t *shapes) {
  int64_t taps = 1, places = 1;
  bool is_spread = true;
  for (int d = 0; d < c->window.rank; d++) {
    const int64_t dilation = c->window.window_dilations[d];
    taps *= c->window.sizes[d];
    places *= shapes->out->dims[c->output[2 + d]];
    is_spread &= dilation > 1 && dilation >= shapes->out->dims[c->output[2 + d]];
  }
  const int64_t batch = shapes->lhs->dims[c->input[0]];
  const int64_t features = shapes->lhs->dims[c->input[1]];
  return is_spread || taps > 4 * places || (taps > places && batch >= features);
}

static bool set_kind(convolution_fast_t *fast, const chip_convolution_t *c,
                     const shapes_t *shapes) {
  if (is_dilated(c)) {
    return c->batch_group_count == 1 && set_backward_data(fast, c, shapes);
  }
  if (c->feature_group_count == 1 && fast->operand_dtype != TENSOR_S8 &&
      (c->batch_group_count > 1 || is_gradient_of_weights(c, shapes))) {
    return set_backward_weights(fast, c, shapes);
  }
  return c->batch_group_count == 1 && set_forward(fast, c, shapes);
}

// One spatial dimension becomes two, of which the first is 1: for these oneDNN has its
// better code, 60 times as fast for depthwise ones.
static void widen(onednn_convolution_desc_t *desc) {
  int64_t *const lists[] = {desc->source_sizes, desc->kernel_sizes,
                            desc->destination_sizes, desc->strides, desc->dilations};
  if (desc->rank != 1) {
    return;
  }
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    lists[i][1] = lists[i][0];
    lists[i][0] = 1;
  }
  desc->low[1] = desc->low[0];
  desc->high[1] = desc->high[0];
  desc->low[0] = desc->high[0] = 0;
  desc->weights_strides[4] = desc->weights_strides[3];
  desc->weights_strides[3] *= desc->kernel_sizes[1];
  desc->rank = 2;
}

// In one dimension oneDNN's gradient by the kernel takes a row as a whole: with many
// features and activations that the second-level cache does not hold, features last are
// half as fast as features second with their copy (measured with 2 MiB of cache).
static bool outgrows_cache(const convolution_fast_t *fast) {
  enum { FEATURES_MIN = 256, BYTES_MAX = 4 << 20 };
  const onednn_convolution_desc_t *desc = &fast->desc;
  const int64_t elements =
      desc->batch * (desc->source_sizes[0] * desc->in_features +
                     desc->destination_sizes[0] * desc->out_features);
  return desc->rank == 1 && fast->operand_dtype == TENSOR_F32 &&
         desc->out_features >= FEATURES_MIN &&
         elements * (int64_t)sizeof(float) > BYTES_MAX;
}

// Where oneDNN's code for features last is slow: windows that neither overlap nor leave
// gaps, gradients by an input of a few features, and in one dimension those by the kernel
// that are depthwise or large. Without a copy windows of one element are fast in both.
static bool is_faster_second(const convolution_fast_t *fast) {
  enum { FEW_FEATURES = 4 };
  const onednn_convolution_desc_t *desc = &fast->desc;
  bool is_single = true, is_tiled = true;
  for (int d = 0; d < desc->rank; d++) {
    is_single &= desc->kernel_sizes[d] == 1;
    is_tiled &= desc->kernel_sizes[d] == desc->strides[d] && desc->dilations[d] == 1;
  }
  if (desc->groups > 1) {
    return desc->kind == ONEDNN_BACKWARD_WEIGHTS && desc->rank == 1;
  }
  if (is_single) {
    const kernel_move_t *move = &fast->lhs.move;
    return move->sizes[move->rank - 1] > 1 && move->in_strides[move->rank - 1] != 1 &&
           move->in_strides[move->rank - 2] == 1;
  }
  if (desc->kind == ONEDNN_BACKWARD_WEIGHTS) {
    return is_tiled || outgrows_cache(fast);
  }
  return desc->kind == ONEDNN_BACKWARD_DATA &&
         (is_tiled ||
          (fast->operand_dtype == TENSOR_F32 && desc->in_features <= FEW_FEATURES));
}

static void choose_order(convolution_fast_t *fast) {
  if (fast->pieces == 1 && !onednn_convolution_is_long(&fast->desc) &&
      is_faster_second(fast)) {
    fast->desc.is_features_second = true;
    put_features_second(&fast->lhs);
    put_features_second(fast->desc.kind == ONEDNN_BACKWARD_WEIGHTS ? &fast->rhs
                                                                   : &fast->out);
  }
}

static void set_dtypes(convolution_fast_t *fast) {
  onednn_convolution_desc_t *desc = &fast->desc;
  const tensor_dtype_t operand = fast->operand_dtype, sum = fast->sum_dtype;
  desc->source_dtype = desc->kind == ONEDNN_BACKWARD_DATA ? sum : operand;
  desc->weights_dtype = desc->kind == ONEDNN_BACKWARD_WEIGHTS ? sum : operand;
  desc->destination_dtype = desc->kind == ONEDNN_FORWARD ? sum : operand;
}

pod_status_t convolution_fast_create(const kernel_args_t *args,
                                     const chip_convolution_t *convolution,
                                     convolution_fast_t **out_fast) {
  shapes_t shapes = {.lhs = kernel_operand_shape(args, 0),
                     .rhs = kernel_operand_shape(args, 1),
                     .out = kernel_result_shape(args, 0)};
  tensor_shape_strides(shapes.lhs, shapes.lhs_strides);
  tensor_shape_strides(shapes.rhs, shapes.rhs_strides);
  tensor_shape_strides(shapes.out, shapes.out_strides);
  *out_fast = NULL;
  const int rank = convolution->window.rank;
  if (rank < 1 || rank > ONEDNN_SPATIAL_MAX) {
    return NULL;
  }
  convolution_fast_t *fast = calloc(1, sizeof(*fast));
  if (fast == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a convolution");
  }
  fast->desc.rank = rank;
  fast->pieces = 1;
  pod_status_t status = NULL;
  if (choose_types(&shapes, fast) && set_kind(fast, convolution, &shapes) &&
      onednn_convolution_is_all_seen(&fast->desc)) {
    fast->lhs.is_moved = !is_in_place(&fast->lhs, fast->lhs.move.in_strides);
    choose_order(fast);
    widen(&fast->desc);
    set_dtypes(fast);
    if (!onednn_convolution_is_long(&fast->desc) ||
        onednn_convolution_can_be_cut(&fast->desc)) {
      status = onednn_convolution_create(&fast->desc, &fast->convolution);
    }
  }
  if (status != NULL || fast->convolution == NULL) {
    convolution_fast_destroy(fast);
    return status;
  }
  *out_fast = fast;
  return NULL;
}

void convolution_fast_destroy(convolution_fast_t *fast) {
  if (fast != NULL) {
    onednn_convolution_destroy(fast->convolution);
    free(fast);
  }
}

// ----- running -----

static pod_status_t prepare(const layout_t *layout, const void *operand,
                            tensor_dtype_t dtype, kernel_slot_t converted_slot,
                            kernel_slot_t moved_slot, const void **out_data) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  if (layout->dtype != dtype) {
    void *converted = NULL;
    POD_TRY(kernel_scratch(converted_slot, (size_t)layout->count * bytes, &converted));
    kernel_convert_elements(layout->dtype, operand, dtype, converted,
                            (size_t)layout->count);
    operand = converted;
  }
  if (layout->is_moved) {
    void *moved = NULL;
    POD_TRY(kernel_scratch(moved_slot, (size_t)moved_count(layout) * bytes, &moved));
    kernel_move(&layout->move, (const char *)operand + layout->first * (int64_t)bytes,
                moved);
    operand = moved;
  }
  *out_data = operand;
  return NULL;
}

// Signed and unsigned integers of a size have the same sums.
static bool is_written_as_summed(const convolution_fast_t *fast) {
  return fast->sum_dtype == fast->out.dtype ||
         (fast->sum_dtype == TENSOR_S32 && fast->out.dtype == TENSOR_U32);
}

static pod_status_t run_onednn(const convolution_fast_t *fast, const void *first,
                               const void *second, void *result) {
  bool is_found = false;
  if (onednn_convolution_is_long(&fast->desc)) {
    POD_TRY(onednn_convolution_run_pieces(&fast->desc, first, second, result, &is_found));
  }
  return is_found ? NULL
                  : onednn_convolution_run(fast->convolution, first, second, result);
}

// The convolution of a part of lhs, brought to its layout, with weights in theirs.
static pod_status_t convolve(const convolution_fast_t *fast, const void *lhs,
                             const void *weights, void *sums) {
  const void *prepared = NULL;
  POD_TRY(prepare(&fast->lhs, lhs, fast->operand_dtype, KERNEL_SLOT_CONVERTED_LHS,
                  KERNEL_SLOT_LHS, &prepared));
  if (fast->desc.kind == ONEDNN_BACKWARD_DATA) {
    return run_onednn(fast, weights, prepared, sums);
  }
  return run_onednn(fast, prepared, weights, sums);
}

// Bytes, which need no conversion: its place is free for the sums of a piece.
static pod_status_t convolve_pieces(const convolution_fast_t *fast, const char *lhs,
                                    const char *weights, void *sums) {
  const onednn_convolution_desc_t *desc = &fast->desc;
  const kernel_move_t *move = &fast->lhs.move;
  const kernel_binary_fn_t add = kernel_binary_loop(CHIP_OP_ADD, TENSOR_S32);
  const size_t count = (size_t)fast->out.count;
  void *part = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_CONVERTED_LHS, count * sizeof(int32_t), &part));
  for (int64_t piece = 0; piece < fast->pieces; piece++) {
    const int64_t feature = piece * desc->in_features;
    POD_TRY(convolve(fast, lhs + feature * move->in_strides[move->rank - 1],
                     weights + feature * desc->weights_strides[2],
                     piece == 0 ? sums : part));
    if (piece > 0) {
      add(sums, part, sums, count);
    }
  }
  return NULL;
}

pod_status_t convolution_fast_run(const convolution_fast_t *fast, const void *lhs,
                                  const void *rhs, void *result) {
  const size_t count = (size_t)fast->out.count;
  const size_t bytes = tensor_dtype_bytes(fast->sum_dtype);
  const bool is_direct = is_written_as_summed(fast);
  const void *weights = NULL;
  void *sums = result, *moved = result;
  POD_TRY(prepare(&fast->rhs, rhs, fast->operand_dtype, KERNEL_SLOT_CONVERTED_RHS,
                  KERNEL_SLOT_RHS, &weights));
  if (fast->out.is_moved || !is_direct) {
    POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, count * bytes, &sums));
  }
  if (fast->pieces > 1) {
    POD_TRY(convolve_pieces(fast, lhs, weights, sums));
  } else {
    POD_TRY(convolve(fast, lhs, weights, sums));
  }
  if (fast->out.is_moved) {
    if (!is_direct) {  // The operands are done with.
      POD_TRY(kernel_scratch(KERNEL_SLOT_LHS, count * bytes, &moved));
    }
    kernel_move_t back = fast->out.move;
    memcpy(back.in_strides, fast->out.move.out_strides, sizeof(back.in_strides));
    memcpy(back.out_strides, fast->out.move.in_strides, sizeof(back.out_strides));
    kernel_move(&back, sums, moved);
    sums = moved;
  }
  if (!is_direct) {
    kernel_convert_elements(fast->sum_dtype, sums, fast->out.dtype, result, count);
  }
  return NULL;
}
