#include "server/chip/cost.h"

#include <math.h>
#include <string.h>

#include "server/chip/work.h"

#define PS_PER_S 1e12

static int64_t times(int64_t a, int64_t b) {
  return chip_work_times(a, b);
}

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

static const tensor_shape_t *operand_shape(const chip_program_t *program,
                                           const chip_instruction_t *instruction, int i) {
  return &program->buffers[instruction->operands[i]].shape;
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
static chip_bound_t bound_of(const chip_cost_t *cost, int64_t ici_ps, int64_t fixed_ps) {
  const int64_t times_ps[] = {
      [CHIP_BOUND_MXU] = cost->mxu_ps, [CHIP_BOUND_VPU] = cost->vpu_ps,
      [CHIP_BOUND_HBM] = cost->hbm_ps, [CHIP_BOUND_ICI] = ici_ps,
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

static chip_cost_t cost_of(const chip_spec_t *spec, const chip_work_t *work,
                           int64_t ici_ps) {
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
  const int64_t busy_ps =
      longer(ici_ps, pipelined(spec, cost.hbm_ps, core_ps, cost.hbm_bytes));
  cost.duration_ps = plus(busy_ps, spec->op_overhead_ps);
  cost.bound = bound_of(&cost, ici_ps, spec->op_overhead_ps);
  return cost;
}

chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work) {
  return cost_of(spec, work, 0);
}

typedef struct question_t {
  const chip_spec_t *spec;
  const torus_t *torus;
  const chip_program_t *program;
  const chip_instruction_t *instruction;
} question_t;

// How far the first group of a collective reaches: what its links and hops follow from.
typedef struct reach_t {
  int64_t group_size;
  int64_t links;  // That one chip can send over at once.
  int64_t hops;   // To the farthest member.
} reach_t;

static reach_t reach_of(const torus_t *torus, const int64_t *members, int64_t count) {
  reach_t reach = {.group_size = count};
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    int32_t low = INT32_MAX;
    int32_t high = 0;
    for (int64_t i = 0; i < count; i++) {
      const int32_t at = torus_coords(torus, (int32_t)members[i]).at[d];
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    const int32_t extent = high - low + 1;
    const bool is_ring = torus->wraps[d] && extent == torus->size[d] && extent > 2;
    reach.links += extent < 2 ? 0 : (is_ring ? 2 : 1);
    reach.hops += extent < 2 ? 0 : (is_ring ? extent / 2 : extent - 1);
  }
  return reach;
}

// What one chip sends, by the lower bounds of Thakur, Rabenseifner and Gropp 2005,
// "Optimization of Collective Communication Operations in MPICH".
// The links carry the elements, not the padding of their tiles.
static int64_t sent_bytes(const question_t *q, int64_t group_size) {
  int64_t in = 0;
  for (int i = 0; i < q->instruction->operand_count; i++) {
    in = plus(in, tensor_shape_bytes(operand_shape(q->program, q->instruction, i)));
  }
  const int64_t others = group_size - 1;
  switch (q->instruction->op) {
    case CHIP_OP_ALL_REDUCE:
      return times(times(2, in / group_size), others);
    case CHIP_OP_ALL_GATHER:
      return times(in, others);
    case CHIP_OP_COLLECTIVE_PERMUTE:
      return in;
    default:
      return times(in / group_size, others);
  }
}

static reach_t permute_reach(const torus_t *torus, const int64_t *pairs, int32_t count) {
  reach_t reach = {.group_size = 2, .links = 1};
  for (int32_t i = 0; i + 1 < count; i += 2) {
    const int64_t hops = torus_distance(torus, (int32_t)pairs[i], (int32_t)pairs[i + 1]);
    reach.hops = hops > reach.hops ? hops : reach.hops;
  }
  return reach;
}

static chip_cost_t cost_collective(const question_t *q) {
  int32_t count;
  reach_t reach;
  if (q->instruction->op == CHIP_OP_COLLECTIVE_PERMUTE) {
    const int64_t *pairs =
        chip_instruction_attr(q->instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &count);
    reach = permute_reach(q->torus, pairs, count);
  } else {
    const int64_t *ids =
        chip_instruction_attr(q->instruction, CHIP_ATTR_REPLICA_GROUPS, &count);
    const int64_t size =
        chip_instruction_attr_one(q->instruction, CHIP_ATTR_GROUP_SIZE, count);
    reach = reach_of(q->torus, ids, size < count ? size : count);
  }
  const chip_work_t work = chip_instruction_work(q->spec, q->program, q->instruction);
  int64_t ici_bytes = 0;
  int64_t ici_ps = 0;
  if (reach.group_size > 1 && reach.hops > 0) {
    ici_bytes = sent_bytes(q, reach.group_size);
    ici_ps = plus(
        picoseconds((double)ici_bytes / (double)reach.links, q->spec->ici_bytes_per_s),
        plus(times(reach.hops, q->spec->ici_hop_ps), q->spec->collective_startup_ps));
  }
  chip_cost_t cost = cost_of(q->spec, &work, ici_ps);
  cost.ici_bytes = ici_bytes;
  return cost;
}

static const char *const cost_column[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = "none",
#define OPERATION(id, name, syntax, shape, factors, kernel, cost) [CHIP_OP_##id] = #cost,
#include "server/chip/operations.def"
#undef OPERATION
};

chip_cost_t chip_instruction_cost(const chip_spec_t *spec, const torus_t *torus,
                                  const chip_program_t *program,
                                  const chip_instruction_t *instruction) {
  if (chip_op_is_collective(instruction->op)) {
    const question_t question = {spec, torus, program, instruction};
    return cost_collective(&question);
  }
  if (strcmp(cost_column[instruction->op], "none") == 0) {
    return (chip_cost_t){0};
  }
  const chip_work_t work = chip_instruction_work(spec, program, instruction);
  return chip_work_cost(spec, &work);
}

const char *chip_bound_name(chip_bound_t bound) {
  static const char *const names[] = {"none", "MXU", "VPU", "HBM", "ICI", "fixed"};
  return (unsigned)bound <= CHIP_BOUND_FIXED ? names[bound] : names[CHIP_BOUND_NONE];
}
