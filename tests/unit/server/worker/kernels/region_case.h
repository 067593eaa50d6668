// A region for the instruction of a kernel_case_t, written instruction by instruction.

#ifndef TESTS_UNIT_SERVER_WORKER_KERNELS_REGION_CASE_H_
#define TESTS_UNIT_SERVER_WORKER_KERNELS_REGION_CASE_H_

#include "tests/unit/server/worker/kernels/kernel_case.h"

enum { REGION_INSTRUCTIONS = 64, REGION_CONSTANTS = 8 };

typedef struct region_case_t {
  kernel_case_t *c;
  chip_instruction_t instructions[REGION_INSTRUCTIONS];
  int32_t operands[REGION_INSTRUCTIONS][3], instruction_results[REGION_INSTRUCTIONS];
  chip_attr_t attrs[REGION_INSTRUCTIONS][2];
  int64_t values[REGION_INSTRUCTIONS][2];
  chip_constant_t constants[REGION_CONSTANTS];
  char constant_bytes[REGION_CONSTANTS][16];
  int32_t parameters[2][CASE_BUFFERS], results[2][4];
  chip_computation_t computations[2], *made;  // The one that is being written.
  int32_t instruction_count;
  int64_t temp_bytes;
} region_case_t;

// A region that has to be run without being called.
__attribute__((unused)) static pod_status_t region_is_not_called(
    const kernel_args_t *args, int32_t computation, const void *const *inputs,
    void *const *outputs) {
  (void)args;
  (void)computation;
  (void)inputs;
  (void)outputs;
  return pod_error(POD_INTERNAL, "the region was called");
}

// The region is borrowed by the case from now on.
__attribute__((unused)) static void region_init(region_case_t *region, kernel_case_t *c) {
  memset(region, 0, sizeof(*region));
  region->c = c;
  for (int i = 0; i < 2; i++) {
    region->computations[i] = (chip_computation_t){.name = "region",
                                                   .parameters = region->parameters[i],
                                                   .results = region->results[i]};
  }
  region->made = &region->computations[0];
  c->call = region_is_not_called;
  c->program.computations = region->computations;
  c->program.computation_count = 1;
  c->program.instructions = region->instructions;
  c->program.constants = region->constants;
}

// What is written from now on is the second region.
__attribute__((unused)) static void region_next(region_case_t *region) {
  region->made = &region->computations[1];
  region->made->first_instruction = region->instruction_count;
  region->c->program.computation_count = 2;
}

__attribute__((unused)) static int32_t region_buffer(region_case_t *region,
                                                     tensor_dtype_t dtype) {
  kernel_case_t *c = region->c;
  assert_true(c->buffer_count < CASE_BUFFERS);
  region->temp_bytes += CHIP_BUFFER_ALIGNMENT;
  c->buffers[c->buffer_count] =
      (chip_buffer_t){.kind = CHIP_BUFFER_TEMP,
                      .offset = region->temp_bytes,
                      .shape = tensor_shape_make(dtype, 0, NULL)};
  return c->buffer_count++;
}

__attribute__((unused)) static int32_t region_parameter(region_case_t *region,
                                                        tensor_dtype_t dtype) {
  const int32_t buffer = region_buffer(region, dtype);
  const ptrdiff_t which = region->made - region->computations;
  region->parameters[which][region->made->parameter_count++] = buffer;
  return buffer;
}

__attribute__((unused)) static int32_t region_constant(region_case_t *region,
                                                       tensor_dtype_t dtype,
                                                       double value) {
  const int32_t index = region->c->program.constant_count++;
  assert_true(index < REGION_CONSTANTS);
  const int32_t buffer = region_buffer(region, dtype);
  region->c->buffers[buffer].kind = CHIP_BUFFER_CONSTANT;
  region->c->buffers[buffer].index = index;
  tensor_element_from_double(dtype, value, region->constant_bytes[index]);
  region->constants[index] =
      (chip_constant_t){.shape = tensor_shape_make(dtype, 0, NULL),
                        .size_bytes = (int64_t)tensor_dtype_bytes(dtype),
                        .data = region->constant_bytes[index]};
  return buffer;
}

// Operands behind the last are negative.
__attribute__((unused)) static int32_t region_add(region_case_t *region, chip_op_t op,
                                                  tensor_dtype_t dtype, int32_t a,
                                                  int32_t b, int32_t c) {
  const int32_t at = region->instruction_count++;
  region->made->instruction_count++;
  assert_true(at < REGION_INSTRUCTIONS);
  const int32_t operands[] = {a, b, c};
  chip_instruction_t *instruction = &region->instructions[at];
  *instruction = (chip_instruction_t){.op = op,
                                      .result_count = 1,
                                      .operands = region->operands[at],
                                      .results = &region->instruction_results[at],
                                      .attrs = region->attrs[at],
                                      .name = "in_region",
                                      .source = ""};
  while (instruction->operand_count < 3 && operands[instruction->operand_count] >= 0) {
    region->operands[at][instruction->operand_count] =
        operands[instruction->operand_count];
    instruction->operand_count++;
  }
  region->instruction_results[at] = region_buffer(region, dtype);
  return region->instruction_results[at];
}

__attribute__((unused)) static int32_t region_compare(region_case_t *region,
                                                      chip_comparison_t direction,
                                                      bool is_total_order, int32_t a,
                                                      int32_t b) {
  const int32_t result = region_add(region, CHIP_OP_COMPARE, TENSOR_PRED, a, b, -1);
  const int32_t at = region->instruction_count - 1;
  region->values[at][0] = direction;
  region->values[at][1] =
      is_total_order ? CHIP_COMPARE_TOTAL_ORDER : CHIP_COMPARE_BY_DTYPE;
  region->attrs[at][0] =
      (chip_attr_t){CHIP_ATTR_COMPARISON_DIRECTION, 1, &region->values[at][0]};
  region->attrs[at][1] = (chip_attr_t){CHIP_ATTR_COMPARE_TYPE, 1, &region->values[at][1]};
  region->instructions[at].attr_count = 2;
  return result;
}

__attribute__((unused)) static void region_return(region_case_t *region, int32_t value) {
  const ptrdiff_t which = region->made - region->computations;
  region->results[which][region->made->result_count++] = value;
}

#endif  // TESTS_UNIT_SERVER_WORKER_KERNELS_REGION_CASE_H_
