#include "server/worker/watchdog.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"

enum { NS_PER_MS = 1000000, FIRST_FILE = 3 };

struct watchdog_t {
  watchdog_options_t options;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t stopped;
  bool stops;
};

// True: it is to go on.
static bool pause_between(watchdog_t *watchdog) {
  const int64_t until_ns =
      pod_clock_now_ns() + (int64_t)watchdog->options.interval_ms * NS_PER_MS;
  pthread_mutex_lock(&watchdog->lock);
  while (!watchdog->stops && pod_clock_now_ns() < until_ns) {
    pod_clock_cond_wait(&watchdog->stopped, &watchdog->lock, until_ns);
  }
  const bool goes_on = !watchdog->stops;
  pthread_mutex_unlock(&watchdog->lock);
  return goes_on;
}

static void start_anew(char **argv) {
  pod_log(POD_LOG_ERROR,
          "the links' sockets do not close any more (a defect of nng): starting anew");
  // The address that was listened on, among others.
  close_range(FIRST_FILE, ~0U, 0);
  execv("/proc/self/exe", argv);
  _exit(EXIT_FAILURE);
}

static void *watch(void *context) {
  watchdog_t *watchdog = context;
  while (pause_between(watchdog)) {
    if (!watchdog->options.works(watchdog->options.timeout_ms)) {
      start_anew(watchdog->options.argv);
    }
  }
  return NULL;
}

watchdog_t *watchdog_create(const watchdog_options_t *options) {
  watchdog_t *watchdog = pod_alloc(sizeof(*watchdog));
  watchdog->options = *options;
  pthread_mutex_init(&watchdog->lock, NULL);
  pod_clock_cond_init(&watchdog->stopped);
  if (pthread_create(&watchdog->thread, NULL, watch, watchdog) == 0) {
    return watchdog;
  }
  pthread_cond_destroy(&watchdog->stopped);
  pthread_mutex_destroy(&watchdog->lock);
  free(watchdog);
  return NULL;
}

void watchdog_destroy(watchdog_t *watchdog) {
  if (watchdog == NULL) {
    return;
  }
  pthread_mutex_lock(&watchdog->lock);
  watchdog->stops = true;
  pthread_cond_signal(&watchdog->stopped);
  pthread_mutex_unlock(&watchdog->lock);
  pthread_join(watchdog->thread, NULL);
  pthread_cond_destroy(&watchdog->stopped);
  pthread_mutex_destroy(&watchdog->lock);
  free(watchdog);
}
