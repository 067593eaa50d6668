// First what is known at a glance, then what to do, then the buffers: who reads only the
// beginning has read what matters.

#include "server/compiler/schedule/memory_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/tensor/tiles.h"

enum { SHOWN_MAX = 10, NAME_BYTES_MAX = 160 };

static void add_size(pod_text_t *text, int64_t bytes) {
  pod_text_add_size(text, (unsigned long long)bytes);
}

// --- The whole ---

static void report_total(pod_text_t *text, const memory_t *memory,
                         const chip_spec_t *spec, const char *name) {
  const chip_memory_t *total = &memory->total;
  const int64_t used = chip_memory_hbm_bytes(total);
  pod_text_add(text, "Ran out of memory in memory space hbm. Used ");
  add_size(text, used);
  pod_text_add(text, " of ");
  add_size(text, chip_spec_hbm_usable_bytes(spec));
  pod_text_add(text, " hbm. Exceeded hbm capacity by ");
  add_size(text, used - chip_spec_hbm_usable_bytes(spec));
  pod_text_printf(text, ".\n%s needs ", name);
  add_size(text, used);
  pod_text_add(text, " of HBM per chip (");
  add_size(text, total->argument_bytes);
  pod_text_add(text, " of arguments, ");
  add_size(text, total->output_bytes - total->alias_bytes);
  pod_text_add(text, " of results");
  if (total->alias_bytes > 0) {
    pod_text_add(text, " beside ");
    add_size(text, total->alias_bytes);
    pod_text_add(text, " in donated arguments");
  }
  pod_text_add(text, ", ");
  add_size(text, total->code_bytes);
  pod_text_add(text, " of constants, ");
  add_size(text, total->temp_bytes);
  pod_text_printf(text, " of temporaries); a %s has ", spec->name);
  add_size(text, chip_spec_hbm_usable_bytes(spec));
  if (spec->hbm_reserved_bytes > 0) {
    pod_text_add(text, " beside ");
    add_size(text, spec->hbm_reserved_bytes);
    pod_text_add(text, " that are reserved");
  }
}

// --- What to do ---

// Results that could lie in arguments which are not donated: each with the first of as
// many bytes and the same type that is free.
static int64_t donatable_bytes(const memory_t *memory) {
  const lower_t *lower = &memory->lower;
  const mlir_block_t *block = mlir_op_block(lower->main, 0);
  bool *is_taken = pod_alloc((size_t)block->argument_count + 1);
  int64_t bytes = 0;
  for (int r = 0; r < block->last->operand_count; r++) {
    const tensor_shape_t *result = &block->last->operands[r]->type->shape;
    for (int a = 0; a < block->argument_count && lower->donation.argument_of[r] < 0;
         a++) {
      const tensor_shape_t *argument = &block->arguments[a]->type->shape;
      const bool is_near = !memory_is_on_host(lower, block->arguments[a]) &&
                           !memory_is_on_host(lower, block->last->operands[r]);
      if (!is_taken[a] && is_near && lower->donation.result_of[a] < 0 &&
          tensor_shape_equal(argument, result)) {
        is_taken[a] = true;
        bytes += tensor_tiled_bytes(result);
        break;
      }
    }
  }
  free(is_taken);
  return bytes;
}

static void report_advice(pod_text_t *text, const memory_t *memory,
                          const chip_spec_t *spec) {
  enum {
    SMALL = 100
  };  // Advice that saves less than this part of what is missing: none.
  const chip_memory_t *total = &memory->total;
  const int64_t missing = chip_memory_hbm_bytes(total) - chip_spec_hbm_usable_bytes(spec);
  const int64_t fixed = chip_memory_hbm_bytes(total) - total->temp_bytes;
  pod_text_add(text, "\n\nWhat may help:\n");
  if (fixed < chip_spec_hbm_usable_bytes(spec) && total->temp_bytes > 0) {
    const double share =
        (double)(chip_spec_hbm_usable_bytes(spec) - fixed) / (double)total->temp_bytes;
    pod_text_printf(
        text,
        "  - it fits when the temporaries shrink to %.0f %%: about that part of "
        "the batch (podium simulate --fit finds it), or jax.checkpoint around "
        "a layer, so that less is kept for the backward pass\n",
        floor(100 * share));
  } else {
    pod_text_add(
        text,
        "  - arguments and results alone do not fit, whatever lies between: make "
        "them smaller (a batch that is among them), lay them over more chips, or "
        "offload some to pinned_host\n");
  }
  const int64_t donatable = donatable_bytes(memory);
  if (donatable > missing / SMALL) {
    pod_text_add(text,
                 "  - donating arguments (donate_argnums) whose results are of the "
                 "same type saves ");
    add_size(text, donatable);
    pod_text_add(text, "\n");
  }
}

// --- Buffers ---

static int64_t unpadded_bytes(const tensor_shape_t *shape) {
  const int64_t bits = (int64_t)tensor_dtype_device_bits(shape->dtype);
  const int64_t elements = tensor_shape_elements(shape);
  return bits % 8 == 0 ? elements * (bits / 8) : (elements * bits + 7) / 8;
}

static void report_operator(pod_text_t *text, const memory_t *memory,
                            const memory_buffer_t *buffer) {
  mlir_module_t *module = memory->lower.module;
  const mlir_block_t *block = mlir_op_block(memory->lower.main, 0);
  if (buffer->kind == CHIP_BUFFER_ARGUMENT) {
    const char *name = block->arguments[buffer->index]->name;
    pod_text_printf(text, "     Argument: %" PRId32, buffer->index);
    if (name != NULL) {
      pod_text_printf(text, " (%.*s)", (int)NAME_BYTES_MAX, name);
    }
    pod_text_add(text, "\n");
    return;
  }
  if (buffer->op == NULL) {
    return;
  }
  const mlir_attr_t *name = mlir_location_name(buffer->op->location);
  const char *type = strchr(buffer->op->name, '.');
  pod_text_printf(text, "     Operator: op_type=\"%s\"",
                  type == NULL ? buffer->op->name : type + 1);
  if (name != NULL) {
    pod_text_printf(text, " op_name=\"%.*s\"", (int)NAME_BYTES_MAX, name->text);
  }
  const char *source = mlir_op_source(module, buffer->op);
  if (source[0] != '\0') {
    pod_text_printf(text, " source=\"%.*s\"", (int)NAME_BYTES_MAX, source);
  }
  pod_text_add(text, "\n");
}

static void report_buffer(pod_text_t *text, const memory_t *memory,
                          const memory_buffer_t *buffer, int32_t number) {
  static const char *const kinds[] = {[CHIP_BUFFER_TEMP] = "HLO temp",
                                      [CHIP_BUFFER_ARGUMENT] = "argument",
                                      [CHIP_BUFFER_RESULT] = "output"};
  const int64_t unpadded = unpadded_bytes(buffer->shape);
  pod_text_printf(text, "  %" PRId32 ". Size: ", number);
  add_size(text, buffer->size_bytes);
  pod_text_add(text, "\n");
  report_operator(text, memory, buffer);
  pod_text_add(text, "     Shape: ");
  tensor_shape_print(text, buffer->shape);
  tensor_layout_print(text, buffer->shape);
  pod_text_add(text, "\n     Unpadded size: ");
  add_size(text, unpadded);
  pod_text_add(text, "\n");
  if (buffer->size_bytes > unpadded && unpadded > 0) {
    pod_text_add(text, "     Extra memory due to padding: ");
    add_size(text, buffer->size_bytes - unpadded);
    pod_text_printf(text, " (%.1fx expansion)\n",
                    (double)buffer->size_bytes / (double)unpadded);
  }
  pod_text_printf(text, "     Allocation type: %s\n", kinds[buffer->kind]);
}

void memory_report(pod_text_t *text, const memory_t *memory, const chip_spec_t *spec,
                   const char *name) {
  report_total(text, memory, spec, name);
  report_advice(text, memory, spec);
  int32_t count;
  memory_buffer_t *list = memory_list(memory, &count);
  pod_text_add(text,
               "\nLargest program allocations in hbm, of what is alive at the peak:\n");
  for (int32_t i = 0; i < count && i < SHOWN_MAX; i++) {
    report_buffer(text, memory, &list[i], i + 1);
  }
  free(list);
}
