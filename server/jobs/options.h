// How a job is to be compiled: what `podium run` can ask of the compiler, kept with the
// job so that every attempt is compiled alike. What the words mean is the compiler's to
// say; here they are carried, as one text between records, orders and the memory.
//
// Threading: none of its own; a structure belongs to one thread at a time.
// Ownership: a structure owns its texts and lists; NULL texts count as "".
// Errors: INVALID_ARGUMENT for what is no such text, or is too long.

#ifndef SERVER_JOBS_OPTIONS_H_
#define SERVER_JOBS_OPTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

enum {
  JOB_OPTION_BYTES_MAX = 4096,        // Of each text.
  JOB_OPTIONS_BYTES_MAX = 128 << 10,  // Of all of them, as one text.
};

// How an argument or a result lies.
typedef struct job_sharding_t {
  char *name;
  char *spec;
} job_sharding_t;

// As podium.proto's CompileRequest has them; "" and empty: as without.
typedef struct job_options_t {
  char *algorithms, *collectives, *mesh, *propagation, *donate;
  size_t in_count, out_count;
  job_sharding_t *in_shardings, *out_shardings;
  // For each device of the program the chip that runs it, by its place in the slice's
  // box: every place once.
  size_t order_count;
  int64_t *order;
} job_options_t;

// Copies `from` into `to`, which holds nothing yet.
void job_options_copy(const job_options_t *from, job_options_t *to);

// Frees what it holds; it is zeroed then.
void job_options_deinit(job_options_t *options);

// A line for each that is set, "mesh 7:x=2,y=4": the length stands before a text, which
// may have any character. Nothing for none.
void job_options_print(const job_options_t *options, pod_text_t *text);

// Of what job_options_print made. Fills one that holds nothing yet; on errors nothing.
POD_MUST_USE pod_status_t job_options_read(const char *text, job_options_t *out_options);

// Whether they are within the bounds above.
POD_MUST_USE pod_status_t job_options_check(const job_options_t *options);

#endif  // SERVER_JOBS_OPTIONS_H_
