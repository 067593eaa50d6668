// Struct by struct into common/report's, in an arena; what is a list there already is
// borrowed.

#include "client/profile/report.h"

#include <stdio.h>
#include <string.h>

#include "client/lib/tiling.h"
#include "client/profile/collectives.h"
#include "client/profile/counters.h"
#include "client/profile/spec.h"
#include "client/profile/sums.h"
#include "common/base/arena.h"
#include "common/report/report.h"

typedef struct maker_t {
  pod_arena_t *arena;
  const podium_program_info_t *info;
  const podium_profile_t *profile;  // NULL: none.
} maker_t;

static const char *shape_text(pod_arena_t *arena, const podium_shape_t *shape) {
  char text[512];
  podium_shape_print(shape, text, sizeof(text));
  return pod_arena_strdup(arena, text);
}

static int64_t bytes_of(const podium_shape_t *shape) {
  const int64_t bytes = podium_shape_bytes(shape);
  return bytes < 0 ? 0 : bytes;
}

// --- Arrays ---

static report_axes_t axes_of(const maker_t *maker, int count, const lib_digit_t *digits) {
  report_axis_t *axes = pod_arena_array(maker->arena, (size_t)count, sizeof(*axes));
  for (int i = 0; i < count; i++) {
    axes[i] = (report_axis_t){digits[i].name, digits[i].stride, digits[i].size};
  }
  return (report_axes_t){count, axes};
}

static report_array_t array_with(const maker_t *maker, const char *name,
                                 const podium_shape_t *shape,
                                 const podium_shape_t *local_shape,
                                 const char *sharding) {
  report_array_t array = {.name = name,
                          .sharding = sharding,
                          .rank = shape->rank,
                          .bytes = bytes_of(shape),
                          .local_bytes = bytes_of(local_shape),
                          .alias = -1};
  const podium_shape_t scalar = {.dtype = shape->dtype};
  char *dtype = pod_arena_strdup(maker->arena, shape_text(maker->arena, &scalar));
  dtype[strcspn(dtype, "[")] = '\0';
  array.dtype = dtype;
  for (int d = 0; d < shape->rank; d++) {
    array.dims[d] = shape->dims[d];
    array.local_dims[d] = local_shape->dims[d];
  }
  return array;
}

static report_array_t array_of(const maker_t *maker, const podium_signature_t *from) {
  report_array_t array =
      array_with(maker, from->name, &from->shape, &from->local_shape, from->sharding);
  array.positions = lib_tiling_positions(from->tiling);
  const lib_digit_t *digits;
  for (int d = 0; d < from->shape.rank; d++) {
    const int count = lib_tiling_digits(from->tiling, d, &digits);
    array.spec[d] = axes_of(maker, count, digits);
  }
  const int count = lib_tiling_digits(from->tiling, -1, &digits);
  array.unreduced = axes_of(maker, count, digits);
  return array;
}

// The mesh of the first array that has one: all are of the same devices.
// Returns how its devices are ordered, as report_array_t has it.
static const int64_t *set_mesh(const maker_t *maker, report_input_t *input) {
  const podium_program_info_t *info = maker->info;
  for (int i = 0; i < info->argument_count + info->result_count; i++) {
    const podium_signature_t *signature = i < info->argument_count
                                              ? &info->arguments[i]
                                              : &info->results[i - info->argument_count];
    const lib_digit_t *digits;
    const int count = lib_tiling_mesh(signature->tiling, &digits);
    if (count > 0) {
      const report_axes_t mesh = axes_of(maker, count, digits);
      input->mesh_axis_count = mesh.count;
      input->mesh = mesh.axes;
      return lib_tiling_positions(signature->tiling);
    }
  }
  return NULL;
}

// Whether an array cut so has such parts: a value may be of another mesh.
static bool has_such_parts(const report_array_t *array) {
  for (int d = 0; d < array->rank; d++) {
    int64_t parts = 1;
    for (int i = 0; i < array->spec[d].count; i++) {
      parts *= array->spec[d].axes[i].size;
    }
    if (array->local_dims[d] != (array->dims[d] + parts - 1) / parts) {
      return false;
    }
  }
  return true;
}

// Arguments and results are arrays already.
static void set_values(const maker_t *maker, const int64_t *positions,
                       report_input_t *input) {
  const podium_program_info_t *info = maker->info;
  const report_axes_t mesh = {input->mesh_axis_count, input->mesh};
  report_array_t *values =
      pod_arena_array(maker->arena, (size_t)info->value_count, sizeof(*values));
  int count = 0;
  for (int i = 0; i < info->value_count; i++) {
    const podium_value_t *from = &info->values[i];
    if (strcmp(from->op, "argument") == 0 || strcmp(from->op, "result") == 0) {
      continue;
    }
    report_array_t *value = &values[count++];
    *value = array_with(maker, from->name, &from->shape, &from->local_shape, from->spec);
    value->op = from->op;
    value->source = from->source;
    value->positions = positions;
    value->has_no_spec = !profile_spec_read(maker->arena, from->spec, &mesh, value->rank,
                                            value->spec, &value->unreduced) ||
                         !has_such_parts(value);
  }
  input->value_count = count;
  input->values = values;
}

static void set_arrays(const maker_t *maker, report_input_t *input) {
  const podium_program_info_t *info = maker->info;
  const int count = info->argument_count + info->result_count;
  report_array_t *arrays = pod_arena_array(maker->arena, (size_t)count, sizeof(*arrays));
  for (int i = 0; i < info->argument_count; i++) {
    arrays[i] = array_of(maker, &info->arguments[i]);
  }
  for (int i = 0; i < info->result_count; i++) {
    arrays[info->argument_count + i] = array_of(maker, &info->results[i]);
    arrays[info->argument_count + i].is_result = true;
  }
  for (int i = 0; i < info->alias_count; i++) {
    arrays[info->aliases[i].argument].alias = info->aliases[i].result;
  }
  input->array_count = count;
  input->arrays = arrays;
  set_values(maker, set_mesh(maker, input), input);
}

// --- Memory ---

static report_buffer_t signature_buffer(const maker_t *maker, const char *kind,
                                        const podium_signature_t *signature) {
  return (report_buffer_t){.kind = kind,
                           .name = signature->name,
                           .op = "",
                           .shape = shape_text(maker->arena, &signature->local_shape),
                           .source = "",
                           .bytes = bytes_of(&signature->local_shape)};
}

static bool is_in_argument(const podium_program_info_t *info, int result) {
  for (int i = 0; i < info->alias_count; i++) {
    if (info->aliases[i].result == result) {
      return true;
    }
  }
  return false;
}

static void set_buffers(const maker_t *maker, report_memory_t *memory) {
  const podium_program_info_t *info = maker->info;
  const int most = info->argument_count + info->result_count + info->peak_count + 1;
  report_buffer_t *buffers =
      pod_arena_array(maker->arena, (size_t)most, sizeof(*buffers));
  int count = 0;
  for (int i = 0; i < info->argument_count; i++) {
    buffers[count++] = signature_buffer(maker, "argument", &info->arguments[i]);
  }
  for (int i = 0; i < info->result_count; i++) {
    if (!is_in_argument(info, i)) {
      buffers[count++] = signature_buffer(maker, "result", &info->results[i]);
    }
  }
  if (info->constant_bytes > 0) {
    buffers[count++] = (report_buffer_t){
        .kind = "constant", .name = "all constants", .bytes = info->constant_bytes};
  }
  int64_t listed = 0;
  for (int i = 0; i < info->peak_count; i++) {
    const podium_instruction_t *writer = &info->peaks[i].writer;
    buffers[count++] = (report_buffer_t){.kind = "temporary",
                                         .name = writer->name,
                                         .op = writer->op,
                                         .shape = writer->shape,
                                         .source = writer->source,
                                         .bytes = info->peaks[i].size_bytes};
    listed += info->peaks[i].size_bytes;
  }
  memory->buffer_count = count;
  memory->buffers = buffers;
  memory->left_out_bytes = info->peak_bytes - listed;
}

static void set_memory(const maker_t *maker, report_memory_t *memory) {
  const podium_program_info_t *info = maker->info;
  *memory = (report_memory_t){.hbm_bytes = info->hbm_bytes,
                              .hbm_peak_bytes = info->hbm_peak_bytes,
                              .argument_bytes = info->argument_bytes,
                              .result_bytes = info->result_bytes,
                              .constant_bytes = info->constant_bytes,
                              .temp_bytes = info->temp_bytes,
                              .alias_bytes = info->alias_bytes,
                              .peak_at = info->peak_at.name,
                              .peak_source = info->peak_at.source};
  set_buffers(maker, memory);
}

// --- Collectives ---

// Why it is there, for people.
static const char *why(const maker_t *maker, const podium_collective_t *from) {
  const char *axes = *from->axes == '\0'   ? "groups of the chips"
                     : *from->mesh == '\0' ? from->axes
                                           : pod_arena_printf(maker->arena, "%s of @%s",
                                                              from->axes, from->mesh);
  if (!from->inserted) {
    return pod_arena_printf(maker->arena, "The program asks for it, over %s.", axes);
  }
  static const struct {
    const char *op, *reason;
  } reasons[] = {
      {"all_reduce",
       "each chip along %s has only a part of a sum, as what was summed over is "
       "cut along it, and all of them need the whole"},
      {"reduce_scatter",
       "each chip along %s has only a part of a sum, as what was summed over "
       "is cut along it, and needs its own piece of the whole"},
      {"all_gather", "an array is cut along %s, and what uses it needs it whole"},
      {"all_to_all",
       "an array is cut along %s in one dimension, and what uses it needs it cut "
       "in another"},
      {"collective_permute",
       "the pieces of an array along %s are not where they are needed"},
      {"collective_broadcast", "one chip along %s has what all of them need"},
  };
  for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
    if (strcmp(from->op, reasons[i].op) == 0) {
      char reason[256];
      const char *at = strstr(reasons[i].reason, "%s");
      (void)snprintf(reason, sizeof(reason), "%.*s%s%s", (int)(at - reasons[i].reason),
                     reasons[i].reason, axes, at + 2);
      return pod_arena_printf(maker->arena, "Inserted by the partitioner: %s.", reason);
    }
  }
  return pod_arena_printf(maker->arena, "Inserted by the partitioner, over %s.", axes);
}

static void set_collectives(const maker_t *maker, report_input_t *input) {
  const podium_program_info_t *info = maker->info;
  const profile_collective_t *costs =
      profile_collectives_of(maker->arena, info, maker->profile);
  report_collective_t *list =
      pod_arena_array(maker->arena, (size_t)info->collective_count, sizeof(*list));
  for (int i = 0; i < info->collective_count; i++) {
    const podium_collective_t *from = &info->collectives[i];
    const profile_collective_t *cost = &costs[i];
    list[i] =
        (report_collective_t){.name = from->name,
                              .op = from->op,
                              .source = from->source,
                              .axes = from->axes,
                              .operand = shape_text(maker->arena, &from->operand),
                              .result = shape_text(maker->arena, &from->result),
                              .why = why(maker, from),
                              .because = from->because,
                              .group_count = from->group_count,
                              .group_size = from->group_size,
                              .ici_bytes = from->ici_bytes,
                              .dcn_bytes = from->dcn_bytes,
                              .link_bytes = from->link_bytes,
                              .alone_ps = from->alone_ps,
                              .in_loop = from->in_loop,
                              .inserted = from->inserted,
                              .asynchronous = from->asynchronous,
                              .task = cost->task,
                              .run_count = cost->run_count,
                              .total_ps = cost->flight_ps,
                              .exposed_ps = cost->exposed_ps,
                              .behind = profile_behind_text(
                                  maker->arena, info, cost->behind, cost->behind_more)};
  }
  input->collective_count = info->collective_count;
  input->collectives = list;
}

// --- Times ---

static report_task_t task_of(const maker_t *maker, const podium_task_t *from) {
  return (report_task_t){.name = from->name,
                         .op = profile_task_operation(maker->info, from),
                         .shape = from->shape,
                         .source = from->source,
                         .bound = podium_bound_name(from->bound),
                         .kind = (report_kind_t)from->kind,
                         .partner = from->partner,
                         .flop = from->mxu_flop,
                         .busy_flop = from->mxu_busy_flop,
                         .vpu_op = from->vpu_op,
                         .hbm_bytes = from->hbm_read_bytes + from->hbm_written_bytes,
                         .vmem_bytes = from->vmem_bytes,
                         .hbm_live_bytes = from->hbm_live_bytes};
}

static const report_task_t *make_tasks(const maker_t *maker,
                                       const podium_chip_class_t *slowest) {
  const podium_profile_t *profile = maker->profile;
  report_task_t *tasks =
      pod_arena_array(maker->arena, (size_t)profile->task_count, sizeof(*tasks));
  for (int i = 0; i < profile->task_count; i++) {
    tasks[i] = task_of(maker, &profile->tasks[i]);
  }
  for (int i = 0; i < slowest->total_count; i++) {
    const podium_task_total_t *total = &slowest->totals[i];
    report_task_t *task = &tasks[total->task];
    task->bound = profile_total_bound(profile, total);
    task->runs = total->run_count;
    task->start_ps = total->start_ps;
    task->duration_ps = total->duration_ps;
    task->waiting_ps = total->waiting_ps;
    task->flight_ps = total->flight_ps;
    task->ici_bytes = total->ici_bytes;
  }
  return tasks;
}

static report_class_t class_of(const maker_t *maker, const podium_chip_class_t *from) {
  report_class_t to = {.representative = from->representative,
                       .chip_count = from->chip_count,
                       .end_ps = from->end_ps,
                       .compute_ps = from->compute_ps,
                       .waiting_ps = from->waiting_ps,
                       .overlapped_ps = from->overlapped_ps,
                       .mxu_ps = from->mxu_ps,
                       .vpu_ps = from->vpu_ps,
                       .hbm_ps = from->hbm_ps,
                       .dma_ps = from->dma_ps,
                       .ici_ps = from->ici_ps,
                       .event_count = from->event_count,
                       .message_count = from->message_count,
                       .events_dropped = from->events_dropped,
                       .messages_dropped = from->messages_dropped};
  for (int i = 0; i < REPORT_DIRECTIONS; i++) {
    to.links[i] = (report_link_t){from->links[i].bytes, from->links[i].busy_ps,
                                  from->links[i].messages};
  }
  report_event_t *events =
      pod_arena_array(maker->arena, (size_t)from->event_count, sizeof(*events));
  for (int i = 0; i < from->event_count; i++) {
    events[i] = (report_event_t){from->events[i].task, from->events[i].start_ps,
                                 from->events[i].duration_ps, from->events[i].flight_ps};
  }
  report_message_t *messages =
      pod_arena_array(maker->arena, (size_t)from->message_count, sizeof(*messages));
  for (int i = 0; i < from->message_count; i++) {
    messages[i] =
        (report_message_t){from->messages[i].direction, from->messages[i].start_ps,
                           from->messages[i].duration_ps};
  }
  const profile_counter_t hbm = profile_count_hbm(maker->arena, maker->profile, from);
  report_point_t *points =
      pod_arena_array(maker->arena, (size_t)hbm.count, sizeof(*points));
  for (int i = 0; i < hbm.count; i++) {
    points[i] = (report_point_t){hbm.points[i].at_ps, hbm.points[i].value};
  }
  to.events = events;
  to.messages = messages;
  to.hbm_count = hbm.count;
  to.hbm = points;
  return to;
}

static const report_times_t *make_times(const maker_t *maker) {
  const podium_profile_t *profile = maker->profile;
  const profile_sums_t sums = profile_sums_of(profile);
  const int running = profile_chips_running(profile);
  report_times_t *times = pod_arena_alloc(maker->arena, sizeof(*times));
  report_class_t *classes =
      pod_arena_array(maker->arena, (size_t)profile->class_count, sizeof(*classes));
  for (int i = 0; i < profile->class_count; i++) {
    classes[i] = class_of(maker, &profile->classes[i]);
  }
  int64_t waits_ps[PROFILE_WAIT_COUNT];
  profile_waits_of(profile, sums.slowest, waits_ps);
  report_wait_t *waits =
      pod_arena_array(maker->arena, PROFILE_WAIT_COUNT, sizeof(*waits));
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    waits[i] = (report_wait_t){profile_wait_name((profile_wait_t)i), waits_ps[i]};
  }
  *times = (report_times_t){.step_ps = profile->step_ps,
                            .low_ps = profile->low_ps,
                            .high_ps = profile->high_ps,
                            .rests_on = profile->rests_on,
                            .chips_running = running,
                            .hfu = sums.hfu,
                            .mfu = profile_mfu(profile, 0),
                            .dispatch_ps = profile->dispatch_ps,
                            .flop_per_chip = sums.flop / running,
                            .hbm_traffic_bytes_per_chip = sums.hbm_bytes / running,
                            .wait_count = PROFILE_WAIT_COUNT,
                            .waits = waits,
                            .task_count = profile->task_count,
                            .tasks = make_tasks(maker, sums.slowest),
                            .class_count = profile->class_count,
                            .classes = classes,
                            .chip_count = profile->chip_count,
                            .class_of_chip = profile->class_of_chip,
                            .slowest = (int)(sums.slowest - profile->classes)};
  return times;
}

static const report_pod_t *make_pod(const maker_t *maker) {
  const podium_profile_t *profile = maker->profile;
  report_pod_t *pod = pod_arena_alloc(maker->arena, sizeof(*pod));
  *pod = (report_pod_t){.chip_kind = profile->chip_kind,
                        .device_kind = profile->device_kind,
                        .topology_name = profile->topology_name,
                        .chip_count = profile->chip_count,
                        .bf16_flop_per_s = profile->bf16_flop_per_s,
                        .vpu_op_per_s = profile->vpu_op_per_s,
                        .hbm_bytes_per_s = profile->hbm_bytes_per_s,
                        .ici_bytes_per_s = profile->ici_bytes_per_s};
  for (int i = 0; i < 3; i++) {
    pod->topology[i] = profile->topology[i];
    pod->wraps[i] = profile->wraps[i];
  }
  // Cores of a chip stand beside each other, slices are further planes: so the ids count.
  pod->topology[0] *= profile->core_count;
  pod->wraps[0] &= profile->core_count == 1;
  pod->topology[2] *= profile->slice_count;
  pod->wraps[2] &= profile->slice_count == 1;
  return pod;
}

static int64_t slowest_host_ns(const podium_profile_t *profile) {
  int64_t host_ns = 0;
  for (int i = 0; i < profile->host_count; i++) {
    host_ns = profile->hosts[i].host_ns > host_ns ? profile->hosts[i].host_ns : host_ns;
  }
  return host_ns;
}

// --- The whole ---

static bool is_numbered(const podium_program_info_t *info) {
  for (int i = 0; i < info->device_count; i++) {
    if (info->chips[i] != i) {
      return false;
    }
  }
  return true;
}

void profile_report_json(const profile_report_t *report, pod_text_t *out) {
  const podium_program_info_t *info = report->info;
  const podium_profile_t *profile = report->profile;
  const maker_t maker = {
      .arena = pod_arena_create(),
      .info = info,
      .profile = profile != NULL && profile->class_count > 0 ? profile : NULL};
  report_input_t input = {.version = podium_version(),
                          .made_by = report->made_by,
                          .program = info->name,
                          .file = report->file,
                          .device_count = info->device_count,
                          .chips = is_numbered(info) ? NULL : info->chips,
                          .note_count = info->note_count,
                          .notes = info->notes,
                          .no_times = report->no_times};
  set_arrays(&maker, &input);
  set_memory(&maker, &input.memory);
  set_collectives(&maker, &input);
  if (maker.profile != NULL) {
    input.pod = make_pod(&maker);
    input.times = make_times(&maker);
    input.traceparent = profile->traceparent;
    input.host_ns = slowest_host_ns(profile);
  }
  report_write_json(&input, out);
  pod_arena_destroy(maker.arena);
}
