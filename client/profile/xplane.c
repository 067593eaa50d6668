// Builds the messages as they are added, in one arena, and packs them at the end.
//
// What an operation is and what it costs is in the metadata of its events, under the
// names that XProf knows (program_id and symbol_id make it count); a plane has the
// metadata of the programs that ran on its chip. Ids of metadata are chosen so that none
// has to be looked up: see metadata_of_task.

#include "client/profile/xplane.h"

#include <stdlib.h>
#include <string.h>

#include "client/profile/counters.h"
#include "client/profile/sums.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "proto/xplane/op_metrics.pb-c.h"
#include "proto/xplane/xplane.pb-c.h"

typedef Tensorflow__Profiler__XSpace message_t;
typedef Tensorflow__Profiler__XPlane xplane_t;
typedef Tensorflow__Profiler__XLine xline_t;
typedef Tensorflow__Profiler__XEvent xevent_t;
typedef Tensorflow__Profiler__XStat xstat_t;
typedef Tensorflow__Profiler__XPlane__EventMetadataEntry event_entry_t;
typedef Tensorflow__Profiler__XPlane__StatMetadataEntry stat_entry_t;

enum {
  LINE_STEPS,
  LINE_MODULES,
  LINE_OPS,
  LINE_ASYNC,
  LINE_LINKS,  // And the direction.
  LINE_COUNTERS = LINE_LINKS + 6,
  LINE_COUNT,
};

static const struct {
  int64_t id;
  const char *name;
} lines[LINE_COUNT] = {
    {1, "Steps"},   {2, "XLA Modules"}, {3, "XLA Ops"},     {4, "Async XLA Ops"},
    {10, "ICI +x"}, {11, "ICI -x"},     {12, "ICI +y"},     {13, "ICI -y"},
    {14, "ICI +z"}, {15, "ICI -z"},     {16, "_counters_"},
};

// Metadata of events that no program has.
enum {
  EVENT_HBM = 1,
  EVENT_BUSY_LINKS,
  EVENT_ALLOCATION,
  EVENT_DEALLOCATION,
};
#define EVENT_STEPS (INT64_C(1) << 56)  // And the number of the step.

// The module of a program, or one of its tasks.
static int64_t metadata_of_module(int64_t program) {
  return program << 24;
}

static int64_t metadata_of_task(int64_t program, int task) {
  return metadata_of_module(program) + 1 + task;
}

// Stats by name; their ids are 1 + these.
enum {
  STAT_GROUP_ID = 0,
  STAT_RUN_ID,
  STAT_PROGRAM_ID,
  STAT_SYMBOL_ID,
  STAT_HLO_CATEGORY,
  STAT_TF_OP,
  STAT_FLOPS,
  STAT_MODEL_FLOPS,
  STAT_BYTES_ACCESSED,
  STAT_SHAPE,
  STAT_SOURCE,
  STAT_BYTES_TRANSFERRED,
  STAT_DEVICE_TYPE,
  STAT_PEAK_TERAFLOPS,
  STAT_PEAK_HBM,
  STAT_MEMORY_SIZE,
  STAT_HBM_IN_USE,
  STAT_BYTES,
  STAT_LINKS,
  STAT_ALLOCATOR,
  STAT_BYTES_RESERVED,
  STAT_BYTES_ALLOCATED,
  STAT_BYTES_AVAILABLE,
  STAT_FRAGMENTATION,
  STAT_PEAK_BYTES,
  STAT_REQUESTED_BYTES,
  STAT_ALLOCATION_BYTES,
  STAT_ADDRESS,
  STAT_REGION_TYPE,
  STAT_TENSOR_SHAPE,
  STAT_MEMORY_ACCESS,
  STAT_CONSUMER_TYPE,
  STAT_CONSUMER,
  STAT_DEVICE_OFFSET,
  STAT_DEVICE_DURATION,
  STAT_MXU_UTILIZATION,
  STAT_HBM_UTILIZATION,
  STAT_COUNT,
};

static const char *const stat_names[STAT_COUNT] = {
    "group_id",
    "run_id",
    "program_id",
    "symbol_id",
    "hlo_category",
    "tf_op",
    "flops",
    "model_flops",
    "bytes_accessed",
    "shape_with_layout",
    "source",
    "bytes_transferred",
    "device_type_string",
    "peak_teraflops_per_second",
    "peak_hbm_bw_gigabytes_per_second",
    "memory_size",
    "hbm_in_use_bytes",
    "bytes",
    "links",
    "allocator_name",
    "bytes_reserved",
    "bytes_allocated",
    "bytes_available",
    "fragmentation",
    "peak_bytes_in_use",
    "requested_bytes",
    "allocation_bytes",
    "addr",
    "region_type",
    "shape",
    "memory_access_breakdown",
    "_ct",
    "_c",
    "device_offset_ps",
    "device_duration_ps",
    "matrix_unit_utilization_percent",
    "hbm_utilization_percent",
};

// Of `_ct`: a call of PJRT, as the host's plane has it.
enum { CONSUMER_OF_PJRT = 14 };

typedef struct program_t {
  event_entry_t **entries;
  int count;
} program_t;

// A line in the making: not in the plane before it has an event.
typedef struct line_t {
  xline_t *message;
  POD_LIST(xevent_t *) events;
} line_t;

typedef struct plane_t {
  int chip;
  xplane_t *message;
  line_t lines[LINE_COUNT];
  POD_LIST(int64_t) programs;  // That ran on the chip.
  POD_LIST(int64_t) steps;     // Whose names it needs.
} plane_t;

// The allocations of a chip.
typedef struct allocations_t {
  int chip;
  line_t line;
} allocations_t;

struct xplane_space_t {
  pod_arena_t *arena;
  int64_t begin_ns;
  xplane_steps_t steps;
  double mxu_percent, hbm_percent;
  stat_entry_t **stat_entries;  // Of those that this space has.
  size_t stat_count;
  POD_LIST(program_t) programs;
  POD_LIST(plane_t *) planes;
  POD_LIST(allocations_t *) allocations;
  POD_LIST(const char *) warnings;
  int64_t events_max, event_count, dropped;
};

static char *borrow(const char *text) {
  return (char *)(uintptr_t)text;
}

// --- Stats ---

static xstat_t *make_stat(pod_arena_t *arena, int stat) {
  xstat_t *message = pod_arena_alloc(arena, sizeof(*message));
  tensorflow__profiler__xstat__init(message);
  message->metadata_id = 1 + stat;
  return message;
}

static xstat_t *text_stat(pod_arena_t *arena, int stat, const char *text) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_STR_VALUE;
  message->str_value = borrow(text);
  return message;
}

static xstat_t *count_stat(pod_arena_t *arena, int stat, int64_t value) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_UINT64_VALUE;
  message->uint64_value = (uint64_t)value;
  return message;
}

static xstat_t *int_stat(pod_arena_t *arena, int stat, int64_t value) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_INT64_VALUE;
  message->int64_value = value;
  return message;
}

static xstat_t *double_stat(pod_arena_t *arena, int stat, double value) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_DOUBLE_VALUE;
  message->double_value = value;
  return message;
}

// --- Metadata ---

// XProf finds the steps of a space itself unless it has group ids.
static bool has_stat(const xplane_space_t *space, int stat) {
  return stat != STAT_GROUP_ID || space->steps == XPLANE_STEPS_NUMBERED;
}

static void make_stat_entries(xplane_space_t *space) {
  pod_arena_t *arena = space->arena;
  stat_entry_t **entries = pod_arena_array(arena, STAT_COUNT, sizeof(*entries));
  space->stat_entries = entries;
  for (int i = 0; i < STAT_COUNT; i++) {
    if (!has_stat(space, i)) {
      continue;
    }
    Tensorflow__Profiler__XStatMetadata *metadata =
        pod_arena_alloc(arena, sizeof(*metadata));
    tensorflow__profiler__xstat_metadata__init(metadata);
    metadata->id = 1 + i;
    metadata->name = borrow(stat_names[i]);
    stat_entry_t *entry = pod_arena_alloc(arena, sizeof(*entry));
    tensorflow__profiler__xplane__stat_metadata_entry__init(entry);
    entry->key = 1 + i;
    entry->value = metadata;
    entries[space->stat_count++] = entry;
  }
}

static event_entry_t *make_event_entry(pod_arena_t *arena, int64_t id, const char *name,
                                       const char *display_name, size_t stat_count,
                                       xstat_t **stats) {
  Tensorflow__Profiler__XEventMetadata *metadata =
      pod_arena_alloc(arena, sizeof(*metadata));
  tensorflow__profiler__xevent_metadata__init(metadata);
  metadata->id = id;
  metadata->name = borrow(name);
  metadata->display_name = borrow(display_name);
  metadata->n_stats = stat_count;
  metadata->stats = stats;
  event_entry_t *entry = pod_arena_alloc(arena, sizeof(*entry));
  tensorflow__profiler__xplane__event_metadata_entry__init(entry);
  entry->key = id;
  entry->value = metadata;
  return entry;
}

// "all_reduce" is all-reduce to XLA.
static const char *with_hyphens(pod_arena_t *arena, const char *op, const char *suffix) {
  char *text = pod_arena_printf(arena, "%s%s", op, suffix);
  for (char *at = text; *at != '\0'; at++) {
    *at = (char)(*at == '_' ? '-' : *at);
  }
  return text;
}

static bool moves_only(const char *op) {
  static const char *const ops[] = {"transpose", "reshape", "copy",    "slice",
                                    "pad",       "reverse", "convert", "concatenate"};
  for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
    if (strcmp(op, ops[i]) == 0) {
      return true;
    }
  }
  return false;
}

// XLA's categories of operations; those that keep the MXU busy are known by these names.
static const char *category_of(pod_arena_t *arena, const podium_task_t *task) {
  switch (task->kind) {
    case PODIUM_TASK_COLLECTIVE:
      return with_hyphens(arena, task->op, "");
    case PODIUM_TASK_COLLECTIVE_START:
      return with_hyphens(arena, task->op, "-start");
    case PODIUM_TASK_COLLECTIVE_DONE:
      return with_hyphens(arena, task->op, "-done");
    case PODIUM_TASK_PREFETCH_START:
      return "copy-start";
    case PODIUM_TASK_PREFETCH_DONE:
      return "copy-done";
    case PODIUM_TASK_WHILE:
      return "while";
    case PODIUM_TASK_BRANCH:
      return "conditional";
    case PODIUM_TASK_COMPUTE:
      break;
  }
  if (task->mxu_flop > 0) {
    return task->member_count > 1 ? "convolution fusion" : "convolution";
  }
  if (task->member_count > 1) {
    return "loop fusion";
  }
  return moves_only(task->op) ? "data formatting" : "non-fusion elementwise";
}

// "train.py:12" of "train.py:12:7": XProf wants one colon.
static const char *source_of(pod_arena_t *arena, const char *source) {
  const char *first = strchr(source, ':');
  const char *second = first == NULL ? NULL : strchr(first + 1, ':');
  return second == NULL ? pod_arena_strdup(arena, source)
                        : pod_arena_text(arena, source, (size_t)(second - source));
}

// What the task moves from and to the HBM, as XProf's message of that name.
static xstat_t *access_stat(pod_arena_t *arena, const podium_task_t *task) {
  enum { READ = 1, WRITE = 2, HBM = 1 };
  const int64_t bytes[] = {task->hbm_read_bytes, task->hbm_written_bytes};
  Tensorflow__Profiler__MemoryAccessBreakdown breakdown =
      TENSORFLOW__PROFILER__MEMORY_ACCESS_BREAKDOWN__INIT;
  Tensorflow__Profiler__MemoryAccessed both[2], *list[2] = {&both[0], &both[1]};
  for (int i = 0; i < 2; i++) {
    tensorflow__profiler__memory_accessed__init(&both[i]);
    both[i].operation_type = i == 0 ? READ : WRITE;
    both[i].memory_space = HBM;
    both[i].bytes_accessed = (uint64_t)bytes[i];
  }
  breakdown.memory_accessed = list;
  breakdown.n_memory_accessed = 2;
  xstat_t *stat = make_stat(arena, STAT_MEMORY_ACCESS);
  stat->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_BYTES_VALUE;
  stat->bytes_value.len =
      tensorflow__profiler__memory_access_breakdown__get_packed_size(&breakdown);
  stat->bytes_value.data = pod_arena_alloc(arena, stat->bytes_value.len + 1);
  tensorflow__profiler__memory_access_breakdown__pack(&breakdown, stat->bytes_value.data);
  return stat;
}

static event_entry_t *make_task_entry(pod_arena_t *arena, int64_t program,
                                      const podium_program_info_t *info,
                                      const podium_profile_t *profile, int index) {
  enum { STATS_MAX = 11 };
  const podium_task_t *task = &profile->tasks[index];
  const int64_t flops = task->mxu_flop + task->vpu_op;
  xstat_t **stats = pod_arena_array(arena, STATS_MAX, sizeof(*stats));
  size_t count = 0;
  stats[count++] = count_stat(arena, STAT_PROGRAM_ID, program);
  stats[count++] = count_stat(arena, STAT_SYMBOL_ID, 1 + index);  // 0 is the root.
  stats[count++] = text_stat(arena, STAT_HLO_CATEGORY, category_of(arena, task));
  stats[count++] = text_stat(
      arena, STAT_TF_OP,
      pod_arena_printf(arena, "%s/%s:%s", profile->program, task->name, task->op));
  stats[count++] = count_stat(arena, STAT_FLOPS, flops);
  stats[count++] = count_stat(arena, STAT_MODEL_FLOPS, flops);
  stats[count++] = count_stat(arena, STAT_BYTES_ACCESSED,
                              task->hbm_read_bytes + task->hbm_written_bytes);
  stats[count++] = access_stat(arena, task);
  stats[count++] = text_stat(arena, STAT_SHAPE, pod_arena_strdup(arena, task->shape));
  stats[count++] = count_stat(arena, STAT_HBM_IN_USE, task->hbm_live_bytes);
  if (*task->source != '\0') {
    stats[count++] = text_stat(arena, STAT_SOURCE, source_of(arena, task->source));
  }
  return make_event_entry(
      arena, metadata_of_task(program, index),
      pod_arena_printf(arena, "%%%s = %s %s", task->name, task->shape, task->op),
      pod_arena_strdup(arena, profile_task_title(arena, info, task)), count, stats);
}

int64_t xplane_add_program(xplane_space_t *space, const podium_program_info_t *info,
                           const podium_profile_t *profile) {
  pod_arena_t *arena = space->arena;
  program_t *program = pod_list_add(&space->programs);
  const int64_t number = space->programs.count;
  program->count = 1 + profile->task_count;
  program->entries =
      pod_arena_array(arena, (size_t)program->count, sizeof(*program->entries));
  xstat_t **stats = pod_arena_array(arena, 1, sizeof(*stats));
  stats[0] = count_stat(arena, STAT_PROGRAM_ID, number);
  program->entries[0] = make_event_entry(
      arena, metadata_of_module(number),
      pod_arena_printf(arena, "%s(%lld)", profile->program, (long long)number),
      pod_arena_strdup(arena, profile->program), 1, stats);
  for (int i = 0; i < profile->task_count; i++) {
    program->entries[1 + i] = make_task_entry(arena, number, info, profile, i);
  }
  return number;
}

// --- Lines and events ---

static void begin_line(const xplane_space_t *space, line_t *line, int64_t id,
                       const char *name) {
  line->message = pod_arena_alloc(space->arena, sizeof(*line->message));
  tensorflow__profiler__xline__init(line->message);
  line->message->id = line->message->display_id = id;
  line->message->name = borrow(name);
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
  plane->stats[plane->n_stats++] =
      text_stat(arena, STAT_DEVICE_TYPE, pod_arena_strdup(arena, profile->device_kind));
  plane->stats[plane->n_stats++] =
      double_stat(arena, STAT_PEAK_TERAFLOPS, profile->bf16_flop_per_s / 1e12);
  plane->stats[plane->n_stats++] =
      double_stat(arena, STAT_PEAK_HBM, profile->hbm_bytes_per_s / 1e9);
  plane->stats[plane->n_stats++] =
      count_stat(arena, STAT_MEMORY_SIZE, profile->hbm_bytes);
}

static xplane_t *make_plane_message(pod_arena_t *arena, int64_t id, const char *name) {
  xplane_t *message = pod_arena_alloc(arena, sizeof(*message));
  tensorflow__profiler__xplane__init(message);
  message->id = id;
  message->name = borrow(name);
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
    const int64_t metadata = metadata_of_task(execution->program, from->task);
    const int64_t start_ps = execution->start_ps + from->start_ps;
    add_to(space, plane, LINE_OPS, metadata, start_ps, from->duration_ps, stat_count,
           stats);
    if (kind == PODIUM_TASK_COLLECTIVE_START || kind == PODIUM_TASK_PREFETCH_START) {
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
    stats[0] = count_stat(space->arena, STAT_BYTES_TRANSFERRED, from->size_bytes);
    add_to(space, plane, LINE_LINKS + from->direction,
           metadata_of_task(execution->program, from->task),
           execution->start_ps + from->start_ps, from->duration_ps, 1, stats);
  }
}

static void add_points(xplane_space_t *space, plane_t *plane, int64_t start_ps, int event,
                       int stat, const profile_counter_t *counter) {
  for (int i = 0; i < counter->count; i++) {
    xstat_t **stats = pod_arena_array(space->arena, 1, sizeof(*stats));
    stats[0] = count_stat(space->arena, stat, counter->points[i].value);
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
    stats[count++] = int_stat(arena, STAT_GROUP_ID, execution->step);
  } else {
    stats[count++] = int_stat(arena, STAT_DEVICE_OFFSET, execution->busy_ps);
    stats[count++] = int_stat(arena, STAT_DEVICE_DURATION, class->end_ps);
  }
  if (execution->link != XPLANE_NO_LINK) {
    stats[count++] = int_stat(arena, STAT_CONSUMER_TYPE, CONSUMER_OF_PJRT);
    stats[count++] = count_stat(arena, STAT_CONSUMER, execution->link);
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
  stats[has_group] = int_stat(space->arena, STAT_RUN_ID, execution->run);
  if (has_group) {
    stats[0] = int_stat(space->arena, STAT_GROUP_ID, execution->step);
  }
  add_to(space, plane, LINE_MODULES, metadata_of_module(execution->program),
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
  stats[count++] = text_stat(arena, STAT_ALLOCATOR,
                             pod_arena_printf(arena, "TPU_%d_HBM", memory->chip));
  stats[count++] = int_stat(arena, STAT_BYTES_RESERVED, memory->reserved_bytes);
  stats[count++] = int_stat(arena, STAT_BYTES_ALLOCATED, memory->allocated_bytes);
  stats[count++] = int_stat(arena, STAT_BYTES_AVAILABLE, free_bytes);
  stats[count++] = double_stat(arena, STAT_FRAGMENTATION, 0);
  stats[count++] = int_stat(arena, STAT_PEAK_BYTES, memory->peak_bytes);
  stats[count++] = int_stat(arena, STAT_REQUESTED_BYTES, size_bytes);
  stats[count++] = int_stat(arena, STAT_ALLOCATION_BYTES, size_bytes);
  stats[count++] = int_stat(arena, STAT_ADDRESS, (int64_t)memory->address);
  stats[count++] = text_stat(arena, STAT_TF_OP, pod_arena_strdup(arena, memory->name));
  stats[count++] =
      text_stat(arena, STAT_REGION_TYPE, pod_arena_strdup(arena, memory->kind));
  stats[count++] =
      text_stat(arena, STAT_TENSOR_SHAPE, pod_arena_strdup(arena, memory->shape));
  if (memory->step != XPLANE_NO_STEP && space->steps == XPLANE_STEPS_NUMBERED) {
    stats[count++] = int_stat(arena, STAT_GROUP_ID, memory->step);
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
  entries[count++] = make_event_entry(arena, EVENT_HBM, "HBM in use", "", 0, NULL);
  entries[count++] = make_event_entry(arena, EVENT_BUSY_LINKS, "links busy", "", 0, NULL);
  const int64_t *steps = plane->steps.items;
  if (plane->steps.count > 0) {
    qsort(plane->steps.items, (size_t)plane->steps.count, sizeof(int64_t), by_number);
  }
  for (int32_t i = 0; i < plane->steps.count; i++) {
    if (i == 0 || steps[i] != steps[i - 1]) {
      entries[count++] = make_event_entry(
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
      make_event_entry(arena, EVENT_ALLOCATION, "MemoryAllocation", "", 0, NULL);
  message->event_metadata[1] =
      make_event_entry(arena, EVENT_DEALLOCATION, "MemoryDeallocation", "", 0, NULL);
  message->n_event_metadata = 2;
  message->stat_metadata = space->stat_entries;
  message->n_stat_metadata = space->stat_count;
  message->stats = pod_arena_array(arena, 2, sizeof(*message->stats));
  message->stats[message->n_stats++] =
      double_stat(arena, STAT_MXU_UTILIZATION, space->mxu_percent);
  message->stats[message->n_stats++] =
      double_stat(arena, STAT_HBM_UTILIZATION, space->hbm_percent);
  return message;
}

static int by_chip(const void *left, const void *right) {
  return (*(plane_t *const *)left)->chip - (*(plane_t *const *)right)->chip;
}

uint8_t *xplane_pack(xplane_space_t *space, const char *host, const char *host_plane,
                     size_t *out_size) {
  message_t message = TENSORFLOW__PROFILER__XSPACE__INIT;
  char *hosts[1] = {borrow(host)};
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
  make_stat_entries(space);
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
