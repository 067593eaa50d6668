// Which job starts next, and on which slice of the pod.
//
//   add ──> waits ──job_schedule_next──> runs ──end──> (gone)
//             ^──────────── again ─────────┘
//
// In the order: higher priority first; then between principals, who has had least of the
// chips' time (as core/turns.h: who comes to an idle queue does not bring what he has not
// used; start-time fair queueing, Goyal, Vin, Cheng, 1996); then as they were submitted.
// The first in that order for which there is a free box starts. One that finds no box is
// passed by those behind it, JOB_SCHEDULE_PASSES times: from then on the box that is
// nearest to being free is kept for it, and only what fits beside that starts. So small
// jobs fill the gaps and a large one is not passed for ever.
//
// Times: microseconds of any one clock, passed in.
// Threading: pure; one thread at a time.
// Determinism: given the same calls, the same answers.

#ifndef SERVER_COORDINATOR_CORE_JOB_SCHEDULE_H_
#define SERVER_COORDINATOR_CORE_JOB_SCHEDULE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/slice.h"
#include "server/coordinator/core/slices.h"

enum { JOB_SCHEDULE_PASSES = 8 };

typedef struct job_schedule_t job_schedule_t;

typedef struct job_plan_t {
  uint64_t id;            // In the order of submission.
  const char *principal;  // Copied.
  int32_t priority;
  slice_wish_t wish;
} job_plan_t;

// `torus` is copied. Returns owned.
job_schedule_t *job_schedule_create(const torus_t *torus);

// Accepts NULL.
void job_schedule_destroy(job_schedule_t *schedule);

// What a principal had had before: he has jobs, which come in their time, and his clock
// stays where it is when the first of them does.
void job_schedule_recall(job_schedule_t *schedule, const char *principal,
                         int64_t used_us);

// It may start from now on: what it comes after has succeeded.
void job_schedule_add(job_schedule_t *schedule, const job_plan_t *plan, int64_t now_us);

// Takes it out, wherever it is; what it runs on is free. Nothing when it is not there.
void job_schedule_remove(job_schedule_t *schedule, uint64_t id, int64_t now_us);

// It runs no more, and waits again in its old place.
void job_schedule_again(job_schedule_t *schedule, uint64_t id, int64_t now_us);

// The next one to start, which then runs on *out_slice. `missing`: what cannot be used
// now; NULL: nothing. False: none can start.
bool job_schedule_next(job_schedule_t *schedule, const slices_missing_t *missing,
                       int64_t now_us, uint64_t *out_id, torus_slice_t *out_slice);

// Where it runs; false when it does not.
bool job_schedule_slice(const job_schedule_t *schedule, uint64_t id,
                        torus_slice_t *out_slice);

// Marks the chips of all that run, by chip.
void job_schedule_mark(const job_schedule_t *schedule, bool *is_taken);

// Of one that waits: how many are before it in the order, those that run left out; -1
// when it does not wait.
int32_t job_schedule_position(const job_schedule_t *schedule, uint64_t id);

// Why it waits: "behind 3 jobs", "for a free slice of 2x2"; nothing when it does not.
void job_schedule_print_wait(const job_schedule_t *schedule,
                             const slices_missing_t *missing, uint64_t id,
                             pod_text_t *text);

// Chip-microseconds that a principal has had, as the order sees it; for tests.
int64_t job_schedule_used(const job_schedule_t *schedule, const char *principal);

// --- What comes of an attempt ---

typedef enum job_verdict_t {
  JOB_VERDICT_END = 0,  // As it is.
  JOB_VERDICT_AGAIN,    // The pod failed it, not its program.
} job_verdict_t;

// `failures`: attempts that the pod has failed, this one too; `retries`: how many it may.
job_verdict_t job_verdict(pod_code_t code, int32_t failures, int32_t retries);

#endif  // SERVER_COORDINATOR_CORE_JOB_SCHEDULE_H_
