// What a task costs the hardware: work counted exactly (work.h), time by what a pipelined
// kernel does with it.
//
// Formulas: mxu = busy FLOP / (peak · mxu_fraction)
//           vpu = operations / rate
//           hbm = (read + written + 2 · hbm_turnaround · min(read, written)) /
//                 (bandwidth · hbm_fraction)
//           core = max(mxu, vpu, bytes in VMEM / its bandwidth)
//           blocks = max(bytes in HBM / block_bytes, 1)
//           time = op_overhead · (1 + serial steps) + max(hbm, core) + min(hbm, core) /
//           blocks
// Source:   the structure is that of XLA's and Pallas' double-buffered kernels: the first
//           block is loaded, and the last one computed, with nothing beside it. The rates
//           are the spec's, with their sources.
// What a collective takes on the links is told in one place, server/simulator.
//
// Picoseconds in int64; everything saturates. Threading: pure.

#ifndef SERVER_CHIP_COST_H_
#define SERVER_CHIP_COST_H_

#include <stdint.h>

#include "server/chip/spec.h"
#include "server/program/task.h"

typedef enum chip_bound_t {
  CHIP_BOUND_NONE = 0,
  CHIP_BOUND_MXU = 1,
  CHIP_BOUND_VPU = 2,
  CHIP_BOUND_HBM = 3,
  CHIP_BOUND_ICI = 4,  // Of a collective, by the clock of the pod.
  CHIP_BOUND_FIXED = 5,
} chip_bound_t;

typedef struct chip_cost_t {
  int64_t mxu_flop;   // 2·m·n·k per product.
  int64_t vpu_op;     // Elementwise operations.
  int64_t hbm_bytes;  // Read and written.
  int64_t duration_ps;
  chip_bound_t bound;
  int64_t mxu_ps, vpu_ps, hbm_ps;  // How long each engine is busy; they overlap.
} chip_cost_t;

// Of one run of a task's work on the core.
chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work);

#endif  // SERVER_CHIP_COST_H_
