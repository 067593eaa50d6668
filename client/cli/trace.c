// The profile as a Chrome trace (the "Trace Event Format"), which Perfetto and
// chrome://tracing open: a process per chip, with the predicted device time on one
// thread; and a process per chip for the measured host time, which has a clock of its
// own.

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/cli.h"
#include "common/base/text.h"

enum { HOST_PROCESS = 1000000, THREAD_CORE = 1, THREAD_ICI = 2, THREAD_HOST = 1 };

typedef struct writer_t {
  FILE *file;
  bool has_event;
} writer_t;

// Takes the object.
static void write_event(writer_t *writer, cJSON *event) {
  char *text = cJSON_PrintUnformatted(event);
  fprintf(writer->file, "%s\n%s", writer->has_event ? "," : "", text);
  writer->has_event = true;
  free(text);
  cJSON_Delete(event);
}

static void write_name(writer_t *writer, const char *kind, int process, int thread,
                       const char *name) {
  cJSON *event = cJSON_CreateObject();
  cJSON_AddStringToObject(event, "name", kind);
  cJSON_AddStringToObject(event, "ph", "M");
  cJSON_AddNumberToObject(event, "pid", process);
  if (thread > 0) {
    cJSON_AddNumberToObject(event, "tid", thread);
  }
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddStringToObject(args, "name", name);
  write_event(writer, event);
}

static cJSON *make_slice(const podium_instruction_t *instruction, int process, int thread,
                         double start_us, double duration_us) {
  cJSON *event = cJSON_CreateObject();
  cJSON_AddStringToObject(event, "name", instruction->name);
  cJSON_AddStringToObject(event, "cat", instruction->op);
  cJSON_AddStringToObject(event, "ph", "X");
  cJSON_AddNumberToObject(event, "pid", process);
  cJSON_AddNumberToObject(event, "tid", thread);
  cJSON_AddNumberToObject(event, "ts", start_us);
  cJSON_AddNumberToObject(event, "dur", duration_us);
  return event;
}

static void add_args(cJSON *event, const podium_instruction_t *instruction,
                     const podium_instruction_total_t *total) {
  cJSON *args = cJSON_AddObjectToObject(event, "args");
  cJSON_AddStringToObject(args, "shape", instruction->shape);
  if (*instruction->source != '\0') {
    cJSON_AddStringToObject(args, "source", instruction->source);
  }
  if (total == NULL || total->run_count == 0) {
    return;
  }
  const double runs = (double)total->run_count;
  cJSON_AddNumberToObject(args, "mxu_flop", (double)total->mxu_flop / runs);
  cJSON_AddNumberToObject(args, "vpu_op", (double)total->vpu_op / runs);
  cJSON_AddNumberToObject(args, "hbm_bytes", (double)total->hbm_bytes / runs);
  cJSON_AddNumberToObject(args, "ici_bytes", (double)total->ici_bytes / runs);
  cJSON_AddStringToObject(args, "bound", podium_bound_name(total->bound));
}

static const podium_instruction_total_t *find_total(const podium_chip_profile_t *chip,
                                                    int instruction) {
  if (instruction < chip->total_count &&
      chip->totals[instruction].instruction == instruction) {
    return &chip->totals[instruction];
  }
  for (int i = 0; i < chip->total_count; i++) {
    if (chip->totals[i].instruction == instruction) {
      return &chip->totals[i];
    }
  }
  return NULL;
}

static const char *device_name(const podium_pod_t *pod, int chip) {
  for (int i = 0; i < pod->device_count; i++) {
    if (pod->devices[i].id == chip) {
      return pod->devices[i].name;
    }
  }
  return "chip";
}

static void write_chip(writer_t *writer, const podium_program_info_t *info,
                       const podium_chip_profile_t *chip, const podium_pod_t *pod) {
  const int process = chip->chip + 1;
  pod_text_t name = {0};
  pod_text_printf(&name, "%s: predicted", device_name(pod, chip->chip));
  write_name(writer, "process_name", process, 0, name.bytes);
  write_name(writer, "thread_name", process, THREAD_CORE, "core");
  write_name(writer, "thread_name", process, THREAD_ICI, "ICI");
  pod_text_clear(&name);
  pod_text_printf(&name, "chip %d: measured on the host", chip->chip);
  write_name(writer, "process_name", HOST_PROCESS + process, 0, name.bytes);
  write_name(writer, "thread_name", HOST_PROCESS + process, THREAD_HOST,
             "compute thread");
  pod_text_deinit(&name);
  for (int i = 0; i < chip->event_count; i++) {
    const podium_event_t *event = &chip->events[i];
    if (event->instruction < 0 || event->instruction >= info->instruction_count) {
      continue;
    }
    const podium_instruction_t *instruction = &info->instructions[event->instruction];
    const podium_instruction_total_t *total = find_total(chip, event->instruction);
    cJSON *device = make_slice(
        instruction, process, instruction->is_collective ? THREAD_ICI : THREAD_CORE,
        (double)event->start_ps / 1e6, (double)event->duration_ps / 1e6);
    add_args(device, instruction, total);
    write_event(writer, device);
    write_event(writer, make_slice(instruction, HOST_PROCESS + process, THREAD_HOST,
                                   (double)event->host_start_ns / 1e3,
                                   (double)event->host_ns / 1e3));
  }
}

pod_status_t cli_write_trace(const char *path, const podium_program_info_t *info,
                             const podium_profile_t *profile, const podium_pod_t *pod) {
  writer_t writer = {.file = fopen(path, "w")};
  if (writer.file == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: %s", path, strerror(errno));
  }
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", writer.file);
  for (int i = 0; i < profile->chip_count; i++) {
    write_chip(&writer, info, &profile->chips[i], pod);
  }
  fputs("\n]}\n", writer.file);
  const bool failed = ferror(writer.file) != 0;
  if (fclose(writer.file) != 0 || failed) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%s: %s", path, strerror(errno));
  }
  return NULL;
}
