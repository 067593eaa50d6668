// Which value stands for which other, for passes that walk forward: MLIR in memory has no
// lists of uses, so a pass notes the replacement of a value and applies it to the
// operands of every operation that it comes to later.
//
// Cost: amortised constant. Threading: one thread at a time. Ownership: the table owns
// its memory until deinit; values are borrowed.

#ifndef SERVER_COMPILER_REPLACEMENTS_H_
#define SERVER_COMPILER_REPLACEMENTS_H_

#include "common/mlir/ir.h"

// Zero it to start.
typedef struct replacements_t {
  mlir_value_t **by_id;
  uint32_t count;
} replacements_t;

void replacements_deinit(replacements_t *replacements);

// `by` may itself be replaced, before or later; cycles must not arise.
void replacements_put(replacements_t *replacements, const mlir_value_t *value,
                      mlir_value_t *by);

// What stands for `value` in the end: itself when it is not replaced.
mlir_value_t *replacements_resolve(replacements_t *replacements, mlir_value_t *value);

// For all operands.
void replacements_apply(replacements_t *replacements, mlir_op_t *op);

#endif  // SERVER_COMPILER_REPLACEMENTS_H_
