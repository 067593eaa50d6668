// Padding: from a program over whole arrays whose shardings need not divide them to one
// whose shardings do. A dimension of n elements over s pieces becomes one of s·ceil(n/s)
// elements, the last of which are padding: nobody says what is in it, so that operations
// that map element to element cost nothing for it, and those that would see it (sums,
// contractions, whatever moves elements along the dimension) get it masked, or the array
// without it.
//
// Ownership: what is made is in the arena of `shardings` and beside its module.
// Threading: pure. Determinism: follows from the module and the shardings.
// Errors: those of the sharding rules.

#ifndef SERVER_COMPILER_PARTITION_PAD_H_
#define SERVER_COMPILER_PARTITION_PAD_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "server/compiler/partition/propagate.h"
#include "server/compiler/partition/shardings.h"

// Whether some value's axes do not divide it, or what is sliced and joined does not.
bool pad_is_needed(const shardings_t *shardings, const propagation_t *propagation);

// Makes the padded program, beside the module of `shardings`, and what propagation says
// of its values; arguments and results have the same shardings.
POD_MUST_USE pod_status_t pad_program(const shardings_t *shardings,
                                      const propagation_t *propagation,
                                      mlir_module_t **out_module,
                                      propagation_t *out_propagation);

#endif  // SERVER_COMPILER_PARTITION_PAD_H_
