// The pretty forms of the dialects a program may hold: stablehlo, chlo, sdy, mhlo. Give
// compiler_syntax_lookup to mlir_parse and mlir_print.
//
// The pretty and the generic form of an operation give the same IR: attributes under
// StableHLO's own names (broadcast_dimensions, dot_dimension_numbers …), of the same
// kinds.
//
// Threading: pure; the tables are constant.

#ifndef SERVER_COMPILER_SYNTAX_H_
#define SERVER_COMPILER_SYNTAX_H_

#include "common/mlir/parser.h"

// NULL for operations that have only the generic form. `name` with its dialect:
// "stablehlo.add".
const mlir_syntax_t *compiler_syntax_lookup(const char *name);

#endif  // SERVER_COMPILER_SYNTAX_H_
