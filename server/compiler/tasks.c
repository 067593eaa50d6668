#include "server/compiler/tasks.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/chip/work.h"

typedef struct emitter_t {
  const chip_spec_t *spec;
  chip_program_t *program;
  chip_task_t *tasks;  // Room for one per instruction.
  int32_t count;
} emitter_t;

// What the scalar core computes beside the vector core: counters, indexes, conditions.
static bool is_scalar_work(const chip_program_t *program,
                           const chip_instruction_t *instruction) {
  if (instruction->call_count > 0 || instruction->result_count == 0) {
    return false;
  }
  for (int32_t i = 0; i < instruction->operand_count + instruction->result_count; i++) {
    const int32_t buffer = i < instruction->operand_count
                               ? instruction->operands[i]
                               : instruction->results[i - instruction->operand_count];
    const tensor_shape_t *shape = &program->buffers[buffer].shape;
    if (shape->rank > 0 || tensor_dtype_is_float(shape->dtype)) {
      return false;
    }
  }
  return true;
}

static chip_task_kind_t kind_of(const chip_instruction_t *instruction) {
  switch (instruction->op) {
    case CHIP_OP_WHILE:
      return CHIP_TASK_WHILE;
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return CHIP_TASK_BRANCH;
    default:
      return chip_op_is_collective(instruction->op) ? CHIP_TASK_COLLECTIVE
                                                    : CHIP_TASK_COMPUTE;
  }
}

static void emit_instruction(emitter_t *emitter, int32_t index) {
  const chip_program_t *program = emitter->program;
  const chip_instruction_t *instruction = &program->instructions[index];
  if (is_scalar_work(program, instruction) && !chip_op_is_collective(instruction->op)) {
    return;
  }
  emitter->tasks[emitter->count] =
      (chip_task_t){.kind = kind_of(instruction),
                    .instruction = index,
                    .partner = CHIP_NONE,
                    .first_member = emitter->count,
                    .member_count = 1,
                    .name = instruction->name,
                    .work = chip_instruction_work(emitter->spec, program, instruction)};
  emitter->count++;
}

// Which computations have a time of their own: those that loops and branches call, not
// the regions of reductions. Callers stand before what they call.
static bool *find_timed(const chip_program_t *program) {
  bool *is_timed = pod_alloc((size_t)program->computation_count * sizeof(*is_timed));
  is_timed[program->entry] = true;
  for (int32_t c = 0; c < program->computation_count; c++) {
    const chip_computation_t *computation = &program->computations[c];
    for (int32_t k = 0; k < computation->instruction_count; k++) {
      const chip_instruction_t *instruction =
          &program->instructions[computation->first_instruction + k];
      const chip_task_kind_t kind = kind_of(instruction);
      for (int32_t i = 0; i < instruction->call_count; i++) {
        is_timed[instruction->calls[i]] =
            is_timed[c] && (kind == CHIP_TASK_WHILE || kind == CHIP_TASK_BRANCH);
      }
    }
  }
  return is_timed;
}

void tasks_emit(const chip_spec_t *spec, chip_program_t *program) {
  emitter_t emitter = {.spec = spec, .program = program};
  emitter.tasks = pod_arena_array(program->arena, (size_t)program->instruction_count,
                                  sizeof(*emitter.tasks));
  chip_computation_t *computations =
      pod_arena_copy(program->arena, program->computations,
                     (size_t)program->computation_count * sizeof(*computations));
  bool *is_timed = find_timed(program);
  for (int32_t c = 0; c < program->computation_count; c++) {
    computations[c].first_task = emitter.count;
    for (int32_t k = 0; is_timed[c] && k < computations[c].instruction_count; k++) {
      emit_instruction(&emitter, computations[c].first_instruction + k);
    }
    computations[c].task_count = emitter.count - computations[c].first_task;
  }
  free(is_timed);
  int32_t *members =
      pod_arena_array(program->arena, (size_t)emitter.count, sizeof(*members));
  for (int32_t i = 0; i < emitter.count; i++) {
    members[i] = emitter.tasks[i].instruction;
  }
  program->computations = computations;
  program->tasks = emitter.tasks;
  program->task_count = emitter.count;
  program->task_members = members;
  program->task_member_count = emitter.count;
}
