// The operations a chip knows, by number: the rows of operations.def.

#ifndef SERVER_PROGRAM_OPERATIONS_H_
#define SERVER_PROGRAM_OPERATIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum chip_op_t {
  CHIP_OP_INVALID = 0,
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  CHIP_OP_##id,
#include "server/program/operations.def"
#undef OPERATION
  CHIP_OP_COUNT,
} chip_op_t;

// What is true of an operation: the column `traits`, and what follows from its cost.
enum {
  // Every element of the results comes from those at the same place of the operands.
  CHIP_TRAIT_ELEMENTWISE = 1 << 0,
  // f(x, y) is f(y, x).
  CHIP_TRAIT_COMMUTATIVE = 1 << 1,
  // A result may be the bytes of an operand of its size. So of what is elementwise.
  CHIP_TRAIT_IN_PLACE = 1 << 2,
  // The result is the first operand, part of it written over.
  CHIP_TRAIT_UPDATES = 1 << 3,
  // The elements of the result are some of the first operand's, none of them twice.
  CHIP_TRAIT_MOVES = 1 << 4,
  // Of single elements its result is as its kernel has it at that place of a vector of
  // them. So of what is elementwise.
  CHIP_TRAIT_LANEWISE = 1 << 5,
  // It runs regions: how often, an operand says.
  CHIP_TRAIT_CONTROL = 1 << 6,
  // It runs though nothing uses it, and may fail the execution.
  CHIP_TRAIT_CHECKS = 1 << 7,
  CHIP_TRAIT_TRANSCENDENTAL = 1 << 8,
  CHIP_TRAIT_COLLECTIVE = 1 << 9,
};

// Private to chip_op_has.
extern const uint16_t chip_op_traits[CHIP_OP_COUNT];

// Whether one of `traits` is true of it. `op` may be any number: nothing is true of what
// is no operation of a chip.
static inline bool chip_op_has(int op, unsigned traits) {
  return (unsigned)op < CHIP_OP_COUNT && (chip_op_traits[op] & traits) != 0;
}

static inline bool chip_op_is_collective(chip_op_t op) {
  return chip_op_has((int)op, CHIP_TRAIT_COLLECTIVE);
}

// "stablehlo.add"; a literal. "invalid" for a number that is no operation.
const char *chip_op_name(chip_op_t op);

// Without the dialect, as HLO and profiles print it: "add", "all_reduce". A literal.
const char *chip_op_short_name(chip_op_t op);

// CHIP_OP_INVALID when it is none. Any thread.
chip_op_t chip_op_find(const char *name);

#endif  // SERVER_PROGRAM_OPERATIONS_H_
