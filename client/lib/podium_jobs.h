// libpodium: jobs, which a pod keeps. A job is a program with its inputs: handed over
// once, it is run when chips are free, and its results stay on the pod until they are
// removed. What podium_submit has returned is on the coordinator's disk, and outlives it.
//
//   podium_connect(address, &(podium_connect_options_t){.only_looks = true}, &session);
//   const podium_job_input_t input = {.shape = shape, .data = data, .size = size};
//   podium_submit(session, text, length, 1, &input, NULL, &id);
//   ...                                    // another day, another process
//   podium_job_wait(session, id, 0, &job);
//   podium_job_fetch_result(session, id, 0, buffer, size, 0);
//
// Sessions: any session will do, also one that only looks; jobs are not a session's but
// the caller's, as the coordinator knows him (tokens, certificates). Jobs of others are
// NOT_FOUND, but to those that administer.
// Losses: these functions ask again when the coordinator is lost, within their deadline
// and for at most podium_connect_options_t.retry_ms (0: 5 minutes) at a time;
// UNAVAILABLE then. podium_connect_options_t.on_waiting is told.
// Everything else is as podium.h has it. FAILED_PRECONDITION when the coordinator keeps
// no jobs (podium-coordinator --jobs).

#ifndef PODIUM_JOBS_H_
#define PODIUM_JOBS_H_

#include "podium.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum podium_job_state_t {
  PODIUM_JOB_UNKNOWN = 0,
  PODIUM_JOB_QUEUED = 1,
  PODIUM_JOB_RUNNING = 2,
  PODIUM_JOB_SUCCEEDED = 3,
  PODIUM_JOB_FAILED = 4,
  PODIUM_JOB_CANCELLED = 5,
} podium_job_state_t;

// "queued". A literal.
PODIUM_API const char *podium_job_state_name(podium_job_state_t state);

// SUCCEEDED, FAILED and CANCELLED.
PODIUM_API bool podium_job_has_ended(podium_job_state_t state);

// --- Submitting ---

// For an argument of @main, in its order: dense row-major, from memory or from a function
// (podium_read_fn_t), which with a `buffer` of NULL and a `size` of 0 begins anew and
// returns 0, or -1 when it cannot: then what was lost under way is not sent again.
typedef struct podium_job_input_t {
  const char *name;  // For people; NULL: none.
  podium_shape_t shape;
  const void *data;  // `size` bytes; or NULL and
  size_t size;
  podium_read_fn_t read;  // this, for as many as the shape needs.
  void *read_context;
} podium_job_input_t;

typedef struct podium_job_options_t {
  size_t struct_size;     // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;     // To hand it over.
  const char *name;       // For people; NULL: the file's.
  const char *file_name;  // For diagnostics.
  const char *slice;      // "2x2": a box of so many chips; NULL: what the program needs.
  int priority;           // Higher first, of all jobs; -1000 to 0, and to
                          // 1000 for who administers the pod.
  int after_count;        // Jobs of the caller that have to succeed first.
  const uint64_t *after;
  int retries;   // How often it runs again when chips were lost under it; 0 to 100.
  bool profile;  // Keep a profile and a report.
  // The same text of the same caller is the same job, also another day: for who does not
  // know whether a submission got through. NULL: one at random, with which this call asks
  // again after a loss. At most 128 bytes.
  const char *submission;
  // How it is compiled, at every attempt: as podium_compile_options_t has these.
  const char *algorithms, *collectives, *mesh, *propagation, *donate;
  int in_sharding_count, out_sharding_count;
  const podium_given_sharding_t *in_shardings, *out_shardings;
  // For each device of the program the chip that runs it, by its place in the slice's box
  // ({0, 1, 3, 2} makes a ring of a 2x2): every place once. NULL: as they are numbered.
  int device_order_count;
  const int64_t *device_order;
} podium_job_options_t;

// Hands a job over. INVALID_ARGUMENT when the program does not compile, with its
// diagnostics, when the inputs are not its arguments, or for a slice that the pod has
// not; RESOURCE_EXHAUSTED when the pod keeps no more jobs, or no more of the caller's.
PODIUM_API podium_status_t *podium_submit(podium_session_t *session, const char *text,
                                          size_t length, int input_count,
                                          const podium_job_input_t *inputs,
                                          const podium_job_options_t *options,
                                          uint64_t *out_id);

// --- Looking ---

typedef struct podium_job_array_t {
  const char *name;
  podium_shape_t shape;
} podium_job_array_t;

typedef struct podium_job_t {
  uint64_t id;  // From 1; never used twice.
  const char *name, *file_name;
  const char *principal;  // Who has submitted it.
  podium_job_state_t state;
  const char *slice;  // As it was asked for; "".
  int device_count;
  const char *given_slice;  // Of the last attempt; "": it was never given one.
  int chip_count;
  const int32_t *chips;
  int origin_count;  // Of its first chip, coordinates.
  const int32_t *origin;
  int priority, attempts, retries;
  int after_count;
  const uint64_t *after;
  podium_code_t code;                          // Once it has ended.
  const char *message;                         // Why it failed, or runs again.
  int64_t submitted_us, started_us, ended_us;  // Unix time; 0: not yet.
  const char *waits_for;                       // For people, while it is queued.
  int position;          // While it is queued: jobs of all callers ahead of it.
  const char *progress;  // For people, while it runs.
  int input_count, result_count;
  const podium_job_array_t *inputs, *results;
  const int64_t *result_bytes;
  bool has_profile, has_report;
  const char *traceparent;
} podium_job_t;

PODIUM_API podium_status_t *podium_job_get(podium_session_t *session, uint64_t id,
                                           int64_t timeout_ms, podium_job_t **out_job);
PODIUM_API void podium_job_free(podium_job_t *job);

typedef struct podium_job_list_options_t {
  size_t struct_size;  // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;
  int max;  // The newest so many; 0: 1000, which is also the most.
  int state_count;
  const podium_job_state_t *states;  // None: all.
} podium_job_list_options_t;

typedef struct podium_jobs_t {
  int count;
  const podium_job_t *jobs;           // By id.
  int others_queued, others_running;  // Of callers that are not listed.
  bool is_cut;                        // There are more.
} podium_jobs_t;

PODIUM_API podium_status_t *podium_job_list(podium_session_t *session,
                                            const podium_job_list_options_t *options,
                                            podium_jobs_t **out_jobs);
PODIUM_API void podium_jobs_free(podium_jobs_t *jobs);

// Told of each job as it is, then as often as it changes, on the library's thread: `job`
// is borrowed for the call, and the library may not be called. False: it is enough.
typedef bool (*podium_job_fn_t)(void *context, const podium_job_t *job);

// Until all of these jobs have ended; without any, of all that the caller may see, until
// it is enough. After a loss of the coordinator a job may be told again as it was.
PODIUM_API podium_status_t *podium_job_watch(podium_session_t *session, int count,
                                             const uint64_t *ids, podium_job_fn_t tell,
                                             void *context, int64_t timeout_ms);

// Until it has ended; *out_job (may be NULL) says how. DEADLINE_EXCEEDED: not yet.
PODIUM_API podium_status_t *podium_job_wait(podium_session_t *session, uint64_t id,
                                            int64_t timeout_ms, podium_job_t **out_job);

// --- Ending ---

// Waits until its chips are free. FAILED_PRECONDITION for one that has ended. `out_job`
// may be NULL.
PODIUM_API podium_status_t *podium_job_cancel(podium_session_t *session, uint64_t id,
                                              int64_t timeout_ms, podium_job_t **out_job);

// Forgets a job that has ended, with its inputs and results. FAILED_PRECONDITION for one
// that has not.
PODIUM_API podium_status_t *podium_job_remove(podium_session_t *session, uint64_t id,
                                              int64_t timeout_ms);

// --- What it leaves ---

// Takes what comes, on the library's thread, and may not call the library. False: it is
// enough, and the function that brings it returns NULL.
typedef bool (*podium_write_fn_t)(void *context, const void *bytes, size_t size);

// The lines of all attempts, oldest first; with `follow` until the job has ended.
PODIUM_API podium_status_t *podium_job_log(podium_session_t *session, uint64_t id,
                                           bool follow, podium_write_fn_t write,
                                           void *context, int64_t timeout_ms);

// The whole of a result; `size` must be podium_job_t.result_bytes. FAILED_PRECONDITION
// when the job has not succeeded. Goes on where it was when the coordinator is lost.
PODIUM_API podium_status_t *podium_job_fetch_result(podium_session_t *session,
                                                    uint64_t id, int index, void *data,
                                                    size_t size, int64_t timeout_ms);

// The report of a job with has_report: JSON, as common/report/README.md has it.
PODIUM_API podium_status_t *podium_job_fetch_report(podium_session_t *session,
                                                    uint64_t id, podium_write_fn_t write,
                                                    void *context, int64_t timeout_ms);

// The profile of a job with has_profile; podium_profile_free.
PODIUM_API podium_status_t *podium_job_fetch_profile(podium_session_t *session,
                                                     uint64_t id, int64_t timeout_ms,
                                                     podium_profile_t **out_profile);

#ifdef __cplusplus
}
#endif

#endif  // PODIUM_JOBS_H_
