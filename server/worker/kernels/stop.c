// The control of a thread, and the one place where an early end becomes CANCELLED. A
// region that a kernel calls runs kernels of its own under the same one, so it is put
// back.

#include "server/worker/kernels/stop.h"

#include <stdint.h>
#include <string.h>

#include "common/base/clock.h"

_Thread_local kernel_control_t *kernel_control;

bool kernel_obey(kernel_control_t *control) {
  int wish = atomic_load(&control->wish);
  if (wish == KERNEL_PAUSE && control->pause != NULL) {
    const int64_t start_ns = pod_clock_now_ns();
    while (wish == KERNEL_PAUSE) {
      control->pause(control);
      wish = atomic_load(&control->wish);
    }
    control->paused_ns += pod_clock_now_ns() - start_ns;
  }
  return wish == KERNEL_STOP;
}

pod_status_t kernel_run(kernel_fn_t kernel, const kernel_args_t *args) {
  kernel_control_t *outer = kernel_control;
  kernel_control = args->control;
  pod_status_t status = kernel(args);
  if (status == NULL && kernel_is_stopped()) {
    status = pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  kernel_control = outer;
  return status;
}

enum { PART_BYTES = 8 << 20 };

void kernel_zero_bytes(void *out, size_t size_bytes) {
  for (size_t done = 0; done < size_bytes && !kernel_is_stopped(); done += PART_BYTES) {
    memset((char *)out + done, 0, kernel_part(size_bytes, done, PART_BYTES));
  }
}

// From the end where the target lies behind, so that they may overlap.
void kernel_copy_parts(void *out, const void *in, size_t size_bytes) {
  const bool is_behind = (uintptr_t)out > (uintptr_t)in;
  if (out == in) {
    return;
  }
  for (size_t done = 0; done < size_bytes && !kernel_is_stopped(); done += PART_BYTES) {
    const size_t part = kernel_part(size_bytes, done, PART_BYTES);
    const size_t at = is_behind ? size_bytes - done - part : done;
    memmove((char *)out + at, (const char *)in + at, part);
  }
}
