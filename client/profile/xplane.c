// Builds the messages as they are added, in one arena, and packs them at the end.
//
// What an operation is stands in the metadata of its events (xplane_metadata.c); a plane
// has that of the programs that ran on its chip. Ids of metadata are chosen so that none
// has to be looked up: see xplane_task_metadata.

#include "client/profile/xplane.h"

#include <stdlib.h>
#include <string.h>

#include "client/profile/counters.h"
#include "client/profile/xplane_private.h"
#include "common/base/memory.h"

static const struct {
  int64_t id;
  const char *name;
} lines[LINE_COUNT] = {
    {1, "Steps"},   {2, "XLA Modules"}, {3, "XLA Ops"}, {4, "Async XLA Ops"},
    {10, "ICI +x"}, {11, "ICI -x"},     {12, "ICI +y"}, {13, "ICI -y"},
    {14, "ICI +z"}, {15, "ICI -z"},     {17, "Die"},    {18, "DCN out"},
    {19, "DCN in"}, {16, "_counters_"},
};

// Of `_ct`: a call of PJRT, as the host's plane has it.
enum { CONSUMER_OF_PJRT = 14 };

// --- Lines and events ---

static void begin_line(const xplane_space_t *space, line_t *line, int64_t id,
                       const char *name) {
  line->message = pod_arena_alloc(space->arena, sizeof(*line->message));
  tensorflow__profiler__xline__init(line->message);
  line->message->id = line->message->display_id = id;
  line->message->name = xplane_borrow(name);
  line->message->timestamp_ns = space->begin_ns;
}

static void add_event(xplane_space_t *space, line_t *line, int64_t metadata,
                      int64_t start_ps, int64_t duration_ps, size_t stat_count,
                      xstat_t **stats) {
  if (space->event_count == space->events_max) {
    space->dropped++;
    return;
  }
  space->event_count++;
  xevent_t *event = pod_arena_alloc(space->arena, sizeof(*event));
  tensorflow__profiler__xevent__init(event);
  event->metadata_id = metadata;
  event->data_case = TENSORFLOW__PROFILER__XEVENT__DATA_OFFSET_PS;
  event->offset_ps = start_ps;
  event->duration_ps = duration_ps;
  event->n_stats = stat_count;
  event->stats = stats;
  *pod_list_add(&line->events) = event;
  const int64_t end_ps = start_ps + duration_ps;
  if (end_ps > line->message->duration_ps) {
    line->message->duration_ps = end_ps;
  }
}

static void add_to(xplane_space_t *space, plane_t *plane, int line, int64_t metadata,
                   int64_t start_ps, int64_t duration_ps, size_t stat_count,
                   xstat_t **stats) {
  add_event(space, &plane->lines[line], metadata, start_ps, duration_ps, stat_count,
            stats);
}

static void add_plane_stats(pod_arena_t *arena, xplane_t *plane,
                            const podium_profile_t *profile) {
  plane->stats = pod_arena_array(arena, 4, sizeof(*plane->stats));
  plane->stats[plane->n_stats++] = xplane_text_stat(
      arena, STAT_DEVICE_TYPE, pod_arena_strdup(arena, profile->device_kind));
  plane->stats[plane->n_stats++] =
      xplane_double_stat(arena, STAT_PEAK_TERAFLOPS, profile->bf16_flop_per_s / 1e12);
  plane->stats[plane->n_stats++] =
      xplane_double_stat(arena, STAT_PEAK_HBM, profile->hbm_bytes_per_s / 1e9);
  plane->stats[plane->n_stats++] =
      xplane_count_stat(arena, STAT_MEMORY_SIZE, profile->hbm_bytes);
}

static xplane_t *make_plane_message(pod_arena_t *arena, int64_t id, const char *name) {
  xplane_t *message = pod_arena_alloc(arena, sizeof(*message));
  tensorflow__profiler__xplane__init(message);
  message->id = id;
  message->name = xplane_borrow(name);
  return message;
}

// The plane of a chip, which is made with the first of its executions.
static plane_t *plane_of(xplane_space_t *space, int chip,
                         const podium_profile_t *profile) {
  for (int32_t i = 0; i < space->planes.count; i++) {
    if (space->planes.items[i]->chip == chip) {
      return space->planes.items[i];
    }
  }
  plane_t *plane = pod_arena_alloc(space->arena, sizeof(*plane));
  *plane = (plane_t){
      .chip = chip,
      .message = make_plane_message(
          space->arena, chip, pod_arena_printf(space->arena, "/device:TPU:%d", chip))};
  add_plane_stats(space->arena, plane->message, profile);
  for (int i = 0; i < LINE_COUNT; i++) {
    begin_line(space, &plane->lines[i], lines[i].id, lines[i].name);
  }
  *pod_list_add(&space->planes) = plane;
  return plane;
}

// --- Executions ---

static void remember_program(plane_t *plane, int64_t program) {
  for (int32_t i = 0; i < plane->programs.count; i++) {
    if (plane->programs.items[i] == program) {
      return;
    }
  }
  *pod_list_add(&plane->programs) = program;
}

static void add_tasks(xplane_space_t *space, plane_t *plane,
                      const xplane_execution_t *execution,
                      const podium_chip_class_t *class, size_t stat_count,
                      xstat_t **stats) {
  for (int i = 0; i < class->event_count; i++) {
    const podium_task_event_t *from = &class->events[i];
    const podium_task_kind_t kind = execution->profile->tasks[from->task].kind;
    const int64_t metadata = xplane_task_metadata(execution->program, from->task);
    const int64_t start_ps = execution->start_ps + from->start_ps;
    add_to(space, plane, LINE_OPS, metadata, start_ps, from->duration_ps, stat_count,
           stats);
    if (kind == PODIUM_TASK_COLLECTIVE_START || kind == PODIUM_TASK_PREFETCH_START ||
        kind == PODIUM_TASK_TRANSFER_START) {
      add_to(space, plane, LINE_ASYNC, metadata, start_ps, from->flight_ps, stat_count,
             stats);
    }
  }
}

static void add_links(xplane_space_t *space, plane_t *plane,
                      const xplane_execution_t *execution,
                      const podium_chip_class_t *class) {
  for (int i = 0; i < class->message_count; i++) {
    const podium_message_t *from = &class->messages[i];
    xstat_t **stats = pod_arena_array(space->arena, 1, sizeof(*stats));
    stats[0] = xplane_count_stat(space->arena, STAT_BYTES_TRANSFERRED, from->size_bytes);
    add_to(space, plane, LINE_LINKS + from->direction,
           xplane_task_metadata(execution->program, from->task),
           execution->start_ps + from->start_ps, from->duration_ps, 1, stats);
  }
}

static void add_points(xplane_space_t *space, plane_t *plane, int64_t start_ps, int event,
                       int stat, const profile_counter_t *counter) {
  for (int i = 0; i < counter->count; i++) {
    xstat_t **stats = pod_arena_array(space->arena, 1, sizeof(*stats));
    stats[0] = xplane_count_stat(space->arena, stat, counter->points[i].value);
    add_to(space, plane, LINE_COUNTERS, event, start_ps + counter->points[i].at_ps, 0, 1,
           stats);
  }
}

static void add_counters(xplane_space_t *space, plane_t *plane,
                         const xplane_execution_t *execution,
                         const podium_chip_class_t *class) {
  pod_arena_t *arena = pod_arena_create();
  const profile_counter_t hbm = profile_count_hbm(arena, execution->profile, class);
  const profile_counter_t links = profile_count_busy_links(arena, class);
  add_points(space, plane, execution->start_ps, EVENT_HBM, STAT_BYTES, &hbm);
  add_points(space, plane, execution->start_ps, EVENT_BUSY_LINKS, STAT_LINKS, &links);
  pod_arena_destroy(arena);
}

// How long a step took is counted on the chip's own clock, which stands still while the
// host, in which the chips are simulated, has nothing for it.
static void add_step(xplane_space_t *space, plane_t *plane,
                     const xplane_execution_t *execution,
                     const podium_chip_class_t *class) {
  enum { STATS_MAX = 5 };
  if (execution->step == XPLANE_NO_STEP) {
    return;
  }
  pod_arena_t *arena = space->arena;
  xstat_t **stats = pod_arena_array(arena, STATS_MAX, sizeof(*stats));
  size_t count = 0;
  if (space->steps == XPLANE_STEPS_NUMBERED) {
    stats[count++] = xplane_int_stat(arena, STAT_GROUP_ID, execution->step);
  } else {
    stats[count++] = xplane_int_stat(arena, STAT_DEVICE_OFFSET, execution->busy_ps);
    stats[count++] = xplane_int_stat(arena, STAT_DEVICE_DURATION, class->end_ps);
  }
  if (execution->link != XPLANE_NO_LINK) {
    stats[count++] = xplane_int_stat(arena, STAT_CONSUMER_TYPE, CONSUMER_OF_PJRT);
    stats[count++] = xplane_count_stat(arena, STAT_CONSUMER, execution->link);
  }
  *pod_list_add(&plane->steps) = execution->step;
  add_to(space, plane, LINE_STEPS, EVENT_STEPS + execution->step, execution->start_ps,
         class->end_ps, count, stats);
}

void xplane_add_execution(xplane_space_t *space, const xplane_execution_t *execution) {
  const podium_profile_t *profile = execution->profile;
  const podium_chip_class_t *class =
      &profile->classes[profile->class_of_chip[execution->chip]];
  plane_t *plane = plane_of(space, execution->chip, profile);
  remember_program(plane, execution->program);
  add_step(space, plane, execution, class);
  const bool has_group =
      execution->step != XPLANE_NO_STEP && space->steps == XPLANE_STEPS_NUMBERED;
  xstat_t **stats = pod_arena_array(space->arena, 2, sizeof(*stats));
  stats[has_group] = xplane_int_stat(space->arena, STAT_RUN_ID, execution->run);
  if (has_group) {
    stats[0] = xplane_int_stat(space->arena, STAT_GROUP_ID, execution->step);
  }
  add_to(space, plane, LINE_MODULES, xplane_module_metadata(execution->program),
         execution->start_ps, class->end_ps, 1 + has_group, stats);
  add_tasks(space, plane, execution, class, has_group, stats);
  add_links(space, plane, execution, class);
  add_counters(space, plane, execution, class);
}

// --- Memory ---

static line_t *allocations_of(xplane_space_t *space, int chip) {
  for (int32_t i = 0; i < space->allocations.count; i++) {
    if (space->allocations.items[i]->chip == chip) {
      return &space->allocations.items[i]->line;
    }
  }
  allocations_t *allocations = pod_arena_alloc(space->arena, sizeof(*allocations));
  *allocations = (allocations_t){.chip = chip};
  begin_line(space, &allocations->line, 1 + chip,
             pod_arena_printf(space->arena, "HBM of /device:TPU:%d", chip));
  *pod_list_add(&space->allocations) = allocations;
  return &allocations->line;
}

void xplane_add_memory(xplane_space_t *space, const xplane_memory_t *memory) {
  enum { STATS_MAX = 13 };
  pod_arena_t *arena = space->arena;
  xstat_t **stats = pod_arena_array(arena, STATS_MAX, sizeof(*stats));
  const int64_t size_bytes = llabs(memory->size_bytes);
  const int64_t in_use = memory->allocated_bytes + memory->reserved_bytes;
  const int64_t free_bytes = memory->hbm_bytes > in_use ? memory->hbm_bytes - in_use : 0;
  size_t count = 0;
  stats[count++] = xplane_text_stat(arena, STAT_ALLOCATOR,
                                    pod_arena_printf(arena, "TPU_%d_HBM", memory->chip));
  stats[count++] = xplane_int_stat(arena, STAT_BYTES_RESERVED, memory->reserved_bytes);
  stats[count++] = xplane_int_stat(arena, STAT_BYTES_ALLOCATED, memory->allocated_bytes);
  stats[count++] = xplane_int_stat(arena, STAT_BYTES_AVAILABLE, free_bytes);
  stats[count++] = xplane_double_stat(arena, STAT_FRAGMENTATION, 0);
  stats[count++] = xplane_int_stat(arena, STAT_PEAK_BYTES, memory->peak_bytes);
  stats[count++] = xplane_int_stat(arena, STAT_REQUESTED_BYTES, size_bytes);
  stats[count++] = xplane_int_stat(arena, STAT_ALLOCATION_BYTES, size_bytes);
  stats[count++] = xplane_int_stat(arena, STAT_ADDRESS, (int64_t)memory->address);
  stats[count++] =
      xplane_text_stat(arena, STAT_TF_OP, pod_arena_strdup(arena, memory->name));
  stats[count++] =
      xplane_text_stat(arena, STAT_REGION_TYPE, pod_arena_strdup(arena, memory->kind));
  stats[count++] =
      xplane_text_stat(arena, STAT_TENSOR_SHAPE, pod_arena_strdup(arena, memory->shape));
  if (memory->step != XPLANE_NO_STEP && space->steps == XPLANE_STEPS_NUMBERED) {
    stats[count++] = xplane_int_stat(arena, STAT_GROUP_ID, memory->step);
  }
  add_event(space, allocations_of(space, memory->chip),
            memory->size_bytes > 0 ? EVENT_ALLOCATION : EVENT_DEALLOCATION, memory->at_ps,
            0, count, stats);
}

// --- Packing ---

static void finish_line(xplane_t *plane, line_t *line, bool is_always_there) {
  if (line->events.count > 0 || is_always_there) {
    line->message->events = line->events.items;
    line->message->n_events = (size_t)line->events.count;
    plane->lines[plane->n_lines++] = line->message;
  }
}

static int by_number(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static size_t metadata_count(const xplane_space_t *space, const plane_t *plane) {
  size_t count = 2 + (size_t)plane->steps.count;
  for (int32_t i = 0; i < plane->programs.count; i++) {
    count += (size_t)space->programs.items[plane->programs.items[i] - 1].count;
  }
  return count;
}

static void add_event_metadata(const xplane_space_t *space, plane_t *plane) {
  pod_arena_t *arena = space->arena;
  event_entry_t **entries =
      pod_arena_array(arena, metadata_count(space, plane), sizeof(*entries));
  size_t count = 0;
  entries[count++] = xplane_make_event_entry(arena, EVENT_HBM, "HBM in use", "", 0, NULL);
  entries[count++] =
      xplane_make_event_entry(arena, EVENT_BUSY_LINKS, "links busy", "", 0, NULL);
  const int64_t *steps = plane->steps.items;
  if (plane->steps.count > 0) {
    qsort(plane->steps.items, (size_t)plane->steps.count, sizeof(int64_t), by_number);
  }
  for (int32_t i = 0; i < plane->steps.count; i++) {
    if (i == 0 || steps[i] != steps[i - 1]) {
      entries[count++] = xplane_make_event_entry(
          arena, EVENT_STEPS + steps[i],
          pod_arena_printf(arena, "%lld", (long long)steps[i]), "", 0, NULL);
    }
  }
  for (int32_t i = 0; i < plane->programs.count; i++) {
    const program_t *program = &space->programs.items[plane->programs.items[i] - 1];
    memcpy(entries + count, program->entries,
           (size_t)program->count * sizeof(event_entry_t *));
    count += (size_t)program->count;
  }
  plane->message->event_metadata = entries;
  plane->message->n_event_metadata = count;
}

static xplane_t *finish_plane(const xplane_space_t *space, plane_t *plane) {
  xplane_t *message = plane->message;
  message->lines = pod_arena_array(space->arena, LINE_COUNT, sizeof(*message->lines));
  for (int i = 0; i < LINE_COUNT; i++) {
    finish_line(message, &plane->lines[i], i < LINE_LINKS);
  }
  add_event_metadata(space, plane);
  message->stat_metadata = space->stat_entries;
  message->n_stat_metadata = space->stat_count;
  return message;
}

static xplane_t *make_host_plane(const xplane_space_t *space, const char *name) {
  pod_arena_t *arena = space->arena;
  xplane_t *message = make_plane_message(arena, 0, name);
  message->lines =
      pod_arena_array(arena, (size_t)space->allocations.count, sizeof(*message->lines));
  for (int32_t i = 0; i < space->allocations.count; i++) {
    finish_line(message, &space->allocations.items[i]->line, false);
  }
  message->event_metadata = pod_arena_array(arena, 2, sizeof(*message->event_metadata));
  message->event_metadata[0] =
      xplane_make_event_entry(arena, EVENT_ALLOCATION, "MemoryAllocation", "", 0, NULL);
  message->event_metadata[1] = xplane_make_event_entry(arena, EVENT_DEALLOCATION,
                                                       "MemoryDeallocation", "", 0, NULL);
  message->n_event_metadata = 2;
  message->stat_metadata = space->stat_entries;
  message->n_stat_metadata = space->stat_count;
  message->stats = pod_arena_array(arena, 2, sizeof(*message->stats));
  message->stats[message->n_stats++] =
      xplane_double_stat(arena, STAT_MXU_UTILIZATION, space->mxu_percent);
  message->stats[message->n_stats++] =
      xplane_double_stat(arena, STAT_HBM_UTILIZATION, space->hbm_percent);
  return message;
}

static int by_chip(const void *left, const void *right) {
  return (*(plane_t *const *)left)->chip - (*(plane_t *const *)right)->chip;
}

uint8_t *xplane_pack(xplane_space_t *space, const char *host, const char *host_plane,
                     size_t *out_size) {
  message_t message = TENSORFLOW__PROFILER__XSPACE__INIT;
  char *hosts[1] = {xplane_borrow(host)};
  message.hostnames = hosts;
  message.n_hostnames = host != NULL;
  message.warnings = (char **)space->warnings.items;
  message.n_warnings = (size_t)space->warnings.count;
  const size_t count = (size_t)space->planes.count;
  message.planes = pod_arena_array(space->arena, count + 1, sizeof(*message.planes));
  if (count > 0) {
    qsort(space->planes.items, count, sizeof(plane_t *), by_chip);
  }
  for (size_t i = 0; i < count; i++) {
    message.planes[message.n_planes++] = finish_plane(space, space->planes.items[i]);
  }
  if (space->allocations.count > 0) {
    message.planes[message.n_planes++] = make_host_plane(space, host_plane);
  }
  *out_size = tensorflow__profiler__xspace__get_packed_size(&message);
  uint8_t *bytes = pod_alloc(*out_size + 1);
  tensorflow__profiler__xspace__pack(&message, bytes);
  return bytes;
}

// --- ---

xplane_space_t *xplane_create(int64_t begin_ns, int64_t events_max,
                              xplane_steps_t steps) {
  xplane_space_t *space = pod_alloc(sizeof(*space));
  space->arena = pod_arena_create();
  space->begin_ns = begin_ns;
  space->events_max = events_max;
  space->steps = steps;
  xplane_make_stat_entries(space);
  return space;
}

void xplane_destroy(xplane_space_t *space) {
  if (space == NULL) {
    return;
  }
  for (int32_t i = 0; i < space->planes.count; i++) {
    plane_t *plane = space->planes.items[i];
    for (int line = 0; line < LINE_COUNT; line++) {
      pod_list_deinit(&plane->lines[line].events);
    }
    pod_list_deinit(&plane->programs);
    pod_list_deinit(&plane->steps);
  }
  for (int32_t i = 0; i < space->allocations.count; i++) {
    pod_list_deinit(&space->allocations.items[i]->line.events);
  }
  pod_list_deinit(&space->programs);
  pod_list_deinit(&space->planes);
  pod_list_deinit(&space->allocations);
  pod_list_deinit(&space->warnings);
  pod_arena_destroy(space->arena);
  free(space);
}

void xplane_set_utilization(xplane_space_t *space, double mxu_percent,
                            double hbm_percent) {
  space->mxu_percent = mxu_percent;
  space->hbm_percent = hbm_percent;
}

void xplane_add_warning(xplane_space_t *space, const char *text) {
  *pod_list_add(&space->warnings) = pod_arena_strdup(space->arena, text);
}

int64_t xplane_dropped(const xplane_space_t *space) {
  return space->dropped;
}
