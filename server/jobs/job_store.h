// The jobs that a coordinator has accepted, on the disk: what was accepted is kept.
//
//   FOLDER/             0700
//     lock              held by the coordinator that has the store
//     jobs.N.sqlite     the records; N grows when a damaged one was replaced
//     blobs/DIGEST      modules, inputs, results, profiles, reports (blobs.h)
//     partial/          blobs that are being written
//     logs/             the runner's; the store only makes the folder
//     reserve           room for the books should the disk be full
//
// When a function that changes something returns without an error, the change survives
// the end of the process and of the machine. When it returns an error, nothing has
// changed for this process; after a restart the change may have happened after all (the
// disk took it and then failed), wholly. A client that repeats a submission with its key
// finds out.
//
// Opening recovers: what was RUNNING is QUEUED again (the attempt is counted), what was
// being written is swept, and so are blobs that no job names. Records carry a digest. A
// damaged one stays, as FAILED with DATA_LOSS; of a damaged database all records that can
// be read are taken over into a new one, and the damaged file is left for its owner.
//
// Cost: submit and the changes of state are one write and one fsync of the database each;
// submit and finish also one of the folder of blobs. What is in the memory is some
// hundred bytes for each blob and principal, not the records. Threading: one thread at a
// time for a store and its writers. job_blob_check() of a descriptor is for any.
// Ownership: job_t is borrowed unless said otherwise.
// Errors: RESOURCE_EXHAUSTED: the disk is full (folder and bytes are named) or a quota is
// reached, and nothing that was accepted suffers; NOT_FOUND: no such job;
// FAILED_PRECONDITION: not in this state, the folder is not ours alone, another process
// has it, another version of Podium made it; INVALID_ARGUMENT: beyond the bounds of
// job.h; DATA_LOSS: what is on the disk is damaged; UNAVAILABLE: the disk fails.

#ifndef SERVER_JOBS_JOB_STORE_H_
#define SERVER_JOBS_JOB_STORE_H_

#include "common/base/status.h"
#include "server/jobs/blobs.h"
#include "server/jobs/job.h"

typedef struct job_store_t job_store_t;

// 0 everywhere: no bound.
typedef struct job_store_limits_t {
  int64_t bytes_max;            // Of all blobs together.
  int64_t principal_bytes_max;  // Of the blobs that a principal's jobs name, each job's
                                // counted for itself.
  int64_t principal_jobs_max;   // QUEUED and RUNNING ones of a principal.
  int64_t jobs_max;             // Of all, ended ones too.
  int64_t keep_s;               // How long ended jobs are kept; 0: until removed.
  int64_t free_bytes_min;       // Submissions end when the disk has less room than this.
} job_store_limits_t;

// What opening found, for the log; all 0 after an orderly end.
typedef struct job_store_recovery_t {
  int64_t requeued_count;  // Were RUNNING.
  int64_t swept_count;     // Blobs that were half written, or that no job names.
  int64_t swept_bytes;
  int64_t damaged_count;  // Records that cannot be believed any more.
  char *damage;           // In words, "" for none.
} job_store_recovery_t;

// Makes the folder when there is none. The parent must exist.
POD_MUST_USE pod_status_t job_store_open(const char *folder,
                                         const job_store_limits_t *limits,
                                         job_store_t **out_store);

// Accepts NULL. Writers must have been committed or abandoned.
void job_store_close(job_store_t *store);

// Borrowed until the store is closed.
const job_store_recovery_t *job_store_recovery(const job_store_t *store);

// The folder of blobs, for the functions of blobs.h. Borrowed.
job_blobs_t *job_store_blobs(job_store_t *store);

// Whether a job with so many bytes of module and inputs would be taken now: to refuse it
// before they are sent.
POD_MUST_USE pod_status_t job_store_may_submit(job_store_t *store, const char *principal,
                                               int64_t size_bytes);

// As in blobs.h, and counted: append fails with RESOURCE_EXHAUSTED when the store would
// have more than it may. What was committed is held until job_store_submit() or
// job_store_finish() names it or job_store_blob_release() gives it up, once for each
// commit.
POD_MUST_USE pod_status_t job_store_blob_create(job_store_t *store,
                                                job_blob_writer_t **out_writer);
POD_MUST_USE pod_status_t job_store_blob_append(job_store_t *store,
                                                job_blob_writer_t *writer,
                                                const void *data, size_t size_bytes);
POD_MUST_USE pod_status_t job_store_blob_commit(job_store_t *store,
                                                job_blob_writer_t *writer,
                                                job_blob_t *out_blob);
void job_store_blob_abandon(job_store_t *store, job_blob_writer_t *writer);
void job_store_blob_release(job_store_t *store, const job_blob_t *blob);

// Opened and checked: reads all of it.
POD_MUST_USE pod_status_t job_store_open_blob(job_store_t *store, const job_blob_t *blob,
                                              int *out_fd);

// The job that the principal submitted under this key; NOT_FOUND when there is none.
POD_MUST_USE pod_status_t job_store_find(job_store_t *store, const char *principal,
                                         const char *submission, uint64_t *out_id);

// Takes the job into the books, as QUEUED: sets job->id, and `submitted_us` when it is 0.
// Its blobs must be there; commits of this store that it names are no longer held, also
// when it fails. When the principal has a job of the same submission, that one's id is
// set, and *out_was_there.
POD_MUST_USE pod_status_t job_store_submit(job_store_t *store, job_t *job,
                                           bool *out_was_there);

// QUEUED -> RUNNING; counts the attempt. `given`: its slice, in the caller's words.
POD_MUST_USE pod_status_t job_store_start(job_store_t *store, uint64_t id,
                                          const char *given, int64_t started_us);

typedef struct job_end_t {
  job_state_t state;    // SUCCEEDED, FAILED or CANCELLED.
  int32_t code;         // POD_OK when it succeeded.
  const char *message;  // Cut off at JOB_MESSAGE_BYTES_MAX.
  size_t result_count;
  const job_array_t *results;  // Blobs that are there; borrowed.
  job_blob_t profile, report;  // Size 0: none.
  int64_t ended_us;
} job_end_t;

// RUNNING or QUEUED -> the end. SUCCEEDED only from RUNNING.
POD_MUST_USE pod_status_t job_store_finish(job_store_t *store, uint64_t id,
                                           const job_end_t *end);

// RUNNING -> QUEUED; `message`: why. `is_failure`: the attempt is one of those that
// `retries` is about.
POD_MUST_USE pod_status_t job_store_requeue(job_store_t *store, uint64_t id,
                                            const char *message, bool is_failure);

// QUEUED or RUNNING -> CANCELLED.
POD_MUST_USE pod_status_t job_store_cancel(job_store_t *store, uint64_t id,
                                           const char *message, int64_t ended_us);

// Forgets a job that has ended, and the blobs that no other names.
POD_MUST_USE pod_status_t job_store_remove(job_store_t *store, uint64_t id);

// Returns owned. A record that is damaged is a FAILED job with DATA_LOSS and what could
// be read of it.
POD_MUST_USE pod_status_t job_store_get(job_store_t *store, uint64_t id, job_t **out_job);

// All jobs by id, each handed over (job_destroy). The callback must not call the store.
POD_MUST_USE pod_status_t job_store_each(job_store_t *store,
                                         void (*each)(void *user, job_t *job),
                                         void *user);

// Housekeeping, once a minute: ended jobs beyond their time are removed (`removed` is
// told each, may be NULL), blobs that nobody names for longer than JOB_BLOB_GRACE_S go,
// the log of the database is taken into it.
POD_MUST_USE pod_status_t job_store_collect(job_store_t *store, int64_t now_us,
                                            void (*removed)(void *user, uint64_t id),
                                            void *user);

typedef struct job_store_usage_t {
  int64_t job_count, unfinished_count;
  int64_t blob_count, blob_bytes;  // On the disk, each once.
  int64_t free_bytes;              // Of the file system; -1 when it does not say.
} job_store_usage_t;

job_store_usage_t job_store_usage(const job_store_t *store);

#endif  // SERVER_JOBS_JOB_STORE_H_
