// select_and_scatter. A lane is a window; at every place all windows of a block decide at
// once whether what they have selected stays. Windows that never see padding remember
// which place that was; others, a row at a time, which element.

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/collect.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/window_view.h"
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
  // Of a part of an array, what of the operand is there: the rest is as padding.
  bool is_part;
  int64_t begins[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX];
} selection_t;

KERNEL_COLLECT(collect, int64_t)

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
  collect(selection->bytes, data, held, asking,
          kernel_lanes_parameter(selection->lanes, 0));
  collect(selection->bytes, data, seen, asking,
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

// What is beyond the ends of the whole array is not seen.
static void leave_out(const selection_t *selection, int64_t *candidates, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (int d = 0; d < selection->in->rank && candidates[i] >= 0; d++) {
      const int64_t at = candidates[i] / selection->strides[d] % selection->in->dims[d];
      if (at < selection->begins[d] || at >= selection->limits[d]) {
        candidates[i] = -1;
      }
    }
  }
}

// Windows [first, first + count) of the row at `o`, whose updates begin at `update`.
static pod_status_t select_row(selection_t *selection, const int64_t *o, int64_t first,
                               size_t count, const char *update) {
  const kernel_args_t *args = selection->args;
  int64_t w[TENSOR_RANK_MAX] = {0}, candidates[KERNEL_LANES];
  for (size_t i = 0; i < count; i++) {
    selection->selected[i] = -1;
  }
  do {
    kernel_window_offsets(selection->window, selection->in, selection->strides, o, w,
                          first, count, candidates);
    if (selection->is_part) {
      leave_out(selection, candidates, count);
    }
    POD_TRY(ask(selection, candidates, count));
  } while (kernel_next_index(selection->in->rank, selection->window->sizes, w) &&
           !kernel_is_stopped());
  if (kernel_is_stopped()) {
    return NULL;
  }
  return kernel_combine_at(&selection->combiner, args->results[0], selection->selected,
                           update, 1, count);
}

// ----- windows that never see padding -----

enum { PLACES_MAX = 1024 };

static bool sees_no_padding(const chip_window_t *window) {
  int64_t places = 1;
  for (int d = 0; d < window->rank; d++) {
    if (window->low[d] > 0 || window->high[d] > 0 || window->base_dilations[d] != 1 ||
        window->sizes[d] > PLACES_MAX / places) {
      return false;
    }
    places *= window->sizes[d];
  }
  return true;
}

typedef struct block_t {
  _Alignas(64) char held[KERNEL_LANES * KERNEL_ELEMENT_BYTES];  // What is selected.
  _Alignas(64) char seen[KERNEL_LANES * KERNEL_ELEMENT_BYTES];
  int32_t places[KERNEL_LANES], place[KERNEL_LANES];  // Selected, and this one.
  int64_t distances[PLACES_MAX];  // From the first element of a window to a place's.
} block_t;

static void find_distances(const selection_t *selection, block_t *block) {
  int64_t w[TENSOR_RANK_MAX] = {0};
  for (int32_t place = 0;; place++) {
    block->distances[place] = 0;
    for (int d = 0; d < selection->window->rank; d++) {
      block->distances[place] +=
          w[d] * selection->window->window_dilations[d] * selection->strides[d];
    }
    if (!kernel_next_index(selection->window->rank, selection->window->sizes, w)) {
      return;
    }
  }
}

// The elements that the windows of a block have selected.
static void find_selected(selection_t *selection, const kernel_window_view_t *view,
                          const block_t *block, int64_t first, size_t count) {
  const chip_window_t *window = selection->window;
  const int rank = view->out->rank;
  int64_t o[TENSOR_RANK_MAX] = {0}, index = first, start = 0;
  for (int d = rank - 1; d >= 0; d--) {
    o[d] = index % view->out->dims[d];
    index /= view->out->dims[d];
    start += (o[d] * window->strides[d] - window->low[d]) * view->strides[d];
  }
  for (size_t i = 0; i < count; i++) {
    selection->selected[i] = start + block->distances[block->places[i]];
    for (int d = rank - 1; d >= 0; d--) {
      const int64_t step = window->strides[d] * view->strides[d];
      start += step;
      if (++o[d] < view->out->dims[d]) {
        break;
      }
      start -= o[d] * step;
      o[d] = 0;
    }
  }
}

static pod_status_t select_block(selection_t *selection, const kernel_window_view_t *view,
                                 block_t *block, int64_t first, size_t count) {
  const kernel_args_t *args = selection->args;
  const size_t bytes = selection->bytes;
  const kernel_loops_t *loops = kernel_loops();
  int64_t w[TENSOR_RANK_MAX] = {0};
  memset(block->places, 0, count * sizeof(block->places[0]));
  for (int32_t place = 0;; place++) {
    const void *seen = kernel_window_view_fetch(
        view, args->operands[0], args->operands[2], w, first, count, block->seen);
    if (place == 0) {
      memcpy(block->held, seen, count * bytes);
    } else {
      kernel_lanes_lend(selection->lanes, 0, block->held, count);
      kernel_lanes_lend(selection->lanes, 1, seen, count);
      POD_TRY(kernel_lanes_run(selection->lanes, count));
      const uint8_t *stays = kernel_lanes_result(selection->lanes, 0);
      kernel_fill(sizeof(place), &place, block->place, count);
      loops->select[__builtin_ctzll(bytes)](stays, block->held, seen, block->held, count);
      loops->select[2](stays, block->places, block->place, block->places, count);
    }
    if (!kernel_next_index(view->in->rank, view->window->sizes, w)) {
      break;
    }
    if (kernel_is_stopped()) {
      return NULL;
    }
  }
  find_selected(selection, view, block, first, count);
  return kernel_combine_at(&selection->combiner, args->results[0], selection->selected,
                           (const char *)args->operands[1] + (size_t)first * bytes, 1,
                           count);
}

static pod_status_t select_blocks(selection_t *selection) {
  const tensor_shape_t *source = kernel_operand_shape(selection->args, 1);
  const kernel_window_view_t view =
      kernel_window_view_make(selection->window, selection->in, source);
  const int64_t count = tensor_shape_elements(source);
  block_t *block = aligned_alloc(64, (sizeof(*block) + 63) / 64 * 64);
  if (block == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for its windows",
                     selection->args->instruction->name);
  }
  find_distances(selection, block);
  pod_status_t status = NULL;
  for (int64_t first = 0; first < count && status == NULL && !kernel_is_stopped();) {
    const size_t part = kernel_window_view_block(&view, first, KERNEL_LANES);
    status = select_block(selection, &view, block, first, part);
    first += (int64_t)part;
  }
  free(block);
  return status;
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
  if (!selection->is_part && sees_no_padding(selection->window)) {
    return select_blocks(selection);
  }
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
  } while (kernel_next_index(last, source->dims, o) && !kernel_is_stopped());
  return NULL;
}

pod_status_t kernel_select_and_scatter(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  chip_window_t window;
  POD_TRY(chip_window_of(args->instruction, in->rank, &window));
  selection_t selection = {
      .args = args, .window = &window, .in = in, .bytes = tensor_dtype_bytes(in->dtype)};
  tensor_shape_strides(in, selection.strides);
  selection.is_part = args->instruction->operand_count > 3;
  for (int d = 0; d < in->rank && selection.is_part; d++) {
    int32_t bounds[2];
    memcpy(&bounds[0], args->operands[3 + 2 * d], sizeof(bounds[0]));
    memcpy(&bounds[1], args->operands[4 + 2 * d], sizeof(bounds[1]));
    selection.begins[d] = bounds[0];
    selection.limits[d] = bounds[1];
  }
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
