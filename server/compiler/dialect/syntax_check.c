// check.expect_eq and its like, as StableHLO's own tests write them:
//
//   check.expect_eq %a, %b {…} : type
//   check.expect_almost_eq %a, %b, tolerance = 0.1 {…} : type
//   check.expect_close %a, %b, max_ulp_difference = 3 {…} : type, type
//   check.expect_eq_const %a, dense<…> : type {…}
//   check.expect_almost_eq_const %a, dense<…> : type, tolerance = 0.1 {…}

#include <string.h>

#include "server/compiler/dialect/syntax_format.h"
#include "server/compiler/dialect/syntax_parts.h"

// , tolerance = 0.1, max_ulp_difference = 3 …
static pod_status_t parse_limits(mlir_parser_t *parser, mlir_op_t *op) {
  mlir_module_t *module = mlir_parser_module(parser);
  while (mlir_parser_accept(parser, ",")) {
    const char *name;
    POD_TRY(mlir_parser_identifier(parser, &name));
    POD_TRY(mlir_parser_expect(parser, "="));
    if (strcmp(name, "tolerance") == 0) {
      double value;
      POD_TRY(mlir_parser_f64(parser, &value));
      POD_TRY(
          syntax_add_attr(parser, op, name, mlir_attr_float(module, value, TENSOR_F64)));
    } else if (strcmp(name, "max_ulp_difference") == 0 ||
               strcmp(name, "min_ulp_difference") == 0) {
      uint64_t value;
      POD_TRY(mlir_parser_u64(parser, &value));
      POD_TRY(syntax_add_attr(parser, op, name,
                              mlir_attr_integer(module, (int64_t)value, TENSOR_U64)));
    } else {
      return mlir_parser_error(parser, "a check has no '%s'", name);
    }
  }
  return NULL;
}

// Both operands have the type, which may stand once or twice.
static pod_status_t parse_types(mlir_parser_t *parser, mlir_op_t *op) {
  POD_TRY(mlir_parser_expect(parser, ":"));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  const mlir_type_t *types[2];
  POD_TRY(mlir_parser_type(parser, &types[0]));
  types[1] = types[0];
  if (mlir_parser_accept(parser, ",")) {
    POD_TRY(mlir_parser_type(parser, &types[1]));
  }
  return mlir_parser_check_operands(parser, op, 2, types);
}

pod_status_t syntax_parse_check(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_peek(parser, "(")) {
    return mlir_parser_generic(parser, op);
  }
  POD_TRY(mlir_parser_operand(parser, op));
  POD_TRY(mlir_parser_expect(parser, ","));
  const mlir_attr_t *value = NULL;
  if (mlir_parser_peek_operand(parser)) {
    POD_TRY(mlir_parser_operand(parser, op));
  } else {
    POD_TRY(mlir_parser_attr(parser, &value));
    if (value->type == NULL) {
      return mlir_parser_error(parser, "expected dense<…> and its type before this");
    }
    POD_TRY(syntax_add_attr(parser, op, "value", value));
  }
  POD_TRY(parse_limits(parser, op));
  POD_TRY(mlir_parser_attr_dict(parser, op));
  if (value == NULL) {
    POD_TRY(parse_types(parser, op));
  } else {
    POD_TRY(mlir_parser_check_operands(parser, op, 1, &value->type));
  }
  return mlir_parser_set_results(parser, op, 0, NULL);
}

// What compares two values, without limits; the others are written generically.
bool syntax_print_check(mlir_printer_t *printer, const mlir_op_t *op) {
  if (op->operand_count != 2 || op->result_count != 0 || op->attr_count != 0 ||
      op->region_count != 0) {
    return false;
  }
  mlir_printer_add(printer, " ");
  mlir_printer_operands(printer, op);
  mlir_printer_add(printer, " : ");
  mlir_printer_type(printer, op->operands[0]->type);
  if (!mlir_type_equal(op->operands[0]->type, op->operands[1]->type)) {
    mlir_printer_add(printer, ", ");
    mlir_printer_type(printer, op->operands[1]->type);
  }
  return true;
}
