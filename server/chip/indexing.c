#include "server/chip/indexing.h"

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

// Dimensions of a rank, each once, also among those in *inout_seen.
static pod_status_t check_dims(const char *what, const chip_dims_t *dims, int rank,
                               bool is_sorted, uint32_t *inout_seen) {
  for (int32_t i = 0; i < dims->count; i++) {
    const int64_t dim = dims->values[i];
    if (dim < 0 || dim >= rank) {
      return BAD("the %s dimensions name dimension %" PRId64 " of rank %d", what, dim,
                 rank);
    }
    if ((*inout_seen >> dim & 1u) != 0) {
      return BAD("the %s dimensions name dimension %" PRId64 ", which is named twice",
                 what, dim);
    }
    if (is_sorted && i > 0 && dim < dims->values[i - 1]) {
      return BAD("the %s dimensions are not sorted", what);
    }
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

// What does not depend on the window: (C1) to (C3), (C6) to (C19) of gather.
static pod_status_t check_indexing(const chip_indexing_t *indexing,
                                   const tensor_shape_t *array,
                                   const tensor_shape_t *indices) {
  if (!tensor_dtype_is_integer(indices->dtype)) {
    return BAD("the indices must be integers");
  }
  if (indexing->window.count + indexing->dropped.count + indexing->array_batching.count !=
      array->rank) {
    return BAD("%d window, %d dropped and %d batching dimensions do not make up rank %d",
               indexing->window.count, indexing->dropped.count,
               indexing->array_batching.count, array->rank);
  }
  if (indexing->index_vector_dim < 0 || indexing->index_vector_dim > indices->rank) {
    return BAD("index_vector_dim is %" PRId64 "; the indices have rank %d",
               indexing->index_vector_dim, indices->rank);
  }
  if (indexing->index_map.count != component_count(indexing, indices)) {
    return BAD("the index map has %d dimensions, an index %" PRId64 " components",
               indexing->index_map.count, component_count(indexing, indices));
  }
  uint32_t seen = 0;
  POD_TRY(check_dims("dropped", &indexing->dropped, array->rank, true, &seen));
  POD_TRY(check_dims("batching", &indexing->array_batching, array->rank, true, &seen));
  seen = 0;
  POD_TRY(check_dims("batching", &indexing->array_batching, array->rank, true, &seen));
  POD_TRY(check_dims("mapped", &indexing->index_map, array->rank, false, &seen));
  seen =
      indexing->index_vector_dim < indices->rank ? 1u << indexing->index_vector_dim : 0;
  POD_TRY(check_dims("indices' batching", &indexing->indices_batching, indices->rank,
                     false, &seen));
  if (indexing->array_batching.count != indexing->indices_batching.count) {
    return BAD("%d batching dimensions of the array, %d of the indices",
               indexing->array_batching.count, indexing->indices_batching.count);
  }
  for (int32_t i = 0; i < indexing->array_batching.count; i++) {
    const int64_t size = array->dims[indexing->array_batching.values[i]];
    const int64_t other = indices->dims[indexing->indices_batching.values[i]];
    if (size != other) {
      return BAD("batching dimension %d has size %" PRId64 " in the array, %" PRId64
                 " in the indices",
                 i, size, other);
    }
  }
  return NULL;
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
  POD_TRY(check_indexing(indexing, operand, indices));
  tensor_shape_t result = {.dtype = operand->dtype,
                           .rank = windowed_rank(indexing, indices)};
  if (result.rank > TENSOR_RANK_MAX) {
    return BAD("the result has rank %d; at most %d are possible", result.rank,
               TENSOR_RANK_MAX);
  }
  uint32_t seen = 0;
  POD_TRY(check_dims("offset", &indexing->window, result.rank, true, &seen));  // (C4)
  if (slice_sizes->count != operand->rank) {                                   // (C20)
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
  POD_TRY(check_indexing(indexing, input, indices));
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
  POD_TRY(check_dims("update window", &indexing->window, updates->rank, true, &seen));
  int window = 0;
  for (int d = 0; d < input->rank; d++) {
    if (!is_dropped(indexing, d)) {
      const int64_t size = updates->dims[indexing->window.values[window++]];
      if (size > input->dims[d]) {
        return BAD("the window has size %" PRId64 " in dimension %d, the input %" PRId64,
                   size, d, input->dims[d]);
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
