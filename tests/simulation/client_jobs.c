// Jobs: what clients hand over is written down here, outside of all processes, and so is
// all that they are told. A job whose number was told is there whatever dies, one for
// each key; it ends once, and in one way.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/podium_jobs.h"
#include "tests/simulation/client_private.h"
#include "tests/simulation/runners.h"

enum {
  JOBS_MAX = 48,
  KEY_BYTES = 24,
  SLICE_BYTES = 16,
  AFTER_MAX = 2,
  RETRIES_MAX = 3,
  // When nothing disturbs the pod: for all jobs together.
  JOB_WAIT_MS = 60000,
};

typedef struct record_t {
  char key[KEY_BYTES], slice[SLICE_BYTES];
  int client, program, x, y, priority, retries;
  bool wants_profile;
  int after_count;
  uint64_t after[AFTER_MAX];
  int32_t values[PROGRAM_ARGUMENTS_MAX][PROGRAM_ELEMENTS];
  uint64_t id;               // 0: nobody was told.
  bool may_be_cancelled;     // It was asked for.
  podium_job_state_t ended;  // As somebody was told; PODIUM_JOB_UNKNOWN: nobody.
} record_t;

static record_t records[JOBS_MAX];
static int record_count;

void client_jobs_reset(void) {
  memset(records, 0, sizeof(records));
  record_count = 0;
}

static bool went_well(client_t *client, podium_status_t *status, int may) {
  const char *call = client->call;
  client->call = NULL;
  return client_went_well(client, call, status, may);
}

// Nobody is told how long a coordinator that is down stays so.
enum { MAY_BE_LOST = MAY_BE_AWAY | MAY_BE_LATE };

// --- Making ---

static const record_t *find_by_id(uint64_t id) {
  for (int i = 0; i < record_count; i++) {
    if (records[i].id == id) {
      return &records[i];
    }
  }
  return NULL;
}

static record_t *pick(const client_t *client, bool needs_id) {
  record_t *found = NULL;
  uint64_t seen = 0;
  for (int i = 0; i < record_count; i++) {
    if (records[i].client == client->number && (records[i].id != 0 || !needs_id) &&
        machine_once_in(++seen)) {
      found = &records[i];
    }
  }
  return found;
}

static void draw_after(record_t *record, const client_t *client) {
  while (record->after_count < AFTER_MAX && machine_once_in(4)) {
    const record_t *before = pick(client, true);
    if (before == NULL || (record->after_count > 0 && record->after[0] == before->id)) {
      return;
    }
    record->after[record->after_count++] = before->id;
  }
}

// NULL: there are enough.
static record_t *draw_record(const client_t *client, int program) {
  if (record_count == JOBS_MAX) {
    return NULL;
  }
  record_t *record = &records[record_count];
  *record = (record_t){.client = client->number,
                       .program = program,
                       .x = (int)machine_between(1, client->plan->x),
                       .y = (int)machine_between(1, client->plan->y),
                       .priority = (int)machine_between(-1, 1),
                       .retries = (int)machine_between(0, RETRIES_MAX),
                       .wants_profile = machine_once_in(4)};
  snprintf(record->key, sizeof(record->key), "key-%d", record_count);
  if (machine_once_in(2)) {
    snprintf(record->slice, sizeof(record->slice), "%dx%d", record->x, record->y);
  }
  draw_after(record, client);
  for (int i = 0; i < PROGRAM_ARGUMENTS_MAX; i++) {
    client_draw(record->values[i], PROGRAM_ELEMENTS);
  }
  record_count++;
  return record;
}

static podium_status_t *submit(const client_t *client, const record_t *record,
                               uint64_t *out_id) {
  const program_t *program = &programs[record->program];
  podium_job_input_t inputs[PROGRAM_ARGUMENTS_MAX];
  for (int i = 0; i < program->argument_count; i++) {
    inputs[i] = (podium_job_input_t){.shape = {.dtype = PODIUM_S32,
                                               .rank = 2,
                                               .dims = {PROGRAM_ROWS, PROGRAM_COLUMNS}},
                                     .data = record->values[i],
                                     .size = PROGRAM_BYTES};
  }
  const podium_job_options_t options = {
      .struct_size = sizeof(options),
      .timeout_ms = CALL_MS,
      .name = program->name,
      .slice = record->slice[0] == '\0' ? NULL : record->slice,
      .priority = record->priority,
      .after_count = record->after_count,
      .after = record->after,
      .retries = record->retries,
      .profile = record->wants_profile,
      .submission = record->key};
  char *text = program->text(record->x, record->y);
  podium_status_t *status =
      podium_submit(client->session, text, strlen(text), program->argument_count, inputs,
                    &options, out_id);
  free(text);
  return status;
}

static bool hand_over(client_t *client, record_t *record) {
  uint64_t id = 0;
  client_enter(client, "submit", CALL_MS);
  if (!went_well(client, submit(client, record, &id), MAY_BE_LOST)) {
    return false;
  }
  machine_trace("%s is job %" PRIu64, record->key, id);
  machine_note(id);
  const record_t *other = find_by_id(id);
  if (id == 0 || (record->id != 0 && record->id != id) ||
      (other != NULL && other != record)) {
    machine_fail("%s: %s was job %" PRIu64 ", and is told that it is job %" PRIu64,
                 client->process->name, record->key, record->id, id);
  }
  record->id = id;
  return true;
}

// --- Judging ---

static bool has_faults(const plan_t *plan) {
  for (int i = 0; i < plan->item_count; i++) {
    if (plan_is_fault(&plan->items[i]) && !plan->items[i].is_left_out) {
      return true;
    }
  }
  return false;
}

// One of those that it comes after has not succeeded, or not as far as we were told.
static bool may_lack_another(const record_t *record) {
  for (int i = 0; i < record->after_count; i++) {
    const record_t *before = find_by_id(record->after[i]);
    if (before != NULL && before->ended != PODIUM_JOB_SUCCEEDED) {
      return true;
    }
  }
  return false;
}

static bool may_have_failed(const client_t *client, const record_t *record,
                            const podium_job_t *job) {
  const plan_t *plan = client->plan;
  switch (job->code) {
    case PODIUM_UNAVAILABLE:
    case PODIUM_DATA_LOSS:
      // What is not ready yet will be: it is waited for, however often.
      return has_faults(plan) && job->attempts > record->retries &&
             strstr(job->message, "is not ready") == NULL;
    case PODIUM_RESOURCE_EXHAUSTED:
      return plan->hbm_bytes > 0;
    case PODIUM_FAILED_PRECONDITION:
      return may_lack_another(record) && strstr(job->message, "comes after") != NULL;
    default:
      return false;
  }
}

static bool is_right_end(const client_t *client, const record_t *record,
                         const podium_job_t *job) {
  switch (job->state) {
    case PODIUM_JOB_SUCCEEDED:
      return job->attempts > 0 && job->result_count == 1 &&
             job->result_bytes[0] == PROGRAM_BYTES &&
             job->has_profile == record->wants_profile &&
             job->has_report == record->wants_profile;
    case PODIUM_JOB_CANCELLED:
      return record->may_be_cancelled;
    case PODIUM_JOB_FAILED:
      return may_have_failed(client, record, job);
    default:
      return record->ended == PODIUM_JOB_UNKNOWN;  // It has not ended.
  }
}

// What we are told of it may be so, and agrees with what we were told before.
static void look_at(const client_t *client, record_t *record, const podium_job_t *job) {
  const bool has_ended = podium_job_has_ended(job->state);
  machine_trace("job %" PRIu64 " is %s after %d attempts: %s %s", job->id,
                podium_job_state_name(job->state), job->attempts,
                podium_code_name(job->code), job->message);
  machine_note((uint64_t)job->state);
  if (job->id != record->id || !is_right_end(client, record, job) ||
      (record->ended != PODIUM_JOB_UNKNOWN && record->ended != job->state)) {
    machine_fail("%s: job %" PRIu64
                 " (%s), which was %s, may not be %s after %d attempts "
                 "(%d retries): %s: %s",
                 client->process->name, record->id, record->key,
                 podium_job_state_name(record->ended), podium_job_state_name(job->state),
                 job->attempts, record->retries, podium_code_name(job->code),
                 job->message);
  }
  if (has_ended) {
    record->ended = job->state;
  }
}

static bool fetch_result(client_t *client, const record_t *record) {
  int32_t got[PROGRAM_ELEMENTS];
  int32_t expected[PROGRAM_ELEMENTS];
  client_enter(client, "fetch of a job's result", CALL_MS);
  if (!went_well(client,
                 podium_job_fetch_result(client->session, record->id, 0, got, sizeof(got),
                                         CALL_MS),
                 MAY_BE_LOST)) {
    return false;
  }
  const int32_t *values[PROGRAM_ARGUMENTS_MAX] = {record->values[0], record->values[1]};
  programs[record->program].expect(values, expected);
  client_compare(client, "a job's result", got, expected, PROGRAM_ELEMENTS);
  return true;
}

// --- What the plan says ---

static bool await(client_t *client, record_t *record, int64_t timeout_ms) {
  podium_job_t *job = NULL;
  client_enter(client, "wait for a job", timeout_ms);
  if (!went_well(client, podium_job_wait(client->session, record->id, timeout_ms, &job),
                 MAY_BE_LOST)) {
    return false;
  }
  if (!podium_job_has_ended(job->state)) {
    machine_fail("%s: job %" PRIu64 " was waited for and has not ended",
                 client->process->name, record->id);
  }
  look_at(client, record, job);
  const bool has_result = job->state == PODIUM_JOB_SUCCEEDED;
  podium_job_free(job);
  return !has_result || fetch_result(client, record);
}

static bool cancel(client_t *client, record_t *record) {
  podium_job_t *job = NULL;
  record->may_be_cancelled = true;
  client_enter(client, "cancel of a job", CALL_MS);
  podium_status_t *status = podium_job_cancel(client->session, record->id, CALL_MS, &job);
  if (podium_status_code(status) == PODIUM_FAILED_PRECONDITION) {  // It had ended.
    client->call = NULL;
    podium_status_free(status);
    return true;
  }
  if (!went_well(client, status, MAY_BE_LOST)) {
    return false;
  }
  if (job->state != PODIUM_JOB_CANCELLED) {
    machine_fail("%s: job %" PRIu64 " was cancelled, and is %s", client->process->name,
                 record->id, podium_job_state_name(job->state));
  }
  look_at(client, record, job);
  podium_job_free(job);
  return true;
}

static bool hand_over_new(client_t *client, const plan_item_t *item) {
  bool is_well = true;
  for (int i = 0; is_well && i < item->count; i++) {
    record_t *record = draw_record(client, (item->program + i) % PROGRAM_COUNT);
    is_well = record == NULL || hand_over(client, record);
  }
  return is_well;
}

bool client_work_with_jobs(client_t *client, const plan_item_t *item) {
  if (!client_need_session(client)) {
    return false;
  }
  if (item->kind == PLAN_SUBMIT) {
    return hand_over_new(client, item);
  }
  record_t *record = pick(client, item->kind != PLAN_RESUBMIT);
  if (record == NULL) {
    return true;
  }
  switch (item->kind) {
    case PLAN_AWAIT:
      return await(client, record, 1 + item->wait_ns / MS);
    case PLAN_CANCEL_JOB:
      return cancel(client, record);
    default:
      return hand_over(client, record);
  }
}

// --- The checker ---

// There are those that we know of, and no others.
static bool check_list(client_t *client) {
  podium_jobs_t *jobs = NULL;
  const podium_job_list_options_t options = {.struct_size = sizeof(options),
                                             .timeout_ms = CALL_MS};
  client_enter(client, "list of jobs", CALL_MS);
  if (!went_well(client, podium_job_list(client->session, &options, &jobs),
                 MAY_BE_AWAY)) {
    return false;
  }
  if (jobs->count != record_count || jobs->others_queued + jobs->others_running > 0) {
    machine_fail("there are %d jobs (and %d of others), and %d were handed over",
                 jobs->count, jobs->others_queued + jobs->others_running, record_count);
  }
  for (int i = 0; i < jobs->count; i++) {
    record_t *record = (record_t *)(uintptr_t)find_by_id(jobs->jobs[i].id);
    if (record == NULL) {
      machine_fail("job %" PRIu64 " is nobody's", jobs->jobs[i].id);
      break;
    }
    look_at(client, record, &jobs->jobs[i]);
  }
  podium_jobs_free(jobs);
  return true;
}

// What each comes after was handed over before it.
bool client_check_jobs(client_t *client) {
  if (!client->plan->has_jobs) {
    return true;
  }
  bool is_well = client_need_session(client);
  for (int i = 0; is_well && i < record_count; i++) {
    is_well = hand_over(client, &records[i]);
  }
  for (int i = 0; is_well && i < record_count; i++) {
    is_well = await(client, &records[i], JOB_WAIT_MS);
  }
  if (is_well && runners_count(NULL) > 0) {
    machine_fail("all jobs have ended, and %d runners have not", runners_count(NULL));
  }
  return is_well && check_list(client);
}
