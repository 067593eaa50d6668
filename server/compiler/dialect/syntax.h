// The pretty forms of the dialects a program may hold: stablehlo, chlo, sdy, mhlo.
// compiler_parse reads them; give compiler_syntax_lookup to mlir_print.
//
// The pretty and the generic form of an operation give the same IR: attributes under
// StableHLO's own names (broadcast_dimensions, dot_dimension_numbers …), of the same
// kinds.
//
// Threading: pure; the tables are constant.

#ifndef SERVER_COMPILER_DIALECT_SYNTAX_H_
#define SERVER_COMPILER_DIALECT_SYNTAX_H_

#include "common/mlir/parser.h"

// mlir_parse with these forms; the operations have their kinds (kinds.h). `text` may also
// be MLIR bytecode, or what jax.export writes around it: told by what it begins with.
POD_MUST_USE pod_status_t compiler_parse(const char *file_name, const char *text,
                                         int64_t length, mlir_module_t **out_module);

// NULL for operations that have only the generic form. `name` with its dialect:
// "stablehlo.add".
const mlir_syntax_t *compiler_syntax_lookup(const char *name);

#endif  // SERVER_COMPILER_DIALECT_SYNTAX_H_
