// Reductions in a wider type than that of what they reduce, products of two types.

#include "common/base/check.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/expander.h"

// The operations whose region may be over a type to which their operands are promoted,
// and which operands these are.
static const struct {
  int kind;
  int region;
  // By their place: for all operands, one argument; or for inputs and as many initial
  // values, an argument each; or of inputs, indices and updates all but the indices.
  enum { ALL, PAIRS, SCATTER } operands;
} promoting[] = {
    {CHIP_OP_ALL_REDUCE, 0, ALL},      {KIND_COLLECTIVE_REDUCE, 0, ALL},
    {CHIP_OP_REDUCE, 0, PAIRS},        {CHIP_OP_REDUCE_SCATTER, 0, ALL},
    {CHIP_OP_REDUCE_WINDOW, 0, PAIRS}, {CHIP_OP_SCATTER, 0, SCATTER},
};

// is_promotable of the specification.
static bool is_promotable(tensor_dtype_t from, tensor_dtype_t to) {
  const bool same_kind = (tensor_dtype_is_integer(from) && tensor_dtype_is_integer(to) &&
                          tensor_dtype_is_signed(from) == tensor_dtype_is_signed(to)) ||
                         (tensor_dtype_is_float(from) && tensor_dtype_is_float(to)) ||
                         (tensor_dtype_is_complex(from) && tensor_dtype_is_complex(to));
  return same_kind && tensor_dtype_device_bits(from) <= tensor_dtype_device_bits(to);
}

// The argument of the region for an operand; -1 for an operand that is no part of it.
static int argument_of(int kind, const mlir_op_t *op, int operand) {
  const int count = op->result_count;
  if (kind == ALL) {
    return operand < count ? 0 : -1;
  }
  if (kind == PAIRS) {
    return operand < 2 * count ? operand % count : -1;
  }
  return operand < count                           ? operand
         : operand > count && operand <= 2 * count ? operand - count - 1
                                                   : -1;
}

static void promote(mlir_module_t *module, mlir_op_t *op, int operand,
                    const mlir_type_t *element) {
  mlir_value_t *value = op->operands[operand];
  const mlir_type_t *from = value->type;
  if (from->kind != MLIR_TYPE_TENSOR || element->kind != MLIR_TYPE_TENSOR ||
      element->shape.rank != 0 || from->shape.dtype == element->shape.dtype ||
      !is_promotable(from->shape.dtype, element->shape.dtype)) {
    return;
  }
  tensor_shape_t shape = from->shape;
  shape.dtype = element->shape.dtype;
  expander_t expander = {.module = module, .op = op};
  op->operands[operand] = expand_emit_unary(&expander, "stablehlo.convert", value,
                                            mlir_type_tensor(module, &shape));
}

// What belongs together, an input and its initial value or update, is of one type; what
// is not stays as it is, for the rule of the operation to say so.
static bool are_alike(int kind, const mlir_op_t *op) {
  const int count = op->result_count;
  for (int i = 0; kind != ALL && i < count; i++) {
    const int other = i + count + (kind == SCATTER ? 1 : 0);
    if (other >= op->operand_count ||
        op->operands[i]->type->shape.dtype != op->operands[other]->type->shape.dtype) {
      return false;
    }
  }
  return true;
}

// Its arguments become wider; what reads them reads them as they were, which loses
// nothing.
static void widen_arguments(mlir_module_t *module, mlir_op_t *op, const mlir_type_t *to) {
  mlir_block_t *block = mlir_op_block(op, 0);
  for (int i = 0; i < block->argument_count; i++) {
    mlir_value_t *argument = block->arguments[i];
    const mlir_type_t *from = argument->type;
    mlir_op_t *first = block->first;
    argument->type = to;
    mlir_op_t *narrow = mlir_op_create(module, mlir_intern(module, "stablehlo.convert"),
                                       1, &argument, 1, &from, 0);
    narrow->position = op->position;
    narrow->location = op->location;
    for (mlir_op_t *inner = first; inner != NULL; inner = mlir_walk_next(op, inner)) {
      for (int k = 0; k < inner->operand_count; k++) {
        if (inner->operands[k] == argument) {
          inner->operands[k] = &narrow->results[0];
        }
      }
    }
    mlir_block_insert_before(first, narrow);
  }
}

// select_and_scatter whose scatter is over a wider type: all of it becomes so. Only how
// it selects is written for the elements as they are.
static void promote_scatter(mlir_module_t *module, mlir_op_t *op) {
  const mlir_block_t *select = op->region_count == 2 ? mlir_op_block(op, 0) : NULL;
  const mlir_block_t *scatter = op->region_count == 2 ? mlir_op_block(op, 1) : NULL;
  if (select == NULL || select->first == NULL || select->argument_count != 2 ||
      scatter == NULL || scatter->argument_count != 2 || op->operand_count != 3) {
    return;
  }
  const mlir_type_t *to = scatter->arguments[0]->type, *from = select->arguments[0]->type;
  bool fits = to->kind == MLIR_TYPE_TENSOR && from->kind == MLIR_TYPE_TENSOR &&
              to->shape.rank == 0 && from->shape.rank == 0 &&
              mlir_type_equal(from, select->arguments[1]->type) &&
              to->shape.dtype != from->shape.dtype &&
              is_promotable(from->shape.dtype, to->shape.dtype);
  for (int i = 0; i < op->operand_count; i++) {
    fits = fits && op->operands[i]->type->kind == MLIR_TYPE_TENSOR &&
           op->operands[i]->type->shape.dtype == from->shape.dtype;
  }
  if (fits) {
    widen_arguments(module, op, to);
    for (int i = 0; i < op->operand_count; i++) {
      promote(module, op, i, to);
    }
  }
}

static bool is_whole(tensor_dtype_t dtype) {
  return tensor_dtype_is_integer(dtype) || dtype == TENSOR_PRED;
}

// Whether JAX takes operands of `from` for a product that is computed in `to`.
static bool is_convertible(tensor_dtype_t from, tensor_dtype_t to) {
  const bool becomes_complex =
      tensor_dtype_is_complex(to) && tensor_dtype_is_float(from) &&
      2 * tensor_dtype_device_bits(from) <= tensor_dtype_device_bits(to);
  return from == to || is_promotable(from, to) || becomes_complex ||
         (is_whole(from) && to != TENSOR_PRED);
}

// Whether a product of `from` with `other` that gives `to` is computed in `to`.
static bool is_computed_in(int kind, tensor_dtype_t from, tensor_dtype_t other,
                           tensor_dtype_t to) {
  if (from == other) {  // Of one kind with the result, they are taken as they are.
    return is_whole(from) && from != to && !is_promotable(from, to) &&
           to != TENSOR_PRED &&
           tensor_dtype_device_bits(from) <= tensor_dtype_device_bits(to);
  }
  return kind == CHIP_OP_DOT_GENERAL && from != to && is_convertible(from, to) &&
         is_convertible(other, to);
}

// A product of other types than that of its result: JAX multiplies matrices of floats by
// those of integers, signed by unsigned ones, or by narrower ones, and integers to a
// float, and says by the result's type what they are computed in. The specification knows
// one type only (C13 of dot_general, C27 of convolution), so operands are converted;
// integers wrap around as their product does.
static void promote_product(mlir_module_t *module, mlir_op_t *op) {
  if (op->operand_count != 2 || op->result_count != 1 ||
      op->operands[0]->type->kind != MLIR_TYPE_TENSOR ||
      op->operands[1]->type->kind != MLIR_TYPE_TENSOR ||
      op->results[0].type->kind != MLIR_TYPE_TENSOR) {
    return;
  }
  const tensor_dtype_t to = op->results[0].type->shape.dtype;
  const tensor_dtype_t from[] = {op->operands[0]->type->shape.dtype,
                                 op->operands[1]->type->shape.dtype};
  expander_t expander = {.module = module, .op = op};
  for (int i = 0; i < 2; i++) {
    if (is_computed_in(op->kind, from[i], from[1 - i], to)) {
      tensor_shape_t shape = op->operands[i]->type->shape;
      shape.dtype = to;
      op->operands[i] = expand_emit_unary(&expander, "stablehlo.convert", op->operands[i],
                                          mlir_type_tensor(module, &shape));
    }
  }
}

void expand_promote(mlir_module_t *module, mlir_op_t *op) {
  if (op->kind == CHIP_OP_DOT_GENERAL || op->kind == CHIP_OP_CONVOLUTION) {
    promote_product(module, op);
    return;
  }
  if (op->kind == CHIP_OP_SELECT_AND_SCATTER) {
    promote_scatter(module, op);
    return;
  }
  for (size_t i = 0; i < POD_COUNT_OF(promoting) && op->region_count > 0; i++) {
    if (op->kind != promoting[i].kind || !are_alike((int)promoting[i].operands, op)) {
      continue;
    }
    const mlir_block_t *block = mlir_op_block(op, promoting[i].region);
    for (int k = 0; block != NULL && op->result_count > 0 && k < op->operand_count; k++) {
      const int argument = argument_of((int)promoting[i].operands, op, k);
      if (argument >= 0 && argument < block->argument_count) {
        promote(module, op, k, block->arguments[argument]->type);
      }
    }
  }
}
