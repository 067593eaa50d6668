// Time of a grid, step by step.

#include "server/chip/grid.h"

#include <math.h>

#include "server/chip/cost.h"
#include "server/chip/work.h"

static int64_t picoseconds(double work, double rate_per_s) {
  const double time_ps = work <= 0 ? 0 : work / rate_per_s * 1e12;
  return time_ps < 9e18 ? (int64_t)ceil(time_ps) : INT64_MAX;
}

// Cores that one grid could be dealt out to.
static int64_t cores_of(const chip_spec_t *spec) {
  return spec->is_megacore ? spec->cores_per_chip : 1;
}

chip_grid_t chip_grid_begin(const chip_spec_t *spec, bool has_parallel_dimension,
                            int64_t first_bytes) {
  chip_grid_t grid = {.spec = spec, .is_shared = has_parallel_dimension};
  if (first_bytes > 0) {
    grid.total_ps = chip_hbm_ps(spec, first_bytes, 0);
  }
  return grid;
}

int64_t chip_grid_core_ps(const chip_grid_t *grid, const chip_grid_step_t *step) {
  const chip_spec_t *spec = grid->spec;
  const double cores = (double)cores_of(spec);
  // Of all cores when they share the grid, of one else.
  const double part = grid->is_shared ? 1 : 1 / cores;
  const double further = step->stages > 1 ? (double)(step->stages - 1) : 0;
  const double blocks = step->blocks > 1 ? (double)step->blocks : 1;
  const double overhead_ps =
      (double)spec->grid_step_ps * (1 + further / blocks) / (grid->is_shared ? cores : 1);
  const double mxu_ps =
      (double)picoseconds((double)step->mxu_busy_flop, spec->bf16_flop_per_s * part);
  const double lanes_ps =
      (double)picoseconds((double)step->vpu_op, spec->vpu_op_per_s * part);
  const double vmem_ps =
      (double)picoseconds((double)step->vmem_bytes, spec->vmem_bytes_per_s * part);
  const double vpu_ps = fmax(lanes_ps, vmem_ps);
  const double pieces = step->pieces > 1 ? (double)step->pieces : 1;
  const double core_ps = fmax(mxu_ps, vpu_ps) + fmin(mxu_ps, vpu_ps) / pieces;
  return picoseconds(core_ps + overhead_ps, 1e12);
}

void chip_grid_add(chip_grid_t *grid, const chip_grid_step_t *step, int64_t count) {
  const int64_t core_ps = chip_grid_core_ps(grid, step);
  const int64_t dma_ps = chip_hbm_ps(grid->spec, step->read_bytes, step->written_bytes);
  grid->steps = chip_work_plus(grid->steps, count);
  grid->total_ps = chip_work_plus(
      grid->total_ps, chip_work_times(core_ps > dma_ps ? core_ps : dma_ps, count));
}

int64_t chip_grid_end(const chip_grid_t *grid, int64_t last_bytes) {
  if (last_bytes <= 0) {
    return grid->total_ps;
  }
  return chip_work_plus(
      grid->total_ps,
      chip_work_plus(grid->spec->dma_latency_ps, chip_hbm_ps(grid->spec, 0, last_bytes)));
}
