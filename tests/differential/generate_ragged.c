// Products whose rows, or what is contracted, fall into groups.

#include <stdio.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"

enum { ROWS, CONTRACTED, BATCHES, MODES };

// Sizes of groups that together have at most `size` members.
static mlir_value_t *generate_groups(generate_t *g, int64_t count, int64_t size) {
  int64_t sizes[8], left = size;
  POD_CHECK(count <= 8);
  for (int64_t i = 0; i < count; i++) {
    sizes[i] = generate_below(g, (int)left + 1);
    left -= sizes[i];
  }
  const tensor_dtype_t dtype = generate_chance(g, 50) ? TENSOR_S32 : TENSOR_S64;
  return generate_constant_integers(g, dtype, count, sizes);
}

// An array of the dimensions named, in any order; out_at[i] is where the i-th stands.
static tensor_shape_t shuffled(generate_t *g, tensor_dtype_t dtype, int rank,
                               const int64_t *sizes, int64_t *out_at) {
  int64_t dims[4];
  for (int i = 0; i < rank; i++) {
    out_at[i] = i;
  }
  generate_shuffle(g, rank, out_at);
  for (int i = 0; i < rank; i++) {
    dims[out_at[i]] = sizes[i];
  }
  return tensor_shape_make(dtype, rank, dims);
}

static void generate_ragged_dot(generate_t *g, const char *name) {
  tensor_dtype_t dtype;
  do {
    dtype = generate_dtype(g, GENERATE_ANY);
  } while (dtype == TENSOR_F8E8M0FNU);  // Without 0.
  const int mode = generate_below(g, MODES);
  const bool has_batch = mode == BATCHES || generate_chance(g, 40);
  const int64_t m = generate_between(g, 1, 7), n = generate_between(g, 1, 5);
  // f4E2M1FN has no 5.
  const int64_t k = generate_between(g, 1, dtype == TENSOR_F4E2M1FN ? 4 : 7);
  const int64_t b = generate_between(g, 1, 4);
  const int64_t groups = generate_between(g, 1, 5);
  const int64_t lhs_sizes[] = {m, k, b};
  const int64_t rhs_sizes[] = {n, k, has_batch ? b : groups, groups};
  const int rhs_rank = 2 + (has_batch ? 1 : 0) + (mode == ROWS ? 1 : 0);
  int64_t lhs[4], rhs[4];
  const tensor_shape_t shapes[] = {shuffled(g, dtype, has_batch ? 3 : 2, lhs_sizes, lhs),
                                   shuffled(g, dtype, rhs_rank, rhs_sizes, rhs)};
  const bool is_integral = dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
  const generate_data_t data = is_integral ? GENERATE_SPECIALS : GENERATE_UNITS;
  mlir_value_t *operands[3];
  operands[0] = generate_operand(g, &shapes[0], GENERATE_EXACT, data);
  operands[1] = generate_operand(g, &shapes[1], GENERATE_EXACT, data);
  operands[2] = generate_groups(g, groups, mode == ROWS ? m : mode == CONTRACTED ? k : b);
  int64_t dims[4];
  int rank = 0;
  if (mode == CONTRACTED) {
    dims[rank++] = groups;
  }
  if (has_batch) {
    dims[rank++] = b;
  }
  dims[rank++] = m;
  dims[rank++] = n;
  const tensor_shape_t result = tensor_shape_make(dtype, rank, dims);
  mlir_op_t *op = generate_op(g, name, 3, operands, 1, &result, 0);
  char batching[2][32] = {"[]", "[]"}, group[32] = "[]";
  if (has_batch) {
    snprintf(batching[0], sizeof(batching[0]), "[%d]", (int)lhs[2]);
    snprintf(batching[1], sizeof(batching[1]), "[%d]", (int)rhs[2]);
  }
  if (mode == ROWS) {
    snprintf(group, sizeof(group), "[%d]", (int)rhs[has_batch ? 3 : 2]);
  }
  const char *body = pod_arena_printf(
      g->module->arena,
      "lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, "
      "lhs_contracting_dimensions = [%d], rhs_contracting_dimensions = [%d], "
      "lhs_ragged_dimensions = [%d], rhs_group_dimensions = %s",
      batching[0], batching[1], (int)lhs[1], (int)rhs[1], (int)lhs[mode], group);
  mlir_op_set_attr(g->module, op, "ragged_dot_dimension_numbers",
                   mlir_attr_dialect(g->module, "chlo.ragged_dot", body));
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

const generate_row_t generate_ragged_rows[] = {
    {"chlo.ragged_dot", generate_ragged_dot},
    {NULL, NULL},
};
