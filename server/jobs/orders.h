// What the coordinator and a job's runner (podium-job) say to each other: lines of words
// with blanks between them, over the runner's standard input and output.
//
//   to the runner     orders, up to a line `run`; then nothing: the end of its input is
//   its end from the runner   progress TEXT | result ARRAY | profile BLOB | report BLOB
//                     done | failed CODE MESSAGE; then it ends
//
// In a word what is no printable ASCII, and %, stands as %XX; a word of nothing as %-.
//
// Threading: any. Ownership: as said. Errors: INVALID_ARGUMENT for what is no such line.

#ifndef SERVER_JOBS_ORDERS_H_
#define SERVER_JOBS_ORDERS_H_

#include "common/base/status.h"
#include "common/base/text.h"
#include "server/jobs/job.h"

enum { JOB_LINE_BYTES_MAX = 512 << 10 };  // A message of the longest, all of it escaped.

// One attempt at a job.
typedef struct job_orders_t {
  uint64_t id;
  int32_t attempt;  // From 1.
  char *address;    // The coordinator's.
  char *token;      // By which the runner is known as the job's submitter.
  char *folder;     // The store's.
  char *name, *file_name, *traceparent;
  job_blob_t module;
  size_t input_count;
  job_array_t *inputs;
  size_t chip_count;  // Of its slice; one for each device of the program.
  int64_t *chips;
  bool wants_profile;
  // How it is compiled. Without the order: the chips stand in it already.
  job_options_t options;
} job_orders_t;

// Ends with the line `run`.
void job_orders_print(const job_orders_t *orders, pod_text_t *text);

// One line, without its end; *out_is_all at `run`. Fills owned texts of `orders`
// (job_orders_deinit).
POD_MUST_USE pod_status_t job_orders_read(char *line, job_orders_t *orders,
                                          bool *out_is_all);

// Of what job_orders_read made.
void job_orders_deinit(job_orders_t *orders);

typedef enum job_word_t {
  JOB_WORD_PROGRESS,
  JOB_WORD_RESULT,
  JOB_WORD_PROFILE,
  JOB_WORD_REPORT,
  JOB_WORD_DONE,
  JOB_WORD_FAILED,
} job_word_t;

typedef struct job_told_t {
  job_word_t word;
  char *text;         // PROGRESS, FAILED.
  int32_t code;       // FAILED.
  job_array_t array;  // RESULT.
  job_blob_t blob;    // PROFILE, REPORT.
} job_told_t;

// A line with its end.
void job_told_print(const job_told_t *told, pod_text_t *text);

POD_MUST_USE pod_status_t job_told_read(char *line, job_told_t *out_told);

// Of what job_told_read made.
void job_told_deinit(job_told_t *told);

#endif  // SERVER_JOBS_ORDERS_H_
