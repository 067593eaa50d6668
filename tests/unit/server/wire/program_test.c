#include "server/wire/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"
#include "proto/podium/v1/program.pb-c.h"
#include "tests/unit/server/programs.h"

// Everything a program can have: a sharded argument, which is donated, both kinds of
// constant, a loop, a collective with groups, a region.
static chip_program_t *make_program(void) {
  program_builder_t *b = program_begin("jit_f", 2, 2);
  const tensor_shape_t vector = shape_of(TENSOR_F32, 1, 4);
  const float values[4] = {1, 2, 3, 4};
  const int32_t argument = program_argument(b, shape_of(TENSOR_F32, 1, 16), "b");
  const int32_t result = program_result(b, shape_of(TENSOR_F32, 1, 16), "b");
  program_alias(b, 0, 0);
  const int32_t constant = program_constant(b, vector, false, values);
  const int32_t limit = program_scalar_s32(b, 3);
  const int32_t one = program_scalar_s32(b, 1);
  const int32_t counter = program_temp(b, shape_of(TENSOR_S32, 0));
  const int32_t state = program_temp(b, vector);
  const int32_t go_on = program_temp(b, shape_of(TENSOR_PRED, 0));
  const int32_t condition =
      program_computation(b, "cond", counter, state, CHIP_NONE, go_on, CHIP_NONE);
  program_op(b, CHIP_OP_COMPARE, counter, limit, CHIP_NONE, go_on, CHIP_NONE);
  program_attr(b, CHIP_ATTR_COMPARISON_DIRECTION, CHIP_COMPARISON_LT);
  const int32_t body = program_computation(b, "body", counter, state, CHIP_NONE, counter,
                                           state, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, counter, one, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, state, constant, CHIP_NONE, state, CHIP_NONE);
  program_computation(b, "main", argument, CHIP_NONE, result, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, limit, CHIP_NONE, counter, CHIP_NONE);
  program_op(b, CHIP_OP_COPY, result, CHIP_NONE, state, CHIP_NONE);
  program_op(b, CHIP_OP_WHILE, CHIP_NONE, counter, state, CHIP_NONE);
  program_call(b, condition);
  program_call(b, body);
  program_op(b, CHIP_OP_ALL_REDUCE, state, CHIP_NONE, result, CHIP_NONE);
  program_attr(b, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  program_attr_list(b, CHIP_ATTR_REPLICA_GROUPS, 4, (int64_t[]){0, 1, 2, 3});
  program_attr(b, CHIP_ATTR_GROUP_SIZE, 2);
  return program_end(b);
}

static char *listing(const chip_program_t *program) {
  pod_text_t text = {0};
  chip_program_print(&text, program);
  return pod_text_take(&text);
}

static void test_a_program_comes_back_as_it_was(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  chip_program_t *copy;
  assert_null(wire_program_unpack(bytes, size, &copy));

  char *expected = listing(program);
  char *found = listing(copy);
  assert_string_equal(found, expected);
  assert_string_equal(copy->name, "jit_f");
  assert_int_equal(copy->temp_bytes, program->temp_bytes);
  assert_int_equal(copy->argument_bytes, 16);
  assert_int_equal(copy->alias_count, 1);
  assert_int_equal(copy->aliases[0].argument, 0);
  assert_int_equal(copy->aliases[0].result, 0);
  assert_true(
      sharding_equivalent(copy->arguments[0].sharding, copy->results[0].sharding));
  assert_ptr_equal(copy->arguments[0].sharding->mesh, copy->mesh);
  assert_int_equal(copy->arguments[0].sharding->dims[0].axes.count, 2);
  assert_memory_equal(copy->constants[0].data, program->constants[0].data, 16);
  assert_string_equal(copy->instructions[5].source, "test.py:5:1");
  free(expected);
  free(found);

  uint8_t *again;
  size_t again_size;
  assert_null(wire_program_pack(copy, &again, &again_size));
  assert_int_equal(again_size, size);
  assert_memory_equal(again, bytes, size);
  free(bytes);
  free(again);
  chip_program_destroy(program);
  chip_program_destroy(copy);
}

// As of a result that JAX wants on the devices in another order.
static void test_a_sharding_keeps_a_mesh_of_another_order(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  const int64_t ids[4] = {3, 1, 2, 0};
  sharding_t turned = *program->results[0].sharding;
  assert_null(mesh_make(program->arena, "mesh", turned.mesh->axis_count,
                        turned.mesh->axes, ids, &turned.mesh));
  ((chip_interface_t *)(uintptr_t)program->results)->sharding = &turned;
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  chip_program_t *copy;
  assert_null(wire_program_unpack(bytes, size, &copy));
  assert_memory_equal(copy->results[0].sharding->mesh->device_ids, ids, sizeof(ids));
  assert_null(copy->arguments[0].sharding->mesh->device_ids);
  free(bytes);
  chip_program_destroy(copy);
  chip_program_destroy(program);
}

static void shard_over_fewer_devices(Podium__V1__Program *message) {
  uint8_t bytes[256];
  const size_t size = podium__v1__mesh__pack(message->mesh, bytes);
  Podium__V1__Mesh *one = podium__v1__mesh__unpack(NULL, size, bytes);
  for (size_t i = 0; i < one->n_axes; i++) {
    one->axes[i]->size = 1;
  }
  message->results[0]->sharding->mesh = one;
}

static void test_constants_lie_aligned_whatever_their_size(void **state) {
  (void)state;
  program_builder_t *b = program_begin("constants", 1, 0);
  float *values = calloc(5000, sizeof(*values));
  program_constant(b, shape_of(TENSOR_F32, 1, 3), false, values);
  program_constant(b, shape_of(TENSOR_F32, 1, 5000), false, values);
  program_constant(b, shape_of(TENSOR_F32, 2, 0, 7), false, values);
  program_constant(b, shape_of(TENSOR_BF16, 2, 3, 7), true, values);
  free(values);
  program_computation(b, "main", CHIP_NONE, CHIP_NONE);
  chip_program_t *program = program_end(b);
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  chip_program_t *copy;
  assert_null(wire_program_unpack(bytes, size, &copy));
  for (int32_t i = 0; i < copy->constant_count; i++) {
    assert_int_equal((uintptr_t)copy->constants[i].data % WIRE_CONSTANT_ALIGNMENT, 0);
  }
  free(bytes);
  chip_program_destroy(program);
  chip_program_destroy(copy);
}

static void test_every_truncation_is_an_error_or_a_checked_program(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  for (size_t length = 0; length < size; length++) {
    uint8_t *part = malloc(length == 0 ? 1 : length);  // So that ASan sees a read behind.
    memcpy(part, bytes, length);
    chip_program_t *copy = NULL;
    const pod_status_t status = wire_program_unpack(part, length, &copy);
    if (status != NULL) {
      assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    }
    pod_status_free(status);
    chip_program_destroy(copy);
    free(part);
  }
  free(bytes);
  chip_program_destroy(program);
}

static void test_mutated_bytes_never_break_the_decoder(void **state) {
  (void)state;
  pod_random_t random = {20261121};
  print_message("seed %llu\n", (unsigned long long)random.state);
  chip_program_t *program = make_program();
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  uint8_t *mutant = malloc(size);
  int accepted = 0;
  for (int round = 0; round < 20000; round++) {
    memcpy(mutant, bytes, size);
    const uint64_t changes = 1 + pod_random_below(&random, 4);
    for (uint64_t i = 0; i < changes; i++) {
      mutant[pod_random_below(&random, size)] = (uint8_t)pod_random_next(&random);
    }
    chip_program_t *copy = NULL;
    const pod_status_t status = wire_program_unpack(mutant, size, &copy);
    if (status == NULL) {
      accepted++;
      assert_null(chip_program_check(copy));
    }
    pod_status_free(status);
    chip_program_destroy(copy);
  }
  assert_true(accepted > 0);  // A changed name or number is a program still.
  free(mutant);
  free(bytes);
  chip_program_destroy(program);
}

// Packs make_program() after `change`, and expects the sentence.
static void expect_refused(void (*change)(Podium__V1__Program *message),
                           const char *sentence) {
  chip_program_t *program = make_program();
  uint8_t *bytes;
  size_t size;
  assert_null(wire_program_pack(program, &bytes, &size));
  Podium__V1__Program *message = podium__v1__program__unpack(NULL, size, bytes);
  change(message);
  uint8_t *changed = malloc(podium__v1__program__get_packed_size(message));
  const size_t changed_size = podium__v1__program__pack(message, changed);
  chip_program_t *copy = NULL;
  const pod_status_t status = wire_program_unpack(changed, changed_size, &copy);
  assert_null(copy);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), sentence) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), sentence);
  }
  pod_status_free(status);
  podium__v1__program__free_unpacked(message, NULL);
  free(changed);
  free(bytes);
  chip_program_destroy(program);
}

static void use_a_buffer_that_is_not_there(Podium__V1__Program *message) {
  message->instructions[0]->operands[0] = 99;
}

static void use_an_operation_that_is_not_there(Podium__V1__Program *message) {
  message->instructions[0]->op = 100000;
}

static void donate_to_a_result_that_is_not_there(Podium__V1__Program *message) {
  message->aliases[0]->result = 1;
}

static void donate_an_argument_that_is_not_there(Podium__V1__Program *message) {
  message->aliases[0]->argument = -1;
}

static void alias_more_than_all(Podium__V1__Program *message) {
  message->alias_bytes = 17;
}

static void shorten_a_constant(Podium__V1__Program *message) {
  message->constants[0]->data.len -= 1;
}

static void leave_the_temporaries(Podium__V1__Program *message) {
  message->buffers[6]->offset = message->temp_bytes;
}

static void name_an_unknown_axis(Podium__V1__Program *message) {
  Podium__V1__AxisRef *ref = message->arguments[0]->sharding->dims[0]->axes[0];
  ref->axis[0] = 'q';
}

static void name_an_axis_twice(Podium__V1__Program *message) {
  Podium__V1__AxisRef *ref = message->arguments[0]->sharding->dims[0]->axes[0];
  ref->axis[0] = 'y';
}

static void give_an_element_type_that_is_not_there(Podium__V1__Program *message) {
  message->buffers[0]->shape->dtype = (Podium__V1__DType)77;
}

static void make_the_mesh_huge(Podium__V1__Program *message) {
  message->mesh->axes[0]->size = (int64_t)1 << 40;
}

static void give_a_part_that_does_not_divide(Podium__V1__Program *message) {
  Podium__V1__AxisRef *ref = message->arguments[0]->sharding->dims[0]->axes[0];
  ref->pre_size = 3;
  ref->size = 1;
}

static void test_what_is_wrong_is_said(void **state) {
  (void)state;
  expect_refused(use_a_buffer_that_is_not_there, "compare.0");
  expect_refused(use_an_operation_that_is_not_there, "operation 100000");
  expect_refused(donate_to_a_result_that_is_not_there, "alias 0: result 1 of 1");
  expect_refused(donate_an_argument_that_is_not_there, "alias 0: argument -1 of 1");
  expect_refused(alias_more_than_all, "a program of a negative size");
  expect_refused(shorten_a_constant, "its shape needs 16 bytes, it has 15");
  expect_refused(leave_the_temporaries, "do not lie in the");
  expect_refused(name_an_unknown_axis, "no axis \"q\"");
  expect_refused(name_an_axis_twice, "y");
  expect_refused(give_an_element_type_that_is_not_there, "element type 77");
  expect_refused(make_the_mesh_huge, "mesh");
  expect_refused(shard_over_fewer_devices, "over 1 devices, the program runs on 4");
  expect_refused(give_a_part_that_does_not_divide, "no part of size");
}

static void test_readers_of_profiles_get_names_and_shapes(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  pod_arena_t *arena = pod_arena_create();
  const Podium__V1__InstructionInfo *info =
      wire_instruction_info_pack(arena, program, program->instruction_count - 1);
  assert_string_equal(info->op, "all_reduce");
  assert_string_equal(info->shape, "f32[4]");
  assert_true(info->is_collective);
  pod_arena_destroy(arena);
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_program_comes_back_as_it_was),
      cmocka_unit_test(test_a_sharding_keeps_a_mesh_of_another_order),
      cmocka_unit_test(test_constants_lie_aligned_whatever_their_size),
      cmocka_unit_test(test_every_truncation_is_an_error_or_a_checked_program),
      cmocka_unit_test(test_mutated_bytes_never_break_the_decoder),
      cmocka_unit_test(test_what_is_wrong_is_said),
      cmocka_unit_test(test_readers_of_profiles_get_names_and_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
