// while, if, case and checks; (C…) are the constraints of the StableHLO specification.

#include <inttypes.h>

#include "server/compiler/verify/shape.h"

// Block arguments or returned values of a region, at `place`, against the types of the
// operands.
static pod_status_t check_types(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_op_t *place, const char *what, int count,
                                mlir_value_t *const *values) {
  for (int i = 0; i < count; i++) {
    const mlir_type_t *expected = op->operands[i]->type;
    if (!mlir_type_equal(values[i]->type, expected)) {
      return mlir_op_error(module, place, POD_INVALID_ARGUMENT,
                           "%s %d is %s; operand %d of %s is %s", what, i,
                           shape_type_text(module, values[i]->type), i, op->name,
                           shape_type_text(module, expected));
    }
  }
  return NULL;
}

pod_status_t shape_while(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  const int count = op->operand_count;
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, 2));
  POD_TRY(shape_region(module, op, 0, "condition", count, 1));
  POD_TRY(shape_region(module, op, 1, "body", count, count));
  const mlir_block_t *cond = mlir_op_block(op, 0), *body = mlir_op_block(op, 1);
  POD_TRY(
      check_types(module, op, op, "argument of the condition", count, cond->arguments));
  POD_TRY(check_types(module, op, op, "argument of the body", count, body->arguments));
  POD_TRY(check_types(module, op, body->last, "value", count, body->last->operands));
  const mlir_type_t *flag = cond->last->operands[0]->type;
  if (flag->kind != MLIR_TYPE_TENSOR || flag->shape.rank != 0 ||
      flag->shape.dtype != TENSOR_PRED) {
    return mlir_op_error(module, cond->last, POD_INVALID_ARGUMENT,
                         "the condition returns %s; it must return tensor<i1>",
                         shape_type_text(module, flag));
  }
  for (int i = 0; i < count; i++) {
    out_types[i] = op->operands[i]->type;
  }
  return NULL;
}

// The branches return the same types; those are the results'.
static pod_status_t check_branches(mlir_module_t *module, const mlir_op_t *op,
                                   const mlir_type_t **out_types) {
  for (int b = 0; b < op->region_count; b++) {
    POD_TRY(shape_region(module, op, b, "branch", 0, op->result_count));
    const mlir_op_t *end = mlir_op_block(op, b)->last;
    for (int i = 0; i < op->result_count; i++) {
      const mlir_type_t *type = end->operands[i]->type;
      if (b == 0) {
        out_types[i] = type;
      } else if (!mlir_type_equal(type, out_types[i])) {
        return mlir_op_error(module, end, POD_INVALID_ARGUMENT,
                             "branch %d returns %s as value %d, branch 0 returns %s", b,
                             shape_type_text(module, type), i,
                             shape_type_text(module, out_types[i]));
      }
    }
  }
  return NULL;
}

pod_status_t shape_if(mlir_module_t *module, const mlir_op_t *op,
                      const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, SHAPE_ANY, 2));
  const tensor_shape_t *pred = shape_operand(op, 0);
  if (pred->rank != 0 || pred->dtype != TENSOR_PRED) {
    return SHAPE_ERROR("the predicate is %s; it must be tensor<i1>",
                       shape_text(module, pred));
  }
  return check_branches(module, op, out_types);
}

pod_status_t shape_case(mlir_module_t *module, const mlir_op_t *op,
                        const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, SHAPE_ANY, SHAPE_ANY));
  if (op->region_count == 0) {  // (C1)
    return SHAPE_ERROR("has no branches");
  }
  const tensor_shape_t *index = shape_operand(op, 0);
  if (index->rank != 0 || index->dtype != TENSOR_S32) {
    return SHAPE_ERROR("the index is %s; it must be tensor<i32>",
                       shape_text(module, index));
  }
  return check_branches(module, op, out_types);
}

pod_status_t shape_variadic_identity(mlir_module_t *module, const mlir_op_t *op,
                                     const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, op->operand_count, 0));
  for (int i = 0; i < op->operand_count; i++) {
    out_types[i] = op->operands[i]->type;
  }
  return NULL;
}

// Of any integer type: programs write ui64, up to its largest number.
static pod_status_t check_ulps(mlir_module_t *module, const mlir_op_t *op,
                               const char *name) {
  const mlir_attr_t *ulps = mlir_op_attr(op, name);
  return ulps == NULL || ulps->kind == MLIR_ATTR_INTEGER
             ? NULL
             : SHAPE_ERROR("'%s' must be an integer", name);
}

pod_status_t shape_check(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  (void)out_types;
  POD_TRY(shape_arity(module, op, 2, 0, 0));
  const mlir_attr_t *tolerance = mlir_op_attr(op, "tolerance");
  if (tolerance != NULL &&
      (tolerance->kind != MLIR_ATTR_FLOAT || !(tolerance->real >= 0))) {
    return SHAPE_ERROR("'tolerance' must be a number that is not negative");
  }
  POD_TRY(check_ulps(module, op, "min_ulp_difference"));
  POD_TRY(check_ulps(module, op, "max_ulp_difference"));
  if (!tensor_shape_equal(shape_operand(op, 0), shape_operand(op, 1))) {
    return SHAPE_ERROR("compares %s with %s; they must have one type",
                       shape_text(module, shape_operand(op, 0)),
                       shape_text(module, shape_operand(op, 1)));
  }
  return NULL;
}
