// Algebra that changes no bit: operations that give back an operand as it is.

#include <string.h>

#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"

static bool all_are(mlir_module_t *module, const mlir_op_t *op, const char *name,
                    int64_t value) {
  int64_t count;
  const int64_t *values;
  if (!mlir_attr_as_i64s(module, mlir_op_attr(op, name), &count, &values)) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    if (values[i] != value) {
      return false;
    }
  }
  return true;
}

static bool is_ascending(mlir_module_t *module, const mlir_op_t *op, const char *name) {
  int64_t count;
  const int64_t *values;
  if (!mlir_attr_as_i64s(module, mlir_op_attr(op, name), &count, &values)) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    if (values[i] != i) {
      return false;
    }
  }
  return true;
}

// Reversing dimensions of size 1, or none.
static bool reverses_nothing(mlir_module_t *module, const mlir_op_t *op) {
  int64_t count;
  const int64_t *dims;
  if (!mlir_attr_as_i64s(module, mlir_op_attr(op, "dimensions"), &count, &dims)) {
    return false;
  }
  for (int64_t i = 0; i < count; i++) {
    if (op->results[0].type->shape.dims[dims[i]] > 1) {
      return false;
    }
  }
  return true;
}

// Every group has one member. An empty list of groups means one group of all.
static bool has_groups_of_one(const mlir_op_t *op) {
  const mlir_attr_t *groups = mlir_op_attr(op, "replica_groups");
  return mlir_attr_is(groups, MLIR_ATTR_DENSE) && groups->type->shape.rank == 2 &&
         groups->type->shape.dims[1] == 1 && groups->type->shape.dims[0] > 0;
}

// The constant that a value is, or NULL.
static const mlir_attr_t *constant_of(const mlir_value_t *value) {
  return value->op != NULL && value->op->kind == CHIP_OP_CONSTANT
             ? mlir_op_attr(value->op, "value")
             : NULL;
}

static mlir_value_t *select_of_constant(const mlir_op_t *op) {
  if (op->operands[1] == op->operands[2]) {
    return op->operands[1];
  }
  const mlir_attr_t *pred = constant_of(op->operands[0]);
  if (pred == NULL || (!pred->is_splat && op->operands[0]->type->shape.rank != 0)) {
    return NULL;
  }
  return *(const unsigned char *)pred->data != 0 ? op->operands[1] : op->operands[2];
}

// reshape(reshape(x)): the inner one goes when the outer one gives back x's shape.
static mlir_value_t *reshape_back(const mlir_op_t *op) {
  const mlir_op_t *inner = op->operands[0]->op;
  if (inner != NULL && inner->kind == CHIP_OP_RESHAPE &&
      mlir_type_equal(inner->operands[0]->type, op->results[0].type)) {
    return inner->operands[0];
  }
  return NULL;
}

static mlir_value_t *when(bool condition, const mlir_op_t *op, int operand) {
  return condition ? op->operands[operand] : NULL;
}

mlir_value_t *simplify_identity(mlir_module_t *module, const mlir_op_t *op) {
  if (op->operand_count == 0) {
    return NULL;
  }
  if (op->kind == CHIP_OP_SELECT) {
    return select_of_constant(op);
  }
  const mlir_type_t *result = op->results[0].type;
  if (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE) {
    return when(mlir_type_equal(op->operands[1]->type, result), op, 1);
  }
  if (!mlir_type_equal(op->operands[0]->type, result)) {
    return op->kind == CHIP_OP_RESHAPE ? reshape_back(op) : NULL;
  }
  switch (op->kind) {
    case CHIP_OP_RESHAPE:
    case CHIP_OP_CONVERT:
    case CHIP_OP_DYNAMIC_SLICE:
      return op->operands[0];
    case CHIP_OP_CONCATENATE:
      return when(op->operand_count == 1, op, 0);
    case CHIP_OP_BROADCAST_IN_DIM:
      return when(is_ascending(module, op, "broadcast_dimensions"), op, 0);
    case CHIP_OP_TRANSPOSE:
      return when(is_ascending(module, op, "permutation"), op, 0);
    case CHIP_OP_SLICE:  // All of it; with a stride only sizes 0 and 1 keep their size.
      return when(all_are(module, op, "start_indices", 0), op, 0);
    case CHIP_OP_PAD:
      return when(all_are(module, op, "edge_padding_low", 0) &&
                      all_are(module, op, "edge_padding_high", 0),
                  op, 0);
    case CHIP_OP_REVERSE:
      return when(reverses_nothing(module, op), op, 0);
    case CHIP_OP_ALL_REDUCE:
    case CHIP_OP_ALL_GATHER:
    case CHIP_OP_REDUCE_SCATTER:
    case CHIP_OP_ALL_TO_ALL:
      return when(op->operand_count == 1 && has_groups_of_one(op), op, 0);
    default:
      return NULL;
  }
}
