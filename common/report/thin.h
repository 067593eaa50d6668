// Long lists made short, so that what is large in them stays as it is. Inside of
// common/report. Pure, but for memory; what is returned is owned (free()).

#ifndef COMMON_REPORT_THIN_H_
#define COMMON_REPORT_THIN_H_

#include "common/report/report.h"

// Something that takes a stretch of the core's time: one event, or many short ones in a
// row.
typedef struct report_piece_t {
  int64_t start_ps, duration_ps;
  int task;           // Of one event.
  int64_t count;      // 1: one event.
  int64_t busy_ps;    // Of many.
  const char *bound;  // Of many: what most of busy_ps was for.
} report_piece_t;

// At most about `most` pieces (twice that where long and short ones alternate) of the
// events, in order of start: events that are long stay by themselves, short ones next to
// each other are put together. Events of whiles and branches, which last as long as what
// is in them, stay by themselves when they are long and are dropped when they are not.
report_piece_t *report_thin_events(const report_times_t *times, const report_class_t *one,
                                   int64_t most, int64_t *out_count);

// At most `most` points in order of time, of which each is the highest of a stretch.
report_point_t *report_thin_points(int count, const report_point_t *points, int most,
                                   int *out_count);

#endif  // COMMON_REPORT_THIN_H_
