// Loops that count: which value a loop carries from turn to turn as its counter, and how
// often it turns, as jax.lax.scan and fori_loop write them.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_COUNTER_H_
#define SERVER_COMPILER_DIALECT_COUNTER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/mlir/ir.h"

typedef struct compiler_counter_t {
  int index;           // Among what the loop carries.
  int64_t first;       // In the first turn; one more in each turn after it.
  int64_t turn_count;  // May be 0.
} compiler_counter_t;

// Whether `loop`, a stablehlo.while, turns while a counter that grows by one is below a
// constant (i < n), from a constant.
bool compiler_counter(const mlir_op_t *loop, compiler_counter_t *out_counter);

#endif  // SERVER_COMPILER_DIALECT_COUNTER_H_
