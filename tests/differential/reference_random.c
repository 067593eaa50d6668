// Generators of random bits: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (2011). Which counter and which word an element has is XLA's choice.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

// Threefry-2x32 of 20 rounds.
static void three_fry(uint64_t key, uint64_t counter, uint32_t out[2]) {
  static const unsigned turns[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
  const uint32_t keys[] = {low, high, 0x1BD11BDA ^ low ^ high};
  uint32_t a = (uint32_t)counter + keys[0], b = (uint32_t)(counter >> 32) + keys[1];
  for (unsigned round = 0; round < 20; round++) {
    const unsigned turn = turns[round % 8];
    a += b;
    b = (b << turn | b >> (32 - turn)) ^ a;
    if (round % 4 == 3) {
      const unsigned step = round / 4 + 1;
      a += keys[step % 3];
      b += keys[(step + 1) % 3] + step;
    }
  }
  out[0] = a;
  out[1] = b;
}

// Philox-4x32 of 10 rounds.
static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t out[4]) {
  uint32_t x[] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                  (uint32_t)(high >> 32)};
  uint32_t k[] = {(uint32_t)key, (uint32_t)(key >> 32)};
  for (int round = 0; round < 10; round++) {
    const uint64_t first = (uint64_t)x[0] * 0xD2511F53u;
    const uint64_t second = (uint64_t)x[2] * 0xCD9E8D57u;
    const uint32_t next[] = {(uint32_t)(second >> 32) ^ x[1] ^ k[0], (uint32_t)second,
                             (uint32_t)(first >> 32) ^ x[3] ^ k[1], (uint32_t)first};
    memcpy(x, next, sizeof(x));
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  memcpy(out, x, sizeof(x));
}

// Numbers of at most 32 bits come in pairs: both words of a counter lie next to each
// other along the first dimension of even size, else along the largest one, whose last
// pair is cut. Returns how many counters there are.
static int64_t place_of_pair(const tensor_shape_t *shape, int64_t flat,
                             int64_t *out_counter, int *out_word) {
  int split = -1;
  for (int d = shape->rank - 1; d >= 0; d--) {
    split = shape->dims[d] % 2 == 0 ? d : split;
  }
  for (int d = 0; d < shape->rank && (split < 0 || shape->dims[split] % 2 != 0); d++) {
    split = split < 0 || shape->dims[d] > shape->dims[split] ? d : split;
  }
  int64_t index[TENSOR_RANK_MAX], counters = 1, counter = 0;
  reference_unravel(shape, flat, index);
  *out_word = 0;
  for (int d = 0; d < shape->rank; d++) {
    const bool is_split = d == split;
    const int64_t size = is_split ? (shape->dims[d] + 1) / 2 : shape->dims[d];
    counter = counter * size + (is_split ? index[d] / 2 : index[d]);
    counters *= size;
    *out_word = is_split ? (int)(index[d] % 2) : *out_word;
  }
  *out_counter = counter;
  return counters;
}

static uint64_t three_fry_element(const tensor_shape_t *shape, const uint64_t *state,
                                  int64_t i, bool is_wide) {
  uint32_t words[2];
  if (is_wide) {
    three_fry(state[0], state[1] + (uint64_t)i, words);
    return words[0] | (uint64_t)words[1] << 32;
  }
  int64_t counter;
  int word;
  place_of_pair(shape, i, &counter, &word);
  three_fry(state[0], state[1] + (uint64_t)counter, words);
  return words[word];
}

static uint64_t philox_element(const uint64_t *state, int words_of_state, int64_t i,
                               bool is_wide) {
  const uint64_t each = is_wide ? 2 : 4;
  const uint64_t base = state[1], high = words_of_state == 3 ? state[2] : state[0];
  const uint64_t low = base + (uint64_t)i / each;
  uint32_t words[4];
  philox(state[0], low, high + (low < base ? 1 : 0), words);
  const uint64_t within = (uint64_t)i % each;
  return is_wide ? words[2 * within] | (uint64_t)words[2 * within + 1] << 32
                 : words[within];
}

static void reference_rng_bits(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *from = reference_operand(machine, op, 0);
  reference_value_t *next = reference_result(machine, op, 0);
  reference_value_t *bits = reference_result(machine, op, 1);
  const bool is_three_fry =
      strcmp(reference_word(machine, op, "rng_algorithm", ""), "THREE_FRY") == 0;
  const bool is_wide = tensor_dtype_bytes(bits->shape.dtype) == 8;
  uint64_t state[3] = {0};
  POD_CHECK(from->count == 2 || from->count == 3);
  memcpy(state, from->data, (size_t)from->count * sizeof(state[0]));
  for (int64_t i = 0; i < bits->count; i++) {
    const uint64_t number = is_three_fry
                                ? three_fry_element(&bits->shape, state, i, is_wide)
                                : philox_element(state, (int)from->count, i, is_wide);
    reference_store(bits, i, reference_of_integer(bits->shape.dtype, (int64_t)number));
  }
  uint64_t used = (uint64_t)bits->count;
  if (is_three_fry && !is_wide) {
    int64_t counter;
    int word;
    tensor_shape_t shape = bits->shape;
    used = bits->count == 0 ? 0 : (uint64_t)place_of_pair(&shape, 0, &counter, &word);
  } else if (!is_three_fry) {
    used = is_wide ? (used + 1) / 2 : (used + 3) / 4;
  }
  const uint64_t low = state[1] + used;
  state[2] += low < state[1] ? 1 : 0;
  state[1] = low;
  memcpy(next->data, state, (size_t)next->count * sizeof(state[0]));
}

// Numbers that lie as those of the distribution do: at the middles of as many parts of
// the same probability. Which they are is left open.
static void reference_rng(reference_t *machine, const mlir_op_t *op) {
  const reference_scalar_t a = reference_load(reference_operand(machine, op, 0), 0);
  const reference_scalar_t b = reference_load(reference_operand(machine, op, 1), 0);
  reference_value_t *result = reference_result(machine, op, 0);
  const bool is_normal =
      strcmp(reference_word(machine, op, "rng_distribution", ""), "NORMAL") == 0;
  const tensor_dtype_t dtype = result->shape.dtype;
  for (int64_t i = 0; i < result->count; i++) {
    const double middle = ((double)i + 0.5) / (double)result->count;
    if (dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype)) {
      const int64_t offset = i % (b.integer - a.integer);
      reference_store(result, i, reference_of_integer(dtype, a.integer + offset));
      continue;
    }
    double x = a.real + middle * (b.real - a.real);
    if (is_normal) {  // The logistic distribution of the same variance is near enough.
      x = a.real + b.real * log(middle / (1 - middle)) * 0.5513288954217921;
    }
    reference_store(result, i, reference_of_real(dtype, x));
    if (!is_normal && reference_load(result, i).real >= b.real) {
      reference_store(result, i, a);
    }
  }
}

const reference_row_t reference_random_rows[] = {
    {"stablehlo.rng_bit_generator", reference_rng_bits},
    {"stablehlo.rng", reference_rng},
    {NULL, NULL},
};
