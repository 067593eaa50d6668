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

// --- Slices ---

static const mlir_op_t *maker(const mlir_value_t *value, int kind, int operand_count) {
  const mlir_op_t *op = value->op;
  return op != NULL && op->kind == kind && op->operand_count == operand_count ? op : NULL;
}

static bool integers_of(mlir_module_t *module, const mlir_value_t *value, int64_t count,
                        const int64_t **out_values) {
  int64_t found;
  return value->op != NULL && value->op->kind == CHIP_OP_CONSTANT &&
         mlir_attr_as_i64s(module, mlir_op_attr(value->op, "value"), &found,
                           out_values) &&
         found == count;
}

bool expand_slice_sizes(mlir_module_t *module, const mlir_op_t *op,
                        const int64_t **out_sizes) {
  const tensor_shape_t *from = &op->operands[0]->type->shape;
  const mlir_op_t *limit = maker(op->operands[2], CHIP_OP_ADD, 2);
  const int64_t *strides;
  if (limit == NULL || !integers_of(module, op->operands[3], from->rank, &strides)) {
    return false;
  }
  const int other = limit->operands[0] == op->operands[1] ? 1 : 0;
  if (limit->operands[1 - other] != op->operands[1] ||
      !integers_of(module, limit->operands[other], from->rank, out_sizes)) {
    return false;
  }
  for (int d = 0; d < from->rank; d++) {
    if (strides[d] != 1 || (*out_sizes)[d] < 0 || (*out_sizes)[d] > from->dims[d]) {
      return false;
    }
  }
  return true;
}

// Starts without the clamp that dynamic_slice has itself.
static mlir_value_t *unclamped(mlir_module_t *module, const mlir_op_t *op,
                               const int64_t *sizes) {
  const tensor_shape_t *from = &op->operands[0]->type->shape;
  const mlir_op_t *clamp = maker(op->operands[1], CHIP_OP_CLAMP, 3);
  const int64_t *least, *most;
  bool is_same = clamp != NULL &&
                 integers_of(module, clamp->operands[0], from->rank, &least) &&
                 integers_of(module, clamp->operands[2], from->rank, &most);
  for (int d = 0; is_same && d < from->rank; d++) {
    is_same = least[d] == 0 && most[d] == from->dims[d] - sizes[d];
  }
  return is_same ? clamp->operands[1] : op->operands[1];
}

// A list's element `index`, as a list of its own.
static mlir_value_t *emit_piece(expander_t *expander, mlir_value_t *list, int index) {
  mlir_module_t *module = expander->module;
  const int64_t one = 1, start = index, limit = index + 1;
  const tensor_shape_t piece = tensor_shape_make(list->type->shape.dtype, 1, &one);
  mlir_op_t *slice = expand_emit(expander, "stablehlo.slice", 1, &list,
                                 mlir_type_tensor(module, &piece));
  expand_set_attr(expander, slice, "start_indices",
                  mlir_attr_i64_array(module, 1, &start));
  expand_set_attr(expander, slice, "limit_indices",
                  mlir_attr_i64_array(module, 1, &limit));
  expand_set_attr(expander, slice, "strides", mlir_attr_i64_array(module, 1, &one));
  return &slice->results[0];
}

// The same as a scalar. Lists of starts are mostly put together of these.
static mlir_value_t *emit_element(expander_t *expander, mlir_value_t *list, int index) {
  const mlir_op_t *parts =
      maker(list, CHIP_OP_CONCATENATE, (int)list->type->shape.dims[0]);
  mlir_value_t *piece =
      parts == NULL ? emit_piece(expander, list, index) : parts->operands[index];
  const mlir_op_t *from = maker(piece, CHIP_OP_RESHAPE, 1);
  if (from != NULL && from->operands[0]->type->shape.rank == 0) {
    return from->operands[0];
  }
  const tensor_shape_t scalar = tensor_shape_make(list->type->shape.dtype, 0, NULL);
  return expand_emit_unary(expander, "stablehlo.reshape", piece,
                           mlir_type_tensor(expander->module, &scalar));
}

// From where the program says, as many as are known.
static mlir_value_t *emit_moving_slice(expander_t *expander, const int64_t *sizes) {
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  mlir_value_t *starts = unclamped(expander->module, op, sizes);
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {op->operands[0]};
  for (int d = 0; d < rank; d++) {
    operands[1 + d] = emit_element(expander, starts, d);
  }
  mlir_op_t *slice = expand_emit(expander, "stablehlo.dynamic_slice", 1 + rank, operands,
                                 op->results[0].type);
  expand_set_attr(expander, slice, "slice_sizes",
                  mlir_attr_i64_array(expander->module, rank, sizes));
  return &slice->results[0];
}

pod_status_t expand_real_dynamic_slice(expander_t *expander, mlir_value_t **out_results) {
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  const int64_t *values[3], *sizes;
  if (!integers_of(expander->module, op->operands[1], rank, &values[0]) &&
      expand_slice_sizes(expander->module, op, &sizes)) {
    out_results[0] = emit_moving_slice(expander, sizes);
    return NULL;
  }
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
