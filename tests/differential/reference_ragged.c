// Products whose rows, or what is contracted, fall into groups: CHLO's description of
// ragged_dot, element by element.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

typedef struct ragged_t {
  const reference_value_t *lhs, *rhs, *sizes;
  int64_t lhs_batch, rhs_batch, lhs_contracting, rhs_contracting, ragged,
      group;  // Or -1.
} ragged_t;

static int64_t field(const mlir_op_t *op, const char *name) {
  int64_t values[TENSOR_RANK_MAX];
  const int count = reference_field(op, "ragged_dot_dimension_numbers", name, values);
  return count > 0 ? values[0] : -1;
}

// The group that `at` is in; -1 behind the last.
static int64_t group_of(const reference_value_t *sizes, int64_t at) {
  for (int64_t i = 0; i < sizes->count; i++) {
    at -= reference_index(sizes, i);
    if (at < 0) {
      return i;
    }
  }
  return -1;
}

// The dimension that has no other meaning.
static int64_t free_dim(const reference_value_t *value, int64_t a, int64_t b, int64_t c) {
  for (int64_t d = 0; d < value->shape.rank; d++) {
    if (d != a && d != b && d != c) {
      return d;
    }
  }
  POD_CHECK(false);
  return -1;
}

// `group` is that of the result, or -1 where it has none.
static reference_scalar_t element(const ragged_t *dot, int64_t group, int64_t batch,
                                  int64_t m, int64_t n) {
  const tensor_dtype_t dtype = dot->lhs->shape.dtype;
  int64_t lhs[TENSOR_RANK_MAX], rhs[TENSOR_RANK_MAX];
  const int64_t row = free_dim(dot->lhs, dot->lhs_batch, dot->lhs_contracting, -1);
  const int64_t column =
      free_dim(dot->rhs, dot->rhs_batch, dot->rhs_contracting, dot->group);
  lhs[row] = m;
  rhs[column] = n;
  if (dot->lhs_batch >= 0) {
    lhs[dot->lhs_batch] = rhs[dot->rhs_batch] = batch;
  }
  reference_scalar_t sum = {.dtype = dtype};
  const int64_t member = dot->group >= 0 ? group_of(dot->sizes, m) : 0;
  if (member < 0) {
    return sum;
  }
  if (dot->group >= 0) {
    rhs[dot->group] = member;
  }
  for (int64_t k = 0; k < dot->lhs->shape.dims[dot->lhs_contracting]; k++) {
    if (group >= 0 && group_of(dot->sizes, k) != group) {
      continue;
    }
    lhs[dot->lhs_contracting] = rhs[dot->rhs_contracting] = k;
    sum = reference_binary(
        "add", sum,
        reference_binary(
            "multiply", reference_load(dot->lhs, reference_ravel(&dot->lhs->shape, lhs)),
            reference_load(dot->rhs, reference_ravel(&dot->rhs->shape, rhs))));
  }
  return sum;
}

static void reference_ragged_dot(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  const ragged_t dot = {.lhs = reference_operand(machine, op, 0),
                        .rhs = reference_operand(machine, op, 1),
                        .sizes = reference_operand(machine, op, 2),
                        .lhs_batch = field(op, "lhs_batching_dimensions"),
                        .rhs_batch = field(op, "rhs_batching_dimensions"),
                        .lhs_contracting = field(op, "lhs_contracting_dimensions"),
                        .rhs_contracting = field(op, "rhs_contracting_dimensions"),
                        .ragged = field(op, "lhs_ragged_dimensions"),
                        .group = field(op, "rhs_group_dimensions")};
  const bool has_group = dot.ragged == dot.lhs_contracting;
  for (int64_t i = 0; i < result->count; i++) {
    int64_t at[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, at);
    const int first = has_group ? 1 : 0, last = result->shape.rank - 1;
    reference_store(
        result, i,
        element(&dot, has_group ? at[0] : -1, at[first], at[last - 1], at[last]));
  }
}

const reference_row_t reference_ragged_rows[] = {
    {"chlo.ragged_dot", reference_ragged_dot},
    {NULL, NULL},
};
