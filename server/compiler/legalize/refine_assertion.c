// JAX's shape_assertion: decided when its operand is known, with its message formatted
// as JAX formats it ({0}, {1} …).

#include "server/compiler/legalize/refine_assertion.h"
#include "server/compiler/dialect/kinds.h"

#include <string.h>

#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/program/integer.h"

bool assertion_is(const mlir_op_t *op) {
  const mlir_attr_t *target =
      op->kind == KIND_CUSTOM_CALL ? mlir_op_attr(op, "call_target_name") : NULL;
  return mlir_attr_is(target, MLIR_ATTR_STRING) &&
         strcmp(target->text, "shape_assertion") == 0;
}

// Of one integer or predicate.
static bool constant_of(const mlir_value_t *value, int64_t *out) {
  const mlir_attr_t *attr = value->op != NULL && value->op->kind == CHIP_OP_CONSTANT
                                ? mlir_op_attr(value->op, "value")
                                : NULL;
  if (!mlir_attr_is(attr, MLIR_ATTR_DENSE) || attr->type->kind != MLIR_TYPE_TENSOR ||
      !chip_is_integral(attr->type->shape.dtype) || attr->count != 1) {
    return false;
  }
  *out = tensor_element_as_int64(attr->type->shape.dtype, attr->data);
  return true;
}

static bool may_not_run(const mlir_op_t *op) {
  for (op = walk_parent(op); op != NULL; op = walk_parent(op)) {
    if (chip_op_has(op->kind, CHIP_TRAIT_CONTROL)) {
      return true;
    }
  }
  return false;
}

// The number in "{0}" at `at`, and the length of it all; 0: there is none.
static size_t read_place(const char *at, int *out_index) {
  enum { INDEX_MAX = 1000 };
  int index = 0;
  size_t length = 1;
  while (*at == '{' && at[length] >= '0' && at[length] <= '9' && index < INDEX_MAX) {
    index = 10 * index + (at[length++] - '0');
  }
  *out_index = index;
  return length > 1 && at[length] == '}' ? length + 1 : 0;
}

// {0} is the operand behind the predicate.
static void print_message(pod_text_t *text, const mlir_op_t *op, const char *message) {
  while (*message != '\0') {
    int index;
    int64_t value;
    const size_t length = read_place(message, &index);
    if (length > 0 && index + 1 < op->operand_count &&
        constant_of(op->operands[index + 1], &value)) {
      pod_text_add_int(text, value);
      message += length;
    } else {
      pod_text_add_bytes(text, message++, 1);
    }
  }
}

pod_status_t assertion_check(const mlir_module_t *module, const mlir_op_t *op,
                             bool *out_holds) {
  int64_t value;
  *out_holds = false;
  if (op->operand_count < 1 || op->result_count > 0 ||
      op->operands[0]->type->kind != MLIR_TYPE_TENSOR ||
      op->operands[0]->type->shape.dtype != TENSOR_PRED ||
      op->operands[0]->type->shape.rank != 0 || !constant_of(op->operands[0], &value)) {
    return NULL;
  }
  *out_holds = value != 0;
  if (value != 0 || may_not_run(op)) {
    return NULL;
  }
  const mlir_attr_t *message = mlir_op_attr(op, "error_message");
  pod_text_t text = {0};
  print_message(&text, op,
                mlir_attr_is(message, MLIR_ATTR_STRING)
                    ? message->text
                    : "the sizes of the arguments are not what the program demands");
  const pod_status_t status = mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                                            "@shape_assertion does not hold: %s",
                                            text.bytes == NULL ? "" : text.bytes);
  pod_text_deinit(&text);
  return status;
}
