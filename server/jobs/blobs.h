// Files by the digest of what is in them: modules, inputs, results, profiles, reports.
//
// A blob is written under a name of its own, and gets the name of its digest when all of
// it is on the disk; so what has the name of a digest is whole, whatever happens. The
// same bytes twice are one file: the newer one takes the place of the older, which mends
// it should the disk have spoilt it.
//
// The coordinator's store and the runner, a process of its own, write into one folder;
// nobody needs the store's lock for that. What no job names is collected by the store,
// once it is JOB_BLOB_GRACE_S old.
//
// Threading: job_blobs_t may be shared by threads once open; a writer belongs to one.
// Ownership: writers are taken by commit and abandon. Descriptors are the caller's.
// Errors: RESOURCE_EXHAUSTED with folder and bytes when the disk is full; DATA_LOSS when
// a blob is missing or is not what its name says; UNAVAILABLE when the disk fails;
// FAILED_PRECONDITION when the folder is not ours alone.

#ifndef SERVER_JOBS_BLOBS_H_
#define SERVER_JOBS_BLOBS_H_

#include "common/base/status.h"
#include "server/jobs/job.h"

enum { JOB_BLOB_GRACE_S = 3600 };

typedef struct job_blobs_t job_blobs_t;
typedef struct job_blob_writer_t job_blob_writer_t;

// `folder`: the store's (what --jobs names), in which a store was opened before.
POD_MUST_USE pod_status_t job_blobs_open(const char *folder, job_blobs_t **out_blobs);

// Accepts NULL.
void job_blobs_close(job_blobs_t *blobs);

POD_MUST_USE pod_status_t job_blob_create(job_blobs_t *blobs,
                                          job_blob_writer_t **out_writer);

POD_MUST_USE pod_status_t job_blob_append(job_blob_writer_t *writer, const void *data,
                                          size_t size_bytes);

// So many bytes so far.
int64_t job_blob_written(const job_blob_writer_t *writer);

// Takes the writer. When it returns without an error, the bytes are on the disk; that
// they are also found there by their name after a power cut needs job_blobs_sync(), once
// after several (job_store_submit and job_store_finish do it).
POD_MUST_USE pod_status_t job_blob_commit(job_blob_writer_t *writer,
                                          job_blob_t *out_blob);

// Takes the writer; nothing remains of it. Accepts NULL.
void job_blob_abandon(job_blob_writer_t *writer);

POD_MUST_USE pod_status_t job_blobs_sync(job_blobs_t *blobs);

// To read; it is there and has its size. `blob` must be some.
POD_MUST_USE pod_status_t job_blob_open(const job_blobs_t *blobs, const job_blob_t *blob,
                                        int *out_fd);

// Reads all of it (0.5 to 2 GB/s) and compares; the descriptor's place is left alone. Any
// thread. DATA_LOSS when the bytes are not those that were stored.
POD_MUST_USE pod_status_t job_blob_check(int fd, const job_blob_t *blob);

// All bytes of a small blob, checked, with a NUL behind them. Returns owned.
// RESOURCE_EXHAUSTED when it has more than `size_max`.
POD_MUST_USE pod_status_t job_blob_read(const job_blobs_t *blobs, const job_blob_t *blob,
                                        int64_t size_max, char **out_bytes);

#endif  // SERVER_JOBS_BLOBS_H_
