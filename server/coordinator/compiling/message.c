// Jobs and answers as messages. What a Program does not carry, because no worker needs
// it, goes beside it: tasks, the report, what is alive when.

#include "server/coordinator/compiling/message.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "proto/podium/v1/compiler.pb-c.h"
#include "proto/podium/v1/program.pb-c.h"
#include "server/wire/program.h"
#include "server/wire/types.h"

enum { WORK_FIELDS = sizeof(chip_work_t) / sizeof(int64_t) };
_Static_assert(sizeof(chip_work_t) % sizeof(int64_t) == 0, "chip_work_t is int64_t only");

// protobuf-c has no const; what it packs it only reads.
static char *borrow(const char *text) {
  return (char *)(uintptr_t)(text == NULL ? "" : text);
}

static void *arena_alloc(void *arena, size_t size_bytes) {
  return pod_arena_alloc(arena, size_bytes);
}

static void arena_free(void *arena, void *memory) {
  (void)arena;
  (void)memory;
}

// --- Jobs ---

static Podium__V1__CompilerJob__Argument *argument_pack(
    pod_arena_t *arena, const compiler_argument_type_t *from) {
  Podium__V1__CompilerJob__Argument *to = pod_arena_alloc(arena, sizeof(*to));
  podium__v1__compiler_job__argument__init(to);
  to->argument = borrow(from->argument);
  to->dtype = (int32_t)from->shape.dtype;
  to->n_dims = (size_t)from->shape.rank;
  to->dims = (int64_t *)from->shape.dims;
  to->has_value = from->has_value;
  to->value = from->value;
  to->is_partial = from->is_partial;
  return to;
}

static Podium__V1__GivenSharding **given_pack(pod_arena_t *arena, int64_t count,
                                              const compiler_given_spec_t *from) {
  Podium__V1__GivenSharding **list =
      pod_arena_array(arena, (size_t)count, sizeof(list[0]));
  for (int64_t i = 0; i < count; i++) {
    list[i] = pod_arena_alloc(arena, sizeof(*list[i]));
    podium__v1__given_sharding__init(list[i]);
    list[i]->name = borrow(from[i].name);
    list[i]->spec = borrow(from[i].spec);
  }
  return list;
}

static void pack_asked(pod_arena_t *arena, const compiler_options_t *options,
                       Podium__V1__CompilerJob *job) {
  const compiler_given_t *given = &options->given;
  job->mesh = borrow(given->mesh);
  job->donate = borrow(given->donated);
  job->n_in_shardings = (size_t)given->argument_count;
  job->in_shardings = given_pack(arena, given->argument_count, given->arguments);
  job->n_out_shardings = (size_t)given->result_count;
  job->out_shardings = given_pack(arena, given->result_count, given->results);
  job->n_inner_shardings = (size_t)given->value_count;
  job->inner_shardings = given_pack(arena, given->value_count, given->values);
  job->propagation = borrow(options->propagation);
  job->after = borrow(options->after);
  job->value_shardings = options->wants_values;
  job->ignore_hbm = options->ignores_hbm;
  job->estimate = options->estimates_only;
}

uint8_t *compile_job_pack(const compiler_options_t *options, size_t *out_size_bytes) {
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__CompilerJob job = PODIUM__V1__COMPILER_JOB__INIT;
  int wraps[TORUS_DIMENSIONS];
  for (int i = 0; i < TORUS_DIMENSIONS; i++) {
    wraps[i] = options->torus.wraps[i];
  }
  job.file_name = borrow(options->file_name);
  job.algorithms = borrow(options->algorithms);
  job.collectives = borrow(options->collectives);
  job.chip = borrow(options->spec->name);
  job.hbm_bytes = options->hbm_bytes;
  job.n_torus_size = TORUS_DIMENSIONS;
  job.torus_size = (int32_t *)options->torus.size;
  job.n_torus_wraps = TORUS_DIMENSIONS;
  job.torus_wraps = wraps;
  job.torus_slices = options->torus.slice_count;
  job.torus_cores = options->torus.core_count;
  job.n_arguments = (size_t)options->argument_type_count;
  job.arguments = pod_arena_array(arena, job.n_arguments, sizeof(*job.arguments));
  for (size_t i = 0; i < job.n_arguments; i++) {
    job.arguments[i] = argument_pack(arena, &options->argument_types[i]);
  }
  job.n_device_order = (size_t)options->device_order_count;
  job.device_order = (int64_t *)(uintptr_t)options->device_order;
  pack_asked(arena, options, &job);
  *out_size_bytes = podium__v1__compiler_job__get_packed_size(&job);
  uint8_t *bytes = pod_alloc(*out_size_bytes);
  podium__v1__compiler_job__pack(&job, bytes);
  pod_arena_destroy(arena);
  return bytes;
}

static pod_status_t read_arguments(pod_arena_t *arena, const Podium__V1__CompilerJob *job,
                                   compiler_options_t *options) {
  compiler_argument_type_t *types =
      pod_arena_array(arena, job->n_arguments + 1, sizeof(*types));
  for (size_t i = 0; i < job->n_arguments; i++) {
    const Podium__V1__CompilerJob__Argument *from = job->arguments[i];
    if (from->n_dims > TENSOR_RANK_MAX) {
      return pod_error(POD_INTERNAL, "a job with an argument of %zu dimensions",
                       from->n_dims);
    }
    types[i] = (compiler_argument_type_t){.argument = from->argument,
                                          .has_value = from->has_value,
                                          .value = from->value,
                                          .is_partial = from->is_partial};
    types[i].shape.dtype = (tensor_dtype_t)from->dtype;
    types[i].shape.rank = (int)from->n_dims;
    for (size_t k = 0; k < from->n_dims; k++) {
      types[i].shape.dims[k] = from->dims[k];
    }
  }
  options->argument_type_count = (int64_t)job->n_arguments;
  options->argument_types = types;
  return NULL;
}

static const compiler_given_spec_t *read_given(
    pod_arena_t *arena, size_t count, Podium__V1__GivenSharding *const *messages) {
  compiler_given_spec_t *list = pod_arena_array(arena, count + 1, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    list[i] = (compiler_given_spec_t){messages[i]->name, messages[i]->spec};
  }
  return list;
}

static void read_asked(pod_arena_t *arena, const Podium__V1__CompilerJob *job,
                       compiler_options_t *options) {
  options->given = (compiler_given_t){
      .mesh = job->mesh,
      .donated = job->donate,
      .argument_count = (int64_t)job->n_in_shardings,
      .result_count = (int64_t)job->n_out_shardings,
      .arguments = read_given(arena, job->n_in_shardings, job->in_shardings),
      .results = read_given(arena, job->n_out_shardings, job->out_shardings),
      .value_count = (int64_t)job->n_inner_shardings,
      .values = read_given(arena, job->n_inner_shardings, job->inner_shardings)};
  options->propagation = job->propagation;
  options->after = job->after;
  options->wants_values = job->value_shardings;
  options->ignores_hbm = job->ignore_hbm;
  options->estimates_only = job->estimate;
}

pod_status_t compile_job_unpack(pod_arena_t *arena, const void *bytes, size_t size_bytes,
                                const chip_spec_t *own_spec,
                                compiler_options_t *out_options) {
  ProtobufCAllocator allocator = {
      .alloc = arena_alloc, .free = arena_free, .allocator_data = arena};
  const Podium__V1__CompilerJob *job =
      podium__v1__compiler_job__unpack(&allocator, size_bytes, bytes);
  if (job == NULL || job->n_torus_size != TORUS_DIMENSIONS ||
      job->n_torus_wraps != TORUS_DIMENSIONS) {
    return pod_error(POD_INTERNAL, "%zu bytes are no job of a compiler", size_bytes);
  }
  *out_options = (compiler_options_t){.file_name = job->file_name,
                                      .algorithms = job->algorithms,
                                      .collectives = job->collectives,
                                      .hbm_bytes = job->hbm_bytes,
                                      .device_order_count = (int64_t)job->n_device_order,
                                      .device_order = job->device_order};
  const bool is_own = own_spec != NULL && strcmp(own_spec->name, job->chip) == 0;
  out_options->spec = is_own ? own_spec : chip_spec_find(job->chip);
  if (out_options->spec == NULL) {
    return pod_error(POD_INTERNAL, "a job for the chip \"%s\", which is not known",
                     job->chip);
  }
  for (int i = 0; i < TORUS_DIMENSIONS; i++) {
    out_options->torus.size[i] = job->torus_size[i];
    out_options->torus.wraps[i] = job->torus_wraps[i] != 0;
  }
  out_options->torus.slice_count = job->torus_slices;
  out_options->torus.core_count = job->torus_cores;
  read_asked(arena, job, out_options);
  return read_arguments(arena, job, out_options);
}

// --- Answers, packed ---

static Podium__V1__CompilerAnswer__Collective *collective_pack(
    pod_arena_t *arena, const compiler_collective_t *from) {
  Podium__V1__CompilerAnswer__Collective *to = pod_arena_alloc(arena, sizeof(*to));
  podium__v1__compiler_answer__collective__init(to);
  to->op = (int32_t)from->op;
  to->name = borrow(from->name);
  to->source = borrow(from->source);
  to->operand = wire_shape_pack(arena, &from->operand);
  to->result = wire_shape_pack(arena, &from->result);
  to->axes = borrow(from->axes);
  to->mesh = borrow(from->mesh);
  to->group_count = from->group_count;
  to->group_size = from->group_size;
  to->ici_bytes = from->ici_bytes;
  to->dcn_bytes = from->dcn_bytes;
  to->link_bytes = from->link_bytes;
  to->alone_ps = from->alone_ps;
  to->because = borrow(from->because);
  to->in_loop = from->in_loop;
  to->inserted = from->inserted;
  to->asynchronous = from->is_async;
  return to;
}

static Podium__V1__CompilerAnswer__Task *task_pack(pod_arena_t *arena,
                                                   const chip_task_t *from) {
  Podium__V1__CompilerAnswer__Task *to = pod_arena_alloc(arena, sizeof(*to));
  podium__v1__compiler_answer__task__init(to);
  to->kind = (int32_t)from->kind;
  to->instruction = from->instruction;
  to->partner = from->partner;
  to->first_member = from->first_member;
  to->member_count = from->member_count;
  to->name = borrow(from->name);
  to->n_work = WORK_FIELDS;
  to->work = (int64_t *)(uintptr_t)&from->work;
  return to;
}

static void pack_tasks(pod_arena_t *arena, const chip_program_t *program,
                       Podium__V1__CompilerAnswer *answer) {
  answer->n_tasks = (size_t)program->task_count;
  answer->tasks = pod_arena_array(arena, answer->n_tasks, sizeof(*answer->tasks));
  for (int32_t i = 0; i < program->task_count; i++) {
    answer->tasks[i] = task_pack(arena, &program->tasks[i]);
  }
  answer->n_task_members = (size_t)program->task_member_count;
  answer->task_members = (int32_t *)(uintptr_t)program->task_members;
  const size_t count = (size_t)program->computation_count;
  answer->n_first_tasks = answer->n_task_counts = count;
  answer->first_tasks = pod_arena_array(arena, count, sizeof(int32_t));
  answer->task_counts = pod_arena_array(arena, count, sizeof(int32_t));
  for (size_t i = 0; i < count; i++) {
    answer->first_tasks[i] = program->computations[i].first_task;
    answer->task_counts[i] = program->computations[i].task_count;
  }
  answer->n_temp_live_bytes = (size_t)program->instruction_count;
  answer->temp_live_bytes =
      pod_arena_array(arena, answer->n_temp_live_bytes, sizeof(int64_t));
  for (int32_t i = 0; i < program->instruction_count; i++) {
    answer->temp_live_bytes[i] = program->instructions[i].temp_live_bytes;
  }
}

static void pack_peak(pod_arena_t *arena, const chip_program_t *program,
                      Podium__V1__CompilerAnswer *answer) {
  const size_t count = (size_t)program->peak_count;
  answer->peak_instruction = program->peak_instruction;
  answer->n_peak_writers = answer->n_peak_bytes = count;
  answer->peak_writers = pod_arena_array(arena, count, sizeof(int32_t));
  answer->peak_bytes = pod_arena_array(arena, count, sizeof(int64_t));
  for (size_t i = 0; i < count; i++) {
    answer->peak_writers[i] = program->peaks[i].instruction;
    answer->peak_bytes[i] = program->peaks[i].size_bytes;
  }
}

static char **pack_texts(const char *const *texts, int32_t count, pod_arena_t *arena) {
  char **list = pod_arena_array(arena, (size_t)count, sizeof(*list));
  for (int32_t i = 0; i < count; i++) {
    list[i] = borrow(texts[i]);
  }
  return list;
}

static void pack_report(pod_arena_t *arena, const compiler_result_t *result,
                        Podium__V1__CompilerAnswer *answer) {
  const int32_t result_count = result->program->result_count;
  answer->partitioned_text = borrow(result->partitioned_text);
  answer->hbm_peak_bytes = result->hbm_peak_bytes;
  answer->estimated_ps = result->estimated_ps;
  answer->declared_device_count = result->declared_device_count;
  answer->n_collectives = (size_t)result->collective_count;
  answer->collectives =
      pod_arena_array(arena, answer->n_collectives, sizeof(*answer->collectives));
  for (int32_t i = 0; i < result->collective_count; i++) {
    answer->collectives[i] = collective_pack(arena, &result->collectives[i]);
  }
  answer->n_notes = (size_t)result->note_count;
  answer->notes = pack_texts(result->notes, result->note_count, arena);
  answer->n_memory_kinds = (size_t)result_count;
  answer->memory_kinds = pack_texts(result->result_memory_kinds, result_count, arena);
  answer->n_inspections = (size_t)result->inspection_count;
  answer->inspections =
      pod_arena_array(arena, answer->n_inspections, sizeof(*answer->inspections));
  for (int32_t i = 0; i < result->inspection_count; i++) {
    answer->inspections[i] =
        wire_interface_pack(arena, &result->inspections[i], result->program->mesh);
  }
}

static void pack_values(pod_arena_t *arena, const compiler_result_t *result,
                        Podium__V1__CompilerAnswer *answer) {
  answer->after_text = borrow(result->after_text);
  answer->n_values = (size_t)result->value_count;
  answer->values = pod_arena_array(arena, answer->n_values, sizeof(*answer->values));
  for (int32_t i = 0; i < result->value_count; i++) {
    const compiler_value_t *from = &result->values[i];
    Podium__V1__ValueSharding *to = pod_arena_alloc(arena, sizeof(*to));
    podium__v1__value_sharding__init(to);
    to->name = borrow(from->name);
    to->op = borrow(from->op);
    to->source = borrow(from->source);
    to->shape = wire_shape_pack(arena, &from->shape);
    to->local_shape = wire_shape_pack(arena, &from->local_shape);
    to->spec = borrow(from->spec);
    to->number = from->number;
    answer->values[i] = to;
  }
}

pod_status_t compile_answer_pack(pod_status_t status, const compiler_result_t *result,
                                 compile_frame_t *out_frame) {
  *out_frame = (compile_frame_t){0};
  if (status == NULL) {
    POD_TRY(wire_program_pack(result->program, &out_frame->body, &out_frame->body_bytes));
  }
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__CompilerAnswer answer = PODIUM__V1__COMPILER_ANSWER__INIT;
  if (status != NULL) {
    answer.code = (int32_t)pod_status_code(status);
    answer.message = borrow(pod_status_message(status));
  } else {
    pack_tasks(arena, result->program, &answer);
    pack_peak(arena, result->program, &answer);
    pack_report(arena, result, &answer);
    pack_values(arena, result, &answer);
  }
  out_frame->head_bytes = podium__v1__compiler_answer__get_packed_size(&answer);
  out_frame->head = pod_alloc(out_frame->head_bytes);
  podium__v1__compiler_answer__pack(&answer, out_frame->head);
  pod_arena_destroy(arena);
  return NULL;
}

// --- Answers, unpacked ---

static pod_status_t collective_unpack(const Podium__V1__CompilerAnswer__Collective *from,
                                      compiler_collective_t *to) {
  if (from->op <= CHIP_OP_INVALID || from->op >= CHIP_OP_COUNT) {
    return pod_error(POD_INTERNAL, "a collective that is operation %d", (int)from->op);
  }
  *to = (compiler_collective_t){.op = (chip_op_t)from->op,
                                .name = from->name,
                                .source = from->source,
                                .axes = from->axes,
                                .mesh = from->mesh,
                                .group_count = from->group_count,
                                .group_size = from->group_size,
                                .ici_bytes = from->ici_bytes,
                                .dcn_bytes = from->dcn_bytes,
                                .link_bytes = from->link_bytes,
                                .alone_ps = from->alone_ps,
                                .because = from->because,
                                .in_loop = from->in_loop,
                                .inserted = from->inserted,
                                .is_async = from->asynchronous};
  POD_TRY(wire_shape_unpack(from->operand, &to->operand));
  return wire_shape_unpack(from->result, &to->result);
}

static bool is_range(int32_t first, int32_t count, size_t all) {
  return first >= 0 && count >= 0 && (size_t)first + (size_t)count <= all;
}

static pod_status_t task_unpack(const Podium__V1__CompilerAnswer__Task *from,
                                const Podium__V1__CompilerAnswer *answer,
                                const chip_program_t *program, chip_task_t *to) {
  const bool is_sound =
      from->n_work == WORK_FIELDS && from->kind >= 0 &&
      from->kind <= CHIP_TASK_TRANSFER_DONE &&
      is_range(from->instruction, 1, (size_t)program->instruction_count) &&
      from->partner >= CHIP_NONE && from->partner < (int32_t)answer->n_tasks &&
      is_range(from->first_member, from->member_count, answer->n_task_members);
  if (!is_sound) {
    return pod_error(POD_INTERNAL, "a task that cannot be");
  }
  *to = (chip_task_t){.kind = (chip_task_kind_t)from->kind,
                      .instruction = from->instruction,
                      .partner = from->partner,
                      .first_member = from->first_member,
                      .member_count = from->member_count,
                      .name = from->name};
  memcpy(&to->work, from->work, sizeof(to->work));
  return NULL;
}

static pod_status_t check_members(const Podium__V1__CompilerAnswer *answer,
                                  const chip_program_t *program) {
  bool is_sound = true;
  for (size_t i = 0; i < answer->n_task_members && is_sound; i++) {
    is_sound = is_range(answer->task_members[i], 1, (size_t)program->instruction_count);
  }
  for (size_t i = 0; i < answer->n_first_tasks && is_sound; i++) {
    is_sound = is_range(answer->first_tasks[i], answer->task_counts[i], answer->n_tasks);
  }
  return is_sound ? NULL : pod_error(POD_INTERNAL, "tasks that cannot be");
}

// The program is still nobody else's: its lists are written to.
static pod_status_t unpack_tasks(const Podium__V1__CompilerAnswer *answer,
                                 chip_program_t *program) {
  const size_t computations = (size_t)program->computation_count;
  if (answer->n_first_tasks != computations || answer->n_task_counts != computations ||
      answer->n_temp_live_bytes != (size_t)program->instruction_count) {
    return pod_error(POD_INTERNAL, "an answer of another program");
  }
  POD_TRY(check_members(answer, program));
  chip_task_t *tasks = pod_arena_array(program->arena, answer->n_tasks, sizeof(*tasks));
  for (size_t i = 0; i < answer->n_tasks; i++) {
    POD_TRY(task_unpack(answer->tasks[i], answer, program, &tasks[i]));
  }
  program->task_count = (int32_t)answer->n_tasks;
  program->tasks = tasks;
  program->task_member_count = (int32_t)answer->n_task_members;
  program->task_members = answer->task_members;
  chip_computation_t *own = (chip_computation_t *)(uintptr_t)program->computations;
  for (size_t i = 0; i < computations; i++) {
    own[i].first_task = answer->first_tasks[i];
    own[i].task_count = answer->task_counts[i];
  }
  chip_instruction_t *code = (chip_instruction_t *)(uintptr_t)program->instructions;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    code[i].temp_live_bytes = answer->temp_live_bytes[i];
  }
  return NULL;
}

static pod_status_t unpack_peak(const Podium__V1__CompilerAnswer *answer,
                                chip_program_t *program) {
  const size_t count = answer->n_peak_bytes;
  bool is_sound = answer->n_peak_writers == count && count <= CHIP_PEAK_MAX &&
                  answer->peak_instruction >= CHIP_NONE &&
                  answer->peak_instruction < program->instruction_count;
  chip_peak_t *peaks =
      pod_arena_array(program->arena, is_sound ? count : 0, sizeof(*peaks));
  for (size_t i = 0; i < count && is_sound; i++) {
    peaks[i] = (chip_peak_t){answer->peak_writers[i], answer->peak_bytes[i]};
    is_sound = peaks[i].instruction >= CHIP_NONE &&
               peaks[i].instruction < program->instruction_count;
  }
  if (!is_sound) {
    return pod_error(POD_INTERNAL, "a peak of memory that cannot be");
  }
  program->peak_instruction = answer->peak_instruction;
  program->peak_count = (int32_t)count;
  program->peaks = peaks;
  return NULL;
}

static pod_status_t unpack_values(const Podium__V1__CompilerAnswer *answer,
                                  compiler_result_t *result) {
  compiler_value_t *values =
      pod_arena_array(result->program->arena, answer->n_values, sizeof(*values));
  for (size_t i = 0; i < answer->n_values; i++) {
    const Podium__V1__ValueSharding *from = answer->values[i];
    values[i] = (compiler_value_t){.name = from->name,
                                   .op = from->op,
                                   .source = from->source,
                                   .spec = from->spec,
                                   .number = from->number};
    POD_TRY(wire_shape_unpack(from->shape, &values[i].shape));
    POD_TRY(wire_shape_unpack(from->local_shape, &values[i].local_shape));
  }
  result->after_text = *answer->after_text == '\0' ? NULL : answer->after_text;
  result->value_count = (int32_t)answer->n_values;
  result->values = values;
  return NULL;
}

static pod_status_t unpack_report(const Podium__V1__CompilerAnswer *answer,
                                  compiler_result_t *result) {
  chip_program_t *program = result->program;
  if (answer->n_memory_kinds != (size_t)program->result_count) {
    return pod_error(POD_INTERNAL, "an answer of another program");
  }
  compiler_collective_t *collectives =
      pod_arena_array(program->arena, answer->n_collectives, sizeof(*collectives));
  for (size_t i = 0; i < answer->n_collectives; i++) {
    POD_TRY(collective_unpack(answer->collectives[i], &collectives[i]));
  }
  chip_interface_t *inspections =
      pod_arena_array(program->arena, answer->n_inspections, sizeof(*inspections));
  for (size_t i = 0; i < answer->n_inspections; i++) {
    POD_TRY(wire_interface_unpack(answer->inspections[i], program, &inspections[i]));
  }
  result->partitioned_text = answer->partitioned_text;
  result->hbm_peak_bytes = answer->hbm_peak_bytes;
  result->estimated_ps = answer->estimated_ps;
  result->declared_device_count = answer->declared_device_count;
  result->collective_count = (int32_t)answer->n_collectives;
  result->collectives = collectives;
  result->note_count = (int32_t)answer->n_notes;
  result->notes = (const char *const *)answer->notes;
  result->result_memory_kinds = (const char *const *)answer->memory_kinds;
  result->inspection_count = (int32_t)answer->n_inspections;
  result->inspections = inspections;
  return NULL;
}

// Takes `program`.
static pod_status_t unpack_result(const compile_frame_t *frame, chip_program_t *program,
                                  compiler_result_t **out_result) {
  ProtobufCAllocator allocator = {
      .alloc = arena_alloc, .free = arena_free, .allocator_data = program->arena};
  const Podium__V1__CompilerAnswer *answer =
      podium__v1__compiler_answer__unpack(&allocator, frame->head_bytes, frame->head);
  compiler_result_t *result = pod_arena_alloc(program->arena, sizeof(*result));
  *result = (compiler_result_t){.program = program};
  pod_status_t status = answer == NULL ? pod_error(POD_INTERNAL, "what came is no answer")
                                       : unpack_tasks(answer, program);
  if (status == NULL) {
    status = unpack_peak(answer, program);
  }
  if (status == NULL) {
    status = unpack_report(answer, result);
  }
  if (status == NULL) {
    status = unpack_values(answer, result);
  }
  if (status != NULL) {
    chip_program_destroy(program);
    return status;
  }
  *out_result = result;
  return NULL;
}

// A frame without a program.
static pod_status_t unpack_error(const compile_frame_t *frame) {
  Podium__V1__CompilerAnswer *answer =
      podium__v1__compiler_answer__unpack(NULL, frame->head_bytes, frame->head);
  if (answer == NULL || answer->code <= POD_OK || answer->code >= POD_CODE_COUNT) {
    podium__v1__compiler_answer__free_unpacked(answer, NULL);
    return pod_error(POD_INTERNAL, "what came is no answer");
  }
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, (pod_code_t)answer->code, answer->message);
  podium__v1__compiler_answer__free_unpacked(answer, NULL);
  return status;
}

pod_status_t compile_answer_unpack(const compile_frame_t *frame,
                                   compiler_result_t **out_result) {
  if (frame->body_bytes == 0) {
    return unpack_error(frame);
  }
  chip_program_t *program;
  const pod_status_t status =
      wire_program_unpack(frame->body, frame->body_bytes, &program);
  if (status != NULL) {
    const pod_status_t inner = pod_error(POD_INTERNAL, "what was compiled is unsound: %s",
                                         pod_status_message(status));
    pod_status_free(status);
    return inner;
  }
  return unpack_result(frame, program, out_result);
}
