// What the store needs of the folder of blobs beyond blobs.h: to sweep it.

#ifndef SERVER_JOBS_BLOBS_PRIVATE_H_
#define SERVER_JOBS_BLOBS_PRIVATE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/jobs/blobs.h"

// Makes the folders below `folder_fd`, which `folder` names.
POD_MUST_USE pod_status_t job_blobs_open_at(int folder_fd, const char *folder,
                                            bool is_made, job_blobs_t **out_blobs);

// The inode of a blob that is there and has its size: by it one tells later whether the
// file is still the same. DATA_LOSS when it is not there.
POD_MUST_USE pod_status_t job_blob_inode(const job_blobs_t *blobs, const job_blob_t *blob,
                                         ino_t *out_inode);

// Unlinks a blob that nobody names: when it still is the file with that inode, or with an
// inode of 0 when it was written before `before_s` (Unix time). *out_bytes is what was
// freed, 0 when the file was left: for it may just be committed again by another process.
POD_MUST_USE pod_status_t job_blob_unlink(job_blobs_t *blobs, const job_blob_t *blob,
                                          ino_t inode, int64_t before_s,
                                          int64_t *out_bytes);

// All files of blobs; the size is as found.
POD_MUST_USE pod_status_t job_blobs_each(
    job_blobs_t *blobs,
    pod_status_t (*each)(void *user, const job_blob_t *blob, ino_t inode), void *user);

// Unlinks what was being written when the process ended. Nobody may be writing.
POD_MUST_USE pod_status_t job_blobs_sweep_partial(job_blobs_t *blobs,
                                                  int64_t *inout_count,
                                                  int64_t *inout_bytes);

#endif  // SERVER_JOBS_BLOBS_PRIVATE_H_
