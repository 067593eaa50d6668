// What the shape rules share, and their list. Private to the compiler's shape*.c.
//
// Threading: pure. Errors: INVALID_ARGUMENT at the operation.

#ifndef SERVER_COMPILER_VERIFY_SHAPE_H_
#define SERVER_COMPILER_VERIFY_SHAPE_H_

#include "common/base/status.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/ir.h"
#include "server/compiler/dialect/attributes.h"
#include "server/program/operations.h"

// One per distinct entry of the column `shape` of operations.def.
#define shape_none NULL
#define SHAPE_DECLARE(name)                                                          \
  POD_MUST_USE pod_status_t shape_##name(mlir_module_t *module, const mlir_op_t *op, \
                                         const mlir_type_t **out_types)
// shape_elementwise.c
SHAPE_DECLARE(binary);
SHAPE_DECLARE(unary);
SHAPE_DECLARE(is_finite);
SHAPE_DECLARE(convert);
SHAPE_DECLARE(compare);
SHAPE_DECLARE(select);
SHAPE_DECLARE(clamp);
// shape_movement.c
SHAPE_DECLARE(constant);
SHAPE_DECLARE(iota);
SHAPE_DECLARE(device_id);
SHAPE_DECLARE(broadcast_in_dim);
SHAPE_DECLARE(reshape);
SHAPE_DECLARE(transpose);
SHAPE_DECLARE(slice);
SHAPE_DECLARE(dynamic_slice);
SHAPE_DECLARE(dynamic_update_slice);
SHAPE_DECLARE(concatenate);
SHAPE_DECLARE(pad);
SHAPE_DECLARE(reverse);
// shape_contraction.c
SHAPE_DECLARE(reduce);
SHAPE_DECLARE(dot_general);
// shape_array.c
SHAPE_DECLARE(gather);
SHAPE_DECLARE(dynamic_gather);
SHAPE_DECLARE(scatter);
SHAPE_DECLARE(sort);
SHAPE_DECLARE(top_k);
SHAPE_DECLARE(map);
SHAPE_DECLARE(reduce_window);
SHAPE_DECLARE(select_and_scatter);
SHAPE_DECLARE(convolution);
SHAPE_DECLARE(dynamic_conv);
// shape_bits.c
SHAPE_DECLARE(complex_part);
SHAPE_DECLARE(complex);
SHAPE_DECLARE(bitcast_convert);
SHAPE_DECLARE(reduce_precision);
SHAPE_DECLARE(fft);
SHAPE_DECLARE(triangular_solve);
SHAPE_DECLARE(cholesky);
SHAPE_DECLARE(rng_bit_generator);
// shape_decomposition.c
SHAPE_DECLARE(qr);
SHAPE_DECLARE(householder_product);
SHAPE_DECLARE(lu);
SHAPE_DECLARE(eigh);
// shape_host.c
SHAPE_DECLARE(dce_sink);
SHAPE_DECLARE(kernel);
SHAPE_DECLARE(host_send);
SHAPE_DECLARE(host_recv);
// shape_control.c
SHAPE_DECLARE(while);
SHAPE_DECLARE(if);
SHAPE_DECLARE(case);
SHAPE_DECLARE(variadic_identity);
SHAPE_DECLARE(check);
// shape_collective.c
SHAPE_DECLARE(all_reduce);
SHAPE_DECLARE(all_gather);
SHAPE_DECLARE(reduce_scatter);
SHAPE_DECLARE(all_to_all);
SHAPE_DECLARE(collective_permute);
SHAPE_DECLARE(collective_broadcast);
SHAPE_DECLARE(collective_reduce);
// shape_chlo.c
SHAPE_DECLARE(same_type);
SHAPE_DECLARE(is_inf);
SHAPE_DECLARE(broadcasting);
SHAPE_DECLARE(ragged_dot);
// shape_expanded.c: of operations that are no rows, see compiler_check_types.
SHAPE_DECLARE(batch_norm);
SHAPE_DECLARE(broadcast);
SHAPE_DECLARE(composite);
SHAPE_DECLARE(custom_call);
SHAPE_DECLARE(dot);
SHAPE_DECLARE(dynamic_broadcast_in_dim);
SHAPE_DECLARE(dynamic_edges);
SHAPE_DECLARE(dynamic_iota);
SHAPE_DECLARE(dynamic_reshape);
SHAPE_DECLARE(get_dimension_size);
SHAPE_DECLARE(get_tuple_element);
SHAPE_DECLARE(rng);
SHAPE_DECLARE(tuple);
#undef SHAPE_DECLARE

// --- For the rules ---

#define SHAPE_ERROR(...) mlir_op_error(module, op, POD_INVALID_ARGUMENT, __VA_ARGS__)

enum { SHAPE_ANY = -1 };

// UNIMPLEMENTED or INVALID_ARGUMENT if `type` is no tensor of static sizes that memory
// can hold; the message calls it "`what` `index`".
POD_MUST_USE pod_status_t shape_check_tensor(mlir_module_t *module, const mlir_op_t *op,
                                             const char *what, int index,
                                             const mlir_type_t *type);

// Counts that must be as given, SHAPE_ANY apart.
POD_MUST_USE pod_status_t shape_arity(mlir_module_t *module, const mlir_op_t *op,
                                      int operands, int results, int regions);

// "tensor<8x2048xbf16>", in the module's arena: for messages.
const char *shape_text(mlir_module_t *module, const tensor_shape_t *shape);
// The same for types that may be no tensors.
const char *shape_type_text(mlir_module_t *module, const mlir_type_t *type);

static inline const tensor_shape_t *shape_operand(const mlir_op_t *op, int index) {
  return &op->operands[index]->type->shape;
}

// The type that the op has been given.
static inline const tensor_shape_t *shape_declared(const mlir_op_t *op, int index) {
  return &op->results[index].type->shape;
}

// An integer list that must be there; `count` values, or any number for SHAPE_ANY.
POD_MUST_USE pod_status_t shape_i64s(mlir_module_t *module, const mlir_op_t *op,
                                     const char *name, int64_t count, int64_t *out_count,
                                     const int64_t **out_values);

// An integer that must be there, of that type, in [low, high).
POD_MUST_USE pod_status_t shape_i64(mlir_module_t *module, const mlir_op_t *op,
                                    const char *name, int64_t low, int64_t high,
                                    int64_t *out_value);
POD_MUST_USE pod_status_t shape_i32(mlir_module_t *module, const mlir_op_t *op,
                                    const char *name, int64_t low, int64_t high,
                                    int64_t *out_value);

// An attribute that is true, false or absent.
POD_MUST_USE pod_status_t shape_flag(mlir_module_t *module, const mlir_op_t *op,
                                     const char *name);

// Values in [0, rank), each at most once. `name` is what the message calls them.
POD_MUST_USE pod_status_t shape_check_dims(mlir_module_t *module, const mlir_op_t *op,
                                           const char *name, int64_t count,
                                           const int64_t *dims, int rank);

// Operands first … first + count - 1 are scalars of the same integer type.
POD_MUST_USE pod_status_t shape_check_indices(mlir_module_t *module, const mlir_op_t *op,
                                              int first, int count);

// Region `index` is one block that ends with stablehlo.return, has the arguments given,
// and returns `result_count` values. `what` names it: "body".
POD_MUST_USE pod_status_t shape_region(mlir_module_t *module, const mlir_op_t *op,
                                       int index, const char *what, int argument_count,
                                       int result_count);

// Region `index` combines two scalars of `dtype` to one: (tensor<E>, tensor<E>) ->
// tensor<E>.
POD_MUST_USE pod_status_t shape_reducer(mlir_module_t *module, const mlir_op_t *op,
                                        int pair_count, const tensor_dtype_t *dtypes);

// Whether the last operand of a collective_broadcast or collective_reduce says which
// member of a group is its root.
bool shape_has_dynamic_root(const mlir_op_t *op);

// precision_config: none, or one for each operand; chip_precision_t of lhs and rhs.
POD_MUST_USE pod_status_t shape_precision(mlir_module_t *module, const mlir_op_t *op,
                                          int64_t out_precision[2]);

// The groups of a collective, which must be there.
POD_MUST_USE pod_status_t shape_groups(mlir_module_t *module, const mlir_op_t *op,
                                       compiler_groups_t *out_groups);

#endif  // SERVER_COMPILER_VERIFY_SHAPE_H_
