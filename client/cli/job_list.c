// podium jobs: what there is of jobs, once or as it changes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/jobs.h"
#include "client/cli/report.h"
#include "client/cli/streams.h"
#include "client/cli/terminal.h"

enum {
  LIST_TIMEOUT_MS = 60000,
  SHOWN_AFTER_END_S = 3600,
  KEY_ALL = 256,
  KEY_WATCH,
  WATCH_PAUSE_MS = 200,
};

// What was shown of a job.
typedef struct shown_t {
  uint64_t id, what;
} shown_t;

typedef struct list_t {
  cli_jobs_t jobs;
  bool shows_all, watches;
  POD_LIST(shown_t) shown;  // By id.
} list_t;

static error_t parse(int key, char *value, struct argp_state *state) {
  list_t *list = state->input;
  switch (key) {
    case CLI_KEY_JOBS_POD:
      list->jobs.pod = value;
      return 0;
    case KEY_ALL:
      list->shows_all = true;
      return 0;
    case KEY_WATCH:
      list->watches = true;
      return 0;
    case ARGP_KEY_END:
      if (list->watches && cli_report() != NULL) {
        argp_error(state, "--json is one object at the end: --watch has none");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static bool is_shown(const list_t *list, const podium_job_t *job, int64_t now_us) {
  return list->shows_all || !podium_job_has_ended(job->state) ||
         now_us - job->ended_us < SHOWN_AFTER_END_S * INT64_C(1000000);
}

static const char *color_of(podium_job_state_t state) {
  return state == PODIUM_JOB_SUCCEEDED ? "32"
         : state == PODIUM_JOB_FAILED  ? "31"
         : state == PODIUM_JOB_RUNNING ? "36"
                                       : "";
}

// What it does, what it waits for, or why it ended as it did; one line.
static void print_remark(const podium_job_t *job, pod_text_t *text) {
  if (job->state == PODIUM_JOB_RUNNING) {
    pod_text_printf(text, "%s", job->progress);
  } else if (job->state == PODIUM_JOB_QUEUED) {
    pod_text_printf(text, "%s", job->waits_for);
  } else if (job->state != PODIUM_JOB_SUCCEEDED) {
    pod_text_printf(text, "%.*s", (int)strcspn(job->message, "\n"), job->message);
  }
}

// The time that counts: since it ended, began or was submitted.
static void print_job(const podium_job_t *job, int64_t now_us) {
  pod_text_t age = {0}, remark = {0};
  const int64_t since_us = podium_job_has_ended(job->state)   ? job->ended_us
                           : job->state == PODIUM_JOB_RUNNING ? job->started_us
                                                              : job->submitted_us;
  cli_job_print_age(now_us - since_us, &age);
  print_remark(job, &remark);
  const char *slice = *job->given_slice != '\0' ? job->given_slice
                      : *job->slice != '\0'     ? job->slice
                                                : "-";
  const char *color = color_of(job->state);
  cli_print("%6llu  %-20.20s %s%-9s%s %-7s %8d %8s  %s\n", (unsigned long long)job->id,
            job->name, *color == '\0' ? "" : cli_color(color),
            podium_job_state_name(job->state), *color == '\0' ? "" : cli_color(""), slice,
            job->priority, age.bytes, remark.bytes == NULL ? "" : remark.bytes);
  pod_text_deinit(&age);
  pod_text_deinit(&remark);
}

static void print_jobs(const list_t *list, const podium_jobs_t *jobs) {
  const int64_t now_us = cli_now_us();
  int hidden = 0, shown = 0;
  for (int i = 0; i < jobs->count; i++) {
    if (!is_shown(list, &jobs->jobs[i], now_us)) {
      hidden++;
      continue;
    }
    if (shown++ == 0) {
      cli_print("%6s  %-20s %-9s %-7s %8s %8s  %s\n", "job", "name", "state", "slice",
                "priority", "since", "progress, or what it waits for");
    }
    print_job(&jobs->jobs[i], now_us);
  }
  if (shown == 0) {
    cli_print("no jobs%s\n", hidden > 0 ? " of the last hour" : "");
  }
  if (hidden > 0) {
    cli_print("%d that ended before: --all\n", hidden);
  }
  if (jobs->others_queued + jobs->others_running > 0) {
    cli_print("of others: %d running, %d queued\n", jobs->others_running,
              jobs->others_queued);
  }
  if (jobs->is_cut) {
    cli_print("only the newest are listed\n");
  }
}

static void report_jobs(const list_t *list, const podium_jobs_t *jobs) {
  if (cli_report() == NULL) {
    return;
  }
  const int64_t now_us = cli_now_us();
  cJSON *array = cJSON_AddArrayToObject(cli_report(), "jobs");
  for (int i = 0; i < jobs->count; i++) {
    if (is_shown(list, &jobs->jobs[i], now_us)) {
      cJSON_AddItemToArray(array, cli_job_report(&jobs->jobs[i]));
    }
  }
  cJSON_AddNumberToObject(cli_report(), "others_queued", jobs->others_queued);
  cJSON_AddNumberToObject(cli_report(), "others_running", jobs->others_running);
}

// FNV-1a over what of a job can change.
static uint64_t what_of(const podium_job_t *job) {
  const char *const texts[] = {podium_job_state_name(job->state), job->progress,
                               job->waits_for, job->given_slice, job->message};
  uint64_t what = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    for (const char *at = texts[i];; at++) {
      what = (what ^ (unsigned char)*at) * UINT64_C(1099511628211);
      if (*at == '\0') {
        break;
      }
    }
  }
  return what;
}

static void remember(list_t *list, const podium_jobs_t *jobs) {
  pod_list_clear(&list->shown);
  for (int i = 0; i < jobs->count; i++) {
    *pod_list_add(&list->shown) =
        (shown_t){.id = jobs->jobs[i].id, .what = what_of(&jobs->jobs[i])};
  }
}

static pod_status_t show(list_t *list) {
  podium_jobs_t *jobs;
  const podium_job_list_options_t options = {.timeout_ms = LIST_TIMEOUT_MS};
  POD_TRY(cli_status_of(podium_job_list(list->jobs.session, &options, &jobs)));
  if (list->watches && cli_terminal_columns() > 0 && cli_terminal_is_smart()) {
    cli_print_whole("\033[H\033[J");
  }
  print_jobs(list, jobs);
  report_jobs(list, jobs);
  remember(list, jobs);
  podium_jobs_free(jobs);
  return NULL;
}

// The first that are told are those that have been shown; only what differs is a change.
static bool see_change(void *context, const podium_job_t *job) {
  const list_t *list = context;
  for (int i = list->shown.count - 1; i >= 0; i--) {
    if (list->shown.items[i].id == job->id) {
      return list->shown.items[i].what == what_of(job);
    }
  }
  return list->shown.count > 0 && job->id < list->shown.items[0].id;
}

static pod_status_t run(list_t *list) {
  POD_TRY(cli_jobs_connect(&list->jobs));
  POD_TRY(show(list));
  while (list->watches && !cli_output_is_lost()) {
    POD_TRY(cli_status_of(
        podium_job_watch(list->jobs.session, 0, NULL, see_change, list, 0)));
    (void)nanosleep(&(struct timespec){.tv_nsec = WATCH_PAUSE_MS * 1000000L}, NULL);
    POD_TRY(show(list));
  }
  return NULL;
}

int cli_jobs(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"all", KEY_ALL, NULL, 0, "Also those that ended more than an hour ago", 0},
      {"watch", KEY_WATCH, NULL, 0, "Show them anew as often as one changes", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .doc =
          "List the jobs of a pod: one's own, or all of them for who administers it.\v"
          "Example:\n  podium jobs --watch"};
  list_t list = {0};
  cli_parse(&argp, argc, argv, &list);
  const pod_status_t status = run(&list);
  cli_jobs_close(&list.jobs);
  pod_list_deinit(&list.shown);
  return status == NULL ? CLI_OK : cli_fail(status);
}
