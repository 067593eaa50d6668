// A device assignment: which chip stands for which device of the program, when the user
// wants another order than the program's (a ring along the torus instead of rows), or the
// program is for fewer chips than the pod has.
//
// Threading: pure.

#ifndef SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_
#define SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_

#include "common/base/status.h"
#include "server/compiler/partition/partition.h"

// For how many devices the module is to be partitioned: `count` of the list, or when that
// is 0 the pod's `chip_count`. A module that says nothing of devices is for any number.
// INVALID_ARGUMENT when the module is for another number of devices than the list has
// chips, or a chip is named twice or is not of the pod.
POD_MUST_USE pod_status_t partition_check_device_order(mlir_module_t *module,
                                                       int64_t chip_count, int64_t count,
                                                       const int64_t *order,
                                                       int64_t *out_device_count);

// For how many devices the module says that it is; 0: it says nothing of them, or that it
// is for one, and runs on each chip that there is (as what jax.jit lowers without a
// mesh). A mesh of one device counts.
POD_MUST_USE pod_status_t partition_count_devices(mlir_module_t *module,
                                                  int64_t *out_count);

// Device d of the partitioned program becomes chip `order[d]`: in the mesh, in the groups
// and pairs of collectives, and in what partition_id says. Values stay what they are.
// `count` 0: nothing is done. INVALID_ARGUMENT when there are not as many chips as
// devices, or one is named twice.
POD_MUST_USE pod_status_t partition_set_device_order(compiler_partitioned_t *partitioned,
                                                     int64_t count, const int64_t *order);

#endif  // SERVER_COMPILER_PARTITION_DEVICE_ORDER_H_
