#include "server/compiler/collectives/places.h"

#include "server/compiler/dialect/constant.h"
#include "server/program/operations.h"

enum { DEPTH_MAX = 16, VISITS_MAX = 256 };

static int64_t clamped(int64_t value, int64_t most) {
  return value < 0 ? 0 : value > most ? most : value;
}

static bool combine(int kind, int64_t a, int64_t b, int64_t *out) {
  switch (kind) {
    case CHIP_OP_ADD:
      return !__builtin_add_overflow(a, b, out);
    case CHIP_OP_SUBTRACT:
      return !__builtin_sub_overflow(a, b, out);
    case CHIP_OP_MULTIPLY:
      return !__builtin_mul_overflow(a, b, out);
    case CHIP_OP_DIVIDE:
      *out = b > 0 && a >= 0 ? a / b : 0;
      return b > 0 && a >= 0;
    case CHIP_OP_REMAINDER:
      *out = b > 0 && a >= 0 ? a % b : 0;
      return b > 0 && a >= 0;
    default:
      return false;
  }
}

// An integer of one element, as `device` has it. No values near the end of a type's
// range, where arithmetic goes round.
static bool evaluate(const mlir_value_t *value, int64_t device, int depth, int64_t *out) {
  const mlir_op_t *op = value->op;
  if (compiler_constant_integer(value, out)) {
    return true;
  }
  if (op == NULL || depth == DEPTH_MAX) {
    return false;
  }
  int64_t a = 0, b = 0;
  switch (op->kind) {
    case CHIP_OP_PARTITION_ID:
      *out = device;
      return true;
    case CHIP_OP_RESHAPE:
    case CHIP_OP_CONVERT:
      return evaluate(op->operands[0], device, depth + 1, out);
    case CHIP_OP_DYNAMIC_SLICE:
      if (rewrite_shape(op->operands[0])->rank != 1 ||
          rewrite_shape(value)->dims[0] != 1 ||
          !evaluate(op->operands[1], device, depth + 1, &a)) {
        return false;
      }
      return compiler_constant_element(
          op->operands[0], clamped(a, rewrite_shape(op->operands[0])->dims[0] - 1), out);
    default:
      return op->operand_count == 2 && evaluate(op->operands[0], device, depth + 1, &a) &&
             evaluate(op->operands[1], device, depth + 1, &b) &&
             combine(op->kind, a, b, out) && *out <= INT32_MAX && *out >= INT32_MIN;
  }
}

bool places_evaluate(const mlir_value_t *value, int64_t device, int64_t *out) {
  return evaluate(value, device, 0, out);
}

// --- Alike within groups ---

typedef struct groups_t {
  int64_t count, size;
  const int64_t *ids;
  int visits;
} groups_t;

static bool is_evaluated_alike(const groups_t *groups, const mlir_value_t *value) {
  int64_t first = 0;
  for (int64_t i = 0; i < groups->count * groups->size; i++) {
    int64_t other;
    if (!evaluate(value, groups->ids[i], 0, &other)) {
      return false;
    }
    first = i % groups->size == 0 ? other : first;
    if (other != first) {
      return false;
    }
  }
  return true;
}

// What is made of values that are alike is alike, whatever operation makes it.
static bool is_alike(groups_t *groups, const mlir_value_t *value, int depth) {
  const mlir_op_t *op = value->op;
  if (op == NULL || depth == DEPTH_MAX || ++groups->visits > VISITS_MAX) {
    return false;
  }
  if (op->kind == CHIP_OP_CONSTANT || is_evaluated_alike(groups, value)) {
    return true;
  }
  const bool is_plain =
      op->operand_count > 0 && op->region_count == 0 &&
      (op->kind == CHIP_OP_RESHAPE || op->kind == CHIP_OP_BROADCAST_IN_DIM ||
       chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE));
  bool alike = is_plain;
  for (int i = 0; i < op->operand_count && alike; i++) {
    alike = is_alike(groups, op->operands[i], depth + 1);
  }
  return alike;
}

bool places_are_alike(const rewrite_t *rewrite, const mlir_op_t *collective,
                      const mlir_value_t *value) {
  groups_t groups = {0};
  return rewrite_groups(rewrite, collective, &groups.count, &groups.size, &groups.ids) &&
         is_alike(&groups, value, 0);
}
