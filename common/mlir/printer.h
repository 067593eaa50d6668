// From mlir_module_t to text that mlir_parse, and MLIR's own tools, read back.
//
// Values keep their names, made unique where a pass doubled them; those without, or with
// a number for a name, are numbered %0, %1, … afresh per function. Constants print as
// dense<…>, floats with the fewest digits that give the same bits back; more than
// MLIR_HEX_ELEMENTS elements as dense<"0x…">; more than `elide_elements` as
// dense_resource<__elided__>, which is for people: the parser refuses it. Regions of one
// operation whose entry blocks have as many arguments as the first's get the same names
// for them, so that a form may name them once (while).
//
// Cost: linear in the module and its constants.
// Threading: pure.

#ifndef COMMON_MLIR_PRINTER_H_
#define COMMON_MLIR_PRINTER_H_

#include <string.h>

#include "common/base/text.h"
#include "common/mlir/parser.h"

enum { MLIR_HEX_ELEMENTS = 1024 };

typedef struct mlir_print_options_t {
  mlir_syntax_lookup_t lookup;  // NULL: all operations in the generic form.
  int64_t elide_elements;       // 0: never.
  bool locations;               // Print loc(…).
  bool names;                   // Else of locations the names: loc("jit(f)/add").
} mlir_print_options_t;

void mlir_print(pod_text_t *text, const mlir_module_t *module,
                const mlir_print_options_t *options);

// One attribute alone.
void mlir_attr_print(pod_text_t *text, const mlir_attr_t *attr, int64_t elide_elements);

// --- For a dialect's print functions ---

// The row whose print function was called last: to be asked for at its start.
const mlir_syntax_t *mlir_printer_syntax(mlir_printer_t *printer);

// A module for attributes that a print function makes to compare; it goes with the
// printer.
mlir_module_t *mlir_printer_scratch(mlir_printer_t *printer);

void mlir_printer_add_bytes(mlir_printer_t *printer, const char *text, size_t length);

// In place, so that the length of a literal is a constant.
static inline void mlir_printer_add(mlir_printer_t *printer, const char *text) {
  mlir_printer_add_bytes(printer, text, strlen(text));
}

void mlir_printer_add_int(mlir_printer_t *printer, int64_t value);
POD_PRINTF(2, 3)
void mlir_printer_printf(mlir_printer_t *printer, const char *format, ...);
void mlir_printer_value(mlir_printer_t *printer,
                        const mlir_value_t *value);  // %3 or %3#1
// %0, %1, …
void mlir_printer_operands(mlir_printer_t *printer, const mlir_op_t *op);
void mlir_printer_type(mlir_printer_t *printer, const mlir_type_t *type);
// (types) -> types
void mlir_printer_functional_type(mlir_printer_t *printer, const mlir_op_t *op);
// @name, quoted where it must be.
void mlir_printer_symbol(mlir_printer_t *printer, const char *name);
// "text", escaped.
void mlir_printer_string(mlir_printer_t *printer, const char *text, int64_t length);
// %name: type, with its location if those are printed.
void mlir_printer_block_argument(mlir_printer_t *printer, const mlir_value_t *value);
// ` loc(…)`, if those are printed. `location` may be NULL.
void mlir_printer_location(mlir_printer_t *printer, const mlir_attr_t *location);
// The generic form behind the name.
void mlir_printer_generic(mlir_printer_t *printer, const mlir_op_t *op);
void mlir_printer_attr(mlir_printer_t *printer, const mlir_attr_t *attr);
// {…} of the attributes that `hidden` (NULL-terminated names) does not list; nothing when
// none is left.
void mlir_printer_attr_dict(mlir_printer_t *printer, const mlir_op_t *op,
                            const char *const *hidden);
// The same behind a word, e.g. ` attributes {…}`.
void mlir_printer_attr_dict_with(mlir_printer_t *printer, const char *word,
                                 const mlir_op_t *op, const char *const *hidden);
// A new line at the operation's indentation.
void mlir_printer_newline(mlir_printer_t *printer);
// `{`, the operations (and ^bb0(args) unless hide_arguments), `}`.
void mlir_printer_region(mlir_printer_t *printer, const mlir_region_t *region,
                         bool hide_arguments);

// `%a, %b {…} : types`, as returns are written.
bool mlir_printer_terminator(mlir_printer_t *printer, const mlir_op_t *op);

#endif  // COMMON_MLIR_PRINTER_H_
