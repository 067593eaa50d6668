// Commands that run beside each other, each with text on its standard input: ssh to many
// hosts at once.
//
// Threading: one thread at a time; the commands end with the thread that started them
// (PR_SET_PDEATHSIG).
// Ownership: a call borrows `argv` and `input` and owns what was said, until
// launch_call_deinit.

#ifndef CLIENT_LAUNCH_REMOTE_H_
#define CLIENT_LAUNCH_REMOTE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/text.h"

enum {
  LAUNCH_PARALLEL_MAX = 64,         // At once; the others wait.
  LAUNCH_OUTPUT_MAX = 1024 * 1024,  // Of each stream; what goes beyond is left out.
};

typedef struct launch_call_t {
  char *const *argv;  // argv[0] by PATH's rules.
  const char *input;
  size_t input_length;
  int64_t timeout_ms;  // From its start; then it is killed.
  // When it has ended:
  pod_text_t output, errors;
  int exit_status;  // 128 + the number of a signal; 127: could not be started.
  bool is_late, has_ended;
  // Of remote.c.
  pid_t pid;
  int files[3];
  size_t written;
  int64_t end_ns;
} launch_call_t;

// Who shares processes with others (client/cli/interrupts.h): `hold` and `release` stand
// around whatever starts and reaps, and around `pids`; `prepare_child` is called between
// fork and exec. All may be NULL.
typedef struct launch_children_t {
  void (*hold)(void);
  void (*release)(void);
  void (*prepare_child)(void);
  pid_t pids[LAUNCH_PARALLEL_MAX];  // Of those that run; 0: none.
} launch_children_t;

// Runs all to their end. `ended` (may be NULL) is told of each as it ends.
void launch_calls_run(launch_call_t *calls, int32_t count, launch_children_t *children,
                      void (*ended)(void *context, int32_t index), void *context);

// Starts one whose output is read as it comes, from these files (non-blocking, the
// caller's to close): standard output and standard error. `input` fits a pipe (64 KiB).
// Returns its pid, or -1.
pid_t launch_stream_start(char *const *argv, const char *input,
                          launch_children_t *children, int out_files[2]);

// Frees what was said.
void launch_call_deinit(launch_call_t *call);

#endif  // CLIENT_LAUNCH_REMOTE_H_
