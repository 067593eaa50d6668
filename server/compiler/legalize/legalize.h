// The stage "legalize": what a module may hold comes down to the rows of the table of
// operations (server/program/operations.def) in one function, @main, with Shardy's
// annotations. Short and older forms, CHLO, custom calls, grids of programs, tokens,
// GSPMD's annotations and sizes written `?` give way; README.md of server/compiler has
// the list.
//
// Threading: pure. Errors: see compiler.h. Ownership: what it makes is in the module's
// arena.

#ifndef SERVER_COMPILER_LEGALIZE_LEGALIZE_H_
#define SERVER_COMPILER_LEGALIZE_LEGALIZE_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Puts StableHLO in place of operations that are short for it (chlo.square).
POD_MUST_USE pod_status_t compiler_expand(mlir_module_t *module);

// Puts the bodies of called functions in place of func.call (and of composite-like
// sdy.named_computation), until only @main is left. INVALID_ARGUMENT for cycles and
// missing functions.
POD_MUST_USE pod_status_t compiler_inline(mlir_module_t *module);

#endif  // SERVER_COMPILER_LEGALIZE_LEGALIZE_H_
