// The operations a chip knows, by number: the rows of operations.def.

#ifndef SERVER_CHIP_OPERATIONS_H_
#define SERVER_CHIP_OPERATIONS_H_

#include <stddef.h>

typedef enum chip_op_t {
  CHIP_OP_INVALID = 0,
#define OPERATION(id, name, syntax, shape, factors, kernel, cost) CHIP_OP_##id,
#include "server/chip/operations.def"
#undef OPERATION
  CHIP_OP_COUNT,
} chip_op_t;

// "stablehlo.add"; a literal. "invalid" for a number that is no operation.
const char *chip_op_name(chip_op_t op);

// Without the dialect, as HLO and profiles print it: "add", "all_reduce". A literal.
const char *chip_op_short_name(chip_op_t op);

// CHIP_OP_INVALID when it is none. Any thread.
chip_op_t chip_op_find(const char *name);

#endif  // SERVER_CHIP_OPERATIONS_H_
