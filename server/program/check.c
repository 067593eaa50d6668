// The check of a program that came from elsewhere: first every index, then every
// instruction against its row, then the calls. What passes cannot make an executor or a
// kernel leave its memory.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "server/program/program.h"
#include "server/program/rules.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

static pod_status_t check_counts(const chip_program_t *program) {
  const struct {
    const char *what;
    int32_t count, max;
    const void *list;
  } lists[] = {
      {"arguments", program->argument_count, CHIP_BUFFERS_MAX, program->arguments},
      {"results", program->result_count, CHIP_BUFFERS_MAX, program->results},
      {"aliases", program->alias_count, program->argument_count, program->aliases},
      {"constants", program->constant_count, CHIP_BUFFERS_MAX, program->constants},
      {"buffers", program->buffer_count, CHIP_BUFFERS_MAX, program->buffers},
      {"instructions", program->instruction_count, CHIP_INSTRUCTIONS_MAX,
       program->instructions},
      {"computations", program->computation_count, CHIP_COMPUTATIONS_MAX,
       program->computations},
  };
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    if (lists[i].count < 0 || lists[i].count > lists[i].max ||
        (lists[i].count > 0 && lists[i].list == NULL)) {
      return BAD("a program of %d %s; at most %d", lists[i].count, lists[i].what,
                 lists[i].max);
    }
  }
  if (program->mesh == NULL || program->mesh->device_count < 1) {
    return BAD("a program without a mesh");
  }
  if (program->entry < 0 || program->entry >= program->computation_count) {
    return BAD("entry %d of %d computations", program->entry, program->computation_count);
  }
  return NULL;
}

static pod_status_t check_constants(const chip_program_t *program) {
  for (int32_t i = 0; i < program->constant_count; i++) {
    const chip_constant_t *constant = &program->constants[i];
    POD_TRY(pod_status_context(tensor_shape_check(&constant->shape), "constant %d", i));
    const int64_t expected = constant->is_splat
                                 ? (int64_t)tensor_dtype_bytes(constant->shape.dtype)
                                 : tensor_shape_bytes(&constant->shape);
    if (constant->size_bytes != expected || (expected > 0 && constant->data == NULL)) {
      return BAD("constant %d has %" PRId64 " bytes instead of %" PRId64, i,
                 constant->size_bytes, expected);
    }
  }
  return NULL;
}

static pod_status_t check_interface(const chip_interface_t *interface, const char *what,
                                    int32_t index) {
  if (interface->name == NULL || interface->sharding == NULL) {
    return BAD("%s %d lacks a name or a sharding", what, index);
  }
  pod_status_t status = tensor_shape_check(&interface->shape);
  if (status == NULL) {
    status = sharding_check(interface->sharding, &interface->shape);
  }
  return pod_status_context(status, "%s %d", what, index);
}

static pod_status_t check_local_shape(const chip_interface_t *interface,
                                      const tensor_shape_t *shape) {
  tensor_shape_t local;
  sharding_local_shape(interface->sharding, &interface->shape, &local);
  return tensor_shape_equal(&local, shape)
             ? NULL
             : BAD("its shape is not that of the shard of %s", interface->name);
}

// The same bytes, perhaps as another type: what a reshape, or an operation that works in
// place, sees there.
static pod_status_t check_view(const tensor_shape_t *whole, const tensor_shape_t *seen,
                               const char *name) {
  return tensor_shape_bytes(whole) == tensor_shape_bytes(seen)
             ? NULL
             : BAD("its size is not that of %s", name);
}

static pod_status_t check_shard_view(const chip_interface_t *interface,
                                     const tensor_shape_t *seen) {
  tensor_shape_t local;
  sharding_local_shape(interface->sharding, &interface->shape, &local);
  return check_view(&local, seen, interface->name);
}

static pod_status_t check_index(const char *what, int32_t index, int32_t count) {
  return index >= 0 && index < count ? NULL : BAD("%s %d of %d", what, index, count);
}

static pod_status_t check_buffer(const chip_program_t *program,
                                 const chip_buffer_t *buffer) {
  POD_TRY(tensor_shape_check(&buffer->shape));
  const int64_t bytes = tensor_shape_bytes(&buffer->shape);
  const int64_t temp_bytes = program->temp_bytes + program->host_temp_bytes;
  switch (buffer->kind) {
    case CHIP_BUFFER_TEMP:
      if (buffer->offset < 0 || buffer->offset % CHIP_BUFFER_ALIGNMENT != 0 ||
          bytes > temp_bytes || buffer->offset > temp_bytes - bytes) {
        return BAD("%" PRId64 " bytes at %" PRId64 " do not lie in the %" PRId64
                   " bytes of temporaries",
                   bytes, buffer->offset, temp_bytes);
      }
      return NULL;
    case CHIP_BUFFER_ARGUMENT:
      POD_TRY(check_index("argument", buffer->index, program->argument_count));
      return check_shard_view(&program->arguments[buffer->index], &buffer->shape);
    case CHIP_BUFFER_RESULT:
      POD_TRY(check_index("result", buffer->index, program->result_count));
      return check_shard_view(&program->results[buffer->index], &buffer->shape);
    case CHIP_BUFFER_CONSTANT:
      POD_TRY(check_index("constant", buffer->index, program->constant_count));
      return check_view(&program->constants[buffer->index].shape, &buffer->shape,
                        "the constant");
  }
  return BAD("unknown kind %d", (int)buffer->kind);
}

static pod_status_t check_indexes(const char *what, int32_t count, const int32_t *indexes,
                                  int32_t limit) {
  if (count < 0 || (count > 0 && indexes == NULL)) {
    return BAD("%d %ss", count, what);
  }
  for (int32_t i = 0; i < count; i++) {
    POD_TRY(check_index(what, indexes[i], limit));
  }
  return NULL;
}

// Arguments and constants are shared with other executions.
static pod_status_t check_written(const chip_program_t *program, int32_t count,
                                  const int32_t *buffers) {
  for (int32_t i = 0; i < count; i++) {
    const chip_buffer_kind_t kind = program->buffers[buffers[i]].kind;
    if (kind == CHIP_BUFFER_ARGUMENT || kind == CHIP_BUFFER_CONSTANT) {
      return BAD("writes buffer %d, which is read only", buffers[i]);
    }
  }
  return NULL;
}

static pod_status_t check_instruction(const chip_program_t *program,
                                      const chip_instruction_t *instruction) {
  if (instruction->op <= CHIP_OP_INVALID || instruction->op >= CHIP_OP_COUNT) {
    return BAD("operation %d is unknown", (int)instruction->op);
  }
  POD_TRY(check_indexes("buffer", instruction->operand_count, instruction->operands,
                        program->buffer_count));
  POD_TRY(check_indexes("buffer", instruction->result_count, instruction->results,
                        program->buffer_count));
  POD_TRY(check_indexes("computation", instruction->call_count, instruction->calls,
                        program->computation_count));
  POD_TRY(check_written(program, instruction->result_count, instruction->results));
  if (instruction->attr_count < 0 || instruction->attr_count > CHIP_ATTR_KEY_COUNT) {
    return BAD("%d attributes", instruction->attr_count);
  }
  for (int32_t i = 0; i < instruction->attr_count; i++) {
    const chip_attr_t *attr = &instruction->attrs[i];
    if (attr->count < 0 || (attr->count > 0 && attr->values == NULL)) {
      return BAD("attribute %d has %d values", (int)attr->key, attr->count);
    }
  }
  return chip_instruction_check(program, instruction);
}

static pod_status_t check_computation(const chip_program_t *program,
                                      const chip_computation_t *computation) {
  POD_TRY(check_indexes("buffer", computation->parameter_count, computation->parameters,
                        program->buffer_count));
  POD_TRY(check_indexes("buffer", computation->result_count, computation->results,
                        program->buffer_count));
  const int32_t first = computation->first_instruction;
  const int32_t count = computation->instruction_count;
  if (computation->name == NULL || first < 0 || count < 0 ||
      count > program->instruction_count || first > program->instruction_count - count) {
    return BAD("%d instructions from %d on of %d", count, first,
               program->instruction_count);
  }
  return NULL;
}

// The entry's parameters are the arguments, its results have the shapes of the program's.
static pod_status_t check_entry(const chip_program_t *program) {
  const chip_computation_t *entry = &program->computations[program->entry];
  if (entry->parameter_count != program->argument_count ||
      entry->result_count != program->result_count) {
    return BAD("the entry has %d parameters and %d results for %d and %d of the program",
               entry->parameter_count, entry->result_count, program->argument_count,
               program->result_count);
  }
  for (int32_t i = 0; i < entry->parameter_count; i++) {
    const chip_buffer_t *buffer = &program->buffers[entry->parameters[i]];
    if (buffer->kind != CHIP_BUFFER_ARGUMENT || buffer->index != i) {
      return BAD("parameter %d of the entry is not argument %d", i, i);
    }
    POD_TRY(pod_status_context(check_local_shape(&program->arguments[i], &buffer->shape),
                               "parameter %d of the entry", i));
  }
  for (int32_t i = 0; i < entry->result_count; i++) {
    const tensor_shape_t *shape = &program->buffers[entry->results[i]].shape;
    POD_TRY(pod_status_context(check_local_shape(&program->results[i], shape),
                               "result %d of the entry", i));
  }
  return NULL;
}

static pod_status_t check_alias(const chip_program_t *program,
                                const chip_alias_t *alias) {
  POD_TRY(check_index("argument", alias->argument, program->argument_count));
  POD_TRY(check_index("result", alias->result, program->result_count));
  const chip_interface_t *argument = &program->arguments[alias->argument],
                         *result = &program->results[alias->result];
  tensor_shape_t from, to;
  sharding_local_shape(argument->sharding, &argument->shape, &from);
  sharding_local_shape(result->sharding, &result->shape, &to);
  return chip_may_alias(&from, &to) ? NULL
                                    : BAD("%s cannot take the memory of %s, which is of "
                                          "another size",
                                          result->name, argument->name);
}

// One after another by argument, so that none comes twice.
static pod_status_t check_aliases(const chip_program_t *program) {
  bool *is_taken = calloc((size_t)program->result_count + 1, sizeof(*is_taken));
  if (is_taken == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  pod_status_t status = NULL;
  for (int32_t i = 0; i < program->alias_count && status == NULL; i++) {
    const chip_alias_t *alias = &program->aliases[i];
    status = check_alias(program, alias);
    if (status == NULL && i > 0 && alias->argument <= alias[-1].argument) {
      status = BAD("argument %d is donated after argument %d", alias->argument,
                   alias[-1].argument);
    } else if (status == NULL && is_taken[alias->result]) {
      status = BAD("result %d takes the memory of two arguments", alias->result);
    } else if (status == NULL) {
      is_taken[alias->result] = true;
    }
    status = pod_status_context(status, "alias %d", i);
  }
  free(is_taken);
  return status;
}

typedef struct walk_t {
  const chip_program_t *program;
  uint8_t *heights;  // Of the calls below a computation, + 1; 0 when not known yet.
} walk_t;

enum { ON_PATH = UINT8_MAX };

// Depth first, no deeper than the bound on calls, every computation once. Sets the
// computation's height, or reports a cycle (which is a call too deep) where it closes.
static pod_status_t walk_calls(walk_t *walk, int32_t index, int depth) {
  if (walk->heights[index] == ON_PATH || depth >= CHIP_CALL_DEPTH_MAX - 2) {
    return BAD("computation @%s calls itself, or calls nest deeper than %d",
               walk->program->computations[index].name, CHIP_CALL_DEPTH_MAX);
  }
  if (walk->heights[index] > 0) {
    return NULL;
  }
  walk->heights[index] = ON_PATH;
  int height = 1;
  const chip_computation_t *computation = &walk->program->computations[index];
  for (int32_t i = 0; i < computation->instruction_count; i++) {
    const chip_instruction_t *instruction =
        &walk->program->instructions[computation->first_instruction + i];
    for (int32_t j = 0; j < instruction->call_count; j++) {
      const int32_t callee = instruction->calls[j];
      POD_TRY(walk_calls(walk, callee, depth + 1));
      const int below = walk->heights[callee] + 1;
      height = below > height ? below : height;
    }
  }
  if (depth + height >= CHIP_CALL_DEPTH_MAX - 1) {
    return BAD("calls below computation @%s nest deeper than %d", computation->name,
               CHIP_CALL_DEPTH_MAX);
  }
  walk->heights[index] = (uint8_t)height;
  return NULL;
}

static pod_status_t check_calls(const chip_program_t *program) {
  walk_t walk = {.program = program,
                 .heights = calloc((size_t)program->computation_count, 1)};
  if (walk.heights == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "out of host memory");
  }
  pod_status_t status = NULL;
  for (int32_t i = 0; i < program->computation_count && status == NULL; i++) {
    status = walk_calls(&walk, i, 0);
  }
  free(walk.heights);
  return status;
}

static pod_status_t check_lists(const chip_program_t *program) {
  for (int32_t i = 0; i < program->argument_count; i++) {
    POD_TRY(check_interface(&program->arguments[i], "argument", i));
  }
  for (int32_t i = 0; i < program->result_count; i++) {
    POD_TRY(check_interface(&program->results[i], "result", i));
  }
  for (int32_t i = 0; i < program->buffer_count; i++) {
    POD_TRY(
        pod_status_context(check_buffer(program, &program->buffers[i]), "buffer %d", i));
  }
  for (int32_t i = 0; i < program->computation_count; i++) {
    POD_TRY(pod_status_context(check_computation(program, &program->computations[i]),
                               "computation %d", i));
  }
  return NULL;
}

static bool has_negative_size(const chip_program_t *program) {
  const chip_memory_t *memory = &program->memory;
  return program->temp_bytes < 0 || program->argument_bytes < 0 ||
         program->result_bytes < 0 || program->constant_bytes < 0 ||
         program->alias_bytes < 0 || program->alias_bytes > program->result_bytes ||
         memory->argument_bytes < 0 || memory->output_bytes < 0 ||
         memory->alias_bytes < 0 || memory->alias_bytes > memory->output_bytes ||
         memory->temp_bytes < 0 || memory->code_bytes < 0;
}

// Of the host's memory: none negative, and all temporaries together are a size.
static bool has_bad_host_size(const chip_program_t *program) {
  int64_t temp_bytes;
  return program->host_temp_bytes < 0 || program->host_argument_bytes < 0 ||
         program->host_result_bytes < 0 || program->host_alias_bytes < 0 ||
         program->host_alias_bytes > program->host_result_bytes ||
         __builtin_add_overflow(program->temp_bytes, program->host_temp_bytes,
                                &temp_bytes);
}

pod_status_t chip_program_check(const chip_program_t *program) {
  POD_TRY(check_counts(program));
  if (has_negative_size(program) || has_bad_host_size(program)) {
    return BAD("a program of a negative size");
  }
  POD_TRY(check_constants(program));
  POD_TRY(check_lists(program));
  POD_TRY(check_entry(program));
  POD_TRY(check_aliases(program));
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const chip_instruction_t *instruction = &program->instructions[i];
    if (instruction->name == NULL || instruction->source == NULL) {
      return BAD("instruction %d has no name", i);
    }
    POD_TRY(pod_status_context(check_instruction(program, instruction),
                               "instruction %d (%s)", i, instruction->name));
  }
  return check_calls(program);
}
