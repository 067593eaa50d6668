// The one thread on which the coordinator waits for the disk of its jobs: the store,
// logs, results. In the order of the calls, so that a job's changes are written as they
// came.
//
// Threading: the loop thread, but for `run`, which is called on the disk's.
// Ownership: a work is embedded in its owner, which lives until `done`.

#ifndef SERVER_COORDINATOR_JOB_DISK_H_
#define SERVER_COORDINATOR_JOB_DISK_H_

#include "common/base/status.h"
#include "common/rpc/loop.h"

typedef struct job_disk_t job_disk_t;
typedef struct disk_work_t disk_work_t;

struct disk_work_t {
  disk_work_t *next;
  void (*run)(disk_work_t *work);   // On the disk's thread.
  void (*done)(disk_work_t *work);  // On the loop thread.
};

POD_MUST_USE pod_status_t job_disk_create(rpc_loop_t *loop, job_disk_t **out_disk);

void job_disk_do(job_disk_t *disk, disk_work_t *work);

// Does what is left, calls `done` of all of it, and what that asks for too. Accepts NULL.
void job_disk_destroy(job_disk_t *disk);

#endif  // SERVER_COORDINATOR_JOB_DISK_H_
