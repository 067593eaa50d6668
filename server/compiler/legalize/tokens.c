// Order among effects is the order of the program here: tokens carry no data, so
// operands, results, loop states and branches lose them.

#include "server/compiler/legalize/tokens.h"
#include "server/compiler/dialect/kinds.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/legalize/signature.h"

static bool is_token(const mlir_value_t *value) {
  return value->type->kind == MLIR_TYPE_TOKEN;
}

static bool has_tokens(const mlir_module_t *module) {
  if (!mlir_may_have_tokens(module)) {
    return false;
  }
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    for (int i = 0; i < op->result_count; i++) {
      if (is_token(&op->results[i])) {
        return true;
      }
    }
    for (int r = 0; r < op->region_count; r++) {
      const mlir_block_t *block = mlir_op_block(op, r);
      for (int i = 0; block != NULL && i < block->argument_count; i++) {
        if (is_token(block->arguments[i])) {
          return true;
        }
      }
    }
  }
  return false;
}

static void remove_operands(mlir_op_t *op) {
  int count = 0;
  for (int i = 0; i < op->operand_count; i++) {
    if (!is_token(op->operands[i])) {
      op->operands[count++] = op->operands[i];
    }
  }
  op->operand_count = count;
}

static void remove_arguments(mlir_op_t *op) {
  for (int r = 0; r < op->region_count; r++) {
    for (mlir_block_t *block = mlir_op_block(op, r); block != NULL; block = block->next) {
      int count = 0;
      for (int i = 0; i < block->argument_count; i++) {
        if (!is_token(block->arguments[i])) {
          block->arguments[i]->index = (uint32_t)count;
          block->arguments[count++] = block->arguments[i];
        }
      }
      block->argument_count = count;
    }
  }
}

// --- Those of @main ---

static const mlir_type_t *empty_type(mlir_module_t *module) {
  const int64_t none[] = {0};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_PRED, 1, none);
  return mlir_type_tensor(module, &shape);
}

static mlir_value_t *emit_before(mlir_module_t *module, mlir_op_t *where,
                                 const char *name, const mlir_type_t *type) {
  mlir_op_t *op = mlir_op_create(module, mlir_intern(module, name), 0, NULL, 1, &type, 0);
  op->position = where->position;
  op->location = where->location;
  if (type->kind == MLIR_TYPE_TENSOR) {
    const unsigned char no = 0;
    mlir_op_add_attr(module, op, mlir_intern(module, "value"),
                     mlir_attr_dense(module, &type->shape, &no, true));
  }
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

// A token's sharding says nothing of the array that stands for it.
static const mlir_attr_t *without_sharding(mlir_module_t *module,
                                           const mlir_attr_t *attrs) {
  if (!mlir_attr_is(attrs, MLIR_ATTR_DICTIONARY)) {
    return attrs;
  }
  mlir_named_attr_t *entries =
      pod_arena_array(module->arena, (size_t)attrs->count + 1, sizeof(entries[0]));
  int64_t count = 0;
  for (int64_t i = 0; i < attrs->count; i++) {
    const char *name = attrs->entries[i].name;
    if (strcmp(name, "sdy.sharding") != 0 && strcmp(name, "mhlo.sharding") != 0) {
      entries[count++] = attrs->entries[i];
    }
  }
  return mlir_attr_dictionary(module, count, entries);
}

// `name` is arg_attrs or res_attrs; `types` are what they are of.
static void drop_shardings(mlir_module_t *module, mlir_op_t *main, const char *name,
                           int count, const mlir_type_t *const *types) {
  const mlir_attr_t *attr = mlir_op_attr(main, name);
  if (!mlir_attr_is(attr, MLIR_ATTR_ARRAY) || attr->count != count) {
    return;
  }
  const mlir_attr_t **elements =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(elements[0]));
  for (int i = 0; i < count; i++) {
    elements[i] = types[i]->kind == MLIR_TYPE_TOKEN
                      ? without_sharding(module, attr->elements[i])
                      : attr->elements[i];
  }
  mlir_op_set_attr(module, main, mlir_intern(module, name),
                   mlir_attr_array(module, count, elements));
}

static void convert_body(mlir_module_t *module, mlir_op_t *main) {
  mlir_block_t *block = mlir_op_block(main, 0);
  mlir_op_t *end = block->last;
  mlir_replacements_t replacements = {0};
  bool any = false;
  for (int i = 0; i < block->argument_count; i++) {
    mlir_value_t *argument = block->arguments[i];
    if (is_token(argument)) {
      any = true;
      mlir_replacements_put(
          &replacements, argument,
          emit_before(module, block->first, "stablehlo.create_token", argument->type));
      argument->type = empty_type(module);
    }
  }
  for (mlir_op_t *op = mlir_walk_first(main); any && op != NULL;
       op = mlir_walk_next(main, op)) {
    mlir_replacements_apply(&replacements, op);
  }
  mlir_replacements_deinit(&replacements);
  for (int i = 0; i < end->operand_count; i++) {
    if (is_token(end->operands[i])) {
      end->operands[i] =
          emit_before(module, end, "stablehlo.constant", empty_type(module));
    }
  }
}

void tokens_replace_in_signature(mlir_module_t *module, mlir_op_t *function,
                                 const mlir_type_t *by) {
  const mlir_attr_t *attr = mlir_op_attr(function, "function_type");
  if (!mlir_attr_is(attr, MLIR_ATTR_TYPE) || attr->type->kind != MLIR_TYPE_FUNCTION) {
    return;  // For the verifier.
  }
  const mlir_type_t *type = attr->type;
  const int count = type->input_count + type->result_count;
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(types[0]));
  for (int i = 0; i < count; i++) {
    types[i] =
        i < type->input_count ? type->inputs[i] : type->results[i - type->input_count];
    if (types[i]->kind == MLIR_TYPE_TOKEN) {
      types[i] = by;
    }
  }
  mlir_op_set_attr(module, function, mlir_intern(module, "function_type"),
                   mlir_attr_type(module, mlir_type_function(module, type->input_count,
                                                             types, type->result_count,
                                                             types + type->input_count)));
}

void tokens_of_main(mlir_module_t *module) {
  mlir_op_t *main = mlir_may_have_tokens(module) ? signature_main(module) : NULL;
  if (main == NULL) {
    return;
  }
  const mlir_attr_t *attr = mlir_op_attr(main, "function_type");
  if (!mlir_attr_is(attr, MLIR_ATTR_TYPE) || attr->type->kind != MLIR_TYPE_FUNCTION ||
      attr->type->input_count != mlir_op_block(main, 0)->argument_count ||
      attr->type->result_count != mlir_op_block(main, 0)->last->operand_count) {
    return;  // For the verifier.
  }
  const mlir_type_t *type = attr->type;
  drop_shardings(module, main, "arg_attrs", type->input_count, type->inputs);
  drop_shardings(module, main, "res_attrs", type->result_count, type->results);
  convert_body(module, main);
  tokens_replace_in_signature(module, main, empty_type(module));
}

// --- Signatures ---

static int without_tokens(int count, const mlir_type_t *const *types,
                          const mlir_type_t **out) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (types[i]->kind != MLIR_TYPE_TOKEN) {
      out[kept++] = types[i];
    }
  }
  return kept;
}

// Of arg_attrs or res_attrs those of values that stay.
static void keep_attrs(mlir_module_t *module, mlir_op_t *op, const char *name, int count,
                       const mlir_type_t *const *types) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  if (!mlir_attr_is(attr, MLIR_ATTR_ARRAY) || attr->count != count) {
    return;
  }
  const mlir_attr_t **kept =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(kept[0]));
  int64_t kept_count = 0;
  for (int i = 0; i < count; i++) {
    if (types[i]->kind != MLIR_TYPE_TOKEN) {
      kept[kept_count++] = attr->elements[i];
    }
  }
  mlir_op_set_attr(module, op, mlir_intern(module, name),
                   mlir_attr_array(module, kept_count, kept));
}

// `numbers` are those of the results that stay, -1 of tokens.
static const mlir_attr_t *renumber_alias(mlir_module_t *module, const mlir_attr_t *attrs,
                                         int64_t result_count, const int64_t *numbers) {
  const mlir_attr_t *alias = mlir_attr_is(attrs, MLIR_ATTR_DICTIONARY)
                                 ? mlir_attr_get(attrs, "tf.aliasing_output")
                                 : NULL;
  if (!mlir_attr_is(alias, MLIR_ATTR_INTEGER) || alias->integer < 0 ||
      alias->integer >= result_count) {
    return attrs;  // What makes no sense is reported where it is followed.
  }
  mlir_named_attr_t *entries =
      pod_arena_array(module->arena, (size_t)attrs->count, sizeof(entries[0]));
  for (int64_t i = 0; i < attrs->count; i++) {
    entries[i] = attrs->entries[i];
    if (entries[i].value == alias) {
      entries[i].value = mlir_attr_integer(module, numbers[alias->integer], TENSOR_S32);
    }
  }
  return mlir_attr_dictionary(module, attrs->count, entries);
}

// Of arg_attrs what names results by number: those behind tokens move up.
static void renumber_aliases(mlir_module_t *module, mlir_op_t *op,
                             const mlir_type_t *type) {
  const mlir_attr_t *attr = mlir_op_attr(op, "arg_attrs");
  if (!mlir_attr_is(attr, MLIR_ATTR_ARRAY)) {
    return;
  }
  const mlir_attr_t **elements =
      pod_arena_array(module->arena, (size_t)attr->count + 1, sizeof(elements[0]));
  int64_t *numbers =
      pod_arena_array(module->arena, (size_t)type->result_count, sizeof(numbers[0]));
  int64_t count = 0;
  for (int i = 0; i < type->result_count; i++) {
    numbers[i] = type->results[i]->kind == MLIR_TYPE_TOKEN ? -1 : count++;
  }
  for (int64_t i = 0; i < attr->count; i++) {
    elements[i] = renumber_alias(module, attr->elements[i], type->result_count, numbers);
  }
  mlir_op_set_attr(module, op, mlir_intern(module, "arg_attrs"),
                   mlir_attr_array(module, attr->count, elements));
}

static void rewrite_signature(mlir_module_t *module, mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "function_type");
  if (!mlir_attr_is(attr, MLIR_ATTR_TYPE) || attr->type->kind != MLIR_TYPE_FUNCTION) {
    return;
  }
  const mlir_type_t *type = attr->type;
  const mlir_type_t **inputs =
      pod_arena_array(module->arena, (size_t)(type->input_count + type->result_count) + 1,
                      sizeof(inputs[0]));
  const mlir_type_t **results = inputs + type->input_count;
  const int input_count = without_tokens(type->input_count, type->inputs, inputs);
  const int result_count = without_tokens(type->result_count, type->results, results);
  if (input_count == type->input_count && result_count == type->result_count) {
    return;
  }
  renumber_aliases(module, op, type);
  keep_attrs(module, op, "arg_attrs", type->input_count, type->inputs);
  keep_attrs(module, op, "res_attrs", type->result_count, type->results);
  mlir_op_set_attr(module, op, mlir_intern(module, "function_type"),
                   mlir_attr_type(module, mlir_type_function(module, input_count, inputs,
                                                             result_count, results)));
}

// --- Shardings ---

// Where an entry of a list of shardings ends: at a comma, or bracket, outside of others.
static const char *end_of_entry(const char *at, const char *end) {
  for (int depth = 0; at < end; at++) {
    const bool opens = strchr("<[{(", *at) != NULL, closes = strchr(">]})", *at) != NULL;
    if (depth == 0 && (*at == ',' || closes)) {
      return at;
    }
    depth += opens - closes;
  }
  return end;
}

// Of a list of shardings, one by value, those of values that are no tokens. What is no
// such list is for who reads it.
static const mlir_attr_t *keep_listed(mlir_module_t *module, const mlir_attr_t *attr,
                                      int count, const bool *are_tokens) {
  pod_text_t text = {0};
  const char *at = attr->body + 1, *end = attr->body + strlen(attr->body);
  int found = 0, kept = 0;
  pod_text_add(&text, "[");
  for (; at < end && found < count; found++) {
    const char *behind = end_of_entry(at, end);
    if (!are_tokens[found]) {
      pod_text_add(&text, kept++ == 0 ? "" : ",");
      pod_text_add_bytes(&text, at, (size_t)(behind - at));
    }
    at = behind + 1;
  }
  pod_text_add(&text, "]");
  const mlir_attr_t *made =
      found == count ? mlir_attr_dialect(module, "sdy.sharding_per_value", text.bytes)
                     : attr;
  pod_text_deinit(&text);
  return made;
}

static void keep_shardings(mlir_module_t *module, mlir_op_t *op, const char *name,
                           int count, const bool *are_tokens) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  bool any = false;
  for (int i = 0; i < count; i++) {
    any = any || are_tokens[i];
  }
  if (any && mlir_attr_is(attr, MLIR_ATTR_DIALECT) && attr->body != NULL &&
      attr->body[0] == '[') {
    mlir_op_set_attr(module, op, mlir_intern(module, name),
                     keep_listed(module, attr, count, are_tokens));
  }
}

// Before the tokens go.
static void remove_shardings(mlir_module_t *module, mlir_op_t *op) {
  const int count = op->operand_count + op->result_count;
  bool *are_tokens = pod_arena_array(module->arena, (size_t)count + 1, sizeof(bool));
  for (int i = 0; i < count; i++) {
    are_tokens[i] = is_token(i < op->operand_count ? op->operands[i]
                                                   : &op->results[i - op->operand_count]);
  }
  const bool *of_results = are_tokens + op->operand_count;
  if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
    keep_shardings(module, op, "in_shardings", op->operand_count, are_tokens);
    keep_shardings(module, op, "out_shardings", op->result_count, of_results);
  }
  keep_shardings(module, op, "sdy.sharding", op->result_count, of_results);
}

// --- Results ---

// The operation anew without the results that are tokens; its regions move.
static mlir_op_t *without_token_results(mlir_module_t *module, mlir_op_t *op,
                                        mlir_replacements_t *replacements) {
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(types[0]));
  int count = 0;
  for (int i = 0; i < op->result_count; i++) {
    if (!is_token(&op->results[i])) {
      types[count++] = op->results[i].type;
    }
  }
  mlir_op_t *fresh = mlir_op_create(module, op->name, op->operand_count, op->operands,
                                    count, types, op->region_count);
  fresh->position = op->position;
  fresh->location = op->location;
  for (int i = 0; i < op->attr_count; i++) {
    mlir_op_add_attr(module, fresh, op->attrs[i].name, op->attrs[i].value);
  }
  for (int r = 0; r < op->region_count; r++) {
    mlir_walk_move_region(&op->regions[r], &fresh->regions[r]);
  }
  for (int i = 0, kept = 0; i < op->result_count; i++) {
    if (!is_token(&op->results[i])) {
      fresh->results[kept].name = op->results[i].name;
      mlir_replacements_put(replacements, &op->results[i], &fresh->results[kept++]);
    }
  }
  mlir_block_insert_before(op, fresh);
  mlir_op_unlink(op);
  return fresh;
}

static bool only_makes_tokens(const mlir_op_t *op) {
  return op->kind == KIND_AFTER_ALL || op->kind == KIND_CREATE_TOKEN ||
         (op->kind == CHIP_OP_OPTIMIZATION_BARRIER && op->operand_count == 0);
}

// Others are refused by the verifier when they have any.
static bool may_have_tokens(const mlir_op_t *op) {
  switch (op->kind) {
    case KIND_FUNC:
    case KIND_CALL:
    case KIND_FUNC_RETURN:
    case KIND_INTERPRETER_PRINT:
    case KIND_INTERPRETER_PROBE:
    case KIND_INTERPRETER_RUN_PARALLEL:
    case KIND_AFTER_ALL:
    case KIND_COMPOSITE:
    case KIND_CREATE_TOKEN:
    case KIND_CUSTOM_CALL:
    case KIND_INFEED:
    case KIND_OUTFEED:
    case KIND_RECV:
    case KIND_SEND:
    case CHIP_OP_OPTIMIZATION_BARRIER:
    case CHIP_OP_RETURN:
      return true;
    default:
      return chip_op_has(op->kind, CHIP_TRAIT_CONTROL) || compiler_is_shardy(op->kind);
  }
}

void tokens_remove(mlir_module_t *module) {
  if (!has_tokens(module)) {
    return;
  }
  mlir_replacements_t replacements = {0};
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL; op = next) {
    mlir_replacements_apply(&replacements, op);
    next = mlir_walk_next(module->op, op);
    if (!may_have_tokens(op)) {
      continue;
    }
    remove_shardings(module, op);
    remove_operands(op);
    remove_arguments(op);
    bool makes_tokens = false;
    for (int i = 0; i < op->result_count; i++) {
      makes_tokens |= is_token(&op->results[i]);
    }
    if (makes_tokens && op->result_count == 1 && op->operand_count == 0 &&
        op->region_count == 0 && only_makes_tokens(op)) {
      mlir_op_unlink(op);
    } else if (makes_tokens) {
      without_token_results(module, op, &replacements);
    } else if (op->kind == KIND_FUNC) {
      rewrite_signature(module, op);
    }
  }
  mlir_replacements_deinit(&replacements);
}
