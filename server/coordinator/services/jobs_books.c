// The books: what there is, what changes, what may start.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "server/coordinator/authorize.h"
#include "server/coordinator/core/given_slice.h"
#include "server/coordinator/services/jobs_private.h"

enum {
  TICK_MS = 250,  // Logs that are followed; what has to be written again.
  COLLECT_US = 60000000,
  QUIET_US = 2000000,      // Nothing more comes up then,
  SETTLING_US = 30000000,  // or is waited for.
  LOGS_MISSED_MAX = 8,     // In a row: there are no more.
  FOLDER_BYTES_MAX = 80,   // Of a path that has to hold a socket.
};

static const pod_state_t phases[JOB_PHASE_COUNT] = {
    [JOB_PHASE_QUEUED] = {"queued",
                          POD_TO(JOB_PHASE_STARTING) | POD_TO(JOB_PHASE_ENDING)},
    [JOB_PHASE_STARTING] = {"starting", POD_TO(JOB_PHASE_RUNNING) |
                                            POD_TO(JOB_PHASE_ENDING) |
                                            POD_TO(JOB_PHASE_QUEUED)},
    [JOB_PHASE_RUNNING] = {"running", POD_TO(JOB_PHASE_ENDING)},
    [JOB_PHASE_ENDING] = {"ending", POD_TO(JOB_PHASE_QUEUED) | POD_TO(JOB_PHASE_ENDED)},
    [JOB_PHASE_ENDED] = {"ended", 0},
};

int64_t jobs_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// --- Who finds what ---

static int32_t index_of(const jobs_t *jobs, uint64_t id) {
  int32_t low = 0, high = jobs->entries.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (jobs->entries.items[middle]->job->id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

job_entry_t *jobs_find(const jobs_t *jobs, uint64_t id) {
  const int32_t index = index_of(jobs, id);
  return index < jobs->entries.count && jobs->entries.items[index]->job->id == id
             ? jobs->entries.items[index]
             : NULL;
}

bool jobs_may_see(const job_entry_t *entry, const access_identity_t *caller) {
  if (entry->change.is_on_its_way && entry->change.what == CHANGE_REMOVE) {
    return false;
  }
  return caller == NULL || access_allows(caller, ACCESS_ADMINISTER) ||
         strcmp(entry->job->principal, caller->name) == 0;
}

pod_status_t jobs_enter(const jobs_t *jobs, const access_identity_t *caller, uint64_t id,
                        job_entry_t **out_entry) {
  job_entry_t *found = jobs_find(jobs, id);
  if (found == NULL || !jobs_may_see(found, caller)) {
    return pod_error(POD_NOT_FOUND,
                     "there is no job %" PRIu64 " of yours: `podium jobs` lists them",
                     id);
  }
  *out_entry = found;
  return NULL;
}

pod_status_t jobs_identify(const request_t *request, access_identity_t *out_caller) {
  if (request->coordinator->is_draining || request->coordinator->is_destroyed) {
    return pod_error(POD_UNAVAILABLE, "the coordinator is going down");
  }
  return authorize_identify(request->coordinator->access, request->client, out_caller);
}

// --- Telling ---

static void pump(later_item_t *item);

void jobs_look_again(jobs_t *jobs) {
  if (!jobs->is_closing) {
    later_post(jobs->coordinator->later, &jobs->pump, pump);
  }
}

void jobs_changed(job_entry_t *entry) {
  entry->version = ++entry->jobs->version;
  jobs_look_again(entry->jobs);
}

void jobs_log(const job_entry_t *entry, const char *event, const char *text) {
  const job_t *job = entry->job;
  pod_log_fields(
      POD_LOG_INFO,
      POD_LOG_FIELDS({"event", .text = event}, {"job", .number = (int64_t)job->id},
                     {"name", .text = job->name}, {"principal", .text = job->principal},
                     {"attempt", .number = job->attempts},
                     {"state", .text = job_state_name(job->state)},
                     {"traceparent", .text = job->traceparent}),
      "job %" PRIu64 " \"%s\" of %s %s", job->id, job->name, job->principal, text);
}

// --- What may start ---

static void schedule(job_entry_t *entry) {
  entry->is_scheduled = true;
  job_schedule_add(entry->jobs->schedule,
                   &(job_plan_t){.id = entry->job->id,
                                 .principal = entry->job->principal,
                                 .priority = entry->job->priority,
                                 .wish = entry->wish},
                   jobs_now_us());
}

static void unschedule(job_entry_t *entry) {
  if (entry->is_scheduled) {
    entry->is_scheduled = false;
    job_schedule_remove(entry->jobs->schedule, entry->job->id, jobs_now_us());
  }
}

// True when all that it comes after has succeeded. What is not there any more has: had it
// failed, this one would have with it. Else the first that has failed, or NULL.
static bool may_start(const job_entry_t *entry, const job_entry_t **out_failed) {
  bool is_free = true;
  *out_failed = NULL;
  for (size_t i = 0; i < entry->job->after_count; i++) {
    const job_entry_t *before = jobs_find(entry->jobs, entry->job->after[i]);
    if (before == NULL || before->job->state == JOB_SUCCEEDED) {
      continue;
    }
    is_free = false;
    if (*out_failed == NULL && job_state_is_end(before->job->state)) {
      *out_failed = before;
    }
  }
  return is_free;
}

static void look_at_queued(job_entry_t *entry) {
  const job_entry_t *failed;
  if (job_phase(entry) != JOB_PHASE_QUEUED || entry->is_scheduled ||
      jobs_pause_us(entry) > 0) {
    return;
  }
  if (may_start(entry, &failed)) {
    schedule(entry);
  } else if (failed != NULL) {
    pod_text_t text = {0};
    pod_text_printf(&text, "job %" PRIu64 ", which it comes after, %s", failed->job->id,
                    failed->job->state == JOB_CANCELLED ? "was cancelled" : "has failed");
    jobs_write(entry, CHANGE_FINISH, JOB_FAILED, POD_FAILED_PRECONDITION,
               pod_text_take(&text));
  }
}

// An execution is refused while a link that it needs is down (core/footprint.h), as they
// are for a moment after a pod's start and a worker's return.
static void find_missing(jobs_t *jobs) {
  const places_t *places = registry_places(jobs->coordinator->registry);
  for (int32_t chip = 0; chip < places->count; chip++) {
    jobs->is_lost[chip] = !places_is_serving(places, chip);
    jobs->links_down[chip] = places_links_down(places, chip);
  }
}

// Chips that have come and are not whole yet. What starts then gets the box that happens
// to be there, in the way of all that comes after it.
static bool is_unsettled(const places_t *places) {
  for (int32_t chip = 0; chip < places->count; chip++) {
    if (place_state(&places->at[chip]) == PLACE_JOINING) {
      return true;
    }
  }
  return false;
}

static void look_whether_it_settles(jobs_t *jobs) {
  const int64_t now_us = pod_clock_now_ns() / 1000;
  const bool is_it = is_unsettled(registry_places(jobs->coordinator->registry));
  if (is_it && !jobs->was_unsettled) {
    jobs->unsettled_us = now_us;
  }
  jobs->was_unsettled = is_it;
  jobs->is_settling = is_it && now_us - jobs->pod_changed_us < QUIET_US &&
                      now_us - jobs->unsettled_us < SETTLING_US;
}

static void start_what_may(jobs_t *jobs) {
  uint64_t id;
  torus_slice_t slice;
  find_missing(jobs);
  look_whether_it_settles(jobs);
  const slices_missing_t missing = jobs_missing(jobs);
  while (!jobs->is_draining && !jobs->is_settling &&
         job_schedule_next(jobs->schedule, &missing, jobs_now_us(), &id, &slice)) {
    job_entry_t *entry = jobs_find(jobs, id);
    entry->slice = slice;
    jobs_write_start(entry);
  }
}

static void pump(later_item_t *item) {
  jobs_t *jobs = (jobs_t *)(void *)((char *)item - offsetof(jobs_t, pump));
  if (jobs->is_closing) {
    return;
  }
  for (int32_t i = 0; i < jobs->entries.count && !jobs->is_draining; i++) {
    look_at_queued(jobs->entries.items[i]);
  }
  start_what_may(jobs);
  jobs_cancels_look(jobs);
  jobs_logs_look(jobs);
  jobs_watches_pump(jobs);
  coordinator_settle(jobs->coordinator);
}

// --- Changes on their way to the disk ---

static pod_status_t write_finish(job_store_t *store, const job_change_t *change) {
  const job_entry_t *entry = change->entry;
  const bool has_results = change->state == JOB_SUCCEEDED;
  const job_end_t end = {
      .state = change->state,
      .code = change->code,
      .message = change->message == NULL ? "" : change->message,
      .result_count = has_results ? (size_t)entry->results.count : 0,
      .results = entry->results.items,
      .profile = has_results ? entry->profile : (job_blob_t){.size_bytes = 0},
      .report = has_results ? entry->report : (job_blob_t){.size_bytes = 0},
      .ended_us = change->at_us};
  return job_store_finish(store, entry->job->id, &end);
}

// On the disk's thread. An attempt that was stopped before it began has none.
static void remove_logs(const char *folder, uint64_t id) {
  for (int32_t attempt = 1, missed = 0; missed < LOGS_MISSED_MAX; attempt++) {
    pod_text_t path = {0};
    pod_text_printf(&path, "%s/logs/%" PRIu64 ".%" PRId32 ".log", folder, id, attempt);
    missed = unlink(path.bytes) == 0 ? 0 : missed + 1;
    pod_text_deinit(&path);
  }
}

// On the disk's thread. The entry stands still: its change is on its way.
static void run_change(disk_work_t *work) {
  job_change_t *change = (job_change_t *)(void *)work;
  job_store_t *store = change->entry->jobs->store;
  const uint64_t id = change->entry->job->id;
  const char *message = change->message == NULL ? "" : change->message;
  switch (change->what) {
    case CHANGE_START:
      change->status = job_store_start(store, id, change->given, change->at_us);
      break;
    case CHANGE_FINISH:
      change->status = write_finish(store, change);
      break;
    case CHANGE_AGAIN:
      change->status = job_store_requeue(store, id, message, change->is_failure);
      break;
    case CHANGE_CANCEL:
      change->status = job_store_cancel(store, id, message, change->at_us);
      break;
    case CHANGE_REMOVE:
      change->status = job_store_remove(store, id);
      if (change->status == NULL) {
        remove_logs(change->entry->jobs->folder, id);
      }
      break;
  }
}

static void take_results(job_entry_t *entry) {
  job_t *job = entry->job;
  job_arrays_destroy(job->results, job->result_count);
  job->result_count = (size_t)entry->results.count;
  job->results = entry->results.items;
  entry->results.items = NULL;
  entry->results.count = entry->results.capacity = 0;
  job->profile = entry->profile;
  job->report = entry->report;
}

// The record follows the disk.
static void follow(job_entry_t *entry) {
  job_change_t *change = &entry->change;
  job_t *job = entry->job;
  if (change->what == CHANGE_START) {
    job->state = JOB_RUNNING;
    job->attempts++;
    job->started_us = change->at_us;
    free(job->given);
    job->given = change->given;
    change->given = NULL;
    return;
  }
  job->state = change->what == CHANGE_AGAIN    ? JOB_QUEUED
               : change->what == CHANGE_CANCEL ? JOB_CANCELLED
                                               : change->state;
  job->failures += change->is_failure;
  job->code = change->what == CHANGE_CANCEL  ? POD_CANCELLED
              : change->what == CHANGE_AGAIN ? 0
                                             : change->code;
  free(job->message);
  job->message = change->message == NULL ? pod_strdup("") : change->message;
  change->message = NULL;
  if (change->what != CHANGE_AGAIN) {
    job->ended_us = change->at_us;
  }
  if (job->state == JOB_SUCCEEDED) {
    take_results(entry);
  }
}

static void start_is_written(job_entry_t *entry) {
  jobs_t *jobs = entry->jobs;
  coordinator_metrics_job_started(jobs->coordinator->metrics,
                                  entry->job->started_us - entry->job->submitted_us);
  if (entry->wants_cancel) {
    jobs_write(entry, CHANGE_CANCEL, JOB_CANCELLED, 0, pod_strdup(entry->cancel_word));
  } else if (jobs->is_draining) {
    jobs_write_again(entry, false, pod_strdup("the coordinator went down"));
  } else {
    pod_state_machine_move(&entry->machine, JOB_PHASE_RUNNING);
    jobs_launch(entry);
  }
}

static void end_is_written(job_entry_t *entry) {
  const job_t *job = entry->job;
  jobs_clear_attempt(entry);
  if (job->state == JOB_QUEUED) {
    pod_state_machine_move(&entry->machine, JOB_PHASE_QUEUED);
    jobs_log(entry, "job_again", "waits again");
    if (entry->wants_cancel) {
      jobs_write(entry, CHANGE_CANCEL, JOB_CANCELLED, 0, pod_strdup(entry->cancel_word));
    }
    return;
  }
  pod_state_machine_move(&entry->machine, JOB_PHASE_ENDED);
  coordinator_metrics_job_ended(
      entry->jobs->coordinator->metrics, (int)job->state,
      job->started_us > 0 ? job->ended_us - job->started_us : -1);
  pod_text_t text = {0};
  pod_text_printf(&text, "has ended: %s%s%s", job_state_name(job->state),
                  *job->message != '\0' ? ": " : "", job->message);
  jobs_log(entry, "job_end", text.bytes);
  pod_text_deinit(&text);
}

static void free_entry(job_entry_t *entry) {
  jobs_clear_attempt(entry);
  pod_list_deinit(&entry->results);
  free(entry->change.message);
  free(entry->change.given);
  free(entry->cancel_word);
  free(entry->progress);
  job_destroy(entry->job);
  free(entry);
}

static void forget(job_entry_t *entry) {
  jobs_t *jobs = entry->jobs;
  const int32_t index = index_of(jobs, entry->job->id);
  memmove(jobs->entries.items + index, jobs->entries.items + index + 1,
          (size_t)(jobs->entries.count - index - 1) * sizeof(jobs->entries.items[0]));
  jobs->entries.count--;
  jobs->version++;
  free_entry(entry);
}

// What the disk does not take now it may take in a moment; what the store refuses it
// would refuse again.
static bool may_be_repeated(pod_code_t code) {
  return code == POD_RESOURCE_EXHAUSTED || code == POD_UNAVAILABLE;
}

static void change_failed(job_entry_t *entry) {
  job_change_t *change = &entry->change;
  pod_log(change->is_reported ? POD_LOG_DEBUG : POD_LOG_WARNING,
          "what becomes of job %" PRIu64 " cannot be written%s: %s", entry->job->id,
          may_be_repeated(pod_status_code(change->status)) ? "; it is tried again" : "",
          pod_status_message(change->status));
  if (change->what == CHANGE_FINISH && change->state == JOB_SUCCEEDED &&
      !may_be_repeated(pod_status_code(change->status))) {
    // Its results cannot be believed; that can be written.
    change->state = JOB_FAILED;
    change->code = (int32_t)pod_status_code(change->status);
    free(change->message);
    change->message = pod_strdup(pod_status_message(change->status));
  }
  change->is_to_be_repeated = change->is_reported = true;
  pod_status_free(change->status);
  change->status = NULL;
}

static void change_done(disk_work_t *work) {
  job_change_t *change = (job_change_t *)(void *)work;
  job_entry_t *entry = change->entry;
  change->is_on_its_way = false;
  if (change->status != NULL) {
    if (change->what == CHANGE_REMOVE) {
      pod_log(POD_LOG_WARNING, "job %" PRIu64 " cannot be removed: %s", entry->job->id,
              pod_status_message(change->status));
      pod_status_free(change->status);
      change->status = NULL;
    } else {
      change_failed(entry);
    }
    jobs_changed(entry);
    return;
  }
  if (change->what == CHANGE_REMOVE) {
    jobs_t *jobs = entry->jobs;
    forget(entry);
    jobs_look_again(jobs);
    return;
  }
  const bool is_start = change->what == CHANGE_START;
  follow(entry);
  jobs_changed(entry);
  if (is_start) {
    start_is_written(entry);
  } else {
    end_is_written(entry);
  }
}

static void send_change(job_entry_t *entry) {
  entry->change.is_on_its_way = true;
  entry->change.is_to_be_repeated = false;
  job_disk_do(entry->jobs->disk, &entry->change.work);
}

static void begin_change(job_entry_t *entry, job_change_kind_t what, job_state_t state,
                         int32_t code, char *message) {
  job_change_t *change = &entry->change;
  POD_CHECK(!change->is_on_its_way);
  free(change->message);
  free(change->given);
  *change = (job_change_t){.work = {.run = run_change, .done = change_done},
                           .entry = entry,
                           .what = what,
                           .state = state,
                           .code = code,
                           .message = message,
                           .at_us = jobs_now_us()};
  if (what == CHANGE_START) {
    pod_state_machine_move(&entry->machine, JOB_PHASE_STARTING);
  } else if (what != CHANGE_REMOVE) {
    unschedule(entry);
    pod_state_machine_move(&entry->machine, JOB_PHASE_ENDING);
  }
}

void jobs_write(job_entry_t *entry, job_change_kind_t what, job_state_t state,
                int32_t code, char *message) {
  begin_change(entry, what, state, code, message);
  send_change(entry);
}

void jobs_write_start(job_entry_t *entry) {
  pod_text_t given = {0};
  given_slice_print(&given, &entry->jobs->coordinator->options.torus, &entry->slice);
  begin_change(entry, CHANGE_START, JOB_RUNNING, 0, NULL);
  entry->change.given = pod_text_take(&given);
  send_change(entry);
}

void jobs_write_again(job_entry_t *entry, bool is_failure, char *message) {
  begin_change(entry, CHANGE_AGAIN, JOB_QUEUED, 0, message);
  entry->change.is_failure = is_failure;
  send_change(entry);
}

void jobs_cancel(job_entry_t *entry, const char *word) {
  if (entry->wants_cancel) {
    return;
  }
  entry->wants_cancel = true;
  entry->cancel_word = pod_strdup(word);
  if (job_phase(entry) == JOB_PHASE_QUEUED) {
    jobs_write(entry, CHANGE_CANCEL, JOB_CANCELLED, 0, pod_strdup(word));
  } else if (entry->attempt != NULL) {
    entry->jobs->runner->kill(entry->attempt);
  }
}

job_entry_t *jobs_add(jobs_t *jobs, job_t *job) {
  job_entry_t *entry = pod_alloc(sizeof(*entry));
  entry->jobs = jobs;
  entry->job = job;
  entry->change.entry = entry;
  pod_state_machine_init(
      &entry->machine, "job", job->id, phases, JOB_PHASE_COUNT,
      job_state_is_end(job->state) ? JOB_PHASE_ENDED : JOB_PHASE_QUEUED);
  const int32_t index = index_of(jobs, job->id);
  *pod_list_add(&jobs->entries) = entry;
  memmove(jobs->entries.items + index + 1, jobs->entries.items + index,
          (size_t)(jobs->entries.count - 1 - index) * sizeof(jobs->entries.items[0]));
  jobs->entries.items[index] = entry;
  jobs_changed(entry);
  const pod_status_t status = slices_wish(&jobs->coordinator->options.torus, job->slice,
                                          job->device_count, &entry->wish);
  if (status != NULL && job_phase(entry) == JOB_PHASE_QUEUED) {
    // Accepted by a pod of another size.
    jobs_write(entry, CHANGE_FINISH, JOB_FAILED, POD_FAILED_PRECONDITION,
               pod_strdup(pod_status_message(status)));
  }
  pod_status_free(status);
  return entry;
}

// --- Housekeeping ---

typedef struct collect_t {
  disk_work_t work;
  jobs_t *jobs;
  pod_status_t status;
  POD_LIST(uint64_t) removed;
} collect_t;

static void note_removed(void *user, uint64_t id) {
  collect_t *collect = user;
  *pod_list_add(&collect->removed) = id;
  remove_logs(collect->jobs->folder, id);
}

static void run_collect(disk_work_t *work) {
  collect_t *collect = (collect_t *)(void *)work;
  collect->status =
      job_store_collect(collect->jobs->store, jobs_now_us(), note_removed, collect);
}

static void collect_done(disk_work_t *work) {
  collect_t *collect = (collect_t *)(void *)work;
  jobs_t *jobs = collect->jobs;
  jobs->is_collecting = false;
  for (int32_t i = 0; i < collect->removed.count; i++) {
    job_entry_t *entry = jobs_find(jobs, collect->removed.items[i]);
    if (entry != NULL && !entry->change.is_on_its_way) {
      forget(entry);
    }
  }
  if (collect->status != NULL) {
    pod_log(POD_LOG_WARNING, "the store of jobs cannot be tidied: %s",
            pod_status_message(collect->status));
    pod_status_free(collect->status);
  }
  pod_list_deinit(&collect->removed);
  free(collect);
  jobs_look_again(jobs);
}

static void collect(jobs_t *jobs) {
  jobs->is_collecting = true;
  jobs->collected_us = jobs_now_us();
  collect_t *collect = pod_alloc(sizeof(*collect));
  *collect =
      (collect_t){.work = {.run = run_collect, .done = collect_done}, .jobs = jobs};
  job_disk_do(jobs->disk, &collect->work);
}

static void on_tick(void *context) {
  jobs_t *jobs = context;
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    job_entry_t *entry = jobs->entries.items[i];
    if (entry->change.is_to_be_repeated) {
      send_change(entry);
    }
  }
  if (!jobs->is_collecting && jobs_now_us() - jobs->collected_us > COLLECT_US) {
    collect(jobs);
  }
  jobs_look_again(jobs);
}

// --- The whole ---

static void take_job(void *user, job_t *job) {
  jobs_add(user, job);
}

static pod_status_t open_store(jobs_t *jobs, const coordinator_options_t *options) {
  const job_store_limits_t limits = {
      .bytes_max = options->jobs.bytes_max,
      .principal_jobs_max = options->jobs.client_jobs_max,
      .principal_bytes_max = options->jobs.client_bytes_max,
      .keep_s = options->jobs.keep_hours * 3600,
      .free_bytes_min = INT64_C(64) << 20};
  POD_TRY(job_store_open(jobs->folder, &limits, &jobs->store));
  char *real = realpath(jobs->folder, NULL);
  if (real != NULL) {
    free(jobs->folder);
    jobs->folder = real;
  }
  const job_store_recovery_t *found = job_store_recovery(jobs->store);
  POD_TRY(job_store_each(jobs->store, take_job, jobs));
  jobs_recall_clocks(jobs);
  pod_log_fields(
      POD_LOG_INFO,
      POD_LOG_FIELDS({"event", .text = "jobs"}, {"jobs", .number = jobs->entries.count},
                     {"again", .number = found->requeued_count},
                     {"damaged", .number = found->damaged_count}),
      "%" PRId32 " jobs are kept in %s; %" PRId64 " of them ran, and run again%s%s",
      jobs->entries.count, jobs->folder, found->requeued_count,
      found->damage != NULL && *found->damage != '\0' ? "; damaged: " : "",
      found->damage != NULL ? found->damage : "");
  return NULL;
}

// Runners come by a unix socket in a folder that is the coordinator's user's alone,
// however it listens for others: in that of the jobs, or when its name is too long for a
// socket's in one of its own.
static pod_status_t listen_for_runners(jobs_t *jobs) {
  const char *folder = jobs->folder;
  if (strlen(folder) > FOLDER_BYTES_MAX) {
    jobs->socket_folder = pod_strdup("/tmp/podium-runners-XXXXXX");
    if (mkdtemp(jobs->socket_folder) == NULL) {
      free(jobs->socket_folder);
      jobs->socket_folder = NULL;
      return pod_error(POD_FAILED_PRECONDITION,
                       "no folder in /tmp for the socket of its runners: %s",
                       strerror(errno));
    }
    folder = jobs->socket_folder;
  }
  pod_text_t path = {0};
  pod_text_printf(&path, "unix:%s/runners", folder);
  const pod_status_t status =
      rpc_server_listen(jobs->coordinator->server, path.bytes, &jobs->runner_address);
  pod_text_deinit(&path);
  return status;
}

pod_status_t jobs_create(coordinator_t *coordinator, jobs_t **out_jobs) {
  const coordinator_options_t *options = &coordinator->options;
  jobs_t *jobs = pod_alloc(sizeof(*jobs));
  *out_jobs = jobs;  // What is half made is destroyed by the coordinator too.
  jobs->coordinator = coordinator;
  jobs->folder = pod_strdup(options->jobs.folder);
  jobs->runner =
      options->jobs.runner != NULL ? options->jobs.runner : &job_process_runner;
  jobs->schedule = job_schedule_create(&options->torus);
  jobs->is_lost = pod_alloc((size_t)torus_chip_count(&options->torus));
  jobs->links_down =
      pod_alloc((size_t)torus_chip_count(&options->torus) * sizeof(*jobs->links_down));
  jobs->collected_us = jobs_now_us();
  jobs->tick = rpc_timer_create(coordinator->loop, on_tick, jobs);
  POD_TRY(job_disk_create(coordinator->loop, &jobs->disk));
  POD_TRY(pod_status_context(open_store(jobs, options), "--jobs"));
  POD_TRY(pod_status_context(listen_for_runners(jobs), "--jobs"));
  rpc_timer_start(jobs->tick, TICK_MS, TICK_MS);
  jobs_look_again(jobs);
  return NULL;
}

void jobs_drain(jobs_t *jobs) {
  if (jobs == NULL) {
    return;
  }
  jobs->is_draining = true;
  jobs_watches_close(jobs);
  jobs_logs_close(jobs);
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    if (jobs->entries.items[i]->attempt != NULL) {
      jobs->runner->kill(jobs->entries.items[i]->attempt);
    }
  }
}

bool jobs_are_settled(const jobs_t *jobs) {
  for (int32_t i = 0; jobs != NULL && i < jobs->entries.count; i++) {
    const job_phase_t phase = job_phase(jobs->entries.items[i]);
    if (phase != JOB_PHASE_QUEUED && phase != JOB_PHASE_ENDED) {
      return false;
    }
  }
  return true;
}

void jobs_mark_chips(const jobs_t *jobs, bool *is_taken) {
  if (jobs != NULL) {
    job_schedule_mark(jobs->schedule, is_taken);
  }
}

void jobs_note_refusal(jobs_t *jobs, uint64_t id) {
  job_entry_t *entry = jobs == NULL || id == 0 ? NULL : jobs_find(jobs, id);
  if (entry != NULL && entry->attempt != NULL) {
    entry->was_refused = true;
  }
}

void jobs_pod_changed(jobs_t *jobs) {
  if (jobs != NULL) {
    jobs->pod_changed_us = pod_clock_now_ns() / 1000;
    jobs_look_again(jobs);
  }
}

void jobs_stop(jobs_t *jobs) {
  if (jobs == NULL) {
    return;
  }
  jobs->is_draining = jobs->is_closing = true;
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    job_entry_t *entry = jobs->entries.items[i];
    if (entry->attempt != NULL) {
      jobs->runner->abandon(entry->attempt);
      entry->attempt = NULL;
      access_end_loan(jobs->coordinator->access, entry->token);
    }
  }
  job_disk_destroy(jobs->disk);
  jobs->disk = NULL;
}

void jobs_destroy(jobs_t *jobs) {
  if (jobs == NULL) {
    return;
  }
  for (int32_t i = 0; i < jobs->entries.count; i++) {
    free_entry(jobs->entries.items[i]);
  }
  pod_list_deinit(&jobs->entries);
  job_schedule_destroy(jobs->schedule);
  job_store_close(jobs->store);
  rpc_timer_destroy(jobs->tick);
  free(jobs->is_lost);
  free(jobs->links_down);
  free(jobs->folder);
  if (jobs->socket_folder != NULL) {
    (void)rmdir(jobs->socket_folder);  // The server has removed the socket.
    free(jobs->socket_folder);
  }
  free(jobs->runner_address);
  free(jobs);
}
