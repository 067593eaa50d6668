// Tests that cut connections meet a defect of nng 1.5.2 now and then
// (server/ici/transport.h), after which nothing more can be tested in the process. A
// worker starts anew then, and so does the test: in a new process, a few times at most.

#ifndef TESTS_UNIT_SERVER_ICI_AGAIN_H_
#define TESTS_UNIT_SERVER_ICI_AGAIN_H_

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/ici/transport.h"

// To be called when a wait has lasted too long, before the test fails. Does not return
// when the sockets are stuck and the process may start anew.
static inline void again_if_stuck(void) {
  enum { TIMES_MAX = 3, TRIAL_MS = 30000 };
  const char *times = getenv("PODIUM_TEST_AGAIN");
  const int count = times == NULL ? 0 : atoi(times);
  if (count >= TIMES_MAX || ici_transport_works(TRIAL_MS)) {
    return;
  }
  fprintf(stderr, "nng does not end connections any more: once more in a new process\n");
  char text[16];
  snprintf(text, sizeof(text), "%d", count + 1);
  setenv("PODIUM_TEST_AGAIN", text, 1);
  char *const argv[] = {(char *)"/proc/self/exe", NULL};
  execv("/proc/self/exe", argv);
}

#endif  // TESTS_UNIT_SERVER_ICI_AGAIN_H_
