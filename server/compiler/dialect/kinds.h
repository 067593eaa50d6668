// What an operation of a module is, as a number that passes switch on: a row of the table
// of operations (CHIP_OP_…, server/program/operations.h), or one that no chip runs
// (KIND_…, the rows of kinds.def).
//
// op->kind is that number in every module that compiler_parse has read.
//
// Threading: pure; any thread.

#ifndef SERVER_COMPILER_DIALECT_KINDS_H_
#define SERVER_COMPILER_DIALECT_KINDS_H_

#include <stdbool.h>

#include "common/mlir/ir.h"
#include "server/program/operations.h"

enum {
  KIND_BEFORE_FIRST = CHIP_OP_COUNT - 1,
#define KIND(id, name, syntax) KIND_##id,
#include "server/compiler/dialect/kinds.def"
  KIND_COUNT,
};

// Gives the operations of a module their kinds: those that it has, and all that are made
// in it later. For who makes a module without compiler_parse.
void compiler_set_kinds(mlir_module_t *module);

// Whether it is an operation that a chip runs.
static inline bool compiler_is_row(int kind) {
  return kind > CHIP_OP_INVALID && kind < CHIP_OP_COUNT;
}

// Whether it is one of Shardy's dialect.
bool compiler_is_shardy(int kind);

// False: no operation of the module is one of Shardy's, and none has an attribute
// "sdy.sharding". Asks the names that the module has, not its operations.
bool compiler_may_have_shardy(const mlir_module_t *module);

// By its name with the dialect, "func.func". CHIP_OP_INVALID when it is not known.
int compiler_kind_find(const char *name);

// A literal; "invalid" for a number that is no kind.
const char *compiler_kind_name(int kind);

#endif  // SERVER_COMPILER_DIALECT_KINDS_H_
