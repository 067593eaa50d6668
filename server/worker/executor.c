// Running a program: walks the instruction lists, lends buffers to kernels,
// notes the way the control flow takes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "server/worker/executor_internal.h"
#include "server/worker/kernels/stop.h"

// What one execution carries along.
typedef struct execution_t {
  executable_t *executable;
  executor_place_t *place;
  const executor_run_t *run;
  chip_profile_t *profile;
  int64_t host_start_ns;  // Of the execution.
  uint32_t sequence;      // Of the next collective; the same on all chips.
  bool is_silent;         // In a region.
} execution_t;

static pod_status_t run_computation(execution_t *execution, int32_t computation);

static void *buffer_of(const execution_t *execution, int32_t buffer) {
  return execution->place->buffers[buffer];
}

static int64_t buffer_bytes(const execution_t *execution, int32_t buffer) {
  return tensor_shape_bytes(&execution->executable->program->buffers[buffer].shape);
}

// Leaves early when it is to stop, as kernels do: who goes on checks.
static void copy_bytes(const execution_t *execution, void *to, const void *from,
                       int64_t size_bytes) {
  kernel_copy_for(execution->run->control, to, from, (size_t)size_bytes);
}

static void copy_buffer(const execution_t *execution, int32_t from, int32_t to) {
  copy_bytes(execution, buffer_of(execution, to), buffer_of(execution, from),
             buffer_bytes(execution, to));
}

static pod_status_t check_cancelled(const execution_t *execution) {
  kernel_control_t *control = execution->run->control;
  if (kernel_is_called(control) && kernel_obey(control)) {
    return pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  return NULL;
}

// --- Buffers ---

static void grow_table(void ***table, int64_t *room, int64_t count) {
  if (*room < count) {
    free(*table);
    *table = pod_alloc((size_t)count * sizeof(void *));
    *room = count;
  }
}

static void *find_buffer(const execution_t *execution, const chip_buffer_t *buffer) {
  switch (buffer->kind) {
    case CHIP_BUFFER_ARGUMENT:
      return (void *)execution->run->arguments[buffer->index];
    case CHIP_BUFFER_RESULT:
      return execution->run->results[buffer->index];
    case CHIP_BUFFER_CONSTANT:
      return (void *)execution->executable->constants[buffer->index].data;
    default:
      return (uint8_t *)execution->place->temporaries.memory + buffer->offset;
  }
}

static pod_status_t resolve_buffers(const execution_t *execution) {
  executable_t *executable = execution->executable;
  const chip_program_t *program = executable->program;
  executor_place_t *place = execution->place;
  POD_TRY(pod_status_context(
      executor_block_grow(&place->temporaries,
                          program->temp_bytes + program->host_temp_bytes),
      "the temporaries of %s", program->name));
  POD_TRY(executable_expand_constants(executable, execution->run->control));
  grow_table(&place->buffers, &place->buffer_room, program->buffer_count);
  grow_table(&place->pointers, &place->pointer_room, executable->pointer_count);
  for (int32_t i = 0; i < program->buffer_count; i++) {
    place->buffers[i] = find_buffer(execution, &program->buffers[i]);
  }
  return NULL;
}

// What is donated lies where the result lies: there already, or as a copy.
static void place_donations(const execution_t *execution) {
  const executable_t *executable = execution->executable;
  const executor_run_t *run = execution->run;
  for (int32_t i = 0; i < executable->program->alias_count; i++) {
    const chip_alias_t *alias = &executable->program->aliases[i];
    if (run->results[alias->result] != run->arguments[alias->argument]) {
      copy_bytes(execution, run->results[alias->result], run->arguments[alias->argument],
                 tensor_shape_bytes(&executable->argument_shapes[alias->argument]));
    }
  }
}

static void resolve_pointers(const execution_t *execution,
                             const chip_instruction_t *instruction, void **pointers) {
  for (int32_t i = 0; i < instruction->operand_count; i++) {
    *pointers++ = buffer_of(execution, instruction->operands[i]);
  }
  for (int32_t i = 0; i < instruction->result_count; i++) {
    *pointers++ = buffer_of(execution, instruction->results[i]);
  }
}

// --- Control ---

// How the control flow went; not in regions, whose time is part of their caller's.
static void trace(const execution_t *execution, const chip_instruction_t *instruction,
                  int64_t value) {
  if (!execution->is_silent) {
    const chip_program_t *program = execution->executable->program;
    chip_profile_trace(execution->profile, (int32_t)(instruction - program->instructions),
                       value);
  }
}

static pod_status_t run_while(execution_t *execution,
                              const chip_instruction_t *instruction) {
  const chip_program_t *program = execution->executable->program;
  const int32_t condition = instruction->calls[0];
  const int32_t body = instruction->calls[1];
  const int32_t *body_results = program->computations[body].results;
  const uint8_t *goes_on =
      buffer_of(execution, program->computations[condition].results[0]);
  for (int64_t turns = 0;; turns++) {
    POD_TRY(check_cancelled(execution));
    POD_TRY(run_computation(execution, condition));
    if (*goes_on == 0) {
      trace(execution, instruction, turns);
      return NULL;
    }
    POD_TRY(run_computation(execution, body));
    for (int32_t i = 0; i < instruction->result_count; i++) {
      copy_buffer(execution, body_results[i], instruction->results[i]);
    }
  }
}

// The branch an if or case takes; an index out of range takes the last.
static int32_t choose_branch(const execution_t *execution,
                             const chip_instruction_t *instruction) {
  const void *operand = buffer_of(execution, instruction->operands[0]);
  if (instruction->op == CHIP_OP_IF) {
    return *(const uint8_t *)operand != 0 ? 0 : 1;
  }
  int32_t index;
  memcpy(&index, operand, sizeof(index));
  const int32_t last = instruction->call_count - 1;
  return index < 0 || index > last ? last : index;
}

static pod_status_t run_branch(execution_t *execution,
                               const chip_instruction_t *instruction) {
  const int32_t branch = choose_branch(execution, instruction);
  const int32_t computation = instruction->calls[branch];
  POD_TRY(run_computation(execution, computation));
  trace(execution, instruction, branch);
  const int32_t *results =
      execution->executable->program->computations[computation].results;
  for (int32_t i = 0; i < instruction->result_count; i++) {
    copy_buffer(execution, results[i], instruction->results[i]);
  }
  return NULL;
}

// --- Regions over scalars ---

static pod_status_t run_silent(execution_t *execution, int32_t computation);

// kernel_call_fn_t
static pod_status_t call_region(const kernel_args_t *args, int32_t computation,
                                const void *const *inputs, void *const *outputs) {
  execution_t *execution = args->call_context;
  const chip_computation_t *region = &args->program->computations[computation];
  for (int32_t i = 0; i < region->parameter_count; i++) {
    memcpy(buffer_of(execution, region->parameters[i]), inputs[i],
           (size_t)buffer_bytes(execution, region->parameters[i]));
  }
  POD_TRY(run_silent(execution, computation));
  for (int32_t i = 0; i < region->result_count; i++) {
    memcpy(outputs[i], buffer_of(execution, region->results[i]),
           (size_t)buffer_bytes(execution, region->results[i]));
  }
  return NULL;
}

// Without what the kernel keeps.
static kernel_args_t kernel_args(execution_t *execution,
                                 const chip_instruction_t *instruction,
                                 const executor_step_t *step) {
  void **pointers = execution->place->pointers + step->first_pointer;
  resolve_pointers(execution, instruction, pointers);
  return (kernel_args_t){
      .program = execution->executable->program,
      .instruction = instruction,
      .operands = (const void *const *)pointers,
      .results = pointers + instruction->operand_count,
      .call = call_region,
      .call_context = execution,
      .control = execution->run->control,
  };
}

// --- Collectives ---

static pod_status_t run_collective(execution_t *execution,
                                   const chip_instruction_t *instruction,
                                   executor_step_t *step) {
  const kernel_args_t args = kernel_args(execution, instruction, step);
  const executor_options_t *options = &execution->executable->executor->options;
  const executor_collective_run_t run = {
      .runner = &options->runner,
      .scratch = &execution->place->scratch,
      .args = &args,
      .execution = execution->run->execution,
      .sequence = &execution->sequence,
  };
  return executor_collective_run(step->collective, &run);
}

// --- Transfers with the host ---

static pod_status_t run_transfer(const execution_t *execution,
                                 const chip_instruction_t *instruction) {
  const executor_host_t *host = &execution->run->host;
  const bool is_receive = instruction->op == CHIP_OP_HOST_RECV;
  const int32_t buffer = is_receive ? instruction->results[0] : instruction->operands[0];
  const executor_transfer_t transfer = {
      .channel = chip_instruction_attr_one(instruction, CHIP_ATTR_CHANNEL, 0),
      .is_receive = is_receive,
      .is_shared = chip_instruction_attr_one(instruction, CHIP_ATTR_EACH_DEVICE, 0) == 0,
      .data = buffer_of(execution, buffer),
      .size_bytes = buffer_bytes(execution, buffer)};
  uint8_t *token =
      buffer_of(execution, instruction->results[instruction->result_count - 1]);
  *token = 0;
  const chip_program_t *program = execution->executable->program;
  const int32_t chip = execution->executable->executor->options.chip;
  if (!is_receive && transfer.is_shared && mesh_position(program->mesh, chip) != 0) {
    return NULL;  // The first chip does it for all.
  }
  if (host->transfer == NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "it passes data to its host by channel %" PRId64
                     ", and whoever executes it takes none",
                     transfer.channel);
  }
  return host->transfer(host->context, &transfer);
}

// --- Instructions ---

static void write_device_id(const execution_t *execution,
                            const chip_instruction_t *instruction, int32_t id) {
  memcpy(buffer_of(execution, instruction->results[0]), &id, sizeof(id));
}

// What the kernel keeps is lent to one run at a time: while that is paused in its midst,
// another one gets along without. One that has the turn begins kernels only, so that two
// never borrow at once.
static pod_status_t run_kernel(execution_t *execution,
                               const chip_instruction_t *instruction,
                               executor_step_t *step) {
  kernel_args_t args = kernel_args(execution, instruction, step);
  if (atomic_load_explicit(&step->is_cache_lent, memory_order_acquire)) {
    return kernel_run(step->kernel, &args);
  }
  args.cache = &step->cache;
  args.cache_free = &step->cache_free;
  atomic_store_explicit(&step->is_cache_lent, true, memory_order_relaxed);
  const pod_status_t status = kernel_run(step->kernel, &args);
  atomic_store_explicit(&step->is_cache_lent, false, memory_order_release);
  return status;
}

static pod_status_t run_instruction(execution_t *execution,
                                    const chip_instruction_t *instruction,
                                    executor_step_t *step) {
  if (step->kernel != NULL) {
    return run_kernel(execution, instruction, step);
  }
  switch (instruction->op) {
    case CHIP_OP_WHILE:
      return run_while(execution, instruction);
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return run_branch(execution, instruction);
    case CHIP_OP_PARTITION_ID:
      write_device_id(execution, instruction,
                      execution->executable->executor->options.chip);
      return NULL;
    case CHIP_OP_REPLICA_ID:
      write_device_id(execution, instruction, 0);
      return NULL;
    case CHIP_OP_HOST_SEND:
    case CHIP_OP_HOST_RECV:
      return run_transfer(execution, instruction);
    case CHIP_OP_ASYNC_DONE:  // The collective has been waited for where it started.
    case CHIP_OP_DCE_SINK:    // Its operands have been computed.
      return NULL;
    case CHIP_OP_OPTIMIZATION_BARRIER:
      for (int32_t i = 0; i < instruction->result_count; i++) {
        copy_buffer(execution, instruction->operands[i], instruction->results[i]);
      }
      return NULL;
    default:
      return run_collective(execution, instruction, step);
  }
}

// Of the clock that stands still while the execution is paused.
static int64_t now_ns(const execution_t *execution) {
  const kernel_control_t *control = execution->run->control;
  return pod_clock_now_ns() - (control == NULL ? 0 : control->paused_ns);
}

static pod_status_t run_and_record(execution_t *execution, int32_t index) {
  const chip_instruction_t *instruction =
      &execution->executable->program->instructions[index];
  executor_step_t *step = &execution->executable->steps[index];
  const int64_t start_ns = now_ns(execution);
  POD_TRY(pod_status_context(run_instruction(execution, instruction, step), "%s (%s)",
                             instruction->name, instruction->source));
  const chip_event_t event = {
      .instruction = index,
      .start_ns = start_ns - execution->host_start_ns,
      .host_ns = now_ns(execution) - start_ns,
  };
  chip_profile_add(execution->profile, &event);
  return NULL;
}

static pod_status_t run_computation(execution_t *execution, int32_t computation) {
  const chip_computation_t *list =
      &execution->executable->program->computations[computation];
  for (int32_t i = 0; i < list->instruction_count; i++) {
    POD_TRY(check_cancelled(execution));
    POD_TRY(run_and_record(execution, list->first_instruction + i));
  }
  return NULL;
}

// For regions that run once per element: their time is part of the caller's.
static pod_status_t run_silent(execution_t *execution, int32_t computation) {
  const executable_t *executable = execution->executable;
  const chip_computation_t *list = &executable->program->computations[computation];
  const bool was_silent = execution->is_silent;
  pod_status_t status = check_cancelled(execution);
  execution->is_silent = true;
  for (int32_t i = 0; i < list->instruction_count && status == NULL; i++) {
    const int32_t index = list->first_instruction + i;
    status = run_instruction(execution, &executable->program->instructions[index],
                             &executable->steps[index]);
  }
  execution->is_silent = was_silent;
  return status;
}

pod_status_t executor_run(executable_t *executable, const executor_run_t *run,
                          chip_profile_t *profile) {
  execution_t execution = {.executable = executable,
                           .place = &executable->executor->places[run->place],
                           .run = run,
                           .profile = profile};
  execution.host_start_ns = now_ns(&execution);
  const chip_program_t *program = executable->program;
  POD_TRY(check_cancelled(&execution));  // It may have been stopped before its turn.
  POD_TRY(resolve_buffers(&execution));
  if (run->has_begun != NULL) {
    *run->has_begun = true;
  }
  place_donations(&execution);
  POD_TRY(run_computation(&execution, program->entry));
  for (int32_t i = 0; i < program->result_count; i++) {
    const void *result =
        buffer_of(&execution, program->computations[program->entry].results[i]);
    if (result != run->results[i]) {
      copy_bytes(&execution, run->results[i], result,
                 tensor_shape_bytes(&executable->result_shapes[i]));
    }
  }
  POD_TRY(check_cancelled(&execution));  // What was copied may not be whole.
  profile->host_ns = now_ns(&execution) - execution.host_start_ns;
  return NULL;
}
