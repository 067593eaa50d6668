// What the operations of a kernel's body demand of the core: vectors lie in registers of
// 8 x 128 lanes, the last two dimensions padded to them.

#include <math.h>
#include <string.h>

#include "common/tensor/tiles.h"
#include "server/chip/work.h"
#include "server/compiler/pallas/code.h"

// As server/chip/work.c counts reductions within a register.
enum { LANE_STEPS = 7, SUBLANE_STEPS = 3 };

static const struct {
  const char *name;
  kernel_kind_t kind;
  chip_op_t lanes;
} rows[KERNEL_OP_COUNT] = {
#define KERNEL_OP(id, op_name, kind, lanes) \
  [KERNEL_OP_##id] = {op_name, KERNEL_KIND_##kind, CHIP_OP_##lanes},
#include "server/compiler/pallas/kernel_ops.def"
#undef KERNEL_OP
};

int kernel_op_of(const char *name) {
  static const char dialect[] = "stable_mosaic.";
  if (strncmp(name, dialect, strlen(dialect)) == 0) {
    name += strlen(dialect);
  }
  for (int i = KERNEL_OP_UNKNOWN + 1; i < KERNEL_OP_COUNT; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return i;
    }
  }
  return KERNEL_OP_UNKNOWN;
}

kernel_kind_t kernel_kind_of(int op) {
  return rows[op].kind;
}

static int64_t round_up(int64_t value, int64_t unit) {
  return chip_work_plus(value, unit - 1) / unit * unit;
}

// Lanes that a vector occupies, in whole registers.
static int64_t lanes_of(const tensor_shape_t *shape) {
  int64_t lanes = 1;
  for (int d = 0; d < shape->rank; d++) {
    const int behind = shape->rank - 1 - d;
    const int64_t unit = behind == 0 ? TENSOR_LANES : behind == 1 ? TENSOR_SUBLANES : 1;
    lanes = chip_work_times(lanes, round_up(shape->dims[d], unit));
  }
  return shape->rank == 0   ? 0
         : shape->rank == 1 ? chip_work_times(lanes, TENSOR_SUBLANES)
                            : lanes;
}

static bool vector_of(const mlir_value_t *value, tensor_shape_t *out_shape) {
  return kernel_is_vector(value->type) && kernel_shape_of(value->type, out_shape);
}

static bool is_used(const mlir_op_t *op, const uint32_t *use_counts) {
  for (int i = 0; i < op->result_count; i++) {
    if (use_counts[op->results[i].id] > 0) {
      return true;
    }
  }
  return op->result_count == 0;
}

// --- One kind after the other ---

static chip_grid_step_t lanes_work(const mlir_op_t *op) {
  tensor_shape_t shape;
  if (op->result_count == 0 || !vector_of(&op->results[0], &shape)) {
    return (chip_grid_step_t){0};
  }
  const chip_op_t lanes = rows[op->kind].lanes;
  const int64_t ops = lanes == CHIP_OP_INVALID ? 1 : chip_lane_ops(lanes, shape.dtype);
  return (chip_grid_step_t){.vpu_op = chip_work_times(lanes_of(&shape), ops)};
}

// Registers are added up first; then what is left of each sum within one.
static chip_grid_step_t reduction_work(const mlir_op_t *op) {
  tensor_shape_t from, to;
  if (op->operand_count == 0 || op->result_count == 0 ||
      !vector_of(op->operands[0], &from)) {
    return (chip_grid_step_t){0};
  }
  const bool is_vector = vector_of(&op->results[0], &to);
  const int64_t sums = is_vector ? tensor_shape_elements(&to) : 1;
  int64_t ops = lanes_of(&from);
  const mlir_attr_t *dims = mlir_op_attr(op, "reduction_dims");
  for (int64_t i = 0; mlir_attr_is(dims, MLIR_ATTR_DENSE_ARRAY) && i < dims->count; i++) {
    const int64_t behind = from.rank - 1 - dims->integers[i];
    const int64_t steps = behind == 0   ? (int64_t)TENSOR_LANES * LANE_STEPS
                          : behind == 1 ? (int64_t)TENSOR_SUBLANES * SUBLANE_STEPS
                                        : 0;
    ops = chip_work_plus(ops, chip_work_times(sums, steps));
  }
  return (chip_grid_step_t){
      .vpu_op = ops, .blocks = lanes_of(&from) / ((int64_t)TENSOR_LANES * TENSOR_LANES)};
}

// [batch, m, k] by [batch, k, n], however they are turned: k² is what the operands have
// and the result has not.
static bool extents_of(const mlir_op_t *op, chip_mxu_product_t *out_product) {
  tensor_shape_t lhs, rhs, to;
  if (op->operand_count < 3 || op->result_count != 1 ||
      !vector_of(op->operands[0], &lhs) || !vector_of(op->operands[1], &rhs) ||
      !vector_of(&op->results[0], &to)) {
    return false;
  }
  const int64_t left = tensor_shape_elements(&lhs), right = tensor_shape_elements(&rhs),
                made = tensor_shape_elements(&to);
  // Leading dimensions that all three have beyond two are batches.
  int64_t batch = 1;
  for (int d = 0; d < lhs.rank - 2 && lhs.rank == rhs.rank && rhs.rank == to.rank; d++) {
    batch = chip_work_times(batch, lhs.dims[d]);
  }
  if (batch <= 0 || left <= 0 || right <= 0 || made <= 0) {
    return false;
  }
  // Of the contracted dimension the square is left · right / (made · batch).
  const double square = (double)left * (double)right / ((double)made * (double)batch);
  const int64_t k = square < 1 ? 1 : square < 1e18 ? llround(sqrt(square)) : 1000000000;
  *out_product = (chip_mxu_product_t){.batch = batch,
                                      .m = left / batch / k,
                                      .n = right / batch / k,
                                      .k = k,
                                      .passes = 1,
                                      .lhs = lhs.dtype,
                                      .rhs = rhs.dtype};
  return true;
}

static bool is_precise(const mlir_op_t *op) {
  const mlir_attr_t *precision = mlir_op_attr(op, "precision");
  return mlir_attr_is(precision, MLIR_ATTR_DIALECT) && precision->body != NULL &&
         strcmp(precision->body, "fp32") == 0;
}

static chip_grid_step_t product_work(const chip_spec_t *spec, const mlir_op_t *op) {
  chip_mxu_product_t product;
  if (!extents_of(op, &product)) {
    return (chip_grid_step_t){0};
  }
  enum { PASSES_OF_F32 = 6 };
  product.passes = is_precise(op) ? PASSES_OF_F32 : 1;
  const int64_t flop =
      chip_work_times(2 * product.batch,
                      chip_work_times(product.m, chip_work_times(product.n, product.k)));
  const int64_t busy = chip_mxu_busy_flop(spec, &product);
  const int64_t size = spec->mxu_size;
  return (chip_grid_step_t){
      .mxu_flop = flop,
      .mxu_busy_flop = busy,
      .vpu_op = busy == 0 ? flop : 0,
      .pieces = chip_work_times(product.batch,
                                chip_work_times(round_up(product.m, size) / size,
                                                round_up(product.n, size) / size)),
      .blocks = chip_work_times(
          product.batch,
          chip_work_times(round_up(product.m, TENSOR_LANES) / TENSOR_LANES,
                          round_up(product.n, TENSOR_LANES) / TENSOR_LANES))};
}

static int64_t bytes_of(const mlir_type_t *type) {
  tensor_shape_t shape;
  return kernel_shape_of(type, &shape) ? tensor_tiled_bytes(&shape) : 0;
}

// From a place to another: (source, its semaphore?, target, its semaphore, …), by
// operandSegmentSizes.
static chip_grid_step_t copy_work(const mlir_op_t *op) {
  const mlir_attr_t *sizes = mlir_op_attr(op, "operandSegmentSizes");
  const bool is_split = mlir_attr_is(sizes, MLIR_ATTR_DENSE_ARRAY) && sizes->count > 2 &&
                        sizes->integers[0] == 1;
  const int64_t target = is_split ? 1 + sizes->integers[1] : -1;
  if (target < 1 || target >= op->operand_count) {
    return (chip_grid_step_t){0};
  }
  const mlir_type_t *from = op->operands[0]->type, *to = op->operands[target]->type;
  const int64_t bytes = bytes_of(to);
  const kernel_space_t left = kernel_space_of(from), right = kernel_space_of(to);
  return (chip_grid_step_t){
      .read_bytes = left == KERNEL_SPACE_ANY || left == KERNEL_SPACE_HBM ? bytes : 0,
      .written_bytes =
          right == KERNEL_SPACE_ANY || right == KERNEL_SPACE_HBM ? bytes : 0};
}

static chip_grid_step_t memory_work(const mlir_op_t *op, bool is_store) {
  const mlir_value_t *vector = is_store ? op->operands[0] : &op->results[0];
  return (chip_grid_step_t){
      .vmem_bytes = kernel_is_vector(vector->type) ? bytes_of(vector->type) : 0};
}

chip_grid_step_t kernel_work_of(const chip_spec_t *spec, const mlir_op_t *op,
                                const uint32_t *use_counts) {
  if (!is_used(op, use_counts)) {
    return (chip_grid_step_t){0};
  }
  switch (rows[op->kind].kind) {
    case KERNEL_KIND_LANES:
    case KERNEL_KIND_MOVES:
      return lanes_work(op);
    case KERNEL_KIND_REDUCES:
      return reduction_work(op);
    case KERNEL_KIND_PRODUCT:
      return product_work(spec, op);
    case KERNEL_KIND_LOADS:
      return op->result_count == 1 ? memory_work(op, false) : (chip_grid_step_t){0};
    case KERNEL_KIND_STORES:
      return op->operand_count > 0 ? memory_work(op, true) : (chip_grid_step_t){0};
    case KERNEL_KIND_COPIES:
      return copy_work(op);
    case KERNEL_KIND_FREE:
    case KERNEL_KIND_CONTROL:
    case KERNEL_KIND_ENDS:
      break;
  }
  return (chip_grid_step_t){0};
}

static void add(int64_t *sum, int64_t value, int64_t count) {
  *sum = chip_work_plus(*sum, chip_work_times(value, count));
}

void kernel_work_add(chip_grid_step_t *sum, const chip_grid_step_t *work, int64_t count) {
  add(&sum->mxu_flop, work->mxu_flop, count);
  add(&sum->mxu_busy_flop, work->mxu_busy_flop, count);
  add(&sum->vpu_op, work->vpu_op, count);
  add(&sum->vmem_bytes, work->vmem_bytes, count);
  add(&sum->read_bytes, work->read_bytes, count);
  add(&sum->written_bytes, work->written_bytes, count);
  add(&sum->stages, work->stages, count);
  if (work->pieces > sum->pieces && count > 0) {
    sum->pieces = work->pieces;
  }
  if (work->blocks > sum->blocks && count > 0) {
    sum->blocks = work->blocks;
  }
}
