// What kinds of chip there are: one row each, every constant with its source.
//
// Units: FLOP per second, bytes, bytes per second, picoseconds. Threading: pure.

#ifndef SERVER_CHIP_SPEC_H_
#define SERVER_CHIP_SPEC_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

typedef struct chip_spec_t {
  const char *name;         // "v5e"
  const char *accelerator;  // Prefix of accelerator names: "v5litepod".
  // Names like v4-8 count TensorCores, v5litepod-4 counts chips.
  int cores_per_chip;
  bool accelerator_counts_cores;
  int torus_dimensions;  // 2 or 3.
  int64_t wraparound;  // An axis closes when its size is a multiple of this (v5e: 16); in
                       // 3D only when all three are (v4, v5p: 4).
  int chips_per_host[3];  // The block of the torus that one host has.
  int64_t largest_slice[3];
  int64_t hbm_bytes;
  int64_t vmem_bytes;      // Per core.
  double hbm_bytes_per_s;  // Nominal.
  double hbm_fraction;     // What streaming sustains of it.
  double bf16_flop_per_s;  // Nominal peak.
  double mxu_fraction;     // What a large product sustains of it.
  int mxu_size;            // Rows and columns of the array: products are padded to it.
  double int8_op_per_s;    // 0: no rate of its own, bf16's counts.
  double vpu_op_per_s;     // Elementwise f32 operations.
  double ici_bytes_per_s;  // Usable, per link and direction.
  int64_t ici_hop_ps;
  int64_t collective_startup_ps;  // Of a collective, besides hops and bytes.
  int64_t op_overhead_ps;         // What every device operation costs of its own.
} chip_spec_t;

// NULL when there is no such kind. Case does not count. Borrowed: static.
const chip_spec_t *chip_spec_find(const char *name);

// The rows, NULL behind the last.
const chip_spec_t *const *chip_spec_all(void);

#endif  // SERVER_CHIP_SPEC_H_
