// The pretty forms of the builtin and func dialects.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/parser_private.h"
#include "common/mlir/print_private.h"
#include "common/mlir/printer.h"

// --- module @name attributes {…} { … } ---

static void add_name(mlir_parser_t *parser, mlir_op_t *op, const char *attr,
                     const char *text) {
  mlir_op_set_attr(parser->module, op, attr, mlir_attr_string(parser->module, text));
}

// `public`, `private` or `nested`, if one stands here.
static void parse_visibility(mlir_parser_t *parser, mlir_op_t *op) {
  static const char *const words[] = {"public", "private", "nested"};
  for (size_t i = 0; i < POD_COUNT_OF(words); i++) {
    if (mlir_parser_accept(parser, words[i])) {
      add_name(parser, op, "sym_visibility", words[i]);
      return;
    }
  }
}

static pod_status_t parse_attributes(mlir_parser_t *parser, mlir_op_t *op) {
  if (!mlir_parser_accept(parser, "attributes")) {
    return NULL;
  }
  return mlir_parser_peek(parser, "{") ? mlir_parser_attr_dict(parser, op)
                                       : mlir_parser_expect(parser, "{");
}

static pod_status_t parse_module(mlir_parser_t *parser, mlir_op_t *op) {
  parse_visibility(parser, op);
  if (mlir_parser_peek(parser, "@")) {
    const char *name;
    POD_TRY(mlir_parser_symbol(parser, &name));
    add_name(parser, op, "sym_name", name);
  }
  POD_TRY(parse_attributes(parser, op));
  return mlir_parser_isolated_region(parser, op, 0, NULL);
}

static bool print_visibility_and_name(mlir_printer_t *printer, const mlir_op_t *op) {
  const mlir_attr_t *visibility = mlir_op_attr(op, "sym_visibility");
  const mlir_attr_t *name = mlir_op_attr(op, "sym_name");
  if ((visibility != NULL && visibility->kind != MLIR_ATTR_STRING) ||
      (name != NULL && name->kind != MLIR_ATTR_STRING)) {
    return false;
  }
  if (visibility != NULL) {
    mlir_printer_printf(printer, " %s", visibility->text);
  }
  if (name != NULL) {
    mlir_printer_add(printer, " ");
    mlir_printer_symbol(printer, name->text);
  }
  return true;
}

static bool is_word_of(const char *const *words, const mlir_attr_t *attr) {
  for (; attr != NULL && *words != NULL; words++) {
    if (attr->kind == MLIR_ATTR_STRING && strcmp(*words, attr->text) == 0) {
      return true;
    }
  }
  return attr == NULL;
}

static bool has_known_visibility(const mlir_op_t *op) {
  static const char *const words[] = {"public", "private", "nested", NULL};
  return is_word_of(words, mlir_op_attr(op, "sym_visibility"));
}

static bool print_module(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"sym_visibility", "sym_name", NULL};
  if (op->region_count != 1 || op->operand_count + op->result_count > 0 ||
      !has_known_visibility(op) || !print_visibility_and_name(printer, op)) {
    return false;
  }
  mlir_printer_attr_dict_with(printer, "attributes ", op, hidden);
  mlir_printer_add(printer, " ");
  mlir_printer_region(printer, &op->regions[0], false);
  return true;
}

// --- func.func public @name(%a: type {…}) -> (type {…}) attributes {…} { … } ---

// What is known of the arguments or of the results.
typedef struct func_list_t {
  int64_t count;
  const mlir_type_t **types;
  const mlir_attr_t **dictionaries;
  bool has_attrs;
  mlir_region_argument_t *arguments;
  int64_t named_count;
} func_list_t;

static pod_status_t parse_list_item(mlir_parser_t *parser, mlir_region_argument_t *item,
                                    bool may_name) {
  *item = (mlir_region_argument_t){.position = mlir_parser_position(parser)};
  if (may_name && mlir_parser_peek_operand(parser)) {
    POD_TRY(mlir_parser_region_argument(parser, false, item));
    POD_TRY(mlir_parser_expect(parser, ":"));
  }
  return mlir_parser_type(parser, &item->type);
}

// (item, item, …): of each a region argument and a dictionary (or NULL) on the scratch
// stack.
static pod_status_t parse_list_items(mlir_parser_t *parser, bool may_name) {
  POD_TRY(mlir_parser_expect(parser, "("));
  if (mlir_parser_accept(parser, ")")) {
    return NULL;
  }
  do {
    mlir_region_argument_t *item = pod_arena_alloc(parser->module->arena, sizeof(*item));
    const mlir_attr_t *dictionary = NULL;
    POD_TRY(parse_list_item(parser, item, may_name));
    if (mlir_parser_peek(parser, "{")) {
      POD_TRY(mlir_parse_dictionary(parser, &dictionary));
    }
    if (may_name && mlir_parser_peek(parser, "loc")) {
      POD_TRY(mlir_parse_location(parser, &item->location));
    }
    mlir_scratch_push(parser, item);
    mlir_scratch_push(parser, dictionary);
  } while (mlir_parser_accept(parser, ","));
  return mlir_parser_expect(parser, ")");
}

static void take_list(mlir_parser_t *parser, int64_t base, func_list_t *out) {
  pod_arena_t *arena = parser->module->arena;
  int64_t pairs;
  const void **items = mlir_scratch_take(parser, base, &pairs);
  *out = (func_list_t){.count = pairs / 2};
  const size_t count = (size_t)out->count;
  out->types = pod_arena_array(arena, count, sizeof(*out->types));
  out->dictionaries = pod_arena_array(arena, count, sizeof(*out->dictionaries));
  out->arguments = pod_arena_array(arena, count, sizeof(*out->arguments));
  for (int64_t i = 0; i < out->count; i++) {
    const mlir_region_argument_t *item = items[2 * i];
    const mlir_attr_t *dictionary = items[2 * i + 1];
    out->types[i] = item->type;
    out->arguments[i] = *item;
    out->named_count += item->name != NULL;
    out->has_attrs = out->has_attrs || (dictionary != NULL && dictionary->count > 0);
    out->dictionaries[i] =
        dictionary != NULL ? dictionary : mlir_attr_dictionary(parser->module, 0, NULL);
  }
}

static pod_status_t parse_list(mlir_parser_t *parser, bool may_name, func_list_t *out) {
  const int64_t base = parser->scratch_count;
  POD_TRY(parse_list_items(parser, may_name));
  take_list(parser, base, out);
  return NULL;
}

static pod_status_t parse_func_results(mlir_parser_t *parser, func_list_t *out) {
  *out = (func_list_t){0};
  if (!mlir_parser_accept(parser, "->")) {
    return NULL;
  }
  if (mlir_parser_peek(parser, "(")) {
    return parse_list(parser, false, out);
  }
  const int64_t base = parser->scratch_count;
  mlir_region_argument_t *item = pod_arena_alloc(parser->module->arena, sizeof(*item));
  POD_TRY(mlir_parser_type(parser, &item->type));
  mlir_scratch_push(parser, item);
  mlir_scratch_push(parser, NULL);
  take_list(parser, base, out);
  return NULL;
}

static void add_func_attrs(mlir_parser_t *parser, mlir_op_t *op,
                           const func_list_t *arguments, const func_list_t *results) {
  mlir_module_t *module = parser->module;
  const mlir_type_t *type =
      mlir_type_function(module, (int)arguments->count, arguments->types,
                         (int)results->count, results->types);
  mlir_op_set_attr(module, op, "function_type", mlir_attr_type(module, type));
  if (arguments->has_attrs) {
    mlir_op_set_attr(module, op, "arg_attrs",
                     mlir_attr_array(module, arguments->count, arguments->dictionaries));
  }
  if (results->has_attrs) {
    mlir_op_set_attr(module, op, "res_attrs",
                     mlir_attr_array(module, results->count, results->dictionaries));
  }
}

static pod_status_t parse_func(mlir_parser_t *parser, mlir_op_t *op) {
  parse_visibility(parser, op);
  const char *name;
  POD_TRY(mlir_parser_symbol(parser, &name));
  add_name(parser, op, "sym_name", name);
  const mlir_position_t start = mlir_parser_position(parser);
  func_list_t arguments, results;
  POD_TRY(parse_list(parser, true, &arguments));
  POD_TRY(parse_func_results(parser, &results));
  add_func_attrs(parser, op, &arguments, &results);
  POD_TRY(parse_attributes(parser, op));
  if (arguments.named_count != 0 && arguments.named_count != arguments.count) {
    return mlir_parser_error_at(parser, start, "some arguments have names, some do not");
  }
  if (!mlir_parser_peek(parser, "{")) {
    mlir_parser_add_region(parser, op);  // Declared only.
    return NULL;
  }
  if (arguments.named_count != arguments.count) {
    return mlir_parser_error_at(parser, start,
                                "a function with a body names its "
                                "arguments");
  }
  return mlir_parser_isolated_region(parser, op, (int)arguments.count,
                                     arguments.arguments);
}

// What the pretty form relies on; a generic form may hold anything.
static bool is_regular_func(const mlir_op_t *op) {
  const mlir_attr_t *type = mlir_op_attr(op, "function_type");
  if (op->region_count != 1 || op->operand_count + op->result_count > 0 ||
      !has_known_visibility(op) || !mlir_attr_is(type, MLIR_ATTR_TYPE) ||
      type->type->kind != MLIR_TYPE_FUNCTION ||
      !mlir_attr_is(mlir_op_attr(op, "sym_name"), MLIR_ATTR_STRING)) {
    return false;
  }
  const mlir_block_t *entry = mlir_op_block(op, 0);
  if (entry == NULL) {
    return true;
  }
  if (entry->argument_count != type->type->input_count) {
    return false;
  }
  for (int i = 0; i < entry->argument_count; i++) {
    if (!mlir_type_equal(entry->arguments[i]->type, type->type->inputs[i])) {
      return false;
    }
  }
  return true;
}

static bool is_attr_list(const mlir_attr_t *attr, int count) {
  if (attr == NULL) {
    return true;
  }
  if (attr->kind != MLIR_ATTR_ARRAY || attr->count != count) {
    return false;
  }
  bool any = false;  // A list of empty ones would not be read back.
  for (int i = 0; i < count; i++) {
    if (attr->elements[i]->kind != MLIR_ATTR_DICTIONARY) {
      return false;
    }
    any = any || attr->elements[i]->count > 0;
  }
  return any;
}

static void print_dictionary_of(mlir_printer_t *printer, const mlir_attr_t *list, int i) {
  if (list != NULL && list->elements[i]->count > 0) {
    mlir_printer_add(printer, " ");
    mlir_printer_attr(printer, list->elements[i]);
  }
}

static void print_func_results(mlir_printer_t *printer, const mlir_type_t *type,
                               const mlir_attr_t *attrs) {
  if (type->result_count == 0) {
    return;
  }
  const bool bare = type->result_count == 1 && attrs == NULL &&
                    type->results[0]->kind != MLIR_TYPE_FUNCTION;
  mlir_printer_add(printer, bare ? " -> " : " -> (");
  for (int i = 0; i < type->result_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_type(printer, type->results[i]);
    print_dictionary_of(printer, attrs, i);
  }
  mlir_printer_add(printer, bare ? "" : ")");
}

static bool print_func(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"sym_visibility", "sym_name",  "function_type",
                                       "arg_attrs",      "res_attrs", NULL};
  if (!is_regular_func(op)) {
    return false;
  }
  const mlir_type_t *type = mlir_op_attr(op, "function_type")->type;
  const mlir_attr_t *arg_attrs = mlir_op_attr(op, "arg_attrs");
  const mlir_attr_t *res_attrs = mlir_op_attr(op, "res_attrs");
  if (!is_attr_list(arg_attrs, type->input_count) ||
      !is_attr_list(res_attrs, type->result_count)) {
    return false;
  }
  print_visibility_and_name(printer, op);
  const mlir_block_t *entry = mlir_op_block(op, 0);
  mlir_printer_add(printer, "(");
  for (int i = 0; i < type->input_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    if (entry != NULL) {
      mlir_printer_value(printer, entry->arguments[i]);
      mlir_printer_add(printer, ": ");
    }
    mlir_printer_type(printer, type->inputs[i]);
    print_dictionary_of(printer, arg_attrs, i);
    if (entry != NULL) {
      mlir_printer_location(printer, entry->arguments[i]->location);
    }
  }
  mlir_printer_add(printer, ")");
  print_func_results(printer, type, res_attrs);
  mlir_printer_attr_dict_with(printer, "attributes ", op, hidden);
  if (entry != NULL) {
    mlir_printer_add(printer, " ");
    mlir_printer_region(printer, &op->regions[0], true);
  }
  return true;
}

// --- func.call @name(%a) {…} : (types) -> types ---

static pod_status_t parse_call(mlir_parser_t *parser, mlir_op_t *op) {
  const mlir_attr_t *callee;
  if (!mlir_parser_peek(parser, "@")) {
    return mlir_parser_error(parser, "expected the function called, as @name");
  }
  POD_TRY(mlir_parser_attr(parser, &callee));
  mlir_op_set_attr(parser->module, op, "callee", callee);
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  POD_TRY(mlir_parser_expect(parser, ":"));
  return mlir_parser_functional_type(parser, op);
}

static bool print_call(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"callee", NULL};
  const mlir_attr_t *callee = mlir_op_attr(op, "callee");
  if (!mlir_attr_is(callee, MLIR_ATTR_SYMBOL) || op->region_count > 0) {
    return false;
  }
  mlir_printer_add(printer, " ");
  mlir_printer_attr(printer, callee);
  mlir_printer_add(printer, "(");
  mlir_printer_operands(printer, op);
  mlir_printer_add(printer, ")");
  mlir_printer_attr_dict(printer, op, hidden);
  mlir_printer_add(printer, " : ");
  mlir_printer_functional_type(printer, op);
  return true;
}

// --- func.return %a, %b : types ---

pod_status_t mlir_parser_terminator(mlir_parser_t *parser, mlir_op_t *op) {
  POD_TRY(mlir_parser_attr_dict(parser, op));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  int count = 0;
  const mlir_type_t *const *types = NULL;
  if (op->operand_count > 0 || mlir_parser_peek(parser, ":")) {
    POD_TRY(mlir_parser_expect(parser, ":"));
    POD_TRY(mlir_parser_type_list(parser, &count, &types));
  }
  POD_TRY(mlir_parser_check_operands(parser, op, count, types));
  return mlir_parser_set_results(parser, op, 0, NULL);
}

bool mlir_printer_terminator(mlir_printer_t *printer, const mlir_op_t *op) {
  // Where something follows, its results would be read as operands.
  if (op->result_count > 0 || op->region_count > 0 || op->next != NULL) {
    return false;
  }
  mlir_printer_add(printer, op->operand_count > 0 ? " " : "");
  mlir_printer_operands(printer, op);
  mlir_printer_attr_dict(printer, op, NULL);
  for (int i = 0; i < op->operand_count; i++) {
    mlir_printer_add(printer, i == 0 ? " : " : ", ");
    mlir_printer_type(printer, op->operands[i]->type);
  }
  return true;
}

const mlir_syntax_t *mlir_builtin_syntax(const char *name) {
  static const struct {
    const char *name;
    mlir_syntax_t syntax;
  } rows[] = {
      {"builtin.module", {parse_module, print_module}},
      {"func.func", {parse_func, print_func}},
      {"func.call", {parse_call, print_call}},
      {"func.return", {mlir_parser_terminator, mlir_printer_terminator}},
  };
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i].syntax;
    }
  }
  return NULL;
}
