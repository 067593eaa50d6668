// Wrapping arithmetic in 64 bits of the two's complement; a type's width comes in when
// the result is stored.

#include "server/program/integer.h"

bool chip_is_integral(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
}

int chip_integer_order(tensor_dtype_t dtype, int64_t x, int64_t y) {
  if (tensor_dtype_is_unsigned(dtype)) {
    return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
  }
  return (x > y) - (x < y);
}

static bool divide(tensor_dtype_t dtype, bool wants_rest, int64_t x, int64_t y,
                   int64_t *out) {
  if (y == 0) {
    return false;
  }
  if (tensor_dtype_is_unsigned(dtype)) {
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    *out = (int64_t)(wants_rest ? a % b : a / b);
    return true;
  }
  if (y == -1 && x == INT64_MIN) {
    return false;
  }
  *out = wants_rest ? x % y : x / y;
  return true;
}

static int64_t shift(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t y) {
  const uint64_t bits = tensor_dtype_device_bits(dtype), by = (uint64_t)y;
  const uint64_t mask = UINT64_MAX >> (64 - bits);
  if (op == CHIP_OP_SHIFT_RIGHT_ARITHMETIC) {
    // The sign is the highest bit of the type, of an unsigned one too.
    const int64_t value = (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
    return value >> (by < bits ? by : bits - 1);
  }
  if (by >= bits) {  // A negative count is one too, as the specification reads it.
    return 0;
  }
  return (int64_t)(op == CHIP_OP_SHIFT_LEFT ? (uint64_t)x << by
                                            : ((uint64_t)x & mask) >> by);
}

bool chip_integer_binary(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t y,
                         int64_t *out) {
  const bool is_pred = dtype == TENSOR_PRED;
  const uint64_t a = (uint64_t)x, b = (uint64_t)y;  // Wraps, as the operations do.
  switch (op) {
    case CHIP_OP_ADD:
      *out = is_pred ? (x | y) : (int64_t)(a + b);
      return true;
    case CHIP_OP_SUBTRACT:
      *out = (int64_t)(a - b);
      return !is_pred;
    case CHIP_OP_MULTIPLY:
      *out = (int64_t)(a * b);
      return true;
    case CHIP_OP_DIVIDE:
    case CHIP_OP_REMAINDER:
      return !is_pred && divide(dtype, op == CHIP_OP_REMAINDER, x, y, out);
    case CHIP_OP_MAXIMUM:
      *out = chip_integer_order(dtype, x, y) >= 0 ? x : y;
      return true;
    case CHIP_OP_MINIMUM:
      *out = chip_integer_order(dtype, x, y) <= 0 ? x : y;
      return true;
    case CHIP_OP_AND:
      *out = x & y;
      return true;
    case CHIP_OP_OR:
      *out = x | y;
      return true;
    case CHIP_OP_XOR:
      *out = x ^ y;
      return true;
    case CHIP_OP_SHIFT_LEFT:
    case CHIP_OP_SHIFT_RIGHT_ARITHMETIC:
    case CHIP_OP_SHIFT_RIGHT_LOGICAL:
      if (is_pred) {
        return false;
      }
      *out = shift(op, dtype, x, y);
      return true;
    default:
      return false;
  }
}

bool chip_integer_unary(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t *out) {
  const bool is_unsigned = tensor_dtype_is_unsigned(dtype);
  switch (op) {
    case CHIP_OP_NEGATE:
      *out = (int64_t)(0 - (uint64_t)x);
      return true;
    case CHIP_OP_ABS:
      *out = x < 0 && !is_unsigned ? (int64_t)(0 - (uint64_t)x) : x;
      return true;
    case CHIP_OP_SIGN:
      *out = x == 0 ? 0 : (x < 0 && !is_unsigned ? -1 : 1);
      return true;
    case CHIP_OP_NOT:
      *out = dtype == TENSOR_PRED ? x == 0 : ~x;
      return true;
    default:
      return false;
  }
}

bool chip_comparison_holds(int64_t direction, int order) {
  switch (direction) {
    case CHIP_COMPARISON_EQ:
      return order == 0;
    case CHIP_COMPARISON_NE:
      return order != 0;
    case CHIP_COMPARISON_GE:
      return order >= 0;
    case CHIP_COMPARISON_GT:
      return order > 0;
    case CHIP_COMPARISON_LE:
      return order <= 0;
    default:
      return order < 0;
  }
}
