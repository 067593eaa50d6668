// Rules of operations over tokens and futures: infeed, outfeed, send, recv, async_start,
// async_done. They have no row in the table of operations; other passes take them away or
// refuse them.
//
// Threading: pure. Errors: INVALID_ARGUMENT at the operation; UNIMPLEMENTED for futures
// that leave their block.

#ifndef SERVER_COMPILER_VERIFY_STREAMS_H_
#define SERVER_COMPILER_VERIFY_STREAMS_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/mlir/replacements.h"

// Whether operations of that name are checked; others only where they take a future.
bool streams_has_rule(const mlir_op_t *op);

// Checks `op` as the user wrote it; nothing for other operations.
POD_MUST_USE pod_status_t streams_check(mlir_module_t *module, const mlir_op_t *op);

// Whether it is async_start or async_done.
bool streams_is_asynchronous(const mlir_op_t *op);

// For one of these, after its check: the operation inside of an async_start comes to
// stand before it, and an async_done has its results. The compiler's schedule decides
// what overlaps. Gives what stands for each result.
void streams_expand(mlir_module_t *module, mlir_op_t *op,
                    mlir_replacements_t *replacements, mlir_value_t **out_results);

#endif  // SERVER_COMPILER_VERIFY_STREAMS_H_
