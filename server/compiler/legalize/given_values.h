// Shardings from outside for what operations within @main make (shardable.h): a
// constraint behind the operation, or what a constraint that is there says instead.
//
// Threading, ownership and errors: as in given.h.

#ifndef SERVER_COMPILER_LEGALIZE_GIVEN_VALUES_H_
#define SERVER_COMPILER_LEGALIZE_GIVEN_VALUES_H_

#include "server/compiler/legalize/given.h"

// Of given->values.
POD_MUST_USE pod_status_t given_values_apply(mlir_module_t *module, const mlir_op_t *main,
                                             const mesh_t *mesh,
                                             const compiler_given_t *given);

#endif  // SERVER_COMPILER_LEGALIZE_GIVEN_VALUES_H_
