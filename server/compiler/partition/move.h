// Operations that move elements along a dimension, on shards of that dimension.
//
// A factor of kind PERMUTATION or PICKED (factors.h) may be sharded where this file says
// so: each chip gets from its neighbours what its part of the result is made of
// (halo.h), or works on what it has and leaves out the rest.
//
// Threading: one thread at a time. Ownership: what is made is the partitioner's.

#ifndef SERVER_COMPILER_PARTITION_MOVE_H_
#define SERVER_COMPILER_PARTITION_MOVE_H_

#include <stdbool.h>

#include "server/compiler/partition/partitioner.h"

// Whether `op` can work on shards of the factor over `axes`, which divide it wherever it
// stands.
bool move_allows(partitioner_t *partitioner, const mlir_op_t *op,
                 const factors_t *factors, int factor, const axes_t *axes);

// What a chip receives while it works so, of all factors that move elements.
partition_cost_t move_cost(partitioner_t *partitioner, const mlir_op_t *op,
                           const factors_t *factors, const axes_t *axes);

// Writes `op` for a choice that shards such factors. `local` is the operation on local
// operands, with its local results' types, not yet in a block. Results are put into
// `out_results`.
void move_write(partitioner_t *partitioner, const mlir_op_t *op, const choice_t *choice,
                mlir_op_t *local, mlir_value_t **out_results);

// Whether a reduction only chooses among its operands, as argmax does, so that it may
// start from its initial values more than once.
bool move_reduces_by_choice(const mlir_op_t *op);

// How many of the first elements of what `op` sorts are looked at, when that is known and
// few: slices are all that uses it. 0: all.
int64_t move_sorted_few(const mlir_op_t *op);

// What combines the parts of the results of an operation that picks elements; NONE when
// nothing does so exactly.
chip_reducer_t move_reducer(const mlir_op_t *op);

#endif  // SERVER_COMPILER_PARTITION_MOVE_H_
