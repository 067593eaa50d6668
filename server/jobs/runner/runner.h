// One attempt at a job: what the process podium-job does. It is a client of the pod like
// any other, with libpodium, that acts for the job's submitter; module and inputs are
// blobs of the store, and results become such.
//
// Threading: any one thread; `tell` is called on libpodium's too, one at a time.

#ifndef SERVER_JOBS_RUNNER_RUNNER_H_
#define SERVER_JOBS_RUNNER_RUNNER_H_

#include "common/base/status.h"
#include "server/jobs/orders.h"

typedef struct runner_t {
  const job_orders_t *orders;
  // Said to the coordinator. Borrowed for the call.
  void (*tell)(void *context, const job_told_t *told);
  void *context;
} runner_t;

// From connecting to the last result; `done` and `failed` are left to the caller. What
// the pod did, by its code: UNAVAILABLE and DATA_LOSS may go well another time.
POD_MUST_USE pod_status_t runner_run(const runner_t *runner);

#endif  // SERVER_JOBS_RUNNER_RUNNER_H_
