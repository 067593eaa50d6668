// Sharding propagation: from the shardings that the user gave (arguments, results,
// constraints, manual computations) to one for every value of @main.
//
// The method is Shardy's (https://github.com/openxla/shardy, docs/propagation.md), nested
// loops from the outside in: the user's priorities p0, p1, …; the kinds of operations
// (elementwise and reshapes first, then what passes dimensions through, then all,
// broadcasts from operand to result last, but for those that only add dimensions of one
// element: XLA has made reshapes of them before Shardy sees them); and, to a fixpoint,
// the aggressive step along the factors of an operation: the longest axes on which its
// tensors agree, or the larger tensor's where they do not.
//
// Where it differs: axes that do not divide a dimension spread from where the user has
// put them, to what has the same dimension, and not to arguments and results; and
// constants, iotas and their broadcasts are made anew for every use, so that no sharding
// travels from one use to another.
//
// Determinism: the result depends on the module's text only. Cost: linear in the module
// per round; rounds end because shardings only ever grow.
// Ownership: everything is in the arena of `shardings`. Threading: pure.

#ifndef SERVER_COMPILER_PARTITION_PROPAGATE_H_
#define SERVER_COMPILER_PARTITION_PROPAGATE_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/shardings.h"

typedef struct propagation_t {
  const mesh_t *mesh;
  // The program gives no shardings at all: every value is whole on every chip, and there
  // are no factors.
  bool is_whole;
  // By value id. Of a value in a manual computation: how its local tensor is sharded over
  // the axes that are not manual. NULL for what has no sharding: values in regions of
  // reduce and the like, results that are made anew for every use.
  const sharding_t **values;
  const sharding_t **arguments, **results;  // Of @main.
  // The factors of the operations that have a rule, by the id of their first result; NULL
  // for the others.
  const factors_t **factors;
} propagation_t;

// The module passed compiler_verify and compiler_inline. INVALID_ARGUMENT for a sharding
// that is wrong in itself, at the place.
POD_MUST_USE pod_status_t propagate_shardings(const shardings_t *shardings,
                                              propagation_t *out_propagation);

// Whether a value is a constant, an iota, or a broadcast of one: made anew wherever it is
// used, in the sharding that the use wants.
bool propagate_is_remade(const mlir_value_t *value);

// The body of @main, or NULL.
mlir_block_t *propagate_main_block(const mlir_module_t *module);

#endif  // SERVER_COMPILER_PARTITION_PROPAGATE_H_
