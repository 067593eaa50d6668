// Rematerialisation: what fills the HBM at the peak, was made before it and is read only
// after it, is made again for those who read it late, when that costs little and the
// program does not fit otherwise. As XLA's HloRematerialization does it, on kernels: of
// all that is alive at the peak, what saves most bytes for the time of its kernel goes
// first, as long as what it is made from is there anyway. Where that is gone, the kernels
// that made it run again too, up to eight in a row (a chain of elementwise operations
// back to a product's operand or an argument). Values stay the same to the bit: the same
// operations read the same operands.
//
// Private to the compiler. Threading: pure. Determinism: the same module gives the same.
// Cost: some rounds, each that of fusing, scheduling and lowering.

#ifndef SERVER_COMPILER_SCHEDULE_REMAT_H_
#define SERVER_COMPILER_SCHEDULE_REMAT_H_

#include <stdint.h>

#include "common/base/list.h"
#include "server/compiler/schedule/clusters.h"
#include "server/compiler/schedule/memory.h"

// What has been done to the module, to be taken back in the other direction.
typedef struct remat_change_t {
  mlir_op_t *op;
  int32_t index;      // Of the operand; -1: `op` is new; -2: it was taken out; -3: moved.
  mlir_value_t *old;  // The operand before.
  mlir_op_t *next;    // Of what was taken out or moved; it stood before that.
} remat_change_t;

typedef struct remat_t {
  POD_LIST(remat_change_t) changes;
  int32_t value_count;  // That are made again.
  int64_t saved_bytes;  // At the peaks, as it was estimated.
  int64_t duration_ps;  // Of the kernels that run again.
} remat_t;

// Decides what to make again so that the peak of `memory` shrinks by `excess_bytes` at
// best, of `clusters` as they stand; takes their schedule back and changes the module.
// The clusters are then of no use any more. False: there is nothing to be won.
bool remat_shrink(remat_t *remat, clusters_t *clusters, const memory_t *memory,
                  int64_t excess_bytes);

// The module as it was before all that was done. Its clusters are to be made anew.
void remat_undo(remat_t *remat);

void remat_deinit(remat_t *remat);

#endif  // SERVER_COMPILER_SCHEDULE_REMAT_H_
