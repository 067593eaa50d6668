// An attempt is in the coordinator's heap and goes with it; its pipe, with the lines that
// nobody has read yet, belongs to the machine.

#include "tests/simulation/runners.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/jobs/orders.h"
#include "server/jobs/runner/runner.h"
#include "tests/simulation/files.h"

enum { START_MS_MAX = 20, ORPHAN_US_MAX = 3000 };

typedef struct line_t line_t;
struct line_t {
  line_t *next;
  char text[];
};

typedef struct pipe_t pipe_t;
struct pipe_t {
  pipe_t *next;
  const process_t *coordinator;
  process_t *runner;
  char *orders, *token;
  uint64_t job, chips;  // A bit each.
  line_t *first, **last;
  bool has_ended, was_killed;
};

struct job_attempt_t {
  rpc_loop_t *loop;
  job_attempt_events_t events;
  pipe_t *pipe;
  pthread_t thread;
  bool is_abandoned, is_joined;
};

static pipe_t *pipes;

char *__real_getenv(const char *name);
char *__wrap_getenv(const char *name);

static char *copy(const char *text) {
  char *made = machine_alloc(strlen(text) + 1);
  memcpy(made, text, strlen(text));
  return made;
}

// --- The runner ---

static void tell(void *context, const job_told_t *told) {
  pipe_t *pipe = context;
  pod_text_t text = {0};
  job_told_print(told, &text);
  machine_trace("says %.*s", (int)text.length - 1, text.bytes);
  line_t *line = machine_alloc(sizeof(*line) + text.length);
  memcpy(line->text, text.bytes, text.length - 1);  // Without its end.
  pod_text_deinit(&text);
  *pipe->last = line;
  pipe->last = &line->next;
  fiber_wake(pipe, 1);
}

static void read_orders(const pipe_t *pipe, job_orders_t *orders) {
  bool is_all = false;
  char *text = pod_strdup(pipe->orders);
  char *rest = text;
  while (!is_all) {
    char *line = strsep(&rest, "\n");
    POD_CHECK(line != NULL);
    POD_CHECK(job_orders_read(line, orders, &is_all) == NULL);
  }
  free(text);
}

static void *runner_main(void *context) {
  pipe_t *pipe = context;
  fiber_sleep(machine_between(0, START_MS_MAX) * MS);
  job_orders_t orders = {0};
  read_orders(pipe, &orders);
  pod_status_t status =
      runner_run(&(runner_t){.orders = &orders, .tell = tell, .context = pipe});
  if (status != NULL) {
    tell(pipe, &(job_told_t){.word = JOB_WORD_FAILED,
                             .code = (int32_t)pod_status_code(status),
                             .text = (char *)(uintptr_t)pod_status_message(status)});
    pod_status_free(status);
  } else {
    tell(pipe, &(job_told_t){.word = JOB_WORD_DONE});
  }
  job_orders_deinit(&orders);
  return NULL;
}

static void on_runner_ended(process_t *process, void *context) {
  pipe_t *pipe = context;
  int blocks = 0;
  const size_t held = memory_held(process->index, &blocks);
  if (held > 0 || files_held(process->index) > 0) {
    machine_fail("%s has ended and left %zu bytes in %d blocks, %d open files",
                 process->name, held, blocks, files_held(process->index));
  }
  pipe->has_ended = true;
  fiber_wake(pipe, 1);
}

static void kill_runner(void *context) {
  pipe_t *pipe = context;
  if (!pipe->has_ended) {
    machine_trace("%s is killed", pipe->runner->name);
    process_kill(pipe->runner);
    pipe->has_ended = pipe->was_killed = true;
    fiber_wake(pipe, 1);
  }
}

// What main() puts into its own environment.
char *__wrap_getenv(const char *name) {
  const process_t *process = process_current();
  if (process == NULL ||
      (strcmp(name, "PODIUM_TOKEN") != 0 && strcmp(name, "TRACEPARENT") != 0)) {
    return __real_getenv(name);
  }
  const bool is_runner = process->ended == on_runner_ended;
  return is_runner && strcmp(name, "PODIUM_TOKEN") == 0
             ? ((const pipe_t *)process->context)->token
             : NULL;
}

// --- The coordinator's side ---

typedef struct told_line_t {
  job_attempt_t *attempt;
  char *line;
} told_line_t;

static void deliver_line(void *context) {
  told_line_t *told = context;
  if (!told->attempt->is_abandoned) {
    told->attempt->events.on_line(told->attempt->events.context, told->line);
  }
  free(told->line);
  free(told);
}

static void deliver_end(void *context) {
  job_attempt_t *attempt = context;
  if (!attempt->is_joined) {
    pthread_join(attempt->thread, NULL);
  }
  if (!attempt->is_abandoned) {
    attempt->events.on_end(
        attempt->events.context,
        attempt->pipe->was_killed
            ? pod_error(POD_UNAVAILABLE, "the job's runner was killed (SIGKILL)")
            : NULL);
  }
  free(attempt);
}

static void *listen_to(void *context) {
  job_attempt_t *attempt = context;
  pipe_t *pipe = attempt->pipe;
  for (;;) {
    while (pipe->first == NULL && !pipe->has_ended) {
      (void)fiber_wait(pipe, -1);
    }
    line_t *line = pipe->first;
    if (line == NULL) {
      break;
    }
    pipe->first = line->next;
    if (pipe->first == NULL) {
      pipe->last = &pipe->first;
    }
    told_line_t *told = pod_alloc(sizeof(*told));
    *told = (told_line_t){.attempt = attempt, .line = pod_strdup(line->text)};
    machine_free(line);
    rpc_loop_post(attempt->loop, deliver_line, told);
  }
  rpc_loop_post(attempt->loop, deliver_end, attempt);
  return NULL;
}

static void touch(const char *path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  POD_CHECK(fd >= 0);
  close(fd);
}

// Of two attempts that run at a time no chip is both's, and no job.
static void look_at_orders(pipe_t *pipe) {
  job_orders_t orders = {0};
  read_orders(pipe, &orders);
  pipe->job = orders.id;
  pipe->token = orders.token == NULL ? NULL : copy(orders.token);
  for (size_t i = 0; i < orders.chip_count; i++) {
    pipe->chips |= UINT64_C(1) << orders.chips[i];
  }
  job_orders_deinit(&orders);
  for (const pipe_t *other = pipe->next; other != NULL; other = other->next) {
    if (!other->has_ended && other->coordinator == pipe->coordinator &&
        (other->job == pipe->job || (other->chips & pipe->chips) != 0)) {
      machine_fail("job %" PRIu64 " is started on chips %#" PRIx64 " while job %" PRIu64
                   " runs on %#" PRIx64,
                   pipe->job, pipe->chips, other->job, other->chips);
    }
  }
}

static job_attempt_t *start(rpc_loop_t *loop, const char *orders, const char *log_path,
                            const job_attempt_events_t *events) {
  pipe_t *pipe = machine_alloc(sizeof(*pipe));
  *pipe = (pipe_t){.next = pipes,
                   .coordinator = process_current(),
                   .orders = copy(orders),
                   .last = &pipe->first};
  pipes = pipe;
  look_at_orders(pipe);
  touch(log_path);
  const char *name = strrchr(log_path, '/');
  char runner_name[MACHINE_NAME_MAX];
  snprintf(runner_name, sizeof(runner_name), "job%.16s",
           name == NULL ? log_path : name + 1);
  pipe->runner = process_create(runner_name, pipe->coordinator->host);
  pipe->runner->ended = on_runner_ended;
  pipe->runner->context = pipe;
  fiber_release(fiber_spawn(pipe->runner, runner_main, pipe, 0));
  job_attempt_t *attempt = pod_alloc(sizeof(*attempt));
  *attempt = (job_attempt_t){.loop = loop, .events = *events, .pipe = pipe};
  POD_CHECK(pthread_create(&attempt->thread, NULL, listen_to, attempt) == 0);
  return attempt;
}

static void kill_attempt(job_attempt_t *attempt) {
  (void)machine_at(machine_now_ns(), kill_runner, attempt->pipe);
}

static void abandon(job_attempt_t *attempt) {
  kill_attempt(attempt);
  attempt->is_abandoned = attempt->is_joined = true;
  pthread_join(attempt->thread, NULL);
}

const coordinator_runner_t runners = {
    .start = start, .kill = kill_attempt, .abandon = abandon};

// --- For the pod and the plan ---

void runners_orphan(const process_t *coordinator) {
  for (pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (pipe->coordinator == coordinator && !pipe->has_ended) {
      (void)machine_at(machine_now_ns() + machine_between(0, ORPHAN_US_MAX) * 1000,
                       kill_runner, pipe);
    }
  }
}

int runners_count(const process_t *coordinator) {
  int count = 0;
  for (const pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    count +=
        (coordinator == NULL || pipe->coordinator == coordinator) && !pipe->has_ended;
  }
  return count;
}

bool runners_kill_one(void) {
  const int count = runners_count(NULL);
  if (count == 0) {
    return false;
  }
  int left = (int)machine_below((uint64_t)count);
  for (pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (!pipe->has_ended && left-- == 0) {
      kill_runner(pipe);
      break;
    }
  }
  return true;
}

void runners_kill(const process_t *runner) {
  for (pipe_t *pipe = pipes; pipe != NULL; pipe = pipe->next) {
    if (pipe->runner == runner) {
      kill_runner(pipe);
    }
  }
}

void runners_reset(void) {
  while (pipes != NULL) {
    pipe_t *pipe = pipes;
    pipes = pipe->next;
    while (pipe->first != NULL) {
      line_t *line = pipe->first;
      pipe->first = line->next;
      machine_free(line);
    }
    machine_free(pipe->orders);
    machine_free(pipe->token);
    machine_free(pipe);
  }
}
