// Parts of pretty forms that no kind of token covers, for syntax_format.c, and forms that
// are no format at all. Not for others.

#ifndef SERVER_COMPILER_DIALECT_SYNTAX_PARTS_H_
#define SERVER_COMPILER_DIALECT_SYNTAX_PARTS_H_

#include "common/mlir/parser.h"
#include "common/mlir/printer.h"

typedef struct syntax_part_t {
  const char *name;
  pod_status_t (*parse)(mlir_parser_t *parser, mlir_op_t *op);
  bool (*print)(mlir_printer_t *printer, const mlir_op_t *op);
  const char *attrs[6];  // The attributes it stands for, NULL-terminated.
} syntax_part_t;

// @dot, @precision, @slice, @conv, @window, @format, @target, @barrier, @regions. Every
// name in the table of formats is one of them.
const syntax_part_t *syntax_part(const char *name);

// #dialect<name WORD>, with the operation's dialect.
const mlir_attr_t *syntax_make_enum(mlir_module_t *module, const mlir_op_t *op,
                                    const char *name, const char *word);
// The word, or NULL when the attribute is another one.
const char *syntax_enum_word(const mlir_op_t *op, const mlir_attr_t *attr,
                             const char *name);
// [1, 2]; false when it is no array<i64>.
bool syntax_print_i64s(mlir_printer_t *printer, const mlir_attr_t *value);

// @conv and @window (syntax_convolution.c).
pod_status_t syntax_parse_conv(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_conv(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_window(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_window(mlir_printer_t *printer, const mlir_op_t *op);

// Forms of their own (syntax_control.c, syntax_sdy.c).
pod_status_t syntax_parse_constant(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_constant(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_reduce(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_reduce(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_while(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_while(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_scan(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_scan(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_manual(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_manual(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_check(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_check(mlir_printer_t *printer, const mlir_op_t *op);
pod_status_t syntax_parse_named(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_print_named(mlir_printer_t *printer, const mlir_op_t *op);

#endif  // SERVER_COMPILER_DIALECT_SYNTAX_PARTS_H_
