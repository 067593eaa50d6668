// Jobs that take long (compiles, simulations) run on threads of the queue, so that the
// loop goes on.
//
// Of those that wait the first of the owner that has the fewest running is next, and of
// several threads an owner never has all: whoever brings many long jobs leaves one to the
// others. Half of the places to wait is the most that one owner has.
//
// Threading: the loop thread, but for `run`, which is called on a thread of the queue.
// Ownership: jobs are embedded in their owner, which lives until `done`.

#ifndef SERVER_COORDINATOR_JOB_QUEUE_H_
#define SERVER_COORDINATOR_JOB_QUEUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"

enum { JOB_QUEUE_MAX = 64, JOB_QUEUE_THREADS_MAX = 16 };

typedef struct job_queue_t job_queue_t;
typedef struct queue_job_t queue_job_t;

struct queue_job_t {
  queue_job_t *next;
  job_queue_t *queue;
  const void *owner;               // Whose it is; NULL: nobody's, without a share.
  void (*run)(queue_job_t *job);   // On the queue's thread.
  void (*done)(queue_job_t *job);  // On the loop thread, after `run`.
};

// `what` its jobs are, for messages: "compiles". A literal. As many run at a time as
// there are threads, 1 to JOB_QUEUE_THREADS_MAX.
POD_MUST_USE pod_status_t job_queue_create(rpc_loop_t *loop, const char *what,
                                           int32_t thread_count, job_queue_t **out_queue);

// Waits for the jobs that run; calls `done` of all jobs (of those that have not run too).
// Accepts NULL.
void job_queue_destroy(job_queue_t *queue);

// RESOURCE_EXHAUSTED when JOB_QUEUE_MAX jobs wait, or half of that of the owner.
POD_MUST_USE pod_status_t job_queue_add(job_queue_t *queue, queue_job_t *job);

bool job_queue_is_running(job_queue_t *queue);

// How many wait for a thread.
int32_t job_queue_waiting(job_queue_t *queue);

// Takes a waiting job out; false when it runs or has run, so that `done` will come.
bool job_queue_remove(job_queue_t *queue, queue_job_t *job);

#endif  // SERVER_COORDINATOR_JOB_QUEUE_H_
