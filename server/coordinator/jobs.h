// podium.v1.Jobs: work that the pod keeps (server/jobs), and what others want to know of
// it.
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_JOBS_H_
#define SERVER_COORDINATOR_JOBS_H_

#include <stdint.h>

#include "common/access/access.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/jobs.pb-c.h"
#include "server/coordinator/coordinator.h"
#include "server/jobs/job.h"

enum { JOBS_METHODS = 8 };

// Ends with {0}.
void jobs_methods(rpc_method_t out_methods[JOBS_METHODS + 1]);

typedef struct jobs_t jobs_t;

// Opens the folder of the options and takes up what is there. *out_jobs is set also when
// it fails, and destroyed by the same functions.
POD_MUST_USE pod_status_t jobs_create(coordinator_t *coordinator, jobs_t **out_jobs);

// Ends what runs, which is queued again; follows no logs and sends no changes any more.
// Accepts NULL, as all below.
void jobs_drain(jobs_t *jobs);

// Nothing runs, and nothing is on its way to the disk.
bool jobs_are_settled(const jobs_t *jobs);

// A place of the pod has changed.
void jobs_pod_changed(jobs_t *jobs);

// An execution of the job of this number (0: of none) was refused because the pod was not
// ready for it: if its attempt fails of that, it is none that counts.
void jobs_note_refusal(jobs_t *jobs, uint64_t id);

// Kills what runs and writes what is to be written; after the calls of clients have
// ended. Then jobs_destroy, when nothing is queued for later any more.
void jobs_stop(jobs_t *jobs);
void jobs_destroy(jobs_t *jobs);

// Marks the chips that jobs have, by chip.
void jobs_mark_chips(const jobs_t *jobs, bool *is_taken);

// How many there are in each state.
void jobs_count(const jobs_t *jobs, int64_t out_counts[JOB_STATE_COUNT]);

// A job as it is now, borrowed for the call, and its state as job_state_name takes it.
typedef void (*jobs_visit_t)(void *context, const Podium__V1__Job *job,
                             job_state_t state);

// The newest `max` of those that `caller` may see (his own; all for who administers;
// NULL: all), by id. Returns how many he may see. None when the coordinator keeps no
// jobs. From its books: no file is read.
size_t jobs_each(const coordinator_t *coordinator, const access_identity_t *caller,
                 size_t max, jobs_visit_t visit, void *context);

// Has a job that `caller` may see cancelled; it ends soon after. NOT_FOUND;
// FAILED_PRECONDITION when it has ended already.
POD_MUST_USE pod_status_t jobs_cancel_one(const coordinator_t *coordinator,
                                          const access_identity_t *caller, uint64_t id);

// Is another one whenever anything has changed that jobs_each tells.
uint64_t jobs_version(const coordinator_t *coordinator);

// The report (JSON) of a job that `caller` may see (NULL: any), read only; the caller
// closes it. NOT_FOUND. Opens a file: no more than a moment.
POD_MUST_USE pod_status_t jobs_open_report(const coordinator_t *coordinator,
                                           const access_identity_t *caller, uint64_t id,
                                           int *out_fd, int64_t *out_size_bytes);

#endif  // SERVER_COORDINATOR_JOBS_H_
