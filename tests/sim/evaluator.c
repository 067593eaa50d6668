#include "tests/sim/evaluator.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"
#include "server/program/program.h"
#include "tests/sim/evaluator_parts.h"

// --- Arrays ---

evaluated_t evaluated_make(pod_arena_t *arena, const tensor_shape_t *shape,
                           int64_t device_count) {
  evaluated_t array = {.shape = *shape, .elements = tensor_shape_elements(shape)};
  array.data = pod_arena_array(arena, (size_t)(array.elements * device_count),
                               sizeof(array.data[0]));
  return array;
}

static const int64_t *list_attr(machine_t *machine, const mlir_op_t *op,
                                const char *name) {
  int64_t count;
  const int64_t *values;
  POD_CHECK(mlir_attr_as_i64s(machine->module, mlir_op_attr(op, name), &count, &values));
  return values;
}

static int64_t integer_attr(const mlir_op_t *op, const char *name) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  POD_CHECK(attr != NULL);
  return attr->integer;
}

// --- Leaves ---

static void run_constant(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const mlir_attr_t *attr = mlir_op_attr(op, "value");
  const tensor_dtype_t dtype = result->shape.dtype;
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (int64_t i = 0; i < machine->devices * result->elements; i++) {
    const size_t at = attr->is_splat ? 0 : (size_t)(i % result->elements) * bytes;
    result->data[i] = tensor_element_as_double(dtype, (const char *)attr->data + at);
  }
}

static void run_iota(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const int64_t dim = integer_attr(op, "iota_dimension");
  for (int64_t i = 0; i < machine->devices * result->elements; i++) {
    int64_t index[TENSOR_RANK_MAX];
    unravel(&result->shape, i % result->elements, index);
    result->data[i] = (double)index[dim];
  }
}

static void run_partition_id(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  for (int64_t device = 0; device < machine->devices; device++) {
    result->data[device] = (double)device;
  }
}

// --- Elementwise ---

static double combine(int kind, double a, double b) {
  switch (kind) {
    case CHIP_OP_ADD:
      return a + b;
    case CHIP_OP_SUBTRACT:
      return a - b;
    case CHIP_OP_MULTIPLY:
      return a * b;
    case CHIP_OP_DIVIDE:
      return trunc(a / b);
    case CHIP_OP_REMAINDER:
      return fmod(a, b);
    case CHIP_OP_MAXIMUM:
      return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case CHIP_OP_MINIMUM:
      return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    case CHIP_OP_POWER:
      return pow(a, b);
    case CHIP_OP_AND:
      return (double)((int64_t)a & (int64_t)b);
    case CHIP_OP_OR:
      return (double)((int64_t)a | (int64_t)b);
    default:
      POD_CHECK(false);
      return 0;
  }
}

static double change(int kind, double a) {
  switch (kind) {
    case CHIP_OP_NEGATE:
      return -a;
    case CHIP_OP_ABS:
      return fabs(a);
    case CHIP_OP_FLOOR:
      return floor(a);
    case CHIP_OP_SQRT:
      return sqrt(a);
    case CHIP_OP_NOT:
      return a == 0;
    case CHIP_OP_TANH:  // Any function does, as long as it is exact.
    case CHIP_OP_CONVERT:
      return a;
    default:
      POD_CHECK(false);
      return 0;
  }
}

static double compare(machine_t *machine, const mlir_op_t *op, double a, double b) {
  int direction;
  POD_CHECK(stablehlo_comparison_direction(machine->module, op, &direction) == NULL);
  switch (direction) {
    case CHIP_COMPARISON_EQ:
      return a == b;
    case CHIP_COMPARISON_NE:
      return a != b;
    case CHIP_COMPARISON_GE:
      return a >= b;
    case CHIP_COMPARISON_GT:
      return a > b;
    case CHIP_COMPARISON_LE:
      return a <= b;
    default:
      return a < b;
  }
}

// Element `i` of device `device`; a scalar stands for all elements.
static double element(machine_t *machine, const mlir_op_t *op, int index, int64_t device,
                      int64_t i) {
  const evaluated_t *array = operand(machine, op, index);
  return of_device(array, device)[array->elements == 1 ? 0 : i];
}

static void run_elementwise(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const bool is_real = tensor_dtype_is_float(result->shape.dtype);
  for (int64_t device = 0; device < machine->devices; device++) {
    for (int64_t i = 0; i < result->elements; i++) {
      const double a = element(machine, op, 0, device, i);
      double value = a;
      if (op->operand_count == 1) {
        value = change(op->kind, a);
      } else if (op->kind == CHIP_OP_DIVIDE && is_real) {
        value = a / element(machine, op, 1, device, i);
      } else if (op->kind == CHIP_OP_COMPARE) {
        value = compare(machine, op, a, element(machine, op, 1, device, i));
      } else if (op->kind == CHIP_OP_SELECT) {
        value = element(machine, op, a != 0 ? 1 : 2, device, i);
      } else if (op->kind == CHIP_OP_CLAMP) {
        value = combine(CHIP_OP_MAXIMUM, a, element(machine, op, 1, device, i));
        value = combine(CHIP_OP_MINIMUM, value, element(machine, op, 2, device, i));
      } else if (op->operand_count == 2) {
        value = combine(op->kind, a, element(machine, op, 1, device, i));
      }
      of_device(result, device)[i] = value;
    }
  }
}

// --- Movement ---

// The index in the operand of an element of the result; false when there is none.
typedef bool (*source_fn_t)(machine_t *machine, const mlir_op_t *op, int64_t device,
                            const int64_t *index, int64_t *source);

static bool source_broadcast(machine_t *machine, const mlir_op_t *op, int64_t device,
                             const int64_t *index, int64_t *source) {
  (void)device;
  const evaluated_t *from = operand(machine, op, 0);
  const int64_t *places = list_attr(machine, op, "broadcast_dimensions");
  for (int d = 0; d < from->shape.rank; d++) {
    source[d] = from->shape.dims[d] == 1 ? 0 : index[places[d]];
  }
  return true;
}

static bool source_transpose(machine_t *machine, const mlir_op_t *op, int64_t device,
                             const int64_t *index, int64_t *source) {
  (void)device;
  const int64_t *permutation = list_attr(machine, op, "permutation");
  for (int d = 0; d < operand(machine, op, 0)->shape.rank; d++) {
    source[permutation[d]] = index[d];
  }
  return true;
}

static bool source_slice(machine_t *machine, const mlir_op_t *op, int64_t device,
                         const int64_t *index, int64_t *source) {
  (void)device;
  const int64_t *starts = list_attr(machine, op, "start_indices");
  const int64_t *strides = list_attr(machine, op, "strides");
  for (int d = 0; d < operand(machine, op, 0)->shape.rank; d++) {
    source[d] = starts[d] + index[d] * strides[d];
  }
  return true;
}

static void clamped_starts(machine_t *machine, const mlir_op_t *op, int first,
                           int64_t device, const tensor_shape_t *whole,
                           const tensor_shape_t *part, int64_t *starts) {
  for (int d = 0; d < whole->rank; d++) {
    const int64_t start = (int64_t)of_device(operand(machine, op, first + d), device)[0];
    const int64_t last = whole->dims[d] - part->dims[d];
    starts[d] = start < 0 ? 0 : start > last ? last : start;
  }
}

static bool source_dynamic_slice(machine_t *machine, const mlir_op_t *op, int64_t device,
                                 const int64_t *index, int64_t *source) {
  const evaluated_t *from = operand(machine, op, 0);
  clamped_starts(machine, op, 1, device, &from->shape, &op->results[0].type->shape,
                 source);
  for (int d = 0; d < from->shape.rank; d++) {
    source[d] += index[d];
  }
  return true;
}

static bool source_reverse(machine_t *machine, const mlir_op_t *op, int64_t device,
                           const int64_t *index, int64_t *source) {
  (void)device;
  const evaluated_t *from = operand(machine, op, 0);
  int64_t count;
  const int64_t *dims;
  POD_CHECK(
      mlir_attr_as_i64s(machine->module, mlir_op_attr(op, "dimensions"), &count, &dims));
  for (int d = 0; d < from->shape.rank; d++) {
    source[d] = index[d];
  }
  for (int64_t i = 0; i < count; i++) {
    source[dims[i]] = from->shape.dims[dims[i]] - 1 - index[dims[i]];
  }
  return true;
}

static bool source_pad(machine_t *machine, const mlir_op_t *op, int64_t device,
                       const int64_t *index, int64_t *source) {
  (void)device;
  const evaluated_t *from = operand(machine, op, 0);
  const int64_t *low = list_attr(machine, op, "edge_padding_low");
  const int64_t *interior = list_attr(machine, op, "interior_padding");
  for (int d = 0; d < from->shape.rank; d++) {
    const int64_t at = index[d] - low[d];
    source[d] = at / (interior[d] + 1);
    if (at < 0 || at % (interior[d] + 1) != 0 || source[d] >= from->shape.dims[d]) {
      return false;
    }
  }
  return true;
}

static void run_movement(machine_t *machine, const mlir_op_t *op, source_fn_t source_of) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *from = operand(machine, op, 0);
  for (int64_t device = 0; device < machine->devices; device++) {
    for (int64_t i = 0; i < result->elements; i++) {
      int64_t index[TENSOR_RANK_MAX], source[TENSOR_RANK_MAX];
      unravel(&result->shape, i, index);
      of_device(result, device)[i] =
          source_of(machine, op, device, index, source)
              ? of_device(from, device)[ravel(&from->shape, source)]
              : of_device(operand(machine, op, 1), device)[0];
    }
  }
}

static void run_reshape(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *from = operand(machine, op, 0);
  POD_CHECK(from->elements == result->elements);
  memcpy(result->data, from->data,
         (size_t)(machine->devices * result->elements) * sizeof(double));
}

static void run_update(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *whole = operand(machine, op, 0), *part = operand(machine, op, 1);
  memcpy(result->data, whole->data,
         (size_t)(machine->devices * result->elements) * sizeof(double));
  for (int64_t device = 0; device < machine->devices; device++) {
    int64_t starts[TENSOR_RANK_MAX];
    clamped_starts(machine, op, 2, device, &whole->shape, &part->shape, starts);
    for (int64_t i = 0; i < part->elements; i++) {
      int64_t index[TENSOR_RANK_MAX];
      unravel(&part->shape, i, index);
      for (int d = 0; d < part->shape.rank; d++) {
        index[d] += starts[d];
      }
      of_device(result, device)[ravel(&result->shape, index)] =
          of_device(part, device)[i];
    }
  }
}

// Copies `from` of one device into `to` of another, shifted along `dim`.
static void place(const evaluated_t *from, int64_t source, const evaluated_t *to,
                  int64_t target, int64_t dim, int64_t shift) {
  for (int64_t i = 0; i < from->elements; i++) {
    int64_t index[TENSOR_RANK_MAX];
    unravel(&from->shape, i, index);
    index[dim] += shift;
    of_device(to, target)[ravel(&to->shape, index)] = of_device(from, source)[i];
  }
}

static void run_concatenate(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const int64_t dim = integer_attr(op, "dimension");
  int64_t shift = 0;
  for (int i = 0; i < op->operand_count; i++) {
    const evaluated_t *from = operand(machine, op, i);
    for (int64_t device = 0; device < machine->devices; device++) {
      place(from, device, result, device, dim, shift);
    }
    shift += from->shape.dims[dim];
  }
}

// --- Contractions ---

static int kind_of_reducer(const mlir_op_t *op) {
  return mlir_op_block(op, 0)->first->kind;
}

static void run_reduce(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *from = operand(machine, op, 0);
  int64_t count;
  const int64_t *dims;
  POD_CHECK(
      mlir_attr_as_i64s(machine->module, mlir_op_attr(op, "dimensions"), &count, &dims));
  for (int64_t device = 0; device < machine->devices; device++) {
    for (int64_t i = 0; i < result->elements; i++) {
      of_device(result, device)[i] = of_device(operand(machine, op, 1), device)[0];
    }
    for (int64_t i = 0; i < from->elements; i++) {
      int64_t index[TENSOR_RANK_MAX], kept[TENSOR_RANK_MAX];
      unravel(&from->shape, i, index);
      int rank = 0;
      for (int d = 0; d < from->shape.rank; d++) {
        bool reduced = false;
        for (int64_t j = 0; j < count; j++) {
          reduced = reduced || dims[j] == d;
        }
        if (!reduced) {
          kept[rank++] = index[d];
        }
      }
      double *to = &of_device(result, device)[ravel(&result->shape, kept)];
      *to = combine(kind_of_reducer(op), *to, of_device(from, device)[i]);
    }
  }
}

// For every pair of elements whose batching and contracting indexes agree, adds their
// product where their other indexes say.
static void run_dot(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *lhs = operand(machine, op, 0), *rhs = operand(machine, op, 1);
  stablehlo_dot_t dot;
  POD_CHECK(stablehlo_dot_dimensions(machine->module,
                                     mlir_op_attr(op, "dot_dimension_numbers"),
                                     &dot) == NULL);
  bool lhs_taken[TENSOR_RANK_MAX] = {false}, rhs_taken[TENSOR_RANK_MAX] = {false};
  for (int64_t i = 0; i < dot.lhs_batching.count; i++) {
    lhs_taken[dot.lhs_batching.values[i]] = rhs_taken[dot.rhs_batching.values[i]] = true;
  }
  for (int64_t i = 0; i < dot.lhs_contracting.count; i++) {
    lhs_taken[dot.lhs_contracting.values[i]] = true;
    rhs_taken[dot.rhs_contracting.values[i]] = true;
  }
  for (int64_t i = 0; i < lhs->elements; i++) {
    int64_t l[TENSOR_RANK_MAX], r[TENSOR_RANK_MAX], to[TENSOR_RANK_MAX];
    unravel(&lhs->shape, i, l);
    for (int64_t j = 0; j < rhs->elements; j++) {
      unravel(&rhs->shape, j, r);
      bool agrees = true;
      int rank = 0;
      for (int64_t k = 0; k < dot.lhs_batching.count; k++) {
        to[rank++] = l[dot.lhs_batching.values[k]];
        agrees = agrees && l[dot.lhs_batching.values[k]] == r[dot.rhs_batching.values[k]];
      }
      for (int64_t k = 0; k < dot.lhs_contracting.count; k++) {
        agrees = agrees &&
                 l[dot.lhs_contracting.values[k]] == r[dot.rhs_contracting.values[k]];
      }
      for (int d = 0; d < lhs->shape.rank; d++) {
        if (!lhs_taken[d]) {
          to[rank++] = l[d];
        }
      }
      for (int d = 0; d < rhs->shape.rank; d++) {
        if (!rhs_taken[d]) {
          to[rank++] = r[d];
        }
      }
      for (int64_t device = 0; device < machine->devices && agrees; device++) {
        of_device(result, device)[ravel(&result->shape, to)] +=
            of_device(lhs, device)[i] * of_device(rhs, device)[j];
      }
    }
  }
}

// --- Collectives ---

static compiler_groups_t groups_of(machine_t *machine, const mlir_op_t *op) {
  compiler_groups_t groups;
  POD_CHECK(compiler_parse_replica_groups(machine->module,
                                          mlir_op_attr(op, "replica_groups"), NULL,
                                          machine->arena, &groups) == NULL);
  return groups;
}

// The part of `from` along `dim` that member `member` of `count` gets.
static double part_of(const evaluated_t *from, int64_t device, int64_t dim, int64_t count,
                      int64_t member, const int64_t *index) {
  int64_t source[TENSOR_RANK_MAX];
  memcpy(source, index, (size_t)from->shape.rank * sizeof(source[0]));
  source[dim] += member * (from->shape.dims[dim] / count);
  return of_device(from, device)[ravel(&from->shape, source)];
}

static void reduce_one(machine_t *machine, const mlir_op_t *op, int at) {
  evaluated_t *result = make_result(machine, op, at);
  const evaluated_t *from = operand(machine, op, at);
  const compiler_groups_t groups = groups_of(machine, op);
  const bool scatters = op->kind == CHIP_OP_REDUCE_SCATTER;
  const int64_t dim = scatters ? integer_attr(op, "scatter_dimension") : 0;
  for (int64_t g = 0; g < groups.group_count; g++) {
    const int64_t *ids = groups.ids + g * groups.group_size;
    for (int64_t m = 0; m < groups.group_size; m++) {
      for (int64_t i = 0; i < result->elements; i++) {
        int64_t index[TENSOR_RANK_MAX] = {0};
        unravel(&result->shape, i, index);
        double sum = 0;
        for (int64_t s = 0; s < groups.group_size; s++) {
          const double more =
              scatters ? part_of(from, ids[s], dim, groups.group_size, m, index)
                       : of_device(from, ids[s])[i];
          sum = s == 0 ? more : combine(kind_of_reducer(op), sum, more);
        }
        of_device(result, ids[m])[i] = sum;
      }
    }
  }
}

static void run_reduction(machine_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    reduce_one(machine, op, i);
  }
}

static void gather_one(machine_t *machine, const mlir_op_t *op, int at) {
  evaluated_t *result = make_result(machine, op, at);
  const evaluated_t *from = operand(machine, op, at);
  const compiler_groups_t groups = groups_of(machine, op);
  const int64_t dim = integer_attr(op, "all_gather_dim");
  for (int64_t i = 0; i < groups.group_count * groups.group_size; i++) {
    const int64_t *ids = groups.ids + i / groups.group_size * groups.group_size;
    for (int64_t s = 0; s < groups.group_size; s++) {
      place(from, ids[s], result, groups.ids[i], dim, s * from->shape.dims[dim]);
    }
  }
}

static void run_all_gather(machine_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    gather_one(machine, op, i);
  }
}

static void run_all_to_all(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *from = operand(machine, op, 0);
  const compiler_groups_t groups = groups_of(machine, op);
  const int64_t split = integer_attr(op, "split_dimension");
  const int64_t joined = integer_attr(op, "concat_dimension");
  const int64_t count = integer_attr(op, "split_count");
  POD_CHECK(count == groups.group_size && split != joined);
  for (int64_t at = 0; at < groups.group_count * count; at++) {
    const int64_t *ids = groups.ids + at / count * count;
    for (int64_t i = 0; i < result->elements; i++) {
      int64_t index[TENSOR_RANK_MAX];
      unravel(&result->shape, i, index);
      const int64_t sender = index[joined] / from->shape.dims[joined];
      index[joined] %= from->shape.dims[joined];
      of_device(result, groups.ids[at])[i] =
          part_of(from, ids[sender], split, count, at % count, index);
    }
  }
}

static void run_permute(machine_t *machine, const mlir_op_t *op) {
  evaluated_t *result = make_result(machine, op, 0);
  const evaluated_t *from = operand(machine, op, 0);
  int64_t count;
  const int64_t *pairs;
  POD_CHECK(stablehlo_source_target_pairs(machine->module,
                                          mlir_op_attr(op, "source_target_pairs"), &count,
                                          &pairs) == NULL);
  for (int64_t i = 0; i < count; i++) {
    memcpy(of_device(result, pairs[2 * i + 1]), of_device(from, pairs[2 * i]),
           (size_t)from->elements * sizeof(double));
  }
}

// --- Control ---

static void bind(machine_t *machine, const mlir_block_t *block, int count,
                 const evaluated_t *arrays) {
  for (int i = 0; i < count; i++) {
    *value_of(machine, block->arguments[i]) = arrays[i];
  }
}

// All devices must decide alike.
static double decision(machine_t *machine, const mlir_value_t *value) {
  const evaluated_t *array = value_of(machine, value);
  for (int64_t device = 1; device < machine->devices; device++) {
    POD_CHECK(array->data[device] == array->data[0]);
  }
  return array->data[0];
}

static void returned(machine_t *machine, const mlir_block_t *block, int count,
                     evaluated_t *out) {
  for (int i = 0; i < count; i++) {
    out[i] = *value_of(machine, block->last->operands[i]);
  }
}

static void run_while(machine_t *machine, const mlir_op_t *op) {
  const mlir_block_t *condition = mlir_op_block(op, 0), *body = mlir_op_block(op, 1);
  evaluated_t *carried =
      pod_arena_array(machine->arena, (size_t)op->result_count + 1, sizeof(carried[0]));
  for (int i = 0; i < op->operand_count; i++) {
    carried[i] = *operand(machine, op, i);
  }
  for (;;) {
    bind(machine, condition, op->result_count, carried);
    evaluator_run_block(machine, condition);
    if (decision(machine, condition->last->operands[0]) == 0) {
      break;
    }
    bind(machine, body, op->result_count, carried);
    evaluator_run_block(machine, body);
    returned(machine, body, op->result_count, carried);
  }
  for (int i = 0; i < op->result_count; i++) {
    *value_of(machine, &op->results[i]) = carried[i];
  }
}

static void run_branch(machine_t *machine, const mlir_op_t *op) {
  const int index = (int)decision(machine, op->operands[0]);
  int region = op->kind == CHIP_OP_IF ? (index != 0 ? 0 : 1) : index;
  if (region < 0 || region >= op->region_count) {
    region = op->region_count - 1;
  }
  const mlir_block_t *block = mlir_op_block(op, region);
  evaluator_run_block(machine, block);
  for (int i = 0; i < op->result_count; i++) {
    *value_of(machine, &op->results[i]) = *value_of(machine, block->last->operands[i]);
  }
}

static void run_identity(machine_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    *value_of(machine, &op->results[i]) = *operand(machine, op, i);
  }
}

// What has one operand and moves its elements; NULL for all else.
static source_fn_t movement_of(int kind) {
  switch (kind) {
    case CHIP_OP_BROADCAST_IN_DIM:
      return source_broadcast;
    case CHIP_OP_TRANSPOSE:
      return source_transpose;
    case CHIP_OP_SLICE:
      return source_slice;
    case CHIP_OP_DYNAMIC_SLICE:
      return source_dynamic_slice;
    case CHIP_OP_REVERSE:
      return source_reverse;
    case CHIP_OP_PAD:
      return source_pad;
    default:
      return NULL;
  }
}

typedef void (*run_fn_t)(machine_t *machine, const mlir_op_t *op);

static run_fn_t runner_of(int kind) {
  switch (kind) {
    case CHIP_OP_CONSTANT:
      return run_constant;
    case CHIP_OP_IOTA:
      return run_iota;
    case CHIP_OP_PARTITION_ID:
      return run_partition_id;
    case CHIP_OP_RESHAPE:
      return run_reshape;
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return run_update;
    case CHIP_OP_CONCATENATE:
      return run_concatenate;
    case CHIP_OP_REDUCE:
      return run_reduce;
    case CHIP_OP_DOT_GENERAL:
      return run_dot;
    case CHIP_OP_GATHER:
      return evaluator_run_gather;
    case CHIP_OP_SCATTER:
      return evaluator_run_scatter;
    case CHIP_OP_CONVOLUTION:
      return evaluator_run_convolution;
    case CHIP_OP_ALL_REDUCE:
    case CHIP_OP_REDUCE_SCATTER:
      return run_reduction;
    case CHIP_OP_ALL_GATHER:
      return run_all_gather;
    case CHIP_OP_ALL_TO_ALL:
      return run_all_to_all;
    case CHIP_OP_COLLECTIVE_PERMUTE:
      return run_permute;
    case CHIP_OP_WHILE:
      return run_while;
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return run_branch;
    case CHIP_OP_OPTIMIZATION_BARRIER:
    case CHIP_OP_ASYNC_DONE:
      return run_identity;
    default:
      return run_elementwise;
  }
}

void evaluator_run_block(machine_t *machine, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != block->last; op = op->next) {
    const source_fn_t source = movement_of(op->kind);
    if (strcmp(op->name, "sdy.manual_computation") == 0) {
      evaluator_run_manual(machine, op);
    } else if (strcmp(op->name, "sdy.sharding_constraint") == 0 ||
               strcmp(op->name, "sdy.reshard") == 0 ||
               strcmp(op->name, "sdy.propagation_barrier") == 0 ||
               strcmp(op->name, "sdy.sharding_group") == 0) {
      run_identity(machine, op);
    } else if (source != NULL) {
      run_movement(machine, op, source);
    } else {
      runner_of(op->kind)(machine, op);
    }
  }
}

void evaluate_main(mlir_module_t *module, int64_t device_count, pod_arena_t *arena,
                   const evaluated_t *arguments, evaluated_t *out_results) {
  machine_t machine = {.module = module, .arena = arena, .devices = device_count};
  machine.values = pod_arena_array(arena, module->value_count, sizeof(machine.values[0]));
  const mlir_block_t *block = mlir_op_block(mlir_module_find_symbol(module, "main"), 0);
  bind(&machine, block, block->argument_count, arguments);
  evaluator_run_block(&machine, block);
  returned(&machine, block, block->last->operand_count, out_results);
}
