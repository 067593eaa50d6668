// What open.c and job_store.c share.

#ifndef SERVER_JOBS_STORE_PRIVATE_H_
#define SERVER_JOBS_STORE_PRIVATE_H_

#include "server/jobs/blobs_private.h"
#include "server/jobs/books.h"
#include "server/jobs/database.h"
#include "server/jobs/job_store.h"

struct job_store_t {
  char *folder;  // Absolute, without links.
  int fd, lock;
  job_store_limits_t limits;
  job_blobs_t *blobs;
  job_database_t *database;
  job_books_t *books;
  job_store_recovery_t recovery;
  // The folder of blobs could not be written to the disk: what it was told since may be
  // lost without another word, so nothing that names blobs is taken any more.
  bool is_broken;
};

// The record in memory, believed or not.
void job_store_decode(const record_t *record, job_t *out_job);

// Makes the file that is given up when the disk is full, if it is not there.
POD_MUST_USE pod_status_t job_store_make_reserve(job_store_t *store);

// True when there was one to give up.
bool job_store_give_reserve(job_store_t *store);

#endif  // SERVER_JOBS_STORE_PRIVATE_H_
