// rng_bit_generator: Threefry2x32 and Philox4x32-10 of J. Salmon, M. Moraes, R. Dror and
// D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Which element gets
// which bits, and how the state goes on, is as XLA has it (xla/hlo/builder/lib/prng.cc of
// https://github.com/openxla/xla), so that results agree to the bit.

#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/stop.h"

// ----- Threefry2x32, 20 rounds -----

static uint32_t rotate_left(uint32_t x, unsigned by) {
  return x << by | x >> (32 - by);
}

static void threefry(uint64_t key, uint64_t counter, uint32_t out[2]) {
  static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {(uint32_t)key, (uint32_t)(key >> 32), 0};
  keys[2] = 0x1BD11BDAu ^ keys[0] ^ keys[1];
  uint32_t x0 = (uint32_t)counter + keys[0], x1 = (uint32_t)(counter >> 32) + keys[1];
  for (uint32_t group = 1; group <= 5; group++) {
    for (int i = 0; i < 4; i++) {
      x0 += x1;
      x1 = x0 ^ rotate_left(x1, rotations[(group - 1) % 2][i]);
    }
    x0 += keys[group % 3];
    x1 += keys[(group + 1) % 3] + group;
  }
  out[0] = x0;
  out[1] = x1;
}

// 32 bits are half of what a counter gives: the two halves are neighbours along one
// dimension, the first of even size or else the first of the largest.
typedef struct split_t {
  int64_t outer, size, inner;  // The sizes before, of, and after that dimension.
} split_t;

static split_t split_of(const tensor_shape_t *shape) {
  int dim = -1;
  for (int d = 0; d < shape->rank && dim < 0; d++) {
    dim = shape->dims[d] % 2 == 0 ? d : -1;
  }
  for (int d = 0; d < shape->rank && (dim < 0 || shape->dims[dim] % 2 != 0); d++) {
    dim = dim < 0 || shape->dims[d] > shape->dims[dim] ? d : dim;
  }
  split_t split = {.outer = 1, .size = 1, .inner = 1};
  for (int d = 0; d < shape->rank; d++) {
    int64_t *part = d < dim ? &split.outer : d == dim ? &split.size : &split.inner;
    *part *= shape->dims[d];
  }
  return split;
}

// Looks once in a while.
static bool is_stopped_at(int64_t step) {
  return step % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped();
}

static void put(const tensor_shape_t *shape, void *out, int64_t at, uint64_t bits) {
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  char *element = (char *)out + (size_t)at * bytes;
  if (tensor_dtype_is_integer(shape->dtype)) {
    tensor_element_from_int64(shape->dtype, (int64_t)bits, element);
  } else {
    memcpy(element, &bits, bytes);
  }
}

// Returns how far the counter has gone.
static uint64_t threefry_fill(uint64_t key, uint64_t counter, const tensor_shape_t *shape,
                              void *out) {
  uint32_t bits[2];
  if (tensor_dtype_device_bits(shape->dtype) == 64) {
    const int64_t count = tensor_shape_elements(shape);
    for (int64_t i = 0; i < count && !is_stopped_at(i); i++) {
      threefry(key, counter + (uint64_t)i, bits);
      put(shape, out, i, (uint64_t)bits[1] << 32 | bits[0]);
    }
    return (uint64_t)count;
  }
  const split_t split = split_of(shape);
  const int64_t halves = (split.size + 1) / 2;
  uint64_t done = 0;
  for (int64_t o = 0; o < split.outer && !is_stopped_at(o); o++) {
    for (int64_t h = 0; h < halves && !is_stopped_at(h); h++) {
      for (int64_t i = 0; i < split.inner && !is_stopped_at(i); i++, done++) {
        threefry(key, counter + done, bits);
        for (int64_t half = 0; half < 2 && 2 * h + half < split.size; half++) {
          put(shape, out, (o * split.size + 2 * h + half) * split.inner + i, bits[half]);
        }
      }
    }
  }
  return done;
}

// ----- Philox4x32, 10 rounds -----

static void philox(uint64_t key, const uint64_t counter[2], uint32_t out[4]) {
  uint32_t x[4] = {(uint32_t)counter[0], (uint32_t)(counter[0] >> 32),
                   (uint32_t)counter[1], (uint32_t)(counter[1] >> 32)};
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)x[0] * 0xD2511F53u, b = (uint64_t)x[2] * 0xCD9E8D57u;
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b,
                              (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
    memcpy(x, next, sizeof(x));
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  memcpy(out, x, sizeof(x));
}

// The counter, low word first, plus `by`.
static void advance_by(uint64_t counter[2], uint64_t by) {
  counter[0] += by;
  counter[1] += counter[0] < by;
}

static void philox_fill(uint64_t key, uint64_t counter[2], const tensor_shape_t *shape,
                        void *out) {
  const int64_t count = tensor_shape_elements(shape);
  const bool is_wide = tensor_dtype_device_bits(shape->dtype) == 64;
  const int64_t per_counter = is_wide ? 2 : 4;
  for (int64_t at = 0; at < count && !is_stopped_at(at); at += per_counter) {
    uint32_t bits[4];
    philox(key, counter, bits);
    for (int64_t i = 0; i < per_counter && at + i < count; i++) {
      put(shape, out, at + i,
          is_wide ? (uint64_t)bits[2 * i + 1] << 32 | bits[2 * i] : bits[i]);
    }
    advance_by(counter, 1);
  }
}

// ----- A part of an array -----

// What the chip draws of a larger array: the element at `at` of it is at starts + at of
// that. Elements beyond the end of the whole are zero.
typedef struct part_t {
  const tensor_shape_t *shape;
  tensor_shape_t whole;
  int64_t starts[TENSOR_RANK_MAX];
  int64_t strides[TENSOR_RANK_MAX];  // Of the whole.
  void *out;
} part_t;

// A row of the part: its elements along the last dimension.
typedef struct part_row_t {
  int64_t at;                      // Of its first element, in the part,
  int64_t global;                  // and in the whole.
  int64_t index[TENSOR_RANK_MAX];  // Of its first element, in the part.
  int64_t count;                   // Of its elements that the whole has; 0: none.
} part_row_t;

static void part_row(const part_t *part, int64_t row, part_row_t *out) {
  const int rank = part->shape->rank;
  const int64_t length = rank == 0 ? 1 : part->shape->dims[rank - 1];
  *out = (part_row_t){.at = row * length, .count = length};
  bool is_there = true;
  for (int d = rank - 1; d >= 0; d--) {
    const bool is_last = d == rank - 1;
    out->index[d] = is_last ? 0 : row % part->shape->dims[d];
    row = is_last ? row : row / part->shape->dims[d];
    const int64_t place = part->starts[d] + out->index[d];
    is_there = is_there && place >= 0 && place < part->whole.dims[d];
    out->global += place * part->strides[d];
    if (is_last && is_there && out->count > part->whole.dims[d] - place) {
      out->count = part->whole.dims[d] - place;
    }
  }
  if (!is_there) {
    out->count = 0;
  }
}

// Numbers that follow the elements in order: `per_counter` from each counter.
static void part_fill_in_order(const part_t *part, bool is_philox, uint64_t key,
                               const uint64_t counter[2]) {
  const int rank = part->shape->rank;
  const int64_t length = rank == 0 ? 1 : part->shape->dims[rank - 1];
  const int64_t rows = tensor_shape_elements(part->shape) / length;
  const bool is_wide = tensor_dtype_device_bits(part->shape->dtype) == 64;
  const int64_t per_counter = !is_philox ? 1 : is_wide ? 2 : 4;
  part_row_t row;
  for (int64_t r = 0; r < rows && !is_stopped_at(r); r++) {
    int64_t drawn = -1;
    uint32_t bits[4];
    part_row(part, r, &row);
    for (int64_t i = 0; i < row.count && !is_stopped_at(i); i++) {
      const int64_t at = row.global + i;
      if (at / per_counter != drawn) {
        drawn = at / per_counter;
        uint64_t now[2] = {counter[0], counter[1]};
        advance_by(now, (uint64_t)drawn);
        if (is_philox) {
          philox(key, now, bits);
        } else {
          threefry(key, now[0], bits);
        }
      }
      const int64_t lane = at % per_counter;
      put(part->shape, part->out, row.at + i,
          is_wide ? (uint64_t)bits[2 * lane + 1] << 32 | bits[2 * lane] : bits[lane]);
    }
  }
}

// Halves of counters that are neighbours along dimension `dim` of the whole.
static void part_fill_halves(const part_t *part, uint64_t key, uint64_t counter) {
  const split_t split = split_of(&part->whole);
  const int rank = part->shape->rank;
  int dim = rank - 1;
  while (part->strides[dim] < split.inner ||
         (part->whole.dims[dim] != split.size && dim > 0)) {
    dim--;
  }
  const int64_t length = part->shape->dims[rank - 1];
  const int64_t rows = tensor_shape_elements(part->shape) / length;
  const int64_t halves = (split.size + 1) / 2, block = split.size * split.inner;
  int64_t beside = 1;  // How far the neighbour along `dim` is in the part.
  for (int d = dim + 1; d < rank; d++) {
    beside *= part->shape->dims[d];
  }
  part_row_t row;
  for (int64_t r = 0; r < rows && !is_stopped_at(r); r++) {
    part_row(part, r, &row);
    for (int64_t i = 0; i < row.count && !is_stopped_at(i); i++) {
      const int64_t at = row.global + i;
      const int64_t along = at % block / split.inner;
      const int64_t index = dim == rank - 1 ? i : row.index[dim];
      if (along % 2 == 1 && index > 0) {
        continue;  // Its neighbour has drawn it.
      }
      uint32_t bits[2];
      threefry(key,
               counter + (uint64_t)((at / block * halves + along / 2) * split.inner +
                                    at % split.inner),
               bits);
      put(part->shape, part->out, row.at + i, bits[along % 2]);
      if (along % 2 == 0 && index + 1 < part->shape->dims[dim] &&
          along + 1 < split.size) {
        put(part->shape, part->out, row.at + i + beside, bits[1]);
      }
    }
  }
}

static void part_of(const kernel_args_t *args, const int64_t *sizes, part_t *part) {
  part->shape = kernel_result_shape(args, 1);
  part->whole = *part->shape;
  part->out = args->results[1];
  for (int d = 0; d < part->shape->rank; d++) {
    int32_t start;
    memcpy(&start, args->operands[1 + d], sizeof(start));
    part->starts[d] = start;
    part->whole.dims[d] = sizes[d];
  }
  tensor_shape_strides(&part->whole, part->strides);
}

static pod_status_t draw_part(const kernel_args_t *args, const int64_t *sizes,
                              uint64_t state[3]) {
  const int64_t size = kernel_operand_shape(args, 0)->dims[0];
  const bool is_philox =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_RNG_ALGORITHM,
                                CHIP_RNG_DEFAULT) != CHIP_RNG_THREE_FRY;
  part_t part;
  part_of(args, sizes, &part);
  kernel_zero_bytes(part.out, (size_t)tensor_shape_elements(part.shape) *
                                  tensor_dtype_bytes(part.shape->dtype));
  const bool is_wide = tensor_dtype_device_bits(part.shape->dtype) == 64;
  const bool is_halved = !is_philox && !is_wide && part.shape->rank > 0;
  const int64_t count = tensor_shape_elements(&part.whole);
  uint64_t counter[2] = {state[1], size == 3 ? state[2] : state[0]};
  if (tensor_shape_elements(part.shape) > 0 && count > 0) {
    if (is_halved) {
      part_fill_halves(&part, state[0], state[1]);
    } else {
      part_fill_in_order(&part, is_philox, state[0], counter);
    }
  }
  if (is_philox) {
    const int64_t per_counter = is_wide ? 2 : 4;
    advance_by(counter, (uint64_t)((count + per_counter - 1) / per_counter));
    state[1] = counter[0];
    state[2] = counter[1];
  } else {
    const split_t split = split_of(&part.whole);
    state[1] +=
        (uint64_t)(is_wide ? count : split.outer * ((split.size + 1) / 2) * split.inner);
  }
  memcpy(args->results[0], state, (size_t)size * sizeof(state[0]));
  return NULL;
}

pod_status_t kernel_rng_bit_generator(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_result_shape(args, 1);
  const int64_t size = kernel_operand_shape(args, 0)->dims[0];
  uint64_t state[3] = {0};
  memcpy(state, args->operands[0], (size_t)size * sizeof(state[0]));
  int32_t rank;
  const int64_t *sizes =
      chip_instruction_attr(args->instruction, CHIP_ATTR_LIMIT_INDICES, &rank);
  if (sizes != NULL) {
    return draw_part(args, sizes, state);
  }
  if (chip_instruction_attr_one(args->instruction, CHIP_ATTR_RNG_ALGORITHM,
                                CHIP_RNG_DEFAULT) == CHIP_RNG_THREE_FRY) {
    state[1] += threefry_fill(state[0], state[1], shape, args->results[1]);
  } else {
    // A state of two words has the key above the counter.
    uint64_t counter[2] = {state[1], size == 3 ? state[2] : state[0]};
    philox_fill(state[0], counter, shape, args->results[1]);
    state[1] = counter[0];
    state[2] = counter[1];
  }
  memcpy(args->results[0], state, (size_t)size * sizeof(state[0]));
  return NULL;
}
