// Types of tokens and futures are texts to MLIR; they are compared as such, spaces
// apart. (C…) are the constraints of the StableHLO specification.

#include "server/compiler/verify/streams.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"

static const char *type_text(mlir_module_t *module, const mlir_type_t *type) {
  pod_text_t text = {0};
  mlir_type_print(&text, type);
  const char *copy = pod_arena_strdup(module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// --- Tokens ---

// `count` types: tensors, then one token. `what` says of what: "operand".
static pod_status_t check_types(mlir_module_t *module, const mlir_op_t *op,
                                const char *what, int count,
                                const mlir_type_t *const *types) {
  if (count == 0) {
    return SHAPE_ERROR("has no %ss; it needs a token as its last", what);
  }
  for (int i = 0; i < count; i++) {
    const mlir_type_kind_t needed = i < count - 1 ? MLIR_TYPE_TENSOR : MLIR_TYPE_TOKEN;
    if (types[i]->kind != needed) {
      return SHAPE_ERROR("%s %d is %s; it must be a %s", what, i,
                         type_text(module, types[i]),
                         needed == MLIR_TYPE_TOKEN ? "token" : "tensor");
    }
  }
  return NULL;
}

static pod_status_t check_operands(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->operand_count, sizeof(types[0]));
  for (int i = 0; i < op->operand_count; i++) {
    types[i] = op->operands[i]->type;
  }
  return check_types(module, op, "operand", op->operand_count, types);
}

static pod_status_t check_results(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(types[0]));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = op->results[i].type;
  }
  return check_types(module, op, "result", op->result_count, types);
}

// An attribute that may be absent.
static pod_status_t check_string(mlir_module_t *module, const mlir_op_t *op,
                                 const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  return attr == NULL || mlir_attr_is(attr, MLIR_ATTR_STRING)
             ? NULL
             : SHAPE_ERROR("'%s' is no string", name);
}

// A list of dimensions, minor to major, for every tensor.
static pod_status_t check_layout(mlir_module_t *module, const mlir_op_t *op) {
  const mlir_attr_t *layout = mlir_op_attr(op, "layout");
  if (layout == NULL) {
    return NULL;
  }
  if (!mlir_attr_is(layout, MLIR_ATTR_ARRAY) || layout->count != op->result_count - 1) {
    return SHAPE_ERROR("'layout' must be an array of %d lists, one for each tensor",
                       op->result_count - 1);
  }
  for (int64_t i = 0; i < layout->count; i++) {
    int64_t count;
    const int64_t *dims;
    if (!mlir_attr_as_i64s(module, layout->elements[i], &count, &dims)) {
      return SHAPE_ERROR("element %" PRId64 " of 'layout' is no list of integers", i);
    }
  }
  return NULL;
}

static pod_status_t check_infeed(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, 1, SHAPE_ANY, 0));
  POD_TRY(check_operands(module, op));
  POD_TRY(check_results(module, op));  // (C1) to (C3)
  POD_TRY(check_string(module, op, "infeed_config"));
  return check_layout(module, op);
}

static pod_status_t check_outfeed(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  POD_TRY(check_operands(module, op));
  POD_TRY(check_results(module, op));
  return check_string(module, op, "outfeed_config");
}

// (C1), (C5) of send and recv; (C2) to (C4) are processes.h's. The specification calls
// the channel between host and device alike for both; programs say HOST_TO_DEVICE for
// recv.
static pod_status_t check_channel(mlir_module_t *module, const mlir_op_t *op) {
  enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };
  const mlir_attr_t *channel = mlir_op_attr(op, "channel_handle");
  const mlir_attr_t *host = mlir_op_attr(op, "is_host_transfer");
  const mlir_attr_t *pairs = mlir_op_attr(op, "source_target_pairs");
  if (channel == NULL) {
    return SHAPE_ERROR("lacks the attribute 'channel_handle'");
  }
  int64_t handle, type, count;
  const int64_t *values;
  POD_TRY(stablehlo_channel_handle(module, channel, &handle, &type));
  if (host != NULL && !mlir_attr_is(host, MLIR_ATTR_BOOL)) {
    return SHAPE_ERROR("'is_host_transfer' is neither true nor false");
  }
  const bool is_host = host != NULL && host->integer != 0;
  const bool is_send = op->kind == KIND_SEND;
  const bool fits = is_host
                        ? type == DEVICE_TO_HOST || (!is_send && type == HOST_TO_DEVICE)
                        : type == DEVICE_TO_DEVICE;
  if (!fits) {
    return SHAPE_ERROR("its channel is of type %" PRId64
                       "; is_host_transfer = %s needs %s",
                       type, is_host ? "true" : "false",
                       !is_host  ? "1, DEVICE_TO_DEVICE"
                       : is_send ? "2, DEVICE_TO_HOST"
                                 : "3, HOST_TO_DEVICE");
  }
  return pairs == NULL ? NULL
                       : stablehlo_source_target_pairs(module, pairs, &count, &values);
}

static pod_status_t check_send(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  POD_TRY(check_operands(module, op));
  POD_TRY(check_results(module, op));
  return check_channel(module, op);
}

static pod_status_t check_recv(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, 1, SHAPE_ANY, 0));
  POD_TRY(check_operands(module, op));
  POD_TRY(check_results(module, op));
  return check_channel(module, op);
}

// --- Futures ---

// "tensor<4xf32>,tensor<i32>": without spaces, to compare with what a future holds.
static const char *join_types(mlir_module_t *module, int count,
                              mlir_value_t *const *values) {
  pod_text_t text = {0};
  pod_text_add(&text, "");
  for (int i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? "," : "");
    mlir_type_print(&text, values[i]->type);
  }
  const char *copy = pod_arena_strdup(module->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static bool is_future(const mlir_type_t *type) {
  static const char prefix[] = "!stablehlo.future<";
  return type->kind == MLIR_TYPE_OPAQUE &&
         strncmp(type->text, prefix, strlen(prefix)) == 0;
}

// Whether the text of a future is that of the types, spaces apart.
static bool is_future_of(const mlir_type_t *future, const char *types) {
  const char *at = strchr(future->text, '<') + 1;
  const char *of = types;
  for (; *of != '\0'; at++) {
    if (*at != ' ' && *at != *of++) {
      return false;
    }
  }
  return strcmp(at, ">") == 0;
}

static bool may_be_asynchronous(const mlir_op_t *op) {
  switch (op->kind) {
    case KIND_COLLECTIVE_BROADCAST:
    case CHIP_OP_SLICE:
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return true;
    default:
      return chip_op_has(op->kind, CHIP_TRAIT_COLLECTIVE);
  }
}

// (C3): the operation inside takes the operands themselves, or the arguments that stand
// for them, in their order.
static pod_status_t check_passed(mlir_module_t *module, const mlir_op_t *op,
                                 const mlir_block_t *body) {
  const mlir_op_t *inner = body->first;
  if (body->argument_count != 0 && body->argument_count != op->operand_count) {
    return SHAPE_ERROR("its body has %d arguments for %d operands", body->argument_count,
                       op->operand_count);
  }
  for (int i = 0; i < body->argument_count; i++) {
    if (!mlir_type_equal(body->arguments[i]->type, op->operands[i]->type)) {
      return SHAPE_ERROR("argument %d of its body is %s, operand %d is %s", i,
                         type_text(module, body->arguments[i]->type), i,
                         type_text(module, op->operands[i]->type));
    }
  }
  bool fits = inner->operand_count == op->operand_count;
  for (int i = 0; fits && i < inner->operand_count; i++) {
    fits = inner->operands[i] ==
           (body->argument_count > 0 ? body->arguments[i] : op->operands[i]);
  }
  return fits ? NULL
              : SHAPE_ERROR("'%s' in its body must take its %d operands in their order",
                            inner->name, op->operand_count);
}

static pod_status_t check_async_start(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 1));
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->type->kind != MLIR_TYPE_TENSOR) {
      return SHAPE_ERROR("operand %d is %s; it must be a tensor", i,
                         type_text(module, op->operands[i]->type));
    }
  }
  const mlir_block_t *body = mlir_op_block(op, 0);
  if (body == NULL || body->next != NULL || body->first == NULL ||
      body->first->next == NULL || body->first->next != body->last ||
      body->last->kind != CHIP_OP_RETURN) {  // (C1)
    return SHAPE_ERROR("its body must be one operation and a return");
  }
  if (!may_be_asynchronous(body->first) || body->first->result_count == 0) {  // (C2)
    return SHAPE_ERROR("'%s' in its body is neither a collective nor a slice",
                       body->first->name);
  }
  POD_TRY(check_passed(module, op, body));
  bool returns_all = body->last->operand_count == body->first->result_count;
  for (int i = 0; returns_all && i < body->last->operand_count; i++) {
    returns_all = body->last->operands[i] == &body->first->results[i];
  }
  if (!returns_all) {
    return SHAPE_ERROR("its body must return the results of '%s' in their order",
                       body->first->name);
  }
  const char *types = join_types(module, body->last->operand_count, body->last->operands);
  if (!is_future(op->results[0].type) ||
      !is_future_of(op->results[0].type, types)) {  // (C4)
    return SHAPE_ERROR("its result is declared as %s, but it is !stablehlo.future<%s>",
                       type_text(module, op->results[0].type), types);
  }
  return NULL;
}

static pod_status_t check_async_done(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(shape_arity(module, op, 1, SHAPE_ANY, 0));
  const mlir_type_t *future = op->operands[0]->type;
  if (!is_future(future)) {
    return SHAPE_ERROR("operand 0 is %s; it must be a !stablehlo.future",
                       type_text(module, future));
  }
  mlir_value_t **results =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(results[0]));
  for (int i = 0; i < op->result_count; i++) {
    results[i] = &op->results[i];
  }
  const char *types = join_types(module, op->result_count, results);
  if (!is_future_of(future, types)) {  // (C1)
    return SHAPE_ERROR("returns %s for %s", types, future->text);
  }
  return NULL;
}

// A future is waited for where it begins, once or several times.
static pod_status_t check_futures(mlir_module_t *module, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_value_t *value = op->operands[i];
    if (value->type->kind != MLIR_TYPE_OPAQUE || !is_future(value->type)) {
      continue;
    }
    if (op->kind != KIND_ASYNC_DONE || value->op == NULL ||
        value->op->kind != KIND_ASYNC_START) {
      return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                           "operand %d is a future: only stablehlo.async_done takes one, "
                           "from a stablehlo.async_start",
                           i);
    }
  }
  return NULL;
}

bool streams_is_asynchronous(const mlir_op_t *op) {
  return op->kind == KIND_ASYNC_START || op->kind == KIND_ASYNC_DONE;
}

// A future becomes a tuple: the operation inside may give way itself, and what stands for
// its results then need not be the results of one operation.
void streams_expand(mlir_module_t *module, mlir_op_t *op,
                    mlir_replacements_t *replacements, mlir_value_t **out_results) {
  if (op->kind == KIND_ASYNC_DONE) {
    for (int i = 0; i < op->result_count; i++) {
      out_results[i] = op->operands[0]->op->operands[i];
    }
    return;
  }
  mlir_block_t *body = mlir_op_block(op, 0);
  mlir_op_t *inner = body->first;
  for (int i = 0; i < body->argument_count; i++) {
    mlir_replacements_put(replacements, body->arguments[i], op->operands[i]);
  }
  mlir_op_unlink(inner);
  mlir_block_insert_before(op, inner);
  const size_t count = (size_t)inner->result_count;
  const mlir_type_t **types = pod_arena_array(module->arena, count, sizeof(types[0]));
  mlir_value_t **parts = pod_arena_array(module->arena, count, sizeof(parts[0]));
  for (size_t i = 0; i < count; i++) {
    parts[i] = &inner->results[i];
    types[i] = inner->results[i].type;
  }
  const mlir_type_t *type = mlir_type_tuple(module, inner->result_count, types);
  mlir_op_t *tuple = mlir_op_create(module, mlir_intern(module, "stablehlo.tuple"),
                                    inner->result_count, parts, 1, &type, 0);
  tuple->position = op->position;
  tuple->location = op->location;
  mlir_block_insert_before(op, tuple);
  out_results[0] = &tuple->results[0];
}

typedef pod_status_t (*stream_rule_t)(mlir_module_t *module, const mlir_op_t *op);

static stream_rule_t find_rule(const mlir_op_t *op) {
  switch (op->kind) {
    case KIND_ASYNC_DONE:
      return check_async_done;
    case KIND_ASYNC_START:
      return check_async_start;
    case KIND_INFEED:
      return check_infeed;
    case KIND_OUTFEED:
      return check_outfeed;
    case KIND_RECV:
      return check_recv;
    case KIND_SEND:
      return check_send;
    default:
      return NULL;
  }
}

bool streams_has_rule(const mlir_op_t *op) {
  return find_rule(op) != NULL;
}

pod_status_t streams_check(mlir_module_t *module, const mlir_op_t *op) {
  POD_TRY(check_futures(module, op));
  const stream_rule_t rule = find_rule(op);
  return rule == NULL ? NULL : rule(module, op);
}
