#include "tests/programs/reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static double at1(const reference_array_t *a, int64_t i) {
  return a->values[i];
}

static double at2(const reference_array_t *a, int64_t i, int64_t j) {
  return a->values[i * a->dims[1] + j];
}

static double at3(const reference_array_t *a, int64_t i, int64_t j, int64_t k) {
  return a->values[(i * a->dims[1] + j) * a->dims[2] + k];
}

// Rounded to bf16, as a multiplication of bf16 arrays is.
static double round_bf16(double value) {
  if (value == 0.0) {
    return value;
  }
  int exponent;
  const double fraction = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(fraction, 8)), exponent - 8);
}

static double square_matmul(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0], *w = &in->arguments[1];
  double sum = 0;
  for (int64_t d = 0; d < x->dims[1]; d++) {
    const double value = at2(x, index[0], d);
    sum += round_bf16(value * value) * at2(w, d, index[1]);
  }
  return sum;
}

static double matmul(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *a = &in->arguments[0], *b = &in->arguments[1];
  double sum = 0;
  for (int64_t k = 0; k < a->dims[1]; k++) {
    sum += at2(a, index[0], k) * at2(b, k, index[1]);
  }
  return sum;
}

static double identity(const reference_inputs_t *in, const int64_t *index) {
  return at2(&in->arguments[0], index[0], index[1]);
}

// The sum over the shards along Y; the result has the shape of one of them in that
// dimension.
static double psum_over_y(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0];
  const int64_t shard = x->dims[1] / in->mesh_y;
  double sum = 0;
  for (int64_t y = 0; y < in->mesh_y; y++) {
    sum += at2(x, index[0], y * shard + index[1]);
  }
  return sum;
}

// Every shard goes to the next along Y.
static double ppermute(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0];
  const int64_t shard = x->dims[1] / in->mesh_y;
  const int64_t y = index[1] / shard;
  const int64_t from = (y + in->mesh_y - 1) % in->mesh_y;
  return at2(x, index[0], from * shard + index[1] % shard);
}

static double mean_in_shard(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0];
  const int64_t rows = x->dims[0] / in->mesh_x, columns = x->dims[1] / in->mesh_y;
  double sum = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j++) {
      sum += at2(x, index[0] * rows + i, index[1] * columns + j);
    }
  }
  return sum / (double)(rows * columns);
}

// roll(x, shift, axis=0) - x within each shard; the shift is 1 in the small variant and 5
// in the large one.
static double roll_in_shard(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0];
  const int64_t rows = x->dims[0] / in->mesh_x;
  const int64_t shift = x->dims[0] <= 16 ? 1 : 5;
  const int64_t shard = index[0] / rows, row = index[0] % rows;
  return at2(x, shard * rows + (row + rows - shift) % rows, index[1]) -
         at2(x, index[0], index[1]);
}

// The mean over all shards of the first four elements of each.
static double slice_and_average(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *x = &in->arguments[0];
  const int64_t shards = in->mesh_x * in->mesh_y, length = x->dims[0] / shards;
  double sum = 0;
  for (int64_t s = 0; s < shards; s++) {
    sum += at1(x, s * length + index[0]);
  }
  return sum / (double)shards;
}

// Token i goes through the expert B[i], or through the sum of those in B[i, :].
static double mixture_of_experts(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *w = &in->arguments[0], *a = &in->arguments[1],
                          *b = &in->arguments[2];
  const int64_t choices = b->rank == 1 ? 1 : b->dims[1];
  double sum = 0;
  for (int64_t choice = 0; choice < choices; choice++) {
    const int64_t expert = (int64_t)at1(b, index[0] * choices + choice);
    for (int64_t d = 0; d < a->dims[1]; d++) {
      sum += at2(a, index[0], d) * at3(w, expert, d, index[1]);
    }
  }
  return sum;
}

// The product of all the arguments, from the left: one row of the first is carried
// through.
static double product(const reference_inputs_t *in, const int64_t *index) {
  const reference_array_t *first = &in->arguments[0];
  int64_t length = first->dims[1];
  double *row = malloc((size_t)length * sizeof(double));
  memcpy(row, first->values + index[0] * length, (size_t)length * sizeof(double));
  for (int i = 1; i < in->argument_count; i++) {
    const reference_array_t *factor = &in->arguments[i];
    const int64_t columns = factor->dims[1];
    double *next = calloc((size_t)columns, sizeof(double));
    for (int64_t k = 0; k < length; k++) {
      for (int64_t j = 0; j < columns; j++) {
        next[j] += row[k] * at2(factor, k, j);
      }
    }
    free(row);
    row = next;
    length = columns;
  }
  const double value = row[index[1]];
  free(row);
  return value;
}

static double sine(const reference_inputs_t *in, const int64_t *index) {
  return sin(at2(&in->arguments[0], index[0], index[1]));
}

enum {
  SQUARE = REFERENCE_2X2,
  RECTANGLE = REFERENCE_2X4,
  BOTH = SQUARE | RECTANGLE,
  RINGS = REFERENCE_4 | REFERENCE_4RING,
};

const reference_program_t reference_programs[] = {
    {"square_matmul", BOTH, SQUARE, square_matmul, 0.01, 1e-5},
    {"matmul_no_contracting_sharded", BOTH, SQUARE, matmul, 0.01, 1e-5},
    {"matmul_one_contracting_sharded", BOTH, SQUARE, matmul, 0.01, 1e-5},
    {"matmul_both_contracting_sharded", BOTH, SQUARE, matmul, 0.01, 1e-5},
    {"matmul_both_contracting_sharded_scatter", BOTH, SQUARE, matmul, 0.01, 1e-5},
    {"matmul_same_axis", BOTH, SQUARE, matmul, 0.01, 1e-5},
    {"all_gather", BOTH, SQUARE, identity, 0, 0},
    {"all_gather_mesh_axes", BOTH, 0, identity, 0, 0},
    {"psum", BOTH, SQUARE, psum_over_y, 0, 1e-6},
    {"psum_scatter", BOTH, SQUARE, psum_over_y, 0, 1e-6},
    {"all_to_all", BOTH, SQUARE, identity, 0, 0},
    {"ppermute", BOTH, SQUARE, ppermute, 0, 0},
    {"mean_in_shard", BOTH, SQUARE, mean_in_shard, 0, 1e-4},
    {"mean_in_shard_jit", BOTH, SQUARE, mean_in_shard, 0, 1e-4},
    {"roll_in_shard", BOTH, SQUARE, roll_in_shard, 0, 1e-6},
    {"slice_and_average", BOTH, RECTANGLE, slice_and_average, 0, 1e-6},
    {"collective_matmul", BOTH, RECTANGLE, matmul, 0.02, 1e-5},
    {"moe_all_gather", BOTH, SQUARE, mixture_of_experts, 0, 1e-5},
    {"moe_all_gather_top2", BOTH, SQUARE, mixture_of_experts, 0, 1e-5},
    {"moe_all_to_all", BOTH, RECTANGLE, mixture_of_experts, 0, 1e-5},
    {"moe_all_to_all_top2", BOTH, RECTANGLE, mixture_of_experts, 0, 1e-5},
    {"matmul_allgather", RINGS, 0, matmul, 0, 1e-5},
    {"matmul_allgather_overlapped", RINGS, 0, matmul, 0, 1e-5},
    {"matmul_allgather_overlapped_bidi", RINGS, 0, matmul, 0, 1e-5},
    {"matmul_allgather_overlapped_bidi_padded", RINGS, 0, matmul, 0, 1e-5},
    {"matmul_allgather_first", RECTANGLE, 0, matmul, 0, 1e-5},
    {"matmul_contracting_whole", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_unrolled", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_bidi", RECTANGLE, 0, matmul, 0, 1e-5},
    {"matmul_allreduce", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_allreduce", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_allreduce_bidi", RECTANGLE, 0, matmul, 0, 1e-5},
    {"matmul_psumscatter", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_psumscatter", RECTANGLE, 0, matmul, 0, 1e-5},
    {"collective_matmul_psumscatter_bidi", RECTANGLE, 0, matmul, 0, 1e-5},
    {"transformer_block", RECTANGLE, 0, product, 0, 1e-5},
    {"transformer_block_overlapped", RECTANGLE, 0, product, 0, 1e-5},
    {"transformer_block_overlapped_bidi", RECTANGLE, 0, product, 0, 1e-5},
    {"layerwise_matmul", REFERENCE_4, 0, product, 0, 1e-5},
    {"layerwise_matmul_shard_map", REFERENCE_4, 0, product, 0, 1e-5},
    {"matmul_large", SQUARE, 0, matmul, 0, 1e-5},
    {"matmul_large_gathered", SQUARE, 0, matmul, 0, 1e-5},
    {"sin", REFERENCE_1 | SQUARE, 0, sine, 0, 1e-6},
    {NULL, 0, 0, NULL, 0, 0},
};
