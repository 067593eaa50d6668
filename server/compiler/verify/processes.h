// The processes that run a program, replicas times partitions, and whether collectives
// and transfers name them as they must: the section "Collective ops" of the StableHLO
// specification.
//
// Threading: pure. Errors: INVALID_ARGUMENT at the operation; UNIMPLEMENTED for ids that
// count replicas or partitions where chips are not numbered like them.

#ifndef SERVER_COMPILER_VERIFY_PROCESSES_H_
#define SERVER_COMPILER_VERIFY_PROCESSES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

// How many there are; 0 for what is not known.
typedef struct processes_t {
  int64_t replicas, partitions;
  bool is_grid;  // Of interpreter.run_parallel.
} processes_t;

// By the grid of interpreter.run_parallel, or by the module's mhlo.num_replicas and
// mhlo.num_partitions.
processes_t processes_of(const mlir_module_t *module);

// What the ids of a collective count: the specification's "Grouping" of each operation.
typedef enum processes_grouping_t {
  PROCESSES_CROSS_REPLICA,
  PROCESSES_CROSS_PARTITION,
  PROCESSES_CROSS_REPLICA_AND_PARTITION,
  PROCESSES_FLATTENED,
} processes_grouping_t;

// By the operation, its channel and use_global_device_ids, which needs a channel.
POD_MUST_USE pod_status_t processes_grouping(mlir_module_t *module, const mlir_op_t *op,
                                             processes_grouping_t *out_grouping);

// Whether operations of that name are checked.
bool processes_has_rule(const mlir_op_t *op);

// Checks the ids, channels and flags of an operation as the user wrote it; nothing for
// operations that name no processes. Where it is not known how many there are, there are
// as many as it names. Groups and pairs of a wrong form are left to the rules of shapes.
POD_MUST_USE pod_status_t processes_check(mlir_module_t *module, const mlir_op_t *op,
                                          const processes_t *there);

#endif  // SERVER_COMPILER_VERIFY_PROCESSES_H_
