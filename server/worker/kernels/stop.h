// How what a thread computes is stopped from another one. kernel_run says which flag the
// thread looks at; whoever works through much looks at it between two parts that take a
// few milliseconds at most, and leaves early when it is raised. What is left undone does
// not matter: kernel_run reports CANCELLED then.
//
// Cost: a load from memory that stays in the first-level cache.
// Threading: any thread; each has its own.

#ifndef SERVER_WORKER_KERNELS_STOP_H_
#define SERVER_WORKER_KERNELS_STOP_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "server/worker/kernels/kernel.h"

// Elements between two looks: 16 ms of the slowest function, microseconds of most.
enum { KERNEL_STOP_ELEMENTS = 1 << 14 };

// Products of numbers between two looks, where the slowest CPU takes 50 ms for them.
#define KERNEL_STOP_PRODUCTS ((double)(1 << 29))

extern _Thread_local const atomic_bool *kernel_stop_flag;

static inline bool kernel_is_stopped(void) {
  const atomic_bool *flag = kernel_stop_flag;
  return flag != NULL && atomic_load_explicit(flag, memory_order_relaxed);
}

// At most `most` of what is left of `count` after `done`.
static inline size_t kernel_part(size_t count, size_t done, size_t most) {
  return count - done < most ? count - done : most;
}

// for (size_t i = 0; i < count; i++), which looks between two parts of
// KERNEL_STOP_ELEMENTS steps and leaves early: within one, the compiler sees a plain
// loop. `break` is not for it.
#define KERNEL_EACH(i, count)                                                       \
  for (size_t i##_done = 0; i##_done < (count) && !kernel_is_stopped();             \
       i##_done += KERNEL_STOP_ELEMENTS)                                            \
    for (size_t i = i##_done,                                                       \
                i##_end = i + kernel_part((count), i##_done, KERNEL_STOP_ELEMENTS); \
         i < i##_end; i++)

// memmove, in parts; leaves early.
void kernel_copy_parts(void *out, const void *in, size_t size_bytes);

// The same, which does not look for what is copied in microseconds.
static inline void kernel_copy_bytes(void *out, const void *in, size_t size_bytes) {
  enum { FEW_BYTES = 64 << 10 };
  if (size_bytes > FEW_BYTES) {
    kernel_copy_parts(out, in, size_bytes);
  } else if (out != in && size_bytes > 0) {
    memmove(out, in, size_bytes);
  }
}

#endif  // SERVER_WORKER_KERNELS_STOP_H_
