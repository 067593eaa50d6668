// What goes up and down during a step, for traces: a value holds from its point to the
// next one.
//
// Threading: pure.

#ifndef CLIENT_PROFILE_COUNTERS_H_
#define CLIENT_PROFILE_COUNTERS_H_

#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"

typedef struct profile_point_t {
  int64_t at_ps, value;
} profile_point_t;

typedef struct profile_counter_t {
  int count;
  profile_point_t *points;  // In order of time.
} profile_counter_t;

// Bytes of HBM in use on a chip of the class; the last point is at its end.
profile_counter_t profile_count_hbm(pod_arena_t *arena, const podium_profile_t *profile,
                                    const podium_chip_class_t *class);

// How many of the links that leave the chip carry a message.
profile_counter_t profile_count_busy_links(pod_arena_t *arena,
                                           const podium_chip_class_t *class);

#endif  // CLIENT_PROFILE_COUNTERS_H_
