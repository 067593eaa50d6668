// Which instructions the kernels use: what the CPU has, or less when the environment
// variable PODIUM_CPU asks for less, so that one machine tries the ways of all of them.
// A level includes those before it.
//
// Threading: any thread. Read once, at the first call.

#ifndef SERVER_WORKER_KERNELS_CPU_H_
#define SERVER_WORKER_KERNELS_CPU_H_

#include "common/base/status.h"

typedef enum kernel_cpu_t {
  KERNEL_CPU_BASELINE,  // x86-64 without AVX2, or no x86-64.
  KERNEL_CPU_AVX2,
  KERNEL_CPU_AVX512,       // F, BW, CD, DQ, VL.
  KERNEL_CPU_AVX512_VNNI,  // Exact sums of products of bytes.
  KERNEL_CPU_AVX512_BF16,
  KERNEL_CPU_AMX,  // Tiles of bf16 and bytes, and leave of the system to use them.
  KERNEL_CPU_COUNT,
} kernel_cpu_t;

kernel_cpu_t kernel_cpu(void);

// What the CPU has, whatever the environment says.
kernel_cpu_t kernel_cpu_own(void);

// "baseline", "avx2", "avx512", "avx512_vnni", "avx512_bf16" or "amx".
const char *kernel_cpu_name(kernel_cpu_t cpu);

// INVALID_ARGUMENT when PODIUM_CPU is none of these; it has no effect then.
POD_MUST_USE pod_status_t kernel_cpu_check(void);

#endif  // SERVER_WORKER_KERNELS_CPU_H_
