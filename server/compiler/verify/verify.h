// The stage "verify": every operation is checked by the shape rule that its row of the
// table of operations (server/program/operations.def) names, and by what the
// specification says of it.
//
// Threading: pure; the tables are constant.

#ifndef SERVER_COMPILER_VERIFY_VERIFY_H_
#define SERVER_COMPILER_VERIFY_VERIFY_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "server/program/operations.h"

// Checks every operation by its shape rule: operand counts, attributes,
// and that the result types are those that follow. Unknown operations are UNIMPLEMENTED
// with their place.
POD_MUST_USE pod_status_t compiler_verify(mlir_module_t *module);

// A shape rule: checks operands, attributes and regions of `op`, and says which types its
// results have. Where they do not follow (reshape, iota, convert …) it checks the types
// that the op has and returns those. `out_types` has room for op->result_count.
// Constraints are those of the StableHLO specification; the numbers in comments, (C3),
// are its.
typedef pod_status_t (*compiler_shape_fn_t)(mlir_module_t *module, const mlir_op_t *op,
                                            const mlir_type_t **out_types);

// NULL for a kind that is no row, and for rows without a rule (podium.copy, return). In
// shape.c.
compiler_shape_fn_t compiler_shape_rule(int kind);

// The types that the results of `op` must have, by its row's shape rule. INVALID_ARGUMENT
// as a diagnostic at the operation. What is in its regions is not looked at, except for
// the types of their arguments and of what they return. An op without a rule keeps its
// types.
POD_MUST_USE pod_status_t compiler_infer(mlir_module_t *module, const mlir_op_t *op,
                                         const mlir_type_t **out_types);

// Checks an operation by a rule, its row's or any other: that it holds, and that the
// types the operation declares are those that follow. Operands and results are to be
// tensors of static sizes.
POD_MUST_USE pod_status_t compiler_check_types(mlir_module_t *module, const mlir_op_t *op,
                                               compiler_shape_fn_t rule);

// The same for operations on values of any type, tuples and tensors of sizes not known.
POD_MUST_USE pod_status_t compiler_check_values(mlir_module_t *module,
                                                const mlir_op_t *op,
                                                compiler_shape_fn_t rule);

// For passes that make operations: sets its results' types by compiler_infer. Create the
// op with the types it would have if nothing changed (for reshape, broadcast_in_dim,
// iota, convert and the like with the right ones).
POD_MUST_USE pod_status_t compiler_set_types(mlir_module_t *module, mlir_op_t *op);

#endif  // SERVER_COMPILER_VERIFY_VERIFY_H_
