// What each collective of a program costs a step, and what hides it: what podium explain
// prints and a report (report.h) shows.
//
// Threading: pure. Errors: none.

#ifndef CLIENT_PROFILE_COLLECTIVES_H_
#define CLIENT_PROFILE_COLLECTIVES_H_

#include <stdbool.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"

// Of a step, on the chip that ends last.
typedef struct profile_collective_t {
  int task;  // Of the profile: the whole, or its start; -1: none carries it out.
  int64_t run_count;
  int64_t flight_ps;   // From the start to the arrival of the last byte, of all runs.
  int64_t exposed_ps;  // Of it, while the core waited.
  // What the core did most of the time between start and end when something is hidden,
  // and how many tasks it did besides; NULL: nothing is hidden.
  const podium_task_t *behind;
  int behind_more;
} profile_collective_t;

// By collective of `info`, in the arena. Without a profile, or a class of chips in it,
// all are carried out by none.
profile_collective_t *profile_collectives_of(pod_arena_t *arena,
                                             const podium_program_info_t *info,
                                             const podium_profile_t *profile);

// "fusion.3 dot_general and 2 more"; NULL when nothing is hidden.
const char *profile_behind_text(pod_arena_t *arena, const podium_program_info_t *info,
                                const podium_task_t *behind, int behind_more);

#endif  // CLIENT_PROFILE_COLLECTIVES_H_
