// Packing lends the program's lists to protobuf-c; unpacking gives protobuf-c the
// program's arena, within a budget, and program/check.c judges the result.

#include "server/wire/program.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/wire/types.h"

// --- Packing ---

// Lists are lent to the messages where they lie; protobuf-c only reads what it packs.
Podium__V1__Interface *wire_interface_pack(pod_arena_t *arena,
                                           const chip_interface_t *interface,
                                           const mesh_t *mesh) {
  Podium__V1__Interface *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__interface__init(message);
  message->name = (char *)interface->name;
  message->shape = wire_shape_pack(arena, &interface->shape);
  message->sharding =
      wire_sharding_pack(arena, interface->sharding, interface->sharding->mesh != mesh);
  message->is_host = interface->is_host;
  return message;
}

static Podium__V1__Constant *constant_pack(pod_arena_t *arena,
                                           const chip_constant_t *constant) {
  Podium__V1__Constant *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__constant__init(message);
  message->shape = wire_shape_pack(arena, &constant->shape);
  message->is_splat = constant->is_splat;
  message->data.len = (size_t)constant->size_bytes;
  message->data.data = (uint8_t *)constant->data;
  return message;
}

static Podium__V1__Buffer *buffer_pack(pod_arena_t *arena, const chip_buffer_t *buffer) {
  Podium__V1__Buffer *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__buffer__init(message);
  message->kind = (Podium__V1__Buffer__Kind)buffer->kind;
  message->index = buffer->index;
  message->offset = buffer->offset;
  message->shape = wire_shape_pack(arena, &buffer->shape);
  return message;
}

static Podium__V1__Instruction *instruction_pack(pod_arena_t *arena,
                                                 const chip_instruction_t *instruction) {
  Podium__V1__Instruction *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__instruction__init(message);
  message->op = (int32_t)instruction->op;
  message->n_operands = (size_t)instruction->operand_count;
  message->operands = (int32_t *)instruction->operands;
  message->n_results = (size_t)instruction->result_count;
  message->results = (int32_t *)instruction->results;
  message->n_calls = (size_t)instruction->call_count;
  message->calls = (int32_t *)instruction->calls;
  message->name = (char *)instruction->name;
  message->source = (char *)instruction->source;
  message->n_attributes = (size_t)instruction->attr_count;
  message->attributes =
      pod_arena_array(arena, message->n_attributes, sizeof(*message->attributes));
  for (size_t i = 0; i < message->n_attributes; i++) {
    Podium__V1__InstructionAttribute *attribute =
        pod_arena_alloc(arena, sizeof(*attribute));
    podium__v1__instruction_attribute__init(attribute);
    attribute->key = (int32_t)instruction->attrs[i].key;
    attribute->n_values = (size_t)instruction->attrs[i].count;
    attribute->values = (int64_t *)instruction->attrs[i].values;
    message->attributes[i] = attribute;
  }
  return message;
}

static Podium__V1__Computation *computation_pack(pod_arena_t *arena,
                                                 const chip_computation_t *computation) {
  Podium__V1__Computation *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__computation__init(message);
  message->name = (char *)computation->name;
  message->n_parameters = (size_t)computation->parameter_count;
  message->parameters = (int32_t *)computation->parameters;
  message->n_results = (size_t)computation->result_count;
  message->results = (int32_t *)computation->results;
  message->first_instruction = computation->first_instruction;
  message->instruction_count = computation->instruction_count;
  return message;
}

Podium__V1__Alias *wire_alias_pack(pod_arena_t *arena, const chip_alias_t *alias) {
  Podium__V1__Alias *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__alias__init(message);
  message->argument = alias->argument;
  message->result = alias->result;
  return message;
}

static Podium__V1__Interface **interfaces_pack(pod_arena_t *arena, const mesh_t *mesh,
                                               int32_t count,
                                               const chip_interface_t *interfaces,
                                               size_t *out_count) {
  Podium__V1__Interface **messages =
      pod_arena_array(arena, (size_t)count, sizeof(*messages));
  for (int32_t i = 0; i < count; i++) {
    messages[i] = wire_interface_pack(arena, &interfaces[i], mesh);
  }
  *out_count = (size_t)count;
  return messages;
}

// Fills message->n_field and message->field from program->count elements of
// program->list.
#define PACK_LIST(field, count, list, pack)                                      \
  do {                                                                           \
    message->n_##field = (size_t)program->count;                                 \
    message->field = pod_arena_array(arena, message->n_##field, sizeof(void *)); \
    for (size_t i = 0; i < message->n_##field; i++) {                            \
      message->field[i] = pack(arena, &program->list[i]);                        \
    }                                                                            \
  } while (0)

static Podium__V1__HbmSizes *hbm_pack(pod_arena_t *arena, const chip_memory_t *memory) {
  Podium__V1__HbmSizes *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__hbm_sizes__init(message);
  message->argument_bytes = memory->argument_bytes;
  message->output_bytes = memory->output_bytes;
  message->alias_bytes = memory->alias_bytes;
  message->temp_bytes = memory->temp_bytes;
  message->code_bytes = memory->code_bytes;
  return message;
}

static Podium__V1__Program *program_pack(pod_arena_t *arena,
                                         const chip_program_t *program) {
  Podium__V1__Program *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__program__init(message);
  message->name = (char *)program->name;
  message->mesh = wire_mesh_pack(arena, program->mesh);
  message->arguments = interfaces_pack(arena, program->mesh, program->argument_count,
                                       program->arguments, &message->n_arguments);
  message->results = interfaces_pack(arena, program->mesh, program->result_count,
                                     program->results, &message->n_results);
  PACK_LIST(aliases, alias_count, aliases, wire_alias_pack);
  PACK_LIST(constants, constant_count, constants, constant_pack);
  PACK_LIST(buffers, buffer_count, buffers, buffer_pack);
  PACK_LIST(instructions, instruction_count, instructions, instruction_pack);
  PACK_LIST(computations, computation_count, computations, computation_pack);
  message->entry = program->entry;
  message->temp_bytes = program->temp_bytes;
  message->argument_bytes = program->argument_bytes;
  message->result_bytes = program->result_bytes;
  message->constant_bytes = program->constant_bytes;
  message->alias_bytes = program->alias_bytes;
  message->host_temp_bytes = program->host_temp_bytes;
  message->host_argument_bytes = program->host_argument_bytes;
  message->host_result_bytes = program->host_result_bytes;
  message->host_alias_bytes = program->host_alias_bytes;
  message->hbm = program->memory.is_counted ? hbm_pack(arena, &program->memory) : NULL;
  return message;
}

#undef PACK_LIST

pod_status_t wire_program_pack(const chip_program_t *program, uint8_t **out_bytes,
                               size_t *out_size_bytes) {
  pod_arena_t *arena = pod_arena_create();
  pod_status_t status = NULL;
  const Podium__V1__Program *message = program_pack(arena, program);
  const size_t size_bytes = podium__v1__program__get_packed_size(message);
  if (size_bytes > (size_t)WIRE_PROGRAM_BYTES_MAX) {
    status =
        pod_error(POD_RESOURCE_EXHAUSTED,
                  "program %s takes %zu bytes, at most %lld can be sent to a worker; "
                  "pass large constants as arguments",
                  program->name, size_bytes, (long long)WIRE_PROGRAM_BYTES_MAX);
    goto cleanup;
  }
  uint8_t *bytes = malloc(size_bytes == 0 ? 1 : size_bytes);
  if (bytes == NULL) {
    status = pod_error(POD_RESOURCE_EXHAUSTED,
                       "host memory: program %s needs %zu bytes to be packed",
                       program->name, size_bytes);
    goto cleanup;
  }
  podium__v1__program__pack(message, bytes);
  *out_bytes = bytes;
  *out_size_bytes = size_bytes;

cleanup:
  pod_arena_destroy(arena);
  return status;
}

// --- Unpacking ---

// Gives protobuf-c memory of the program's arena, so that lists, names and constants are
// used where they were decoded. What a message of a few bytes decodes to is far larger
// than it; the budget keeps a peer from asking for any amount of memory that way.
typedef struct {
  pod_arena_t *arena;
  size_t left_bytes;
} arena_allocator_t;

enum { UNPACK_BUDGET_BASE = 16 << 20, UNPACK_BUDGET_FACTOR = 24, LARGE_BYTES = 4096 };

static void *align_up(void *memory) {
  const uintptr_t mask = WIRE_CONSTANT_ALIGNMENT - 1;
  return (char *)memory + ((~(uintptr_t)memory + 1) & mask);
}

static void *arena_allocator_alloc(void *context, size_t size_bytes) {
  arena_allocator_t *allocator = context;
  if (size_bytes > allocator->left_bytes) {
    return NULL;
  }
  allocator->left_bytes -= size_bytes;
  if (size_bytes < LARGE_BYTES) {
    return pod_arena_alloc(allocator->arena, size_bytes);
  }
  return align_up(
      pod_arena_alloc(allocator->arena, size_bytes + WIRE_CONSTANT_ALIGNMENT));
}

static void arena_allocator_free(void *context, void *memory) {
  (void)context;
  (void)memory;
}

pod_status_t wire_interface_unpack(const Podium__V1__Interface *message,
                                   const chip_program_t *program, chip_interface_t *out) {
  out->name = message->name;
  out->is_host = message->is_host;
  POD_TRY(wire_shape_unpack(message->shape, &out->shape));
  POD_TRY(wire_sharding_unpack(message->sharding, program->arena, program->mesh,
                               &out->shape, &out->sharding));
  if (out->sharding->mesh->device_count != program->mesh->device_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s of the program is sharded over %lld devices, the program runs "
                     "on %lld",
                     message->name, (long long)out->sharding->mesh->device_count,
                     (long long)program->mesh->device_count);
  }
  return NULL;
}

static pod_status_t constant_unpack(const Podium__V1__Constant *message,
                                    chip_program_t *program, chip_constant_t *out) {
  POD_TRY(wire_shape_unpack(message->shape, &out->shape));
  out->is_splat = message->is_splat;
  out->size_bytes = (int64_t)message->data.len;
  const int64_t expected_bytes = message->is_splat
                                     ? (int64_t)tensor_dtype_bytes(out->shape.dtype)
                                     : tensor_shape_bytes(&out->shape);
  if (out->size_bytes != expected_bytes) {
    return pod_error(POD_INVALID_ARGUMENT, "its shape needs %lld bytes, it has %lld",
                     (long long)expected_bytes, (long long)out->size_bytes);
  }
  out->data = message->data.data;
  if ((uintptr_t)out->data % WIRE_CONSTANT_ALIGNMENT != 0 || out->size_bytes == 0) {
    void *data = align_up(
        pod_arena_alloc(program->arena, message->data.len + WIRE_CONSTANT_ALIGNMENT));
    if (message->data.len != 0) {
      memcpy(data, message->data.data, message->data.len);
    }
    out->data = data;
  }
  return NULL;
}

static pod_status_t buffer_unpack(const Podium__V1__Buffer *message,
                                  chip_program_t *program, chip_buffer_t *out) {
  (void)program;
  if ((int)message->kind < CHIP_BUFFER_TEMP ||
      (int)message->kind > CHIP_BUFFER_CONSTANT) {
    return pod_error(POD_INVALID_ARGUMENT, "kind %d does not exist", (int)message->kind);
  }
  out->kind = (chip_buffer_kind_t)message->kind;
  out->index = message->index;
  out->offset = message->offset;
  return wire_shape_unpack(message->shape, &out->shape);
}

static pod_status_t check_counts(const char *name, const size_t *counts, int count) {
  for (int i = 0; i < count; i++) {
    if (counts[i] > CHIP_BUFFERS_MAX) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "\"%s\" has a list of %zu entries, at most %d are possible", name,
                       counts[i], CHIP_BUFFERS_MAX);
    }
  }
  return NULL;
}

static pod_status_t instruction_unpack(const Podium__V1__Instruction *message,
                                       chip_program_t *program, chip_instruction_t *out) {
  const size_t counts[] = {message->n_operands, message->n_results, message->n_calls,
                           message->n_attributes};
  POD_TRY(check_counts(message->name, counts, POD_COUNT_OF(counts)));
  if (message->op <= CHIP_OP_INVALID || message->op >= CHIP_OP_COUNT) {
    return pod_error(POD_INVALID_ARGUMENT, "\"%s\" is operation %d, which does not exist",
                     message->name, message->op);
  }
  chip_attr_t *attrs =
      pod_arena_array(program->arena, message->n_attributes, sizeof(*attrs));
  for (size_t i = 0; i < message->n_attributes; i++) {
    const Podium__V1__InstructionAttribute *attribute = message->attributes[i];
    POD_TRY(check_counts(message->name, &attribute->n_values, 1));
    if (attribute->key <= CHIP_ATTR_INVALID || attribute->key >= CHIP_ATTR_KEY_COUNT) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "\"%s\" has attribute %d, which does not exist", message->name,
                       attribute->key);
    }
    attrs[i] = (chip_attr_t){.key = (chip_attr_key_t)attribute->key,
                             .count = (int32_t)attribute->n_values,
                             .values = attribute->values};
  }
  *out = (chip_instruction_t){
      .op = (chip_op_t)message->op,
      .operand_count = (int32_t)message->n_operands,
      .result_count = (int32_t)message->n_results,
      .attr_count = (int32_t)message->n_attributes,
      .call_count = (int32_t)message->n_calls,
      .operands = message->operands,
      .results = message->results,
      .attrs = attrs,
      .calls = message->calls,
      .name = message->name,
      .source = message->source,
  };
  return NULL;
}

static pod_status_t computation_unpack(const Podium__V1__Computation *message,
                                       chip_program_t *program, chip_computation_t *out) {
  (void)program;
  const size_t counts[] = {message->n_parameters, message->n_results};
  POD_TRY(check_counts(message->name, counts, POD_COUNT_OF(counts)));
  *out = (chip_computation_t){
      .name = message->name,
      .parameter_count = (int32_t)message->n_parameters,
      .result_count = (int32_t)message->n_results,
      .parameters = message->parameters,
      .results = message->results,
      .first_instruction = message->first_instruction,
      .instruction_count = message->instruction_count,
  };
  return NULL;
}

static pod_status_t alias_unpack(const Podium__V1__Alias *message,
                                 const chip_program_t *program, chip_alias_t *out) {
  (void)program;
  *out = (chip_alias_t){.argument = message->argument, .result = message->result};
  return NULL;
}

// Fills program->list and program->count from message->field; `type` is an element's.
#define UNPACK_LIST(type, field, count, list, unpack, most)                        \
  do {                                                                             \
    if (message->n_##field > (most)) {                                             \
      return pod_error(POD_INVALID_ARGUMENT,                                       \
                       "the program has %zu " #field ", at most %d are possible",  \
                       message->n_##field, (int)(most));                           \
    }                                                                              \
    type *elements =                                                               \
        pod_arena_array(program->arena, message->n_##field, sizeof(*elements));    \
    for (size_t i = 0; i < message->n_##field; i++) {                              \
      POD_TRY(pod_status_context(unpack(message->field[i], program, &elements[i]), \
                                 #field " [%zu]", i));                             \
    }                                                                              \
    program->list = elements;                                                      \
    program->count = (int32_t)message->n_##field;                                  \
  } while (0)

static pod_status_t program_unpack(const Podium__V1__Program *message,
                                   chip_program_t *program) {
  program->name = message->name;
  POD_TRY(wire_mesh_unpack(message->mesh, program->arena, &program->mesh));
  UNPACK_LIST(chip_interface_t, arguments, argument_count, arguments,
              wire_interface_unpack, CHIP_INTERFACES_MAX);
  UNPACK_LIST(chip_interface_t, results, result_count, results, wire_interface_unpack,
              CHIP_INTERFACES_MAX);
  UNPACK_LIST(chip_alias_t, aliases, alias_count, aliases, alias_unpack,
              CHIP_INTERFACES_MAX);
  UNPACK_LIST(chip_constant_t, constants, constant_count, constants, constant_unpack,
              CHIP_BUFFERS_MAX);
  UNPACK_LIST(chip_buffer_t, buffers, buffer_count, buffers, buffer_unpack,
              CHIP_BUFFERS_MAX);
  UNPACK_LIST(chip_instruction_t, instructions, instruction_count, instructions,
              instruction_unpack, CHIP_INSTRUCTIONS_MAX);
  UNPACK_LIST(chip_computation_t, computations, computation_count, computations,
              computation_unpack, CHIP_COMPUTATIONS_MAX);
  program->entry = message->entry;
  program->temp_bytes = message->temp_bytes;
  program->argument_bytes = message->argument_bytes;
  program->result_bytes = message->result_bytes;
  program->constant_bytes = message->constant_bytes;
  program->alias_bytes = message->alias_bytes;
  program->host_temp_bytes = message->host_temp_bytes;
  program->host_argument_bytes = message->host_argument_bytes;
  program->host_result_bytes = message->host_result_bytes;
  program->host_alias_bytes = message->host_alias_bytes;
  if (message->hbm != NULL) {
    program->memory = (chip_memory_t){.is_counted = true,
                                      .argument_bytes = message->hbm->argument_bytes,
                                      .output_bytes = message->hbm->output_bytes,
                                      .alias_bytes = message->hbm->alias_bytes,
                                      .temp_bytes = message->hbm->temp_bytes,
                                      .code_bytes = message->hbm->code_bytes};
  }
  return chip_program_check(program);
}

#undef UNPACK_LIST

pod_status_t wire_program_unpack(const void *bytes, size_t size_bytes,
                                 chip_program_t **out_program) {
  if (size_bytes > (size_t)WIRE_PROGRAM_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a packed program of %zu bytes; at most %lld are possible",
                     size_bytes, (long long)WIRE_PROGRAM_BYTES_MAX);
  }
  pod_arena_t *arena = pod_arena_create();
  chip_program_t *program = pod_arena_alloc(arena, sizeof(*program));
  program->arena = arena;
  arena_allocator_t memory = {
      arena, UNPACK_BUDGET_BASE + size_bytes * (size_t)UNPACK_BUDGET_FACTOR};
  ProtobufCAllocator allocator = {.alloc = arena_allocator_alloc,
                                  .free = arena_allocator_free,
                                  .allocator_data = &memory};
  const Podium__V1__Program *message =
      podium__v1__program__unpack(&allocator, size_bytes, bytes);
  const pod_status_t status =
      message == NULL
          ? pod_error(POD_INVALID_ARGUMENT,
                      "%zu bytes do not decode as a podium.v1.Program", size_bytes)
          : program_unpack(message, program);
  if (status != NULL) {
    chip_program_destroy(program);
    return pod_status_context(status, "a program from the coordinator");
  }
  *out_program = program;
  return NULL;
}

// --- For readers of profiles ---

Podium__V1__InstructionInfo *wire_instruction_info_pack(pod_arena_t *arena,
                                                        const chip_program_t *program,
                                                        int32_t instruction) {
  const chip_instruction_t *source = &program->instructions[instruction];
  Podium__V1__InstructionInfo *message = pod_arena_alloc(arena, sizeof(*message));
  podium__v1__instruction_info__init(message);
  message->index = instruction;
  message->name = (char *)source->name;
  message->op = (char *)chip_op_short_name(source->op);
  message->source = (char *)source->source;
  message->is_collective = chip_op_is_collective(source->op);
  if (source->result_count > 0) {
    pod_text_t shape = {0};
    tensor_shape_print(&shape, &program->buffers[source->results[0]].shape);
    message->shape = pod_arena_strdup(arena, shape.bytes);
    pod_text_deinit(&shape);
  }
  return message;
}
