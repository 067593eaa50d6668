// From mlir_module_t to text that mlir_parse, and MLIR's own tools, read back.
//
// Values are numbered %0, %1, … afresh per function unless they have names; constants
// print as dense<…> (floats shortest that round-trip; more than `elide_elements` elements
// as dense_resource<__elided__>).
//
// Threading: pure.

#ifndef COMMON_MLIR_PRINTER_H_
#define COMMON_MLIR_PRINTER_H_

#include "common/base/text.h"
#include "common/mlir/parser.h"

typedef struct mlir_print_options_t {
  mlir_syntax_lookup_t lookup;  // NULL: all operations in the generic form.
  int64_t elide_elements;       // 0: never.
  bool locations;               // Print loc(…).
} mlir_print_options_t;

void mlir_print(pod_text_t *text, const mlir_module_t *module,
                const mlir_print_options_t *options);

// --- For a dialect's print functions (helpers are added here as they are needed) ---

POD_PRINTF(2, 3)
void mlir_printer_printf(mlir_printer_t *printer, const char *format, ...);
void mlir_printer_value(mlir_printer_t *printer,
                        const mlir_value_t *value);  // %3 or %3#1
void mlir_printer_type(mlir_printer_t *printer, const mlir_type_t *type);
void mlir_printer_attr(mlir_printer_t *printer, const mlir_attr_t *attr);
// {…} of the attributes that `hidden` (NULL-terminated names) does not list; nothing when
// none is left.
void mlir_printer_attr_dict(mlir_printer_t *printer, const mlir_op_t *op,
                            const char *const *hidden);
// `{`, the operations (and ^bb0(args) unless hide_arguments), `}`.
void mlir_printer_region(mlir_printer_t *printer, const mlir_region_t *region,
                         bool hide_arguments);

#endif  // COMMON_MLIR_PRINTER_H_
