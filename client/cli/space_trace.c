// XSpaces as a Chrome trace, which Perfetto and chrome://tracing open: a process per
// chip, with a thread per line. Messages and what runs asynchronously overlap and get
// lanes; what the host allocated on a chip is a counter of the chip's.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/spaces.h"
#include "client/cli/trace_writer.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "proto/xplane/xplane.pb-c.h"

typedef Tensorflow__Profiler__XSpace space_t;
typedef Tensorflow__Profiler__XPlane plane_t;
typedef Tensorflow__Profiler__XLine line_t;
typedef Tensorflow__Profiler__XEvent event_t;
typedef Tensorflow__Profiler__XStat stat_t;
typedef Tensorflow__Profiler__XEventMetadata metadata_t;
typedef Tensorflow__Profiler__XPlane__EventMetadataEntry entry_t;

enum {
  THREAD_LANES = 1000,       // From one line's threads to the next one's.
  PROCESS_SPACES = 1000000,  // From one space's processes to the next one's.
};

typedef struct writer_t {
  trace_writer_t events;
  int64_t base_ns;  // The beginning of the axis.
  int64_t left_out;
} writer_t;

// A plane whose metadata is in order.
typedef struct view_t {
  const plane_t *plane;
  int process;
} view_t;

static int by_key(const void *left, const void *right) {
  const entry_t *a = *(entry_t *const *)left, *b = *(entry_t *const *)right;
  return (a->key > b->key) - (a->key < b->key);
}

static const metadata_t *metadata_of(const view_t *view, const event_t *event) {
  size_t low = 0, high = view->plane->n_event_metadata;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (view->plane->event_metadata[middle]->key < event->metadata_id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < view->plane->n_event_metadata &&
                 view->plane->event_metadata[low]->key == event->metadata_id
             ? view->plane->event_metadata[low]->value
             : NULL;
}

static const char *stat_name(const view_t *view, const stat_t *stat) {
  for (size_t i = 0; i < view->plane->n_stat_metadata; i++) {
    if (view->plane->stat_metadata[i]->key == stat->metadata_id) {
      return view->plane->stat_metadata[i]->value->name;
    }
  }
  return "";
}

static double number_of(const stat_t *stat) {
  switch (stat->value_case) {
    case TENSORFLOW__PROFILER__XSTAT__VALUE_UINT64_VALUE:
      return (double)stat->uint64_value;
    case TENSORFLOW__PROFILER__XSTAT__VALUE_INT64_VALUE:
      return (double)stat->int64_value;
    case TENSORFLOW__PROFILER__XSTAT__VALUE_DOUBLE_VALUE:
      return stat->double_value;
    default:
      return 0;
  }
}

static int64_t start_of(const writer_t *writer, const line_t *line,
                        const event_t *event) {
  return (line->timestamp_ns - writer->base_ns) * 1000 + event->offset_ps;
}

// --- Slices ---

static void add_stat(cJSON *args, const view_t *view, const stat_t *stat) {
  static const char *const names[] = {"hlo_category", "flops",  "bytes_accessed",
                                      "source",       "run_id", "bytes_transferred"};
  const char *name = stat_name(view, stat);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(name, names[i]) != 0) {
      continue;
    }
    if (stat->value_case == TENSORFLOW__PROFILER__XSTAT__VALUE_STR_VALUE) {
      cJSON_AddStringToObject(args, name, stat->str_value);
    } else {
      cJSON_AddNumberToObject(args, name, number_of(stat));
    }
  }
}

static const char *title_of(const metadata_t *metadata) {
  return *metadata->display_name != '\0' ? metadata->display_name : metadata->name;
}

static void write_slice(writer_t *writer, const view_t *view, const line_t *line,
                        const event_t *event, int thread) {
  const metadata_t *metadata = metadata_of(view, event);
  if (metadata == NULL) {
    return;
  }
  cJSON *slice = trace_event("X", title_of(metadata), view->process, thread);
  cJSON_AddStringToObject(slice, "cat", line->name);
  trace_add_time(slice, "ts", start_of(writer, line, event), 1000000);
  trace_add_time(slice, "dur", event->duration_ps, 1000000);
  cJSON *args = cJSON_AddObjectToObject(slice, "args");
  for (size_t i = 0; i < metadata->n_stats; i++) {
    add_stat(args, view, metadata->stats[i]);
  }
  for (size_t i = 0; i < event->n_stats; i++) {
    add_stat(args, view, event->stats[i]);
  }
  trace_write(&writer->events, slice);
}

// What is on these lines nests; loops hold what is in them.
static bool nests(const line_t *line) {
  return strcmp(line->name, "Steps") == 0 || strcmp(line->name, "XLA Modules") == 0 ||
         strcmp(line->name, "XLA Ops") == 0;
}

static void write_slices(writer_t *writer, const view_t *view, const line_t *line) {
  trace_lanes_t *lanes = pod_alloc(sizeof(*lanes));
  lanes->count = nests(line);
  const int first = (int)line->id * THREAD_LANES;
  for (size_t i = 0; i < line->n_events; i++) {
    const event_t *event = line->events[i];
    const int lane = nests(line) ? 0
                                 : trace_find_lane(lanes, event->offset_ps,
                                                   event->offset_ps + event->duration_ps);
    if (lane < 0) {
      writer->left_out++;
    } else {
      write_slice(writer, view, line, event, first + lane);
    }
  }
  for (int lane = 0; lane < lanes->count; lane++) {
    char name[64];
    if (lane == 0) {
      snprintf(name, sizeof(name), "%s", line->name);
    } else {
      snprintf(name, sizeof(name), "%s (%d)", line->name, lane + 1);
    }
    trace_write_name(&writer->events, "thread_name", view->process, first + lane, name,
                     first + lane);
  }
  free(lanes);
}

// --- Counters ---

static void write_counter(writer_t *writer, int process, const char *name,
                          const char *unit, int64_t at_ps, double value) {
  cJSON *event = trace_event("C", name, process, 0);
  trace_add_time(event, "ts", at_ps, 1000000);
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddNumberToObject(args, unit, value);
  trace_write(&writer->events, event);
}

static void write_counters(writer_t *writer, const view_t *view, const line_t *line) {
  for (size_t i = 0; i < line->n_events; i++) {
    const event_t *event = line->events[i];
    const metadata_t *metadata = metadata_of(view, event);
    if (metadata != NULL && event->n_stats > 0) {
      write_counter(writer, view->process, metadata->name,
                    stat_name(view, event->stats[0]), start_of(writer, line, event),
                    number_of(event->stats[0]));
    }
  }
}

// By buffers and by programs that run, after each allocation.
static void write_allocations(writer_t *writer, const view_t *view, const line_t *line,
                              int process) {
  for (size_t i = 0; i < line->n_events; i++) {
    const event_t *event = line->events[i];
    double bytes = 0;
    for (size_t s = 0; s < event->n_stats; s++) {
      const char *name = stat_name(view, event->stats[s]);
      if (strcmp(name, "bytes_allocated") == 0 || strcmp(name, "bytes_reserved") == 0) {
        bytes += number_of(event->stats[s]);
      }
    }
    write_counter(writer, process, "HBM allocated", "bytes",
                  start_of(writer, line, event), bytes);
  }
}

// --- Planes ---

static void write_chip(writer_t *writer, const view_t *view, const cli_space_t *space,
                       bool is_only) {
  pod_text_t name = {0};
  pod_text_printf(&name, "chip %lld: predicted", (long long)view->plane->id);
  if (!is_only) {
    pod_text_printf(&name, ", of process %s", space->process);
  }
  trace_write_name(&writer->events, "process_name", view->process, 0, name.bytes, 0);
  pod_text_deinit(&name);
  for (size_t i = 0; i < view->plane->n_lines; i++) {
    const line_t *line = view->plane->lines[i];
    if (strcmp(line->name, "_counters_") == 0) {
      write_counters(writer, view, line);
    } else if (line->n_events > 0) {
      write_slices(writer, view, line);
    }
  }
}

static void write_plane(writer_t *writer, const plane_t *plane, int space_index,
                        const cli_space_t *space, bool is_only) {
  if (plane->n_event_metadata > 0) {
    qsort(plane->event_metadata, plane->n_event_metadata, sizeof(entry_t *), by_key);
  }
  const int first = space_index * PROCESS_SPACES + 1;
  if (strncmp(plane->name, "/device:TPU:", 12) == 0) {
    const view_t view = {.plane = plane, .process = first + (int)plane->id};
    write_chip(writer, &view, space, is_only);
    return;
  }
  // A line per chip, which is its id less one.
  const view_t view = {.plane = plane};
  for (size_t i = 0; i < plane->n_lines; i++) {
    write_allocations(writer, &view, plane->lines[i],
                      first + (int)plane->lines[i]->id - 1);
  }
}

// --- The whole ---

typedef struct spaces_t {
  space_t **items;
  int count;
} spaces_t;

static void find_base(writer_t *writer, const spaces_t *spaces) {
  writer->base_ns = INT64_MAX;
  for (int s = 0; s < spaces->count; s++) {
    for (size_t p = 0; p < spaces->items[s]->n_planes; p++) {
      const plane_t *plane = spaces->items[s]->planes[p];
      for (size_t l = 0; l < plane->n_lines; l++) {
        const int64_t at_ns = plane->lines[l]->timestamp_ns;
        writer->base_ns = at_ns < writer->base_ns ? at_ns : writer->base_ns;
      }
    }
  }
}

static void write_all(writer_t *writer, const spaces_t *spaces,
                      const cli_space_t *sources) {
  cli_output_add(writer->events.output, "{\"traceEvents\":[");
  for (int s = 0; s < spaces->count; s++) {
    for (size_t p = 0; p < spaces->items[s]->n_planes; p++) {
      write_plane(writer, spaces->items[s]->planes[p], s, &sources[s],
                  spaces->count == 1);
    }
  }
  char end[128];
  snprintf(end, sizeof(end),
           "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"events_left_out\":%lld}}\n",
           (long long)writer->left_out);
  cli_output_add(writer->events.output, end);
}

pod_status_t cli_write_space_trace(const char *path, bool is_gzip,
                                   const cli_space_t *sources, int count) {
  spaces_t spaces = {.items = pod_alloc(((size_t)count + 1) * sizeof(space_t *))};
  pod_status_t status = NULL;
  for (int i = 0; status == NULL && i < count; i++) {
    space_t *space = tensorflow__profiler__xspace__unpack(
        NULL, sources[i].size, (const uint8_t *)sources[i].bytes);
    if (space == NULL) {
      status = pod_error(POD_INTERNAL, "what process %s wrote is no profile",
                         sources[i].process);
    } else {
      spaces.items[spaces.count++] = space;
    }
  }
  writer_t writer = {0};
  if (status == NULL) {
    status = cli_output_open(path, is_gzip, &writer.events.output);
  }
  if (status == NULL) {
    find_base(&writer, &spaces);
    write_all(&writer, &spaces, sources);
    status = cli_output_close(writer.events.output);
  }
  for (int i = 0; i < spaces.count; i++) {
    tensorflow__profiler__xspace__free_unpacked(spaces.items[i], NULL);
  }
  free(spaces.items);
  return status;
}
