// A job's runner as a process of its own (podium-job): started, listened to, killed. A
// thread for each waits for its lines and its end; there are no more of them than chips.
//
// The process ends with this one, whatever happens: by the kernel's signal, which it asks
// for itself, and by the end of its standard input.
//
// Threading: the loop thread.
// Ownership: an attempt frees itself after `on_end`, or after job_process_abandon.

#ifndef SERVER_COORDINATOR_JOB_PROCESS_H_
#define SERVER_COORDINATOR_JOB_PROCESS_H_

#include "common/base/status.h"
#include "common/rpc/loop.h"

typedef struct job_attempt_t job_attempt_t;

// What the coordinator hears of an attempt.
typedef struct job_attempt_events_t {
  // A line of the runner's, without its end; may be written to.
  void (*on_line)(void *context, char *line);
  // Once and last: the process is gone. NULL, or in a sentence what happened to it; takes
  // `how`.
  void (*on_end)(void *context, pod_status_t how);
  void *context;
} job_attempt_events_t;

// Where runners come from; tests have others.
typedef struct coordinator_runner_t {
  // `orders`: what it is told (server/jobs/orders.h); `log_path`: where its standard
  // error goes, added to the file's end. Both borrowed for the call. What fails comes to
  // on_end.
  job_attempt_t *(*start)(rpc_loop_t *loop, const char *orders, const char *log_path,
                          const job_attempt_events_t *events);
  // Its end follows, at once.
  void (*kill)(job_attempt_t *attempt);
  // Kills it and waits; nothing more is told.
  void (*abandon)(job_attempt_t *attempt);
} coordinator_runner_t;

// podium-job beside this program, or on the PATH.
extern const coordinator_runner_t job_process_runner;

#endif  // SERVER_COORDINATOR_JOB_PROCESS_H_
