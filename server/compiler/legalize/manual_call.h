// In Shardy's round trip a manual computation is a call between custom calls that cut its
// operands and make its results whole. Here the call becomes the body of an
// sdy.manual_computation.
//
// Threading: pure. Errors: none.

#ifndef SERVER_COMPILER_LEGALIZE_MANUAL_CALL_H_
#define SERVER_COMPILER_LEGALIZE_MANUAL_CALL_H_

#include "common/mlir/ir.h"

// A manual computation of the whole `inputs`, one per operand of `call`, with results of
// the whole `types`, one per result, without attributes. It stands before the call, whose
// copy is its body; the call stays for the caller to replace.
mlir_op_t *manual_call(mlir_module_t *module, mlir_op_t *call,
                       mlir_value_t *const *inputs, const mlir_type_t *const *types);

#endif  // SERVER_COMPILER_LEGALIZE_MANUAL_CALL_H_
