// How far the clocks of core/job_schedule.h had come, worked out from the jobs that are
// kept: so that a coordinator started anew is as fair as the one before it.
//
// Jobs are gone through in time. Who comes to others that have jobs, and has had less
// than each of them, starts with the least of theirs, as in the schedule. What a job has
// had of the chips counts when it ends, and of its attempts the last.
//
// Cost: n log n, and principals for each job.
// Threading: pure.

#ifndef SERVER_COORDINATOR_CORE_JOB_PAST_H_
#define SERVER_COORDINATOR_CORE_JOB_PAST_H_

#include <stdint.h>

typedef struct job_past_t {
  const char *principal;
  int32_t chips;                               // Of its last attempt; 0: it had none.
  int64_t submitted_us, started_us, ended_us;  // 0: not yet.
} job_past_t;

// Of one that has jobs which have not ended. The name is the job's.
typedef void (*job_past_fn_t)(void *context, const char *principal, int64_t used_us);

void job_past_clocks(const job_past_t *jobs, int32_t count, job_past_fn_t tell,
                     void *context);

#endif  // SERVER_COORDINATOR_CORE_JOB_PAST_H_
