// stablehlo.send and recv between a device and its host become podium.host_send and
// podium.host_recv.
//
// Threading: pure.

#ifndef SERVER_COMPILER_LEGALIZE_HOST_TRANSFER_H_
#define SERVER_COMPILER_LEGALIZE_HOST_TRANSFER_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// After tokens_of_main and before tokens_remove. In a module that has such transfers all
// tokens become scalars of pred: what orders them is then seen by every pass as any other
// value is. Other modules stay as they are. UNIMPLEMENTED for a transfer of other than
// one array.
POD_MUST_USE pod_status_t host_transfer_expand(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_HOST_TRANSFER_H_
