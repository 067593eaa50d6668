// Custom calls, and what orders operations and takes no part in their results: tokens and
// futures.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

static void reference_same(reference_t *machine, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    machine->values[op->results[i].id] = *reference_operand(machine, op, i);
  }
}

static void reference_buffer(reference_t *machine, const mlir_op_t *op) {
  reference_result(machine, op, 0);
}

// A call that gives nothing, and what gives a token.
static void reference_nothing(reference_t *machine, const mlir_op_t *op) {
  (void)machine;
  (void)op;
}

// @mhlo.acos: chlo.acos.
static void reference_renamed(reference_t *machine, const mlir_op_t *op) {
  reference_run_as(
      machine, op,
      pod_arena_printf(machine->arena, "chlo.%s", op->name + strlen("@mhlo.")));
}

static void reference_tan(reference_t *machine, const mlir_op_t *op) {
  reference_run_as(machine, op, "stablehlo.tan");
}

static void reference_bits(reference_t *machine, const mlir_op_t *op) {
  reference_run_as(machine, op, "stablehlo.rng_bit_generator");
}

// A future holds what the body gives.
static void reference_start(reference_t *machine, const mlir_op_t *op) {
  enum { VALUES_MAX = 8 };
  POD_CHECK(op->operand_count <= VALUES_MAX);
  reference_value_t arguments[VALUES_MAX];
  for (int i = 0; i < op->operand_count; i++) {
    arguments[i] = *reference_operand(machine, op, i);
  }
  reference_value_t *future = &machine->values[op->results[0].id];
  const mlir_op_t *end = mlir_op_block(op, 0)->last;
  *future = (reference_value_t){.part_count = end->operand_count};
  future->parts = pod_arena_array(machine->arena, (size_t)end->operand_count,
                                  sizeof(future->parts[0]));
  reference_block(machine, mlir_op_block(op, 0), arguments, future->parts);
}

static void reference_done(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *future = reference_operand(machine, op, 0);
  POD_CHECK(op->result_count == future->part_count);
  for (int i = 0; i < op->result_count; i++) {
    machine->values[op->results[i].id] = future->parts[i];
  }
}

const reference_row_t reference_custom_rows[] = {
    {"@AllocateBuffer", reference_buffer},
    {"@InspectSharding", reference_nothing},
    {"@LayoutConstraint", reference_same},
    {"@MoveToDevice", reference_same},
    {"@MoveToHost", reference_same},
    {"@annotate_device_placement", reference_same},
    {"@dce_sink", reference_nothing},
    {"@mhlo.acos", reference_renamed},
    {"@mhlo.acosh", reference_renamed},
    {"@mhlo.asin", reference_renamed},
    {"@mhlo.asinh", reference_renamed},
    {"@mhlo.atan", reference_renamed},
    {"@mhlo.atanh", reference_renamed},
    {"@mhlo.cosh", reference_renamed},
    {"@mhlo.erf", reference_renamed},
    {"@mhlo.erf_inv", reference_renamed},
    {"@mhlo.sinh", reference_renamed},
    {"@mhlo.tan", reference_tan},
    {"@shape_assertion", reference_nothing},
    {"@stablehlo.dynamic_rng_bit_generator", reference_bits},
    {"stablehlo.after_all", reference_nothing},
    {"stablehlo.create_token", reference_nothing},
    {"stablehlo.async_start", reference_start},
    {"stablehlo.async_done", reference_done},
    {NULL, NULL},
};
