// What a task costs the hardware: work counted exactly (work.h), time by what a pipelined
// kernel does with it.
//
// Formulas: mxu = busy FLOP / (peak · mxu_fraction)
//           vpu = operations / rate
//           hbm = (read + written + 2 · hbm_turnaround · min(read, written)) /
//                 (bandwidth · hbm_fraction)
//           core = max(mxu, vpu, bytes in VMEM / its bandwidth)
//           busy = in tiles: max(core + first + last + epilogue's, hbm + core / steps)
//                  otherwise: longer + shorter · min(dma_latency / longer, 1), of hbm
//                  and core
//           time = kernel + serial steps · (kernel + loop turn) + busy
// Source:   the structure is that of XLA's and Pallas' double-buffered kernels: the first
//           piece is loaded, and the last one computed and stored, with nothing beside.
//           How large they are follows from the product and the VMEM (product.h), or from
//           the latency of a DMA. The rates are the spec's, with their sources.
// Of a kernel of the user's, busy is the time of its grid (grid.h).
// What a collective takes on the links is told in one place, server/simulator.
//
// Picoseconds in int64; everything saturates, times so early that a clock can add one to
// its own. Threading: pure.

#ifndef SERVER_CHIP_COST_H_
#define SERVER_CHIP_COST_H_

#include <stdint.h>

#include "server/chip/spec.h"
#include "server/program/operations.h"
#include "server/program/task.h"

#define CHIP_COST_MAX_PS (INT64_MAX / 4)

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
  int64_t host_ps;  // Of the bytes between the chip and its host: host_bytes / rate.
} chip_cost_t;

// Of one run of a task's work on the core.
chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work);

// Reading and writing HBM, alternately.
int64_t chip_hbm_ps(const chip_spec_t *spec, int64_t read, int64_t written);

// What the core does to start an asynchronous collective, and to take its result. Nothing
// where a SparseCore has all_reduce, all_gather and reduce_scatter (overlaps_reductions):
// it begins them when their operands are there, and the core only waits for the last of
// them.
int64_t chip_async_start_ps(const chip_spec_t *spec, chip_op_t op);
int64_t chip_async_done_ps(const chip_spec_t *spec, chip_op_t op);

#endif  // SERVER_CHIP_COST_H_
