// Which set of loops this CPU runs, and which loop computes an operation.

#include "server/worker/kernels/loops/loops.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/storage.h"

extern const kernel_loops_t kernel_loops_baseline;
#if defined(KERNEL_HAS_X86_SETS)
extern const kernel_loops_t kernel_loops_avx2, kernel_loops_avx512;
#endif

const kernel_loops_t *kernel_loops_by_name(const char *name) {
#if defined(KERNEL_HAS_X86_SETS)
  if (strcmp(name, "avx512") == 0) {
    return kernel_cpu() >= KERNEL_CPU_AVX512 ? &kernel_loops_avx512 : NULL;
  }
  if (strcmp(name, "avx2") == 0) {
    return kernel_cpu() >= KERNEL_CPU_AVX2 ? &kernel_loops_avx2 : NULL;
  }
#endif
  return strcmp(name, "baseline") == 0 ? &kernel_loops_baseline : NULL;
}

static const kernel_loops_t *find_best(void) {
#if defined(KERNEL_HAS_X86_SETS)
  if (kernel_cpu() >= KERNEL_CPU_AVX512) {
    return &kernel_loops_avx512;
  }
  if (kernel_cpu() >= KERNEL_CPU_AVX2) {
    return &kernel_loops_avx2;
  }
#endif
  return &kernel_loops_baseline;
}

// Asking the CPU takes longer than a short loop does. Threads that ask at the same time
// find the same.
const kernel_loops_t *kernel_loops(void) {
  static _Atomic(const kernel_loops_t *) best;
  const kernel_loops_t *found = atomic_load_explicit(&best, memory_order_relaxed);
  if (found == NULL) {
    found = find_best();
    atomic_store_explicit(&best, found, memory_order_relaxed);
  }
  return found;
}

kernel_unary_fn_t kernel_unary_loop(chip_op_t op, tensor_dtype_t dtype) {
  const kernel_loops_t *loops = kernel_loops();
  const tensor_dtype_t compute = kernel_compute_dtype(dtype);
  if (compute != dtype && (*loops->narrow_unary)[op][compute] != NULL) {
    return (*loops->narrow_unary)[op][compute];
  }
  const kernel_unary_table_t *const tables[] = {
      loops->integer_unary, loops->float_unary,    loops->math_unary,
      &kernel_f64_unary,    &kernel_complex_unary, &kernel_special_unary,
  };
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
    if ((*tables[i])[op][compute] != NULL) {
      return (*tables[i])[op][compute];
    }
  }
  return NULL;
}

kernel_binary_fn_t kernel_binary_loop(chip_op_t op, tensor_dtype_t dtype) {
  const kernel_loops_t *loops = kernel_loops();
  const tensor_dtype_t compute = kernel_compute_dtype(dtype);
  if (compute != dtype && (*loops->narrow_binary)[op][compute] != NULL) {
    return (*loops->narrow_binary)[op][compute];
  }
  const kernel_binary_table_t *const tables[] = {
      loops->integer_binary, loops->float_binary,    loops->math_binary,
      &kernel_f64_binary,    &kernel_complex_binary, &kernel_special_binary,
  };
  for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
    if ((*tables[i])[op][compute] != NULL) {
      return (*tables[i])[op][compute];
    }
  }
  return NULL;
}
