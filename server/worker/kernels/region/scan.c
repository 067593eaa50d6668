// Cumulative sums, products, maxima: reduce_window as JAX writes them, where each window
// is one element more than the one before.
//
// Whole rows are combined with one another where the dimension is not the last one. Where
// it is, blocks of rows are transposed, so that what depends on one another is not
// neighbours; and a few rows are gone through element by element.

#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"
#include "server/worker/kernels/windows.h"

// Sums from the end of more elements than this are made from the end too, which rounds
// differently from windows.
enum { EXACT_MAX = 256, ROWS_TOGETHER = 64, PANEL = 64, ROWS_MIN = 8 };

// The dimension that the windows grow in: the only one that has windows at all. -1: none.
static int scanned_dimension(const chip_window_t *window, const tensor_shape_t *in) {
  int found = -1;
  for (int d = 0; d < window->rank; d++) {
    if (window->strides[d] != 1 || window->base_dilations[d] != 1 ||
        window->window_dilations[d] != 1) {
      return -1;
    }
    const bool is_plain =
        window->sizes[d] == 1 && window->low[d] == 0 && window->high[d] == 0;
    if (!is_plain && found >= 0) {
      return -1;
    }
    found = is_plain ? found : d;
  }
  if (found < 0) {
    return -1;
  }
  const int64_t size = in->dims[found], reach = window->sizes[found] - 1;
  const bool is_forward = window->low[found] == reach && window->high[found] == 0;
  const bool is_backward = window->high[found] == reach && window->low[found] == 0;
  return reach >= size - 1 && reach > 0 && (is_forward || is_backward) ? found : -1;
}

static bool is_backward(const chip_window_t *window, int dimension) {
  return window->low[dimension] == 0;
}

static bool rounds(chip_reducer_t reducer, tensor_dtype_t dtype) {
  return (reducer == CHIP_REDUCER_ADD || reducer == CHIP_REDUCER_MULTIPLY) &&
         !tensor_dtype_is_integer(dtype) && dtype != TENSOR_PRED;
}

bool kernel_scan_fits(const kernel_args_t *args, const chip_window_t *window,
                      kernel_binary_fn_t loop) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const int dimension = loop != NULL ? scanned_dimension(window, in) : -1;
  if (dimension < 0 || tensor_shape_elements(in) == 0) {
    return false;
  }
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  if (is_backward(window, dimension) && in->dims[dimension] <= EXACT_MAX &&
      rounds(reducer, in->dtype)) {
    return false;
  }
  _Alignas(16) char twice[16];
  kernel_binary_elements(loop, in->dtype, args->operands[1], args->operands[1], twice, 1);
  return memcmp(twice, args->operands[1], tensor_dtype_bytes(in->dtype)) == 0;
}

// `count` rows of `width` elements, `step` bytes apart in both arrays (less than 0: from
// the end); `before` is the row before the first.
static void scan_rows(kernel_binary_fn_t loop, tensor_dtype_t dtype, const char *before,
                      const char *in, char *out, int64_t step, int64_t count,
                      size_t width) {
  for (int64_t i = 0; i < count && !kernel_is_stopped(); i++) {
    kernel_binary_elements(loop, dtype, before, in, out, width);
    before = out;
    in += step;
    out += step;
  }
}

// ----- the last dimension, element by element -----

#define SERIAL(name, type, expression)                                                 \
  static void name(const type *in, int64_t step, int64_t count, type sum, type *out) { \
    for (int64_t i = 0; i < count; i++, in += step, out += step) {                     \
      if (i % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped()) {                      \
        return;                                                                        \
      }                                                                                \
      const type x = sum, y = *in;                                                     \
      sum = (type)(expression);                                                        \
      *out = sum;                                                                      \
    }                                                                                  \
  }

SERIAL(add_f32, float, x + y)
SERIAL(maximum_of_f32, float, maximum_f32(x, y))
SERIAL(minimum_of_f32, float, minimum_f32(x, y))
SERIAL(add_s32, uint32_t, x + y)

static bool scan_serial(chip_reducer_t reducer, tensor_dtype_t dtype, const void *init,
                        const char *in, int64_t step, int64_t count, char *out) {
  float sum;
  uint32_t integer;
  memcpy(&sum, init, tensor_dtype_bytes(dtype) == sizeof(sum) ? sizeof(sum) : 0);
  memcpy(&integer, init, tensor_dtype_bytes(dtype) == sizeof(integer) ? 4 : 0);
  if ((dtype == TENSOR_S32 || dtype == TENSOR_U32) && reducer == CHIP_REDUCER_ADD) {
    add_s32((const uint32_t *)(const void *)in, step, count, integer,
            (uint32_t *)(void *)out);
    return true;
  }
  if (dtype != TENSOR_F32) {
    return false;
  }
  const float *from = (const float *)(const void *)in;
  float *to = (float *)(void *)out;
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      add_f32(from, step, count, sum, to);
      return true;
    case CHIP_REDUCER_MAXIMUM:
      maximum_of_f32(from, step, count, sum, to);
      return true;
    case CHIP_REDUCER_MINIMUM:
      minimum_of_f32(from, step, count, sum, to);
      return true;
    default:
      return false;
  }
}

// ----- the last dimension, many rows -----

typedef struct scan_t {
  kernel_binary_fn_t loop;
  chip_reducer_t reducer;
  tensor_dtype_t dtype;
  size_t bytes;
  int64_t size;  // Of the dimension.
  bool is_backward;
  const void *init;
} scan_t;

// [rows, size], at most ROWS_TOGETHER rows. The panels hold PANEL columns of them, and
// the column before.
static void scan_transposed(const scan_t *scan, const char *in, char *out, int64_t rows,
                            char *panels) {
  const unsigned size = kernel_size_index(scan->dtype);
  const size_t bytes = scan->bytes, column = (size_t)rows * bytes;
  char *before = panels, *from = panels + column;
  char *to = from + PANEL * column;
  kernel_loops()->gather[size](scan->init, 0, before, (size_t)rows);
  for (int64_t done = 0; done < scan->size && !kernel_is_stopped(); done += PANEL) {
    const int64_t part = scan->size - done < PANEL ? scan->size - done : PANEL;
    const int64_t first = scan->is_backward ? scan->size - done - part : done;
    const size_t at = (size_t)first * bytes;
    const size_t last = scan->is_backward ? 0 : (size_t)(part - 1) * column;
    const size_t start = scan->is_backward ? (size_t)(part - 1) * column : 0;
    kernel_loops()->transpose[size](in + at, scan->size, from, rows, rows, part, false);
    scan_rows(scan->loop, scan->dtype, before, from + start, to + start,
              scan->is_backward ? -(int64_t)column : (int64_t)column, part, (size_t)rows);
    memcpy(before, to + last, column);
    kernel_loops()->transpose[size](to, rows, out + at, scan->size, part, rows, false);
  }
}

static pod_status_t scan_last(const scan_t *scan, const char *in, char *out,
                              int64_t rows) {
  const size_t row = (size_t)scan->size * scan->bytes;
  if (rows >= ROWS_MIN) {
    void *panels;
    POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT,
                           (2 * PANEL + 1) * ROWS_TOGETHER * scan->bytes, &panels));
    for (int64_t done = 0; done < rows && !kernel_is_stopped(); done += ROWS_TOGETHER) {
      const int64_t left = rows - done;
      scan_transposed(scan, in + (size_t)done * row, out + (size_t)done * row,
                      left < ROWS_TOGETHER ? left : ROWS_TOGETHER, panels);
    }
    return NULL;
  }
  const int64_t step = scan->is_backward ? -1 : 1;
  for (int64_t i = 0; i < rows && !kernel_is_stopped(); i++, in += row, out += row) {
    const size_t first = scan->is_backward ? row - scan->bytes : 0;
    if (!scan_serial(scan->reducer, scan->dtype, scan->init, in + first, step, scan->size,
                     out + first)) {
      scan_rows(scan->loop, scan->dtype, scan->init, in + first, out + first,
                step * (int64_t)scan->bytes, scan->size, 1);
    }
  }
  return NULL;
}

pod_status_t kernel_scan(const kernel_args_t *args, const chip_window_t *window,
                         kernel_binary_fn_t loop) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const int dimension = scanned_dimension(window, in);
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(in, strides);
  const scan_t scan = {.loop = loop,
                       .reducer = (chip_reducer_t)chip_instruction_attr_one(
                           args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE),
                       .dtype = in->dtype,
                       .bytes = tensor_dtype_bytes(in->dtype),
                       .size = in->dims[dimension],
                       .is_backward = is_backward(window, dimension),
                       .init = args->operands[1]};
  const int64_t inner = strides[dimension];
  const int64_t outer = tensor_shape_elements(in) / inner / scan.size;
  const char *from = args->operands[0];
  char *to = args->results[0];
  if (inner == 1) {
    return scan_last(&scan, from, to, outer);
  }
  void *initial;
  POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, (size_t)inner * scan.bytes, &initial));
  kernel_loops()->gather[kernel_size_index(scan.dtype)](scan.init, 0, initial,
                                                        (size_t)inner);
  const int64_t row = inner * (int64_t)scan.bytes;
  const int64_t first = scan.is_backward ? (scan.size - 1) * row : 0;
  for (int64_t o = 0; o < outer && !kernel_is_stopped();
       o++, from += scan.size * row, to += scan.size * row) {
    scan_rows(loop, scan.dtype, initial, from + first, to + first,
              scan.is_backward ? -row : row, scan.size, (size_t)inner);
  }
  kernel_scratch_trim();
  return NULL;
}
