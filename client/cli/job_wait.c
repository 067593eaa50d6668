// podium wait, podium cancel, podium logs JOB: jobs on their way to their end.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/jobs.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"

enum {
  KEY_TIMEOUT = 256,
  KEY_REMOVE,
  GET_TIMEOUT_MS = 60000,
  CANCEL_TIMEOUT_MS = 120000,
  LINE_BYTES = 512
};

typedef struct wait_t {
  cli_jobs_t jobs;
  cli_job_ids_t ids;
  int64_t timeout_ms;
  bool is_removed;
  // What is shown of the last change: two lines, since the one that is shown is borrowed.
  char lines[2][LINE_BYTES];
  int line;
} wait_t;

static error_t parse(int key, char *value, struct argp_state *state) {
  wait_t *wait = state->input;
  switch (key) {
    case CLI_KEY_JOBS_POD:
      wait->jobs.pod = value;
      return 0;
    case 'q':
      wait->jobs.is_quiet = true;
      return 0;
    case KEY_REMOVE:
      wait->is_removed = true;
      return 0;
    case KEY_TIMEOUT:
      if (!cli_read_seconds(value, &wait->timeout_ms)) {
        argp_error(state, "--timeout takes seconds, got '%s'", value);
      }
      return 0;
    case ARGP_KEY_ARG:
      return cli_job_ids_option(&wait->ids, value, state);
    case ARGP_KEY_END:
      if (wait->ids.count == 0) {
        argp_error(state, "a JOB is needed: `podium jobs` lists them");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- wait ---

static bool see(void *context, const podium_job_t *job) {
  wait_t *wait = context;
  if (podium_job_has_ended(job->state)) {
    return true;
  }
  const char *what = job->state == PODIUM_JOB_QUEUED ? job->waits_for : job->progress;
  wait->line = 1 - wait->line;
  snprintf(wait->lines[wait->line], LINE_BYTES, "job %llu, %s%s%s",
           (unsigned long long)job->id, podium_job_state_name(job->state),
           *what == '\0' ? "" : ": ", what);
  cli_progress_step(wait->jobs.progress, wait->lines[wait->line], 0);
  return true;
}

static void tell_end(const wait_t *wait, const podium_job_t *job) {
  pod_text_t text = {0};
  cli_job_print_end(job, &text);
  if (!wait->jobs.is_quiet) {
    cli_print_whole("job %llu %s\n", (unsigned long long)job->id, text.bytes);
  }
  pod_text_deinit(&text);
  if (cli_report() != NULL) {
    cJSON *list = cJSON_GetObjectItem(cli_report(), "jobs");
    cJSON_AddItemToArray(list, cli_job_report(job));
  }
}

// The jobs as they are in the end. One that has not ended yet, or not well, is told.
static pod_status_t tell_ends(wait_t *wait, bool *out_all_well) {
  *out_all_well = true;
  for (int i = 0; i < wait->ids.count; i++) {
    podium_job_t *job;
    POD_TRY(cli_status_of(
        podium_job_get(wait->jobs.session, wait->ids.items[i], CANCEL_TIMEOUT_MS, &job)));
    tell_end(wait, job);
    *out_all_well &= job->state == PODIUM_JOB_SUCCEEDED;
    podium_job_free(job);
  }
  return NULL;
}

static pod_status_t wait_for_jobs(wait_t *wait, bool *out_all_well) {
  POD_TRY(cli_jobs_connect(&wait->jobs));
  cli_progress_step(wait->jobs.progress, "waiting for jobs", 0);
  const pod_status_t status = cli_status_of(podium_job_watch(
      wait->jobs.session, wait->ids.count, wait->ids.items, see, wait, wait->timeout_ms));
  cli_progress_step(wait->jobs.progress, NULL, 0);
  if (pod_status_code(status) != POD_DEADLINE_EXCEEDED) {
    POD_TRY(status);
    return tell_ends(wait, out_all_well);
  }
  pod_status_free(status);
  POD_TRY(tell_ends(wait, out_all_well));
  return *out_all_well ? NULL
                       : pod_error(POD_DEADLINE_EXCEEDED,
                                   "not all of the jobs have ended within %.3g s",
                                   (double)wait->timeout_ms / 1e3);
}

int cli_wait(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"timeout", KEY_TIMEOUT, "SECONDS", 0, "Give up after so long (no limit)", 0},
      {"quiet", 'q', NULL, 0, "Print only errors", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "JOB…",
      .doc =
          "Wait until jobs have ended, and say how. The exit status is 0 when all of "
          "them have succeeded, 1 when one has not. The coordinator may be started anew "
          "meanwhile.\v"
          "Example:\n  podium wait 7 8 && podium result 7 -o out.npy"};
  wait_t *wait = pod_alloc(sizeof(*wait));
  cli_parse(&argp, argc, argv, wait);
  if (cli_report() != NULL) {
    cJSON_AddArrayToObject(cli_report(), "jobs");
  }
  bool all_well = true;
  const pod_status_t status = wait_for_jobs(wait, &all_well);
  cli_jobs_close(&wait->jobs);
  free(wait);
  return status != NULL ? cli_fail(status) : all_well ? CLI_OK : CLI_FAILED;
}

// --- cancel ---

static pod_status_t cancel_one(wait_t *wait, uint64_t id) {
  podium_job_t *job = NULL;
  pod_status_t status =
      cli_status_of(podium_job_cancel(wait->jobs.session, id, CANCEL_TIMEOUT_MS, &job));
  if (wait->is_removed && pod_status_code(status) == POD_FAILED_PRECONDITION) {
    pod_status_free(status);  // It has ended, and goes all the same.
    status =
        cli_status_of(podium_job_get(wait->jobs.session, id, CANCEL_TIMEOUT_MS, &job));
  }
  if (status == NULL && wait->is_removed) {
    status = cli_status_of(podium_job_remove(wait->jobs.session, id, CANCEL_TIMEOUT_MS));
  }
  if (status == NULL) {
    if (!wait->jobs.is_quiet) {
      cli_print_whole("job %llu %s%s\n", (unsigned long long)id,
                      podium_job_state_name(job->state),
                      wait->is_removed ? ", removed" : "");
    }
    if (cli_report() != NULL) {
      cJSON_AddItemToArray(cJSON_GetObjectItem(cli_report(), "jobs"),
                           cli_job_report(job));
    }
  }
  podium_job_free(job);
  return status;
}

// All of them, whatever comes of one; the last that went wrong is returned.
static pod_status_t cancel_all(wait_t *wait) {
  POD_TRY(cli_jobs_connect(&wait->jobs));
  pod_status_t failed = NULL;
  for (int i = 0; i < wait->ids.count; i++) {
    const pod_status_t status = cancel_one(wait, wait->ids.items[i]);
    if (status != NULL && failed != NULL) {
      cli_fail(failed);
    }
    failed = status != NULL ? status : failed;
  }
  return failed;
}

int cli_cancel(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"remove", KEY_REMOVE, NULL, 0,
       "Forget the jobs too, with inputs and results; also those that have ended", 0},
      {"quiet", 'q', NULL, 0, "Print only errors", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "JOB…",
      .doc =
          "Cancel jobs that are queued or run.\v"
          "Examples:\n  podium cancel 7\n  podium cancel --remove 3 4 5"};
  wait_t *wait = pod_alloc(sizeof(*wait));
  cli_parse(&argp, argc, argv, wait);
  if (cli_report() != NULL) {
    cJSON_AddArrayToObject(cli_report(), "jobs");
  }
  const pod_status_t status = cancel_all(wait);
  cli_jobs_close(&wait->jobs);
  free(wait);
  return status == NULL ? CLI_OK : cli_fail(status);
}

// --- logs ---

typedef struct told_t {
  pod_text_t kept;  // For --json.
  size_t bytes;
} told_t;

static bool write_log(void *context, const void *bytes, size_t size) {
  told_t *told = context;
  told->bytes += size;
  if (cli_report() != NULL) {
    pod_text_add_bytes(&told->kept, bytes, size);
    return true;
  }
  return fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0;
}

// A job that never ran has said nothing, which looks like a log that is lost.
static pod_status_t say_why_none(const cli_jobs_t *jobs, uint64_t id) {
  podium_job_t *job;
  POD_TRY(cli_status_of(podium_job_get(jobs->session, id, GET_TIMEOUT_MS, &job)));
  const char *why = job->state == PODIUM_JOB_QUEUED ? job->waits_for : job->message;
  fprintf(stderr, "job %llu has no log: it %s%s%s\n", (unsigned long long)id,
          job->attempts == 0                 ? "was never started"
          : podium_job_has_ended(job->state) ? "has said nothing"
                                             : "has said nothing yet",
          *why == '\0'                      ? ""
          : job->state == PODIUM_JOB_QUEUED ? "; it waits "
                                            : ": ",
          why);
  podium_job_free(job);
  return NULL;
}

int cli_job_logs(const char *pod, uint64_t id, bool follows) {
  cli_jobs_t jobs = {.pod = pod};
  told_t told = {.bytes = 0};
  pod_status_t status = cli_jobs_connect(&jobs);
  if (status == NULL) {
    status =
        cli_status_of(podium_job_log(jobs.session, id, follows, write_log, &told, 0));
  }
  if (status == NULL && told.bytes == 0 && cli_report() == NULL) {
    status = say_why_none(&jobs, id);
  }
  cli_jobs_close(&jobs);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "log",
                            told.kept.bytes == NULL ? "" : told.kept.bytes);
  }
  pod_text_deinit(&told.kept);
  return status == NULL ? CLI_OK : cli_fail(status);
}
