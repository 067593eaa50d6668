// CLOCK_MONOTONIC: not set by anybody, and not running while the machine is suspended.

#include "common/base/clock.h"

#include <time.h>

enum { NS_PER_S = 1000000000 };

int64_t pod_clock_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void pod_clock_cond_init(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void pod_clock_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                         int64_t until_ns) {
  const struct timespec until = {.tv_sec = until_ns / NS_PER_S,
                                 .tv_nsec = until_ns % NS_PER_S};
  pthread_cond_timedwait(condition, mutex, &until);
}
