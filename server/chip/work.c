// Work by the cost column of an operation's row: a function per word. Operation counts
// are exact sums over shapes; what a function costs on the VPU is the length of its
// expansion.

#include "server/chip/work.h"

#include "common/tensor/tiles.h"
#include "server/chip/product.h"

// A reduction within a register halves what is left step by step: 128 lanes, 8 sublanes.
enum { LANE_STEPS = 7, SUBLANE_STEPS = 3 };

// What 64 bits and f64 cost in operations on 32-bit lanes: carries and partial products;
// sums and products of several f32.
enum { WIDE_INTEGER_OPS = 4, WIDE_FLOAT_OPS = 20 };

int64_t chip_work_times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t chip_work_plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t times(int64_t a, int64_t b) {
  return chip_work_times(a, b);
}

static int64_t plus(int64_t a, int64_t b) {
  return chip_work_plus(a, b);
}

typedef struct question_t {
  const chip_spec_t *spec;
  const chip_program_t *program;
  const chip_instruction_t *instruction;
  int64_t epilogue_bytes;  // That a product reads beside its result.
} question_t;

static const tensor_shape_t *operand_shape(const question_t *q, int i) {
  return &q->program->buffers[q->instruction->operands[i]].shape;
}

static const tensor_shape_t *result_shape(const question_t *q, int i) {
  return &q->program->buffers[q->instruction->results[i]].shape;
}

static int64_t operand_bytes(const question_t *q) {
  int64_t bytes = 0;
  for (int i = 0; i < q->instruction->operand_count; i++) {
    bytes = plus(bytes, tensor_tiled_bytes(operand_shape(q, i)));
  }
  return bytes;
}

static int64_t result_bytes(const question_t *q) {
  int64_t bytes = 0;
  for (int i = 0; i < q->instruction->result_count; i++) {
    bytes = plus(bytes, tensor_tiled_bytes(result_shape(q, i)));
  }
  return bytes;
}

static chip_work_t work_none(const question_t *q) {
  (void)q;
  return (chip_work_t){0};
}

// All operands in, all results out.
static chip_work_t traffic(const question_t *q) {
  return (chip_work_t){.hbm_read_bytes = operand_bytes(q),
                       .hbm_written_bytes = result_bytes(q)};
}

static const struct {
  uint8_t float_ops, whole_ops;
} lane_ops[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = {float_ops, whole_ops},
#include "server/program/operations.def"
#undef OPERATION
};

int64_t chip_lane_ops(chip_op_t op, tensor_dtype_t dtype) {
  const bool is_wide = tensor_dtype_device_bits(dtype) > 32;
  return tensor_dtype_is_integer(dtype)
             ? lane_ops[op].whole_ops * (is_wide ? WIDE_INTEGER_OPS : 1)
             : lane_ops[op].float_ops * (is_wide ? WIDE_FLOAT_OPS : 1);
}

static chip_work_t work_elementwise(const question_t *q) {
  const tensor_shape_t *shape = result_shape(q, 0);
  chip_work_t work = traffic(q);
  work.vpu_op = times(tensor_shape_elements(shape),
                      chip_lane_ops(q->instruction->op, shape->dtype));
  return work;
}

static chip_work_t work_transcendental(const question_t *q) {
  return work_elementwise(q);
}

// What is not used of the operands (slices) is not read, what is used often (broadcasts)
// is read once.
static chip_work_t work_movement(const question_t *q) {
  chip_work_t work = traffic(q);
  if (work.hbm_read_bytes > work.hbm_written_bytes) {
    work.hbm_read_bytes = work.hbm_written_bytes;
  }
  return work;
}

// In place: only the update is read and written.
static chip_work_t work_update(const question_t *q) {
  const int64_t update = tensor_tiled_bytes(operand_shape(q, 1));
  return (chip_work_t){.hbm_read_bytes = update, .hbm_written_bytes = update};
}

// In place, too: what lies where the updates go is read, and they are written there. The
// indices are the operand between the arrays and their updates.
static chip_work_t work_scatter(const question_t *q) {
  const int arrays = q->instruction->result_count;
  chip_work_t work = {.hbm_read_bytes = tensor_tiled_bytes(operand_shape(q, arrays))};
  for (int i = 0; i < arrays; i++) {
    const int64_t array = tensor_tiled_bytes(result_shape(q, i));
    const int64_t update = tensor_tiled_bytes(operand_shape(q, arrays + 1 + i));
    const int64_t touched = update < array ? update : array;
    work.hbm_read_bytes = plus(work.hbm_read_bytes, plus(update, touched));
    work.hbm_written_bytes = plus(work.hbm_written_bytes, touched);
  }
  return work;
}

// Registers are added up first, element by element. Then what a register holds of one
// sum: along its lanes when the last dimension is reduced, along its sublanes when the
// one before is.
static chip_work_t work_reduce(const question_t *q) {
  chip_work_t work = traffic(q);
  int32_t count;
  const int64_t *dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_DIMENSIONS, &count);
  for (int i = 0; i < q->instruction->result_count; i++) {
    const tensor_shape_t *in = operand_shape(q, i);
    const int64_t sums = tensor_shape_elements(result_shape(q, i));
    int64_t ops = tensor_shape_elements(in);
    for (int32_t d = 0; d < count; d++) {
      if (dims[d] == in->rank - 1) {
        ops = plus(ops, times(sums, (int64_t)TENSOR_LANES * LANE_STEPS));
      } else if (dims[d] == in->rank - 2) {
        ops = plus(ops, times(sums, (int64_t)TENSOR_SUBLANES * SUBLANE_STEPS));
      }
    }
    const bool is_wide = tensor_dtype_device_bits(in->dtype) > 32;
    work.vpu_op = plus(work.vpu_op, times(ops, is_wide ? WIDE_INTEGER_OPS : 1));
  }
  return work;
}

static chip_work_t work_collective(const question_t *q) {
  return traffic(q);
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
  const tensor_shape_t *lhs = operand_shape(q, 0);
  const tensor_shape_t *rhs = operand_shape(q, 1);
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
      times(e->m > size ? round_up(e->m, TENSOR_SUBLANES) : size, round_up(e->n, size));
  const int64_t n_streams =
      times(e->n > size ? round_up(e->n, TENSOR_SUBLANES) : size, round_up(e->m, size));
  const int64_t area = m_streams < n_streams ? m_streams : n_streams;
  return times(times(times(2, e->batch), area), round_up(e->k, size));
}

// The peak at which the MXU multiplies this operand; 0: none, the VPU must. What has no
// rate of its own is converted to bf16 on the way.
static double mxu_rate(const chip_spec_t *spec, tensor_dtype_t dtype) {
  if (tensor_dtype_is_integer(dtype)) {
    const double own =
        spec->int8_op_per_s > 0 ? spec->int8_op_per_s : spec->bf16_flop_per_s;
    return tensor_dtype_bytes(dtype) == 1 ? own : 0;
  }
  const bool is_fp8 = dtype == TENSOR_F8E4M3FN || dtype == TENSOR_F8E5M2;
  if (is_fp8 && spec->fp8_flop_per_s > 0) {
    return spec->fp8_flop_per_s;
  }
  return tensor_dtype_is_float(dtype) && dtype != TENSOR_F64 ? spec->bf16_flop_per_s : 0;
}

// The busy time in units of bf16 products: as much less as the rate is more.
static int64_t at_bf16_rate(const chip_spec_t *spec, int64_t flop, double rate) {
  if (rate == spec->bf16_flop_per_s) {
    return flop;
  }
  const double scaled = (double)flop * (spec->bf16_flop_per_s / rate);
  return scaled < 9e18 ? (int64_t)scaled : INT64_MAX;
}

int64_t chip_mxu_busy_flop(const chip_spec_t *spec, const chip_mxu_product_t *product) {
  const double left = mxu_rate(spec, product->lhs);
  const double right = mxu_rate(spec, product->rhs);
  if (left == 0 || right == 0) {
    return 0;
  }
  const extents_t e = {product->batch, product->m, product->n, product->k};
  return at_bf16_rate(spec, times(padded_flop(&e, spec->mxu_size), product->passes),
                      left < right ? left : right);
}

static double element_bytes(const tensor_shape_t *shape) {
  return (double)tensor_dtype_device_bits(shape->dtype) / 8;
}

static void choose_tile(const question_t *q, const extents_t *e, chip_work_t *work) {
  const int64_t elements = tensor_shape_elements(result_shape(q, 0));
  const chip_product_t product = {
      .batch = e->batch,
      .m = e->m,
      .n = e->n,
      .k = e->k,
      .left_bytes = element_bytes(operand_shape(q, 0)),
      .right_bytes = element_bytes(operand_shape(q, 1)),
      .result_bytes = element_bytes(result_shape(q, 0)),
      .epilogue_bytes = (double)q->epilogue_bytes / (double)elements,
      .busy_flop = work->mxu_busy_flop};
  const chip_tile_t tile = chip_product_tile(q->spec, &product);
  work->tile_steps = tile.steps;
  work->first_bytes = tile.first_bytes;
  work->last_bytes = tile.last_bytes;
  work->result_tiles = tile.results;
  work->epilogue_bytes = q->epilogue_bytes;
}

static chip_work_t work_product(const question_t *q, extents_t e) {
  const tensor_dtype_t dtype = operand_shape(q, 0)->dtype;
  const int64_t flop = times(times(times(2, e.batch), times(e.m, e.n)), e.k);
  chip_work_t work = traffic(q);
  const double left = mxu_rate(q->spec, dtype);
  const double right = mxu_rate(q->spec, operand_shape(q, 1)->dtype);
  if (left == 0 || right == 0) {
    work.vpu_op = flop;
    return work;
  }
  work.mxu_flop = flop;
  if (e.m <= 1 || e.n <= 1) {  // XLA makes a multiply and a reduce of a matvec.
    work.vpu_op = flop;
    return work;
  }
  if (flop > 0) {
    const int64_t padded =
        times(padded_flop(&e, q->spec->mxu_size), mxu_passes(q->instruction, dtype));
    work.mxu_busy_flop = at_bf16_rate(q->spec, padded, left < right ? left : right);
    choose_tile(q, &e, &work);
  }
  return work;
}

static chip_work_t work_dot_general(const question_t *q) {
  return work_product(q, extents_of(q));
}

// A product of the windows' contents with the kernel, group by group.
static chip_work_t work_convolution(const question_t *q) {
  const tensor_shape_t *kernel = operand_shape(q, 1);
  const int64_t groups =
      times(chip_instruction_attr_one(q->instruction, CHIP_ATTR_FEATURE_GROUP_COUNT, 1),
            chip_instruction_attr_one(q->instruction, CHIP_ATTR_BATCH_GROUP_COUNT, 1));
  int32_t count;
  const int64_t *dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_KERNEL_DIMS, &count);
  const int64_t features = count < 2 ? 0 : kernel->dims[dims[1]];
  extents_t e = {.batch = groups};
  if (groups > 0 && features > 0) {
    e.m = tensor_shape_elements(result_shape(q, 0)) / features;
    e.n = features / groups;
    e.k = tensor_shape_elements(kernel) / features;
  }
  return work_product(q, e);
}

// --- Decompositions ---
//
// Operations by the textbook (Golub and Van Loan, Matrix Computations, 4th edition; those
// of complex numbers count four times). How they are spread is that of XLA's expansions
// (xla/hlo/transforms/expanders: qr_expander, eigh_expander) and of JAX's blocked LU: a
// loop over the columns of a panel of PANEL, or over the rounds of Jacobi's method, whose
// turns wait for one another, and products on the MXU between panels. So the predicted
// time is mostly that of the turns: each is some operations of the device one after the
// other, which cost what a kernel in a loop does (kernel_ps, loop_turn_ps), because the
// vectors that they work on are short. Matrices of a batch go through the same turns
// together.

enum {
  PANEL = 128,         // Columns, as XLA's QrExpander has them.
  STEPS_A_COLUMN = 4,  // Pivot or norm, scaling, product with the panel, update.
  STEPS_A_ROUND = 3,   // Angles, rotated columns, rotated rows.
  JACOBI_SWEEPS = 8,   // Until f32 is diagonal, of some hundred rows.
  COMPLEX_OPS = 4,
  PASSES_HIGHEST =
      6,  // Of the MXU for f32: decompositions ask for the highest precision.
};

typedef struct matrices_t {
  int64_t count, rows, columns, least;
  int64_t factor;  // What complex numbers cost more.
} matrices_t;

static matrices_t matrices_of(const question_t *q) {
  const tensor_shape_t *a = operand_shape(q, 0);
  matrices_t m = {.count = 1,
                  .rows = a->dims[a->rank - 2],
                  .columns = a->dims[a->rank - 1],
                  .factor = tensor_dtype_is_complex(a->dtype) ? COMPLEX_OPS : 1};
  for (int d = 0; d < a->rank - 2; d++) {
    m.count = times(m.count, a->dims[d]);
  }
  m.least = m.rows < m.columns ? m.rows : m.columns;
  return m;
}

// `flop` a matrix, of which panels take the part of PANEL in `least` on the VPU, and
// products the rest; `steps` turns of the loop.
static chip_work_t work_panels(const question_t *q, const matrices_t *m, double flop,
                               int64_t steps) {
  chip_work_t work = traffic(q);
  const double all = flop * (double)m->count * (double)m->factor;
  const double part = m->least > PANEL ? (double)PANEL / (double)m->least : 1;
  work.vpu_op = all * part < 9e18 ? (int64_t)(all * part) : INT64_MAX;
  work.serial_steps = m->count > 0 ? steps : 0;
  const bool is_wide =
      tensor_dtype_device_bits(operand_shape(q, 0)->dtype) / (m->factor > 1 ? 2 : 1) > 32;
  const double rest = all * (1 - part);
  if (is_wide) {  // The MXU has no f64.
    work.vpu_op =
        times(plus(work.vpu_op, rest < 9e18 ? (int64_t)rest : INT64_MAX), WIDE_FLOAT_OPS);
    return work;
  }
  work.mxu_flop = rest < 9e18 ? (int64_t)rest : INT64_MAX;
  work.mxu_busy_flop = times(work.mxu_flop, PASSES_HIGHEST);
  return work;
}

// 2 n² (m - n/3), 5.2.2; with m and n exchanged where the matrix is wide, whose columns
// behind are brought up to date.
static chip_work_t work_qr(const question_t *q) {
  const matrices_t m = matrices_of(q);
  const double n = (double)m.least, most = (double)(m.rows + m.columns) - n;
  return work_panels(q, &m, 2 * n * n * (most - n / 3), times(m.least, STEPS_A_COLUMN));
}

// 4 (m n k - (m + n) k²/2 + k³/3), 5.1.6: a panel of reflectors at a time.
static chip_work_t work_householder_product(const question_t *q) {
  const matrices_t m = matrices_of(q);
  const tensor_shape_t *taus = operand_shape(q, 1);
  const double rows = (double)m.rows, n = (double)m.columns;
  const double k = (double)taus->dims[taus->rank - 1];
  return work_panels(q, &m, 4 * (rows * n * k - (rows + n) * k * k / 2 + k * k * k / 3),
                     times((m.least + PANEL - 1) / PANEL, STEPS_A_COLUMN));
}

// n² (m - n/3), 3.2.10: 2 n³/3 of square ones.
static chip_work_t work_lu(const question_t *q) {
  const matrices_t m = matrices_of(q);
  const double n = (double)m.least, most = (double)(m.rows + m.columns) - n;
  return work_panels(q, &m, n * n * (most - n / 3), times(m.least, STEPS_A_COLUMN));
}

// A sweep of Jacobi's method is 6 n³ (8.5.3) with the vectors; n - 1 rounds of n/2
// rotations that do not touch one another (8.5.4), all on the VPU.
static chip_work_t work_eigh(const question_t *q) {
  const matrices_t m = matrices_of(q);
  const double n = (double)m.columns;
  const int64_t rounds = m.columns > 1 ? times(m.columns - 1, JACOBI_SWEEPS) : 0;
  chip_work_t work =
      work_panels(q, &m, JACOBI_SWEEPS * 6 * n * n * n, times(rounds, STEPS_A_ROUND));
  work.vpu_op = plus(work.vpu_op, work.mxu_flop);
  work.mxu_flop = work.mxu_busy_flop = 0;
  return work;
}

// The compiler has followed the kernel through its grid.
static chip_work_t work_kernel(const question_t *q) {
  int32_t count;
  const int64_t *work =
      chip_instruction_attr(q->instruction, CHIP_ATTR_KERNEL_WORK, &count);
  if (count != CHIP_KERNEL_WORK_COUNT) {
    return traffic(q);
  }
  return (chip_work_t){.mxu_flop = work[CHIP_KERNEL_MXU_FLOP],
                       .mxu_busy_flop = work[CHIP_KERNEL_MXU_BUSY_FLOP],
                       .vpu_op = work[CHIP_KERNEL_VPU_OP],
                       .hbm_read_bytes = work[CHIP_KERNEL_HBM_READ_BYTES],
                       .hbm_written_bytes = work[CHIP_KERNEL_HBM_WRITTEN_BYTES],
                       .vmem_bytes = work[CHIP_KERNEL_VMEM_BYTES],
                       .grid_steps = work[CHIP_KERNEL_GRID_STEPS],
                       .grid_ps = work[CHIP_KERNEL_GRID_PS]};
}

// The array goes through HBM; the token beside it is no data.
static chip_work_t work_host(const question_t *q) {
  const bool is_send = q->instruction->op == CHIP_OP_HOST_SEND;
  const tensor_shape_t *array = is_send ? operand_shape(q, 0) : result_shape(q, 0);
  const int64_t bytes = tensor_tiled_bytes(array);
  return (chip_work_t){.host_bytes = tensor_shape_bytes(array),
                       .hbm_read_bytes = is_send ? bytes : 0,
                       .hbm_written_bytes = is_send ? 0 : bytes};
}

// All of an array moves, in the tiles in which it lies on both sides.
static chip_work_t work_transfer(const question_t *q) {
  const bool is_to_host = q->instruction->op == CHIP_OP_TO_HOST;
  const int64_t bytes = tensor_tiled_bytes(result_shape(q, 0));
  return (chip_work_t){.host_bytes = bytes,
                       .hbm_read_bytes = is_to_host ? bytes : 0,
                       .hbm_written_bytes = is_to_host ? 0 : bytes};
}

typedef chip_work_t (*work_fn_t)(const question_t *q);

static const work_fn_t rules[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = work_none,
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = work_##cost,
#include "server/program/operations.def"
#undef OPERATION
};

chip_work_t chip_instruction_work(const chip_spec_t *spec, const chip_program_t *program,
                                  const chip_instruction_t *instruction) {
  return chip_instruction_work_beside(spec, program, instruction, 0);
}

chip_work_t chip_instruction_work_beside(const chip_spec_t *spec,
                                         const chip_program_t *program,
                                         const chip_instruction_t *instruction,
                                         int64_t epilogue_bytes) {
  const question_t question = {spec, program, instruction, epilogue_bytes};
  return rules[instruction->op](&question);
}
