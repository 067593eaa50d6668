// Compiles run on a thread of their own, one after the other, so that the loop goes on.
//
// Threading: the loop thread, but for `run`, which is called on the compile thread.
// Ownership: jobs are embedded in their owner, which lives until `done`.

#ifndef SERVER_COORDINATOR_COMPILE_QUEUE_H_
#define SERVER_COORDINATOR_COMPILE_QUEUE_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"

enum { COMPILE_QUEUE_MAX = 64 };

typedef struct compile_queue_t compile_queue_t;
typedef struct compile_job_t compile_job_t;

struct compile_job_t {
  compile_job_t *next;
  compile_queue_t *queue;
  void (*run)(compile_job_t *job);   // On the compile thread.
  void (*done)(compile_job_t *job);  // On the loop thread, after `run`.
};

POD_MUST_USE pod_status_t compile_queue_create(rpc_loop_t *loop,
                                               compile_queue_t **out_queue);

// Waits for the job that runs; calls `done` of all jobs (of those that have not run too).
// Accepts NULL.
void compile_queue_destroy(compile_queue_t *queue);

// RESOURCE_EXHAUSTED when COMPILE_QUEUE_MAX jobs wait.
POD_MUST_USE pod_status_t compile_queue_add(compile_queue_t *queue, compile_job_t *job);

bool compile_queue_is_running(compile_queue_t *queue);

// Takes a waiting job out; false when it runs or has run, so that `done` will come.
bool compile_queue_remove(compile_queue_t *queue, compile_job_t *job);

#endif  // SERVER_COORDINATOR_COMPILE_QUEUE_H_
