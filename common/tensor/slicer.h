// Cuts the byte stream of a global row-major array into the byte streams of its shards,
// and back. Both ways every stream is sequential, because walking a global array in
// row-major order meets the elements of each shard in the shard's own row-major order.
// Nothing is buffered.
//
// Threading: pure; a slicer is used by one thread at a time.

#ifndef COMMON_TENSOR_SLICER_H_
#define COMMON_TENSOR_SLICER_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/sharding.h"

typedef struct tensor_slicer_t tensor_slicer_t;

// A run of bytes that lies together in the global array and in a shard.
typedef struct tensor_run_t {
  int64_t global_offset_bytes;
  int64_t shard_offset_bytes;
  int64_t size_bytes;
  // Index of the shard (distinct piece), in [0, tensor_slicer_shard_count).
  int64_t shard;
} tensor_run_t;

// Returns owned. UNIMPLEMENTED when a dimension does not divide; FAILED_PRECONDITION when
// the sharding has unreduced axes, so that no piece lies on any device.
POD_MUST_USE pod_status_t tensor_slicer_create(const sharding_t *sharding,
                                               const tensor_shape_t *global,
                                               tensor_slicer_t **out_slicer);

void tensor_slicer_destroy(tensor_slicer_t *slicer);

// Distinct pieces; replicas share one.
int64_t tensor_slicer_shard_count(const tensor_slicer_t *slicer);

int64_t tensor_slicer_shard_bytes(const tensor_slicer_t *slicer);

// The piece that `device`, one of the mesh, holds.
int64_t tensor_slicer_shard_of_device(const tensor_slicer_t *slicer, int64_t device);

// The run that starts at a global byte offset, at most `size_bytes_max` long; any offset
// in [0, total).
tensor_run_t tensor_slicer_run_at(const tensor_slicer_t *slicer,
                                  int64_t global_offset_bytes, int64_t size_bytes_max);

#endif  // COMMON_TENSOR_SLICER_H_
