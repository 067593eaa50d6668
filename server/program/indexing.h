// Gather and scatter: where an index says that a window of an array lies. Compiler,
// program checker and kernels read the same rules from here.
//
// Constraints and formulas are those of the StableHLO specification, sections "gather"
// and "scatter"; (C…) are its numbers.
//
// Threading: pure. Errors: INVALID_ARGUMENT, without a place.

#ifndef SERVER_PROGRAM_INDEXING_H_
#define SERVER_PROGRAM_INDEXING_H_

#include "common/base/status.h"
#include "server/program/program.h"

typedef struct chip_dims_t {
  int32_t count;
  const int64_t *values;  // Borrowed.
} chip_dims_t;

// Both operations look at a window of an array at a start index. `window` are the
// dimensions of the result (gather) or of the updates (scatter) that run through the
// window; the others run through the indices. `dropped` are dimensions of the array in
// which the window has size 1 and which do not show in `window` (collapsed, inserted).
typedef struct chip_indexing_t {
  chip_dims_t window, dropped, array_batching, indices_batching, index_map;
  int64_t index_vector_dim;
} chip_indexing_t;

// Reads the attributes of a GATHER or SCATTER instruction.
chip_indexing_t chip_indexing_of(const chip_instruction_t *instruction);

// The shape of a gather's result, with the operand's element type. `slice_sizes` has as
// many values as it should, or that is the error.
POD_MUST_USE pod_status_t chip_gather_shape(const chip_indexing_t *indexing,
                                            const tensor_shape_t *operand,
                                            const tensor_shape_t *indices,
                                            const chip_dims_t *slice_sizes,
                                            tensor_shape_t *out_result);

// Whether updates of that shape can be scattered.
POD_MUST_USE pod_status_t chip_scatter_check(const chip_indexing_t *indexing,
                                             const tensor_shape_t *input,
                                             const tensor_shape_t *indices,
                                             const tensor_shape_t *updates);

bool chip_dims_have(const chip_dims_t *dims, int64_t dim);

// How a kernel walks: for every place of the indices a start, for every start a window.
// Strides are in elements, of dense arrays.
typedef struct chip_index_walk_t {
  // The batch: the indices without index_vector_dim.
  int batch_rank;
  int64_t batch_sizes[TENSOR_RANK_MAX];
  int64_t batch_index_strides[TENSOR_RANK_MAX];   // In the indices.
  int64_t batch_window_strides[TENSOR_RANK_MAX];  // In the result or the updates.
  int64_t batch_array_strides[TENSOR_RANK_MAX];   // In the array; 0 unless batching.
  // The window: dimensions of the array that are neither dropped nor batching.
  int window_rank;
  int64_t window_sizes[TENSOR_RANK_MAX];
  int64_t window_strides[TENSOR_RANK_MAX];        // In the result or the updates.
  int64_t window_array_strides[TENSOR_RANK_MAX];  // In the array.
  int window_dims[TENSOR_RANK_MAX];               // Of the array.
  // The components of an index.
  int component_count;
  int64_t component_stride;                          // In the indices.
  int component_dims[TENSOR_RANK_MAX];               // Of the array.
  int64_t component_array_strides[TENSOR_RANK_MAX];  // In the array.
  int64_t component_sizes[TENSOR_RANK_MAX];          // Of the array's dimension.
  // By component: the window's size in that dimension (1 when it is dropped), and which
  // dimension of the window it is; -1 when it is dropped.
  int64_t component_spans[TENSOR_RANK_MAX];
  int component_windows[TENSOR_RANK_MAX];
} chip_index_walk_t;

// `windowed` is the shape of a gather's result or of a scatter's updates; the shapes have
// passed the checks above.
chip_index_walk_t chip_index_walk(const chip_indexing_t *indexing,
                                  const tensor_shape_t *array,
                                  const tensor_shape_t *indices,
                                  const tensor_shape_t *windowed);

#endif  // SERVER_PROGRAM_INDEXING_H_
