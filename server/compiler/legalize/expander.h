// What the files of the pass `expand` share: an operation that gives way, and how to make
// what stands for it. Private to them.

#ifndef SERVER_COMPILER_LEGALIZE_EXPANDER_H_
#define SERVER_COMPILER_LEGALIZE_EXPANDER_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

typedef struct expander_t {
  mlir_module_t *module;
  mlir_op_t *op;  // That gives way.
} expander_t;

// Gives what stands for each result of the operation.
typedef pod_status_t (*expand_fn_t)(expander_t *expander, mlir_value_t **out_results);

// A new operation of one result (none when `type` is NULL) before the one that gives way.
mlir_op_t *expand_emit(expander_t *expander, const char *name, int operand_count,
                       mlir_value_t *const *operands, const mlir_type_t *type);
mlir_value_t *expand_emit_unary(expander_t *expander, const char *name,
                                mlir_value_t *operand, const mlir_type_t *type);
// Of the type of `a`.
mlir_value_t *expand_emit_binary(expander_t *expander, const char *name, mlir_value_t *a,
                                 mlir_value_t *b);
// A constant of one value.
mlir_value_t *expand_emit_splat(expander_t *expander, const mlir_type_t *type,
                                double value);
// Dimension d of the operand becomes dims[d] of `type`.
mlir_value_t *expand_emit_broadcast(expander_t *expander, mlir_value_t *operand,
                                    const mlir_type_t *type, int count,
                                    const int64_t *dims);
void expand_set_attr(expander_t *expander, mlir_op_t *op, const char *name,
                     const mlir_attr_t *value);

// --- Chips and groups (expand_chips.c, expand_ragged.c) ---

mlir_value_t *expand_emit_dense(expander_t *expander, tensor_dtype_t dtype, int rank,
                                const int64_t *dims, const void *data);
mlir_value_t *expand_emit_i64(expander_t *expander, int64_t value);
// Slice `starts` of `from`, of size 1 in the first `picked` dimensions, as `type`.
mlir_value_t *expand_emit_pick(expander_t *expander, mlir_value_t *from, int picked,
                               mlir_value_t *const *starts, const mlir_type_t *type);
// The chip's number as an i64.
mlir_value_t *expand_emit_chip(expander_t *expander);
// A table by chip, looked up with the chip's number: false and 0 behind its end.
mlir_value_t *expand_emit_lookup(expander_t *expander, int64_t count, const bool *table);
mlir_value_t *expand_emit_lookup_i64(expander_t *expander, int64_t count,
                                     const int64_t *table);
mlir_value_t *expand_emit_choice(expander_t *expander, mlir_value_t *flag,
                                 mlir_value_t *then, mlir_value_t *otherwise);
// What the chips of a group of `size` have, side by side in their order.
mlir_value_t *expand_emit_gather_group(expander_t *expander, int64_t size,
                                       const mlir_attr_t *groups, mlir_value_t *value);

// Rows of `size` ids, with -1 behind the last of a short one; `chips` is the largest id
// plus 1, `named` how many there are.
typedef struct expand_groups_t {
  int64_t count, size, chips, named;
  const int64_t *ids;
} expand_groups_t;
// The operation's replica_groups, which must name a chip and none twice.
POD_MUST_USE pod_status_t expand_groups(expander_t *expander,
                                        expand_groups_t *out_groups);

// --- The expansions ---

// Each gives what stands for the results of the operation. expand_collectives.c:
POD_MUST_USE pod_status_t expand_collective_broadcast(expander_t *expander,
                                                      mlir_value_t **out_results);
// Of one operand or more; the other one with roots behind them.
POD_MUST_USE pod_status_t expand_broadcast_from_root(expander_t *expander,
                                                     mlir_value_t **out_results);
// Takes one operand or more, perhaps roots behind them, and a region.
POD_MUST_USE pod_status_t expand_collective_reduce(expander_t *expander,
                                                   mlir_value_t **out_results);
// all_reduce, or what it is of a collective_reduce, over groups of different sizes.
bool expand_is_ragged(mlir_module_t *module, const mlir_op_t *op);
POD_MUST_USE pod_status_t expand_ragged(expander_t *expander, mlir_value_t **out_results);

// ragged_all_to_all.c:
POD_MUST_USE pod_status_t expand_ragged_all_to_all(expander_t *expander,
                                                   mlir_value_t **out_results);

// expand.c: a collective of Shardy's as a reshard.
POD_MUST_USE pod_status_t expand_reshard(expander_t *expander,
                                         mlir_value_t **out_results);

// sdy_reduce.c:
POD_MUST_USE pod_status_t expand_sdy_all_reduce(expander_t *expander,
                                                mlir_value_t **out_results);

// expand_promote.c: a reduction in a wider type takes converted operands, and so does a
// product whose operands are of two types.
void expand_promote(mlir_module_t *module, mlir_op_t *op);

// expand_dynamic.c:
POD_MUST_USE pod_status_t expand_dynamic_reshape(expander_t *expander,
                                                 mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dynamic_iota(expander_t *expander,
                                              mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dynamic_broadcast(expander_t *expander,
                                                   mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dynamic_pad(expander_t *expander,
                                             mlir_value_t **out_results);
// Of a real_dynamic_slice that begins where the program says and takes as many as are
// known, as JAX writes dynamic_slice of symbolic sizes: its limits are its starts plus a
// constant, its strides 1.
bool expand_slice_sizes(mlir_module_t *module, const mlir_op_t *op,
                        const int64_t **out_sizes);
POD_MUST_USE pod_status_t expand_real_dynamic_slice(expander_t *expander,
                                                    mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dynamic_gather(expander_t *expander,
                                                mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dynamic_conv(expander_t *expander,
                                              mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_dimension_size(expander_t *expander,
                                                mlir_value_t **out_results);
// An operand that is a constant, as a list of `count` integers. UNIMPLEMENTED for others.
POD_MUST_USE pod_status_t expand_constant_operand(expander_t *expander, int index,
                                                  int64_t count,
                                                  const int64_t **out_values);

// expand_custom.c: how a custom call is expanded; NULL for targets that are not known.
expand_fn_t expand_find_custom(const mlir_op_t *op);
// A custom call whose results are its operands.
bool expand_keeps_operands(const mlir_op_t *op);

// For tests, which want all of them: the targets of custom calls, and the operations that
// the pass takes away or checks. Literals; NULL behind the last.
const char *expand_custom_target(int index);
const char *expand_operation(int index);

// expand_norm.c:
POD_MUST_USE pod_status_t expand_norm_inference(expander_t *expander,
                                                mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_norm_training(expander_t *expander,
                                               mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_norm_grad(expander_t *expander,
                                           mlir_value_t **out_results);

// broadcast.c: chlo.broadcast_*.
bool expand_is_broadcasting(const mlir_op_t *op);
POD_MUST_USE pod_status_t expand_broadcasting(expander_t *expander,
                                              mlir_value_t **out_results);

// decomposition.c: custom calls of decompositions of matrices.
POD_MUST_USE pod_status_t expand_decomposition(expander_t *expander,
                                               mlir_value_t **out_results);
POD_MUST_USE pod_status_t expand_eigh(expander_t *expander, mlir_value_t **out_results);

// lapack_calls.c: what JAX asks LAPACK on a CPU; NULL for targets that are not known, or
// with other operands and results.
expand_fn_t expand_find_lapack(const mlir_op_t *call, const char *target);

// expand_random.c: stablehlo.rng.
POD_MUST_USE pod_status_t expand_rng(expander_t *expander, mlir_value_t **out_results);

// expand_ragged_dot.c:
POD_MUST_USE pod_status_t expand_ragged_dot(expander_t *expander,
                                            mlir_value_t **out_results);

#endif  // SERVER_COMPILER_LEGALIZE_EXPANDER_H_
