// Runs the code of a kernel: integers are computed where all that they depend on is
// known, work is added up along the way that control takes.
//
// What is not known: what the kernel loads from memory, but for arrays that the program
// has as constants. A branch on it counts as the longer one. A loop that runs as often as
// it says is open: it counts `open_turns` turns.
//
// Threading: a machine is used by one thread at a time.

#ifndef SERVER_COMPILER_PALLAS_MACHINE_H_
#define SERVER_COMPILER_PALLAS_MACHINE_H_

#include "server/compiler/pallas/code.h"

// An array of integers in SMEM that the program has as a constant.
typedef struct kernel_memory_t {
  tensor_shape_t shape;
  const void *data;
  bool is_splat;
} kernel_memory_t;

typedef struct machine_slot_t {
  bool is_known;
  int64_t value;
  const kernel_memory_t *memory;  // Of a memref; NULL: what it holds is not known.
} machine_slot_t;

typedef struct machine_t {
  const chip_grid_t *grid;  // For which of two branches is the longer one.
  machine_slot_t *slots;    // By value id.
  int64_t budget;           // Nodes that may yet be run; below 0: it gave up.
  int64_t open_turns;       // At least 1.
  bool is_open;             // A loop was met whose turns are not known,
  int64_t open_bytes;       // and what its turns copied, of one turn each.
} machine_t;

void kernel_machine_set(machine_t *machine, const mlir_value_t *value, int64_t number);

// Adds the block's work to `sum`.
void kernel_machine_run(machine_t *machine, const code_block_t *block,
                        chip_grid_step_t *sum);

#endif  // SERVER_COMPILER_PALLAS_MACHINE_H_
