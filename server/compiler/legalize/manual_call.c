// The callee's body is cloned into the region; the cutting and joining custom calls
// become in_shardings and out_shardings.

#include "server/compiler/legalize/manual_call.h"

static void fill_body(mlir_module_t *module, const mlir_op_t *call, mlir_op_t *manual) {
  mlir_block_t *block = mlir_block_create(module, &manual->regions[0]);
  for (int i = 0; i < call->operand_count; i++) {
    mlir_block_add_argument(module, block, call->operands[i]->type);
  }
  const size_t count = (size_t)call->result_count;
  const mlir_type_t **types = pod_arena_array(module->arena, count, sizeof(types[0]));
  mlir_value_t **values = pod_arena_array(module->arena, count, sizeof(values[0]));
  for (int i = 0; i < call->result_count; i++) {
    types[i] = call->results[i].type;
  }
  mlir_op_t *inner = mlir_op_create(module, call->name, call->operand_count,
                                    block->arguments, call->result_count, types, 0);
  for (int i = 0; i < call->attr_count; i++) {
    mlir_op_add_attr(module, inner, call->attrs[i].name, call->attrs[i].value);
  }
  for (int i = 0; i < call->result_count; i++) {
    values[i] = &inner->results[i];
  }
  mlir_op_t *end = mlir_op_create(module, mlir_intern(module, "sdy.return"),
                                  call->result_count, values, 0, NULL, 0);
  inner->position = end->position = call->position;
  inner->location = end->location = call->location;
  mlir_block_append(block, inner);
  mlir_block_append(block, end);
}

mlir_op_t *manual_call(mlir_module_t *module, mlir_op_t *call,
                       mlir_value_t *const *inputs, const mlir_type_t *const *types) {
  mlir_op_t *manual =
      mlir_op_create(module, mlir_intern(module, "sdy.manual_computation"),
                     call->operand_count, inputs, call->result_count, types, 1);
  manual->position = call->position;
  manual->location = call->location;
  fill_body(module, call, manual);
  mlir_block_insert_before(call, manual);
  return manual;
}
