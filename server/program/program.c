// Look-ups over the lists of a program.

#include "server/program/program.h"

#include "common/tensor/tiles.h"

void chip_program_destroy(chip_program_t *program) {
  if (program != NULL) {
    pod_arena_destroy(program->arena);
  }
}

// Linear: an instruction has at most a handful of attributes.
const int64_t *chip_instruction_attr(const chip_instruction_t *instruction,
                                     chip_attr_key_t key, int32_t *out_count) {
  for (int32_t i = 0; i < instruction->attr_count; i++) {
    if (instruction->attrs[i].key == key) {
      *out_count = instruction->attrs[i].count;
      return instruction->attrs[i].values;
    }
  }
  *out_count = 0;
  return NULL;
}

int64_t chip_instruction_attr_one(const chip_instruction_t *instruction,
                                  chip_attr_key_t key, int64_t otherwise) {
  int32_t count;
  const int64_t *values = chip_instruction_attr(instruction, key, &count);
  return count == 1 ? values[0] : otherwise;
}

bool chip_may_alias(const tensor_shape_t *argument, const tensor_shape_t *result) {
  const size_t from = tensor_dtype_device_bits(argument->dtype),
               to = tensor_dtype_device_bits(result->dtype);
  return tensor_shape_bytes(argument) == tensor_shape_bytes(result) &&
         tensor_tiled_bytes(argument) == tensor_tiled_bytes(result) &&
         (from == to || (from % 8 == 0 && to % 8 == 0));
}

static int64_t saturated_sum(int count, const int64_t *parts) {
  int64_t total = 0;
  for (int i = 0; i < count; i++) {
    if (__builtin_add_overflow(total, parts[i], &total)) {
      return INT64_MAX;
    }
  }
  return total;
}

int64_t chip_memory_hbm_bytes(const chip_memory_t *memory) {
  // What is donated is among the arguments already.
  const int64_t parts[] = {memory->argument_bytes,
                           memory->output_bytes - memory->alias_bytes, memory->code_bytes,
                           memory->temp_bytes};
  return saturated_sum(sizeof(parts) / sizeof(parts[0]), parts);
}

chip_memory_t chip_program_memory(const chip_program_t *program) {
  const chip_memory_t of_host = {.argument_bytes = program->argument_bytes,
                                 .output_bytes = program->result_bytes,
                                 .alias_bytes = program->alias_bytes,
                                 .temp_bytes = program->temp_bytes,
                                 .code_bytes = program->constant_bytes};
  return program->memory.is_counted ? program->memory : of_host;
}

int64_t chip_program_hbm_bytes(const chip_program_t *program) {
  const chip_memory_t memory = chip_program_memory(program);
  return chip_memory_hbm_bytes(&memory);
}

int64_t chip_program_hbm_temp_bytes(const chip_program_t *program) {
  return program->memory.is_counted ? program->memory.temp_bytes : program->temp_bytes;
}

int64_t chip_program_host_bytes(const chip_program_t *program) {
  const int64_t parts[] = {program->host_argument_bytes,
                           program->host_result_bytes - program->host_alias_bytes,
                           program->host_temp_bytes};
  return saturated_sum(sizeof(parts) / sizeof(parts[0]), parts);
}

chip_op_t chip_reducer_op(chip_reducer_t reducer) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
      return CHIP_OP_ADD;
    case CHIP_REDUCER_MULTIPLY:
      return CHIP_OP_MULTIPLY;
    case CHIP_REDUCER_MAXIMUM:
      return CHIP_OP_MAXIMUM;
    case CHIP_REDUCER_MINIMUM:
      return CHIP_OP_MINIMUM;
    case CHIP_REDUCER_AND:
      return CHIP_OP_AND;
    case CHIP_REDUCER_OR:
      return CHIP_OP_OR;
    case CHIP_REDUCER_XOR:
      return CHIP_OP_XOR;
    default:
      return CHIP_OP_INVALID;
  }
}

bool chip_reducer_is_for(chip_reducer_t reducer, tensor_dtype_t dtype) {
  if (chip_reducer_op(reducer) == CHIP_OP_INVALID) {
    return false;
  }
  if (tensor_dtype_is_float(dtype) || tensor_dtype_is_complex(dtype)) {
    return reducer != CHIP_REDUCER_AND && reducer != CHIP_REDUCER_OR &&
           reducer != CHIP_REDUCER_XOR;
  }
  return dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
}

pod_status_t chip_kernel_refusal(const chip_instruction_t *kernel) {
  return pod_error(POD_UNIMPLEMENTED,
                   "%s%s%s: a kernel of the user's, Pallas's machine code for TPUs or a "
                   "custom call, is "
                   "timed here (podium simulate) and not computed; with pallas_call(..., "
                   "interpret=True) JAX lowers one of Pallas to operations that run",
                   kernel->source, kernel->source[0] == '\0' ? "" : ": ", kernel->name);
}

int32_t chip_program_first_kernel(const chip_program_t *program) {
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (program->instructions[i].op == CHIP_OP_KERNEL) {
      return i;
    }
  }
  return CHIP_NONE;
}
