// custom_call @shape_assertion: what a program with symbolic sizes demands of them, with
// JAX's sentence for when it does not hold ("Expected value >= 1 for … 'b'. … {0}").
//
// Threading: pure.

#ifndef SERVER_COMPILER_LEGALIZE_REFINE_ASSERTION_H_
#define SERVER_COMPILER_LEGALIZE_REFINE_ASSERTION_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

bool assertion_is(const mlir_op_t *op);

// Looks at an assertion about a constant. INVALID_ARGUMENT at the operation, with its
// sentence and the values in it, when that is false; but within a branch or a loop, which
// may never run, nothing is known.
POD_MUST_USE pod_status_t assertion_check(const mlir_module_t *module,
                                          const mlir_op_t *op, bool *out_holds);

#endif  // SERVER_COMPILER_LEGALIZE_REFINE_ASSERTION_H_
