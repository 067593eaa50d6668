// simulation_test: many seeds, each a run of its own, in child processes, so that a crash
// is a failure like any other; or one that is looked at.

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/simulation/files.h"
#include "tests/simulation/limit.h"
#include "tests/simulation/run.h"

enum {
  SEEDS_DEFAULT = 100,
  REPEAT_ONCE_IN = 20,  // Runs that are made twice, to see that they are the same.
  BATCH = 200,          // Runs of a child.
  FAILURES_MAX = 10,
  FAILURE_BYTES = 1024,
  JOBS_MAX = 64,
};

// A run takes some 30 ms of a processor.
static const limit_t run_limit = {.processor_ms = 60000, .real_ms = 1800000};

typedef struct settings_t {
  uint64_t first, last;
  int jobs;
  bool is_traced, shrinks;
} settings_t;

// What a child tells of a run, through a pipe.
typedef struct report_t {
  uint64_t seed, hash, slices;
  double seconds;
  bool has_failed;
  char failure[FAILURE_BYTES];
} report_t;

static const struct argp_option option_table[] = {
    {"seed", 's', "N", 0, "One run", 0},
    {"seeds", 'S', "A-B", 0, "The runs of these seeds (1-100, or 1-$PODIUM_SEEDS)", 0},
    {"jobs", 'j', "N", 0, "So many at a time (1)", 0},
    {"trace", 't', NULL, 0, "Print what happens, with --seed", 0},
    {"shrink", 'k', NULL, 0,
     "Leave out what a failure does not need, with --seed, and print the rest", 0},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
  settings_t *settings = state->input;
  char *end = NULL;
  switch (key) {
    case 's':
      settings->first = settings->last = strtoull(value, NULL, 10);
      return 0;
    case 'S':
      settings->first = strtoull(value, &end, 10);
      settings->last = *end == '-' ? strtoull(end + 1, NULL, 10) : settings->first;
      return 0;
    case 'j':
      settings->jobs = atoi(value);
      if (settings->jobs < 1 || settings->jobs > JOBS_MAX) {
        argp_error(state, "--jobs: 1 to %d", JOBS_MAX);
      }
      return 0;
    case 't':
      settings->is_traced = true;
      return 0;
    case 'k':
      settings->shrinks = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .doc =
        "Runs coordinator, workers, their links and clients on a simulated machine, with "
        "faults drawn from a seed. The same seed gives the same run.",
};

static report_t make_run(const plan_t *plan) {
  run_result_t result;
  limit_start(&run_limit);
  run_plan(plan, &result);
  limit_stop();
  report_t report = {.seed = plan->seed,
                     .hash = result.hash,
                     .slices = result.slices,
                     .seconds = result.seconds,
                     .has_failed = result.failure != NULL};
  if (report.has_failed) {
    snprintf(report.failure, sizeof(report.failure), "%s", result.failure);
  }
  return report;
}

static report_t make_and_repeat(uint64_t seed) {
  plan_t plan;
  plan_make(seed, &plan);
  report_t report = make_run(&plan);
  if (!report.has_failed && seed % REPEAT_ONCE_IN == 0) {
    const report_t again = make_run(&plan);
    if (again.hash != report.hash) {
      report.has_failed = true;
      snprintf(report.failure, sizeof(report.failure),
               "two runs differ: %016" PRIx64 " and %016" PRIx64, report.hash,
               again.hash);
    }
  }
  return report;
}

// --- Children ---

typedef struct child_t {
  pid_t pid;
  int pipe;
  uint64_t next, end;  // Seeds: the next to be told of, by steps of `jobs`.
} child_t;

static void run_child(int pipe, uint64_t first, uint64_t end, uint64_t step) {
  for (uint64_t seed = first; seed < end; seed += step) {
    const report_t report = make_and_repeat(seed);
    if (write(pipe, &report, sizeof(report)) != (ssize_t)sizeof(report)) {
      _exit(2);
    }
  }
  files_reset();
  _exit(0);
}

static void start_child(child_t *child, uint64_t first, uint64_t end, uint64_t step) {
  int pipes[2];
  if (pipe(pipes) != 0) {
    perror("pipe");
    exit(2);
  }
  fflush(stdout);
  child->pid = fork();
  if (child->pid == 0) {
    close(pipes[0]);
    files_enter();
    run_child(pipes[1], first, end, step);
  }
  close(pipes[1]);
  *child = (child_t){.pid = child->pid, .pipe = pipes[0], .next = first, .end = end};
}

static bool read_report(child_t *child, report_t *out_report) {
  uint8_t *bytes = (uint8_t *)out_report;
  size_t got = 0;
  while (got < sizeof(*out_report)) {
    const ssize_t now = read(child->pipe, bytes + got, sizeof(*out_report) - got);
    if (now <= 0 && errno != EINTR) {
      return false;
    }
    got += now > 0 ? (size_t)now : 0;
  }
  return true;
}

// How it ended; in `out_failure` when that was none of its own will.
static bool end_child(child_t *child, char *out_failure, size_t size) {
  int status = 0;
  close(child->pipe);
  (void)waitpid(child->pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return true;
  }
  if (WIFSIGNALED(status)) {
    limit_print(&run_limit, WTERMSIG(status), out_failure, size);
  } else {
    snprintf(out_failure, size, "it ended by itself (exit)");
  }
  return false;
}

// One run in a child.
static report_t run_apart(const plan_t *plan) {
  child_t child;
  int pipes[2];
  report_t report = {.seed = plan->seed, .has_failed = true};
  if (pipe(pipes) != 0) {
    perror("pipe");
    exit(2);
  }
  fflush(stdout);
  child.pid = fork();
  if (child.pid == 0) {
    close(pipes[0]);
    files_enter();
    const report_t made = make_run(plan);
    files_reset();
    _exit(write(pipes[1], &made, sizeof(made)) == (ssize_t)sizeof(made) ? 0 : 2);
  }
  close(pipes[1]);
  child.pipe = pipes[0];
  const bool is_told = read_report(&child, &report);
  char failure[FAILURE_BYTES] = "";
  if (!end_child(&child, failure, sizeof(failure)) || !is_told) {
    report.has_failed = true;
    memcpy(report.failure, failure, sizeof(failure));
  }
  return report;
}

// --- One seed ---

static void shrink(plan_t *plan) {
  bool is_smaller = true;
  while (is_smaller) {
    is_smaller = false;
    for (int i = plan->item_count - 1; i >= 0; i--) {
      if (plan->items[i].is_left_out) {
        continue;
      }
      plan->items[i].is_left_out = true;
      if (run_apart(plan).has_failed) {
        is_smaller = true;
      } else {
        plan->items[i].is_left_out = false;
      }
    }
  }
}

static void silence_crashes(void) {
  // Of attempts: only the last one is of interest.
  if (freopen("/dev/null", "w", stderr) == NULL) {
    exit(2);
  }
}

// Shrinks in a child, whose errors nobody wants, and takes over what it has left out.
static void shrink_quietly(plan_t *plan) {
  int pipes[2];
  if (pipe(pipes) != 0) {
    return;
  }
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    silence_crashes();
    shrink(plan);
    _exit(write(pipes[1], plan, sizeof(*plan)) == (ssize_t)sizeof(*plan) ? 0 : 2);
  }
  close(pipes[1]);
  plan_t smaller;
  if (read(pipes[0], &smaller, sizeof(smaller)) == (ssize_t)sizeof(smaller)) {
    *plan = smaller;
  }
  close(pipes[0]);
  (void)waitpid(pid, NULL, 0);
}

static bool run_one(const settings_t *settings) {
  plan_t plan;
  plan_make(settings->first, &plan);
  if (settings->shrinks) {
    shrink_quietly(&plan);
  }
  plan_print(&plan);
  machine_is_traced = settings->is_traced;
  const report_t report = run_apart(&plan);
  printf("seed %" PRIu64 ": %s; %.1f s, %" PRIu64 " slices, hash %016" PRIx64 "\n",
         report.seed, report.has_failed ? report.failure : "ok", report.seconds,
         report.slices, report.hash);
  return !report.has_failed;
}

// --- Many ---

typedef struct tally_t {
  uint64_t runs, failures, slices, hash, first_failed;
  double seconds;
} tally_t;

static void count_failure(tally_t *tally, uint64_t seed, const char *failure) {
  if (tally->failures++ == 0) {
    tally->first_failed = seed;
  }
  printf("seed %" PRIu64 ": %s\n  again, and looked at: simulation_test --seed %" PRIu64
         " --shrink --trace\n",
         seed, failure, seed);
  fflush(stdout);
}

static void count_run(tally_t *tally, const report_t *report) {
  tally->runs++;
  tally->slices += report->slices;
  tally->seconds += report->seconds;
  tally->hash ^= report->hash;
  if (report->has_failed) {
    count_failure(tally, report->seed, report->failure);
  }
}

// The next seeds from `first` on, by steps of `step`; returns where to go on.
static uint64_t run_batch(const settings_t *settings, uint64_t first, tally_t *tally,
                          child_t *children) {
  const uint64_t step = (uint64_t)settings->jobs;
  uint64_t end = first + step * BATCH;
  end = end > settings->last + 1 ? settings->last + 1 : end;
  for (int i = 0; i < settings->jobs; i++) {
    start_child(&children[i], first + (uint64_t)i, end, step);
  }
  // In turn: who is not listened to stands still when his pipe is full.
  for (uint64_t seed = first; seed < end; seed++) {
    child_t *child = &children[(seed - first) % step];
    report_t report;
    if (read_report(child, &report)) {
      count_run(tally, &report);
      child->next += step;
      continue;
    }
    char failure[FAILURE_BYTES] = "it ended";
    (void)end_child(child, failure, sizeof(failure));
    count_failure(tally, child->next, failure);
    tally->runs++;
    start_child(child, child->next + step, child->end, step);
  }
  for (int i = 0; i < settings->jobs; i++) {
    char failure[FAILURE_BYTES];
    (void)end_child(&children[i], failure, sizeof(failure));
  }
  return end;
}

static double now_s(void) {
  struct timespec now;
  (void)timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool run_many(const settings_t *settings) {
  tally_t tally = {0};
  static child_t children[JOBS_MAX];
  const double start_s = now_s();
  uint64_t seed = settings->first;
  while (seed <= settings->last && tally.failures < FAILURES_MAX) {
    seed = run_batch(settings, seed, &tally, children);
  }
  const double real_s = now_s() - start_s;
  printf("%" PRIu64 " runs, %" PRIu64
         " failed; %.1f s of simulated time in %.1f s, %.1f "
         "runs a second; hash %016" PRIx64 "\n",
         tally.runs, tally.failures, tally.seconds, real_s,
         (double)tally.runs / (real_s > 0 ? real_s : 1), tally.hash);
  if (tally.failures > 0) {
    plan_t plan;
    plan_make(tally.first_failed, &plan);
    shrink_quietly(&plan);
    fflush(stdout);
    fprintf(stderr, "the first that failed needs no more than this:\n");
    plan_print(&plan);
  }
  return tally.failures == 0;
}

int main(int count, char **arguments) {
  const char *wanted = getenv("PODIUM_SEEDS");
  settings_t settings = {.first = 1, .jobs = 1};
  settings.last = wanted != NULL ? strtoull(wanted, NULL, 10) : SEEDS_DEFAULT;
  argp_parse(&argp, count, arguments, 0, NULL, &settings);
  setenv("PODIUM_SHARED_MEMORY", "0", 1);
  const bool is_one = settings.first == settings.last;
  files_make();
  const bool is_well = is_one ? run_one(&settings) : run_many(&settings);
  files_leave();
  return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
