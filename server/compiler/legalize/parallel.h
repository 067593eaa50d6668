// interpreter.run_parallel, by which StableHLO's own tests run a program on a grid of
// replicas and partitions: every cell becomes a chip of the pod.
//
// Threading: pure. Errors: UNIMPLEMENTED and INVALID_ARGUMENT at the operation.

#ifndef SERVER_COMPILER_LEGALIZE_PARALLEL_H_
#define SERVER_COMPILER_LEGALIZE_PARALLEL_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Makes one program for all chips of a module that has interpreter.run_parallel in @main;
// leaves other modules alone. Cell (replica r, partition p) of a grid R x P is chip
// r · P + p: it takes its own operands, runs the program that all cells share, and
// compares its own results in the checks that look at them. In the program replica_id and
// partition_id, and the groups of collectives in all their modes, become numbers of
// chips.
POD_MUST_USE pod_status_t parallel_expand(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_PARALLEL_H_
