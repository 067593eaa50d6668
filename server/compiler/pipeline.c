// THE list of passes, and what each hands to the next. It tells the story of the
// compiler; README.md explains each chapter.

#include "server/compiler/pipeline.h"

#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/legalize/signature.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/partition/device_order.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/report.h"
#include "server/compiler/schedule/algorithms.h"
#include "server/compiler/schedule/tasks.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"

// Larger constants are left out of the partitioned text, which is for people.
enum { ELEMENTS_SHOWN_MAX = 64 };

static pod_status_t parse(pipeline_t *pipeline) {
  return compiler_parse(pipeline->options->file_name, pipeline->text, pipeline->length,
                        &pipeline->module);
}

static pod_status_t set_arguments(pipeline_t *pipeline) {
  POD_TRY(signature_check_counts(pipeline->module));
  return signature_set_arguments(pipeline->module, pipeline->options->argument_type_count,
                                 pipeline->options->argument_types);
}

static pod_status_t expand(pipeline_t *pipeline) {
  return compiler_expand(pipeline->module);
}

static pod_status_t verify(pipeline_t *pipeline) {
  return compiler_verify(pipeline->module);
}

static pod_status_t inline_calls(pipeline_t *pipeline) {
  return compiler_inline(pipeline->module);
}

static pod_status_t partition(pipeline_t *pipeline) {
  const compiler_options_t *options = pipeline->options;
  int64_t devices;
  POD_TRY(partition_check_device_order(
      pipeline->module, torus_chip_count(&options->torus), options->device_order_count,
      options->device_order, &devices));
  return compiler_partition(pipeline->module, devices, &pipeline->partitioned);
}

static pod_status_t order_devices(pipeline_t *pipeline) {
  const compiler_options_t *options = pipeline->options;
  return partition_set_device_order(&pipeline->partitioned, options->device_order_count,
                                    options->device_order);
}

static pod_status_t simplify(pipeline_t *pipeline) {
  return compiler_simplify(pipeline->partitioned.module);
}

// The partitioner's types are checked like a user's.
static pod_status_t verify_partitioned(pipeline_t *pipeline) {
  return pod_status_context(compiler_verify(pipeline->partitioned.module),
                            "in the partitioned program");
}

static pod_status_t fuse(pipeline_t *pipeline) {
  const compiler_options_t *options = pipeline->options;
  POD_TRY(algorithms_parse(options->algorithms, &pipeline->algorithms));
  pipeline->prices =
      simulator_prices_create(options->spec, &options->torus, pipeline->partitioned.mesh);
  const clusters_clock_t clock = {.spec = options->spec,
                                  .torus = &options->torus,
                                  .algorithms = &pipeline->algorithms,
                                  .prices = pipeline->prices};
  return clusters_create(&pipeline->partitioned, &clock, &pipeline->clusters);
}

static pod_status_t schedule(pipeline_t *pipeline) {
  clusters_schedule(pipeline->clusters);
  return NULL;
}

// What overlaps needs memory of its own. Where that is too much, the order of the program
// has to do.
static pod_status_t lower(pipeline_t *pipeline) {
  POD_TRY(lower_with_notes(&pipeline->partitioned, &pipeline->program, &pipeline->notes));
  if (chip_program_hbm_bytes(pipeline->program) > pipeline->options->spec->hbm_bytes &&
      clusters_is_scheduled(pipeline->clusters)) {
    chip_program_destroy(pipeline->program);
    pipeline->program = NULL;
    clusters_unschedule(pipeline->clusters);
    POD_TRY(
        lower_with_notes(&pipeline->partitioned, &pipeline->program, &pipeline->notes));
  }
  const pod_status_t status = chip_program_check(pipeline->program);
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t internal = pod_error(
      POD_INTERNAL, "the compiler made a program that does not hold together: %s",
      pod_status_message(status));
  pod_status_free(status);
  return internal;
}

static pod_status_t mark_algorithms(pipeline_t *pipeline) {
  algorithms_apply(&pipeline->algorithms, pipeline->program);
  return NULL;
}

static pod_status_t assign_vmem(pipeline_t *pipeline) {
  clusters_assign_vmem(pipeline->clusters);
  return NULL;
}

static pod_status_t emit_tasks(pipeline_t *pipeline) {
  tasks_emit(pipeline->clusters, pipeline->notes.sources, pipeline->program);
  return NULL;
}

// In the program's arena, as all of the result.
static void copy_notes(const lower_notes_t *notes, compiler_result_t *result) {
  pod_arena_t *arena = result->program->arena;
  const char **texts = pod_arena_array(arena, (size_t)notes->count, sizeof(*texts));
  for (int32_t i = 0; i < notes->count; i++) {
    texts[i] = pod_arena_strdup(arena, notes->texts[i]);
  }
  result->note_count = notes->count;
  result->notes = texts;
}

static const char *hex_of(pod_arena_t *arena, const mlir_attr_t *tag) {
  static const char digits[] = "0123456789abcdef";
  char *hex = pod_arena_alloc(arena, 2 * (size_t)tag->length + 1);
  for (int64_t i = 0; i < tag->length; i++) {
    const unsigned char byte = (unsigned char)tag->text[i];
    hex[2 * i] = digits[byte >> 4];
    hex[2 * i + 1] = digits[byte & 15];
  }
  return hex;
}

static void copy_inspections(const compiler_partitioned_t *from,
                             compiler_result_t *result) {
  pod_arena_t *arena = result->program->arena;
  chip_interface_t *list =
      pod_arena_array(arena, (size_t)from->inspection_count, sizeof(*list));
  for (int32_t i = 0; i < from->inspection_count; i++) {
    sharding_t *sharding = sharding_copy(arena, from->inspection_shardings[i]);
    sharding->mesh = result->program->mesh;
    list[i] = (chip_interface_t){.name = hex_of(arena, from->inspection_tags[i]),
                                 .shape = from->inspection_shapes[i],
                                 .sharding = sharding};
  }
  result->inspection_count = from->inspection_count;
  result->inspections = list;
}

static void copy_memory_kinds(const mlir_module_t *module, compiler_result_t *result) {
  pod_arena_t *arena = result->program->arena;
  const int32_t count = result->program->result_count;
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_attr_t *list = main == NULL ? NULL : mlir_op_attr(main, "res_attrs");
  const char **kinds = pod_arena_array(arena, (size_t)count, sizeof(*kinds));
  for (int32_t i = 0; i < count; i++) {
    const mlir_attr_t *attrs =
        mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count ? list->elements[i] : NULL;
    const mlir_attr_t *kind = mlir_attr_is(attrs, MLIR_ATTR_DICTIONARY)
                                  ? mlir_attr_get(attrs, "mhlo.memory_kind")
                                  : NULL;
    kinds[i] =
        mlir_attr_is(kind, MLIR_ATTR_STRING) ? pod_arena_strdup(arena, kind->text) : "";
  }
  result->result_memory_kinds = kinds;
}

static pod_status_t report(pipeline_t *pipeline) {
  chip_program_t *program = pipeline->program;
  compiler_result_t *result = pod_arena_alloc(program->arena, sizeof(*result));
  result->program = program;
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup,
                                        .elide_elements = ELEMENTS_SHOWN_MAX,
                                        .names = true};
  mlir_print(&text, pipeline->partitioned.module, &options);
  result->partitioned_text = pod_arena_strdup(program->arena, text.bytes);
  pod_text_deinit(&text);
  copy_notes(&pipeline->notes, result);
  copy_inspections(&pipeline->partitioned, result);
  copy_memory_kinds(pipeline->partitioned.module, result);
  pipeline->result = result;
  return report_collectives(pipeline->prices, program, pipeline->notes.sources,
                            &result->collective_count, &result->collectives);
}

static pod_status_t check_hbm(pipeline_t *pipeline) {
  const chip_program_t *program = pipeline->program;
  const struct {
    const char *name;
    int64_t bytes;
  } parts[] = {{"arguments", program->argument_bytes},
               {"results", program->result_bytes - program->alias_bytes},
               {"constants", program->constant_bytes},
               {"temporaries", program->temp_bytes}};
  pod_text_t text = {0};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    pod_text_add(&text, i == 0 ? "" : ", ");
    pod_text_add_size(&text, (unsigned long long)parts[i].bytes);
    pod_text_printf(&text, " of %s", parts[i].name);
    if (i == 1 && program->alias_bytes > 0) {
      pod_text_add(&text, " beside ");
      pod_text_add_size(&text, (unsigned long long)program->alias_bytes);
      pod_text_add(&text, " in donated arguments");
    }
  }
  const int64_t total = chip_program_hbm_bytes(program);
  pipeline->result->hbm_peak_bytes = total;
  pod_status_t status = NULL;
  const chip_spec_t *spec = pipeline->options->spec;
  if (total > spec->hbm_bytes) {
    pod_text_t sizes = {0};
    pod_text_add(&sizes, "needs ");
    pod_text_add_size(&sizes, (unsigned long long)total);
    pod_text_printf(&sizes, " of HBM per chip (%s); a %s has ", text.bytes, spec->name);
    pod_text_add_size(&sizes, (unsigned long long)spec->hbm_bytes);
    status = pod_error(POD_RESOURCE_EXHAUSTED, "%s %s", program->name, sizes.bytes);
    pod_text_deinit(&sizes);
  }
  pod_text_deinit(&text);
  return status;
}

// THE list of passes.
static const pipeline_pass_t passes[] = {
    {"parse", parse},
    {"arguments", set_arguments},     // Those the module leaves open get their sizes.
    {"expand", expand},               // Short forms give way to StableHLO.
    {"verify", verify},               // Against the shape rules; finds each row.
    {"inline", inline_calls},         // Only @main is left.
    {"partition", partition},         // Propagates shardings, writes one chip's program.
    {"order", order_devices},         // Which chip is which device, where the user says.
    {"simplify", simplify},           // Dead and double code, identities.
    {"verify", verify_partitioned},   // What the partitioner made.
    {"fuse", fuse},                   // Which operations are one kernel.
    {"schedule", schedule},           // Order; which collectives overlap.
    {"lower", lower},                 // Instructions and buffers.
    {"algorithms", mark_algorithms},  // Of collectives, where the user says so.
    {"VMEM", assign_vmem},            // What stays on the core, what is prefetched.
    {"tasks", emit_tasks},            // What the clock runs.
    {"report", report},               // Text and collectives, for people.
    {"check HBM", check_hbm},         // Whether it fits the chip.
};

const pipeline_pass_t *pipeline_passes(int *out_count) {
  *out_count = (int)(sizeof(passes) / sizeof(passes[0]));
  return passes;
}

pod_status_t pipeline_run(pipeline_t *pipeline) {
  for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
    POD_TRY(passes[i].run(pipeline));
  }
  return NULL;
}

pod_status_t pipeline_run_back_end(pipeline_t *pipeline) {
  POD_TRY(fuse(pipeline));
  POD_TRY(schedule(pipeline));
  POD_TRY(lower(pipeline));
  POD_TRY(assign_vmem(pipeline));
  return emit_tasks(pipeline);
}

void pipeline_deinit(pipeline_t *pipeline) {
  chip_program_destroy(pipeline->program);
  clusters_destroy(pipeline->clusters);
  simulator_prices_destroy(pipeline->prices);
  mlir_module_destroy(pipeline->partitioned.module);
  mlir_module_destroy(pipeline->module);
  *pipeline = (pipeline_t){0};
}
