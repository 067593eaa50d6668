// reduce_window and select_and_scatter.
//
// reduce_window with a known reducer goes row by row of the result: for every place of
// the window one strided row of the operand is combined with the row so far, and rounded
// to the element type, so that sums come out as by the reference interpreter. Padding
// takes part with the initial value, as the specification has it.

#include <stdlib.h>
#include <string.h>

#include "server/chip/window.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/storage.h"

// The offset of the element that place `w` of the window at `o` falls on, in the first
// `rank` dimensions; -1 in the padding.
static int64_t offset_of(const chip_window_t *window, int rank,
                         const tensor_shape_t *shape, const int64_t *strides,
                         const int64_t *o, const int64_t *w) {
  int64_t offset = 0;
  for (int d = 0; d < rank; d++) {
    const int64_t at = chip_window_element(window, d, o[d], w[d]);
    if (at < 0 || at >= shape->dims[d]) {
      return -1;
    }
    offset += at * strides[d];
  }
  return offset;
}

// ----- a known reducer -----

typedef struct rows_t {
  const chip_window_t *window;
  const tensor_shape_t *in;
  const char *data;
  tensor_dtype_t dtype, compute;
  kernel_binary_fn_t loop;
  bool rounds;  // After every step: `compute` holds more than `dtype`.
  int64_t strides[TENSOR_RANK_MAX];
  int64_t width;  // Of a row of the result.
  // In the compute type, `width` elements each: the row so far, what it is combined
  // with, and the initial value.
  char *sums, *values, *initial;
  char *stored;  // A row of the operand as it is stored.
} rows_t;

// Elements [first, end) of the row for place `w` of the window in the last dimension fall
// on elements of the operand (with gaps when it is dilated); the others on padding.
static void row_bounds(const rows_t *rows, int64_t w, int64_t *out_first,
                       int64_t *out_end) {
  const int d = rows->in->rank - 1;
  const int64_t stride = rows->window->strides[d];
  const int64_t shift = rows->window->low[d] - w * rows->window->window_dilations[d];
  const int64_t span = (rows->in->dims[d] - 1) * rows->window->base_dilations[d];
  // 0 <= o * stride - shift <= span
  int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
  int64_t end = span + shift < 0 ? 0 : (span + shift) / stride + 1;
  end = end > rows->width ? rows->width : end;
  *out_first = first > end ? end : first;
  *out_end = end;
}

// The row of the operand for a place of the window, in the compute type; `offset` is
// that of the dimensions before the last, -1 in the padding.
static const char *fetch_row(const rows_t *rows, int64_t offset, int64_t w) {
  if (offset < 0) {
    return rows->initial;
  }
  const int d = rows->in->rank - 1;
  const unsigned size = kernel_size_index(rows->dtype);
  const unsigned compute_size = kernel_size_index(rows->compute);
  const size_t bytes = tensor_dtype_bytes(rows->dtype);
  int64_t first, end;
  row_bounds(rows, w, &first, &end);
  const size_t compute_bytes = tensor_dtype_bytes(rows->compute);
  const int64_t base = rows->window->base_dilations[d];
  if (base == 1 && first < end) {
    const int64_t at = chip_window_element(rows->window, d, first, w);
    const size_t count = (size_t)(end - first);
    const char *source = rows->data + (size_t)(offset + at) * bytes;
    if (rows->window->strides[d] != 1) {
      kernel_loops()->gather[size](source, rows->window->strides[d], rows->stored, count);
      source = rows->stored;
    }
    char *target = rows->values + (size_t)first * compute_bytes;
    const void *computed = kernel_decode(rows->dtype, source, count, target);
    if (first == 0 && end == rows->width) {
      return computed;
    }
    if (computed != target) {
      memcpy(target, computed, count * compute_bytes);
    }
  }
  // Padding before and behind, and the gaps of a dilated operand.
  for (int64_t o = 0; o < rows->width; o++) {
    if (base == 1 && o >= first && o < end) {
      o = end - 1;
      continue;
    }
    const int64_t at = chip_window_element(rows->window, d, o, w);
    char *target = rows->values + (size_t)o * compute_bytes;
    const char *element = rows->initial;
    _Alignas(16) char decoded[KERNEL_ELEMENT_BYTES];
    if (at >= 0 && at < rows->in->dims[d]) {
      element = kernel_decode(rows->dtype, rows->data + (size_t)(offset + at) * bytes, 1,
                              decoded);
    }
    kernel_loops()->gather[compute_size](element, 0, target, 1);
  }
  return rows->values;
}

static void reduce_row(const rows_t *rows, const int64_t *o, char *out) {
  const int last = rows->in->rank - 1;
  const size_t count = (size_t)rows->width;
  memcpy(rows->sums, rows->initial, count * tensor_dtype_bytes(rows->compute));
  int64_t w[TENSOR_RANK_MAX] = {0};
  do {
    const int64_t offset = offset_of(rows->window, last, rows->in, rows->strides, o, w);
    rows->loop(rows->sums, fetch_row(rows, offset, w[last]), rows->sums, count);
    if (rows->rounds) {
      kernel_encode(rows->dtype, rows->sums, count, rows->stored);
      kernel_decode(rows->dtype, rows->stored, count, rows->sums);
    }
  } while (kernel_next_index(last + 1, rows->window->sizes, w));
  kernel_encode(rows->dtype, rows->sums, count, out);
}

static pod_status_t reduce_window_known(const kernel_args_t *args,
                                        const chip_window_t *window,
                                        kernel_binary_fn_t loop) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  rows_t rows = {.window = window,
                 .in = kernel_operand_shape(args, 0),
                 .data = args->operands[0],
                 .dtype = out->dtype,
                 .compute = kernel_compute_dtype(out->dtype),
                 .loop = loop,
                 .rounds = tensor_dtype_is_float(out->dtype) &&
                           !kernel_is_computed_as_stored(out->dtype),
                 .width = out->dims[out->rank - 1]};
  tensor_shape_strides(rows.in, rows.strides);
  const size_t bytes = tensor_dtype_bytes(rows.compute);
  const size_t row_bytes = (size_t)rows.width * bytes + 64;
  void *scratch;
  POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, 4 * row_bytes, &scratch));
  rows.sums = scratch;
  rows.values = rows.sums + row_bytes;
  rows.initial = rows.values + row_bytes;
  rows.stored = rows.initial + row_bytes;
  _Alignas(16) char element[KERNEL_ELEMENT_BYTES];
  kernel_fill(bytes, kernel_decode(rows.dtype, args->operands[1], 1, element),
              rows.initial, (size_t)rows.width);
  char *target = args->results[0];
  int64_t o[TENSOR_RANK_MAX] = {0};
  do {
    reduce_row(&rows, o, target);
    target += (size_t)rows.width * tensor_dtype_bytes(rows.dtype);
  } while (kernel_next_index(out->rank - 1, out->dims, o));
  kernel_scratch_trim();
  return NULL;
}

// ----- any region -----

enum { FEW = 16 };

// One element of each result: all places of the window in order, padding too.
static pod_status_t reduce_place(const kernel_args_t *args, const chip_window_t *window,
                                 const int64_t *strides, const int64_t *o,
                                 int64_t place) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const int32_t count = args->instruction->result_count;
  _Alignas(16) char sums[FEW][KERNEL_ELEMENT_BYTES], next[FEW][KERNEL_ELEMENT_BYTES];
  const void *inputs[2 * FEW];
  void *outputs[FEW];
  for (int32_t i = 0; i < count; i++) {
    memcpy(sums[i], args->operands[count + i],
           tensor_dtype_bytes(kernel_result_shape(args, i)->dtype));
    inputs[i] = sums[i];
    outputs[i] = next[i];
  }
  int64_t w[TENSOR_RANK_MAX] = {0};
  do {
    const int64_t at = offset_of(window, in->rank, in, strides, o, w);
    for (int32_t i = 0; i < count; i++) {
      const size_t bytes = tensor_dtype_bytes(kernel_result_shape(args, i)->dtype);
      inputs[count + i] = at < 0 ? args->operands[count + i]
                                 : (const char *)args->operands[i] + (size_t)at * bytes;
    }
    POD_TRY(args->call(args, args->instruction->calls[0], inputs, outputs));
    memcpy(sums, next, (size_t)count * KERNEL_ELEMENT_BYTES);
  } while (kernel_next_index(in->rank, window->sizes, w));
  for (int32_t i = 0; i < count; i++) {
    const size_t bytes = tensor_dtype_bytes(kernel_result_shape(args, i)->dtype);
    memcpy((char *)args->results[i] + (size_t)place * bytes, sums[i], bytes);
  }
  return NULL;
}

static pod_status_t reduce_window_region(const kernel_args_t *args,
                                         const chip_window_t *window) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  if (args->instruction->call_count < 1 || args->call == NULL) {
    return kernel_unsupported(args, in->dtype);
  }
  if (args->instruction->result_count > FEW) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, FEW);
  }
  int64_t strides[TENSOR_RANK_MAX], o[TENSOR_RANK_MAX] = {0};
  tensor_shape_strides(in, strides);
  int64_t place = 0;
  do {
    POD_TRY(reduce_place(args, window, strides, o, place++));
  } while (kernel_next_index(out->rank, out->dims, o));
  return NULL;
}

pod_status_t kernel_reduce_window(const kernel_args_t *args) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  chip_window_t window;
  POD_TRY(chip_window_of(args->instruction, out->rank, &window));
  if (tensor_shape_elements(out) == 0) {
    return NULL;
  }
  const kernel_binary_fn_t loop =
      kernel_reducer_loop((chip_reducer_t)chip_instruction_attr_one(
                              args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE),
                          out->dtype);
  if (loop != NULL && args->instruction->result_count == 1 && out->rank > 0 &&
      tensor_shape_elements(kernel_operand_shape(args, 0)) > 0) {
    return reduce_window_known(args, &window, loop);
  }
  if (loop != NULL && args->instruction->result_count == 1) {
    // A scalar, or nothing but padding: the initial value and what one place adds.
    kernel_combiner_t combiner;
    POD_TRY(kernel_combiner_init(args, 0, out->dtype, &combiner));
    const size_t bytes = tensor_dtype_bytes(out->dtype);
    kernel_fill(bytes, args->operands[1], args->results[0],
                (size_t)tensor_shape_elements(out));
    int64_t places = 1;
    for (int d = 0; d < out->rank; d++) {
      places *= window.sizes[d];
    }
    const void *element = args->operands[out->rank == 0 ? 0 : 1];
    for (int64_t i = 0; i < places; i++) {
      POD_TRY(kernel_combine(&combiner, args->results[0], 1, element, 0,
                             tensor_shape_elements(out)));
    }
    return NULL;
  }
  return reduce_window_region(args, &window);
}

// ----- select_and_scatter -----

typedef struct selector_t {
  const kernel_args_t *args;
  tensor_dtype_t dtype;
  bool is_known;
  kernel_comparison_t comparison;
} selector_t;

static bool holds(chip_comparison_t direction, bool is_less, bool is_equal) {
  switch (direction) {
    case CHIP_COMPARISON_EQ:
      return is_equal;
    case CHIP_COMPARISON_NE:
      return !is_equal;
    case CHIP_COMPARISON_LT:
      return is_less;
    case CHIP_COMPARISON_LE:
      return is_less || is_equal;
    default:
      return false;  // GE and GT are asked the other way round.
  }
}

static bool compare_known(const selector_t *selector, const void *left,
                          const void *right) {
  chip_comparison_t direction = selector->comparison.direction;
  if (direction == CHIP_COMPARISON_GE || direction == CHIP_COMPARISON_GT) {
    const void *swapped = left;
    left = right;
    right = swapped;
    direction = direction == CHIP_COMPARISON_GE ? CHIP_COMPARISON_LE : CHIP_COMPARISON_LT;
  }
  if (tensor_dtype_is_float(selector->dtype)) {
    const double a = tensor_element_as_double(selector->dtype, left);
    const double b = tensor_element_as_double(selector->dtype, right);
    return direction == CHIP_COMPARISON_NE ? !(a == b) : holds(direction, a < b, a == b);
  }
  const int64_t a = tensor_element_as_int64(selector->dtype, left);
  const int64_t b = tensor_element_as_int64(selector->dtype, right);
  const bool is_less = selector->dtype == TENSOR_U64 ? (uint64_t)a < (uint64_t)b : a < b;
  return holds(direction, is_less, a == b);
}

// Whether the element selected so far stays.
static pod_status_t stays(const selector_t *selector, const void *selected,
                          const void *element, bool *out_stays) {
  const void *const inputs[] = {selected, element};
  if (selector->is_known) {
    *out_stays = compare_known(selector, inputs[selector->comparison.left],
                               inputs[selector->comparison.right]);
    return NULL;
  }
  uint8_t flag = 0;
  POD_TRY(selector->args->call(selector->args, selector->args->instruction->calls[0],
                               inputs, (void *const[]){&flag}));
  *out_stays = flag != 0;
  return NULL;
}

pod_status_t kernel_select_and_scatter(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *source = kernel_operand_shape(args, 1);
  const size_t bytes = tensor_dtype_bytes(in->dtype);
  chip_window_t window;
  POD_TRY(chip_window_of(args->instruction, in->rank, &window));
  kernel_fill(bytes, args->operands[2], args->results[0],
              (size_t)tensor_shape_elements(in));
  if (tensor_shape_elements(source) == 0) {
    return NULL;
  }
  selector_t selector = {.args = args, .dtype = in->dtype};
  selector.is_known = !tensor_dtype_is_complex(in->dtype) &&
                      kernel_region_compares(args, 0, &selector.comparison) &&
                      !selector.comparison.is_total_order;
  kernel_combiner_t combiner;
  POD_TRY(kernel_combiner_init(args, 1, in->dtype, &combiner));
  int64_t strides[TENSOR_RANK_MAX], o[TENSOR_RANK_MAX] = {0};
  tensor_shape_strides(in, strides);
  const char *data = args->operands[0], *update = args->operands[1];
  do {
    int64_t selected = -1, w[TENSOR_RANK_MAX] = {0};
    do {
      const int64_t at = offset_of(&window, in->rank, in, strides, o, w);
      bool keeps = at < 0;
      if (at >= 0 && selected >= 0) {
        POD_TRY(stays(&selector, data + (size_t)selected * bytes,
                      data + (size_t)at * bytes, &keeps));
      }
      selected = keeps ? selected : at;
    } while (kernel_next_index(in->rank, window.sizes, w));
    if (selected >= 0) {
      POD_TRY(kernel_combine(&combiner,
                             (char *)args->results[0] + (size_t)selected * bytes, 1,
                             update, 1, 1));
    }
    update += bytes;
  } while (kernel_next_index(source->rank, source->dims, o));
  return NULL;
}
