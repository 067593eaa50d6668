// A device assignment: which chip stands for which device of the program's mesh, when the
// user wants another order than the program's (a ring along the torus instead of rows).
//
// Threading: pure.

#ifndef SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_
#define SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_

#include "common/base/status.h"
#include "server/compiler/partition/partition.h"

// Device d of the partitioned program becomes chip `order[d]`: in the mesh, in the groups
// and pairs of collectives, and in what partition_id says. Values stay what they are.
// `count` 0: nothing is done. INVALID_ARGUMENT when `order` is no permutation of the
// mesh's devices.
POD_MUST_USE pod_status_t partition_set_device_order(compiler_partitioned_t *partitioned,
                                                     int64_t count, const int64_t *order);

#endif  // SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_
