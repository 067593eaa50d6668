#include "server/chip/spec.h"

#include <strings.h>

// Sources, as the comments name them:
//   J     jax/_src/tpu_info.py
//   SB    "How to Scale Your Model", the page on TPUs; PR115 a change of it
//   GC    cloud.google.com/tpu/docs, the page of the kind
//   measured: a published trace or benchmark of that kind, which
//         `bench.fidelity` predicts
//
// HBM sizes are GiB: J's byte counts are 2^30 times the number that the other sources
// call GB.
//
// HBM: what streams sustain follows from two kinds of measurement. A matvec only reads:
// 67 MB take 209.2 us on a v2 core (0.903 of nominal) and 90 us on v5e (0.927); the mean,
// 0.915, stands for the others. A copy writes as much as it reads: 67 MB take 49.36 us on
// v6e, 17 GB take 5351 us on a v7x core, 0.878 and 0.872 of nominal, because the bus must
// turn round. The ratio is HBM_TURNAROUND, and the two kinds' own fraction is what it
// leaves of their copies.
//
// MXU: the fraction is measured where a large product is published; the mean of those
// five, 0.912, stands for v3 and v5p. The peak of v6e and v7x is not what their number of
// arrays and any credible clock give, so it is a number of its own.
//
// VPU: 8·128 lanes in every kind (J, SB), two ALUs each up to v4 and four from v5 on
// (SB), at the clock that follows from the MXU: peak / (2 · multipliers). v6e and v7x
// would need 3.5 and 4.4 GHz for their MXUs, which is not credible; half of it is taken.
//
// VMEM feeds the core at 22 times HBM's rate (SB). A DMA's latency is what a grid step of
// Pallas costs (measured: 0.35 us). Kernels load blocks of 1 MiB: a product of 1024³ on
// v5e takes 14.4 us, 13 of them the MXU and the fixed cost, the rest such a block.
//
// ICI rates are what is usable: SB's 45 and 90 GB/s, or what large transfers were
// measured at. A hop takes 1 us (SB). Every device operation costs 1.55 us (measured:
// a 128³ product on v7x takes 1.62 us, 0.07 of it its own); the start and the end of an
// asynchronous collective are one each. What a collective needs to start is measured on
// v5e, v6e and v7x, and their median stands for the others.

#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)
#define BLOCK_BYTES MIB
#define LANES (8.0 * 128.0)
#define MXU_FRACTION 0.912
#define HBM_FRACTION 0.915
#define HBM_TURNAROUND 0.046
#define VMEM_OF_HBM 22.0

enum {
  HOP_PS = 1000000,
  OP_OVERHEAD_PS = 1550000,
  STARTUP_PS = 2950000,
  DMA_LATENCY_PS = 350000,
};

static const chip_spec_t v2 = {
    .name = "v2",
    .accelerator = "v2",
    .cores_per_chip = 2,               // J
    .is_megacore = false,              // J
    .accelerator_counts_cores = true,  // v2-8 is four chips.
    .torus_dimensions = 2,             // SB
    .wraparound = 4,                   // A torus (SB); a 2x2 has nothing to close.
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {16, 16, 1},      // v2-512.
    .hbm_bytes = 16 * GIB,             // J
    .vmem_bytes = 2 * 16 * MIB,        // J
    .hbm_bytes_per_s = 716e9,          // J
    .hbm_fraction = 0.903,             // Measured, see above.
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 716e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 46e12,  // J
    .mxu_fraction = 0.9857,    // Measured: 8192x8192x16384 takes 96.99 ms on a core.
    .mxu_size = 128,           // J
    .int8_op_per_s = 0,        // J: none.
    .vpu_op_per_s = 2 * LANES * 2 * 0.70e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s =
        30.5e9,  // Measured: what a 4-way all-gather of both cores reaches.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v3 = {
    .name = "v3",
    .accelerator = "v3",
    .cores_per_chip = 2,               // J
    .is_megacore = false,              // J
    .accelerator_counts_cores = true,  // v3-8 is four chips.
    .torus_dimensions = 2,             // SB
    .wraparound = 4,                   // As v2.
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {32, 32, 1},      // SB
    .hbm_bytes = 32 * GIB,             // SB
    .vmem_bytes = 2 * 16 * MIB,        // J
    .hbm_bytes_per_s = 900e9,          // SB; J says 825.
    .hbm_fraction = HBM_FRACTION,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 900e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 140e12,  // J, SB
    .mxu_fraction = MXU_FRACTION,
    .mxu_size = 128,          // J
    .int8_op_per_s = 140e12,  // SB
    .vpu_op_per_s = 2 * LANES * 2 * 1.07e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 90e9,  // SB: 100 raw, of which its other kinds can use 0.9.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v4 = {
    .name = "v4",
    .accelerator = "v4",
    .cores_per_chip = 2,                 // J
    .is_megacore = true,                 // J
    .accelerator_counts_cores = true,    // v4-8 is four chips.
    .torus_dimensions = 3,               // SB
    .wraparound = 4,                     // SB
    .chips_per_host = {2, 2, 1},         // SB
    .largest_slice = {16, 16, 16},       // SB
    .hbm_bytes = 32 * GIB,               // SB
    .vmem_bytes = (2 * 16 + 128) * MIB,  // J; CMEM counts, XLA keeps operands there.
    .hbm_bytes_per_s = 1200e9,           // GC; J says 1230.
    .hbm_fraction = HBM_FRACTION,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 1200e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 275e12,  // J, SB, GC
    .mxu_fraction = 0.8885,     // Measured: 16384³ takes 36 ms.
    .mxu_size = 128,            // J
    .int8_op_per_s = 275e12,    // SB, GC
    .vpu_op_per_s = 2 * LANES * 2 * 1.05e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 45e9,  // SB
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v5e = {
    .name = "v5e",
    .accelerator = "v5litepod",
    .cores_per_chip = 1,                // J
    .is_megacore = false,               // J
    .accelerator_counts_cores = false,  // v5litepod-4 is four chips.
    .torus_dimensions = 2,              // GC
    .wraparound = 16,                   // SB
    .chips_per_host = {4, 2, 1},        // SB
    .largest_slice = {16, 16, 1},       // GC
    .hbm_bytes = 16 * GIB,              // SB
    .vmem_bytes = 128 * MIB,            // J
    .hbm_bytes_per_s = 819e9,           // GC
    .hbm_fraction = 0.927,              // Measured, see above.
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 819e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 197e12,  // J, SB, GC
    .mxu_fraction = 0.953,      // Measured: 16384³ takes 46.95 ms, 0.1 of it the host.
    .mxu_size = 128,            // J
    .int8_op_per_s = 393e12,    // GC; J says 394.
    .vpu_op_per_s = LANES * 4 * 1.5e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 43.2e9,  // SB: 45; 0.96 of it for large transfers.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 1100000,  // Measured: a 128 KiB all-gather of 4 takes 8 us.
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v5p = {
    .name = "v5p",
    .accelerator = "v5p",
    .cores_per_chip = 2,               // J
    .is_megacore = true,               // J
    .accelerator_counts_cores = true,  // v5p-8 is four chips.
    .torus_dimensions = 3,             // SB
    .wraparound = 4,                   // SB
    .chips_per_host = {2, 2, 1},       // SB
    .largest_slice = {16, 20, 28},     // SB
    .hbm_bytes = 95 * GIB,             // GC
    .vmem_bytes = 2 * 64 * MIB,        // J
    .hbm_bytes_per_s = 2765e9,         // GC; J says 2460 and SB 2800.
    .hbm_fraction = HBM_FRACTION,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 2765e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 459e12,  // J, SB, GC
    .mxu_fraction = MXU_FRACTION,
    .mxu_size = 128,          // J
    .int8_op_per_s = 918e12,  // J, SB
    .vpu_op_per_s = 2 * LANES * 4 * 1.75e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 86.3e9,  // Measured; SB: 90.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v6e = {
    .name = "v6e",
    .accelerator = "v6e",
    .cores_per_chip = 1,                // J
    .is_megacore = false,               // J
    .accelerator_counts_cores = false,  // v6e-8 is eight chips.
    .torus_dimensions = 2,              // GC
    .wraparound = 16,                   // SB
    .chips_per_host = {4, 2, 1},        // SB
    .largest_slice = {16, 16, 1},       // GC
    .hbm_bytes = 32 * GIB,              // SB
    .vmem_bytes = 128 * MIB,            // J
    .hbm_bytes_per_s = 1600e9,          // GC; J says 1640.
    .hbm_fraction = 0.918,              // Measured, see above.
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 1600e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 918e12,  // GC; J says 920.
    .mxu_fraction = 0.903,      // Measured: 8192³ takes 1328.8 us.
    .mxu_size = 256,            // J
    .int8_op_per_s = 1836e12,   // GC
    .vpu_op_per_s = LANES * 4 * 1.75e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 87.0e9,  // Measured: 67 MB take 771 us after the start-up; SB: 90.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 2950000,  // Measured: a permute of 16 KiB takes 5.75 us.
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v7x = {
    .name = "v7x",
    .accelerator = "tpu7x",
    .cores_per_chip = 2,               // J
    .is_megacore = false,              // J: two devices.
    .accelerator_counts_cores = true,  // tpu7x-8 is four chips.
    .torus_dimensions = 3,             // PR115
    .wraparound = 4,                   // As v4 and v5p.
    .chips_per_host = {2, 2, 1},       // PR115
    .largest_slice = {16, 24, 24},     // GC: 9216 chips.
    .hbm_bytes = 192 * GIB,            // GC
    .vmem_bytes = 2 * 64 * MIB,        // J
    .hbm_bytes_per_s = 7370e9,         // PR115; J says 7400.
    .hbm_fraction = 0.9115,            // Measured, see above.
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 7370e9,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 2307e12,  // GC; J says 2310.
    .mxu_fraction = 0.829,       // Measured: 32768³ takes 73.58 ms on a core.
    .mxu_size = 256,             // J
    .int8_op_per_s = 0,          // J: none.
    .fp8_flop_per_s = 4614e12,   // GC
    .vpu_op_per_s = 2 * LANES * 4 * 2.2e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s =
        89.9e9,  // Measured: 201 MB over two links take 2239 us after the start-up.
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 9200000,  // Measured: a 1 MiB all-gather of 4 takes 21.9 us.
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

// One TensorCore: half of its chip, whose links both share.

static const chip_spec_t v2c = {
    .name = "v2c",
    .accelerator = "v2c",
    .cores_per_chip = 1,
    .is_megacore = false,
    .accelerator_counts_cores = false,
    .torus_dimensions = 2,
    .wraparound = 4,
    .chips_per_host = {2, 2, 1},
    .largest_slice = {16, 16, 1},
    .hbm_bytes = 8 * GIB,
    .vmem_bytes = 16 * MIB,
    .hbm_bytes_per_s = 716e9 / 2,
    .hbm_fraction = 0.903,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 716e9 / 2,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 46e12 / 2,
    .mxu_fraction = 0.9857,
    .mxu_size = 128,
    .int8_op_per_s = 0,
    .vpu_op_per_s = LANES * 2 * 0.70e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 30.5e9 / 2,
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v3c = {
    .name = "v3c",
    .accelerator = "v3c",
    .cores_per_chip = 1,
    .is_megacore = false,
    .accelerator_counts_cores = false,
    .torus_dimensions = 2,
    .wraparound = 4,
    .chips_per_host = {2, 2, 1},
    .largest_slice = {32, 32, 1},
    .hbm_bytes = 16 * GIB,
    .vmem_bytes = 16 * MIB,
    .hbm_bytes_per_s = 900e9 / 2,
    .hbm_fraction = HBM_FRACTION,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 900e9 / 2,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 140e12 / 2,
    .mxu_fraction = MXU_FRACTION,
    .mxu_size = 128,
    .int8_op_per_s = 140e12 / 2,
    .vpu_op_per_s = LANES * 2 * 1.07e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 90e9 / 2,
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = STARTUP_PS,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t v7c = {
    .name = "v7c",
    .accelerator = "v7c",
    .cores_per_chip = 1,
    .is_megacore = false,
    .accelerator_counts_cores = false,
    .torus_dimensions = 3,
    .wraparound = 4,
    .chips_per_host = {2, 2, 1},
    .largest_slice = {16, 24, 24},
    .hbm_bytes = 96 * GIB,
    .vmem_bytes = 64 * MIB,
    .hbm_bytes_per_s = 7370e9 / 2,
    .hbm_fraction = 0.9115,
    .hbm_turnaround = HBM_TURNAROUND,
    .vmem_bytes_per_s = VMEM_OF_HBM * 7370e9 / 2,
    .block_bytes = BLOCK_BYTES,
    .dma_latency_ps = DMA_LATENCY_PS,
    .bf16_flop_per_s = 2307e12 / 2,
    .mxu_fraction = 0.829,
    .mxu_size = 256,
    .int8_op_per_s = 0,
    .fp8_flop_per_s = 4614e12 / 2,
    .vpu_op_per_s = LANES * 4 * 2.2e9,
    .op_overhead_ps = OP_OVERHEAD_PS,
    .ici_bytes_per_s = 89.9e9 / 2,
    .ici_hop_ps = HOP_PS,
    .collective_startup_ps = 9200000,
    .async_start_ps = OP_OVERHEAD_PS,
    .async_done_ps = OP_OVERHEAD_PS,
};

static const chip_spec_t *const rows[] = {&v2,  &v3,  &v4,  &v5e, &v5p, &v6e,
                                          &v7x, &v2c, &v3c, &v7c, NULL};

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
