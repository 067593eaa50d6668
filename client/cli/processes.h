// One command as several processes that find each other (jax.distributed), or as one.
//
// Signals that reach this process are passed on to all (interrupts.h). When one of
// several fails, the others have END_MS to find that out and end, and are ended then.
// Threading: the main thread.

#ifndef CLIENT_CLI_PROCESSES_H_
#define CLIENT_CLI_PROCESSES_H_

#include "common/base/status.h"

enum { CLI_PROCESSES_MAX = 64 };

typedef struct cli_processes_t {
  int count;
  char **command;  // NULL-terminated.
  // In each child, by its number, before the command. Borrowed `context`.
  void (*prepare)(const void *context, int process);
  const void *context;
} cli_processes_t;

// Waits for all. The status of the first that failed, as a shell has it, else 0.
POD_MUST_USE pod_status_t cli_processes_run(const cli_processes_t *processes,
                                            int *out_exit);

#endif  // CLIENT_CLI_PROCESSES_H_
