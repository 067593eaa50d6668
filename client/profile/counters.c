// The links' counter sweeps over the starts and ends of messages in order of time; what
// changes at one time is one point.

#include "client/profile/counters.h"

#include <stdlib.h>

#include "client/profile/sums.h"

profile_counter_t profile_count_hbm(pod_arena_t *arena, const podium_profile_t *profile,
                                    const podium_chip_class_t *class) {
  profile_counter_t counter = {.points =
                                   pod_arena_array(arena, (size_t) class->event_count + 1,
                                                   sizeof(*counter.points))};
  int64_t last = -1;
  for (int i = 0; i < class->event_count; i++) {
    const podium_task_t *task = &profile->tasks[class->events[i].task];
    // What is inside of a loop has points of its own.
    if (!profile_task_is_control(task) && task->hbm_live_bytes != last) {
      last = task->hbm_live_bytes;
      counter.points[counter.count++] =
          (profile_point_t){class->events[i].start_ps, last};
    }
  }
  if (last >= 0) {
    counter.points[counter.count++] = (profile_point_t){class->end_ps, last};
  }
  return counter;
}

// A message that sets out (1) or arrives (-1).
typedef struct change_t {
  int64_t at_ps;
  int direction, by;
} change_t;

static int by_time(const void *left, const void *right) {
  const change_t *a = left, *b = right;
  return (a->at_ps > b->at_ps) - (a->at_ps < b->at_ps);
}

static change_t *changes_of(pod_arena_t *arena, const podium_chip_class_t *class) {
  const size_t count = 2 * (size_t) class->message_count;
  change_t *changes = pod_arena_array(arena, count + 1, sizeof(*changes));
  size_t next = 0;
  for (int i = 0; i < class->message_count; i++) {
    const podium_message_t *message = &class->messages[i];
    changes[next++] = (change_t){message->start_ps, message->direction, 1};
    changes[next++] =
        (change_t){message->start_ps + message->duration_ps, message->direction, -1};
  }
  qsort(changes, count, sizeof(*changes), by_time);
  return changes;
}

profile_counter_t profile_count_busy_links(pod_arena_t *arena,
                                           const podium_chip_class_t *class) {
  const int count = 2 * class->message_count;
  const change_t *changes = changes_of(arena, class);
  profile_counter_t counter = {
      .points = pod_arena_array(arena, (size_t)count + 1, sizeof(*counter.points))};
  int in_flight[PODIUM_LINK_COUNT] = {0};
  int64_t last = 0;
  for (int i = 0; i < count; i++) {
    in_flight[changes[i].direction] += changes[i].by;
    if (i + 1 < count && changes[i + 1].at_ps == changes[i].at_ps) {
      continue;
    }
    int64_t busy = 0;
    for (int direction = 0; direction < PODIUM_LINK_COUNT; direction++) {
      busy += in_flight[direction] > 0;
    }
    if (busy != last) {
      counter.points[counter.count++] = (profile_point_t){changes[i].at_ps, busy};
      last = busy;
    }
  }
  return counter;
}
