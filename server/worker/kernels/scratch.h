// Memory that kernels need for the moment. It is kept per thread between calls, because
// the pages of a fresh large allocation cost more than the work on them.
//
// Threading: any thread; each has its own.
// Ownership: borrowed until the thread asks for the same slot again, or ends.

#ifndef SERVER_WORKER_KERNELS_SCRATCH_H_
#define SERVER_WORKER_KERNELS_SCRATCH_H_

#include <stddef.h>

#include "common/base/status.h"

typedef enum kernel_slot_t {
  KERNEL_SLOT_LHS,
  KERNEL_SLOT_RHS,
  KERNEL_SLOT_RESULT,
  KERNEL_SLOT_CONVERTED_LHS,
  KERNEL_SLOT_CONVERTED_RHS,
  KERNEL_SLOT_PACKED,
  KERNEL_SLOT_PART,
  KERNEL_SLOT_COUNT,
} kernel_slot_t;

// Uninitialised, 64-byte aligned. RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t kernel_scratch(kernel_slot_t slot, size_t size_bytes,
                                         void **out_memory);

// Gives back what is larger than a kernel should keep. Kernels that asked for scratch
// call it when they are done.
void kernel_scratch_trim(void);

#endif  // SERVER_WORKER_KERNELS_SCRATCH_H_
