// Operations, blocks and regions, and what stands around them at the top of a file.

#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser_private.h"

enum { RESULTS_MAX = 1 << 20, NAME_BYTES_MAX = 1 << 12 };

// --- Operands and results ---

bool mlir_parser_peek_operand(mlir_parser_t *parser) {
  return *parser->at == '%';
}

// `%name`: letters, digits, $ . _ -
static pod_status_t parse_value_name(mlir_parser_t *parser, const char **out_name,
                                     size_t *out_length) {
  const char *end = mlir_lex_word_end(parser->at + 1, true);
  if (*parser->at != '%' || end == parser->at + 1) {
    return mlir_parser_error(parser, "expected a value, as %%0");
  }
  // `%0-> …` ends before the arrow.
  end -= end[-1] == '-' && *end == '>';
  *out_name = parser->at + 1;
  *out_length = (size_t)(end - parser->at - 1);
  parser->at = end;
  return NULL;
}

pod_status_t mlir_parser_value(mlir_parser_t *parser, mlir_operand_t *out_operand) {
  const char *start = parser->at;
  const char *name;
  size_t length;
  POD_TRY(parse_value_name(parser, &name, &length));
  int64_t index = 0;
  if (*parser->at == '#') {
    parser->at++;
    POD_TRY(mlir_parser_i64(parser, &index));
  } else {
    mlir_lex_skip(parser);
  }
  const mlir_binding_t *binding =
      parser->state == NULL ? NULL : mlir_scope_find(&parser->state->scope, name, length);
  if (binding == NULL || binding->values == NULL) {
    return mlir_lex_error(parser, start, "value %%%.*s is not defined here", (int)length,
                          name);
  }
  if (index < 0 || index >= binding->count) {
    return mlir_lex_error(parser, start,
                          "%%%.*s has %u results, so #%lld is none of them", (int)length,
                          name, binding->count, (long long)index);
  }
  out_operand->value = &binding->values[index];
  out_operand->position = mlir_lex_position_of(parser, start);
  return NULL;
}

void mlir_parser_add_operand(mlir_parser_t *parser, mlir_op_t *op,
                             mlir_operand_t operand) {
  mlir_parse_state_t *state = parser->state;
  const int count = op->operand_count;
  // Room doubles at powers of two.
  if (count == 0 || (count >= 2 && (count & (count - 1)) == 0)) {
    mlir_value_t **grown = pod_arena_array(
        parser->module->arena, count == 0 ? 2 : 2 * (size_t)count, sizeof(*grown));
    if (count > 0) {
      memcpy(grown, op->operands, (size_t)count * sizeof(*grown));
    }
    op->operands = grown;
  }
  op->operands[op->operand_count++] = operand.value;
  *pod_list_add(&state->operand_positions) = operand.position;
}

pod_status_t mlir_parser_operand(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_operand_t operand;
  POD_TRY(mlir_parser_value(parser, &operand));
  mlir_parser_add_operand(parser, op, operand);
  return NULL;
}

pod_status_t mlir_parser_operands(mlir_parser_t *parser, mlir_op_t *op) {
  if (!mlir_parser_peek_operand(parser)) {
    return NULL;
  }
  do {
    POD_TRY(mlir_parser_operand(parser, op));
  } while (mlir_parser_accept(parser, ","));
  return NULL;
}

static pod_status_t type_mismatch(mlir_parser_t *parser, const mlir_op_t *op, int index,
                                  const mlir_type_t *type) {
  pod_text_t message = {0};
  const mlir_value_t *value = op->operands[index];
  pod_text_printf(&message, "%%%s is ", value->name == NULL ? "?" : value->name);
  mlir_type_print(&message, value->type);
  pod_text_add(&message, " where it is defined, ");
  mlir_type_print(&message, type);
  pod_text_add(&message, " here");
  const mlir_parse_state_t *state = parser->state;
  const pod_status_t status = mlir_error_at(
      parser->module, state->operand_positions.items[state->operand_base + index],
      POD_INVALID_ARGUMENT, "%s", message.bytes);
  pod_text_deinit(&message);
  return status;
}

pod_status_t mlir_parser_check_operands(mlir_parser_t *parser, mlir_op_t *op, int count,
                                        const mlir_type_t *const *types) {
  if (count != op->operand_count) {
    return mlir_op_error(parser->module, op, POD_INVALID_ARGUMENT,
                         "has %d operands, but %d types for them", op->operand_count,
                         count);
  }
  for (int i = 0; i < count; i++) {
    if (!mlir_type_equal(op->operands[i]->type, types[i])) {
      return type_mismatch(parser, op, i, types[i]);
    }
  }
  return NULL;
}

pod_status_t mlir_parser_set_results(mlir_parser_t *parser, mlir_op_t *op, int count,
                                     const mlir_type_t *const *types) {
  mlir_op_set_result_types(parser->module, op, count, types);
  return NULL;
}

pod_status_t mlir_parser_functional_type(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_signature_t signature;
  POD_TRY(mlir_parser_signature(parser, &signature));
  POD_TRY(
      mlir_parser_check_operands(parser, op, signature.input_count, signature.inputs));
  return mlir_parser_set_results(parser, op, signature.result_count, signature.results);
}

// --- Regions ---

// The regions of an operation lie in one array, which moves when it grows.
mlir_region_t *mlir_parser_add_region(mlir_parser_t *parser, mlir_op_t *op) {
  const int count = op->region_count;
  if (count == 0 || (count >= 2 && (count & (count - 1)) == 0)) {
    mlir_region_t *grown = pod_arena_array(
        parser->module->arena, count == 0 ? 2 : 2 * (size_t)count, sizeof(*grown));
    for (int i = 0; i < count; i++) {
      grown[i] = op->regions[i];
      for (mlir_block_t *block = grown[i].first; block != NULL; block = block->next) {
        block->region = &grown[i];
      }
    }
    op->regions = grown;
  }
  op->regions[op->region_count].op = op;
  return &op->regions[op->region_count++];
}

pod_status_t mlir_parser_region_argument(mlir_parser_t *parser, bool with_type,
                                         mlir_region_argument_t *out_argument) {
  const char *name;
  size_t length;
  *out_argument = (mlir_region_argument_t){.position = mlir_parser_position(parser)};
  POD_TRY(parse_value_name(parser, &name, &length));
  mlir_lex_skip(parser);
  out_argument->name = pod_arena_text(parser->module->arena, name, length);
  if (!with_type) {
    return NULL;
  }
  POD_TRY(mlir_parser_expect(parser, ":"));
  POD_TRY(mlir_parser_type(parser, &out_argument->type));
  return mlir_parser_peek(parser, "loc")
             ? mlir_parse_location(parser, &out_argument->location)
             : NULL;
}

static pod_status_t bind_argument(mlir_parser_t *parser, mlir_block_t *block,
                                  const mlir_region_argument_t *argument) {
  mlir_value_t *value = mlir_block_add_argument(parser->module, block, argument->type);
  value->name = argument->name;
  value->location = argument->location;
  value->position = argument->position;
  return mlir_define_values(parser, argument->name, strlen(argument->name),
                            argument->position, value, 1);
}

// ^bb0(%a: tensor<f32>, …):
static pod_status_t parse_block_header(mlir_parser_t *parser, mlir_block_t *block) {
  const char *start = parser->at;
  const char *end = mlir_lex_word_end(start + 1, true);
  if (end == start + 1) {
    return mlir_parser_error(parser, "expected the name of a block after '^'");
  }
  block->label =
      pod_arena_text(parser->module->arena, start + 1, (size_t)(end - start - 1));
  POD_TRY(mlir_define_values(parser, start, (size_t)(end - start),
                             mlir_parser_position(parser), NULL, 0));
  parser->at = end;
  mlir_lex_skip(parser);
  if (mlir_parser_accept(parser, "(") && !mlir_parser_accept(parser, ")")) {
    do {
      mlir_region_argument_t argument;
      POD_TRY(mlir_parser_region_argument(parser, true, &argument));
      POD_TRY(bind_argument(parser, block, &argument));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, ")"));
  }
  return mlir_parser_expect(parser, ":");
}

static pod_status_t parse_ops(mlir_parser_t *parser, mlir_block_t *block) {
  while (*parser->at != '}' && *parser->at != '^') {
    POD_TRY(mlir_parse_op(parser, block));
  }
  return NULL;
}

static pod_status_t parse_blocks(mlir_parser_t *parser, mlir_region_t *region,
                                 int argument_count,
                                 const mlir_region_argument_t *arguments) {
  POD_TRY(mlir_parser_expect(parser, "{"));
  if (argument_count > 0 || (*parser->at != '^' && *parser->at != '}')) {
    mlir_block_t *entry = mlir_block_create(parser->module, region);
    for (int i = 0; i < argument_count; i++) {
      POD_TRY(bind_argument(parser, entry, &arguments[i]));
    }
    POD_TRY(parse_ops(parser, entry));
  }
  while (*parser->at == '^') {
    mlir_block_t *block = mlir_block_create(parser->module, region);
    POD_TRY(parse_block_header(parser, block));
    POD_TRY(parse_ops(parser, block));
  }
  return mlir_parser_expect(parser, "}");
}

static pod_status_t parse_region(mlir_parser_t *parser, mlir_op_t *op, bool is_isolated,
                                 int argument_count,
                                 const mlir_region_argument_t *arguments) {
  mlir_scope_t *scope = &parser->state->scope;
  const uint32_t outer_count = (uint32_t)scope->bindings.count,
                 outer_isolated = scope->isolated, outer_region = scope->region;
  POD_TRY(mlir_lex_enter(parser, 1));
  scope->region = outer_count;
  if (is_isolated) {
    scope->isolated = outer_count;
  }
  mlir_region_t *region = mlir_parser_add_region(parser, op);
  POD_TRY(parse_blocks(parser, region, argument_count, arguments));
  mlir_scope_leave(scope, outer_count);
  scope->isolated = outer_isolated;
  scope->region = outer_region;
  return mlir_lex_enter(parser, -1);
}

pod_status_t mlir_parser_region(mlir_parser_t *parser, mlir_op_t *op, int argument_count,
                                const mlir_region_argument_t *arguments) {
  return parse_region(parser, op, false, argument_count, arguments);
}

pod_status_t mlir_parser_isolated_region(mlir_parser_t *parser, mlir_op_t *op,
                                         int argument_count,
                                         const mlir_region_argument_t *arguments) {
  return parse_region(parser, op, true, argument_count, arguments);
}

// --- Operations ---

// (operands) <{properties}> ({regions}) {attributes} : (types) -> types
pod_status_t mlir_parser_generic(mlir_parser_t *parser, mlir_op_t *op) {
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  if (*parser->at == '[') {
    return mlir_parser_error(parser, "branches between blocks are not supported");
  }
  if (mlir_parser_accept(parser, "<")) {
    if (*parser->at != '{') {
      return mlir_parser_expect(parser, "{");
    }
    POD_TRY(mlir_parser_attr_dict(parser, op));
    POD_TRY(mlir_parser_expect(parser, ">"));
  }
  if (mlir_parser_accept(parser, "(")) {
    // What MLIR calls IsolatedFromAbove holds in the generic form as well.
    const bool is_isolated =
        strcmp(op->name, "func.func") == 0 || strcmp(op->name, "builtin.module") == 0;
    do {
      POD_TRY(parse_region(parser, op, is_isolated, 0, NULL));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, ")"));
  }
  POD_TRY(mlir_parser_attr_dict(parser, op));
  POD_TRY(mlir_parser_expect(parser, ":"));
  return mlir_parser_functional_type(parser, op);
}

static const mlir_op_names_t *find_op(mlir_parser_t *parser, const char *start,
                                      size_t length) {
  mlir_parse_state_t *state = parser->state;
  mlir_op_names_t *names = pod_map_get_n(state->op_names, start, length);
  if (names != NULL) {
    return names;
  }
  const char *name = mlir_intern_n(parser->module, start, length);
  // The func and builtin dialects may be left out.
  static const char *const full_names[][2] = {{"module", "builtin.module"},
                                              {"func", "func.func"},
                                              {"call", "func.call"},
                                              {"return", "func.return"}};
  for (size_t i = 0; i < POD_COUNT_OF(full_names); i++) {
    if (strcmp(name, full_names[i][0]) == 0) {
      name = mlir_intern(parser->module, full_names[i][1]);
      break;
    }
  }
  const mlir_syntax_t *syntax = mlir_builtin_syntax(name);
  if (syntax == NULL && state->lookup != NULL) {
    syntax = state->lookup(name);
  }
  names = pod_arena_alloc(parser->module->arena, sizeof(*names));
  *names = (mlir_op_names_t){name, syntax};
  pod_map_put_n(state->op_names, start, length, names);
  return names;
}

static pod_status_t parse_named_op(mlir_parser_t *parser, const char *name,
                                   const mlir_syntax_t *syntax, mlir_position_t position,
                                   mlir_op_t **out_op) {
  mlir_parse_state_t *state = parser->state;
  mlir_op_t *op = mlir_op_create(parser->module, name, 0, NULL, 0, NULL, 0);
  op->position = position;
  *out_op = op;
  const int32_t outer_base = state->operand_base;
  const int32_t outer_count = state->operand_positions.count;
  state->operand_base = outer_count;
  state->syntax = syntax;
  POD_TRY(syntax == NULL ? mlir_parser_generic(parser, op) : syntax->parse(parser, op));
  state->operand_base = outer_base;
  state->operand_positions.count = outer_count;
  return mlir_parser_peek(parser, "loc") ? mlir_parse_location(parser, &op->location)
                                         : NULL;
}

// The operation without its results.
static pod_status_t parse_op_body(mlir_parser_t *parser, mlir_op_t **out_op) {
  const mlir_position_t position = mlir_parser_position(parser);
  if (*parser->at == '"') {
    const char *name;
    POD_TRY(mlir_parser_string(parser, &name));
    if (*name == '\0') {
      return mlir_parser_error_at(parser, position, "an operation without a name");
    }
    return parse_named_op(parser, name, NULL, position, out_op);
  }
  if (!mlir_is_letter(*parser->at)) {
    return mlir_parser_error(parser, "expected an operation");
  }
  const char *start = parser->at;
  const char *end = mlir_lex_word_end(start, false);
  if (end - start > NAME_BYTES_MAX) {
    return mlir_parser_error(parser, "the name of an operation has more than %d letters",
                             NAME_BYTES_MAX);
  }
  const mlir_op_names_t *names = find_op(parser, start, (size_t)(end - start));
  if (names->syntax == NULL) {
    return mlir_parser_error(parser, "unknown operation '%.*s'%s", (int)(end - start),
                             start,
                             strchr(names->name, '.') == NULL
                                 ? ""
                                 : " (in the generic form, \"dialect.op\"(…), any is "
                                   "read)");
  }
  parser->at = end;
  mlir_lex_skip(parser);
  return parse_named_op(parser, names->name, names->syntax, position, out_op);
}

typedef struct result_names_t {
  const char *name;
  size_t length;
  int64_t count;
} result_names_t;

// `%a, %b:2 = `: records on the scratch stack; their results together in *out_total.
static pod_status_t parse_result_names(mlir_parser_t *parser, int64_t *out_total) {
  *out_total = 0;
  do {
    result_names_t *names = pod_arena_alloc(parser->module->arena, sizeof(*names));
    names->count = 1;
    POD_TRY(parse_value_name(parser, &names->name, &names->length));
    mlir_lex_skip(parser);
    if (mlir_parser_accept(parser, ":")) {
      POD_TRY(mlir_parser_i64(parser, &names->count));
      if (names->count < 1 || names->count > RESULTS_MAX) {
        return mlir_parser_error(parser, "expected a count of results, 1 to %d",
                                 RESULTS_MAX);
      }
    }
    *out_total += names->count;
    mlir_scratch_push(parser, names);
  } while (mlir_parser_accept(parser, ","));
  return mlir_parser_expect(parser, "=");
}

static pod_status_t bind_results(mlir_parser_t *parser, mlir_op_t *op, int64_t base) {
  int64_t first = 0;
  for (int64_t i = base; i < parser->scratch_count; i++) {
    const result_names_t *names = parser->scratch[i];
    mlir_value_t *values = &op->results[first];
    values[0].name = pod_arena_text(parser->module->arena, names->name, names->length);
    for (int64_t k = 1; k < names->count; k++) {
      values[k].name = values[0].name;
    }
    POD_TRY(mlir_define_values(parser, names->name, names->length,
                               mlir_lex_position_of(parser, names->name - 1), values,
                               (uint32_t)names->count));
    first += names->count;
  }
  parser->scratch_count = base;
  return NULL;
}

pod_status_t mlir_parse_op(mlir_parser_t *parser, mlir_block_t *block) {
  const int64_t base = parser->scratch_count;
  const mlir_position_t start = mlir_parser_position(parser);
  int64_t total = 0;
  const bool has_names = *parser->at == '%';
  if (has_names) {
    POD_TRY(parse_result_names(parser, &total));
  }
  mlir_op_t *op;
  POD_TRY(parse_op_body(parser, &op));
  mlir_block_append(block, op);
  if (has_names && total != op->result_count) {
    return mlir_parser_error_at(parser, start,
                                "names for %lld results, but '%s' has %d of them",
                                (long long)total, op->name, op->result_count);
  }
  return bind_results(parser, op, base);
}

// --- The top of a file ---

// #name = attribute, or !name = type
static pod_status_t parse_alias(mlir_parser_t *parser) {
  mlir_parse_state_t *state = parser->state;
  const bool is_type = *parser->at == '!';
  const char *start = parser->at + 1;
  const char *end = mlir_lex_word_end(start, false);
  const size_t length = (size_t)(end - start);
  pod_map_t *aliases = is_type ? state->type_aliases : state->attr_aliases;
  void *known = pod_map_get_n(aliases, start, length);
  mlir_attr_t *pending =
      !is_type && known != NULL && ((mlir_attr_t *)known)->is_pending ? known : NULL;
  if (length == 0 || memchr(start, '.', length) != NULL) {
    return mlir_parser_error(parser, "expected the name of an alias, without dots");
  }
  if (known != NULL && pending == NULL) {
    return mlir_parser_error(parser, "alias '%.*s' is defined already", (int)length + 1,
                             start - 1);
  }
  parser->at = end;
  mlir_lex_skip(parser);
  POD_TRY(mlir_parser_expect(parser, "="));
  if (is_type) {
    const mlir_type_t *type;
    POD_TRY(mlir_parser_type(parser, &type));
    pod_map_put_n(aliases, start, length, (void *)(uintptr_t)type);
    return NULL;
  }
  const mlir_attr_t *attr;
  POD_TRY(mlir_parser_attr(parser, &attr));
  if (pending == NULL) {
    pod_map_put_n(aliases, start, length, (void *)(uintptr_t)attr);
  } else {
    if (attr->kind != MLIR_ATTR_LOCATION) {
      return mlir_lex_error(parser, start - 1, "'#%.*s' stands for a location above",
                            (int)length, start);
    }
    *pending = *attr;
    state->pending_location_count--;
  }
  return NULL;
}

static pod_status_t check_pending(mlir_parser_t *parser) {
  size_t position = 0;
  const char *name;
  void *value;
  while (parser->state->pending_location_count > 0 &&
         pod_map_next(parser->state->attr_aliases, &position, &name, &value)) {
    const mlir_attr_t *attr = value;
    if (attr->is_pending) {
      return mlir_parser_error_at(parser, attr->position, "unknown location '#%s'", name);
    }
  }
  return mlir_resolve_resources(parser);
}

pod_status_t mlir_parse_top(mlir_parser_t *parser) {
  mlir_module_t *module = parser->module;
  mlir_block_t *block = mlir_op_block(module->op, 0);
  while (!mlir_parser_at_end(parser)) {
    if (*parser->at == '#' || *parser->at == '!') {
      POD_TRY(parse_alias(parser));
    } else if (mlir_parser_peek(parser, "{-#")) {
      POD_TRY(mlir_parse_resources(parser));
    } else {
      POD_TRY(mlir_parse_op(parser, block));
    }
  }
  POD_TRY(check_pending(parser));
  // A file of one module is that module; anything else stands in one that is implied.
  mlir_op_t *first = block->first;
  if (first != NULL && first->next == NULL &&
      strcmp(first->name, "builtin.module") == 0) {
    mlir_op_unlink(first);
    module->op = first;
  }
  if (module->op->region_count != 1) {
    return mlir_op_error(module, module->op, POD_INVALID_ARGUMENT, "expected one region");
  }
  if (module->op->regions[0].first == NULL) {
    mlir_block_create(module, &module->op->regions[0]);
  }
  return NULL;
}
