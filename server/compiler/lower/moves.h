// Copies that happen as if at once: at the end of a loop's body, and at the end of the
// program for results that lie in donated arguments. Copy i writes where state[i] lies,
// and others may read that.

#ifndef SERVER_COMPILER_LOWER_MOVES_H_
#define SERVER_COMPILER_LOWER_MOVES_H_

#include "server/compiler/lower/lower.h"

typedef struct lower_moves_t {
  const mlir_op_t *op;
  lower_wish_kind_t wish;
  int32_t count;
  int32_t *state;    // What lies where copy i writes.
  int32_t *source;   // What copy i reads; CHIP_NONE: there is nothing to copy.
  int32_t *reads;    // The other k whose state copy i reads, or CHIP_NONE.
  int32_t *readers;  // How many of the copies to come read state[i].
  int32_t *next;     // What copy i has written; CHIP_NONE before.
} lower_moves_t;

// No reads are noted, and nothing has been copied; the caller fills in state and source.
// The lists are the module's arena's.
lower_moves_t lower_moves_make(lower_t *lower, const mlir_op_t *op,
                               lower_wish_kind_t wish, int32_t count);

// Copy i reads state[k], which copy k writes over; k may be none of them, or i.
void lower_moves_note_read(lower_moves_t *moves, int32_t i, int32_t k);

// Adds them in an order in which none reads what another has written over, and fills in
// next[i]. Of those that read one another in a circle one reads from aside.
void lower_moves_add(lower_t *lower, lower_moves_t *moves);

#endif  // SERVER_COMPILER_LOWER_MOVES_H_
