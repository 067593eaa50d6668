// The times of a report: tasks, classes of chips and their timelines, cut to what a file
// can hold. Inside of common/report.

#ifndef COMMON_REPORT_TIMES_H_
#define COMMON_REPORT_TIMES_H_

#include "common/base/json.h"
#include "common/report/report.h"

// Where the tasks are in the JSON, and which classes have a timeline.
typedef struct report_places_t {
  const report_times_t *times;  // Borrowed. NULL: there are none.
  int *of_task;                 // The row of a task; -1: it is left out.
  int *task_at;                 // By row.
  int row_count;
  bool *has_timeline;  // By class.
  int timeline_count;
  int64_t events_per_class;
  // Found while they are written.
  int64_t grouped, flights_left_out, events_dropped, messages_dropped;
} report_places_t;

void report_places_init(report_places_t *places, const report_times_t *times);
void report_places_deinit(report_places_t *places);

void report_times_write(pod_json_t *json, report_places_t *places);

// Sentences, into a list that has begun; behind report_times_write.
void report_times_left_out(pod_json_t *json, const report_places_t *places);

#endif  // COMMON_REPORT_TIMES_H_
