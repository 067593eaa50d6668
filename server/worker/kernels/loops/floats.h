// Floats as bits, and the maximum and minimum of IEEE 754-2019, in forms that vectorise.

#ifndef SERVER_WORKER_KERNELS_LOOPS_FLOATS_H_
#define SERVER_WORKER_KERNELS_LOOPS_FLOATS_H_

#include <stdint.h>

static inline uint32_t bits_f32(float x) {
  union {
    float value;
    uint32_t bits;
  } word = {.value = x};
  return word.bits;
}

static inline float from_bits_f32(uint32_t x) {
  union {
    uint32_t bits;
    float value;
  } word = {.bits = x};
  return word.value;
}

static inline uint64_t bits_f64(double x) {
  union {
    double value;
    uint64_t bits;
  } word = {.value = x};
  return word.bits;
}

static inline double from_bits_f64(uint64_t x) {
  union {
    uint64_t bits;
    double value;
  } word = {.bits = x};
  return word.value;
}

// NaN if either is, and -0 below +0. Equal operands differ at most in the sign of zero,
// which the bitwise operation settles.
static inline float maximum_f32(float x, float y) {
  const float larger = x > y ? x : y;  // y when either is NaN.
  const uint32_t other = x == y ? bits_f32(x) : UINT32_MAX;
  const float settled = from_bits_f32(bits_f32(larger) & other);
  return x != x ? x : settled;
}

static inline float minimum_f32(float x, float y) {
  const float smaller = x < y ? x : y;  // y when either is NaN.
  const uint32_t other = x == y ? bits_f32(x) : 0;
  const float settled = from_bits_f32(bits_f32(smaller) | other);
  return x != x ? x : settled;
}

static inline double maximum_f64(double x, double y) {
  const double larger = x > y ? x : y;  // y when either is NaN.
  const uint64_t other = x == y ? bits_f64(x) : UINT64_MAX;
  const double settled = from_bits_f64(bits_f64(larger) & other);
  return x != x ? x : settled;
}

static inline double minimum_f64(double x, double y) {
  const double smaller = x < y ? x : y;  // y when either is NaN.
  const uint64_t other = x == y ? bits_f64(x) : 0;
  const double settled = from_bits_f64(bits_f64(smaller) | other);
  return x != x ? x : settled;
}

#endif  // SERVER_WORKER_KERNELS_LOOPS_FLOATS_H_
