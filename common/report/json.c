// The head, and what is known of a program without any time; times.c has the rest.

#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/report/report.h"
#include "common/report/times.h"

enum {
  ARRAYS_MAX = 4096,
  COLLECTIVES_MAX = 8192,
  BUFFERS_MAX = 64,
  DEVICES_LISTED_MAX = 1 << 16,
};

static const char *text_of(const char *text) {
  return text == NULL ? "" : text;
}

static void add_text(pod_json_t *json, const char *name, const char *text) {
  pod_json_add_text(json, name, text_of(text));
}

static int least(int a, int b) {
  return a < b ? a : b;
}

static void add_numbers(pod_json_t *json, const char *name, int64_t count,
                        const int64_t *numbers) {
  pod_json_begin_list(json, name);
  for (int64_t i = 0; i < count; i++) {
    pod_json_add_int(json, NULL, numbers[i]);
  }
  pod_json_end_list(json);
}

// --- Program and pod ---

static void add_program(pod_json_t *json, const report_input_t *input) {
  pod_json_begin_object(json, "program");
  add_text(json, "name", input->program);
  add_text(json, "file", input->file);
  pod_json_add_int(json, "devices", input->device_count);
  if (input->chips != NULL && input->device_count <= DEVICES_LISTED_MAX) {
    add_numbers(json, "chips", input->device_count, input->chips);
  }
  pod_json_begin_list(json, "notes");
  for (int i = 0; i < input->note_count; i++) {
    add_text(json, NULL, input->notes[i]);
  }
  pod_json_end_list(json);
  pod_json_end_object(json);
}

static void add_pod(pod_json_t *json, const report_pod_t *pod) {
  if (pod == NULL) {
    return;
  }
  pod_json_begin_object(json, "pod");
  add_text(json, "chip_kind", pod->chip_kind);
  add_text(json, "device_kind", pod->device_kind);
  add_text(json, "topology_name", pod->topology_name);
  pod_json_begin_list(json, "topology");
  for (int i = 0; i < 3; i++) {
    pod_json_add_int(json, NULL, pod->topology[i]);
  }
  pod_json_end_list(json);
  pod_json_begin_list(json, "wraps");
  for (int i = 0; i < 3; i++) {
    pod_json_add_bool(json, NULL, pod->wraps[i]);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "chips", pod->chip_count);
  pod_json_add_double(json, "bf16_flop_per_s", pod->bf16_flop_per_s);
  pod_json_add_double(json, "vpu_op_per_s", pod->vpu_op_per_s);
  pod_json_add_double(json, "hbm_bytes_per_s", pod->hbm_bytes_per_s);
  pod_json_add_double(json, "ici_bytes_per_s", pod->ici_bytes_per_s);
  pod_json_end_object(json);
}

// --- Memory ---

static int by_size(const void *left, const void *right) {
  const report_buffer_t *a = left, *b = right;
  const int order = (a->bytes < b->bytes) - (a->bytes > b->bytes);
  // qsort promises no order of its own.
  return order != 0 ? order : strcmp(text_of(a->name), text_of(b->name));
}

// The largest first. Returns owned.
static report_buffer_t *sorted_buffers(const report_memory_t *memory) {
  const size_t count = (size_t)memory->buffer_count;
  report_buffer_t *sorted = pod_alloc((count + 1) * sizeof(*sorted));
  for (size_t i = 0; i < count; i++) {
    sorted[i] = memory->buffers[i];
  }
  qsort(sorted, count, sizeof(*sorted), by_size);
  return sorted;
}

static void add_buffers(pod_json_t *json, const report_memory_t *memory) {
  report_buffer_t *buffers = sorted_buffers(memory);
  int64_t left_out = memory->buffers_left_out, left_out_bytes = memory->left_out_bytes;
  pod_json_begin_list(json, "buffers");
  for (int i = 0; i < memory->buffer_count; i++) {
    if (i >= BUFFERS_MAX) {
      left_out++;
      left_out_bytes += buffers[i].bytes;
      continue;
    }
    pod_json_begin_object(json, NULL);
    add_text(json, "kind", buffers[i].kind);
    add_text(json, "name", buffers[i].name);
    add_text(json, "op", buffers[i].op);
    add_text(json, "shape", buffers[i].shape);
    add_text(json, "source", buffers[i].source);
    pod_json_add_int(json, "bytes", buffers[i].bytes);
    pod_json_end_object(json);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "buffers_left_out", left_out);
  pod_json_add_int(json, "left_out_bytes", left_out_bytes);
  free(buffers);
}

static void add_memory(pod_json_t *json, const report_memory_t *memory) {
  pod_json_begin_object(json, "memory");
  pod_json_add_int(json, "hbm_bytes", memory->hbm_bytes);
  pod_json_add_int(json, "hbm_peak_bytes", memory->hbm_peak_bytes);
  pod_json_add_int(json, "argument_bytes", memory->argument_bytes);
  pod_json_add_int(json, "result_bytes", memory->result_bytes);
  pod_json_add_int(json, "constant_bytes", memory->constant_bytes);
  pod_json_add_int(json, "temp_bytes", memory->temp_bytes);
  pod_json_add_int(json, "alias_bytes", memory->alias_bytes);
  add_text(json, "peak_at", memory->peak_at);
  add_text(json, "peak_source", memory->peak_source);
  add_buffers(json, memory);
  pod_json_end_object(json);
}

// --- Arrays ---

static void add_axes(pod_json_t *json, const char *name, const report_axes_t *axes) {
  pod_json_begin_list(json, name);
  for (int i = 0; i < axes->count; i++) {
    pod_json_begin_list(json, NULL);
    add_text(json, NULL, axes->axes[i].name);
    pod_json_add_int(json, NULL, axes->axes[i].stride);
    pod_json_add_int(json, NULL, axes->axes[i].size);
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
}

static void add_array(pod_json_t *json, const report_input_t *input,
                      const report_array_t *array) {
  pod_json_begin_object(json, NULL);
  const bool is_value = array->op != NULL;
  add_text(json, "role", is_value ? "value" : array->is_result ? "result" : "argument");
  add_text(json, "name", array->name);
  if (is_value) {
    add_text(json, "op", array->op);
    add_text(json, "source", array->source);
  }
  add_text(json, "dtype", array->dtype);
  add_numbers(json, "dims", array->rank, array->dims);
  add_numbers(json, "local_dims", array->rank, array->local_dims);
  pod_json_add_int(json, "bytes", array->bytes);
  pod_json_add_int(json, "local_bytes", array->local_bytes);
  add_text(json, "sharding", array->sharding);
  if (!array->has_no_spec) {
    pod_json_begin_list(json, "spec");
    for (int d = 0; d < array->rank; d++) {
      add_axes(json, NULL, &array->spec[d]);
    }
    pod_json_end_list(json);
    add_axes(json, "unreduced", &array->unreduced);
  }
  if (array->positions != NULL && input->device_count <= DEVICES_LISTED_MAX) {
    add_numbers(json, "positions", input->device_count, array->positions);
  }
  if (array->alias >= 0) {
    pod_json_add_int(json, "alias", array->alias);
  }
  pod_json_end_object(json);
}

static void add_arrays(pod_json_t *json, const report_input_t *input) {
  pod_json_begin_list(json, "mesh");
  for (int i = 0; i < input->mesh_axis_count; i++) {
    pod_json_begin_list(json, NULL);
    add_text(json, NULL, input->mesh[i].name);
    pod_json_add_int(json, NULL, input->mesh[i].size);
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
  const int count = least(input->array_count, ARRAYS_MAX);
  pod_json_begin_list(json, "arrays");
  for (int i = 0; i < count; i++) {
    add_array(json, input, &input->arrays[i]);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "arrays_left_out", input->array_count - count);
  if (input->value_count == 0) {
    return;
  }
  const int shown = least(input->value_count, ARRAYS_MAX);
  pod_json_begin_list(json, "values");
  for (int i = 0; i < shown; i++) {
    add_array(json, input, &input->values[i]);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "values_left_out", input->value_count - shown);
}

// --- Collectives ---

static void add_collective_times(pod_json_t *json,
                                 const report_collective_t *collective) {
  pod_json_add_int(json, "runs", collective->run_count);
  pod_json_add_int(json, "total_ps", collective->total_ps);
  pod_json_add_int(json, "exposed_ps", collective->exposed_ps);
  pod_json_add_int(json, "hidden_ps", collective->total_ps - collective->exposed_ps);
  if (collective->behind != NULL) {
    add_text(json, "behind", collective->behind);
  }
}

static void add_collective(pod_json_t *json, const report_input_t *input,
                           const report_places_t *places,
                           const report_collective_t *collective) {
  pod_json_begin_object(json, NULL);
  add_text(json, "name", collective->name);
  add_text(json, "op", collective->op);
  add_text(json, "source", collective->source);
  add_text(json, "axes", collective->axes);
  pod_json_add_int(json, "groups", collective->group_count);
  pod_json_add_int(json, "group_size", collective->group_size);
  add_text(json, "operand", collective->operand);
  add_text(json, "result", collective->result);
  pod_json_add_int(json, "ici_bytes", collective->ici_bytes);
  pod_json_add_int(json, "dcn_bytes", collective->dcn_bytes);
  pod_json_add_int(json, "link_bytes", collective->link_bytes);
  pod_json_add_int(json, "alone_ps", collective->alone_ps);
  pod_json_add_bool(json, "in_loop", collective->in_loop);
  pod_json_add_bool(json, "inserted", collective->inserted);
  pod_json_add_bool(json, "asynchronous", collective->asynchronous);
  add_text(json, "why", collective->why);
  add_text(json, "because", collective->because);
  const report_times_t *times = input->times;
  const int task =
      times != NULL && collective->task >= 0 && collective->task < times->task_count
          ? collective->task
          : -1;
  pod_json_add_int(json, "task", task < 0 ? -1 : places->of_task[task]);
  if (task >= 0) {
    add_collective_times(json, collective);
  }
  pod_json_end_object(json);
}

static void add_collectives(pod_json_t *json, const report_input_t *input,
                            const report_places_t *places) {
  const int count = least(input->collective_count, COLLECTIVES_MAX);
  pod_json_begin_list(json, "collectives");
  for (int i = 0; i < count; i++) {
    add_collective(json, input, places, &input->collectives[i]);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "collectives_left_out", input->collective_count - count);
}

// --- What is left out ---

static void add_left_out(pod_json_t *json, const report_input_t *input,
                         const report_places_t *places) {
  pod_text_t line = {0};
  pod_json_begin_list(json, "left_out");
  if (input->array_count > ARRAYS_MAX) {
    pod_text_printf(&line, "Of %d arguments and results, the first %d are shown.",
                    input->array_count, ARRAYS_MAX);
    pod_json_add_text(json, NULL, line.bytes);
    pod_text_clear(&line);
  }
  if (input->value_count > ARRAYS_MAX) {
    pod_text_printf(&line, "Of %d values within the program, the first %d are shown.",
                    input->value_count, ARRAYS_MAX);
    pod_json_add_text(json, NULL, line.bytes);
    pod_text_clear(&line);
  }
  if (input->collective_count > COLLECTIVES_MAX) {
    pod_text_printf(&line, "Of %d collectives, the first %d are shown.",
                    input->collective_count, COLLECTIVES_MAX);
    pod_json_add_text(json, NULL, line.bytes);
  }
  pod_text_deinit(&line);
  report_times_left_out(json, places);
  pod_json_end_list(json);
}

void report_write_json(const report_input_t *input, pod_text_t *out) {
  pod_json_t json = {.text = out};
  report_places_t places;
  report_places_init(&places, input->times);
  pod_json_begin_object(&json, NULL);
  pod_json_add_text(&json, "format", "podium.report/1");
  add_text(&json, "version", input->version);
  add_text(&json, "made_by", input->made_by);
  add_program(&json, input);
  add_pod(&json, input->pod);
  if (input->traceparent != NULL && *input->traceparent != '\0') {
    pod_json_add_text(&json, "traceparent", input->traceparent);
  }
  if (input->host_ns > 0) {
    pod_json_begin_object(&json, "measured");
    pod_json_add_int(&json, "host_ns", input->host_ns);
    pod_json_end_object(&json);
  }
  add_memory(&json, &input->memory);
  add_arrays(&json, input);
  add_collectives(&json, input, &places);
  if (input->times != NULL) {
    report_times_write(&json, &places);
  } else {
    add_text(&json, "no_times", input->no_times);
  }
  add_left_out(&json, input, &places);
  pod_json_end_object(&json);
  report_places_deinit(&places);
}
