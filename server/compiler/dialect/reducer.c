// A region of one operation over its two arguments, in either order where it commutes,
// is a known reducer; any other stays a region.

#include "server/compiler/dialect/reducer.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"

chip_reducer_t compiler_reducer(const mlir_op_t *op) {
  return op->region_count == 1 ? compiler_region_reducer(op, 0) : CHIP_REDUCER_NONE;
}

// Of an operation on `a` and `b`, in either order.
static chip_reducer_t reducer_of(const mlir_op_t *combine, const mlir_value_t *a,
                                 const mlir_value_t *b) {
  if (combine == NULL || combine->operand_count != 2 || combine->result_count != 1 ||
      !((combine->operands[0] == a && combine->operands[1] == b) ||
        (combine->operands[0] == b && combine->operands[1] == a))) {
    return CHIP_REDUCER_NONE;
  }
  for (int i = CHIP_REDUCER_ADD; i <= CHIP_REDUCER_XOR; i++) {
    if (combine->kind == (int)chip_reducer_op((chip_reducer_t)i)) {
      return (chip_reducer_t)i;
    }
  }
  return CHIP_REDUCER_NONE;
}

chip_reducer_t compiler_result_reducer(const mlir_op_t *op, int result) {
  if (op->result_count == 1) {
    return compiler_reducer(op);
  }
  const mlir_block_t *block = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  if (block == NULL || block->next != NULL || block->last == NULL ||
      block->argument_count != 2 * op->result_count ||
      block->last->operand_count != op->result_count) {
    return CHIP_REDUCER_NONE;
  }
  return reducer_of(block->last->operands[result]->op, block->arguments[result],
                    block->arguments[op->result_count + result]);
}

chip_reducer_t compiler_region_reducer(const mlir_op_t *op, int region) {
  const mlir_block_t *block = mlir_op_block(op, region);
  if (block == NULL || block->next != NULL || block->argument_count != 2 ||
      block->first == NULL || block->first->next != block->last) {
    return CHIP_REDUCER_NONE;
  }
  const mlir_op_t *combine = block->first, *end = block->last;
  if (combine == end || combine->operand_count != 2 || combine->result_count != 1 ||
      end->operand_count != 1 || end->operands[0] != &combine->results[0]) {
    return CHIP_REDUCER_NONE;
  }
  return reducer_of(combine, block->arguments[0], block->arguments[1]);
}

// The least integer of a type.
static int64_t least_of(tensor_dtype_t dtype) {
  unsigned char element[16] = {0};
  int64_t least = tensor_dtype_is_signed(dtype) ? -1 : 0;
  while (least < 0 && least > INT64_MIN / 2 - 1) {
    tensor_element_from_int64(dtype, 2 * least, element);
    if (tensor_element_as_int64(dtype, element) != 2 * least) {
      break;
    }
    least *= 2;
  }
  return least;
}

bool compiler_reducer_identity(chip_reducer_t reducer, tensor_dtype_t dtype,
                               unsigned char *element) {
  const bool is_float = tensor_dtype_is_float(dtype);
  double number = 0;
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      number = is_float ? -0.0 : 0;  // -0 + -0 is -0.
      break;
    case CHIP_REDUCER_MULTIPLY:
      number = 1;
      break;
    case CHIP_REDUCER_MAXIMUM:
    case CHIP_REDUCER_MINIMUM:
      if (tensor_dtype_is_complex(dtype)) {
        return false;
      }
      if (!is_float) {
        const bool is_maximum = reducer == CHIP_REDUCER_MAXIMUM;
        const int64_t least = least_of(dtype);
        const int64_t most = dtype == TENSOR_PRED ? 1 : ~least;
        tensor_element_from_int64(dtype, is_maximum ? least : most, element);
        return true;
      }
      number = reducer == CHIP_REDUCER_MAXIMUM ? -INFINITY : INFINITY;
      break;
    case CHIP_REDUCER_AND:
      tensor_element_from_int64(dtype, dtype == TENSOR_PRED ? 1 : -1, element);
      return true;
    case CHIP_REDUCER_OR:
    case CHIP_REDUCER_XOR:
      break;
    default:
      return false;
  }
  tensor_element_from_double(dtype, number, element);
  return tensor_element_as_double(dtype, element) == number;
}

void compiler_build_reducer(mlir_module_t *module, mlir_op_t *op, chip_reducer_t reducer,
                            tensor_dtype_t dtype) {
  POD_CHECK(reducer > CHIP_REDUCER_NONE && reducer <= CHIP_REDUCER_XOR);
  const tensor_shape_t scalar = tensor_shape_make(dtype, 0, NULL);
  const mlir_type_t *type = mlir_type_tensor(module, &scalar);
  mlir_block_t *block = mlir_block_create(module, &op->regions[0]);
  mlir_value_t *arguments[] = {mlir_block_add_argument(module, block, type),
                               mlir_block_add_argument(module, block, type)};
  const chip_op_t kind = chip_reducer_op(reducer);
  mlir_op_t *combine =
      mlir_op_create(module, chip_op_name(kind), 2, arguments, 1, &type, 0);
  mlir_block_append(block, combine);
  mlir_value_t *result = &combine->results[0];
  mlir_op_t *end = mlir_op_create(module, "stablehlo.return", 1, &result, 0, NULL, 0);
  mlir_block_append(block, end);
}
