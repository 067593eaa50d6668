// A thread of the chip's: runs jobs one after the other, in the order in which they were
// posted, and tells the loop when each is done. A chip has two: one computes, the other
// loads and unloads programs, so that a load never waits behind what runs.
//
// Threading: all functions on the loop thread.

#ifndef SERVER_WORKER_COMPUTE_H_
#define SERVER_WORKER_COMPUTE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"

typedef struct compute_t compute_t;
typedef struct compute_job_t compute_job_t;

// Public so that it can be embedded in what it works for, as the first member. Borrowed
// from compute_post until `done` is called.
struct compute_job_t {
  void (*run)(compute_job_t *job);   // On the thread.
  void (*done)(compute_job_t *job);  // On the loop thread; may free the job.
  compute_job_t *next;               // Private to compute.c, as what follows.
  compute_t *compute;
};

// `name` is the thread's, a literal of at most 15 characters. INTERNAL when the system
// has no thread to give.
POD_MUST_USE pod_status_t compute_create(rpc_loop_t *loop, const char *name,
                                         compute_t **out_compute);

void compute_post(compute_t *compute, compute_job_t *job);

// No job is posted that is not done. The loop thread may do then what is this
// thread's: it sees all that the jobs have written, and the next job sees what it writes.
bool compute_is_idle(const compute_t *compute);

// What the thread has computed for, in nanoseconds of a CPU.
int64_t compute_cpu_ns(const compute_t *compute);

// Waits for the jobs posted; their `done` comes by the loop. Accepts NULL.
void compute_destroy(compute_t *compute);

#endif  // SERVER_WORKER_COMPUTE_H_
