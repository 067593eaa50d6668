// Gather and scatter are one rule seen from two sides: a window of the array for every
// index vector, its dimensions among those of the result or the updates.

#include "server/program/indexing.h"

#include <inttypes.h>

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

bool chip_dims_have(const chip_dims_t *dims, int64_t dim) {
  for (int32_t i = 0; i < dims->count; i++) {
    if (dims->values[i] == dim) {
      return true;
    }
  }
  return false;
}

static chip_dims_t dims_of(const chip_instruction_t *instruction, chip_attr_key_t key) {
  chip_dims_t dims;
  dims.values = chip_instruction_attr(instruction, key, &dims.count);
  return dims;
}

chip_indexing_t chip_indexing_of(const chip_instruction_t *instruction) {
  return (chip_indexing_t){
      .window = dims_of(instruction, CHIP_ATTR_WINDOW_DIMS),
      .dropped = dims_of(instruction, CHIP_ATTR_DROPPED_DIMS),
      .array_batching = dims_of(instruction, CHIP_ATTR_ARRAY_BATCHING_DIMS),
      .indices_batching = dims_of(instruction, CHIP_ATTR_INDICES_BATCHING_DIMS),
      .index_map = dims_of(instruction, CHIP_ATTR_INDEX_MAP),
      .index_vector_dim =
          chip_instruction_attr_one(instruction, CHIP_ATTR_INDEX_VECTOR_DIM, -1),
  };
}

// What an operation calls things, for messages.
typedef struct indexing_names_t {
  const char *array;                                    // "operand"
  const char *window_kind, *dropped_kind;               // "offset", "collapsed"
  const char *window, *dropped;                         // Attributes.
  const char *array_batching, *indices_batching, *map;  // Attributes.
} indexing_names_t;

static const indexing_names_t gather_names = {
    .array = "operand",
    .window_kind = "offset",
    .dropped_kind = "collapsed",
    .window = "offset_dims",
    .dropped = "collapsed_slice_dims",
    .array_batching = "operand_batching_dims",
    .indices_batching = "start_indices_batching_dims",
    .map = "start_index_map"};
static const indexing_names_t scatter_names = {
    .array = "input",
    .window_kind = "update window",
    .dropped_kind = "inserted",
    .window = "update_window_dims",
    .dropped = "inserted_window_dims",
    .array_batching = "input_batching_dims",
    .indices_batching = "scatter_indices_batching_dims",
    .map = "scatter_dims_to_operand_dims"};

// Dimensions of a rank, each once, also among those in *inout_seen.
static pod_status_t check_dims(const char *name, const chip_dims_t *dims, int rank,
                               bool is_sorted, uint32_t *inout_seen) {
  uint32_t own = 0;
  for (int32_t i = 0; i < dims->count; i++) {
    const int64_t dim = dims->values[i];
    if (dim < 0 || dim >= rank) {
      return BAD("%s names dimension %" PRId64 " of rank %d", name, dim, rank);
    }
    if ((own >> dim & 1u) != 0) {
      return BAD("%s names dimension %" PRId64 " twice", name, dim);
    }
    if ((*inout_seen >> dim & 1u) != 0) {
      return BAD("%s names dimension %" PRId64 ", which is named already", name, dim);
    }
    if (is_sorted && i > 0 && dim < dims->values[i - 1]) {
      return BAD("%s is not sorted: %" PRId64 " comes behind %" PRId64, name, dim,
                 dims->values[i - 1]);
    }
    own |= 1u << dim;
    *inout_seen |= 1u << dim;
  }
  return NULL;
}

static int64_t component_count(const chip_indexing_t *indexing,
                               const tensor_shape_t *indices) {
  return indexing->index_vector_dim < indices->rank
             ? indices->dims[indexing->index_vector_dim]
             : 1;
}

// Batching dimensions of the array and of the indices: (C13) to (C17) of gather.
static pod_status_t check_batching(const chip_indexing_t *indexing,
                                   const indexing_names_t *names,
                                   const tensor_shape_t *array,
                                   const tensor_shape_t *indices) {
  if (chip_dims_have(&indexing->indices_batching, indexing->index_vector_dim)) {
    return BAD("%s names dimension %" PRId64 ", which is index_vector_dim",
               names->indices_batching, indexing->index_vector_dim);
  }
  uint32_t seen = 0;
  POD_TRY(check_dims(names->indices_batching, &indexing->indices_batching, indices->rank,
                     false, &seen));
  if (indexing->array_batching.count != indexing->indices_batching.count) {
    return BAD("%s names %d dimensions, %s %d; they must be as many",
               names->array_batching, indexing->array_batching.count,
               names->indices_batching, indexing->indices_batching.count);
  }
  for (int32_t i = 0; i < indexing->array_batching.count; i++) {
    const int64_t dim = indexing->array_batching.values[i];
    const int64_t other = indexing->indices_batching.values[i];
    if (array->dims[dim] != indices->dims[other]) {
      return BAD("dimension %" PRId64 " of the %s has size %" PRId64
                 ", dimension %" PRId64 " of the indices %" PRId64
                 "; batching dimensions must have one size",
                 dim, names->array, array->dims[dim], other, indices->dims[other]);
    }
  }
  return NULL;
}

// What does not depend on the window: (C1) to (C3), (C6) to (C19) of gather.
static pod_status_t check_indexing(const chip_indexing_t *indexing,
                                   const indexing_names_t *names,
                                   const tensor_shape_t *array,
                                   const tensor_shape_t *indices) {
  if (!tensor_dtype_is_integer(indices->dtype)) {
    pod_text_t text = {0};
    tensor_shape_print_mlir(&text, indices);
    const pod_status_t status =
        BAD("the indices are %s; they must be integers", text.bytes);
    pod_text_deinit(&text);
    return status;
  }
  if (indexing->window.count + indexing->dropped.count + indexing->array_batching.count !=
      array->rank) {
    return BAD("%d %s, %d %s and %d batching dimensions do not make up rank %d",
               indexing->window.count, names->window_kind, indexing->dropped.count,
               names->dropped_kind, indexing->array_batching.count, array->rank);
  }
  if (indexing->index_vector_dim < 0 || indexing->index_vector_dim > indices->rank) {
    return BAD("index_vector_dim is %" PRId64 "; the indices have rank %d",
               indexing->index_vector_dim, indices->rank);
  }
  if (indexing->index_map.count != component_count(indexing, indices)) {
    return BAD("%s names %d dimensions, an index has %" PRId64 " components", names->map,
               indexing->index_map.count, component_count(indexing, indices));
  }
  uint32_t seen = 0;
  POD_TRY(check_dims(names->dropped, &indexing->dropped, array->rank, true, &seen));
  POD_TRY(check_dims(names->array_batching, &indexing->array_batching, array->rank, true,
                     &seen));
  seen = 0;
  POD_TRY(check_dims(names->array_batching, &indexing->array_batching, array->rank, true,
                     &seen));
  POD_TRY(check_dims(names->map, &indexing->index_map, array->rank, false, &seen));
  return check_batching(indexing, names, array, indices);
}

// The rank of the result or the updates.
static int windowed_rank(const chip_indexing_t *indexing, const tensor_shape_t *indices) {
  return indexing->window.count + indices->rank -
         (indexing->index_vector_dim < indices->rank ? 1 : 0);
}

static bool is_dropped(const chip_indexing_t *indexing, int64_t dim) {
  return chip_dims_have(&indexing->dropped, dim) ||
         chip_dims_have(&indexing->array_batching, dim);
}

// The next dimension that is not in the window's, from `dim` on.
static int next_batch_dim(const chip_indexing_t *indexing, int dim) {
  while (chip_dims_have(&indexing->window, dim)) {
    dim++;
  }
  return dim;
}

pod_status_t chip_gather_shape(const chip_indexing_t *indexing,
                               const tensor_shape_t *operand,
                               const tensor_shape_t *indices,
                               const chip_dims_t *slice_sizes,
                               tensor_shape_t *out_result) {
  POD_TRY(check_indexing(indexing, &gather_names, operand, indices));
  tensor_shape_t result = {.dtype = operand->dtype,
                           .rank = windowed_rank(indexing, indices)};
  if (result.rank > TENSOR_RANK_MAX) {
    return BAD("the result has rank %d; at most %d are possible", result.rank,
               TENSOR_RANK_MAX);
  }
  uint32_t seen = 0;
  POD_TRY(check_dims(gather_names.window, &indexing->window, result.rank, true,
                     &seen));                 // (C4)
  if (slice_sizes->count != operand->rank) {  // (C20)
    return BAD("%d slice sizes for an operand of rank %d", slice_sizes->count,
               operand->rank);
  }
  int window = 0;
  for (int d = 0; d < operand->rank; d++) {
    const int64_t size = slice_sizes->values[d];
    if (size < 0 || size > operand->dims[d]) {  // (C21)
      return BAD("a slice takes %" PRId64 " of dimension %d, which has size %" PRId64,
                 size, d, operand->dims[d]);
    }
    if (is_dropped(indexing, d)) {
      if (size > 1) {  // (C9), (C12)
        return BAD("a slice takes %" PRId64
                   " of dimension %d, which is collapsed or "
                   "batching; it may take 1",
                   size, d);
      }
    } else {
      result.dims[indexing->window.values[window++]] = size;
    }
  }
  int batch = next_batch_dim(indexing, 0);
  for (int d = 0; d < indices->rank; d++) {
    if (d != indexing->index_vector_dim) {
      result.dims[batch] = indices->dims[d];
      batch = next_batch_dim(indexing, batch + 1);
    }
  }
  *out_result = result;
  return NULL;
}

pod_status_t chip_scatter_check(const chip_indexing_t *indexing,
                                const tensor_shape_t *input,
                                const tensor_shape_t *indices,
                                const tensor_shape_t *updates) {
  POD_TRY(check_indexing(indexing, &scatter_names, input, indices));
  if (updates->rank != windowed_rank(indexing, indices)) {
    return BAD("the updates have rank %d; window and indices make %d", updates->rank,
               windowed_rank(indexing, indices));
  }
  if (updates->dtype != input->dtype) {
    return BAD("the updates are of %s, the input of %s",
               tensor_dtype_mlir_name(updates->dtype),
               tensor_dtype_mlir_name(input->dtype));
  }
  uint32_t seen = 0;
  POD_TRY(
      check_dims(scatter_names.window, &indexing->window, updates->rank, true, &seen));
  int window = 0;
  for (int d = 0; d < input->rank; d++) {
    if (!is_dropped(indexing, d)) {
      const int64_t at = indexing->window.values[window++];
      if (updates->dims[at] > input->dims[d]) {
        return BAD("dimension %" PRId64 " of the updates has size %" PRId64
                   ", dimension %d of the input %" PRId64 "; a window must fit",
                   at, updates->dims[at], d, input->dims[d]);
      }
    }
  }
  int batch = next_batch_dim(indexing, 0);
  for (int d = 0; d < indices->rank; d++) {
    if (d != indexing->index_vector_dim) {
      if (updates->dims[batch] != indices->dims[d]) {
        return BAD("dimension %d of the updates has size %" PRId64
                   ", dimension %d of the indices %" PRId64,
                   batch, updates->dims[batch], d, indices->dims[d]);
      }
      batch = next_batch_dim(indexing, batch + 1);
    }
  }
  return NULL;
}

static void walk_batch(const chip_indexing_t *indexing, const tensor_shape_t *array,
                       const tensor_shape_t *indices, const tensor_shape_t *windowed,
                       chip_index_walk_t *walk) {
  int64_t array_strides[TENSOR_RANK_MAX], index_strides[TENSOR_RANK_MAX],
      strides[TENSOR_RANK_MAX];
  tensor_shape_strides(array, array_strides);
  tensor_shape_strides(indices, index_strides);
  tensor_shape_strides(windowed, strides);
  int at = next_batch_dim(indexing, 0);
  for (int d = 0; d < indices->rank; d++) {
    if (d == indexing->index_vector_dim) {
      continue;
    }
    const int b = walk->batch_rank++;
    walk->batch_sizes[b] = indices->dims[d];
    walk->batch_index_strides[b] = index_strides[d];
    walk->batch_window_strides[b] = strides[at];
    walk->batch_array_strides[b] = 0;
    for (int32_t i = 0; i < indexing->indices_batching.count; i++) {
      if (indexing->indices_batching.values[i] == d) {
        walk->batch_array_strides[b] = array_strides[indexing->array_batching.values[i]];
      }
    }
    at = next_batch_dim(indexing, at + 1);
  }
  walk->component_count = indexing->index_map.count;
  walk->component_stride = indexing->index_vector_dim < indices->rank
                               ? index_strides[indexing->index_vector_dim]
                               : 0;
}

chip_index_walk_t chip_index_walk(const chip_indexing_t *indexing,
                                  const tensor_shape_t *array,
                                  const tensor_shape_t *indices,
                                  const tensor_shape_t *windowed) {
  chip_index_walk_t walk = {0};
  walk_batch(indexing, array, indices, windowed, &walk);
  int64_t array_strides[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  tensor_shape_strides(array, array_strides);
  tensor_shape_strides(windowed, strides);
  int window_of[TENSOR_RANK_MAX];
  for (int d = 0; d < array->rank; d++) {
    window_of[d] = -1;
    if (!is_dropped(indexing, d)) {
      const int w = walk.window_rank++;
      const int64_t at = indexing->window.values[w];
      window_of[d] = w;
      walk.window_dims[w] = d;
      walk.window_sizes[w] = windowed->dims[at];
      walk.window_strides[w] = strides[at];
      walk.window_array_strides[w] = array_strides[d];
    }
  }
  for (int c = 0; c < walk.component_count; c++) {
    const int d = (int)indexing->index_map.values[c];
    walk.component_dims[c] = d;
    walk.component_array_strides[c] = array_strides[d];
    walk.component_sizes[c] = array->dims[d];
    walk.component_windows[c] = window_of[d];
    walk.component_spans[c] = window_of[d] < 0 ? 1 : walk.window_sizes[window_of[d]];
  }
  return walk;
}
