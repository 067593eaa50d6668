// Host time, for deadlines and measurements only: nothing that a profile predicts may
// look at it.

#ifndef COMMON_BASE_CLOCK_H_
#define COMMON_BASE_CLOCK_H_

#include <stdint.h>

// Monotonic, in nanoseconds from an arbitrary start. Any thread.
int64_t pod_clock_now_ns(void);

#endif  // COMMON_BASE_CLOCK_H_
