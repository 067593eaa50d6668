// What a chip's jobs are run by: one after the other, in the order in which they were
// posted, and the loop is told when each is done. A chip has two: one computes, the other
// loads and unloads programs, so that a load never waits behind what runs.
//
// One job has the turn at a time. It may yield: then it stands still on its thread, and
// the next one has the turn on another, until somebody resumes it:
//
//   WAITING ──its turn──► RUNNING ──────────────► done
//      │                   │   ▲
//   withdraw          yield│   │its turn again
//      ▼                   ▼   │
//     out              PARKED ─resume─► WAITING AGAIN
//                          │                  │
//                          └────release───────┴──► LOOSE ──► done
//
// LOOSE: it is to end, which it does beside what has the turn.
//
// Threading: all functions on the loop thread, but for those that say otherwise.

#ifndef SERVER_WORKER_COMPUTE_H_
#define SERVER_WORKER_COMPUTE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"

enum { COMPUTE_THREADS_MAX = 16, COMPUTE_NO_THREAD = -1 };

typedef struct compute_t compute_t;
typedef struct compute_job_t compute_job_t;

// Public so that it can be embedded in what it works for, as the first member. Borrowed
// from compute_post until `done` is called.
struct compute_job_t {
  void (*run)(compute_job_t *job);     // On a thread.
  void (*done)(compute_job_t *job);    // On the loop thread; may free the job.
  void (*parked)(compute_job_t *job);  // On the loop thread; NULL: it never yields.
  int thread;                          // The one that runs it, from 0: for `run`.
  compute_job_t *next;                 // Private to compute.c, as what follows.
  compute_t *compute;
  int begun_on;
  bool is_parked, may_go, is_loose;
};

// `name` is the thread's, a literal of at most 15 characters. INTERNAL when the system
// has no thread to give.
POD_MUST_USE pod_status_t compute_create(rpc_loop_t *loop, const char *name,
                                         compute_t **out_compute);

// There are so many threads at least: one for each job that has yielded or is to, and one
// for what comes next. RESOURCE_EXHAUSTED beyond COMPUTE_THREADS_MAX, INTERNAL.
POD_MUST_USE pod_status_t compute_make_threads(compute_t *compute, int count);

void compute_post(compute_t *compute, compute_job_t *job);

// True: its turn has not come, and will not; `done` is not called. One that is parked and
// was to go on stays parked.
bool compute_withdraw(compute_t *compute, compute_job_t *job);

// On the job's thread, from within `run`: lets the next one have the turn, and `parked`
// be called. Returns when it has the turn again, or was released.
void compute_yield(compute_job_t *job);

// On the job's thread: keeps the turn, and returns when `is_called` says so, which is
// asked again after each compute_nudge.
void compute_stand(compute_job_t *job, bool (*is_called)(const compute_job_t *job));
void compute_nudge(compute_t *compute, compute_job_t *job);

// Whether the thread has no job, nor will before the caller's has let go of the turn.
// From within `run` of one that has it.
bool compute_is_free(compute_t *compute, int thread);

// Whether any job is parked now. Any thread.
bool compute_has_parked(compute_t *compute);

// One that is parked goes on after those that wait.
void compute_resume(compute_t *compute, compute_job_t *job);

// One that is parked, or waits to go on, does so at once and without the turn: it is to
// end.
void compute_release(compute_t *compute, compute_job_t *job);

// That the job runs on, or has yielded on; COMPUTE_NO_THREAD: it has not begun.
int compute_thread_of(compute_t *compute, const compute_job_t *job);

// No job is posted that is not done. The loop thread may do then what is this
// thread's: it sees all that the jobs have written, and the next job sees what it writes.
bool compute_is_idle(const compute_t *compute);

// What a thread has computed for, in nanoseconds of a CPU; 0 is always there.
int64_t compute_cpu_ns(const compute_t *compute, int thread);

// Waits for the jobs posted, of which none is parked; their `done` comes by the loop.
// Accepts NULL.
void compute_destroy(compute_t *compute);

#endif  // SERVER_WORKER_COMPUTE_H_
