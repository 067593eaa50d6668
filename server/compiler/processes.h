// The processes that run a program, replicas times partitions, and whether a collective
// names them as it must: the section "Collective ops" of the StableHLO specification.
//
// Threading: pure. Errors: INVALID_ARGUMENT at the operation.

#ifndef SERVER_COMPILER_PROCESSES_H_
#define SERVER_COMPILER_PROCESSES_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "server/compiler/attributes.h"

// How many there are; 0 for what is not known.
typedef struct processes_t {
  int64_t replicas, partitions;
} processes_t;

// What a module says itself: mhlo.num_replicas, mhlo.num_partitions.
processes_t processes_of(const mlir_module_t *module);

// What the ids of a collective count.
typedef enum processes_grouping_t {
  PROCESSES_CROSS_REPLICA,
  PROCESSES_CROSS_PARTITION,
  PROCESSES_CROSS_REPLICA_AND_PARTITION,
  PROCESSES_FLATTENED,
} processes_grouping_t;

// By the operation, its channel and use_global_device_ids, which needs a channel.
POD_MUST_USE pod_status_t processes_grouping(mlir_module_t *module, const mlir_op_t *op,
                                             processes_grouping_t *out_grouping);

// Whether the groups name every process once; those of a collective_broadcast may leave
// some out. Entries of -1, which fill up short groups, are passed over.
POD_MUST_USE pod_status_t processes_check_groups(mlir_module_t *module,
                                                 const mlir_op_t *op, processes_t there,
                                                 const compiler_groups_t *groups);

// Whether no source and no target comes twice, and all are processes.
POD_MUST_USE pod_status_t processes_check_pairs(mlir_module_t *module,
                                                const mlir_op_t *op, processes_t there,
                                                int64_t pair_count, const int64_t *pairs);

#endif  // SERVER_COMPILER_PROCESSES_H_
