// Kernels that move elements: every one of them is a view of its operand that is copied.

#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// A move of dense arrays of the given sizes; the strides are to be changed as wanted.
static kernel_move_t dense_move(const tensor_shape_t *in, const tensor_shape_t *out,
                                const int64_t *sizes) {
  kernel_move_t move = {.element_bytes = tensor_dtype_bytes(out->dtype),
                        .rank = out->rank};
  memcpy(move.sizes, sizes, sizeof(move.sizes));
  tensor_shape_strides(in, move.in_strides);
  tensor_shape_strides(out, move.out_strides);
  return move;
}

static const int64_t *attr(const kernel_args_t *args, chip_attr_key_t key, int count) {
  int32_t found = 0;
  const int64_t *values = chip_instruction_attr(args->instruction, key, &found);
  POD_CHECK(found == count);
  return values;
}

static const void *element_at(const tensor_shape_t *shape, const void *data,
                              int64_t index) {
  return (const char *)data + index * (int64_t)tensor_dtype_bytes(shape->dtype);
}

pod_status_t kernel_copy(const kernel_args_t *args) {
  const size_t size = (size_t)tensor_shape_bytes(kernel_result_shape(args, 0));
  kernel_copy_bytes(args->results[0], args->operands[0], size);
  return NULL;
}

pod_status_t kernel_reshape(const kernel_args_t *args) {
  return kernel_copy(args);
}

pod_status_t kernel_broadcast_in_dim(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  kernel_move_t move = dense_move(in, out, out->dims);
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(in, strides);
  memset(move.in_strides, 0, sizeof(move.in_strides));
  const int64_t *dimensions = attr(args, CHIP_ATTR_DIMENSIONS, in->rank);
  for (int i = 0; i < in->rank; i++) {
    move.in_strides[dimensions[i]] = in->dims[i] == 1 ? 0 : strides[i];
  }
  kernel_move(&move, args->operands[0], args->results[0]);
  return NULL;
}

pod_status_t kernel_transpose(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  kernel_move_t move = dense_move(in, out, out->dims);
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(in, strides);
  const int64_t *permutation = attr(args, CHIP_ATTR_DIMENSIONS, out->rank);
  for (int i = 0; i < out->rank; i++) {
    move.in_strides[i] = strides[permutation[i]];
  }
  kernel_move(&move, args->operands[0], args->results[0]);
  return NULL;
}

pod_status_t kernel_slice(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  kernel_move_t move = dense_move(in, out, out->dims);
  const int64_t *starts = attr(args, CHIP_ATTR_START_INDICES, in->rank);
  const int64_t *steps = attr(args, CHIP_ATTR_STRIDES, in->rank);
  int64_t first = 0;
  for (int i = 0; i < in->rank; i++) {
    first += starts[i] * move.in_strides[i];
    move.in_strides[i] *= steps[i];
  }
  kernel_move(&move, element_at(in, args->operands[0], first), args->results[0]);
  return NULL;
}

pod_status_t kernel_reverse(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_result_shape(args, 0);
  if (tensor_shape_elements(shape) == 0) {
    return NULL;
  }
  kernel_move_t move = dense_move(shape, shape, shape->dims);
  int32_t count = 0;
  const int64_t *dimensions =
      chip_instruction_attr(args->instruction, CHIP_ATTR_DIMENSIONS, &count);
  int64_t first = 0;
  for (int32_t i = 0; i < count; i++) {
    const int64_t dim = dimensions[i];
    first += (shape->dims[dim] - 1) * move.in_strides[dim];
    move.in_strides[dim] = -move.in_strides[dim];
  }
  kernel_move(&move, element_at(shape, args->operands[0], first), args->results[0]);
  return NULL;
}

// The start of a dynamic slice of `part` within `whole`: one scalar operand per dimension
// from operand `first` on, each clamped so that the slice fits. In elements of `whole`.
static int64_t dynamic_start(const kernel_args_t *args, int32_t first,
                             const tensor_shape_t *whole, const tensor_shape_t *part) {
  int64_t strides[TENSOR_RANK_MAX], start = 0;
  tensor_shape_strides(whole, strides);
  for (int i = 0; i < whole->rank; i++) {
    const tensor_dtype_t dtype = kernel_operand_shape(args, first + i)->dtype;
    const int64_t last = whole->dims[i] - part->dims[i];
    int64_t index = tensor_element_as_int64(dtype, args->operands[first + i]);
    if (dtype == TENSOR_U64 && index < 0) {
      index = INT64_MAX;
    }
    index = index > last ? last : index;
    start += (index < 0 ? 0 : index) * strides[i];
  }
  return start;
}

pod_status_t kernel_dynamic_slice(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const kernel_move_t move = dense_move(in, out, out->dims);
  const int64_t start = dynamic_start(args, 1, in, out);
  kernel_move(&move, element_at(in, args->operands[0], start), args->results[0]);
  return NULL;
}

pod_status_t kernel_dynamic_update_slice(const kernel_args_t *args) {
  const tensor_shape_t *update = kernel_operand_shape(args, 1);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const kernel_move_t move = dense_move(update, out, update->dims);
  const int64_t start = dynamic_start(args, 2, out, update);
  const pod_status_t status = kernel_copy(args);
  kernel_move(&move, args->operands[1],
              (char *)args->results[0] + start * (int64_t)move.element_bytes);
  return status;
}

// The parts of a concatenation: from every operand `part` elements go to a row of
// `width`.
typedef struct parts_t {
  const kernel_args_t *args;
  int64_t bytes;  // Of an element.
  int64_t inner, width;
  int dim;
} parts_t;

static int64_t part_of(const parts_t *parts, int32_t operand) {
  return kernel_operand_shape(parts->args, operand)->dims[parts->dim] * parts->inner;
}

static const char *part_at(const parts_t *parts, int32_t operand, int64_t row) {
  return (const char *)parts->args->operands[operand] +
         row * part_of(parts, operand) * parts->bytes;
}

static void concatenate_rows(const parts_t *parts, int64_t row, int64_t rows, char *to) {
  for (int32_t i = 0; i < parts->args->instruction->operand_count; i++) {
    const int64_t part = part_of(parts, i);
    const kernel_move_t move = {.element_bytes = (size_t)parts->bytes,
                                .rank = 2,
                                .sizes = {rows, part},
                                .in_strides = {part, 1},
                                .out_strides = {parts->width, 1}};
    kernel_move(&move, part_at(parts, i, row), to);
    to += part * parts->bytes;
  }
}

enum { CONCATENATED_BYTES = 32 << 10 };

// Operands of the same few bytes in a row are put one behind the other and transposed.
static void concatenate_transposed(const parts_t *parts, int64_t row, int64_t rows,
                                   char *to) {
  _Alignas(64) char block[CONCATENATED_BYTES];
  const int32_t count = parts->args->instruction->operand_count;
  const int64_t part = part_of(parts, 0);
  for (int32_t i = 0; i < count; i++) {
    memcpy(block + i * rows * part * parts->bytes, part_at(parts, i, row),
           (size_t)(rows * part * parts->bytes));
  }
  const kernel_move_t move = {.element_bytes = (size_t)parts->bytes,
                              .rank = 3,
                              .sizes = {rows, count, part},
                              .in_strides = {part, rows * part, 1},
                              .out_strides = {parts->width, part, 1}};
  kernel_move(&move, block, to);
}

static bool has_short_parts(const parts_t *parts) {
  const int64_t part = part_of(parts, 0);
  for (int32_t i = 0; i < parts->args->instruction->operand_count; i++) {
    if (part_of(parts, i) != part) {
      return false;
    }
  }
  return part * parts->bytes <= 16 && parts->width * parts->bytes <= CONCATENATED_BYTES;
}

// Rows of the result, made of a row of every operand, a block at a time: short pieces are
// written while the lines that they share are in the cache.
pod_status_t kernel_concatenate(const kernel_args_t *args) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const int64_t dim =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_DIMENSION, 0);
  parts_t parts = {.args = args,
                   .bytes = (int64_t)tensor_dtype_bytes(out->dtype),
                   .inner = 1,
                   .dim = (int)dim};
  int64_t rows = 1;
  for (int i = 0; i < out->rank; i++) {
    *(i < dim ? &rows : &parts.inner) *= i == dim ? 1 : out->dims[i];
  }
  parts.width = out->dims[dim] * parts.inner;
  if (rows * parts.width == 0) {
    return NULL;
  }
  int64_t block = CONCATENATED_BYTES / (parts.width * parts.bytes);
  block = block < 1 ? 1 : block;
  const bool is_transposed = block >= 8 && has_short_parts(&parts);
  for (int64_t row = 0; row < rows && !kernel_is_stopped(); row += block) {
    (is_transposed ? concatenate_transposed : concatenate_rows)(
        &parts, row, rows - row < block ? rows - row : block,
        (char *)args->results[0] + row * parts.width * parts.bytes);
  }
  return NULL;
}

// ----- pad -----

// Where the operand's elements land in one dimension of the result: `count` of them, from
// index `in_first` on, at `out_first` and every `step` behind it. What negative padding
// cuts away is not among them.
typedef struct landing_t {
  int64_t in_first, out_first, step, count;
} landing_t;

static landing_t land(int64_t in_size, int64_t out_size, int64_t low, int64_t interior) {
  landing_t landing = {.step = interior + 1, .out_first = low};
  if (low < 0) {
    landing.in_first = (-low + landing.step - 1) / landing.step;
    landing.out_first = low + landing.in_first * landing.step;
  }
  const int64_t room = out_size - landing.out_first;
  const int64_t fitting = room <= 0 ? 0 : (room + landing.step - 1) / landing.step;
  const int64_t left = in_size - landing.in_first;
  landing.count = left < fitting ? left : fitting;
  landing.count = landing.count < 0 ? 0 : landing.count;
  return landing;
}

typedef struct padding_t {
  const void *value;
  size_t element_bytes;
  int rank, last_padded;  // Behind `last_padded` nothing is padded.
  landing_t landings[TENSOR_RANK_MAX];
  int64_t out_sizes[TENSOR_RANK_MAX], out_strides[TENSOR_RANK_MAX];
} padding_t;

static char *fill_steps(const padding_t *padding, int dim, char *out, int64_t steps) {
  if (steps == 0) {
    return out;
  }
  const int64_t count = steps * padding->out_strides[dim];
  kernel_fill(padding->element_bytes, padding->value, out, (size_t)count);
  return out + count * (int64_t)padding->element_bytes;
}

// Between the elements that land in the last padded dimension. Short gaps are not worth
// finding: the copy that follows writes over what is too much.
static char *fill_between(const padding_t *padding, char *out) {
  enum { SHORT_GAP = 64 };
  const int dim = padding->last_padded;
  const landing_t *landing = &padding->landings[dim];
  const int64_t gap = landing->step - 1, gaps = landing->count - 1;
  const int64_t step_bytes = padding->out_strides[dim] * (int64_t)padding->element_bytes;
  if (gap == 0) {
    return out + landing->count * step_bytes;
  }
  if (gap * padding->out_strides[dim] < SHORT_GAP) {
    return fill_steps(padding, dim, out, landing->count + gaps * gap);
  }
  for (int64_t i = 0; i < gaps && !kernel_is_stopped(); i++) {
    out = fill_steps(padding, dim, out + step_bytes, gap);
  }
  return out + step_bytes;
}

// Writes the padding of dimension `dim` and those behind it around what will be copied.
static void fill_around(const padding_t *padding, int dim, char *out) {
  const landing_t *landing = &padding->landings[dim];
  const int64_t step_bytes = padding->out_strides[dim] * (int64_t)padding->element_bytes;
  if (landing->count == 0) {
    fill_steps(padding, dim, out, padding->out_sizes[dim]);
    return;
  }
  out = fill_steps(padding, dim, out, landing->out_first);
  if (dim == padding->last_padded) {
    out = fill_between(padding, out);
  } else {
    for (int64_t i = 0; i < landing->count && !kernel_is_stopped(); i++) {
      fill_around(padding, dim + 1, out);
      out += step_bytes;
      if (i + 1 < landing->count) {
        out = fill_steps(padding, dim, out, landing->step - 1);
      }
    }
  }
  const int64_t end = landing->out_first + (landing->count - 1) * landing->step + 1;
  fill_steps(padding, dim, out, padding->out_sizes[dim] - end);
}

// Where rows are short, what is around them is not worth finding: whole blocks of them
// are filled and then written over while they are in the cache.
static bool pads_short_rows(const padding_t *padding) {
  enum { SHORT_BYTES = 256 };
  return padding->last_padded > 0 && padding->landings[0].count > 0 &&
         padding->landings[0].count == padding->out_sizes[0] &&
         padding->out_strides[padding->last_padded - 1] *
                 (int64_t)padding->element_bytes <=
             SHORT_BYTES;
}

static void pad_short_rows(const padding_t *padding, const kernel_move_t *move,
                           const char *in, char *out, int64_t out_first) {
  enum { BLOCK_BYTES = 32 << 10 };
  const int64_t bytes = (int64_t)padding->element_bytes;
  const int64_t row = padding->out_strides[0];
  int64_t block = BLOCK_BYTES / (row * bytes);
  block = block < 1 ? 1 : block;
  kernel_move_t part = *move;
  for (int64_t i = 0; i < padding->out_sizes[0] && !kernel_is_stopped(); i += block) {
    const int64_t left = padding->out_sizes[0] - i;
    char *to = out + i * row * bytes;
    part.sizes[0] = left < block ? left : block;
    kernel_fill(padding->element_bytes, padding->value, to,
                (size_t)(part.sizes[0] * row));
    kernel_move(&part, in + i * move->in_strides[0] * bytes, to + out_first * bytes);
  }
}

pod_status_t kernel_pad(const kernel_args_t *args) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  if (tensor_shape_elements(out) == 0) {
    return NULL;
  }
  const int64_t *low = attr(args, CHIP_ATTR_EDGE_PADDING_LOW, in->rank);
  const int64_t *interior = attr(args, CHIP_ATTR_INTERIOR_PADDING, in->rank);
  kernel_move_t move = dense_move(in, out, out->dims);
  padding_t padding = {.value = args->operands[1],
                       .element_bytes = move.element_bytes,
                       .rank = out->rank,
                       .last_padded = -1};
  int64_t in_first = 0, out_first = 0;
  for (int i = 0; i < out->rank; i++) {
    const landing_t landing = land(in->dims[i], out->dims[i], low[i], interior[i]);
    padding.landings[i] = landing;
    padding.out_sizes[i] = out->dims[i];
    padding.out_strides[i] = move.out_strides[i];
    if (landing.count != out->dims[i]) {
      padding.last_padded = i;
    }
    in_first += landing.in_first * move.in_strides[i];
    out_first += landing.out_first * move.out_strides[i];
    move.sizes[i] = landing.count;
    move.out_strides[i] *= landing.step;
  }
  if (pads_short_rows(&padding)) {
    pad_short_rows(&padding, &move, element_at(in, args->operands[0], in_first),
                   args->results[0], out_first);
    return NULL;
  }
  if (padding.last_padded >= 0) {
    fill_around(&padding, 0, args->results[0]);
  }
  if (tensor_shape_elements(in) > 0) {
    kernel_move(&move, element_at(in, args->operands[0], in_first),
                (char *)args->results[0] + out_first * (int64_t)move.element_bytes);
  }
  return NULL;
}

// ----- iota -----

// `count` consecutive numbers, at most KERNEL_BLOCK / 2 of them.
static void write_numbers(int64_t first, int64_t count, tensor_dtype_t dtype, char *out) {
  if (first + count <= INT32_MAX) {
    int32_t numbers[KERNEL_BLOCK / 2];
    for (int32_t i = 0; i < (int32_t)count; i++) {
      numbers[i] = (int32_t)first + i;
    }
    kernel_convert_elements(TENSOR_S32, numbers, dtype, out, (size_t)count);
    return;
  }
  int64_t numbers[KERNEL_BLOCK / 2];
  for (int64_t i = 0; i < count; i++) {
    numbers[i] = first + i;
  }
  kernel_convert_elements(TENSOR_S64, numbers, dtype, out, (size_t)count);
}

// Blocks of numbers, each made of the one before by adding to it, in a type that holds
// them all.
typedef struct numbering_t {
  tensor_dtype_t dtype,
      counted;  // `counted` is TENSOR_INVALID when there is no such type.
  kernel_binary_fn_t add;
  _Alignas(64) char numbers[KERNEL_BLOCK / 2 * 8], steps[KERNEL_BLOCK / 2 * 8];
} numbering_t;

static void numbering_init(numbering_t *numbering, tensor_dtype_t dtype, int64_t size) {
  enum { EXACT_IN_F32 = 1 << 24 };
  numbering->dtype = dtype;
  numbering->counted = TENSOR_INVALID;
  if (tensor_dtype_is_integer(dtype) && kernel_is_computed_as_stored(dtype)) {
    numbering->counted = dtype;
  } else if (tensor_dtype_is_float(dtype) && size <= EXACT_IN_F32) {
    numbering->counted = kernel_compute_dtype(dtype);
  }
  if (numbering->counted != TENSOR_INVALID) {
    const size_t bytes = tensor_dtype_bytes(numbering->counted);
    char step[8];
    numbering->add = kernel_binary_loop(CHIP_OP_ADD, numbering->counted);
    tensor_element_from_int64(numbering->counted, KERNEL_BLOCK / 2, step);
    kernel_fill(bytes, step, numbering->steps, KERNEL_BLOCK / 2);
    write_numbers(0, KERNEL_BLOCK / 2, numbering->counted, numbering->numbers);
  }
}

// The next block, which begins with `first`: whole ones, but for the last.
static void numbers_next(numbering_t *numbering, int64_t first, int64_t count,
                         char *out) {
  if (numbering->counted == TENSOR_INVALID) {
    write_numbers(first, count, numbering->dtype, out);
    return;
  }
  kernel_convert_elements(numbering->counted, numbering->numbers, numbering->dtype, out,
                          (size_t)count);
  numbering->add(numbering->numbers, numbering->steps, numbering->numbers,
                 KERNEL_BLOCK / 2);
}

// Numbers along the dimension, each as often as the dimensions behind it want, and all of
// that as often as the dimensions before it want.
pod_status_t kernel_iota(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_result_shape(args, 0);
  const int64_t dim =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_DIMENSION, 0);
  const int64_t count = tensor_shape_elements(shape);
  if (count == 0) {
    return NULL;
  }
  const int64_t bytes = (int64_t)tensor_dtype_bytes(shape->dtype);
  const int64_t size = shape->dims[dim], block = KERNEL_BLOCK / 2;
  int64_t inner = 1;
  for (int i = (int)dim + 1; i < shape->rank; i++) {
    inner *= shape->dims[i];
  }
  char *out = args->results[0];
  numbering_t numbering;
  numbering_init(&numbering, shape->dtype, size);
  for (int64_t i = 0; i < size && !kernel_is_stopped(); i += block) {
    const int64_t part = size - i < block ? size - i : block;
    if (inner == 1) {
      numbers_next(&numbering, i, part, out + i * bytes);
      continue;
    }
    _Alignas(64) char numbers[KERNEL_BLOCK_BYTES / 2];
    numbers_next(&numbering, i, part, numbers);
    for (int64_t j = 0; j < part; j++) {
      kernel_fill((size_t)bytes, numbers + j * bytes, out + (i + j) * inner * bytes,
                  (size_t)inner);
    }
  }
  kernel_replicate(out, (size_t)(size * inner * bytes), count / (size * inner));
  return NULL;
}
