// The program as the clock sees it: what the core of a chip is given to do, piece by
// piece.
//
// The instructions of program.h say what is computed; tasks say in which pieces a TPU
// would do it. A fusion is one task of many instructions, a collective that overlaps with
// others is a START and a DONE, an operand that is brought to VMEM in time is a PREFETCH.
// The compiler makes the tasks (server/compiler/tasks*.c), the simulator runs them
// (server/simulator), the worker does not know them.
//
// Units: bytes as they lie in HBM (layout.h: padded to tiles), FLOP, operations,
// picoseconds. Threading: pure. Ownership: tasks live in the program's arena.

#ifndef SERVER_PROGRAM_TASK_H_
#define SERVER_PROGRAM_TASK_H_

#include <stdint.h>

typedef enum chip_task_kind_t {
  CHIP_TASK_COMPUTE = 0,     // A kernel of the core: an instruction or a fusion.
  CHIP_TASK_COLLECTIVE = 1,  // The core waits until it is done.
  CHIP_TASK_COLLECTIVE_START =
      2,  // Its `partner` is the DONE; what is between may overlap.
  CHIP_TASK_COLLECTIVE_DONE = 3,  // Its `partner` is the START.
  CHIP_TASK_PREFETCH_START = 4,   // DMA from HBM to VMEM: work.hbm_read_bytes.
  CHIP_TASK_PREFETCH_DONE = 5,    // Waits for it.
  CHIP_TASK_WHILE = 6,            // The calls of `instruction`: condition, body.
  CHIP_TASK_BRANCH = 7,  // if, case: the calls of `instruction` are the branches.
  // Between HBM and the host's memory: work.host_bytes, with hbm_read_bytes when they go
  // to the host, with hbm_written_bytes when they come from there. A chip has a queue for
  // each direction, first in, first out.
  CHIP_TASK_TRANSFER_START = 8,
  CHIP_TASK_TRANSFER_DONE = 9,  // Waits for it.
} chip_task_kind_t;

// Work of one run, whatever the chip's rates.
typedef struct chip_work_t {
  int64_t mxu_flop;  // Useful: 2·m·n·k per product.
  int64_t
      mxu_busy_flop;  // What the MXU is occupied for, in FLOP at the bf16 rate: padded to
                      // its size, times the passes of f32, less for int8 by its rate.
  int64_t vpu_op;     // Operations on f32 lanes.
  int64_t serial_steps;  // Operations of the device that it takes one after the other
                         // beyond the first: turns of a loop within it.
  // Of a product in tiles (server/chip/product.h): steps, what is loaded from HBM before
  // the first one, what is stored after the last. No steps: it streams in pieces of any
  // size.
  int64_t tile_steps, first_bytes, last_bytes;
  // Of hbm_read_bytes, what is read beside the result, and in how many tiles: each in the
  // last step of the one before.
  int64_t epilogue_bytes, result_tiles;
  int64_t grid_steps;  // Of a kernel of the user's.
  int64_t grid_ps;     // What they take one after the other, each step by its own work;
                       // 0: it is no such kernel.
  int64_t host_bytes;  // Between the chip and its host.
  int64_t hbm_read_bytes;     // Operands in HBM; what lies in VMEM is not counted.
  int64_t hbm_written_bytes;  // Results that go to HBM.
  int64_t vmem_bytes;         // Operands and results that stay in VMEM.
  int64_t recomputed_flop;  // Of mxu_flop, what was computed before (rematerialised); -1:
                            // the module does not say.
} chip_work_t;

typedef struct chip_task_t {
  chip_task_kind_t kind;
  int32_t
      instruction;  // Its root, whose source location it has; the collective; the loop.
                    // Of a PREFETCH: the root of the task that wants the operand.
  int32_t partner;  // Task of the same computation: START <-> DONE; else CHIP_NONE.
  int32_t first_member;  // program->task_members[first_member ...]: instructions that it
                         // computes, ascending.
  int32_t member_count;  // 0 for DONE and PREFETCH.
  const char *name;      // Unique: "fusion.3", "all_gather_start.1", "dot_general.2".
  chip_work_t work;
} chip_task_t;

// "compute", "collective", …
const char *chip_task_kind_name(chip_task_kind_t kind);

#endif  // SERVER_PROGRAM_TASK_H_
