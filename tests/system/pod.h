// Real daemons for tests: a coordinator and its workers on loopback, ports chosen by the
// kernel.
//
// Every process dies with the test (PR_SET_PDEATHSIG) and is reaped by system_pod_stop;
// every wait has a deadline. What cannot go on fails the cmocka test with the daemons'
// logs.
// Threading: the test's main thread.

#ifndef TESTS_SYSTEM_POD_H_
#define TESTS_SYSTEM_POD_H_

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SYSTEM_ARGS_MAX = 16, SYSTEM_WORKERS_MAX = 64, SYSTEM_WAIT_MS = 60000 };

typedef struct system_pod_t system_pod_t;

typedef struct system_pod_options_t {
  // Of the coordinator; NULL: a port of loopback, which the pod keeps to its end.
  const char *listen;
  const char *topology;  // NULL: "2x2".
  const char *chip;      // NULL: "v5e".
  int workers;           // To start; 0: one per chip; -1: none yet.
  // More arguments, NULL-terminated.
  const char *coordinator_args[SYSTEM_ARGS_MAX];
  const char *worker_args[SYSTEM_ARGS_MAX];
} system_pod_options_t;

// Returns once the coordinator listens; workers are still joining (podium_connect waits
// for them).
system_pod_t *system_pod_start(const system_pod_options_t *options);

// SIGTERM to all, and checks that each that was not killed exits with 0 within the
// deadline.
void system_pod_stop(system_pod_t *pod);

// "127.0.0.1:4711". Borrowed.
const char *system_pod_address(const system_pod_t *pod);

pid_t system_pod_coordinator(const system_pod_t *pod);

// Workers in the order in which they were started (not chip order: ask the pod,
// podium_pod gives pids).
int system_pod_worker_count(const system_pod_t *pod);
pid_t system_pod_worker(const system_pod_t *pod, int index);

// Starts one more, with extra arguments (NULL-terminated; may be NULL). Returns its
// index.
int system_pod_add_worker(system_pod_t *pod, const char *const *args);

// Sends a signal to a worker. After SIGKILL and SIGTERM it is reaped and its exit status
// returned (as waitpid gives it); otherwise 0.
int system_pod_signal_worker(system_pod_t *pod, int index, int signal_number);

// Waits for a worker to end by itself and returns its status.
int system_pod_wait_worker(system_pod_t *pod, int index);

// The same for the coordinator.
int system_pod_signal_coordinator(system_pod_t *pod, int signal_number);

// After system_pod_signal_coordinator has ended it: a new one at the same address, with
// the same arguments.
void system_pod_restart_coordinator(system_pod_t *pod);

// A folder that is removed with the pod. Borrowed.
const char *system_pod_folder(const system_pod_t *pod);

// The log of the coordinator (index -1) or of a worker; returns owned.
char *system_pod_log(const system_pod_t *pod, int index);

// Shows the logs of the pod that was started last, while it runs.
void system_pod_show_latest(void);

// Fails the test and shows all logs.
void system_pod_fail(const system_pod_t *pod, const char *what);

// The network namespace (an open file; borrowed) of the processes started from now on;
// -1: the test's own.
void system_set_network(int file);

// Runs a program of the build (bin/NAME; or by its whole path) to its end and returns its
// exit status; its output (both streams) goes to *out_output (owned; may be NULL). `args`
// is NULL-terminated, without the program.
int system_run(const char *name, const char *const *args, char **out_output);

#endif  // TESTS_SYSTEM_POD_H_
