// Which value stands for which other, for passes that walk forward: MLIR in memory has no
// lists of uses, so a pass notes the replacement of a value and applies it to the
// operands of every operation that it comes to later.
//
// Cost: amortised constant. Threading: one thread at a time. Ownership: the table owns
// its memory until deinit; values are borrowed.

#ifndef COMMON_MLIR_REPLACEMENTS_H_
#define COMMON_MLIR_REPLACEMENTS_H_

#include "common/mlir/ir.h"

// Zero it to start.
typedef struct mlir_replacements_t {
  mlir_value_t **by_id;
  uint32_t count;
} mlir_replacements_t;

void mlir_replacements_deinit(mlir_replacements_t *replacements);

// `by` may itself be replaced, before or later; cycles must not arise.
void mlir_replacements_put(mlir_replacements_t *replacements, const mlir_value_t *value,
                           mlir_value_t *by);

// What stands for `value` in the end: itself when it is not replaced.
mlir_value_t *mlir_replacements_resolve(mlir_replacements_t *replacements,
                                        mlir_value_t *value);

// For all operands.
void mlir_replacements_apply(mlir_replacements_t *replacements, mlir_op_t *op);

#endif  // COMMON_MLIR_REPLACEMENTS_H_
