// Kernels of the user's for TPUs: the clock knows what they take, and nothing here
// computes them. The coordinator refuses their programs before they run; this is for
// those that come another way.

#include "server/worker/kernels/kernels.h"

pod_status_t kernel_timed_only(const kernel_args_t *args) {
  return chip_kernel_refusal(args->instruction);
}
