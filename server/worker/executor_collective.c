#include "server/worker/executor_collective.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/collective/executor.h"
#include "server/collective/layout.h"
#include "server/collective/schedule.h"

// One operand of the instruction.
typedef struct part_t {
  collective_schedule_t schedule;
  collective_layout_t input, output;
  bool is_local;  // Sends and receives nothing.
  chip_link_total_t links[TORUS_DIRECTIONS];
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

// What a schedule sends goes hop by hop; the hops that leave `chip` count for its links.
static void add_route(const torus_t *torus, int32_t from, int32_t to, int32_t chip,
                      int64_t bytes, chip_link_total_t *links) {
  while (from != to) {
    const torus_direction_t direction = torus_next_hop(torus, from, to);
    if (from == chip) {
      links[direction].bytes_sent += bytes;
      links[direction].frames_sent++;
    }
    from = torus_neighbour(torus, from, direction);
  }
}

static void add_schedule(const torus_t *torus, const collective_schedule_t *schedule,
                         int32_t sender, int32_t chip, chip_link_total_t *links) {
  for (int32_t i = 0; i < schedule->step_count; i++) {
    const collective_step_t *step = &schedule->steps[i];
    if (step->kind == COLLECTIVE_TRANSFER && step->send_to != COLLECTIVE_NONE) {
      add_route(torus, sender, step->send_to, chip, step->source_bytes, links);
    }
  }
}

// What passes over this chip's links, of all chips' schedules: the same in every run,
// unlike what has happened to be forwarded by the time this chip is done. A message that
// the host cuts is one message.
static pod_status_t plan_links(const collective_request_t *request, const torus_t *torus,
                               int32_t chip, part_t *part) {
  const int32_t chips = torus_chip_count(torus);
  collective_request_t whole = *request;
  whole.cuts_for_caches = false;
  pod_arena_t *arena = pod_arena_create();
  collective_planner_t *planner;
  pod_status_t status = collective_planner_create(&whole, torus, arena, &planner);
  for (int32_t sender = 0; sender < chips && status == NULL; sender++) {
    if (!collective_planner_has(planner, sender)) {
      continue;
    }
    pod_arena_t *scratch = pod_arena_create();
    collective_schedule_t schedule;
    status = collective_planner_plan(planner, sender, scratch, &schedule);
    if (status == NULL) {
      add_schedule(torus, &schedule, sender, chip, part->links);
    }
    pod_arena_destroy(scratch);
  }
  pod_arena_destroy(arena);
  return status;
}

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
  return plan_links(&request, torus, chip, part);
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

// A schedule without transfers is done by its local steps.
static pod_status_t run_local(const collective_schedule_t *schedule,
                              const collective_buffers_t *buffers) {
  collective_executor_t executor;
  POD_TRY(collective_executor_init(&executor, schedule, buffers));
  const bool is_done = collective_executor_is_done(&executor);
  collective_executor_deinit(&executor);
  return is_done ? NULL
                 : pod_error(POD_INTERNAL, "a schedule without transfers does not end");
}

static pod_status_t run_schedule(const part_t *part, const executor_collective_run_t *run,
                                 const collective_buffers_t *buffers,
                                 int64_t *inout_clock_ps) {
  const uint32_t sequence = (*run->sequence)++;
  if (part->is_local) {
    return run_local(&part->schedule, buffers);
  }
  if (run->runner->run == NULL) {
    return pod_error(POD_FAILED_PRECONDITION, "this chip has no way to its peers");
  }
  const ici_collective_t collective = {.schedule = &part->schedule,
                                       .buffers = *buffers,
                                       .execution = run->execution,
                                       .sequence = sequence,
                                       .deadline_ns = INT64_MAX,
                                       .clock_ps = run->clock_ps};
  int64_t clock_ps;
  POD_TRY(run->runner->run(run->runner->context, &collective, &clock_ps));
  if (clock_ps > *inout_clock_ps) {
    *inout_clock_ps = clock_ps;
  }
  return NULL;
}

// result[i] = region(region(member 0's [i], member 1's [i]), …).
static pod_status_t fold(const executor_collective_t *collective, const part_t *part,
                         const kernel_args_t *args, const uint8_t *members,
                         uint8_t *result) {
  const int64_t element = part->element_bytes;
  const int64_t block = part->fold_elements * element;
  if (block > 0) {
    memcpy(result, members, (size_t)block);
  }
  for (int64_t member = 1; member < collective->member_count; member++) {
    for (int64_t at = 0; at < block; at += element) {
      const void *inputs[] = {result + at, members + member * block + at};
      void *outputs[] = {result + at};
      POD_TRY(args->call(args, collective->region, inputs, outputs));
    }
  }
  return NULL;
}

static pod_status_t run_part(executor_collective_t *collective, int32_t index,
                             const executor_collective_run_t *run,
                             int64_t *inout_clock_ps) {
  const part_t *part = &collective->parts[index];
  const collective_schedule_t *schedule = &part->schedule;
  executor_scratch_t *scratch = run->scratch;
  const void *operand = run->args->operands[index];
  void *result = run->args->results[index];
  const bool has_region = collective->region != CHIP_NONE;
  collective_buffers_t buffers = {.input = operand, .output = result};
  if (!collective_layout_is_identity(&part->input)) {
    POD_TRY(executor_block_grow(&scratch->input, schedule->input_bytes));
    collective_pack(&part->input, operand, scratch->input.memory);
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
  POD_TRY(run_schedule(part, run, &buffers, inout_clock_ps));
  if (has_region) {
    return fold(collective, part, run->args, buffers.output, result);
  }
  if (unpacks) {
    collective_unpack(&part->output, buffers.output, result);
  }
  return NULL;
}

pod_status_t executor_collective_run(executor_collective_t *collective,
                                     const executor_collective_run_t *run,
                                     int64_t *out_clock_ps) {
  int64_t clock_ps = run->clock_ps;
  for (int32_t i = 0; i < collective->part_count; i++) {
    POD_TRY(run_part(collective, i, run, &clock_ps));
    for (int direction = 0; direction < TORUS_DIRECTIONS; direction++) {
      const chip_link_total_t *link = &collective->parts[i].links[direction];
      run->links[direction].bytes_sent += link->bytes_sent;
      run->links[direction].frames_sent += link->frames_sent;
    }
  }
  if (__builtin_add_overflow(clock_ps, run->duration_ps, &clock_ps)) {
    clock_ps = INT64_MAX;
  }
  *out_clock_ps = clock_ps;
  return NULL;
}
