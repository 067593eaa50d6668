// How long a run may take before it counts as one that does not end: in processor time,
// so that a machine that does other things fails nobody; what waits for ever, which takes
// none, is ended by the clock.
//
// Threading: for the whole process. The limits go with it, and not to its children.

#ifndef TESTS_SIMULATION_LIMIT_H_
#define TESTS_SIMULATION_LIMIT_H_

#include <stdint.h>
#include <stdio.h>

typedef struct limit_t {
  int64_t processor_ms, real_ms;
} limit_t;

// From now on; a signal ends the process when one of them is over.
void limit_start(const limit_t *limit);
void limit_stop(void);

// How a process ended that a signal has ended.
void limit_print(const limit_t *limit, int signal, char *text, size_t size);

#endif  // TESTS_SIMULATION_LIMIT_H_
