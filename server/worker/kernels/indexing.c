// gather and scatter. For every place of the indices there is a start, and at every start
// a window, which is copied or combined row by row.

#include <string.h>

#include "server/program/indexing.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// Starts that are read together.
enum { BLOCK = 256 };

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

// ----- many starts at once -----

// Places of the indices along the last batch dimension are read a block at a time.
typedef struct starts_t {
  int64_t from, count;                         // Of the block, in that dimension.
  int64_t components[TENSOR_RANK_MAX][BLOCK];  // Start indices.
  int64_t offsets[BLOCK];                      // Of the windows in the array.
} starts_t;

static int64_t last_batch_size(const chip_index_walk_t *walk) {
  return walk->batch_rank > 0 ? walk->batch_sizes[walk->batch_rank - 1] : 1;
}

static int64_t last_stride(const chip_index_walk_t *walk, const int64_t *strides) {
  return walk->batch_rank > 0 ? strides[walk->batch_rank - 1] : 0;
}

// `batch` says which row of the indices, with 0 for the last dimension.
static void read_starts(const chip_index_walk_t *walk, tensor_dtype_t dtype,
                        const void *indices, const int64_t *batch, int64_t from,
                        starts_t *starts) {
  const unsigned size = kernel_size_index(dtype);
  const int64_t left = last_batch_size(walk) - from;
  const int64_t stride = last_stride(walk, walk->batch_index_strides);
  const int64_t row =
      dot(walk->batch_rank, batch, walk->batch_index_strides) + from * stride;
  const int64_t array_stride = last_stride(walk, walk->batch_array_strides);
  const int64_t base =
      dot(walk->batch_rank, batch, walk->batch_array_strides) + from * array_stride;
  _Alignas(64) char block[BLOCK * sizeof(int64_t)];
  starts->from = from;
  starts->count = left < BLOCK ? left : BLOCK;
  const size_t count = (size_t)starts->count;
  for (int c = 0; c < walk->component_count; c++) {
    const int64_t place = row + c * walk->component_stride;
    kernel_loops()->gather[size]((const char *)indices + (place << size), stride, block,
                                 count);
    kernel_convert_elements(dtype, block, TENSOR_S64, starts->components[c], count);
    for (size_t i = 0; i < count && dtype == TENSOR_U64; i++) {
      if (starts->components[c][i] < 0) {
        starts->components[c][i] = INT64_MAX;
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    starts->offsets[i] = base + (int64_t)i * array_stride;
  }
}

// ----- gather -----

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

// Starts are moved so that the window lies inside.
static void clamp_starts(const chip_index_walk_t *walk, starts_t *starts) {
  for (int c = 0; c < walk->component_count; c++) {
    const int64_t last = walk->component_sizes[c] - walk->component_spans[c];
    const int64_t stride = walk->component_array_strides[c];
    for (int64_t i = 0; i < starts->count; i++) {
      const int64_t start = starts->components[c][i];
      starts->offsets[i] += (start < 0 ? 0 : start > last ? last : start) * stride;
    }
  }
}

#define COPY_ROWS(size)                                                 \
  case size:                                                            \
    for (int64_t i = 0; i < starts->count; i++) {                       \
      memcpy(to + i * step, from + starts->offsets[i] * element, size); \
    }                                                                   \
    return;

// Windows of `bytes` that follow one another in the array, `step` bytes apart at `to`.
static void copy_windows(const starts_t *starts, const char *from, int64_t element,
                         size_t bytes, char *to, int64_t step) {
  switch (bytes) {
    COPY_ROWS(1)
    COPY_ROWS(2)
    COPY_ROWS(4)
    COPY_ROWS(8)
    COPY_ROWS(16)
    COPY_ROWS(32)
    COPY_ROWS(64)
    COPY_ROWS(128)
    default:
      for (int64_t i = 0; i < starts->count && !kernel_is_stopped(); i++) {
        kernel_copy_bytes(to + i * step, from + starts->offsets[i] * element, bytes);
      }
  }
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
  const int64_t bytes = (int64_t)tensor_dtype_bytes(operand->dtype);
  kernel_move_t move = {.element_bytes = (size_t)bytes, .rank = walk.window_rank};
  memcpy(move.sizes, walk.window_sizes, sizeof(move.sizes));
  memcpy(move.in_strides, walk.window_array_strides, sizeof(move.in_strides));
  memcpy(move.out_strides, walk.window_strides, sizeof(move.out_strides));
  const int64_t row = contiguous_window(&walk);
  const int64_t step = last_stride(&walk, walk.batch_window_strides) * bytes;
  const char *from = args->operands[0];
  int64_t batch[TENSOR_RANK_MAX] = {0};
  starts_t starts;
  do {
    char *to = (char *)args->results[0] +
               dot(walk.batch_rank, batch, walk.batch_window_strides) * bytes;
    for (int64_t at = 0; at < last_batch_size(&walk) && !kernel_is_stopped();
         at += BLOCK) {
      read_starts(&walk, indices->dtype, args->operands[1], batch, at, &starts);
      clamp_starts(&walk, &starts);
      if (row > 0) {
        copy_windows(&starts, from, bytes, (size_t)(row * bytes), to + at * step, step);
        continue;
      }
      for (int64_t i = 0; i < starts.count && !kernel_is_stopped(); i++) {
        kernel_move(&move, from + starts.offsets[i] * bytes, to + (at + i) * step);
      }
    }
  } while (kernel_next_index(walk.batch_rank - 1, walk.batch_sizes, batch) &&
           !kernel_is_stopped());
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
  for (int64_t i = 0; i < count && !kernel_is_stopped(); i += KERNEL_LANES) {
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
  } while (kernel_next_index(last, sizes, index) && !kernel_is_stopped());
  return NULL;
}

// Whether every window lies inside or outside as a whole, in one piece on both sides.
static bool is_simple(const chip_index_walk_t *walk) {
  for (int c = 0; c < walk->component_count; c++) {
    if (walk->component_spans[c] != 1) {
      return false;
    }
  }
  return contiguous_window(walk) > 0;
}

// Rows of a single input, the `from`-th update first.
static pod_status_t scatter_simple(const scatter_t *scatter, starts_t *starts,
                                   int64_t from, int64_t step) {
  const chip_index_walk_t *walk = scatter->walk;
  const kernel_args_t *args = scatter->args;
  const int64_t row = contiguous_window(walk), bytes = (int64_t)scatter->bytes;
  bool is_inside[BLOCK];
  memset(is_inside, 1, sizeof(is_inside));
  for (int c = 0; c < walk->component_count; c++) {
    const int64_t size = walk->component_sizes[c];
    const int64_t stride = walk->component_array_strides[c];
    for (int64_t i = 0; i < starts->count; i++) {
      const int64_t start = starts->components[c][i];
      is_inside[i] = is_inside[i] && start >= 0 && start < size;
      starts->offsets[i] += is_inside[i] ? start * stride : 0;
    }
  }
  char *target = args->results[0];
  const char *source = (const char *)args->operands[2] + from * bytes;
  if (row == 1) {
    for (int64_t i = 0; i < starts->count; i++) {
      starts->offsets[i] = is_inside[i] ? starts->offsets[i] : -1;
    }
    return kernel_combine_at(&scatter->combiner, target, starts->offsets, source, step,
                             (size_t)starts->count);
  }
  for (int64_t i = 0; i < starts->count && !kernel_is_stopped();
       i++, source += step * bytes) {
    if (is_inside[i]) {
      POD_TRY(kernel_combine(&scatter->combiner, target + starts->offsets[i] * bytes, 1,
                             source, 1, row));
    }
  }
  return NULL;
}

// All updates along the last batch dimension.
static pod_status_t scatter_batch(const scatter_t *scatter, tensor_dtype_t dtype,
                                  const void *indices, const int64_t *batch) {
  const chip_index_walk_t *walk = scatter->walk;
  const bool takes_rows = scatter->count == 1 && is_simple(walk);
  const int64_t step = last_stride(walk, walk->batch_window_strides);
  const int64_t first = dot(walk->batch_rank, batch, walk->batch_window_strides);
  int64_t place[TENSOR_RANK_MAX], start[TENSOR_RANK_MAX];
  memcpy(place, batch, sizeof(place));
  starts_t starts;
  for (int64_t at = 0; at < last_batch_size(walk) && !kernel_is_stopped(); at += BLOCK) {
    read_starts(walk, dtype, indices, batch, at, &starts);
    if (takes_rows) {
      POD_TRY(scatter_simple(scatter, &starts, first + at * step, step));
      continue;
    }
    for (int64_t i = 0; i < starts.count && !kernel_is_stopped(); i++) {
      for (int c = 0; c < walk->component_count; c++) {
        start[c] = starts.components[c][i];
      }
      if (walk->batch_rank > 0) {
        place[walk->batch_rank - 1] = at + i;
      }
      POD_TRY(scatter_window(scatter, place, start));
    }
  }
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
    kernel_copy_bytes(args->results[i], args->operands[i], size);
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
  int64_t batch[TENSOR_RANK_MAX] = {0};
  bool is_left = status == NULL && !kernel_is_stopped();
  while (is_left) {
    status = scatter_batch(&scatter, indices->dtype, args->operands[count], batch);
    is_left = status == NULL && !kernel_is_stopped() &&
              kernel_next_index(walk.batch_rank - 1, walk.batch_sizes, batch);
  }
  kernel_combiner_deinit(&scatter.combiner);
  kernel_lanes_destroy(scatter.lanes);
  return status;
}
