// Integer arithmetic of the chip's operations, one element at a time: what the compiler
// folds and what the simulator has to know of loop counters and indices.
//
// An element is its value as tensor_element_as_int64 reads it: signed types extended by
// their sign, unsigned ones by zero, u64 as its bits, pred as 0 or 1. A result keeps the
// low bits of its type only once tensor_element_from_int64 stores it.
//
// Threading: pure. Errors: none; what has no defined result (division by zero, the least
// value by -1) or is no operation on integers returns false and leaves `out` alone.

#ifndef SERVER_PROGRAM_INTEGER_H_
#define SERVER_PROGRAM_INTEGER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/dtype.h"
#include "server/program/operations.h"
#include "server/program/program.h"

// Integers and pred.
bool chip_is_integral(tensor_dtype_t dtype);

// add, subtract, multiply, divide, remainder, maximum, minimum, and, or, xor and the
// shifts on two elements of `dtype`, which is integral.
bool chip_integer_binary(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t y,
                         int64_t *out);

// negate, abs, sign and not.
bool chip_integer_unary(chip_op_t op, tensor_dtype_t dtype, int64_t x, int64_t *out);

// -1, 0 or 1: how x stands to y.
int chip_integer_order(tensor_dtype_t dtype, int64_t x, int64_t y);

// Whether CHIP_COMPARISON_<direction> holds of what stands to the other as `order`.
bool chip_comparison_holds(int64_t direction, int order);

#endif  // SERVER_PROGRAM_INTEGER_H_
