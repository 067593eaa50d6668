// A box of a global row-major array, as the stream of its own row-major bytes: what a
// shard is to the array that it is cut out of. Where the slicer (slicer.h) walks the
// global array and meets all shards, this walks one shard.
//
// A value type; borrows nothing.
// Threading: pure functions, any thread.

#ifndef COMMON_TENSOR_BOX_H_
#define COMMON_TENSOR_BOX_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/shape.h"

// Dimensions that lie together in the global array are one.
typedef struct tensor_box_t {
  int64_t first_bytes;  // Where it begins in the global array.
  int64_t size_bytes;
  int64_t run_bytes;  // What lies together.
  int rank;           // Of the loops around runs, major to minor.
  int64_t counts[TENSOR_RANK_MAX];
  int64_t strides_bytes[TENSOR_RANK_MAX];  // In the global array.
} tensor_box_t;

// The elements from `starts` on, as many as `local` has. INVALID_ARGUMENT when they are
// not all of `global`. Both shapes have passed tensor_shape_check.
POD_MUST_USE pod_status_t tensor_box_make(const tensor_shape_t *global,
                                          const tensor_shape_t *local,
                                          const int64_t *starts, tensor_box_t *out_box);

// Bytes [offset, offset + size) of the box's stream, out of the global array or into it.
// The range must be the box's.
void tensor_box_read(const tensor_box_t *box, const void *global, int64_t offset_bytes,
                     void *bytes, size_t size_bytes);
void tensor_box_write(const tensor_box_t *box, void *global, int64_t offset_bytes,
                      const void *bytes, size_t size_bytes);

#endif  // COMMON_TENSOR_BOX_H_
