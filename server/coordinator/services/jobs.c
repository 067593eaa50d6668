// podium.v1.Jobs: the table of methods, and those that are answered at once.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/coordinator/services/jobs_private.h"

enum { LIST_MAX = 1000 };

// --- Calls that are answered at once ---

static pod_status_t enter(request_t *request, uint64_t id, job_entry_t **out_entry) {
  access_identity_t caller;
  POD_TRY(jobs_identify(request, &caller));
  return jobs_enter(jobs_of(request), &caller, id, out_entry);
}

static void reply_job(request_t *request, const job_entry_t *entry) {
  pod_arena_t *arena = pod_arena_create();
  request_reply(request, &jobs_describe(arena, entry)->base);
  pod_arena_destroy(arena);
}

static void on_get(request_t *request, const void *message) {
  const Podium__V1__GetJobRequest *wanted = message;
  job_entry_t *entry;
  const pod_status_t status = enter(request, wanted->id, &entry);
  if (status == NULL) {
    reply_job(request, entry);
  }
  request_end_unary(request, status);
}

// --- ListJobs ---

static bool is_wanted(const Podium__V1__ListJobsRequest *wanted, job_state_t state) {
  for (size_t i = 0; i < wanted->n_states; i++) {
    if (wanted->states[i] == jobs_wire_state(state)) {
      return true;
    }
  }
  return wanted->n_states == 0;
}

// The newest first, up to `most`; then turned round.
static void list_jobs(pod_arena_t *arena, const jobs_t *jobs,
                      const access_identity_t *caller,
                      const Podium__V1__ListJobsRequest *wanted,
                      Podium__V1__ListJobsResponse *response) {
  const size_t most =
      wanted->max > 0 && wanted->max < LIST_MAX ? (size_t)wanted->max : LIST_MAX;
  response->jobs = pod_arena_array(arena, most, sizeof(*response->jobs));
  for (int32_t i = jobs->entries.count - 1; i >= 0; i--) {
    const job_entry_t *entry = jobs->entries.items[i];
    if (!jobs_may_see(entry, caller)) {
      response->others_queued += entry->job->state == JOB_QUEUED;
      response->others_running += entry->job->state == JOB_RUNNING;
      continue;
    }
    if (!is_wanted(wanted, entry->job->state)) {
      continue;
    }
    if (response->n_jobs == most) {
      response->is_cut = true;
      continue;
    }
    response->jobs[response->n_jobs++] = jobs_describe(arena, entry);
  }
  for (size_t i = 0; i < response->n_jobs / 2; i++) {
    Podium__V1__Job *job = response->jobs[i];
    response->jobs[i] = response->jobs[response->n_jobs - 1 - i];
    response->jobs[response->n_jobs - 1 - i] = job;
  }
}

static void on_list(request_t *request, const void *message) {
  access_identity_t caller;
  const pod_status_t status = jobs_identify(request, &caller);
  if (status == NULL) {
    pod_arena_t *arena = pod_arena_create();
    Podium__V1__ListJobsResponse response = PODIUM__V1__LIST_JOBS_RESPONSE__INIT;
    list_jobs(arena, jobs_of(request), &caller, message, &response);
    request_reply(request, &response.base);
    pod_arena_destroy(arena);
  }
  request_end_unary(request, status);
}

// --- CancelJob: answered when the job has ended ---

enum { CANCEL_NEW = 0, CANCEL_WAITING, CANCEL_OVER, CANCEL_STATE_COUNT };

static const pod_state_t cancel_states[CANCEL_STATE_COUNT] = {
    [CANCEL_NEW] = {"new", POD_TO(CANCEL_WAITING) | POD_TO(CANCEL_OVER)},
    [CANCEL_WAITING] = {"waiting", POD_TO(CANCEL_OVER)},
    [CANCEL_OVER] = {"over", 0}};

struct job_cancel_t {
  request_t request;
  job_cancel_t *next;
  uint64_t id;
};

static void end_cancel(job_cancel_t *cancel, pod_status_t status) {
  for (job_cancel_t **at = &jobs_of(&cancel->request)->cancels; *at != NULL;
       at = &(*at)->next) {
    if (*at == cancel) {
      *at = cancel->next;
      break;
    }
  }
  request_move(&cancel->request, CANCEL_OVER);
  if (status != NULL) {
    request_fail(&cancel->request, status);
  }
  request_end(&cancel->request);
}

static pod_status_t has_ended(const job_entry_t *entry) {
  return pod_error(POD_FAILED_PRECONDITION, "job %" PRIu64 " has ended already: %s",
                   entry->job->id, job_state_name(entry->job->state));
}

static void answer_cancel(job_cancel_t *cancel, const job_entry_t *entry) {
  if (entry->job->state == JOB_CANCELLED) {
    reply_job(&cancel->request, entry);
    end_cancel(cancel, NULL);
  } else {
    end_cancel(cancel, has_ended(entry));
  }
}

void jobs_cancels_look(jobs_t *jobs) {
  for (job_cancel_t *at = jobs->cancels; at != NULL;) {
    job_cancel_t *next = at->next;
    const job_entry_t *entry = jobs_find(jobs, at->id);
    if (entry == NULL) {
      end_cancel(at, pod_error(POD_NOT_FOUND, "job %" PRIu64 " was removed", at->id));
    } else if (job_phase(entry) == JOB_PHASE_ENDED) {
      answer_cancel(at, entry);
    }
    at = next;
  }
}

static pod_status_t cancel_one(const jobs_t *jobs, const access_identity_t *caller,
                               uint64_t id) {
  job_entry_t *entry = NULL;
  POD_TRY(jobs_enter(jobs, caller, id, &entry));
  if (job_phase(entry) == JOB_PHASE_ENDED) {
    return has_ended(entry);
  }
  pod_text_t word = {0};
  pod_text_printf(&word, "cancelled by %s", caller->name);
  jobs_cancel(entry, word.bytes);
  pod_text_deinit(&word);
  return NULL;
}

pod_status_t jobs_cancel_one(const coordinator_t *coordinator,
                             const access_identity_t *caller, uint64_t id) {
  return coordinator->jobs == NULL
             ? pod_error(POD_NOT_FOUND, "there is no job %" PRIu64, id)
             : cancel_one(coordinator->jobs, caller, id);
}

static void on_cancel(request_t *request, const void *message) {
  job_cancel_t *cancel = (job_cancel_t *)request;
  const Podium__V1__CancelJobRequest *wanted = message;
  jobs_t *jobs = jobs_of(request);
  access_identity_t caller;
  pod_status_t status = jobs_identify(request, &caller);
  if (status == NULL) {
    status = cancel_one(jobs, &caller, wanted->id);
  }
  if (status != NULL) {
    end_cancel(cancel, status);
    return;
  }
  cancel->id = wanted->id;
  cancel->next = jobs->cancels;
  jobs->cancels = cancel;
  request_move(request, CANCEL_WAITING);
}

static void stop_cancel(request_t *request, pod_status_t status) {
  end_cancel((job_cancel_t *)request, status);
}

// --- RemoveJob ---

static const job_entry_t *find_successor(const jobs_t *jobs, uint64_t id) {
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    const job_entry_t *entry = jobs->entries.items[i];
    for (size_t k = 0; k < entry->job->after_count; k++) {
      if (entry->job->after[k] == id && !job_state_is_end(entry->job->state)) {
        return entry;
      }
    }
  }
  return NULL;
}

static pod_status_t check_removable(const job_entry_t *entry) {
  if (job_phase(entry) != JOB_PHASE_ENDED) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "job %" PRIu64 " has not ended: cancel it first", entry->job->id);
  }
  const job_entry_t *successor = find_successor(entry->jobs, entry->job->id);
  if (successor != NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "job %" PRIu64 " comes after job %" PRIu64 " and has not ended",
                     successor->job->id, entry->job->id);
  }
  return entry->change.is_on_its_way
             ? pod_error(POD_UNAVAILABLE, "job %" PRIu64 " is being removed",
                         entry->job->id)
             : NULL;
}

// The books forget it when the disk has; what the caller asks next comes behind that only
// if it waits, so it is told at once and hidden from him by its removal.
static void on_remove(request_t *request, const void *message) {
  const Podium__V1__RemoveJobRequest *wanted = message;
  job_entry_t *entry;
  pod_status_t status = enter(request, wanted->id, &entry);
  if (status == NULL) {
    status = check_removable(entry);
  }
  if (status == NULL) {
    jobs_write(entry, CHANGE_REMOVE, entry->job->state, 0, NULL);
    const Podium__V1__RemoveJobResponse response = PODIUM__V1__REMOVE_JOB_RESPONSE__INIT;
    request_reply(request, &response.base);
  }
  request_end_unary(request, status);
}

// --- Kinds and methods ---

static const request_kind_t get_kind = REQUEST_UNARY("GetJob", on_get);
static const request_kind_t list_kind = REQUEST_UNARY("ListJobs", on_list);
static const request_kind_t remove_kind = REQUEST_UNARY("RemoveJob", on_remove);
static const request_kind_t cancel_kind = {.name = "CancelJob",
                                           .size_bytes = sizeof(job_cancel_t),
                                           .states = cancel_states,
                                           .state_count = CANCEL_STATE_COUNT,
                                           .on_message = on_cancel,
                                           .stop = stop_cancel};

static pod_status_t check_kept(const coordinator_t *coordinator) {
  return coordinator->jobs != NULL
             ? NULL
             : pod_error(POD_FAILED_PRECONDITION,
                         "this coordinator keeps no jobs: it was started without --jobs "
                         "FOLDER");
}

#define START(function, inner)                                                      \
  static pod_status_t function(rpc_call_t *client, void *service, void **context) { \
    POD_TRY(check_kept(service));                                                   \
    return inner;                                                                   \
  }
START(start_get, request_start(&get_kind, client, service, context))
START(start_list, request_start(&list_kind, client, service, context))
START(start_remove, request_start(&remove_kind, client, service, context))
START(start_cancel, request_start(&cancel_kind, client, service, context))
START(start_submit, jobs_start_submit(client, service, context))
START(start_watch, jobs_start_watch(client, service, context))
START(start_log, jobs_start_log(client, service, context))
START(start_fetch, jobs_start_fetch(client, service, context))
#undef START

void jobs_methods(rpc_method_t out_methods[JOBS_METHODS + 1]) {
  out_methods[0] = request_method(
      "/podium.v1.Jobs/SubmitJob", &podium__v1__submit_job_request__descriptor,
      &podium__v1__submit_job_response__descriptor, start_submit);
  const struct {
    const char *path;
    const ProtobufCMessageDescriptor *request, *response;
    pod_status_t (*start)(rpc_call_t *client, void *service, void **out_context);
  } of_one[] = {
      {"/podium.v1.Jobs/GetJob", &podium__v1__get_job_request__descriptor,
       &podium__v1__job__descriptor, start_get},
      {"/podium.v1.Jobs/ListJobs", &podium__v1__list_jobs_request__descriptor,
       &podium__v1__list_jobs_response__descriptor, start_list},
      {"/podium.v1.Jobs/WatchJobs", &podium__v1__watch_jobs_request__descriptor,
       &podium__v1__job__descriptor, start_watch},
      {"/podium.v1.Jobs/CancelJob", &podium__v1__cancel_job_request__descriptor,
       &podium__v1__job__descriptor, start_cancel},
      {"/podium.v1.Jobs/RemoveJob", &podium__v1__remove_job_request__descriptor,
       &podium__v1__remove_job_response__descriptor, start_remove},
      {"/podium.v1.Jobs/ReadJobLog", &podium__v1__read_job_log_request__descriptor,
       &podium__v1__job_log__descriptor, start_log},
      {"/podium.v1.Jobs/FetchResult", &podium__v1__fetch_result_request__descriptor,
       &podium__v1__fetch_result_response__descriptor, start_fetch}};
  for (size_t i = 0; i < POD_COUNT_OF(of_one); i++) {
    out_methods[i + 1] = request_method_of_one(of_one[i].path, of_one[i].request,
                                               of_one[i].response, of_one[i].start);
    out_methods[i + 1].message_bytes_max = REQUEST_SMALL_BYTES_MAX;
  }
  out_methods[JOBS_METHODS] = (rpc_method_t){0};
}
