// Cuts the byte stream of a global row-major array into the byte streams of its shards,
// and back. Both ways every stream is sequential, because walking a global array in
// row-major order meets the elements of each shard in the shard's own row-major order.
// Nothing is buffered.
//
// Where the axes of a dimension do not divide it, the last shards end in padding. The
// walk goes over the array that the shards make together: its runs of padding are in a
// shard's stream, and not in the array's.
//
// Threading: pure; a slicer is used by one thread at a time.

#ifndef COMMON_TENSOR_SLICER_H_
#define COMMON_TENSOR_SLICER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/sharding.h"

typedef struct tensor_slicer_t tensor_slicer_t;

// A run of bytes that lies together in the global array and in a shard.
typedef struct tensor_run_t {
  bool is_padding;  // Of the shard alone.
  int64_t shard_offset_bytes;
  int64_t size_bytes;
  // Index of the shard (distinct piece), in [0, tensor_slicer_shard_count).
  int64_t shard;
} tensor_run_t;

// Returns owned. INVALID_ARGUMENT when the shards together are more bytes than there are
// numbers; FAILED_PRECONDITION when the sharding has unreduced axes, so that no piece
// lies on any device.
POD_MUST_USE pod_status_t tensor_slicer_create(const sharding_t *sharding,
                                               const tensor_shape_t *global,
                                               tensor_slicer_t **out_slicer);

void tensor_slicer_destroy(tensor_slicer_t *slicer);

// Distinct pieces; replicas share one.
int64_t tensor_slicer_shard_count(const tensor_slicer_t *slicer);

int64_t tensor_slicer_shard_bytes(const tensor_slicer_t *slicer);

// The piece that `device`, one of the mesh, holds.
int64_t tensor_slicer_shard_of_device(const tensor_slicer_t *slicer, int64_t device);

// The length of the walk: the bytes of the global array, and of the padding.
int64_t tensor_slicer_walk_bytes(const tensor_slicer_t *slicer);

// The run that starts at an offset of the walk, at most `size_bytes_max` long; any offset
// in [0, tensor_slicer_walk_bytes).
tensor_run_t tensor_slicer_run_at(const tensor_slicer_t *slicer,
                                  int64_t walk_offset_bytes, int64_t size_bytes_max);

#endif  // COMMON_TENSOR_SLICER_H_
