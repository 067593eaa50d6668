// What the files about collectives share: tables by chip, and what the chips of a group
// have side by side.

#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

mlir_value_t *expand_emit_dense(expander_t *expander, tensor_dtype_t dtype, int rank,
                                const int64_t *dims, const void *data) {
  const tensor_shape_t shape = tensor_shape_make(dtype, rank, dims);
  mlir_op_t *op = expand_emit(expander, "stablehlo.constant", 0, NULL,
                              mlir_type_tensor(expander->module, &shape));
  expand_set_attr(expander, op, "value",
                  mlir_attr_dense(expander->module, &shape, data, false));
  return &op->results[0];
}

mlir_value_t *expand_emit_i64(expander_t *expander, int64_t value) {
  return expand_emit_dense(expander, TENSOR_S64, 0, NULL, &value);
}

mlir_value_t *expand_emit_pick(expander_t *expander, mlir_value_t *from, int picked,
                               mlir_value_t *const *starts, const mlir_type_t *type) {
  tensor_shape_t piece = from->type->shape;
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {from};
  mlir_value_t *zero = expand_emit_i64(expander, 0);
  for (int d = 0; d < piece.rank; d++) {
    piece.dims[d] = d < picked ? 1 : piece.dims[d];
    operands[1 + d] = d < picked ? starts[d] : zero;
  }
  mlir_op_t *slice = expand_emit(expander, "stablehlo.dynamic_slice", 1 + piece.rank,
                                 operands, mlir_type_tensor(expander->module, &piece));
  expand_set_attr(expander, slice, "slice_sizes",
                  mlir_attr_i64_array(expander->module, piece.rank, piece.dims));
  return expand_emit_unary(expander, "stablehlo.reshape", &slice->results[0], type);
}

mlir_value_t *expand_emit_chip(expander_t *expander) {
  const tensor_shape_t number = tensor_shape_make(TENSOR_U32, 0, NULL);
  const tensor_shape_t wide = tensor_shape_make(TENSOR_S64, 0, NULL);
  mlir_op_t *id = expand_emit(expander, "stablehlo.partition_id", 0, NULL,
                              mlir_type_tensor(expander->module, &number));
  return expand_emit_unary(expander, "stablehlo.convert", &id->results[0],
                           mlir_type_tensor(expander->module, &wide));
}

// dynamic_slice clamps: a row behind the last for chips that are not in the table.
static mlir_value_t *look_up(expander_t *expander, tensor_dtype_t dtype, int64_t count,
                             const void *table) {
  mlir_module_t *module = expander->module;
  const int64_t size = count + 1;
  const size_t element = tensor_dtype_bytes(dtype);
  char *bytes = pod_arena_array(module->arena, (size_t)size, element);
  if (count > 0) {
    memcpy(bytes, table, (size_t)count * element);
  }
  const tensor_shape_t scalar = tensor_shape_make(dtype, 0, NULL);
  mlir_value_t *chip = expand_emit_chip(expander);
  return expand_emit_pick(expander, expand_emit_dense(expander, dtype, 1, &size, bytes),
                          1, &chip, mlir_type_tensor(module, &scalar));
}

mlir_value_t *expand_emit_lookup(expander_t *expander, int64_t count, const bool *table) {
  uint8_t *bytes =
      pod_arena_array(expander->module->arena, (size_t)count + 1, sizeof(*bytes));
  for (int64_t i = 0; i < count; i++) {
    bytes[i] = table[i];
  }
  return look_up(expander, TENSOR_PRED, count, bytes);
}

mlir_value_t *expand_emit_lookup_i64(expander_t *expander, int64_t count,
                                     const int64_t *table) {
  return look_up(expander, TENSOR_S64, count, table);
}

mlir_value_t *expand_emit_choice(expander_t *expander, mlir_value_t *flag,
                                 mlir_value_t *then, mlir_value_t *otherwise) {
  mlir_value_t *operands[] = {flag, then, otherwise};
  return &expand_emit(expander, "stablehlo.select", 3, operands, then->type)->results[0];
}

mlir_value_t *expand_emit_gather_group(expander_t *expander, int64_t size,
                                       const mlir_attr_t *groups, mlir_value_t *value) {
  tensor_shape_t shape = value->type->shape;
  memmove(&shape.dims[1], &shape.dims[0], (size_t)shape.rank * sizeof(shape.dims[0]));
  shape.rank++;
  shape.dims[0] = 1;
  mlir_value_t *row = expand_emit_unary(expander, "stablehlo.reshape", value,
                                        mlir_type_tensor(expander->module, &shape));
  shape.dims[0] = size;
  mlir_op_t *gather = expand_emit(expander, "stablehlo.all_gather", 1, &row,
                                  mlir_type_tensor(expander->module, &shape));
  expand_set_attr(expander, gather, "all_gather_dim",
                  mlir_attr_integer(expander->module, 0, TENSOR_S64));
  expand_set_attr(expander, gather, "replica_groups", groups);
  return &gather->results[0];
}
