// From MLIR text to mlir_module_t, and the tools with which a dialect parses its pretty
// forms.
//
// Reads what `jax.jit(f).lower(...).as_text()` prints. By itself: builtin.module,
// func.func, func.return, func.call (also spelled without the dialect) and any operation
// in the generic form, "dialect.op"(%a) <{…}> ({…}) {…} : (…) -> …; the pretty forms of
// other dialects by the syntax table it is given. Aliases (#a = …, !t = …, #loc3),
// loc(…) and dialect_resources ({-# … #-}) are resolved.
//
// Limits: text below 2 GiB; nesting of regions and attributes at most MLIR_DEPTH_MAX; a
// tensor's rank at most TENSOR_RANK_MAX and its bytes within int64; values are defined
// before they are used, in the order of the text; no branches between blocks. Locations
// nested deeper are forgotten.
// Cost: linear in the text and in its memory; constants at >= 100 MB/s.
// Threading: pure.
// Errors: INVALID_ARGUMENT as in diagnostic.h; the first one ends the parse.

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
  // functions below. `op` has its name and position; operands, results, attributes and
  // regions are set by the function.
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

// The same; the module's operations have the kinds that `kind_of` says
// (mlir_module_set_kinds).
POD_MUST_USE pod_status_t mlir_parse_kinds(const char *file_name, const char *text,
                                           int64_t length, mlir_syntax_lookup_t lookup,
                                           int (*kind_of)(const char *name),
                                           mlir_module_t **out_module);

// --- For a dialect's parse functions ---
//
// The parser stands on the next token; white space and comments are skipped by whatever
// takes one. A syntax function may return at the first error: the parse ends there.

mlir_module_t *mlir_parser_module(mlir_parser_t *parser);
// The row whose parse function was called last: to be asked for at its start.
const mlir_syntax_t *mlir_parser_syntax(mlir_parser_t *parser);
mlir_position_t mlir_parser_position(mlir_parser_t *parser);
bool mlir_parser_at_end(mlir_parser_t *parser);

POD_MUST_USE POD_PRINTF(2, 3) pod_status_t
    mlir_parser_error(mlir_parser_t *parser, const char *format, ...);
POD_MUST_USE POD_PRINTF(3, 4) pod_status_t
    mlir_parser_error_at(mlir_parser_t *parser, mlir_position_t position,
                         const char *format, ...);

// Punctuation or keyword: takes it when it is next.
bool mlir_parser_accept(mlir_parser_t *parser, const char *token);
bool mlir_parser_peek(mlir_parser_t *parser, const char *token);
POD_MUST_USE pod_status_t mlir_parser_expect(mlir_parser_t *parser, const char *token);

bool mlir_parser_peek_identifier(mlir_parser_t *parser);
bool mlir_parser_peek_integer(mlir_parser_t *parser);

// A list of one or more, separated by commas, in the arena.
POD_MUST_USE pod_status_t mlir_parser_type_list(mlir_parser_t *parser, int *out_count,
                                                const mlir_type_t *const **out_types);
POD_MUST_USE pod_status_t mlir_parser_type(mlir_parser_t *parser,
                                           const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_parser_attr(mlir_parser_t *parser,
                                           const mlir_attr_t **out_attr);
// {a = 1, b}: appended to the op's attributes. Nothing when no `{` is next.
POD_MUST_USE pod_status_t mlir_parser_attr_dict(mlir_parser_t *parser, mlir_op_t *op);
// An attribute of a dialect whose name the pretty form leaves out. <…> is #name<…>. Other
// brackets belong to the body: {…} and […] are #dialect<name {…}>, or #name<[…]> when
// `in_angles`, as MLIR spells the one in full. Or it stands here in full.
POD_MUST_USE pod_status_t mlir_parser_body(mlir_parser_t *parser, const char *name,
                                           bool in_angles, const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_parser_i64(mlir_parser_t *parser, int64_t *out_value);
POD_MUST_USE pod_status_t mlir_parser_u64(mlir_parser_t *parser, uint64_t *out_value);
// A number without a type: 0.5, -1.0e-3, 3.
POD_MUST_USE pod_status_t mlir_parser_f64(mlir_parser_t *parser, double *out_value);
// [1, 2, 3] into the arena.
POD_MUST_USE pod_status_t mlir_parser_i64_list(mlir_parser_t *parser, int64_t *out_count,
                                               int64_t **out_values);
// An identifier or keyword, also with dots; interned.
POD_MUST_USE pod_status_t mlir_parser_identifier(mlir_parser_t *parser,
                                                 const char **out_text);
// "text", unescaped, in the arena; without NULs.
POD_MUST_USE pod_status_t mlir_parser_string(mlir_parser_t *parser,
                                             const char **out_text);
// @name or @"name": the name.
POD_MUST_USE pod_status_t mlir_parser_symbol(mlir_parser_t *parser,
                                             const char **out_text);

// --- Operands and results ---

// A use of a value. Values must be defined, in the text, before they are used.
typedef struct mlir_operand_t {
  mlir_value_t *value;
  mlir_position_t position;
} mlir_operand_t;

bool mlir_parser_peek_operand(mlir_parser_t *parser);
// %a or %a#1, not yet an operand of anything.
POD_MUST_USE pod_status_t mlir_parser_value(mlir_parser_t *parser,
                                            mlir_operand_t *out_operand);
// Operands are added before the regions are parsed.
void mlir_parser_add_operand(mlir_parser_t *parser, mlir_op_t *op,
                             mlir_operand_t operand);
// %a, appended to op's operands.
POD_MUST_USE pod_status_t mlir_parser_operand(mlir_parser_t *parser, mlir_op_t *op);
// %a, %b, …: none or more.
POD_MUST_USE pod_status_t mlir_parser_operands(mlir_parser_t *parser, mlir_op_t *op);

// (inputs) -> results
typedef struct mlir_signature_t {
  int input_count, result_count;
  const mlir_type_t *const *inputs;
  const mlir_type_t *const *results;
} mlir_signature_t;
POD_MUST_USE pod_status_t mlir_parser_signature(mlir_parser_t *parser,
                                                mlir_signature_t *out_signature);

// Compares with the types the values were defined with; an error stands at the operand.
POD_MUST_USE pod_status_t mlir_parser_check_operands(mlir_parser_t *parser, mlir_op_t *op,
                                                     int count,
                                                     const mlir_type_t *const *types);
// Gives the op its results.
POD_MUST_USE pod_status_t mlir_parser_set_results(mlir_parser_t *parser, mlir_op_t *op,
                                                  int count,
                                                  const mlir_type_t *const *types);
// `(types) -> types`: a signature, check_operands and set_results.
POD_MUST_USE pod_status_t mlir_parser_functional_type(mlir_parser_t *parser,
                                                      mlir_op_t *op);
// `%a, %b {…} : types`, as returns are written.
POD_MUST_USE pod_status_t mlir_parser_terminator(mlir_parser_t *parser, mlir_op_t *op);
// The rest of the generic form, from `(` to the functional type.
POD_MUST_USE pod_status_t mlir_parser_generic(mlir_parser_t *parser, mlir_op_t *op);

// --- Regions ---

// A region `{ … }` appended to the op. `argument_count` block arguments with given names
// (may be 0) are bound on entry, for forms that name them outside of the braces (reducer,
// while).
typedef struct mlir_region_argument_t {
  const char *name;  // Without %.
  const mlir_type_t *type;
  mlir_position_t position;
  const mlir_attr_t *location;  // Or NULL.
} mlir_region_argument_t;
POD_MUST_USE pod_status_t mlir_parser_region(mlir_parser_t *parser, mlir_op_t *op,
                                             int argument_count,
                                             const mlir_region_argument_t *arguments);
// The same; what is defined outside is out of sight inside (IsolatedFromAbove).
POD_MUST_USE pod_status_t
mlir_parser_isolated_region(mlir_parser_t *parser, mlir_op_t *op, int argument_count,
                            const mlir_region_argument_t *arguments);
// `%name`; and `%name: type loc(…)` when `with_type`.
POD_MUST_USE pod_status_t mlir_parser_region_argument(
    mlir_parser_t *parser, bool with_type, mlir_region_argument_t *out_argument);
// An empty region, to be filled by hand; valid until the next one is added.
mlir_region_t *mlir_parser_add_region(mlir_parser_t *parser, mlir_op_t *op);

// A parser over the body of a DIALECT attribute, with positions of the source, so that a
// compiler can read #sdy.sharding<…> with the same tools. Lives in the module's arena.
// Knows no values and no aliases.
mlir_parser_t *mlir_parser_for_body(mlir_module_t *module, const mlir_attr_t *attr);

#endif  // COMMON_MLIR_PARSER_H_
