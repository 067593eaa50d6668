#include "server/chip/cost.h"

#include <math.h>

#include "server/chip/layout.h"

// One VPU operation per element is exact for arithmetic. A transcendental function is a
// range reduction and a polynomial: about a dozen operations.
enum { TRANSCENDENTAL_VPU_OPS = 12 };

#define PS_PER_S 1e12

// All counts saturate: a program may name shapes whose work exceeds int64.
static int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t picoseconds(double work, double rate_per_s) {
  const double time_ps = work / rate_per_s * PS_PER_S;
  return time_ps < 9e18 ? (int64_t)ceil(time_ps) : INT64_MAX;
}

static const tensor_shape_t *operand_shape(const chip_program_t *program,
                                           const chip_instruction_t *instruction, int i) {
  return &program->buffers[instruction->operands[i]].shape;
}

static const tensor_shape_t *result_shape(const chip_program_t *program,
                                          const chip_instruction_t *instruction, int i) {
  return &program->buffers[instruction->results[i]].shape;
}

static int64_t operand_bytes(const chip_program_t *program,
                             const chip_instruction_t *instruction) {
  int64_t bytes = 0;
  for (int i = 0; i < instruction->operand_count; i++) {
    bytes = plus(bytes, chip_layout_bytes(operand_shape(program, instruction, i)));
  }
  return bytes;
}

static int64_t result_bytes(const chip_program_t *program,
                            const chip_instruction_t *instruction) {
  int64_t bytes = 0;
  for (int i = 0; i < instruction->result_count; i++) {
    bytes = plus(bytes, chip_layout_bytes(result_shape(program, instruction, i)));
  }
  return bytes;
}

// The longest of the engines' times decides; the fixed cost comes on top.
static chip_cost_t roofline(const chip_spec_t *spec, chip_cost_t cost, int64_t mxu_ps,
                            int64_t ici_ps) {
  const int64_t times_ps[] = {
      [CHIP_BOUND_MXU] = mxu_ps,
      [CHIP_BOUND_VPU] = picoseconds((double)cost.vpu_op, spec->vpu_op_per_s),
      [CHIP_BOUND_HBM] =
          picoseconds((double)cost.hbm_bytes, spec->hbm_bytes_per_s * spec->hbm_fraction),
      [CHIP_BOUND_ICI] = ici_ps,
      [CHIP_BOUND_FIXED] = spec->op_overhead_ps,
  };
  int64_t longest_ps = 0;
  for (int bound = CHIP_BOUND_MXU; bound <= CHIP_BOUND_ICI; bound++) {
    longest_ps = times_ps[bound] > longest_ps ? times_ps[bound] : longest_ps;
  }
  cost.bound = CHIP_BOUND_FIXED;
  for (int bound = CHIP_BOUND_FIXED; bound >= CHIP_BOUND_MXU; bound--) {
    if (times_ps[bound] >= times_ps[cost.bound]) {
      cost.bound = (chip_bound_t)bound;
    }
  }
  cost.duration_ps = plus(longest_ps, spec->op_overhead_ps);
  cost.mxu_ps = mxu_ps;
  cost.vpu_ps = times_ps[CHIP_BOUND_VPU];
  cost.hbm_ps = times_ps[CHIP_BOUND_HBM];
  return cost;
}

chip_cost_t chip_work_cost(const chip_spec_t *spec, const chip_work_t *work) {
  const chip_cost_t cost = {
      .mxu_flop = work->mxu_flop,
      .vpu_op = work->vpu_op,
      .hbm_bytes = plus(work->hbm_read_bytes, work->hbm_written_bytes),
  };
  return roofline(spec, cost,
                  picoseconds((double)work->mxu_busy_flop,
                              spec->bf16_flop_per_s * spec->mxu_fraction),
                  0);
}

typedef struct question_t {
  const chip_spec_t *spec;
  const torus_t *torus;
  const chip_program_t *program;
  const chip_instruction_t *instruction;
} question_t;

static chip_cost_t cost_none(const question_t *q) {
  (void)q;
  return (chip_cost_t){0};
}

static chip_cost_t elementwise(const question_t *q, int64_t vpu_ops_per_element) {
  const int64_t elements =
      tensor_shape_elements(result_shape(q->program, q->instruction, 0));
  const chip_cost_t cost = {
      .vpu_op = times(elements, vpu_ops_per_element),
      .hbm_bytes = plus(operand_bytes(q->program, q->instruction),
                        result_bytes(q->program, q->instruction)),
  };
  return roofline(q->spec, cost, 0, 0);
}

static chip_cost_t cost_elementwise(const question_t *q) {
  return elementwise(q, 1);
}

static chip_cost_t cost_transcendental(const question_t *q) {
  return elementwise(q, TRANSCENDENTAL_VPU_OPS);
}

// What is not used of the operands (slices) is not read, what is used often (broadcasts)
// is read once.
static chip_cost_t cost_movement(const question_t *q) {
  const int64_t in = operand_bytes(q->program, q->instruction);
  const int64_t out = result_bytes(q->program, q->instruction);
  const chip_cost_t cost = {.hbm_bytes = plus(in < out ? in : out, out)};
  return roofline(q->spec, cost, 0, 0);
}

// In place: only the update is read and written.
static chip_cost_t cost_update(const question_t *q) {
  const int64_t update = chip_layout_bytes(operand_shape(q->program, q->instruction, 1));
  return roofline(q->spec, (chip_cost_t){.hbm_bytes = times(2, update)}, 0, 0);
}

static chip_cost_t cost_reduce(const question_t *q) {
  int64_t elements = 0;
  for (int i = 0; i < q->instruction->result_count; i++) {
    const tensor_shape_t *in = operand_shape(q->program, q->instruction, i);
    elements = plus(elements, tensor_shape_elements(in));
  }
  const chip_cost_t cost = {
      .vpu_op = elements,
      .hbm_bytes = plus(operand_bytes(q->program, q->instruction),
                        result_bytes(q->program, q->instruction)),
  };
  return roofline(q->spec, cost, 0, 0);
}

// How many bf16 passes an f32 product takes: 1, 3 or 6 by its precision
// (jax.lax.Precision on TPU). bf16 operands need one.
static int64_t mxu_passes(const chip_instruction_t *instruction, tensor_dtype_t dtype) {
  if (dtype != TENSOR_F32) {
    return 1;
  }
  int32_t count;
  const int64_t *precision =
      chip_instruction_attr(instruction, CHIP_ATTR_PRECISION, &count);
  int64_t highest = CHIP_PRECISION_DEFAULT;
  for (int32_t i = 0; i < count; i++) {
    highest = precision[i] > highest ? precision[i] : highest;
  }
  static const int64_t passes[] = {[CHIP_PRECISION_DEFAULT] = 1,
                                   [CHIP_PRECISION_HIGH] = 3,
                                   [CHIP_PRECISION_HIGHEST] = 6};
  return highest <= CHIP_PRECISION_HIGHEST ? passes[highest] : 6;
}

// The extents of a product: batch · m · n · k.
typedef struct extents_t {
  int64_t batch, m, n, k;
} extents_t;

static int64_t product_of_dims(const tensor_shape_t *shape, const int64_t *dims,
                               int32_t count) {
  int64_t product = 1;
  for (int32_t i = 0; i < count; i++) {
    product = times(product, shape->dims[dims[i]]);
  }
  return product;
}

static extents_t extents_of(const question_t *q) {
  const tensor_shape_t *lhs = operand_shape(q->program, q->instruction, 0);
  const tensor_shape_t *rhs = operand_shape(q->program, q->instruction, 1);
  int32_t batching, contracting;
  const int64_t *batch_dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, &batching);
  const int64_t *k_dims = chip_instruction_attr(
      q->instruction, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, &contracting);
  extents_t e = {.batch = product_of_dims(lhs, batch_dims, batching),
                 .k = product_of_dims(lhs, k_dims, contracting)};
  const int64_t shared = times(e.batch, e.k);
  e.m = shared == 0 ? 0 : tensor_shape_elements(lhs) / shared;
  e.n = shared == 0 ? 0 : tensor_shape_elements(rhs) / shared;
  return e;
}

static int64_t round_up(int64_t value, int64_t unit) {
  return plus(value, unit - 1) / unit * unit;
}

// What the array is busy for: k and one of m and n are padded to its size, because they
// lie along its rows and columns. The other one streams through; loading the next tile
// hides behind it only when it is as long as the array, so it counts at least that much.
// The compiler streams what is cheaper.
static int64_t padded_flop(const extents_t *e, int64_t size) {
  const int64_t m_streams =
      times(e->m > size ? round_up(e->m, CHIP_SUBLANES) : size, round_up(e->n, size));
  const int64_t n_streams =
      times(e->n > size ? round_up(e->n, CHIP_SUBLANES) : size, round_up(e->m, size));
  const int64_t area = m_streams < n_streams ? m_streams : n_streams;
  return times(times(times(2, e->batch), area), round_up(e->k, size));
}

static chip_cost_t cost_dot_general(const question_t *q) {
  const tensor_dtype_t dtype = operand_shape(q->program, q->instruction, 0)->dtype;
  const extents_t e = extents_of(q);
  const int64_t flop = times(times(times(2, e.batch), times(e.m, e.n)), e.k);
  chip_cost_t cost = {.hbm_bytes = plus(operand_bytes(q->program, q->instruction),
                                        result_bytes(q->program, q->instruction))};
  const bool is_int8 = tensor_dtype_bytes(dtype) == 1 && tensor_dtype_is_integer(dtype);
  const bool is_mxu = is_int8 || (tensor_dtype_is_float(dtype) && dtype != TENSOR_F64);
  if (!is_mxu) {  // The MXU cannot multiply these; the lanes of the VPU do.
    cost.vpu_op = flop;
    return roofline(q->spec, cost, 0, 0);
  }
  cost.mxu_flop = flop;
  const chip_spec_t *spec = q->spec;
  const double peak =
      is_int8 && spec->int8_op_per_s > 0 ? spec->int8_op_per_s : spec->bf16_flop_per_s;
  const double work = flop == 0 ? 0
                                : (double)padded_flop(&e, spec->mxu_size) *
                                      (double)mxu_passes(q->instruction, dtype);
  return roofline(spec, cost, picoseconds(work, peak * spec->mxu_fraction), 0);
}

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
  chip_cost_t cost = {.hbm_bytes = plus(operand_bytes(q->program, q->instruction),
                                        result_bytes(q->program, q->instruction))};
  int64_t ici_ps = 0;
  if (reach.group_size > 1 && reach.hops > 0) {
    cost.ici_bytes = sent_bytes(q, reach.group_size);
    ici_ps = plus(
        picoseconds((double)cost.ici_bytes / (double)reach.links,
                    q->spec->ici_bytes_per_s),
        plus(times(reach.hops, q->spec->ici_hop_ps), q->spec->collective_startup_ps));
  }
  return roofline(q->spec, cost, 0, ici_ps);
}

typedef chip_cost_t (*cost_fn_t)(const question_t *q);

static const cost_fn_t rules[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = cost_none,
#define OPERATION(id, name, syntax, shape, factors, kernel, cost) \
  [CHIP_OP_##id] = cost_##cost,
#include "server/chip/operations.def"
#undef OPERATION
};

chip_cost_t chip_instruction_cost(const chip_spec_t *spec, const torus_t *torus,
                                  const chip_program_t *program,
                                  const chip_instruction_t *instruction) {
  const question_t question = {spec, torus, program, instruction};
  return rules[instruction->op](&question);
}

const char *chip_bound_name(chip_bound_t bound) {
  static const char *const names[] = {"none", "MXU", "VPU", "HBM", "ICI", "fixed"};
  return (unsigned)bound <= CHIP_BOUND_FIXED ? names[bound] : names[CHIP_BOUND_NONE];
}
