// Starts the worker's program anew, in the same process and with the same arguments, when
// its links cannot be mended from within (server/ici/transport.h). For the pod it is a
// worker that was lost and has joined again.
//
// Threading: a thread of its own; create and destroy on one thread. Ownership: borrows
// the options' pointers until destroy.

#ifndef SERVER_WORKER_WATCHDOG_H_
#define SERVER_WORKER_WATCHDOG_H_

#include <stdbool.h>

typedef struct watchdog_t watchdog_t;

typedef struct watchdog_options_t {
  char **argv;                    // Of the program, NULL-terminated.
  int interval_ms;                // Between two trials.
  int timeout_ms;                 // How long a trial may take on a busy machine.
  bool (*works)(int timeout_ms);  // The trial: ici_transport_works.
} watchdog_options_t;

// NULL when there is no thread to be had: then nobody watches.
watchdog_t *watchdog_create(const watchdog_options_t *options);

// Accepts NULL. Waits for a trial under way.
void watchdog_destroy(watchdog_t *watchdog);

#endif  // SERVER_WORKER_WATCHDOG_H_
