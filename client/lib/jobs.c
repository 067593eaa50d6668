// What is known of jobs, and their end; jobs_data.c has what goes in and comes out.

#include "client/lib/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

const char *podium_job_state_name(podium_job_state_t state) {
  static const char *const names[] = {"unknown",   "queued", "running",
                                      "succeeded", "failed", "cancelled"};
  return (unsigned)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

bool podium_job_has_ended(podium_job_state_t state) {
  return state == PODIUM_JOB_SUCCEEDED || state == PODIUM_JOB_FAILED ||
         state == PODIUM_JOB_CANCELLED;
}

// --- Conversion ---

static const podium_job_array_t *convert_arrays(pod_arena_t *arena, size_t count,
                                                Podium__V1__JobArray **messages) {
  podium_job_array_t *arrays = pod_arena_array(arena, count, sizeof(*arrays));
  for (size_t i = 0; i < count; i++) {
    arrays[i].name = pod_arena_strdup(arena, messages[i]->name);
    if (messages[i]->shape != NULL) {
      arrays[i].shape = lib_shape(messages[i]->shape);
    }
  }
  return arrays;
}

// A size for each result, whatever the coordinator has sent.
static const int64_t *convert_bytes(pod_arena_t *arena, const Podium__V1__Job *message,
                                    const podium_job_array_t *results) {
  int64_t *bytes = pod_arena_array(arena, message->n_results, sizeof(*bytes));
  for (size_t i = 0; i < message->n_results; i++) {
    bytes[i] = i < message->n_result_bytes ? message->result_bytes[i]
                                           : podium_shape_bytes(&results[i].shape);
  }
  return bytes;
}

static podium_job_state_t convert_state(Podium__V1__JobState state) {
  return (unsigned)state <= PODIUM_JOB_CANCELLED ? (podium_job_state_t)state
                                                 : PODIUM_JOB_UNKNOWN;
}

void lib_job_convert(pod_arena_t *arena, const Podium__V1__Job *message,
                     podium_job_t *out_job) {
  const podium_job_array_t *results =
      convert_arrays(arena, message->n_results, message->results);
  *out_job = (podium_job_t){
      .id = message->id,
      .name = pod_arena_strdup(arena, message->name),
      .file_name = pod_arena_strdup(arena, message->file_name),
      .principal = pod_arena_strdup(arena, message->principal),
      .state = convert_state(message->state),
      .slice = pod_arena_strdup(arena, message->slice),
      .device_count = message->device_count,
      .given_slice = pod_arena_strdup(arena, message->given_slice),
      .chip_count = (int)message->n_chips,
      .chips = pod_arena_copy(arena, message->chips,
                              message->n_chips * sizeof(*message->chips)),
      .origin_count = (int)message->n_origin,
      .origin = pod_arena_copy(arena, message->origin,
                               message->n_origin * sizeof(*message->origin)),
      .priority = message->priority,
      .attempts = message->attempts,
      .retries = message->retries,
      .after_count = (int)message->n_after,
      .after = pod_arena_copy(arena, message->after,
                              message->n_after * sizeof(*message->after)),
      .code = (podium_code_t)message->code,
      .message = pod_arena_strdup(arena, message->message),
      .submitted_us = message->submitted_us,
      .started_us = message->started_us,
      .ended_us = message->ended_us,
      .waits_for = pod_arena_strdup(arena, message->waits_for),
      .position = message->position,
      .progress = pod_arena_strdup(arena, message->progress),
      .input_count = (int)message->n_inputs,
      .result_count = (int)message->n_results,
      .inputs = convert_arrays(arena, message->n_inputs, message->inputs),
      .results = results,
      .result_bytes = convert_bytes(arena, message, results),
      .has_profile = message->has_profile,
      .has_report = message->has_report,
      .traceparent = pod_arena_strdup(arena, message->traceparent),
  };
}

// A job, or a list of them, is the first thing in its arena, and finds it again to be
// freed.
typedef struct owned_job_t {
  podium_job_t job;
  pod_arena_t *arena;
} owned_job_t;

typedef struct owned_jobs_t {
  podium_jobs_t jobs;
  pod_arena_t *arena;
} owned_jobs_t;

void podium_job_free(podium_job_t *job) {
  if (job != NULL) {
    pod_arena_destroy(((owned_job_t *)job)->arena);
  }
}

void podium_jobs_free(podium_jobs_t *jobs) {
  if (jobs != NULL) {
    pod_arena_destroy(((owned_jobs_t *)jobs)->arena);
  }
}

// The last that came, when a call is made again.
static bool take_job(void *context, const void *message) {
  owned_job_t **owned = context;
  if (*owned != NULL) {
    podium_job_free(&(*owned)->job);
  }
  pod_arena_t *arena = pod_arena_create();
  *owned = pod_arena_alloc(arena, sizeof(**owned));
  (*owned)->arena = arena;
  lib_job_convert(arena, message, &(*owned)->job);
  return true;
}

// Gives the job, which may be NULL, to the caller, who may not want it. Takes `status`.
static podium_status_t *give_job(owned_job_t *owned, pod_status_t status,
                                 podium_job_t **out_job) {
  if (status == NULL && owned == NULL) {
    status = pod_error(POD_INTERNAL, "the coordinator ended the call without a job");
  }
  if (status == NULL && out_job != NULL) {
    *out_job = &owned->job;
  } else if (owned != NULL) {
    podium_job_free(&owned->job);
  }
  return lib_status(status);
}

// --- Looking ---

// One that is answered by a job: `path` with the request. *out_job: owned, or NULL.
static lib_job_call_t call_of(podium_session_t *session, const char *path,
                              const ProtobufCMessage *request, owned_job_t **out_job) {
  return (lib_job_call_t){.session = session,
                          .path = path,
                          .request = request,
                          .response = &podium__v1__job__descriptor,
                          .take = take_job,
                          .context = out_job};
}

podium_status_t *podium_job_get(podium_session_t *session, uint64_t id,
                                int64_t timeout_ms, podium_job_t **out_job) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_job);
  Podium__V1__GetJobRequest request = PODIUM__V1__GET_JOB_REQUEST__INIT;
  request.id = id;
  owned_job_t *owned = NULL;
  lib_job_call_t call = call_of(session, "/podium.v1.Jobs/GetJob", &request.base, &owned);
  const pod_status_t status = lib_job_call(&call, lib_deadline_in(timeout_ms));
  return give_job(owned, status, out_job);
}

static bool take_jobs(void *context, const void *response) {
  owned_jobs_t **owned = context;
  const Podium__V1__ListJobsResponse *message = response;
  if (*owned != NULL) {
    podium_jobs_free(&(*owned)->jobs);
  }
  pod_arena_t *arena = pod_arena_create();
  *owned = pod_arena_alloc(arena, sizeof(**owned));
  (*owned)->arena = arena;
  podium_job_t *jobs = pod_arena_array(arena, message->n_jobs, sizeof(*jobs));
  for (size_t i = 0; i < message->n_jobs; i++) {
    lib_job_convert(arena, message->jobs[i], &jobs[i]);
  }
  (*owned)->jobs = (podium_jobs_t){.count = (int)message->n_jobs,
                                   .jobs = jobs,
                                   .others_queued = message->others_queued,
                                   .others_running = message->others_running,
                                   .is_cut = message->is_cut};
  return true;
}

podium_status_t *podium_job_list(podium_session_t *session,
                                 const podium_job_list_options_t *given,
                                 podium_jobs_t **out_jobs) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(out_jobs);
  const podium_job_list_options_t *options =
      LIB_OPTIONS(podium_job_list_options_t, given);
  pod_status_t status =
      lib_check_list("states of jobs", options->state_count, options->states);
  if (status != NULL) {
    return lib_status(status);
  }
  Podium__V1__ListJobsRequest request = PODIUM__V1__LIST_JOBS_REQUEST__INIT;
  Podium__V1__JobState *states =
      pod_alloc((size_t)options->state_count * sizeof(*states));
  for (int i = 0; i < options->state_count; i++) {
    states[i] = (Podium__V1__JobState)options->states[i];
  }
  request.n_states = (size_t)options->state_count;
  request.states = states;
  request.max = options->max;
  owned_jobs_t *owned = NULL;
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/ListJobs",
                         .request = &request.base,
                         .response = &podium__v1__list_jobs_response__descriptor,
                         .take = take_jobs,
                         .context = &owned};
  status = lib_job_call(&call, lib_deadline_in(options->timeout_ms));
  free(states);
  if (status == NULL && owned == NULL) {
    status = pod_error(POD_INTERNAL, "the coordinator ended ListJobs without an answer");
  }
  if (status != NULL) {
    podium_jobs_free(owned == NULL ? NULL : &owned->jobs);
    return lib_status(status);
  }
  *out_jobs = &owned->jobs;
  return NULL;
}

// --- Watching ---

typedef struct watch_t {
  podium_job_fn_t tell;
  void *context;
} watch_t;

static bool take_change(void *context, const void *message) {
  const watch_t *watch = context;
  pod_arena_t *arena = pod_arena_create();
  podium_job_t job;
  lib_job_convert(arena, message, &job);
  const bool goes_on = watch->tell(watch->context, &job);
  pod_arena_destroy(arena);
  return goes_on;
}

static pod_status_t watch_jobs(podium_session_t *session, int count, const uint64_t *ids,
                               bool (*take)(void *context, const void *message),
                               void *context, int64_t timeout_ms) {
  POD_TRY(lib_check_list("jobs", count, ids));
  Podium__V1__WatchJobsRequest request = PODIUM__V1__WATCH_JOBS_REQUEST__INIT;
  request.n_ids = (size_t)count;
  request.ids = (uint64_t *)(uintptr_t)ids;
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/WatchJobs",
                         .request = &request.base,
                         .response = &podium__v1__job__descriptor,
                         .take = take,
                         .context = context};
  return lib_job_call(&call, lib_deadline_in(timeout_ms));
}

podium_status_t *podium_job_watch(podium_session_t *session, int count,
                                  const uint64_t *ids, podium_job_fn_t tell,
                                  void *context, int64_t timeout_ms) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(tell);
  watch_t watch = {.tell = tell, .context = context};
  return lib_status(watch_jobs(session, count, ids, take_change, &watch, timeout_ms));
}

static pod_status_t explain_wait(const owned_job_t *owned, pod_status_t status) {
  if (pod_status_code(status) != POD_DEADLINE_EXCEEDED || owned == NULL) {
    return status;
  }
  pod_status_free(status);
  const podium_job_t *job = &owned->job;
  const char *what = job->state == PODIUM_JOB_QUEUED ? job->waits_for : job->progress;
  return pod_error(POD_DEADLINE_EXCEEDED, "job %llu has not ended yet: it is %s%s%s%s",
                   (unsigned long long)job->id, podium_job_state_name(job->state),
                   *what == '\0' ? "" : " (", what, *what == '\0' ? "" : ")");
}

podium_status_t *podium_job_wait(podium_session_t *session, uint64_t id,
                                 int64_t timeout_ms, podium_job_t **out_job) {
  LIB_REQUIRE(session);
  owned_job_t *owned = NULL;
  const pod_status_t status = watch_jobs(session, 1, &id, take_job, &owned, timeout_ms);
  return give_job(owned, explain_wait(owned, status), out_job);
}

// --- Ending ---

podium_status_t *podium_job_cancel(podium_session_t *session, uint64_t id,
                                   int64_t timeout_ms, podium_job_t **out_job) {
  LIB_REQUIRE(session);
  Podium__V1__CancelJobRequest request = PODIUM__V1__CANCEL_JOB_REQUEST__INIT;
  request.id = id;
  owned_job_t *owned = NULL;
  lib_job_call_t call =
      call_of(session, "/podium.v1.Jobs/CancelJob", &request.base, &owned);
  const int64_t deadline_ns = lib_deadline_in(timeout_ms);
  pod_status_t status = lib_job_call(&call, deadline_ns);
  if (call.attempts > 1 && pod_status_code(status) == POD_FAILED_PRECONDITION) {
    // It may have ended because the first attempt did get through.
    podium_job_t *job = NULL;
    const int64_t left_ms = lib_left_ms(deadline_ns);
    podium_status_t *wrong = podium_job_get(session, id, left_ms < 0 ? 1 : left_ms, &job);
    if (wrong == NULL && job->state == PODIUM_JOB_CANCELLED) {
      pod_status_free(status);
      return give_job((owned_job_t *)job, NULL, out_job);
    }
    podium_status_free(wrong);
    podium_job_free(job);
  }
  return give_job(owned, status, out_job);
}

podium_status_t *podium_job_remove(podium_session_t *session, uint64_t id,
                                   int64_t timeout_ms) {
  LIB_REQUIRE(session);
  Podium__V1__RemoveJobRequest request = PODIUM__V1__REMOVE_JOB_REQUEST__INIT;
  request.id = id;
  lib_job_call_t call = {.session = session,
                         .path = "/podium.v1.Jobs/RemoveJob",
                         .request = &request.base,
                         .response = &podium__v1__remove_job_response__descriptor};
  pod_status_t status = lib_job_call(&call, lib_deadline_in(timeout_ms));
  if (call.attempts > 1 && pod_status_code(status) == POD_NOT_FOUND) {
    pod_status_free(status);  // The first attempt did get through.
    status = NULL;
  }
  return lib_status(status);
}
