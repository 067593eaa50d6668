// Manual computations over a mesh that no axes of the program's make (2x3 devices as
// 3x2): which device has what is theirs to see, by its id and by the groups of their
// collectives.
//
// Threading: pure. Ownership: in the module's arena.

#ifndef SERVER_COMPILER_PARTITION_MANUAL_MESH_H_
#define SERVER_COMPILER_PARTITION_MANUAL_MESH_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Puts such computations over a mesh of the same axes whose devices have other names, by
// which the program's axes make them (mesh_relabel), and tells their bodies. Calls are
// inlined. UNIMPLEMENTED for one within which another is over a third mesh; what is over
// other devices stays as it is, for the partitioner to refuse.
POD_MUST_USE pod_status_t manual_mesh_apply(mlir_module_t *module);

#endif  // SERVER_COMPILER_PARTITION_MANUAL_MESH_H_
