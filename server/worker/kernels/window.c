// reduce_window. With a known reducer goes row by row of the result: for every place of
// the window one strided row of the operand is combined with the row so far, and rounded
// to the element type, so that sums come out as by the reference interpreter. Padding
// takes part with the initial value, as the specification has it.

#include <stdlib.h>
#include <string.h>

#include "server/chip/window.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/lanes.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/storage.h"
#include "server/worker/kernels/windows.h"

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

static const void *decode(const rows_t *rows, const void *in, size_t count,
                          void *scratch) {
  return rows->compute == rows->dtype ? in
                                      : kernel_decode(rows->dtype, in, count, scratch);
}

static void encode(const rows_t *rows, const void *computed, size_t count, void *out) {
  if (rows->compute == rows->dtype) {
    memcpy(out, computed, count * tensor_dtype_bytes(rows->dtype));
  } else {
    kernel_encode(rows->dtype, computed, count, out);
  }
}

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
    const void *computed = decode(rows, source, count, target);
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
      element = decode(rows, rows->data + (size_t)(offset + at) * bytes, 1, decoded);
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
    const int64_t offset =
        kernel_window_offset(rows->window, last, rows->in, rows->strides, o, w);
    rows->loop(rows->sums, fetch_row(rows, offset, w[last]), rows->sums, count);
    if (rows->rounds) {
      kernel_encode(rows->dtype, rows->sums, count, rows->stored);
      kernel_decode(rows->dtype, rows->stored, count, rows->sums);
    }
  } while (kernel_next_index(last + 1, rows->window->sizes, w));
  encode(rows, rows->sums, count, out);
}

static pod_status_t reduce_window_known(const kernel_args_t *args,
                                        const chip_window_t *window,
                                        kernel_binary_fn_t loop) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  rows_t rows = {.window = window,
                 .in = kernel_operand_shape(args, 0),
                 .data = args->operands[0],
                 .dtype = out->dtype,
                 .compute = kernel_compute_dtype(out->dtype),
                 .loop = loop,
                 .rounds = tensor_dtype_is_float(out->dtype) &&
                           !kernel_is_computed_as_stored(out->dtype) &&
                           reducer != CHIP_REDUCER_MAXIMUM &&
                           reducer != CHIP_REDUCER_MINIMUM,
                 .width = out->dims[out->rank - 1]};
  const kernel_binary_fn_t stored = kernel_stored_loop(loop, out->dtype);
  if (stored != NULL) {  // It rounds at every step by itself.
    rows.loop = stored;
    rows.compute = rows.dtype;
    rows.rounds = false;
  }
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
  kernel_fill(bytes, decode(&rows, args->operands[1], 1, element), rows.initial,
              (size_t)rows.width);
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

enum { FEW = KERNEL_VALUES_MAX / 2 };

// A lane is an element of a row of the result.
typedef struct windows_t {
  const kernel_args_t *args;
  const chip_window_t *window;
  kernel_lanes_t *lanes;
  int32_t count;  // Of operands.
  size_t bytes[FEW];
  char *values[FEW];  // The results so far, KERNEL_LANES each.
  int64_t strides[TENSOR_RANK_MAX];
} windows_t;

// Results [first, first + places) of the row at `o`: all places of the window in order,
// padding too.
static pod_status_t reduce_lanes(const windows_t *windows, const int64_t *o,
                                 int64_t first, size_t places, int64_t to) {
  const kernel_args_t *args = windows->args;
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const int32_t count = windows->count;
  int64_t w[TENSOR_RANK_MAX] = {0}, offsets[KERNEL_LANES];
  for (int32_t i = 0; i < count; i++) {
    kernel_fill(windows->bytes[i], args->operands[count + i], windows->values[i], places);
  }
  do {
    kernel_window_offsets(windows->window, in, windows->strides, o, w, first, places,
                          offsets);
    for (int32_t i = 0; i < count; i++) {
      memcpy(kernel_lanes_parameter(windows->lanes, i), windows->values[i],
             places * windows->bytes[i]);
      kernel_lanes_collect(windows->bytes[i], args->operands[i], offsets,
                           args->operands[count + i], places,
                           kernel_lanes_parameter(windows->lanes, count + i));
    }
    POD_TRY(kernel_lanes_run(windows->lanes, places));
    for (int32_t i = 0; i < count; i++) {
      memcpy(windows->values[i], kernel_lanes_result(windows->lanes, i),
             places * windows->bytes[i]);
    }
  } while (kernel_next_index(in->rank, windows->window->sizes, w));
  for (int32_t i = 0; i < count; i++) {
    memcpy((char *)args->results[i] + (size_t)to * windows->bytes[i], windows->values[i],
           places * windows->bytes[i]);
  }
  return NULL;
}

static pod_status_t reduce_windows(windows_t *windows) {
  const kernel_args_t *args = windows->args;
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  kernel_signature_t signature = {.parameter_count = 2 * windows->count,
                                  .result_count = windows->count};
  for (int32_t i = 0; i < windows->count; i++) {
    const tensor_dtype_t dtype = kernel_operand_shape(args, i)->dtype;
    signature.parameters[i] = signature.parameters[windows->count + i] =
        signature.results[i] = dtype;
    windows->bytes[i] = tensor_dtype_bytes(dtype);
    windows->values[i] = malloc(KERNEL_LANES * windows->bytes[i]);
    if (windows->values[i] == NULL) {
      return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for %d operands",
                       args->instruction->name, windows->count);
    }
  }
  POD_TRY(kernel_lanes_create(args, 0, &signature, &windows->lanes));
  tensor_shape_strides(kernel_operand_shape(args, 0), windows->strides);
  const int last = out->rank > 0 ? out->rank - 1 : 0;
  const int64_t width = out->rank > 0 ? out->dims[last] : 1;
  int64_t to = 0, o[TENSOR_RANK_MAX] = {0};
  do {
    for (int64_t first = 0; first < width; first += KERNEL_LANES) {
      const int64_t places = width - first < KERNEL_LANES ? width - first : KERNEL_LANES;
      POD_TRY(reduce_lanes(windows, o, first, (size_t)places, to));
      to += places;
    }
  } while (kernel_next_index(last, out->dims, o));
  return NULL;
}

static pod_status_t reduce_window_region(const kernel_args_t *args,
                                         const chip_window_t *window) {
  windows_t windows = {
      .args = args, .window = window, .count = args->instruction->result_count};
  if (windows.count > FEW) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, FEW);
  }
  const pod_status_t status = reduce_windows(&windows);
  kernel_lanes_destroy(windows.lanes);
  for (int32_t i = 0; i < windows.count; i++) {
    free(windows.values[i]);
  }
  return status;
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
  if (args->instruction->result_count == 1 && kernel_scan_fits(args, &window, loop)) {
    return kernel_scan(args, &window, loop);
  }
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
