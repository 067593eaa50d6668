// Pack, schedule, unpack. A region that is no known reducer gathers (equivalent to
// MPI_Allgather, or MPI_Alltoall for reduce_scatter) and folds in the order of the group,
// so that every chip gets the same bits.

#include "server/worker/executor_collective.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/collective/schedule.h"
#include "server/ici/executor.h"
#include "server/worker/collective_layout.h"
#include "server/worker/kernels/combine.h"
#include "server/worker/kernels/stop.h"

// One operand of the instruction.
typedef struct part_t {
  collective_schedule_t schedule;
  collective_layout_t input, output;
  bool is_local;                         // Sends and receives nothing.
  int64_t element_bytes, fold_elements;  // For a region.
} part_t;

struct executor_collective_t {
  pod_arena_t *arena;
  int32_t part_count;
  part_t *parts;
  int32_t region;        // Computation, or CHIP_NONE.
  int64_t member_count;  // Of a group, for a region.
};

void executor_scratch_deinit(executor_scratch_t *scratch) {
  executor_block_free(&scratch->input);
  executor_block_free(&scratch->output);
  executor_block_free(&scratch->steps);
}

// --- Planning ---

static bool is_local(const collective_schedule_t *schedule) {
  for (int32_t i = 0; i < schedule->step_count; i++) {
    if (schedule->steps[i].kind == COLLECTIVE_TRANSFER) {
      return false;
    }
  }
  return true;
}

// A region: instead of reducing, gather what is to be reduced.
static void plan_region(executor_collective_t *collective, part_t *part,
                        collective_request_t *request) {
  const bool is_scatter = request->op == CHIP_OP_REDUCE_SCATTER;
  request->op = is_scatter ? CHIP_OP_ALL_TO_ALL : CHIP_OP_ALL_GATHER;
  request->reducer = CHIP_REDUCER_NONE;
  part->element_bytes = (int64_t)tensor_dtype_bytes(request->dtype);
  part->fold_elements =
      is_scatter ? request->element_count / request->group_size : request->element_count;
  collective->member_count = request->group_size;
}

static pod_status_t check_region(const chip_program_t *program,
                                 const chip_instruction_t *instruction, int32_t operand) {
  const chip_computation_t *region = &program->computations[instruction->calls[0]];
  const tensor_dtype_t dtype =
      program->buffers[instruction->operands[operand]].shape.dtype;
  if (program->buffers[region->parameters[0]].shape.dtype != dtype) {
    return pod_error(POD_UNIMPLEMENTED,
                     "operand %d is %s, its region reduces another element type", operand,
                     tensor_dtype_name(dtype));
  }
  return NULL;
}

static pod_status_t plan_part(executor_collective_t *collective,
                              const chip_program_t *program,
                              const chip_instruction_t *instruction, int32_t index,
                              const chip_spec_t *spec, const torus_t *torus,
                              int32_t chip) {
  part_t *part = &collective->parts[index];
  collective_request_t request;
  collective_request_of(program, instruction, index, &request);
  request.spec = spec;
  request.cuts_for_caches = true;
  collective_layouts_of(program, instruction, index, &part->input, &part->output);
  if (collective->region != CHIP_NONE) {
    POD_TRY(check_region(program, instruction, index));
    plan_region(collective, part, &request);
  }
  POD_TRY(collective_plan(&request, torus, chip, collective->arena, &part->schedule));
  part->is_local = is_local(&part->schedule);
  return NULL;
}

static int32_t region_of(const chip_instruction_t *instruction) {
  const bool reduces =
      instruction->op == CHIP_OP_ALL_REDUCE || instruction->op == CHIP_OP_REDUCE_SCATTER;
  const int64_t reducer =
      chip_instruction_attr_one(instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  return reduces && reducer == CHIP_REDUCER_NONE && instruction->call_count > 0
             ? instruction->calls[0]
             : CHIP_NONE;
}

pod_status_t executor_collective_create(const chip_program_t *program,
                                        const chip_instruction_t *instruction,
                                        const chip_spec_t *spec, const torus_t *torus,
                                        int32_t chip,
                                        executor_collective_t **out_collective) {
  pod_arena_t *arena = pod_arena_create();
  executor_collective_t *collective = pod_arena_alloc(arena, sizeof(*collective));
  collective->arena = arena;
  collective->part_count = instruction->operand_count;
  collective->region = region_of(instruction);
  collective->parts =
      pod_arena_array(arena, (size_t)collective->part_count, sizeof(*collective->parts));
  for (int32_t i = 0; i < collective->part_count; i++) {
    const pod_status_t status =
        plan_part(collective, program, instruction, i, spec, torus, chip);
    if (status != NULL) {
      executor_collective_destroy(collective);
      return status;
    }
  }
  *out_collective = collective;
  return NULL;
}

void executor_collective_destroy(executor_collective_t *collective) {
  if (collective != NULL) {
    pod_arena_destroy(collective->arena);
  }
}

// --- Running ---

static bool is_called(void *control) {
  return kernel_is_called(control);
}

static bool obey(void *control) {
  return !kernel_obey(control);
}

// A schedule without transfers is done by its local steps.
static pod_status_t run_local(const collective_schedule_t *schedule,
                              const collective_buffers_t *buffers,
                              kernel_control_t *control) {
  collective_executor_t executor;
  POD_TRY(collective_executor_init(&executor, schedule, buffers, kernel_combine_arrays,
                                   (collective_call_t){is_called, control}));
  bool goes_on = true;
  while (collective_executor_is_left(&executor) && (goes_on = obey(control))) {
    collective_executor_go_on(&executor);
  }
  const bool is_done = collective_executor_is_done(&executor);
  collective_executor_deinit(&executor);
  if (!goes_on) {
    return pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  return is_done ? NULL
                 : pod_error(POD_INTERNAL, "a schedule without transfers does not end");
}

static pod_status_t run_schedule(const part_t *part, const executor_collective_run_t *run,
                                 const collective_buffers_t *buffers) {
  const uint32_t sequence = (*run->sequence)++;
  if (part->is_local) {
    return run_local(&part->schedule, buffers, run->args->control);
  }
  if (run->runner->run == NULL) {
    return pod_error(POD_FAILED_PRECONDITION, "this chip has no way to its peers");
  }
  kernel_control_t *control = run->args->control;
  const ici_pause_t pause = {.is_wanted = is_called, .wait = obey, .context = control};
  const ici_collective_t collective = {.schedule = &part->schedule,
                                       .buffers = *buffers,
                                       .execution = run->execution,
                                       .sequence = sequence,
                                       .deadline_ns = INT64_MAX,
                                       .pause = control == NULL ? NULL : &pause};
  return run->runner->run(run->runner->context, &collective);
}

// result[i] = region(region(member 0's [i], member 1's [i]), …).
static pod_status_t fold(const executor_collective_t *collective, const part_t *part,
                         const kernel_args_t *args, const uint8_t *members,
                         uint8_t *result) {
  const int64_t element = part->element_bytes;
  const int64_t block = part->fold_elements * element;
  // Who goes on sees if it was left.
  kernel_copy_for(args->control, result, members, (size_t)block);
  for (int64_t member = 1; member < collective->member_count; member++) {
    for (int64_t at = 0; at < block; at += element) {
      const void *inputs[] = {result + at, members + member * block + at};
      void *outputs[] = {result + at};
      POD_TRY(args->call(args, collective->region, inputs, outputs));
    }
  }
  return NULL;
}

// To or from the packed blocks. What is not whole must not go to others.
static pod_status_t repack(void (*way)(const collective_layout_t *, const void *, void *),
                           const collective_layout_t *layout, const void *from, void *to,
                           kernel_control_t *control) {
  kernel_control_t *outer = kernel_control;
  kernel_control = control;
  way(layout, from, to);
  const bool is_stopped = kernel_is_stopped();
  kernel_control = outer;
  return is_stopped ? pod_error(POD_CANCELLED, "the execution was cancelled") : NULL;
}

static pod_status_t run_part(executor_collective_t *collective, int32_t index,
                             const executor_collective_run_t *run) {
  const part_t *part = &collective->parts[index];
  const collective_schedule_t *schedule = &part->schedule;
  executor_scratch_t *scratch = run->scratch;
  const void *operand = run->args->operands[index];
  void *result = run->args->results[index];
  const bool has_region = collective->region != CHIP_NONE;
  collective_buffers_t buffers = {.input = operand, .output = result};
  if (!collective_layout_is_identity(&part->input)) {
    POD_TRY(executor_block_grow(&scratch->input, schedule->input_bytes));
    POD_TRY(repack(collective_pack, &part->input, operand, scratch->input.memory,
                   run->args->control));
    buffers.input = scratch->input.memory;
  }
  const bool unpacks = !collective_layout_is_identity(&part->output);
  if (unpacks || has_region) {
    POD_TRY(executor_block_grow(&scratch->output, schedule->output_bytes));
    buffers.output = scratch->output.memory;
  }
  if (schedule->scratch_bytes > 0) {
    POD_TRY(executor_block_grow(&scratch->steps, schedule->scratch_bytes));
    buffers.scratch = scratch->steps.memory;
  }
  POD_TRY(run_schedule(part, run, &buffers));
  if (has_region) {
    return fold(collective, part, run->args, buffers.output, result);
  }
  if (unpacks) {
    return repack(collective_unpack, &part->output, buffers.output, result,
                  run->args->control);
  }
  return NULL;
}

pod_status_t executor_collective_run(executor_collective_t *collective,
                                     const executor_collective_run_t *run) {
  for (int32_t i = 0; i < collective->part_count; i++) {
    POD_TRY(run_part(collective, i, run));
  }
  return NULL;
}
