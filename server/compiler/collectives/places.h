// Integers that a chip's program works out from its partition_id, worked out for any
// chip.
//
// Private to the folder. Threading: pure.

#ifndef SERVER_COMPILER_COLLECTIVES_PLACES_H_
#define SERVER_COMPILER_COLLECTIVES_PLACES_H_

#include "server/compiler/collectives/rewrite.h"

// An integer of one element, as `device` has it. False: it depends on something else, or
// comes near the end of a type's range, where arithmetic goes round.
bool places_evaluate(const mlir_value_t *value, int64_t device, int64_t *out);

// Whether all chips of each of the collective's groups have the same value of one
// element.
bool places_are_alike(const rewrite_t *rewrite, const mlir_op_t *collective,
                      const mlir_value_t *value);

#endif  // SERVER_COMPILER_COLLECTIVES_PLACES_H_
