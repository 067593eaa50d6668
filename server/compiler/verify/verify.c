// One walk in program order: names first, then every operation by its row's rule, then
// regions against the operation around them.

#include <inttypes.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/memory_kind.h"
#include "server/compiler/verify/shape.h"
#include "server/compiler/verify/verify.h"

// Why operations will not run.
static const char *const reasons[KIND_COUNT] = {
#define REFUSED(id, name, syntax, reason) [KIND_##id] = reason,
#include "server/compiler/dialect/kinds.def"
};

#define GSPMD                                                              \
  "is how GSPMD marks shardings: it needs 'mhlo.sharding' and no mesh of " \
  "Shardy's in the module"
#define OTHER_PLATFORM                                                           \
  "is not supported: it is how JAX asks another platform; lower for TPUs, with " \
  "jax.export.export(f, platforms=[\"tpu\"]) or lower(lowering_platforms=(\"tpu\",))"

// What to do about custom calls that nothing here computes, by how their names begin.
static const struct {
  const char *prefix, *advice;
} advices[] = {
    {"Sharding", GSPMD},
    {"SPMDFullToShardShape", GSPMD},
    {"SPMDShardToFullShape", GSPMD},
    {"__gpu$xla.gpu.triton",
     "is not supported: a Pallas kernel for GPUs is a program of Triton; with "
     "pallas_call(..., interpret=True) JAX lowers it to operations that run here"},
    {"lapack_", OTHER_PLATFORM},
    {"cu", OTHER_PLATFORM},
    {"hip", OTHER_PLATFORM},
    {"roc", OTHER_PLATFORM},
    {"__cu", OTHER_PLATFORM},
    {"",
     "is not supported: what it computes is not in the module; write it with "
     "operations of StableHLO"},
};

static pod_status_t unknown_call(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  const char *name = mlir_attr_is(target, MLIR_ATTR_STRING) ? target->text : "";
  size_t row = 0;
  while (strncmp(name, advices[row].prefix, strlen(advices[row].prefix)) != 0) {
    row++;  // The last fits.
  }
  return mlir_op_error(module, op, POD_UNIMPLEMENTED, "target @%s %s", name,
                       advices[row].advice);
}

static pod_status_t unknown_operation(mlir_module_t *module, const mlir_op_t *op) {
  const char *reason = reasons[op->kind];
  if (reason != NULL) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED, "%s", reason);
  }
  if (op->kind == KIND_AFTER_ALL || op->kind == KIND_CREATE_TOKEN) {
    return SHAPE_ERROR("takes only tokens, and gives one");  // Others are gone.
  }
  if (op->kind != KIND_CUSTOM_CALL) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "this operation is not supported");
  }
  return unknown_call(module, op);
}

static bool same_type(const mlir_type_t *a, const mlir_type_t *b) {
  return a == b || mlir_type_equal(a, b);
}

// `list` is arg_attrs or res_attrs, of `count` entries each of which is a `what`.
static pod_status_t verify_memory_kinds(mlir_module_t *module, const mlir_op_t *op,
                                        const char *list, int count, const char *what) {
  const mlir_attr_t *attrs = mlir_op_attr(op, list);
  for (int i = 0; i < count; i++) {
    const mlir_attr_t *kind = mlir_attr_get_at(attrs, i, "mhlo.memory_kind");
    if (kind == NULL) {
      continue;
    }
    const bool is_text = mlir_attr_is(kind, MLIR_ATTR_STRING);
    if (!is_text || !compiler_is_memory_kind(kind->text)) {
      return mlir_error_at(module, kind->position, POD_INVALID_ARGUMENT,
                           "%s %d has the mhlo.memory_kind '%s', which is no memory: "
                           "there are " COMPILER_MEMORY_KINDS,
                           what, i, is_text ? kind->text : "(no string)");
    }
  }
  return NULL;
}

// --- What gives its memory to results (lower/donation.h) ---

POD_PRINTF(3, 4)
static pod_status_t bad_mark(mlir_module_t *module, const mlir_attr_t *mark,
                             const char *format, ...) {
  enum { ELEMENTS_SHOWN = 8 };
  va_list args;
  va_start(args, format);
  pod_text_t text = {0};
  pod_text_vprintf(&text, format, args);
  va_end(args);
  pod_text_add(&text, ", got ");
  mlir_attr_print(&text, mark, ELEMENTS_SHOWN);
  const pod_status_t status =
      mlir_error_at(module, mark->position, POD_INVALID_ARGUMENT, "%s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t verify_donors(mlir_module_t *module, const mlir_op_t *main) {
  const mlir_block_t *body = mlir_op_block(main, 0);
  const int result_count = body->last->operand_count;
  const mlir_attr_t *marks = mlir_op_attr(main, "arg_attrs");
  for (int i = 0; i < body->argument_count; i++) {
    const mlir_attr_t *alias = mlir_attr_get_at(marks, i, "tf.aliasing_output");
    if (alias != NULL && (!mlir_attr_is(alias, MLIR_ATTR_INTEGER) || alias->integer < 0 ||
                          alias->integer >= result_count)) {
      return bad_mark(module, alias,
                      "tf.aliasing_output of argument %d must be the number of one of "
                      "the %d results",
                      i, result_count);
    }
    const mlir_attr_t *donor = mlir_attr_get_at(marks, i, "jax.buffer_donor");
    if (donor != NULL && !mlir_attr_is(donor, MLIR_ATTR_BOOL)) {
      return bad_mark(module, donor,
                      "jax.buffer_donor of argument %d must be true or false", i);
    }
  }
  return NULL;
}

static pod_status_t verify_aliases(mlir_module_t *module) {
  const mlir_attr_t *list = mlir_op_attr(module->op, "mhlo.input_output_alias");
  return list == NULL || mlir_attr_is(list, MLIR_ATTR_ARRAY)
             ? NULL
             : bad_mark(module, list,
                        "the module's mhlo.input_output_alias must be a list of "
                        "dictionaries (alias, output_index)");
}

// --- Functions ---

// A function's signature, its entry's arguments and its return agree.
static pod_status_t verify_function(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *type = mlir_op_attr(op, "function_type");
  if (!mlir_attr_is(type, MLIR_ATTR_TYPE) || type->type->kind != MLIR_TYPE_FUNCTION ||
      !mlir_attr_is(mlir_op_attr(op, "sym_name"), MLIR_ATTR_STRING) ||
      op->region_count != 1) {
    return SHAPE_ERROR("a function needs a name, a type and one body");
  }
  const mlir_block_t *body = mlir_op_block(op, 0);
  if (body == NULL) {
    return NULL;  // A declaration: an error only when something calls it.
  }
  if (body->next != NULL) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "functions of several blocks are not supported");
  }
  const mlir_type_t *signature = type->type;
  if (body->argument_count != signature->input_count) {
    return SHAPE_ERROR("its body has %d arguments, its type %d", body->argument_count,
                       signature->input_count);
  }
  for (int i = 0; i < body->argument_count; i++) {
    if (!same_type(body->arguments[i]->type, signature->inputs[i])) {
      return SHAPE_ERROR("argument %d differs from the function's type", i);
    }
    // A value may reach a result without an operation that would check its type. Tokens
    // do so from function to function, and have gone when all is inlined.
    if (body->arguments[i]->type->kind == MLIR_TYPE_TENSOR) {
      POD_TRY(shape_check_tensor(module, op, "argument", i, body->arguments[i]->type));
    }
  }
  const mlir_op_t *end = body->last;
  if (end == NULL || end->kind != KIND_FUNC_RETURN) {
    return SHAPE_ERROR("its body does not end with func.return");
  }
  if (end->operand_count != signature->result_count) {
    return mlir_op_error(module, end, POD_INVALID_ARGUMENT,
                         "returns %d values; the function's type has %d",
                         end->operand_count, signature->result_count);
  }
  for (int i = 0; i < end->operand_count; i++) {
    if (!same_type(end->operands[i]->type, signature->results[i])) {
      return mlir_op_error(module, end, POD_INVALID_ARGUMENT,
                           "value %d is %s; the function returns %s", i,
                           shape_type_text(module, end->operands[i]->type),
                           shape_type_text(module, signature->results[i]));
    }
  }
  if (strcmp(mlir_op_attr(op, "sym_name")->text, "main") == 0) {
    POD_TRY(verify_donors(module, op));
  }
  POD_TRY(verify_memory_kinds(module, op, "arg_attrs", body->argument_count, "argument"));
  return verify_memory_kinds(module, op, "res_attrs", end->operand_count, "result");
}

// Operands or results of a call against what the function's type says.
static pod_status_t verify_signature(mlir_module_t *module, const mlir_op_t *op,
                                     const char *callee, const mlir_type_t *signature) {
  if (op->operand_count != signature->input_count ||
      op->result_count != signature->result_count) {
    return SHAPE_ERROR("has %d operands and %d results; @%s has %d and %d",
                       op->operand_count, op->result_count, callee,
                       signature->input_count, signature->result_count);
  }
  for (int i = 0; i < op->operand_count; i++) {
    if (!same_type(op->operands[i]->type, signature->inputs[i])) {
      return SHAPE_ERROR("operand %d is %s; @%s takes %s", i,
                         shape_type_text(module, op->operands[i]->type), callee,
                         shape_type_text(module, signature->inputs[i]));
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    if (!same_type(op->results[i].type, signature->results[i])) {
      return SHAPE_ERROR("result %d is %s; @%s returns %s", i,
                         shape_type_text(module, op->results[i].type), callee,
                         shape_type_text(module, signature->results[i]));
    }
  }
  return NULL;
}

static pod_status_t verify_call(mlir_module_t *module, const mlir_op_t *op,
                                const char *attr_name) {
  const mlir_attr_t *callee = mlir_op_attr(op, attr_name);
  if (!mlir_attr_is(callee, MLIR_ATTR_SYMBOL)) {
    return SHAPE_ERROR("'%s' names no function", attr_name);
  }
  const mlir_op_t *function = mlir_module_find_symbol(module, callee->text);
  if (function == NULL || function->kind != KIND_FUNC) {
    return SHAPE_ERROR("calls @%s, but the module has no such function", callee->text);
  }
  const mlir_attr_t *type = mlir_op_attr(function, "function_type");
  if (!mlir_attr_is(type, MLIR_ATTR_TYPE) || type->type->kind != MLIR_TYPE_FUNCTION) {
    return verify_function(module, function);
  }
  return verify_signature(module, op, callee->text, type->type);
}

// A return stands last in its block, and nothing else does where one is needed.
static bool is_return(const mlir_op_t *op) {
  return op->kind == CHIP_OP_RETURN || op->kind == KIND_FUNC_RETURN ||
         op->kind == KIND_SDY_RETURN;
}

// in_shardings or out_shardings, which may be absent: one for each value, of its rank.
static pod_status_t verify_shardings(mlir_module_t *module, const mlir_op_t *op,
                                     const char *name, int count,
                                     const mlir_type_t *const *types) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (attr == NULL) {
    return NULL;
  }
  compiler_meshes_t *meshes;
  int64_t found;
  sharding_t **shardings;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  POD_TRY(
      compiler_parse_shardings(module, attr, meshes, module->arena, &found, &shardings));
  if (found != count) {
    return SHAPE_ERROR("'%s' has %" PRId64 " shardings for %d values", name, found,
                       count);
  }
  for (int i = 0; i < count; i++) {
    if (shardings[i]->rank != types[i]->shape.rank) {
      return SHAPE_ERROR("sharding %d of '%s' has %d dimensions, the value %d", i, name,
                         shardings[i]->rank, types[i]->shape.rank);
    }
  }
  return NULL;
}

// A group of operations: its arguments stand for its operands, its results for what is
// returned.
static pod_status_t verify_named(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, SHAPE_ANY, 1));
  const mlir_block_t *body = mlir_op_block(op, 0);
  const mlir_op_t *end = body == NULL ? NULL : body->last;
  if (end == NULL || body->next != NULL || end->kind != KIND_SDY_RETURN) {
    return SHAPE_ERROR("its body must be one block that ends with sdy.return");
  }
  if (body->argument_count != op->operand_count ||
      end->operand_count != op->result_count) {
    return SHAPE_ERROR(
        "its body has %d arguments and returns %d values, for %d operands "
        "and %d results",
        body->argument_count, end->operand_count, op->operand_count, op->result_count);
  }
  const size_t most = (size_t)op->operand_count + (size_t)op->result_count;
  const mlir_type_t **types = pod_arena_array(module->arena, most, sizeof(types[0]));
  for (int i = 0; i < op->operand_count; i++) {
    types[i] = op->operands[i]->type;
    if (!same_type(types[i], body->arguments[i]->type)) {
      return SHAPE_ERROR("argument %d of its body is %s, operand %d is %s", i,
                         shape_text(module, &body->arguments[i]->type->shape), i,
                         shape_text(module, &types[i]->shape));
    }
  }
  POD_TRY(verify_shardings(module, op, "in_shardings", op->operand_count, types));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = op->results[i].type;
    if (!same_type(types[i], end->operands[i]->type)) {
      return SHAPE_ERROR("its body returns %s as value %d, result %d is %s",
                         shape_text(module, &end->operands[i]->type->shape), i, i,
                         shape_text(module, &types[i]->shape));
    }
  }
  return verify_shardings(module, op, "out_shardings", op->result_count, types);
}

// The value goes through, and a sharding is said of it.
static pod_status_t verify_constraint(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  if (!same_type(op->operands[0]->type, op->results[0].type)) {
    return SHAPE_ERROR("its operand and its result have different types");
  }
  if (mlir_op_attr(op, "sharding") == NULL) {
    return SHAPE_ERROR("lacks the attribute 'sharding'");
  }
  return NULL;
}

static pod_status_t verify_op(mlir_module_t *module, const mlir_op_t *op) {
  if (is_return(op)) {
    POD_TRY(shape_arity(module, op, SHAPE_ANY, 0, 0));
    if (op->next != NULL) {
      return SHAPE_ERROR("stands before the end of its block");
    }
  }
  switch (op->kind) {
    case CHIP_OP_COPY:
    case CHIP_OP_ASYNC_DONE:
      return unknown_operation(module, op);  // Only later passes make these.
    case KIND_MODULE:
    case KIND_FUNC_RETURN:
      return NULL;
    case KIND_FUNC:
      return verify_function(module, op);
    case KIND_CALL:
      return verify_call(module, op, "callee");
    case KIND_COMPOSITE:
      return verify_call(module, op, "decomposition");
    case KIND_INSPECT_SHARDING:
      return shape_arity(module, op, 1, 0, 0);
    case KIND_SDY_NAMED_COMPUTATION:
      return verify_named(module, op);
    case KIND_SDY_SHARDING_CONSTRAINT:
    case KIND_SDY_RESHARD:
      return verify_constraint(module, op);
    default:
      break;
  }
  if (compiler_is_row(op->kind)) {
    return compiler_check_types(module, op, compiler_shape_rule(op->kind));
  }
  return compiler_is_shardy(op->kind) ? NULL : unknown_operation(module, op);
}

// What is called is found by its name.
static pod_status_t verify_names(mlir_module_t *module) {
  pod_map_t *seen = pod_map_create();
  pod_status_t status = NULL;
  const mlir_block_t *block = mlir_op_block(module->op, 0);
  for (mlir_op_t *op = block == NULL ? NULL : block->first; op != NULL && status == NULL;
       op = op->next) {
    const mlir_attr_t *name = mlir_op_attr(op, "sym_name");
    if (!mlir_attr_is(name, MLIR_ATTR_STRING)) {
      continue;
    }
    if (pod_map_get(seen, name->text) != NULL) {
      status = SHAPE_ERROR("another function is called @%s", name->text);
    }
    pod_map_put(seen, name->text, op);
  }
  pod_map_destroy(seen);
  return status;
}

pod_status_t compiler_verify(mlir_module_t *module) {
  POD_TRY(verify_names(module));
  POD_TRY(verify_aliases(module));
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    module->place_in_hand = op->position;  // Attributes of bytecode have none.
    POD_TRY(verify_op(module, op));
  }
  module->place_in_hand = 0;
  return NULL;
}
