// Elementwise operations: element types by the class of the operation, equal shapes but
// for scalars of select and clamp; (C…) are the constraints of the StableHLO
// specification.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"
#include "server/program/program.h"

// The words of the column `types`, by the "Inputs" of the specification; NumPy's words
// where it has one.
enum {
  PRED = 1,
  SIGNED = 2,
  UNSIGNED = 4,
  FLOAT = 8,
  COMPLEX = 16,
  TYPES_none = 0,
  TYPES_integer = SIGNED | UNSIGNED,
  TYPES_bits = PRED | TYPES_integer,
  TYPES_floating = FLOAT,
  TYPES_inexact = FLOAT | COMPLEX,
  TYPES_signed = SIGNED | TYPES_inexact,
  TYPES_number = TYPES_integer | TYPES_inexact,
  TYPES_any = PRED | TYPES_number,
};

static const unsigned char takes[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = TYPES_##types,
#include "server/program/operations.def"
#undef OPERATION
};

static unsigned class_of(tensor_dtype_t dtype) {
  if (dtype == TENSOR_PRED) {
    return PRED;
  }
  if (tensor_dtype_is_integer(dtype)) {
    return tensor_dtype_is_signed(dtype) ? SIGNED : UNSIGNED;
  }
  return tensor_dtype_is_complex(dtype) ? COMPLEX : FLOAT;
}

// "i1, signed integers, floats": for messages.
static const char *classes_text(mlir_module_t *module, unsigned classes) {
  static const struct {
    unsigned bit;
    const char *name;
  } names[] = {{PRED, "i1"},
               {SIGNED, "signed integers"},
               {UNSIGNED, "unsigned integers"},
               {FLOAT, "floats"},
               {COMPLEX, "complex numbers"}};
  const char *text = "";
  for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
    if ((classes & names[i].bit) != 0) {
      text = pod_arena_printf(module->arena, "%s%s%s", text, *text == '\0' ? "" : ", ",
                              names[i].name);
    }
  }
  return text;
}

static pod_status_t check_dtype(mlir_module_t *module, const mlir_op_t *op) {
  const tensor_dtype_t dtype = shape_operand(op, 0)->dtype;
  if ((takes[op->kind] & class_of(dtype)) == 0) {
    return SHAPE_ERROR("is not defined for elements of type %s; it takes %s",
                       tensor_dtype_mlir_name(dtype),
                       classes_text(module, takes[op->kind]));
  }
  return NULL;
}

static pod_status_t check_same(mlir_module_t *module, const mlir_op_t *op, int first,
                               int second) {
  const tensor_shape_t *a = shape_operand(op, first), *b = shape_operand(op, second);
  if (!tensor_shape_equal(a, b)) {
    return SHAPE_ERROR("operands %d and %d must have the same type: %s and %s", first,
                       second, shape_text(module, a), shape_text(module, b));
  }
  return NULL;
}

pod_status_t shape_binary(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  POD_TRY(check_same(module, op, 0, 1));
  POD_TRY(check_dtype(module, op));
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// How accurate a result must be is only said in the mode TOLERANCE.
static pod_status_t check_accuracy(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "result_accuracy");
  if (attr == NULL) {
    return NULL;
  }
  stablehlo_accuracy_t accuracy;
  POD_TRY(stablehlo_result_accuracy(module, attr, &accuracy));
  const bool is_zero = accuracy.atol == 0 && accuracy.rtol == 0 && accuracy.ulps == 0;
  if (accuracy.atol < 0 || accuracy.rtol < 0 || accuracy.ulps < 0) {
    return SHAPE_ERROR("'result_accuracy' has a tolerance that is negative");
  }
  if (!is_zero && strcmp(accuracy.mode, "TOLERANCE") != 0) {
    return SHAPE_ERROR("'result_accuracy' is %s, so that its tolerances must be 0",
                       accuracy.mode);
  }
  return NULL;
}

pod_status_t shape_unary(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  POD_TRY(check_dtype(module, op));
  POD_TRY(check_accuracy(module, op));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (op->kind == CHIP_OP_ABS && tensor_dtype_is_complex(shape.dtype)) {
    shape.dtype = shape.dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
    out_types[0] = mlir_type_tensor(module, &shape);
    return NULL;
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

pod_status_t shape_is_finite(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  POD_TRY(check_dtype(module, op));
  tensor_shape_t shape = *shape_operand(op, 0);
  shape.dtype = TENSOR_PRED;
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

pod_status_t shape_convert(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  shape.dtype = shape_declared(op, 0)->dtype;
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

// (C3): the kind of comparison is the element type's.
static pod_status_t check_compare_type(mlir_module_t *module, const mlir_op_t *op) {
  enum { NOTYPE, BY_FLOAT, TOTALORDER, BY_SIGNED, BY_UNSIGNED };
  static const char *const words[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED",
                                      "UNSIGNED"};
  static const unsigned char fits[] = {[NOTYPE] = TYPES_any,
                                       [BY_FLOAT] = FLOAT | COMPLEX,
                                       [TOTALORDER] = FLOAT,
                                       [BY_SIGNED] = SIGNED,
                                       [BY_UNSIGNED] = UNSIGNED | PRED};
  int type;
  POD_TRY(stablehlo_comparison_type(module, op, &type));
  const tensor_dtype_t dtype = shape_operand(op, 0)->dtype;
  if ((fits[type] & class_of(dtype)) == 0) {
    return SHAPE_ERROR("'compare_type' %s does not fit elements of type %s", words[type],
                       tensor_dtype_mlir_name(dtype));
  }
  return NULL;
}

pod_status_t shape_compare(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  POD_TRY(check_same(module, op, 0, 1));
  int direction;
  POD_TRY(stablehlo_comparison_direction(module, op, &direction));
  POD_TRY(check_compare_type(module, op));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (tensor_dtype_is_complex(shape.dtype) && direction != CHIP_COMPARISON_EQ &&
      direction != CHIP_COMPARISON_NE) {
    return SHAPE_ERROR("complex elements have no order: only EQ and NE compare them");
  }
  shape.dtype = TENSOR_PRED;
  out_types[0] = mlir_type_tensor(module, &shape);
  return NULL;
}

pod_status_t shape_select(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  POD_TRY(check_same(module, op, 1, 2));
  const tensor_shape_t *pred = shape_operand(op, 0), *value = shape_operand(op, 1);
  if (pred->dtype != TENSOR_PRED ||
      (pred->rank != 0 && !tensor_shape_same_dims(pred, value))) {
    return SHAPE_ERROR(
        "the predicate is %s; it must be tensor<i1> or have the sizes of %s",
        shape_text(module, pred), shape_text(module, value));
  }
  out_types[0] = op->operands[1]->type;
  return NULL;
}

pod_status_t shape_clamp(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  const tensor_shape_t *value = shape_operand(op, 1);
  for (int i = 0; i < 3; i += 2) {
    const tensor_shape_t *bound = shape_operand(op, i);
    if (bound->dtype != value->dtype ||
        (bound->rank != 0 && !tensor_shape_same_dims(bound, value))) {
      return SHAPE_ERROR(
          "the %s is %s; it must be a scalar of the operand's type or have "
          "the type of the operand, %s",
          i == 0 ? "minimum" : "maximum", shape_text(module, bound),
          shape_text(module, value));
    }
  }
  out_types[0] = op->operands[1]->type;
  return NULL;
}
