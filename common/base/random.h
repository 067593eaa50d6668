// Seeded random numbers: SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable
// pseudorandom number generators"). The same seed gives the same sequence on every
// machine.

#ifndef COMMON_BASE_RANDOM_H_
#define COMMON_BASE_RANDOM_H_

#include <stdint.h>

typedef struct pod_random_t {
  uint64_t state;  // The seed, to begin with.
} pod_random_t;

uint64_t pod_random_next(pod_random_t *random);

// Uniform in [0, 1), a multiple of 2^-53.
double pod_random_uniform(pod_random_t *random);

// Uniform in [0, bound); bound > 0. The bias of the modulus (below 2^-32 for bounds below
// 2^32) is accepted.
uint64_t pod_random_below(pod_random_t *random, uint64_t bound);

#endif  // COMMON_BASE_RANDOM_H_
