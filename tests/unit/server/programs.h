// Programs for tests, built by hand where a compiler would: buffers and instructions are
// added one after the other, then program_end makes the chip_program_t and checks it.
//
// Computations come one after another: what is called first, the entry last.

#ifndef TESTS_UNIT_SERVER_PROGRAMS_H_
#define TESTS_UNIT_SERVER_PROGRAMS_H_

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/program/program.h"

enum { PROGRAM_LIST_MAX = 128 };

typedef struct program_builder_t {
  pod_arena_t *arena;
  chip_program_t *program;
  chip_interface_t arguments[PROGRAM_LIST_MAX], results[PROGRAM_LIST_MAX];
  chip_alias_t aliases[PROGRAM_LIST_MAX];
  chip_constant_t constants[PROGRAM_LIST_MAX];
  chip_buffer_t buffers[PROGRAM_LIST_MAX];
  chip_instruction_t instructions[PROGRAM_LIST_MAX];
  chip_computation_t computations[PROGRAM_LIST_MAX];
} program_builder_t;

static inline tensor_shape_t shape_of(tensor_dtype_t dtype, int rank, ...) {
  int64_t dims[TENSOR_RANK_MAX];
  va_list args;
  va_start(args, rank);
  for (int i = 0; i < rank; i++) {
    dims[i] = va_arg(args, int);
  }
  va_end(args);
  return tensor_shape_make(dtype, rank, dims);
}

// A mesh "x" × "y"; y == 0 makes it one axis.
static inline program_builder_t *program_begin(const char *name, int64_t x, int64_t y) {
  program_builder_t *builder = calloc(1, sizeof(*builder));
  POD_CHECK(builder != NULL);
  builder->arena = pod_arena_create();
  builder->program = pod_arena_alloc(builder->arena, sizeof(*builder->program));
  builder->program->arena = builder->arena;
  builder->program->name = pod_arena_strdup(builder->arena, name);
  const mesh_axis_t axes[] = {{"x", x}, {"y", y}};
  POD_CHECK(mesh_make(builder->arena, "mesh", y == 0 ? 1 : 2, axes, NULL,
                      &builder->program->mesh) == NULL);
  return builder;
}

// `axes` has a character per dimension: 'x', 'y', 'b' for both (x major), '.' for none.
static inline const sharding_t *program_sharding(program_builder_t *builder,
                                                 const tensor_shape_t *shape,
                                                 const char *axes) {
  const mesh_t *mesh = builder->program->mesh;
  sharding_t *sharding = sharding_replicated(builder->arena, mesh, shape->rank, false);
  for (int i = 0; i < shape->rank; i++) {
    axis_list_t *list = &sharding->dims[i].axes;
    list->refs = pod_arena_array(builder->arena, 2, sizeof(*list->refs));
    for (int axis = 0; axis < mesh->axis_count; axis++) {
      if (axes[i] == "xy"[axis] || axes[i] == 'b') {
        list->refs[list->count++] = (axis_ref_t){axis, 1, mesh->axes[axis].size};
      }
    }
  }
  POD_CHECK(sharding_check(sharding, shape) == NULL);
  return sharding;
}

static inline int32_t program_buffer(program_builder_t *builder, chip_buffer_t buffer) {
  POD_CHECK(builder->program->buffer_count < PROGRAM_LIST_MAX);
  builder->buffers[builder->program->buffer_count] = buffer;
  return builder->program->buffer_count++;
}

static inline chip_interface_t program_interface(program_builder_t *builder,
                                                 const char *what, int32_t index,
                                                 tensor_shape_t shape, const char *axes,
                                                 tensor_shape_t *out_local) {
  const chip_interface_t interface = {
      .name = pod_arena_printf(builder->arena, "%s%d", what, index),
      .shape = shape,
      .sharding = program_sharding(builder, &shape, axes)};
  sharding_local_shape(interface.sharding, &shape, out_local);
  return interface;
}

// Return buffers.
static inline int32_t program_argument(program_builder_t *builder, tensor_shape_t global,
                                       const char *axes) {
  const int32_t index = builder->program->argument_count++;
  chip_buffer_t buffer = {.kind = CHIP_BUFFER_ARGUMENT, .index = index};
  builder->arguments[index] =
      program_interface(builder, "arg", index, global, axes, &buffer.shape);
  builder->program->argument_bytes += tensor_shape_bytes(&buffer.shape);
  return program_buffer(builder, buffer);
}

static inline int32_t program_result(program_builder_t *builder, tensor_shape_t global,
                                     const char *axes) {
  const int32_t index = builder->program->result_count++;
  chip_buffer_t buffer = {.kind = CHIP_BUFFER_RESULT, .index = index};
  builder->results[index] =
      program_interface(builder, "result", index, global, axes, &buffer.shape);
  builder->program->result_bytes += tensor_shape_bytes(&buffer.shape);
  return program_buffer(builder, buffer);
}

// Both by number; in the order of the arguments.
static inline void program_alias(program_builder_t *builder, int32_t argument,
                                 int32_t result) {
  builder->aliases[builder->program->alias_count++] = (chip_alias_t){argument, result};
}

static inline int32_t program_temp(program_builder_t *builder, tensor_shape_t local) {
  const int64_t offset = builder->program->temp_bytes;
  builder->program->temp_bytes +=
      (tensor_shape_bytes(&local) + CHIP_BUFFER_ALIGNMENT - 1) / CHIP_BUFFER_ALIGNMENT *
      CHIP_BUFFER_ALIGNMENT;
  return program_buffer(
      builder,
      (chip_buffer_t){.kind = CHIP_BUFFER_TEMP, .offset = offset, .shape = local});
}

static inline int32_t program_constant(program_builder_t *builder, tensor_shape_t shape,
                                       bool is_splat, const void *data) {
  const int32_t index = builder->program->constant_count++;
  const int64_t size_bytes =
      is_splat ? (int64_t)tensor_dtype_bytes(shape.dtype) : tensor_shape_bytes(&shape);
  builder->constants[index] =
      (chip_constant_t){.shape = shape,
                        .is_splat = is_splat,
                        .size_bytes = size_bytes,
                        .data = pod_arena_copy(builder->arena, data, (size_t)size_bytes)};
  builder->program->constant_bytes += tensor_shape_bytes(&shape);
  return program_buffer(
      builder,
      (chip_buffer_t){.kind = CHIP_BUFFER_CONSTANT, .index = index, .shape = shape});
}

static inline int32_t program_scalar_s32(program_builder_t *builder, int32_t value) {
  return program_constant(builder, shape_of(TENSOR_S32, 0), true, &value);
}

static inline int32_t program_scalar_f32(program_builder_t *builder, float value) {
  return program_constant(builder, shape_of(TENSOR_F32, 0), true, &value);
}

// Adds an instruction; operands and results end with CHIP_NONE each.
static inline int32_t program_op(program_builder_t *builder, chip_op_t op, ...) {
  int32_t buffers[2][PROGRAM_LIST_MAX];
  int32_t counts[2] = {0, 0};
  va_list args;
  va_start(args, op);
  for (int list = 0; list < 2; list++) {
    for (int32_t buffer; (buffer = va_arg(args, int32_t)) != CHIP_NONE;) {
      buffers[list][counts[list]++] = buffer;
    }
  }
  va_end(args);
  const int32_t index = builder->program->instruction_count++;
  POD_CHECK(index < PROGRAM_LIST_MAX);
  chip_attr_t *attrs = pod_arena_array(builder->arena, 16, sizeof(*attrs));
  int32_t *calls = pod_arena_array(builder->arena, 8, sizeof(*calls));
  builder->instructions[index] = (chip_instruction_t){
      .op = op,
      .operand_count = counts[0],
      .operands =
          pod_arena_copy(builder->arena, buffers[0], (size_t)counts[0] * sizeof(int32_t)),
      .result_count = counts[1],
      .results =
          pod_arena_copy(builder->arena, buffers[1], (size_t)counts[1] * sizeof(int32_t)),
      .attrs = attrs,
      .calls = calls,
      .name = pod_arena_printf(builder->arena, "%s.%d", chip_op_short_name(op), index),
      .source = pod_arena_printf(builder->arena, "test.py:%d:1", index),
  };
  return index;
}

// `instruction` < 0 is the last.
static inline void program_attr_list(program_builder_t *builder, chip_attr_key_t key,
                                     int32_t count, const int64_t *values) {
  chip_instruction_t *instruction =
      &builder->instructions[builder->program->instruction_count - 1];
  ((chip_attr_t *)instruction->attrs)[instruction->attr_count++] = (chip_attr_t){
      .key = key,
      .count = count,
      .values = pod_arena_copy(builder->arena, values, (size_t)count * sizeof(*values))};
}

static inline void program_attr(program_builder_t *builder, chip_attr_key_t key,
                                int64_t value) {
  program_attr_list(builder, key, 1, &value);
}

static inline void program_call(program_builder_t *builder, int32_t computation) {
  chip_instruction_t *instruction =
      &builder->instructions[builder->program->instruction_count - 1];
  ((int32_t *)instruction->calls)[instruction->call_count++] = computation;
}

// Starts a computation whose instructions follow. Parameters and results end with
// CHIP_NONE.
static inline int32_t program_computation(program_builder_t *builder, const char *name,
                                          ...) {
  int32_t buffers[2][PROGRAM_LIST_MAX];
  int32_t counts[2] = {0, 0};
  va_list args;
  va_start(args, name);
  for (int list = 0; list < 2; list++) {
    for (int32_t buffer; (buffer = va_arg(args, int32_t)) != CHIP_NONE;) {
      buffers[list][counts[list]++] = buffer;
    }
  }
  va_end(args);
  const int32_t index = builder->program->computation_count++;
  if (index > 0) {
    chip_computation_t *before = &builder->computations[index - 1];
    before->instruction_count =
        builder->program->instruction_count - before->first_instruction;
  }
  builder->computations[index] = (chip_computation_t){
      .name = pod_arena_strdup(builder->arena, name),
      .parameter_count = counts[0],
      .parameters =
          pod_arena_copy(builder->arena, buffers[0], (size_t)counts[0] * sizeof(int32_t)),
      .result_count = counts[1],
      .results =
          pod_arena_copy(builder->arena, buffers[1], (size_t)counts[1] * sizeof(int32_t)),
      .first_instruction = builder->program->instruction_count,
  };
  return index;
}

// Returns the program owned; the builder is gone. Prints why when it is no good program.
static inline chip_program_t *program_end(program_builder_t *builder) {
  chip_program_t *program = builder->program;
  chip_computation_t *last = &builder->computations[program->computation_count - 1];
  last->instruction_count = program->instruction_count - last->first_instruction;
  program->entry = program->computation_count - 1;
#define KEEP(list, count)                                       \
  program->list = pod_arena_copy(builder->arena, builder->list, \
                                 (size_t)program->count * sizeof(builder->list[0]))
  KEEP(arguments, argument_count);
  KEEP(results, result_count);
  KEEP(aliases, alias_count);
  KEEP(constants, constant_count);
  KEEP(buffers, buffer_count);
  KEEP(instructions, instruction_count);
  KEEP(computations, computation_count);
#undef KEEP
  free(builder);
  const pod_status_t status = chip_program_check(program);
  if (status != NULL) {
    fprintf(stderr, "program %s: %s\n", program->name, pod_status_message(status));
    abort();
  }
  return program;
}

#endif  // TESTS_UNIT_SERVER_PROGRAMS_H_
