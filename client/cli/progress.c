// One line on a terminal, written anew; where there is no terminal, or it is dumb, a line
// from time to time: a log of a job shall say what it waits for, and not be full of it.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "client/cli/terminal.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/text.h"

#define NS_PER_S INT64_C(1000000000)
enum { QUIET_NS = 1000000000, REDRAW_NS = 200000000, PLAIN_S = 10, PLAIN_MOST_S = 60 };

struct cli_progress_t {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool is_stopped, is_live;
  int64_t next_plain_ns;  // When the step is told next, where there is no terminal.
  const char *what;
  char *note;  // NULL: none.
  int64_t started_ns, total;
  atomic_llong done;
  bool is_drawn;
};

// Whether it is time to be told. The next time is twice as far, at most a minute.
static bool is_due(cli_progress_t *progress, int64_t elapsed_ns) {
  if (progress->is_live) {
    return elapsed_ns >= QUIET_NS;
  }
  if (elapsed_ns < progress->next_plain_ns) {
    return false;
  }
  const int64_t most_ns = PLAIN_MOST_S * NS_PER_S;
  progress->next_plain_ns = elapsed_ns + (elapsed_ns < most_ns ? elapsed_ns : most_ns);
  return true;
}

static void draw(cli_progress_t *progress) {
  const int64_t elapsed_ns = pod_clock_now_ns() - progress->started_ns;
  if (progress->what == NULL || !is_due(progress, elapsed_ns)) {
    return;
  }
  pod_text_t line = {0};
  pod_text_printf(&line, "%s%s",
                  progress->is_live ? "\r\033[K" : "podium: ", progress->what);
  const int64_t done = atomic_load(&progress->done);
  if (progress->total > 0) {
    pod_text_printf(&line, " %3.0f %% of ",
                    100.0 * (double)done / (double)progress->total);
    pod_text_add_size(&line, (unsigned long long)progress->total);
  }
  pod_text_printf(&line, " … %.0f s", (double)elapsed_ns / 1e9);
  if (progress->note != NULL) {
    pod_text_printf(&line, ", waiting %s", progress->note);
  }
  if (!progress->is_live) {
    pod_text_add(&line, "\n");
  }
  fputs(line.bytes, stderr);
  fflush(stderr);
  pod_text_deinit(&line);
  progress->is_drawn = progress->is_live;
}

static void clear(cli_progress_t *progress) {
  if (progress->is_drawn) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->is_drawn = false;
  }
}

static void *run(void *context) {
  cli_progress_t *progress = context;
  pthread_mutex_lock(&progress->mutex);
  while (!progress->is_stopped) {
    pod_clock_cond_wait(&progress->wake, &progress->mutex,
                        pod_clock_now_ns() + REDRAW_NS);
    if (!progress->is_stopped) {
      draw(progress);
    }
  }
  clear(progress);
  pthread_mutex_unlock(&progress->mutex);
  return NULL;
}

cli_progress_t *cli_progress_start(bool is_quiet) {
  const bool is_live = isatty(STDERR_FILENO) && cli_terminal_is_smart();
  if (!is_live && is_quiet) {
    return NULL;
  }
  cli_progress_t *progress = pod_alloc(sizeof(*progress));
  progress->is_live = is_live;
  pthread_mutex_init(&progress->mutex, NULL);
  pod_clock_cond_init(&progress->wake);
  if (pthread_create(&progress->thread, NULL, run, progress) != 0) {
    free(progress);
    return NULL;
  }
  return progress;
}

bool cli_progress_is_live(const cli_progress_t *progress) {
  return progress != NULL && progress->is_live;
}

void cli_progress_step(cli_progress_t *progress, const char *what, int64_t total) {
  if (progress == NULL) {
    return;
  }
  pthread_mutex_lock(&progress->mutex);
  clear(progress);
  progress->what = what;
  progress->total = total;
  progress->started_ns = pod_clock_now_ns();
  progress->next_plain_ns = PLAIN_S * NS_PER_S;
  atomic_store(&progress->done, 0);
  pthread_mutex_unlock(&progress->mutex);
}

void cli_progress_note(cli_progress_t *progress, const char *note) {
  if (progress == NULL) {
    return;
  }
  pthread_mutex_lock(&progress->mutex);
  clear(progress);
  free(progress->note);
  progress->note = *note == '\0' ? NULL : pod_strdup(note);
  pthread_mutex_unlock(&progress->mutex);
}

void cli_progress_advance(cli_progress_t *progress, int64_t done) {
  if (progress != NULL) {
    atomic_store(&progress->done, done);
  }
}

void cli_progress_stop(cli_progress_t *progress) {
  if (progress == NULL) {
    return;
  }
  pthread_mutex_lock(&progress->mutex);
  progress->is_stopped = true;
  pthread_cond_signal(&progress->wake);
  pthread_mutex_unlock(&progress->mutex);
  pthread_join(progress->thread, NULL);
  pthread_cond_destroy(&progress->wake);
  pthread_mutex_destroy(&progress->mutex);
  free(progress->note);
  free(progress);
}
