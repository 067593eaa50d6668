// What a task costs the hardware: work counted exactly (work.h), time by what a pipelined
// kernel does with it.
//
// Formulas: mxu = busy FLOP / (peak · mxu_fraction)
//           vpu = operations / rate
//           hbm = (read + written + 2 · hbm_turnaround · min(read, written)) /
//                 (bandwidth · hbm_fraction)
//           core = max(mxu, vpu, bytes in VMEM / its bandwidth)
//           blocks = max(bytes in HBM / block_bytes, 1)
//           time = op_overhead + max(hbm, core) + min(hbm, core) / blocks
// Source:   the structure is that of XLA's and Pallas' double-buffered kernels: the first
//           block is loaded, and the last one computed, with nothing beside it. The rates
//           are the spec's, with their sources.
// Of a collective, its bytes over the links it can use plus hops hide what the core does.
//
// Picoseconds in int64; everything saturates. Threading: pure.

#ifndef SERVER_CHIP_COST_H_
#define SERVER_CHIP_COST_H_

#include <stdint.h>

#include "server/chip/program.h"
#include "server/chip/spec.h"
#include "server/chip/task.h"
#include "server/chip/torus.h"

typedef enum chip_bound_t {
  CHIP_BOUND_NONE = 0,
  CHIP_BOUND_MXU = 1,
  CHIP_BOUND_VPU = 2,
  CHIP_BOUND_HBM = 3,
  CHIP_BOUND_ICI = 4,
  CHIP_BOUND_FIXED = 5,
} chip_bound_t;

typedef struct chip_cost_t {
  int64_t mxu_flop;   // 2·m·n·k per product.
  int64_t vpu_op;     // Elementwise operations.
  int64_t hbm_bytes;  // Read and written.
  int64_t ici_bytes;  // Sent by this chip, over all its links.
  int64_t duration_ps;
  chip_bound_t bound;
  int64_t mxu_ps, vpu_ps, hbm_ps;  // How long each engine is busy; they overlap.
} chip_cost_t;

// Of one run of a task's work on the core; what its collective takes on the links is the
// simulator's.
chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work);

// Of one run of an instruction, called computations not included.
chip_cost_t chip_instruction_cost(const chip_spec_t *spec, const torus_t *torus,
                                  const chip_program_t *program,
                                  const chip_instruction_t *instruction);

// "MXU", "HBM", …
const char *chip_bound_name(chip_bound_t bound);

#endif  // SERVER_CHIP_COST_H_
