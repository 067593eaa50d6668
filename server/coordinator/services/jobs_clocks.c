// The clocks of fairness, from the jobs that the books have when they are opened.

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/coordinator/core/given_slice.h"
#include "server/coordinator/core/job_past.h"
#include "server/coordinator/services/jobs_private.h"

static int32_t chips_of(const jobs_t *jobs, const job_t *job) {
  torus_slice_t slice;
  bool is_here;
  return given_slice_read(job->given, &jobs->coordinator->options.torus, &slice, &is_here)
             ? torus_slice_count(&slice)
             : 0;
}

static void take_clock(void *context, const char *principal, int64_t used_us) {
  job_schedule_recall(context, principal, used_us);
}

void jobs_recall_clocks(jobs_t *jobs) {
  const int32_t count = jobs->entries.count;
  job_past_t *past = pod_alloc((size_t)count * sizeof(*past) + 1);
  for (int32_t i = 0; i < count; i++) {
    const job_t *job = jobs->entries.items[i]->job;
    past[i] = (job_past_t){.principal = job->principal,
                           .chips = chips_of(jobs, job),
                           .submitted_us = job->submitted_us,
                           .started_us = job->started_us,
                           .ended_us = job->ended_us};
  }
  job_past_clocks(past, count, take_clock, jobs->schedule);
  free(past);
}
