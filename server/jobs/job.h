// The record of a job: what was submitted, how it stands, what came of it.
//
// Threading: none of its own; a record belongs to one thread at a time.
// Ownership: a job owns its strings and lists; job_destroy() frees them and the job,
// job_deinit() what a job in place holds. NULL texts count as "".
// Errors: none, see memory.h; records that come from the disk were checked against the
// bounds here before they are made.

#ifndef SERVER_JOBS_JOB_H_
#define SERVER_JOBS_JOB_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/jobs/options.h"

enum {
  JOB_DIGEST_BYTES = 32,
  JOB_RANK_MAX = 16,
  JOB_ARRAYS_MAX = 65536,     // Inputs, and as many results.
  JOB_TEXT_BYTES_MAX = 4096,  // Of each text but the message.
  JOB_MESSAGE_BYTES_MAX = 65536,
  JOB_AFTER_MAX = 1024,
  JOB_RETRIES_MAX = 100,
  // Beside its retries: a job that ends every coordinator it runs under must not run for
  // ever, one that was there when others did so shall.
  JOB_INTERRUPTIONS_MAX = 16,
};

// Bytes in the store, by their SHA-256. Size 0 with a digest of zeros: none. (An array
// without elements has the digest of no bytes.)
typedef struct job_blob_t {
  uint8_t digest[JOB_DIGEST_BYTES];
  int64_t size_bytes;
} job_blob_t;

// An input or a result: dense, row-major.
typedef struct job_array_t {
  char *name;
  char *dtype;  // As MLIR spells it: "bf16".
  int rank;
  int64_t dims[JOB_RANK_MAX];
  job_blob_t data;
} job_array_t;

// The numbers stand in the database: they are not to be changed.
//
//   QUEUED -> RUNNING -> SUCCEEDED | FAILED | CANCELLED
//      ^_________|                a chip was lost, or the coordinator started anew
//   QUEUED -> FAILED | CANCELLED  one that it comes after failed, or by a user's wish
typedef enum job_state_t {
  JOB_QUEUED = 0,
  JOB_RUNNING = 1,
  JOB_SUCCEEDED = 2,
  JOB_FAILED = 3,
  JOB_CANCELLED = 4,
} job_state_t;

enum { JOB_STATE_COUNT = 5 };

typedef struct job_t {
  uint64_t id;       // From 1; never used twice in a store.
  char *principal;   // Whose it is, as common/access tells it.
  char *name;        // The user's; may be "".
  char *file_name;   // For diagnostics.
  char *submission;  // The client's idempotency key; "" for none.
  job_blob_t module;
  size_t input_count;
  job_array_t *inputs;
  size_t result_count;
  job_array_t *results;
  char *slice;  // "2x2"; "": chosen by the coordinator.
  int32_t device_count;
  int32_t priority;  // Higher runs first.
  size_t after_count;
  uint64_t *after;   // Jobs that must have succeeded before.
  int32_t retries;   // How often it may run again after its chips were lost.
  int32_t attempts;  // How often it was started.
  int32_t failures;  // Of these, how often the pod failed it: of `retries`.
  // And how often the coordinator died under it, without a word.
  int32_t interruptions;
  // The slice of its last attempt, as the coordinator writes it; "": it had none.
  char *given;
  job_state_t state;
  int32_t code;   // A pod_code_t; POD_OK unless FAILED or CANCELLED.
  char *message;  // Why it failed, or why it waits again.
  char *traceparent;
  int64_t submitted_us, started_us, ended_us;  // Unix time; 0: not yet.
  job_blob_t profile, report;                  // Size 0: none.
  bool wants_profile;
  job_options_t options;  // How it is compiled, at every attempt.
} job_t;

// SUCCEEDED, FAILED, CANCELLED.
bool job_state_is_end(job_state_t state);

// "queued". A literal.
const char *job_state_name(job_state_t state);

// Whether there are such bytes: false for the zeroed one.
bool job_blob_is_some(const job_blob_t *blob);

bool job_blob_equal(const job_blob_t *a, const job_blob_t *b);

// The 64 hexadecimal digits by which its file is called.
void job_blob_name(const job_blob_t *blob, char out[2 * JOB_DIGEST_BYTES + 1]);

// Of what job_blob_name made; the size is left alone. False when it is something else.
bool job_blob_parse(const char *name, job_blob_t *out_blob);

// Zeroed, with empty texts. Returns owned.
job_t *job_create(void);

// A copy of all of it. Returns owned.
job_t *job_copy(const job_t *job);

// Accepts NULL.
void job_destroy(job_t *job);

// Frees what it holds; it is zeroed then.
void job_deinit(job_t *job);

// Copies `from` into `to`, which holds nothing yet.
void job_array_copy(const job_array_t *from, job_array_t *to);

// Frees the list and what it holds. Accepts NULL.
void job_arrays_destroy(job_array_t *arrays, size_t count);

#endif  // SERVER_JOBS_JOB_H_
