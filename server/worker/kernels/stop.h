// How what a thread computes is stopped or paused from another one. kernel_run says which
// control the thread looks at; whoever works through much looks at it between two parts
// that take a few milliseconds at most, and leaves early when it is to stop. What is left
// undone does not matter: kernel_run reports CANCELLED then. A pause takes place within
// the look, of which the kernel notices nothing: so nobody looks while he holds a lock.
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

extern _Thread_local kernel_control_t *kernel_control;

// Does what is wished; pauses until it is not wished any more. True: it is to stop.
bool kernel_obey(kernel_control_t *control);

// What there is to obey, if anything.
static inline bool kernel_is_called(const kernel_control_t *control) {
  return control != NULL &&
         atomic_load_explicit(&control->wish, memory_order_relaxed) != KERNEL_GO_ON;
}

static inline bool kernel_is_stopped(void) {
  return kernel_is_called(kernel_control) && kernel_obey(kernel_control);
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

// All bytes 0, in parts; leaves early.
void kernel_zero_bytes(void *out, size_t size_bytes);

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

// The same outside of a kernel, by a control that is not the thread's.
static inline void kernel_copy_for(kernel_control_t *control, void *out, const void *in,
                                   size_t size_bytes) {
  kernel_control_t *outer = kernel_control;
  kernel_control = control;
  kernel_copy_bytes(out, in, size_bytes);
  kernel_control = outer;
}

#endif  // SERVER_WORKER_KERNELS_STOP_H_
