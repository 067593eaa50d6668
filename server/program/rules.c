// A rule is a list of demands; each returns INVALID_ARGUMENT with the numbers. What the
// rules allow, kernels may take for granted.

#include "server/program/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/program/rule.h"

static pod_status_t check_constant(const rule_t *rule) {
  (void)rule;
  return BAD("a constant is a buffer of the program, not an instruction");
}

static pod_status_t check_iota(const rule_t *rule) {
  int64_t dimension;
  POD_TRY(arity(rule, 0, 1));
  return value_below(rule, CHIP_ATTR_DIMENSION, result(rule, 0)->rank, &dimension);
}

static pod_status_t check_device_id(const rule_t *rule) {
  POD_TRY(arity(rule, 0, 1));
  return demand(
      is_scalar(result(rule, 0), TENSOR_U32) || is_scalar(result(rule, 0), TENSOR_S32),
      "the result must be a 32-bit scalar");
}

static pod_status_t check_binary(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  return demand(tensor_shape_equal(operand(rule, 0), result(rule, 0)) &&
                    tensor_shape_equal(operand(rule, 1), result(rule, 0)),
                "operands and result must have one shape");
}

static pod_status_t check_unary(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const bool is_absolute = rule->instruction->op == CHIP_OP_ABS &&
                           tensor_dtype_is_complex(operand(rule, 0)->dtype);
  POD_TRY(demand(tensor_shape_same_dims(operand(rule, 0), result(rule, 0)),
                 "operand and result must have the same sizes"));
  return demand(is_absolute || operand(rule, 0)->dtype == result(rule, 0)->dtype,
                "operand and result must have one element type");
}

static pod_status_t check_convert(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  return demand(tensor_shape_same_dims(operand(rule, 0), result(rule, 0)),
                "operand and result must have the same sizes");
}

static pod_status_t check_is_finite(const rule_t *rule) {
  POD_TRY(check_convert(rule));
  return demand(result(rule, 0)->dtype == TENSOR_PRED, "the result must be of pred");
}

static pod_status_t check_compare(const rule_t *rule) {
  int64_t direction;
  POD_TRY(arity(rule, 2, 1));
  POD_TRY(demand(tensor_shape_equal(operand(rule, 0), operand(rule, 1)) &&
                     tensor_shape_same_dims(operand(rule, 0), result(rule, 0)) &&
                     result(rule, 0)->dtype == TENSOR_PRED,
                 "operands must have one shape and the result its sizes, of pred"));
  return value_below(rule, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_LT + 1,
                     &direction);
}

static pod_status_t check_select(const rule_t *rule) {
  POD_TRY(arity(rule, 3, 1));
  const tensor_shape_t *predicate = operand(rule, 0);
  return demand(
      predicate->dtype == TENSOR_PRED &&
          (predicate->rank == 0 || tensor_shape_same_dims(predicate, result(rule, 0))) &&
          tensor_shape_equal(operand(rule, 1), result(rule, 0)) &&
          tensor_shape_equal(operand(rule, 2), result(rule, 0)),
      "the cases must have the result's shape, the predicate its sizes or none");
}

static pod_status_t check_clamp(const rule_t *rule) {
  POD_TRY(arity(rule, 3, 1));
  const tensor_shape_t *of = result(rule, 0);
  for (int32_t i = 0; i < 3; i += 2) {
    POD_TRY(demand(is_scalar(operand(rule, i), of->dtype) ||
                       tensor_shape_equal(operand(rule, i), of),
                   "a bound must be a scalar or have the result's shape"));
  }
  return demand(tensor_shape_equal(operand(rule, 1), of),
                "operand and result must have one shape");
}

static pod_status_t check_broadcast_in_dim(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *from = operand(rule, 0);
  const tensor_shape_t *to = result(rule, 0);
  uint32_t seen = 0;
  int32_t count;
  POD_TRY(dimensions(rule, CHIP_ATTR_DIMENSIONS, to->rank, &seen, &count));
  POD_TRY(demand(count == from->rank && from->dtype == to->dtype,
                 "every dimension of the operand needs its place in the result"));
  const int64_t *at =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_DIMENSIONS, &count);
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(from->dims[i] == 1 || from->dims[i] == to->dims[at[i]],
                   "a size of the operand must be 1 or the result's"));
  }
  return NULL;
}

static pod_status_t check_reshape(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  return demand(operand(rule, 0)->dtype == result(rule, 0)->dtype &&
                    tensor_shape_elements(operand(rule, 0)) ==
                        tensor_shape_elements(result(rule, 0)),
                "operand and result must have the same number of elements");
}

static pod_status_t check_transpose(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *from = operand(rule, 0);
  const tensor_shape_t *to = result(rule, 0);
  uint32_t seen = 0;
  int32_t count;
  POD_TRY(dimensions(rule, CHIP_ATTR_DIMENSIONS, from->rank, &seen, &count));
  POD_TRY(
      demand(count == from->rank && to->rank == from->rank && from->dtype == to->dtype,
             "the dimensions must be a permutation"));
  const int64_t *order =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_DIMENSIONS, &count);
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(to->dims[i] == from->dims[order[i]],
                   "the result's sizes must be the operand's, permuted"));
  }
  return NULL;
}

static pod_status_t check_slice(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 1));
  const tensor_shape_t *from = operand(rule, 0);
  const tensor_shape_t *to = result(rule, 0);
  const int64_t *start;
  const int64_t *limit;
  const int64_t *stride;
  POD_TRY(values(rule, CHIP_ATTR_START_INDICES, from->rank, &start));
  POD_TRY(values(rule, CHIP_ATTR_LIMIT_INDICES, from->rank, &limit));
  POD_TRY(values(rule, CHIP_ATTR_STRIDES, from->rank, &stride));
  POD_TRY(demand(from->rank == to->rank && from->dtype == to->dtype,
                 "operand and result must have one rank and element type"));
  for (int i = 0; i < from->rank; i++) {
    POD_TRY(demand(0 <= start[i] && start[i] <= limit[i] && limit[i] <= from->dims[i] &&
                       stride[i] >= 1,
                   "the slice leaves the operand"));
    const int64_t span = limit[i] - start[i];
    POD_TRY(demand(to->dims[i] == span / stride[i] + (span % stride[i] != 0),
                   "the result's sizes must be the slice's"));
  }
  return NULL;
}

static pod_status_t check_start_operands(const rule_t *rule, int32_t first) {
  for (int32_t i = first; i < rule->instruction->operand_count; i++) {
    POD_TRY(demand(
        operand(rule, i)->rank == 0 && tensor_dtype_is_integer(operand(rule, i)->dtype),
        "a start index must be an integer scalar"));
  }
  return NULL;
}

// The piece that is cut out or put in.
static pod_status_t check_within(const tensor_shape_t *piece,
                                 const tensor_shape_t *whole) {
  POD_TRY(demand(piece->rank == whole->rank && piece->dtype == whole->dtype,
                 "slice and array must have one rank and element type"));
  for (int i = 0; i < piece->rank; i++) {
    POD_TRY(demand(piece->dims[i] <= whole->dims[i], "the slice exceeds the array"));
  }
  return NULL;
}

static pod_status_t check_dynamic_slice(const rule_t *rule) {
  POD_TRY(demand(rule->instruction->operand_count > 0, "no operand"));
  POD_TRY(arity(rule, 1 + operand(rule, 0)->rank, 1));
  POD_TRY(check_start_operands(rule, 1));
  return check_within(result(rule, 0), operand(rule, 0));
}

static pod_status_t check_dynamic_update_slice(const rule_t *rule) {
  POD_TRY(demand(rule->instruction->operand_count > 1, "no update"));
  POD_TRY(arity(rule, 2 + operand(rule, 0)->rank, 1));
  POD_TRY(check_start_operands(rule, 2));
  POD_TRY(check_within(operand(rule, 1), operand(rule, 0)));
  return demand(tensor_shape_equal(operand(rule, 0), result(rule, 0)),
                "operand and result must have one shape");
}

// Same shape but for one dimension.
static bool differs_only_in(const tensor_shape_t *a, const tensor_shape_t *b,
                            int64_t dimension) {
  tensor_shape_t same = *a;
  if (a->rank != b->rank) {
    return false;
  }
  same.dims[dimension] = b->dims[dimension];
  return tensor_shape_equal(&same, b);
}

static pod_status_t check_concatenate(const rule_t *rule) {
  int64_t dimension;
  POD_TRY(demand(rule->instruction->operand_count > 0, "no operand"));
  POD_TRY(arity(rule, rule->instruction->operand_count, 1));
  POD_TRY(value_below(rule, CHIP_ATTR_DIMENSION, result(rule, 0)->rank, &dimension));
  int64_t left = result(rule, 0)->dims[dimension];
  for (int32_t i = 0; i < rule->instruction->operand_count; i++) {
    POD_TRY(demand(differs_only_in(operand(rule, i), result(rule, 0), dimension) &&
                       operand(rule, i)->dims[dimension] <= left,
                   "the operands do not make up the result"));
    left -= operand(rule, i)->dims[dimension];
  }
  return demand(left == 0, "the operands do not make up the result");
}

static bool pad_size(int64_t size, int64_t low, int64_t high, int64_t interior,
                     int64_t *out_size) {
  int64_t gaps;
  return interior >= 0 &&
         !__builtin_mul_overflow(interior, size > 0 ? size - 1 : 0, &gaps) &&
         !__builtin_add_overflow(size, gaps, out_size) &&
         !__builtin_add_overflow(*out_size, low, out_size) &&
         !__builtin_add_overflow(*out_size, high, out_size);
}

static pod_status_t check_pad(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  const tensor_shape_t *from = operand(rule, 0);
  const tensor_shape_t *to = result(rule, 0);
  const int64_t *low;
  const int64_t *high;
  const int64_t *interior;
  POD_TRY(values(rule, CHIP_ATTR_EDGE_PADDING_LOW, from->rank, &low));
  POD_TRY(values(rule, CHIP_ATTR_EDGE_PADDING_HIGH, from->rank, &high));
  POD_TRY(values(rule, CHIP_ATTR_INTERIOR_PADDING, from->rank, &interior));
  POD_TRY(demand(from->rank == to->rank && from->dtype == to->dtype &&
                     is_scalar(operand(rule, 1), from->dtype),
                 "operand, padding and result must have one element type"));
  for (int i = 0; i < from->rank; i++) {
    int64_t size;
    POD_TRY(demand(pad_size(from->dims[i], low[i], high[i], interior[i], &size) &&
                       size == to->dims[i],
                   "the result's sizes must be the padded operand's"));
  }
  return NULL;
}

static pod_status_t check_reverse(const rule_t *rule) {
  uint32_t seen = 0;
  int32_t count;
  POD_TRY(check_unary(rule));
  return dimensions(rule, CHIP_ATTR_DIMENSIONS, operand(rule, 0)->rank, &seen, &count);
}

static pod_status_t check_none(const rule_t *rule) {
  if (rule->instruction->op == CHIP_OP_COPY) {
    return check_unary(rule);
  }
  if (rule->instruction->op == CHIP_OP_ASYNC_DONE) {
    return demand(rule->instruction->result_count == 0, "it has no results");
  }
  return BAD("%s is no instruction of a chip", chip_op_name(rule->instruction->op));
}

// The operand's sizes without the reduced dimensions.
static bool is_reduced(const tensor_shape_t *from, uint32_t reduced,
                       const tensor_shape_t *to) {
  int at = 0;
  for (int i = 0; i < from->rank; i++) {
    if ((reduced & (1u << i)) == 0) {
      if (at >= to->rank || to->dims[at] != from->dims[i]) {
        return false;
      }
      at++;
    }
  }
  return at == to->rank;
}

pod_status_t rule_region(const rule_t *rule, int32_t call, int32_t count,
                         bool is_reducer) {
  const chip_computation_t *region =
      &rule->program->computations[rule->instruction->calls[call]];
  POD_TRY(demand(region->parameter_count == 2 * count &&
                     region->result_count == (is_reducer ? count : 1),
                 "the region must take two elements and return one"));
  POD_TRY(demand(is_reducer || is_scalar(shape_of(rule, region->results[0]), TENSOR_PRED),
                 "the region must return a pred"));
  for (int32_t i = 0; i < 2 * count; i++) {
    const int32_t of = is_reducer ? i % count : i / 2;
    const tensor_dtype_t dtype = operand(rule, of)->dtype;
    POD_TRY(demand(is_scalar(shape_of(rule, region->parameters[i]), dtype) &&
                       (!is_reducer || i >= count ||
                        is_scalar(shape_of(rule, region->results[i]), dtype)),
                   "the region must be over scalars of the operands' element types"));
    const chip_buffer_kind_t kind = rule->program->buffers[region->parameters[i]].kind;
    POD_TRY(demand(kind != CHIP_BUFFER_ARGUMENT && kind != CHIP_BUFFER_CONSTANT,
                   "the region's parameters are read only"));
  }
  return NULL;
}

// A known reducer of one operand, or a region of scalars.
pod_status_t rule_reducer(const rule_t *rule, int32_t count) {
  const int64_t reducer =
      chip_instruction_attr_one(rule->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  if (reducer > CHIP_REDUCER_NONE && reducer <= CHIP_REDUCER_XOR) {
    return demand(count == 1, "a known reducer takes one operand");
  }
  POD_TRY(demand(reducer == CHIP_REDUCER_NONE && rule->instruction->call_count == 1,
                 "neither a known reducer nor a region"));
  return rule_region(rule, 0, count, true);
}

static pod_status_t check_reduce(const rule_t *rule) {
  const int32_t count = rule->instruction->result_count;
  POD_TRY(demand(count > 0 && count <= CHIP_BUFFERS_MAX / 2, "no result"));
  POD_TRY(arity(rule, 2 * count, count));
  uint32_t reduced = 0;
  int32_t dimension_count;
  POD_TRY(dimensions(rule, CHIP_ATTR_DIMENSIONS, operand(rule, 0)->rank, &reduced,
                     &dimension_count));
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(demand(tensor_shape_same_dims(operand(rule, i), operand(rule, 0)) &&
                       is_scalar(operand(rule, count + i), operand(rule, i)->dtype) &&
                       result(rule, i)->dtype == operand(rule, i)->dtype &&
                       is_reduced(operand(rule, i), reduced, result(rule, i)),
                   "the result must be the operand without the reduced dimensions"));
  }
  return rule_reducer(rule, count);
}

// Pairs of dimensions, left and right, of the same sizes.
static pod_status_t check_pairs(const rule_t *rule, chip_attr_key_t left,
                                chip_attr_key_t right, uint32_t seen[2]) {
  int32_t counts[2];
  POD_TRY(dimensions(rule, left, operand(rule, 0)->rank, &seen[0], &counts[0]));
  POD_TRY(dimensions(rule, right, operand(rule, 1)->rank, &seen[1], &counts[1]));
  POD_TRY(demand(counts[0] == counts[1], "dimensions without a counterpart"));
  const int64_t *a = chip_instruction_attr(rule->instruction, left, &counts[0]);
  const int64_t *b = chip_instruction_attr(rule->instruction, right, &counts[1]);
  for (int32_t i = 0; i < counts[0]; i++) {
    POD_TRY(demand(operand(rule, 0)->dims[a[i]] == operand(rule, 1)->dims[b[i]],
                   "paired dimensions must have the same size"));
  }
  return NULL;
}

// The dimensions of `from` that are not among `seen`.
static pod_status_t append_free(const tensor_shape_t *from, uint32_t seen,
                                tensor_shape_t *expected) {
  for (int i = 0; i < from->rank; i++) {
    if ((seen & (1u << i)) == 0) {
      POD_TRY(demand(expected->rank < TENSOR_RANK_MAX, "the result's rank is too high"));
      expected->dims[expected->rank++] = from->dims[i];
    }
  }
  return NULL;
}

// Batch dimensions, then the free ones of the left, then those of the right.
static pod_status_t check_dot_general(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  uint32_t seen[2] = {0, 0};
  POD_TRY(check_pairs(rule, CHIP_ATTR_LHS_BATCHING_DIMENSIONS,
                      CHIP_ATTR_RHS_BATCHING_DIMENSIONS, seen));
  POD_TRY(check_pairs(rule, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS,
                      CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, seen));
  tensor_shape_t expected = {.dtype = result(rule, 0)->dtype};
  int32_t batch_count;
  const int64_t *batch = chip_instruction_attr(
      rule->instruction, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, &batch_count);
  for (int32_t i = 0; i < batch_count; i++) {
    expected.dims[expected.rank++] = operand(rule, 0)->dims[batch[i]];
  }
  for (int32_t side = 0; side < 2; side++) {
    POD_TRY(append_free(operand(rule, side), seen[side], &expected));
  }
  return demand(tensor_shape_equal(&expected, result(rule, 0)),
                "the result must have batch, left free and right free dimensions");
}

static bool same_shapes(const rule_t *rule, int32_t count, const int32_t *a,
                        const int32_t *b) {
  for (int32_t i = 0; i < count; i++) {
    if (!tensor_shape_equal(shape_of(rule, a[i]), shape_of(rule, b[i]))) {
      return false;
    }
  }
  return true;
}

static pod_status_t check_while(const rule_t *rule) {
  const chip_instruction_t *loop = rule->instruction;
  POD_TRY(arity(rule, 0, loop->result_count));
  POD_TRY(demand(loop->call_count == 2, "a loop has a condition and a body"));
  const chip_computation_t *condition = &rule->program->computations[loop->calls[0]];
  const chip_computation_t *body = &rule->program->computations[loop->calls[1]];
  const int32_t count = loop->result_count;
  const size_t bytes = (size_t)count * sizeof(int32_t);
  POD_TRY(demand(condition->parameter_count == count && body->parameter_count == count &&
                     body->result_count == count,
                 "condition, body and loop must have one state"));
  POD_TRY(
      demand(count == 0 || (memcmp(condition->parameters, loop->results, bytes) == 0 &&
                            memcmp(body->parameters, loop->results, bytes) == 0),
             "the state must lie in the same buffers everywhere"));
  POD_TRY(demand(same_shapes(rule, count, body->results, loop->results),
                 "the body must return the state's shapes"));
  return demand(condition->result_count == 1 &&
                    is_scalar(shape_of(rule, condition->results[0]), TENSOR_PRED),
                "the condition must return one pred");
}

static pod_status_t check_branches(const rule_t *rule) {
  const chip_instruction_t *instruction = rule->instruction;
  for (int32_t i = 0; i < instruction->call_count; i++) {
    const chip_computation_t *branch =
        &rule->program->computations[instruction->calls[i]];
    POD_TRY(demand(branch->parameter_count == 0 &&
                       branch->result_count == instruction->result_count &&
                       same_shapes(rule, branch->result_count, branch->results,
                                   instruction->results),
                   "a branch must return the results' shapes and take nothing"));
  }
  return NULL;
}

static pod_status_t check_case(const rule_t *rule) {
  POD_TRY(arity(rule, 1, rule->instruction->result_count));
  POD_TRY(demand(is_scalar(operand(rule, 0), TENSOR_S32), "the index must be an s32"));
  POD_TRY(demand(rule->instruction->call_count >= 1, "no branch"));
  return check_branches(rule);
}

static pod_status_t check_if(const rule_t *rule) {
  POD_TRY(arity(rule, 1, rule->instruction->result_count));
  POD_TRY(
      demand(is_scalar(operand(rule, 0), TENSOR_PRED), "the condition must be a pred"));
  POD_TRY(demand(rule->instruction->call_count == 2, "two branches are needed"));
  return check_branches(rule);
}

static pod_status_t check_variadic_identity(const rule_t *rule) {
  POD_TRY(arity(rule, rule->instruction->result_count, rule->instruction->result_count));
  return demand(same_shapes(rule, rule->instruction->result_count,
                            rule->instruction->operands, rule->instruction->results),
                "operands and results must have the same shapes");
}

static pod_status_t check_check(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 0));
  return demand(tensor_shape_equal(operand(rule, 0), operand(rule, 1)),
                "what is compared must have one shape");
}

// Device ids, each at most once. `step` apart: 1 for groups, 2 for sources or targets.
static pod_status_t check_devices(const rule_t *rule, const int64_t *ids, int32_t count,
                                  int32_t step) {
  const mesh_t *mesh = rule->program->mesh;
  if (count / step > mesh->device_count) {
    return BAD("%d device ids for %" PRId64 " devices", count / step, mesh->device_count);
  }
  uint8_t *seen = calloc((size_t)mesh->device_count, 1);
  if (seen == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  pod_status_t status = NULL;
  for (int32_t i = 0; i < count && status == NULL; i += step) {
    const int64_t position = mesh_position(mesh, ids[i]);
    if (position < 0 || seen[position] != 0) {
      status = BAD("device %" PRId64 " of %" PRId64 " does not exist or is named twice",
                   ids[i], mesh->device_count);
    } else {
      seen[position] = 1;
    }
  }
  free(seen);
  return status;
}

// Every chip is in exactly one group, all groups have one size.
static pod_status_t check_groups(const rule_t *rule, int64_t *out_size) {
  int32_t count;
  const int64_t *ids =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_REPLICA_GROUPS, &count);
  *out_size = chip_instruction_attr_one(rule->instruction, CHIP_ATTR_GROUP_SIZE, 0);
  POD_TRY(demand(*out_size >= 1 && count % *out_size == 0 &&
                     count == rule->program->mesh->device_count,
                 "the groups must hold every device once and have one size"));
  return check_devices(rule, ids, count, 1);
}

static pod_status_t check_all_reduce(const rule_t *rule) {
  int64_t size;
  POD_TRY(check_variadic_identity(rule));
  POD_TRY(check_groups(rule, &size));
  return rule->instruction->result_count == 0 ? NULL : rule_reducer(rule, 1);
}

// `small` is `large` with the size of one dimension divided by `factor`.
static bool is_part(const tensor_shape_t *small, const tensor_shape_t *large,
                    int64_t dimension, int64_t factor) {
  return large->dims[dimension] % factor == 0 &&
         small->dims[dimension] == large->dims[dimension] / factor &&
         differs_only_in(small, large, dimension);
}

static pod_status_t check_all_gather(const rule_t *rule) {
  int64_t size;
  int64_t dimension;
  POD_TRY(arity(rule, rule->instruction->result_count, rule->instruction->result_count));
  POD_TRY(check_groups(rule, &size));
  for (int32_t i = 0; i < rule->instruction->result_count; i++) {
    const tensor_shape_t *in = operand(rule, i);
    const tensor_shape_t *out = result(rule, i);
    POD_TRY(demand(in->rank == out->rank, "operand and result must have one rank"));
    POD_TRY(value_below(rule, CHIP_ATTR_DIMENSION, out->rank, &dimension));
    POD_TRY(demand(is_part(in, out, dimension, size),
                   "the result must be the operand times the size of the group"));
  }
  return NULL;
}

static pod_status_t check_reduce_scatter(const rule_t *rule) {
  int64_t size;
  int64_t dimension;
  POD_TRY(arity(rule, rule->instruction->result_count, rule->instruction->result_count));
  POD_TRY(check_groups(rule, &size));
  for (int32_t i = 0; i < rule->instruction->result_count; i++) {
    const tensor_shape_t *in = operand(rule, i);
    const tensor_shape_t *out = result(rule, i);
    POD_TRY(demand(in->rank == out->rank, "operand and result must have one rank"));
    POD_TRY(value_below(rule, CHIP_ATTR_DIMENSION, in->rank, &dimension));
    POD_TRY(demand(is_part(out, in, dimension, size),
                   "the result must be the operand over the size of the group"));
    POD_TRY(rule_reducer(rule, 1));
  }
  return NULL;
}

static pod_status_t check_all_to_all(const rule_t *rule) {
  int64_t size;
  int64_t split;
  int64_t concat;
  POD_TRY(arity(rule, rule->instruction->result_count, rule->instruction->result_count));
  POD_TRY(check_groups(rule, &size));
  for (int32_t i = 0; i < rule->instruction->result_count; i++) {
    tensor_shape_t expected = *operand(rule, i);
    POD_TRY(value_below(rule, CHIP_ATTR_SPLIT_DIMENSION, expected.rank, &split));
    POD_TRY(value_below(rule, CHIP_ATTR_CONCAT_DIMENSION, expected.rank, &concat));
    POD_TRY(
        demand(expected.dims[split] % size == 0, "the group does not divide the split"));
    expected.dims[split] /= size;
    POD_TRY(demand(
        !__builtin_mul_overflow(expected.dims[concat], size, &expected.dims[concat]) &&
            tensor_shape_equal(&expected, result(rule, i)),
        "the result must be split and concatenated over the group"));
  }
  return NULL;
}

static pod_status_t check_collective_permute(const rule_t *rule) {
  int32_t count;
  const int64_t *pairs =
      chip_instruction_attr(rule->instruction, CHIP_ATTR_SOURCE_TARGET_PAIRS, &count);
  POD_TRY(check_variadic_identity(rule));
  POD_TRY(demand(count % 2 == 0, "a source without a target"));
  POD_TRY(check_devices(rule, pairs, count, 2));
  return count == 0 ? NULL : check_devices(rule, pairs + 1, count - 1, 2);
}

typedef pod_status_t (*rule_fn_t)(const rule_t *rule);

// By the `shape` column: a row with a new shape rule needs its function here too.
static const rule_fn_t rules[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = check_##shape,
#include "server/program/operations.def"
#undef OPERATION
};

pod_status_t chip_instruction_check(const chip_program_t *program,
                                    const chip_instruction_t *instruction) {
  const rule_t rule = {.program = program, .instruction = instruction};
  return rules[instruction->op](&rule);
}
