// Somebody who uses the pod while it is attacked: compiles a small module that nobody has
// compiled before and runs it, again and again. Every call must go well.
//
// Threading: its calls are made on a thread of its own.

#ifndef TESTS_ATTACK_BYSTANDER_H_
#define TESTS_ATTACK_BYSTANDER_H_

#include "tests/system/pod.h"

typedef struct bystander_t bystander_t;

// Returns when the first round is done.
bystander_t *bystander_start(const system_pod_t *pod);

// How many rounds so far.
int bystander_rounds(bystander_t *bystander);

// Prints what a round took, beside `what`, and fails the test when the 99th percentile is
// above `bound_ms`. Returns the longest.
double bystander_stop(bystander_t *bystander, const char *what, double bound_ms);

#endif  // TESTS_ATTACK_BYSTANDER_H_
