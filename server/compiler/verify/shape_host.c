// Shape rules of what goes between a chip and its host: an array, and tokens, which are
// scalars of pred here (legalize/host_transfer.c); and of what ends in nothing.

#include "server/compiler/dialect/rule.h"
#include "server/compiler/verify/shape.h"

static pod_status_t check_token(mlir_module_t *module, const mlir_op_t *op,
                                const tensor_shape_t *shape) {
  return shape->rank == 0 && shape->dtype == TENSOR_PRED
             ? NULL
             : SHAPE_ERROR("its token is %s, not tensor<i1>", shape_text(module, shape));
}

// (array, token) -> (token)
pod_status_t shape_host_send(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  POD_TRY(check_token(module, op, shape_operand(op, 1)));
  POD_TRY(shape_flag(module, op, "each_device"));
  out_types[0] = op->operands[1]->type;
  return NULL;
}

// (token) -> (array, token)
pod_status_t shape_host_recv(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 2, 0));
  POD_TRY(check_token(module, op, shape_operand(op, 0)));
  POD_TRY(shape_flag(module, op, "each_device"));
  out_types[0] = op->results[0].type;
  out_types[1] = op->operands[0]->type;
  return NULL;
}

// What a kernel of the user's gives is what it says.
pod_status_t shape_kernel(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, SHAPE_ANY, 0));
  for (int i = 0; i < op->result_count; i++) {
    out_types[i] = op->results[i].type;
  }
  const compiler_rule_t *rule;
  return mlir_op_attr(op, COMPILER_RULE_ATTR) == NULL
             ? NULL
             : compiler_parse_rule(module, op, &rule);
}

pod_status_t shape_dce_sink(mlir_module_t *module, const mlir_op_t *op,
                            const mlir_type_t **out_types) {
  (void)out_types;
  return shape_arity(module, op, SHAPE_ANY, 0, 0);
}
