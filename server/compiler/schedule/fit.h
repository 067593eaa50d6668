// Makes the program fit the chip's HBM, by what costs least first: the schedule as it is;
// fewer collectives ahead of their readers; values made again (remat.h); no overlap at
// all; that with values made again. What does not fit in any of these ways is left as the
// user wrote it, for the report.
//
// Private to the compiler. Threading: pure. Cost: a count of memory where everything
// together might not fit; else some rounds of fusing, scheduling and counting.

#ifndef SERVER_COMPILER_SCHEDULE_FIT_H_
#define SERVER_COMPILER_SCHEDULE_FIT_H_

#include "server/compiler/schedule/clusters.h"

// `clusters`: scheduled ones of `partitioned`, which give way to others when the module
// is changed. `out_note`: what has been done, for people, in the module's arena; NULL:
// nothing. Errors are those of clusters_create and memory_count.
POD_MUST_USE pod_status_t fit_hbm(const compiler_partitioned_t *partitioned,
                                  const clusters_clock_t *clock, clusters_t **clusters,
                                  const char **out_note);

#endif  // SERVER_COMPILER_SCHEDULE_FIT_H_
