// Sizes across the border of sdy.manual_computation (jax.shard_map): inside a value is
// the part that a device holds, outside it is whole.
//
// Threading: pure. Errors: INVALID_ARGUMENT at the operation where the manual axes do not
// divide a size, or a sharding is wrong.

#ifndef SERVER_COMPILER_LEGALIZE_REFINE_MANUAL_H_
#define SERVER_COMPILER_LEGALIZE_REFINE_MANUAL_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Arguments of the body get the sizes that follow from the operands.
POD_MUST_USE pod_status_t refine_manual_enter(mlir_module_t *module, mlir_op_t *op);

// Results get the sizes that follow from what the body returns.
POD_MUST_USE pod_status_t refine_manual_leave(mlir_module_t *module, mlir_op_t *op);

#endif  // SERVER_COMPILER_LEGALIZE_REFINE_MANUAL_H_
