// Operations for one device: their sharding is over a mesh of that device alone,
// `sdy.mesh @m = <[], device_ids=[3]>`.
//
// What such an operation makes of values that all chips have alike every chip computes by
// itself, which moves nothing. Only what depends on the device, by its partition_id, is
// that of the one that computes it: the value is a sum over all chips, of which the
// others hold zeros, so that it is reduced, or scattered, where it is wanted.
//
// Threading: pure. Ownership: what is made is the partitioner's.

#ifndef SERVER_COMPILER_PARTITION_SINGLE_H_
#define SERVER_COMPILER_PARTITION_SINGLE_H_

#include <stdbool.h>

#include "server/compiler/partition/partitioner.h"

// By value id of @main, in the arena of the shardings: what depends on the device. NULL
// when nothing does, or no mesh is of one device.
bool *single_find(const partitioner_t *partitioner, const mlir_op_t *main);

// The device that computes `op` for all, as what it computes depends on the device; -1
// for every other operation. Once partitioner->by_device is what single_find found.
int64_t single_device_of(const partitioner_t *partitioner, const mlir_op_t *op);

// Writes the operation, on whole values, as that device computes it.
POD_MUST_USE pod_status_t single_write(partitioner_t *partitioner, const mlir_op_t *op,
                                       int64_t device);

#endif  // SERVER_COMPILER_PARTITION_SINGLE_H_
