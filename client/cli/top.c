// podium top: a pod as it is now, again and again.
//
// The whole picture is written with one write, over the one before it: nothing flickers,
// and what was written stays when it ends.

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/report.h"
#include "client/cli/status.h"
#include "client/cli/terminal.h"
#include "client/lib/podium_jobs.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

enum {
  ASK_MS = 10000,
  EVERY_MS = 1000,
  BAR_COLUMNS = 20,
  ROWS_OF_HEAD = 7,
  JOBS_SHOWN = 8,
  ROWS_MIN = 2,
  NS_PER_MS = 1000000,
};

typedef struct top_t {
  const char *pod;
  bool is_once;
  int64_t every_ms;
  podium_pod_t *now, *before;
  podium_jobs_t *jobs;  // That have not ended; NULL: the pod keeps none, or tells nobody.
  int64_t now_ns, before_ns;
  int first_row;  // Of the chips, that is shown: arrow keys move it.
} top_t;

static error_t parse(int key, char *value, struct argp_state *state) {
  top_t *top = state->input;
  switch (key) {
    case 'd':
      if (!cli_read_seconds(value, &top->every_ms)) {
        argp_error(state, "--delay needs seconds above 0, not '%s'", value);
      }
      return 0;
    case '1':
      top->is_once = true;
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num != 0) {
        return ARGP_ERR_UNKNOWN;
      }
      top->pod = value;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// --- The picture ---

// Of what is counted, a second; 0 before there are two pictures.
static double rate(const top_t *top, int64_t now, int64_t before) {
  const double seconds = (double)(top->now_ns - top->before_ns) / 1e9;
  return top->before == NULL || seconds <= 0 || now < before
             ? 0
             : (double)(now - before) / seconds;
}

static void add_load(const top_t *top, pod_text_t *text) {
  const podium_load_t *now = &top->now->load;
  const podium_load_t *before = top->before == NULL ? now : &top->before->load;
  pod_text_printf(text, "executions %lld waiting, %lld running, %lld ended, %lld failed",
                  (long long)now->executions_waiting, (long long)now->executions_running,
                  (long long)now->executions_ended, (long long)now->executions_failed);
  pod_text_printf(text, "; %.1f/s\n",
                  rate(top, now->executions_ended + now->executions_failed,
                       before->executions_ended + before->executions_failed));
  pod_text_add(text, "arrays put ");
  pod_text_add_size(text, (unsigned long long)now->put_bytes);
  pod_text_add(text, " (");
  pod_text_add_size(text,
                    (unsigned long long)rate(top, now->put_bytes, before->put_bytes));
  pod_text_add(text, "/s), fetched ");
  pod_text_add_size(text, (unsigned long long)now->fetched_bytes);
  pod_text_add(text, " (");
  pod_text_add_size(
      text, (unsigned long long)rate(top, now->fetched_bytes, before->fetched_bytes));
  pod_text_printf(text, "/s); compiles %lld\n", (long long)now->compiles_ended);
}

static int count_jobs(const podium_jobs_t *jobs, podium_job_state_t state) {
  int count = 0;
  for (int i = 0; i < jobs->count; i++) {
    count += jobs->jobs[i].state == state;
  }
  return count;
}

// How many there are, and of the first ones what they do. Returns the lines.
static int add_jobs(const top_t *top, pod_text_t *text) {
  const podium_jobs_t *jobs = top->jobs;
  if (jobs == NULL) {
    return 0;
  }
  pod_text_printf(text, "jobs %d queued, %d running\n",
                  count_jobs(jobs, PODIUM_JOB_QUEUED) + jobs->others_queued,
                  count_jobs(jobs, PODIUM_JOB_RUNNING) + jobs->others_running);
  const int shown = jobs->count < JOBS_SHOWN ? jobs->count : JOBS_SHOWN;
  for (int i = 0; i < shown; i++) {
    const podium_job_t *job = &jobs->jobs[i];
    const bool is_running = job->state == PODIUM_JOB_RUNNING;
    pod_text_printf(text, "  %llu %s of %s: %s%s%s\n", (unsigned long long)job->id,
                    job->name, job->principal, podium_job_state_name(job->state),
                    is_running && *job->given_slice != '\0' ? " on " : "",
                    is_running ? job->given_slice : job->waits_for);
  }
  return 1 + shown;
}

static void add_head(const top_t *top, pod_text_t *text) {
  const podium_pod_t *pod = top->now;
  int ready = 0, up = 0, links = 0, busy = 0;
  for (int i = 0; i < pod->device_count; i++) {
    ready += strcmp(pod->devices[i].state, "ready") == 0;
    busy += *pod->devices[i].running != '\0';
    up += pod->devices[i].links_up;
    links += pod->devices[i].links;
  }
  pod_text_printf(text,
                  "pod %s: %s %s, %s%s%s, %d of %d chips, %d of %d links, %d busy, "
                  "%d session(s)\n",
                  pod->id, pod->topology, pod->chip_kind,
                  cli_color(pod->ready ? "32" : "31"), pod->ready ? "ready" : "not ready",
                  cli_color(""), ready, pod->device_count, up / 2, links / 2, busy,
                  pod->session_count);
  add_load(top, text);
}

// "████████░░░░" in eighths.
static void add_bar(pod_text_t *text, double part) {
  static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int most = BAR_COLUMNS * 8;
  int fill = (int)(part * most + 0.5);
  fill = fill < 0 ? 0 : fill > most ? most : fill;
  for (int i = 0; i < BAR_COLUMNS; i++) {
    const int left = fill - 8 * i;
    pod_text_add(text, left >= 8 ? "█" : left <= 0 ? "·" : eighths[left]);
  }
}

static void add_chip(const podium_pod_t *pod, const podium_device_t *device,
                     pod_text_t *text) {
  const bool is_ready = strcmp(device->state, "ready") == 0;
  const double part =
      pod->hbm_bytes > 0 ? (double)device->hbm_used_bytes / (double)pod->hbm_bytes : 0;
  pod_text_printf(text, "%4d (%d,%d,%d) %s%-8s%s ", device->id, device->coords[0],
                  device->coords[1], device->coords[2], cli_color(is_ready ? "32" : "31"),
                  device->state, cli_color(""));
  add_bar(text, part);
  pod_text_t size = {0};
  pod_text_add_size(&size, (unsigned long long)device->hbm_used_bytes);
  const bool has_reason = *device->reason != '\0';
  pod_text_printf(text, " %10s %2d/%-2d %s\n", size.bytes, device->links_up,
                  device->links, has_reason ? device->reason : device->running);
  pod_text_deinit(&size);
}

// `rows`: of chips; below 0: all.
static void add_chips(top_t *top, int rows, pod_text_t *text) {
  const podium_pod_t *pod = top->now;
  const int shown = rows < 0 || rows > pod->device_count ? pod->device_count : rows;
  const int last = pod->device_count - shown;
  top->first_row = top->first_row > last ? last : top->first_row;
  top->first_row = top->first_row < 0 ? 0 : top->first_row;
  pod_text_printf(text, "%schip coords  state    %-*s %10s links runs%s\n",
                  cli_color("7"), BAR_COLUMNS, "HBM", "", cli_color(""));
  for (int i = 0; i < shown; i++) {
    add_chip(pod, &pod->devices[top->first_row + i], text);
  }
  if (shown < pod->device_count) {
    pod_text_printf(text, "chips %d to %d of %d; the arrow keys show others\n",
                    top->first_row, top->first_row + shown - 1, pod->device_count);
  }
}

// --- Asking ---

static pod_status_t ask(top_t *top, podium_session_t *session) {
  podium_pod_t *pod;
  POD_TRY(cli_status_of(podium_pod(session, ASK_MS, &pod)));
  podium_pod_free(top->before);
  top->before = top->now;
  top->before_ns = top->now_ns;
  top->now = pod;
  top->now_ns = pod_clock_now_ns();
  podium_jobs_free(top->jobs);
  top->jobs = NULL;
  static const podium_job_state_t states[] = {PODIUM_JOB_RUNNING, PODIUM_JOB_QUEUED};
  const podium_job_list_options_t options = {
      .timeout_ms = ASK_MS, .state_count = 2, .states = states};
  // A pod that keeps no jobs, or is older than these, refuses.
  podium_status_free(podium_job_list(session, &options, &top->jobs));
  return NULL;
}

static void report(const top_t *top) {
  cJSON *object = cli_report();
  cli_report_pod(object, top->now);
  const podium_load_t *load = &top->now->load;
  cJSON *made = cJSON_AddObjectToObject(object, "load");
  cJSON_AddNumberToObject(made, "executions_waiting", (double)load->executions_waiting);
  cJSON_AddNumberToObject(made, "executions_running", (double)load->executions_running);
  cJSON_AddNumberToObject(made, "executions_ended", (double)load->executions_ended);
  cJSON_AddNumberToObject(made, "executions_failed", (double)load->executions_failed);
  cJSON_AddNumberToObject(made, "compiles_ended", (double)load->compiles_ended);
  cJSON_AddNumberToObject(made, "put_bytes", (double)load->put_bytes);
  cJSON_AddNumberToObject(made, "fetched_bytes", (double)load->fetched_bytes);
  if (top->jobs != NULL) {
    cJSON_AddNumberToObject(
        object, "jobs_queued",
        count_jobs(top->jobs, PODIUM_JOB_QUEUED) + top->jobs->others_queued);
    cJSON_AddNumberToObject(
        object, "jobs_running",
        count_jobs(top->jobs, PODIUM_JOB_RUNNING) + top->jobs->others_running);
  }
}

static void show_once(top_t *top) {
  pod_text_t text = {0};
  add_head(top, &text);
  (void)add_jobs(top, &text);
  add_chips(top, -1, &text);
  cli_print("%s", text.bytes);
  pod_text_deinit(&text);
  if (cli_report() != NULL) {
    report(top);
  }
}

// --- On a terminal ---

// From the top of the screen; each line is cut to the width, its rest and what was below
// the last one is cleared.
static void draw(top_t *top) {
  struct winsize size = {0};
  (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  pod_text_t text = {0}, screen = {0};
  add_head(top, &text);
  const int job_rows = add_jobs(top, &text);
  const int rows = size.ws_row == 0 ? -1 : size.ws_row - ROWS_OF_HEAD - job_rows + 1;
  add_chips(top, rows >= 0 && rows < ROWS_MIN ? ROWS_MIN : rows, &text);
  pod_text_add(&screen, "\033[H");
  for (char *line = text.bytes, *end; (end = strchr(line, '\n')) != NULL;
       line = end + 1) {
    *end = '\0';
    cli_cut_t cut = {.columns = size.ws_col};
    cli_cut(&cut, line, &screen);
    cli_cut(&cut, "\n", &screen);
    screen.length--;  // The newline, behind what clears the rest.
    pod_text_printf(&screen, "%s\033[K\r\n", cli_color(""));
  }
  pod_text_add(&screen, "\033[J q quits");
  for (size_t done = 0; done < screen.length;) {
    const ssize_t wrote = write(STDOUT_FILENO, screen.bytes + done, screen.length - done);
    if (wrote <= 0) {
      break;
    }
    done += (size_t)wrote;
  }
  pod_text_deinit(&text);
  pod_text_deinit(&screen);
}

// False: to end. Whether there was a key is *out_any.
static bool read_keys(top_t *top, int timeout_ms, bool *out_any) {
  struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
  char typed[32];
  *out_any = poll(&keys, 1, timeout_ms) > 0;
  if (!*out_any) {
    return true;
  }
  const ssize_t got = read(STDIN_FILENO, typed, sizeof(typed));
  for (ssize_t i = 0; i < got; i++) {
    if (typed[i] == 'q' || typed[i] == 'Q' || typed[i] == 4) {
      return false;
    }
    if (typed[i] == '\033' && i + 2 < got && typed[i + 1] == '[') {
      top->first_row += typed[i + 2] == 'B' ? 1 : typed[i + 2] == 'A' ? -1 : 0;
      i += 2;
    }
  }
  return got > 0;
}

static struct termios terminal_before;
static bool is_raw;

static void restore_terminal(void) {
  if (is_raw) {
    static const char visible[] = "\033[?25h\r\033[K";
    (void)!write(STDOUT_FILENO, visible, sizeof(visible) - 1);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    is_raw = false;
  }
}

void cli_top_interrupted(void) {
  restore_terminal();
}

// Keys come one by one and are not shown; Ctrl-C stays what it is.
static void prepare_terminal(void) {
  static const char clear[] = "\033[?25l\033[H\033[2J";
  if (tcgetattr(STDIN_FILENO, &terminal_before) != 0) {
    return;
  }
  struct termios raw = terminal_before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  is_raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  (void)!write(STDOUT_FILENO, clear, sizeof(clear) - 1);
}

static pod_status_t watch(top_t *top, podium_session_t *session) {
  prepare_terminal();
  pod_status_t status = NULL;
  bool goes_on = true;
  while (goes_on && status == NULL) {
    draw(top);
    const int64_t next_ns = pod_clock_now_ns() + top->every_ms * NS_PER_MS;
    int64_t left_ns = next_ns - pod_clock_now_ns();
    while (goes_on && left_ns > 0) {
      bool is_key;
      goes_on = read_keys(top, (int)(left_ns / NS_PER_MS) + 1, &is_key);
      if (is_key && goes_on) {
        draw(top);
      }
      left_ns = next_ns - pod_clock_now_ns();
    }
    if (goes_on) {
      status = ask(top, session);
    }
  }
  restore_terminal();
  return status;
}

static pod_status_t run(top_t *top) {
  char *address;
  POD_TRY(cli_pod_address(top->pod, &address));
  const podium_connect_options_t options = {
      .client_name = "podium top", .only_looks = true, .timeout_ms = ASK_MS};
  podium_session_t *session;
  pod_status_t status = cli_status_of(podium_connect(address, &options, &session));
  free(address);
  POD_TRY(status);
  status = ask(top, session);
  const bool is_live = !top->is_once && cli_report() == NULL && isatty(STDIN_FILENO) &&
                       isatty(STDOUT_FILENO) && cli_terminal_is_smart();
  if (status == NULL && is_live) {
    status = watch(top, session);
  } else if (status == NULL) {
    show_once(top);
  }
  podium_jobs_free(top->jobs);
  podium_pod_free(top->now);
  podium_pod_free(top->before);
  podium_close(session);
  return status;
}

int cli_top(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"once", '1', NULL, 0, "Show it once and end, as where there is no terminal", 0},
      {"delay", 'd', "S", 0, "Between two looks (1)", 0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "[POD]",
      .doc =
          "Watch a pod: its chips with their HBM, links and whose program they run, "
          "executions that wait and run, and rates. q quits, the arrow keys show "
          "other chips. POD is the coordinator's HOST:PORT or the name of a pod "
          "(PODIUM_POD, or local)."};
  const char *pod = cli_pod_default();
  top_t top = {.pod = pod == NULL ? "local" : pod, .every_ms = EVERY_MS};
  cli_parse(&argp, argc, argv, &top);
  const pod_status_t status = run(&top);
  return status == NULL ? CLI_OK : cli_fail(status);
}
