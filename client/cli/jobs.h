// What the commands about jobs share: submit, jobs, wait, cancel, result, logs JOB.
//
// Threading: the main thread, but for the library's callbacks, which only note progress.

#ifndef CLIENT_CLI_JOBS_H_
#define CLIENT_CLI_JOBS_H_

#include <cjson/cJSON.h>

#include "client/cli/cli.h"
#include "client/lib/podium_jobs.h"

#define CLI_JOBS_POD_OPTION                                                     \
  {                                                                             \
    "pod", CLI_KEY_JOBS_POD, "POD", 0,                                          \
        "HOST:PORT of the pod's coordinator, or the name given to `podium up` " \
        "(PODIUM_POD, "                                                         \
        "or local)",                                                            \
        1                                                                       \
  }

enum { CLI_KEY_JOBS_POD = 700, CLI_JOBS_MAX = 1000 };

// A connection, and the line that tells what is waited for.
typedef struct cli_jobs_t {
  const char *pod;  // NULL: PODIUM_POD, or local.
  bool is_quiet;
  podium_session_t *session;
  cli_progress_t *progress;
} cli_jobs_t;

// To look only: everything about jobs can be asked then.
POD_MUST_USE pod_status_t cli_jobs_connect(cli_jobs_t *jobs);

// Where it listens; returns owned.
POD_MUST_USE pod_status_t cli_jobs_address(const cli_jobs_t *jobs, char **out_address);

// For podium_connect_options_t.on_waiting; the context is a cli_jobs_t.
void cli_jobs_note(void *context, const char *for_what);

// Accepts what was never connected.
void cli_jobs_close(cli_jobs_t *jobs);

typedef struct cli_job_ids_t {
  int count;
  uint64_t items[CLI_JOBS_MAX];
} cli_job_ids_t;

// "7". False for what is no number of a job.
bool cli_job_read_id(const char *text, uint64_t *out_id);

// An argument of the command line that names a job; a usage error for what does not.
error_t cli_job_ids_option(cli_job_ids_t *ids, const char *value,
                           struct argp_state *state);

// A job as an object for --json; the caller's.
cJSON *cli_job_report(const podium_job_t *job);

// "succeeded after 3.2 s", "failed: INTERNAL: …"; appended.
void cli_job_print_end(const podium_job_t *job, pod_text_t *text);

// "3.2 s", "4 min", "2 h", "3 d"; appended.
void cli_job_print_age(int64_t microseconds, pod_text_t *text);

int64_t cli_now_us(void);  // Unix time.

int cli_submit(int argc, char **argv);
int cli_jobs(int argc, char **argv);
int cli_wait(int argc, char **argv);
int cli_cancel(int argc, char **argv);
int cli_result(int argc, char **argv);

// `podium logs JOB`: prints the job's log, and with `follows` what comes, until it has
// ended. Returns the exit status.
int cli_job_logs(const char *pod, uint64_t id, bool follows);

#endif  // CLIENT_CLI_JOBS_H_
