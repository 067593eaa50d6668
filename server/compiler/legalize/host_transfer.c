// What a program gives to its host and takes from it, as JAX's callbacks ask a TPU for it
// (jax/_src/callback.py, send_to_host and receive_from_host).
//
// Tokens stay, as scalars of pred whose value means nothing: a transfer takes one and
// gives one, so that no pass can move one transfer across another, let a result come
// before what it answers, or merge two of them.
//
// Which devices do it: where the sharding is manual, each one for itself. Else the
// program is one machine of many devices, whose first does it for all; the others take
// what it was answered.

#include "server/compiler/legalize/host_transfer.h"

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/tokens.h"

typedef struct converter_t {
  mlir_module_t *module;
  const mlir_type_t *token;  // What stands for it.
  mlir_replacements_t replacements;
} converter_t;

static bool is_transfer(const mlir_op_t *op) {
  const mlir_attr_t *host = mlir_op_attr(op, "is_host_transfer");
  return (op->kind == KIND_SEND || op->kind == KIND_RECV) &&
         mlir_attr_is(host, MLIR_ATTR_BOOL) && host->integer != 0;
}

// In a module that runs a grid the other cells are the host (parallel_transfer.c).
static bool has_transfers(const mlir_module_t *module) {
  if (!mlir_may_have_tokens(module)) {
    return false;
  }
  bool has_some = false;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (op->kind == KIND_INTERPRETER_RUN_PARALLEL) {
      return false;
    }
    has_some = has_some || is_transfer(op);
  }
  return has_some;
}

// --- Tokens ---

static const mlir_type_t *converted(const converter_t *converter,
                                    const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_TOKEN ? converter->token : type;
}

static void convert_values(const converter_t *converter, mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    op->results[i].type = converted(converter, op->results[i].type);
  }
  for (int r = 0; r < op->region_count; r++) {
    for (mlir_block_t *block = mlir_op_block(op, r); block != NULL; block = block->next) {
      for (int i = 0; i < block->argument_count; i++) {
        block->arguments[i]->type = converted(converter, block->arguments[i]->type);
      }
    }
  }
}

static mlir_op_t *emit(const converter_t *converter, mlir_op_t *before, const char *name,
                       int operand_count, mlir_value_t **operands, int result_count,
                       const mlir_type_t **types) {
  mlir_op_t *op = mlir_op_create(converter->module, mlir_intern(converter->module, name),
                                 operand_count, operands, result_count, types, 0);
  op->position = before->position;
  op->location = before->location;
  mlir_block_insert_before(before, op);
  return op;
}

// A constant before `before`, all false.
static mlir_value_t *emit_constant(const converter_t *converter, mlir_op_t *before,
                                   const mlir_type_t *type) {
  mlir_op_t *constant = emit(converter, before, "stablehlo.constant", 0, NULL, 1, &type);
  const unsigned char no = 0;
  mlir_op_add_attr(converter->module, constant, mlir_intern(converter->module, "value"),
                   mlir_attr_dense(converter->module, &type->shape, &no, true));
  return &constant->results[0];
}

// create_token, and after_all, which is there when all its operands are.
static void convert_maker(converter_t *converter, mlir_op_t *op) {
  const mlir_type_t *types[] = {converter->token};
  mlir_value_t *all = op->operand_count > 0 ? op->operands[0] : NULL;
  if (all == NULL) {
    all = emit_constant(converter, op, converter->token);
  }
  for (int i = 1; i < op->operand_count; i++) {
    mlir_value_t *both[] = {all, op->operands[i]};
    all = &emit(converter, op, "stablehlo.or", 2, both, 1, types)->results[0];
  }
  mlir_replacements_put(&converter->replacements, &op->results[0], all);
  mlir_op_unlink(op);
}

// --- Transfers ---

static bool names_each(const char *text) {
  return text != NULL &&
         (strstr(text, "@empty_mesh") != NULL || strcmp(text, "{manual}") == 0);
}

static bool is_on_each_device(const mlir_op_t *op) {
  static const char *const names[] = {"sdy.sharding", "mhlo.sharding"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const mlir_attr_t *attr = mlir_op_attr(op, names[i]);
    if (attr != NULL) {
      return names_each(attr->kind == MLIR_ATTR_DIALECT ? attr->body : attr->text);
    }
  }
  const mlir_attr_t *frontend = mlir_op_attr(op, "mhlo.frontend_attributes");
  const mlir_attr_t *exported = mlir_attr_is(frontend, MLIR_ATTR_DICTIONARY)
                                    ? mlir_attr_get(frontend, "xla.sdy.sharding")
                                    : NULL;
  if (mlir_attr_is(exported, MLIR_ATTR_STRING)) {
    return names_each(exported->text);
  }
  for (const mlir_op_t *at = op; at->block != NULL; at = at->block->region->op) {
    if (at->kind == KIND_SDY_MANUAL_COMPUTATION) {
      return true;
    }
  }
  return false;
}

static pod_status_t convert_transfer(converter_t *converter, mlir_op_t *op) {
  mlir_module_t *module = converter->module;
  const bool is_send = op->kind == KIND_SEND;
  if ((is_send ? op->operand_count : op->result_count) != 2) {
    return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                         "between a device and its host goes one array at a time: write "
                         "an operation for each");
  }
  int64_t channel, type;
  POD_TRY(stablehlo_channel_handle(module, mlir_op_attr(op, "channel_handle"), &channel,
                                   &type));
  const mlir_type_t *types[] = {op->results[0].type, converter->token};
  mlir_op_t *made = emit(converter, op, is_send ? "podium.host_send" : "podium.host_recv",
                         op->operand_count, op->operands, op->result_count, types);
  mlir_op_add_attr(module, made, mlir_intern(module, "channel"),
                   mlir_attr_integer(module, channel, TENSOR_S64));
  mlir_op_add_attr(module, made, mlir_intern(module, "each_device"),
                   mlir_attr_bool(module, is_on_each_device(op)));
  for (int i = 0; i < op->result_count; i++) {
    made->results[i].name = op->results[i].name;
    mlir_replacements_put(&converter->replacements, &op->results[i], &made->results[i]);
  }
  mlir_op_unlink(op);
  return NULL;
}

static pod_status_t convert(converter_t *converter) {
  mlir_op_t *root = converter->module->op;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(root); op != NULL; op = next) {
    mlir_replacements_apply(&converter->replacements, op);
    next = mlir_walk_next(root, op);
    convert_values(converter, op);
    if (op->kind == KIND_FUNC) {
      tokens_replace_in_signature(converter->module, op, converter->token);
    } else if (op->kind == KIND_CREATE_TOKEN || op->kind == KIND_AFTER_ALL) {
      convert_maker(converter, op);
    } else if (is_transfer(op)) {
      POD_TRY(convert_transfer(converter, op));
    }
  }
  return NULL;
}

pod_status_t host_transfer_expand(mlir_module_t *module) {
  if (!has_transfers(module)) {
    return NULL;
  }
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_PRED, 0, NULL);
  converter_t converter = {.module = module, .token = mlir_type_tensor(module, &scalar)};
  const pod_status_t status = convert(&converter);
  mlir_replacements_deinit(&converter.replacements);
  return status;
}
