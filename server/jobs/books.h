// What the store keeps in memory: who names each blob, and what each principal has. All
// of it follows from the records, and is counted anew when a store is opened.
//
// Threading: one thread at a time.
// Errors: none but where said.

#ifndef SERVER_JOBS_BOOKS_H_
#define SERVER_JOBS_BOOKS_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/jobs/job_store.h"

typedef struct job_books_t job_books_t;

job_books_t *job_books_create(void);

// Accepts NULL.
void job_books_destroy(job_books_t *books);

// Calls for each blob that the job names, as often as it does.
void job_each_blob(const job_t *job, void (*each)(void *user, const job_blob_t *blob),
                   void *user);

// A job is there (sign 1) or no longer (-1).
void job_books_count(job_books_t *books, const job_t *job, int sign);

// Whether a job names the blob, or somebody holds it.
bool job_books_names(const job_books_t *books, const job_blob_t *blob);

// A commit, which made the file `inode`.
void job_books_hold(job_books_t *books, const job_blob_t *blob, ino_t inode);

// Gives up one commit, if there is one. Nothing is unlinked here.
void job_books_release(job_books_t *books, const job_blob_t *blob);

// The file's inode is known; for a blob that is named or held.
void job_books_found(job_books_t *books, const job_blob_t *blob, ino_t inode);

// Forgets the blob when nobody names it: true, with the inode that is known (0: none).
bool job_books_drop(job_books_t *books, const job_blob_t *blob, ino_t *out_inode);

// Bytes that are being written, counted among those of the store.
void job_books_writing(job_books_t *books, int64_t size_bytes);

// Whether `size_bytes` more may be written.
POD_MUST_USE pod_status_t job_books_may_write(const job_books_t *books,
                                              const char *folder,
                                              const job_store_limits_t *limits,
                                              int64_t size_bytes);

// Whether the principal may have one more job with so many bytes.
POD_MUST_USE pod_status_t job_books_may_submit(const job_books_t *books,
                                               const job_store_limits_t *limits,
                                               const char *principal, int64_t size_bytes);

// Without free_bytes.
job_store_usage_t job_books_usage(const job_books_t *books);

#endif  // SERVER_JOBS_BOOKS_H_
