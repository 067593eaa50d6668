// The profile in the layout that TensorBoard's profile plugin and XProf read:
// DIR/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz.
//
// As on a TPU there is a plane per chip, "/device:TPU:3", with the lines "Steps", "XLA
// Modules", "XLA Ops" and "Async XLA Ops"; what an operation is and what it costs is in
// the metadata of its events, under the names that XProf knows (program_id and symbol_id
// make it count). The line "_counters_" has the HBM in use and the busy links. Chips of a
// class are one plane, that of the chip that stands for them.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/counters.h"
#include "client/cli/output.h"
#include "client/cli/sums.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/xplane/xplane.pb-c.h"

typedef Tensorflow__Profiler__XSpace xspace_t;
typedef Tensorflow__Profiler__XPlane xplane_t;
typedef Tensorflow__Profiler__XLine xline_t;
typedef Tensorflow__Profiler__XEvent xevent_t;
typedef Tensorflow__Profiler__XStat xstat_t;

enum {
  PLANES_MAX = 256,
  PROGRAM_ID = 1,
  LINE_STEPS = 1,
  LINE_MODULES = 2,
  LINE_OPS = 3,
  LINE_ASYNC = 4,
  LINE_LINKS = 10,  // And the direction.
  LINE_COUNTERS = 16,
  LINES_MAX = 11,
  // Metadata of events: the step, the module, then the tasks.
  EVENT_STEP = 1,
  EVENT_MODULE = 2,
  EVENT_HBM = 3,
  EVENT_BUSY_LINKS = 4,
  EVENT_TASKS = 5,
};

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

// --- Metadata, the same for all planes ---

typedef Tensorflow__Profiler__XPlane__EventMetadataEntry event_entry_t;
typedef Tensorflow__Profiler__XPlane__StatMetadataEntry stat_entry_t;

static stat_entry_t **make_stat_entries(pod_arena_t *arena) {
  stat_entry_t **entries = pod_arena_array(arena, STAT_COUNT, sizeof(*entries));
  for (int i = 0; i < STAT_COUNT; i++) {
    Tensorflow__Profiler__XStatMetadata *metadata =
        pod_arena_alloc(arena, sizeof(*metadata));
    tensorflow__profiler__xstat_metadata__init(metadata);
    metadata->id = 1 + i;
    metadata->name = borrow(stat_names[i]);
    entries[i] = pod_arena_alloc(arena, sizeof(**entries));
    tensorflow__profiler__xplane__stat_metadata_entry__init(entries[i]);
    entries[i]->key = 1 + i;
    entries[i]->value = metadata;
  }
  return entries;
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
  return second == NULL ? source
                        : pod_arena_text(arena, source, (size_t)(second - source));
}

static event_entry_t *make_task_entry(pod_arena_t *arena,
                                      const podium_program_info_t *info,
                                      const podium_profile_t *profile, int index) {
  enum { STATS_MAX = 10 };
  const podium_task_t *task = &profile->tasks[index];
  const int64_t flops = task->mxu_flop + task->vpu_op;
  xstat_t **stats = pod_arena_array(arena, STATS_MAX, sizeof(*stats));
  size_t count = 0;
  stats[count++] = count_stat(arena, STAT_PROGRAM_ID, PROGRAM_ID);
  stats[count++] = count_stat(arena, STAT_SYMBOL_ID, 1 + index);  // 0 is the root.
  stats[count++] = text_stat(arena, STAT_HLO_CATEGORY, category_of(arena, task));
  stats[count++] = text_stat(
      arena, STAT_TF_OP,
      pod_arena_printf(arena, "%s/%s:%s", profile->program, task->name, task->op));
  stats[count++] = count_stat(arena, STAT_FLOPS, flops);
  stats[count++] = count_stat(arena, STAT_MODEL_FLOPS, flops);
  stats[count++] = count_stat(arena, STAT_BYTES_ACCESSED,
                              task->hbm_read_bytes + task->hbm_written_bytes);
  stats[count++] = text_stat(arena, STAT_SHAPE, task->shape);
  stats[count++] = count_stat(arena, STAT_HBM_IN_USE, task->hbm_live_bytes);
  if (*task->source != '\0') {
    stats[count++] = text_stat(arena, STAT_SOURCE, source_of(arena, task->source));
  }
  return make_event_entry(
      arena, EVENT_TASKS + index,
      pod_arena_printf(arena, "%%%s = %s %s", task->name, task->shape, task->op),
      cli_task_title(arena, info, task), count, stats);
}

static event_entry_t **make_event_entries(pod_arena_t *arena,
                                          const podium_program_info_t *info,
                                          const podium_profile_t *profile) {
  event_entry_t **entries = pod_arena_array(
      arena, (size_t)profile->task_count + EVENT_TASKS - 1, sizeof(*entries));
  xstat_t **stats = pod_arena_array(arena, 1, sizeof(*stats));
  stats[0] = count_stat(arena, STAT_PROGRAM_ID, PROGRAM_ID);
  entries[0] = make_event_entry(arena, EVENT_STEP, "0", "", 0, NULL);
  entries[1] =
      make_event_entry(arena, EVENT_MODULE,
                       pod_arena_printf(arena, "%s(%d)", profile->program, PROGRAM_ID),
                       profile->program, 1, stats);
  entries[2] = make_event_entry(arena, EVENT_HBM, "HBM in use", "", 0, NULL);
  entries[3] = make_event_entry(arena, EVENT_BUSY_LINKS, "links busy", "", 0, NULL);
  for (int i = 0; i < profile->task_count; i++) {
    entries[EVENT_TASKS - 1 + i] = make_task_entry(arena, info, profile, i);
  }
  return entries;
}

// --- Planes ---

static xevent_t *make_event(pod_arena_t *arena, int64_t metadata, int64_t start_ps,
                            int64_t duration_ps, size_t stat_count, xstat_t **stats) {
  xevent_t *event = pod_arena_alloc(arena, sizeof(*event));
  tensorflow__profiler__xevent__init(event);
  event->metadata_id = metadata;
  event->data_case = TENSORFLOW__PROFILER__XEVENT__DATA_OFFSET_PS;
  event->offset_ps = start_ps;
  event->duration_ps = duration_ps;
  event->n_stats = stat_count;
  event->stats = stats;
  return event;
}

static xline_t *add_line(pod_arena_t *arena, xplane_t *plane, int64_t id,
                         const char *name, int64_t end_ps, size_t capacity) {
  xline_t *line = pod_arena_alloc(arena, sizeof(*line));
  tensorflow__profiler__xline__init(line);
  line->id = line->display_id = id;
  line->name = borrow(name);
  line->duration_ps = end_ps;
  line->events = pod_arena_array(arena, capacity, sizeof(*line->events));
  plane->lines[plane->n_lines++] = line;
  return line;
}

static void add_tasks(pod_arena_t *arena, xplane_t *plane,
                      const podium_profile_t *profile, const podium_chip_class_t *class,
                      xstat_t **group) {
  const size_t count = (size_t) class->event_count;
  xline_t *ops = add_line(arena, plane, LINE_OPS, "XLA Ops", class->end_ps, count);
  xline_t *flights =
      add_line(arena, plane, LINE_ASYNC, "Async XLA Ops", class->end_ps, count);
  for (size_t i = 0; i < count; i++) {
    const podium_task_event_t *from = &class->events[i];
    const podium_task_kind_t kind = profile->tasks[from->task].kind;
    ops->events[ops->n_events++] = make_event(
        arena, EVENT_TASKS + from->task, from->start_ps, from->duration_ps, 1, group);
    if (kind == PODIUM_TASK_COLLECTIVE_START || kind == PODIUM_TASK_PREFETCH_START) {
      flights->events[flights->n_events++] = make_event(
          arena, EVENT_TASKS + from->task, from->start_ps, from->flight_ps, 1, group);
    }
  }
}

static void add_links(pod_arena_t *arena, xplane_t *plane,
                      const podium_chip_class_t *class) {
  static const char *const names[] = {"ICI +x", "ICI -x", "ICI +y",
                                      "ICI -y", "ICI +z", "ICI -z"};
  for (int direction = 0; direction < 6; direction++) {
    size_t count = 0;
    for (int i = 0; i < class->message_count; i++) {
      count += class->messages[i].direction == direction;
    }
    if (count == 0) {
      continue;
    }
    xline_t *line = add_line(arena, plane, LINE_LINKS + direction, names[direction],
                             class->end_ps, count);
    for (int i = 0; i < class->message_count; i++) {
      const podium_message_t *from = &class->messages[i];
      if (from->direction == direction) {
        xstat_t **stats = pod_arena_array(arena, 1, sizeof(*stats));
        stats[0] = count_stat(arena, STAT_BYTES_TRANSFERRED, from->size_bytes);
        line->events[line->n_events++] = make_event(
            arena, EVENT_TASKS + from->task, from->start_ps, from->duration_ps, 1, stats);
      }
    }
  }
}

static void add_points(pod_arena_t *arena, xline_t *line, int event, int stat,
                       const cli_counter_t *counter) {
  for (int i = 0; i < counter->count; i++) {
    xstat_t **stats = pod_arena_array(arena, 1, sizeof(*stats));
    stats[0] = count_stat(arena, stat, counter->points[i].value);
    line->events[line->n_events++] =
        make_event(arena, event, counter->points[i].at_ps, 0, 1, stats);
  }
}

static void add_counters(pod_arena_t *arena, xplane_t *plane,
                         const podium_profile_t *profile,
                         const podium_chip_class_t *class) {
  const cli_counter_t hbm = cli_count_hbm(arena, profile, class);
  const cli_counter_t links = cli_count_busy_links(arena, class);
  xline_t *line = add_line(arena, plane, LINE_COUNTERS, "_counters_", class->end_ps,
                           (size_t)hbm.count + (size_t)links.count);
  add_points(arena, line, EVENT_HBM, STAT_BYTES, &hbm);
  add_points(arena, line, EVENT_BUSY_LINKS, STAT_LINKS, &links);
}

static void add_plane_stats(pod_arena_t *arena, xplane_t *plane,
                            const podium_profile_t *profile) {
  plane->stats = pod_arena_array(arena, 4, sizeof(*plane->stats));
  plane->stats[plane->n_stats++] =
      text_stat(arena, STAT_DEVICE_TYPE, profile->device_kind);
  plane->stats[plane->n_stats++] =
      double_stat(arena, STAT_PEAK_TERAFLOPS, profile->bf16_flop_per_s / 1e12);
  plane->stats[plane->n_stats++] =
      double_stat(arena, STAT_PEAK_HBM, profile->hbm_bytes_per_s / 1e9);
  plane->stats[plane->n_stats++] =
      count_stat(arena, STAT_MEMORY_SIZE, profile->hbm_bytes);
}

static xplane_t *make_plane(pod_arena_t *arena, const podium_profile_t *profile,
                            const podium_chip_class_t *class) {
  xplane_t *plane = pod_arena_alloc(arena, sizeof(*plane));
  tensorflow__profiler__xplane__init(plane);
  plane->id = class->representative;
  plane->name = pod_arena_printf(arena, "/device:TPU:%d", class->representative);
  plane->lines = pod_arena_array(arena, LINES_MAX, sizeof(*plane->lines));
  add_plane_stats(arena, plane, profile);
  xstat_t **group = pod_arena_array(arena, 2, sizeof(*group));
  group[0] = int_stat(arena, STAT_GROUP_ID, 0);
  group[1] = int_stat(arena, STAT_RUN_ID, 1);
  xline_t *steps = add_line(arena, plane, LINE_STEPS, "Steps", class->end_ps, 1);
  steps->events[steps->n_events++] =
      make_event(arena, EVENT_STEP, 0, class->end_ps, 1, group);
  xline_t *modules =
      add_line(arena, plane, LINE_MODULES, "XLA Modules", class->end_ps, 1);
  modules->events[modules->n_events++] =
      make_event(arena, EVENT_MODULE, 0, class->end_ps, 2, group);
  add_tasks(arena, plane, profile, class, group);
  add_links(arena, plane, class);
  add_counters(arena, plane, profile, class);
  return plane;
}

static xspace_t *make_space(pod_arena_t *arena, const podium_program_info_t *info,
                            const podium_profile_t *profile, const char *host) {
  xspace_t *space = pod_arena_alloc(arena, sizeof(*space));
  tensorflow__profiler__xspace__init(space);
  space->hostnames = pod_arena_array(arena, 1, sizeof(*space->hostnames));
  space->hostnames[space->n_hostnames++] = borrow(host);
  const int count = profile->class_count < PLANES_MAX ? profile->class_count : PLANES_MAX;
  space->planes = pod_arena_array(arena, (size_t)count, sizeof(*space->planes));
  event_entry_t **events = make_event_entries(arena, info, profile);
  stat_entry_t **stats = make_stat_entries(arena);
  for (int i = 0; i < count; i++) {
    xplane_t *plane = make_plane(arena, profile, &profile->classes[i]);
    plane->event_metadata = events;
    plane->n_event_metadata = (size_t)profile->task_count + EVENT_TASKS - 1;
    plane->stat_metadata = stats;
    plane->n_stat_metadata = STAT_COUNT;
    space->planes[space->n_planes++] = plane;
  }
  return space;
}

// --- Files ---

// Makes the folder and those above it.
static pod_status_t make_folders(const char *path) {
  char *copy = pod_strdup(path);
  pod_status_t status = NULL;
  for (char *at = copy + 1; status == NULL; at++) {
    if (*at != '/' && *at != '\0') {
      continue;
    }
    const char kept = *at;
    *at = '\0';
    if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
      status = pod_error(POD_INVALID_ARGUMENT, "%s: %s", copy, strerror(errno));
    }
    *at = kept;
    if (kept == '\0') {
      break;
    }
  }
  free(copy);
  return status;
}

// A run's folder of its own, named after the time, as the plugin lists them.
static pod_status_t make_run_folder(const char *folder, pod_text_t *path) {
  pod_text_printf(path, "%s/plugins/profile", folder);
  POD_TRY(make_folders(path->bytes));
  char when[32];
  struct tm local;
  const time_t now = time(NULL);
  localtime_r(&now, &local);
  strftime(when, sizeof(when), "%Y_%m_%d_%H_%M_%S", &local);
  const size_t length = path->length;
  for (int i = 0; i < 1000; i++) {
    path->length = length;
    pod_text_printf(path, "/%s", when);
    if (i > 0) {
      pod_text_printf(path, "_%d", i);
    }
    if (mkdir(path->bytes, 0777) == 0) {
      return NULL;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path->bytes, strerror(errno));
}

// The nearest folder that is there takes files: those below it can be made.
pod_status_t cli_check_xplane(const char *folder) {
  char *path = pod_strdup(folder);
  struct stat info;
  while (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR) &&
         strrchr(path, '/') != NULL && strrchr(path, '/') != path) {
    *strrchr(path, '/') = '\0';
  }
  const char *nearest = stat(path, &info) == 0 ? path : *path == '/' ? "/" : ".";
  pod_status_t status = NULL;
  if (stat(nearest, &info) == 0 && !S_ISDIR(info.st_mode)) {
    errno = ENOTDIR;
    status = pod_error(POD_INVALID_ARGUMENT, "--xplane: cannot write %s: %s", folder,
                       strerror(errno));
  } else if (access(nearest, W_OK | X_OK) != 0) {
    status = pod_error(POD_PERMISSION_DENIED, "--xplane: cannot write %s: %s", folder,
                       strerror(errno));
  }
  free(path);
  return status;
}

static pod_status_t write_space(const char *path, const xspace_t *space) {
  const size_t size_bytes = tensorflow__profiler__xspace__get_packed_size(space);
  uint8_t *bytes = pod_alloc(size_bytes);
  tensorflow__profiler__xspace__pack(space, bytes);
  cli_output_t *output;
  pod_status_t status = cli_output_open(path, false, &output);
  if (status == NULL) {
    cli_output_write(output, bytes, size_bytes);
    status = cli_output_close(output);
  }
  free(bytes);
  return status;
}

pod_status_t cli_write_xplane(const char *folder, const podium_program_info_t *info,
                              const podium_profile_t *profile) {
  char host[256] = "podium";
  if (gethostname(host, sizeof(host) - 1) != 0 || *host == '\0' ||
      strchr(host, '/') != NULL) {
    snprintf(host, sizeof(host), "podium");
  }
  pod_text_t path = {0};
  pod_arena_t *arena = pod_arena_create();
  pod_status_t status = make_run_folder(folder, &path);
  const size_t length = path.length;
  if (status == NULL) {
    pod_text_printf(&path, "/%s.xplane.pb", host);
    status = write_space(path.bytes, make_space(arena, info, profile, host));
  }
  if (status == NULL) {
    path.length = length;
    pod_text_printf(&path, "/%s.trace.json.gz", host);
    status = cli_write_trace(path.bytes, true, info, profile);
  }
  pod_arena_destroy(arena);
  pod_text_deinit(&path);
  return status;
}
