// Operations of Shardy with a region: manual_computation, named_computation.

#include <string.h>

#include "server/compiler/dialect/syntax_format.h"
#include "server/compiler/dialect/syntax_parts.h"

// name=[<@mesh, …>, …]
static pod_status_t parse_shardings(mlir_parser_t *parser, mlir_op_t *op,
                                    const char *name) {
  const mlir_attr_t *shardings;
  POD_TRY(mlir_parser_expect(parser, name));
  POD_TRY(mlir_parser_expect(parser, "="));
  if (!mlir_parser_peek(parser, "[")) {
    return mlir_parser_expect(parser, "[");
  }
  POD_TRY(mlir_parser_body(parser, "sdy.sharding_per_value", true, &shardings));
  return syntax_add_attr(parser, op, name, shardings);
}

// (%a: type, …) { … } {…} : (types) -> types
static pod_status_t parse_region_and_type(mlir_parser_t *parser, mlir_op_t *op) {
  pod_arena_t *arena = mlir_parser_module(parser)->arena;
  mlir_region_argument_t *arguments = NULL;
  int count = 0, capacity = 0;
  POD_TRY(mlir_parser_expect(parser, "("));
  while (!mlir_parser_accept(parser, ")")) {
    if (count == capacity) {
      capacity = 2 * capacity + 4;
      mlir_region_argument_t *grown =
          pod_arena_array(arena, (size_t)capacity, sizeof(*grown));
      if (count > 0) {
        memcpy(grown, arguments, (size_t)count * sizeof(*grown));
      }
      arguments = grown;
    }
    POD_TRY(mlir_parser_region_argument(parser, true, &arguments[count++]));
    if (!mlir_parser_accept(parser, ",")) {
      POD_TRY(mlir_parser_expect(parser, ")"));
      break;
    }
  }
  POD_TRY(mlir_parser_isolated_region(parser, op, count, arguments));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  POD_TRY(mlir_parser_expect(parser, ":"));
  return mlir_parser_functional_type(parser, op);
}

static bool is_body(const mlir_attr_t *attr, const char *name, char bracket) {
  return mlir_attr_is(attr, MLIR_ATTR_DIALECT) && strcmp(attr->text, name) == 0 &&
         attr->body != NULL && attr->body[0] == bracket;
}

static bool print_shardings(mlir_printer_t *printer, const mlir_op_t *op,
                            const char *name) {
  const mlir_attr_t *shardings = mlir_op_attr(op, name);
  if (!is_body(shardings, "sdy.sharding_per_value", '[')) {
    return false;
  }
  mlir_printer_printf(printer, " %s=%s", name, shardings->body);
  return true;
}

static bool has_one_block(const mlir_op_t *op) {
  const mlir_block_t *block = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  return block != NULL && block->next == NULL;
}

static void print_region_and_type(mlir_printer_t *printer, const mlir_op_t *op,
                                  const char *const *hidden) {
  const mlir_block_t *block = mlir_op_block(op, 0);
  mlir_printer_add(printer, " (");
  for (int i = 0; i < block->argument_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_block_argument(printer, block->arguments[i]);
  }
  mlir_printer_add(printer, ") ");
  mlir_printer_region(printer, &op->regions[0], true);
  mlir_printer_attr_dict(printer, op, hidden);
  mlir_printer_add(printer, " : ");
  mlir_printer_functional_type(printer, op);
}

// --- sdy.manual_computation(%a) in_shardings=[…] out_shardings=[…] manual_axes={"x"} …
// ---

pod_status_t syntax_parse_manual(mlir_parser_t *parser, mlir_op_t *op) {
  const mlir_attr_t *axes;
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  POD_TRY(parse_shardings(parser, op, "in_shardings"));
  POD_TRY(parse_shardings(parser, op, "out_shardings"));
  POD_TRY(mlir_parser_expect(parser, "manual_axes"));
  POD_TRY(mlir_parser_expect(parser, "="));
  if (!mlir_parser_peek(parser, "{")) {
    return mlir_parser_expect(parser, "{");
  }
  POD_TRY(mlir_parser_body(parser, "sdy.manual_axes", false, &axes));
  POD_TRY(syntax_add_attr(parser, op, "manual_axes", axes));
  return parse_region_and_type(parser, op);
}

bool syntax_print_manual(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"in_shardings", "out_shardings", "manual_axes",
                                       NULL};
  const mlir_attr_t *axes = mlir_op_attr(op, "manual_axes");
  if (!has_one_block(op) || !is_body(axes, "sdy.manual_axes", '{')) {
    return false;
  }
  mlir_printer_add(printer, "(");
  mlir_printer_operands(printer, op);
  mlir_printer_add(printer, ")");
  if (!print_shardings(printer, op, "in_shardings") ||
      !print_shardings(printer, op, "out_shardings")) {
    return false;
  }
  mlir_printer_printf(printer, " manual_axes=%s", axes->body);
  print_region_and_type(printer, op, hidden);
  return true;
}

// --- sdy.named_computation<"name">(%a) in_shardings=[…] out_shardings=[…] … ---

pod_status_t syntax_parse_named(mlir_parser_t *parser, mlir_op_t *op) {
  const char *name;
  POD_TRY(mlir_parser_expect(parser, "<"));
  POD_TRY(mlir_parser_string(parser, &name));
  POD_TRY(syntax_add_attr(parser, op, "name",
                          mlir_attr_string(mlir_parser_module(parser), name)));
  POD_TRY(mlir_parser_expect(parser, ">"));
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_operands(parser, op));
  POD_TRY(mlir_parser_expect(parser, ")"));
  if (mlir_parser_peek(parser, "in_shardings")) {
    POD_TRY(parse_shardings(parser, op, "in_shardings"));
  }
  if (mlir_parser_peek(parser, "out_shardings")) {
    POD_TRY(parse_shardings(parser, op, "out_shardings"));
  }
  return parse_region_and_type(parser, op);
}

bool syntax_print_named(mlir_printer_t *printer, const mlir_op_t *op) {
  static const char *const hidden[] = {"name", "in_shardings", "out_shardings", NULL};
  const mlir_attr_t *name = mlir_op_attr(op, "name");
  if (!has_one_block(op) || !mlir_attr_is(name, MLIR_ATTR_STRING)) {
    return false;
  }
  mlir_printer_add(printer, "<");
  mlir_printer_string(printer, name->text, name->length);
  mlir_printer_add(printer, ">(");
  mlir_printer_operands(printer, op);
  mlir_printer_add(printer, ")");
  for (int i = 1; i <= 2; i++) {
    if (mlir_op_attr(op, hidden[i]) != NULL && !print_shardings(printer, op, hidden[i])) {
      return false;
    }
  }
  print_region_and_type(printer, op, hidden);
  return true;
}
