// What is computed again (rematerialised): HFU counts it, MFU does not. Locations say so,
// as JAX writes them in the backward pass of what jax.checkpoint is around.
//
// Threading: pure but for the module's arena.

#ifndef SERVER_COMPILER_DIALECT_RECOMPUTED_H_
#define SERVER_COMPILER_DIALECT_RECOMPUTED_H_

#include <stdbool.h>

#include "common/mlir/ir.h"

typedef enum recomputed_t {
  RECOMPUTED_NO = 0,
  RECOMPUTED_YES,
  RECOMPUTED_UNKNOWN,  // The operation has no name.
} recomputed_t;

recomputed_t compiler_recomputed(const mlir_op_t *op);

// From now on RECOMPUTED_YES of the operation and all in its regions, if they have names.
void compiler_mark_recomputed(mlir_module_t *module, mlir_op_t *op);

#endif  // SERVER_COMPILER_DIALECT_RECOMPUTED_H_
