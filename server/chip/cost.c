// Time of work on the core: what each engine is busy with, and how the pipeline of a
// kernel lets them hide behind each other (cost.h has the formulas).

#include "server/chip/cost.h"

#include <math.h>

#include "server/chip/work.h"

#define PS_PER_S 1e12

// Between a chip and its host: PCI Express 3.0 with 16 lanes, of 8 GT/s each, 128 bits in
// 130 (PCI Express Base Specification 3.0, 4.2.2), by which chips hang on their hosts in
// Jouppi et al., "TPU v4: An Optically Reconfigurable Supercomputer", ISCA 2023, table 4.
// That of other kinds is not published; theirs is no slower.
#define HOST_BYTES_PER_S (16 * 8e9 / 8 * 128 / 130)

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
static int64_t hbm_time(const chip_spec_t *spec, int64_t read, int64_t written) {
  const double turned = 2 * (double)(read < written ? read : written);
  const double bytes = (double)read + (double)written + turned * spec->hbm_turnaround;
  return picoseconds(bytes, spec->hbm_bytes_per_s * spec->hbm_fraction);
}

// A kernel loads the next block while it computes on one and stores the last: the longer
// of memory and core hides the shorter one, except at the ends of the pipeline, where
// the first block is loaded and the last one computed with nothing beside.
static int64_t pipelined(const chip_spec_t *spec, int64_t memory_ps, int64_t core_ps,
                         int64_t bytes) {
  const double hidden_ps = (double)(memory_ps < core_ps ? memory_ps : core_ps);
  const double blocks = fmax((double)bytes / (double)spec->block_bytes, 1);
  return plus(longer(memory_ps, core_ps), picoseconds(hidden_ps / blocks, PS_PER_S));
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

chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work) {
  chip_cost_t cost = {
      .mxu_flop = work->mxu_flop,
      .vpu_op = work->vpu_op,
      .hbm_bytes = plus(work->hbm_read_bytes, work->hbm_written_bytes),
      .mxu_ps = picoseconds((double)work->mxu_busy_flop,
                            spec->bf16_flop_per_s * spec->mxu_fraction),
      .vpu_ps = picoseconds((double)work->vpu_op, spec->vpu_op_per_s),
      .hbm_ps = hbm_time(spec, work->hbm_read_bytes, work->hbm_written_bytes),
  };
  const int64_t vmem_ps = picoseconds((double)work->vmem_bytes, spec->vmem_bytes_per_s);
  const int64_t core_ps = longer(longer(cost.mxu_ps, cost.vpu_ps), vmem_ps);
  const int64_t busy_ps = pipelined(spec, cost.hbm_ps, core_ps, cost.hbm_bytes);
  const int64_t fixed_ps =
      chip_work_times(chip_work_plus(work->serial_steps, 1), spec->op_overhead_ps);
  const int64_t host_ps = picoseconds((double)work->host_bytes, HOST_BYTES_PER_S);
  cost.duration_ps = plus(longer(busy_ps, host_ps), fixed_ps);
  cost.bound = bound_of(&cost, longer(host_ps, fixed_ps));
  return cost;
}
