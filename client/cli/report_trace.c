// Rows and columns are those of common/report/README.md. What a report has put together,
// many short tasks in a row, is one slice here too.

#include "client/cli/report_trace.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/output.h"
#include "client/cli/trace_writer.h"

enum { THREAD_CORE = 1, THREAD_FLIGHTS = 1000, PS_PER_US = 1000000 };

typedef struct writer_t {
  trace_writer_t events;
  const cJSON *tasks;
  int name_column, kind_column, op_column, shape_column, source_column;
  int64_t left_out;
} writer_t;

static int64_t number_at(const cJSON *row, int index) {
  const cJSON *item = cJSON_GetArrayItem(row, index);
  return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

static const char *text_at(const cJSON *row, int index) {
  const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(row, index));
  return text == NULL ? "" : text;
}

static int64_t number_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

static int find_column(const cJSON *columns, const char *name) {
  int index = 0;
  const cJSON *column;
  cJSON_ArrayForEach(column, columns) {
    if (cJSON_IsString(column) && strcmp(column->valuestring, name) == 0) {
      return index;
    }
    index++;
  }
  return -1;
}

// The slice of a row `[start_ps, duration_ps, task, …]`; -1 is no task.
static cJSON *slice_of(const writer_t *writer, const cJSON *row, int process,
                       int thread) {
  const int64_t index = number_at(row, 2);
  const cJSON *task = index >= 0 ? cJSON_GetArrayItem(writer->tasks, (int)index) : NULL;
  char together[64];
  snprintf(together, sizeof(together), "%lld short tasks", (long long)number_at(row, 3));
  cJSON *event = trace_event(
      "X", task == NULL ? together : text_at(task, writer->name_column), process, thread);
  trace_add_time(event, "ts", number_at(row, 0), PS_PER_US);
  trace_add_time(event, "dur", number_at(row, 1), PS_PER_US);
  if (task != NULL) {
    cJSON_AddStringToObject(event, "cat", text_at(task, writer->kind_column));
    cJSON *args = cJSON_AddObjectToObject(event, "args");
    cJSON_AddStringToObject(args, "op", text_at(task, writer->op_column));
    cJSON_AddStringToObject(args, "shape", text_at(task, writer->shape_column));
    cJSON_AddStringToObject(args, "source", text_at(task, writer->source_column));
  }
  return event;
}

static void write_core(writer_t *writer, const cJSON *timeline, int process) {
  const cJSON *row;
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(timeline, "core")) {
    trace_write(&writer->events, slice_of(writer, row, process, THREAD_CORE));
  }
  trace_write_name(&writer->events, "thread_name", process, THREAD_CORE, "core", 0);
}

static void write_flights(writer_t *writer, const cJSON *timeline, int process) {
  trace_lanes_t lanes = {0};
  const cJSON *row;
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(timeline, "flights")) {
    const int lane =
        trace_find_lane(&lanes, number_at(row, 0), number_at(row, 0) + number_at(row, 1));
    if (lane < 0) {
      writer->left_out++;
    } else {
      trace_write(&writer->events, slice_of(writer, row, process, THREAD_FLIGHTS + lane));
    }
  }
  for (int lane = 0; lane < lanes.count; lane++) {
    trace_write_name(&writer->events, "thread_name", process, THREAD_FLIGHTS + lane,
                     "in flight", 1 + lane);
  }
}

static void write_hbm(writer_t *writer, const cJSON *timeline, int process) {
  const cJSON *row;
  cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(timeline, "hbm")) {
    cJSON *event = trace_event("C", "HBM in use", process, 0);
    trace_add_time(event, "ts", number_at(row, 0), PS_PER_US);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(event, "args"), "bytes",
                            (double)number_at(row, 1));
    trace_write(&writer->events, event);
  }
}

static void write_class(writer_t *writer, const cJSON *class) {
  const cJSON *timeline = cJSON_GetObjectItemCaseSensitive(class, "timeline");
  if (timeline == NULL) {
    writer->left_out++;
    return;
  }
  const int chip = (int)number_of(class, "representative");
  const int64_t chips = number_of(class, "chips");
  char name[64];
  if (chips > 1) {
    snprintf(name, sizeof(name), "chip %d, and %lld like it", chip,
             (long long)(chips - 1));
  } else {
    snprintf(name, sizeof(name), "chip %d", chip);
  }
  trace_write_name(&writer->events, "process_name", chip + 1, 0, name, chip);
  write_core(writer, timeline, chip + 1);
  write_flights(writer, timeline, chip + 1);
  write_hbm(writer, timeline, chip + 1);
  writer->left_out += number_of(timeline, "flights_left_out");
  writer->left_out += number_of(timeline, "events_dropped");
}

static void write_all(writer_t *writer, const cJSON *times) {
  cli_output_add(writer->events.output, "{\"traceEvents\":[");
  const cJSON *class;
  cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(times, "classes")) {
    write_class(writer, class);
  }
  char end[128];
  snprintf(end, sizeof(end),
           "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"events_left_out\":%lld}}\n",
           (long long)writer->left_out);
  cli_output_add(writer->events.output, end);
}

static pod_status_t write_times(const char *path, const cJSON *times) {
  const cJSON *columns = cJSON_GetObjectItemCaseSensitive(times, "task_columns");
  writer_t writer = {.tasks = cJSON_GetObjectItemCaseSensitive(times, "tasks"),
                     .name_column = find_column(columns, "name"),
                     .kind_column = find_column(columns, "kind"),
                     .op_column = find_column(columns, "op"),
                     .shape_column = find_column(columns, "shape"),
                     .source_column = find_column(columns, "source")};
  POD_TRY(cli_output_open(path, false, &writer.events.output));
  write_all(&writer, times);
  return cli_output_close(writer.events.output);
}

pod_status_t cli_write_report_trace(const char *path, const char *json,
                                    size_t json_bytes) {
  cJSON *report = cJSON_ParseWithLength(json, json_bytes);
  if (report == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "what came is no report");
  }
  const cJSON *times = cJSON_GetObjectItemCaseSensitive(report, "times");
  const char *reason =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(report, "no_times"));
  const pod_status_t status =
      times != NULL ? write_times(path, times)
                    : pod_error(POD_FAILED_PRECONDITION, "the report has no times: %s",
                                reason != NULL ? reason : "nothing was simulated");
  cJSON_Delete(report);
  return status;
}
