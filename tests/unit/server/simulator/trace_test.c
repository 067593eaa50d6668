// Control flow followed from scalars alone.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/simulator/simulator.h"
#include "tests/unit/server/programs.h"

enum { CHIPS = 4 };

typedef enum bound_t { BOUND_CONSTANT, BOUND_CHIP, BOUND_ARGUMENT } bound_t;

// for (i = 0; i < bound; i += step); the bound a constant, the chip's number plus it, or
// an argument. Returns the loop's instruction.
static chip_program_t *make_loop(bound_t kind, int32_t bound, int32_t step,
                                 int32_t *out_loop) {
  program_builder_t *builder = program_begin("loop", CHIPS, 0);
  const tensor_shape_t s32 = shape_of(TENSOR_S32, 0);
  const tensor_shape_t truth = shape_of(TENSOR_PRED, 0);
  const int32_t zero = program_scalar_s32(builder, 0);
  const int32_t by = program_scalar_s32(builder, step);
  const int32_t limit = program_scalar_s32(builder, bound);
  const int32_t argument = program_argument(builder, s32, "");
  const int32_t i = program_temp(builder, s32);
  const int32_t n = program_temp(builder, s32);
  const int32_t goes_on = program_temp(builder, truth);
  const int32_t next = program_temp(builder, s32);
  const int32_t id = program_temp(builder, shape_of(TENSOR_U32, 0));
  const int32_t signed_id = program_temp(builder, s32);
  const int32_t result = program_result(builder, s32, "");
  const int32_t condition =
      program_computation(builder, "condition", i, n, CHIP_NONE, goes_on, CHIP_NONE);
  program_op(builder, CHIP_OP_COMPARE, i, n, CHIP_NONE, goes_on, CHIP_NONE);
  program_attr(builder, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_LT);
  const int32_t body =
      program_computation(builder, "body", i, n, CHIP_NONE, next, n, CHIP_NONE);
  program_op(builder, CHIP_OP_ADD, i, by, CHIP_NONE, next, CHIP_NONE);
  program_computation(builder, "main", argument, CHIP_NONE, result, CHIP_NONE);
  program_op(builder, CHIP_OP_COPY, zero, CHIP_NONE, i, CHIP_NONE);
  program_op(builder, CHIP_OP_PARTITION_ID, CHIP_NONE, id, CHIP_NONE);
  program_op(builder, CHIP_OP_CONVERT, id, CHIP_NONE, signed_id, CHIP_NONE);
  if (kind == BOUND_CONSTANT) {
    program_op(builder, CHIP_OP_COPY, limit, CHIP_NONE, n, CHIP_NONE);
  } else if (kind == BOUND_CHIP) {
    program_op(builder, CHIP_OP_ADD, signed_id, limit, CHIP_NONE, n, CHIP_NONE);
  } else {
    program_op(builder, CHIP_OP_COPY, argument, CHIP_NONE, n, CHIP_NONE);
  }
  *out_loop = program_op(builder, CHIP_OP_WHILE, CHIP_NONE, i, n, CHIP_NONE);
  program_call(builder, condition);
  program_call(builder, body);
  program_op(builder, CHIP_OP_COPY, i, CHIP_NONE, result, CHIP_NONE);
  return program_end(builder);
}

static int64_t only_value(const chip_trace_t *trace, int32_t instruction) {
  assert_int_equal(trace->lists[instruction].count, 1);
  assert_int_equal(trace->lists[instruction].items[0].repeat, 1);
  return trace->lists[instruction].items[0].value;
}

static void test_a_loop_over_constants_is_counted(void **state) {
  (void)state;
  int32_t loop;
  chip_program_t *program = make_loop(BOUND_CONSTANT, 80, 3, &loop);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  assert_null(simulator_trace(program, CHIPS, NULL, 0, arena, &traces));
  assert_int_equal(only_value(traces[0], loop), 27);
  for (int chip = 1; chip < CHIPS; chip++) {
    assert_ptr_equal(traces[chip], traces[0]);
  }
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

static void test_a_loop_over_the_chip_s_number_differs_from_chip_to_chip(void **state) {
  (void)state;
  int32_t loop;
  chip_program_t *program = make_loop(BOUND_CHIP, 5, 1, &loop);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  assert_null(simulator_trace(program, CHIPS, NULL, 0, arena, &traces));
  for (int chip = 0; chip < CHIPS; chip++) {
    assert_int_equal(only_value(traces[chip], loop), 5 + chip);
  }
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

static void test_a_loop_over_an_argument_needs_to_be_told(void **state) {
  (void)state;
  int32_t loop;
  chip_program_t *program = make_loop(BOUND_ARGUMENT, 0, 1, &loop);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  const pod_status_t status = simulator_trace(program, CHIPS, NULL, 0, arena, &traces);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  assert_non_null(strstr(pod_status_message(status), program->instructions[loop].source));
  assert_non_null(strstr(pod_status_message(status), "--turns while."));
  pod_status_free(status);
  simulator_turns_t turns[] = {{.instruction = NULL, .turns = 9},
                               {.instruction = "while.9", .turns = 12}};
  assert_null(simulator_trace(program, CHIPS, turns, 1, arena, &traces));
  assert_int_equal(only_value(traces[3], loop), 9);
  turns[1].instruction = program->instructions[loop].name;
  assert_null(simulator_trace(program, CHIPS, turns, 2, arena, &traces));
  assert_int_equal(only_value(traces[3], loop), 12);
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

static void test_a_loop_without_end_is_given_up(void **state) {
  (void)state;
  int32_t loop;
  chip_program_t *program = make_loop(BOUND_CONSTANT, 80, 0, &loop);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  const pod_status_t status = simulator_trace(program, CHIPS, NULL, 0, arena, &traces);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  pod_status_free(status);
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

// A table is sliced where the chip's number says, and the case follows what was found.
static void test_a_case_over_a_table_is_followed(void **state) {
  (void)state;
  program_builder_t *builder = program_begin("case", CHIPS, 0);
  const tensor_shape_t s32 = shape_of(TENSOR_S32, 0);
  const int32_t entries[CHIPS] = {2, 0, 1, 7};
  const int32_t table =
      program_constant(builder, shape_of(TENSOR_S32, 1, CHIPS), false, entries);
  const int32_t id = program_temp(builder, shape_of(TENSOR_U32, 0));
  const int32_t slice = program_temp(builder, shape_of(TENSOR_S32, 1, 1));
  const int32_t index = program_temp(builder, s32);
  int32_t branches[3];
  for (int i = 0; i < 3; i++) {
    branches[i] = program_computation(builder, "branch", CHIP_NONE, CHIP_NONE);
  }
  program_computation(builder, "main", CHIP_NONE, CHIP_NONE);
  program_op(builder, CHIP_OP_PARTITION_ID, CHIP_NONE, id, CHIP_NONE);
  program_op(builder, CHIP_OP_DYNAMIC_SLICE, table, id, CHIP_NONE, slice, CHIP_NONE);
  program_attr(builder, CHIP_ATTR_SLICE_SIZES, 1);
  program_op(builder, CHIP_OP_RESHAPE, slice, CHIP_NONE, index, CHIP_NONE);
  const int32_t choice = program_op(builder, CHIP_OP_CASE, index, CHIP_NONE, CHIP_NONE);
  for (int i = 0; i < 3; i++) {
    program_call(builder, branches[i]);
  }
  chip_program_t *program = program_end(builder);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  assert_null(simulator_trace(program, CHIPS, NULL, 0, arena, &traces));
  const int64_t expected[CHIPS] = {2, 0, 1, 2};  // What is out of range takes the last.
  for (int chip = 0; chip < CHIPS; chip++) {
    assert_int_equal(only_value(traces[chip], choice), expected[chip]);
  }
  assert_ptr_equal(traces[0], traces[3]);
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

// Temporaries share memory: what another buffer has overwritten is not known any more.
static void test_overwritten_memory_is_forgotten(void **state) {
  (void)state;
  program_builder_t *builder = program_begin("overlap", CHIPS, 0);
  const tensor_shape_t s32 = shape_of(TENSOR_S32, 0);
  const tensor_shape_t row = shape_of(TENSOR_F32, 1, 8);
  const int32_t one = program_scalar_s32(builder, 1);
  const int32_t argument = program_argument(builder, row, ".");
  const int32_t index = program_temp(builder, s32);
  program_temp(builder, s32);
  const int32_t over = program_buffer(
      builder, (chip_buffer_t){.kind = CHIP_BUFFER_TEMP, .offset = 0, .shape = row});
  const int32_t nothing = program_computation(builder, "a", CHIP_NONE, CHIP_NONE);
  const int32_t other = program_computation(builder, "b", CHIP_NONE, CHIP_NONE);
  program_computation(builder, "main", argument, CHIP_NONE, CHIP_NONE);
  program_op(builder, CHIP_OP_COPY, one, CHIP_NONE, index, CHIP_NONE);
  program_op(builder, CHIP_OP_NEGATE, argument, CHIP_NONE, over, CHIP_NONE);
  program_op(builder, CHIP_OP_CASE, index, CHIP_NONE, CHIP_NONE);
  program_call(builder, nothing);
  program_call(builder, other);
  chip_program_t *program = program_end(builder);
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces = NULL;
  const pod_status_t status = simulator_trace(program, CHIPS, NULL, 0, arena, &traces);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  pod_status_free(status);
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_loop_over_constants_is_counted),
      cmocka_unit_test(test_a_loop_over_the_chip_s_number_differs_from_chip_to_chip),
      cmocka_unit_test(test_a_loop_over_an_argument_needs_to_be_told),
      cmocka_unit_test(test_a_loop_without_end_is_given_up),
      cmocka_unit_test(test_a_case_over_a_table_is_followed),
      cmocka_unit_test(test_overwritten_memory_is_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
