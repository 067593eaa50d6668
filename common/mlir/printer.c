// What is printed parses to the same module. Names in sight are a stack, so that a
// region's names are free again behind it; a name taken already gets a suffix.

#include "common/mlir/printer.h"
#include "common/base/list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/name_cache.h"
#include "common/mlir/parser_private.h"
#include "common/mlir/print_private.h"

// The names in sight, newest last. A map's value counts the suffixes tried for a name.
typedef struct name_scope_t {
  pod_map_t *used;
  POD_LIST(const char *) names;
  unsigned next_value, next_argument;
} name_scope_t;

struct mlir_printer_t {
  pod_text_t *text;
  const mlir_print_options_t *options;
  pod_arena_t *arena;
  const char **names;  // By value id.
  uint32_t value_count;
  int indent;
  pod_map_t *location_aliases;              // Address, or text of a name, to "#loc3".
  POD_LIST(const mlir_attr_t *) locations;  // In the order of their numbers.
  const mlir_syntax_t *syntax;
  mlir_name_cache_t syntaxes;  // What find_syntax says of a name.
  // Where the tensor type printed last stands in the text: neighbours often share it.
  const mlir_type_t *last_type;
  size_t last_type_start, last_type_length;
  mlir_module_t *scratch;  // Made when it is asked for.
};

// --- Names ---

static bool is_number(const char *name) {
  while (mlir_is_digit(*name)) {
    name++;
  }
  return *name == '\0';
}

// A pass may have named a value by any text.
static bool is_name(const char *name) {
  return name != NULL && *name != '\0' && !is_number(name) &&
         *mlir_lex_word_end(name, true) == '\0' && name[strlen(name) - 1] != '-';
}

static const char *unique_name(mlir_printer_t *printer, name_scope_t *scope,
                               const char *wanted) {
  unsigned *tried = pod_map_get(scope->used, wanted);
  const char *name = wanted;
  while (tried != NULL && pod_map_get(scope->used, name) != NULL) {
    name = pod_arena_printf(printer->arena, "%s_%u", wanted, (*tried)++);
  }
  pod_map_put(scope->used, name, pod_arena_alloc(printer->arena, sizeof(unsigned)));
  *pod_list_add(&scope->names) = name;
  return name;
}

static void set_name(mlir_printer_t *printer, const mlir_value_t *value,
                     const char *name) {
  if (value->id < printer->value_count) {
    printer->names[value->id] = name;
  }
}

static void name_argument(mlir_printer_t *printer, name_scope_t *scope,
                          const mlir_value_t *value, const char *name) {
  if (!is_name(name)) {
    name = pod_arena_numbered(printer->arena, "arg", "", scope->next_argument++);
  }
  set_name(printer, value, unique_name(printer, scope, name));
}

static void name_results(mlir_printer_t *printer, name_scope_t *scope,
                         const mlir_op_t *op) {
  if (op->result_count == 0) {
    return;
  }
  const char *name = op->results[0].name;
  if (is_name(name)) {
    name = unique_name(printer, scope, name);
  } else {
    name = pod_arena_numbered(printer->arena, "", "", scope->next_value++);
  }
  for (int i = 0; i < op->result_count; i++) {
    set_name(printer, &op->results[i], name);
  }
}

static bool is_isolated(const mlir_op_t *op) {
  return strcmp(op->name, "func.func") == 0 || strcmp(op->name, "builtin.module") == 0;
}

static void name_regions(mlir_printer_t *printer, name_scope_t *outer,
                         const mlir_op_t *op);

// The first region of the operation is `first`; its names are free again by now.
static void name_region(mlir_printer_t *printer, name_scope_t *scope,
                        const mlir_region_t *first, const mlir_region_t *region) {
  const mlir_block_t *model = first->first;
  for (const mlir_block_t *block = region->first; block != NULL; block = block->next) {
    const bool follows = region != first && block == region->first && model != NULL &&
                         model->argument_count == block->argument_count;
    for (int i = 0; i < block->argument_count; i++) {
      name_argument(
          printer, scope, block->arguments[i],
          follows ? printer->names[model->arguments[i]->id] : block->arguments[i]->name);
    }
    for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
      name_results(printer, scope, op);
      name_regions(printer, scope, op);
    }
  }
}

static void name_regions(mlir_printer_t *printer, name_scope_t *outer,
                         const mlir_op_t *op) {
  if (op->region_count == 0) {
    return;
  }
  name_scope_t own = {0};
  name_scope_t *scope = outer;
  if (is_isolated(op)) {
    own.used = pod_map_create();
    scope = &own;
  }
  const int count = scope->names.count;
  const unsigned next_value = scope->next_value, next_argument = scope->next_argument;
  for (int i = 0; i < op->region_count; i++) {
    name_region(printer, scope, &op->regions[0], &op->regions[i]);
    while (scope->names.count > count) {
      pod_map_remove(scope->used, scope->names.items[--scope->names.count]);
    }
    scope->next_value = next_value;
    scope->next_argument = next_argument;
  }
  pod_map_destroy(own.used);
  free((void *)own.names.items);
}

// --- Locations ---

// Children first, so that every alias is defined before it is used.
static const char *location_alias(mlir_printer_t *printer, const mlir_attr_t *location) {
  if (location == NULL || location->location_kind == MLIR_LOCATION_UNKNOWN) {
    return NULL;
  }
  // Of names alone equal ones are one, as many operations have them.
  const bool is_whole = printer->options->locations;
  const char *key = is_whole ? (const char *)&location : location->text;
  const size_t key_length = is_whole ? sizeof(location) : (size_t)location->length;
  const char *known = pod_map_get_n(printer->location_aliases, key, key_length);
  if (known != NULL) {
    return known;
  }
  if (is_whole) {
    location_alias(printer, location->location_child);
    location_alias(printer, location->location_caller);
  }
  for (int64_t i = 0; i < location->count; i++) {
    location_alias(printer, location->elements[i]);
  }
  *pod_list_add(&printer->locations) = location;
  char *alias =
      pod_arena_numbered(printer->arena, "#loc", "", (uint64_t)printer->locations.count);
  pod_map_put_n(printer->location_aliases, key, key_length, alias);
  return alias;
}

void mlir_printer_location(mlir_printer_t *printer, const mlir_attr_t *location) {
  if (!printer->options->locations) {
    location = printer->options->names ? mlir_location_name(location) : NULL;
  }
  if (location == NULL) {
    return;
  }
  const char *alias = location_alias(printer, location);
  pod_text_add(printer->text, " loc(");
  pod_text_add(printer->text, alias == NULL ? "unknown" : alias);
  pod_text_add(printer->text, ")");
}

static void print_location_aliases(mlir_printer_t *printer) {
  for (int i = 0; i < printer->locations.count; i++) {
    pod_text_add(printer->text, "#loc");
    pod_text_add_int(printer->text, i + 1);
    pod_text_add(printer->text, " = loc(");
    const mlir_attr_t *location = printer->locations.items[i];
    if (printer->options->locations) {
      mlir_print_location(printer->text, location, printer->location_aliases);
    } else {
      mlir_print_string(printer->text, location->text, location->length);
    }
    pod_text_add(printer->text, ")\n");
  }
}

// --- For the syntax functions ---

const mlir_syntax_t *mlir_printer_syntax(mlir_printer_t *printer) {
  return printer->syntax;
}

mlir_module_t *mlir_printer_scratch(mlir_printer_t *printer) {
  if (printer->scratch == NULL) {
    printer->scratch = mlir_module_create("");
  }
  return printer->scratch;
}

void mlir_printer_add_bytes(mlir_printer_t *printer, const char *text, size_t length) {
  pod_text_add_bytes(printer->text, text, length);
}

void mlir_printer_add_int(mlir_printer_t *printer, int64_t value) {
  pod_text_add_int(printer->text, value);
}

void mlir_printer_printf(mlir_printer_t *printer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pod_text_vprintf(printer->text, format, args);
  va_end(args);
}

void mlir_printer_value(mlir_printer_t *printer, const mlir_value_t *value) {
  const char *name = value->id < printer->value_count ? printer->names[value->id] : NULL;
  pod_text_add(printer->text, "%");
  // A value that stands in no block of the module: shown, so that it can be seen.
  pod_text_add(printer->text, name == NULL ? "unknown" : name);
  if (value->op != NULL && value->op->result_count > 1) {
    pod_text_add(printer->text, "#");
    pod_text_add_int(printer->text, value->index);
  }
}

void mlir_printer_operands(mlir_printer_t *printer, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    pod_text_add(printer->text, i > 0 ? ", " : "");
    mlir_printer_value(printer, op->operands[i]);
  }
}

void mlir_printer_type(mlir_printer_t *printer, const mlir_type_t *type) {
  pod_text_t *text = printer->text;
  if (type == printer->last_type) {
    const size_t length = printer->last_type_length;
    pod_text_reserve(text, length);
    pod_text_add_bytes(text, text->bytes + printer->last_type_start, length);
    return;
  }
  const size_t start = text->length;
  mlir_type_print(text, type);
  if (type->kind == MLIR_TYPE_TENSOR) {
    printer->last_type = type;
    printer->last_type_start = start;
    printer->last_type_length = text->length - start;
  }
}

void mlir_printer_functional_type(mlir_printer_t *printer, const mlir_op_t *op) {
  pod_text_add(printer->text, "(");
  for (int i = 0; i < op->operand_count; i++) {
    pod_text_add(printer->text, i > 0 ? ", " : "");
    mlir_printer_type(printer, op->operands[i]->type);
  }
  pod_text_add(printer->text, ") -> ");
  const bool bare =
      op->result_count == 1 && op->results[0].type->kind != MLIR_TYPE_FUNCTION;
  pod_text_add(printer->text, bare ? "" : "(");
  for (int i = 0; i < op->result_count; i++) {
    pod_text_add(printer->text, i > 0 ? ", " : "");
    mlir_printer_type(printer, op->results[i].type);
  }
  pod_text_add(printer->text, bare ? "" : ")");
}

void mlir_printer_attr(mlir_printer_t *printer, const mlir_attr_t *attr) {
  mlir_attr_print(printer->text, attr, printer->options->elide_elements);
}

void mlir_printer_symbol(mlir_printer_t *printer, const char *name) {
  mlir_print_symbol(printer->text, name);
}

void mlir_printer_string(mlir_printer_t *printer, const char *text, int64_t length) {
  mlir_print_string(printer->text, text, length);
}

static bool is_hidden(const char *const *hidden, const char *name) {
  for (; hidden != NULL && *hidden != NULL; hidden++) {
    if (strcmp(*hidden, name) == 0) {
      return true;
    }
  }
  return false;
}

void mlir_printer_attr_dict_with(mlir_printer_t *printer, const char *word,
                                 const mlir_op_t *op, const char *const *hidden) {
  bool any = false;
  for (int i = 0; i < op->attr_count; i++) {
    if (is_hidden(hidden, op->attrs[i].name)) {
      continue;
    }
    if (any) {
      pod_text_add(printer->text, ", ");
    } else {
      pod_text_printf(printer->text, " %s{", word);
    }
    mlir_print_entry(printer->text, &op->attrs[i], printer->options->elide_elements);
    any = true;
  }
  pod_text_add(printer->text, any ? "}" : "");
}

void mlir_printer_attr_dict(mlir_printer_t *printer, const mlir_op_t *op,
                            const char *const *hidden) {
  mlir_printer_attr_dict_with(printer, "", op, hidden);
}

void mlir_printer_newline(mlir_printer_t *printer) {
  pod_text_add(printer->text, "\n");
  for (int i = 0; i < printer->indent; i++) {
    pod_text_add_bytes(printer->text, "  ", 2);
  }
}

void mlir_printer_block_argument(mlir_printer_t *printer, const mlir_value_t *value) {
  mlir_printer_value(printer, value);
  pod_text_add(printer->text, ": ");
  mlir_printer_type(printer, value->type);
  mlir_printer_location(printer, value->location);
}

// --- Operations ---

// Names without a dialect are the operation's own: MLIR calls those properties.
static void print_attrs_by_owner(mlir_printer_t *printer, const mlir_op_t *op,
                                 bool is_own) {
  bool any = false;
  for (int i = 0; i < op->attr_count; i++) {
    if ((strchr(op->attrs[i].name, '.') == NULL) != is_own) {
      continue;
    }
    pod_text_add(printer->text, any ? ", " : (is_own ? " <{" : " {"));
    mlir_print_entry(printer->text, &op->attrs[i], printer->options->elide_elements);
    any = true;
  }
  pod_text_add(printer->text, any ? (is_own ? "}>" : "}") : "");
}

void mlir_printer_generic(mlir_printer_t *printer, const mlir_op_t *op) {
  pod_text_add(printer->text, "(");
  mlir_printer_operands(printer, op);
  pod_text_add(printer->text, ")");
  print_attrs_by_owner(printer, op, true);
  for (int i = 0; i < op->region_count; i++) {
    pod_text_add(printer->text, i == 0 ? " (" : ", ");
    mlir_printer_region(printer, &op->regions[i], false);
  }
  pod_text_add(printer->text, op->region_count > 0 ? ")" : "");
  print_attrs_by_owner(printer, op, false);
  pod_text_add(printer->text, " : ");
  mlir_printer_functional_type(printer, op);
}

static const mlir_syntax_t *find_syntax(mlir_printer_t *printer, const char *name) {
  if (printer->options->lookup == NULL) {
    return NULL;
  }
  intptr_t *known = mlir_name_cache_find(&printer->syntaxes, name);
  if (known == NULL) {
    const mlir_syntax_t *syntax = mlir_builtin_syntax(name);
    syntax = syntax != NULL ? syntax : printer->options->lookup(name);
    known = mlir_name_cache_put(&printer->syntaxes, name, (intptr_t)syntax);
  }
  return (const mlir_syntax_t *)*known;
}

// Inside a function MLIR leaves the dialect func out.
static const char *short_name(const mlir_op_t *op) {
  const mlir_region_t *region = op->block == NULL ? NULL : op->block->region;
  if (strcmp(op->name, "builtin.module") == 0) {
    return "module";
  }
  if (op->name[0] == 'f' && region != NULL &&
      strcmp(region->op->name, "func.func") == 0 &&
      (strcmp(op->name, "func.call") == 0 || strcmp(op->name, "func.return") == 0)) {
    return op->name + strlen("func.");
  }
  return op->name;
}

static void print_op(mlir_printer_t *printer, const mlir_op_t *op) {
  if (op->result_count > 0) {
    pod_text_add(printer->text, "%");
    pod_text_add(printer->text, op->results[0].id < printer->value_count
                                    ? printer->names[op->results[0].id]
                                    : "unknown");
    if (op->result_count > 1) {
      pod_text_printf(printer->text, ":%d", op->result_count);
    }
    pod_text_add(printer->text, " = ");
  }
  const mlir_syntax_t *syntax = find_syntax(printer, op->name);
  const size_t start = printer->text->length;
  bool is_pretty = false;
  if (syntax != NULL) {
    pod_text_add(printer->text, short_name(op));
    printer->syntax = syntax;
    is_pretty = syntax->print(printer, op);
  }
  if (!is_pretty) {
    printer->text->length = start;  // What a syntax began and gave up.
    printer->last_type = NULL;
    mlir_print_string(printer->text, op->name, (int64_t)strlen(op->name));
    mlir_printer_generic(printer, op);
  }
  mlir_printer_location(printer, op->location);
}

static void print_block_header(mlir_printer_t *printer, const mlir_block_t *block,
                               int index) {
  pod_text_printf(printer->text, "\n%*s^bb%d", 2 * (printer->indent - 1), "", index);
  for (int i = 0; i < block->argument_count; i++) {
    pod_text_add(printer->text, i == 0 ? "(" : ", ");
    mlir_printer_block_argument(printer, block->arguments[i]);
  }
  pod_text_add(printer->text, block->argument_count > 0 ? "):" : ":");
}

void mlir_printer_region(mlir_printer_t *printer, const mlir_region_t *region,
                         bool hide_arguments) {
  pod_text_add(printer->text, "{");
  printer->indent++;
  int index = 0;
  for (const mlir_block_t *block = region->first; block != NULL; block = block->next) {
    const bool is_entry = index == 0;
    const bool is_plain =
        is_entry && (block->argument_count == 0 ? block->first != NULL : hide_arguments);
    if (!is_plain) {
      print_block_header(printer, block, index);
    }
    for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
      mlir_printer_newline(printer);
      print_op(printer, op);
    }
    index++;
  }
  printer->indent--;
  if (region->first != NULL) {
    mlir_printer_newline(printer);
  }
  pod_text_add(printer->text, "}");
}

void mlir_print(pod_text_t *text, const mlir_module_t *module,
                const mlir_print_options_t *options) {
  mlir_printer_t printer = {
      .text = text,
      .options = options,
      .arena = pod_arena_create(),
      .names = pod_alloc((module->value_count + (size_t)1) * sizeof(const char *)),
      .value_count = module->value_count,
      .location_aliases = pod_map_create(),
  };
  name_regions(&printer, NULL, module->op);
  print_op(&printer, module->op);
  pod_text_add(text, "\n");
  print_location_aliases(&printer);
  pod_map_destroy(printer.location_aliases);
  pod_list_deinit(&printer.locations);
  free((void *)printer.names);
  pod_arena_destroy(printer.arena);
  mlir_module_destroy(printer.scratch);
}
