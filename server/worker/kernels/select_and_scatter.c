// select_and_scatter. A lane is a window; at every place all windows of a row decide at
// once whether what they have selected stays.

#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/lanes.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region.h"
#include "server/worker/kernels/windows.h"

typedef struct selection_t {
  const kernel_args_t *args;
  const chip_window_t *window;
  const tensor_shape_t *in;
  size_t bytes;
  kernel_lanes_t *lanes;  // Of the region that selects.
  kernel_combiner_t combiner;
  int64_t strides[TENSOR_RANK_MAX];
  int64_t selected[KERNEL_LANES];  // Elements of the operand; -1: none yet.
} selection_t;

// The windows that have selected an element and see another one: does the first stay?
static pod_status_t ask(selection_t *selection, const int64_t *candidates, size_t count) {
  const char *data = selection->args->operands[0];
  int64_t held[KERNEL_LANES], seen[KERNEL_LANES];
  size_t lanes[KERNEL_LANES], asking = 0;
  for (size_t i = 0; i < count; i++) {
    if (candidates[i] < 0) {
      continue;
    }
    if (selection->selected[i] < 0) {
      selection->selected[i] = candidates[i];
      continue;
    }
    held[asking] = selection->selected[i];
    seen[asking] = candidates[i];
    lanes[asking++] = i;
  }
  if (asking == 0) {
    return NULL;
  }
  kernel_lanes_collect(selection->bytes, data, held, data, asking,
                       kernel_lanes_parameter(selection->lanes, 0));
  kernel_lanes_collect(selection->bytes, data, seen, data, asking,
                       kernel_lanes_parameter(selection->lanes, 1));
  POD_TRY(kernel_lanes_run(selection->lanes, asking));
  const uint8_t *stays = kernel_lanes_result(selection->lanes, 0);
  for (size_t i = 0; i < asking; i++) {
    if (stays[i] == 0) {
      selection->selected[lanes[i]] = seen[i];
    }
  }
  return NULL;
}

// Windows [first, first + count) of the row at `o`, whose updates begin at `update`.
static pod_status_t select_row(selection_t *selection, const int64_t *o, int64_t first,
                               size_t count, const char *update) {
  const kernel_args_t *args = selection->args;
  const size_t bytes = selection->bytes;
  int64_t w[TENSOR_RANK_MAX] = {0}, candidates[KERNEL_LANES];
  for (size_t i = 0; i < count; i++) {
    selection->selected[i] = -1;
  }
  do {
    kernel_window_offsets(selection->window, selection->in, selection->strides, o, w,
                          first, count, candidates);
    POD_TRY(ask(selection, candidates, count));
  } while (kernel_next_index(selection->in->rank, selection->window->sizes, w));
  for (size_t i = 0; i < count; i++, update += bytes) {
    if (selection->selected[i] >= 0) {
      POD_TRY(kernel_combine(
          &selection->combiner,
          (char *)args->results[0] + (size_t)selection->selected[i] * bytes, 1, update, 1,
          1));
    }
  }
  return NULL;
}

static pod_status_t select_all(selection_t *selection) {
  const kernel_args_t *args = selection->args;
  const tensor_shape_t *source = kernel_operand_shape(args, 1);
  const tensor_dtype_t dtype = selection->in->dtype;
  const kernel_signature_t signature = {.parameter_count = 2,
                                        .result_count = 1,
                                        .parameters = {dtype, dtype},
                                        .results = {TENSOR_PRED}};
  POD_TRY(kernel_lanes_create(args, 0, &signature, &selection->lanes));
  POD_TRY(kernel_combiner_init(args, 1, dtype, &selection->combiner));
  const int last = source->rank > 0 ? source->rank - 1 : 0;
  const int64_t width = source->rank > 0 ? source->dims[last] : 1;
  const char *update = args->operands[1];
  int64_t o[TENSOR_RANK_MAX] = {0};
  do {
    for (int64_t first = 0; first < width; first += KERNEL_LANES) {
      const int64_t count = width - first < KERNEL_LANES ? width - first : KERNEL_LANES;
      POD_TRY(select_row(selection, o, first, (size_t)count, update));
      update += (size_t)count * selection->bytes;
    }
  } while (kernel_next_index(last, source->dims, o));
  return NULL;
}

pod_status_t kernel_select_and_scatter(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  chip_window_t window;
  POD_TRY(chip_window_of(args->instruction, in->rank, &window));
  selection_t selection = {
      .args = args, .window = &window, .in = in, .bytes = tensor_dtype_bytes(in->dtype)};
  tensor_shape_strides(in, selection.strides);
  kernel_fill(selection.bytes, args->operands[2], args->results[0],
              (size_t)tensor_shape_elements(in));
  if (tensor_shape_elements(kernel_operand_shape(args, 1)) == 0) {
    return NULL;
  }
  const pod_status_t status = select_all(&selection);
  kernel_lanes_destroy(selection.lanes);
  kernel_combiner_deinit(&selection.combiner);
  return status;
}
