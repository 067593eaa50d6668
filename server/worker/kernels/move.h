// Copies between strided views: what broadcasts, transposes, slices, pads and
// concatenations come down to.
//
// Threading: pure; any thread.

#ifndef SERVER_WORKER_KERNELS_MOVE_H_
#define SERVER_WORKER_KERNELS_MOVE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/tensor/shape.h"

// out[sum of index · out_strides] = in[sum of index · in_strides] for every index below
// `sizes`. Strides are in elements: those of `in` may be 0 (broadcast) or negative
// (reversed), those of `out` are positive and put every element into a place of its own.
typedef struct kernel_move_t {
  size_t element_bytes;  // 1, 2, 4, 8 or 16.
  int rank;
  int64_t sizes[TENSOR_RANK_MAX];
  int64_t in_strides[TENSOR_RANK_MAX];
  int64_t out_strides[TENSOR_RANK_MAX];
} kernel_move_t;

// `in` and `out` point to the elements of index 0 and do not overlap.
void kernel_move(const kernel_move_t *move, const void *in, void *out);

// The next index below `sizes`, the last dimension first; false behind the last one.
static inline bool kernel_next_index(int rank, const int64_t *sizes, int64_t *index) {
  for (int d = rank - 1; d >= 0; d--) {
    if (++index[d] < sizes[d]) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

// Writes one element `count` times.
void kernel_fill(size_t element_bytes, const void *element, void *out, size_t count);

// The first `block_bytes` of `out` again and again, `count` times in all.
void kernel_replicate(void *out, size_t block_bytes, int64_t count);

#endif  // SERVER_WORKER_KERNELS_MOVE_H_
