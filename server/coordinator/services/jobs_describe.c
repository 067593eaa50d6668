// A job as clients see it.

#include <inttypes.h>
#include <string.h>

#include "common/tensor/dtype.h"
#include "server/coordinator/core/given_slice.h"
#include "server/coordinator/services/jobs_private.h"

Podium__V1__JobState jobs_wire_state(job_state_t state) {
  static const Podium__V1__JobState states[JOB_STATE_COUNT] = {
      [JOB_QUEUED] = PODIUM__V1__JOB_STATE__JOB_STATE_QUEUED,
      [JOB_RUNNING] = PODIUM__V1__JOB_STATE__JOB_STATE_RUNNING,
      [JOB_SUCCEEDED] = PODIUM__V1__JOB_STATE__JOB_STATE_SUCCEEDED,
      [JOB_FAILED] = PODIUM__V1__JOB_STATE__JOB_STATE_FAILED,
      [JOB_CANCELLED] = PODIUM__V1__JOB_STATE__JOB_STATE_CANCELLED};
  return states[state];
}

static char *borrow(const char *text) {
  return text == NULL ? "" : (char *)(uintptr_t)text;
}

static Podium__V1__JobArray **arrays_of(pod_arena_t *arena, const job_array_t *arrays,
                                        size_t count) {
  Podium__V1__JobArray **list = pod_arena_array(arena, count + 1, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    Podium__V1__JobArray *array = list[i] = pod_arena_alloc(arena, sizeof(*array));
    podium__v1__job_array__init(array);
    array->name = borrow(arrays[i].name);
    array->shape = pod_arena_alloc(arena, sizeof(*array->shape));
    podium__v1__shape__init(array->shape);
    array->shape->dtype =
        (Podium__V1__DType)tensor_dtype_parse(arrays[i].dtype, strlen(arrays[i].dtype));
    array->shape->n_dims = (size_t)arrays[i].rank;
    array->shape->dims = (int64_t *)(uintptr_t)arrays[i].dims;
  }
  return list;
}

static void describe_chips(pod_arena_t *arena, const torus_t *torus,
                           const torus_slice_t *slice, Podium__V1__Job *job) {
  const size_t count = (size_t)torus_slice_count(slice);
  int64_t *chips = pod_arena_array(arena, count, sizeof(*chips));
  torus_slice_chips(torus, slice, chips);
  job->n_chips = count;
  job->chips = pod_arena_array(arena, count, sizeof(*job->chips));
  for (size_t i = 0; i < count; i++) {
    job->chips[i] = (int32_t)chips[i];
  }
}

// As it stands in the record: that of an attempt which began is told as long as the job
// is kept, whichever coordinator gave it.
static void describe_slice(pod_arena_t *arena, const job_entry_t *entry,
                           Podium__V1__Job *job) {
  const torus_t *torus = &entry->jobs->coordinator->options.torus;
  torus_slice_t slice;
  bool is_here;
  if (!given_slice_read(entry->job->given, torus, &slice, &is_here)) {
    return;
  }
  if (is_here) {
    describe_chips(arena, torus, &slice, job);
  }
  job->n_origin = TORUS_DIMENSIONS;
  job->origin = pod_arena_copy(arena, slice.origin, sizeof(slice.origin));
  pod_text_t text = {0};
  torus_slice_print_size(&text, slice.size);
  job->given_slice = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
}

static void print_unfinished(const job_entry_t *entry, pod_text_t *text) {
  for (size_t i = 0; i < entry->job->after_count; i++) {
    const job_entry_t *before = jobs_find(entry->jobs, entry->job->after[i]);
    if (before != NULL && before->job->state != JOB_SUCCEEDED) {
      pod_text_printf(text, "%s%" PRIu64, text->length == 0 ? "for job " : ", ",
                      before->job->id);
    }
  }
}

static void describe_wait(pod_arena_t *arena, const job_entry_t *entry,
                          Podium__V1__Job *job) {
  const jobs_t *jobs = entry->jobs;
  pod_text_t text = {0};
  if (jobs->is_draining) {
    pod_text_add(&text, "for the coordinator to be started again");
  } else if (entry->is_scheduled) {
    const slices_missing_t missing = jobs_missing(jobs);
    job_schedule_print_wait(jobs->schedule, &missing, entry->job->id, &text);
    if (jobs->is_settling) {
      pod_text_add(&text, ", while the pod comes up");
    }
    const int32_t position = job_schedule_position(jobs->schedule, entry->job->id);
    job->position = position < 0 ? 0 : position;
  } else if (jobs_pause_us(entry) > 0) {
    pod_text_printf(&text, "for %" PRId64 " ms, as %s", jobs_pause_us(entry) / 1000 + 1,
                    entry->job->message);
  } else {
    print_unfinished(entry, &text);
  }
  job->waits_for = pod_arena_strdup(arena, text.bytes == NULL ? "" : text.bytes);
  pod_text_deinit(&text);
}

static void describe_end(pod_arena_t *arena, const job_t *job, Podium__V1__Job *out) {
  out->n_results = job->result_count;
  out->results = arrays_of(arena, job->results, job->result_count);
  out->n_result_bytes = job->result_count;
  out->result_bytes =
      pod_arena_array(arena, job->result_count + 1, sizeof(*out->result_bytes));
  for (size_t i = 0; i < job->result_count; i++) {
    out->result_bytes[i] = job->results[i].data.size_bytes;
  }
  out->has_profile = job->profile.size_bytes > 0;
  out->has_report = job->report.size_bytes > 0;
}

Podium__V1__Job *jobs_describe(pod_arena_t *arena, const job_entry_t *entry) {
  const job_t *job = entry->job;
  Podium__V1__Job *out = pod_arena_alloc(arena, sizeof(*out));
  podium__v1__job__init(out);
  out->id = job->id;
  out->name = borrow(job->name);
  out->file_name = borrow(job->file_name);
  out->principal = borrow(job->principal);
  out->state = jobs_wire_state(job->state);
  out->slice = borrow(job->slice);
  out->device_count = job->device_count;
  out->priority = job->priority;
  out->n_after = job->after_count;
  out->after = job->after;
  out->attempts = job->attempts;
  out->retries = job->retries;
  out->code = job->code;
  out->message = borrow(job->message);
  out->submitted_us = job->submitted_us;
  out->started_us = job->started_us;
  out->ended_us = job->ended_us;
  out->traceparent = borrow(job->traceparent);
  out->n_inputs = job->input_count;
  out->inputs = arrays_of(arena, job->inputs, job->input_count);
  out->progress = borrow(entry->progress);
  describe_end(arena, job, out);
  if (job->state != JOB_QUEUED) {
    describe_slice(arena, entry, out);
  }
  if (job->state == JOB_QUEUED) {
    describe_wait(arena, entry, out);
  }
  return out;
}

// --- For the coordinator's other parts ---

size_t jobs_each(const coordinator_t *coordinator, const access_identity_t *caller,
                 size_t max, jobs_visit_t visit, void *context) {
  const jobs_t *jobs = coordinator->jobs;
  const int32_t count = jobs == NULL ? 0 : jobs->entries.count;
  size_t visible = 0, skipped = 0;
  for (int32_t i = 0; i < count; i++) {
    visible += jobs_may_see(jobs->entries.items[i], caller);
  }
  for (int32_t i = 0; i < count; i++) {
    const job_entry_t *entry = jobs->entries.items[i];
    if (!jobs_may_see(entry, caller)) {
      continue;
    }
    if (visible - skipped > max) {
      skipped++;
      continue;
    }
    pod_arena_t *arena = pod_arena_create();
    visit(context, jobs_describe(arena, entry), entry->job->state);
    pod_arena_destroy(arena);
  }
  return visible;
}

uint64_t jobs_version(const coordinator_t *coordinator) {
  return coordinator->jobs == NULL ? 0 : coordinator->jobs->version;
}

void jobs_count(const jobs_t *jobs, int64_t out_counts[JOB_STATE_COUNT]) {
  memset(out_counts, 0, JOB_STATE_COUNT * sizeof(*out_counts));
  for (int32_t i = 0; jobs != NULL && i < jobs->entries.count; i++) {
    out_counts[jobs->entries.items[i]->job->state]++;
  }
}

// The folder of blobs is not changed by opening one: any thread may, also beside the
// disk's.
pod_status_t jobs_open_report(const coordinator_t *coordinator,
                              const access_identity_t *caller, uint64_t id, int *out_fd,
                              int64_t *out_size_bytes) {
  if (coordinator->jobs == NULL) {
    return pod_error(POD_NOT_FOUND, "there is no job %" PRIu64, id);
  }
  job_entry_t *entry;
  POD_TRY(jobs_enter(coordinator->jobs, caller, id, &entry));
  if (entry->job->report.size_bytes == 0) {
    return pod_error(POD_NOT_FOUND,
                     "job %" PRIu64 " has no report: submit it with --profile", id);
  }
  POD_TRY(job_blob_open(job_store_blobs(coordinator->jobs->store), &entry->job->report,
                        out_fd));
  *out_size_bytes = entry->job->report.size_bytes;
  return NULL;
}
