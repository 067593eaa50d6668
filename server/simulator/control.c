// The control flow of a program from what is known of its values. Chips take the same way
// unless a decision depends on the chip's number; then each is followed by itself.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/simulator.h"
#include "server/simulator/values.h"

// Instructions followed on one chip.
enum { INSTRUCTIONS_MAX = 1 << 24 };

typedef struct walk_t {
  const chip_program_t *program;
  const simulator_turns_t *turns;
  int32_t turns_count;
  simulator_values_t values;
  chip_trace_t trace;
  int64_t instructions;
  bool depends_on_chip;  // A decision did.
} walk_t;

static pod_status_t walk_computation(walk_t *walk, int32_t computation);

// What the user says of an instruction; -1: nothing.
static int64_t turns_of(const walk_t *walk, const chip_instruction_t *instruction) {
  int64_t turns = -1;
  for (int32_t i = 0; i < walk->turns_count; i++) {
    const simulator_turns_t *said = &walk->turns[i];
    if (said->instruction != NULL && strcmp(said->instruction, instruction->name) == 0) {
      return said->turns;
    }
    if (said->instruction == NULL && instruction->op == CHIP_OP_WHILE) {
      turns = said->turns;
    }
  }
  return turns;
}

static pod_status_t unknown(const chip_instruction_t *instruction, const char *what) {
  return pod_error(POD_FAILED_PRECONDITION,
                   "%s (%s): %s depends on values that are not known without running the "
                   "program; say it for %s (turns of the request and of libpodium, "
                   "--turns %s=N of podium)",
                   instruction->name, instruction->source, what, instruction->name,
                   instruction->name);
}

// The scalar in a buffer. False: it is not known.
static bool decide(walk_t *walk, int32_t buffer, int64_t *out_value) {
  bool is_splat;
  bool depends_on_chip;
  const uint8_t *data =
      simulator_values_get(&walk->values, buffer, &is_splat, &depends_on_chip);
  if (data == NULL) {
    return false;
  }
  walk->depends_on_chip |= depends_on_chip;
  *out_value = tensor_element_as_int64(walk->program->buffers[buffer].shape.dtype, data);
  return true;
}

static pod_status_t record(walk_t *walk, int32_t index, int64_t value) {
  return chip_trace_add(&walk->trace, index, value)
             ? NULL
             : pod_error(POD_RESOURCE_EXHAUSTED,
                         "%s: control flow changes more than %d times",
                         walk->program->instructions[index].name, CHIP_TRACE_RUNS_MAX);
}

static pod_status_t walk_while(walk_t *walk, int32_t index) {
  const chip_instruction_t *instruction = &walk->program->instructions[index];
  const chip_computation_t *condition =
      &walk->program->computations[instruction->calls[0]];
  const chip_computation_t *body = &walk->program->computations[instruction->calls[1]];
  const int64_t said = turns_of(walk, instruction);
  for (int64_t turns = 0;; turns++) {
    POD_TRY(walk_computation(walk, instruction->calls[0]));
    int64_t goes_on;
    if (!decide(walk, condition->results[0], &goes_on)) {
      if (said < 0) {
        return unknown(instruction, "how often it turns");
      }
      goes_on = turns < said;
    }
    if (goes_on == 0) {
      return record(walk, index, turns);
    }
    POD_TRY(walk_computation(walk, instruction->calls[1]));
    for (int32_t i = 0; i < instruction->result_count; i++) {
      simulator_values_copy(&walk->values, body->results[i], instruction->results[i]);
    }
  }
}

static pod_status_t walk_branch(walk_t *walk, int32_t index) {
  const chip_instruction_t *instruction = &walk->program->instructions[index];
  int64_t branch;
  if (decide(walk, instruction->operands[0], &branch)) {
    if (instruction->op == CHIP_OP_IF) {
      branch = branch != 0 ? 0 : 1;
    }
  } else {
    branch = turns_of(walk, instruction);
    if (branch < 0) {
      return unknown(instruction, "which way it takes");
    }
  }
  const int64_t last = instruction->call_count - 1;
  branch = branch < 0 || branch > last ? last : branch;
  POD_TRY(walk_computation(walk, instruction->calls[branch]));
  const chip_computation_t *taken =
      &walk->program->computations[instruction->calls[branch]];
  for (int32_t i = 0; i < instruction->result_count; i++) {
    simulator_values_copy(&walk->values, taken->results[i], instruction->results[i]);
  }
  return record(walk, index, branch);
}

static pod_status_t walk_computation(walk_t *walk, int32_t computation) {
  const chip_computation_t *entered = &walk->program->computations[computation];
  walk->instructions += 1 + entered->instruction_count;
  if (walk->instructions > INSTRUCTIONS_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "%s runs more than %d instructions to follow without running them",
                     entered->name, INSTRUCTIONS_MAX);
  }
  for (int32_t i = 0; i < entered->instruction_count; i++) {
    const int32_t index = entered->first_instruction + i;
    const chip_instruction_t *instruction = &walk->program->instructions[index];
    switch (instruction->op) {
      case CHIP_OP_WHILE:
        POD_TRY(walk_while(walk, index));
        break;
      case CHIP_OP_IF:
      case CHIP_OP_CASE:
        POD_TRY(walk_branch(walk, index));
        break;
      default:
        simulator_values_run(&walk->values, instruction);
    }
  }
  return NULL;
}

static chip_trace_t *keep_trace(pod_arena_t *arena, const chip_trace_t *trace) {
  chip_trace_t *kept = pod_arena_copy(arena, trace, sizeof(*trace));
  kept->lists = pod_arena_copy(arena, trace->lists,
                               (size_t)trace->instruction_count * sizeof(*kept->lists));
  for (int32_t i = 0; i < kept->instruction_count; i++) {
    chip_trace_list_t *list = &kept->lists[i];
    list->items =
        pod_arena_copy(arena, list->items, (size_t)list->count * sizeof(*list->items));
    list->capacity = list->count;
  }
  return kept;
}

typedef struct traces_t {
  pod_arena_t *arena;
  int32_t count;
  const chip_trace_t **distinct;
  const chip_trace_t **by_chip;
} traces_t;

static pod_status_t follow(walk_t *walk, int32_t chip, traces_t *traces) {
  simulator_values_reset(&walk->values, chip);
  chip_trace_init(&walk->trace, walk->program);
  walk->instructions = 0;
  const pod_status_t status = walk_computation(walk, walk->program->entry);
  if (status == NULL) {
    int32_t same = 0;
    while (same < traces->count &&
           !chip_trace_equal(traces->distinct[same], &walk->trace)) {
      same++;
    }
    if (same == traces->count) {
      traces->distinct[traces->count++] = keep_trace(traces->arena, &walk->trace);
    }
    traces->by_chip[chip] = traces->distinct[same];
  }
  chip_trace_deinit(&walk->trace);
  return status;
}

pod_status_t simulator_trace(const chip_program_t *program, int32_t chip_count,
                             const simulator_turns_t *turns, int32_t turns_count,
                             pod_arena_t *arena, const chip_trace_t *const **out_traces) {
  const size_t chips = (size_t)(chip_count > 0 ? chip_count : 0);
  traces_t traces = {
      .arena = arena,
      .distinct = pod_alloc((chips + 1) * sizeof(const chip_trace_t *)),
      .by_chip = pod_arena_array(arena, chips + 1, sizeof(const chip_trace_t *))};
  walk_t walk = {.program = program, .turns = turns, .turns_count = turns_count};
  simulator_values_init(&walk.values, program, 0);
  pod_status_t status = NULL;
  int32_t first = -1;
  for (int32_t chip = 0; chip < chip_count && status == NULL; chip++) {
    if (program->mesh != NULL && mesh_position(program->mesh, chip) < 0) {
      continue;
    }
    if (first >= 0 && !walk.depends_on_chip) {
      traces.by_chip[chip] = traces.by_chip[first];
      continue;
    }
    first = first < 0 ? chip : first;
    status = follow(&walk, chip, &traces);
  }
  simulator_values_deinit(&walk.values);
  free(traces.distinct);
  if (status == NULL) {
    *out_traces = traces.by_chip;
  }
  return status;
}
