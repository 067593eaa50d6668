// What constants of a module hold.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_CONSTANT_H_
#define SERVER_COMPILER_DIALECT_CONSTANT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/mlir/ir.h"

// The value of an integer constant of one element, splats included; false: it is none.
bool compiler_constant_integer(const mlir_value_t *value, int64_t *out);

// Element `at`, which is not negative, of an integer constant, row-major; false: it is
// none, or has no such element.
bool compiler_constant_element(const mlir_value_t *value, int64_t at, int64_t *out);

// Whether `value` is, through broadcasts, a constant of one element, splats included,
// that is zero. -0.0 is not: it is another summand than 0.0.
bool compiler_is_zero(const mlir_value_t *value);

#endif  // SERVER_COMPILER_DIALECT_CONSTANT_H_
