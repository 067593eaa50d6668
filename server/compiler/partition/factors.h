// Sharding rules. An operation's rule says which dimensions of its operands and results
// are the same thing, in the manner of an einsum: every dimension is a list of factors,
// and dimensions that share a factor can be sharded alike.
//
//   dot_general  [8,2048] x [2048,8192]   (i,k)(k,j)->(i,j)   i=8 j=8192 k=2048 (reduced)
//   reshape      [8,32] -> [256]          (i,j)->(ij)         i=8 j=32
//   transpose    [2,3] -> [3,2]           (i,j)->(j,i)        i=2 j=3
//
// Propagation (propagate.h) and partitioning (partition.h) read rules and know no
// operation by name, except where one really is special. The idea and the kinds are
// Shardy's (https://github.com/openxla/shardy, docs/propagation.md,
// sdy.op_sharding_rule).
//
// Ownership: a rule lives in the arena given.
// Threading: pure.
// Errors: none for an operation that passed compiler_verify, save UNIMPLEMENTED as noted.

#ifndef SERVER_COMPILER_PARTITION_FACTORS_H_
#define SERVER_COMPILER_PARTITION_FACTORS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/mlir/ir.h"

typedef enum factor_kind_t {
  // The operation works on each piece of the factor by itself: sharded operands give
  // sharded results.
  FACTOR_PASS = 0,
  // Only in operands, and summed (or reduced by the operation's region) away: sharded
  // operands give partial results, to be reduced over the axes of the factor.
  FACTOR_REDUCTION,
  // The operation needs all of it on every chip (the digits of a reshape out of step).
  FACTOR_REPLICATE,
  // Elements move along it (slice, pad, concatenate, reverse, windows), or an index says
  // which of them change: chips get from others what they need of it, where move.h says
  // how, or else the operation needs all of it. Only in operands: chips do the operation
  // to their shards, and again to what came out of all.
  FACTOR_PERMUTATION,
  // Only in operands: an index picks elements of it. Each chip gives those that it has:
  // partial results, as of a reduction.
  FACTOR_PICKED,
} factor_kind_t;

typedef struct factor_t {
  int64_t size;  // >= 1. Of the largest dimension when those of a PERMUTATION differ.
  factor_kind_t kind;
  bool is_blocked;  // No sharding spreads along it.
  int64_t kept;     // Of a sort: how many of the first elements are looked at.
} factor_t;

// The factors of one dimension, major to minor. Their sizes multiply to the dimension's,
// except for REPLICATE and PERMUTATION factors, which stand alone in their dimension.
// Empty: the dimension takes no part (size 1 that comes or goes), and is not sharded.
typedef struct factor_list_t {
  int count;
  const int *factors;  // Indexes into factors_t.factors.
} factor_list_t;

typedef struct factor_tensor_t {
  int rank;
  factor_list_t *dims;
} factor_tensor_t;

typedef struct factors_t {
  int factor_count;
  factor_t *factors;
  int operand_count, result_count;
  factor_tensor_t *operands, *results;  // As many as the operation has.
} factors_t;

// Makes the rule of `op`. `out` is in `arena`.
typedef pod_status_t (*factors_fn_t)(mlir_module_t *module, const mlir_op_t *op,
                                     pod_arena_t *arena, factors_t **out);

// One per distinct entry of the column `factors` of operations.def. NULL stands for
// `none`: no rule, or one that partition.c writes out itself.
#define factors_none NULL
#define FACTORS_DECLARE(name)                                                          \
  POD_MUST_USE pod_status_t factors_##name(mlir_module_t *module, const mlir_op_t *op, \
                                           pod_arena_t *arena, factors_t **out)
FACTORS_DECLARE(replicated);   // No factors: whole on every chip.
FACTORS_DECLARE(sink);         // Every operand dimension a factor of its own.
FACTORS_DECLARE(leaf);         // Every result dimension a factor of its own.
FACTORS_DECLARE(random);       // Likewise of what is drawn; the state is whole.
FACTORS_DECLARE(elementwise);  // Scalars among the operands (clamp, select) have none.
FACTORS_DECLARE(broadcast_in_dim);
FACTORS_DECLARE(reshape);
FACTORS_DECLARE(transpose);
FACTORS_DECLARE(slice);
FACTORS_DECLARE(dynamic_slice);
FACTORS_DECLARE(dynamic_update_slice);
FACTORS_DECLARE(concatenate);
FACTORS_DECLARE(pad);
FACTORS_DECLARE(reverse);
FACTORS_DECLARE(reduce);
FACTORS_DECLARE(dot_general);
FACTORS_DECLARE(gather);
FACTORS_DECLARE(scatter);
FACTORS_DECLARE(sort);
FACTORS_DECLARE(top_k);
FACTORS_DECLARE(map);
FACTORS_DECLARE(reduce_window);
FACTORS_DECLARE(select_and_scatter);
FACTORS_DECLARE(convolution);
FACTORS_DECLARE(fft);
FACTORS_DECLARE(cholesky);
FACTORS_DECLARE(triangular_solve);
FACTORS_DECLARE(decomposition);
FACTORS_DECLARE(bitcast_convert);
FACTORS_DECLARE(kernel);             // What the user says, else whole on every chip.
FACTORS_DECLARE(variadic_identity);  // Result i is operand i, factor by factor.
#undef FACTORS_DECLARE

// "(i,k)(k,j)->(i,j) {i=8, j=8192, k=2048} reduction={k}", for tests and logs.
void factors_print(pod_text_t *text, const factors_t *factors);

// The sharding rule of a row, by the column `factors` of operations.def. NULL for a kind
// that is no row, and for rows without a rule.
factors_fn_t compiler_factors_rule(int kind);

#endif  // SERVER_COMPILER_PARTITION_FACTORS_H_
