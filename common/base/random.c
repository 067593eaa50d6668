// SplitMix64 (Steele, Lea and Flood, 2014): one addition and two multiply-xorshift
// rounds a number; any seed will do.

#include "common/base/random.h"

uint64_t pod_random_next(pod_random_t *random) {
  uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double pod_random_uniform(pod_random_t *random) {
  return (double)(pod_random_next(random) >> 11) * 0x1p-53;
}

uint64_t pod_random_below(pod_random_t *random, uint64_t bound) {
  return pod_random_next(random) % bound;
}
