// A job as a row of the database: numbers and texts that a person can read there too, and
// a digest over all of them, by which a row that the disk has spoilt is known.
//
// Threading: any. Pure.
// Ownership: a row owns its texts.
// Errors: record_decode returns DATA_LOSS with what is wrong; job_check INVALID_ARGUMENT.

#ifndef SERVER_JOBS_RECORD_H_
#define SERVER_JOBS_RECORD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/jobs/job.h"

// X(column, type) in the order of the table. The numbers of a job are INTEGER, the rest
// TEXT. Those behind RECORD_LAST_OF_1 came with version 2 of the table, those behind
// RECORD_LAST_OF_2 with version 3: while all that came with a version and later are empty
// the digest is that of the others, so that older rows stay what they are.
#define RECORD_COLUMNS(X)   \
  X(id, INTEGER)            \
  X(state, INTEGER)         \
  X(principal, TEXT)        \
  X(submission, TEXT)       \
  X(name, TEXT)             \
  X(file_name, TEXT)        \
  X(slice, TEXT)            \
  X(traceparent, TEXT)      \
  X(device_count, INTEGER)  \
  X(priority, INTEGER)      \
  X(retries, INTEGER)       \
  X(attempts, INTEGER)      \
  X(wants_profile, INTEGER) \
  X(submitted_us, INTEGER)  \
  X(started_us, INTEGER)    \
  X(ended_us, INTEGER)      \
  X(code, INTEGER)          \
  X(message, TEXT)          \
  X(after, TEXT)            \
  X(module, TEXT)           \
  X(profile, TEXT)          \
  X(report, TEXT)           \
  X(inputs, TEXT)           \
  X(results, TEXT)          \
  X(given, TEXT)            \
  X(failures, INTEGER)      \
  X(interruptions, INTEGER) \
  X(options, TEXT)

typedef enum record_column_t {
#define RECORD_NAME(column, type) RECORD_##column,
  RECORD_COLUMNS(RECORD_NAME)
#undef RECORD_NAME
      RECORD_COLUMN_COUNT,
  RECORD_LAST_OF_1 = RECORD_results,
  RECORD_LAST_OF_2 = RECORD_interruptions,
} record_column_t;

// NULL: a number.
typedef struct record_cell_t {
  int64_t number;
  char *text;
  size_t length;
} record_cell_t;

typedef struct record_t {
  record_cell_t cells[RECORD_COLUMN_COUNT];
  uint8_t digest[JOB_DIGEST_BYTES];  // Of the cells, as it was stored.
} record_t;

// Whether the column is a text.
bool record_is_text(record_column_t column);

// The job must have passed job_check. Fills the digest too. To be freed by record_deinit.
void record_encode(const job_t *job, record_t *out);

// Fills a job that holds nothing yet.
POD_MUST_USE pod_status_t record_decode(const record_t *record, job_t *out_job);

// What is left of a job whose record is damaged.
void record_decode_damaged(const record_t *record, const char *why, job_t *out_job);

void record_deinit(record_t *record);

// Whether it is within the bounds of job.h.
POD_MUST_USE pod_status_t job_check(const job_t *job);
POD_MUST_USE pod_status_t job_arrays_check(const job_array_t *arrays, size_t count,
                                           const char *what);

#endif  // SERVER_JOBS_RECORD_H_
