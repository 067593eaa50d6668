// Instructions on small known arrays. Arithmetic is on integers and truth values; what
// only moves elements moves elements of any type. Everything else leaves its results
// unknown.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/program/integer.h"
#include "server/simulator/values.h"

enum { ARGS_MAX = 32 };

typedef struct arg_t {
  const tensor_shape_t *shape;
  const uint8_t *data;
  int64_t step;  // From element to element in bytes; 0 for a splat.
} arg_t;

// An instruction with all its operands known, and room for its one result.
typedef struct question_t {
  const chip_instruction_t *instruction;
  int32_t arg_count;
  arg_t args[ARGS_MAX];
  const tensor_shape_t *shape;
  int64_t elements;
  size_t element_bytes;
  int32_t chip;
  uint8_t *out;
} question_t;

static const uint8_t *element(const arg_t *arg, int64_t index) {
  return arg->data + index * arg->step;
}

static int64_t integer(const arg_t *arg, int64_t index) {
  return tensor_element_as_int64(arg->shape->dtype, element(arg, index));
}

static void put(const question_t *q, int64_t index, int64_t value) {
  if (q->shape->dtype == TENSOR_PRED) {
    value = value != 0;
  }
  tensor_element_from_int64(q->shape->dtype, value,
                            q->out + (size_t)index * q->element_bytes);
}

static void take(const question_t *q, int64_t index, const arg_t *arg, int64_t from) {
  memcpy(q->out + (size_t)index * q->element_bytes, element(arg, from), q->element_bytes);
}

// --- Elementwise ---

static bool run_binary(const question_t *q) {
  if (!chip_is_integral(q->shape->dtype)) {
    return false;
  }
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t value;
    if (!chip_integer_binary(q->instruction->op, q->shape->dtype, integer(&q->args[0], i),
                             integer(&q->args[1], i), &value)) {
      return false;
    }
    put(q, i, value);
  }
  return true;
}

static bool run_unary(const question_t *q) {
  if (!chip_is_integral(q->shape->dtype)) {
    return false;
  }
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t value;
    if (!chip_integer_unary(q->instruction->op, q->shape->dtype, integer(&q->args[0], i),
                            &value)) {
      return false;
    }
    put(q, i, value);
  }
  return true;
}

static bool run_convert(const question_t *q) {
  if (!chip_is_integral(q->shape->dtype) ||
      tensor_dtype_is_complex(q->args[0].shape->dtype)) {
    return false;
  }
  const bool to_truth =
      q->shape->dtype == TENSOR_PRED && tensor_dtype_is_float(q->args[0].shape->dtype);
  for (int64_t i = 0; i < q->elements; i++) {
    const double real = to_truth ? tensor_element_as_double(q->args[0].shape->dtype,
                                                            element(&q->args[0], i))
                                 : 0;
    put(q, i, to_truth ? real != 0 : integer(&q->args[0], i));
  }
  return true;
}

static bool run_compare(const question_t *q) {
  const tensor_dtype_t dtype = q->args[0].shape->dtype;
  if (!chip_is_integral(dtype)) {
    return false;
  }
  const int64_t direction = chip_instruction_attr_one(
      q->instruction, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_EQ);
  for (int64_t i = 0; i < q->elements; i++) {
    const int order =
        chip_integer_order(dtype, integer(&q->args[0], i), integer(&q->args[1], i));
    put(q, i, chip_comparison_holds(direction, order));
  }
  return true;
}

static bool run_select(const question_t *q) {
  const bool is_scalar = q->args[0].shape->rank == 0;
  for (int64_t i = 0; i < q->elements; i++) {
    const bool is_true = integer(&q->args[0], is_scalar ? 0 : i) != 0;
    take(q, i, &q->args[is_true ? 1 : 2], i);
  }
  return true;
}

static bool run_clamp(const question_t *q) {
  if (!chip_is_integral(q->shape->dtype) || tensor_dtype_is_unsigned(q->shape->dtype)) {
    return false;
  }
  for (int64_t i = 0; i < q->elements; i++) {
    const int64_t low = integer(&q->args[0], q->args[0].shape->rank == 0 ? 0 : i);
    const int64_t high = integer(&q->args[2], q->args[2].shape->rank == 0 ? 0 : i);
    const int64_t x = integer(&q->args[1], i);
    const int64_t above = x < low ? low : x;
    put(q, i, above > high ? high : above);
  }
  return true;
}

// --- Movement ---

// The coordinates of element `index` of a shape.
static void unravel(const tensor_shape_t *shape, int64_t index,
                    int64_t coords[TENSOR_RANK_MAX]) {
  for (int d = shape->rank - 1; d >= 0; d--) {
    coords[d] = index % shape->dims[d];
    index /= shape->dims[d];
  }
}

static int64_t ravel(const tensor_shape_t *shape, const int64_t coords[TENSOR_RANK_MAX]) {
  int64_t index = 0;
  for (int d = 0; d < shape->rank; d++) {
    index = index * shape->dims[d] + coords[d];
  }
  return index;
}

static bool run_iota(const question_t *q) {
  const int64_t dimension =
      chip_instruction_attr_one(q->instruction, CHIP_ATTR_DIMENSION, 0);
  if (!chip_is_integral(q->shape->dtype)) {
    return false;
  }
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    unravel(q->shape, i, coords);
    put(q, i, coords[dimension]);
  }
  return true;
}

static bool run_copy(const question_t *q) {
  for (int64_t i = 0; i < q->elements; i++) {
    take(q, i, &q->args[0], i);
  }
  return true;
}

static bool run_broadcast(const question_t *q) {
  int32_t count;
  const int64_t *dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_DIMENSIONS, &count);
  const tensor_shape_t *in = q->args[0].shape;
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    int64_t from[TENSOR_RANK_MAX] = {0};
    unravel(q->shape, i, coords);
    for (int32_t d = 0; d < count && d < in->rank; d++) {
      from[d] = in->dims[d] == 1 ? 0 : coords[dims[d]];
    }
    take(q, i, &q->args[0], ravel(in, from));
  }
  return true;
}

static bool run_transpose(const question_t *q) {
  int32_t count;
  const int64_t *dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_DIMENSIONS, &count);
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    int64_t from[TENSOR_RANK_MAX] = {0};
    unravel(q->shape, i, coords);
    for (int32_t d = 0; d < count; d++) {
      from[dims[d]] = coords[d];
    }
    take(q, i, &q->args[0], ravel(q->args[0].shape, from));
  }
  return true;
}

static bool run_slice(const question_t *q) {
  int32_t count;
  const int64_t *starts =
      chip_instruction_attr(q->instruction, CHIP_ATTR_START_INDICES, &count);
  int32_t stride_count;
  const int64_t *strides =
      chip_instruction_attr(q->instruction, CHIP_ATTR_STRIDES, &stride_count);
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    unravel(q->shape, i, coords);
    for (int32_t d = 0; d < count; d++) {
      coords[d] = starts[d] + coords[d] * (d < stride_count ? strides[d] : 1);
    }
    take(q, i, &q->args[0], ravel(q->args[0].shape, coords));
  }
  return true;
}

// The start indices from argument `first` on, kept inside.
static bool find_starts(const question_t *q, int32_t first, const tensor_shape_t *whole,
                        const tensor_shape_t *part, int64_t out[TENSOR_RANK_MAX]) {
  if (q->arg_count < first + whole->rank) {
    return false;
  }
  for (int d = 0; d < whole->rank; d++) {
    const int64_t start = integer(&q->args[first + d], 0);
    const int64_t last = whole->dims[d] - part->dims[d];
    out[d] = start < 0 ? 0 : (start > last ? last : start);
  }
  return true;
}

static bool run_dynamic_slice(const question_t *q) {
  int64_t starts[TENSOR_RANK_MAX];
  if (!find_starts(q, 1, q->args[0].shape, q->shape, starts)) {
    return false;
  }
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    unravel(q->shape, i, coords);
    for (int d = 0; d < q->shape->rank; d++) {
      coords[d] += starts[d];
    }
    take(q, i, &q->args[0], ravel(q->args[0].shape, coords));
  }
  return true;
}

static bool run_dynamic_update_slice(const question_t *q) {
  int64_t starts[TENSOR_RANK_MAX];
  const tensor_shape_t *update = q->args[1].shape;
  if (!find_starts(q, 2, q->shape, update, starts) || !run_copy(q)) {
    return false;
  }
  const int64_t elements = tensor_shape_elements(update);
  for (int64_t i = 0; i < elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    unravel(update, i, coords);
    for (int d = 0; d < update->rank; d++) {
      coords[d] += starts[d];
    }
    take(q, ravel(q->shape, coords), &q->args[1], i);
  }
  return true;
}

static bool run_concatenate(const question_t *q) {
  const int64_t dimension =
      chip_instruction_attr_one(q->instruction, CHIP_ATTR_DIMENSION, 0);
  for (int64_t i = 0; i < q->elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    unravel(q->shape, i, coords);
    int32_t arg = 0;
    while (coords[dimension] >= q->args[arg].shape->dims[dimension]) {
      coords[dimension] -= q->args[arg++].shape->dims[dimension];
    }
    take(q, i, &q->args[arg], ravel(q->args[arg].shape, coords));
  }
  return true;
}

// One operand and its initial value.
static bool run_reduce(const question_t *q) {
  if (q->arg_count != 2 || !chip_is_integral(q->shape->dtype)) {
    return false;
  }
  int32_t count;
  const int64_t *dims =
      chip_instruction_attr(q->instruction, CHIP_ATTR_DIMENSIONS, &count);
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      q->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  for (int64_t i = 0; i < q->elements; i++) {
    put(q, i, integer(&q->args[1], 0));
  }
  const tensor_shape_t *in = q->args[0].shape;
  const int64_t elements = tensor_shape_elements(in);
  for (int64_t i = 0; i < elements; i++) {
    int64_t coords[TENSOR_RANK_MAX];
    int64_t kept[TENSOR_RANK_MAX];
    unravel(in, i, coords);
    int rank = 0;
    for (int d = 0; d < in->rank; d++) {
      bool is_reduced = false;
      for (int32_t r = 0; r < count; r++) {
        is_reduced |= dims[r] == d;
      }
      if (!is_reduced) {
        kept[rank++] = coords[d];
      }
    }
    const int64_t to = ravel(q->shape, kept);
    const int64_t before =
        tensor_element_as_int64(q->shape->dtype, q->out + (size_t)to * q->element_bytes);
    int64_t value;
    if (!chip_integer_binary(chip_reducer_op(reducer), q->shape->dtype, before,
                             integer(&q->args[0], i), &value)) {
      return false;
    }
    put(q, to, value);
  }
  return true;
}

// --- All together ---

static bool answer(const question_t *q) {
  switch (q->instruction->op) {
    case CHIP_OP_PARTITION_ID:
      put(q, 0, q->chip);
      return true;
    case CHIP_OP_REPLICA_ID:
      put(q, 0, 0);
      return true;
    case CHIP_OP_IOTA:
      return run_iota(q);
    case CHIP_OP_CONVERT:
      return run_convert(q);
    case CHIP_OP_COMPARE:
      return run_compare(q);
    case CHIP_OP_SELECT:
      return run_select(q);
    case CHIP_OP_CLAMP:
      return run_clamp(q);
    case CHIP_OP_RESHAPE:
    case CHIP_OP_COPY:
    case CHIP_OP_TO_HOST:
    case CHIP_OP_TO_DEVICE:
      return run_copy(q);
    case CHIP_OP_BROADCAST_IN_DIM:
      return run_broadcast(q);
    case CHIP_OP_TRANSPOSE:
      return run_transpose(q);
    case CHIP_OP_SLICE:
      return run_slice(q);
    case CHIP_OP_DYNAMIC_SLICE:
      return run_dynamic_slice(q);
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return run_dynamic_update_slice(q);
    case CHIP_OP_CONCATENATE:
      return run_concatenate(q);
    case CHIP_OP_REDUCE:
      return run_reduce(q);
    default:
      return q->arg_count == 1 ? run_unary(q) : q->arg_count == 2 && run_binary(q);
  }
}

// Looks the operands up. False: one is not known, or they are not small.
static bool ask(const simulator_values_t *values, const chip_instruction_t *instruction,
                question_t *q, bool *out_depends_on_chip) {
  if (instruction->result_count != 1 || instruction->operand_count > ARGS_MAX) {
    return false;
  }
  const chip_program_t *program = values->program;
  *q = (question_t){.instruction = instruction,
                    .arg_count = instruction->operand_count,
                    .shape = &program->buffers[instruction->results[0]].shape,
                    .chip = values->chip};
  q->elements = tensor_shape_elements(q->shape);
  q->element_bytes = tensor_dtype_bytes(q->shape->dtype);
  if (q->elements < 1 || q->elements > SIMULATOR_VALUE_ELEMENTS_MAX) {
    return false;
  }
  *out_depends_on_chip = instruction->op == CHIP_OP_PARTITION_ID;
  for (int32_t i = 0; i < q->arg_count; i++) {
    arg_t *arg = &q->args[i];
    bool is_splat;
    bool depends;
    arg->shape = &program->buffers[instruction->operands[i]].shape;
    arg->data =
        simulator_values_get(values, instruction->operands[i], &is_splat, &depends);
    if (arg->data == NULL ||
        tensor_shape_elements(arg->shape) > SIMULATOR_VALUE_ELEMENTS_MAX) {
      return false;
    }
    arg->step = is_splat ? 0 : (int64_t)tensor_dtype_bytes(arg->shape->dtype);
    *out_depends_on_chip |= depends;
  }
  return true;
}

// The buffers that regions over scalars use are written as they are called.
static void forget_calls(simulator_values_t *values,
                         const chip_instruction_t *instruction) {
  for (int32_t c = 0; c < instruction->call_count; c++) {
    const chip_computation_t *region =
        &values->program->computations[instruction->calls[c]];
    for (int32_t i = 0; i < region->parameter_count; i++) {
      simulator_values_set(values, region->parameters[i], NULL, false);
    }
    for (int32_t i = 0; i < region->instruction_count; i++) {
      const chip_instruction_t *inner =
          &values->program->instructions[region->first_instruction + i];
      for (int32_t r = 0; r < inner->result_count; r++) {
        simulator_values_set(values, inner->results[r], NULL, false);
      }
    }
  }
}

void simulator_values_run(simulator_values_t *values,
                          const chip_instruction_t *instruction) {
  if (instruction->op == CHIP_OP_OPTIMIZATION_BARRIER) {
    for (int32_t i = 0; i < instruction->result_count; i++) {
      simulator_values_copy(values, instruction->operands[i], instruction->results[i]);
    }
    return;
  }
  question_t q = {0};
  bool depends_on_chip = false;
  bool is_known = ask(values, instruction, &q, &depends_on_chip);
  if (is_known) {
    q.out = pod_alloc((size_t)q.elements * q.element_bytes);
    is_known = answer(&q);
  }
  forget_calls(values, instruction);
  for (int32_t i = 0; i < instruction->result_count; i++) {
    simulator_values_set(values, instruction->results[i], is_known ? q.out : NULL,
                         is_known && depends_on_chip);
  }
  free(q.out);
}
