// From MLIR text to mlir_module_t, and the tools with which a dialect parses its pretty
// forms.
//
// Reads what `jax.jit(f).lower(...).as_text()` prints: builtin.module, func.func,
// func.return, func.call (also spelled without the dialect) and any operation in the
// generic form
// ("dialect.op"(%a) <{…}> ({…}) {…} : (…) -> …) by itself; the pretty forms of other
// dialects by the syntax table it is given. Aliases (#a = …, !t = …, #loc3), loc(…),
// dialect_resources
// ({-# … #-}) are resolved.
//
// Limits:    text below 2 GiB; nesting of regions and attributes below MLIR_DEPTH_MAX; a
// tensor's
//            rank at most TENSOR_RANK_MAX and its bytes within int64.
// Cost:      linear in the text and in its memory; constants at >= 100 MB/s.
// Threading: pure. Errors: INVALID_ARGUMENT as in diagnostic.h; the first one ends the
// parse.

#ifndef COMMON_MLIR_PARSER_H_
#define COMMON_MLIR_PARSER_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

enum { MLIR_DEPTH_MAX = 256 };

typedef struct mlir_parser_t mlir_parser_t;
typedef struct mlir_printer_t mlir_printer_t;

// How one operation is written in its pretty form.
typedef struct mlir_syntax_t {
  // After the operation's name: parses the rest (up to loc) and fills `op` through the
  // functions below. `op` has its name, position and result names; operands etc. are set
  // by the function.
  pod_status_t (*parse)(mlir_parser_t *parser, mlir_op_t *op);
  // Prints what follows the name, or returns false to have the generic form printed.
  bool (*print)(mlir_printer_t *printer, const mlir_op_t *op);
} mlir_syntax_t;

// NULL: no pretty form is known, the generic one is expected. `name` as written:
// "stablehlo.add".
typedef const mlir_syntax_t *(*mlir_syntax_lookup_t)(const char *name);

// `text` is copied. `lookup` may be NULL. Returns owned.
POD_MUST_USE pod_status_t mlir_parse(const char *file_name, const char *text,
                                     int64_t length, mlir_syntax_lookup_t lookup,
                                     mlir_module_t **out_module);

// --- For a dialect's parse functions (helpers are added here as they are needed) ---

mlir_module_t *mlir_parser_module(mlir_parser_t *parser);
mlir_position_t mlir_parser_position(mlir_parser_t *parser);

POD_MUST_USE POD_PRINTF(2, 3) pod_status_t
    mlir_parser_error(mlir_parser_t *parser, const char *format, ...);

// Punctuation or keyword: takes it when it is next.
bool mlir_parser_accept(mlir_parser_t *parser, const char *token);
bool mlir_parser_peek(mlir_parser_t *parser, const char *token);
POD_MUST_USE pod_status_t mlir_parser_expect(mlir_parser_t *parser, const char *token);

POD_MUST_USE pod_status_t mlir_parser_type(mlir_parser_t *parser,
                                           const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_parser_attr(mlir_parser_t *parser,
                                           const mlir_attr_t **out_attr);
// {a = 1, b}: appended to the op's attributes. Nothing when no `{` is next.
POD_MUST_USE pod_status_t mlir_parser_attr_dict(mlir_parser_t *parser, mlir_op_t *op);
POD_MUST_USE pod_status_t mlir_parser_i64(mlir_parser_t *parser, int64_t *out_value);
// [1, 2, 3] into the arena.
POD_MUST_USE pod_status_t mlir_parser_i64_list(mlir_parser_t *parser, int64_t *out_count,
                                               int64_t **out_values);
// An identifier or keyword, also with dots.
POD_MUST_USE pod_status_t mlir_parser_identifier(mlir_parser_t *parser,
                                                 const char **out_text);

// %a, appended to op's operands; the type is checked against the value's when the op is
// finished (values may be used before they are defined only in the same region's order,
// as in SSA).
POD_MUST_USE pod_status_t mlir_parser_operand(mlir_parser_t *parser, mlir_op_t *op);

// `type` for all operands and results, or `(types) -> types`: sets the results' types,
// checks the operands'.
POD_MUST_USE pod_status_t mlir_parser_set_results(mlir_parser_t *parser, mlir_op_t *op,
                                                  int count,
                                                  const mlir_type_t *const *types);

// A region `{ … }` appended to the op. `argument_count` block arguments with given names
// (may be 0) are bound on entry, for forms that name them outside of the braces (reducer,
// while).
typedef struct mlir_region_argument_t {
  const char *name;  // Without %.
  const mlir_type_t *type;
} mlir_region_argument_t;
POD_MUST_USE pod_status_t mlir_parser_region(mlir_parser_t *parser, mlir_op_t *op,
                                             int argument_count,
                                             const mlir_region_argument_t *arguments);

// A parser over the body of a DIALECT attribute, with positions of the source, so that a
// compiler can read #sdy.sharding<…> with the same tools. Lives in the module's arena.
mlir_parser_t *mlir_parser_for_body(mlir_module_t *module, const mlir_attr_t *attr);
bool mlir_parser_at_end(mlir_parser_t *parser);

#endif  // COMMON_MLIR_PARSER_H_
