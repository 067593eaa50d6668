// The daemons of one machine: started, started again when they end (restart.h), ended in
// order.
//
//   WAITING ──pause over──► RUNNING ──ended──► WAITING
//      ▲                       │  └──too often, refused──► GIVEN_UP
//      └─ created              └──supervisor_stop──► (ended)
//
// A daemon is asked to end by SIGTERM, also when the supervisor dies, and is killed when
// it has not after SUPERVISOR_STOP_MS.
//
// Threading: the loop thread, which must be the process' main thread, for the daemons'
// sake (PR_SET_PDEATHSIG).
// Ownership: see each function.

#ifndef SERVER_HOST_SUPERVISOR_H_
#define SERVER_HOST_SUPERVISOR_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"

// A worker that drains ends within 10 s by itself.
enum { SUPERVISOR_STOP_MS = 12000, SUPERVISOR_RESTARTS = 10 };

typedef struct supervisor_t supervisor_t;

typedef struct supervisor_options_t {
  int32_t count;  // Daemons, all started alike but for argument_of_start.
  // NULL-terminated; the first is the program's path. Borrowed for the supervisor's life.
  char *const *argv;
  // Asked before each start; an argument more, owned (free()), or NULL. May be NULL.
  char *(*argument_of_start)(int32_t index, bool is_first, void *context);
  // Where standard error goes: LOG_FOLDER/LOG_NAME-I.log, or LOG_FOLDER/LOG_NAME.log of a
  // single one whose name is not numbered. NULL: where the supervisor's own goes.
  const char *log_folder;
  const char *log_name;
  bool is_numbered;
  int32_t restarts_max;  // In a row, of one daemon.
  // All have ended for good: after supervisor_stop, or because all have been given up.
  // `exit_status`: 0, or that of the first daemon that was given up.
  void (*ended)(int exit_status, void *context);
  void *context;
} supervisor_options_t;

// Starts them, from the loop. Returns owned.
POD_MUST_USE pod_status_t supervisor_create(rpc_loop_t *loop,
                                            const supervisor_options_t *options,
                                            supervisor_t **out_supervisor);

// SIGTERM to all; `ended` follows. The second call kills what is left.
void supervisor_stop(supervisor_t *supervisor);

// SIGHUP to all that run: they read their files again.
void supervisor_hang_up(supervisor_t *supervisor);

// After `ended`. Accepts NULL.
void supervisor_destroy(supervisor_t *supervisor);

// How often it was started.
int32_t supervisor_starts(const supervisor_t *supervisor, int32_t index);

// It is not started again.
bool supervisor_has_given_up(const supervisor_t *supervisor, int32_t index);

// 0 while it does not run.
pid_t supervisor_pid(const supervisor_t *supervisor, int32_t index);

#endif  // SERVER_HOST_SUPERVISOR_H_
