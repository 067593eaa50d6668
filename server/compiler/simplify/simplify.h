// The stage "simplify": dead and double code, identities, integer constants; the same
// bits come out. Below compiler_simplify are its parts, private to this folder.
//
// Threading: pure.

#ifndef SERVER_COMPILER_SIMPLIFY_SIMPLIFY_H_
#define SERVER_COMPILER_SIMPLIFY_SIMPLIFY_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/mlir/replacements.h"

// Dead code and common subexpressions go; identities (reshape to the same shape,
// transpose by the identity, slices of everything, convert to the same type) go;
// constants of scalars fold. Nothing is merged across a barrier, which goes in the end.
POD_MUST_USE pod_status_t compiler_simplify(mlir_module_t *module);

// simplify_identity.c: the operand that the single result of `op` equals, element by
// element; NULL when it equals none.
mlir_value_t *simplify_identity(mlir_module_t *module, const mlir_op_t *op);

// simplify_fold.c: the constant that the single result of `op` is; NULL when it is not
// known, or only with rounding that a kernel might do otherwise. The attribute's type is
// the result's.
const mlir_attr_t *simplify_fold(mlir_module_t *module, const mlir_op_t *op);

// simplify_common.c: operations that have been seen, by what they compute.
typedef struct simplify_seen_t simplify_seen_t;
simplify_seen_t *simplify_seen_create(void);
void simplify_seen_destroy(simplify_seen_t *seen);
// An earlier operation that computes the same and whose results are visible where `op`
// stands; otherwise NULL, and `op` is entered.
mlir_op_t *simplify_seen_find(simplify_seen_t *seen, mlir_op_t *op);

// simplify_loop.c: puts a loop in place of `op` that carries only the values `i` with
// keep[i], and returns it. Uses of its results are replaced; the arguments and results
// that go must have no use left, or a replacement.
mlir_op_t *simplify_shrink_loop(mlir_module_t *module, mlir_op_t *op, const bool *keep,
                                mlir_replacements_t *replacements);

// simplify_loop.c: puts the body of a loop that turns exactly once in its place. Returns
// the first operation of what stands there, NULL when it is no such loop. Uses of its
// arguments and results are replaced.
mlir_op_t *simplify_unroll_once(mlir_op_t *loop, mlir_replacements_t *replacements);

// Does something beside its results: it is neither taken out nor merged with another.
bool simplify_has_effect(const mlir_op_t *op);

// simplify_dead.c: takes out what contributes to no result of `function`, and the values
// that loops carry to no purpose. Returns whether a loop lost some.
// Every operand is replaced on the way.
bool simplify_dead(mlir_module_t *module, mlir_op_t *function,
                   mlir_replacements_t *replacements);

#endif  // SERVER_COMPILER_SIMPLIFY_SIMPLIFY_H_
