// See jobs.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/jobs.h"

enum { CONNECT_TIMEOUT_MS = 10000 };

int64_t cli_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// --- Connections ---

pod_status_t cli_jobs_address(const cli_jobs_t *jobs, char **out_address) {
  const char *pod = jobs->pod != NULL ? jobs->pod : cli_pod_default();
  return cli_pod_address(pod != NULL ? pod : "local", out_address);
}

void cli_jobs_note(void *context, const char *for_what) {
  const cli_jobs_t *jobs = context;
  cli_progress_note(jobs->progress, for_what);
  if (!cli_progress_is_live(jobs->progress) && !jobs->is_quiet && *for_what != '\0') {
    fprintf(stderr, "waiting %s\n", for_what);
  }
}

pod_status_t cli_jobs_connect(cli_jobs_t *jobs) {
  char *address;
  POD_TRY(cli_jobs_address(jobs, &address));
  if (jobs->progress == NULL) {
    jobs->progress = cli_progress_start(jobs->is_quiet);
  }
  const podium_connect_options_t options = {.client_name = "podium jobs",
                                            .only_looks = true,
                                            .timeout_ms = CONNECT_TIMEOUT_MS,
                                            .on_waiting = cli_jobs_note,
                                            .on_waiting_context = jobs};
  const pod_status_t status =
      cli_status_of(podium_connect(address, &options, &jobs->session));
  free(address);
  return status;
}

void cli_jobs_close(cli_jobs_t *jobs) {
  podium_close(jobs->session);
  cli_progress_stop(jobs->progress);  // Behind the session, whose thread notes waits.
  jobs->session = NULL;
  jobs->progress = NULL;
}

// --- Numbers of jobs ---

bool cli_job_read_id(const char *text, uint64_t *out_id) {
  int64_t id;
  if (*text < '0' || *text > '9' || !cli_read_number(text, 1, INT64_MAX, &id)) {
    return false;
  }
  *out_id = (uint64_t)id;
  return true;
}

error_t cli_job_ids_option(cli_job_ids_t *ids, const char *value,
                           struct argp_state *state) {
  uint64_t id;
  if (!cli_job_read_id(value, &id)) {
    argp_error(state,
               "'%s' is no job: `podium submit` prints its number, `podium jobs` "
               "lists them",
               value);
    return EINVAL;
  }
  for (int i = 0; i < ids->count; i++) {
    if (ids->items[i] == id) {
      return 0;
    }
  }
  if (ids->count == CLI_JOBS_MAX) {
    argp_error(state, "more than %d jobs at a time", CLI_JOBS_MAX);
    return EINVAL;
  }
  ids->items[ids->count++] = id;
  return 0;
}

// --- What is told of a job ---

static void add_numbers(cJSON *object, const char *name, int count,
                        const uint64_t *numbers) {
  cJSON *list = cJSON_AddArrayToObject(object, name);
  for (int i = 0; i < count; i++) {
    cJSON_AddItemToArray(list, cJSON_CreateNumber((double)numbers[i]));
  }
}

static void add_arrays(cJSON *object, const char *name, int count,
                       const podium_job_array_t *arrays) {
  cJSON *list = cJSON_AddArrayToObject(object, name);
  for (int i = 0; i < count; i++) {
    char shape[512];
    cJSON *array = cJSON_CreateObject();
    podium_shape_print(&arrays[i].shape, shape, sizeof(shape));
    cJSON_AddStringToObject(array, "name", arrays[i].name);
    cJSON_AddStringToObject(array, "shape", shape);
    cJSON_AddItemToArray(list, array);
  }
}

cJSON *cli_job_report(const podium_job_t *job) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "id", (double)job->id);
  cJSON_AddStringToObject(object, "name", job->name);
  cJSON_AddStringToObject(object, "file_name", job->file_name);
  cJSON_AddStringToObject(object, "principal", job->principal);
  cJSON_AddStringToObject(object, "state", podium_job_state_name(job->state));
  cJSON_AddStringToObject(object, "slice", job->slice);
  cJSON_AddStringToObject(object, "given_slice", job->given_slice);
  cJSON_AddNumberToObject(object, "device_count", job->device_count);
  cJSON_AddItemToObject(object, "chips",
                        cJSON_CreateIntArray(job->chips, job->chip_count));
  cJSON_AddNumberToObject(object, "priority", job->priority);
  add_numbers(object, "after", job->after_count, job->after);
  cJSON_AddNumberToObject(object, "attempts", job->attempts);
  cJSON_AddNumberToObject(object, "retries", job->retries);
  cJSON_AddStringToObject(object, "code", podium_code_name(job->code));
  cJSON_AddStringToObject(object, "message", job->message);
  cJSON_AddNumberToObject(object, "submitted_us", (double)job->submitted_us);
  cJSON_AddNumberToObject(object, "started_us", (double)job->started_us);
  cJSON_AddNumberToObject(object, "ended_us", (double)job->ended_us);
  cJSON_AddStringToObject(object, "waits_for", job->waits_for);
  cJSON_AddNumberToObject(object, "position", job->position);
  cJSON_AddStringToObject(object, "progress", job->progress);
  add_arrays(object, "inputs", job->input_count, job->inputs);
  add_arrays(object, "results", job->result_count, job->results);
  cJSON_AddBoolToObject(object, "has_report", job->has_report);
  cJSON_AddStringToObject(object, "traceparent", job->traceparent);
  return object;
}

void cli_job_print_age(int64_t microseconds, pod_text_t *text) {
  const double seconds = microseconds < 0 ? 0 : (double)microseconds / 1e6;
  if (seconds < 100) {
    pod_text_printf(text, "%.*f s", seconds < 10 ? 1 : 0, seconds);
  } else if (seconds < 6000) {
    pod_text_printf(text, "%.0f min", seconds / 60);
  } else if (seconds < 100 * 3600) {
    pod_text_printf(text, "%.0f h", seconds / 3600);
  } else {
    pod_text_printf(text, "%.0f d", seconds / 86400);
  }
}

void cli_job_print_end(const podium_job_t *job, pod_text_t *text) {
  pod_text_printf(text, "%s", podium_job_state_name(job->state));
  if (job->ended_us > 0 && job->started_us > 0) {
    pod_text_printf(text, " after ");
    cli_job_print_age(job->ended_us - job->started_us, text);
  }
  if (job->attempts > 1) {
    pod_text_printf(text, ", in attempt %d", job->attempts);
  }
  if (job->state == PODIUM_JOB_FAILED) {
    pod_text_printf(text, ": %s: %s", podium_code_name(job->code), job->message);
  } else if (job->state == PODIUM_JOB_CANCELLED && *job->message != '\0') {
    pod_text_printf(text, ": %s", job->message);
  }
}
