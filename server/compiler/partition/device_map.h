// Other names for the devices of a piece of program: what it says of devices is
// rewritten.
//
// Threading: pure. Ownership: in the module's arena.

#ifndef SERVER_COMPILER_PARTITION_DEVICE_MAP_H_
#define SERVER_COMPILER_PARTITION_DEVICE_MAP_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Within `root`, device d of 0 … count - 1 is now called names[d]: groups (those by axes
// of a mesh become ids) and pairs are given in the new names, and what asks for its id
// gets the old one, so that it computes what it did. The names are distinct.
POD_MUST_USE pod_status_t device_map_apply(mlir_module_t *module, mlir_op_t *root,
                                           int64_t count, const int64_t *names);

#endif  // SERVER_COMPILER_PARTITION_DEVICE_MAP_H_
