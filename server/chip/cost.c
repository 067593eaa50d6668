// Time of work on the core: what each engine is busy with, and how the pipeline of a
// kernel lets them hide behind each other (cost.h has the formulas).

#include "server/chip/cost.h"

#include <math.h>

#include "server/chip/work.h"

#define PS_PER_S 1e12

static int64_t plus(int64_t a, int64_t b) {
  return chip_work_plus(a, b);
}

static int64_t picoseconds(double work, double rate_per_s) {
  if (work <= 0) {  // Whatever the rate, also none.
    return 0;
  }
  const double time_ps = work / rate_per_s * PS_PER_S;
  return time_ps < 9e18 ? (int64_t)ceil(time_ps) : INT64_MAX;
}

static int64_t longer(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Reads and writes take turns on one bus; each turn costs.
int64_t chip_hbm_ps(const chip_spec_t *spec, int64_t read, int64_t written) {
  const double turned = 2 * (double)(read < written ? read : written);
  const double bytes = (double)read + (double)written + turned * spec->hbm_turnaround;
  return picoseconds(bytes, spec->hbm_bytes_per_s * spec->hbm_fraction);
}

// A kernel that streams loads the next piece while it computes on one and stores the
// last. Small pieces expose little at the ends, where the first is loaded and the last
// computed with nothing beside; but each waits for its DMA, so that there are as many as
// latencies hide behind what takes longest.
static int64_t streamed(const chip_spec_t *spec, int64_t memory_ps, int64_t core_ps) {
  const int64_t shorter_ps = memory_ps < core_ps ? memory_ps : core_ps;
  const int64_t longer_ps = longer(memory_ps, core_ps);
  if (longer_ps <= spec->dma_latency_ps) {
    return plus(longer_ps, shorter_ps);
  }
  const double exposed_ps =
      (double)shorter_ps * (double)spec->dma_latency_ps / (double)longer_ps;
  return plus(longer_ps, (int64_t)ceil(exposed_ps));
}

// What the epilogue reads does not hide behind the one step in which it comes.
static int64_t beside_ps(const chip_spec_t *spec, const chip_work_t *work,
                         int64_t first_bytes, int64_t core_ps) {
  if (work->epilogue_bytes <= 0 || work->result_tiles <= 0) {
    return 0;
  }
  const int64_t bytes = work->epilogue_bytes / work->result_tiles;
  const int64_t alone_ps = chip_hbm_ps(spec, bytes, 0);
  const int64_t step_ps = core_ps / work->tile_steps;
  const int64_t late_ps = plus(chip_hbm_ps(spec, first_bytes, 0), alone_ps) - step_ps;
  const int64_t exposed_ps = late_ps < alone_ps ? late_ps : alone_ps;
  return exposed_ps > 0 ? chip_work_times(exposed_ps, work->result_tiles) : 0;
}

// In tiles (product.h): the array waits for the first ones and for the last to be stored,
// or HBM, where that takes longer, for the product of the last.
static int64_t tiled(const chip_spec_t *spec, const chip_work_t *work, int64_t memory_ps,
                     int64_t core_ps) {
  const int64_t first =
      work->first_bytes < work->hbm_read_bytes ? work->first_bytes : work->hbm_read_bytes;
  const int64_t last = work->last_bytes < work->hbm_written_bytes
                           ? work->last_bytes
                           : work->hbm_written_bytes;
  const int64_t ends_ps = plus(chip_hbm_ps(spec, first, 0), chip_hbm_ps(spec, 0, last));
  const int64_t waits_ps = plus(ends_ps, beside_ps(spec, work, first, core_ps));
  return longer(plus(core_ps, waits_ps), plus(memory_ps, core_ps / work->tile_steps));
}

// What takes longest. Of equals the first of the list.
static chip_bound_t bound_of(const chip_cost_t *cost, int64_t fixed_ps) {
  const int64_t times_ps[] = {
      [CHIP_BOUND_MXU] = cost->mxu_ps,
      [CHIP_BOUND_VPU] = cost->vpu_ps,
      [CHIP_BOUND_HBM] = cost->hbm_ps,
      [CHIP_BOUND_FIXED] = fixed_ps,
  };
  chip_bound_t bound = CHIP_BOUND_FIXED;
  for (int candidate = CHIP_BOUND_FIXED; candidate >= CHIP_BOUND_MXU; candidate--) {
    if (times_ps[candidate] >= times_ps[bound]) {
      bound = (chip_bound_t)candidate;
    }
  }
  return bound;
}

static int64_t at_most(int64_t ps) {
  return ps < CHIP_COST_MAX_PS ? ps : CHIP_COST_MAX_PS;
}

chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work) {
  chip_cost_t cost = {
      .mxu_flop = work->mxu_flop,
      .vpu_op = work->vpu_op,
      .hbm_bytes = plus(work->hbm_read_bytes, work->hbm_written_bytes),
      .mxu_ps = picoseconds((double)work->mxu_busy_flop,
                            spec->bf16_flop_per_s * spec->mxu_fraction),
      .vpu_ps = picoseconds((double)work->vpu_op, spec->vpu_op_per_s),
      .hbm_ps = chip_hbm_ps(spec, work->hbm_read_bytes, work->hbm_written_bytes),
  };
  const int64_t vmem_ps = picoseconds((double)work->vmem_bytes, spec->vmem_bytes_per_s);
  const int64_t core_ps = longer(longer(cost.mxu_ps, cost.vpu_ps), vmem_ps);
  const int64_t busy_ps = work->grid_ps > 0      ? work->grid_ps
                          : work->tile_steps > 0 ? tiled(spec, work, cost.hbm_ps, core_ps)
                                                 : streamed(spec, cost.hbm_ps, core_ps);
  const int64_t fixed_ps = plus(
      spec->kernel_ps,
      chip_work_times(work->serial_steps, plus(spec->kernel_ps, spec->loop_turn_ps)));
  cost.host_ps = picoseconds((double)work->host_bytes, spec->pcie_bytes_per_s);
  cost.duration_ps = plus(longer(busy_ps, cost.host_ps), fixed_ps);
  const int64_t grid_ps = chip_work_times(work->grid_steps, spec->grid_step_ps);
  cost.bound = bound_of(&cost, longer(cost.host_ps, longer(fixed_ps, grid_ps)));
  cost.duration_ps = at_most(cost.duration_ps);
  cost.mxu_ps = at_most(cost.mxu_ps);
  cost.vpu_ps = at_most(cost.vpu_ps);
  cost.hbm_ps = at_most(cost.hbm_ps);
  cost.host_ps = at_most(cost.host_ps);
  return cost;
}

static bool is_offloaded(const chip_spec_t *spec, chip_op_t op) {
  return spec->overlaps_reductions &&
         (op == CHIP_OP_ALL_REDUCE || op == CHIP_OP_ALL_GATHER ||
          op == CHIP_OP_REDUCE_SCATTER);
}

int64_t chip_async_start_ps(const chip_spec_t *spec, chip_op_t op) {
  return is_offloaded(spec, op) ? 0 : spec->async_start_ps;
}

int64_t chip_async_done_ps(const chip_spec_t *spec, chip_op_t op) {
  return is_offloaded(spec, op) ? 0 : spec->async_done_ps;
}
