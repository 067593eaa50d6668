// podium logs: what a pod's daemons say, together and by time.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/cli/cli.h"
#include "client/cli/jobs.h"
#include "client/cli/log_lines.h"
#include "client/cli/log_sources.h"
#include "client/cli/report.h"
#include "client/cli/streams.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"

enum {
  LINES_AT_FIRST = 10,  // Of the past, when the future is asked for.
  LINES_MAX = 100000000,
  TOGETHER_MS = 200,  // Lines of several daemons that come within it are sorted.
};

typedef struct logs_t {
  const char *pod;
  uint64_t job;  // 0: the daemons' logs are asked for.
  bool follows;
  int64_t lines;  // -1: all.
  int64_t since_us;
  char least;
  int daemon_columns;
} logs_t;

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static error_t parse(int key, char *value, struct argp_state *state) {
  logs_t *logs = state->input;
  switch (key) {
    case 'f':
      logs->follows = true;
      return 0;
    case 'n':
      if (!cli_read_number(value, 0, LINES_MAX, &logs->lines)) {
        argp_error(state, "--lines needs a number, not '%s'", value);
      }
      return 0;
    case 's':
      if (!cli_log_read_since(value, now_us(), &logs->since_us)) {
        argp_error(state,
                   "--since: '%s' is neither how long ago (90s, 15m, 2h, 1d) nor a time "
                   "(2026-11-21T15:04:05Z)",
                   value);
      }
      return 0;
    case 'l':
      logs->least = cli_log_level(value);
      if (logs->least == '\0') {
        argp_error(state, "--level: '%s' is none of debug, info, warning, error", value);
      }
      return 0;
    case CLI_KEY_JOBS_POD:
      logs->pod = value;
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num != 0) {
        return ARGP_ERR_UNKNOWN;
      }
      if (!cli_job_read_id(value, &logs->job)) {
        logs->pod = value;
      }
      return 0;
    case ARGP_KEY_END:
      if (logs->job != 0 &&
          (logs->lines >= 0 || logs->since_us != 0 || logs->least != 'D')) {
        argp_error(state,
                   "the log of a job is told whole: leave out -n, --since and "
                   "--level");
      }
      if (logs->follows && cli_report() != NULL) {
        argp_error(state, "--json is one object at the end: -f has none");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- Showing ---

// A colour for each daemon, the same every time.
static const char *color_of(const char *daemon) {
  static const char *const codes[] = {"36", "32", "35", "34", "33", "96", "92", "95"};
  unsigned hash = 0;
  for (; *daemon != '\0'; daemon++) {
    hash = 31 * hash + (unsigned char)*daemon;
  }
  return codes[hash % (sizeof(codes) / sizeof(codes[0]))];
}

static void show_line(logs_t *logs, const cli_log_line_t *line) {
  char when[CLI_LOG_TIME_BYTES];
  cli_log_write_time(line->time_us, when);
  const int width = (int)strlen(line->daemon);
  logs->daemon_columns = width > logs->daemon_columns ? width : logs->daemon_columns;
  const char *level = line->level == 'E' ? "31" : line->level == 'W' ? "33" : "0";
  cli_print_whole("%s%s%s ", cli_color("2"), when, cli_color(""));
  cli_print_whole("%s%-*s%s ", cli_color(color_of(line->daemon)), logs->daemon_columns,
                  line->daemon, cli_color(""));
  cli_print_whole("%s%c %s%s\n", cli_color(level), line->level, line->text,
                  cli_color(""));
}

static void report_line(const cli_log_line_t *line) {
  static const char *const names[] = {"debug", "info", "warning", "error"};
  char when[CLI_LOG_TIME_BYTES];
  cli_log_write_time(line->time_us, when);
  cJSON *list = cJSON_GetObjectItem(cli_report(), "lines");
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "time", when);
  cJSON_AddStringToObject(object, "daemon", line->daemon);
  cJSON_AddStringToObject(object, "level", names[strchr("DIWE", line->level) - "DIWE"]);
  cJSON_AddStringToObject(object, "message", line->text);
  cJSON_AddItemToArray(list, object);
}

// Leaves those that are wanted, sorted; the last `most` of them (-1: all).
static void choose(const logs_t *logs, cli_log_lines_t *lines, int64_t most) {
  cli_log_sort(lines);
  int32_t kept = 0;
  for (int32_t i = 0; i < lines->count; i++) {
    const cli_log_line_t line = lines->items[i];
    if (line.time_us >= logs->since_us && cli_log_shows(line.level, logs->least)) {
      lines->items[kept++] = line;
    } else {
      free(line.text);
    }
  }
  const int32_t dropped = most >= 0 && kept > most ? kept - (int32_t)most : 0;
  for (int32_t i = 0; i < dropped; i++) {
    free(lines->items[i].text);
  }
  memmove(lines->items, lines->items + dropped,
          (size_t)(kept - dropped) * sizeof(lines->items[0]));
  lines->count = kept - dropped;
}

static void show(logs_t *logs, cli_log_lines_t *lines, int64_t most) {
  if (lines->count > 0) {
    choose(logs, lines, most);
  }
  for (int32_t i = 0; i < lines->count; i++) {
    show_line(logs, &lines->items[i]);
    if (cli_report() != NULL) {
      report_line(&lines->items[i]);
    }
  }
  cli_log_lines_deinit(lines);
  *lines = (cli_log_lines_t){0};
}

// The past first, whole and sorted; then what comes. When that begins, streams of other
// machines have told theirs, or have had their time for it.
static int run(logs_t *logs, const cli_pod_t *pod) {
  const bool is_bounded = logs->lines >= 0 && logs->since_us == 0 && logs->least == 'D';
  cli_log_sources_t *sources =
      cli_log_sources_open(pod, is_bounded ? logs->lines : -1, logs->follows);
  cli_log_lines_t lines = {0};
  int failed = 0, quiet = 0;
  bool goes_on = true, is_past = true;
  while (goes_on && !cli_output_is_lost()) {
    const int32_t before = lines.count;
    goes_on = cli_log_sources_read(sources, TOGETHER_MS, &lines, &failed);
    quiet = lines.count == before ? quiet + 1 : 0;
    const bool is_told =
        pod->hosts == NULL || (quiet > 0 && cli_log_sources_have_told(sources));
    if (logs->follows && (!is_past || is_told)) {
      show(logs, &lines, is_past ? logs->lines : -1);
      is_past = false;
    }
  }
  show(logs, &lines, is_past ? logs->lines : -1);
  cli_log_sources_close(sources);
  return failed == 0 ? CLI_OK : CLI_FAILED;
}

int cli_logs(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_JOBS_POD_OPTION,
      {"follow", 'f', NULL, 0,
       "Go on with what comes, until interrupted, or until the job has ended", 0},
      {"lines", 'n', "N", 0, "Only the last N (all; with --follow 10)", 0},
      {"since", 's', "WHEN", 0,
       "Only from then on: 90s, 15m, 2h, 1d ago, or 2026-11-21T15:04:05Z", 0},
      {"level", 'l', "LEVEL", 0, "Only from this level on: debug, info, warning, error",
       0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "[NAME|JOB]",
      .doc =
          "Show what the daemons of the pod NAME say (PODIUM_POD, or local), of this "
          "machine or of `podium up --hosts`: coordinator, podium-host and workers "
          "together, by time. Logs in JSON are shown as text. Of a JOB, by its number, "
          "what "
          "its attempts have said.\v"
          "Example:\n  podium logs -f\n  podium logs --since 10m --level warning\n"
          "  podium logs 7 -f"};
  const char *pod_name = cli_pod_default();
  logs_t logs = {.pod = pod_name == NULL ? "local" : pod_name, .lines = -1, .least = 'D'};
  cli_parse(&argp, argc, argv, &logs);
  if (logs.job != 0) {
    return cli_job_logs(logs.pod, logs.job, logs.follows);
  }
  if (logs.follows && logs.lines < 0 && logs.since_us == 0) {
    logs.lines = LINES_AT_FIRST;
  }
  if (strchr(logs.pod, ':') != NULL) {
    return cli_fail(pod_error(POD_INVALID_ARGUMENT,
                              "%s is an address; only the logs of pods that `podium up` "
                              "started are known here, by name (`podium ls`)",
                              logs.pod));
  }
  if (cli_report() != NULL) {
    cJSON_AddArrayToObject(cli_report(), "lines");
  }
  cli_pod_t *pod;
  const pod_status_t status = cli_pod_load(logs.pod, &pod);
  if (status != NULL) {
    return cli_fail(status);
  }
  const int result = run(&logs, pod);
  cli_pod_free(pod);
  return result;
}
