// Tokens give way: what they order is what the text of a program orders already.
//
// Threading: pure.

#ifndef SERVER_COMPILER_LEGALIZE_TOKENS_H_
#define SERVER_COMPILER_LEGALIZE_TOKENS_H_

#include "common/mlir/ir.h"

// Callers of @main pass a token as JAX does, as an array of pred without elements: the
// tokens that @main takes and gives become such arrays. One that comes in orders nothing,
// since executions follow each other; one that goes out is there when the execution ends.
void tokens_of_main(mlir_module_t *module);

// The tokens that a function's type names become `by`; what is no function's type stays,
// for the verifier.
void tokens_replace_in_signature(mlir_module_t *module, mlir_op_t *function,
                                 const mlir_type_t *by);

// Takes the values of type !stablehlo.token out of a module: operands, results, arguments
// of functions and loops, and the operations that only make them. Tokens inside of tuples
// stay. Linear in the module; one walk where there are none.
void tokens_remove(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_TOKENS_H_
