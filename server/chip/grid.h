// The time of a kernel of the user's (Pallas, by Mosaic): a grid of steps that run one
// after the other, the blocks of the next one loaded and those of the last one stored
// beside each.
//
// Formulas: mxu = busy FLOP / peak
//           vpu = max(operations / rate, bytes in VMEM / its bandwidth)
//           core = max(mxu, vpu) + min(mxu, vpu) / pieces
//           chain = grid_step · (1 + (stages - 1) / blocks), blocks at least 1
//           step = max(dma, chain + core), dma by chip_hbm_ps
//           time = first load + steps + last store and the latency of its DMA; that of
//           the first one is what a kernel costs of its own (kernel_ps)
// Source:   the pipeline is that which Mosaic makes of a grid. `pieces` are the tiles of
//           the MXU that a step's product has: the first one has nothing beside it. The
//           MXU is counted at its peak, because what large products do not sustain of it
//           (mxu_fraction) is the like of grid_step: 8192³ on v5e in steps of
//           512x1024x1024 takes 5.99 ms, of which the peak is 5.58 and 1024 steps 0.34.
//           Stages are products and reductions that wait for one another: each passes
//           its pipeline from end to end. The one of the step from which grid_step was
//           read is in it; what a further one takes is taken to be as much, a guess that
//           agrees with flash attention in blocks of 128 (three stages: scores, their
//           maximum, values; row F128 of the calibration). Where a stage has many blocks
//           of 128 by 128, only the last one is waited for.
// Cores:    on a megacore the steps of a parallel dimension are dealt out to the cores,
//           which share the bandwidth; a grid without one runs on one of them.
//
// Picoseconds in int64; everything saturates. Threading: pure.

#ifndef SERVER_CHIP_GRID_H_
#define SERVER_CHIP_GRID_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/chip/spec.h"

// What a step does, whatever the chip's rates.
typedef struct chip_grid_step_t {
  int64_t mxu_flop, mxu_busy_flop;  // As in chip_work_t.
  int64_t vpu_op;
  int64_t vmem_bytes;                 // Read and written by the core.
  int64_t pieces;                     // At least 1 counts.
  int64_t stages;                     // Products and reductions one after the other.
  int64_t blocks;                     // Of 128 by 128 in the largest of them.
  int64_t read_bytes, written_bytes;  // By DMA beside it, from and to HBM.
} chip_grid_step_t;

typedef struct chip_grid_t {
  const chip_spec_t *spec;
  int64_t steps, total_ps;
  bool is_shared;  // By the cores of a megacore.
} chip_grid_t;

// A grid whose first step needs `first_bytes` to be there.
chip_grid_t chip_grid_begin(const chip_spec_t *spec, bool has_parallel_dimension,
                            int64_t first_bytes);

// `count` steps alike.
void chip_grid_add(chip_grid_t *grid, const chip_grid_step_t *step, int64_t count);

// The whole, the last results of `last_bytes` stored.
int64_t chip_grid_end(const chip_grid_t *grid, int64_t last_bytes);

// What the core takes for a step, its share of the grid's overhead included.
int64_t chip_grid_core_ps(const chip_grid_t *grid, const chip_grid_step_t *step);

#endif  // SERVER_CHIP_GRID_H_
