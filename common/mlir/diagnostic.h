// What a user is told about a module: file:line:column, what is wrong, the source line
// with a caret under the place.
//
//   mm.mlir:4:10: 'stablehlo.dot_general': contracting dimensions differ: 2048 of lhs
//   dimension 1, 1024 of rhs dimension 0
//       %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
//            ^
//
// Threading: pure.
// Ownership: statuses are returned owned.

#ifndef COMMON_MLIR_DIAGNOSTIC_H_
#define COMMON_MLIR_DIAGNOSTIC_H_

#include <stdarg.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Lists where the lines of the module's source begin: positions are found in no time from
// then on, and mlir_op_source gives them where an operation has no location.
void mlir_index_lines(mlir_module_t *module);

// Lines and columns count from 1; 0, 0 for position 0.
void mlir_line_and_column(const mlir_module_t *module, mlir_position_t position,
                          int *out_line, int *out_column);

POD_MUST_USE POD_PRINTF(4, 5) pod_status_t
    mlir_error_at(const mlir_module_t *module, mlir_position_t position, pod_code_t code,
                  const char *format, ...);

POD_MUST_USE pod_status_t mlir_verror_at(const mlir_module_t *module,
                                         mlir_position_t position, pod_code_t code,
                                         const char *format, va_list args);

// The same at an operation: the message starts with the operation's name in quotes.
// INVALID_ARGUMENT unless given otherwise.
POD_MUST_USE POD_PRINTF(4, 5) pod_status_t
    mlir_op_error(const mlir_module_t *module, const mlir_op_t *op, pod_code_t code,
                  const char *format, ...);

// Where the program says it comes from (loc): "train.py:12:7" or "jit(f)/dot_general".
// When it does not say, where it stands in its own file, if the module has the lines of
// it. "" when unknown. In the module's arena.
const char *mlir_op_source(mlir_module_t *module, const mlir_op_t *op);

// The same in another arena.
const char *mlir_op_source_in(pod_arena_t *arena, const mlir_module_t *module,
                              const mlir_op_t *op);

// The part of a location that gives the innermost place in a file; NULL when none does.
// `location` may be NULL.
const mlir_attr_t *mlir_location_file(const mlir_attr_t *location);

// The part of a location that gives a name, "jit(f)/dot_general"; NULL when none does.
// `location` may be NULL.
const mlir_attr_t *mlir_location_name(const mlir_attr_t *location);

#endif  // COMMON_MLIR_DIAGNOSTIC_H_
