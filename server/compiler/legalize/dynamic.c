// Dynamic operations whose sizes have turned out to be known.

#include <inttypes.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

pod_status_t expand_constant_operand(expander_t *expander, int index, int64_t count,
                                     const int64_t **out_values) {
  const mlir_op_t *op = expander->op;
  const mlir_op_t *source = op->operands[index]->op;
  int64_t found = 0;
  if (source == NULL || source->kind != CHIP_OP_CONSTANT ||
      !mlir_attr_as_i64s(expander->module, mlir_op_attr(source, "value"), &found,
                         out_values)) {
    return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                         "operand %d is no constant: export the function for concrete "
                         "sizes",
                         index);
  }
  if (found != count) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "operand %d has %" PRId64 " values; %" PRId64 " are needed",
                         index, found, count);
  }
  return NULL;
}

static pod_status_t demand_static(expander_t *expander) {
  const mlir_op_t *op = expander->op;
  const mlir_type_t *type = op->results[0].type;
  if (type->kind != MLIR_TYPE_TENSOR || !tensor_shape_is_static(&type->shape)) {
    return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                         "only tensors of static sizes are supported: export the "
                         "function for concrete sizes");
  }
  return NULL;
}

pod_status_t expand_dynamic_reshape(expander_t *expander, mlir_value_t **out_results) {
  out_results[0] =
      expand_emit_unary(expander, "stablehlo.reshape", expander->op->operands[0],
                        expander->op->results[0].type);
  return NULL;
}

pod_status_t expand_dynamic_iota(expander_t *expander, mlir_value_t **out_results) {
  mlir_op_t *iota =
      expand_emit(expander, "stablehlo.iota", 0, NULL, expander->op->results[0].type);
  const mlir_attr_t *dimension = mlir_op_attr(expander->op, "iota_dimension");
  if (dimension != NULL) {
    expand_set_attr(expander, iota, "iota_dimension", dimension);
  }
  out_results[0] = &iota->results[0];
  return NULL;
}

pod_status_t expand_dynamic_broadcast(expander_t *expander, mlir_value_t **out_results) {
  const int rank = expander->op->operands[0]->type->shape.rank;
  int64_t count;
  const int64_t *dims;
  if (!mlir_attr_as_i64s(expander->module,
                         mlir_op_attr(expander->op, "broadcast_dimensions"), &count,
                         &dims) ||
      count != rank) {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "'broadcast_dimensions' needs %d values", rank);
  }
  out_results[0] = expand_emit_broadcast(expander, expander->op->operands[0],
                                         expander->op->results[0].type, rank, dims);
  return NULL;
}

pod_status_t expand_dynamic_pad(expander_t *expander, mlir_value_t **out_results) {
  static const char *const names[] = {"edge_padding_low", "edge_padding_high",
                                      "interior_padding"};
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  const int64_t *values[3];
  for (int i = 0; i < 3; i++) {
    POD_TRY(expand_constant_operand(expander, 2 + i, rank, &values[i]));
  }
  mlir_op_t *pad =
      expand_emit(expander, "stablehlo.pad", 2, op->operands, op->results[0].type);
  for (int i = 0; i < 3; i++) {
    expand_set_attr(expander, pad, names[i],
                    mlir_attr_i64_array(expander->module, rank, values[i]));
  }
  out_results[0] = &pad->results[0];
  return NULL;
}

pod_status_t expand_real_dynamic_slice(expander_t *expander, mlir_value_t **out_results) {
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  const int64_t *values[3];
  for (int i = 0; i < 3; i++) {
    POD_TRY(expand_constant_operand(expander, 1 + i, rank, &values[i]));
  }
  mlir_op_t *slice =
      expand_emit(expander, "stablehlo.slice", 1, op->operands, op->results[0].type);
  for (int i = 0; i < 3; i++) {
    expand_set_attr(expander, slice, names[i],
                    mlir_attr_i64_array(expander->module, rank, values[i]));
  }
  out_results[0] = &slice->results[0];
  return NULL;
}

pod_status_t expand_dynamic_gather(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(demand_static(expander));
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  const int64_t *sizes;
  POD_TRY(expand_constant_operand(expander, 2, rank, &sizes));
  mlir_op_t *gather =
      expand_emit(expander, "stablehlo.gather", 2, op->operands, op->results[0].type);
  const mlir_attr_t *dims = mlir_op_attr(op, "dimension_numbers");
  if (dims != NULL) {
    expand_set_attr(expander, gather, "dimension_numbers", dims);
  }
  expand_set_attr(expander, gather, "slice_sizes",
                  mlir_attr_i64_array(expander->module, rank, sizes));
  out_results[0] = &gather->results[0];
  return NULL;
}

pod_status_t expand_dynamic_conv(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(demand_static(expander));
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[1]->type->shape.rank - 2;
  const int64_t *padding;
  POD_TRY(expand_constant_operand(expander, 2, 2 * (int64_t)rank, &padding));
  mlir_op_t *convolution = expand_emit(expander, "stablehlo.convolution", 2, op->operands,
                                       op->results[0].type);
  for (int i = 0; i < op->attr_count; i++) {
    mlir_op_add_attr(expander->module, convolution, op->attrs[i].name,
                     op->attrs[i].value);
  }
  const tensor_shape_t shape =
      tensor_shape_make(TENSOR_S64, 2, (const int64_t[]){rank, 2});
  expand_set_attr(expander, convolution, "padding",
                  mlir_attr_dense(expander->module, &shape, padding, false));
  out_results[0] = &convolution->results[0];
  return NULL;
}

pod_status_t expand_dimension_size(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const int64_t dimension = mlir_op_attr(op, "dimension")->integer;
  const int32_t value = (int32_t)op->operands[0]->type->shape.dims[dimension];
  mlir_op_t *constant =
      expand_emit(expander, "stablehlo.constant", 0, NULL, op->results[0].type);
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  expand_set_attr(expander, constant, "value",
                  mlir_attr_dense(expander->module, &scalar, &value, true));
  out_results[0] = &constant->results[0];
  return NULL;
}
