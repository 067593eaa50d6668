// Host time, for deadlines and measurements only: nothing that a profile predicts may
// look at it.

#ifndef COMMON_BASE_CLOCK_H_
#define COMMON_BASE_CLOCK_H_

#include <pthread.h>
#include <stdint.h>

// Monotonic, in nanoseconds from an arbitrary start. Any thread.
int64_t pod_clock_now_ns(void);

// A condition variable whose waits end by this clock; pthread_cond_destroy ends it.
void pod_clock_cond_init(pthread_cond_t *condition);

// Waits until somebody signals or it is `until_ns`, or for no reason, as
// pthread_cond_timedwait does. The caller holds `mutex`.
void pod_clock_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                         int64_t until_ns);

#endif  // COMMON_BASE_CLOCK_H_
