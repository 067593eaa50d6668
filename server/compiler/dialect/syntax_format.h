// Pretty forms written as formats, in the manner of MLIR's declarative assembly formats:
// one text per operation, read by one engine both to parse and to print.
//
// A format is a list of tokens with blanks between them:
//   %           an operand
//   %*          operands, none or more, with commas between them
//   %*,         operands, each with a comma behind it
//   {}          the attribute dictionary: what no other token names
//   =NAME:KIND  an attribute; kinds: i64, i32, i64s (array<i64>), bool, str, @ (a symbol
//   as a
//               string), #ENUM (#dialect<ENUM WORD>), !A|B|C (i32: the word's index),
//               <TYPE> (the body of #TYPE<…>), [TYPE] and {TYPE} (of #TYPE's brackets)
//   ?NAME … ?   what is there only when the attribute NAME is; the first token between is
//               a literal, by which the parser knows
//   :F          : functional type
//   :S          : one type for all operands and the result, or a functional type
//   :R          : types of the results (of operations without operands)
//   :O          : types of the operands (of operations without results)
//   :A          : types -> types
//   :T          : the tuple's type (its members are the operands')
//   :P          : types of the operands, which are those of the results
//   :Select     : type of pred, type of all others; or a functional type
//   :Complex    : type of the result (operands are its parts); or a functional type
//   :0          no results, no types
//   @NAME       a part with functions of its own, see syntax_parts.h
//   else        punctuation or a keyword

#ifndef SERVER_COMPILER_DIALECT_SYNTAX_FORMAT_H_
#define SERVER_COMPILER_DIALECT_SYNTAX_FORMAT_H_

#include "common/mlir/parser.h"
#include "common/mlir/printer.h"

// A form. Either a format with format_parse and format_print, or functions.
typedef struct syntax_row_t {
  mlir_syntax_t syntax;  // First, so that the engine gets from it to the row.
  const char *format;
} syntax_row_t;

pod_status_t syntax_format_parse(mlir_parser_t *parser, mlir_op_t *op);
bool syntax_format_print(mlir_printer_t *printer, const mlir_op_t *op);

// `: type` for everything, or a functional type; behind the colon.
POD_MUST_USE pod_status_t syntax_parse_same_type(mlir_parser_t *parser, mlir_op_t *op);

// Adds an attribute; an error when it is there.
POD_MUST_USE pod_status_t syntax_add_attr(mlir_parser_t *parser, mlir_op_t *op,
                                          const char *name, const mlir_attr_t *value);

#endif  // SERVER_COMPILER_DIALECT_SYNTAX_FORMAT_H_
