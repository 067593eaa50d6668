// The rules of operations that cut, join and reshape dimensions.

#include "common/base/check.h"
#include "common/base/number.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/factors_builder.h"

// A walk along the dimensions of one side of a reshape, major to minor.
typedef struct reshape_side_t {
  const tensor_shape_t *shape;
  factor_tensor_t *tensor;
  int dim;
  int64_t rest;  // Of the current dimension, not yet given to a factor.
} reshape_side_t;

// Goes to the next dimension that has something left. False at the end.
static bool side_advance(reshape_side_t *side) {
  while (side->rest == 1) {
    if (++side->dim >= side->shape->rank) {
      return false;
    }
    side->rest = side->shape->dims[side->dim];
  }
  return true;
}

static void side_take(pod_arena_t *arena, reshape_side_t *side, int factor,
                      int64_t size) {
  factors_append(arena, side->tensor, side->dim, factor);
  side->rest /= size;
}

// Both sides are read as mixed-radix numbers, major to minor. Where they stand at the
// same place, the greatest common divisor of what is left of the two dimensions is a
// common factor; where it is 1 the digits do not line up (3x2 -> 2x3), and until they do
// again each side gets factors of its own.
pod_status_t factors_reshape(mlir_module_t *module, const mlir_op_t *op,
                             pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  *out = factors;
  reshape_side_t from = {.shape = factors_shape(op->operands[0]),
                         .tensor = &factors->operands[0],
                         .dim = -1,
                         .rest = 1};
  reshape_side_t to = {.shape = factors_shape(&op->results[0]),
                       .tensor = &factors->results[0],
                       .dim = -1,
                       .rest = 1};
  if (tensor_shape_elements(from.shape) == 0) {
    return NULL;
  }
  // Products of the factors taken so far; equal while the sides are in step.
  int64_t from_done = 1, to_done = 1;
  for (;;) {
    const bool from_left = side_advance(&from), to_left = side_advance(&to);
    if (!from_left || !to_left) {
      break;
    }
    if (from_done == to_done) {
      const int64_t common = pod_greatest_common_divisor(from.rest, to.rest);
      if (common > 1) {
        const int factor = factors_add(arena, factors, common, FACTOR_PASS);
        side_take(arena, &from, factor, common);
        side_take(arena, &to, factor, common);
        from_done *= common;
        to_done *= common;
        continue;
      }
    }
    // Out of step: the side that is behind takes what brings it level, or all it has.
    const bool from_behind = from_done <= to_done;
    reshape_side_t *behind = from_behind ? &from : &to;
    int64_t *done = from_behind ? &from_done : &to_done;
    const int64_t ahead = from_behind ? to_done : from_done;
    int64_t size = behind->rest;
    if (ahead % *done == 0 && ahead > *done && size % (ahead / *done) == 0) {
      size = ahead / *done;
    }
    side_take(arena, behind, factors_add(arena, factors, size, FACTOR_REPLICATE), size);
    *done *= size;
  }
  // One side may have ended out of step with digits of the other left over.
  while (side_advance(&from)) {
    const int64_t size = from.rest;
    side_take(arena, &from, factors_add(arena, factors, size, FACTOR_REPLICATE), size);
  }
  while (side_advance(&to)) {
    const int64_t size = to.rest;
    side_take(arena, &to, factors_add(arena, factors, size, FACTOR_REPLICATE), size);
  }
  return NULL;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// A dimension of operand 0 that becomes the same dimension of the result.
static void add_common(pod_arena_t *arena, factors_t *factors, int dim, int64_t size,
                       factor_kind_t kind) {
  if (size > 0) {
    const int factor = factors_add(arena, factors, size, kind);
    factors_append(arena, &factors->operands[0], dim, factor);
    factors_append(arena, &factors->results[0], dim, factor);
  }
}

// A dimension of one tensor that has no counterpart.
static void add_alone(pod_arena_t *arena, factors_t *factors, factor_tensor_t *tensor,
                      int dim, int64_t size, factor_kind_t kind) {
  if (size > 0) {
    factors_append(arena, tensor, dim, factors_add(arena, factors, size, kind));
  }
}

// Every stride-th element: [n] is read as (n / stride, stride), of which the result has
// the major factor, so that shards of whole strides stay where they are.
static bool add_strided(pod_arena_t *arena, factors_t *factors, int dim, int64_t from,
                        int64_t to, int64_t start, int64_t stride) {
  if (stride == 1 || from % stride != 0 || to != from / stride || start >= stride) {
    return false;
  }
  const int major = factors_add(arena, factors, to, FACTOR_PASS);
  const int minor = factors_add(arena, factors, stride, FACTOR_REPLICATE);
  factors_append(arena, &factors->operands[0], dim, major);
  factors_append(arena, &factors->operands[0], dim, minor);
  factors_append(arena, &factors->results[0], dim, major);
  return true;
}

pod_status_t factors_slice(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                           factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  int64_t starts[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
  factors_attr(op, "start_indices", from->rank, starts);
  factors_attr(op, "strides", from->rank, strides);
  for (int d = 0; d < from->rank; d++) {
    if (to->dims[d] == from->dims[d]) {
      add_common(arena, factors, d, from->dims[d], FACTOR_PASS);
    } else if (to->dims[d] > 0 && !add_strided(arena, factors, d, from->dims[d],
                                               to->dims[d], starts[d], strides[d])) {
      add_common(arena, factors, d, from->dims[d], FACTOR_PERMUTATION);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_dynamic_slice(mlir_module_t *module, const mlir_op_t *op,
                                   pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  for (int d = 0; d < from->rank; d++) {
    if (to->dims[d] == from->dims[d]) {
      add_common(arena, factors, d, from->dims[d], FACTOR_PASS);
    } else {
      add_alone(arena, factors, &factors->operands[0], d, from->dims[d], FACTOR_PICKED);
      add_alone(arena, factors, &factors->results[0], d, to->dims[d], FACTOR_REPLICATE);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_dynamic_update_slice(mlir_module_t *module, const mlir_op_t *op,
                                          pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *whole = factors_shape(op->operands[0]);
  const tensor_shape_t *update = factors_shape(op->operands[1]);
  for (int d = 0; d < whole->rank; d++) {
    if (whole->dims[d] == 0) {
      continue;
    }
    const bool full = update->dims[d] == whole->dims[d];
    add_common(arena, factors, d, whole->dims[d],
               full ? FACTOR_PASS : FACTOR_PERMUTATION);
    if (full) {
      factors_append(arena, &factors->operands[1], d, factors->factor_count - 1);
    } else {
      add_alone(arena, factors, &factors->operands[1], d, update->dims[d],
                FACTOR_REPLICATE);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_concatenate(mlir_module_t *module, const mlir_op_t *op,
                                 pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const mlir_attr_t *dimension = mlir_op_attr(op, "dimension");
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  for (int d = 0; d < to->rank; d++) {
    if (to->dims[d] == 0) {
      continue;
    }
    const bool joined = dimension != NULL && dimension->integer == d;
    const int factor = factors_add(arena, factors, to->dims[d],
                                   joined ? FACTOR_PERMUTATION : FACTOR_PASS);
    factors_append(arena, &factors->results[0], d, factor);
    for (int i = 0; i < op->operand_count; i++) {
      if (factors_shape(op->operands[i])->dims[d] > 0) {
        factors_append(arena, &factors->operands[i], d, factor);
      }
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_pad(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                         factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  int64_t low[TENSOR_RANK_MAX], high[TENSOR_RANK_MAX], interior[TENSOR_RANK_MAX];
  factors_attr(op, "edge_padding_low", from->rank, low);
  factors_attr(op, "edge_padding_high", from->rank, high);
  factors_attr(op, "interior_padding", from->rank, interior);
  for (int d = 0; d < from->rank; d++) {
    const bool untouched =
        low[d] == 0 && high[d] == 0 && (interior[d] == 0 || from->dims[d] == 1);
    if (from->dims[d] > 0 && to->dims[d] > 0) {
      add_common(arena, factors, d, larger(from->dims[d], to->dims[d]),
                 untouched ? FACTOR_PASS : FACTOR_PERMUTATION);
    } else {
      add_alone(arena, factors, &factors->results[0], d, to->dims[d], FACTOR_REPLICATE);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_reverse(mlir_module_t *module, const mlir_op_t *op,
                             pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *shape = factors_shape(&op->results[0]);
  for (int d = 0; d < shape->rank; d++) {
    const bool reversed = factors_attr_has(op, "dimensions", d) && shape->dims[d] > 1;
    add_common(arena, factors, d, shape->dims[d],
               reversed ? FACTOR_PERMUTATION : FACTOR_PASS);
  }
  *out = factors;
  return NULL;
}
