// chlo.scan as a loop. Private to the pass `expand`.

#ifndef SERVER_COMPILER_LEGALIZE_SCAN_H_
#define SERVER_COMPILER_LEGALIZE_SCAN_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/mlir/replacements.h"

// Puts a stablehlo.while before `op` and gives what stands for each of its results. What
// stands for the arguments of its body is entered in `replacements`, which the caller
// applies to the operations that have moved into the loop. INVALID_ARGUMENT at the
// operation.
POD_MUST_USE pod_status_t expand_scan(mlir_module_t *module, mlir_op_t *op,
                                      mlir_replacements_t *replacements,
                                      mlir_value_t **out_results);

#endif  // SERVER_COMPILER_LEGALIZE_SCAN_H_
