// The records in SQLite: which file, how it is opened, statements. The only place of the
// project that knows SQLite.
//
// Write-ahead log with an fsync at each commit (synchronous=FULL): one write and one
// fsync make a change durable. The lock is exclusive and kept, so that the log's index is
// in our memory, and no file is mapped.
//
// Threading: one thread at a time.
// Errors: see job_store.h. After an error nothing has changed.

#ifndef SERVER_JOBS_DATABASE_H_
#define SERVER_JOBS_DATABASE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/jobs/record.h"

typedef struct job_database_t job_database_t;

// Opens jobs.`number`.sqlite of the folder (which `fd` is open to) and looks through all
// of it; *out_is_new: it has no tables yet. DATA_LOSS when it is damaged.
POD_MUST_USE pod_status_t job_database_open(const char *folder, int fd, int64_t number,
                                            job_database_t **out_database,
                                            bool *out_is_new);

// Accepts NULL.
void job_database_close(job_database_t *database);

// Makes the tables, durably.
POD_MUST_USE pod_status_t job_database_make(job_database_t *database, int folder_fd);

// The highest number of a database in the folder; 0: none.
POD_MUST_USE pod_status_t job_database_newest(const char *folder, int fd,
                                              int64_t *out_number);

// Takes over what can be read of the damaged jobs.`number`.sqlite into the next one,
// which appears whole or not at all. The damaged file is left as it is. DATA_LOSS when
// nothing can be read.
POD_MUST_USE pod_status_t job_database_salvage(const char *folder, int fd, int64_t number,
                                               int64_t *out_taken, int64_t *out_lost);

// One transaction around what changes; `end` commits when `status` is NULL, else takes it
// back, and returns `status` or why it could not be committed.
POD_MUST_USE pod_status_t job_database_begin(job_database_t *database);
POD_MUST_USE pod_status_t job_database_end(job_database_t *database, pod_status_t status);

// False: a change that failed may yet be found to have happened at the next start, so
// that nothing it names may go.
bool job_database_is_settled(const job_database_t *database);

// The id that the next job gets; each is given once.
POD_MUST_USE pod_status_t job_database_next_id(job_database_t *database,
                                               uint64_t *out_id);

// The row of record's id; new, or instead of the one that is there.
POD_MUST_USE pod_status_t job_database_insert(job_database_t *database,
                                              const record_t *record);
POD_MUST_USE pod_status_t job_database_update(job_database_t *database,
                                              const record_t *record);
POD_MUST_USE pod_status_t job_database_delete(job_database_t *database, uint64_t id);

// NOT_FOUND when there is none. `out` is to be freed by record_deinit.
POD_MUST_USE pod_status_t job_database_get(job_database_t *database, uint64_t id,
                                           record_t *out);

POD_MUST_USE pod_status_t job_database_find(job_database_t *database,
                                            const char *principal, const char *submission,
                                            uint64_t *out_id);

// All by id, until an error; `each` must not change the table.
POD_MUST_USE pod_status_t job_database_each(job_database_t *database,
                                            pod_status_t (*each)(void *user,
                                                                 const record_t *record),
                                            void *user);

// The id of those that have ended before `before_us`, at most `room`.
POD_MUST_USE pod_status_t job_database_ended(job_database_t *database, int64_t before_us,
                                             size_t room, uint64_t *out_ids,
                                             size_t *out_count);

// Takes the log into the file.
POD_MUST_USE pod_status_t job_database_checkpoint(job_database_t *database);

#endif  // SERVER_JOBS_DATABASE_H_
