// interpreter.probe keeps what a value was each time it was computed, and
// check.expect_serialized_eq compares that with another value.
//
// Threading: pure. Errors: INVALID_ARGUMENT and UNIMPLEMENTED at the operation.

#ifndef SERVER_COMPILER_LEGALIZE_PROBES_H_
#define SERVER_COMPILER_LEGALIZE_PROBES_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Puts check.expect_eq in place of the checks of probes: loops around a probe carry what
// it was in the iteration that a check asks for. Probes go. A probe must stand in the
// function of its checks, before them, and in no branch.
POD_MUST_USE pod_status_t probes_expand(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_PROBES_H_
