#include "server/compiler/partition/pad_move.h"

#include <string.h>

#include "common/base/number.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/halo.h"
#include "server/compiler/partition/pad_attrs.h"
#include "server/compiler/partition/roll.h"
#include "server/program/operations.h"

// --- Which ---

static int64_t joined_dim(const mlir_op_t *op) {
  const mlir_attr_t *dimension = mlir_op_attr(op, "dimension");
  return dimension == NULL ? 0 : dimension->integer;
}

// The dimension of a tensor that has the factor, alone; -1: none.
static int dim_of(const factor_tensor_t *tensor, int factor) {
  for (int d = 0; d < tensor->rank; d++) {
    if (tensor->dims[d].count == 1 && tensor->dims[d].factors[0] == factor) {
      return d;
    }
  }
  return -1;
}

bool pad_move_is_common(const padder_t *padder, const mlir_op_t *op,
                        const factors_t *factors, int factor) {
  const factor_kind_t kind = factors->factors[factor].kind;
  switch (op->kind) {
    case CHIP_OP_DYNAMIC_SLICE:
      return kind == FACTOR_PICKED;
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
    case CHIP_OP_REVERSE:
    case CHIP_OP_REDUCE:
    case CHIP_OP_TOP_K:
      return kind == FACTOR_PERMUTATION;
    case CHIP_OP_REDUCE_WINDOW:
      return kind == FACTOR_PERMUTATION &&
             pad_attrs_is_scan(padder, op, factors_shape(&op->results[0]),
                               dim_of(&factors->operands[0], factor));
    default:
      return false;
  }
}

static int64_t least_common_multiple(int64_t a, int64_t b) {
  return a / pod_greatest_common_divisor(a, b) * b;
}

// A concatenation keeps what is sharded where that is; the rest is put into it.
static int64_t joined_pieces(const pad_move_t *move, int factor, int dim) {
  const mlir_op_t *op = move->op;
  int64_t pieces = pad_pieces(move->padder, &op->results[0], dim);
  bool fits = move->own.dims[dim] % pieces == 0;
  int sharded = 0;
  for (int i = 0; i < op->operand_count && pieces > 1; i++) {
    const mlir_value_t *operand = op->operands[i];
    const int64_t there = pad_pieces(move->padder, operand, dim);
    const bool takes_part = move->factors->operands[i].dims[dim].count == 1 &&
                            move->factors->operands[i].dims[dim].factors[0] == factor;
    if (takes_part && there > 1) {
      pieces = least_common_multiple(pieces, there);
      sharded++;
    }
    fits = fits && operand->type->shape.dims[dim] == move->owns[i].dims[dim] &&
           move->owns[i].dims[dim] % pieces == 0;
  }
  return fits || sharded == 0 || sharded > HALO_ROUNDS_MAX ? 0 : pieces;
}

static bool may_move(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_SLICE:
    case CHIP_OP_PAD:
    case CHIP_OP_REDUCE_WINDOW:
    case CHIP_OP_CONVOLUTION:
      return true;
    default:
      return false;
  }
}

static int64_t stride_of(const mlir_op_t *slice, int dim) {
  int64_t strides[TENSOR_RANK_MAX];
  factors_attr(slice, "strides", TENSOR_RANK_MAX, strides);
  return strides[dim];
}

static bool is_few(const mlir_op_t *op, int dim, int64_t of, int64_t taken) {
  return op->kind == CHIP_OP_SLICE && stride_of(op, dim) == 1 && taken <= of / 2;
}

static int64_t pieces_of(const sharding_t *sharding, int64_t dim) {
  return sharding == NULL ? 1 : axis_list_size(&sharding->dims[dim].axes);
}

bool pad_move_is_of_use(const mlir_op_t *op, const sharding_t *const *operands,
                        const sharding_t *result) {
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  if (op->kind == CHIP_OP_SLICE) {
    for (int d = 0; d < to->rank; d++) {
      const int64_t from = factors_shape(op->operands[0])->dims[d];
      if (pieces_of(operands[0], d) > 1 && pieces_of(result, d) == 1 && to->dims[d] > 1 &&
          is_few(op, d, from, to->dims[d])) {
        return true;
      }
    }
    return false;
  }
  const int64_t dim = joined_dim(op);
  const int64_t pieces = pieces_of(result, dim);
  int sharded = 0, whole = 0;
  for (int i = 0; i < op->operand_count && pieces > 1; i++) {
    const bool is_sharded = pieces_of(operands[i], dim) > 1;
    sharded += is_sharded ? 1 : 0;
    whole += !is_sharded && factors_shape(op->operands[i])->dims[dim] % pieces != 0;
  }
  return sharded > 0 && whole > 0;
}

// Where operands and results are all sharded; what is whole on one side is taken whole.
static int64_t moved_pieces(pad_move_t *move, int factor) {
  const mlir_op_t *op = move->op;
  const factors_t *factors = move->factors;
  const int to = dim_of(&factors->results[0], factor);
  if (to < 0 || move->own.dims[to] <= 1) {
    return 0;
  }
  if (op->kind == CHIP_OP_CONCATENATE) {
    return joined_pieces(move, factor, to);
  }
  int64_t pieces = pad_pieces(move->padder, &op->results[0], to);
  if (pieces == 1 && !pad_note(move->padder, &op->results[0])->is_rolled &&
      is_few(op, to, move->owns[0].dims[to], move->own.dims[to])) {
    pieces = pad_pieces(move->padder, op->operands[0], to);
    move->is_picked[factor] = pieces > 1;
    return pieces > 1 ? pieces : 0;
  }
  bool is_sharded = pieces > 1 && may_move(op);
  bool is_padded = move->own.dims[to] % pieces != 0;
  for (int i = 0; i < op->operand_count && is_sharded; i++) {
    const int dim = dim_of(&factors->operands[i], factor);
    if (dim < 0) {
      continue;
    }
    const int64_t there = pad_pieces(move->padder, op->operands[i], dim);
    is_sharded = there > 1;
    is_padded = is_padded ||
                op->operands[i]->type->shape.dims[dim] != move->owns[i].dims[dim] ||
                move->owns[i].dims[dim] % there != 0;
    pieces = least_common_multiple(pieces, there);
  }
  return is_sharded && is_padded ? pieces : 0;
}

void pad_move_choose(pad_move_t *move) {
  for (int f = 0; f < move->factors->factor_count; f++) {
    move->pieces[f] =
        move->factors->factors[f].kind == FACTOR_PERMUTATION &&
                !pad_move_is_common(move->padder, move->op, move->factors, f)
            ? moved_pieces(move, f)
            : 0;
  }
}

int64_t pad_move_size(const pad_move_t *move, const mlir_value_t *value, int dim,
                      int64_t own, int factor) {
  const bool is_result = value->op == move->op;
  if ((is_result && move->is_picked[factor]) ||
      (move->op->kind == CHIP_OP_CONCATENATE && !is_result &&
       pad_pieces(move->padder, value, dim) == 1)) {
    return own;
  }
  const int64_t there = value->type->shape.dims[dim], pieces = move->pieces[factor];
  int64_t least = own;
  if (move->op->kind == CHIP_OP_SLICE && !is_result && !move->is_picked[factor] &&
      stride_of(move->op, dim) > 1) {
    // All that is taken for the padding of the result has to be there.
    int64_t starts[TENSOR_RANK_MAX];
    factors_attr(move->op, "start_indices", TENSOR_RANK_MAX, starts);
    const int64_t seen =
        starts[dim] +
        (pad_up(move->own.dims[dim], pieces) - 1) * stride_of(move->op, dim) + 1;
    least = seen > own ? seen : own;
  }
  return there % pieces == 0 && there >= least ? there : pad_up(least, pieces);
}

// By dimension of operand `index`, or of the result (-1): whether it is moved along.
static uint32_t moved_dims(const pad_move_t *move, int index) {
  const factor_tensor_t *mapping =
      index < 0 ? &move->factors->results[0] : &move->factors->operands[index];
  uint32_t dims = 0;
  for (int d = 0; d < mapping->rank; d++) {
    if (mapping->dims[d].count == 1 && move->pieces[mapping->dims[d].factors[0]] > 0) {
      dims |= 1u << d;
    }
  }
  return dims;
}

static uint32_t picked_dims(const pad_move_t *move) {
  uint32_t dims = 0;
  for (int d = 0; d < move->own.rank; d++) {
    const factor_list_t *list = &move->factors->results[0].dims[d];
    if (list->count == 1 && move->is_picked[list->factors[0]]) {
      dims |= 1u << d;
    }
  }
  return dims;
}

// --- Operations ---

// `op` becomes what `made`, which is in no block, is.
static void become(padder_t *padder, mlir_op_t *op, const mlir_op_t *made) {
  mlir_op_rename(padder->module, op, made->name);
  op->operands = made->operands;
  op->operand_count = made->operand_count;
  op->attrs = made->attrs;
  op->attr_count = made->attr_count;
  op->attr_capacity = made->attr_capacity;
}

static mlir_op_t *make_pad(padder_t *padder, mlir_op_t *like, mlir_value_t *value,
                           const int64_t *low, const tensor_shape_t *result) {
  const int rank = result->rank;
  int64_t high[TENSOR_RANK_MAX], interior[TENSOR_RANK_MAX] = {0};
  for (int d = 0; d < rank; d++) {
    high[d] = result->dims[d] - low[d] - value->type->shape.dims[d];
  }
  static const unsigned char zero[16] = {0};
  const tensor_shape_t scalar = tensor_shape_make(result->dtype, 0, NULL);
  mlir_value_t *operands[] = {value, pad_constant(padder, value, &scalar, zero)};
  mlir_op_t *op = pad_make(padder, like, "stablehlo.pad", 2, operands, result);
  pad_set_i64s(padder, op, "edge_padding_low", rank, low);
  pad_set_i64s(padder, op, "edge_padding_high", rank, high);
  pad_set_i64s(padder, op, "interior_padding", rank, interior);
  return op;
}

// What is sliced of the dimensions that are not moved along, and in strides. NULL:
// nothing.
static mlir_op_t *make_cut(pad_move_t *move, uint32_t moved, mlir_value_t *value) {
  padder_t *padder = move->padder;
  const mlir_op_t *op = move->op;
  const tensor_shape_t *to = &op->results[0].type->shape;
  const tensor_shape_t *from = &value->type->shape;
  int64_t starts[TENSOR_RANK_MAX], limits[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(op, "start_indices", to->rank, starts);
  factors_attr(op, "strides", to->rank, strides);
  tensor_shape_t cut = *to;
  for (int d = 0; d < to->rank; d++) {
    if ((moved >> d & 1u) != 0) {
      starts[d] = 0;
      cut.dims[d] = from->dims[d];
    }
    limits[d] = starts[d] + (cut.dims[d] - 1) * strides[d] + 1;
  }
  if (tensor_shape_same_dims(&cut, from)) {
    return NULL;
  }
  mlir_op_t *made = pad_make(padder, op, "stablehlo.slice", 1, &value, &cut);
  pad_set_i64s(padder, made, "start_indices", to->rank, starts);
  pad_set_i64s(padder, made, "limit_indices", to->rank, limits);
  pad_set_i64s(padder, made, "strides", to->rank, strides);
  return made;
}

static mlir_op_t *make_dynamic_slice(padder_t *padder, const mlir_op_t *like,
                                     mlir_value_t *value, const int64_t *starts,
                                     const tensor_shape_t *to) {
  mlir_value_t *operands[1 + TENSOR_RANK_MAX] = {value};
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
  for (int d = 0; d < to->rank; d++) {
    unsigned char element[16] = {0};
    tensor_element_from_int64(TENSOR_S32, starts[d], element);
    operands[1 + d] = pad_constant(padder, value, &scalar, element);
  }
  mlir_op_t *op =
      pad_make(padder, like, "stablehlo.dynamic_slice", 1 + to->rank, operands, to);
  pad_set_i64s(padder, op, "slice_sizes", to->rank, to->dims);
  return op;
}

// First what is cut of other dimensions, then what is moved, then what is picked.
static void write_slice(pad_move_t *move) {
  padder_t *padder = move->padder;
  mlir_op_t *op = move->op;
  const tensor_shape_t to = op->results[0].type->shape;
  const uint32_t picked = picked_dims(move);
  uint32_t moved = moved_dims(move, 0);
  for (int d = 0; d < to.rank; d++) {
    moved &= stride_of(op, d) > 1 ? ~(1u << d) : ~0u;
  }
  int64_t starts[TENSOR_RANK_MAX], low[TENSOR_RANK_MAX] = {0};
  factors_attr(op, "start_indices", to.rank, starts);
  mlir_value_t *value = op->operands[0];
  const sharding_t *sharding = pad_note(padder, value)->sharding;
  mlir_op_t *made = make_cut(move, moved, value);
  if (made != NULL && moved != 0) {
    value = pad_insert_behind(padder, value, made, sharding);
  }
  tensor_shape_t shape = to;
  for (int d = 0; d < to.rank; d++) {
    if ((picked >> d & 1u) != 0) {
      shape.dims[d] = value->type->shape.dims[d];
      continue;
    }
    low[d] = (moved >> d & 1u) != 0 ? -starts[d] : 0;
    starts[d] = 0;
  }
  if ((moved & ~picked) != 0) {
    made = make_pad(padder, op, value, low, &shape);
    if (picked != 0) {
      value = pad_insert_behind(padder, value, made, sharding);
    }
  }
  if (picked != 0) {
    made = make_dynamic_slice(padder, op, value, starts, &to);
  }
  become(padder, op, made);
}

static void write_pad(pad_move_t *move) {
  mlir_op_t *op = move->op;
  const tensor_shape_t *to = &op->results[0].type->shape;
  const uint32_t moved = moved_dims(move, 0);
  const pad_fill_t fill = {.scalar = op->operands[1]};
  op->operands[0] =
      pad_filled(move->padder, op->operands[0], &move->owns[0], moved, &fill);
  const tensor_shape_t *from = &op->operands[0]->type->shape;
  int64_t low[TENSOR_RANK_MAX], high[TENSOR_RANK_MAX], interior[TENSOR_RANK_MAX];
  factors_attr(op, "edge_padding_low", to->rank, low);
  factors_attr(op, "edge_padding_high", to->rank, high);
  factors_attr(op, "interior_padding", to->rank, interior);
  for (int d = 0; d < to->rank; d++) {
    if ((moved >> d & 1u) != 0) {
      high[d] = to->dims[d] - low[d] - ((from->dims[d] - 1) * (interior[d] + 1) + 1);
    }
  }
  pad_set_i64s(move->padder, op, "edge_padding_high", to->rank, high);
}

// One operand behind the other: each padded to the result where it is sharded, and from
// its place on instead of those before; the others are put where they belong.
static void write_joined(pad_move_t *move) {
  padder_t *padder = move->padder;
  mlir_op_t *op = move->op;
  const int dim = (int)joined_dim(op);
  if ((moved_dims(move, -1) >> dim & 1u) == 0) {
    return;
  }
  const tensor_shape_t to = op->results[0].type->shape;
  const sharding_t *sharding = pad_note(padder, &op->results[0])->sharding;
  mlir_op_t *made = NULL;
  mlir_value_t *joined = NULL;
  for (int round = 0; round < 2; round++) {
    int64_t at = 0;
    for (int i = 0; i < op->operand_count; i++) {
      mlir_value_t *operand = op->operands[i];
      const int64_t start = at;
      at += move->owns[i].dims[dim];
      if ((round == 0) != (pad_pieces(padder, operand, dim) > 1) ||
          tensor_shape_elements(&move->owns[i]) == 0) {
        continue;
      }
      joined = made == NULL ? NULL : pad_insert_behind(padder, operand, made, sharding);
      if (round == 0) {
        int64_t low[TENSOR_RANK_MAX] = {0};
        low[dim] = start;
        made = make_pad(padder, op, operand, low, &to);
        if (joined != NULL) {
          mlir_value_t *now = pad_insert_behind(padder, operand, made, sharding);
          mlir_value_t *operands[] = {pad_within(padder, now, &to, dim, start, sharding),
                                      joined, now};
          made = pad_make(padder, op, "stablehlo.select", 3, operands, &to);
        }
        continue;
      }
      mlir_value_t *operands[2 + TENSOR_RANK_MAX] = {joined, operand};
      const tensor_shape_t scalar = tensor_shape_make(TENSOR_S32, 0, NULL);
      for (int d = 0; d < to.rank; d++) {
        unsigned char element[16] = {0};
        tensor_element_from_int64(TENSOR_S32, d == dim ? start : 0, element);
        operands[2 + d] = pad_constant(padder, operand, &scalar, element);
      }
      made = pad_make(padder, op, "stablehlo.dynamic_update_slice", 2 + to.rank, operands,
                      &to);
    }
  }
  become(padder, op, made);
}

// The array so that its last element is the last of the padding.
static void write_reverse(pad_move_t *move) {
  mlir_op_t *op = move->op;
  const tensor_shape_t shape = op->operands[0]->type->shape;
  int64_t low[TENSOR_RANK_MAX] = {0};
  bool shifts = false;
  for (int d = 0; d < shape.rank; d++) {
    if (factors_attr_has(op, "dimensions", d)) {
      low[d] = shape.dims[d] - move->owns[0].dims[d];
      shifts = shifts || low[d] > 0;
    }
  }
  if (shifts) {
    mlir_value_t *operand = op->operands[0];
    op->operands[0] = pad_insert_behind(move->padder, operand,
                                        make_pad(move->padder, op, operand, low, &shape),
                                        pad_note(move->padder, operand)->sharding);
  }
}

// --- Windows ---

static pod_status_t write_reduce_window(pad_move_t *move) {
  mlir_op_t *op = move->op;
  const int inputs = op->operand_count / 2;
  const uint32_t moved = moved_dims(move, 0);
  const tensor_shape_t *to = &op->results[0].type->shape;
  chip_window_t window;
  POD_TRY(stablehlo_window(move->padder->module, op, to->rank, &window));
  uint32_t filled = moved;
  for (int d = 0; d < to->rank; d++) {
    const int64_t size = op->operands[0]->type->shape.dims[d];
    if ((moved >> d & 1u) != 0) {
      pad_attrs_fit_window(&window, d, size, to->dims[d]);
    } else if (size != move->owns[0].dims[d] &&
               pad_attrs_is_scan(move->padder, op, &move->owns[0], d)) {
      window.sizes[d] = size;
      window.low[d] = window.low[d] > 0 ? size - 1 : 0;
      window.high[d] = window.high[d] > 0 ? size - 1 : 0;
      filled |= window.high[d] > 0 ? 1u << d : 0;  // From the end on.
    }
  }
  for (int i = 0; i < inputs && filled != 0; i++) {
    const pad_fill_t fill = {.scalar = op->operands[inputs + i]};
    op->operands[i] =
        pad_filled(move->padder, op->operands[i], &move->owns[i], filled, &fill);
  }
  pad_attrs_set_window(move->padder, op, &window);
  return NULL;
}

static pod_status_t write_convolution(pad_move_t *move) {
  mlir_op_t *op = move->op;
  const uint32_t moved = moved_dims(move, 0);
  chip_convolution_t convolution;
  POD_TRY(stablehlo_convolution(move->padder->module, op, &move->owns[1], &convolution));
  const pad_fill_t zeros = {0};
  op->operands[0] =
      pad_filled(move->padder, op->operands[0], &move->owns[0], moved, &zeros);
  for (int d = 0; d < convolution.window.rank; d++) {
    const int from = (int)convolution.input[2 + d], to = (int)convolution.output[2 + d];
    if ((moved >> from & 1u) != 0) {
      pad_attrs_fit_window(&convolution.window, d,
                           op->operands[0]->type->shape.dims[from],
                           op->results[0].type->shape.dims[to]);
    }
  }
  stablehlo_set_padding(move->padder->module, op, &convolution.window);
  return NULL;
}

// --- Indices ---

// Index operand `index`, a scalar, is no more than `most`.
static void hold_back(pad_move_t *move, int index, int64_t most) {
  mlir_op_t *op = move->op;
  padder_t *padder = move->padder;
  const tensor_shape_t shape = op->operands[index]->type->shape;
  unsigned char last[16] = {0};
  tensor_element_from_int64(shape.dtype, most, last);
  if (tensor_element_as_int64(shape.dtype, last) != most) {
    return;  // No index of this type is as large.
  }
  mlir_value_t *both[] = {op->operands[index],
                          pad_constant(padder, op->operands[index], &shape, last)};
  op->operands[index] = pad_insert_behind(
      padder, both[1], pad_make(padder, op, "stablehlo.minimum", 2, both, &shape), NULL);
}

static void hold_back_starts(pad_move_t *move) {
  mlir_op_t *op = move->op;
  const bool updates = op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE;
  const tensor_shape_t *array = &move->owns[0];
  const tensor_shape_t *part = updates ? &move->owns[1] : &move->own;
  for (int d = 0; d < array->rank; d++) {
    if (op->operands[0]->type->shape.dims[d] != array->dims[d] &&
        part->dims[d] != array->dims[d]) {
      hold_back(move, (updates ? 2 : 1) + d, array->dims[d] - part->dims[d]);
    }
  }
}

pod_status_t pad_move_write(pad_move_t *move) {
  mlir_op_t *op = move->op;
  pod_status_t status = NULL;
  const bool moves = op->result_count > 0 && moved_dims(move, -1) != 0;
  move->padder->before = op;
  switch (op->kind) {
    case CHIP_OP_SLICE:
      if (moves) {
        write_slice(move);
      }
      break;
    case CHIP_OP_PAD:
      if (moves) {
        write_pad(move);
      }
      break;
    case CHIP_OP_CONCATENATE:
      write_joined(move);
      break;
    case CHIP_OP_REVERSE:
      write_reverse(move);
      break;
    case CHIP_OP_REDUCE_WINDOW:
      status = write_reduce_window(move);
      break;
    case CHIP_OP_CONVOLUTION:
      if (moves) {
        status = write_convolution(move);
      }
      break;
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      hold_back_starts(move);
      break;
    default:
      break;
  }
  move->padder->before = NULL;
  return status;
}

// --- Rolls ---

void pad_move_find_rolls(padder_t *padder, const mlir_op_t *main) {
  const bool *slices = roll_find_slices(padder->module, main, padder->arena);
  roll_t roll;
  for (const mlir_op_t *op = slices == NULL ? NULL : mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (op->result_count != 1) {
      continue;
    }
    pad_note_t *note = pad_note(padder, &op->results[0]);
    note->is_rolled = slices[op->results[0].id];
    if (roll_find(op, &roll)) {
      roll_t *kept = pod_arena_alloc(padder->arena, sizeof(*kept));
      *kept = roll;
      note->roll = kept;
    }
  }
}

// Whether it is of an array that has padding along it.
static bool is_padded(padder_t *padder, const mlir_value_t *value, int dim) {
  return value->type->shape.dims[dim] != pad_shape_of(padder, value)->dims[dim];
}

static void write_roll(padder_t *padder, mlir_op_t *op, const roll_t *roll) {
  mlir_value_t *value = (mlir_value_t *)roll->value;
  const tensor_shape_t to = value->type->shape;
  const int64_t size = op->results[0].type->shape.dims[roll->dim];
  const sharding_t *sharding = pad_note(padder, value)->sharding;
  pad_resize(padder, &op->results[0], to.dims);
  padder->before = op;
  int64_t low[TENSOR_RANK_MAX] = {0};
  low[roll->dim] = -roll->shift;
  mlir_value_t *first =
      pad_insert_behind(padder, value, make_pad(padder, op, value, low, &to), sharding);
  low[roll->dim] = size - roll->shift;
  mlir_value_t *second =
      pad_insert_behind(padder, value, make_pad(padder, op, value, low, &to), sharding);
  mlir_value_t *operands[] = {
      pad_within(padder, second, &to, roll->dim, size - roll->shift, sharding), first,
      second};
  become(padder, op, pad_make(padder, op, "stablehlo.select", 3, operands, &to));
  padder->before = NULL;
}

bool pad_move_roll(padder_t *padder, mlir_op_t *op) {
  if (op->result_count != 1) {
    return false;
  }
  const pad_note_t *note = pad_note(padder, &op->results[0]);
  const roll_t *roll = note->roll;
  if (roll != NULL && is_padded(padder, roll->value, roll->dim)) {
    write_roll(padder, op, roll);
    return true;
  }
  if (!note->is_rolled) {
    return false;
  }
  for (int d = 0; d < op->results[0].type->shape.rank; d++) {
    if (is_padded(padder, op->operands[0], d) &&
        op->results[0].type->shape.dims[d] !=
            pad_shape_of(padder, op->operands[0])->dims[d]) {
      mlir_op_unlink(op);
      return true;
    }
  }
  return false;
}
