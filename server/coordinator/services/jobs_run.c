// An attempt: its orders, what its runner says, and what comes of it.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "server/coordinator/services/jobs_private.h"

// Between a refused attempt and the next.
static const int64_t PAUSE_US = 250000, PAUSE_US_MAX = 30000000;

void jobs_clear_attempt(job_entry_t *entry) {
  for (int32_t i = 0; i < entry->results.count; i++) {
    free(entry->results.items[i].name);
    free(entry->results.items[i].dtype);
  }
  pod_list_clear(&entry->results);
  free(entry->said_message);
  free(entry->progress);
  entry->said_message = entry->progress = NULL;
  entry->has_said_end = entry->was_refused = false;
  entry->said_code = POD_OK;
  entry->profile = entry->report = (job_blob_t){.size_bytes = 0};
}

// --- What the runner says ---

static void take(job_entry_t *entry, job_told_t *told) {
  switch (told->word) {
    case JOB_WORD_PROGRESS:
      free(entry->progress);
      entry->progress = told->text;
      told->text = NULL;
      jobs_changed(entry);
      break;
    case JOB_WORD_RESULT:
      if (entry->results.count < JOB_ARRAYS_MAX) {
        *pod_list_add(&entry->results) = told->array;
        told->array = (job_array_t){.name = NULL};
      }
      break;
    case JOB_WORD_PROFILE:
      entry->profile = told->blob;
      break;
    case JOB_WORD_REPORT:
      entry->report = told->blob;
      break;
    case JOB_WORD_DONE:
      entry->has_said_end = true;
      entry->said_code = POD_OK;
      break;
    case JOB_WORD_FAILED:
      entry->has_said_end = true;
      entry->said_code = told->code;
      free(entry->said_message);
      entry->said_message = told->text;
      told->text = NULL;
      break;
  }
}

static void on_line(void *context, char *line) {
  job_entry_t *entry = context;
  job_told_t told;
  const pod_status_t status = job_told_read(line, &told);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "the runner of job %" PRIu64 ": %s", entry->job->id,
            pod_status_message(status));
    pod_status_free(status);
    return;
  }
  take(entry, &told);
  job_told_deinit(&told);
}

// --- What comes of it ---

// The pod was not ready for it, and nothing has run: it waits for a while, longer each
// time, and this was none of its attempts that count.
static void wait_again(job_entry_t *entry, const char *message) {
  int64_t pause_us = PAUSE_US;
  for (int32_t i = 0; i < entry->refusals && pause_us < PAUSE_US_MAX; i++) {
    pause_us *= 2;
  }
  entry->refusals++;
  entry->not_before_us =
      jobs_now_us() + (pause_us < PAUSE_US_MAX ? pause_us : PAUSE_US_MAX);
  pod_text_t text = {0};
  pod_text_printf(&text, "attempt %" PRId32 " was refused: %s", entry->job->attempts,
                  message);
  jobs_write_again(entry, false, pod_text_take(&text));
}

// No longer than it was to be, whatever the host's clock does.
int64_t jobs_pause_us(const job_entry_t *entry) {
  const int64_t left_us = entry->not_before_us - jobs_now_us();
  return left_us > 0 && left_us <= PAUSE_US_MAX ? left_us : 0;
}

// Takes `how`.
static void judge(job_entry_t *entry, pod_status_t how) {
  int32_t code = entry->said_code;
  const char *message = entry->said_message == NULL ? "" : entry->said_message;
  if (!entry->has_said_end) {
    code = how == NULL ? POD_INTERNAL : (int32_t)pod_status_code(how);
    message =
        how == NULL ? "the job's runner ended without a word" : pod_status_message(how);
  }
  if (code == POD_OK) {
    jobs_write(entry, CHANGE_FINISH, JOB_SUCCEEDED, POD_OK, pod_strdup(""));
  } else if (code == POD_UNAVAILABLE && entry->was_refused) {
    wait_again(entry, message);
  } else if (job_verdict((pod_code_t)code, entry->job->failures + 1,
                         entry->job->retries) == JOB_VERDICT_AGAIN) {
    pod_text_t text = {0};
    pod_text_printf(&text, "attempt %" PRId32 " failed: %s", entry->job->attempts,
                    message);
    jobs_write_again(entry, true, pod_text_take(&text));
  } else {
    jobs_write(entry, CHANGE_FINISH, JOB_FAILED, code, pod_strdup(message));
  }
  pod_status_free(how);
}

static void on_end(void *context, pod_status_t how) {
  job_entry_t *entry = context;
  entry->attempt = NULL;
  access_end_loan(entry->jobs->coordinator->access, entry->token);
  explicit_bzero(entry->token, sizeof(entry->token));
  const bool has_succeeded = entry->has_said_end && entry->said_code == POD_OK;
  if (entry->wants_cancel && !has_succeeded) {
    pod_status_free(how);
    jobs_write(entry, CHANGE_CANCEL, JOB_CANCELLED, 0, pod_strdup(entry->cancel_word));
  } else if (entry->jobs->is_draining && !entry->has_said_end) {
    pod_status_free(how);
    jobs_write_again(entry, false, pod_strdup("the coordinator went down"));
  } else {
    judge(entry, how);
  }
}

// --- Its beginning ---

static void print_orders(const job_entry_t *entry, pod_text_t *text) {
  const job_t *job = entry->job;
  const torus_t *torus = &entry->jobs->coordinator->options.torus;
  const int32_t count = torus_slice_count(&entry->slice);
  int64_t *chips = pod_alloc((size_t)count * sizeof(*chips));
  torus_slice_chips(torus, &entry->slice, chips);
  jobs_order_chips(&job->options, chips, (size_t)count);
  job_options_t options = job->options;  // Borrowed.
  options.order_count = 0;
  job_orders_print(&(job_orders_t){.id = job->id,
                                   .attempt = job->attempts,
                                   .address = entry->jobs->runner_address,
                                   .token = (char *)(uintptr_t)entry->token,
                                   .folder = entry->jobs->folder,
                                   .name = job->name,
                                   .file_name = job->file_name,
                                   .traceparent = job->traceparent,
                                   .module = job->module,
                                   .input_count = job->input_count,
                                   .inputs = job->inputs,
                                   .chip_count = (size_t)count,
                                   .chips = chips,
                                   .wants_profile = job->wants_profile,
                                   .options = options},
                   text);
  free(chips);
}

static void make_token(job_entry_t *entry) {
  uint8_t random[ACCESS_SECRET_BYTES];
  digest_random(random, sizeof(random));
  access_print_hex(random, entry->token);
  explicit_bzero(random, sizeof(random));
  access_lend(entry->jobs->coordinator->access, entry->job->principal, entry->token,
              entry->job->id);
}

static void log_start(const job_entry_t *entry) {
  pod_text_t text = {0};
  pod_text_printf(&text, "starts, attempt %" PRId32 ", on a slice of ",
                  entry->job->attempts);
  torus_slice_print_size(&text, entry->slice.size);
  pod_text_add(&text, " at ");
  torus_print_coords(
      &text, (torus_coords_t){.at = {entry->slice.origin[0], entry->slice.origin[1],
                                     entry->slice.origin[2]}});
  jobs_log(entry, "job_start", text.bytes);
  pod_text_deinit(&text);
}

void jobs_launch(job_entry_t *entry) {
  jobs_t *jobs = entry->jobs;
  pod_text_t orders = {0}, log_path = {0};
  jobs_clear_attempt(entry);
  make_token(entry);
  print_orders(entry, &orders);
  pod_text_printf(&log_path, "%s/logs/%" PRIu64 ".%" PRId32 ".log", jobs->folder,
                  entry->job->id, entry->job->attempts);
  log_start(entry);
  entry->attempt = jobs->runner->start(
      jobs->coordinator->loop, orders.bytes, log_path.bytes,
      &(job_attempt_events_t){.on_line = on_line, .on_end = on_end, .context = entry});
  explicit_bzero(orders.bytes, orders.length);
  pod_text_deinit(&orders);
  pod_text_deinit(&log_path);
}
