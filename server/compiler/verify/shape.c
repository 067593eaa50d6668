// From a row to its rule, and the checks that rules share. A rule returns types;
// comparing them with the declared ones is here, once.

#include "server/compiler/verify/shape.h"

#include <inttypes.h>
#include <string.h>

#include "server/compiler/verify/verify.h"

static const compiler_shape_fn_t rules[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = shape_##shape,
#include "server/program/operations.def"
#undef OPERATION
};

compiler_shape_fn_t compiler_shape_rule(int kind) {
  return kind > CHIP_OP_INVALID && kind < CHIP_OP_COUNT ? rules[kind] : NULL;
}

pod_status_t shape_check_tensor(mlir_module_t *module, const mlir_op_t *op,
                                const char *what, int index, const mlir_type_t *type) {
  if (type->kind != MLIR_TYPE_TENSOR) {
    pod_text_t text = {0};
    mlir_type_print(&text, type);
    const pod_status_t status =
        mlir_op_error(module, op, POD_UNIMPLEMENTED,
                      "%s %d is %s; only tensors are supported", what, index, text.bytes);
    pod_text_deinit(&text);
    return status;
  }
  if (!tensor_shape_is_static(&type->shape) || type->encoding != NULL) {
    return mlir_op_error(
        module, op, POD_UNIMPLEMENTED,
        "%s %d is %s; only tensors of static sizes are supported: export "
        "the function for concrete sizes",
        what, index, shape_text(module, &type->shape));
  }
  const pod_status_t status = tensor_shape_check(&type->shape);
  if (status != NULL) {
    const pod_status_t placed =
        SHAPE_ERROR("%s %d: %s", what, index, pod_status_message(status));
    pod_status_free(status);
    return placed;
  }
  return NULL;
}

static pod_status_t infer_by(mlir_module_t *module, const mlir_op_t *op,
                             compiler_shape_fn_t rule, const mlir_type_t **out_types) {
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(shape_check_tensor(module, op, "operand", i, op->operands[i]->type));
  }
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(shape_check_tensor(module, op, "result", i, op->results[i].type));
  }
  if (rule == NULL) {
    for (int i = 0; i < op->result_count; i++) {
      out_types[i] = op->results[i].type;
    }
    return NULL;
  }
  return rule(module, op, out_types);
}

pod_status_t compiler_infer(mlir_module_t *module, const mlir_op_t *op,
                            const mlir_type_t **out_types) {
  return infer_by(module, op, compiler_shape_rule(op->kind), out_types);
}

// The first dimension in which two types of the same rank differ, for the message.
static pod_status_t report_difference(mlir_module_t *module, const mlir_op_t *op,
                                      int index, const mlir_type_t *inferred) {
  const mlir_type_t *declared = op->results[index].type;
  const tensor_shape_t *is = &declared->shape, *should = &inferred->shape;
  const char *is_text = shape_type_text(module, declared),
             *should_text = shape_type_text(module, inferred);
  if (declared->kind == MLIR_TYPE_TENSOR && inferred->kind == MLIR_TYPE_TENSOR &&
      is->rank == should->rank && is->dtype == should->dtype) {
    for (int d = 0; d < is->rank; d++) {
      if (is->dims[d] != should->dims[d]) {
        return SHAPE_ERROR(
            "result %d is declared as %s, but it is %s: dimension %d is "
            "%" PRId64 ", not %" PRId64,
            index, is_text, should_text, d, should->dims[d], is->dims[d]);
      }
    }
  }
  return SHAPE_ERROR("result %d is declared as %s, but it is %s", index, is_text,
                     should_text);
}

static pod_status_t check_by(mlir_module_t *module, const mlir_op_t *op,
                             compiler_shape_fn_t rule, bool takes_tensors) {
  const mlir_type_t *few[8];
  const mlir_type_t **types =
      op->result_count <= 8 ? few
                            : pod_arena_array(module->arena, (size_t)op->result_count,
                                              sizeof(const mlir_type_t *));
  POD_TRY(takes_tensors ? infer_by(module, op, rule, types) : rule(module, op, types));
  for (int i = 0; i < op->result_count; i++) {
    if (types[i] != op->results[i].type &&
        !mlir_type_equal(types[i], op->results[i].type)) {
      return report_difference(module, op, i, types[i]);
    }
  }
  return NULL;
}

pod_status_t compiler_check_types(mlir_module_t *module, const mlir_op_t *op,
                                  compiler_shape_fn_t rule) {
  return check_by(module, op, rule, true);
}

pod_status_t compiler_check_values(mlir_module_t *module, const mlir_op_t *op,
                                   compiler_shape_fn_t rule) {
  return check_by(module, op, rule, false);
}

pod_status_t compiler_set_types(mlir_module_t *module, mlir_op_t *op) {
  const mlir_type_t *few[4];
  const mlir_type_t **types =
      op->result_count <= 4 ? few
                            : pod_arena_array(module->arena, (size_t)op->result_count,
                                              sizeof(const mlir_type_t *));
  POD_TRY(compiler_infer(module, op, types));
  for (int i = 0; i < op->result_count; i++) {
    op->results[i].type = types[i];
  }
  return NULL;
}

// --- For the rules ---

pod_status_t shape_arity(mlir_module_t *module, const mlir_op_t *op, int operands,
                         int results, int regions) {
  if (operands != SHAPE_ANY && op->operand_count != operands) {
    return SHAPE_ERROR("has %d operands; it takes %d", op->operand_count, operands);
  }
  if (results != SHAPE_ANY && op->result_count != results) {
    return SHAPE_ERROR("has %d results; it gives %d", op->result_count, results);
  }
  if (regions != SHAPE_ANY && op->region_count != regions) {
    return SHAPE_ERROR("has %d regions; it takes %d", op->region_count, regions);
  }
  return NULL;
}

const char *shape_text(mlir_module_t *module, const tensor_shape_t *shape) {
  pod_text_t text = {0};
  tensor_shape_print_mlir(&text, shape);
  const char *copy = pod_arena_strdup(module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

const char *shape_type_text(mlir_module_t *module, const mlir_type_t *type) {
  pod_text_t text = {0};
  mlir_type_print(&text, type);
  const char *copy = pod_arena_strdup(module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// One dimension of i64, in the forms that say so: array<i64: …> and dense<…>.
static bool is_i64_list(const mlir_attr_t *attr) {
  if (attr->kind == MLIR_ATTR_DENSE_ARRAY) {
    return attr->type->shape.dtype == TENSOR_S64;
  }
  return attr->kind != MLIR_ATTR_DENSE ||
         (attr->type->shape.rank == 1 && attr->type->shape.dtype == TENSOR_S64);
}

pod_status_t shape_i64s(mlir_module_t *module, const mlir_op_t *op, const char *name,
                        int64_t count, int64_t *out_count, const int64_t **out_values) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return SHAPE_ERROR("lacks the attribute '%s'", name);
  }
  int64_t found;
  const int64_t *values;
  if (!mlir_attr_as_i64s(module, attr, &found, &values)) {
    return SHAPE_ERROR("'%s' is no list of integers", name);
  }
  if (!is_i64_list(attr)) {
    return SHAPE_ERROR("'%s' must be a list of i64: array<i64: …>", name);
  }
  if (count != SHAPE_ANY && found != count) {
    return SHAPE_ERROR("'%s' has %" PRId64 " values; %" PRId64 " are needed", name, found,
                       count);
  }
  if (out_count != NULL) {
    *out_count = found;
  }
  *out_values = values;
  return NULL;
}

static pod_status_t check_integer(mlir_module_t *module, const mlir_op_t *op,
                                  const char *name, tensor_dtype_t dtype, int64_t low,
                                  int64_t high, int64_t *out_value) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (!mlir_attr_is(attr, MLIR_ATTR_INTEGER)) {
    return SHAPE_ERROR(attr == NULL ? "lacks the attribute '%s'" : "'%s' is no integer",
                       name);
  }
  if (attr->type->shape.dtype != dtype) {
    return SHAPE_ERROR("'%s' is of type %s; it must be %s", name,
                       shape_type_text(module, attr->type),
                       tensor_dtype_mlir_name(dtype));
  }
  if (attr->integer < low || attr->integer >= high) {
    return SHAPE_ERROR("'%s' is %" PRId64 ", which is not in [%" PRId64 ", %" PRId64 ")",
                       name, attr->integer, low, high);
  }
  *out_value = attr->integer;
  return NULL;
}

pod_status_t shape_i64(mlir_module_t *module, const mlir_op_t *op, const char *name,
                       int64_t low, int64_t high, int64_t *out_value) {
  return check_integer(module, op, name, TENSOR_S64, low, high, out_value);
}

pod_status_t shape_i32(mlir_module_t *module, const mlir_op_t *op, const char *name,
                       int64_t low, int64_t high, int64_t *out_value) {
  return check_integer(module, op, name, TENSOR_S32, low, high, out_value);
}

pod_status_t shape_flag(mlir_module_t *module, const mlir_op_t *op, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  return attr == NULL || attr->kind == MLIR_ATTR_BOOL || attr->kind == MLIR_ATTR_UNIT
             ? NULL
             : SHAPE_ERROR("'%s' is neither true nor false", name);
}

pod_status_t shape_check_dims(mlir_module_t *module, const mlir_op_t *op,
                              const char *name, int64_t count, const int64_t *dims,
                              int rank) {
  uint32_t seen = 0;  // TENSOR_RANK_MAX is below 32.
  for (int64_t i = 0; i < count; i++) {
    if (dims[i] < 0 || dims[i] >= rank) {
      return SHAPE_ERROR("'%s' names dimension %" PRId64 " of a tensor of rank %d", name,
                         dims[i], rank);
    }
    if ((seen & (1u << dims[i])) != 0) {
      return SHAPE_ERROR("'%s' names dimension %" PRId64 " twice", name, dims[i]);
    }
    seen |= 1u << dims[i];
  }
  return NULL;
}

pod_status_t shape_check_indices(mlir_module_t *module, const mlir_op_t *op, int first,
                                 int count) {
  for (int i = 0; i < count; i++) {
    const tensor_shape_t *index = shape_operand(op, first + i);
    if (index->rank != 0 || !tensor_dtype_is_integer(index->dtype)) {
      return SHAPE_ERROR("start index %d is %s; it must be a scalar integer", i,
                         shape_text(module, index));
    }
    if (index->dtype != shape_operand(op, first)->dtype) {
      return SHAPE_ERROR("start index %d is %s, start index 0 %s; they must be the same",
                         i, shape_text(module, index),
                         shape_text(module, shape_operand(op, first)));
    }
  }
  return NULL;
}

pod_status_t shape_region(mlir_module_t *module, const mlir_op_t *op, int index,
                          const char *what, int argument_count, int result_count) {
  const mlir_block_t *block = mlir_op_block(op, index);
  if (block == NULL) {
    return SHAPE_ERROR("its %s is empty", what);
  }
  if (block->next != NULL) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED, "its %s has several blocks",
                         what);
  }
  if (block->argument_count != argument_count) {
    return SHAPE_ERROR("its %s has %d arguments; it needs %d", what,
                       block->argument_count, argument_count);
  }
  const mlir_op_t *end = block->last;
  if (end == NULL || end->kind != CHIP_OP_RETURN) {
    return SHAPE_ERROR("its %s does not end with stablehlo.return", what);
  }
  if (end->operand_count != result_count) {
    return mlir_op_error(module, end, POD_INVALID_ARGUMENT,
                         "returns %d values; the %s of %s needs %d", end->operand_count,
                         what, op->name, result_count);
  }
  return NULL;
}

static bool is_scalar(const mlir_type_t *type, tensor_dtype_t dtype) {
  return type->kind == MLIR_TYPE_TENSOR && type->shape.rank == 0 &&
         type->shape.dtype == dtype;
}

pod_status_t shape_reducer(mlir_module_t *module, const mlir_op_t *op, int pair_count,
                           const tensor_dtype_t *dtypes) {
  POD_TRY(shape_region(module, op, 0, "reduction", 2 * pair_count, pair_count));
  const mlir_block_t *block = mlir_op_block(op, 0);
  for (int i = 0; i < 2 * pair_count; i++) {
    if (!is_scalar(block->arguments[i]->type, dtypes[i % pair_count])) {
      return SHAPE_ERROR("argument %d of its reduction must be tensor<%s>", i,
                         tensor_dtype_mlir_name(dtypes[i % pair_count]));
    }
  }
  for (int i = 0; i < pair_count; i++) {
    if (!is_scalar(block->last->operands[i]->type, dtypes[i])) {
      return mlir_op_error(module, block->last, POD_INVALID_ARGUMENT,
                           "value %d must be tensor<%s>", i,
                           tensor_dtype_mlir_name(dtypes[i]));
    }
  }
  return NULL;
}
