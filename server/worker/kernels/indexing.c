// gather and scatter. For every place of the indices there is a start, and at every start
// a window, which is copied or combined row by row.

#include <string.h>

#include "server/chip/indexing.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/lanes.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region.h"
#include "server/worker/kernels/storage.h"

static int64_t dot(int rank, const int64_t *index, const int64_t *strides) {
  int64_t sum = 0;
  for (int d = 0; d < rank; d++) {
    sum += index[d] * strides[d];
  }
  return sum;
}

static bool is_empty(const chip_index_walk_t *walk) {
  int64_t count = 1;
  for (int b = 0; b < walk->batch_rank; b++) {
    count *= walk->batch_sizes[b];
  }
  for (int w = 0; w < walk->window_rank; w++) {
    count *= walk->window_sizes[w];
  }
  return count == 0;
}

// Where a place of the indices says that its window starts, component by component.
static void read_start(const chip_index_walk_t *walk, tensor_dtype_t dtype,
                       const void *indices, const int64_t *batch, int64_t *out_start) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  const int64_t at = dot(walk->batch_rank, batch, walk->batch_index_strides);
  for (int c = 0; c < walk->component_count; c++) {
    const int64_t place = at + c * walk->component_stride;
    out_start[c] =
        tensor_element_as_int64(dtype, (const char *)indices + (size_t)place * bytes);
    if (dtype == TENSOR_U64 && out_start[c] < 0) {
      out_start[c] = INT64_MAX;
    }
  }
}

// ----- gather -----

// A window of the operand to the result, whose `row` elements follow one another unless
// it is 0.
static void copy_window(const kernel_move_t *move, int64_t row, const char *from,
                        char *to) {
  if (row > 0) {
    memcpy(to, from, (size_t)row * move->element_bytes);
  } else {
    kernel_move(move, from, to);
  }
}

// How many elements follow one another on both sides when that is the whole window;
// otherwise 0.
static int64_t contiguous_window(const chip_index_walk_t *walk) {
  int64_t count = 1;
  for (int w = walk->window_rank - 1; w >= 0; w--) {
    if (walk->window_sizes[w] != 1 &&
        (walk->window_strides[w] != count || walk->window_array_strides[w] != count)) {
      return 0;
    }
    count *= walk->window_sizes[w];
  }
  return count;
}

pod_status_t kernel_gather(const kernel_args_t *args) {
  const tensor_shape_t *operand = kernel_operand_shape(args, 0);
  const tensor_shape_t *indices = kernel_operand_shape(args, 1);
  const chip_indexing_t indexing = chip_indexing_of(args->instruction);
  const chip_index_walk_t walk =
      chip_index_walk(&indexing, operand, indices, kernel_result_shape(args, 0));
  if (is_empty(&walk)) {
    return NULL;
  }
  const size_t bytes = tensor_dtype_bytes(operand->dtype);
  kernel_move_t move = {.element_bytes = bytes, .rank = walk.window_rank};
  memcpy(move.sizes, walk.window_sizes, sizeof(move.sizes));
  memcpy(move.in_strides, walk.window_array_strides, sizeof(move.in_strides));
  memcpy(move.out_strides, walk.window_strides, sizeof(move.out_strides));
  const int64_t row = contiguous_window(&walk);
  int64_t batch[TENSOR_RANK_MAX] = {0}, start[TENSOR_RANK_MAX];
  do {
    read_start(&walk, indices->dtype, args->operands[1], batch, start);
    int64_t from = dot(walk.batch_rank, batch, walk.batch_array_strides);
    for (int c = 0; c < walk.component_count; c++) {
      const int64_t last = walk.component_sizes[c] - walk.component_spans[c];
      const int64_t clamped = start[c] < 0 ? 0 : start[c] > last ? last : start[c];
      from += clamped * walk.component_array_strides[c];
    }
    const int64_t to = dot(walk.batch_rank, batch, walk.batch_window_strides);
    copy_window(&move, row, (const char *)args->operands[0] + (size_t)from * bytes,
                (char *)args->results[0] + (size_t)to * bytes);
  } while (kernel_next_index(walk.batch_rank, walk.batch_sizes, batch));
  return NULL;
}

// ----- scatter -----

// The part of the window at `start` that lies inside of the array, as [low, high) in
// each of its dimensions. False when there is none.
static bool clip(const chip_index_walk_t *walk, const int64_t *start, int64_t *low,
                 int64_t *high) {
  for (int w = 0; w < walk->window_rank; w++) {
    low[w] = 0;
    high[w] = walk->window_sizes[w];
  }
  for (int c = 0; c < walk->component_count; c++) {
    const int64_t span = walk->component_spans[c], size = walk->component_sizes[c];
    if (start[c] <= -span || start[c] >= size) {
      return false;
    }
    const int w = walk->component_windows[c];
    if (w >= 0) {
      low[w] = start[c] < 0 ? -start[c] : 0;
      high[w] = size - start[c] < span ? size - start[c] : span;
    }
  }
  return true;
}

typedef struct scatter_t {
  const kernel_args_t *args;
  const chip_index_walk_t *walk;
  kernel_combiner_t combiner;  // Of a single input.
  kernel_lanes_t *lanes;       // Of several.
  int32_t count;               // Of inputs.
  size_t bytes;
} scatter_t;

static unsigned size_of(const scatter_t *scatter, int32_t input) {
  return kernel_size_index(kernel_result_shape(scatter->args, input)->dtype);
}

// Several inputs, of which the region takes an element each and one of each update; at
// most KERNEL_LANES places of a window.
static pod_status_t combine_several(const scatter_t *scatter, int64_t to,
                                    int64_t to_stride, int64_t from, int64_t from_stride,
                                    size_t places) {
  const kernel_args_t *args = scatter->args;
  for (int32_t i = 0; i < scatter->count; i++) {
    const unsigned size = size_of(scatter, i);
    kernel_loops()->gather[size]((const char *)args->results[i] + (to << size), to_stride,
                                 kernel_lanes_parameter(scatter->lanes, i), places);
    kernel_loops()->gather[size](
        (const char *)args->operands[scatter->count + 1 + i] + (from << size),
        from_stride, kernel_lanes_parameter(scatter->lanes, scatter->count + i), places);
  }
  POD_TRY(kernel_lanes_run(scatter->lanes, places));
  for (int32_t i = 0; i < scatter->count; i++) {
    const unsigned size = size_of(scatter, i);
    kernel_loops()->scatter[size](kernel_lanes_result(scatter->lanes, i),
                                  (char *)args->results[i] + (to << size), to_stride,
                                  places);
  }
  return NULL;
}

// `count` elements along one dimension.
static pod_status_t scatter_row(const scatter_t *scatter, int64_t to, int64_t to_stride,
                                int64_t from, int64_t from_stride, int64_t count) {
  const kernel_args_t *args = scatter->args;
  if (scatter->count == 1) {
    return kernel_combine(
        &scatter->combiner, (char *)args->results[0] + (size_t)to * scatter->bytes,
        to_stride, (const char *)args->operands[2] + (size_t)from * scatter->bytes,
        from_stride, count);
  }
  for (int64_t i = 0; i < count; i += KERNEL_LANES) {
    const int64_t places = count - i < KERNEL_LANES ? count - i : KERNEL_LANES;
    POD_TRY(combine_several(scatter, to + i * to_stride, to_stride,
                            from + i * from_stride, from_stride, (size_t)places));
  }
  return NULL;
}

static pod_status_t scatter_window(const scatter_t *scatter, const int64_t *batch,
                                   const int64_t *start) {
  const chip_index_walk_t *walk = scatter->walk;
  int64_t low[TENSOR_RANK_MAX], high[TENSOR_RANK_MAX];
  if (!clip(walk, start, low, high)) {
    return NULL;
  }
  int64_t to = dot(walk->batch_rank, batch, walk->batch_array_strides);
  int64_t from = dot(walk->batch_rank, batch, walk->batch_window_strides);
  for (int c = 0; c < walk->component_count; c++) {
    to += start[c] * walk->component_array_strides[c];
  }
  int64_t sizes[TENSOR_RANK_MAX], index[TENSOR_RANK_MAX] = {0};
  for (int w = 0; w < walk->window_rank; w++) {
    sizes[w] = high[w] - low[w];
    if (sizes[w] <= 0) {
      return NULL;
    }
    to += low[w] * walk->window_array_strides[w];
    from += low[w] * walk->window_strides[w];
  }
  const int last = walk->window_rank - 1;
  if (last < 0) {
    return scatter_row(scatter, to, 1, from, 1, 1);
  }
  do {
    POD_TRY(scatter_row(scatter, to + dot(last, index, walk->window_array_strides),
                        walk->window_array_strides[last],
                        from + dot(last, index, walk->window_strides),
                        walk->window_strides[last], sizes[last]));
  } while (kernel_next_index(last, sizes, index));
  return NULL;
}

static pod_status_t scatter_init(scatter_t *scatter, tensor_dtype_t dtype) {
  const kernel_args_t *args = scatter->args;
  const int32_t count = scatter->count;
  if (count == 1) {
    return kernel_combiner_init(args, 0, dtype, &scatter->combiner);
  }
  if (2 * count > KERNEL_VALUES_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, KERNEL_VALUES_MAX / 2);
  }
  kernel_signature_t signature = {.parameter_count = 2 * count, .result_count = count};
  for (int32_t i = 0; i < count; i++) {
    signature.parameters[i] = signature.parameters[count + i] = signature.results[i] =
        kernel_result_shape(args, i)->dtype;
  }
  return kernel_lanes_create(args, 0, &signature, &scatter->lanes);
}

pod_status_t kernel_scatter(const kernel_args_t *args) {
  const int32_t count = args->instruction->result_count;
  const tensor_shape_t *input = kernel_operand_shape(args, 0);
  const tensor_shape_t *indices = kernel_operand_shape(args, count);
  for (int32_t i = 0; i < count; i++) {
    const size_t size = (size_t)tensor_shape_bytes(kernel_result_shape(args, i));
    if (args->results[i] != args->operands[i] && size > 0) {
      memcpy(args->results[i], args->operands[i], size);
    }
  }
  const chip_indexing_t indexing = chip_indexing_of(args->instruction);
  const chip_index_walk_t walk =
      chip_index_walk(&indexing, input, indices, kernel_operand_shape(args, count + 1));
  if (is_empty(&walk)) {
    return NULL;
  }
  scatter_t scatter = {.args = args,
                       .walk = &walk,
                       .count = count,
                       .bytes = tensor_dtype_bytes(input->dtype)};
  pod_status_t status = scatter_init(&scatter, input->dtype);
  int64_t batch[TENSOR_RANK_MAX] = {0}, start[TENSOR_RANK_MAX];
  bool is_left = status == NULL;
  while (is_left) {
    read_start(&walk, indices->dtype, args->operands[count], batch, start);
    status = scatter_window(&scatter, batch, start);
    is_left =
        status == NULL && kernel_next_index(walk.batch_rank, walk.batch_sizes, batch);
  }
  kernel_combiner_deinit(&scatter.combiner);
  kernel_lanes_destroy(scatter.lanes);
  return status;
}
