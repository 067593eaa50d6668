// Collectives whose algorithm the user chooses instead of the planner.
//
// Threading: pure. Private to the compiler.

#ifndef SERVER_COMPILER_ALGORITHMS_H_
#define SERVER_COMPILER_ALGORITHMS_H_

#include "common/mlir/ir.h"
#include "server/compiler/compiler.h"

// Marks the program's collectives as options->algorithms says (compiler.h). `sources[i]`
// is the operation that instruction i comes from, or NULL. INVALID_ARGUMENT: a text that
// names no collective or algorithm. UNIMPLEMENTED, at the operation: an algorithm that
// does not do this collective over these groups.
POD_MUST_USE pod_status_t algorithms_apply(const compiler_options_t *options,
                                           const mlir_module_t *module,
                                           const mlir_op_t *const *sources,
                                           chip_program_t *program);

#endif  // SERVER_COMPILER_ALGORITHMS_H_
