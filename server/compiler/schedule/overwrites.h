// Which operations of a block write over an array: those that update one, and those with
// which the result of a donated argument, or the next state of a loop, takes its memory.
// What reads the array behind them keeps it alive, and the new one is made aside and
// copied.
//
// Private to the compiler. Threading: pure. Cost: linear.

#ifndef SERVER_COMPILER_SCHEDULE_OVERWRITES_H_
#define SERVER_COMPILER_SCHEDULE_OVERWRITES_H_

#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "server/compiler/lower/donation.h"

typedef struct overwrite_t {
  mlir_op_t *op;
  const mlir_value_t *array;
} overwrite_t;

typedef POD_LIST(overwrite_t) overwrites_t;

// Of @main's block with its donation, or of a loop's body with NULL. In place of what is
// in the list.
void overwrites_list(const mlir_block_t *block, const donation_t *donation,
                     overwrites_t *out_overwrites);

#endif  // SERVER_COMPILER_SCHEDULE_OVERWRITES_H_
