// What an operation is and what it costs, in the metadata of its events, under the names
// that XProf knows (program_id and symbol_id make it count).

#include <string.h>

#include "client/profile/sums.h"
#include "client/profile/xplane_private.h"
#include "proto/xplane/op_metrics.pb-c.h"

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

// --- Stats ---

static xstat_t *make_stat(pod_arena_t *arena, int stat) {
  xstat_t *message = pod_arena_alloc(arena, sizeof(*message));
  tensorflow__profiler__xstat__init(message);
  message->metadata_id = 1 + stat;
  return message;
}

xstat_t *xplane_text_stat(pod_arena_t *arena, int stat, const char *text) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_STR_VALUE;
  message->str_value = xplane_borrow(text);
  return message;
}

xstat_t *xplane_count_stat(pod_arena_t *arena, int stat, int64_t value) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_UINT64_VALUE;
  message->uint64_value = (uint64_t)value;
  return message;
}

xstat_t *xplane_int_stat(pod_arena_t *arena, int stat, int64_t value) {
  xstat_t *message = make_stat(arena, stat);
  message->value_case = TENSORFLOW__PROFILER__XSTAT__VALUE_INT64_VALUE;
  message->int64_value = value;
  return message;
}

xstat_t *xplane_double_stat(pod_arena_t *arena, int stat, double value) {
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

void xplane_make_stat_entries(xplane_space_t *space) {
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
    metadata->name = xplane_borrow(stat_names[i]);
    stat_entry_t *entry = pod_arena_alloc(arena, sizeof(*entry));
    tensorflow__profiler__xplane__stat_metadata_entry__init(entry);
    entry->key = 1 + i;
    entry->value = metadata;
    entries[space->stat_count++] = entry;
  }
}

event_entry_t *xplane_make_event_entry(pod_arena_t *arena, int64_t id, const char *name,
                                       const char *display_name, size_t stat_count,
                                       xstat_t **stats) {
  Tensorflow__Profiler__XEventMetadata *metadata =
      pod_arena_alloc(arena, sizeof(*metadata));
  tensorflow__profiler__xevent_metadata__init(metadata);
  metadata->id = id;
  metadata->name = xplane_borrow(name);
  metadata->display_name = xplane_borrow(display_name);
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
    case PODIUM_TASK_TRANSFER_START:
      return "copy-start";
    case PODIUM_TASK_PREFETCH_DONE:
    case PODIUM_TASK_TRANSFER_DONE:
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
  stats[count++] = xplane_count_stat(arena, STAT_PROGRAM_ID, program);
  stats[count++] = xplane_count_stat(arena, STAT_SYMBOL_ID, 1 + index);  // 0 is the root.
  stats[count++] = xplane_text_stat(arena, STAT_HLO_CATEGORY, category_of(arena, task));
  stats[count++] = xplane_text_stat(
      arena, STAT_TF_OP,
      pod_arena_printf(arena, "%s/%s:%s", profile->program, task->name, task->op));
  stats[count++] = xplane_count_stat(arena, STAT_FLOPS, flops);
  stats[count++] = xplane_count_stat(arena, STAT_MODEL_FLOPS, flops);
  stats[count++] = xplane_count_stat(arena, STAT_BYTES_ACCESSED,
                                     task->hbm_read_bytes + task->hbm_written_bytes);
  stats[count++] = access_stat(arena, task);
  stats[count++] =
      xplane_text_stat(arena, STAT_SHAPE, pod_arena_strdup(arena, task->shape));
  stats[count++] = xplane_count_stat(arena, STAT_HBM_IN_USE, task->hbm_live_bytes);
  if (*task->source != '\0') {
    stats[count++] = xplane_text_stat(arena, STAT_SOURCE, source_of(arena, task->source));
  }
  return xplane_make_event_entry(
      arena, xplane_task_metadata(program, index),
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
  stats[0] = xplane_count_stat(arena, STAT_PROGRAM_ID, number);
  program->entries[0] = xplane_make_event_entry(
      arena, xplane_module_metadata(number),
      pod_arena_printf(arena, "%s(%lld)", profile->program, (long long)number),
      pod_arena_strdup(arena, profile->program), 1, stats);
  for (int i = 0; i < profile->task_count; i++) {
    program->entries[1 + i] = make_task_entry(arena, number, info, profile, i);
  }
  return number;
}
