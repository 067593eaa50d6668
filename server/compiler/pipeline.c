// THE list of passes, and what each hands to the next. It tells the story of the
// compiler; README.md explains each chapter.

#include "server/compiler/pipeline.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/chip/slice.h"
#include "server/compiler/collectives/collectives.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/given.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/legalize/signature.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/pallas/pallas.h"
#include "server/compiler/partition/device_order.h"
#include "server/compiler/partition/manual_mesh.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/partition/propagate_options.h"
#include "server/compiler/partition/values.h"
#include "server/compiler/placement/placement.h"
#include "server/compiler/report.h"
#include "server/compiler/schedule/algorithms.h"
#include "server/compiler/schedule/fit.h"
#include "server/compiler/schedule/memory.h"
#include "server/compiler/schedule/memory_report.h"
#include "server/compiler/schedule/reads_first.h"
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

// What is for fewer chips than there are runs on the first slice of them.
static void choose_slice(pipeline_t *pipeline) {
  const torus_t *torus = &pipeline->options->torus;
  const int64_t count = pipeline->declared_device_count;
  if (count == 0 || count >= torus_chip_count(torus)) {
    return;
  }
  int64_t *order =
      pod_arena_array(pipeline->module->arena, (size_t)count, sizeof(*order));
  torus_slice_t slice = {.origin = {0}};
  if (torus_core_total(torus) == 1 &&
      torus_slice_best(torus, (int32_t)count, slice.size)) {
    torus_slice_chips(torus, &slice, order);
  } else {
    for (int64_t i = 0; i < count; i++) {
      order[i] = i;
    }
  }
  pipeline->device_order_count = count;
  pipeline->device_order = order;
}

static pod_status_t give_shardings(pipeline_t *pipeline) {
  mlir_module_t *module = pipeline->module;
  const char *words = pipeline->options->propagation;
  if (words != NULL && words[0] != '\0') {
    mlir_op_set_attr(module, module->op, mlir_intern(module, PROPAGATION_ATTR),
                     mlir_attr_string(module, words));
  }
  return given_apply(pipeline->module, &pipeline->options->given, &pipeline->given_notes);
}

static pod_status_t name_devices(pipeline_t *pipeline) {
  return manual_mesh_apply(pipeline->module);
}

static pod_status_t count_devices(pipeline_t *pipeline) {
  const compiler_options_t *options = pipeline->options;
  POD_TRY(partition_count_devices(pipeline->module, &pipeline->declared_device_count));
  const int64_t chips = torus_chip_count(&options->torus);
  if (options->given.mesh != NULL && *options->given.mesh != '\0' &&
      pipeline->declared_device_count > chips) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "the mesh %s has %" PRId64 " devices, the pod has %" PRId64
                     " chips: choose a topology with as many, or a smaller mesh",
                     options->given.mesh, pipeline->declared_device_count, chips);
  }
  pipeline->device_order_count = options->device_order_count;
  pipeline->device_order = options->device_order;
  if (options->device_order_count == 0) {
    choose_slice(pipeline);
  }
  return partition_check_device_order(pipeline->module, torus_chip_count(&options->torus),
                                      pipeline->device_order_count,
                                      pipeline->device_order, &pipeline->device_count);
}

// For people alone: the partitioner propagates by itself.
static pod_status_t list_values(pipeline_t *pipeline) {
  if (!pipeline->options->wants_values) {
    return NULL;
  }
  return partition_list_values(pipeline->module, pipeline->device_count,
                               pipeline->module->arena, &pipeline->value_count,
                               &pipeline->values);
}

// What a chip may receive over one link while a collective starts and its first message
// gets to a chip next but one.
static double start_bytes_of(const chip_spec_t *spec) {
  const double start_ps =
      (double)spec->collective_startup_ps + 2 * (double)spec->ici_hop_ps;
  return start_ps * 1e-12 * spec->ici_bytes_per_s;
}

static pod_status_t partition(pipeline_t *pipeline) {
  return compiler_partition_for(pipeline->module, pipeline->device_count,
                                start_bytes_of(pipeline->options->spec),
                                &pipeline->partitioned);
}

static pod_status_t order_devices(pipeline_t *pipeline) {
  return partition_set_device_order(&pipeline->partitioned, pipeline->device_order_count,
                                    pipeline->device_order);
}

static pod_status_t simplify(pipeline_t *pipeline) {
  return compiler_simplify(pipeline->partitioned.module);
}

static pod_status_t place(pipeline_t *pipeline) {
  return compiler_place(pipeline->partitioned.module);
}

// The partitioner's types are checked like a user's.
static pod_status_t verify_partitioned(pipeline_t *pipeline) {
  return pod_status_context(compiler_verify(pipeline->partitioned.module),
                            "in the partitioned program");
}

static pod_status_t time_kernels(pipeline_t *pipeline) {
  return compiler_time_kernels(pipeline->partitioned.module, pipeline->options->spec,
                               &pipeline->kernel_notes);
}

static clusters_clock_t clock_of(const pipeline_t *pipeline) {
  return (clusters_clock_t){.spec = pipeline->options->spec,
                            .torus = &pipeline->options->torus,
                            .algorithms = &pipeline->algorithms,
                            .prices = pipeline->prices};
}

static pod_status_t set_clock(pipeline_t *pipeline) {
  const compiler_options_t *options = pipeline->options;
  POD_TRY(algorithms_parse(options->algorithms, &pipeline->algorithms));
  pipeline->prices =
      simulator_prices_create(options->spec, &options->torus, pipeline->partitioned.mesh);
  return NULL;
}

static pod_status_t rewrite(pipeline_t *pipeline) {
  collectives_choices_t choices;
  POD_TRY(collectives_parse(pipeline->options->collectives, &choices));
  choices.estimates_only = pipeline->options->estimates_only;
  const clusters_clock_t clock = clock_of(pipeline);
  const mlir_module_t *before = pipeline->partitioned.module;
  POD_TRY(compiler_rewrite_collectives(&pipeline->partitioned, &clock, &choices));
  return before == pipeline->partitioned.module ? NULL : verify_partitioned(pipeline);
}

static pod_status_t put_reads_first(pipeline_t *pipeline) {
  return schedule_put_reads_first(&pipeline->partitioned);
}

static pod_status_t fuse(pipeline_t *pipeline) {
  const clusters_clock_t clock = clock_of(pipeline);
  return clusters_create(&pipeline->partitioned, &clock, &pipeline->clusters);
}

static pod_status_t schedule(pipeline_t *pipeline) {
  clusters_schedule(pipeline->clusters, CLUSTERS_SHARES);
  return NULL;
}

static pod_status_t fit_memory(pipeline_t *pipeline) {
  const clusters_clock_t clock = clock_of(pipeline);
  return fit_hbm(&pipeline->partitioned, &clock, &pipeline->clusters,
                 &pipeline->fit_note);
}

static pod_status_t lower(pipeline_t *pipeline) {
  POD_TRY(lower_with_notes(&pipeline->partitioned, &pipeline->program, &pipeline->notes));
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

static pod_status_t tell_memory(pipeline_t *pipeline) {
  memory_t memory;
  POD_TRY(memory_count(pipeline->clusters, &memory));
  memory_tell(&memory, pipeline->clusters, pipeline->notes.sources, pipeline->program);
  memory_deinit(&memory);
  return NULL;
}

// In the program's arena, as all of the result.
static void copy_notes(const pipeline_t *pipeline, compiler_result_t *result) {
  const lower_notes_t *notes = &pipeline->notes;
  const compiler_partitioned_t *partitioned = &pipeline->partitioned;
  const kernel_notes_t *kernels = &pipeline->kernel_notes;
  pod_arena_t *arena = result->program->arena;
  const given_notes_t *given = &pipeline->given_notes;
  const size_t most = (size_t)notes->count + (size_t)partitioned->note_count +
                      (size_t)kernels->count + (size_t)given->count + 1;
  const char **texts = pod_arena_array(arena, most, sizeof(*texts));
  for (int32_t i = 0; i < given->count; i++) {
    texts[result->note_count++] = pod_arena_strdup(arena, given->texts[i]);
  }
  for (int32_t i = 0; i < notes->count; i++) {
    texts[result->note_count++] = pod_arena_strdup(arena, notes->texts[i]);
  }
  for (int32_t i = 0; i < partitioned->note_count; i++) {
    texts[result->note_count++] = pod_arena_strdup(arena, partitioned->notes[i]);
  }
  for (int32_t i = 0; i < kernels->count; i++) {
    texts[result->note_count++] = pod_arena_strdup(arena, kernels->texts[i]);
  }
  if (pipeline->fit_note != NULL) {
    texts[result->note_count++] = pod_arena_strdup(arena, pipeline->fit_note);
  }
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

// From the module's arena to the program's.
static void copy_values(const pipeline_t *pipeline, compiler_result_t *result) {
  pod_arena_t *arena = result->program->arena;
  compiler_value_t *values =
      pod_arena_copy(arena, pipeline->values,
                     (size_t)pipeline->value_count * sizeof(pipeline->values[0]));
  for (int32_t i = 0; i < pipeline->value_count; i++) {
    values[i].name = pod_arena_strdup(arena, values[i].name);
    values[i].op = pod_arena_strdup(arena, values[i].op);
    values[i].source = pod_arena_strdup(arena, values[i].source);
    values[i].spec = pod_arena_strdup(arena, values[i].spec);
  }
  result->value_count = pipeline->value_count;
  result->values = values;
  result->after_text =
      pipeline->after_text == NULL ? NULL : pod_arena_strdup(arena, pipeline->after_text);
}

static void print_for_people(pod_text_t *text, const mlir_module_t *module) {
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup,
                                        .elide_elements = ELEMENTS_SHOWN_MAX,
                                        .names = true};
  mlir_print(text, module, &options);
}

static pod_status_t report(pipeline_t *pipeline) {
  chip_program_t *program = pipeline->program;
  compiler_result_t *result = pod_arena_alloc(program->arena, sizeof(*result));
  result->program = program;
  pod_text_t text = {0};
  print_for_people(&text, pipeline->partitioned.module);
  result->partitioned_text = pod_arena_strdup(program->arena, text.bytes);
  pod_text_deinit(&text);
  result->declared_device_count = pipeline->declared_device_count;
  result->estimated_ps = clusters_estimate_ps(pipeline->clusters);
  copy_notes(pipeline, result);
  copy_inspections(&pipeline->partitioned, result);
  copy_memory_kinds(pipeline->partitioned.module, result);
  copy_values(pipeline, result);
  pipeline->result = result;
  return report_collectives(pipeline->prices, program, &pipeline->partitioned,
                            pipeline->notes.sources, &result->collective_count,
                            &result->collectives);
}

static pod_status_t check_hbm(pipeline_t *pipeline) {
  const chip_program_t *program = pipeline->program;
  const chip_spec_t *spec = pipeline->options->spec;
  pipeline->result->hbm_peak_bytes = chip_program_hbm_bytes(program);
  if (pipeline->options->ignores_hbm ||
      pipeline->result->hbm_peak_bytes <= chip_spec_hbm_usable_bytes(spec)) {
    return NULL;
  }
  memory_t memory;
  POD_TRY(memory_count(pipeline->clusters, &memory));
  pod_text_t text = {0};
  memory_report(&text, &memory, spec, program->name);
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, POD_RESOURCE_EXHAUSTED, text.bytes);
  pod_text_deinit(&text);
  memory_deinit(&memory);
  return status;
}

// Chips of a host share its memory: each has its part, as all do the same.
static pod_status_t check_host_memory(pipeline_t *pipeline) {
  const chip_program_t *program = pipeline->program;
  const chip_spec_t *spec = pipeline->options->spec;
  const int64_t used = chip_program_host_bytes(program);
  if (pipeline->options->ignores_hbm || used <= spec->host_memory_bytes) {
    return NULL;
  }
  pod_text_t text = {0};
  pod_text_printf(&text, "%s needs ", program->name);
  pod_text_add_size(&text, (unsigned long long)used);
  pod_text_add(&text, " of host memory (pinned_host) per chip (");
  pod_text_add_size(&text, (unsigned long long)program->host_argument_bytes);
  pod_text_add(&text, " of arguments, ");
  pod_text_add_size(&text, (unsigned long long)(program->host_result_bytes -
                                                program->host_alias_bytes));
  pod_text_add(&text, " of results, ");
  pod_text_add_size(&text, (unsigned long long)program->host_temp_bytes);
  pod_text_printf(&text, " of temporaries); a %s has ", spec->name);
  pod_text_add_size(&text, (unsigned long long)spec->host_memory_bytes);
  pod_text_add(&text,
               " of its host's (host_memory_bytes): donate what is updated, leave less "
               "there, or spread it over more chips");
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, POD_RESOURCE_EXHAUSTED, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// THE list of passes.
static const pipeline_pass_t passes[] = {
    {"parse", parse, PIPELINE_MODULE},
    // Those the module leaves open get their sizes.
    {"arguments", set_arguments, PIPELINE_MODULE},
    {"expand", expand, PIPELINE_MODULE},  // Short forms give way to StableHLO.
    {"verify", verify, PIPELINE_SAME},    // Against the shape rules; finds each row.
    {"inline", inline_calls, PIPELINE_MODULE},        // Only @main is left.
    {"given", give_shardings, PIPELINE_MODULE},       // Shardings from outside.
    {"meshes", name_devices, PIPELINE_MODULE},        // Of manual computations.
    {"devices", count_devices, PIPELINE_SAME},        // How many the program is for.
    {"propagate", list_values, PIPELINE_PROPAGATED},  // How each value lies, for people.
    // Propagates shardings, writes one chip's program.
    {"partition", partition, PIPELINE_PARTITIONED},
    // Which chip is which device, where the user says.
    {"order", order_devices, PIPELINE_PARTITIONED},
    {"simplify", simplify, PIPELINE_PARTITIONED},  // Dead and double code, identities.
    {"place", place,
     PIPELINE_PARTITIONED},  // What lies in the host's memory, what moves.
    {"verify", verify_partitioned, PIPELINE_SAME},   // What the partitioner made.
    {"kernels", time_kernels, PIPELINE_SAME},        // What those of the user's demand.
    {"clock", set_clock, PIPELINE_SAME},             // What collectives cost.
    {"collectives", rewrite, PIPELINE_PARTITIONED},  // Others, where they cost less.
    // What reads an array, before what writes over it.
    {"reads", put_reads_first, PIPELINE_SAME},
    {"fuse", fuse, PIPELINE_SAME},                 // Which operations are one kernel.
    {"schedule", schedule, PIPELINE_PARTITIONED},  // Order; which collectives overlap.
    {"fit", fit_memory,
     PIPELINE_PARTITIONED},           // Into the HBM: less overlap, values made again.
    {"lower", lower, PIPELINE_SAME},  // Instructions and buffers.
    {"algorithms", mark_algorithms,
     PIPELINE_SAME},                       // Of collectives, where the user says so.
    {"VMEM", assign_vmem, PIPELINE_SAME},  // What stays on the core, what is prefetched.
    {"tasks", emit_tasks, PIPELINE_SAME},  // What the clock runs.
    {"memory", tell_memory, PIPELINE_SAME},   // What the chip has in its HBM, and when.
    {"report", report, PIPELINE_SAME},        // Text and collectives, for people.
    {"check HBM", check_hbm, PIPELINE_SAME},  // Whether it fits the chip,
    {"check host", check_host_memory, PIPELINE_SAME},  // and its host.
};

const pipeline_pass_t *pipeline_passes(int *out_count) {
  *out_count = (int)(sizeof(passes) / sizeof(passes[0]));
  return passes;
}

// --- What a pass leaves ---

static bool is_asked_for(const pipeline_t *pipeline, const pipeline_pass_t *pass) {
  const char *after = pipeline->options->after;
  return after != NULL && *after != '\0' && pass->shown != PIPELINE_SAME &&
         strcmp(pass->name, after) == 0;
}

static pod_status_t check_after(const pipeline_t *pipeline) {
  const char *after = pipeline->options->after;
  bool is_known = after == NULL || *after == '\0';
  pod_text_t names = {0};
  for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
    is_known = is_known || is_asked_for(pipeline, &passes[i]);
    if (passes[i].shown != PIPELINE_SAME) {
      pod_text_printf(&names, "%s%s", i == 0 ? "" : ", ", passes[i].name);
    }
  }
  const pod_status_t status =
      is_known ? NULL
               : pod_error(POD_INVALID_ARGUMENT,
                           "the program can be shown after one of the passes %s, not "
                           "after '%s'",
                           names.bytes, after);
  pod_text_deinit(&names);
  return status;
}

static pod_status_t keep_text(pipeline_t *pipeline, pipeline_shown_t shown) {
  pod_text_t text = {0};
  pod_status_t status = NULL;
  if (shown == PIPELINE_PROPAGATED) {
    status = partition_print_propagated(pipeline->module, pipeline->device_count, &text);
  } else {
    print_for_people(&text, shown == PIPELINE_MODULE ? pipeline->module
                                                     : pipeline->partitioned.module);
  }
  if (status == NULL) {
    pipeline->after_text = pod_arena_strdup(pipeline->module->arena, text.bytes);
  }
  pod_text_deinit(&text);
  return status;
}

pod_status_t pipeline_run(pipeline_t *pipeline) {
  POD_TRY(check_after(pipeline));
  for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
    POD_TRY(passes[i].run(pipeline));
    if (is_asked_for(pipeline, &passes[i])) {
      POD_TRY(keep_text(pipeline, passes[i].shown));
    }
  }
  return NULL;
}

pod_status_t pipeline_run_back_end(pipeline_t *pipeline) {
  POD_TRY(set_clock(pipeline));
  POD_TRY(put_reads_first(pipeline));
  POD_TRY(fuse(pipeline));
  POD_TRY(schedule(pipeline));
  POD_TRY(fit_memory(pipeline));
  POD_TRY(lower(pipeline));
  POD_TRY(assign_vmem(pipeline));
  POD_TRY(emit_tasks(pipeline));
  return tell_memory(pipeline);
}

void pipeline_deinit(pipeline_t *pipeline) {
  chip_program_destroy(pipeline->program);
  clusters_destroy(pipeline->clusters);
  simulator_prices_destroy(pipeline->prices);
  mlir_module_destroy(pipeline->partitioned.module);
  mlir_module_destroy(pipeline->module);
  *pipeline = (pipeline_t){0};
}
