// What the tests of the store share: folders that go away, small jobs, what is in a
// store.
//
// Errors: cmocka's asserts, but in world_must(), which is for child processes too.

#ifndef TESTS_UNIT_SERVER_JOBS_WORLD_H_
#define TESTS_UNIT_SERVER_JOBS_WORLD_H_

#include "server/jobs/job_store.h"

enum { WORLD_PATH_MAX = 256 };

// A path in the memory's file system where there is one, at which nothing is.
void world_path(char out[WORLD_PATH_MAX]);

// Removes the folder with all that is in it.
void world_remove(const char *path);

// A copy of the folder's files.
void world_copy(const char *from, const char *to);

// Stops the process with the message when there is one. Takes the status.
void world_must(pod_status_t status);

job_store_t *world_open(const char *path);

// Bytes that follow from the seed.
void world_bytes(uint64_t seed, size_t size_bytes, char *out);

// Commits `size_bytes` bytes of the seed.
pod_status_t world_blob(job_store_t *store, uint64_t seed, size_t size_bytes,
                        job_blob_t *out_blob);

// A job of `principal` with a module and `input_count` inputs that follow from the seed,
// its blobs committed. `submission` may be "". Returns owned; NULL and the status.
pod_status_t world_job(job_store_t *store, uint64_t seed, size_t input_count,
                       const char *principal, const char *submission, job_t **out_job);

// Submits such a job.
pod_status_t world_submit(job_store_t *store, uint64_t seed, const char *submission,
                          uint64_t *out_id);

// Finishes a running job with two results that follow from the seed, and a report.
pod_status_t world_finish(job_store_t *store, uint64_t id, uint64_t seed);

// Whether all blobs that the job names are there, with the bytes of their digest.
void world_check_blobs(job_store_t *store, const job_t *job);

// The job as text, for comparing.
char *world_print(const job_t *job);

// How many files the folder has below `name`.
int world_count(const char *path, const char *name);

#endif  // TESTS_UNIT_SERVER_JOBS_WORLD_H_
