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
    machine->values[op->results[i].id] = *reference_operand(machine, op, i);
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
    {"func.call", reference_call},
    {"stablehlo.composite", reference_call},
    {"stablehlo.all_gather", reference_alone},
    {"stablehlo.all_reduce", reference_alone},
    {"stablehlo.all_to_all", reference_alone},
    {"stablehlo.collective_broadcast", reference_alone},
    {"stablehlo.collective_permute", reference_permute},
    {"stablehlo.partition_id", reference_id},
    {"stablehlo.reduce_scatter", reference_alone},
    {"stablehlo.replica_id", reference_id},
    {NULL, NULL},
};
