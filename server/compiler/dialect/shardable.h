// The operations within @main whose result can be given a sharding from outside, by
// number: those with one tensor as result, not in manual computations, where a value is a
// part already. The number of one stays while no pass adds or removes any.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_SHARDABLE_H_
#define SERVER_COMPILER_DIALECT_SHARDABLE_H_

#include "common/mlir/ir.h"

// The one behind `op`; of NULL the first one, which has number 1. NULL: there is none.
mlir_op_t *compiler_next_shardable(const mlir_op_t *main, const mlir_op_t *op);

#endif  // SERVER_COMPILER_DIALECT_SHARDABLE_H_
