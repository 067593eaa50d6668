// An instruction a line, in the manner of HLO text.

#include <inttypes.h>

#include "server/program/program.h"

static const char *const attr_names[CHIP_ATTR_KEY_COUNT] = {
    [CHIP_ATTR_INVALID] = "invalid",
    [CHIP_ATTR_DIMENSIONS] = "dimensions",
    [CHIP_ATTR_DIMENSION] = "dimension",
    [CHIP_ATTR_START_INDICES] = "start_indices",
    [CHIP_ATTR_LIMIT_INDICES] = "limit_indices",
    [CHIP_ATTR_STRIDES] = "strides",
    [CHIP_ATTR_SLICE_SIZES] = "slice_sizes",
    [CHIP_ATTR_EDGE_PADDING_LOW] = "edge_padding_low",
    [CHIP_ATTR_EDGE_PADDING_HIGH] = "edge_padding_high",
    [CHIP_ATTR_INTERIOR_PADDING] = "interior_padding",
    [CHIP_ATTR_LHS_BATCHING_DIMENSIONS] = "lhs_batching_dimensions",
    [CHIP_ATTR_RHS_BATCHING_DIMENSIONS] = "rhs_batching_dimensions",
    [CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS] = "lhs_contracting_dimensions",
    [CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS] = "rhs_contracting_dimensions",
    [CHIP_ATTR_PRECISION] = "precision",
    [CHIP_ATTR_COMPARISON_DIRECTION] = "comparison_direction",
    [CHIP_ATTR_COMPARE_TYPE] = "compare_type",
    [CHIP_ATTR_REDUCER] = "reducer",
    [CHIP_ATTR_REPLICA_GROUPS] = "replica_groups",
    [CHIP_ATTR_GROUP_SIZE] = "group_size",
    [CHIP_ATTR_SOURCE_TARGET_PAIRS] = "source_target_pairs",
    [CHIP_ATTR_SPLIT_DIMENSION] = "split_dimension",
    [CHIP_ATTR_CONCAT_DIMENSION] = "concat_dimension",
    [CHIP_ATTR_SPLIT_COUNT] = "split_count",
    [CHIP_ATTR_CHANNEL] = "channel",
    [CHIP_ATTR_WINDOW_DIMS] = "window_dims",
    [CHIP_ATTR_DROPPED_DIMS] = "dropped_dims",
    [CHIP_ATTR_ARRAY_BATCHING_DIMS] = "array_batching_dims",
    [CHIP_ATTR_INDICES_BATCHING_DIMS] = "indices_batching_dims",
    [CHIP_ATTR_INDEX_MAP] = "index_map",
    [CHIP_ATTR_INDEX_VECTOR_DIM] = "index_vector_dim",
    [CHIP_ATTR_WINDOW_DIMENSIONS] = "window_dimensions",
    [CHIP_ATTR_BASE_DILATIONS] = "base_dilations",
    [CHIP_ATTR_WINDOW_DILATIONS] = "window_dilations",
    [CHIP_ATTR_WINDOW_REVERSAL] = "window_reversal",
    [CHIP_ATTR_INPUT_DIMS] = "input_dims",
    [CHIP_ATTR_KERNEL_DIMS] = "kernel_dims",
    [CHIP_ATTR_OUTPUT_DIMS] = "output_dims",
    [CHIP_ATTR_FEATURE_GROUP_COUNT] = "feature_group_count",
    [CHIP_ATTR_BATCH_GROUP_COUNT] = "batch_group_count",
    [CHIP_ATTR_EXPONENT_BITS] = "exponent_bits",
    [CHIP_ATTR_MANTISSA_BITS] = "mantissa_bits",
    [CHIP_ATTR_FFT_TYPE] = "fft_type",
    [CHIP_ATTR_FFT_LENGTH] = "fft_length",
    [CHIP_ATTR_LEFT_SIDE] = "left_side",
    [CHIP_ATTR_LOWER] = "lower",
    [CHIP_ATTR_UNIT_DIAGONAL] = "unit_diagonal",
    [CHIP_ATTR_TRANSPOSE_A] = "transpose_a",
    [CHIP_ATTR_RNG_ALGORITHM] = "rng_algorithm",
    [CHIP_ATTR_TOLERANCE] = "tolerance",
    [CHIP_ATTR_ULP_MIN] = "ulp_min",
    [CHIP_ATTR_ULP_MAX] = "ulp_max",
    [CHIP_ATTR_COLLECTIVE_ALGORITHM] = "collective_algorithm",
};

// Replica groups of a large pod would fill pages.
enum { VALUES_SHOWN_MAX = 64 };

static const char *attr_name(chip_attr_key_t key) {
  return (unsigned)key < CHIP_ATTR_KEY_COUNT ? attr_names[key] : "unknown";
}

static void print_attr(pod_text_t *text, const chip_attr_t *attr) {
  pod_text_printf(text, "%s=[", attr_name(attr->key));
  for (int32_t i = 0; i < attr->count && i < VALUES_SHOWN_MAX; i++) {
    pod_text_printf(text, "%s%" PRId64, i > 0 ? "," : "", attr->values[i]);
  }
  pod_text_add(text, attr->count > VALUES_SHOWN_MAX ? ",…]" : "]");
}

// "bf16[4,1024] temp+4096" or "bf16[4,1024] argument 1".
static void print_buffer(pod_text_t *text, const chip_program_t *program, int32_t index) {
  static const char *const kinds[] = {"temp", "argument", "result", "constant"};
  const chip_buffer_t *buffer = &program->buffers[index];
  pod_text_printf(text, "%%%d ", index);
  tensor_shape_print(text, &buffer->shape);
  if (buffer->kind == CHIP_BUFFER_TEMP) {
    pod_text_printf(text, " temp+%" PRId64, buffer->offset);
  } else {
    pod_text_printf(text, " %s %d", kinds[buffer->kind], buffer->index);
  }
}

static void print_buffers(pod_text_t *text, const chip_program_t *program, int32_t count,
                          const int32_t *indexes) {
  for (int32_t i = 0; i < count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    print_buffer(text, program, indexes[i]);
  }
}

static void print_instruction(pod_text_t *text, const chip_program_t *program,
                              const chip_instruction_t *instruction) {
  pod_text_printf(text, "  %s: ", instruction->name);
  print_buffers(text, program, instruction->result_count, instruction->results);
  pod_text_printf(text, "%s%s(", instruction->result_count > 0 ? " = " : "",
                  chip_op_short_name(instruction->op));
  print_buffers(text, program, instruction->operand_count, instruction->operands);
  pod_text_add(text, ")");
  for (int32_t i = 0; i < instruction->attr_count; i++) {
    pod_text_add(text, i == 0 ? " {" : ", ");
    print_attr(text, &instruction->attrs[i]);
  }
  pod_text_add(text, instruction->attr_count > 0 ? "}" : "");
  for (int32_t i = 0; i < instruction->call_count; i++) {
    pod_text_printf(text, "%s@%s", i == 0 ? " calls " : ", ",
                    program->computations[instruction->calls[i]].name);
  }
  if (instruction->source[0] != '\0') {
    pod_text_printf(text, "  // %s", instruction->source);
  }
  pod_text_add(text, "\n");
}

static void print_computation(pod_text_t *text, const chip_program_t *program,
                              int32_t index) {
  const chip_computation_t *computation = &program->computations[index];
  pod_text_printf(text, "%s@%s(", index == program->entry ? "entry " : "",
                  computation->name);
  print_buffers(text, program, computation->parameter_count, computation->parameters);
  pod_text_add(text, ") {\n");
  for (int32_t i = 0; i < computation->instruction_count; i++) {
    print_instruction(text, program,
                      &program->instructions[computation->first_instruction + i]);
  }
  pod_text_add(text, "  return ");
  print_buffers(text, program, computation->result_count, computation->results);
  pod_text_add(text, "\n}\n");
}

void chip_program_print(pod_text_t *text, const chip_program_t *program) {
  pod_text_printf(text, "program %s on %" PRId64 " chips, temporaries ", program->name,
                  program->mesh->device_count);
  pod_text_add_size(text, (unsigned long long)program->temp_bytes);
  const int64_t host_bytes = chip_program_host_bytes(program);
  if (host_bytes > 0) {
    pod_text_add(text, ", in the host's memory ");
    pod_text_add_size(text, (unsigned long long)host_bytes);
  }
  for (int32_t i = 0; i < program->alias_count; i++) {
    pod_text_printf(text, ", argument %" PRId32 " lies in result %" PRId32,
                    program->aliases[i].argument, program->aliases[i].result);
  }
  pod_text_add(text, "\n");
  for (int32_t i = 0; i < program->computation_count; i++) {
    print_computation(text, program, i);
  }
}

static void print_count(pod_text_t *text, const char *name, int64_t count) {
  if (count != 0) {
    pod_text_printf(text, ", %s %" PRId64, name, count);
  }
}

static void print_task(pod_text_t *text, const chip_program_t *program,
                       const chip_task_t *task) {
  pod_text_printf(text, "  %s: %s", task->name, chip_task_kind_name(task->kind));
  const char *own = program->instructions[task->instruction].name;
  if (task->member_count == 0) {
    pod_text_printf(text, " for %s", own);
  }
  for (int32_t i = 0; i < task->member_count && task->member_count > 1; i++) {
    const int32_t member = program->task_members[task->first_member + i];
    pod_text_printf(text, "%s%s", i == 0 ? " of " : " ",
                    program->instructions[member].name);
  }
  const chip_work_t *work = &task->work;
  print_count(text, "mxu", work->mxu_flop);
  if (work->mxu_busy_flop != work->mxu_flop) {
    print_count(text, "busy", work->mxu_busy_flop);
  }
  print_count(text, "again", work->recomputed_flop > 0 ? work->recomputed_flop : 0);
  print_count(text, "vpu", work->vpu_op);
  print_count(text, "steps", work->serial_steps);
  print_count(text, "grid_steps", work->grid_steps);
  print_count(text, "grid_ps", work->grid_ps);
  print_count(text, "host", work->host_bytes);
  print_count(text, "reads", work->hbm_read_bytes);
  print_count(text, "beside", work->epilogue_bytes);
  print_count(text, "writes", work->hbm_written_bytes);
  print_count(text, "vmem", work->vmem_bytes);
  pod_text_add(text, "\n");
}

void chip_program_print_tasks(pod_text_t *text, const chip_program_t *program) {
  for (int32_t c = 0; c < program->computation_count; c++) {
    const chip_computation_t *computation = &program->computations[c];
    if (computation->task_count == 0) {
      continue;
    }
    pod_text_printf(text, "tasks @%s {\n", computation->name);
    for (int32_t i = 0; i < computation->task_count; i++) {
      print_task(text, program, &program->tasks[computation->first_task + i]);
    }
    pod_text_add(text, "}\n");
  }
}
