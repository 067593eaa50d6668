// while, if and case, calls, and collectives among a single chip.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

enum { VALUES_MAX = 32 };

static void set_results(reference_t *machine, const mlir_op_t *op,
                        const reference_value_t *values) {
  for (int i = 0; i < op->result_count; i++) {
    machine->values[op->results[i].id] = values[i];
  }
}

static void reference_while(reference_t *machine, const mlir_op_t *op) {
  POD_CHECK(op->operand_count <= VALUES_MAX);
  reference_value_t values[VALUES_MAX], next[VALUES_MAX], holds;
  for (int i = 0; i < op->operand_count; i++) {
    values[i] = *reference_operand(machine, op, i);
  }
  for (;;) {
    reference_block(machine, mlir_op_block(op, 0), values, &holds);
    if (holds.data[0] == 0) {
      break;
    }
    reference_block(machine, mlir_op_block(op, 1), values, next);
    memcpy(values, next, sizeof(values));
  }
  set_results(machine, op, values);
}

// Where element `i` of the slice `at` stands in the whole.
static int64_t in_whole(const tensor_shape_t *slice, const tensor_shape_t *whole,
                        int64_t dimension, int64_t at, int64_t i) {
  int64_t index[TENSOR_RANK_MAX];
  reference_unravel(slice, i, index);
  memmove(index + dimension + 1, index + dimension,
          (size_t)(slice->rank - dimension) * sizeof(index[0]));
  index[dimension] = at;
  return reference_ravel(whole, index);
}

static void reference_scan(reference_t *machine, const mlir_op_t *op) {
  const mlir_block_t *body = mlir_op_block(op, 0);
  const int64_t dimension = reference_integer(op, "dimension", 0);
  const bool is_reverse = reference_integer(op, "is_reverse", 0) != 0;
  const int64_t *segments = reference_list(machine, op, "operandSegmentSizes", NULL);
  const int inputs = (int)segments[0];  // As many outputs as inputs here.
  POD_CHECK(op->operand_count <= VALUES_MAX && op->result_count == op->operand_count);
  reference_value_t values[VALUES_MAX], next[VALUES_MAX];
  for (int n = 0; n < op->operand_count; n++) {
    values[n] = *reference_operand(machine, op, n);
    reference_result(machine, op, n);
  }
  const int64_t length = values[0].shape.dims[dimension];
  for (int64_t step = 0; step < length; step++) {
    const int64_t at = is_reverse ? length - 1 - step : step;
    for (int n = 0; n < inputs; n++) {
      const reference_value_t *whole = reference_operand(machine, op, n);
      values[n] = reference_make(machine->arena, &body->arguments[n]->type->shape);
      for (int64_t i = 0; i < values[n].count; i++) {
        reference_copy(&values[n], i, whole,
                       in_whole(&values[n].shape, &whole->shape, dimension, at, i));
      }
    }
    reference_block(machine, body, values, next);
    memcpy(values, next, sizeof(values));
    for (int n = 0; n < inputs; n++) {
      reference_value_t *whole = &machine->values[op->results[n].id];
      for (int64_t i = 0; i < next[n].count; i++) {
        reference_copy(whole, in_whole(&next[n].shape, &whole->shape, dimension, at, i),
                       &next[n], i);
      }
    }
  }
  for (int n = inputs; n < op->result_count; n++) {
    machine->values[op->results[n].id] = values[n];
  }
}

static void run_branch(reference_t *machine, const mlir_op_t *op, int64_t branch) {
  POD_CHECK(op->result_count <= VALUES_MAX);
  reference_value_t values[VALUES_MAX];
  reference_block(machine, mlir_op_block(op, (int)branch), NULL, values);
  set_results(machine, op, values);
}

static void reference_if(reference_t *machine, const mlir_op_t *op) {
  run_branch(machine, op, reference_operand(machine, op, 0)->data[0] != 0 ? 0 : 1);
}

static void reference_case(reference_t *machine, const mlir_op_t *op) {
  const int64_t index = reference_index(reference_operand(machine, op, 0), 0);
  const bool is_branch = index >= 0 && index < op->region_count;
  run_branch(machine, op, is_branch ? index : op->region_count - 1);
}

static void reference_call(reference_t *machine, const mlir_op_t *op) {
  const mlir_attr_t *callee = mlir_op_attr(op, "callee");
  if (callee == NULL) {
    callee = mlir_op_attr(op, "decomposition");
  }
  POD_CHECK(op->operand_count <= VALUES_MAX && op->result_count <= VALUES_MAX);
  reference_value_t arguments[VALUES_MAX], values[VALUES_MAX];
  for (int i = 0; i < op->operand_count; i++) {
    arguments[i] = *reference_operand(machine, op, i);
  }
  reference_block(machine, reference_function(machine, callee->text), arguments, values);
  set_results(machine, op, values);
}

// --- Collectives: in a group of one, what is given comes back ---

static void reference_alone(reference_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    machine->values[op->results[i].id] =
        reference_promote(machine->arena, reference_operand(machine, op, i),
                          op->results[i].type->shape.dtype);
  }
}

static void reference_permute(reference_t *machine, const mlir_op_t *op) {
  int64_t count;
  reference_list(machine, op, "source_target_pairs", &count);
  if (count > 0) {
    reference_alone(machine, op);
  } else {
    reference_result(machine, op, 0);  // Zeros.
  }
}

static void reference_id(reference_t *machine, const mlir_op_t *op) {
  reference_result(machine, op, 0);
}

const reference_row_t reference_control_rows[] = {
    {"stablehlo.while", reference_while},
    {"stablehlo.if", reference_if},
    {"stablehlo.case", reference_case},
    {"chlo.scan", reference_scan},
    {"func.call", reference_call},
    {"stablehlo.composite", reference_call},
    {"stablehlo.all_gather", reference_alone},
    {"stablehlo.all_reduce", reference_alone},
    {"stablehlo.all_to_all", reference_alone},
    {"stablehlo.collective_broadcast", reference_alone},
    {"stablehlo.collective_permute", reference_permute},
    {"stablehlo.collective_reduce", reference_alone},
    {"stablehlo.partition_id", reference_id},
    {"stablehlo.reduce_scatter", reference_alone},
    {"stablehlo.replica_id", reference_id},
    {NULL, NULL},
};
