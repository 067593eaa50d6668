// chlo.broadcast_*: operands are broadcast to the shape of the result, then comes the
// operation of that name.

#include <inttypes.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/expander.h"

// What comes behind the broadcast.
static const chip_op_t made_by[KIND_COUNT] = {
#define BROADCASTING(id, name, syntax, made) [KIND_##id] = CHIP_OP_##made,
#include "server/compiler/dialect/kinds.def"
};

bool expand_is_broadcasting(const mlir_op_t *op) {
  return made_by[op->kind] != CHIP_OP_INVALID;
}

// Dimension d of the operand becomes dims[d] of the result: the last ones, unless
// 'broadcast_dimensions' says which, for an operand of smaller rank.
static pod_status_t find_dims(expander_t *expander, const tensor_shape_t *from,
                              const tensor_shape_t *to, int64_t *out_dims) {
  const mlir_op_t *op = expander->op;
  const mlir_attr_t *attr = mlir_op_attr(op, "broadcast_dimensions");
  int64_t count = 0;
  const int64_t *dims = NULL;
  if (from->rank > to->rank) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "an operand of rank %d for a result of rank %d", from->rank,
                         to->rank);
  }
  if (attr != NULL && from->rank < to->rank &&
      (!mlir_attr_as_i64s(expander->module, attr, &count, &dims) ||
       count != from->rank)) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "'broadcast_dimensions' needs %d values", from->rank);
  }
  for (int d = 0; d < from->rank; d++) {
    out_dims[d] = dims != NULL ? dims[d] : to->rank - from->rank + d;
  }
  return NULL;
}

// #chlo<comparison_direction LT> is #stablehlo<comparison_direction LT>.
static void copy_enum(expander_t *expander, mlir_op_t *to, const char *attr_name,
                      const char *enum_name) {
  const mlir_attr_t *attr = mlir_op_attr(expander->op, attr_name);
  if (mlir_attr_is(attr, MLIR_ATTR_DIALECT) && attr->body != NULL) {
    const char *name =
        pod_arena_printf(expander->module->arena, "stablehlo.%s", enum_name);
    attr = mlir_attr_dialect(expander->module, name, attr->body);
  }
  if (attr != NULL) {
    expand_set_attr(expander, to, attr_name, attr);
  }
}

pod_status_t expand_broadcasting(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const mlir_type_t *result = op->results[0].type;
  mlir_value_t *operands[3];
  POD_CHECK(op->operand_count <= 3);
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_type_t *type = op->operands[i]->type;
    tensor_shape_t shape = result->shape;
    int64_t dims[TENSOR_RANK_MAX];
    shape.dtype = type->shape.dtype;
    POD_TRY(find_dims(expander, &type->shape, &shape, dims));
    operands[i] = tensor_shape_equal(&type->shape, &shape)
                      ? op->operands[i]
                      : expand_emit_broadcast(expander, op->operands[i],
                                              mlir_type_tensor(expander->module, &shape),
                                              type->shape.rank, dims);
  }
  mlir_op_t *made = expand_emit(expander, chip_op_name(made_by[op->kind]),
                                op->operand_count, operands, result);
  copy_enum(expander, made, "comparison_direction", "comparison_direction");
  copy_enum(expander, made, "compare_type", "comparison_type");
  out_results[0] = &made->results[0];
  return NULL;
}
