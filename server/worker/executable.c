// Making a program ready: what does not change from one run to the next.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/tensor/tiles.h"
#include "server/worker/executor_internal.h"
#include "server/worker/hbm.h"
#include "server/worker/host_memory.h"
#include "server/worker/kernels/stop.h"

void executor_block_free(executor_block_t *block) {
  host_memory_free(block->memory, block->size_bytes);
  *block = (executor_block_t){0};
}

pod_status_t executor_block_grow(executor_block_t *block, int64_t size_bytes) {
  if (block->memory != NULL && block->size_bytes >= size_bytes) {
    return NULL;
  }
  executor_block_free(block);
  POD_TRY(host_memory_alloc(size_bytes, &block->memory));
  block->size_bytes = size_bytes;
  return NULL;
}

executor_t *executor_create(const executor_options_t *options) {
  executor_t *executor = pod_alloc(sizeof(*executor));
  executor->options = *options;
  return executor;
}

bool executor_clear_place(executor_t *executor, int32_t place) {
  executor_place_t *cleared = &executor->places[place];
  const bool had_any =
      cleared->temporaries.memory != NULL || cleared->scratch.input.memory != NULL ||
      cleared->scratch.output.memory != NULL || cleared->scratch.steps.memory != NULL ||
      cleared->buffers != NULL || cleared->pointers != NULL;
  executor_block_free(&cleared->temporaries);
  executor_scratch_deinit(&cleared->scratch);
  free(cleared->buffers);
  free(cleared->pointers);
  cleared->buffers = cleared->pointers = NULL;
  cleared->buffer_room = cleared->pointer_room = 0;
  return had_any;
}

static void free_blocks(executor_t *executor) {
  for (int32_t i = 0; i < EXECUTOR_PLACES; i++) {
    (void)executor_clear_place(executor, i);
  }
}

void executor_destroy(executor_t *executor) {
  if (executor != NULL) {
    free_blocks(executor);
    free(executor);
  }
}

// --- Constants ---

enum { PART_BYTES = 8 << 20 };  // Between two looks, some milliseconds.

static bool is_all_zero(const uint8_t *bytes, int64_t size_bytes) {
  for (int64_t i = 0; i < size_bytes; i++) {
    if (bytes[i] != 0) {
      return false;
    }
  }
  return true;
}

// Some of a constant: a splat doubles what is filled, so that a large one goes at the
// speed of memcpy.
static void expand_part(const chip_constant_t *constant, int64_t size_bytes,
                        executor_constant_t *expanded) {
  uint8_t *to = (uint8_t *)expanded->memory + expanded->filled_bytes;
  const uint8_t *from = (const uint8_t *)constant->data + expanded->filled_bytes;
  int64_t most = PART_BYTES;
  if (constant->is_splat && expanded->filled_bytes == 0) {
    from = constant->data;
    most = constant->size_bytes;
  } else if (constant->is_splat) {
    from = expanded->memory;
    most = expanded->filled_bytes < most ? expanded->filled_bytes : most;
  }
  const int64_t left = size_bytes - expanded->filled_bytes;
  const int64_t part = left < most ? left : most;
  memcpy(to, from, (size_t)part);
  expanded->filled_bytes += part;
}

static pod_status_t begin_constant(const chip_constant_t *constant, int64_t size_bytes,
                                   executor_constant_t *expanded) {
  if (!constant->is_splat && (uintptr_t)constant->data % HOST_MEMORY_ALIGNMENT == 0) {
    *expanded = (executor_constant_t){.data = constant->data, .filled_bytes = size_bytes};
    return NULL;
  }
  const bool is_zero =
      constant->is_splat && is_all_zero(constant->data, constant->size_bytes);
  void *memory;
  POD_TRY(is_zero ? host_memory_alloc_zeros(size_bytes, &memory)
                  : host_memory_alloc(size_bytes, &memory));
  *expanded = (executor_constant_t){
      .data = memory, .memory = memory, .filled_bytes = is_zero ? size_bytes : 0};
  return NULL;
}

static void free_constants(executable_t *executable) {
  const chip_program_t *program = executable->program;
  for (int32_t i = 0; executable->constants != NULL && i < program->constant_count; i++) {
    host_memory_free(executable->constants[i].memory,
                     tensor_shape_bytes(&program->constants[i].shape));
  }
  free(executable->constants);
  executable->constants = NULL;
  executable->expanded_count = 0;
}

// The next part of the first that is not whole.
static pod_status_t expand_some(executable_t *executable) {
  const chip_program_t *program = executable->program;
  if (executable->constants == NULL) {
    executable->constants =
        pod_alloc((size_t)program->constant_count * sizeof(*executable->constants));
  }
  const int32_t i = executable->expanded_count;
  const int64_t size_bytes = tensor_shape_bytes(&program->constants[i].shape);
  executor_constant_t *expanded = &executable->constants[i];
  if (expanded->data == NULL) {
    const pod_status_t status =
        begin_constant(&program->constants[i], size_bytes, expanded);
    if (status != NULL) {
      free_constants(executable);
      return pod_status_context(status, "constant %d of %s", i, program->name);
    }
  }
  if (expanded->filled_bytes < size_bytes) {
    expand_part(&program->constants[i], size_bytes, expanded);
  }
  executable->expanded_count += expanded->filled_bytes == size_bytes ? 1 : 0;
  return NULL;
}

pod_status_t executable_expand_constants(executable_t *executable,
                                         kernel_control_t *control) {
  while (executable->expanded_count < executable->program->constant_count) {
    POD_TRY(expand_some(executable));
    if (kernel_is_called(control) && kernel_obey(control)) {
      return pod_error(POD_CANCELLED, "the execution was cancelled");
    }
  }
  return NULL;
}

int64_t executable_constant_bytes(const executable_t *executable) {
  if (executable->program->memory.is_counted) {
    return executable->program->memory.code_bytes;
  }
  int64_t size_bytes = 0;
  for (int32_t i = 0; i < executable->program->constant_count; i++) {
    const int64_t constant = tensor_tiled_bytes(&executable->program->constants[i].shape);
    if (__builtin_add_overflow(size_bytes, constant, &size_bytes)) {
      return INT64_MAX;  // Does not fit anywhere.
    }
  }
  return size_bytes;
}

// --- Loading ---

static pod_status_t load_step(executable_t *executable, int32_t index) {
  const executor_t *executor = executable->executor;
  const chip_program_t *program = executable->program;
  const chip_instruction_t *instruction = &program->instructions[index];
  executor_step_t *step = &executable->steps[index];
  step->first_pointer = executable->pointer_count;
  executable->pointer_count +=
      (int64_t)instruction->operand_count + instruction->result_count;
  if (chip_op_is_collective(instruction->op)) {
    return executor_collective_create(program, instruction, executor->options.spec,
                                      &executor->options.torus, executor->options.chip,
                                      &step->collective);
  }
  step->kernel = kernel_find(instruction->op);  // NULL: the executor does it itself.
  return NULL;
}

static pod_status_t load_steps(executable_t *executable) {
  const chip_program_t *program = executable->program;
  executable->steps =
      pod_alloc((size_t)program->instruction_count * sizeof(*executable->steps));
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const chip_instruction_t *instruction = &program->instructions[i];
    POD_TRY(pod_status_context(load_step(executable, i), "%s (%s)", instruction->name,
                               instruction->source));
  }
  return NULL;
}

static bool has_straight_line(const chip_program_t *program) {
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (chip_op_has((int)program->instructions[i].op,
                    CHIP_TRAIT_CONTROL | CHIP_TRAIT_COLLECTIVE | CHIP_TRAIT_CHECKS)) {
      return false;
    }
  }
  return true;
}

static void local_shapes(const chip_interface_t *interfaces, int32_t count,
                         tensor_shape_t *shapes) {
  for (int32_t i = 0; i < count; i++) {
    sharding_local_shape(interfaces[i].sharding, &interfaces[i].shape, &shapes[i]);
  }
}

static pod_status_t load_interface(executable_t *executable) {
  const chip_program_t *program = executable->program;
  executable->argument_shapes =
      pod_alloc((size_t)program->argument_count * sizeof(tensor_shape_t));
  executable->result_shapes =
      pod_alloc((size_t)program->result_count * sizeof(tensor_shape_t));
  local_shapes(program->arguments, program->argument_count, executable->argument_shapes);
  local_shapes(program->results, program->result_count, executable->result_shapes);
  const chip_computation_t *entry = &program->computations[program->entry];
  for (int32_t i = 0; i < program->result_count; i++) {
    if (!tensor_shape_equal(&program->buffers[entry->results[i]].shape,
                            &executable->result_shapes[i])) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "result %d of the entry has not the shape of the program's", i);
    }
  }
  return NULL;
}

static pod_status_t check_mesh(const executor_t *executor,
                               const chip_program_t *program) {
  const int32_t chips = torus_chip_count(&executor->options.torus);
  if (program->mesh->device_count > chips || mesh_id_limit(program->mesh) > chips) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "its mesh has %lld devices, up to %lld, the pod has %d chips",
                     (long long)program->mesh->device_count,
                     (long long)mesh_id_limit(program->mesh) - 1, chips);
  }
  if (mesh_position(program->mesh, executor->options.chip) < 0) {
    return pod_error(POD_FAILED_PRECONDITION, "it does not run on chip %d",
                     executor->options.chip);
  }
  return NULL;
}

pod_status_t executor_load(executor_t *executor, chip_program_t *program,
                           executable_t **out_executable) {
  executable_t *executable = pod_alloc(sizeof(*executable));
  executable->executor = executor;
  executable->program = program;
  executable->is_straight_line = has_straight_line(program);
  executor->executable_count++;
  pod_status_t status = check_mesh(executor, program);
  if (status == NULL) {
    status = load_interface(executable);
  }
  if (status == NULL) {
    status = load_steps(executable);
  }
  if (status != NULL) {
    status = pod_status_context(status, "program %s", program->name);
    executor_unload(executable);
    return status;
  }
  *out_executable = executable;
  return NULL;
}

void executor_unload(executable_t *executable) {
  if (executable == NULL) {
    return;
  }
  for (int32_t i = 0;
       executable->steps != NULL && i < executable->program->instruction_count; i++) {
    executor_step_t *step = &executable->steps[i];
    if (step->cache != NULL && step->cache_free != NULL) {
      step->cache_free(step->cache);
    }
    executor_collective_destroy(step->collective);
  }
  free_constants(executable);
  free(executable->steps);
  free(executable->argument_shapes);
  free(executable->result_shapes);
  chip_program_destroy(executable->program);
  if (--executable->executor->executable_count == 0) {
    free_blocks(executable->executor);
  }
  free(executable);
}

const chip_program_t *executable_program(const executable_t *executable) {
  return executable->program;
}

bool executable_is_straight_line(const executable_t *executable) {
  return executable->is_straight_line;
}

const tensor_shape_t *executable_argument_shape(const executable_t *executable,
                                                int32_t index) {
  return &executable->argument_shapes[index];
}

const tensor_shape_t *executable_result_shape(const executable_t *executable,
                                              int32_t index) {
  return &executable->result_shapes[index];
}
