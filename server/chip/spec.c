#include "server/chip/spec.h"

#include <stddef.h>
#include <strings.h>

// Sources, as the comments name them:
//   J    jax/_src/tpu_info.py
//   SB   "How to Scale Your Model", the page on TPUs
//   GC   cloud.google.com/tpu/docs, the page of the kind
//   PR115 a pull request of SB's repository
//   measured: a published trace or benchmark of that kind
//
// HBM sizes are GiB: J's byte counts are 2^30 times the number that the other sources
// call GB. The VPU has 8·128 lanes in every kind (J, SB); its rate is lanes · ALUs ·
// clock · cores with the clock that follows from the MXU: peak / (2 · MACs). ICI rates
// are what is usable: SB's 45 and 90 GB/s where nothing better is known, 0.96 of it for
// large transfers where that was measured. A hop takes 1 us (SB). An operation costs 1.6
// us of its own (measured: a 128³ product on v7x takes 1.62 us, nearly all of it fixed).

#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)
#define LANES (8.0 * 128.0)

//
// Where no measurement of a kind is published, the mean of the kinds that have one
// stands: 0.91 of the MXU's peak, 0.90 of HBM's bandwidth, and the median start-up of a
// collective.

enum { HOP_PS = 1000000, OP_OVERHEAD_PS = 1600000, STARTUP_PS = 2950000 };

#define MXU_FRACTION 0.91
#define HBM_FRACTION 0.90

static const chip_spec_t v2 = {
    .name = "v2",
    .accelerator = "v2",
    .cores_per_chip = 2,               // J
    .accelerator_counts_cores = true,  // v2-8 is four chips.
    .torus_dimensions = 2,             // SB
    .wraparound = 4,                   // A torus (SB); a 2x2 has nothing to close.
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {16, 16, 1},      // v2-512.
    .hbm_bytes = 16 * GIB,             // J
    .vmem_bytes = 16 * MIB,            // J
    .hbm_bytes_per_s = 716e9,          // J
    .hbm_fraction = 0.903,             // Measured: a matvec from HBM takes 209.2 us.
    .bf16_flop_per_s = 46e12,          // J
    .mxu_fraction = 0.986,  // Measured: 8192x8192x16384 takes 96.99 ms on a core.
    .mxu_size = 128,        // J
    .int8_op_per_s = 0,     // J: none.
    .vpu_op_per_s = 2 * LANES * 2 * 0.70e9,
    .ici_bytes_per_s = 31e9,  // Measured: what a 4-way all-gather reaches.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v3 = {
    .name = "v3",
    .accelerator = "v3",
    .cores_per_chip = 2,               // J
    .accelerator_counts_cores = true,  // v3-8 is four chips.
    .torus_dimensions = 2,             // SB
    .wraparound = 4,                   // As v2.
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {32, 32, 1},      // SB
    .hbm_bytes = 32 * GIB,             // SB
    .vmem_bytes = 16 * MIB,            // J
    .hbm_bytes_per_s = 900e9,          // SB; J says 825.
    .hbm_fraction = HBM_FRACTION,
    .bf16_flop_per_s = 140e12,  // J, SB
    .mxu_fraction = MXU_FRACTION,
    .mxu_size = 128,          // J
    .int8_op_per_s = 140e12,  // SB
    .vpu_op_per_s = 2 * LANES * 2 * 1.07e9,
    .ici_bytes_per_s = 90e9,  // SB: 100 raw; the usable share is that of its other kinds.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v4 = {
    .name = "v4",
    .accelerator = "v4",
    .cores_per_chip = 2,               // J: two as one (megacore).
    .accelerator_counts_cores = true,  // v4-8 is four chips.
    .torus_dimensions = 3,             // SB
    .wraparound = 4,                   // SB
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {16, 16, 16},     // SB
    .hbm_bytes = 32 * GIB,             // SB
    .vmem_bytes = 16 * MIB,            // J
    .hbm_bytes_per_s = 1200e9,         // GC; J says 1230.
    .hbm_fraction = HBM_FRACTION,
    .bf16_flop_per_s = 275e12,  // J, SB, GC
    .mxu_fraction = 0.8885,     // Measured: 16384³ takes 36 ms.
    .mxu_size = 128,            // J
    .int8_op_per_s = 275e12,    // SB, GC
    .vpu_op_per_s = 2 * LANES * 2 * 1.05e9,
    .ici_bytes_per_s = 45e9,  // SB
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v5e = {
    .name = "v5e",
    .accelerator = "v5litepod",
    .cores_per_chip = 1,                // J
    .accelerator_counts_cores = false,  // v5litepod-4 is four chips.
    .torus_dimensions = 2,              // GC
    .wraparound = 16,                   // SB
    .chips_per_host = {4, 2, 1},        // SB
    .largest_slice = {16, 16, 1},       // GC
    .hbm_bytes = 16 * GIB,              // SB
    .vmem_bytes = 128 * MIB,            // J
    .hbm_bytes_per_s = 819e9,           // GC
    .hbm_fraction = 0.927,              // Measured: a matvec from HBM takes 90 us.
    .bf16_flop_per_s = 197e12,          // J, SB, GC
    .mxu_fraction = 0.953,    // Measured: 16384³ takes 46.95 ms, 0.1 of it the host.
    .mxu_size = 128,          // J
    .int8_op_per_s = 393e12,  // GC; J says 394.
    .vpu_op_per_s = LANES * 4 * 1.5e9,
    .ici_bytes_per_s = 43.2e9,  // SB: 45; measured 43.0 to 45.1.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 1100000,  // Measured: a 128 KiB all-gather of 4 takes 8 us.
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v5p = {
    .name = "v5p",
    .accelerator = "v5p",
    .cores_per_chip = 2,               // J: two as one (megacore).
    .accelerator_counts_cores = true,  // v5p-8 is four chips.
    .torus_dimensions = 3,             // SB
    .wraparound = 4,                   // SB
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {16, 20, 28},     // SB
    .hbm_bytes = 95 * GIB,             // GC
    .vmem_bytes = 64 * MIB,            // J
    .hbm_bytes_per_s = 2765e9,         // GC; J says 2460 and SB 2800.
    .hbm_fraction = HBM_FRACTION,
    .bf16_flop_per_s = 459e12,  // J, SB, GC
    .mxu_fraction = MXU_FRACTION,
    .mxu_size = 128,          // J
    .int8_op_per_s = 918e12,  // J, SB
    .vpu_op_per_s = 2 * LANES * 4 * 1.75e9,
    .ici_bytes_per_s = 86.3e9,  // Measured; SB: 90.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .op_overhead_ps = OP_OVERHEAD_PS,
};

// 3.5 and 4.4 GHz would follow from the MXUs that J counts for the last two, which is not
// credible; half of it is taken for the VPU's clock.
static const chip_spec_t v6e = {
    .name = "v6e",
    .accelerator = "v6e",
    .cores_per_chip = 1,                // J
    .accelerator_counts_cores = false,  // v6e-8 is eight chips.
    .torus_dimensions = 2,              // GC
    .wraparound = 16,                   // SB
    .chips_per_host = {4, 2, 1},        // SB
    .largest_slice = {16, 16, 1},       // GC
    .hbm_bytes = 32 * GIB,              // SB
    .vmem_bytes = 128 * MIB,            // J
    .hbm_bytes_per_s = 1600e9,          // GC; J says 1640.
    .hbm_fraction = 0.878,              // Measured: a copy of 32 MiB takes 49.4 us.
    .bf16_flop_per_s = 918e12,          // GC; J says 920.
    .mxu_fraction = 0.9025,             // Measured: 8192³ takes 1328.8 us.
    .mxu_size = 256,                    // J
    .int8_op_per_s = 1836e12,           // GC
    .vpu_op_per_s = LANES * 4 * 1.75e9,
    .ici_bytes_per_s = 86.8e9,  // Measured; SB: 90.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 2950000,  // Measured: a permute of 16 KiB takes 5.75 us.
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v7x = {
    .name = "v7x",
    .accelerator = "tpu7x",
    .cores_per_chip = 2,               // J: two devices, no megacore.
    .accelerator_counts_cores = true,  // tpu7x-8 is four chips.
    .torus_dimensions = 3,             // PR115
    .wraparound = 4,                   // As v4 and v5p.
    .chips_per_host = {2, 2, 1},       // PR115
    .largest_slice = {16, 24, 24},     // GC: 9216 chips.
    .hbm_bytes = 192 * GIB,            // GC
    .vmem_bytes = 64 * MIB,            // J
    .hbm_bytes_per_s = 7370e9,         // PR115; J says 7400.
    .hbm_fraction = 0.8715,      // Measured: a copy of 8 GiB takes 5351 us on a core.
    .bf16_flop_per_s = 2307e12,  // GC; J says 2310.
    .mxu_fraction = 0.829,       // Measured: 32768³ takes 73.58 ms on a core.
    .mxu_size = 256,             // J
    .int8_op_per_s = 0,          // J: none.
    .vpu_op_per_s = 2 * LANES * 4 * 2.2e9,
    .ici_bytes_per_s = 89.4e9,  // Measured; 90 by the book.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 9500000,  // Measured: a 1 MiB all-gather of 4 takes 21.9 us.
    .op_overhead_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t *const rows[] = {&v2, &v3, &v4, &v5e, &v5p, &v6e, &v7x, NULL};

const chip_spec_t *const *chip_spec_all(void) {
  return rows;
}

const chip_spec_t *chip_spec_find(const char *name) {
  for (const chip_spec_t *const *row = rows; *row != NULL; row++) {
    if (strcasecmp((*row)->name, name) == 0) {
      return *row;
    }
  }
  return NULL;
}
