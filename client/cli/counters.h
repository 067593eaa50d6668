// What goes up and down during a step, for traces: a value holds from its point to the
// next one.
//
// Threading: pure.

#ifndef CLIENT_CLI_COUNTERS_H_
#define CLIENT_CLI_COUNTERS_H_

#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"

typedef struct cli_point_t {
  int64_t at_ps, value;
} cli_point_t;

typedef struct cli_counter_t {
  int count;
  cli_point_t *points;  // In order of time.
} cli_counter_t;

// Bytes of HBM in use on a chip of the class; the last point is at its end.
cli_counter_t cli_count_hbm(pod_arena_t *arena, const podium_profile_t *profile,
                            const podium_chip_class_t *class);

// How many of the links that leave the chip carry a message.
cli_counter_t cli_count_busy_links(pod_arena_t *arena, const podium_chip_class_t *class);

#endif  // CLIENT_CLI_COUNTERS_H_
