// Events shorter than a quantum are put together while they stay within one quantum. The
// quantum is doubled until few enough pieces are left.

#include "common/report/thin.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { BOUNDS_MAX = 8 };

// What the events of a group were bound by, by name; the names are few literals.
typedef struct votes_t {
  int count;
  const char *names[BOUNDS_MAX];
  int64_t ps[BOUNDS_MAX];
} votes_t;

static void vote(votes_t *votes, const char *name, int64_t duration_ps) {
  int i = 0;
  while (i < votes->count && strcmp(votes->names[i], name) != 0) {
    i++;
  }
  if (i == BOUNDS_MAX) {
    return;
  }
  if (i == votes->count) {
    votes->names[votes->count++] = name;
  }
  votes->ps[i] += duration_ps;
}

static const char *winner(const votes_t *votes) {
  int best = 0;
  for (int i = 1; i < votes->count; i++) {
    best = votes->ps[i] > votes->ps[best] ? i : best;
  }
  return votes->count == 0 ? "" : votes->names[best];
}

static bool is_control(const report_task_t *task) {
  return task->kind == REPORT_WHILE || task->kind == REPORT_BRANCH;
}

typedef struct thinner_t {
  const report_times_t *times;
  int64_t quantum_ps;
  report_piece_t *pieces;  // NULL: they are only counted.
  int64_t count;
  report_piece_t group;  // Being put together; count 0: none.
  votes_t votes;
} thinner_t;

static void put(thinner_t *thinner, const report_piece_t *piece) {
  if (thinner->pieces != NULL) {
    thinner->pieces[thinner->count] = *piece;
  }
  thinner->count++;
}

static void end_group(thinner_t *thinner) {
  if (thinner->group.count > 0) {
    thinner->group.bound = winner(&thinner->votes);
    put(thinner, &thinner->group);
  }
  thinner->group = (report_piece_t){0};
  thinner->votes = (votes_t){0};
}

static void join(thinner_t *thinner, const report_event_t *event) {
  report_piece_t *group = &thinner->group;
  const int64_t end_ps = event->start_ps + event->duration_ps;
  if (group->count > 0 && end_ps - group->start_ps > thinner->quantum_ps) {
    end_group(thinner);
  }
  if (group->count == 0) {
    group->start_ps = event->start_ps;
    group->task = event->task;
  }
  group->count++;
  group->busy_ps += event->duration_ps;
  const int64_t span_ps = end_ps - group->start_ps;
  group->duration_ps = span_ps > group->duration_ps ? span_ps : group->duration_ps;
  vote(&thinner->votes, thinner->times->tasks[event->task].bound, event->duration_ps);
}

static void thin(thinner_t *thinner, const report_class_t *one) {
  thinner->count = 0;
  for (int i = 0; i < one->event_count; i++) {
    const report_event_t *event = &one->events[i];
    const bool is_outer = is_control(&thinner->times->tasks[event->task]);
    if (event->duration_ps >= thinner->quantum_ps) {
      // A loop begins with what is in it, which may go on with a group.
      if (!is_outer) {
        end_group(thinner);
      }
      put(thinner, &(report_piece_t){.start_ps = event->start_ps,
                                     .duration_ps = event->duration_ps,
                                     .task = event->task,
                                     .count = 1});
    } else if (!is_outer) {
      join(thinner, event);
    }
  }
  end_group(thinner);
}

static int by_start(const void *left, const void *right) {
  const report_piece_t *a = left, *b = right;
  const int by_time = (a->start_ps > b->start_ps) - (a->start_ps < b->start_ps);
  if (by_time != 0) {
    return by_time;
  }
  // What holds the other comes first.
  const int by_length =
      (a->duration_ps < b->duration_ps) - (a->duration_ps > b->duration_ps);
  return by_length != 0 ? by_length : (a->task > b->task) - (a->task < b->task);
}

report_piece_t *report_thin_events(const report_times_t *times, const report_class_t *one,
                                   int64_t most, int64_t *out_count) {
  thinner_t thinner = {.times = times};
  thin(&thinner, one);
  int64_t quantum_ps = times->step_ps / (4 * most) + 1;
  while (thinner.count > most && quantum_ps < times->step_ps) {
    thinner.quantum_ps = quantum_ps;
    thin(&thinner, one);
    quantum_ps *= 2;
  }
  report_piece_t *pieces = pod_alloc((size_t)(thinner.count + 1) * sizeof(*pieces));
  thinner.pieces = pieces;
  thin(&thinner, one);
  for (int64_t i = 0; i < thinner.count; i++) {
    if (pieces[i].count == 1 && pieces[i].bound != NULL) {
      pieces[i].bound = NULL;  // A group of one is that one.
    }
  }
  qsort(pieces, (size_t)thinner.count, sizeof(*pieces), by_start);
  *out_count = thinner.count;
  return pieces;
}

report_point_t *report_thin_points(int count, const report_point_t *points, int most,
                                   int *out_count) {
  const int stretch = count <= most ? 1 : (count + most - 2) / (most - 1);
  report_point_t *few = pod_alloc((size_t)(count + 1) * sizeof(*few));
  *out_count = 0;
  for (int i = 0; i < count; i += stretch) {
    report_point_t highest = points[i];
    for (int k = i; k < i + stretch && k < count; k++) {
      highest.bytes = points[k].bytes > highest.bytes ? points[k].bytes : highest.bytes;
    }
    few[(*out_count)++] = highest;
  }
  if (stretch > 1) {
    few[(*out_count)++] = points[count - 1];  // Where the line ends.
  }
  return few;
}
