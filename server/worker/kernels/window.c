// reduce_window. Blocks of results are computed side by side: for every place of the
// window, what they see there (window_view.h) is combined with the results so far. A
// known reducer rounds to the element type at each step, so that sums come out as by the
// reference interpreter. Padding takes part with the initial value, as the specification
// has it.

#include <stdlib.h>
#include <string.h>

#include "server/program/window.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"
#include "server/worker/kernels/window_view.h"
#include "server/worker/kernels/windows.h"

// ----- a known reducer -----

enum { BLOCK = 2 * KERNEL_BLOCK };

typedef struct blocks_t {
  kernel_window_view_t view;
  const void *data, *initial;
  tensor_dtype_t dtype, compute;
  kernel_binary_fn_t loop;
  bool rounds;  // After every step: `compute` holds more than `dtype`.
  // BLOCK elements each: the results so far and what they are combined with in the
  // compute type, and the latter as it is stored.
  char *sums, *values, *stored;
} blocks_t;

static const void *decode(const blocks_t *blocks, const void *in, size_t count,
                          void *scratch) {
  return blocks->compute == blocks->dtype
             ? in
             : kernel_decode(blocks->dtype, in, count, scratch);
}

static void reduce_block(const blocks_t *blocks, int64_t first, size_t count, char *out) {
  const kernel_window_view_t *view = &blocks->view;
  const bool is_as_stored = blocks->compute == blocks->dtype;
  char *sums = is_as_stored ? out : blocks->sums;
  _Alignas(16) char element[KERNEL_ELEMENT_BYTES];
  kernel_fill(tensor_dtype_bytes(blocks->compute),
              decode(blocks, blocks->initial, 1, element), sums, count);
  int64_t w[TENSOR_RANK_MAX] = {0};
  do {
    const void *seen = kernel_window_view_fetch(view, blocks->data, blocks->initial, w,
                                                first, count, blocks->stored);
    blocks->loop(sums, decode(blocks, seen, count, blocks->values), sums, count);
    if (blocks->rounds) {
      kernel_encode(blocks->dtype, sums, count, blocks->stored);
      kernel_decode(blocks->dtype, blocks->stored, count, sums);
    }
  } while (kernel_next_index(view->in->rank, view->window->sizes, w) &&
           !kernel_is_stopped());
  if (!is_as_stored) {
    kernel_encode(blocks->dtype, sums, count, out);
  }
}

static pod_status_t reduce_window_known(const kernel_args_t *args,
                                        const chip_window_t *window,
                                        kernel_binary_fn_t loop) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  blocks_t blocks = {
      .view = kernel_window_view_make(window, kernel_operand_shape(args, 0), out),
      .data = args->operands[0],
      .initial = args->operands[1],
      .dtype = out->dtype,
      .compute = kernel_compute_dtype(out->dtype),
      .loop = loop,
      .rounds = tensor_dtype_is_float(out->dtype) &&
                !kernel_is_computed_as_stored(out->dtype) &&
                reducer != CHIP_REDUCER_MAXIMUM && reducer != CHIP_REDUCER_MINIMUM};
  const kernel_binary_fn_t stored = kernel_stored_loop(loop, out->dtype);
  if (stored != NULL) {  // It rounds at every step by itself.
    blocks.loop = stored;
    blocks.compute = blocks.dtype;
    blocks.rounds = false;
  }
  const size_t block_bytes = BLOCK * tensor_dtype_bytes(blocks.compute);
  void *scratch;
  POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, 3 * block_bytes, &scratch));
  blocks.sums = scratch;
  blocks.values = blocks.sums + block_bytes;
  blocks.stored = blocks.values + block_bytes;
  const size_t bytes = tensor_dtype_bytes(out->dtype);
  const int64_t count = tensor_shape_elements(out);
  for (int64_t first = 0; first < count && !kernel_is_stopped();) {
    const size_t part = kernel_window_view_block(&blocks.view, first, BLOCK);
    reduce_block(&blocks, first, part, (char *)args->results[0] + (size_t)first * bytes);
    first += (int64_t)part;
  }
  kernel_scratch_trim();
  return NULL;
}

// ----- any region -----

enum { FEW = KERNEL_VALUES_MAX / 2 };

// A lane is a result.
typedef struct windows_t {
  const kernel_args_t *args;
  kernel_lanes_t *lanes;
  int32_t count;  // Of operands.
  size_t bytes[FEW];
  char *seen[FEW];  // KERNEL_LANES elements each.
  kernel_window_view_t views[FEW];
} windows_t;

// All places of the window in order, padding too. The results so far are the lanes' first
// parameters.
static pod_status_t reduce_lanes(const windows_t *windows, int64_t first, size_t places) {
  const kernel_args_t *args = windows->args;
  const int32_t count = windows->count;
  int64_t w[TENSOR_RANK_MAX] = {0};
  for (int32_t i = 0; i < count; i++) {
    kernel_fill(windows->bytes[i], args->operands[count + i],
                kernel_lanes_parameter(windows->lanes, i), places);
  }
  do {
    for (int32_t i = 0; i < count; i++) {
      const void *seen = kernel_window_view_fetch(&windows->views[i], args->operands[i],
                                                  args->operands[count + i], w, first,
                                                  places, windows->seen[i]);
      kernel_lanes_lend(windows->lanes, count + i, seen, places);
    }
    POD_TRY(kernel_lanes_run(windows->lanes, places));
    kernel_lanes_carry(windows->lanes, count, places);
  } while (
      kernel_next_index(windows->views[0].in->rank, windows->views[0].window->sizes, w) &&
      !kernel_is_stopped());
  for (int32_t i = 0; i < count; i++) {
    memcpy((char *)args->results[i] + (size_t)first * windows->bytes[i],
           kernel_lanes_parameter(windows->lanes, i), places * windows->bytes[i]);
  }
  return NULL;
}

static pod_status_t reduce_windows(windows_t *windows, const chip_window_t *window) {
  const kernel_args_t *args = windows->args;
  kernel_signature_t signature = {.parameter_count = 2 * windows->count,
                                  .result_count = windows->count};
  for (int32_t i = 0; i < windows->count; i++) {
    const tensor_shape_t *in = kernel_operand_shape(args, i);
    signature.parameters[i] = signature.parameters[windows->count + i] =
        signature.results[i] = in->dtype;
    windows->views[i] = kernel_window_view_make(window, in, kernel_result_shape(args, i));
    windows->bytes[i] = tensor_dtype_bytes(in->dtype);
    windows->seen[i] = aligned_alloc(64, KERNEL_LANES * windows->bytes[i]);
    if (windows->seen[i] == NULL) {
      return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for %d operands",
                       args->instruction->name, windows->count);
    }
  }
  POD_TRY(kernel_lanes_create(args, 0, &signature, &windows->lanes));
  const int64_t count = tensor_shape_elements(kernel_result_shape(args, 0));
  for (int64_t first = 0; first < count && !kernel_is_stopped();) {
    const size_t part = kernel_window_view_block(&windows->views[0], first, KERNEL_LANES);
    POD_TRY(reduce_lanes(windows, first, part));
    first += (int64_t)part;
  }
  return NULL;
}

static pod_status_t reduce_window_region(const kernel_args_t *args,
                                         const chip_window_t *window) {
  windows_t windows = {.args = args, .count = args->instruction->result_count};
  if (windows.count > FEW) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, FEW);
  }
  const pod_status_t status = reduce_windows(&windows, window);
  kernel_lanes_destroy(windows.lanes);
  for (int32_t i = 0; i < windows.count; i++) {
    free(windows.seen[i]);
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
    for (int64_t i = 0; i < places && !kernel_is_stopped(); i++) {
      POD_TRY(kernel_combine(&combiner, args->results[0], 1, element, 0,
                             tensor_shape_elements(out)));
    }
    return NULL;
  }
  return reduce_window_region(args, &window);
}
