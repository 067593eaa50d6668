// The passes of the compiler, in the order in which pipeline.c runs them. All work on
// MLIR in memory (common/mlir/ir.h); op->kind holds the row of the table of operations
// (chip_op_t; CHIP_OP_INVALID for func, sdy and other operations that are no rows).
//
// Threading: pure. Errors: see compiler.h. Ownership: what they make is in the module's
// arena.

#ifndef SERVER_COMPILER_PASSES_H_
#define SERVER_COMPILER_PASSES_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "server/compiler/compiler.h"

// Puts StableHLO in place of operations that are short for it (chlo.square).
POD_MUST_USE pod_status_t compiler_expand(mlir_module_t *module);

// Sets op->kind, checks every operation by its shape rule: operand counts, attributes,
// and that the result types are those that follow. Unknown operations are UNIMPLEMENTED
// with their place.
POD_MUST_USE pod_status_t compiler_verify(mlir_module_t *module);

// Puts the bodies of called functions in place of func.call (and of composite-like
// sdy.named_computation), until only @main is left. INVALID_ARGUMENT for cycles and
// missing functions.
POD_MUST_USE pod_status_t compiler_inline(mlir_module_t *module);

// The attribute of a collective that the partitioner put in: the mesh axes it runs over,
// "y" or "x,y". What the user wrote does not have it.
#define COMPILER_AXES_ATTR "podium.axes"

// The attribute of a collective that overlaps with what follows, up to the
// podium.async_done that names its results.
#define COMPILER_ASYNC_ATTR "podium.async"

// The SPMD program and how its global arguments and results lie.
typedef struct compiler_partitioned_t {
  // @main over local shapes; only rows of the table; owned by the caller.
  mlir_module_t *module;
  pod_arena_t *arena;  // The module's: mesh and shardings live in it.
  const mesh_t *mesh;
  int32_t argument_count, result_count;
  const sharding_t **argument_shardings, **result_shardings;
  tensor_shape_t *argument_shapes, *result_shapes;  // Global.
} compiler_partitioned_t;

// Propagates the shardings of arguments, results, constraints and manual computations
// over @main and writes the program of one chip, with the collectives that it needs. Does
// not change `module`. A module without shardings on a pod of n chips runs replicated on
// a mesh of n.
POD_MUST_USE pod_status_t compiler_partition(mlir_module_t *module, int64_t device_count,
                                             compiler_partitioned_t *out_partitioned);

// Dead code and common subexpressions go; identities (reshape to the same shape,
// transpose by the identity, slices of everything, convert to the same type, barriers)
// go; constants of scalars fold.
POD_MUST_USE pod_status_t compiler_simplify(mlir_module_t *module);

// Instructions, buffers, constants. The program has an arena of its own.
POD_MUST_USE pod_status_t compiler_lower(const compiler_partitioned_t *partitioned,
                                         chip_program_t **out_program);

#endif  // SERVER_COMPILER_PASSES_H_
