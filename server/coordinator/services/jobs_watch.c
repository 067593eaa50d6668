// WatchJobs: every job as it is, then each as often as it changes. What changes while the
// client does not read is told once, as it is then.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/coordinator/services/jobs_private.h"

enum { IDS_MAX = 1024 };

typedef enum watch_state_t {
  WATCH_NEW = 0,
  WATCH_TELLING,
  WATCH_OVER,
  WATCH_STATE_COUNT
} watch_state_t;

static const pod_state_t states[WATCH_STATE_COUNT] = {
    [WATCH_NEW] = {"new", POD_TO(WATCH_TELLING) | POD_TO(WATCH_OVER)},
    [WATCH_TELLING] = {"telling", POD_TO(WATCH_OVER)},
    [WATCH_OVER] = {"over", 0}};

struct job_watch_t {
  request_t request;
  job_watch_t *next;
  access_identity_t caller;
  size_t id_count;
  uint64_t ids[IDS_MAX];
  uint64_t told;  // Versions up to this one.
};

static void end_watch(job_watch_t *watch, pod_status_t status) {
  for (job_watch_t **at = &jobs_of(&watch->request)->watches; *at != NULL;
       at = &(*at)->next) {
    if (*at == watch) {
      *at = watch->next;
      break;
    }
  }
  request_move(&watch->request, WATCH_OVER);
  request_fail(&watch->request, status);
  request_end(&watch->request);
}

static bool is_watched(const job_watch_t *watch, const job_entry_t *entry) {
  if (!jobs_may_see(entry, &watch->caller)) {
    return false;
  }
  for (size_t i = 0; i < watch->id_count; i++) {
    if (watch->ids[i] == entry->job->id) {
      return true;
    }
  }
  return watch->id_count == 0;
}

// The oldest change that it has not been told.
static const job_entry_t *next_change(const job_watch_t *watch) {
  const jobs_t *jobs = jobs_of(&watch->request);
  const job_entry_t *found = NULL;
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    const job_entry_t *entry = jobs->entries.items[i];
    if (entry->version > watch->told && is_watched(watch, entry) &&
        (found == NULL || entry->version < found->version)) {
      found = entry;
    }
  }
  return found;
}

static void tell(job_watch_t *watch, const job_entry_t *entry) {
  pod_arena_t *arena = pod_arena_create();
  rpc_call_send(watch->request.client, &jobs_describe(arena, entry)->base);
  pod_arena_destroy(arena);
}

static int compare_versions(const void *a, const void *b) {
  const job_entry_t *left = *(const job_entry_t *const *)a;
  const job_entry_t *right = *(const job_entry_t *const *)b;
  return left->version < right->version ? -1 : left->version > right->version;
}

// All at once, in the order of their changes: the first look at many jobs.
static void tell_all(job_watch_t *watch) {
  const jobs_t *jobs = jobs_of(&watch->request);
  const job_entry_t **list = pod_alloc(((size_t)jobs->entries.count + 1) * sizeof(*list));
  size_t count = 0;
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    const job_entry_t *entry = jobs->entries.items[i];
    if (entry->version > watch->told && is_watched(watch, entry)) {
      list[count++] = entry;
    }
  }
  qsort(list, count, sizeof(*list), compare_versions);
  size_t i = 0;
  for (; i < count && rpc_call_is_writable(watch->request.client); i++) {
    tell(watch, list[i]);
    watch->told = list[i]->version;
  }
  if (i == count) {
    watch->told = jobs->version;
  }
  free(list);
}

static bool all_have_ended(const job_watch_t *watch) {
  const jobs_t *jobs = jobs_of(&watch->request);
  for (size_t i = 0; i < watch->id_count; i++) {
    const job_entry_t *entry = jobs_find(jobs, watch->ids[i]);
    if (entry != NULL && job_phase(entry) != JOB_PHASE_ENDED) {
      return false;
    }
  }
  return watch->id_count > 0;
}

static void go_on(job_watch_t *watch) {
  if (watch->request.client == NULL || !rpc_call_is_writable(watch->request.client)) {
    return;
  }
  if (watch->told < jobs_of(&watch->request)->version) {
    tell_all(watch);
  }
  if (next_change(watch) == NULL && all_have_ended(watch)) {
    end_watch(watch, NULL);
  }
}

void jobs_watches_pump(jobs_t *jobs) {
  for (job_watch_t *at = jobs->watches; at != NULL;) {
    job_watch_t *next = at->next;
    go_on(at);
    at = next;
  }
}

void jobs_watches_close(jobs_t *jobs) {
  while (jobs->watches != NULL) {
    end_watch(jobs->watches, pod_error(POD_UNAVAILABLE, "the coordinator is going down"));
  }
}

static pod_status_t begin(job_watch_t *watch,
                          const Podium__V1__WatchJobsRequest *wanted) {
  POD_TRY(jobs_identify(&watch->request, &watch->caller));
  if (wanted->n_ids > IDS_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%zu jobs, at most %d can be watched by a call", wanted->n_ids,
                     (int)IDS_MAX);
  }
  for (size_t i = 0; i < wanted->n_ids; i++) {
    job_entry_t *entry;
    POD_TRY(jobs_enter(jobs_of(&watch->request), &watch->caller, wanted->ids[i], &entry));
  }
  watch->id_count = wanted->n_ids;
  if (wanted->n_ids > 0) {
    memcpy(watch->ids, wanted->ids, wanted->n_ids * sizeof(*wanted->ids));
  }
  return NULL;
}

static void on_message(request_t *request, const void *message) {
  job_watch_t *watch = (job_watch_t *)request;
  const pod_status_t status = begin(watch, message);
  if (status != NULL) {
    end_watch(watch, status);
    return;
  }
  jobs_t *jobs = jobs_of(request);
  watch->next = jobs->watches;
  jobs->watches = watch;
  request_move(request, WATCH_TELLING);
  go_on(watch);
}

static void on_writable(request_t *request) {
  if (request_is(request, WATCH_TELLING)) {
    go_on((job_watch_t *)request);
  }
}

static void stop(request_t *request, pod_status_t status) {
  end_watch((job_watch_t *)request, status);
}

static const request_kind_t kind = {.name = "WatchJobs",
                                    .size_bytes = sizeof(job_watch_t),
                                    .states = states,
                                    .state_count = WATCH_STATE_COUNT,
                                    .on_message = on_message,
                                    .on_writable = on_writable,
                                    .stop = stop};

pod_status_t jobs_start_watch(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}
