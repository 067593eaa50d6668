// Arithmetic that C does not bring.
//
// Threading: pure.

#ifndef COMMON_BASE_NUMBER_H_
#define COMMON_BASE_NUMBER_H_

#include <stdint.h>

// Of two numbers >= 0; the other one where one is 0.
static inline int64_t pod_greatest_common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The least integer that is not below a / b, and the greatest that is not above it. `a`
// of either sign, b > 0.
static inline int64_t pod_divide_up(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

static inline int64_t pod_divide_down(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

#endif  // COMMON_BASE_NUMBER_H_
