// Shapes that are written with `?` but follow from constants: what jax.export makes of
// symbolic sizes, once the sizes of @main's arguments are known.
//
// Threading: pure. Errors: INVALID_ARGUMENT, and UNIMPLEMENTED at the operation whose
// result keeps sizes that are not known.

#ifndef SERVER_COMPILER_LEGALIZE_REFINE_H_
#define SERVER_COMPILER_LEGALIZE_REFINE_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Leaves modules alone that have no such shapes. Others: calls are inlined, so that a
// function may be called with several sizes; then, forward through @main, integers that
// follow from constants and sizes become constants, results get the shapes that follow
// from their operands, and what is asserted of sizes is decided.
POD_MUST_USE pod_status_t refine_shapes(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_REFINE_H_
