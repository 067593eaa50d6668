// POD_CHECK: our own invariants. A failure is a bug of ours, never of a peer or a user;
// it prints the condition and stops the process, in release builds too.

#ifndef COMMON_BASE_CHECK_H_
#define COMMON_BASE_CHECK_H_

#include <stdio.h>
#include <stdlib.h>

#define POD_CHECK(condition)                                                        \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                      \
    }                                                                               \
  } while (0)

#define POD_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif  // COMMON_BASE_CHECK_H_
