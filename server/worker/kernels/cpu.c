// What CPUID, XGETBV and the system say of the instructions, as one level. Every place
// that chooses by instruction set asks here and nowhere else, so that the variable which
// lowers the level reaches all of them: the sets of loops, tiles, and oneDNN's own
// choice.

#include "server/worker/kernels/cpu.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "common/base/check.h"

static const char *const names[KERNEL_CPU_COUNT] = {
    [KERNEL_CPU_BASELINE] = "baseline",       [KERNEL_CPU_AVX2] = "avx2",
    [KERNEL_CPU_AVX512] = "avx512",           [KERNEL_CPU_AVX512_VNNI] = "avx512_vnni",
    [KERNEL_CPU_AVX512_BF16] = "avx512_bf16", [KERNEL_CPU_AMX] = "amx",
};

#if defined(__x86_64__)

// What -march=x86-64-v3 and -v4 let the compiler use.
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

static bool has_bf16(void) {
  const uint32_t avx512_bf16 = 1u << 5;
  uint32_t a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & avx512_bf16) != 0;
}

// The operating system saves registers that XCR0 names; those of tiles a process has to
// ask for (Linux: Documentation/arch/x86/xstate.rst).
static bool is_permitted(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  const uint32_t saved = 0x600e6;  // SSE, AVX, AVX-512, tiles.
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & saved) == saved &&
         syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static bool has_amx(void) {
  const uint32_t has_xgetbv = 1u << 27;
  const uint32_t tiles = (1u << 22) | (1u << 24) | (1u << 25);  // bf16, registers, bytes.
  uint32_t a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & has_xgetbv) != 0 &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & tiles) == tiles &&
         is_permitted();
}

static bool has_level(kernel_cpu_t cpu) {
  switch (cpu) {
    case KERNEL_CPU_AVX2:
      return has_avx2();
    case KERNEL_CPU_AVX512:
      return has_avx512();
    case KERNEL_CPU_AVX512_VNNI:
      return __builtin_cpu_supports("avx512vnni");
    case KERNEL_CPU_AVX512_BF16:
      return has_bf16();
    case KERNEL_CPU_AMX:
      return has_amx();
    default:
      return false;
  }
}

#else

static bool has_level(kernel_cpu_t cpu) {
  (void)cpu;
  return false;
}

#endif

static const char *wanted(void) {
  const char *name = getenv("PODIUM_CPU");
  return name == NULL || name[0] == '\0' ? NULL : name;
}

// KERNEL_CPU_COUNT when there is no such level.
static kernel_cpu_t find(const char *name) {
  kernel_cpu_t cpu = KERNEL_CPU_BASELINE;
  while (cpu < KERNEL_CPU_COUNT && strcmp(names[cpu], name) != 0) {
    cpu++;
  }
  return cpu;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static kernel_cpu_t level;

kernel_cpu_t kernel_cpu_own(void) {
  kernel_cpu_t own = KERNEL_CPU_BASELINE;
  while (own + 1 < KERNEL_CPU_COUNT && has_level(own + 1)) {
    own++;
  }
  return own;
}

static void look(void) {
  const char *name = wanted();
  const kernel_cpu_t limit = name == NULL ? KERNEL_CPU_COUNT : find(name);
  const kernel_cpu_t own = kernel_cpu_own();
  level = own < limit ? own : limit;
}

kernel_cpu_t kernel_cpu(void) {
  POD_CHECK(pthread_once(&once, look) == 0);
  return level;
}

const char *kernel_cpu_name(kernel_cpu_t cpu) {
  return names[cpu];
}

pod_status_t kernel_cpu_check(void) {
  const char *name = wanted();
  if (name == NULL || find(name) != KERNEL_CPU_COUNT) {
    return NULL;
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "PODIUM_CPU is '%s': it may be baseline, avx2, avx512, avx512_vnni, "
                   "avx512_bf16 or amx",
                   name);
}
