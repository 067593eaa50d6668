// The "Trace Event Format": https://ui.perfetto.dev and chrome://tracing read it.

#include "client/cli/trace_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void trace_write(trace_writer_t *writer, cJSON *event) {
  char *text = cJSON_PrintUnformatted(event);
  cli_output_add(writer->output, writer->has_event ? ",\n" : "\n");
  cli_output_add(writer->output, text);
  writer->has_event = true;
  free(text);
  cJSON_Delete(event);
}

cJSON *trace_event(const char *phase, const char *name, int process, int thread) {
  cJSON *event = cJSON_CreateObject();
  cJSON_AddStringToObject(event, "ph", phase);
  cJSON_AddStringToObject(event, "name", name);
  cJSON_AddNumberToObject(event, "pid", process);
  cJSON_AddNumberToObject(event, "tid", thread);
  return event;
}

void trace_add_time(cJSON *event, const char *key, int64_t value, int64_t per_us) {
  char text[48];
  const int digits = per_us == 1000000 ? 6 : 3;
  snprintf(text, sizeof(text), "%" PRId64 ".%0*" PRId64, value / per_us, digits,
           value % per_us);
  cJSON_AddRawToObject(event, key, text);
}

void trace_write_name(trace_writer_t *writer, const char *kind, int process, int thread,
                      const char *name, int order) {
  cJSON *event = trace_event("M", kind, process, thread);
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddStringToObject(args, "name", name);
  trace_write(writer, event);
  if (thread > 0) {
    event = trace_event("M", "thread_sort_index", process, thread);
    args = cJSON_AddObjectToObject(event, "args");
    cJSON_AddNumberToObject(args, "sort_index", order);
    trace_write(writer, event);
  }
}

int trace_find_lane(trace_lanes_t *lanes, int64_t start_ps, int64_t end_ps) {
  for (int i = 0; i < TRACE_LANES_MAX; i++) {
    if (i == lanes->count || lanes->free_ps[i] <= start_ps) {
      lanes->count += i == lanes->count;
      lanes->free_ps[i] = end_ps;
      return i;
    }
  }
  return -1;
}
